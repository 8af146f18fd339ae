/* The numerical map of a run on held steps, written down once more in long double for a ball that
 * bounces with drag: its derivatives by differences of sixth order there are those that ad and its
 * adjoint find, to 1e-12, through events, by explicit, diagonally implicit and fully implicit
 * methods; ind finds them to 1e-8. */
#include "gen/world.h"

#include "sens/inside.h"

#include <stdlib.h>

enum { N = 2, P = 5 }; /* h, v; restitution, gravity, drag, spring, first height */

static const char ball[] = "parameter Real e=0.8; parameter Real g=9.81; parameter Real d=0.02; parameter "
                           "Real c=3; parameter Real h0=1; Real "
                           "h(start=h0, fixed=true); Real v(start=0, fixed=true); equation der(h) = v; "
                           "der(v) = -g - d*v^3 - c*h; when h "
                           "< 0 then reinit(v, -e*pre(v)); end when;";
static const char *const names[P] = { "e", "g", "d", "c", "h0" };
static const double nominal[P] = { 0.8, 9.81, 0.02, 3, 1 };

/* ---- the map, in long double ----------------------------------------------------------------- */

typedef long double Wide;

typedef struct {
    const RkTableau *b;
    Wide p[P], x[N], k[RK_STAGES][N];
} WideMap;

static void slopes(const WideMap *m, const Wide *x, Wide *f)
{
    f[0] = x[1];
    f[1] = -m->p[1] - m->p[2] * x[1] * x[1] * x[1] - m->p[3] * x[0];
}

/* Newton's method for one slope k = f(base + h a k) of two components. */
static void solve_one(const WideMap *m, const Wide *base, Wide ha, Wide *k)
{
    for (int round = 0; round < 3; round++) {
        Wide x[N] = { base[0] + ha * k[0], base[1] + ha * k[1] }, f[N], r[N];
        slopes(m, x, f);
        for (int i = 0; i < N; i++) r[i] = f[i] - k[i];
        /* (I - ha J) by = r, J = (0 1; j10 j11) */
        Wide j10 = -m->p[3], j11 = -3 * m->p[2] * x[1] * x[1];
        Wide det = (1 - ha * j11) - ha * ha * j10;
        k[0] += ((1 - ha * j11) * r[0] + ha * r[1]) / det;
        k[1] += (ha * j10 * r[0] + r[1]) / det;
    }
}

/* Stages by rounds over all of them: each is solved for with the others held, until nothing
 * changes; steps are short enough for that. */
static void step(const WideMap *m0, Wide h, Wide *end)
{
    WideMap m = *m0;
    const RkTableau *b = m.b;
    for (int i = 0; i < b->stages; i++) slopes(&m, m.x, m.k[i]);
    Wide change = 1;
    for (int round = 0; round < 200 && change > 1e-19L; round++) {
        change = 0;
        for (int i = 0; i < b->stages; i++) {
            Wide base[N] = { m.x[0], m.x[1] };
            for (int j = 0; j < b->stages; j++)
                for (int q = 0; q < N && j != i; q++) base[q] += h * (Wide)b->a[i][j] * m.k[j][q];
            Wide before = m.k[i][1];
            solve_one(&m, base, h * (Wide)b->a[i][i], m.k[i]);
            change = fmaxl(change, fabsl(m.k[i][1] - before) / (1 + fabsl(before)));
        }
    }
    for (int q = 0; q < N; q++) end[q] = m.x[q];
    for (int i = 0; i < b->stages; i++)
        for (int q = 0; q < N; q++) end[q] += h * (Wide)b->b[i] * m.k[i][q];
}

/* The height at the end. */
static Wide map_end(const SensSteps *held, const Wide *p)
{
    WideMap m = { .b = &held->tableau };
    Wide t = 0, end[N];
    uint32_t event = 0;
    memcpy(m.p, p, sizeof m.p);
    m.x[0] = p[4];
    for (uint32_t k = 0; k < held->steps.n; k++) {
        const HeldEvent *at =
            event < held->events.n && held->events.at[event].step == k + 1 ? &held->events.at[event] : NULL;
        bool moves = at && at->fired >= 0;
        Wide h = moves ? (Wide)held->steps.at[k].h : (Wide)held->steps.at[k].t - t;
        for (int round = 0; round < (moves ? 6 : 1); round++) {
            step(&m, h, end);
            if (moves) h += ((Wide)at->level - end[0]) / end[1];
        }
        if (moves) step(&m, h, end);
        memcpy(m.x, end, sizeof end);
        t = moves ? t + h : (Wide)held->steps.at[k].t;
        for (; event < held->events.n && held->events.at[event].step == k + 1; event++)
            if (held->events.at[event].is_new && m.x[1] < 0) m.x[1] = -m.p[0] * m.x[1];
    }
    return m.x[0];
}

