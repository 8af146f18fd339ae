/* The driver keeps its promises around the integrator: output grids, own steps, filters, interrupts
 * and time limits that leave rows, full disks, refusals, the choice of an integrator, models
 * without states, statistics. */
#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* x' = -p (x - cos t): stiff for large p; p changes to 1e6 * p where t > d, if d is not 0. */
static EvalStatus relax_f(Model *model, double t, const double *y, double *f)
{
    const Memory *m = memory_of(model);
    double rate = m->d > 0.0 && t > m->d ? 1e5 * m->p : m->p;
    f[0] = -rate * (y[0] - cos(t));
    return EVAL_OK;
}

static EvalStatus relax_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t;
    for (int i = 0; i < model->shape.n; i++) y[i] = 1.0;
    info->next_time = INFINITY;
    return EVAL_OK;
}

static EvalStatus nothing(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t, (void)y;
    *info = (EventInfo){ .next_time = INFINITY };
    return EVAL_OK;
}

static const ModelType relax = {
    .derivatives = relax_f, .initialise = relax_start, .event = nothing, .values = common_values
};

static const struct {
    double t0, t_end;
    long points;
    double interval;
    size_t rows;
} grids[] = {
    { 0.0, 1.0, 500, 0, 501 }, { 0.0, 1.0, 1, 0, 2 },       { 0.0, 1.0, 0, 0.1, 11 }, { 0.0, 1.0, 0, 0.3, 5 },
    { 2.0, 2.0, 10, 0, 1 },    { -1e6, -1e6 + 1, 7, 0, 8 }, { 0.0, 3e-9, 10, 0, 11 }, { 0.0, 1.0, 0, 5.0, 2 },
};

static void check_grids(void)
{
    for (size_t k = 0; k < COUNT_OF(grids); k++) {
        char name[64];
        Instance i;
        SimReport report;
        snprintf(name, sizeof name, "points %ld, interval %g", grids[k].points, grids[k].interval);
        make_model(&i, &relax, 1, 0, 1.0);
        SimOptions o = sim_options(grids[k].t0, grids[k].t_end, 1e-6);
        o.points = grids[k].points;
        o.interval = grids[k].interval;
        ResultTable *table = run_model(&i, &o, &report);
        CHECK_ROW(report.end == SIM_DONE && table->rows == grids[k].rows, name);
        CHECK_ROW(report.stats.rows == (long)table->rows, name);
        CHECK_ROW(signal_at(&table->time, 0) == grids[k].t0, name);
        CHECK_ROW(signal_at(&table->time, table->rows - 1) == grids[k].t_end, name);
        result_free(table);
    }
}

static void check_own_steps(void)
{
    Instance i;
    SimReport report;
    make_model(&i, &relax, 1, 0, 1.0);
    SimOptions o = sim_options(0.0, 10.0, 1e-6);
    o.points = 0;
    ResultTable *table = run_model(&i, &o, &report);
    CHECK((long)table->rows == report.stats.work.steps + 1);
    const Signal *x = result_find(table, "x");
    double worst = 0.0;
    for (size_t k = 0; k < table->rows; k++) {
        double t = signal_at(&table->time, k), want = 0.5 * (cos(t) + sin(t)) + 0.5 * exp(-t);
        worst = fmax(worst, fabs(signal_at(x, k) - want));
    }
    CHECK_NEAR(worst, 0.0, 1e-5);
    CHECK(signal_at(result_find(table, "minus_x"), 3) == -signal_at(x, 3));
    CHECK(result_find(table, "text") == NULL); /* texts are not numbers */
    result_free(table);
}

static bool wants_x(void *arg, const ModelVariable *variable) { return !strcmp(variable->name, arg); }

static void stop_at_progress(void *arg, double t) { *(volatile sig_atomic_t *)arg = t > 0.0; }

