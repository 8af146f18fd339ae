/* layers.c: what a process gives up: its terminal, other processes, the network, files that it was
 * not given, and more than its share of the machine.
 *
 * Each layer stands on its own. A kernel without one is told of; the others hold all the same.
 * Always: nothing of this can be taken back, so only a child comes here. Tests:
 * tests/sandbox/sandbox_test.c. */
#include "sandbox/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

unsigned layers_of_session(void) { return setsid() < 0 && getsid(0) != getpid() ? LAYER_SESSION : 0; }

/* ---- namespaces ------------------------------------------------------------------------------ */

static void write_line(const char *path, const char *line)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t n = write(file, line, strlen(line));
    (void)n; /* numbers of users look odd then, and mean the same */
    close(file);
}

/* Within the new users the same numbers, so that programs recognise their own files. */
static void keep_user(uid_t user, gid_t group)
{
    char line[64];
    write_line("/proc/self/setgroups", "deny");
    snprintf(line, sizeof line, "%u %u 1", (unsigned)user, (unsigned)user);
    write_line("/proc/self/uid_map", line);
    snprintf(line, sizeof line, "%u %u 1", (unsigned)group, (unsigned)group);
    write_line("/proc/self/gid_map", line);
}

unsigned layers_of_namespaces(void)
{
    static const struct {
        int flag;
        unsigned layer;
    } kinds[] = { { CLONE_NEWNET, LAYER_NETWORK },
                  { CLONE_NEWPID, LAYER_PROCESS },
                  { CLONE_NEWNS, LAYER_MOUNT },
                  { CLONE_NEWIPC, LAYER_IPC } };
    uid_t user = getuid();
    gid_t group = getgid();
    unsigned missing = 0;
    if (!unshare(CLONE_NEWUSER)) keep_user(user, group);
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (unshare(kinds[i].flag)) missing |= kinds[i].layer;
    return missing;
}

/* Mounts are the child's own from here on, and /proc shows its own processes. */
static void show_own_processes(void)
{
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) return;
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* What newer kernels know and older headers do not. */
enum { FS_TRUNCATE = 1 << 14, FS_IOCTL_DEVICE = 1 << 15, SCOPE_ALL = 3, NET_ALL = 3 };

typedef struct {
    uint64_t files, network, scopes;
} RuleSet;

static const uint64_t READS = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
static const uint64_t READS_FILE = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
static const uint64_t CHANGES_TREE = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                     LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER;
static const uint64_t EVERYTHING = (1 << 13) - 1;

/* What programs, their libraries and their clocks are made of. */
static const char *const system_places[] = {
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/sbin",
    "/opt",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/timezone",
    "/dev/zero",
    "/dev/urandom",
    "/dev/random",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
};

static void allow(int rules, const char *path, uint64_t what)
{
    struct stat s;
    struct landlock_path_beneath_attr rule = { .parent_fd = open(path, O_PATH | O_CLOEXEC) };
    if (rule.parent_fd < 0) return;
    bool is_directory = !fstat(rule.parent_fd, &s) && S_ISDIR(s.st_mode);
    uint64_t for_files = READS_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE;
    rule.allowed_access = is_directory ? what : what & for_files;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

static void allow_files(int rules, const Sandbox *s, uint64_t handled, bool own_processes)
{
    uint64_t reads = READS | LANDLOCK_ACCESS_FS_EXECUTE;
    for (size_t i = 0; i < COUNT_OF(system_places); i++) allow(rules, system_places[i], reads & handled);
    if (own_processes) allow(rules, "/proc", reads & handled);
    allow(rules, "/dev/null", (READS_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE) & handled);
    if (s->directory) allow(rules, s->directory, (reads | CHANGES_TREE | FS_TRUNCATE) & handled);
    for (size_t i = 0; i < s->readable_count; i++)
        if (s->readable[i]) allow(rules, s->readable[i], reads & handled);
    for (size_t i = 0; i < s->writable_count; i++) {
        int file = s->writable[i] ? open(s->writable[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
        if (file < 0) continue;
        close(file);
        allow(rules, s->writable[i],
              (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE) & handled);
    }
}

static unsigned limit_files(const Sandbox *s, bool own_processes)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    RuleSet set = { .files = EVERYTHING };
    if (version < 1) return LAYER_LANDLOCK;
    if (version >= 2) set.files |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3) set.files |= FS_TRUNCATE;
    if (version >= 4) set.network = NET_ALL;
    if (version >= 5) set.files |= FS_IOCTL_DEVICE;
    if (version >= 6) set.scopes = SCOPE_ALL;
    size_t size = version >= 6 ? sizeof set : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
    int rules = (int)syscall(SYS_landlock_create_ruleset, &set, size, 0);
    if (rules < 0) return LAYER_LANDLOCK;
    allow_files(rules, s, set.files, own_processes);
    bool ok = !syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
    return ok ? 0 : LAYER_LANDLOCK;
}

/* ---- limits ---------------------------------------------------------------------------------- */

enum { MOST_PROCESSES = 64, MOST_FILES = 512 };
static const rlim_t LARGEST_FILE = (rlim_t)64 << 30;

static bool limit(__rlimit_resource_t what, rlim_t most)
{
    struct rlimit old, new = { most, most };
    if (getrlimit(what, &old)) return false;
    if (old.rlim_max < most) new.rlim_cur = new.rlim_max = old.rlim_max;
    return !setrlimit(what, &new);
}

static unsigned limit_resources(const Sandbox *s)
{
    size_t memory = s->memory_bytes;
    if (!memory) memory = (size_t)sysconf(_SC_PHYS_PAGES) / 4 * 3 * (size_t)sysconf(_SC_PAGESIZE);
    bool ok = limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, MOST_FILES) &&
              limit(RLIMIT_FSIZE, LARGEST_FILE) && limit(RLIMIT_NPROC, MOST_PROCESSES);
    if (s->cpu_seconds > 0.0) ok = limit(RLIMIT_CPU, (rlim_t)s->cpu_seconds + 1) && ok;
#ifndef ACAUSAL_SANITIZED /* whose shadow takes terabytes of addresses */
    ok = limit(RLIMIT_AS, memory) && ok;
#endif
    return ok ? 0 : LAYER_LIMITS;
}

unsigned layers_of_process(const Sandbox *s, unsigned missing)
{
    bool own_processes = !(missing & (LAYER_PROCESS | LAYER_MOUNT));
    if (own_processes) show_own_processes();
    missing |= limit_resources(s);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return missing | LAYER_LANDLOCK | LAYER_SYSCALLS;
    return missing | limit_files(s, own_processes);
}
