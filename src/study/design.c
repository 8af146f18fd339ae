/* design.c: the points of a design, each by its number.
 *
 * In: distributions, a kind, a seed. Out: the values of run i. Correlation is that of normal scores
 * (a Gaussian copula), so every distribution keeps its own shape. Sources: McKay et al. (1979) for
 * Latin hypercubes, Morris (1991), Saltelli et al. (2010). Cost: some hashes a value. Tests:
 * tests/study/design_test.c. */
#include "study/design.h"

#include <math.h>
#include <stdio.h>

static const char *const names[DESIGN_KINDS] = { "grid",   "random",   "lhs",  "sobol",
                                                 "morris", "saltelli", "table" };
static const double MOST_RUNS = 4294967296.0; /* that Sobol's sequence has points for */

const char *design_name(DesignKind kind) { return names[kind]; }

DesignKind design_find(const char *name)
{
    DesignKind kind = 0;
    while (kind < DESIGN_KINDS && strcmp(names[kind], name) != 0) kind++;
    return kind;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Cholesky's factor. */
static bool find_root(Arena *arena, Design *d, char *why, size_t room)
{
    size_t m = (size_t)d->m;
    d->root = NEW_ARRAY(arena, double, m *m + 1);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = d->correlation[i * m + j];
            for (size_t k = 0; k < j; k++) sum -= d->root[i * m + k] * d->root[j * m + k];
            if (i == j && !(sum > 1e-12))
                return snprintf(why, room,
                                "the correlations contradict each other: their matrix is not "
                                "positive definite"),
                       false;
            d->root[i * m + j] = i == j ? sqrt(sum) : sum / d->root[j * m + j];
        }
    return true;
}

static bool count_runs(Design *d, char *why, size_t room)
{
    double count = (double)d->samples;
    if (d->kind == DESIGN_GRID) {
        count = 1.0;
        for (int j = 0; j < d->m; j++) {
            if (!d->each[j].values)
                return snprintf(why, room,
                                "a grid needs lists or ranges FROM:TO:COUNT; a distribution needs "
                                "samples"),
                       false;
            count *= (double)d->each[j].count;
        }
    } else if (d->kind == DESIGN_MORRIS)
        count *= d->m + 1;
    else if (d->kind == DESIGN_SALTELLI)
        count *= d->m + 2;
    d->count = (uint64_t)fmin(count, MOST_RUNS + 1.0);
    if (count > MOST_RUNS) return snprintf(why, room, "more than %.0f runs", MOST_RUNS), false;
    if (!d->count) return snprintf(why, room, "a design '%s' needs samples", names[d->kind]), false;
    return true;
}

bool design_open(Arena *arena, Design *d, char *why, size_t room)
{
    if (d->correlation && (d->kind == DESIGN_GRID || d->kind == DESIGN_MORRIS || d->kind == DESIGN_SALTELLI ||
                           d->kind == DESIGN_TABLE))
        return snprintf(why, room, "a design '%s' has no correlations", names[d->kind]), false;
    if (d->correlation && !find_root(arena, d, why, room)) return false;
    if (!count_runs(d, why, room)) return false;
    int coordinates = d->kind == DESIGN_SOBOL ? d->m : d->kind == DESIGN_SALTELLI ? 2 * d->m : 0;
    if (!sobol_open(arena, &d->sobol, coordinates))
        return snprintf(why, room, "Sobol's sequence is for at most %d parameters here",
                        d->kind == DESIGN_SOBOL ? SOBOL_MOST : SOBOL_MOST / 2),
               false;
    return true;
}

/* ---- points ---------------------------------------------------------------------------------- */

static void grid_point(const Design *d, uint64_t i, double *p)
{
    for (int j = d->m; j-- > 0;) {
        p[j] = d->each[j].values[i % d->each[j].count];
        i /= d->each[j].count;
    }
}

/* Levels are k / (levels - 1) in a bounded range, and the middles of equal parts elsewhere. */
static double level_value(const Distribution *d, int level)
{
    double low, high;
    if (d->kind != DISTRIBUTION_VALUES) {
        distribution_span(d, &low, &high);
        if (isfinite(low) && isfinite(high))
            return distribution_quantile(d, (double)level / (MORRIS_LEVELS - 1));
    }
    return distribution_quantile(d, (level + 0.5) / MORRIS_LEVELS);
}

/* A trajectory starts at levels of its own and changes parameters in an order of its own, each by
 * half the number of levels, up or down. */
static void morris_point(const Design *d, uint64_t i, double *p)
{
    uint64_t m = (uint64_t)d->m, trajectory = i / (m + 1), step = i % (m + 1);
    for (uint64_t j = 0; j < m; j++) {
        uint64_t when = hash_permute(j, m, d->seed ^ (trajectory * 2 + 1));
        int level = (int)(hash_uniform(d->seed, trajectory * 2, j) * MORRIS_LEVELS);
        int jump = MORRIS_LEVELS / 2;
        if (when < step) level += level < jump ? jump : -jump;
        p[j] = level_value(&d->each[j], level);
    }
}

static void saltelli_point(const Design *d, uint64_t i, double *p)
{
    uint64_t m = (uint64_t)d->m, row = i / (m + 2), part = i % (m + 2);
    for (uint64_t j = 0; j < m; j++) {
        bool second = part == m + 1 || part == j + 1;
        double u = sobol_at(&d->sobol, row, (int)(second ? m + j : j), d->seed);
        p[j] = distribution_quantile(&d->each[j], u);
    }
}

static void sample_point(const Design *d, uint64_t i, double *p)
{
    size_t m = (size_t)d->m;
    for (size_t j = 0; j < m; j++) {
        if (d->kind == DESIGN_SOBOL)
            p[j] = sobol_at(&d->sobol, i, (int)j, d->seed);
        else {
            p[j] = hash_uniform(d->seed, i + 1, j + 1);
            if (d->kind == DESIGN_LATIN)
                p[j] =
                    ((double)hash_permute(i, d->samples, d->seed * 1000003 + j) + p[j]) / (double)d->samples;
        }
        if (d->root) p[j] = normal_quantile(p[j]);
    }
    for (size_t j = m; d->root && j-- > 0;) { /* from the last: sums need the values before */
        double sum = 0.0;
        for (size_t k = 0; k <= j; k++) sum += d->root[j * m + k] * p[k];
        p[j] = normal_distribution(sum);
    }
    for (size_t j = 0; j < m; j++) p[j] = distribution_quantile(&d->each[j], p[j]);
}

void design_point(const Design *d, uint64_t i, double *p)
{
    switch (d->kind) {
    case DESIGN_GRID: grid_point(d, i, p); break;
    case DESIGN_MORRIS: morris_point(d, i, p); break;
    case DESIGN_SALTELLI: saltelli_point(d, i, p); break;
    case DESIGN_TABLE: memcpy(p, d->table + i * (size_t)d->m, (size_t)d->m * sizeof *p); break;
    default: sample_point(d, i, p); break;
    }
}
