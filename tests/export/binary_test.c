/* The functions of an exported binary, called as an importer calls them: derivatives forward and
 * backward agree with each other and with differences; a state restores everything, in another
 * instance too; wrong calls are refused and leave no trace; instances in several threads give the
 * same. */
#include "test.h"

#include "acausal.h"
#include "base/base.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zip.h>

static const char model[] =
    "model M\n  parameter Real k = 2;\n  input Real u(start = 0.5);\n  output Real y;\n"
    "  Real x(start = 1, fixed = true), z(start = 0.5), v(start = 0.3, fixed = true);\n  Integer n(start = "
    "0, fixed = true);\n  Boolean high;\n"
    "equation\n  der(x) = -k*x*v + u;\n  der(v) = z - v^3;\n  z^3 + z*k = x + 0.1*time;\n  y = x*z + "
    "sin(u);\n"
    "  high = x*v > -5;\n  when sample(0.1, 0.1) then\n    n = pre(n) + 1;\n  end when;\nend M;\n";

typedef void *(*Instantiate)(const char *name, const char *token, const char *resources, bool visible,
                             bool logging, void *environment,
                             void (*logger)(void *, int, const char *, const char *));
typedef void *(*Slave)(const char *name, const char *token, const char *resources, bool visible, bool logging,
                       bool events, bool early, const unsigned *required, size_t n, void *environment,
                       void (*logger)(void *, int, const char *, const char *), void (*intermediate)(void));
typedef int (*Enter)(void *c, bool has_tolerance, double tolerance, double start, bool has_stop, double stop);
typedef int (*Plain)(void *c);
typedef void (*Release)(void *c);
typedef int (*Get)(void *c, const unsigned *vr, size_t n, double *values, size_t count);
typedef int (*Set)(void *c, const unsigned *vr, size_t n, const double *values, size_t count);
typedef int (*SetStates)(void *c, const double *y, size_t n);
typedef int (*Update)(void *c, bool *needed, bool *terminate, bool *nominals, bool *states, bool *has_next,
                      double *next);
typedef int (*Derive)(void *c, const unsigned *unknowns, size_t n, const unsigned *knowns, size_t m,
                      const double *seed, size_t seeds, double *out, size_t outs);
typedef int (*Step)(void *c, double t, double h, bool no_set, bool *event, bool *terminate, bool *early,
                    double *last);
typedef int (*SaveState)(void *c, void **state);
typedef int (*RestoreState)(void *c, void *state);
typedef int (*StateSize)(void *c, void *state, size_t *size);
typedef int (*Serialize)(void *c, void *state, uint8_t *bytes, size_t size);
typedef int (*Deserialize)(void *c, const uint8_t *bytes, size_t size, void **state);

typedef struct {
    void *library;
    char token[64];
    unsigned k, u, y, x, v, dx, dv, g;
} Binary;

/* The function of a name; the test ends without it. */
static void *function(const Binary *b, const char *name)
{
    void *found = dlsym(b->library, name);
    if (!CHECK_ROW(found, name)) exit(test_end());
    return found;
}

#define CALL(b, type, name, ...) (*(type *)&(void *){ function((b), (name)) })(__VA_ARGS__)

static char *read_entry(zip_t *zip, const char *name, size_t *n)
{
    zip_stat_t info;
    if (zip_stat(zip, name, 0, &info)) return NULL;
    char *at = calloc(1, (size_t)info.size + 1);
    zip_file_t *file = zip_fopen(zip, name, 0);
    *n = (size_t)zip_fread(file, at, info.size);
    zip_fclose(file);
    return at;
}

static unsigned reference(const char *xml, const char *name)
{
    char text[80];
    snprintf(text, sizeof text, " name=\"%s\" valueReference=\"", name);
    const char *at = strstr(xml, text);
    return CHECK_ROW(at, name) ? (unsigned)atoi(at + strlen(text)) : 0;
}

