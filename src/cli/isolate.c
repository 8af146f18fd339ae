/* isolate.c: a run in a process of its own, so that foreign code that crashes, hangs or means harm
 * ends its run and nothing else.
 *
 * The child does all the work: it reads the source, the libraries and what the options name, writes
 * the files that were asked for, and says from time to time how far it is. Tests:
 * tests/cli/fmu.sh. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

struct Heartbeat {
    const AcausalPulse *pulse;
    void (*inner)(void *arg, double t, double start, double stop);
    void *inner_arg;
};

static void beat(void *arg, double t, double start, double stop)
{
    const Heartbeat *h = arg;
    acausal_pulse(h->pulse, t);
    if (h->inner) h->inner(h->inner_arg, t, start, stop);
}

void tell_pulse(const Args *args, AcausalSimulation *s)
{
    Heartbeat *h = args->heartbeat;
    if (!h) return;
    h->inner = s->progress;
    h->inner_arg = s->progress_arg;
    s->progress = beat;
    s->progress_arg = h;
}

enum { MOST_PATHS = 256 };

typedef struct {
    const char *at[MOST_PATHS];
    size_t n;
    char *text; /* what some of them are parts of */
} Paths;

static void add_path(Paths *paths, const char *path)
{
    if (path && *path && strcmp(path, "-") != 0 && paths->n < MOST_PATHS) paths->at[paths->n++] = path;
}

/* The directory that a source's own data lie in: where a .mo file is. */
static void add_source(Paths *paths, const char *source)
{
    const char *slash = strrchr(source, '/');
    add_path(paths, source);
    if (!acausal_is_model_text(source)) return;
    char *directory = slash ? strndup(source, (size_t)(slash - source) + 1) : strdup(".");
    free(paths->text);
    add_path(paths, paths->text = directory);
}

/* All that the command names for reading. RESULT@T is a file without its time, too. */
static void find_readable(const Args *args, Paths *paths, char *libraries)
{
    static const char *const read[] = { "--lib",    "--input",     "--init",   "--data",
                                        "--params", "--reference", "--solver", "--resume" };
    add_source(paths, args->words[0]);
    for (size_t i = 0; i < args->given_count; i++)
        for (size_t k = 0; k < sizeof read / sizeof *read; k++)
            if (!strcmp(args->given[i]->name, read[k])) add_path(paths, args->values[i]);
    for (char *rest, *path = libraries ? strtok_r(libraries, ":", &rest) : NULL; path;
         path = strtok_r(NULL, ":", &rest))
        add_path(paths, path);
}

static void find_writable(const Args *args, Paths *paths)
{
    static const char *const written[] = {
        "-o", "--plot", "--plot-steps", "--report", "--save-state", "--csv"
    };
    for (size_t k = 0; k < sizeof written / sizeof *written; k++)
        add_path(paths, args_value(args, written[k]));
    const char *result = args_value(args, "-o");
    if (!result || asprintf(&paths->text, "%s.info.json", result) < 0) return;
    add_path(paths, paths->text); /* how it came to be */
}

typedef struct {
    Args args; /* with a heartbeat */
    Heartbeat heartbeat;
    AcausalSession *session;
    ModelWork work;
} Job;

static AcausalStatus work_inside(void *arg, const AcausalPulse *pulse)
{
    Job *job = arg;
    const Args *args = &job->args;
    job->heartbeat.pulse = pulse;
    AcausalStatus status =
        job->work(args, job->session, args->words[0], args->word_count == 2 ? args->words[1] : NULL);
    fflush(stdout);
    show_outcome(args, job->session);
    return status;
}

AcausalStatus run_isolated(const Args *args, AcausalSession *session, ModelWork work)
{
    const char *value = args_value(args, "--isolate"), *path = getenv("MODELICAPATH");
    Paths readable = { .n = 0 }, writable = { .n = 0 };
    AcausalIsolationReport report = { .size = sizeof report };
    double time_limit = 0.0;
    AcausalIsolation isolation = { .size = sizeof isolation,
                                   .silence = 10.0,
                                   .strict = !strcmp(value, "strict"),
                                   .interrupt = catch_interrupts() };
    if (*value && !isolation.strict && !args_real(args, "--isolate", &isolation.silence))
        return ACAUSAL_USAGE;
    if (args_has(args, "--time-limit") && !args_real(args, "--time-limit", &time_limit)) return ACAUSAL_USAGE;
    if (time_limit > 0.0) isolation.cpu_seconds = 2.0 * time_limit + 10.0;
    char *libraries = path ? strdup(path) : NULL;
    find_readable(args, &readable, libraries);
    find_writable(args, &writable);
    isolation.readable = readable.at;
    isolation.readable_count = readable.n;
    isolation.writable = writable.at;
    isolation.writable_count = writable.n;
    Job job = { .args = *args, .session = session, .work = work };
    job.args.heartbeat = &job.heartbeat;
    acausal_isolate(session, &isolation, work_inside, &job, &report);
    if (report.missing[0] && !report.why[0] && !args->quiet)
        fprintf(stderr, "acausal %s: isolated in part: %s\n", args->command->name, report.missing);
    if (report.why[0]) fprintf(stderr, "acausal %s: %s\n", args->command->name, report.why);
    free(readable.text);
    free(writable.text);
    free(libraries);
    return report.end;
}
