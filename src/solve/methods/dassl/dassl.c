/* dassl.c: BDF of orders 1 to 5 with fixed leading coefficient and variable steps on F(t, y, y') =
 * 0.
 *
 * In: the history as modified divided differences phi_j = psi_1 ... psi_(j-1) y[t_n, ..,
 * t_(n-j+1)], psi_j = t_n - t_(n-j). Out: steps; next size and order. Cost: O(order n) a step, and
 * the linear algebra. Sources: Brenan, Campbell, Petzold, Numerical Solution of IVPs in DAEs, ch.
 * 5; Jackson, Sacks-Davis, TOMS 6 (1980). Tests: tests/solve/dassl_test.c, methods_test.c. */
#include "solve/methods/dassl/dassl.h"
#include "solve/core/damping.h"
#include "solve/history/history.h"
#include "solve/nonlinear/algebra.h"
#include "solve/nonlinear/newton.h"

/* The predictor is the polynomial through the last k+1 points; the corrector agrees with it at k
 * equidistant points and satisfies F at the new one, so y' = y'_pred + c (y - y_pred) with c = (1 +
 * 1/2 + .. + 1/k)/h and dF/dy + c dF/dy' is Newton's matrix; its two parts are kept apart, so that
 * they serve several factorisations. Error estimates of orders k-2 to k+1 come from the
 * differences, in DAE filtered by the matrix. Invariant: phi belongs to the last accepted step, and
 * is scaled by beta where an attempt reads it. */

enum { MOST_ORDER = 5, COLUMNS = MOST_ORDER + 2, MOST_ITERATIONS = 4, JACOBIAN_LIFE = 50, UNSEEN_STEPS = 2 };
static const double C_RATIO = 0.6; /* c may change by this factor before the matrix is made anew */
/* Of the tolerance that errors of the iteration may take, which count as often as others. */
static const double ITERATION_SHARE = 0.33;
static const double WORST_RATE = 0.9;
static const double SLOW_RATE = 0.3; /* asks for a new Jacobian when factors are made anyway */
/* rate / (1 - rate) that a new matrix is believed to have */
static const double FIRST_TRUST = 0.2;
/* that any has; two updates of a linear problem show rounding */
static const double LEAST_TRUST = 0.01;
/* that a matrix has whose Jacobian is from before an event */
static const double NO_TRUST = 10.0;
static const double FAILURE_FACTOR = 0.25;
static const double START_SHARE = 1e-3;

/* What depends on step sizes and order only. */
typedef struct {
    double alpha[COLUMNS], beta[COLUMNS], gamma[COLUMNS], sigma[COLUMNS], psi[COLUMNS];
    double c, leading; /* leading: the error is this times |y - y_pred| */
} Coefficients;

typedef struct {
    MultiStep multi;
    /* star: scratch of starters and of events */
    double *phi[COLUMNS], *star[COLUMNS];
    double *yp_new, *residual, *predicted, *update, *f; /* predicted: the residual there */
    Jacobian jacobian;
    Consistent consistent;
    Lu *lu;
    double *matrix;
    bool filters;  /* errors go through the matrix */
    double *slope; /* dF/dy'; NULL for L y' = f */
    Coefficients now;
    Restart restart;
    NordsieckFamily family; /* BDF with constant steps: errors of first steps */
    /* of the attempt: */
    double size;        /* weighted, of y - y_pred */
    double estimate[3]; /* error of orders k, k-1, k-2, as if each had been used */
    int lower;          /* the order these ask for: k or k-1 */
    struct {
        double t, psi[COLUMNS];
        double h;
        int order;
        bool fresh;               /* no step yet: phi_2 is y' */
        bool rising;              /* order and step grow in every step until an estimate objects */
        int constant;             /* steps of this size and order */
        int raised;               /* the last step was of higher order than the one before */
        double c_factored, trust; /* trust: rate / (1 - rate) of the last iterations */
        double trusted;           /* the first update that it was seen with; 0: none was */
        bool factored, strange;
        int jacobian_age;
        bool carried; /* the Jacobian is from before the last event */
        bool moved;   /* star[0] and [1] are y and y' of the history at the last event */
        bool keeping; /* the next attempt is the test of a history kept over a small change */
    } state;
} Dassl;

