/* erk.c: explicit Runge-Kutta methods, each a tableau (erk_tables.c).
 *
 * In: a tableau. Out: steps with error estimate and dense output. How: k_i = f(t + c_i h, y + h sum
 * a_ij k_j); the error is the difference of two formulas on the same stages. Stages that only dense
 * output needs are computed when it is first asked for in a step. Always: the first stage is f(t,
 * y), taken over from the last one where that is the same. Cost: stages evaluations and O(stages^2
 * n) a step. Tests: tests/solve/erk_test.c (order conditions), methods_test.c. */
#include "solve/methods/erk/erk.h"
#include "solve/core/combine.h"
#include "solve/core/onestep.h"
#include "solve/core/start.h"
#include "solve/tables/tables.h"

typedef struct {
    OneStep one;
    const ErkTableau *tableau;
    /* of a (from the second stage), b, e, e2 and d */
    Terms *row, *result, *estimate, *estimate2, *rest;
    bool late;  /* the estimate does without the last stage of an fsal method */
    bool watch; /* stiffness; only where the last own stage lies at the end of the step */
    double *k[ERK_STAGES];
    double *y_stage, *f_end;
    double *dense[ERK_DENSE];
    struct {
        double t, h;      /* the last step */
        double stiffness; /* of the last attempt */
        bool have_first;  /* k[0] is f(t, y) of the step to come */
        bool have_dense;  /* the extra stages and dense[] are there */
    } state;
} Erk;

static const double *erk_slope(const OneStep *one) { return ((const Erk *)one)->k[0]; }

static EvalStatus erk_begin(OneStep *one)
{
    Erk *erk = (Erk *)one;
    Solver *s = &one->base;
    EvalStatus status = solver_f(s, s->core.t, s->y, erk->k[0]);
    erk->state.have_first = status == EVAL_OK;
    erk->state.have_dense = false;
    if (status != EVAL_OK || s->options.fixed_step > 0.0 || s->options.initial_step > 0.0) return status;
    if (!solver_weights(s, s->y, one->weight)) return EVAL_FATAL;
    if (one->state.h == 0.0)
        one->state.h =
            start_step(s, (int)erk->tableau->k - 1, erk->k[0], one->weight, erk->y_stage, erk->f_end);
    return EVAL_OK;
}

static double error_norm(Erk *erk, double h)
{
    OneStep *one = &erk->one;
    const ErkTableau *tab = erk->tableau;
    terms_combine(erk->one.base.n, NULL, h, erk->estimate, one->error);
    double e = norm_rms(solver_counted(&one->base), one->error, one->weight);
    if (!tab->e2 || e == 0.0) return e;
    terms_combine(erk->one.base.n, NULL, h, erk->estimate2, erk->y_stage);
    double e2 = norm_rms(solver_counted(&one->base), erk->y_stage, one->weight);
    return e * e / sqrt(e * e + 0.01 * e2 * e2);
}

/* The weighted error of the step to y_new; false: the tolerances make no sense. */
static bool measure(Erk *erk, double h, double *error)
{
    OneStep *one = &erk->one;
    if (one->base.options.fixed_step > 0.0) return true;
    if (!solver_weights_of_two(&one->base, one->base.y, one->y_new, one->weight)) return false;
    *error = error_norm(erk, h);
    return true;
}

static TryResult erk_attempt(OneStep *one, double h, double *error)
{
    Erk *erk = (Erk *)one;
    Solver *s = &one->base;
    const ErkTableau *tab = erk->tableau;
    int own = tab->fsal ? tab->stages - 1 : tab->stages; /* stages that are not f(t + h, y1) */
    EvalStatus status = EVAL_OK;
    if (!erk->state.have_first) status = solver_f(s, s->core.t, s->y, erk->k[0]);
    for (int i = 1; i < own && status == EVAL_OK; i++) {
        terms_combine(erk->one.base.n, s->y, h, &erk->row[i], erk->y_stage);
        status = solver_f(s, s->core.t + tab->c[i] * h, erk->y_stage, erk->k[i]);
    }
    if (status == EVAL_OK) {
        erk->state.have_first = true;
        terms_combine(erk->one.base.n, s->y, h, erk->result, one->y_new);
        if (erk->watch) memcpy(erk->f_end, erk->y_stage, (size_t)s->n * sizeof(double));
        one->order = s->type->order;
        *error = 0.0;
        /* f at the new point waits for the error test where that does not need it */
        if (erk->late && !measure(erk, h, error)) return TRY_FATAL;
        if (erk->late && *error > 1.0) return TRY_OK;
        if (tab->fsal) status = solver_f(s, s->core.t + h, one->y_new, erk->k[own]);
    }
    if (status != EVAL_OK) return status == EVAL_FATAL ? TRY_FATAL : TRY_MODEL;
    return erk->late || measure(erk, h, error) ? TRY_OK : TRY_FATAL;
}

