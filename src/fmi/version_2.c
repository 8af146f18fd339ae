/* version_2.c: the functions of FMI 2.0 that are its own, written down from the standard. Tests:
 * tests/cli/fmu.sh. */
#include "fmi/inside.h"

#include <stdio.h>
#include <stdlib.h>

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
typedef int (*Setup)(Component c, int has_tolerance, double tolerance, double start, int has_stop,
                     double stop);
typedef int (*NewDiscrete)(Component c, EventData *event);
typedef int (*Completed)(Component c, int no_set_before, int *enter_event, int *terminate);
typedef int (*Directional)(Component c, const unsigned *unknown, size_t n, const unsigned *known, size_t m,
                           const double *seed, double *out);
typedef int (*DoStep)(Component c, double t, double h, int no_set_before);

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
    FMU_FUNCTION(Instantiate, f, i, FN_INSTANTIATE);
    Callbacks *callbacks = NEW(i->arena, Callbacks);
    *callbacks = (Callbacks){ on_log, calloc, free, on_step_finished, i };
    i->component =
        f ? f(name, i->which == FMU_CS, i->d->token, i->resources_uri, callbacks, 0, i->options.logging)
          : NULL;
    return i->component != NULL;
}

static CallStatus enter_initial(Instance *i, double start, double stop, double tolerance)
{
    FMU_FUNCTION(Setup, f, i, FN_SETUP);
    CallStatus status = f ? (CallStatus)f(i->component, tolerance > 0, tolerance, start, isfinite(stop),
                                          isfinite(stop) ? stop : 0)
                          : CALL_ERROR;
    return status <= CALL_WARNING ? call_plain(i, FN_ENTER_INITIAL) : status;
}

static CallStatus update_discrete(Instance *i, CallEvent *event)
{
    FMU_FUNCTION(NewDiscrete, f, i, FN_UPDATE_DISCRETE);
    EventData data = { 0 };
    CallStatus status = f ? (CallStatus)f(i->component, &data) : CALL_ERROR;
    *event = (CallEvent){ data.new_states_needed, data.terminate, data.nominals_changed, data.states_changed,
                          data.next_time_defined ? data.next_time : INFINITY };
    return status;
}

static CallStatus exit_initial(Instance *i, CallEvent *event)
{
    *event = (CallEvent){ .new_states_needed = i->which == FMU_ME, .next_time = INFINITY };
    return call_plain(i, FN_EXIT_INITIAL);
}

static CallStatus completed(Instance *i, bool *enter, bool *end)
{
    int wants_event = 0, wants_end = 0;
    FMU_FUNCTION(Completed, f, i, FN_COMPLETED);
    CallStatus status = f ? (CallStatus)f(i->component, 1, &wants_event, &wants_end) : CALL_ERROR;
    *enter = wants_event != 0;
    *end = wants_end != 0;
    return status;
}

static CallStatus directional(Instance *i, const Directions *d, double *out)
{
    FMU_FUNCTION(Directional, f, i, FN_DIRECTIONAL);
    return f ? (CallStatus)f(i->component, d->unknown, d->unknowns, d->known, d->knowns, d->seed, out)
             : CALL_ERROR;
}

static CallStatus step(Instance *i, double t, double h, bool no_set_before, CallStep *out)
{
    FMU_FUNCTION(DoStep, f, i, FN_DO_STEP);
    *out = (CallStep){ .last_time = t + h };
    return call_end_of_step(i, f ? (CallStatus)f(i->component, t, h, no_set_before) : CALL_ERROR, t, out);
}

const Calls fmi2_calls = { .instantiate = instantiate,
                           .enter_initial = enter_initial,
                           .exit_initial = exit_initial,
                           .update_discrete = update_discrete,
                           .completed = completed,
                           .directional = directional,
                           .step = step };
