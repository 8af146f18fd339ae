/* flatten.c: `acausal flatten`. */
#include "cli/cli.h"

static AcausalStatus run_flatten(const Args *args)
{
    if (args->word_count < 1 || args->word_count > 2)
        return usage_error(args->command, "expected a source and, perhaps, a class");
    AcausalSession *session = session_for(args);
    if (!session) return ACAUSAL_BUG;
    const char *class_name = args->word_count == 2 ? args->words[1] : NULL;
    AcausalStatus status = acausal_flatten(session, args->words[0], class_name, write_to_file, stdout);
    show_diagnostics(args, session);
    fflush(stdout);
    show_outcome(args, session);
    acausal_session_free(session);
    return status;
}

const Command command_flatten = {
    .name = "flatten",
    .usage = "SOURCE [CLASS]",
    .summary = "Writes a model as flat Modelica: scalar variables and equations, no classes",
    .about = "SOURCE is a .mo file, a library's directory, or a class found in the libraries.\n\n"
             "  acausal flatten models/pendulum.mo\n"
             "  acausal flatten --lib ModelicaStandardLibrary Modelica.Blocks.Examples.PID_Controller\n",
    .options = &option_lib,
    .option_count = 1,
    .run = run_flatten,
};
