/* help.c: `acausal help [COMMAND | CODE]`. */
#include "cli/cli.h"

static AcausalStatus run_help(const Args *args)
{
    if (args->word_count == 0) {
        command_help(NULL, stdout);
        return ACAUSAL_DONE;
    }
    const Command *command = command_find(args->words[0]);
    const char *meaning = acausal_explain(args->words[0]);
    if (meaning)
        printf("%s: %s\n", args->words[0], meaning);
    else if (!command)
        return usage_error(NULL, "there is no command and no diagnostic '%s'", args->words[0]);
    else
        command_help(command, stdout);
    return ACAUSAL_DONE;
}

const Command command_help_ = {
    .name = "help",
    .usage = "[COMMAND | CODE]",
    .summary = "Shows what a command does, or what a diagnostic means",
    .about = "  acausal help parse\n  acausal help E0201\n",
    .run = run_help,
};
