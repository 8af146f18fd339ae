/* implicit.c: a general F(t, y, y', p) = 0 of index 1, as a model that can be differentiated. */
#include "sens/inside.h"

#include <math.h>
#include <stdio.h>

/* In: a model with a residual, written by hand; which unknowns have no derivative in it; products
 * with the Jacobians of F, or none. Out: a model L u' = f(t, u, p) of unknowns u = (y, w), w the
 * slopes of those y that have one,
 *     y_i' = w_i where there is one,    0 = F(t, y, w, p),
 * which every integrator with a mass matrix, or a residual L u' - f, takes, and forward.c,
 * adjoint.c and the steps*.c differentiate. How: products of F are the user's; what he does not
 * give is made of his Jacobian, then of central differences, of parameters too, by `set`. Always:
 * without events; w at the start is made consistent by the integrator. Cost: by differences two
 * residuals a direction forward, and two a parameter back. Tests: tests/sens/implicit_test.c. */

/* of a size: balances rounding and curvature of central differences */
static const double CHANGE = 6e-6;

typedef struct {
    Model model; /* first: its data is this struct */
    ModelType type;
    Arena *arena;
    SensImplicit job;
    Model *inner;
    int n, all; /* of y; of u */
    /* n: where the slope of an unknown is in u, -1: nowhere; which row an equation is */
    int *slope, *at;
    double *mass; /* all */
    ModelMap map; /* where it was linearised, and at which point */
    double t, *u;
    double *yp, *r, *low, *high, *moved, *moved_yp; /* n */
    double *values, *low_values, *high_values;      /* of inner */
    double *p, *g, *gp;                             /* of variables; n: products back */
    MatrixShape *order;                             /* of F_y and F_y' */
    double *f_y, *f_yp;
} Implicit;

/* A map of inner along a line. */
typedef EvalStatus (*Along)(Implicit *w, double t, const double *y, const double *yp, double *out);

static Implicit *of_model(const Model *model) { return model->data; }

static double *vector(Implicit *w, int n) { return NEW_ARRAY(w->arena, double, (size_t)n + 1); }

/* y' as the slopes in u say. */
static void slopes_of(const Implicit *w, const double *u, double *yp)
{
    for (int i = 0; i < w->n; i++) yp[i] = w->slope[i] >= 0 ? u[w->slope[i]] : 0.0;
}

static EvalStatus residual_at(Implicit *w, double t, const double *y, const double *yp, double *out)
{
    return w->inner->type->residual(w->inner, t, y, yp, out);
}

static EvalStatus values_at(Implicit *w, double t, const double *y, const double *yp, double *out)
{
    (void)yp;
    return w->inner->type->values(w->inner, t, y, out);
}

static EvalStatus initial_at(Implicit *w, double t, const double *y, const double *yp, double *out)
{
    EventInfo info;
    (void)y, (void)yp;
    return w->inner->type->initialise(w->inner, t, out, &info);
}

/* ---- differences ----------------------------------------------------------------------------- */

static double nominal(const Implicit *w, int i)
{
    double size = w->inner->shape.nominal ? fabs(w->inner->shape.nominal[i]) : 1.0;
    return size > 0.0 ? size : 1.0;
}

static double value_of(const Implicit *w, int variable)
{
    const ModelVariable *v = &w->inner->shape.variables[variable];
    return v->negated ? -w->values[v->slot] : w->values[v->slot];
}

/* How far to go along a direction, so that nothing changes by more than a share of its size. */
static double reach(const Implicit *w, const ModelChange *c, const double *dyp)
{
    double most = fabs(c->t) / (fabs(w->t) + 1.0);
    for (int i = 0; i < w->n && c->y; i++) most = fmax(most, fabs(c->y[i]) / (fabs(w->u[i]) + nominal(w, i)));
    for (int i = 0; i < w->n && dyp; i++) most = fmax(most, fabs(dyp[i]) / (fabs(w->yp[i]) + nominal(w, i)));
    for (int j = 0; j < c->count; j++) {
        double size = fabs(value_of(w, c->variables[j]));
        most = fmax(most, fabs(c->p[j]) / (size > 0.0 ? size : 1.0));
    }
    return most > 0.0 ? CHANGE / most : 0.0;
}

