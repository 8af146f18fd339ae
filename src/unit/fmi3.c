/* fmi3.c: the functions of FMI 3.0 over a Unit. Types and declarations are written down from the standard, as the parts of it that an FMU must
 * have; names and order of arguments are the standard's. Clocks and scheduled execution are not offered: their functions are there and
 * refuse. Tests: tests/cli/export.sh. */
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

typedef void (*Logger)(void *environment, int status, const char *category, const char *message);

/* The log function, kept behind a pointer to data: functions are none. */
typedef struct {
    Logger logger;
} Callbacks;

/* A saved state, as the importer holds it. */
typedef struct {
    size_t size;
    unsigned char bytes[];
} State;

enum { RUNS = MODE_INITIALIZATION | MODE_EVENT_MODE | MODE_CONTINUOUS | MODE_STEP | MODE_TERMINATED };
enum { READS = RUNS | MODE_INSTANTIATED };
enum { WRITES = MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_EVENT_MODE | MODE_CONTINUOUS | MODE_STEP };

/* Each function of the standard is declared in front of its definition, so that no compiler misses a declaration. */
#define DECLARE(type, name, ...) \
    FMI type name(__VA_ARGS__);  \
    FMI type name(__VA_ARGS__)

static void tell(UnitInstance *u, UnitStatus status, const char *category, const char *text)
{
    const Callbacks *c = u->logger;
    if (c && c->logger) c->logger(u->environment, (int)status, category, text);
}

static int refuse(UnitInstance *u, const char *what)
{
    return (int)unit_fail(u, UNIT_ERROR, "this FMU has no %s", what);
}

DECLARE(const char *, fmi3GetVersion, void) { return "3.0"; }

DECLARE(int, fmi3SetDebugLogging, void *c, bool on, size_t n, const char *const categories[])
{
    return (int)unit_set_logging(c, on, n, categories);
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
    if (u) u->wants_events = events && early; /* events inside of a step end it early */
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

DECLARE(void, fmi3FreeInstance, void *c)
{
    UnitInstance *u = c;
    if (!u) return;
    void *own = u->logger;
    unit_free(u);
    free(own);
}

DECLARE(int, fmi3EnterInitializationMode, void *c, bool has_tolerance, double tolerance, double start,
        bool has_stop, double stop)
{
    if (!unit_may(c, MODE_INSTANTIATED, "fmi3EnterInitializationMode")) return UNIT_ERROR;
    return (int)unit_enter_initialization(c, has_tolerance, tolerance, start, has_stop, stop);
}

DECLARE(int, fmi3ExitInitializationMode, void *c)
{
    if (!unit_may(c, MODE_INITIALIZATION, "fmi3ExitInitializationMode")) return UNIT_ERROR;
    return (int)unit_exit_initialization(c);
}

DECLARE(int, fmi3EnterEventMode, void *c)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_CONTINUOUS | MODE_STEP | MODE_EVENT_MODE, "fmi3EnterEventMode")) return UNIT_ERROR;
    if (u->is_slave && !u->wants_events) return refuse(u, "event mode: it was instantiated without");
    u->mode = MODE_EVENT_MODE;
    return UNIT_OK;
}

DECLARE(int, fmi3Terminate, void *c)
{
    if (!unit_may(c, MODE_EVENT_MODE | MODE_CONTINUOUS | MODE_STEP, "fmi3Terminate")) return UNIT_ERROR;
    return (int)unit_terminate(c);
}

DECLARE(int, fmi3Reset, void *c) { return (int)unit_reset(c); }

/* ---- variables ---- */

/* Calls `put` or `take` element by element for a list of value references. */
typedef void (*Take)(UnitInstance *u, const UnitVariable *v, uint32_t element, void *values, size_t k);
typedef double (*Give)(const void *values, size_t k);

static int too_many(UnitInstance *u, const char *function)
{
    return (int)unit_fail(u, UNIT_ERROR, "%s: the number of values is not that of the variables' elements",
                          function);
}

