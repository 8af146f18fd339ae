/* run.c: the processes of a sandbox, and what becomes of them.
 *
 * The parent waits and listens; a keeper takes namespaces; the first process in them waits for the
 * worker, and all that the worker starts ends with it. What they say goes through one pipe: a
 * record a time, with the time of the model or how the work ended. Only the worker's own
 * last record makes its end a success: a process that just leaves does not. Tests:
 * tests/sandbox/sandbox_test.c, tests/cli/fmu.sh. */
#include "sandbox/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef enum { SAYS_TIME, SAYS_MISSING, SAYS_DONE, SAYS_CRASHED, SAYS_LEFT } Says;

typedef struct {
    uint32_t what; /* Says */
    int32_t code;
    double t;
} Record;

static const double GRACE_SECONDS = 1.0; /* for a run that is told to end, to write its rows */

const char *sandbox_layer_name(unsigned layer)
{
    static const char *const names[SANDBOX_LAYERS] = { "a session of its own",     "a network namespace",
                                                       "a process namespace",      "a mount namespace",
                                                       "an IPC namespace",         "Landlock",
                                                       "a filter of system calls", "limits of resources" };
    for (int i = 0; i < SANDBOX_LAYERS; i++)
        if (layer == 1u << i) return names[i];
    return "";
}

static void say(int pipe, Says what, int code, double t)
{
    Record record = { what, code, t };
    ssize_t n = write(pipe, &record, sizeof record);
    (void)n; /* a parent that is gone does not listen */
}

void pulse_tell(const Pulse *pulse, double t) { say(pulse->pipe, SAYS_TIME, 0, t); }

/* ---- the child's side ------------------------------------------------------------------------ */

static volatile sig_atomic_t told_to_end;

static void on_end(int number)
{
    (void)number;
    told_to_end = 1;
}

static void die_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent && getppid() != 0) _exit(1);
}

/* Everything but the three standard ones and the pipe, which becomes the fourth. */
static int close_others(int pipe)
{
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) dup2(null, STDIN_FILENO);
    if (pipe != 3) dup2(pipe, 3);
    fcntl(3, F_SETFD, FD_CLOEXEC);
    if (syscall(SYS_close_range, 4u, ~0u, 0))
        for (int k = 4; k < 4096; k++) close(k);
    return 3;
}

static void work_inside(const Sandbox *s, SandboxWork work, void *arg, int pipe, unsigned missing)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    missing |= layers_of_process(s, missing);
    Pulse pulse = { close_others(pipe) };
    missing |= layer_of_syscalls();
    say(pulse.pipe, SAYS_MISSING, (int)missing, 0.0);
    if (missing && s->strict) _exit(0);
    int code = work(arg, &pulse);
    fflush(NULL);
    say(pulse.pipe, SAYS_DONE, code, 0.0);
    _exit(0);
}

/* Waits for a child; a signal to end is passed on to it. Others that became this process's are
 * buried on the way. */
static int wait_for(pid_t child)
{
    int status = 0;
    for (bool passed = false;;) {
        pid_t ended = waitpid(-1, &status, 0);
        if (ended == child) return status;
        if (ended < 0 && errno != EINTR) return 1 << 8;
        if (told_to_end && !passed) kill(child, SIGTERM);
        passed = told_to_end;
    }
}

static pid_t fork_waiting(struct sigaction *old)
{
    struct sigaction on_term = { .sa_handler = on_end };
    sigaction(SIGTERM, &on_term, old);
    return fork();
}

