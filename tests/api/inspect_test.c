/* What a program that shows models asks for: the experiment, values and limits at the start, each
 * row while it is computed, a result written to a file and read back. */
#include "acausal.h"
#include "base/base.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
    size_t signals, rows;
    double last;
    AcausalSignalKind kinds[8];
} Seen;

static void on_begin(void *arg, const AcausalSignal *const *signals, size_t n)
{
    Seen *seen = arg;
    seen->signals = n;
    for (size_t i = 0; i < n && i < 8; i++) seen->kinds[i] = signals[i]->kind;
}

static void on_row(void *arg, double t, const double *values, size_t n)
{
    Seen *seen = arg;
    (void)values;
    CHECK(n == seen->signals && t >= seen->last);
    seen->last = t;
    seen->rows++;
}

static void take_value(void *arg, size_t i, const AcausalStartValue *value)
{
    AcausalStartValue *values = arg;
    if (CHECK(i < 16)) values[i] = *value;
}

static void check_values(AcausalModel *m)
{
    size_t n = acausal_model_variables(m);
    AcausalStartValue values[16];
    if (!CHECK(n > 3 && n < 16) || !CHECK(acausal_model_start_values(m, take_value, values) == ACAUSAL_DONE))
        return;
    CHECK_TEXT(acausal_model_state(m, 2), "x");
    CHECK(!acausal_model_state(m, 3));
    for (size_t i = 0; i < n; i++) {
        AcausalVariable v = { .size = sizeof v };
        CHECK(acausal_model_variable(m, i, &v));
        if (!strcmp(v.name, "k")) CHECK(values[i].value == 2 && values[i].low == -1 && values[i].high == 5);
        if (!strcmp(v.name, "x")) CHECK(values[i].value == 3 && isnan(values[i].low));
        if (!strcmp(v.name, "d")) CHECK(values[i].value == 4);
        if (!strcmp(v.name, "n")) CHECK(values[i].is_structural && values[i].value == 2);
        if (!strcmp(v.name, "f")) CHECK(values[i].is_final);
    }
}

static void count_bytes(void *arg, const char *text, size_t n)
{
    (void)text;
    *(size_t *)arg += n;
}

int main(void)
{
    char path[] = "/tmp/acausal-inspect-XXXXXX.mo", out[] = "/tmp/acausal-inspect-XXXXXX.mat";
    int file = mkstemps(path, 3), other = mkstemps(out, 4);
    static const char text[] =
        "model M parameter Real k(min = -1, max = 5) = 2; parameter Real d = 2*k; final parameter Real f = "
        "1;\n"
        "parameter Integer n = 2; Real a[n](each start = 1, each fixed = true); Real x(start = 3, fixed = "
        "true);\n"
        "equation for i in 1:n loop der(a[i]) = -a[i]; end for; der(x) = -k*x + d + f;\n"
        "annotation(experiment(StartTime = 1, StopTime = 4, Tolerance = 1e-5)); end M;\n";
    if (file < 0 || other < 0 || write(file, text, sizeof text - 1) < 0)
        return test_skip("no temporary files");
    AcausalSession *s = acausal_session_new();
    AcausalModel *m = acausal_compile(s, path, NULL);
    if (CHECK(m != NULL)) {
        AcausalExperiment e = { .size = sizeof e };
        acausal_model_experiment(m, &e);
        CHECK(e.start == 1 && e.stop == 4 && e.tolerance == 1e-5 && isnan(e.interval));
        check_values(m);
        size_t bytes = 0;
        CHECK(acausal_structure(m, count_bytes, &bytes) == ACAUSAL_DONE && bytes > 200);
        Seen seen = { .last = -1 };
        AcausalSimulation run = acausal_simulation();
        AcausalSimulationReport report = { .size = sizeof report };
        run.begin = on_begin;
        run.row = on_row;
        run.row_arg = &seen;
        run.keep = true;
        run.points = 10;
        CHECK(acausal_run(m, &run, &report) == ACAUSAL_DONE);
        CHECK(seen.rows == 11 && seen.last == 4 && report.result);
        if (report.result) {
            CHECK(acausal_result_rows(report.result) == 11 &&
                  acausal_result_count(report.result) == seen.signals);
            AcausalSignal signal = { .size = sizeof signal };
            CHECK(acausal_result_signal(report.result, 0, &signal) && signal.kind == ACAUSAL_FIXED);
            CHECK(!acausal_result_signal(report.result, 999, &signal));
            CHECK(acausal_result_write(s, report.result, out) == ACAUSAL_DONE);
            AcausalResult *back = acausal_result_read(s, out);
            AcausalCompareOptions options = acausal_compare_options();
            AcausalCompareReport same = { .size = sizeof same };
            if (CHECK(back != NULL))
                CHECK(acausal_compare(s, report.result, back, &options, NULL, NULL, &same) == ACAUSAL_DONE);
            CHECK(!acausal_first_error(s));
            CHECK(acausal_result_write(s, report.result, "/nonexistent/x.csv") == ACAUSAL_WRONG);
            CHECK(strstr(acausal_first_error(s), "/nonexistent/x.csv") != NULL);
            acausal_result_free(back);
        }
        acausal_result_free(report.result);
    }
    acausal_model_free(m);
    acausal_session_free(s);
    close(file);
    close(other);
    unlink(path);
    unlink(out);
    return test_end();
}