static int get(UnitInstance *u, const unsigned *vr, size_t n, void *values, size_t count, unsigned types,
               Take take, const char *function)
{
    size_t k = 0;
    if (!unit_may(u, READS, function)) return UNIT_ERROR;
    UnitStatus status = unit_prepare_get(u);
    for (size_t j = 0; j < n && status <= UNIT_WARNING; j++) {
        const UnitVariable *v = unit_variable(u, vr[j], types, function);
        if (!v) return UNIT_ERROR;
        if (v->n > count - k) return too_many(u, function);
        if (v->flags & UNIT_INDICATOR) status = unit_indicators(u, u->work, unit_model.run->indicator_count);
        for (uint32_t e = 0; e < v->n; e++) take(u, v, e, values, k++);
    }
    return k == count || status > UNIT_WARNING ? (int)status : too_many(u, function);
}

static int set(UnitInstance *u, const unsigned *vr, size_t n, const void *values, size_t count,
               unsigned types, Give give, const char *function)
{
    size_t k = 0;
    UnitStatus status = UNIT_OK;
    if (!unit_may(u, WRITES, function)) return UNIT_ERROR;
    for (size_t j = 0; j < n && status <= UNIT_WARNING; j++) {
        const UnitVariable *v = unit_variable(u, vr[j], types, function);
        if (!v) return UNIT_ERROR;
        if (v->n > count - k) return too_many(u, function);
        for (uint32_t e = 0; e < v->n && status <= UNIT_WARNING; e++)
            status = unit_set(u, v, e, give(values, k++));
    }
    return k == count || status > UNIT_WARNING ? (int)status : too_many(u, function);
}

static void take_real(UnitInstance *u, const UnitVariable *v, uint32_t e, void *values, size_t k)
{
    ((double *)values)[k] =
        v->flags & UNIT_INDICATOR ? u->work[unit_model.elements[v->first + e]] : unit_get(u, v, e);
}
static void take_int(UnitInstance *u, const UnitVariable *v, uint32_t e, void *values, size_t k)
{
    ((int32_t *)values)[k] = (int32_t)unit_get(u, v, e);
}
static void take_long(UnitInstance *u, const UnitVariable *v, uint32_t e, void *values, size_t k)
{
    ((int64_t *)values)[k] = (int64_t)unit_get(u, v, e);
}
static void take_bool(UnitInstance *u, const UnitVariable *v, uint32_t e, void *values, size_t k)
{
    ((bool *)values)[k] = unit_get(u, v, e) != 0;
}
static void take_string(UnitInstance *u, const UnitVariable *v, uint32_t e, void *values, size_t k)
{
    ((const char **)values)[k] = unit_get_string(u, v, e);
}
static double give_real(const void *values, size_t k) { return ((const double *)values)[k]; }
static double give_int(const void *values, size_t k) { return ((const int32_t *)values)[k]; }
static double give_long(const void *values, size_t k) { return (double)((const int64_t *)values)[k]; }
static double give_bool(const void *values, size_t k) { return ((const bool *)values)[k]; }

DECLARE(int, fmi3GetFloat64, void *c, const unsigned vr[], size_t n, double values[], size_t count)
{
    return get(c, vr, n, values, count, 1u << UNIT_REAL, take_real, "fmi3GetFloat64");
}

DECLARE(int, fmi3GetInt32, void *c, const unsigned vr[], size_t n, int32_t values[], size_t count)
{
    return get(c, vr, n, values, count, 1u << UNIT_INTEGER, take_int, "fmi3GetInt32");
}

DECLARE(int, fmi3GetInt64, void *c, const unsigned vr[], size_t n, int64_t values[], size_t count)
{
    return get(c, vr, n, values, count, 1u << UNIT_ENUMERATION, take_long, "fmi3GetInt64");
}

DECLARE(int, fmi3GetBoolean, void *c, const unsigned vr[], size_t n, bool values[], size_t count)
{
    return get(c, vr, n, values, count, 1u << UNIT_BOOLEAN, take_bool, "fmi3GetBoolean");
}

DECLARE(int, fmi3GetString, void *c, const unsigned vr[], size_t n, const char *values[], size_t count)
{
    return get(c, vr, n, (void *)values, count, 1u << UNIT_STRING, take_string, "fmi3GetString");
}

DECLARE(int, fmi3SetFloat64, void *c, const unsigned vr[], size_t n, const double values[], size_t count)
{
    return set(c, vr, n, values, count, 1u << UNIT_REAL, give_real, "fmi3SetFloat64");
}

