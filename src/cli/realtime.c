/* realtime.c: `acausal realtime`: steps of a known cost, and runs against the clock. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static void show_line(void *arg, const char *line)
{
    (void)arg;
    fprintf(stderr, "%s ...\n", line);
}

static bool read_options(const Args *args, AcausalRealtime *o)
{
    size_t order = 1, tries = (size_t)o->tries, cpu = SIZE_MAX;
    if (!args_real(args, "--step", &o->step) || !args_real(args, "--start", &o->start) ||
        !args_real(args, "--stop", &o->stop) || !args_real(args, "--margin", &o->margin) ||
        !args_real(args, "--error", &o->error) || !args_real(args, "--run", &o->run) ||
        !args_real(args, "--deadline", &o->deadline) || !args_size(args, "--order", 1, &order) ||
        !args_size(args, "--tries", 0, &tries) || !args_size(args, "--cpu", 0, &cpu))
        return false;
    o->order = (int)order;
    o->tries = (int)tries;
    o->cpu = cpu == SIZE_MAX ? -1 : (int)cpu;
    o->dae = args_has(args, "--dae");
    o->measure = args_has(args, "--analyze");
    o->full = args_has(args, "--full");
    o->priority = args_has(args, "--priority");
    o->watch = args_value(args, "--watch");
    o->svg = args_value(args, "--svg");
    o->code = args_value(args, "--code");
    o->fmu = args_value(args, "--fmu");
    o->channel = args_value(args, "--channel");
    o->outputs = args_value(args, "--outputs");
    o->log = args_value(args, "--log");
    if (args_has(args, "--overrun")) o->overrun = args_value(args, "--overrun");
    o->interrupt = catch_interrupts();
    if (isatty(STDERR_FILENO) && !args->quiet && !args->json) o->say = show_line;
    return true;
}

static AcausalStatus realtime(const Args *args, AcausalSession *session, const char *source,
                              const char *class_name)
{
    AcausalRealtime options = acausal_realtime_options();
    if (!read_options(args, &options)) return ACAUSAL_USAGE;
    if (isnan(options.step))
        return usage_error(args->command, "--step is missing: the time between two steps, in seconds");
    if (!(options.run > 0) &&
        (args_has(args, "--deadline") || args_has(args, "--priority") || args_has(args, "--log")))
        return usage_error(args->command, "--deadline, --priority and --log belong to --run SECONDS");
    set_values(args, session);
    AcausalStatus status = acausal_realtime(session, source, class_name, &options,
                                            args->json ? ACAUSAL_JSON : ACAUSAL_TEXT, write_to_file, stdout);
    fflush(stdout);
    show_diagnostics(args, session);
    return status;
}

static AcausalStatus run_peer(const Args *args, const char *channel)
{
    double seconds = 10;
    long records;
    char why[300] = "";
    if (!args_real(args, "--run", &seconds)) return ACAUSAL_USAGE;
    AcausalSession *session = acausal_session_new();
    AcausalStatus status = session ? acausal_realtime_peer(session, channel, seconds, &records) : ACAUSAL_BUG;
    take_reason(session, why, sizeof why);
    if (status == ACAUSAL_DONE)
        printf("%ld records answered\n", records);
    else
        fprintf(stderr, "acausal: %s\n", why);
    return status;
}

static AcausalStatus run_realtime(const Args *args)
{
    const char *peer = args_value(args, "--peer");
    return peer ? run_peer(args, peer) : run_on_model(args, realtime);
}

static const Option options[] = {
    OPTION_LIB,
    OPTION_SET,
    { "--step", "H", "the time between two steps, in seconds" },
    { "--analyze", NULL,
      "measures steps, this way and by LAPACK and KLU; what is printed without it comes before any run" },
    { "--start", "T", "where the scenario begins; default: as the model says, or 0" },
    { "--stop", "T", "where it ends; default: as the model says, or a second later" },
    { "--watch", "PATTERN", "states whose error counts, with * and ?; default: the outputs, or all" },
    { "--error", "SHARE", "largest error of those, as a share of their ranges; default 0.01" },
    { "--margin", "M", "how far inside of the unit circle eigenvalues shall stay; default 1e-4" },
    { "--tries", "N", "choices that are tried one by one after the curve; default 150" },
    { "--full", NULL, "keeps all entries of the Jacobian" },
    { "--dae", NULL, "algebraic loops are unknowns of the step instead of being solved inside of f" },
    { "--order", "P", "1; 2 and 3 by extrapolation" },
    { "--svg", "DIR", "draws patterns, factors, eigenvalues and the trade-off there" },
    { "--code", "DIR", "writes the stepper there as C: one .c, one .h, no dependencies" },
    { "--fmu", "FILE", "writes it as a co-simulation FMU (2.0) with a fixed step" },
    { "--run", "SECONDS", "runs against the clock" },
    { "--deadline", "D", "seconds that a step may take; default: the step" },
    { "--priority", NULL, "asks for SCHED_FIFO and locked memory" },
    { "--cpu", "N", "asks for a processor" },
    { "--overrun", "POLICY", "what follows a late step: catch-up, skip or stop" },
    { "--channel", "WHERE", "inputs and outputs: udp:HOST:PORT[:LOCAL] or shm:/NAME" },
    { "--outputs", "PATTERN", "what is sent; default: the model's outputs, or else its states" },
    { "--log", "FILE", "a CSV file with a line a step" },
    { "--peer", "WHERE", "no model: answers the records of a run with its own values, for tests" },
};

const Command command_realtime = {
    .name = "realtime",
    .usage = "SOURCE [CLASS] --step H [--analyze | --run SECONDS]",
    .summary = "Steps of a cost known beforehand: analysis, sparsing, runs against the clock",
    .about =
        "The linearly implicit Euler method with the entries of the Jacobian that stability and accuracy "
        "need.\n\n"
        "  acausal realtime models/Drive.mo --step 1e-4 --stop 0.2 --analyze --svg pictures\n"
        "  acausal realtime models/Drive.mo --step 1e-4 --stop 0.2 --run 0.2 --deadline 1e-4 --priority\n"
        "  acausal realtime models/Drive.mo --step 1e-4 --stop 0.2 --run 0.2 --channel udp:127.0.0.1:7000\n"
        "  acausal realtime models/Drive.mo --step 1e-4 --stop 0.2 --code stepper --fmu Drive.fmu\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_realtime,
};
