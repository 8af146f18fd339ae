/* memory.h: how many errors of steps add up (memory.c). */
#ifndef ACAUSAL_SOLVE_MEMORY_H
#define ACAUSAL_SOLVE_MEMORY_H

#include "solve/core/damping.h"

typedef struct {
    bool is_there;
    int every; /* steps between samples */
    int gap;   /* orders that the result is better by than the estimate */
    /* of unknowns, where it is more than 1: so often errors are damped at first */
    int index;
    double most;         /* count */
    double worth;        /* its error over (1 - F)^gap of the estimate */
    double *accumulated; /* errors of past steps in units of their estimates, carried along */
    /* of multistep methods: how large y was lately, and weights from that */
    double *largest, *weight;
    double *source, *power, *damped, *damped_source; /* scratch */
    struct {
        int wait, samples;
        /* the sum of the sizes of all errors that were taken in, and their mean lately */
        double all, lately;
        double logarithm, count; /* how many times errors count: mean, and its power of e */
    } state;
} Memory;

void memory_setup(Memory *m, Solver *s, int every, int gap, double worth);
void memory_setup_collocation(Memory *m, Solver *s, int gap, int index);
void memory_setup_multistep(Memory *m, Solver *s);
/* The sizes of error and estimate of a step of y' = i z y, y = 1, h = 1; orders and `worth` follow
 * from them. */
typedef struct {
    double error, estimate;
} MemorySizes;
typedef MemorySizes MemoryTest(const void *method, double z);
void memory_setup_tested(Memory *m, Solver *s, double gamma, MemoryTest *test, const void *method);
/* After an accepted step; most of them are not looked at. */
void memory_look(Memory *m, Solver *s, const Damping *f, const double *error, const double *weight);
static inline void memory_note(Memory *m, Solver *s, const Damping *f, const double *error,
                               const double *weight)
{
    if (m->is_there && !solver_replay(s) && m->state.wait-- <= 0) memory_look(m, s, f, error, weight);
}
/* Where the model has no value the solution is about to leap: what was before it tells nothing, and
 * shorter steps would look for what is not there. */
void memory_forget(Memory *m, const Solver *s);
/* How many times an error counts, at least once: once only where so many failures in a row show
 * that shorter steps do not make it less. */
enum { VAIN_FAILURES = 4 };
INLINE double memory_count(const Memory *m, int failures)
{
    return failures > VAIN_FAILURES ? 1.0 : m->state.count;
}

#endif
