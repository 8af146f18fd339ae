/* irk.c: implicit Runge-Kutta methods of collocation type: Radau IIA (RADAU5 and its variable order
 * 5, 9, 13) and Gauss.
 *
 * In: L y' = f(t, y), any constant L, or 0 = F(t, y, y'); unknowns may have index 2 and 3. Out:
 * steps with error control and the collocation polynomial as dense output. Tests:
 * tests/solve/methods_test.c, dae_test.c. */
#include "solve/core/start.h"
#include "solve/methods/irk/inside.h"

/* Z_i = Y_i - y0 solve L (A^-1 z)_i / h = f(t + c_i h, y0 + z_i) by simplified Newton iterations;
 * the transformation T turns the system of s n unknowns into one real system of n and (s-1)/2
 * complex ones with the matrices lambda/h L - J. Iterations start from the polynomial of the last
 * step and are watched by their rate; the Jacobian is kept while the rate is good, the factors
 * while h stays. The error is (gamma/h L - J)^-1 (f(t, y) + gamma/h L sum e_i z_i), and h follows
 * Gustafsson's predictive controller. Errors of unknowns of index 2 and 3 are weighted with h and
 * h^2. Invariant: a residual model is treated with J = -dF/dy and L = dF/dy' frozen with the
 * Jacobian. Cost a Newton iteration: s evaluations, (s+1)/2 solves, O(s^2 n). Source: Hairer and
 * Wanner, Solving ODEs II, IV.8; J. Comp. Appl. Math. 111 (1999). */

/* The rate of Newton above which the next step gets a new Jacobian, and the growth of h that is not
 * taken in order to keep the factors: for few unknowns evaluations dominate, for many the
 * factors. */
enum { MANY_UNKNOWNS = 100 };
static const double STALE = 1e-4;
/* Of rtol^power, for the first estimate. Many stages get further with less; an L damps
 * estimates. */
static const double SHARE = 0.3, SHARE_OF_MANY = 0.1;
/* of rtol, without it: stiff problems do not see the whole order */
static const double LEAST_POWER = 0.75;
static const double RATE_FOR_NEW_JACOBIAN = 1e-3, RATE_WHEN_MANY = 0.1;
static const double HOLD_GROWTH = 1.2, HOLD_WHEN_MANY = 1.5;
static const double MOST_KAPPA = 0.1;
/* Of rtol, of three stages and of more: less does not show in the solution. */
static const double NEWTON_OF_RTOL[] = { 0.01, 0.006 };
static const double RATE_UP = 0.05, RATE_DOWN = 0.8; /* where the number of stages changes */
static const double CALM_LOW = 0.8, CALM_HIGH = 1.2; /* ratio of step sizes in which it may rise */
enum { STEPS_BEFORE_RISE = 8, MOST_NEWTON = 10 };

static int order_of(const Irk *irk, int s)
{
    return irk->spec->family == COLLOCATION_GAUSS ? 2 * s : 2 * s - 1;
}
/* Many runs never need more than the first number of stages, so coefficients are made when they are
 * first used. */
static void use_stages(Irk *irk, int s)
{
    if (!irk->method[s]->s) collocation_make(irk->spec->family, s, irk->method[s]);
    irk->state.s = s;
}

static int most_index(const ModelShape *shape)
{
    int most = 0;
    for (int i = 0; shape->index && i < shape->n; i++)
        if (shape->index[i] > most) most = shape->index[i];
    return most;
}

/* The estimate is O(h^(s+1)), the error of the solution O(h^p): with this tolerance for the one the
 * other follows rtol. Where the problem is stiff the error is O(h^(s+1)), too, and would follow
 * rtol^power; a second estimate sees that. So do errors of the polynomial between the ends of a
 * step. */
static double inner_rtol(const Irk *irk, int s)
{
    double rtol = irk->one.base.options.rtol, power = fmin(1.0, (s + 1.0) / order_of(irk, s));
    if (irk_is_fixed(irk)) return FIXED_RTOL;
    if (irk->index_most > 2) power = 1.0; /* their order is lower, too */
    bool more = irk->one.base.options.between || !irk_refines(irk, s);
    if (s > 3 && more && irk->index_most < 2) power = fmax(LEAST_POWER, power);
    return rtol > 0.0 ? (s > 3 && irk_is_plain(irk) ? SHARE_OF_MANY : SHARE) * pow(rtol, power) : 0.0;
}

