/* rt.h: what compiled code calls while it runs, in process and inside exported FMUs alike: the
 * state of one instance, failures, memory for arrays and strings of sizes known only at run time,
 * checked arithmetic of Integers, strings. C99 with libc and libm only, so that it can be shipped
 * as source.
 *
 * One `Rt` is one instance: all that changes while code runs. Several may run in several threads at
 * once. */
#ifndef ACAUSAL_RT_H
#define ACAUSAL_RT_H

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
 * arguments and lie on the stack behind the adapter's own; rt_room says whether there is room for
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

/* ---- Integers: every function returns nonzero when the result does not exist ----------------- */

#if defined(__GNUC__)
static inline int rt_add(int64_t a, int64_t b, int64_t *c) { return __builtin_add_overflow(a, b, c); }
static inline int rt_sub(int64_t a, int64_t b, int64_t *c) { return __builtin_sub_overflow(a, b, c); }
static inline int rt_mul(int64_t a, int64_t b, int64_t *c) { return __builtin_mul_overflow(a, b, c); }
#else
static inline int rt_add(int64_t a, int64_t b, int64_t *c)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return 1;
    *c = a + b;
    return 0;
}
static inline int rt_sub(int64_t a, int64_t b, int64_t *c)
{
    if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b) return 1;
    *c = a - b;
    return 0;
}
static inline int rt_mul(int64_t a, int64_t b, int64_t *c)
{
    if (a > 0 ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a)
              : (b > 0 ? a < INT64_MIN / b : a != 0 && b < INT64_MAX / a))
        return 1;
    *c = a * b;
    return 0;
}
#endif

