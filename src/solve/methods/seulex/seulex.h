/* seulex.h: extrapolation of the linearly implicit Euler method. */
#ifndef ACAUSAL_SOLVE_SEULEX_H
#define ACAUSAL_SOLVE_SEULEX_H

#include "solve/solve.h"

extern const SolverType solver_seulex;

#endif
