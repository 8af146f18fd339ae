/* describe.c: `acausal describe`. */
#include "cli/cli.h"

static AcausalStatus describe(const Args *args, AcausalSession *session, const char *source,
                              const char *class_name)
{
    AcausalStatus status = acausal_describe(session, source, class_name, args_value(args, "--component"),
                                            args->json ? ACAUSAL_JSON : ACAUSAL_TEXT, write_to_file, stdout);
    show_diagnostics(args, session);
    return status;
}

static AcausalStatus run_describe(const Args *args) { return run_on_model(args, describe); }

static const Option options[] = {
    { "--component", "NAME", "the instance that this component is: 'motor.resistor'" },
    OPTION_LIB,
};

const Command command_describe = {
    .name = "describe",
    .usage = "CLASS | SOURCE [CLASS]",
    .summary = "Shows a class as the instance tree has it: components, parameters, connections",
    .about =
        "A class with mistakes is shown as far as it is understood. With --json, types, values, units,\n"
        "annotations and places in files are there, too: for editors and other tools.\n\n"
        "  acausal describe models/Pendulum.mo\n"
        "  acausal describe --json --lib ModelicaStandardLibrary Modelica.Electrical.Analog.Basic.Resistor\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_describe,
};
