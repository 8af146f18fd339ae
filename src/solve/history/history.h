/* history.h: how multistep methods get a history, at the start and after events (restart.c), by
 * explicit starters (starter.c) and a step of Radau IIA (implicit_starter.c). */
#ifndef ACAUSAL_SOLVE_HISTORY_H
#define ACAUSAL_SOLVE_HISTORY_H

#include "solve/core/multistep.h"
#include "solve/history/nordsieck.h"
#include "solve/jacobian/jacobian.h"

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

enum { STARTER_STAGES = 6, STARTER_COLUMNS = 6, IMPLICIT_ORDER = 4, MIDDLE_STAGES = MIDDLE_ORDER + 1 };

/* The starters of a multistep method and what decides between them. Vectors that the method has
 * anyway are lent by it. */
typedef struct {
    MultiStep *multi;
    const NordsieckFamily *family; /* that goes on after the starter */
    bool newton;                   /* it iterates by Newton's method */
    bool algebraic;                /* an explicit step is no solution */
    struct {
        double size; /* of the largest eigenvalue of df/dy, about; below 0: not known */
        /* systems that the last Jacobian was made for, whose radius is not made yet; 0: it
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

#endif
