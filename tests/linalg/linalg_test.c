/* A factored matrix solves its system in every storage, real and complex; sparse factors follow
 * values that make old pivots bad; patterns keep what was put in; columns of one colour share no
 * row; saved factors come back; a correction at once is that in parts, bit for bit. */
#include "linalg/linalg.h"
#include "test.h"

#include <stdlib.h>

static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

/* An n x n pattern with a band and some far entries. */
static Pattern *make_pattern(Arena *arena, int n, int band, int far, unsigned seed)
{
    VEC(Entry) entries = { 0 };
    for (int i = 0; i < n; i++)
        for (int j = i - band; j <= i + band; j++)
            if (j >= 0 && j < n) vec_push(arena, &entries, ((Entry){ i, j }));
    for (int k = 0; k < far; k++) {
        int i = (int)((noise(&seed) + 1.0) * 0.4999 * n), j = (int)((noise(&seed) + 1.0) * 0.4999 * n);
        vec_push(arena, &entries, ((Entry){ i, j }));
        vec_push(arena, &entries, ((Entry){ i, j }));
    }
    return pattern_of_entries(arena, n, n, entries.at, entries.n);
}

/* Residual of A x = b for a complex or real matrix in any storage, relative to |x|. */
static double residual(const MatrixShape *shape, bool is_complex, const double *a, const double *x,
                       const double *b)
{
    double worst = 0.0;
    int parts = is_complex ? 2 : 1;
    for (int i = 0; i < shape->n; i++) {
        double re = -b[parts * i], im = is_complex ? -b[2 * i + 1] : 0.0;
        for (int j = 0; j < shape->n; j++) {
            int k = matrix_place(shape, i, j);
            if (k < 0) continue;
            if (is_complex) {
                re += a[2 * k] * x[2 * j] - a[2 * k + 1] * x[2 * j + 1];
                im += a[2 * k] * x[2 * j + 1] + a[2 * k + 1] * x[2 * j];
            } else {
                re += a[k] * x[j];
            }
        }
        worst = fmax(worst, fmax(fabs(re), fabs(im)));
    }
    return worst;
}

static void fill(const MatrixShape *shape, bool is_complex, double *a, unsigned seed)
{
    size_t parts = is_complex ? 2 : 1;
    memset(a, 0, shape->size * parts * sizeof *a);
    for (int j = 0; j < shape->n; j++)
        for (int i = 0; i < shape->n; i++) {
            int k = matrix_place(shape, i, j);
            if (k < 0) continue;
            for (size_t p = 0; p < parts; p++)
                a[parts * (size_t)k + p] = noise(&seed) + (i == j && p == 0 ? 3.0 : 0.0);
        }
}

static const struct {
    const char *name;
    MatrixKind kind;
    int n, band, far;
    bool is_complex;
} systems[] = {
    { "dense 1", MATRIX_DENSE, 1, 0, 0, false },
    { "dense 7", MATRIX_DENSE, 7, 6, 0, false },
    { "dense 90", MATRIX_DENSE, 90, 3, 99, false },
    { "dense complex 5", MATRIX_DENSE, 5, 4, 0, true },
    { "dense complex 60", MATRIX_DENSE, 60, 2, 50, true },
    { "banded", MATRIX_BANDED, 50, 2, 0, false },
    { "banded complex", MATRIX_BANDED, 50, 3, 0, true },
    { "sparse", MATRIX_SPARSE, 80, 1, 60, false },
    { "sparse complex", MATRIX_SPARSE, 80, 1, 60, true },
    { "dense 30", MATRIX_DENSE, 30, 3, 99, false },
    { "dense 210", MATRIX_DENSE, 210, 3, 400, false },
    { "dense complex 23", MATRIX_DENSE, 23, 2, 50, true },
};