static void set_parameters(Implicit *w, const ModelChange *c, double by)
{
    const char *why;
    for (int j = 0; j < c->count; j++)
        if (c->p[j] != 0.0)
            w->inner->type->set(w->inner, c->variables[j], value_of(w, c->variables[j]) + by * c->p[j], &why);
}

/* The change of a map along a direction, of count numbers; there are values of the model at the
 * point. */
static EvalStatus difference(Implicit *w, Along map, const ModelChange *c, const double *dyp, int count,
                             double *low, double *high, double *out)
{
    double h = reach(w, c, dyp);
    EvalStatus status = EVAL_OK;
    memset(out, 0, (size_t)count * sizeof *out);
    for (int side = -1; side <= 1 && h > 0.0 && status == EVAL_OK; side += 2) {
        double by = side * h;
        for (int i = 0; i < w->n; i++) {
            w->moved[i] = w->u[i] + (c->y ? by * c->y[i] : 0.0);
            w->moved_yp[i] = w->yp[i] + (dyp ? by * dyp[i] : 0.0);
        }
        set_parameters(w, c, by);
        status = map(w, w->t + by * c->t, w->moved, w->moved_yp, side < 0 ? low : high);
        set_parameters(w, c, 0.0);
    }
    for (int k = 0; k < count && h > 0.0 && status == EVAL_OK; k++) out[k] = (high[k] - low[k]) / (2.0 * h);
    return status;
}

/* ---- the equations --------------------------------------------------------------------------- */

static EvalStatus implicit_derivatives(Model *model, double t, const double *u, double *f)
{
    Implicit *w = of_model(model);
    slopes_of(w, u, w->moved_yp);
    EvalStatus status = residual_at(w, t, u, w->moved_yp, w->r);
    for (int i = 0; i < w->n; i++) {
        if (w->slope[i] >= 0) f[i] = u[w->slope[i]];
        f[w->at[i]] = w->r[i];
    }
    return status;
}

/* F_y or F_y' by columns. */
static EvalStatus columns(Implicit *w, bool of_slopes, double *values)
{
    EvalStatus status = EVAL_OK;
    double *unit = w->g;
    memset(values, 0, w->order->size * sizeof *values);
    for (int j = 0; j < w->n && status == EVAL_OK; j++) {
        if (of_slopes && w->slope[j] < 0) continue;
        memset(unit, 0, (size_t)w->n * sizeof *unit);
        unit[j] = 1.0;
        ModelChange c = { .y = of_slopes ? NULL : unit };
        status = difference(w, residual_at, &c, of_slopes ? unit : NULL, w->n, w->low, w->high, w->r);
        for (int i = 0; i < w->n; i++) model_put(w->order, values, i, j, w->r[i]);
    }
    return status;
}

/* F_y and F_y' at the point. */
static EvalStatus matrices(Implicit *w)
{
    const ModelType *type = w->inner->type;
    size_t size = w->order->size;
    EvalStatus status = EVAL_OK;
    if (!type->residual_jacobian) {
        status = columns(w, false, w->f_y);
        return status == EVAL_OK ? columns(w, true, w->f_yp) : status;
    }
    memset(w->f_y, 0, size * sizeof(double));
    memset(w->f_yp, 0, size * sizeof(double));
    status = type->residual_jacobian(w->inner, w->t, w->u, w->yp, 0.0, w->order, w->f_y);
    if (status == EVAL_OK)
        status = type->residual_jacobian(w->inner, w->t, w->u, w->yp, 1.0, w->order, w->f_yp);
    for (size_t k = 0; k < size; k++) w->f_yp[k] -= w->f_y[k];
    return status;
}

static void take_point(Implicit *w, double t, const double *u)
{
    w->t = t;
    if (u) memcpy(w->u, u, (size_t)w->all * sizeof *u);
    slopes_of(w, w->u, w->yp);
}

static EvalStatus implicit_jacobian(Model *model, double t, const double *u, const MatrixShape *order,
                                    double *values)
{
    Implicit *w = of_model(model);
    const Pattern *p = w->inner->shape.pattern;
    take_point(w, t, u);
    EvalStatus status = matrices(w);
    for (int j = 0; j < w->n; j++) {
        if (w->slope[j] >= 0) model_put(order, values, j, w->slope[j], 1.0);
        for (int k = p ? p->start[j] : 0; k < (p ? p->start[j + 1] : w->n); k++) {
            int i = p ? p->row[k] : k, place = matrix_place(w->order, i, j);
            model_put(order, values, w->at[i], j, w->f_y[place]);
            if (w->slope[j] >= 0) model_put(order, values, w->at[i], w->slope[j], w->f_yp[place]);
        }
    }
    return status;
}

