/* dirk.h: diagonally implicit Runge-Kutta methods. */
#ifndef ACAUSAL_SOLVE_DIRK_H
#define ACAUSAL_SOLVE_DIRK_H

#include "solve/solve.h"

extern const SolverType solver_trbdf2, solver_sdirk4, solver_esdirk3, solver_esdirk4, solver_esdirk5;

#endif
