/* run.c: one run: initialise, step, output, events, until the end or a reason to stop.
 *
 * In: a hybrid model, options. Out: rows in the sink, a report. Cost: per step a clock and some
 * comparisons beyond the integrator. Tests: tests/sim/hybrid_test.c, driver_test.c, inputs_test.c.
 */
#include "rt/rt.h"
#include "sim/inside.h"

#include <math.h>
#include <stdio.h>

/* Each step of the integrator may go to the next time event, input jump, or the end, whichever is
 * first. After a step the rows of the output grid inside it are interpolated. At a state event
 * (STEP_ROOT, the right end of the root's bracket) and at a time event there are two rows with the
 * same time, before and after the model's event iteration; then the integrator restarts with a hint
 * of what changed. Invariant: rows come in order of time; `accepted` is called once for every step
 * or piece of a step that holds; discrete variables change in event mode only; however the run
 * ends, the last accepted point is the last row and the sink is closed. */

enum { STUCK_EVENTS = 100, ROWS_TO_LOOK = 4096 }; /* rows of a step after which it is asked whether to stop */
static const double PROGRESS_SECONDS = 0.1, PATIENCE_SECONDS = 1.0;
static const double SAME_TIME =
    1e-13; /* of the run's length: output points this near to an event are at it */
/* a model with indicators is looked at this often at least */
static const double MOST_STEP_SHARE = 50;
static const double MOST_STEP_EMPTY = 500; /* and one where only time moves */
/* of the span: points that delay() looks up are not nearer */
static const double LEAST_NOTE = 1e-8;

/* The tolerance is for the result; integrators control the error of one step, and what is computed
 * from states may be steeper than they are. Small states without a nominal value need more
 * still. */
static const double STEP_SHARE = 0.1, ABSOLUTE_SHARE = 1e-4;

typedef struct {
    Wrap wrap;
    Model *model;
    const SimOptions *o;
    SimReport *report;
    Arena *arena;
    Solver *solver;
    SolverOptions solver_options;
    double *y, *grid_y, *values;
    double t, span;
    double time_event;          /* the model's next one */
    double note_step;           /* between points that delay() looks up */
    double max_step;            /* that the model bears until the next event; 0: any */
    long grid_next, grid_count; /* output points; index 0 is t0 */
    bool row_at_t;              /* the last row is the present point */
    Chatter chatter;
    int stuck;                     /* time events without progress of time */
    volatile sig_atomic_t was_cut; /* by the watch: what fails then fails for that reason */
    double mark, began, shown;     /* clocks */
    double saved;                  /* clock of the last checkpoint */
    bool finished;
} Run;

SimOptions sim_options(double t0, double t_end, double tol)
{
    return (SimOptions){ .t0 = t0, .t_end = t_end, .tol = tol, .points = 500 };
}

/* ---- ends ------------------------------------------------------------------------------------ */

static bool check_stops(Run *r);
static bool stop(Run *r, SimEnd end, const char *format, ...) PRINTF_LIKE(3, 4);
static bool stop(Run *r, SimEnd end, const char *format, ...)
{
    va_list args;
    if (r->was_cut && end == SIM_FAILED) {
        r->was_cut = 0;
        r->mark = clock_wall();
        return check_stops(r);
    }
    va_start(args, format);
    vsnprintf(r->report->message, sizeof r->report->message, format, args);
    va_end(args);
    r->report->end = end;
    r->report->t = r->t;
    if (!r->finished && r->o->on_failure && (end == SIM_FAILED || end == SIM_TIME_LIMIT))
        r->o->on_failure(r->o->on_failure_arg, r->report);
    r->finished = true;
    return false;
}

/* What the model says about its last failure. */
static const char *model_words(const Run *r)
{
    const char *words = r->model->type->failure ? r->model->type->failure(r->model) : NULL;
    return words && *words ? words : NULL;
}

/* Warnings that the model has to give here. */
static void pass_notices(Run *r)
{
    Model *inner = r->wrap.inner;
    if (!r->o->notice || !inner->type->notice) return;
    for (const char *text; (text = inner->type->notice(inner));) r->o->notice(r->o->notice_arg, text);
}

static bool fail_in_model(Run *r, const char *doing)
{
    const char *words = model_words(r);
    r->report->in_model = true;
    return stop(r, SIM_FAILED, "%s at t = %.9g: %s", doing, r->t, words ? words : "the model gave no reason");
}

