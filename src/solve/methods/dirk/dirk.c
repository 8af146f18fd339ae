/* dirk.c: diagonally implicit Runge-Kutta methods, each a tableau (dirk_tables.c).
 *
 * In: L y' = f(t, y), index 1 at most, and a tableau. Out: steps with error control, dense output
 * by Hermite's quintic over two steps (cubic in the first). Cost: stages x iterations evaluations
 * and solves. Source: Hairer and Wanner, Solving ODEs II, IV.6; Kennedy and Carpenter, Appl. Num.
 * Math. 44 (2003); Hosea and Shampine, Appl. Num. Math. 20 (1996). Tests: tests/solve/dirk_test.c,
 * methods_test.c. */
#include "solve/methods/dirk/dirk.h"
#include "solve/core/combine.h"
#include "solve/core/damping.h"
#include "solve/core/onestep.h"
#include "solve/core/start.h"
#include "solve/nonlinear/algebra.h"
#include "solve/tables/tables.h"
#include "solve/variation/variation.h"

#include <complex.h>

/* Stage i solves L k_i = f(t + c_i h, Y_i), Y_i = y + h sum_j<=i a_ij k_j, by simplified Newton
 * iterations with a factored matrix L/(h a_ii) - J, one for all stages where their a_ii are the
 * same. An update u of Y_i is one u/(h gamma) of k_i, which is not spoiled by stiff components as f
 * would be, and is the slope of algebraic ones, too. The first slope with an L is that of a small
 * implicit Euler step; an L-stable method forgets what is wrong with it in one step. A stage starts
 * from the slopes of the two nearest stages, continued in c. The embedded error is filtered by the
 * same matrix where its formula is not damped for stiff components. Invariant: the slope at the end
 * is the first slope of the next step; of stiffly accurate methods the last stage is the result,
 * and its k that slope. */

static const double RATE_FOR_NEW_JACOBIAN = 0.02, KAPPA = 0.01, ROUNDING = 500.0 * UROUND, FINE = 1e-4;
static const double HOLD_GROWTH = 1.2;
enum { MOST_NEWTON = 8 };

typedef struct Dirk Dirk;
struct Dirk {
    OneStep one;
    const DirkTableau *tableau;
    Jacobian jac;
    Variation variation;
    Lu *lu, *exact;            /* lu: of the stage at work, or of gamma; exact: of `variation` */
    Lu *of_stage[DIRK_STAGES]; /* NULL: it is explicit */
    Consistent consistent;
    double *matrix;
    double inverse; /* 1/(h a_ii) of the matrix in `lu` */
    /* f0: slope at the start of the step; of an explicit first stage, too */
    double *k[DIRK_STAGES], *f0;
    /* of a stage: without its own slope; value and slope to start from */
    Terms *known, *start;
    Terms *estimate, *end;    /* end: of the result; NULL: it is the last stage */
    double *stage, *r, *base; /* base: the stage without its own slope */
    Hermite dense;
    Newton newton;
    /* Of the tolerance: what Newton's errors may take where errors count once, and what rounding
     * leaves them. */
    struct {
        double h_factored, eta, theta;
        bool have_f0, jacobian_fresh, want_jacobian, factored;
        unsigned flags;
    } state;
};

static const double *row_of(const DirkTableau *tab, int i) { return tab->a + i * (i + 1) / 2; }
static double own_weight(const DirkTableau *tab, int i) { return row_of(tab, i)[i]; }
static const double *result_of(const DirkTableau *tab)
{
    return tab->b ? tab->b : row_of(tab, tab->stages - 1);
}
static bool is_explicit_first(const DirkTableau *tab) { return tab->a[0] == 0.0; }
static bool is_fixed(const Dirk *d) { return d->one.base.options.fixed_step > 0.0; }

/* y' at the start of a run with L y' = f: by a linearised implicit Euler step h. */
static EvalStatus first_slope(Dirk *d, double h)
{
    Solver *s = &d->one.base;
    EvalStatus status = solver_f(s, s->core.t, s->y, d->r);
    if (status == EVAL_OK) status = jacobian_f(s, &d->jac, s->core.t, s->y, d->r, h);
    if (status == EVAL_OK) status = solver_f(s, s->core.t + h, s->y, d->f0);
    if (status != EVAL_OK) return status;
    d->state.jacobian_fresh = true;
    d->state.want_jacobian = false;
    d->state.h_factored = 0.0;
    d->state.factored = false;
    d->state.flags |= RECORD_JACOBIAN;
    jacobian_shift(&d->jac, 1.0 / h, d->matrix);
    s->stats.factors++;
    if (lu_factor(d->lu, d->matrix) != LU_OK) return EVAL_RETRY;
    lu_solve(d->lu, d->f0);
    s->stats.solves++;
    for (int m = 0; m < s->n; m++) d->f0[m] /= h;
    return EVAL_OK;
}

