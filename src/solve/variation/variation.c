/* variation.c: vectors whose equations are linear once the first one is known: derivatives of a
 * solution.
 *
 * In: a model of several vectors (shape.systems) that gives y_j' = J y_j + g_j at a point of the
 * first, the stages of a step whose first vector is found, factors of the method. Out: the stages
 * of the others. Cost: a Jacobian and m right-hand sides a stage; then products and solutions only.
 * Source: Feehery, Tolsma, Barton, Appl. Num. Math. 25 (1997). Tests:
 * tests/sens/derivatives_test.c, dae_test.c. */
#include "solve/variation/variation.h"

/* J and g are taken once a stage, then vectors are solved for in groups of LU_LANES that lie side
 * by side. Where stages are coupled: all iterations of a group while it is near, simplified Newton
 * iteration on a linear system with the method's own factors; or factors of the system of all
 * stages, where that takes fewer multiplications. One solution with factors of their own where they
 * are not. Invariant: the equations solved are those with the exact J of each stage, so the result
 * is the derivative of the step, up to the iteration. */

enum { Q = LU_LANES, MANY_GROUPS = 8, MOST_AT_ONCE = 64 };
/* a rate at which one iteration is enough, from wherever it begins */
static const double AT_ONCE = 1e-6;

static double *lanes(Solver *s, int n) { return NEW_ARRAY(s->arena, double, (size_t)n *Q + 1); }

/* What solving for all stages at once needs. */
static void setup_at_once(Variation *v, int stages)
{
    Arena *arena = v->s->arena;
    size_t most = 0, n = (size_t)v->n;
    for (int k = stages; k > 1; k -= 2) {
        if (k * v->n > MOST_AT_ONCE) continue;
        v->at_once[k] = lu_new(arena, matrix_shape_as(arena, MATRIX_DENSE, k * v->n, NULL), false);
        most = size_max(most, (size_t)k * n);
    }
    v->matrix = NEW_ARRAY(arena, double, most *most + 1);
    v->together = NEW_ARRAY(arena, double, most *Q + 1);
    if (!most) return;
    v->places = NEW_ARRAY(arena, int, n *n);
    for (int j = 0; j < v->n; j++)
        for (int i = 0; i < v->n; i++) v->places[j * v->n + i] = matrix_place(v->jac->shape, i, j);
}

void variation_setup(Variation *v, Solver *s, Jacobian *jac, int stages)
{
    const ModelShape *shape = &s->model->shape;
    *v = (Variation){ .s = s, .jac = jac, .n = model_system_size(s->model), .m = shape->systems - 1 };
    v->is_there = s->options.corrector == CORRECTOR_STAGGERED && shape->systems > 1 && shape->first &&
                  s->model->type->variation && jac->exact && (s->model->can & MODEL_DERIVATIVES);
    if (!v->is_there) return;
    for (int i = 0; i < stages; i++) {
        v->values[i] = NEW_ARRAY(s->arena, double, jac->shape->size + 1);
        v->g[i] = NEW_ARRAY(s->arena, double, (size_t)v->n *(size_t)v->m + 1);
        v->z[i] = lanes(s, v->n);
        v->r[i] = lanes(s, v->n);
        v->own[i] = lanes(s, v->n);
    }
    double **const vectors[] = { &v->start, &v->weight, &v->x, &v->slope };
    for (size_t k = 0; k < COUNT_OF(vectors); k++) *vectors[k] = lanes(s, v->n);
    v->pairs = lanes(s, 2 * v->n);
    setup_at_once(v, stages);
}

void variation_narrow(Variation *v, bool to_first)
{
    Solver *s = v->s;
    if (to_first) v->whole = s->model;
    s->model = to_first ? v->whole->shape.first : v->whole;
    v->jac->shape->systems = to_first ? 1 : v->whole->shape.systems;
    s->n = s->model->shape.n;
}

EvalStatus variation_at(Variation *v, int stage, double t, const double *y)
{
    Model *model = v->s->model;
    memset(v->values[stage], 0, v->jac->shape->size * sizeof(double));
    v->s->stats.f++;
    return model->type->variation(model, t, y, v->jac->shape, v->values[stage], v->g[stage]);
}

