/* steps.c: the steps of a run are held, and runs with the same or other parameters go over them:
 * the numerical map that is differentiated.
 *
 * In: a model, a Runge-Kutta method. Out: ends of steps and events, as a run with error control
 * chose them; then states of a run over them. Cost: an implicit step a factorisation or two, and
 * none with those of a neighbour; a state event two to five steps. Memory: n numbers a step, stages
 * times that of implicit methods. Source: Bock 1981; Bock 1987. Tests: tests/sens/steps_test.c,
 * derivatives_test.c. */
#include "sens/inside.h"

#include <math.h>
#include <stdio.h>

/* The map is defined by that list alone. Each step solves the method's equations to rounding. A
 * step that a state event ends ends where the indicator that it is due to reaches a level, which is
 * as little beyond zero as rounding lets it be told from zero; one that a time event ends ends at
 * the model's own time for it. The step after an event begins there, and ends where it did: so an
 * event that moves changes the lengths of the steps beside it, and nothing else. Dense output has
 * no part in it. Invariant: the map is a smooth function of parameters and start values, as far as
 * the model is one and the order of its events stays. */

enum { MOST_ROUNDS = 30 };
static const size_t MEMORY = (size_t)256 << 20;
/* beyond zero, of the terms of an indicator */
static const double LEVEL = 1000 * 2.220446049250313e-16;
static const double RIDE =
    1e-12; /* of time, and of the run: a step that is as long as rounding of event times */
/* How far an event may be from where it was: of the step, and of the run's length with its errors;
 * of the run's length, where parameters are moved. */
static const double MOST_SHARE = 0.25, MOST_ERRORS = 100, MOST_MOVED = 0.1;
static const double FARTHER = 2; /* each time that a grazed condition has not passed */
static const double CLOSE = 2.220446049250313e-16, NEARLY = 1e-12; /* of time */

static double *vector(Arena *arena, int n) { return NEW_ARRAY(arena, double, (size_t)n + 1); }

static bool fail(SensSteps *held, double t, const char *what, const Model *model)
{
    const char *words = model && model->type->failure ? model->type->failure(model) : NULL;
    snprintf(held->why, sizeof held->why, "on the steps that are held, at t = %.9g: %s%s%s", t, what,
             words && *words ? ": " : "", words ? words : "");
    return false;
}

/* ---- recording ------------------------------------------------------------------------------- */

static double time_size(const SensSteps *held, double t)
{
    return fmax(fabs(t), held->options.t_end - held->options.t0);
}

static void note_step(void *arg, const Solver *solver, double from, double to)
{
    SensSteps *held = arg;
    size_t n = (size_t)held->n, stages = (size_t)held->tableau.stages;
    size_t size = n * (held->is_implicit ? stages + 1 : 1);
    HeldStep step = { .t = to, .h = to - from };
    step.rides = step.is_short = step.h <= RIDE * time_size(held, to);
    if (!(to > from)) return;
    held->used += size * sizeof(double) + sizeof step;
    if (held->used > held->room) return;
    step.x = NEW_ARRAY(held->arena, double, size + 2);
    for (size_t i = 0; i < stages && held->is_implicit; i++) {
        step.stages = step.x + n;
        solver_interpolate(solver, from + held->tableau.c[i] * (to - from), step.stages + i * n);
    }
    vec_push(held->arena, &held->steps, step);
}

static void note_event(void *arg, EventKind kind, double t, const EventInfo *info)
{
    SensSteps *held = arg;
    HeldEvent event = { .kind = kind,
                        .step = held->steps.n,
                        .is_new = info->y_changed || info->rhs_changed,
                        .selects = info->states_selected,
                        .fired = -1 };
    (void)t;
    if (info->roots) {
        event.roots = arena_alloc(held->arena, (size_t)held->indicators + 1);
        memcpy(event.roots, info->roots, (size_t)held->indicators);
    }
    vec_push(held->arena, &held->events, event);
}

static const char *find_fault(const Model *model, const SimOptions *options, RkTableau *tableau)
{
    if (!options->solver || !solver_tableau(options->solver, tableau))
        return "the steps of this method cannot be differentiated: it is no Runge-Kutta method";
    if (!(model->can & MODEL_PRODUCTS) || !(model->can & MODEL_HYBRID) || !model->type->jacobian)
        return "the model gives no exact derivatives";
    return rk_refuses(tableau, model);
}

