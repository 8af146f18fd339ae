/* study_engine.c: the runs of a study on other engines than this process: Open MPI, Slurm, Dask.
 *
 * A study is cut into parts, shards with a store of their own beside it (FILE.part-I-of-N.db).
 * Workers, which are `study work` in processes that the engine starts, take parts that are not
 * finished and that nobody else has locked, so that quick ones take more. Then the parts are merged
 * into the study and removed. Always: what a part has finished stays when workers are killed, and
 * the engine is asked again for the rest, once, and by the same command. Tests:
 * tests/cli/engines.sh. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 8192, PARTS_A_WORKER = 4, ROUNDS = 2 };

typedef struct {
    const Args *args;
    AcausalSession *session;
    const char *path;
    size_t workers, parts;
    char work[ROOM]; /* the command of a worker, for a shell */
} Job;

typedef struct {
    const char *name, *needs, *package; /* needs: a command that shows that it is there */
    bool (*run)(const Job *job);
} Engine;

/* ---- for a shell ----------------------------------------------------------------------------- */

/* Adds a word in quotes. Too long: the command is cut, and the shell refuses it. */
static void add_word(char *to, const char *word)
{
    size_t n = strlen(to);
    if (n + 4 * strlen(word) + 4 > ROOM) return;
    to[n++] = ' ';
    to[n++] = '\'';
    for (; *word; word++) {
        if (*word == '\'') {
            memcpy(to + n, "'\\''", 4);
            n += 4;
        } else
            to[n++] = *word;
    }
    to[n++] = '\'';
    to[n] = 0;
}

/* What it prints goes to stderr, since stdout is the report. */
static bool shell(const char *line)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    if (child < 0) return false;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void part_path(const char *path, size_t i, size_t parts, char *to)
{
    snprintf(to, ROOM, "%s.part-%zu-of-%zu.db", path, i, parts);
}

/* ---- engines --------------------------------------------------------------------------------- */

static bool run_mpi(const Job *job)
{
    char line[2 * ROOM];
    snprintf(line, sizeof line, "exec mpirun %s--oversubscribe -n %zu%s",
             getuid() == 0 ? "--allow-run-as-root " : "", job->workers, job->work);
    return shell(line);
}

/* An array job, waited for. */
static bool run_slurm(const Job *job)
{
    char line[3 * ROOM] = "";
    snprintf(line, sizeof line, "exec sbatch --wait --requeue --output=/dev/null --array=1-%zu --wrap ",
             job->workers);
    size_t n = strlen(line);
    add_word(line + n, job->work);
    return shell(line);
}

/* Tasks of Dask's client, at the scheduler of --scheduler, or on workers of this machine. */
static const char dask_script[] =
    "import subprocess, sys\n"
    "from distributed import Client, as_completed\n"
    "scheduler, workers, command = sys.argv[1], int(sys.argv[2]), sys.argv[3]\n"
    "def work(i):\n"
    "    return subprocess.run(['sh', '-c', 'DASK_TASK=%d exec %s' % (i, command)]).returncode\n"
    "if __name__ == '__main__':\n"
    "    client = Client(scheduler) if scheduler else Client(n_workers=workers, threads_per_worker=1, "
    "dashboard_address=None, host='127.0.0.1')\n"
    "    tasks = client.map(work, range(1, workers + 1), pure=False)\n"
    "    codes = [task.result() for task in as_completed(tasks)]\n"
    "    client.close()\n"
    "    sys.exit(max(codes))\n";

static bool run_dask(const Job *job)
{
    char line[3 * ROOM] = "exec /usr/bin/python3", name[60] = "/tmp/acausal-dask-XXXXXX", count[40];
    const char *scheduler = args_value(job->args, "--scheduler");
    int fd = mkstemp(name);
    size_t n = sizeof dask_script - 1;
    bool ok = fd >= 0 && write(fd, dask_script, n) == (ssize_t)n;
    if (fd >= 0) close(fd);
    snprintf(count, sizeof count, "%zu", job->workers);
    add_word(line, name);
    add_word(line, scheduler ? scheduler : "");
    add_word(line, count);
    add_word(line, job->work);
    ok = ok && shell(line);
    if (fd >= 0) unlink(name);
    return ok;
}

static const Engine engines[] = {
    { "mpi", "command -v mpirun", "openmpi-bin", run_mpi },
    { "slurm", "command -v sbatch", "slurm-client", run_slurm },
    { "dask", "/usr/bin/python3 -c 'import distributed'", "python3-distributed", run_dask },
};

static const char *engine_name(size_t i)
{
    return i == 0 ? "local" : i <= sizeof engines / sizeof *engines ? engines[i - 1].name : NULL;
}

/* ---- a worker -------------------------------------------------------------------------------- */

/* So that workers begin with parts of their own. */
static size_t place_of_worker(void)
{
    static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "SLURM_ARRAY_TASK_ID", "DASK_TASK" };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (getenv(names[k])) return (size_t)strtoul(getenv(names[k]), NULL, 10);
    return 0;
}

