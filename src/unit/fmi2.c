/* fmi2.c: the functions of FMI 2.0 over a Unit. Types and declarations are written down from the standard, as the parts of it that
 * an FMU must have; names and order of arguments are the standard's. Tests: tests/cli/export.sh. */
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

/* A saved state, as the importer holds it. */
typedef struct {
    size_t size;
    char bytes[];
} State;

enum { ANY = MODE_INITIALIZATION | MODE_EVENT_MODE | MODE_CONTINUOUS | MODE_STEP | MODE_TERMINATED };
enum { READS = ANY | MODE_INSTANTIATED };
enum {
    REALS = 1u << UNIT_REAL,
    INTEGERS = 1u << UNIT_INTEGER | 1u << UNIT_ENUMERATION,
    BOOLEANS = 1u << UNIT_BOOLEAN,
    STRINGS = 1u << UNIT_STRING
};

/* Each function of the standard is declared in front of its definition, so that no compiler misses a declaration. */
#define DECLARE(type, name, ...) \
    FMI type name(__VA_ARGS__);  \
    FMI type name(__VA_ARGS__)

static void tell(UnitInstance *u, UnitStatus status, const char *category, const char *text)
{
    const Callbacks *c = u->logger;
    if (c && c->logger) c->logger(u->environment, u->name ? u->name : "", (int)status, category, "%s", text);
}

DECLARE(const char *, fmi2GetTypesPlatform, void) { return "default"; }
DECLARE(const char *, fmi2GetVersion, void) { return "2.0"; }

DECLARE(int, fmi2SetDebugLogging, void *c, int on, size_t n, const char *const categories[])
{
    return (int)unit_set_logging(c, on, n, categories);
}

/* file:///path, file:/path or a path: the path, with %XX decoded. */
static void decode(const char *uri, char *out, size_t room)
{
    size_t n = 0;
    if (!strncmp(uri, "file:", 5)) {
        uri += 5;
        if (!strncmp(uri, "//", 2)) {
            uri += 2;
            while (*uri && *uri != '/') uri++;
        }
    }
    for (; *uri && n + 1 < room; uri++) {
        unsigned code = 0;
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *high = uri[0] == '%' && uri[1] ? strchr(digits, uri[1]) : NULL;
        const char *low = high && uri[2] ? strchr(digits, uri[2]) : NULL;
        if (low) code = (unsigned)((high - digits) % 16) * 16 + (unsigned)((low - digits) % 16);
        out[n++] = low ? (char)code : *uri;
        if (low) uri += 2;
    }
    out[n] = 0;
}

DECLARE(void *, fmi2Instantiate, const char *name, int kind, const char *token, const char *resources,
        const Callbacks *callbacks, int visible, int logging)
{
    char path[4096] = "";
    Callbacks *own = malloc(sizeof *own);
    (void)visible;
    if (!own) return NULL;
    memset(own, 0, sizeof *own);
    if (callbacks) *own = *callbacks;
    if (resources) decode(resources, path, sizeof path);
    UnitInstance *u = unit_new(name, token, path, kind == 1, tell, own->environment, own, logging);
    if (!u) free(own);
    return u;
}

DECLARE(void, fmi2FreeInstance, void *c)
{
    UnitInstance *u = c;
    if (!u) return;
    void *own = u->logger;
    unit_free(u);
    free(own);
}

DECLARE(int, fmi2SetupExperiment, void *c, int has_tolerance, double tolerance, double start, int has_stop,
        double stop)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_INSTANTIATED, "fmi2SetupExperiment")) return UNIT_ERROR;
    u->tolerance = has_tolerance ? tolerance : 0;
    u->start = start;
    u->stop = has_stop ? stop : INFINITY;
    return UNIT_OK;
}

DECLARE(int, fmi2EnterInitializationMode, void *c)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_INSTANTIATED, "fmi2EnterInitializationMode")) return UNIT_ERROR;
    return (int)unit_enter_initialization(u, u->tolerance > 0, u->tolerance, u->start, isfinite(u->stop),
                                          u->stop);
}

DECLARE(int, fmi2ExitInitializationMode, void *c)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_INITIALIZATION, "fmi2ExitInitializationMode")) return UNIT_ERROR;
    return (int)unit_exit_initialization(u);
}

