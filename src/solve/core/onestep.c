/* onestep.c: the driver of one-step methods: step sizes, rejections, limits, replay, blame.
 *
 * In: a method's attempt(h) that computes y_new and its weighted error. Out: one accepted step, or
 * a failure that names the component. How: the controller of the method proposes; a step that would
 * nearly reach the limit is stretched to it, one that would leave a crumb takes half of the way;
 * NaN and failed evaluations quarter the step, failed Newton iterations shrink it as the method
 * says. After an event the first step is the one that would have been right after the last event of
 * its kind (what changed, and the size of f), or the last one before the event. A recorded step is
 * repeated as it was, without an error test. Always: every rejection shrinks the step, and below
 * rounding the run fails, so it ends. Tests: tests/solve/doors_test.c, methods_test.c. */
#include "solve/core/onestep.h"

static const double MODEL_FAILURE_FACTOR = 0.25;
/* reach the limit in one step if it is at most this many steps away */
static const double STRETCH = 1.01;
static const double ALIKE = 0.7;  /* of logarithms of ||f|| of events of one kind */
static const double FAINT = 1e-3; /* sizes below count as this, in tolerances */
static const double LESS_TRUST = 0.85, MORE_TRUST = 1.05;
static const double SPAN_FADES = 0.5; /* of the longest time between events, with each */
static const double NEW_SHARE = 0.1;  /* of the step before an event of a new kind */
static const double FIRST_SHARE =
    0.5; /* of the right step: events are looked for on dense output, which errs by more */
static const double USUAL_BETA = 0.04; /* of PI control, where a method has none of its own */
static const double TWO_STEPS = 1.8;   /* in two equal ones below this many */

static void choose_control(Control *c, Controller controller)
{
    static const ControlKind kinds[] = { [CONTROLLER_INTEGRAL] = CONTROL_INTEGRAL,
                                         [CONTROLLER_PI] = CONTROL_PI,
                                         [CONTROLLER_PREDICTIVE] = CONTROL_PREDICTIVE,
                                         [CONTROLLER_FILTER] = CONTROL_FILTER };
    c->kind = kinds[controller];
    if (c->beta == 0.0) c->beta = USUAL_BETA;
}

bool onestep_setup(OneStep *one, const OneStepOps *ops, Control control)
{
    Solver *s = &one->base;
    one->ops = ops;
    one->state.control = control;
    if (s->options.controller) choose_control(&one->state.control, s->options.controller);
    solver_keep(s, &one->state, sizeof one->state);
    one->y_new = solver_vector(s);
    solver_keep_place(s, &one->y_start);
    one->error = solver_vector(s);
    one->weight = solver_vector(s);
    return true;
}

bool onestep_restart(Solver *s, RestartHint hint)
{
    OneStep *one = (OneStep *)s;
    if (hint != RESTART_UNCHANGED) control_restart(&one->state.control);
    one->state.hint = hint;
    one->state.started = false;
    one->state.failures_in_a_row = 0;
    return true;
}

/* The first step after an event, from events like it. */
static double recall_step(OneStep *one)
{
    Solver *s = &one->base;
    const double *f = one->ops->slope ? one->ops->slope(one) : NULL;
    double mark =
        f && solver_weights(s, s->y, one->weight) ? log(fmax(norm_rms(s->n, f, one->weight), FAINT)) : 0.0;
    double least = ALIKE, h = fabs(one->state.h);
    int kinds = one->state.remembered < STEP_MEMORY ? one->state.remembered : STEP_MEMORY, found = -1;
    for (int k = 0; k < kinds; k++) {
        const StepMemory *m = &one->state.memory[k];
        double away = m->hint == one->state.hint ? fabs(m->mark - mark) : INFINITY;
        if (away < least) least = away, found = k;
    }
    if (found < 0) {
        found = one->state.remembered++ % STEP_MEMORY;
        one->state.memory[found] = (StepMemory){ .hint = one->state.hint, .trust = 1.0 };
    }
    StepMemory *m = &one->state.memory[found];
    one->state.present = found;
    m->mark = mark;
    /* the next event may come as soon, and hide in a longer step */
    one->state.span = fmax(fabs(s->core.t - one->state.t_event), SPAN_FADES * one->state.span);
    one->state.t_event = s->core.t;
    double first = m->reach > 0.0 ? FIRST_SHARE * m->trust * m->reach : NEW_SHARE * h;
    return s->roots.m > 0 && one->state.span > 0.0 ? fmin(first, one->state.span) : first;
}

