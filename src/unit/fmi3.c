/* fmi3.c: the functions of FMI 3.0 over a Unit, besides those that it shares with FMI 2.0 (fmi.h).
 * Clocks and scheduled execution are not offered: their functions are there and refuse. Tests:
 * tests/cli/export.sh. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FMI_VERSION "3.0"
#define FMI_NAME(name) FMI_NAME_2(name)
#define FMI_NAME_2(name) fmi3##name
#define FMI_TEXT(name) FMI_TEXT_2(name)
#define FMI_TEXT_2(name) "fmi3" #name
#define FMI_STATE(before, after) fmi3##before##FMUState##after
#define FMI_DESERIALIZE fmi3DeserializeFMUState
#define FMI_DERIVATIVES GetContinuousStateDerivatives
typedef bool Flag;
typedef uint8_t Byte;

#include "unit/fmi.h"

VALUES(integer, int32_t, 1u << UNIT_INTEGER, (int32_t)value, value)
VALUES(enumeration, int64_t, 1u << UNIT_ENUMERATION, (int64_t)value, (double)value)
VALUES(boolean, bool, 1u << UNIT_BOOLEAN, value != 0, value)

typedef void (*Logger)(void *environment, int status, const char *category, const char *message);

/* The log function, kept behind a pointer to data: functions are none. */
typedef struct {
    Logger logger;
} Callbacks;

static void tell(UnitInstance *u, UnitStatus status, const char *category, const char *text)
{
    const Callbacks *c = u->logger;
    if (c && c->logger) c->logger(u->environment, (int)status, category, text);
}

static int refuse(UnitInstance *u, const char *what)
{
    return (int)unit_fail(u, UNIT_ERROR, "this FMU has no %s", what);
}

static UnitInstance *instantiate(const char *name, const char *token, const char *resources, int is_slave,
                                 bool logging, void *environment, Logger logger)
{
    Callbacks *own = malloc(sizeof *own);
    char path[4096] = "";
    if (!own) return NULL;
    own->logger = logger;
    size_t n = resources ? strlen(resources) : 0;
    if (n && n < sizeof path) {
        memcpy(path, resources, n + 1);
        if (path[n - 1] == '/') path[n - 1] = 0;
    }
    UnitInstance *u = unit_new(name, token, path, is_slave, tell, environment, own, logging);
    if (!u) free(own);
    return u;
}

DECLARE(void *, fmi3InstantiateModelExchange, const char *name, const char *token, const char *resources,
        bool visible, bool logging, void *environment, Logger logger)
{
    (void)visible;
    return instantiate(name, token, resources, 0, logging, environment, logger);
}

DECLARE(void *, fmi3InstantiateCoSimulation, const char *name, const char *token, const char *resources,
        bool visible, bool logging, bool events, bool early, const unsigned required[], size_t n,
        void *environment, Logger logger, void (*intermediate)(void))
{
    (void)visible, (void)required, (void)n, (void)intermediate;
    UnitInstance *u = instantiate(name, token, resources, 1, logging, environment, logger);
    if (u) u->wants_events = events, u->may_stop = early;
    return u;
}

DECLARE(void *, fmi3InstantiateScheduledExecution, const char *name, const char *token, const char *resources,
        bool visible, bool logging, void *environment, Logger logger, void (*clock)(void), void (*lock)(void),
        void (*unlock)(void))
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock, (void)lock,
        (void)unlock;
    if (logger) logger(environment, UNIT_ERROR, "logStatusError", "this FMU is not for scheduled execution");
    return NULL;
}

DECLARE(int, fmi3EnterInitializationMode, void *c, bool has_tolerance, double tolerance, double start,
        bool has_stop, double stop)
{
    if (!unit_may(c, MODE_INSTANTIATED, "fmi3EnterInitializationMode")) return UNIT_ERROR;
    return (int)unit_enter_initialization(c, has_tolerance, tolerance, start, has_stop, stop);
}

