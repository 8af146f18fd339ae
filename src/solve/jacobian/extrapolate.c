/* extrapolate.c: a Jacobian by extrapolated central differences: the reference where a model has no
 * derivatives.
 *
 * In: a model, a point. Out: values of df/dy with ten and more correct digits where f is smooth, in
 * the storage of a Jacobian. How: central differences over LEVELS increments that are halved each
 * time, from an eighth of the size of the unknown; Neville's scheme in the squares of the
 * increments for each entry, which stops where the estimate of the error is least (Ridders 1982).
 * Increments at which f is not defined are left out. Always: y itself is not touched. Cost: 2
 * LEVELS evaluations a colour: for audits and comparisons, not for work. Tests:
 * tests/solve/jacobian_test.c. */
#include "solve/jacobian/inside.h"

enum { LEVELS = 14, ORDERS = 6 };

static const double WIDEST = 0x1p-3; /* of the size of an unknown */

struct Extrapolation {
    double *change[LEVELS]; /* f(y + d) - f(y - d), by row */
    double *width[LEVELS];  /* 2 d, by unknown */
    bool works[LEVELS];
    double *other;
};

Extrapolation *extrapolation_new(Solver *s)
{
    Extrapolation *x = NEW(s->arena, Extrapolation);
    x->other = solver_vector(s);
    for (int l = 0; l < LEVELS; l++) {
        x->change[l] = solver_vector(s);
        x->width[l] = solver_vector(s);
    }
    return x;
}

/* The differences of a group at one level. */
static EvalStatus take_level(Solver *s, Jacobian *jac, double t, const double *y, const int *column, int n,
                             int level)
{
    Extrapolation *x = jac->extrapolation;
    double share = ldexp(WIDEST, -level);
    EvalStatus status = EVAL_OK;
    for (int side = 0; side < 2 && status == EVAL_OK; side++) {
        for (int k = 0; k < n; k++) {
            int j = column[k];
            jac->y[j] = y[j] + (side ? -share : share) * jac->size[j];
            x->width[level][j] = side ? x->width[level][j] - jac->y[j] : jac->y[j];
        }
        s->stats.f_jacobian++;
        status = s->model->type->derivatives(s->model, t, jac->y, side ? x->other : x->change[level]);
    }
    for (int i = 0; i < s->n && status == EVAL_OK; i++) x->change[level][i] -= x->other[i];
    for (int k = 0; k < n; k++) jac->y[column[k]] = y[column[k]];
    x->works[level] = status == EVAL_OK && vector_is_finite(s->n, x->change[level]);
    return status;
}

/* Neville's scheme for one entry. */
static double extrapolate(const Extrapolation *x, int i, int j)
{
    double row[ORDERS], old[ORDERS], best = NAN, least = INFINITY;
    int known = 0;
    for (int l = 0; l < LEVELS; l++) {
        if (!x->works[l]) {
            known = 0;
            continue;
        }
        memcpy(old, row, sizeof old);
        row[0] = x->change[l][i] / x->width[l][j];
        double power = 4.0;
        int top = known < ORDERS - 1 ? known : ORDERS - 1;
        for (int m = 1; m <= top; m++, power *= 4.0) {
            row[m] = row[m - 1] + (row[m - 1] - old[m - 1]) / (power - 1.0);
            double error = fmax(fabs(row[m] - row[m - 1]), fabs(row[m] - old[m - 1]));
            if (error < least) least = error, best = row[m];
        }
        if (known == 0 && isnan(best)) best = row[0];
        known++;
    }
    return best;
}

EvalStatus jacobian_extrapolated(Solver *s, Jacobian *jac, double t, const double *y, const double *f)
{
    EvalStatus status = EVAL_OK;
    IncrementInput in = jacobian_point(s, jac, y, f, 0.0);
    for (int i = 0; i < s->n; i++) jac->size[i] = increment_size(&in, i, 0.0);
    memcpy(jac->y, y, (size_t)s->n * sizeof(double));
    int groups = jac->colouring ? jac->colouring->count : jac->shape->n;
    for (int k = 0; k < groups && status == EVAL_OK; k++) {
        const Colouring *c = jac->colouring;
        const int *column = c ? c->column + c->start[k] : &k;
        int n = c ? c->start[k + 1] - c->start[k] : 1;
        for (int l = 0; l < LEVELS && status != EVAL_FATAL; l++)
            status = take_level(s, jac, t, y, column, n, l);
        if (status == EVAL_RETRY) status = EVAL_OK;
        for (int e = 0; e < n && status == EVAL_OK; e++) {
            int j = column[e], i;
            for (int m = 0; m < column_length(jac->shape, j); m++) {
                size_t place = column_entry(jac->shape, j, m, &i);
                jac->values[place] = extrapolate(jac->extrapolation, i, j);
            }
        }
    }
    return status;
}
