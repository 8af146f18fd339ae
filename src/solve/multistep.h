/* multistep.h: what files of multistep methods share: their driver, Nordsieck arrays, starters,
 * restarts after events. The rest of the room is in inside.h. */
#ifndef ACAUSAL_SOLVE_MULTISTEP_H
#define ACAUSAL_SOLVE_MULTISTEP_H

#include "solve/inside.h"

/* ---- multistep.c: the driver of multistep methods -------------------------------------------- */

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

bool multistep_setup(MultiStep *multi, const MultiStepOps *ops);
StepStatus multistep_step(Solver *s, double t_limit);

/* ---- nordsieck.c: arrays of scaled derivatives and the coefficients of Adams and BDF methods - */

enum { NORDSIECK_MOST = 12, NORDSIECK_COLUMNS = NORDSIECK_MOST + 2 };

/* A method of order q changes the predicted array by z_j += l_j e, j = 0..q, where l is the
 * polynomial with
 *   Adams: l' ~ (x+1)...(x+q-1), l(-1) = 0;   BDF: l ~ (x+1)...(x+q);   both l'(0) = 1.
 * Then q! l_q e = h^(q+1) y^(q+1), and error_constant[q] times that is the local error. The
 * weighted errors are
 *   of this step test[q] |e|; of order q+1 test_up[q] |e - e_old|; of order q-1 test_down[q]
 * |z_q|. */
typedef struct {
    int most;
    double l[NORDSIECK_MOST + 1][NORDSIECK_MOST + 1];
    double error_constant[NORDSIECK_MOST + 2];
    double test[NORDSIECK_MOST + 1], test_up[NORDSIECK_MOST + 1], test_down[NORDSIECK_MOST + 1];
} NordsieckFamily;

/* How much larger a step may be after an error with this exponent; bias > 1 is for safety. */
#define NORDSIECK_LEAST 1e-6 /* an error of 0 says nothing about how far one could go */
static inline double nordsieck_step_factor(double bias, double error, double exponent)
{
    return 1.0 / (bias * pow(error, exponent) + bias * NORDSIECK_LEAST);
}

void nordsieck_adams(NordsieckFamily *family);
void nordsieck_bdf(NordsieckFamily *family);
/* w = the array z of order q, rescaled to ratio times its step, at the end of that step. Works on
 * whole groups of four components, for which solver_vector has room. */
void nordsieck_predict(int n, double *const *z, int q, double ratio, double *const *w);
/* z = w + l e, column by column; on whole groups of four components, too. */
void nordsieck_correct(int n, double *const *w, int q, const double *l, const double *e, double *const *z);
/* Moves the array by x of its steps in place. */
void nordsieck_shift(int n, double *const *z, int q, double x);
/* The polynomial at x steps from where the array is; with its slope, h y'. */
void nordsieck_at(int n, double *const *z, int q, double x, double *y);
void nordsieck_slope_at(int n, double *const *z, int q, double x, double *y, double *slope);
/* The array of order q whose polynomial has z_0 = y and the derivatives f[j] / h at 0, 1, .., q-1
 * steps. */
void nordsieck_of_derivatives(int n, int q, const double *y, double h, double *const *f, double *const *z);
/* The array of order q of the polynomial through y[j] at j = 0, .., q steps. */
void nordsieck_of_values(int n, int q, double *const *y, double *const *z);
/* node[i] = y + h times the integral of that polynomial's derivative from 0 to i. */
void nordsieck_integral(int n, int q, const double *y, double h, double *const *f, int i, double *node);

/* ---- implicit_starter.c: Radau IIA steps as starters ----------------------------------------- */

typedef struct {
    Solver *inner; /* NULL: there is none */
} ImplicitStarter;

