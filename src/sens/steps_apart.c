/* steps_apart.c: differences of runs over the same steps: internal numerical differentiation.
 *
 * In: held steps (steps.c), instances of a model with one parameter moved. Out: derivatives of
 * values at the end. Cost: four runs a parameter without factorisations, and one for every few with
 * them. Source: Bock 1981; Bock 1987. Tests: tests/sens/steps_test.c, derivatives_test.c. */
#include "sens/inside.h"

#include <math.h>
#include <stdio.h>

/* Central differences of fourth order, of runs moved by h and 2 h to both sides. The map is smooth
 * to rounding, so increments may be wide; as for Jacobians, curvature chooses them: two differences
 * of second order tell what bends, and h shrinks while that is much, or while a run moved so far
 * has other events; what bends least is taken. Several runs go in parallel with the one that is
 * not moved, a step at a time: its factors serve the Newton iterations of all of them. Invariant:
 * increments are powers of two, and exact differences of the parameters. */

enum { RUNS = 4, SIDE_BY_SIDE = 32 };
static const double ways[RUNS] = { 1, -1, 2, -2 };
static const double WIDEST = 2e-4, LEAST = 1e-9, NARROWER = 0.25; /* increments, of the parameter */
static const double STRAIGHT =
    1e-6; /* what bends is less than that, and so is the error, of whatever order it is */

typedef struct {
    Track track;
    Model *model;
    int parameter;
    bool is_lost;
    double *values; /* by what is differentiated */
} Run;

typedef struct {
    Arena *arena;
    SensSteps *held;
    const SensApart *job;
    double *d;
    Rk rk;
    Jump jump;
    double *values;
    double *h, *bend; /* by parameter: the present increment; of the best result so far */
    double *moved;    /* by parameter, run, and what is differentiated */
    bool *is_done, *is_lost;
} Apart;

/* ---- runs ------------------------------------------------------------------------------------ */

/* Where an event ended the run it is for the time that it ended at when nothing was moved. */
static bool value_at_end(Apart *w, Model *model, Track *track, double *to)
{
    double t = w->held->t_end, way = t - track->t;
    if (track->inputs) sim_inputs_set(track->inputs, track->t);
    if (way != 0.0 && model->type->derivatives(model, track->t, track->x, track->f) != EVAL_OK) return false;
    for (int i = 0; i < w->held->n && way != 0.0; i++)
        if (!w->rk.mass || w->rk.mass[i] != 0.0)
            track->x[i] += way * track->f[i] / (w->rk.mass ? w->rk.mass[i] : 1.0);
    if (model->type->values(model, t, track->x, w->values) != EVAL_OK) return false;
    for (int i = 0; i < w->job->of_count; i++) {
        const ModelVariable *v = &model->shape.variables[w->job->of[i]];
        to[i] = v->negated ? -w->values[v->slot] : w->values[v->slot];
    }
    return true;
}

static bool pass_events(Track *track)
{
    EventInfo info;
    while (track_due(track))
        if (!track_event(track, &info)) return false;
    return true;
}

static bool begin(Track *track)
{
    EventInfo info;
    return track_begin(track, &info) && pass_events(track);
}

/* Stages and events of the run that is not moved. */
static bool settle(Apart *w, double *values)
{
    Track track;
    bool ok = track_init(&track, w->arena, w->held, w->job->model, &w->rk, &w->jump) && begin(&track);
    while (ok && track.step < w->held->steps.n) {
        ok = track_step(&track);
        if (ok) track_advance(&track);
        if (ok) ok = pass_events(&track);
    }
    w->held->is_settled = true;
    return ok && value_at_end(w, w->job->model, &track, values);
}

/* The run that is not moved lends its factors. */
static bool lend(Apart *w, Track *own) { return track_repeat(own) && rk_hold(&w->rk); }

static void step_all(Apart *w, Track *own, Run *runs, int count)
{
    bool is_implicit = w->held->is_implicit;
    for (int k = 0; k < count; k++) {
        Run *run = &runs[k];
        if (run->is_lost) continue;
        run->is_lost = is_implicit && !w->rk.is_held && !lend(w, own);
        if (!run->is_lost) run->is_lost = !track_step(&run->track);
        if (!run->is_lost) track_advance(&run->track);
        if (!run->is_lost) run->is_lost = !pass_events(&run->track);
    }
}

/* From their beginning to the end, in parallel. */
static bool run_all(Apart *w, Run *runs, int count)
{
    const SensApart *job = w->job;
    Track own;
    char why[sizeof w->held->why] = "";
    Model *model = job->instance(job->arg, -1, 0.0);
    bool ok = model && track_init(&own, w->arena, w->held, model, &w->rk, NULL) && begin(&own);
    for (int k = 0; k < count && ok; k++)
        runs[k].is_lost = !track_init(&runs[k].track, w->arena, w->held, runs[k].model, &w->rk, NULL) ||
                          !begin(&runs[k].track);
    while (ok && own.step < w->held->steps.n) {
        w->rk.is_held = false;
        step_all(w, &own, runs, count);
        memcpy(why, w->held->why, sizeof why);
        ok = track_repeat(&own);
        if (ok) track_advance(&own);
        if (ok) ok = pass_events(&own);
    }
    for (int k = 0; k < count && ok; k++)
        if (!runs[k].is_lost)
            runs[k].is_lost = !value_at_end(w, runs[k].model, &runs[k].track, runs[k].values);
    if (ok) memcpy(w->held->why, why, sizeof why);
    if (model) job->release(job->arg, model);
    return ok;
}

