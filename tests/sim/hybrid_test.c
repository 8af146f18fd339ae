/* Events come at their times, whatever the integrator: state events, time events, hysteresis; two
 * rows with the same time at each; endless events are recognised and named; what fails says where
 * and leaves its rows. */
#include "models.h"

#include <math.h>

/* ---- the bouncing ball with every integrator against its closed form ------------------------- */

static double bounce_time(int k, double e)
{
    double first = sqrt(2.0 / GRAVITY), v = sqrt(2.0 * GRAVITY), t = first;
    for (int i = 0; i < k; i++) t += 2.0 * v * pow(e, i + 1) / GRAVITY;
    return t;
}

static void check_ball(const SolverType *type)
{
    static const signed char falling[] = { -1 };
    Instance i;
    SimReport report;
    make_model(&i, &ball, 2, 1, 0.8);
    i.model.shape.directions = falling;
    SimOptions o = sim_options(0.0, 2.5, 1e-6);
    o.solver = type;
    ResultTable *table = run_model(&i, &o, &report);
    double tolerance = type && type->order_most < 2 ? 5e-3 : 2e-5;
    const char *name = type ? type->name : "auto";
    CHECK_ROW(report.end == SIM_DONE && report.t == 2.5, name);
    CHECK_ROW(report.stats.state_events == 4 && report.stats.restarts == 4, name);
    CHECK_ROW(table->rows == 501 + 2 * 4, name);
    const Signal *x = result_find(table, "x"), *v = result_find(table, "v"), *d = result_find(table, "d");
    int events = 0, wrong = 0;
    for (size_t k = 1; k < table->rows; k++) {
        double t = signal_at(&table->time, k);
        wrong += t < signal_at(&table->time, k - 1) || signal_at(x, k) < -1e-9;
        if (t != signal_at(&table->time, k - 1)) continue;
        wrong += fabs(t - bounce_time(events, 0.8)) > tolerance;
        wrong += fabs(signal_at(v, k) + 0.8 * signal_at(v, k - 1)) > 1e-12;
        wrong += signal_at(d, k - 1) != events || signal_at(d, k) != events + 1;
        events++;
    }
    CHECK_ROW(wrong == 0 && events == 4, name);
    CHECK_ROW(i.memory.accepted >= report.stats.work.steps, name);
    result_free(table);
}

/* A ball that is put to rest when an impact finds it hardly moving passes through all its bounces:
 * many events in a short time are no chattering as long as they end. */
static EvalStatus rest_f(Model *model, double t, const double *y, double *f)
{
    ball_f(model, t, y, f);
    if (memory_of(model)->u > 0.0) f[0] = f[1] = 0.0;
    return EVAL_OK;
}

static EvalStatus rest_event(Model *model, double t, double *y, EventInfo *info)
{
    ball_event(model, t, y, info);
    if (!info->y_changed || y[1] > 1e-6) return EVAL_OK;
    y[1] = 0.0;
    memory_of(model)->u = 1.0;
    return EVAL_OK;
}

static EvalStatus rest_indicator(Model *model, double t, const double *y, double *g)
{
    (void)t;
    g[0] = memory_of(model)->u > 0.0 ? 1.0 : y[0];
    return EVAL_OK;
}

static void check_rest(const char *solver, double e)
{
    static const ModelType resting = { .derivatives = rest_f,
                                       .indicators = rest_indicator,
                                       .initialise = ball_start,
                                       .event = rest_event,
                                       .values = common_values };
    static const signed char falling[] = { -1 };
    Instance i;
    SimReport report;
    make_model(&i, &resting, 2, 1, e);
    i.model.shape.directions = falling;
    SimOptions o = sim_options(0.0, 20.0, 1e-6);
    o.solver = solver_find(solver);
    ResultTable *table = run_model(&i, &o, &report);
    if (!CHECK_ROW(report.end == SIM_DONE, solver)) printf("  %s\n", report.message);
    CHECK_ROW(report.stats.state_events > 20 &&
                  fabs(signal_at(result_find(table, "x"), table->rows - 1)) < 1e-9,
              solver);
    result_free(table);
}