/* Whether a run may need it. */
bool implicit_wanted(const Solver *s);
bool implicit_setup(Solver *s, ImplicitStarter *starter);
void implicit_destroy(ImplicitStarter *starter);
bool implicit_restored(ImplicitStarter *starter);
/* At (t, y) of s; H is the step that will be tried. */
EvalStatus implicit_begin(Solver *s, ImplicitStarter *starter, double H);
/* Fills y_new, error and iterations of multi. */
TryResult implicit_attempt(Solver *s, ImplicitStarter *starter, double H, const double *weight,
                           MultiStep *multi, double *error);
/* The attempt holds; returns what of RECORD_... it did. */
unsigned implicit_accept(ImplicitStarter *starter, double H);
/* df/dy as it was at its beginning, or before. */
void implicit_lend_jacobian(const ImplicitStarter *starter, Jacobian *to);
/* Its polynomial, of degree IMPLICIT_ORDER, at t. */
void implicit_sample(const ImplicitStarter *starter, double t, double *y);

/* ---- starter.c, restart.c: how multistep methods go on after an event ------------------------ */

/* How a method begins after an event: the last one takes the history on. */
typedef enum {
    BEGIN_AT_ONE,
    BEGIN_BY_STARTER,
    BEGIN_BY_EXTRAPOLATION,
    BEGIN_BY_RESPONSE,
    BEGIN_WAYS
} RestartWay;

typedef struct {
    double work, time;
} PhaseCost;

/* What is known of events of one kind: how they looked, and what happened then. */
enum { EVENT_MEMORY = 8, EVENT_MARKS = 3, STARTERS = 4 };
typedef struct {
    double mark[EVENT_MARKS];
    /* steps that starters could take, from SHORT_STARTER on; 0: not known */
    double reach[STARTERS];
    /* reach of the long one over that of the short one when the former was last seen; 0: not
     * known */
    double ratio;
    PhaseCost cost[BEGIN_WAYS]; /* work and time after such events, faded */
    double trust;               /* in these reaches: they scatter from event to event */
    double span;                /* the longest of late to the next event; 0: not known */
    bool renew;                 /* the Jacobian from before did not serve */
    int unresponsive;           /* events until the linear response is tried again */
} EventMemory;

/* Starters, by what records call their order. */
enum { SHORT_STARTER = 3, STARTER_ORDER = 4, IMPLICIT_STARTER = 5, MIDDLE_STARTER = 6 };
enum { STARTER_STAGES = 6, STARTER_COLUMNS = 6, IMPLICIT_ORDER = 4, MIDDLE_STAGES = 5 };

/* The starters of a multistep method and what decides between them. Vectors that the method has
 * anyway are lent by it. */
typedef struct {
    MultiStep *multi;
    const NordsieckFamily *family; /* that goes on after the starter */
    bool newton;                   /* it iterates by Newton's method */
    bool algebraic;                /* an explicit step is no solution */
    struct {
        double size; /* of the largest eigenvalue of df/dy, about; below 0: not known */
        /* copies of f that the last Jacobian was made for, whose radius is not made yet; 0: it
         * is */
        int due;
    } radius;
    const Jacobian *jacobian;   /* of the method, if it has one */
    double *jacobian_weight;    /* weights where it was made */
    double longest;             /* step of a starter that stability allows; 0: not known */
    double *w[STARTER_COLUMNS]; /* the array of an attempt, at its end */
    double *scratch[3];
    double *k[STARTER_STAGES], *slope; /* stages, and y' where the starter begins */
    double weight[5][5];               /* of the derivatives on the starter's grid in its array */
    ImplicitStarter implicit;
    struct {
        double h; /* the step of w, signed */
        int columns;
        bool starting; /* the next attempt is the starter's */
        bool begun;    /* the implicit starter is where that begins */
        int failures;
        EventMemory memory[EVENT_MEMORY];
        int remembered, present; /* entries; that of the last event, -1 if none */
        bool recalled;           /* the last event is noted */
        double t_event, work_event;
        double jump, bend; /* of y and y' at it, in tolerances */
        RestartWay way;    /* how the method began after it */
    } state;
} Restart;

