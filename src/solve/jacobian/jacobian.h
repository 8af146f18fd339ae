/* jacobian.h: df/dy, or the matrix of a residual, from the model or by differences (jacobian.c),
 * and what differences of an f that loses digits need (secant.c, refine.c). */
#ifndef ACAUSAL_SOLVE_JACOBIAN_H
#define ACAUSAL_SOLVE_JACOBIAN_H

#include "solve/core/solver.h"

typedef struct Extrapolation Extrapolation; /* extrapolate.c */
typedef struct Ladder Ladder;               /* ladder.c */
typedef struct Jump Jump;                   /* jump.c */
typedef struct Noise Noise;                 /* noise.c */

/* df/dy (or of a residual) in the best storage for the model, with the mass matrix scattered into
 * the same storage. */
typedef struct {
    MatrixShape *shape;
    double *values;
    double *mass; /* NULL: identity */
    Colouring *colouring;
    bool exact;
    double *delta, *y, *f, *weight, *moved, *size; /* scratch */
    /* what differences with the default rule learnt, by component; else NULL */
    double *typical, *curvature;
    Ladder *ladder;               /* and by entry; NULL: one difference an entry, always */
    Jump *jump;                   /* NULL: jumps of f are not looked for */
    Noise *noise;                 /* of f; there where the ladder is */
    Extrapolation *extrapolation; /* NULL: plain differences */
    /* indicators here, there, and their largest sizes; NULL: none to be guarded */
    double *g0, *g, *g_most;
    struct {
        long count, steps, rejected, newton; /* at the last one: to see whether it served */
        /* count at which several increments were compared; 0: never */
        long learnt;
        long extra; /* evaluations beyond one a colour */
        bool remembers;
        bool is_careful; /* the last one was by several increments */
        /* f had rounding errors that its terms do not tell of, when they were measured */
        bool is_noisy;
    } at;
    bool have;
} Jacobian;

/* Chooses storage (pattern of f joined with that of L) and source; the values are kept by save. */
bool jacobian_setup(Solver *s, Jacobian *jacobian);
/* df/dy at (t, y), where f = f(t, y) is known. h is for increment rules. */
EvalStatus jacobian_f(Solver *s, Jacobian *jacobian, double t, const double *y, const double *f, double h);
/* dF/dy + c dF/dy' at (t, y, y'), where r = F is known. Differences need one evaluation a colour,
 * since y and y' are moved together. For models without a residual it is c L - df/dy. */
EvalStatus jacobian_residual(Solver *s, Jacobian *jacobian, double t, const double *y, const double *yp,
                             const double *r, double c, double h);
/* e = c L - J, and the complex (c + i d) L - J as pairs. */
void jacobian_shift(const Jacobian *jacobian, double c, double *e);
/* The entries of a column: how many, and the place of each with its row. */
int column_length(const MatrixShape *shape, int j);
size_t column_entry(const MatrixShape *shape, int j, int k, int *row);
/* Corrects d, which solves (c L - J) d = b by these factors, where sums of c L and J lose digits of
 * c; high, low: scratch. False: too large to be corrected, and left as it was. */
bool refine_solution(const Jacobian *jacobian, double c, Lu *lu, const double *b, double *d, double *high,
                     double *low);
/* How exact f was by row when it was measured, 0 where its terms tell; NULL where they do
 * everywhere, or the last Jacobian does not suffer from it. */
const double *jacobian_noise(const Jacobian *jacobian);

/* What is added to a Jacobian by plain differences of an f that loses digits. */
typedef struct {
    double *row, *column;               /* an entry of the pattern gets row[i] column[j] */
    double *ahead, *behind, *way, *sum; /* scratch */
    bool active;
} Secant;

void secant_setup(Solver *s, Secant *secant);
/* v = f(t, y), for a step of size h. */
EvalStatus secant_measure(Solver *s, Jacobian *jacobian, Secant *secant, double t, const double *y,
                          const double *v, double h);
void secant_apply(const Secant *secant, const Jacobian *jacobian, double *e); /* to c L - J */
/* max_i w_i sum_j |J_ij| / w_j; the last three: scratch. */
double jacobian_norm(const Jacobian *jacobian, const double *weight, double *matrix, double *tolerance,
                     double *sum);
/* An estimate of the size of the largest eigenvalue, below 0 if there is none; the last two:
 * scratch. */
double matrix_radius(const MatrixShape *shape, const double *values, const double *weight, double *v,
                     double *next);
void jacobian_shift_complex(const Jacobian *jacobian, double c, double d, double *e);

#endif
