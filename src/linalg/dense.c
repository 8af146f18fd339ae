/* dense.c: LU of dense matrices with partial pivoting, real and complex.
 *
 * In: values in the order of the shape. Out: factors in lu->factors, row exchanges in lu->pivots
 * (1-based, as LAPACK counts), with which all of a row is exchanged. How: below a size own
 * right-looking loops over columns, of two to four unknowns as straight code in registers; above it
 * LAPACK (getrf). Complex numbers are pairs, and their products are written out: the C operators
 * check for infinities at every product. Always: a zero or NaN pivot is LU_SINGULAR. Cost: n^3/3.
 * Tests: tests/linalg/linalg_test.c. */
#include "linalg/inside.h"

#include <math.h>

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void zgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t trans_length);
enum { SOLVED_BY_LOOPS = 200 };
enum { FEW = LU_FEW };

/* The order of rows in the end. */
static LuStatus note_order(Lu *lu)
{
    int n = lu->shape->n, *order = lu->order;
    for (int k = 0; k < n; k++) order[k] = k;
    for (int k = 0; k < n; k++) {
        int other = lu->pivots[k] - 1, row = order[k];
        order[k] = order[other];
        order[other] = row;
    }
    return LU_OK;
}

/* to -= x c */
INLINE void subtract_times(bool is_wide, size_t n, double x, const double *c, double *to)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) group_to(is_wide, to + i, four_at(to + i) - x * four_at(c + i));
    for (; i < n; i++) to[i] -= x * c[i];
}

INLINE LuStatus factor_many(bool is_wide, Lu *lu, const double *values)
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
            if (factor != 0.0) subtract_times(is_wide, n - k - 1, factor, column + k + 1, other + k + 1);
        }
    }
    return note_order(lu);
}

/* The largest of column k of few comes into row k; its size. n and k are constants where this is
 * called, so that all numbers stay in registers. */
INLINE double take_pivot(size_t n, size_t k, double *a, int *pivots)
{
    double largest = fabs(a[k * n + k]);
    size_t p = k;
    for (size_t i = k + 1; i < n; i++)
        if (fabs(a[k * n + i]) > largest) largest = fabs(a[k * n + i]), p = i;
    pivots[k] = (int)p + 1;
    for (size_t i = k + 1; i < n; i++)
        for (size_t j = 0; j < n && i == p; j++) exchange(1, a + j * n + i, a + j * n + k);
    return largest;
}

/* Column k of few. */
INLINE bool eliminate_few(size_t n, size_t k, double *a, int *pivots)
{
    double largest = take_pivot(n, k, a, pivots), inverse = 1.0 / a[k * n + k];
    for (size_t i = k + 1; i < n; i++) a[k * n + i] *= inverse;
    for (size_t j = k + 1; j < n; j++)
        for (size_t i = k + 1; i < n; i++) a[j * n + i] -= a[j * n + k] * a[k * n + i];
    return largest > 0.0;
}

INLINE LuStatus factor_few(size_t n, Lu *lu, const double *values)
{
    double a[FEW * FEW];
    for (size_t k = 0; k < n * n; k++) a[k] = values[k];
    if (!eliminate_few(n, 0, a, lu->pivots)) return singular(lu, 0);
    if (!eliminate_few(n, 1, a, lu->pivots)) return singular(lu, 1);
    if (n > 2 && !eliminate_few(n, 2, a, lu->pivots)) return singular(lu, 2);
    if (n > 3 && !eliminate_few(n, 3, a, lu->pivots)) return singular(lu, 3);
    for (size_t k = 0; k < n * n; k++) lu->factors[k] = a[k];
    return note_order(lu);
}

/* Row k of Gauss and Jordan's elimination, in place: the inverse in the end, but for the order of
 * its columns. */
