/* jacobian.c: df/dy, or the matrix of a residual, from the model or by differences.
 *
 * In: a model, a point with its right-hand side. Out: values in the storage that suits the model's
 * pattern, which also holds the pattern of the mass matrix, so that c L - J is a loop over one
 * array. How: from the model if it offers them; else one difference a colour of the pattern (a
 * column, if there is none). With the default rule of increments a difference does not cross a root
 * of the model's indicators, and several increments are compared (ladder.c) at the first Jacobian,
 * now and then, and when Newton's method failed on the last one. A pattern that others claim is
 * tried first, by a random direction. Always: y itself is not touched. Cost: colours + O(entries).
 * Tests: tests/solve/doors_test.c, jacobian_test.c. */
#include "solve/jacobian/inside.h"

#include <stdio.h>

/* indicators below this share of their largest are looked at */
static const double NEAR_ROOT = 0x1p-16;
static const double PROBE = 0x1p-17;   /* the random direction, of the size of y */
static const double PROBE_MISS = 1e-3; /* of a row's change, that a pattern may miss */
static const double PROBE_RATIO = 8.0; /* between one random direction and the next */
enum {
    TRIES = 6,           /* increments that are tried near roots */
    DENSE_AT_MOST = 4000 /* unknowns up to which a wrong pattern is answered with a dense matrix */
};

static void scatter_mass(Solver *s, Jacobian *jac)
{
    const ModelShape *m = &s->model->shape;
    if (!m->mass) return;
    jac->mass = NEW_ARRAY(s->arena, double, jac->shape->size + 1);
    for (int j = 0; j < jac->shape->n; j++) {
        if (!m->mass_pattern) {
            jac->mass[jac->shape->diagonal[j]] = m->mass[j];
            continue;
        }
        for (int k = m->mass_pattern->start[j]; k < m->mass_pattern->start[j + 1]; k++)
            jac->mass[matrix_place(jac->shape, m->mass_pattern->row[k], j)] = m->mass[k];
    }
}

/* ---- setting up ------------------------------------------------------------------------------ */

static const char *const model_sources[] = { "exact", "directional derivatives",
                                             "exact, with differences in external functions" };

/* Whether the model's own Jacobian is used; false with a failure if it was asked for and is not
 * there. */
static bool choose_source(Solver *s, Jacobian *jac)
{
    static const char *const wants[] = { [JACOBIAN_EXACT] = "exact Jacobian",
                                         [JACOBIAN_DIRECTIONAL] = "directional derivatives",
                                         [JACOBIAN_MIXED] = "Jacobian with differences in it" };
    const ModelShape *m = &s->model->shape;
    JacobianSource source = s->options.jacobian;
    unsigned own = s->model->can & MODEL_DERIVATIVES ? MODEL_JACOBIAN : MODEL_RESIDUAL_JACOBIAN;
    bool offers = s->model->can & own;
    jac->exact = offers && source < JACOBIAN_DIFFERENCES;
    bool fits = source == JACOBIAN_AUTO || source >= JACOBIAN_DIFFERENCES ||
                (offers && (int)m->jacobian_kind == (int)source - JACOBIAN_EXACT);
    if (!fits) solver_fail(s, FAIL_WRONG_INPUT, 0.0, -1, "%s has no %s", m->name, wants[source]);
    bool needs_pattern = source == JACOBIAN_BANDED || source == JACOBIAN_COLOURED;
    if (needs_pattern && !m->pattern)
        solver_fail(s, FAIL_WRONG_INPUT, 0.0, -1, "%s does not tell its sparsity pattern", m->name);
    return s->failure.kind == FAIL_NONE;
}

/* Columns as far apart as the band is wide have no row in common. */
static Colouring *colour_band(Arena *arena, const MatrixShape *shape)
{
    int n = shape->n, width = shape->lower + shape->upper + 1, at = 0;
    Colouring *c = NEW(arena, Colouring);
    int *start = NEW_ARRAY(arena, int, (size_t)width + 1), *column = NEW_ARRAY(arena, int, (size_t)n + 1);
    c->count = width < n ? width : n;
    for (int k = 0; k < c->count; k++) {
        for (int j = k; j < n; j += width) column[at++] = j;
        start[k + 1] = at;
    }
    c->start = start;
    c->column = column;
    return c;
}

