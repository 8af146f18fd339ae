/* corrector.c: the implicit equation of a step of Adams or BDF methods in Nordsieck form.
 *
 * In: the predicted array w. Out: e with y = w_0 + l_0 e and h f(t + h, y) = w_1 + e. Tests:
 * tests/solve/multistep_test.c, methods_test.c. */
#include "solve/methods/adams_bdf/inside.h"

/* Functional iteration, or Newton's with c I - J, c = 1/(h l_0), in which a matrix made for another
 * c serves while c changes by less than C_CHANGE (the update is then scaled by 2r/(1+r), r =
 * c_made/c). The rate of convergence is remembered from step to step; iteration stops when rate
 * times the update, in units of the error test, is a small part of the tolerance. A rate is not
 * believed for much larger updates than it was seen with, and a Jacobian neither after many steps
 * nor when the solution has moved far: where an entry of it has become too large, updates are too
 * small, and that shows only in their ratio. When iteration does not converge with an old Jacobian
 * it starts again with a new one. Invariant: f at the prediction is evaluated once, however often
 * the iteration starts. With a mass matrix, L (w_1 + e) = h f and c L - J. Derivatives of the
 * solution wait until it is found; then their equations are linear and solved at once, with factors
 * of their own (Caracotsios and Stewart 1985). Source: Brown, Byrne, Hindmarsh, VODE, 1989. */

static const double C_CHANGE = 0.3;
static const double FIRST_RATE = 0.7;
/* of y (RMS): a solution that moved so is far from its Jacobian */
static const double FAR = 0.5;
static const double MUCH_LARGER = 1.5; /* first update than that whose rate is known */
/* a rate that asks for a new Jacobian when factors are made anyway */
static const double SLOW_RATE = 0.3;
static const double FAST_RATE = 0.1; /* of an iteration with a Jacobian that may live on */
/* updates in the weights of fixed steps, which are near rounding */
static const double FIXED_UPDATE = 1.0;
static const double FIXED_ROUNDING = 1e3; /* good enough there when iteration gets no further */
enum { FEW_UNKNOWNS = 2, MOST_ITERATIONS = 3, MOST_FIXED = 200, JACOBIAN_LIFE = 50, FACTOR_LIFE = 20 };

bool corrector_setup(Nordsieck *m)
{
    Solver *s = &m->multi.base;
    m->f = solver_vector(s);
    m->f_predicted = solver_vector(s);
    m->update = solver_vector(s);
    m->y_jacobian = solver_kept_vector(s);
    m->state.rate = FIRST_RATE;
    bool newton = m->choice->newton || m->choice->switches || m->choice->family == FAMILY_BDF;
    if (!newton) return true;
    if (!jacobian_setup(s, &m->jacobian)) return false;
    m->matrix = NEW_ARRAY(s->arena, double, m->jacobian.shape->size + 1);
    m->lu = lu_new(s->arena, m->jacobian.shape, false);
    solver_keep_lu(s, m->lu, &m->state.factored);
    variation_setup(&m->variation, s, &m->jacobian, 1);
    if (m->variation.is_there) m->exact = lu_new(s->arena, m->jacobian.shape, false);
    m->mass = s->model->can & MODEL_MASS;
    if (m->mass) consistent_setup(s, &m->jacobian, m->lu, true, &m->consistent);
    return true;
}

static bool uses_newton(const Nordsieck *m)
{
    return m->state.family_next == FAMILY_BDF || m->choice->newton;
}

double corrector_error_norm(Nordsieck *m, const double *v)
{
    Solver *s = &m->multi.base;
    Damping f = corrector_damping(m);
    if (m->mass) damp(s, &f, v, m->f);
    return norm_rms(solver_counted(s), m->mass ? m->f : v, m->multi.weight);
}

/* Whether a test of an old Jacobian is cheaper than a new one. */
static bool can_be_tested(const Nordsieck *m) { return !m->mass && m->multi.base.n > FEW_UNKNOWNS; }

/* Whether the prediction is far from where the Jacobian was made, or tested last. */
static bool is_far(const Nordsieck *m)
{
    const Solver *s = &m->multi.base;
    if (m->state.jacobian_age == 0) return false;
    double far = FAR / s->options.rtol * m->state.scale;
    return norm_square_of_difference(s->n, m->w[0], m->y_jacobian, m->multi.weight, m->update) > far * far;
}

