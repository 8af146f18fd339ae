/* steps_back.c: the gradient of a value at the end of a numerical map, back over its steps: the
 * discrete adjoint. */
#include "sens/inside.h"

#include <math.h>
#include <stdio.h>

/* In: held steps (steps.c), a model, a variable v. Out: dv/dp for any number of parameters and
 * start values. How: the transpose of steps_ahead.c, line by line. Weights l of x, m of discrete
 * Reals and c of the time that x belongs to are carried; after an event (r, rt, rp, rd) = R^T (l,
 * m), c += rt; where an event ends a step, with y_h the derivative of its end in its length,
 *     s = c + l y_h,   l -= s g_y / (g_t + g_y y_h),   dv/dp -= s g_p / (g_t + g_y y_h);   time
 *     events: dv/dp += s dT/dp,
 * and the step takes l to its beginning, c = (weight of begin) - (weight of length), since its end
 * stays. Always: equal to steps_ahead.c to rounding; sums over steps are compensated. Cost: the run
 * once more with what is kept of it, a product a stage, an implicit step a factorisation; the state
 * of the model an event. Source: Hager, Numer. Math. 87 (2000); Sandu, ICCS 2006. Tests:
 * tests/sens/steps_test.c, derivatives_test.c. */

/* An event on the way, from before it. */
typedef struct {
    void *saved;
    double *x;
    double t;
} Passed;

typedef struct {
    Arena *arena;
    SensSteps *held;
    Model *model;
    Rk rk;
    RkMove move; /* one direction: the length of a step */
    Jump jump;
    Track track;
    int n, m, discrete;
    int *variables;
    size_t save_size;
    Passed *passed;          /* by event, and one for the end */
    double *t;               /* where each step began */
    double *x, *r, *weights; /* n; maps */
    double *p, *part, *total,
        *lost; /* m + discrete: of a product, of a step; the sum, and what rounding took from it */
    RkBack back;
    double clock; /* the weight of time */
} Back;

static bool fail(Back *w, double t)
{
    const char *words = w->model->type->failure ? w->model->type->failure(w->model) : NULL;
    snprintf(w->held->why, sizeof w->held->why,
             "back over the steps, at t = %.9g: the model cannot be differentiated%s%s", t,
             words && *words ? ": " : "", words ? words : "");
    return false;
}

/* total += factor v, with the error kept (Neumaier, ZAMM 54 (1974)). */
static void gather(Back *w, double factor, const double *v, int count)
{
    for (int j = 0; j < count; j++) {
        double add = factor * v[j], sum = w->total[j] + add;
        w->lost[j] += fabs(w->total[j]) >= fabs(add) ? (w->total[j] - sum) + add : (add - sum) + w->total[j];
        w->total[j] = sum;
    }
}

/* ---- ahead, keeping what is needed ----------------------------------------------------------- */

static void keep(Back *w, Passed *at)
{
    at->saved = arena_alloc(w->arena, w->save_size + 1);
    w->model->type->save(w->model, at->saved);
    at->x = NEW_ARRAY(w->arena, double, (size_t)w->n + 1);
    memcpy(at->x, w->track.x, (size_t)w->n * sizeof(double));
    at->t = w->track.t;
}

static bool go_ahead(Back *w)
{
    Track *track = &w->track;
    EventInfo info;
    if (!track_begin(track, &info)) return false;
    for (;;) {
        while (track_due(track)) {
            keep(w, &w->passed[track->event]);
            if (!track_event(track, &info)) return false;
        }
        w->t[track->step] = track->t;
        if (track->step >= w->held->steps.n) break;
        if (!(w->held->is_settled ? track_repeat(track) : track_step(track))) return false;
        track_advance(track);
    }
    keep(w, &w->passed[w->held->events.n]);
    w->held->is_settled = true;
    return true;
}

/* ---- back ------------------------------------------------------------------------------------ */

static bool back_through(Back *w, ModelMap map, double t, const double *x, ModelChange *gradient)
{
    const ModelType *type = w->model->type;
    return (type->linearise(w->model, map, t, x) == EVAL_OK &&
            type->vjp(w->model, w->weights, gradient) == EVAL_OK) ||
           fail(w, t);
}

