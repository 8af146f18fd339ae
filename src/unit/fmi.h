/* fmi.h: the functions that FMI 2.0 and 3.0 have in common, written once for both. fmi2.c and
 * fmi3.c include it, an FMU links one of them.
 *
 * Whoever includes it says before how names begin (FMI_NAME, FMI_TEXT), what a logical value and a
 * byte are (Flag, Byte), and the few names that were changed from one version to the next
 * (FMI_STATE, FMI_DESERIALIZE, FMI_DERIVATIVES). Declarations are written down from the standard;
 * names and order of arguments are the standard's. */
#ifndef ACAUSAL_UNIT_FMI_H
#define ACAUSAL_UNIT_FMI_H

#include "unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define FMI __declspec(dllexport)
#elif defined(__GNUC__)
#define FMI __attribute__((visibility("default")))
#else
#define FMI
#endif

/* Each function of the standard is declared in front of its definition, so that no compiler misses
 * a declaration. */
#define DECLARE(type, name, ...) \
    FMI type name(__VA_ARGS__);  \
    FMI type name(__VA_ARGS__)

enum {
    RUNS = MODE_INITIALIZATION | MODE_EVENT_MODE | MODE_CONTINUOUS | MODE_STEP | MODE_TERMINATED,
    READS = RUNS | MODE_INSTANTIATED,
    WRITES = MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_EVENT_MODE | MODE_CONTINUOUS | MODE_STEP,
    DERIVES = MODE_EVENT_MODE | MODE_CONTINUOUS | MODE_STEP
};

DECLARE(const char *, FMI_NAME(GetVersion), void) { return FMI_VERSION; }

DECLARE(int, FMI_NAME(SetDebugLogging), void *c, Flag on, size_t n, const char *const categories[])
{
    return (int)unit_set_logging(c, on, n, categories);
}

DECLARE(void, FMI_NAME(FreeInstance), void *c)
{
    UnitInstance *u = c;
    if (!u) return;
    void *own = u->logger;
    unit_free(u);
    free(own);
}

DECLARE(int, FMI_NAME(ExitInitializationMode), void *c)
{
    if (!unit_may(c, MODE_INITIALIZATION, FMI_TEXT(ExitInitializationMode))) return UNIT_ERROR;
    return (int)unit_exit_initialization(c);
}

DECLARE(int, FMI_NAME(Terminate), void *c)
{
    if (!unit_may(c, DERIVES, FMI_TEXT(Terminate))) return UNIT_ERROR;
    return (int)unit_terminate(c);
}

DECLARE(int, FMI_NAME(Reset), void *c) { return (int)unit_reset(c); }

#include "unit/fmi_values.h"

/* ---- the whole state ------------------------------------------------------------------------- */

/* As the importer holds it. */
typedef struct {
    size_t size;
    Byte bytes[];
} State;

static State *new_state(UnitInstance *u, size_t size)
{
    State *s = malloc(sizeof *s + size);
    if (s)
        s->size = size;
    else
        unit_fail(u, UNIT_ERROR, "no memory for a state");
    return s;
}

DECLARE(int, FMI_STATE(Get, ), void *c, void **state)
{
    State *s = new_state(c, unit_save_size(c));
    if (!s) return UNIT_ERROR;
    unit_save(c, s->bytes);
    free(*state);
    *state = s;
    return UNIT_OK;
}

DECLARE(int, FMI_STATE(Set, ), void *c, void *state)
{
    const State *s = state;
    if (s && unit_restore(c, s->bytes, s->size)) return UNIT_OK;
    return (int)unit_fail(c, UNIT_ERROR, "this is no state of this FMU");
}

DECLARE(int, FMI_STATE(Free, ), void *c, void **state)
{
    (void)c;
    if (!state) return UNIT_OK;
    free(*state);
    *state = NULL;
    return UNIT_OK;
}

DECLARE(int, FMI_STATE(Serialized, Size), void *c, void *state, size_t *size)
{
    (void)c;
    *size = state ? ((State *)state)->size : 0;
    return state ? UNIT_OK : UNIT_ERROR;
}

DECLARE(int, FMI_STATE(Serialize, ), void *c, void *state, Byte bytes[], size_t size)
{
    const State *s = state;
    if (!s || size < s->size) return (int)unit_fail(c, UNIT_ERROR, "there is not enough room for the state");
    memcpy(bytes, s->bytes, s->size);
    return UNIT_OK;
}

