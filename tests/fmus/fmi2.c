/* fmi2.c: an FMU of version 2.0 for both kinds from a model file. Functions are declared as the
 * standard says. */
#include "model.h"

typedef struct {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} Callbacks;
typedef struct {
    Data d;
    const Callbacks *callbacks;
    bool ended;
    double last;
    int asks; /* until an asynchronous step has ended */
} Fmu;
typedef struct {
    int again, terminate, nominals, states, has_next;
    double next;
} Event;

static void write_log(void *environment, const char *text)
{
    Fmu *f = environment;
    f->callbacks->logger(f->callbacks->environment, "fmu", ERROR, "error", "%s", text);
}
void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *resources,
                      const Callbacks *callbacks, int visible, int logging)
{
    (void)name, (void)kind, (void)visible, (void)logging;
    if (strcmp(guid, TOKEN) != 0) {
        callbacks->logger(callbacks->environment, "fmu", ERROR, "error", "the guid should be %s", TOKEN);
        return NULL;
    }
    Fmu *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->callbacks = callbacks;
    f->d.log = write_log;
    f->d.environment = f;
    snprintf(f->d.resources, sizeof f->d.resources, "%s", resources ? resources : "");
    start(&f->d);
    return f;
}
void fmi2FreeInstance(Fmu *f) { free(f); }
int fmi2SetupExperiment(Fmu *f, int has_tolerance, double tolerance, double t, int has_stop, double stop)
{
    if (fails(__func__)) return ERROR;
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    f->d.t = t;
    return OK;
}
int fmi2EnterInitializationMode(Fmu *f)
{
    if (fails(__func__)) return ERROR;
    return evaluate(&f->d);
}
int fmi2ExitInitializationMode(Fmu *f)
{
    if (fails(__func__)) return ERROR;
    f->d.initialised = true;
    return evaluate(&f->d);
}
int fmi2Terminate(Fmu *f)
{
    if (fails(__func__)) return ERROR;
    return f ? OK : ERROR;
}
int fmi2Reset(Fmu *f)
{
    if (fails(__func__)) return ERROR;
    Data kept = f->d;
    memset(&f->d, 0, sizeof f->d);
    f->d.log = kept.log;
    f->d.environment = kept.environment;
    memcpy(f->d.resources, kept.resources, sizeof kept.resources);
    start(&f->d);
    return OK;
}
int fmi2GetReal(Fmu *f, const unsigned *vr, size_t n, double *v)
{
    if (fails(__func__)) return ERROR;
    int status = evaluate(&f->d);
    for (size_t k = 0; k < n; k++) v[k] = vr[k] < REALS ? f->d.r[vr[k]] : NAN;
    return status;
}
int fmi2SetReal(Fmu *f, const unsigned *vr, size_t n, const double *v)
{
    if (fails(__func__)) return ERROR;
    for (size_t k = 0; k < n; k++) f->d.r[vr[k] % REALS] = v[k];
    return OK;
}
int fmi2GetInteger(Fmu *f, const unsigned *vr, size_t n, int *v)
{
    if (fails(__func__)) return ERROR;
    int status = evaluate(&f->d);
    for (size_t k = 0; k < n; k++) v[k] = (int)f->d.i[vr[k] % INTEGERS];
    return status;
}
int fmi2SetInteger(Fmu *f, const unsigned *vr, size_t n, const int *v)
{
    if (fails(__func__)) return ERROR;
    for (size_t k = 0; k < n; k++) f->d.i[vr[k] % INTEGERS] = v[k];
    return OK;
}
int fmi2GetBoolean(Fmu *f, const unsigned *vr, size_t n, int *v)
{
    if (fails(__func__)) return ERROR;
    for (size_t k = 0; k < n; k++) v[k] = f->d.b[vr[k] % INTEGERS];
    return OK;
}
int fmi2SetBoolean(Fmu *f, const unsigned *vr, size_t n, const int *v)
{
    if (fails(__func__)) return ERROR;
    for (size_t k = 0; k < n; k++) f->d.b[vr[k] % INTEGERS] = v[k] != 0;
    return OK;
}
int fmi2GetString(Fmu *f, const unsigned *vr, size_t n, const char **v)
{
    if (fails(__func__)) return ERROR;
    for (size_t k = 0; k < n; k++) v[k] = vr[k] == 17 ? NULL : f->d.s[vr[k] % INTEGERS];
    return OK;
}
int fmi2SetString(Fmu *f, const unsigned *vr, size_t n, const char *const *v)
{
    if (fails(__func__)) return ERROR;
    for (size_t k = 0; k < n; k++) snprintf(f->d.s[vr[k] % INTEGERS], LETTERS, "%s", v[k]);
    return OK;
}
#ifndef NO_STATE
int fmi2GetFMUstate(Fmu *f, Data **state)
{
    if (fails(__func__)) return ERROR;
    if (!*state && !(*state = malloc(sizeof **state))) return ERROR;
    **state = f->d;
    return OK;
}
int fmi2SetFMUstate(Fmu *f, const Data *state)
{
    if (fails(__func__)) return ERROR;
    return f->d = *state, OK;
}
int fmi2FreeFMUstate(Fmu *f, Data **state)
{
    if (fails(__func__)) return ERROR;
    (void)f;
    free(*state);
    *state = NULL;
    return OK;
}
#endif
int fmi2SetRealInputDerivatives(Fmu *f, const unsigned *vr, size_t n, const int *order, const double *v)
{
    if (fails(__func__)) return ERROR;
    for (size_t k = 0; k < n; k++)
        if (order[k] == 1) set_slope(&f->d, vr[k], v[k]);
    return OK;
}
int fmi2SetTime(Fmu *f, double t)
{
    if (fails(__func__)) return ERROR;
    return f->d.t = t, OK;
}
int fmi2SetContinuousStates(Fmu *f, const double *x, size_t n)
{
    if (fails(__func__)) return ERROR;
    if (n != STATES) return ERROR;
    memcpy(f->d.r + 1, x, n * sizeof *x);
    return OK;
}
int fmi2GetContinuousStates(Fmu *f, double *x, size_t n)
{
    if (fails(__func__)) return ERROR;
    if (n != STATES) return ERROR;
    memcpy(x, f->d.r + 1, n * sizeof *x);
    return OK;
}
int fmi2GetNominalsOfContinuousStates(Fmu *f, double *x, size_t n)
{
    if (fails(__func__)) return ERROR;
    (void)f;
    for (size_t k = 0; k < n; k++) x[k] = NOMINAL;
    return OK;
}
int fmi2GetDerivatives(Fmu *f, double *x, size_t n)
{
    if (fails(__func__)) return ERROR;
    int status = evaluate(&f->d);
    if (n != STATES) return ERROR;
    memcpy(x, f->d.r + 1 + STATES, n * sizeof *x);
    return status;
}
int fmi2GetEventIndicators(Fmu *f, double *g, size_t n)
{
    if (fails(__func__)) return ERROR;
    indicators(&f->d, g);
    return n == INDICATORS ? OK : ERROR;
}
int fmi2EnterEventMode(Fmu *f)
{
    if (fails(__func__)) return ERROR;
    return f ? OK : ERROR;
}
int fmi2EnterContinuousTimeMode(Fmu *f)
{
    if (fails(__func__)) return ERROR;
    return f ? OK : ERROR;
}
int fmi2NewDiscreteStates(Fmu *f, Event *e)
{
    if (fails(__func__)) return ERROR;
    Change change = { 0 };
    event(&f->d, &change);
    *e = (Event){ change.again, change.terminate, 0, change.states_changed, isfinite(f->d.next), f->d.next };
    return OK;
}
int fmi2CompletedIntegratorStep(Fmu *f, int no_set, int *enter, int *terminate)
{
    if (fails(__func__)) return ERROR;
    (void)f, (void)no_set;
    *enter = *terminate = 0;
    return OK;
}
int fmi2GetDirectionalDerivative(Fmu *f, const unsigned *unknown, size_t n, const unsigned *known, size_t m,
                                 const double *seed, double *out)
{
    if (fails(__func__)) return ERROR;
    double column[8];
    memset(out, 0, n * sizeof *out);
    for (size_t j = 0; j < m; j++) {
        if (!directional(&f->d, (int)known[j] - 1, column)) return ERROR;
        for (size_t k = 0; k < n; k++) out[k] += column[unknown[k] - 1 - STATES] * seed[j];
    }
    return OK;
}
int fmi2DoStep(Fmu *f, double t, double h, int no_set)
{
    if (fails(__func__)) return ERROR;
    (void)no_set;
    f->last = f->d.t;
    if (WHAT(&f->d) == 8 && h > 0.0101) return f->d.r[1] = 999, DISCARD;
    int status = integrate(&f->d, t + h, false, &f->ended);
    if (status == OK) f->last = f->d.t;
    if (WHAT(&f->d) == 9 && status == OK) return f->asks = 3, PENDING;
    return f->ended ? DISCARD : status;
}
int fmi2GetStatus(Fmu *f, int kind, int *value)
{
    if (fails(__func__)) return ERROR;
    return (void)kind, *value = --f->asks > 0 ? PENDING : OK, OK;
}
int fmi2GetRealStatus(Fmu *f, int kind, double *value)
{
    if (fails(__func__)) return ERROR;
    return kind == 2 ? (*value = f->last, OK) : DISCARD;
}
int fmi2GetBooleanStatus(Fmu *f, int kind, int *value)
{
    if (fails(__func__)) return ERROR;
    return kind == 3 ? (*value = f->ended, OK) : DISCARD;
}
