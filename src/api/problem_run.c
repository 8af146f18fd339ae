/* problem_run.c: runs a problem of the caller: steps, rows, events, the solution in between.
 *
 * In: an AcausalIntegrator. Out: arrays that belong to it until the next call. A piece is the
 * solution over one step, at Chebyshev points, which hold any polynomial of their degree to
 * rounding, whatever the method's own form is. Always: rows are in order of time; an event that
 * is not terminal leaves rows and pieces as they would be without it. Cost: a piece takes as
 * many rows as its polynomial has coefficients. Tests: tests/api/problem_test.c,
 * tests/python/solve_test.py. */
#include "api/problem.h"

#include <math.h>
#include <stdlib.h>

static const double PROGRESS_SECONDS = 0.1;

/* ---- arrays that grow ------------------------------------------------------------------------ */

static void *heap_more(Course *path, Heap *heap, size_t bytes)
{
    if (heap->n + bytes > heap->room) {
        size_t room = 2 * (heap->n + bytes) + 512;
        void *at = realloc(heap->at, room);
        path->no_memory |= !at;
        if (!at) return NULL;
        heap->at = at;
        heap->room = room;
    }
    heap->n += bytes;
    return (char *)heap->at + heap->n - bytes;
}

static void heap_add(Course *path, Heap *heap, const void *from, size_t bytes)
{
    void *to = heap_more(path, heap, bytes);
    if (to) memcpy(to, from, bytes);
}

static Heap *const *heaps_of(Course *path, Heap *list[8])
{
    Heap *all[8] = { &path->times,    &path->values,      &path->event_times,  &path->event_values,
                     &path->event_of, &path->piece_times, &path->piece_values, &path->piece_nodes };
    memcpy(list, all, sizeof all);
    return list;
}

void course_free(Course *path)
{
    Heap *list[8];
    for (size_t k = 0; k < COUNT_OF(list); k++) free(heaps_of(path, list)[k]->at);
}

static void path_clear(Course *path)
{
    Heap *list[8];
    for (size_t k = 0; k < COUNT_OF(list); k++) heaps_of(path, list)[k]->n = 0;
    path->no_memory = false;
    path->message[0] = '\0';
}

/* ---- a run ----------------------------------------------------------------------------------- */

typedef struct {
    AcausalIntegrator *it;
    const AcausalAdvance *a;
    double sign; /* of the direction of time */
    size_t next; /* of the times asked for */
    long steps;
    double shown; /* clock */
} Advance;

/* Whether a comes before b. */
static bool is_before(const Advance *r, double a, double b) { return (b - a) * r->sign > 0.0; }

static void add_row(AcausalIntegrator *it, double t, const double *y)
{
    heap_add(&it->path, &it->path.times, &t, sizeof t);
    heap_add(&it->path, &it->path.values, y, it->width * sizeof *y);
}

/* Rows at the times asked for, from `from` (a beginning: with it) to t. */
static void add_rows_until(Advance *r, double t)
{
    AcausalIntegrator *it = r->it;
    for (; r->next < r->a->time_count && !is_before(r, t, r->a->times[r->next]); r->next++) {
        solver_interpolate(it->solver, r->a->times[r->next], it->row);
        add_row(it, r->a->times[r->next], it->row);
    }
}

/* How many points hold the polynomial of the last step. */
static int node_count(const AcausalIntegrator *it)
{
    SolverStats stats = solver_stats(it->solver);
    const SolverType *type = stats.method ? stats.method : it->solver_type;
    int degree = type->dense_order > 5 ? type->dense_order : 5; /* Hermite's quintic at most */
    if ((type->can & (SOLVE_MULTISTEP | SOLVE_FOREIGN)) && stats.order_last + 1 > degree)
        degree = stats.order_last + 1;
    return degree + 1;
}

