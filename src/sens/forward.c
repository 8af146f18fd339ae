/* forward.c: a model that carries its derivatives in parameters and start values along. */
#include "sens/inside.h"

#include <math.h>
#include <stdio.h>

/* In: a model with products, what to differentiate in. Out: a model with unknowns (y, s_1, ...,
 * s_m) and equations
 *     L y' = f(t, y, p),    L s_j' = f_y s_j + f_pj,
 * L the identity or a mass matrix, so that 0 = F = L y' - f is served, too, which every integrator
 * takes: the common block f_y of all vectors is factored once (Dickinson and Gelinas, J. Comp.
 * Phys. 21 (1976); Maly and Petzold, Appl. Num. Math. 20 (1996)). At an event at time T, with the
 * map R of the event and slopes f- and f+ before and after it,
 *     dT/dpj = -(g_y s_j + g_pj) / (g_t + g_y f-)       state events; of a time event its own
 *     derivative
 *     s_j+ = R_y (s_j + f- dT) + R_t dT + R_pj - f+ dT  (Rozenvasser 1967; Galan, Feehery, Barton
 *     1999).
 * Discrete Reals are held between events and have derivatives, too, which events change alike.
 * Always: derivatives of tolerances and norms: s_j counts like y over the size of p_j. Cost of an
 * evaluation: one of f, its Jacobian, products with it, and the rows that parameters reach; or for
 * few parameters a pass over the tape. Tests: tests/sens/derivatives_test.c,
 * tests/cli/sensitivity.sh. */

typedef struct {
    Model model; /* first: its data is this struct */
    Arena *arena;
    Model *inner;
    ModelType type;
    int n, m, discrete; /* of inner; parameters; discrete Reals */
    Outputs outputs;
    int *variables;       /* m + discrete */
    ModelChange *changes; /* m */
    /* m vectors of m + discrete: unit vectors, then derivatives of discrete Reals */
    double *p;
    double **out, *room;         /* m results */
    double **direct;             /* m places in a vector of unknowns */
    double *f_before, *f_behind; /* n */
    double *shift, *moved;       /* dT/dpj; m vectors of n */
    double next_time;            /* the next time event */
    /* of f_y, where that is made for all directions; NULL: products with each of them */
    MatrixShape *order;
    double *values, *lanes_in, *lanes_out;
    Jump jump;
} Forward;

enum { MANY = 3 }; /* directions: then f_y itself is cheaper than products */

static Forward *of_model(const Model *model) { return model->data; }

static double *vector(Forward *w, size_t n) { return NEW_ARRAY(w->arena, double, n + 1); }

/* ---- between events -------------------------------------------------------------------------- */

static void aim(Forward *w, const double *y, double t)
{
    for (int j = 0; j < w->m; j++) {
        w->changes[j].t = t;
        w->changes[j].y = (double *)(uintptr_t)(y + (ptrdiff_t)(j + 1) * w->n);
    }
}

/* f, with the model linearised there. */
static EvalStatus linearise(Forward *w, double t, const double *y, double *f)
{
    const ModelType *type = w->inner->type;
    EvalStatus status = type->linearise(w->inner, MAP_DERIVATIVES, t, y);
    if (status != EVAL_OK || (type->slopes && type->slopes(w->inner, f))) return status;
    status = type->derivatives(w->inner, t, y, f);
    return status == EVAL_OK ? type->linearise(w->inner, MAP_DERIVATIVES, t, y) : status;
}

/* f_pj with what discrete Reals add, where the model is linearised. */
static EvalStatus add_parameters(Forward *w, double *g)
{
    for (int j = 0; j < w->m; j++) {
        w->changes[j].t = 0.0;
        w->changes[j].y = NULL;
        w->direct[j] = g + (ptrdiff_t)j * w->n;
    }
    return w->inner->type->jvp(w->inner, w->m, w->changes, w->direct);
}

/* g_j += f_y s_j, several at a time. */
static void add_products(Forward *w, const double *s, double *g)
{
    enum { Q = LU_LANES };
    ptrdiff_t n = w->n;
    for (int first = 0; first < w->m; first += Q) {
        int count = w->m - first < Q ? w->m - first : Q;
        memset(w->lanes_out, 0, (size_t)n * Q * sizeof(double));
        for (int q = 0; q < count; q++)
            for (ptrdiff_t i = 0; i < n; i++) w->lanes_in[i * Q + q] = s[(first + q) * n + i];
        matrix_add_times_lanes(w->order, w->values, w->lanes_in, w->lanes_out);
        for (int q = 0; q < count; q++)
            for (ptrdiff_t i = 0; i < n; i++) g[(first + q) * n + i] += w->lanes_out[i * Q + q];
    }
}