static void check_systems(Arena *arena)
{
    for (size_t c = 0; c < COUNT_OF(systems); c++) {
        int n = systems[c].n;
        bool is_complex = systems[c].is_complex;
        size_t parts = is_complex ? 2 : 1, length = parts * (size_t)n;
        const Pattern *pattern = make_pattern(arena, n, systems[c].band, systems[c].far, 5u);
        const MatrixShape *shape = matrix_shape_as(arena, systems[c].kind, n, pattern);
        Lu *lu = lu_new(arena, shape, is_complex);
        double *a = NEW_ARRAY(arena, double, shape->size *parts), *x = NEW_ARRAY(arena, double, length);
        double *b = NEW_ARRAY(arena, double, length), *again = NEW_ARRAY(arena, double, length);
        unsigned seed = 77u;
        for (unsigned round = 0; round < 3; round++) {
            fill(shape, is_complex, a, 11u + round);
            CHECK_ROW(lu_factor(lu, a) == LU_OK, systems[c].name);
            for (size_t i = 0; i < length; i++) x[i] = b[i] = noise(&seed);
            lu_solve(lu, x);
            CHECK_ROW(residual(shape, is_complex, a, x, b) < 1e-12, systems[c].name);
        }
        char *saved = arena_alloc(arena, lu_save_size(lu));
        lu_save(lu, saved);
        fill(shape, is_complex, a, 99u);
        CHECK_ROW(lu_factor(lu, a) == LU_OK, systems[c].name);
        CHECK_ROW(lu_restore(lu, saved) == LU_OK, systems[c].name);
        memcpy(again, b, length * sizeof *b);
        lu_solve(lu, again);
        double far = 0.0;
        for (size_t i = 0; i < length; i++) far = fmax(far, fabs(again[i] - x[i]));
        CHECK_ROW(far <= (shape->kind == MATRIX_SPARSE ? 1e-13 : 0.0), systems[c].name);
        memset(a, 0, shape->size * parts * sizeof *a);
        CHECK_ROW(lu_factor(lu, a) == LU_SINGULAR, systems[c].name);
        lu_free(lu);
    }
}

/* Rows are exchanged, since the diagonal is smaller than the rest; bands of one side, of matrices
 * that are smaller than they are, and wide ones. */
static void check_band(Arena *arena, int n, int lower, int upper, bool is_complex)
{
    VEC(Entry) entries = { 0 };
    for (int i = 0; i < n; i++)
        for (int j = i - lower; j <= i + upper; j++)
            if (j >= 0 && j < n) vec_push(arena, &entries, ((Entry){ i, j }));
    const Pattern *pattern = pattern_of_entries(arena, n, n, entries.at, entries.n);
    const MatrixShape *shape = matrix_shape_as(arena, MATRIX_BANDED, n, pattern);
    size_t parts = is_complex ? 2 : 1, length = parts * (size_t)n;
    double *a = NEW_ARRAY(arena, double, shape->size *parts), *x = NEW_ARRAY(arena, double, length);
    double *b = NEW_ARRAY(arena, double, length), size = 1.0;
    Lu *lu = lu_new(arena, shape, is_complex);
    unsigned seed = (unsigned)(n + 7 * lower + 31 * upper);
    fill(shape, is_complex, a, seed);
    bool is_diagonal = lower == 0 || upper == 0;
    for (int i = 0; i < n && !is_diagonal; i++) a[parts * (size_t)matrix_place(shape, i, i)] *= 0.01;
    CHECK(lu_factor(lu, a) == LU_OK);
    for (size_t i = 0; i < length; i++) x[i] = b[i] = noise(&seed);
    lu_solve(lu, x);
    for (size_t i = 0; i < length; i++) size = fmax(size, fabs(x[i]));
    CHECK(residual(shape, is_complex, a, x, b) < 1e-13 * size);
    for (int i = 0; i < n; i++) {
        int k = matrix_place(shape, i, n / 2);
        if (k >= 0) memset(a + parts * (size_t)k, 0, parts * sizeof *a);
    }
    CHECK(lu_factor(lu, a) == LU_SINGULAR && lu_singular_column(lu) == n / 2);
    lu_free(lu);
}

static void check_bands(Arena *arena)
{
    static const int sizes[] = { 1, 2, 3, 10, 60 }, bands[] = { 0, 1, 2, 5, 20 };
    for (size_t k = 0; k < COUNT_OF(sizes); k++)
        for (size_t i = 0; i < COUNT_OF(bands); i++)
            for (size_t j = 0; j < COUNT_OF(bands); j++) {
                check_band(arena, sizes[k], bands[i], bands[j], false);
                check_band(arena, sizes[k], bands[i], bands[j], true);
            }
}

