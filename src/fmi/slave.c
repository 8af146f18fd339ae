/* slave.c: an FMU for co-simulation as a Model that integrates itself.
 *
 * A step that the FMU discards is tried again with half of its length, where it can take steps of
 * any length: from the state before the step where that can be saved. How far a discarded step came
 * counts. Inputs that change over a step are told with their slopes where the FMU can use them.
 * Version 3's event mode and early returns are used where there are any. Tests:
 * tests/cli/fmu.sh. */
#include "fmi/inside.h"

enum { MOST_HALVINGS = 20 };

typedef struct {
    FmuModel base;
    FmuState *before; /* the step; NULL: it cannot be saved */
    uint32_t *vr;     /* of inputs with slopes, and these */
    double *slope;
} Slave;

static EvalStatus slave_initialise(Model *model, double t, double *y, EventInfo *info)
{
    Slave *s = model->data;
    CallEvent event;
    bool nominals = false;
    (void)y;
    EvalStatus status = common_initialise(&s->base, t, &event, info);
    if (status == EVAL_OK && event.new_states_needed)
        status = common_iterate_event(&s->base, t, true, info, &nominals);
    return status == EVAL_OK ? common_resume(&s->base, t, info, &nominals) : status;
}

static EvalStatus slave_event(Model *model, double t, double *y, EventInfo *info)
{
    Slave *s = model->data;
    FmuModel *m = &s->base;
    bool nominals = false;
    (void)y;
    *info = (EventInfo){ .next_time = INFINITY };
    if (!m->i.kind->event_mode) { /* inputs jump between steps */
        TRY(m, variables_apply(&m->table, &m->i, APPLY_CHANGES), "set inputs");
        return EVAL_OK;
    }
    TRY(m, call_plain(&m->i, FN_ENTER_EVENT), "enter event mode");
    TRY(m, clocks_tick(&m->clocks, &m->i, t), "set clocks");
    TRY(m, variables_apply(&m->table, &m->i, APPLY_CHANGES), "set inputs");
    return common_iterate_event(m, t, true, info, &nominals);
}

/* Version 3 asks for inputs when it needs them; versions 1 and 2 are told slopes before the
 * step. */
static EvalStatus tell_slopes(Slave *s, double t)
{
    Instance *i = &s->base.i;
    for (size_t k = 0; k < i->slope_count; k++) {
        i->slopes[k].t = t;
        s->vr[k] = i->slopes[k].vr;
        s->slope[k] = i->slopes[k].slope;
    }
    if (i->slope_count && i->d->version < FMI_3)
        TRY(&s->base, call_slopes(i, s->vr, i->slope_count, s->slope), "set derivatives of inputs");
    return EVAL_OK;
}

static EvalStatus slave_step(Model *model, double t, double h, StepInfo *info)
{
    Slave *s = model->data;
    FmuModel *m = &s->base;
    EvalStatus told = tell_slopes(s, t);
    if (told != EVAL_OK) return told;
    /* what the FMU says it can save and then cannot is only missed when a step is discarded */
    bool saved = s->before && fmu_save(model, s->before);
    for (int k = 0; k <= MOST_HALVINGS; k++, h /= 2) {
        CallStep step;
        CallStatus status = m->i.calls->step(&m->i, t, h, m->states.n == 0, &step);
        if (status > CALL_DISCARD) return common_fail(m, status, "do step");
        *info = (StepInfo){ .t = step.early || status == CALL_DISCARD ? step.last_time : t + h,
                            .event = step.event_needed,
                            .terminate = step.terminate,
                            .message = step.terminate ? "the FMU asked to end" : NULL };
        surroundings_check(&m->surroundings);
        if (status <= CALL_WARNING || step.terminate || step.last_time > t) {
            m->i.slope_count = 0;
            return EVAL_OK;
        }
        if (!m->i.kind->variable_step || (saved && !fmu_restore(model, s->before))) break;
    }
    common_fail(m, CALL_DISCARD, "do step");
    return EVAL_FATAL;
}

static bool slave_set_slope(Model *model, int variable, double value, double slope)
{
    Slave *s = model->data;
    Instance *i = &s->base.i;
    const FmuVariable *v = &i->d->variables.at[s->base.table.from[variable]];
    bool can = i->d->version < FMI_3 ? i->kind->interpolates_inputs : i->kind->intermediate_update;
    if (!can || v->base != FMU_FLOAT64 || v->variability != FMU_CONTINUOUS || v->elements != 1) return false;
    if (i->slope_count == i->input_count) return false;
    double sign = v->alias == FMU_NEGATED_ALIAS ? -1 : 1;
    i->slopes[i->slope_count++] = (Slope){ .vr = v->vr, .value = sign * value, .slope = sign * slope };
    return true;
}

static EvalStatus slave_values(Model *model, double t, const double *y, double *values)
{
    FmuModel *m = model->data;
    (void)t, (void)y;
    TRY(m, variables_get(&m->table, &m->i, values), "get values");
    return EVAL_OK;
}

static const ModelType slave_type = { .initialise = slave_initialise,
                                      .event = slave_event,
                                      .step = slave_step,
                                      .values = slave_values,
                                      .set = common_set,
                                      .set_text = common_set_text,
                                      .set_slope = slave_set_slope,
                                      .failure = common_failure };

Model *fmu_slave(Fmu *fmu, const FmuOptions *options, Diag *diag)
{
    Slave *s = (Slave *)common_new(fmu, FMU_CS, sizeof(Slave), options, diag);
    if (!s) return NULL;
    FmuModel *m = &s->base;
    s->vr = NEW_ARRAY(m->i.arena, uint32_t, m->i.input_count);
    s->slope = NEW_ARRAY(m->i.arena, double, m->i.input_count);
    ModelShape shape = { .name = fmu->d->model_name,
                         .variables = m->table.variables,
                         .variable_count = (int)m->table.count,
                         .value_count = (int)m->table.slots,
                         .texts = &m->table.texts };
    Model *model = common_finish(m, &slave_type, &shape, diag);
    if (model && fmu_can_save(model)) s->before = fmu_state_new(model);
    return model;
}