static int most_order(const Dassl *m)
{
    int most = m->multi.base.options.max_order;
    return most > 0 && most < MOST_ORDER ? most : MOST_ORDER;
}

static void make_coefficients(const Dassl *m, double h, int k, Coefficients *c)
{
    double ahead = h, per_h = 1.0 / h, sum = 0.0, alpha_sum = 0.0;
    c->alpha[0] = c->beta[0] = c->sigma[0] = 1.0;
    c->gamma[0] = 0.0;
    for (int i = 1; i <= k; i++) {
        double old = m->state.fresh ? h : m->state.psi[i - 1];
        c->psi[i - 1] = ahead;
        c->beta[i] = c->beta[i - 1] * (m->state.fresh ? h : c->psi[i - 1] / old);
        ahead = old + h;
        c->alpha[i] = h / ahead;
        c->sigma[i] = i * c->sigma[i - 1] * c->alpha[i];
        c->gamma[i] = c->gamma[i - 1] + c->alpha[i - 1] * per_h;
        sum += 1.0 / i;
        alpha_sum += c->alpha[i - 1];
    }
    c->psi[k] = ahead;
    c->c = sum * per_h;
    c->leading = larger(fabs(c->alpha[k] + alpha_sum - sum), c->alpha[k]);
}

/* y and y' of the predictor. */
static void predict(Dassl *m, int k)
{
    const Coefficients *c = &m->now;
    for (int i = 0; i < m->multi.base.n; i++) {
        double y = 0.0, slope = 0.0;
        for (int j = 0; j <= k; j++) {
            double scaled = c->beta[j] * m->phi[j][i];
            y += scaled;
            slope += c->gamma[j] * scaled;
        }
        m->multi.y_new[i] = y;
        m->yp_new[i] = slope;
    }
}

/* The history with the new point. */
static void renew(Dassl *m, int k)
{
    for (int i = 0; i < m->multi.base.n; i++) {
        double sum = m->multi.error[i];
        for (int j = k; j >= 0; j--) m->phi[j][i] = sum += m->now.beta[j] * m->phi[j][i];
    }
}

static unsigned needed(const Dassl *m)
{
    const StepRecord *record = m->multi.record;
    if (record) return record->flags & (RECORD_JACOBIAN | RECORD_FACTORS);
    bool stale = m->state.strange || m->state.jacobian_age >= JACOBIAN_LIFE;
    if (stale || !m->jacobian.have) return RECORD_JACOBIAN | RECORD_FACTORS;
    if (!m->state.factored) return RECORD_FACTORS;
    double ratio = m->now.c / m->state.c_factored;
    if (ratio >= C_RATIO && ratio <= 1.0 / C_RATIO) return 0;
    bool keep = m->state.trust < SLOW_RATE / (1.0 - SLOW_RATE);
    return RECORD_FACTORS | (keep ? 0 : RECORD_JACOBIAN);
}

/* df/dy, or dF/dy and dF/dy', at the prediction, where m->residual is F. The latter comes from
 * matrices with two c. */
static EvalStatus make_jacobian(Dassl *m, double t, double h)
{
    Solver *s = &m->multi.base;
    double *y = m->multi.y_new, *yp = m->yp_new, *values = m->jacobian.values, c = m->now.c;
    if (!m->slope) {
        for (int i = 0; i < s->n; i++) m->f[i] = -m->residual[i];
        model_add_mass(s->model, 1.0, yp, m->f);
        return jacobian_f(s, &m->jacobian, t, y, m->f, h);
    }
    EvalStatus status = jacobian_residual(s, &m->jacobian, t, y, yp, m->residual, c, h);
    if (status != EVAL_OK) return status;
    memcpy(m->slope, values, m->jacobian.shape->size * sizeof(double));
    status = jacobian_residual(s, &m->jacobian, t, y, yp, m->residual, 0.0, h);
    s->stats.jacobians--; /* both are one */
    for (size_t k = 0; k < m->jacobian.shape->size; k++) m->slope[k] = (m->slope[k] - values[k]) / c;
    return status;
}