DECLARE(int, fmi3SetInt32, void *c, const unsigned vr[], size_t n, const int32_t values[], size_t count)
{
    return set(c, vr, n, values, count, 1u << UNIT_INTEGER, give_int, "fmi3SetInt32");
}

DECLARE(int, fmi3SetInt64, void *c, const unsigned vr[], size_t n, const int64_t values[], size_t count)
{
    return set(c, vr, n, values, count, 1u << UNIT_ENUMERATION, give_long, "fmi3SetInt64");
}

DECLARE(int, fmi3SetBoolean, void *c, const unsigned vr[], size_t n, const bool values[], size_t count)
{
    return set(c, vr, n, values, count, 1u << UNIT_BOOLEAN, give_bool, "fmi3SetBoolean");
}

/* Types that no variable of a Modelica model has. */
#define NO_VARIABLES(name, type)                                                                           \
    DECLARE(int, fmi3Get##name, void *c, const unsigned vr[], size_t n, type values[], size_t count)       \
    {                                                                                                      \
        (void)vr, (void)values, (void)count;                                                               \
        return n ? refuse(c, "variables of this type") : UNIT_OK;                                          \
    }                                                                                                      \
    DECLARE(int, fmi3Set##name, void *c, const unsigned vr[], size_t n, const type values[], size_t count) \
    {                                                                                                      \
        (void)vr, (void)values, (void)count;                                                               \
        return n ? refuse(c, "variables of this type") : UNIT_OK;                                          \
    }

NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(UInt64, uint64_t)

DECLARE(int, fmi3SetString, void *c, const unsigned vr[], size_t n, const char *const values[], size_t count)
{
    (void)vr, (void)values, (void)count;
    return n ? refuse(c, "strings that can be set") : UNIT_OK;
}

DECLARE(int, fmi3GetBinary, void *c, const unsigned vr[], size_t n, size_t sizes[], const uint8_t *values[],
        size_t count)
{
    (void)vr, (void)sizes, (void)values, (void)count;
    return n ? refuse(c, "binary variables") : UNIT_OK;
}

DECLARE(int, fmi3SetBinary, void *c, const unsigned vr[], size_t n, const size_t sizes[],
        const uint8_t *const values[], size_t count)
{
    (void)vr, (void)sizes, (void)values, (void)count;
    return n ? refuse(c, "binary variables") : UNIT_OK;
}

DECLARE(int, fmi3GetClock, void *c, const unsigned vr[], size_t n, bool values[])
{
    (void)vr, (void)values;
    return n ? refuse(c, "clocks") : UNIT_OK;
}

DECLARE(int, fmi3SetClock, void *c, const unsigned vr[], size_t n, const bool values[])
{
    (void)vr, (void)values;
    return n ? refuse(c, "clocks") : UNIT_OK;
}

DECLARE(int, fmi3GetNumberOfVariableDependencies, void *c, unsigned vr, size_t *n)
{
    (void)vr;
    *n = 0;
    return refuse(c, "dependencies that change");
}

DECLARE(int, fmi3GetVariableDependencies, void *c, unsigned dependent, size_t elements[],
        unsigned independents[], size_t places[], int kinds[], size_t n)
{
    (void)dependent, (void)elements, (void)independents, (void)places, (void)kinds, (void)n;
    return refuse(c, "dependencies that change");
}

/* ---- the whole state ---- */

DECLARE(int, fmi3GetFMUState, void *c, void **state)
{
    size_t size = unit_save_size(c);
    State *s = malloc(sizeof *s + size);
    if (!s) return (int)unit_fail(c, UNIT_ERROR, "no memory for a state");
    s->size = size;
    unit_save(c, s->bytes);
    free(*state);
    *state = s;
    return UNIT_OK;
}

DECLARE(int, fmi3SetFMUState, void *c, void *state)
{
    const State *s = state;
    if (s && unit_restore(c, s->bytes, s->size)) return UNIT_OK;
    return (int)unit_fail(c, UNIT_ERROR, "this is no state of this FMU");
}

DECLARE(int, fmi3FreeFMUState, void *c, void **state)
{
    (void)c;
    if (!state) return UNIT_OK;
    free(*state);
    *state = NULL;
    return UNIT_OK;
}

DECLARE(int, fmi3SerializedFMUStateSize, void *c, void *state, size_t *size)
{
    (void)c;
    *size = state ? ((State *)state)->size : 0;
    return state ? UNIT_OK : UNIT_ERROR;
}

DECLARE(int, fmi3SerializeFMUState, void *c, void *state, uint8_t bytes[], size_t size)
{
    const State *s = state;
    if (!s || size < s->size) return (int)unit_fail(c, UNIT_ERROR, "there is not enough room for the state");
    memcpy(bytes, s->bytes, s->size);
    return UNIT_OK;
}

DECLARE(int, fmi3DeserializeFMUState, void *c, const uint8_t bytes[], size_t size, void **state)
{
    State *s = malloc(sizeof *s + size);
    if (!s) return (int)unit_fail(c, UNIT_ERROR, "no memory for a state");
    s->size = size;
    memcpy(s->bytes, bytes, size);
    *state = s;
    return UNIT_OK;
}

enum { DERIVES = MODE_EVENT_MODE | MODE_CONTINUOUS | MODE_STEP };

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

DECLARE(int, fmi3EnterConfigurationMode, void *c) { return refuse(c, "structural parameters"); }
DECLARE(int, fmi3ExitConfigurationMode, void *c) { return refuse(c, "structural parameters"); }

/* ---- clocks ---- */

DECLARE(int, fmi3GetIntervalDecimal, void *c, const unsigned vr[], size_t n, double intervals[],
        int qualifiers[])
{
    (void)vr, (void)intervals, (void)qualifiers;
    return n ? refuse(c, "clocks") : UNIT_OK;
}

DECLARE(int, fmi3GetIntervalFraction, void *c, const unsigned vr[], size_t n, uint64_t counters[],
        uint64_t resolutions[], int qualifiers[])
{
    (void)vr, (void)counters, (void)resolutions, (void)qualifiers;
    return n ? refuse(c, "clocks") : UNIT_OK;
}

DECLARE(int, fmi3GetShiftDecimal, void *c, const unsigned vr[], size_t n, double shifts[])
{
    (void)vr, (void)shifts;
    return n ? refuse(c, "clocks") : UNIT_OK;
}

DECLARE(int, fmi3GetShiftFraction, void *c, const unsigned vr[], size_t n, uint64_t counters[],
        uint64_t resolutions[])
{
    (void)vr, (void)counters, (void)resolutions;
    return n ? refuse(c, "clocks") : UNIT_OK;
}

DECLARE(int, fmi3SetIntervalDecimal, void *c, const unsigned vr[], size_t n, const double intervals[])
{
    (void)vr, (void)intervals;
    return n ? refuse(c, "clocks") : UNIT_OK;
}

DECLARE(int, fmi3SetIntervalFraction, void *c, const unsigned vr[], size_t n, const uint64_t counters[],
        const uint64_t resolutions[])
{
    (void)vr, (void)counters, (void)resolutions;
    return n ? refuse(c, "clocks") : UNIT_OK;
}

DECLARE(int, fmi3SetShiftDecimal, void *c, const unsigned vr[], size_t n, const double shifts[])
{
    (void)vr, (void)shifts;
    return n ? refuse(c, "clocks") : UNIT_OK;
}

DECLARE(int, fmi3SetShiftFraction, void *c, const unsigned vr[], size_t n, const uint64_t counters[],
        const uint64_t resolutions[])
{
    (void)vr, (void)counters, (void)resolutions;
    return n ? refuse(c, "clocks") : UNIT_OK;
}

DECLARE(int, fmi3ActivateModelPartition, void *c, unsigned vr, double t)
{
    (void)vr, (void)t;
    return refuse(c, "clocks");
}

/* ---- events ---- */

DECLARE(int, fmi3EvaluateDiscreteStates, void *c) { return refuse(c, "discrete states to evaluate apart"); }

DECLARE(int, fmi3UpdateDiscreteStates, void *c, bool *needed, bool *terminate, bool *nominals_changed,
        bool *states_changed, bool *has_next_time, double *next_time)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_EVENT_MODE, "fmi3UpdateDiscreteStates")) return UNIT_ERROR;
    UnitStatus status = unit_update_discrete(u);
    double next = u->event.next_time;
    if (u->event.max_step > 0 && !u->is_slave) next = fmin(next, u->t + u->event.max_step);
    *needed = false;
    *terminate = u->is_terminated;
    *nominals_changed = *states_changed = u->event.y_changed;
    *has_next_time = isfinite(next);
    *next_time = isfinite(next) ? next : 0;
    return (int)status;
}

