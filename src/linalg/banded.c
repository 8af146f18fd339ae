/* banded.c: LU of banded matrices with partial pivoting, real and complex.
 *
 * In: values in the order of the shape. Out: factors as LAPACK keeps them: columns of 2 lower +
 * upper + 1 numbers, with room above for what row exchanges bring. How: narrow bands by own loops,
 * wide ones by LAPACK (gbtrf), whose calls of BLAS for each column cost more than the arithmetic of
 * a narrow band. Always: a zero or NaN pivot is LU_SINGULAR. Cost: n lower (lower + upper). Tests:
 * tests/linalg/linalg_test.c. */
#include "linalg/inside.h"

#include <math.h>

void dgbtrf_(const int *m, const int *n, const int *kl, const int *ku, double *ab, const int *ldab, int *ipiv,
             int *info);
void zgbtrf_(const int *m, const int *n, const int *kl, const int *ku, double *ab, const int *ldab, int *ipiv,
             int *info);
void dgbtrs_(const char *trans, const int *n, const int *kl, const int *ku, const int *nrhs, const double *ab,
             const int *ldab, const int *ipiv, double *b, const int *ldb, int *info, size_t trans_length);
void zgbtrs_(const char *trans, const int *n, const int *kl, const int *ku, const int *nrhs, const double *ab,
             const int *ldab, const int *ipiv, double *b, const int *ldb, int *info, size_t trans_length);

enum { NARROW = 40 }; /* of 2 lower + upper, up to which own loops are faster (measured) */

static bool is_narrow(const Lu *lu) { return 2 * lu->shape->lower + lu->shape->upper <= NARROW; }

/* Parts: 1 of real numbers, 2 of complex ones; a constant where these are called. Columns are
 * `height` long, with the diagonal after lower + upper. */
INLINE ptrdiff_t find_pivot(ptrdiff_t parts, const double *a, ptrdiff_t below)
{
    ptrdiff_t p = 0;
    double largest = 0.0;
    for (ptrdiff_t i = 0; i <= below; i++) {
        double size = fabs(a[i * parts]) + (parts == 2 ? fabs(a[i * parts + 1]) : 0.0);
        if (size > largest) largest = size, p = i;
    }
    return largest > 0.0 ? p : -1;
}

/* a -= x c */
INLINE void subtract_part(ptrdiff_t parts, double *a, const double *x, const double *c)
{
    if (parts == 2)
        subtract_product(a, x[0], x[1], c);
    else
        a[0] -= x[0] * c[0];
}

INLINE void copy_part(ptrdiff_t parts, const double *from, double *to)
{
    to[0] = from[0];
    if (parts == 2) to[1] = from[1];
}

/* `last` is the column that the longest row so far reaches; `along` a row, entries are as far
 * apart. */
INLINE LuStatus narrow_factor(ptrdiff_t parts, Lu *lu)
{
    ptrdiff_t n = lu->shape->n, kl = lu->shape->lower, ku = lu->shape->upper;
    ptrdiff_t height = 2 * kl + ku + 1, along = (height - 1) * parts, last = 0;
    double *pivot = lu->factors + (kl + ku) * parts;
    for (ptrdiff_t j = 0; j < n; j++, pivot += height * parts) {
        ptrdiff_t below = kl < n - 1 - j ? kl : n - 1 - j, p = find_pivot(parts, pivot, below);
        if (p < 0) return singular(lu, (int)j);
        lu->pivots[j] = (int)(j + p + 1);
        if (j + ku + p > last) last = j + ku + p < n ? j + ku + p : n - 1;
        double *row = pivot;
        for (ptrdiff_t c = j; c <= last && p > 0; c++, row += along)
            exchange((size_t)parts, row, row + p * parts);
        for (ptrdiff_t i = 1; i <= below; i++) over_pivot(parts, pivot + i * parts, pivot);
        row = pivot + along;
        for (ptrdiff_t c = j + 1; c <= last; c++, row += along)
            for (ptrdiff_t i = 1; i <= below; i++)
                subtract_part(parts, row + i * parts, row, pivot + i * parts);
    }
    return LU_OK;
}

static LuStatus banded_factor(Lu *lu, const double *values)
{
    int n = lu->shape->n, kl = lu->shape->lower, ku = lu->shape->upper, ld = 2 * kl + ku + 1, info = 0;
    size_t parts = lu->is_complex ? 2 : 1, height = (size_t)(kl + ku + 1) * parts;
    memset(lu->factors, 0, lu->factor_bytes);
    for (size_t j = 0; j < (size_t)n; j++)
        memcpy(lu->factors + (j * (size_t)ld + (size_t)kl) * parts, values + j * height,
               height * sizeof(double));
    if (is_narrow(lu)) return lu->is_complex ? narrow_factor(2, lu) : narrow_factor(1, lu);
    (lu->is_complex ? zgbtrf_ : dgbtrf_)(&n, &n, &kl, &ku, lu->factors, &ld, lu->pivots, &info);
    return info ? singular(lu, info - 1) : LU_OK;
}

/* The number that the next one waits for, x, does not pass through memory. */
INLINE void narrow_solve(ptrdiff_t parts, const Lu *lu, double *b)
{
    ptrdiff_t n = lu->shape->n, kl = lu->shape->lower, kv = kl + lu->shape->upper;
    ptrdiff_t height = (kl + kv + 1) * parts;
    const double *pivot = lu->factors + kv * parts;
    double x[2], next[2];
    copy_part(parts, b, x);
    for (ptrdiff_t j = 0; j + 1 < n && kl > 0; j++, pivot += height) {
        ptrdiff_t below = kl < n - 1 - j ? kl : n - 1 - j, other = lu->pivots[j] - 1;
        double *at = b + j * parts;
        if (other != j) exchange((size_t)parts, x, b + other * parts);
        copy_part(parts, x, at);
        copy_part(parts, at + parts, next);
        subtract_part(parts, next, x, pivot + parts);
        for (ptrdiff_t i = 2; i <= below; i++) subtract_part(parts, at + i * parts, x, pivot + i * parts);
        copy_part(parts, next, x);
    }
    pivot = lu->factors + (n - 1) * height + kv * parts;
    if (kl == 0) copy_part(parts, b + (n - 1) * parts, x);
    for (ptrdiff_t j = n - 1; j >= 0; j--, pivot -= height) {
        ptrdiff_t above = j < kv ? j : kv;
        double *at = b + j * parts;
        over_pivot(parts, x, pivot);
        copy_part(parts, x, at);
        for (ptrdiff_t i = 2; i <= above; i++) subtract_part(parts, at - i * parts, x, pivot - i * parts);
        if (j == 0) break;
        copy_part(parts, at - parts, next);
        if (kv > 0) subtract_part(parts, next, x, pivot - parts);
        copy_part(parts, next, x);
    }
}

static void banded_solve(Lu *lu, double *b)
{
    if (is_narrow(lu)) {
        if (lu->is_complex)
            narrow_solve(2, lu, b);
        else
            narrow_solve(1, lu, b);
        return;
    }
    int n = lu->shape->n, kl = lu->shape->lower, ku = lu->shape->upper, ld = 2 * kl + ku + 1, one = 1,
        info = 0;
    (lu->is_complex ? zgbtrs_ : dgbtrs_)("N", &n, &kl, &ku, &one, lu->factors, &ld, lu->pivots, b, &n, &info,
                                         1);
}

const LuKind lu_banded = { .factor = banded_factor, .solve = banded_solve, .solve_lanes = lanes_banded };
