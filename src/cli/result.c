/* result.c: `acausal result info FILE`: what a result is and how it came to be. */
#include "cli/cli.h"

#include <string.h>

static const char *word_at(size_t i) { return i == 0 ? "info" : NULL; }

static AcausalStatus run_result(const Args *args)
{
    if (args->word_count < 1 || strcmp(args->words[0], "info") != 0) {
        if (args->word_count) return unknown_word(args->command, "word", args->words[0], word_at);
        return usage_error(args->command, "expected 'info FILE'");
    }
    if (args->word_count != 2) return usage_error(args->command, "expected 'info FILE'");
    AcausalSession *session = acausal_session_new();
    if (!session) return ACAUSAL_BUG;
    AcausalStatus status = acausal_result_info(
        session, args->words[1], args->json ? ACAUSAL_JSON : ACAUSAL_TEXT, write_to_file, stdout);
    show_diagnostics(args, session);
    show_outcome(args, session);
    acausal_session_free(session);
    return status;
}

const Command command_result = {
    .name = "result",
    .usage = "info FILE",
    .summary = "Says what a result is and how it came to be",
    .about = "Of a result: rows, signals, and what FILE.info.json beside it says: program, model and "
             "libraries with\n"
             "digests, times, integrator, values, machine. Of a study: how far it is, and its settings.\n\n"
             "  acausal simulate models/BouncingBall.mo -o ball.csv\n"
             "  acausal result info ball.csv\n",
    .run = run_result,
    .word = word_at,
};
