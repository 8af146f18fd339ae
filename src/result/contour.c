/* contour.c: areas and lines of a function of two variables, by marching squares.
 *
 * In: a function, a rectangle, a grid. Out: polygons that cover what is below zero, neighbours that
 * are wholly below joined to rectangles; segments of the line where it is zero. Crossings are found
 * by linear interpolation. Cost: (n+1)^2 values. Tests: tests/result/chart_test.c. */
#include "result/chart.h"

#include <math.h>

typedef VEC(double) List;
typedef struct {
    Arena *arena;
    List x, y;
} Points;

typedef struct {
    double x, y, f;
} Corner;

static void put(Points *p, double x, double y)
{
    vec_push(p->arena, &p->x, x);
    vec_push(p->arena, &p->y, y);
}

static Corner crossing(Corner a, Corner b)
{
    double share = a.f / (a.f - b.f);
    if (!isfinite(share)) share = 0.5;
    return (Corner){ a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), 0.0 };
}

static void cut_cell(const Corner corner[4], Points *area, Points *line)
{
    Corner cuts[4];
    int n = 0;
    put(area, (double)NAN, 0.0);
    for (int i = 0; i < 4; i++) {
        Corner a = corner[i], b = corner[(i + 1) % 4];
        if (a.f < 0.0) put(area, a.x, a.y);
        if ((a.f < 0.0) == (b.f < 0.0)) continue;
        cuts[n++] = crossing(a, b);
        put(area, cuts[n - 1].x, cuts[n - 1].y);
    }
    for (int i = 0; i + 1 < n; i += 2) {
        put(line, (double)NAN, 0.0);
        put(line, cuts[i].x, cuts[i].y);
        put(line, cuts[i + 1].x, cuts[i + 1].y);
    }
}

static void put_box(Points *p, double x0, double x1, double y0, double y1)
{
    put(p, (double)NAN, 0.0);
    put(p, x0, y0);
    put(p, x1, y0);
    put(p, x1, y1);
    put(p, x0, y1);
}

void contour_make(Arena *arena, const ContourOf *of, ChartPoints *area, ChartPoints *line)
{
    int n = of->n;
    size_t side = (size_t)n + 1;
    Points inside = { .arena = arena }, border = { .arena = arena };
    double *f = NEW_ARRAY(arena, double, side *side), dx = (of->x[1] - of->x[0]) / n,
           dy = (of->y[1] - of->y[0]) / n;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++) {
            double v = of->f(of->arg, of->x[0] + i * dx, of->y[0] + j * dy);
            f[(size_t)j * side + (size_t)i] = isnan(v) ? INFINITY : v;
        }
    for (int j = 0; j < n; j++) {
        double y0 = of->y[0] + j * dy, y1 = y0 + dy;
        int from = -1; /* of cells that are wholly below */
        for (int i = 0; i <= n; i++) {
            const double *low = f + (size_t)j * side + (size_t)i, *high = low + side;
            double x0 = of->x[0] + i * dx, x1 = x0 + dx;
            int below = i == n ? -1 : (low[0] < 0.0) + (low[1] < 0.0) + (high[0] < 0.0) + (high[1] < 0.0);
            if (below == 4 && from < 0) from = i;
            if (below != 4 && from >= 0) {
                put_box(&inside, of->x[0] + from * dx, x0, y0, y1);
                from = -1;
            }
            if (below > 0 && below < 4)
                cut_cell(
                    (Corner[4]){
                        { x0, y0, low[0] }, { x1, y0, low[1] }, { x1, y1, high[1] }, { x0, y1, high[0] } },
                    &inside, &border);
        }
    }
    *area = (ChartPoints){ inside.x.at, inside.y.at, inside.x.n };
    *line = (ChartPoints){ border.x.at, border.y.at, border.x.n };
}
