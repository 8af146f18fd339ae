/* The larger models of models/: each has the states it should have, agrees with a second integrator
 * of another family at a hundredth of the tolerance, and keeps what physics says is kept. */
#include "acausal.h"
#include "test.h"

#include <stdlib.h>

#define MODELS TEST_SOURCE_DIR "/../models/"

typedef struct {
    AcausalSession *session;
    AcausalSimulationReport report;
} Run;

static Run run(const char *file, const char *class_name, const char *solver, double tolerance)
{
    Run r = { .session = acausal_session_new(), .report = { .size = sizeof r.report } };
    AcausalSimulation s = acausal_simulation();
    s.solver = solver;
    s.tolerance = tolerance;
    s.keep = true;
    AcausalStatus status = acausal_simulate(r.session, file, class_name, &s, &r.report);
    CHECK_ROW(status == ACAUSAL_DONE, r.report.message);
    return r;
}

static void run_free(Run *r)
{
    acausal_result_free(r->report.result);
    acausal_session_free(r->session);
}

/* The first, last, least and largest value of a signal. */
typedef struct {
    double first, last, least, most;
} Range;

static Range range_of(const Run *r, const char *name)
{
    size_t rows = acausal_result_rows(r->report.result);
    double *v = calloc(rows + 1, sizeof *v);
    Range all = { NAN, NAN, INFINITY, -INFINITY };
    if (CHECK_ROW(v && rows && acausal_result_values(r->report.result, name, v), name)) {
        all = (Range){ v[0], v[rows - 1], INFINITY, -INFINITY };
        for (size_t i = 0; i < rows; i++) {
            all.least = fmin(all.least, v[i]);
            all.most = fmax(all.most, v[i]);
        }
    }
    free(v);
    return all;
}

/* Tolerances as tight as each model needs for a tube of 1e-3 of a signal's range: a leap of Van der
 * Pol's oscillator, the poppet of the hydraulic axis and the arm let go magnify errors. */
static const struct {
    const char *file, *class_name, *first, *second;
    double tolerance;
    size_t states;
} agree[] = {
    { "Robertson.mo", "Robertson.ODE", "radau5", "bdf", 1e-8, 3 },
    { "Robertson.mo", "Robertson.DAE", "bdf", "radau5", 1e-8, 2 },
    { "VanDerPol.mo", NULL, "radau5", "bdf", 1e-9, 2 },
    { "HeatRod.mo", NULL, "radau5", "bdf", 1e-6, 101 },
    { "Circuit.mo", "Circuit.Rectifier", "radau5", "bdf", 1e-8, 3 },
    { "Circuit.mo", "Circuit.Rectifier", "dassl", "radau5", 1e-7, 3 },
    { "Clutch.mo", "Clutch.Start", "dopri5", "radau5", 1e-6, 5 },
    { "Suspension.mo", "Suspension.Axle", "dopri5", "radau5", 1e-7, 14 },
    { "HydraulicAxis.mo", "HydraulicAxis.Axis", "radau5", "bdf", 1e-8, 12 },
    { "PneumaticLock.mo", "PneumaticLock.Lock", "radau5", "bdf", 1e-6, 21 },
    { "Robot.mo", "Robot.Arm", "radau5", "bdf", 1e-7, 78 },
    { "Robot.mo", "Robot.Free", "dopri5", "radau5", 1e-9, 12 },
};

/* The slopes of a stiff state are its fast rate times errors below the tolerance: only signals are
 * compared. */
static void count_signals(void *arg, const AcausalSignalReport *signal)
{
    size_t *different = arg;
    if (strncmp(signal->name, "der(", 4) != 0 && strcmp(signal->verdict, "same") != 0) {
        printf("  %s: %s by %g at %g\n", signal->name, signal->verdict, signal->deviation, signal->t);
        ++*different;
    }
}

static void check_agreement(void)
{
    for (size_t i = 0; i < sizeof agree / sizeof *agree; i++) {
        char file[1024];
        snprintf(file, sizeof file, MODELS "%s", agree[i].file);
        Run a = run(file, agree[i].class_name, agree[i].first, agree[i].tolerance),
            b = run(file, agree[i].class_name, agree[i].second, agree[i].tolerance / 100);
        AcausalCompareOptions options = acausal_compare_options();
        AcausalCompareReport report = { .size = sizeof report };
        CHECK_ROW(a.report.states == agree[i].states, agree[i].file);
        size_t different = 0;
        acausal_compare(a.session, a.report.result, b.report.result, &options, count_signals, &different,
                        &report);
        CHECK_ROW(different == 0 && report.signals_same >= 3, agree[i].file);
        run_free(&a);
        run_free(&b);
    }
}

/* y1 + y2 + y3 = 1: the DAE to rounding, the ODE as linear combinations are kept by these
 * methods. */
static void check_robertson(void)
{
    static const char *const forms[] = { "Robertson.ODE", "Robertson.DAE" };
    for (size_t k = 0; k < 2; k++) {
        Run r = run(MODELS "Robertson.mo", forms[k], NULL, 1e-10);
        Range y1 = range_of(&r, "y1"), y3 = range_of(&r, "y3"), y2 = range_of(&r, "y2");
        CHECK_NEAR(y1.last + y2.last + y3.last, 1, 1e-10);
        /* published at t = 4e10, to its printed accuracy */
        CHECK_NEAR(y1.last / 5.2083401497e-8, 1, 1e-4);
        run_free(&r);
    }
}

