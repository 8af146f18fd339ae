/* The integrators of exported co-simulation: methods of order 5 integrate polynomials of degree 5
 * exactly, errors follow the tolerance, the fixed step has order 1; communication points change
 * nothing; events are found, and inputs restart. */
#include "gen/world.h"

#include "gen/inside.h"
#include "unit/unit.h"

const UnitModel unit_model = {
    .name = "none"
}; /* what an exported model would define; nothing here looks at it */

typedef struct {
    Run r;
    RunInstance *run;
    UnitIntegrator *integrator;
    double t, y[16];
    int events;
} Slave;

static bool slave_open(Slave *s, const char *text, const char *method, double tolerance, double step)
{
    RunEvent event;
    *s = (Slave){ .t = 0 };
    if (!CHECK_ROW(run_open(&s->r, text, IR_AUTO), text)) return false;
    s->run = run_new(&s->r.compiled->run);
    if (!CHECK_ROW(s->run && run_initialise(s->run, 0, s->y, &event) == RUN_OK, text)) return false;
    s->integrator = unit_integrator_new(s->run, tolerance, method, step);
    unit_integrator_restart(s->integrator, 0, s->y, &event);
    return s->integrator;
}

static void slave_close(Slave *s)
{
    unit_integrator_free(s->integrator);
    run_free(s->run);
    run_close(&s->r);
}

static bool go(Slave *s, double to, double end)
{
    while (s->t < to) {
        Advance way = unit_integrator_advance(s->integrator, to, end, &s->t, s->y);
        RunEvent event;
        if (way == ADVANCED_FAILED) return false;
        if (way == ADVANCED) continue;
        s->events++;
        if (run_event(s->run, s->t, s->y, &event) != RUN_OK) return false;
        unit_integrator_restart(s->integrator, s->t, s->y, &event);
    }
    return true;
}

static double value(Slave *s, const char *name)
{
    int k = run_find(&s->r, name);
    if (k < 0 || run_values(s->run, s->t, s->y) != RUN_OK) return NAN;
    return run_values_now(s->run)[run_model(s->run)->variables[k].var];
}

/* By communication steps of `h` to `end`; the error of x there. */
static double error_of(const char *text, const char *method, double tolerance, double h, double end,
                       double want)
{
    Slave s;
    double error = NAN;
    if (!slave_open(&s, text, method, tolerance, h)) return NAN;
    bool ok = true;
    for (int k = 1; ok && k * h < end * (1 + 1e-9); k++) ok = go(&s, fmin(k * h, end), end);
    if (CHECK_ROW(ok, method)) error = fabs(value(&s, "x") - want);
    slave_close(&s);
    return error;
}

static const char *const methods[] = { "dopri5", "radau5" };

static void test_order(void)
{
    for (size_t m = 0; m < COUNT_OF(methods); m++) {
        const char *quintic = "Real x(start=0, fixed=true); equation der(x) = 5*time^4 - 4*time^3;";
        CHECK_ROW(error_of(quintic, methods[m], 1e-3, 1, 1, 0) < 1e-13, methods[m]);
        const char *sextic = "Real x(start=0, fixed=true); equation der(x) = 6*time^5;";
        CHECK_ROW(error_of(sextic, methods[m], 1e-1, 1, 1, 1) > 1e-13, methods[m]);
    }
}

static void test_accuracy(void)
{
    static const struct {
        const char *text;
        double want;
    } rows[] = {
        { "Real x(start=1, fixed=true); equation der(x) = -x^2;", 0.5 },
        { "Real x(start=0, fixed=true), v(start=1, fixed=true); equation der(x) = v; der(v) = -x;",
          0.8414709848078965 },
        { "Real x(start=1, fixed=true), z(start=1); equation der(x) = -z; z^3 + z = x^3 + x;",
          0.36787944117144233 },
    };
    for (size_t m = 0; m < COUNT_OF(methods); m++)
        for (size_t k = 0; k < COUNT_OF(rows); k++) {
            double loose = error_of(rows[k].text, methods[m], 1e-4, 0.1, 1, rows[k].want);
            double tight = error_of(rows[k].text, methods[m], 1e-9, 0.1, 1, rows[k].want);
            CHECK_ROW(loose < 1e-4, rows[k].text);
            CHECK_ROW(tight < 1e-8, rows[k].text);
        }
    /* stiff: an explicit method would need a million steps */
    CHECK(error_of("Real x(start=2, fixed=true); equation der(x) = -1e6*(x - cos(time)) - sin(time);",
                   "radau5", 1e-8, 0.1, 1, cos(1)) < 1e-8);
}

