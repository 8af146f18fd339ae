/* adams_bdf.c: Adams-Moulton and BDF methods of variable step and order on Nordsieck arrays.
 *
 * In: the history z at t. Out: steps; the next size and order. Cost: order^2/2 additions a
 * component and step. Tests: tests/solve/nordsieck_test.c, multistep_test.c, methods_test.c. */
#include "solve/core/start.h"
#include "solve/methods/adams_bdf/inside.h"

/* Fixed coefficients, the array is rescaled when the step changes (Gear; Hindmarsh's LSODE).
 * Size and order are thought over after order + 1 steps of one size, by the largest step that
 * the error estimates of orders q-1, q, q+1 allow, with safety factors that favour staying. With
 * fixed steps the order stays too, and the history begins as the polynomial that satisfies the
 * equation at q points (Picard iteration; if that does not converge, or with the classic start,
 * orders rise from 1). Invariant: z is the array of the last accepted step, so dense output and
 * a move back to a root are evaluations of its polynomial. */

/* LSODE's safety: the error of each order counts as these many times itself to the power
 * 1/(order+1). */
static const double BIAS_SAME = 1.2, BIAS_DOWN = 1.3, BIAS_UP = 1.4;
static const double LEAST_CHANGE = 1.1; /* growth that is worth a change */
static const double FIRST_GROWTH = 1e4, USUAL_GROWTH = 10.0, GROWTH_AFTER_FAILURE = 2.0;
/* BDF of high orders are unstable where steps grow fast; the estimate does not see it before it is
 * too late. */
static const double STIFF_GROWTH = 2.0;
/* That of order 1 is a one-step method, which no growth makes unstable: after a leap its steps have
 * ten powers of ten to grow. */
static const double EULER_GROWTH = 100.0;
static const double LEAST_RESPONSE = 0.1; /* of the step before: for less a starter is better */
static const double FAILURE_FACTOR = 0.25, SECOND_FAILURE_FACTOR = 0.2, DROP_FACTOR = 0.1;
enum { WAIT_AFTER_NO_CHANGE = 3, WAIT_AFTER_DROP = 5, PICARD_SWEEPS = 60 };

static int most_order(const Nordsieck *m)
{
    const Solver *s = &m->multi.base;
    int most = m->family[m->state.family_next].most;
    return s->options.max_order > 0 && s->options.max_order < most ? s->options.max_order : most;
}

static double extent_of_solution(const Solver *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->n; i++) {
        double part = s->y[i] != 0.0 ? s->options.rtol * s->y[i] / s->atol[i] : 0.0;
        sum += part * part;
    }
    return sqrt(sum / larger(1.0, s->n));
}

/* Of the weights of BDF. Calibration goes by rtol, which is too much where atol does not ask for so
 * many digits: then the relative tolerance is as many times larger as the solution's extent is
 * below 1. */
static double stiff_scale(Nordsieck *m)
{
    double relief = 1.0;
    if (m->calibration < 1.0 && m->state.extent < 1.0) {
        m->state.extent = larger(m->state.extent, extent_of_solution(&m->multi.base));
        double share = pow(smaller(1.0, m->state.extent), solver_bdf.tolerance_power - 1.0);
        relief = larger(m->calibration, share);
    }
    return m->choice->switches ? relief / m->calibration : relief;
}

/* With fixed steps iteration goes down to rounding. */
static bool set_weights(Nordsieck *m)
{
    Solver *s = &m->multi.base;
    if (s->options.fixed_step > 0.0) {
        fixed_weights(s, m->multi.weight);
        return true;
    }
    m->state.scale = m->state.family == FAMILY_BDF ? stiff_scale(m) : 1.0;
    return solver_weights_scaled(s, s->y, m->state.scale, m->multi.weight);
}

/* A history of order 1 from y' in `slope`; its step is 1, so that it does not depend on a
 * proposal. */
static void begin_at_order_one(Nordsieck *m)
{
    Solver *s = &m->multi.base;
    memcpy(m->z[0], s->y, (size_t)s->n * sizeof(double));
    memcpy(m->z[1], m->restart.slope, (size_t)s->n * sizeof(double));
    m->state.t = s->core.t;
    m->state.h = 1.0;
    m->state.order = m->multi.state.order = 1;
}

