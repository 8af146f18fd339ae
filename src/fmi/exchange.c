/* exchange.c: an FMU for model exchange as a Model.
 *
 * In: an FMU. Out: a Model that integrators and the driver treat like any other. Sparsity comes from the dependencies of the derivatives, the Jacobian from directional derivatives by colours, where there are
 * any. Always: f is pure, as time, states and inputs are set in each call; nothing is allocated or looked up by name
 * after the making. Tests: tests/cli/fmu.sh. */
#include "fmi/inside.h"

typedef struct {
    FmuModel base;
    size_t n, g;
    double *nominal, *low, *high;
    uint32_t *state_vr, *derivative_vr; /* of scalars; NULL if one is an array */
    const Colouring *colouring;
    double *seed, *out;
    uint32_t *known;
    double t, *y; /* that were set last */
    ModelType type;
} Exchange;

/* What is set already is not set again: some FMUs compute everything anew when it is. */
static EvalStatus put(Exchange *x, double t, const double *y)
{
    Instance *i = &x->base.i;
    bool same = x->base.is_placed && !memcmp(x->y, y, x->n * sizeof *y);
    if (same && t == x->t) return EVAL_OK;
    x->base.is_placed = false;
    if (t != x->t || !same) TRY(&x->base, call_time(i, FN_SET_TIME, t), "set time");
    if (x->n && !same) TRY(&x->base, call_put(i, FN_SET_STATES, y, x->n), "set states");
    memcpy(x->y, y, x->n * sizeof *y);
    x->t = t;
    x->base.is_placed = true;
    return EVAL_OK;
}

EvalStatus fmu_place(Model *model, double t, const double *y) { return put(model->data, t, y); }

static EvalStatus exchange_derivatives(Model *m, double t, const double *y, double *f)
{
    Exchange *x = m->data;
    EvalStatus status = put(x, t, y);
    if (status != EVAL_OK) return status;
    if (x->n) TRY(&x->base, call_take(&x->base.i, FN_DERIVATIVES, f, x->n), "get derivatives");
    return EVAL_OK;
}

static EvalStatus exchange_indicators(Model *m, double t, const double *y, double *g)
{
    Exchange *x = m->data;
    EvalStatus status = put(x, t, y);
    if (status != EVAL_OK) return status;
    TRY(&x->base, call_take(&x->base.i, FN_INDICATORS, g, x->g), "get event indicators");
    return EVAL_OK;
}

static EvalStatus exchange_jacobian(Model *m, double t, const double *y, const MatrixShape *order,
                                    double *values)
{
    Exchange *x = m->data;
    const Pattern *p = m->shape.pattern;
    EvalStatus status = put(x, t, y);
    if (status != EVAL_OK) return status;
    for (int c = 0; c < x->colouring->count; c++) {
        int first = x->colouring->start[c], last = x->colouring->start[c + 1];
        for (int k = first; k < last; k++) {
            x->known[k - first] = x->state_vr[x->colouring->column[k]];
            x->seed[k - first] = 1;
        }
        TRY(&x->base,
            x->base.i.calls->directional(&x->base.i, x->derivative_vr, x->n, x->known, (size_t)(last - first),
                                         x->seed, x->out),
            "get directional derivative");
        for (int k = first; k < last; k++) {
            int j = x->colouring->column[k];
            for (int e = p->start[j]; e < p->start[j + 1]; e++)
                model_put(order, values, p->row[e], j, x->out[p->row[e]]);
        }
    }
    return EVAL_OK;
}

/* The states, and where they changed their nominal values, behind event mode. */
static EvalStatus take_states(Exchange *x, double *y, bool nominals_changed)
{
    Instance *i = &x->base.i;
    if (!x->n) return EVAL_OK;
    TRY(&x->base, call_take(i, FN_GET_STATES, y, x->n), "get states");
    if (!nominals_changed) return EVAL_OK;
    bool known = call_take(i, FN_NOMINALS, x->nominal, x->n) <= CALL_WARNING;
    for (size_t k = 0; k < x->n; k++) {
        double size = fabs(x->nominal[k]);
        x->nominal[k] = known && size > 0 && isfinite(size) ? size : 1;
    }
    return EVAL_OK;
}

