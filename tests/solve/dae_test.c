/* Methods that say they solve DAEs do: index 1 by mass matrix (also one without a zero row) and by
 * residual, inconsistent starting values are corrected or reported, index 2 and 3 for those that
 * claim it; algebraic equations hold after every step, with the order of collocation methods. */
#include "solve/solve.h"
#include "test.h"

/* x = cos t, z = -sin t by x' = z, 0 = z + sin t + 2 (x - cos t) + (z + sin t)^3 */
static EvalStatus circle_f(Model *model, double t, const double *y, double *f)
{
    double off = y[1] + sin(t);
    (void)model;
    f[0] = y[1];
    f[1] = off + 2.0 * (y[0] - cos(t)) + off * off * off;
    return EVAL_OK;
}

static EvalStatus circle_residual(Model *model, double t, const double *y, const double *yp, double *r)
{
    circle_f(model, t, y, r);
    r[0] = yp[0] - r[0];
    return EVAL_OK;
}

/* The same in mixed equations: no row of the mass matrix is zero. */
static EvalStatus mixed_f(Model *model, double t, const double *y, double *f)
{
    double g[2];
    circle_f(model, t, y, g);
    f[0] = g[0] + g[1];
    f[1] = g[0] - g[1];
    return EVAL_OK;
}

/* A pendulum of length 1: x, y, u, v, force; the constraint as position (index 3) or velocity
 * (index 2). */
static EvalStatus pendulum_f(Model *model, double t, const double *y, double *f)
{
    (void)t;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] * y[4];
    f[3] = -y[1] * y[4] - 1.0;
    f[4] = model->shape.index[4] == 3 ? y[0] * y[0] + y[1] * y[1] - 1.0 : y[0] * y[2] + y[1] * y[3];
    return EVAL_OK;
}

static EvalStatus angle_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = y[1];
    f[1] = -cos(y[0]); /* the angle from the horizontal */
    return EVAL_OK;
}

static StepStatus run(const SolverType *type, Model *model, double t_end, const double *y0, const double *yp0,
                      double rtol, double *end, SolverFailure *why)
{
    /* the interval may be far longer than what is asked for, and must not set the scale of time */
    Problem problem = { model, 0.0, 1e10 * t_end, y0, yp0 };
    SolverOptions o = solver_options(rtol, rtol);
    Solver *s = solver_create(type, &problem, &o, why);
    if (!s) return STEP_FAILED;
    StepStatus status;
    while ((status = solver_step(s, t_end)) == STEP_TAKEN) continue;
    memcpy(end, solver_y(s), (size_t)model->shape.n * sizeof *end);
    *why = *solver_failure(s);
    solver_destroy(s);
    return status;
}

/* Errors that are fair at rtol 1e-5 for a method of this order. */
static double fair(const SolverType *type)
{
    return type->order == 1 ? 2e-2 : type->can & SOLVE_MULTISTEP ? 1e-2 : 2e-3;
}

/* The circle by a mass matrix, by one without a zero row, and by a residual. */
enum { FORMS = 3, RESIDUAL = 2 };

static void make_circle(int form, Arena *arena, Model *model)
{
    static const ModelType forms[FORMS] = { { .derivatives = circle_f },
                                            { .derivatives = mixed_f },
                                            { .residual = circle_residual } };
    static const double mass[] = { 1.0, 0.0 }, ones[] = { 1.0, 1.0 };
    static const Entry entries[] = { { 0, 0 }, { 1, 0 } };
    static const unsigned char algebraic[] = { 0, 1 };
    ModelShape *shape = NEW(arena, ModelShape);
    const char *wrong;
    *shape = (ModelShape){ .name = "circle", .n = 2, .algebraic = algebraic };
    if (form == 0) shape->mass = mass;
    if (form == 1) shape->mass = ones, shape->mass_pattern = pattern_of_entries(arena, 2, 2, entries, 2);
    CHECK(model_init(model, &forms[form], shape, NULL, &wrong));
}

static bool takes(const SolverType *type, int form)
{
    return type->can & (form == RESIDUAL ? SOLVE_RESIDUAL : SOLVE_MASS);
}

static void check_index_1(const SolverType *type)
{
    Arena *arena = arena_new();
    double y0[] = { 1.0, 0.0 }, off[] = { 1.0, 0.3 }, yp0[] = { 0.0, -1.0 }, end[2];
    for (int form = 0; form < FORMS; form++) {
        if (!takes(type, form)) continue;
        Model model;
        SolverFailure why;
        make_circle(form, arena, &model);
        CHECK_ROW(run(type, &model, 3.0, y0, form == RESIDUAL ? yp0 : NULL, 1e-5, end, &why) == STEP_LIMIT,
                  type->name);
        double error = fmax(fabs(end[0] - cos(3.0)), fabs(end[1] + sin(3.0)));
        if (!CHECK_ROW(error < fair(type), type->name))
            printf("  form %d: error %g %s\n", form, error, why.text);
        if (form == RESIDUAL) continue;
        CHECK_ROW(run(type, &model, 3.0, off, NULL, 1e-5, end, &why) == STEP_LIMIT, type->name);
        error = fmax(fabs(end[0] - cos(3.0)), fabs(end[1] + sin(3.0)));
        if (!CHECK_ROW(error < fair(type), type->name))
            printf("  corrected, form %d: error %g %s\n", form, error, why.text);
    }
    arena_free(arena);
}

