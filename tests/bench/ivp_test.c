/* The problems of the bench are what they claim: the default method and an independent one reach
 * their reference end points, and the table has no name twice. */
#include "bench/ivp/run.h"
#include "test.h"

/* Left out: those that take seconds. */
static const struct {
    const char *name;
    const char *second; /* a method of another family */
    double rtol, digits;
} cases[] = {
    { "robertson", "rodas", 1e-6, 5.0 },    { "robertson_dae", "rodas", 1e-6, 5.0 },
    { "vdpol", "esdirk4", 1e-6, 4.5 },      { "orego", "rodas", 1e-6, 4.5 },
    { "hires", "rodas", 1e-6, 4.5 },        { "pollution", "seulex", 1e-6, 4.5 },
    { "e5", "rodas", 1e-8, 8.5 },           { "medakzo", "rodas", 1e-4, 4.0 },
    { "chemakzo", "rodas", 1e-6, 5.0 },     { "transamp", "rodas", 1e-5, 4.5 },
    { "squeezer", "radau5", 1e-8, 4.5 },    { "beam", "rodas", 1e-5, 3.0 },
    { "arenstorf", "dopri5", 1e-10, 3.5 },  { "pleiades", "dopri5", 1e-9, 4.5 },
    { "lorenz", "dopri5", 1e-9, 4.5 },      { "bruss1d_500", "rodas", 1e-4, 3.0 },
    { "emep", "rodas", 1e-4, 3.0 },         { "plate", "esdirk4", 1e-5, 3.5 },
    { "fekete", "radau5", 1e-6, 5.5 },      { "squeezer_index1", "seulex", 1e-6, 4.5 },
    { "squeezer_ode", "adams", 1e-6, 4.0 },
};

static const IvpProblem *find(const char *name)
{
    const IvpProblem *found = NULL;
    for (size_t i = 0; i < ivp_problem_count; i++) {
        if (strcmp(ivp_problems[i]->name, name)) continue;
        CHECK_ROW(!found, name);
        found = ivp_problems[i];
    }
    return found;
}

/* Rates of Adams' iteration mistake the squeezer for stiff at this tolerance; the spectral radius
 * tells better. */
static void check_false_alarm(void)
{
    IvpRun run;
    ivp_run(find("squeezer_ode"), solver_find("auto"), 1e-4, 60.0, &run);
    CHECK(run.finished && run.stats.jacobians == 0);
}

/* What a stiff unknown is off its slow solution at the start of a step is no error of the step: no
 * shorter one makes it less, and trying takes dozens of rejections. */
static void check_rough_starts(void)
{
    IvpRun run;
    ivp_run(find("e5"), solver_find("radau"), 1e-6, 60.0, &run);
    CHECK(run.finished && run.stats.rejected_error < run.stats.steps / 2);
}

int main(void)
{
    check_false_alarm();
    check_rough_starts();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const IvpProblem *p = find(cases[i].name);
        if (!CHECK_ROW(p != NULL, cases[i].name)) continue;
        const char *methods[] = { "auto", cases[i].second };
        for (size_t k = 0; k < COUNT_OF(methods); k++) {
            IvpRun run;
            ivp_run(p, solver_find(methods[k]), cases[i].rtol, 60.0, &run);
            if (!CHECK_ROW(run.finished && run.digits > cases[i].digits, cases[i].name))
                printf("  %s: %.2f digits %s\n", methods[k], run.digits, run.failure.text);
        }
    }
    return test_end();
}