/* The share of Newton's errors in that tolerance. */
static double newton_share(const Irk *irk, int s)
{
    double inner = irk->inner[s], power = (order_of(irk, s) + 1.0) / (s + 1.0) - 1.0;
    if (!(inner > 0.0)) return MOST_KAPPA;
    /* of unknowns of index 2 it does: their errors are divided by h */
    bool is_enough = s > 2 && irk->index_most < 2;
    double least = is_enough ? NEWTON_OF_RTOL[s > 3] * irk->one.base.options.rtol : 0.0;
    return fmax(larger(10.0 * UROUND, least) / inner, fmin(MOST_KAPPA, pow(inner, power)));
}

static bool set_weights(Irk *irk, double h)
{
    Solver *s = &irk->one.base;
    double rtol = s->options.rtol, inner = irk->inner[irk->state.s], *w = irk->one.weight;
    if (irk_is_fixed(irk))
        fixed_weights(s, w);
    else if (!solver_weights_scaled(s, s->y, rtol > 0.0 ? rtol / inner : 1.0, w))
        return false;
    const unsigned char *index = s->model->shape.index;
    for (int i = 0; i < s->n && index; i++)
        if (index[i] > 1) w[i] *= pow(fabs(h), index[i] - 1);
    return true;
}

static void set_newton(Irk *irk)
{
    int s = irk->state.s;
    double inner = irk->inner[s];
    irk->newton.most = MOST_NEWTON + (s > 3 ? (s - 3) * 5 / 2 : 0);
    irk->newton.enough = irk_is_fixed(irk) ? FIXED_ENOUGH : inner > 0.0 ? 4.0 * UROUND / inner : 0.0;
    irk->newton.kappa = irk->kappa[s];
    irk->newton.eta = irk->state.eta;
    irk->newton.patience = newton_patience(&irk->one.base);
    irk->newton.stalled = irk_is_fixed(irk) ? fixed_stalled(&irk->one.base) : 0.0;
    if (!irk->state.jacobian_fresh) irk->newton.stalled *= STALE; /* a new one may get further */
    if (irk_is_fixed(irk))
        irk->newton.kappa = FIXED_KAPPA, irk->newton.most = FIXED_NEWTON, irk->newton.eta = 1.0;
}

/* For 0 = F(t, y, y'): J = -dF/dy and L = dF/dy' from two matrices. */
static EvalStatus residual_jacobian(Irk *irk, double h)
{
    Solver *s = &irk->one.base;
    Jacobian *jac = &irk->jac;
    double c = irk->method[irk->state.s]->gamma / h, *sum = irk->matrix;
    EvalStatus status = jacobian_residual(s, jac, s->core.t, s->y, s->yp, irk->f0, c, h);
    if (status != EVAL_OK) return status;
    memcpy(sum, jac->values, jac->shape->size * sizeof(double));
    status = jacobian_residual(s, jac, s->core.t, s->y, s->yp, irk->f0, 0.0, h);
    s->stats.jacobians--; /* one matrix pair is one Jacobian */
    for (size_t k = 0; k < jac->shape->size && status == EVAL_OK; k++) {
        jac->mass[k] = (sum[k] - jac->values[k]) / c;
        jac->values[k] = -jac->values[k];
    }
    return status;
}

/* Where the last step ended at a stage, the others follow from what is known there. */
static EvalStatus evaluate_end(Irk *irk)
{
    Solver *s = &irk->one.base;
    variation_narrow(&irk->variation, true);
    EvalStatus status = solver_f(s, s->core.t, s->y, irk->f0);
    variation_narrow(&irk->variation, false);
    variation_slopes(&irk->variation, irk->state.s_old - 1, s->y, irk->f0);
    irk->state.have_f0 = status == EVAL_OK;
    return status;
}

EvalStatus irk_evaluate_start(Irk *irk)
{
    Solver *s = &irk->one.base;
    if (irk->state.have_f0) return EVAL_OK;
    if (irk->state.at_end) return evaluate_end(irk);
    EvalStatus status = irk->residual ? solver_residual(s, s->core.t, s->y, s->yp, irk->f0)
                                      : solver_f(s, s->core.t, s->y, irk->f0);
    irk->state.have_f0 = status == EVAL_OK;
    return status;
}