/* The history for fixed steps of order q: the polynomial whose derivative is f at q points. The
 * columns of w hold f. */
static EvalStatus begin_fixed(Nordsieck *m, int q)
{
    Solver *s = &m->multi.base;
    double h = s->options.fixed_step * s->core.direction, t = s->core.t, change = INFINITY;
    for (int j = 0; j < q; j++) memcpy(m->w[j], m->z[1], (size_t)s->n * sizeof(double));
    for (int sweep = 0; sweep < PICARD_SWEEPS && change > 1.0; sweep++) {
        change = 0.0;
        for (int j = 1; j < q; j++) {
            nordsieck_integral(s->n, q, s->y, h, m->w, j, m->multi.y_new);
            if (solver_f(s, t + j * h, m->multi.y_new, m->f) != EVAL_OK) return EVAL_RETRY;
            for (int i = 0; i < s->n; i++) m->update[i] = h * (m->f[i] - m->w[j][i]);
            change = fmax(change, norm_rms(s->n, m->update, m->multi.weight));
            memcpy(m->w[j], m->f, (size_t)s->n * sizeof(double));
        }
        if (!isfinite(change)) return EVAL_RETRY;
    }
    if (change > 1e3) return EVAL_RETRY;
    nordsieck_of_derivatives(s->n, q, s->y, h, m->w, m->z);
    m->state.h = h;
    m->state.order = m->multi.state.order = q;
    return EVAL_OK;
}

/* y' at (t, y) into `slope`; with a mass matrix y is made consistent. */
static EvalStatus first_derivative(Nordsieck *m)
{
    Solver *s = &m->multi.base;
    if (!m->mass) return solver_f(s, s->core.t, s->y, m->restart.slope);
    if (!consistent_solve(&m->consistent, m->multi.weight)) return EVAL_FATAL;
    m->state.factored = false;
    memcpy(m->restart.slope, s->yp, (size_t)s->n * sizeof(double));
    return EVAL_OK;
}

/* A first step of order 1. */
static double first_step(Nordsieck *m)
{
    Solver *s = &m->multi.base;
    if (!m->mass) return start_step(s, 1, m->z[1], m->multi.weight, m->multi.y_new, m->f);
    double way = isinf(s->core.t_end) || s->core.t_end == s->core.t ? 1.0 : fabs(s->core.t_end - s->core.t);
    return fmin(1e-3 * way, 0.5 / fmax(norm_rms(s->n, m->z[1], m->multi.weight), DBL_MIN));
}

/* By a starter, or by the array that extrapolation gives. */
static bool begin_high(Nordsieck *m)
{
    MultiStep *multi = &m->multi;
    Restart *r = &m->restart;
    r->newton = m->state.family_next == FAMILY_BDF || m->choice->newton;
    r->algebraic = m->mass;
    r->family = &m->family[m->state.family_next];
    RestartWay way = restart_begin(r);
    int p = multi->state.order;
    double longest = stiffness_first(m, 0), H = multi->state.h;
    if (longest > 0.0 && fabs(H) > longest) H = copysign(longest, H);
    bool starts = way == BEGIN_BY_STARTER;
    /* a record may say that it was of no use */
    if (!starts || solver_replay(&multi->base)) begin_at_order_one(m);
    if (way == BEGIN_AT_ONE) return false;
    multi->state.order = p;
    multi->state.h = H;
    if (starts) return true;
    if (starter_fill(r, p, H, m->z, m->w) != EVAL_OK) {
        begin_at_order_one(m);
        return false;
    }
    m->state.h = H;
    m->state.order = p;
    m->state.wait = p + 1;
    multi->state.h = 0.5 * H;
    return true;
}

/* Moves the history, which reaches to the event, there. */
static void move_history(Nordsieck *m)
{
    Solver *s = &m->multi.base;
    double x = (s->core.t - m->state.t) / m->state.h;
    if (x != 0.0) nordsieck_shift(s->n, m->z, m->state.order, x);
    m->state.t = s->core.t;
}

