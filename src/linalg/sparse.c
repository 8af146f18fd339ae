/* sparse.c: LU of sparse matrices by KLU, real and complex.
 *
 * In: values in the order of the pattern. Out: factors. How: analyse once (block triangular form,
 * AMD; other orders where that fills much), factor with pivoting the first time, then refactor with
 * the same pivots; when KLU's reciprocal pivot growth falls below GROWTH_LIMIT of its value right
 * after the last pivoting, or a pivot vanishes, pivot anew. Always: lu->factors holds the values
 * last factored, so that a saved Lu can be factored again. Tests: tests/linalg/linalg_test.c. */
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

/* What the others cost is worth knowing where factors have so many times the entries of a matrix of
 * so many rows. */
enum { MANY_ROWS = 500, MUCH_FILL = 5 };

/* Row matchings and orders that may fill less. KLU matches rows to columns by pattern alone, so
 * that A + A', which AMD orders, may be far from symmetric though A is nearly so: then the matrix'
 * own diagonal is the better matching, or an order of columns for whatever rows. */
static const struct {
    int btf, ordering;
} analyses[] = { { 1, 0 }, { 0, 0 }, { 1, 1 } };

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

static klu_numeric *factor_by(Lu *lu, klu_symbolic *symbolic)
{
    return (lu->is_complex ? klu_z_factor : klu_factor)(start_of(lu), row_of(lu), lu->factors, symbolic,
                                                        &lu->sparse->common);
}

static double fill_of(const klu_numeric *numeric) { return (double)numeric->lnz + (double)numeric->unz; }

/* After the first factorisation: those of the other analyses; the one that fills least stays. */
static void choose_analysis(Lu *lu)
{
    struct Sparse *s = lu->sparse;
    int n = lu->shape->n;
    if (n < MANY_ROWS || fill_of(s->numeric) < MUCH_FILL * (double)pattern_count(lu->shape->pattern)) return;
    klu_common kept = s->common;
    for (size_t k = 1; k < sizeof analyses / sizeof analyses[0]; k++) {
        s->common.btf = analyses[k].btf;
        s->common.ordering = analyses[k].ordering;
        klu_symbolic *symbolic = klu_analyze(n, start_of(lu), row_of(lu), &s->common);
        klu_numeric *numeric = symbolic ? factor_by(lu, symbolic) : NULL;
        bool is_better = numeric && s->common.status == KLU_OK && fill_of(numeric) < fill_of(s->numeric);
        klu_symbolic *other = is_better ? s->symbolic : symbolic;
        klu_numeric *others = is_better ? s->numeric : numeric;
        if (is_better) s->symbolic = symbolic, s->numeric = numeric;
        if (others) (lu->is_complex ? klu_z_free_numeric : klu_free_numeric)(&others, &s->common);
        if (other) klu_free_symbolic(&other, &s->common);
    }
    s->common.btf = kept.btf;
    s->common.ordering = kept.ordering;
    s->common.status = KLU_OK;
}

static LuStatus pivot(Lu *lu)
{
    struct Sparse *s = lu->sparse;
    drop_numeric(lu);
    s->numeric = factor_by(lu, s->symbolic);
    if (!s->pivoted && s->numeric && s->common.status == KLU_OK) choose_analysis(lu);
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
