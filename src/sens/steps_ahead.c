/* steps_ahead.c: the derivative of the numerical map of a run, carried along its steps: discrete
 * forward differentiation. */
#include "sens/inside.h"

#include <math.h>
#include <stdio.h>

/* In: held steps (steps.c), a model, what to differentiate in. Out: a model that goes over the
 * steps by itself when it is asked to, as co-simulation does, so that the driver, result files and
 * plots serve it: its values are those of the model and d(of)/d(wrt). How: s_j and the derivative
 * dt_j of the time that it belongs to are carried; a step maps both (rk.c), with dh_j = -dt_j where
 * its end stays. Where an event ends it, with y_h the derivative of its end in its length,
 *     dT_j = -(g_y s_j + g_pj) / (g_t + g_y y_h),   s_j += y_h dT_j,   dt_j = dT_j,   then  s_j =
 *     R_y s_j + R_t dt_j + R_pj;
 * no slopes of equations are in it, so it is the derivative of what was computed, to rounding,
 * through events, too. Rows between ends of steps are ends of steps of their own, from where the
 * last one ended. Cost: a step and its derivatives a step, and likewise a row. Tests:
 * tests/sens/steps_test.c, derivatives_test.c. */

typedef struct {
    Model model; /* first: its data is this struct */
    ModelType type;
    Arena *arena;
    SensSteps *held;
    Model *inner;
    Outputs outputs;
    Rk rk;
    Jump jump;
    Track track;
    RkMove move; /* m directions, and the length of the step */
    int n, m, discrete;
    int *variables;       /* m + discrete */
    double *p;            /* by direction: m + discrete; of the last all are zero */
    double *dt, *dh;      /* by direction */
    double *f;            /* n */
    ModelChange *changes; /* by direction */
    double **out, *room;
    double t;       /* of the row: that of the track, or before the end of its next step */
    double *x, *s;  /* there: n, m vectors of n */
    double end;     /* of the next step */
    bool can_shift; /* a step ended here, and nothing moved its end yet */
    char message[400];
} Ahead;

static Ahead *of_model(const Model *model) { return model->data; }

static void p_of(void *arg, int stage, int d, double *p)
{
    const Ahead *w = arg;
    size_t count = (size_t)(w->m + w->discrete);
    (void)stage;
    memcpy(p, w->p + (size_t)d * count, count * sizeof *p);
}

static EvalStatus fails(Ahead *w)
{
    snprintf(w->message, sizeof w->message, "%s", w->held->why);
    return EVAL_FATAL;
}

/* Changes of the present point, of unknowns s. */
static void aim(Ahead *w, double *s)
{
    for (int j = 0; j <= w->m; j++) {
        w->changes[j].y = s + (ptrdiff_t)j * w->n;
        w->changes[j].t = 0.0;
    }
}

