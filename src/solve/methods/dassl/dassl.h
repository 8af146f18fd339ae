/* dassl.h: BDF for F(t, y, y') = 0. */
#ifndef ACAUSAL_SOLVE_DASSL_H
#define ACAUSAL_SOLVE_DASSL_H

#include "solve/solve.h"

extern const SolverType solver_dassl;

#endif
