/* statistics.c: quantiles of Student's distribution, random numbers, samples.
 *
 * Quantiles: bisection on the distribution, which is the incomplete beta function by its continued
 * fraction (Lentz's way; Abramowitz, Stegun, 26.5.8 and 26.7.1). Random numbers: splitmix64, so
 * that a seed gives the same numbers everywhere. Tests: tests/study/fit_test.c. */
#include "study/study.h"

#include <math.h>

/* ---- Student's distribution ------------------------------------------------------------------ */

static double beta_fraction(double a, double b, double x)
{
    double c = 1.0, d = 1.0 / (1.0 - (a + b) * x / (a + 1.0)), h = d;
    for (int m = 1; m < 400; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1.0 / (1.0 + even * d);
        c = 1.0 + even / c;
        h *= c * d;
        d = 1.0 / (1.0 + odd * d);
        c = 1.0 + odd / c;
        h *= c * d;
        if (fabs(c * d - 1.0) < 1e-15) break;
    }
    return h;
}

static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0.0 || x >= 1.0) return x <= 0.0 ? 0.0 : 1.0;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1.0) / (a + b + 2.0) ? front * beta_fraction(a, b, x) / a
                                         : 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

static double student(double t, double freedom)
{
    double tail = 0.5 * incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + t * t));
    return t > 0.0 ? 1.0 - tail : tail;
}

double student_quantile(double probability, double freedom)
{
    double low = -1.0, high = 1.0;
    if (!(freedom > 0.0)) return INFINITY;
    while (student(high, freedom) < probability && high < 1e15) high *= 2.0;
    while (student(low, freedom) > probability && low > -1e15) low *= 2.0;
    for (int k = 0; k < 200 && high - low > 1e-14 * fmax(1.0, fabs(high)); k++) {
        double middle = 0.5 * (low + high);
        if (student(middle, freedom) < probability)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* ---- random numbers -------------------------------------------------------------------------- */

static uint64_t next(Random *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double random_uniform(Random *r) { return ((double)(next(r) >> 11) + 0.5) / 9007199254740992.0; }

/* Box and Muller. */
double random_normal(Random *r)
{
    double u = random_uniform(r), v = random_uniform(r);
    return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * v);
}

void sample_latin(Random *r, int m, int count, double *points)
{
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < count; i++) points[i * m + j] = i;
        for (int i = count - 1; i > 0; i--) {
            int k = (int)(random_uniform(r) * (i + 1));
            double kept = points[i * m + j];
            points[i * m + j] = points[k * m + j];
            points[k * m + j] = kept;
        }
        for (int i = 0; i < count; i++) points[i * m + j] = (points[i * m + j] + random_uniform(r)) / count;
    }
}

double binomial_at_most(size_t k, size_t n, double probability)
{
    return k >= n ? 1.0 : incomplete_beta((double)(n - k), (double)k + 1.0, 1.0 - probability);
}
