/* between.c: what operators with a history remember of the time between the points that an importer
 * or an integrator shows.
 *
 * In model exchange the FMU sees the ends of steps only. It keeps states and their derivatives at
 * the last of them, so that the way between two is a cubic polynomial; along it signals are noted
 * as near as they ask for (rt/between.c). Integrators of co-simulation bring a way of their own.
 * Nothing is done, and nothing costs anything, in models without them. Tests:
 * tests/cli/export.sh. */
#include "unit/unit.h"

#include <math.h>
#include <string.h>

static const double LEAST_NOTE = 1e-8;      /* of the run's length: notes are not nearer */
static const double LEAST_NOTE_STEP = 1e-6; /* of the step, where that is not known */

/* The kept point: the doubles of u->past. */
enum { NOTE_STEP, T, HEAD };
size_t unit_past_room(void) { return HEAD + 2 * (size_t)unit_model.run->state_count; }

typedef struct {
    RunInstance *run;
    UnitWay way;
    const void *arg;
    double *y;
} Notes;

static double extrapolation_error_at(void *arg, double t)
{
    Notes *n = arg;
    n->way(n->arg, t, n->y);
    return run_extrapolation_error(n->run, t, n->y);
}

static void note_at(void *arg, double t)
{
    Notes *n = arg;
    run_accepted(n->run, t, n->y);
}

void unit_note_between(RunInstance *run, double tolerance, double span, double from, double to, UnitWay way,
                       const void *arg, double *y, double *step)
{
    Notes n = { run, way, arg, y };
    double least = span > 0 && isfinite(span) ? LEAST_NOTE * span : LEAST_NOTE_STEP * (to - from);
    RtBetween b = { tolerance, least, extrapolation_error_at, note_at, &n };
    if (run_model(run)->history_count && to > from) rt_note_between(&b, from, to, step);
}

/* ---- model exchange -------------------------------------------------------------------------- */

typedef struct {
    double t0, t1;
    const double *y0, *f0, *y1, *f1;
    size_t n;
} Cubic;

static void along(const void *arg, double t, double *y)
{
    const Cubic *c = arg;
    double h = c->t1 - c->t0, s = (t - c->t0) / h, r = 1 - s;
    for (size_t k = 0; k < c->n; k++) {
        double change = c->y1[k] - c->y0[k];
        y[k] = c->y0[k] + s * change + s * r * (r * (h * c->f0[k] - change) - s * (h * c->f1[k] - change));
    }
}

/* The present point is the one that the next step begins at. */
void unit_keep_point(UnitInstance *u)
{
    size_t n = unit_model.run->state_count;
    if (!unit_model.run->history_count) return;
    u->past[T] = u->t;
    memcpy(u->past + HEAD, u->y, n * sizeof *u->y);
    u->is_current = 0;
    unit_forget_directions(u);
    if (run_derivatives(u->run, u->t, u->y, u->past + HEAD + n) != RUN_OK)
        memset(u->past + HEAD + n, 0, n * sizeof *u->y);
}

void unit_note_step(UnitInstance *u)
{
    size_t n = unit_model.run->state_count;
    double *f = u->work, *y = u->work + n;
    if (!unit_model.run->history_count || !(u->t > u->past[T])) return;
    u->is_current = 0;
    unit_forget_directions(u);
    if (run_derivatives(u->run, u->t, u->y, f) != RUN_OK) return;
    Cubic c = { u->past[T], u->t, u->past + HEAD, u->past + HEAD + n, u->y, f, n };
    unit_note_between(u->run, u->tolerance, u->stop - u->start, u->past[T], u->t, along, &c, y,
                      &u->past[NOTE_STEP]);
}
