/* The stepper is the method: against its formula, in both forms; orders 1, 2 and 3 are observed
 * with an incomplete Jacobian; it agrees with the run offline; events act at grid points; a pivot
 * that degrades is told and a value that is not finite does not spread; its operations are counted
 * and no branch is among them; a run against the clock keeps its books. */
#include "gen/world.h"

#include "realtime/realtime.h"

#include <stdlib.h>

typedef struct {
    Run run;
    RtScenario *s;
    unsigned char *kept;
} World;

static bool world_open(World *w, const char *text, double step, double stop, bool residual_form)
{
    RtOptions options = rt_options(step, 0, stop);
    options.residual_form = residual_form;
    if (!run_open(&w->run, text, IR_AUTO)) return false;
    if (residual_form && !gen_add_residual_form(w->run.compiled, &w->run.mini->diag)) return false;
    w->s = scenario_new(w->run.compiled, &options);
    if (w->s->message[0]) printf("  %s\n", w->s->message);
    w->kept = NEW_ARRAY(w->s->arena, unsigned char, (size_t)pattern_count(w->s->system.pattern) + 1);
    memset(w->kept, 1, (size_t)pattern_count(w->s->system.pattern));
    return !w->s->message[0];
}

static void world_close(World *w)
{
    scenario_free(w->s);
    run_close(&w->run);
}

static RtStepper *stepper_of(World *w, int order)
{
    char why[300] = "";
    RtStepper *st = stepper_new(w->s, w->kept, &(RtStepperOptions){ .order = order }, why, sizeof why);
    if (!CHECK(st != NULL)) printf("  %s\n", why);
    if (st && !CHECK(stepper_start(st, 0))) printf("  %s\n", stepper_failure(st));
    return st;
}

/* x' = -50 x + y, y' = x - y: two steps by hand, with the entry (1,2) left out. */
static void test_formula(void)
{
    World w;
    if (!CHECK(world_open(&w,
                          "Real x(start=1, fixed=true), y(start=2, fixed=true); equation der(x) = -50*x + y; "
                          "der(y) = x - y;",
                          0.01, 1, false)))
        return;
    w.kept[pattern_find(w.s->system.pattern, 0, 1)] = 0;
    RtStepper *st = stepper_of(&w, 1);
    double x = 1, y = 2, h = 0.01;
    RtStepInfo info;
    for (int k = 0; k < 2; k++) {
        double dx = (-50 * x + y) / (1 + 50 * h), dy = (x - y + h * dx) / (1 + h);
        x += h * dx;
        y += h * dy;
        stepper_step(st, &info);
    }
    CHECK_NEAR(stepper_states(st)[0], x, 1e-15);
    CHECK_NEAR(stepper_states(st)[1], y, 1e-15);
    CHECK(!info.event && !info.held && !info.poor_pivot);
    RtOperations o = stepper_operations(st);
    CHECK(o.branches == 0 && o.calls == 0 && o.divisions <= 2 && operations_total(&o) > 10);
    stepper_free(st);
    world_close(&w);
}

static double error_at_end(const char *text, double step, int order, bool residual_form)
{
    World w;
    if (!CHECK(world_open(&w, text, step, 1, residual_form))) return NAN;
    for (int e = 0; e < pattern_count(w.s->system.pattern); e++)
        if (w.s->system.pattern->row[e] == 0) w.kept[e] = 0; /* the first row is explicit */
    RtStepper *st = stepper_of(&w, order);
    RtStepInfo info;
    for (long k = 0; k < w.s->steps; k++) stepper_step(st, &info);
    const double *last = w.s->reference.at + (size_t)(w.s->reference.rows - 1) * (size_t)w.s->system.n;
    double error = fabs(stepper_states(st)[0] - last[0]);
    stepper_free(st);
    world_close(&w);
    return error;
}

static void test_orders(void)
{
    static const char *const texts[] = {
        "Real x(start=1, fixed=true), y(start=0.5, fixed=true); equation der(x) = -x*y + sin(3*time); der(y) "
        "= x - 2*y^2;",
        "Real x(start=1, fixed=true), y(start=0.5, fixed=true), a, b; equation der(x) = -a*y + sin(3*time); "
        "der(y) = b; a "
        "+ 0.5*b = x; b - 0.3*a*y = x - 2*y;",
    };
    for (int form = 0; form < 2; form++)
        for (int order = 1; order <= 3; order++) {
            double coarse = error_at_end(texts[form], 0.05, order, false),
                   fine = error_at_end(texts[form], 0.025, order, false);
            double observed = log2(coarse / fine);
            if (!CHECK(observed > order - 0.35))
                printf("  order %d: observed %g (%g, %g)\n", order, observed, coarse, fine);
        }
}

