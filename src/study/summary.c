/* summary.c: moments and quantiles of a sample, with intervals.
 *
 * Mean: Student's interval. Quantiles: between order statistics whose ranks the binomial
 * distribution gives, which holds for any distribution. Deviation: from the variance of the sample
 * variance, by the fourth moment. Tests: tests/study/uncertainty_test.c. */
#include "study/study.h"

#include <math.h>
#include <stdlib.h>

const double summary_levels[SUMMARY_QUANTILES] = { 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Linear between order statistics. */
static double quantile(const double *sorted, size_t n, double level)
{
    double at = level * (double)(n - 1);
    size_t k = (size_t)at;
    return k + 1 < n ? sorted[k] + (at - (double)k) * (sorted[k + 1] - sorted[k]) : sorted[n - 1];
}

/* The largest rank k (0 for none) such that fewer than k values lie below the quantile with at most
 * this probability. */
static size_t lower_rank(size_t n, double level, double probability)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (binomial_at_most(middle - 1, n, level) <= probability)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static Estimate estimate_quantile(const double *sorted, size_t n, double level, double tail)
{
    size_t low = lower_rank(n, level, tail), high = lower_rank(n, 1.0 - level, tail);
    return (Estimate){ quantile(sorted, n, level), low ? sorted[low - 1] : -INFINITY,
                       high ? sorted[n - high] : INFINITY };
}

void summarise(double *values, size_t n, double confidence, Summary *s)
{
    double tail = 0.5 * (1.0 - confidence), mean = 0, second = 0, fourth = 0, count = (double)n;
    *s = (Summary){ .n = n, .least = NAN, .largest = NAN, .mean = { NAN, NAN, NAN } };
    if (!n) return;
    qsort(values, n, sizeof *values, compare);
    for (size_t i = 0; i < n; i++) mean += (values[i] - mean) / (double)(i + 1);
    for (size_t i = 0; i < n; i++) {
        double d = values[i] - mean;
        second += d * d, fourth += d * d * d * d;
    }
    double variance = n > 1 ? second / (count - 1.0) : 0.0, deviation = sqrt(variance);
    double half = n > 1 ? student_quantile(1.0 - tail, count - 1.0) : INFINITY;
    /* variance of the sample variance: (m4 - (n - 3) / (n - 1) s^4) / n, and of the logarithm */
    double spread = n > 3 && second > 0
                        ? (fourth / count - (count - 3.0) / (count - 1.0) * variance * variance) / count
                        : 0.0;
    double relative = variance > 0 ? half * sqrt(fmax(spread, 0.0)) / variance : 0.0;
    s->least = values[0], s->largest = values[n - 1];
    half = n > 1 ? half * deviation / sqrt(count) : INFINITY;
    s->mean = (Estimate){ mean, mean - half, mean + half };
    s->deviation = (Estimate){ deviation, deviation * exp(-0.5 * relative), deviation * exp(0.5 * relative) };
    for (size_t k = 0; k < SUMMARY_QUANTILES; k++)
        s->quantiles[k] = estimate_quantile(values, n, summary_levels[k], tail);
}
