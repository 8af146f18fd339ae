/* inside.h: what files of Adams and BDF methods share: the method (adams_bdf.c), its implicit
 * equation (corrector.c), and the change between the families (stiffness.c). */
#ifndef ACAUSAL_SOLVE_ADAMS_BDF_INSIDE_H
#define ACAUSAL_SOLVE_ADAMS_BDF_INSIDE_H

#include "solve/core/damping.h"
#include "solve/core/multistep.h"
#include "solve/history/history.h"
#include "solve/methods/adams_bdf/adams_bdf.h"
#include "solve/nonlinear/algebra.h"
#include "solve/variation/variation.h"

enum { FAMILY_ADAMS, FAMILY_BDF, FAMILY_BASHFORTH, FAMILIES };

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
    NordsieckFamily family[FAMILIES];
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
