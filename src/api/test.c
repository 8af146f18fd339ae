/* test.c: runs all models of a library that have an experiment, and holds them against references.
 *
 * In: a library, which models of it, how many at a time. Out: a row a model: how far it came, why
 * not further, how long it took. How: the library is read once; each model is translated and run in
 * a child of this process, which gives its row through a pipe and is ended when it takes too long.
 * So a model that crashes or takes all memory is a row, too. Always: a row for each model, in the
 * order in which they end. Cost: the runs. Tests: tests/cli/test.sh. */
#include "api/libraries.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 256, ROW_TEXT = 2048 };

/* What a child says; the pipe carries it as it is. */
typedef struct {
    char verdict[32], message[ROW_TEXT], worst[256];
    double translate, run, deviation;
    size_t states, equations;
    long events;
} Said;

typedef struct {
    pid_t pid;
    int pipe;
    size_t got;
    Said said;
    const char *class_name;
    double since;
    bool is_late;
} Job;

typedef struct {
    AcausalSession *s;
    Arena *arena;
    const AcausalTest *test;
    const char *reference; /* a directory; NULL: none */
    VEC(const char *) models;
    Job *jobs;
    unsigned job_count;
    AcausalTestReport report;
    void (*row)(void *arg, const AcausalTestRow *row);
    void *arg;
} Tests;

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- in the child ---------------------------------------------------------------------------- */

static void say(Said *said, const char *verdict, const char *message)
{
    snprintf(said->verdict, sizeof said->verdict, "%s", verdict);
    snprintf(said->message, sizeof said->message, "%s", message ? message : "");
}

static void say_error(AcausalSession *s, Said *said, const char *verdict)
{
    say(said, verdict, acausal_first_error(s));
}

static void check_only(AcausalSession *s, const char *class_name, Said *said)
{
    AcausalCheckReport r = { .size = sizeof r };
    acausal_switch(s, ACAUSAL_CHECK_UNITS, false);
    if (acausal_check(s, class_name, NULL, &r) == ACAUSAL_DONE)
        say(said, "checks", "");
    else
        say_error(s, said, "not translated");
    said->states = r.states;
    said->equations = r.equations;
}

static void run_only(const Tests *t, AcausalModel *m, AcausalSimulation *run, Said *said)
{
    AcausalSimulationReport r = { .size = sizeof r };
    AcausalStatus status = acausal_run(m, run, &r);
    if (status == ACAUSAL_DONE)
        say(said, "runs", "");
    else
        say(said, status == ACAUSAL_FAILED ? "fails" : "not translated", r.message);
    if (!*said->message && status != ACAUSAL_DONE) say_error(t->s, said, "fails");
}

/* A reference that was converted is known by its own name. */
static void say_of_reference(Said *said, const char *verdict, const char *message, const Reference *reference)
{
    const char *made = reference ? reference->made : NULL, *at = made ? strstr(message, made) : NULL;
    say(said, verdict, message);
    if (at)
        snprintf(said->message, sizeof said->message, "%.*s%s%s", (int)(at - message), message,
                 reference->origin, at + strlen(made));
}

static void verify_run(const Tests *t, AcausalModel *m, AcausalSimulation *run, const Reference *reference,
                       Said *said)
{
    AcausalCompareOptions tube = { .size = sizeof tube, .value = NAN, .time = NAN, .absolute = NAN };
    AcausalVerify v = { .size = sizeof v, .run = run, .tube = &tube };
    AcausalVerifyReport r = { .size = sizeof r };
    if (reference) v.reference = reference->file;
    if (t->test->tube > 0) tube.value = t->test->tube;
    /* two tools, each with an error of its own, and rows of one that the other has not */
    if (reference && !(t->test->tube > 0)) tube.value = 0.01, tube.time = 0.005, tube.absolute = 1e-6;
    /* between the points of a coarse reference nothing is known of steps */
    if (reference && reference->points > 0) tube.time = fmax(0.005, 1.05 / (double)reference->points);
    AcausalStatus status = acausal_verify(m, &v, NULL, NULL, &r);
    const char *verdict = status == ACAUSAL_DONE     ? "passes"
                          : status == ACAUSAL_FAILED ? "fails"
                          : r.compare && r.result    ? "differs"
                                                     : "no reference";
    say_of_reference(said, verdict, r.message, reference);
    said->deviation = r.deviation;
    snprintf(said->worst, sizeof said->worst, "%s", r.worst ? r.worst : "");
    said->events = r.events;
}

