/* sandbox.c: what a process that runs foreign code gives up before it does.
 *
 * Three ways, each on its own, each only where the kernel has it: a network namespace without a
 * network; a filter of system calls that refuses all sockets but local ones; Landlock, which
 * refuses to write, make, remove or shorten files elsewhere. A kernel without one of them runs the
 * code all the same: isolation is then for crashes alone. Files that are to be written exist
 * before, so that they can be named. Always: nothing of this can be taken back, so only a child
 * process comes here. Tests: tests/cli/fmu.sh. */
#include "cli/cli.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define THIS_ARCH AUDIT_ARCH_AARCH64
#elif defined __riscv && __riscv_xlen == 64
#define THIS_ARCH AUDIT_ARCH_RISCV64
#endif

/* Of version 3 of Landlock, which older headers do not have. */
enum { FS_TRUNCATE = 1 << 14 };

static const unsigned CHANGES_FILE = LANDLOCK_ACCESS_FS_WRITE_FILE;
static const unsigned CHANGES_TREE = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                     LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                     LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

static void allow(int rules, const char *path, unsigned what)
{
    struct landlock_path_beneath_attr rule = { .allowed_access = what,
                                               .parent_fd = open(path, O_PATH | O_CLOEXEC) };
    if (rule.parent_fd < 0) return;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

static void limit_files(const char *directory, const char *const *files, size_t n)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    unsigned truncate = version >= 3 ? FS_TRUNCATE : 0;
    struct landlock_ruleset_attr handled = { .handled_access_fs = CHANGES_TREE | truncate };
    if (version < 1) return;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
    if (rules < 0) return;
    allow(rules, directory, CHANGES_TREE | truncate);
    allow(rules, "/dev/null", CHANGES_FILE);
    for (size_t k = 0; k < n; k++) {
        int file = files[k] ? open(files[k], O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
        if (file < 0) continue;
        close(file);
        allow(rules, files[k], CHANGES_FILE | truncate);
    }
    syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
}

/* Sockets other than local ones are refused, and the ring by which they could be had without the
 * call. */
static void limit_sockets(void)
{
#ifdef THIS_ARCH
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 0, 6),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 13 /* EACCES */),
    };
    struct sock_fprog filter = { sizeof program / sizeof *program, program };
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
#endif
}

void enter_sandbox(const char *directory, const char *const *files, size_t n)
{
    int left = unshare(CLONE_NEWUSER | CLONE_NEWNET);
    struct rlimit no_core = { 0, 0 };
    (void)left; /* not everywhere allowed */
    setrlimit(RLIMIT_CORE, &no_core);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return;
    limit_files(directory, files, n);
    limit_sockets();
}
