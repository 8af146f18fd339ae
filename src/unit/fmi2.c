/* fmi2.c: the functions of FMI 2.0 over a Unit, besides those that it shares with FMI 3.0 (fmi.h).
 * Types are written down from the standard, as the parts of it that an FMU must have. Tests:
 * tests/cli/export.sh. */
#include <stddef.h>

#define FMI_VERSION "2.0"
#define FMI_NAME(name) FMI_NAME_2(name)
#define FMI_NAME_2(name) fmi2##name
#define FMI_TEXT(name) FMI_TEXT_2(name)
#define FMI_TEXT_2(name) "fmi2" #name
#define FMI_STATE(before, after) fmi2##before##FMUstate##after
#define FMI_DESERIALIZE fmi2DeSerializeFMUstate
#define FMI_DERIVATIVES GetDerivatives
typedef int Flag;
typedef char Byte;

#include "unit/fmi.h"

VALUES(integer, int, 1u << UNIT_INTEGER | 1u << UNIT_ENUMERATION, (int)value, value)
VALUES(boolean, int, 1u << UNIT_BOOLEAN, value != 0, value != 0)

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

static void tell(UnitInstance *u, UnitStatus status, const char *category, const char *text)
{
    const Callbacks *c = u->logger;
    if (c && c->logger) c->logger(u->environment, u->name ? u->name : "", (int)status, category, "%s", text);
}

DECLARE(const char *, fmi2GetTypesPlatform, void) { return "default"; }
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

/* ---- variables: each is one value ------------------------------------------------------------ */

#define ACCESS(name, c_type, type)                                                             \
    DECLARE(int, fmi2Get##name, void *c, const unsigned vr[], size_t n, c_type values[])       \
    {                                                                                          \
        return get(c, vr, n, values, n, &type##_values, "fmi2Get" #name);                      \
    }                                                                                          \
    DECLARE(int, fmi2Set##name, void *c, const unsigned vr[], size_t n, const c_type values[]) \
    {                                                                                          \
        return set(c, vr, n, values, n, &type##_values, "fmi2Set" #name);                      \
    }

ACCESS(Real, double, real)
ACCESS(Integer, int, integer)
ACCESS(Boolean, int, boolean)

DECLARE(int, fmi2GetString, void *c, const unsigned vr[], size_t n, const char *values[])
{
    return get(c, vr, n, (void *)values, n, &string_values, "fmi2GetString");
}

DECLARE(int, fmi2SetString, void *c, const unsigned vr[], size_t n, const char *const values[])
{
    return set(c, vr, n, (const void *)values, n, &string_values, "fmi2SetString");
}

DECLARE(int, fmi2GetDirectionalDerivative, void *c, const unsigned unknown[], size_t n,
        const unsigned known[], size_t m, const double seed[], double out[])
{
    UnitInstance *u = c;
    if (!unit_may(u, DERIVES, "fmi2GetDirectionalDerivative")) return UNIT_ERROR;
    return (int)unit_directional(u, unknown, n, known, m, seed, m, out, n);
}

/* ---- model exchange -------------------------------------------------------------------------- */

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
    double next = next_due(u);
    *event = (EventData){ 0, u->is_terminated, u->event.y_changed, u->event.y_changed, isfinite(next), 0 };
    event->next_time = isfinite(next) ? next : 0;
    return (int)status;
}

/* ---- co-simulation --------------------------------------------------------------------------- */

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
    int event;
    (void)no_set_before;
    return (int)do_step(c, t, h, "fmi2DoStep", &event);
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
