/* Multistep methods: every order shows with fixed steps; stiff problems reach their references with
 * a bounded number of steps; switching finds out what is stiff; a restart where nothing changed
 * costs nothing; many stops on the way do no harm; a large sparse problem runs with a few colours;
 * a discontinuity ends no run without reason. */
#include "solve/robertson.h"
#include "solve/solve.h"
#include "test.h"

#include <float.h>
#include <stdlib.h>

static Model make(const ModelType *type, const ModelShape *shape, void *data)
{
    Model model;
    const char *why;
    CHECK(model_init(&model, type, shape, data, &why));
    return model;
}

/* y = 1 / (2 - sin t) */
static EvalStatus smooth_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    f[0] = y[0] * y[0] * cos(t);
    return EVAL_OK;
}

static double fixed_error(const SolverType *type, int order, int steps)
{
    static const ModelType smooth = { .derivatives = smooth_f };
    static const ModelShape one = { .name = "smooth", .n = 1 };
    Model model = make(&smooth, &one, NULL);
    double y0 = 0.5, worst = 0.0;
    Problem problem = { &model, 0.0, 8.0, &y0, NULL };
    SolverOptions o = solver_options(1e-6, 1e-6);
    SolverFailure why;
    o.fixed_step = 8.0 / steps;
    o.max_order = order;
    Solver *s = solver_create(type, &problem, &o, &why);
    StepStatus status;
    do {
        status = solver_step(s, 8.0);
        worst = fmax(worst, fabs(*solver_y(s) - 1.0 / (2.0 - sin(solver_t(s)))));
    } while (status == STEP_TAKEN);
    CHECK_ROW(status == STEP_LIMIT && solver_stats(s).order_last == order, type->name);
    solver_destroy(s);
    return worst;
}

/* Up to order 8; above it rounding comes before the slope, and nordsieck_test has the order
 * conditions. */
static void check_orders(const char *name, int most)
{
    const SolverType *type = solver_find(name);
    for (int order = 1; order <= most; order++) {
        int steps = 64;
        double coarse = fixed_error(type, order, steps), fine = coarse;
        while (steps < 16384) {
            double finer = fixed_error(type, order, 2 * steps);
            if (finer < 1e-11) break;
            coarse = fine;
            fine = finer;
            steps *= 2;
        }
        double slope = log2(coarse / fine);
        if (!CHECK_ROW(fabs(slope - order) < 0.15, name))
            printf("  order %d: slope %g at %d steps, error %g\n", order, slope, steps, fine);
    }
}

static EvalStatus vdpol_f(Model *model, double t, const double *y, double *f)
{
    (void)t;
    double mu = *(const double *)model->data;
    f[0] = y[1];
    f[1] = mu * ((1.0 - y[0] * y[0]) * y[1] - y[0]);
    return EVAL_OK;
}

static const ModelType robertson = { .derivatives = robertson_f, .jacobian = robertson_jacobian },
                       vdpol = { .derivatives = vdpol_f };
static double mu = 1e6;

/* References: two independent methods at the tightest tolerance (Robertson), the IVP test set (Van
 * der Pol). Tolerances as in the published comparisons, with the digits and steps that must be
 * reached. */
static const struct {
    const char *name, *method;
    const ModelType *type;
    int n;
    double y0[3], t_end, reference[3], rtol, atol[3];
    double digits;
    long steps;
} stiff[] = {
    { "robertson",
      "bdf",
      &robertson,
      3,
      { 1.0, 0.0, 0.0 },
      4e10,
      { 5.20834517958e-8, 2.08333817904e-13, 0.999999947916 },
      1e-6,
      { 1e-14, 1e-20, 1e-8 },
      5.0,
      1250 },
    { "robertson",
      "switching",
      &robertson,
      3,
      { 1.0, 0.0, 0.0 },
      4e10,
      { 5.20834517958e-8, 2.08333817904e-13, 0.999999947916 },
      1e-6,
      { 1e-14, 1e-20, 1e-8 },
      5.0,
      1250 },
    { "vdpol",
      "bdf",
      &vdpol,
      2,
      { 2.0, 0.0 },
      2.0,
      { 1.706167732170483, -0.8928097010247975 },
      1e-6,
      { 1e-10, 1e-10 },
      4.0,
      1800 },
    { "vdpol",
      "switching",
      &vdpol,
      2,
      { 2.0, 0.0 },
      2.0,
      { 1.706167732170483, -0.8928097010247975 },
      1e-6,
      { 1e-10, 1e-10 },
      4.0,
      1800 },
};

