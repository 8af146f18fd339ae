/* irk.h: implicit Runge-Kutta methods of collocation type. */
#ifndef ACAUSAL_SOLVE_IRK_H
#define ACAUSAL_SOLVE_IRK_H

#include "solve/jacobian/jacobian.h"
#include "solve/tables/collocation.h"

extern const SolverType solver_implicit_euler, solver_radau3, solver_radau5, solver_radau, solver_gauss2,
    solver_gauss4, solver_gauss6;

/* |h| times a norm of the Jacobian that bounds its eigenvalues. */
double irk_stiffness(const Solver *s);
/* The Jacobian from before a restart is tried before a new one is made. */
void irk_trust_jacobian(Solver *s);
/* The collocation polynomial of the last step at t, with the next term as the error estimate shows
 * it: one order more. */
void irk_sample(const Solver *s, double t, double *y);
const Jacobian *irk_jacobian(const Solver *s);
void irk_coefficients(const SolverType *type, Collocation *method);

#endif
