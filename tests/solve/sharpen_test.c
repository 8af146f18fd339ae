/* What people look at between steps has slopes that are right where the problem is stiff, also
 * where the polynomial of a step misses what error control does not see, is not worse where it is
 * not, and looking does not change the run. */
#include "solve/solve.h"
#include "test.h"

#include <math.h>

/* y0' = -L (y0 - g(t)) + g'(t), y1' = -y1: y0 = g, y1 = exp(-t); g is cos, or bends at t = 2 within
 * `bend`. */
static double stiffness, bend;

static double value_of(double t)
{
    return bend > 0.0 ? 0.5 * (t + bend * log(cosh((t - 2.0) / bend))) : cos(t);
}
static double slope_of(double t) { return bend > 0.0 ? 0.5 * (1.0 + tanh((t - 2.0) / bend)) : -sin(t); }

static EvalStatus slopes(Model *model, double t, const double *y, double *f)
{
    (void)model;
    f[0] = -stiffness * (y[0] - value_of(t)) + slope_of(t);
    f[1] = -y[1];
    return EVAL_OK;
}

typedef struct {
    double slope, value; /* largest errors: of f[0] relative to its size, of y */
    long steps;
} Errors;

static Errors run(const char *name, bool sharp, int looks)
{
    static const ModelType type = { .derivatives = slopes };
    const double y0[2] = { value_of(0.0), 1.0 };
    Model model = { .type = &type, .can = MODEL_DERIVATIVES, .shape = { .n = 2 } };
    Problem problem = { .model = &model, .t0 = 0.0, .t_end = 3.0, .y0 = y0 };
    SolverOptions options = solver_options(1e-6, 1e-8);
    SolverFailure failure;
    Solver *s = solver_create(solver_find(name), &problem, &options, &failure);
    Errors e = { 0 };
    StepStatus status = STEP_TAKEN;
    while (status == STEP_TAKEN) {
        status = solver_step(s, 3.0);
        for (int k = 1; k < looks && solver_t_old(s) > 0.1; k++) {
            double t = solver_t_old(s) + (solver_t(s) - solver_t_old(s)) * k / looks, y[2], f[2];
            if (sharp)
                solver_sharp(s, t, y);
            else
                solver_interpolate(s, t, y);
            slopes(&model, t, y, f);
            e.slope = fmax(e.slope, fabs(f[0] - slope_of(t)));
            e.value = fmax(e.value, fmax(fabs(y[0] - value_of(t)), fabs(y[1] - exp(-t))));
        }
    }
    CHECK_ROW(status == STEP_LIMIT, name);
    e.steps = solver_stats(s).steps;
    solver_destroy(s);
    return e;
}

int main(void)
{
    static const char *const names[] = { "radau5", "bdf", "rodas", "esdirk5", "trbdf2", "radau", "auto" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        stiffness = 1e6;
        bend = 0.0;
        Errors plain = run(names[i], false, 8), sharp = run(names[i], true, 8),
               blind = run(names[i], true, 1);
        CHECK_ROW(sharp.slope < 0.02 * plain.slope + 1e-6, names[i]);
        CHECK_ROW(sharp.value <= 1.5 * plain.value, names[i]);
        CHECK_ROW(sharp.steps == blind.steps && plain.steps == blind.steps, names[i]);
        stiffness = 1.0;
        plain = run(names[i], false, 8), sharp = run(names[i], true, 8);
        CHECK_ROW(sharp.value <= 2.0 * plain.value, names[i]);
        stiffness = 1e6, bend = 0.05;
        sharp = run(names[i], true, 50);
        CHECK_ROW(sharp.slope < 0.01, names[i]);
    }
    return test_end();
}
