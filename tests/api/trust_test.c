/* A run is right, or says that it is not: models of trust.mo, from 0 to 1. */
#include "acausal.h"
#include "test.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define ANY NAN

/* first, last: in the first and in the last row. */
static const struct {
    const char *model, *name;
    double first, last;
} values[] = {
    { "LateStart", "c", 6, 6 },
    { "LateStart", "k", 6, 6 },
    { "LateStart", "big", 1, 1 },
    { "LateStart", "x", 2, 2 },
    { "LateStart", "y", 6, 6 },
    { "LateStart", "d", 6, 8 },
    { "LateStart", "n", 6, 12 },
    { "LateStart", "w", 1, 1 },
    { "LateClock", "n", 0, 4 },
    { "LateClock", "m", 0, 3 },
    { "LateIndex", "x", 7, 7 },
    { "LateIndex", "y", 3, 3 },
    { "FixedBy", "y", 1.5, 1.5 },
    { "FixedBy", "x[2]", 1, 1 },
    { "FixedBy", "z", 1, 1 },
    { "DrawnOnce", "always", 1, 1 },
    { "DrawnLate", "n", 1, 11 },
    { "Inner", "user.own[1]", 7, 7 },
    { "Inner", "user.y", 14, 21 },
    { "Otherwise", "p", 3, 3 },
    { "Otherwise", "q", 2, 2 },
    { "Otherwise", "r", 4, 4 },
    { "Records", "plain.x", 42, 42 },
    { "Records", "given.x", 600, 600 },
    { "Records", "part.x", 32, 32 },
    { "Records", "both.x", 407, 407 },
    { "Constrained", "a.g.y", 0, 2 },
    { "Constrained", "a.h.y", 0, 5 },
    { "Constrained", "a.m.y", 0, 8 },
    { "Constrained", "b.g.y", 0, 6 },
    { "Constrained", "b.m.y", 0, 10 },
    { "Reductions", "n", 22, 22 },
    { "FromNumbers", "n", 1, 2 },
    { "FromNumbers", "m", 3, 3 },
    { "EitherSide", "n", 0, 6 },
    { "EitherSide", "w", 0, 6 },
    { "EitherSide", "v", 0, -2 },
    { "Results", "x", 1, 1 },
    { "Results", "y", 4, 4 },
    { "Results", "z", 5, 5 },
    { "Results", "u", 0, 2 },
    { "Results", "v", 0, 8 },
    { "Results", "p", 3, 3 },
    { "Results", "q", 12, 12 },
    { "Before", "x", 0, 2 },
    { "Before", "y", 0, 1 },
    { "Before", "z", 0, 6 },
    { "Before", "u", 0, 5 },
    { "Before", "k", 0, 2 },
    { "Before", "m", 0, 2 },
    { "Words", "n", 1, 2 },
    { "Words", "m", 3, 1 },
    { "AtEnd", "x", 0, 11 },
    { "FromStart", "y", 0, 1 },
    { "FromStart", "z", 1, 0 },
    { "FromStart", "u", 1, 1 },
    { "FromStart", "v", 0, 0 },
    { "FromStart", "n", 0, 1 },
    { "FromStart", "m", 0, 1 },
    { "FromStart", "k", 0, 4 },
    { "WhenLoop", "x", 4, 2.9 },
    { "WhenLoop", "y", 1, 2.1 },
    { "WhenLoop", "z", 4, 8.4 },
    { "WhenLoops", "a", 0, 1 },
    { "WhenLoops", "b", 0, 1 },
    { "WhenLoops", "c", 0, 1 },
    { "WhenLoops", "d", 1, 1 },
    { "WhenLoops", "w", 2, 2 },
    { "WhenInside", "y", 1, 1 },
    { "WhenInside", "k", 0, -3 },
    { "RealIsFound", "x", 1.5, 1.5 },
    { "Guarded", "x", 3, 7 },
    { "Guarded", "c", 1, 0 },
    { "Guarded", "v[3]", 9, 3 },
};