/* Whether the history is kept: then it has y and y' from after the event. */
static bool keep_history(Nordsieck *m)
{
    Solver *s = &m->multi.base;
    Restart *r = &m->restart;
    const StepRecord *record = solver_replay(s);
    bool reaches =
        s->core.restarted && m->state.reaches && m->state.order > 1 && !(s->options.fixed_step > 0.0);
    double x = (s->core.t - m->state.t) / m->state.h, *const *there = x == 0.0 ? m->z : m->w;
    if (reaches && x != 0.0) nordsieck_slope_at(s->n, m->z, m->state.order, x, m->w[0], m->w[1]);
    restart_measure(r, reaches ? there[0] : NULL, there[1], 1.0 / m->state.h);
    if (!reaches || s->options.starter == STARTER_CLASSIC || m->mass) return false;
    bool keep = record ? record->flags & RECORD_KEPT : restart_small(r, m->multi.state.h);
    if (!keep) return false;
    move_history(m);
    memcpy(m->z[0], s->y, (size_t)s->n * sizeof(double));
    for (int i = 0; i < s->n; i++) m->z[1][i] = m->state.h * r->slope[i];
    m->state.keeping = true;
    s->stats.kept++;
    return true;
}

/* How much more a correction changes y than the error that it shows. */
static double correction_over_error(const Nordsieck *m, int q)
{
    const NordsieckFamily *family = &m->family[m->state.family_next];
    return family->l[q][0] / family->test[q];
}

/* Where f is linear nearby, with the Jacobian J that the iteration has, the solution after the
 * event differs from the history by d with d' = c + J d: its derivatives are J^k d'(0), and with
 * them the history goes on at its order. The step is what the first derivative beyond allows. The
 * next step is the test. */
static bool respond(Nordsieck *m)
{
    MultiStep *multi = &m->multi;
    Solver *s = &multi->base;
    Restart *r = &m->restart;
    const StepRecord *record = solver_replay(s);
    int q = m->state.order;
    bool newton = m->state.family_next == FAMILY_BDF || m->choice->newton;
    bool able = s->core.restarted && m->state.reaches && q > 1 && newton && !m->mass && m->jacobian.have &&
                !m->state.strange && s->options.starter == STARTER_AUTO && !(s->options.fixed_step > 0.0);
    if (record) able = able && record->flags & RECORD_RESPONSE;
    if (!able || (!restart_may_respond(r) && !record)) return false;
    move_history(m);
    double h = m->state.h, factorial = 1.0;
    for (int i = 0; i < s->n; i++) m->w[1][i] = h * r->slope[i] - m->z[1][i];
    for (int k = 1; k <= q; k++) {
        double *next = k < q ? m->w[k + 1] : m->update;
        matrix_times(m->jacobian.shape, m->jacobian.values, m->w[k], next);
        for (int i = 0; i < s->n; i++) next[i] *= h / (k + 1);
        factorial *= k + 1;
    }
    /* the correction, not the error that it shows, shall stay below the tolerance: also that of the
     * history before */
    const NordsieckFamily *family = &m->family[m->state.family_next];
    double more = correction_over_error(m, q);
    double size = more * factorial * family->error_constant[q] * norm_rms(s->n, m->update, multi->weight);
    double old = more * m->state.error, bias = 1.0 / BIAS_SAME;
    double ratio = fmin(fmax(1.0, fabs(multi->state.h / h)), bias * pow(fmax(old, 1e-10), -1.0 / (q + 1)));
    ratio = fmin(ratio, bias * pow(fmax(size, 1e-10), -1.0 / (q + 1)));
    if (!(ratio >= LEAST_RESPONSE) && !record) return false;
    memcpy(m->z[0], s->y, (size_t)s->n * sizeof(double));
    for (int k = 1; k <= q; k++)
        for (int i = 0; i < s->n; i++) m->z[k][i] += m->w[k][i];
    memset(m->e_old, 0, (size_t)s->n * sizeof(double));
    multi->state.h = ratio * fabs(h) * s->core.direction;
    multi->state.order = q;
    m->state.wait = q + 1;
    m->state.keeping = m->state.responding = true;
    s->stats.kept++;
    return true;
}

