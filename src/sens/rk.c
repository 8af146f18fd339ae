/* rk.c: one step of a Runge-Kutta method, and its derivatives, forward and back. */
#include "sens/inside.h"

#include <math.h>

/* In: a tableau, a model L x' = f with products, x at t, the step h. Out: x at t + h; then dx+ for
 * given dx, dp, dt and dh, or weights of x+ taken back to x, parameters, t and h. How: of a full
 * tableau with an inverse, with D_i = X_i - x and d = A^-T b,
 *     L D_i = h sum_j a_ij f(t_j, X_j),    x+ = x + sum d_i D_i,
 *     (L - h A o J) dX = L dx + L D dh/h + h A (f_p dp + f_t dt_j),    dx+ = (1 - sum d_i) dx + sum
 *     d_i dX_i,
 *     (L - h A o J)^T m = d o l,    l <- (1 - sum d_i) l + L sum m_i,    dv/dp += sum_j f_p,j^T h
 *     sum_i a_ij m_i;
 * of a triangular one stage by stage, with K_i = h f(t_i, X_i), which is (X_i - B_i)/a_ii of B_i =
 * x + sum_(j<i) a_ij K_j where a_ii is not zero. So nothing is multiplied by the large entries of h
 * J that it was divided by before (Hairer, Wanner II, IV.8), and errors of rounding stay small in
 * stiff equations. Stages are iterated to rounding, with factors of their own or with those of a
 * neighbour (`is_held`), as perturbed runs have them; linear systems of derivatives are refined
 * once. Always: derivatives are those of the computed step, to rounding. Cost: stages times an
 * evaluation and products; implicit ones a factorisation or two, one back. Source: Hager, Numer.
 * Math. 87 (2000); Sandu, ICCS 2006. Tests: tests/sens/interval_test.c, steps_test.c,
 * derivatives_test.c. */

enum { MOST_NEWTON = 40, LONG = 3 };
static const double ROUNDED = 4e-16; /* changes, against the size of unknowns */
static const double STANDING = 0.25,
                    NEARLY = 1e-10;     /* a change that is no longer smaller than the last one */
static const double SLOW = 0.1;         /* then factors are made anew */
static const double LEAST_SIZE = 1e-12; /* of an unknown, against its nominal value */

static double *vector(Rk *w, size_t n) { return NEW_ARRAY(w->arena, double, n + 1); }

static double *at(double *all, int i, int n) { return all + (ptrdiff_t)i * n; }

/* The matrix of `size` stages together: each entry of f_y, and of the diagonal, is a block. */
static MatrixShape *block_shape(Rk *w, int size, bool is_back)
{
    const Pattern *p = w->model->shape.pattern;
    if (!p) return matrix_shape(w->arena, w->n * size, NULL);
    size_t count = ((size_t)pattern_count(p) + (size_t)w->n) * (size_t)(size * size), at_entry = 0;
    Entry *entries = NEW_ARRAY(w->arena, Entry, count + 1);
    for (int c = 0; c < w->n; c++)
        for (int k = p->start[c] - 1; k < p->start[c + 1]; k++) {
            int r = k < p->start[c] ? c : p->row[k];
            for (int q = 0; q < size * size; q++) {
                int row = r * size + q / size, column = c * size + q % size;
                entries[at_entry++] = is_back ? (Entry){ column, row } : (Entry){ row, column };
            }
        }
    Pattern *blocks = pattern_of_entries(w->arena, w->n * size, w->n * size, entries, at_entry);
    return matrix_shape(w->arena, w->n * size, blocks);
}

static bool is_full(const RkTableau *b)
{
    for (int i = 0; i < b->stages; i++)
        for (int j = i + 1; j < b->stages; j++)
            if (b->a[i][j] != 0.0) return true;
    return false;
}

bool rk_is_implicit(const RkTableau *b)
{
    for (int i = 0; i < b->stages; i++)
        if (b->a[i][i] != 0.0) return true;
    return is_full(b);
}

const char *rk_refuses(const RkTableau *b, const Model *model)
{
    if (model->shape.mass_pattern) return "the mass matrix is not diagonal";
    for (int i = 0; i < b->stages && model->shape.mass && !is_full(b); i++)
        if (b->a[i][i] == 0.0) return "a method with explicit stages cannot solve algebraic equations";
    return NULL;
}