static void make_storage(Solver *s, Jacobian *jac, const Pattern *pattern)
{
    const ModelShape *m = &s->model->shape;
    JacobianSource source = s->options.jacobian;
    if (pattern && m->mass_pattern) pattern = pattern_join(s->arena, pattern, m->mass_pattern, true);
    int n = model_system_size(s->model);
    jac->colouring = NULL;
    jac->shape = source == JACOBIAN_BANDED && pattern ? matrix_shape_as(s->arena, MATRIX_BANDED, n, pattern)
                                                      : matrix_shape(s->arena, n, pattern);
    if (m->systems > 1) jac->shape->systems = m->systems;
    if (jac->shape->pattern && !jac->exact)
        jac->colouring = source == JACOBIAN_BANDED ? colour_band(s->arena, jac->shape)
                                                   : pattern_colour(s->arena, jac->shape->pattern);
    jac->values = NEW_ARRAY(s->arena, double, jac->shape->size + 1);
    s->stats.colours = jac->exact ? m->jacobian_colours : jac->colouring ? jac->colouring->count : n;
    s->stats.jacobian_source = jac->exact                  ? model_sources[m->jacobian_kind]
                               : !jac->colouring           ? "dense differences"
                               : source == JACOBIAN_BANDED ? "banded differences"
                                                           : "coloured differences";
    const IncrementType *rule = s->options.increment ? s->options.increment : &increment_types[0];
    if (source == JACOBIAN_EXTRAPOLATED) s->stats.jacobian_source = "extrapolated differences";
    s->stats.increment = jac->exact || source == JACOBIAN_EXTRAPOLATED ? "" : rule->name;
}

static void make_vectors(Solver *s, Jacobian *jac)
{
    double **const vectors[] = { &jac->delta, &jac->y, &jac->f, &jac->weight, &jac->moved, &jac->size };
    for (size_t k = 0; k < COUNT_OF(vectors); k++) *vectors[k] = solver_vector(s);
    if (s->options.jacobian == JACOBIAN_EXTRAPOLATED) jac->extrapolation = extrapolation_new(s);
    bool is_default = !s->options.increment || s->options.increment == &increment_types[0];
    if (jac->exact || !is_default) return;
    jac->typical = solver_kept_vector(s);
    jac->curvature = solver_kept_vector(s);
    jac->at.remembers = s->options.increment_memory != MEMORY_OFF;
    jac->noise = noise_new(s);
    /* also for those without memory, whose saved state others restore */
    jac->ladder = ladder_new(s, jac);
    if (s->model->shape.systems <= 1) jac->jump = jump_new(s);
    if (s->model->shape.indicators == 0) return;
    size_t m = (size_t)s->model->shape.indicators;
    jac->g0 = NEW_ARRAY(s->arena, double, m);
    jac->g = NEW_ARRAY(s->arena, double, m);
    jac->g_most = NEW_ARRAY(s->arena, double, m);
    solver_keep(s, jac->g_most, m * sizeof(double));
}

static bool pattern_misses(Solver *s, Jacobian *jac, int *row);

/* Pattern and derivatives that are only claimed are tried at the start; where they are wrong,
 * columns are taken one by one. */
static void check_claim(Solver *s, Jacobian *jac)
{
    char name[64];
    int row;
    SolverStats before = s->stats;
    bool wrong = pattern_misses(s, jac, &row);
    before.f_jacobian = s->stats.f_jacobian;
    s->stats = before;
    jac->have = false;
    jac->at.count = 0;
    if (!wrong) {
        s->model->shape.pattern_is_claimed = false;
        return;
    }
    bool dense = s->n <= DENSE_AT_MOST;
    snprintf(s->stats.warning, sizeof s->stats.warning,
             "the sparsity pattern of %s is wrong: the derivative of %s depends on more than it says; %s",
             s->model->shape.name, model_name(s->model, row, name, sizeof name),
             dense ? "a dense Jacobian is used instead" : "Jacobians will be wrong");
    if (!dense) return;
    jac->exact = false;
    make_storage(s, jac, NULL);
    make_vectors(s, jac);
}

