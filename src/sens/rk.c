/* rk.c: one step of a Runge-Kutta method, and its derivatives, forward and back.
 *
 * In: a tableau, a model with products, x at t, the step h. Out: x at t + h, with stages
 *     X_i = x + h sum_j a_ij f(t_j, X_j),    x+ = x + h sum_j b_j f(t_j, X_j),
 * then dx+ for given dx and dp, or weights l of x+ taken back to x and parameters:
 *     (I - h A o J) dX = dx + h A f_p dp,    m_i = h sum_j a_ji J_i^T m_j + h b_i J_i^T l,    l <- l + sum m_i,
 *     dv/dp += sum f_p,i^T k_i,  k_i = h b_i l + h sum_j a_ji m_j.
 * How: stages that depend on each other are solved for together, all of a full tableau, one at a time of a triangular one, by
 * Newton's method with the exact matrix, to rounding; unknowns of a component lie together, so bands stay narrow. Always: derivatives are those of the
 * computed step, to rounding. Cost: stages times an evaluation and products; implicit ones a few factorisations, one back. Source:
 * Hager, Numer. Math. 87 (2000); Sandu, ICCS 2006. Tests: tests/sens/interval_test.c, derivatives_test.c. */
#include "sens/inside.h"

#include <math.h>

enum { MOST_NEWTON = 30 };

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

static bool is_implicit(const RkTableau *b)
{
    for (int i = 0; i < b->stages; i++)
        if (b->a[i][i] != 0.0) return true;
    return is_full(b);
}

void rk_init(Rk *w, Arena *arena, Model *model, const RkTableau *tableau, const int *variables, int count)
{
    *w = (Rk){ .arena = arena, .model = model, .b = *tableau, .n = model->shape.n, .count = count };
    size_t n = (size_t)w->n, stages = (size_t)tableau->stages;
    w->variables = variables;
    w->size = is_full(tableau) ? tableau->stages : 1;
    w->x = vector(w, n * stages);
    w->k = vector(w, n * stages);
    w->m = vector(w, n * stages);
    w->base = vector(w, n * stages);
    w->r = vector(w, n * stages);
    w->theta = vector(w, n);
    w->gp = vector(w, (size_t)count);
    if (!is_implicit(tableau)) return;
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

static void at_stage(const Rk *w, int i)
{
    if (w->stage) w->stage(w->arg, i);
}

static bool is_alone(const Rk *w, int i) { return w->size == 1 && w->b.a[i][i] == 0.0; }

static EvalStatus slope(Rk *w, int i, double *k)
{
    at_stage(w, i);
    return w->model->type->derivatives(w->model, w->t + w->b.c[i] * w->h, at(w->x, i, w->n), k);
}

/* f_y at the stages first .. first + size - 1, then I - h A o f_y of them, or its transpose, factored. */
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
        if (w->model->type->jacobian(w->model, w->t + w->b.c[first + j] * w->h, at(w->x, first + j, w->n),
                                     w->order, values) != EVAL_OK)
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
            model_put(shape, w->matrix, c * size + j, c * size + j, 1.0);
        }
    }
    return lu_factor(is_back ? w->lu_back : w->lu_ahead, w->matrix) == LU_OK;
}

/* ---- ahead ---- */

static void add_scaled(int n, double factor_, const double *from, double *to)
{
    for (int i = 0; i < n && factor_ != 0.0; i++) to[i] += factor_ * from[i];
}

