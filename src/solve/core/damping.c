/* damping.c: what the factors of an implicit method make of a vector without solving anything else.
 *
 * In: u, and the factors of c L - J with L the model's, or a matrix. Out: F u, F = c (c L - J)^-1
 * L: u where problems are not stiff, 0 where they are, and free of what L does not see. Who uses
 * it: error estimates with a singular L (corrector.c, dassl.c), those of higher order
 * (irk_estimate.c), memory.c. How often it is used again: the loop that makes u of F u makes c u,
 * too, the next right-hand side where L is the identity. Cost: one solve. Tests:
 * tests/solve/dae_test.c, delivered_test.c. */
#include "solve/core/damping.h"

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

void damping_take_many(int n, double c, const double *from, double *u, double *v, double weight, double *sum)
{
    if (PROCESSOR_IS_WIDE)
        take_wide(n, c, from, u, v, weight, sum);
    else
        take(false, n, c, from, u, v, weight, sum);
}

/* Sums as in norm_square, so that the square is the one that it has. */
INLINE double take_square(bool is_wide, int n, double c, const double *from, const double *w, double *u,
                          double *v)
{
    Sum a = { 0 }, b = { 0 };
    double rest = 0.0;
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        Four x = four_at(from + i) - four_at(v + i), y = four_at(from + i + 4) - four_at(v + i + 4);
        Four size_x = x * four_at(w + i), size_y = y * four_at(w + i + 4);
        group_to(is_wide, u + i, x);
        group_to(is_wide, u + i + 4, y);
        group_to(is_wide, v + i, c * x);
        group_to(is_wide, v + i + 4, c * y);
        sum_add(is_wide, &a, size_x * size_x);
        sum_add(is_wide, &b, size_y * size_y);
    }
    for (; i < n; i++) {
        double x = from[i] - v[i], size = x * w[i];
        u[i] = x;
        v[i] = c * x;
        rest += size * size;
    }
    return four_sum(sum_so_far(is_wide, &a) + sum_so_far(is_wide, &b)) + rest;
}

WIDE_LOOP static double take_square_wide(int n, double c, const double *from, const double *w, double *u,
                                         double *v)
{
    return take_square(true, n, c, from, w, u, v);
}

double damping_take_square_many(int n, double c, const double *from, const double *w, double *u, double *v)
{
    double share = 1.0 / n;
    return share * (PROCESSOR_IS_WIDE ? take_square_wide(n, c, from, w, u, v)
                                      : take_square(false, n, c, from, w, u, v));
}

void damping_mass(const Solver *s, const Damping *f, const double *u, double *v)
{
    if (f->mass) {
        matrix_times(f->shape, f->mass, u, v);
        for (int i = 0; i < s->n; i++) v[i] *= f->c;
    } else {
        memset(v, 0, (size_t)s->n * sizeof(double));
        model_add_mass(s->model, f->c, u, v);
    }
}

void damp(Solver *s, const Damping *f, const double *u, double *v)
{
    vector_scale(s->n, f->c, u, v);
    damp_scaled(s, f, u, v);
}
