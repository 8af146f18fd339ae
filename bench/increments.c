/* increments.c: `acausal bench increments`: steps under rules for the increments of difference
 * Jacobians. */
#include "cli/bench.h"

#include "bench/runs/runs.h"

#include <string.h>

static void add_remark(void *out, const char *line) { bench_remark(out, "%s\n", line); }

static AcausalStatus run_increments(const Args *args, BenchOut *out)
{
    IncrementsOptions o = { .only = args_value(args, "--only"), .directory = "models", .max_steps = 2000000 };
    const char *names[64], *near = NULL;
    size_t n = 0;
    o.seconds = o.only ? 60 : 10;
    if (args_has(args, "--models")) o.directory = args_value(args, "--models");
    if (!args_real(args, "--time-limit", &o.seconds)) return ACAUSAL_USAGE;
    AcausalStatus status = run_increments_bench(&o, bench_row, add_remark, out);
    if (status == ACAUSAL_WRONG)
        fprintf(stderr, "acausal bench: a model in '%s' cannot be used; --models says where they are\n",
                o.directory);
    if (status != ACAUSAL_USAGE) return status;
    while (n < 64 && (names[n] = bench_increments_model(n))) n++;
    if (o.only) near = acausal_nearest(o.only, names, n);
    if (near) return usage_error(args->command, "there is no model '%s'; did you mean '%s'?", o.only, near);
    return usage_error(args->command, "there is no model '%s'", o.only ? o.only : "");
}

const Bench bench_increments = {
    .name = "increments",
    .about = "steps under rules for increments of differences; all experiments with --only MODEL",
    .columns = "model,solver,nominal,rule,post,c0,steps,nfev,njev,finished,error",
    .run = run_increments,
};