/* d = A^-T b, by elimination with pivots. */
static void find_ends(Rk *w)
{
    int s = w->b.stages;
    double m[RK_STAGES][RK_STAGES + 1];
    w->rest = 1.0;
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) m[i][j] = w->b.a[j][i];
        m[i][s] = w->b.b[i];
    }
    for (int k = 0; k < s; k++) {
        int best = k;
        for (int i = k + 1; i < s; i++)
            if (fabs(m[i][k]) > fabs(m[best][k])) best = i;
        for (int j = 0; j <= s; j++) {
            double held = m[k][j];
            m[k][j] = m[best][j];
            m[best][j] = held;
        }
        for (int i = 0; i < s; i++) {
            double factor = i == k ? 0.0 : m[i][k] / m[k][k];
            for (int j = k; j <= s; j++) m[i][j] -= factor * m[k][j];
        }
    }
    bool is_stiffly_accurate = true;
    for (int i = 0; i < s; i++) is_stiffly_accurate &= w->b.a[s - 1][i] == w->b.b[i];
    for (int i = 0; i < s; i++) {
        w->ends[i] = is_stiffly_accurate ? i == s - 1 : m[i][s] / m[i][i];
        w->rest -= w->ends[i];
    }
}

void rk_init(Rk *w, Arena *arena, Model *model, const RkTableau *tableau, const int *variables, int count)
{
    *w = (Rk){ .arena = arena, .model = model, .b = *tableau, .n = model->shape.n, .count = count };
    size_t n = (size_t)w->n, stages = (size_t)tableau->stages;
    w->variables = variables;
    w->mass = model->shape.mass;
    w->nominal = model->shape.nominal;
    w->size = is_full(tableau) ? tableau->stages : 1;
    double **by_stage[] = { &w->x, &w->k, &w->q, &w->m, &w->base, &w->r, &w->rhs };
    for (size_t k = 0; k < COUNT_OF(by_stage); k++) *by_stage[k] = vector(w, n * stages);
    w->scale = vector(w, n);
    w->weights = vector(w, n);
    w->theta = vector(w, n);
    w->gp = vector(w, (size_t)count);
    for (int i = 0; i < w->n; i++)
        w->scale[i] = LEAST_SIZE * (model->shape.nominal ? fabs(model->shape.nominal[i]) : 1.0);
    if (!rk_is_implicit(tableau) || !w->n) return;
    if (w->size > 1) find_ends(w);
    w->order = matrix_shape(arena, w->n, model->shape.pattern);
    w->values = vector(w, w->order->size * stages);
    w->ahead = block_shape(w, w->size, false);
    w->back = block_shape(w, w->size, true);
    w->matrix = vector(w, w->ahead->size > w->back->size ? w->ahead->size : w->back->size);
    w->lu_ahead = lu_new(arena, w->ahead, false);
    w->lu_back = lu_new(arena, w->back, false);
}

void rk_free(Rk *w)
{
    lu_free(w->lu_ahead);
    lu_free(w->lu_back);
}

static double mass_of(const Rk *w, int c) { return w->mass ? w->mass[c] : 1.0; }

static double time_of(const Rk *w, int i) { return w->t + w->b.c[i] * w->h; }

static void at_stage(const Rk *w, int i)
{
    if (w->stage) w->stage(w->arg, i, time_of(w, i));
}

static bool is_alone(const Rk *w, int i) { return w->size == 1 && w->b.a[i][i] == 0.0; }

static EvalStatus slope(Rk *w, int i, double *f)
{
    at_stage(w, i);
    return w->model->type->derivatives(w->model, time_of(w, i), at(w->x, i, w->n), f);
}

/* f_y at the stages first .. first + size - 1, then L - h A o f_y of them, or its transpose,
 * factored. */
