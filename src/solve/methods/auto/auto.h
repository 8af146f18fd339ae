/* auto.h: the default, which chooses among methods. */
#ifndef ACAUSAL_SOLVE_AUTO_H
#define ACAUSAL_SOLVE_AUTO_H

#include "solve/solve.h"

extern const SolverType solver_auto;

#endif