/* Vectors first .. first + Q - 1 of m that begin at `from`; those beyond the last are zero. */
static void pack(const Variation *v, const double *from, int first, double *to)
{
    int count = v->m - first < Q ? v->m - first : Q;
    for (int q = 0; q < Q; q++) {
        const double *vector = from + (ptrdiff_t)(first + q) * v->n;
        for (ptrdiff_t i = 0; i < v->n; i++) to[i * Q + q] = q < count ? vector[i] : 0.0;
    }
}

static void unpack(const Variation *v, const double *from, int first, double *to)
{
    int count = v->m - first < Q ? v->m - first : Q;
    for (int q = 0; q < count; q++) {
        double *vector = to + (ptrdiff_t)(first + q) * v->n;
        for (ptrdiff_t i = 0; i < v->n; i++) vector[i] = from[i * Q + q];
    }
}

/* r -= L slope */
static void subtract_mass(const Variation *v, const double *slope, double *r)
{
    ptrdiff_t all = (ptrdiff_t)v->n * Q;
    if (!v->jac->mass) {
        for (ptrdiff_t k = 0; k < all; k++) r[k] -= slope[k];
        return;
    }
    for (ptrdiff_t k = 0; k < all; k++) v->slope[k] = -slope[k];
    matrix_add_times_lanes(v->jac->shape, v->jac->mass, v->slope, r);
}

/* ---- stages that are coupled ----------------------------------------------------------------- */

INLINE void transform_by(ptrdiff_t all, int s, double m[COLLOCATION_STAGES][COLLOCATION_STAGES],
                         double *const *from, double *const *to)
{
    for (ptrdiff_t k = 0; k < all; k += Q) {
        double sum[COLLOCATION_STAGES][Q] = { { 0 } };
        for (int j = 0; j < s; j++) {
            const double *in = from[j] + k;
            for (int i = 0; i < s; i++)
                for (int q = 0; q < Q; q++) sum[i][q] += m[i][j] * in[q];
        }
        for (int i = 0; i < s; i++)
            for (int q = 0; q < Q; q++) to[i][k + q] = sum[i][q];
    }
}

/* to_i = scale sum_j m_ij from_j, a few entries at a time, so that each vector is read once; in
 * place, too. */
static void transform(const Variation *v, int s, const double (*by)[COLLOCATION_STAGES], double scale,
                      double *const *from, double *const *to)
{
    ptrdiff_t all = (ptrdiff_t)v->n * Q;
    double m[COLLOCATION_STAGES][COLLOCATION_STAGES];
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) m[i][j] = scale * by[i][j];
    switch (s) {
    case 3: transform_by(all, 3, m, from, to); break;
    case 5: transform_by(all, 5, m, from, to); break;
    case 7: transform_by(all, 7, m, from, to); break;
    default: transform_by(all, s, m, from, to); break;
    }
}

/* r_i = J_i (start + z_i) + g_i - L (A^-1 z)_i / h */
static void defects(Variation *v, const Collocation *c, double h, bool is_zero)
{
    ptrdiff_t all = (ptrdiff_t)v->n * Q;
    if (!is_zero) transform(v, c->s, c->inverse, -1.0 / h, v->z, v->r);
    for (int i = 0; i < c->s; i++) {
        double *restrict x = v->x, *restrict r = v->r[i];
        const double *restrict own = v->own[i], *restrict z = v->z[i], *restrict start = v->start;
        if (is_zero) {
            memcpy(r, own, (size_t)all * sizeof(double));
            matrix_add_times_lanes(v->jac->shape, v->values[i], start, r);
            continue;
        }
        if (v->jac->mass) {
            memcpy(v->slope, r, (size_t)all * sizeof(double));
            memset(r, 0, (size_t)all * sizeof(double));
            matrix_add_times_lanes(v->jac->shape, v->jac->mass, v->slope, r);
        }
        for (ptrdiff_t k = 0; k < all; k++) {
            r[k] += own[k];
            x[k] = start[k] + z[k];
        }
        matrix_add_times_lanes(v->jac->shape, v->values[i], x, r);
    }
}

