/* parse.c: `acausal parse`. */
#include "cli/cli.h"

#include <string.h>

static void show_report(const Args *args, const AcausalSession *session, const AcausalParseReport *r)
{
    const char *format = args->json
                             ? "{\"files\":%zu,\"classes\":%zu,\"lines\":%zu,\"errors\":%zu,\"seconds\":%.3f,"
                               "\"cpu_seconds\":%.3f,\"bytes\":%zu,\"peak_bytes\":%zu}\n"
                             : "files %zu  classes %zu  lines %zu  errors %zu  seconds %.3f\n";
    printf(format, r->files, r->classes, r->lines, acausal_error_count(session), r->seconds, r->cpu_seconds,
           r->bytes, r->peak_bytes);
}

static AcausalStatus print_files(const Args *args, AcausalSession *session)
{
    AcausalStatus status = ACAUSAL_DONE;
    for (size_t i = 0; i < args->word_count; i++) {
        AcausalStatus one = acausal_print(session, args->words[i], write_to_file, stdout);
        if (one > status) status = one;
    }
    return status;
}

static AcausalStatus run_parse(const Args *args)
{
    size_t jobs = 0;
    const char *dump = args_value(args, "--dump");
    AcausalParseReport report = { .size = sizeof report };
    if (args->word_count == 0) return usage_error(args->command, "no file or directory given");
    if (!args_size(args, "--jobs", 1, &jobs)) return ACAUSAL_USAGE;
    if (dump && strcmp(dump, "ast") != 0)
        return usage_error(args->command, "'--dump=%s' should be --dump=ast", dump);
    AcausalSession *session = session_for(args);
    if (!session) return ACAUSAL_BUG;
    AcausalStatus status = dump ? print_files(args, session)
                                : acausal_parse(session, args->words, args->word_count,
                                                (unsigned)(jobs < 64 ? jobs : 64), &report);
    show_diagnostics(args, session);
    if (!dump) show_report(args, session, &report);
    fflush(stdout);
    show_outcome(args, session);
    acausal_session_free(session);
    return status;
}

static const Option options[] = {
    { "--jobs", "N", "threads to parse with; as many as there are processors if not given" },
    { "--dump", "=ast", "prints each file's syntax tree, as Modelica text in a regular form" },
};

const Command command_parse = {
    .name = "parse",
    .usage = "PATH...",
    .summary = "Parses files or whole libraries and says what is wrong with them",
    .about = "A path is a .mo file, a library (a directory with package.mo), or a folder with such. Prints "
             "the number of\n"
             "files, classes, lines and errors, and the seconds it took.\n\n"
             "  acausal parse models/Pendulum.mo\n"
             "  acausal parse --jobs 2 ModelicaStandardLibrary\n"
             "  acausal parse --dump=ast models/Pendulum.mo\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_parse,
};
