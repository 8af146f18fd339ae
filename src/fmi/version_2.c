/* version_2.c: the functions of FMI 2.0, written down from the standard. Tests: tests/fmi/exchange_test.c. */
#include "fmi/inside.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    INSTANTIATE,
    FREE,
    SETUP,
    ENTER_INITIAL,
    EXIT_INITIAL,
    TERMINATE,
    RESET,
    GET_REAL,
    GET_INTEGER,
    GET_BOOLEAN,
    SET_REAL,
    SET_INTEGER,
    SET_BOOLEAN,
    SET_TIME,
    SET_STATES,
    GET_STATES,
    GET_DERIVATIVES,
    GET_INDICATORS,
    GET_NOMINALS,
    ENTER_EVENT,
    NEW_DISCRETE,
    ENTER_CONTINUOUS,
    COMPLETED,
    DIRECTIONAL,
    DO_STEP,
    GET_STATUS,
    GET_REAL_STATUS,
    GET_BOOLEAN_STATUS,
    INPUT_DERIVATIVES,
    GET_STATE,
    SET_STATE,
    FREE_STATE
};
static const char *const names[] = { "fmi2Instantiate",
                                     "fmi2FreeInstance",
                                     "fmi2SetupExperiment",
                                     "fmi2EnterInitializationMode",
                                     "fmi2ExitInitializationMode",
                                     "fmi2Terminate",
                                     "fmi2Reset",
                                     "fmi2GetReal",
                                     "fmi2GetInteger",
                                     "fmi2GetBoolean",
                                     "fmi2SetReal",
                                     "fmi2SetInteger",
                                     "fmi2SetBoolean",
                                     "fmi2SetTime",
                                     "fmi2SetContinuousStates",
                                     "fmi2GetContinuousStates",
                                     "fmi2GetDerivatives",
                                     "fmi2GetEventIndicators",
                                     "fmi2GetNominalsOfContinuousStates",
                                     "fmi2EnterEventMode",
                                     "fmi2NewDiscreteStates",
                                     "fmi2EnterContinuousTimeMode",
                                     "fmi2CompletedIntegratorStep",
                                     "fmi2GetDirectionalDerivative",
                                     "fmi2DoStep",
                                     "fmi2GetStatus",
                                     "fmi2GetRealStatus",
                                     "fmi2GetBooleanStatus",
                                     "fmi2SetRealInputDerivatives",
                                     "fmi2GetFMUstate",
                                     "fmi2SetFMUstate",
                                     "fmi2FreeFMUstate" };

typedef void *Component;
typedef struct {
    void (*logger)(void *environment, const char *instance, int status, const char *category,
                   const char *message, ...);
    void *(*allocate)(size_t n, size_t size);
    void (*release)(void *memory);
    void (*step_finished)(void *environment, int status);
    void *environment;
} Callbacks;
typedef struct {
    int new_states_needed, terminate, nominals_changed, states_changed, next_time_defined;
    double next_time;
} EventData;

typedef Component (*Instantiate)(const char *name, int kind, const char *guid, const char *resources,
                                 const Callbacks *callbacks, int visible, int logging);
typedef void (*Release)(Component c);
typedef int (*Setup)(Component c, int has_tolerance, double tolerance, double start, int has_stop,
                     double stop);
typedef int (*GetReals)(Component c, const unsigned *vr, size_t n, double *values);
typedef int (*SetReals)(Component c, const unsigned *vr, size_t n, const double *values);
typedef int (*GetInts)(Component c, const unsigned *vr, size_t n, int *values);
typedef int (*SetInts)(Component c, const unsigned *vr, size_t n, const int *values);
typedef int (*NewDiscrete)(Component c, EventData *event);
typedef int (*Completed)(Component c, int no_set_before, int *enter_event, int *terminate);
typedef int (*Directional)(Component c, const unsigned *unknown, size_t n, const unsigned *known, size_t m,
                           const double *seed, double *out);
typedef int (*DoStep)(Component c, double t, double h, int no_set_before);
typedef int (*GetStatus)(Component c, int kind, int *value);
typedef int (*GetRealStatus)(Component c, int kind, double *value);
typedef int (*InputDerivatives)(Component c, const unsigned *vr, size_t n, const int *order,
                                const double *values);

static void on_log(void *environment, const char *instance, int status, const char *category,
                   const char *message, ...)
{
    char text[2048];
    va_list args;
    (void)instance, (void)status;
    va_start(args, message);
    vsnprintf(text, sizeof text, message ? message : "", args);
    va_end(args);
    if (environment) instance_log(environment, category ? category : "", text);
}

static void on_step_finished(void *environment, int status) { (void)environment, (void)status; }

static bool instantiate(Instance *i, const char *name)
{
    FMU_FUNCTION(Instantiate, f, i, INSTANTIATE);
    Callbacks *callbacks = NEW(i->arena, Callbacks);
    *callbacks = (Callbacks){ on_log, calloc, free, on_step_finished, i };
    i->component =
        f ? f(name, i->which == FMU_CS, i->d->token, i->resources_uri, callbacks, 0, i->options.logging)
          : NULL;
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
    FMU_FUNCTION(Setup, f, i, SETUP);
    CallStatus status = f ? (CallStatus)f(i->component, tolerance > 0, tolerance, start, isfinite(stop),
                                          isfinite(stop) ? stop : 0)
                          : CALL_ERROR;
    return status <= CALL_WARNING ? call_plain(i, ENTER_INITIAL) : status;
}