static bool open_binary(const char *directory, Binary *b)
{
    char path[300], source[300], target[300];
    AcausalSession *session = acausal_session_new();
    AcausalExport options = acausal_export_options();
    AcausalExportReport report = { .size = sizeof report };
    size_t n;
    options.fmi = 3;
    snprintf(source, sizeof source, "%s/M.mo", directory);
    snprintf(path, sizeof path, "%s/M.fmu", directory);
    snprintf(target, sizeof target, "%s/M.so", directory);
    FILE *file = fopen(source, "w");
    fputs(model, file);
    fclose(file);
    AcausalStatus status = acausal_export(session, source, NULL, path, &options, &report);
    if (!CHECK_ROW(status == ACAUSAL_DONE, acausal_first_error(session))) return false;
    acausal_session_free(session);
    zip_t *zip = zip_open(path, ZIP_RDONLY, NULL);
    char *xml = read_entry(zip, "modelDescription.xml", &n), *so = NULL;
    sscanf(strstr(xml, "instantiationToken=\"") + 20, "%63[^\"]", b->token);
    b->k = reference(xml, "k"), b->u = reference(xml, "u"), b->y = reference(xml, "y"),
    b->x = reference(xml, "x");
    b->g = (unsigned)atoi(strstr(xml, "<EventIndicator valueReference=\"") + 32);
    b->v = reference(xml, "v"), b->dx = reference(xml, "der(x)"), b->dv = reference(xml, "der(v)");
    for (zip_int64_t k = 0; k < zip_get_num_entries(zip, 0) && !so; k++)
        if (!strncmp(zip_get_name(zip, (zip_uint64_t)k, 0), "binaries/", 9))
            so = read_entry(zip, zip_get_name(zip, (zip_uint64_t)k, 0), &n);
    zip_close(zip);
    file = fopen(target, "wb");
    fwrite(so, 1, n, file);
    fclose(file);
    free(so);
    free(xml);
    b->library = dlopen(target, RTLD_NOW | RTLD_LOCAL);
    return CHECK(b->library);
}

static int messages;

static void listen(void *environment, int status, const char *category, const char *text)
{
    (void)environment, (void)status, (void)category;
    messages += text[0] != 0;
}

/* An instance for model exchange in continuous-time mode. */
static void *start(const Binary *b)
{
    bool flags[5];
    double next;
    void *c = CALL(b, Instantiate, "fmi3InstantiateModelExchange", "one", b->token, NULL, false, false, NULL,
                   listen);
    CHECK(c && CALL(b, Enter, "fmi3EnterInitializationMode", c, false, 0, 0, false, 0) == 0);
    CHECK(CALL(b, Plain, "fmi3ExitInitializationMode", c) == 0);
    CHECK(CALL(b, Update, "fmi3UpdateDiscreteStates", c, &flags[0], &flags[1], &flags[2], &flags[3],
               &flags[4], &next) == 0);
    CHECK(flags[4] && fabs(next - 0.1) < 1e-12);
    CHECK(CALL(b, Plain, "fmi3EnterContinuousTimeMode", c) == 0);
    return c;
}

/* Directions of states and inputs are straight code at first, along states products with entries
 * then; with a parameter among the knowns they run over the tape. All are the same, whatever was
 * asked before. */
