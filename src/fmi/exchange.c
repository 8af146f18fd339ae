/* exchange.c: an FMU for model exchange as a Model.
 *
 * In: an FMU. Out: a Model that integrators and the driver treat like any other. Sparsity comes
 * from the dependencies of the derivatives, element by element where variables are arrays, the
 * Jacobian from directional derivatives by colours, where there are any. Always: f is pure, as
 * time, states and inputs are set in each call; nothing is allocated or looked up by name after the
 * making. Tests: tests/cli/fmu.sh, tests/cli/jacobian.sh. */
#include "fmi/inside.h"

typedef struct {
    FmuModel base;
    size_t n, g;
    double *nominal, *low, *high;
    /* Variables of states, which may be arrays, in the order of y: references, and where their
     * elements begin. */
    uint32_t *state_vr, *derivative_vr, *first;
    uint32_t groups, *group_of; /* by state */
    const Colouring *colouring;
    double *seed, *out;
    uint32_t *known,
        *place;   /* place: by variable, of its elements among the seeds; NONE_PLACE: it has none */
    double t, *y; /* that were set last */
    ModelType type;
} Exchange;

#define NONE_PLACE UINT32_MAX
enum {
    MOST_ENTRIES = 4000000, /* of a pattern in which arrays depend on arrays */
    MOST_COLUMNS = 1000     /* of one that an FMU does not give */
};
typedef VEC(Entry) Entries;

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

/* One in each column of a colour; other elements of their variables are 0. */
static Directions seeds_of(Exchange *x, const int *columns, int n)
{
    Directions d = { .unknown = x->derivative_vr,
                     .unknowns = x->groups,
                     .results = x->n,
                     .known = x->known,
                     .seed = x->seed };
    memset(x->place, 0xff, x->groups * sizeof *x->place);
    for (int k = 0; k < n; k++) {
        uint32_t g = x->group_of[columns[k]], size = x->first[g + 1] - x->first[g];
        if (x->place[g] == NONE_PLACE) {
            x->place[g] = (uint32_t)d.seeds;
            x->known[d.knowns++] = x->state_vr[g];
            memset(x->seed + d.seeds, 0, size * sizeof *x->seed);
            d.seeds += size;
        }
        x->seed[x->place[g] + (uint32_t)columns[k] - x->first[g]] = 1;
    }
    return d;
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
        Directions d = seeds_of(x, x->colouring->column + first, last - first);
        TRY(&x->base, x->base.i.calls->directional(&x->base.i, &d, x->out), "get directional derivative");
        for (int k = first; k < last; k++) {
            int j = x->colouring->column[k];
            for (int e = p->start[j]; e < p->start[j + 1]; e++)
                model_put(order, values, p->row[e], j, x->out[p->row[e]]);
        }
    }
    return EVAL_OK;
}

/* The states, and where they changed their nominal values, after event mode. */
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
    if (status == EVAL_OK)
        status = common_iterate_event(&x->base, t, event.new_states_needed, info, &nominals);
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
    TRY(&x->base, variables_apply(&x->base.table, &x->base.i, APPLY_CHANGES), "set inputs");
    status = common_iterate_event(&x->base, t, true, info, &nominals);
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

/* ---- making ---------------------------------------------------------------------------------- */

/* References of states and derivatives, and `group`: by variable, 1 + its number if it is a state.
 * NULL: they do not make up y. */
static uint32_t *find_states(Exchange *x, Arena *arena)
{
    const FmuDescription *d = x->base.i.d;
    uint32_t *group = NEW_ARRAY(arena, uint32_t, d->variables.n + 1), n = d->derivatives.n;
    if (d->version == FMI_1) return NULL;
    x->state_vr = NEW_ARRAY(arena, uint32_t, n + 1);
    x->derivative_vr = NEW_ARRAY(arena, uint32_t, n + 1);
    x->first = NEW_ARRAY(arena, uint32_t, n + 1);
    x->group_of = NEW_ARRAY(arena, uint32_t, x->n + 1);
    for (x->groups = 0; x->groups < n; x->groups++) {
        uint32_t g = x->groups, of = d->derivatives.at[g].variable;
        const FmuVariable *v = &d->variables.at[of];
        if (v->derivative_of == NONE_VARIABLE || v->elements > x->n - x->first[g] ||
            d->variables.at[v->derivative_of].elements != v->elements)
            return NULL;
        x->derivative_vr[g] = v->vr;
        x->state_vr[g] = d->variables.at[v->derivative_of].vr;
        for (uint32_t e = 0; e < v->elements; e++) x->group_of[x->first[g] + e] = g;
        x->first[g + 1] = x->first[g] + v->elements;
        group[v->derivative_of] = g + 1;
    }
    return x->first[n] == x->n ? group : NULL;
}

/* All elements of one variable depend on all of another: dependencies say no more. False: there are
 * too many. */
static bool add_block(Exchange *x, Arena *arena, Entries *entries, uint32_t row, uint32_t column)
{
    uint32_t rows = x->first[row + 1] - x->first[row], columns = x->first[column + 1] - x->first[column];
    uint64_t size = (uint64_t)rows * columns;
    if (size + entries->n > MOST_ENTRIES && size > 1) return false;
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < columns; j++)
            vec_push(arena, entries, ((Entry){ (int)(x->first[row] + i), (int)(x->first[column] + j) }));
    return true;
}

/* What the dependencies say. Where there are none, all may depend on all: that is of use for
 * directional derivatives only. */
static const Pattern *make_pattern(Exchange *x, Arena *arena)
{
    const FmuDescription *d = x->base.i.d;
    const uint32_t *group = find_states(x, arena);
    Entries entries = { 0 };
    bool ok = group != NULL;
    for (uint32_t g = 0; ok && g < x->groups; g++) {
        const FmuUnknown *u = &d->derivatives.at[g];
        for (uint32_t e = 0; ok && u->has_dependencies && e < u->count; e++) {
            uint32_t of = group[d->dependencies.at[u->first + e]];
            ok = !of || add_block(x, arena, &entries, g, of - 1);
        }
        if (u->has_dependencies) continue;
        ok = x->base.i.kind->directional && x->n <= MOST_COLUMNS;
        for (uint32_t e = 0; ok && e < x->groups; e++) ok = add_block(x, arena, &entries, g, e);
    }
    return ok ? pattern_of_entries(arena, (int)x->n, (int)x->n, entries.at, entries.n) : NULL;
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
        x->known = NEW_ARRAY(arena, uint32_t, x->groups + 1);
        x->place = NEW_ARRAY(arena, uint32_t, x->groups + 1);
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