static bool factor(Rk *w, int first, bool is_back)
{
    const Pattern *p = w->order->pattern;
    const MatrixShape *shape = is_back ? w->back : w->ahead;
    int size = w->size;
    memset(w->matrix, 0, shape->size * sizeof *w->matrix);
    for (int j = 0; j < size; j++) {
        double *values = w->values + (size_t)j * w->order->size;
        memset(values, 0, w->order->size * sizeof *values);
        at_stage(w, first + j);
        if (w->model->type->jacobian(w->model, time_of(w, first + j), at(w->x, first + j, w->n), w->order,
                                     values) != EVAL_OK)
            return false;
        for (int c = 0; c < w->n; c++) {
            for (int k = p ? p->start[c] : 0; k < (p ? p->start[c + 1] : w->n); k++) {
                int r = p ? p->row[k] : k;
                double value = values[matrix_place(w->order, r, c)];
                for (int i = 0; i < size; i++) {
                    int row = r * size + i, column = c * size + j;
                    model_put(shape, w->matrix, is_back ? column : row, is_back ? row : column,
                              -w->h * w->b.a[first + i][first + j] * value);
                }
            }
            model_put(shape, w->matrix, c * size + j, c * size + j, mass_of(w, c));
        }
    }
    w->is_held = false;
    return lu_factor(is_back ? w->lu_back : w->lu_ahead, w->matrix) == LU_OK;
}

/* Solves with the matrix that was factored last; r: right-hand side and solution. */
static void solve(Rk *w, bool is_back)
{
    const MatrixShape *shape = is_back ? w->back : w->ahead;
    Lu *lu = is_back ? w->lu_back : w->lu_ahead;
    size_t all = (size_t)shape->n;
    double *rest = w->base;
    memcpy(w->rhs, w->r, all * sizeof *w->r);
    lu_solve(lu, w->r);
    matrix_times(shape, w->matrix, w->r, rest);
    for (size_t i = 0; i < all; i++) rest[i] = w->rhs[i] - rest[i];
    lu_solve(lu, rest);
    for (size_t i = 0; i < all; i++) w->r[i] += rest[i];
}

/* ---- ahead ----------------------------------------------------------------------------------- */

static void add_scaled(int n, double factor_, const double *from, double *to)
{
    for (int i = 0; i < n && factor_ != 0.0; i++) to[i] += factor_ * from[i];
}

/* What the equations of stages that depend on each other lack, by component and stage. */
static void find_defects(Rk *w, int first)
{
    int n = w->n, size = w->size;
    for (int i = 0; i < size; i++) {
        const double *base = at(w->base, first + i, n), *x = at(w->x, first + i, n);
        for (int c = 0; c < n; c++) w->r[c * size + i] = mass_of(w, c) * (base[c] - x[c]);
        for (int j = 0; j < size; j++) {
            double ha = w->h * w->b.a[first + i][first + j];
            const double *k = at(w->k, first + j, n);
            for (int c = 0; c < n; c++) w->r[c * size + i] += ha * k[c];
        }
    }
}

/* One change of these stages; how large it was against the size of unknowns. */
static bool improve(Rk *w, int first, double *change)
{
    int n = w->n, size = w->size;
    double most = w->coarse = 0.0;
    for (int j = 0; j < size; j++)
        if (slope(w, first + j, at(w->k, first + j, n)) != EVAL_OK) return false;
    find_defects(w, first);
    lu_solve(w->lu_ahead, w->r);
    for (int i = 0; i < size; i++) {
        double *x = at(w->x, first + i, n);
        for (int c = 0; c < n; c++) {
            double by = w->r[c * size + i], all = fabs(x[c] += by);
            if (all < w->scale[c]) all = w->scale[c];
            if (!(fabs(by) <= most * all)) most = fabs(by) / all;
            all += w->nominal ? w->nominal[c] : 1.0;
            if (!(fabs(by) <= w->coarse * all)) w->coarse = fabs(by) / all;
        }
    }
    *change = most;
    return isfinite(most);
}

/* x holds guesses, base what stages have of others. */
static bool solve_stages(Rk *w, int first)
{
    double last = INFINITY, change = INFINITY, least = INFINITY;
    int standing = 0;
    for (int round = 0; round < MOST_NEWTON; round++) {
        bool is_slow = round ? change > SLOW * last : !w->is_held;
        if (is_slow && (change > NEARLY || !round) && !factor(w, first, false)) return false;
        last = round ? change : INFINITY;
        if (!improve(w, first, &change)) return false;
        /* what the next one would be */
        double left = isfinite(last) ? change * change / last : change;
        if (left <= ROUNDED || (change >= STANDING * last && change <= NEARLY)) return true;
        standing = change >= STANDING * least ? standing + 1 : 0;
        if (standing >= LONG && w->coarse <= NEARLY)
            return true; /* it is the rounding of others in one that is next to zero */
        if (change < least) least = change;
    }
    return false;
}