static void test_straight(const Binary *b, void *c, const double *y, double forward[4][3])
{
    const unsigned unknowns[] = { b->dx, b->dv, b->y }, knowns[] = { b->x, b->v, b->u };
    const double u = 0.5;
    for (int mask = 1; mask < 8; mask++) { /* of unknowns */
        unsigned some[3];
        size_t n = 0;
        CALL(b, SetStates, "fmi3SetContinuousStates", c, y, (size_t)2);
        CHECK(CALL(b, Set, "fmi3SetFloat64", c, &b->u, 1, &u, 1) == 0);
        for (int i = 0; i < 3; i++)
            if (mask >> i & 1) some[n++] = unknowns[i];
        for (int round = 0; round < 6; round++) {
            double seed[3] = { 1, -2, 0.5 }, out[3];
            size_t m = round < 4 ? 2 : 3;
            CHECK(CALL(b, Derive, "fmi3GetDirectionalDerivative", c, some, n, knowns, m, seed, m, out, n) ==
                  0);
            for (int i = 0, k = 0; i < 3; i++) {
                if (!(mask >> i & 1)) continue;
                double want = 0;
                for (size_t j = 0; j < m; j++) want += seed[j] * forward[j][i];
                CHECK(fabs(out[k++] - want) <= 1e-13 * (1 + fabs(want)));
            }
        }
    }
}

/* Event indicators are unknowns, too: x v + 5, or that with the other sign. */
static void test_indicators(const Binary *b, void *c, const double *y)
{
    const unsigned states[] = { b->x, b->v }, mixed[] = { b->g, b->dx };
    double out[2], seed[2] = { 1, 0 }, one = 1;
    CALL(b, SetStates, "fmi3SetContinuousStates", c, y, (size_t)2);
    CHECK(CALL(b, Derive, "fmi3GetDirectionalDerivative", c, &b->g, 1, states, 2, seed, 2, out, 1) == 0);
    CHECK(fabs(fabs(out[0]) - y[1]) < 1e-14);
    CHECK(CALL(b, Derive, "fmi3GetAdjointDerivative", c, &b->g, 1, states, 2, &one, 1, out, 2) == 0);
    CHECK(fabs(fabs(out[0]) - y[1]) < 1e-14 && fabs(fabs(out[1]) - y[0]) < 1e-14);
    CHECK(CALL(b, Derive, "fmi3GetDirectionalDerivative", c, mixed, 2, states, 2, seed, 2, out, 2) != 0);
    CHECK(CALL(b, Derive, "fmi3GetDirectionalDerivative", c, &b->dx, 1, mixed, 2, seed, 2, out, 1) != 0);
}

/* States are read without computing anything: an importer may set what it likes to see their order,
 * even where nothing is defined. */
static void test_reading(const Binary *b, void *c)
{
    const double odd[] = { NAN, 7 };
    const unsigned states[] = { b->x, b->v };
    double out[2] = { 0 };
    CHECK(CALL(b, SetStates, "fmi3SetContinuousStates", c, odd, (size_t)2) == 0);
    CHECK(CALL(b, Get, "fmi3GetFloat64", c, states, 2, out, 2) == 0);
    CHECK(isnan(out[0]) && out[1] == 7);
    CHECK(CALL(b, Get, "fmi3GetFloat64", c, &b->y, 1, out, 1) != 0);
}

