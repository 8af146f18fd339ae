/* secant.c: a Jacobian by differences, corrected so that it is right along the solution.
 *
 * In: plain differences of an f that loses digits (noise.c), the slope v = f(t, y) of the solution.
 * Out: what is added to their entries. Why: a method without iteration whose matrix is W instead of
 * J errs by h^2 (W - J) v in a step and has order 2 only; where W v = J v, the next term has h^3,
 * and entries may be as wrong as before. Cost: two evaluations, O(entries). Tests:
 * tests/solve/jacobian_test.c, delivered_test.c. */
#include "solve/jacobian/inside.h"

/* F at both ends of a short piece of the tangent tells J v to far more digits than entries have,
 * since the piece is far longer than increments. What is missing in a row is spread over its
 * entries, to each by how uncertain it is and how much it takes part: by v_j/delta_j^2 (Schubert's
 * update, weighted). Invariant: rows as exact as their terms stay, and so does the pattern. */

static const double PIECE = 0x1p-12; /* of the size of an unknown: half of the piece */

void secant_setup(Solver *s, Secant *x)
{
    double **const vectors[] = { &x->ahead, &x->behind, &x->way, &x->sum };
    for (size_t k = 0; k < COUNT_OF(vectors); k++) *vectors[k] = solver_vector(s);
    x->row = solver_kept_vector(s);
    x->column = solver_kept_vector(s);
    solver_keep(s, &x->active, sizeof x->active);
}

/* Half of the piece in time: no unknown goes far, and none beyond the step. */
static double reach_of(const Solver *s, const Jacobian *jac, const double *v, double h)
{
    double reach = fabs(h);
    for (int k = 0; k < s->n; k++)
        if (fabs(v[k]) * reach > PIECE * jac->size[k]) reach = PIECE * jac->size[k] / fabs(v[k]);
    return reach;
}

/* f at y + reach v; way becomes the way there from the other end, once both are known. */
static EvalStatus take_end(Solver *s, Jacobian *jac, Secant *x, const DifferencePoint *p, const double *v,
                           double reach, double *f)
{
    for (int k = 0; k < s->n; k++) {
        jac->y[k] = p->y[k] + reach * v[k];
        x->way[k] = jac->y[k] - x->way[k];
    }
    return difference_f(s, jac, p, f);
}

/* Shares of rows and columns of what entries get. */
static void spread(Secant *x, const Jacobian *jac, const double *noise, int n)
{
    const MatrixShape *m = jac->shape;
    matrix_times(m, jac->values, x->way, x->row);
    memset(x->sum, 0, (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++) {
        double share = x->way[j] / jac->delta[j];
        x->column[j] = share / jac->delta[j];
        for (int k = 0, length = column_length(m, j), i; k < length; k++) {
            column_entry(m, j, k, &i);
            x->sum[i] += share * share;
        }
    }
    for (int i = 0; i < n; i++) {
        double miss = x->ahead[i] - x->behind[i] - x->row[i];
        x->row[i] = noise[i] > 0.0 && x->sum[i] > 0.0 ? miss / x->sum[i] : 0.0;
    }
}

EvalStatus secant_measure(Solver *s, Jacobian *jac, Secant *x, double t, const double *y, const double *v,
                          double h)
{
    const double *noise = jacobian_noise(jac);
    DifferencePoint p = { .t = t, .y = y };
    x->active = false;
    if (!noise || s->model->shape.systems > 1) return EVAL_OK;
    double reach = reach_of(s, jac, v, h);
    memset(x->way, 0, (size_t)s->n * sizeof(double));
    EvalStatus status = take_end(s, jac, x, &p, v, -reach, x->behind);
    if (status == EVAL_OK) status = take_end(s, jac, x, &p, v, reach, x->ahead);
    memcpy(jac->y, y, (size_t)s->n * sizeof(double));
    if (status != EVAL_OK) return status == EVAL_RETRY ? EVAL_OK : status;
    spread(x, jac, noise, s->n);
    x->active = vector_is_finite(s->n, x->row) && vector_is_finite(s->n, x->column);
    return EVAL_OK;
}

void secant_apply(const Secant *x, const Jacobian *jac, double *e)
{
    const MatrixShape *m = jac->shape;
    for (int j = 0; j < m->n && x->active; j++)
        for (int k = 0, n = column_length(m, j), i; k < n; k++) {
            size_t at = column_entry(m, j, k, &i);
            e[at] -= x->row[i] * x->column[j];
        }
}