/* Weights of unknowns and discrete Reals after a map become those before it. */
static bool back_through_reset(Back *w, ModelMap map, double t, const double *x)
{
    int count = w->m + w->discrete;
    ModelChange g = { .y = w->r, .count = count, .variables = w->variables, .p = w->p };
    memcpy(w->weights, w->back.l, (size_t)w->n * sizeof(double));
    for (int j = 0; j < w->discrete; j++) w->weights[w->n + j] = w->total[w->m + j] + w->lost[w->m + j];
    if (map == MAP_INITIAL) g.y = NULL;
    if (!back_through(w, map, t, x, &g)) return false;
    w->clock += g.t;
    gather(w, 1.0, w->p, w->m);
    memcpy(w->total + w->m, w->p + w->m, (size_t)w->discrete * sizeof(double));
    memset(w->lost + w->m, 0, (size_t)w->discrete * sizeof(double));
    if (map != MAP_INITIAL) memcpy(w->back.l, w->r, (size_t)w->n * sizeof(double));
    return true;
}

static void p_of(void *arg, int stage, int d, double *p)
{
    const Back *w = arg;
    (void)stage, (void)d;
    memset(p, 0, (size_t)(w->m + w->discrete) * sizeof *p);
}

/* What the end of the step in rk, at x, has of the event that it is at. */
static bool back_through_time(Back *w, const HeldEvent *event, const Passed *at)
{
    int count = w->m + w->discrete;
    const double *y_h = w->move.s;
    ModelChange g = { .y = w->r, .count = count, .variables = w->variables, .p = w->p };
    memset(w->move.s, 0, (size_t)w->n * sizeof(double));
    if (!rk_move(&w->rk, &w->move)) return fail(w, at->t);
    double s = w->clock;
    for (int i = 0; i < w->n; i++) s += w->back.l[i] * y_h[i];
    if (event->fired >= 0) {
        memset(w->weights, 0, (size_t)w->held->indicators * sizeof(double));
        w->weights[event->fired] = 1.0;
        if (!back_through(w, MAP_INDICATORS, at->t, at->x, &g)) return false;
        double rate = g.t;
        for (int i = 0; i < w->n; i++) rate += w->r[i] * y_h[i];
        for (int i = 0; i < w->n; i++) w->back.l[i] -= s / rate * w->r[i];
        gather(w, -s / rate, w->p, count);
        return true;
    }
    EventInfo info = { .next_time = INFINITY, .roots = event->roots };
    memcpy(w->x, at->x, (size_t)w->n * sizeof(double));
    if (w->model->type->event(w->model, at->t, w->x, &info) != EVAL_OK) return fail(w, at->t);
    w->weights[0] = s;
    g.y = NULL;
    if (!back_through(w, MAP_EVENT_TIME, at->t, w->x, &g)) return false;
    gather(w, 1.0, w->p, count);
    w->model->type->restore(w->model, at->saved);
    return true;
}

static bool step_back(Back *w, uint32_t k, uint32_t event)
{
    SensSteps *held = w->held;
    const HeldStep *step = &held->steps.at[k];
    const HeldEvent *ends =
        event < held->events.n && held->events.at[event].step == k + 1 ? &held->events.at[event] : NULL;
    const Passed *at = &w->passed[event];
    const uint32_t event_first = event;
    double end = ends ? at->t : step->t;
    if (!rk_load(&w->rk, w->t[k], step->h, step->x, step->stages)) return fail(w, end);
    const HeldEvent *moves = NULL;
    for (; ends && !step->rides && event < held->events.n && held->events.at[event].step == k + 1; event++)
        if (!moves && (held->events.at[event].kind == EVENT_TIME || held->events.at[event].fired >= 0))
            moves = &held->events.at[event];
    if (moves && !back_through_time(w, moves, &w->passed[moves - held->events.at])) return false;
    memset(w->part, 0, (size_t)(w->m + w->discrete) * sizeof(double));
    w->back.is_timed = event_first && held->events.at[event_first - 1].step == k;
    if (!rk_back(&w->rk, &w->back)) return fail(w, end);
    gather(w, 1.0, w->part, w->m + w->discrete);
    w->clock = step->rides ? w->clock + w->back.t : w->back.t - w->back.h;
    return true;
}

static bool event_back(Back *w, uint32_t k)
{
    const Passed *at = &w->passed[k];
    EventInfo info = { .next_time = INFINITY, .roots = w->held->events.at[k].roots };
    w->model->type->restore(w->model, at->saved);
    if (!w->held->events.at[k].is_new) return true;
    memcpy(w->x, at->x, (size_t)w->n * sizeof(double));
    if (w->model->type->event(w->model, at->t, w->x, &info) != EVAL_OK) return fail(w, at->t);
    if (!back_through_reset(w, MAP_RESET, at->t, w->x)) return false;
    w->model->type->restore(w->model, at->saved);
    return true;
}

