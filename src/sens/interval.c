/* interval.c: the map of one interval of a control or estimation problem, and its derivatives, forward and backward.
 *
 * In: x at t0, inputs that are constant or change linearly until t1, parameters held in the model. Out: x at t1 by a number of equal steps
 * of a Runge-Kutta method, and d x(t1) / d (x, u0, u1, p), or the transposed product. How: the steps themselves are differentiated: with
 * stages X_i = x + h sum a_ij K_j, K_i = f(t_i, X_i, u_i, p) forward
 *     dK_i = J_i (dx + h sum a_ij dK_j) + f_u du_i + f_p dp,
 * and backward, with k_i the weight of K_i and l that of x,
 *     k_i = h b_i l + h sum_j>=i a_ji J_j^T k_j,   l <- l + sum J_i^T k_i.
 * Where a_ii is not zero both are linear systems with I - h a_ii J_i, factored at the stage that Newton's method ended at. Always: derivatives
 * are those of the computed map, to rounding: stages are iterated to rounding. Events are not looked for: an interval lies between
 * two. Cost: stages times steps of an evaluation and products; implicit ones two factorisations. Source: Bock 1987; Hager, Numer.
 * Math. 87 (2000). Tests: tests/sens/interval_test.c. */
#include "sens/inside.h"

#include <math.h>
#include <stdio.h>

enum { MOST_STAGES = 6, MOST_NEWTON = 30 };

typedef struct {
    const char *name;
    int stages;
    double a[MOST_STAGES][MOST_STAGES], b[MOST_STAGES], c[MOST_STAGES];
} Tableau;

#define G 0.43586652150845899942 /* of L-stability, order 3: Alexander, SIAM J. Numer. Anal. 14 (1977) */

static const Tableau tableaux[] = {
    { "rk4",
      4,
      { { 0 }, { 0.5 }, { 0, 0.5 }, { 0, 0, 1 } },
      { 1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0 },
      { 0, 0.5, 0.5, 1 } },
    { "dopri5",
      6,
      { { 0 },
        { 1 / 5.0 },
        { 3 / 40.0, 9 / 40.0 },
        { 44 / 45.0, -56 / 15.0, 32 / 9.0 },
        { 19372 / 6561.0, -25360 / 2187.0, 64448 / 6561.0, -212 / 729.0 },
        { 9017 / 3168.0, -355 / 33.0, 46732 / 5247.0, 49 / 176.0, -5103 / 18656.0 } },
      { 35 / 384.0, 0, 500 / 1113.0, 125 / 192.0, -2187 / 6784.0, 11 / 84.0 },
      { 0, 0.2, 0.3, 0.8, 8 / 9.0, 1 } },
    { "sdirk3",
      3,
      { { G },
        { 0.5 * (1 - G), G },
        { -0.25 * (6 * G * G - 16 * G + 1), 0.25 * (6 * G * G - 20 * G + 5), G } },
      { -0.25 * (6 * G * G - 16 * G + 1), 0.25 * (6 * G * G - 20 * G + 5), G },
      { G, 0.5 * (1 + G), 1 } },
};

struct SensMap {
    Arena *arena;
    SensInterval job;
    const Tableau *tableau;
    int n, count, directions; /* states; inputs and parameters; of all derivatives */
    int *variables;           /* count */
    double t0, t1;
    const double *u0, *u1;  /* of the last call, copied */
    double *stages;         /* steps x stages vectors of n */
    double *x, *f, *r, *k;  /* n; stages vectors of n */
    double *s, *ds, *moved; /* directions vectors of n; stages x directions; directions */
    double *p;              /* directions vectors of count */
    double **out;
    ModelChange *changes;
    MatrixShape *order;
    Lu *lu;
    double *matrix, *values, *gp, *theta;
};

static double *vector(SensMap *w, size_t n) { return NEW_ARRAY(w->arena, double, n + 1); }

static bool is_implicit(const SensMap *w) { return w->tableau->a[0][0] != 0.0; }

