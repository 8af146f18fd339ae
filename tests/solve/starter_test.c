/* The Runge-Kutta starter: its coefficients satisfy every order condition, proved in rational
 * arithmetic; a multistep method that starts from it keeps its order; after the events of the
 * bouncing ball it saves most of what starting at order 1 costs; a stiff run is not harmed by
 * it. */
#include "solve/methods/adams_bdf/inside.h"
#include "test.h"

typedef struct {
    long long p, q;
} Rational;

static Rational reduced(long long p, long long q)
{
    long long a = p < 0 ? -p : p, b = q;
    while (b) {
        long long rest = a % b;
        a = b;
        b = rest;
    }
    return (Rational){ p / a, q / a };
}

static Rational plus(Rational a, Rational b) { return reduced(a.p * b.q + b.p * a.q, a.q * b.q); }
static Rational times(Rational a, Rational b) { return reduced(a.p * b.p, a.q * b.q); }
static bool equal(Rational a, long long p, long long q) { return a.p * q == p * a.q; }

/* The fraction with a small denominator that rounds to this double. */
static Rational rational_of(double v)
{
    for (long long q = 1; q <= 75; q++) {
        double p = round(v * (double)q);
        if (p / (double)q == v) return reduced((long long)p, q);
    }
    CHECK_ROW(false, "a coefficient is no small fraction");
    return (Rational){ 0, 1 };
}

enum { S = STARTER_STAGES };

/* sum w_j c_j^power */
static Rational moment(const Rational *w, const Rational *c, int power)
{
    Rational sum = { 0, 1 };
    for (int j = 0; j < S; j++) {
        Rational term = w[j];
        for (int k = 0; k < power; k++) term = times(term, c[j]);
        sum = plus(sum, term);
    }
    return sum;
}

/* sum w_j c_j^outer sum a_jk c_k^inner */
static Rational nested(const Rational *w, Rational a[S][S], const Rational *c, int outer, int inner)
{
    Rational v[S];
    for (int j = 0; j < S; j++) v[j] = times(w[j], moment(a[j], c, inner));
    return moment(v, c, outer);
}

static Rational power(Rational c, int k)
{
    Rational result = { 1, 1 };
    while (k--) result = times(result, c);
    return result;
}

/* The eight conditions of order 4. */
static void check_order_four(Rational a[S][S], const Rational *b, const Rational *c)
{
    Rational inner[S], twice = { 0, 1 };
    CHECK(equal(moment(b, c, 0), 1, 1) && equal(moment(b, c, 1), 1, 2));
    CHECK(equal(moment(b, c, 2), 1, 3) && equal(nested(b, a, c, 0, 1), 1, 6));
    CHECK(equal(moment(b, c, 3), 1, 4) && equal(nested(b, a, c, 1, 1), 1, 8));
    CHECK(equal(nested(b, a, c, 0, 2), 1, 12));
    for (int j = 0; j < S; j++) inner[j] = moment(a[j], c, 1);
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++) twice = plus(twice, times(b[i], times(a[i][j], inner[j])));
    CHECK(equal(twice, 1, 24));
}

static void check_order_conditions(void)
{
    Rational a[S][S], b[S], c[S];
    for (int i = 0; i < S; i++) {
        b[i] = rational_of(starter_b[i]);
        c[i] = rational_of(starter_c[i]);
        for (int j = 0; j < S; j++) a[i][j] = rational_of(starter_a[i][j]);
    }
    for (int i = 0; i < S; i++) CHECK(equal(moment(a[i], c, 0), c[i].p, c[i].q));
    check_order_four(a, b, c);
    /* stages 4, 5, 6: order 3, on an equidistant grid */
    for (int i = 3; i < S; i++) {
        Rational c2 = power(c[i], 2), c3 = power(c[i], 3);
        CHECK(equal(moment(a[i], c, 1), c2.p, 2 * c2.q));
        CHECK(equal(moment(a[i], c, 2), c3.p, 3 * c3.q));
        CHECK(equal(nested(a[i], a, c, 0, 1), c3.p, 6 * c3.q));
        CHECK(equal(c[i], i - 2, 4));
    }
}

