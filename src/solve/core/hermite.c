/* hermite.c: dense output from values and slopes at the ends of steps.
 *
 * In: y and y' at both ends of each accepted step. Out: the quintic through the ends of this
 * step and the start of the one before, as the cubic of this step plus x^2 (1-x)^2 (quartic + x
 * quintic); only the cubic in the first step, and where the steps differ so much that rounding
 * would speak. Where second derivatives are known, the quintic through them instead. Both terms
 * are made when dense output is first asked for in a step. Cost: O(n) a step. Tests:
 * tests/solve/methods_test.c. */
#include "solve/core/onestep.h"

static const double LEAST_RATIO = 0.2, MOST_RATIO = 5.0; /* of steps that share a quintic */

void hermite_setup(Hermite *d, Solver *s, double *f_end)
{
    double **kept[] = { &d->f_start, &d->quartic, &d->quintic };
    for (size_t i = 0; i < COUNT_OF(kept); i++) solver_keep_place(s, kept[i]);
    d->f_end = f_end;
    solver_keep(s, &d->at, sizeof d->at);
}

void hermite_restart(Hermite *d) { d->at.h = d->at.h_before = 0.0; }

void hermite_accept(Hermite *d, OneStep *one, const double *f1, double h)
{
    const Solver *s = &one->base;
    vector_swap(&d->quartic, &one->y_start); /* still of the step before */
    vector_swap(&d->quintic, &d->f_start);
    vector_copy(s->n, d->f_end, d->f_start);
    vector_copy(s->n, f1, d->f_end);
    d->at.h_before = d->at.h;
    d->at.h = h;
    d->at.t = s->core.t;
    d->at.is_quintic = false;
}

/* From the start of the step before, which is where they will be. */
static void make_quintic(Hermite *d, const Solver *s)
{
    double h = d->at.h, r = d->at.h_before / h, g = r * r * (1.0 + r) * (1.0 + r),
           slope = -2.0 * r * (1.0 + r) * (1.0 + 2.0 * r);
    bool usable = r > LEAST_RATIO && r < MOST_RATIO;
    const double *y_start = ((const OneStep *)s)->y_start;
    for (int i = 0; i < s->n; i++) {
        double y0 = y_start[i], rise = s->y[i] - y0, c2 = h * d->f_start[i] - rise,
               c3 = rise - h * d->f_end[i] - c2;
        /* the cubic y0 + x (rise + (1-x) (c2 + x c3)) and its slope at x = -r, where the step
         * before began */
        double at = y0 - r * (rise + (1.0 + r) * (c2 - r * c3));
        double steep = rise + (1.0 + 2.0 * r) * c2 - (2.0 * r + 3.0 * r * r) * c3;
        double u = (d->quartic[i] - at) / g, quintic = (h * d->quintic[i] - steep - u * slope) / g;
        d->quartic[i] = usable ? u + r * quintic : 0.0;
        d->quintic[i] = usable ? quintic : 0.0;
    }
}

/* C'' of the cubic is -2 c2 + (2 - 6 x) c3, that of the rest 2 quartic at 0 and 2 (quartic +
 * quintic) at 1. */
void hermite_accept_curved(Hermite *d, const Solver *s, const double *y1, const double *f0, const double *f1,
                           const double *curve0, const double *curve1, double h)
{
    for (int i = 0; i < s->n; i++) {
        double y0 = s->y[i], rise = y1[i] - y0, c2 = h * f0[i] - rise, c3 = rise - h * f1[i] - c2;
        d->quartic[i] = 0.5 * h * h * curve0[i] + c2 - c3;
        d->quintic[i] = 0.5 * h * h * curve1[i] + c2 + 2.0 * c3 - d->quartic[i];
        d->f_start[i] = f0[i];
        d->f_end[i] = f1[i];
    }
    d->at.h = h;
    d->at.t = s->core.t;
    d->at.is_quintic = true;
}

void hermite_at(Hermite *d, const Solver *s, double t, double *y)
{
    double h = d->at.h;
    if (h == 0.0) {
        memcpy(y, s->y, (size_t)s->n * sizeof(double));
        return;
    }
    if (!d->at.is_quintic) make_quintic(d, s);
    d->at.is_quintic = true;
    const double *y_start = ((const OneStep *)s)->y_start;
    double x = (t - d->at.t) / h, x1 = 1.0 - x;
    for (int i = 0; i < s->n; i++) {
        double f1 = s->y[i] - y_start[i], f2 = h * d->f_start[i] - f1, f3 = f1 - h * d->f_end[i] - f2;
        y[i] = y_start[i] + x * (f1 + x1 * (f2 + x * (f3 + x1 * (d->quartic[i] + x * d->quintic[i]))));
    }
}
