/* `auto` chooses well where nothing is stiff, on problems that are not in the bench: in the mean
 * over 3, 5 and 7 digits it needs at most 1.5 times the work of the best of the methods that might
 * have been chosen, over all problems at most 1.3. */
#include "bench/ivp/run.h"
#include "bench/ivp/study.h"
#include "test.h"

#include <math.h>

static EvalStatus orbit_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    double r3 = pow(y[0] * y[0] + y[1] * y[1], 1.5);
    f[0] = y[2], f[1] = y[3];
    f[2] = -y[0] / r3, f[3] = -y[1] / r3;
    return EVAL_OK;
}

static void start_orbit(double *y, double eccentricity)
{
    y[0] = 1.0 - eccentricity;
    y[3] = sqrt((1.0 + eccentricity) / (1.0 - eccentricity));
}
static void round_orbit(double *y) { start_orbit(y, 0.1); }
static void long_orbit(double *y) { start_orbit(y, 0.5); }
static void comet(double *y) { start_orbit(y, 0.9); }

static EvalStatus oscillator_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    f[0] = y[1], f[1] = (1.0 - y[0] * y[0]) * y[1] - y[0];
    return EVAL_OK;
}

static EvalStatus species_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    f[0] = 2.0 * (y[0] - y[0] * y[1]), f[1] = -(y[1] - y[0] * y[1]);
    return EVAL_OK;
}

static EvalStatus top_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    f[0] = y[1] * y[2], f[1] = -y[0] * y[2], f[2] = -0.51 * y[0] * y[1];
    return EVAL_OK;
}

static EvalStatus reaction_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    f[0] = 1.0 + y[0] * y[0] * y[1] - 4.0 * y[0], f[1] = 3.0 * y[0] - y[0] * y[0] * y[1];
    return EVAL_OK;
}

static EvalStatus star_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    f[0] = y[2], f[1] = y[3];
    f[2] = -y[0] - 2.0 * y[0] * y[1], f[3] = -y[1] - y[0] * y[0] + y[1] * y[1];
    return EVAL_OK;
}

static EvalStatus pendulums_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    double d = y[0] - y[1], below = 2.0 - cos(d) * cos(d);
    double a = -y[3] * y[3] * sin(d) - 2.0 * 9.81 * sin(y[0]), b = y[2] * y[2] * sin(d) - 9.81 * sin(y[1]);
    f[0] = y[2], f[1] = y[3];
    f[2] = (a - cos(d) * b) / below, f[3] = (2.0 * b - cos(d) * a) / below;
    return EVAL_OK;
}

static EvalStatus driven_f(Model *m, double t, const double *y, double *f)
{
    (void)m;
    f[0] = y[1], f[1] = y[0] - y[0] * y[0] * y[0] - 0.1 * y[1] + 0.3 * cos(1.2 * t);
    return EVAL_OK;
}

enum { POINTS = 100 };

/* A wave that gets steep, with some diffusion: stability limits the steps, but too few of them for
 * a Jacobian to pay. */
static EvalStatus wave_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    for (int i = 0; i < POINTS; i++) {
        double left = y[(i + POINTS - 1) % POINTS], right = y[(i + 1) % POINTS];
        f[i] = -0.5 * POINTS * y[i] * (right - left) + 20.0 * (right - 2.0 * y[i] + left);
    }
    return EVAL_OK;
}

static void wave(double *y)
{
    for (int i = 0; i < POINTS; i++) y[i] = 1.0 + 0.5 * sin(2.0 * 3.14159265358979 * i / POINTS);
}

static void two_one(double *y) { y[0] = 2.0; }
static void prey(double *y) { y[0] = 1.0, y[1] = 3.0; }
static void spun(double *y) { y[1] = y[2] = 1.0; }
static void mixed(double *y) { y[0] = 1.5, y[1] = 3.0; }
static void thrown(double *y) { y[1] = 0.1, y[2] = 0.49057; }
static void lifted(double *y) { y[0] = 1.0, y[1] = 1.2; }
static void beside(double *y) { y[0] = 0.5; }

