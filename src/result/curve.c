/* curve.c: from rows of a signal to the points that are drawn.
 *
 * In: a curve, a frame with axes. Out: a path in pixels. How: of consecutive points that fall into
 * the same half of a pixel only the first, least, largest and last are kept, in that order, so that
 * no peak is lost. Where the horizontal axis is not time the curve may run over the same place
 * again and again: a piece between two half pixels is then drawn once. Signals that hold their
 * value are steps. Always: NaN, and what a logarithm has no place for, interrupts the line. Cost:
 * linear in rows, some nanoseconds each. Tests: tests/result/plot_test.c. */
#include "result/inside.h"

enum { MANY_POINTS = 20000 };
static const double FAR = 1e5; /* pixels outside of the frame that a point may lie */

typedef struct {
    Arena *arena;
    Path *path;
    Map *seen; /* pieces that are drawn already; NULL: all are drawn */
    long column;
    double x, first, low, high, last;
    double row_x, row_y; /* the last point put into the path */
    bool some, pen_down;
} Pen;

static uint64_t half_pixel(double x, double y)
{
    return ((uint64_t)lround(2 * x) & 0xffff) << 16 | ((uint64_t)lround(2 * y) & 0xffff);
}

/* Whether the piece from the last point to this one is in the path already. */
static bool is_drawn(Pen *pen, double x, double y)
{
    uint64_t from = half_pixel(pen->row_x, pen->row_y), to = half_pixel(x, y);
    bool is_new = false;
    if (from != to) map_put(pen->seen, from << 32 | to, &is_new);
    return !is_new;
}

static void put_point(Pen *pen, double x, double y)
{
    y = fmin(fmax(y, -FAR), FAR);
    bool goes_on = pen->seen && !isnan(pen->row_x);
    if (goes_on && is_drawn(pen, x, y)) {
        if (half_pixel(pen->row_x, pen->row_y) == half_pixel(x, y)) return;
        pen->pen_down = false;
    } else {
        Vertex gap = { NAN, 0.0f }, back = { (float)pen->row_x, (float)pen->row_y };
        Vertex v = { (float)x, (float)y };
        if (!pen->pen_down && pen->path->n) vec_push(pen->arena, pen->path, gap);
        if (!pen->pen_down && goes_on) vec_push(pen->arena, pen->path, back);
        vec_push(pen->arena, pen->path, v);
        pen->pen_down = true;
    }
    pen->row_x = x, pen->row_y = y;
}

static void pen_flush(Pen *pen)
{
    if (!pen->some) return;
    put_point(pen, pen->x, pen->first);
    if (pen->low < fmin(pen->first, pen->last)) put_point(pen, pen->x, pen->low);
    if (pen->high > fmax(pen->first, pen->last)) put_point(pen, pen->x, pen->high);
    if (pen->last != pen->first) put_point(pen, pen->x, pen->last);
    pen->some = false;
}

static inline void pen_to(Pen *pen, double x, double y)
{
    long column = (long)(2.0 * x);
    if (pen->some && column == pen->column) {
        if (y < pen->low) pen->low = y;
        if (y > pen->high) pen->high = y;
        pen->last = y;
        return;
    }
    pen_flush(pen);
    pen->column = column;
    pen->x = x;
    pen->first = pen->low = pen->high = pen->last = y;
    pen->some = true;
}

static void pen_up(Pen *pen)
{
    pen_flush(pen);
    pen->pen_down = false;
    pen->row_x = NAN;
}

void curve_path(const PlotCurve *c, const Frame *f, Arena *arena, Path *path)
{
    Map seen = { .arena = arena };
    Pen pen = { .arena = arena, .path = path, .row_x = NAN };
    double wide = f->right - f->left, tall = f->bottom - f->top, before = NAN;
    bool is_time = !strcmp(c->x->name, "time") || !strcmp(c->x->name, "Time");
    if (!is_time && c->rows > MANY_POINTS) pen.seen = &seen;
    for (size_t i = 0; i < c->rows; i++) {
        double x = f->left + tick_place(&f->x, signal_at(c->x, i)) * wide;
        double y = f->bottom - tick_place(&f->y, signal_at(c->y, i)) * tall;
        if (!(fabs(x) < FAR) || !isfinite(y)) {
            pen_up(&pen);
            before = NAN;
            continue;
        }
        if (c->steps && !isnan(before)) pen_to(&pen, x, before);
        pen_to(&pen, x, y);
        before = y;
    }
    pen_flush(&pen);
}

/* The upper side from left to right and the lower one back. Of each half pixel the outermost
 * values. */
void tube_path(const ResultTube *tube, const Frame *f, Arena *arena, Path *path)
{
    Path below = { 0 };
    double wide = f->right - f->left, tall = f->bottom - f->top, top = 0, bottom = 0, at = 0;
    long column = -1;
    for (size_t i = 0; i <= tube->rows; i++) {
        double x = 0, high = 0, low = 0;
        if (i < tube->rows) {
            x = f->left + tick_place(&f->x, signal_at(&tube->t, i)) * wide;
            high = f->bottom - tick_place(&f->y, signal_at(&tube->high, i)) * tall;
            low = f->bottom - tick_place(&f->y, signal_at(&tube->low, i)) * tall;
            if (!isfinite(low)) low = FAR; /* below what a logarithm shows */
            if (!(fabs(x) < FAR) || !isfinite(high)) continue;
        }
        if (column >= 0 && (i == tube->rows || (long)(2 * x) != column)) {
            Vertex above = { (float)at, (float)top }, under = { (float)at, (float)bottom };
            vec_push(arena, path, above);
            vec_push(arena, &below, under);
            column = -1;
        }
        top = column < 0 ? high : fmin(top, high);
        bottom = column < 0 ? low : fmax(bottom, low);
        at = x;
        column = (long)(2 * x);
    }
    for (uint32_t i = below.n; i > 0; i--) vec_push(arena, path, below.at[i - 1]);
}
