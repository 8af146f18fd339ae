/* run.c: one model of a family, from its text to the end of its run, by the public interface.
 *
 * Out: processor time of both halves, the largest memory of the process, which should therefore be
 * one of its own. Tests: tests/cli/bench.sh. */
#include "base/base.h"
#include "bench/large/large.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool write_text(const LargeFamily *family, unsigned size, char *path)
{
    int file = mkstemps(path, 3);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    bool ok = out && fprintf(out, family->text, size) > 0;
    return out && fclose(out) == 0 && ok;
}

static long number_in(const char *json, const char *key)
{
    const char *at = strstr(json, key);
    return at ? strtol(at + strlen(key), NULL, 10) : 0;
}

static AcausalStatus run_text(AcausalSession *session, const char *path, const LargeFamily *family,
                              const char *solver, double limit, LargeRow *row)
{
    double begun = clock_cpu();
    AcausalModel *model = acausal_compile(session, path, "Large");
    row->translate_seconds = clock_cpu() - begun;
    if (!model) return ACAUSAL_WRONG;
    AcausalSimulation run = acausal_simulation();
    AcausalSimulationReport report = { .size = sizeof report };
    run.stop = family->stop;
    run.solver = solver;
    run.time_limit = limit;
    begun = clock_cpu();
    AcausalStatus status = acausal_run(model, &run, &report);
    row->run_seconds = clock_cpu() - begun;
    row->states = report.states;
    row->steps = number_in(report.stats_json, "\"steps\":");
    row->finished = status == ACAUSAL_DONE;
    acausal_model_free(model);
    return status;
}

AcausalStatus run_large_bench(const LargeFamily *family, unsigned size, const char *solver, double limit,
                              LargeRow *row)
{
    char path[] = "/tmp/acausal_large_XXXXXX.mo";
    *row = (LargeRow){ 0 };
    if (!write_text(family, size, path)) return ACAUSAL_BUG;
    AcausalSession *session = acausal_session_new();
    AcausalStatus status = session ? run_text(session, path, family, solver, limit, row) : ACAUSAL_BUG;
    row->peak_bytes = memory_peak();
    if (session) acausal_session_free(session);
    remove(path);
    return status;
}
