/* linalg.h: linear systems for integrators: shapes of matrices (dense, banded, sparse), their LU
 * factors (real and complex), sparsity patterns and the colouring of their columns.
 *
 * Three lifetimes, as in KLU: a MatrixShape and an Lu are made once per problem (analysis),
 * lu_factor runs whenever the values changed, lu_solve very often. Values of a matrix are one plain
 * array in the order of its shape, so that sums like c M - J are one loop over arrays, whatever the
 * shape. Nothing here knows what an integrator is. After creation nothing allocates, but for KLU's
 * numeric object when it has to pivot anew. */
#ifndef ACAUSAL_LINALG_H
#define ACAUSAL_LINALG_H

#include "base/base.h"
#include "ir/ir.h"

/* ---- pattern.c: sparsity --------------------------------------------------------------------- */

/* Compressed columns: the rows of column j are row[start[j]] .. row[start[j+1]-1], ascending and
 * distinct. */
typedef struct {
    int rows, columns;
    const int *start; /* columns + 1 */
    const int *row;
} Pattern;

typedef struct {
    int row, column;
} Entry;

static inline int pattern_count(const Pattern *p) { return p->start[p->columns]; }

/* From entries in any order; repeated ones count once. */
Pattern *pattern_of_entries(Arena *arena, int rows, int columns, const Entry *entries, size_t n);
/* All entries of a, of b (may be NULL) and, if `diagonal`, the diagonal. */
Pattern *pattern_join(Arena *arena, const Pattern *a, const Pattern *b, bool diagonal);
/* The place of an entry in the order of the pattern; -1 if it is not in it. O(log column
 * length). */
int pattern_find(const Pattern *p, int row, int column);
/* The widest distance below and above the diagonal. */
void pattern_bandwidth(const Pattern *p, int *lower, int *upper);
bool pattern_valid(const Pattern *p);

/* Columns of one colour have no row in common, so one difference serves all of them (Curtis,
 * Powell, Reid). Greedy in the order of falling column length, or smallest last if that needs
 * fewer. Columns of colour c: column[start[c]] .. column[start[c+1]-1]. */
typedef struct {
    int count;
    const int *start;
    const int *column;
} Colouring;

Colouring *pattern_colour(Arena *arena, const Pattern *p);

/* ---- shape.c: how the values of a square matrix are stored ----------------------------------- */

typedef enum { MATRIX_DENSE, MATRIX_BANDED, MATRIX_SPARSE } MatrixKind;

/* DENSE: value (i,j) at j*n + i. BANDED: at j*(lower+upper+1) + upper + i - j. SPARSE: in the
 * pattern's order; the pattern holds the whole diagonal. Complex matrices store pairs (real,
 * imaginary) in the same order. */
typedef struct {
    MatrixKind kind;
    int n;
    int lower, upper; /* BANDED */
    /* SPARSE: always; others: the entries that may differ from 0, or NULL for all */
    const Pattern *pattern;
    size_t size;         /* number of values */
    const int *diagonal; /* n: places of the diagonal */
    /* simultaneous systems: the matrix is that many times on the diagonal of a larger one: vectors
     * have systems * n entries */
    int systems;
} MatrixShape;

/* Chooses the storage for a matrix with this pattern (NULL: full): dense when small or full, banded
 * when the band is narrow, else sparse. The diagonal is added to the pattern. */
MatrixShape *matrix_shape(Arena *arena, int n, const Pattern *pattern);
/* The same with the kind given; DENSE takes any pattern. */
MatrixShape *matrix_shape_as(Arena *arena, MatrixKind kind, int n, const Pattern *pattern);
/* The place of entry (i,j), or -1 if the shape has none. */
int matrix_place(const MatrixShape *shape, int i, int j);
/* y = A x for real values. */
void matrix_times(const MatrixShape *shape, const double *values, const double *x, double *y);

/* The sum of sizes in a column, and the largest of these sums: a bound for the eigenvalues. */
double matrix_column_norm(const MatrixShape *shape, const double *values, int j);
double matrix_norm(const MatrixShape *shape, const double *values);

