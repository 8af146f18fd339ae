/* Models of models/ run to what physics says: closed forms, conserved quantities, a second
 * integrator. */
#include "acausal.h"
#include "base/base.h"
#include "test.h"

#include <stdlib.h>

#define MODEL(name) TEST_SOURCE_DIR "/../models/" name ".mo"

typedef struct {
    AcausalSession *session;
    AcausalSimulationReport report;
    AcausalStatus status;
} Run;

static Run run(const char *source, const char *class_name, const char *solver, double tolerance,
               const char *set)
{
    Run r = { .session = acausal_session_new(), .report = { .size = sizeof r.report } };
    AcausalSimulation s = acausal_simulation();
    s.solver = solver;
    s.tolerance = tolerance;
    s.keep = true;
    s.set = &set;
    s.set_count = set ? 1 : 0;
    r.status = acausal_simulate(r.session, source, class_name, &s, &r.report);
    return r;
}

static void run_free(Run *r)
{
    acausal_result_free(r->report.result);
    acausal_session_free(r->session);
}

static double *values_of(const Run *r, const char *name)
{
    double *values = calloc(acausal_result_rows(r->report.result) + 1, sizeof *values);
    CHECK_ROW(values && acausal_result_values(r->report.result, name, values), name);
    return values;
}

/* The rod keeps its length and the pendulum its energy, as far as the tolerance goes. */
static void check_pendulum(const char *solver)
{
    Run r = run(MODEL("Pendulum"), NULL, solver, 1e-8, NULL);
    if (CHECK_ROW(r.status == ACAUSAL_DONE && r.report.states == 2, solver)) {
        double *x = values_of(&r, "x"), *y = values_of(&r, "y"), *vx = values_of(&r, "vx"),
               *vy = values_of(&r, "vy");
        size_t rows = acausal_result_rows(r.report.result);
        double length = 0, energy = 0, first = 0.5 * (vx[0] * vx[0] + vy[0] * vy[0]) + 9.81 * y[0];
        for (size_t i = 0; i < rows; i++) {
            length = fmax(length, fabs(x[i] * x[i] + y[i] * y[i] - 1));
            energy = fmax(energy, fabs(0.5 * (vx[i] * vx[i] + vy[i] * vy[i]) + 9.81 * y[i] - first));
        }
        CHECK(rows == 501);
        CHECK_NEAR(length, 0, 1e-12); /* solved for at every row, to rounding */
        CHECK_NEAR(energy, 0, 1e-5);  /* a thousand tolerances in ten seconds */
        free(x);
        free(y);
        free(vx);
        free(vy);
    }
    run_free(&r);
}

/* Bounce k is at t_0 (1 + 2 sum e^i); there the result has two rows. */
static void check_bouncing_ball(const char *set, double e)
{
    Run r = run(MODEL("BouncingBall"), NULL, NULL, 1e-9, set);
    if (CHECK_ROW(r.status == ACAUSAL_DONE, r.report.message)) {
        double *t = values_of(&r, "time"), *h = values_of(&r, "h"), want = sqrt(2 / 9.81), leap = 2 * want;
        size_t rows = acausal_result_rows(r.report.result), bounces = 0;
        double worst = 0, lowest = 0;
        for (size_t i = 1; i < rows; i++) {
            lowest = fmin(lowest, h[i]);
            if (t[i] != t[i - 1]) continue;
            worst = fmax(worst, fabs(t[i] - want));
            leap *= e;
            want += leap;
            bounces++;
        }
        CHECK(bounces >= 6);
        CHECK_NEAR(worst, 0, 1e-7);
        CHECK_NEAR(lowest, 0, 1e-7);
        free(t);
        free(h);
    }
    run_free(&r);
}

/* Two integrators of different families, the second with a hundredth of the tolerance, agree. */
static void check_circuit(void)
{
    Run a = run(MODEL("Circuit"), "Circuit.RLC", "dopri5", 1e-6, NULL),
        b = run(MODEL("Circuit"), "Circuit.RLC", "radau5", 1e-8, NULL);
    AcausalCompareOptions options = acausal_compare_options();
    AcausalCompareReport report = { .size = sizeof report };
    CHECK(a.status == ACAUSAL_DONE && b.status == ACAUSAL_DONE);
    CHECK(acausal_compare(a.session, a.report.result, b.report.result, &options, NULL, NULL, &report) ==
              ACAUSAL_DONE &&
          report.same);
    CHECK(report.signals_same >= 20);
    run_free(&a);
    run_free(&b);
}

/* Thousands of runs of one translated model, each with another parameter: each as if it were the
 * only one, and no memory is taken after the first ten. A structural value in between translates
 * anew, and back. */
static void check_many_runs(void)
{
    enum { RUNS = 10000, SETTLED = 10 };
    AcausalSession *session = acausal_session_new();
    AcausalModel *ball = acausal_compile(session, MODEL("BouncingBall"), NULL),
                 *rod = acausal_compile(session, MODEL("HeatRod"), NULL);
    AcausalSimulation s = acausal_simulation();
    AcausalSimulationReport report = { .size = sizeof report };
    s.stop = 0.5;
    size_t before = 0;
    (void)before;
    bool ok = ball && rod;
    for (int i = 0; i < RUNS && ok; i++) {
        char value[32];
        const char *set[] = { value, "h=1.5" };
        snprintf(value, sizeof value, "e=%.4f", 0.5 + i * 4e-5);
        s.set = set;
        s.set_count = 1 + (size_t)(i % 2);
        ok = acausal_run(ball, &s, &report) == ACAUSAL_DONE && report.t == 0.5;
        if (i == SETTLED) before = memory_peak();
    }
    CHECK(ok);
#ifndef ACAUSAL_SANITIZED /* sanitizers keep what was freed */
    /* what the C library may round up to */
    CHECK_NEAR((double)memory_peak(), (double)before, 262144);
#endif
    static const char *const sizes[] = { "N=20", "N=20", "N=5" };
    static const size_t states[] = { 21, 21, 6, 101 };
    for (size_t i = 0; i < 4 && ok; i++) {
        s.set = sizes + i;
        s.set_count = i < 3;
        CHECK(acausal_run(rod, &s, &report) == ACAUSAL_DONE && report.states == states[i]);
    }
    acausal_model_free(ball);
    acausal_model_free(rod);
    acausal_session_free(session);
}

int main(void)
{
    check_many_runs();
    check_pendulum("radau5");
    check_pendulum("dop853");
    check_pendulum("bdf");
    check_bouncing_ball(NULL, 0.8);
    check_bouncing_ball("e=0.6", 0.6);
    check_circuit();
    return test_end();
}