/* After the first step after an event, which was `asked` long before a limit cut it: `next` would
 * have been right. */
static void learn_step(OneStep *one, const StepPlan *plan, double next)
{
    StepMemory *m = &one->state.memory[one->state.present];
    double asked = fabs(one->state.h);
    m->reach = plan->clipped ? fmax(fabs(next), asked) : fabs(next);
    m->trust = one->state.failures_in_a_row > 0 ? m->trust * LESS_TRUST : fmin(1.0, m->trust * MORE_TRUST);
}

StepPlan solver_plan(const Solver *s, double h, double t_limit)
{
    double way = t_limit - s->core.t;
    if (s->options.max_step > 0.0) h = copysign(smaller(fabs(h), s->options.max_step), h);
    StepPlan plan = { .h = h };
    double least_stretch = s->options.fixed_step > 0.0 ? 1.0 + 1e-10 : STRETCH;
    if (fabs(way) <= fabs(h) * least_stretch) {
        plan.last = true;
        plan.clipped = fabs(way) < fabs(h);
        plan.h = way;
    } else if (fabs(way) < fabs(h) * TWO_STEPS && !(s->options.fixed_step > 0.0)) {
        plan.clipped = true;
        plan.h = 0.5 * way;
    }
    plan.t_new = plan.last ? t_limit : s->core.t + plan.h;
    return plan;
}

StepStatus solver_collapse(Solver *s, TryResult result, double h, const double *error, const double *weight)
{
    switch (result) {
    case TRY_OK:
        return solver_fail(
            s, FAIL_STEP_TOO_SMALL, h, norm_worst(s->n, error, weight),
            "the error test fails down to the smallest step (a discontinuity without an event?)");
    case TRY_NEWTON:
        return solver_fail(s, FAIL_STEP_TOO_SMALL, h, s->blamed,
                           "Newton's method fails down to the smallest step");
    case TRY_MODEL: return solver_fail(s, FAIL_MODEL, h, s->blamed, "the model gives no number");
    case TRY_SINGULAR: return solver_fail(s, FAIL_SINGULAR, h, s->blamed, "the iteration matrix is singular");
    default: return solver_fail(s, FAIL_MODEL, h, s->blamed, "the model gave up");
    }
}

void solver_reject(Solver *s, TryResult result)
{
    if (result == TRY_OK)
        s->stats.rejected_error++;
    else if (result == TRY_MODEL)
        s->stats.rejected_model++;
    else
        s->stats.rejected_newton++;
}

static StepStatus collapse(OneStep *one, TryResult result, double h)
{
    return solver_collapse(&one->base, result, h, one->error, one->weight);
}

double onestep_first_of_mass(const Solver *s)
{
    return fmin(1e-6, 1e-3 * (isinf(s->core.t_end) ? 1.0 : fabs(s->core.t_end - s->core.t)));
}

/* The next size after a trial that did not count. */
static double smaller_step(OneStep *one, TryResult result, double h, double error)
{
    if (result == TRY_OK) {
        double next = control_rejected(&one->state.control, h, error, one->safety);
        /* every rejection shrinks the step, whatever the method thinks */
        if (one->proposal != 0.0) return copysign(fmin(fabs(one->proposal), 0.9 * fabs(h)), h);
        /* the first step of a run is a guess; do not approach from far above in small steps */
        if (one->base.stats.steps == 0 && one->state.failures_in_a_row == 0)
            next = fmin(fabs(next), 0.1 * fabs(h)) * copysign(1.0, h);
        return next;
    }
    one->state.control.after_reject = true;
    return h * (result == TRY_MODEL ? MODEL_FAILURE_FACTOR : one->retry_factor);
}