SensMap *sens_map_new(const SensInterval *job, char *why, size_t room)
{
    const Tableau *found = NULL;
    for (size_t k = 0; k < COUNT_OF(tableaux); k++)
        if (!strcmp(job->method ? job->method : "rk4", tableaux[k].name)) found = &tableaux[k];
    const char *fault = !found           ? "there is no such method: rk4, dopri5 and sdirk3 are there"
                        : job->steps < 1 ? "an interval needs a step"
                        : !(job->model->can & MODEL_PRODUCTS) || !(job->model->can & MODEL_JACOBIAN) ||
                                (job->model->can & MODEL_MASS)
                            ? "the model gives no exact derivatives"
                            : NULL;
    Arena *arena = fault ? NULL : arena_new();
    if (!arena) {
        snprintf(why, room, "%s", fault ? fault : "no memory");
        return NULL;
    }
    SensMap *w = NEW(arena, SensMap);
    *w = (SensMap){ .arena = arena, .job = *job, .tableau = found, .n = job->model->shape.n };
    w->count = job->input_count + job->parameter_count;
    w->directions = w->n + 2 * job->input_count + job->parameter_count;
    w->variables = NEW_ARRAY(arena, int, (size_t)w->count + 1);
    if (job->input_count) memcpy(w->variables, job->inputs, (size_t)job->input_count * sizeof(int));
    if (job->parameter_count)
        memcpy(w->variables + job->input_count, job->parameters, (size_t)job->parameter_count * sizeof(int));
    size_t n = (size_t)w->n, d = (size_t)w->directions, stages = (size_t)found->stages;
    w->stages = vector(w, n * stages * (size_t)job->steps);
    double **of_n[] = { &w->x, &w->f, &w->r, &w->theta };
    for (size_t k = 0; k < COUNT_OF(of_n); k++) *of_n[k] = vector(w, n);
    w->k = vector(w, n * stages);
    w->s = vector(w, n * d);
    w->ds = vector(w, n * d * stages);
    w->moved = vector(w, n * d);
    w->p = vector(w, (size_t)w->count * d);
    w->gp = vector(w, (size_t)w->count);
    w->u0 = vector(w, (size_t)job->input_count);
    w->u1 = vector(w, (size_t)job->input_count);
    w->out = NEW_ARRAY(arena, double *, d + 1);
    w->changes = NEW_ARRAY(arena, ModelChange, d + 1);
    w->order = matrix_shape_as(arena, MATRIX_DENSE, w->n, NULL);
    w->lu = lu_new(arena, w->order, false);
    w->matrix = vector(w, n * n);
    w->values = vector(w, n * n);
    return w;
}

void sens_map_free(SensMap *w)
{
    if (!w) return;
    lu_free(w->lu);
    arena_free(w->arena);
}

/* ---- the map ---- */

/* Inputs at a share of the interval. */
static void set_inputs(SensMap *w, double share)
{
    const char *why;
    for (int k = 0; k < w->job.input_count; k++) {
        double value = w->u0[k] + (w->job.is_linear ? share * (w->u1[k] - w->u0[k]) : 0.0);
        w->job.model->type->set(w->job.model, w->job.inputs[k], value, &why);
    }
}

/* I - h a J, or its transpose, factored at the point. */
static bool factor(SensMap *w, double t, const double *x, double ha, bool is_transposed)
{
    Model *model = w->job.model;
    size_t n = (size_t)w->n;
    memset(w->values, 0, n * n * sizeof *w->values);
    if (model->type->jacobian(model, t, x, w->order, w->values) != EVAL_OK) return false;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            w->matrix[j * n + i] =
                (i == j ? 1.0 : 0.0) - ha * (is_transposed ? w->values[i * n + j] : w->values[j * n + i]);
    return lu_factor(w->lu, w->matrix) == LU_OK;
}