/* ---- differences ----------------------------------------------------------------------------- */

/* Those of a parameter, and what they tell of how much bends; better ones replace those before. */
static void take_differences(Apart *w, int j)
{
    const SensApart *job = w->job;
    int of = job->of_count, m = job->count;
    double worst = 0.0, h = w->h[j];
    double *moved = w->moved + (ptrdiff_t)j * RUNS * of;
    for (int i = 0; i < of; i++) {
        double near = (moved[i] - moved[of + i]) / (2.0 * h),
               far = (moved[2 * of + i] - moved[3 * of + i]) / (4.0 * h);
        double all = fmax(fabs(near), fabs(far));
        if (all > 0.0) worst = fmax(worst, fabs(near - far) / (3.0 * all));
    }
    if (!(worst < w->bend[j])) {
        w->is_done[j] = w->bend[j] < 1.0; /* narrower ones are no better: rounding */
        return;
    }
    w->bend[j] = worst;
    w->is_done[j] = worst <= STRAIGHT;
    for (int i = 0; i < of; i++) {
        double near = (moved[i] - moved[of + i]) / (2.0 * h),
               far = (moved[2 * of + i] - moved[3 * of + i]) / (4.0 * h);
        w->d[i * m + j] = (4.0 * near - far) / 3.0;
    }
}

static double increment(double p, double relative)
{
    double size = p != 0.0 ? fabs(p) : 1.0;
    return copysign(exp2(round(log2(relative * size))), p >= 0.0 ? 1.0 : -1.0);
}

/* All parameters that are not done yet, a few runs at a time. */
static bool try_width(Apart *w, double width)
{
    const SensApart *job = w->job;
    ArenaMark mark = arena_mark(w->arena);
    Run *runs = NEW_ARRAY(w->arena, Run, SIDE_BY_SIDE);
    bool ok = true;
    int next = 0;
    while (next < RUNS * job->count && ok) {
        int count = 0;
        ArenaMark inner = arena_mark(w->arena);
        for (; next < RUNS * job->count && count < SIDE_BY_SIDE && ok; next++) {
            int j = next / RUNS;
            if (w->is_done[j]) continue;
            w->h[j] = increment(job->p[j], width);
            if (next % RUNS == 0) w->is_lost[j] = false;
            Model *model = job->instance(job->arg, j, job->p[j] + ways[next % RUNS] * w->h[j]);
            runs[count++] =
                (Run){ .model = model, .parameter = j, .values = w->moved + (ptrdiff_t)next * job->of_count };
            ok = model;
        }
        if (ok && count) ok = run_all(w, runs, count);
        for (int k = 0; k < count; k++) {
            w->is_lost[runs[k].parameter] |= runs[k].is_lost;
            if (runs[k].model) job->release(job->arg, runs[k].model);
        }
        arena_rewind(w->arena, inner);
    }
    for (int j = 0; j < job->count && ok; j++)
        if (!w->is_done[j] && !w->is_lost[j]) take_differences(w, j);
    arena_rewind(w->arena, mark);
    return ok;
}

bool sens_steps_apart(SensSteps *held, const SensApart *job, double *values, double *d, char *warning,
                      size_t room)
{
    size_t m = (size_t)job->count, of = (size_t)job->of_count;
    Arena *arena = arena_new();
    Apart *w = arena ? NEW(arena, Apart) : NULL;
    if (!w) return snprintf(held->why, sizeof held->why, "no memory"), false;
    *w = (Apart){ .arena = arena, .held = held, .job = job, .d = d };
    int *variables = outputs_variables(arena, job->model, job->wrt, job->count);
    int all = job->count + job->model->shape.discrete_count;
    rk_init(&w->rk, arena, job->model, &held->tableau, variables, all);
    jump_init(&w->jump, arena, job->model, variables, all);
    w->values = NEW_ARRAY(arena, double, (size_t)job->model->shape.value_count + 1);
    w->h = NEW_ARRAY(arena, double, m + 1);
    w->bend = NEW_ARRAY(arena, double, m + 1);
    w->moved = NEW_ARRAY(arena, double, m *of *RUNS + 1);
    w->is_done = NEW_ARRAY(arena, bool, m + 1);
    w->is_lost = NEW_ARRAY(arena, bool, m + 1);
    for (size_t j = 0; j < m; j++) w->bend[j] = INFINITY;
    bool ok = settle(w, values);
    for (double width = WIDEST; width >= LEAST && ok; width *= NARROWER) ok = try_width(w, width);
    for (size_t j = 0; j < m && ok; j++) ok = isfinite(w->bend[j]);
    snprintf(warning, room, "%s", w->jump.warning);
    rk_free(&w->rk);
    arena_free(arena);
    return ok;
}