static EvalStatus make_jacobian(Irk *irk, double h)
{
    Solver *s = &irk->one.base;
    EvalStatus status = irk_evaluate_start(irk);
    if (status != EVAL_OK) return status;
    status =
        irk->residual ? residual_jacobian(irk, h) : jacobian_f(s, &irk->jac, s->core.t, s->y, irk->f0, h);
    irk->state.jacobian_fresh = status == EVAL_OK;
    irk->state.want_jacobian = false;
    irk->state.h_factored = 0.0;
    irk->state.flags |= RECORD_JACOBIAN;
    return status;
}

/* A column that makes one of them singular; n: none does. */
static int factor_systems(Irk *irk, double h)
{
    const Collocation *m = irk->method[irk->state.s];
    int n = irk->one.base.n;
    jacobian_shift(&irk->jac, m->gamma / h, irk->matrix);
    if (lu_factor(irk->real, irk->matrix) != LU_OK) return lu_singular_column(irk->real);
    if (irk->end.is_there) {
        jacobian_shift(&irk->jac, irk_end_shift(irk, h), irk->matrix);
        if (lu_factor(irk->end.lu, irk->matrix) != LU_OK) return lu_singular_column(irk->end.lu);
    }
    for (int p = 0; p < m->pairs; p++) {
        jacobian_shift_complex(&irk->jac, m->alpha[p] / h, m->beta[p] / h, irk->matrix);
        if (lu_factor(irk->pair[p], irk->matrix) != LU_OK) return lu_singular_column(irk->pair[p]);
    }
    return n;
}

static TryResult make_factors(Irk *irk, double h)
{
    Solver *s = &irk->one.base;
    const Collocation *m = irk->method[irk->state.s];
    irk->state.h_factored = irk->state.c_real = 0.0;
    irk->state.factored = false;
    irk->state.flags |= RECORD_FACTORS;
    s->stats.factors += 1 + irk->end.is_there;
    s->stats.complex_factors += m->pairs;
    int bad = factor_systems(irk, h);
    if (bad < s->n) {
        s->blamed = bad;
        irk->one.retry_factor = 0.5;
        return TRY_SINGULAR;
    }
    irk->state.h_factored = h;
    irk->state.c_real = m->gamma / h;
    irk->state.factored = true;
    return TRY_OK;
}

static TryResult prepare(Irk *irk, double h, const StepRecord *record)
{
    bool jacobian = !irk->jac.have || (irk->state.want_jacobian && !irk->state.jacobian_fresh);
    if (record) jacobian = record->flags & RECORD_JACOBIAN;
    if (jacobian) {
        EvalStatus status = make_jacobian(irk, h);
        if (status != EVAL_OK) return of_eval(status);
    }
    bool factors = record ? (record->flags & RECORD_FACTORS) != 0 : irk->state.h_factored != h;
    return factors ? make_factors(irk, h) : TRY_OK;
}

/* z_i from the polynomial of the last step, continued; of the vectors that need it. */
static void predict(Irk *irk, double h)
{
    TransformWork work = irk_work(irk);
    if (irk->variation.from_zero) work.n = irk->variation.n;
    if (irk->state.h_old != 0.0 && !irk_is_fixed(irk)) {
        transform_predict(&work, irk->method[irk->state.s_old], irk->z_old, h / irk->state.h_old,
                          irk->one.base.y);
        return;
    }
    for (int i = 0; i < irk->state.s; i++) {
        memset(irk->z[i], 0, (size_t)work.n * sizeof(double));
        vector_copy(work.n, irk->one.base.y, irk->stages[i]);
    }
}

/* r_i = f(t + c_i h, y + z_i), not looked at. */
static EvalStatus evaluate_stages(Irk *irk, double h)
{
    Solver *s = &irk->one.base;
    Model *model = s->model;
    EvalStatus (*f)(Model *, double, const double *, double *) = model->type->derivatives;
    const Collocation *m = irk->method[irk->state.s];
    EvalStatus status = EVAL_OK;
    int i = 0, stages = m->s;
    double t = s->core.t;
    for (; i < stages && status == EVAL_OK; i++)
        status = f(model, t + m->c[i] * h, irk->stages[i], irk->r[i]);
    s->stats.f += i;
    return status;
}