INLINE bool invert_row(size_t n, size_t k, double *a, int *pivots)
{
    double largest = take_pivot(n, k, a, pivots), inverse = 1.0 / a[k * n + k];
    for (size_t j = 0; j < n; j++) {
        if (j == k) continue;
        double x = a[j * n + k] *= inverse;
        for (size_t i = 0; i < n; i++)
            if (i != k) a[j * n + i] -= a[k * n + i] * x;
    }
    for (size_t i = 0; i < n; i++) a[k * n + i] *= i == k ? 0.0 : -inverse;
    a[k * n + k] = inverse;
    return largest > 0.0;
}

/* What exchanged rows exchanges columns of the inverse, the last first. */
INLINE void exchange_back(size_t n, size_t k, double *a, const int *pivots)
{
    for (size_t i = k + 1; i < n; i++)
        if (pivots[k] == (int)i + 1) exchange(n, a + i * n, a + k * n);
}

INLINE LuStatus invert_few(size_t n, Lu *lu, const double *values)
{
    double a[FEW * FEW];
    for (size_t k = 0; k < n * n; k++) a[k] = values[k];
    if (!invert_row(n, 0, a, lu->pivots)) return singular(lu, 0);
    if (!invert_row(n, 1, a, lu->pivots)) return singular(lu, 1);
    if (n > 2 && !invert_row(n, 2, a, lu->pivots)) return singular(lu, 2);
    if (n > 3 && !invert_row(n, 3, a, lu->pivots)) return singular(lu, 3);
    if (n > 3) exchange_back(n, 2, a, lu->pivots);
    if (n > 2) exchange_back(n, 1, a, lu->pivots);
    exchange_back(n, 0, a, lu->pivots);
    for (size_t k = 0; k < n * n; k++) lu->factors[k] = a[k];
    return LU_OK;
}

WIDE_LOOP static LuStatus factor_wide(Lu *lu, const double *values) { return factor_many(true, lu, values); }

static LuStatus loops_factor(Lu *lu, const double *values)
{
    return PROCESSOR_IS_WIDE ? factor_wide(lu, values) : factor_many(false, lu, values);
}

/* x in the order of the rows. Loops have as many turns each, so that nothing is left of them. */
INLINE void substitute(size_t n, const double *a, double *x)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            if (i > k) x[i] -= x[k] * a[k * n + i];
    for (size_t j = 0; j < n; j++) {
        size_t k = n - 1 - j;
        over_pivot(1, x + k, a + k * n + k);
        for (size_t i = 0; i < n; i++)
            if (i < k) x[i] -= x[k] * a[k * n + i];
    }
}

INLINE void multiply(size_t n, const double *a, double *x)
{
    double sum[FEW];
    for (size_t i = 0; i < n; i++) sum[i] = x[0] * a[i];
    for (size_t k = 1; k < n; k++)
        for (size_t i = 0; i < n; i++) sum[i] += x[k] * a[k * n + i];
    for (size_t i = 0; i < n; i++) x[i] = sum[i];
}

/* What is done with few unknowns is done with factors or with an inverse: which entry of the
 * right-hand side is the i-th, and the solution. */
INLINE size_t row_of(bool is_inverse, const Lu *lu, size_t i)
{
    return is_inverse ? i : (size_t)lu->order[i];
}
INLINE void solve_here(bool is_inverse, size_t n, const Lu *lu, double *x)
{
    if (is_inverse)
        multiply(n, lu->factors, x);
    else
        substitute(n, lu->factors, x);
}

INLINE void solve_few(bool is_inverse, size_t n, const Lu *lu, double *b)
{
    double x[FEW];
    for (size_t k = 0; k < n; k++) x[k] = b[row_of(is_inverse, lu, k)];
    solve_here(is_inverse, n, lu, x);
    for (size_t k = 0; k < n; k++) b[k] = x[k];
}

/* Numbers stay in registers from f to y. The first one is known last, so it comes last in the
 * norm. */
