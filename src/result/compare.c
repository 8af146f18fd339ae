/* compare.c: whether two results tell the same, within a tube that also has a width in time.
 *
 * In: two tables. Out: a verdict for each signal, with the worst place. Cost: linear in the points
 * of both. Tests: tests/result/compare_test.c. */
#include "result/inside.h"

#include <math.h>
#include <stdlib.h>

/* At each point (t, y) of one signal, y must lie between the least and the largest value that the
 * other, drawn with straight lines, takes in [t - w, t + w] (and at its points around t, where it
 * has none at t itself), give or take a height; and the other way round, so that neither may have a
 * peak that the other lacks. An event that comes a little earlier or later is inside the width; so
 * what begins and ends within one width may as well not be there, since both its ends may move that
 * far, and is not asked for. The window's extremes come from two monotone queues that move along
 * with t. The height is a share of the signal's range (or of a thousandth of its size, for signals
 * that hardly move). Invariant: symmetric but for the order of report; NaN equals NaN only. */

CompareOptions compare_options(void)
{
    return (CompareOptions){ .value = 1e-3, .time = 1e-4, .absolute = 1e-12 };
}

static const double SAME_TIME = 1e-6; /* of the width: such points have one time */

typedef struct {
    const Signal *t, *y;
    size_t rows;
} Curve;

static double curve_t(const Curve *c, size_t i) { return signal_at(c->t, i); }
static double curve_y(const Curve *c, size_t i) { return signal_at(c->y, i); }

/* Indices of points that may still become the extreme of the window; values fall (or rise) along
 * the queue. */
typedef struct {
    size_t *at, first, n;
    double sign; /* +1: largest values, -1: least */
} Queue;

static void queue_push(Queue *q, const Curve *c, size_t i)
{
    while (q->n > q->first && q->sign * curve_y(c, q->at[q->n - 1]) <= q->sign * curve_y(c, i)) q->n--;
    q->at[q->n++] = i;
}

/* The curve at t, by the straight line that ends at point i (the first one after t). */
static double line_at(const Curve *c, size_t i, double t)
{
    if (i == 0) return curve_y(c, 0);
    if (i >= c->rows) return curve_y(c, c->rows - 1);
    double t0 = curve_t(c, i - 1), t1 = curve_t(c, i), y0 = curve_y(c, i - 1);
    return t1 > t0 ? y0 + (curve_y(c, i) - y0) * ((t - t0) / (t1 - t0)) : y0;
}

/* A window [t - w, t + w] that moves to the right along a curve. */
typedef struct {
    const Curve *curve;
    double w;
    size_t left, right; /* first point not left of the window; first point right of it */
    Queue high, low;
} Window;

/* Where the curve has no point at t, it is somewhere between those around: the straight line is a
 * drawing, not the solution. */
static void include_gap(const Window *win, double t, double *low, double *high)
{
    const Curve *c = win->curve;
    size_t after = win->left;
    while (after < c->rows && curve_t(c, after) < t) after++;
    if (after == 0 || after >= c->rows || curve_t(c, after) - t <= SAME_TIME * win->w) return;
    if (t - curve_t(c, after - 1) <= SAME_TIME * win->w) return;
    for (size_t i = after - 1; i <= after; i++) {
        *low = fmin(*low, curve_y(c, i));
        *high = fmax(*high, curve_y(c, i));
    }
}

static void window_move(Window *win, double t, double *low, double *high)
{
    const Curve *c = win->curve;
    double from = t - win->w, to = t + win->w;
    while (win->right < c->rows && curve_t(c, win->right) <= to) {
        queue_push(&win->high, c, win->right);
        queue_push(&win->low, c, win->right++);
    }
    while (win->left < c->rows && curve_t(c, win->left) < from) win->left++;
    Queue *queues[2] = { &win->low, &win->high };
    for (int i = 0; i < 2; i++)
        while (queues[i]->first < queues[i]->n && queues[i]->at[queues[i]->first] < win->left)
            queues[i]->first++;
    double a = line_at(c, win->left, from), b = line_at(c, win->right, to);
    *low = fmin(a, b);
    *high = fmax(a, b);
    if (win->low.first < win->low.n) *low = fmin(*low, curve_y(c, win->low.at[win->low.first]));
    if (win->high.first < win->high.n) *high = fmax(*high, curve_y(c, win->high.at[win->high.first]));
    include_gap(win, t, low, high);
}

typedef struct {
    double height, width, scale;
} Tube;

typedef struct {
    Arena *arena;
    VEC(double) times;
} Outside;

/* Points in a row that lie outside of the tube; they count if they last. */
typedef struct {
    double since; /* where the curve was last inside */
    size_t points;
    double deviation, excess, t, own, other; /* of the worst */
    uint32_t times;                          /* of the list of times, before it */
} Excursion;