extern const double starter_a[STARTER_STAGES][STARTER_STAGES], starter_b[STARTER_STAGES],
    starter_c[STARTER_STAGES];
/* Of order 4 with five stages, the last at the result; middle_d: its difference to a result of
 * order 3. */
extern const double middle_a[MIDDLE_STAGES][MIDDLE_STAGES], middle_c[MIDDLE_STAGES], middle_d[MIDDLE_STAGES];
void starter_setup(Restart *r);
/* A step H from y with r->slope; by SHORT_STARTER, .. */
TryResult starter_attempt(Restart *r, double H, int starter, double *error);
/* The attempt holds: its array is in w, its size and number in state. */
void starter_accept(Restart *r, double H, int starter);
/* The array z of order p at the beginning, with step H, by extrapolation; f there is in z[1]. w: p
 * + 1 vectors of scratch. */
EvalStatus starter_fill(Restart *r, int p, double H, double *const *z, double *const *w);

/* After multistep_setup; w, columns 0 .. 5, and scratch are the method's. False: failure is set. */
bool restart_setup(Restart *r, MultiStep *multi, const Jacobian *jacobian, double *const *w,
                   double *const *scratch, bool stiff);
void restart_destroy(Restart *r);
/* The Jacobian was made anew, or that failed half way. How far explicit starters could go with it
 * is asked for after events only, so its radius is made there, before anything else is written in
 * its place. */
void restart_note_jacobian(Restart *r, bool is_good);
void restart_make_radius(Restart *r);
/* Where the history before the event, drawn on to it, has y and y' = per slope (NULL: there is
 * none); y' after it is in r->slope. */
void restart_measure(Restart *r, const double *y, const double *slope, double per);
/* Whether the change is so small that the history may be tried, with a step h. */
bool restart_small(const Restart *r, double h);
/* Notes the event and says whether the history may get the linear response to it; and that it was
 * no good. */
bool restart_may_respond(Restart *r);
void restart_blame_response(Restart *r);
/* Notes the event and says how to begin. The starter's step is proposed; for extrapolation, size
 * and order of the array. */
RestartWay restart_begin(Restart *r);
/* After a quarter of the long starter, whose third-order estimate is `error`: how many times too
 * long its step probably is, going by what both starters could do after such events; 0: not
 * known. */
double restart_doubt(const Restart *r, double quarter, double error);
/* Whether the Jacobian from before the event is tried after it; and that it was no good. */
bool restart_carries_jacobian(const Restart *r);
void restart_blame_jacobian(Restart *r);
/* The starter's attempt holds: its array is in w; the next step is proposed. */
void restart_accept(Restart *r, double H, int starter, double error);
/* False: the method begins at order 1 instead. */
bool restart_reject(Restart *r, TryResult result, double H, double error);

/* ---- adams_bdf.c, corrector.c, stiffness.c: methods on Nordsieck arrays ---------------------- */

enum { FAMILY_ADAMS, FAMILY_BDF };

/* What a row of the registry chooses. */
typedef struct {
    int family;
    bool newton;   /* for Adams; BDF always iterates by Newton */
    bool switches; /* between Adams (functional) and BDF (Newton) */
} NordsieckChoice;

