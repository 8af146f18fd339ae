/* Derivatives of a system with a mass matrix, L y' = f, as a model of its own: Robertson's
 * reactions with y1 + y2 + y3 = 1 in place of the third equation. Forward by every kind of
 * integrator that takes one, and back, for values that depend on the algebraic unknown at the end,
 * agree with each other and with the system of three differential equations: end and start
 * conditions are right. */
#include "test.h"

#include "sens/sens.h"

#include <string.h>

enum { N = 3, M = 3, SLOTS = 7 }; /* values: y, k, y3 (y1 + 2 k1) */

typedef struct {
    bool is_dae;
    double k[M], y[N];
    ModelMap map;
} Reactions;

static EvalStatus derivatives(Model *model, double t, const double *y, double *f)
{
    const Reactions *r = model->data;
    (void)t;
    double a = r->k[0] * y[0], b = r->k[1] * y[1] * y[2], c = r->k[2] * y[1] * y[1];
    f[0] = b - a;
    f[1] = a - b - c;
    f[2] = r->is_dae ? y[0] + y[1] + y[2] - 1.0 : c;
    return EVAL_OK;
}

static void jacobian_at(const Reactions *r, const double *y, double J[N][N])
{
    double rows[N][N] = { { -r->k[0], r->k[1] * y[2], r->k[1] * y[1] },
                          { r->k[0], -r->k[1] * y[2] - 2.0 * r->k[2] * y[1], -r->k[1] * y[1] },
                          { 0.0, 2.0 * r->k[2] * y[1], 0.0 } };
    for (int j = 0; j < N && r->is_dae; j++) rows[2][j] = 1.0;
    memcpy(J, rows, sizeof rows);
}

static EvalStatus jacobian(Model *model, double t, const double *y, const MatrixShape *order, double *values)
{
    double J[N][N];
    (void)t;
    jacobian_at(model->data, y, J);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) model_put(order, values, i, j, J[i][j]);
    return EVAL_OK;
}

static EvalStatus initialise(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t;
    y[0] = 1.0;
    y[1] = y[2] = 0.0;
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
    const Reactions *r = model->data;
    (void)t;
    memcpy(to, y, N * sizeof *y);
    memcpy(to + N, r->k, M * sizeof *y);
    to[6] = y[2] * (y[0] + 2.0 * r->k[0]);
    return EVAL_OK;
}

static EvalStatus linearise(Model *model, ModelMap map, double t, const double *y)
{
    Reactions *r = model->data;
    (void)t;
    r->map = map;
    if (y) memcpy(r->y, y, sizeof r->y);
    return EVAL_OK;
}

/* All partial derivatives of the present map: results by y, then by k; returns how many results
 * there are. */
static int partials(const Reactions *r, double J[SLOTS][N + M])
{
    const double *y = r->y;
    double f_y[N][N], b = y[1] * y[2], c = y[1] * y[1];
    memset(J, 0, SLOTS * sizeof *J);
    if (r->map == MAP_INITIAL) return N;
    if (r->map == MAP_RESET) {
        for (int i = 0; i < N; i++) J[i][i] = 1.0;
        return N;
    }
    if (r->map == MAP_VALUES) {
        for (int i = 0; i < N + M; i++) J[i][i] = 1.0;
        J[6][0] = y[2];
        J[6][2] = y[0] + 2.0 * r->k[0];
        J[6][3] = 2.0 * y[2];
        return SLOTS;
    }
    jacobian_at(r, y, f_y);
    for (int i = 0; i < N; i++) memcpy(J[i], f_y[i], sizeof f_y[i]);
    J[0][3] = -y[0], J[0][4] = b;
    J[1][3] = y[0], J[1][4] = -b, J[1][5] = -c;
    if (!r->is_dae) J[2][5] = c;
    return N;
}

static EvalStatus jvp(Model *model, int count, const ModelChange *changes, double *const *results)
{
    double J[SLOTS][N + M];
    int n = partials(model->data, J);
    for (int q = 0; q < count; q++)
        for (int i = 0; i < n; i++) {
            results[q][i] = 0.0;
            for (int j = 0; j < N; j++) results[q][i] += changes[q].y ? J[i][j] * changes[q].y[j] : 0.0;
            for (int k = 0; k < changes[q].count; k++)
                results[q][i] += J[i][changes[q].variables[k]] * changes[q].p[k];
        }
    return EVAL_OK;
}

static EvalStatus vjp(Model *model, const double *weights, ModelChange *g)
{
    double J[SLOTS][N + M];
    int n = partials(model->data, J);
    for (int j = 0; j < N && g->y; j++) g->y[j] = 0.0;
    for (int k = 0; k < g->count; k++) g->p[k] = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < N && g->y; j++) g->y[j] += weights[i] * J[i][j];
        for (int k = 0; k < g->count; k++) g->p[k] += weights[i] * J[i][g->variables[k]];
    }
    g->t = 0.0;
    return EVAL_OK;
}

static size_t save_size(const Model *model)
{
    (void)model;
    return 1;
}

