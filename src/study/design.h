/* design.h: which values the parameters of a study take: distributions, and points of designs by
 * their number.
 *
 * A design is a function: point i is computed from i and the seed alone. So any run can be made
 * anywhere, in any order, again, and nothing grows with the number of runs. */
#ifndef ACAUSAL_STUDY_DESIGN_H
#define ACAUSAL_STUDY_DESIGN_H

#include "base/base.h"

/* ---- distribution.c -------------------------------------------------------------------------- */

typedef enum {
    DISTRIBUTION_VALUES, /* each as probable as the others */
    DISTRIBUTION_UNIFORM,
    DISTRIBUTION_NORMAL,
    DISTRIBUTION_LOGNORMAL,
    DISTRIBUTION_LOGUNIFORM,
    DISTRIBUTION_TRIANGULAR,
    DISTRIBUTION_TRUNCATED, /* normal between limits */
    DISTRIBUTION_EXPONENTIAL,
    DISTRIBUTION_WEIBULL
} DistributionKind;

typedef struct {
    DistributionKind kind;
    double a[4];        /* its numbers, in the order in which they are written */
    double *values;     /* VALUES: count of them; the places themselves where there are texts */
    const char **texts; /* VALUES that are no numbers; NULL: all are */
    size_t count;
} Distribution;

/* "1,2,5", "FROM:TO", "FROM:TO:COUNT", "normal(0, 1)". A range without a count is two values of a
 * grid. False: `why` says what is wrong. */
bool distribution_read(Arena *arena, const char *text, Distribution *d, char *why, size_t room);
double distribution_quantile(const Distribution *d, double u); /* u in [0, 1] */
/* The probability of at most x; of lists NAN. */
double distribution_place(const Distribution *d, double x);
/* Its least and largest value; infinite where there is none. */
void distribution_span(const Distribution *d, double *low, double *high);
/* "normal(MEAN, DEVIATION)", ...; NULL past the last. */
const char *distribution_form(size_t i);
double normal_quantile(double u);
double normal_distribution(double x);

/* ---- sequence.c ------------------------------------------------------------------------------ */

/* A number in (0, 1) that belongs to three numbers. */
double hash_uniform(uint64_t seed, uint64_t a, uint64_t b);
/* Where i of n goes in a permutation that belongs to a key. */
uint64_t hash_permute(uint64_t i, uint64_t n, uint64_t key);

enum { SOBOL_MOST = 256, SOBOL_BITS = 32 };
/* Direction numbers of Sobol's sequence in m coordinates. */
typedef struct {
    int m;
    uint32_t (*v)[SOBOL_BITS]; /* m */
} Sobol;
bool sobol_open(Arena *arena, Sobol *sobol, int m); /* false: m is too large */
/* Coordinate j of point i, scrambled by the seed as Owen does; in (0, 1). */
double sobol_at(const Sobol *sobol, uint64_t i, int j, uint64_t seed);

/* ---- design.c -------------------------------------------------------------------------------- */

typedef enum {
    DESIGN_GRID,     /* all combinations; the last parameter changes fastest */
    DESIGN_RANDOM,   /* independent draws */
    DESIGN_LATIN,    /* a Latin hypercube */
    DESIGN_SOBOL,    /* Sobol's sequence, scrambled */
    DESIGN_MORRIS,   /* trajectories on a grid of levels, one parameter changed a step */
    DESIGN_SALTELLI, /* two samples, and the first with each column of the second: for indices */
    DESIGN_TABLE,    /* rows that were given */
    DESIGN_KINDS
} DesignKind;

enum { MORRIS_LEVELS = 4 };

typedef struct {
    DesignKind kind;
    int m;
    const Distribution *each; /* m */
    uint64_t samples;         /* points; Morris: trajectories; Saltelli: rows of a sample */
    uint64_t seed;
    const double *correlation; /* m x m, of normal scores; NULL: none */
    const double *table;       /* samples x m */
    Sobol sobol;               /* these are made by design_open */
    double *root;              /* of the correlation: L L^T, m x m, row by row */
    uint64_t count;            /* of runs */
} Design;

const char *design_name(DesignKind kind);
/* DESIGN_KINDS: there is none of this name. */
DesignKind design_find(const char *name);
/* False: `why` says what does not fit together. */
bool design_open(Arena *arena, Design *design, char *why, size_t room);
/* The values of run i, counted from 0; may be called by several threads. */
void design_point(const Design *design, uint64_t i, double *p);

#endif
