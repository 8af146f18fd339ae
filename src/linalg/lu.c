/* lu.c: the table of factorisations, and what all of them share.
 *
 * In: a shape, then values. Out: solutions. Which code serves a shape is chosen once in lu_new: own
 * loops for small dense matrices (a call of LAPACK costs more than their arithmetic), LAPACK for
 * large dense and wide banded ones, KLU for sparse ones. Tests: tests/linalg/linalg_test.c. */
#include "linalg/inside.h"

enum { TINY_LIMIT = 50, TINY_COMPLEX_LIMIT = 36 };

static const LuKind *choose(const MatrixShape *shape, bool is_complex)
{
    if (shape->kind == MATRIX_BANDED) return &lu_banded;
    if (shape->kind == MATRIX_SPARSE) return &lu_sparse;
    if (shape->n > (is_complex ? TINY_COMPLEX_LIMIT : TINY_LIMIT)) return &lu_dense;
    return is_complex ? &lu_tiny_complex : &lu_tiny;
}

Lu *lu_new(Arena *arena, const MatrixShape *shape, bool is_complex)
{
    Lu *lu = NEW(arena, Lu);
    lu->shape = shape;
    lu->is_complex = is_complex;
    lu->kind = choose(shape, is_complex);
    lu->pivots = NEW_ARRAY(arena, int, (size_t)shape->n + 1);
    size_t count = shape->size;
    if (shape->kind == MATRIX_BANDED)
        count = (size_t)shape->n * (size_t)(2 * shape->lower + shape->upper + 1);
    lu->factor_bytes = count * (is_complex ? 2 : 1) * sizeof(double);
    lu->factors = NEW_ARRAY(arena, double, count *(is_complex ? 2 : 1) + 1);
    lu->vector = NEW_ARRAY(arena, double, (size_t)shape->n *(is_complex ? 2 : 1) * LU_LANES + 1);
    if (lu->kind->prepare) lu->kind->prepare(lu, arena);
    return lu;
}

void lu_free(Lu *lu)
{
    if (lu && lu->kind->free) lu->kind->free(lu);
}

LuStatus lu_factor(Lu *lu, const double *values)
{
    lu->stats.factors++;
    return lu->kind->factor(lu, values);
}

static void solve_systems(Lu *lu, double *b)
{
    ptrdiff_t stride = (ptrdiff_t)lu->shape->n * (lu->is_complex ? 2 : 1);
    int c = 0;
    for (; lu->kind->solve_lanes && c + LU_LANES <= lu->shape->systems; c += LU_LANES)
        lanes_of_systems(lu, b + c * stride);
    for (; c < lu->shape->systems; c++) lu->kind->solve(lu, b + c * stride);
}

void lu_solve(Lu *lu, double *b)
{
    lu->stats.solves++;
    (lu->shape->systems == 1 ? lu->kind->solve : solve_systems)(lu, b);
}

int lu_singular_column(const Lu *lu) { return lu->singular_column; }
LuStats lu_stats(const Lu *lu) { return lu->stats; }

size_t lu_save_size(const Lu *lu) { return lu->factor_bytes + (size_t)lu->shape->n * sizeof(int); }

void lu_save(const Lu *lu, void *to)
{
    memcpy(to, lu->factors, lu->factor_bytes);
    memcpy((char *)to + lu->factor_bytes, lu->pivots, (size_t)lu->shape->n * sizeof(int));
}

LuStatus lu_restore(Lu *lu, const void *from)
{
    memcpy(lu->factors, from, lu->factor_bytes);
    memcpy(lu->pivots, (const char *)from + lu->factor_bytes, (size_t)lu->shape->n * sizeof(int));
    return lu->kind->restore ? lu->kind->restore(lu) : LU_OK;
}
