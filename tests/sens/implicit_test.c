/* A general F(t, y, y', p) = 0, written by hand: nonlinear in y', with an unknown that has none.
 * Its derivatives forward by integrators of mass matrices and of residuals, back, and of the
 * computed steps, with products of the user, with his Jacobian and with differences alone, are
 * those of the same equations solved for y' by Newton's method inside of an explicit method in long
 * double. */
#include "test.h"

#include "sens/sens.h"

#include <string.h>

enum { N = 2, P = 4 }; /* y0 has a slope; a, b, c, start of y0 */

typedef struct {
    double p[P];
} Reaction;

/* c y0' + y0'^3 + a y0 y1, y1 + b y1^3 - y0 - y0'/10 */
static EvalStatus residual(Model *model, double t, const double *y, const double *yp, double *r)
{
    const double *p = ((const Reaction *)model->data)->p;
    (void)t;
    r[0] = yp[0] * yp[0] * yp[0] + p[2] * yp[0] + p[0] * y[0] * y[1];
    r[1] = y[1] + p[1] * y[1] * y[1] * y[1] - y[0] - 0.1 * yp[0];
    return EVAL_OK;
}

static EvalStatus residual_jacobian(Model *model, double t, const double *y, const double *yp, double c,
                                    const MatrixShape *order, double *values)
{
    const double *p = ((const Reaction *)model->data)->p;
    (void)t;
    model_put(order, values, 0, 0, p[0] * y[1] + c * (3.0 * yp[0] * yp[0] + p[2]));
    model_put(order, values, 0, 1, p[0] * y[0]);
    model_put(order, values, 1, 0, -1.0 - 0.1 * c);
    model_put(order, values, 1, 1, 1.0 + 3.0 * p[1] * y[1] * y[1]);
    return EVAL_OK;
}

static EvalStatus initialise(Model *model, double t, double *y, EventInfo *info)
{
    (void)t;
    y[0] = ((const Reaction *)model->data)->p[3];
    y[1] = 0.5;
    *info = (EventInfo){ .next_time = INFINITY };
    return EVAL_OK;
}

static EvalStatus event(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t, (void)y;
    *info = (EventInfo){ .next_time = INFINITY };
    return EVAL_OK;
}

static EvalStatus values(Model *model, double t, const double *y, double *to)
{
    (void)t;
    memcpy(to, y, N * sizeof *y);
    memcpy(to + N, ((const Reaction *)model->data)->p, P * sizeof *to);
    return EVAL_OK;
}

static bool set(Model *model, int variable, double value, const char **why)
{
    (void)why;
    ((Reaction *)model->data)->p[variable - N] = value;
    return true;
}

/* F_p dp, parameters by their place among the variables. */
static EvalStatus forward(Model *model, double t, const double *y, const double *yp,
                          const ModelChange *change, const double *dyp, double *r)
{
    const double *p = ((const Reaction *)model->data)->p;
    (void)t;
    double dy[N] = { change->y ? change->y[0] : 0.0, change->y ? change->y[1] : 0.0 }, d[P] = { 0 };
    for (int j = 0; j < change->count; j++) d[change->variables[j] - N] += change->p[j];
    r[0] = (3.0 * yp[0] * yp[0] + p[2]) * dyp[0] + p[0] * (dy[0] * y[1] + y[0] * dy[1]) + d[2] * yp[0] +
           d[0] * y[0] * y[1];
    r[1] = (1.0 + 3.0 * p[1] * y[1] * y[1]) * dy[1] - dy[0] - 0.1 * dyp[0] + d[1] * y[1] * y[1] * y[1];
    return EVAL_OK;
}

static EvalStatus back(Model *model, double t, const double *y, const double *yp, const double *w,
                       ModelChange *g, double *gyp)
{
    const double *p = ((const Reaction *)model->data)->p;
    (void)t;
    double d[P] = { w[0] * y[0] * y[1], w[1] * y[1] * y[1] * y[1], w[0] * yp[0], 0.0 };
    g->y[0] = w[0] * p[0] * y[1] - w[1];
    g->y[1] = w[0] * p[0] * y[0] + w[1] * (1.0 + 3.0 * p[1] * y[1] * y[1]);
    gyp[0] = w[0] * (3.0 * yp[0] * yp[0] + p[2]) - 0.1 * w[1];
    gyp[1] = 0.0;
    g->t = 0.0;
    for (int j = 0; j < g->count; j++) g->p[j] = d[g->variables[j] - N];
    return EVAL_OK;
}

