/* multistep.c: the driver of multistep methods: sizes and orders of steps, rejections, limits,
 * replay, blame.
 *
 * In: a method's attempt(h, order) that works from a history it leaves alone. Out: one accepted
 * step, or a failure that names the component. How: the method proposes; a step is cut to the limit
 * as for one-step methods; after DROP_AFTER failed error tests the history is given up and the
 * method goes on at order 1 (then every such failure, with smaller steps). A recorded step is
 * repeated with its size, order, iterations and decisions. Always: every rejection shrinks the
 * step, and below rounding the run fails, so it ends. Tests: tests/solve/methods_test.c,
 * multistep_test.c. */
#include "solve/core/multistep.h"
#include "solve/core/vectors.h"

/* rescaling amplifies the rounding in high derivatives */
static const double GROWTH_AFTER_CUT = 10.0;
static const double AIMED = 0.95; /* of a step that failed: less is worth a trial */
enum { DROP_AFTER = 3 };

bool multistep_setup(MultiStep *multi, const MultiStepOps *ops)
{
    Solver *s = &multi->base;
    multi->ops = ops;
    solver_keep(s, &multi->state, sizeof multi->state);
    multi->y_new = solver_vector(s);
    multi->error = solver_kept_vector(s);
    multi->weight = solver_kept_vector(s);
    return true;
}

static StepStatus collapse(MultiStep *multi, TryResult result, double h)
{
    return solver_collapse(&multi->base, result, h, multi->error, multi->weight);
}

static StepStatus accept_step(MultiStep *multi, const StepPlan *plan, int order, double error)
{
    Solver *s = &multi->base;
    double proposal = multi->state.h;
    vector_copy(s->n, multi->y_new, s->y);
    multi->t_new = plan->t_new;
    multi->ops->accept(multi, plan->h, order, error);
    bool cut = plan->clipped && !(multi->flags & RECORD_STARTER);
    if (cut && fabs(proposal) > fabs(multi->state.h))
        multi->state.h = copysign(fmin(fabs(proposal), GROWTH_AFTER_CUT * fabs(plan->h)), proposal);
    if (s->options.fixed_step > 0.0) multi->state.h = proposal;
    multi->state.failures = multi->state.error_failures = 0;
    solver_accept(s, plan->t_new, plan->h, order, multi->iterations, multi->flags);
    if (s->failure.kind != FAIL_NONE) return STEP_FAILED;
    return plan->last ? STEP_LIMIT : STEP_TAKEN;
}

static StepStatus drop_history(MultiStep *multi)
{
    Solver *s = &multi->base;
    if (multi->ops->drop(multi) == EVAL_OK) return STEP_TAKEN;
    return solver_fail(s, FAIL_MODEL, multi->state.h, s->blamed, "the model cannot be evaluated again");
}

static StepStatus replay_step(MultiStep *multi, const StepRecord *record, double t_limit)
{
    Solver *s = &multi->base;
    double error = 0.0, beyond = (record->t - t_limit) * s->core.direction;
    if (beyond > 100.0 * UROUND * fabs(t_limit))
        return solver_fail(s, FAIL_REPLAY, record->h, -1, "the recorded step ends beyond the limit");
    if ((record->flags & RECORD_DROP) && drop_history(multi) == STEP_FAILED) return STEP_FAILED;
    multi->record = record;
    multi->flags = record->flags & RECORD_DROP;
    TryResult result = multi->ops->attempt(multi, record->h, record->order, &error);
    multi->record = NULL;
    if (s->failure.kind != FAIL_NONE) return STEP_FAILED;
    if (result != TRY_OK) return collapse(multi, result, record->h);
    StepPlan plan = { .h = record->h, .t_new = record->t, .last = record->t == t_limit };
    multi->state.h = record->h;
    return accept_step(multi, &plan, record->order, error);
}

static StepStatus begin(MultiStep *multi)
{
    Solver *s = &multi->base;
    EvalStatus status = multi->ops->begin(multi);
    if (s->failure.kind != FAIL_NONE) return STEP_FAILED;
    if (status != EVAL_OK)
        return solver_fail(s, FAIL_MODEL, 0.0, s->blamed, "the model cannot be evaluated at the start");
    if (s->options.fixed_step > 0.0) multi->state.h = s->options.fixed_step * s->core.direction;
    multi->state.started = true;
    multi->state.failures = multi->state.error_failures = 0;
    return STEP_TAKEN;
}

/* After a trial that did not count: a smaller proposal, perhaps from a new history. */
static StepStatus retreat(MultiStep *multi, TryResult result, double h, double error)
{
    Solver *s = &multi->base;
    multi->state.failures++;
    if (multi->state.failures == 1) {
        double aim = roots_aim(s, h);
        if (aim != 0.0 && fabs(aim) < AIMED * fabs(h)) {
            multi->state.h = aim;
            return STEP_TAKEN;
        }
    }
    if (result == TRY_OK) {
        multi->state.error_failures++;
        s->blamed = norm_worst(s->n, multi->error, multi->weight);
    }
    multi->ops->reject(multi, result, h, isfinite(error) ? error : 1e10);
    double least = solver_least_step(s);
    if (fabs(multi->state.h) < least) { /* the least one is tried before all is lost */
        if (!(fabs(h) > least)) return collapse(multi, result, multi->state.h);
        multi->state.h = copysign(least, h);
    }
    if (result != TRY_OK || multi->state.error_failures < DROP_AFTER) return STEP_TAKEN;
    multi->flags |= RECORD_DROP;
    return drop_history(multi);
}

StepStatus multistep_step(Solver *s, double t_limit)
{
    MultiStep *multi = (MultiStep *)s;
    multi->t_limit = t_limit;
    if (!multi->state.started && begin(multi) == STEP_FAILED) return STEP_FAILED;
    const StepRecord *record = solver_replay(s);
    if (record) return replay_step(multi, record, t_limit);
    bool fixed = s->options.fixed_step > 0.0;
    multi->flags = 0;
    for (;;) {
        StepPlan plan = solver_plan(s, multi->state.h, t_limit);
        int order = multi->state.order;
        double error = 0.0;
        if (!solver_count_attempt(s, plan.h)) return STEP_FAILED;
        multi->flags &= RECORD_DROP;
        TryResult result = multi->ops->attempt(multi, plan.h, order, &error);
        if (s->failure.kind != FAIL_NONE) return STEP_FAILED;
        if (result == TRY_OK && (fixed || error <= 1.0)) return accept_step(multi, &plan, order, error);
        solver_reject(s, result);
        if (result == TRY_FATAL || fixed) return collapse(multi, result, plan.h);
        if (retreat(multi, result, plan.h, error) == STEP_FAILED) return STEP_FAILED;
    }
}
