/* inside.h: the parts of an Lu. Each kind of shape has its own file; lu.c holds the table. */
#ifndef ACAUSAL_LINALG_INSIDE_H
#define ACAUSAL_LINALG_INSIDE_H

#include "linalg/linalg.h"

struct Lu {
    const MatrixShape *shape;
    const struct LuKind *kind, *timed; /* timed: what a kind that looks at the clock calls; else NULL */
    bool is_complex;
    int singular_column;
    LuStats stats;
    /* dense: n*n; banded: n*(2 lower + upper + 1); sparse: the values last factored; pairs if complex */
    double *factors;
    size_t factor_bytes;
    int *pivots;
    int *order;     /* of few unknowns: the row that became the k-th, from 0 */
    double *vector; /* room for LU_LANES vectors */
    struct Sparse *sparse;
};

/* What a kind of storage does. `solve` works in place. */
typedef struct LuKind {
    void (*prepare)(Lu *lu, Arena *arena);
    LuStatus (*factor)(Lu *lu, const double *values);
    void (*solve)(Lu *lu, double *b);
    double (*correct)(Lu *lu, const double *f, const double *w, double c, double *y, double *k,
                      double *u);                                             /* NULL: in parts */
    void (*damp)(Lu *lu, double c, int rounds, const double *u, double *out); /* likewise */
    void (*solve_lanes)(Lu *lu, double *b);                                   /* NULL: one by one */
    LuStatus (*restore)(Lu *lu); /* after factors and pivots were read back; NULL: nothing to do */
    void (*free)(Lu *lu);        /* NULL: nothing to do */
} LuKind;

/* lanes.c */
void lanes_tiny(Lu *lu, double *b);
void lanes_tiny_complex(Lu *lu, double *b);
void lanes_banded(Lu *lu, double *b);
void lanes_of_copies(Lu *lu, double *b); /* LU_LANES vectors one after the other */

enum { LU_FEW = 4 }; /* unknowns, from 2 on, that are factored and solved for in registers */
extern const LuKind lu_tiny[LU_FEW + 1],
    lu_tiny_complex[LU_FEW + 1]; /* by number of few unknowns; 0: others */
extern const LuKind lu_dense, lu_banded, lu_sparse;

#endif