/* Two slopes at the end of the step, from arguments that differ by what stability left of them,
 * give a Lipschitz constant in the direction of the largest eigenvalue: |h| ||k' - k|| / ||y' - y||
 * against the stability bound. */
static void measure_stiffness(Erk *erk, double h)
{
    const ErkTableau *tab = erk->tableau;
    const double *k1 = erk->k[tab->stages - 1], *k0 = erk->k[tab->stages - 2], *y1 = erk->one.y_new,
                 *y0 = erk->f_end;
    double slopes = 0.0, values = 0.0;
    for (int i = 0; i < erk->one.base.n; i++) {
        slopes += (k1[i] - k0[i]) * (k1[i] - k0[i]);
        values += (y1[i] - y0[i]) * (y1[i] - y0[i]);
    }
    erk->state.stiffness = values > 0.0 ? fabs(h) * sqrt(slopes / values) / tab->stable : 0.0;
}

void erk_watch_stiffness(Solver *s)
{
    Erk *erk = (Erk *)s;
    erk->watch = erk->tableau->stable > 0.0;
}

double erk_stiffness(const Solver *s) { return ((const Erk *)s)->state.stiffness; }

/* f at the new point becomes the first stage of the next step only when that step begins: dense
 * output of this step still needs k[0]. */
static TryResult erk_accept(OneStep *one, double h)
{
    Erk *erk = (Erk *)one;
    if (erk->watch) measure_stiffness(erk, h);
    erk->state.t = one->base.core.t;
    erk->state.h = h;
    erk->state.have_dense = false;
    return TRY_OK;
}

static void next_first_stage(Erk *erk)
{
    Solver *s = &erk->one.base;
    size_t bytes = (size_t)s->n * sizeof(double);
    if (erk->state.h == 0.0) return;
    if (erk->tableau->fsal)
        memcpy(erk->k[0], erk->k[erk->tableau->stages - 1], bytes);
    else if (erk->state.have_dense)
        memcpy(erk->k[0], erk->f_end, bytes);
    else
        erk->state.have_first = false;
    erk->state.have_dense = false;
    erk->state.h = 0.0;
}

static StepStatus erk_step(Solver *s, double t_limit)
{
    next_first_stage((Erk *)s);
    return onestep_step(s, t_limit);
}

/* The rest of the stages and the vectors F4.. of the last step. Without them (the model fails
 * there) the cubic stays. */
static bool make_dense(Erk *erk)
{
    Solver *s = &erk->one.base;
    const ErkTableau *tab = erk->tableau;
    EvalStatus status = EVAL_OK;
    double h = erk->state.h;
    if (tab->fsal)
        memcpy(erk->f_end, erk->k[tab->stages - 1], (size_t)s->n * sizeof(double));
    else
        status = solver_f(s, s->core.t, s->y, erk->f_end);
    for (int i = tab->stages; i < tab->dense_stages && status == EVAL_OK; i++) {
        terms_combine(erk->one.base.n, erk->one.y_start, h, &erk->row[i], erk->y_stage);
        status = solver_f(s, erk->state.t + tab->c[i] * h, erk->y_stage, erk->k[i]);
    }
    for (int r = 0; r < tab->dense_rows && status == EVAL_OK; r++)
        terms_combine(erk->one.base.n, NULL, h, &erk->rest[r], erk->dense[r]);
    erk->state.have_dense = status == EVAL_OK;
    return erk->state.have_dense;
}

static void erk_interpolate(const Solver *s, double t, double *y)
{
    /* the cache of dense output is no part of what a caller can see */
    Erk *erk = (Erk *)(uintptr_t)s;
    double h = erk->state.h;
    if (h == 0.0) {
        memcpy(y, s->y, (size_t)s->n * sizeof(double));
        return;
    }
    bool whole = erk->state.have_dense || make_dense(erk);
    double x = (t - erk->state.t) / h, x1 = 1.0 - x;
    for (int i = 0; i < s->n; i++) {
        double f1 = s->y[i] - erk->one.y_start[i], hf0 = h * erk->k[0][i];
        double f2 = hf0 - f1, f3 = whole ? f1 - h * erk->f_end[i] - f2 : 0.0, inner = 0.0;
        for (int r = whole ? erk->tableau->dense_rows - 1 : -1; r >= 0; r--)
            inner = (r % 2 ? x : x1) * (erk->dense[r][i] + inner);
        y[i] = erk->one.y_start[i] + x * (f1 + x1 * (f2 + x * (f3 + inner)));
    }
}

