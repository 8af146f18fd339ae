/* multistep.h: the driver of multistep methods (multistep.c). */
#ifndef ACAUSAL_SOLVE_MULTISTEP_H
#define ACAUSAL_SOLVE_MULTISTEP_H

#include "solve/core/solver.h"

typedef struct MultiStep MultiStep;

/* What a multistep method brings. Its history belongs to accepted steps: `attempt` computes y_new
 * and the weighted error of a step of this size and order from the history without changing it, so
 * a rejected trial leaves no trace and a recorded step can be repeated bit for bit. `accept` makes
 * the attempt part of the history and proposes size and order of the next step, `reject` those of
 * the next attempt. `begin` makes a history at (t, y) and a first proposal, `drop` one of order 1
 * where a run has lost its way. */
typedef struct {
    EvalStatus (*begin)(MultiStep *multi);
    EvalStatus (*drop)(MultiStep *multi);
    TryResult (*attempt)(MultiStep *multi, double h, int order, double *error);
    void (*accept)(MultiStep *multi, double h, int order, double error);
    void (*reject)(MultiStep *multi, TryResult result, double h, double error);
} MultiStepOps;

struct MultiStep {
    Solver base;
    const MultiStepOps *ops;
    double *y_new, *error, *weight;
    const StepRecord *record; /* while a step is repeated: attempt obeys its iterations and flags */
    int iterations;           /* what attempt did, for the log */
    unsigned flags;
    double t_new;   /* during accept: the end of the step */
    double t_limit; /* of the step at work */
    struct {
        double h; /* proposal, signed; 0: none yet */
        int order;
        int failures;       /* trials rejected since the last accepted step */
        int error_failures; /* of these, by the error test */
        bool started;       /* begin was called */
    } state;
};

/* Starters, by what records call their order; the middle one has order MIDDLE_ORDER. */
enum { SHORT_STARTER = 3, STARTER_ORDER = 4, IMPLICIT_STARTER = 5, MIDDLE_STARTER = 6, MIDDLE_ORDER = 4 };

bool multistep_setup(MultiStep *multi, const MultiStepOps *ops);
StepStatus multistep_step(Solver *s, double t_limit);

#endif
