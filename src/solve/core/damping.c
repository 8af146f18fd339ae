/* damping.c: what the factors of an implicit method make of a vector without solving anything else.
 *
 * In: u, and the factors of c L - J with L the model's, or a matrix. Out: F u, F = c (c L - J)^-1
 * L: u where problems are not stiff, 0 where they are, and free of what L does not see. Who uses
 * it: error estimates with a singular L (corrector.c, dassl.c), those of higher order
 * (irk_estimate.c), memory.c. How often it is used again: the loop that makes u of F u makes c u,
 * too, the next right-hand side where L is the identity. Cost: one solve. Tests:
 * tests/solve/dae_test.c, delivered_test.c. */
#include "solve/core/damping.h"

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