static void check_stiff(void)
{
    for (size_t k = 0; k < COUNT_OF(stiff); k++) {
        ModelShape shape = { .name = stiff[k].name, .n = stiff[k].n };
        Model model = make(stiff[k].type, &shape, &mu);
        Problem problem = { &model, 0.0, stiff[k].t_end, stiff[k].y0, NULL };
        SolverOptions o = solver_options(stiff[k].rtol, 0.0);
        SolverFailure why;
        o.atol_each = stiff[k].atol;
        Solver *s = solver_create(solver_find(stiff[k].method), &problem, &o, &why);
        StepStatus status;
        while ((status = solver_step(s, problem.t_end)) == STEP_TAKEN) continue;
        double worst = 0.0;
        for (int i = 0; i < stiff[k].n; i++)
            worst = fmax(worst, fabs(solver_y(s)[i] - stiff[k].reference[i]) /
                                    (fabs(stiff[k].reference[i]) + stiff[k].atol[i] / stiff[k].rtol));
        CHECK_ROW(status == STEP_LIMIT, stiff[k].name);
        if (!CHECK_ROW(-log10(worst) > stiff[k].digits && solver_stats(s).steps < stiff[k].steps,
                       stiff[k].method))
            printf("  %s: %g digits, %ld steps\n", stiff[k].name, -log10(worst), solver_stats(s).steps);
        solver_destroy(s);
    }
}

/* The same oscillator as it creeps and leaps in Lienard's plane. Steps are chaotic: a tolerance
 * that differs by a hundredth moves them as much as rounding does, so this is a mean over
 * tolerances next to each other. */
static EvalStatus leaping_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = mu * (y[0] - y[0] * y[0] * y[0] / 3.0 - y[1]);
    f[1] = y[0] / mu;
    return EVAL_OK;
}

static double leaping_steps(const char *method, double rtol, double atol)
{
    static const ModelType leaping = { .derivatives = leaping_f };
    static const ModelShape two = { .name = "leaping", .n = 2 };
    enum { RUNS = 21 };
    double y0[2] = { 2.0, -2.0 / 3.0 }, sum = 0.0;
    for (int k = 0; k < RUNS; k++) {
        double share = 0.8 + 0.4 * k / (RUNS - 1);
        Model model = make(&leaping, &two, NULL);
        Problem problem = { &model, 0.0, 2e6, y0, NULL };
        SolverOptions o = solver_options(share * rtol, share * atol);
        SolverFailure why;
        Solver *s = solver_create(solver_find(method), &problem, &o, &why);
        StepStatus status;
        while ((status = solver_step(s, problem.t_end)) == STEP_TAKEN) continue;
        CHECK_ROW(status == STEP_LIMIT, method);
        sum += (double)solver_stats(s).steps;
        solver_destroy(s);
    }
    return sum / RUNS;
}

/* Where atol asks for three digits, a small rtol does not make the error test of BDF finer. */
static void check_digits_asked_for(const char *method)
{
    double small = leaping_steps(method, 1e-9, 1e-3), usual = leaping_steps(method, 1e-6, 1e-3);
    if (!CHECK_ROW(small < 340.0 && small < 1.12 * usual, method))
        printf("  steps %g and %g\n", small, usual);
}

