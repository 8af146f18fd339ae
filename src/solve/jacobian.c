/* jacobian.c: df/dy, or the matrix of a residual, from the model or by differences.
 *
 * In: a model, a point with its right-hand side. Out: values in the storage that suits the model's
 * pattern, which also holds the pattern of the mass matrix, so that c L - J is a loop over one array. How:
 * exact if the model offers it; else one difference a colour of the pattern (a column, if there is none).
 * Always: y itself is not touched. Cost: colours + O(entries). Tests: tests/solve/doors_test.c. */
#include "solve/inside.h"

static void scatter_mass(Solver *s, Jacobian *jac)
{
    const ModelShape *m = &s->model->shape;
    if (!m->mass) return;
    jac->mass = NEW_ARRAY(s->arena, double, jac->shape->size + 1);
    for (int j = 0; j < s->n; j++) {
        if (!m->mass_pattern) {
            jac->mass[jac->shape->diagonal[j]] = m->mass[j];
            continue;
        }
        for (int k = m->mass_pattern->start[j]; k < m->mass_pattern->start[j + 1]; k++)
            jac->mass[matrix_place(jac->shape, m->mass_pattern->row[k], j)] = m->mass[k];
    }
}

bool jacobian_setup(Solver *s, Jacobian *jac)
{
    const ModelShape *m = &s->model->shape;
    const Pattern *pattern = m->pattern;
    unsigned exact_one = s->model->can & MODEL_DERIVATIVES ? MODEL_JACOBIAN : MODEL_RESIDUAL_JACOBIAN;
    bool offers = s->model->can & exact_one;
    if (s->options.jacobian == JACOBIAN_EXACT && !offers) {
        solver_fail(s, FAIL_WRONG_INPUT, 0.0, -1, "%s has no exact Jacobian", m->name);
        return false;
    }
    jac->exact = offers && s->options.jacobian != JACOBIAN_DIFFERENCES;
    if (pattern && m->mass_pattern) pattern = pattern_join(s->arena, pattern, m->mass_pattern, true);
    jac->shape = matrix_shape(s->arena, model_block(s->model), pattern);
    if (m->copies > 1) jac->shape->copies = m->copies;
    jac->values = NEW_ARRAY(s->arena, double, jac->shape->size + 1);
    solver_keep(s, jac->values, jac->shape->size * sizeof(double));
    solver_keep(s, &jac->have, sizeof jac->have);
    scatter_mass(s, jac);
    if (jac->shape->pattern && !jac->exact) {
        jac->colouring = pattern_colour(s->arena, jac->shape->pattern);
        s->stats.colours = jac->colouring->count;
    }
    jac->delta = solver_vector(s);
    jac->y = solver_vector(s);
    jac->f = solver_vector(s);
    jac->weight = solver_vector(s);
    s->stats.jacobian_source = jac->exact ? "exact" : jac->colouring ? "coloured differences" : "differences";
    return true;
}

/* Where a difference is taken: f(t, y), or F(t, y, y' + c (y - y0)). */
typedef struct {
    double t, c;
    const double *y, *yp; /* yp NULL: f */
    double *yp_moved;
} Point;

static EvalStatus evaluate(Solver *s, const Point *p, const double *y, double *out)
{
    s->stats.f_jacobian++;
    if (!p->yp) return s->model->type->derivatives(s->model, p->t, y, out);
    for (int i = 0; i < s->n; i++) p->yp_moved[i] = p->yp[i] + p->c * (y[i] - p->y[i]);
    return model_residual(s->model, p->t, y, p->yp_moved, out);
}

static void store_column(const Jacobian *jac, int j, const double *f0)
{
    const MatrixShape *shape = jac->shape;
    double inverse = 1.0 / jac->delta[j];
    if (!shape->pattern) {
        double *column = jac->values + (size_t)j * (size_t)shape->n;
        for (int i = 0; i < shape->n; i++) column[i] = (jac->f[i] - f0[i]) * inverse;
        return;
    }
    for (int k = shape->pattern->start[j]; k < shape->pattern->start[j + 1]; k++) {
        int i = shape->pattern->row[k];
        int place = shape->kind == MATRIX_SPARSE ? k : matrix_place(shape, i, j);
        jac->values[place] = (jac->f[i] - f0[i]) * inverse;
    }
}