/* The starter with five stages: order 4; its other result has order 3, and not 4. */
static void check_middle(void)
{
    enum { M = MIDDLE_STAGES };
    Rational a[S][S], *b = a[M - 1], c[S], d[S];
    for (int i = 0; i < S; i++) {
        for (int j = 0; j < S; j++)
            a[i][j] = i < M && j < M ? rational_of(middle_a[i][j]) : (Rational){ 0, 1 };
        c[i] = i < M ? rational_of(middle_c[i]) : (Rational){ 0, 1 };
        d[i] = i < M ? rational_of(middle_d[i]) : (Rational){ 0, 1 };
    }
    for (int i = 0; i < M; i++) CHECK(equal(moment(a[i], c, 0), c[i].p, c[i].q));
    check_order_four(a, b, c);
    CHECK(equal(moment(d, c, 0), 0, 1) && equal(moment(d, c, 1), 0, 1));
    CHECK(equal(moment(d, c, 2), 0, 1) && equal(nested(d, a, c, 0, 1), 0, 1));
    CHECK(!equal(moment(d, c, 3), 0, 1) && !equal(nested(d, a, c, 0, 2), 0, 1));
}

static Model make(const ModelType *type, const ModelShape *shape, void *data)
{
    Model model;
    const char *why;
    CHECK(model_init(&model, type, shape, data, &why));
    return model;
}

static EvalStatus oscillator_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = y[1];
    f[1] = -4.0 * y[0];
    return EVAL_OK;
}

static EvalStatus nonlinear_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    f[0] = y[0] * y[0] * cos(t);
    f[1] = -t * y[1] * y[1] * y[1];
    return EVAL_OK;
}

static void oscillator_exact(double t, double *y)
{
    y[0] = cos(2.0 * t);
    y[1] = -2.0 * sin(2.0 * t);
}

static void nonlinear_exact(double t, double *y)
{
    y[0] = 1.0 / (2.0 - sin(t));
    y[1] = 1.0 / sqrt(1.0 + t * t);
}

/* The error after the starter's step H = 4 h and a step of order 4 from its array, both sizes
 * dictated by a log. */
static double start_error(const ModelType *type, void (*exact)(double, double *), double h)
{
    static const ModelShape two = { .name = "two", .n = 2 };
    StepRecord steps[4] = { { .t = 4.0 * h, .h = 4.0 * h, .order = 4, .flags = RECORD_STARTER } };
    for (int k = 1; k < 4; k++)
        steps[k] = (StepRecord){ .t = (4 + k) * h, .h = h, .order = 4, .iterations = 20 };
    StepLog log = { 0 };
    log.steps.at = steps;
    log.steps.n = COUNT_OF(steps);
    double y0[2], want[2];
    exact(0.0, y0);
    Model model = make(type, &two, NULL);
    Problem problem = { &model, 0.0, 7.0 * h, y0, NULL };
    SolverOptions o = solver_options(1e-6, 1e-6);
    SolverFailure why;
    o.replay = &log;
    Solver *s = solver_create(solver_find("adams"), &problem, &o, &why);
    StepStatus status;
    while ((status = solver_step(s, steps[3].t)) == STEP_TAKEN) continue;
    CHECK(status == STEP_LIMIT && solver_stats(s).steps == 4);
    exact(solver_t(s), want);
    double error = fmax(fabs(solver_y(s)[0] - want[0]), fabs(solver_y(s)[1] - want[1]));
    solver_destroy(s);
    return error;
}

/* Local errors of a method of order 4 are O(h^5). */
static void check_observed_order(void)
{
    static const ModelType oscillator = { .derivatives = oscillator_f },
                           nonlinear = { .derivatives = nonlinear_f };
    double slope = log2(start_error(&oscillator, oscillator_exact, 1.0 / 64) /
                        start_error(&oscillator, oscillator_exact, 1.0 / 128));
    if (!CHECK(fabs(slope - 5.0) < 0.2)) printf("  slope %g\n", slope);
    slope = log2(start_error(&nonlinear, nonlinear_exact, 1.0 / 64) /
                 start_error(&nonlinear, nonlinear_exact, 1.0 / 128));
    if (!CHECK(slope > 4.8)) printf("  slope %g\n", slope);
}

/* ---- fixed steps of a fixed order from the array that a starter left ------------------------- */

/* A circle of radius 1, the speed the faster the larger the circle. */
static EvalStatus circle_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    double square = y[0] * y[0] + y[1] * y[1];
    f[0] = -square * y[1];
    f[1] = square * y[0];
    return EVAL_OK;
}

