/* jacobian.c: df/dy, or the matrix of a residual, from the model or by differences.
 *
 * In: a model, a point with its right-hand side. Out: values in the storage that suits the model's
 * pattern, which also holds the pattern of the mass matrix, so that c L - J is a loop over one array. How:
 * from the model if it offers them; else one difference a colour of the pattern (a column, if there is none). With the
 * default rule of increments a difference does not cross a root of the model's indicators, and when Newton's method
 * failed on the last Jacobian, wider differences tell how curved f is in each unknown, and give better values as far as the run can
 * afford them. A pattern that
 * others claim is tried first, by a random direction. Always: y itself is not touched. Cost: colours + O(entries). Tests:
 * tests/solve/doors_test.c, jacobian_test.c. */
#include "solve/inside.h"

#include <stdio.h>

static const double FAR = 0x1p3;         /* of the size of y */
static const double WIDE = 0x1p-13;      /* u^(1/4): increments of second differences, of the size of y */
static const double NOISE = 4.0;         /* rounding errors, of those that terms of f have */
static const double NEAR_ROOT = 0x1p-16; /* indicators below this share of their largest are looked at */
static const double PROBE = 0x1p-17;     /* the random direction, of the size of y */
static const double PROBE_MISS = 1e-3;   /* of a row's change, that a pattern may miss */
static const double PROBE_RATIO = 8.0;   /* between one random direction and the next */
enum {
    LEARN_GAP = 8,        /* Jacobians between two with second differences, at least */
    LEARN_AGAIN = 64,     /* and at most */
    LEARN_UNASKED = 2000, /* unknowns up to which second differences are taken while all is well */
    SPACING = 4,          /* bits between increments of careful differences, if there are enough of them */
    WIDEST = 8,           /* and else */
    SHARE = 16,           /* one over the share of all evaluations that careful differences may take */
    ORDERS = 4,           /* of what polynomials through their quotients say */
    SLOW_NEWTON = 6,      /* iterations in the step after a new Jacobian that make it suspicious */
    TRIES = 6,            /* increments that are tried near roots */
    DENSE_AT_MOST = 4000  /* unknowns up to which a wrong pattern is answered with a dense matrix */
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

/* ---- setting up ------------------------------------------------------------------------------------------ */

static const char *const model_sources[] = { "exact", "directional derivatives",
                                             "exact, with differences in external functions" };

/* Whether the model's own Jacobian is used; false with a failure if it was asked for and is not there. */
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
    int n = model_block(s->model);
    jac->colouring = NULL;
    jac->shape = source == JACOBIAN_BANDED && pattern ? matrix_shape_as(s->arena, MATRIX_BANDED, n, pattern)
                                                      : matrix_shape(s->arena, n, pattern);
    if (m->copies > 1) jac->shape->copies = m->copies;
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
    double **const vectors[] = { &jac->delta, &jac->y,    &jac->f,     &jac->weight,
                                 &jac->moved, &jac->size, &jac->terms, &jac->reach };
    for (size_t k = 0; k < COUNT_OF(vectors); k++) *vectors[k] = solver_vector(s);
    if (s->options.jacobian == JACOBIAN_EXTRAPOLATED) jac->extrapolation = extrapolation_new(s);
    bool is_default = !s->options.increment || s->options.increment == &increment_types[0];
    if (jac->exact || !is_default) return;
    jac->typical = solver_kept_vector(s);
    jac->curvature = solver_kept_vector(s);
    for (int k = 0; k < JACOBIAN_LADDER; k++)
        jac->ladder[k] = solver_vector(s), jac->rung[k] = solver_vector(s);
    jac->at.remembers = s->options.increment_memory != MEMORY_OFF;
    if (s->model->shape.indicators == 0) return;
    size_t m = (size_t)s->model->shape.indicators;
    jac->g0 = NEW_ARRAY(s->arena, double, m);
    jac->g = NEW_ARRAY(s->arena, double, m);
    jac->g_most = NEW_ARRAY(s->arena, double, m);
    solver_keep(s, jac->g_most, m * sizeof(double));
}

static bool pattern_misses(Solver *s, Jacobian *jac, int *row);

/* Pattern and derivatives that are only claimed are tried at the start; where they are wrong, columns are taken one by one. */
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
    bool is_plain = (s->model->can & MODEL_DERIVATIVES) && !m->mass && m->copies <= 1;
    if (claimed && is_plain) check_claim(s, jac);
    solver_keep(s, jac->values, jac->shape->size * sizeof(double));
    solver_keep(s, &jac->have, sizeof jac->have);
    solver_keep(s, &jac->at, sizeof jac->at);
    scatter_mass(s, jac);
    return true;
}