/* Without a process namespace what the worker left behind has become the first process's. */
static void end_all(void)
{
    char path[64], line[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    for (int round = 0; round < 100; round++) {
        FILE *file = fopen(path, "r");
        bool any = file && fgets(line, sizeof line, file);
        if (file) fclose(file);
        if (!any) return;
        char *at = line, *end;
        for (long child; (child = strtol(at, &end, 10)) > 0 && end != at; at = end)
            kill((pid_t)child, SIGKILL);
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
    }
}

/* A crash of the work is a crash, whatever the caller's program does about its own. */
static void drop_crash_handlers(void)
{
    static const int crashes[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
    for (size_t k = 0; k < sizeof crashes / sizeof *crashes; k++) signal(crashes[k], SIG_DFL);
}

/* The first process of the namespaces. It is not the worker, as signals to a first process that it
 * does not handle are dropped: abort would not end it. When it goes, all others do. */
static void be_first(const Sandbox *s, SandboxWork work, void *arg, int pipe, unsigned missing,
                     const struct sigaction *old)
{
    struct sigaction own;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    pid_t worker = fork_waiting(&own);
    if (worker == 0) {
        sigaction(SIGTERM, old, NULL);
        drop_crash_handlers();
        work_inside(s, work, arg, pipe, missing);
    }
    int status = worker < 0 ? 1 << 8 : wait_for(worker);
    if (WIFSIGNALED(status))
        say(pipe, SAYS_CRASHED, WTERMSIG(status), 0.0);
    else
        say(pipe, SAYS_LEFT, WEXITSTATUS(status), 0.0);
    if (missing & LAYER_PROCESS) end_all();
    _exit(0);
}

static void keep(const Sandbox *s, SandboxWork work, void *arg, int pipe, pid_t parent)
{
    struct sigaction old;
    die_with_parent(parent);
    unsigned missing = layers_of_session() | layers_of_namespaces();
    told_to_end = 0;
    pid_t first = fork_waiting(&old);
    if (first == 0) be_first(s, work, arg, pipe, missing, &old);
    if (first > 0) wait_for(first);
    _exit(0);
}

/* ---- the parent's side ----------------------------------------------------------------------- */

typedef struct {
    const Sandbox *s;
    SandboxReport *report;
    int pipe;
    pid_t keeper;
    double heard, told; /* when; told 0: it was not told to end */
    bool is_done;
} Listener;

/* False: the pipe has ended. */
static bool hear(Listener *l)
{
    Record record;
    SandboxReport *r = l->report;
    if (read(l->pipe, &record, sizeof record) != (ssize_t)sizeof record) return false;
    l->heard = clock_wall();
    switch (record.what) {
    case SAYS_TIME: r->t = record.t; break;
    case SAYS_MISSING: r->missing = (unsigned)record.code; break;
    case SAYS_DONE:
        r->end = SANDBOX_DONE;
        r->code = record.code;
        l->is_done = true;
        break;
    default:
        if (l->is_done) break;
        r->end = record.what == SAYS_CRASHED ? SANDBOX_CRASHED : SANDBOX_LEFT;
        r->code = record.code;
    }
    return true;
}

static bool has_lost_patience(Listener *l)
{
    double now = clock_wall();
    bool interrupted = l->s->interrupt && *l->s->interrupt;
    if (interrupted && !(l->told > 0.0)) {
        l->told = now;
        kill(l->keeper, SIGTERM);
    }
    if (l->told > 0.0 && now - l->told > GRACE_SECONDS) {
        l->report->end = SANDBOX_STOPPED;
        return true;
    }
    if (!(l->s->silence > 0.0) || now - l->heard <= l->s->silence) return false;
    l->report->end = SANDBOX_SILENT;
    return true;
}

static void listen_to(Listener *l)
{
    struct pollfd watched = { .fd = l->pipe, .events = POLLIN };
    l->heard = clock_wall();
    for (;;) {
        int ready = poll(&watched, 1, 50);
        if (ready > 0 && !hear(l)) return;
        if (ready <= 0 && has_lost_patience(l)) return;
    }
}

static void refuse(SandboxReport *report, const char *why)
{
    report->end = SANDBOX_REFUSED;
    snprintf(report->why, sizeof report->why, "%s", why);
}

static void tell_missing(SandboxReport *report)
{
    size_t n = (size_t)snprintf(report->why, sizeof report->why, "the kernel does not give ");
    for (int i = 0, told = 0; i < SANDBOX_LAYERS && n < sizeof report->why; i++)
        if (report->missing & 1u << i)
            n += (size_t)snprintf(report->why + n, sizeof report->why - n, "%s%s", told++ ? ", " : "",
                                  sandbox_layer_name(1u << i));
}

void sandbox_run(const Sandbox *s, SandboxWork work, void *arg, SandboxReport *report)
{
    int ends[2], status;
    *report = (SandboxReport){ .end = SANDBOX_LEFT };
    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC)) {
        refuse(report, strerror(errno));
        return;
    }
    pid_t parent = getpid(), keeper = fork();
    if (keeper == 0) {
        close(ends[0]);
        keep(s, work, arg, ends[1], parent);
    }
    close(ends[1]);
    if (keeper < 0) {
        refuse(report, strerror(errno));
    } else {
        Listener l = { .s = s, .report = report, .pipe = ends[0], .keeper = keeper };
        listen_to(&l);
        kill(keeper, SIGKILL);
        while (waitpid(keeper, &status, 0) < 0 && errno == EINTR) continue;
    }
    close(ends[0]);
    if (report->missing) tell_missing(report);
    if (report->missing && s->strict && report->end == SANDBOX_LEFT) report->end = SANDBOX_REFUSED;
}