INLINE double correct_few(bool is_inverse, size_t n, const Lu *lu, const double *f, const double *w, double c,
                          double *y, double *k, double *u)
{
    double x[FEW], term[FEW] = { 0 };
    for (size_t i = 0; i < n; i++) {
        size_t row = row_of(is_inverse, lu, i);
        x[i] = f[row] - k[row];
    }
    solve_here(is_inverse, n, lu, x);
    for (size_t i = 0; i < n; i++) {
        double size = x[i] * w[i];
        y[i] += x[i];
        k[i] += x[i] * c;
        u[i] = x[i];
        term[i] = size * size;
    }
    double sum = n < 4 ? (term[2] + term[1]) + term[0] : (term[0] + term[1]) + (term[2] + term[3]);
    return 1.0 / (double)n * sum;
}

INLINE void damp_few(bool is_inverse, size_t n, const Lu *lu, double c, int rounds, const double *u,
                     double *out)
{
    double x[FEW];
    for (; rounds > 0; rounds--, u = out, out += n) {
        for (size_t i = 0; i < n; i++) x[i] = c * u[row_of(is_inverse, lu, i)];
        solve_here(is_inverse, n, lu, x);
        for (size_t i = 0; i < n; i++) out[i] = u[i] - x[i];
    }
}

INLINE void solve_many(bool is_wide, const Lu *lu, double *b)
{
    size_t n = (size_t)lu->shape->n;
    const double *a = lu->factors;
    for (size_t k = 0; k < n; k++) exchange(1, b + k, b + lu->pivots[k] - 1);
    for (size_t k = 0; k < n; k++, a += n) subtract_times(is_wide, n - 1 - k, b[k], a + k + 1, b + k + 1);
    for (size_t k = n; k-- > 0;) {
        a -= n;
        over_pivot(1, b + k, a + k);
        subtract_times(is_wide, k, b[k], a, b);
    }
}

WIDE_LOOP static void solve_wide(const Lu *lu, double *b) { solve_many(true, lu, b); }

static void loops_solve(Lu *lu, double *b)
{
    if (PROCESSOR_IS_WIDE)
        solve_wide(lu, b);
    else
        solve_many(false, lu, b);
}

/* to -= (x, y) c, of n pairs; the same operations as above, two pairs at once. */
INLINE void subtract_products(bool is_wide, size_t n, double x, double y, const double *c, double *to)
{
    const Four turn = { -y, y, -y, y };
    size_t i = 0;
    for (; i + 4 <= 2 * n; i += 4) {
        Four v = four_at(c + i), other = { v[1], v[0], v[3], v[2] };
        group_to(is_wide, to + i, four_at(to + i) - (x * v + turn * other));
    }
    if (i < 2 * n) subtract_product(to + i, x, y, c + i);
}

INLINE LuStatus factor_many_complex(bool is_wide, Lu *lu, const double *values)
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
            subtract_products(is_wide, n - k - 1, x[0], x[1], column + 2 * (k + 1), x + 2);
        }
    }
    return note_order(lu);
}

/* As for real ones. */
INLINE bool eliminate_few_complex(size_t n, size_t k, double *a, int *pivots)
{
    double largest = 0.0, *column = a + 2 * k * n;
    size_t p = k;
    for (size_t i = k; i < n; i++) {
        double size = fabs(column[2 * i]) + fabs(column[2 * i + 1]);
        if (size > largest) largest = size, p = i;
    }
    pivots[k] = (int)p + 1;
    for (size_t i = k + 1; i < n; i++)
        for (size_t j = 0; j < n && i == p; j++) exchange(2, a + 2 * (j * n + i), a + 2 * (j * n + k));
    for (size_t i = k + 1; i < n; i++) over_pivot(2, column + 2 * i, column + 2 * k);
    for (size_t j = k + 1; j < n; j++) {
        double *other = a + 2 * j * n, x = other[2 * k], y = other[2 * k + 1];
        for (size_t i = k + 1; i < n; i++) subtract_product(other + 2 * i, x, y, column + 2 * i);
    }
    return largest > 0.0;
}

