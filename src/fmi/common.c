/* common.c: what FMUs for model exchange and for co-simulation share: made, initialised, event
 * mode, values by name, saved.
 *
 * The state machine of versions 2 and 3: instantiated, initialisation, event mode, then continuous
 * time or steps; version 1's calls are brought into the same order. Always: parameters and start
 * values are set before initialisation, inputs in it and later on. Tests: tests/cli/fmu.sh. */
#include "fmi/inside.h"

#include <stdio.h>

enum { MOST_ITERATIONS = 1000 };

EvalStatus common_fail(FmuModel *m, CallStatus status, const char *call)
{
    instance_explain(&m->i, status, call, m->failure, sizeof m->failure);
    return status == CALL_DISCARD ? EVAL_RETRY : EVAL_FATAL;
}

/* ---- the state of an FMU --------------------------------------------------------------------- */

bool fmu_can_save(const Model *model)
{
    const FmuModel *m = model->data;
    return m->i.kind->can_save;
}

bool fmu_save(Model *model, FmuState *state)
{
    FmuModel *m = model->data;
    if (!m->i.kind->can_save || call_state_out(&m->i, FN_SAVE, &state->fmu) > CALL_WARNING) return false;
    if (m->clocks.n) memcpy(state->clocks, m->clocks.at, m->clocks.n * sizeof *m->clocks.at);
    GivenInput *inputs = state->inputs;
    for (uint32_t k = 0; k < m->table.inputs.n; k++) {
        uint32_t at = m->table.inputs.at[k];
        inputs[k] = (GivenInput){ m->table.given[at], m->table.is_given[at] };
    }
    return true;
}

bool fmu_restore(Model *model, const FmuState *state)
{
    FmuModel *m = model->data;
    if (m->clocks.n) memcpy(m->clocks.at, state->clocks, m->clocks.n * sizeof *m->clocks.at);
    const GivenInput *inputs = state->inputs;
    for (uint32_t k = 0; k < m->table.inputs.n; k++) {
        uint32_t at = m->table.inputs.at[k];
        m->table.given[at] = inputs[k].value;
        m->table.is_given[at] = inputs[k].is_given;
    }
    m->is_placed = false;
    return call_restore(&m->i, state->fmu) <= CALL_WARNING;
}

FmuState *fmu_state_new(Model *model)
{
    FmuModel *m = model->data;
    FmuState *state = NEW(m->i.arena, FmuState);
    state->clocks = NEW_ARRAY(m->i.arena, FmuClock, m->clocks.n);
    state->inputs = NEW_ARRAY(m->i.arena, GivenInput, m->table.inputs.n);
    vec_push(m->i.arena, &m->states, state);
    return state;
}

static void forget_states(FmuModel *m)
{
    for (uint32_t k = 0; k < m->states.n; k++)
        if (m->states.at[k]->fmu) call_state_out(&m->i, FN_FORGET, &m->states.at[k]->fmu);
}

bool fmu_serialise(Model *model, Arena *arena, Str *bytes)
{
    FmuModel *m = model->data;
    void *state = NULL;
    if (!m->i.kind->can_serialize || call_state_out(&m->i, FN_SAVE, &state) > CALL_WARNING) return false;
    bool ok = call_serialise(&m->i, state, arena, bytes) <= CALL_WARNING;
    call_state_out(&m->i, FN_FORGET, &state);
    return ok;
}

bool fmu_deserialise(Model *model, Str bytes)
{
    FmuModel *m = model->data;
    void *state = NULL;
    if (!m->i.kind->can_serialize || call_deserialise(&m->i, bytes, &state) > CALL_WARNING) return false;
    bool ok = call_restore(&m->i, state) <= CALL_WARNING;
    call_state_out(&m->i, FN_FORGET, &state);
    return ok;
}

/* ---- modes ----------------------------------------------------------------------------------- */

