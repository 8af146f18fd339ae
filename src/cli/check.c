/* check.c: `acausal check`. */
#include "cli/cli.h"

static void show_report(const Args *args, const AcausalSession *session, const AcausalCheckReport *r)
{
    const char *format = args->json ? "{\"unknowns\":%zu,\"equations\":%zu,\"states\":%zu,\"parameters\":%zu,"
                                      "\"errors\":%zu,\"seconds\":%.3f}\n"
                                    : "unknowns %zu  equations %zu  states %zu  parameters %zu  errors %zu  "
                                      "seconds %.3f\n";
    printf(format, r->unknowns, r->equations, r->states, r->parameters, acausal_error_count(session),
           r->seconds);
}

static AcausalStatus run_check(const Args *args)
{
    AcausalCheckReport report;
    if (args->word_count < 1 || args->word_count > 2)
        return usage_error(args->command, "expected a source and, perhaps, a class");
    AcausalSession *session = session_for(args);
    if (!session) return ACAUSAL_BUG;
    AcausalStatus status =
        acausal_check(session, args->words[0], args->word_count == 2 ? args->words[1] : NULL, &report);
    show_diagnostics(args, session);
    show_report(args, session, &report);
    fflush(stdout);
    show_outcome(args, session);
    acausal_session_free(session);
    return status;
}

const Command command_check = {
    .name = "check",
    .usage = "SOURCE [CLASS]",
    .summary = "Takes a model through the whole front end and counts unknowns and equations",
    .about = "SOURCE is a .mo file, a library's directory, or a class found in the libraries.\n\n"
             "  acausal check models/pendulum.mo\n"
             "  acausal check --lib ModelicaStandardLibrary Modelica.Blocks.Examples.PID_Controller\n",
    .options = &option_lib,
    .option_count = 1,
    .run = run_check,
};