DECLARE(int, fmi2Terminate, void *c)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_EVENT_MODE | MODE_CONTINUOUS | MODE_STEP, "fmi2Terminate")) return UNIT_ERROR;
    return (int)unit_terminate(u);
}

DECLARE(int, fmi2Reset, void *c) { return (int)unit_reset(c); }

/* ---- variables ---- */

DECLARE(int, fmi2GetReal, void *c, const unsigned vr[], size_t n, double values[])
{
    UnitInstance *u = c;
    if (!unit_may(u, READS, "fmi2GetReal")) return UNIT_ERROR;
    UnitStatus status = unit_prepare_get(u);
    for (size_t k = 0; k < n && status <= UNIT_WARNING; k++) {
        const UnitVariable *v = unit_variable(u, vr[k], REALS, "fmi2GetReal");
        if (!v) return UNIT_ERROR;
        values[k] = unit_get(u, v, 0);
    }
    return (int)status;
}

static int get_ints(UnitInstance *u, const unsigned *vr, size_t n, int *values, unsigned types,
                    const char *function)
{
    if (!unit_may(u, READS, function)) return UNIT_ERROR;
    UnitStatus status = unit_prepare_get(u);
    for (size_t k = 0; k < n && status <= UNIT_WARNING; k++) {
        const UnitVariable *v = unit_variable(u, vr[k], types, function);
        if (!v) return UNIT_ERROR;
        values[k] = (int)unit_get(u, v, 0);
    }
    return (int)status;
}

DECLARE(int, fmi2GetInteger, void *c, const unsigned vr[], size_t n, int values[])
{
    return get_ints(c, vr, n, values, INTEGERS, "fmi2GetInteger");
}

DECLARE(int, fmi2GetBoolean, void *c, const unsigned vr[], size_t n, int values[])
{
    return get_ints(c, vr, n, values, BOOLEANS, "fmi2GetBoolean");
}

DECLARE(int, fmi2GetString, void *c, const unsigned vr[], size_t n, const char *values[])
{
    UnitInstance *u = c;
    if (!unit_may(u, READS, "fmi2GetString")) return UNIT_ERROR;
    UnitStatus status = unit_prepare_get(u);
    for (size_t k = 0; k < n && status <= UNIT_WARNING; k++) {
        const UnitVariable *v = unit_variable(u, vr[k], STRINGS, "fmi2GetString");
        if (!v) return UNIT_ERROR;
        values[k] = unit_get_string(u, v, 0);
    }
    return (int)status;
}

enum { WRITES = MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_EVENT_MODE | MODE_CONTINUOUS | MODE_STEP };

DECLARE(int, fmi2SetReal, void *c, const unsigned vr[], size_t n, const double values[])
{
    UnitInstance *u = c;
    UnitStatus status = UNIT_OK;
    if (!unit_may(u, WRITES, "fmi2SetReal")) return UNIT_ERROR;
    for (size_t k = 0; k < n && status <= UNIT_WARNING; k++) {
        const UnitVariable *v = unit_variable(u, vr[k], REALS, "fmi2SetReal");
        status = v ? unit_set(u, v, 0, values[k]) : UNIT_ERROR;
    }
    return (int)status;
}

static int set_ints(UnitInstance *u, const unsigned *vr, size_t n, const int *values, unsigned types,
                    const char *function)
{
    UnitStatus status = UNIT_OK;
    if (!unit_may(u, WRITES, function)) return UNIT_ERROR;
    for (size_t k = 0; k < n && status <= UNIT_WARNING; k++) {
        const UnitVariable *v = unit_variable(u, vr[k], types, function);
        double value = types == BOOLEANS ? values[k] != 0 : values[k];
        status = v ? unit_set(u, v, 0, value) : UNIT_ERROR;
    }
    return (int)status;
}

DECLARE(int, fmi2SetInteger, void *c, const unsigned vr[], size_t n, const int values[])
{
    return set_ints(c, vr, n, values, INTEGERS, "fmi2SetInteger");
}

DECLARE(int, fmi2SetBoolean, void *c, const unsigned vr[], size_t n, const int values[])
{
    return set_ints(c, vr, n, values, BOOLEANS, "fmi2SetBoolean");
}

DECLARE(int, fmi2SetString, void *c, const unsigned vr[], size_t n, const char *const values[])
{
    (void)vr, (void)values;
    return n ? (int)unit_fail(c, UNIT_ERROR, "strings of this FMU cannot be set") : UNIT_OK;
}