/* Without a direction the way back up is an event, too: one at which nothing changes. */
static void check_unchanged(const SolverType *type)
{
    Instance i;
    SimReport report;
    make_model(&i, &ball, 2, 1, 0.8);
    SimOptions o = sim_options(0.0, 1.0, 1e-6);
    o.solver = type;
    ResultTable *table = run_model(&i, &o, &report);
    CHECK_ROW(report.end == SIM_DONE && report.stats.state_events == 2 && report.stats.restarts == 1,
              type->name);
    double after = 1.0 - bounce_time(0, 0.8), v = 0.8 * sqrt(2.0 * GRAVITY);
    double tolerance = type->order_most < 2 ? 1e-2 : 1e-4;
    const Signal *x = result_find(table, "x");
    CHECK_NEAR(signal_at(x, table->rows - 1), v * after - 0.5 * GRAVITY * after * after, tolerance);
    result_free(table);
}

/* ---- the ball with an algebraic unknown, the energy; as L y' = f and as F(t, y, y') = 0 ------ */

static double energy(const double *y) { return 0.5 * y[1] * y[1] + GRAVITY * y[0]; }

static EvalStatus dae_f(Model *model, double t, const double *y, double *f)
{
    ball_f(model, t, y, f);
    f[2] = energy(y) - y[2];
    return EVAL_OK;
}

static EvalStatus dae_residual(Model *model, double t, const double *y, const double *yp, double *r)
{
    double f[3];
    dae_f(model, t, y, f);
    r[0] = yp[0] - f[0];
    r[1] = yp[1] - f[1];
    r[2] = -f[2];
    return EVAL_OK;
}

static EvalStatus dae_start(Model *model, double t, double *y, EventInfo *info)
{
    ball_start(model, t, y, info);
    y[2] = energy(y);
    return EVAL_OK;
}

static EvalStatus dae_event(Model *model, double t, double *y, EventInfo *info)
{
    ball_event(model, t, y, info);
    y[2] = energy(y);
    return EVAL_OK;
}

static EvalStatus dae_values(Model *model, double t, const double *y, double *values)
{
    (void)t;
    memcpy(values, y, 3 * sizeof *y);
    values[2] = memory_of(model)->d;
    values[3] = values[4] = 0.0;
    values[5] = y[2];
    return EVAL_OK;
}

static void check_dae(const SolverType *type, bool residual)
{
    static const ModelType forms[2] = { { .derivatives = dae_f,
                                          .indicators = height_indicator,
                                          .initialise = dae_start,
                                          .event = dae_event,
                                          .values = dae_values },
                                        { .residual = dae_residual,
                                          .indicators = height_indicator,
                                          .initialise = dae_start,
                                          .event = dae_event,
                                          .values = dae_values } };
    static const double mass[3] = { 1.0, 1.0, 0.0 };
    static const unsigned char algebraic[3] = { 0, 0, 1 };
    static const signed char falling[] = { -1 };
    static const char *const names[] = { "x", "v", "energy" };
    Instance i;
    SimReport report;
    const char *why;
    make_model(&i, &ball, 2, 1, 0.8);
    ModelShape shape = i.model.shape;
    shape.n = 3;
    shape.names = names;
    shape.mass = residual ? NULL : mass;
    shape.algebraic = algebraic;
    shape.directions = falling;
    CHECK(model_init(&i.model, &forms[residual], &shape, &i.memory, &why));
    SimOptions o = sim_options(0.0, 2.0, 1e-6);
    o.solver = type;
    ResultTable *table = run_model(&i, &o, &report);
    const char *name = type ? type->name : "auto";
    double tolerance = type && type->order_most < 2 ? 1e-2 : 1e-4;
    if (!CHECK_ROW(report.end == SIM_DONE && report.stats.state_events == 3, name))
        printf("  %s\n", report.message);
    double after = 2.0 - bounce_time(2, 0.8), v = 0.8 * 0.8 * 0.8 * sqrt(2.0 * GRAVITY);
    if (table->rows)
        CHECK_NEAR(signal_at(result_find(table, "x"), table->rows - 1),
                   v * after - 0.5 * GRAVITY * after * after, tolerance);
    result_free(table);
}

/* ---- a thermostat: x' = d p - x, off above 2, on below 1: the period is known ---------------- */

