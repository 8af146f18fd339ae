/* lanes.c: several right-hand sides at once.
 *
 * In: factors, or a matrix, and LU_LANES vectors interleaved: entry i of vector
 * q at i * LU_LANES + q; a complex one has its real parts so, then its imaginary parts. Out:
 * solutions, products, in place. How: an entry of the factors is loaded once for all vectors, and
 * what depends on the step before it in one vector is done for all of them meanwhile. Kinds without
 * loops of their own (LAPACK for dense, KLU) take the vectors one by one. Always: each vector gets
 * the same operations as alone. Cost: that of one solution for about two. Tests:
 * tests/linalg/lanes_test.c. */
#include "linalg/inside.h"

enum { Q = LU_LANES };

/* row i of b -= factor * row x */
static inline void subtract(double *restrict b, double factor, const double *restrict x)
{
    for (int q = 0; q < Q; q++) b[q] -= factor * x[q];
}

/* All of them before the first is subtracted, as rows of factors were. */
static void exchange_rows(const Lu *lu, int row, double *b)
{
    for (int k = 0; k < lu->shape->n; k++) {
        int p = lu->pivots[k] - 1;
        if (p != k) exchange((size_t)row, b + (ptrdiff_t)p * row, b + (ptrdiff_t)k * row);
    }
}

void lanes_tiny(Lu *lu, double *b)
{
    size_t n = (size_t)lu->shape->n;
    const double *a = lu->factors;
    exchange_rows(lu, Q, b);
    for (size_t k = 0; k < n; k++) {
        for (size_t i = k + 1; i < n; i++) subtract(b + i * Q, a[k * n + i], b + k * Q);
    }
    for (size_t k = n; k-- > 0;) {
        double inverse = 1.0 / a[k * n + k];
        for (int q = 0; q < Q; q++) b[k * Q + (size_t)q] *= inverse;
        for (size_t i = 0; i < k; i++) subtract(b + i * Q, a[k * n + i], b + k * Q);
    }
}

/* (b, b + Q) -= factor * (x, x + Q) */
static inline void subtract_complex(double *restrict b, const double *factor, const double *restrict x)
{
    double re = factor[0], im = factor[1];
    for (int q = 0; q < Q; q++) {
        b[q] -= re * x[q] - im * x[Q + q];
        b[Q + q] -= re * x[Q + q] + im * x[q];
    }
}

static inline void divide(double *b, const double *by)
{
    double scale = 1.0 / (by[0] * by[0] + by[1] * by[1]), re = by[0] * scale, im = -by[1] * scale;
    for (int q = 0; q < Q; q++) {
        double x = b[q], y = b[Q + q];
        b[q] = re * x - im * y;
        b[Q + q] = re * y + im * x;
    }
}

void lanes_tiny_complex(Lu *lu, double *b)
{
    size_t n = (size_t)lu->shape->n;
    const double *a = lu->factors;
    exchange_rows(lu, 2 * Q, b);
    for (size_t k = 0; k < n; k++) {
        for (size_t i = k + 1; i < n; i++)
            subtract_complex(b + 2 * i * Q, a + 2 * (k * n + i), b + 2 * k * Q);
    }
    for (size_t k = n; k-- > 0;) {
        divide(b + 2 * k * Q, a + 2 * (k * n + k));
        for (size_t i = 0; i < k; i++) subtract_complex(b + 2 * i * Q, a + 2 * (k * n + i), b + 2 * k * Q);
    }
}

static void banded_real(const Lu *lu, double *b)
{
    int n = lu->shape->n, kl = lu->shape->lower, kv = kl + lu->shape->upper, ld = kl + kv + 1;
    for (int j = 0; j + 1 < n && kl; j++) {
        const double *column = lu->factors + (ptrdiff_t)j * ld + kv;
        int most = kl < n - 1 - j ? kl : n - 1 - j, other = lu->pivots[j] - 1;
        double *x = b + (ptrdiff_t)j * Q;
        if (other != j) exchange((size_t)Q, b + (ptrdiff_t)other * Q, x);
        for (int i = 1; i <= most; i++) subtract(x + (ptrdiff_t)i * Q, column[i], x);
    }
    for (int j = n - 1; j >= 0; j--) {
        const double *column = lu->factors + (ptrdiff_t)j * ld + kv;
        double *x = b + (ptrdiff_t)j * Q, inverse = 1.0 / column[0];
        for (int q = 0; q < Q; q++) x[q] *= inverse;
        for (int i = j < kv ? -j : -kv; i < 0; i++) subtract(x + (ptrdiff_t)i * Q, column[i], x);
    }
}

