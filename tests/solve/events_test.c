/* Events of whole runs: thousands of crossings at random levels, near-grazing ones among them, each
 * found once and at its closed-form time; restarts in every way give the same times; what is not
 * fine about an event has a defined end. */
#include "solve/solve.h"
#include "test.h"

enum { LEVELS = 40 };
static const double TOLERANCE = 1e-8;

static const char *const methods[] = { "adams",  "bdf",    "switching", "dassl",
                                       "dopri5", "dop853", "radau5",    "auto" };

static EvalStatus circle_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = y[1];
    f[1] = -y[0];
    return EVAL_OK;
}

/* sin t against levels; data holds them */
static EvalStatus levels_g(Model *model, double t, const double *y, double *g)
{
    const double *level = model->data;
    (void)t;
    for (int i = 0; i < LEVELS; i++) g[i] = y[0] - level[i];
    return EVAL_OK;
}

static Model make(const ModelType *type, int indicators, void *data)
{
    Model model;
    const char *why;
    ModelShape shape = { .name = "events", .n = 2, .indicators = indicators };
    CHECK(model_init(&model, type, &shape, data, &why));
    return model;
}

/* A generator that is the same everywhere. */
static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* The distance of t from the nearest crossing of a level by sin. */
static double off_crossing(double t, double level)
{
    double pi = acos(-1.0), up = asin(level), down = pi - up;
    double a = remainder(t - up, 2.0 * pi), b = remainder(t - down, 2.0 * pi);
    return fmin(fabs(a), fabs(b));
}

/* How often sin crosses a level in (0, end). */
static int crossings(double level, double end)
{
    double pi = acos(-1.0), first[] = { asin(level), pi - asin(level) };
    int count = 0;
    for (int k = 0; k < 2; k++)
        for (double t = first[k]; t < end; t += 2.0 * pi) count += t > 0.0;
    return count;
}

static void check_levels(const char *method, RestartHint hint)
{
    static const ModelType type = { .derivatives = circle_f, .indicators = levels_g };
    const double end = 60.3;
    double level[LEVELS], worst = 0.0, y[2] = { 0.0, 1.0 };
    uint64_t seed = 17;
    int found = 0, want = 0;
    for (int i = 0; i < LEVELS; i++) level[i] = 2.0 * next_random(&seed) - 1.0;
    level[0] = 0.99; /* up and down again within 0.28 */
    level[1] = -0.985;
    level[2] = 0.98;
    level[3] = 1.0001; /* never reached */
    for (int i = 0; i < LEVELS; i++) want += i == 3 ? 0 : crossings(level[i], end);
    Model model = make(&type, LEVELS, level);
    Problem problem = { &model, 0.0, end, y, NULL };
    SolverOptions o = solver_options(TOLERANCE, TOLERANCE);
    /* as the driver of simulations does: excursions are not much shorter than steps */
    o.max_step = 0.1;
    SolverFailure why;
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    StepStatus status;
    while ((status = solver_step(s, end)) == STEP_TAKEN || status == STEP_ROOT) {
        if (status != STEP_ROOT) continue;
        double t = solver_t_root(s);
        for (int i = 0; i < LEVELS; i++) {
            if (!solver_roots(s)[i]) continue;
            found++;
            /* near its extrema a level is crossed as slowly as cos t is small */
            double slope = sqrt(1.0 - fmin(level[i] * level[i], 1.0));
            worst = fmax(worst, slope * off_crossing(t, level[i]));
        }
        solver_interpolate(s, t, y);
        CHECK_ROW(solver_restart(s, t, y, NULL, hint), method);
    }
    CHECK_ROW(status == STEP_LIMIT, method);
    if (!CHECK_ROW(found == want, method))
        printf("  restart %d: %d of %d crossings\n", (int)hint, found, want);
    /* global errors of hundreds of restarts add up */
    if (!CHECK_ROW(worst < 5000.0 * TOLERANCE, method))
        printf("  restart %d: times off by %g\n", (int)hint, worst);
    solver_destroy(s);
}

/* ---- grazing: sin(w t + p) against levels that it exceeds by 1e-1 to 1e-9, or misses by as
 * little */

enum { WAVES = 60, SEEDS = 4 };
typedef struct {
    double w[WAVES], p[WAVES], level[WAVES];
} Waves;

static EvalStatus clock_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)y;
    f[0] = 1.0;
    f[1] = -sin(t);
    return EVAL_OK;
}

static EvalStatus graze_g(Model *model, double t, const double *y, double *g)
{
    const Waves *v = model->data;
    (void)y;
    for (int i = 0; i < WAVES; i++) g[i] = sin(v->w[i] * t + v->p[i]) - v->level[i];
    return EVAL_OK;
}

