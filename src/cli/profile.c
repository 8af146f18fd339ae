/* profile.c: `acausal profile`: where the time of a run goes, and what is most worth changing. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static AcausalStatus profile(const Args *args, AcausalSession *session, const char *source,
                             const char *class_name)
{
    AcausalSimulation run = acausal_simulation();
    AcausalProfile options = { .size = sizeof options, .run = &run };
    const char *page = args_value(args, "--html");
    if (!read_run_options(args, &run) || !read_values(args, &run)) return ACAUSAL_USAGE;
    run.say = NULL, run.progress = NULL;
    AcausalModel *model = acausal_compile(session, source, class_name);
    AcausalStatus status = ACAUSAL_WRONG;
    if (model)
        status =
            acausal_profile(model, &options, args->json ? ACAUSAL_JSON : ACAUSAL_TEXT, write_to_file, stdout);
    fflush(stdout);
    FILE *file = page && model && status != ACAUSAL_WRONG ? fopen(page, "wb") : NULL;
    if (file) {
        options.page = true;
        acausal_profile(model, &options, ACAUSAL_TEXT, write_to_file, file);
    }
    bool is_written = !page || !model || status == ACAUSAL_WRONG || (file && !ferror(file));
    if (file && fclose(file)) is_written = false;
    if (!is_written) fprintf(stderr, "acausal profile: '%s' cannot be written\n", page);
    show_diagnostics(args, session);
    if (status == ACAUSAL_FAILED)
        fputs("acausal profile: the run failed: `acausal simulate` says why\n", stderr);
    acausal_model_free(model);
    free((void *)run.set);
    free((void *)run.solver_options);
    return is_written ? status : ACAUSAL_WRONG;
}

static AcausalStatus run_profile(const Args *args) { return run_on_model(args, profile); }

static const Option options[] = {
    OPTION_LIB,
    OPTION_SET,
    { "--start", "T", "start time" },
    { "--stop", "T", "stop time" },
    { "--tol", "R", "relative tolerance" },
    { "--interval", "H", "size of output intervals" },
    { "--points", "N", "number of output intervals" },
    { "--solver", "NAME", "the integrator" },
    { "--option", "KEY=VALUE", "of the integrator" },
    { "--input", "FILE", "inputs over time" },
    { "--time-limit", "SECONDS", "stop a run after so long" },
    { "--html", "FILE", "also a page with a flame graph and time lines" },
};

const Command command_profile = {
    .name = "profile",
    .usage = "SOURCE [CLASS]",
    .summary = "Says where the time of a run goes, and what is most worth changing",
    .about =
        "Runs the model, several times if it is quick, and samples what it is computing: by phase, block,\n"
        "equation, function and component; counts events by relation, failures of Newton's method by\n"
        "cause, and which states limit the steps. The first lines say what is most worth changing.\n\n"
        "  acausal profile models/BouncingBall.mo\n"
        "  acausal profile Plant.mo --stop 10 --html plant.html\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_profile,
};