static void circle_exact(double t, double *y)
{
    y[0] = cos(t);
    y[1] = sin(t);
}

/* SHORT_STARTER and STARTER_ORDER are the starters with state values; this one extrapolates. */
enum { BY_EXTRAPOLATION = 0 };

/* The array at the beginning, or after the starter's step. */
static void start_by(Nordsieck *m, int starter, int order, double h)
{
    Solver *s = &m->multi.base;
    Restart *r = &m->restart;
    size_t bytes = (size_t)s->n * sizeof(double);
    double error;
    fixed_weights(s, m->multi.weight);
    memcpy(m->z[0], s->y, bytes);
    CHECK(solver_f(s, s->core.t, s->y, r->slope) == EVAL_OK);
    memcpy(m->z[1], r->slope, bytes);
    m->state.h = h;
    m->state.order = order;
    if (starter == BY_EXTRAPOLATION) {
        CHECK(starter_fill(r, order, h, m->z, m->w) == EVAL_OK);
    } else {
        CHECK(starter_attempt(r, h, starter, &error) == TRY_OK);
        memcpy(s->y, m->multi.y_new, bytes);
        s->core.t += h;
        starter_accept(r, h, starter);
        for (int j = 0; j <= r->state.columns; j++) memcpy(m->z[j], r->w[j], bytes);
        m->state.h = r->state.h;
        m->state.order = r->state.columns;
    }
    m->state.t = s->core.t;
    m->multi.state.h = h;
    m->multi.state.order = order;
    m->multi.state.started = true;
}

/* The error at t = 16 after fixed steps. */
static double run_error(const char *method, const ModelType *type, void (*exact)(double, double *),
                        int starter, int order, int steps)
{
    static const ModelShape two = { .name = "two", .n = 2 };
    double y0[2], want[2], end = 16.0;
    exact(0.0, y0);
    Model model = make(type, &two, NULL);
    Problem problem = { &model, 0.0, end, y0, NULL };
    SolverOptions o = solver_options(1e-6, 1e-6);
    SolverFailure why;
    o.fixed_step = end / steps;
    o.max_order = order;
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    start_by((Nordsieck *)s, starter, order, o.fixed_step);
    StepStatus status;
    while ((status = solver_step(s, end)) == STEP_TAKEN) continue;
    CHECK_ROW(status == STEP_LIMIT && solver_stats(s).order_last == order, method);
    exact(end, want);
    double error = hypot(solver_y(s)[0] - want[0], solver_y(s)[1] - want[1]);
    solver_destroy(s);
    return error;
}

/* Steps halved twice. An error C h^p (1 + c h) shows the slope p + c h / log 2; the finer pair has
 * a slope nearer to p by half, so twice that less the coarser one is p up to O(h^2), for which 0.1
 * leaves room. Order 5 takes longer steps: Newton's iteration leaves 1e-12 or so, which must be
 * small beside the error. */
static void check_run_order(const char *method, int starter, int order)
{
    static const ModelType types[] = { { .derivatives = oscillator_f }, { .derivatives = circle_f } };
    static void (*const exact[])(double, double *) = { oscillator_exact, circle_exact };
    for (int k = 0; k < 2; k++) {
        double error[3], slope[2];
        int steps = order < 5 ? 512 : 256;
        for (int i = 0; i < 3; i++)
            error[i] = run_error(method, &types[k], exact[k], starter, order, steps << i);
        for (int i = 0; i < 2; i++) slope[i] = log2(error[i] / error[i + 1]);
        double limit = 2.0 * slope[1] - slope[0];
        if (!CHECK_ROW(fabs(limit - order) < 0.1 && error[2] > 1e-13, method))
            printf("  starter %d, order %d, problem %d: slopes %g, %g\n", starter, order, k, slope[0],
                   slope[1]);
    }
}

static void check_run_orders(void)
{
    static const char *const methods[] = { "adams", "adams-newton", "bdf" };
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        check_run_order(methods[k], SHORT_STARTER, 3);
        check_run_order(methods[k], MIDDLE_STARTER, 3);
        for (int order = 3; order <= 5; order++) {
            check_run_order(methods[k], STARTER_ORDER, order);
            check_run_order(methods[k], BY_EXTRAPOLATION, order);
        }
    }
}

