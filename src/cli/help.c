/* help.c: `acausal help [COMMAND | CODE]`, and the manual page. */
#include "cli/cli.h"

static AcausalStatus run_help(const Args *args)
{
    if (args_has(args, "--man")) {
        print_manual(stdout);
        return ACAUSAL_DONE;
    }
    if (args->word_count == 0) {
        command_help(NULL, stdout);
        return ACAUSAL_DONE;
    }
    const Command *command = command_find(args->words[0]);
    const char *meaning = acausal_explain(args->words[0]);
    if (meaning)
        printf("%s: %s\n", args->words[0], meaning);
    else if (!command)
        return unknown_word(NULL, "command and no diagnostic", args->words[0], command_name);
    else
        command_help(command, stdout);
    return ACAUSAL_DONE;
}

static const Option options[] = {
    { "--man", NULL, "the whole manual page, as troff; 'make install' puts it where man(1) finds it" },
};

const Command command_help_ = {
    .name = "help",
    .usage = "[COMMAND | CODE]",
    .summary = "Shows what a command does, or what a diagnostic means",
    .about = "  acausal help parse\n  acausal help E0201\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_help,
    .word = command_name,
};
