/* main.c: the table of commands, and the way to them. */
#include "cli/cli.h"

#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const Command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "cli/commands.def"
#undef COMMAND
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

const Command *command_find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(commands[i]->name, name)) return commands[i];
    return NULL;
}

const Command *command_at(size_t i) { return i < COMMAND_COUNT ? commands[i] : NULL; }

const char *command_name(size_t i) { return i < COMMAND_COUNT ? commands[i]->name : NULL; }

static void print_options(const Option *options, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        char left[100];
        const char *value = options[i].value ? options[i].value : "";
        const char *format = *value == '=' ? "%s[%s]"
                             : *value      ? "%s %s"
                                           : "%s%s"; /* [=json] may be left out */
        snprintf(left, sizeof left, format, options[i].name, value);
        if (strlen(left) > 22)
            fprintf(out, "  %s\n  %22s %s\n", left, "", options[i].about);
        else
            fprintf(out, "  %-22s %s\n", left, options[i].about);
    }
}

void command_help(const Command *command, FILE *out)
{
    if (command) {
        fprintf(out, "acausal %s %s\n%s.\n\n%s", command->name, command->usage, command->summary,
                command->about);
        if (command->option_count) fputs("\nOptions:\n", out);
        print_options(command->options, command->option_count, out);
    } else {
        fputs("acausal COMMAND ...: simulates dynamic systems\n\nCommands:\n", out);
        for (size_t i = 0; i < COMMAND_COUNT; i++)
            fprintf(out, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
        fputs("\nTo begin with:\n"
              "  acausal simulate models/BouncingBall.mo --plot - --names h\n"
              "\n'acausal help COMMAND' shows a command's options, 'acausal help E0201' explains a "
              "diagnostic,\n"
              "'acausal --version' says which version this is.\n",
              out);
    }
    fputs("\nEverywhere:\n", out);
    print_options(common_options, common_option_count, out);
}

static AcausalStatus run_command(const Command *command, int argc, char **argv)
{
    Args args;
    AcausalStatus status = ACAUSAL_USAGE;
    if (args_parse(command, argc, argv, &args)) {
        status = ACAUSAL_DONE;
        if (args_has(&args, "--help"))
            command_help(command, stdout);
        else
            status = args_expand(&args) ? command->run(&args) : ACAUSAL_WRONG;
    }
    args_free(&args);
    if (fflush(stdout) || ferror(stdout)) {
        fputs("acausal: standard output could not be written\n", stderr);
        if (status == ACAUSAL_DONE) status = ACAUSAL_WRONG;
    }
    return status;
}

/* Memory that one pass gives back is taken by the next: returning it to the system in between costs
 * more than the passes. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_TOP_PAD, 4 << 20);
#endif
}

/* A bug was found, or memory is out, and that was said: no signal for who called the program. */
static void end_here(int signal)
{
    (void)signal;
    _exit(ACAUSAL_BUG);
}

int main(int argc, char **argv)
{
    keep_memory();
    signal(SIGABRT, end_here);
    if (argc < 2) return (int)usage_error(NULL, "no command given");
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
        printf("acausal %s\n", acausal_version());
        return ACAUSAL_DONE;
    }
    const char *name = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ? "help" : argv[1];
    const Command *command = command_find(name);
    const char *suffix = strrchr(name, '.');
    if (!command && suffix && (!strcmp(suffix, ".mo") || !strcmp(suffix, ".fmu")))
        return (int)usage_error(NULL, "'%s' is no command; did you mean 'acausal simulate %s'?", name, name);
    return (int)(command ? run_command(command, argc - 2, argv + 2)
                         : unknown_word(NULL, "command", name, command_name));
}
