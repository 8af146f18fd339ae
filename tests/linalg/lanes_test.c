/* Several right-hand sides at once get the solutions that each of them gets alone, in every
 * storage, real and complex; and so do products. */
#include "linalg/linalg.h"
#include "test.h"

enum { Q = LU_LANES };

static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static const struct {
    MatrixKind kind;
    int n, band;
    bool is_complex;
} rows[] = {
    { MATRIX_DENSE, 1, 1, false },   { MATRIX_DENSE, 7, 7, false },  { MATRIX_DENSE, 60, 60, false },
    { MATRIX_DENSE, 7, 7, true },    { MATRIX_DENSE, 45, 45, true }, { MATRIX_BANDED, 50, 1, false },
    { MATRIX_BANDED, 50, 9, false }, { MATRIX_BANDED, 50, 1, true }, { MATRIX_BANDED, 50, 3, true },
    { MATRIX_SPARSE, 40, 2, false }, { MATRIX_SPARSE, 40, 2, true },
};

static void test_row(size_t row)
{
    Arena *arena = arena_new();
    int n = rows[row].n, parts = rows[row].is_complex ? 2 : 1;
    unsigned seed = 7;
    VEC(Entry) entries = { 0 };
    for (int i = 0; i < n; i++)
        for (int j = i - rows[row].band; j <= i + rows[row].band; j++)
            if (j >= 0 && j < n) vec_push(arena, &entries, ((Entry){ i, j }));
    Pattern *pattern = pattern_of_entries(arena, n, n, entries.at, entries.n);
    MatrixShape *shape = matrix_shape_as(arena, rows[row].kind, n, pattern);
    double *values = NEW_ARRAY(arena, double, shape->size * 2 + 1);
    for (size_t k = 0; k < entries.n; k++) {
        int place = matrix_place(shape, entries.at[k].row, entries.at[k].column);
        for (int p = 0; p < parts; p++) values[place * parts + p] = noise(&seed);
    }
    size_t length = (size_t)(n * parts);
    double *side = NEW_ARRAY(arena, double, length *Q + 1), *alone = NEW_ARRAY(arena, double, length *Q + 1),
           *product = NEW_ARRAY(arena, double, length *Q + 1), *want = NEW_ARRAY(arena, double, length + 1);
    for (size_t i = 0; i < length * Q; i++) side[i] = noise(&seed);
    for (size_t q = 0; q < Q; q++)
        for (size_t i = 0; i < length; i++) alone[q * length + i] = side[i * Q + q];
    if (!rows[row].is_complex) {
        matrix_add_times_lanes(shape, values, side, product);
        for (size_t q = 0; q < Q; q++) {
            matrix_times(shape, values, alone + q * length, want);
            for (size_t i = 0; i < length; i++) CHECK_NEAR(product[i * Q + q], want[i], 1e-13 * n);
        }
    }
    Lu *lu = lu_new(arena, shape, rows[row].is_complex);
    CHECK(lu_factor(lu, values) == LU_OK);
    lu_solve_lanes(lu, side);
    for (size_t q = 0; q < Q; q++) {
        lu_solve(lu, alone + q * length);
        for (size_t i = 0; i < length; i++) {
            double one = alone[q * length + i];
            if (!CHECK_NEAR(side[i * Q + q], one, 1e-9 * (1.0 + fabs(one)))) printf("  row %zu\n", row);
        }
    }
    lu_free(lu);
    arena_free(arena);
}

int main(void)
{
    for (size_t row = 0; row < COUNT_OF(rows); row++) test_row(row);
    return test_end();
}