bool jacobian_setup(Solver *s, Jacobian *jac)
{
    const ModelShape *m = &s->model->shape;
    if (!choose_source(s, jac)) return false;
    bool claimed = m->pattern && m->pattern_is_claimed && s->options.jacobian != JACOBIAN_DENSE;
    make_storage(s, jac, s->options.jacobian == JACOBIAN_DENSE ? NULL : m->pattern);
    make_vectors(s, jac);
    bool is_plain = (s->model->can & MODEL_DERIVATIVES) && !m->mass && m->systems <= 1;
    if (claimed && is_plain) check_claim(s, jac);
    solver_keep(s, jac->values, jac->shape->size * sizeof(double));
    solver_keep(s, &jac->have, sizeof jac->have);
    solver_keep(s, &jac->at, sizeof jac->at);
    scatter_mass(s, jac);
    return true;
}

/* ---- differences ----------------------------------------------------------------------------- */

EvalStatus difference_f(Solver *s, Jacobian *jac, const DifferencePoint *p, double *out)
{
    s->stats.f_jacobian++;
    EvalStatus status;
    if (p->yp) {
        for (int i = 0; i < s->n; i++) jac->moved[i] = p->yp[i] + p->c * (jac->y[i] - p->y[i]);
        status = model_residual(s->model, p->t, jac->y, jac->moved, out);
    } else {
        status = s->model->type->derivatives(s->model, p->t, jac->y, out);
    }
    return status == EVAL_OK && !vector_is_finite(s->n, out) ? EVAL_RETRY : status;
}

int column_length(const MatrixShape *m, int j)
{
    return m->pattern ? m->pattern->start[j + 1] - m->pattern->start[j] : m->n;
}

size_t column_entry(const MatrixShape *m, int j, int k, int *row)
{
    *row = m->pattern ? m->pattern->row[m->pattern->start[j] + k] : k;
    if (m->kind == MATRIX_DENSE) return (size_t)j * (size_t)m->n + (size_t)*row;
    return (size_t)(m->kind == MATRIX_SPARSE ? m->pattern->start[j] + k : matrix_place(m, *row, j));
}

static void store_column(const Jacobian *jac, int j, const double *f0)
{
    const MatrixShape *m = jac->shape;
    double inverse = 1.0 / jac->delta[j];
    /* the inverse of a tiny increment overflows, that of a power of two is exact */
    bool divide = !isfinite(inverse) || !isnormal(inverse);
    for (int k = 0, n = column_length(m, j), i; k < n; k++) {
        size_t place = column_entry(m, j, k, &i);
        double change = jac->f[i] - f0[i];
        jac->values[place] = divide ? change / jac->delta[j] : change * inverse;
    }
}

int group_count(const Jacobian *jac) { return jac->colouring ? jac->colouring->count : jac->shape->n; }

Group group_of(const Jacobian *jac, const int *k)
{
    const Colouring *c = jac->colouring;
    return c ? (Group){ c->column + c->start[*k], c->start[*k + 1] - c->start[*k] } : (Group){ k, 1 };
}

void group_move(Jacobian *jac, const DifferencePoint *p, Group g, const double *delta)
{
    for (int k = 0; k < g.n; k++) jac->y[g.column[k]] = p->y[g.column[k]] + delta[g.column[k]];
}

void group_back(Jacobian *jac, const DifferencePoint *p, Group g)
{
    for (int k = 0; k < g.n; k++) jac->y[g.column[k]] = p->y[g.column[k]];
}

/* Whether some indicator is so near to 0 that an increment may take it across. */
static bool is_near_root(Solver *s, Jacobian *jac, const DifferencePoint *p)
{
    bool near = false;
    if (!jac->g0) return false;
    s->stats.indicators++;
    if (s->model->type->indicators(s->model, p->t, p->y, jac->g0) != EVAL_OK) return false;
    for (int k = 0; k < s->model->shape.indicators; k++) {
        double size = fabs(jac->g0[k]);
        if (size > jac->g_most[k]) jac->g_most[k] = size;
        near |= size > 0.0 && size < NEAR_ROOT * jac->g_most[k];
    }
    return near;
}