/* The largest error of both unknowns at t = 1.5 after so many equal steps, and between steps; dense
 * output ends where the step does. */
static double error_of_fixed(const SolverType *type, Model *model, int steps, double *between)
{
    double y0[] = { 1.0, 0.0 }, yp0[] = { 0.0, -1.0 }, y[2], t_end = 1.5, worst = 0.0, jump = 0.0;
    Problem problem = { model, 0.0, t_end, y0, yp0 };
    SolverOptions o = { .fixed_step = t_end / steps };
    SolverFailure why;
    Solver *s = solver_create(type, &problem, &o, &why);
    StepStatus status;
    *between = 0.0;
    do {
        double from = solver_t(s);
        status = solver_step(s, t_end);
        double t = solver_t(s), x = from + 0.3 * (t - from);
        solver_interpolate(s, t, y);
        jump = fmax(jump, fmax(fabs(y[0] - solver_y(s)[0]), fabs(y[1] - solver_y(s)[1])));
        worst = fmax(worst, fmax(fabs(y[0] - cos(t)), fabs(y[1] + sin(t))));
        solver_interpolate(s, x, y);
        *between = fmax(*between, fmax(fabs(y[0] - cos(x)), fabs(y[1] + sin(x))));
    } while (status == STEP_TAKEN);
    CHECK_ROW(status == STEP_LIMIT && jump < 1e-13, type->name);
    solver_destroy(s);
    return worst;
}

/* Collocation methods have their order in algebraic unknowns, too, and the dense order between
 * steps. */
static void check_orders(const SolverType *type)
{
    if (strcmp(type->family, "implicit Runge-Kutta") || type->order != type->order_most) return;
    Arena *arena = arena_new();
    for (int form = 0; form < FORMS; form++) {
        Model model;
        make_circle(form, arena, &model);
        int steps = type->order > 4 ? 4 : type->order > 1 ? 16 : 64;
        double coarse, fine, first = error_of_fixed(type, &model, steps, &coarse),
                             second = error_of_fixed(type, &model, 2 * steps, &fine);
        double slope = log2(first / second), dense = log2(coarse / fine);
        bool good = fabs(slope - type->order) < 0.15 || (slope > type->order && second < 1e-9);
        if (!CHECK_ROW(good && dense > type->dense_order - 0.3, type->name))
            printf("  form %d: order %g (errors %g %g), between steps %g\n", form, slope, first, second,
                   dense);
    }
    arena_free(arena);
}

/* A run that is saved after some steps goes on as it would have, with the same dense output; and so
 * does one that repeats its record. */
static void check_saved(const SolverType *type)
{
    if (strcmp(type->family, "implicit Runge-Kutta")) return;
    Arena *arena = arena_new();
    double y0[] = { 1.0, 0.0 }, yp0[] = { 0.0, -1.0 };
    for (int form = 0; form < FORMS; form++) {
        StepLog log = { .arena = arena };
        SolverOptions o[3] = { solver_options(1e-5, 1e-5), solver_options(1e-5, 1e-5),
                               solver_options(1e-5, 1e-5) };
        SolverFailure why;
        Model model;
        double end[3][2], inside[3][2];
        make_circle(form, arena, &model);
        Problem problem = { &model, 0.0, 3.0, y0, yp0 };
        o[0].record = &log;
        o[2].replay = &log;
        size_t size = 0;
        char *saved = NULL;
        for (int k = 0; k < 3; k++) {
            /* a run, the same from where it was saved, and by its record */
            Solver *s = solver_create(type, &problem, &o[k], &why);
            for (int step = 0; step < 3 && k == 0; step++) solver_step(s, 3.0);
            if (k == 0) {
                size = solver_save_size(s);
                saved = arena_alloc(arena, size);
                solver_save(s, saved);
            } else if (k == 1) {
                CHECK_ROW(solver_restore(s, saved, size), type->name);
            }
            while (solver_step(s, 3.0) == STEP_TAKEN) continue;
            memcpy(end[k], solver_y(s), sizeof end[k]);
            solver_interpolate(s, 0.4 * solver_t_old(s) + 0.6 * solver_t(s), inside[k]);
            CHECK_ROW(!memcmp(end[k], end[0], sizeof end[k]), type->name);
            CHECK_ROW(!memcmp(inside[k], inside[0], sizeof inside[k]), type->name);
            solver_destroy(s);
        }
    }
    arena_free(arena);
}