DECLARE(int, FMI_DESERIALIZE, void *c, const Byte bytes[], size_t size, void **state)
{
    State *s = new_state(c, size);
    if (!s) return UNIT_ERROR;
    memcpy(s->bytes, bytes, size);
    *state = s;
    return UNIT_OK;
}

/* ---- model exchange -------------------------------------------------------------------------- */

/* When the next event is due, of those that are known. In model exchange no step may be longer than
 * the shortest delay. */
static double next_due(const UnitInstance *u)
{
    double next = u->event.next_time;
    return u->event.max_step > 0 && !u->is_slave ? fmin(next, u->t + u->event.max_step) : next;
}

DECLARE(int, FMI_NAME(EnterContinuousTimeMode), void *c)
{
    UnitInstance *u = c;
    if (!unit_may(u, u->is_slave ? 0 : MODE_EVENT_MODE, FMI_TEXT(EnterContinuousTimeMode))) return UNIT_ERROR;
    u->mode = MODE_CONTINUOUS;
    return UNIT_OK;
}

DECLARE(int, FMI_NAME(CompletedIntegratorStep), void *c, Flag no_set_before, Flag *wants_event,
        Flag *wants_end)
{
    int event = 0, end = 0;
    (void)no_set_before;
    if (!unit_may(c, MODE_CONTINUOUS, FMI_TEXT(CompletedIntegratorStep))) return UNIT_ERROR;
    UnitStatus status = unit_completed(c, &event, &end);
    *wants_event = event != 0;
    *wants_end = end != 0;
    return (int)status;
}

DECLARE(int, FMI_NAME(SetTime), void *c, double t)
{
    if (!unit_may(c, MODE_CONTINUOUS | MODE_EVENT_MODE, FMI_TEXT(SetTime))) return UNIT_ERROR;
    return (int)unit_set_time(c, t);
}

DECLARE(int, FMI_NAME(SetContinuousStates), void *c, const double y[], size_t n)
{
    if (!unit_may(c, MODE_CONTINUOUS | MODE_EVENT_MODE, FMI_TEXT(SetContinuousStates))) return UNIT_ERROR;
    return (int)unit_set_states(c, y, n);
}

DECLARE(int, FMI_NAME(FMI_DERIVATIVES), void *c, double f[], size_t n)
{
    if (!unit_may(c, RUNS, FMI_TEXT(FMI_DERIVATIVES))) return UNIT_ERROR;
    return (int)unit_derivatives(c, f, n);
}

DECLARE(int, FMI_NAME(GetEventIndicators), void *c, double g[], size_t n)
{
    if (!unit_may(c, RUNS, FMI_TEXT(GetEventIndicators))) return UNIT_ERROR;
    return (int)unit_indicators(c, g, n);
}

DECLARE(int, FMI_NAME(GetContinuousStates), void *c, double y[], size_t n)
{
    UnitInstance *u = c;
    if (!unit_may(u, RUNS, FMI_TEXT(GetContinuousStates))) return UNIT_ERROR;
    if (n != unit_model.run->state_count)
        return (int)unit_fail(u, UNIT_ERROR, "there are not as many states");
    if (u->mode == MODE_INITIALIZATION && unit_prepare_get(u) != UNIT_OK) return UNIT_ERROR;
    if (n) memcpy(y, u->y, n * sizeof *y);
    return UNIT_OK;
}

DECLARE(int, FMI_NAME(GetNominalsOfContinuousStates), void *c, double nominal[], size_t n)
{
    if (!unit_may(c, RUNS, FMI_TEXT(GetNominalsOfContinuousStates))) return UNIT_ERROR;
    return (int)unit_nominals(c, nominal, n);
}

/* ---- co-simulation --------------------------------------------------------------------------- */

/* A step from t by h, where t is the communication point that the FMU is at. */
static UnitStatus do_step(UnitInstance *u, double t, double h, const char *function, int *event)
{
    if (!unit_may(u, MODE_STEP, function)) return UNIT_ERROR;
    if (fabs(t - u->t) > 1e-9 * fmax(1, fabs(t)))
        return unit_fail(u, UNIT_ERROR, "the communication point is %.17g, not %.17g", u->t, t);
    if (!(h >= 0)) return unit_fail(u, UNIT_ERROR, "a step of %g is none", h);
    return unit_step(u, t + h, event);
}

#endif