#define VARIABLE(text, place, is_parameter)                                                          \
    {                                                                                                \
        .name = text, .unit = "", .display_unit = "", .description = "", .slot = place,              \
        .kind = is_parameter ? VARIABLE_PARAMETER : VARIABLE_CONTINUOUS, .is_settable = is_parameter \
    }

static const ModelVariable variables[] = { VARIABLE("y0", 0, false), VARIABLE("y1", 1, false),
                                           VARIABLE("a", 2, true),   VARIABLE("b", 3, true),
                                           VARIABLE("c", 4, true),   VARIABLE("start", 5, true) };
static const unsigned char algebraic[N] = { 0, 1 };
static const double nominal[P] = { 2.0, 0.5, 1.0, 1.0 };
static const double stop = 2.0;
static const int wrt[P] = { 2, 3, 4, 5 };

/* ---- what it should be ----------------------------------------------------------------------- */

typedef long double Wide;

/* y0' by Newton's method for y0' and y1. */
static Wide slope(const Wide *p, Wide y0, Wide *y1, Wide *s)
{
    for (int k = 0; k < 12; k++) {
        Wide f = *s * *s * *s + p[2] * *s + p[0] * y0 * *y1,
             g = *y1 + p[1] * *y1 * *y1 * *y1 - y0 - 0.1L * *s;
        Wide fs = 3 * *s * *s + p[2], fy = p[0] * y0, gs = -0.1L, gy = 1 + 3 * p[1] * *y1 * *y1,
             det = fs * gy - fy * gs;
        *s -= (f * gy - fy * g) / det;
        *y1 -= (fs * g - gs * f) / det;
    }
    return *s;
}