static EvalStatus exchange_initialise(Model *m, double t, double *y, EventInfo *info)
{
    Exchange *x = m->data;
    CallEvent event;
    bool nominals = true;
    x->base.is_placed = false;
    EvalStatus status = common_initialise(&x->base, t, &event, info);
    if (status == EVAL_OK) status = common_settle(&x->base, t, event.new_states_needed, info, &nominals);
    if (status == EVAL_OK) status = common_resume(&x->base, t, info, &nominals);
    return status == EVAL_OK ? take_states(x, y, true) : status;
}

static EvalStatus exchange_event(Model *m, double t, double *y, EventInfo *info)
{
    Exchange *x = m->data;
    bool nominals = false;
    *info = (EventInfo){ .next_time = INFINITY, .rhs_changed = true };
    if (x->base.wants_end) {
        info->terminate = true;
        info->message = "the FMU asked to end";
        return EVAL_OK;
    }
    EvalStatus status = put(x, t, y);
    x->base.is_placed = false;
    if (status != EVAL_OK) return status;
    TRY(&x->base, call_plain(&x->base.i, FN_ENTER_EVENT), "enter event mode");
    TRY(&x->base, clocks_tick(&x->base.clocks, &x->base.i, t), "set clocks");
    TRY(&x->base, variables_apply(&x->base.table, &x->base.i, true), "set inputs");
    status = common_settle(&x->base, t, true, info, &nominals);
    return status == EVAL_OK ? take_states(x, y, nominals) : status;
}

static bool exchange_accepted(Model *m, double t, const double *y)
{
    Exchange *x = m->data;
    bool enter = false, end = false;
    if (put(x, t, y) != EVAL_OK || x->base.i.calls->completed(&x->base.i, &enter, &end) > CALL_WARNING)
        return false;
    x->base.wants_end |= end;
    return enter || end;
}

static EvalStatus exchange_values(Model *m, double t, const double *y, double *values)
{
    Exchange *x = m->data;
    EvalStatus status = put(x, t, y);
    if (status != EVAL_OK) return status;
    TRY(&x->base, variables_get(&x->base.table, &x->base.i, values), "get values");
    return EVAL_OK;
}

/* ---- making ---- */

/* References of states and derivatives, and the pattern, if all are scalars. */
static const Pattern *make_pattern(Exchange *x, Arena *arena)
{
    const FmuDescription *d = x->base.i.d;
    uint32_t *place = NEW_ARRAY(arena, uint32_t, d->variables.n);
    VEC(Entry) entries = { 0 };
    if (d->version == FMI_1 || d->derivatives.n != x->n) return NULL;
    x->state_vr = NEW_ARRAY(arena, uint32_t, x->n);
    x->derivative_vr = NEW_ARRAY(arena, uint32_t, x->n);
    for (uint32_t k = 0; k < x->n; k++) {
        const FmuVariable *v = &d->variables.at[d->derivatives.at[k].variable];
        if (v->derivative_of == NONE_VARIABLE || v->elements != 1) return NULL;
        x->derivative_vr[k] = v->vr;
        x->state_vr[k] = d->variables.at[v->derivative_of].vr;
        place[v->derivative_of] = k + 1;
    }
    for (uint32_t k = 0; k < x->n; k++) {
        const FmuUnknown *u = &d->derivatives.at[k];
        if (!u->has_dependencies) return NULL;
        for (uint32_t e = 0; e < u->count; e++) {
            uint32_t j = place[d->dependencies.at[u->first + e]];
            if (j) vec_push(arena, &entries, ((Entry){ (int)k, (int)j - 1 }));
        }
    }
    return pattern_of_entries(arena, (int)x->n, (int)x->n, entries.at, entries.n);
}

