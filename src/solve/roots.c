/* roots.c: roots of the model's indicators on the dense output of the step just taken.
 *
 * In: a step [t_low, t] with its interpolant. Out: the first time at which an indicator has left its side,
 * to within rounding, and which ones and in which direction. How: an indicator has a root where its sign
 * differs from its side; signs at the ends of a step are enough for most steps, so those cost one evaluation.
 * In the first step after a beginning the middle is looked at too, later a place inside where the parabola
 * through the last three values comes near to 0. All indicators are bracketed together: the
 * earliest root of the polynomials through the last values of those that changed is tried (on smooth indicators three
 * or four evaluations do), and whichever part holds the first change is kept; where estimates do not settle the
 * bracket is bisected. The time given is the right end of the bracket, so there the new
 * sign holds, and the side of an event is never the sign of a rounding error. An indicator that is exactly
 * 0 at first has no side until it differs from 0. Always: each sign change at the ends of searched pieces
 * is reported once. Tests: tests/solve/roots_test.c. */
#include "solve/inside.h"

enum { MOST_ROUNDS = 200, SLOW_ROUNDS = 2, POLYNOMIAL_ROUNDS = 60, AIM_ROUNDS = 3 };
static const double AIM_BEYOND = 1e-3; /* of the way to a root that is aimed at */
static const double ENOUGH =
    0x1p-40; /* a step of Newton's method so short is the last, for the next would be its square */
static const double NEAR_ZERO = 0.25; /* of the smaller end: an extremum below is looked at */

static signed char sign_of(double v) { return (signed char)((v > 0.0) - (v < 0.0)); }

void roots_setup(Solver *s)
{
    Roots *r = &s->roots;
    size_t m = (size_t)(r->m = s->model->shape.indicators);
    if (!m) return;
    r->low = NEW_ARRAY(s->arena, double, m);
    r->high = NEW_ARRAY(s->arena, double, m);
    r->middle = NEW_ARRAY(s->arena, double, m);
    for (int k = 0; k < ROOT_POINTS; k++) {
        r->past[k] = NEW_ARRAY(s->arena, double, m);
        solver_keep(s, r->past[k], m * sizeof(double));
    }
    r->y = solver_vector(s);
    r->side = NEW_ARRAY(s->arena, signed char, m);
    r->found = NEW_ARRAY(s->arena, signed char, m);
    solver_keep(s, r->low, m * sizeof(double));
    solver_keep(s, r->side, m);
    solver_keep(s, r->found, m);
    solver_keep(s, &r->at, sizeof r->at);
    r->at.t_low = s->core.t;
}

void roots_restart(Solver *s, double t)
{
    Roots *r = &s->roots;
    r->at.started = r->at.pending = r->at.kept = false;
    r->at.points = 0;
    r->at.t_low = t;
    for (int i = 0; i < r->m; i++) r->side[i] = r->found[i] = 0;
}

/* Values at t, which also become the newest of the past: contents move, so that saving needs no order. */
static bool evaluate(Solver *s, double t, double *g)
{
    Roots *r = &s->roots;
    size_t bytes = (size_t)r->m * sizeof(double);
    solver_interpolate(s, t, r->y);
    s->stats.indicators++;
    EvalStatus status = s->model->type->indicators(s->model, t, r->y, g);
    int bad = vector_first_bad(r->m, g);
    if (status != EVAL_OK || bad >= 0) {
        solver_fail(s, FAIL_MODEL, 0.0, -1, "indicator %d cannot be evaluated", bad < 0 ? 0 : bad + 1);
        return false;
    }
    if (r->at.points < ROOT_POINTS) r->at.points++;
    for (int k = r->at.points - 1; k > 0; k--) {
        memcpy(r->past[k], r->past[k - 1], bytes);
        r->at.t_past[k] = r->at.t_past[k - 1];
    }
    memcpy(r->past[0], g, bytes);
    r->at.t_past[0] = t;
    return true;
}

/* Whether the value g of indicator i is a root that is asked for. */
static bool has_left(const Solver *s, int i, double g)
{
    const Roots *r = &s->roots;
    signed char side = r->side[i], now = sign_of(g);
    if (side == 0 || now == side) return false;
    signed char way = s->model->shape.directions ? s->model->shape.directions[i] : 0;
    return way == 0 || way * side < 0;
}

static bool any_left(const Solver *s, const double *g)
{
    for (int i = 0; i < s->roots.m; i++)
        if (has_left(s, i, g[i])) return true;
    return false;
}

/* The same without values of exactly 0: there the new sign does not hold yet. */
static bool any_over(const Solver *s, const double *g)
{
    for (int i = 0; i < s->roots.m; i++)
        if (g[i] != 0.0 && has_left(s, i, g[i])) return true;
    return false;
}

/* Sides after a piece without reported roots: first values, and sign changes nobody asked for. */
static void take_sides(Roots *r, const double *g)
{
    for (int i = 0; i < r->m; i++)
        if (g[i] != 0.0) r->side[i] = sign_of(g[i]);
}

