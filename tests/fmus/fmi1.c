/* fmi1.c: an FMU of version 1.0 from a model file: for co-simulation if CS is defined, else for
 * model exchange. */
#include "model.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(f) JOIN(FMU_ID, f)

typedef void (*Logger)(void *, const char *, int, const char *, const char *, ...);
typedef struct {
    Logger logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
#ifdef CS
    void (*finished)(void *, int);
#endif
} Callbacks;
typedef struct {
    Data d;
    Callbacks callbacks;
    double last;
    bool ended, is_updated; /* by an event update */
} Fmu;

static void write_log(void *environment, const char *text)
{
    Fmu *f = environment;
    f->callbacks.logger(f, "fmu", ERROR, "error", "%s", text);
}
static Fmu *make(const char *guid, Callbacks callbacks, const char *resources)
{
    Fmu *f = strcmp(guid, TOKEN) == 0 ? calloc(1, sizeof *f) : NULL;
    if (!f) return NULL;
    f->callbacks = callbacks;
    f->d.log = write_log;
    f->d.environment = f;
    snprintf(f->d.resources, sizeof f->d.resources, "%s", resources);
    start(&f->d);
    return f;
}
int NAME(fmiGetReal)(Fmu *f, const unsigned *vr, size_t n, double *v)
{
    int status = evaluate(&f->d);
    for (size_t k = 0; k < n; k++) v[k] = f->d.r[vr[k] % REALS];
    return status;
}
int NAME(fmiSetReal)(Fmu *f, const unsigned *vr, size_t n, const double *v)
{
    for (size_t k = 0; k < n; k++) f->d.r[vr[k] % REALS] = v[k];
    return OK;
}
int NAME(fmiGetInteger)(Fmu *f, const unsigned *vr, size_t n, int *v)
{
    int status = evaluate(&f->d);
    for (size_t k = 0; k < n; k++) v[k] = (int)f->d.i[vr[k] % INTEGERS];
    return status;
}
int NAME(fmiSetInteger)(Fmu *f, const unsigned *vr, size_t n, const int *v)
{
    for (size_t k = 0; k < n; k++) f->d.i[vr[k] % INTEGERS] = v[k];
    return OK;
}
int NAME(fmiGetBoolean)(Fmu *f, const unsigned *vr, size_t n, char *v)
{
    for (size_t k = 0; k < n; k++) v[k] = (char)f->d.b[vr[k] % INTEGERS];
    return OK;
}
int NAME(fmiSetBoolean)(Fmu *f, const unsigned *vr, size_t n, const char *v)
{
    for (size_t k = 0; k < n; k++) f->d.b[vr[k] % INTEGERS] = v[k] != 0;
    return OK;
}
int NAME(fmiGetString)(Fmu *f, const unsigned *vr, size_t n, const char **v)
{
    for (size_t k = 0; k < n; k++) v[k] = vr[k] == 17 ? NULL : f->d.s[vr[k] % INTEGERS];
    return OK;
}
int NAME(fmiSetString)(Fmu *f, const unsigned *vr, size_t n, const char *const *v)
{
    for (size_t k = 0; k < n; k++) snprintf(f->d.s[vr[k] % INTEGERS], LETTERS, "%s", v[k]);
    return OK;
}
#ifdef CS
int NAME(fmiSetRealInputDerivatives)(Fmu *f, const unsigned *vr, size_t n, const int *order, const double *v)
{
    for (size_t k = 0; k < n; k++)
        if (order[k] == 1) set_slope(&f->d, vr[k], v[k]);
    return OK;
}
void *NAME(fmiInstantiateSlave)(const char *name, const char *guid, const char *location, const char *mime,
                                double timeout, char visible, char interactive, Callbacks callbacks,
                                char logging)
{
    (void)name, (void)mime, (void)timeout, (void)visible, (void)interactive, (void)logging;
    return make(guid, callbacks, location);
}
int NAME(fmiInitializeSlave)(Fmu *f, double t, char has_stop, double stop)
{
    (void)has_stop, (void)stop;
    f->d.t = t;
    f->d.initialised = true;
    return evaluate(&f->d);
}
int NAME(fmiTerminateSlave)(Fmu *f) { return f ? OK : ERROR; }
void NAME(fmiFreeSlaveInstance)(Fmu *f) { free(f); }
int NAME(fmiDoStep)(Fmu *f, double t, double h, char new_step)
{
    (void)new_step;
    f->last = f->d.t;
    int status = integrate(&f->d, t + h, false, &f->ended);
    if (status == OK) f->last = f->d.t;
    return f->ended ? DISCARD : status;
}
int NAME(fmiGetRealStatus)(Fmu *f, int kind, double *value)
{
    return kind == 2 ? (*value = f->last, OK) : DISCARD;
}
#else
typedef struct {
    char converged, references, values, terminate, has_next;
    double next;
} Event;
void *NAME(fmiInstantiateModel)(const char *name, const char *guid, Callbacks callbacks, char logging)
{
    (void)name, (void)logging;
    return make(guid, callbacks, "");
}
void NAME(fmiFreeModelInstance)(Fmu *f) { free(f); }
int NAME(fmiTerminate)(Fmu *f) { return f ? OK : ERROR; }
int NAME(fmiSetTime)(Fmu *f, double t) { return f->d.t = t, OK; }
int NAME(fmiEventUpdate)(Fmu *f, char intermediate, Event *e)
{
    Change change = { 0 };
    (void)intermediate;
    event(&f->d, &change);
    f->is_updated = true;
    *e = (Event){ !change.again, 0, change.states_changed, change.terminate, isfinite(f->d.next), f->d.next };
    return OK;
}
int NAME(fmiInitialize)(Fmu *f, char has_tolerance, double tolerance, Event *e)
{
    (void)has_tolerance, (void)tolerance;
    f->d.initialised = true;
    int status = evaluate(&f->d);
    NAME(fmiEventUpdate)(f, 0, e);
#ifdef IS_WILD
    e->converged = f->is_updated = false;
    if (isnan(f->d.t)) return ERROR;
#endif
    return status;
}
int NAME(fmiSetContinuousStates)(Fmu *f, const double *x, size_t n)
{
    return memcpy(f->d.r + 1, x, n * sizeof *x), OK;
}
int NAME(fmiGetContinuousStates)(Fmu *f, double *x, size_t n)
{
    return memcpy(x, f->d.r + 1, n * sizeof *x), OK;
}
int NAME(fmiGetNominalContinuousStates)(Fmu *f, double *x, size_t n)
{
    (void)f;
    for (size_t k = 0; k < n; k++) x[k] = NOMINAL;
    return OK;
}
int NAME(fmiGetDerivatives)(Fmu *f, double *x, size_t n)
{
    int status = evaluate(&f->d);
    memcpy(x, f->d.r + 1 + STATES, n * sizeof *x);
    return f->is_updated ? status : ERROR;
}
int NAME(fmiGetEventIndicators)(Fmu *f, double *g, size_t n) { return (void)n, indicators(&f->d, g), OK; }
int NAME(fmiCompletedIntegratorStep)(Fmu *f, char *update) { return (void)f, *update = 0, OK; }
#endif
