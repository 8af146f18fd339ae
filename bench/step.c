/* step.c: `acausal bench step`: what a step of each method costs outside of f and linear algebra,
 * for three unknowns and for 10,000. */
#include "cli/bench.h"

#include "bench/runs/runs.h"

#include <string.h>

/* Says which of the two names is not there, and what it may have been meant for. */
static AcausalStatus refuse_name(const Args *args, const char *problem, const char *solver)
{
    const char *names[16], *near;
    size_t n = 0;
    bool known = !problem;
    for (; n < 16 && (names[n] = bench_step_problem_name(n)); n++)
        known |= problem && !strcmp(names[n], problem);
    if (known) return usage_error(args->command, "there is no integrator '%s'", solver ? solver : "");
    near = acausal_nearest(problem, names, n);
    if (near)
        return usage_error(args->command, "there is no problem '%s'; did you mean '%s'?", problem, near);
    return usage_error(args->command, "there is no problem '%s'", problem);
}

static AcausalStatus run_step(const Args *args, BenchOut *out)
{
    const char *problem = args_value(args, "--only"), *solver = args_value(args, "--solver");
    double rtol = 1e-6;
    if (!args_real(args, "--tightest", &rtol)) return ACAUSAL_USAGE;
    if (!(rtol > 0.0 && rtol <= 1.0)) return usage_error(args->command, "tolerances lie between 0 and 1");
    AcausalStatus status = run_step_bench(problem, solver, rtol, bench_row, out);
    return status == ACAUSAL_USAGE ? refuse_name(args, problem, solver) : status;
}

const Bench bench_step = {
    .name = "step",
    .about = "what a step costs outside of the equations and linear algebra, for 3 and 10,000 unknowns",
    .columns =
        "problem,solver,steps,attempts,f,solves,step_ns,f_ns,linear_ns,overhead_ns,columns,number_ns,own_ns",
    .run = run_step,
};
