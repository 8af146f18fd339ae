/* history.c: what operators with a history remember: the past of a signal, as points over an
 * ascending key, and both sides of jumps. The key of delay() is time, that of spatialDistribution()
 * the distance travelled, which may turn back: then the record grows at its low end.
 *
 * Between two points the signal is a polynomial through up to four points around, none of them
 * beyond a jump, and none whose distance is of another order. A read at an end stays on its side of
 * the next jump until that is passed, which is an event; so are kinks. Always: keys ascend, two are
 * equal only at a jump; reading changes nothing. Cost: O(log n) a read, n points within the longest
 * span; O(n) a point at the low end. Tests: tests/rt/history_test.c. */
#include "rt/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };
static const double RATIO = 8.0; /* of neighbouring distances, at most */
/* signals that were never larger are extrapolated as if they had been */
static const double SMALL = 1e-6;
/* of the largest value: less is no jump where the key stands still */
static const double SAME = 1e-10;
static const double NEVER = 1e300; /* a front that no key reaches */

int rt_histories_new(Rt *rt, uint32_t count)
{
    rt->histories = calloc(count ? count : 1, sizeof *rt->histories);
    rt->history_count = rt->histories ? count : 0;
    return rt->histories != NULL;
}

void rt_histories_free(Rt *rt)
{
    for (uint32_t k = 0; k < rt->history_count; k++) {
        free(rt->histories[k].t);
        free(rt->histories[k].v);
        free(rt->histories[k].jumps);
    }
    free(rt->histories);
    rt->histories = NULL;
    rt->history_count = 0;
}

int rt_history_grow(RtHistory *d)
{
    int64_t room = d->room ? 2 * d->room : FIRST_ROOM;
    double *t = realloc(d->t, (size_t)room * sizeof *t);
    if (t) d->t = t;
    double *v = realloc(d->v, (size_t)room * sizeof *v);
    if (v) d->v = v;
    unsigned char *jumps = realloc(d->jumps, (size_t)room);
    if (jumps) d->jumps = jumps;
    if (!t || !v || !jumps) return 0;
    d->room = room;
    return 1;
}

/* Moves all points by `by` places; those that leave at the low end are dropped. */
static void shift(RtHistory *d, int64_t by)
{
    int64_t from = by < 0 ? -by : 0, to = by < 0 ? 0 : by;
    size_t n = (size_t)(d->n - from);
    memmove(d->t + to, d->t + from, n * sizeof *d->t);
    memmove(d->v + to, d->v + from, n * sizeof *d->v);
    memmove(d->jumps + to, d->jumps + from, n);
    d->n += by;
    d->from = d->from + by > 0 ? d->from + by : 0;
    d->to = d->to + by > 0 ? d->to + by : 0;
}

static int add_high(RtHistory *d, double t, double v, int is_jump)
{
    if (d->n == d->room && !rt_history_grow(d)) return 0;
    d->t[d->n] = t;
    d->v[d->n] = v;
    d->jumps[d->n] = (unsigned char)is_jump;
    d->to = d->n++;
    d->largest = fmax(d->largest, fabs(v));
    return 1;
}

/* is_jump: between the new point and the one that was the first. */
static int add_low(RtHistory *d, double t, double v, int is_jump)
{
    if (d->n == d->room && !rt_history_grow(d)) return 0;
    if (d->n) d->jumps[0] = (unsigned char)is_jump;
    shift(d, 1);
    d->t[0] = t;
    d->v[0] = v;
    d->jumps[0] = 0;
    d->from = 0;
    d->largest = fmax(d->largest, fabs(v));
    return 1;
}

/* ---- pieces: from one jump to the next ------------------------------------------------------- */

/* The next jump above index i, or n. */
static int64_t jump_above(const RtHistory *d, int64_t i)
{
    int64_t j = i + 1;
    while (j < d->n && !d->jumps[j]) j++;
    return j < d->n ? j : d->n;
}

/* Where the piece of index i begins. */
static int64_t piece_start(const RtHistory *d, int64_t i)
{
    while (i > 0 && !d->jumps[i]) i--;
    return i;
}

static int is_timed(const RtHistory *d) { return !(d->flags & RT_HISTORY_BOTH); }

double rt_history_next_time(const Rt *rt, uint32_t k, const double *in)
{
    const RtHistory *d = &rt->histories[k];
    int64_t j = !is_timed(d) || d->flags & RT_HISTORY_FREE ? d->n : jump_above(d, d->from);
    return j < d->n ? d->t[j] + in[RT_HISTORY_SPAN] : INFINITY;
}

