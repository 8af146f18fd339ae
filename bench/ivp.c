/* ivp.c: `acausal bench ivp`: every integrator on the classic initial value problems. */
#include "cli/bench.h"

#include <string.h>

static void add_row(void *arg, const AcausalIvpRow *row)
{
    BenchOut *out = arg;
    bench_cell(out, "%s", row->problem);
    bench_cell(out, "%d", row->n);
    bench_cell(out, "%s", row->solver);
    bench_cell(out, "%g", row->rtol);
    bench_cell(out, "%s", row->atol);
    bench_cell(out, "%ld", row->steps);
    bench_cell(out, "%ld", row->nfev);
    bench_cell(out, "%ld", row->njev);
    bench_cell(out, "%ld", row->nlu);
    bench_cell(out, "%.4g", row->cpu_ms);
    if (row->finished)
        bench_cell(out, "%.2f", row->digits);
    else
        bench_cell(out, "FAIL");
    bench_end_row(out);
    if (!row->finished) bench_remark(out, "  %s\n", row->why);
}

/* Says which of the two names is not there, and what it may have been meant for. */
static AcausalStatus refuse_name(const Args *args, const AcausalIvpOptions *options)
{
    const char *names[64], *near = NULL;
    size_t n = 0;
    while (n < 64 && (names[n] = acausal_ivp_problem(n))) n++;
    for (size_t i = 0; options->problem && i < n; i++)
        if (!strcmp(names[i], options->problem))
            return usage_error(args->command, "there is no integrator '%s'",
                               options->solver ? options->solver : "");
    if (options->problem) near = acausal_nearest(options->problem, names, n);
    if (near)
        return usage_error(args->command, "there is no problem '%s'; did you mean '%s'?", options->problem,
                           near);
    return usage_error(args->command, "there is no such problem or integrator");
}

static AcausalStatus run_ivp(const Args *args, BenchOut *out)
{
    AcausalIvpOptions options = { args_value(args, "--only"), args_value(args, "--solver"), 1e-2, 1e-10,
                                  10.0 };
    if (!args_real(args, "--loosest", &options.loosest) ||
        !args_real(args, "--tightest", &options.tightest) ||
        !args_real(args, "--time-limit", &options.seconds))
        return ACAUSAL_USAGE;
    if (!(options.tightest > 0.0) || !(options.loosest <= 1.0))
        return usage_error(args->command, "tolerances lie between 0 and 1");
    AcausalStatus status = acausal_bench_ivp(&options, add_row, out);
    return status == ACAUSAL_USAGE ? refuse_name(args, &options) : status;
}

const Bench bench_ivp = {
    .name = "ivp",
    .about = "integrators on the classic initial value problems",
    .columns = "problem,n,solver,rtol,atol,steps,nfev,njev,nlu,cpu_ms,digits",
    .run = run_ivp,
};