static EvalStatus forward_derivatives(Model *model, double t, const double *y, double *f)
{
    Forward *w = of_model(model);
    const ModelType *type = w->inner->type;
    EvalStatus status = EVAL_OK;
    if (w->order) {
        memset(w->values, 0, w->order->size * sizeof(double));
        status = type->jacobian(w->inner, t, y, w->order, w->values);
    }
    if (status == EVAL_OK) status = linearise(w, t, y, f);
    if (status != EVAL_OK) return status;
    if (w->order) {
        status = add_parameters(w, f + w->n);
        add_products(w, y + w->n, f + w->n);
        return status;
    }
    aim(w, y, 0.0);
    for (int j = 0; j < w->m; j++) w->direct[j] = f + (ptrdiff_t)(j + 1) * w->n;
    return type->jvp(w->inner, w->m, w->changes, w->direct);
}

static EvalStatus forward_jacobian(Model *model, double t, const double *y, const MatrixShape *order,
                                   double *values)
{
    Forward *w = of_model(model);
    return w->inner->type->jacobian(w->inner, t, y, order, values);
}

/* f_y, and f_p with what discrete Reals add. */
static EvalStatus forward_variation(Model *model, double t, const double *y, const MatrixShape *order,
                                    double *values, double *g)
{
    Forward *w = of_model(model);
    const ModelType *type = w->inner->type;
    EvalStatus status = type->jacobian(w->inner, t, y, order, values);
    if (status == EVAL_OK) status = type->linearise(w->inner, MAP_DERIVATIVES, t, y);
    return status == EVAL_OK ? add_parameters(w, g) : status;
}

static EvalStatus forward_indicators(Model *model, double t, const double *y, double *g)
{
    Forward *w = of_model(model);
    return w->inner->type->indicators(w->inner, t, y, g);
}

static bool forward_accepted(Model *model, double t, const double *y)
{
    Forward *w = of_model(model);
    bool wants_event = w->inner->type->accepted && w->inner->type->accepted(w->inner, t, y);
    jump_note(&w->jump, t, y);
    return wants_event;
}