static void test_derivatives(const Binary *b)
{
    void *c = start(b);
    const unsigned unknowns[] = { b->dx, b->dv, b->y }, knowns[] = { b->x, b->v, b->u, b->k },
                   states[] = { b->x, b->v };
    const double y[] = { 0.8, 0.4 };
    double forward[4][3], backward[3][4];
    CHECK(CALL(b, SetStates, "fmi3SetContinuousStates", c, y, (size_t)2) == 0);
    for (int j = 0; j < 4; j++) {
        double seed[4] = { 0 };
        seed[j] = 1;
        CHECK(CALL(b, Derive, "fmi3GetDirectionalDerivative", c, unknowns, 3, knowns, 4, seed, 4, forward[j],
                   3) == 0);
    }
    for (int i = 0; i < 3; i++) {
        double seed[3] = { 0 };
        seed[i] = 1;
        CHECK(CALL(b, Derive, "fmi3GetAdjointDerivative", c, unknowns, 3, knowns, 4, seed, 3, backward[i],
                   4) == 0);
        for (int j = 0; j < 4; j++)
            CHECK(fabs(backward[i][j] - forward[j][i]) <= 1e-14 * fabs(forward[j][i]));
    }
    for (int j = 0; j < 3; j++) { /* by differences; k is a parameter, which cannot change here */
        double values[2][3];
        for (int side = 0; side < 2; side++) {
            double moved[2] = { y[0], y[1] }, h = side ? 1e-6 : -1e-6, u = 0.5 + (j == 2 ? h : 0);
            if (j < 2) moved[j] += h;
            CALL(b, SetStates, "fmi3SetContinuousStates", c, moved, (size_t)2);
            CHECK(CALL(b, Set, "fmi3SetFloat64", c, &b->u, 1, &u, 1) == 0);
            CHECK(CALL(b, Get, "fmi3GetFloat64", c, unknowns, 3, values[side], 3) == 0);
        }
        for (int i = 0; i < 3; i++) CHECK(fabs((values[1][i] - values[0][i]) / 2e-6 - forward[j][i]) < 1e-7);
    }
    test_straight(b, c, y, forward);
    test_indicators(b, c, y);
    test_reading(b, c);
    double out[2], seed[2] = { 1, 0 }, one = 1; /* derivatives of states alone go another way */
    CALL(b, SetStates, "fmi3SetContinuousStates", c, y, (size_t)2);
    double u = 0.5;
    CHECK(CALL(b, Set, "fmi3SetFloat64", c, &b->u, 1, &u, 1) == 0);
    CHECK(CALL(b, Derive, "fmi3GetDirectionalDerivative", c, unknowns, 2, knowns + 2, 1, &one, 1, out, 2) ==
          0);
    CHECK(fabs(out[0] - forward[2][0]) < 1e-14 && fabs(out[1] - forward[2][1]) < 1e-14);
    CHECK(CALL(b, Derive, "fmi3GetAdjointDerivative", c, unknowns, 2, states, 2, seed, 2, out, 2) == 0);
    CHECK(fabs(out[0] - backward[0][0]) < 1e-14 && fabs(out[1] - backward[0][1]) < 1e-14);
    CHECK(CALL(b, Derive, "fmi3GetDirectionalDerivative", c, unknowns, 2, states, 2, seed, 2, out, 3) !=
          0); /* a wrong count */
    CALL(b, Release, "fmi3FreeInstance", c);
}

static void *start_slave(const Binary *b)
{
    void *c = CALL(b, Slave, "fmi3InstantiateCoSimulation", "one", b->token, NULL, false, false, false, false,
                   NULL, 0, NULL, listen, NULL);
    CHECK(c && CALL(b, Enter, "fmi3EnterInitializationMode", c, true, 1e-8, 0, true, 2) == 0);
    CHECK(CALL(b, Plain, "fmi3ExitInitializationMode", c) == 0);
    return c;
}

static double go(const Binary *b, void *c, double from, double to)
{
    bool flags[3];
    double t = from, out[3];
    const unsigned vr[] = { b->x, b->v, b->y };
    for (int k = 1; t < to - 1e-9; k++)
        if (CALL(b, Step, "fmi3DoStep", c, t, 0.05, true, &flags[0], &flags[1], &flags[2], &t) != 0)
            return NAN;
    CALL(b, Get, "fmi3GetFloat64", c, vr, 3, out, 3);
    return out[0] + 3 * out[1] + 7 * out[2];
}