/* The Jacobian at the prediction, and the factors. */
static TryResult make_matrix(Dassl *m, double h, unsigned what)
{
    Solver *s = &m->multi.base;
    double t = s->core.t + h, c = m->now.c;
    EvalStatus status = EVAL_OK;
    m->multi.flags |= what;
    m->state.strange = true;
    m->state.trust = m->state.carried && !(what & RECORD_JACOBIAN) ? NO_TRUST : FIRST_TRUST;
    m->state.trusted = 0.0;
    if (what & RECORD_JACOBIAN) {
        status = make_jacobian(m, t, h);
        m->state.jacobian_age = 0;
        m->state.carried = false;
        if (!m->slope) restart_note_jacobian(&m->restart, status == EVAL_OK);
    }
    if (status != EVAL_OK) return of_eval(status);
    if (!m->slope) jacobian_shift(&m->jacobian, c, m->matrix);
    for (size_t k = 0; k < m->jacobian.shape->size && m->slope; k++)
        m->matrix[k] = m->jacobian.values[k] + c * m->slope[k];
    s->stats.factors++;
    LuStatus lu = lu_factor(m->lu, m->matrix);
    m->state.factored = lu == LU_OK;
    m->state.c_factored = c;
    if (lu == LU_SINGULAR) s->blamed = lu_singular_column(m->lu);
    return lu == LU_OK ? TRY_OK : TRY_SINGULAR;
}

/* What the trust in a rate is multiplied with. From farther away than where it was seen f is less
 * linear, and rates are as much higher; a matrix that took some steps without a second update has a
 * rate that nobody knows. */
static double doubt(const Dassl *m, double first)
{
    if (m->state.trusted > 0.0) return larger(1.0, first / m->state.trusted);
    return m->state.jacobian_age < UNSEEN_STEPS ? 1.0 : NO_TRUST / FIRST_TRUST;
}

/* Whether iteration may end after an update of this norm; m->state.trust carries what is known
 * about the rate. */
static NewtonVerdict watch(Dassl *m, int count, double norm, double *first, double solution)
{
    const StepRecord *record = m->multi.record;
    if (!isfinite(norm)) return NEWTON_DIVERGES;
    double rate = 0.0;
    if (count == 1)
        *first = norm;
    else
        rate = norm / larger(*first, DBL_MIN);
    if (count > 2) rate = pow(rate, 1.0 / (count - 1));
    if (record) return count >= record->iterations ? NEWTON_DONE : NEWTON_GO_ON;
    if (count > 1 && rate <= WORST_RATE) {
        m->state.trust = larger(LEAST_TRUST, rate / (1.0 - rate));
        m->state.trusted = *first;
    }
    if (norm <= 100.0 * UROUND * solution) return NEWTON_DONE;
    if (rate > WORST_RATE) return NEWTON_DIVERGES;
    /* a matrix made for another c converges no better than this */
    double ratio = m->now.c / m->state.c_factored, mismatch = fabs(ratio - 1.0) / (ratio + 1.0);
    double factor = larger(doubt(m, *first) * m->state.trust, mismatch / (1.0 - mismatch));
    if (factor * norm <= ITERATION_SHARE) return NEWTON_DONE;
    return count < MOST_ITERATIONS ? NEWTON_GO_ON : NEWTON_SLOW;
}

/* y, y' and e move by an update, which the solution is to this scale; returns its weighted
 * norm. */
static double norm_of_move(Dassl *m, double scale)
{
    double *u = m->residual, *y = m->multi.y_new, *e = m->multi.error, sum = 0.0;
    for (int i = 0; i < m->multi.base.n; i++) {
        double change = scale * u[i], size = change * m->multi.weight[i];
        u[i] = change;
        y[i] -= change;
        e[i] -= change;
        m->yp_new[i] -= m->now.c * change;
        sum += size * size;
    }
    return m->multi.base.n ? sqrt(sum / m->multi.base.n) : 0.0;
}

