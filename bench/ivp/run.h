/* run.h: one integrator on one problem. */
#ifndef ACAUSAL_BENCH_IVP_RUN_H
#define ACAUSAL_BENCH_IVP_RUN_H

#include "bench/ivp/ivp.h"
#include "solve/solve.h"

typedef struct {
    SolverStats stats;
    double seconds, digits, error;
    bool finished;
    SolverFailure failure;
} IvpRun;

/* A step that ends at the next of the problem's stops at most; there the solver begins anew, with
 * the next piece of f. `y` is room. */
StepStatus ivp_step(const IvpProblem *problem, Model *model, Solver *s, int *piece, double *y);
bool ivp_suits(const IvpProblem *problem, const SolverType *type);
/* One run, not measured again; of `more` Jacobian and increments are taken. */
void ivp_run_once(const IvpProblem *problem, const SolverType *type, double rtol, double seconds,
                  const SolverOptions *more, IvpRun *run);
/* The same, and shows points on the way: after every so many steps. */
typedef struct {
    long every;
    void (*visit)(void *arg, Model *model, const SolverOptions *options, double t, const double *y, double h);
    void *arg;
} IvpWatch;
void ivp_run_watched(const IvpProblem *problem, const SolverType *type, double rtol, double seconds,
                     const SolverOptions *more, const IvpWatch *watch, IvpRun *run);
void ivp_run(const IvpProblem *problem, const SolverType *type, double rtol, double seconds, IvpRun *run);

/* overhead.c: an attempted step of a method, in ns of processor time. */
typedef struct {
    long steps, attempts;
    double f, solves; /* calls an attempt */
    double step_ns;   /* all */
    double f_ns;      /* of it in f and its Jacobian */
    double linear_ns; /* in factors and solves */
    double overhead_ns;
    /* the same where inverses are priced as such: overhead_ns takes away what factors and solves
     * with them would cost */
    double own_ns;
    /* of the history; of one-step methods evaluations of f, that is stages, of all iterations */
    double columns;
    double number_ns; /* overhead over unknowns and columns */
} IvpOverhead;

const IvpProblem *ivp_overhead_problem(size_t i); /* NULL past the last */
bool ivp_overhead_suits(const IvpProblem *problem, const SolverType *type);
/* False: a run failed. */
bool ivp_overhead(const IvpProblem *problem, const SolverType *type, double rtol, IvpOverhead *overhead);

#endif