/* r_i = f(t + c_i h, y + z_i) - L (A^-1 z)_i / h; of a plain model without the last term. */
static EvalStatus defects(Irk *irk, double h)
{
    Solver *s = &irk->one.base;
    Collocation *m = irk->method[irk->state.s];
    EvalStatus status = irk->residual ? EVAL_OK : evaluate_stages(irk, h);
    if (irk_is_plain(irk) || status != EVAL_OK) return status;
    TransformWork work = irk_work(irk);
    transform_slopes(&work, irk->slopes);
    for (int i = 0; i < m->s && status == EVAL_OK; i++) {
        double t = s->core.t + m->c[i] * h, *r = irk->r[i], *slope = irk->slopes[i];
        for (int k = 0; k < s->n; k++) slope[k] /= h;
        if (irk->residual) {
            status = solver_residual(s, t, irk->stages[i], slope, r);
            for (int k = 0; k < s->n; k++) r[k] = -r[k];
        } else {
            model_add_mass(s->model, -1.0, slope, r);
        }
    }
    return status;
}

/* After a projection that found a value that is not finite: it went into the first of r, or all
 * of r is as it was. */
static EvalStatus blame_stages(Irk *irk)
{
    Solver *s = &irk->one.base;
    int i = 0;
    while (i < irk->state.s - 1 && vector_is_finite(s->n, irk->r[i])) i++;
    return solver_blame(s, irk->r[i]);
}

/* The Newton update from the defects, added to z, and the square of its norm. */
static EvalStatus update(Irk *irk, double h, double *square)
{
    Solver *s = &irk->one.base;
    Collocation *m = irk->method[irk->state.s];
    TransformWork work = irk_work(irk);
    if (!transform_project(&work, irk_is_plain(irk) ? 1.0 / h : 0.0)) return blame_stages(irk);
    if (m->has_real) lu_solve(irk->real, work.real);
    for (int p = 0; p < m->pairs; p++) lu_solve(irk->pair[p], irk->pairs[p]);
    *square = transform_apply(&work, s->y, irk->one.weight);
    s->stats.solves += m->pairs + m->has_real;
    s->stats.complex_solves += m->pairs;
    return EVAL_OK;
}

/* The component that the last update moved most at the end of the step. */
static int most_changed(Irk *irk)
{
    TransformWork work = irk_work(irk);
    double *change = irk->r[irk->state.s - 1];
    transform_change_of_end(&work, change);
    return norm_worst(work.n, change, irk->one.weight);
}

/* From z and stages as they are. */
static TryResult go_on(Irk *irk, double h, const StepRecord *record)
{
    Solver *s = &irk->one.base;
    set_newton(irk);
    newton_start(&irk->newton);
    for (;;) {
        double square = 0.0;
        EvalStatus status = defects(irk, h);
        if (status == EVAL_OK) status = update(irk, h, &square);
        if (status != EVAL_OK) return of_eval(status);
        s->stats.newton++;
        NewtonVerdict verdict = newton_watch_square(&irk->newton, square);
        if (record) {
            if (irk->newton.iterations < record->iterations) continue;
            break;
        }
        if (verdict == NEWTON_DONE) break;
        if (verdict == NEWTON_GO_ON) continue;
        irk->one.retry_factor = irk->newton.suggestion;
        irk->state.newton_failed = true;
        s->blamed = most_changed(irk);
        return TRY_NEWTON;
    }
    irk->state.eta = irk->newton.eta;
    irk->state.theta = irk->newton.iterations > 1 ? irk->newton.theta : irk->state.theta;
    irk->one.iterations = irk->newton.iterations;
    return TRY_OK;
}

/* The first vector; and whether its error alone forbids the step: then the others are not even
 * looked at. */
static TryResult first_alone(Irk *irk, double h, bool *is_hopeless)
{
    double error = 0.0;
    TryResult result = irk_is_fixed(irk) ? TRY_OK : of_eval(irk_evaluate_start(irk));
    variation_narrow(&irk->variation, true);
    if (result == TRY_OK) result = go_on(irk, h, NULL);
    if (result == TRY_OK && !irk_is_fixed(irk)) result = irk_estimate(irk, h, &error);
    variation_narrow(&irk->variation, false);
    irk->first_error = error;
    *is_hopeless = error >= 1.0;
    return result;
}

/* The others, whose equations are linear then: staggered corrector (Feehery, Tolsma, Barton
 * 1997). */
