/* combine.h: sums of stages with weights (combine.c). */
#ifndef ACAUSAL_SOLVE_COMBINE_H
#define ACAUSAL_SOLVE_COMBINE_H

#include "solve/core/vectors.h"

enum { TERMS = 16 };

typedef struct {
    double weight, second;
    const double *k;
} Term;

/* Without those of weight zero. */
typedef struct {
    int count;
    Term term[TERMS];
} Terms;

/* m vectors k with weights w, and for a second sum v (NULL: there is none). */
void terms_make(Terms *terms, int m, const double *w, const double *v, double *const *k);
/* out = y + h sum w_j k_j, y NULL: without it. */
void terms_combine(int n, const double *y, double h, const Terms *terms, double *out);
/* The same, and second = sum v_j k_j. */
void terms_combine_two(int n, const double *y, double h, const Terms *terms, double *out, double *second);

#endif