static void test_fixed_step(void)
{
    const char *text = "Real x(start=1, fixed=true); equation der(x) = -x + time;";
    double want = 2 * exp(-1.0), a = error_of(text, "euler-li", 1e-6, 0.01, 1, want),
           b = error_of(text, "euler-li", 1e-6, 0.005, 1, want);
    CHECK(a / b > 1.9 && a / b < 2.1);
}

/* The steps are the integrator's own: how often it is asked leaves no trace in them. */
static void test_communication(void)
{
    const char *text =
        "Real x(start=0, fixed=true), v(start=1, fixed=true); equation der(x) = v; der(v) = -x;";
    for (size_t m = 0; m < COUNT_OF(methods); m++) {
        double once = error_of(text, methods[m], 1e-6, 10, 10, 0);
        double often = error_of(text, methods[m], 1e-6, 0.01, 10, 0);
        CHECK_ROW(fabs(once - often) < 1e-12, methods[m]);
    }
}

static void test_events(void)
{
    const char *text = "Real h(start=1, fixed=true), v(start=0, fixed=true); Integer n(start=0, fixed=true); "
                       "equation der(h) = v; "
                       "der(v) = -9.81; when h < 0 then reinit(v, -0.5*pre(v)); n = pre(n) + 1; end when;";
    for (size_t m = 0; m < COUNT_OF(methods); m++) {
        Slave s;
        if (!slave_open(&s, text, methods[m], 1e-8, 0.01)) continue;
        bool ok = true;
        for (int k = 1; k <= 60 && ok; k++) ok = go(&s, k * 0.01, 1);
        CHECK_ROW(ok && s.events == 2 && value(&s, "n") == 1, methods[m]); /* down, and up again */
        double bounce = sqrt(2 / 9.81), after = 0.6 - bounce, speed = 0.5 * 9.81 * bounce;
        CHECK_ROW(fabs(value(&s, "h") - (speed * after - 0.5 * 9.81 * after * after)) < 1e-7, methods[m]);
        slave_close(&s);
    }
    Slave s; /* time events, in a model without states */
    if (!slave_open(
            &s,
            "Integer n(start=0, fixed=true); equation when sample(0.1, 0.1) then n = pre(n) + 1; end when;",
            "dopri5", 1e-6, 0.01))
        return;
    CHECK(go(&s, 0.55, 1) && value(&s, "n") == 5);
    slave_close(&s);
}

/* An indicator that is smaller than what states err by inside of a stiff step: where a signal and
 * its lag of a microsecond meet, the signal is greatest. */
static void test_small_indicator(void)
{
    const char *text = "Real x(start=2, fixed=true), u, seen(start=0, fixed=true); equation "
                       "u = 2 + sin(10*time); der(x) = 1e6*(u - x); when u < x then seen = time; end when;";
    static const double tolerances[] = { 1e-4, 1e-5, 1e-6 };
    for (size_t k = 0; k < COUNT_OF(tolerances); k++) {
        Slave s;
        if (!slave_open(&s, text, "radau5", tolerances[k], 0.01)) continue;
        CHECK(go(&s, 0.2, 1) && fabs(value(&s, "seen") - 0.1570796) < 5e-4);
        slave_close(&s);
    }
}

static void test_inputs(void)
{
    const char *text =
        "input Real u; Real x(start=0, fixed=true); Boolean b; equation der(x) = u; b = u > 0.5;";
    for (size_t m = 0; m < COUNT_OF(methods); m++) {
        Slave s;
        const char *why;
        if (!slave_open(&s, text, methods[m], 1e-8, 0.01)) continue;
        uint32_t u = (uint32_t)run_find(&s.r, "u");
        CHECK_ROW(run_set(s.run, u, 0.25, &why), methods[m]);
        CHECK_ROW(unit_integrator_input(s.integrator, 0, s.y) == 0, methods[m]);
        CHECK_ROW(go(&s, 1, 2) && fabs(value(&s, "x") - 0.25) < 1e-12, methods[m]);
        CHECK_ROW(run_set(s.run, u, 1, &why) && unit_integrator_input(s.integrator, s.t, s.y) == 1,
                  methods[m]);
        CHECK_ROW(go(&s, 2, 2) && fabs(value(&s, "x") - 1.25) < 1e-12, methods[m]);
        slave_close(&s);
    }
}

int main(void)
{
    test_order();
    test_accuracy();
    test_fixed_step();
    test_communication();
    test_events();
    test_small_indicator();
    test_inputs();
    return test_end();
}
