/* sens.h: derivatives of whole runs in parameters and start values.
 *
 * Forward: a model that carries its own derivatives, so that every integrator, the event loop and
 * the result files serve them as they serve any model. Backward: gradients of an end value by one
 * run back in time, whatever the number of parameters. Both pass events by the rules of
 * docs/methods.md. The model must have MODEL_PRODUCTS.
 *
 * forward.c makes a Model of (1 + m) n unknowns from a Model: integrators, the event loop, result
 * files and plots serve it as they are. Its shape has systems: Jacobian and mass matrix are those
 * of one vector, and linalg/ solves with its factors for all of them; ModelType.variation gives J
 * and f_p at a point, so that solve/variation/variation.c finds the others after the first. path.c
 * remembers a run (SimOptions.on_step) or marks to begin it again from, adjoint.c walks it back as
 * another Model; sundials.c is CVODES and IDAS for the same jobs. implicit.c makes a model with a
 * mass matrix and products of a residual F(t, y, y') that was written by hand. jump.c finds what
 * an event was due to, outputs.c makes derivatives values of a model. steps.c holds the steps and
 * events of a run (SimOptions.on_step and on_event) and goes over them as a numerical map;
 * steps_ahead.c carries its derivative along as a Model that integrates itself, so that sim/
 * writes its rows, steps_back.c is the transpose, steps_apart.c takes differences. One step and
 * its derivatives are in rk.c, which interval.c uses, too. In api/, vary.c makes instances with
 * other values (one a thread), objective.c a class with an expression as a variable. */
#ifndef ACAUSAL_SENS_H
#define ACAUSAL_SENS_H

#include "sim/sim.h"

/* ---- forward.c ------------------------------------------------------------------------------- */

/* A model of (1 + count) n unknowns: those of `inner` and, for each of `wrt` (its variables:
 * parameters, start values), their derivatives. Its values are those of `inner` and d(of)/d(wrt),
 * which are variables of it, too, of these names. `size` holds a typical size of each of `wrt` and
 * may be NULL. NULL: `why` says why not. */
Model *sens_forward_new(Model *inner, const int *wrt, int count, const double *size, const int *of,
                        int of_count, char *why, size_t room);
void sens_forward_free(Model *forward);
/* Where the derivative of of[i] in wrt[j] is among the values. */
int sens_forward_slot(const Model *forward, int i, int j);

/* ---- implicit.c: a general F(t, y, y', p) = 0 of index 1, without events --------------------- */

typedef struct {
    /* residual, initialise, values, set; residual_jacobian if there is one; shape.algebraic says
     * where no y' appears */
    Model *model;
    /* r = F_y dy + F_y' dyp + F_p dp + F_t dt, and back: gradient of y, p and t, gyp. NULL: by the
     * Jacobian and differences. */
    EvalStatus (*forward)(Model *model, double t, const double *y, const double *yp,
                          const ModelChange *change, const double *dyp, double *r);
    EvalStatus (*back)(Model *model, double t, const double *y, const double *yp, const double *weights,
                       ModelChange *gradient, double *gyp);
} SensImplicit;

/* The same with y' as unknowns, L u' = f(t, u, p), u = (y, y'), and products: for all that is
 * below. NULL: `why` says why not. */
Model *sens_implicit_new(const SensImplicit *implicit, char *why, size_t room);
void sens_implicit_free(Model *model);

/* ---- adjoint.c ------------------------------------------------------------------------------- */

/* What a run back in time cost. */
typedef struct {
    long steps_forward, steps_back, events;
    long checkpoints, recomputed; /* at once; steps that were taken again */
    double forward_s, backward_s; /* CPU time */
} SensAdjointStats;

typedef struct {
    int of;         /* a variable: its value at the end is what is differentiated */
    const int *wrt; /* variables: parameters, start values */
    int count;
    /* bytes for steps of the run; others are taken again from checkpoints; 0: 256 MB */
    size_t memory;
    /* is told the weights lambda of the states, n, at the steps back from the end; both at an
     * event; may be NULL */
    void (*visit)(void *arg, double t, const double *lambda, int n);
    void *visit_arg;
} SensAdjoint;

