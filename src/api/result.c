/* result.c: what of acausal.h is about results: reading, comparing. Tests: tests/cli/result.sh. */
#include "api/inside.h"

static ResultTable *table_of(const AcausalResult *result) { return (ResultTable *)(uintptr_t)result; }

AcausalResult *acausal_result_read(AcausalSession *session, const char *path)
{
    char why[400];
    ResultTable *table = result_read(path, why, sizeof why);
    if (!table) wrong(session, E_OUTPUT, "%s", why);
    return (AcausalResult *)table;
}

void acausal_result_free(AcausalResult *result) { result_free(table_of(result)); }
size_t acausal_result_rows(const AcausalResult *result) { return table_of(result)->rows; }
size_t acausal_result_count(const AcausalResult *result) { return table_of(result)->count; }
bool acausal_result_is_cut(const AcausalResult *result) { return table_of(result)->truncated; }

bool acausal_result_values(const AcausalResult *result, const char *name, double *values)
{
    const ResultTable *table = table_of(result);
    const Signal *signal = result_find(table, name);
    if (!signal) return false;
    for (size_t i = 0; i < table->rows; i++) values[i] = signal_at(signal, i);
    return true;
}

const double *acausal_result_view(const AcausalResult *result, const char *name, size_t *stride, double *sign)
{
    const Signal *signal = result_find(table_of(result), name);
    if (!signal) return NULL;
    *stride = signal->stride;
    *sign = signal->sign;
    return signal->at;
}

/* ---- comparison ------------------------------------------------------------------------------ */

void acausal_compare_init(AcausalCompareOptions *options, size_t size)
{
    CompareOptions o = compare_options();
    AcausalCompareOptions own = { .value = o.value, .time = o.time, .absolute = o.absolute };
    init_structure(options, size, &own, sizeof own);
}

AcausalCompareReport compare_pass(const CompareReport *r,
                                  void (*row)(void *arg, const AcausalSignalReport *report), void *arg)
{
    static const char *const verdicts[] = { "same", "different", "noise", "only in A", "only in B" };
    for (size_t i = 0; row && i < r->count; i++) {
        const SignalReport *s = &r->signals[i];
        AcausalSignalReport out = { .size = sizeof out,
                                    .name = s->name,
                                    .verdict = verdicts[s->verdict],
                                    .deviation = s->deviation,
                                    .excess = s->excess,
                                    .t = s->t,
                                    .a = s->a,
                                    .b = s->b,
                                    .outside = s->outside,
                                    .range_a = s->range_a,
                                    .range_b = s->range_b };
        row(arg, &out);
    }
    return (AcausalCompareReport){ .size = sizeof(AcausalCompareReport),
                                   .same = compare_is_same(r),
                                   .signals_same = r->same,
                                   .signals_different = r->different,
                                   .only_a = r->only_a,
                                   .only_b = r->only_b,
                                   .spans_differ = r->spans_differ,
                                   .a_from = r->a_from,
                                   .a_to = r->a_to,
                                   .b_from = r->b_from,
                                   .b_to = r->b_to };
}

AcausalStatus acausal_compare(AcausalSession *session, const AcausalResult *a, const AcausalResult *b,
                              const AcausalCompareOptions *options,
                              void (*row)(void *arg, const AcausalSignalReport *report), void *arg,
                              AcausalCompareReport *report)
{
    AcausalCompareOptions own = acausal_compare_options();
    if (!is_sized(session, report) || !TAKE(session, own, options)) return ACAUSAL_USAGE;
    CompareOptions o = { own.value, own.time, own.absolute };
    CompareReport r;
    Arena *arena = arena_new();
    if (!arena) return ACAUSAL_BUG;
    result_compare(arena, table_of(a), table_of(b), &o, &r);
    AcausalCompareReport sums = compare_pass(&r, row, arg);
    GIVE(report, sums);
    arena_free(arena);
    return sums.same ? ACAUSAL_DONE : ACAUSAL_WRONG;
}
