/* sensitivity.c: `acausal bench sensitivity`: derivatives of runs, accuracy against cost. */
#include "cli/bench.h"

#include "bench/runs/runs.h"

#include <string.h>

static void add_remark(void *out, const char *line) { bench_remark(out, "%s\n", line); }

static AcausalStatus run_sensitivity(const Args *args, BenchOut *out)
{
    const char *only = args_value(args, "--only"), *names[64], *near = NULL;
    size_t n = 0;
    AcausalStatus status = run_sensitivity_bench(only, bench_row, add_remark, out);
    if (status != ACAUSAL_USAGE) return status;
    while (n < 64 && (names[n] = bench_sensitivity_model(n))) n++;
    if (only) near = acausal_nearest(only, names, n);
    if (near) return usage_error(args->command, "there is no model '%s'; did you mean '%s'?", only, near);
    return usage_error(args->command, "there is no model '%s'", only ? only : "");
}

const Bench bench_sensitivity = {
    .name = "sensitivity",
    .about = "derivatives of runs by all methods, and by CVODES",
    .columns = "model,method,parameters,runs_equivalent,cpu_ms,error",
    .run = run_sensitivity,
};