/* Stages that depend on each other; x holds guesses, base what they have of others. The last iterations are for rounding. */
static bool solve_stages(Rk *w, int first)
{
    int n = w->n, size = w->size;
    double last = INFINITY;
    for (int round = 0; round < MOST_NEWTON; round++) {
        double change = 0.0, largest = 0.0;
        for (int j = 0; j < size; j++)
            if (slope(w, first + j, at(w->k, first + j, n)) != EVAL_OK) return false;
        for (int c = 0; c < n; c++)
            for (int i = 0; i < size; i++) {
                double sum = at(w->base, first + i, n)[c] - at(w->x, first + i, n)[c];
                for (int j = 0; j < size; j++)
                    sum += w->h * w->b.a[first + i][first + j] * at(w->k, first + j, n)[c];
                w->r[c * size + i] = sum;
            }
        if ((round < 4 || round % 5 == 0) && !factor(w, first, false)) return false;
        lu_solve(w->lu_ahead, w->r);
        for (int c = 0; c < n; c++)
            for (int i = 0; i < size; i++) {
                double *x = &at(w->x, first + i, n)[c];
                *x += w->r[c * size + i];
                largest = fmax(largest, fabs(*x));
                change = fmax(change, fabs(w->r[c * size + i]));
            }
        if (change <= 1e-15 * largest || (change >= 0.5 * last && change <= 1e-11 * (largest + 1.0))) break;
        if (round == MOST_NEWTON - 1) return false;
        last = change;
    }
    for (int j = 0; j < size; j++)
        if (slope(w, first + j, at(w->k, first + j, n)) != EVAL_OK) return false;
    return true;
}

bool rk_stages(Rk *w, double t, double h, const double *x, const double *guess)
{
    int n = w->n, stages = w->b.stages;
    w->t = t;
    w->h = h;
    for (int first = 0; first < stages; first += w->size) {
        for (int i = first; i < first + w->size; i++) {
            double *base = at(w->base, i, n);
            memcpy(base, x, (size_t)n * sizeof *x);
            for (int j = 0; j < first; j++) add_scaled(n, h * w->b.a[i][j], at(w->k, j, n), base);
            memcpy(at(w->x, i, n), guess && !is_alone(w, i) ? guess + (ptrdiff_t)i * n : base,
                   (size_t)n * sizeof *x);
        }
        if (is_alone(w, first) ? slope(w, first, at(w->k, first, n)) != EVAL_OK : !solve_stages(w, first))
            return false;
    }
    return true;
}

void rk_end(const Rk *w, double *x)
{
    for (int i = 0; i < w->b.stages; i++) add_scaled(w->n, w->h * w->b.b[i], w->k + (ptrdiff_t)i * w->n, x);
}

/* ---- derivatives ahead ---- */

/* dX of stages that depend on each other, for all changes; what comes from others, and f_p, is in `moved`. */
static bool follow(Rk *w, int first, RkMove *v)
{
    int n = w->n, size = w->size;
    ptrdiff_t all = (ptrdiff_t)v->directions * n;
    if (!factor(w, first, false)) return false;
    for (int d = 0; d < v->directions; d++) {
        for (int c = 0; c < n; c++)
            for (int i = 0; i < size; i++)
                w->r[c * size + i] = v->moved[(first + i) * all + (ptrdiff_t)d * n + c];
        lu_solve(w->lu_ahead, w->r);
        for (int c = 0; c < n; c++)
            for (int i = 0; i < size; i++)
                v->moved[(first + i) * all + (ptrdiff_t)d * n + c] = w->r[c * size + i];
    }
    return true;
}

/* f_y dX + f_p dp of a stage, or f_p dp alone. */
static bool product(Rk *w, int i, RkMove *v, bool is_whole, double *to)
{
    Model *model = w->model;
    ptrdiff_t all = (ptrdiff_t)v->directions * w->n;
    at_stage(w, i);
    if (model->type->linearise(model, MAP_DERIVATIVES, w->t + w->b.c[i] * w->h, at(w->x, i, w->n)) != EVAL_OK)
        return false;
    for (int d = 0; d < v->directions; d++) {
        v->p_of(v->arg, i, d, v->p + (ptrdiff_t)d * w->count);
        v->changes[d] = (ModelChange){ .y = is_whole ? v->moved + i * all + (ptrdiff_t)d * w->n : NULL,
                                       .count = w->count,
                                       .variables = w->variables,
                                       .p = v->p + (ptrdiff_t)d * w->count };
        v->out[d] = to + (ptrdiff_t)d * w->n;
    }
    return model->type->jvp(model, v->directions, v->changes, v->out) == EVAL_OK;
}