SensSteps *sens_steps_new(Model *model, const SimOptions *options, size_t memory, SimReport *report)
{
    *report = (SimReport){ .end = SIM_WRONG };
    RkTableau tableau;
    const char *fault = find_fault(model, options, &tableau);
    Arena *arena = fault ? NULL : arena_new();
    if (!arena)
        return snprintf(report->message, sizeof report->message, "%s", fault ? fault : "no memory"), NULL;
    SensSteps *held = NEW(arena, SensSteps);
    *held = (SensSteps){ .arena = arena,
                         .options = *options,
                         .tableau = tableau,
                         .n = model->shape.n,
                         .indicators = model->shape.indicators,
                         .room = memory ? memory : MEMORY,
                         .is_implicit = rk_is_implicit(&tableau) };
    SimOptions o = *options;
    o.on_step = note_step;
    o.on_event = note_event;
    o.on_step_arg = held;
    bool ok = sim_run(model, &o, report);
    if (ok && held->used <= held->room) return held;
    if (ok) {
        *report = (SimReport){ .end = SIM_WRONG };
        snprintf(report->message, sizeof report->message,
                 "the steps of this run need %.0f MB: more than is allowed for them (--memory)",
                 (double)held->used / 1048576.0);
    }
    sens_steps_free(held);
    return NULL;
}

void sens_steps_free(SensSteps *held)
{
    if (held) arena_free(held->arena);
}

const char *sens_steps_why(const SensSteps *held) { return held->why; }

/* ---- a run over them ------------------------------------------------------------------------- */

static void set_inputs(void *arg, int stage, double t)
{
    Track *w = arg;
    (void)stage;
    sim_inputs_set(w->inputs, t);
}

bool track_init(Track *w, Arena *arena, SensSteps *held, Model *model, Rk *rk, Jump *jump)
{
    *w = (Track){ .held = held, .arena = arena, .model = model, .rk = rk, .jump = jump };
    double **of_n[] = { &w->x, &w->trial, &w->f };
    for (size_t k = 0; k < COUNT_OF(of_n); k++) *of_n[k] = vector(arena, held->n);
    w->g = vector(arena, held->indicators);
    if (!held->options.inputs) return true;
    w->inputs = sim_inputs_new(arena, model, held->options.inputs, held->why, sizeof held->why);
    return w->inputs;
}

/* Makes the step's functions be those of this run. */
static void take_rk(Track *w)
{
    w->rk->model = w->model;
    w->rk->stage = w->inputs ? set_inputs : NULL;
    w->rk->arg = w;
}

bool track_begin(Track *w, EventInfo *info)
{
    *info = (EventInfo){ .next_time = INFINITY };
    w->t = w->held->options.t0;
    w->step = w->event = 0;
    if (w->inputs) sim_inputs_enter(w->inputs, w->t);
    if (w->inputs) sim_inputs_set(w->inputs, w->t);
    if (w->model->type->initialise(w->model, w->t, w->x, info) != EVAL_OK)
        return fail(w->held, w->t, "the initial equations have no solution", w->model);
    w->next_time = info->next_time;
    return true;
}

static HeldEvent *event_behind(const Track *w, uint32_t step)
{
    const SensSteps *held = w->held;
    bool is_there = w->event < held->events.n && held->events.at[w->event].step == step;
    return is_there ? &held->events.at[w->event] : NULL;
}

HeldEvent *track_due(const Track *w) { return event_behind(w, w->step); }
HeldEvent *track_ahead(const Track *w) { return event_behind(w, w->step + 1); }

static void end_of_step(const Track *w, double *x)
{
    memcpy(x, w->x, (size_t)w->held->n * sizeof *x);
    rk_end(w->rk, x);
}

/* How the event that ends this step is told: an indicator, its rate, and a level that rounding does
 * not hide. */
