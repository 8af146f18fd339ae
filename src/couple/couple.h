/* couple.h: the door of the couple room: several FMUs that are connected, as one Model.
 *
 *     Couple *couple = couple_open("loop.ssd", &limits, sources, diag);    the FMUs and their
 *     connections
 *     Model *model = couple_model(couple, &options, diag);        for sim_run, like any other
 *
 * FMUs for model exchange are solved together, as one system of equations, by one integrator, and
 * their connections hold in every evaluation. FMUs for co-simulation take communication steps, with
 * all the others around them.
 *
 * structure.c of fmi/ reads which FMUs are connected; order.c sorts the connections by what
 * depends on what without delay (strong components of links) and solves loops. All parts for model
 * exchange are one Model (coupled.c): with only such parts sim/ drives it like any other. With
 * parts for co-simulation master.c makes communication steps around them; that Model integrates
 * itself. */
#ifndef ACAUSAL_COUPLE_H
#define ACAUSAL_COUPLE_H

#include "fmi/fmi.h"
#include "solve/solve.h"

typedef struct Couple Couple;

typedef struct {
    FmuOptions fmu;
    /* of what is for model exchange, beside co-simulation; NULL: chosen */
    const SolverType *solver;
    SolverOptions solver_options;
    /* all components step at once from the same values; else one after the other */
    bool is_jacobi;
    bool holds;         /* inputs keep their value over a step; else they go on as straight lines */
    double fixed_step;  /* > 0: communication steps of this size, without control */
    const char *prefer; /* "me" or "cs" for components that can be both; NULL: me */
} CoupleOptions;

/* NULL after an error. */
Couple *couple_open(const char *path, const FmuLimits *limits, Sources *sources, Diag *diag);
const SystemDescription *couple_description(const Couple *couple);
/* An instance; the one before it ends. NULL after an error. */
Model *couple_model(Couple *couple, const CoupleOptions *options, Diag *diag);
void couple_close(Couple *couple); /* NULL is fine */

/* What the master did; zeros where nothing is for co-simulation. */
typedef struct {
    long steps, rejected, loops, loop_iterations, events;
    bool is_controlled;
} CoupleStats;
CoupleStats couple_stats(const Couple *couple);

#endif
