/* tables.h: coefficients of explicit and of diagonally implicit Runge-Kutta methods, as data. */
#ifndef ACAUSAL_SOLVE_TABLES_H
#define ACAUSAL_SOLVE_TABLES_H

#include "base/base.h"

enum { ERK_STAGES = 16, ERK_DENSE = 4 };

/* Stages 1 to `stages` make the step; further ones, up to `dense_stages`, are computed only when
 * dense output is asked for. With `fsal` the last stage is f at the new point. Dense output, with x
 * in [0, 1]:
 *   y(x) = y0 + x (F1 + (1-x) (F2 + x (F3 + (1-x) (F4 + x (F5 + ...)))))
 *   F1 = y1 - y0, F2 = h f0 - F1, F3 = 2 F1 - h (f0 + f1), F4.. = h sum d[.][i] k_i,
 * so `dense_rows` = 0 is Hermite's cubic. */
typedef struct ErkTableau {
    const char *name;
    int stages, dense_stages, dense_rows;
    bool fsal;
    double k; /* exponent of the controller: order of the estimate + 1 */
    double beta;
    double stable; /* reach of the stability region on the negative axis; 0: not known */
    /* row i (from the second) holds i entries, one row after the other; dense stages included */
    const double *a;
    const double *b; /* stages */
    const double *c; /* dense_stages */
    const double *e; /* stages: y1 - y1_hat = h sum e_i k_i */
    /* a second, lower estimate; NULL: none. error = e^2 / sqrt(e^2 + 0.01 e2^2) */
    const double *e2;
    const double *d; /* dense_rows x dense_stages */
    /* what takes fixed steps instead, where this one makes more of a step for its estimate */
    const struct ErkTableau *fixed;
} ErkTableau;

extern const ErkTableau erk_euler, erk_rk4, erk_rkf45, erk_dopri5, erk_dop853;

enum { DIRK_STAGES = 8 };

/* Rows of `a` are complete up to the diagonal, whose numbers are positive, or 0 where a stage is
 * explicit; with a mass matrix only the first may be. */
typedef struct {
    const char *name;
    int stages;
    double gamma; /* the last of the diagonal that is not 0; of most methods all that are not */
    double k;     /* exponent of the controller */
    const double *a, *c;
    const double *b_hat;
    bool filter; /* the estimate needs (I - h gamma J)^-1 to be small for stiff components */
    /* of the estimate, where it is smaller than errors of non-stiff problems turn out to be */
    double scale;
    const double *b; /* NULL: the last row of `a` (stiffly accurate) */
} DirkTableau;

extern const DirkTableau dirk_trbdf2, dirk_sdirk4, dirk_esdirk3, dirk_esdirk4, dirk_esdirk5;

#endif
