/* implicit_starter.c: one step of Radau IIA with three stages that gives a stiff multistep method
 * its history.
 *
 * In: (t, y), y' for residual forms, a step H. Out: y at t + H, an error estimate, and the
 * collocation polynomial, with the next term from the estimate of degree 4, from which the history
 * of order 4 is sampled. Cost: 3 evaluations a Newton iteration, one real and one complex
 * factorisation. Tests: tests/solve/starter_test.c. */
#include "solve/core/onestep.h"
#include "solve/history/history.h"
#include "solve/methods/irk/irk.h"

/* The integrator radau5 is there as a whole (Jacobian, real and complex factors, simplified Newton,
 * consistent algebraic unknowns after an event); only its own step control is left aside, since the
 * driver of the multistep method accepts and rejects. The estimate counts in the tolerances of the
 * multistep method, for it is the polynomial, O(H^5), that matters, not the result, O(H^6). The
 * Jacobian is kept over events until Newton complains. Invariant: its work is counted as that of
 * the multistep method; its state is saved with it. */

bool implicit_setup(Solver *s, ImplicitStarter *starter)
{
    Problem problem = { s->model, s->core.t, s->core.t_end, s->y, s->yp };
    SolverOptions options = s->options;
    options.record = NULL;
    options.initial_step = 0.0;
    starter->inner = solver_create(&solver_radau5, &problem, &options, &s->failure);
    if (!starter->inner) return false;
    s->failure = (SolverFailure){ .component = -1 };
    for (uint32_t i = 0; i < starter->inner->kept.n; i++)
        vec_push(s->arena, &s->kept, starter->inner->kept.at[i]);
    return true;
}

void implicit_destroy(ImplicitStarter *starter) { solver_destroy(starter->inner); }

bool implicit_restored(ImplicitStarter *starter)
{
    Solver *inner = starter->inner;
    if (!inner) return true;
    inner->failure = (SolverFailure){ .component = -1 };
    return inner->type->restored(inner);
}

bool implicit_wanted(const Solver *s)
{
    const Model *model = s->model;
    if (s->options.starter == STARTER_CLASSIC || s->options.fixed_step > 0.0) return false;
    return s->options.starter == STARTER_RK_STATE || model->type->event || model->shape.indicators > 0;
}

static void add_work(SolverStats *to, SolverStats *from)
{
    to->f += from->f;
    to->f_jacobian += from->f_jacobian;
    to->jacobians += from->jacobians;
    to->factors += from->factors;
    to->solves += from->solves;
    to->newton += from->newton;
    *from = (SolverStats){ .jacobian_source = from->jacobian_source,
                           .increment = from->increment,
                           .colours = from->colours };
}

EvalStatus implicit_begin(Solver *s, ImplicitStarter *starter, double H)
{
    Solver *inner = starter->inner;
    OneStep *one = (OneStep *)inner;
    size_t bytes = (size_t)s->n * sizeof(double);
    inner->core.t = inner->core.t_old = s->core.t;
    inner->core.direction = s->core.direction;
    inner->core.restarted = 1;
    inner->failure = (SolverFailure){ .component = -1 };
    memcpy(inner->y, s->y, bytes);
    memcpy(inner->yp, s->yp, bytes);
    inner->type->restart(inner, RESTART_JUMP);
    one->state.h = H;
    EvalStatus status = one->ops->begin(one);
    irk_trust_jacobian(inner);
    add_work(&s->stats, &inner->stats);
    if (inner->failure.kind != FAIL_NONE) s->failure = inner->failure;
    if (status == EVAL_OK) memcpy(s->y, inner->y, bytes); /* algebraic unknowns may have moved */
    return status;
}

TryResult implicit_attempt(Solver *s, ImplicitStarter *starter, double H, const double *weight,
                           MultiStep *multi, double *error)
{
    Solver *inner = starter->inner;
    OneStep *one = (OneStep *)inner;
    double own = 0.0;
    inner->core.replayed = s->core.replayed;
    TryResult result = one->ops->attempt(one, H, &own);
    add_work(&s->stats, &inner->stats);
    if (inner->failure.kind != FAIL_NONE) s->failure = inner->failure;
    if (result != TRY_OK) {
        s->blamed = inner->blamed;
        return result;
    }
    memcpy(multi->y_new, one->y_new, (size_t)s->n * sizeof(double));
    memcpy(multi->error, one->error, (size_t)s->n * sizeof(double));
    multi->iterations = one->iterations;
    *error = norm_rms(s->n, one->error, weight);
    return TRY_OK;
}

unsigned implicit_accept(ImplicitStarter *starter, double H)
{
    OneStep *one = (OneStep *)starter->inner;
    one->ops->accept(one, H);
    onestep_move_on(one);
    return one->flags;
}

void implicit_lend_jacobian(const ImplicitStarter *starter, Jacobian *to)
{
    const Jacobian *from = irk_jacobian(starter->inner);
    to->have = from->have;
    if (from->have) memcpy(to->values, from->values, from->shape->size * sizeof(double));
}

void implicit_sample(const ImplicitStarter *starter, double t, double *y)
{
    irk_sample(starter->inner, t, y);
}
