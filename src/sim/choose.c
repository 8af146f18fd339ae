/* choose.c: which integrator suits a model, when the user does not say.
 *
 * How: models with algebraic unknowns get a method for them. For the others the largest eigenvalue of df/dy at the
 * start is estimated by power iteration on difference quotients. Explicit methods are stable for steps of about
 * 3 / |lambda|; as long as that makes few steps over the whole run they cannot lose much, and they restart at full
 * order after events, so they are taken. Else an implicit method is: Radau for models of moderate size, BDF for large ones,
 * where factorisations count. An explicit choice is looked at again while the run goes on, and is given up when
 * its steps stay at the border of stability. Cost: some 15 evaluations at the start, and after each WATCH_STEPS steps.
 * Tests: tests/sim/driver_test.c. */
#include "sim/inside.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { ROUNDS = 14, LARGE = 200 };
static const double CHEAP_REACH = 2000.0; /* |lambda| times the time to go: at most some 700 stable steps */
static const double BORDER = 2.0;         /* h |lambda| near the border of stability of dopri5 and dop853 */
static const double TIGHT = 1e-8;

static double scaled_norm(int n, const double *v, const double *scale)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += v[i] / scale[i] * (v[i] / scale[i]);
    return sqrt(sum);
}

double spectral_radius(Model *model, double t, const double *y, double *room)
{
    int n = model->shape.n;
    double *scale = room, *f0 = room + n, *f1 = room + 2 * n, *moved = room + 3 * n, radius = 0.0;
    if (!(model->can & MODEL_DERIVATIVES) || model->type->derivatives(model, t, y, f0) != EVAL_OK) return 0.0;
    for (int i = 0; i < n; i++) {
        double nominal = model->shape.nominal ? fabs(model->shape.nominal[i]) : 1.0;
        scale[i] = fmax(fabs(y[i]), nominal > 0.0 ? nominal : 1.0);
        moved[i] = (i % 3 == 1 ? -1.0 : 1.0) * scale[i] / (1.0 + i % 7); /* a direction with all components */
    }
    for (int round = 0; round < ROUNDS; round++) {
        double size = scaled_norm(n, moved, scale), step = sqrt(DBL_EPSILON) / size;
        if (!(size > 0.0) || !isfinite(size)) return radius;
        for (int i = 0; i < n; i++) moved[i] = y[i] + step * moved[i];
        if (model->type->derivatives(model, t, moved, f1) != EVAL_OK) return radius;
        for (int i = 0; i < n; i++) moved[i] = (f1[i] - f0[i]) / sqrt(DBL_EPSILON);
        double grown = scaled_norm(n, moved, scale);
        if (!isfinite(grown)) return radius;
        /* a pair of complex eigenvalues makes the ratio swing: the mean of neighbours hides most of that */
        radius = round ? sqrt(fmax(radius, 1e-300) * grown) : grown;
    }
    return radius;
}

const SolverType *choose_stiff(const Model *model)
{
    return solver_find(model->shape.n > LARGE ? "bdf" : "radau5");
}

const SolverType *choose_solver(Model *model, const SimOptions *o, const double *y, double *room, char *why,
                                size_t why_room)
{
    int n = model->shape.n;
    if (!(model->can & MODEL_DERIVATIVES) || (model->can & MODEL_MASS)) {
        const char *name = n > LARGE && !model->shape.index ? "dassl" : "radau5";
        snprintf(why, why_room, "%d unknowns with algebraic equations among them", n);
        return solver_find(name);
    }
    double radius = spectral_radius(model, o->t0, y, room), reach = radius * fabs(o->t_end - o->t0);
    bool tight = o->tol<TIGHT, stiff = reach> CHEAP_REACH;
    snprintf(why, why_room, "%d states, fastest rate %.2g/s over %.3g s: %s", n, radius,
             fabs(o->t_end - o->t0),
             stiff   ? "may be stiff"
             : tight ? "not stiff, tight tolerance"
                     : "not stiff");
    return stiff ? choose_stiff(model) : solver_find(tight ? "dop853" : "dopri5");
}

bool choose_is_stiff_now(Model *model, const Solver *solver, double t_end, double *room)
{
    double radius = spectral_radius(model, solver_t(solver), solver_y(solver), room);
    return radius * solver_stats(solver).h_last > BORDER &&
           radius * fabs(t_end - solver_t(solver)) > CHEAP_REACH;
}
