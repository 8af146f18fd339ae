/* Several instances of one FMU for co-simulation, in several threads at the same time, are the same
 * as one after the other: an FMU has no state of its own. Arguments: the binary, the GUID, the
 * value reference of a parameter and of an output, both Real. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 8, STEPS = 200 };

typedef struct {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} Callbacks;

static void *library;
static const char *guid;
static unsigned parameter, output;

static void log_nothing(void *e, const char *name, int status, const char *category, const char *text, ...)
{
    (void)e, (void)name, (void)status, (void)category, (void)text;
}

#define FUNCTION(type, name, ...)     \
    type (*name)(__VA_ARGS__) = NULL; \
    *(void **)(&name) = dlsym(library, #name)

typedef struct {
    double value; /* of the parameter */
    double trajectory[STEPS];
    int failed;
} Run;

static void *run(void *arg)
{
    Run *r = arg;
    Callbacks callbacks = { log_nothing, calloc, free, NULL, NULL };
    FUNCTION(void *, fmi2Instantiate, const char *, int, const char *, const char *, const Callbacks *, int,
             int);
    FUNCTION(int, fmi2SetReal, void *, const unsigned *, size_t, const double *);
    FUNCTION(int, fmi2GetReal, void *, const unsigned *, size_t, double *);
    FUNCTION(int, fmi2SetupExperiment, void *, int, double, double, int, double);
    FUNCTION(int, fmi2EnterInitializationMode, void *);
    FUNCTION(int, fmi2ExitInitializationMode, void *);
    FUNCTION(int, fmi2DoStep, void *, double, double, int);
    FUNCTION(void, fmi2FreeInstance, void *);
    void *c = fmi2Instantiate("one of several", 1, guid, "file:///nowhere", &callbacks, 0, 0);
    r->failed = !c || fmi2SetReal(c, &parameter, 1, &r->value) || fmi2SetupExperiment(c, 0, 0, 0, 0, 0) ||
                fmi2EnterInitializationMode(c) || fmi2ExitInitializationMode(c);
    for (int k = 0; k < STEPS && !r->failed; k++)
        r->failed = fmi2DoStep(c, 0.01 * k, 0.01, 1) || fmi2GetReal(c, &output, 1, &r->trajectory[k]);
    if (c) fmi2FreeInstance(c);
    return NULL;
}

int main(int n, char **arguments)
{
    static Run alone[INSTANCES], together[INSTANCES];
    pthread_t threads[INSTANCES];
    int wrong = 0;
    if (n < 5 || !(library = dlopen(arguments[1], RTLD_NOW))) return 2;
    guid = arguments[2];
    parameter = (unsigned)atoi(arguments[3]), output = (unsigned)atoi(arguments[4]);
    for (int k = 0; k < INSTANCES; k++) {
        alone[k].value = together[k].value = 1 + 0.25 * k;
        run(&alone[k]);
    }
    for (int k = 0; k < INSTANCES; k++) pthread_create(&threads[k], NULL, run, &together[k]);
    for (int k = 0; k < INSTANCES; k++) pthread_join(threads[k], NULL);
    for (int k = 0; k < INSTANCES; k++)
        wrong += alone[k].failed || together[k].failed ||
                 memcmp(alone[k].trajectory, together[k].trajectory, sizeof alone[k].trajectory) != 0 ||
                 (k && alone[k].trajectory[STEPS - 1] == alone[0].trajectory[STEPS - 1]);
    printf("%d instances, %d wrong\n", INSTANCES, wrong);
    return wrong != 0;
}
