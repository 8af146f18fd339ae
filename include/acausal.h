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

/* ---- benchmarks: each gives its rows, cell by cell as text, to `row` ---- */

typedef void (*AcausalRow)(void *user, const char *const *cells, size_t n);

/* Straight-line model code, array loops and a media property as machine code, by the interpreter, and by a C compiler
 * where there is one. Columns: statements, backend, code_ms, ns_per_statement. `only` names a backend or is NULL. */
AcausalStatus acausal_bench_code(const char *only, AcausalRow row, void *user);

#ifdef __cplusplus
}
#endif

#endif
