/* roots.c: roots of the model's indicators on the dense output of the step just taken.
 *
 * In: a step [t_low, t] with its interpolant. Out: the first time at which an indicator has left
 * its side, to within rounding, and which ones and in which direction. Tests:
 * tests/solve/roots_test.c. */
#include "solve/core/solver.h"
#include "solve/core/vectors.h"

/* An indicator has a root where its sign differs from its side; signs at the ends of a step are
 * enough for most steps, so those cost one evaluation. Inside of a step the polynomial through the
 * last values, doubted by the size of its last term, tells where an indicator may have had another
 * sign; there it is evaluated, and both parts are judged in the same way, until nothing is in
 * doubt. So an excursion shorter than a step is found if the values around it show it; one of an
 * indicator that is constant but for a moment is not. All indicators are bracketed together: the
 * earliest root of the polynomials through the last values of those that changed is tried (on
 * smooth indicators three or four evaluations do), and whichever part holds the first change is
 * kept; where estimates do not settle the bracket is bisected. The time given is the right end of
 * the bracket, so there the new sign holds, and the side of an event is never the sign of a
 * rounding error. An indicator that is exactly 0 at first has no side until it differs from 0.
 * Invariant: each sign change at the ends of searched pieces is reported once. */

enum { MOST_ROUNDS = 200, SLOW_ROUNDS = 2, POLYNOMIAL_ROUNDS = 60, AIM_ROUNDS = 3 };
static const double AIM_BEYOND = 1e-3; /* of the way to a root that is aimed at */
static const double ENOUGH =
    0x1p-40; /* a step of Newton's method so short is the last, for the next would be its square */
static const double WIDEST = 8.5;  /* widths of a piece: values further away say nothing about it */
static const double NEAREST = 0.2; /* of a piece: nearer values say nothing about the rest of it */
static const double CROWDED =
    0.02; /* of a piece: values so near to others only bring their rounding errors */
static const double FAR =
    2.0; /* spreads of the values around a piece: an indicator so far from 0 is left alone */
static const double BY_CHANCE = 0.1; /* of the last but one term */
static const double TOUCH = 1e-12;   /* of the last values: this is rounding */
static const double NEAR_ZERO =
    0.25; /* of the smaller end: for stiff methods a lowest value below is looked at */
static const double BESIDE = 1e-6; /* of a piece: nearer to its ends a sample shows nothing new */
static const double NARROW = 1e-9; /* of a piece: as exact as a lowest place needs to be known */
enum { SAMPLES = 8, MOST_SAMPLES = 24, SAMPLES_EACH = 4, SECANTS = 24 };

static signed char sign_of(double v) { return (signed char)((v > 0.0) - (v < 0.0)); }