EvalStatus common_iterate_event(FmuModel *m, double t, bool again, EventInfo *info, bool *nominals_changed)
{
    const Calls *calls = m->i.calls;
    while (again && !info->terminate) {
        CallEvent event;
        TRY(m, calls->update_discrete(&m->i, &event), "update discrete states");
        info->y_changed |= event.states_changed;
        info->terminate |= event.terminate;
        info->next_time = event.next_time;
        *nominals_changed |= event.nominals_changed;
        again = event.new_states_needed;
        if (++info->iterations == MOST_ITERATIONS) {
            snprintf(m->failure, sizeof m->failure, "the FMU asks for new discrete states again and again");
            return EVAL_FATAL;
        }
    }
    if (m->clocks.n) TRY(m, clocks_renew(&m->clocks, &m->i, t), "get the interval of a clock");
    info->next_time = fmin(info->next_time, clocks_next(&m->clocks));
    if (info->terminate)
        info->message = "the FMU asked to end";
    else
        TRY(m, call_plain(&m->i, m->i.which == FMU_ME ? FN_ENTER_CONTINUOUS : FN_ENTER_STEP),
            "leave event mode");
    surroundings_check(&m->surroundings);
    return EVAL_OK;
}

/* From instantiated to initialisation mode, with inputs as they were given. */
static EvalStatus begin(FmuModel *m, double t)
{
    const Calls *calls = m->i.calls;
    if (m->is_initialised) {
        forget_states(m);
        call_free(&m->i);
        if (!calls->instantiate(&m->i, m->i.d->model_name)) return common_fail(m, CALL_ERROR, "instantiate");
    }
    m->is_initialised = true;
    m->wants_end = false;
    TRY(m, variables_apply(&m->table, &m->i, APPLY_START), "set start values");
    TRY(m, calls->enter_initial(&m->i, t, m->i.options.stop, m->i.options.tolerance),
        "enter initialization mode");
    m->is_begun = true;
    TRY(m, variables_apply(&m->table, &m->i, APPLY_INPUTS), "set inputs");
    return EVAL_OK;
}

EvalStatus fmu_begin(Model *model, double t)
{
    FmuModel *m = model->data;
    Surroundings before = surroundings_enter(&m->i);
    EvalStatus status = begin(m, t);
    surroundings_leave(&before);
    return status;
}

static EvalStatus initialise(FmuModel *m, double t, CallEvent *event)
{
    EvalStatus status = m->is_begun ? EVAL_OK : begin(m, t);
    m->is_begun = false;
    if (status != EVAL_OK) return status;
    TRY(m, m->i.calls->exit_initial(&m->i, event), "exit initialization mode");
    if (m->clocks.n) TRY(m, clocks_start(&m->clocks, &m->i, t), "get the interval of a clock");
    return EVAL_OK;
}

EvalStatus common_initialise(FmuModel *m, double t, CallEvent *event, EventInfo *info)
{
    Surroundings before = surroundings_enter(&m->i);
    *event = (CallEvent){ .next_time = INFINITY };
    EvalStatus status = initialise(m, t, event);
    surroundings_leave(&before);
    m->surroundings = before;
    *info = (EventInfo){ .next_time = fmin(event->next_time, clocks_next(&m->clocks)), .y_changed = true };
    return status;
}

void fmu_resume(Model *model, Str bytes)
{
    FmuModel *m = model->data;
    m->resume = (Str){ arena_copy(m->i.arena, bytes), bytes.n };
}

EvalStatus common_resume(FmuModel *m, double t, EventInfo *info, bool *nominals_changed)
{
    if (!m->resume.n) return EVAL_OK;
    if (!fmu_deserialise(&m->model, m->resume)) return common_fail(m, CALL_ERROR, "restore a state");
    m->is_placed = false;
    bool has_events = m->i.which == FMU_ME || m->i.kind->event_mode;
    if (!has_events) return EVAL_OK;
    /* to hear of the next time event */
    TRY(m, call_plain(&m->i, FN_ENTER_EVENT), "enter event mode");
    return common_iterate_event(m, t, true, info, nominals_changed);
}

/* ---- values by name -------------------------------------------------------------------------- */

