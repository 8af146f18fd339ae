/* Roots: none is missed and none found twice over thousands of crossings, simultaneous ones come
 * together, an indicator that starts at exactly 0 has no event there, one that touches 0 without
 * crossing gives none, the time given is on the far side, times agree with closed forms; backward
 * runs see the same roots. A discontinuity without an event and a NaN end a run with the component
 * named. */
#include "solve/methods/erk/erk.h"
#include "test.h"

enum { INDICATORS = 40 };

/* y = (t, cos t): indicators are functions of t with known roots. */
static EvalStatus clock_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)y;
    f[0] = 1.0;
    f[1] = -sin(t);
    return EVAL_OK;
}

/* sin(w_i t + p_i) with many frequencies; pairs share their roots. */
static void wave(int i, double *w, double *p)
{
    *w = 3.0 + 0.37 * (i / 2);
    *p = 0.11 * (i / 2) + 0.05;
}

static EvalStatus waves_g(Model *model, double t, const double *y, double *g)
{
    (void)model, (void)t;
    for (int i = 0; i < INDICATORS; i++) {
        double w, p;
        wave(i, &w, &p);
        g[i] = sin(w * y[0] + p) * (i % 2 ? -2.0 : 1.0);
    }
    return EVAL_OK;
}

static EvalStatus special_g(Model *model, double t, const double *y, double *g)
{
    (void)model;
    g[0] = y[0];                              /* exactly 0 at the start */
    g[1] = (t - 1.0) * (t - 1.0);             /* touches 0 */
    g[2] = t - 2.0;                           /* a plain root */
    g[3] = (t - 2.0) * (t - 2.0) * (t - 2.0); /* a flat one at the same place */
    return EVAL_OK;
}

static EvalStatus kink_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = y[0] < 0.5 ? 1e8 : -1e8;
    f[1] = 1.0;
    return EVAL_OK;
}

static Solver *make(Model *model, const ModelType *type, int indicators, double t0, double t_end,
                    double max_step)
{
    ModelShape shape = { .name = "roots", .n = 2, .indicators = indicators };
    const char *wrong;
    SolverFailure why;
    CHECK(model_init(model, type, &shape, NULL, &wrong));
    double y0[] = { t0, cos(t0) };
    Problem problem = { model, t0, t_end, y0, NULL };
    SolverOptions o = solver_options(1e-8, 1e-8);
    o.max_step = max_step;
    return solver_create(&solver_dopri5, &problem, &o, &why);
}

static void check_waves(double t0, double t_end)
{
    static const ModelType type = { .derivatives = clock_f, .indicators = waves_g };
    const double pi = acos(-1.0);
    Model model;
    Solver *s = make(&model, &type, INDICATORS, t0, t_end, 0.2);
    int found[INDICATORS] = { 0 };
    double worst = 0.0;
    bool together = true, far_side = true;
    StepStatus status;
    while ((status = solver_step(s, t_end)) == STEP_TAKEN || status == STEP_ROOT) {
        if (status != STEP_ROOT) continue;
        double t = solver_t_root(s), y[2], g[INDICATORS];
        solver_interpolate(s, t, y);
        waves_g(&model, t, y, g);
        for (int i = 0; i < INDICATORS; i++) {
            signed char way = solver_roots(s)[i];
            if (!way) continue;
            double w, p;
            wave(i, &w, &p);
            double turns = (w * t + p) / pi;
            worst = fmax(worst, fabs(turns - round(turns)));
            found[i]++;
            together &= solver_roots(s)[i ^ 1] == -way;
            far_side &= g[i] == 0.0 || (g[i] > 0.0) == (way > 0);
        }
    }
    CHECK(status == STEP_LIMIT && together && far_side);
    CHECK(worst < 1e-7);
    bool complete = true;
    for (int i = 0; i < INDICATORS; i++) {
        double w, p;
        wave(i, &w, &p);
        int want = (int)fabs(floor((w * t_end + p) / pi) - floor((w * t0 + p) / pi));
        complete &= found[i] == want;
    }
    CHECK(complete);
    solver_destroy(s);
}

static void check_special(void)
{
    static const ModelType type = { .derivatives = clock_f, .indicators = special_g };
    Model model;
    Solver *s = make(&model, &type, 4, 0.0, 3.0, 0.3);
    int count[4] = { 0 };
    StepStatus status;
    while ((status = solver_step(s, 3.0)) == STEP_TAKEN || status == STEP_ROOT)
        for (int i = 0; i < 4 && status == STEP_ROOT; i++) {
            count[i] += solver_roots(s)[i] != 0;
            CHECK(fabs(solver_t_root(s) - 2.0) < 1e-4);
        }
    CHECK(count[0] == 0 && count[1] == 0 && count[2] == 1 && count[3] == 1);
    solver_destroy(s);
}

/* y' = 1e8 below 0.5 and -1e8 above: no step size satisfies the error test for long. */
static void check_discontinuity(void)
{
    static const ModelType type = { .derivatives = kink_f };
    for (size_t i = 0; i < solver_type_count; i++) {
        const SolverType *method = solver_types[i];
        if (!(method->can & SOLVE_ADAPTIVE)) continue;
        ModelShape shape = { .name = "kink", .n = 2 };
        Model model;
        const char *wrong;
        SolverFailure why;
        CHECK(model_init(&model, &type, &shape, NULL, &wrong));
        double y0[] = { 0.0, 0.0 };
        Problem problem = { &model, 1.0, 2.0, y0, NULL };
        SolverOptions o = solver_options(1e-9, 1e-9);
        o.max_steps = 20000;
        Solver *s = solver_create(method, &problem, &o, &why);
        StepStatus status;
        while ((status = solver_step(s, 2.0)) == STEP_TAKEN) continue;
        const SolverFailure *fail = solver_failure(s);
        CHECK_ROW(status == STEP_FAILED, method->name);
        bool said = fail->kind == FAIL_TOO_MANY_STEPS ||
                    ((fail->kind == FAIL_STEP_TOO_SMALL || fail->kind == FAIL_MODEL) && fail->component == 0);
        if (!CHECK_ROW(said, method->name)) printf("  %s\n", fail->text);
        solver_destroy(s);
    }
}

int main(void)
{
    check_waves(0.0, 40.0);
    check_waves(40.0, 0.0);
    check_special();
    check_discontinuity();
    return test_end();
}