/* ---- the whole state ---- */

static State *save(const UnitInstance *u)
{
    size_t size = unit_save_size(u);
    State *s = malloc(sizeof *s + size);
    if (!s) return NULL;
    s->size = size;
    unit_save(u, s->bytes);
    return s;
}

DECLARE(int, fmi2GetFMUstate, void *c, void **state)
{
    State *s = save(c);
    if (!s) return (int)unit_fail(c, UNIT_ERROR, "no memory for a state");
    free(*state);
    *state = s;
    return UNIT_OK;
}

DECLARE(int, fmi2SetFMUstate, void *c, void *state)
{
    const State *s = state;
    if (s && unit_restore(c, s->bytes, s->size)) return UNIT_OK;
    return (int)unit_fail(c, UNIT_ERROR, "this is no state of this FMU");
}

DECLARE(int, fmi2FreeFMUstate, void *c, void **state)
{
    (void)c;
    if (!state) return UNIT_OK;
    free(*state);
    *state = NULL;
    return UNIT_OK;
}

DECLARE(int, fmi2SerializedFMUstateSize, void *c, void *state, size_t *size)
{
    (void)c;
    *size = state ? ((State *)state)->size : 0;
    return state ? UNIT_OK : UNIT_ERROR;
}

DECLARE(int, fmi2SerializeFMUstate, void *c, void *state, char bytes[], size_t size)
{
    const State *s = state;
    if (!s || size < s->size) return (int)unit_fail(c, UNIT_ERROR, "there is not enough room for the state");
    memcpy(bytes, s->bytes, s->size);
    return UNIT_OK;
}

DECLARE(int, fmi2DeSerializeFMUstate, void *c, const char bytes[], size_t size, void **state)
{
    State *s = malloc(sizeof *s + size);
    if (!s) return (int)unit_fail(c, UNIT_ERROR, "no memory for a state");
    s->size = size;
    memcpy(s->bytes, bytes, size);
    *state = s;
    return UNIT_OK;
}

DECLARE(int, fmi2GetDirectionalDerivative, void *c, const unsigned unknown[], size_t n,
        const unsigned known[], size_t m, const double seed[], double out[])
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_EVENT_MODE | MODE_CONTINUOUS | MODE_STEP, "fmi2GetDirectionalDerivative"))
        return UNIT_ERROR;
    return (int)unit_directional(u, unknown, n, known, m, seed, m, out, n);
}

/* ---- model exchange ---- */

DECLARE(int, fmi2EnterEventMode, void *c)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_CONTINUOUS | MODE_EVENT_MODE, "fmi2EnterEventMode")) return UNIT_ERROR;
    u->mode = MODE_EVENT_MODE;
    return UNIT_OK;
}

DECLARE(int, fmi2NewDiscreteStates, void *c, EventData *event)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_EVENT_MODE, "fmi2NewDiscreteStates")) return UNIT_ERROR;
    UnitStatus status = unit_update_discrete(u);
    double next = u->event.next_time;
    if (u->event.max_step > 0) next = fmin(next, u->t + u->event.max_step);
    *event = (EventData){ 0, u->is_terminated, u->event.y_changed, u->event.y_changed, isfinite(next), 0 };
    event->next_time = isfinite(next) ? next : 0;
    return (int)status;
}

DECLARE(int, fmi2EnterContinuousTimeMode, void *c)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_EVENT_MODE, "fmi2EnterContinuousTimeMode")) return UNIT_ERROR;
    u->mode = MODE_CONTINUOUS;
    return UNIT_OK;
}

DECLARE(int, fmi2CompletedIntegratorStep, void *c, int no_set_before, int *wants_event, int *wants_end)
{
    UnitInstance *u = c;
    (void)no_set_before;
    if (!unit_may(u, MODE_CONTINUOUS, "fmi2CompletedIntegratorStep")) return UNIT_ERROR;
    return (int)unit_completed(u, wants_event, wants_end);
}

DECLARE(int, fmi2SetTime, void *c, double t)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_EVENT_MODE | MODE_CONTINUOUS, "fmi2SetTime")) return UNIT_ERROR;
    return (int)unit_set_time(u, t);
}