typedef struct {
    MultiStep multi;
    const NordsieckChoice *choice;
    double calibration; /* of BDF */
    NordsieckFamily family[2];
    double *z[NORDSIECK_COLUMNS]; /* the history at state.t, scaled by state.h */
    double *w[NORDSIECK_COLUMNS]; /* its prediction for the attempt */
    double *e_old;                /* multi.error is e of the attempt */
    double *f, *f_predicted, *update;
    double *y_jacobian; /* where the Jacobian was made, or tested last */
    Restart restart;
    Consistent consistent;
    bool mass; /* L y' = f: the corrector's equation is L (w_1 + e) = h f */
    Jacobian jacobian;
    Variation variation;
    Lu *lu, *exact; /* exact: of `variation` */
    double *matrix;
    Memory memory; /* of BDF */
    double count;  /* how many times an error counts in this attempt */
    struct {
        double t, h;
        double scale; /* of the weights */
        /* the largest RMS of rtol y / atol so far: below 1 atol is what asks for digits */
        double extent;
        int order, family; /* of the history */
        int family_next;   /* of the next attempt */
        int wait;          /* accepted steps until size and order are thought over */
        double error;      /* of the last step */
        double growth;     /* bound for the next change of the step */
        double rate_seen;  /* measured with this Jacobian; 0: not yet */
        /* the update that it was measured from, in units of the error test; 0: none */
        double first_seen;
        double rate;       /* of the iteration, as known from the last steps */
        double c_factored; /* the matrix is c I - J */
        /* strange: J or factors come from a trial that was not accepted */
        bool factored, strange;
        int jacobian_age, factor_age; /* accepted steps */
        /* stiffness.c: */
        /* steps before a change is thought of; steps whose rates are asked for */
        int switch_wait, suspicion;
        double lipschitz, lipschitz_last, jacobian_norm;
        double radius; /* of the largest eigenvalue where the run began, faded; 0: not known */
        /* mean cosine between an error and what the equations make of it: -1 damped, 0 swinging */
        double turn;
        int turns; /* cosines in it */
        /* logarithm of what Adams methods have added to the size of what swings undamped */
        double grown;
        /* what error control asked for over what stability allowed where it decided, the last two
         * times; 0: it did not */
        double wanted[2];
        bool held;       /* the step was held back by stability */
        bool keeping;    /* the next attempt is the test of a history kept over a small change */
        bool responding; /* or of one with the linear response to a large one */
        bool carried;    /* the Jacobian is from before the last event */
        bool reaches;    /* the history did so to the last event */
    } state;
} Nordsieck;

/* Solves y = w_0 + l_0 e, h f(t + h, y) = w_1 + e for e (multi.error) and y (multi.y_new). */
TryResult corrector_solve(Nordsieck *m, double h, int order);
bool corrector_setup(Nordsieck *m);
static inline Damping corrector_damping(const Nordsieck *m) /* by the last factors */
{
    return (Damping){ .lu = m->lu, .c = m->state.c_factored };
}
/* The weighted size of an error v of y, filtered by the matrix where there is an L (as in
 * dassl.c). */
double corrector_error_norm(Nordsieck *m, const double *v);
/* A history begins: nothing is known about stiffness. */
void stiffness_begin(Nordsieck *m);
/* max_i w_i sum_j |J_ij| / w_j; the last three: scratch. */
double stiffness_norm(const Jacobian *jacobian, const double *weight, double *matrix, double *tolerance,
                      double *sum);
/* An estimate of the size of the largest eigenvalue, below 0 if there is none; the last two:
 * scratch. */
double stiffness_radius(const MatrixShape *shape, const double *values, const double *weight, double *v,
                        double *next);
/* Iterations that are needed to learn a rate. */
int stiffness_least_iterations(const Nordsieck *m, int order);
/* The rate of an iteration, 0 if there was one update only, and the cosine between its first two
 * updates. */
void stiffness_note_rate(Nordsieck *m, double h, int order, double rate, double turn);
/* Bounds the factors of the three orders by stability; whether that decides. */
bool stiffness_hold(Nordsieck *m, double h, int order, double *down, double *same, double *up);
/* Where a run begins: the longest step of this order (0: of a starter) that stability allows; 0
 * where that is not known. */
double stiffness_first(const Nordsieck *m, int order);
/* Whether the family changes after this step; then the next step is proposed. */
bool stiffness_switch(Nordsieck *m, double h, int order, double error);

#endif