static SolverStats run(const char *method, Model *model, const double *y0, double t_end, double rtol,
                       StepStatus *status)
{
    Problem problem = { model, 0.0, t_end, y0, NULL };
    SolverOptions o = solver_options(rtol, rtol);
    SolverFailure why;
    o.max_steps = 100000;
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    while ((*status = solver_step(s, t_end)) == STEP_TAKEN) continue;
    SolverStats stats = solver_stats(s);
    solver_destroy(s);
    return stats;
}

static EvalStatus relaxing_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = 1e9 * (1.0 - y[0]);
    return EVAL_OK;
}

/* When all is at rest, steps of order 1 grow by their errors: a hundredfold twice in three or four
 * of them. */
static void check_growth_at_rest(const char *method)
{
    static const ModelType relaxing = { .derivatives = relaxing_f };
    static const ModelShape one = { .name = "relaxing", .n = 1 };
    double y0 = 0.0;
    StepStatus status;
    Model model = make(&relaxing, &one, NULL);
    long near = run(method, &model, &y0, 1e-7, 1e-6, &status).steps;
    long far = run(method, &model, &y0, 1e9, 1e-6, &status).steps;
    if (!CHECK_ROW(status == STEP_LIMIT && far < near + 24, method))
        printf("  steps %ld and %ld\n", near, far);
}

/* Without stiffness no Jacobian is made; with it Adams' steps are left behind; both in one run of a
 * relaxation oscillator. */
static void check_switching(void)
{
    static const ModelShape two = { .name = "two", .n = 2 };
    double y0[2] = { 2.0, 0.0 }, mild = 1.0, strong = 500.0;
    StepStatus status;
    Model model = make(&vdpol, &two, &mild);
    SolverStats stats = run("switching", &model, y0, 20.0, 1e-7, &status);
    CHECK(status == STEP_LIMIT && stats.jacobians == 0 && stats.order_most > 5);
    model = make(&vdpol, &two, &strong);
    stats = run("switching", &model, y0, 5.0, 1e-6, &status);
    SolverStats adams = run("adams", &model, y0, 5.0, 1e-6, &status);
    CHECK(stats.jacobians > 0 && stats.factors > 0);
    if (!CHECK(stats.f < adams.f)) printf("  switching %ld, adams %ld\n", stats.f, adams.f);
}

/* An event that changes nothing keeps order and step. */
static void check_unchanged_restart(const char *method)
{
    static const ModelShape two = { .name = "two", .n = 2 };
    double y0[2] = { 2.0, 0.0 }, mild = 1.0, y[2], plain[2];
    Model model = make(&vdpol, &two, &mild);
    SolverOptions o = solver_options(1e-7, 1e-7);
    SolverFailure why;
    Problem problem = { &model, 0.0, 10.0, y0, NULL };
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    while (solver_step(s, 10.0) == STEP_TAKEN) continue;
    long steps = solver_stats(s).steps;
    memcpy(plain, solver_y(s), sizeof plain);
    solver_destroy(s);
    s = solver_create(solver_find(method), &problem, &o, &why);
    int restarts = 0;
    while (solver_step(s, 10.0) == STEP_TAKEN) {
        if (solver_stats(s).steps % 20) continue;
        double t = 0.5 * (solver_t_old(s) + solver_t(s));
        solver_interpolate(s, t, y);
        CHECK(solver_restart(s, t, y, NULL, RESTART_UNCHANGED));
        restarts++;
    }
    CHECK_ROW(restarts > 3, method);
    if (!CHECK_ROW(solver_stats(s).steps < steps + 4 * restarts, method))
        printf("  %ld steps, %ld without restarts\n", solver_stats(s).steps, steps);
    CHECK_NEAR(solver_y(s)[0], plain[0], 1e-5);
    solver_destroy(s);
}

/* A jump of a tenth of the tolerance keeps the history too, and one of a thousand tolerances does
 * not. Functional iteration, which is stopped early, mostly leaves slopes that differ by more. */