/* Linear blocks solved inside or given to the step: both converge to the same solution. */
static void test_forms_agree(void)
{
    static const char text[] =
        "Real x(start=1, fixed=true), y(start=0.5, fixed=true), a(start=1), b(start=1); equation "
        "der(x) = -a; der(y) = b - y; a + 0.1*a^3 + 0.5*b = x; b - 0.3*a*y = x - 2*y;";
    double inside = error_at_end(text, 0.01, 1, false), outside = error_at_end(text, 0.01, 1, true);
    CHECK(inside < 0.02 && outside < 0.02);
}

static void test_offline(void)
{
    World w;
    if (!CHECK(world_open(&w,
                          "Real x(start=1, fixed=true), v(start=0, fixed=true); equation der(x) = v; der(v) "
                          "= -9*x - (if x > "
                          "0 then 2 else 0.1)*v;",
                          0.01, 2, false)))
        return;
    RtStepper *st = stepper_of(&w, 1);
    RtOutcome offline = scenario_run(w.s, &(RtUse){ .kept = w.kept });
    RtStepInfo info;
    double error = 0;
    long events = 0;
    for (long k = 0; k < w.s->steps; k++) {
        for (int i = 0; i < 2; i++)
            error = fmax(error, fabs(stepper_states(st)[i] - w.s->reference.at[2 * k + i]) / w.s->range[i]);
        stepper_step(st, &info);
        events += info.event;
        CHECK(info.event_converged);
    }
    CHECK(events >= 1 && offline.finished);
    CHECK_NEAR(error, offline.error, 1e-3);
    stepper_free(st);
    world_close(&w);
}

/* 1 - tau a(t) passes zero long behind the scenario: told, not a crash. */
static void test_pivot(void)
{
    World w;
    if (!CHECK(world_open(&w,
                          "Real x(start=1, fixed=true), a(start=0, fixed=true); equation der(a) = 100; "
                          "der(x) = a*(x - 1) - 0.1;",
                          0.01, 0.3, false)))
        return;
    RtStepper *st = stepper_of(&w, 1);
    RtStepInfo info;
    long poor = 0;
    for (int k = 0; k < 400; k++) {
        stepper_step(st, &info);
        poor += info.poor_pivot || info.held;
        for (int i = 0; i < 2; i++) CHECK(isfinite(stepper_states(st)[i]));
    }
    CHECK(poor > 0);
    stepper_free(st);
    world_close(&w);
}

static void test_measure(void)
{
    World w;
    char why[300] = "";
    if (!CHECK(world_open(&w,
                          "Real x(start=1, fixed=true), y(start=2, fixed=true); equation der(x) = -50*x + y; "
                          "der(y) = x - y;",
                          0.01, 0.2, false)))
        return;
    RtSparsing *sparsing = sparsing_new(w.s);
    RtMeasurement rows[RT_VARIANTS];
    CHECK(measure_variants(w.s, sparsing, rows, why, sizeof why));
    CHECK(rows[3].count == 4 && rows[2].count == 4 && rows[1].count_lu == 4 && rows[0].count <= 4);
    for (int k = 0; k < RT_VARIANTS; k++) CHECK(rows[k].step_s > 0 && rows[k].both_s > 0);
    world_close(&w);
}

static void test_run(void)
{
    World w;
    if (!CHECK(world_open(&w, "Real x(start=1, fixed=true); equation der(x) = -x;", 1e-3, 0.1, false)))
        return;
    RtStepper *st = stepper_of(&w, 1);
    RtRunReport report;
    RtRun run = { .seconds = 0.05, .deadline = 60, .cpu = -1 };
    CHECK(deadline_run(st, &run, &report));
    CHECK(report.steps == 50 && report.overruns == 0 && report.median <= report.worst);
    CHECK_NEAR(stepper_time(st), 0.05, 1e-12);
    deadline_free(&report);
    run.deadline = 1e-12; /* every step is late */
    run.policy = OVERRUN_STOP;
    CHECK(stepper_start(st, 0) && deadline_run(st, &run, &report));
    CHECK(report.steps == 1 && report.is_stopped && report.place[0] == 0);
    deadline_free(&report);
    run.policy = OVERRUN_SKIP;
    CHECK(stepper_start(st, 0) && deadline_run(st, &run, &report));
    CHECK(report.steps + report.skipped >= 50 && report.overruns == report.steps);
    deadline_free(&report);
    stepper_free(st);
    world_close(&w);
}

int main(void)
{
    test_formula();
    test_orders();
    test_forms_agree();
    test_offline();
    test_pivot();
    test_measure();
    test_run();
    return test_end();
}
