/* Derivatives of models of the Modelica Standard Library: every entry of the Jacobian of the
 * right-hand side agrees with differences of fourth order (for one of several increments, since
 * sizes differ by many powers of ten), and so do products; backward agrees with forward in states
 * and free parameters, for every map. All code is native, and all entries are exact unless the
 * model calls C that says nothing of its derivatives. With ACAUSAL_EXAMPLES, a file whose lines
 * have a rung and a class, those of rungs 1 to 5 are taken; names of classes may be given as
 * arguments instead. */
#include "test.h"

#include "api/inside.h"

#include <math.h>
#include <stdlib.h>

static const char *const classes[] = {
    "Modelica.Blocks.Examples.PID_Controller",
    "Modelica.Blocks.Examples.Filter",
    "Modelica.Electrical.Analog.Examples.CauerLowPassAnalog",
    "Modelica.Electrical.Analog.Examples.ChuaCircuit",
    "Modelica.Electrical.Analog.Examples.Rectifier",
    "Modelica.Electrical.Analog.Examples.DifferenceAmplifier",
    "Modelica.Electrical.Analog.Examples.HeatingMOSInverter",
    "Modelica.Electrical.Analog.Examples.HeatingRectifier",
    "Modelica.Mechanics.Rotational.Examples.First",
    "Modelica.Mechanics.Rotational.Examples.CoupledClutches",
    "Modelica.Mechanics.Translational.Examples.Oscillator",
    "Modelica.Thermal.HeatTransfer.Examples.Motor",
};

enum { MOST_PRODUCTS = 60, MOST_PARAMETERS = 40, MOST_CALLED = 1000, MOST_CLASSES = 400 };
static const double increments[] = { 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8 };

typedef struct {
    AcausalSession *session;
    Translation t;
    Model *m;
    const char *name;
    int n;
    double *y, *room;
    double *noise; /* by right-hand side: how far rounding moves it */
    long entries;  /* compared */
    /* beside the start the right-hand side cannot be computed: nothing to compare with */
    bool is_isolated;
} World;

static double draw(void)
{
    static uint32_t seed = 5;
    return seed = seed * 1664525u + 1013904223u, (double)(seed >> 8) / (1 << 24) - 0.5;
}

/* How far rounding moves the right-hand side: fourth differences along lines, of which slopes and
 * curvature have no part. */
static void find_noise(World *w)
{
    static const double weight[] = { 1, -4, 6, -4, 1 };
    size_t n = (size_t)w->n;
    double *f = w->room, *sum = f + n, *y = sum + n, *way = y + n;
    for (int k = 0; k < 8; k++) {
        bool ok = true;
        memset(sum, 0, n * sizeof *sum);
        for (size_t j = 0; j < n; j++) way[j] = 1e-5 * draw() * fmax(fabs(w->y[j]), 1e-2);
        for (int p = 0; p < 5 && ok; p++) {
            for (size_t j = 0; j < n; j++) y[j] = w->y[j] + (p - 2) * way[j];
            ok = w->m->type->derivatives(w->m, 0, y, f) == EVAL_OK;
            for (size_t i = 0; i < n; i++) sum[i] += weight[p] * f[i];
        }
        for (size_t i = 0; i < n && ok; i++)
            w->noise[i] = fmax(w->noise[i], fmax(fabs(sum[i]) / 8, 0x1p-52 * fabs(f[i])));
    }
}

/* Whether differences in state j for one of the increments agree with each entry of the column: -1,
 * or a row. Fourth differences of the two smallest increments say what rounding does in this
 * direction. `floor`, by row: what is left of differences between large numbers counts as much as
 * they do. */
static int disagrees(World *w, int j, const double *column, const double *floor)
{
    static const double at[] = { 0, 1, -1, 2, -2 }, weight[] = { 0, 8, -8, -1, 1 },
                        fourth[] = { 6, -4, -4, 1, 1 };
    size_t n = (size_t)w->n;
    double *f = w->room, *sum = f + n, *rough = sum + n, *noise = rough + n, *agreed = noise + n;
    double keep = w->y[j];
    bool any = false;
    memset(agreed, 0, n * sizeof *agreed);
    memcpy(noise, w->noise, n * sizeof *noise);
    for (size_t k = COUNT_OF(increments); k-- > 0;) {
        double h = increments[k] * fmax(fabs(keep), 1e-2);
        memset(sum, 0, 2 * n * sizeof *sum);
        bool ok = true;
        for (int p = 0; p < 5 && ok; p++) {
            w->y[j] = keep + at[p] * h;
            ok = w->m->type->derivatives(w->m, 0, w->y, f) == EVAL_OK;
            for (size_t i = 0; i < n; i++)
                sum[i] += weight[p] * f[i] / (12 * h), rough[i] += fourth[p] * f[i];
        }
        w->y[j] = keep;
        any |= ok;
        for (size_t i = 0; i < n && ok; i++) {
            if (k + 2 >= COUNT_OF(increments)) noise[i] = fmax(noise[i], fabs(rough[i]) / 8);
            double error = fabs(sum[i] - column[i]);
            if (error <= 1e-6 * fabs(column[i]) + floor[i] + 4 * noise[i] / h) agreed[i] = 1;
        }
    }
    w->is_isolated |= !any;
    for (int i = 0; i < w->n && any; i++)
        if (agreed[i] == 0) return i;
    return -1;
}

