/* report.c: `acausal report RESULT [SOURCE [CLASS]]`: a page that shows a run. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

AcausalStatus write_report(const Args *args, const AcausalReport *report, const char *path)
{
    FILE *file = fopen(path, "wb");
    int why = errno;
    AcausalSession *session = acausal_session_new();
    AcausalStatus status = !session ? ACAUSAL_BUG
                           : file   ? acausal_report(session, report, write_to_file, file)
                                    : ACAUSAL_WRONG;
    acausal_session_free(session);
    bool failed = file && ferror(file);
    errno = 0;
    if (file && fclose(file)) failed = true;
    if (failed) why = errno, status = ACAUSAL_WRONG;
    if (status != ACAUSAL_DONE)
        fprintf(stderr, "acausal %s: '%s' cannot be written%s%s\n", args->command->name, path,
                why ? ": " : "", why ? strerror(why) : "");
    return status;
}

/* "out/ball.csv" gives "out/ball.html". */
static void default_path(const char *result, char *path, size_t room)
{
    const char *slash = strrchr(result, '/'), *dot = strrchr(result, '.');
    size_t n = dot && dot != result && (!slash || dot > slash + 1) ? (size_t)(dot - result) : strlen(result);
    snprintf(path, room, "%.*s.html", (int)n, result);
}

static AcausalStatus report_result(const Args *args, const AcausalResult *result, AcausalSession *session)
{
    const char *name = args->words[0], *slash = strrchr(name, '/'), *to = args_value(args, "-o");
    const char *class_name = args->word_count > 2 ? args->words[2] : NULL;
    char path[4096];
    default_path(name, path, sizeof path);
    AcausalModel *model = session ? acausal_compile(session, args->words[1], class_name) : NULL;
    if (session) show_diagnostics(args, session);
    if (session && !model) return show_outcome(args, session), ACAUSAL_WRONG;
    AcausalReport page = { .size = sizeof page,
                           .result = result,
                           .title = args_has(args, "--title") ? args_value(args, "--title")
                                    : slash && slash[1]       ? slash + 1
                                                              : name,
                           .file = name,
                           .model = model };
    AcausalStatus status = write_report(args, &page, to ? to : path);
    if (status == ACAUSAL_DONE && !args->quiet) printf("%s\n", to ? to : path);
    acausal_model_free(model);
    return status;
}

static AcausalStatus run_report(const Args *args)
{
    if (args->word_count < 1 || args->word_count > 3)
        return usage_error(args->command, "expected a result and, perhaps, its model");
    AcausalResult *result = read_result(args, args->words[0]);
    if (!result) return ACAUSAL_WRONG;
    AcausalSession *session = args->word_count > 1 ? session_for(args) : NULL;
    AcausalStatus status = ACAUSAL_BUG;
    if (session) set_values(args, session);
    if (session || args->word_count == 1) status = report_result(args, result, session);
    acausal_session_free(session);
    acausal_result_free(result);
    return status;
}

static const Option options[] = {
    { "-o", "FILE.html", "where the page goes; beside the result if not given" },
    { "--title", "TEXT", "above the page; the result's name if not given" },
    OPTION_LIB,
    OPTION_SET,
};

const Command command_report = {
    .name = "report",
    .usage = "RESULT [SOURCE [CLASS]]",
    .summary = "Writes a page that shows a result in any browser, offline",
    .about = "Curves to zoom into, a search among all variables, events; with the model its structure, too. "
             "A run\n"
             "writes a page with its steps and statistics by 'acausal simulate ... --report FILE.html'.\n\n"
             "  acausal report robot.mat\n"
             "  acausal report ball.csv models/BouncingBall.mo -o ball.html\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_report,
};
