/* isolate.c: what of acausal.h is about work in a process of its own. Tests: tests/cli/fmu.sh,
 * tests/sandbox/sandbox_test.c. */
#include "api/inside.h"
#include "sandbox/sandbox.h"

#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void acausal_pulse(const AcausalPulse *pulse, double t) { pulse_tell((const Pulse *)(const void *)pulse, t); }

typedef struct {
    AcausalStatus (*work)(void *arg, const AcausalPulse *pulse);
    void *arg;
    const char *directory;
} Work;

static int work_inside(void *arg, const Pulse *pulse)
{
    Work *w = arg;
    setenv("TMPDIR", w->directory, 1);
    return (int)w->work(w->arg, (const AcausalPulse *)(const void *)pulse);
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *where)
{
    (void)s, (void)kind, (void)where;
    return remove(path);
}

/* A file that was only made so that it could be written to. */
static void remove_if_empty(const char *path)
{
    struct stat s;
    if (stat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size == 0) remove(path);
}

/* What became of the child, in a sentence. */
static void explain(const AcausalIsolation *o, const SandboxReport *r, AcausalIsolationReport *report)
{
    char *why = report->why;
    size_t room = sizeof report->why;
    const char *rows = "rows so far are kept";
    switch (r->end) {
    case SANDBOX_DONE: *why = 0; break;
    case SANDBOX_SILENT:
        snprintf(why, room, "the model did not answer for %g s after t = %.6g and was ended; %s", o->silence,
                 r->t, rows);
        break;
    case SANDBOX_CRASHED:
        snprintf(why, room, "the model crashed the process that it ran in (%s) after t = %.6g; %s",
                 strsignal(r->code), r->t, rows);
        break;
    case SANDBOX_LEFT:
        snprintf(why, room, "the model ended the process that it ran in with exit code %d after t = %.6g; %s",
                 r->code, r->t, rows);
        break;
    case SANDBOX_STOPPED:
        snprintf(why, room, "the model did not stop when it was told to after t = %.6g and was ended; %s",
                 r->t, rows);
        break;
    case SANDBOX_REFUSED: snprintf(why, room, "the model cannot be isolated: %s", r->why); break;
    }
    snprintf(report->missing, sizeof report->missing, "%s", r->missing ? r->why : "");
}

static AcausalStatus isolate(const AcausalIsolation *o,
                             AcausalStatus (*work)(void *arg, const AcausalPulse *pulse), void *arg,
                             AcausalIsolationReport *report)
{
    char directory[] = "/tmp/acausal-run-XXXXXX";
    SandboxReport r;
    bool *is_new = calloc(o->writable_count + 1, sizeof *is_new);
    if (!is_new || !mkdtemp(directory)) {
        snprintf(report->why, sizeof report->why, "there is no directory for the model");
        free(is_new);
        return report->end = ACAUSAL_BUG;
    }
    for (size_t k = 0; k < o->writable_count; k++)
        is_new[k] = o->writable[k] && access(o->writable[k], F_OK) != 0;
    Work w = { work, arg, directory };
    Sandbox sandbox = { .directory = directory,
                        .readable = o->readable,
                        .readable_count = o->readable_count,
                        .writable = o->writable,
                        .writable_count = o->writable_count,
                        .silence = o->silence,
                        .cpu_seconds = o->cpu_seconds,
                        .memory_bytes = o->memory_bytes,
                        .strict = o->strict,
                        .interrupt = o->interrupt };
    sandbox_run(&sandbox, work_inside, &w, &r);
    nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    for (size_t k = 0; k < o->writable_count; k++)
        if (is_new[k]) remove_if_empty(o->writable[k]);
    free(is_new);
    explain(o, &r, report);
    report->t = r.t;
    return report->end = r.end == SANDBOX_DONE ? (AcausalStatus)r.code : ACAUSAL_FAILED;
}

AcausalStatus acausal_isolate(AcausalSession *session, const AcausalIsolation *isolation,
                              AcausalStatus (*work)(void *arg, const AcausalPulse *pulse), void *arg,
                              AcausalIsolationReport *report)
{
    AcausalIsolation own = { 0 };
    AcausalIsolationReport r = { .end = ACAUSAL_FAILED };
    if (!is_sized(session, report) || !TAKE(session, own, isolation)) return ACAUSAL_USAGE;
    AcausalStatus status = isolate(&own, work, arg, &r);
    if (*r.why) wrong(session, E_OPTION, "%s", r.why);
    GIVE(report, r);
    return status;
}