static TryResult iterate(Dassl *m, double h)
{
    Solver *s = &m->multi.base;
    double *y = m->multi.y_new, *weight = m->multi.weight, first = 0.0;
    double scale = 2.0 / (1.0 + m->now.c / m->state.c_factored), size = norm_rms(s->n, y, weight);
    for (int i = 0; i < s->n; i++) m->multi.error[i] = 0.0;
    for (int count = 1;; count++) {
        lu_solve(m->lu, m->residual);
        s->stats.solves++;
        s->stats.newton++;
        m->multi.iterations = count;
        NewtonVerdict verdict = watch(m, count, norm_of_move(m, scale), &first, size);
        if (verdict == NEWTON_DONE) return TRY_OK;
        if (verdict != NEWTON_GO_ON) {
            s->blamed = norm_worst(s->n, m->residual, weight);
            return TRY_NEWTON;
        }
        TryResult result = of_eval(solver_residual(s, s->core.t + h, y, m->yp_new, m->residual));
        if (result != TRY_OK) return result;
    }
}

static Damping damping(const Dassl *m)
{
    return (Damping){ .lu = m->lu, .c = m->state.c_factored, .shape = m->jacobian.shape, .mass = m->slope };
}

/* The weighted size of an error v of y. With a singular L an error in the differential part of y
 * shows in the other part with the gain of the equations between them, in the next step at the
 * latest; (c L - J)^-1 c L v has both, and is free of what L does not see. Without that, steps are
 * chosen that fail as soon as their size changes (Petzold 1982). */
static double error_norm(Dassl *m, const double *v)
{
    Solver *s = &m->multi.base;
    Damping f = damping(m);
    if (m->filters) damp(s, &f, v, m->f);
    return norm_rms(solver_counted(s), m->filters ? m->f : v, m->multi.weight);
}

/* Errors that orders k, k-1, k-2 would have made, and which of k and k-1 is better. */
static void estimate_errors(Dassl *m, int k)
{
    int n = m->multi.base.n;
    const double *sigma = m->now.sigma, *beta = m->now.beta;
    double *u = m->update;
    m->size = error_norm(m, m->multi.error);
    m->estimate[0] = sigma[k] * m->size;
    m->estimate[1] = m->estimate[2] = 0.0;
    m->lower = k;
    if (k == 1) return;
    vector_sum(n, m->multi.error, beta[k], m->phi[k], u);
    m->estimate[1] = sigma[k - 1] * error_norm(m, u);
    double same = (k + 1) * m->estimate[0], one_less = k * m->estimate[1];
    if (k == 2) {
        if (one_less <= 0.5 * same) m->lower = 1;
        return;
    }
    vector_add(n, beta[k - 1], m->phi[k - 1], u);
    m->estimate[2] = sigma[k - 2] * error_norm(m, u);
    if (larger(one_less, (k - 1) * m->estimate[2]) <= same) m->lower = k - 1;
}

static TryResult dassl_attempt(MultiStep *multi, double h, int k, double *error)
{
    Dassl *m = (Dassl *)multi;
    Solver *s = &multi->base;
    if (multi->record) m->restart.state.starting = multi->record->flags & RECORD_STARTER;
    if (m->restart.state.starting) {
        multi->flags |= RECORD_STARTER;
        return starter_attempt(&m->restart, h, k, error);
    }
    if (m->state.keeping) multi->flags |= RECORD_KEPT;
    if (k > m->state.order + 1) {
        solver_fail(s, FAIL_REPLAY, h, -1, "the recorded order %d does not fit the history", k);
        return TRY_FATAL;
    }
    make_coefficients(m, h, k, &m->now);
    unsigned what = needed(m);
    predict(m, k);
    TryResult result = of_eval(solver_residual(s, s->core.t + h, multi->y_new, m->yp_new, m->predicted));
    if (result != TRY_OK) return result;
    for (;;) {
        vector_copy(s->n, m->predicted, m->residual);
        if (what) result = make_matrix(m, h, what);
        if (result != TRY_OK) return result;
        result = iterate(m, h);
        if (result == TRY_OK) break;
        bool again = !(multi->flags & RECORD_JACOBIAN) && !multi->record;
        if (result == TRY_FATAL || !again) return result;
        if (m->state.carried) restart_blame_jacobian(&m->restart);
        what = RECORD_JACOBIAN | RECORD_FACTORS;
        result = TRY_OK;
        predict(m, k);
    }
    estimate_errors(m, k);
    *error = m->now.leading * m->size;
    return TRY_OK;
}