static EvalStatus evaluate_start(Dirk *d, double h)
{
    Solver *s = &d->one.base;
    if (d->state.have_f0) return EVAL_OK;
    EvalStatus status = s->model->can & MODEL_MASS ? first_slope(d, h) : solver_f(s, s->core.t, s->y, d->f0);
    d->state.have_f0 = status == EVAL_OK;
    return status;
}

/* Factors of c - J; a column that is singular, or n. */
static int factor(Dirk *d)
{
    Solver *s = &d->one.base;
    s->stats.factors++;
    jacobian_shift(&d->jac, d->inverse, d->matrix);
    return lu_factor(d->lu, d->matrix) == LU_OK ? s->n : lu_singular_column(d->lu);
}

/* The first stage with the same number on the diagonal. */
static int first_alike(const DirkTableau *tab, int i)
{
    int first = 0;
    while (own_weight(tab, first) != own_weight(tab, i)) first++;
    return first;
}

static int last_implicit(const DirkTableau *tab)
{
    int i = tab->stages - 1;
    while (i > 0 && own_weight(tab, i) == 0.0) i--;
    return i;
}

static void turn_to(Dirk *d, int i, double h)
{
    d->lu = d->of_stage[i];
    d->inverse = 1.0 / (h * own_weight(d->tableau, i));
}

/* A column that makes a matrix singular, or n. */
static int factor_all(Dirk *d, double h)
{
    const DirkTableau *tab = d->tableau;
    int n = d->one.base.n, bad = n;
    for (int i = 0; i < tab->stages && bad == n; i++) {
        if (!d->of_stage[i] || first_alike(tab, i) < i) continue;
        turn_to(d, i, h);
        bad = factor(d);
    }
    return bad;
}

static TryResult prepare(Dirk *d, double h, const StepRecord *record)
{
    Solver *s = &d->one.base;
    bool jacobian = !d->jac.have || (d->state.want_jacobian && !d->state.jacobian_fresh);
    if (record) jacobian = record->flags & RECORD_JACOBIAN;
    if (jacobian) {
        /* the slope from the last stage is not f exactly: differences need f itself */
        EvalStatus status = d->jac.exact ? EVAL_OK : solver_f(s, s->core.t, s->y, d->r);
        if (status == EVAL_OK) status = jacobian_f(s, &d->jac, s->core.t, s->y, d->r, h);
        if (status != EVAL_OK) return of_eval(status);
        d->state.jacobian_fresh = true;
        d->state.want_jacobian = false;
        d->state.h_factored = 0.0;
        d->state.flags |= RECORD_JACOBIAN;
    }
    if (record ? !(record->flags & RECORD_FACTORS) : d->state.h_factored == h) return TRY_OK;
    d->state.flags |= RECORD_FACTORS;
    d->state.factored = false;
    d->state.h_factored = 0.0;
    int bad = factor_all(d, h);
    if (bad < s->n) {
        s->blamed = bad;
        d->one.retry_factor = 0.5;
        return TRY_SINGULAR;
    }
    d->state.h_factored = h;
    d->state.factored = true;
    return TRY_OK;
}

/* The stage moves by r, its slope k with it; returns the square of the weighted norm of r. */
static double apply_update(int n, const double *r, const double *w, double inverse, double *stage, double *k)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double u = r[i], size = u * w[i];
        stage[i] += u;
        k[i] += u * inverse;
        sum += size * size;
    }
    return n ? sum / n : 0.0;
}