/* The lowest mode of the grid decays with its own rate: T(t) = T(0) exp(-(2 sin(pi/2N)/dx)^2 a t);
 * heat is kept. */
static void check_heat(void)
{
    Run r = run(MODELS "HeatRod.mo", NULL, NULL, 1e-9);
    double N = 100, pi = acos(-1.0), rate = 1e-2 * pow(2 * sin(pi / (2 * N)) * N, 2);
    Range middle = range_of(&r, "T[50]"), stored = range_of(&r, "stored"), lost = range_of(&r, "lost");
    CHECK_NEAR(middle.last / middle.first, exp(-rate * 10), 1e-7);
    CHECK_NEAR(stored.last + lost.last, stored.first, 1e-8);
    run_free(&r);
}

/* Momentum is kept, kinetic energy and heat together too; both masses end with the common speed
 * 200/3. */
static void check_clutch(void)
{
    Run r = run(MODELS "Clutch.mo", "Clutch.Start", NULL, 1e-8);
    Range momentum = range_of(&r, "momentum"), energy = range_of(&r, "energy"), heat = range_of(&r, "heat");
    CHECK_NEAR(momentum.least, 200, 1e-5);
    CHECK_NEAR(momentum.most, 200, 1e-5);
    CHECK_NEAR(energy.last + heat.last, energy.first, 1e-3);
    CHECK_NEAR(range_of(&r, "engine.w").last, 200.0 / 3, 1e-5);
    CHECK_NEAR(range_of(&r, "wheel.w").last, 200.0 / 3, 1e-5);
    run_free(&r);
}

/* Six pulses: the mean is near 3 sqrt(3)/pi of the amplitude, less what wires and commutation take;
 * nobody conducts backward by more than the leak. */
static void check_rectifier(void)
{
    Run r = run(MODELS "Circuit.mo", "Circuit.Rectifier", NULL, 1e-6);
    Range v = range_of(&r, "capacitor.v");
    CHECK(v.last > 500 && v.last < 3 * sqrt(3) / acos(-1.0) * 325 + 10);
    CHECK(range_of(&r, "upper[1].i").least > -1.1 * 1e-5 * 1000);
    run_free(&r);
}

/* At rest before the bump the tyres carry the weight, equally; the loop stays closed: the distance
 * of the ball joints is that of the upright's own points. */
static void check_suspension(void)
{
    Run r = run(MODELS "Suspension.mo", "Suspension.Axle", NULL, 1e-6);
    Range left = range_of(&r, "left.tyre.load"), right = range_of(&r, "right.tyre.load"),
          roll = range_of(&r, "car.a.phi");
    CHECK_NEAR(left.last + right.last, 676 * 9.81, 60);
    CHECK(roll.most > 0.01 && roll.least < -0.005 && fabs(roll.last) < 2e-3);
    CHECK_NEAR(range_of(&r, "left.upper.a.y").last, range_of(&r, "left.to_upper.b.y").last, 1e-12);
    run_free(&r);
}

/* The set point is reached; the relief valve keeps the supply near its setting. */
static void check_hydraulics(void)
{
    Run r = run(MODELS "HydraulicAxis.mo", "HydraulicAxis.Axis", NULL, 1e-6);
    CHECK_NEAR(range_of(&r, "x").last, 0.225, 0.01);
    Range supply = range_of(&r, "ps");
    CHECK(supply.most > 200 && supply.most < 230);
    run_free(&r);
}

/* The load is lifted, held without supply, and lowered; the locks' seats let nearly nothing
 * through. */
static void check_pneumatics(void)
{
    Run r = run(MODELS "PneumaticLock.mo", "PneumaticLock.Lock", NULL, 1e-7);
    Range x = range_of(&r, "x"), tank = range_of(&r, "tank.p"), creep = range_of(&r, "lock_a.passed");
    CHECK(x.most > 0.299 && x.last < 0.01);
    CHECK(tank.first == 6.2e5 && tank.last < tank.first && tank.last > 3e5);
    CHECK(creep.first == 1e-14 && fabs(creep.most) < 1e-6);
    run_free(&r);
}

/* The mechanism let go keeps its energy; driven, the hand comes to rest where the joints were
 * sent. */
static void check_robot(void)
{
    Run free_run = run(MODELS "Robot.mo", "Robot.Free", NULL, 1e-10);
    Range energy = range_of(&free_run, "arm.energy");
    CHECK_NEAR(energy.most - energy.least, 0, 1e-5);
    run_free(&free_run);
    Run r = run(MODELS "Robot.mo", "Robot.Arm", NULL, 1e-6);
    static const double to[] = { 0.8, 1.0, 0.6, 1.4, 1.1, 0.9 };
    for (int i = 0; i < 6; i++) {
        char name[32];
        snprintf(name, sizeof name, "arm.q[%d]", i + 1);
        CHECK_NEAR(range_of(&r, name).last, to[i], 0.02);
    }
    run_free(&r);
}

int main(void)
{
    check_agreement();
    check_robertson();
    check_heat();
    check_clutch();
    check_rectifier();
    check_suspension();
    check_hydraulics();
    check_pneumatics();
    check_robot();
    return test_end();
}