/* The order for the next step, and its error estimate; phi is already that of the new point. */
static int choose_order(Dassl *m, int k, int constant, double *estimate)
{
    MultiStep *multi = &m->multi;
    int n = multi->base.n;
    double same = (k + 1) * m->estimate[0], one_less = k * m->estimate[1];
    *estimate = m->lower < k ? m->estimate[1] : m->estimate[0];
    if (m->lower < k) return k - 1;
    if (k == most_order(m) || constant < k + 2 || m->state.raised) return k;
    vector_sum(n, multi->error, -1.0, m->phi[k + 1], m->update);
    double up = error_norm(m, m->update) / (k + 2), one_more = (k + 2) * up;
    if (k > 1 && one_less <= fmin(same, one_more)) {
        *estimate = m->estimate[1];
        return k - 1;
    }
    if (one_more >= (k > 1 ? same : 0.5 * same)) return k;
    *estimate = up;
    return k + 1;
}

static void propose(Dassl *m, double h, int k, int constant)
{
    MultiStep *multi = &m->multi;
    double estimate;
    if (m->lower < k || k == most_order(m)) m->state.rising = false;
    multi->state.h = h;
    multi->state.order = k;
    if (m->state.rising) {
        multi->state.order = k + 1;
        multi->state.h = multi->state.failures ? h : 2.0 * h;
        return;
    }
    int order = multi->state.order = choose_order(m, k, constant, &estimate);
    double factor = pow(2.0 * estimate + 1e-4, -1.0 / (order + 1));
    if (factor >= 2.0)
        multi->state.h = 2.0 * h;
    else if (factor <= 1.0)
        multi->state.h = h * larger(0.5, smaller(0.9, factor));
}

/* The interpolating polynomial at t: value, and derivative if dy is not NULL. */
static void evaluate(const Dassl *m, double t, double *y, double *dy)
{
    int n = m->multi.base.n, k = m->state.order;
    const double *psi = m->state.psi;
    double ahead = t - m->state.t, c = 1.0, d = 0.0, gamma = ahead / psi[0];
    memcpy(y, m->phi[0], (size_t)n * sizeof(double));
    if (dy) memset(dy, 0, (size_t)n * sizeof(double));
    for (int j = 1; j <= k; j++) {
        d = d * gamma + c / psi[j - 1];
        c *= gamma;
        gamma = (ahead + psi[j - 1]) / psi[j];
        for (int i = 0; i < n; i++) y[i] += c * m->phi[j][i];
        for (int i = 0; i < n && dy; i++) dy[i] += d * m->phi[j][i];
    }
}

/* Values in phi[j] at t - j h become the history of order k there. */
static void take_values(Dassl *m, double t, double h, int k)
{
    int n = m->multi.base.n;
    for (int level = 1; level <= k; level++)
        for (int j = k; j >= level; j--)
            for (int i = 0; i < n; i++) m->phi[j][i] = m->phi[j - 1][i] - m->phi[j][i];
    for (int j = 0; j <= k; j++) m->state.psi[j] = (j + 1) * h;
    m->state.t = t;
    m->state.h = h;
    m->state.order = k;
    m->state.constant = 0;
}

/* An array of Nordsieck's, of this step and order at t, becomes the history, with points H /
 * columns apart. */
static void take_array(Dassl *m, double *const *z, double step, int columns, double t, double H)
{
    double h = H / columns;
    for (int j = 0; j <= columns; j++) nordsieck_at(m->multi.base.n, z, columns, -j * h / step, m->phi[j]);
    take_values(m, t, h, columns);
    m->state.fresh = m->state.rising = m->state.factored = false;
    m->state.raised = 0;
}

static void take_starter(Dassl *m, double H, int starter, double error)
{
    MultiStep *multi = &m->multi;
    Restart *r = &m->restart;
    Solver *s = &multi->base;
    restart_accept(r, H, starter, error);
    if (starter == IMPLICIT_STARTER && !m->slope) {
        implicit_lend_jacobian(&r->implicit, &m->jacobian);
        m->state.carried = m->jacobian.have;
    }
    if (starter == IMPLICIT_STARTER) m->state.jacobian_age = 0;
    m->state.strange = false;
    /* variable coefficients bear the full order at once */
    if (!r->state.starting)
        multi->state.order = r->state.columns < most_order(m) ? r->state.columns : most_order(m);
    take_array(m, r->w, r->state.h, r->state.columns, multi->t_new, H);
    memcpy(s->yp, r->slope, (size_t)s->n * sizeof(double));
}