static EvalStatus thermostat_f(Model *model, double t, const double *y, double *f)
{
    (void)t;
    f[0] = memory_of(model)->d * memory_of(model)->p - y[0];
    return EVAL_OK;
}

static EvalStatus thermostat_indicator(Model *model, double t, const double *y, double *g)
{
    (void)t;
    g[0] = y[0] - (memory_of(model)->d > 0.0 ? 2.0 : 1.0);
    return EVAL_OK;
}

static EvalStatus thermostat_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)t;
    y[0] = 1.0;
    memory_of(model)->d = 1.0;
    info->next_time = INFINITY;
    return EVAL_OK;
}

static EvalStatus thermostat_event(Model *model, double t, double *y, EventInfo *info)
{
    Memory *m = memory_of(model);
    double before = m->d;
    (void)t;
    if (m->d > 0.0 && y[0] >= 2.0)
        m->d = 0.0;
    else if (m->d <= 0.0 && y[0] <= 1.0)
        m->d = 1.0;
    *info = (EventInfo){ .rhs_changed = m->d != before, .next_time = INFINITY, .iterations = 2 };
    return EVAL_OK;
}

static void check_thermostat(const SolverType *type)
{
    static const ModelType thermostat = { .derivatives = thermostat_f,
                                          .indicators = thermostat_indicator,
                                          .initialise = thermostat_start,
                                          .event = thermostat_event,
                                          .values = common_values };
    Instance i;
    SimReport report;
    make_model(&i, &thermostat, 1, 1, 4.0);
    SimOptions o = sim_options(0.0, 10.0, 1e-7);
    o.solver = type;
    o.points = 100;
    ResultTable *table = run_model(&i, &o, &report);
    /* up: 4 - 3 e^-t = 2, down: 2 e^-t = 1 */
    double up = log(1.5), down = log(2.0);
    int events = (int)floor(10.0 / (up + down)) * 2 + (fmod(10.0, up + down) > up);
    /* a hundred tolerances; low orders gather more of them on the way to each event */
    double tolerance = type->order_most < 2 ? 2e-2 : type->order_most < 3 ? 1e-4 : 1e-5, want = 0.0;
    int seen = 0, wrong = 0;
    CHECK_ROW(report.end == SIM_DONE && report.stats.state_events == events, type->name);
    for (size_t k = 1; k < table->rows; k++) {
        double t = signal_at(&table->time, k);
        if (t != signal_at(&table->time, k - 1)) continue;
        want += seen++ % 2 ? down : up;
        wrong += fabs(t - want) > tolerance;
    }
    CHECK_ROW(wrong == 0 && seen == events, type->name);
    result_free(table);
}

/* ---- a sampled controller: x' = d, d = -p x at each tenth of a second ------------------------ */

static EvalStatus held_f(Model *model, double t, const double *y, double *f)
{
    (void)t, (void)y;
    f[0] = memory_of(model)->d;
    return EVAL_OK;
}

static EvalStatus sample(Model *model, double t, double *y, EventInfo *info)
{
    Memory *m = memory_of(model);
    *info = (EventInfo){ .next_time = m->next, .iterations = 1 };
    if (t < m->next) return EVAL_OK;
    m->d = -m->p * y[0];
    m->count++;
    info->rhs_changed = true;
    info->next_time = m->next = 0.1 * m->count;
    if (m->words && t >= 0.7 - 1e-12) {
        info->terminate = true;
        info->message = m->words;
    }
    return EVAL_OK;
}

static EvalStatus sample_start(Model *model, double t, double *y, EventInfo *info)
{
    y[0] = 1.0;
    return sample(model, t, y, info);
}

static const ModelType sampled = {
    .derivatives = held_f, .initialise = sample_start, .event = sample, .values = common_values
};

