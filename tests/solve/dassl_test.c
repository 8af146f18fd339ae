/* BDF on DAE (dassl, and bdf with a mass matrix): the same problem as ODE, with a mass matrix and
 * as a residual gives the same solution; the transistor amplifier, whose outputs depend on inner
 * errors with a high gain, does not collapse; wrong starting values are made consistent where that
 * is possible and are refused by name where it is not; a DAE can be left and entered again at an
 * event. */
#include "solve/solve.h"
#include "test.h"

static Model make(const ModelType *type, const ModelShape *shape, void *data)
{
    Model model;
    const char *why;
    CHECK(model_init(&model, type, shape, data, &why));
    return model;
}

static double digits(int n, const double *y, const double *reference, const double *floor_)
{
    double worst = 1e-16;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(y[i] - reference[i]) / (fabs(reference[i]) + floor_[i]));
    return -log10(worst);
}

/* Robertson's reactions: two rate equations and the conservation of mass. */
static EvalStatus robertson_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[1] = -f[0] - 3e7 * y[1] * y[1];
    f[2] = y[0] + y[1] + y[2] - 1.0;
    return EVAL_OK;
}

static EvalStatus robertson_residual(Model *model, double t, const double *y, const double *yp, double *r)
{
    robertson_f(model, t, y, r);
    r[0] -= yp[0];
    r[1] -= yp[1];
    return EVAL_OK;
}

static EvalStatus robertson_jacobian(Model *model, double t, const double *y, const double *yp, double c,
                                     const MatrixShape *order, double *v)
{
    (void)model, (void)t, (void)yp;
    const double j[3][3] = { { -0.04 - c, 1e4 * y[2], 1e4 * y[1] },
                             { 0.04, -1e4 * y[2] - 6e7 * y[1] - c, -1e4 * y[1] },
                             { 1.0, 1.0, 1.0 } };
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) model_put(order, v, i, k, j[i][k]);
    return EVAL_OK;
}

static EvalStatus robertson_df(Model *model, double t, const double *y, const MatrixShape *order, double *v)
{
    return robertson_jacobian(model, t, y, NULL, 0.0, order, v);
}

static const double robertson_mass[] = { 1.0, 1.0, 0.0 };
static const unsigned char robertson_algebraic[] = { 0, 0, 1 };
static const ModelType with_mass = { .derivatives = robertson_f, .jacobian = robertson_df },
                       exact = { .residual = robertson_residual, .residual_jacobian = robertson_jacobian };
static const ModelShape mass_shape = { .name = "robertson", .n = 3, .mass = robertson_mass },
                        residual_shape = { .name = "robertson", .n = 3, .algebraic = robertson_algebraic };

static void check_robertson(void)
{
    static const struct {
        const char *name, *method;
        const ModelType *type;
        const ModelShape *shape;
    } forms[] = { { "mass, bdf", "bdf", &with_mass, &mass_shape },
                  { "mass", "dassl", &with_mass, &mass_shape },
                  { "residual", "dassl", &exact, &residual_shape } };
    static const double reference[] = { 5.20834517958e-8, 2.08333817904e-13, 0.999999947916 };
    static const double y0[] = { 1.0, 0.0, 0.0 }, atol[] = { 1e-14, 1e-20, 1e-8 },
                        floor_[] = { 1e-8, 1e-14, 1e-2 };
    for (size_t k = 0; k < COUNT_OF(forms); k++) {
        Model model = make(forms[k].type, forms[k].shape, NULL);
        Problem problem = { &model, 0.0, 4e10, y0, NULL };
        SolverOptions o = solver_options(1e-6, 0.0);
        SolverFailure why;
        o.atol_each = atol;
        Solver *s = solver_create(solver_find(forms[k].method), &problem, &o, &why);
        StepStatus status;
        while ((status = solver_step(s, 4e10)) == STEP_TAKEN) continue;
        double got = digits(3, solver_y(s), reference, floor_);
        CHECK_ROW(status == STEP_LIMIT, forms[k].name);
        if (!CHECK_ROW(got > 4.5 && solver_stats(s).steps < 1500, forms[k].name))
            printf("  %g digits, %ld steps; %s\n", got, solver_stats(s).steps, solver_failure(s)->text);
        solver_destroy(s);
    }
}

