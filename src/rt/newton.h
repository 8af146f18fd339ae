/* newton.h: LU of small dense and of sparse matrices, Newton's method, continuation.
 *
 * Where Newton's method fails, a path from the guess is followed by its length (rt/continue.c).
 * Linear blocks of 40 tearing variables and more, and others of 80, have sparse factors
 * (gen/torn.c, rt/sparse.c): where the pattern is nearly symmetric once rows are matched to
 * columns, pivots stay near that diagonal. Factors of a sparse nonlinear block serve for several
 * of Newton's steps, always from the first one of a solution on, so that the right-hand side stays
 * a pure function; in large blocks a bound for the growth of errors decides what is computed and
 * what is a tearing variable; where a few unknowns of a nonlinear block have start values and
 * choosing these first halves the number of tearing variables, they are chosen (dae/blocks.c).
 * Relations are constants inside blocks; run/event_iteration.c finds a pattern that agrees (asking
 * now and then, by watch, whether a time limit or the user ends that): all at once, then ties
 * held, then the first wrong one, then every pattern of those that moved. Where linear equations
 * leave an unknown open, as two frictions that hold one load do, it is held where it is; if events
 * crowd, another one of them is held. Conditions at the start that others imply by structure are
 * checked after the start, not solved. Derivatives whose factor is zero by parameters are taken
 * out before the index is reduced (dae/zero.c), and so are unknowns of such a factor from
 * equations that no matching without it has a place for: they are constraints. Such parameters are
 * structural then, and setting them translates anew (api/model.c). */
#ifndef ACAUSAL_RT_NEWTON_H
#define ACAUSAL_RT_NEWTON_H

#include "rt/instance.h"

/* ---- newton.c: small dense systems, rows one after the other --------------------------------- */

/* A = P L U in place. 0, or the first column without a pivot, counted from 1. */
int rt_lu_factor(double *a, int n, int *pivot);
void rt_lu_solve(const double *a, int n, const int *pivot, double *b);
void rt_lu_solve_transposed(const double *a, int n, const int *pivot, double *b); /* A' x = b */
/* The rank of A, which is destroyed. After it, rows[] are those that depend on others, cols[] the
 * unknowns that nothing determines; both have n places. */
int rt_lu_rank(double *a, int n, int *rows, int *cols);

/* ---- sparse.c: large systems of known pattern ------------------------------------------------ */

typedef struct {
    int n;
    const int *start, *row; /* by column */
    const int *order;       /* columns in the order in which they are eliminated */
    /* by column: the row that is its pivot unless that is small; NULL: the largest is */
    const int *diagonal;
} RtPattern;

typedef struct RtSparse RtSparse; /* the factors of one matrix; points to its pattern */

RtSparse *rt_sparse_new(const RtPattern *pattern); /* NULL when memory is out */
void rt_sparse_free(RtSparse *s);
/* 0, or the first column without a pivot (or without memory), counted from 1. */
int rt_sparse_factor(RtSparse *s, const double *values);
void rt_sparse_solve(const RtSparse *s, double *b);
/* How many columns were searched so far: all the first time, then those after a new pivot. */
long rt_sparse_searched(const RtSparse *s);

typedef RtStatus (*RtResidual)(void *user, const double *z, double *r);
typedef RtStatus (*RtJacobian)(void *user, const double *z, double *j);

typedef struct {
    int n;
    RtResidual residual;
    RtJacobian jacobian;
    void *user;
    const double *nominal;    /* n: the usual size of each unknown */
    const double *low, *high; /* n: bounds that steps keep away from; NULL: none */
    double *work;             /* 4 n */
    /* n * n: on success the factors of the Jacobian at the solution or near it */
    double *lu;
    int *pivot; /* n */
    /* else the factors are here, and lu has the entries of its pattern; NULL */
    RtSparse *sparse;
    int entries;    /* of the pattern */
    int looks;      /* one equation: rt_continue may go to a root far away */
    int iterations; /* out */
    int worst;      /* out, on failure: the residual or column to blame */
    double worst_value;
} RtNewton;

typedef enum { RT_SOLVED, RT_NO_CONVERGENCE, RT_SINGULAR, RT_NOT_DEFINED } RtSolve;

/* Solves r(z) = 0 from the guess in z to the level of rounding. Damped: a step is taken when the
 * simplified correction after it is smaller (Deuflhard's natural monotonicity test), halved until
 * then. */
RtSolve rt_newton(RtNewton *newton, double *z);

/* The same where that fails, along a path from the guess: continue.c. `room` has
 * rt_continue_room(n) doubles, `pivot` n + 1 places. */
size_t rt_continue_room(int n);
RtSolve rt_continue(RtNewton *newton, double *z, double *room, int *pivot);

#endif
