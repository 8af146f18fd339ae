/* integrate.c: from one communication point to the next, with the events between them.
 *
 * The integrator goes by its own steps. Where a step ends after a communication point, the values
 * there are interpolated and the step counts for the next one: communication costs no steps. When
 * an input changes, it goes on from the point itself. Models with histories are not stepped beyond.
 * An event is where an indicator leaves its side: bracketed on the interpolant, taken at the right
 * end. Always: all that changes lies in one array of doubles, so it can be saved. Tests:
 * tests/unit/integrate_test.c. */
#include "unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As in process: the tolerance is for the result, integrators control the error of one step. */
static const double STEP_SHARE = 0.1, ABSOLUTE_SHARE = 0.01;
/* ahead: communication steps, where the end is not known */
enum { MOST_TRIALS = 100, MOST_AHEAD = 100 };
static const double MOST_STEP_EMPTY = 500; /* and one where only time moves */
/* a model with indicators is looked at this often at least */
static const double MOST_STEP_SHARE = 50;
/* of the run's length: an event this near to a point is at it */
static const double SAME_TIME = 1e-13;

static const double FIRST_LOOK = 1e-9; /* of a step */

/* The first doubles of the store. */
enum {
    FRONT,
    H,
    NEXT_TIME,
    MAX_STEP,
    IS_EVENT,
    SPAN,
    NOTE_STEP,
    H_LAST,
    HEAD
}; /* SPAN: of the run; 0: not known */

struct UnitIntegrator {
    const UnitMethod *method;
    UnitProblem p;
    int indicators;
    double fixed;
    double *store, *scale;
    size_t count;
    double *y, *g; /* at the front: states, indicators */
    /* of indicators: their sign counts; of the method */
    double *side, *room;
    double *trial, *g_low, *g_try, *g_begin, *work; /* g_begin: where a step began */
};

static const UnitMethod *const methods[] = { &unit_erk, &unit_radau, &unit_euler };

double unit_least_step(double t) { return 16 * 2.3e-16 * fabs(t); }

const UnitMethod *unit_method(const char *name)
{
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        if (!strcmp(methods[k]->name, name)) return methods[k];
    return NULL;
}

UnitIntegrator *unit_integrator_new(RunInstance *run, double tolerance, const char *method, double fixed)
{
    const RunModel *m = run_model(run);
    UnitIntegrator *i = calloc(1, sizeof *i);
    if (!i) return NULL;
    size_t n = m->state_count, g = m->indicator_count;
    i->method = unit_method(method);
    if (!i->method) i->method = &unit_erk;
    i->count = HEAD + n + 2 * g + i->method->room((int)n);
    i->store = calloc(i->count + 5 * n + 3 * g + 1, sizeof *i->store);
    i->fixed = fixed;
    i->indicators = (int)g;
    if (!i->store) {
        free(i);
        return NULL;
    }
    i->y = i->store + HEAD;
    i->g = i->y + n;
    i->side = i->g + g;
    i->room = i->side + g;
    i->trial = i->store + i->count;
    i->g_low = i->trial + n;
    i->g_try = i->g_low + g;
    i->g_begin = i->g_try + g;
    i->scale = i->g_begin + g;
    i->work = i->scale + n;
    for (size_t k = 0; k < n; k++) i->scale[k] = ABSOLUTE_SHARE * tolerance * run_nominal(run, m->states[k]);
    i->p = (UnitProblem){ run, (int)n, tolerance, STEP_SHARE * tolerance, i->scale };
    return i;
}

void unit_integrator_free(UnitIntegrator *i)
{
    if (!i) return;
    free(i->store);
    free(i);
}

double *unit_integrator_store(UnitIntegrator *i, size_t *count)
{
    *count = i->count;
    return i->store;
}

static void take_sides(UnitIntegrator *i, double t, const double *y)
{
    if (i->indicators && run_indicators(i->p.run, t, y, i->g) == RUN_OK)
        memcpy(i->side, i->g, (size_t)i->indicators * sizeof *i->side);
}

