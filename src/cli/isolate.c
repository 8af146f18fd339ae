/* isolate.c: a run in a process of its own, so that an FMU that crashes or hangs ends its run and
 * nothing else.
 *
 * The child does all the work and says from time to time how far it is; the parent waits, and ends
 * it when it has said nothing for too long. What the child unpacks is below a directory that the
 * parent removes. Where the kernel allows, the child has no network and writes only there and to
 * the files that were asked for (sandbox.c). Tests: tests/cli/fmu.sh. */
#include "cli/cli.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child's progress function needs: the pipe, and what was to be called without
 * isolation. */
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

/* Waits for the child; *t is the last time it told. False if it was silent for too long and had to
 * be ended. */
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

/* A file that was only made so that it could be written to. */
static void remove_if_empty(const char *path)
{
    struct stat s;
    if (stat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size == 0) remove(path);
}

AcausalStatus run_isolated(const Args *args, AcausalSimulation *simulation, double seconds, IsolatedWork work,
                           void *arg)
{
    char directory[] = "/tmp/acausal-run-XXXXXX";
    const char *files[] = { args_value(args, "-o"), args_value(args, "--plot"),
                            args_value(args, "--plot-steps"), args_value(args, "--report"),
                            args_value(args, "--save-state") };
    bool is_new[sizeof files / sizeof *files];
    int ends[2], status = 0;
    double t = 0;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        if (files[k] && !strcmp(files[k], "-")) files[k] = NULL;
        is_new[k] = files[k] && access(files[k], F_OK) != 0;
    }
    if (pipe(ends) || !mkdtemp(directory)) return ACAUSAL_BUG;
    fflush(stdout);
    fflush(stderr);
    pid_t child = fork();
    if (child == 0) {
        Heartbeat heartbeat = { ends[1], simulation->progress, simulation->progress_arg };
        close(ends[0]);
        setenv("TMPDIR", directory, 1);
        enter_sandbox(directory, files, sizeof files / sizeof *files);
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
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (is_new[k]) remove_if_empty(files[k]);
    return tell(args, status, spoke, seconds, t);
}
