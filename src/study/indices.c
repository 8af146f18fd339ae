/* indices.c: Sobol's indices and Morris' elementary effects, with intervals.
 *
 * First indices by Saltelli et al. (2010), total ones by Jansen (1999), both of centred values;
 * intervals by the bootstrap over rows. Effects: Morris (1991), Campolongo et al. (2007); intervals
 * by Student's distribution over trajectories. Tests: tests/study/uncertainty_test.c. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of chosen rows (NULL: all in their order). */
static void estimate(const double *y, size_t rows, int m, const uint32_t *chosen, double *first,
                     double *total)
{
    size_t width = (size_t)m + 2;
    double mean = 0, variance = 0, count = (double)rows;
    for (size_t r = 0; r < rows; r++) {
        const double *row = y + (chosen ? chosen[r] : r) * width;
        mean += (row[0] + row[m + 1]) / (2.0 * count);
    }
    for (int j = 0; j < m; j++) first[j] = total[j] = 0;
    for (size_t r = 0; r < rows; r++) {
        const double *row = y + (chosen ? chosen[r] : r) * width;
        double a = row[0] - mean, b = row[m + 1] - mean;
        variance += (a * a + b * b) / (2.0 * count);
        for (int j = 0; j < m; j++) {
            double mixed = row[j + 1] - mean;
            first[j] += b * (mixed - a) / count;
            total[j] += (a - mixed) * (a - mixed) / (2.0 * count);
        }
    }
    for (int j = 0; j < m; j++) {
        first[j] = variance > 0 ? first[j] / variance : NAN;
        total[j] = variance > 0 ? total[j] / variance : NAN;
    }
}

static void set_interval(double *values, size_t n, double confidence, Estimate *e)
{
    double tail = 0.5 * (1.0 - confidence);
    qsort(values, n, sizeof *values, compare);
    e->low = values[(size_t)(tail * (double)(n - 1))];
    e->high = values[(size_t)ceil((1.0 - tail) * (double)(n - 1))];
}

size_t sobol_indices(const double *all, size_t rows, int m, double confidence, size_t resamples, Arena *arena,
                     Estimate *first, Estimate *total)
{
    size_t width = (size_t)m + 2, used = 0, n = (size_t)m;
    double *y = NEW_ARRAY(arena, double, rows *width + 1), *one = NEW_ARRAY(arena, double, 2 * n + 1);
    double *tries = NEW_ARRAY(arena, double, 2 * n * resamples + 1);
    uint32_t *chosen = NEW_ARRAY(arena, uint32_t, rows + 1);
    for (size_t r = 0; r < rows; r++) {
        bool whole = true;
        for (size_t k = 0; k < width; k++) whole &= isfinite(all[r * width + k]) != 0;
        if (whole) memcpy(y + used++ * width, all + r * width, width * sizeof *y);
    }
    estimate(y, used, m, NULL, one, one + n);
    for (size_t j = 0; j < n; j++) {
        first[j] = (Estimate){ one[j], NAN, NAN };
        total[j] = (Estimate){ one[n + j], NAN, NAN };
    }
    if (used < 2 || resamples < 2) return used;
    for (size_t k = 0; k < resamples; k++) {
        for (size_t r = 0; r < used; r++) chosen[r] = (uint32_t)(hash_uniform(77, k, r) * (double)used);
        estimate(y, used, m, chosen, one, one + n);
        for (size_t j = 0; j < 2 * n; j++) tries[j * resamples + k] = one[j];
    }
    for (size_t j = 0; j < n; j++) {
        set_interval(tries + j * resamples, resamples, confidence, &first[j]);
        set_interval(tries + (n + j) * resamples, resamples, confidence, &total[j]);
    }
    return used;
}

/* ---- elementary effects ---------------------------------------------------------------------- */

static Estimate mean_of(const double *values, size_t n, double confidence, double *deviation)
{
    double mean = 0, second = 0;
    for (size_t i = 0; i < n; i++) mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++) second += (values[i] - mean) * (values[i] - mean);
    *deviation = n > 1 ? sqrt(second / (double)(n - 1)) : NAN;
    double half =
        n > 1 ? student_quantile(0.5 + 0.5 * confidence, (double)n - 1.0) * *deviation / sqrt((double)n)
              : INFINITY;
    return (Estimate){ mean, mean - half, mean + half };
}

size_t morris_effects(const Design *d, const double *y, size_t trajectories, double confidence, Arena *arena,
                      Effect *effects)
{
    size_t m = (size_t)d->m, used = 0;
    const double jump = (double)(MORRIS_LEVELS / 2) / (MORRIS_LEVELS - 1);
    double *p = NEW_ARRAY(arena, double, 2 * m + 1), *found = NEW_ARRAY(arena, double, m *trajectories + 1);
    for (size_t k = 0; k < trajectories; k++) {
        bool whole = true;
        for (size_t i = 0; i <= m; i++) whole &= isfinite(y[k * (m + 1) + i]) != 0;
        if (!whole) continue;
        design_point(d, k * (m + 1), p);
        for (size_t i = 1; i <= m; i++) {
            double *next = p + (i % 2) * m, *last = p + (1 - i % 2) * m;
            design_point(d, k * (m + 1) + i, next);
            for (size_t j = 0; j < m; j++)
                if (next[j] != last[j])
                    found[j * trajectories + used] =
                        (y[k * (m + 1) + i] - y[k * (m + 1) + i - 1]) / (next[j] > last[j] ? jump : -jump);
        }
        used++;
    }
    for (size_t j = 0; j < m; j++) {
        double *mine = found + j * trajectories, unused;
        effects[j].mean = mean_of(mine, used, confidence, &effects[j].deviation);
        for (size_t k = 0; k < used; k++) mine[k] = fabs(mine[k]);
        effects[j].size = mean_of(mine, used, confidence, &unused);
    }
    return used;
}