/* What the stages first .. differ by from what they are computed from. */
static bool note_slopes(Rk *w, int first)
{
    int n = w->n;
    for (int i = first; i < first + w->size; i++) {
        double *k = at(w->k, i, n), *x = at(w->x, i, n), *base = at(w->base, i, n);
        double divisor = w->size > 1 ? 1.0 : w->b.a[i][i];
        if (is_alone(w, i) && slope(w, i, at(w->q, i, n)) != EVAL_OK) return false;
        for (int c = 0; c < n; c++)
            k[c] = is_alone(w, i) ? w->h * at(w->q, i, n)[c] : (x[c] - base[c]) / divisor;
    }
    return true;
}

static void find_base(Rk *w, int i, const double *x)
{
    double *base = at(w->base, i, w->n);
    memcpy(base, x, (size_t)w->n * sizeof *x);
    for (int j = 0; j < i && w->size == 1; j++) add_scaled(w->n, w->b.a[i][j], at(w->k, j, w->n), base);
}

bool rk_stages(Rk *w, double t, double h, const double *x, const double *guess)
{
    int n = w->n;
    w->t = t;
    w->h = h;
    if (!n) return true;
    for (int c = 0; c < n; c++) w->scale[c] = fmax(w->scale[c], fabs(x[c]));
    for (int first = 0; first < w->b.stages; first += w->size) {
        for (int i = first; i < first + w->size; i++) {
            find_base(w, i, x);
            memmove(at(w->x, i, n), guess && !is_alone(w, i) ? guess + (ptrdiff_t)i * n : at(w->base, i, n),
                    (size_t)n * sizeof *x);
        }
        if (!is_alone(w, first) && !solve_stages(w, first)) return false;
        if (!note_slopes(w, first)) return false;
    }
    return true;
}

bool rk_load(Rk *w, double t, double h, const double *x, const double *stages)
{
    if (!w->order) return rk_stages(w, t, h, x, NULL);
    w->t = t;
    w->h = h;
    memcpy(w->x, stages, (size_t)w->n * (size_t)w->b.stages * sizeof *x);
    for (int first = 0; first < w->b.stages; first += w->size) {
        for (int i = first; i < first + w->size; i++) find_base(w, i, x);
        if (!note_slopes(w, first)) return false;
    }
    return true;
}

bool rk_hold(Rk *w)
{
    int first = 0;
    while (w->order && is_alone(w, first)) first++;
    if (w->order && !factor(w, first, false)) return false;
    w->is_held = w->order;
    return true;
}

void rk_end(const Rk *w, double *x)
{
    const double *d = w->size > 1 ? w->ends : w->b.b;
    for (int i = 0; i < w->b.stages; i++) add_scaled(w->n, d[i], w->k + (ptrdiff_t)i * w->n, x);
}

/* What stages from `first` on, which depend on each other and are factored, have per length of the
 * step, times L: of k, or of slopes, whichever rounding spoils less; differences of stages do for
 * short steps, slopes do where h J is large. */
static bool find_lengths(Rk *w, int first)
{
    int n = w->n, size = w->size;
    bool by_slopes = fabs(w->h) * matrix_norm(w->order, w->values) < 1.0;
    for (int i = first; i < first + size; i++)
        for (int c = 0; c < n; c++)
            at(w->q, i, n)[c] = by_slopes ? 0.0 : mass_of(w, c) * at(w->k, i, n)[c] / w->h;
    for (int j = first; j < first + size && by_slopes; j++) {
        if (slope(w, j, w->theta) != EVAL_OK) return false;
        for (int i = first; i < first + size; i++)
            add_scaled(n, size > 1 ? w->b.a[i][j] : 1.0, w->theta, at(w->q, i, n));
    }
    return true;
}

static bool is_longer(const RkMove *v)
{
    for (int d = 0; d < v->directions && v->h; d++)
        if (v->h[d] != 0.0) return true;
    return false;
}

/* ---- derivatives ahead ----------------------------------------------------------------------- */

static double change_of(const double *all, int d) { return all ? all[d] : 0.0; }

