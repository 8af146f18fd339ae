/* jump_test.c: quotients across a jump of f that nothing tells are no slopes: Jacobians next to one
 * are those of the side that the point is on, wherever the jump is; steep slopes and kinks stay
 * what they are; and runs of implicit methods over a jump end where the solution does. */
#include "solve/jacobian/jacobian.h"
#include "test.h"

/* Two unknowns: y0 meets what is asked for at y0 = 1 + place, y1 is linear in both. */
typedef struct {
    double place, jump, kink, steep;
} Data;

static EvalStatus step_f(Model *model, double t, const double *y, double *f)
{
    const Data *d = model->data;
    double beyond = y[0] - (1.0 + d->place);
    (void)t;
    f[0] = -2.0 * y[0] - d->steep * (y[0] - 1.0) + (beyond > 0.0 ? d->jump + d->kink * beyond : 0.0);
    f[1] = y[0] - 3.0 * y[1];
    return EVAL_OK;
}

static const ModelType type = { .derivatives = step_f };
static const ModelShape shape = { .name = "step", .n = 2 };

/* The entry in row and column 0 at y0 = 1, and all others right. */
static double slope(Data d, bool remembers)
{
    static const double y[] = { 1.0, 0.5 };
    Arena *arena = arena_new();
    Model model;
    const char *why;
    double f[2], value;
    CHECK(model_init(&model, &type, &shape, &d, &why));
    Solver s = { .arena = arena, .model = &model, .n = 2, .options = solver_options(1e-6, 1e-6) };
    s.atol = solver_vector(&s);
    s.y = solver_vector(&s);
    for (int i = 0; i < 2; i++) s.y[i] = y[i], s.atol[i] = 1e-6;
    s.options.increment_memory = remembers ? MEMORY_ON : MEMORY_OFF;
    Jacobian jac = { 0 };
    CHECK(jacobian_setup(&s, &jac));
    step_f(&model, 0.0, y, f);
    CHECK(jacobian_f(&s, &jac, 0.0, y, f, 0.1) == EVAL_OK);
    value = jac.values[matrix_place(jac.shape, 0, 0)];
    CHECK_NEAR(jac.values[matrix_place(jac.shape, 1, 0)], 1.0, 1e-6);
    CHECK_NEAR(jac.values[matrix_place(jac.shape, 1, 1)], -3.0, 1e-6);
    CHECK_NEAR(jac.values[matrix_place(jac.shape, 0, 1)], 0.0, 1e-6);
    arena_free(arena);
    return value;
}

static void check_slopes(void)
{
    static const double places[] = { 0.0,  -1e-16, 1e-15, -1e-15, 1e-13,  -1e-13, 1e-11, -1e-11,
                                     1e-9, -1e-9,  3e-9,  -3e-9,  1.4e-8, -1e-8,  1e-6,  -1e-6 };
    static const double jumps[] = { 0.05, -3.0, 500.0, -1e9 };
    for (size_t p = 0; p < COUNT_OF(places); p++)
        for (size_t j = 0; j < COUNT_OF(jumps); j++)
            for (int remembers = 0; remembers < 2; remembers++) {
                double got = slope((Data){ .place = places[p], .jump = jumps[j] }, remembers);
                double rounding = 4e-8 * fabs(jumps[j]); /* of f, over an increment */
                if (!CHECK(fabs(got + 2.0) < 1e-2 + rounding))
                    printf("  jump of %g at 1 + %g: %g\n", jumps[j], places[p], got);
            }
    for (double steep = 1.0; steep < 1e13; steep *= 10.0)
        CHECK_NEAR(slope((Data){ .place = 1.0, .steep = steep }, true), -2.0 - steep, 1e-6 * (1.0 + steep));
    for (int side = -1; side <= 1; side += 2) {
        double got = slope((Data){ .place = side * 1e-16, .kink = -1000.0, .steep = 0.0 }, false);
        /* one of the two slopes there */
        CHECK(fabs(got + 2.0) < 1e-3 || fabs(got + 1002.0) < 1e-2);
    }
}

/* y0' = -2 down to s, then -500 y0: at t = 1 nothing is left. */
static EvalStatus fall_f(Model *model, double t, const double *y, double *f)
{
    double s = *(const double *)model->data;
    (void)t;
    f[0] = y[0] > s ? -2.0 : -500.0 * y[0];
    return EVAL_OK;
}

static void check_runs(void)
{
    static const char *const solvers[] = { "dassl", "bdf", "radau5", "rodas", "esdirk4" };
    static const ModelType fall = { .derivatives = fall_f };
    static const ModelShape one = { .name = "fall", .n = 1 };
    for (size_t k = 0; k < COUNT_OF(solvers); k++)
        for (int trial = 0; trial < 40; trial++) {
            double s = 0.3 + 0.4 * fmod(trial * 0.618, 1.0), tol = pow(10.0, -3.0 - trial / 8.0), y = 1.0;
            Model model;
            const char *why;
            SolverFailure failure;
            SolverOptions options = solver_options(tol, tol);
            CHECK(model_init(&model, &fall, &one, &s, &why));
            Problem problem = { &model, 0.0, 1.0, &y, NULL };
            Solver *solver = solver_create(solver_find(solvers[k]), &problem, &options, &failure);
            if (!CHECK(solver)) continue;
            StepStatus status = STEP_TAKEN;
            while (status == STEP_TAKEN) status = solver_step(solver, 1.0);
            CHECK(status == STEP_LIMIT);
            if (!CHECK(fabs(solver_y(solver)[0]) < 1e-2))
                printf("  %s with tolerance %g: %g\n", solvers[k], tol, solver_y(solver)[0]);
            solver_destroy(solver);
        }
}

int main(void)
{
    check_slopes();
    check_runs();
    return test_end();
}
