/* check.c: `acausal check`. */
#include "cli/cli.h"

static void show_report(const Args *args, const AcausalSession *session, const AcausalCheckReport *r)
{
    const char *format =
        args->json
            ? "{\"unknowns\":%zu,\"equations\":%zu,\"states\":%zu,\"parameters\":%zu,\"structural\":%zu,"
              "\"errors\":%zu,\"seconds\":%.3f}\n"
            : "unknowns %zu  equations %zu  states %zu  parameters %zu  structural %zu  errors %zu  "
              "seconds %.3f\n";
    printf(format, r->unknowns, r->equations, r->states, r->parameters, r->structural,
           acausal_error_count(session), r->seconds);
}

static AcausalStatus check(const Args *args, AcausalSession *session, const char *source,
                           const char *class_name)
{
    AcausalCheckReport report = { .size = sizeof report };
    acausal_switch(session, ACAUSAL_SHOW_STRUCTURAL,
                   args_has(args, "--structural") || args_has(args, "--frozen"));
    acausal_switch(session, ACAUSAL_CHECK_UNITS, !args_has(args, "--no-unit-check"));
    set_values(args, session);
    AcausalStatus status = acausal_check(session, source, class_name, &report);
    show_diagnostics(args, session);
    show_report(args, session, &report);
    return status;
}

static AcausalStatus run_check(const Args *args) { return run_on_model(args, check); }

static const Option options[] = {
    { "--structural", NULL, "lists the structural parameters, and what the structure needs each for" },
    { "--frozen", NULL, "the earlier name of --structural" },
    { "--no-unit-check", NULL, "does not compare the units of what is equated, added or compared" },
    OPTION_LIB,
    OPTION_SET,
};

const Command command_check = {
    .name = "check",
    .usage = "SOURCE [CLASS]",
    .summary = "Takes a model through the whole front end and counts unknowns and equations",
    .about = "SOURCE is a .mo file, a library's directory, or a class found in the libraries.\n\n"
             "  acausal check models/Pendulum.mo\n"
             "  acausal check --lib ModelicaStandardLibrary Modelica.Blocks.Examples.PID_Controller\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_check,
};