static void make_all_terms(Erk *erk)
{
    const ErkTableau *tab = erk->tableau;
    Arena *arena = erk->one.base.arena;
    erk->row = NEW_ARRAY(arena, Terms, (size_t)tab->dense_stages);
    erk->rest = NEW_ARRAY(arena, Terms, (size_t)tab->dense_rows + 1);
    erk->result = NEW(arena, Terms);
    erk->estimate = NEW(arena, Terms);
    erk->estimate2 = NEW(arena, Terms);
    for (int i = 1; i < tab->dense_stages; i++)
        terms_make(&erk->row[i], i, tab->a + i * (i - 1) / 2, NULL, erk->k);
    for (int r = 0; r < tab->dense_rows; r++)
        terms_make(&erk->rest[r], tab->dense_stages, tab->d + r * tab->dense_stages, NULL, erk->k);
    terms_make(erk->result, tab->fsal ? tab->stages - 1 : tab->stages, tab->b, NULL, erk->k);
    terms_make(erk->estimate, tab->stages, tab->e, NULL, erk->k);
    if (tab->e2) terms_make(erk->estimate2, tab->stages, tab->e2, NULL, erk->k);
}

static bool erk_setup(Solver *s)
{
    Erk *erk = (Erk *)s;
    const ErkTableau *tab = s->type->data;
    if (s->options.fixed_step > 0.0 && tab->fixed) tab = tab->fixed;
    erk->tableau = tab;
    erk->late = tab->fsal && tab->e[tab->stages - 1] == 0.0;
    static const OneStepOps ops = { erk_begin, erk_attempt, erk_accept, erk_slope };
    Control control = { .kind = CONTROL_PI,
                        .k = tab->k,
                        .beta = tab->beta,
                        .safety = 0.9,
                        .least = 0.2,
                        .most = 10.0,
                        .hold_low = 1.0,
                        .hold_high = 1.0 };
    for (int i = 0; i < tab->dense_stages; i++) erk->k[i] = solver_kept_vector(s);
    make_all_terms(erk);
    for (int i = 0; i < tab->dense_rows; i++) erk->dense[i] = solver_kept_vector(s);
    erk->y_stage = solver_vector(s);
    erk->f_end = solver_kept_vector(s);
    solver_keep(s, &erk->state, sizeof erk->state);
    return onestep_setup(&erk->one, &ops, control);
}

static bool erk_restart(Solver *s, RestartHint hint)
{
    ((Erk *)s)->state.h = 0.0;
    ((Erk *)s)->state.have_first = false;
    return onestep_restart(s, hint);
}

#define ERK_TYPE(variable, name_, order_, dense_, tableau, summary_, reference_)                           \
    const SolverType variable = { .name = name_,                                                           \
                                  .family = "explicit Runge-Kutta",                                        \
                                  .summary = summary_,                                                     \
                                  .reference = reference_,                                                 \
                                  .order = order_,                                                         \
                                  .order_most = order_,                                                    \
                                  .dense_order = dense_,                                                   \
                                  .data = &(tableau),                                                      \
                                  .size = sizeof(Erk),                                                     \
                                  .can = SOLVE_ADAPTIVE | SOLVE_FIXED | SOLVE_RESTART_HIGH | SOLVE_REPLAY, \
                                  .setup = erk_setup,                                                      \
                                  .step = erk_step,                                                        \
                                  .interpolate = erk_interpolate,                                          \
                                  .restart = erk_restart }

ERK_TYPE(solver_dopri5, "dopri5", 5, 4, erk_dopri5,
         "Dormand and Prince 5(4), seven stages, first same as last",
         "Dormand, Prince, J. Comp. Appl. Math. 6 (1980); Hairer, Norsett, Wanner, Solving ODEs I, II.5");
ERK_TYPE(solver_euler, "euler", 1, 3, erk_euler, "explicit Euler with step doubling",
         "Hairer, Norsett, Wanner, Solving ODEs I, II.4");
ERK_TYPE(solver_rk4, "rk4", 4, 3, erk_rk4,
         "the classic Runge-Kutta method with an embedded formula of order 3",
         "Kutta, Z. Math. Phys. 46 (1901)");
ERK_TYPE(solver_rkf45, "rkf45", 5, 3, erk_rkf45, "Fehlberg 4(5), local extrapolation",
         "Fehlberg, NASA TR R-315 (1969)");
ERK_TYPE(solver_dop853, "dop853", 8, 7, erk_dop853, "Dormand and Prince 8(5,3), twelve stages",
         "Prince, Dormand, J. Comp. Appl. Math. 7 (1981); Hairer, Norsett, Wanner, Solving ODEs I, II.5");
