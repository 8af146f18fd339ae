/* explain.c: `acausal explain start`: why a model does not start, and what would help. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

static AcausalStatus explain(const Args *args, AcausalSession *session, const char *source,
                             const char *class_name)
{
    AcausalExplainStart options = { .size = sizeof options, .start = NAN, .interrupt = catch_interrupts() };
    if (!args_real(args, "--start", &options.start) || !args_real(args, "--time-limit", &options.time_limit))
        return ACAUSAL_USAGE;
    set_values(args, session);
    AcausalModel *model = acausal_compile(session, source, class_name);
    AcausalStatus status = ACAUSAL_WRONG;
    if (model)
        status = acausal_explain_start(model, &options, args->json ? ACAUSAL_JSON : ACAUSAL_TEXT,
                                       write_to_file, stdout);
    fflush(stdout);
    show_diagnostics(args, session);
    acausal_model_free(model);
    return status;
}

static AcausalStatus run_explain(const Args *args)
{
    if (args->word_count < 2 || strcmp(args->words[0], "start") != 0)
        return usage_error(args->command, "expected 'start', then a source and, perhaps, a class");
    Args rest = *args;
    rest.words++;
    rest.word_count--;
    return run_on_model(&rest, explain);
}

static const char *const subjects[] = { "start" };
static const char *subject(size_t i) { return i < sizeof subjects / sizeof *subjects ? subjects[i] : NULL; }

static const Option options[] = {
    OPTION_LIB,
    OPTION_SET,
    { "--start", "T", "when the initial equations are solved; the experiment annotation says it, or 0" },
    { "--time-limit", "SECONDS", "for the search for start values (20)" },
};

const Command command_explain = {
    .name = "explain",
    .usage = "start SOURCE [CLASS]",
    .summary = "Says why a model does not start, and looks for start values that help",
    .about =
        "Shows the equations that are not solved at the start with values, residuals and guesses, then "
        "tries\n"
        "other start values: nominal ones, bounds, those of variables of the same unit, random ones. What\n"
        "works is given as lines to add to the model, as few as possible.\n\n"
        "  acausal explain start models/Pendulum.mo\n"
        "  acausal explain start Plant.mo --time-limit 60 --json\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_explain,
    .word = subject,
};
