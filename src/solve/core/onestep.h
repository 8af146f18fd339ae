/* onestep.h: the driver of one-step methods (onestep.c), and their dense output from slopes at the
 * ends of steps (hermite.c). */
#ifndef ACAUSAL_SOLVE_ONESTEP_H
#define ACAUSAL_SOLVE_ONESTEP_H

#include "solve/core/control.h"
#include "solve/core/vectors.h"

typedef struct OneStep OneStep;

/* What a one-step method brings. `attempt` computes y_new and the weighted error for a step h from
 * (t, y); `accept` is told that y_new is right, before y is overwritten, and may prepare dense
 * output; `begin` is called after setup and restarts with (t, y) in place. */
typedef struct {
    EvalStatus (*begin)(OneStep *one);
    TryResult (*attempt)(OneStep *one, double h, double *error);
    TryResult (*accept)(OneStep *one, double h);
    const double *(*slope)(
        const OneStep *one); /* f where begin was called; NULL: it was not evaluated there */
} OneStepOps;

/* What first steps after events of one kind could be. */
enum { STEP_MEMORY = 8 };
typedef struct {
    RestartHint hint;
    double mark;  /* the logarithm of ||f||, in tolerances */
    double reach; /* the step that would have been right; 0: not known */
    double trust; /* less after rejections */
} StepMemory;

struct OneStep {
    Solver base;
    const OneStepOps *ops;
    double *y_new, *error, *weight; /* error and weight: for the blame when a step fails */
    double *y_start;                /* where the last accepted step began, for dense output */
    double retry_factor;            /* after TRY_NEWTON; set by attempt */
    /* set by attempt: the next step size, signed; 0: by the controller */
    double proposal;
    double safety;         /* for the controller, set by attempt; 0: its own */
    int order, iterations; /* what attempt did, for the log */
    unsigned flags;
    struct {
        Control control;
        double h;     /* proposal for the next step, signed; 0: none yet */
        bool started; /* begin was called */
        int failures_in_a_row;
        RestartHint hint; /* of the last restart */
        StepMemory memory[STEP_MEMORY];
        int remembered, present; /* entries; that of the last event */
        double t_event, span;    /* of the last event; time between events, the longest of late */
    } state;
};

/* Fills the common part; call first in setup. */
bool onestep_setup(OneStep *one, const OneStepOps *ops, Control control);
StepStatus onestep_step(Solver *s, double t_limit);
/* What the first step does before it steps: evaluates, and chooses its size. */
StepStatus onestep_begin(OneStep *one);
/* y_new becomes y, and y what y_start says. */
void onestep_move_on(OneStep *one);
bool onestep_restart(Solver *s, RestartHint hint);
/* A first step where f is not the slope: with a mass matrix, or of a residual. */
double onestep_first_of_mass(const Solver *s);

/* ---- hermite.c ------------------------------------------------------------------------------- */

/* Dense output from values and slopes at the ends of steps. quartic and quintic are y and y' at the
 * start of the step before until someone asks. */
typedef struct {
    double *f_start, *f_end, *quartic, *quintic;
    struct {
        double t, h, h_before; /* the last step, and the one before; 0: none */
        bool is_quintic;       /* quartic and quintic are the coefficients */
    } at;
} Hermite;

/* f_end: a kept vector. */
void hermite_setup(Hermite *dense, Solver *s, double *f_end);
/* Before s->y and s->core.t move on: a step of size h from the slope in f_end to f1, which will be
 * there. */
void hermite_accept(Hermite *dense, OneStep *one, const double *f1, double h);
/* The same to y1, with second derivatives at both ends. f0 may be the f_end of the last step. */
void hermite_accept_curved(Hermite *dense, const Solver *s, const double *y1, const double *f0,
                           const double *f1, const double *curve0, const double *curve1, double h);
/* Makes what is missing; that is no part of what a caller of the solver can see. */
void hermite_at(Hermite *dense, const Solver *s, double t, double *y);
void hermite_restart(Hermite *dense);

#endif