static bool define_event(Track *w, HeldEvent *event)
{
    Model *model = w->model;
    Jump *jump = w->jump;
    double t = w->rk->t + w->rk->h, rate = 0.0;
    end_of_step(w, w->trial);
    if (model->type->derivatives(model, t, w->trial, w->f) != EVAL_OK)
        return fail(w->held, t, "the model cannot be evaluated", model);
    jump_begin(jump, w->t, w->x);
    event->fired = jump_find(jump, event->roots, t, w->trial, w->f, &rate);
    if (event->fired < 0) return true;
    ModelChange g = { .y = jump->g_y, .count = jump->count, .variables = jump->variables, .p = jump->g_p };
    memset(jump->weights, 0, (size_t)jump->indicators * sizeof(double));
    jump->weights[event->fired] = 1.0;
    if (model->type->vjp(model, jump->weights, &g) != EVAL_OK)
        return fail(w->held, t, "the model cannot be differentiated", model);
    double size = fabs(g.t * t) + fabs(rate * t);
    for (int i = 0; i < w->held->n; i++) size += fabs(jump->g_y[i] * w->trial[i]);
    event->rate = rate;
    event->level = copysign(LEVEL * size, event->roots[event->fired]);
    return true;
}

/* Where the indicator reaches its level: the step becomes so long. */
static bool find_event(Track *w, const HeldEvent *event)
{
    Rk *rk = w->rk;
    double last = INFINITY, h = rk->h, span = time_size(w->held, rk->t);
    double most =
        w->jump ? fmax(MOST_SHARE * fabs(h), MOST_ERRORS * w->held->options.tol * span) : MOST_MOVED * span;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        double t = rk->t + rk->h;
        end_of_step(w, w->trial);
        if (w->inputs) sim_inputs_set(w->inputs, t);
        if (w->model->type->indicators(w->model, t, w->trial, w->g) != EVAL_OK) break;
        double by = (event->level - w->g[event->fired]) / event->rate, size = fmax(fabs(t), fabs(rk->h));
        if (fabs(by) <= CLOSE * size || (fabs(by) >= 0.5 * last && fabs(by) <= NEARLY * size)) return true;
        last = fabs(by);
        if (!(fabs(rk->h + by - h) <= most) || !rk_stages(rk, rk->t, rk->h + by, w->x, rk->x)) break;
    }
    return fail(w->held, w->t, "an event of the run is not found again", w->model);
}

/* Guesses of stages: what the run with error control had; then those of the run itself, moved like
 * x. */
static const double *guess(Track *w, const HeldStep *step)
{
    int n = w->held->n;
    if (!step->stages || !w->held->is_settled) return step->stages;
    for (int i = 0; i < w->held->tableau.stages; i++)
        for (int c = 0; c < n; c++)
            w->rk->x[(ptrdiff_t)i * n + c] = step->stages[(ptrdiff_t)i * n + c] + (w->x[c] - step->x[c]);
    return w->rk->x;
}

/* How long the next step is as far as that is known before its end is looked for. */
static double length(const Track *w, const HeldStep *step, const HeldEvent *event)
{
    if (event && event->kind == EVENT_TIME && isfinite(w->next_time)) return w->next_time - w->t;
    bool is_found = w->held->is_settled && event && event->fired >= 0;
    return step->rides || is_found ? step->h : step->t - w->t;
}

static bool solve_step(Track *w, const HeldStep *step, const HeldEvent *event)
{
    return rk_stages(w->rk, w->t, length(w, step, event), w->x, guess(w, step)) ||
           fail(w->held, w->t, "the equations of a step have no solution", w->model);
}

/* Where an event is not defined, since its condition is only grazed, it is a little later, when it
 * has passed; or stays. */
static bool push_event(Track *w, HeldStep *step, const HeldEvent *event, int grazed)
{
    double h = length(w, step, event), most = fabs(h), way = event->roots[grazed];
    for (double by = NEARLY * time_size(w->held, w->t); by <= most; by *= FARTHER) {
        if (!rk_stages(w->rk, w->t, h + by, w->x, w->rk->x)) break;
        end_of_step(w, w->trial);
        if (w->model->type->indicators(w->model, w->t + h + by, w->trial, w->g) != EVAL_OK) break;
        if (!(w->g[grazed] * way > 0.0)) continue;
        step->t = w->t + h + by;
        return true;
    }
    return solve_step(w, step, event);
}

