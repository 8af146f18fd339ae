/* damping.c: what the factors of an implicit method make of a vector without solving anything else.
 *
 * In: u, and the factors of c L - J with L the model's, or a matrix. Out: F u, F = c (c L - J)^-1 L: u where problems are not stiff, 0 where they are, and free of what L does not
 * see. Who uses it: error estimates with a singular L (corrector.c, dassl.c), those of higher order (irk_estimate.c), memory.c. How often it is used again: the loop that makes u of F u makes c u, too, the next right-hand side where L is the identity. Cost: one solve. Tests:
 * tests/solve/dae_test.c, delivered_test.c. */
#include "solve/inside.h"

INLINE void scale(bool is_wide, int n, double c, const double *u, double *v)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) group_to(is_wide, v + i, c * four_at(u + i));
    for (; i < n; i++) v[i] = c * u[i];
}

WIDE_LOOP static void scale_wide(int n, double c, const double *u, double *v) { scale(true, n, c, u, v); }

void damping_scale(int n, double c, const double *u, double *v)
{
    if (n > FEW && PROCESSOR_IS_WIDE)
        scale_wide(n, c, u, v);
    else
        scale(false, n, c, u, v);
}

INLINE void take(bool is_wide, int n, double c, const double *from, double *u, double *v, double weight,
                 double *sum)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        Four x = four_at(from + i) - four_at(v + i);
        if (sum) group_to(is_wide, sum + i, four_at(sum + i) + weight * x);
        group_to(is_wide, u + i, x);
        group_to(is_wide, v + i, c * x);
    }
    for (; i < n; i++) {
        double x = from[i] - v[i];
        if (sum) sum[i] += weight * x;
        u[i] = x;
        v[i] = c * x;
    }
}

WIDE_LOOP static void take_wide(int n, double c, const double *from, double *u, double *v, double weight,
                                double *sum)
{
    take(true, n, c, from, u, v, weight, sum);
}

void damping_take(int n, double c, const double *from, double *u, double *v, double weight, double *sum)
{
    if (n > FEW && PROCESSOR_IS_WIDE)
        take_wide(n, c, from, u, v, weight, sum);
    else
        take(false, n, c, from, u, v, weight, sum);
}

void damp_scaled(Solver *s, const Damping *f, const double *u, double *v)
{
    if (f->mass) {
        matrix_times(f->shape, f->mass, u, v);
        for (int i = 0; i < s->n; i++) v[i] *= f->c;
    } else if (s->model->can & MODEL_MASS) {
        memset(v, 0, (size_t)s->n * sizeof(double));
        model_add_mass(s->model, f->c, u, v);
    }
    lu_solve(f->lu, v);
    s->stats.solves++;
}

void damp(Solver *s, const Damping *f, const double *u, double *v)
{
    damping_scale(s->n, f->c, u, v);
    damp_scaled(s, f, u, v);
}
