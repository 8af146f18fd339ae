/* hybrid.h: models rich in events on which restarts are measured, each written from its equations.
 *
 * A problem is a row: equations and events as a ModelType (`initialise` fills its discrete state
 * and y, `event` changes both), and the method that suits it. Discrete state is an array of numbers
 * in the model's data, so that every run begins with a copy. */
#ifndef ACAUSAL_BENCH_HYBRID_H
#define ACAUSAL_BENCH_HYBRID_H

#include "solve/solve.h"

enum { HYBRID_DISCRETE = 64 };

typedef struct {
    const char *name, *about;
    int n, indicators;
    const signed char *directions; /* NULL: both */
    double t_end;
    const char *solver, *foreign; /* of ours, and of SUNDIALS */
    double loosest, tightest;     /* tolerances that are run */
    ModelType type;
    const double *mass;       /* diagonal; NULL: identity */
    void (*exact)(double *y); /* values at t_end in closed form; NULL: by dop853 or radau */
} HybridProblem;

extern const HybridProblem *const hybrid_problems[];
extern const size_t hybrid_problem_count;
/* The same that no constant was chosen with. */
extern const HybridProblem *const hybrid_held_out[];
extern const size_t hybrid_held_out_count;

typedef struct {
    SolverStats stats;
    long events, time_events;
    double seconds;
    double error; /* at the end, over |y| + 1 */
    bool finished;
    SolverFailure failure;
} HybridRun;

/* One run. reference: NULL, or n values that `error` compares with. end: NULL, or room for n
 * values. */
void hybrid_run(const HybridProblem *problem, const SolverType *type, Starter starter, double tol,
                const double *reference, double *end, HybridRun *run);
/* The same several times, with the least CPU time. */
void hybrid_time(const HybridProblem *problem, const SolverType *type, Starter starter, double tol,
                 const double *reference, HybridRun *run);
/* Work against error over a ladder of tolerances. */
enum { HYBRID_LADDER = 40 };
typedef struct {
    int n;
    double error[HYBRID_LADDER], nfev[HYBRID_LADDER], cpu[HYBRID_LADDER];
} HybridLadder;

void hybrid_climb(HybridLadder *ladder, const HybridRun *run);
/* The geometric means of own work over the other's at equal errors: right-hand sides, CPU time. 0:
 * ladders do not meet. */
void hybrid_compare(const HybridLadder *own, const HybridLadder *other, double *nfev, double *cpu);

/* The values at the end, as exact as possible. False: no method got there. */
bool hybrid_reference(const HybridProblem *problem, double *end);

#endif