static EvalStatus forward_values(Model *model, double t, const double *y, double *values)
{
    Forward *w = of_model(model);
    aim(w, y, 0.0);
    return outputs_values(&w->outputs, t, y, w->changes, w->out, values);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* dT/dpj of a state event, from the model linearised in its indicators. */
static EvalStatus shift_of_state_event(Forward *w, int fired, double rate)
{
    EvalStatus status = w->inner->type->jvp(w->inner, w->m, w->changes, w->out);
    for (int j = 0; j < w->m && status == EVAL_OK; j++) w->shift[j] = -w->out[j][fired] / rate;
    return status;
}

/* Two conditions at once whose times depend on parameters in different ways: which comes first is
 * not smooth. */
static void warn_of_two(Forward *w, double t)
{
    int second = w->jump.second;
    if (second < 0 || w->jump.warning[0]) return;
    for (int j = 0; j < w->m; j++) {
        double other = -w->out[j][second] / w->jump.rate[second];
        if (fabs(other - w->shift[j]) <= 1e-6 * (fabs(other) + fabs(w->shift[j]))) continue;
        snprintf(w->jump.warning, sizeof w->jump.warning,
                 "two conditions change at once at t = %.9g: derivatives after it hold for one side only", t);
        return;
    }
}

static EvalStatus find_shift(Forward *w, const signed char *roots, double t, const double *y)
{
    double rate = 0.0;
    memset(w->shift, 0, (size_t)w->m * sizeof *w->shift);
    if (t >= w->next_time) return EVAL_OK; /* the event itself tells */
    int fired = jump_find(&w->jump, roots, t, y, w->f_before, &rate);
    if (fired < 0) return EVAL_OK;
    aim(w, y, 0.0);
    EvalStatus status = shift_of_state_event(w, fired, rate);
    if (status == EVAL_OK) warn_of_two(w, t);
    return status;
}

static EvalStatus shift_of_time_event(Forward *w, const double *y)
{
    EvalStatus status = w->inner->type->linearise(w->inner, MAP_EVENT_TIME, 0.0, y);
    for (int j = 0; j < w->m; j++) w->direct[j] = &w->shift[j];
    return status == EVAL_OK ? w->inner->type->jvp(w->inner, w->m, w->changes, w->direct) : status;
}

/* s_j+ and discrete Reals from what was before; y holds the new unknowns and the old
 * derivatives. */
static EvalStatus pass_event(Forward *w, double t, double *y)
{
    const ModelType *type = w->inner->type;
    ptrdiff_t n = w->n;
    for (int j = 0; j < w->m; j++) {
        double *s = y + (j + 1) * n, *moved = w->moved + j * n;
        for (int i = 0; i < w->n; i++) moved[i] = s[i] + w->f_before[i] * w->shift[j];
        w->changes[j].y = moved;
        w->changes[j].t = w->shift[j];
    }
    EvalStatus status = type->derivatives(w->inner, t, y, w->f_behind);
    if (status == EVAL_OK) status = type->linearise(w->inner, MAP_RESET, t, y);
    if (status == EVAL_OK) status = type->jvp(w->inner, w->m, w->changes, w->out);
    for (int j = 0; j < w->m && status == EVAL_OK; j++) {
        double *s = y + (j + 1) * n;
        for (int i = 0; i < w->n; i++) s[i] = w->out[j][i] - w->f_behind[i] * w->shift[j];
        memcpy(w->changes[j].p + w->m, w->out[j] + n, (size_t)w->discrete * sizeof(double));
    }
    return status;
}

static EvalStatus forward_event(Model *model, double t, double *y, EventInfo *info)
{
    Forward *w = of_model(model);
    const ModelType *type = w->inner->type;
    bool is_timed = t >= w->next_time;
    EvalStatus status = type->derivatives(w->inner, t, y, w->f_before);
    if (status == EVAL_OK) status = find_shift(w, info->roots, t, y);
    if (status == EVAL_OK) status = type->event(w->inner, t, y, info);
    if (status != EVAL_OK) return status;
    w->next_time = info->next_time;
    if (info->y_changed || info->rhs_changed) {
        aim(w, y, 0.0);
        if (is_timed) status = shift_of_time_event(w, y);
        if (status == EVAL_OK) status = pass_event(w, t, y);
        info->y_changed = true;
    }
    jump_begin(&w->jump, t, y);
    return status;
}

static EvalStatus forward_initialise(Model *model, double t, double *y, EventInfo *info)
{
    Forward *w = of_model(model);
    const ModelType *type = w->inner->type;
    EvalStatus status = type->initialise(w->inner, t, y, info);
    if (status != EVAL_OK) return status;
    w->next_time = info->next_time;
    w->jump.warning[0] = 0;
    w->jump.is_told = false;
    memset(w->shift, 0, (size_t)w->m * sizeof *w->shift);
    memset(w->f_before, 0, (size_t)w->n * sizeof *w->f_before);
    for (int j = 0; j < w->m; j++) {
        memset(w->changes[j].p + w->m, 0, (size_t)w->discrete * sizeof(double));
        w->changes[j].y = NULL;
        w->changes[j].t = 0.0;
    }
    status = type->linearise(w->inner, MAP_INITIAL, t, y);
    if (status == EVAL_OK) status = type->jvp(w->inner, w->m, w->changes, w->out);
    if (status != EVAL_OK) return status;
    for (int j = 0; j < w->m; j++) {
        memcpy(y + (ptrdiff_t)(j + 1) * w->n, w->out[j], (size_t)w->n * sizeof(double));
        memcpy(w->changes[j].p + w->m, w->out[j] + w->n, (size_t)w->discrete * sizeof(double));
    }
    jump_begin(&w->jump, t, y);
    return pass_event(w, t, y); /* the start is an event, too, which does not move */
}

/* ---- the rest is that of the model ----------------------------------------------------------- */

static bool forward_set(Model *model, int variable, double value, const char **why)
{
    Forward *w = of_model(model);
    *why = "derivatives follow from the model";
    return variable < w->inner->shape.variable_count && w->inner->type->set(w->inner, variable, value, why);
}

static EvalStatus forward_terminal(Model *model, double t, double *y, EventInfo *info)
{
    Forward *w = of_model(model);
    return w->inner->type->terminal(w->inner, t, y, info);
}

static const char *forward_notice(Model *model)
{
    Forward *w = of_model(model);
    if (w->jump.warning[0] && !w->jump.is_told) {
        w->jump.is_told = true;
        return w->jump.warning;
    }
    return w->inner->type->notice ? w->inner->type->notice(w->inner) : NULL;
}

static const char *forward_failure(const Model *model)
{
    Forward *w = of_model(model);
    return w->inner->type->failure ? w->inner->type->failure(w->inner) : NULL;
}

/* ---- making ---------------------------------------------------------------------------------- */

static void add_unknowns(Forward *w, ModelShape *shape, const double *size)
{
    size_t all = (size_t)w->n * (size_t)(w->m + 1);
    const char **names = NEW_ARRAY(w->arena, const char *, all + 1);
    double *nominal = vector(w, all);
    char room[32];
    for (int j = 0; j <= w->m; j++)
        for (int i = 0; i < w->n; i++) {
            const char *own = model_name(w->inner, i, room, sizeof room);
            double scale = w->inner->shape.nominal ? fabs(w->inner->shape.nominal[i]) : 1.0;
            double by = j && size && isfinite(size[j - 1]) && size[j - 1] != 0.0 ? fabs(size[j - 1]) : 1.0;
            nominal[(ptrdiff_t)j * w->n + i] = scale / by;
            names[(ptrdiff_t)j * w->n + i] =
                j ? arena_printf(w->arena, "d(%s)/d(%s)", own,
                                 w->inner->shape.variables[w->variables[j - 1]].name)
                  : arena_copy(w->arena, str_of(own));
        }
    shape->n = (int)all;
    shape->systems = w->m + 1;
    shape->first = w->inner;
    shape->names = names;
    shape->nominal = nominal;
    shape->low = shape->high = NULL;
    shape->algebraic = shape->index = NULL;
}

static void make_room(Forward *w)
{
    const ModelShape *shape = &w->inner->shape;
    size_t m = (size_t)w->m, n = (size_t)w->n, count = m + (size_t)w->discrete;
    size_t longest =
        size_max(n + (size_t)w->discrete, size_max((size_t)shape->value_count, (size_t)shape->indicators));
    w->changes = NEW_ARRAY(w->arena, ModelChange, m + 1);
    w->p = vector(w, m * count);
    w->out = NEW_ARRAY(w->arena, double *, m + 1);
    w->direct = NEW_ARRAY(w->arena, double *, m + 1);
    w->room = vector(w, m * longest);
    w->shift = vector(w, m);
    w->moved = vector(w, m * n);
    w->f_before = vector(w, n);
    w->f_behind = vector(w, n);
    for (size_t j = 0; j < m; j++) {
        w->p[j * count + j] = 1.0;
        w->out[j] = w->room + j * longest;
        w->changes[j] =
            (ModelChange){ .count = (int)count, .variables = w->variables, .p = w->p + j * count };
    }
}

Model *sens_forward_new(Model *inner, const int *wrt, int count, const double *size, const int *of,
                        int of_count, char *why, size_t room)
{
    const char *fault = NULL;
    if (!(inner->can & MODEL_PRODUCTS) || !(inner->can & MODEL_HYBRID))
        fault = "the model gives no exact derivatives";
    Arena *arena = fault ? NULL : arena_new();
    if (fault || !arena) {
        snprintf(why, room, "%s", fault ? fault : "no memory");
        return NULL;
    }
    Forward *w = NEW(arena, Forward);
    *w = (Forward){ .arena = arena, .inner = inner, .n = inner->shape.n, .m = count };
    w->discrete = inner->shape.discrete_count;
    w->variables = outputs_variables(arena, inner, wrt, count);
    make_room(w);
    if (count >= MANY && inner->type->jacobian) {
        w->order = matrix_shape(arena, w->n, inner->shape.pattern);
        w->values = vector(w, w->order->size);
        w->lanes_in = vector(w, (size_t)w->n * LU_LANES);
        w->lanes_out = vector(w, (size_t)w->n * LU_LANES);
    }
    jump_init(&w->jump, arena, inner, w->variables, count + w->discrete);
    ModelShape shape = inner->shape;
    outputs_init(&w->outputs, arena, inner, of, of_count, w->variables, count, &shape);
    add_unknowns(w, &shape, size);
    w->type = (ModelType){ .derivatives = forward_derivatives,
                           .jacobian = inner->type->jacobian ? forward_jacobian : NULL,
                           .variation = inner->type->jacobian ? forward_variation : NULL,
                           .indicators = inner->type->indicators ? forward_indicators : NULL,
                           .accepted = forward_accepted,
                           .initialise = forward_initialise,
                           .event = forward_event,
                           .values = forward_values,
                           .set = inner->type->set ? forward_set : NULL,
                           .terminal = inner->type->terminal ? forward_terminal : NULL,
                           .notice = forward_notice,
                           .failure = forward_failure };
    if (!model_init(&w->model, &w->type, &shape, w, &fault)) {
        snprintf(why, room, "%s", fault);
        arena_free(arena);
        return NULL;
    }
    return &w->model;
}

void sens_forward_free(Model *forward)
{
    if (forward) arena_free(of_model(forward)->arena);
}

int sens_forward_slot(const Model *forward, int i, int j)
{
    const Forward *w = of_model(forward);
    return outputs_slot(&w->outputs, i, j);
}
