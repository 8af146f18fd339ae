/* version_1.c: the functions of FMI 1.0 for model exchange and for co-simulation, written down from the standard.
 *
 * Version 1 knows no modes: initialise does all at once, and event updates may be called at any time. So entering the
 * initialisation only remembers what initialise will be told. Its logger is not told who logs: the instance whose call is
 * under way in this thread is remembered for it. Tests: tests/fmi/exchange_test.c. */
#include "fmi/inside.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    INSTANTIATE_ME,
    INSTANTIATE_CS,
    FREE_ME,
    FREE_CS,
    INITIALISE_ME,
    INITIALISE_CS,
    TERMINATE_ME,
    TERMINATE_CS,
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
    EVENT_UPDATE,
    COMPLETED,
    DO_STEP,
    GET_STATUS,
    GET_REAL_STATUS,
    INPUT_DERIVATIVES
};
static const char *const names[] = { "fmiInstantiateModel",
                                     "fmiInstantiateSlave",
                                     "fmiFreeModelInstance",
                                     "fmiFreeSlaveInstance",
                                     "fmiInitialize",
                                     "fmiInitializeSlave",
                                     "fmiTerminate",
                                     "fmiTerminateSlave",
                                     "fmiResetSlave",
                                     "fmiGetReal",
                                     "fmiGetInteger",
                                     "fmiGetBoolean",
                                     "fmiSetReal",
                                     "fmiSetInteger",
                                     "fmiSetBoolean",
                                     "fmiSetTime",
                                     "fmiSetContinuousStates",
                                     "fmiGetContinuousStates",
                                     "fmiGetDerivatives",
                                     "fmiGetEventIndicators",
                                     "fmiGetNominalContinuousStates",
                                     "fmiEventUpdate",
                                     "fmiCompletedIntegratorStep",
                                     "fmiDoStep",
                                     "fmiGetStatus",
                                     "fmiGetRealStatus",
                                     "fmiSetRealInputDerivatives" };

typedef void *Component;
typedef void (*Log)(Component c, const char *instance, int status, const char *category, const char *message,
                    ...);
typedef struct {
    Log logger;
    void *(*allocate)(size_t n, size_t size);
    void (*release)(void *memory);
} ModelCallbacks;
typedef struct {
    Log logger;
    void *(*allocate)(size_t n, size_t size);
    void (*release)(void *memory);
    void (*step_finished)(Component c, int status);
} SlaveCallbacks;
typedef struct {
    char converged, references_changed, values_changed, terminate, has_next;
    double next;
} EventData;

typedef Component (*InstantiateModel)(const char *name, const char *guid, ModelCallbacks callbacks,
                                      char logging);
typedef Component (*InstantiateSlave)(const char *name, const char *guid, const char *location,
                                      const char *mime, double timeout, char visible, char interactive,
                                      SlaveCallbacks callbacks, char logging);
typedef void (*Release)(Component c);
typedef int (*InitialiseModel)(Component c, char has_tolerance, double tolerance, EventData *event);
typedef int (*InitialiseSlave)(Component c, double start, char has_stop, double stop);
typedef int (*GetReals)(Component c, const unsigned *vr, size_t n, double *values);
typedef int (*SetReals)(Component c, const unsigned *vr, size_t n, const double *values);
typedef int (*GetInts)(Component c, const unsigned *vr, size_t n, int *values);
typedef int (*SetInts)(Component c, const unsigned *vr, size_t n, const int *values);
typedef int (*GetBools)(Component c, const unsigned *vr, size_t n, char *values);
typedef int (*SetBools)(Component c, const unsigned *vr, size_t n, const char *values);
typedef int (*EventUpdate)(Component c, char intermediate, EventData *event);
typedef int (*Completed)(Component c, char *update);
typedef int (*DoStep)(Component c, double t, double h, char new_step);
typedef int (*GetStatus)(Component c, int kind, int *value);
typedef int (*GetRealStatus)(Component c, int kind, double *value);
typedef int (*InputDerivatives)(Component c, const unsigned *vr, size_t n, const int *order,
                                const double *values);

static _Thread_local Instance *calling;

static void on_log(Component c, const char *instance, int status, const char *category, const char *message,
                   ...)
{
    char text[2048];
    va_list args;
    (void)c, (void)instance, (void)status;
    va_start(args, message);
    vsnprintf(text, sizeof text, message ? message : "", args);
    va_end(args);
    if (calling) instance_log(calling, category ? category : "", text);
}