static void check_small_jumps(const char *method)
{
    static const ModelShape two = { .name = "two", .n = 2 };
    double y0[2] = { 2.0, 0.0 }, mild = 1.0, y[2];
    Model model = make(&vdpol, &two, &mild);
    SolverOptions o = solver_options(1e-7, 1e-7);
    SolverFailure why;
    Problem problem = { &model, 0.0, 10.0, y0, NULL };
    for (int large = 0; large < 2; large++) {
        Solver *s = solver_create(solver_find(method), &problem, &o, &why);
        int restarts = 0;
        while (solver_step(s, 10.0) == STEP_TAKEN) {
            if (solver_stats(s).steps % 25) continue;
            double t = solver_t(s);
            solver_interpolate(s, t, y);
            y[0] += (large ? 1e3 : 0.1) * o.rtol;
            CHECK(solver_restart(s, t, y, NULL, RESTART_JUMP));
            restarts++;
        }
        SolverStats stats = solver_stats(s);
        bool right = large ? stats.kept == 0 && stats.starters > 3 : 2 * stats.kept > restarts;
        if (!CHECK_ROW(restarts > 3 && right, method))
            printf("  %d jumps, %ld kept the history, %ld starters\n", restarts, stats.kept, stats.starters);
        solver_destroy(s);
    }
}

/* A body that falls has a Jacobian without eigenvalues: nothing limits an explicit starter, so no
 * event is followed by a step of order 1. */
static EvalStatus no_event(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t, (void)y, (void)info;
    return EVAL_OK;
}

static EvalStatus fall_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = y[1];
    f[1] = -9.81;
    return EVAL_OK;
}

static void check_fall(const char *method)
{
    static const ModelType type = { .derivatives = fall_f, .event = no_event };
    static const ModelShape two = { .name = "fall", .n = 2 };
    Model model = make(&type, &two, NULL);
    double y[2] = { 1.0, 0.0 };
    SolverOptions o = solver_options(1e-7, 1e-7);
    SolverFailure why;
    Problem problem = { &model, 0.0, 10.0, y, NULL };
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    for (int k = 1; k <= 10; k++) {
        while (solver_step(s, k) == STEP_TAKEN) continue;
        memcpy(y, solver_y(s), sizeof y);
        y[1] = 5.0;
        CHECK_ROW(solver_restart(s, k, y, NULL, RESTART_JUMP), method);
    }
    SolverStats stats = solver_stats(s);
    if (!CHECK_ROW(stats.low_restarts <= 1 && stats.starters >= 9, method))
        printf("  %ld steps of order 1 after events, %ld starters\n", stats.low_restarts, stats.starters);
    solver_destroy(s);
}

/* Stops closer than the step of the method. */
static void check_stops(const char *method)
{
    static const ModelType smooth = { .derivatives = smooth_f };
    static const ModelShape one = { .name = "smooth", .n = 1 };
    Model model = make(&smooth, &one, NULL);
    double y0 = 0.5, worst = 0.0;
    Problem problem = { &model, 0.0, 8.0, &y0, NULL };
    SolverOptions o = solver_options(1e-6, 1e-6);
    SolverFailure why;
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    for (int k = 1; k <= 400; k++) {
        double t = 0.02 * k + (k % 3 ? 0.0 : 1e-9);
        StepStatus status;
        while ((status = solver_step(s, t)) == STEP_TAKEN) continue;
        if (!CHECK_ROW(status == STEP_LIMIT && solver_t(s) == t, method)) break;
        worst = fmax(worst, fabs(*solver_y(s) - 1.0 / (2.0 - sin(t))));
    }
    if (!CHECK_ROW(worst < 1e-4, method)) printf("  error %g\n", worst);
    CHECK_ROW(solver_stats(s).steps < 900, method);
    solver_destroy(s);
}

enum { GRID = 400 };

/* The heat equation on (0, 1), u = sin(pi x) exp(-pi^2 t) up to the discretisation, whose decay is
 * known exactly. */
static EvalStatus heat_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    double scale = (double)(GRID + 1) * (GRID + 1);
    for (int i = 0; i < GRID; i++)
        f[i] = scale * ((i ? y[i - 1] : 0.0) - 2.0 * y[i] + (i + 1 < GRID ? y[i + 1] : 0.0));
    return EVAL_OK;
}

