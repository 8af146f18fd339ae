/* run.c: runs integrators over the problems.
 *
 * A method suits a problem if it can solve its form, if it is stiff where the problem is, and if
 * its order is at least 3 (others run when asked for by name). CPU time is the least of several
 * runs of a short one. A run that takes too long or fails gives a row that says so. */
#include "bench/ivp/run.h"

#include <math.h>
#include <stdio.h>

enum { REPEATS = 7 };
static const double SHORT_RUN = 0.02; /* seconds below which a run is repeated */

bool ivp_suits(const IvpProblem *p, const SolverType *type)
{
    if (!(type->can & SOLVE_ADAPTIVE) || type->order_most < 3) return false;
    if (p->mass && !(type->can & (SOLVE_MASS | SOLVE_RESIDUAL))) return false;
    for (int i = 0; p->index && i < p->n; i++)
        if (p->index[i] > 1 && !(type->can & SOLVE_HIGH_INDEX)) return false;
    return !p->stiff || (type->can & SOLVE_STIFF);
}

StepStatus ivp_step(const IvpProblem *p, Model *model, Solver *s, int *piece, double *y)
{
    bool to_stop = *piece < p->stop_count;
    StepStatus status = solver_step(s, to_stop ? p->stops[*piece] : p->t_end);
    if (!to_stop || status != STEP_LIMIT) return status;
    *(int *)model->data = ++*piece;
    memcpy(y, solver_y(s), (size_t)p->n * sizeof *y);
    return solver_restart(s, solver_t(s), y, NULL, RESTART_RHS) ? STEP_TAKEN : status;
}

static bool one_run(const IvpProblem *p, const SolverType *type, double rtol, double seconds,
                    const SolverOptions *more, const IvpWatch *watch, IvpRun *run)
{
    Arena *arena = arena_new();
    double *y0;
    Model *model = ivp_model(p, arena, &y0);
    double *atol = NEW_ARRAY(arena, double, (size_t)p->n);
    for (int i = 0; i < p->n; i++) atol[i] = ivp_atol(p, i, rtol);
    SolverOptions options = solver_options(rtol, 0.0);
    options.atol_each = atol;
    options.jacobian = more->jacobian;
    options.increment = more->increment;
    options.increment_c0 = more->increment_c0;
    options.increment_post = more->increment_post;
    options.increment_share = more->increment_share;
    options.made = more->made;
    options.made_arg = more->made_arg;
    Problem problem = { model, p->t0, p->t_end, y0, NULL };
    double start = clock_thread();
    StepStatus status = STEP_TAKEN;
    Solver *s = solver_create(type, &problem, &options, &run->failure);
    int piece = 0;
    for (long k = 0; s && status == STEP_TAKEN; k++) {
        double before = solver_t(s);
        status = ivp_step(p, model, s, &piece, y0);
        if (watch && k % watch->every == 0)
            watch->visit(watch->arg, model, &options, solver_t(s), solver_y(s), solver_t(s) - before);
        if (k % 256 == 255 && clock_thread() - start > seconds) break;
    }
    run->seconds = clock_thread() - start;
    run->finished = s && status == STEP_LIMIT;
    if (s) {
        run->stats = solver_stats(s);
        run->digits = ivp_digits(p, solver_y(s));
        run->error = ivp_error(p, solver_y(s), rtol);
        run->failure = *solver_failure(s);
        if (status == STEP_TAKEN)
            snprintf(run->failure.text, sizeof run->failure.text, "took more than %g s", seconds);
    }
    solver_destroy(s);
    arena_free(arena);
    return run->finished;
}

void ivp_run_once(const IvpProblem *p, const SolverType *type, double rtol, double seconds,
                  const SolverOptions *more, IvpRun *run)
{
    ivp_run_watched(p, type, rtol, seconds, more, NULL, run);
}

void ivp_run_watched(const IvpProblem *p, const SolverType *type, double rtol, double seconds,
                     const SolverOptions *more, const IvpWatch *watch, IvpRun *run)
{
    *run = (IvpRun){ 0 };
    one_run(p, type, rtol, seconds, more, watch, run);
}

void ivp_run(const IvpProblem *p, const SolverType *type, double rtol, double seconds, IvpRun *run)
{
    const SolverOptions usual = { 0 };
    *run = (IvpRun){ 0 };
    if (!one_run(p, type, rtol, seconds, &usual, NULL, run)) return;
    for (int k = 1; k < REPEATS && run->seconds < SHORT_RUN; k++) {
        IvpRun again = { 0 };
        one_run(p, type, rtol, seconds, &usual, NULL, &again);
        run->seconds = fmin(run->seconds, again.seconds);
    }
}
