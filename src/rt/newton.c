/* newton.c: dense LU with partial pivoting, and damped Newton for the torn unknowns of one block.
 *
 * Convergence is measured in corrections, scaled by the size of each unknown, so that rows of any scale may be mixed
 * (affine invariance). Iterated until corrections are at rounding level or stop shrinking below the last acceptable
 * one, whatever the tolerance of the integrator: what calls it must stay a function of its arguments.
 * Cost: O(n^3) an iteration. Tests: tests/rt/newton_test.c. */
#include "rt/rt.h"

#include <math.h>

static const double CONVERGED = 1e-13; /* of the size of an unknown */
static const double ACCEPTABLE = 1e-8; /* where corrections do not get smaller any more */
static const double LEAST_DAMPING = 1e-6;
enum { MOST_ITERATIONS = 60 };

int rt_lu_factor(double *a, int n, int *pivot)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
        pivot[k] = p;
        if (!(fabs(a[p * n + k]) > 0) || !rt_is_finite(a[p * n + k])) return k + 1;
        for (int j = 0; j < n && p != k; j++) {
            double t = a[k * n + j];
            a[k * n + j] = a[p * n + j], a[p * n + j] = t;
        }
        for (int i = k + 1; i < n; i++) {
            double factor = a[i * n + k] /= a[k * n + k];
            if (factor == 0) continue;
            for (int j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return 0;
}

static void swap_ints(int *x, int *y)
{
    int t = *x;
    *x = *y, *y = t;
}

/* Entries are read through rows[] and cols[], so nothing is moved. What is below RANK_LEVEL of the largest entry counts
 * as zero. */
int rt_lu_rank(double *a, int n, int *rows, int *cols)
{
    static const double RANK_LEVEL = 1e-14;
    double largest = 0;
    for (int i = 0; i < n; i++) rows[i] = cols[i] = i;
    for (int k = 0; k < n; k++) {
        int p = k, q = k;
        double best = 0;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(a[rows[i] * n + cols[j]]) > best)
                    best = fabs(a[rows[i] * n + cols[j]]), p = i, q = j;
        if (k == 0) largest = best;
        if (!(best > RANK_LEVEL * largest)) return k;
        swap_ints(&rows[k], &rows[p]);
        swap_ints(&cols[k], &cols[q]);
        for (int i = k + 1; i < n; i++) {
            double factor = a[rows[i] * n + cols[k]] / a[rows[k] * n + cols[k]];
            for (int j = k; j < n && factor != 0; j++)
                a[rows[i] * n + cols[j]] -= factor * a[rows[k] * n + cols[j]];
        }
    }
    return n;
}

void rt_lu_solve(const double *a, int n, const int *pivot, double *b)
{
    for (int k = 0; k < n; k++) {
        double t = b[pivot[k]];
        b[pivot[k]] = b[k], b[k] = t;
    }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) b[i] -= a[i * n + j] * b[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

static double size_of(const RtNewton *w, const double *dz)
{
    const double *scale = w->work + 3 * w->n;
    double largest = 0;
    for (int i = 0; i < w->n; i++) {
        double s = fabs(dz[i]) / scale[i];
        if (!(s <= largest)) largest = s;
    }
    return largest;
}

static void blame(RtNewton *w, const double *r)
{
    w->worst = 0;
    for (int i = 1; i < w->n; i++)
        if (!(fabs(r[i]) <= fabs(r[w->worst]))) w->worst = i;
    w->worst_value = r[w->worst];
}

static int all_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!rt_is_finite(x[i])) return 0;
    return 1;
}

/* Tries z + lambda dz for lambda = 1, 1/2, ...; on success z and r are those at the new place. */
static int damped_step(RtNewton *w, double *z, const double *dz, double *r, double size)
{
    double *bar = w->work + 2 * w->n;
    for (double lambda = 1; lambda > LEAST_DAMPING; lambda /= 2) {
        for (int i = 0; i < w->n; i++) z[i] += lambda * dz[i];
        if (w->residual(w->user, z, r) == RT_OK && all_finite(r, w->n)) {
            for (int i = 0; i < w->n; i++) bar[i] = r[i];
            rt_lu_solve(w->lu, w->n, w->pivot, bar);
            if (size_of(w, bar) <= (1 - lambda / 4) * size || size < ACCEPTABLE) return 1;
        }
        for (int i = 0; i < w->n; i++) z[i] -= lambda * dz[i];
    }
    return 0;
}

RtSolve rt_newton(RtNewton *w, double *z)
{
    double *r = w->work, *dz = w->work + w->n, *scale = w->work + 3 * w->n, last = HUGE_VAL;
    w->iterations = 0;
    if (w->residual(w->user, z, r) != RT_OK || !all_finite(r, w->n)) {
        blame(w, r);
        return RT_NOT_DEFINED;
    }
    for (; w->iterations < MOST_ITERATIONS; w->iterations++) {
        if (w->jacobian(w->user, z, w->lu) != RT_OK) return RT_NOT_DEFINED;
        int column = rt_lu_factor(w->lu, w->n, w->pivot);
        if (column) {
            w->worst = column - 1;
            return RT_SINGULAR;
        }
        for (int i = 0; i < w->n; i++) dz[i] = -r[i];
        rt_lu_solve(w->lu, w->n, w->pivot, dz);
        for (int i = 0; i < w->n; i++) scale[i] = fabs(z[i]) + w->nominal[i];
        double size = size_of(w, dz);
        if (!(size < HUGE_VAL)) break;
        if (size <= CONVERGED || (size <= ACCEPTABLE && size >= last / 2)) return RT_SOLVED;
        if (!damped_step(w, z, dz, r, size)) {
            if (size <= ACCEPTABLE) return RT_SOLVED;
            break;
        }
        last = size;
    }
    blame(w, r);
    return RT_NO_CONVERGENCE;
}