/* f_y dX + f_p dp + f_t dt of a stage, or without the first. */
static bool product(Rk *w, int i, RkMove *v, bool is_whole, double *to)
{
    Model *model = w->model;
    ptrdiff_t all = (ptrdiff_t)v->directions * w->n;
    at_stage(w, i);
    if (model->type->linearise(model, MAP_DERIVATIVES, time_of(w, i), at(w->x, i, w->n)) != EVAL_OK)
        return false;
    for (int d = 0; d < v->directions; d++) {
        v->p_of(v->arg, i, d, v->p + (ptrdiff_t)d * w->count);
        v->changes[d] = (ModelChange){ .t = change_of(v->t, d) + w->b.c[i] * change_of(v->h, d),
                                       .y = is_whole ? v->moved + i * all + (ptrdiff_t)d * w->n : NULL,
                                       .count = w->count,
                                       .variables = w->variables,
                                       .p = v->p + (ptrdiff_t)d * w->count };
        v->out[d] = to + (ptrdiff_t)d * w->n;
    }
    return model->type->jvp(model, v->directions, v->changes, v->out) == EVAL_OK;
}

/* dX of stages that depend on each other, for all changes; f_p dp + f_t dt is in ds, what comes
 * from other stages in moved. */
static bool follow(Rk *w, int first, RkMove *v)
{
    int n = w->n, size = w->size;
    ptrdiff_t all = (ptrdiff_t)v->directions * n;
    if (!factor(w, first, false) || (is_longer(v) && !find_lengths(w, first))) return false;
    for (int d = 0; d < v->directions; d++) {
        double longer = change_of(v->h, d);
        for (int c = 0; c < n; c++)
            for (int i = 0; i < size; i++) {
                double own = size > 1 ? 1.0 : w->b.a[first][first], *r = &w->r[c * size + i];
                ptrdiff_t place = (ptrdiff_t)d * n + c;
                *r = mass_of(w, c) * v->moved[(first + i) * all + place];
                if (longer != 0.0) *r += own * longer * at(w->q, first + i, n)[c];
                for (int j = first; j < first + size; j++)
                    *r += w->h * w->b.a[first + i][j] * v->ds[j * all + place];
            }
        solve(w, false);
        for (int c = 0; c < n; c++)
            for (int i = 0; i < size; i++)
                v->moved[(first + i) * all + (ptrdiff_t)d * n + c] = w->r[c * size + i];
    }
    return true;
}

/* dK of a stage alone, or of one that is solved for alone; moved is dX, ds what products gave. */
static void move_slopes(Rk *w, int i, RkMove *v, const double *before)
{
    ptrdiff_t all = (ptrdiff_t)v->directions * w->n;
    for (ptrdiff_t k = 0; k < all; k++) {
        double *ds = &v->ds[i * all + k];
        double longer = change_of(v->h, (int)(k / w->n));
        *ds = is_alone(w, i) ? w->h * *ds + longer * at(w->q, i, w->n)[k % w->n]
                             : (v->moved[i * all + k] - before[k]) / w->b.a[i][i];
    }
}

/* Stages one after the other: what each is computed from is kept for its slope. */
static bool move_single(Rk *w, RkMove *v)
{
    ptrdiff_t all = (ptrdiff_t)v->directions * w->n;
    for (int i = 0; i < w->b.stages; i++) {
        double *moved = v->moved + i * all;
        memcpy(moved, v->s, (size_t)all * sizeof(double));
        for (int j = 0; j < i; j++) add_scaled((int)all, w->b.a[i][j], v->ds + j * all, moved);
        memcpy(v->before, moved, (size_t)all * sizeof(double));
        if (!product(w, i, v, is_alone(w, i), v->ds + i * all)) return false;
        if (!is_alone(w, i) && !follow(w, i, v)) return false;
        move_slopes(w, i, v, v->before);
    }
    for (int i = 0; i < w->b.stages; i++) add_scaled((int)all, w->b.b[i], v->ds + i * all, v->s);
    return true;
}

bool rk_move(Rk *w, RkMove *v)
{
    ptrdiff_t all = (ptrdiff_t)v->directions * w->n;
    if (!w->n) return true;
    if (w->size == 1) return move_single(w, v);
    for (int i = 0; i < w->b.stages; i++) {
        memcpy(v->moved + i * all, v->s, (size_t)all * sizeof(double));
        if (!product(w, i, v, false, v->ds + i * all)) return false;
    }
    if (!follow(w, 0, v)) return false;
    for (ptrdiff_t k = 0; k < all; k++) v->s[k] *= w->rest;
    for (int i = 0; i < w->b.stages; i++) add_scaled((int)all, w->ends[i], v->moved + i * all, v->s);
    return true;
}

