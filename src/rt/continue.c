/* continue.c: solves r(z) = 0 where Newton's method does not find a way, by following a path from
 * the guess.
 *
 * The path is r(z) = (1 - lambda) r(z0), which begins at the guess with lambda = 0 and is done at
 * lambda = 1. It is followed by its length, not by lambda (Keller's pseudo-arclength): with a
 * tangent t, steps x + s t are brought back by Newton's method on the equations and t (x -
 * predicted) = 0. So it may turn back in lambda and come out on another branch, as a switch with
 * positive feedback does. Unknowns are measured by their size at the guess and their nominal
 * values. Always: on failure z is the guess. Cost: O(n^3) an iteration, some hundred of them.
 * Tests: tests/rt/newton_test.c. */
#include "rt/rt.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 300, MOST_CORRECTIONS = 8, FAST = 3, SPREAD = 16 };
static const double FIRST_STEP = 0.05, LEAST_STEP = 1e-7, MOST_STEP = 4, CORRECTED = 1e-7;

typedef struct {
    RtNewton *w;
    int n;                          /* unknowns of r; the path has one more */
    double *z, *r0, *scale;         /* n */
    double *x, *tangent, *next, *d; /* n + 1; x is z in units of scale, and lambda */
    double *a;                      /* (n + 1)^2 */
    double step;
} Path;

size_t rt_continue_room(int n)
{
    size_t m = (size_t)n + 1;
    return m * m + 8 * m;
}

static void put(const Path *p, const double *x)
{
    for (int i = 0; i < p->n; i++) p->z[i] = x[i] * p->scale[i];
}

/* The path's equations at x in p->d and their matrix in p->a, rows brought to one scale; the last
 * row is the tangent. */
static int linearise(Path *p, const double *x)
{
    RtNewton *w = p->w;
    int n = p->n, m = n + 1;
    put(p, x);
    if (w->residual(w->user, p->z, p->d) != RT_OK || w->jacobian(w->user, p->z, w->lu) != RT_OK) return 0;
    for (int i = 0; i < n; i++) {
        double largest = 0;
        p->d[i] -= (1 - x[n]) * p->r0[i];
        for (int j = 0; j < n; j++) p->a[i * m + j] = w->lu[i * n + j] * p->scale[j];
        p->a[i * m + n] = p->r0[i];
        for (int j = 0; j < m; j++) largest = fmax(largest, fabs(p->a[i * m + j]));
        if (!(largest > 0) || !rt_is_finite(largest) || !rt_is_finite(p->d[i])) return 0;
        for (int j = 0; j < m; j++) p->a[i * m + j] /= largest;
        p->d[i] /= largest;
    }
    memcpy(p->a + n * m, p->tangent, (size_t)m * sizeof *p->a);
    return 1;
}