/* The row is where the track is; derivatives there are for a time that stays. */
static EvalStatus show(Ahead *w)
{
    size_t n = (size_t)w->n;
    bool moves = false;
    w->t = w->track.t;
    memcpy(w->x, w->track.x, n * sizeof(double));
    memcpy(w->s, w->move.s, n * (size_t)w->m * sizeof(double));
    for (int j = 0; j < w->m; j++) moves |= w->dt[j] != 0.0;
    if (!moves || !n) return EVAL_OK;
    EvalStatus status = w->inner->type->derivatives(w->inner, w->t, w->x, w->f);
    for (size_t j = 0; j < (size_t)w->m && status == EVAL_OK; j++)
        for (size_t i = 0; i < n; i++)
            if (!w->rk.mass || w->rk.mass[i] != 0.0)
                w->s[j * n + i] -= w->f[i] / (w->rk.mass ? w->rk.mass[i] : 1.0) * w->dt[j];
    return status;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Derivatives of the step in rk, whose end stays, or rides with its begin; of the last direction:
 * in its length. */
static bool move(Ahead *w, bool rides)
{
    const HeldEvent *event = track_ahead(&w->track);
    w->move.directions = event ? w->m + 1 : w->m;
    memset(w->move.s + (ptrdiff_t)w->m * w->n, 0, (size_t)w->n * sizeof(double));
    for (int j = 0; j < w->m; j++) w->dh[j] = rides ? 0.0 : -w->dt[j];
    w->dt[w->m] = 0.0;
    w->dh[w->m] = 1.0;
    bool ok = rk_move(&w->rk, &w->move);
    for (int j = 0; j < w->m && !rides; j++) w->dt[j] = 0.0;
    return ok;
}

/* A row before the end of the next step. */
static EvalStatus look(Ahead *w, double t)
{
    size_t n = (size_t)w->n, all = n * (size_t)(w->m + 1), stages = (size_t)w->held->tableau.stages;
    double share = (t - w->track.t) / (w->end - w->track.t);
    memcpy(w->s, w->move.s, all * sizeof(double));
    double *held_dt = w->room;
    memcpy(held_dt, w->dt, (size_t)(w->m + 1) * sizeof(double));
    memcpy(w->x, w->track.x, n * sizeof(double));
    rk_end(&w->rk, w->x);
    for (size_t i = 0; i < stages; i++)
        for (size_t c = 0; c < n; c++)
            w->rk.x[i * n + c] = w->track.x[c] + w->held->tableau.c[i] * share * (w->x[c] - w->track.x[c]);
    if (!rk_stages(&w->rk, w->track.t, t - w->track.t, w->track.x, w->rk.x) || !move(w, false)) {
        snprintf(w->message, sizeof w->message,
                 "no row at t = %.9g: the equations of its step have no solution", t);
        return EVAL_FATAL;
    }
    w->t = t;
    memcpy(w->x, w->track.x, n * sizeof(double));
    rk_end(&w->rk, w->x);
    for (size_t k = 0; k < all; k++) {
        double s = w->move.s[k];
        w->move.s[k] = w->s[k];
        w->s[k] = s;
    }
    memcpy(w->dt, held_dt, (size_t)(w->m + 1) * sizeof(double));
    return EVAL_OK;
}

/* dT of the state event that ends the step, and with it s. */
static EvalStatus shift_by_state(Ahead *w, const HeldEvent *event, double t, const double *x)
{
    const ModelType *type = w->inner->type;
    EvalStatus status = type->linearise(w->inner, MAP_INDICATORS, t, x);
    aim(w, w->move.s);
    w->changes[w->m].t = 1.0;
    if (status == EVAL_OK) status = type->jvp(w->inner, w->m + 1, w->changes, w->out);
    for (int j = 0; j < w->m && status == EVAL_OK; j++)
        w->dt[j] = -w->out[j][event->fired] / w->out[w->m][event->fired];
    return status;
}

static void shift(Ahead *w)
{
    const double *y_h = w->move.s + (ptrdiff_t)w->m * w->n;
    for (int j = 0; j < w->m; j++)
        for (int i = 0; i < w->n; i++) w->move.s[(ptrdiff_t)j * w->n + i] += y_h[i] * w->dt[j];
}

static EvalStatus take_step(Ahead *w)
{
    const HeldEvent *event = track_ahead(&w->track);
    EvalStatus status = EVAL_OK;
    bool rides = w->held->steps.at[w->track.step].rides;
    if (!move(w, rides))
        return snprintf(w->message, sizeof w->message, "a step cannot be differentiated"), EVAL_FATAL;
    track_advance(&w->track);
    w->can_shift = !rides && (!event || event->fired < 0);
    if (event && event->fired >= 0) status = shift_by_state(w, event, w->track.t, w->track.x);
    if (event && event->fired >= 0) shift(w);
    return status;
}

static EvalStatus ahead_step(Model *model, double t, double h, StepInfo *info)
{
    Ahead *w = of_model(model);
    EvalStatus status = EVAL_OK;
    double to = t + h;
    *info = (StepInfo){ .t = to };
    while (status == EVAL_OK) {
        bool is_due = track_due(&w->track);
        if (is_due || w->track.t >= to || w->track.step >= w->held->steps.n) {
            info->event = is_due;
            info->t = is_due ? w->track.t : to;
            return show(w);
        }
        if (!track_step(&w->track)) return fails(w);
        w->end = w->rk.t + w->rk.h;
        const HeldEvent *event = track_ahead(&w->track);
        if (!event ||
            (event->kind != EVENT_TIME && event->fired < 0 && !w->held->steps.at[w->track.step].rides))
            w->end = w->held->steps.at[w->track.step].t;
        if (w->end > to) return look(w, to);
        status = take_step(w);
    }
    return status;
}

/* ---- events ---------------------------------------------------------------------------------- */

static EvalStatus reset(Ahead *w)
{
    const ModelType *type = w->inner->type;
    size_t n = (size_t)w->n;
    aim(w, w->move.s);
    for (int j = 0; j < w->m; j++) w->changes[j].t = w->dt[j];
    EvalStatus status = type->linearise(w->inner, MAP_RESET, w->track.t, w->track.x);
    if (status == EVAL_OK) status = type->jvp(w->inner, w->m, w->changes, w->out);
    for (size_t j = 0; j < (size_t)w->m && status == EVAL_OK; j++) {
        memcpy(w->move.s + j * n, w->out[j], n * sizeof(double));
        memcpy(w->changes[j].p + w->m, w->out[j] + n, (size_t)w->discrete * sizeof(double));
    }
    return status;
}

static EvalStatus shift_by_time(Ahead *w)
{
    const ModelType *type = w->inner->type;
    EvalStatus status = type->linearise(w->inner, MAP_EVENT_TIME, 0.0, w->track.x);
    aim(w, w->move.s);
    if (status == EVAL_OK) status = type->jvp(w->inner, w->m, w->changes, w->out);
    for (int j = 0; j < w->m; j++) w->dt[j] = w->out[j][0];
    w->can_shift = false;
    shift(w);
    return status;
}

static EvalStatus ahead_event(Model *model, double t, double *y, EventInfo *info)
{
    Ahead *w = of_model(model);
    const HeldEvent *event = track_due(&w->track);
    EvalStatus status = EVAL_OK;
    (void)t, (void)y;
    if (!event) return EVAL_OK;
    if (!track_event(&w->track, info)) return fails(w);
    if (event->kind == EVENT_TIME && w->can_shift) status = shift_by_time(w);
    if (event->is_new && status == EVAL_OK) status = reset(w);
    info->next_time = INFINITY;
    return status == EVAL_OK ? show(w) : status;
}

static EvalStatus ahead_initialise(Model *model, double t, double *y, EventInfo *info)
{
    Ahead *w = of_model(model);
    const ModelType *type = w->inner->type;
    size_t n = (size_t)w->n, discrete = (size_t)w->discrete;
    (void)t, (void)y;
    if (!track_begin(&w->track, info)) return fails(w);
    info->next_time = INFINITY;
    w->can_shift = false;
    for (int j = 0; j < w->m; j++) {
        memset(w->changes[j].p + w->m, 0, discrete * sizeof(double));
        w->changes[j].y = NULL;
        w->changes[j].t = w->dt[j] = 0.0;
    }
    EvalStatus status = type->linearise(w->inner, MAP_INITIAL, w->track.t, w->track.x);
    if (status == EVAL_OK) status = type->jvp(w->inner, w->m, w->changes, w->out);
    for (size_t j = 0; j < (size_t)w->m && status == EVAL_OK; j++) {
        memcpy(w->move.s + j * n, w->out[j], n * sizeof(double));
        memcpy(w->changes[j].p + w->m, w->out[j] + n, discrete * sizeof(double));
    }
    if (status == EVAL_OK) status = reset(w); /* the start is an event that does not move */
    return status == EVAL_OK ? show(w) : status;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static EvalStatus ahead_values(Model *model, double t, const double *y, double *values)
{
    Ahead *w = of_model(model);
    (void)t, (void)y;
    if (w->track.inputs) sim_inputs_set(w->track.inputs, w->t);
    aim(w, w->s);
    return outputs_values(&w->outputs, w->t, w->x, w->changes, w->out, values);
}

static const char *ahead_notice(Model *model)
{
    Ahead *w = of_model(model);
    if (w->jump.warning[0] && !w->jump.is_told) {
        w->jump.is_told = true;
        return w->jump.warning;
    }
    return w->inner->type->notice ? w->inner->type->notice(w->inner) : NULL;
}

static const char *ahead_failure(const Model *model)
{
    const Ahead *w = of_model(model);
    if (w->message[0]) return w->message;
    return w->inner->type->failure ? w->inner->type->failure(w->inner) : NULL;
}

static void make_room(Ahead *w)
{
    const ModelShape *shape = &w->inner->shape;
    size_t n = (size_t)w->n, d = (size_t)w->m + 1, count = (size_t)(w->m + w->discrete);
    size_t longest =
        size_max(n + (size_t)w->discrete, size_max((size_t)shape->value_count, (size_t)shape->indicators));
    longest = size_max(longest, d);
    rk_move_init(&w->move, w->arena, &w->rk, w->m + 1);
    w->p = NEW_ARRAY(w->arena, double, d *count + 1);
    w->dt = NEW_ARRAY(w->arena, double, d);
    w->dh = NEW_ARRAY(w->arena, double, d);
    w->f = NEW_ARRAY(w->arena, double, n + 1);
    w->x = NEW_ARRAY(w->arena, double, n + 1);
    w->s = NEW_ARRAY(w->arena, double, n *d + 1);
    w->changes = NEW_ARRAY(w->arena, ModelChange, d);
    w->out = NEW_ARRAY(w->arena, double *, d);
    w->room = NEW_ARRAY(w->arena, double, d *longest + d + 1);
    for (size_t j = 0; j < d; j++) {
        if (j + 1 < d) w->p[j * count + j] = 1.0;
        w->out[j] = w->room + d + j * longest;
        w->changes[j] =
            (ModelChange){ .count = (int)count, .variables = w->variables, .p = w->p + j * count };
    }
    w->move.p_of = p_of;
    w->move.arg = w;
    w->move.t = w->dt;
    w->move.h = w->dh;
}

Model *sens_steps_ahead(SensSteps *held, Model *inner, const int *wrt, int count, const int *of, int of_count)
{
    const char *why = "no memory";
    Arena *arena = arena_new();
    Ahead *w = arena ? NEW(arena, Ahead) : NULL;
    if (!w) return snprintf(held->why, sizeof held->why, "%s", why), NULL;
    *w = (Ahead){ .arena = arena, .held = held, .inner = inner, .n = inner->shape.n, .m = count };
    w->discrete = inner->shape.discrete_count;
    w->variables = outputs_variables(arena, inner, wrt, count);
    rk_init(&w->rk, arena, inner, &held->tableau, w->variables, count + w->discrete);
    jump_init(&w->jump, arena, inner, w->variables, count + w->discrete);
    make_room(w);
    ModelShape shape = { .name = inner->shape.name, .texts = inner->shape.texts };
    outputs_init(&w->outputs, arena, inner, of, of_count, w->variables, count, &shape);
    w->type = (ModelType){ .step = ahead_step,
                           .initialise = ahead_initialise,
                           .event = ahead_event,
                           .values = ahead_values,
                           .notice = ahead_notice,
                           .failure = ahead_failure };
    if (track_init(&w->track, arena, held, inner, &w->rk, &w->jump) &&
        model_init(&w->model, &w->type, &shape, w, &why))
        return &w->model;
    if (!held->why[0]) snprintf(held->why, sizeof held->why, "%s", why);
    sens_steps_ahead_free(&w->model);
    return NULL;
}

int sens_steps_ahead_slot(const Model *model, int i, int j)
{
    return outputs_slot(&of_model(model)->outputs, i, j);
}

void sens_steps_ahead_free(Model *model)
{
    if (!model) return;
    Ahead *w = (Ahead *)model;
    rk_free(&w->rk);
    arena_free(w->arena);
}