/* Weights of the value; a time that an event moved is that of the row, which stays. */
static bool begin(Back *w, int of, double *value)
{
    const ModelVariable *v = &w->model->shape.variables[of];
    const Passed *at = &w->passed[w->held->events.n];
    uint32_t events = w->held->events.n;
    if (w->model->type->values(w->model, at->t, at->x, w->weights) != EVAL_OK) return fail(w, at->t);
    *value = v->negated ? -w->weights[v->slot] : w->weights[v->slot];
    memset(w->weights, 0, (size_t)w->model->shape.value_count * sizeof(double));
    w->weights[v->slot] = v->negated ? -1.0 : 1.0;
    ModelChange g = { .y = w->back.l, .count = w->m + w->discrete, .variables = w->variables, .p = w->total };
    if (!back_through(w, MAP_VALUES, at->t, at->x, &g)) return false;
    w->clock = 0.0;
    if (!events || w->held->events.at[events - 1].step < w->held->steps.n || !w->n) return true;
    if (w->model->type->derivatives(w->model, at->t, at->x, w->r) != EVAL_OK) return fail(w, at->t);
    for (int i = 0; i < w->n; i++)
        if (!w->rk.mass || w->rk.mass[i] != 0.0)
            w->clock -= w->back.l[i] * w->r[i] / (w->rk.mass ? w->rk.mass[i] : 1.0);
    return true;
}

static bool go_back(Back *w)
{
    uint32_t event = w->held->events.n;
    for (uint32_t k = w->held->steps.n + 1; k-- > 0;) {
        for (; event && w->held->events.at[event - 1].step == k; event--)
            if (!event_back(w, event - 1)) return false;
        if (k && !step_back(w, k - 1, event)) return false;
    }
    EventInfo info;
    return track_begin(&w->track, &info) && back_through_reset(w, MAP_RESET, w->track.t, w->track.x) &&
           back_through_reset(w, MAP_INITIAL, w->track.t, w->track.x);
}

static bool setup(Back *w, Arena *arena, const int *wrt)
{
    static const double zero = 0.0, one = 1.0;
    SensSteps *held = w->held;
    const ModelShape *shape = &w->model->shape;
    size_t n = (size_t)w->n, all = (size_t)(w->m + w->discrete);
    size_t longest =
        size_max(n + (size_t)w->discrete, size_max((size_t)shape->value_count, (size_t)shape->indicators));
    w->save_size = w->model->type->save_size ? w->model->type->save_size(w->model) : 0;
    if (!w->save_size || held->options.inputs) {
        snprintf(held->why, sizeof held->why, "%s",
                 w->save_size ? "inputs over time cannot be followed back"
                              : "the model keeps more than numbers (external objects, strings): its steps "
                                "cannot be gone back");
        return false;
    }
    w->variables = outputs_variables(arena, w->model, wrt, w->m);
    rk_init(&w->rk, arena, w->model, &held->tableau, w->variables, (int)all);
    rk_move_init(&w->move, arena, &w->rk, 1);
    jump_init(&w->jump, arena, w->model, w->variables, (int)all);
    double **of_n[] = { &w->x, &w->r, &w->back.l }, **of_all[] = { &w->p, &w->part, &w->total, &w->lost };
    for (size_t k = 0; k < COUNT_OF(of_n); k++) *of_n[k] = NEW_ARRAY(arena, double, n + 1);
    for (size_t k = 0; k < COUNT_OF(of_all); k++) *of_all[k] = NEW_ARRAY(arena, double, all + 1);
    w->weights = NEW_ARRAY(arena, double, longest + 1);
    w->passed = NEW_ARRAY(arena, Passed, held->events.n + 1);
    w->t = NEW_ARRAY(arena, double, held->steps.n + 1);
    w->back.gradient = w->part;
    w->move.p_of = p_of;
    w->move.arg = w;
    w->move.t = &zero;
    w->move.h = &one;
    return track_init(&w->track, arena, held, w->model, &w->rk, &w->jump);
}

bool sens_steps_back(SensSteps *held, Model *model, const int *wrt, int count, int of, double *value,
                     double *gradient, char *warning, size_t room)
{
    Arena *arena = arena_new();
    Back *w = arena ? NEW(arena, Back) : NULL;
    if (!w) return snprintf(held->why, sizeof held->why, "no memory"), false;
    *w = (Back){ .arena = arena, .held = held, .model = model, .n = model->shape.n, .m = count };
    w->discrete = model->shape.discrete_count;
    bool ok = setup(w, arena, wrt) && go_ahead(w) && begin(w, of, value) && go_back(w);
    for (int j = 0; j < count && ok; j++) gradient[j] = w->total[j] + w->lost[j];
    snprintf(warning, room, "%s", w->jump.warning);
    rk_free(&w->rk);
    arena_free(arena);
    return ok;
}