static void run_model(const Tests *t, const char *class_name, Said *said)
{
    AcausalSimulation run = acausal_simulation();
    Reference reference = { 0 };
    bool has_reference = t->reference && reference_find(t->arena, t->reference, class_name, &reference);
    double begin = seconds_now();
    AcausalModel *m = acausal_compile(t->s, class_name, NULL);
    said->translate = seconds_now() - begin;
    if (!m) {
        say_error(t->s, said, "not translated");
        reference_remove(&reference);
        return;
    }
    run.time_limit = t->test->time_limit;
    if (has_reference) {
        run.variables = reference.signals;
        run.start = reference.start;
        run.stop = reference.stop;
        if (reference.points > 0) run.points = reference.points;
    }
    begin = seconds_now();
    if (has_reference || t->test->verify)
        verify_run(t, m, &run, has_reference ? &reference : NULL, said);
    else
        run_only(t, m, &run, said);
    said->run = seconds_now() - begin;
    reference_remove(&reference);
}

static void run_child(const Tests *t, const char *class_name, int to)
{
    Said said = { .deviation = NAN };
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    acausal_clear_diagnostics(t->s);
    if (t->test->only_check)
        check_only(t->s, class_name, &said);
    else
        run_model(t, class_name, &said);
    const char *at = (const char *)&said;
    for (size_t n = 0; n < sizeof said;) {
        ssize_t k = write(to, at + n, sizeof said - n);
        if (k < 0 && errno != EINTR) _exit(1);
        if (k > 0) n += (size_t)k;
    }
    _exit(0);
}

/* ---- around them ----------------------------------------------------------------------------- */

static bool start_job(Tests *t, Job *job, const char *class_name)
{
    int ends[2];
    *job = (Job){ .class_name = class_name, .since = seconds_now(), .pipe = -1 };
    if (pipe(ends)) return wrong(t->s, E_OUTPUT, "no pipe: %s", strerror(errno));
    job->pid = fork();
    if (job->pid == 0) {
        close(ends[0]);
        run_child(t, class_name, ends[1]);
    }
    close(ends[1]);
    if (job->pid < 0) {
        close(ends[0]);
        return wrong(t->s, E_OUTPUT, "no process for '%s': %s", class_name, strerror(errno));
    }
    job->pipe = ends[0];
    return true;
}

static void count_row(AcausalTestReport *r, const char *verdict)
{
    static const struct {
        const char *verdict;
        size_t at;
    } places[] = {
        { "checks", offsetof(AcausalTestReport, checked) },
        { "runs", offsetof(AcausalTestReport, run) },
        { "passes", offsetof(AcausalTestReport, passed) },
        { "differs", offsetof(AcausalTestReport, different) },
    };
    r->models++;
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (!strcmp(verdict, places[i].verdict)) {
            ++*(size_t *)(void *)((char *)r + places[i].at);
            return;
        }
    r->failed++;
}

