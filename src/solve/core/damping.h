/* damping.h: products with (c L - J)^-1 L by the factors that a method has (damping.c). */
#ifndef ACAUSAL_SOLVE_DAMPING_H
#define ACAUSAL_SOLVE_DAMPING_H

#include "solve/core/vectors.h"

/* F = c (c L - J)^-1 L: 1 where problems are not stiff, 0 where they are. */
typedef struct {
    Lu *lu;
    double c;
    const MatrixShape *shape; /* of mass */
    const double *mass;       /* L as a matrix; NULL: the model's */
} Damping;

void damp(Solver *s, const Damping *f, const double *u, double *v); /* v = F u */
/* v = c L u, where L is not the identity. */
void damping_mass(const Solver *s, const Damping *f, const double *u, double *v);
/* The same where v is c u. */
static inline void damp_scaled(Solver *s, const Damping *f, const double *u, double *v)
{
    if (f->mass || s->model->can & MODEL_MASS) damping_mass(s, f, u, v);
    lu_solve(f->lu, v);
    s->stats.solves++;
}
/* From v = F from: u = (1 - F) from, v = c u, sum += weight u. `from` may be u or sum; sum NULL:
 * there is none. */
static inline void damping_take(int n, double c, const double *from, double *u, double *v, double weight,
                                double *sum)
{
    for (int i = 0; i < n; i++) {
        double x = from[i] - v[i];
        if (sum) sum[i] += weight * x;
        u[i] = x;
        v[i] = c * x;
    }
}
/* Without the sum; returns the square of u, as norm_square does. */
static inline double damping_take_square(int n, double c, const double *from, const double *w, double *u,
                                         double *v)
{
    double share = n ? 1.0 / n : 0.0, sum = 0.0;
    for (int i = 0; i < n; i++) {
        double x = from[i] - v[i], size = x * w[i];
        u[i] = x;
        v[i] = c * x;
        sum += size * size;
    }
    return share * sum;
}

#endif