void unit_integrator_restart(UnitIntegrator *i, double t, const double *y, const RunEvent *event)
{
    i->store[FRONT] = t;
    i->store[IS_EVENT] = 0;
    i->store[NEXT_TIME] = event->next_time;
    i->store[MAX_STEP] = event->max_step;
    if (event->y_changed && !event->states_selected) i->store[H] = 0;
    memcpy(i->y, y, (size_t)i->p.n * sizeof *y);
    i->method->restart(&i->p, i->room);
    take_sides(i, t, y);
}

static int has_crossed(const UnitIntegrator *i, const double *g)
{
    for (int k = 0; k < i->indicators; k++)
        if ((g[k] > 0) != (i->side[k] > 0)) return 1;
    return 0;
}

int unit_integrator_input(UnitIntegrator *i, double t, const double *y)
{
    i->store[FRONT] = t;
    i->store[IS_EVENT] = 0;
    memcpy(i->y, y, (size_t)i->p.n * sizeof *y);
    i->method->restart(&i->p, i->room);
    return i->indicators && run_indicators(i->p.run, t, y, i->g) == RUN_OK && has_crossed(i, i->g);
}

/* How far from `low` to `high` the first indicator that left its side seems to be zero. */
static double fraction(const UnitIntegrator *i)
{
    double least = 1;
    for (int k = 0; k < i->indicators; k++) {
        double low = i->g_low[k], high = i->g[k], own = low / (low - high);
        if ((high > 0) != (i->side[k] > 0) && own >= 0 && own < least) least = own;
    }
    return least;
}

/* States inside of the last step; with slopes that are right, if asked for. */
static void between(UnitIntegrator *i, double t, int is_sharp, double *y)
{
    i->method->interpolate(&i->p, i->room, t, y);
    if (is_sharp) unit_sharpen(&i->p, i->method, i->room, t, i->store[H_LAST], y, i->work);
}

/* The earliest place in (low, high] where an indicator has left its side; at `high`, where g is,
 * one has. The front moves there. */
static RunStatus bracket(UnitIntegrator *i, double low, double high, int is_sharp)
{
    size_t bytes = (size_t)i->indicators * sizeof *i->g;
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        double width = high - low, least = 4 * 2.3e-16 * fmax(fabs(low), fabs(high));
        if (width <= least) break;
        double part = trial % 3 == 2 ? 0.5 : fmin(0.99, fmax(0.01, fraction(i)));
        double t = low + part * width;
        if (trial % 3 != 2) t = fmin(t + least, 0.5 * (t + high)); /* rather a little after it */
        if (t <= low || t >= high) break;
        between(i, t, is_sharp, i->y);
        RunStatus status = run_indicators(i->p.run, t, i->y, i->g_try);
        if (status != RUN_OK) return status;
        if (has_crossed(i, i->g_try)) {
            high = t;
            memcpy(i->g, i->g_try, bytes);
        } else {
            low = t;
            memcpy(i->g_low, i->g_try, bytes);
        }
    }
    i->store[FRONT] = high;
    return RUN_OK;
}

/* Whether an indicator has left its side at a time inside of the last step, by states with slopes
 * that are right; -1: no number. At `high` the states are those of the step's end. */
static int is_behind(UnitIntegrator *i, double t, double high)
{
    if (t < high)
        between(i, t, 1, i->y);
    else
        memcpy(i->y, i->trial, (size_t)i->p.n * sizeof *i->y);
    return run_indicators(i->p.run, t, i->y, i->g_try) == RUN_OK ? has_crossed(i, i->g_try) : -1;
}

/* Where the last step, from `low` to `high`, has its event. States of a stiff method err between
 * its points, by more than an indicator may be large: what they say is only where to look first, in
 * steps that grow from there. */