/* Nothing of the steps before holds any more: y' is in `slope`. */
static EvalStatus begin_anew(Nordsieck *m)
{
    MultiStep *multi = &m->multi;
    Solver *s = &multi->base;
    m->state.wait = 2;
    m->state.growth = FIRST_GROWTH;
    m->state.rate = 0.7;
    m->restart.state.starting = m->state.keeping = false;
    bool fixed = s->options.fixed_step > 0.0;
    bool given = s->options.initial_step > 0.0 && !s->core.restarted;
    if (fixed || given) begin_at_order_one(m);
    if (given)
        multi->state.h = s->options.initial_step * s->core.direction;
    else if (!fixed && !begin_high(m))
        multi->state.h = first_step(m) * s->core.direction;
    m->state.factored = false;
    if (m->state.strange || !restart_carries_jacobian(&m->restart)) m->jacobian.have = false;
    m->state.carried = m->jacobian.have;
    stiffness_begin(m);
    if (fixed && !m->mass && s->options.starter != STARTER_CLASSIC) {
        int q = s->options.max_order > 0 ? most_order(m) : s->type->order;
        if (begin_fixed(m, q) == EVAL_FATAL) return EVAL_FATAL;
    }
    return EVAL_OK;
}

static EvalStatus nordsieck_begin(MultiStep *multi)
{
    Nordsieck *m = (Nordsieck *)multi;
    if (!set_weights(m)) return EVAL_FATAL;
    EvalStatus status = first_derivative(m);
    if (status != EVAL_OK) return status;
    if (m->mass && !set_weights(m)) return EVAL_FATAL;
    m->state.responding = false;
    return keep_history(m) || respond(m) ? EVAL_OK : begin_anew(m);
}

static EvalStatus nordsieck_drop(MultiStep *multi)
{
    Nordsieck *m = (Nordsieck *)multi;
    EvalStatus status = first_derivative(m);
    begin_at_order_one(m);
    m->state.wait = WAIT_AFTER_DROP;
    return status;
}

static TryResult nordsieck_attempt(MultiStep *multi, double h, int q, double *error)
{
    Nordsieck *m = (Nordsieck *)multi;
    Solver *s = &multi->base;
    if (multi->record && m->choice->switches)
        m->state.family_next = multi->record->flags & RECORD_STIFF ? FAMILY_BDF : FAMILY_ADAMS;
    if (multi->record) m->restart.state.starting = multi->record->flags & RECORD_STARTER;
    if (m->restart.state.starting) {
        multi->flags |= RECORD_STARTER;
        return starter_attempt(&m->restart, h, q, error);
    }
    if (m->state.keeping) multi->flags |= m->state.responding ? RECORD_RESPONSE : RECORD_KEPT;
    /* one order more: the next derivative comes from the last correction */
    if (q == m->state.order + 1) {
        double last = m->family[m->state.family].l[q - 1][q - 1] / q;
        for (int i = 0; i < s->n; i++) m->z[q][i] = last * m->e_old[i];
    } else if (q > m->state.order) {
        solver_fail(s, FAIL_REPLAY, h, -1, "the recorded order %d does not fit the history", q);
        return TRY_FATAL;
    }
    nordsieck_predict(s->n, m->z, q, h / m->state.h, m->w);
    TryResult result = corrector_solve(m, h, q);
    if (result != TRY_OK) return result;
    if (m->choice->switches && m->state.family_next == FAMILY_BDF) multi->flags |= RECORD_STIFF;
    if (!(s->options.fixed_step > 0.0))
        *error = m->family[m->state.family_next].test[q] * corrector_error_norm(m, multi->error);
    /* derivatives that are wrong change y by more than the estimate shows */
    if (m->state.keeping && m->state.responding) *error *= correction_over_error(m, q);
    return TRY_OK;
}