#define PROBLEM(name_, n_, end, f, begin)                                                      \
    {                                                                                          \
        .name = name_, .n = n_, .t_end = end, .atol_share = 1.0, .type = { .derivatives = f }, \
        .start = begin                                                                         \
    }
static const IvpProblem problems[] = {
    PROBLEM("round orbit", 4, 20.0, orbit_f, round_orbit),
    PROBLEM("long orbit", 4, 20.0, orbit_f, long_orbit),
    PROBLEM("comet", 4, 20.0, orbit_f, comet),
    PROBLEM("oscillator", 2, 20.0, oscillator_f, two_one),
    PROBLEM("species", 2, 20.0, species_f, prey),
    PROBLEM("top", 3, 20.0, top_f, spun),
    PROBLEM("reaction", 2, 20.0, reaction_f, mixed),
    PROBLEM("star", 4, 50.0, star_f, thrown),
    PROBLEM("pendulums", 4, 10.0, pendulums_f, lifted),
    PROBLEM("driven", 2, 30.0, driven_f, beside),
    PROBLEM("wave", POINTS, 0.3, wave_f, wave),
};

static const char *const methods[] = { "auto", "dopri5", "dop853", "adams", "switching", "radau5", "radau" };
static const double levels[] = { 3.0, 5.0, 7.0 };

/* The end point, near to rounding. */
static void find_end(const IvpProblem *p, double *end)
{
    Arena *arena = arena_new();
    double *y0;
    SolverOptions options = solver_options(1e-14, 1e-14);
    SolverFailure why;
    Problem problem = { ivp_model(p, arena, &y0), p->t0, p->t_end, y0, NULL };
    Solver *s = solver_create(solver_find("dop853"), &problem, &options, &why);
    StepStatus status = STEP_TAKEN;
    while (s && status == STEP_TAKEN) status = solver_step(s, p->t_end);
    if (CHECK_ROW(s && status == STEP_LIMIT, p->name)) memcpy(end, solver_y(s), (size_t)p->n * sizeof *end);
    solver_destroy(s);
    arena_free(arena);
}

/* Work at each of the levels. */
static void measure(const IvpProblem *p, const char *method, double *work)
{
    static const SolverOptions usual = { 0 };
    Study study = { .arena = arena_new() };
    for (int digit = 2; digit <= 10; digit++) {
        IvpRun run;
        double rtol = pow(10.0, -digit);
        ivp_run_once(p, solver_find(method), rtol, 60.0, &usual, &run);
        study_add(&study,
                  (StudyRow){ .problem = p->name,
                              .solver = method,
                              .n = p->n,
                              .rtol = rtol,
                              .work = study_work(p->n, run.stats.f, run.stats.jacobians, run.stats.factors),
                              .digits = run.digits,
                              .finished = run.finished });
    }
    StudyCurve curve = { 0, study.rows.n };
    for (size_t k = 0; k < COUNT_OF(levels); k++)
        work[k] = study_at_digits(&study, curve, levels[k], study_cost_work);
    arena_free(study.arena);
}

int main(void)
{
    double sum = 0.0;
    for (size_t i = 0; i < COUNT_OF(problems); i++) {
        IvpProblem p = problems[i];
        double end[POINTS], own[COUNT_OF(levels)], best[COUNT_OF(levels)], logs = 0.0;
        find_end(&p, end);
        p.reference = end;
        measure(&p, methods[0], own);
        for (size_t k = 0; k < COUNT_OF(levels); k++) best[k] = INFINITY;
        for (size_t m = 1; m < COUNT_OF(methods); m++) {
            double work[COUNT_OF(levels)];
            measure(&p, methods[m], work);
            for (size_t k = 0; k < COUNT_OF(levels); k++) best[k] = fmin(best[k], work[k]);
        }
        for (size_t k = 0; k < COUNT_OF(levels); k++) logs += log(own[k] / best[k]) / COUNT_OF(levels);
        if (!CHECK_ROW(exp(logs) <= 1.5, p.name)) printf("  %.2f of the best\n", exp(logs));
        sum += logs / COUNT_OF(problems);
    }
    if (!CHECK(exp(sum) <= 1.3)) printf("  in the mean %.2f of the best\n", exp(sum));
    return test_end();
}