static RunStatus find_event(UnitIntegrator *i, double low, double high)
{
    size_t bytes = (size_t)i->indicators * sizeof *i->g;
    memcpy(i->g_begin, i->g_low, bytes);
    RunStatus status = bracket(i, low, high, 0);
    if (status != RUN_OK || !i->method->filter || !i->p.n) {
        if (i->store[FRONT] == high) memcpy(i->y, i->trial, (size_t)i->p.n * sizeof *i->y);
        return status;
    }
    double first = i->store[FRONT], left = low, right = high, way = FIRST_LOOK * (high - low);
    int seems = is_behind(i, first, high), now = seems;
    memcpy(i->g_low, i->g_begin, bytes);
    for (double t = first; now >= 0; way *= 16) {
        memcpy(now ? i->g : i->g_low, i->g_try, bytes);
        if (now)
            right = t;
        else
            left = t;
        if (now != seems) break;
        t = seems ? fmax(first - way, low) : fmin(first + way, high);
        if (t <= low) break;
        now = is_behind(i, t, high);
    }
    if (now < 0) return RUN_RETRY;
    status = bracket(i, left, right, 1);
    is_behind(i, i->store[FRONT], high);
    return status;
}

static void along(const void *arg, double t, double *y)
{
    const UnitIntegrator *i = arg;
    if (i->p.n) i->method->interpolate(&i->p, i->room, t, y);
}

/* One step of the method; the front is its end, or the event inside of it. */
static RunStatus go_on(UnitIntegrator *i, double limit)
{
    double t = i->store[FRONT], t_new = limit, h = i->store[H];
    if (i->method->is_fixed) h = i->fixed;
    double most = i->store[MAX_STEP] > 0 ? i->store[MAX_STEP] : INFINITY;
    if (i->indicators && i->store[SPAN] > 0)
        most = fmin(most, i->store[SPAN] / (i->p.n ? MOST_STEP_SHARE : MOST_STEP_EMPTY));
    limit = fmin(limit, t + most);
    RunStatus status = RUN_OK;
    if (i->p.n) {
        status = i->method->step(&i->p, i->room, t, i->y, &h, limit, &t_new, i->trial);
        if (status != RUN_OK) return status;
        i->store[H] = h;
        i->store[H_LAST] = t_new - t;
        memcpy(i->y, i->trial, (size_t)i->p.n * sizeof *i->y);
    }
    i->store[FRONT] = t_new;
    if (i->indicators) {
        memcpy(i->g_low, i->g, (size_t)i->indicators * sizeof *i->g);
        status = run_indicators(i->p.run, t_new, i->y, i->g);
        if (status != RUN_OK) return status;
        if (has_crossed(i, i->g)) {
            status = find_event(i, t, t_new);
            i->store[IS_EVENT] = 1;
        }
    }
    if (status != RUN_OK) return status;
    unit_note_between(i->p.run, i->p.tolerance, i->store[SPAN], t, i->store[FRONT], along, i, i->trial,
                      &i->store[NOTE_STEP]);
    if (run_accepted(i->p.run, i->store[FRONT], i->y)) i->store[IS_EVENT] = 1;
    if (i->store[FRONT] >= i->store[NEXT_TIME]) i->store[IS_EVENT] = 1;
    return RUN_OK;
}

Advance unit_integrator_advance(UnitIntegrator *i, double to, double end, double *t, double *y)
{
    int may_look_ahead = run_model(i->p.run)->history_count == 0 && i->p.n > 0;
    for (;;) {
        double front = i->store[FRONT];
        double near = i->store[IS_EVENT] != 0 ? fmax(unit_least_step(to), SAME_TIME * i->store[SPAN]) : 0;
        if (front > to + near) {
            *t = to;
            between(i, to, 1, y);
            return ADVANCED;
        }
        *t = front;
        memcpy(y, i->y, (size_t)i->p.n * sizeof *y);
        if (i->store[IS_EVENT] != 0) return ADVANCED_EVENT;
        if (front >= to) return ADVANCED;
        if (isfinite(end) && i->store[SPAN] == 0) i->store[SPAN] = end - front;
        double ahead = isfinite(end) ? fmax(end, to) : front + MOST_AHEAD * (to - front);
        /* a time event there is at it */
        double reach = to + fmax(unit_least_step(to), SAME_TIME * i->store[SPAN]);
        double limit = fmin(may_look_ahead ? ahead : reach, i->store[NEXT_TIME]);
        if (!may_look_ahead && limit == reach) limit = to;
        if (go_on(i, limit) != RUN_OK) return ADVANCED_FAILED;
    }
}