/* ---- lu.c (dense.c, banded.c, sparse.c): factors --------------------------------------------- */

typedef enum { LU_OK, LU_SINGULAR, LU_NO_MEMORY } LuStatus;
typedef struct Lu Lu;

typedef struct {
    long factors;  /* calls of lu_factor */
    long repivots; /* of these, sparse ones that chose pivots anew after the first time */
    long solves;
} LuStats;

/* Analyses. The Lu lives in the arena, but KLU's memory does not: lu_free gives that back. */
Lu *lu_new(Arena *arena, const MatrixShape *shape, bool is_complex);
void lu_free(Lu *lu);
/* Factors the matrix with these values (pairs if complex). The values are not kept, but for sparse
 * ones (for save). On LU_SINGULAR the factors must not be used; lu_singular_column names a column
 * to blame. */
LuStatus lu_factor(Lu *lu, const double *values);
int lu_singular_column(const Lu *lu);
/* Solves in place. Complex: b holds n pairs. */
void lu_solve(Lu *lu, double *b);

LuStats lu_stats(const Lu *lu);

/* Several vectors at once, interleaved: entry i of vector q at i * LU_LANES + q; complex
 * ones at 2 i * LU_LANES + q and, imaginary parts, (2 i + 1) * LU_LANES + q. */
enum { LU_LANES = 4 };
void lu_solve_lanes(Lu *lu, double *b); /* in place */
/* y += A x */
void matrix_add_times_lanes(const MatrixShape *shape, const double *values, const double *x, double *y);

/* The factors as bytes. Dense and banded ones come back bit for bit; a sparse matrix is factored
 * again. */
size_t lu_save_size(const Lu *lu);
void lu_save(const Lu *lu, void *to);
LuStatus lu_restore(Lu *lu, const void *from);

/* ---- plan.c, straight.c: factors as straight code, their pattern and pivots chosen beforehand  */

/* A pivot order and the pattern of L and U (L has a unit diagonal) that follows from it. Row k and
 * column k of the factors are row[k] and column[k] of the matrix; places are numbered row by row,
 * columns ascending. */
typedef struct {
    int n, count; /* of places, with fill; the diagonal counts once */
    const int *row, *column;
    const int *start, *index; /* n + 1; by place: its column among the pivots */
    const int *diagonal;      /* n: places */
    const int *source;        /* by place: the entry of the matrix's pattern; -1: fill */
    double growth;            /* largest factor over largest entry, in all samples */
    double least;             /* smallest pivot over the largest entry of its column, likewise */
    const double *smallest;   /* n: the smallest size of each pivot, likewise; 0 without samples */
} LuPlan;

enum { LU_PLAN_LARGEST = 600 }; /* rows: the plan is made with dense arrays, and code has no end */

/* Markowitz's order among pivots that are at least `threshold` of their column in every sample
 * (arrays of values in the pattern's order; none of them: by pattern alone). NULL: singular in a
 * sample, whatever is chosen. */
LuPlan *lu_plan(Arena *arena, const Pattern *p, const double *const *samples, size_t n, double threshold);

/* Straight code for it. Registers that are IR_NONE stand for zero. */
typedef struct {
    const LuPlan *plan;
    IrReg *at;      /* by place: L and U; the diagonal itself is not needed any more */
    IrReg *inverse; /* n: 1 over each pivot */
} StraightLu;

/* `a` holds the entries in the pattern's order. */
StraightLu *straight_factor(Arena *arena, IrBuilder *b, const LuPlan *plan, const IrReg *a);
/* In place, in the matrix's own order: the right-hand side by rows, then the solution by
 * columns. */
void straight_solve(IrBuilder *b, const StraightLu *lu, IrReg *x);
/* With the transposed matrix: the right-hand side by columns, then the solution by rows. */
void straight_solve_transposed(IrBuilder *b, const StraightLu *lu, IrReg *x);

#endif
