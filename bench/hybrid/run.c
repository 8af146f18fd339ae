/* run.c: runs integrators over hybrid problems.
 *
 * In: a problem, a method, how it begins after events. Out: work, CPU time, error at the end. How:
 * the loop that the driver of simulations has, without results: steps to the next time event,
 * roots, the model's event, a restart with what changed. CPU time is the least of as many runs as
 * fit into a tenth of a second: what disturbs only adds. References come from closed forms or from
 * a one-step method at a tolerance near rounding. Tests: tests/solve/restart_test.c. */
#include "bench/hybrid/hybrid.h"

#include <math.h>
#include <stdio.h>

enum { REPEATS = 25, MOST_EVENTS = 1000000 };
static const double ENOUGH = 0.1; /* seconds of repeated runs */
static const double REFERENCE_TOLERANCE = 1e-12;

typedef struct {
    Model model;
    Solver *solver;
    double discrete[HYBRID_DISCRETE];
    double *y, t, next_time;
} Bench;

static bool make(Bench *b, const HybridProblem *p, const SolverType *type, Starter starter, double tol,
                 Arena *arena, SolverFailure *failure)
{
    ModelShape shape = {
        .name = p->name, .n = p->n, .indicators = p->indicators, .directions = p->directions, .mass = p->mass
    };
    EventInfo info = { .next_time = INFINITY };
    const char *why = "";
    *b = (Bench){ .y = NEW_ARRAY(arena, double, (size_t)p->n) };
    if (!model_init(&b->model, &p->type, &shape, b->discrete, &why)) {
        snprintf(failure->text, sizeof failure->text, "%s", why);
        return false;
    }
    p->type.initialise(&b->model, 0.0, b->y, &info);
    b->next_time = info.next_time;
    SolverOptions options = solver_options(tol, tol);
    options.starter = starter;
    Problem problem = { &b->model, 0.0, p->t_end, b->y, NULL };
    b->solver = solver_create(type, &problem, &options, failure);
    return b->solver;
}

static bool handle(Bench *b, const HybridProblem *p, double t)
{
    EventInfo info = { .next_time = INFINITY };
    solver_interpolate(b->solver, t, b->y);
    p->type.event(&b->model, t, b->y, &info);
    b->next_time = info.next_time;
    RestartHint hint = info.y_changed ? RESTART_JUMP : info.rhs_changed ? RESTART_RHS : RESTART_KEEP;
    return solver_restart(b->solver, t, b->y, NULL, hint);
}

static bool integrate(Bench *b, const HybridProblem *p, HybridRun *run)
{
    while (run->events + run->time_events < MOST_EVENTS) {
        double limit = fmin(p->t_end, b->next_time);
        StepStatus status = solver_step(b->solver, limit);
        if (status == STEP_FAILED) return false;
        if (status == STEP_ROOT) {
            run->events++;
            if (!handle(b, p, solver_t_root(b->solver))) return false;
        } else if (status == STEP_LIMIT && limit >= p->t_end) {
            return true;
        } else if (status == STEP_LIMIT) {
            run->time_events++;
            if (!handle(b, p, limit)) return false;
        }
    }
    return false;
}

void hybrid_run(const HybridProblem *p, const SolverType *type, Starter starter, double tol,
                const double *reference, double *end, HybridRun *run)
{
    Arena *arena = arena_new();
    Bench b;
    *run = (HybridRun){ 0 };
    double start = clock_cpu();
    bool made = make(&b, p, type, starter, tol, arena, &run->failure);
    run->finished = made && integrate(&b, p, run);
    run->seconds = clock_cpu() - start;
    if (made) {
        run->stats = solver_stats(b.solver);
        run->failure = *solver_failure(b.solver);
        for (int i = 0; i < p->n && reference; i++)
            run->error =
                fmax(run->error, fabs(solver_y(b.solver)[i] - reference[i]) / (fabs(reference[i]) + 1.0));
        if (end) memcpy(end, solver_y(b.solver), (size_t)p->n * sizeof *end);
        solver_destroy(b.solver);
    }
    arena_free(arena);
}

void hybrid_time(const HybridProblem *p, const SolverType *type, Starter starter, double tol,
                 const double *reference, HybridRun *run)
{
    hybrid_run(p, type, starter, tol, reference, NULL, run);
    double spent = run->seconds;
    for (int k = 1; k < REPEATS && run->finished && spent < ENOUGH; k++) {
        HybridRun again;
        hybrid_run(p, type, starter, tol, reference, NULL, &again);
        spent += again.seconds;
        run->seconds = fmin(run->seconds, again.seconds);
    }
}

bool hybrid_reference(const HybridProblem *p, double *end)
{
    HybridRun run;
    if (p->exact) {
        p->exact(end);
        return true;
    }
    bool plain = !p->mass && !(solver_find(p->solver)->can & SOLVE_STIFF);
    hybrid_run(p, solver_find(plain ? "dop853" : "radau"), STARTER_AUTO, REFERENCE_TOLERANCE, NULL, end,
               &run);
    return run.finished;
}