static void check_sampled(const SolverType *type)
{
    Instance i;
    SimReport report;
    make_model(&i, &sampled, 1, 0, 3.0);
    SimOptions o = sim_options(0.0, 1.0, 1e-6);
    o.solver = type;
    o.points = 40; /* each fourth point is at an event */
    ResultTable *table = run_model(&i, &o, &report);
    CHECK_ROW(report.end == SIM_DONE && report.stats.time_events == 10, type->name);
    CHECK_ROW(table->rows == 41 + 10, type->name);
    const Signal *x = result_find(table, "x");
    CHECK_NEAR(signal_at(x, table->rows - 1), pow(1.0 - 0.3, 10), 1e-9);
    int pairs = 0;
    for (size_t k = 1; k < table->rows; k++)
        if (signal_at(&table->time, k) == signal_at(&table->time, k - 1)) {
            pairs++;
            CHECK(signal_at(&table->time, k) == 0.1 * pairs); /* exactly */
        }
    CHECK_ROW(pairs == 10, type->name);
    result_free(table);
}

static void check_terminate(void)
{
    Instance i;
    SimReport report;
    make_model(&i, &sampled, 1, 0, 3.0);
    i.memory.words = "the tank is full";
    SimOptions o = sim_options(0.0, 1.0, 1e-6);
    ResultTable *table = run_model(&i, &o, &report);
    CHECK(report.end == SIM_TERMINATED);
    CHECK_NEAR(report.t, 0.7, 1e-12);
    CHECK_TEXT(report.message, "the tank is full");
    CHECK(signal_at(&table->time, table->rows - 1) == report.t);
    result_free(table);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static EvalStatus sliding_f(Model *model, double t, const double *y, double *f)
{
    (void)t, (void)y;
    f[0] = memory_of(model)->d;
    return EVAL_OK;
}

static EvalStatus sliding_event(Model *model, double t, double *y, EventInfo *info)
{
    memory_of(model)->d = y[0] > 0.0 ? -1.0 : 1.5;
    *info = (EventInfo){ .rhs_changed = true, .next_time = INFINITY };
    (void)t;
    return EVAL_OK;
}

static EvalStatus one_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)t;
    y[0] = memory_of(model)->p;
    memory_of(model)->d = -1.0;
    info->next_time = INFINITY;
    return EVAL_OK;
}

static EvalStatus no_event(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t, (void)y;
    *info = (EventInfo){ .next_time = INFINITY };
    return EVAL_OK;
}

static EvalStatus root_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = 1.0 + 0.0 * sqrt(1.0 - y[0]);
    return EVAL_OK;
}

static EvalStatus assert_f(Model *model, double t, const double *y, double *f)
{
    f[0] = -y[0];
    if (t <= 0.5) return EVAL_OK;
    memory_of(model)->words = "assertion failed: pressure > 0 (Tank.mo:12)";
    return memory_of(model)->p > 1.0 ? EVAL_FATAL : EVAL_RETRY;
}

static EvalStatus explode_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = y[0] * y[0];
    return EVAL_OK;
}

static EvalStatus bad_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)t, (void)y, (void)info;
    memory_of(model)->words = "division by zero in 'x = 1/p'";
    return EVAL_RETRY;
}

static EvalStatus nan_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t;
    y[0] = NAN;
    info->next_time = INFINITY;
    return EVAL_OK;
}

static EvalStatus bad_event(Model *model, double t, double *y, EventInfo *info)
{
    (void)t, (void)y, (void)info;
    memory_of(model)->words = "the relations 'x > 0' and 'i > 0' exclude each other";
    return EVAL_FATAL;
}

static EvalStatus stuck_event(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)y;
    *info = (EventInfo){ .next_time = t };
    return EVAL_OK;
}

static EvalStatus stuck_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)model;
    y[0] = 1.0;
    info->next_time = t + 0.25;
    return EVAL_OK;
}

#define FAILS(...)                                                \
    {                                                             \
        .values = common_values, .failure = words_of, __VA_ARGS__ \
    }
