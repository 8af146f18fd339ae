/* collocation.h: coefficients of collocation methods of any number of stages (collocation.c). */
#ifndef ACAUSAL_SOLVE_COLLOCATION_H
#define ACAUSAL_SOLVE_COLLOCATION_H

#include "base/base.h"

#include <math.h>

enum { COLLOCATION_STAGES = 7, COLLOCATION_PAIRS = 3 };
typedef enum { COLLOCATION_RADAU, COLLOCATION_GAUSS } CollocationFamily;

/* T^-1 A^-1 T = diag(gamma, (alpha beta; -beta alpha), ...); gamma only for odd s. With z_i = Y_i -
 * y0: y1 = y0 + sum d_i z_i, and y1_hat - y1 = h/gamma f(t0, y0) + sum e_i z_i is of order s.
 * Without a real eigenvalue gamma is a free choice and its matrix an extra one. */
typedef struct {
    CollocationFamily family;
    int s, pairs;
    bool has_real;
    double c[COLLOCATION_STAGES], b[COLLOCATION_STAGES], d[COLLOCATION_STAGES], e[COLLOCATION_STAGES];
    double a[COLLOCATION_STAGES][COLLOCATION_STAGES], inverse[COLLOCATION_STAGES][COLLOCATION_STAGES];
    double t[COLLOCATION_STAGES][COLLOCATION_STAGES], ti[COLLOCATION_STAGES][COLLOCATION_STAGES];
    double gamma, alpha[COLLOCATION_PAIRS], beta[COLLOCATION_PAIRS];
    double lagrange[COLLOCATION_STAGES]; /* 1 / (c_i product of c_i - c_j) */
    double ahead[COLLOCATION_STAGES]
                [COLLOCATION_STAGES]; /* z(1 + x) - z(1) = sum_p x^(p+1) sum_j ahead_pj z_j */
} Collocation;

void collocation_make(CollocationFamily family, int s, Collocation *method);
/* Weights of z_1..z_s in the polynomial through (0, 0), (c_i, z_i) at x. */
void collocation_weights(const Collocation *method, double x, double *w);

#endif
