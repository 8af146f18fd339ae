/* Models rich in events run with every way to restart: the number of events and the end agree with
 * a one-step method, and what is compared at equal accuracy is compared rightly. */
#include "bench/hybrid/hybrid.h"
#include "test.h"

#include <math.h>

/* Work that falls by the same factor at every error has that ratio, whatever the errors were. */
static void check_compare(void)
{
    HybridLadder own = { 0 }, other = { 0 };
    for (int k = 0; k < 5; k++) {
        HybridRun run = { .finished = true, .error = pow(10.0, -3 - k), .seconds = 1e-3 * pow(2.0, k) };
        run.stats.f = 1000L << k;
        hybrid_climb(&own, &run);
        run.stats.f *= 2;
        run.seconds *= 4.0;
        hybrid_climb(&other, &run);
    }
    double nfev, cpu;
    hybrid_compare(&own, &other, &nfev, &cpu);
    CHECK_NEAR(nfev, 0.5, 1e-9);
    CHECK_NEAR(cpu, 0.25, 1e-9);
}

static void check_model(const HybridProblem *p)
{
    double reference[64];
    CHECK_ROW(hybrid_reference(p, reference), p->name);
    for (int starter = STARTER_AUTO; starter <= STARTER_RK_NORDSIECK; starter++) {
        HybridRun run;
        hybrid_run(p, solver_find(p->solver), (Starter)starter, 1e-6, reference, NULL, &run);
        if (!CHECK_ROW(run.finished && run.error < 3e-3, p->name))
            printf("  restart %d: error %g, %ld events: %s\n", starter, run.error, run.events,
                   run.failure.text);
    }
}

int main(void)
{
    check_compare();
    for (size_t i = 0; i < hybrid_problem_count; i++)
        if (strcmp(hybrid_problems[i]->name, "thermostats") && strcmp(hybrid_problems[i]->name, "friction"))
            check_model(hybrid_problems[i]);
    return test_end();
}