/* Stage i from `base`: X = base + h a_ii f(t, X). The last iterations are for rounding. */
static bool solve_stage(SensMap *w, double t, double ha, double *X, double *K)
{
    Model *model = w->job.model;
    double last = INFINITY;
    memcpy(w->x, X, (size_t)w->n * sizeof *X); /* the base */
    for (int round = 0; round < MOST_NEWTON; round++) {
        double size = 0.0, change = 0.0;
        if (model->type->derivatives(model, t, X, w->f) != EVAL_OK) return false;
        for (int i = 0; i < w->n; i++) w->r[i] = w->x[i] + ha * w->f[i] - X[i];
        if ((round < 4 || round % 5 == 0) && !factor(w, t, X, ha, false)) return false;
        lu_solve(w->lu, w->r);
        for (int i = 0; i < w->n; i++) {
            X[i] += w->r[i];
            size = fmax(size, fabs(X[i]));
            change = fmax(change, fabs(w->r[i]));
        }
        if (change <= 1e-15 * size || (change >= 0.5 * last && change <= 1e-11 * (size + 1.0))) break;
        if (round == MOST_NEWTON - 1) return false;
        last = change;
    }
    return model->type->derivatives(model, t, X, K) == EVAL_OK;
}

static void add_scaled(int n, double factor, const double *from, double *to)
{
    for (int i = 0; i < n && factor != 0.0; i++) to[i] += factor * from[i];
}

/* Derivatives of stage i; those of earlier ones are there. */
static bool move_stage(SensMap *w, int i, double t, double share, double h, const double *X)
{
    Model *model = w->job.model;
    const Tableau *b = w->tableau;
    int n = w->n, inputs = w->job.input_count;
    ptrdiff_t all = (ptrdiff_t)w->directions * n;
    memcpy(w->moved, w->s, (size_t)all * sizeof(double));
    for (int j = 0; j < i; j++) add_scaled((int)all, h * b->a[i][j], w->ds + j * all, w->moved);
    memset(w->p, 0, (size_t)(w->count * w->directions) * sizeof(double));
    for (int d = n; d < w->directions; d++) {
        int which = d - n, input = which % (inputs ? inputs : 1);
        double *p = w->p + (ptrdiff_t)d * w->count;
        if (which < inputs)
            p[input] = w->job.is_linear ? 1.0 - share : 1.0;
        else if (which < 2 * inputs)
            p[input] = w->job.is_linear ? share : 0.0;
        else
            p[inputs + which - 2 * inputs] = 1.0;
    }
    for (int d = 0; d < w->directions; d++) {
        w->changes[d] = (ModelChange){ .y = w->moved + (ptrdiff_t)d * n,
                                       .count = w->count,
                                       .variables = w->variables,
                                       .p = w->p + (ptrdiff_t)d * w->count };
        w->out[d] = w->ds + i * all + (ptrdiff_t)d * n;
    }
    if (is_implicit(w) && !factor(w, t, X, h * b->a[i][i], false)) return false;
    if (model->type->linearise(model, MAP_DERIVATIVES, t, X) != EVAL_OK ||
        model->type->jvp(model, w->directions, w->changes, w->out) != EVAL_OK)
        return false;
    for (int d = 0; d < w->directions && is_implicit(w); d++) lu_solve(w->lu, w->out[d]);
    return true;
}

static bool one_step(SensMap *w, int step, double *x, bool with_derivatives)
{
    const Tableau *b = w->tableau;
    int n = w->n;
    double h = (w->t1 - w->t0) / w->job.steps;
    ptrdiff_t all = (ptrdiff_t)w->directions * n;
    for (int i = 0; i < b->stages; i++) {
        double share = (step + b->c[i]) / w->job.steps, t = w->t0 + share * (w->t1 - w->t0);
        double *X = w->stages + ((ptrdiff_t)step * b->stages + i) * n, *K = w->k + (ptrdiff_t)i * n;
        memcpy(X, x, (size_t)n * sizeof *X);
        for (int j = 0; j < i; j++) add_scaled(n, h * b->a[i][j], w->k + (ptrdiff_t)j * n, X);
        set_inputs(w, share);
        bool ok = is_implicit(w) ? solve_stage(w, t, h * b->a[i][i], X, K)
                                 : w->job.model->type->derivatives(w->job.model, t, X, K) == EVAL_OK;
        if (!ok || (with_derivatives && !move_stage(w, i, t, share, h, X))) return false;
    }
    for (int i = 0; i < b->stages; i++) add_scaled(n, h * b->b[i], w->k + (ptrdiff_t)i * n, x);
    for (int i = 0; i < b->stages && with_derivatives; i++)
        add_scaled((int)all, h * b->b[i], w->ds + i * all, w->s);
    return true;
}

