/* plot.c: what of acausal.h draws results: names become curves, in panels, over time or over
 * another signal.
 *
 * Tests: tests/cli/result.sh, tests/result/plot_test.c. */
#include "api/inside.h"

#include <stdio.h>

enum { MOST_EVENTS = 100000 };

typedef struct {
    const Signal *signal;
    int panel;
} Chosen;
typedef VEC(Chosen) ChosenList;

static const ResultTable *table_of(const AcausalResult *result) { return (const ResultTable *)result; }

static void choose(Arena *arena, ChosenList *list, const Signal *signal, int panel)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i].signal == signal && list->at[i].panel == panel) return;
    Chosen chosen = { signal, panel };
    vec_push(arena, list, chosen);
}

static void say_unknown(const ResultTable *table, const char *name, char *why, size_t room)
{
    const char *near = result_nearest(table, name);
    if (near)
        snprintf(why, room, "the result has no signal '%s'; did you mean '%s'?", name, near);
    else
        snprintf(why, room, "the result has no signal '%s' among its %zu", name, table->count);
}

/* A name with wildcards that fits every constant is of no use: those are taken by their own names
 * only. */
static bool choose_signals(Arena *arena, const ResultTable *table, const AcausalPlot *p, ChosenList *list,
                           char *why, size_t room)
{
    int panel = 0;
    for (size_t k = 0; k < p->count; k++) {
        /* names may hold what looks like a wildcard */
        const Signal *exact = result_find(table, p->names[k]);
        bool found = exact != NULL;
        if (!exact && !strcmp(p->names[k], "/")) {
            panel++;
            continue;
        }
        if (exact) choose(arena, list, exact, panel);
        for (size_t i = 0; !exact && i < table->count; i++) {
            if (!result_name_fits(p->names[k], table->signals[i].name)) continue;
            found = true;
            if (table->signals[i].kind != COLUMN_CONSTANT) choose(arena, list, &table->signals[i], panel);
        }
        if (!found) {
            say_unknown(table, p->names[k], why, room);
            return false;
        }
    }
    for (uint32_t i = 0; i < list->n && !panel; i++)
        list->at[i].panel = p->panels == ACAUSAL_PANEL_EACH  ? (int)i
                            : p->panels == ACAUSAL_PANEL_ONE ? 0
                                                             : -1;
    return true;
}

typedef struct {
    Arena *arena;
    const ResultTable *table, *other;
    const AcausalPlot *p;
    const Signal *x;
    VEC(PlotCurve) curves;
} Curves;

static void add_curve(Curves *c, const ResultTable *table, const Signal *x, const Chosen *chosen,
                      const Signal *y, const char *label, int colour)
{
    PlotCurve curve = { .x = x,
                        .y = y,
                        .rows = table->rows,
                        .label = label,
                        .panel = chosen->panel,
                        .colour = colour,
                        .dashed = table == c->other,
                        .steps = x == &table->time && signal_is_stepwise(x, y, table->rows) };
    vec_push(c->arena, &c->curves, curve);
}

/* A signal and its namesake in the other result, with the tube between them. */
static void add_pair(Curves *c, const Chosen *chosen, int colour)
{
    const Signal *a = chosen->signal, *b = result_find(c->other, a->name),
                 *other_x = c->p->x ? result_find(c->other, c->p->x) : &c->other->time;
    add_curve(c, c->table, c->x, chosen, a, arena_printf(c->arena, "%s (A)", a->name), colour);
    if (!b || !other_x) return;
    if (!c->p->x) {
        const AcausalCompareOptions *o = c->p->tube;
        CompareOptions options = { o->value, o->time, o->absolute };
        ResultTube *tube = NEW(c->arena, ResultTube);
        result_tube(c->arena, c->table, a, c->other, b, &options, tube);
        c->curves.at[c->curves.n - 1].tube = tube;
    }
    add_curve(c, c->other, other_x, chosen, b, arena_printf(c->arena, "%s (B)", b->name), colour);
    c->curves.at[c->curves.n - 1].colour = colour + 1;
}

typedef bool (*Draw)(const Plot *plot, const PlotStyle *style, Text *out, char *why, size_t room);

static bool draw_svg(const Plot *plot, const PlotStyle *style, Text *out, char *why, size_t room)
{
    (void)why, (void)room;
    plot_svg(plot, style, out);
    return true;
}

static bool draw_terminal(const Plot *plot, const PlotStyle *style, Text *out, char *why, size_t room)
{
    (void)why, (void)room;
    plot_terminal(plot, style, out);
    return true;
}

static bool draw_in(Arena *arena, const AcausalResult *result, const AcausalPlot *p, Draw drawing, Text *out,
                    char *why, size_t room)
{
    const ResultTable *table = table_of(result);
    Curves c = { .arena = arena, .table = table, .other = table_of(p->other), .p = p };
    ChosenList list = { 0 };
    c.x = p->x ? result_find(table, p->x) : &table->time;
    if (!c.x) say_unknown(table, p->x, why, room);
    if (!c.x || !choose_signals(arena, table, p, &list, why, room)) return false;
    for (uint32_t i = 0; i < list.n; i++)
        if (c.other)
            add_pair(&c, &list.at[i], (int)(2 * i));
        else
            add_curve(&c, table, c.x, &list.at[i], list.at[i].signal, NULL, -1);
    Plot plot = {
        .curves = c.curves.at, .count = c.curves.n, .title = p->title, .log_x = p->log_x, .log_y = p->log_y
    };
    if (p->events && !p->x) {
        double *times = NEW_ARRAY(arena, double, MOST_EVENTS);
        plot.event_count = size_min(result_events(table, times, MOST_EVENTS), MOST_EVENTS);
        plot.events = times;
    }
    PlotStyle style = { p->width, p->height, p->dark, p->colour, p->scale };
    return drawing(&plot, &style, out, why, room);
}

AcausalStatus acausal_plot(AcausalSession *session, const AcausalResult *result, const AcausalPlot *plot,
                           AcausalPicture as, AcausalWrite write, void *arg)
{
    static const Draw draws[] = { [ACAUSAL_SVG] = draw_svg,
                                  [ACAUSAL_PNG] = plot_png,
                                  [ACAUSAL_TERMINAL] = draw_terminal,
                                  [ACAUSAL_PDF] = plot_pdf };
    jmp_buf escape;
    char why[400] = "no memory for a plot";
    AcausalPlot own = { 0 };
    AcausalCompareOptions tube = acausal_compare_options();
    if (!TAKE(session, own, plot) || !TAKE(session, tube, own.tube)) return ACAUSAL_USAGE;
    if ((size_t)as >= COUNT_OF(draws)) return wrong(session, E_OPTION, "no such picture"), ACAUSAL_USAGE;
    own.tube = &tube;
    Arena *arena = arena_new();
    if (!arena) return ACAUSAL_BUG;
    AcausalStatus status = ACAUSAL_BUG;
    if (!setjmp(escape)) {
        Text out = { .arena = arena };
        arena->escape = &escape;
        status =
            draw_in(arena, result, &own, draws[as], &out, why, sizeof why) ? ACAUSAL_DONE : ACAUSAL_WRONG;
        if (status == ACAUSAL_DONE) write(arg, out.at, out.n);
    }
    arena_free(arena);
    if (status != ACAUSAL_DONE) wrong(session, E_OUTPUT, "%s", why);
    return status;
}