static void end_job(Tests *t, Job *job)
{
    struct rusage used = { 0 };
    int status = 0;
    Said *said = &job->said;
    while (wait4(job->pid, &status, 0, &used) < 0 && errno == EINTR) {
    }
    close(job->pipe);
    if (job->is_late) {
        say(said, "too slow", "");
        snprintf(said->message, sizeof said->message, "no end within %g s", t->test->time_limit);
    } else if (job->got < sizeof *said) {
        say(said, "crashes", "");
        if (WIFSIGNALED(status))
            snprintf(said->message, sizeof said->message, "ended by signal %d", WTERMSIG(status));
        else
            snprintf(said->message, sizeof said->message, "ended without a word, code %d",
                     WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    AcausalTestRow row = { .size = sizeof row,
                           .class_name = job->class_name,
                           .verdict = said->verdict,
                           .message = said->message,
                           .worst = said->worst,
                           .deviation = said->deviation,
                           .translate_seconds = said->translate,
                           .run_seconds = said->run,
                           .cpu_seconds = (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
                                          1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) };
    count_row(&t->report, said->verdict);
    job->pid = 0;
    if (t->row) t->row(t->arg, &row);
}

/* Waits until one of the jobs says something, ends, or is late. */
static void tend_jobs(Tests *t)
{
    struct pollfd ends[MOST_JOBS];
    Job *of[MOST_JOBS];
    nfds_t n = 0;
    for (unsigned i = 0; i < t->job_count; i++) {
        if (!t->jobs[i].pid) continue;
        of[n] = &t->jobs[i];
        ends[n++] = (struct pollfd){ .fd = t->jobs[i].pipe, .events = POLLIN };
    }
    if (!n) return;
    poll(ends, n, 200);
    double now = seconds_now(), limit = t->test->time_limit > 0 ? 1.25 * t->test->time_limit + 5 : INFINITY;
    bool stop = t->test->interrupt && *t->test->interrupt;
    for (nfds_t i = 0; i < n; i++) {
        Job *job = of[i];
        if (stop || (now - job->since > limit && !job->is_late)) {
            job->is_late = true;
            kill(job->pid, SIGKILL);
        }
        if (!(ends[i].revents & (POLLIN | POLLHUP))) continue;
        ssize_t k = read(job->pipe, (char *)&job->said + job->got, sizeof job->said - job->got);
        if (k > 0) job->got += (size_t)k;
        if (k == 0 || job->got == sizeof job->said) {
            if (stop) {
                while (waitpid(job->pid, NULL, 0) < 0 && errno == EINTR) {
                }
                close(job->pipe);
                job->pid = 0;
            } else {
                end_job(t, job);
            }
        }
    }
}

static bool is_running(const Tests *t)
{
    for (unsigned i = 0; i < t->job_count; i++)
        if (t->jobs[i].pid) return true;
    return false;
}

static void run_all(Tests *t)
{
    uint32_t next = 0;
    while (next < t->models.n || is_running(t)) {
        bool stop = t->test->interrupt && *t->test->interrupt;
        for (unsigned i = 0; i < t->job_count && next < t->models.n && !stop; i++)
            if (!t->jobs[i].pid && !start_job(t, &t->jobs[i], t->models.at[next++])) {
                next = t->models.n;
                break;
            }
        if (stop) next = t->models.n;
        tend_jobs(t);
    }
}

/* ---- which models ---------------------------------------------------------------------------- */

typedef struct {
    Tests *t;
    regex_t *filter; /* NULL: all */
} Choice;

static void take_class(void *arg, const AcausalClass *c)
{
    const Choice *choice = arg;
    Tests *t = choice->t;
    bool is_model = !strcmp(c->kind, "model") || !strcmp(c->kind, "block") || !strcmp(c->kind, "class");
    if (!is_model || c->is_partial || !c->has_experiment) return;
    if (choice->filter && regexec(choice->filter, c->name, 0, NULL, 0)) return;
    for (size_t i = 0; i < t->test->done_count; i++)
        if (!strcmp(t->test->done[i], c->name)) return;
    vec_push(t->arena, &t->models, arena_copy(t->arena, str_of(c->name)));
}

static bool choose_models(Tests *t, const char *path)
{
    regex_t filter;
    Choice choice = { t, NULL };
    if (t->test->filter) {
        if (regcomp(&filter, t->test->filter, REG_EXTENDED | REG_NOSUB))
            return wrong(t->s, E_OPTION, "'%s' is not a regular expression", t->test->filter);
        choice.filter = &filter;
    }
    acausal_classes(t->s, path, take_class, &choice);
    if (choice.filter) regfree(&filter);
    return true;
}

/* Where a library is that was named: its own path, or where its name leads to. */
static const char *find_library(AcausalSession *s, const char *named)
{
    if (file_kind(named) != FILE_NONE) {
        const char *real = path_real(s->arena, named);
        if (real && file_kind(real) == FILE_DIRECTORY) acausal_add_library_path(s, real);
        if (real && file_kind(real) == FILE_REGULAR) libraries_open(s->libraries, real, &s->diag);
        return real;
    }
    const char *path = libraries_locate(s->libraries, name_of(s->names, str_of(named)), (Str){ 0 });
    if (path) return path;
    wrong(s, E_LIBRARY_MISSING, "there is no library '%s'", named);
    Note *note = s->diag.notes.at[s->diag.notes.n - 1];
    for (size_t i = 0; libraries_path(s->libraries, i); i++)
        diag_hint(&s->diag, note, "looked in %s", libraries_path(s->libraries, i));
    return NULL;
}

static void check_uses(AcausalSession *s, const char *path)
{
    const Class *head = library_head(s, path);
    const Argument *uses = head ? modification_find(class_annotation(head), "uses") : NULL;
    for (uint32_t i = 0; uses && uses->modification && i < uses->modification->n; i++) {
        const Argument *a = uses->modification->arguments[i];
        if (a->kind != ARGUMENT_MODIFY) continue;
        Str version = modification_string(a->modification, "version");
        if (libraries_locate(s->libraries, a->names[0], version)) continue;
        Note *note = diag_add(&s->diag, E_USES_MISSING, a->span, "'%s' uses '%s' %.*s, which is not here",
                              name_text(head->name), name_text(a->names[0]), (int)version.n, version.at);
        for (size_t k = 0; libraries_path(s->libraries, k); k++)
            diag_hint(&s->diag, note, "looked in %s", libraries_path(s->libraries, k));
    }
}

/* Errors of files, which do not keep other files' models from running, and what is missing;
 * warnings are for those who check a model. */
static void keep_diagnostics(AcausalSession *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->diag.notes.n; i++) {
        Note *note = s->diag.notes.at[i];
        if (note->severity == SEVERITY_ERROR || note->code == E_USES_MISSING) s->diag.notes.at[n++] = note;
    }
    s->diag.notes.n = n;
}

AcausalStatus acausal_test(AcausalSession *s, const AcausalTest *given,
                           void (*row)(void *arg, const AcausalTestRow *row), void *arg,
                           AcausalTestReport *report)
{
    AcausalTest test = { .size = sizeof test, .jobs = 1, .time_limit = 60 };
    Arena *arena = arena_new();
    if (!arena || !TAKE(s, test, given) || !is_sized(s, report)) {
        if (!arena) tell_memory(s);
        arena_free(arena);
        return arena ? ACAUSAL_USAGE : ACAUSAL_BUG;
    }
    Tests t = { .s = s, .arena = arena, .test = &test, .row = row, .arg = arg, .reference = test.reference };
    t.job_count = test.jobs < 1 ? 1 : test.jobs > MOST_JOBS ? MOST_JOBS : test.jobs;
    t.jobs = NEW_ARRAY(arena, Job, t.job_count);
    const char *path = find_library(s, test.library);
    if (path) {
        check_uses(s, path);
        const char *own = path_join(arena, path, "Resources/ReferenceResults/Dymola");
        if (!t.reference && file_kind(own) == FILE_DIRECTORY) t.reference = own;
        t.report.size = sizeof t.report;
        if (choose_models(&t, path)) {
            keep_diagnostics(s);
            if (test.begin) test.begin(test.begin_arg, t.models.n);
            run_all(&t);
        }
    }
    AcausalStatus status = session_status(s);
    bool all = !t.report.failed && !t.report.different;
    GIVE(report, t.report);
    arena_free(arena);
    return status != ACAUSAL_DONE ? status : all ? ACAUSAL_DONE : ACAUSAL_WRONG;
}
