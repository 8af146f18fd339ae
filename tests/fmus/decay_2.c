/* decay_2.c: an FMU of version 2.0 for both kinds: x' = -k x + u, y = 2 x, and a counter of whole seconds. Written for the
 * tests; the functions are declared as the standard says. References: 1 x, 2 der(x), 3 k, 4 u, 5 y, 6 count. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double t, x, k, u;
    int count;
} Decay;

typedef struct {
    int new_states_needed, terminate, nominals_changed, states_changed, next_time_defined;
    double next_time;
} Event;

void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *resources,
                      const void *callbacks, int visible, int logging)
{
    (void)name, (void)kind, (void)resources, (void)callbacks, (void)visible, (void)logging;
    Decay *d = strcmp(guid, "{decay}") == 0 ? calloc(1, sizeof *d) : NULL;
    if (d) d->x = d->k = 1;
    return d;
}
void fmi2FreeInstance(void *c) { free(c); }
int fmi2SetupExperiment(void *c, int has_tolerance, double tolerance, double start, int has_stop, double stop)
{
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((Decay *)c)->t = start;
    return 0;
}
int fmi2EnterInitializationMode(void *c) { return !c; }
int fmi2ExitInitializationMode(void *c) { return !c; }
int fmi2Terminate(void *c) { return !c; }
static double *real_of(Decay *d, unsigned vr)
{
    return vr == 1 ? &d->x : vr == 3 ? &d->k : vr == 4 ? &d->u : NULL;
}
static double slope(const Decay *d) { return -d->k * d->x + d->u; }
int fmi2GetReal(void *c, const unsigned *vr, size_t n, double *values)
{
    Decay *d = c;
    for (size_t i = 0; i < n; i++)
        if (vr[i] == 2 || vr[i] == 5)
            values[i] = vr[i] == 2 ? slope(d) : 2 * d->x;
        else if (real_of(d, vr[i]))
            values[i] = *real_of(d, vr[i]);
        else
            return 3;
    return 0;
}
int fmi2SetReal(void *c, const unsigned *vr, size_t n, const double *values)
{
    for (size_t i = 0; i < n; i++) {
        if (!real_of(c, vr[i])) return 3;
        *real_of(c, vr[i]) = values[i];
    }
    return 0;
}
int fmi2GetInteger(void *c, const unsigned *vr, size_t n, int *values)
{
    for (size_t i = 0; i < n; i++) values[i] = vr[i] == 6 ? ((Decay *)c)->count : 0;
    return 0;
}
int fmi2SetTime(void *c, double t) { return ((Decay *)c)->t = t, 0; }
int fmi2SetContinuousStates(void *c, const double *x, size_t n)
{
    return n == 1 ? (((Decay *)c)->x = x[0], 0) : 3;
}
int fmi2GetContinuousStates(void *c, double *x, size_t n) { return n == 1 ? (x[0] = ((Decay *)c)->x, 0) : 3; }
int fmi2GetDerivatives(void *c, double *f, size_t n) { return n == 1 ? (f[0] = slope(c), 0) : 3; }
int fmi2GetNominalsOfContinuousStates(void *c, double *x, size_t n)
{
    return n == 1 && c ? (x[0] = 1, 0) : 3;
}
int fmi2EnterEventMode(void *c) { return !c; }
int fmi2EnterContinuousTimeMode(void *c) { return !c; }
int fmi2NewDiscreteStates(void *c, Event *event)
{
    Decay *d = c;
    *event = (Event){ .next_time_defined = 1 };
    if (d->t >= d->count + 1) d->count++;
    event->next_time = d->count + 1;
    return 0;
}
int fmi2CompletedIntegratorStep(void *c, int no_set, int *enter, int *terminate)
{
    (void)c, (void)no_set;
    *enter = *terminate = 0;
    return 0;
}
int fmi2GetDirectionalDerivative(void *c, const unsigned *unknown, size_t n, const unsigned *known, size_t m,
                                 const double *seed, double *out)
{
    if (n != 1 || m != 1 || unknown[0] != 2 || known[0] != 1) return 3;
    out[0] = -((Decay *)c)->k * seed[0];
    return 0;
}
int fmi2DoStep(void *c, double t, double h, int no_set)
{
    Decay *d = c;
    double still = d->u / d->k;
    (void)no_set;
    d->x = still + (d->x - still) * exp(-d->k * h);
    d->t = t + h;
    d->count = (int)(d->t + 1e-9);
    return 0;
}
