/* analyze.c: `acausal analyze`. */
#include "cli/cli.h"

/* The page is written only where there is one. */
typedef struct {
    const char *path;
    FILE *file;
    bool failed;
} PageFile;

static void write_page(void *arg, const char *text, size_t n)
{
    PageFile *page = arg;
    if (!page->file && !page->failed) page->file = fopen(page->path, "wb");
    page->failed |= !page->file || fwrite(text, 1, n, page->file) != n;
}

static AcausalStatus analyze(const Args *args, AcausalSession *session, const char *source,
                             const char *class_name)
{
    PageFile page = { .path = args_value(args, "--html") };
    if (page.path && args->json)
        return usage_error(args->command, "--html is a page instead of text: not with --json");
    set_values(args, session);
    AcausalStatus status = acausal_analyze(session, source, class_name,
                                           page.path    ? ACAUSAL_HTML
                                           : args->json ? ACAUSAL_JSON
                                                        : ACAUSAL_TEXT,
                                           args_value(args, "--svg"), page.path ? write_page : write_to_file,
                                           page.path ? (void *)&page : stdout);
    if (page.file && fclose(page.file)) page.failed = true;
    if (page.failed) {
        fprintf(stderr, "acausal analyze: '%s' cannot be written\n", page.path);
        status = ACAUSAL_WRONG;
    }
    fflush(stdout);
    show_diagnostics(args, session);
    return status;
}

static AcausalStatus run_analyze(const Args *args)
{
    return run_on_model(args, args_has(args, "--dump") ? dump_pass : analyze);
}

static const Option options[] = {
    OPTION_LIB,
    OPTION_SET,
    { "--svg", "DIR", "draws incidence.svg, sorted.svg and blocks.svg there" },
    { "--html", "FILE", "a page instead: blocks, index reduction, partitions, incidence" },
    OPTION_DUMP,
};

const Command command_analyze = {
    .name = "analyze",
    .usage = "SOURCE [CLASS]",
    .summary = "Shows the structure of a model: index, states, blocks, tearing, sparsity, events",
    .about = "SOURCE is a .mo file, a library's directory, or a class found in the libraries.\n\n"
             "  acausal analyze models/Pendulum.mo\n"
             "  acausal analyze models/Circuit.mo Circuit.RLC --svg pictures\n"
             "  acausal analyze models/Pendulum.mo --html pendulum.html\n"
             "  acausal analyze models/Circuit.mo Circuit.RLC --dump=blt\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_analyze,
};