/* The transistor amplifier of the IVP test set: 8 voltages, C y' = f with a singular C that no
 * component shows. */
enum { VOLTAGES = 8 };
static const double R0 = 1000.0, R = 9000.0, SUPPLY = 6.0, ALPHA = 0.99;

static double diode(double v) { return 1e-6 * (exp(v / 0.026) - 1.0); }

static EvalStatus amplifier_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    double g1 = diode(y[1] - y[2]), g2 = diode(y[4] - y[5]);
    f[0] = (y[0] - 0.1 * sin(200.0 * acos(-1.0) * t)) / R0;
    f[1] = (2.0 * y[1] - SUPPLY) / R + (1.0 - ALPHA) * g1;
    f[2] = y[2] / R - g1;
    f[3] = (y[3] - SUPPLY) / R + ALPHA * g1;
    f[4] = (2.0 * y[4] - SUPPLY) / R + (1.0 - ALPHA) * g2;
    f[5] = y[5] / R - g2;
    f[6] = (y[6] - SUPPLY) / R + ALPHA * g2;
    f[7] = y[7] / R;
    return EVAL_OK;
}

static const struct {
    int row, column;
    double value;
} capacities[] = { { 0, 0, -1e-6 }, { 0, 1, 1e-6 }, { 1, 0, 1e-6 }, { 1, 1, -1e-6 }, { 2, 2, -2e-6 },
                   { 3, 3, -3e-6 }, { 3, 4, 3e-6 }, { 4, 3, 3e-6 }, { 4, 4, -3e-6 }, { 5, 5, -4e-6 },
                   { 6, 6, -5e-6 }, { 6, 7, 5e-6 }, { 7, 6, 5e-6 }, { 7, 7, -5e-6 } };

static EvalStatus amplifier_residual(Model *model, double t, const double *y, const double *yp, double *r)
{
    amplifier_f(model, t, y, r);
    for (size_t k = 0; k < COUNT_OF(capacities); k++)
        r[capacities[k].row] -= capacities[k].value * yp[capacities[k].column];
    return EVAL_OK;
}

static void check_amplifier(void)
{
    static const ModelType mass_form = { .derivatives = amplifier_f },
                           residual_form = { .residual = amplifier_residual };
    static const double y0[] = { 0.0, 3.0, 3.0, 6.0, 3.0, 3.0, 6.0, 0.0 };
    static const double yp0[] = { 51.338775,    51.338775,   -3.0 / (2e-6 * 9000.0),
                                  -24.9757667,  -24.9757667, -3.0 / (4e-6 * 9000.0),
                                  -10.00564453, -10.00564453 };
    static const double reference[] = { -0.5562145012262709e-2, 0.3006522471903042e1, 0.2849958788608128e1,
                                        0.2926422536206241e1,   0.2704617865010554e1, 0.2761837778393145e1,
                                        0.4770927631616772e1,   0.1236995868091548e1 };
    static const double floor_[VOLTAGES] = { 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01 };
    Arena *arena = arena_new();
    Entry entries[COUNT_OF(capacities)];
    double mass[COUNT_OF(capacities)];
    for (size_t k = 0; k < COUNT_OF(entries); k++)
        entries[k] = (Entry){ capacities[k].row, capacities[k].column };
    Pattern *pattern = pattern_of_entries(arena, VOLTAGES, VOLTAGES, entries, COUNT_OF(entries));
    for (size_t k = 0; k < COUNT_OF(entries); k++)
        mass[pattern_find(pattern, entries[k].row, entries[k].column)] = capacities[k].value;
    ModelShape shapes[] = { { .name = "amplifier", .n = VOLTAGES, .mass_pattern = pattern, .mass = mass },
                            { .name = "amplifier", .n = VOLTAGES } };
    for (int row = 0; row < 3; row++) {
        int form = row == 1;
        Model model = make(form ? &residual_form : &mass_form, &shapes[form], NULL);
        for (int with_yp = 0; with_yp < 2; with_yp++) {
            Problem problem = { &model, 0.0, 0.2, y0, with_yp ? yp0 : NULL };
            SolverOptions o = solver_options(1e-6, 1e-8);
            SolverFailure why;
            o.max_steps = 10000;
            Solver *s = solver_create(solver_find(row == 2 ? "bdf" : "dassl"), &problem, &o, &why);
            StepStatus status;
            while ((status = solver_step(s, 0.2)) == STEP_TAKEN) continue;
            double got = digits(VOLTAGES, solver_y(s), reference, floor_);
            CHECK_ROW(status == STEP_LIMIT, form ? "residual" : "mass");
            if (!CHECK_ROW(got > 4.5 && solver_stats(s).steps < 4000, form ? "residual" : "mass"))
                printf("  %g digits, %ld steps; %s\n", got, solver_stats(s).steps, solver_failure(s)->text);
            solver_destroy(s);
        }
    }
    arena_free(arena);
}

