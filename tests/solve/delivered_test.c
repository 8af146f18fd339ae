/* Errors at the end follow the tolerance: on problems of the bench that run in a moment the slope
 * of log error over log tolerance lies between 0.7 and 1.2, and no error exceeds the bound of its
 * kind of method. The methods are those whose estimates are of another order than their errors, and
 * `seulex`, which must not make much of digits that stiff equations lose. Digits that f loses do
 * not spoil difference Jacobians of methods that rely on them. And BDF and extrapolation on
 * algebraic equations get to the end of the transistor amplifier at tolerances down to 1e-9. */
#include "bench/ivp/run.h"
#include "test.h"

#include <math.h>

static const double LEAST_SLOPE = 0.7, MOST_SLOPE = 1.2;

static const IvpProblem *problem_of(const char *name)
{
    for (size_t i = 0; i < ivp_problem_count; i++)
        if (!strcmp(ivp_problems[i]->name, name)) return ivp_problems[i];
    return NULL;
}

static const struct {
    const char *problem, *solver;
    double most; /* error in tolerances */
    /* of -log10 rtol; a quarter is so fine that single lucky errors do not turn the slope */
    double step;
} pairs[] = {
    { "robertson", "radau", 30.0, 0.25 },    { "robertson_dae", "radau", 30.0, 0.25 },
    { "chemakzo", "radau", 30.0, 0.25 },     { "vdpol", "radau", 30.0, 0.25 },
    { "e5", "radau", 30.0, 0.25 },           { "beam", "radau", 100.0, 1.0 },
    { "plate", "radau5", 30.0, 0.25 },       { "robertson", "bdf", 300.0, 0.25 },
    { "robertson_dae", "bdf", 300.0, 0.25 }, { "chemakzo", "bdf", 300.0, 0.25 },
    { "robertson", "dassl", 300.0, 0.25 },   { "robertson_dae", "dassl", 300.0, 0.25 },
    { "chemakzo", "dassl", 300.0, 0.25 },    { "orego", "bdf", 300.0, 0.125 },
    { "squeezer_ode", "bdf", 300.0, 0.125 }, { "transamp", "bdf", 10.0, 0.25 },
    { "robertson", "seulex", 30.0, 0.25 },   { "robertson_dae", "seulex", 30.0, 0.25 },
    { "squeezer", "radau5", 30.0, 0.25 },
};

static void check_pair(const char *problem, const char *solver, double most, double step)
{
    const SolverOptions usual = { 0 };
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, worst = 0.0;
    for (double x = 3.0; x <= 10.0; x += step) {
        IvpRun run;
        ivp_run_once(problem_of(problem), solver_find(solver), pow(10.0, -x), 10.0, &usual, &run);
        if (!CHECK_ROW(run.finished, solver)) printf("  %s at 1e-%g: %s\n", problem, x, run.failure.text);
        double y = x - log10(run.error);
        worst = fmax(worst, run.error);
        n += 1.0, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    double slope = (sxy - sx * sy / n) / (sxx - sx * sx / n);
    if (!CHECK_ROW(worst <= most && slope >= LEAST_SLOPE && slope <= MOST_SLOPE, solver))
        printf("  %s: worst %.3g, slope %.3g\n", problem, worst, slope);
}

static void check_amplifier(const char *solver)
{
    const SolverOptions usual = { 0 };
    for (double digits = 3.0; digits < 9.7; digits += 0.3) {
        IvpRun run;
        ivp_run_once(problem_of("transamp"), solver_find(solver), pow(10.0, -digits), 10.0, &usual, &run);
        if (!CHECK_ROW(run.finished && run.error < 300.0, solver))
            printf("  1e-%.1f: error %.3g %s\n", digits, run.error, run.failure.text);
    }
}

/* The squeezer's f solves linear equations, whose coefficients lost five digits. Difference
 * Jacobians cost no more than twice the steps of far better ones, whichever method relies on
 * them. */
static void check_lost_digits(const char *solver, double rtol)
{
    const SolverOptions usual = { 0 }, better = { .jacobian = JACOBIAN_EXTRAPOLATED };
    IvpRun run, other;
    ivp_run_once(problem_of("squeezer_ode"), solver_find(solver), rtol, 10.0, &usual, &run);
    ivp_run_once(problem_of("squeezer_ode"), solver_find(solver), rtol, 10.0, &better, &other);
    bool good = run.finished && run.error < 30.0 && run.stats.steps < 2 * other.stats.steps;
    if (!CHECK_ROW(good, solver))
        printf("  %g: error %.3g, steps %ld and %ld\n", rtol, run.error, run.stats.steps, other.stats.steps);
}

/* y1' = -y1 + cos t + (t >= jump), y2' = -1000 (y2 - y1), y3' = -y3/10 + sin(2 t) y1. */
static double jump;

static EvalStatus jumping_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    f[0] = -y[0] + cos(t) + (t >= jump ? 1.0 : 0.0);
    f[1] = -1000.0 * (y[1] - y[0]);
    f[2] = -0.1 * y[2] + sin(2.0 * t) * y[0];
    return EVAL_OK;
}