/* How a run ends, and what it says: its message, or a warning. */
static const struct {
    const char *model, *set;
    AcausalStatus status;
    double t; /* how far it came */
    const char *says;
} ends[] = {
    { "FixedLate", NULL, ACAUSAL_WRONG, ANY, "'f' gets its value at initialisation" },
    { "RealToInteger", NULL, ACAUSAL_WRONG, ANY, "a Real where an Integer" },
    { "RealToIntegers", NULL, ACAUSAL_WRONG, ANY, "a Real where an Integer" },
    { "RealInWhen", NULL, ACAUSAL_WRONG, ANY, "a Real where an Integer" },
    { "RealInAlgorithm", NULL, ACAUSAL_WRONG, ANY, "Real is assigned to Integer" },
    { "RealInFunction", NULL, ACAUSAL_WRONG, ANY, "Real is assigned to Integer" },
    { "TooWhole", NULL, ACAUSAL_WRONG, ANY, "9007199254740993" },
    { "GrowsTooWhole", NULL, ACAUSAL_FAILED, 0.33, "'n' is .*, too large for an Integer" },
    { "ReadOutside", NULL, ACAUSAL_FAILED, 0.5, "4, not in 1..3.*a.i.*trust.mo:" },
    { "ReadOutsideOne", NULL, ACAUSAL_FAILED, 0.5, "0, not in 1..1.*trust.mo:" },
    { "ReadOutsideMatrix", NULL, ACAUSAL_FAILED, 0.5, "3, not in 1..2.*trust.mo:" },
    { "WriteOutside", NULL, ACAUSAL_FAILED, 0.5, "4, not in 1..3.*trust.mo:" },
    { "Guarded", NULL, ACAUSAL_DONE, 1, "" },
    { "NoRoot", NULL, ACAUSAL_FAILED, 0.502, "at t = 0.502.*x.2 = 0.5 - time" },
    { "NoRootBeside", NULL, ACAUSAL_FAILED, 0.502, "at t = 0.502.*x.2 = 0.5 - time" },
    { "InFunction", NULL, ACAUSAL_FAILED, 0.502, "assertion failed: backwards" },
    { "CallAtBuild", NULL, ACAUSAL_FAILED, 0, "demanded.*trust.mo:" },
    { "CallForCheck", NULL, ACAUSAL_FAILED, 0.5, "demanded.*trust.mo:" },
    { "CallForCheckToo", NULL, ACAUSAL_FAILED, 0.5, "demanded.*trust.mo:" },
    { "CallsForCheck", NULL, ACAUSAL_FAILED, 0.25, "demanded.*trust.mo:" },
    { "NoColour", NULL, ACAUSAL_FAILED, ANY, "4, not in 1..3.*trust.mo:" },
    { "RealByName", NULL, ACAUSAL_WRONG, ANY, "nothing determines 'n'|a Real where an Integer" },
    { "Assert", NULL, ACAUSAL_FAILED, 0.5, "at time 0.5: assertion failed: too large" },
    { "Assert", "level=AssertionLevel.warning", ACAUSAL_DONE, 1, "at time 0.5[0-9]*: warning: too large" },
    { "AssertWithState", NULL, ACAUSAL_FAILED, 0.5, "at time 0.5: assertion failed: too large" },
    { "AssertWithState", "level=AssertionLevel.warning", ACAUSAL_DONE, 1,
      "at time 0.5[0-9]*: warning: too large" },
    { "AssertInWhen", NULL, ACAUSAL_FAILED, 0.5, "at time 0.5: assertion failed: in a when.*trust.mo" },
    { "AssertInWhenFine", NULL, ACAUSAL_DONE, 1, "" },
    { "WarnInWhen", NULL, ACAUSAL_DONE, 1, "time 0.7: warning: n is 4.*time 0.9: warning: n is 5" },
    { "AssertInAlgorithm", NULL, ACAUSAL_FAILED, 0.5, "at time 0.5: assertion failed: in an algorithm" },
    { "AssertAtStart", NULL, ACAUSAL_DONE, 1, "" },
    { "AssertAtStart", "p=3", ACAUSAL_FAILED, 0, "at time 0: assertion failed: at the start" },
    { "AssertAtStartToo", NULL, ACAUSAL_DONE, 1, "" },
    { "AssertAtStartToo", "p=3", ACAUSAL_FAILED, 0, "at time 0: assertion failed: at the start" },
    { "LongDelay", NULL, ACAUSAL_FAILED, 0.7, "delay.. is negative, or longer than" },
    { "NoClock", NULL, ACAUSAL_FAILED, 0, "the interval must be positive" },
    { "Settings", NULL, ACAUSAL_DONE, 1, "" },
    { "Settings", "computed=2", ACAUSAL_WRONG, ANY, "computed.*whatever its start value is" },
    { "Settings", "above=true", ACAUSAL_WRONG, ANY, "above.*whatever its start value is" },
    { "Settings", "state=2", ACAUSAL_DONE, 1, "" },
    { "Settings", "root=2.5", ACAUSAL_DONE, 1, "" },
    { "Settings", "was=false", ACAUSAL_DONE, 1, "" },
    { "Settings", "d=2", ACAUSAL_DONE, 1, "" },
    { "Settings", "q=-4", ACAUSAL_DONE, 1, "" },
    { "Settings", "late=3", ACAUSAL_DONE, 1, "" },
    { "Settings", "r=3", ACAUSAL_DONE, 1, "" },
    { "Settings", "whole=2", ACAUSAL_DONE, 1, "" },
    { "Settings", "whole=2.5", ACAUSAL_WRONG, ANY, "whole.*not whole" },
    { "Settings", "counted=2.5", ACAUSAL_WRONG, ANY, "counted.*not whole" },
    { "Settings", "yes=false", ACAUSAL_DONE, 1, "" },
    { "Settings", "yes=2", ACAUSAL_WRONG, ANY, "yes.*true or false" },
};

