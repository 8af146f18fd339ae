/* nordsieck.c: arrays of scaled derivatives z_j = h^j y^(j) / j!, and the coefficients of the
 * methods that live on them.
 *
 * In: orders. Out: the polynomials l of Adams-Moulton (1 to 12) and BDF (1 to 5) methods and their
 * error constants, computed from their definitions (nordsieck.h), not copied; predictions, shifts
 * and values of arrays. How: prediction is the product with Pascal's triangle, by additions. Cost:
 * q^2/2 additions a component. Sources: Gear 1971; Hindmarsh, ODEPACK 1983; Hairer, Norsett,
 * Wanner, Solving ODEs I, III.6. Tests: tests/solve/nordsieck_test.c. */
#include "solve/history/nordsieck.h"
#include "solve/core/vectors.h"

typedef long double Wide; /* coefficients are rounded once */

/* p(x) *= x + root, degree grows by one */
static void times_linear(Wide *p, int degree, Wide root)
{
    p[degree + 1] = 0.0L;
    for (int i = degree + 1; i > 0; i--) p[i] = p[i - 1] + root * p[i];
    p[0] *= root;
}

/* The integral of x^shift p(x) from `from` to 0. */
static Wide integral_to_zero(const Wide *p, int degree, int shift, Wide from)
{
    Wide sum = 0.0L, power = 1.0L;
    for (int i = 0; i <= shift; i++) power *= from;
    for (int i = 0; i <= degree; i++, power *= from) sum -= p[i] * power / (Wide)(i + shift + 1);
    return sum;
}

/* Error tests from error constants. */
static void finish_family(NordsieckFamily *family)
{
    double factorial = 1.0;
    for (int q = 1; q <= family->most; q++) {
        factorial *= q;
        double last = factorial * family->l[q][q];
        family->test[q] = family->error_constant[q] * last;
        family->test_up[q] = family->error_constant[q + 1] * last;
        family->test_down[q] = family->error_constant[q - 1] * factorial;
    }
}

void nordsieck_adams(NordsieckFamily *family)
{
    Wide p[NORDSIECK_COLUMNS + 1] = { 1.0L }; /* (x+1)...(x+q-1) */
    Wide factorial = 1.0L;
    *family = (NordsieckFamily){ .most = NORDSIECK_MOST };
    for (int q = 1; q <= NORDSIECK_MOST + 1; q++) {
        if (q > 1) times_linear(p, q - 2, (Wide)(q - 1));
        factorial *= (Wide)q;
        /* the integral of x (x+1)...(x+q-1) / q! over the last step */
        family->error_constant[q] = (double)fabsl(integral_to_zero(p, q - 1, 1, -1.0L) / factorial);
        if (q > NORDSIECK_MOST) break;
        family->l[q][0] = (double)(integral_to_zero(p, q - 1, 0, -1.0L) / p[0]);
        for (int j = 1; j <= q; j++) family->l[q][j] = (double)(p[j - 1] / p[0] / (Wide)j);
    }
    finish_family(family);
}

/* The prediction of Adams-Moulton of order q is the result of Adams-Bashforth: the integral of the
 * polynomial through q derivatives. */
void nordsieck_bashforth(NordsieckFamily *family)
{
    enum { MOST = 5 };
    Wide p[NORDSIECK_COLUMNS + 1] = { 0.0L, 1.0L }; /* x (x+1)...(x+q-1) */
    Wide factorial = 1.0L;
    nordsieck_adams(family);
    family->most = MOST;
    family->explicit = true;
    for (int q = 1; q <= MOST + 1; q++) {
        if (q > 1) times_linear(p, q - 1, (Wide)(q - 1));
        factorial *= (Wide)q;
        /* the integral from 0 to 1 over q! */
        family->error_constant[q] = (double)(-integral_to_zero(p, q, 0, 1.0L) / factorial);
        family->l[q][0] = 0.0;
    }
    finish_family(family);
}

