/* test.c: `acausal test LIBRARY`: runs every model of a library that has an experiment.
 *
 * The rows are kept in REPORT.tsv as they come, which is what a call that was stopped goes on
 * from; at the end they become REPORT.html, REPORT.xml (JUnit) and REPORT.md. Tests:
 * tests/cli/test.sh. */
#include "cli/test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 8 };
static const char *const columns[COLUMNS] = { "class", "verdict",   "cpu_s", "translate_s",
                                              "run_s", "deviation", "worst", "message" };

typedef struct {
    const Args *args;
    TestRows rows;
    FILE *kept; /* REPORT.tsv; NULL: no report */
    size_t total, done;
    bool lacks_memory, is_begun;
    AcausalSession *session;
} Work;

/* ---- the table ------------------------------------------------------------------------------- */

static char *text_copy(const char *text)
{
    char *copy = strdup(text);
    for (char *p = copy; p && *p; p++)
        if (*p == '\t' || *p == '\n' || *p == '\r') *p = ' ';
    return copy;
}

static bool add_row(TestRows *rows, const AcausalTestRow *row)
{
    if (rows->n == rows->room) {
        size_t room = 2 * rows->room + 64;
        AcausalTestRow *at = realloc(rows->at, room * sizeof *at);
        if (!at) return false;
        rows->at = at;
        rows->room = room;
    }
    AcausalTestRow *to = &rows->at[rows->n];
    *to = *row;
    to->class_name = text_copy(row->class_name);
    to->verdict = text_copy(row->verdict);
    to->message = text_copy(row->message);
    to->worst = text_copy(row->worst);
    rows->n++;
    return to->class_name && to->verdict && to->message && to->worst;
}

static void free_rows(TestRows *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        free((void *)(uintptr_t)rows->at[i].class_name);
        free((void *)(uintptr_t)rows->at[i].verdict);
        free((void *)(uintptr_t)rows->at[i].message);
        free((void *)(uintptr_t)rows->at[i].worst);
    }
    free(rows->at);
}

static void print_kept(FILE *out, const AcausalTestRow *r)
{
    fprintf(out, "%s\t%s\t%.3f\t%.3f\t%.3f\t%.3g\t%s\t%s\n", r->class_name, r->verdict, r->cpu_seconds,
            r->translate_seconds, r->run_seconds, r->deviation, r->worst, r->message);
    fflush(out);
}

/* ---- going on -------------------------------------------------------------------------------- */

/* What the rows depend on: a call with other settings does not go on from them. */
static void settings_of(const Args *args, char *text, size_t room)
{
    static const char *const names[] = { "--reference", "--tube", "--time-limit" };
    int n =
        snprintf(text, room, "# acausal %s test %s%s%s", acausal_version(), args->words[0],
                 args_has(args, "--verify") ? " --verify" : "", args_has(args, "--check") ? " --check" : "");
    for (size_t i = 0; i < sizeof names / sizeof *names && n > 0 && (size_t)n < room; i++)
        if (args_has(args, names[i]))
            n += snprintf(text + n, room - (size_t)n, " %s %s", names[i], args_value(args, names[i]));
}

static bool take_line(Work *w, char *line)
{
    char *at[COLUMNS];
    size_t n = 0;
    for (char *p = line; n < COLUMNS && p; n++) {
        at[n] = p;
        p = strchr(p, '\t');
        if (p) *p++ = 0;
    }
    if (n < COLUMNS) return true; /* it was stopped while it wrote this line */
    AcausalTestRow row = { .size = sizeof row,
                           .class_name = at[0],
                           .verdict = at[1],
                           .cpu_seconds = strtod(at[2], NULL),
                           .translate_seconds = strtod(at[3], NULL),
                           .run_seconds = strtod(at[4], NULL),
                           .deviation = strtod(at[5], NULL),
                           .worst = at[6],
                           .message = at[7] };
    return add_row(&w->rows, &row);
}

