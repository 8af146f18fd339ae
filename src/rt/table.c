/* table.c: interpolation in tables of one variable: of u, and of time with events. */
#include "rt/inside.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In: a matrix, its first column ascending, and which of its other columns count. Out: values and
 * two derivatives. How: constant or linear segments, or cubic Hermite splines, whose slopes are
 * computed once: Akima (J. ACM 17, 1970), Akima with weights that avoid overshoot (as in MATLAB's
 * makima), Fritsch and Butland (SIAM J. Sci. Stat. Comput. 5, 1984: weighted harmonic mean of
 * secants), Steffen (Astron. Astrophys. 239, 1990); at their ends these two have the last secant.
 * Always: a value depends on the arguments only; nothing is remembered between calls, so an object
 * may be read by several threads. A time table takes, at an event, the side that its next event
 * says: up to and at that moment the segment before it counts. Cost: O(log n). Tests:
 * tests/rt/table_test.c. */

typedef struct {
    int64_t n, columns; /* points, columns to interpolate */
    double *x, *y;      /* n; n * columns, row by row */
    double *slope;      /* like y; NULL for segments */
    int smoothness, extrapolation, events;
    double start, shift;
} Table;

/* ---- kernels --------------------------------------------------------------------------------- */

int64_t rt_table_find(const double *x, int64_t n, double u, int is_strict)
{
    int64_t low = -1, high = n;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (is_strict ? x[middle] < u : x[middle] <= u)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void rt_hermite(double h, double y0, double y1, double d0, double d1, double s, double out[3])
{
    double secant = (y1 - y0) / h;
    double c2 = (3 * secant - 2 * d0 - d1) / h, c3 = (d0 + d1 - 2 * secant) / (h * h);
    out[0] = y0 + s * (d0 + s * (c2 + s * c3));
    out[1] = d0 + s * (2 * c2 + s * 3 * c3);
    out[2] = 2 * c2 + 6 * c3 * s;
}

void rt_akima_weights(const double *secant, double *before, double *after)
{
    double w1 = fabs(secant[3] - secant[2]), w2 = fabs(secant[1] - secant[0]);
    *before = w1 + w2 > 0 ? w1 / (w1 + w2) : 0.5;
    *after = 1 - *before;
}

static double akima(const double *secant)
{
    double before, after;
    rt_akima_weights(secant, &before, &after);
    return before * secant[1] + after * secant[2];
}

static double makima(const double *d)
{
    double w1 = fabs(d[3] - d[2]) + 0.5 * fabs(d[3] + d[2]);
    double w2 = fabs(d[1] - d[0]) + 0.5 * fabs(d[1] + d[0]);
    return w1 + w2 > 0 ? (w1 * d[1] + w2 * d[2]) / (w1 + w2) : 0;
}

static double fritsch_butland(double h1, double h2, double d1, double d2)
{
    if (!(d1 * d2 > 0)) return 0;
    double w1 = 2 * h2 + h1, w2 = h2 + 2 * h1;
    return (w1 + w2) / (w1 / d1 + w2 / d2);
}

static double steffen(double h1, double h2, double d1, double d2)
{
    if (!(d1 * d2 > 0)) return 0;
    double p = fabs(d1 * h2 + d2 * h1) / (h1 + h2);
    double least = fmin(fmin(fabs(d1), fabs(d2)), 0.5 * p);
    return d1 > 0 ? 2 * least : -2 * least;
}

/* Secants with two more at either end: those of the other end where the curve is closed, else
 * extended linearly. */
static void extend(double *d, int64_t n, int is_closed)
{
    double *first = d + 2, *end = d + 2 + n;
    for (int k = 1; k <= 2; k++) {
        if (is_closed) {
            first[-k] = first[n > 1 ? n - k : 0];
            end[k - 1] = first[n > 1 ? k - 1 : 0];
        } else {
            first[-k] = n > 1 ? first[0] + k * (first[0] - first[1]) : first[0];
            end[k - 1] = n > 1 ? end[-1] + k * (end[-1] - end[-2]) : end[-1];
        }
    }
}

static double monotone(int smoothness, double h1, double h2, double d1, double d2)
{
    return smoothness == RT_STEFFEN ? steffen(h1, h2, d1, d2) : fritsch_butland(h1, h2, d1, d2);
}

void rt_table_slopes(int smoothness, int is_closed, int64_t n, const double *x, const double *y,
                     int64_t stride, double *slope, int64_t slope_stride, double *work)
{
    double *d = work + 2;
    for (int64_t i = 0; i + 1 < n; i++) d[i] = (y[(i + 1) * stride] - y[i * stride]) / (x[i + 1] - x[i]);
    extend(work, n - 1, is_closed);
    for (int64_t i = 0; i < n; i++) {
        double *to = &slope[i * slope_stride];
        double h1 = x[i > 0 ? i : n - 1] - x[i > 0 ? i - 1 : n - 2],
               h2 = x[i + 1 < n ? i + 1 : 1] - x[i + 1 < n ? i : 0];
        if (smoothness == RT_AKIMA || smoothness == RT_MAKIMA)
            *to = smoothness == RT_AKIMA ? akima(work + i) : makima(work + i);
        else if (is_closed || (i > 0 && i + 1 < n))
            *to = monotone(smoothness, h1, h2, d[i - 1], d[i]);
        else
            *to = d[i == 0 ? 0 : n - 2];
    }
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static double rounding(double a, double b) { return 8 * DBL_EPSILON * fmax(fabs(a), fabs(b)); }

/* On segment i, or on its continuation. */
static void segment(const Table *t, int64_t i, int64_t c, double u, double out[3])
{
    double h = t->x[i + 1] - t->x[i], y0 = t->y[i * t->columns + c], y1 = t->y[(i + 1) * t->columns + c];
    out[1] = out[2] = 0;
    if (t->smoothness == RT_CONSTANT) {
        out[0] = i + 2 == t->n && u >= t->x[i + 1] ? y1 : y0;
    } else if (h == 0) {
        out[0] = y1;
    } else if (t->slope) {
        rt_hermite(h, y0, y1, t->slope[i * t->columns + c], t->slope[(i + 1) * t->columns + c], u - t->x[i],
                   out);
    } else {
        out[1] = (y1 - y0) / h;
        out[0] = y0 + (u - t->x[i]) * out[1];
        if (u == t->x[i + 1]) out[0] = y1;
    }
}

/* Outside of the points: at the first (or last) one, or along the line there. Where there are two
 * points at the end it is a jump, which has no line. */
static void outside(const Table *t, int is_left, int64_t c, double u, double out[3])
{
    int64_t e = is_left ? 0 : t->n - 1, other = is_left ? 1 : t->n - 2;
    out[0] = t->y[e * t->columns + c];
    out[1] = out[2] = 0;
    if (t->extrapolation != RT_LAST_TWO) return;
    if (t->slope)
        out[1] = t->slope[e * t->columns + c];
    else if (t->x[other] != t->x[e])
        out[1] = (t->y[other * t->columns + c] - out[0]) / (t->x[other] - t->x[e]);
    out[0] += out[1] * (u - t->x[e]);
}

/* Inside of one period: [x0, x0 + period), or (x0, x0 + period] from the left. What is a point but
 * for rounding is that point: at an event the side decides. */
static double wrapped(const Table *t, double u, int from_left)
{
    double first = t->x[0], last = t->x[t->n - 1], period = last - first, turns = (u - first) / period;
    double w = u - (from_left ? ceil(turns) - 1 : floor(turns)) * period, close = rounding(u, period);
    int64_t i = rt_table_find(t->x, t->n, w + close, 0);
    if (i >= 0 && fabs(w - t->x[i]) <= close) w = t->x[i];
    if (from_left) return w <= first ? last : w;
    return w >= last ? first : w;
}

static RtStatus refuse(Rt *rt, const Table *t, double u)
{
    char text[200];
    snprintf(text, sizeof text,
             "%.10g is outside of the table, which goes from %.10g to %.10g, and may not be extrapolated", u,
             t->x[0], t->x[t->n - 1]);
    return rt_fail_external(rt, text);
}

/* At u, from the right or from the left. */
static RtStatus evaluate(Rt *rt, const Table *t, int64_t c, double u, int from_left, double out[3])
{
    out[1] = out[2] = 0;
    if (c < 0 || c >= t->columns) return rt_fail_external(rt, "the table has no such column");
    out[0] = t->y[c];
    if (t->n == 1) return RT_OK;
    double first = t->x[0], last = t->x[t->n - 1];
    if (t->extrapolation == RT_PERIODIC) {
        if (u < first || u >= last || from_left) u = wrapped(t, u, from_left);
    } else if (u < first || u > last) {
        if (t->extrapolation == RT_NO_EXTRAPOLATION) return refuse(rt, t, u);
        outside(t, u < first, c, u, out);
        return RT_OK;
    }
    int64_t i = rt_table_find(t->x, t->n, u, from_left);
    if (i < 0 && from_left && t->extrapolation != RT_PERIODIC) {
        outside(t, 1, c, u, out);
        return RT_OK;
    }
    if (i > t->n - 2) i = t->n - 2;
    if (i < 0) i = 0;
    segment(t, i, c, u, out);
    return RT_OK;
}

/* ---- making ---------------------------------------------------------------------------------- */

static int is_blank(const char *text)
{
    if (!text || !strcmp(text, "NoName")) return 1;
    return text[strspn(text, " \t\r\n")] == 0;
}

RtStatus rt_table_matrix(Rt *rt, const RtTableSource *from, double **at, int64_t *rows, int64_t *columns)
{
    if (!is_blank(from->file)) {
        if (!rt->read_matrix) return rt_fail_external(rt, "a table on a file, and there are no files here");
        return rt->read_matrix(rt, from->file, from->name, from->delimiter, from->header_lines, at, rows,
                               columns);
    }
    if (!is_blank(from->name))
        return rt_fail_external(rt, "a table of a function 'usertab', which is not there");
    if (from->rows < 1 || from->columns < 1) return rt_fail_external(rt, "a table without values");
    size_t size = (size_t)from->rows * (size_t)from->columns * sizeof **at;
    *at = malloc(size);
    if (!*at) return rt_fail(rt, RT_MEMORY, RT_NOWHERE, 0, 0, 0);
    memcpy(*at, from->given, size);
    *rows = from->rows;
    *columns = from->columns;
    return RT_OK;
}

static void table_free(Table *t)
{
    if (!t) return;
    free(t->x);
    free(t->y);
    free(t->slope);
    free(t);
}

static RtStatus check(Rt *rt, const Table *t, int may_jump)
{
    char text[160];
    if (t->smoothness < RT_LINEAR || t->smoothness > RT_MAKIMA)
        return rt_fail_external(rt, "a table with an unknown smoothness");
    if (t->extrapolation < RT_HOLD || t->extrapolation > RT_NO_EXTRAPOLATION)
        return rt_fail_external(rt, "a table with an unknown extrapolation");
    int equal_too = may_jump && (t->smoothness == RT_LINEAR || t->smoothness == RT_CONSTANT);
    for (int64_t i = 0; i + 1 < t->n; i++) {
        if (t->x[i] < t->x[i + 1] || (equal_too && t->x[i] == t->x[i + 1])) continue;
        snprintf(text, sizeof text, "the first column of a table must %s: row %ld has %.10g, row %ld %.10g",
                 equal_too ? "not fall" : "rise", (long)(i + 1), t->x[i], (long)(i + 2), t->x[i + 1]);
        return rt_fail_external(rt, text);
    }
    if (t->extrapolation == RT_PERIODIC && t->n > 1 && t->x[0] == t->x[t->n - 1])
        return rt_fail_external(rt, "a periodic table whose period is zero");
    return RT_OK;
}

static RtStatus make_slopes(Rt *rt, Table *t)
{
    if (t->smoothness == RT_LINEAR || t->smoothness == RT_CONSTANT || t->n < 2) return RT_OK;
    double *work = malloc(((size_t)t->n + 4) * sizeof *work);
    t->slope = malloc((size_t)(t->n * t->columns) * sizeof *t->slope);
    for (int64_t c = 0; work && t->slope && c < t->columns; c++) {
        int is_closed = t->extrapolation == RT_PERIODIC && t->y[c] == t->y[(t->n - 1) * t->columns + c];
        rt_table_slopes(t->smoothness, is_closed, t->n, t->x, t->y + c, t->columns, t->slope + c, t->columns,
                        work);
    }
    int ok = work && t->slope;
    free(work);
    return ok ? RT_OK : rt_fail(rt, RT_MEMORY, RT_NOWHERE, 0, 0, 0);
}

static RtStatus take_columns(Rt *rt, Table *t, const double *matrix, int64_t width, const int64_t *columns)
{
    t->x = malloc((size_t)t->n * sizeof *t->x);
    t->y = malloc((size_t)(t->n * t->columns + 1) * sizeof *t->y);
    if (!t->x || !t->y) return rt_fail(rt, RT_MEMORY, RT_NOWHERE, 0, 0, 0);
    for (int64_t c = 0; c < t->columns; c++) {
        char text[120];
        if (columns[c] >= 1 && columns[c] <= width) continue;
        snprintf(text, sizeof text, "column %ld of a table with %ld columns", (long)columns[c], (long)width);
        return rt_fail_external(rt, text);
    }
    for (int64_t i = 0; i < t->n; i++) {
        t->x[i] = matrix[i * width];
        for (int64_t c = 0; c < t->columns; c++)
            t->y[i * t->columns + c] = matrix[i * width + columns[c] - 1];
    }
    return RT_OK;
}

static RtStatus table_new(Rt *rt, const RtTableSource *from, const int64_t *columns, int64_t n, Table about,
                          RtCell *result)
{
    double *matrix = NULL;
    int64_t rows = 0, width = 0;
    result->p = NULL;
    RtStatus status = rt_table_matrix(rt, from, &matrix, &rows, &width);
    if (status) return status;
    Table *t = calloc(1, sizeof *t);
    if (!t) {
        free(matrix);
        return rt_fail(rt, RT_MEMORY, RT_NOWHERE, 0, 0, 0);
    }
    *t = about;
    t->n = rows;
    t->columns = n;
    status = take_columns(rt, t, matrix, width, columns);
    if (!status) status = check(rt, t, about.events != 0);
    if (!status) status = make_slopes(rt, t);
    free(matrix);
    if (status)
        table_free(t);
    else
        result->p = t;
    return status;
}

/* ---- of u ------------------------------------------------------------------------------------ */

RtStatus rt_table1d_new(Rt *rt, RtCell *cells)
{
    RtTableSource from = { .file = cells[0].s,
                           .name = cells[1].s,
                           .delimiter = cells[12].s,
                           .header_lines = cells[13].i,
                           .given = cells[2].p,
                           .rows = cells[4].i,
                           .columns = cells[5].i };
    Table about = { .smoothness = (int)cells[9].i, .extrapolation = (int)cells[10].i };
    return table_new(rt, &from, cells[6].p, cells[7].i, about, &cells[14]);
}

RtStatus rt_table_as_before(Rt *rt, RtCell *cells, int n, RtStatus (*make)(Rt *rt, RtCell *cells))
{
    RtCell all[18];
    memcpy(all, cells, (size_t)n * sizeof *cells);
    all[n].s = ",";
    all[n + 1].i = 0;
    all[n + 2].p = NULL;
    RtStatus status = make(rt, all);
    cells[n].p = all[n + 2].p;
    return status;
}

RtStatus rt_table1d_new_2(Rt *rt, RtCell *cells) { return rt_table_as_before(rt, cells, 12, rt_table1d_new); }

RtStatus rt_table1d_free(Rt *rt, RtCell *cells)
{
    (void)rt;
    table_free(cells[0].p);
    return RT_OK;
}

static const char no_table[] = "a table that was never made";

RtStatus rt_table1d_value(Rt *rt, RtCell *cells)
{
    double out[3];
    if (!cells[0].p) return rt_fail_external(rt, no_table);
    RtStatus status = evaluate(rt, cells[0].p, cells[1].i - 1, cells[2].r, 0, out);
    cells[3].r = out[0];
    return status;
}

RtStatus rt_table1d_derivative(Rt *rt, RtCell *cells)
{
    double out[3];
    if (!cells[0].p) return rt_fail_external(rt, no_table);
    RtStatus status = evaluate(rt, cells[0].p, cells[1].i - 1, cells[2].r, 0, out);
    cells[4].r = out[1] * cells[3].r;
    return status;
}

RtStatus rt_table1d_second(Rt *rt, RtCell *cells)
{
    double out[3];
    if (!cells[0].p) return rt_fail_external(rt, no_table);
    RtStatus status = evaluate(rt, cells[0].p, cells[1].i - 1, cells[2].r, 0, out);
    cells[5].r = out[2] * cells[3].r * cells[3].r + out[1] * cells[4].r;
    return status;
}

RtStatus rt_table1d_least(Rt *rt, RtCell *cells)
{
    const Table *t = cells[0].p;
    if (!t) return rt_fail_external(rt, no_table);
    cells[1].r = t->x[0];
    return RT_OK;
}

RtStatus rt_table1d_greatest(Rt *rt, RtCell *cells)
{
    const Table *t = cells[0].p;
    if (!t) return rt_fail_external(rt, no_table);
    cells[1].r = t->x[t->n - 1];
    return RT_OK;
}

/* ---- of time --------------------------------------------------------------------------------- */

RtStatus rt_timetable_new(Rt *rt, RtCell *cells)
{
    RtTableSource from = { .file = cells[0].s,
                           .name = cells[1].s,
                           .delimiter = cells[15].s,
                           .header_lines = cells[16].i,
                           .given = cells[2].p,
                           .rows = cells[4].i,
                           .columns = cells[5].i };
    Table about = { .smoothness = (int)cells[10].i,
                    .extrapolation = (int)cells[11].i,
                    .start = cells[6].r,
                    .shift = cells[12].r,
                    .events = (int)cells[13].i };
    if (about.events < RT_EVENTS_ALWAYS || about.events > RT_EVENTS_NEVER)
        return rt_fail_external(rt, "a table with an unknown kind of time events");
    return table_new(rt, &from, cells[7].p, cells[8].i, about, &cells[17]);
}

RtStatus rt_timetable_new_2(Rt *rt, RtCell *cells)
{
    return rt_table_as_before(rt, cells, 15, rt_timetable_new);
}

/* p, column, time, next event. At the next event and beyond, what counts is the segment before it;
 * a moment that is only by rounding before an event that is over belongs after it. */
static RtStatus at_time(Rt *rt, const RtCell *cells, double out[3])
{
    const Table *t = cells[0].p;
    double time = cells[2].r, next = cells[3].r;
    out[0] = out[1] = out[2] = 0;
    if (!t) return rt_fail_external(rt, no_table);
    int is_over = time >= next && t->events != RT_EVENTS_NEVER;
    if (time < t->start || (is_over && next <= t->start)) return RT_OK;
    double u = time - t->shift, close = rounding(time, t->shift);
    if (is_over) {
        RtStatus status = evaluate(rt, t, cells[1].i - 1, next - t->shift, 1, out);
        out[0] += out[1] * (time - next);
        return status;
    }
    if (t->events != RT_EVENTS_NEVER && t->n > 1 && time + close < next) {
        double w = t->extrapolation == RT_PERIODIC ? wrapped(t, u, 0) : u;
        int64_t i = rt_table_find(t->x, t->n, w, 0);
        if (i + 1 < t->n && t->x[i + 1] - w <= close && t->x[i + 1] - w > 0) u += t->x[i + 1] - w + close;
    }
    return evaluate(rt, t, cells[1].i - 1, u, 0, out);
}

RtStatus rt_timetable_value(Rt *rt, RtCell *cells)
{
    double out[3];
    RtStatus status = at_time(rt, cells, out);
    cells[5].r = out[0];
    return status;
}

RtStatus rt_timetable_derivative(Rt *rt, RtCell *cells)
{
    double out[3];
    RtStatus status = at_time(rt, cells, out);
    cells[6].r = out[1] * cells[5].r;
    return status;
}

RtStatus rt_timetable_second(Rt *rt, RtCell *cells)
{
    double out[3];
    RtStatus status = at_time(rt, cells, out);
    cells[7].r = out[2] * cells[5].r * cells[5].r + out[1] * cells[6].r;
    return status;
}

/* Whether something happens at point i that the table makes events for. */
static int is_event(const Table *t, int64_t i)
{
    if (t->events == RT_EVENTS_ALWAYS) return 1;
    if (t->extrapolation == RT_PERIODIC && (i == 0 || i == t->n - 1)) return 1;
    return (i > 0 && t->x[i - 1] == t->x[i]) || (i + 1 < t->n && t->x[i + 1] == t->x[i]);
}

/* The first event after u among the points moved by `by`; DBL_MAX if there is none. */
static double next_point(const Table *t, double u, double by)
{
    for (int64_t i = rt_table_find(t->x, t->n, u - by, 0) + 1; i < t->n; i++)
        if (is_event(t, i) && t->x[i] + by > u) return t->x[i] + by;
    return DBL_MAX;
}

RtStatus rt_timetable_next(Rt *rt, RtCell *cells)
{
    const Table *t = cells[0].p;
    double time = cells[1].r, *next = &cells[2].r;
    if (!t) return rt_fail_external(rt, no_table);
    *next = DBL_MAX;
    if (time < t->start) {
        *next = t->start;
        return RT_OK;
    }
    if (t->events == RT_EVENTS_NEVER || t->n < 2) return RT_OK;
    double u = time - t->shift + rounding(time, t->shift), period = t->x[t->n - 1] - t->x[0];
    if (t->extrapolation == RT_PERIODIC) {
        double by = floor((u - t->x[0]) / period) * period;
        *next = fmin(next_point(t, u, by), next_point(t, u, by + period));
    } else {
        *next = next_point(t, u, 0);
    }
    if (*next < DBL_MAX) *next += t->shift;
    return RT_OK;
}
