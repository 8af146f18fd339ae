/* paper.c: `acausal paper`: the founding documents, made again. */
#include "cli/cli.h"

#include "bench/paper/paper.h"

#include <string.h>

static const char *document_name(size_t i)
{
    const PaperDocument *d = paper_document(i);
    return d ? d->name : NULL;
}

static void list_figures(const PaperDocument *d)
{
    const char *name, *title, *section;
    printf("%s: %s\n  %s\n", d->name, d->title, d->source);
    for (size_t i = 0; paper_figure(d, i, &name, &title, &section); i++)
        printf("    %-14s %s (%s)\n", name, title, section);
}

static AcausalStatus unknown_figure(const Args *args, const PaperDocument *d, const char *figure)
{
    const char *names[64], *title, *section;
    size_t n = 0;
    while (n < 64 && paper_figure(d, n, &names[n], &title, &section)) n++;
    const char *near = acausal_nearest(figure, names, n);
    if (near)
        return usage_error(args->command, "%s has no figure '%s'; did you mean '%s'?", d->name, figure, near);
    return usage_error(args->command, "%s has no figure '%s'; --list shows them", d->name, figure);
}

static void keep_quiet(void *arg, const char *text, size_t n) { (void)arg, (void)text, (void)n; }

static AcausalStatus run_paper(const Args *args)
{
    const PaperDocument *d = NULL;
    for (size_t i = 0; args->word_count && !d && paper_document(i); i++)
        if (!strcmp(paper_document(i)->name, args->words[0])) d = paper_document(i);
    if (args->word_count && !d) return unknown_word(args->command, "document", args->words[0], document_name);
    if (!d || args_has(args, "--list")) {
        for (size_t i = 0; paper_document(i); i++)
            if (!d || d == paper_document(i)) list_figures(paper_document(i));
        return ACAUSAL_DONE;
    }
    char why[500], command[200];
    const char *figure = args_value(args, "--figure"), *directory = args_value(args, "-o"),
               *models = args_value(args, "--models");
    snprintf(command, sizeof command, "acausal paper %s%s%s", d->name, figure ? " --figure " : "",
             figure ? figure : "");
    PaperRequest request = { .document = d,
                             .figure = figure,
                             .directory = directory,
                             .models = models ? models : "models",
                             .command = command,
                             .write = args->quiet ? keep_quiet : write_to_file,
                             .arg = stdout };
    AcausalStatus status = paper_make(&request, why, sizeof why);
    if (status == ACAUSAL_USAGE) return unknown_figure(args, d, figure);
    if (status != ACAUSAL_DONE) fprintf(stderr, "acausal paper: %s\n", why);
    if (status == ACAUSAL_DONE && directory && !args->quiet) printf("%s/index.html\n", directory);
    return status;
}

static const Option options[] = {
    { "--list", NULL, "lists documents and their figures, and makes nothing" },
    { "--figure", "N", "only this one: a number, or a name of the list" },
    { "-o", "DIR", "writes CSV, SVG and PNG files and a page, index.html, there" },
    { "--models", "DIR", "where the models are (models)" },
};

const Command command_paper = {
    .name = "paper",
    .usage = "[NAME]",
    .summary = "Makes tables and figures of a founding document again",
    .about =
        "The tables and the text go to the terminal, with published numbers beside those of here.\n\n"
        "  acausal paper --list\n  acausal paper restarts -o pages\n  acausal paper restarts --figure 2\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_paper,
    .word = document_name,
};
