/* dense.c: LU of dense matrices with partial pivoting, real and complex.
 *
 * In: values in the order of the shape. Out: factors in lu->factors, row exchanges in lu->pivots
 * (1-based, as LAPACK counts), with which all of a row is exchanged. How: below a size own
 * right-looking loops over columns; above it LAPACK (getrf). Complex numbers are pairs, and
 * their products are written out: the C operators check for infinities at every product. Always:
 * a zero or NaN pivot is LU_SINGULAR. Cost: n^3/3. Tests: tests/linalg/linalg_test.c. */
#include "linalg/inside.h"

#include <math.h>

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void zgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t trans_length);
enum { SOLVED_BY_LOOPS = 200 };

/* to -= x c */
INLINE void subtract_times(size_t n, double x, const double *restrict c, double *restrict to)
{
    for (size_t i = 0; i < n; i++) to[i] -= x * c[i];
}

static LuStatus loops_factor(Lu *lu, const double *values)
{
    size_t n = (size_t)lu->shape->n;
    double *a = lu->factors;
    for (size_t k = 0; k < n * n; k++) a[k] = values[k];
    for (size_t k = 0; k < n; k++) {
        double *column = a + k * n, largest = fabs(column[k]);
        size_t p = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(column[i]) > largest) largest = fabs(column[p = i]);
        if (!(largest > 0.0)) return singular(lu, (int)k);
        lu->pivots[k] = (int)p + 1;
        for (size_t j = 0; j <= k; j++) exchange(1, a + j * n + p, a + j * n + k);
        double inverse = 1.0 / column[k];
        for (size_t i = k + 1; i < n; i++) column[i] *= inverse;
        for (size_t j = k + 1; j < n; j++) {
            double *other = a + j * n, factor = other[p];
            other[p] = other[k];
            other[k] = factor;
            if (factor != 0.0) subtract_times(n - k - 1, factor, column + k + 1, other + k + 1);
        }
    }
    return LU_OK;
}

static void loops_solve(Lu *lu, double *b)
{
    size_t n = (size_t)lu->shape->n;
    const double *a = lu->factors;
    for (size_t k = 0; k < n; k++) exchange(1, b + k, b + lu->pivots[k] - 1);
    for (size_t k = 0; k < n; k++, a += n) subtract_times(n - 1 - k, b[k], a + k + 1, b + k + 1);
    for (size_t k = n; k-- > 0;) {
        a -= n;
        over_pivot(1, b + k, a + k);
        subtract_times(k, b[k], a, b);
    }
}

/* to -= (x, y) c, of n pairs. */
INLINE void subtract_products(size_t n, double x, double y, const double *c, double *to)
{
    for (size_t i = 0; i < n; i++) subtract_product(to + 2 * i, x, y, c + 2 * i);
}

static LuStatus loops_factor_complex(Lu *lu, const double *values)
{
    size_t n = (size_t)lu->shape->n;
    double *a = lu->factors;
    for (size_t k = 0; k < 2 * n * n; k++) a[k] = values[k];
    for (size_t k = 0; k < n; k++) {
        double *column = a + 2 * k * n, largest = 0.0;
        size_t p = k;
        for (size_t i = k; i < n; i++) {
            double size = fabs(column[2 * i]) + fabs(column[2 * i + 1]);
            if (size > largest) largest = size, p = i;
        }
        if (!(largest > 0.0)) return singular(lu, (int)k);
        lu->pivots[k] = (int)p + 1;
        for (size_t j = 0; j <= k; j++) exchange(2, a + 2 * (j * n + p), a + 2 * (j * n + k));
        for (size_t i = k + 1; i < n; i++) over_pivot(2, column + 2 * i, column + 2 * k);
        for (size_t j = k + 1; j < n; j++) {
            double *other = a + 2 * j * n, *x = other + 2 * k;
            exchange(2, other + 2 * p, x);
            if (x[0] == 0.0 && x[1] == 0.0) continue;
            subtract_products(n - k - 1, x[0], x[1], column + 2 * (k + 1), x + 2);
        }
    }
    return LU_OK;
}

static void loops_solve_complex(Lu *lu, double *b)
{
    size_t n = (size_t)lu->shape->n;
    const double *a = lu->factors;
    for (size_t k = 0; k < n; k++) exchange(2, b + 2 * k, b + 2 * (lu->pivots[k] - 1));
    for (size_t k = 0; k < n; k++, a += 2 * n)
        subtract_products(n - 1 - k, b[2 * k], b[2 * k + 1], a + 2 * (k + 1), b + 2 * (k + 1));
    for (size_t k = n; k-- > 0;) {
        a -= 2 * n;
        over_pivot(2, b + 2 * k, a + 2 * k);
        subtract_products(k, b[2 * k], b[2 * k + 1], a, b);
    }
}

static LuStatus dense_factor(Lu *lu, const double *values)
{
    int n = lu->shape->n, info = 0;
    memcpy(lu->factors, values, lu->factor_bytes);
    (lu->is_complex ? zgetrf_ : dgetrf_)(&n, &n, lu->factors, &n, lu->pivots, &info);
    return info ? singular(lu, info - 1) : LU_OK;
}

/* Own loops are faster up to these, complex ones at all sizes tried (800). */
static void dense_solve(Lu *lu, double *b)
{
    int n = lu->shape->n, one = 1, info = 0;
    if (lu->is_complex)
        loops_solve_complex(lu, b);
    else if (n <= SOLVED_BY_LOOPS)
        loops_solve(lu, b);
    else
        dgetrs_("N", &n, &one, lu->factors, &n, lu->pivots, b, &n, &info, 1);
}

const LuKind lu_tiny = { .factor = loops_factor, .solve = loops_solve, .solve_lanes = lanes_tiny };
const LuKind lu_tiny_complex = { .factor = loops_factor_complex,
                                 .solve = loops_solve_complex,
                                 .solve_lanes = lanes_tiny_complex };
const LuKind lu_dense = { .factor = dense_factor, .solve = dense_solve };
