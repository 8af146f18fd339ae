/* erk.h: explicit Runge-Kutta methods. */
#ifndef ACAUSAL_SOLVE_ERK_H
#define ACAUSAL_SOLVE_ERK_H

#include "solve/solve.h"

extern const SolverType solver_euler, solver_rk4, solver_rkf45, solver_dopri5, solver_dop853;

/* How many times the stable step the last step was (explicit Runge-Kutta, once watched): above 1
 * stability limits it. */
void erk_watch_stiffness(Solver *s);
double erk_stiffness(const Solver *s);

#endif