DECLARE(int, fmi3EnterEventMode, void *c)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_CONTINUOUS | MODE_STEP | MODE_EVENT_MODE, "fmi3EnterEventMode")) return UNIT_ERROR;
    if (u->is_slave && !u->wants_events) return refuse(u, "event mode: it was instantiated without");
    u->mode = MODE_EVENT_MODE;
    return UNIT_OK;
}

/* ---- variables ------------------------------------------------------------------------------- */

#define ACCESS(name, c_type, type)                                                                           \
    DECLARE(int, fmi3Get##name, void *c, const unsigned vr[], size_t n, c_type values[], size_t count)       \
    {                                                                                                        \
        return get(c, vr, n, values, count, &type##_values, "fmi3Get" #name);                                \
    }                                                                                                        \
    DECLARE(int, fmi3Set##name, void *c, const unsigned vr[], size_t n, const c_type values[], size_t count) \
    {                                                                                                        \
        return set(c, vr, n, values, count, &type##_values, "fmi3Set" #name);                                \
    }

ACCESS(Float64, double, real)
ACCESS(Int32, int32_t, integer)
ACCESS(Int64, int64_t, enumeration)
ACCESS(Boolean, bool, boolean)

DECLARE(int, fmi3GetString, void *c, const unsigned vr[], size_t n, const char *values[], size_t count)
{
    return get(c, vr, n, (void *)values, count, &string_values, "fmi3GetString");
}

DECLARE(int, fmi3SetString, void *c, const unsigned vr[], size_t n, const char *const values[], size_t count)
{
    return set(c, vr, n, (const void *)values, count, &string_values, "fmi3SetString");
}

/* ---- what no model of Modelica has: the functions are there, and refuse if they are asked for
 * anything */

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

#define REFUSE(name, asked, what, ...) \
    DECLARE(int, fmi3##name, void *c, __VA_ARGS__) { return (asked) ? refuse(c, what) : UNIT_OK; }
#define REFERENCES const unsigned vr[], size_t n
#define NO_VARIABLES(name, type)                                                            \
    REFUSE(Get##name, n, "variables of this type", REFERENCES, type values[], size_t count) \
    REFUSE(Set##name, n, "variables of this type", REFERENCES, const type values[], size_t count)

NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(UInt64, uint64_t)
REFUSE(GetBinary, n, "binary variables", REFERENCES, size_t sizes[], const uint8_t *values[], size_t count)
REFUSE(SetBinary, n, "binary variables", REFERENCES, const size_t sizes[], const uint8_t *const values[],
       size_t count)
REFUSE(GetClock, n, "clocks", REFERENCES, bool values[])
REFUSE(SetClock, n, "clocks", REFERENCES, const bool values[])
REFUSE(GetIntervalDecimal, n, "clocks", REFERENCES, double intervals[], int qualifiers[])
REFUSE(GetIntervalFraction, n, "clocks", REFERENCES, uint64_t counters[], uint64_t resolutions[],
       int qualifiers[])
REFUSE(GetShiftDecimal, n, "clocks", REFERENCES, double shifts[])
REFUSE(GetShiftFraction, n, "clocks", REFERENCES, uint64_t counters[], uint64_t resolutions[])
REFUSE(SetIntervalDecimal, n, "clocks", REFERENCES, const double intervals[])
REFUSE(SetIntervalFraction, n, "clocks", REFERENCES, const uint64_t counters[], const uint64_t resolutions[])
REFUSE(SetShiftDecimal, n, "clocks", REFERENCES, const double shifts[])
REFUSE(SetShiftFraction, n, "clocks", REFERENCES, const uint64_t counters[], const uint64_t resolutions[])
REFUSE(ActivateModelPartition, 1, "clocks", unsigned vr, double t)
REFUSE(GetNumberOfVariableDependencies, 1, "dependencies that change", unsigned vr, size_t *n)
REFUSE(GetVariableDependencies, 1, "dependencies that change", unsigned dependent, size_t elements[],
       unsigned independents[], size_t places[], int kinds[], size_t n)
REFUSE(GetOutputDerivatives, n, "derivatives of outputs", REFERENCES, const int32_t orders[], double values[],
       size_t count)

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

DECLARE(int, fmi3EnterConfigurationMode, void *c) { return refuse(c, "structural parameters"); }
DECLARE(int, fmi3ExitConfigurationMode, void *c) { return refuse(c, "structural parameters"); }

/* ---- derivatives ----------------------------------------------------------------------------- */

DECLARE(int, fmi3GetDirectionalDerivative, void *c, const unsigned unknowns[], size_t n,
        const unsigned knowns[], size_t m, const double seed[], size_t seeds, double out[], size_t outs)
{
    if (!unit_may(c, DERIVES, "fmi3GetDirectionalDerivative")) return UNIT_ERROR;
    return (int)unit_directional(c, unknowns, n, knowns, m, seed, seeds, out, outs);
}

DECLARE(int, fmi3GetAdjointDerivative, void *c, const unsigned unknowns[], size_t n, const unsigned knowns[],
        size_t m, const double seed[], size_t seeds, double out[], size_t outs)
{
    if (!unit_may(c, DERIVES, "fmi3GetAdjointDerivative")) return UNIT_ERROR;
    return (int)unit_adjoint(c, unknowns, n, knowns, m, seed, seeds, out, outs);
}

/* ---- events ---------------------------------------------------------------------------------- */

DECLARE(int, fmi3EvaluateDiscreteStates, void *c) { return refuse(c, "discrete states to evaluate apart"); }

DECLARE(int, fmi3UpdateDiscreteStates, void *c, bool *needed, bool *terminate, bool *nominals_changed,
        bool *states_changed, bool *has_next_time, double *next_time)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_EVENT_MODE, "fmi3UpdateDiscreteStates")) return UNIT_ERROR;
    UnitStatus status = unit_update_discrete(u);
    double next = next_due(u);
    *needed = false;
    *terminate = u->is_terminated;
    *nominals_changed = *states_changed = u->event.y_changed;
    *has_next_time = isfinite(next);
    *next_time = isfinite(next) ? next : 0;
    return (int)status;
}

DECLARE(int, fmi3EnterStepMode, void *c)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_EVENT_MODE, "fmi3EnterStepMode")) return UNIT_ERROR;
    if (!u->integrator) return refuse(u, "step mode: it was instantiated for model exchange");
    unit_integrator_restart(u->integrator, u->t, u->y, &u->event);
    u->mode = MODE_STEP;
    return UNIT_OK;
}

DECLARE(int, fmi3GetNumberOfEventIndicators, void *c, size_t *n)
{
    (void)c;
    *n = unit_model.run->indicator_count;
    return UNIT_OK;
}

DECLARE(int, fmi3GetNumberOfContinuousStates, void *c, size_t *n)
{
    (void)c;
    *n = unit_model.run->state_count;
    return UNIT_OK;
}

/* ---- co-simulation --------------------------------------------------------------------------- */

DECLARE(int, fmi3DoStep, void *c, double t, double h, bool no_set_before, bool *event_needed, bool *terminate,
        bool *early, double *last)
{
    UnitInstance *u = c;
    int event = 0;
    (void)no_set_before;
    *event_needed = *terminate = *early = false;
    *last = u->t;
    UnitStatus status = do_step(u, t, h, "fmi3DoStep", &event);
    if (status == UNIT_DISCARD && u->is_terminated) status = UNIT_OK;
    *event_needed = event != 0;
    *terminate = u->is_terminated;
    *early = u->t < t + h;
    *last = fmin(u->t, t + h); /* an event may be a rounding error after */
    return (int)status;
}
