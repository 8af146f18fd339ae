/* The integrators of SUNDIALS and ours are independent second methods for each other: on stiff problems they
 * agree to what both are asked for; the adapter adds nothing to what CVODE itself does on Robertson's problem
 * (published counts of a plain program); sparse storage works through it; a library's state that cannot be
 * saved is refused, not pretended; IDA passes a jump of an algebraic unknown, which no step could resolve. */
#include "solve/robertson.h"
#include "solve/solve.h"
#include "test.h"

/* A line of Brusselators (Hairer and Wanner), alpha = 1/50, enough points for banded storage. */
enum { POINTS = 40, SIZE = 2 * POINTS };

static EvalStatus brusselator_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    double diffusion = (POINTS + 1.0) * (POINTS + 1.0) / 50.0;
    for (int i = 0; i < POINTS; i++) {
        double u = y[2 * i], v = y[2 * i + 1];
        double u_left = i ? y[2 * i - 2] : 1.0, v_left = i ? y[2 * i - 1] : 3.0;
        double u_right = i + 1 < POINTS ? y[2 * i + 2] : 1.0, v_right = i + 1 < POINTS ? y[2 * i + 3] : 3.0;
        f[2 * i] = 1.0 + u * u * v - 4.0 * u + diffusion * (u_left - 2.0 * u + u_right);
        f[2 * i + 1] = 3.0 * u - u * u * v + diffusion * (v_left - 2.0 * v + v_right);
    }
    return EVAL_OK;
}

/* x' = -x with z = 1 + x from t = 1/2 on, x before: z jumps where no event is told. */
static EvalStatus jump_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    f[0] = -y[0];
    f[1] = y[1] - y[0] - (t < 0.5 ? 0.0 : 1.0);
    return EVAL_OK;
}

static const ModelType robertson = { .derivatives = robertson_f, .jacobian = robertson_jacobian },
                       brusselator = { .derivatives = brusselator_f }, jump = { .derivatives = jump_f };

static SolverStats run(const char *method, Model *model, double t_end, const double *y0, double rtol,
                       const double *atol, double *y)
{
    Problem problem = { model, 0.0, t_end, y0, NULL };
    SolverOptions o = solver_options(rtol, rtol);
    SolverFailure why;
    o.atol_each = atol;
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    StepStatus status;
    while ((status = solver_step(s, t_end)) == STEP_TAKEN) continue;
    if (!CHECK_ROW(status == STEP_LIMIT, method)) printf("  %s\n", solver_failure(s)->text);
    memcpy(y, solver_y(s), (size_t)model->shape.n * sizeof *y);
    SolverStats stats = solver_stats(s);
    solver_destroy(s);
    return stats;
}

static void check_robertson(void)
{
    static const ModelShape shape = { .name = "robertson", .n = 3 };
    static const double y0[] = { 1.0, 0.0, 0.0 }, usual[] = { 1e-14, 1e-20, 1e-8 },
                        tight[] = { 1e-18, 1e-24, 1e-12 };
    static const char *const methods[] = { "cvode-bdf", "ida", "bdf", "switching", "dassl" };
    Model model;
    const char *why;
    double y[3], reference[3];
    CHECK(model_init(&model, &robertson, &shape, NULL, &why));
    run("ida", &model, 4e10, y0, 1e-10, tight, reference);
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        SolverStats stats = run(methods[k], &model, 4e10, y0, 1e-6, usual, y);
        for (int i = 0; i < 3; i++)
            CHECK_ROW(fabs(y[i] - reference[i]) < 3e-5 * (reference[i] + usual[i] * 1e6), methods[k]);
        if (k) continue;
        CHECK_ROW(stats.steps == 1121 && stats.f == 1517, methods[k]);
        CHECK_ROW(stats.jacobians == 20 && stats.factors == 176, methods[k]);
    }
}

static void check_brusselator(void)
{
    static const char *const methods[] = { "cvode-bdf", "ida", "bdf", "switching", "dassl", "arkode-esdirk" };
    Arena *arena = arena_new();
    Entry *entries = NEW_ARRAY(arena, Entry, (size_t)SIZE * 4);
    size_t count = 0;
    for (int i = 0; i < SIZE; i++) {
        entries[count++] = (Entry){ i, i };
        entries[count++] = (Entry){ i, i ^ 1 };
        if (i >= 2) entries[count++] = (Entry){ i, i - 2 };
        if (i + 2 < SIZE) entries[count++] = (Entry){ i, i + 2 };
    }
    ModelShape shape = { .name = "brusselator",
                         .n = SIZE,
                         .pattern = pattern_of_entries(arena, SIZE, SIZE, entries, count) };
    Model model;
    const char *why;
    double y0[SIZE], y[SIZE], reference[SIZE];
    CHECK(model_init(&model, &brusselator, &shape, NULL, &why));
    for (int i = 0; i < POINTS; i++) {
        y0[2 * i] = 1.0 + sin(2.0 * acos(-1.0) * (i + 1) / (POINTS + 1.0));
        y0[2 * i + 1] = 3.0;
    }
    run("dop853", &model, 2.0, y0, 1e-11, NULL, reference);
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        SolverStats stats = run(methods[k], &model, 2.0, y0, 1e-6, NULL, y);
        double worst = 0.0;
        for (int i = 0; i < SIZE; i++) worst = fmax(worst, fabs(y[i] - reference[i]));
        if (!CHECK_ROW(worst < 3e-4, methods[k])) printf("  off by %g\n", worst);
        CHECK_ROW(stats.colours > 0 && stats.colours <= 6 &&
                      stats.f_jacobian >= stats.jacobians * stats.colours &&
                      stats.f_jacobian <= (stats.jacobians + 12 * stats.learnt) * stats.colours,
                  methods[k]);
    }
    arena_free(arena);
}

static void check_jump(void)
{
    static const double mass[] = { 1.0, 0.0 }, y0[] = { 1.0, 1.0 };
    static const ModelShape shape = { .name = "jump", .n = 2, .mass = mass };
    Model model;
    const char *why;
    double y[2];
    CHECK(model_init(&model, &jump, &shape, NULL, &why));
    SolverStats stats = run("ida", &model, 1.0, y0, 1e-6, NULL, y);
    CHECK(fabs(y[0] - exp(-1.0)) < 1e-4 && fabs(y[1] - y[0] - 1.0) < 1e-5 && stats.rejected_error == 0);
}

static void check_no_save(void)
{
    static const ModelShape shape = { .name = "robertson", .n = 3 };
    static const double y0[] = { 1.0, 0.0, 0.0 };
    Model model;
    const char *why;
    char byte = 0;
    CHECK(model_init(&model, &robertson, &shape, NULL, &why));
    Problem problem = { &model, 0.0, 1.0, y0, NULL };
    SolverOptions o = solver_options(1e-6, 1e-6);
    SolverFailure failure;
    Solver *s = solver_create(solver_find("cvode-bdf"), &problem, &o, &failure);
    CHECK(s && solver_save_size(s) == 0 && !solver_restore(s, &byte, 0));
    solver_destroy(s);
}

int main(void)
{
    check_robertson();
    check_brusselator();
    check_jump();
    check_no_save();
    return test_end();
}
