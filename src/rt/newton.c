/* newton.c: dense LU with partial pivoting, and damped Newton for the torn unknowns of one block.
 *
 * Convergence is measured in corrections, scaled by the size of each unknown, so that rows of any
 * scale may be mixed (affine invariance). Iterated until corrections are at rounding level or stop
 * shrinking below the last acceptable one, whatever the tolerance of the integrator: what calls it
 * must stay a function of its arguments. Where the Jacobian is singular, the unknowns that it
 * leaves open are held if the others can become right so (a double root, a node without flow), or
 * else pushed away, before that is a failure. Where the equations are not defined at the guess,
 * unknowns whose guess is zero, which is what they have if nobody gave one, begin elsewhere. Cost:
 * O(n^3) an iteration. Tests: tests/rt/newton_test.c. */
#include "rt/rt.h"

#include <math.h>

static const double CONVERGED = 1e-13; /* of the size of an unknown */
static const double ROUNDED =
    4e-16; /* a last step that is larger is taken: derivatives of what was computed see it */
static const double ACCEPTABLE = 1e-8; /* where corrections do not get smaller any more */
static const double LEAST_DAMPING = 1e-6;
/* sparse factors serve as long as they make steps smaller by this */
static const double CHORD = 0.1;
enum { MOST_ITERATIONS = 60, MOST_PUSHES = 6 };

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

/* Entries are read through rows[] and cols[], so nothing is moved. What is below RANK_LEVEL of the
 * largest entry counts as zero. */
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

void rt_lu_solve_transposed(const double *a, int n, const int *pivot, double *b)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) b[i] -= a[j * n + i] * b[j];
        b[i] /= a[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) b[i] -= a[j * n + i] * b[j];
    for (int k = n - 1; k >= 0; k--) {
        double t = b[pivot[k]];
        b[pivot[k]] = b[k], b[k] = t;
    }
}

/* ---- Newton's method ------------------------------------------------------------------------- */

static void solve(const RtNewton *w, double *b)
{
    if (w->sparse)
        rt_sparse_solve(w->sparse, b);
    else
        rt_lu_solve(w->lu, w->n, w->pivot, b);
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

static int has_residual(RtNewton *w, const double *z, double *r)
{
    return w->residual(w->user, z, r) == RT_OK && all_finite(r, w->n);
}

/* How far a step may go: nine tenths of the way to the nearest bound. A bound that is reached or
 * passed already, or that leaves next to nothing, does not count: bounds are guidance here, not
 * constraints. */
static double longest(const RtNewton *w, const double *z, const double *dz)
{
    const double *scale = w->work + 3 * w->n;
    double most = 1;
    for (int i = 0; i < w->n && w->low; i++) {
        double room = (dz[i] < 0 ? w->low[i] : w->high[i]) - z[i];
        if (!(room * dz[i] > 0) || fabs(room) < 1e-6 * scale[i]) continue;
        double part = 0.9 * room / dz[i];
        if (part < most && part > LEAST_DAMPING) most = part;
    }
    return most;
}

/* Tries z + lambda dz for lambda = 1, 1/2, ...; on success z and r are those at the new place. */
static int damped_step(RtNewton *w, double *z, const double *dz, double *r, double size)
{
    double *bar = w->work + 2 * w->n;
    for (double lambda = longest(w, z, dz); lambda > LEAST_DAMPING; lambda /= 2) {
        for (int i = 0; i < w->n; i++) z[i] += lambda * dz[i];
        if (has_residual(w, z, r)) {
            for (int i = 0; i < w->n; i++) bar[i] = r[i];
            solve(w, bar);
            if (size_of(w, bar) <= (1 - lambda / 4) * size || size < ACCEPTABLE) return 1;
        }
        for (int i = 0; i < w->n; i++) z[i] -= lambda * dz[i];
    }
    return 0;
}

/* Unknowns that a singular Jacobian leaves open are held: with A' = A + e_i e_j' for each row i
 * that depends on others and each such unknown j, A' d = r has d_j = 0 wherever A d = r has a
 * solution. Leaves the factors of A', the step d, the rank, and the unknowns after it in cols; 1
 * if there is such a solution. */
static int hold(RtNewton *w, const double *z, const double *r, int *rank, int **cols)
{
    int n = w->n, *rows = (int *)(void *)(w->work + 2 * n), consistent = 1;
    double *dz = w->work + n, size = 0;
    *cols = rows + n;
    if (w->jacobian(w->user, z, w->lu) != RT_OK) return 0;
    *rank = rt_lu_rank(w->lu, n, rows, *cols);
    if (*rank == n || w->jacobian(w->user, z, w->lu) != RT_OK) return 0;
    for (int q = *rank; q < n; q++) w->lu[rows[q] * n + (*cols)[q]] += 1;
    if (rt_lu_factor(w->lu, n, w->pivot)) return 0;
    for (int i = 0; i < n; i++) dz[i] = -r[i];
    rt_lu_solve(w->lu, n, w->pivot, dz);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(dz[i]) / w->nominal[i]);
    for (int q = *rank; q < n; q++)
        consistent &= fabs(dz[(*cols)[q]]) / w->nominal[(*cols)[q]] <= ACCEPTABLE * size;
    return consistent;
}

/* How far unknowns are moved that cannot stay where they are, to both sides in turn, as a share of
 * their nominal values. */
static const double far[MOST_PUSHES] = { 0.1, -0.2, 0.7, -1.5, 4, -9 };

static int has_jacobian(RtNewton *w, const double *z)
{
    return w->jacobian(w->user, z, w->lu) == RT_OK && all_finite(w->lu, w->sparse ? w->entries : w->n * w->n);
}

/* From a guess where the equations or their derivatives are not defined: other values for the
 * unknowns that are zero. */