static void excursion_add(Excursion *e, const Tube *tube, double beyond, double t, double own, double other)
{
    double excess = isnan(beyond) ? INFINITY : beyond / tube->height;
    if (!isnan(beyond)) e->deviation = fmax(e->deviation, beyond / tube->scale);
    if (!e->points++ || excess > e->excess) e->excess = excess, e->t = t, e->own = own, e->other = other;
}

/* The curve is inside again at `t`, or has ended where that is infinite. */
static void excursion_end(Excursion *e, double t, double width, bool own_is_a, SignalReport *report,
                          Outside *outside)
{
    bool lasts = t - e->since > width;
    if (e->points && !lasts && outside) outside->times.n = e->times;
    if (e->points && lasts) {
        report->outside += e->points;
        report->deviation = fmax(report->deviation, e->deviation);
        if (e->excess > report->excess) {
            report->excess = e->excess;
            report->t = e->t;
            report->a = own_is_a ? e->own : e->other;
            report->b = own_is_a ? e->other : e->own;
        }
    }
    *e = (Excursion){ .since = t, .times = outside ? outside->times.n : 0 };
}

/* Points of `own` that lie outside the tube around `other`. */
static void check_points(const Curve *own, const Curve *other, const Tube *tube, size_t *room, bool own_is_a,
                         SignalReport *report, Outside *outside)
{
    Window win = { .curve = other,
                   .w = tube->width,
                   .high = { .at = room, .sign = 1.0 },
                   .low = { .at = room + other->rows, .sign = -1.0 } };
    double t_last = curve_t(other, other->rows - 1), width = tube->width * (1.0 + SAME_TIME);
    Excursion e = { .since = -INFINITY, .times = outside ? outside->times.n : 0 };
    for (size_t i = 0; i < own->rows; i++) {
        double t = curve_t(own, i), y = curve_y(own, i), low, high;
        if (t > t_last + tube->width) break; /* a shorter run is reported by itself */
        window_move(&win, t, &low, &high);
        double beyond = isnan(y) && isnan(low) ? 0.0 : fmax(y - high, low - y);
        if (beyond <= tube->height) {
            excursion_end(&e, t, width, own_is_a, report, outside);
            report->deviation = fmax(report->deviation, beyond / tube->scale);
            continue;
        }
        excursion_add(&e, tube, beyond, t, y, y > high ? high : low);
        if (outside) vec_push(outside->arena, &outside->times, t);
    }
    excursion_end(&e, INFINITY, width, own_is_a, report, outside);
}

static Tube tube_of(const Curve *a, const Curve *b, const CompareOptions *o, SignalReport *report)
{
    double low = 0.0, high = 0.0, low_b, high_b;
    bool is_a = signal_range(a->y, a->rows, false, &low, &high);
    bool is_b = signal_range(b->y, b->rows, false, &low_b, &high_b);
    report->range_a = is_a ? high - low : 0.0;
    report->range_b = is_b ? high_b - low_b : 0.0;
    if (is_b && !is_a) low = low_b, high = high_b;
    double span = curve_t(a, a->rows - 1) - curve_t(a, 0);
    double scale = fmax(high - low, 1e-3 * fmax(fabs(low), fabs(high)));
    scale = fmax(scale, o->absolute / fmax(o->value, 1e-300));
    return (Tube){ .height = fmax(o->value * scale, 1e-300), .width = o->time * span, .scale = scale };
}

static void compare_signal(const ResultTable *a, const ResultTable *b, const Signal *sa, const Signal *sb,
                           const CompareOptions *options, size_t *room, SignalReport *report)
{
    Curve ca = { &a->time, sa, a->rows }, cb = { &b->time, sb, b->rows };
    if (a->rows && b->rows) {
        Tube tube = tube_of(&ca, &cb, options, report);
        check_points(&ca, &cb, &tube, room, true, report, NULL);
        check_points(&cb, &ca, &tube, room, false, report, NULL);
    }
    report->verdict = report->outside ? SIGNAL_DIFFERENT : SIGNAL_SAME;
}

/* ---- for drawing ----------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Joins times that are near to each other to spans. */
static void join_spans(Outside *o, double gap, ResultTube *tube)
{
    tube->outside = (double(*)[2])NEW_ARRAY(o->arena, double, 2 * (size_t)o->times.n + 2);
    if (o->times.n) qsort(o->times.at, o->times.n, sizeof(double), by_value);
    for (uint32_t i = 0; i < o->times.n; i++) {
        double t = o->times.at[i];
        if (!tube->outside_count || t - tube->outside[tube->outside_count - 1][1] > gap)
            tube->outside[tube->outside_count++][0] = t;
        tube->outside[tube->outside_count - 1][1] = t;
    }
}

