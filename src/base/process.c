/* process.c: programs that are run and waited for, as a compiler is.
 *
 * In: words, the first is the program, looked for as a shell would; no shell reads them. What the
 * program says goes to a file. Tests: tests/base/process_test.c. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

ProcessEnd process_run(char *const *words, const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions)) return PROCESS_NOT_STARTED;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    bool ran = posix_spawnp(&child, words[0], &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    while (ran && waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return PROCESS_FAILED;
    if (!ran || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) return PROCESS_NOT_STARTED;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? PROCESS_OK : PROCESS_FAILED;
}