static void dassl_accept(MultiStep *multi, double h, int k, double error)
{
    Dassl *m = (Dassl *)multi;
    Solver *s = &multi->base;
    if (m->restart.state.starting) {
        if (solver_weights(s, s->y, multi->weight)) take_starter(m, h, k, error);
        return;
    }
    m->state.keeping = false;
    bool same = h == m->state.h && k == m->state.order && !m->state.fresh;
    int constant = same ? m->state.constant + 1 : 1;
    m->state.raised = k > m->state.order;
    m->state.constant = constant;
    propose(m, h, k, constant);
    if (k < MOST_ORDER) vector_copy(s->n, multi->error, m->phi[k + 1]);
    renew(m, k);
    memcpy(m->state.psi, m->now.psi, sizeof m->state.psi);
    vector_copy(s->n, m->yp_new, s->yp);
    m->state.t = multi->t_new;
    m->state.h = h;
    m->state.order = k;
    m->state.fresh = m->state.strange = false;
    m->state.jacobian_age++;
    if (solver_weights(s, s->y, multi->weight))
        solver_weights_of_tiny_step(s, h, m->phi[1], 1.0, multi->weight);
}

/* A history of order 1 from y and y', and its first step. */
static void begin_at_order_one(Dassl *m)
{
    MultiStep *multi = &m->multi;
    Solver *s = &multi->base;
    size_t bytes = (size_t)s->n * sizeof(double);
    double way = isinf(s->core.t_end) ? 1.0 : fabs(s->core.t_end - s->core.t);
    if (way == 0.0) way = 1.0;
    if (s->options.max_step > 0.0) way = fmin(way, s->options.max_step);
    double h = fmax(START_SHARE * way, solver_least_step(s)), speed = norm_rms(s->n, s->yp, multi->weight);
    /* In such a step y moves by half a tolerance. Where there are algebraic equations their part of
     * c L - J is lost to rounding if h is that small; there y'' is taken for y'^2/y, and the step
     * for one whose error is half a tolerance. */
    double moves = m->filters && s->options.rtol > 0.0 ? 0.5 / sqrt(s->options.rtol) : 0.5;
    if (speed * h > moves) h = moves / speed;
    if (s->options.initial_step > 0.0 && !s->core.restarted) h = s->options.initial_step;
    memcpy(m->phi[0], s->y, bytes);
    memcpy(m->phi[1], s->yp, bytes);
    m->state.t = s->core.t;
    m->state.h = multi->state.h = h * s->core.direction;
    m->state.psi[0] = 1.0;
    m->state.order = multi->state.order = 1;
    m->state.fresh = m->state.rising = true;
    m->state.constant = m->state.raised = 0;
    m->state.factored = false;
}

static EvalStatus dassl_drop(MultiStep *multi)
{
    multi->state.order = 1;
    return EVAL_OK;
}

/* How far y and y' are from where the history has them at the event. */
static void measure_event(Dassl *m)
{
    Solver *s = &m->multi.base;
    bool reaches = s->core.restarted && m->state.moved;
    restart_measure(&m->restart, reaches ? m->star[0] : NULL, m->star[1], 1.0);
}

/* y' at (t, y). Where a starter begins that makes y consistent itself it is not needed yet. */
static EvalStatus first_derivative(Dassl *m, bool lazy)
{
    Solver *s = &m->multi.base;
    if (!solver_weights(s, s->y, m->multi.weight)) return EVAL_FATAL;
    if (!lazy) {
        if (!consistent_solve(&m->consistent, m->multi.weight)) return EVAL_FATAL;
        if (!solver_weights(s, s->y, m->multi.weight)) return EVAL_FATAL;
    }
    memcpy(m->restart.slope, lazy && m->state.moved ? m->star[1] : s->yp, (size_t)s->n * sizeof(double));
    return EVAL_OK;
}

/* The polynomial of the history on a grid of equal steps that ends at t, where phi are differences
 * and the value is y; with a line added to it that changes y and y' at t, or none. */
