/* inside.h: what files of extrapolation share (seulex.c, seulex_few.c). */
#ifndef ACAUSAL_SOLVE_SEULEX_INSIDE_H
#define ACAUSAL_SOLVE_SEULEX_INSIDE_H

#include "solve/core/solver.h"

enum { SEULEX_ROWS = 12, SEULEX_FIRST = 2 };
static inline int seulex_substeps(int row) { return SEULEX_FIRST + row - 1; }
/* The weight of row j where rows 1 to k are extrapolated. */
double seulex_limit(int k, int j);

/* A row at work: where it is, how far from the start; f there, and all of its differences. */
typedef struct {
    double y[4], moved[4], f[4], d[SEULEX_FIRST + SEULEX_ROWS][4];
    double h; /* of its substeps */
    TryResult result;
} SeulexFewRow;

/* All at multiples of 32 bytes. What is made of row j of an attempt is at [j]; inverses begin with
 * that of row 1. */
typedef struct {
    FewInverse inverse[SEULEX_ROWS];
    double table[SEULEX_ROWS + 1][4];                   /* columns of the last row */
    double way[SEULEX_ROWS + 1][4];                     /* from the start, extrapolated */
    double error[SEULEX_ROWS + 1][4];                   /* distance of the last two columns */
    double weight[SEULEX_ROWS + 1][SEULEX_ROWS + 1][4]; /* of row, column, four times */
    double slope[SEULEX_ROWS + 1][SEULEX_ROWS + 1][4];  /* of rows, row: of h y' */
    double curve[SEULEX_ROWS + 1][SEULEX_ROWS + 1][4];  /* of h^2 y'' */
    SeulexFewRow row[SEULEX_ROWS + 1];
    double square[SEULEX_ROWS + 1]; /* of errors, weighted */
    Solver *s;
    const double *J, *error_weight;
    double h;
    int inverted; /* rows that have inverses */
    int singular,
        /* the first row that has none, and the column to blame; beyond the last row: all have */
        column;
    bool is_refined; /* inverses are */
} SeulexFew;

SeulexFew *seulex_few_new(Solver *s);
void seulex_few_begin(SeulexFew *w, double h, bool is_refined);
/* Rows from `first` to `last`, and what they extrapolate to. What goes wrong with one is its
 * result, and ends those after it; TRY_FATAL: the model gave up. */
TryResult seulex_few_take(SeulexFew *w, int first, int last);
/* Slope and curvature at the end, or at the start, as rows up to `done` see them. */
void seulex_few_limits(const SeulexFew *w, int done, bool at_start, double *slope, double *curve);

#endif