static void check_columns(World *w, const double *J)
{
    size_t n = (size_t)w->n;
    double *floor = w->room + 5 * n, largest = 0;
    for (size_t k = 0; k < n * n; k++) largest = fmax(largest, fabs(J[k]));
    for (size_t i = 0; i < n; i++) floor[i] = 1e-15 * largest;
    for (size_t k = 0; k < n * n; k++) floor[k % n] = fmax(floor[k % n], 1e-13 * fabs(J[k]));
    for (int j = 0; j < w->n; j++) {
        const double *column = J + (size_t)j * n;
        int i = disagrees(w, j, column, floor);
        if (!CHECK_ROW(i < 0, w->name))
            printf("  %s in %s: %.17g\n", w->m->shape.names[i], w->m->shape.names[j], column[i]);
    }
    w->entries += (long)(n * n);
}

/* The Jacobian, then one product for each of its columns. */
static void test_jacobian(World *w)
{
    double *J = NEW_ARRAY(w->t.arena, double, (size_t)w->n *(size_t)w->n + 1);
    MatrixShape *shape = matrix_shape_as(w->t.arena, MATRIX_DENSE, w->n, NULL);
    if (w->n && CHECK_ROW(w->m->type->jacobian(w->m, 0, w->y, shape, J) == EVAL_OK, w->name))
        check_columns(w, J);
}

static void test_products(World *w)
{
    double *J = NEW_ARRAY(w->t.arena, double, (size_t)w->n *(size_t)w->n + 1), *d = w->room;
    memset(d, 0, (size_t)w->n * sizeof *d);
    for (int j = 0; j < w->n; j++) {
        ModelChange change = { .y = d };
        if (!CHECK_ROW(w->m->type->linearise(w->m, MAP_DERIVATIVES, 0, w->y) == EVAL_OK, w->name)) return;
        d[j] = 1;
        w->m->type->jvp(w->m, 1, &change, &(double *){ J + (size_t)j * (size_t)w->n });
        d[j] = 0;
    }
    check_columns(w, J);
}

static void test_transposed(World *w)
{
    Model *m = w->m;
    int variables[MOST_PARAMETERS], count = 0;
    for (int k = 0; k < m->shape.variable_count && count < MOST_PARAMETERS; k++) {
        const ModelVariable *v = &m->shape.variables[k];
        if (v->kind == VARIABLE_PARAMETER && v->type == VARIABLE_REAL && v->is_settable)
            variables[count++] = k;
    }
    double p[MOST_PARAMETERS], gp[MOST_PARAMETERS], *y = w->room, *gy = y + w->n, left, right, size;
    double *weights =
        NEW_ARRAY(w->t.arena, double, (size_t)(m->shape.value_count + m->shape.indicators + w->n + 1));
    double *out =
        NEW_ARRAY(w->t.arena, double, (size_t)(m->shape.value_count + m->shape.indicators + w->n + 1));
    const int lengths[] = { w->n, w->n, m->shape.value_count, m->shape.indicators };
    for (int map = 0; map < MAP_RESET; map++) {
        for (int k = 0; k < w->n; k++) y[k] = draw() * fmax(fabs(w->y[k]), 1e-3);
        for (int k = 0; k < count; k++) p[k] = draw();
        ModelChange in = { draw(), y, count, variables, p }, gradient = { 0, gy, count, variables, gp };
        if (m->type->linearise(m, (ModelMap)map, 0, w->y) != EVAL_OK) continue;
        m->type->jvp(m, 1, &in, &out);
        left = size = 0;
        for (int k = 0; k < lengths[map]; k++) {
            weights[k] = draw();
            left += weights[k] * out[k];
            size += fabs(weights[k] * out[k]);
        }
        m->type->vjp(m, weights, &gradient);
        right = gradient.t * in.t;
        for (int k = 0; k < w->n; k++) right += gy[k] * y[k], size += fabs(gy[k] * y[k]);
        for (int k = 0; k < count; k++) right += gp[k] * p[k], size += fabs(gp[k] * p[k]);
        if (!CHECK_ROW(fabs(left - right) <= 1e-8 * size || !isfinite(size), w->name))
            printf("  map %d: %.17g and %.17g of %g\n", map, left, right, size);
    }
}