/* An iteration for a stage. */
static EvalStatus correct(Dirk *d, double t, double *k, double *square)
{
    Solver *s = &d->one.base;
    bool has_mass = s->model->can & MODEL_MASS;
    double *r = d->r;
    EvalStatus status = has_mass ? solver_f(s, t, d->stage, r) : solver_f_unseen(s, t, d->stage, r);
    if (status == EVAL_OK && has_mass) model_add_mass(s->model, -1.0, k, r);
    if (status == EVAL_OK && !has_mass && !vector_add(s->n, -1.0, k, r)) status = solver_blame(s, r);
    if (status != EVAL_OK) return status;
    lu_solve(d->lu, r);
    *square = apply_update(s->n, r, d->one.weight, d->inverse, d->stage, k);
    return EVAL_OK;
}

/* Newton's iteration for stage i. */
static TryResult iterate(Dirk *d, int i, double h, const StepRecord *record)
{
    Solver *s = &d->one.base;
    double t = s->core.t + d->tableau->c[i] * h;
    d->newton.eta = d->state.eta;
    newton_start(&d->newton);
    for (;;) {
        double square = 0.0;
        EvalStatus status = correct(d, t, d->k[i], &square);
        if (status != EVAL_OK) return of_eval(status);
        s->stats.solves++;
        s->stats.newton++;
        NewtonVerdict verdict = newton_watch_square(&d->newton, square);
        if (record ? d->newton.iterations >= record->stages[i] : verdict == NEWTON_DONE) return TRY_OK;
        if (record || verdict == NEWTON_GO_ON) continue;
        d->one.retry_factor = d->newton.suggestion;
        s->blamed = norm_worst(s->n, d->r, d->one.weight);
        return TRY_NEWTON;
    }
}

/* The first vector, then those that are linear once it is known: c Y - J Y = g + c base, with the
 * exact J of the stage. */
static TryResult one_after_other(Dirk *d, int i, double h)
{
    Solver *s = &d->one.base;
    int first = d->variation.n;
    double c = d->inverse;
    terms_combine(s->n, s->y, h, &d->known[i], d->base);
    variation_narrow(&d->variation, true);
    TryResult result = iterate(d, i, h, NULL);
    variation_narrow(&d->variation, false);
    if (result != TRY_OK) return result;
    EvalStatus status = variation_at(&d->variation, 0, s->core.t + d->tableau->c[i] * h, d->stage);
    if (status != EVAL_OK) return of_eval(status);
    for (int m = first; m < s->n; m++) d->base[m] *= c;
    result = variation_direct(&d->variation, d->exact, d->matrix, c, d->base, d->stage);
    for (int m = first; m < s->n; m++) d->k[i][m] = c * d->stage[m] - d->base[m];
    return result;
}

static TryResult explicit_stage(Dirk *d, int i, double h)
{
    Solver *s = &d->one.base;
    terms_combine(s->n, s->y, h, &d->known[i], d->stage);
    return of_eval(solver_f(s, s->core.t + d->tableau->c[i] * h, d->stage, d->k[i]));
}

static TryResult solve_stage(Dirk *d, int i, double h, const StepRecord *record)
{
    Solver *s = &d->one.base;
    if (!d->of_stage[i]) return explicit_stage(d, i, h);
    turn_to(d, i, h);
    terms_combine_two(s->n, s->y, h, &d->start[i], d->stage, d->k[i]);
    TryResult result = d->variation.is_there && !record ? one_after_other(d, i, h) : iterate(d, i, h, record);
    if (result != TRY_OK) return result;
    s->stage_iterations[i] = (unsigned char)d->newton.iterations;
    d->state.eta = is_fixed(d) ? 1.0 : d->newton.eta;
    if (d->newton.iterations > 1) d->state.theta = larger(d->state.theta, d->newton.theta);
    return TRY_OK;
}

static TryResult solve_stages(Dirk *d, double h, const StepRecord *record)
{
    const DirkTableau *tab = d->tableau;
    TryResult result = prepare(d, h, record);
    d->state.theta = 0.0;
    for (int i = is_explicit_first(tab) ? 1 : 0; i < tab->stages && result == TRY_OK; i++)
        result = solve_stage(d, i, h, record);
    turn_to(d, last_implicit(tab), h);
    return result;
}

/* h sum (b_i - b^_i) k_i, and where the embedded formula is not damped at infinity, (L - h gamma
 * J)^-1 L of it. */