/* What must be made anew before Newton can start: RECORD_JACOBIAN, RECORD_FACTORS. */
static unsigned needed(const Nordsieck *m, double c)
{
    const StepRecord *record = m->multi.record;
    if (record) return record->flags & (RECORD_JACOBIAN | RECORD_FACTORS);
    if (!m->jacobian.have || m->state.strange) return RECORD_JACOBIAN | RECORD_FACTORS;
    if (!m->state.factored) return RECORD_FACTORS | (m->state.carried ? 0 : RECORD_JACOBIAN);
    if (m->state.jacobian_age >= JACOBIAN_LIFE + can_be_tested(m)) return RECORD_JACOBIAN | RECORD_FACTORS;
    bool other_c = fabs(m->state.c_factored / c - 1.0) > C_CHANGE;
    if (!other_c && m->state.factor_age < FACTOR_LIFE) return 0;
    return RECORD_FACTORS | (m->state.rate_seen > SLOW_RATE ? RECORD_JACOBIAN : 0);
}

/* Makes J at the prediction, and the factors of c I - J. */
static TryResult make_matrix(Nordsieck *m, double t, double h, double c, unsigned what)
{
    Solver *s = &m->multi.base;
    m->multi.flags |= what;
    m->state.strange = true; /* until the step is accepted */
    m->state.rate = FIRST_RATE;
    if (what & RECORD_JACOBIAN) {
        TryResult result = of_eval(jacobian_f(s, &m->jacobian, t, m->w[0], m->f_predicted, h));
        restart_note_jacobian(&m->restart, result == TRY_OK);
        if (result != TRY_OK) return result;
        vector_copy(s->n, m->w[0], m->y_jacobian);
        m->state.jacobian_age = 0;
        m->state.rate_seen = 0.0;
        m->state.carried = false;
        m->state.jacobian_norm = jacobian_norm(&m->jacobian, m->multi.weight, m->matrix, m->f, m->update);
    }
    jacobian_shift(&m->jacobian, c, m->matrix);
    s->stats.factors++;
    LuStatus status = lu_factor(m->lu, m->matrix);
    m->state.factored = status == LU_OK;
    m->state.c_factored = c;
    m->state.factor_age = 0;
    if (status == LU_SINGULAR) s->blamed = lu_singular_column(m->lu);
    return status == LU_OK ? TRY_OK : TRY_SINGULAR;
}

static double norm_of(double squares, int n) { return n ? sqrt(squares / n) : 0.0; }

/* One update of e and y from f at y; returns its norm in units of e. */
static double functional_update(Nordsieck *m, const double *f, double h, double l0)
{
    MultiStep *multi = &m->multi;
    double sum = 0.0, *e = multi->error;
    for (int i = 0; i < multi->base.n; i++) {
        double next = h * f[i] - m->w[1][i], u = next - e[i], size = u * multi->weight[i];
        m->update[i] = u;
        e[i] = next;
        multi->y_new[i] = m->w[0][i] + l0 * next;
        sum += size * size;
    }
    return norm_of(sum, multi->base.n);
}

/* The same from the solution of Newton's system; `scale` brings it to units of e. */
static double move(Nordsieck *m, double l0, double scale)
{
    MultiStep *multi = &m->multi;
    double sum = 0.0, *e = multi->error;
    for (int i = 0; i < multi->base.n; i++) {
        double u = m->update[i] *= scale, size = u * multi->weight[i];
        e[i] += u;
        multi->y_new[i] = m->w[0][i] + l0 * e[i];
        sum += size * size;
    }
    return norm_of(sum, multi->base.n);
}

static double newton_update(Nordsieck *m, const double *f, double h, double l0)
{
    MultiStep *multi = &m->multi;
    Solver *s = &multi->base;
    const double *w1 = m->w[1], *e = multi->error;
    double ratio = m->state.c_factored * h * l0, per_h = 1.0 / h;
    if (m->mass) {
        for (int i = 0; i < s->n; i++) multi->y_new[i] = w1[i] + e[i];
        memcpy(m->update, f, (size_t)s->n * sizeof(double));
        model_add_mass(s->model, -1.0 / h, multi->y_new, m->update);
    } else {
        for (int i = 0; i < s->n; i++) m->update[i] = f[i] - (w1[i] + e[i]) * per_h;
    }
    lu_solve(m->lu, m->update);
    s->stats.solves++;
    s->stats.newton++;
    return move(m, l0, 2.0 * ratio / (1.0 + ratio) / l0);
}