/* ---- the implicit starter: a log dictates its step and the order and size of all that follow - */

/* The error at t = 4 of a run whose first step, of size 4 h, is the starter's, and the others of
 * size h. */
static double implicit_error(const char *method, const ModelType *type, void (*exact)(double, double *),
                             int order, int steps)
{
    static const ModelShape two = { .name = "two", .n = 2 };
    double h = 4.0 / steps, y0[2], want[2];
    Arena *arena = arena_new();
    StepLog log = { .arena = arena };
    vec_push(arena, &log.steps,
             ((StepRecord){ .t = 4.0 * h,
                            .h = 4.0 * h,
                            .order = IMPLICIT_STARTER,
                            .iterations = 20,
                            .flags = RECORD_STARTER | RECORD_JACOBIAN | RECORD_FACTORS }));
    for (int k = 5; k <= steps; k++)
        vec_push(arena, &log.steps,
                 ((StepRecord){ .t = k * h,
                                .h = h,
                                .order = (short)order,
                                .iterations = 20,
                                .flags = RECORD_JACOBIAN | RECORD_FACTORS }));
    exact(0.0, y0);
    Model model = make(type, &two, NULL);
    Problem problem = { &model, 0.0, 4.0, y0, NULL };
    SolverOptions o = solver_options(1e-10, 1e-10);
    SolverFailure why;
    o.starter = STARTER_RK_STATE;
    o.replay = &log;
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    StepStatus status;
    while ((status = solver_step(s, 4.0)) == STEP_TAKEN) continue;
    if (!CHECK_ROW(status == STEP_LIMIT, method)) printf("  %s\n", solver_failure(s)->text);
    exact(4.0, want);
    double error = hypot(solver_y(s)[0] - want[0], solver_y(s)[1] - want[1]);
    solver_destroy(s);
    arena_free(arena);
    return error;
}

/* The methods keep their order from the implicit starter's array; slopes are extrapolated as
 * above. */
static void check_implicit_orders(void)
{
    static const ModelType types[] = { { .derivatives = oscillator_f }, { .derivatives = circle_f } };
    static void (*const exact[])(double, double *) = { oscillator_exact, circle_exact };
    static const char *const methods[] = { "bdf", "dassl" };
    for (size_t k = 0; k < COUNT_OF(methods); k++)
        for (int order = 3; order <= IMPLICIT_ORDER; order++)
            for (int p = 0; p < 2; p++) {
                double error[3];
                for (int i = 0; i < 3; i++)
                    error[i] = implicit_error(methods[k], &types[p], exact[p], order, 128 << i);
                double first = log2(error[0] / error[1]), second = log2(error[1] / error[2]);
                if (!CHECK_ROW(fabs(2.0 * second - first - order) < 0.1, methods[k]))
                    printf("  implicit starter, order %d, problem %d: slopes %g, %g\n", order, p, first,
                           second);
            }
}

static const double GRAVITY = 9.81, DAMPING = 0.1, RESTITUTION = 0.88, START = -0.63, END = 5.1358;

static EvalStatus ball_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = y[1];
    f[1] = GRAVITY - DAMPING * y[0];
    return EVAL_OK;
}

static EvalStatus ball_g(Model *model, double t, const double *y, double *g)
{
    (void)model, (void)t;
    g[0] = y[0];
    g[1] = y[1];
    return EVAL_OK;
}

/* Closed form: arcs of a harmonic oscillation around g/d; between bounces with speed v the time is
 * 2/w atan(v/(w g/d)). */
static void ball_exact(double *y)
{
    double w = sqrt(DAMPING), centre = GRAVITY / DAMPING, t = acos(centre / (centre - START)) / w;
    double v = (centre - START) * w * sin(w * t);
    for (;;) {
        v *= RESTITUTION;
        double flight = 2.0 / w * atan(v / (w * centre));
        if (t + flight > END) break;
        t += flight;
    }
    double s = w * (END - t);
    y[0] = centre * (1.0 - cos(s)) - v / w * sin(s);
    y[1] = centre * w * sin(s) - v * cos(s);
}