static void check_stops(void)
{
    volatile sig_atomic_t flag = 1, flag_of_progress = 0;
    Instance i;
    SimReport report;
    make_model(&i, &relax, 1, 0, 1.0);
    SimOptions o = sim_options(0.0, 1.0, 1e-6);
    char only[] = "x";
    o.interrupt = &flag;
    o.wants = wants_x;
    o.wants_arg = only;
    ResultTable *table = run_model(&i, &o, &report);
    CHECK(report.end == SIM_INTERRUPTED && strstr(report.message, "interrupted at t = 0") &&
          table->rows == 1);
    CHECK(table->count == 1);
    result_free(table);
    /* a run that would take days ends when its progress is shown, or when its time is over */
    o.t_end = 1e9;
    o.solver_options.max_step = 1e-3;
    o.points = 1000000000;
    o.progress = stop_at_progress;
    o.progress_arg = (void *)&flag_of_progress;
    o.interrupt = &flag_of_progress;
    table = run_model(&i, &o, &report);
    CHECK(report.end == SIM_INTERRUPTED && report.t > 0.0);
    CHECK(table->rows > 1 && signal_at(&table->time, table->rows - 1) == report.t);
    result_free(table);
    o.interrupt = NULL;
    o.progress = NULL;
    o.time_limit = 1e-3;
    table = run_model(&i, &o, &report);
    CHECK(report.end == SIM_TIME_LIMIT && strstr(report.message, "time limit of 0.001 s"));
    CHECK(signal_at(&table->time, table->rows - 1) == report.t);
    result_free(table);
}

/* A model that is not done until somebody stops it: where it asks, that ends the run, and the
 * message says where it was. */
static struct {
    bool (*interrupt)(void *arg);
    void *arg;
} watched;

static void set_interrupt(Model *model, bool (*interrupt)(void *arg), void *arg)
{
    (void)model;
    watched.interrupt = interrupt;
    watched.arg = arg;
}

static EvalStatus ask_for_long(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t, (void)y, (void)info;
    if (!CHECK(watched.interrupt != NULL)) return EVAL_FATAL;
    while (!watched.interrupt(watched.arg)) {
    }
    return EVAL_FATAL;
}

static bool always(Model *model, double t, const double *y)
{
    (void)model, (void)t, (void)y;
    return true;
}

static void check_long_solutions(void)
{
    static const ModelType long_start = { .derivatives = relax_f,
                                          .initialise = ask_for_long,
                                          .set_interrupt = set_interrupt,
                                          .event = nothing,
                                          .values = common_values },
                           long_event = { .derivatives = relax_f,
                                          .initialise = relax_start,
                                          .set_interrupt = set_interrupt,
                                          .accepted = always,
                                          .event = ask_for_long,
                                          .values = common_values };
    static const struct {
        const ModelType *type;
        double limit; /* 0: interrupted */
        SimEnd end;
        const char *says;
    } rows[] = {
        { &long_start, 0.0, SIM_INTERRUPTED,
          "interrupted at t = 0, while the initial equations were solved" },
        { &long_start, 1e-3, SIM_TIME_LIMIT, "while the initial equations were solved" },
        { &long_event, 1e-3, SIM_TIME_LIMIT, "while the equations were solved after the event" },
    };
    volatile sig_atomic_t flag = 1;
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        Instance i;
        SimReport report;
        make_model(&i, rows[k].type, 1, 0, 1.0);
        SimOptions o = sim_options(0.0, 1.0, 1e-6);
        o.time_limit = rows[k].limit;
        if (rows[k].limit == 0.0) o.interrupt = &flag;
        result_free(run_model(&i, &o, &report));
        if (!CHECK_ROW(report.end == rows[k].end && strstr(report.message, rows[k].says), rows[k].says))
            printf("  %s\n", report.message);
        CHECK_ROW(!watched.interrupt, rows[k].says);
    }
}

static void check_refusals(void)
{
    static const ModelType plain = { .derivatives = relax_f };
    static const struct {
        double t_end, tol, interval;
        const char *why;
    } wrong[] = {
        { -1, 1e-6, 0, "no length" }, { NAN, 1e-6, 0, "no length" }, { 1, 0, 0, "tolerance" },
        { 1, NAN, 0, "tolerance" },   { 1, 1e-6, -1, "negative" },   { 1, 1e-20, 0, "more digits" },
    };
    Instance i;
    SimReport report;
    for (size_t k = 0; k < COUNT_OF(wrong); k++) {
        make_model(&i, &relax, 1, 0, 1.0);
        SimOptions o = sim_options(0.0, wrong[k].t_end, wrong[k].tol);
        o.interval = wrong[k].interval;
        ResultTable *table = run_model(&i, &o, &report);
        CHECK_ROW(report.end >= SIM_FAILED && strstr(report.message, wrong[k].why), wrong[k].why);
        result_free(table);
    }
    make_model(&i, &plain, 1, 0, 1.0);
    SimOptions o = sim_options(0.0, 1.0, 1e-6);
    CHECK(!sim_run(&i.model, &o, &report) && report.end == SIM_WRONG);
    make_model(&i, &relax, 1, 0, 1.0);
    o.solver_options.fixed_step = -1.0;
    CHECK(!sim_run(&i.model, &o, &report) && report.end == SIM_WRONG);
}