/* Runs the model as sim_run does, then back. gradient: count; *value: of the objective. */
bool sens_adjoint(Model *model, const SimOptions *options, const SensAdjoint *job, double *value,
                  double *gradient, SimReport *report, SensAdjointStats *stats);

/* ---- steps.c: the numerical map of a run over its steps, which are held, and its derivatives - */

typedef struct SensSteps SensSteps;
/* Runs the model with error control by options->solver, a Runge-Kutta method, and notes its steps.
 * NULL: the report says why. memory: bytes for them; 0: 256 MB. */
SensSteps *sens_steps_new(Model *model, const SimOptions *options, size_t memory, SimReport *report);
void sens_steps_free(SensSteps *steps);
const char *sens_steps_why(const SensSteps *steps); /* what went wrong last */

/* steps_ahead.c: a model that goes over the steps by itself, with values as those of
 * sens_forward_new; `inner` is a fresh instance. */
Model *sens_steps_ahead(SensSteps *steps, Model *inner, const int *wrt, int count, const int *of,
                        int of_count);
int sens_steps_ahead_slot(const Model *ahead, int i, int j);
void sens_steps_ahead_free(Model *ahead);

/* steps_back.c: the gradient of a variable at the end; `model` is a fresh instance. warning: "" if
 * there is none. */
bool sens_steps_back(SensSteps *steps, Model *model, const int *wrt, int count, int of, double *value,
                     double *gradient, char *warning, size_t room);

/* steps_apart.c: differences of runs over the same steps. */
typedef struct {
    Model *model; /* a fresh instance that is not moved */
    const int *wrt, *of;
    int count, of_count;
    const double *p; /* of wrt */
    /* with one of wrt moved, or none (-1) */
    Model *(*instance)(void *arg, int parameter, double value);
    void (*release)(void *arg, Model *model);
    void *arg;
} SensApart;

/* values: of_count, of the run that is not moved; d: of_count x count. */
bool sens_steps_apart(SensSteps *steps, const SensApart *job, double *values, double *d, char *warning,
                      size_t room);

/* ---- sundials.c: by CVODES, or IDAS where there is a mass matrix, for models without events -- */

typedef struct {
    Model *model; /* not initialised */
    const SimOptions *options;
    const int *wrt; /* variables */
    int count;
    const double *size; /* of each of them */
} SensForeign;

/* y: n unknowns at the end; derivatives: count vectors of n. False: `why` says why. */
bool sens_foreign_forward(const SensForeign *job, double *y, double *derivatives, char *why, size_t room);
/* Of a variable at the end; gradient: count. */
bool sens_foreign_adjoint(const SensForeign *job, int of, double *value, double *gradient, char *why,
                          size_t room);

/* ---- interval.c ------------------------------------------------------------------------------ */

/* The map x(t1) = Phi(x(t0), u0, u1, p) of one interval without events, for optimal control and
 * estimation. */
typedef struct {
    Model *model; /* initialised */
    /* "rk4" (NULL), "sdirk3", or a Runge-Kutta one among the integrators: "dopri5", "radau5" */
    const char *method;
    int steps;         /* equal ones */
    const int *inputs; /* variables; constant u0, or with is_linear from u0 to u1 */
    int input_count;
    bool is_linear;
    const int *parameters; /* variables that derivatives are wanted in */
    int parameter_count;
} SensInterval;

typedef struct SensMap SensMap;
/* NULL: `why` says why not */
SensMap *sens_map_new(const SensInterval *interval, char *why, size_t room);
void sens_map_free(SensMap *map);
/* end: n. derivatives: vectors of n, for each of x, u0, u1 and p in this order; NULL: not wanted.
 * They are those of the computed map, to rounding. False: the model cannot be evaluated on the
 * way. */
bool sens_map_forward(SensMap *map, double t0, double t1, const double *x, const double *u0, const double *u1,
                      double *end, double *derivatives);
/* For the interval of the last call: weights^T d Phi / d (x, u0, u1, p), n + 2 input_count +
 * parameter_count numbers. */
bool sens_map_back(SensMap *map, const double *weights, double *gradient);

#endif
