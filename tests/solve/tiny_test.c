/* Steps that are not much longer than the spacing of time: the leap of a stiff oscillator at t =
 * 8e5 and 1.6e6, where time has a spacing of a hundredth of a usual step. Multistep methods get
 * through at any tolerance nearby, whatever value they happen to meet next to 0, and whatever step
 * a failed error test proposes. */
#include "solve/solve.h"
#include "test.h"

#include <math.h>

static EvalStatus leap_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = 1e6 * (y[0] - y[0] * y[0] * y[0] / 3.0 - y[1]);
    f[1] = y[0] / 1e6;
    return EVAL_OK;
}

static const ModelType leap = { .derivatives = leap_f };
static const ModelShape shape = { .name = "leap", .n = 2 };

static void check_leaps(const char *name, double rtol, double nominal)
{
    static const double y0[] = { 2.0, -2.0 / 3.0 };
    for (int k = -2; k <= 2; k++) {
        Model model;
        SolverFailure failure;
        const char *why;
        StepStatus status = STEP_TAKEN;
        double tolerance = rtol * (1.0 + 0.05 * k);
        CHECK(model_init(&model, &leap, &shape, NULL, &why));
        Problem problem = { &model, 0.0, 2e6, y0, NULL };
        SolverOptions options = solver_options(tolerance, tolerance * nominal);
        Solver *s = solver_create(solver_find(name), &problem, &options, &failure);
        while (s && status == STEP_TAKEN) status = solver_step(s, 2e6);
        if (!CHECK_ROW(s && status == STEP_LIMIT, name)) printf("  %s\n", solver_failure(s)->text);
        CHECK_NEAR(solver_y(s)[0], 1.7055462, 1e-5);
        solver_destroy(s);
    }
}

int main(void)
{
    static const char *const names[] = { "bdf", "dassl", "cvode-bdf" };
    for (size_t i = 0; i < COUNT_OF(names); i++) check_leaps(names[i], 1e-9, 1e-6);
    check_leaps("bdf", 1e-11, 1.0);
    return test_end();
}