DECLARE(int, fmi2SetContinuousStates, void *c, const double y[], size_t n)
{
    UnitInstance *u = c;
    if (!unit_may(u, MODE_CONTINUOUS | MODE_EVENT_MODE, "fmi2SetContinuousStates")) return UNIT_ERROR;
    return (int)unit_set_states(u, y, n);
}

DECLARE(int, fmi2GetDerivatives, void *c, double f[], size_t n)
{
    UnitInstance *u = c;
    if (!unit_may(u, ANY, "fmi2GetDerivatives")) return UNIT_ERROR;
    return (int)unit_derivatives(u, f, n);
}

DECLARE(int, fmi2GetEventIndicators, void *c, double g[], size_t n)
{
    UnitInstance *u = c;
    if (!unit_may(u, ANY, "fmi2GetEventIndicators")) return UNIT_ERROR;
    return (int)unit_indicators(u, g, n);
}

DECLARE(int, fmi2GetContinuousStates, void *c, double y[], size_t n)
{
    UnitInstance *u = c;
    if (!unit_may(u, ANY, "fmi2GetContinuousStates")) return UNIT_ERROR;
    if (n != unit_model.run->state_count)
        return (int)unit_fail(u, UNIT_ERROR, "there are not as many states");
    if (u->mode == MODE_INITIALIZATION && unit_prepare_get(u) != UNIT_OK) return UNIT_ERROR;
    if (n) memcpy(y, u->y, n * sizeof *y);
    return UNIT_OK;
}

DECLARE(int, fmi2GetNominalsOfContinuousStates, void *c, double nominal[], size_t n)
{
    UnitInstance *u = c;
    if (!unit_may(u, ANY, "fmi2GetNominalsOfContinuousStates")) return UNIT_ERROR;
    return (int)unit_nominals(u, nominal, n);
}

/* ---- co-simulation ---- */

DECLARE(int, fmi2SetRealInputDerivatives, void *c, const unsigned vr[], size_t n, const int order[],
        const double values[])
{
    (void)vr, (void)order, (void)values;
    return n ? (int)unit_fail(c, UNIT_ERROR, "inputs of this FMU are not interpolated") : UNIT_OK;
}

DECLARE(int, fmi2GetRealOutputDerivatives, void *c, const unsigned vr[], size_t n, const int order[],
        double values[])
{
    (void)vr, (void)order, (void)values;
    return n ? (int)unit_fail(c, UNIT_ERROR, "this FMU has no derivatives of outputs") : UNIT_OK;
}

DECLARE(int, fmi2DoStep, void *c, double t, double h, int no_set_before)
{
    UnitInstance *u = c;
    int event;
    (void)no_set_before;
    if (!unit_may(u, MODE_STEP, "fmi2DoStep")) return UNIT_ERROR;
    if (fabs(t - u->t) > 1e-9 * fmax(1, fabs(t)))
        return (int)unit_fail(u, UNIT_ERROR, "the communication point is %.17g, not %.17g", u->t, t);
    return (int)unit_step(u, t + h - u->t, &event);
}

DECLARE(int, fmi2CancelStep, void *c)
{
    return (int)unit_fail(c, UNIT_ERROR, "steps of this FMU do not run in the background");
}

enum { LAST_TIME = 2, TERMINATED = 3 };

DECLARE(int, fmi2GetStatus, void *c, int kind, int *value)
{
    (void)kind;
    *value = UNIT_OK;
    return (int)unit_fail(c, UNIT_DISCARD, "no step is pending");
}

DECLARE(int, fmi2GetRealStatus, void *c, int kind, double *value)
{
    const UnitInstance *u = c;
    *value = u->t;
    return kind == LAST_TIME ? UNIT_OK : UNIT_DISCARD;
}

DECLARE(int, fmi2GetIntegerStatus, void *c, int kind, int *value)
{
    (void)c, (void)kind;
    *value = 0;
    return UNIT_DISCARD;
}

DECLARE(int, fmi2GetBooleanStatus, void *c, int kind, int *value)
{
    const UnitInstance *u = c;
    *value = u->is_terminated;
    return kind == TERMINATED ? UNIT_OK : UNIT_DISCARD;
}

DECLARE(int, fmi2GetStringStatus, void *c, int kind, const char **value)
{
    (void)c, (void)kind;
    *value = "";
    return UNIT_DISCARD;
}
