/* algebra.h: systems of equations F(x) = 0 (algebra.c), and consistent initial values by them
 * (consistent.c). */
#ifndef ACAUSAL_SOLVE_ALGEBRA_H
#define ACAUSAL_SOLVE_ALGEBRA_H

#include "solve/jacobian/jacobian.h"

/* ---- algebra.c: systems of equations --------------------------------------------------------- */

/* F(x) = 0. RETRY of `matrix`: it is singular, or not defined here. */
struct AlgebraicSystem {
    int n;
    void *data;
    EvalStatus (*residual)(void *data, const double *x, double *r);
    EvalStatus (*matrix)(void *data, const double *x); /* makes `values` and the factors of it */
    const MatrixShape *shape;
    const double *values;
    Lu *lu;
    /* 1/weight is a change of an unknown that counts */
    const double *weight;
    void (*rescale)(void *data, const double *x); /* makes weights anew; may be NULL */
    double enough;                                /* size of a correction that rounding may leave */
    double *x;                                    /* guess, and solution */
    double *r, *d, *first, *trial;                /* F, M^-1 F, scratch */
    SolverStats *stats;
    int blamed;
};

/* Makes its vectors. */
void algebraic_setup(Solver *s, AlgebraicSystem *system);
/* r = F(x) and d = M^-1 r with the last factors; *size: of d. */
EvalStatus algebraic_correct(AlgebraicSystem *system, const double *x, double *size);
extern const AlgebraicType algebraic_newton;

/* ---- consistent.c: initial values of index-1 equations --------------------------------------- */

typedef struct {
    Solver *s;
    Jacobian *jacobian;
    AlgebraicSystem system;
    unsigned char *algebraic;
    int algebraic_count;
    bool slopes;      /* y' is wanted, too */
    bool euler;       /* the unknowns are y after a tiny step */
    bool singular;    /* the last matrix was */
    bool is_singular; /* L may be */
    bool is_known;    /* df/dy is that of `known`: after a solution, of y */
    double *weight;
    double *y, *yp; /* as the unknowns say */
    double *known;  /* where df/dy was made */
    double *matrix; /* for L y' = f */
    double h, c;    /* the tiny step, and 1/h; c = 0: not known yet */
} Consistent;

void consistent_setup(Solver *s, Jacobian *jacobian, Lu *lu, bool slopes, Consistent *work);
/* Changes s->y where it is algebraic and, with slopes, s->yp, until the equations hold to a small
 * part of the tolerances. False: s->failure is set. The Jacobian is left without a value, or,
 * without slopes and for L y' = f, with that of y or nearly so; the factors are overwritten. */
bool consistent_solve(Consistent *work, const double *weight);

#endif
