/* version_3.c: the functions of FMI 3.0, written down from the standard. Tests: tests/fmi/exchange_test.c. */
#include "fmi/inside.h"

#include <stdio.h>

enum {
    INSTANTIATE_ME,
    INSTANTIATE_CS,
    FREE,
    ENTER_INITIAL,
    EXIT_INITIAL,
    TERMINATE,
    RESET,
    SET_TIME,
    SET_STATES,
    GET_STATES,
    GET_DERIVATIVES,
    GET_INDICATORS,
    GET_NOMINALS,
    ENTER_EVENT,
    UPDATE_DISCRETE,
    ENTER_CONTINUOUS,
    ENTER_STEP,
    COMPLETED,
    DIRECTIONAL,
    DO_STEP,
    GET_STATE,
    SET_STATE,
    FREE_STATE,
    GET_FIRST,
    SET_FIRST = GET_FIRST + FMU_TYPES
};
static const char *const names[] = {
    "fmi3InstantiateModelExchange", "fmi3InstantiateCoSimulation", "fmi3FreeInstance",
    "fmi3EnterInitializationMode", "fmi3ExitInitializationMode", "fmi3Terminate", "fmi3Reset", "fmi3SetTime",
    "fmi3SetContinuousStates", "fmi3GetContinuousStates", "fmi3GetContinuousStateDerivatives",
    "fmi3GetEventIndicators", "fmi3GetNominalsOfContinuousStates", "fmi3EnterEventMode",
    "fmi3UpdateDiscreteStates", "fmi3EnterContinuousTimeMode", "fmi3EnterStepMode",
    "fmi3CompletedIntegratorStep", "fmi3GetDirectionalDerivative", "fmi3DoStep", "fmi3GetFMUState",
    "fmi3SetFMUState", "fmi3FreeFMUState",
    /* in the order of FmuBase */
    "fmi3GetFloat32", "fmi3GetFloat64", "fmi3GetInt8", "fmi3GetUInt8", "fmi3GetInt16", "fmi3GetUInt16",
    "fmi3GetInt32", "fmi3GetUInt32", "fmi3GetInt64", "fmi3GetUInt64", "fmi3GetBoolean", "fmi3GetString",
    "fmi3GetBinary", "fmi3GetInt64", "fmi3GetClock", "fmi3SetFloat32", "fmi3SetFloat64", "fmi3SetInt8",
    "fmi3SetUInt8", "fmi3SetInt16", "fmi3SetUInt16", "fmi3SetInt32", "fmi3SetUInt32", "fmi3SetInt64",
    "fmi3SetUInt64", "fmi3SetBoolean", "fmi3SetString", "fmi3SetBinary", "fmi3SetInt64", "fmi3SetClock"
};

typedef void *Component;
typedef void (*Log)(void *environment, int status, const char *category, const char *message);
typedef void (*Intermediate)(void *environment, double t, bool set, bool get, bool finished, bool can_return,
                             bool *early, double *early_time);
typedef Component (*InstantiateMe)(const char *name, const char *token, const char *resources, bool visible,
                                   bool logging, void *environment, Log log);
typedef Component (*InstantiateCs)(const char *name, const char *token, const char *resources, bool visible,
                                   bool logging, bool event_mode, bool early_return, const uint32_t *required,
                                   size_t n, void *environment, Log log, Intermediate intermediate);
typedef void (*Release)(Component c);
typedef int (*EnterInitial)(Component c, bool has_tolerance, double tolerance, double start, bool has_stop,
                            double stop);
typedef int (*Update)(Component c, bool *needed, bool *terminate, bool *nominals, bool *states,
                      bool *has_next, double *next);
typedef int (*Completed)(Component c, bool no_set_before, bool *enter_event, bool *terminate);
typedef int (*Directional)(Component c, const uint32_t *unknown, size_t n, const uint32_t *known, size_t m,
                           const double *seed, size_t seeds, double *out, size_t outs);
typedef int (*DoStep)(Component c, double t, double h, bool no_set_before, bool *event, bool *terminate,
                      bool *early, double *last);
typedef int (*Get)(Component c, const uint32_t *vr, size_t n, void *values, size_t m);
typedef int (*Set)(Component c, const uint32_t *vr, size_t n, const void *values, size_t m);
typedef int (*ClockGet)(Component c, const uint32_t *vr, size_t n, bool *values);
typedef int (*ClockSet)(Component c, const uint32_t *vr, size_t n, const bool *values);