/* Newton's polynomial through points: nodes, and divided differences in place of values. */
typedef struct {
    double x[ROOT_POINTS + 2], d[ROOT_POINTS + 2];
    int n;
} Polynomial;

static void add_point(Polynomial *p, double x, double value)
{
    for (int k = 0; k < p->n; k++)
        if (p->x[k] == x) return;
    p->x[p->n] = x;
    p->d[p->n++] = value;
}

/* Value and slope at x. */
static double polynomial_at(const Polynomial *p, double x, double *slope)
{
    double v = p->d[p->n - 1], d = 0.0;
    for (int k = p->n - 2; k >= 0; k--) {
        d = v + (x - p->x[k]) * d;
        v = p->d[k] + (x - p->x[k]) * v;
    }
    *slope = d;
    return v;
}

/* Where the polynomial through both ends of the bracket [0, 1] (in units of its width) and the past of
 * indicator i is 0: Newton's method, and bisection where that leaves the bracket or hardly shrinks it. */
static double estimate_one(const Roots *r, int i, double a, double b)
{
    Polynomial p = { .n = 0 };
    double width = b - a, low = 0.0, high = 1.0, v_low = r->low[i], v_high = r->high[i], slope;
    add_point(&p, 0.0, v_low);
    add_point(&p, 1.0, v_high);
    for (int k = 0; k < r->at.points; k++) add_point(&p, (r->at.t_past[k] - a) / width, r->past[k][i]);
    for (int level = 1; level < p.n; level++)
        for (int k = p.n - 1; k >= level; k--) p.d[k] = (p.d[k] - p.d[k - 1]) / (p.x[k] - p.x[k - level]);
    double x = v_low / (v_low - v_high), step = 1.0;
    for (int round = 0; round < POLYNOMIAL_ROUNDS && high - low > UROUND; round++) {
        if (!(x > low && x < high)) x = 0.5 * (low + high);
        double v = polynomial_at(&p, x, &slope), old = step;
        if (v == 0.0 || !isfinite(v)) return isfinite(v) ? x : 0.5;
        if ((v > 0.0) == (v_low > 0.0))
            low = x;
        else
            high = x;
        step = v / slope;
        if (fabs(step) <= ENOUGH * x) return x - step > low && x - step < high ? x - step : x;
        x = fabs(step) < 0.5 * fabs(old) ? x - step : 0.5 * (low + high);
    }
    return 0.5 * (low + high);
}

/* The earliest estimate of the changes in [a, b]. An end that is exactly 0 counts as its root. */
static double estimate(const Solver *s, double a, double b)
{
    const Roots *r = &s->roots;
    double earliest = 1.0;
    for (int i = 0; i < r->m; i++)
        if (has_left(s, i, r->high[i]) && r->low[i] != 0.0 && r->high[i] != 0.0)
            earliest = fmin(earliest, estimate_one(r, i, a, b));
        else if (has_left(s, i, r->high[i]))
            earliest = fmin(earliest, r->low[i] == 0.0 ? 0.0 : 1.0);
    return a + earliest * (b - a);
}

/* Shrinks [a, b], where high has left its side at b, to rounding. */
static bool bracket(Solver *s, double a, double *b)
{
    Roots *r = &s->roots;
    size_t bytes = (size_t)r->m * sizeof(double);
    double tolerance = 8.0 * UROUND * fmax(fabs(a), fabs(*b)), sense = copysign(1.0, *b - a);
    double last = NAN, move = INFINITY;
    int slow = 0;
    for (int round = 0; round < MOST_ROUNDS && fabs(*b - a) > tolerance; round++) {
        double width = fabs(*b - a), inset = 0.5 * fmin(tolerance, width);
        double t = slow > SLOW_ROUNDS ? a + 0.5 * (*b - a) : estimate(s, a, *b);
        slow = slow > SLOW_ROUNDS ? 0 : slow;
        if (fabs(t - a) < inset) t = a + sense * inset;
        if (fabs(*b - t) < inset) t = *b - sense * inset;
        if (t == a || t == *b) break;
        if (!evaluate(s, t, r->middle)) return false;
        if (any_over(s, r->middle)) {
            *b = t;
            memcpy(r->high, r->middle, bytes);
        } else {
            a = t;
            memcpy(r->low, r->middle, bytes);
        }
        double moved = isnan(last) ? width : fabs(t - last);
        if (moved > 0.25 * move && fabs(*b - a) > 0.25 * width) slow++;
        move = moved;
        last = t;
    }
    return true;
}

static StepStatus start_search(Solver *s)
{
    Roots *r = &s->roots;
    if (!evaluate(s, r->at.t_low, r->low)) return STEP_FAILED;
    take_sides(r, r->low);
    r->at.started = r->at.fresh = true;
    return STEP_TAKEN;
}

/* A time inside the piece at which an indicator that has one sign at both ends may have another; NAN if there is
 * no sign of that. */
