/* instance.h: one instance while code runs: values, failures, memory, calls. */
#ifndef ACAUSAL_RT_INSTANCE_H
#define ACAUSAL_RT_INSTANCE_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    RT_OK,
    RT_ASSERT,     /* an assertion of the model failed; `message` is its text */
    RT_INDEX,      /* an index `value` outside of 1..`bound` */
    RT_SIZE,       /* two arrays of different sizes, or a size that cannot be */
    RT_OVERFLOW,   /* an Integer left the range of 64 bits */
    RT_DIVISION,   /* an Integer was divided by zero */
    RT_CONVERSION, /* a Real that has no Integer value */
    RT_NOT_FINITE, /* a value that was asked to be finite is not */
    RT_STEPS,      /* the step limit was reached: a loop or a recursion without end */
    RT_DEPTH,      /* calls are nested too deeply, or frames are too large */
    RT_MEMORY,     /* no memory for an array or a string */
    RT_EXTERNAL    /* an external function failed; `message` is what it said */
} RtStatus;

const char *rt_status_text(RtStatus status);

/* One value: what a register, a frame and an argument list are made of. */
typedef union {
    double r;
    int64_t i;
    const char *s;
    void *p;
} RtCell;

typedef struct {
    void *at; /* double, int64_t, const char * or void *: the declaration says which */
    int64_t n;
} RtArray;

typedef struct {
    RtStatus status;
    uint32_t function;    /* id of the IR function that failed */
    uint32_t source;      /* the id its lowering gave to the failing statement or equation */
    int64_t value, bound; /* the index and the bound, the two sizes, the operand */
    const char *message;  /* of an assertion or an external function; lives until the next run */
} RtError;

typedef struct RtChunk RtChunk;
typedef struct {
    RtChunk *chunk;
    size_t used;
} RtMark;

typedef struct RtHistory RtHistory;
typedef struct Rt Rt;
struct Rt {
    RtArray *memory; /* one for each memory of the module, owned by the caller */
    int64_t steps;   /* how many loop rounds and calls are left */
    int64_t depth;   /* how many nested calls are left */
    RtCell *stack, *stack_end;
    RtError error;
    RtMark heap; /* the place of the next allocation */
    size_t heap_total, heap_limit;
    /* The functions of the module that runs, for those of rt/ that call back: see rt_call. */
    const void *code;
    uint32_t function_count;
    RtStatus (*enter)(const void *code, uint32_t function, Rt *rt, RtCell *cells);
    RtHistory *histories; /* see history.c */
    uint32_t history_count;
    void (*warn)(void *user, const char *message, uint32_t source); /* may be NULL */
    void *user;
    void (*print)(void *user, const char *text); /* what a model prints; may be NULL */
    /* Reads a matrix of a file into memory of malloc; NULL: there are no files. */
    RtStatus (*read_matrix)(Rt *rt, const char *file, const char *name, const char *delimiter,
                            int64_t header_lines, double **at, int64_t *rows, int64_t *columns);
    /* Where a file is that a model names: in `path`, or the name itself; NULL: nowhere. May be
     * NULL: files are where they are. */
    const char *(*find_file)(Rt *rt, const char *name, char *path, size_t room);
    const char *resources; /* of an FMU: the directory; NULL */
};

enum { RT_STACK_CELLS = 1 << 17, RT_DEPTH_LIMIT = 2000 };
#define RT_STEP_LIMIT (INT64_C(1) << 62) /* as good as none; the default */

/* A new instance with a stack for `cells` cells (0: RT_STACK_CELLS). NULL when memory is out. */
Rt *rt_new(size_t cells);
void rt_free(Rt *rt);

/* What every function of an IR module, every adapter of an external function and every string
 * function looks like from outside: its arguments and results lie in `cells`, inputs first; an
 * array takes two cells, address and length. */
typedef RtStatus (*RtEntry)(Rt *rt, RtCell *cells);

/* Notes a failure and returns its status. */
RtStatus rt_fail(Rt *rt, RtStatus status, uint32_t function, uint32_t source, int64_t value, int64_t bound);
RtStatus rt_fail_text(Rt *rt, RtStatus status, uint32_t function, uint32_t source, const char *message);
/* The function of a failure whose place is not known yet: what adapters report. */
#define RT_NOWHERE UINT32_MAX
/* For external functions: fails with a message; the caller's place is filled in by the code that
 * called. */
RtStatus rt_fail_external(Rt *rt, const char *message);
/* Fills in the place of a failure that an external function reported. */
RtStatus rt_failed_at(Rt *rt, RtStatus status, uint32_t function, uint32_t source);

/* The elements of an array, by type. */
#define RT_REALS(array) ((double *)(array).at)
#define RT_INTS(array) ((int64_t *)(array).at)
#define RT_STRS(array) ((const char **)(array).at)
#define RT_PTRS(array) ((void **)(array).at)

/* For adapters: calls a function of the module, as Newton calls a residual. `cells` are its
 * arguments and lie on the stack after the adapter's own; rt_room says whether there is room for
 * that many. */
RtStatus rt_call(Rt *rt, int64_t function, RtCell *cells);
int rt_room(const Rt *rt, const RtCell *cells, size_t count);
/* An `enter` for code that is a table of entries. */
RtStatus rt_enter_table(const void *table, uint32_t function, Rt *rt, RtCell *cells);

/* ---- memory of the instance: allocated in order, given back from the end --------------------- */

void *rt_alloc(Rt *rt, size_t size); /* aligned to 16; NULL when memory is out */
void rt_mark(const Rt *rt, RtMark *mark);
void rt_rewind(Rt *rt, const RtMark *mark);
void rt_rewind_all(Rt *rt); /* what earlier runs allocated is gone */
/* Makes `array` one of n cleared elements of 8 bytes. */
RtStatus rt_array_new(Rt *rt, RtArray *array, int64_t n);
/* Makes `view` the elements offset .. offset + n - 1 of `of`; RT_SIZE if it has no such
 * elements. */
RtStatus rt_array_view(RtArray *view, RtArray of, int64_t offset, int64_t n);
/* to := from, which has the same length; they may overlap. */
void rt_array_copy(RtArray to, RtArray from);

/* ---- guard.c: calls of C functions of users; their ModelicaError becomes a failure of the
 * instance */

RtStatus rt_guard(Rt *rt, void (*call)(void *arg), void *arg);
RtStatus rt_guard_cells(Rt *rt, RtEntry entry, RtCell *cells);

/* ---- save.c: strings, histories and the impure generator of an instance, as bytes ------------ */

size_t rt_save_size(const Rt *rt);
void rt_save(const Rt *rt, void *to);
/* 0: these are no such bytes, or memory is out. */
int rt_restore(Rt *rt, const void *from, size_t size);

#endif
