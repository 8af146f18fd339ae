/* sandbox.h: work in a child process that can do little else: for code of others.
 *
 * The child is in a session of its own and, where the kernel gives them, in process, mount, IPC and
 * network namespaces of its own; Landlock lets it read what was named and write less; a filter
 * allows the system calls that computing needs. Memory, processor time, processes and files are
 * limited. It dies with its parent, and nothing that it started outlives it. */
#ifndef ACAUSAL_SANDBOX_H
#define ACAUSAL_SANDBOX_H

#include "base/base.h"

#include <signal.h>

typedef enum {
    LAYER_SESSION = 1 << 0,  /* no controlling terminal */
    LAYER_NETWORK = 1 << 1,  /* a network namespace without a network */
    LAYER_PROCESS = 1 << 2,  /* a process namespace: no others to see or to signal */
    LAYER_MOUNT = 1 << 3,    /* a mount namespace */
    LAYER_IPC = 1 << 4,      /* an IPC namespace */
    LAYER_LANDLOCK = 1 << 5, /* files: only those that were named */
    LAYER_SYSCALLS = 1 << 6, /* only the system calls that computing needs */
    LAYER_LIMITS = 1 << 7,   /* memory, processor time, processes, files */
} SandboxLayer;

enum { SANDBOX_LAYERS = 8 };

typedef struct {
    const char *directory;       /* its own, with all below it: may be read, written and run */
    const char *const *readable; /* files, and directories with all below them */
    size_t readable_count;
    const char *const *writable; /* files; they are made if need be */
    size_t writable_count;
    double silence;      /* seconds after which a child that says nothing is ended; 0: never */
    double cpu_seconds;  /* 0: no limit */
    size_t memory_bytes; /* 0: three quarters of the machine's */
    bool strict;         /* rather nothing than without a layer */
    const volatile sig_atomic_t *interrupt; /* not 0: the child is told to end; may be NULL */
} Sandbox;

typedef enum {
    SANDBOX_DONE,    /* the work returned */
    SANDBOX_SILENT,  /* it said nothing for too long */
    SANDBOX_CRASHED, /* by a signal: `code` */
    SANDBOX_LEFT,    /* it ended its process with `code` before the work was done */
    SANDBOX_STOPPED, /* it did not end when it was told to */
    SANDBOX_REFUSED, /* a layer is missing, or there was no process for it: `why` */
} SandboxEnd;

typedef struct {
    SandboxEnd end;
    int code;         /* what the work returned, the signal, or the exit code */
    double t;         /* the last time it told */
    unsigned missing; /* SandboxLayers that the kernel did not give */
    char why[240];
} SandboxReport;

/* What the work says that it is alive with. */
typedef struct {
    int pipe;
} Pulse;

void pulse_tell(const Pulse *pulse, double t);

/* Runs the work in a child, and waits for it. */
typedef int (*SandboxWork)(void *arg, const Pulse *pulse);
void sandbox_run(const Sandbox *sandbox, SandboxWork work, void *arg, SandboxReport *report);
const char *sandbox_layer_name(unsigned layer);

#endif
