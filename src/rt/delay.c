/* delay.c: what delay() remembers: the past of a signal, as points at accepted steps and at both
 * sides of jumps.
 *
 * Between two points the signal is a polynomial through up to four points around, none of them
 * beyond a jump, and none whose distance is of another order: so what comes out of a delay is as
 * smooth as what went in, and has its jumps where they belong. With a constant delay time a jump
 * comes out at a time known beforehand: it is a time event, and until it is passed the signal is
 * continued from the left; so are kinks, for the integrator's sake. Before the first point the
 * signal is what it was there. Always: points ascend in time, two have the same time only at a
 * jump; looking up changes nothing. Cost: O(log n) a look, n points inside of the longest delay.
 * Tests: tests/rt/delay_test.c. */
#include "rt/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };
static const double RATIO = 8.0; /* of neighbouring distances, at most */
/* signals that were never larger are foretold as if they had been */
static const double SMALL = 1e-6;

int rt_delays_new(Rt *rt, uint32_t count)
{
    rt->delays = calloc(count ? count : 1, sizeof *rt->delays);
    rt->delay_count = rt->delays ? count : 0;
    return rt->delays != NULL;
}

void rt_delays_free(Rt *rt)
{
    for (uint32_t k = 0; k < rt->delay_count; k++) {
        free(rt->delays[k].t);
        free(rt->delays[k].v);
        free(rt->delays[k].jumps);
    }
    free(rt->delays);
    rt->delays = NULL;
    rt->delay_count = 0;
}

int rt_delay_grow(RtDelay *d)
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

static int add(RtDelay *d, double t, double v, int is_jump)
{
    if (d->n == d->room && !rt_delay_grow(d)) return 0;
    d->t[d->n] = t;
    d->v[d->n] = v;
    d->jumps[d->n++] = (unsigned char)is_jump;
    d->largest = fmax(d->largest, fabs(v));
    return 1;
}

int rt_delay_start(Rt *rt, uint32_t k, double t, double v, int is_free)
{
    RtDelay *d = &rt->delays[k];
    d->n = d->from = 0;
    d->largest = 0;
    d->is_free = is_free;
    /* before it the signal is constant: where it begins there may be a kink */
    return add(d, t, v, 0) && (is_free || add(d, t, v, 1));
}

int rt_delay_push(Rt *rt, uint32_t k, double t, double v)
{
    RtDelay *d = &rt->delays[k];
    if (d->n && t <= d->t[d->n - 1]) return 1;
    return add(d, t, v, 0);
}

int rt_delay_jump(Rt *rt, uint32_t k, double t, double v, int is_kink)
{
    RtDelay *d = &rt->delays[k];
    double last = d->n ? d->v[d->n - 1] : v;
    if (last == v && !(is_kink && d->n && d->t[d->n - 1] == t)) return 1;
    if (d->n && d->jumps[d->n - 1] && d->t[d->n - 1] == t) { /* another value at the same moment */
        d->v[d->n - 1] = v;
        return 1;
    }
    return add(d, t, v, 1);
}

/* The next jump that has not come out yet, or n. */
static int64_t next_jump(const RtDelay *d)
{
    int64_t j = d->from + 1;
    while (j < d->n && !d->jumps[j]) j++;
    return j < d->n ? j : d->n;
}

double rt_delay_next(const Rt *rt, uint32_t k, double time)
{
    const RtDelay *d = &rt->delays[k];
    int64_t j = d->is_free ? d->n : next_jump(d);
    return j < d->n ? d->t[j] + time : INFINITY;
}

int rt_delay_pass(Rt *rt, uint32_t k, double t, double time)
{
    RtDelay *d = &rt->delays[k];
    int passed = 0;
    for (int64_t j = next_jump(d); !d->is_free && j < d->n && d->t[j] + time <= t; j = next_jump(d)) {
        d->from = j;
        passed = 1;
    }
    return passed;
}