static void on_step_finished(Component c, int status) { (void)c, (void)status; }

static bool instantiate(Instance *i, const char *name)
{
    calling = i;
    if (i->which == FMU_ME) {
        FMU_FUNCTION(InstantiateModel, f, i, INSTANTIATE_ME);
        i->component =
            f ? f(name, i->d->token, (ModelCallbacks){ on_log, calloc, free }, i->options.logging) : NULL;
    } else {
        FMU_FUNCTION(InstantiateSlave, f, i, INSTANTIATE_CS);
        i->component = f ? f(name, i->d->token, i->resources_uri, "application/x-fmu-sharedlibrary", 0, 0, 0,
                             (SlaveCallbacks){ on_log, calloc, free, on_step_finished }, i->options.logging)
                         : NULL;
    }
    return i->component != NULL;
}

static CallStatus simple(Instance *i, int which)
{
    calling = i;
    return call_plain(i, which);
}

static void release(Instance *i)
{
    calling = i;
    FMU_FUNCTION(Release, f, i, i->which == FMU_ME ? FREE_ME : FREE_CS);
    if (f) f(i->component);
    i->component = NULL;
}

static CallStatus set_time(Instance *i, double t)
{
    calling = i;
    return call_time(i, SET_TIME, t);
}

/* Some FMUs need the time before they initialise. */
static CallStatus enter_initial(Instance *i, double start, double stop, double tolerance)
{
    i->start = start;
    i->stop = stop;
    i->tolerance = tolerance;
    return i->which == FMU_ME ? set_time(i, start) : CALL_OK;
}

static void to_event(const EventData *data, CallEvent *event)
{
    *event = (CallEvent){ .new_states_needed = !data->converged,
                          .terminate = data->terminate != 0,
                          .states_changed = data->values_changed != 0,
                          .nominals_changed = data->references_changed != 0,
                          .next_time = data->has_next ? data->next : INFINITY };
}

/* Some FMUs end their initialisation only with an event update: the caller makes one if new states are needed. */
static CallStatus exit_initial(Instance *i, CallEvent *event)
{
    calling = i;
    *event = (CallEvent){ .next_time = INFINITY };
    if (i->which == FMU_CS) {
        FMU_FUNCTION(InitialiseSlave, f, i, INITIALISE_CS);
        return f ? (CallStatus)f(i->component, i->start, isfinite(i->stop) != 0,
                                 isfinite(i->stop) ? i->stop : 0)
                 : CALL_ERROR;
    }
    EventData data = { .converged = 1 };
    FMU_FUNCTION(InitialiseModel, f, i, INITIALISE_ME);
    CallStatus status = f ? (CallStatus)f(i->component, i->tolerance > 0, i->tolerance, &data) : CALL_ERROR;
    to_event(&data, event);
    return status;
}

static CallStatus update_discrete(Instance *i, CallEvent *event)
{
    calling = i;
    EventData data = { .converged = 1 };
    FMU_FUNCTION(EventUpdate, f, i, EVENT_UPDATE);
    CallStatus status = f ? (CallStatus)f(i->component, 0, &data) : CALL_ERROR;
    to_event(&data, event);
    return status;
}

static CallStatus terminate(Instance *i)
{
    return simple(i, i->which == FMU_ME ? TERMINATE_ME : TERMINATE_CS);
}
static CallStatus enter_mode(Instance *i) { return (void)i, CALL_OK; }

static CallStatus get_values(Instance *i, FmuBase base, const uint32_t *vr, size_t n, double *values,
                             size_t m)
{
    (void)m;
    calling = i;
    if (base == FMU_FLOAT64) {
        FMU_FUNCTION(GetReals, f, i, GET_REAL);
        return f ? (CallStatus)f(i->component, vr, n, values) : CALL_ERROR;
    }
    if (base == FMU_BOOLEAN) {
        char *truth = i->scratch;
        FMU_FUNCTION(GetBools, f, i, GET_BOOLEAN);
        CallStatus status = f ? (CallStatus)f(i->component, vr, n, truth) : CALL_ERROR;
        for (size_t k = 0; k < n && status <= CALL_WARNING; k++) values[k] = truth[k] != 0;
        return status;
    }
    int *whole = i->scratch;
    FMU_FUNCTION(GetInts, f, i, GET_INTEGER);
    CallStatus status = f ? (CallStatus)f(i->component, vr, n, whole) : CALL_ERROR;
    for (size_t k = 0; k < n && status <= CALL_WARNING; k++) values[k] = whole[k];
    return status;
}