/* Whether jac->y lies beyond a root, as seen from the point. */
bool difference_crosses(Solver *s, Jacobian *jac, const DifferencePoint *p)
{
    s->stats.indicators++;
    if (s->model->type->indicators(s->model, p->t, jac->y, jac->g) != EVAL_OK) return true;
    for (int k = 0; k < s->model->shape.indicators; k++)
        if (jac->g0[k] * jac->g[k] < 0.0) return true;
    return false;
}

/* Turns and shortens the increments of a group until no indicator changes its sign; gives up where
 * none helps. */
static void avoid_roots(Solver *s, Jacobian *jac, const DifferencePoint *p, Group g)
{
    static const double factors[TRIES] = { 1.0, -1.0, 0x1p-4, -0x1p-4, 0x1p-8, -0x1p-8 };
    double done = 1.0;
    for (int try = 0; try < TRIES; try++) {
        for (int k = 0; k < g.n; k++) jac->delta[g.column[k]] *= factors[try] / done;
        done = factors[try];
        group_move(jac, p, g, jac->delta);
        if (!difference_crosses(s, jac, p)) return;
    }
    for (int k = 0; k < g.n; k++) jac->delta[g.column[k]] /= done;
}

EvalStatus group_trial(Solver *s, Jacobian *jac, const DifferencePoint *p, Group g, bool near)
{
    EvalStatus status = EVAL_OK;
    if (near) avoid_roots(s, jac, p, g);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; side && k < g.n; k++) jac->delta[g.column[k]] = -jac->delta[g.column[k]];
        group_move(jac, p, g, jac->delta);
        status = difference_f(s, jac, p, jac->f);
        if (status != EVAL_RETRY) break;
    }
    group_back(jac, p, g);
    return status;
}

EvalStatus group_differences(Solver *s, Jacobian *jac, const DifferencePoint *p, Group g, const double *f0,
                             bool near)
{
    EvalStatus status = group_trial(s, jac, p, g, near);
    for (int k = 0; k < g.n && status == EVAL_OK; k++) store_column(jac, g.column[k], f0);
    return status;
}

IncrementInput jacobian_point(Solver *s, Jacobian *jac, const double *y, const double *f0, double h)
{
    const SolverOptions *o = &s->options;
    const ModelShape *m = &s->model->shape;
    for (int i = 0; i < s->n; i++) {
        jac->weight[i] = 1.0 / (o->rtol * fabs(y[i]) + s->atol[i]);
        if (jac->at.remembers && fabs(y[i]) > jac->typical[i]) jac->typical[i] = fabs(y[i]);
    }
    return (IncrementInput){ .n = s->n,
                             .y = y,
                             .f = f0,
                             .weight = jac->weight,
                             .nominal = m->nominal,
                             .low = m->low,
                             .high = m->high,
                             .typical = jac->typical,
                             .curvature = jac->curvature,
                             .h = h,
                             .rtol = o->rtol,
                             .c0 = o->increment_c0,
                             .multistep = s->type && (s->type->can & SOLVE_MULTISTEP) };
}

static EvalStatus differences(Solver *s, Jacobian *jac, const DifferencePoint *p, const double *f0, double h)
{
    IncrementInput in = jacobian_point(s, jac, p->y, f0, h);
    increment_choose(s->options.increment, s->options.increment_post, &in, jac->delta);
    memcpy(jac->y, p->y, (size_t)s->n * sizeof(double));
    bool near = is_near_root(s, jac, p);
    EvalStatus status = jac->at.remembers ? ladder_differences(s, jac, p, f0, &in, near) : EVAL_OK;
    for (int k = 0; k < group_count(jac) && status == EVAL_OK && !jac->at.remembers; k++)
        status = group_differences(s, jac, p, group_of(jac, &k), f0, near);
    return status == EVAL_OK && jac->jump ? jump_mend(s, jac, p, f0) : status;
}

EvalStatus jacobian_by(Solver *s, Jacobian *jac, double t, const double *y, const double *f,
                       const double *delta)
{
    EvalStatus status = EVAL_OK;
    DifferencePoint p = { .t = t, .y = y };
    memset(jac->values, 0, jac->shape->size * sizeof(double));
    memcpy(jac->delta, delta, (size_t)s->n * sizeof(double));
    memcpy(jac->y, y, (size_t)s->n * sizeof(double));
    for (int k = 0; k < group_count(jac) && status == EVAL_OK; k++)
        status = group_differences(s, jac, &p, group_of(jac, &k), f, false);
    return status;
}

