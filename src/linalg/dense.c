/* dense.c: LU of dense and banded matrices with partial pivoting, real and complex.
 *
 * In: values in the order of the shape. Out: factors in lu->factors, row exchanges in lu->pivots (1-based,
 * as LAPACK counts). How: below a size own right-looking loops over columns; above it LAPACK (getrf,
 * gbtrf). Complex numbers are pairs, and their products are written out: the C operators check for
 * infinities at every product. Always: a zero or NaN pivot is LU_SINGULAR. Cost: n^3/3; banded n * lower *
 * (lower + upper). Tests: tests/linalg/linalg_test.c. */
#include "linalg/inside.h"

#include <math.h>

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void zgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t trans_length);
void zgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t trans_length);
void dgbtrf_(const int *m, const int *n, const int *kl, const int *ku, double *ab, const int *ldab, int *ipiv,
             int *info);
void zgbtrf_(const int *m, const int *n, const int *kl, const int *ku, double *ab, const int *ldab, int *ipiv,
             int *info);
void dgbtrs_(const char *trans, const int *n, const int *kl, const int *ku, const int *nrhs, const double *ab,
             const int *ldab, const int *ipiv, double *b, const int *ldb, int *info, size_t trans_length);
void zgbtrs_(const char *trans, const int *n, const int *kl, const int *ku, const int *nrhs, const double *ab,
             const int *ldab, const int *ipiv, double *b, const int *ldb, int *info, size_t trans_length);

enum { NARROW = 16 };

static LuStatus singular(Lu *lu, int column)
{
    lu->singular_column = column;
    return LU_SINGULAR;
}

/* A few unknowns are the rule and get loops without counters. */
#define BY_SIZE(n, what, ...)          \
    ((n) == 2   ? what(2, __VA_ARGS__) \
     : (n) == 3 ? what(3, __VA_ARGS__) \
     : (n) == 4 ? what(4, __VA_ARGS__) \
                : what((size_t)(n), __VA_ARGS__))

static inline LuStatus factor_of(size_t n, Lu *lu, const double *values)
{
    double *a = lu->factors;
    for (size_t k = 0; k < n * n; k++) a[k] = values[k];
    for (size_t k = 0; k < n; k++) {
        double *column = a + k * n, largest = fabs(column[k]);
        size_t p = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(column[i]) > largest) largest = fabs(column[p = i]);
        if (!(largest > 0.0)) return singular(lu, (int)k);
        lu->pivots[k] = (int)p + 1;
        double pivot = column[p], inverse = 1.0 / pivot;
        column[p] = column[k];
        column[k] = pivot;
        for (size_t i = k + 1; i < n; i++) column[i] *= inverse;
        for (size_t j = k + 1; j < n; j++) {
            double *other = a + j * n, factor = other[p];
            other[p] = other[k];
            other[k] = factor;
            if (factor == 0.0) continue;
            for (size_t i = k + 1; i < n; i++) other[i] -= factor * column[i];
        }
    }
    return LU_OK;
}

static LuStatus tiny_factor(Lu *lu, const double *values)
{
    return BY_SIZE(lu->shape->n, factor_of, lu, values);
}

static inline void solve_of(size_t n, const Lu *lu, double *b)
{
    const double *a = lu->factors;
    for (size_t k = 0; k < n; k++) {
        size_t p = (size_t)lu->pivots[k] - 1;
        double bk = b[p];
        b[p] = b[k];
        b[k] = bk;
        for (size_t i = k + 1; i < n; i++) b[i] -= bk * a[k * n + i];
    }
    for (size_t k = n; k-- > 0;) {
        double bk = b[k] /= a[k * n + k];
        for (size_t i = 0; i < k; i++) b[i] -= bk * a[k * n + i];
    }
}

static void tiny_solve(Lu *lu, double *b) { BY_SIZE(lu->shape->n, solve_of, lu, b); }

/* (a0, a1) -= (x, y) * (c0, c1) */
static inline void subtract_product(double *a, double x, double y, const double *c)
{
    a[0] -= x * c[0] - y * c[1];
    a[1] -= x * c[1] + y * c[0];
}

static inline void divide(double *a, const double *by)
{
    double scale = 1.0 / (by[0] * by[0] + by[1] * by[1]);
    double re = (a[0] * by[0] + a[1] * by[1]) * scale, im = (a[1] * by[0] - a[0] * by[1]) * scale;
    a[0] = re;
    a[1] = im;
}

static inline void exchange(double *a, double *b)
{
    double re = a[0], im = a[1];
    a[0] = b[0], a[1] = b[1];
    b[0] = re, b[1] = im;
}