static void banded_complex(const Lu *lu, double *b)
{
    int n = lu->shape->n, kl = lu->shape->lower, kv = kl + lu->shape->upper, ld = kl + kv + 1;
    ptrdiff_t row = (ptrdiff_t)2 * Q;
    for (int j = 0; j + 1 < n && kl; j++) {
        const double *column = lu->factors + 2 * ((ptrdiff_t)j * ld + kv);
        int most = kl < n - 1 - j ? kl : n - 1 - j, other = lu->pivots[j] - 1;
        double *x = b + j * row;
        if (other != j) exchange((size_t)2 * Q, b + other * row, x);
        for (int i = 1; i <= most; i++) subtract_complex(x + i * row, column + (ptrdiff_t)2 * i, x);
    }
    for (int j = n - 1; j >= 0; j--) {
        const double *column = lu->factors + 2 * ((ptrdiff_t)j * ld + kv);
        double *x = b + j * row;
        divide(x, column);
        for (int i = j < kv ? -j : -kv; i < 0; i++)
            subtract_complex(x + i * row, column + (ptrdiff_t)2 * i, x);
    }
}

void lanes_banded(Lu *lu, double *b)
{
    if (lu->is_complex)
        banded_complex(lu, b);
    else
        banded_real(lu, b);
}

/* One after the other, in a vector of the Lu. */
static void one_by_one(Lu *lu, double *b)
{
    int n = lu->shape->n, parts = lu->is_complex ? 2 : 1;
    for (int q = 0; q < Q; q++) {
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n * parts; i++) lu->vector[i] = b[i * Q + q];
        lu->kind->solve(lu, lu->vector);
        for (ptrdiff_t i = 0; i < (ptrdiff_t)n * parts; i++) b[i * Q + q] = lu->vector[i];
    }
}

void lanes_of_systems(Lu *lu, double *b)
{
    ptrdiff_t n = (ptrdiff_t)lu->shape->n * (lu->is_complex ? 2 : 1);
    for (ptrdiff_t i = 0; i < n; i++)
        for (int q = 0; q < Q; q++) lu->vector[i * Q + q] = b[q * n + i];
    lu->kind->solve_lanes(lu, lu->vector);
    for (int q = 0; q < Q; q++)
        for (ptrdiff_t i = 0; i < n; i++) b[q * n + i] = lu->vector[i * Q + q];
}

void lu_solve_lanes(Lu *lu, double *b)
{
    if (lu->kind->solve_lanes)
        lu->kind->solve_lanes(lu, b);
    else
        one_by_one(lu, b);
}

static inline void add(double *restrict y, double factor, const double *restrict x)
{
    for (int q = 0; q < Q; q++) y[q] += factor * x[q];
}

void matrix_add_times_lanes(const MatrixShape *s, const double *values, const double *x, double *y)
{
    ptrdiff_t n = s->n;
    const Pattern *p = s->pattern;
    for (ptrdiff_t j = 0; j < n; j++, x += Q) {
        if (s->kind == MATRIX_DENSE) {
            const double *column = values + j * n;
            for (int k = p ? p->start[j] : 0; k < (p ? p->start[j + 1] : (int)n); k++) {
                ptrdiff_t i = p ? p->row[k] : k;
                add(y + i * Q, column[i], x);
            }
        } else if (s->kind == MATRIX_BANDED) {
            const double *column = values + j * (s->lower + s->upper + 1) + s->upper - j;
            ptrdiff_t from = j > s->upper ? j - s->upper : 0, to = j + s->lower < n ? j + s->lower : n - 1;
            for (ptrdiff_t i = from; i <= to; i++) add(y + i * Q, column[i], x);
        } else {
            for (int k = s->pattern->start[j]; k < s->pattern->start[j + 1]; k++)
                add(y + (ptrdiff_t)s->pattern->row[k] * Q, values[k], x);
        }
    }
}