static void test_state(const Binary *b)
{
    void *c = start_slave(b), *d = start_slave(b), *state = NULL, *again = NULL;
    size_t size;
    go(b, c, 0, 0.5);
    CHECK(CALL(b, SaveState, "fmi3GetFMUState", c, &state) == 0);
    double want = go(b, c, 0.5, 1.5);
    CHECK(CALL(b, RestoreState, "fmi3SetFMUState", c, state) == 0);
    CHECK(go(b, c, 0.5, 1.5) == want);
    CHECK(CALL(b, StateSize, "fmi3SerializedFMUStateSize", c, state, &size) == 0);
    uint8_t *bytes = calloc(1, size);
    CHECK(CALL(b, Serialize, "fmi3SerializeFMUState", c, state, bytes, size - 1) != 0);
    CHECK(CALL(b, Serialize, "fmi3SerializeFMUState", c, state, bytes, size) == 0);
    CHECK(CALL(b, Deserialize, "fmi3DeserializeFMUState", d, bytes, size, &again) == 0);
    CHECK(CALL(b, RestoreState, "fmi3SetFMUState", d, again) == 0);
    CHECK(go(b, d, 0.5, 1.5) == want);
    CALL(b, SaveState, "fmi3FreeFMUState", d, &again);
    CHECK(again == NULL);
    CHECK(CALL(b, Deserialize, "fmi3DeserializeFMUState", d, bytes, size / 2, &again) == 0);
    CHECK(CALL(b, RestoreState, "fmi3SetFMUState", d, again) != 0);
    CALL(b, SaveState, "fmi3FreeFMUState", d, &again);
    CALL(b, SaveState, "fmi3FreeFMUState", c, &state);
    CHECK(CALL(b, Plain, "fmi3Reset", c) == 0);
    CHECK(CALL(b, Enter, "fmi3EnterInitializationMode", c, true, 1e-8, 0, true, 2) == 0);
    CHECK(CALL(b, Plain, "fmi3ExitInitializationMode", c) == 0);
    go(b, c, 0, 0.5);
    CHECK(go(b, c, 0.5, 1.5) == want);
    free(bytes);
    CALL(b, Release, "fmi3FreeInstance", c);
    CALL(b, Release, "fmi3FreeInstance", d);
}

/* With event mode, an importer handles events where a step ends at one; inside of a step the FMU
 * does where it may not return early. All ways give the same. */
static void test_event_mode(const Binary *b)
{
    double results[2], want = 0;
    const unsigned vr[] = { b->x, b->v, b->y };
    for (int early = 0; early < 2; early++) {
        bool flags[5], event, end, is_early;
        double t = 0, next, out[3];
        int returns = 0;
        void *c = CALL(b, Slave, "fmi3InstantiateCoSimulation", "one", b->token, NULL, false, false, true,
                       early, NULL, 0, NULL, listen, NULL);
        CHECK(c && CALL(b, Enter, "fmi3EnterInitializationMode", c, true, 1e-8, 0, true, 2) == 0);
        CHECK(CALL(b, Plain, "fmi3ExitInitializationMode", c) == 0);
        CHECK(CALL(b, Plain, "fmi3EnterContinuousTimeMode", c) != 0); /* not for this kind */
        CHECK(CALL(b, Update, "fmi3UpdateDiscreteStates", c, &flags[0], &flags[1], &flags[2], &flags[3],
                   &flags[4], &next) == 0);
        CHECK(CALL(b, Plain, "fmi3EnterStepMode", c) == 0);
        for (int k = 0; k < 100 && t < 0.7 - 1e-9; k++) {
            double h = 0.07 - fmod(t + 1e-9, 0.07) + 1e-9;
            CHECK(CALL(b, Step, "fmi3DoStep", c, t, h, true, &event, &end, &is_early, &t) == 0);
            CHECK(!end && (early || !is_early));
            returns += is_early;
            if (!event) continue;
            CHECK(CALL(b, Plain, "fmi3EnterEventMode", c) == 0);
            CHECK(CALL(b, Update, "fmi3UpdateDiscreteStates", c, &flags[0], &flags[1], &flags[2], &flags[3],
                       &flags[4], &next) == 0);
            CHECK(CALL(b, Plain, "fmi3EnterStepMode", c) == 0);
        }
        CHECK(returns == (early ? 6 : 0)); /* at 0.1 to 0.6; 0.7 is the end of a step */
        CALL(b, Get, "fmi3GetFloat64", c, vr, 3, out, 3);
        results[early] = out[0] + 3 * out[1] + 7 * out[2];
        CALL(b, Release, "fmi3FreeInstance", c);
    }
    void *c = start_slave(b);
    want = go(b, c, 0, 0.7);
    CALL(b, Release, "fmi3FreeInstance", c);
    CHECK(fabs(results[0] - want) < 1e-6 && fabs(results[1] - want) < 1e-6);
}

