/* bench.c: `acausal bench NAME`: the benchmarks, as tables and CSV. Each is a row of the table below. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

typedef struct {
    const char *name, *about;
    AcausalStatus (*run)(const Args *args, FILE *csv);
} Bench;

static void print_ivp_row(void *arg, const AcausalIvpRow *row)
{
    FILE *csv = arg;
    char digits[32];
    snprintf(digits, sizeof digits, row->finished ? "%.2f" : "FAIL", row->digits);
    if (csv) {
        fprintf(csv, "%s,%d,%s,%g,%s,%ld,%ld,%ld,%ld,%.4g,%s\n", row->problem, row->n, row->solver, row->rtol,
                row->atol, row->steps, row->nfev, row->njev, row->nlu, row->cpu_ms, digits);
        return;
    }
    printf("%-14s %5d %-15s %8g %8ld %9ld %7ld %7ld %10.3f %7s  %s\n", row->problem, row->n, row->solver,
           row->rtol, row->steps, row->nfev, row->njev, row->nlu, row->cpu_ms, digits,
           row->finished ? "" : row->why);
}

static AcausalStatus run_ivp(const Args *args, FILE *csv)
{
    AcausalIvpOptions options = { args_value(args, "--only"), args_value(args, "--solver"), 1e-2, 1e-10,
                                  10.0 };
    if (!args_real(args, "--loosest", &options.loosest) ||
        !args_real(args, "--tightest", &options.tightest) ||
        !args_real(args, "--time-limit", &options.seconds))
        return ACAUSAL_USAGE;
    if (!(options.tightest > 0.0) || !(options.loosest <= 1.0))
        return usage_error(args->command, "tolerances lie between 0 and 1");
    if (csv)
        fputs("problem,n,solver,rtol,atol,steps,nfev,njev,nlu,cpu_ms,digits\n", csv);
    else
        printf("%-14s %5s %-15s %8s %8s %9s %7s %7s %10s %7s\n", "problem", "n", "solver", "rtol", "steps",
               "nfev", "njev", "nlu", "cpu_ms", "digits");
    AcausalStatus status = acausal_bench_ivp(&options, print_ivp_row, csv);
    if (status == ACAUSAL_USAGE) return usage_error(args->command, "there is no such problem or integrator");
    return status;
}

static const Bench benches[] = {
    { "ivp", "integrators on the classic initial value problems", run_ivp },
};
enum { BENCH_COUNT = sizeof benches / sizeof benches[0] };

static AcausalStatus run_bench(const Args *args)
{
    const Bench *bench = NULL;
    if (args->word_count != 1) return usage_error(args->command, "which benchmark?");
    for (size_t i = 0; i < BENCH_COUNT; i++)
        if (!strcmp(benches[i].name, args->words[0])) bench = &benches[i];
    if (!bench) return usage_error(args->command, "there is no benchmark '%s'", args->words[0]);
    const char *path = args_value(args, "--csv");
    FILE *csv = path ? fopen(path, "w") : NULL;
    if (path && !csv) {
        fprintf(stderr, "acausal bench: %s: %s\n", path, strerror(errno));
        return ACAUSAL_WRONG;
    }
    AcausalStatus status = bench->run(args, csv);
    if (csv && fclose(csv)) {
        fprintf(stderr, "acausal bench: %s: %s\n", path, strerror(errno));
        status = ACAUSAL_WRONG;
    }
    return status;
}

static const Option options[] = {
    { "--csv", "FILE", "write rows there instead of a table" },
    { "--only", "NAME", "one problem" },
    { "--solver", "NAME", "one integrator, also where it would not be chosen" },
    { "--loosest", "RTOL", "first tolerance (1e-2)" },
    { "--tightest", "RTOL", "last tolerance (1e-10)" },
    { "--time-limit", "SECONDS", "processor time a run may take (10)" },
};

const Command command_bench = {
    .name = "bench",
    .usage = "ivp",
    .summary = "Runs a benchmark, as a table or CSV",
    .about = "ivp: integrators on the classic initial value problems, work against digits.\n\n"
             "  acausal bench ivp --only hires\n  acausal bench ivp --solver radau5 --csv radau5.csv\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_bench,
};