static double suspicious_time(const Solver *s, double t_high)
{
    const Roots *r = &s->roots;
    double a = r->at.t_low, width = t_high - a;
    if (r->at.fresh) return a + 0.5 * width;
    int before = -1;
    double x = -INFINITY, deepest = NEAR_ZERO, t = NAN;
    for (int k = 0; k < r->at.points; k++) {
        double back = (r->at.t_past[k] - a) / width;
        if (back < 0.0 && back > x) x = back, before = k;
    }
    if (before < 0) return NAN;
    for (int i = 0; i < r->m; i++) {
        double low = r->low[i], slope = r->high[i] - low, old = r->past[before][i] - low;
        if (r->side[i] == 0 || low * r->high[i] <= 0.0) continue;
        double curve = (old - x * slope) / (x * (x - 1.0)), at = 0.5 * (curve - slope) / curve;
        if (!(at > 0.0 && at < 1.0)) continue;
        double value = low + at * (slope - curve + at * curve);
        double depth = value * low > 0.0 ? fabs(value) / fmin(fabs(low), fabs(r->high[i])) : 0.0;
        if (depth >= deepest) continue;
        deepest = depth;
        t = a + at * width;
    }
    return t;
}

/* Looks into the piece [t_low, *t_high] at whose end no indicator has left its side. Where one has done so
 * before, the piece ends there. */
static bool look_inside(Solver *s, double *t_high)
{
    Roots *r = &s->roots;
    size_t bytes = (size_t)r->m * sizeof(double);
    double t = suspicious_time(s, *t_high);
    if (!(fabs(t - r->at.t_low) > 0.0 && fabs(*t_high - t) > 0.0)) return true;
    if (!evaluate(s, t, r->middle)) return false;
    /* a value of exactly 0 between equal signs is a touch, which is no event */
    for (int i = 0; i < r->m; i++)
        if (r->middle[i] == 0.0) return true;
    if (any_left(s, r->middle)) {
        memcpy(r->high, r->middle, bytes);
        *t_high = t;
        return true;
    }
    take_sides(r, r->middle);
    memcpy(r->low, r->middle, bytes);
    r->at.t_low = t;
    return true;
}

/* Indicators on the polynomial of the last step, drawn on to t: smooth, whatever f does behind an event. */
static bool look_ahead(Solver *s, double t, double *g)
{
    Roots *r = &s->roots;
    s->type->interpolate(s, t, r->y);
    s->stats.indicators++;
    EvalStatus status = s->model->type->indicators(s->model, t, r->y, g);
    return status == EVAL_OK && vector_first_bad(r->m, g) < 0;
}

double roots_aim(Solver *s, double h)
{
    Roots *r = &s->roots;
    double a = s->core.t, b = a + h;
    if (!r->m || !r->at.started || r->at.pending || r->at.t_low != a || s->core.t_old == a) return 0.0;
    if (!look_ahead(s, b, r->high) || !any_over(s, r->high)) return 0.0;
    double at = 0.0;
    for (int round = 0; round < AIM_ROUNDS; round++) {
        double last = at, t = estimate(s, a, b);
        at = t - a;
        if (fabs(at - last) <= AIM_BEYOND * fabs(at) || !look_ahead(s, t, r->middle)) break;
        if (!any_over(s, r->middle)) return at + AIM_BEYOND * h;
        b = t;
        memcpy(r->high, r->middle, (size_t)r->m * sizeof(double));
    }
    return fmin(fabs(h), (1.0 + AIM_BEYOND) * fabs(at)) * s->core.direction;
}

StepStatus roots_search(Solver *s)
{
    Roots *r = &s->roots;
    size_t bytes = (size_t)r->m * sizeof(double);
    if (!r->at.started) {
        if (start_search(s) == STEP_FAILED) return STEP_FAILED;
        if (!r->at.kept) return STEP_TAKEN;
    }
    double t_high = s->core.t;
    r->at.pending = false;
    memset(r->found, 0, (size_t)r->m);
    if (!evaluate(s, t_high, r->high)) return STEP_FAILED;
    if (!any_left(s, r->high) && !look_inside(s, &t_high)) return STEP_FAILED;
    r->at.fresh = false;
    if (!any_left(s, r->high)) {
        take_sides(r, r->high);
        memcpy(r->low, r->high, bytes);
        r->at.t_low = t_high;
        return STEP_TAKEN;
    }
    if (!bracket(s, r->at.t_low, &t_high)) return STEP_FAILED;
    for (int i = 0; i < r->m; i++)
        if (has_left(s, i, r->high[i])) r->found[i] = (signed char)(r->side[i] < 0 ? 1 : -1);
    /* an indicator that is exactly 0 here has left its side and must not be found again when it goes on */
    for (int i = 0; i < r->m; i++)
        r->side[i] = r->high[i] != 0.0 ? sign_of(r->high[i]) : (signed char)-r->side[i];
    memcpy(r->low, r->high, bytes);
    r->at.t_low = r->at.t_root = t_high;
    r->at.pending = t_high != s->core.t;
    s->stats.roots++;
    return STEP_ROOT;
}