static void test_wrong_calls(const Binary *b)
{
    double value = 1;
    unsigned none = 100000;
    messages = 0;
    CHECK(!CALL(b, Instantiate, "fmi3InstantiateModelExchange", "one", "{other}", NULL, false, false, NULL,
                listen));
    CHECK(!CALL(b, Instantiate, "fmi3InstantiateModelExchange", "", b->token, NULL, false, false, NULL,
                listen));
    void *c = CALL(b, Instantiate, "fmi3InstantiateModelExchange", "one", b->token, NULL, false, false, NULL,
                   listen);
    CHECK(CALL(b, Plain, "fmi3ExitInitializationMode", c) != 0);
    CHECK(CALL(b, Plain, "fmi3EnterContinuousTimeMode", c) != 0);
    CHECK(CALL(b, Get, "fmi3GetFloat64", c, &none, 1, &value, 1) != 0);
    CHECK(CALL(b, Set, "fmi3SetFloat64", c, &b->y, 1, &value, 1) != 0);
    CHECK(CALL(b, Set, "fmi3SetFloat64", c, &b->k, 1, &value, 1) == 0);
    CHECK(CALL(b, Get, "fmi3GetFloat64", c, &b->k, 1, &value, 1) == 0 && value == 1);
    CHECK(messages >= 6);
    CALL(b, Release, "fmi3FreeInstance", c);
    CALL(b, Release, "fmi3FreeInstance", NULL);
}

enum { THREADS = 4 };
typedef struct {
    const Binary *b;
    double results[THREADS];
} Threads;

static void one_thread(void *arg, size_t i, unsigned worker)
{
    Threads *t = arg;
    (void)worker;
    bool flags[3];
    double time = 0, out = 0;
    void *c = CALL(t->b, Slave, "fmi3InstantiateCoSimulation", "one", t->b->token, NULL, false, false, false,
                   false, NULL, 0, NULL, NULL, NULL);
    CALL(t->b, Enter, "fmi3EnterInitializationMode", c, true, 1e-8, 0, true, 2);
    CALL(t->b, Plain, "fmi3ExitInitializationMode", c);
    for (int k = 0; k < 200; k++)
        CALL(t->b, Step, "fmi3DoStep", c, time, 0.01, true, &flags[0], &flags[1], &flags[2], &time);
    CALL(t->b, Get, "fmi3GetFloat64", c, &t->b->y, 1, &out, 1);
    CALL(t->b, Release, "fmi3FreeInstance", c);
    t->results[i] = out;
}

static void test_threads(const Binary *b)
{
    Threads t = { b, { 0 } };
    pool_each(THREADS, THREADS, one_thread, &t);
    CHECK(t.results[0] != 0);
    for (int k = 1; k < THREADS; k++) CHECK(t.results[k] == t.results[0]);
}

int main(void)
{
    char directory[] = "/tmp/acausal_export_XXXXXX", command[100];
    Binary b = { 0 };
    if (system("command -v cc > /dev/null 2>&1") != 0) return test_skip("there is no C compiler");
    if (!CHECK(mkdtemp(directory))) return test_end();
    if (open_binary(directory, &b)) {
        test_derivatives(&b);
        test_state(&b);
        test_event_mode(&b);
        test_wrong_calls(&b);
        test_threads(&b);
        dlclose(b.library);
    }
    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (system(command) != 0) printf("  %s is left\n", directory);
    return test_end();
}
