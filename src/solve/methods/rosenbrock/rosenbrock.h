/* rosenbrock.h: Rosenbrock methods. */
#ifndef ACAUSAL_SOLVE_ROSENBROCK_H
#define ACAUSAL_SOLVE_ROSENBROCK_H

#include "solve/solve.h"

extern const SolverType solver_rodas;

/* |h| times a norm of the Jacobian that bounds its eigenvalues. */
double rosenbrock_stiffness(const Solver *s);

#endif