/* ---- products -------------------------------------------------------------------------------- */

static EvalStatus implicit_linearise(Model *model, ModelMap map, double t, const double *u)
{
    Implicit *w = of_model(model);
    w->map = map;
    if (map == MAP_DERIVATIVES || map == MAP_VALUES) take_point(w, t, u);
    return values_at(w, w->t, w->u, NULL, w->values);
}

static EvalStatus product(Implicit *w, const ModelChange *c, double *out)
{
    double *dyp = w->g;
    EvalStatus status = EVAL_OK;
    for (int i = 0; i < w->n; i++) dyp[i] = c->y && w->slope[i] >= 0 ? c->y[w->slope[i]] : 0.0;
    if (w->map == MAP_VALUES)
        return difference(w, values_at, c, NULL, w->inner->shape.value_count, w->low_values, w->high_values,
                          out);
    memset(out, 0, (size_t)w->all * sizeof *out);
    if (w->map == MAP_INITIAL) {
        ModelChange alone = { .count = c->count, .variables = c->variables, .p = c->p };
        return difference(w, initial_at, &alone, NULL, w->n, w->low, w->high, out);
    }
    if (w->map == MAP_RESET && c->y) memcpy(out, c->y, (size_t)w->all * sizeof *out);
    if (w->map != MAP_DERIVATIVES) return EVAL_OK;
    status = w->job.forward ? w->job.forward(w->inner, w->t, w->u, w->yp, c, dyp, w->r)
                            : difference(w, residual_at, c, dyp, w->n, w->low, w->high, w->r);
    for (int i = 0; i < w->n; i++) {
        if (w->slope[i] >= 0) out[i] = dyp[i];
        out[w->at[i]] = w->r[i];
    }
    return status;
}