static EvalStatus finish(Solver *s, Jacobian *jac, EvalStatus status)
{
    s->stats.jacobians++;
    jac->at.count++;
    jac->at.steps = s->stats.steps;
    jac->at.rejected = s->stats.rejected_newton;
    jac->at.newton = s->stats.newton;
    if (status == EVAL_OK && !vector_is_finite((int)jac->shape->size, jac->values)) status = EVAL_RETRY;
    jac->have = status == EVAL_OK;
    return status;
}

static void tell(Solver *s, const Jacobian *jac, double t, const double *y, double h)
{
    JacobianMade made = { .t = t,
                          .h = h,
                          .y = y,
                          .values = jac->values,
                          .delta = jac->delta,
                          .size = jac->shape->size,
                          .is_careful = jac->at.is_careful };
    s->options.made(s->options.made_arg, s->model, &s->options, &made);
}

static bool column_is_finite(const Jacobian *jac, int j)
{
    bool ok = true;
    for (int k = 0, n = column_length(jac->shape, j), row; k < n && ok; k++)
        ok = isfinite(jac->values[column_entry(jac->shape, j, k, &row)]);
    return ok;
}

/* Where f has a value but no derivative, as sqrt(x) at 0 and what is made of it, columns are
 * differences: an iteration needs no more. */
static EvalStatus exact_values(Solver *s, Jacobian *jac, double t, const double *y, const double *f)
{
    EvalStatus status = s->model->type->jacobian(s->model, t, y, jac->shape, jac->values);
    if (status != EVAL_OK || vector_is_finite((int)jac->shape->size, jac->values)) return status;
    if (s->model->shape.systems > 1) return EVAL_RETRY;
    DifferencePoint p = { .t = t, .y = y };
    IncrementInput in = jacobian_point(s, jac, y, f, 0.0);
    memcpy(jac->y, y, (size_t)s->n * sizeof(double));
    for (int j = 0; j < s->n && status == EVAL_OK; j++) {
        if (column_is_finite(jac, j)) continue;
        jac->delta[j] = sqrt(UROUND) * increment_size(&in, j, 0.0);
        status = group_differences(s, jac, &p, (Group){ &j, 1 }, f, false);
    }
    return status;
}

EvalStatus jacobian_f(Solver *s, Jacobian *jac, double t, const double *y, const double *f, double h)
{
    if (jac->ladder) ladder_remember(jac);
    memset(jac->values, 0, jac->shape->size * sizeof(double));
    if (jac->exact) return finish(s, jac, exact_values(s, jac, t, y, f));
    if (jac->extrapolation) return finish(s, jac, jacobian_extrapolated(s, jac, t, y, f));
    DifferencePoint p = { .t = t, .y = y };
    EvalStatus status = finish(s, jac, differences(s, jac, &p, f, h));
    if (status == EVAL_OK && s->options.made) tell(s, jac, t, y, h);
    return status;
}

/* ---- patterns that are claimed --------------------------------------------------------------- */

/* f(y + v) - f(y) - J v, by row, for v = share * size * (1 to 2); the larger of the two changes.
 * False where f cannot be evaluated. */
static bool probe(Solver *s, Jacobian *jac, const double *f0, double share, double *miss, double *change)
{
    uint64_t random = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < s->n; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        double factor = share * (1.0 + (double)(random >> 40) * 0x1p-24);
        jac->y[i] = s->y[i] + copysign(factor * jac->size[i], s->y[i]);
        jac->moved[i] = jac->y[i] - s->y[i];
    }
    s->stats.f_jacobian++;
    if (s->model->type->derivatives(s->model, s->core.t, jac->y, jac->f) != EVAL_OK) return false;
    matrix_times(jac->shape, jac->values, jac->moved, miss);
    for (int i = 0; i < s->n; i++) {
        change[i] = fmax(fabs(jac->f[i] - f0[i]), fabs(miss[i]));
        miss[i] = jac->f[i] - f0[i] - miss[i];
    }
    return vector_is_finite(s->n, miss);
}