static double update(Nordsieck *m, bool newton, const double *f, double h, double l0)
{
    return (newton ? newton_update : functional_update)(m, f, h, l0);
}

/* Watches one iteration. */
typedef struct {
    bool newton, fixed;
    int count, least;
    double old, first, own_rate;
    double scaled; /* rate of algebraic unknowns by the scale of updates */
    double turn;   /* cosine between the first two updates of functional iteration */
} Watch;

/* Updates with a matrix for another c are scaled by 2r/(1+r), which is right half way between what
 * is stiff and what is not. Of an algebraic unknown, which c does not matter to, it leaves this
 * share: nobody sees that in a single update, and nothing but the next step makes it good. */
static double rate_of_scaled(double r) { return fabs(1.0 - r) / (1.0 + r); }

/* What is believed of the rate before it is seen in this step: from farther away f is less
 * linear. */
static double rate_of_first(const Nordsieck *m, const Watch *w)
{
    double growth = m->state.first_seen > 0.0 ? w->first / m->state.first_seen : 1.0;
    double rate = w->newton && growth > MUCH_LARGER ? growth * m->state.rate : m->state.rate;
    return larger(rate, w->scaled);
}

/* Of the first two updates, after the second: their sum is e, so its length tells. */
static double cosine_of_updates(const Nordsieck *m, double first, double second)
{
    double e = norm_rms(m->multi.base.n, m->multi.error, m->multi.weight), product = first * second;
    return product > 0.0 ? 0.5 * (e * e - first * first - second * second) / product : 0.0;
}

static NewtonVerdict watch(Nordsieck *m, Watch *w, int order, double norm)
{
    const StepRecord *record = m->multi.record;
    int most = w->fixed ? MOST_FIXED : MOST_ITERATIONS;
    w->count++;
    if (!isfinite(norm)) return NEWTON_DIVERGES;
    if (w->count == 2 && m->choice->switches && !w->newton) w->turn = cosine_of_updates(m, w->old, norm);
    if (w->count > 1) {
        double ratio = norm / larger(w->old, DBL_MIN);
        m->state.first_seen = w->first;
        w->own_rate = larger(w->own_rate, smaller(ratio, 1024.0));
        m->state.rate = larger(0.2 * m->state.rate, ratio);
        m->state.rate_seen = larger(0.2 * m->state.rate_seen, ratio);
    }
    double test = m->family[m->state.family_next].test[order], share = 2.0 * (order + 2) * test;
    if (w->count == 1) w->first = norm * test;
    bool diverges = w->count > 1 && norm > 2.0 * w->old;
    w->old = norm;
    if (record) return w->count >= record->iterations ? NEWTON_DONE : NEWTON_GO_ON;
    if (w->fixed) {
        if (norm <= FIXED_UPDATE) return NEWTON_DONE;
        if (w->count > 4 && m->state.rate > 0.5 && norm <= FIXED_ROUNDING) return NEWTON_DONE;
        return w->count < most ? NEWTON_GO_ON : NEWTON_SLOW;
    }
    double rate = w->count > 1 ? m->state.rate : rate_of_first(m, w);
    if (w->count >= w->least && norm * smaller(1.0, 1.5 * rate) * share <= 1.0) return NEWTON_DONE;
    if (diverges) return NEWTON_DIVERGES;
    return w->count < most ? NEWTON_GO_ON : NEWTON_SLOW;
}

/* Iterates from the prediction. TRY_NEWTON: no convergence. */
static TryResult iterate(Nordsieck *m, Watch *w, double h, int order)
{
    Solver *s = &m->multi.base;
    double t = s->core.t + h, l0 = m->family[m->state.family_next].l[order][0];
    const double *f = m->f_predicted;
    vector_clear(s->n, m->multi.error);
    w->count = 0;
    w->own_rate = 0.0;
    for (;;) {
        double norm = update(m, w->newton, f, h, l0);
        NewtonVerdict verdict = watch(m, w, order, norm);
        m->multi.iterations = w->count;
        if (verdict == NEWTON_DONE) return TRY_OK;
        if (verdict != NEWTON_GO_ON) {
            s->blamed = norm_worst(s->n, m->update, m->multi.weight);
            return TRY_NEWTON;
        }
        TryResult result = of_eval(solver_f(s, t, m->multi.y_new, m->f));
        if (result != TRY_OK) return result;
        f = m->f;
    }
}