bool common_give(FmuModel *m, int variable, const Raw *raw, const char **why)
{
    const ModelVariable *v = &m->table.variables[variable];
    if (!m->is_initialised) return variables_give(&m->table, m->i.d, (uint32_t)variable, raw, why);
    *why = "only inputs and tunable parameters can be set while a model runs";
    if (!v->is_input && !v->is_tunable) return false;
    *why = "the FMU refused it";
    m->table.given[variable] = *raw;
    m->table.is_given[variable] = true;
    bool waits = !m->is_begun && (m->i.which == FMU_ME || m->i.kind->event_mode);
    if (waits && v->kind != VARIABLE_CONTINUOUS) return true; /* in event mode */
    return variables_put(&m->table, &m->i, (uint32_t)variable, raw) <= CALL_WARNING;
}

bool common_set(Model *model, int variable, double value, const char **why)
{
    FmuModel *m = model->data;
    Raw raw;
    if (m->table.variables[variable].type == VARIABLE_STRING) {
        char text[REAL_ROOM];
        real_write(value, text);
        return common_set_text(model, variable, text, why);
    }
    variables_of_real(&m->table, m->i.d, (uint32_t)variable, value, &raw);
    return common_give(m, variable, &raw, why);
}

bool common_set_text(Model *model, int variable, const char *text, const char **why)
{
    FmuModel *m = model->data;
    Raw raw;
    *why = "this is not a value of its type";
    return variables_of_text(&m->table, m->i.d, (uint32_t)variable, text, m->i.arena, &raw) &&
           common_give(m, variable, &raw, why);
}

const char *common_failure(const Model *model)
{
    const FmuModel *m = model->data;
    return m->failure;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Continuous inputs, for which slopes can be told. */
static void list_inputs(Instance *i)
{
    const FmuDescription *d = i->d;
    i->inputs = NEW_ARRAY(i->arena, uint32_t, d->variables.n);
    for (uint32_t k = 0; k < d->variables.n; k++) {
        const FmuVariable *v = &d->variables.at[k];
        if (v->causality == FMU_INPUT && v->variability == FMU_CONTINUOUS && v->base == FMU_FLOAT64 &&
            v->elements == 1)
            i->inputs[i->input_count++] = v->vr;
    }
    i->slopes = NEW_ARRAY(i->arena, Slope, i->input_count);
}

FmuModel *common_new(Fmu *fmu, int which, size_t size, const FmuOptions *options, Diag *diag)
{
    static const char *const kinds[] = { "model exchange", "co-simulation" };
    Arena *arena = fmu->d->kind[which].there ? arena_new() : NULL;
    if (!arena) {
        diag_add_file(diag, E_FMU_BINARY, fmu->path, "it is not for %s", kinds[which]);
        return NULL;
    }
    FmuModel *m = arena_zero(arena, size);
    m->i = (Instance){ .fmu = fmu,
                       .d = fmu->d,
                       .kind = &fmu->d->kind[which],
                       .which = which,
                       .options = *options,
                       .arena = arena };
    variables_make(&m->table, fmu->d, arena);
    clocks_make(&m->clocks, fmu->d, arena);
    list_inputs(&m->i);
    m->i.scratch = arena_zero(arena, ((size_t)m->table.largest + m->i.input_count + 1) * sizeof(Raw));
    return m;
}

Model *common_finish(FmuModel *m, const ModelType *type, const ModelShape *shape, Diag *diag)
{
    const char *why;
    Arena *arena = m->i.arena;
    if (instance_load(&m->i, diag) && model_init(&m->model, type, shape, m, &why)) return &m->model;
    instance_unload(&m->i);
    arena_free(arena);
    return NULL;
}

void fmu_model_free(Model *model)
{
    if (!model) return;
    FmuModel *m = model->data;
    Arena *arena = m->i.arena;
    Surroundings before = surroundings_enter(&m->i);
    forget_states(m);
    if (m->i.component && m->is_initialised) call_plain(&m->i, FN_TERMINATE);
    instance_unload(&m->i);
    surroundings_leave(&before);
    arena_free(arena);
}