/* Three random changes, each PROBE_RATIO times smaller: what a pattern lacks is missed in
 * proportion to them. What curvature does shrinks faster, and what rounding does not at all. */
static bool pattern_misses(Solver *s, Jacobian *jac, int *row)
{
    double *f0 = solver_vector(s), *miss[3], *change[3];
    for (int k = 0; k < 3; k++) miss[k] = solver_vector(s), change[k] = solver_vector(s);
    s->stats.f_jacobian++;
    if (s->model->type->derivatives(s->model, s->core.t, s->y, f0) != EVAL_OK) return false;
    if (!vector_is_finite(s->n, f0) || jacobian_f(s, jac, s->core.t, s->y, f0, 0.0) != EVAL_OK) return false;
    IncrementInput in = jacobian_point(s, jac, s->y, f0, 0.0);
    for (int i = 0; i < s->n; i++) jac->size[i] = increment_size(&in, i, 0.0);
    double share = PROBE;
    for (int k = 0; k < 3; k++, share /= PROBE_RATIO)
        if (!probe(s, jac, f0, share, miss[k], change[k])) return false;
    for (*row = 0; *row < s->n; ++*row) {
        bool wrong = true;
        for (int k = 0; k < 3 && wrong; k++) {
            double now = fabs(miss[k][*row]);
            wrong = now > PROBE_MISS * change[k][*row];
            double ratio = k ? PROBE_RATIO * now / fabs(miss[k - 1][*row]) : 1.0;
            wrong &= ratio > 0.5 && ratio < 2.0;
        }
        if (wrong) return true;
    }
    return false;
}

/* J becomes c L - J. */
static void shift_in_place(Jacobian *jac, double c)
{
    double *values = jac->values;
    for (size_t k = 0; k < jac->shape->size; k++)
        values[k] = jac->mass ? c * jac->mass[k] - values[k] : -values[k];
    for (int i = 0; i < jac->shape->n && !jac->mass; i++) values[jac->shape->diagonal[i]] += c;
}

EvalStatus jacobian_residual(Solver *s, Jacobian *jac, double t, const double *y, const double *yp,
                             const double *r, double c, double h)
{
    const ModelType *type = s->model->type;
    if (jac->ladder) ladder_remember(jac);
    memset(jac->values, 0, jac->shape->size * sizeof(double));
    if (jac->exact && type->residual_jacobian)
        return finish(s, jac, type->residual_jacobian(s->model, t, y, yp, c, jac->shape, jac->values));
    bool extrapolates = jac->extrapolation && type->derivatives;
    if (extrapolates || (jac->exact && type->jacobian)) {
        EvalStatus status = extrapolates ? jacobian_extrapolated(s, jac, t, y, r)
                                         : type->jacobian(s->model, t, y, jac->shape, jac->values);
        shift_in_place(jac, c);
        return finish(s, jac, status);
    }
    DifferencePoint p = { .t = t, .c = c, .y = y, .yp = yp };
    return finish(s, jac, differences(s, jac, &p, r, h));
}

void jacobian_shift(const Jacobian *jac, double c, double *e)
{
    size_t size = jac->shape->size;
    if (jac->mass) {
        for (size_t k = 0; k < size; k++) e[k] = c * jac->mass[k] - jac->values[k];
        return;
    }
    const double *values = jac->values;
    for (size_t k = 0; k < size; k++) e[k] = -values[k];
    for (int i = 0, n = jac->shape->n; i < n; i++) {
        int at = jac->shape->diagonal[i];
        e[at] = c - values[at];
    }
}

void jacobian_shift_complex(const Jacobian *jac, double c, double d, double *e)
{
    size_t size = jac->shape->size;
    if (jac->mass) {
        for (size_t k = 0; k < size; k++) {
            e[2 * k] = c * jac->mass[k] - jac->values[k];
            e[2 * k + 1] = d * jac->mass[k];
        }
        return;
    }
    const double *values = jac->values;
    for (size_t k = 0; k < size; k++) e[2 * k] = -values[k], e[2 * k + 1] = 0.0;
    for (int i = 0, n = jac->shape->n; i < n; i++) {
        int at = jac->shape->diagonal[i];
        e[2 * at] = c - values[at];
        e[2 * at + 1] = d;
    }
}