static void on_log(void *environment, int status, const char *category, const char *message)
{
    (void)status;
    if (environment) instance_log(environment, category ? category : "", message ? message : "");
}

static bool instantiate(Instance *i, const char *name)
{
    if (i->which == FMU_ME) {
        FMU_FUNCTION(InstantiateMe, f, i, INSTANTIATE_ME);
        i->component = f ? f(name, i->d->token, i->resources, false, i->options.logging, i, on_log) : NULL;
    } else {
        FMU_FUNCTION(InstantiateCs, f, i, INSTANTIATE_CS);
        i->component = f ? f(name, i->d->token, i->resources, false, i->options.logging, i->kind->event_mode,
                             i->kind->event_mode, NULL, 0, i, on_log, NULL)
                         : NULL;
    }
    return i->component != NULL;
}

static void release(Instance *i)
{
    FMU_FUNCTION(Release, f, i, FREE);
    if (f) f(i->component);
    i->component = NULL;
}

static CallStatus enter_initial(Instance *i, double start, double stop, double tolerance)
{
    FMU_FUNCTION(EnterInitial, f, i, ENTER_INITIAL);
    return f ? (CallStatus)f(i->component, tolerance > 0, tolerance, start, isfinite(stop),
                             isfinite(stop) ? stop : 0)
             : CALL_ERROR;
}

static CallStatus update_discrete(Instance *i, CallEvent *event)
{
    bool has_next = false;
    double next = INFINITY;
    *event = (CallEvent){ 0 };
    FMU_FUNCTION(Update, f, i, UPDATE_DISCRETE);
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
    return call_plain(i, EXIT_INITIAL);
}

static CallStatus terminate(Instance *i) { return call_plain(i, TERMINATE); }
static CallStatus reset(Instance *i) { return call_plain(i, RESET); }
static CallStatus enter_event(Instance *i) { return call_plain(i, ENTER_EVENT); }
static CallStatus enter_continuous(Instance *i)
{
    return call_plain(i, i->which == FMU_ME ? ENTER_CONTINUOUS : ENTER_STEP);
}

/* Values of the FMU's own type as doubles, and back. */
#define CONVERT(T, from)                                              \
    do {                                                              \
        const T *typed_ = (from);                                     \
        for (size_t k = 0; k < m; k++) values[k] = (double)typed_[k]; \
    } while (0)
#define UNCONVERT(T, to)                                         \
    do {                                                         \
        T *typed_ = (to);                                        \
        for (size_t k = 0; k < m; k++) typed_[k] = (T)values[k]; \
    } while (0)

static CallStatus get_values(Instance *i, FmuBase base, const uint32_t *vr, size_t n, double *values,
                             size_t m)
{
    if (base == FMU_CLOCK) {
        FMU_FUNCTION(ClockGet, f, i, GET_FIRST + FMU_CLOCK);
        CallStatus status = f ? (CallStatus)f(i->component, vr, n, i->scratch) : CALL_ERROR;
        if (status <= CALL_WARNING) CONVERT(bool, i->scratch);
        return status;
    }
    FMU_FUNCTION(Get, f, i, GET_FIRST + (int)base);
    CallStatus status =
        f ? (CallStatus)f(i->component, vr, n, base == FMU_FLOAT64 ? (void *)values : i->scratch, m)
          : CALL_ERROR;
    if (status > CALL_WARNING || base == FMU_FLOAT64) return status;
    switch (base) {
    case FMU_FLOAT32: CONVERT(float, i->scratch); break;
    case FMU_INT8: CONVERT(int8_t, i->scratch); break;
    case FMU_UINT8: CONVERT(uint8_t, i->scratch); break;
    case FMU_INT16: CONVERT(int16_t, i->scratch); break;
    case FMU_UINT16: CONVERT(uint16_t, i->scratch); break;
    case FMU_INT32: CONVERT(int32_t, i->scratch); break;
    case FMU_UINT32: CONVERT(uint32_t, i->scratch); break;
    case FMU_ENUMERATION:
    case FMU_INT64: CONVERT(int64_t, i->scratch); break;
    case FMU_UINT64: CONVERT(uint64_t, i->scratch); break;
    case FMU_BOOLEAN: CONVERT(bool, i->scratch); break;
    default: return CALL_ERROR;
    }
    return status;
}

