/* inside.h: the parts of an Lu. Each kind of shape has its own file; lu.c holds the table. */
#ifndef ACAUSAL_LINALG_INSIDE_H
#define ACAUSAL_LINALG_INSIDE_H

#include "linalg/linalg.h"

struct Lu {
    const MatrixShape *shape;
    const struct LuKind *kind;
    bool is_complex;
    int singular_column;
    LuStats stats;
    /* dense: n*n; banded: n*(2 lower + upper + 1); sparse: the values
     * last factored; pairs if complex */
    double *factors;
    size_t factor_bytes;
    int *pivots;
    double *vector; /* room for LU_LANES vectors */
    struct Sparse *sparse;
};

/* What a kind of storage does. `solve` works in place. */
typedef struct LuKind {
    void (*prepare)(Lu *lu, Arena *arena);
    LuStatus (*factor)(Lu *lu, const double *values);
    void (*solve)(Lu *lu, double *b);
    void (*solve_lanes)(Lu *lu, double *b); /* NULL: one by one */
    LuStatus (*restore)(Lu *lu);            /* after factors and pivots were read back; NULL: nothing to do */
    void (*free)(Lu *lu);                   /* NULL: nothing to do */
} LuKind;

/* lanes.c */
void lanes_tiny(Lu *lu, double *b);
void lanes_tiny_complex(Lu *lu, double *b);
void lanes_banded(Lu *lu, double *b);
void lanes_of_systems(Lu *lu, double *b); /* LU_LANES vectors one after the other */

extern const LuKind lu_tiny, lu_tiny_complex; /* dense, by own loops */
extern const LuKind lu_dense, lu_banded, lu_sparse;

/* ---- pieces of own loops over columns (dense.c, banded.c) ------------------------------------ */

static inline LuStatus singular(Lu *lu, int column)
{
    lu->singular_column = column;
    return LU_SINGULAR;
}

static inline void exchange(size_t parts, double *a, double *b)
{
    for (size_t j = 0; j < parts; j++) {
        double x = a[j];
        a[j] = b[j];
        b[j] = x;
    }
}

/* (a0, a1) -= (x, y) * (c0, c1) */
static inline void subtract_product(double *a, double x, double y, const double *c)
{
    a[0] -= x * c[0] - y * c[1];
    a[1] -= x * c[1] + y * c[0];
}

/* x times 1 / pivot, which does not wait for x. */
INLINE void over_pivot(ptrdiff_t parts, double *x, const double *pivot)
{
    if (parts == 1) {
        x[0] *= 1.0 / pivot[0];
        return;
    }
    double scale = 1.0 / (pivot[0] * pivot[0] + pivot[1] * pivot[1]);
    double a = pivot[0] * scale, b = pivot[1] * scale, re = x[0] * a + x[1] * b;
    x[1] = x[1] * a - x[0] * b;
    x[0] = re;
}

#endif