static int leave_zero(RtNewton *w, double *z, double *r, int *pushes)
{
    double *is_zero = w->work + 2 * w->n;
    int zeros = 0;
    for (int i = 0; i < w->n; i++) zeros += (is_zero[i] = z[i] == 0) > 0;
    for (; zeros && *pushes < MOST_PUSHES; (*pushes)++) {
        for (int i = 0; i < w->n; i++)
            if (is_zero[i] > 0) z[i] = far[*pushes] * w->nominal[i] * (1 + 0.1 * (i % 7));
        if (has_residual(w, z, r) && has_jacobian(w, z)) return 1;
    }
    for (int i = 0; i < w->n && zeros; i++)
        if (is_zero[i] > 0) z[i] = 0;
    return 0;
}

/* After the first round of pushes, and after the second. */
static int are_over(int pushes) { return pushes == MOST_PUSHES || pushes == 2 * MOST_PUSHES + 1; }

/* Where pushes end at no regular place, it may be the others that are to blame: a product is flat
 * in one factor while the other is zero. From where the pushes began, the others take their step,
 * and there the pushes may begin anew. */
static int move_others(RtNewton *w, double *z, double *r, int *pushes)
{
    double *dz = w->work + w->n, *begun = w->work + 3 * w->n;
    int rank, *cols, n = w->n;
    if (w->sparse || *pushes > MOST_PUSHES) return 0;
    for (int i = 0; i < n; i++) z[i] = begun[i];
    if (!has_residual(w, z, r)) return 0;
    hold(w, z, r, &rank, &cols);
    if (!(rank > 0 && rank < n) || !all_finite(dz, n)) return 0;
    for (int q = rank; q < n; q++) dz[cols[q]] = 0;
    for (int i = 0; i < n; i++) z[i] += dz[i];
    *pushes = MOST_PUSHES + 1;
    return has_residual(w, z, r);
}

/* Factors the Jacobian at z. Where it is singular: as if the unknowns that it leaves open were
 * held; or, where that solves nothing, these are pushed away, farther each time, to both sides in
 * turn. Of a sparse one the first such unknown is pushed. */
static RtSolve factor(RtNewton *w, double *z, double *r, int *pushes)
{
    double *begun = w->work + 3 * w->n;
    for (int is_first = 1;; is_first = 0) {
        int rank = w->n - 1, *cols;
        if (!has_jacobian(w, z) && !leave_zero(w, z, r, pushes)) return RT_NOT_DEFINED;
        int column = w->sparse ? rt_sparse_factor(w->sparse, w->lu) : rt_lu_factor(w->lu, w->n, w->pivot);
        if (!column || (!w->sparse && hold(w, z, r, &rank, &cols))) return RT_SOLVED;
        w->worst = column - 1;
        if (w->sparse) {
            cols = (int *)(void *)(w->work + 2 * w->n);
            cols[w->n - 1] = column - 1;
        }
        for (int i = 0; i < w->n && is_first; i++) begun[i] = z[i];
        if (are_over(*pushes)) {
            if (!move_others(w, z, r, pushes)) return RT_SINGULAR;
            continue;
        }
        do {
            if (are_over(*pushes)) break;
            double by = far[*pushes % (MOST_PUSHES + 1)];
            ++*pushes;
            for (int k = rank < w->n ? rank : w->n - 1; k < w->n; k++)
                z[cols[k]] += by * (fabs(z[cols[k]]) + w->nominal[cols[k]]) * (1 + 0.1 * (double)(k - rank));
        } while (!has_residual(w, z, r));
    }
}

/* The step from z: by the factors of the Jacobian there, or, where `has_step` says so, the one that
 * damped_step found with those of the last place. */
static RtSolve find_step(RtNewton *w, double *z, double *r, int has_step, int *pushes)
{
    double *dz = w->work + w->n, *bar = w->work + 2 * w->n, *scale = w->work + 3 * w->n;
    if (!has_step) {
        RtSolve status = factor(w, z, r, pushes);
        if (status != RT_SOLVED) return status;
        for (int i = 0; i < w->n; i++) bar[i] = r[i];
        solve(w, bar);
    }
    for (int i = 0; i < w->n; i++) {
        dz[i] = -bar[i];
        /* an unknown that begins near zero is of the size that it goes to */
        scale[i] = fmax(fabs(z[i]), fabs(z[i] + dz[i])) + w->nominal[i];
    }
    return RT_SOLVED;
}

RtSolve rt_newton(RtNewton *w, double *z)
{
    int pushes = 0, has_step = 0;
    double *r = w->work, *dz = w->work + w->n, *bar = w->work + 2 * w->n, last = HUGE_VAL;
    w->iterations = 0;
    if (!has_residual(w, z, r) && !leave_zero(w, z, r, &pushes)) {
        w->residual(w->user, z, r);
        blame(w, r);
        return RT_NOT_DEFINED;
    }
    for (; w->iterations < MOST_ITERATIONS; w->iterations++) {
        RtSolve status = find_step(w, z, r, has_step, &pushes);
        if (status != RT_SOLVED) return status;
        double size = size_of(w, dz);
        if (!(size < HUGE_VAL)) break;
        int is_near = size <= CONVERGED || (size <= ACCEPTABLE && size >= last / 2);
        if (is_near && size <= ROUNDED) return RT_SOLVED;
        int is_taken = damped_step(w, z, dz, r, size);
        if (is_near || (!is_taken && size <= ACCEPTABLE)) return RT_SOLVED;
        if (!is_taken && !has_step) break;
        has_step = is_taken && w->sparse && size_of(w, bar) <= CHORD * size;
        last = size;
    }
    blame(w, r);
    return RT_NO_CONVERGENCE;
}