static TryResult solve_nonlinear(Nordsieck *m, double h, int order)
{
    Solver *s = &m->multi.base;
    double t = s->core.t + h, c = 1.0 / (h * m->family[m->state.family_next].l[order][0]);
    Watch w = { .newton = uses_newton(m), .fixed = s->options.fixed_step > 0.0, .least = 1 };
    if (m->choice->switches) w.least = stiffness_least_iterations(m, order);
    TryResult result = of_eval(solver_f(s, t, m->w[0], m->f_predicted));
    if (result != TRY_OK) return result;
    unsigned what = w.newton ? needed(m, c) : 0;
    /* an old Jacobian is tested by one more iteration, which costs less than a new one, and lives
     * on if that is fast */
    bool test = w.newton && !w.fixed && can_be_tested(m) && !(what & RECORD_JACOBIAN) &&
                (m->state.jacobian_age == JACOBIAN_LIFE || is_far(m));
    if (test) w.least = 2;
    for (;;) {
        if (what) result = make_matrix(m, t, h, c, what);
        if (result != TRY_OK) return result;
        if (w.newton && m->mass) w.scaled = rate_of_scaled(m->state.c_factored / c);
        result = iterate(m, &w, h, order);
        bool again = w.newton && !(m->multi.flags & RECORD_JACOBIAN) && !m->multi.record;
        if (result == TRY_OK || result == TRY_FATAL || !again) break;
        if (m->state.carried) restart_blame_jacobian(&m->restart);
        m->state.carried = false;
        what = RECORD_JACOBIAN | RECORD_FACTORS;
        result = TRY_OK;
    }
    if (result == TRY_OK && test && !(m->multi.flags & RECORD_JACOBIAN)) {
        bool lives = w.own_rate <= FAST_RATE;
        m->state.jacobian_age = lives ? 0 : JACOBIAN_LIFE;
        if (lives) vector_copy(s->n, m->w[0], m->y_jacobian);
    }
    if (result == TRY_OK && m->choice->switches) stiffness_note_rate(m, h, order, w.own_rate, w.turn);
    return result;
}

/* Vectors that are linear once the first one is known: c L y - J y = g + L (c w_0 - w_1 / h), with
 * the exact J there. */
static TryResult solve_linear(Nordsieck *m, double h, int order)
{
    Solver *s = &m->multi.base;
    double l0 = m->family[m->state.family_next].l[order][0], c = 1.0 / (h * l0);
    double *e = m->multi.error, *y = m->multi.y_new;
    TryResult result = of_eval(variation_at(&m->variation, 0, s->core.t + h, y));
    if (result != TRY_OK) return result;
    for (int i = m->variation.n; i < s->n; i++) m->update[i] = c * m->w[0][i] - m->w[1][i] / h;
    result = variation_direct(&m->variation, m->exact, m->matrix, c, m->update, y);
    for (int i = m->variation.n; i < s->n; i++) e[i] = (y[i] - m->w[0][i]) / l0;
    return result;
}

/* y is the prediction; f there makes the history. */
static TryResult evaluate(Nordsieck *m, double h)
{
    MultiStep *multi = &m->multi;
    Solver *s = &multi->base;
    vector_copy(s->n, m->w[0], multi->y_new);
    TryResult result = of_eval(solver_f(s, s->core.t + h, multi->y_new, m->f));
    for (int i = 0; i < s->n; i++) multi->error[i] = h * m->f[i] - m->w[1][i];
    multi->iterations = 1;
    return result;
}

TryResult corrector_solve(Nordsieck *m, double h, int order)
{
    if (m->family[m->state.family_next].explicit) return evaluate(m, h);
    if (!m->variation.is_there || !uses_newton(m) || m->multi.record) return solve_nonlinear(m, h, order);
    variation_narrow(&m->variation, true);
    TryResult result = solve_nonlinear(m, h, order);
    variation_narrow(&m->variation, false);
    return result == TRY_OK ? solve_linear(m, h, order) : result;
}