static void solve(Variation *v, const Collocation *c, Lu *real, Lu *const *pair)
{
    int at = 0;
    if (c->has_real) lu_solve_lanes(real, v->r[at++]);
    for (int p = 0; p < c->pairs; p++, at += 2) {
        for (ptrdiff_t i = 0; i < v->n; i++)
            for (int q = 0; q < Q; q++) {
                v->pairs[2 * i * Q + q] = v->r[at][i * Q + q];
                v->pairs[(2 * i + 1) * Q + q] = -v->r[at + 1][i * Q + q];
            }
        lu_solve_lanes(pair[p], v->pairs);
        for (ptrdiff_t i = 0; i < v->n; i++)
            for (int q = 0; q < Q; q++) {
                v->r[at][i * Q + q] = v->pairs[2 * i * Q + q];
                v->r[at + 1][i * Q + q] = -v->pairs[(2 * i + 1) * Q + q];
            }
    }
    v->s->stats.solves += c->pairs + c->has_real;
    v->s->stats.complex_solves += c->pairs;
}

/* Adds the update; the norm of the vector that changes most. */
static double add_update(Variation *v, int stages)
{
    double sum[Q] = { 0 }, most = 0.0;
    for (int i = 0; i < stages; i++)
        for (ptrdiff_t k = 0; k < v->n; k++)
            for (int q = 0; q < Q; q++) {
                double update = v->r[i][k * Q + q], part = update * v->weight[k * Q + q];
                v->z[i][k * Q + q] += update;
                sum[q] += part * part;
            }
    for (int q = 0; q < Q; q++) most = isnan(sum[q]) || sum[q] > most ? sum[q] : most;
    return sqrt(most / (v->n * stages));
}

static NewtonVerdict solve_group(Variation *v, const VariationStep *step, int first, int least)
{
    const Collocation *c = step->method;
    Newton *newton = step->newton;
    size_t bytes = (size_t)v->n * Q * sizeof(double);
    pack(v, step->y + v->n, first, v->start);
    pack(v, step->weight + v->n, first, v->weight);
    for (int i = 0; i < c->s; i++) {
        if (v->from_zero)
            memset(v->z[i], 0, bytes);
        else
            pack(v, step->z[i] + v->n, first, v->z[i]);
        pack(v, v->g[i], first, v->own[i]);
    }
    NewtonVerdict verdict = NEWTON_GO_ON;
    while (verdict == NEWTON_GO_ON || (verdict == NEWTON_DONE && newton->iterations < least)) {
        defects(v, c, step->h, v->from_zero && newton->iterations == 0);
        transform(v, c->s, c->ti, 1.0, v->r, v->r);
        solve(v, c, step->real, step->pair);
        transform(v, c->s, c->t, 1.0, v->r, v->r);
        v->s->stats.newton++;
        verdict = newton_watch(newton, add_update(v, c->s));
    }
    for (int i = 0; i < c->s; i++) unpack(v, v->z[i], first, step->z[i] + v->n);
    return verdict;
}

/* Whether factors of the whole system take fewer multiplications than iterations of all groups, as
 * many as the first vector needed. */
static bool is_cheaper_at_once(const Variation *v, const Collocation *c, int iterations)
{
    double n = v->n, s = c->s, all = n * s, groups = (v->m + Q - 1) / Q;
    double solves = (c->has_real + 4 * c->pairs) * n * n, products = s * n * n, transforms = 3.0 * s * s * n;
    return v->at_once[c->s] && all * all * all / 3.0 + groups * Q * all * all <
                                   groups * Q * iterations * (solves + products + transforms);
}

/* (A^-1)_ij / h L - J_i where i = j */
static void fill_at_once(Variation *v, const Collocation *c, double h)
{
    ptrdiff_t n = v->n, all = n * c->s;
    const double *mass = v->jac->mass;
    for (int j = 0; j < c->s; j++)
        for (ptrdiff_t k = 0; k < n; k++)
            for (int i = 0; i < c->s; i++) {
                double *column = v->matrix + (j * n + k) * all + i * n, scale = c->inverse[i][j] / h;
                const int *place = v->places + k * n;
                for (ptrdiff_t l = 0; l < n; l++) {
                    double value = mass && place[l] >= 0 ? scale * mass[place[l]] : 0.0;
                    column[l] = i == j && place[l] >= 0 ? value - v->values[i][place[l]] : value;
                }
                if (!mass) column[k] += scale;
            }
}