/* [e 1; 1 0] with e = 1 is pivoted on the diagonal at first; e = 1e-18 needs another pivot. */
static void check_repivot(Arena *arena)
{
    Entry entries[] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 } };
    const Pattern *pattern = pattern_of_entries(arena, 2, 2, entries, 4);
    Lu *lu = lu_new(arena, matrix_shape_as(arena, MATRIX_SPARSE, 2, pattern), false);
    double good[] = { 2.0, 1.0, 1.0, 3.0 }, bad[] = { 1e-18, 1.0, 1.0, 1.0 }, b[] = { 1.0, 2.0 };
    CHECK(lu_factor(lu, good) == LU_OK);
    CHECK(lu_factor(lu, bad) == LU_OK);
    CHECK(lu_stats(lu).repivots == 1);
    lu_solve(lu, b);
    CHECK_NEAR(b[0], 1.0, 1e-14);
    CHECK_NEAR(b[1], 1.0, 1e-14);
    lu_free(lu);
}

static void check_colouring(Arena *arena)
{
    const Pattern *band = make_pattern(arena, 200, 2, 0, 1u), *mixed = make_pattern(arena, 150, 1, 80, 9u);
    CHECK(pattern_colour(arena, band)->count == 5);
    /* two species that diffuse and react, one after the other: in the order of columns six colours,
     * where four do */
    enum { POINTS = 50 };
    VEC(Entry) entries = { 0 };
    for (int i = 0; i < 2 * POINTS; i++) {
        vec_push(arena, &entries, ((Entry){ i, (i + POINTS) % (2 * POINTS) }));
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < 2 * POINTS && j / POINTS == i / POINTS)
                vec_push(arena, &entries, ((Entry){ i, j }));
    }
    CHECK(pattern_colour(arena, pattern_of_entries(arena, 2 * POINTS, 2 * POINTS, entries.at, entries.n))
              ->count == 4);
    const Colouring *c = pattern_colour(arena, mixed);
    int *mark = NEW_ARRAY(arena, int, 150), seen = 0;
    bool apart = true;
    for (int g = 0; g < c->count; g++)
        for (int k = c->start[g]; k < c->start[g + 1]; k++, seen++)
            for (int e = mixed->start[c->column[k]]; e < mixed->start[c->column[k] + 1]; e++) {
                apart &= mark[mixed->row[e]] != g + 1;
                mark[mixed->row[e]] = g + 1;
            }
    CHECK(apart);
    CHECK(seen == 150);
    CHECK(pattern_valid(mixed) && pattern_valid(band));
    CHECK(pattern_find(band, 3, 6) < 0 && pattern_find(band, 3, 5) >= 0);
}

static void check_choice(Arena *arena)
{
    CHECK(matrix_shape(arena, 300, NULL)->kind == MATRIX_DENSE);
    CHECK(matrix_shape(arena, 8, make_pattern(arena, 8, 1, 0, 1u))->kind == MATRIX_DENSE);
    CHECK(matrix_shape(arena, 300, make_pattern(arena, 300, 2, 0, 1u))->kind == MATRIX_BANDED);
    const MatrixShape *sparse = matrix_shape(arena, 300, make_pattern(arena, 300, 0, 300, 1u));
    CHECK(sparse->kind == MATRIX_SPARSE);
    double *a = NEW_ARRAY(arena, double, sparse->size), *x = NEW_ARRAY(arena, double, 300),
           *y = NEW_ARRAY(arena, double, 300);
    fill(sparse, false, a, 3u);
    for (int i = 0; i < 300; i++) x[i] = i;
    matrix_times(sparse, a, x, y);
    CHECK(residual(sparse, false, a, x, y) < 1e-10);
}

int main(void)
{
    Arena *arena = arena_new();
    check_systems(arena);
    check_bands(arena);
    check_repivot(arena);
    check_colouring(arena);
    check_choice(arena);
    arena_free(arena);
    return test_end();
}
