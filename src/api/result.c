/* result.c: what of acausal.h is about results: reading, drawing, comparing. */
#include "acausal.h"

#include "result/result.h"

#include <stdio.h>

static ResultTable *table_of(const AcausalResult *result) { return (ResultTable *)(uintptr_t)result; }

AcausalResult *acausal_result_read(const char *path, char *why, size_t room)
{
    return (AcausalResult *)result_read(path, why, room);
}

void acausal_result_free(AcausalResult *result) { result_free(table_of(result)); }
size_t acausal_result_rows(const AcausalResult *result) { return table_of(result)->rows; }
size_t acausal_result_count(const AcausalResult *result) { return table_of(result)->count; }
bool acausal_result_is_cut(const AcausalResult *result) { return table_of(result)->truncated; }

const char *acausal_result_name(const AcausalResult *result, size_t i)
{
    return i < table_of(result)->count ? table_of(result)->signals[i].name : NULL;
}

const char *acausal_result_unit(const AcausalResult *result, size_t i)
{
    return i < table_of(result)->count ? table_of(result)->signals[i].unit : NULL;
}

bool acausal_result_values(const AcausalResult *result, const char *name, double *values)
{
    const ResultTable *table = table_of(result);
    const Signal *signal = result_find(table, name);
    if (!signal) return false;
    for (size_t i = 0; i < table->rows; i++) values[i] = signal_at(signal, i);
    return true;
}

/* ---- plots ---- */

typedef VEC(const Signal *) SignalList;

static bool is_listed(const SignalList *list, const Signal *signal)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i] == signal) return true;
    return false;
}

static void say_unknown(const ResultTable *table, const char *name, char *why, size_t room)
{
    const char *near = result_nearest(table, name);
    if (near)
        snprintf(why, room, "the result has no signal '%s'; did you mean '%s'?", name, near);
    else
        snprintf(why, room, "the result has no signal '%s' among its %zu", name, table->count);
}

static bool find_signals(Arena *arena, const ResultTable *table, const AcausalPlot *p, SignalList *list,
                         char *why, size_t room)
{
    for (size_t k = 0; k < p->count; k++) {
        const Signal *exact = result_find(table, p->names[k]); /* names may hold what looks like a wildcard */
        bool found = exact != NULL;
        if (exact && !is_listed(list, exact)) vec_push(arena, list, exact);
        for (size_t i = 0; !exact && i < table->count; i++) {
            const Signal *signal = &table->signals[i];
            if (!result_name_fits(p->names[k], signal->name)) continue;
            found = true;
            if (!is_listed(list, signal)) vec_push(arena, list, signal);
        }
        if (!found) {
            say_unknown(table, p->names[k], why, room);
            return false;
        }
    }
    return true;
}

typedef void (*Draw)(const Plot *plot, const PlotStyle *style, Text *out);

static AcausalStatus draw(const ResultTable *table, const AcausalPlot *p, Draw drawing, AcausalWrite write,
                          void *arg, char *why, size_t room)
{
    const Signal *x = p->x ? result_find(table, p->x) : &table->time;
    Arena *arena = arena_new();
    SignalList list = { 0 };
    if (!arena) {
        snprintf(why, room, "no memory for a plot");
        return ACAUSAL_BUG;
    }
    bool ok = x && find_signals(arena, table, p, &list, why, room);
    if (!x) say_unknown(table, p->x, why, room);
    if (ok) {
        Text out = { .arena = arena };
        Plot plot = { x, list.at, list.n, table->rows, p->title };
        drawing(&plot, &(PlotStyle){ p->width, p->height, p->dark, p->colour }, &out);
        write(arg, out.at, out.n);
    }
    arena_free(arena);
    return ok ? ACAUSAL_DONE : ACAUSAL_WRONG;
}

AcausalStatus acausal_plot_svg(const AcausalResult *result, const AcausalPlot *plot, AcausalWrite write,
                               void *arg, char *why, size_t room)
{
    return draw(table_of(result), plot, plot_svg, write, arg, why, room);
}

AcausalStatus acausal_plot_terminal(const AcausalResult *result, const AcausalPlot *plot, AcausalWrite write,
                                    void *arg, char *why, size_t room)
{
    return draw(table_of(result), plot, plot_terminal, write, arg, why, room);
}

/* ---- comparison ---- */

AcausalCompareOptions acausal_compare_options(void)
{
    CompareOptions o = compare_options();
    return (AcausalCompareOptions){ o.value, o.time, o.absolute };
}

AcausalStatus acausal_compare(const AcausalResult *a, const AcausalResult *b,
                              const AcausalCompareOptions *options,
                              void (*row)(void *arg, const AcausalSignalReport *report), void *arg,
                              AcausalCompareReport *report)
{
    static const char *const verdicts[] = { "same", "different", "only in A", "only in B" };
    CompareOptions o = { options->value, options->time, options->absolute };
    CompareReport r;
    Arena *arena = arena_new();
    *report = (AcausalCompareReport){ 0 };
    if (!arena) return ACAUSAL_BUG;
    result_compare(arena, table_of(a), table_of(b), &o, &r);
    for (size_t i = 0; row && i < r.count; i++) {
        const SignalReport *s = &r.signals[i];
        AcausalSignalReport out = {
            s->name, verdicts[s->verdict], s->deviation, s->excess, s->t, s->a, s->b, s->outside
        };
        row(arg, &out);
    }
    *report = (AcausalCompareReport){ compare_is_same(&r), r.same,   r.different, r.only_a, r.only_b,
                                      r.spans_differ,      r.a_from, r.a_to,      r.b_from, r.b_to };
    arena_free(arena);
    return report->same ? ACAUSAL_DONE : ACAUSAL_WRONG;
}
