/* fmi3.c: an FMU of version 3.0 for both kinds from a model file. */
#include "model.h"

typedef void (*Log)(void *, int, const char *, const char *);
typedef void (*Update)(void *, double, bool, bool, bool, bool, bool *, double *);
typedef struct {
    Data d;
    Log log;
    void *environment;
    bool event_mode;
    Update update;
} Fmu;

static void ask_inputs(void *environment, double t)
{
    Fmu *f = environment;
    bool early = false;
    double early_time = t;
    f->update(f->environment, t, true, false, false, false, &early, &early_time);
}

static void write_log(void *environment, const char *text)
{
    Fmu *f = environment;
    if (f->log) f->log(f->environment, ERROR, "error", text);
}
static Fmu *make(const char *token, const char *resources, void *environment, Log log)
{
    Fmu *f = strcmp(token, TOKEN) == 0 ? calloc(1, sizeof *f) : NULL;
    if (!f) return NULL;
    f->log = log;
    f->environment = environment;
    f->d.log = write_log;
    f->d.environment = f;
    snprintf(f->d.resources, sizeof f->d.resources, "%s", resources ? resources : "");
    start(&f->d);
    return f;
}
void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible,
                                   bool logging, void *environment, Log log)
{
    (void)name, (void)visible, (void)logging;
    return make(token, resources, environment, log);
}
void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                  bool logging, bool event_mode, bool early, const uint32_t *required,
                                  size_t n, void *environment, Log log, Update update)
{
    (void)name, (void)visible, (void)logging, (void)early, (void)required, (void)n;
    Fmu *f = make(token, resources, environment, log);
    if (!f) return NULL;
    f->event_mode = event_mode;
    f->update = update;
    if (update) f->d.ask = ask_inputs;
    return f;
}
void fmi3FreeInstance(Fmu *f) { free(f); }
int fmi3EnterInitializationMode(Fmu *f, bool has_tolerance, double tolerance, double t, bool has_stop,
                                double stop)
{
    if (fails(__func__)) return ERROR;
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    f->d.t = t;
    return evaluate(&f->d);
}
int fmi3ExitInitializationMode(Fmu *f)
{
    if (fails(__func__)) return ERROR;
    f->d.initialised = true;
    return evaluate(&f->d);
}
int fmi3Terminate(Fmu *f)
{
    if (fails(__func__)) return ERROR;
    return f ? OK : ERROR;
}
int fmi3EnterEventMode(Fmu *f)
{
    if (fails(__func__)) return ERROR;
    return f ? OK : ERROR;
}
int fmi3EnterContinuousTimeMode(Fmu *f)
{
    if (fails(__func__)) return ERROR;
    return f ? OK : ERROR;
}
int fmi3EnterStepMode(Fmu *f)
{
    if (fails(__func__)) return ERROR;
    return f ? OK : ERROR;
}
int fmi3SetTime(Fmu *f, double t)
{
    if (fails(__func__)) return ERROR;
    return f->d.t = t, OK;
}
int fmi3SetContinuousStates(Fmu *f, const double *x, size_t n)
{
    if (fails(__func__)) return ERROR;
    return memcpy(f->d.r + 1, x, n * sizeof *x), OK;
}
int fmi3GetContinuousStates(Fmu *f, double *x, size_t n)
{
    if (fails(__func__)) return ERROR;
    return memcpy(x, f->d.r + 1, n * sizeof *x), OK;
}
int fmi3GetContinuousStateDerivatives(Fmu *f, double *x, size_t n)
{
    if (fails(__func__)) return ERROR;
    int status = evaluate(&f->d);
    memcpy(x, f->d.r + 1 + STATES, n * sizeof *x);
    return status;
}
int fmi3GetEventIndicators(Fmu *f, double *g, size_t n)
{
    if (fails(__func__)) return ERROR;
    return (void)n, indicators(&f->d, g), OK;
}
int fmi3CompletedIntegratorStep(Fmu *f, bool no_set, bool *enter, bool *terminate)
{
    if (fails(__func__)) return ERROR;
    (void)f, (void)no_set;
    *enter = *terminate = false;
    return OK;
}
int fmi3UpdateDiscreteStates(Fmu *f, bool *again, bool *terminate, bool *nominals, bool *states,
                             bool *has_next, double *next)
{
    if (fails(__func__)) return ERROR;
    Change change = { 0 };
    event(&f->d, &change);
    *again = change.again;
    *terminate = change.terminate;
    *nominals = false;
    *states = change.states_changed;
    *has_next = isfinite(f->d.next);
    *next = f->d.next;
    return OK;
}
int fmi3GetFloat64(Fmu *f, const uint32_t *vr, size_t n, double *v, size_t m)
{
    if (fails(__func__)) return ERROR;
    int status = evaluate(&f->d);
    (void)m;
    for (size_t k = 0, at = 0; k < n; k++)
        for (size_t e = 0, size = ELEMENTS(vr[k]); e < size; e++) v[at++] = f->d.r[(vr[k] + e) % REALS];
    return status;
}
int fmi3SetFloat64(Fmu *f, const uint32_t *vr, size_t n, const double *v, size_t m)
{
    if (fails(__func__)) return ERROR;
    (void)m;
    for (size_t k = 0, at = 0; k < n; k++)
        for (size_t e = 0, size = ELEMENTS(vr[k]); e < size; e++) f->d.r[(vr[k] + e) % REALS] = v[at++];
    return OK;
}
/* Reals and integers of all widths are kept in the widest. */
#define ACCESS(Name, T, field, room)                                              \
    int fmi3Get##Name(Fmu *f, const uint32_t *vr, size_t n, T *v, size_t m)       \
    {                                                                             \
        int status = evaluate(&f->d);                                             \
        (void)m;                                                                  \
        for (size_t k = 0; k < n; k++) v[k] = (T)f->d.field[vr[k] % room];        \
        return status;                                                            \
    }                                                                             \
    int fmi3Set##Name(Fmu *f, const uint32_t *vr, size_t n, const T *v, size_t m) \
    {                                                                             \
        (void)m;                                                                  \
        for (size_t k = 0; k < n; k++) f->d.field[vr[k] % room] = v[k];           \
        return OK;                                                                \
    }
