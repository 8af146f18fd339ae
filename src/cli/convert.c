/* convert.c: `acausal convert`. */
#include "cli/cli.h"

static void show_file(void *arg, const char *path)
{
    const Args *args = arg;
    if (!args->json && !args->quiet) printf("%s\n", path);
}

static AcausalStatus run_convert(const Args *args)
{
    if (args->word_count != 1)
        return usage_error(args->command, "one file or directory is converted at a time");
    if (!args_has(args, "--to")) return usage_error(args->command, "--to says the version to convert to");
    AcausalSession *session = session_for(args);
    if (!session) return ACAUSAL_BUG;
    AcausalConvertOptions options = { .size = sizeof options,
                                      .library = args_value(args, "--library"),
                                      .to = args_value(args, "--to"),
                                      .from = args_value(args, "--from"),
                                      .look_only = args_has(args, "--dry-run"),
                                      .each = show_file,
                                      .arg = (void *)(size_t)args };
    AcausalConvertReport report = { .size = sizeof report };
    AcausalStatus status = acausal_convert(session, args->words[0], &options, &report);
    show_diagnostics(args, session);
    printf(args->json ? "{\"files\":%zu,\"changed\":%zu,\"warnings\":%zu}\n"
                      : "files %zu  changed %zu  warnings %zu\n",
           report.files, report.changed, acausal_warning_count(session));
    fflush(stdout);
    show_outcome(args, session);
    acausal_session_free(session);
    return status;
}

static const Option options[] = {
    { "--to", "VERSION", "the version to convert to; it has to be among the libraries" },
    { "--from", "VERSION", "the version that the files are written for, if no 'uses' annotation says it" },
    { "--library", "NAME", "the library whose version changes (Modelica)" },
    { "--dry-run", NULL, "says which files would change, and writes none" },
    OPTION_LIB,
};

const Command command_convert = {
    .name = "convert",
    .usage = "LIBRARY --to VERSION",
    .summary = "Converts files to a newer version of a library, by its conversion script",
    .about =
        "LIBRARY is the .mo file or the directory to be converted, in place. All text that no rule of the\n"
        "script is about stays as it is, to the byte. What cannot be converted is told as a warning.\n\n"
        "  acausal convert --to 4.0.0 --dry-run Mine.mo\n"
        "  acausal convert --to 4.0.0 --from 3.2.3 Old.mo\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_convert,
};
