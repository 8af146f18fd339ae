/* nordsieck.h: arrays of scaled derivatives and the coefficients of Adams and BDF methods
 * (nordsieck.c). */
#ifndef ACAUSAL_SOLVE_NORDSIECK_H
#define ACAUSAL_SOLVE_NORDSIECK_H

#include "base/base.h"
#include <math.h>

enum { NORDSIECK_MOST = 12, NORDSIECK_COLUMNS = NORDSIECK_MOST + 2 };

/* A method of order q changes the predicted array by z_j += l_j e, j = 0..q, where l is the
 * polynomial with
 *   Adams: l' ~ (x+1)...(x+q-1), l(-1) = 0;   BDF: l ~ (x+1)...(x+q);   l'(0) = 1 for all.
 * Adams-Bashforth has the l' of Adams and l(0) = 0: the prediction is the result.
 * Then q! l_q e = h^(q+1) y^(q+1), and error_constant[q] times that is the local error. The
 * weighted errors are
 *   of this step test[q] |e|; of order q+1 test_up[q] |e - e_old|; of order q-1 test_down[q]
 * |z_q|. */
typedef struct {
    int most;
    bool explicit; /* y is not corrected: l_0 = 0 */
    double l[NORDSIECK_MOST + 1][NORDSIECK_MOST + 1];
    double error_constant[NORDSIECK_MOST + 2];
    double test[NORDSIECK_MOST + 1], test_up[NORDSIECK_MOST + 1], test_down[NORDSIECK_MOST + 1];
} NordsieckFamily;

/* How much larger a step may be after an error with this exponent; bias > 1 is for safety. */
#define NORDSIECK_LEAST 1e-6 /* an error of 0 says nothing about how far one could go */
static inline double nordsieck_step_factor(double bias, double error, double exponent)
{
    return 1.0 / (bias * pow(error, exponent) + bias * NORDSIECK_LEAST);
}

void nordsieck_adams(NordsieckFamily *family);
void nordsieck_bdf(NordsieckFamily *family);
void nordsieck_bashforth(NordsieckFamily *family); /* orders 1 to 5 */
/* w = the array z of order q, rescaled to ratio times its step, at the end of that step. Works on
 * whole groups of four components, for which solver_vector has room. */
void nordsieck_predict(int n, double *const *z, int q, double ratio, double *const *w);
/* z = w + l e, column by column; on whole groups of four components, too. */
void nordsieck_correct(int n, double *const *w, int q, const double *l, const double *e, double *const *z);
/* Moves the array by x of its steps in place. */
void nordsieck_shift(int n, double *const *z, int q, double x);
/* The polynomial at x steps from where the array is; with its slope, h y'. */
void nordsieck_at(int n, double *const *z, int q, double x, double *y);
void nordsieck_slope_at(int n, double *const *z, int q, double x, double *y, double *slope);
/* The array of order q whose polynomial has z_0 = y and the derivatives f[j] / h at 0, 1, .., q-1
 * steps. */
void nordsieck_of_derivatives(int n, int q, const double *y, double h, double *const *f, double *const *z);
/* The array of order q of the polynomial through y[j] at j = 0, .., q steps. */
void nordsieck_of_values(int n, int q, double *const *y, double *const *z);
/* node[i] = y + h times the integral of that polynomial's derivative from 0 to i. */
void nordsieck_integral(int n, int q, const double *y, double h, double *const *f, int i, double *node);

#endif