void onestep_move_on(OneStep *one)
{
    vector_swap(&one->base.y, &one->y_start);
    vector_swap(&one->base.y, &one->y_new);
}

static StepStatus accept_step(OneStep *one, const StepPlan *plan, double error)
{
    Solver *s = &one->base;
    TryResult result = one->ops->accept(one, plan->h);
    if (result != TRY_OK) return collapse(one, result, plan->h);
    bool fixed = s->options.fixed_step > 0.0;
    if (!fixed) {
        double next = control_accepted(&one->state.control, plan->h, error, one->safety);
        if (one->proposal != 0.0) next = one->proposal;
        if (s->core.restarted && one->state.remembered > 0) learn_step(one, plan, next);
        if (!plan->clipped || fabs(next) > fabs(one->state.h)) one->state.h = next;
    }
    one->state.failures_in_a_row = 0;
    onestep_move_on(one);
    solver_accept(s, plan->t_new, plan->h, one->order, one->iterations, one->flags);
    return plan->last ? STEP_LIMIT : STEP_TAKEN;
}

static StepStatus replay_step(OneStep *one, const StepRecord *record, double t_limit)
{
    Solver *s = &one->base;
    double error = 0.0, beyond = (record->t - t_limit) * s->core.direction;
    if (beyond > 100.0 * UROUND * fabs(t_limit))
        return solver_fail(s, FAIL_REPLAY, record->h, -1, "the recorded step ends beyond the limit");
    TryResult result = one->ops->attempt(one, record->h, &error);
    if (result == TRY_MODEL || result == TRY_FATAL || result == TRY_SINGULAR)
        return collapse(one, result, record->h);
    StepPlan plan = { .h = record->h, .t_new = record->t, .last = record->t == t_limit };
    one->state.h = record->h;
    return accept_step(one, &plan, error);
}

/* Chooses h where there is none, through the method's begin. */
StepStatus onestep_begin(OneStep *one)
{
    Solver *s = &one->base;
    EvalStatus status = one->ops->begin(one);
    if (s->failure.kind != FAIL_NONE) return STEP_FAILED;
    if (status != EVAL_OK)
        return solver_fail(s, FAIL_MODEL, 0.0, s->blamed, "the model cannot be evaluated at the start");
    if (s->options.fixed_step > 0.0)
        one->state.h = s->options.fixed_step * s->core.direction;
    else if (s->core.restarted && one->state.h != 0.0 && one->state.hint != RESTART_UNCHANGED)
        one->state.h = recall_step(one) * s->core.direction;
    else if (one->state.h == 0.0 || s->stats.steps == 0)
        one->state.h = (s->options.initial_step > 0.0 ? s->options.initial_step : fabs(one->state.h)) *
                       s->core.direction;
    one->state.started = true;
    return STEP_TAKEN;
}

StepStatus onestep_step(Solver *s, double t_limit)
{
    OneStep *one = (OneStep *)s;
    if (!one->state.started && onestep_begin(one) == STEP_FAILED) return STEP_FAILED;
    const StepRecord *record = solver_replay(s);
    if (record) return replay_step(one, record, t_limit);
    for (;;) {
        StepPlan plan = solver_plan(s, one->state.h, t_limit);
        double error = 0.0;
        if (!solver_count_attempt(s, plan.h)) return STEP_FAILED;
        TryResult result = one->ops->attempt(one, plan.h, &error);
        if (s->failure.kind != FAIL_NONE) return STEP_FAILED;
        bool fixed = s->options.fixed_step > 0.0;
        if (result == TRY_OK && (fixed || error <= 1.0)) return accept_step(one, &plan, error);
        solver_reject(s, result);
        if (result == TRY_OK) s->blamed = norm_worst(s->n, one->error, one->weight);
        if (result == TRY_FATAL || fixed) return collapse(one, result, plan.h);
        one->state.h = smaller_step(one, result, plan.h, isfinite(error) ? error : 1e10);
        one->state.failures_in_a_row++;
        if (fabs(one->state.h) < solver_least_step(s)) return collapse(one, result, one->state.h);
    }
}
