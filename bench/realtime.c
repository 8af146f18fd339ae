/* realtime.c: `acausal bench realtime`: steps of known cost beside KLU and LAPACK. */
#include "cli/bench.h"

#include "bench/runs/runs.h"

#include <string.h>

static void add_remark(void *out, const char *line) { bench_remark(out, "%s\n", line); }

static AcausalStatus run_realtime(const Args *args, BenchOut *out)
{
    const char *only = args_value(args, "--only"), *models = args_value(args, "--models"), *names[16],
               *near = NULL;
    size_t n = 0;
    AcausalStatus status = run_realtime_bench(models ? models : "models", only, bench_row, add_remark, out);
    if (status != ACAUSAL_USAGE) return status;
    while (n < 16 && (names[n] = bench_realtime_model(n))) n++;
    if (only) near = acausal_nearest(only, names, n);
    if (near) return usage_error(args->command, "there is no model '%s'; did you mean '%s'?", only, near);
    return usage_error(args->command, "there is no model '%s'", only ? only : "");
}

const Bench bench_realtime = {
    .name = "realtime",
    .about = "factors, solves and steps of known cost, against KLU and LAPACK",
    .columns = "model,variant,nnz,nnz_lu,factor_ns,solve_ns,step_ns,operations,error",
    .run = run_realtime,
};