static const struct {
    const char *name;
    ModelType type;
    int indicators;
    double p, t; /* t: how far it comes; -1: not exactly known */
    const char *message;
} failures[] = {
    { "chattering",
      FAILS(.derivatives = sliding_f, .initialise = one_start, .event = sliding_event,
            .indicators = height_indicator),
      1, 0.5, 0.5, "'x > 0' changed 1000 times" },
    { "sqrt of a negative number", FAILS(.derivatives = root_f, .initialise = one_start, .event = no_event),
      0, 0.5, 0.5, "x" },
    { "an assert", FAILS(.derivatives = assert_f, .initialise = one_start, .event = no_event), 0, 1, 0.5,
      "pressure > 0 (Tank.mo:12)" },
    { "an assert in vain", FAILS(.derivatives = assert_f, .initialise = one_start, .event = no_event), 0, 2,
      -1, "pressure > 0 (Tank.mo:12)" },
    { "blow-up", FAILS(.derivatives = explode_f, .initialise = one_start, .event = no_event), 0, 2, 0.5,
      "x" },
    { "no initial values", FAILS(.derivatives = explode_f, .initialise = bad_start, .event = no_event), 0, 1,
      0, "at t = 0: division by zero" },
    { "NaN at start", FAILS(.derivatives = explode_f, .initialise = nan_start, .event = no_event), 0, 1, 0,
      "initial value of x" },
    { "an event without solution",
      FAILS(.derivatives = sliding_f, .initialise = one_start, .event = bad_event,
            .indicators = height_indicator),
      1, 0.5, 0.5, "exclude each other" },
    { "time events without end",
      FAILS(.derivatives = held_f, .initialise = stuck_start, .event = stuck_event), 0, 0.5, 0.25,
      "repeat without end at t = 0.25" },
};

static void check_failures(void)
{
    static const char *const solvers[] = { "dopri5", "radau5", "bdf", "dassl" };
    for (size_t k = 0; k < COUNT_OF(failures); k++)
        for (size_t s = 0; s < COUNT_OF(solvers); s++) {
            Instance i;
            SimReport report;
            make_model(&i, &failures[k].type, 1, failures[k].indicators, failures[k].p);
            SimOptions o = sim_options(0.0, 1.0, 1e-6);
            o.solver = solver_find(solvers[s]);
            ResultTable *table = run_model(&i, &o, &report);
            CHECK_ROW(report.end == SIM_FAILED, failures[k].name);
            CHECK_ROW(strstr(report.message, failures[k].message) != NULL, failures[k].name);
            CHECK_ROW(failures[k].t < 0.0 || fabs(report.t - failures[k].t) < 1e-3, failures[k].name);
            if (!CHECK_ROW(report.t == 0.0 || table->rows > 20, failures[k].name) ||
                !strstr(report.message, failures[k].message))
                printf("  %s: %zu rows to %g: %s\n", solvers[s], table->rows, report.t, report.message);
            if (table->rows)
                CHECK_ROW(signal_at(&table->time, table->rows - 1) == report.t, failures[k].name);
            result_free(table);
        }
}

/* A model that leaves a state without a number after an event fails by itself; the input was not
 * wrong. */
static EvalStatus nan_event(Model *model, double t, double *y, EventInfo *info)
{
    ball_event(model, t, y, info);
    y[1] = NAN;
    info->y_changed = true;
    return EVAL_OK;
}

static void check_nan(const SolverType *type)
{
    ModelType bad = ball;
    Instance i;
    SimReport report;
    bad.event = nan_event;
    make_model(&i, &bad, 2, 1, 0.8);
    SimOptions o = sim_options(0.0, 1.0, 1e-6);
    o.solver = type;
    ResultTable *table = run_model(&i, &o, &report);
    CHECK_ROW(report.end == SIM_FAILED, type->name);
    CHECK_ROW(strstr(report.message, "after the event the value of v at t = 0.45") != NULL, type->name);
    result_free(table);
}

int main(void)
{
    for (size_t i = 0; i < solver_type_count; i++) {
        check_ball(solver_types[i]);
        check_unchanged(solver_types[i]);
        check_nan(solver_types[i]);
        check_thermostat(solver_types[i]);
        check_sampled(solver_types[i]);
    }
    for (size_t i = 0; i < solver_type_count; i++) {
        if (solver_types[i]->can & (SOLVE_MASS | SOLVE_RESIDUAL)) check_dae(solver_types[i], false);
        if (solver_types[i]->can & SOLVE_RESIDUAL) check_dae(solver_types[i], true);
    }
    check_dae(NULL, false);
    check_dae(NULL, true);
    check_ball(NULL);
    check_rest("dopri5", 0.5);
    check_rest("dopri5", 0.8);
    check_rest("radau5", 0.9);
    check_terminate();
    check_failures();
    return test_end();
}