static TryResult others_follow(Irk *irk, double h)
{
    Solver *s = &irk->one.base;
    VariationStep step = { irk->method[irk->state.s],
                           s->core.t,
                           h,
                           s->y,
                           irk->one.weight,
                           irk->z,
                           irk->real,
                           irk->pair,
                           &irk->following };
    irk->following = irk->newton;
    irk->following.eta = irk_is_fixed(irk) ? 1.0 : irk->state.eta_following;
    TryResult result = variation_solve(&irk->variation, &step);
    if (result == TRY_OK) irk->state.eta_following = irk->following.eta;
    if (irk->following.iterations > 1) irk->state.theta = fmax(irk->state.theta, irk->following.theta);
    if (result == TRY_NEWTON) {
        irk->one.retry_factor = irk->following.suggestion;
        irk->state.newton_failed = true;
    }
    return result;
}

static TryResult iterate(Irk *irk, double h, const StepRecord *record, bool *is_hopeless)
{
    *is_hopeless = false;
    predict(irk, h);
    if (!irk->variation.is_there || record) return go_on(irk, h, record);
    TryResult result = first_alone(irk, h, is_hopeless);
    return result == TRY_OK && !*is_hopeless ? others_follow(irk, h) : result;
}

static TryResult irk_attempt(OneStep *one, double h, double *error)
{
    Irk *irk = (Irk *)one;
    Solver *s = &one->base;
    const StepRecord *record = solver_replay(s);
    if (record && irk->spec->first != irk->spec->last)
        use_stages(irk, (record->order + (irk->spec->family == COLLOCATION_RADAU)) / 2);
    if (!set_weights(irk, h)) return TRY_FATAL;
    bool is_hopeless = false;
    TryResult result = prepare(irk, h, record);
    if (result == TRY_OK) result = iterate(irk, h, record, &is_hopeless);
    if (result == TRY_NEWTON && !irk->state.jacobian_fresh) {
        irk->state.want_jacobian = true;
        result = prepare(irk, h, record);
        if (result == TRY_OK) result = iterate(irk, h, record, &is_hopeless);
    }
    if (result == TRY_OK) result = irk_end_step(irk, h);
    if (result != TRY_OK) return result;
    const Collocation *m = irk->method[irk->state.s];
    one->order = order_of(irk, m->s);
    double most = irk->newton.most;
    one->safety = smaller(0.9, 0.9 * (1.0 + 2.0 * most) / (irk->newton.iterations + 2.0 * most));
    one->state.control.k = m->s + 1.0;
    *error = irk->first_error;
    bool is_known = irk_is_fixed(irk) || is_hopeless ||
                    (irk->variation.is_there && s->options.error_test == ERRORS_OF_FIRST);
    if (!is_known) return irk_estimate(irk, h, error);
    for (int k = irk->variation.n; k < s->n && irk->variation.is_there; k++) one->error[k] = 0.0;
    return TRY_OK;
}

/* More stages when Newton is fast and steps are calm, fewer when it is slow. With unknowns of index
 * 3 estimates of high orders miss errors of positions by a factor of 100. */
static void choose_stages(Irk *irk, double h)
{
    const IrkSpec *spec = irk->spec;
    if (spec->first == spec->last || irk->index_most > 2 || irk_is_fixed(irk) ||
        solver_replay(&irk->one.base))
        return;
    int s = irk->state.s, next = s;
    double ratio = irk->state.h_accepted != 0.0 ? h / irk->state.h_accepted : 0.0;
    irk->state.theta_mean = fmin(10.0, fmax(irk->state.theta, 0.5 * irk->state.theta_mean));
    irk->state.since_change++;
    bool calm = ratio > CALM_LOW && ratio < CALM_HIGH;
    if (irk->newton.iterations > 1 && irk->state.theta_mean <= RATE_UP && calm) next = s + 2;
    if (irk->state.theta_mean >= RATE_DOWN || irk->state.newton_failed) next = s - 2;
    if (irk->state.since_change <= STEPS_BEFORE_RISE && next > s) next = s;
    next = next > spec->last ? spec->last : next < spec->first ? spec->first : next;
    if (next == s) return;
    use_stages(irk, next);
    irk->state.since_change = 0;
    irk->state.theta_mean = 0.0;
    irk->state.h_factored = 0.0;
    irk->state.eta = 1.0;
    control_restart(&irk->one.state.control);
}

