/* svd.c: singular values by one-sided Jacobi rotations: pairs of columns are turned until all are
 * orthogonal.
 *
 * In: a matrix with few columns. Out: U diag(s) and V. Always: small singular values have a
 * relative accuracy that the normal equations would not give. Cost: about ten sweeps of n m^2.
 * Source: Hestenes 1958; Demmel, Veselic, SIAM J. Matrix Anal. 13 (1992). Tests:
 * tests/study/fit_test.c. */
#include "study/study.h"

#include <float.h>
#include <math.h>

enum { MOST_SWEEPS = 60 };

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void turn(int n, double *a, double *b, double c, double s)
{
    for (int i = 0; i < n; i++) {
        double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

/* Whether the pair had to be turned. */
static bool make_orthogonal(int n, int m, double *a, double *b, double *va, double *vb)
{
    double aa = dot(n, a, a), bb = dot(n, b, b), ab = dot(n, a, b);
    if (fabs(ab) <= 4.0 * DBL_EPSILON * sqrt(aa * bb) || aa * bb == 0.0) return false;
    double zeta = (bb - aa) / (2.0 * ab);
    double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta)), c = 1.0 / sqrt(1.0 + t * t);
    turn(n, a, b, c, c * t);
    turn(m, va, vb, c, c * t);
    return true;
}

static void swap(int n, double *a, double *b)
{
    for (int i = 0; i < n; i++) {
        double x = a[i];
        a[i] = b[i];
        b[i] = x;
    }
}

void svd_columns(int n, int m, double *a, double *s, double *v)
{
    memset(v, 0, (size_t)m * (size_t)m * sizeof *v);
    for (int j = 0; j < m; j++) v[j * m + j] = 1.0;
    bool again = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && again; sweep++) {
        again = false;
        for (int j = 0; j < m; j++)
            for (int k = j + 1; k < m; k++)
                again |=
                    make_orthogonal(n, m, a + (ptrdiff_t)j * n, a + (ptrdiff_t)k * n, v + j * m, v + k * m);
    }
    for (int j = 0; j < m; j++) s[j] = sqrt(dot(n, a + (ptrdiff_t)j * n, a + (ptrdiff_t)j * n));
    for (int j = 0; j < m; j++) {
        int most = j;
        for (int k = j + 1; k < m; k++)
            if (s[k] > s[most]) most = k;
        if (most == j) continue;
        swap(1, &s[j], &s[most]);
        swap(n, a + (ptrdiff_t)j * n, a + (ptrdiff_t)most * n);
        swap(m, v + j * m, v + most * m);
    }
}