DECLARE(int, fmi3EnterContinuousTimeMode, void *c)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_EVENT_MODE, "fmi3EnterContinuousTimeMode")) return UNIT_ERROR;
    u->mode = MODE_CONTINUOUS;
    return UNIT_OK;
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

/* ---- model exchange ---- */

DECLARE(int, fmi3CompletedIntegratorStep, void *c, bool no_set_before, bool *wants_event, bool *wants_end)
{
    int event = 0, end = 0;
    (void)no_set_before;
    if (!unit_may(c, MODE_CONTINUOUS, "fmi3CompletedIntegratorStep")) return UNIT_ERROR;
    UnitStatus status = unit_completed(c, &event, &end);
    *wants_event = event != 0;
    *wants_end = end != 0;
    return (int)status;
}

DECLARE(int, fmi3SetTime, void *c, double t)
{
    if (!unit_may(c, MODE_CONTINUOUS | MODE_EVENT_MODE, "fmi3SetTime")) return UNIT_ERROR;
    return (int)unit_set_time(c, t);
}

DECLARE(int, fmi3SetContinuousStates, void *c, const double y[], size_t n)
{
    if (!unit_may(c, MODE_CONTINUOUS | MODE_EVENT_MODE, "fmi3SetContinuousStates")) return UNIT_ERROR;
    return (int)unit_set_states(c, y, n);
}