static TryResult irk_accept(OneStep *one, double h)
{
    Irk *irk = (Irk *)one;
    Solver *s = &one->base;
    const Collocation *m = irk->method[irk->state.s];
    if (irk->residual) irk_end_slope(irk, h);
    for (int i = 0; i < m->s; i++) vector_swap(&irk->z[i], &irk->z_old[i]);
    irk->state.h_old = h;
    irk->state.t_old = s->core.t;
    irk->state.s_old = m->s;
    one->flags = irk->state.flags;
    irk->state.flags = 0;
    irk->state.have_f0 = irk->state.jacobian_fresh = false;
    irk->state.at_end = irk->variation.is_there && m->family == COLLOCATION_RADAU && !solver_replay(s);
    irk->state.want_jacobian =
        irk->state.theta > (s->n < MANY_UNKNOWNS ? RATE_FOR_NEW_JACOBIAN : RATE_WHEN_MANY);
    choose_stages(irk, h);
    irk->state.newton_failed = false;
    irk->state.h_accepted = h;
    irk->state.first_accepted = irk->state.first;
    return TRY_OK;
}

static const double *irk_slope(const OneStep *one)
{
    return ((const Irk *)one)->state.have_f0 ? ((const Irk *)one)->f0 : NULL;
}

static EvalStatus irk_begin(OneStep *one)
{
    Irk *irk = (Irk *)one;
    Solver *s = &one->base;
    irk->state.eta = irk->state.eta_following = 1.0;
    irk->state.have_f0 = irk->state.jacobian_fresh = irk->state.at_end = false;
    irk->state.want_jacobian = true;
    if (s->model->can & MODEL_MASS) {
        if (!set_weights(irk, 1.0)) return EVAL_FATAL;
        if (!consistent_solve(&irk->consistent, one->weight)) return EVAL_FATAL;
        irk->state.h_factored = irk->state.c_real = 0.0;
        irk->state.jacobian_fresh = irk->jac.have && irk->consistent.is_known;
    }
    EvalStatus status = irk_evaluate_start(irk);
    if (status != EVAL_OK || irk_is_fixed(irk) || s->options.initial_step > 0.0 || one->state.h != 0.0)
        return status;
    if (!solver_weights(s, s->y, one->weight)) return EVAL_FATAL;
    if (s->model->can & MODEL_MASS || irk->residual)
        one->state.h = onestep_first_of_mass(s);
    else
        one->state.h = start_step(s, irk->state.s, irk->f0, one->weight, irk->stage, irk->slope);
    return EVAL_OK;
}

static double irk_filter(const Solver *s, double *v)
{
    const Irk *irk = (const Irk *)s;
    if (v && !irk->residual && irk->state.c_real != 0.0) lu_solve(irk->real, v);
    return irk->residual ? 0.0 : irk->state.c_real;
}

static void irk_interpolate(const Solver *s, double t, double *y)
{
    const Irk *irk = (const Irk *)s;
    if (irk->state.h_old == 0.0) {
        memcpy(y, s->y, (size_t)s->n * sizeof(double));
        return;
    }
    double w[COLLOCATION_STAGES];
    collocation_weights(irk->method[irk->state.s_old], (t - irk->state.t_old) / irk->state.h_old, w);
    memcpy(y, irk->one.y_start, (size_t)s->n * sizeof(double));
    for (int i = 0; i < irk->state.s_old; i++)
        for (int k = 0; k < s->n; k++) y[k] += w[i] * irk->z_old[i][k];
    irk_end_bend(irk, (t - irk->state.t_old) / irk->state.h_old, y);
}

static bool irk_restart(Solver *s, RestartHint hint)
{
    Irk *irk = (Irk *)s;
    irk->state.h_old = irk->state.h_accepted = 0.0;
    irk->state.rough_end = s->core.t;
    use_stages(irk, irk->spec->first);
    return onestep_restart(s, hint);
}

static void irk_destroy(Solver *s)
{
    Irk *irk = (Irk *)s;
    lu_free(irk->real);
    lu_free(irk->end.lu);
    for (int p = 0; p < COLLOCATION_PAIRS; p++) lu_free(irk->pair[p]);
}

static void make_vectors(Irk *irk)
{
    Solver *s = &irk->one.base;
    for (int i = 0; i < irk->spec->last; i++) {
        irk->z[i] = solver_vector(s);
        irk->r[i] = solver_vector(s);
        irk->stages[i] = solver_vector(s);
        if (!irk_is_plain(irk)) irk->slopes[i] = solver_vector(s);
        solver_keep_place(s, &irk->z_old[i]);
    }
    irk->f0 = solver_kept_vector(s);
    irk->stage = solver_vector(s);
    irk->slope = solver_vector(s);
    for (int p = 0; p < irk->spec->last / 2; p++)
        irk->pairs[p] = NEW_ARRAY(s->arena, double, 2 * (((size_t)s->n + 4) & ~(size_t)3));
}

