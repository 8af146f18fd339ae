/* acausal.h: the whole public interface of the Acausal library.
 *
 * Everything the command line can do is here. No function prints; diagnostics collect in a session and are
 * rendered on request. A session belongs to one thread at a time; several sessions may live side by side. */
#ifndef ACAUSAL_H
#define ACAUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended; also the exit codes of the program. */
typedef enum {
    ACAUSAL_DONE = 0,   /* all is well */
    ACAUSAL_WRONG = 1,  /* the model or the data is wrong: see the diagnostics */
    ACAUSAL_USAGE = 2,  /* the call itself is wrong */
    ACAUSAL_FAILED = 3, /* translated, but the run failed; what was computed is there */
    ACAUSAL_BUG = 4     /* a bug in Acausal, or the system gave out */
} AcausalStatus;

const char *acausal_version(void);

/* The word of `candidates` that is nearest to `word`, or NULL when none is near. */
const char *acausal_nearest(const char *word, const char *const *candidates, size_t n);

/* ---- integrators and their benchmark ----------------------------------------------------------------- */

typedef struct {
    const char *name, *family, *summary, *reference;
    int order, order_most; /* most: of methods that vary it */
    int dense_order;
    const char *properties; /* "stiff, A-stable, ..." */
} AcausalSolverInfo;

size_t acausal_solver_count(void);
/* `room` bytes at `properties` hold the text of that field. */
void acausal_solver_info(size_t i, AcausalSolverInfo *info, char *properties, size_t room);

/* One run of the benchmark of initial value problems. */
typedef struct {
    const char *problem, *solver;
    int n;
    double rtol;
    char atol[96]; /* values that differ are separated by bars */
    long steps, nfev, njev, nlu;
    double cpu_ms, digits;
    bool finished;
    char why[240]; /* of a run that did not finish */
} AcausalIvpRow;

typedef struct {
    const char *problem, *solver; /* NULL: all that suit each other */
    double loosest, tightest;     /* tolerances, by factors of 10 */
    double seconds;               /* processor time a run may take */
} AcausalIvpOptions;

/* Calls `row` for each run. ACAUSAL_USAGE: no such problem or solver. */
AcausalStatus acausal_bench_ivp(const AcausalIvpOptions *options,
                                void (*row)(void *arg, const AcausalIvpRow *row), void *arg);
/* The name of problem i, or NULL past the last. */
const char *acausal_ivp_problem(size_t i);

#ifdef __cplusplus
}
#endif

#endif