/* How many of the times at which w t + p = phase + 2 k pi lie in (0, end). */
static int count_phases(double w, double p, double phase, double end)
{
    double turn = 2.0 * acos(-1.0), first = ceil((p - phase) / turn),
           last = floor((w * end + p - phase) / turn);
    return last >= first ? (int)(last - first) + 1 : 0;
}

/* Every excursion is found, once at each of its ends and in the right order; what only comes near
 * gives none. Steps are short enough to show that an indicator turns, not that it crosses 0. */
static int check_grazing(const char *method, uint64_t seed, double digits)
{
    static const ModelType type = { .derivatives = clock_f, .indicators = graze_g };
    const double end = 30.0, pi = acos(-1.0);
    Waves v;
    int found[WAVES] = { 0 }, total = 0, wrong = 0;
    signed char last[WAVES] = { 0 };
    double y[2] = { 0.0, 1.0 }, worst = 0.0;
    for (int i = 0; i < WAVES; i++) {
        double over = pow(10.0, -1.0 - digits * next_random(&seed)), way = i % 2 ? 1.0 : -1.0;
        v.w[i] = 1.0 + 4.0 * next_random(&seed);
        v.p[i] = 2.0 * pi * next_random(&seed);
        v.level[i] = way * (i % 5 == 0 ? 1.0 + over : 1.0 - over);
    }
    Model model = make(&type, WAVES, &v);
    Problem problem = { &model, 0.0, end, y, NULL };
    SolverOptions o = solver_options(1e-6, 1e-6);
    SolverFailure why;
    o.max_step = 0.2;
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    StepStatus status;
    while ((status = solver_step(s, end)) == STEP_TAKEN || status == STEP_ROOT) {
        if (status != STEP_ROOT) continue;
        double t = solver_t_root(s), g[WAVES];
        graze_g(&model, t, y, g);
        for (int i = 0; i < WAVES; i++) {
            signed char way = solver_roots(s)[i];
            if (!way) continue;
            found[i]++;
            wrong += way == last[i];
            last[i] = way;
            worst = fmax(worst, fabs(g[i]));
        }
    }
    /* between steps of stiff methods what is below the tolerance is noise, so that a crossing may
     * count from there on */
    CHECK_ROW(status == STEP_LIMIT && wrong == 0 && worst < (digits < 5.0 ? o.rtol : 1e-12), method);
    for (int i = 0; i < WAVES; i++) {
        double up = asin(fmax(-1.0, fmin(1.0, v.level[i])));
        int want = fabs(v.level[i]) > 1.0
                       ? 0
                       : count_phases(v.w[i], v.p[i], up, end) + count_phases(v.w[i], v.p[i], pi - up, end);
        total += want;
        if (!CHECK_ROW(found[i] == want, method))
            printf("  %d of %d: w %g, level %.12g\n", found[i], want, v.w[i], v.level[i]);
    }
    solver_destroy(s);
    return total;
}

/* ---- times in closed form, one event at a time: y' = 1 until 1, then -2 until 0, and so on --- */

static EvalStatus saw_f(Model *model, double t, const double *y, double *f)
{
    double slope = *(const double *)model->data;
    (void)t;
    f[0] = slope;
    f[1] = -y[1];
    return EVAL_OK;
}

static EvalStatus saw_g(Model *model, double t, const double *y, double *g)
{
    double slope = *(const double *)model->data;
    (void)t;
    g[0] = slope > 0.0 ? 1.0 - y[0] : y[0];
    return EVAL_OK;
}

static void check_saw(const char *method)
{
    static const ModelType type = { .derivatives = saw_f, .indicators = saw_g };
    double slope = 1.0, y[2] = { 0.0, 1.0 }, worst = 0.0;
    Model model = make(&type, 1, &slope);
    Problem problem = { &model, 0.0, 30.0, y, NULL };
    SolverOptions o = solver_options(TOLERANCE, TOLERANCE);
    SolverFailure why;
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    StepStatus status;
    int events = 0;
    while ((status = solver_step(s, 30.0)) == STEP_TAKEN || status == STEP_ROOT) {
        if (status != STEP_ROOT) continue;
        double t = solver_t_root(s), want = 1.5 * (events / 2) + (events % 2 ? 1.5 : 1.0);
        worst = fmax(worst, fabs(t - want));
        solver_interpolate(s, t, y);
        slope = slope > 0.0 ? -2.0 : 1.0;
        CHECK_ROW(solver_restart(s, t, y, NULL, RESTART_RHS), method);
        events++;
    }
    CHECK_ROW(status == STEP_LIMIT && (events == 39 || events == 40), method);
    if (!CHECK_ROW(worst < 10.0 * TOLERANCE, method)) printf("  %d events, off by %g\n", events, worst);
    solver_destroy(s);
}

