/* sandbox_test.c: what code in a sandbox tries, and what becomes of it; how its end is told. An
 * attack returns 1 when it came through. Attacks that need a layer that this kernel does not give
 * are counted as skipped. */
#include "test.h"

#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char place[] = "/tmp/acausal-sandbox-XXXXXX"; /* not given to the sandbox */
static char own[] = "/tmp/acausal-own-XXXXXX";       /* its own directory */
static char secret[128], output[128], left_open;
static pid_t tester;
static int open_file;

static char *in(const char *directory, const char *name)
{
    static char text[4][256];
    static int next;
    char *at = text[next++ % 4];
    snprintf(at, sizeof text[0], "%s/%s", directory, name);
    return at;
}

static int opens(const char *path, int flags)
{
    int file = open(path, flags, 0600);
    if (file >= 0) close(file);
    return file >= 0;
}

static int call(long number)
{
    return syscall(number, 0, 0, 0, 0, 0, 0) >= 0 || (errno != EPERM && errno != ENOSYS);
}

static int use_internet(void) { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }
static int use_internet_6(void) { return socket(AF_INET6, SOCK_DGRAM, 0) >= 0; }
static int use_unix(void) { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }
static int use_pair(void)
{
    int ends[2];
    return !socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}
static int use_packets(void) { return socket(AF_PACKET, SOCK_RAW, 0) >= 0; }
static int read_secret(void) { return opens(secret, O_RDONLY); }
static int write_secret(void) { return opens(secret, O_WRONLY); }
static int cut_secret(void) { return !truncate(secret, 0); }
static int remove_secret(void) { return !unlink(secret); }
static int move_secret(void) { return !rename(secret, in(own, "mine")); }
static int link_secret(void)
{
    return !link(secret, in(own, "linked")) && opens(in(own, "linked"), O_RDONLY);
}
static int go_by_link(void) { return !symlink(secret, in(own, "s")) && opens(in(own, "s"), O_RDONLY); }
static int go_by_dots(void)
{
    return opens(in(own, "../../etc/passwd"), O_RDONLY) || opens("/proc/self/root/etc/passwd", O_RDONLY);
}
static int make_beside(void) { return opens(in(place, "new"), O_WRONLY | O_CREAT); }
static int make_in_tmp(void) { return opens("/tmp/acausal-escaped", O_WRONLY | O_CREAT); }
static int make_directory(void) { return !mkdir(in(place, "d"), 0700); }
static int read_users(void) { return opens("/etc/passwd", O_RDONLY) || opens("/etc/shadow", O_RDONLY); }
static int read_home(void)
{
    const char *home = getenv("HOME");
    return home && opens(home, O_RDONLY | O_DIRECTORY);
}
static int replace_output(void) { return !unlink(output) || !rename(output, in(own, "o")); }
static int read_environment(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)tester);
    return opens(path, O_RDONLY);
}
static int read_left_open(void)
{
    char c;
    return pread(open_file, &c, 1, 0) == 1 && c == left_open;
}
static int write_memory(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)tester);
    return opens(path, O_RDWR);
}
static int signal_parent(void) { return !kill(tester, 0); }
static int signal_all(void) { return getpid() != 2 && !kill(1, 0); }
static int trace_parent(void) { return !ptrace(PTRACE_ATTACH, tester, NULL, NULL); }
static int read_process(void)
{
    char byte;
    struct iovec here = { &byte, 1 }, there = { &left_open, 1 };
    return process_vm_readv(tester, &here, 1, &there, 1, 0) == 1;
}
static int type_for_user(void) { return !ioctl(STDERR_FILENO, TIOCSTI, "x") || errno != EPERM; }
static int take_terminal(void) { return opens("/dev/tty", O_RDWR); }
static int share_memory(void) { return shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0; }
static int mount_files(void) { return !mount("none", own, "tmpfs", 0, NULL); }
static int change_root(void) { return !chroot(own); }
static int new_users(void) { return !unshare(CLONE_NEWUSER) || !unshare(CLONE_NEWNS); }
static int clone_users(void) { return syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) > 0; }
static int use_ring(void) { return call(SYS_io_uring_setup); }
static int use_keys(void) { return call(SYS_keyctl); }
static int use_bpf(void) { return call(SYS_bpf); }
static int use_perf(void) { return call(SYS_perf_event_open); }
static int use_faults(void) { return call(SYS_userfaultfd); }
static int load_module(void) { return call(SYS_init_module); }
static int reboot_it(void) { return call(SYS_reboot); }
static int set_time(void) { return call(SYS_settimeofday); }
#ifndef ACAUSAL_SANITIZED /* which takes memory itself, and traces ends */
static int take_all_memory(void)
{
    void *at = mmap(NULL, (size_t)1 << 42, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at != MAP_FAILED;
}
#endif
static int open_many(void)
{
    int n = 0;
    while (n < 5000 && open("/dev/null", O_RDONLY) >= 0) n++;
    return n == 5000;
}
static int make_processes(void)
{
    int n = 0;
    for (pid_t child; n < 300 && (child = fork()) >= 0; n++)
        if (child == 0) {
            pause();
            _exit(0);
        }
    return n == 300;
}
static int dump_core(void)
{
    struct {
        unsigned long cur, max;
    } l = { 1, 1 };
    return !syscall(SYS_setrlimit, 4 /* RLIMIT_CORE */, &l);
}

static const struct {
    const char *name;
    int (*attack)(void);
    unsigned needs; /* layers, all of them */
} attacks[] = {
    { "internet", use_internet, LAYER_SYSCALLS },
    { "internet 6", use_internet_6, LAYER_SYSCALLS },
    { "unix socket", use_unix, LAYER_SYSCALLS },
    { "socket pair", use_pair, LAYER_SYSCALLS },
    { "packets", use_packets, LAYER_SYSCALLS },
    { "read a file", read_secret, LAYER_LANDLOCK },
    { "write a file", write_secret, LAYER_LANDLOCK },
    { "cut a file", cut_secret, LAYER_LANDLOCK },
    { "remove a file", remove_secret, LAYER_LANDLOCK },
    { "move a file", move_secret, LAYER_LANDLOCK },
    { "link a file", link_secret, LAYER_LANDLOCK },
    { "go by a link", go_by_link, LAYER_LANDLOCK },
    { "go by dots", go_by_dots, LAYER_LANDLOCK },
    { "make a file beside", make_beside, LAYER_LANDLOCK },
    { "make a file in /tmp", make_in_tmp, LAYER_LANDLOCK },
    { "make a directory", make_directory, LAYER_LANDLOCK },
    { "read the users", read_users, LAYER_LANDLOCK },
    { "list the home directory", read_home, LAYER_LANDLOCK },
    { "replace the output", replace_output, LAYER_LANDLOCK },
    { "read an environment", read_environment, LAYER_LANDLOCK },
    { "write into memory", write_memory, LAYER_LANDLOCK },
    { "read what was left open", read_left_open, 0 },
    { "signal the parent", signal_parent, LAYER_PROCESS },
    { "signal the first process", signal_all, LAYER_PROCESS },
    { "trace the parent", trace_parent, LAYER_SYSCALLS },
    { "read a process", read_process, LAYER_SYSCALLS },
    { "type for the user", type_for_user, LAYER_SYSCALLS },
    { "take the terminal", take_terminal, LAYER_SESSION },
    { "share memory", share_memory, LAYER_SYSCALLS },
    { "mount", mount_files, LAYER_SYSCALLS },
    { "change the root", change_root, LAYER_SYSCALLS },
    { "be another user", new_users, LAYER_SYSCALLS },
    { "clone as another user", clone_users, LAYER_SYSCALLS },
    { "io_uring", use_ring, LAYER_SYSCALLS },
    { "keys", use_keys, LAYER_SYSCALLS },
    { "bpf", use_bpf, LAYER_SYSCALLS },
    { "perf", use_perf, LAYER_SYSCALLS },
    { "userfaultfd", use_faults, LAYER_SYSCALLS },
    { "load a module", load_module, LAYER_SYSCALLS },
    { "reboot", reboot_it, LAYER_SYSCALLS },
    { "set the clock", set_time, LAYER_SYSCALLS },
#ifndef ACAUSAL_SANITIZED
    { "all memory", take_all_memory, LAYER_LIMITS },
#endif
    { "all descriptors", open_many, LAYER_LIMITS },
    { "processes without end", make_processes, LAYER_LIMITS | LAYER_PROCESS },
    { "more core", dump_core, LAYER_SYSCALLS },
};

static Sandbox sandbox(void)
{
    static const char *written[1];
    written[0] = output;
    return (Sandbox){ .directory = own, .writable = written, .writable_count = 1, .silence = 20.0 };
}

static int attack(void *arg, const Pulse *pulse)
{
    pulse_tell(pulse, 1.5);
    return attacks[*(const size_t *)arg].attack();
}

static void check_attacks(void)
{
    int skipped = 0;
    for (size_t i = 0; i < COUNT_OF(attacks); i++) {
        Sandbox s = sandbox();
        SandboxReport r;
        sandbox_run(&s, attack, &i, &r);
        /* the kernel lets root start as many as it likes */
        bool is_free = attacks[i].attack == make_processes && getuid() == 0;
        if ((r.missing & attacks[i].needs) || is_free) {
            skipped++;
            continue;
        }
        CHECK_ROW(r.end == SANDBOX_DONE && r.code == 0 && r.t == 1.5, attacks[i].name);
    }
    if (skipped) printf("skipped: %d attacks whose layers this kernel does not give\n", skipped);
    CHECK(access(secret, R_OK) == 0 && access(output, F_OK) == 0 && access(in(place, "new"), F_OK) != 0);
}

/* ---- how it ends ----------------------------------------------------------------------------- */

static volatile sig_atomic_t child_told;

static int returns(void *arg, const Pulse *pulse) { return (void)pulse, *(int *)arg; }
#ifndef ACAUSAL_SANITIZED
static int leaves(void *arg, const Pulse *pulse)
{
    (void)pulse;
    exit(*(int *)arg);
}
#endif
static int leaves_at_once(void *arg, const Pulse *pulse)
{
    (void)pulse;
    _exit(*(int *)arg);
}
static int crashes(void *arg, const Pulse *pulse)
{
    (void)pulse;
    raise(*(int *)arg);
    return 0;
}
static int hangs(void *arg, const Pulse *pulse)
{
    (void)arg;
    pulse_tell(pulse, 7.0);
    while (!child_told) pause();
    return 0;
}
static int computes(void *arg, const Pulse *pulse)
{
    (void)arg;
    for (volatile long i = 0; i >= 0; i++)
        if (i % 1000000 == 0) pulse_tell(pulse, (double)i);
    return 0;
}
static int writes(void *arg, const Pulse *pulse)
{
    (void)arg, (void)pulse;
    FILE *a = fopen(output, "w"), *b = fopen(in(own, "scratch"), "w");
    if (!a || !b) return 1;
    fputs("rows", a);
    fclose(a);
    fclose(b);
    return system("echo more >>/dev/null") != 0; /* other programs run inside, too */
}
static int leaves_a_child(void *arg, const Pulse *pulse)
{
    (void)arg, (void)pulse;
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            setsid();
            if (fork() != 0) _exit(0);
            for (;;) usleep(100000);
        }
    usleep(50000);
    return 0;
}

