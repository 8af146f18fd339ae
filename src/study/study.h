/* study.h: what is done with many runs: designs, least squares, minima, samples. Nothing here knows
 * what a model is: runs are functions that the caller gives. */
#ifndef ACAUSAL_STUDY_H
#define ACAUSAL_STUDY_H

#include "base/base.h"
#include "study/design.h"
#include "study/uncertainty.h"

#include <signal.h>

/* ---- least_squares.c ------------------------------------------------------------------------- */

/* Residuals at p: n values r and, column by column, J[j * n + i] = dr_i/dp_j. False: there are none
 * at p. */
typedef bool (*FitResiduals)(void *arg, const double *p, double *r, double *jacobian);

typedef struct {
    int n, m; /* residuals, parameters */
    FitResiduals residuals;
    void *arg;
    const double *low, *high;               /* m; may be infinite */
    const double *size;                     /* m: typical sizes, not 0 */
    double tolerance;                       /* relative, of parameters; 0: 1e-8 */
    int most_iterations;                    /* 0: 60 */
    const volatile sig_atomic_t *interrupt; /* may be NULL */
} FitProblem;

typedef enum {
    FIT_DONE,
    FIT_STOPPED,
    FIT_NO_START
} FitEnd; /* STOPPED: iterations were not enough, or no way on */

/* What is known at the minimum. Arrays live in the arena given. */
typedef struct {
    FitEnd end;
    double *p, *r;       /* the best parameters, their residuals */
    double sum;          /* of squares */
    double noise;        /* sqrt(sum / (n - m)): the standard deviation of a residual */
    double *deviation;   /* m: standard deviations of parameters; INFINITY: the data do not tell */
    double *low, *high;  /* m: 95 % intervals */
    double *correlation; /* m x m */
    /* m: singular values of J with columns scaled by the size of parameters, falling */
    double *singular;
    double *direction; /* m: the scaled direction that belongs to the least of them */
    bool *at_bound;    /* m */
    int iterations, evaluations;
} FitResult;

/* From p, which stays as it is. */
void fit_least_squares(const FitProblem *problem, const double *p, Arena *arena, FitResult *result);

/* ---- minimise.c ------------------------------------------------------------------------------ */

/* A value and its gradient; false: there is none at p. */
typedef bool (*MinimiseValue)(void *arg, const double *p, double *value, double *gradient);

typedef struct {
    int m;
    MinimiseValue value;
    void *arg;
    const double *low, *high, *size;
    double tolerance;
    int most_evaluations;  /* 0: 500 */
    const char *algorithm; /* one of minimise_algorithms; NULL: the first */
} MinimiseProblem;

extern const char *const minimise_algorithms[];
extern const size_t minimise_algorithm_count;

/* False: `why` says why there is no minimum. p: from where, and the best found. */
bool minimise(const MinimiseProblem *problem, double *p, double *value, int *evaluations, char *why,
              size_t room);

/* ---- svd.c, quantile.c, sample.c ------------------------------------------------------------- */

/* a (n x m, column by column) becomes U diag(s): its columns orthogonal, falling in length; v (m x
 * m) the rotations: A = U diag(s) V^T. n may be less than m. */
void svd_columns(int n, int m, double *a, double *s, double *v);
/* The value that a t-distributed number with so many degrees of freedom stays below with this
 * probability. */
double student_quantile(double probability, double freedom);
/* The probability of at most k successes in n trials. */
double binomial_at_most(size_t k, size_t n, double probability);

typedef struct {
    uint64_t state;
} Random;

double random_uniform(Random *random); /* in (0, 1) */
double random_normal(Random *random);
/* `count` points of [0, 1]^m, one after the other, each coordinate once in each of `count` equal
 * parts. */
void sample_latin(Random *random, int m, int count, double *points);

/* ---- statespace.c ---------------------------------------------------------------------------- */

/* x' = A x + B u, y = C x + D u; matrices by rows. */
typedef struct {
    int n, m, p; /* states, inputs, outputs */
    const double *a, *b, *c, *d;
} StateSpace;

/* n of each. False: LAPACK did not find them. */
bool space_poles(const StateSpace *space, Arena *arena, double *re, double *im);
/* How many were written, at most n + m; -1: there are not as many outputs as inputs, or none. */
int space_zeros(const StateSpace *space, Arena *arena, double *re, double *im);
/* C (i omega - A)^-1 B + D by rows; false at a pole. */
bool space_response(const StateSpace *space, Arena *arena, double omega, double *re, double *im);
/* What outputs do after a step of each input from rest: rows of p x m numbers, h apart. */
void space_steps(const StateSpace *space, Arena *arena, double h, int rows, double *y);
/* The shortest x that solves a x = b best; in the place of b. */
bool space_least(int n, const double *a, double *b, Arena *arena);

#endif
