/* debug.c: `acausal debug`: a run that is stopped, looked at, and goes on. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What there is, up to the end of a line: who types waits for answers. */
static size_t read_commands(void *arg, char *to, size_t n)
{
    size_t count = 0;
    for (int c; count < n && (c = fgetc(arg)) != EOF;) {
        to[count++] = (char)c;
        if (c == '\n') break;
    }
    return count;
}

static size_t read_bytes(void *arg, char *to, size_t n)
{
    (void)arg;
    ssize_t count = read(STDIN_FILENO, to, n);
    return count > 0 ? (size_t)count : 0;
}

static void write_now(void *arg, const char *text, size_t n)
{
    (void)arg;
    fwrite(text, 1, n, stdout);
    fflush(stdout);
}

static AcausalStatus debug(const Args *args, AcausalSession *session, const char *source,
                           const char *class_name)
{
    AcausalSimulation run = acausal_simulation();
    AcausalDebug options = { .size = sizeof options, .run = &run };
    const char *batch = args_value(args, "--batch");
    FILE *file = !batch ? stdin : strcmp(batch, "-") ? fopen(batch, "r") : stdin;
    if (!read_run_options(args, &run) || !read_values(args, &run)) return ACAUSAL_USAGE;
    if (!file) {
        fprintf(stderr, "acausal debug: '%s' cannot be read\n", batch);
        return ACAUSAL_WRONG;
    }
    run.say = NULL, run.progress = NULL;
    options.protocol = args_has(args, "--dap");
    options.read = options.protocol ? read_bytes : read_commands;
    options.read_arg = file;
    options.echoes = !isatty(STDIN_FILENO) || batch;
    AcausalModel *model = acausal_compile(session, source, class_name);
    AcausalStatus status = model ? acausal_debug(model, &options, write_now, NULL) : ACAUSAL_WRONG;
    show_diagnostics(args, session);
    if (status == ACAUSAL_FAILED) fputs("acausal debug: the run failed, as told above\n", stderr);
    acausal_model_free(model);
    if (file != stdin) fclose(file);
    free((void *)run.set);
    free((void *)run.solver_options);
    return status;
}

static AcausalStatus run_debug(const Args *args) { return run_on_model(args, debug); }

static const Option options[] = {
    OPTION_LIB,
    OPTION_SET,
    { "--batch", "FILE", "commands from a file, or - for stdin; each is shown before its answer" },
    { "--dap", NULL, "speak the Debug Adapter Protocol with an editor, over stdin and stdout" },
    { "--start", "T", "start time" },
    { "--stop", "T", "stop time" },
    { "--tol", "R", "relative tolerance" },
    { "--solver", "NAME", "the integrator" },
    { "--option", "KEY=VALUE", "of the integrator" },
};

const Command command_debug = {
    .name = "debug",
    .usage = "SOURCE [CLASS]",
    .summary = "Runs a model step by step: breakpoints, values, why they are so, and back",
    .about =
        "The run stops at its start and waits for commands: break, continue, step, back, print, why, set;\n"
        "help lists them. `why x` shows the equation that computes x, with the values that it reads, and\n"
        "where these come from.\n\n"
        "  acausal debug models/BouncingBall.mo\n"
        "  acausal debug models/BouncingBall.mo --batch commands.txt\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_debug,
};