/* One part, unless it is finished or another worker has it. */
static AcausalStatus work_on(const Args *args, const char *path, size_t i, size_t parts)
{
    char part[ROOM], why[300];
    AcausalStudyStatus status = { .size = sizeof status };
    AcausalStudyWork work = {
        .size = sizeof work, .threads = 1, .shard = i, .shards = parts, .interrupt = catch_interrupts()
    };
    AcausalSession *session = session_for(args);
    part_path(path, i, parts, part);
    if (!session) return ACAUSAL_BUG;
    AcausalStatus end = acausal_study_status(session, part, &status);
    if (end == ACAUSAL_DONE &&
        status.done + status.failed < (status.shards == parts ? status.total : SIZE_MAX))
        end = acausal_study_run(session, part, &work);
    const char *error = acausal_first_error(session);
    bool is_taken = error && strstr(error, "another program");
    snprintf(why, sizeof why, "%s", error ? error : "");
    acausal_session_free(session);
    if (end == ACAUSAL_DONE || is_taken) return ACAUSAL_DONE;
    fprintf(stderr, "acausal study: part %zu of %zu: %s\n", i, parts, *why ? why : "interrupted");
    return end;
}

AcausalStatus engine_work(const Args *args)
{
    size_t parts = 0, first = place_of_worker() * PARTS_A_WORKER;
    AcausalStatus worst = ACAUSAL_DONE;
    if (args->word_count != 2 || !args_size(args, "--parts", 1, &parts) || !parts)
        return usage_error(args->command, "expected 'work FILE.db --parts N'");
    for (size_t k = 0; k < parts; k++) {
        AcausalStatus end = work_on(args, args->words[1], (first + k) % parts + 1, parts);
        if (end > worst) worst = end;
    }
    return worst;
}

/* ---- the study ------------------------------------------------------------------------------- */

static bool make_parts(Job *job)
{
    char part[ROOM];
    bool ok = true;
    for (size_t i = 1; i <= job->parts && ok; i++) {
        part_path(job->path, i, job->parts, part);
        if (access(part, F_OK)) ok = acausal_study_merge(job->session, part, &job->path, 1) == ACAUSAL_DONE;
    }
    return ok;
}

static bool merge_parts(Job *job, AcausalStudyStatus *status)
{
    char part[ROOM];
    const char *parts[] = { part };
    bool ok = true;
    for (size_t i = 1; i <= job->parts && ok; i++) {
        part_path(job->path, i, job->parts, part);
        ok = acausal_study_merge(job->session, job->path, parts, 1) == ACAUSAL_DONE;
    }
    return ok && acausal_study_status(job->session, job->path, status) == ACAUSAL_DONE;
}

static void describe_work(Job *job)
{
    char program[ROOM] = "", text[40];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    add_word(job->work, n > 0 ? program : "acausal");
    add_word(job->work, "study");
    add_word(job->work, "work");
    add_word(job->work, job->path);
    add_word(job->work, "--parts");
    snprintf(text, sizeof text, "%zu", job->parts);
    add_word(job->work, text);
    for (size_t i = 0; i < job->args->given_count; i++) {
        const char *name = job->args->given[i]->name;
        if (strcmp(name, "--lib") != 0 && strcmp(name, "--trust") != 0) continue;
        add_word(job->work, name);
        add_word(job->work, job->args->values[i]);
    }
}

static AcausalStatus run_on(const Args *args, AcausalSession *session, const char *path, const Engine *engine)
{
    char *real = realpath(path, NULL), line[200];
    Job job = { .args = args, .session = session, .path = real ? real : path, .workers = 2 };
    AcausalStudyStatus status = { .size = sizeof status };
    snprintf(line, sizeof line, "%s >/dev/null 2>&1", engine->needs);
    AcausalStatus end = ACAUSAL_USAGE;
    if (!shell(line)) {
        fprintf(stderr, "acausal study: the engine '%s' is not here; Debian has it in the package %s\n",
                engine->name, engine->package);
    } else if (args_size(args, "--workers", 1, &job.workers)) {
        job.parts = job.workers * PARTS_A_WORKER;
        describe_work(&job);
        bool ok = make_parts(&job);
        for (int round = 0; round < ROUNDS && ok; round++) {
            bool ended_well = engine->run(&job);
            ok = merge_parts(&job, &status);
            if (ok && status.done + status.failed == status.total) break;
            fprintf(stderr, "acausal study: %s %s with %zu runs missing%s\n", engine->name,
                    ended_well ? "ended" : "failed", status.total - status.done - status.failed,
                    round + 1 < ROUNDS ? ": once more" : "");
        }
        end = !ok                                          ? ACAUSAL_WRONG
              : status.done + status.failed < status.total ? ACAUSAL_FAILED
                                                           : ACAUSAL_DONE;
        for (size_t i = 1; i <= job.parts && end == ACAUSAL_DONE; i++) {
            char part[ROOM];
            part_path(job.path, i, job.parts, part);
            unlink(part);
        }
    }
    free(real);
    return end;
}

bool study_engine(const Args *args, AcausalSession *session, const char *path, AcausalStatus *end)
{
    const char *name = args_value(args, "--engine");
    if (!name || !strcmp(name, "local")) return false;
    for (size_t k = 0; k < sizeof engines / sizeof *engines; k++)
        if (!strcmp(engines[k].name, name)) {
            *end = args_has(args, "--shard")
                       ? usage_error(args->command,
                                     "an engine cuts the study itself: --shard is for engine local")
                       : run_on(args, session, path, &engines[k]);
            return true;
        }
    *end = unknown_word(args->command, "engine", name, engine_name);
    return true;
}