/* ---- what is not fine ------------------------------------------------------------------------ */

/* t - 1 twice, the second later by less than rounding; and 0 at the start */
static EvalStatus close_g(Model *model, double t, const double *y, double *g)
{
    (void)model, (void)y;
    g[0] = t - 1.0;
    g[1] = t - (1.0 + 1e-17);
    g[2] = t;
    return EVAL_OK;
}

static void check_bad_input(const char *method)
{
    static const ModelType type = { .derivatives = circle_f, .indicators = close_g };
    double y[2] = { 0.0, 1.0 };
    Model model = make(&type, 3, NULL);
    Problem problem = { &model, 0.0, 2.0, y, NULL };
    SolverOptions o = solver_options(1e-6, 1e-6);
    SolverFailure why;
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    StepStatus status;
    while ((status = solver_step(s, 2.0)) == STEP_TAKEN) continue;
    /* two at once come together; that at the start is none */
    CHECK_ROW(status == STEP_ROOT && solver_roots(s)[0] == 1 && solver_roots(s)[1] == 1 &&
                  !solver_roots(s)[2],
              method);
    CHECK_ROW(fabs(solver_t_root(s) - 1.0) < 1e-14, method);
    /* a value that is not finite is refused, and said */
    double t = solver_t_root(s), bad[2] = { NAN, 0.0 };
    solver_interpolate(s, t, y);
    CHECK_ROW(!solver_restart(s, t, bad, NULL, RESTART_JUMP), method);
    CHECK_ROW(solver_failure(s)->kind == FAIL_WRONG_INPUT && solver_step(s, 2.0) == STEP_FAILED, method);
    /* restarts one after the other at one time are one */
    for (int k = 0; k < 5; k++) {
        y[0] += 0.1;
        CHECK_ROW(solver_restart(s, t, y, NULL, RESTART_JUMP), method);
    }
    double want = y[0] * cos(2.0 - t) + y[1] * sin(2.0 - t);
    while ((status = solver_step(s, 2.0)) == STEP_TAKEN) continue;
    CHECK_ROW(status == STEP_LIMIT, method);
    CHECK_NEAR(solver_y(s)[0], want, 1e-4);
    solver_destroy(s);
}

/* Kicks that follow each other faster than any step of the starter: each flight ends inside of the
 * next starter's step. */
static void check_short_flights(const char *method)
{
    static const ModelType type = { .derivatives = saw_f, .indicators = saw_g };
    double slope = -1.0, y[2] = { 1.0, 1.0 }, want = 1.0;
    Model model = make(&type, 1, &slope);
    Problem problem = { &model, 0.0, 9.0, y, NULL };
    SolverOptions o = solver_options(TOLERANCE, TOLERANCE);
    SolverFailure why;
    Solver *s = solver_create(solver_find(method), &problem, &o, &why);
    StepStatus status;
    double height = 1.0, worst = 0.0;
    int events = 0;
    while ((status = solver_step(s, 9.0)) == STEP_TAKEN || status == STEP_ROOT) {
        if (status != STEP_ROOT) continue;
        double t = solver_t_root(s);
        worst = fmax(worst, fabs(t - want));
        height *= events % 7 == 3 ? 2.0 : 0.6;
        want = t + height;
        solver_interpolate(s, t, y);
        y[0] = height;
        CHECK_ROW(solver_restart(s, t, y, NULL, RESTART_JUMP), method);
        if (++events >= 40) break;
    }
    CHECK_ROW(events == 40 && worst < 10.0 * TOLERANCE, method);
    solver_destroy(s);
}

int main(void)
{
    int crossings_in_all = 0;
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        /* what is below the tolerance is noise between the steps of stiff methods */
        bool stiff = solver_find(methods[k])->can & SOLVE_STIFF && strcmp(methods[k], "auto") != 0;
        for (uint64_t seed = 100; seed < 100 + SEEDS; seed++)
            crossings_in_all += check_grazing(methods[k], 10 * seed + k, stiff ? 4.0 : 8.0);
        /* once missed: an excursion that began beside a root of another indicator, one whose
         * polynomial turned elsewhere */
        crossings_in_all += check_grazing(methods[k], 1004, stiff ? 4.0 : 8.0);
        crossings_in_all += check_grazing(methods[k], 2002, stiff ? 4.0 : 8.0);
    }
    CHECK(crossings_in_all > 50000);
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        check_levels(methods[k], RESTART_KEEP);
        check_levels(methods[k], RESTART_UNCHANGED);
        check_levels(methods[k], RESTART_JUMP);
        check_saw(methods[k]);
        check_bad_input(methods[k]);
        check_short_flights(methods[k]);
    }
    return test_end();
}
