/* combine.h: sums of stages with weights (combine.c). */
#ifndef ACAUSAL_SOLVE_COMBINE_H
#define ACAUSAL_SOLVE_COMBINE_H

#include "solve/core/vectors.h"

/* Up to so many unknowns, what was written one by one just before is read so, too
 * (fresh_four_at). */
enum { FRESH_UNKNOWNS = 16 };

enum { TERMS = 16 };

typedef struct {
    double weight, second;
    const double *k;
} Term;

/* Without those of weight zero; filled up with one to an odd number. */
typedef struct {
    int count;
    Term term[TERMS + 1], *end; /* end: the last one, which is the newest */
} Terms;

/* m vectors k with weights w, and for a second sum v (NULL: there is none); filler: a vector that
 * always holds numbers. */
void terms_make(Terms *terms, int m, const double *w, const double *v, double *const *k,
                const double *filler);
/* out = y + h sum w_j k_j, y NULL: without it. For vectors of solver_vector, since it works on
 * whole groups of four components. */
void terms_combine(int n, const double *y, double h, const Terms *terms, double *out);
/* The same, and second = sum v_j k_j. */
void terms_combine_two(int n, const double *y, double h, const Terms *terms, double *out, double *second);

#endif
