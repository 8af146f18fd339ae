/* slave.c: an FMU for co-simulation as a Model that integrates itself.
 *
 * A step that the FMU discards is tried again with half of its length, where it can take steps of any length; how far
 * a discarded step came counts. Version 3's event mode is used where there is one. Tests: tests/fmi/slave_test.c. */
#include "fmi/inside.h"

#include <stdio.h>

enum { MOST_HALVINGS = 20, MOST_ITERATIONS = 1000 };

typedef struct {
    Model model;
    Instance i;
    VariableTable table;
    char failure[800];
    bool is_initialised;
} Slave;

static EvalStatus fail(Slave *s, CallStatus status, const char *call)
{
    instance_explain(&s->i, status, call, s->failure, sizeof s->failure);
    return EVAL_FATAL;
}

#define TRY(s, call, what)                                             \
    do {                                                               \
        CallStatus status_ = (call);                                   \
        if (status_ > CALL_WARNING) return fail((s), status_, (what)); \
    } while (0)

/* Event mode of version 3 until nothing changes, then back to step mode. */
static EvalStatus settle(Slave *s, EventInfo *info)
{
    bool again = true;
    while (again && !info->terminate) {
        CallEvent event;
        TRY(s, s->i.calls->update_discrete(&s->i, &event), "update discrete states");
        info->terminate |= event.terminate;
        info->next_time = event.next_time;
        again = event.new_states_needed;
        if (++info->iterations == MOST_ITERATIONS) {
            snprintf(s->failure, sizeof s->failure, "the FMU asks for new discrete states again and again");
            return EVAL_FATAL;
        }
    }
    if (info->terminate)
        info->message = "the FMU asked to end";
    else
        TRY(s, s->i.calls->enter_continuous(&s->i), "enter step mode");
    return EVAL_OK;
}

static EvalStatus slave_initialise(Model *m, double t, double *y, EventInfo *info)
{
    Slave *s = m->data;
    const Calls *calls = s->i.calls;
    CallEvent event;
    (void)y;
    *info = (EventInfo){ .next_time = INFINITY };
    if (s->is_initialised) {
        calls->free(&s->i);
        if (!calls->instantiate(&s->i, s->i.d->model_name)) return fail(s, CALL_ERROR, "instantiate");
    }
    s->is_initialised = true;
    TRY(s, variables_apply(&s->table, &s->i, false), "set start values");
    TRY(s, calls->enter_initial(&s->i, t, s->i.options.stop, s->i.options.tolerance),
        "enter initialization mode");
    TRY(s, variables_apply(&s->table, &s->i, true), "set inputs");
    TRY(s, calls->exit_initial(&s->i, &event), "exit initialization mode");
    return event.new_states_needed ? settle(s, info) : EVAL_OK;
}

static EvalStatus slave_event(Model *m, double t, double *y, EventInfo *info)
{
    Slave *s = m->data;
    (void)t, (void)y;
    *info = (EventInfo){ .next_time = INFINITY };
    if (!s->i.kind->event_mode) { /* inputs jump between steps */
        TRY(s, variables_apply(&s->table, &s->i, true), "set inputs");
        return EVAL_OK;
    }
    TRY(s, s->i.calls->enter_event(&s->i), "enter event mode");
    TRY(s, variables_apply(&s->table, &s->i, true), "set inputs");
    return settle(s, info);
}

static EvalStatus slave_step(Model *m, double t, double h, StepInfo *info)
{
    Slave *s = m->data;
    for (int k = 0; k <= MOST_HALVINGS; k++, h /= 2) {
        CallStep step;
        CallStatus status = s->i.calls->step(&s->i, t, h, true, &step);
        if (status > CALL_DISCARD) return fail(s, status, "do step");
        *info = (StepInfo){ .t = step.early || status == CALL_DISCARD ? step.last_time : t + h,
                            .event = step.event_needed,
                            .terminate = step.terminate,
                            .message = step.terminate ? "the FMU asked to end" : NULL };
        if (status <= CALL_WARNING || step.terminate || step.last_time > t) return EVAL_OK;
        if (!s->i.kind->variable_step) break;
    }
    return fail(s, CALL_DISCARD, "do step");
}

static EvalStatus slave_values(Model *m, double t, const double *y, double *values)
{
    Slave *s = m->data;
    (void)t, (void)y;
    TRY(s, variables_get(&s->table, &s->i, values), "get values");
    return EVAL_OK;
}

static bool slave_set(Model *m, int variable, double value, const char **why)
{
    Slave *s = m->data;
    const ModelVariable *v = &s->table.variables[variable];
    if (!s->is_initialised) return variables_give(&s->table, s->i.d, (uint32_t)variable, value, why);
    *why = "only inputs can be set while a model runs";
    if (!v->is_input) return false;
    *why = "the FMU refused it";
    s->table.given[variable] = value;
    if (s->i.kind->event_mode && v->kind == VARIABLE_DISCRETE) return true; /* in event mode */
    return variables_set(&s->table, &s->i, (uint32_t)variable, value) <= CALL_WARNING;
}

static const char *slave_failure(const Model *m)
{
    const Slave *s = m->data;
    return s->failure;
}

static const ModelType slave_type = { .initialise = slave_initialise,
                                      .event = slave_event,
                                      .step = slave_step,
                                      .values = slave_values,
                                      .set = slave_set,
                                      .failure = slave_failure };

Model *fmu_slave(Fmu *fmu, const FmuOptions *options, Diag *diag)
{
    Arena *arena = arena_new();
    const char *why;
    if (!arena) return NULL;
    Slave *s = NEW(arena, Slave);
    s->i = (Instance){ .fmu = fmu,
                       .d = fmu->d,
                       .kind = &fmu->d->kind[FMU_CS],
                       .which = FMU_CS,
                       .options = *options,
                       .arena = arena };
    variables_make(&s->table, fmu->d, arena);
    s->i.scratch = arena_zero(arena, ((size_t)s->table.largest + 1) * sizeof(double));
    ModelShape shape = { .name = fmu->d->model_name,
                         .variables = s->table.variables,
                         .variable_count = (int)s->table.count,
                         .value_count = (int)s->table.slots };
    if (!s->i.kind->there)
        diag_add_file(diag, E_FMU_BINARY, fmu->path, "it is not for co-simulation");
    else if (instance_load(&s->i, diag) && model_init(&s->model, &slave_type, &shape, s, &why))
        return &s->model;
    instance_unload(&s->i);
    arena_free(arena);
    return NULL;
}

void fmu_slave_free(Model *model)
{
    if (!model) return;
    Slave *s = model->data;
    if (s->i.component && s->is_initialised) s->i.calls->terminate(&s->i);
    instance_unload(&s->i);
    arena_free(s->i.arena);
}