static void resample(Dassl *m, double t, const double *y_more, const double *yp_more)
{
    int n = m->multi.base.n, k = m->state.order;
    double h = m->state.h;
    for (int j = 0; j <= k; j++) evaluate(m, t - j * h, m->star[j], NULL);
    for (int j = 0; j <= k; j++)
        for (int i = 0; i < n; i++)
            m->phi[j][i] = m->star[j][i] + (y_more ? y_more[i] - j * h * yp_more[i] : 0.0);
    memcpy(m->phi[0], m->multi.base.y, (size_t)n * sizeof(double));
    take_values(m, t, h, k);
}

/* Whether a history that y and y' have hardly left goes on, through both. */
static bool keep_history(Dassl *m)
{
    MultiStep *multi = &m->multi;
    Solver *s = &multi->base;
    const StepRecord *record = solver_replay(s);
    if (!s->core.restarted || !m->state.moved || m->state.order < 2) return false;
    if (s->options.starter == STARTER_CLASSIC) return false;
    if (record ? !(record->flags & RECORD_KEPT) : !restart_small(&m->restart, multi->state.h)) return false;
    for (int i = 0; i < s->n; i++) {
        m->update[i] = s->y[i] - m->star[0][i];
        m->f[i] = s->yp[i] - m->star[1][i];
    }
    resample(m, s->core.t, m->update, m->f);
    m->state.factored &= m->jacobian.have;
    m->state.keeping = true;
    s->stats.kept++;
    return true;
}

/* A new history; `lazy`: y' is not known yet. */
static EvalStatus begin_anew(Dassl *m, bool lazy)
{
    MultiStep *multi = &m->multi;
    Solver *s = &multi->base;
    Restart *r = &m->restart;
    RestartWay way = s->options.initial_step > 0.0 && !s->core.restarted ? BEGIN_AT_ONE : restart_begin(r);
    double H = multi->state.h;
    int p = multi->state.order;
    if (way == BEGIN_AT_ONE && lazy && first_derivative(m, false) != EVAL_OK) return EVAL_FATAL;
    if (m->state.strange || !restart_carries_jacobian(r)) m->jacobian.have = false;
    m->state.carried = m->jacobian.have;
    begin_at_order_one(m);
    multi->state.h = way == BEGIN_AT_ONE ? multi->state.h : H;
    if (way == BEGIN_AT_ONE) return EVAL_OK;
    multi->state.order = p;
    if (way == BEGIN_BY_STARTER) return EVAL_OK;
    if (starter_fill(r, p, H, m->phi, m->star) != EVAL_OK) {
        begin_at_order_one(m);
        return EVAL_OK;
    }
    for (int j = 0; j <= p; j++) memcpy(m->star[j], m->phi[j], (size_t)s->n * sizeof(double));
    take_array(m, m->star, H, p, s->core.t, H);
    multi->state.h = 0.5 * H;
    return EVAL_OK;
}

static void dassl_reject(MultiStep *multi, TryResult result, double h, double error)
{
    Dassl *m = (Dassl *)multi;
    int k = multi->state.order;
    double factor = FAILURE_FACTOR;
    if (m->state.keeping) { /* the change was not so small */
        multi->state.error_failures = 0;
        m->state.keeping = false;
        begin_anew(m, false);
        return;
    }
    if (m->restart.state.starting) {
        multi->state.error_failures = 0; /* there is no history to give up */
        if (restart_reject(&m->restart, result, h, error)) return;
        if (!m->slope) consistent_solve(&m->consistent, multi->weight);
        begin_at_order_one(m);
        return;
    }
    m->state.rising = false;
    if (result == TRY_OK && multi->state.error_failures < 3) {
        double estimate = m->lower < k ? m->estimate[1] : m->estimate[0];
        multi->state.order = m->lower;
        if (multi->state.error_failures == 1) {
            factor = 0.9 * pow(2.0 * estimate + 1e-4, -1.0 / (multi->state.order + 1));
            factor = fmax(FAILURE_FACTOR, fmin(0.9, factor));
        }
    }
    multi->state.h = h * factor;
}

