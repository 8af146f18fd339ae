/* sharpen.c: a solution between steps whose slopes are right, too.
 *
 * Cost: 2 to 9 evaluations of f, and as many pairs of solves; four times that where p errs. Tests:
 * tests/solve/sharpen_test.c. */
#include "solve/core/solver.h"
#include "solve/core/vectors.h"

/* A stiff method is exact enough at the ends of its steps; in between, its polynomial errs by about
 * the tolerance, and f of it by the tolerance times the largest eigenvalue: currents of small
 * capacitors or forces in stiff springs come out as noise. In: t inside of the last step. Out:
 * y(t), the polynomial p(t) corrected by what its defect d = f(t, p) - p' says of stiff directions.
 * With the factors of c - J that the method has and F = c (c - J)^-1, which is 0 for stiff
 * directions and 1 for others, the correction is (1 - F) F d/c: a Newton step -d/lambda where
 * |lambda| >> c, nothing where |lambda| << c, whose error is of the polynomial's own order anyway.
 * It is repeated as long as the defect becomes smaller by it. Then f has the slope of p; where the
 * method's error control, which is filtered likewise, let p err by more than the tolerance, that
 * slope is no better, and once more it is taken from values so corrected. Invariant: the solver's
 * own state stays untouched, so what is looked at does not change the run. */

static const double NEAR =
    1e-4; /* of the step: where the slope of p is taken; rounding / NEAR is far below tolerances */

/* of the step, to either side: where corrections are compared */
static const double ASIDE = 1e-2;
/* of the tolerance: even the stiffest slopes are right then */
static const double ENOUGH = 1e-6;
/* a smaller one is the part of the defect that is not stiff */
static const double LEAST_GAIN = 0.9;
enum { MOST_TIMES = 8 };

/* d = f(t, y) - p'(t), in the measure in which it is an error: (c - J)^-1 d. False: no number. */
static bool filtered_defect(Solver *s, double t, const double *y, const double *slope, double *u, double *c)
{
    if (s->model->type->derivatives(s->model, t, y, u) != EVAL_OK) return false;
    for (int i = 0; i < s->n; i++) u[i] -= slope[i];
    return (*c = s->type->filter(s, u)) != 0.0 && vector_first_bad(s->n, u) < 0;
}

static double size_of(const Solver *s, const double *v, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < s->n; i++) {
        double share = v[i] / (s->options.rtol * fabs(y[i]) + s->atol[i]);
        sum += share * share;
    }
    return sqrt(sum / s->n);
}

/* The slope of the polynomial. */
static void slope_at(Solver *s, double t, double *slope)
{
    double step = NEAR * (s->core.t - s->core.t_old), low = t - step, high = t + step, *u = s->sharp[1];
    solver_interpolate(s, low, u);
    solver_interpolate(s, high, slope);
    for (int i = 0; i < s->n; i++) slope[i] = (slope[i] - u[i]) / (high - low);
}

/* Corrects y until f has that slope in stiff directions. How large the first correction was, in
 * tolerances. */
static double settle(Solver *s, double t, const double *slope, double *y)
{
    double *u = s->sharp[1], *v = s->sharp[2], c;
    if (!filtered_defect(s, t, y, slope, u, &c)) return 0.0;
    double first = size_of(s, u, y), size = first, before = INFINITY;
    for (int k = 0; k < MOST_TIMES && size > ENOUGH && size < LEAST_GAIN * before; k++) {
        memcpy(v, u, (size_t)s->n * sizeof *v);
        s->type->filter(s, v);
        for (int i = 0; i < s->n; i++) v[i] = y[i] + u[i] - c * v[i];
        before = size;
        if (!filtered_defect(s, t, v, slope, u, &c)) break;
        size = size_of(s, u, y);
        if (size < before) memcpy(y, v, (size_t)s->n * sizeof *y);
    }
    return first;
}

/* sum += sign times what is corrected at t. */
static void add_correction(Solver *s, double t, double sign, double *sum)
{
    double *slope = s->sharp[0], *p = s->sharp[1], *y = s->sharp[4];
    slope_at(s, t, slope);
    solver_interpolate(s, t, y);
    settle(s, t, slope, y);
    solver_interpolate(s, t, p);
    for (int i = 0; i < s->n; i++) sum[i] += sign * (y[i] - p[i]);
}

void solver_sharp(Solver *s, double t, double *y)
{
    solver_interpolate(s, t, y);
    bool ends = t == s->core.t || t == s->core.t_old;
    if (ends || !s->type->filter || s->model->can & MODEL_MASS || !s->model->type->derivatives) return;
    double *slope = s->sharp[0], *rise = s->sharp[3], way = s->core.t - s->core.t_old;
    slope_at(s, t, slope);
    if (settle(s, t, slope, y) <= 1.0) return;
    double share = (t - s->core.t_old) / way, low = fmax(share - ASIDE, 0.0), high = fmin(share + ASIDE, 1.0);
    memset(rise, 0, (size_t)s->n * sizeof *rise);
    add_correction(s, s->core.t_old + high * way, 1.0, rise);
    add_correction(s, s->core.t_old + low * way, -1.0, rise);
    slope_at(s, t, slope);
    for (int i = 0; i < s->n; i++) slope[i] += rise[i] / ((high - low) * way);
    settle(s, t, slope, y);
}