bool sens_map_forward(SensMap *w, double t0, double t1, const double *x, const double *u0, const double *u1,
                      double *end, double *derivatives)
{
    int n = w->n, inputs = w->job.input_count;
    w->t0 = t0;
    w->t1 = t1;
    if (inputs) memcpy((double *)(uintptr_t)w->u0, u0, (size_t)inputs * sizeof *u0);
    if (inputs) memcpy((double *)(uintptr_t)w->u1, u1 ? u1 : u0, (size_t)inputs * sizeof *u0);
    memset(w->s, 0, (size_t)n * (size_t)w->directions * sizeof(double));
    for (int i = 0; i < n; i++) w->s[i * n + i] = 1.0;
    memmove(end, x, (size_t)n * sizeof *x);
    for (int step = 0; step < w->job.steps; step++)
        if (!one_step(w, step, end, derivatives != NULL)) return false;
    if (derivatives) memcpy(derivatives, w->s, (size_t)n * (size_t)w->directions * sizeof(double));
    return true;
}

/* ---- backward ---- */

static void add_gradient(SensMap *w, double share, double *g)
{
    int n = w->n, inputs = w->job.input_count;
    for (int k = 0; k < inputs; k++) {
        g[n + k] += (w->job.is_linear ? 1.0 - share : 1.0) * w->gp[k];
        g[n + inputs + k] += (w->job.is_linear ? share : 0.0) * w->gp[k];
    }
    for (int k = 0; k < w->job.parameter_count; k++) g[n + 2 * inputs + k] += w->gp[inputs + k];
}

/* Weights k_i of the stage in w->k, whose product with J_i replaces them; that with f_u and f_p goes to g. */
static bool stage_back(SensMap *w, int step, int i, double *g)
{
    Model *model = w->job.model;
    const Tableau *b = w->tableau;
    double share = (step + b->c[i]) / w->job.steps, t = w->t0 + share * (w->t1 - w->t0),
           h = (w->t1 - w->t0) / w->job.steps;
    double *X = w->stages + ((ptrdiff_t)step * b->stages + i) * w->n, *k = w->k + (ptrdiff_t)i * w->n;
    set_inputs(w, share);
    if (is_implicit(w)) {
        if (!factor(w, t, X, h * b->a[i][i], true)) return false;
        lu_solve(w->lu, k);
    }
    ModelChange change = { .y = w->theta, .count = w->count, .variables = w->variables, .p = w->gp };
    if (model->type->linearise(model, MAP_DERIVATIVES, t, X) != EVAL_OK ||
        model->type->vjp(model, k, &change) != EVAL_OK)
        return false;
    memcpy(k, w->theta, (size_t)w->n * sizeof *k);
    add_gradient(w, share, g);
    return true;
}

bool sens_map_back(SensMap *w, const double *weights, double *g)
{
    const Tableau *b = w->tableau;
    int n = w->n;
    double h = (w->t1 - w->t0) / w->job.steps;
    memset(g, 0, (size_t)w->directions * sizeof *g);
    memcpy(g, weights, (size_t)n * sizeof *g);
    for (int step = w->job.steps; step-- > 0;) {
        for (int i = b->stages; i-- > 0;) {
            double *k = w->k + (ptrdiff_t)i * n;
            memset(k, 0, (size_t)n * sizeof *k);
            add_scaled(n, h * b->b[i], g, k);
            for (int j = i + 1; j < b->stages; j++) add_scaled(n, h * b->a[j][i], w->k + (ptrdiff_t)j * n, k);
            if (!stage_back(w, step, i, g)) return false;
        }
        for (int i = 0; i < b->stages; i++) add_scaled(n, 1.0, w->k + (ptrdiff_t)i * n, g);
    }
    return true;
}