static void check_sparse(const char *method)
{
    static const ModelType heat = { .derivatives = heat_f };
    Arena *arena = arena_new();
    Entry *entries = NEW_ARRAY(arena, Entry, (size_t)3 * GRID);
    size_t count = 0;
    for (int i = 0; i < GRID; i++)
        for (int j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < GRID) entries[count++] = (Entry){ i, j };
    ModelShape shape = { .name = "heat",
                         .n = GRID,
                         .pattern = pattern_of_entries(arena, GRID, GRID, entries, count) };
    Model model = make(&heat, &shape, NULL);
    double y0[GRID], pi = acos(-1.0), x = pi / (GRID + 1), half = sin(0.5 * x) * 2.0 * (GRID + 1);
    for (int i = 0; i < GRID; i++) y0[i] = sin((i + 1) * x);
    Problem problem = { &model, 0.0, 0.3, y0, NULL };
    SolverOptions o = solver_options(1e-6, 1e-8);
    SolverFailure why;
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    StepStatus status;
    while ((status = solver_step(s, 0.3)) == STEP_TAKEN) continue;
    double want = y0[GRID / 2] * exp(-half * half * 0.3);
    CHECK_ROW(status == STEP_LIMIT && solver_stats(s).colours == 3, method);
    if (!CHECK_ROW(fabs(solver_y(s)[GRID / 2] - want) < 1e-5, method))
        printf("  got %g, want %g\n", solver_y(s)[GRID / 2], want);
    CHECK_ROW(solver_stats(s).steps < 400, method);
    solver_destroy(s);
    arena_free(arena);
}

/* The derivative jumps by 1e8 without an event: the run gets over it, or ends with a reason. */
static EvalStatus jump_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    f[0] = -y[0];
    f[1] = t < 0.3333 ? 0.0 : 1e8;
    return EVAL_OK;
}

static void check_jump(const char *method)
{
    static const ModelType jump = { .derivatives = jump_f };
    static const ModelShape two = { .name = "jump", .n = 2 };
    Model model = make(&jump, &two, NULL);
    double y0[2] = { 1.0, 0.0 };
    Problem problem = { &model, 0.0, 1.0, y0, NULL };
    SolverOptions o = solver_options(1e-10, 1e-10);
    SolverFailure why;
    o.min_step = 1e-12;
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    StepStatus status;
    while ((status = solver_step(s, 1.0)) == STEP_TAKEN) continue;
    CHECK_ROW(status == STEP_FAILED && solver_failure(s)->kind == FAIL_STEP_TOO_SMALL, method);
    CHECK_ROW(solver_failure(s)->component == 1, method);
    CHECK_NEAR(solver_t(s), 0.3333, 1e-6);
    solver_destroy(s);
}

int main(void)
{
    static const char *const all[] = { "adams", "adams-newton", "adams-bashforth", "bdf", "switching" };
    static const char *const stiff_ones[] = { "bdf", "switching" };
    static const char *const keeping[] = { "adams-newton", "bdf", "switching", "dassl" };
    check_orders("adams", 8);
    check_orders("adams-newton", 8);
    check_orders("adams-bashforth", 5);
    check_orders("bdf", 5);
    check_stiff();
    check_switching();
    for (size_t k = 0; k < COUNT_OF(all); k++) {
        check_unchanged_restart(all[k]);
        check_stops(all[k]);
        check_jump(all[k]);
    }
    for (size_t k = 0; k < COUNT_OF(keeping); k++) {
        check_small_jumps(keeping[k]);
        check_fall(keeping[k]);
    }
    for (size_t k = 0; k < COUNT_OF(stiff_ones); k++) {
        check_sparse(stiff_ones[k]);
        check_digits_asked_for(stiff_ones[k]);
        check_growth_at_rest(stiff_ones[k]);
    }
    return test_end();
}
