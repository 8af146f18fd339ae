/* growth.c: how much of an error that is made on the way is left at the end: the problem's own
 * share in delivered accuracy. */
#include "bench/ivp/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* In: a problem. Out: the largest ratio of the weighted distances of two solutions at the end and
 * where one of them was moved. How: from moments that divide the steps of a run, two runs go on to
 * the end, one from the point itself and one from a point moved by some tolerances in the direction
 * in which a rough run from the moment before errs. A random direction would not do: methods keep
 * linear invariants, and what is off by more than rounding grows without bound where a sum of large
 * concentrations becomes one of small ones. Algebraic unknowns of index 1 follow by themselves.
 * Always: distances are far above the errors of the runs and small enough for the linear regime.
 * Cost: two runs a moment. Tests: tests/solve/growth_test.c. */

enum { MOMENTS = 12 };
static const double RTOL = 1e-10, ROUGH = 1e-7, KICK = 1e-6; /* all are of |y| + atol/rtol */

typedef struct {
    const IvpProblem *problem;
    Arena *arena;
    Model *model;
    const SolverType *type;
    double *atol, *rough_atol, *y, *kicked, *t;
    double *points; /* MOMENTS of n */
} Growth;

/* From (t, y) to the end of `p`, y is overwritten; the number of steps, or -1. With `every`, points
 * on the way are noted. */
static long run_on(Growth *g, const IvpProblem *p, double rtol, double t, double *y, long every)
{
    SolverOptions options = solver_options(rtol, 0.0);
    SolverFailure failure;
    int piece = 0, kept = 0;
    while (piece < p->stop_count && p->stops[piece] <= t) piece++;
    if (p->stop_count) *(int *)g->model->data = piece;
    options.atol_each = rtol == RTOL ? g->atol : g->rough_atol;
    Problem problem = { g->model, t, p->t_end, y, NULL };
    Solver *s = solver_create(g->type, &problem, &options, &failure);
    StepStatus status = s ? STEP_TAKEN : STEP_FAILED;
    long steps = 0;
    while (status == STEP_TAKEN) {
        status = ivp_step(p, g->model, s, &piece, y);
        memcpy(y, solver_y(s), (size_t)p->n * sizeof *y);
        if (++steps == every * (kept + 1) && kept < MOMENTS && status == STEP_TAKEN) {
            g->t[kept] = solver_t(s);
            memcpy(g->points + (size_t)kept++ * (size_t)p->n, y, (size_t)p->n * sizeof *y);
        }
    }
    solver_destroy(s);
    return status == STEP_LIMIT ? steps : -1;
}

static bool counts_at_end(const IvpProblem *p, int i)
{
    int stride = p->reference_stride ? p->reference_stride : 1,
        n = p->reference_count ? p->reference_count : p->n;
    return i < n && i % stride == 0 && !isnan(p->reference[i / stride]) && !(p->index && p->index[i] > 1);
}

static double scale_of(const Growth *g, int i, double y) { return fabs(y) + g->atol[i] / RTOL; }

/* g->kicked becomes a point KICK away from where the solution is at t, in the direction of a rough
 * run's error since `from`. */
static bool kick(Growth *g, double from, const double *start, double t, const double *point)
{
    int n = g->problem->n;
    IvpProblem part = *g->problem;
    part.t_end = t;
    while (part.stop_count && part.stops[part.stop_count - 1] >= t) part.stop_count--;
    memcpy(g->kicked, start, (size_t)n * sizeof(double));
    if (run_on(g, &part, ROUGH, from, g->kicked, 0) < 0) return false;
    double largest = DBL_MIN;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(g->kicked[i] - point[i]) / scale_of(g, i, point[i]));
    for (int i = 0; i < n; i++) g->kicked[i] = point[i] + KICK / largest * (g->kicked[i] - point[i]);
    return true;
}

/* The largest share that a change at moment k has at the end. */
static double growth_from(Growth *g, int k, const double *y0)
{
    const IvpProblem *p = g->problem;
    int n = p->n;
    double worst = 0.0, t = g->t[k], *point = g->points + (size_t)k * (size_t)n;
    if (!kick(g, k ? g->t[k - 1] : p->t0, k ? point - n : y0, t, point)) return NAN;
    memcpy(g->y, point, (size_t)n * sizeof(double));
    if (run_on(g, p, RTOL, t, g->y, 0) < 0 || run_on(g, p, RTOL, t, g->kicked, 0) < 0) return NAN;
    for (int i = 0; i < n; i++)
        if (counts_at_end(p, i)) worst = fmax(worst, fabs(g->kicked[i] - g->y[i]) / scale_of(g, i, g->y[i]));
    return worst / KICK;
}

double ivp_growth(const IvpProblem *problem)
{
    size_t n = (size_t)problem->n;
    Growth g = { .problem = problem, .arena = arena_new() };
    double *y0, worst = NAN;
    g.model = ivp_model(problem, g.arena, &y0);
    g.type = solver_find(problem->stiff || problem->mass ? "radau5" : "dop853");
    g.atol = NEW_ARRAY(g.arena, double, n);
    g.rough_atol = NEW_ARRAY(g.arena, double, n);
    g.y = NEW_ARRAY(g.arena, double, n);
    g.kicked = NEW_ARRAY(g.arena, double, n);
    g.t = NEW_ARRAY(g.arena, double, MOMENTS);
    g.points = NEW_ARRAY(g.arena, double, n *MOMENTS);
    for (int i = 0; i < problem->n; i++) {
        g.atol[i] = ivp_atol(problem, i, RTOL);
        g.rough_atol[i] = ivp_atol(problem, i, ROUGH);
    }
    memcpy(g.y, y0, n * sizeof(double));
    long steps = run_on(&g, problem, RTOL, problem->t0, g.y, 0);
    memcpy(g.y, y0, n * sizeof(double));
    if (steps > 0) steps = run_on(&g, problem, RTOL, problem->t0, g.y, steps / (MOMENTS + 1) + 1);
    for (int k = 0; k < MOMENTS && steps > 0; k++) {
        if (k > 0 && !(fabs(g.t[k] - problem->t0) > fabs(g.t[k - 1] - problem->t0))) break;
        double here = growth_from(&g, k, y0);
        if (!(here <= worst)) worst = here;
    }
    arena_free(g.arena);
    return worst;
}