static CallStatus update_discrete(Instance *i, CallEvent *event)
{
    FMU_FUNCTION(NewDiscrete, f, i, NEW_DISCRETE);
    EventData data = { 0 };
    CallStatus status = f ? (CallStatus)f(i->component, &data) : CALL_ERROR;
    *event = (CallEvent){ data.new_states_needed, data.terminate, data.nominals_changed, data.states_changed,
                          data.next_time_defined ? data.next_time : INFINITY };
    return status;
}

static CallStatus exit_initial(Instance *i, CallEvent *event)
{
    *event = (CallEvent){ .new_states_needed = i->which == FMU_ME, .next_time = INFINITY };
    return call_plain(i, EXIT_INITIAL);
}

static CallStatus terminate(Instance *i) { return call_plain(i, TERMINATE); }
static CallStatus reset(Instance *i) { return call_plain(i, RESET); }
static CallStatus enter_event(Instance *i) { return call_plain(i, ENTER_EVENT); }
static CallStatus enter_continuous(Instance *i) { return call_plain(i, ENTER_CONTINUOUS); }

static CallStatus get_values(Instance *i, FmuBase base, const uint32_t *vr, size_t n, double *values,
                             size_t m)
{
    int *whole = i->scratch;
    (void)m;
    if (base == FMU_FLOAT64) {
        FMU_FUNCTION(GetReals, f, i, GET_REAL);
        return f ? (CallStatus)f(i->component, vr, n, values) : CALL_ERROR;
    }
    FMU_FUNCTION(GetInts, f, i, base == FMU_BOOLEAN ? GET_BOOLEAN : GET_INTEGER);
    CallStatus status = f ? (CallStatus)f(i->component, vr, n, whole) : CALL_ERROR;
    for (size_t k = 0; k < n && status <= CALL_WARNING; k++)
        values[k] = base == FMU_BOOLEAN ? whole[k] != 0 : whole[k];
    return status;
}

static CallStatus set_values(Instance *i, FmuBase base, const uint32_t *vr, size_t n, const double *values,
                             size_t m)
{
    int *whole = i->scratch;
    (void)m;
    if (base == FMU_FLOAT64) {
        FMU_FUNCTION(SetReals, f, i, SET_REAL);
        return f ? (CallStatus)f(i->component, vr, n, values) : CALL_ERROR;
    }
    for (size_t k = 0; k < n; k++) whole[k] = (int)values[k];
    FMU_FUNCTION(SetInts, f, i, base == FMU_BOOLEAN ? SET_BOOLEAN : SET_INTEGER);
    return f ? (CallStatus)f(i->component, vr, n, whole) : CALL_ERROR;
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
    int wants_event = 0, wants_end = 0;
    FMU_FUNCTION(Completed, f, i, COMPLETED);
    CallStatus status = f ? (CallStatus)f(i->component, 1, &wants_event, &wants_end) : CALL_ERROR;
    *enter = wants_event != 0;
    *end = wants_end != 0;
    return status;
}

static CallStatus directional(Instance *i, const uint32_t *unknown, size_t n, const uint32_t *known, size_t m,
                              const double *seed, double *out)
{
    FMU_FUNCTION(Directional, f, i, DIRECTIONAL);
    return f ? (CallStatus)f(i->component, unknown, n, known, m, seed, out) : CALL_ERROR;
}

/* A step that is discarded says how far it came, and whether the FMU wants to end. A pending one is waited for. */
static CallStatus step(Instance *i, double t, double h, bool no_set_before, CallStep *out)
{
    enum { DO_STEP_STATUS = 0, LAST_TIME = 2, TERMINATED = 3 };
    FMU_FUNCTION(DoStep, f, i, DO_STEP);
    *out = (CallStep){ .last_time = t + h };
    CallStatus status = f ? (CallStatus)f(i->component, t, h, no_set_before) : CALL_ERROR;
    for (int value = 0; status == CALL_PENDING;) {
        FMU_FUNCTION(GetStatus, ask, i, GET_STATUS);
        if (!ask || ask(i->component, DO_STEP_STATUS, &value) > CALL_WARNING) return CALL_ERROR;
        status = (CallStatus)value;
    }
    if (status != CALL_DISCARD) return status;
    int wants_end = 0;
    FMU_FUNCTION(GetRealStatus, last, i, GET_REAL_STATUS);
    FMU_FUNCTION(GetStatus, ended, i, GET_BOOLEAN_STATUS);
    if (!last || last(i->component, LAST_TIME, &out->last_time) > CALL_WARNING) out->last_time = t;
    if (ended && ended(i->component, TERMINATED, &wants_end) <= CALL_WARNING) out->terminate = wants_end != 0;
    return status;
}

static CallStatus set_input_derivatives(Instance *i, const uint32_t *vr, size_t n, const double *values)
{
    int *order = i->scratch;
    for (size_t k = 0; k < n; k++) order[k] = 1;
    FMU_FUNCTION(InputDerivatives, f, i, INPUT_DERIVATIVES);
    return f ? (CallStatus)f(i->component, vr, n, order, values) : CALL_ERROR;
}

static CallStatus save(Instance *i, void **state) { return call_state_out(i, GET_STATE, state); }

static CallStatus restore(Instance *i, void *state) { return call_state_in(i, SET_STATE, state); }

static CallStatus forget(Instance *i, void **state) { return call_state_out(i, FREE_STATE, state); }

const Calls fmi2_calls = { .names = names,
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
                           .set_input_derivatives = set_input_derivatives,
                           .save = save,
                           .restore = restore,
                           .forget = forget };