/* Size and order for the next step, from error estimates of three orders. */
static void think_over(Nordsieck *m, double h, int q, double error)
{
    MultiStep *multi = &m->multi;
    int n = multi->base.n;
    const NordsieckFamily *family = &m->family[m->state.family];
    double same = nordsieck_step_factor(BIAS_SAME, error, 1.0 / (q + 1)), down = 0.0, up = 0.0;
    if (q > 1)
        down = nordsieck_step_factor(BIAS_DOWN, family->test_down[q] * corrector_error_norm(m, m->z[q]),
                                     1.0 / q);
    if (q < most_order(m)) {
        for (int i = 0; i < n; i++) m->update[i] = multi->error[i] - m->e_old[i];
        up = nordsieck_step_factor(BIAS_UP, family->test_up[q] * corrector_error_norm(m, m->update),
                                   1.0 / (q + 2));
    }
    bool held = m->choice->switches && stiffness_hold(m, h, q, &down, &same, &up);
    double best = fmax(same, fmax(down, up));
    int order = best == same ? q : best == up ? q + 1 : q - 1;
    if (best < LEAST_CHANGE && !held) {
        m->state.wait = WAIT_AFTER_NO_CHANGE;
        return;
    }
    double most = m->state.growth;
    if (m->state.family == FAMILY_BDF && q > 2) most = fmin(most, STIFF_GROWTH);
    if (m->state.family == FAMILY_BDF && q == 1 && most == USUAL_GROWTH) most = EULER_GROWTH;
    multi->state.h = h * fmin(best, most);
    multi->state.order = order;
}

/* The array of the starter's step becomes the history. */
static void take_starter(Nordsieck *m, double H, int starter, double error)
{
    Restart *r = &m->restart;
    size_t bytes = (size_t)m->multi.base.n * sizeof(double);
    r->family = &m->family[m->state.family_next];
    r->longest = stiffness_first(m, 0);
    restart_accept(r, H, starter, error);
    if (starter == IMPLICIT_STARTER) {
        implicit_lend_jacobian(&r->implicit, &m->jacobian);
        m->state.carried = m->jacobian.have;
        m->state.factored = m->state.strange = false;
        m->state.jacobian_age = 0;
        vector_copy(m->multi.base.n, m->multi.base.y, m->y_jacobian);
    }
    for (int j = 0; j <= r->state.columns; j++) memcpy(m->z[j], r->w[j], bytes);
    m->state.h = r->state.h;
    m->state.order = r->state.columns;
    double longest = r->state.starting ? 0.0 : stiffness_first(m, m->state.order), next = m->multi.state.h;
    if (longest > 0.0 && fabs(next) > longest) m->multi.state.h = copysign(longest, next);
    m->state.error = 1.0;
    memset(m->e_old, 0, bytes);
}

static void nordsieck_accept(MultiStep *multi, double h, int q, double error)
{
    Nordsieck *m = (Nordsieck *)multi;
    Solver *s = &multi->base;
    if (m->restart.state.starting) {
        m->state.t = multi->t_new;
        m->state.growth = USUAL_GROWTH;
        if (set_weights(m)) take_starter(m, h, q, error);
        return;
    }
    const double *l = m->family[m->state.family_next].l[q];
    bool changed = h != m->state.h || q != m->state.order || m->state.family != m->state.family_next;
    bool first = m->state.growth == FIRST_GROWTH;
    nordsieck_correct(s->n, m->w, q, l, multi->error, m->z);
    m->state.t = multi->t_new;
    m->state.h = h;
    m->state.order = q;
    m->state.error = m->state.keeping && m->state.responding ? error / correction_over_error(m, q) : error;
    m->state.keeping = false;
    m->state.family = m->state.family_next;
    m->state.strange = false;
    m->state.jacobian_age++;
    m->state.factor_age++;
    if (!set_weights(m) || !solver_weights_of_tiny_step(s, h, m->z[1], m->state.scale, multi->weight)) return;
    if (changed && !first) m->state.wait = q + 1;
    if (multi->state.failures > 0) m->state.growth = GROWTH_AFTER_FAILURE;
    multi->state.h = h;
    multi->state.order = q;
    if (s->options.fixed_step > 0.0) {
        int want = s->options.max_order > 0 ? most_order(m) : s->type->order;
        if (q < want) multi->state.order = q + 1;
    } else if (!(m->choice->switches && stiffness_switch(m, h, q, error)) && --m->state.wait <= 0) {
        think_over(m, h, q, error);
        if (multi->state.failures == 0) m->state.growth = USUAL_GROWTH;
    }
    vector_copy(s->n, multi->error, m->e_old);
}