/* A run with its events; the options are those asked for. */
static SolverStats bounce_with(const char *method, const SolverOptions *o, double *end, double *error,
                               int *events)
{
    static const ModelType type = { .derivatives = ball_f, .indicators = ball_g };
    static const signed char directions[] = { 1, 1 };
    static const ModelShape shape = { .name = "ball", .n = 2, .indicators = 2, .directions = directions };
    Model model = make(&type, &shape, NULL);
    double y0[2] = { START, 0.0 }, y[2], want[2];
    Problem problem = { &model, 0.0, END, y0, NULL };
    SolverFailure why;
    Solver *s = solver_create(solver_find(method), &problem, o, &why);
    StepStatus status;
    *events = 0;
    while ((status = solver_step(s, END)) == STEP_TAKEN || status == STEP_ROOT) {
        if (status != STEP_ROOT) continue;
        ++*events;
        double t = solver_t_root(s);
        bool floor_ = solver_roots(s)[0] != 0;
        solver_interpolate(s, t, y);
        if (floor_) y[1] *= -RESTITUTION;
        CHECK(solver_restart(s, t, y, NULL, floor_ ? RESTART_JUMP : RESTART_KEEP));
    }
    CHECK_ROW(status == STEP_LIMIT, method);
    ball_exact(want);
    *error = fmax(fabs(solver_y(s)[0] - want[0]), fabs(solver_y(s)[1] - want[1]));
    SolverStats stats = solver_stats(s);
    memcpy(end, solver_y(s), 2 * sizeof *end);
    solver_destroy(s);
    return stats;
}

static SolverStats bounce(const char *method, Starter starter, int order, double *error, int *events)
{
    SolverOptions o = solver_options(1e-8, 1e-8);
    double end[2];
    o.starter = starter;
    o.starter_order = order;
    return bounce_with(method, &o, end, error, events);
}

/* A recorded run with events is repeated bit for bit, starters included. */
static void check_replay(const char *method, Starter starter)
{
    Arena *arena = arena_new();
    StepLog log = { .arena = arena };
    SolverOptions o = solver_options(1e-8, 1e-8);
    double first[2], again[2], error;
    int events, events_again;
    o.starter = starter;
    o.record = &log;
    SolverStats recorded = bounce_with(method, &o, first, &error, &events);
    o.record = NULL;
    o.replay = &log;
    SolverStats repeated = bounce_with(method, &o, again, &error, &events_again);
    CHECK_ROW(!memcmp(first, again, sizeof first) && events == events_again, method);
    CHECK_ROW(recorded.steps == repeated.steps && repeated.f <= recorded.f, method);
    arena_free(arena);
}

/* The published figures: 129 steps, 428 right-hand sides, 538 event functions with a starter, 455,
 * 1027, 919 without. */
static void check_ball(void)
{
    static const char *const methods[] = { "adams", "switching", "adams-newton", "bdf", "dassl" };
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        double error, classic_error;
        int events, classic_events;
        SolverStats classic = bounce(methods[k], STARTER_CLASSIC, 0, &classic_error, &classic_events);
        SolverStats now = bounce(methods[k], STARTER_AUTO, 0, &error, &events);
        CHECK_ROW(events == classic_events, methods[k]);
        bool goal = now.f <= 300 && (k > 2 || (now.steps <= 60 && now.indicators <= 300));
        if (!CHECK_ROW(error < 1e-6, methods[k])) printf("  error %g, classic %g\n", error, classic_error);
        if (!CHECK_ROW(goal && now.steps <= 129 && now.f + now.f_jacobian <= 428 && now.indicators <= 538,
                       methods[k]))
            printf("  %ld steps, %ld f, %ld g, error %g\n", now.steps, now.f, now.indicators, error);
        CHECK_ROW(now.steps < classic.steps, methods[k]);
    }
}

/* Orders 3 to 6 by extrapolation serve as well as order 1, at less cost. */
static void check_ball_by_extrapolation(void)
{
    double classic_error, error;
    int classic_events, events;
    SolverStats classic = bounce("adams", STARTER_CLASSIC, 0, &classic_error, &classic_events);
    for (int order = 3; order <= 6; order++) {
        SolverStats now = bounce("adams", STARTER_RK_NORDSIECK, order, &error, &events);
        CHECK(events == classic_events);
        if (!CHECK(now.steps < classic.steps && error < 5e-5))
            printf("  order %d: %ld steps, %ld f, error %g\n", order, now.steps, now.f, error);
    }
}

