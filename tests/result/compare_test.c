/* The tube forgives events that are a little early or late and errors that are small against a
 * signal's range, and nothing else: jumps that are far, peaks that one result lacks, drifts, NaN,
 * runs that end early are found. */
#include "result/result.h"
#include "test.h"

#include <math.h>

enum { ROWS = 1001 };

/* A step at `event`, written with two rows, and a sine with an error. */
static ResultTable *make(double event, double error, double peak, double stop, bool nan)
{
    static const Column columns[] = { { "step", "", "", COLUMN_DISCRETE, 0, false },
                                      { "wave", "V", "", COLUMN_CONTINUOUS, 1, false },
                                      { "big", "Pa", "", COLUMN_CONTINUOUS, 2, false } };
    ResultSink *sink = sink_memory();
    double values[3] = { 0, 0, 1e5 };
    bool done = false;
    sink_begin(sink, columns, 3, values);
    for (int i = 0; i < ROWS; i++) {
        double t = 10.0 * i / (ROWS - 1);
        if (t > stop) break;
        for (int after = 0; after < 2 && !done && t >= event; after++) {
            values[0] = after;
            values[1] = sin(event) + error;
            sink_row(sink, event, values);
            done = after;
        }
        values[0] = t > event;
        values[1] = sin(t) + error + (i == 300 ? peak : 0.0);
        values[2] = 1e5 + 1e-4 * sin(3.0 * t + error);
        if (nan && i == 500) values[1] = NAN;
        if (t != event) sink_row(sink, t, values);
    }
    ResultTable *table = sink_table(sink);
    sink_free(sink);
    return table;
}

static const struct {
    const char *name;
    double event, error, peak, stop;
    bool nan;
    size_t different;
    bool same;
    double t; /* where the worst is, if one is different */
} cases[] = {
    { "the same", 3.1415, 0.0, 0.0, 10, false, 0, true, 0 },
    { "an event a little late", 3.1423, 0.0, 0.0, 10, false, 0, true, 0 },
    { "an event too late", 3.155, 0.0, 0.0, 10, false, 1, false, 3.15 },
    { "a small error", 3.1415, 1e-3, 0.0, 10, false, 0, true, 0 },
    { "an error", 3.1415, 3e-3, 0.0, 10, false, 1, false, -1 },
    { "a peak that the other lacks", 3.1415, 0.0, 0.1, 10, false, 1, false, 3.0 },
    { "a run that ends early", 3.1415, 0.0, 0.0, 9, false, 0, false, 0 },
    { "not a number", 3.1415, 0.0, 0.0, 10, true, 1, false, 5.0 },
};

/* Two switches meant to change together: rounding decides which is first, and what is true in
 * between lasts no time. Both may move by the tube's width, so what lasts for less is not asked
 * for; what lasts for longer is. */
static ResultTable *make_pair(int first, double apart)
{
    static const Column columns[] = { { "difference", "", "", COLUMN_CONTINUOUS, 0, false } };
    ResultSink *sink = sink_memory();
    double t[] = { 0, 5, 5, 5 + apart, 5 + apart, 10 }, on[2] = { 0, 0 }, value = 0;
    sink_begin(sink, columns, 1, &value);
    for (int i = 0; i < 6; i++) {
        if (i == 2 || i == 4) on[(first + i / 4) % 2] = 1;
        value = on[0] - on[1];
        sink_row(sink, t[i], &value);
    }
    ResultTable *table = sink_table(sink);
    sink_free(sink);
    return table;
}

static void check_instants(void)
{
    CompareOptions options = compare_options();
    static const double apart_by[] = { 1e-15, 1e-4, 1.1e-3, 1e-2 }; /* the width is 1e-3 */
    for (size_t k = 0; k < COUNT_OF(apart_by); k++) {
        double apart = apart_by[k];
        ResultTable *a = make_pair(0, apart), *b = make_pair(1, apart);
        Arena *arena = arena_new();
        CompareReport report;
        result_compare(arena, a, b, &options, &report);
        CHECK_ROW(compare_is_same(&report) == (apart < 1e-3), "two events");
        arena_free(arena);
        result_free(a);
        result_free(b);
    }
}

int main(void)
{
    check_instants();
    ResultTable *reference = make(3.1415, 0, 0, 10, false);
    CompareOptions options = compare_options();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ResultTable *other = make(cases[i].event, cases[i].error, cases[i].peak, cases[i].stop, cases[i].nan);
        for (int swapped = 0; swapped < 2; swapped++) {
            Arena *arena = arena_new();
            CompareReport report;
            result_compare(arena, swapped ? other : reference, swapped ? reference : other, &options,
                           &report);
            CHECK_ROW(report.different == cases[i].different, cases[i].name);
            CHECK_ROW(report.same + report.different == 3 && report.only_a + report.only_b == 0,
                      cases[i].name);
            CHECK_ROW(compare_is_same(&report) == cases[i].same, cases[i].name);
            for (size_t k = 0; k < report.count; k++)
                if (report.signals[k].verdict == SIGNAL_DIFFERENT && cases[i].t >= 0)
                    CHECK_ROW(fabs(report.signals[k].t - cases[i].t) < 0.02, cases[i].name);
            arena_free(arena);
        }
        result_free(other);
    }
    /* signals of one result only are told, and are no difference */
    Arena *arena = arena_new();
    CompareReport report;
    ResultTable *part = make(3.1415, 0, 0, 10, false);
    part->count = 2;
    result_compare(arena, reference, part, &options, &report);
    CHECK(report.only_a == 1 && report.only_b == 0 && report.count == 3 && compare_is_same(&report));
    result_compare(arena, part, reference, &options, &report);
    CHECK(report.only_a == 0 && report.only_b == 1 && report.count == 3 && compare_is_same(&report));
    part->count = 0;
    result_compare(arena, reference, part, &options, &report);
    CHECK(!compare_is_same(&report)); /* nothing in common is not the same */
    arena_free(arena);
    result_free(part);
    result_free(reference);
    return test_end();
}