static void nordsieck_reject(MultiStep *multi, TryResult result, double h, double error)
{
    Nordsieck *m = (Nordsieck *)multi;
    Solver *s = &multi->base;
    int q = multi->state.order;
    double factor = FAILURE_FACTOR;
    if (m->state.keeping) { /* the change was not so small */
        multi->state.error_failures = 0;
        if (m->state.responding) restart_blame_response(&m->restart);
        begin_anew(m);
        return;
    }
    if (m->restart.state.starting) {
        if (restart_reject(&m->restart, result, h, error)) {
            multi->state.error_failures = 0; /* there is no history to give up */
            return;
        }
        begin_at_order_one(m);
        multi->state.failures = 0;
        multi->state.h = first_step(m) * s->core.direction;
        return;
    }
    if (result == TRY_OK && multi->state.error_failures < 3) {
        factor = nordsieck_step_factor(BIAS_SAME, error, 1.0 / (q + 1));
        if (q > 1) {
            const NordsieckFamily *family = &m->family[m->state.family_next];
            double size = corrector_error_norm(m, m->w[q]);
            double down = nordsieck_step_factor(BIAS_DOWN, family->test_down[q] * size, 1.0 / q);
            if (down > factor) {
                factor = down;
                multi->state.order = q - 1;
            }
        }
        factor = fmin(factor, multi->state.error_failures > 1 ? SECOND_FAILURE_FACTOR : 0.9);
        factor = fmax(factor, DROP_FACTOR);
    } else if (result == TRY_OK) {
        factor = DROP_FACTOR;
    }
    multi->state.h = h * factor;
}

static double nordsieck_filter(const Solver *s, double *v)
{
    const Nordsieck *m = (const Nordsieck *)s;
    if (!m->lu || !m->state.factored || m->state.family != FAMILY_BDF) return 0.0;
    if (v) lu_solve(m->lu, v);
    return m->state.c_factored;
}

static void nordsieck_interpolate(const Solver *s, double t, double *y)
{
    const Nordsieck *m = (const Nordsieck *)s;
    nordsieck_at(s->n, m->z, m->state.order, (t - m->state.t) / m->state.h, y);
}

/* Whether there is a history that reaches to the event; of two events without a step between them,
 * to the second as to the first. */
static bool reaches_event(const Nordsieck *m)
{
    double x = (m->multi.base.core.t - m->state.t) / m->state.h;
    bool is_there = m->multi.state.started ? !m->state.keeping : m->state.reaches;
    return is_there && fabs(x) <= 4.0;
}

/* Inside of the last step an unchanged history is only moved. */
static bool nordsieck_restart(Solver *s, RestartHint hint)
{
    Nordsieck *m = (Nordsieck *)s;
    m->state.reaches = reaches_event(m);
    /* it will probably go on there */
    if (hint == RESTART_RHS && m->state.reaches && m->jacobian.have) move_history(m);
    if (hint == RESTART_UNCHANGED && m->state.reaches) {
        move_history(m);
        memcpy(m->z[0], s->y, (size_t)s->n * sizeof(double));
    } else {
        m->multi.state.started = false;
    }
    return true;
}

static bool nordsieck_setup(Solver *s)
{
    static const MultiStepOps ops = { nordsieck_begin, nordsieck_drop, nordsieck_attempt, nordsieck_accept,
                                      nordsieck_reject };
    Nordsieck *m = (Nordsieck *)s;
    m->choice = s->type->data;
    m->calibration = m->choice->switches ? solver_calibration(s, solver_bdf.tolerance_power) : s->calibration;
    nordsieck_adams(&m->family[FAMILY_ADAMS]);
    nordsieck_bdf(&m->family[FAMILY_BDF]);
    nordsieck_bashforth(&m->family[FAMILY_BASHFORTH]);
    m->state.family = m->state.family_next = m->choice->family;
    solver_keep(s, &m->state, sizeof m->state);
    int most = 0;
    for (int f = 0; f < FAMILIES; f++)
        if ((m->choice->switches ? f != FAMILY_BASHFORTH : f == m->choice->family) &&
            m->family[f].most > most)
            most = m->family[f].most;
    for (int j = 0; j <= most; j++) {
        m->z[j] = solver_kept_vector(s);
        m->w[j] = solver_vector(s);
    }
    m->e_old = solver_kept_vector(s);
    if (!multistep_setup(&m->multi, &ops) || !corrector_setup(m)) return false;
    double *const scratch[] = { m->update, m->f_predicted, m->f };
    return restart_setup(&m->restart, &m->multi, &m->jacobian, m->w, scratch,
                         m->choice->family == FAMILY_BDF || m->choice->switches);
}

