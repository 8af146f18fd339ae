/* irk_end.c: where a step of a collocation method ends.
 *
 * In: stages of a step. Out: y at its end, and y' of residual models. Cost: one to three
 * evaluations and solves a step with algebraic equations, none without. Source: the projection of
 * Ascher and Petzold, SIAM J. Numer. Anal. 28 (1991), for index 1. Tests: tests/solve/dae_test.c.
 */
#include "solve/methods/irk/inside.h"

/* Radau IIA has a stage there. The polynomial of Gauss methods, continued to the end, is right for
 * what is integrated, but algebraic unknowns have the order s there or s + 1, and what was wrong
 * with them at the start is as wrong, with the other sign for odd s. So what algebraic equations
 * say there is found by d with f(t, y + d) = L (u' + c d), u' the slope of the polynomial, by
 * Newton's method with J of the step; c is so large that differential unknowns move by (y' - u')/c,
 * far below the error of a step. Dense output gets d times the polynomial that is 0 at the start
 * and all stages and 1 at the end. Invariant: iterations depend on this step alone, so that a
 * replay takes the same. */

static const double STIFFEST = 1e6; /* c over that of the step's own matrix */

double irk_end_shift(const Irk *irk, double h) { return STIFFEST * irk->method[irk->state.s]->gamma / h; }

void irk_end_setup(Irk *irk)
{
    Solver *s = &irk->one.base;
    IrkEnd *end = &irk->end;
    end->is_there = irk->spec->family == COLLOCATION_GAUSS && (irk->residual || irk->consistent.is_singular);
    if (!end->is_there) return;
    end->lu = lu_new(s->arena, irk->jac.shape, false);
    solver_keep_lu(s, end->lu, &irk->state.factored);
    end->bend = solver_kept_vector(s);
    end->slope = solver_vector(s);
}

/* The right-hand side of an update of d: f(t, y + d) - L (y' + c d), or -F(t, y + d, y' + c d). */
static EvalStatus defect(Irk *irk, double t, double c, const double *d, double *r)
{
    Solver *s = &irk->one.base;
    double *y = irk->stage, *slope = irk->slope;
    vector_sum(s->n, irk->one.y_new, 1.0, d, y);
    vector_sum(s->n, irk->end.slope, c, d, slope);
    EvalStatus status = irk->residual ? solver_residual(s, t, y, slope, r) : solver_f(s, t, y, r);
    if (irk->residual)
        vector_scale(s->n, -1.0, r, r);
    else if (status == EVAL_OK)
        model_add_mass(s->model, -1.0, slope, r);
    return status;
}

static TryResult meet_constraints(Irk *irk, double h)
{
    Solver *s = &irk->one.base;
    double t = s->core.t + h, c = irk_end_shift(irk, h), *d = irk->end.bend, *r = irk->r[0];
    Newton newton = irk->newton;
    NewtonVerdict verdict = NEWTON_GO_ON;
    newton.eta = 1.0;
    newton_start(&newton);
    memset(d, 0, (size_t)s->n * sizeof *d);
    while (verdict == NEWTON_GO_ON) {
        EvalStatus status = defect(irk, t, c, d, r);
        if (status != EVAL_OK) return of_eval(status);
        lu_solve(irk->end.lu, r);
        s->stats.solves++;
        s->stats.newton++;
        vector_add(s->n, 1.0, r, d);
        verdict = newton_watch_square(&newton, norm_square(s->n, r, irk->one.weight));
    }
    if (verdict != NEWTON_DONE) {
        s->blamed = norm_worst(s->n, r, irk->one.weight);
        irk->one.retry_factor = newton.suggestion;
        irk->state.newton_failed = irk->state.want_jacobian = true;
        return TRY_NEWTON;
    }
    vector_add(s->n, 1.0, d, irk->one.y_new);
    vector_add(s->n, c, d, irk->end.slope);
    return TRY_OK;
}

TryResult irk_end_step(Irk *irk, double h)
{
    const Collocation *m = irk->method[irk->state.s];
    TransformWork work = irk_work(irk);
    if (m->family == COLLOCATION_RADAU && !irk->variation.is_there) {
        vector_swap(&irk->stages[m->s - 1], &irk->one.y_new);
        return TRY_OK;
    }
    transform_sum(&work, m->d, 1.0, irk->one.base.y, irk->one.y_new);
    if (!irk->end.is_there) return TRY_OK;
    transform_sum(&work, m->ahead[0], 1.0 / h, NULL, irk->end.slope);
    return meet_constraints(irk, h);
}

/* y' at the end of an accepted step: of Radau methods the slope of the polynomial at the last
 * stage. */
void irk_end_slope(Irk *irk, double h)
{
    Solver *s = &irk->one.base;
    TransformWork work = irk_work(irk);
    if (irk->end.is_there)
        vector_copy(s->n, irk->end.slope, s->yp);
    else
        transform_sum(&work, irk->method[irk->state.s]->ahead[0], 1.0 / h, NULL, s->yp);
}

void irk_end_bend(const Irk *irk, double x, double *y)
{
    const Collocation *m = irk->method[irk->state.s_old];
    double product = x;
    for (int i = 0; i < m->s; i++) product *= (x - m->c[i]) / (1.0 - m->c[i]);
    if (irk->end.is_there) vector_add(irk->one.base.n, product, irk->end.bend, y);
}