bool rk_move(Rk *w, RkMove *v)
{
    int n = w->n, size = w->size;
    ptrdiff_t all = (ptrdiff_t)v->directions * n;
    for (int first = 0; first < w->b.stages; first += size) {
        for (int i = first; i < first + size; i++) {
            memcpy(v->moved + i * all, v->s, (size_t)all * sizeof(double));
            for (int j = 0; j < first; j++)
                add_scaled((int)all, w->h * w->b.a[i][j], v->ds + j * all, v->moved + i * all);
        }
        if (!is_alone(w, first)) {
            for (int j = first; j < first + size; j++) {
                if (!product(w, j, v, false, v->ds + j * all)) return false;
                for (int i = first; i < first + size; i++)
                    add_scaled((int)all, w->h * w->b.a[i][j], v->ds + j * all, v->moved + i * all);
            }
            if (!follow(w, first, v)) return false;
        }
        for (int i = first; i < first + size; i++)
            if (!product(w, i, v, true, v->ds + i * all)) return false;
    }
    for (int i = 0; i < w->b.stages; i++) add_scaled((int)all, w->h * w->b.b[i], v->ds + i * all, v->s);
    return true;
}

/* ---- derivatives back ---- */

/* J_i^T w, and f_p^T w in gp. */
static bool back_through(Rk *w, int i, const double *weights, double *result)
{
    Model *model = w->model;
    ModelChange g = { .y = result, .count = w->count, .variables = w->variables, .p = w->gp };
    at_stage(w, i);
    return model->type->linearise(model, MAP_DERIVATIVES, w->t + w->b.c[i] * w->h, at(w->x, i, w->n)) ==
               EVAL_OK &&
           model->type->vjp(model, weights, &g) == EVAL_OK;
}

/* k_i as far as stages from `from` on tell. */
static void weights_of(Rk *w, int i, int from, const double *l)
{
    double *k = at(w->k, i, w->n);
    for (int c = 0; c < w->n; c++) k[c] = w->h * w->b.b[i] * l[c];
    for (int j = from; j < w->b.stages; j++) add_scaled(w->n, w->h * w->b.a[j][i], at(w->m, j, w->n), k);
}

bool rk_back(Rk *w, double *l, double *gradient)
{
    int n = w->n, size = w->size;
    for (int first = w->b.stages - size; first >= 0; first -= size) {
        bool alone = is_alone(w, first);
        for (int i = first; i < first + size && !alone; i++) {
            weights_of(w, i, first + size, l);
            if (!back_through(w, i, at(w->k, i, n), w->theta)) return false;
            for (int c = 0; c < n; c++) w->r[c * size + (i - first)] = w->theta[c];
        }
        if (!alone) {
            if (!factor(w, first, true)) return false;
            lu_solve(w->lu_back, w->r);
            for (int i = first; i < first + size; i++)
                for (int c = 0; c < n; c++) at(w->m, i, n)[c] = w->r[c * size + (i - first)];
        }
        for (int i = first; i < first + size; i++) {
            weights_of(w, i, alone ? first + 1 : first, l);
            /* where stages were solved for together this is m_i again: only f_p is new */
            if (!back_through(w, i, at(w->k, i, n), alone ? at(w->m, i, n) : w->theta)) return false;
            if (w->collect)
                w->collect(w->arg, i, w->gp);
            else
                for (int j = 0; j < w->count; j++) gradient[j] += w->gp[j];
        }
    }
    for (int i = 0; i < w->b.stages; i++) add_scaled(n, 1.0, at(w->m, i, n), l);
    return true;
}
