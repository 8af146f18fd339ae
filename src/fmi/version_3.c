/* version_3.c: the functions of FMI 3.0 that are its own, written down from the standard.
 *
 * Between communication points an FMU that offers it is told the inputs as they change: they are
 * straight lines from the last point on. Tests: tests/cli/fmu.sh. */
#include "fmi/inside.h"

#include <stdio.h>

typedef void *Component;
typedef void (*Log)(void *environment, int status, const char *category, const char *message);
typedef void (*Intermediate)(void *environment, double t, bool set, bool get, bool finished, bool can_return,
                             bool *early, double *early_time);
typedef Component (*InstantiateMe)(const char *name, const char *token, const char *resources, bool visible,
                                   bool logging, void *environment, Log log);
typedef Component (*InstantiateCs)(const char *name, const char *token, const char *resources, bool visible,
                                   bool logging, bool event_mode, bool early_return, const uint32_t *required,
                                   size_t n, void *environment, Log log, Intermediate intermediate);
typedef int (*EnterInitial)(Component c, bool has_tolerance, double tolerance, double start, bool has_stop,
                            double stop);
typedef int (*Update)(Component c, bool *needed, bool *terminate, bool *nominals, bool *states,
                      bool *has_next, double *next);
typedef int (*Completed)(Component c, bool no_set_before, bool *enter_event, bool *terminate);
typedef int (*Directional)(Component c, const uint32_t *unknown, size_t n, const uint32_t *known, size_t m,
                           const double *seed, size_t seeds, double *out, size_t outs);
typedef int (*DoStep)(Component c, double t, double h, bool no_set_before, bool *event, bool *terminate,
                      bool *early, double *last);

static void on_log(void *environment, int status, const char *category, const char *message)
{
    (void)status;
    if (environment) instance_log(environment, category ? category : "", message ? message : "");
}

static void on_update(void *environment, double t, bool set, bool get, bool finished, bool can_return,
                      bool *early, double *early_time)
{
    Instance *i = environment;
    (void)get, (void)finished, (void)can_return, (void)early_time;
    if (early) *early = false;
    for (size_t k = 0; set && i && k < i->slope_count; k++) {
        double value = i->slopes[k].value + i->slopes[k].slope * (t - i->slopes[k].t);
        values_set(i, FMU_FLOAT64, &i->slopes[k].vr, 1, &value, 1);
    }
}

static bool instantiate(Instance *i, const char *name)
{
    const FmuInterface *kind = i->kind;
    if (i->which == FMU_ME) {
        FMU_FUNCTION(InstantiateMe, f, i, FN_INSTANTIATE);
        i->component = f ? f(name, i->d->token, i->resources, false, i->options.logging, i, on_log) : NULL;
        return i->component != NULL;
    }
    bool updates = kind->intermediate_update && i->input_count;
    FMU_FUNCTION(InstantiateCs, f, i, FN_INSTANTIATE_CS);
    i->component =
        f ? f(name, i->d->token, i->resources, false, i->options.logging, kind->event_mode, true,
              updates ? i->inputs : NULL, updates ? i->input_count : 0, i, on_log, updates ? on_update : NULL)
          : NULL;
    return i->component != NULL;
}

static CallStatus enter_initial(Instance *i, double start, double stop, double tolerance)
{
    FMU_FUNCTION(EnterInitial, f, i, FN_ENTER_INITIAL);
    return f ? (CallStatus)f(i->component, tolerance > 0, tolerance, start, isfinite(stop),
                             isfinite(stop) ? stop : 0)
             : CALL_ERROR;
}

static CallStatus update_discrete(Instance *i, CallEvent *event)
{
    bool has_next = false;
    double next = INFINITY;
    *event = (CallEvent){ 0 };
    FMU_FUNCTION(Update, f, i, FN_UPDATE_DISCRETE);
    CallStatus status = f ? (CallStatus)f(i->component, &event->new_states_needed, &event->terminate,
                                          &event->nominals_changed, &event->states_changed, &has_next, &next)
                          : CALL_ERROR;
    event->next_time = has_next ? next : INFINITY;
    return status;
}

static CallStatus exit_initial(Instance *i, CallEvent *event)
{
    *event =
        (CallEvent){ .new_states_needed = i->which == FMU_ME || i->kind->event_mode, .next_time = INFINITY };
    return call_plain(i, FN_EXIT_INITIAL);
}

static CallStatus completed(Instance *i, bool *enter, bool *end)
{
    FMU_FUNCTION(Completed, f, i, FN_COMPLETED);
    *enter = *end = false;
    return f ? (CallStatus)f(i->component, true, enter, end) : CALL_ERROR;
}

static CallStatus directional(Instance *i, const Directions *d, double *out)
{
    FMU_FUNCTION(Directional, f, i, FN_DIRECTIONAL);
    return f ? (CallStatus)f(i->component, d->unknown, d->unknowns, d->known, d->knowns, d->seed, d->seeds,
                             out, d->results)
             : CALL_ERROR;
}

static CallStatus step(Instance *i, double t, double h, bool no_set_before, CallStep *out)
{
    FMU_FUNCTION(DoStep, f, i, FN_DO_STEP);
    *out = (CallStep){ .last_time = t + h };
    return f ? (CallStatus)f(i->component, t, h, no_set_before, &out->event_needed, &out->terminate,
                             &out->early, &out->last_time)
             : CALL_ERROR;
}

const Calls fmi3_calls = { .instantiate = instantiate,
                           .enter_initial = enter_initial,
                           .exit_initial = exit_initial,
                           .update_discrete = update_discrete,
                           .completed = completed,
                           .directional = directional,
                           .step = step };