int rt_history_pass(Rt *rt, uint32_t k, const double *in)
{
    RtHistory *d = &rt->histories[k];
    double key = in[RT_HISTORY_KEY], span = in[RT_HISTORY_SPAN];
    int passed = 0;
    if (d->flags & RT_HISTORY_FREE) return 0;
    if (d->is_down) {
        for (int64_t a = piece_start(d, d->to); a > 0 && key <= d->t[a]; a = piece_start(d, d->to)) {
            d->to = a - 1;
            passed = 1;
        }
        return passed;
    }
    for (int64_t j = jump_above(d, d->from); j < d->n && d->t[j] + span <= key; j = jump_above(d, j)) {
        d->from = j;
        passed = 1;
    }
    return passed;
}

void rt_history_fronts(const Rt *rt, uint32_t k, double *in)
{
    const RtHistory *d = &rt->histories[k];
    double key = in[RT_HISTORY_KEY], span = in[RT_HISTORY_SPAN];
    int64_t j = jump_above(d, d->from), a = d->n ? piece_start(d, d->to) : 0;
    while (j < d->n && d->t[j] + span <= key) j = jump_above(d, j);
    while (a > 0 && d->t[a] >= key) a = piece_start(d, a - 1);
    in[RT_HISTORY_FRONT_LOW] = j < d->n ? d->t[j] + span : NEVER;
    in[RT_HISTORY_FRONT_HIGH] = a > 0 ? d->t[a] : -NEVER;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The last point at or before `t` in [low, high]; low if there is none. */
static int64_t last_before(const RtHistory *d, double t, int64_t low, int64_t high)
{
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (d->t[middle] <= t)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int is_near(double neighbour, double own)
{
    return neighbour <= RATIO * own && neighbour >= own / RATIO;
}

/* The points around the interval from i to i + 1 that count: [*a, *b]. */
static void stencil(const RtHistory *d, int64_t i, int64_t low, int64_t high, int64_t *a, int64_t *b)
{
    double h = d->t[i + 1] - d->t[i];
    *a = i;
    *b = i + 1;
    if (i > low && !d->jumps[i] && is_near(d->t[i] - d->t[i - 1], h)) *a = i - 1;
    if (i + 2 <= high && !d->jumps[i + 2] && is_near(d->t[i + 2] - d->t[i + 1], h)) *b = i + 2;
}

/* Newton's form through the points a to b: value and slope at t. */
static void polynomial(const RtHistory *d, int64_t a, int64_t b, double t, double *value, double *slope)
{
    double c[4] = { 0 };
    int n = (int)(b - a) + 1;
    for (int i = 0; i < n; i++) c[i] = d->v[a + i];
    for (int j = 1; j < n; j++)
        for (int i = n - 1; i >= j; i--) c[i] = (c[i] - c[i - 1]) / (d->t[a + i] - d->t[a + i - j]);
    *value = c[n - 1];
    *slope = 0;
    for (int i = n - 2; i >= 0; i--) {
        *slope = *slope * (t - d->t[a + i]) + *value;
        *value = *value * (t - d->t[a + i]) + c[i];
    }
}

/* Beyond the end of a piece, whose other end is `other`, the last slope goes on for some distance.
 * It is that of neighbours whose distance is of the order of distances there. */
static void beyond(const RtHistory *d, int64_t end, int64_t other, double t, double *value, double *slope)
{
    int64_t by = other > end ? 1 : -1, far = end, base = end + by;
    *value = d->v[end];
    *slope = 0;
    for (int i = 0; i < 3 && far != other; i++) far += by;
    double least = fabs(d->t[far] - d->t[end]) / RATIO;
    if (far == end || least == 0) return;
    while (base != far && fabs(d->t[base] - d->t[end]) < least) base += by;
    double rate = (d->v[base] - d->v[end]) / (d->t[base] - d->t[end]);
    double reach = RATIO * fabs(d->t[base] - d->t[end]), way = t - d->t[end];
    if (fabs(way) <= reach) *slope = rate;
    *value += rate * fmax(-reach, fmin(way, reach));
}

static void look(const RtHistory *d, RtHistorySide side, double t, double *value, double *slope)
{
    int is_free = (d->flags & RT_HISTORY_FREE) != 0;
    int64_t low = is_free ? 0 : side == RT_HISTORY_LOW ? d->from : piece_start(d, d->to);
    int64_t high = is_free ? d->n - 1 : side == RT_HISTORY_LOW ? jump_above(d, d->from) - 1 : d->to;
    *value = *slope = 0;
    if (!d->n) return;
    if (t < d->t[low] || t >= d->t[high]) {
        int64_t end = t < d->t[low] ? low : high;
        /* before the start a signal is what it was there; where it goes into a delay of constant
         * time, it is never asked for the time to come */
        *value = d->v[end];
        if (is_timed(d) && (end == low || !is_free)) return;
        if (is_timed(d)) low = piece_start(d, high);
        beyond(d, end, end == low ? high : low, t, value, slope);
        return;
    }
    int64_t i = last_before(d, t, low, high), a, b;
    if (d->t[i + 1] == d->t[i]) {
        *value = d->v[i];
        return;
    }
    stencil(d, i, low, high, &a, &b);
    polynomial(d, a, b, t, value, slope);
}

/* Whether all that was in the record would have left it since the last point. */
static int is_lost(const RtHistory *d, RtHistorySide side, double t)
{
    if (is_timed(d) || !d->n) return 0;
    return side == RT_HISTORY_LOW ? t > d->t[d->n - 1] : t < d->t[0];
}

static RtStatus look_up(Rt *rt, RtCell *cells, int wants_slope)
{
    double value, slope;
    int64_t k = cells[0].i / RT_HISTORY_SIDES;
    RtHistorySide side = (RtHistorySide)(cells[0].i % RT_HISTORY_SIDES);
    if (k < 0 || k >= (int64_t)rt->history_count) return rt_fail_external(rt, "no such history");
    if (is_lost(&rt->histories[k], side, cells[1].r))
        return rt_fail_external(rt, "spatialDistribution() moves on by more than its length in one step");
    look(&rt->histories[k], side, cells[1].r, &value, &slope);
    cells[2].r = wants_slope ? slope : value;
    return RT_OK;
}

RtStatus rt_history_value(Rt *rt, RtCell *cells) { return look_up(rt, cells, 0); }
RtStatus rt_history_slope(Rt *rt, RtCell *cells) { return look_up(rt, cells, 1); }

double rt_history_deviation(const Rt *rt, uint32_t k, const double *in)
{
    const RtHistory *d = &rt->histories[k];
    double key = in[RT_HISTORY_KEY], v = in[RT_HISTORY_VALUE], expected, slope;
    int64_t last = d->n - 1, first = last;
    if (last < 0) return 0;
    if (is_timed(d) ? key > d->t[last] : key > d->key && !d->is_down) {
        while (first > 0 && last - first < 3 && !d->jumps[first] && d->t[first] > d->t[first - 1]) first--;
    } else if (!is_timed(d) && key < d->key && d->is_down) {
        first = last = 0;
        while (last < 3 && last + 1 < d->n && !d->jumps[last + 1]) last++;
        key -= in[RT_HISTORY_SPAN];
        v = in[RT_HISTORY_LOW_VALUE];
    } else {
        return 0;
    }
    polynomial(d, first, last, key, &expected, &slope);
    return fabs(v - expected) / fmax(SMALL, fmax(d->largest, fabs(v)));
}

/* ---- growing --------------------------------------------------------------------------------- */

/* Not after the last point. A kink: if the value is the same, the slope may be another. */
static int jump_high(RtHistory *d, double t, double v, int is_kink)
{
    int is_there = d->n && d->t[d->n - 1] == t;
    if (d->n && d->v[d->n - 1] == v && !(is_kink && is_there)) return 1;
    if (is_there && d->jumps[d->n - 1]) { /* another value at the same moment */
        d->v[d->n - 1] = v;
        return 1;
    }
    return add_high(d, t, v, 1);
}

static int jump_low(RtHistory *d, double t, double v, int is_kink)
{
    int is_there = d->n && d->t[0] == t;
    if (d->n && d->v[0] == v && !(is_kink && is_there)) return 1;
    if (is_there && d->n > 1 && d->jumps[1] && d->t[1] == t) {
        d->v[0] = v;
        return 1;
    }
    return add_low(d, t, v, 1);
}

/* What left at the end that is the way in from now on will not come back: the record ends where it
 * is, with the value that left last. */
static int turn(RtHistory *d, double span)
{
    double value, slope, end = d->is_down ? d->key : d->key - span;
    look(d, d->is_down ? RT_HISTORY_HIGH : RT_HISTORY_LOW, end, &value, &slope);
    d->is_down = !d->is_down;
    if (!d->is_down) {
        while (d->n && d->t[d->n - 1] > end) d->n--;
        d->to = d->n - 1;
        if (d->from > d->n - 1) d->from = d->n ? d->n - 1 : 0;
        return (d->n && d->t[d->n - 1] == end) || add_high(d, end, value, 0);
    }
    int64_t gone = 0;
    while (gone < d->n && d->t[gone] < end) gone++;
    shift(d, -gone);
    d->from = 0;
    if (d->n) d->jumps[0] = 0;
    return (d->n && d->t[0] == end) || add_low(d, end, value, 0);
}

static void forget_low(RtHistory *d, double before)
{
    if (d->n < FIRST_ROOM) return;
    int64_t first = last_before(d, before, 0, d->n - 1) - 2; /* polynomials look further back */
    if (first < d->n / 2) return;
    if (!(d->flags & RT_HISTORY_FREE)) {
        /* what has not been passed is still read from its own side */
        int64_t last = jump_above(d, d->from) - 1;
        if (first > last) first = last;
    }
    shift(d, -first);
}

static void forget_high(RtHistory *d, double behind)
{
    int64_t last = last_before(d, behind, 0, d->n - 1) + 3;
    if (last > d->to) last = d->to;
    if (last < d->n) d->n = last + 1;
    d->to = d->n - 1 < d->to ? d->n - 1 : d->to;
}

static int note_both(RtHistory *d, double time, const double *in, RtNote what)
{
    double key = in[RT_HISTORY_KEY], span = in[RT_HISTORY_SPAN];
    int is_down = key < d->key || (key == d->key && in[RT_HISTORY_FORWARD] == 0);
    double at = is_down ? key - span : key, v = in[is_down ? RT_HISTORY_LOW_VALUE : RT_HISTORY_VALUE];
    int is_kink = what == RT_NOTE_BREAK && !(d->flags & RT_HISTORY_DISCRETE), ok = 1;
    if (is_down != d->is_down && !turn(d, span)) return 0;
    double last = is_down ? d->v[0] : d->v[d->n - 1], end = is_down ? d->t[0] : d->t[d->n - 1];
    if (time > d->time) d->rate = fabs(key - d->key) / (time - d->time);
    d->key = key;
    d->time = time;
    if (is_down ? at < end : at > end)
        ok = is_down ? add_low(d, at, v, 0) : add_high(d, at, v, 0);
    else if (fabs(v - last) > SAME * d->largest || is_kink)
        ok = is_down ? jump_low(d, end, v, is_kink) : jump_high(d, end, v, is_kink);
    if (is_down)
        forget_high(d, key);
    else
        forget_low(d, key - span);
    return ok;
}

int rt_history_note(Rt *rt, uint32_t k, double time, const double *in, RtNote what)
{
    RtHistory *d = &rt->histories[k];
    double key = in[RT_HISTORY_KEY], v = in[RT_HISTORY_VALUE];
    if (!is_timed(d)) {
        if (!note_both(d, time, in, what)) return 0;
        if (what != RT_NOTE_POINT) rt_history_pass(rt, k, in);
        return 1;
    }
    int is_kink = what == RT_NOTE_BREAK && !(d->flags & RT_HISTORY_DISCRETE), ok = 1;
    if (what != RT_NOTE_POINT)
        ok = jump_high(d, key, v, is_kink);
    else if (!d->n || key > d->t[d->n - 1])
        ok = add_high(d, key, v, 0);
    forget_low(d, key - in[RT_HISTORY_SPAN]);
    return ok;
}

/* What lies between the ends at the start, from the high end on: positions in [0, 1], then
 * values. */
static int start_profile(RtHistory *d, double key, const double *profile, uint32_t n)
{
    const double *at = profile, *v = profile + n;
    for (uint32_t j = n; j-- > 0;) {
        double t = key - at[j];
        if (d->n && t == d->t[d->n - 1]) {
            if (!jump_high(d, t, v[j], 0)) return 0;
            continue;
        }
        if (!add_high(d, t, v[j], 0)) return 0;
        int is_inner = j > 0 && j + 1 < n && at[j] < at[j + 1] && at[j - 1] < at[j];
        if (is_inner && (v[j] - v[j + 1]) * (at[j - 1] - at[j]) != (v[j - 1] - v[j]) * (at[j] - at[j + 1]) &&
            !add_high(d, t, v[j], 1))
            return 0;
    }
    return 1;
}

int rt_history_start(Rt *rt, uint32_t k, double time, const double *in, const double *profile, uint32_t n,
                     uint8_t flags)
{
    RtHistory *d = &rt->histories[k];
    d->n = d->from = d->to = 0;
    d->is_down = 0;
    d->largest = d->rate = 0;
    d->key = in[RT_HISTORY_KEY];
    d->time = time;
    d->flags = flags;
    if (n) return start_profile(d, d->key, profile, n);
    /* before it the signal is constant: where it begins there may be a kink */
    return add_high(d, d->key, in[RT_HISTORY_VALUE], 0) &&
           (flags & RT_HISTORY_FREE || add_high(d, d->key, in[RT_HISTORY_VALUE], 1));
}

double rt_history_rate(const Rt *rt, uint32_t k) { return rt->histories[k].rate; }
