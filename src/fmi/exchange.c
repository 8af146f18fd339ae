/* exchange.c: an FMU for model exchange as a Model.
 *
 * In: an FMU. Out: a Model that integrators and the driver treat like any other. The state machine of versions 2 and 3:
 * instantiated, initialisation, event mode, continuous-time mode; version 1's calls are brought into the same order. Sparsity
 * comes from the dependencies of the derivatives, the Jacobian from directional derivatives by colours, where there are
 * any. Always: f is pure, as time, states and inputs are set in each call; nothing is allocated or looked up by name
 * after the making. Tests: tests/fmi/exchange_test.c. */
#include "fmi/inside.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_ITERATIONS = 1000 };

typedef struct {
    Model model;
    Instance i;
    VariableTable table;
    size_t n, g;
    double *nominal, *low, *high;
    uint32_t *state_vr, *derivative_vr; /* of scalars; NULL if one is an array */
    const Colouring *colouring;
    double *seed, *out;
    uint32_t *known;
    char failure[800];
    bool is_initialised, wants_end;
} Exchange;

static EvalStatus fail(Exchange *x, CallStatus status, const char *call)
{
    instance_explain(&x->i, status, call, x->failure, sizeof x->failure);
    return status == CALL_DISCARD ? EVAL_RETRY : EVAL_FATAL;
}

#define TRY(x, call, what)                                             \
    do {                                                               \
        CallStatus status_ = (call);                                   \
        if (status_ > CALL_WARNING) return fail((x), status_, (what)); \
    } while (0)

static EvalStatus put(Exchange *x, double t, const double *y)
{
    TRY(x, x->i.calls->set_time(&x->i, t), "set time");
    if (x->n) TRY(x, x->i.calls->set_states(&x->i, y, x->n), "set states");
    return EVAL_OK;
}

static EvalStatus exchange_derivatives(Model *m, double t, const double *y, double *f)
{
    Exchange *x = m->data;
    EvalStatus status = put(x, t, y);
    if (status != EVAL_OK) return status;
    if (x->n) TRY(x, x->i.calls->derivatives(&x->i, f, x->n), "get derivatives");
    return EVAL_OK;
}

static EvalStatus exchange_indicators(Model *m, double t, const double *y, double *g)
{
    Exchange *x = m->data;
    EvalStatus status = put(x, t, y);
    if (status != EVAL_OK) return status;
    TRY(x, x->i.calls->indicators(&x->i, g, x->g), "get event indicators");
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
        TRY(x,
            x->i.calls->directional(&x->i, x->derivative_vr, x->n, x->known, (size_t)(last - first), x->seed,
                                    x->out),
            "get directional derivative");
        for (int k = first; k < last; k++) {
            int j = x->colouring->column[k];
            for (int e = p->start[j]; e < p->start[j + 1]; e++)
                model_put(order, values, p->row[e], j, x->out[p->row[e]]);
        }
    }
    return EVAL_OK;
}

/* Event iteration in event mode until nothing changes, then back to continuous time. */
static EvalStatus settle(Exchange *x, double *y, CallEvent last, bool again, EventInfo *info)
{
    const Calls *calls = x->i.calls;
    info->next_time = last.next_time;
    while (again && !info->terminate) {
        CallEvent event;
        TRY(x, calls->update_discrete(&x->i, &event), "update discrete states");
        info->iterations++;
        info->y_changed |= event.states_changed;
        info->terminate |= event.terminate;
        info->next_time = event.next_time;
        again = event.new_states_needed;
        if (info->iterations == MOST_ITERATIONS) {
            snprintf(x->failure, sizeof x->failure, "the FMU asks for new discrete states again and again");
            return EVAL_FATAL;
        }
        last.nominals_changed |= event.nominals_changed;
    }
    if (info->terminate) info->message = "the FMU asked to end";
    if (!info->terminate) TRY(x, calls->enter_continuous(&x->i), "enter continuous-time mode");
    if (x->n) TRY(x, calls->get_states(&x->i, y, x->n), "get states");
    if (x->n && last.nominals_changed && calls->nominals(&x->i, x->nominal, x->n) > CALL_WARNING)
        for (size_t k = 0; k < x->n; k++) x->nominal[k] = 1;
    return EVAL_OK;
}

static EvalStatus exchange_initialise(Model *m, double t, double *y, EventInfo *info)
{
    Exchange *x = m->data;
    const Calls *calls = x->i.calls;
    CallEvent event;
    *info = (EventInfo){ .next_time = INFINITY, .y_changed = true };
    if (x->is_initialised) {
        calls->free(&x->i);
        if (!calls->instantiate(&x->i, x->i.d->model_name)) return fail(x, CALL_ERROR, "instantiate");
    }
    x->is_initialised = true;
    TRY(x, variables_apply(&x->table, &x->i, false), "set start values");
    TRY(x, calls->enter_initial(&x->i, t, x->i.options.stop, x->i.options.tolerance),
        "enter initialization mode");
    TRY(x, variables_apply(&x->table, &x->i, true), "set inputs");
    TRY(x, calls->exit_initial(&x->i, &event), "exit initialization mode");
    event.nominals_changed = true;
    return settle(x, y, event, event.new_states_needed, info);
}