static inline LuStatus factor_complex_of(size_t n, Lu *lu, const double *values)
{
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
        exchange(column + 2 * p, column + 2 * k);
        for (size_t i = k + 1; i < n; i++) divide(column + 2 * i, column + 2 * k);
        for (size_t j = k + 1; j < n; j++) {
            double *other = a + 2 * j * n;
            exchange(other + 2 * p, other + 2 * k);
            double x = other[2 * k], y = other[2 * k + 1];
            if (x == 0.0 && y == 0.0) continue;
            for (size_t i = k + 1; i < n; i++) subtract_product(other + 2 * i, x, y, column + 2 * i);
        }
    }
    return LU_OK;
}

static LuStatus tiny_factor_complex(Lu *lu, const double *values)
{
    return BY_SIZE(lu->shape->n, factor_complex_of, lu, values);
}

static inline void solve_complex_of(size_t n, const Lu *lu, double *b)
{
    const double *a = lu->factors;
    for (size_t k = 0; k < n; k++) {
        exchange(b + 2 * k, b + 2 * ((size_t)lu->pivots[k] - 1));
        double x = b[2 * k], y = b[2 * k + 1];
        for (size_t i = k + 1; i < n; i++) subtract_product(b + 2 * i, x, y, a + 2 * (k * n + i));
    }
    for (size_t k = n; k-- > 0;) {
        divide(b + 2 * k, a + 2 * (k * n + k));
        double x = b[2 * k], y = b[2 * k + 1];
        for (size_t i = 0; i < k; i++) subtract_product(b + 2 * i, x, y, a + 2 * (k * n + i));
    }
}

static void tiny_solve_complex(Lu *lu, double *b) { BY_SIZE(lu->shape->n, solve_complex_of, lu, b); }

static LuStatus dense_factor(Lu *lu, const double *values)
{
    int n = lu->shape->n, info = 0;
    memcpy(lu->factors, values, lu->factor_bytes);
    (lu->is_complex ? zgetrf_ : dgetrf_)(&n, &n, lu->factors, &n, lu->pivots, &info);
    return info ? singular(lu, info - 1) : LU_OK;
}

static void dense_solve(Lu *lu, double *b)
{
    int n = lu->shape->n, one = 1, info = 0;
    (lu->is_complex ? zgetrs_ : dgetrs_)("N", &n, &one, lu->factors, &n, lu->pivots, b, &n, &info, 1);
}

static LuStatus banded_factor(Lu *lu, const double *values)
{
    int n = lu->shape->n, kl = lu->shape->lower, ku = lu->shape->upper, ld = 2 * kl + ku + 1, info = 0;
    size_t parts = lu->is_complex ? 2 : 1, height = (size_t)(kl + ku + 1) * parts;
    memset(lu->factors, 0, lu->factor_bytes);
    for (size_t j = 0; j < (size_t)n; j++)
        memcpy(lu->factors + (j * (size_t)ld + (size_t)kl) * parts, values + j * height,
               height * sizeof(double));
    (lu->is_complex ? zgbtrf_ : dgbtrf_)(&n, &n, &kl, &ku, lu->factors, &ld, lu->pivots, &info);
    return info ? singular(lu, info - 1) : LU_OK;
}

/* A call of BLAS for each column costs more than the arithmetic of a narrow band. */
static void narrow_solve(const Lu *lu, double *b)
{
    int n = lu->shape->n, kl = lu->shape->lower, kv = kl + lu->shape->upper, ld = kl + kv + 1;
    for (int j = 0; j + 1 < n && kl; j++) {
        const double *column = lu->factors + (ptrdiff_t)j * ld + kv;
        int most = kl < n - 1 - j ? kl : n - 1 - j, other = lu->pivots[j] - 1;
        double x = b[other];
        b[other] = b[j];
        b[j] = x;
        for (int i = 1; i <= most; i++) b[j + i] -= column[i] * x;
    }
    for (int j = n - 1; j >= 0; j--) {
        const double *column = lu->factors + (ptrdiff_t)j * ld + kv;
        double x = b[j] /= column[0];
        for (int i = j < kv ? -j : -kv; i < 0; i++) b[j + i] -= column[i] * x;
    }
}

static void banded_solve(Lu *lu, double *b)
{
    if (!lu->is_complex && 2 * lu->shape->lower + lu->shape->upper <= NARROW) {
        narrow_solve(lu, b);
        return;
    }
    int n = lu->shape->n, kl = lu->shape->lower, ku = lu->shape->upper, ld = 2 * kl + ku + 1, one = 1,
        info = 0;
    (lu->is_complex ? zgbtrs_ : dgbtrs_)("N", &n, &kl, &ku, &one, lu->factors, &ld, lu->pivots, b, &n, &info,
                                         1);
}

const LuKind lu_tiny = { .factor = tiny_factor, .solve = tiny_solve, .solve_lanes = lanes_tiny };
const LuKind lu_tiny_complex = { .factor = tiny_factor_complex,
                                 .solve = tiny_solve_complex,
                                 .solve_lanes = lanes_tiny_complex };
const LuKind lu_dense = { .factor = dense_factor, .solve = dense_solve };
const LuKind lu_banded = { .factor = banded_factor, .solve = banded_solve, .solve_lanes = lanes_banded };
