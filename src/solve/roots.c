/* roots.c: roots of the model's indicators on the dense output of the step just taken.
 *
 * In: a step [t_low, t] with its interpolant. Out: the first time at which an indicator has left its side,
 * to within rounding, and which ones and in which direction. How: an indicator has a root where its sign
 * differs from its side. All indicators are bracketed together: the secant (Illinois) estimate of the
 * earliest sign change is tried, and whichever half holds the first change is kept; a bracket that does
 * not halve in two rounds is bisected. The time given is the right end of the bracket, so there the new
 * sign holds, and the side of an event is never the sign of a rounding error. An indicator that is exactly
 * 0 at first has no side until it differs from 0. Always: each sign change at the ends of searched pieces
 * is reported once. Tests: tests/solve/roots_test.c. */
#include "solve/inside.h"

enum { MOST_ROUNDS = 200 };

static signed char sign_of(double v) { return (signed char)((v > 0.0) - (v < 0.0)); }

void roots_setup(Solver *s)
{
    Roots *r = &s->roots;
    size_t m = (size_t)(r->m = s->model->shape.indicators);
    if (!m) return;
    r->low = NEW_ARRAY(s->arena, double, m);
    r->high = NEW_ARRAY(s->arena, double, m);
    r->middle = NEW_ARRAY(s->arena, double, m);
    r->y = solver_vector(s);
    r->side = NEW_ARRAY(s->arena, signed char, m);
    r->found = NEW_ARRAY(s->arena, signed char, m);
    solver_keep(s, r->low, m * sizeof(double));
    solver_keep(s, r->side, m);
    solver_keep(s, r->found, m);
    solver_keep(s, &r->at, sizeof r->at);
}

void roots_restart(Solver *s)
{
    s->roots.at.started = s->roots.at.pending = false;
    for (int i = 0; i < s->roots.m; i++) s->roots.side[i] = s->roots.found[i] = 0;
}

static bool evaluate(Solver *s, double t, double *g)
{
    Roots *r = &s->roots;
    solver_interpolate(s, t, r->y);
    s->stats.indicators++;
    EvalStatus status = s->model->type->indicators(s->model, t, r->y, g);
    int bad = vector_first_bad(r->m, g);
    if (status == EVAL_OK && bad < 0) return true;
    solver_fail(s, FAIL_MODEL, 0.0, -1, "indicator %d cannot be evaluated", bad < 0 ? 0 : bad + 1);
    return false;
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

/* Sides after a piece without reported roots: first values, and sign changes nobody asked for. */
static void take_sides(Roots *r, const double *g)
{
    for (int i = 0; i < r->m; i++)
        if (g[i] != 0.0) r->side[i] = sign_of(g[i]);
}

/* The earliest secant estimate of the changes in [a, b]; scale[] damps the end that stays (Illinois). */
static double estimate(const Solver *s, double a, double b, double low_scale, double high_scale)
{
    const Roots *r = &s->roots;
    double earliest = 1.0;
    for (int i = 0; i < r->m; i++) {
        if (!has_left(s, i, r->high[i])) continue;
        double low = low_scale * fabs(r->low[i]), high = high_scale * fabs(r->high[i]);
        double share = low + high > 0.0 ? low / (low + high) : 0.5;
        if (share < earliest) earliest = share;
    }
    return a + earliest * (b - a);
}

/* Shrinks [a, b], where high has left its side at b, to rounding. */
static bool bracket(Solver *s, double a, double *b)
{
    Roots *r = &s->roots;
    size_t bytes = (size_t)r->m * sizeof(double);
    double tolerance = 4.0 * UROUND * fmax(fabs(a), fabs(*b)), sense = copysign(1.0, *b - a);
    double low_scale = 1.0, high_scale = 1.0, one_ago = INFINITY, two_ago = INFINITY;
    int last_kept = 0;
    for (int round = 0; round < MOST_ROUNDS && fabs(*b - a) > tolerance; round++) {
        double width = fabs(*b - a), inset = 0.5 * fmin(tolerance, width);
        double t = width > 0.5 * two_ago ? a + 0.5 * (*b - a) : estimate(s, a, *b, low_scale, high_scale);
        if (fabs(t - a) < inset) t = a + sense * inset;
        if (fabs(*b - t) < inset) t = *b - sense * inset;
        if (t == a || t == *b) break;
        two_ago = one_ago;
        one_ago = width;
        if (!evaluate(s, t, r->middle)) return false;
        if (any_left(s, r->middle)) {
            *b = t;
            memcpy(r->high, r->middle, bytes);
            high_scale = 1.0;
            if (last_kept == -1) low_scale *= 0.5;
            last_kept = -1;
        } else {
            a = t;
            memcpy(r->low, r->middle, bytes);
            low_scale = 1.0;
            if (last_kept == 1) high_scale *= 0.5;
            last_kept = 1;
        }
    }
    return true;
}

static StepStatus start_search(Solver *s)
{
    Roots *r = &s->roots;
    if (!evaluate(s, s->core.t, r->low)) return STEP_FAILED;
    take_sides(r, r->low);
    r->at.t_low = s->core.t;
    r->at.started = true;
    return STEP_TAKEN;
}

StepStatus roots_search(Solver *s)
{
    Roots *r = &s->roots;
    if (!r->at.started) return start_search(s);
    double t_high = s->core.t;
    r->at.pending = false;
    memset(r->found, 0, (size_t)r->m);
    if (!evaluate(s, t_high, r->high)) return STEP_FAILED;
    if (!any_left(s, r->high)) {
        take_sides(r, r->high);
        memcpy(r->low, r->high, (size_t)r->m * sizeof(double));
        r->at.t_low = t_high;
        return STEP_TAKEN;
    }
    if (!bracket(s, r->at.t_low, &t_high)) return STEP_FAILED;
    for (int i = 0; i < r->m; i++)
        if (has_left(s, i, r->high[i])) r->found[i] = (signed char)(r->side[i] < 0 ? 1 : -1);
    /* an indicator that is exactly 0 here has left its side and must not be found again when it goes on */
    for (int i = 0; i < r->m; i++)
        r->side[i] = r->high[i] != 0.0 ? sign_of(r->high[i]) : (signed char)-r->side[i];
    memcpy(r->low, r->high, (size_t)r->m * sizeof(double));
    r->at.t_low = r->at.t_root = t_high;
    r->at.pending = t_high != s->core.t;
    s->stats.roots++;
    return STEP_ROOT;
}