static volatile sig_atomic_t stop_now;
static void on_alarm(int number) { (void)number, stop_now = 1; }
static void on_term(int number) { (void)number, child_told = 1; }
static int ends_when_told(void *arg, const Pulse *pulse)
{
    (void)arg, (void)pulse;
    while (!child_told) usleep(1000);
    return 5;
}

static void interrupt_in(double seconds)
{
    struct itimerval when = { .it_value = { (time_t)seconds,
                                            (suseconds_t)(1e6 * (seconds - (int)seconds)) } };
    stop_now = 0;
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &when, NULL);
}

static void check_ends(void)
{
    static const struct {
        const char *name;
        SandboxWork work;
        int arg;
        double silence, cpu;
        SandboxEnd end;
        int code;
    } rows[] = {
        { "returns 0", returns, 0, 0, 0, SANDBOX_DONE, 0 },
        { "returns 3", returns, 3, 0, 0, SANDBOX_DONE, 3 },
#ifndef ACAUSAL_SANITIZED /* which wants to trace the process as it ends */
        { "exit(0) is no success", leaves, 0, 0, 0, SANDBOX_LEFT, 0 },
        { "exit(7)", leaves, 7, 0, 0, SANDBOX_LEFT, 7 },
#endif
        { "_exit(0)", leaves_at_once, 0, 0, 0, SANDBOX_LEFT, 0 },
        { "a crash", crashes, SIGSEGV, 0, 0, SANDBOX_CRASHED, SIGSEGV },
        { "an abort", crashes, SIGABRT, 0, 0, SANDBOX_CRASHED, SIGABRT },
        { "silence", hangs, 0, 0.3, 0, SANDBOX_SILENT, 0 },
        { "processor time", computes, 0, 0, 1.0, SANDBOX_CRASHED, SIGKILL },
        { "files", writes, 0, 0, 0, SANDBOX_DONE, 0 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Sandbox s = sandbox();
        SandboxReport r;
        int arg = rows[i].arg;
        s.silence = rows[i].silence;
        s.cpu_seconds = rows[i].cpu;
        sandbox_run(&s, rows[i].work, &arg, &r);
        if (!CHECK_ROW(r.end == rows[i].end && r.code == rows[i].code, rows[i].name))
            printf("  end %d, code %d, missing %x\n", r.end, r.code, r.missing);
        if (rows[i].end == SANDBOX_SILENT) CHECK(r.t == 7.0);
    }
}

static void check_interrupts(void)
{
    Sandbox s = sandbox();
    SandboxReport r;
    s.interrupt = &stop_now;
    signal(SIGTERM, on_term);
    interrupt_in(0.2);
    sandbox_run(&s, ends_when_told, NULL, &r);
    CHECK(r.end == SANDBOX_DONE && r.code == 5);
    signal(SIGTERM, SIG_DFL);
    interrupt_in(0.2);
    double began = clock_wall();
    sandbox_run(&s, hangs, NULL, &r);
    CHECK(r.end == SANDBOX_STOPPED || r.end == SANDBOX_CRASHED);
    CHECK(clock_wall() - began < 15.0);
}

/* All processes of a sandbox hold its last pipe end while they live; none is left. */
static void check_survivors(void)
{
    char line[256];
    Sandbox s = sandbox();
    SandboxReport r;
    sandbox_run(&s, leaves_a_child, NULL, &r);
    CHECK(r.end == SANDBOX_DONE);
    usleep(100000);
    FILE *names = popen("ps -eo args | grep -c '[s]andbox_sandbox_test'", "r");
    int n = names && fgets(line, sizeof line, names) ? atoi(line) : 1;
    if (names) pclose(names);
    CHECK(n <= 1);
}

/* As the command does: aborts of the caller end it with a code. The work's are none of them. */
static void end_with_code(int number)
{
    (void)number;
    _exit(4);
}

int main(void)
{
    signal(SIGABRT, end_with_code);
    if (!CHECK(mkdtemp(place) && mkdtemp(own))) return test_end();
    tester = getpid();
    snprintf(secret, sizeof secret, "%s/secret", place);
    snprintf(output, sizeof output, "%s/output.csv", place);
    FILE *file = fopen(secret, "w");
    left_open = 's';
    if (file) fputs("secret", file), fclose(file);
    open_file = open(secret, O_RDONLY);
    check_attacks();
    check_ends();
    check_interrupts();
    check_survivors();
    char *const remove[] = { "rm", "-rf", place, own, NULL };
    process_run(remove, "/dev/null");
    return test_end();
}