/* A disk that is full ends the run with the system's reason. */
static void check_full_disk(void)
{
    char dir[] = "/tmp/acausal-sim-XXXXXX", path[64], why[240];
    if (!mkdtemp(dir)) return;
    snprintf(path, sizeof path, "%s/full.csv", dir);
    if (!symlink("/dev/full", path)) {
        Instance i;
        SimReport report;
        make_model(&i, &relax, 1, 0, 1.0);
        SimOptions o = sim_options(0.0, 1.0, 1e-6);
        o.sink = sink_open_file(path, why, sizeof why);
        CHECK(!sim_run(&i.model, &o, &report) && report.end == SIM_FAILED);
        CHECK(strstr(report.message, "No space left") != NULL);
        sink_free(o.sink);
        unlink(path);
    }
    rmdir(dir);
}

static const struct {
    double rate, tol, turns; /* turns: when the model becomes stiff; 0: never */
    const char *choice;
} choices[] = {
    { 1.0, 1e-6, 0, "dopri5 since t = 0:" },
    { 1.0, 1e-10, 0, "dop853 since t = 0:" },
    { 1e5, 1e-6, 0, "radau since t = 0" },
    { 1.0, 1e-6, 2.0, "radau since t = 2" },
};

static void check_choice(void)
{
    for (size_t k = 0; k < COUNT_OF(choices); k++) {
        Instance i;
        SimReport report;
        make_model(&i, &relax, 1, 0, choices[k].rate);
        i.memory.d = choices[k].turns;
        SimOptions o = sim_options(0.0, 10.0, choices[k].tol);
        ResultTable *table = run_model(&i, &o, &report);
        CHECK_TEXT(report.stats.solver, "auto");
        if (!CHECK(report.end == SIM_DONE && strstr(report.stats.choice, choices[k].choice)))
            printf("  %s\n", report.stats.choice);
        if (choices[k].turns > 0.0)
            CHECK_NEAR(signal_at(result_find(table, "x"), table->rows - 1), cos(10.0), 1e-4);
        CHECK(table->rows == 501);
        CHECK(report.stats.work.steps < 20000);
        result_free(table);
    }
}

/* No states: d counts how often sin t changes its sign, found by time alone. */
static EvalStatus sine_indicator(Model *model, double t, const double *y, double *g)
{
    (void)model, (void)y;
    g[0] = sin(t);
    return EVAL_OK;
}

static EvalStatus count_event(Model *model, double t, double *y, EventInfo *info)
{
    (void)t, (void)y;
    memory_of(model)->d++;
    *info = (EventInfo){ .next_time = INFINITY, .rhs_changed = true };
    return EVAL_OK;
}

static void check_no_states(void)
{
    static const ModelType counter = { .derivatives = relax_f,
                                       .initialise = relax_start,
                                       .event = count_event,
                                       .values = common_values,
                                       .indicators = sine_indicator };
    Instance i;
    SimReport report;
    make_model(&i, &counter, 0, 1, 1.0);
    SimOptions o = sim_options(0.5, 100.0, 1e-6);
    ResultTable *table = run_model(&i, &o, &report);
    CHECK(report.end == SIM_DONE && report.stats.state_events == 31); /* floor(100 / pi) */
    CHECK(table->rows == 501 + 62);
    result_free(table);
}

