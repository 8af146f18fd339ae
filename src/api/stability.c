/* stability.c: what of acausal.h draws where integrators are stable.
 *
 * In: a method of the table or a tableau. Out: a picture with the region |R(z)| < 1 and, of one-
 * step methods, the order star |R(z)| > |e^z|; of linear multistep methods the borders of all
 * orders. How much of the plane is shown is found out by squares: the least one beyond which
 * nothing changes. Tests: tests/cli/help.sh, tests/solve/stability_test.c. */
#include "solve/stability.h"
#include "api/stability.h"

#include <math.h>

enum { CELLS = 160, FEW_CELLS = 80, PROBES = 40, MOST_ORDERS = 12 };

static double growth(void *arg, double x, double y)
{
    return log(fmax(stability_at(arg, x, y, NULL), 1e-300));
}
/* Above 0 where the method grows faster than the solution. */
static double star(void *arg, double x, double y) { return x - growth(arg, x, y); }

/* What the border of a square is like, left and right of the imaginary axis: 0 unstable, 1
 * stable, 2 both. */
static int kind_of(Stability *s, double r)
{
    int seen[2][2] = { { 0 } };
    for (int i = 0; i <= PROBES; i++) {
        double at = r * (2.0 * i / PROBES - 1.0);
        seen[0][growth(s, -r, at) < 0.0] = seen[1][growth(s, r, at) < 0.0] = 1;
        if (fabs(at) > 0.06 * r) seen[at > 0.0][growth(s, at, r) < 0.0] = 1;
    }
    int left = seen[0][0] && seen[0][1] ? 2 : seen[0][1], right = seen[1][0] && seen[1][1] ? 2 : seen[1][1];
    return 3 * left + right;
}

/* Half the side of the least square beyond which nothing changes. */
static double reach_of(Stability *s)
{
    static const double sides[] = { 2.5, 4, 6, 9, 13, 18, 27 };
    size_t k = COUNT_OF(sides) - 1;
    int last = kind_of(s, sides[k]);
    while (k > 0 && kind_of(s, sides[k - 1]) == last) k--;
    return sides[k];
}

typedef struct {
    Arena *arena;
    ChartSeries series[MOST_ORDERS + 2];
    size_t count;
} Drawn;

static void add(Drawn *d, ChartKind kind, const ChartPoints *points, int colour, const char *label)
{
    d->series[d->count++] = (ChartSeries){
        .kind = kind, .colour = colour, .label = label, .x = points->x, .y = points->y, .n = points->n
    };
}

static void add_region(Drawn *d, ContourOf *of, bool filled, int colour, const char *label)
{
    ChartPoints area, line;
    contour_make(d->arena, of, &area, &line);
    if (filled) add(d, CHART_AREA, &area, colour, NULL);
    add(d, CHART_LINE, &line, colour, label);
}

static void add_axes(Drawn *d, double r)
{
    double *x = NEW_ARRAY(d->arena, double, 5), *y = NEW_ARRAY(d->arena, double, 5);
    x[0] = -r, x[1] = r, x[2] = NAN, y[3] = -r, y[4] = r;
    add(d, CHART_LINE, &(ChartPoints){ x, y, 5 }, CHART_GREY, NULL);
}

static ChartPanel panel_of(const Drawn *d, const char *title, double r)
{
    return (ChartPanel){ .title = title,
                         .x_title = "Re z",
                         .y_title = "Im z",
                         .series = d->series,
                         .count = d->count,
                         .equal = true,
                         .x = { -r, r },
                         .y = { -r, r } };
}

bool stability_chart(Arena *arena, const SolverType *type, int order, Chart *chart, const char **why)
{
    ChartPanel *panels = NEW_ARRAY(arena, ChartPanel, 2);
    Drawn *region = NEW(arena, Drawn), *stars = NEW(arena, Drawn);
    region->arena = stars->arena = arena;
    *chart = (Chart){ .panels = panels, .width = 460, .height = 400 };
    int orders = stability_orders(type), first = order > 0 ? order : 1, last = order > 0 ? order : orders;
    Stability *s = stability_new(arena, type, orders > 1 ? first : order, why);
    if (!s) return false;
    if (!stability_is_one_step(s)) {
        double r = 1.0;
        for (int q = first; q <= last; q++) r = fmax(r, reach_of(stability_new(arena, type, q, why)));
        add_axes(region, r);
        for (int q = first; q <= last; q++) {
            ContourOf of = {
                { -r, r }, { -r, r }, last > 5 ? FEW_CELLS : CELLS, growth, stability_new(arena, type, q, why)
            };
            add_region(region, &of, first == last, q, arena_printf(arena, "order %d", q));
        }
        chart->title = arena_printf(arena, "%s: borders of stability", type->name);
        panels[0] = panel_of(region, NULL, r);
        chart->count = 1;
        return true;
    }
    bool costly = !strcmp(stability_source(s), "steps");
    double r = reach_of(s), near = 2.0 + stability_order(s);
    ContourOf of = { { -r, r }, { -r, r }, costly ? FEW_CELLS : CELLS, growth, s };
    add_axes(region, r);
    add_region(region, &of, true, 1, NULL);
    panels[0] = panel_of(region, "stable where |R(z)| < 1", r);
    of = (ContourOf){ { -near, near }, { -near, near }, costly ? FEW_CELLS : CELLS, star, s };
    add_axes(stars, near);
    add_region(stars, &of, true, 2, NULL);
    panels[1] = panel_of(stars, "order star: |R(z)| > |exp z|", near);
    chart->title = arena_printf(arena, "%s, order %d", type->name, stability_order(s));
    chart->count = 2;
    return true;
}

AcausalStatus acausal_draw_stability(AcausalSession *session, const AcausalStability *given,
                                     AcausalPicture as, AcausalWrite write, void *arg)
{
    AcausalStability own = { 0 };
    if (!TAKE(session, own, given)) return ACAUSAL_USAGE;
    if (as != ACAUSAL_SVG && as != ACAUSAL_PNG) return ACAUSAL_USAGE;
    Arena *arena = arena_new();
    if (!arena) return ACAUSAL_BUG;
    Chart chart;
    char why_png[200] = "";
    const char *why = "";
    Text out = { .arena = arena };
    const SolverType *type = session_solver(session, arena, own.solver ? own.solver : "");
    bool ok = type != NULL;
    if (ok && !stability_chart(arena, type, own.order, &chart, &why))
        ok = wrong(session, E_OPTION, "%s", why);
    if (ok && as == ACAUSAL_PNG && !chart_png(&chart, &out, why_png, sizeof why_png))
        ok = wrong(session, E_OPTION, "%s", why_png);
    if (ok && as == ACAUSAL_SVG) chart_svg(&chart, &out);
    if (ok) write(arg, out.at, out.n);
    arena_free(arena);
    return ok ? ACAUSAL_DONE : ACAUSAL_WRONG;
}
