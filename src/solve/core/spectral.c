/* spectral.c: how large the eigenvalues of df/dy are, without df/dy.
 *
 * In: (t, y), f there. Out: the spectral radius, to a third or so. How: the power method on
 * differences of f, from a change of all unknowns with signs that follow no pattern, so that all
 * eigenvectors are in it. The last two growths are taken together, since pairs of eigenvalues of
 * opposite sign, as of oscillators, make them alternate. Always: 0 where f is not defined beside y.
 * Cost: ITERATIONS evaluations. Source: Sommeijer, Shampine, Verwer, J. Comp. Appl. Math. 88
 * (1998). Tests: tests/solve/auto_test.c. */
#include "solve/core/start.h"

static const double CHANGE = 0.1;                     /* of the unknowns, in tolerances */
static const double LEAST_CHANGE = 1e4 * DBL_EPSILON; /* or relative to them */
enum { ITERATIONS = 6 };

double spectral_radius(Solver *s, const double *f0, const double *w, double *v, double *y, double *f)
{
    int n = s->n;
    double size = fmax(CHANGE, LEAST_CHANGE * norm_rms(n, s->y, w)), growth[2] = { 0.0, 0.0 };
    uint32_t signs = 1;
    for (int i = 0; i < n; i++) {
        signs = signs * 1664525u + 1013904223u;
        v[i] = (signs >> 31 ? size : -size) / w[i];
    }
    for (int k = 0; k < ITERATIONS; k++) {
        for (int i = 0; i < n; i++) y[i] = s->y[i] + v[i];
        if (solver_f(s, s->core.t, y, f) != EVAL_OK) return 0.0;
        for (int i = 0; i < n; i++) v[i] = f[i] - f0[i];
        double length = norm_rms(n, v, w);
        if (!(length > 0.0) || isinf(length)) return 0.0;
        growth[0] = growth[1];
        growth[1] = length / size;
        for (int i = 0; i < n; i++) v[i] *= size / length;
    }
    return sqrt(growth[0] * growth[1]);
}