static void save(const Model *model, void *to) { (void)model, (void)to; }
static void restore(Model *model, const void *from) { (void)model, (void)from; }

static const ModelType type = { .derivatives = derivatives,
                                .jacobian = jacobian,
                                .initialise = initialise,
                                .event = event,
                                .values = values,
                                .linearise = linearise,
                                .jvp = jvp,
                                .vjp = vjp,
                                .save_size = save_size,
                                .save = save,
                                .restore = restore };

static const double mass[N] = { 1, 1, 0 };
/* places among variables, and among the columns of partials */
static const int wrt[M] = { 3, 4, 5 };

static Model make(Reactions *r, bool is_dae)
{
    static const char *const names[SLOTS] = { "y1", "y2", "y3", "k1", "k2", "k3", "v" };
    static ModelVariable variables[SLOTS];
    static const double nominal[N] = { 1, 1e-5, 1 };
    const char *why;
    Model model;
    *r = (Reactions){ .is_dae = is_dae, .k = { 0.04, 1e4, 3e7 } };
    for (int i = 0; i < SLOTS; i++)
        variables[i] = (ModelVariable){
            names[i],         "", "", "", VARIABLE_REAL, i < N ? VARIABLE_CONTINUOUS : VARIABLE_PARAMETER, i,
            .is_state = i < N
        };
    ModelShape shape = { .name = "reactions",
                         .n = N,
                         .nominal = nominal,
                         .mass = is_dae ? mass : NULL,
                         .variables = variables,
                         .variable_count = SLOTS,
                         .value_count = SLOTS };
    CHECK(model_init(&model, &type, &shape, r, &why));
    return model;
}

static bool begin(ResultSink *sink, const Column *columns, size_t n, const double *first)
{
    (void)sink, (void)columns, (void)n, (void)first;
    return true;
}

typedef struct {
    ResultSink sink;
    double last[SLOTS + 2 * M];
} Keep;

static bool keep(ResultSink *sink, double t, const double *row)
{
    (void)t;
    memcpy(((Keep *)sink)->last, row, sizeof((Keep *)sink)->last);
    return true;
}

static bool end(ResultSink *sink) { return !sink->failed; }
static void nothing(ResultSink *sink) { (void)sink; }

static const int of[] = { 2, 6 };

/* Derivatives of y3 and of v in k1, k2, k3. */
static bool forward(bool is_dae, const char *solver, double tol, double *out)
{
    static const SinkType keep_type = { begin, keep, end, nothing };
    Reactions r;
    Model model = make(&r, is_dae);
    char why[200];
    Keep rows = { { .type = &keep_type }, { 0 } };
    Model *whole = sens_forward_new(&model, wrt, M, r.k, of, 2, why, sizeof why);
    if (!CHECK(whole != NULL)) return false;
    SimOptions o = sim_options(0, 40, tol);
    SimReport report;
    o.sink = &rows.sink;
    o.points = 1;
    o.solver = solver_find(solver);
    bool ok = CHECK_ROW(sim_run(whole, &o, &report), solver);
    if (!ok) printf("  %s\n", report.message);
    for (int i = 0; i < 2 * M; i++) out[i] = rows.last[SLOTS + i];
    sens_forward_free(whole);
    return ok;
}

static bool back(bool is_dae, const char *solver, double tol, size_t memory, int what, double *out)
{
    Reactions r;
    Model model = make(&r, is_dae);
    SimOptions o = sim_options(0, 40, tol);
    SimReport report;
    SensAdjointStats stats;
    SensAdjoint job = { .of = what, .wrt = wrt, .count = M, .memory = memory };
    double value;
    o.solver = solver_find(solver);
    bool ok = CHECK_ROW(sens_adjoint(&model, &o, &job, &value, out, &report, &stats), solver);
    if (!ok) printf("  %s\n", report.message);
    if (memory) CHECK(stats.recomputed > 0 && stats.checkpoints > 1);
    return ok;
}

static void compare(const char *what, const double *got, const double *want, int n, double within)
{
    for (int i = 0; i < n; i++)
        if (!CHECK_ROW(fabs(got[i] - want[i]) <= within * fabs(want[i]), what))
            printf("  derivative %d is %.12g, not %.12g\n", i, got[i], want[i]);
}

int main(void)
{
    static const char *const takes_mass[] = { "radau5", "radau", "gauss6", "bdf", "dassl", "ida" };
    double want[2 * M], got[2 * M];
    if (!forward(false, "radau5", 1e-10, want)) return test_end();
    for (size_t k = 0; k < COUNT_OF(takes_mass); k++) {
        double within = k < 2 ? 1e-6 : 1e-5;
        if (forward(true, takes_mass[k], 1e-8, got)) compare(takes_mass[k], got, want, 2 * M, within);
        for (int i = 0; i < 2; i++)
            if (back(true, takes_mass[k], 1e-9, 0, of[i], got))
                compare(takes_mass[k], got, want + i * M, M, 1e-5);
    }
    if (back(true, "radau5", 1e-9, 2000, 6, got)) compare("checkpoints", got, want + M, M, 1e-5);
    return test_end();
}