void result_tube(Arena *arena, const ResultTable *a, const Signal *of_a, const ResultTable *b,
                 const Signal *of_b, const CompareOptions *options, ResultTube *tube)
{
    Curve ca = { &a->time, of_a, a->rows }, cb = { &b->time, of_b, b->rows };
    *tube = (ResultTube){ .rows = a->rows, .t = a->time };
    double *low = NEW_ARRAY(arena, double, a->rows + 1), *high = NEW_ARRAY(arena, double, a->rows + 1);
    tube->low = (Signal){ .name = "", .unit = "", .description = "", .at = low, .stride = 1, .sign = 1.0 };
    tube->high = tube->low;
    tube->high.at = high;
    if (!a->rows || !b->rows) return;
    size_t *room = NEW_ARRAY(arena, size_t, 2 * size_max(a->rows, b->rows) + 2);
    SignalReport report = { .name = "" };
    Tube size = tube_of(&ca, &cb, options, &report);
    Window win = { .curve = &ca,
                   .w = size.width,
                   .high = { .at = room, .sign = 1.0 },
                   .low = { .at = room + a->rows, .sign = -1.0 } };
    for (size_t i = 0; i < a->rows; i++) {
        window_move(&win, curve_t(&ca, i), &low[i], &high[i]);
        low[i] -= size.height;
        high[i] += size.height;
    }
    Outside outside = { .arena = arena };
    check_points(&ca, &cb, &size, room, true, &report, &outside);
    check_points(&cb, &ca, &size, room, false, &report, &outside);
    double span = curve_t(&ca, a->rows - 1) - curve_t(&ca, 0);
    join_spans(&outside, fmax(size.width, span / 200), tube);
}

/* ---- whole results --------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    const Signal *signal;
} NamedSignal;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const NamedSignal *)a)->name, ((const NamedSignal *)b)->name);
}

static NamedSignal *sort_signals(Arena *arena, const ResultTable *table)
{
    NamedSignal *sorted = NEW_ARRAY(arena, NamedSignal, table->count + 1);
    for (size_t i = 0; i < table->count; i++)
        sorted[i] = (NamedSignal){ table->signals[i].name, &table->signals[i] };
    if (table->count) qsort(sorted, table->count, sizeof *sorted, by_name);
    return sorted;
}

static const Signal *find_sorted(const NamedSignal *sorted, size_t n, const char *name)
{
    NamedSignal key = { name, NULL };
    const NamedSignal *found = n ? bsearch(&key, sorted, n, sizeof *sorted, by_name) : NULL;
    return found ? found->signal : NULL;
}

static void compare_spans(const ResultTable *a, const ResultTable *b, const CompareOptions *o,
                          CompareReport *r)
{
    if (a->rows) r->a_from = signal_at(&a->time, 0), r->a_to = signal_at(&a->time, a->rows - 1);
    if (b->rows) r->b_from = signal_at(&b->time, 0), r->b_to = signal_at(&b->time, b->rows - 1);
    double width = fmax(o->time, 1e-9) * fmax(r->a_to - r->a_from, r->b_to - r->b_from);
    r->spans_differ = fabs(r->a_from - r->b_from) > width || fabs(r->a_to - r->b_to) > width ||
                      (a->rows == 0) != (b->rows == 0);
}

void result_compare(Arena *arena, const ResultTable *a, const ResultTable *b, const CompareOptions *options,
                    CompareReport *report)
{
    *report = (CompareReport){ .signals = NEW_ARRAY(arena, SignalReport, a->count + b->count + 1) };
    NamedSignal *in_a = sort_signals(arena, a), *in_b = sort_signals(arena, b);
    size_t *room = NEW_ARRAY(arena, size_t, 2 * size_max(a->rows, b->rows) + 2);
    compare_spans(a, b, options, report);
    for (size_t i = 0; i < a->count; i++) {
        SignalReport *r = &report->signals[report->count++];
        const Signal *other = find_sorted(in_b, b->count, a->signals[i].name);
        *r = (SignalReport){ .name = a->signals[i].name, .verdict = SIGNAL_ONLY_A };
        if (other) compare_signal(a, b, &a->signals[i], other, options, room, r);
        report->same += r->verdict == SIGNAL_SAME;
        report->different += r->verdict == SIGNAL_DIFFERENT;
        report->only_a += r->verdict == SIGNAL_ONLY_A;
    }
    for (size_t i = 0; i < b->count; i++)
        if (!find_sorted(in_a, a->count, b->signals[i].name)) {
            report->signals[report->count++] =
                (SignalReport){ .name = b->signals[i].name, .verdict = SIGNAL_ONLY_B };
            report->only_b++;
        }
}

bool compare_is_same(const CompareReport *report)
{
    return !report->different && !report->spans_differ && report->same > 0;
}