static void make_matrices(Irk *irk)
{
    Solver *s = &irk->one.base;
    size_t size = irk->jac.shape->size;
    irk->matrix = NEW_ARRAY(s->arena, double, 2 * size + 1);
    if (irk->residual) {
        irk->jac.mass = NEW_ARRAY(s->arena, double, size + 1);
        solver_keep(s, irk->jac.mass, size * sizeof(double));
    }
    irk->real = lu_new(s->arena, irk->jac.shape, false);
    solver_keep_lu(s, irk->real, &irk->state.factored);
    for (int p = 0; p < irk->spec->last / 2; p++) {
        irk->pair[p] = lu_new(s->arena, irk->jac.shape, true);
        if (irk->spec->first == irk->spec->last) solver_keep_lu(s, irk->pair[p], &irk->state.factored);
    }
}

/* With a variable number of stages not all factors are in use: make them anew after a restore. */
static bool irk_restored(Solver *s)
{
    Irk *irk = (Irk *)s;
    irk->state.at_end = false;
    int stages = irk->state.s;
    use_stages(irk, irk->state.s_old);
    use_stages(irk, stages);
    bool are_kept = irk->spec->first == irk->spec->last;
    if (are_kept || irk->state.h_factored == 0.0) return true;
    unsigned flags = irk->state.flags;
    SolverStats stats = s->stats;
    TryResult result = make_factors(irk, irk->state.h_factored);
    irk->state.flags = flags;
    s->stats = stats;
    return result == TRY_OK;
}

static bool irk_setup(Solver *s)
{
    Irk *irk = (Irk *)s;
    irk->spec = s->type->data;
    irk->state.s_old = irk->spec->first;
    irk->state.rough_end = s->core.t;
    irk->residual = !(s->model->can & MODEL_DERIVATIVES);
    irk->index_most = most_index(&s->model->shape);
    for (int k = irk->spec->first; k <= irk->spec->last; k += 2) {
        irk->method[k] = NEW(s->arena, Collocation);
        irk->inner[k] = inner_rtol(irk, k);
        irk->kappa[k] = newton_share(irk, k);
    }
    use_stages(irk, irk->spec->first);
    solver_keep(s, &irk->state, sizeof irk->state);
    if (!jacobian_setup(s, &irk->jac)) return false;
    make_vectors(irk);
    make_matrices(irk);
    consistent_setup(s, &irk->jac, irk->real, false, &irk->consistent);
    irk_end_setup(irk);
    variation_setup(&irk->variation, s, &irk->jac, irk->spec->last);
    static const OneStepOps ops = { irk_begin, irk_attempt, irk_accept, irk_slope };
    Control control = { .kind = CONTROL_PREDICTIVE,
                        .k = irk->spec->first + 1.0,
                        .safety = 0.9,
                        .least = 0.125,
                        .most = 16.0,
                        .hold_low = 1.0,
                        .hold_high = s->n < MANY_UNKNOWNS ? HOLD_GROWTH : HOLD_WHEN_MANY };
    return onestep_setup(&irk->one, &ops, control);
}

double irk_stiffness(const Solver *s)
{
    const Irk *irk = (const Irk *)s;
    double norm = matrix_norm(irk->jac.shape, irk->jac.values);
    return fabs(irk->state.h_old) * norm;
}

void irk_trust_jacobian(Solver *s)
{
    Irk *irk = (Irk *)s;
    irk->state.want_jacobian = !irk->jac.have;
}

void irk_coefficients(const SolverType *type, Collocation *method)
{
    const IrkSpec *spec = type->data;
    collocation_make(spec->family, spec->first, method);
}

/* y - p3 of the collocation polynomial p3 is y'''' h^4 / 6 times the integral of (x - c_1) .. (x -
 * c_s) over x up to terms of higher order, and the error estimate is the same y'''' h^4 times a
 * number, which y = x^(s+1) shows. It is filtered, so that stiff components do not enter. */
