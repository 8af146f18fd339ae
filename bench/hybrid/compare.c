/* compare.c: work at equal accuracy.
 *
 * In: two ladders of runs at falling tolerances. Out: ratios of work. How: for each error of one
 * ladder, the work of the other at that error comes from a straight line through its runs in
 * logarithms, by least squares, since single errors at the end of a run scatter; errors outside of
 * what both have reached are left out. Cost: nothing. Tests: tests/solve/restart_test.c. */
#include "bench/hybrid/hybrid.h"

#include <math.h>

static const double LEAST_ERROR = 1e-12; /* below, rounding and the reference take part */

void hybrid_climb(HybridLadder *l, const HybridRun *run)
{
    if (!run->finished || l->n == HYBRID_LADDER) return;
    l->error[l->n] = log(fmax(run->error, LEAST_ERROR));
    l->nfev[l->n] = log((double)(run->stats.f + run->stats.f_jacobian));
    l->cpu[l->n++] = log(fmax(run->seconds, 1e-9));
}

/* The line of work over error. */
static void fit(const HybridLadder *l, const double *work, double *mean_error, double *mean_work,
                double *slope)
{
    double xx = 0.0, xy = 0.0;
    *mean_error = *mean_work = 0.0;
    for (int k = 0; k < l->n; k++) {
        *mean_error += l->error[k] / l->n;
        *mean_work += work[k] / l->n;
    }
    for (int k = 0; k < l->n; k++) {
        double x = l->error[k] - *mean_error;
        xx += x * x;
        xy += x * (work[k] - *mean_work);
    }
    *slope = xx > 0.0 ? xy / xx : 0.0;
}

static void range_of(const HybridLadder *l, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (int k = 0; k < l->n; k++) {
        *least = fmin(*least, l->error[k]);
        *most = fmax(*most, l->error[k]);
    }
}

static double ratio(const HybridLadder *own, const double *own_work, const HybridLadder *other,
                    const double *other_work)
{
    double least, most, low, high, e1, w1, s1, e2, w2, s2;
    range_of(own, &least, &most);
    range_of(other, &low, &high);
    least = fmax(least, low);
    most = fmin(most, high);
    if (own->n < 2 || other->n < 2 || !(least < most)) return 0.0;
    fit(own, own_work, &e1, &w1, &s1);
    fit(other, other_work, &e2, &w2, &s2);
    /* the mean over the range of the difference of two lines is that in its middle */
    double middle = 0.5 * (least + most);
    return exp(w1 + s1 * (middle - e1) - (w2 + s2 * (middle - e2)));
}

void hybrid_compare(const HybridLadder *own, const HybridLadder *other, double *nfev, double *cpu)
{
    *nfev = ratio(own, own->nfev, other, other->nfev);
    *cpu = ratio(own, own->cpu, other, other->cpu);
}