static char said[4000];

static void hear(void *arg, const char *line)
{
    (void)arg;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s|", line);
}

static void collect(void *arg, const char *text, size_t n)
{
    (void)arg;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%.*s|", (int)n, text);
}

static AcausalStatus run(AcausalSession *session, const char *model, const char *set,
                         AcausalSimulationReport *report)
{
    AcausalSimulation s = acausal_simulation();
    char name[100];
    snprintf(name, sizeof name, "trust.%s", model);
    said[0] = 0;
    s.keep = true;
    s.say = hear;
    s.set = &set;
    s.set_count = set != NULL;
    return acausal_simulate(session, TEST_SOURCE_DIR "/api/trust.mo", name, &s, report);
}

static void check_values(size_t i)
{
    AcausalSession *session = acausal_session_new();
    AcausalSimulationReport report = { .size = sizeof report };
    if (CHECK_ROW(run(session, values[i].model, NULL, &report) == ACAUSAL_DONE, values[i].model)) {
        size_t n = acausal_result_rows(report.result);
        double *at = calloc(n + 1, sizeof *at);
        bool found = at && n && acausal_result_values(report.result, values[i].name, at);
        if (CHECK_ROW(found, values[i].name) &&
            !(CHECK_NEAR(at[0], values[i].first, 1e-6) && CHECK_NEAR(at[n - 1], values[i].last, 1e-6)))
            printf("  %s of %s\n", values[i].name, values[i].model);
        free(at);
    } else {
        printf("  %s\n", report.message);
    }
    acausal_result_free(report.result);
    acausal_session_free(session);
}

static void check_end(size_t i)
{
    AcausalSession *session = acausal_session_new();
    AcausalSimulationReport report = { .size = sizeof report };
    AcausalStatus status = run(session, ends[i].model, ends[i].set, &report);
    acausal_write_diagnostics(session, ACAUSAL_TEXT, collect, NULL);
    if (report.message) hear(NULL, report.message);
    regex_t pattern;
    for (char *c = said; *c; c++)
        if (*c == '\n') *c = ' ';
    bool ok = regcomp(&pattern, ends[i].says, REG_EXTENDED) == 0;
    ok = ok && regexec(&pattern, said, 0, NULL, 0) == 0;
    regfree(&pattern);
    if (!CHECK_ROW(status == ends[i].status && ok, ends[i].model) ||
        (!isnan(ends[i].t) && !CHECK_NEAR(report.t, ends[i].t, 1e-6)))
        printf("  %s %s: ended with %d at %g: %s\n", ends[i].model, ends[i].set ? ends[i].set : "",
               (int)status, report.t, said);
    acausal_result_free(report.result);
    acausal_session_free(session);
}

int main(void)
{
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) check_values(i);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) check_end(i);
    return test_end();
}
