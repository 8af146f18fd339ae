/* version_1.c: the functions of FMI 1.0 that are its own, for model exchange and for co-simulation,
 * written down from the standard.
 *
 * Version 1 knows no modes: initialise does all at once, and event updates may be called at any
 * time. So entering the initialisation only remembers what initialise will be told. Its logger is
 * not told who logs: the instance whose call is under way in this thread is remembered for it.
 * Tests: tests/cli/fmu.sh. */
#include "fmi/inside.h"

#include <stdio.h>
#include <stdlib.h>

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
typedef int (*InitialiseModel)(Component c, char has_tolerance, double tolerance, EventData *event);
typedef int (*InitialiseSlave)(Component c, double start, char has_stop, double stop);
typedef int (*EventUpdate)(Component c, char intermediate, EventData *event);
typedef int (*Completed)(Component c, char *update);
typedef int (*DoStep)(Component c, double t, double h, char new_step);

static void on_log(Component c, const char *instance, int status, const char *category, const char *message,
                   ...)
{
    char text[2048];
    va_list args;
    (void)c, (void)instance, (void)status;
    va_start(args, message);
    vsnprintf(text, sizeof text, message ? message : "", args);
    va_end(args);
    if (instance_calling()) instance_log(instance_calling(), category ? category : "", text);
}

static void on_step_finished(Component c, int status) { (void)c, (void)status; }

static bool instantiate(Instance *i, const char *name)
{
    char logging = i->options.logging;
    if (i->which == FMU_ME) {
        FMU_FUNCTION(InstantiateModel, f, i, FN_INSTANTIATE);
        i->component = f ? f(name, i->d->token, (ModelCallbacks){ on_log, calloc, free }, logging) : NULL;
    } else {
        FMU_FUNCTION(InstantiateSlave, f, i, FN_INSTANTIATE);
        i->component = f ? f(name, i->d->token, i->resources_uri, "application/x-fmu-sharedlibrary", 0, 0, 0,
                             (SlaveCallbacks){ on_log, calloc, free, on_step_finished }, logging)
                         : NULL;
    }
    return i->component != NULL;
}

/* Some FMUs need the time before they initialise. */
static CallStatus enter_initial(Instance *i, double start, double stop, double tolerance)
{
    i->start = start;
    i->stop = stop;
    i->tolerance = tolerance;
    return i->which == FMU_ME ? call_time(i, FN_SET_TIME, start) : CALL_OK;
}

static void to_event(const EventData *data, CallEvent *event)
{
    *event = (CallEvent){ .new_states_needed = !data->converged,
                          .terminate = data->terminate != 0,
                          .states_changed = data->values_changed != 0,
                          .nominals_changed = data->references_changed != 0,
                          .next_time = data->has_next ? data->next : INFINITY };
}

/* Some FMUs end their initialisation only with an event update: the caller makes one if new states
 * are needed. */
static CallStatus exit_initial(Instance *i, CallEvent *event)
{
    *event = (CallEvent){ .next_time = INFINITY };
    if (i->which == FMU_CS) {
        bool has_stop = isfinite(i->stop);
        FMU_FUNCTION(InitialiseSlave, f, i, FN_EXIT_INITIAL);
        return f ? (CallStatus)f(i->component, i->start, has_stop, has_stop ? i->stop : 0) : CALL_ERROR;
    }
    EventData data = { .converged = 1 };
    FMU_FUNCTION(InitialiseModel, f, i, FN_EXIT_INITIAL);
    CallStatus status = f ? (CallStatus)f(i->component, i->tolerance > 0, i->tolerance, &data) : CALL_ERROR;
    to_event(&data, event);
    return status;
}

static CallStatus update_discrete(Instance *i, CallEvent *event)
{
    EventData data = { .converged = 1 };
    FMU_FUNCTION(EventUpdate, f, i, FN_UPDATE_DISCRETE);
    CallStatus status = f ? (CallStatus)f(i->component, 0, &data) : CALL_ERROR;
    to_event(&data, event);
    return status;
}

static CallStatus completed(Instance *i, bool *enter, bool *end)
{
    char update = 0;
    FMU_FUNCTION(Completed, f, i, FN_COMPLETED);
    CallStatus status = f ? (CallStatus)f(i->component, &update) : CALL_ERROR;
    *enter = update != 0;
    *end = false;
    return status;
}

static CallStatus step(Instance *i, double t, double h, bool no_set_before, CallStep *out)
{
    (void)no_set_before;
    *out = (CallStep){ .last_time = t + h };
    FMU_FUNCTION(DoStep, f, i, FN_DO_STEP);
    return call_end_of_step(i, f ? (CallStatus)f(i->component, t, h, 1) : CALL_ERROR, t, out);
}

const Calls fmi1_calls = { .instantiate = instantiate,
                           .enter_initial = enter_initial,
                           .exit_initial = exit_initial,
                           .update_discrete = update_discrete,
                           .completed = completed,
                           .step = step };