static void add_piece(AcausalIntegrator *it, double to)
{
    Course *path = &it->path;
    int nodes = node_count(it);
    size_t bytes = it->width * sizeof(double);
    double *values = heap_more(path, &path->piece_values, (size_t)nodes * bytes);
    if (path->piece_times.n == 0) heap_add(path, &path->piece_times, &it->from, sizeof it->from);
    heap_add(path, &path->piece_times, &to, sizeof to);
    heap_add(path, &path->piece_nodes, &nodes, sizeof nodes);
    for (int i = 0; values && i < nodes; i++) {
        double share = 0.5 * (1.0 - cos(3.14159265358979323846 * i / (nodes - 1)));
        double t = i == nodes - 1 ? to : it->from + share * (to - it->from);
        solver_interpolate(it->solver, t, values + (size_t)i * it->width);
    }
}

/* The solution is known until t: rows and piece of it. */
static void add_until(Advance *r, double t)
{
    AcausalIntegrator *it = r->it;
    if (r->a->pieces) add_piece(it, t);
    if (r->a->times) {
        add_rows_until(r, t);
    } else {
        solver_interpolate(it->solver, t, it->row);
        add_row(it, t, it->row);
    }
    it->from = it->t = t;
    it->is_fresh = false;
}

/* Notes what happened at a root. True: it ends the run. */
static bool note_events(Advance *r)
{
    AcausalIntegrator *it = r->it;
    const AcausalProblem *p = &it->problem;
    const signed char *found = solver_roots(it->solver);
    double t = solver_t_root(it->solver);
    bool ends = false;
    solver_interpolate(it->solver, t, it->row);
    for (int k = 0; k < (int)p->indicators; k++) {
        if (!found[k]) continue;
        it->seen[k]++;
        it->events++;
        ends |= p->terminal && p->terminal[k] > 0 && it->seen[k] % p->terminal[k] == 0;
        heap_add(&it->path, &it->path.event_times, &t, sizeof t);
        heap_add(&it->path, &it->path.event_values, it->row, it->width * sizeof *it->row);
        heap_add(&it->path, &it->path.event_of, &k, sizeof k);
    }
    it->t = t;
    return ends;
}

/* Between steps: whether the caller wants it back. */
static bool is_stopped(Advance *r)
{
    const AcausalAdvance *a = r->a;
    if (a->progress) {
        double now = clock_wall();
        if (now - r->shown > PROGRESS_SECONDS) {
            r->shown = now;
            a->progress(a->arg, r->it->t);
        }
    }
    return a->interrupt && *a->interrupt;
}

static AcausalEnd break_off(AcausalIntegrator *it, const char *why)
{
    snprintf(it->path.message, sizeof it->path.message, "%s", why);
    return ACAUSAL_BROKEN_OFF;
}

static AcausalEnd advance_to(Advance *r)
{
    AcausalIntegrator *it = r->it;
    double until = r->a->until;
    for (;;) {
        if (is_stopped(r)) return ACAUSAL_INTERRUPTED;
        StepStatus status = solver_step(it->solver, until);
        if (status == STEP_FAILED) return break_off(it, solver_failure(it->solver)->text);
        if (status == STEP_ROOT) {
            bool ends = note_events(r);
            it->is_fresh = false;
            if (ends) add_until(r, it->t);
            if (it->path.no_memory) return break_off(it, "no memory for the result");
            if (ends) return ACAUSAL_AT_EVENT;
            continue;
        }
        add_until(r, status == STEP_LIMIT ? until : solver_t(it->solver));
        if (it->path.no_memory) return break_off(it, "no memory for the result");
        bool stops = r->a->step && r->a->step(r->a->arg, it->t, solver_y(it->solver));
        if (stops) return ACAUSAL_INTERRUPTED;
        if (status == STEP_LIMIT) return ACAUSAL_AT_LIMIT;
        if (++r->steps == r->a->steps) return ACAUSAL_AT_STEP;
    }
}

