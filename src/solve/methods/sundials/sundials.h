/* sundials.h: the integrators of SUNDIALS, and KINSOL. */
#ifndef ACAUSAL_SOLVE_SUNDIALS_H
#define ACAUSAL_SOLVE_SUNDIALS_H

#include "solve/solve.h"

extern const SolverType solver_cvode_adams, solver_cvode_bdf, solver_ida, solver_arkode_erk,
    solver_arkode_esdirk, solver_arkode_imex;

extern const AlgebraicType algebraic_kinsol;

/* A tableau as ARKODE takes it; rows of `a` are complete. */
typedef struct {
    const char *name;
    int stages, order, embedded;
    bool implicit;
    double *a, *b, *b_hat, *c;
} ForeignTableau;

/* Fills the rest of a type that has its name. */
void arkode_of_tableau(Arena *arena, const ForeignTableau *tableau, SolverType *type);

#endif