static double length(const double *v, int m)
{
    double sum = 0;
    for (int i = 0; i < m; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

/* The new tangent at x, in the direction of the old one. */
static int turn(Path *p, int *pivot)
{
    int m = p->n + 1;
    if (!linearise(p, p->x) || rt_lu_factor(p->a, m, pivot)) return 0;
    memset(p->d, 0, (size_t)m * sizeof *p->d);
    p->d[p->n] = 1;
    rt_lu_solve(p->a, m, pivot, p->d);
    double size = length(p->d, m);
    if (!rt_is_finite(size) || !(size > 0)) return 0;
    for (int i = 0; i < m; i++) p->tangent[i] = p->d[i] / size;
    return 1;
}

/* Brings p->next back to the path; the number of corrections, 0 if that fails. */
static int correct(Path *p, int *pivot)
{
    int m = p->n + 1;
    double last = HUGE_VAL;
    for (int k = 1; k <= MOST_CORRECTIONS; k++) {
        if (!linearise(p, p->next) || rt_lu_factor(p->a, m, pivot)) return 0;
        p->d[p->n] = 0; /* corrections stay orthogonal to the tangent */
        rt_lu_solve(p->a, m, pivot, p->d);
        double size = length(p->d, m);
        if (!(size < last) || size > 2 * p->step + 1) return 0;
        for (int i = 0; i < m; i++) p->next[i] -= p->d[i];
        if (size <= CORRECTED) return k;
        last = size;
    }
    return 0;
}

/* Between x and next lambda passes 1: Newton's method from there. */
static int arrive(Path *p)
{
    int n = p->n;
    double part = (1 - p->x[n]) / (p->next[n] - p->x[n]);
    for (int i = 0; i < n; i++) p->z[i] = (p->x[i] + part * (p->next[i] - p->x[i])) * p->scale[i];
    return rt_newton(p->w, p->z) == RT_SOLVED;
}

static int follow(Path *p, int *pivot)
{
    int m = p->n + 1;
    for (int steps = 0; steps < MOST_STEPS && p->step > LEAST_STEP; steps++) {
        for (int i = 0; i < m; i++) p->next[i] = p->x[i] + p->step * p->tangent[i];
        int corrections = correct(p, pivot);
        if (!corrections) {
            p->step /= 3;
            continue;
        }
        if (p->next[p->n] >= 1 && arrive(p)) return 1;
        memcpy(p->x, p->next, (size_t)m * sizeof *p->x);
        if (!turn(p, pivot)) return 0;
        if (corrections <= FAST && p->step < MOST_STEP) p->step *= 1.6;
    }
    return 0;
}

/* Where a path ends at a corner of equations that are defined by pieces, the way on is along
 * Newton's own direction, which points to where the Jacobian is nearly singular: leaps of growing
 * size to both sides, in units of the unknowns. */
static int leap(Path *p, const double *guess, int *pivot)
{
    static const double far[] = { 1, -1, 4, -4, 16, -16, 64, -64 };
    RtNewton *w = p->w;
    int n = p->n;
    double size = 0;
    memcpy(p->z, guess, (size_t)n * sizeof *guess);
    if (w->residual(w->user, p->z, p->d) != RT_OK || w->jacobian(w->user, p->z, w->lu) != RT_OK) return 0;
    if (rt_lu_factor(w->lu, n, pivot)) return 0;
    rt_lu_solve(w->lu, n, pivot, p->d);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(p->d[i]) / p->scale[i]);
    if (!(size > 0) || !rt_is_finite(size)) return 0;
    for (int i = 0; i < n; i++) p->next[i] = -p->d[i] / size;
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        for (int i = 0; i < n; i++) p->z[i] = guess[i] + far[k] * p->next[i];
        if (rt_newton(w, p->z) == RT_SOLVED) return 1;
    }
    return 0;
}

/* One equation that is flat around its guess, as the quality of steam is in water, says nothing of
 * where to go: places at growing distances to both sides, within the bounds of the unknown; then
 * places spread over these. */
static int look_around(Path *p, double guess)
{
    RtNewton *w = p->w;
    for (double far = 0.125; far <= 256; far *= 2)
        for (int side = 1; side >= -1; side -= 2) {
            double z = guess + side * far * p->scale[0];
            if (w->low && !(w->low[0] <= z && z <= w->high[0])) continue;
            p->z[0] = z;
            if (rt_newton(w, p->z) == RT_SOLVED) return 1;
        }
    double span = w->low ? w->high[0] - w->low[0] : HUGE_VAL;
    for (int k = 1; k < SPREAD && rt_is_finite(span); k++) {
        p->z[0] = w->low[0] + span * k / SPREAD;
        if (rt_newton(w, p->z) == RT_SOLVED) return 1;
    }
    return 0;
}

RtSolve rt_continue(RtNewton *w, double *z, double *room, int *pivot)
{
    int n = w->n, m = n + 1;
    Path p = { .w = w, .n = n, .z = z, .step = FIRST_STEP };
    double **parts[] = { &p.r0, &p.scale, &p.x, &p.tangent, &p.next, &p.d };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) *parts[k] = room + k * (size_t)m;
    double *guess = room + 6 * (size_t)m;
    p.a = room + 8 * (size_t)m;
    memcpy(guess, z, (size_t)n * sizeof *z);
    if (w->residual(w->user, z, p.r0) != RT_OK) return RT_NOT_DEFINED;
    for (int i = 0; i < n; i++) {
        p.scale[i] = fabs(z[i]) + w->nominal[i];
        p.x[i] = z[i] / p.scale[i];
        p.tangent[i] = 0;
    }
    p.x[n] = 0;
    p.tangent[n] = 1;
    if (turn(&p, pivot) && follow(&p, pivot)) return RT_SOLVED;
    if (leap(&p, guess, pivot)) return RT_SOLVED;
    if (n == 1 && w->looks && look_around(&p, *guess)) return RT_SOLVED;
    memcpy(z, guess, (size_t)n * sizeof *z);
    return RT_NO_CONVERGENCE;
}