void nordsieck_bdf(NordsieckFamily *family)
{
    enum { MOST = 5 };
    Wide p[NORDSIECK_COLUMNS + 1] = { 1.0L }; /* (x+1)...(x+q) */
    *family = (NordsieckFamily){ .most = MOST };
    for (int q = 1; q <= MOST + 1; q++) {
        times_linear(p, q - 1, (Wide)q);
        family->error_constant[q] = 1.0 / (q + 1);
        if (q > MOST) break;
        for (int j = 0; j <= q; j++) family->l[q][j] = (double)(p[j] / p[1]);
    }
    family->error_constant[0] = 1.0;
    finish_family(family);
}

void nordsieck_predict(int n, double *const *z, int q, double ratio, double *const *w)
{
    double power = 1.0;
    for (int j = 0; j <= q; j++, power *= ratio)
        for (int i = 0; i < n; i++) w[j][i] = power * z[j][i];
    for (int k = 0; k < q; k++)
        for (int j = q - 1; j >= k; j--)
            for (int i = 0; i < n; i++) w[j][i] += w[j + 1][i];
}

void nordsieck_correct(int n, double *const *w, int q, const double *l, const double *e, double *const *z)
{
    for (int j = 0; j <= q; j++)
        for (int i = 0; i < n; i++) z[j][i] = w[j][i] + l[j] * e[i];
}

void nordsieck_shift(int n, double *const *z, int q, double x)
{
    for (int k = 0; k < q; k++)
        for (int j = q - 1; j >= k; j--)
            for (int i = 0; i < n; i++) z[j][i] += x * z[j + 1][i];
}

void nordsieck_at(int n, double *const *z, int q, double x, double *y)
{
    memcpy(y, z[q], (size_t)n * sizeof *y);
    for (int j = q - 1; j >= 0; j--)
        for (int i = 0; i < n; i++) y[i] = z[j][i] + x * y[i];
}

void nordsieck_slope_at(int n, double *const *z, int q, double x, double *y, double *slope)
{
    for (int i = 0; i < n; i++) {
        double v = z[q][i], d = 0.0;
        for (int j = q - 1; j >= 0; j--) {
            d = v + x * d;
            v = z[j][i] + x * v;
        }
        y[i] = v;
        slope[i] = d;
    }
}

/* Coefficients of Lagrange's polynomial that is 1 at node j of 0..q-1 and 0 at the others. */
static void lagrange(int q, int j, Wide *p)
{
    Wide scale = 1.0L;
    int degree = 0;
    p[0] = 1.0L;
    for (int k = 0; k < q; k++) {
        if (k == j) continue;
        times_linear(p, degree++, -(Wide)k);
        scale *= (Wide)(j - k);
    }
    for (int k = 0; k <= degree; k++) p[k] /= scale;
}

void nordsieck_of_derivatives(int n, int q, const double *y, double h, double *const *f, double *const *z)
{
    Wide p[NORDSIECK_COLUMNS + 1];
    memcpy(z[0], y, (size_t)n * sizeof *y);
    for (int k = 1; k <= q; k++) memset(z[k], 0, (size_t)n * sizeof *y);
    for (int j = 0; j < q; j++) {
        lagrange(q, j, p);
        for (int k = 1; k <= q; k++) {
            double weight = h * (double)(p[k - 1] / (Wide)k);
            for (int i = 0; i < n; i++) z[k][i] += weight * f[j][i];
        }
    }
}

void nordsieck_of_values(int n, int q, double *const *y, double *const *z)
{
    Wide p[NORDSIECK_COLUMNS + 1];
    for (int k = 0; k <= q; k++) memset(z[k], 0, (size_t)n * sizeof(double));
    for (int j = 0; j <= q; j++) {
        lagrange(q + 1, j, p);
        for (int k = 0; k <= q; k++)
            for (int i = 0; i < n; i++) z[k][i] += (double)p[k] * y[j][i];
    }
}

void nordsieck_integral(int n, int q, const double *y, double h, double *const *f, int i, double *node)
{
    Wide p[NORDSIECK_COLUMNS + 1];
    memcpy(node, y, (size_t)n * sizeof *y);
    for (int j = 0; j < q; j++) {
        lagrange(q, j, p);
        double weight = -h * (double)integral_to_zero(p, q - 1, 0, (Wide)i);
        for (int k = 0; k < n; k++) node[k] += weight * f[j][k];
    }
}
