/* result.c: what of acausal.h is about results: reading, comparing. */
#include "api/inside.h"

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

/* ---- comparison ------------------------------------------------------------------------------ */

AcausalCompareOptions acausal_compare_options(void)
{
    CompareOptions o = compare_options();
    return (AcausalCompareOptions){ o.value, o.time, o.absolute };
}

AcausalCompareReport compare_pass(const CompareReport *r,
                                  void (*row)(void *arg, const AcausalSignalReport *report), void *arg)
{
    static const char *const verdicts[] = { "same", "different", "noise", "only in A", "only in B" };
    for (size_t i = 0; row && i < r->count; i++) {
        const SignalReport *s = &r->signals[i];
        AcausalSignalReport out = { s->name, verdicts[s->verdict], s->deviation, s->excess, s->t, s->a,
                                    s->b,    s->outside,           s->range_a,   s->range_b };
        row(arg, &out);
    }
    return (AcausalCompareReport){ compare_is_same(r), r->same,   r->different, r->only_a, r->only_b,
                                   r->spans_differ,    r->a_from, r->a_to,      r->b_from, r->b_to };
}

AcausalStatus acausal_compare(const AcausalResult *a, const AcausalResult *b,
                              const AcausalCompareOptions *options,
                              void (*row)(void *arg, const AcausalSignalReport *report), void *arg,
                              AcausalCompareReport *report)
{
    CompareOptions o = { options->value, options->time, options->absolute };
    CompareReport r;
    Arena *arena = arena_new();
    *report = (AcausalCompareReport){ 0 };
    if (!arena) return ACAUSAL_BUG;
    result_compare(arena, table_of(a), table_of(b), &o, &r);
    *report = compare_pass(&r, row, arg);
    arena_free(arena);
    return report->same ? ACAUSAL_DONE : ACAUSAL_WRONG;
}