static double error_norm(Dirk *d, double h)
{
    OneStep *one = &d->one;
    const DirkTableau *tab = d->tableau;
    int n = one->base.n;
    /* slopes of algebraic unknowns are Newton's errors over h, which no equation integrates */
    bool has_mass = one->base.model->can & MODEL_MASS, filter = tab->filter || has_mass;
    double scale = tab->scale * (filter ? 1.0 / tab->gamma : h);
    terms_combine(n, NULL, scale, d->estimate, has_mass ? d->r : one->error);
    if (has_mass) {
        memset(one->error, 0, (size_t)n * sizeof(double));
        model_add_mass(one->base.model, 1.0, d->r, one->error);
    }
    if (filter) {
        lu_solve(d->lu, one->error);
        one->base.stats.solves++;
    }
    return norm_rms(solver_counted(&one->base), one->error, one->weight);
}

static TryResult dirk_attempt(OneStep *one, double h, double *error)
{
    Dirk *d = (Dirk *)one;
    Solver *s = &one->base;
    const StepRecord *record = solver_replay(s);
    if (is_fixed(d))
        fixed_weights(s, one->weight);
    else if (!solver_weights(s, s->y, one->weight))
        return TRY_FATAL;
    TryResult result = of_eval(evaluate_start(d, h));
    if (result == TRY_OK) result = solve_stages(d, h, record);
    if (result == TRY_NEWTON && !d->state.jacobian_fresh) {
        d->state.want_jacobian = true;
        result = solve_stages(d, h, record);
    }
    if (result != TRY_OK) return result;
    if (d->end)
        terms_combine(s->n, s->y, h, d->end, one->y_new);
    else
        vector_swap(&d->stage, &one->y_new);
    one->order = s->type->order;
    one->iterations = d->newton.iterations;
    if (!is_fixed(d)) *error = error_norm(d, h);
    /* the slope at the end, of a step that will be taken */
    bool is_taken = record || is_fixed(d) || *error <= 1.0;
    return d->end && is_taken ? of_eval(solver_f(s, s->core.t + h, one->y_new, d->r)) : TRY_OK;
}

static TryResult dirk_accept(OneStep *one, double h)
{
    Dirk *d = (Dirk *)one;
    hermite_accept(&d->dense, one, d->end ? d->r : d->k[d->tableau->stages - 1], h);
    one->flags = d->state.flags;
    d->state.flags = 0;
    d->state.jacobian_fresh = false;
    d->state.want_jacobian = d->state.theta > RATE_FOR_NEW_JACOBIAN;
    return TRY_OK;
}

static const double *dirk_slope(const OneStep *one) { return ((const Dirk *)one)->f0; }

static EvalStatus dirk_begin(OneStep *one)
{
    Dirk *d = (Dirk *)one;
    Solver *s = &one->base;
    d->state.eta = 1.0;
    d->state.have_f0 = d->state.jacobian_fresh = false;
    d->state.want_jacobian = true;
    if (s->model->can & MODEL_MASS) {
        if (is_fixed(d))
            fixed_weights(s, one->weight);
        else if (!solver_weights(s, s->y, one->weight))
            return EVAL_FATAL;
        if (!consistent_solve(&d->consistent, one->weight)) return EVAL_FATAL;
        d->state.h_factored = 0.0;
        if (one->state.h == 0.0 && !is_fixed(d) && !(s->options.initial_step > 0.0))
            one->state.h = onestep_first_of_mass(s);
        return EVAL_OK;
    }
    EvalStatus status = evaluate_start(d, 0.0);
    if (status != EVAL_OK || is_fixed(d) || s->options.initial_step > 0.0 || one->state.h != 0.0)
        return status;
    if (!solver_weights(s, s->y, one->weight)) return EVAL_FATAL;
    one->state.h = start_step(s, (int)d->tableau->k - 1, d->f0, one->weight, d->stage, d->r);
    return EVAL_OK;
}

static double dirk_filter(const Solver *s, double *v)
{
    const Dirk *d = (const Dirk *)s;
    if (d->state.h_factored == 0.0) return 0.0;
    if (v) lu_solve(d->lu, v);
    return 1.0 / (d->state.h_factored * d->tableau->gamma);
}

static void dirk_interpolate(const Solver *s, double t, double *y)
{
    hermite_at(&((Dirk *)(uintptr_t)s)->dense, s, t, y);
}

static bool dirk_restart(Solver *s, RestartHint hint)
{
    hermite_restart(&((Dirk *)s)->dense);
    return onestep_restart(s, hint);
}