/* Column k of the extrapolated array of order p is right to O(H^(p+1)). */
static void check_extrapolated_array(void)
{
    static const ModelType nonlinear = { .derivatives = nonlinear_f };
    static const ModelShape two = { .name = "two", .n = 2 };
    Model model = make(&nonlinear, &two, NULL);
    double y0[2], f[2], error[2][8] = { { 0 } };
    nonlinear_exact(0.0, y0);
    Problem problem = { &model, 0.0, 1.0, y0, NULL };
    SolverOptions o = solver_options(1e-6, 1e-6);
    SolverFailure why;
    /* y_1 = 1/(2 - sin t) = 1/2 + t/4 + t^2/8 + t^3/48 - t^4/96 - 13 t^5/960 ... */
    static const double taylor[] = { 0.5, 0.25, 0.125, 1.0 / 48, -1.0 / 96, -13.0 / 960 };
    for (int p = 3; p <= 5; p++) {
        for (int halved = 0; halved < 2; halved++) {
            Solver *s = solver_create(solver_find("adams"), &problem, &o, &why);
            Nordsieck *m = (Nordsieck *)s;
            double H = halved ? 1.0 / 16 : 1.0 / 8;
            nonlinear_f(&model, 0.0, y0, f);
            memcpy(m->z[0], y0, sizeof y0);
            memcpy(m->z[1], f, sizeof f);
            CHECK(starter_fill(&m->restart, p, H, m->z, m->w) == EVAL_OK &&
                  solver_stats(s).f == p * (p - 1) / 2);
            for (int k = 1; k <= p; k++) error[halved][k] = fabs(m->z[k][0] - taylor[k] * pow(H, k));
            solver_destroy(s);
        }
        for (int k = 2; k <= p; k++) {
            double slope = log2(error[0][k] / error[1][k]);
            if (!CHECK(slope > p + 0.8)) printf("  order %d, column %d: slope %g\n", p, k, slope);
        }
    }
}

/* Fast decay towards cos t, set back every 0.25: an explicit step would be unstable, and is not
 * taken. */
static EvalStatus stiff_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    f[0] = -1e5 * (y[0] - cos(t));
    f[1] = y[0] - y[1];
    return EVAL_OK;
}

static long stiff_work(const char *method, Starter starter)
{
    static const ModelType type = { .derivatives = stiff_f };
    static const ModelShape shape = { .name = "stiff", .n = 2 };
    Model model = make(&type, &shape, NULL);
    double y[2] = { 1.0, 0.0 };
    Problem problem = { &model, 0.0, 2.0, y, NULL };
    SolverOptions o = solver_options(1e-6, 1e-6);
    SolverFailure why;
    o.starter = starter;
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    for (int k = 1; k <= 8; k++) {
        StepStatus status;
        while ((status = solver_step(s, 0.25 * k)) == STEP_TAKEN) continue;
        CHECK_ROW(status == STEP_LIMIT, method);
        CHECK_NEAR(solver_y(s)[0], cos(0.25 * k), 1e-4);
        memcpy(y, solver_y(s), sizeof y);
        y[1] = 0.0;
        CHECK(solver_restart(s, 0.25 * k, y, NULL, RESTART_JUMP));
    }
    long work = solver_stats(s).f;
    solver_destroy(s);
    return work;
}

static void check_stiff(const char *method)
{
    long classic = stiff_work(method, STARTER_CLASSIC), now = stiff_work(method, STARTER_AUTO);
    if (!CHECK_ROW(now <= classic + classic / 20, method)) printf("  %ld, classic %ld\n", now, classic);
}

int main(void)
{
    check_order_conditions();
    check_middle();
    check_observed_order();
    check_run_orders();
    check_implicit_orders();
    check_ball();
    check_ball_by_extrapolation();
    check_extrapolated_array();
    static const char *const repeated[] = { "adams", "adams-newton", "bdf", "switching", "dassl" };
    for (size_t k = 0; k < COUNT_OF(repeated); k++)
        for (int starter = STARTER_AUTO; starter <= STARTER_RK_NORDSIECK; starter++)
            check_replay(repeated[k], (Starter)starter);
    check_stiff("bdf");
    check_stiff("switching");
    return test_end();
}