/* Reads the rows of an earlier call. False: they are of another one. */
static bool read_kept(Work *w, const char *path, const char *settings)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0, number = 0;
    bool same = true;
    while (same && file && getline(&line, &room, file) > 0) {
        bool whole = strchr(line, '\n');
        line[strcspn(line, "\n")] = 0;
        if (number++ == 0)
            same = !strcmp(line, settings);
        else if (number > 2 && whole && !take_line(w, line))
            w->lacks_memory = true;
    }
    free(line);
    if (file) fclose(file);
    return same;
}

/* Writes what is known to a new file beside the old one, and takes its place. */
static AcausalStatus open_kept(Work *w, const char *report)
{
    char path[4096], fresh[4110], settings[2048];
    snprintf(path, sizeof path, "%s.tsv", report);
    snprintf(fresh, sizeof fresh, "%s.new", path);
    settings_of(w->args, settings, sizeof settings);
    if (!args_has(w->args, "--again") && !read_kept(w, path, settings))
        return usage_error(w->args->command, "'%s' has rows of another call; --again drops them", path);
    w->kept = fopen(fresh, "w");
    if (w->kept) {
        fprintf(w->kept, "%s\n", settings);
        for (int i = 0; i < COLUMNS; i++) fprintf(w->kept, "%s%s", i ? "\t" : "", columns[i]);
        putc('\n', w->kept);
        for (size_t i = 0; i < w->rows.n; i++) print_kept(w->kept, &w->rows.at[i]);
    }
    if (w->kept && !rename(fresh, path)) return ACAUSAL_DONE;
    fprintf(stderr, "acausal test: '%s' cannot be written: %s\n", path, strerror(errno));
    return ACAUSAL_WRONG;
}

/* ---- the run --------------------------------------------------------------------------------- */

static void begin(void *arg, size_t models)
{
    Work *w = arg;
    w->total = models + w->rows.n;
    w->done = w->rows.n;
    w->is_begun = true;
    show_diagnostics(w->args, w->session); /* what is missing, at once */
    if (w->rows.n && !w->args->quiet)
        fprintf(stderr, "acausal test: %zu of %zu models are done already\n", w->rows.n, w->total);
}

static void take_row(void *arg, const AcausalTestRow *row)
{
    Work *w = arg;
    bool is_good = test_is_good(row->verdict);
    if (!add_row(&w->rows, row)) w->lacks_memory = true;
    if (w->kept) print_kept(w->kept, row);
    w->done++;
    if (w->args->quiet || w->args->json) return;
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    if (!is_good || args_has(w->args, "--all"))
        printf("%-16s %7.2f s  %s%s%s\n", row->verdict, row->cpu_seconds, row->class_name,
               *row->message ? ": " : "", row->message);
    fflush(stdout);
    if (isatty(STDERR_FILENO)) fprintf(stderr, "%zu of %zu", w->done, w->total);
}

static bool read_options(const Args *args, AcausalTest *test)
{
    size_t jobs = 1;
    if (!args_size(args, "--jobs", 1, &jobs) || !args_real(args, "--time-limit", &test->time_limit) ||
        !args_real(args, "--tube", &test->tube))
        return false;
    if (args_has(args, "--check") && (args_has(args, "--verify") || args_has(args, "--reference")))
        return usage_error(args->command, "--check runs nothing that could be verified"), false;
    test->jobs = (unsigned)jobs;
    test->library = args->words[0];
    test->filter = args_value(args, "--filter");
    test->reference = args_value(args, "--reference");
    if (test->reference && access(test->reference, R_OK))
        return usage_error(args->command, "there is no directory '%s'", test->reference), false;
    test->verify = args_has(args, "--verify");
    test->only_check = args_has(args, "--check");
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const AcausalTestRow *)a)->class_name, ((const AcausalTestRow *)b)->class_name);
}