static void nordsieck_destroy(Solver *s)
{
    Nordsieck *m = (Nordsieck *)s;
    lu_free(m->lu);
    lu_free(m->exact);
    restart_destroy(&m->restart);
}

static bool nordsieck_restored(Solver *s) { return implicit_restored(&((Nordsieck *)s)->restart.implicit); }

static const NordsieckChoice adams = { FAMILY_ADAMS, false, false },
                             adams_newton = { FAMILY_ADAMS, true, false }, bdf = { FAMILY_BDF, true, false },
                             switching = { FAMILY_ADAMS, false, true },
                             bashforth = { FAMILY_BASHFORTH, false, false };

#define NORDSIECK_TYPE(variable, name_, most, power_, choice_, more, summary_, reference_)             \
    const SolverType variable = { .name = name_,                                                       \
                                  .family = "linear multistep",                                        \
                                  .summary = summary_,                                                 \
                                  .reference = reference_,                                             \
                                  .order = 4,                                                          \
                                  .order_most = most,                                                  \
                                  .dense_order = 4,                                                    \
                                  .tolerance_power = (power_),                                         \
                                  .data = &(choice_),                                                  \
                                  .size = sizeof(Nordsieck),                                           \
                                  .can = SOLVE_ADAPTIVE | SOLVE_FIXED | SOLVE_VARIABLE_ORDER |         \
                                         SOLVE_MULTISTEP | SOLVE_REPLAY | SOLVE_RESTART_HIGH | (more), \
                                  .setup = nordsieck_setup,                                            \
                                  .step = multistep_step,                                              \
                                  .interpolate = nordsieck_interpolate,                                \
                                  .filter = nordsieck_filter,                                          \
                                  .restart = nordsieck_restart,                                        \
                                  .destroy = nordsieck_destroy,                                        \
                                  .restored = nordsieck_restored }

NORDSIECK_TYPE(solver_adams, "adams", 12, 1.0, adams, 0,
               "Adams-Moulton, orders 1 to 12, Nordsieck form, functional iteration",
               "Nordsieck, Math. Comp. 16 (1962); Gear, Numerical IVPs in ODEs (1971)");
NORDSIECK_TYPE(solver_adams_bashforth, "adams-bashforth", 5, 1.0, bashforth, 0,
               "Adams-Bashforth, orders 1 to 5, Nordsieck form: explicit, one evaluation a step",
               "Bashforth and Adams (1883); Hairer, Norsett, Wanner, Solving ODEs I, III.1 and III.6");
NORDSIECK_TYPE(solver_adams_newton, "adams-newton", 12, 1.0, adams_newton, 0,
               "Adams-Moulton, orders 1 to 12, Nordsieck form, Newton iteration",
               "Nordsieck, Math. Comp. 16 (1962); Gear, Numerical IVPs in ODEs (1971)");
NORDSIECK_TYPE(solver_bdf, "bdf", 5, AT_ORDER(5), bdf, SOLVE_STIFF | SOLVE_MASS,
               "backward differentiation, orders 1 to 5, Nordsieck form",
               "Gear, Numerical IVPs in ODEs (1971); Hindmarsh, ODEPACK (1983)");
NORDSIECK_TYPE(solver_switching, "switching", 12, 1.0, switching, SOLVE_STIFF,
               "Adams (1 to 12) and BDF (1 to 5), changing by stiffness detection (LSODAR class)",
               "Petzold, SIAM J. Sci. Stat. Comp. 4 (1983); Hindmarsh, ODEPACK (1983)");