static void dirk_destroy(Solver *s)
{
    Dirk *d = (Dirk *)s;
    const DirkTableau *tab = s->type->data; /* it may never have been set up */
    for (int i = 0; i < tab->stages; i++)
        if (first_alike(tab, i) == i) lu_free(d->of_stage[i]);
    lu_free(d->exact);
}

/* Newton's errors have a sign and add up, over a number of steps that grows with rtol^(-1/order).
 * An explicit first stage, the last slope of the step before, carries them into the error estimate;
 * without one they are held down. */
static double newton_share(const Solver *s, const DirkTableau *tab)
{
    double rtol = s->options.rtol;
    if (!(rtol > 0.0 && rtol < FINE) || is_explicit_first(tab)) return KAPPA;
    return fmin(KAPPA, fmax(ROUNDING / rtol, KAPPA * pow(rtol / FINE, 1.0 / s->type->order)));
}

/* The slope expected at stage i is on the line through the two known slopes nearest in c; their
 * weights. known[0] is the slope at the start, known[j + 1] that of stage j. */
static void guess_slope(const DirkTableau *tab, int i, double *weight)
{
    int first = 0, second = 0;
    double best = INFINITY, next = INFINITY;
    for (int j = is_explicit_first(tab) ? 1 : 0; j <= i; j++) {
        double far = fabs(tab->c[i] - (j ? tab->c[j - 1] : 0.0));
        if (far < best) {
            second = first, next = best;
            first = j, best = far;
        } else if (far < next) {
            second = j, next = far;
        }
    }
    double ca = first ? tab->c[first - 1] : 0.0, cb = second ? tab->c[second - 1] : 0.0;
    double w = isinf(next) || ca == cb ? 0.0 : (tab->c[i] - ca) / (cb - ca);
    weight[first] += 1.0 - w;
    weight[second] += w;
}

static void make_terms(Dirk *d)
{
    const DirkTableau *tab = d->tableau;
    Arena *arena = d->one.base.arena;
    const double *b = result_of(tab);
    double *slope[DIRK_STAGES + 1] = { d->f0 }, weight[DIRK_STAGES + 1], guess[DIRK_STAGES + 1];
    d->known = NEW_ARRAY(arena, Terms, (size_t)tab->stages);
    d->start = NEW_ARRAY(arena, Terms, (size_t)tab->stages);
    d->estimate = NEW(arena, Terms);
    for (int i = 0; i < tab->stages; i++) {
        const double *a = row_of(tab, i);
        slope[i + 1] = d->k[i];
        terms_make(&d->known[i], i, a, NULL, d->k);
        memset(guess, 0, sizeof guess);
        guess_slope(tab, i, guess);
        for (int j = 0; j <= i; j++) weight[j] = a[i] * guess[j] + (j ? a[j - 1] : 0.0);
        terms_make(&d->start[i], i + 1, weight, guess, slope);
    }
    for (int i = 0; i < tab->stages; i++) weight[i] = b[i] - tab->b_hat[i];
    terms_make(d->estimate, tab->stages, weight, NULL, d->k);
    if (!tab->b) return;
    d->end = NEW(arena, Terms);
    terms_make(d->end, tab->stages, tab->b, NULL, d->k);
}

/* One for all stages with the same number on the diagonal. */
static void make_factors(Dirk *d)
{
    Solver *s = &d->one.base;
    const DirkTableau *tab = d->tableau;
    const MatrixShape *shape = d->jac.shape;
    for (int i = 0; i < tab->stages; i++) {
        if (own_weight(tab, i) == 0.0) continue;
        int first = first_alike(tab, i);
        if (first == i) {
            d->of_stage[i] = lu_new(s->arena, shape, false);
            solver_keep_lu(s, d->of_stage[i], &d->state.factored);
        }
        d->of_stage[i] = d->of_stage[first];
    }
    d->lu = d->of_stage[last_implicit(tab)];
}

