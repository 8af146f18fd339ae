/* adams_bdf.h: Adams and BDF methods on Nordsieck arrays. */
#ifndef ACAUSAL_SOLVE_ADAMS_BDF_H
#define ACAUSAL_SOLVE_ADAMS_BDF_H

#include "solve/solve.h"

extern const SolverType solver_adams, solver_adams_newton, solver_adams_bashforth, solver_bdf,
    solver_switching;

/* How many times the step that stability allows error control asks for, of a method with both
 * families; 5 where it goes on with BDF. */
double nordsieck_stiffness(const Solver *s);
/* Before the first step: what the largest eigenvalue is about. */
void nordsieck_know_radius(Solver *s, double radius);
/* Goes on with Adams after all, with this step if it was about to change. */
void nordsieck_stay_plain(Solver *s, double h);

#endif
