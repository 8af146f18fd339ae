/* irk_estimate.c: how large the error of a step of a collocation method is.
 *
 * In: stages of a step, the factors of c L - J, c = gamma/h. Out: the error in tolerances, and the
 * power of h that it follows. How: the first estimate e is the distance from an embedded formula,
 * damped by the factors, in tolerances that let the error of the whole order follow rtol. Stiff
 * problems do not see that order, and a jump of f leaves none: a second estimate sees the one, and
 * a first one that is far above what was to be expected shows the other. Always: what is found out
 * about one step is in the state, so that runs repeat. Cost: a solve, and with a second estimate 2
 * to 4 more. Tests: tests/solve/delivered_test.c, methods_test.c. */
#include "solve/methods/irk/inside.h"

/* Of the tolerance, for the second estimate; damped by F it is smaller. */
static const double REFINED_SHARE = 0.5, DAMPED_SHARE = 0.1;
/* An estimate that is so many times what was to be expected shows a jump, and follows this power of
 * h. */
static const double MOST_RISE = 100.0, ROUGH_POWER = 2.0;

/* Whether there is a second estimate with so many stages. Not for unknowns of index 2: there e has
 * what is wrong with constraints, whatever h is. */
bool irk_refines(const Irk *irk, int s)
{
    const Solver *base = &irk->one.base;
    return s > 2 && irk->spec->family == COLLOCATION_RADAU && irk->index_most < 2 &&
           base->model->shape.systems <= 1 && base->options.rtol > 0.0 && !irk_is_fixed(irk);
}

/* The right-hand side of the error formula with f taken at y + shift (NULL: y; may be `out`). */
static EvalStatus error_defect(Irk *irk, double h, const double *shift, double *out)
{
    Solver *s = &irk->one.base;
    const Collocation *m = irk->method[irk->state.s];
    TransformWork work = irk_work(irk);
    EvalStatus status = shift || irk->residual ? EVAL_OK : irk_evaluate_start(irk);
    if (status != EVAL_OK) return status;
    if (!shift && irk_is_plain(irk)) {
        transform_sum(&work, m->e, m->gamma / h, irk->f0, out);
        return EVAL_OK;
    }
    transform_sum(&work, m->e, m->gamma / h, NULL, irk->slope);
    for (int k = 0; k < s->n; k++) irk->stage[k] = s->y[k] + (shift ? shift[k] : 0.0);
    if (irk->residual) {
        for (int k = 0; k < s->n; k++) irk->slope[k] = -irk->slope[k];
        status = solver_residual(s, s->core.t, irk->stage, irk->slope, out);
        for (int k = 0; k < s->n; k++) out[k] = -out[k];
        return status;
    }
    if (shift)
        status = solver_f(s, s->core.t, irk->stage, out);
    else
        vector_copy(s->n, irk->f0, out);
    if (status == EVAL_OK) model_add_mass(s->model, 1.0, irk->slope, out);
    return status;
}

Damping irk_damping(const Irk *irk, double c)
{
    return (Damping){
        .lu = irk->real, .c = c, .shape = irk->jac.shape, .mass = irk->residual ? irk->jac.mass : NULL
    };
}

static int refining_rounds(const Irk *irk)
{
    return irk_refines(irk, irk->state.s) ? irk->state.s / 2 + 1 : 0;
}

/* (1 - F)^k e from e, whose square is known, in irk->stage, and the squares of all of them; returns
 * how many. What L does not see, Newton's errors of algebraic unknowns, is damped away before. */
static int refine(Irk *irk, double h, double *square)
{
    Solver *s = &irk->one.base;
    double *u = irk->stage, *v = irk->slope, c = irk->method[irk->state.s]->gamma / h;
    int rounds = 0;
    Damping f = irk_damping(irk, c);
    bool damped = !irk_is_plain(irk);
    const double *from = damped ? u : irk->one.error;
    if (damped) {
        damp(s, &f, irk->one.error, u);
        square[0] = norm_square(s->n, u, irk->one.weight);
    }
    vector_scale(s->n, c, from, v);
    for (; rounds < refining_rounds(irk) && square[rounds] > 0.0; rounds++, from = u) {
        damp_scaled(s, &f, from, v);
        square[rounds + 1] = damping_take_square(s->n, c, from, irk->one.weight, u, v);
    }
    if (from != u) vector_copy(s->n, from, u);
    return rounds;
}

/* (1 - F)^k e has k orders more than the estimate e where h J is small, and is e where stiffness
 * takes the order: close to the error itself. In tolerances; `order` is the power of h that it
 * follows, where it is more than `first`. Roots are taken at the end, so that no solution waits for
 * them. */