/* ---- differences ----------------------------------------------------------------------------------------- */

/* Where a difference is taken: f(t, y), or F(t, y, y' + c (y - y0)). */
typedef struct {
    double t, c;
    const double *y, *yp; /* yp NULL: f */
} Point;

static EvalStatus evaluate(Solver *s, Jacobian *jac, const Point *p, double *out)
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

/* A group of columns that are moved together. */
typedef struct {
    const int *column;
    int n;
} Group;

static int group_count(const Jacobian *jac) { return jac->colouring ? jac->colouring->count : jac->shape->n; }

/* Group *k; a column of its own where there are no colours. */
static Group group_of(const Jacobian *jac, const int *k)
{
    const Colouring *c = jac->colouring;
    return c ? (Group){ c->column + c->start[*k], c->start[*k + 1] - c->start[*k] } : (Group){ k, 1 };
}

static void move(Jacobian *jac, const Point *p, Group g, const double *delta)
{
    for (int k = 0; k < g.n; k++) jac->y[g.column[k]] = p->y[g.column[k]] + delta[g.column[k]];
}

static void move_back(Jacobian *jac, const Point *p, Group g)
{
    for (int k = 0; k < g.n; k++) jac->y[g.column[k]] = p->y[g.column[k]];
}

/* Whether some indicator is so near to 0 that an increment may take it across. */
static bool is_near_root(Solver *s, Jacobian *jac, const Point *p)
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
static bool crosses(Solver *s, Jacobian *jac, const Point *p)
{
    s->stats.indicators++;
    if (s->model->type->indicators(s->model, p->t, jac->y, jac->g) != EVAL_OK) return true;
    for (int k = 0; k < s->model->shape.indicators; k++)
        if (jac->g0[k] * jac->g[k] < 0.0) return true;
    return false;
}

/* Turns and shortens the increments of a group until no indicator changes its sign; gives up where none helps. */
static void avoid_roots(Solver *s, Jacobian *jac, const Point *p, Group g)
{
    static const double factors[TRIES] = { 1.0, -1.0, 0x1p-4, -0x1p-4, 0x1p-8, -0x1p-8 };
    double done = 1.0;
    for (int try = 0; try < TRIES; try++) {
        for (int k = 0; k < g.n; k++) jac->delta[g.column[k]] *= factors[try] / done;
        done = factors[try];
        move(jac, p, g, jac->delta);
        if (!crosses(s, jac, p)) return;
    }
    for (int k = 0; k < g.n; k++) jac->delta[g.column[k]] /= done;
}

/* How large the terms are that make up f: at least f itself, and what each unknown contributes. Their rounding errors are those of f. */
static void find_terms(const Solver *s, Jacobian *jac, const Point *p, const double *f0)
{
    for (int i = 0; i < s->n; i++) jac->terms[i] = fabs(f0[i]);
    for (int j = 0; j < jac->shape->n; j++)
        for (int k = 0, n = column_length(jac->shape, j), i; k < n; k++) {
            double term = fabs(jac->values[column_entry(jac->shape, j, k, &i)] * p->y[j]);
            if (term > jac->terms[i]) jac->terms[i] = term;
        }
}

/* Moves the columns of one group together; a trial that fails is repeated on the other side. */
static EvalStatus one_group(Solver *s, Jacobian *jac, const Point *p, Group g, const double *f0, bool near)
{
    EvalStatus status = EVAL_OK;
    if (near) avoid_roots(s, jac, p, g);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; side && k < g.n; k++) jac->delta[g.column[k]] = -jac->delta[g.column[k]];
        move(jac, p, g, jac->delta);
        status = evaluate(s, jac, p, jac->f);
        if (status != EVAL_RETRY) break;
    }
    move_back(jac, p, g);
    for (int k = 0; k < g.n && status == EVAL_OK; k++) store_column(jac, g.column[k], f0);
    return status;
}

/* Whether to take second differences: at the first Jacobian, long after the last ones, and when the last Jacobian served badly, since
 * Newton's method failed on it, or crept, or wants another one in the same step. */