INLINE LuStatus factor_few_complex(size_t n, Lu *lu, const double *values)
{
    double a[2 * FEW * FEW];
    for (size_t k = 0; k < 2 * n * n; k++) a[k] = values[k];
    if (!eliminate_few_complex(n, 0, a, lu->pivots)) return singular(lu, 0);
    if (!eliminate_few_complex(n, 1, a, lu->pivots)) return singular(lu, 1);
    if (n > 2 && !eliminate_few_complex(n, 2, a, lu->pivots)) return singular(lu, 2);
    if (n > 3 && !eliminate_few_complex(n, 3, a, lu->pivots)) return singular(lu, 3);
    for (size_t k = 0; k < 2 * n * n; k++) lu->factors[k] = a[k];
    return note_order(lu);
}

WIDE_LOOP static LuStatus factor_wide_complex(Lu *lu, const double *values)
{
    return factor_many_complex(true, lu, values);
}

static LuStatus loops_factor_complex(Lu *lu, const double *values)
{
    return PROCESSOR_IS_WIDE ? factor_wide_complex(lu, values) : factor_many_complex(false, lu, values);
}

INLINE void substitute_complex(size_t n, const double *a, double *z)
{
    for (size_t k = 0; k < n; k++) {
        double x = z[2 * k], y = z[2 * k + 1];
        for (size_t i = 0; i < n; i++)
            if (i > k) subtract_product(z + 2 * i, x, y, a + 2 * (k * n + i));
    }
    for (size_t j = 0; j < n; j++) {
        size_t k = n - 1 - j;
        over_pivot(2, z + 2 * k, a + 2 * (k * n + k));
        double x = z[2 * k], y = z[2 * k + 1];
        for (size_t i = 0; i < n; i++)
            if (i < k) subtract_product(z + 2 * i, x, y, a + 2 * (k * n + i));
    }
}

INLINE void solve_few_complex(size_t n, const Lu *lu, double *b)
{
    double z[2 * FEW];
    for (size_t k = 0; k < n; k++) {
        z[2 * k] = b[2 * lu->order[k]];
        z[2 * k + 1] = b[2 * lu->order[k] + 1];
    }
    substitute_complex(n, lu->factors, z);
    for (size_t k = 0; k < 2 * n; k++) b[k] = z[k];
}

INLINE void solve_many_complex(bool is_wide, const Lu *lu, double *b)
{
    size_t n = (size_t)lu->shape->n;
    const double *a = lu->factors;
    for (size_t k = 0; k < n; k++) exchange(2, b + 2 * k, b + 2 * (lu->pivots[k] - 1));
    for (size_t k = 0; k < n; k++, a += 2 * n)
        subtract_products(is_wide, n - 1 - k, b[2 * k], b[2 * k + 1], a + 2 * (k + 1), b + 2 * (k + 1));
    for (size_t k = n; k-- > 0;) {
        a -= 2 * n;
        over_pivot(2, b + 2 * k, a + 2 * k);
        subtract_products(is_wide, k, b[2 * k], b[2 * k + 1], a, b);
    }
}

WIDE_LOOP static void solve_wide_complex(const Lu *lu, double *b) { solve_many_complex(true, lu, b); }

static void loops_solve_complex(Lu *lu, double *b)
{
    if (PROCESSOR_IS_WIDE)
        solve_wide_complex(lu, b);
    else
        solve_many_complex(false, lu, b);
}

