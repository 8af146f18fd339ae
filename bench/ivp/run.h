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

#endif