static EvalStatus dassl_begin(MultiStep *multi)
{
    Dassl *m = (Dassl *)multi;
    Solver *s = &multi->base;
    Restart *r = &m->restart;
    const StepRecord *record = solver_replay(s);
    bool mass = s->model->can & MODEL_MASS;
    r->newton = true;
    r->algebraic = m->filters;
    r->family = &m->family;
    bool lazy = mass && !m->slope && r->implicit.inner && s->core.restarted && s->stats.steps > 0;
    if (record) lazy = mass && !m->slope && record->flags & RECORD_STARTER;
    restart_make_radius(r); /* what is consistent is found with matrices in the same place */
    if (first_derivative(m, lazy) != EVAL_OK) return EVAL_FATAL;
    measure_event(m);
    m->state.keeping = false;
    return !lazy && keep_history(m) ? EVAL_OK : begin_anew(m, lazy);
}

static void dassl_interpolate(const Solver *s, double t, double *y)
{
    evaluate((const Dassl *)s, t, y, NULL);
}

/* Inside of the last step an unchanged polynomial is sampled on a new grid. */
static bool dassl_restart(Solver *s, RestartHint hint)
{
    Dassl *m = (Dassl *)s;
    double t = s->core.t;
    bool reaches = m->multi.state.started && !m->state.fresh && !m->state.keeping &&
                   fabs(t - m->state.t) <= fabs(m->state.h);
    if (!reaches || hint != RESTART_UNCHANGED) {
        m->state.moved = reaches;
        if (reaches) evaluate(m, t, m->star[0], m->star[1]);
        m->multi.state.started = false;
        return true;
    }
    evaluate(m, t, m->update, s->yp);
    resample(m, t, NULL, NULL);
    return true;
}

static bool dassl_setup(Solver *s)
{
    static const MultiStepOps ops = { dassl_begin, dassl_drop, dassl_attempt, dassl_accept, dassl_reject };
    Dassl *m = (Dassl *)s;
    m->filters = s->model->can & (MODEL_MASS | MODEL_RESIDUAL);
    for (int j = 0; j < COLUMNS; j++) {
        m->phi[j] = solver_kept_vector(s);
        m->star[j] = solver_vector(s);
    }
    m->yp_new = solver_vector(s);
    m->residual = solver_vector(s);
    m->predicted = solver_vector(s);
    m->update = solver_vector(s);
    m->f = solver_vector(s);
    solver_keep(s, &m->state, sizeof m->state);
    if (!multistep_setup(&m->multi, &ops) || !jacobian_setup(s, &m->jacobian)) return false;
    m->matrix = NEW_ARRAY(s->arena, double, m->jacobian.shape->size + 1);
    if (s->model->can & MODEL_RESIDUAL) {
        m->slope = NEW_ARRAY(s->arena, double, m->jacobian.shape->size + 1);
        solver_keep(s, m->slope, m->jacobian.shape->size * sizeof(double));
    }
    m->lu = lu_new(s->arena, m->jacobian.shape, false);
    solver_keep_lu(s, m->lu, &m->state.factored);
    consistent_setup(s, &m->jacobian, m->lu, true, &m->consistent);
    nordsieck_bdf(&m->family);
    double *const scratch[] = { m->update, m->residual, m->predicted };
    return restart_setup(&m->restart, &m->multi, &m->jacobian, m->star, scratch, true);
}

static void dassl_destroy(Solver *s)
{
    Dassl *m = (Dassl *)s;
    lu_free(m->lu);
    restart_destroy(&m->restart);
}

static bool dassl_restored(Solver *s) { return implicit_restored(&((Dassl *)s)->restart.implicit); }

const SolverType solver_dassl = {
    .name = "dassl",
    .family = "linear multistep",
    .summary = "backward differentiation on F(t, y, y') = 0, orders 1 to 5, fixed leading coefficient",
    .reference = "Brenan, Campbell, Petzold, Numerical Solution of IVPs in DAEs (1989)",
    .order = 4,
    .order_most = MOST_ORDER,
    .dense_order = 4,
    .tolerance_power = AT_ORDER(5),
    .size = sizeof(Dassl),
    .can = SOLVE_STIFF | SOLVE_MASS | SOLVE_RESIDUAL | SOLVE_ADAPTIVE | SOLVE_VARIABLE_ORDER |
           SOLVE_MULTISTEP | SOLVE_REPLAY | SOLVE_RESTART_HIGH,
    .setup = dassl_setup,
    .step = multistep_step,
    .interpolate = dassl_interpolate,
    .restart = dassl_restart,
    .destroy = dassl_destroy,
    .restored = dassl_restored
};