DECLARE(int, fmi3GetContinuousStateDerivatives, void *c, double f[], size_t n)
{
    if (!unit_may(c, RUNS, "fmi3GetContinuousStateDerivatives")) return UNIT_ERROR;
    return (int)unit_derivatives(c, f, n);
}

DECLARE(int, fmi3GetEventIndicators, void *c, double g[], size_t n)
{
    if (!unit_may(c, RUNS, "fmi3GetEventIndicators")) return UNIT_ERROR;
    return (int)unit_indicators(c, g, n);
}

DECLARE(int, fmi3GetContinuousStates, void *c, double y[], size_t n)
{
    UnitInstance *u = c;
    if (!unit_may(u, RUNS, "fmi3GetContinuousStates")) return UNIT_ERROR;
    if (n != unit_model.run->state_count)
        return (int)unit_fail(u, UNIT_ERROR, "there are not as many states");
    if (u->mode == MODE_INITIALIZATION && unit_prepare_get(u) != UNIT_OK) return UNIT_ERROR;
    if (n) memcpy(y, u->y, n * sizeof *y);
    return UNIT_OK;
}

DECLARE(int, fmi3GetNominalsOfContinuousStates, void *c, double nominal[], size_t n)
{
    if (!unit_may(c, RUNS, "fmi3GetNominalsOfContinuousStates")) return UNIT_ERROR;
    return (int)unit_nominals(c, nominal, n);
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

/* ---- co-simulation ---- */

DECLARE(int, fmi3GetOutputDerivatives, void *c, const unsigned vr[], size_t n, const int32_t orders[],
        double values[], size_t count)
{
    (void)vr, (void)orders, (void)values, (void)count;
    return n ? refuse(c, "derivatives of outputs") : UNIT_OK;
}

DECLARE(int, fmi3DoStep, void *c, double t, double h, bool no_set_before, bool *event_needed, bool *terminate,
        bool *early, double *last)
{
    UnitInstance *u = c;
    int event = 0;
    (void)no_set_before;
    *event_needed = *terminate = *early = false;
    *last = u->t;
    if (!unit_may(u, MODE_STEP, "fmi3DoStep")) return UNIT_ERROR;
    if (fabs(t - u->t) > 1e-9 * fmax(1, fabs(t)))
        return (int)unit_fail(u, UNIT_ERROR, "the communication point is %.17g, not %.17g", u->t, t);
    UnitStatus status = unit_step(u, t + h - u->t, &event);
    if (status == UNIT_DISCARD && u->is_terminated) status = UNIT_OK;
    *event_needed = event != 0;
    *terminate = u->is_terminated;
    *early = u->t < t + h;
    *last = fmin(u->t, t + h); /* an event may be a rounding error behind */
    return (int)status;
}