static bool is_poor(const Solver *s, const Jacobian *jac)
{
    long steps = s->stats.steps - jac->at.steps, since = jac->at.count - jac->at.learnt;
    if (!jac->at.remembers) return false;
    if (jac->shape->n <= LEARN_UNASKED && (jac->at.learnt == 0 || since >= LEARN_AGAIN)) return true;
    if (jac->at.count == 0 || (jac->at.learnt > 0 && since < LEARN_GAP)) return false;
    return s->stats.rejected_newton > jac->at.rejected || steps == 0 ||
           (steps == 1 && s->stats.newton - jac->at.newton >= SLOW_NEWTON);
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

/* ---- careful differences: several increments an unknown, from that of the rule to one as large as the unknown ---- */

/* The exponent of a size, within what sums and quotients can hold. */
static int power_of(double x) { return ilogb(fmin(fmax(fabs(x), 0x1p-1000), 0x1p1000)); }

/* Exponents of the narrowest and the widest increment of an unknown. */
static int lowest(const Jacobian *jac, int j) { return power_of(jac->delta[j]); }
static int highest(const Jacobian *jac, int j) { return power_of(jac->reach[j]); }

/* How far an unknown may go on the side of its increment. */
static double room_for(const IncrementInput *in, int j, double delta)
{
    double room = !in->low || !in->high ? INFINITY
                  : delta > 0.0         ? in->high[j] - in->y[j]
                                        : in->y[j] - in->low[j];
    return room >= fabs(delta) ? room : INFINITY; /* else it is beyond its bounds anyway */
}

static void begin_ladders(Jacobian *jac, const IncrementInput *in, int rungs)
{
    for (int j = 0; j < in->n; j++) {
        jac->size[j] = increment_size(in, j, 0.0);
        jac->reach[j] =
            fmin(FAR * fmax(jac->size[j], increment_reach(in, j)), room_for(in, j, jac->delta[j]));
        double least = ldexp(1.0, power_of(ROOT_U * jac->size[j]));
        if (rungs > 1) jac->delta[j] = copysign(fmin(fabs(jac->delta[j]), least), jac->delta[j]);
    }
}

/* Wider increments for a group: powers of two, as far apart as each other; a single one suits second differences. Returns
 * how many. */
static int make_ladder(Jacobian *jac, Group g, int most)
{
    int rungs = 1;
    for (int e = 0; e < g.n; e++) {
        int range = highest(jac, g.column[e]) - lowest(jac, g.column[e]);
        if (range > SPACING * rungs) rungs = (range + SPACING - 1) / SPACING;
    }
    if (rungs > most) rungs = most;
    for (int e = 0; e < g.n; e++) {
        int j = g.column[e], high = highest(jac, j), low = lowest(jac, j);
        if (high > low + WIDEST * rungs) high = low + WIDEST * rungs;
        for (int k = 0; k < rungs; k++) {
            int power = low + (high - low) * (k + 1) / rungs;
            if (rungs == 1)
                power = low < power_of(WIDE * jac->size[j]) ? power_of(WIDE * jac->size[j]) : low + 1;
            jac->rung[k][j] = copysign(ldexp(1.0, power), jac->delta[j]);
        }
    }
    return rungs;
}

/* Careful differences take no more than a share of what the run has cost so far. */
static int affordable(const Solver *s, const Jacobian *jac)
{
    long spent = s->stats.f + s->stats.f_jacobian, rungs = spent / (SHARE * (group_count(jac) + 1));
    if (jac->shape->n > LEARN_UNASKED || rungs < 1) return 1;
    return rungs < JACOBIAN_LADDER ? (int)rungs : JACOBIAN_LADDER;
}

/* f over the increments of a group, as far as it is defined; returns how many. Where one of them crosses a relation that switches, quotients
 * differ and are not taken. */
static int climb(Solver *s, Jacobian *jac, const Point *p, Group g, int rungs, EvalStatus *status)
{
    int k = 0;
    for (; k < rungs; k++) {
        move(jac, p, g, jac->rung[k]);
        *status = evaluate(s, jac, p, jac->ladder[k]);
        if (*status != EVAL_OK) break;
        for (int e = 0; e < g.n; e++) jac->rung[k][g.column[e]] = jac->y[g.column[e]] - p->y[g.column[e]];
    }
    if (*status == EVAL_RETRY) *status = EVAL_OK;
    move_back(jac, p, g);
    return k;
}

typedef struct {
    double q[JACOBIAN_LADDER + 1],
        h[JACOBIAN_LADDER + 1]; /* quotients and their increments, narrow to wide */
    int n;
    double f, noise; /* |f|; rounding errors of its terms: of a quotient, noise / h */
} Quotients;

/* Rounding errors of f as the narrowest quotients show them, between those of f itself and of its terms. */
static double seen_noise(const Quotients *q, int first)
{
    double differ = 0.0;
    for (int k = first; differ == 0.0 && k + 1 < q->n; k++) differ = fabs((q->q[k + 1] - q->q[k]) * q->h[k]);
    return fmax(UROUND * q->f, fmin(q->noise, differ));
}

/* Whether all that is seen may be rounding: the widest increment changes f by no more than that, and some not at all. */
static bool is_nothing(const Quotients *q)
{
    bool none = false;
    for (int k = 0; k < q->n; k++) none |= q->q[k] == 0.0;
    return none && fabs(q->q[q->n - 1] * q->h[q->n - 1]) <= NOISE * q->noise;
}

/* The first quotient that says something: a change of f that is 0 does not where what is expected from a wider one drowns in rounding. */
static int first_seen(const Quotients *q)
{
    int first = 0;
    while (first < q->n && q->q[first] == 0.0) first++;
    if (first == q->n) return 0;
    double slope = fabs(q->q[first]);
    while (first > 0 && slope * fabs(q->h[first - 1]) > NOISE * q->noise) first--;
    return first;
}

/* What the narrowest quotient may be off by: rounding errors of terms, and its share of the difference to the next. */
static double own_error(const Quotients *q, int first)
{
    double share = q->h[first] / q->h[first + 1];
    return q->noise / fabs(q->h[first]) + fabs((q->q[first + 1] - q->q[first]) * share);
}

/* Of all quotients, and of what polynomials through up to four of them say (Neville), the one that differs least from the next. None counts as
 * better than rounding errors let it be, none is taken that seems worse than the narrowest. */
static double best_of(const Quotients *q)
{
    double t[JACOBIAN_LADDER + 1];
    int first = first_seen(q);
    if (is_nothing(q)) return 0.0;
    if (first + 1 >= q->n) return q->q[first];
    double best = q->q[first], noise = seen_noise(q, first), least = own_error(q, first);
    memcpy(t, q->q, sizeof t);
    for (int order = 0; order < ORDERS; order++)
        for (int k = first; k + order + 1 < q->n; k++) {
            int other = order ? k : k + 1; /* plain quotients that agree are all the better for being wide */
            double wide = q->h[k + order + 1];
            double error = fmax(fabs(t[k + 1] - t[k]), noise / fabs(q->h[other]));
            if (error <= least) least = error, best = t[other];
            t[k] = (wide * t[k] - q->h[k] * t[k + 1]) / (wide - q->h[k]);
        }
    return best;
}

/* |f''| from neighbours k and k + 1; 0 if they do not differ by more than rounding errors of terms. */
static double bend_at(const Quotients *q, int k)
{
    double differ = fabs(q->q[k + 1] - q->q[k]);
    return differ > NOISE * q->noise / fabs(q->h[k]) ? 2.0 * differ / fabs(q->h[k + 1] - q->h[k]) : 0.0;
}

/* The one that differs least from the next: narrow ones tell of rounding errors, wide ones of higher derivatives. */
static double bend_of(const Quotients *q)
{
    double least = INFINITY, best = q->n > 1 ? bend_at(q, 0) : 0.0;
    for (int k = 0; k + 2 < q->n; k++) {
        double bend = bend_at(q, k + 1), error = fabs(bend - bend_at(q, k));
        if (error < least) least = error, best = bend;
    }
    return best;
}

/* Takes the best of each entry of a column. How curved f is in the unknown follows: errors of a plain quotient are u |F|/delta, F as large as its
 * terms, and |F''| delta/2, least for sqrt(u) sqrt(|F|/|F''|), the curvature scale. */
static void choose_entries(Jacobian *jac, int j, int rungs, const double *f0)
{
    double noise = 0.0, bend = 0.0;
    for (int e = 0, n = column_length(jac->shape, j), i; e < n; e++) {
        size_t at = column_entry(jac->shape, j, e, &i);
        Quotients q = { .q = { jac->values[at] },
                        .h = { jac->delta[j] },
                        .n = 1,
                        .f = fabs(f0[i]),
                        .noise = UROUND * jac->terms[i] };
        for (int k = 0; k < rungs; k++, q.n++) {
            q.h[q.n] = jac->rung[k][j];
            q.q[q.n] = (jac->ladder[k][i] - f0[i]) / jac->rung[k][j];
        }
        double second = bend_of(&q);
        if (q.n > 2) jac->values[at] = best_of(&q); /* two quotients only tell how curved f is */
        noise = fmax(noise, jac->terms[i] * jac->weight[i]);
        bend = fmax(bend, second * jac->weight[i]);
    }
    jac->curvature[j] = noise > 0.0 && isfinite(bend) ? (bend > 0.0 ? sqrt(noise / bend) : DBL_MAX) : 0.0;
}

static EvalStatus refine(Solver *s, Jacobian *jac, const Point *p, const double *f0, int most)
{
    EvalStatus status = EVAL_OK;
    find_terms(s, jac, p, f0);
    for (int k = 0; k < group_count(jac) && status == EVAL_OK; k++) {
        Group g = group_of(jac, &k);
        int had = climb(s, jac, p, g, make_ladder(jac, g, most), &status);
        for (int e = 0; e < g.n; e++) choose_entries(jac, g.column[e], had, f0);
    }
    jac->at.learnt = jac->at.count + 1;
    s->stats.learnt++;
    return status;
}

static EvalStatus differences(Solver *s, Jacobian *jac, const Point *p, const double *f0, double h)
{
    IncrementInput in = jacobian_point(s, jac, p->y, f0, h);
    increment_choose(s->options.increment, s->options.increment_post, &in, jac->delta);
    memcpy(jac->y, p->y, (size_t)s->n * sizeof(double));
    bool poor = is_poor(s, jac), near = is_near_root(s, jac, p);
    int rungs = poor ? affordable(s, jac) : 0;
    if (poor) begin_ladders(jac, &in, rungs);
    EvalStatus status = EVAL_OK;
    for (int k = 0; k < group_count(jac) && status == EVAL_OK; k++)
        status = one_group(s, jac, p, group_of(jac, &k), f0, near);
    return poor && status == EVAL_OK ? refine(s, jac, p, f0, rungs) : status;
}

EvalStatus jacobian_by(Solver *s, Jacobian *jac, double t, const double *y, const double *f,
                       const double *delta)
{
    EvalStatus status = EVAL_OK;
    Point p = { .t = t, .y = y };
    memset(jac->values, 0, jac->shape->size * sizeof(double));
    memcpy(jac->delta, delta, (size_t)s->n * sizeof(double));
    memcpy(jac->y, y, (size_t)s->n * sizeof(double));
    for (int k = 0; k < group_count(jac) && status == EVAL_OK; k++)
        status = one_group(s, jac, &p, group_of(jac, &k), f, false);
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

EvalStatus jacobian_f(Solver *s, Jacobian *jac, double t, const double *y, const double *f, double h)
{
    memset(jac->values, 0, jac->shape->size * sizeof(double));
    if (jac->exact) return finish(s, jac, s->model->type->jacobian(s->model, t, y, jac->shape, jac->values));
    if (jac->extrapolation) return finish(s, jac, jacobian_extrapolated(s, jac, t, y, f));
    Point p = { .t = t, .y = y };
    return finish(s, jac, differences(s, jac, &p, f, h));
}

/* ---- patterns that are claimed ----------------------------------------------------------------------------- */

/* f(y + v) - f(y) - J v, by row, for v = share * size * (1 to 2); the larger of the two changes. False where f cannot be
 * evaluated. */
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

/* Three random changes, each PROBE_RATIO times smaller: what a pattern lacks is missed in proportion to them. What curvature does
 * shrinks faster, and what rounding does not at all. */
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

EvalStatus jacobian_residual(Solver *s, Jacobian *jac, double t, const double *y, const double *yp,
                             const double *r, double c, double h)
{
    const ModelType *type = s->model->type;
    memset(jac->values, 0, jac->shape->size * sizeof(double));
    if (jac->exact && type->residual_jacobian)
        return finish(s, jac, type->residual_jacobian(s->model, t, y, yp, c, jac->shape, jac->values));
    bool extrapolates = jac->extrapolation && type->derivatives;
    if (extrapolates || (jac->exact && type->jacobian)) {
        EvalStatus status = extrapolates ? jacobian_extrapolated(s, jac, t, y, r)
                                         : type->jacobian(s->model, t, y, jac->shape, jac->values);
        jacobian_shift(jac, c, jac->values);
        return finish(s, jac, status);
    }
    Point p = { .t = t, .c = c, .y = y, .yp = yp };
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
