/* analyze.c: `acausal analyze`. */
#include "cli/cli.h"

static AcausalStatus analyze(const Args *args, AcausalSession *session, const char *source,
                             const char *class_name)
{
    set_values(args, session);
    AcausalStatus status =
        acausal_analyze(session, source, class_name, args->json ? ACAUSAL_JSON : ACAUSAL_TEXT,
                        args_value(args, "--svg"), write_to_file, stdout);
    fflush(stdout);
    show_diagnostics(args, session);
    return status;
}

static AcausalStatus run_analyze(const Args *args)
{
    return run_on_model(args, args_has(args, "--dump") ? dump_pass : analyze);
}

static const Option options[] = {
    OPTION_LIB,
    OPTION_SET,
    { "--svg", "DIR", "draws incidence.svg, sorted.svg and blocks.svg there" },
    OPTION_DUMP,
};

const Command command_analyze = {
    .name = "analyze",
    .usage = "SOURCE [CLASS]",
    .summary = "Shows the structure of a model: index, states, blocks, tearing, sparsity, events",
    .about = "SOURCE is a .mo file, a library's directory, or a class found in the libraries.\n\n"
             "  acausal analyze models/Pendulum.mo\n"
             "  acausal analyze models/Circuit.mo Circuit.RLC --svg pictures\n"
             "  acausal analyze models/Circuit.mo Circuit.RLC --dump=blt\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_analyze,
};
