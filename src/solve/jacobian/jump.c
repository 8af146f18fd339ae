/* jump.c: difference Jacobians at points next to a jump of f that no indicator tells.
 *
 * In: a Jacobian by differences with the default rule, its point and increments. Out: the same,
 * without quotients across the jump. Such a quotient is the jump over the increment; updates of
 * Newton's method by it are next to nothing, pass for convergence, and the solution follows its
 * prediction wherever that goes. Cost: one evaluation where f changes that much, two a colour where
 * the matrix is wrong. Tests: tests/solve/jump_test.c. */
#include "solve/jacobian/inside.h"

/* Where an increment changes f by a part of f itself, f is taken once with all unknowns on the
 * other side of the point, and compared with what the matrix says. In rows that disagree quotients
 * of smaller increments tell: one that is the same is no jump; one that is far smaller is on this
 * side of it, and counts; one that grew as the increment shrank still lies across, and the one from
 * the other side of the point counts. Invariant: a slope, however steep, stays, and so does one at
 * a kink. */

static const double SUSPICIOUS = 0x1p-10; /* of f: a change by an increment */
static const double WRONG = 0.5;          /* of a change: how far the matrix is off */
static const double NOISE = 256.0;        /* rounding errors of the terms of f */
static const double SHORTER = 0x1p-3;     /* of an increment */
static const double GREW = 4.0;           /* quotients of the shorter one, across a jump: 8 times */
static const double SHRANK = 0.5;         /* and on this side of it */

struct Jump {
    double *delta, *f, *said, *terms;
    unsigned char *wrong; /* by row */
};

Jump *jump_new(Solver *s)
{
    Jump *j = NEW(s->arena, Jump);
    double **const vectors[] = { &j->delta, &j->f, &j->said, &j->terms };
    for (size_t k = 0; k < COUNT_OF(vectors); k++) *vectors[k] = solver_vector(s);
    j->wrong = NEW_ARRAY(s->arena, unsigned char, (size_t)s->n + 1);
    return j;
}

/* How large the terms of f are, and whether an increment changes some row by a part of it that
 * rounding does not explain. */
static bool is_suspicious(Solver *s, const Jacobian *jac, const DifferencePoint *p, const double *f0)
{
    const MatrixShape *m = jac->shape;
    double *terms = jac->jump->terms;
    bool much = false;
    for (int i = 0; i < s->n; i++) terms[i] = fabs(f0[i]);
    for (int j = 0; j < m->n; j++)
        for (int k = 0, n = column_length(m, j), i; k < n; k++) {
            double value = fabs(jac->values[column_entry(m, j, k, &i)]);
            much |= value * fabs(jac->delta[j]) > SUSPICIOUS * fabs(f0[i]);
            terms[i] += value * fabs(p->y[j]);
        }
    return much;
}

/* f with all unknowns moved by `share` of their increments; those that would leave their bounds
 * stay. */
static EvalStatus move_all(Solver *s, Jacobian *jac, const DifferencePoint *p, double share)
{
    const ModelShape *m = &s->model->shape;
    Jump *jump = jac->jump;
    for (int j = 0; j < s->n; j++) {
        double to = p->y[j] + share * jac->delta[j];
        if (m->low && m->high && (to < m->low[j] || to > m->high[j])) to = p->y[j];
        jac->y[j] = to;
        jump->delta[j] = to - p->y[j];
    }
    EvalStatus status = difference_f(s, jac, p, jump->f);
    memcpy(jac->y, p->y, (size_t)s->n * sizeof(double));
    return status;
}

/* Marks rows of which the matrix says something else than f on the other side of the point. */
static bool find_wrong(Solver *s, Jacobian *jac, const double *f0)
{
    Jump *jump = jac->jump;
    bool any = false;
    matrix_times(jac->shape, jac->values, jump->delta, jump->said);
    for (int i = 0; i < s->n; i++) {
        double change = jump->f[i] - f0[i], miss = fabs(change - jump->said[i]);
        double most = fmax(fabs(change), fabs(jump->said[i]));
        jump->wrong[i] = miss > WRONG * most && miss > NOISE * UROUND * jump->terms[i];
        any |= jump->wrong[i];
    }
    return any;
}

/* f with a group moved by a share of its increments. */
static EvalStatus move_group(Solver *s, Jacobian *jac, const DifferencePoint *p, Group g, double share)
{
    double *delta = jac->jump->delta;
    for (int c = 0; c < g.n; c++) delta[g.column[c]] = share * jac->delta[g.column[c]];
    group_move(jac, p, g, delta);
    for (int c = 0; c < g.n; c++) delta[g.column[c]] = jac->y[g.column[c]] - p->y[g.column[c]];
    EvalStatus status = difference_f(s, jac, p, jac->jump->f);
    group_back(jac, p, g);
    return status;
}

static bool is_touched(const Jacobian *jac, Group g)
{
    for (int c = 0; c < g.n; c++)
        for (int e = 0, n = column_length(jac->shape, g.column[c]), i; e < n; e++) {
            column_entry(jac->shape, g.column[c], e, &i);
            if (jac->jump->wrong[i]) return true;
        }
    return false;
}

/* Takes over quotients in wrong rows that are far smaller; whether some are far larger. */
static bool take_smaller(Jacobian *jac, Group g, const double *f0)
{
    const Jump *jump = jac->jump;
    bool grew = false;
    for (int c = 0; c < g.n; c++)
        for (int e = 0, j = g.column[c], n = column_length(jac->shape, j), i; e < n; e++) {
            double *value = &jac->values[column_entry(jac->shape, j, e, &i)];
            if (!jump->wrong[i] || jump->delta[j] == 0.0) continue;
            double q = (jump->f[i] - f0[i]) / jump->delta[j];
            grew |= fabs(q) > GREW * fabs(*value);
            if (fabs(q) < SHRANK * fabs(*value)) *value = q;
        }
    return grew;
}

static EvalStatus mend_group(Solver *s, Jacobian *jac, const DifferencePoint *p, Group g, const double *f0)
{
    if (!is_touched(jac, g)) return EVAL_OK;
    EvalStatus status = move_group(s, jac, p, g, SHORTER);
    if (status == EVAL_OK && take_smaller(jac, g, f0)) {
        status = move_group(s, jac, p, g, -1.0);
        if (status == EVAL_OK) take_smaller(jac, g, f0);
    }
    return status == EVAL_RETRY ? EVAL_OK : status;
}

EvalStatus jump_mend(Solver *s, Jacobian *jac, const DifferencePoint *p, const double *f0)
{
    if (!is_suspicious(s, jac, p, f0)) return EVAL_OK;
    EvalStatus status = move_all(s, jac, p, -1.0);
    if (status != EVAL_OK || !find_wrong(s, jac, f0)) return status == EVAL_RETRY ? EVAL_OK : status;
    for (int k = 0; k < group_count(jac) && status == EVAL_OK; k++)
        status = mend_group(s, jac, p, group_of(jac, &k), f0);
    return status;
}