static CallStatus set_values(Instance *i, FmuBase base, const uint32_t *vr, size_t n, const double *values,
                             size_t m)
{
    (void)m;
    calling = i;
    if (base == FMU_FLOAT64) {
        FMU_FUNCTION(SetReals, f, i, SET_REAL);
        return f ? (CallStatus)f(i->component, vr, n, values) : CALL_ERROR;
    }
    if (base == FMU_BOOLEAN) {
        char *truth = i->scratch;
        for (size_t k = 0; k < n; k++) truth[k] = values[k] != 0;
        FMU_FUNCTION(SetBools, f, i, SET_BOOLEAN);
        return f ? (CallStatus)f(i->component, vr, n, truth) : CALL_ERROR;
    }
    int *whole = i->scratch;
    for (size_t k = 0; k < n; k++) whole[k] = (int)values[k];
    FMU_FUNCTION(SetInts, f, i, SET_INTEGER);
    return f ? (CallStatus)f(i->component, vr, n, whole) : CALL_ERROR;
}

static CallStatus set_states(Instance *i, const double *x, size_t n)
{
    calling = i;
    return call_put(i, SET_STATES, x, n);
}

static CallStatus take(Instance *i, int which, double *x, size_t n)
{
    calling = i;
    return call_take(i, which, x, n);
}
static CallStatus get_states(Instance *i, double *x, size_t n) { return take(i, GET_STATES, x, n); }
static CallStatus derivatives(Instance *i, double *x, size_t n) { return take(i, GET_DERIVATIVES, x, n); }
static CallStatus indicators(Instance *i, double *x, size_t n) { return take(i, GET_INDICATORS, x, n); }
static CallStatus nominals(Instance *i, double *x, size_t n) { return take(i, GET_NOMINALS, x, n); }

static CallStatus completed(Instance *i, bool *enter, bool *end)
{
    calling = i;
    char update = 0;
    FMU_FUNCTION(Completed, f, i, COMPLETED);
    CallStatus status = f ? (CallStatus)f(i->component, &update) : CALL_ERROR;
    *enter = update != 0;
    *end = false;
    return status;
}

static CallStatus step(Instance *i, double t, double h, bool no_set_before, CallStep *out)
{
    enum { DO_STEP_STATUS = 0, LAST_TIME = 2 };
    calling = i;
    (void)no_set_before;
    *out = (CallStep){ .last_time = t + h };
    FMU_FUNCTION(DoStep, f, i, DO_STEP);
    CallStatus status = f ? (CallStatus)f(i->component, t, h, 1) : CALL_ERROR;
    for (int value = 0; status == CALL_PENDING;) {
        FMU_FUNCTION(GetStatus, ask, i, GET_STATUS);
        if (!ask || ask(i->component, DO_STEP_STATUS, &value) > CALL_WARNING) return CALL_ERROR;
        status = (CallStatus)value;
    }
    if (status != CALL_DISCARD) return status;
    FMU_FUNCTION(GetRealStatus, last, i, GET_REAL_STATUS);
    if (!last || last(i->component, LAST_TIME, &out->last_time) > CALL_WARNING) out->last_time = t;
    return status;
}

static CallStatus set_input_derivatives(Instance *i, const uint32_t *vr, size_t n, const double *values)
{
    int *order = i->scratch;
    calling = i;
    for (size_t k = 0; k < n; k++) order[k] = 1;
    FMU_FUNCTION(InputDerivatives, f, i, INPUT_DERIVATIVES);
    return f ? (CallStatus)f(i->component, vr, n, order, values) : CALL_ERROR;
}

const Calls fmi1_calls = { .names = names,
                           .instantiate = instantiate,
                           .free = release,
                           .enter_initial = enter_initial,
                           .exit_initial = exit_initial,
                           .terminate = terminate,
                           .get = get_values,
                           .set = set_values,
                           .set_time = set_time,
                           .set_states = set_states,
                           .get_states = get_states,
                           .derivatives = derivatives,
                           .indicators = indicators,
                           .nominals = nominals,
                           .enter_event = enter_mode,
                           .update_discrete = update_discrete,
                           .enter_continuous = enter_mode,
                           .completed = completed,
                           .step = step,
                           .set_input_derivatives = set_input_derivatives };