/* 0 = z^2 + 1 has no solution to start from. */
static EvalStatus hopeless_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = -y[0];
    f[1] = y[1] * y[1] + 1.0;
    return EVAL_OK;
}

static void check_inconsistent(const SolverType *type)
{
    static const double mass[] = { 1.0, 0.0 };
    static const ModelType form = { .derivatives = hopeless_f };
    if (!(type->can & SOLVE_MASS)) return;
    Model model;
    const char *wrong;
    SolverFailure why;
    ModelShape shape = { .name = "hopeless", .n = 2, .mass = mass };
    double y0[] = { 1.0, 0.5 }, end[2];
    CHECK_ROW(model_init(&model, &form, &shape, NULL, &wrong), type->name);
    CHECK_ROW(run(type, &model, 1.0, y0, NULL, 1e-5, end, &why) == STEP_FAILED, type->name);
    CHECK_ROW(why.kind == FAIL_INCONSISTENT || why.kind == FAIL_SINGULAR, type->name);
    CHECK_ROW(why.component == 1, type->name);
}

static void check_high_index(const SolverType *type)
{
    if (!(type->can & SOLVE_HIGH_INDEX)) return;
    static const double mass[] = { 1, 1, 1, 1, 0 };
    static const unsigned char index2[] = { 1, 1, 1, 1, 2 }, index3[] = { 1, 1, 2, 2, 3 };
    static const ModelType form = { .derivatives = pendulum_f }, angle_form = { .derivatives = angle_f };
    static const ModelShape angle_shape = { .name = "angle", .n = 2 };
    Model angle, model;
    const char *wrong;
    SolverFailure why;
    double start[] = { 0.0, 0.0 }, want[2], y0[] = { 1, 0, 0, 0, 0 }, end[5];
    CHECK(model_init(&angle, &angle_form, &angle_shape, NULL, &wrong));
    CHECK(run(solver_find("dop853"), &angle, 5.0, start, NULL, 1e-12, want, &why) == STEP_LIMIT);
    for (int index = 2; index <= 3; index++) {
        ModelShape shape = {
            .name = "pendulum", .n = 5, .mass = mass, .index = index == 2 ? index2 : index3
        };
        CHECK_ROW(model_init(&model, &form, &shape, NULL, &wrong), type->name);
        StepStatus status = run(type, &model, 5.0, y0, NULL, 1e-6, end, &why);
        double error = fmax(fabs(end[0] - cos(want[0])), fabs(end[1] - sin(want[0])));
        double force = want[1] * want[1] - sin(want[0]);
        if (!CHECK_ROW(status == STEP_LIMIT && error < 1e-4 && fabs(end[4] - force) < 1e-2, type->name))
            printf("  index %d: errors %g %g %s\n", index, error, end[4] - force, why.text);
    }
}

/* A charge that the input drives, and an output that jumps about with the input's slope while no
 * equation integrates it. */
static double signal(double t) { return 3.0 * exp(sin(9.0 * t)); }

static EvalStatus driven_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    f[0] = 2.0 * (signal(t) - y[0]);
    f[1] = y[1] - y[0] - signal(t);
    return EVAL_OK;
}

/* Factors that were made for another step size leave a share of each update undone in what is
 * algebraic. That must not pass for the solution: the equation holds to the tolerance after all
 * steps. */
static void check_algebraic_steps(const char *method, double rtol)
{
    static const double mass[] = { 1.0, 0.0 };
    static const ModelType driven = { .derivatives = driven_f };
    ModelShape shape = { .name = "driven", .n = 2, .mass = mass };
    double y0[2] = { 0.0, signal(0.0) }, worst = 0.0;
    const char *fault;
    Model model;
    CHECK(model_init(&model, &driven, &shape, NULL, &fault));
    Problem problem = { &model, 0.0, 10.0, y0, NULL };
    SolverOptions o = solver_options(rtol, rtol);
    SolverFailure why;
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    StepStatus status;
    do {
        status = solver_step(s, 10.0);
        double left = solver_y(s)[1] - solver_y(s)[0] - signal(solver_t(s));
        worst = fmax(worst, fabs(left) / (rtol * (1.0 + fabs(solver_y(s)[1]))));
    } while (status == STEP_TAKEN);
    if (!CHECK_ROW(status == STEP_LIMIT && worst < 1.0, method))
        printf("  %g tolerances at %g\n", worst, rtol);
    solver_destroy(s);
}

int main(void)
{
    for (double rtol = 1e-3; rtol > 1e-9; rtol *= 0.1) {
        check_algebraic_steps("bdf", rtol);
        check_algebraic_steps("dassl", rtol);
    }
    for (size_t i = 0; i < solver_type_count; i++) {
        check_index_1(solver_types[i]);
        check_orders(solver_types[i]);
        check_saved(solver_types[i]);
        check_inconsistent(solver_types[i]);
        check_high_index(solver_types[i]);
    }
    return test_end();
}
