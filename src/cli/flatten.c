/* flatten.c: `acausal flatten`. */
#include "cli/cli.h"

static AcausalStatus flatten(const Args *args, AcausalSession *session, const char *source,
                             const char *class_name)
{
    set_values(args, session);
    acausal_switch(session, ACAUSAL_BASE_MODELICA, args_has(args, "--base"));
    AcausalStatus status = acausal_flatten(session, source, class_name, write_to_file, stdout);
    show_diagnostics(args, session);
    return status;
}

static AcausalStatus run_flatten(const Args *args) { return run_on_model(args, flatten); }

static const Option options[] = {
    OPTION_LIB,
    OPTION_SET,
    { "--base", NULL, "as Base Modelica (MCP-0031), for other tools" },
};

const Command command_flatten = {
    .name = "flatten",
    .usage = "SOURCE [CLASS]",
    .summary = "Writes a model as flat Modelica: scalar variables and equations, no classes",
    .about = "SOURCE is a .mo file, a library's directory, or a class found in the libraries.\n\n"
             "Base Modelica is read by all commands, as other models are.\n\n"
             "  acausal flatten models/Pendulum.mo\n"
             "  acausal flatten models/Pendulum.mo --base >Pendulum.base.mo\n"
             "  acausal flatten --lib ModelicaStandardLibrary Modelica.Blocks.Examples.PID_Controller\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_flatten,
};
