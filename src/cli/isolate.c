/* isolate.c: a run in a process of its own, so that an FMU that crashes or hangs ends its run and nothing else.
 *
 * The child does all the work and says from time to time how far it is; the parent waits, and ends it when it has said
 * nothing for too long. What the child unpacks is below a directory that the parent removes. Where the kernel allows, the
 * child has no network. Tests: tests/cli/fmu.sh. */
#include "cli/cli.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child's progress function needs: the pipe, and what was to be called without isolation. */
typedef struct {
    int pipe;
    void (*inner)(void *arg, double t, double start, double stop);
    void *inner_arg;
} Heartbeat;

static void beat(void *arg, double t, double start, double stop)
{
    const Heartbeat *h = arg;
    ssize_t n = write(h->pipe, &t, sizeof t);
    (void)n; /* a parent that is gone does not listen */
    if (h->inner) h->inner(h->inner_arg, t, start, stop);
}

/* Waits for the child; *t is the last time it told. False if it was silent for too long and had to be ended. */
static bool listen_to(int pipe, pid_t child, double seconds, double *t)
{
    struct pollfd watched = { .fd = pipe, .events = POLLIN };
    for (;;) {
        int ready = poll(&watched, 1, (int)(1e3 * seconds));
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) {
            kill(child, SIGKILL);
            return false;
        }
        if (read(pipe, t, sizeof *t) != (ssize_t)sizeof *t) return true; /* the child has ended */
    }
}

static AcausalStatus tell(const Args *args, int status, bool spoke, double seconds, double t)
{
    if (!spoke)
        fprintf(stderr,
                "acausal %s: the model did not answer for %g s after t = %.6g and was ended; rows so far are "
                "kept\n",
                args->command->name, seconds, t);
    else if (WIFSIGNALED(status))
        fprintf(stderr,
                "acausal %s: the model crashed the process that it ran in (%s) after t = %.6g; rows so far "
                "are kept\n",
                args->command->name, strsignal(WTERMSIG(status)), t);
    else
        return (AcausalStatus)WEXITSTATUS(status);
    return ACAUSAL_FAILED;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *where)
{
    (void)s, (void)kind, (void)where;
    return remove(path);
}

AcausalStatus run_isolated(const Args *args, AcausalSimulation *simulation, double seconds, IsolatedWork work,
                           void *arg)
{
    char directory[] = "/tmp/acausal-run-XXXXXX";
    int ends[2], status = 0;
    double t = 0;
    if (pipe(ends) || !mkdtemp(directory)) return ACAUSAL_BUG;
    fflush(stdout);
    fflush(stderr);
    pid_t child = fork();
    if (child == 0) {
        Heartbeat heartbeat = { ends[1], simulation->progress, simulation->progress_arg };
        close(ends[0]);
        setenv("TMPDIR", directory, 1);
        if (unshare(CLONE_NEWUSER | CLONE_NEWNET)) errno = 0; /* not everywhere allowed */
        simulation->progress = beat;
        simulation->progress_arg = &heartbeat;
        AcausalStatus result = work(arg, simulation);
        fflush(NULL);
        _exit((int)result);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        rmdir(directory);
        fprintf(stderr, "acausal %s: no process for the model: %s\n", args->command->name, strerror(errno));
        return ACAUSAL_BUG;
    }
    bool spoke = listen_to(ends[0], child, seconds, &t);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return tell(args, status, spoke, seconds, t);
}
