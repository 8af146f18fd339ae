/* sweep.c: `acausal sweep`: many runs over grids or samples of parameters, as a table. */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 256 };

typedef struct {
    FILE *out;
    const AcausalSweep *sweep;
    bool extremes, quiet;
    size_t failed;
    char message[200];
} Table;

static void write_number(FILE *out, double value)
{
    if (isnan(value))
        fputs(",", out);
    else
        fprintf(out, ",%.17g", value);
}

static void write_name(FILE *out, const char *name, size_t n, const char *suffix)
{
    bool quoted = memchr(name, ',', n) || memchr(name, '"', n);
    fprintf(out, quoted ? ",\"%.*s%s\"" : ",%.*s%s", (int)n, name, suffix);
}

static void write_header(const Table *t)
{
    const AcausalSweep *s = t->sweep;
    fputs("run", t->out);
    for (size_t j = 0; j < s->vary_count; j++) write_name(t->out, s->vary[j], strcspn(s->vary[j], "="), "");
    for (size_t k = 0; k < s->of_count; k++) {
        write_name(t->out, s->of[k], strlen(s->of[k]), "");
        if (t->extremes) write_name(t->out, s->of[k], strlen(s->of[k]), ".min");
        if (t->extremes) write_name(t->out, s->of[k], strlen(s->of[k]), ".max");
    }
    fputs(",seconds,status\n", t->out);
}

static void write_row(void *arg, const AcausalSweepRow *row)
{
    Table *t = arg;
    const AcausalSweep *s = t->sweep;
    if (row->run == 1) write_header(t);
    fprintf(t->out, "%zu", row->run);
    for (size_t j = 0; j < s->vary_count; j++) write_number(t->out, row->parameters[j]);
    for (size_t k = 0; k < s->of_count; k++) {
        write_number(t->out, row->last[k]);
        if (t->extremes) write_number(t->out, row->least[k]);
        if (t->extremes) write_number(t->out, row->largest[k]);
    }
    fprintf(t->out, ",%.3g,%s\n", row->cpu_seconds, *row->message ? "failed" : "done");
    if (!*row->message) return;
    if (!t->failed++) snprintf(t->message, sizeof t->message, "run %zu: %.180s", row->run, row->message);
}

static AcausalStatus sweep_model(const Args *args, AcausalSession *session, const char *source,
                                 const char *class_name, const AcausalSweep *sweep)
{
    const char *path = args_value(args, "-o");
    Table table = { .out = path ? fopen(path, "w") : stdout,
                    .sweep = sweep,
                    .extremes = args_has(args, "--extremes") };
    if (!table.out) {
        fprintf(stderr, "acausal sweep: %s: %s\n", path, strerror(errno));
        return ACAUSAL_WRONG;
    }
    double start = wall_seconds();
    AcausalStatus status = acausal_sweep(session, source, class_name, sweep, write_row, &table);
    double seconds = wall_seconds() - start;
    if (path && fclose(table.out)) {
        fprintf(stderr, "acausal sweep: %s: %s\n", path, strerror(errno));
        status = ACAUSAL_WRONG;
    }
    show_diagnostics(args, session);
    if (path && !args->quiet && status != ACAUSAL_WRONG) printf("%.2f s\n", seconds);
    if (table.failed)
        fprintf(stderr, "acausal sweep: %zu runs failed; the first, %s\n", table.failed, table.message);
    return status;
}

static AcausalStatus work(const Args *args, AcausalSession *session, const char *source,
                          const char *class_name)
{
    AcausalSimulation run = acausal_simulation();
    AcausalSweep sweep = { .size = sizeof sweep, .run = &run };
    const char *names[MOST_NAMES], *given = args_value(args, "--of");
    char *copy = strdup(given ? given : "");
    size_t threads = 0, seed = 1;
    AcausalStatus status = ACAUSAL_USAGE;
    run.set = collect_values(args, "--set", &run.set_count);
    run.solver_options = collect_values(args, "--option", &run.solver_option_count);
    sweep.vary = collect_values(args, "--vary", &sweep.vary_count);
    sweep.of = names;
    if (copy && run.set && run.solver_options && sweep.vary && read_run_options(args, &run) &&
        args_size(args, "--samples", 1, &sweep.samples) && args_size(args, "--threads", 1, &threads) &&
        args_size(args, "--seed", 0, &seed)) {
        sweep.of_count = split_names(copy, names, MOST_NAMES);
        sweep.threads = (unsigned)threads;
        sweep.seed = (unsigned)seed;
        run.progress = NULL;
        tell_pulse(args, &run);
        run.output = NULL;
        status = sweep_model(args, session, source, class_name, &sweep);
    }
    free((void *)run.set);
    free((void *)run.solver_options);
    free((void *)sweep.vary);
    free(copy);
    return status;
}

static AcausalStatus run_sweep(const Args *args)
{
    if (!args_has(args, "--vary"))
        return usage_error(args->command, "--vary says which parameters take which values");
    if (!args_has(args, "--of")) return usage_error(args->command, "--of says which variables are wanted");
    return run_on_model(args, work);
}

static const Option options[] = {
    OPTION_LIB,
    OPTION_ISOLATE,
    { "--vary", "P=VALUES",
      "1,2,5 or FROM:TO:COUNT, with --samples FROM:TO; given several times, all combinations are run" },
    { "--samples", "N", "N points of a Latin hypercube over the ranges instead of all combinations" },
    { "--seed", "N", "for the samples (1)" },
    { "--of", "Y1,Y2", "variables whose values at the end are wanted" },
    { "--extremes", NULL, "their least and largest values, too" },
    { "--threads", "N", "runs at a time; one a processor if not given" },
    { "-o", "FILE.csv", "the table; on stdout if not given" },
    { "--start", "T", "where time begins; the model's experiment annotation says it, or 0" },
    { "--stop", "T", "where it ends; likewise, or 1" },
    { "--tol", "R", "relative tolerance; likewise, or 1e-6" },
    { "--points", "N", "intervals at whose ends values are looked at (500)" },
    { "--solver", "NAME", "the integrator (see 'acausal solvers'; auto chooses)" },
    { "--option", "KEY=VALUE", "of the integrator, as for simulate" },
    OPTION_SET,
    { "--time-limit", "SECONDS", "ends each run then" },
};

const Command command_sweep = {
    .name = "sweep",
    .usage = "SOURCE [CLASS]",
    .summary = "Runs a model over grids or samples of its parameters",
    .about = "The model is translated once and run on all processors; the table is CSV.\n\n"
             "  acausal sweep models/BouncingBall.mo --vary e=0.5:0.9:9 --vary h=1,2 --of h --extremes\n"
             "  acausal sweep models/Pendulum.mo --vary L=0.5:2 --vary m=1:3 --samples 1000 --of x,F -o "
             "runs.csv\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_sweep,
};