static void check_stats(void)
{
    Instance i;
    SimReport report;
    make_model(&i, &ball, 2, 1, 0.8);
    SimOptions o = sim_options(0.0, 1.0, 1e-6);
    o.solver = solver_find("radau5");
    CHECK(sim_run(&i.model, &o, &report)); /* no sink: statistics only */
    CHECK(report.stats.rows == 0 && report.stats.work.jacobians > 0 && report.stats.total_s > 0.0);
    Arena *arena = arena_new();
    Text text = { .arena = arena };
    sim_write_stats(&report, true, &text);
    CHECK(strstr(text.at, "{\"end\":\"done\",\"t\":1,\"solver\":\"radau5\"") &&
          strstr(text.at, "\"state_events\":2"));
    text.n = 0;
    sim_write_stats(&report, false, &text);
    CHECK(strstr(text.at, "radau5 (as asked for)") && strstr(text.at, "state events"));
    arena_free(arena);
}

static void check_named_options(void)
{
    static const struct {
        const char *key, *value, *why; /* NULL: taken */
    } given[] = {
        { "max-step", "0.25", NULL },
        { "max-steps", "1000", NULL },
        { "max-order", "3", NULL },
        { "jacobian", "differences", NULL },
        { "restart", "rk-state", NULL },
        { "restart-order", "4", NULL },
        { "restart", "sometimes", "rk-nordsieck" },
        { "rtol", "1e-3", NULL },
        { "max-stp", "1", "did you mean 'max-step'" },
        { "colour", "red", "there is no option 'colour'" },
        { "max-step", "-1", "should be a positive number" },
        { "max-step", "1x", "should be a positive number" },
        { "max-steps", "1.5", "positive whole number" },
        { "max-order", "1000", "from 1 to 100" },
        { "jacobian", "guess", "'jacobian=guess' should be auto, exact, " },
        { "jacobian", "colored", "did you mean 'coloured'?" },
        { "increment", "power-of-two", NULL },
        { "increment", "radau", "did you mean 'radau5'?" },
        { "increment-c0", "0", NULL },
        { "increment-c0", "1e-3", NULL },
        { "increment-c0", "-1", "should be a number that is not negative" },
        { "increment-c0", "nan", "should be a number that is not negative" },
        { "increment-post", "3", NULL },
        { "increment-post", "4", "should be none, 1, 2 or 3" },
    };
    char why[240] = "";
    SimOptions o = sim_options(0.0, 1.0, 1e-6);
    for (size_t k = 0; k < COUNT_OF(given); k++) {
        bool taken = sim_set_option(&o, given[k].key, given[k].value, why, sizeof why);
        CHECK_ROW(taken == !given[k].why && (taken || strstr(why, given[k].why)), given[k].value);
    }
    const SolverOptions *s = &o.solver_options;
    CHECK(s->max_step == 0.25 && s->max_steps == 1000 && s->max_order == 3 && s->rtol == 1e-3);
    CHECK(s->jacobian == JACOBIAN_DIFFERENCES && s->increment_post == POST_3 && s->increment_c0 == 1e-3);
    CHECK(s->increment == increment_find("power-of-two"));
}

/* A filter names whole variables. */
static void check_filter(void)
{
    static const struct {
        const char *regex;
        size_t count;
    } filters[] = { { "x", 1 }, { ".*x", 2 }, { "x|v", 2 }, { "[dp]", 2 }, { "none", 0 } };
    char why[240] = "";
    SimFilter filter;
    for (size_t k = 0; k < COUNT_OF(filters); k++) {
        Instance i;
        SimReport report;
        make_model(&i, &relax, 1, 0, 1.0);
        SimOptions o = sim_options(0.0, 1.0, 1e-6);
        CHECK(sim_filter(&o, &filter, filters[k].regex, why, sizeof why));
        ResultTable *table = run_model(&i, &o, &report);
        CHECK_ROW(table->count == filters[k].count && table->rows == 501, filters[k].regex);
        result_free(table);
        sim_filter_free(&filter);
    }
    SimOptions o = sim_options(0.0, 1.0, 1e-6);
    CHECK(!sim_filter(&o, &filter, "(", why, sizeof why) && strstr(why, "'(' is not a regular expression"));
    CHECK(!o.wants);
}

int main(void)
{
    check_named_options();
    check_filter();
    check_grids();
    check_own_steps();
    check_stops();
    check_long_solutions();
    check_refusals();
    check_full_disk();
    check_choice();
    check_no_states();
    check_stats();
    return test_end();
}
