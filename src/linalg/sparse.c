/* sparse.c: LU of sparse matrices by KLU, real and complex.
 *
 * In: values in the order of the pattern. Out: factors. How: analyse once (block triangular form,
 * AMD), factor with pivoting the first time, then refactor with the same pivots; when KLU's
 * reciprocal pivot growth falls below GROWTH_LIMIT of its value right after the last pivoting, or a
 * pivot vanishes, pivot anew. Always: lu->factors holds the values last factored, so that a saved
 * Lu can be factored again. Tests: tests/linalg/linalg_test.c. */
#include "linalg/inside.h"

#include <suitesparse/klu.h>

static const double GROWTH_LIMIT = 1e-4;

struct Sparse {
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double growth; /* reciprocal pivot growth right after the last pivoting */
    bool pivoted;  /* ever */
};

static int *start_of(const Lu *lu) { return (int *)(uintptr_t)lu->shape->pattern->start; }
static int *row_of(const Lu *lu) { return (int *)(uintptr_t)lu->shape->pattern->row; }

static void sparse_prepare(Lu *lu, Arena *arena)
{
    struct Sparse *s = lu->sparse = NEW(arena, struct Sparse);
    klu_defaults(&s->common);
    s->symbolic = klu_analyze(lu->shape->n, start_of(lu), row_of(lu), &s->common);
}

static void drop_numeric(Lu *lu)
{
    struct Sparse *s = lu->sparse;
    if (s->numeric) (lu->is_complex ? klu_z_free_numeric : klu_free_numeric)(&s->numeric, &s->common);
}

static double growth_of(Lu *lu)
{
    struct Sparse *s = lu->sparse;
    (lu->is_complex ? klu_z_rgrowth : klu_rgrowth)(start_of(lu), row_of(lu), lu->factors, s->symbolic,
                                                   s->numeric, &s->common);
    return s->common.rgrowth;
}

static LuStatus status_of(Lu *lu)
{
    struct Sparse *s = lu->sparse;
    if (s->common.status == KLU_OUT_OF_MEMORY) return LU_NO_MEMORY;
    if (s->common.status == KLU_OK) return LU_OK;
    lu->singular_column = s->common.singular_col < lu->shape->n ? s->common.singular_col : 0;
    return LU_SINGULAR;
}

static LuStatus pivot(Lu *lu)
{
    struct Sparse *s = lu->sparse;
    drop_numeric(lu);
    s->numeric = (lu->is_complex ? klu_z_factor : klu_factor)(start_of(lu), row_of(lu), lu->factors,
                                                              s->symbolic, &s->common);
    if (s->pivoted) lu->stats.repivots++;
    s->pivoted = true;
    LuStatus status = s->numeric ? status_of(lu) : LU_SINGULAR;
    if (status == LU_OK) s->growth = growth_of(lu);
    return status;
}

static LuStatus refactor(Lu *lu)
{
    struct Sparse *s = lu->sparse;
    if (!s->symbolic) return LU_NO_MEMORY;
    if (!s->numeric) return pivot(lu);
    bool done = (lu->is_complex ? klu_z_refactor : klu_refactor)(start_of(lu), row_of(lu), lu->factors,
                                                                 s->symbolic, s->numeric, &s->common);
    if (!done || s->common.status != KLU_OK || !(growth_of(lu) >= GROWTH_LIMIT * s->growth)) return pivot(lu);
    return LU_OK;
}

static LuStatus sparse_factor(Lu *lu, const double *values)
{
    memcpy(lu->factors, values, lu->factor_bytes);
    return refactor(lu);
}

static void sparse_solve(Lu *lu, double *b)
{
    struct Sparse *s = lu->sparse;
    (lu->is_complex ? klu_z_solve : klu_solve)(s->symbolic, s->numeric, lu->shape->n, 1, b, &s->common);
}

static LuStatus sparse_restore(Lu *lu)
{
    drop_numeric(lu);
    return refactor(lu);
}

static void sparse_free(Lu *lu)
{
    drop_numeric(lu);
    if (lu->sparse->symbolic) klu_free_symbolic(&lu->sparse->symbolic, &lu->sparse->common);
}

const LuKind lu_sparse = { .prepare = sparse_prepare,
                           .factor = sparse_factor,
                           .solve = sparse_solve,
                           .restore = sparse_restore,
                           .free = sparse_free };
