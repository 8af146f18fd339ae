/* hybrid.c: `acausal bench hybrid`: how integrators go on after events. */
#include "cli/bench.h"

#include "bench/runs/runs.h"

#include <string.h>

static void add_remark(void *out, const char *line) { bench_remark(out, "%s\n", line); }

static AcausalStatus run_hybrid(const Args *args, BenchOut *out)
{
    const char *only = args_value(args, "--only"), *names[64], *near = NULL;
    size_t n = 0;
    AcausalStatus status = run_hybrid_bench(only, bench_row, add_remark, out);
    if (status != ACAUSAL_USAGE) return status;
    while (n < 64 && (names[n] = bench_hybrid_model(n))) n++;
    if (only) near = acausal_nearest(only, names, n);
    if (near) return usage_error(args->command, "there is no model '%s'; did you mean '%s'?", only, near);
    return usage_error(args->command, "there is no model '%s'", only ? only : "");
}

const Bench bench_hybrid = {
    .name = "hybrid",
    .about = "restarts after events, against order 1 and SUNDIALS",
    .columns = "model,solver,restart,tol,steps,nfev,ngev,events,cpu_ms,error",
    .run = run_hybrid,
};
