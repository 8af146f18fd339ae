/* What the language allows runs, and gives what it means: models of language.mo, at time 1. */
#include "acausal.h"
#include "test.h"

#include <stdlib.h>

static const struct {
    const char *model, *name;
    double want, tolerance;
} rows[] = {
    { "While", "y", 32, 0 },
    { "LargeTable", "x", 703, 0 },
    { "WhileInLoop", "z", 2, 1e-6 },
    { "Arrays", "y[2]", 6, 1e-14 },
    { "Arrays", "y[3]", 12, 0 },
    { "Results", "b[2]", 5, 1e-14 },
    { "Results", "c", 7.5, 1e-14 },
    { "Results", "d", 2.25, 1e-14 },
    { "Records", "s.p", 4, 0 },
    { "Records", "s.v[2]", 6, 0 },
    { "RecordArrays", "y", 2 + 1400 + 18, 1e-12 },
    { "Matrices", "y", 659, 1e-11 },
    { "Functional", "y", 4.0 / 3, 1e-5 },
    { "Leave", "a", 3, 0 },
    { "Leave", "b", -6, 0 },
    { "Branch", "y", 6, 1e-14 },
    { "Shared", "s", 39, 1e-12 },
    { "Shared", "z", 12, 1e-12 },
    { "Shared", "u", 3, 1e-14 },
    { "Recursive", "y", 120, 1e-12 },
    { "SharedFriction", "w", 0.025, 1e-6 },
    { "Partials", "a", 6, 1e-13 },
    { "Partials", "b", 3, 1e-13 },
    { "Partials", "c", 12, 1e-12 },
    { "Partials", "r", 12, 1e-9 },
    { "Partials", "w[2]", 4, 1e-13 },
    { "Partials", "t", 3 * 0.54030230586813977 + 6, 1e-12 },
    { "Index", "v", 1, 1e-9 },
    { "Index", "a", 0, 1e-8 },
    { "Reductions", "y", 30 + 6 + 3 + 0.5 * 4.5, 1e-13 },
    { "ShortCircuit", "i", 3, 0 },
    { "ShortCircuit", "j", 4, 0 },
    { "Unread", "y", 3, 0 },
    { "Break", "a", 15, 0 },
    { "Break", "b", 5, 0 },
    { "Break", "c", 5, 0 },
    { "RunTimeIndex", "v[1]", 0.1 + 0.7, 1e-14 },
    { "RunTimeIndex", "v[2]", 2 * (0.3 + 0.9), 1e-14 },
    { "RunTimeIndex", "v[3]", 1.5, 1e-14 },
    { "RunTimeIndex", "w[2,2]", 0.9, 1e-14 },
    { "RunTimeIndex", "u[2]", 20, 0 },
    { "RunTimeIndex", "u[4]", 0.9, 1e-14 },
    { "RunTimeIndex", "w[1,2]", 0.7, 1e-14 },
    { "Delays", "y", 0.49658530379140951, 1e-5 }, /* exp(-0.7) */
    { "Delays", "z", 2.7, 1e-9 },
    { "Delays", "w", 2, 0 },
    { "Delays", "j", 0.25, 1e-6 },
    { "Delays", "u", 0.7, 1e-9 },
    { "Delays", "e", 0, 1e-4 },
    { "DelayLoop", "x", 0.125, 1e-6 },
    { "DelayedCounter", "n", 5, 0 },
    { "DelayedCounter", "m", 4, 0 },
    { "DelayedCounter", "k", 4, 0 },
    { "NoFlow", "h", 4, 1e-12 },
    { "SteepDelay", "y", -0.19737532022490401, 2e-5 },     /* tanh(-0.2) */
    { "Homotopy", "x", 7.3890560989306502, 1e-9 },         /* exp(2) */
    { "DelayNeighbours", "y", 0.78332690962748341, 1e-5 }, /* sin(0.9) */
    { "LateSize", "y[2]", 30, 0 },
    { "RecordList", "y", 2 * 2 + 4 * 2, 1e-13 },
    { "WhileInModel", "y", 0.5, 1e-12 },
    { "WhileInModel", "s[2]", 9, 1e-12 },
    { "WhileInModel", "v[1,1]", 3, 0 },
    { "WhileInModel", "v[1,3]", 32, 1e-12 },
    { "WhileInModel", "v[2,1]", 32, 1e-12 },
    { "WhileInModel", "q[2].b", 9.5, 1e-12 },
    { "WhileInModel", "r.a", 28, 1e-12 },
    { "WhileInModel", "r.b", 5, 0 },
    { "WhileTrue", "a", 0.9375, 1e-12 },
    { "WhileTrue", "b", 2.875, 1e-12 },
    { "WhileTrue", "n", 4, 0 }, /* a whole number, as it was at the last event */
    { "WhileTrue", "m", 4, 0 },
    { "WhileRoot", "g", 2.0207473586118576, 1e-5 },
    { "Directions", "c", 0.3, 1e-12 },
    { "Directions", "r[3]", 0.3 - 9.81 / 2, 1e-4 },
    { "Terminal", "s", 0.73575888234288467, 1e-5 },
};

static void check_row(size_t i)
{
    AcausalSession *session = acausal_session_new();
    AcausalSimulation s = acausal_simulation();
    AcausalSimulationReport report = { .size = sizeof report };
    char name[100];
    snprintf(name, sizeof name, "language.%s", rows[i].model);
    s.keep = true;
    AcausalStatus status = acausal_simulate(session, TEST_SOURCE_DIR "/api/language.mo", name, &s, &report);
    if (CHECK_ROW(status == ACAUSAL_DONE, rows[i].model)) {
        size_t n = acausal_result_rows(report.result);
        double *values = calloc(n + 1, sizeof *values);
        if (CHECK_ROW(values && acausal_result_values(report.result, rows[i].name, values), rows[i].model) &&
            !CHECK_NEAR(values[n - 1], rows[i].want, rows[i].tolerance))
            printf("  in %s\n", rows[i].model);
        free(values);
    } else {
        printf("  %s\n", report.message);
    }
    acausal_result_free(report.result);
    acausal_session_free(session);
}

int main(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) check_row(i);
    return test_end();
}
