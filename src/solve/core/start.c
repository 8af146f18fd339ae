/* start.c: the first step. With d0 = ||y||, d1 = ||f||: a step in which Euler's method moves y by
 * one percent; from a trial of it the second derivative d2; then h^(p+1) max(d1, d2) = 1/100.
 * Hairer, Norsett, Wanner, Solving ODEs I, II.4. Tests: tests/solve/doors_test.c. */
#include "solve/core/start.h"

double start_step(Solver *s, int order, const double *f0, const double *w, double *trial, double *f1)
{
    int n = s->n;
    double way = isinf(s->core.t_end) ? INFINITY : fabs(s->core.t_end - s->core.t);
    if (s->options.max_step > 0.0) way = fmin(way, s->options.max_step);
    double d0 = norm_rms(n, s->y, w), d1 = norm_rms(n, f0, w);
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h0 = fmax(fmin(h0, way), solver_least_step(s));
    for (int i = 0; i < n; i++) trial[i] = s->y[i] + s->core.direction * h0 * f0[i];
    if (solver_f(s, s->core.t + s->core.direction * h0, trial, f1) != EVAL_OK) return fmin(h0 * 1e-3, way);
    for (int i = 0; i < n; i++) trial[i] = f1[i] - f0[i];
    double d2 = norm_rms(n, trial, w) / h0, largest = fmax(d1, d2);
    s->start_rate = d1 > 0.0 ? d2 / d1 : 0.0;
    double h1 = largest <= 1e-15 ? fmax(1e-6, h0 * 1e-3) : pow(0.01 / largest, 1.0 / (order + 1));
    return fmin(fmin(100.0 * h0, h1), way);
}
