/* sharpen.c: values at a communication point inside of a step, whose slopes are right, too.
 *
 * What solve/core/sharpen.c does for models in process: the polynomial of a stiff method errs by
 * about the tolerance, and f of it by that times the largest eigenvalue; the defect of the
 * polynomial, filtered by the method's own factors, corrects stiff directions and leaves the
 * others. (A second slope, where the polynomial errs by more than the tolerance, is taken there
 * only.) Always: the method's state stays what it is. Cost: 2 to 9 evaluations of f. Tests:
 * tests/unit/integrate_test.c. */
#include "unit/unit.h"

#include <math.h>
#include <string.h>

static const double NEAR = 1e-4; /* of the step: where the slope of the polynomial is taken */
/* of the tolerance: even the stiffest slopes are right then */
static const double ENOUGH = 1e-6;
/* a smaller one is the part of the defect that is not stiff */
static const double LEAST_GAIN = 0.9;
enum { MOST_TIMES = 8 };

/* (c - J)^-1 (f - slope), where f is that at y. Its size in tolerances; negative: no number. */
static double defect(const UnitProblem *p, const UnitMethod *m, double *room, double t, const double *y,
                     const double *slope, double *u, double *c)
{
    double sum = 0;
    if (run_derivatives(p->run, t, y, u) != RUN_OK) return -1;
    for (int i = 0; i < p->n; i++) u[i] -= slope[i];
    *c = m->filter(p, room, u);
    for (int i = 0; i < p->n; i++) {
        double share = u[i] / (p->rtol * fabs(y[i]) + p->scale[i]);
        sum += share * share;
    }
    return *c != 0 && isfinite(sum) ? sqrt(sum / p->n) : -1;
}

void unit_sharpen(const UnitProblem *p, const UnitMethod *m, double *room, double t, double step, double *y,
                  double *work)
{
    double *slope = work, *u = work + p->n, *v = u + p->n, c = 0, before = INFINITY;
    if (!m->filter || !p->n) return;
    double low = t - NEAR * step, high = t + NEAR * step;
    m->interpolate(p, room, low, u);
    m->interpolate(p, room, high, slope);
    for (int i = 0; i < p->n; i++) slope[i] = (slope[i] - u[i]) / (high - low);
    double size = defect(p, m, room, t, y, slope, u, &c);
    for (int k = 0; k < MOST_TIMES && size > ENOUGH && size < LEAST_GAIN * before; k++) {
        memcpy(v, u, (size_t)p->n * sizeof *v);
        m->filter(p, room, v);
        for (int i = 0; i < p->n; i++) v[i] = y[i] + u[i] - c * v[i];
        before = size;
        size = defect(p, m, room, t, v, slope, u, &c);
        if (size >= 0 && size < before) memcpy(y, v, (size_t)p->n * sizeof *y);
    }
}