/* The last point at or before `t` in [low, high]; low if there is none. */
static int64_t last_before(const RtDelay *d, double t, int64_t low, int64_t high)
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

void rt_delay_forget(Rt *rt, uint32_t k, double before)
{
    RtDelay *d = &rt->delays[k];
    if (d->n < FIRST_ROOM) return;
    int64_t first = last_before(d, before, 0, d->n - 1) - 2; /* polynomials look further back */
    if (!d->is_free && first > d->from - 1) first = d->from - 1;
    if (first < d->n / 2) return;
    d->n -= first;
    d->from = d->from > first ? d->from - first : 0;
    memmove(d->t, d->t + first, (size_t)d->n * sizeof *d->t);
    memmove(d->v, d->v + first, (size_t)d->n * sizeof *d->v);
    memmove(d->jumps, d->jumps + first, (size_t)d->n);
}

static int is_near(double neighbour, double own)
{
    return neighbour <= RATIO * own && neighbour >= own / RATIO;
}

/* The points around the interval from i to i + 1 that count: [*a, *b]. */
static void stencil(const RtDelay *d, int64_t i, int64_t low, int64_t high, int64_t *a, int64_t *b)
{
    double h = d->t[i + 1] - d->t[i];
    *a = i;
    *b = i + 1;
    if (i > low && !d->jumps[i] && is_near(d->t[i] - d->t[i - 1], h)) *a = i - 1;
    if (i + 2 <= high && !d->jumps[i + 2] && is_near(d->t[i + 2] - d->t[i + 1], h)) *b = i + 2;
}

/* Newton's form through the points a to b: value and slope at t. */
static void polynomial(const RtDelay *d, int64_t a, int64_t b, double t, double *value, double *slope)
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

double rt_delay_surprise(const Rt *rt, uint32_t k, double t, double v)
{
    const RtDelay *d = &rt->delays[k];
    double foretold, slope, largest = fmax(SMALL, fmax(d->largest, fabs(v)));
    int64_t last = d->n - 1, first = last;
    if (last < 0 || t <= d->t[last]) return 0;
    while (first > 0 && last - first < 3 && !d->jumps[first] && d->t[first] > d->t[first - 1]) first--;
    polynomial(d, first, last, t, &foretold, &slope);
    return fabs(v - foretold) / largest;
}

static void look(const RtDelay *d, double t, double *value, double *slope)
{
    int64_t low = d->is_free ? 0 : d->from, high = d->is_free ? d->n - 1 : next_jump(d) - 1;
    *value = *slope = 0;
    if (!d->n) return;
    int64_t i = last_before(d, t, low, high), a, b;
    if (t <= d->t[low] || i == high) {
        *value = t <= d->t[low] ? d->v[low] : d->v[high];
        if (!d->is_free || i != high || i == low || d->jumps[i] || t <= d->t[high]) return;
        /* a time that may vary may become short */
        *slope = (d->v[i] - d->v[i - 1]) / (d->t[i] - d->t[i - 1]);
        *value += *slope * (t - d->t[i]);
        return;
    }
    if (d->t[i + 1] == d->t[i]) {
        *value = d->v[i];
        return;
    }
    stencil(d, i, low, high, &a, &b);
    polynomial(d, a, b, t, value, slope);
}

static RtStatus look_up(Rt *rt, RtCell *cells, int wants_slope)
{
    double value, slope;
    if (cells[0].i < 0 || cells[0].i >= (int64_t)rt->delay_count)
        return rt_fail_external(rt, "no such delay");
    look(&rt->delays[cells[0].i], cells[1].r, &value, &slope);
    cells[2].r = wants_slope ? slope : value;
    return RT_OK;
}

RtStatus rt_delay_value(Rt *rt, RtCell *cells) { return look_up(rt, cells, 0); }
RtStatus rt_delay_rate(Rt *rt, RtCell *cells) { return look_up(rt, cells, 1); }