static void jumping_start(double *y) { y[0] = y[1] = 0.5, y[2] = 0.0; }

static double jumping_end[3];
static const IvpProblem jumping = { .name = "jumping",
                                    .n = 3,
                                    .t_end = 10.0,
                                    .stiff = true,
                                    .atol_share = 1.0,
                                    .reference = jumping_end,
                                    .type = { .derivatives = jumping_f },
                                    .start = jumping_start };

static void run_piece(double t, double t_end, double *y)
{
    Arena *arena = arena_new();
    double *y0;
    Problem problem = { ivp_model(&jumping, arena, &y0), t, t_end, y, NULL };
    SolverOptions options = solver_options(1e-13, 1e-13);
    SolverFailure failure;
    Solver *s = solver_create(solver_find("dop853"), &problem, &options, &failure);
    StepStatus status = STEP_TAKEN;
    while (status == STEP_TAKEN) status = solver_step(s, t_end);
    CHECK(status == STEP_LIMIT);
    memcpy(y, solver_y(s), sizeof jumping_end);
    solver_destroy(s);
    arena_free(arena);
}

/* Nobody tells of the jump; estimates of high order must not mistake it for a smooth error,
 * which would be far below them. Of 158 places of the jump up to two are between stages that do
 * not see it, which ones is a matter of rounding: one of these 22 may be such, and err by 100
 * tolerances. */
static void check_jump(const char *solver, double rtol)
{
    const SolverOptions usual = { 0 };
    double worst = 0.0, unseen = 0.0;
    for (double t = 4.0; t < 6.0; t += 0.0927) {
        IvpRun run;
        jumping_start(jumping_end);
        jump = INFINITY;
        run_piece(0.0, t, jumping_end);
        jump = 0.0;
        run_piece(t, 10.0, jumping_end);
        jump = t;
        ivp_run_once(&jumping, solver_find(solver), rtol, 10.0, &usual, &run);
        CHECK_ROW(run.finished, solver);
        worst = fmax(worst, fmin(unseen, run.error));
        unseen = fmax(unseen, run.error);
    }
    CHECK_ROW(unseen <= 100.0, solver);
    if (!CHECK_ROW(worst <= 30.0, solver)) printf("  a jump at %g: worst %.3g\n", rtol, worst);
}

/* A stiff pendulum swings 300 times without a loss: errors of all steps accumulate, each of them
 * one tolerance at most. */
static EvalStatus swinging_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = y[1];
    f[1] = -y[0];
    f[2] = -1000.0 * (y[2] - y[0]);
    return EVAL_OK;
}

static void swinging_start(double *y) { y[0] = 1.0, y[1] = 0.0, y[2] = 1.0 / (1.0 + 1e-6); }

static const char *const swings[] = { "radau5",  "radau", "radau3", "sdirk4", "esdirk3", "esdirk4",
                                      "esdirk5", "rodas", "seulex", "bdf",    "dassl",   "switching" };

static void check_swings(const char *solver)
{
    static const double t_end = 600.0 * 3.14159265358979323846 + 1.0;
    const double end[] = { cos(t_end), -sin(t_end), NAN };
    const IvpProblem swinging = { .name = "swinging",
                                  .n = 3,
                                  .t_end = t_end,
                                  .stiff = true,
                                  .atol_share = 1.0,
                                  .reference = end,
                                  .type = { .derivatives = swinging_f },
                                  .start = swinging_start };
    const SolverOptions usual = { 0 };
    for (double digits = 3.0; digits < 8.0; digits += 1.0) {
        IvpRun run;
        ivp_run_once(&swinging, solver_find(solver), pow(10.0, -digits), 10.0, &usual, &run);
        if (!CHECK_ROW(run.finished && run.error <= (double)run.stats.steps, solver))
            printf("  swings at 1e-%g: error %.3g %s\n", digits, run.error, run.failure.text);
    }
}

/* A chain of masses on springs under a load that rises as sin(t)^2: each shape of it is an
 * oscillator that nothing damps, and the fast ones hardly move, so that methods see them in their
 * own errors first. Orders 3 and 4 of Adams methods let them grow. */