static double refined(const Irk *irk, const double *square, int rounds, double first, double *order)
{
    const Solver *s = &irk->one.base;
    int stages = irk->state.s;
    double share = irk_is_plain(irk) ? REFINED_SHARE : DAMPED_SHARE;
    double second = sqrt(square[rounds]) * irk->inner[stages] / (share * s->options.rtol);
    *order = stages + 1.0;
    for (int k = 0; k < rounds && second > first; k++)
        *order += larger(0.0, 1.0 - sqrt(square[k + 1] / square[k]));
    return second;
}

/* The second estimate if it is larger than the first one, with the power of h that it follows;
 * `stays`: it does not get less with h as an error would. */
static double larger_estimate(Irk *irk, double h, double first, const double *square, int rounds, bool *stays)
{
    OneStep *one = &irk->one;
    bool refines = irk_refines(irk, irk->state.s);
    double order = 0.0, second = refines ? refined(irk, square, rounds, first, &order) : 0.0;
    bool is_again = one->state.control.after_reject && irk->state.t_second == one->base.core.t;
    *stays = is_again && second >= 1.0 && second > irk->state.second * sqrt(h / irk->state.h_second);
    irk->state.second = second;
    irk->state.h_second = h;
    irk->state.t_second = one->base.core.t;
    one->state.control.k = second > first ? order : irk->method[irk->state.s]->s + 1.0;
    return second > first ? second : first;
}

/* With a jump in f the first estimate is as large as the error, and nothing is of higher order. One
 * gives itself away by an estimate far above what the last step lets expect. From there to the end
 * of that step the estimate is held to rtol itself as long as it gets less with h as errors do that
 * a jump makes: not as that of a smooth solution, and not as noise, which stays. */
static double rough_estimate(Irk *irk, double h, double first, double *order)
{
    OneStep *one = &irk->one;
    const Solver *s = &one->base;
    int stages = irk->state.s;
    double t = s->core.t, error = first * irk->inner[stages] / (REFINED_SHARE * s->options.rtol);
    bool is_again = one->state.control.after_reject && irk->state.t_second == t;
    bool is_rough = (irk->state.rough_end - t) * s->core.direction > 0.0;
    *order = ROUGH_POWER;
    if (is_rough && is_again) {
        double ratio = h / irk->state.h_second, less = first / irk->state.first;
        is_rough = less <= sqrt(ratio) && less > pow(ratio, 0.5 * stages);
        if (!is_rough) irk->state.rough_end = t;
    } else if (!is_rough && !is_again && irk->state.h_accepted != 0.0) {
        double expected = times_power(irk->state.first_accepted, h / irk->state.h_accepted, stages + 1);
        is_rough = error > 1.0 && first > MOST_RISE * expected;
        if (is_rough) irk->state.rough_end = t + h, *order = stages + 1.0;
        if (is_rough && first > 1.0) error = first;
    }
    irk->state.first = first;
    return is_rough ? error : 0.0;
}

/* The first estimate, with f at y + shift, and what the second one is made of: `first` and the
 * others may differ by what L does not see. */
static EvalStatus estimates(Irk *irk, double h, const double *shift, double *first, double *square,
                            int *rounds)
{
    OneStep *one = &irk->one;
    Solver *s = &one->base;
    EvalStatus status = error_defect(irk, h, shift, one->error);
    if (status != EVAL_OK) return status;
    lu_solve(irk->real, one->error);
    s->stats.solves++;
    square[0] = norm_square(solver_counted(s), one->error, one->weight);
    *first = sqrt(square[0]);
    *rounds = irk_refines(irk, irk->state.s) ? refine(irk, h, square) : 0;
    return EVAL_OK;
}

/* The estimate; a large one is filtered once more where the start may be rough (first step, after a
 * rejection). So is the second one where a shorter step did not make it less: what a stiff unknown
 * is off its slow solution at the start is no error of this step. */
TryResult irk_estimate(Irk *irk, double h, double *error)
{
    OneStep *one = &irk->one;
    Solver *s = &one->base;
    const double *shift = NULL;
    bool rough = s->stats.steps == 0 || one->state.control.after_reject || s->core.restarted, stays;
    for (int round = 0; round < 2; round++) {
        double first, rough_error = 0.0, order = 0.0, square[COLLOCATION_STAGES];
        int rounds;
        EvalStatus status = estimates(irk, h, shift, &first, square, &rounds);
        if (status != EVAL_OK) return of_eval(status);
        if (round == 0 && irk_refines(irk, irk->state.s)) rough_error = rough_estimate(irk, h, first, &order);
        *error = larger_estimate(irk, h, first, square, rounds, &stays);
        if (rough_error > 1.0 && rough_error >= *error) {
            *error = rough_error;
            one->state.control.k = order;
            break;
        }
        if ((first < 1.0 && !stays) || !rough) break;
        shift = one->error;
    }
    return TRY_OK;
}