static double wanted(const SensSteps *held, int j)
{
    static const Wide weight[] = { 0.75L, -0.15L, 1.0L / 60 };
    Wide sum = 0, h = 1e-3L * (Wide)nominal[j];
    for (int k = 1; k <= 3; k++)
        for (int side = -1; side <= 1; side += 2) {
            Wide p[P];
            for (int i = 0; i < P; i++) p[i] = nominal[i];
            p[j] += (Wide)(side * k) * h;
            sum += (Wide)side * weight[k - 1] * map_end(held, p);
        }
    return (double)(sum / h);
}

/* ---- derivatives by the three ways ----------------------------------------------------------- */

static int find(const Model *m, const char *name)
{
    for (int k = 0; k < m->shape.variable_count; k++)
        if (!strcmp(m->shape.variables[k].name, name)) return k;
    return -1;
}

static Run world;
static int wrt[P], of;

static Model *instance(void *arg, int parameter, double value)
{
    const char *why;
    Model *model = gen_instance(world.compiled);
    (void)arg;
    if (parameter >= 0) model->type->set(model, wrt[parameter], value, &why);
    return model;
}

static void release(void *arg, Model *model)
{
    (void)arg;
    gen_instance_free(model);
}

static bool ahead(SensSteps *steps, double stop, double *d)
{
    Model *inner = instance(NULL, -1, 0), *model = sens_steps_ahead(steps, inner, wrt, P, &of, 1);
    double t = 0, y[N + 1], *values = calloc((size_t)model->shape.value_count + 1, sizeof *values);
    EventInfo info;
    StepInfo step_info = { 0 };
    bool ok = model->type->initialise(model, 0, y, &info) == EVAL_OK;
    while (ok && (t < stop || step_info.event)) {
        ok = model->type->step(model, t, stop - t, &step_info) == EVAL_OK;
        t = step_info.t;
        if (ok && step_info.event) ok = model->type->event(model, t, y, &info) == EVAL_OK;
    }
    ok = ok && model->type->values(model, t, y, values) == EVAL_OK;
    for (int j = 0; j < P; j++) d[j] = values[sens_steps_ahead_slot(model, 0, j)];
    free(values);
    sens_steps_ahead_free(model);
    gen_instance_free(inner);
    return ok;
}

static void compare(const char *method, const char *way, const double *got, const double *want, double within)
{
    for (int j = 0; j < P; j++)
        if (!CHECK_NEAR(got[j], want[j], within * fabs(want[j])))
            printf("  %s, %s, %s: %.17g, not %.17g\n", method, way, names[j], got[j], want[j]);
}

static void test_method(const char *method)
{
    double want[P], d[P], value, stop = 1.3;
    char warning[240];
    SimReport report;
    SimOptions o = sim_options(0, stop, 1e-6);
    o.solver = solver_find(method);
    Model *model = instance(NULL, -1, 0);
    SensSteps *steps = sens_steps_new(model, &o, 0, &report);
    gen_instance_free(model);
    if (!CHECK_ROW(steps, method)) return;
    CHECK_ROW(steps->events.n >= 4, method);
    model = instance(NULL, -1, 0);
    CHECK_ROW(sens_steps_back(steps, model, wrt, P, of, &value, d, warning, sizeof warning), method);
    gen_instance_free(model);
    for (int j = 0; j < P; j++) want[j] = wanted(steps, j);
    compare(method, "back", d, want, 1e-12);
    CHECK_ROW(ahead(steps, stop, d), method);
    compare(method, "ahead", d, want, 1e-12);
    model = instance(NULL, -1, 0);
    SensApart job = { model, wrt, &of, P, 1, nominal, instance, release, NULL };
    CHECK_ROW(sens_steps_apart(steps, &job, &value, d, warning, sizeof warning), method);
    compare(method, "apart", d, want, 1e-8);
    gen_instance_free(model);
    sens_steps_free(steps);
}

int main(void)
{
    static const char *const methods[] = { "dopri5", "dop853", "rk4", "esdirk4", "radau5", "gauss4" };
    world = (Run){ .mini = mini_new(ball) };
    world.system = dae_build(world.mini->flat, world.mini->arena, &world.mini->diag);
    if (world.system) world.compiled = gen_compile(world.system, IR_AUTO, &world.mini->diag);
    if (!CHECK(world.compiled && gen_add_products(world.compiled, &world.mini->diag))) return test_end();
    world.model = gen_instance(world.compiled);
    for (int j = 0; j < P; j++) wrt[j] = find(world.model, names[j]);
    of = find(world.model, "h");
    for (size_t k = 0; k < COUNT_OF(methods); k++) test_method(methods[k]);
    run_close(&world);
    return test_end();
}