void rk_move_init(RkMove *v, Arena *arena, const Rk *w, int directions)
{
    size_t n = (size_t)w->n, d = (size_t)directions, stages = (size_t)w->b.stages;
    v->directions = directions;
    v->s = NEW_ARRAY(arena, double, n *d + 1);
    v->before = NEW_ARRAY(arena, double, n *d + 1);
    v->ds = NEW_ARRAY(arena, double, n *d *stages + 1);
    v->moved = NEW_ARRAY(arena, double, n *d *stages + 1);
    v->p = NEW_ARRAY(arena, double, (size_t)w->count *d + 1);
    v->out = NEW_ARRAY(arena, double *, d + 1);
    v->changes = NEW_ARRAY(arena, ModelChange, d + 1);
}

/* ---- derivatives back ------------------------------------------------------------------------ */

/* J_i^T weights in result; f_p^T weights goes to the gradient or is collected, what is in time to t
 * and h. */
static bool back_through(Rk *w, int i, const double *weights, double *result, RkBack *v)
{
    Model *model = w->model;
    ModelChange g = { .y = result, .count = w->count, .variables = w->variables, .p = w->gp };
    at_stage(w, i);
    if (model->type->linearise(model, MAP_DERIVATIVES, time_of(w, i), at(w->x, i, w->n)) != EVAL_OK ||
        model->type->vjp(model, weights, &g) != EVAL_OK)
        return false;
    v->t += g.t;
    v->h += w->b.c[i] * g.t;
    if (w->collect)
        w->collect(w->arg, i, w->gp);
    else
        for (int j = 0; j < w->count; j++) v->gradient[j] += w->gp[j];
    return true;
}

static bool back_together(Rk *w, RkBack *v)
{
    int n = w->n, size = w->size;
    if (!factor(w, 0, true) || (v->is_timed && !find_lengths(w, 0))) return false;
    for (int c = 0; c < n; c++)
        for (int i = 0; i < size; i++) w->r[c * size + i] = w->ends[i] * v->l[c];
    solve(w, true);
    for (int c = 0; c < n; c++) {
        v->l[c] *= w->rest;
        for (int i = 0; i < size; i++) {
            double m = at(w->m, i, n)[c] = w->r[c * size + i];
            v->l[c] += mass_of(w, c) * m;
            if (v->is_timed) v->h += m * at(w->q, i, n)[c];
        }
    }
    for (int j = 0; j < size; j++) {
        memset(w->r, 0, (size_t)n * sizeof(double));
        for (int i = 0; i < size; i++) add_scaled(n, w->h * w->b.a[i][j], at(w->m, i, n), w->r);
        if (!back_through(w, j, w->r, w->theta, v)) return false;
    }
    return true;
}

/* A stage that depends on those before it, and on itself: weights of K_i become those of what it is
 * computed from. */
static bool back_alone(Rk *w, int i, double *weights, RkBack *v)
{
    int n = w->n;
    double *base = at(w->m, i, n), own = w->b.a[i][i];
    const double *q = at(w->q, i, n);
    if (is_alone(w, i)) {
        for (int c = 0; c < n; c++) {
            v->h += weights[c] * q[c];
            weights[c] *= w->h;
        }
        return back_through(w, i, weights, base, v);
    }
    if (!factor(w, i, true) || (v->is_timed && !find_lengths(w, i))) return false;
    for (int c = 0; c < n; c++) w->r[c] = weights[c] / own;
    solve(w, true);
    for (int c = 0; c < n; c++) {
        double m = w->r[c];
        base[c] = mass_of(w, c) * m - weights[c] / own;
        if (v->is_timed) v->h += own * m * q[c];
        weights[c] = w->h * own * m;
    }
    return back_through(w, i, weights, w->theta, v);
}

bool rk_back(Rk *w, RkBack *v)
{
    int n = w->n;
    v->t = v->h = 0.0;
    if (!n) return true;
    if (w->size > 1) return back_together(w, v);
    for (int i = w->b.stages - 1; i >= 0; i--) {
        for (int c = 0; c < n; c++) w->weights[c] = w->b.b[i] * v->l[c];
        for (int j = i + 1; j < w->b.stages; j++) add_scaled(n, w->b.a[j][i], at(w->m, j, n), w->weights);
        if (!back_alone(w, i, w->weights, v)) return false;
    }
    for (int i = 0; i < w->b.stages; i++) add_scaled(n, 1.0, at(w->m, i, n), v->l);
    return true;
}
