/* Errors at the end follow the tolerance: on problems of the bench that run in a moment the slope of log error over log tolerance lies between 0.8 and
 * 1.2, and no error exceeds the bound of its kind of method. The methods are those whose estimates are of another order than their errors. And BDF on
 * algebraic equations gets to the end of the transistor amplifier whatever the tolerance. */
#include "bench/ivp/run.h"
#include "test.h"

#include <math.h>

static const double LEAST_SLOPE = 0.8, MOST_SLOPE = 1.2;

static const IvpProblem *problem_of(const char *name)
{
    for (size_t i = 0; i < ivp_problem_count; i++)
        if (!strcmp(ivp_problems[i]->name, name)) return ivp_problems[i];
    return NULL;
}

static const struct {
    const char *problem, *solver;
    double most; /* error in tolerances */
} pairs[] = {
    { "robertson", "radau", 30.0 },      { "robertson_dae", "radau", 30.0 }, { "chemakzo", "radau", 30.0 },
    { "vdpol", "radau", 30.0 },          { "hires", "radau", 30.0 },         { "robertson", "bdf", 300.0 },
    { "robertson_dae", "bdf", 300.0 },   { "chemakzo", "bdf", 300.0 },       { "robertson", "dassl", 300.0 },
    { "robertson_dae", "dassl", 300.0 }, { "chemakzo", "dassl", 300.0 },
};

static void check_pair(const char *problem, const char *solver, double most)
{
    const SolverOptions usual = { 0 };
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, worst = 0.0;
    for (double x = 3.0; x <= 10.0; x += 0.25) { /* so fine that single lucky errors do not turn the slope */
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
    for (double digits = 3.0; digits < 9.0; digits += 0.3) {
        IvpRun run;
        ivp_run_once(problem_of("transamp"), solver_find(solver), pow(10.0, -digits), 10.0, &usual, &run);
        if (!CHECK_ROW(run.finished && run.error < 300.0, solver))
            printf("  1e-%.1f: error %.3g %s\n", digits, run.error, run.failure.text);
    }
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
    for (size_t i = 0; i < COUNT_OF(pairs); i++) check_pair(pairs[i].problem, pairs[i].solver, pairs[i].most);
    check_amplifier("dassl");
    check_amplifier("bdf");
    return test_end();
}