static EvalStatus exchange_event(Model *m, double t, double *y, EventInfo *info)
{
    Exchange *x = m->data;
    *info = (EventInfo){ .next_time = INFINITY, .rhs_changed = true };
    if (x->wants_end) {
        info->terminate = true;
        info->message = "the FMU asked to end";
        return EVAL_OK;
    }
    EvalStatus status = put(x, t, y);
    if (status != EVAL_OK) return status;
    TRY(x, x->i.calls->enter_event(&x->i), "enter event mode");
    TRY(x, variables_apply(&x->table, &x->i, true), "set inputs");
    return settle(x, y, (CallEvent){ .next_time = INFINITY }, true, info);
}

static bool exchange_accepted(Model *m, double t, const double *y)
{
    Exchange *x = m->data;
    bool enter = false, end = false;
    if (put(x, t, y) != EVAL_OK || x->i.calls->completed(&x->i, &enter, &end) > CALL_WARNING) return false;
    x->wants_end |= end;
    return enter || end;
}

static EvalStatus exchange_values(Model *m, double t, const double *y, double *values)
{
    Exchange *x = m->data;
    EvalStatus status = put(x, t, y);
    if (status != EVAL_OK) return status;
    TRY(x, variables_get(&x->table, &x->i, values), "get values");
    return EVAL_OK;
}

static bool exchange_set(Model *m, int variable, double value, const char **why)
{
    Exchange *x = m->data;
    const ModelVariable *v = &x->table.variables[variable];
    if (!x->is_initialised) return variables_give(&x->table, x->i.d, (uint32_t)variable, value, why);
    *why = "only inputs can be set while a model runs";
    if (!v->is_input) return false;
    *why = "the FMU refused it";
    x->table.given[variable] = value;
    if (v->kind == VARIABLE_DISCRETE) return true; /* in event mode */
    return variables_set(&x->table, &x->i, (uint32_t)variable, value) <= CALL_WARNING;
}

static const char *exchange_failure(const Model *m)
{
    const Exchange *x = m->data;
    return x->failure;
}

/* ---- making ---- */

/* References of states and derivatives, and the pattern, if all are scalars. */
static const Pattern *make_pattern(Exchange *x, Arena *arena)
{
    const FmuDescription *d = x->i.d;
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
    const FmuDescription *d = x->i.d;
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
                                         .set = exchange_set,
                                         .failure = exchange_failure };

static void make_shape(Exchange *x, Arena *arena, ModelShape *shape, ModelType *type)
{
    const FmuDescription *d = x->i.d;
    x->n = (size_t)(d->states < 0 ? 0 : d->states);
    x->g = (size_t)(d->indicators < 0 ? 0 : d->indicators);
    x->nominal = NEW_ARRAY(arena, double, x->n);
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
                           .variables = x->table.variables,
                           .variable_count = (int)x->table.count,
                           .value_count = (int)x->table.slots };
    shape->names = state_names(x, arena);
    shape->pattern = make_pattern(x, arena);
    if (shape->pattern && x->i.kind->directional && x->n) {
        x->colouring = pattern_colour(arena, shape->pattern);
        x->seed = NEW_ARRAY(arena, double, x->n);
        x->out = NEW_ARRAY(arena, double, x->n);
        x->known = NEW_ARRAY(arena, uint32_t, x->n);
        type->jacobian = exchange_jacobian;
        shape->jacobian_kind = MODEL_DIRECTIONAL;
        shape->jacobian_colours = x->colouring->count;
    }
    if (d->version > FMI_1 && x->i.kind->no_completed_step) type->accepted = NULL;
}

Model *fmu_model(Fmu *fmu, const FmuOptions *options, Diag *diag)
{
    Arena *arena = arena_new();
    const char *why;
    if (!arena) return NULL;
    Exchange *x = NEW(arena, Exchange);
    x->i = (Instance){ .fmu = fmu,
                       .d = fmu->d,
                       .kind = &fmu->d->kind[FMU_ME],
                       .which = FMU_ME,
                       .options = *options,
                       .arena = arena };
    ModelType *type = NEW(arena, ModelType);
    ModelShape shape;
    variables_make(&x->table, fmu->d, arena);
    x->i.scratch = arena_zero(arena, ((size_t)x->table.largest + 1) * sizeof(double));
    make_shape(x, arena, &shape, type);
    if (!x->i.kind->there)
        diag_add_file(diag, E_FMU_BINARY, fmu->path, "it is not for model exchange");
    else if (instance_load(&x->i, diag) && model_init(&x->model, type, &shape, x, &why))
        return &x->model;
    instance_unload(&x->i);
    arena_free(arena);
    return NULL;
}

void fmu_model_free(Model *model)
{
    if (!model) return;
    Exchange *x = model->data;
    if (x->i.component && x->is_initialised) x->i.calls->terminate(&x->i);
    instance_unload(&x->i);
    arena_free(x->i.arena);
}