static bool has_external(const Flat *flat)
{
    for (uint32_t k = 0; k < flat->functions.n; k++)
        if (flat->functions.at[k].external) return true;
    return false;
}

/* A transform of many points has as many derivatives for each of its results: its products are left
 * out. */
static bool has_long_call(const System *s)
{
    for (uint32_t k = 0; k < sym_fun_count(s->pool); k++)
        if (sym_fun(s->pool, k)->in_n * sym_fun(s->pool, k)->out_n > MOST_CALLED) return true;
    return false;
}

static bool add_products(World *w)
{
    Diag *diag = &w->session->diag;
    Text out = { .arena = w->t.arena };
    if (CHECK_ROW(gen_add_products(w->t.compiled, diag), w->name)) return true;
    for (uint32_t i = 0; i < diag->notes.n; i++)
        diag_render(diag->notes.at[i], w->session->sources, (RenderStyle){ false }, &out);
    printf("  %s\n", out.n ? out.at : "");
    return false;
}

static bool start(World *w)
{
    EventInfo info;
    gen_instance_free(w->t.model);
    w->m = w->t.model = gen_instance(w->t.compiled);
    w->n = w->m->shape.n;
    w->y = NEW_ARRAY(w->t.arena, double, (size_t)w->n + 1);
    w->noise = NEW_ARRAY(w->t.arena, double, (size_t)w->n + 1);
    w->room = NEW_ARRAY(w->t.arena, double, 6 * (size_t)w->n + 1);
    return CHECK_ROW(w->m->type->initialise(w->m, 0, w->y, &info) == EVAL_OK, w->name);
}

/* False: it is not translated, which is no business of this test. */
static bool test_class(const char *library, const char *name, long *entries)
{
    World w = { .session = acausal_session_new(), .name = name };
    acausal_add_library_path(w.session, library);
    bool ok = translate(w.session, name, NULL, NULL, 0, &w.t);
    if (ok) {
        CHECK_TEXT(dae_verify(w.t.system), NULL);
        CHECK_TEXT(flat_verify(w.t.system->flat), NULL);
        CHECK_TEXT(ir_verify_module(gen_module(w.t.compiled)), NULL);
        GenStats stats = gen_stats(w.t.compiled);
        CHECK_ROW(stats.native == stats.instructions || stats.backend != IR_NATIVE, name);
        if (!CHECK_ROW(stats.exact_entries == stats.jacobian_entries || has_external(w.t.flat), name))
            printf("  %u functions by differences\n", stats.differences);
        if (stats.differences) printf("%s: %u derivatives of C are differences\n", name, stats.differences);
    }
    if (ok && start(&w)) {
        find_noise(&w);
        test_jacobian(&w);
        bool is_long = w.n > MOST_PRODUCTS || has_long_call(gen_system(w.t.compiled));
        if (!is_long && add_products(&w) && start(&w)) {
            test_products(&w);
            if (!w.is_isolated) test_transposed(&w);
        }
    }
    if (w.is_isolated) printf("%s: singular beside the start, not compared\n", name);
    *entries += w.entries;
    translation_free(&w.t);
    acausal_session_free(w.session);
    return ok;
}

/* Classes of rungs 1 to 5 in a table whose first columns are rung and class. */
static int read_examples(const char *path, char **out)
{
    char line[4096], name[300];
    int n = 0, rung;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && n < MOST_CLASSES)
        if (sscanf(line, "%d%*[^\t]\t%299[^\t]", &rung, name) == 2 && rung <= 5) out[n++] = strdup(name);
    if (file) fclose(file);
    return n;
}

int main(int argc, char **argv)
{
    const char *library = getenv("ACAUSAL_MSL"), *examples = getenv("ACAUSAL_EXAMPLES");
    char *read[MOST_CLASSES];
    int done = 0, n = argc > 1 ? argc - 1 : (int)COUNT_OF(classes), read_n = 0;
    long entries = 0;
    if (!library) {
        printf("skipped: the Modelica Standard Library (set ACAUSAL_MSL to its directory)\n");
        return 77;
    }
    if (examples && argc == 1) n = read_n = read_examples(examples, read);
    CHECK(n > 0);
    for (int k = 0; k < n; k++)
        done += test_class(library, argc > 1 ? argv[k + 1] : read_n ? read[k] : classes[k], &entries);
    for (int k = 0; k < read_n; k++) free(read[k]);
    printf("%d of %d classes, %ld entries\n", done, n, entries);
    return test_end();
}