ACCESS(Float32, float, r, REALS)
ACCESS(Int8, int8_t, i, INTEGERS)
ACCESS(UInt8, uint8_t, i, INTEGERS)
ACCESS(Int16, int16_t, i, INTEGERS)
ACCESS(UInt16, uint16_t, i, INTEGERS)
ACCESS(Int32, int32_t, i, INTEGERS)
ACCESS(UInt32, uint32_t, i, INTEGERS)
ACCESS(Int64, int64_t, i, INTEGERS)
ACCESS(UInt64, uint64_t, i, INTEGERS)
ACCESS(Boolean, bool, b, INTEGERS)
int fmi3GetString(Fmu *f, const uint32_t *vr, size_t n, const char **v, size_t m)
{
    if (fails(__func__)) return ERROR;
    (void)m;
    for (size_t k = 0; k < n; k++) v[k] = vr[k] == 17 ? NULL : f->d.s[vr[k] % INTEGERS];
    return OK;
}
int fmi3SetString(Fmu *f, const uint32_t *vr, size_t n, const char *const *v, size_t m)
{
    if (fails(__func__)) return ERROR;
    (void)m;
    for (size_t k = 0; k < n; k++) snprintf(f->d.s[vr[k] % INTEGERS], LETTERS, "%s", v[k]);
    return OK;
}
int fmi3GetBinary(Fmu *f, const uint32_t *vr, size_t n, size_t *sizes, const uint8_t **v, size_t m)
{
    if (fails(__func__)) return ERROR;
    (void)m;
    for (size_t k = 0; k < n; k++) {
        sizes[k] = f->d.size[vr[k] % INTEGERS];
        v[k] = (const uint8_t *)f->d.s[vr[k] % INTEGERS];
    }
    return OK;
}
int fmi3SetBinary(Fmu *f, const uint32_t *vr, size_t n, const size_t *sizes, const uint8_t *const *v,
                  size_t m)
{
    if (fails(__func__)) return ERROR;
    (void)m;
    for (size_t k = 0; k < n; k++) {
        if (sizes[k] > LETTERS) return ERROR;
        f->d.size[vr[k] % INTEGERS] = sizes[k];
        memcpy(f->d.s[vr[k] % INTEGERS], v[k], sizes[k]);
    }
    return OK;
}
#ifdef HAS_CLOCKS
int fmi3GetClock(Fmu *f, const uint32_t *vr, size_t n, bool *v)
{
    if (fails(__func__)) return ERROR;
    for (size_t k = 0; k < n; k++) v[k] = f->d.b[vr[k] % INTEGERS];
    return OK;
}
int fmi3SetClock(Fmu *f, const uint32_t *vr, size_t n, const bool *v)
{
    if (fails(__func__)) return ERROR;
    for (size_t k = 0; k < n; k++) f->d.b[vr[k] % INTEGERS] = v[k];
    return OK;
}
int fmi3GetIntervalDecimal(Fmu *f, const uint32_t *vr, size_t n, double *v, int *qualifiers)
{
    if (fails(__func__)) return ERROR;
    for (size_t k = 0; k < n; k++) qualifiers[k] = interval(&f->d, vr[k], &v[k]);
    return OK;
}
#endif
int fmi3GetFMUState(Fmu *f, Data **state)
{
    if (fails(__func__)) return ERROR;
    if (!*state && !(*state = malloc(sizeof **state))) return ERROR;
    **state = f->d;
    return OK;
}
int fmi3SetFMUState(Fmu *f, const Data *state)
{
    if (fails(__func__)) return ERROR;
    return f->d = *state, OK;
}
int fmi3FreeFMUState(Fmu *f, Data **state)
{
    if (fails(__func__)) return ERROR;
    (void)f;
    free(*state);
    *state = NULL;
    return OK;
}
int fmi3SerializedFMUStateSize(Fmu *f, const Data *state, size_t *size)
{
    if (fails(__func__)) return ERROR;
    return (void)f, (void)state, *size = sizeof(Data), OK;
}
int fmi3SerializeFMUState(Fmu *f, const Data *state, uint8_t *bytes, size_t size)
{
    if (fails(__func__)) return ERROR;
    return (void)f, memcpy(bytes, state, size), OK;
}
int fmi3DeserializeFMUState(Fmu *f, const uint8_t *bytes, size_t size, Data **state)
{
    if (fails(__func__)) return ERROR;
    *state = malloc(sizeof **state);
    memcpy(*state, bytes, size);
    (*state)->environment = f; /* what belongs to this process */
    (*state)->log = f->d.log;
    (*state)->ask = f->d.ask;
    return OK;
}
int fmi3GetDirectionalDerivative(Fmu *f, const uint32_t *unknown, size_t n, const uint32_t *known, size_t m,
                                 const double *seed, size_t seeds, double *out, size_t outs)
{
    if (fails(__func__)) return ERROR;
    double column[8];
    (void)seeds;
    memset(out, 0, outs * sizeof *out);
    for (size_t j = 0; j < m; j++) {
        if (!directional(&f->d, (int)known[j] - 1, column)) return ERROR;
        for (size_t k = 0; k < n; k++) out[k] += column[unknown[k] - 1 - STATES] * seed[j];
    }
    return OK;
}
int fmi3DoStep(Fmu *f, double t, double h, bool no_set, bool *needs_event, bool *terminate, bool *early,
               double *last)
{
    if (fails(__func__)) return ERROR;
    (void)no_set;
    bool stops = f->event_mode && f->d.next < t + h - 1e-12;
    int status = integrate(&f->d, stops ? f->d.next : t + h, f->event_mode, terminate);
    *needs_event = f->event_mode && f->d.next <= f->d.t + 1e-12;
    *early = stops;
    *last = f->d.t;
    return status;
}