static bool fail_in_solver(Run *r, const SolverFailure *failure)
{
    const char *words = failure->kind == FAIL_WRONG_INPUT ? NULL : model_words(r);
    SimEnd end = failure->kind == FAIL_WRONG_INPUT ? SIM_WRONG : SIM_FAILED;
    r->report->in_model = words != NULL;
    r->report->component = failure->component;
    return stop(r, end, "%s%s%s%s", failure->text, words ? " (" : "", words ? words : "", words ? ")" : "");
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static void spend(Run *r, double *phase)
{
    double now = clock_wall();
    *phase += now - r->mark;
    r->mark = now;
}

/* ---- reasons to stop ------------------------------------------------------------------------- */

static bool is_interrupted(const Run *r) { return r->o->interrupt && *r->o->interrupt; }
static bool is_late(const Run *r, double now)
{
    return r->o->time_limit > 0.0 && now - r->began > r->o->time_limit;
}

static bool check_stops(Run *r)
{
    if (is_interrupted(r)) return stop(r, SIM_INTERRUPTED, "interrupted at t = %.9g", r->t);
    if (!(r->o->time_limit > 0.0) && !r->o->progress) return true;
    if (is_late(r, r->mark))
        return stop(r, SIM_TIME_LIMIT, "the time limit of %g s was reached at t = %.9g", r->o->time_limit,
                    r->t);
    if (r->o->progress && r->mark - r->shown > PROGRESS_SECONDS) {
        r->shown = r->mark;
        r->o->progress(r->o->progress_arg, r->t);
    }
    return true;
}

/* A run with checkpoints rather ends between two steps, unless the equations take long. */
static bool gives_up(void *arg)
{
    const Run *r = arg;
    double now = clock_wall();
    if (r->o->checkpoint && now - r->mark < PATIENCE_SECONDS) return false;
    return is_interrupted(r) || is_late(r, now);
}

/* What the watch asks beside the run: only what stays as it is while the run goes on. */
static bool is_over(void *arg)
{
    const Run *r = arg;
    return is_interrupted(r) || is_late(r, clock_wall());
}

static void cut(void *arg)
{
    Model *model = ((Run *)arg)->wrap.inner;
    ((Run *)arg)->was_cut = 1;
    model->type->cut_short(model);
}

/* Initial equations and events may take long: the model asks while it solves them. */
static EvalStatus solve_interruptibly(Run *r, EvalStatus (*solve)(Model *, double, double *, EventInfo *),
                                      EventInfo *info)
{
    Model *inner = r->wrap.inner;
    if (inner->type->set_interrupt) inner->type->set_interrupt(inner, gives_up, r);
    EvalStatus status = solve(r->model, r->t, r->y, info);
    if (inner->type->set_interrupt) inner->type->set_interrupt(inner, NULL, NULL);
    return status;
}

/* After equations were not solved: `what` they are, and the phase that they belong to. */
static bool fail_or_stop(Run *r, const char *what, const char *when, double *phase)
{
    char *message = r->report->message, doing[80];
    spend(r, phase);
    snprintf(doing, sizeof doing, "the %s have no solution%s", what, when);
    if (check_stops(r)) return fail_in_model(r, doing);
    size_t used = strlen(message);
    snprintf(message + used, sizeof r->report->message - used, ", while the %s were solved%s", what, when);
    return false;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool write_row(Run *r, double t, const double *y)
{
    if (r->model->type->values(r->model, t, y, r->values) != EVAL_OK) {
        r->t = t;
        return fail_in_model(r, "the values for the result cannot be computed");
    }
    pass_notices(r);
    if (r->o->visit && r->solver) {
        SimPoint point = { r->model, t, solver_stats(r->solver).h_last, y, &r->solver_options };
        r->o->visit(r->o->visit_arg, &point);
    }
    if (!sink_row(r->o->sink, t, r->values)) return stop(r, SIM_FAILED, "%s", r->o->sink->why);
    r->report->stats.rows++;
    return true;
}

static double grid_time(const Run *r, long k)
{
    if (r->o->times) return r->o->times[k - 1];
    if (r->o->interval > 0.0) return r->o->t0 + (double)k * r->o->interval;
    return k == r->grid_count ? r->o->t_end : r->o->t0 + r->span * ((double)k / (double)r->grid_count);
}

/* Rows of the grid up to t: those before it, and with `inclusive` one at t. */
static bool write_grid(Run *r, double t, bool inclusive)
{
    double slack = SAME_TIME * r->span;
    long before = r->grid_next;
    if (!r->o->sink || !r->solver) return true;
    for (; r->grid_next <= r->grid_count; r->grid_next++) {
        double at = grid_time(r, r->grid_next);
        if (inclusive ? at > t + slack : at >= t - slack) break;
        at = fmin(at, t);
        solver_sharp(r->solver, at, r->grid_y);
        if (!write_row(r, at, r->grid_y)) return false;
        if (r->grid_next % ROWS_TO_LOOK == 0) {
            spend(r, &r->report->stats.output_s);
            if (!check_stops(r)) return false;
        }
        r->row_at_t = at == t;
    }
    if (r->grid_next != before) spend(r, &r->report->stats.output_s);
    return true;
}

/* A row at the present point, and none of the grid at the same time. */
static bool write_here(Run *r)
{
    if (!r->o->sink) return true;
    while (r->grid_next <= r->grid_count && grid_time(r, r->grid_next) <= r->t + SAME_TIME * r->span)
        r->grid_next++;
    r->row_at_t = true;
    bool ok = write_row(r, r->t, r->y);
    spend(r, &r->report->stats.output_s);
    return ok;
}

/* ---- setting up ------------------------------------------------------------------------------ */

static bool check_options(Run *r)
{
    const SimOptions *o = r->o;
    if (!isfinite(o->t0) || !isfinite(o->t_end) || o->t_end < o->t0)
        return stop(r, SIM_WRONG, "the run from %g to %g has no length", o->t0, o->t_end);
    if (!(o->tol > 0.0) || o->tol >= 1.0)
        return stop(r, SIM_WRONG, "the tolerance %g should be between 0 and 1", o->tol);
    if (o->points < 0 || o->interval < 0.0 || isnan(o->interval))
        return stop(r, SIM_WRONG, "output points and intervals should not be negative");
    double latest = fmax(fabs(o->t0), fabs(o->t_end));
    if (o->interval > 0.0 && latest + o->interval == latest)
        return stop(r, SIM_WRONG, "rows every %g s are closer than numbers for times near %g are",
                    o->interval, latest);
    if (!(r->wrap.inner->can & MODEL_HYBRID))
        return stop(r, SIM_WRONG, "the model cannot initialise itself or has no events and values");
    return true;
}

static void plan_grid(Run *r)
{
    double count = r->o->interval > 0.0 ? floor(r->span / r->o->interval + 1e-9) : (double)r->o->points;
    r->grid_count = r->o->times ? (long)r->o->time_count : (long)fmin(count, 9e15);
    r->grid_next = 1;
}

SolverOptions sim_solver_options(const Model *model, const SimOptions *o, Arena *arena)
{
    const ModelShape *shape = &model->shape;
    SolverOptions s = o->solver_options;
    s.between = true;
    if (s.rtol == 0.0) s.rtol = STEP_SHARE * o->tol;
    if (s.atol == 0.0 && !s.atol_each) {
        double *atol = NEW_ARRAY(arena, double, (size_t)shape->n + 1);
        /* in a short run what moves at all moves fast */
        double fastest = fmax(1.0, 1.0 / fabs(o->t_end - o->t0));
        int block = model_system_size(model);
        for (int i = 0; i < shape->n; i++) {
            double nominal = shape->nominal ? fabs(shape->nominal[i]) : 1.0;
            if (shape->rates && i < block) nominal *= pow(fastest, shape->rates[i]);
            atol[i] = ABSOLUTE_SHARE * o->tol * (nominal > 0.0 && isfinite(nominal) ? nominal : 1.0);
        }
        s.atol_each = atol;
    }
    return s;
}

static void plan_solver(Run *r)
{
    SolverOptions *s = &r->solver_options;
    *s = sim_solver_options(r->model, r->o, r->arena);
    /* long steps would jump over relations that time or a slow state moves there and back */
    if (s->max_step == 0.0 && !(s->fixed_step > 0.0) && r->model->shape.indicators > 0)
        s->max_step = r->span / (r->wrap.inner->shape.n ? MOST_STEP_SHARE : MOST_STEP_EMPTY);
}

static bool begin_result(Run *r)
{
    const ModelShape *shape = &r->model->shape;
    Column *columns = NEW_ARRAY(r->arena, Column, (size_t)shape->variable_count + 1);
    size_t n = 0;
    if (!r->o->sink) return true;
    for (int i = 0; i < shape->variable_count; i++) {
        const ModelVariable *v = &shape->variables[i];
        bool is_text = v->type == VARIABLE_STRING;
        if ((is_text && !shape->texts) || (r->o->wants && !r->o->wants(r->o->wants_arg, v))) continue;
        ColumnKind kind = is_text                         ? COLUMN_TEXT
                          : v->kind <= VARIABLE_PARAMETER ? COLUMN_CONSTANT
                          : v->kind == VARIABLE_DISCRETE  ? COLUMN_DISCRETE
                                                          : COLUMN_CONTINUOUS;
        columns[n++] = (Column){ v->name, v->unit, v->description, kind, v->slot, v->negated };
    }
    if (r->model->type->values(r->model, r->t, r->y, r->values) != EVAL_OK)
        return fail_in_model(r, "the values for the result cannot be computed");
    r->o->sink->texts = shape->texts;
    if (!sink_begin(r->o->sink, columns, n, r->values)) return stop(r, SIM_FAILED, "%s", r->o->sink->why);
    return true;
}

static bool make_solver(Run *r, const SolverType *type)
{
    SolverFailure failure;
    Problem problem = { r->model, r->t, r->o->t_end, r->y, NULL };
    r->report->stats.solver = type->name;
    r->solver = solver_create(type, &problem, &r->solver_options, &failure);
    if (!r->solver) return fail_in_solver(r, &failure);
    SolverStats stats = solver_stats(r->solver);
    if (*stats.warning && r->o->notice) r->o->notice(r->o->notice_arg, stats.warning);
    return true;
}

/* Every state is a finite number; `whose` are they. */
static bool check_states(Run *r, const char *whose)
{
    char name[32];
    for (int i = 0; i < r->model->shape.n; i++)
        if (!isfinite(r->y[i]))
            return stop(r, SIM_FAILED, "%s of %s at t = %.9g is %g", whose,
                        model_name(r->model, i, name, sizeof name), r->t, r->y[i]);
    return true;
}

static bool initialise(Run *r)
{
    EventInfo info = { .next_time = INFINITY };
    r->t = r->o->t0;
    wrap_enter(&r->wrap, r->t);
    bool goes_on = r->o->goes_on;
    if (goes_on) memcpy(r->y, r->o->y, (size_t)r->model->shape.n * sizeof *r->y);
    if (!goes_on || !(r->model->can & MODEL_STEPS)) {
        const ModelType *type = r->model->type;
        if (solve_interruptibly(r, goes_on ? type->event : type->initialise, &info) != EVAL_OK)
            return fail_or_stop(r, goes_on ? "equations" : "initial equations", "",
                                &r->report->stats.initialise_s);
    }
    if (!check_states(r, "the initial value")) return false;
    r->time_event = info.next_time;
    r->max_step = info.max_step;
    pass_notices(r);
    spend(r, &r->report->stats.initialise_s);
    if (!begin_result(r) || !write_here(r)) return false;
    if (info.terminate)
        return stop(r, SIM_TERMINATED, "%s", info.message ? info.message : "terminated by the model");
    return true;
}

static bool choose_and_make_solver(Run *r)
{
    snprintf(r->report->stats.choice, sizeof r->report->stats.choice, "as asked for");
    return make_solver(r, r->o->solver ? r->o->solver : solver_default(r->model, &r->solver_options));
}

static void retire_solver(Run *r)
{
    SimStats *stats = &r->report->stats;
    if (!r->solver) return;
    stats->work = solver_stats(r->solver);
    if (*stats->work.choice) snprintf(stats->choice, sizeof stats->choice, "%s", stats->work.choice);
    solver_destroy(r->solver);
    r->solver = NULL;
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool restart(Run *r, const EventInfo *info, bool inside_step)
{
    bool changed = info->y_changed || info->rhs_changed;
    if ((!changed && !inside_step) || !r->solver) return true;
    RestartHint hint = info->y_changed ? RESTART_JUMP : info->rhs_changed ? RESTART_RHS : RESTART_KEEP;
    /* a time event inside of the last step needs a step that ends there */
    if (!changed && r->time_event < solver_t(r->solver)) hint = RESTART_UNCHANGED;
    r->report->stats.restarts += changed;
    if (solver_restart(r->solver, r->t, r->y, NULL, hint)) return true;
    return fail_in_solver(r, solver_failure(r->solver));
}

/* An event at (r->t, r->y), which is at the end of the last step or inside it. */
static bool handle_event(Run *r, EventKind kind, bool inside_step)
{
    SimStats *stats = &r->report->stats;
    EventInfo info = { .next_time = INFINITY,
                       .roots = kind == EVENT_STATE && r->solver ? solver_roots(r->solver) : NULL };
    long *counts[] = { &stats->state_events, &stats->time_events, &stats->input_events, &stats->step_events };
    bool shown = kind != EVENT_STEP; /* another choice of states leaves no trace in the result */
    ++*counts[kind];
    if (shown && (!write_grid(r, r->t, false) || (!r->row_at_t && !write_here(r)))) return false;
    if (kind == EVENT_STATE && r->model->type->accepted) r->model->type->accepted(r->model, r->t, r->y);
    if (kind == EVENT_INPUT) wrap_enter(&r->wrap, r->t);
    if (solve_interruptibly(r, r->model->type->event, &info) != EVAL_OK)
        return fail_or_stop(r, "equations", " after the event", &stats->event_s);
    if (r->o->on_event) {
        info.roots = kind == EVENT_STATE && r->solver ? solver_roots(r->solver) : NULL;
        r->o->on_event(r->o->on_step_arg, kind, r->t, &info);
    }
    if (info.y_changed && !check_states(r, "after the event the value")) return false;
    if (kind == EVENT_INPUT) info.rhs_changed = true;
    stats->event_iterations += info.iterations;
    r->time_event = info.next_time;
    r->max_step = info.max_step;
    pass_notices(r);
    stats->state_selections += info.states_selected;
    spend(r, &stats->event_s);
    if (shown && !write_here(r)) return false;
    if (info.terminate)
        return stop(r, SIM_TERMINATED, "%s", info.message ? info.message : "terminated by the model");
    bool ok = restart(r, &info, inside_step);
    spend(r, &stats->event_s);
    return ok;
}

static void note_between(Run *r, double from, double to);

static bool handle_root(Run *r)
{
    const signed char *found = solver_roots(r->solver);
    int first = 0;
    while (first + 1 < r->model->shape.indicators && !found[first]) first++;
    note_between(r, r->t, solver_t_root(r->solver));
    if (r->o->on_step) r->o->on_step(r->o->on_step_arg, r->solver, r->t, solver_t_root(r->solver));
    r->t = solver_t_root(r->solver);
    r->stuck = 0;
    r->row_at_t = false;
    solver_interpolate(r->solver, r->t, r->y);
    bool endless = chatter_note(&r->chatter, r->t, first, r->span);
    if (!handle_event(r, EVENT_STATE, r->t != solver_t(r->solver))) return false;
    if (!endless) return true;
    char text[600];
    r->report->indicator = chatter_explain(&r->chatter, r->model, text, sizeof text);
    return stop(r, SIM_FAILED, "%s", text);
}

/* Time events and input jumps that are due now. */
static bool handle_due(Run *r)
{
    while (!r->finished) {
        double jump = wrap_next_jump(&r->wrap);
        if (fmin(r->time_event, jump) > r->t) return true;
        if (++r->stuck > STUCK_EVENTS)
            return stop(r, SIM_FAILED,
                        "time events repeat without end at t = %.9g: each asks for another one at once",
                        r->t);
        if (!handle_event(r, jump <= r->t ? EVENT_INPUT : EVENT_TIME, false)) return false;
    }
    return false;
}

/* ---- stepping -------------------------------------------------------------------------------- */

static double extrapolation_error_at(void *arg, double t)
{
    Run *r = arg;
    solver_interpolate(r->solver, t, r->grid_y);
    return r->model->type->extrapolation_error(r->model, t, r->grid_y);
}

static void note_at(void *arg, double t)
{
    Run *r = arg;
    r->model->type->accepted(r->model, t, r->grid_y);
}

/* A model that limits steps wants to know what its values were between them: delay() looks them
 * up. */
static void note_between(Run *r, double from, double to)
{
    const ModelType *type = r->model->type;
    RtBetween b = { r->o->tol, LEAST_NOTE * r->span, extrapolation_error_at, note_at, r };
    if (r->max_step > 0.0 && type->accepted && type->extrapolation_error)
        rt_note_between(&b, from, to, &r->note_step);
}

static bool step_taken(Run *r, double limit, StepStatus status)
{
    double from = r->t;
    r->t = status == STEP_LIMIT ? limit : solver_t(r->solver);
    note_between(r, from, r->t);
    if (r->o->on_step) r->o->on_step(r->o->on_step_arg, r->solver, from, r->t);
    r->stuck = 0;
    r->row_at_t = false;
    memcpy(r->y, solver_y(r->solver), (size_t)r->model->shape.n * sizeof(double));
    if (r->o->sink && r->o->points == 0 && !(r->o->interval > 0.0) && !r->o->times) {
        if (!write_here(r)) return false;
    } else if (r->grid_next <= r->grid_count) {
        bool event = fmin(r->time_event, wrap_next_jump(&r->wrap)) <= r->t;
        if (!write_grid(r, r->t, !event)) return false;
    }
    if (r->model->type->accepted && r->model->type->accepted(r->model, r->t, r->y) &&
        fmin(r->time_event, wrap_next_jump(&r->wrap)) > r->t && !handle_event(r, EVENT_STEP, false))
        return false;
    pass_notices(r);
    return true;
}

static void advance(Run *r)
{
    if (!handle_due(r)) return;
    if (r->t >= r->o->t_end) {
        r->finished = true;
        return;
    }
    double limit = fmin(r->o->t_end, fmin(r->time_event, wrap_next_jump(&r->wrap)));
    if (r->max_step > 0.0) limit = fmin(limit, r->t + r->max_step);
    StepStatus status = solver_step(r->solver, limit);
    spend(r, &r->report->stats.integrate_s);
    if (status == STEP_ROOT)
        handle_root(r);
    else if (status != STEP_FAILED)
        step_taken(r, limit, status);
    else
        fail_in_solver(r, solver_failure(r->solver));
}

/* ---- models that integrate themselves -------------------------------------------------------- */

/* One step of a model for co-simulation: to the next output point, time event, input jump, or the
 * end. */
static void advance_itself(Run *r)
{
    StepInfo info = { .t = r->t };
    if (!handle_due(r)) return;
    if (r->t >= r->o->t_end) {
        r->finished = true;
        return;
    }
    double limit = fmin(r->o->t_end, fmin(r->time_event, wrap_next_jump(&r->wrap)));
    if (r->grid_next <= r->grid_count) limit = fmin(limit, grid_time(r, r->grid_next));
    if (r->model->type->step(r->model, r->t, limit - r->t, &info) != EVAL_OK) {
        fail_in_model(r, "the model cannot step on");
        return;
    }
    bool arrived = fabs(info.t - limit) <= SAME_TIME * r->span;
    r->stuck = info.t > r->t ? 0 : r->stuck + 1;
    /* an event is where the model says that it is */
    r->t = arrived && !info.event ? limit : info.t;
    r->row_at_t = false;
    r->report->stats.work.steps++;
    spend(r, &r->report->stats.integrate_s);
    bool due = fmin(r->time_event, wrap_next_jump(&r->wrap)) <= r->t;
    while (!r->o->sink && r->grid_next <= r->grid_count && grid_time(r, r->grid_next) <= r->t) r->grid_next++;
    if (arrived && !due && !info.event && !write_here(r)) return;
    if (info.event && !handle_event(r, EVENT_STATE, false)) return;
    if (info.terminate)
        stop(r, SIM_TERMINATED, "%s", info.message ? info.message : "terminated by the model");
    else if (r->stuck > STUCK_EVENTS)
        stop(r, SIM_FAILED, "the model makes no progress at t = %.9g", r->t);
}

static void run_itself(Run *r)
{
    r->report->stats.solver = "its own";
    snprintf(r->report->stats.choice, sizeof r->report->stats.choice, "the model integrates itself");
    if (r->grid_count == 0) r->grid_count = 500;
    while (!r->finished && check_stops(r)) advance_itself(r);
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

/* What a run has beside the states of model and integrator. Bytes of both follow, then unknowns. */
typedef struct {
    uint64_t mark, size, model, solver; /* bytes */
    double t, time_event, note_step, max_step, t_set;
    long grid_next;
    uint64_t first, last, hint; /* of inputs */
    int stuck, n;
    bool row_at_t, is_set;
    SimStats stats;
    Chatter chatter;
} Saved;

static const uint64_t SAVED_MARK = 0x4163617573617233u;

static size_t saved_size(const Run *r, size_t *model, size_t *solver, const char **why)
{
    const Model *inner = r->wrap.inner;
    *model = inner->type->portable_size ? inner->type->portable_size(inner) : 0;
    *solver = r->solver ? solver_save_size(r->solver) : 0;
    *why = !*model ? "the model cannot be saved" : !*solver ? "this integrator cannot be saved here" : NULL;
    return sizeof(Saved) + *model + *solver + (size_t)r->model->shape.n * sizeof(double);
}

static void save_checkpoint(Run *r)
{
    size_t model, solver, n = (size_t)r->model->shape.n * sizeof(double);
    const char *why;
    size_t size = saved_size(r, &model, &solver, &why);
    ArenaMark mark = arena_mark(r->arena);
    r->saved = r->mark;
    if (why) {
        r->o->checkpoint(r->o->checkpoint_arg, r->t, NULL, 0, why);
        return;
    }
    char *bytes = arena_zero(r->arena, size);
    Saved *s = (Saved *)(void *)bytes;
    s->mark = SAVED_MARK, s->size = size, s->model = model, s->solver = solver;
    s->t = r->t, s->time_event = r->time_event, s->note_step = r->note_step, s->max_step = r->max_step;
    s->grid_next = r->grid_next, s->row_at_t = r->row_at_t, s->stuck = r->stuck, s->n = r->model->shape.n;
    s->first = r->wrap.first, s->last = r->wrap.last, s->hint = r->wrap.hint;
    s->t_set = r->wrap.t_set, s->is_set = r->wrap.is_set;
    s->stats = r->report->stats, s->chatter = r->chatter;
    r->wrap.inner->type->save(r->wrap.inner, bytes + sizeof *s);
    solver_save(r->solver, bytes + sizeof *s + model);
    memcpy(bytes + sizeof *s + model + solver, r->y, n);
    r->o->checkpoint(r->o->checkpoint_arg, r->t, bytes, size, NULL);
    arena_rewind(r->arena, mark);
}

/* Between two steps: all that happens later follows from what is saved. */
static void check_checkpoint(Run *r)
{
    if (!r->o->checkpoint) return;
    if (is_interrupted(r) || is_late(r, r->mark) || r->mark - r->saved >= r->o->checkpoint_seconds)
        save_checkpoint(r);
}

static bool begin_result(Run *r);
static bool choose_and_make_solver(Run *r);
static void plan_solver(Run *r);

/* Takes what is saved of the model, or all of it once there is a solver. */
static bool load_saved(Run *r, const Saved *s)
{
    const char *bytes = r->o->resume, *model = bytes + sizeof *s;
    size_t expect, solver;
    const char *why;
    bool ok = r->wrap.inner->type->load && r->wrap.inner->type->load(r->wrap.inner, model, s->model);
    memcpy(r->y, model + s->model + s->solver, (size_t)s->n * sizeof(double));
    if (!ok || !r->solver) return ok;
    saved_size(r, &expect, &solver, &why);
    return solver == s->solver && solver_restore(r->solver, model + s->model, s->solver) &&
           r->wrap.inner->type->load(r->wrap.inner, model, s->model);
}

static void take_saved(Run *r, const Saved *s)
{
    SimStats now = r->report->stats;
    r->t = s->t, r->time_event = s->time_event, r->note_step = s->note_step, r->max_step = s->max_step;
    r->grid_next = s->grid_next, r->row_at_t = s->row_at_t, r->stuck = s->stuck;
    r->wrap.first = s->first, r->wrap.last = s->last, r->wrap.hint = s->hint;
    r->wrap.t_set = s->t_set, r->wrap.is_set = s->is_set;
    r->chatter = s->chatter;
    r->report->stats = s->stats;
    r->report->stats.solver = now.solver;
    r->report->stats.work.jacobian_source = r->report->stats.work.increment = "";
}

static bool resume(Run *r)
{
    Saved s;
    EventInfo info = { .next_time = INFINITY };
    bool is_one = r->o->resume_size >= sizeof s;
    if (is_one) memcpy(&s, r->o->resume, sizeof s);
    if (!is_one || s.mark != SAVED_MARK || s.size != r->o->resume_size || s.n != r->model->shape.n)
        return stop(r, SIM_WRONG, "the checkpoint is of another run");
    r->t = r->o->t0; /* what belongs to the system, such as objects of tables, is made anew */
    wrap_enter(&r->wrap, r->t);
    if (r->model->type->initialise(r->model, r->t, r->y, &info) != EVAL_OK)
        return fail_in_model(r, "the initial equations have no solution");
    bool ok = load_saved(r, &s);
    take_saved(r, &s);
    if (!ok) return stop(r, SIM_WRONG, "the checkpoint is of another model");
    if (!begin_result(r)) return false;
    if (r->o->sink && r->o->again && !r->o->again(r->o->again_arg, r->o->sink, s.stats.rows))
        return stop(r, SIM_FAILED, "%s", r->o->sink->why);
    plan_solver(r);
    if (!choose_and_make_solver(r)) return false;
    ok = load_saved(r, &s);
    take_saved(r, &s);
    return ok || stop(r, SIM_WRONG, "the checkpoint is of another integrator");
}

/* The last point that holds is the last row, so that a run that stopped shows where. */
static void finish(Run *r)
{
    SimReport *report = r->report;
    bool sink_works = r->o->sink && !r->o->sink->failed;
    if (report->stats.work.steps + (r->solver != NULL) > 0 && sink_works && !r->row_at_t) {
        SimEnd end = report->end;
        char kept[sizeof report->message];
        memcpy(kept, report->message, sizeof kept);
        if (write_here(r) || end != SIM_DONE) { /* the first reason counts */
            memcpy(report->message, kept, sizeof kept);
            report->end = end;
        }
    }
    if (r->o->sink && !sink_end(r->o->sink) && report->end == SIM_DONE)
        stop(r, SIM_FAILED, "%s", r->o->sink->why);
    retire_solver(r);
    if (r->o->y && r->y) memcpy(r->o->y, r->y, (size_t)r->model->shape.n * sizeof *r->y);
    report->t = r->t;
    report->stats.total_s = clock_wall() - r->began;
}

/* A run that came to its end has one more event: terminal() holds. */
static void end_of_model(Run *r)
{
    Model *inner = r->wrap.inner;
    EventInfo info = { .next_time = INFINITY };
    bool is_fine = r->report->end == SIM_DONE || r->report->end == SIM_TERMINATED;
    if (!inner->type->terminal || !is_fine || r->o->y) return;
    r->finished = false; /* so that a failure of these is told as those before */
    if (inner->type->terminal(inner, r->t, r->y, &info) != EVAL_OK)
        fail_in_model(r, "the equations have no solution in the last event");
    else if (info.rhs_changed)
        write_here(r);
    else if (!r->o->sink && inner->type->values(inner, r->t, r->y, r->values) != EVAL_OK)
        fail_in_model(r, "the values at the end cannot be computed"); /* as rows would have shown */
    r->finished = true;
    pass_notices(r);
}

static void run_all(Run *r)
{
    Model *inner = r->wrap.inner;
    char why[240] = "";
    if (!check_options(r)) return;
    if (!wrap_init(&r->wrap, r->arena, inner, r->o->inputs, why, sizeof why)) {
        stop(r, SIM_WRONG, "%s", why);
        return;
    }
    r->model = r->wrap.use;
    size_t n = (size_t)r->model->shape.n;
    r->y = NEW_ARRAY(r->arena, double, n + 1);
    r->grid_y = NEW_ARRAY(r->arena, double, n + 1);
    r->values = NEW_ARRAY(r->arena, double, (size_t)r->model->shape.value_count + 1);
    r->span = r->o->t_end - r->o->t0;
    plan_grid(r);
    if (r->o->resume ? !resume(r) : !initialise(r) || r->span == 0.0) return;
    if (r->model->can & MODEL_STEPS) {
        if (r->o->checkpoint)
            r->o->checkpoint(r->o->checkpoint_arg, r->t, NULL, 0, "the model integrates itself");
        run_itself(r);
        return;
    }
    if (!r->o->resume) {
        plan_solver(r);
        if (!choose_and_make_solver(r)) return;
    }
    while (!r->finished) {
        check_checkpoint(r);
        if (check_stops(r)) advance(r);
    }
    end_of_model(r);
}

bool sim_run(Model *model, const SimOptions *options, SimReport *report)
{
    *report = (SimReport){
        .end = SIM_DONE, .t = options->t0, .stats = { .solver = "" }, .component = -1, .indicator = -1
    };
    report->stats.work.jacobian_source = report->stats.work.increment = "";
    Arena *arena = arena_new();
    Run *r = arena ? NEW(arena, Run) : NULL;
    if (!r) {
        report->end = SIM_FAILED;
        snprintf(report->message, sizeof report->message, "no memory for the run");
        return false;
    }
    jmp_buf out_of_memory;
    *r = (Run){ .o = options, .report = report, .arena = arena, .time_event = INFINITY, .t = options->t0 };
    r->wrap.inner = r->model = model;
    r->mark = r->began = r->shown = r->saved = clock_wall();
    arena->escape = &out_of_memory;
    /* code of the model may loop for long, or forever */
    Overtime overtime = { .is_over = is_over, .cut = cut, .arg = r };
    if (model->type->cut_short && (options->interrupt || options->time_limit > 0.0))
        overtime_begin(&overtime);
    if (setjmp(out_of_memory))
        stop(r, SIM_FAILED, "no memory for the run");
    else
        run_all(r);
    overtime_end(&overtime);
    arena->escape = NULL;
    finish(r);
    arena_free(arena);
    return report->end == SIM_DONE || report->end == SIM_TERMINATED;
}