static CallStatus set_values(Instance *i, FmuBase base, const uint32_t *vr, size_t n, const double *values,
                             size_t m)
{
    const void *from = base == FMU_FLOAT64 ? (const void *)values : i->scratch;
    switch (base) {
    case FMU_FLOAT64: break;
    case FMU_FLOAT32: UNCONVERT(float, i->scratch); break;
    case FMU_INT8: UNCONVERT(int8_t, i->scratch); break;
    case FMU_UINT8: UNCONVERT(uint8_t, i->scratch); break;
    case FMU_INT16: UNCONVERT(int16_t, i->scratch); break;
    case FMU_UINT16: UNCONVERT(uint16_t, i->scratch); break;
    case FMU_INT32: UNCONVERT(int32_t, i->scratch); break;
    case FMU_UINT32: UNCONVERT(uint32_t, i->scratch); break;
    case FMU_ENUMERATION:
    case FMU_INT64: UNCONVERT(int64_t, i->scratch); break;
    case FMU_UINT64: UNCONVERT(uint64_t, i->scratch); break;
    case FMU_CLOCK:
    case FMU_BOOLEAN: UNCONVERT(bool, i->scratch); break;
    default: return CALL_ERROR;
    }
    if (base == FMU_CLOCK) {
        FMU_FUNCTION(ClockSet, tick, i, SET_FIRST + FMU_CLOCK);
        return tick ? (CallStatus)tick(i->component, vr, n, from) : CALL_ERROR;
    }
    FMU_FUNCTION(Set, f, i, SET_FIRST + (int)base);
    return f ? (CallStatus)f(i->component, vr, n, from, m) : CALL_ERROR;
}

static CallStatus set_time(Instance *i, double t) { return call_time(i, SET_TIME, t); }

static CallStatus set_states(Instance *i, const double *x, size_t n) { return call_put(i, SET_STATES, x, n); }

static CallStatus get_states(Instance *i, double *x, size_t n) { return call_take(i, GET_STATES, x, n); }
static CallStatus derivatives(Instance *i, double *x, size_t n)
{
    return call_take(i, GET_DERIVATIVES, x, n);
}
static CallStatus indicators(Instance *i, double *x, size_t n) { return call_take(i, GET_INDICATORS, x, n); }
static CallStatus nominals(Instance *i, double *x, size_t n) { return call_take(i, GET_NOMINALS, x, n); }

static CallStatus completed(Instance *i, bool *enter, bool *end)
{
    FMU_FUNCTION(Completed, f, i, COMPLETED);
    *enter = *end = false;
    return f ? (CallStatus)f(i->component, true, enter, end) : CALL_ERROR;
}

static CallStatus directional(Instance *i, const uint32_t *unknown, size_t n, const uint32_t *known, size_t m,
                              const double *seed, double *out)
{
    FMU_FUNCTION(Directional, f, i, DIRECTIONAL);
    return f ? (CallStatus)f(i->component, unknown, n, known, m, seed, m, out, n) : CALL_ERROR;
}

static CallStatus step(Instance *i, double t, double h, bool no_set_before, CallStep *out)
{
    FMU_FUNCTION(DoStep, f, i, DO_STEP);
    *out = (CallStep){ .last_time = t + h };
    return f ? (CallStatus)f(i->component, t, h, no_set_before, &out->event_needed, &out->terminate,
                             &out->early, &out->last_time)
             : CALL_ERROR;
}

static CallStatus save(Instance *i, void **state) { return call_state_out(i, GET_STATE, state); }

static CallStatus restore(Instance *i, void *state) { return call_state_in(i, SET_STATE, state); }

static CallStatus forget(Instance *i, void **state) { return call_state_out(i, FREE_STATE, state); }

const Calls fmi3_calls = { .names = names,
                           .instantiate = instantiate,
                           .free = release,
                           .enter_initial = enter_initial,
                           .exit_initial = exit_initial,
                           .terminate = terminate,
                           .reset = reset,
                           .get = get_values,
                           .set = set_values,
                           .set_time = set_time,
                           .set_states = set_states,
                           .get_states = get_states,
                           .derivatives = derivatives,
                           .indicators = indicators,
                           .nominals = nominals,
                           .enter_event = enter_event,
                           .update_discrete = update_discrete,
                           .enter_continuous = enter_continuous,
                           .completed = completed,
                           .directional = directional,
                           .step = step,
                           .save = save,
                           .restore = restore,
                           .forget = forget };