/* The status of a division by `b`; then the quotient towards zero and its remainder exist. */
static inline RtStatus rt_divisible(int64_t a, int64_t b)
{
    return b == 0 ? RT_DIVISION : a == INT64_MIN && b == -1 ? RT_OVERFLOW : RT_OK;
}
static inline int64_t rt_div(int64_t a, int64_t b) { return a / b; } /* towards zero */
static inline int64_t rt_rem(int64_t a, int64_t b) { return a % b; } /* of the sign of a */
static inline int64_t rt_mod(int64_t a, int64_t b)                   /* of the sign of b */
{
    int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
/* The rounds of `for i in from:step:to`, or -1 where the bounds are so large that counting could
 * overflow. */
static inline int64_t rt_rounds(int64_t from, int64_t to, int64_t step)
{
    const int64_t limit = INT64_C(1) << 61;
    if (from > limit || from < -limit || to > limit || to < -limit) return -1;
    if (step > 0) return from > to ? 0 : (to - from) / step + 1;
    return from < to ? 0 : (from - to) / -step + 1;
}

/* Pays for all rounds of a loop before the first; a status that is no failure of its own is
 * reported by the caller. */
static inline RtStatus rt_pay(Rt *rt, int64_t from, int64_t to, int64_t step)
{
    int64_t rounds = rt_rounds(from, to, step);
    if (rounds < 0) return RT_OVERFLOW;
    if (rounds > rt->steps) return RT_STEPS;
    rt->steps -= rounds;
    return RT_OK;
}

/* Whether `x`, cut towards zero, has an Integer value. */
static inline int rt_has_integer(double x) { return x > -9223372036854775808.0 && x < 9223372036854775808.0; }
static inline double rt_min(double a, double b) { return a < b ? a : b; }
static inline double rt_max(double a, double b) { return a > b ? a : b; }
static inline int64_t rt_imin(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t rt_imax(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int rt_is_finite(double x) { return x - x == 0.0; }

/* ---- Integers of external functions, which are int there ------------------------------------- */

/* The value as an int; RT_OVERFLOW where it is none. */
RtStatus rt_int_of(int64_t value, int *result);
/* A copy of an array of Integers (two cells), and the way back. */
RtStatus rt_ints_of(Rt *rt, const RtCell *array, int **copy);
void rt_ints_back(const int *copy, RtCell *array);

/* ---- newton.c: small dense systems, rows one after the other --------------------------------- */

/* A = P L U in place. 0, or the first column without a pivot, counted from 1. */
int rt_lu_factor(double *a, int n, int *pivot);
void rt_lu_solve(const double *a, int n, const int *pivot, double *b);
void rt_lu_solve_transposed(const double *a, int n, const int *pivot, double *b); /* A' x = b */
/* The rank of A, which is destroyed. Behind it, rows[] are those that depend on others, cols[] the
 * unknowns that nothing determines; both have n places. */
int rt_lu_rank(double *a, int n, int *rows, int *cols);

/* ---- sparse.c: large systems of known pattern ------------------------------------------------ */

typedef struct {
    int n;
    const int *start, *row; /* by column */
    const int *order;       /* columns in the order in which they are eliminated */
    /* by column: the row that is its pivot unless that is small; NULL: the largest is */
    const int *diagonal;
} RtPattern;

typedef struct RtSparse RtSparse; /* the factors of one matrix; points to its pattern */

RtSparse *rt_sparse_new(const RtPattern *pattern); /* NULL when memory is out */
void rt_sparse_free(RtSparse *s);
/* 0, or the first column without a pivot (or without memory), counted from 1. */
int rt_sparse_factor(RtSparse *s, const double *values);
void rt_sparse_solve(const RtSparse *s, double *b);

typedef RtStatus (*RtResidual)(void *user, const double *z, double *r);
typedef RtStatus (*RtJacobian)(void *user, const double *z, double *j);

typedef struct {
    int n;
    RtResidual residual;
    RtJacobian jacobian;
    void *user;
    const double *nominal;    /* n: the usual size of each unknown */
    const double *low, *high; /* n: bounds that steps keep away from; NULL: none */
    double *work;             /* 4 n */
    /* n * n: on success the factors of the Jacobian at the solution or near it */
    double *lu;
    int *pivot; /* n */
    /* else the factors are here, and lu has the entries of its pattern; NULL */
    RtSparse *sparse;
    int entries;    /* of the pattern */
    int iterations; /* out */
    int worst;      /* out, on failure: the residual or column to blame */
    double worst_value;
} RtNewton;

typedef enum { RT_SOLVED, RT_NO_CONVERGENCE, RT_SINGULAR, RT_NOT_DEFINED } RtSolve;

/* Solves r(z) = 0 from the guess in z to the level of rounding. Damped: a step is taken when the
 * simplified correction behind it is smaller (Deuflhard's natural monotonicity test), halved until
 * then. */
RtSolve rt_newton(RtNewton *newton, double *z);

/* The same where that fails, along a path from the guess: continue.c. `room` has
 * rt_continue_room(n) doubles, `pivot` n + 1 places. */
size_t rt_continue_room(int n);
RtSolve rt_continue(RtNewton *newton, double *z, double *room, int *pivot);

/* ---- history.c: the past of signals; those that return int return 0 when memory is out, unless
 * said otherwise */

/* What a history takes in at a point, and gives out. The way in is the high end, whose key ascends;
 * what is `span` below it leaves. With RT_HISTORY_BOTH the key may descend: then the way in is the
 * low end. */
enum {
    RT_HISTORY_KEY,
    RT_HISTORY_VALUE, /* at the high end */
    RT_HISTORY_SPAN,
    RT_HISTORY_LOW_VALUE,
    RT_HISTORY_FORWARD, /* not 0: the high end is the way in while the key stands still */
    /* out: where the key is when the next jump leaves at the low and at the high end */
    RT_HISTORY_FRONT_LOW,
    RT_HISTORY_FRONT_HIGH,
    RT_HISTORY_PARTS
};
enum {
    RT_HISTORY_FREE = 1,     /* the span varies: jumps come out when they do */
    RT_HISTORY_DISCRETE = 2, /* values change at events only */
    RT_HISTORY_BOTH = 4      /* the key is no time: it may stand still and descend */
};
typedef enum { RT_HISTORY_LOW, RT_HISTORY_HIGH, RT_HISTORY_SIDES } RtHistorySide;
/* A point; the right side of a jump; slopes may have changed, too. */
typedef enum { RT_NOTE_POINT, RT_NOTE_JUMP, RT_NOTE_BREAK } RtNote;

int rt_histories_new(Rt *rt, uint32_t count);
void rt_histories_free(Rt *rt);
/* It begins with n points between the ends, if n > 0: positions from 0, the high end, to 1, then
 * values. */
int rt_history_start(Rt *rt, uint32_t k, double time, const double *in, const double *profile, uint32_t n,
                     uint8_t flags);
/* A point that is not behind the last one is left out. What is past the span is forgotten. */
int rt_history_note(Rt *rt, uint32_t k, double time, const double *in, RtNote what);
/* When the next jump leaves, where the key is time. */
double rt_history_next_time(const Rt *rt, uint32_t k, const double *in);
/* Jumps that leave now; nonzero: there was one. */
int rt_history_pass(Rt *rt, uint32_t k, const double *in);
void rt_history_fronts(const Rt *rt, uint32_t k, double *in);
/* |value - extrapolated value| / largest */
double rt_history_deviation(const Rt *rt, uint32_t k, const double *in);
double rt_history_rate(const Rt *rt, uint32_t k); /* of the key, in the last step */
/* i: number of the history * RT_HISTORY_SIDES + side, r key -> r */
RtStatus rt_history_value(Rt *rt, RtCell *cells);
RtStatus rt_history_slope(Rt *rt, RtCell *cells); /* likewise */

/* Notes between the ends of a step, as near as signals ask for: between.c. `step` is kept from one
 * call to the next. */
typedef struct {
    double tolerance, least; /* of signals; distance */
    /* see rt_history_deviation: the largest of all signals there */
    double (*extrapolation_error)(void *arg, double t);
    /* of all signals, where `extrapolation_error` was asked last */
    void (*note)(void *arg, double t);
    void *arg;
} RtBetween;
void rt_note_between(const RtBetween *b, double from, double to, double *step);

/* ---- guard.c: calls of C functions of users; their ModelicaError becomes a failure of the
 * instance */

RtStatus rt_guard(Rt *rt, void (*call)(void *arg), void *arg);
RtStatus rt_guard_cells(Rt *rt, RtEntry entry, RtCell *cells);

/* ---- lines.c: adapters over text files ------------------------------------------------------- */

RtStatus rt_count_lines(Rt *rt, RtCell *cells); /* s -> i */
RtStatus rt_read_file(Rt *rt, RtCell *cells);   /* s, i -> strings */
RtStatus rt_read_line(Rt *rt, RtCell *cells);   /* s, i -> i end of file, s */

/* ---- strings: adapters; a comment shows the cells -------------------------------------------- */

RtStatus rt_string_concat(Rt *rt, RtCell *cells);  /* s, s -> s */
RtStatus rt_string_compare(Rt *rt, RtCell *cells); /* s, s -> i: -1, 0 or 1 */
RtStatus rt_string_length(Rt *rt, RtCell *cells);  /* s -> i */
RtStatus rt_string_part(Rt *rt, RtCell *cells);    /* s, i first, i last (from 1) -> s */
RtStatus rt_string_keep(Rt *rt, RtCell *cells);    /* s -> s that lives as long as the instance */
/* String(x, significantDigits, minimumLength, leftJustified) */
RtStatus rt_string_of_real(Rt *rt, RtCell *cells); /* r, i, i, i -> s */
RtStatus rt_string_of_int(Rt *rt, RtCell *cells);  /* i, i minimumLength, i leftJustified -> s */
RtStatus rt_string_of_bool(Rt *rt, RtCell *cells); /* i, i minimumLength, i leftJustified -> s */
/* String(x, format) with a format of C: one conversion of e, f, g (Real) or d, i, x, o, c, u
 * (Integer) */
RtStatus rt_string_format_real(Rt *rt, RtCell *cells); /* r, s -> s */
RtStatus rt_string_format_int(Rt *rt, RtCell *cells);  /* i, s -> s */
RtStatus rt_warning(Rt *rt, RtCell *cells);            /* s message, i source -> */

/* ---- names.c: strings and external objects as numbers, so that a variable of any type is a Real
 * in memory */

/* Equal strings have one number for the life of an instance; 0 is the empty one. */
RtStatus rt_string_id(Rt *rt, RtCell *cells); /* s -> r */
RtStatus rt_string_at(Rt *rt, RtCell *cells); /* r -> s */
RtStatus rt_object_id(Rt *rt, RtCell *cells); /* p -> r; 0 is none */
RtStatus rt_object_at(Rt *rt, RtCell *cells); /* r -> p */
void rt_forget_objects(Rt *rt);

/* ---- save.c: strings, histories and the impure generator of an instance, as bytes ------------ */

size_t rt_save_size(const Rt *rt);
void rt_save(const Rt *rt, void *to);
/* 0: these are no such bytes, or memory is out. */
int rt_restore(Rt *rt, const void *from, size_t size);

/* ---- table.c, table2d.c: interpolation in tables; an object belongs to who made it ----------- */

/* smoothness */
enum { RT_LINEAR = 1, RT_AKIMA, RT_CONSTANT, RT_FRITSCH_BUTLAND, RT_STEFFEN, RT_MAKIMA };
enum { RT_HOLD = 1, RT_LAST_TWO, RT_PERIODIC, RT_NO_EXTRAPOLATION };
enum { RT_EVENTS_ALWAYS = 1, RT_EVENTS_AT_JUMPS, RT_EVENTS_NEVER };

/* s file, s name, R table, i rows, i columns, I columns, i n, i smoothness, i extrapolation, i
 * verbose, s delimiter, i header lines -> p */
RtStatus rt_table1d_new(Rt *rt, RtCell *cells);
RtStatus rt_table1d_free(Rt *rt, RtCell *cells);       /* p -> */
RtStatus rt_table1d_value(Rt *rt, RtCell *cells);      /* p, i column, r u -> r */
RtStatus rt_table1d_derivative(Rt *rt, RtCell *cells); /* p, i, r u, r der u -> r */
RtStatus rt_table1d_second(Rt *rt, RtCell *cells);     /* p, i, r u, r der u, r der2 u -> r */
RtStatus rt_table1d_least(Rt *rt, RtCell *cells);      /* p -> r */
RtStatus rt_table1d_greatest(Rt *rt, RtCell *cells);   /* p -> r */
/* s file, s name, R table, i rows, i columns, r start, I columns, i n, i smoothness, i
 * extrapolation, r shift, i events, i verbose, s delimiter, i header lines -> p */
RtStatus rt_timetable_new(Rt *rt, RtCell *cells);
RtStatus rt_timetable_value(Rt *rt, RtCell *cells); /* p, i, r t, r next, r pre next -> r */
/* p, i, r t, r next, r pre next, r der t -> r */
RtStatus rt_timetable_derivative(Rt *rt, RtCell *cells);
RtStatus rt_timetable_second(Rt *rt, RtCell *cells); /* the same, r der2 t -> r */
/* p, r t -> r: the next event, DBL_MAX if there is none */
RtStatus rt_timetable_next(Rt *rt, RtCell *cells);
/* s file, s name, R table, i rows, i columns, i smoothness, i extrapolation, i verbose, s
 * delimiter, i lines -> p */
RtStatus rt_table2d_new(Rt *rt, RtCell *cells);
RtStatus rt_table2d_free(Rt *rt, RtCell *cells);       /* p -> */
RtStatus rt_table2d_value(Rt *rt, RtCell *cells);      /* p, r u1, r u2 -> r */
RtStatus rt_table2d_derivative(Rt *rt, RtCell *cells); /* p, r u1, r u2, r der u1, r der u2 -> r */
RtStatus rt_table2d_second(Rt *rt, RtCell *cells);     /* the same, r der2 u1, r der2 u2 -> r */
RtStatus rt_table2d_least(Rt *rt, RtCell *cells);      /* p -> R of two */
RtStatus rt_table2d_greatest(Rt *rt, RtCell *cells);   /* p -> R of two */

/* ---- scan.c: strings as Modelica.Utilities.Strings reads them; places count from 1 ----------- */

RtStatus rt_strings_length(Rt *rt, RtCell *cells);    /* s -> i */
RtStatus rt_strings_substring(Rt *rt, RtCell *cells); /* s, i first, i last -> s */
/* s, s, i case counts -> i: 1 less, 2 equal, 3 greater */
RtStatus rt_strings_compare(Rt *rt, RtCell *cells);
RtStatus rt_strings_skip(Rt *rt, RtCell *cells); /* s, i start -> i */
RtStatus rt_strings_hash(Rt *rt, RtCell *cells); /* s -> i */
/* s, i start, i unsigned -> i next, i value */
RtStatus rt_strings_integer(Rt *rt, RtCell *cells);
/* s, i start, i unsigned -> i next, r value */
RtStatus rt_strings_real(Rt *rt, RtCell *cells);
RtStatus rt_strings_identifier(Rt *rt, RtCell *cells); /* s, i start -> i next, s value */
RtStatus rt_strings_string(Rt *rt, RtCell *cells);     /* s, i start -> i next, s value */

/* ---- random.c: generators of the xorshift family; a state is an array of 32-bit Integers ----- */

RtStatus rt_xorshift64star(Rt *rt, RtCell *cells);   /* I state -> I state, r */
RtStatus rt_xorshift128plus(Rt *rt, RtCell *cells);  /* I state -> I state, r */
RtStatus rt_xorshift1024star(Rt *rt, RtCell *cells); /* I state -> I state, r */
RtStatus rt_random_set(Rt *rt, RtCell *cells);       /* I state, i n, i id -> */
RtStatus rt_random_impure(Rt *rt, RtCell *cells);    /* i id -> r */
RtStatus rt_random_seed(Rt *rt, RtCell *cells);      /* r -> i: from the time */

/* ---- fft.c ----------------------------------------------------------------------------------- */

/* R samples, i n, i room of work -> R work, R amplitudes, R phases, i status: see the file */
RtStatus rt_fft_real(Rt *rt, RtCell *cells);

#endif