/* x' = -x + z, 0 = z + z^3/10 - sin t - x; or, if data says so, 0 = z^2 + 1. */
static EvalStatus index_one(Model *model, double t, const double *y, const double *yp, double *r)
{
    r[0] = yp[0] + y[0] - y[1];
    r[1] = model->data ? y[1] * y[1] + 1.0 : y[1] + 0.1 * y[1] * y[1] * y[1] - sin(t) - y[0];
    return EVAL_OK;
}

static void check_consistent_start(void)
{
    static const ModelType type = { .residual = index_one };
    static const unsigned char algebraic[] = { 0, 1 };
    static const char *const names[] = { "x", "z" };
    static const ModelShape shape = { .name = "index one", .n = 2, .algebraic = algebraic, .names = names };
    double y0[2] = { 1.0, 40.0 };
    Model model = make(&type, &shape, NULL);
    Problem problem = { &model, 0.0, 1.0, y0, NULL };
    SolverOptions o = solver_options(1e-7, 1e-7);
    SolverFailure why;
    Solver *s = solver_create(solver_find("dassl"), &problem, &o, &why);
    CHECK(solver_step(s, 1.0) == STEP_TAKEN);
    double y[2];
    solver_interpolate(s, 0.0, y);
    CHECK_NEAR(y[0], 1.0, 1e-12);
    CHECK_NEAR(y[1] + 0.1 * y[1] * y[1] * y[1], 1.0, 1e-6);
    StepStatus status;
    while ((status = solver_step(s, 1.0)) == STEP_TAKEN) continue;
    double z = solver_y(s)[1];
    CHECK(status == STEP_LIMIT);
    CHECK_NEAR(z + 0.1 * z * z * z - sin(1.0), solver_y(s)[0], 1e-6);
    /* an event sets x: z follows */
    double jumped[2] = { 2.0, z };
    CHECK(solver_restart(s, 1.0, jumped, NULL, RESTART_JUMP));
    while ((status = solver_step(s, 2.0)) == STEP_TAKEN) continue;
    z = solver_y(s)[1];
    CHECK(status == STEP_LIMIT);
    CHECK_NEAR(z + 0.1 * z * z * z - sin(2.0), solver_y(s)[0], 1e-6);
    solver_destroy(s);

    int impossible = 1;
    model = make(&type, &shape, &impossible);
    s = solver_create(solver_find("dassl"), &problem, &o, &why);
    CHECK(s && solver_step(s, 1.0) == STEP_FAILED);
    CHECK(solver_failure(s)->kind == FAIL_INCONSISTENT && solver_failure(s)->component == 1);
    CHECK(strstr(solver_failure(s)->text, "worst component z") != NULL);
    solver_destroy(s);
}

int main(void)
{
    check_robertson();
    check_amplifier();
    check_consistent_start();
    return test_end();
}