void roots_setup(Solver *s)
{
    Roots *r = &s->roots;
    size_t m = (size_t)(r->m = s->model->shape.indicators);
    if (!m) return;
    r->low = NEW_ARRAY(s->arena, double, m);
    r->high = NEW_ARRAY(s->arena, double, m);
    r->middle = NEW_ARRAY(s->arena, double, m);
    double *past = NEW_ARRAY(s->arena, double, ROOT_POINTS *m),
           *near = NEW_ARRAY(s->arena, double, ROOT_POINTS *m);
    for (size_t k = 0; k < ROOT_POINTS; k++) r->past[k] = past + k * m, r->near[k] = near + k * m;
    solver_keep(s, past, ROOT_POINTS * m * sizeof(double));
    for (int k = 0; k < ROOT_DEPTH; k++) r->later[k] = NEW_ARRAY(s->arena, double, m);
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

static bool evaluate(Solver *s, double t, double *g)
{
    Roots *r = &s->roots;
    solver_interpolate(s, t, r->y);
    s->stats.indicators++;
    EvalStatus status = s->model->type->indicators(s->model, t, r->y, g);
    if (status == EVAL_OK && vector_is_finite(r->m, g)) return true;
    int bad = vector_first_bad(r->m, g);
    solver_fail(s, FAIL_MODEL, 0.0, -1, "indicator %d cannot be evaluated", bad < 0 ? 0 : bad + 1);
    return false;
}

/* g at t becomes the newest of the last values, which lie one after the other: contents move, so
 * that saving needs no order. */
static void remember(int m, const double *g, double t, double *const *past, double *t_past, int *points)
{
    size_t bytes = (size_t)m * sizeof(double);
    if (*points < ROOT_POINTS) ++*points;
    size_t older = (size_t)(*points - 1);
    memmove(past[1], past[0], older * bytes);
    memmove(t_past + 1, t_past, older * sizeof(double));
    memcpy(past[0], g, bytes);
    t_past[0] = t;
}

/* Values at ends of steps and of their parts, which interpolation may use. After a root they are
 * still there. */
static bool evaluate_past(Solver *s, double t, double *g)
{
    Roots *r = &s->roots;
    for (int k = 0; k < r->at.points; k++)
        if (r->at.t_past[k] == t) {
            memcpy(g, r->past[k], (size_t)r->m * sizeof *g);
            return true;
        }
    if (!evaluate(s, t, g)) return false;
    remember(r->m, g, t, r->past, r->at.t_past, &r->at.points);
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
    if (p->n == ROOT_POINTS + 2) return;
    p->x[p->n] = x;
    p->d[p->n++] = value;
}

static void divide_differences(Polynomial *p)
{
    for (int level = 1; level < p->n; level++)
        for (int k = p->n - 1; k >= level; k--)
            p->d[k] = (p->d[k] - p->d[k - 1]) / (p->x[k] - p->x[k - level]);
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

/* Where the polynomial through both ends of the bracket [0, 1] (in units of its width) and the past
 * of indicator i is 0: Newton's method, and bisection where that leaves the bracket or hardly
 * shrinks it. */
static double estimate_one(const Roots *r, int i, double a, double b)
{
    Polynomial p = { .n = 0 };
    double width = b - a, low = 0.0, high = 1.0, v_low = r->low[i], v_high = r->high[i], slope;
    add_point(&p, 0.0, v_low);
    add_point(&p, 1.0, v_high);
    for (int k = 0; k < r->near_points; k++) add_point(&p, (r->t_near[k] - a) / width, r->near[k][i]);
    for (int k = 0; k < r->at.points; k++) add_point(&p, (r->at.t_past[k] - a) / width, r->past[k][i]);
    divide_differences(&p);
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
    r->near_points = 0;
    for (int round = 0; round < MOST_ROUNDS && fabs(*b - a) > tolerance; round++) {
        double width = fabs(*b - a), inset = 0.5 * fmin(tolerance, width);
        double t = slow > SLOW_ROUNDS ? a + 0.5 * (*b - a) : estimate(s, a, *b);
        slow = slow > SLOW_ROUNDS ? 0 : slow;
        if (fabs(t - a) < inset) t = a + sense * inset;
        if (fabs(*b - t) < inset) t = *b - sense * inset;
        if (t == a || t == *b) break;
        if (!evaluate(s, t, r->middle)) return false;
        remember(r->m, r->middle, t, r->near, r->t_near, &r->near_points);
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
    if (!evaluate_past(s, r->at.t_low, r->low)) return STEP_FAILED;
    take_sides(r, r->low);
    r->at.started = true;
    return STEP_TAKEN;
}

/* The last two times before a piece, in its widths; and where their values are. */
typedef struct {
    int at[2], n;
    double x[2];
} Before;

static Before find_before(const Roots *r, double a, double width)
{
    Before b = { .x = { -INFINITY, -INFINITY } };
    double limit = -NEAREST;
    for (; b.n < 2; b.n++) {
        int found = -1;
        for (int k = 0; k < r->at.points; k++) {
            double x = (r->at.t_past[k] - a) / width;
            if (x <= limit && x > b.x[b.n]) b.x[b.n] = x, found = k;
        }
        if (found < 0 || b.x[b.n] < -WIDEST) break;
        b.at[b.n] = found;
        limit = b.x[b.n] - NEAREST;
    }
    return b;
}

/* The values that say something about a piece [a, a + width], beside those at its ends. */
typedef struct {
    int at[ROOT_POINTS], n;
    bool shows; /* one is not next to an end: it shows a turn between them */
} Around;

static Around find_around(const Roots *r, double a, double width)
{
    Around around = { .n = 0 };
    for (int k = 0; k < r->at.points; k++) {
        double x = (r->at.t_past[k] - a) / width;
        if (fabs(x - 0.5) > WIDEST || x == 0.0 || x == 1.0) continue;
        around.at[around.n++] = k;
        around.shows |= fabs(x) >= NEAREST && fabs(x - 1.0) >= NEAREST;
    }
    return around;
}

/* Whether indicator i, with one sign at both ends, is much further from 0 than its values there and
 * around are from each other. */
static bool is_far(const Roots *r, int i, const Around *around)
{
    if (!around->shows) return false;
    double sign = r->low[i] > 0.0 ? 1.0 : -1.0, least = sign * r->low[i], most = least;
    double high = sign * r->high[i];
    if (high < least)
        least = high;
    else
        most = high;
    for (int k = 0; k < around->n; k++) {
        double v = sign * r->past[around->at[k]][i];
        least = v < least ? v : least;
        most = v > most ? v : most;
    }
    return least > FAR * (most - least);
}

/* Whether the cubic through values before and at both ends of the piece shows that indicator i has
 * no other sign inside than the ends show: its way from the chord is x (x - 1) (second + third (x -
 * x_0)), which is too short to reach 0, or too flat to turn a change back. */
static bool is_plain(const Roots *r, int i, const Before *b, bool changes)
{
    double low = r->low[i], chord = r->high[i] - low, difference[2];
    if (b->n < 2) return false;
    for (int k = 0; k < 2; k++)
        difference[k] = ((r->past[b->at[k]][i] - low) / b->x[k] - chord) / (b->x[k] - 1.0);
    double third = (difference[1] - difference[0]) / (b->x[1] - b->x[0]);
    double way = 0.25 * fabs(difference[0]) + fabs(third) * (1.0 - b->x[0]);
    return changes ? fabs(chord) > 8.0 * way : fmin(fabs(low), fabs(r->high[i])) > way;
}

/* Indicator i on a piece [0, 1], times the sign that it has at 0, at SAMPLES + 1 places, and the
 * same lowered by its doubt: as much as the last term of the polynomial, which the value at the
 * end brought, is large. */
typedef struct {
    Polynomial p;
    bool stiff;
    double sign, value[SAMPLES + 1], lowered[SAMPLES + 1];
} Inside;

/* The slope of |v| to the right. */
static double growth_of(double v, double slope) { return v > 0.0 ? slope : v < 0.0 ? -slope : fabs(slope); }

/* The polynomial times the sign at 0, lowered by its doubt, at x, and the slope of that: an
 * indicator that begins near 0 may turn elsewhere than the polynomial does. The last term may be
 * small by chance, so a part of the one before counts too. At the end itself there is no doubt. */
static double lowered_at(const Inside *in, double x, double *slope)
{
    const Polynomial *p = &in->p;
    double product = 1.0, d_product = 0.0, v = p->d[0], d = 0.0, before = 0.0, d_before = 0.0, last = 0.0,
           d_last = 0.0;
    for (int j = 1; j < p->n; j++) {
        d_product = d_product * (x - p->x[j - 1]) + product;
        product *= x - p->x[j - 1];
        before = last, d_before = d_last;
        last = p->d[j] * product, d_last = p->d[j] * d_product;
        v += last, d += d_last;
    }
    *slope = in->sign * d;
    if (in->stiff) return in->sign * v;
    double doubt = BY_CHANCE * fabs(before) + fabs(last), fade = SAMPLES * (1.0 - x);
    double d_doubt = BY_CHANCE * growth_of(before, d_before) + growth_of(last, d_last);
    bool fades = fade < 1.0;
    *slope -= fades ? fade * d_doubt - SAMPLES * doubt : d_doubt;
    return in->sign * v - (fades ? fade * doubt : doubt);
}

/* The same at place k of the samples, without slope. */
static void sample_inside(Inside *in, int k)
{
    const Polynomial *p = &in->p;
    double x = (double)k / SAMPLES, product = 1.0, v = p->d[0], before = 0.0, last = 0.0;
    for (int j = 1; j < p->n; j++) {
        product *= x - p->x[j - 1];
        before = last;
        last = p->d[j] * product;
        v += last;
    }
    in->value[k] = in->sign * v;
    in->lowered[k] = in->value[k] - (in->stiff ? 0.0 : BY_CHANCE * fabs(before) + fabs(last));
}

static void slope_inside(const Inside *in, bool doubting, double x, double *slope)
{
    if (doubting) {
        lowered_at(in, x, slope);
    } else {
        polynomial_at(&in->p, x, slope);
        *slope *= in->sign;
    }
}

/* False: there are no values from which its inside could be known. */
static bool know_inside(const Roots *r, int i, double a, double width, bool stiff, Inside *in)
{
    Polynomial *p = &in->p;
    /* values of times as far apart as the ends show how it changes over such a time */
    bool wide = false;
    p->n = 0;
    in->stiff = stiff;
    in->sign = r->low[i] > 0.0 ? 1.0 : -1.0;
    add_point(p, 0.0, r->low[i]);
    for (int k = 0; k < r->at.points; k++) {
        double x = (r->at.t_past[k] - a) / width;
        bool crowded = fabs(x - 1.0) < CROWDED;
        for (int j = 0; j < p->n; j++) crowded |= fabs(x - p->x[j]) < CROWDED;
        if (fabs(x - 0.5) > WIDEST || crowded) continue;
        wide |= fabs(x - 0.5) > 0.5 + NEAREST;
        add_point(p, x, r->past[k][i]);
    }
    if (stiff ? p->n < 2 : !wide) return false;
    add_point(p, 1.0, r->high[i]);
    divide_differences(p);
    in->value[0] = in->lowered[0] = in->sign * r->low[i];
    in->value[SAMPLES] = in->lowered[SAMPLES] = in->sign * r->high[i];
    for (int k = 1; k < SAMPLES; k++) sample_inside(in, k);
    return true;
}

/* About how much lower than at place k it may be beside it: as a parabola through the neighbours
 * has it. */
static double drop_inside(const Inside *in, int k)
{
    if (k == 0 || k == SAMPLES) {
        double slope;
        lowered_at(in, k ? 1.0 : 0.0, &slope);
        return fmax(0.0, k ? slope : -slope) / SAMPLES;
    }
    const double *v = &in->lowered[k];
    double curve = v[-1] - 2.0 * v[0] + v[1], tilt = v[1] - v[-1];
    return curve > 0.0 ? 0.125 * tilt * tilt / curve : fabs(tilt);
}

/* Where the polynomial, or with `doubting` what is left of it by its doubt, is lowest between two
 * places: its slope is 0 there, which secants find. NAN: it has no such place. */
static double turning_point(const Inside *in, bool doubting, double low, double high)
{
    double s_low, s_high, x = NAN, slope;
    slope_inside(in, doubting, low, &s_low);
    slope_inside(in, doubting, high, &s_high);
    if (!(s_low < 0.0 && s_high > 0.0)) return NAN;
    for (int round = 0; round < SECANTS && high - low > NARROW; round++) {
        x = round % 3 == 2 ? 0.5 * (low + high) : low + (high - low) * s_low / (s_low - s_high);
        slope_inside(in, doubting, x, &slope);
        if (slope < 0.0)
            low = x, s_low = slope;
        else
            high = x, s_high = slope;
    }
    return x;
}

/* Where an indicator with one sign at both ends comes nearest to 0. Below 0 in *depth: it may have
 * another sign there. That is where the polynomial turns; if nothing is in doubt there, where it
 * may turn if the doubts are right, since one that begins near 0 may turn elsewhere. */
static double lowest_point(const Inside *in, double *depth)
{
    int lowest = 0;
    for (int k = 1; k <= SAMPLES; k++)
        if (in->lowered[k] < in->lowered[lowest]) lowest = k;
    double x = (double)lowest / SAMPLES, cell = 1.0 / SAMPLES, slope;
    double near = in->stiff ? NEAR_ZERO * fmin(in->value[0], in->value[SAMPLES]) : 0.0;
    double value = in->value[lowest], lowered = in->lowered[lowest];
    *depth = lowered - near;
    if (fmin(2.0 * lowered - value, 0.5 * value) > drop_inside(in, lowest)) return x;
    for (int doubting = 0; doubting < 2; doubting++) {
        double turn = turning_point(in, doubting, fmax(0.0, x - cell), fmin(1.0, x + cell));
        if (isnan(turn)) continue;
        double there = lowered_at(in, turn, &slope) - near;
        if (there < *depth || !doubting) x = turn, *depth = fmin(*depth, there);
        if (*depth < 0.0) break;
    }
    return x;
}

/* Where an indicator whose sign changes over the piece may do so and come back before: 0 if it does
 * not. */
static double earlier_change(const Inside *in)
{
    for (int k = 1; k < SAMPLES; k++) {
        bool over = in->lowered[k] < 0.0;
        for (int j = k + 1; j < SAMPLES && over; j++)
            if (in->lowered[j] > 0.0 || in->value[j] > -in->value[k]) return (double)k / SAMPLES;
    }
    return 0.0;
}

/* Whether the method at work is one for stiff equations: what indicators are between the ends of
 * its steps may be noise, which raises doubts that no value settles, and crossings where there are
 * none. Then only the values themselves count. */
static bool is_stiff(const Solver *s) { return s->type->filter && s->type->filter(s, NULL) != 0.0; }

/* The earliest time inside the piece at which an indicator was already seen to have left its side,
 * before a root of another one was found; NAN: there is none. */
static double known_time(const Solver *s, double t_high)
{
    const Roots *r = &s->roots;
    double earliest = NAN, least = 1.0;
    for (int k = 0; k < r->at.points; k++) {
        double x = (r->at.t_past[k] - r->at.t_low) / (t_high - r->at.t_low);
        if (x > 0.0 && x < least && any_over(s, r->past[k])) least = x, earliest = r->at.t_past[k];
    }
    return earliest;
}

static const double BEGINNING = 1.0 / 1024.0; /* of a first step */

/* A time inside the piece at which an indicator may have another sign than those at the ends show;
 * NAN if there is no sign of that. */
static double suspicious_time(const Solver *s, double t_high)
{
    const Roots *r = &s->roots;
    double a = r->at.t_low, width = t_high - a, deepest = 0.0, t = NAN;
    Before before = find_before(r, a, width);
    Around around = { .n = -1 };
    bool stiff = is_stiff(s);
    double known = known_time(s, t_high);
    if (!isnan(known)) return known;
    /* where an indicator goes that is exactly 0 at the beginning shows shortly behind it */
    for (int i = 0; i < r->m && width / (s->core.t - a) > 2.0 * BEGINNING; i++)
        if (r->side[i] == 0 && r->low[i] == 0.0 && r->high[i] != 0.0) return a + BEGINNING * width;
    for (int i = 0; i < r->m; i++) {
        Inside in;
        double depth = 0.0, at = 0.5;
        bool changes = has_left(s, i, r->high[i]);
        if (r->side[i] == 0 || r->low[i] == 0.0 || (!changes && r->low[i] * r->high[i] <= 0.0)) continue;
        if (is_plain(r, i, &before, changes)) continue;
        if (around.n < 0) around = find_around(r, a, width);
        if (!changes && is_far(r, i, &around)) continue;
        if (!know_inside(r, i, a, width, stiff, &in))
            depth = -INFINITY;
        else if (!changes)
            at = lowest_point(&in, &depth);
        else if ((at = earlier_change(&in)) > 0.0)
            depth = -INFINITY;
        if (!(depth < deepest) || at < BESIDE || at > 1.0 - BESIDE) continue;
        deepest = depth;
        t = a + at * width;
    }
    return t;
}

/* Whether the value in the middle is 0 but for rounding, or the tolerance where the method is a
 * stiff one, while those at the ends have one sign; and it is not on its way to more. */
static bool is_touch(const Solver *s, int i, double t_high, bool stiff)
{
    const Roots *r = &s->roots;
    Inside in;
    double scale = 0.0, a = r->at.t_low;
    if (!(r->low[i] * r->high[i] > 0.0) || r->low[i] * r->middle[i] > 0.0) return false;
    for (int k = 0; k < r->at.points; k++) scale = fmax(scale, fabs(r->past[k][i]));
    double limit = (stiff ? fmax(TOUCH, s->options.rtol) : TOUCH) * scale;
    if (fabs(r->middle[i]) > limit) return false;
    if (!stiff || !know_inside(r, i, a, t_high - a, stiff, &in)) return true;
    double depth, slope, lowest = lowest_point(&in, &depth);
    return in.sign * polynomial_at(&in.p, lowest, &slope) >= -limit;
}

/* A touch is no event: the value counts as one on the side of both ends, here and where it is
 * remembered. */
static void leave_touch(Roots *r, int i, double t)
{
    double v = copysign(fmax(fabs(r->middle[i]), DBL_MIN), r->low[i]);
    r->middle[i] = v;
    for (int k = 0; k < r->at.points; k++)
        if (r->at.t_past[k] == t) r->past[k][i] = v;
}

/* Looks at the inside of the piece up to *t_high at t, which becomes its end; the rest is put on
 * the pile. False: failure is set. */
static bool look_at(Solver *s, double t, double *t_high, double *t_later, int *later)
{
    Roots *r = &s->roots;
    size_t bytes = (size_t)r->m * sizeof(double);
    if (!evaluate_past(s, t, r->middle)) return false;
    bool stiff = is_stiff(s);
    /* that is the root itself */
    for (int i = 0; i < r->m; i++)
        if (r->middle[i] == 0.0 && r->low[i] * r->high[i] < 0.0) return true;
    for (int i = 0; i < r->m; i++)
        if (is_touch(s, i, *t_high, stiff)) leave_touch(r, i, t);
    memcpy(r->later[*later], r->high, bytes);
    t_later[(*later)++] = *t_high;
    memcpy(r->high, r->middle, bytes);
    *t_high = t;
    return true;
}

/* Goes through the piece up to *t_high, and where something may be hidden inside through its parts,
 * up to the first at whose end, then *t_high, an indicator has left its side: STEP_ROOT. */
static StepStatus narrow(Solver *s, double *t_high)
{
    Roots *r = &s->roots;
    size_t bytes = (size_t)r->m * sizeof(double);
    double t_later[ROOT_DEPTH];
    for (int later = 0, samples = 0;;) {
        bool may = samples < MOST_SAMPLES + SAMPLES_EACH * r->m && later < ROOT_DEPTH;
        double t = may ? suspicious_time(s, *t_high) : NAN, before = *t_high;
        if (fabs(t - r->at.t_low) > 0.0 && fabs(*t_high - t) > 0.0) {
            samples++;
            if (!look_at(s, t, t_high, t_later, &later)) return STEP_FAILED;
            if (*t_high != before) continue;
        }
        if (any_left(s, r->high)) return STEP_ROOT;
        take_sides(r, r->high);
        memcpy(r->low, r->high, bytes);
        r->at.t_low = *t_high;
        if (later == 0) return STEP_TAKEN;
        memcpy(r->high, r->later[--later], bytes);
        *t_high = t_later[later];
    }
}

/* Indicators on the polynomial of the last step, drawn on to t: smooth, whatever f does after an
 * event. */
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
    r->near_points = 0;
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
    if (!evaluate_past(s, t_high, r->high)) return STEP_FAILED;
    StepStatus status = narrow(s, &t_high);
    if (status != STEP_ROOT) return status;
    if (!bracket(s, r->at.t_low, &t_high)) return STEP_FAILED;
    remember(r->m, r->high, t_high, r->past, r->at.t_past, &r->at.points);
    for (int i = 0; i < r->m; i++)
        if (has_left(s, i, r->high[i])) r->found[i] = (signed char)(r->side[i] < 0 ? 1 : -1);
    /* an indicator that is exactly 0 here has left its side and must not be found again when it
     * goes on */
    for (int i = 0; i < r->m; i++)
        r->side[i] = r->high[i] != 0.0 ? sign_of(r->high[i]) : (signed char)-r->side[i];
    memcpy(r->low, r->high, bytes);
    r->at.t_low = r->at.t_root = t_high;
    r->at.pending = t_high != s->core.t;
    s->stats.roots++;
    return STEP_ROOT;
}