static EvalStatus implicit_jvp(Model *model, int count, const ModelChange *changes, double *const *results)
{
    EvalStatus status = EVAL_OK;
    for (int k = 0; k < count && status == EVAL_OK; k++)
        status = product(of_model(model), &changes[k], results[k]);
    return status;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* What a map of `count` numbers has in parameters and time, by differences in each of them. */
static EvalStatus back_by_differences(Implicit *w, Along map, const double *weights, int count, double *low,
                                      double *high, double *out, ModelChange *g)
{
    EvalStatus status = EVAL_OK;
    double *unit = w->p, *to = g->p;
    for (int j = 0; j <= g->count && status == EVAL_OK; j++) {
        memset(unit, 0, (size_t)g->count * sizeof *unit);
        ModelChange c = { .t = j == g->count, .count = g->count, .variables = g->variables, .p = unit };
        if (j < g->count) unit[j] = 1.0;
        status = difference(w, map, &c, NULL, count, low, high, out);
        *(j < g->count ? &to[j] : &g->t) = dot(count, weights, out);
    }
    return status;
}

static EvalStatus back_of_values(Implicit *w, const double *weights, ModelChange *g)
{
    int count = w->inner->shape.value_count;
    double *out = w->values + count + 1;
    EvalStatus status =
        back_by_differences(w, values_at, weights, count, w->low_values, w->high_values, out, g);
    if (g->y) memset(g->y, 0, (size_t)w->all * sizeof *g->y);
    for (int i = 0; i < w->n && g->y && status == EVAL_OK; i++) {
        memset(w->g, 0, (size_t)w->n * sizeof(double));
        w->g[i] = 1.0;
        ModelChange c = { .y = w->g };
        status = difference(w, values_at, &c, NULL, count, w->low_values, w->high_values, out);
        g->y[i] = dot(count, weights, out);
    }
    return status;
}

/* F_y^T weights and F_y'^T weights by the matrices, and by differences what is in parameters. */
static EvalStatus back_by_matrices(Implicit *w, const double *weights, ModelChange *g, double *gyp)
{
    const Pattern *p = w->inner->shape.pattern;
    EvalStatus status = matrices(w);
    for (int j = 0; j < w->n; j++) {
        g->y[j] = gyp[j] = 0.0;
        for (int k = p ? p->start[j] : 0; k < (p ? p->start[j + 1] : w->n); k++) {
            int i = p ? p->row[k] : k, place = matrix_place(w->order, i, j);
            g->y[j] += w->f_y[place] * weights[i];
            gyp[j] += w->f_yp[place] * weights[i];
        }
    }
    if (status != EVAL_OK || !g->count) return status;
    return back_by_differences(w, residual_at, weights, w->n, w->low, w->high, w->r, g);
}

static EvalStatus implicit_vjp(Model *model, const double *weights, ModelChange *g)
{
    Implicit *w = of_model(model);
    g->t = 0.0;
    if (w->map == MAP_VALUES) return back_of_values(w, weights, g);
    if (g->p) memset(g->p, 0, (size_t)g->count * sizeof *g->p);
    for (int i = 0; i < w->all && g->y; i++) g->y[i] = w->map == MAP_RESET ? w->mass[i] * weights[i] : 0.0;
    if (w->map == MAP_INITIAL) {
        for (int i = 0; i < w->n; i++) w->gp[i] = w->mass[i] * weights[i];
        return back_by_differences(w, initial_at, w->gp, w->n, w->low, w->high, w->r, g);
    }
    if (w->map != MAP_DERIVATIVES) return EVAL_OK;
    double *of_rows = w->gp, *gyp = w->gp + w->n, *y = w->gp + 2 * w->n;
    ModelChange own = { .y = y, .count = g->count, .variables = g->variables, .p = g->p };
    for (int i = 0; i < w->n; i++) of_rows[i] = weights[w->at[i]];
    EvalStatus status = w->job.back ? w->job.back(w->inner, w->t, w->u, w->yp, of_rows, &own, gyp)
                                    : back_by_matrices(w, of_rows, &own, gyp);
    g->t = own.t;
    for (int i = 0; i < w->n && g->y; i++) {
        g->y[i] = y[i];
        if (w->slope[i] >= 0) g->y[w->slope[i]] = gyp[i] + weights[i];
    }
    return status;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static EvalStatus implicit_initialise(Model *model, double t, double *u, EventInfo *info)
{
    Implicit *w = of_model(model);
    memset(u, 0, (size_t)w->all * sizeof *u);
    EvalStatus status = w->inner->type->initialise(w->inner, t, u, info);
    take_point(w, t, u);
    return status;
}

static EvalStatus implicit_event(Model *model, double t, double *u, EventInfo *info)
{
    (void)model, (void)t, (void)u;
    *info = (EventInfo){ .next_time = INFINITY };
    return EVAL_OK;
}

static EvalStatus implicit_values(Model *model, double t, const double *u, double *values)
{
    return values_at(of_model(model), t, u, NULL, values);
}

static bool implicit_set(Model *model, int variable, double value, const char **why)
{
    Model *inner = of_model(model)->inner;
    return inner->type->set(inner, variable, value, why);
}

static const char *implicit_failure(const Model *model)
{
    Model *inner = of_model(model)->inner;
    return inner->type->failure ? inner->type->failure(inner) : NULL;
}

/* There is no state but that of the unknowns. */
static size_t implicit_save_size(const Model *model) { return (void)model, 1; }
static void implicit_save(const Model *model, void *to) { (void)model, (void)to; }
static void implicit_restore(Model *model, const void *from) { (void)model, (void)from; }

/* Unknowns with a slope, then equations: in the rows of unknowns without one, and of slopes. */
static void place(Implicit *w)
{
    unsigned char *algebraic = arena_alloc(w->arena, (size_t)w->n + 1);
    model_algebraic(w->inner, algebraic);
    int row = 0;
    w->all = w->n;
    w->slope = NEW_ARRAY(w->arena, int, (size_t)w->n + 1);
    w->at = NEW_ARRAY(w->arena, int, (size_t)w->n + 1);
    for (int i = 0; i < w->n; i++) w->slope[i] = algebraic[i] ? -1 : w->all++;
    w->mass = vector(w, w->all);
    for (int i = 0; i < w->n; i++) w->mass[i] = algebraic[i] ? 0.0 : 1.0;
    for (int i = 0; i < w->n; i++) {
        while (w->mass[row] != 0.0) row++;
        w->at[i] = row++;
    }
}

static Pattern *pattern_of(Implicit *w)
{
    const Pattern *p = w->inner->shape.pattern;
    if (!p) return NULL;
    VEC(Entry) entries = { 0 };
    for (int j = 0; j < w->n; j++) {
        if (w->slope[j] >= 0) vec_push(w->arena, &entries, ((Entry){ j, w->slope[j] }));
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            vec_push(w->arena, &entries, ((Entry){ w->at[p->row[k]], j }));
            if (w->slope[j] >= 0) vec_push(w->arena, &entries, ((Entry){ w->at[p->row[k]], w->slope[j] }));
        }
    }
    return pattern_of_entries(w->arena, w->all, w->all, entries.at, entries.n);
}

static void make_room(Implicit *w)
{
    const ModelShape *shape = &w->inner->shape;
    double **of_n[] = { &w->yp, &w->r, &w->low, &w->high, &w->moved, &w->moved_yp, &w->g };
    for (size_t k = 0; k < COUNT_OF(of_n); k++) *of_n[k] = vector(w, w->n);
    w->u = vector(w, w->all);
    w->gp = vector(w, 3 * w->n);
    w->p = vector(w, shape->variable_count);
    w->values = vector(w, 2 * shape->value_count + 2);
    w->low_values = vector(w, shape->value_count);
    w->high_values = vector(w, shape->value_count);
    w->order = matrix_shape(w->arena, w->n, shape->pattern);
    w->f_y = NEW_ARRAY(w->arena, double, w->order->size + 1);
    w->f_yp = NEW_ARRAY(w->arena, double, w->order->size + 1);
}

static ModelShape shape_of(Implicit *w)
{
    ModelShape shape = w->inner->shape;
    char room[32];
    const char **names = NEW_ARRAY(w->arena, const char *, (size_t)w->all + 1);
    double *sizes = vector(w, w->all);
    for (int i = 0; i < w->n; i++) {
        const char *name = model_name(w->inner, i, room, sizeof room);
        names[i] = arena_copy(w->arena, str_of(name));
        sizes[i] = nominal(w, i);
        if (w->slope[i] >= 0) names[w->slope[i]] = arena_printf(w->arena, "der(%s)", name);
        if (w->slope[i] >= 0) sizes[w->slope[i]] = sizes[i];
    }
    shape.n = w->all;
    shape.names = names;
    shape.nominal = sizes;
    shape.low = shape.high = NULL;
    shape.algebraic = shape.index = NULL;
    shape.mass = w->mass;
    shape.mass_pattern = NULL;
    shape.pattern = pattern_of(w);
    return shape;
}

Model *sens_implicit_new(const SensImplicit *job, char *why, size_t room)
{
    const Model *inner = job->model;
    const ModelType *type = inner->type;
    const char *fault =
        !type->residual                                       ? "there is no residual"
        : !type->initialise || !type->values || !type->set    ? "start, values or parameters are missing"
        : inner->shape.indicators || inner->shape.systems > 1 ? "the model has events, or several vectors"
                                                              : NULL;
    Arena *arena = fault ? NULL : arena_new();
    if (!arena) return snprintf(why, room, "%s", fault ? fault : "no memory"), NULL;
    Implicit *w = NEW(arena, Implicit);
    *w = (Implicit){ .arena = arena, .job = *job, .inner = job->model, .n = inner->shape.n };
    place(w);
    make_room(w);
    ModelShape shape = shape_of(w);
    w->type = (ModelType){ .derivatives = implicit_derivatives,
                           .jacobian = implicit_jacobian,
                           .initialise = implicit_initialise,
                           .event = implicit_event,
                           .values = implicit_values,
                           .set = implicit_set,
                           .linearise = implicit_linearise,
                           .jvp = implicit_jvp,
                           .vjp = implicit_vjp,
                           .save_size = implicit_save_size,
                           .save = implicit_save,
                           .restore = implicit_restore,
                           .failure = implicit_failure };
    if (model_init(&w->model, &w->type, &shape, w, &fault)) return &w->model;
    snprintf(why, room, "%s", fault);
    arena_free(arena);
    return NULL;
}

void sens_implicit_free(Model *model)
{
    if (model) arena_free(of_model(model)->arena);
}