enum { CHAIN = 30 };
static const double CHAIN_ROOT = 200.0, CHAIN_LOAD = 3.0, CHAIN_END = 7.0;

static EvalStatus chain_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    for (int i = 0; i < CHAIN; i++) {
        double left = i ? y[i - 1] : 0.0, right = i < CHAIN - 1 ? y[i + 1] : 0.0;
        f[i] = y[CHAIN + i];
        f[CHAIN + i] = CHAIN_LOAD * sin(t) * sin(t) + CHAIN_ROOT * CHAIN_ROOT * (left - 2.0 * y[i] + right);
    }
    return EVAL_OK;
}

static void chain_start(double *y) { memset(y, 0, 2 * CHAIN * sizeof *y); }

/* Shape k has q'' = load - w^2 q with load = l (1 - cos(2 t))/2. */
static void chain_at(double t, double *y)
{
    const double angle = acos(-1.0) / (CHAIN + 1);
    chain_start(y);
    for (int k = 1; k <= CHAIN; k++) {
        double w = 2.0 * CHAIN_ROOT * sin(0.5 * k * angle), l = 0.0;
        for (int i = 1; i <= CHAIN; i++) l += CHAIN_LOAD * sin(k * i * angle) * 2.0 / (CHAIN + 1);
        double a = 0.5 * l / (w * w), b = 0.5 * l / (w * w - 4.0);
        double q = a * (1.0 - cos(w * t)) - b * (cos(2.0 * t) - cos(w * t));
        double speed = a * w * sin(w * t) + b * (2.0 * sin(2.0 * t) - w * sin(w * t));
        for (int i = 0; i < CHAIN; i++) {
            y[i] += sin(k * (i + 1) * angle) * q;
            y[CHAIN + i] += sin(k * (i + 1) * angle) * speed;
        }
    }
}

static void check_chain(const char *solver, double digits, double most, long evaluations)
{
    double end[2 * CHAIN];
    const IvpProblem chain = { .name = "chain",
                               .n = 2 * CHAIN,
                               .t_end = CHAIN_END,
                               .stiff = true,
                               .atol_share = 1.0,
                               .reference = end,
                               .type = { .derivatives = chain_f },
                               .start = chain_start };
    const SolverOptions usual = { 0 };
    IvpRun run;
    chain_at(CHAIN_END, end);
    ivp_run_once(&chain, solver_find(solver), pow(10.0, -digits), 10.0, &usual, &run);
    if (!CHECK_ROW(run.finished && run.error <= most && run.stats.f <= evaluations, solver))
        printf("  chain at 1e-%g: error %.3g, f %ld %s\n", digits, run.error, run.stats.f, run.failure.text);
}

/* Tolerances next to rounding are not made finer than a double can hold. */
static void check_finest(const char *solver)
{
    const SolverOptions usual = { 0 };
    IvpRun run;
    ivp_run_once(problem_of("chemakzo"), solver_find(solver), 1e-13, 10.0, &usual, &run);
    if (!CHECK_ROW(run.finished, solver)) printf("  %s\n", run.failure.text);
}

int main(void)
{
    check_finest("bdf");
    check_finest("dassl");
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        check_pair(pairs[i].problem, pairs[i].solver, pairs[i].most, pairs[i].step);
    for (size_t i = 0; i < COUNT_OF(swings); i++) check_swings(swings[i]);
    for (double digits = 8.0; digits <= 10.0; digits += 0.5) check_chain("switching", digits, 2000.0, 100000);
    for (double digits = 7.0; digits <= 9.0; digits += 0.5) check_chain("auto", digits, 50.0, 20000);
    /* where Adams methods begin beyond their stability, what they leave in the fast shapes costs
     * the rest of the run dear */
    for (double digits = 4.0; digits <= 5.5; digits += 0.125) check_chain("auto", digits, 30.0, 800);
    check_amplifier("dassl");
    check_amplifier("bdf");
    check_amplifier("seulex");
    for (double rtol = 1e-3; rtol > 5e-5; rtol *= 0.1) {
        check_lost_digits("rodas", rtol);
        check_lost_digits("seulex", rtol);
        check_lost_digits("radau", rtol);
    }
    static const double tolerances[] = { 1e-5, 1e-7, 1e-9 };
    for (size_t i = 0; i < COUNT_OF(tolerances); i++) {
        check_jump("radau", tolerances[i]);
        check_jump("radau5", tolerances[i]);
        check_jump("auto", tolerances[i]);
    }
    return test_end();
}