/* Tells where the event is that ends this step, if that is defined; otherwise it stays where it
 * was, or rides. */
static bool settle_event(Track *w, HeldStep *step, HeldEvent *event)
{
    if (!define_event(w, event)) return false;
    if (event->fired >= 0 && find_event(w, event)) {
        step->rides = false;
        return true;
    }
    int grazed = event->fired;
    event->fired = -1;
    if (grazed < 0 || step->rides || !event->is_new) return solve_step(w, step, event);
    if (!w->jump->warning[0])
        snprintf(w->jump->warning, sizeof w->jump->warning,
                 "the event near t = %.9g only grazes its condition: derivatives after it may not exist",
                 step->t);
    return push_event(w, step, event, grazed);
}

bool track_step(Track *w)
{
    SensSteps *held = w->held;
    HeldStep *step = &held->steps.at[w->step];
    HeldEvent *event = track_ahead(w);
    take_rk(w);
    if (!solve_step(w, step, event)) return false;
    if (!event || event->kind != EVENT_STATE) return true;
    if (w->jump && !held->is_settled) return settle_event(w, step, event);
    return event->fired < 0 || find_event(w, event);
}

bool track_repeat(Track *w)
{
    const HeldStep *step = &w->held->steps.at[w->step];
    take_rk(w);
    return rk_load(w->rk, w->t, step->h, step->x, step->stages) ||
           fail(w->held, w->t, "the model cannot be evaluated", w->model);
}

void track_advance(Track *w)
{
    SensSteps *held = w->held;
    size_t n = (size_t)held->n, stages = (size_t)held->tableau.stages;
    HeldStep *step = &held->steps.at[w->step];
    if (w->jump && !held->is_settled) {
        step->h = w->rk->h;
        memcpy(step->x, w->x, n * sizeof(double));
        if (step->stages) memcpy(step->stages, w->rk->x, n * stages * sizeof(double));
    }
    rk_end(w->rk, w->x);
    HeldEvent *event = track_ahead(w);
    bool moves = step->rides || (event && event->fired >= 0);
    w->t = moves ? w->rk->t + w->rk->h : step->t;
    if (event && event->kind == EVENT_TIME && isfinite(w->next_time)) w->t = w->next_time;
    if (w->jump) held->t_end = w->t;
    if (w->inputs) sim_inputs_set(w->inputs, w->t);
    if (w->model->type->accepted) w->model->type->accepted(w->model, w->t, w->x);
    w->step++;
}

bool track_event(Track *w, EventInfo *info)
{
    HeldEvent *event = &w->held->events.at[w->event++];
    *info = (EventInfo){ .next_time = INFINITY, .roots = event->roots };
    if (w->inputs && event->kind == EVENT_INPUT) sim_inputs_enter(w->inputs, w->t);
    if (w->inputs) sim_inputs_set(w->inputs, w->t);
    if (w->model->type->event(w->model, w->t, w->x, info) != EVAL_OK)
        return fail(w->held, w->t, "the equations have no solution after the event", w->model);
    if (info->states_selected != event->selects)
        return fail(w->held, w->t, "other states are chosen than in the run", NULL);
    bool is_new = info->y_changed || info->rhs_changed, settles = w->jump && !w->held->is_settled;
    const HeldStep *step = event->step ? &w->held->steps.at[event->step - 1] : NULL;
    bool is_short = step && (step->is_short || fabs(step->h) <= RIDE * time_size(w->held, w->t));
    bool is_needed = (event->fired >= 0 && !is_short) || (event->kind == EVENT_TIME && !settles);
    if (event->is_new && !is_new && is_needed)
        return fail(w->held, w->t, "an event of the run does not happen", NULL);
    if (settles && event->is_new && !is_new && event->fired >= 0 && !w->jump->warning[0])
        snprintf(w->jump->warning, sizeof w->jump->warning,
                 "two conditions change at once at t = %.9g: derivatives after it hold for one side only",
                 w->t);
    if (settles) event->is_new = is_new; /* others are what rounding made */
    w->next_time = info->next_time;
    return true;
}