/* Moves the columns of one group together; a trial that fails is repeated on the other side. */
static EvalStatus one_group(Solver *s, Jacobian *jac, const Point *p, const int *column, int n,
                            const double *f0)
{
    EvalStatus status = EVAL_OK;
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < n; k++) {
            int j = column[k];
            if (side) jac->delta[j] = -jac->delta[j];
            jac->y[j] = p->y[j] + jac->delta[j];
        }
        status = evaluate(s, p, jac->y, jac->f);
        if (status == EVAL_FATAL || (status == EVAL_OK && vector_is_finite(s->n, jac->f))) break;
        status = EVAL_RETRY;
    }
    for (int k = 0; k < n; k++) jac->y[column[k]] = p->y[column[k]];
    for (int k = 0; k < n && status == EVAL_OK; k++) store_column(jac, column[k], f0);
    return status;
}

static EvalStatus differences(Solver *s, Jacobian *jac, const Point *p, const double *f0, double h)
{
    for (int i = 0; i < s->n; i++) jac->weight[i] = 1.0 / (s->options.rtol * fabs(p->y[i]) + s->atol[i]);
    IncrementInput in = { s->n, p->y, f0, jac->weight, s->model->shape.nominal, h, s->options.rtol };
    (s->options.increment ? s->options.increment : increment_default)(&in, jac->delta);
    memcpy(jac->y, p->y, (size_t)s->n * sizeof(double));
    int groups = jac->colouring ? jac->colouring->count : jac->shape->n;
    for (int g = 0; g < groups; g++) {
        const int *column = jac->colouring ? jac->colouring->column + jac->colouring->start[g] : &g;
        int n = jac->colouring ? jac->colouring->start[g + 1] - jac->colouring->start[g] : 1;
        EvalStatus status = one_group(s, jac, p, column, n, f0);
        if (status != EVAL_OK) return status;
    }
    return EVAL_OK;
}

static EvalStatus finish(Solver *s, Jacobian *jac, EvalStatus status)
{
    s->stats.jacobians++;
    if (status == EVAL_OK && !vector_is_finite((int)jac->shape->size, jac->values)) status = EVAL_RETRY;
    jac->have = status == EVAL_OK;
    return status;
}

EvalStatus jacobian_f(Solver *s, Jacobian *jac, double t, const double *y, const double *f, double h)
{
    memset(jac->values, 0, jac->shape->size * sizeof(double));
    if (jac->exact) return finish(s, jac, s->model->type->jacobian(s->model, t, y, jac->shape, jac->values));
    Point p = { .t = t, .y = y };
    return finish(s, jac, differences(s, jac, &p, f, h));
}

EvalStatus jacobian_residual(Solver *s, Jacobian *jac, double t, const double *y, const double *yp,
                             const double *r, double c, double h)
{
    const ModelType *type = s->model->type;
    memset(jac->values, 0, jac->shape->size * sizeof(double));
    if (jac->exact && type->residual_jacobian)
        return finish(s, jac, type->residual_jacobian(s->model, t, y, yp, c, jac->shape, jac->values));
    if (jac->exact && type->jacobian) {
        EvalStatus status = type->jacobian(s->model, t, y, jac->shape, jac->values);
        jacobian_shift(jac, c, jac->values);
        return finish(s, jac, status);
    }
    Point p = { .t = t, .c = c, .y = y, .yp = yp, .yp_moved = jac->weight };
    return finish(s, jac, differences(s, jac, &p, r, h));
}

void jacobian_shift(const Jacobian *jac, double c, double *e)
{
    size_t size = jac->shape->size;
    if (jac->mass) {
        for (size_t k = 0; k < size; k++) e[k] = c * jac->mass[k] - jac->values[k];
        return;
    }
    for (size_t k = 0; k < size; k++) e[k] = -jac->values[k];
    for (int i = 0; i < jac->shape->n; i++) e[jac->shape->diagonal[i]] += c;
}

void jacobian_shift_complex(const Jacobian *jac, double c, double d, double *e)
{
    size_t size = jac->shape->size;
    for (size_t k = 0; k < size; k++) {
        e[2 * k] = (jac->mass ? c * jac->mass[k] : 0.0) - jac->values[k];
        e[2 * k + 1] = jac->mass ? d * jac->mass[k] : 0.0;
    }
    for (int i = 0; i < jac->shape->n && !jac->mass; i++) {
        e[2 * jac->shape->diagonal[i]] += c;
        e[2 * jac->shape->diagonal[i] + 1] += d;
    }
}
