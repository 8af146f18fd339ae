/* lu.c: the table of factorisations, and what all of them share.
 *
 * In: a shape, then values. Out: solutions. Which code serves a shape is chosen once in lu_new: own
 * loops for small dense matrices (a call of LAPACK costs more than their arithmetic), LAPACK for
 * large dense and wide banded ones, KLU for sparse ones. Tests: tests/linalg/linalg_test.c. */
#include "linalg/inside.h"

#include <assert.h>

enum { TINY_LIMIT = 50, TINY_COMPLEX_LIMIT = 36 };

static const LuKind *choose(const MatrixShape *shape, bool is_complex)
{
    if (shape->kind == MATRIX_BANDED) return &lu_banded;
    if (shape->kind == MATRIX_SPARSE) return &lu_sparse;
    if (shape->n > (is_complex ? TINY_COMPLEX_LIMIT : TINY_LIMIT)) return &lu_dense;
    int few = shape->n >= 2 && shape->n <= LU_FEW ? shape->n : 0;
    return (is_complex ? lu_tiny_complex : lu_tiny) + few;
}

static LuStatus factor_timed(Lu *lu, const double *values)
{
    double start = clock_wall();
    LuStatus status = lu->timed->factor(lu, values);
    lu->shape->times->factors += clock_wall() - start;
    return status;
}

static void solve_timed(Lu *lu, double *b)
{
    double start = clock_wall();
    lu->timed->solve(lu, b);
    lu->shape->times->solves += clock_wall() - start;
}

static void solve_lanes_timed(Lu *lu, double *b)
{
    double start = clock_wall();
    lu->timed->solve_lanes(lu, b);
    lu->shape->times->solves += clock_wall() - start;
}

static double correct_timed(Lu *lu, const double *f, const double *w, double c, double *y, double *k,
                            double *u)
{
    double start = clock_wall(), square = lu->timed->correct(lu, f, w, c, y, k, u);
    lu->shape->times->solves += clock_wall() - start;
    return square;
}

static void damp_timed(Lu *lu, double c, int rounds, const double *u, double *out)
{
    double start = clock_wall();
    lu->timed->damp(lu, c, rounds, u, out);
    lu->shape->times->solves += clock_wall() - start;
}

/* The same kind with a clock around its calls: so the clock costs nothing where nobody asks for
 * it. */
static void time_calls(Lu *lu, Arena *arena)
{
    LuKind *kind = NEW(arena, LuKind);
    lu->timed = lu->kind;
    *kind = *lu->timed;
    kind->factor = factor_timed;
    kind->solve = solve_timed;
    if (kind->correct) kind->correct = correct_timed, kind->damp = damp_timed;
    if (kind->solve_lanes) kind->solve_lanes = solve_lanes_timed;
    lu->kind = kind;
}

static Lu *new_of_kind(Arena *arena, const MatrixShape *shape, bool is_complex, const LuKind *kind)
{
    Lu *lu = NEW(arena, Lu);
    lu->shape = shape;
    lu->is_complex = is_complex;
    lu->kind = kind;
    lu->pivots = NEW_ARRAY(arena, int, (size_t)shape->n + 1);
    lu->order = NEW_ARRAY(arena, int, (size_t)shape->n + 1);
    size_t count = shape->size;
    if (shape->kind == MATRIX_BANDED)
        count = (size_t)shape->n * (size_t)(2 * shape->lower + shape->upper + 1);
    lu->factor_bytes = count * (is_complex ? 2 : 1) * sizeof(double);
    lu->factors = NEW_ARRAY(arena, double, count *(is_complex ? 2 : 1) + 1);
    lu->vector = NEW_ARRAY(arena, double, (size_t)shape->n *(is_complex ? 2 : 1) * LU_LANES + 1);
    if (lu->kind->prepare) lu->kind->prepare(lu, arena);
    if (shape->times) time_calls(lu, arena);
    return lu;
}

Lu *lu_new(Arena *arena, const MatrixShape *shape, bool is_complex)
{
    return new_of_kind(arena, shape, is_complex, choose(shape, is_complex));
}

bool lu_can_be_inverse(const MatrixShape *shape)
{
    return shape->kind == MATRIX_DENSE && shape->n >= 2 && shape->n <= LU_FEW && shape->systems == 1;
}

Lu *lu_new_inverse(Arena *arena, const MatrixShape *shape)
{
    assert(lu_can_be_inverse(shape));
    return new_of_kind(arena, shape, false, &lu_inverse[shape->n]);
}

bool lu_is_inverse(const Lu *lu)
{
    return lu_can_be_inverse(lu->shape) && lu->kind == &lu_inverse[lu->shape->n];
}

void lu_take_inverse(Lu *lu, const FewInverse *inverse)
{
    int n = lu->shape->n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) lu->factors[j * n + i] = inverse->re[j][i];
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

bool lu_is_few(const Lu *lu) { return lu->kind->correct && lu->shape->systems == 1; }

double lu_correct(Lu *lu, const double *f, const double *w, double c, double *y, double *k, double *u)
{
    lu->stats.solves++;
    return lu->kind->correct(lu, f, w, c, y, k, u);
}

void lu_damp(Lu *lu, double c, int rounds, const double *u, double *out)
{
    lu->stats.solves += rounds;
    lu->kind->damp(lu, c, rounds, u, out);
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