/* Rows of the beginning, and times that lie behind. */
static void begin_rows(Advance *r)
{
    AcausalIntegrator *it = r->it;
    const AcausalAdvance *a = r->a;
    while (r->next < a->time_count && is_before(r, a->times[r->next], it->t)) r->next++;
    if (!it->is_fresh) {
        while (r->next < a->time_count && a->times[r->next] == it->t) r->next++;
        return;
    }
    it->from = it->t;
    if (!a->times) add_row(it, it->t, solver_y(it->solver));
    for (; r->next < a->time_count && a->times[r->next] == it->t; r->next++)
        add_row(it, it->t, solver_y(it->solver));
}

AcausalStatus acausal_integrator_run(AcausalIntegrator *it, const AcausalAdvance *given, AcausalPath *path)
{
    AcausalAdvance own = { .until = it->problem.t_end };
    if (!TAKE(it->session, own, given) || !is_sized(it->session, path)) return ACAUSAL_USAGE;
    Course *p = &it->path;
    if (!own.times) own.time_count = 0;
    Advance r = { .it = it, .a = &own, .sign = own.until < it->t ? -1.0 : 1.0, .shown = clock_wall() };
    path_clear(p);
    begin_rows(&r);
    AcausalEnd end = own.until == it->t ? ACAUSAL_AT_LIMIT : advance_to(&r);
    solver_interpolate(it->solver, it->t, it->row);
    size_t pieces = p->piece_nodes.n / sizeof(int);
    AcausalPath report = { .end = end,
                           .t = it->t,
                           .y = it->row,
                           .width = it->width,
                           .rows = p->times.n / sizeof(double),
                           .times = p->times.at,
                           .values = p->values.at,
                           .events = p->event_of.n / sizeof(int),
                           .event_times = p->event_times.at,
                           .event_values = p->event_values.at,
                           .event_of = p->event_of.at,
                           .pieces = pieces,
                           .piece_times = p->piece_times.at,
                           .piece_values = p->piece_values.at,
                           .piece_nodes = p->piece_nodes.at,
                           .message = p->message };
    GIVE(path, report);
    return end == ACAUSAL_BROKEN_OFF ? ACAUSAL_FAILED : ACAUSAL_DONE;
}

void acausal_integrator_interpolate(const AcausalIntegrator *it, double t, double *y)
{
    solver_interpolate(it->solver, t, y);
}

AcausalStatus acausal_integrator_restart(AcausalIntegrator *it, double t, const double *y, const double *yp,
                                         bool jump)
{
    it->t = it->from = t;
    it->is_fresh = true;
    if (solver_restart(it->solver, t, y, yp, jump ? RESTART_JUMP : RESTART_RHS)) return ACAUSAL_DONE;
    wrong(it->session, E_OPTION, "%s", solver_failure(it->solver)->text);
    return ACAUSAL_FAILED;
}

void acausal_integrator_work(AcausalIntegrator *it, AcausalWork *work)
{
    SolverStats s = solver_stats(it->solver);
    AcausalWork own = { .steps = s.steps,
                        .rejected = s.rejected_error + s.rejected_newton + s.rejected_model,
                        .f = s.f + it->extra_calls,
                        .f_jacobian = s.f_jacobian,
                        .jacobians = s.jacobians,
                        .factors = s.factors,
                        .solves = s.solves,
                        .newton = s.newton,
                        .indicators = s.indicators,
                        .events = it->events,
                        .restarts = s.restarts,
                        .first_step = s.h_first,
                        .last_step = s.h_last,
                        .least_step = s.h_least,
                        .most_step = s.h_most,
                        .order_last = s.order_last,
                        .order_most = s.order_most,
                        .solver = it->solver_type->name };
    snprintf(it->choice, sizeof it->choice, "%s", s.choice);
    snprintf(it->warning, sizeof it->warning, "%s", s.warning);
    own.choice = it->choice;
    own.warning = it->warning;
    if (is_sized(NULL, work)) GIVE(work, own);
}