/* Two to four unknowns are the rule and get code without loops. */
static LuStatus factor_2(Lu *lu, const double *values) { return factor_few(2, lu, values); }
static LuStatus factor_3(Lu *lu, const double *values) { return factor_few(3, lu, values); }
static LuStatus factor_4(Lu *lu, const double *values) { return factor_few(4, lu, values); }
static LuStatus invert_2(Lu *lu, const double *values) { return invert_few(2, lu, values); }
static LuStatus invert_3(Lu *lu, const double *values) { return invert_few(3, lu, values); }
static LuStatus invert_4(Lu *lu, const double *values) { return invert_few(4, lu, values); }
#define FEW_CALLS(name, is_inverse, n)                                                                     \
    static void solve_##name(Lu *lu, double *b) { solve_few(is_inverse, n, lu, b); }                       \
    static double correct_##name(Lu *lu, const double *f, const double *w, double c, double *y, double *k, \
                                 double *u)                                                                \
    {                                                                                                      \
        return correct_few(is_inverse, n, lu, f, w, c, y, k, u);                                           \
    }                                                                                                      \
    static void damp_##name(Lu *lu, double c, int k, const double *u, double *out)                         \
    {                                                                                                      \
        damp_few(is_inverse, n, lu, c, k, u, out);                                                         \
    }
FEW_CALLS(2, false, 2)
FEW_CALLS(3, false, 3)
FEW_CALLS(4, false, 4)
FEW_CALLS(by_inverse_2, true, 2)
FEW_CALLS(by_inverse_3, true, 3)
FEW_CALLS(by_inverse_4, true, 4)
static LuStatus factor_complex_2(Lu *lu, const double *values) { return factor_few_complex(2, lu, values); }
static LuStatus factor_complex_3(Lu *lu, const double *values) { return factor_few_complex(3, lu, values); }
static LuStatus factor_complex_4(Lu *lu, const double *values) { return factor_few_complex(4, lu, values); }
static void solve_complex_2(Lu *lu, double *b) { solve_few_complex(2, lu, b); }
static void solve_complex_3(Lu *lu, double *b) { solve_few_complex(3, lu, b); }
static void solve_complex_4(Lu *lu, double *b) { solve_few_complex(4, lu, b); }

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

const LuKind lu_tiny[FEW + 1] = {
    [0] = { .factor = loops_factor, .solve = loops_solve, .solve_lanes = lanes_tiny, .restore = note_order },
    [2] = { .factor = factor_2,
            .solve = solve_2,
            .correct = correct_2,
            .damp = damp_2,
            .solve_lanes = lanes_tiny,
            .restore = note_order },
    [3] = { .factor = factor_3,
            .solve = solve_3,
            .correct = correct_3,
            .damp = damp_3,
            .solve_lanes = lanes_tiny,
            .restore = note_order },
    [4] = { .factor = factor_4,
            .solve = solve_4,
            .correct = correct_4,
            .damp = damp_4,
            .solve_lanes = lanes_tiny,
            .restore = note_order },
};
const LuKind lu_tiny_complex[FEW + 1] = {
    [0] = { .factor = loops_factor_complex,
            .solve = loops_solve_complex,
            .solve_lanes = lanes_tiny_complex,
            .restore = note_order },
    [2] = { .factor = factor_complex_2,
            .solve = solve_complex_2,
            .solve_lanes = lanes_tiny_complex,
            .restore = note_order },
    [3] = { .factor = factor_complex_3,
            .solve = solve_complex_3,
            .solve_lanes = lanes_tiny_complex,
            .restore = note_order },
    [4] = { .factor = factor_complex_4,
            .solve = solve_complex_4,
            .solve_lanes = lanes_tiny_complex,
            .restore = note_order },
};
#define BY_INVERSE(n)                                                                           \
    {                                                                                           \
        .factor = invert_##n, .solve = solve_by_inverse_##n, .correct = correct_by_inverse_##n, \
        .damp = damp_by_inverse_##n                                                             \
    }
const LuKind lu_inverse[FEW + 1] = { [2] = BY_INVERSE(2), [3] = BY_INVERSE(3), [4] = BY_INVERSE(4) };
const LuKind lu_dense = { .factor = dense_factor, .solve = dense_solve };
