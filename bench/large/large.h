/* large.h: families of models that grow, as the field's suites for scaling have them; all text is
 * our own. */
#ifndef ACAUSAL_BENCH_LARGE_H
#define ACAUSAL_BENCH_LARGE_H

#include "acausal.h"

enum { LARGE_SIZES = 3 };

typedef struct {
    const char *name, *about;
    const char *text; /* of class Large, with %u for its size */
    unsigned sizes[LARGE_SIZES];
    double stop;
} LargeFamily;

/* One run in this process. */
typedef struct {
    size_t states, peak_bytes;
    double translate_seconds, run_seconds; /* of processor time */
    long steps;
    bool finished;
} LargeRow;

const LargeFamily *bench_large_family(size_t i); /* NULL past the last */
/* Translates and runs one of them. `solver`: NULL is auto. What it has to say goes to stderr. */
AcausalStatus run_large_bench(const LargeFamily *family, unsigned size, const char *solver, double limit,
                              LargeRow *row);

#endif
