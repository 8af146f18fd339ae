/* fmu.c: `acausal fmu info` and `acausal fmu validate`. */
#include "cli/cli.h"

#include <string.h>

static AcausalStatus run_fmu(const Args *args)
{
    if (args->word_count != 2)
        return usage_error(args->command, "say info or validate, and a file: acausal fmu info M.fmu");
    bool info = !strcmp(args->words[0], "info");
    if (!info && strcmp(args->words[0], "validate") != 0)
        return usage_error(args->command, "'%s' should be info or validate", args->words[0]);
    AcausalSession *session = session_for(args);
    if (!session) return ACAUSAL_BUG;
    AcausalStatus status =
        info ? acausal_fmu_info(session, args->words[1], args->json ? ACAUSAL_JSON : ACAUSAL_TEXT,
                                write_to_file, stdout)
             : acausal_fmu_validate(session, args->words[1]);
    fflush(stdout);
    show_diagnostics(args, session);
    if (!info && status == ACAUSAL_DONE && !args->quiet) printf("%s follows the standard\n", args->words[1]);
    show_outcome(args, session);
    acausal_session_free(session);
    return status;
}

static const Option options[] = { OPTION_LARGE };

const Command command_fmu = {
    .name = "fmu",
    .usage = "info|validate M.fmu",
    .summary = "Shows what an FMU holds, or checks whether it follows the standard",
    .about = "FMI 1.0, 2.0 and 3.0, model exchange and co-simulation. `acausal simulate M.fmu` runs one.\n\n"
             "  acausal fmu info BouncingBall.fmu\n"
             "  acausal fmu validate BouncingBall.fmu\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run_fmu,
};