/* y0 and y1 at the end by Runge's method of order four with extrapolation. */
static void end_of(const Wide *p, int steps, Wide *end)
{
    Wide y0 = p[3], y1 = 0.5L, s = 0, h = (Wide)stop / steps;
    for (int k = 0; k < steps; k++) {
        Wide k1 = slope(p, y0, &y1, &s), k2 = slope(p, y0 + h / 2 * k1, &y1, &s),
             k3 = slope(p, y0 + h / 2 * k2, &y1, &s), k4 = slope(p, y0 + h * k3, &y1, &s);
        y0 += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    slope(p, y0, &y1, &s);
    end[0] = y0;
    end[1] = y1;
}

static void find_wanted(double want[N][P])
{
    for (int j = 0; j < P; j++) {
        Wide sum[N] = { 0 }, h = 1e-3L;
        static const Wide weight[] = { 0.75L, -0.15L, 1.0L / 60 };
        for (int k = 1; k <= 3; k++)
            for (int side = -1; side <= 1; side += 2) {
                Wide p[P], end[N];
                for (int i = 0; i < P; i++) p[i] = nominal[i];
                p[j] += side * k * h;
                end_of(p, 2000, end);
                for (int i = 0; i < N; i++) sum[i] += side * weight[k - 1] * end[i];
            }
        for (int i = 0; i < N; i++) want[i][j] = (double)(sum[i] / h);
    }
}

/* ---- ways ------------------------------------------------------------------------------------ */

static const ModelType with_jacobian = { .residual = residual,
                                         .residual_jacobian = residual_jacobian,
                                         .initialise = initialise,
                                         .event = event,
                                         .values = values,
                                         .set = set };
static const ModelType alone = {
    .residual = residual, .initialise = initialise, .event = event, .values = values, .set = set
};

static const struct {
    const char *name;
    const ModelType *type;
    bool has_products;
} forms[] = { { "products", &with_jacobian, true },
              { "Jacobian", &with_jacobian, false },
              { "differences", &alone, false } };

typedef struct {
    Reaction data;
    Model inner, *model;
} World;

static bool open_world(World *w, size_t form)
{
    const char *fault;
    char why[100];
    ModelShape shape = { .name = "reaction",
                         .n = N,
                         .algebraic = algebraic,
                         .variables = variables,
                         .variable_count = N + P,
                         .value_count = N + P };
    memcpy(w->data.p, nominal, sizeof nominal);
    if (!CHECK_ROW(model_init(&w->inner, forms[form].type, &shape, &w->data, &fault), forms[form].name))
        return false;
    SensImplicit job = { &w->inner, forms[form].has_products ? forward : NULL,
                         forms[form].has_products ? back : NULL };
    w->model = sens_implicit_new(&job, why, sizeof why);
    return CHECK_ROW(w->model, forms[form].name);
}

static void compare(const char *form, const char *way, int of, const double *got, double want[N][P],
                    double within)
{
    for (int j = 0; j < P; j++)
        if (!CHECK_NEAR(got[j], want[of][j], within))
            printf("  %s, %s, y%d in %s: %.12g, not %.12g\n", form, way, of, variables[wrt[j]].name, got[j],
                   want[of][j]);
}

typedef struct {
    ResultSink sink;
    double last[2 * (N + P) + N * P];
    size_t n;
} Last;
static bool begin(ResultSink *sink, const Column *columns, size_t n, const double *row)
{
    (void)sink, (void)columns, (void)n, (void)row;
    return true;
}
static bool keep(ResultSink *sink, double t, const double *row)
{
    Last *last = (Last *)sink;
    (void)t;
    memcpy(last->last, row, last->n * sizeof *row);
    return true;
}
static bool finish(ResultSink *sink) { return !sink->failed; }
static void done(ResultSink *sink) { (void)sink; }

static void test_ahead(size_t form, const char *solver, double want[N][P], double within)
{
    static const SinkType type = { begin, keep, finish, done };
    static const int of[N] = { 0, 1 };
    World w;
    char why[200];
    SimReport report;
    if (!open_world(&w, form)) return;
    Model *carrying = sens_forward_new(w.model, wrt, P, nominal, of, N, why, sizeof why);
    SimOptions o = sim_options(0, stop, 1e-9);
    Last last = { .sink = { .type = &type } };
    if (CHECK_ROW(carrying, forms[form].name)) {
        last.n = (size_t)carrying->shape.value_count;
        o.solver = solver_find(solver);
        o.sink = &last.sink;
        o.points = 1;
        if (!CHECK_ROW(sim_run(carrying, &o, &report), solver))
            printf("  %s: %s\n", forms[form].name, report.message);
        for (int i = 0; i < N; i++)
            compare(forms[form].name, solver, i, last.last + sens_forward_slot(carrying, i, 0), want, within);
        sens_forward_free(carrying);
    }
    sens_implicit_free(w.model);
}

static void test_back(size_t form, double want[N][P])
{
    for (int of = 0; of < N; of++) {
        World w;
        double value, gradient[P];
        char warning[240];
        SimReport report;
        SensAdjointStats stats;
        if (!open_world(&w, form)) return;
        SimOptions o = sim_options(0, stop, 1e-9);
        o.solver = solver_find("radau5");
        SensAdjoint job = { .of = of, .wrt = wrt, .count = P };
        if (!CHECK_ROW(sens_adjoint(w.model, &o, &job, &value, gradient, &report, &stats), forms[form].name))
            printf("  %s\n", report.message);
        compare(forms[form].name, "adjoint", of, gradient, want, 1e-7);
        SensSteps *steps = sens_steps_new(w.model, &o, 0, &report);
        if (CHECK_ROW(steps && sens_steps_back(steps, w.model, wrt, P, of, &value, gradient, warning,
                                               sizeof warning),
                      forms[form].name))
            compare(forms[form].name, "steps back", of, gradient, want, 1e-7);
        sens_steps_free(steps);
        sens_implicit_free(w.model);
    }
}

int main(void)
{
    static const char *const solvers[] = { "radau5", "bdf", "dassl", "ida", "auto" };
    double want[N][P];
    find_wanted(want);
    for (size_t form = 0; form < sizeof forms / sizeof forms[0]; form++) {
        for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++)
            test_ahead(form, solvers[k], want, k ? 1e-6 : 1e-8);
        test_back(form, want);
    }
    World w = { .model = NULL };
    char why[100];
    ModelShape shape = { .name = "none", .n = N };
    const char *fault;
    static const ModelType bare = { .residual = residual };
    if (CHECK(model_init(&w.inner, &bare, &shape, &w.data, &fault))) {
        SensImplicit job = { .model = &w.inner };
        CHECK(!sens_implicit_new(&job, why, sizeof why) && strstr(why, "missing"));
    }
    return test_end();
}
