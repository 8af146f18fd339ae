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

#ifdef __cplusplus
}
#endif

#endif
