/* filter.c: the system calls that a sandboxed process may make.
 *
 * An allow-list: what computing, reading and writing files, threads, and starting the compiler
 * need. No sockets of any kind, no tracing of others, no mounts, no new namespaces, no keys, no
 * io_uring; no bytes put into a terminal's input. What is not allowed fails with EPERM, and clone3
 * with ENOSYS, so that libc takes clone, whose flags can be seen here. Tests:
 * tests/sandbox/sandbox_test.c. */
#include "sandbox/inside.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined __x86_64__
#define THIS_ARCH AUDIT_ARCH_X86_64
enum { X32_BIT = 0x40000000 };
#elif defined __aarch64__
#define THIS_ARCH AUDIT_ARCH_AARCH64
enum { X32_BIT = 0x7fffffff };
#elif defined __riscv && __riscv_xlen == 64
#define THIS_ARCH AUDIT_ARCH_RISCV64
enum { X32_BIT = 0x7fffffff };
#endif

#ifdef THIS_ARCH
static const unsigned short allowed[] = {
    /* memory */
    SYS_brk,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_madvise,
    SYS_mincore,
    SYS_msync,
    SYS_mlock,
    SYS_munlock,
    SYS_memfd_create,
    SYS_membarrier,
    /* files */
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_preadv,
    SYS_pwritev,
    SYS_openat,
    SYS_close,
    SYS_close_range,
    SYS_lseek,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_chdir,
    SYS_fchdir,
    SYS_fcntl,
    SYS_flock,
    SYS_fsync,
    SYS_fdatasync,
    SYS_ftruncate,
    SYS_truncate,
    SYS_fallocate,
    SYS_fadvise64,
    SYS_dup,
    SYS_dup3,
    SYS_pipe2,
    SYS_mkdirat,
    SYS_unlinkat,
    SYS_renameat,
    SYS_renameat2,
    SYS_linkat,
    SYS_symlinkat,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_umask,
    SYS_copy_file_range,
    SYS_sendfile,
    SYS_splice,
    SYS_eventfd2,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_ppoll,
    SYS_pselect6,
    SYS_sync_file_range,
    /* processes and threads */
    SYS_execve,
    SYS_exit,
    SYS_exit_group,
    SYS_wait4,
    SYS_waitid,
    SYS_futex,
    SYS_set_tid_address,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_rseq,
    SYS_gettid,
    SYS_getpid,
    SYS_getppid,
    SYS_getpgid,
    SYS_getsid,
    SYS_setpgid,
    SYS_setsid,
    SYS_kill,
    SYS_tkill,
    SYS_tgkill,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_sched_setaffinity,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_getpriority,
    SYS_setpriority,
    SYS_prctl,
    SYS_getrlimit,
    SYS_prlimit64,
    SYS_getrusage,
    SYS_times,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getresuid,
    SYS_getresgid,
    SYS_getgroups,
    SYS_uname,
    SYS_sysinfo,
    SYS_getcpu,
    SYS_getrandom,
    SYS_restart_syscall,
    /* signals and time */
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigtimedwait,
    SYS_rt_sigsuspend,
    SYS_rt_sigpending,
    SYS_sigaltstack,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_getitimer,
    SYS_setitimer,
    SYS_timer_create,
    SYS_timer_settime,
    SYS_timer_gettime,
    SYS_timer_delete,
    SYS_timerfd_create,
    SYS_timerfd_settime,
#ifdef SYS_open /* older calls that newer machines do not have */
    SYS_open,
    SYS_creat,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_getdents,
    SYS_dup2,
    SYS_pipe,
    SYS_mkdir,
    SYS_rmdir,
    SYS_unlink,
    SYS_rename,
    SYS_link,
    SYS_symlink,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_poll,
    SYS_select,
    SYS_fork,
    SYS_vfork,
    SYS_getpgrp,
    SYS_pause,
    SYS_alarm,
    SYS_time,
    SYS_arch_prctl,
    SYS_epoll_create,
    SYS_epoll_wait,
    SYS_eventfd,
#endif
};

/* TIOCSTI types into a terminal, TIOCLINUX pastes into one, TIOCSCTTY takes one. */
static const unsigned refused_ioctls[] = { TIOCSTI, TIOCLINUX, TIOCSCTTY };
static const unsigned NEW_NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                       CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | 0x80 /* time */;

typedef struct {
    struct sock_filter at[2 * COUNT_OF(allowed) + 40];
    unsigned short n;
} Program;

static void put(Program *p, unsigned short code, unsigned char yes, unsigned char no, uint32_t k)
{
    p->at[p->n++] = (struct sock_filter){ code, yes, no, k };
}

static void load(Program *p, size_t offset) { put(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset); }

/* Returns `verdict` for this call. */
static void decide(Program *p, uint32_t number, uint32_t verdict)
{
    put(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, number);
    put(p, BPF_RET | BPF_K, 0, 0, verdict);
}

unsigned layer_of_syscalls(void)
{
    static const uint32_t refused = SECCOMP_RET_ERRNO | EPERM;
    Program p = { .n = 0 };
    load(&p, offsetof(struct seccomp_data, arch));
    put(&p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, THIS_ARCH);
    put(&p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS);
    load(&p, offsetof(struct seccomp_data, nr));
    put(&p, BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32_BIT);
    put(&p, BPF_RET | BPF_K, 0, 0, refused);
    decide(&p, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    /* clone: not with new namespaces */
    put(&p, BPF_JMP | BPF_JEQ | BPF_K, 0, 4, SYS_clone);
    load(&p, offsetof(struct seccomp_data, args[0]));
    put(&p, BPF_JMP | BPF_JSET | BPF_K, 1, 0, NEW_NAMESPACES);
    put(&p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
    put(&p, BPF_RET | BPF_K, 0, 0, refused);
    /* ioctl: not those that type for somebody */
    put(&p, BPF_JMP | BPF_JEQ | BPF_K, 0, 2 + 2 * COUNT_OF(refused_ioctls), SYS_ioctl);
    load(&p, offsetof(struct seccomp_data, args[1]));
    for (size_t i = 0; i < COUNT_OF(refused_ioctls); i++) decide(&p, refused_ioctls[i], refused);
    put(&p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
    for (size_t i = 0; i < COUNT_OF(allowed); i++) decide(&p, allowed[i], SECCOMP_RET_ALLOW);
    put(&p, BPF_RET | BPF_K, 0, 0, refused);
    struct sock_fprog filter = { p.n, p.at };
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) ? LAYER_SYSCALLS : 0;
}
#else
unsigned layer_of_syscalls(void) { return LAYER_SYSCALLS; }
#endif
