/* uncertainty.h: what many runs say: moments, quantiles, indices, surrogates, with intervals. */
#ifndef ACAUSAL_STUDY_UNCERTAINTY_H
#define ACAUSAL_STUDY_UNCERTAINTY_H

#include "study/design.h"

typedef struct {
    double value, low, high;
} Estimate;

/* ---- summary.c ------------------------------------------------------------------------------- */

enum { SUMMARY_QUANTILES = 7 };
extern const double summary_levels[SUMMARY_QUANTILES];

typedef struct {
    size_t n;
    double least, largest;
    Estimate mean, deviation;
    Estimate quantiles[SUMMARY_QUANTILES]; /* infinite ends: too few values for an interval */
} Summary;

/* Of n values, which are sorted in place. */
void summarise(double *values, size_t n, double confidence, Summary *summary);

/* ---- indices.c ------------------------------------------------------------------------------- */

/* Of Saltelli's design: rows of m + 2 values, A, m mixed ones, B. first and total: m each. Rows
 * with a NaN are left out; returns how many were used. */
size_t sobol_indices(const double *y, size_t rows, int m, double confidence, size_t resamples, Arena *arena,
                     Estimate *first, Estimate *total);

typedef struct {
    Estimate mean, size; /* of effects; of their absolute values */
    double deviation;
} Effect;

/* Of Morris' design: trajectories of m + 1 runs; an effect is for the range of a parameter. */
size_t morris_effects(const Design *design, const double *y, size_t trajectories, double confidence,
                      Arena *arena, Effect *effects);

/* ---- chaos.c --------------------------------------------------------------------------------- */

typedef struct {
    int m, degree;
    size_t terms, used, held_out; /* runs that it was made from, and that it was tested on */
    double mean, deviation;       /* as the polynomial has them */
    double error;                 /* RMS on runs held out, over their deviation */
    double *first, *total;        /* m: indices */
    double *coefficients;         /* terms */
    unsigned char *powers;        /* terms x m */
} Chaos;

/* A polynomial of orthonormal ones in the parameters. p: n rows of m, y: n, NaNs are left out.
 * degree 0: chosen by runs set aside, up to 5. False: `why` says why there is none. */
bool chaos_fit(Arena *arena, const Distribution *each, int m, const double *p, const double *y, size_t n,
               int degree, Chaos *chaos, char *why, size_t room);
double chaos_at(const Chaos *chaos, const Distribution *each, const double *p);

#endif