/* False: singular. */
static bool solve_at_once(Variation *v, const VariationStep *step)
{
    const Collocation *c = step->method;
    ptrdiff_t size = (ptrdiff_t)v->n * Q;
    fill_at_once(v, c, step->h);
    v->s->stats.factors++;
    if (lu_factor(v->at_once[c->s], v->matrix) != LU_OK) return false;
    for (int first = 0; first < v->m; first += Q) {
        pack(v, step->y + v->n, first, v->start);
        for (int i = 0; i < c->s; i++) {
            pack(v, v->g[i], first, v->together + i * size);
            matrix_add_times_lanes(v->jac->shape, v->values[i], v->start, v->together + i * size);
        }
        lu_solve_lanes(v->at_once[c->s], v->together);
        for (int i = 0; i < c->s; i++) unpack(v, v->together + i * size, first, step->z[i] + v->n);
    }
    v->s->stats.solves++;
    v->from_zero = true; /* as it goes on: nobody has to predict these vectors */
    return true;
}

/* The first group tells how fast the iteration is; the rate holds for all, since the matrices are
 * the same. */
TryResult variation_solve(Variation *v, const VariationStep *step)
{
    const Collocation *c = step->method;
    Newton *newton = step->newton;
    bool are_many = v->m > MANY_GROUPS * Q;
    int iterations = newton->iterations;
    for (int i = 0; i < c->s; i++) {
        for (int k = 0; k < v->n; k++) v->x[k] = step->y[k] + step->z[i][k];
        EvalStatus status = variation_at(v, i, step->t + c->c[i] * step->h, v->x);
        if (status != EVAL_OK) return status == EVAL_FATAL ? TRY_FATAL : TRY_MODEL;
    }
    newton_start(newton);
    if (is_cheaper_at_once(v, c, iterations) && solve_at_once(v, step)) return TRY_OK;
    double eta = 0.0, theta = 0.0;
    for (int first = 0; first < v->m; first += Q) {
        newton_start(newton);
        if (first > 0 && are_many) newton->eta = eta;
        if (solve_group(v, step, first, first == 0 && are_many ? 2 : 1) != NEWTON_DONE) return TRY_NEWTON;
        if (newton->iterations > 1) theta = fmax(theta, newton->theta), eta = fmax(eta, newton->eta);
    }
    v->from_zero = are_many && theta < AT_ONCE;
    return TRY_OK;
}

/* ---- one stage ------------------------------------------------------------------------------- */

TryResult variation_direct(Variation *v, Lu *lu, double *matrix, double c, const double *from, double *y)
{
    ptrdiff_t all = (ptrdiff_t)v->n * Q;
    const Jacobian *jac = v->jac;
    for (size_t k = 0; k < jac->shape->size; k++)
        matrix[k] = (jac->mass ? c * jac->mass[k] : 0.0) - v->values[0][k];
    for (int i = 0; i < v->n && !jac->mass; i++) matrix[jac->shape->diagonal[i]] += c;
    v->s->stats.factors++;
    if (lu_factor(lu, matrix) != LU_OK) return TRY_SINGULAR;
    for (int first = 0; first < v->m; first += Q) {
        pack(v, v->g[0], first, v->r[0]);
        pack(v, from + v->n, first, v->x);
        for (ptrdiff_t k = 0; k < all; k++) v->x[k] = -v->x[k];
        subtract_mass(v, v->x, v->r[0]);
        lu_solve_lanes(lu, v->r[0]);
        unpack(v, v->r[0], first, y + v->n);
    }
    v->s->stats.solves++;
    return TRY_OK;
}

void variation_slopes(Variation *v, int stage, const double *y, double *f)
{
    for (int first = 0; first < v->m; first += Q) {
        pack(v, v->g[stage], first, v->r[0]);
        pack(v, y + v->n, first, v->x);
        matrix_add_times_lanes(v->jac->shape, v->values[stage], v->x, v->r[0]);
        unpack(v, v->r[0], first, f + v->n);
    }
}