static AcausalStatus test_library(Work *w, AcausalSession *session, AcausalTest *test)
{
    const Args *args = w->args;
    const char *report = args_value(args, "-o");
    AcausalTestReport r = { .size = sizeof r };
    AcausalStatus status = report ? open_kept(w, report) : ACAUSAL_DONE;
    size_t known = w->rows.n;
    const char **done = calloc(known + 1, sizeof *done);
    if (!done) return fputs("acausal test: out of memory\n", stderr), ACAUSAL_BUG;
    for (size_t i = 0; i < known; i++) done[i] = w->rows.at[i].class_name;
    test->done = done;
    test->done_count = known;
    test->begin = begin;
    test->begin_arg = w;
    test->interrupt = catch_interrupts();
    if (status == ACAUSAL_DONE) status = acausal_test(session, test, take_row, w, &r);
    free((void *)done);
    if (!w->is_begun) show_diagnostics(args, session);
    bool ran = status == ACAUSAL_DONE || (status == ACAUSAL_WRONG && w->is_begun);
    if (!ran) return status;
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    bool stopped = *test->interrupt;
    if (w->rows.n) qsort(w->rows.at, w->rows.n, sizeof *w->rows.at, by_name);
    TestCounts counts = test_count(&w->rows);
    if (report && !test_write_reports(args, &w->rows, report, args->words[0])) status = ACAUSAL_WRONG;
    print_test_counts(args, &counts);
    if (w->lacks_memory) return fputs("acausal test: out of memory\n", stderr), ACAUSAL_BUG;
    if (stopped) fprintf(stderr, "acausal test: stopped; the same call goes on\n");
    if (!w->rows.n && !args->quiet) fputs("acausal test: no model with an experiment is chosen\n", stderr);
    return status == ACAUSAL_DONE && (stopped || counts.good < counts.all) ? ACAUSAL_WRONG : status;
}

static AcausalStatus run_test(const Args *args)
{
    if (args->word_count != 1) return usage_error(args->command, "expected a library: its name or directory");
    AcausalTest test = { .size = sizeof test, .time_limit = 60 };
    if (!read_options(args, &test)) return ACAUSAL_USAGE;
    AcausalSession *session = session_for(args);
    if (!session) return ACAUSAL_BUG;
    Work work = { .args = args, .session = session };
    AcausalStatus status = test_library(&work, session, &test);
    if (work.kept && fclose(work.kept)) {
        fprintf(stderr, "acausal test: '%s.tsv' cannot be written\n", args_value(args, "-o"));
        status = ACAUSAL_WRONG;
    }
    free_rows(&work.rows);
    acausal_session_free(session);
    return status;
}

static const Option options[] = {
    OPTION_LIB,
    { "-o", "REPORT", "writes REPORT.html, REPORT.xml (JUnit), REPORT.md and REPORT.tsv" },
    { "--filter", "REGEX", "only models whose name fits" },
    { "--reference", "DIR", "results to hold runs against; else those that the library brings along" },
    { "--verify", NULL, "where there is no reference, a second run by another family of integrators" },
    { "--check", NULL, "only checks, runs nothing" },
    { "--tube", "R", "half height of the tube, as a share of each signal's range; 0.01 with references" },
    { "--jobs", "N", "models at a time; 1 if not given" },
    { "--time-limit", "SECONDS", "of wall time for each model; 60 if not given" },
    { "--again", NULL, "drops the rows of an earlier call instead of going on from them" },
    { "--all", NULL, "lists models that are good, too" },
};

const Command command_test = {
    .name = "test",
    .usage = "LIBRARY",
    .summary = "Runs every model of a library that has an experiment, and reports",
    .about =
        "Each model is translated and run in a process of its own, so that one that crashes or never ends is "
        "a row like\nany other. With references it is held against them: A/B/C/C.csv, as the Modelica "
        "Association keeps them, A_B_C.txt\nwith values at equidistant times, or A.B.C.csv. A call that was "
        "stopped goes on when it is given again.\nExit code 0: all models run, and none differs; 1: not "
        "so.\n\n"
        "  acausal test models/Circuit.mo -o report\n"
        "  acausal test models/Circuit.mo --filter 'RLC$' --verify --jobs 2\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run_test,
};
