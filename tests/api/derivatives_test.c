/* Derivatives of models of the Modelica Standard Library: the right-hand side in every state and every free parameter agrees
 * entry by entry with differences of fourth order (for one of several increments, since sizes differ by many powers of
 * ten), backward agrees with forward, all code is native and all entries are exact. Names of classes may be given as
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

enum { MOST_STATES = 60, MOST_PARAMETERS = 40 };
static const double increments[] = { 1e-2, 1e-4, 1e-6, 1e-8 };

typedef struct {
    AcausalSession *session;
    Translation t;
    Model *m;
    const char *name;
    int n;
    double *y, *room;
} World;

static double draw(void)
{
    static uint32_t seed = 5;
    return seed = seed * 1664525u + 1013904223u, (double)(seed >> 8) / (1 << 24) - 0.5;
}

/* Whether differences in state j for one of the increments agree with the column. */
static bool agrees(World *w, int j, const double *column)
{
    static const double at[] = { 1, -1, 2, -2 }, weight[] = { 8, -8, -1, 1 };
    double *f = w->room, *sum = f + w->n, keep = w->y[j], largest = 0;
    for (int i = 0; i < w->n; i++) largest = fmax(largest, fabs(column[i]));
    for (size_t k = 0; k < COUNT_OF(increments); k++) {
        double h = increments[k] * fmax(fabs(keep), 1e-2), worst = 0;
        memset(sum, 0, (size_t)w->n * sizeof *sum);
        bool ok = true;
        for (int p = 0; p < 4 && ok; p++) {
            w->y[j] = keep + at[p] * h;
            ok = w->m->type->derivatives(w->m, 0, w->y, f) == EVAL_OK;
            for (int i = 0; i < w->n; i++) sum[i] += weight[p] * f[i] / (12 * h);
        }
        w->y[j] = keep;
        for (int i = 0; i < w->n; i++) worst = fmax(worst, fabs(sum[i] - column[i]));
        if (ok && worst <= 1e-4 * (largest + 1e-6)) return true;
    }
    return false;
}

static void test_columns(World *w)
{
    double *column = w->room + 2 * w->n, *d = column + w->n;
    memset(d, 0, (size_t)w->n * sizeof *d);
    for (int j = 0; j < w->n; j++) {
        ModelChange change = { .y = d };
        if (!CHECK_ROW(w->m->type->linearise(w->m, MAP_DERIVATIVES, 0, w->y) == EVAL_OK, w->name)) return;
        d[j] = 1;
        w->m->type->jvp(w->m, 1, &change, &column);
        d[j] = 0;
        if (!CHECK_ROW(agrees(w, j, column), w->name)) printf("  column of %s\n", w->m->shape.names[j]);
    }
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
            printf("  map %d: %g and %g of %g\n", map, left, right, size);
    }
}

/* False: it is not translated, which is no business of this test. */
static bool test_class(const char *library, const char *name)
{
    World w = { .session = acausal_session_new(), .name = name };
    acausal_add_library_path(w.session, library);
    bool ok =
        translate(w.session, name, NULL, NULL, 0, &w.t) && gen_add_products(w.t.compiled, &w.session->diag);
    if (ok) {
        GenStats stats = gen_stats(w.t.compiled);
        CHECK_ROW(stats.native == stats.instructions || stats.backend != IR_NATIVE, name);
        CHECK_ROW(stats.exact_entries == stats.jacobian_entries, name);
        gen_instance_free(w.t.model);
        w.m = w.t.model = gen_instance(w.t.compiled);
        w.n = w.m->shape.n;
        w.y = NEW_ARRAY(w.t.arena, double, (size_t)w.n + 1);
        w.room = NEW_ARRAY(w.t.arena, double, 5 * (size_t)w.n + 1);
        EventInfo info;
        ok = w.m->type->initialise(w.m, 0, w.y, &info) == EVAL_OK;
    }
    if (ok && w.n <= MOST_STATES) {
        test_columns(&w);
        test_transposed(&w);
    }
    translation_free(&w.t);
    acausal_session_free(w.session);
    return ok;
}

int main(int argc, char **argv)
{
    const char *library = getenv("ACAUSAL_MSL");
    int done = 0, n = argc > 1 ? argc - 1 : (int)COUNT_OF(classes);
    if (!library) {
        printf("skipped: the Modelica Standard Library (set ACAUSAL_MSL to its directory)\n");
        return 77;
    }
    for (int k = 0; k < n; k++) done += test_class(library, argc > 1 ? argv[k + 1] : classes[k]);
    printf("%d of %d classes\n", done, n);
    return test_end();
}