void irk_sample(const Solver *s, double t, double *y)
{
    const Irk *irk = (const Irk *)s;
    const Collocation *m = irk->method[irk->state.s_old];
    double x = (t - irk->state.t_old) / irk->state.h_old, product[COLLOCATION_STAGES + 1] = { 1.0 };
    double power = x, integral = 0.0, defect = 0.0;
    for (int k = 0; k < m->s; k++)
        for (int j = k + 1; j >= 0; j--)
            product[j] = (j > 0 ? product[j - 1] : 0.0) - (j <= k ? m->c[k] * product[j] : 0.0);
    for (int j = 0; j <= m->s; j++, power *= x) integral += product[j] * power / (j + 1);
    for (int i = 0; i < m->s; i++)
        for (int j = 0; j < m->s; j++) defect += m->e[i] * m->a[i][j] * (m->s + 1) * pow(m->c[j], m->s);
    irk_interpolate(s, t, y);
    double scale = (m->s + 1) * integral / defect;
    for (int k = 0; k < s->n; k++) y[k] += scale * irk->one.error[k];
}

const Jacobian *irk_jacobian(const Solver *s) { return &((const Irk *)s)->jac; }

/* Gauss methods keep |R| = 1 at infinity: no damping, so not for stiff problems. */
#define IRK_STIFF (SOLVE_STIFF | SOLVE_L_STABLE)
#define IRK_TYPE(variable, name_, order_, most_, dense_, extra, family_, first_, last_, summary_,           \
                 reference_)                                                                                \
    static const IrkSpec variable##_spec = { family_, first_, last_ };                                      \
    const SolverType variable = { .name = name_,                                                            \
                                  .family = "implicit Runge-Kutta",                                         \
                                  .summary = summary_,                                                      \
                                  .reference = reference_,                                                  \
                                  .order = order_,                                                          \
                                  .order_most = most_,                                                      \
                                  .dense_order = dense_,                                                    \
                                  .data = &variable##_spec,                                                 \
                                  .size = sizeof(Irk),                                                      \
                                  .can = SOLVE_ADAPTIVE | SOLVE_FIXED | SOLVE_RESTART_HIGH | SOLVE_REPLAY | \
                                         SOLVE_A_STABLE | SOLVE_MASS | SOLVE_RESIDUAL | (extra),            \
                                  .setup = irk_setup,                                                       \
                                  .step = onestep_step,                                                     \
                                  .interpolate = irk_interpolate,                                           \
                                  .filter = irk_filter,                                                     \
                                  .restart = irk_restart,                                                   \
                                  .destroy = irk_destroy,                                                   \
                                  .restored = irk_restored }

static const char hairer_wanner[] = "Hairer, Wanner, Solving ODEs II, IV.5 and IV.8";
IRK_TYPE(solver_implicit_euler, "implicit-euler", 1, 1, 1, IRK_STIFF, COLLOCATION_RADAU, 1, 1,
         "implicit Euler: Radau IIA with one stage", hairer_wanner);
IRK_TYPE(solver_radau3, "radau3", 3, 3, 2, IRK_STIFF, COLLOCATION_RADAU, 2, 2,
         "Radau IIA with two stages, order 3", hairer_wanner);
IRK_TYPE(solver_radau5, "radau5", 5, 5, 3, IRK_STIFF | SOLVE_HIGH_INDEX, COLLOCATION_RADAU, 3, 3,
         "Radau IIA with three stages, order 5", hairer_wanner);
IRK_TYPE(solver_radau, "radau", 5, 13, 3, IRK_STIFF | SOLVE_HIGH_INDEX | SOLVE_VARIABLE_ORDER,
         COLLOCATION_RADAU, 3, 7, "Radau IIA of variable order 5, 9, 13",
         "Hairer, Wanner, J. Comp. Appl. Math. 111 (1999)");
IRK_TYPE(solver_gauss2, "gauss2", 2, 2, 1, SOLVE_SYMPLECTIC, COLLOCATION_GAUSS, 1, 1,
         "Gauss with one stage: the implicit midpoint rule", hairer_wanner);
IRK_TYPE(solver_gauss4, "gauss4", 4, 4, 2, SOLVE_SYMPLECTIC, COLLOCATION_GAUSS, 2, 2,
         "Gauss with two stages, order 4", hairer_wanner);
IRK_TYPE(solver_gauss6, "gauss6", 6, 6, 3, SOLVE_SYMPLECTIC, COLLOCATION_GAUSS, 3, 3,
         "Gauss with three stages, order 6", hairer_wanner);