static const char **state_names(Exchange *x, Arena *arena)
{
    const FmuDescription *d = x->base.i.d;
    const char **names = NEW_ARRAY(arena, const char *, x->n);
    size_t k = 0;
    for (uint32_t u = 0; u < d->derivatives.n; u++) {
        const FmuVariable *v = &d->variables.at[d->derivatives.at[u].variable];
        const FmuVariable *state = v->derivative_of == NONE_VARIABLE ? v : &d->variables.at[v->derivative_of];
        for (uint32_t e = 0; e < v->elements && k < x->n; e++, k++) {
            names[k] =
                v->elements == 1 ? state->name : arena_printf(arena, "%s[%u]", state->name, (unsigned)e + 1);
            x->nominal[k] = isnan(state->nominal) || state->nominal == 0 ? 1 : fabs(state->nominal);
            x->low[k] = isnan(state->min) ? -INFINITY : state->min;
            x->high[k] = isnan(state->max) ? INFINITY : state->max;
        }
    }
    for (; k < x->n; k++) {
        names[k] = arena_printf(arena, "state %zu", k + 1);
        x->nominal[k] = 1;
        x->low[k] = -INFINITY;
        x->high[k] = INFINITY;
    }
    return names;
}

static const ModelType exchange_type = { .derivatives = exchange_derivatives,
                                         .indicators = exchange_indicators,
                                         .accepted = exchange_accepted,
                                         .initialise = exchange_initialise,
                                         .event = exchange_event,
                                         .values = exchange_values,
                                         .set = common_set,
                                         .set_text = common_set_text,
                                         .failure = common_failure };

static void make_shape(Exchange *x, Arena *arena, ModelShape *shape)
{
    ModelType *type = &x->type;
    const FmuDescription *d = x->base.i.d;
    x->n = (size_t)(d->states < 0 ? 0 : d->states);
    x->g = (size_t)(d->indicators < 0 ? 0 : d->indicators);
    x->nominal = NEW_ARRAY(arena, double, x->n);
    x->y = NEW_ARRAY(arena, double, x->n);
    x->low = NEW_ARRAY(arena, double, x->n);
    x->high = NEW_ARRAY(arena, double, x->n);
    *type = exchange_type;
    *shape = (ModelShape){ .name = d->model_name,
                           .n = (int)x->n,
                           .indicators = (int)x->g,
                           .nominal = x->nominal,
                           .low = x->low,
                           .high = x->high,
                           .pattern_is_claimed = true,
                           .variables = x->base.table.variables,
                           .variable_count = (int)x->base.table.count,
                           .value_count = (int)x->base.table.slots,
                           .texts = &x->base.table.texts };
    shape->names = state_names(x, arena);
    shape->pattern = make_pattern(x, arena);
    if (shape->pattern && x->base.i.kind->directional && x->n) {
        x->colouring = pattern_colour(arena, shape->pattern);
        x->seed = NEW_ARRAY(arena, double, x->n);
        x->out = NEW_ARRAY(arena, double, x->n);
        x->known = NEW_ARRAY(arena, uint32_t, x->n);
        type->jacobian = exchange_jacobian;
        shape->jacobian_kind = MODEL_DIRECTIONAL;
        shape->jacobian_colours = x->colouring->count;
    }
    if (d->version > FMI_1 && x->base.i.kind->no_completed_step) type->accepted = NULL;
}

Model *fmu_model(Fmu *fmu, const FmuOptions *options, Diag *diag)
{
    Exchange *x = (Exchange *)common_new(fmu, FMU_ME, sizeof(Exchange), options, diag);
    ModelShape shape;
    if (!x) return NULL;
    make_shape(x, x->base.i.arena, &shape);
    return common_finish(&x->base, &x->type, &shape, diag);
}
