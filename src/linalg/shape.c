/* shape.c: how the values of a square matrix are stored, chosen from its pattern.
 *
 * In: the order n and a pattern (NULL: full). Out: a MatrixShape whose pattern holds the diagonal.
 * How: dense below DENSE_BELOW or when half full; banded when the band holds at most twice the
 * entries of the pattern or is narrow; else sparse. Cost: linear in entries. Tests:
 * tests/linalg/linalg_test.c. */
#include "linalg/linalg.h"

#include <math.h>

enum {
    DENSE_BELOW = 24,   /* own dense LU beats KLU's indirection below this order */
    NARROW_BAND = 6,    /* such a band is cheaper than any ordering */
    BAND_FILL_LIMIT = 3 /* band entries per pattern entry up to which a band is taken */
};

MatrixShape *matrix_shape_as(Arena *arena, MatrixKind kind, int n, const Pattern *pattern)
{
    MatrixShape *s = NEW(arena, MatrixShape);
    int *diagonal = NEW_ARRAY(arena, int, (size_t)n + 1);
    s->kind = kind;
    s->n = n;
    s->systems = 1;
    s->diagonal = diagonal;
    if (pattern) s->pattern = pattern_join(arena, pattern, NULL, true);
    if (kind == MATRIX_DENSE) {
        s->size = (size_t)n * (size_t)n;
    } else if (kind == MATRIX_BANDED) {
        pattern_bandwidth(s->pattern, &s->lower, &s->upper);
        s->size = (size_t)n * (size_t)(s->lower + s->upper + 1);
    } else {
        s->size = (size_t)pattern_count(s->pattern);
    }
    for (int i = 0; i < n; i++) diagonal[i] = matrix_place(s, i, i);
    return s;
}

MatrixShape *matrix_shape(Arena *arena, int n, const Pattern *pattern)
{
    if (!pattern || n < DENSE_BELOW || (double)pattern_count(pattern) > 0.5 * n * n)
        return matrix_shape_as(arena, MATRIX_DENSE, n, pattern);
    int lower, upper;
    pattern_bandwidth(pattern, &lower, &upper);
    double band = (double)n * (lower + upper + 1);
    bool narrow =
        lower + upper + 1 <= NARROW_BAND || band <= BAND_FILL_LIMIT * (double)pattern_count(pattern);
    return matrix_shape_as(arena, narrow ? MATRIX_BANDED : MATRIX_SPARSE, n, pattern);
}

int matrix_place(const MatrixShape *s, int i, int j)
{
    switch (s->kind) {
    case MATRIX_DENSE: return j * s->n + i;
    case MATRIX_BANDED:
        return i - j > s->lower || j - i > s->upper ? -1 : j * (s->lower + s->upper + 1) + s->upper + i - j;
    default: return pattern_find(s->pattern, i, j);
    }
}

/* Two doubles that are worked on together, wherever they are. */
typedef double Pair __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

/* Four columns and two rows at a time: y is loaded and stored once for all of them. */
static void times_dense(size_t n, const double *restrict a, const double *restrict x, double *restrict y)
{
    size_t j = 0, even = n & ~(size_t)1;
    for (; j + 4 <= n; j += 4, a += 4 * n) {
        for (size_t i = 0; i < even; i += 2)
            *(Pair *)(y + i) += *(const Pair *)(a + i) * x[j] + *(const Pair *)(a + n + i) * x[j + 1] +
                                *(const Pair *)(a + 2 * n + i) * x[j + 2] +
                                *(const Pair *)(a + 3 * n + i) * x[j + 3];
        for (size_t i = even; i < n; i++)
            y[i] += a[i] * x[j] + a[n + i] * x[j + 1] + a[2 * n + i] * x[j + 2] + a[3 * n + i] * x[j + 3];
    }
    for (; j < n; j++, a += n)
        for (size_t i = 0; i < n; i++) y[i] += a[i] * x[j];
}

static void times_once(const MatrixShape *s, const double *values, const double *x, double *y)
{
    size_t n = (size_t)s->n;
    memset(y, 0, n * sizeof *y);
    if (s->kind == MATRIX_DENSE) times_dense(n, values, x, y);
    for (int j = 0; j < s->n && s->kind != MATRIX_DENSE; j++) {
        double xj = x[j];
        if (s->kind == MATRIX_BANDED) {
            const double *column = values + (ptrdiff_t)j * (s->lower + s->upper + 1) + s->upper - j;
            int from = j > s->upper ? j - s->upper : 0, to = j + s->lower < s->n ? j + s->lower : s->n - 1;
            for (int i = from; i <= to; i++) y[i] += column[i] * xj;
        } else {
            for (int k = s->pattern->start[j]; k < s->pattern->start[j + 1]; k++)
                y[s->pattern->row[k]] += values[k] * xj;
        }
    }
}

void matrix_times(const MatrixShape *s, const double *values, const double *x, double *y)
{
    for (int c = 0; c < s->systems; c++)
        times_once(s, values, x + (ptrdiff_t)c * s->n, y + (ptrdiff_t)c * s->n);
}

double matrix_column_norm(const MatrixShape *s, const double *values, int j)
{
    int height = s->kind == MATRIX_DENSE ? s->n : s->lower + s->upper + 1;
    size_t from = (size_t)j * (size_t)height, to = from + (size_t)height;
    if (s->kind == MATRIX_SPARSE) from = (size_t)s->pattern->start[j], to = (size_t)s->pattern->start[j + 1];
    double sum = 0.0;
    for (size_t k = from; k < to; k++) sum += fabs(values[k]);
    return sum;
}

double matrix_norm(const MatrixShape *s, const double *values)
{
    double most = 0.0;
    for (int j = 0; j < s->n; j++) {
        double norm = matrix_column_norm(s, values, j);
        if (norm > most) most = norm;
    }
    return most;
}