static bool dirk_setup(Solver *s)
{
    Dirk *d = (Dirk *)s;
    const DirkTableau *tab = d->tableau = s->type->data;
    solver_keep(s, &d->state, sizeof d->state);
    if (!jacobian_setup(s, &d->jac)) return false;
    d->matrix = NEW_ARRAY(s->arena, double, d->jac.shape->size + 1);
    make_factors(d);
    consistent_setup(s, &d->jac, d->lu, false, &d->consistent);
    variation_setup(&d->variation, s, &d->jac, 1);
    if (d->variation.is_there) d->exact = lu_new(s->arena, d->jac.shape, false);
    d->f0 = solver_kept_vector(s);
    hermite_setup(&d->dense, s, d->f0);
    double **scratch[] = { &d->stage, &d->r, &d->base };
    for (size_t i = 0; i < COUNT_OF(scratch); i++) *scratch[i] = solver_vector(s);
    for (int i = 0; i < tab->stages; i++)
        d->k[i] = i == 0 && is_explicit_first(tab) ? d->f0 : solver_vector(s);
    make_terms(d);
    /* Newton's errors are in the estimate, too: they shall not forbid a step by themselves */
    double share = smaller(newton_share(s, tab), 1.0 / tab->scale);
    if (s->options.rtol > 0.0) share = larger(share, ROUNDING / s->options.rtol);
    d->newton = (Newton){ .kappa = share, .most = MOST_NEWTON };
    if (s->options.rtol > 0.0) d->newton.enough = 4.0 * UROUND / s->options.rtol;
    if (is_fixed(d))
        d->newton = (Newton){ .kappa = FIXED_KAPPA,
                              .most = FIXED_NEWTON,
                              .enough = FIXED_ENOUGH,
                              .patience = newton_patience(s),
                              .stalled = fixed_stalled(s) };
    static const OneStepOps ops = { dirk_begin, dirk_attempt, dirk_accept, dirk_slope };
    Control control = { .kind = CONTROL_PREDICTIVE,
                        .k = tab->k,
                        .safety = 0.9,
                        .least = 0.2,
                        .most = 5.0,
                        .hold_low = 1.0,
                        .hold_high = HOLD_GROWTH };
    return onestep_setup(&d->one, &ops, control);
}

/* Orders above that of the stages by more than 2 are lost where the problem is stiff. */
#define DIRK_TYPE(variable, name_, order_, power_, tableau, summary_, reference_)                  \
    const SolverType variable = { .name = name_,                                                   \
                                  .family = "diagonally implicit Runge-Kutta",                     \
                                  .summary = summary_,                                             \
                                  .reference = reference_,                                         \
                                  .order = order_,                                                 \
                                  .order_most = order_,                                            \
                                  .dense_order = 3,                                                \
                                  .data = &(tableau),                                              \
                                  .tolerance_power = (power_),                                     \
                                  .size = sizeof(Dirk),                                            \
                                  .can = SOLVE_STIFF | SOLVE_MASS | SOLVE_ADAPTIVE | SOLVE_FIXED | \
                                         SOLVE_RESTART_HIGH | SOLVE_REPLAY | SOLVE_A_STABLE |      \
                                         SOLVE_L_STABLE,                                           \
                                  .setup = dirk_setup,                                             \
                                  .step = onestep_step,                                            \
                                  .interpolate = dirk_interpolate,                                 \
                                  .filter = dirk_filter,                                           \
                                  .restart = dirk_restart,                                         \
                                  .destroy = dirk_destroy }

static const char kennedy[] = "Kennedy, Carpenter, Appl. Num. Math. 44 (2003)";
DIRK_TYPE(solver_trbdf2, "trbdf2", 2, 1, dirk_trbdf2, "trapezoidal rule and BDF2 in one step",
          "Bank et al., IEEE Trans. CAD 4 (1985); Hosea, Shampine, Appl. Num. Math. 20 (1996)");
DIRK_TYPE(solver_sdirk4, "sdirk4", 4, BETWEEN_ORDERS(3), dirk_sdirk4, "SDIRK 4(3), five stages",
          "Hairer, Wanner, Solving ODEs II, IV.6");
DIRK_TYPE(solver_esdirk3, "esdirk3", 3, 1, dirk_esdirk3, "ESDIRK 3(2), four stages, the first explicit",
          kennedy);
DIRK_TYPE(solver_esdirk4, "esdirk4", 4, BETWEEN_ORDERS(3), dirk_esdirk4,
          "ESDIRK 4(3), six stages, the first explicit", kennedy);
DIRK_TYPE(solver_esdirk5, "esdirk5", 5, BETWEEN_ORDERS(4), dirk_esdirk5,
          "ESDIRK 5(4), eight stages, the first explicit", kennedy);
