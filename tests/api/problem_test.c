/* Problems of the caller through the public header: decay with an event and derivatives in its
 * rate, a pendulum as F(t, y, y') = 0, the solution between rows, and what is wrong. */
#include "test.h"

#include "acausal.h"

#include <math.h>

static int decay(void *arg, double t, const double *y, double *f)
{
    (void)t;
    f[0] = -*(double *)arg * y[0];
    return 0;
}

static int half(void *arg, double t, const double *y, double *g)
{
    (void)arg, (void)t;
    g[0] = y[0] - 0.5;
    return 0;
}

static int implicit(void *arg, double t, const double *y, const double *yp, double *r)
{
    (void)arg, (void)t;
    r[0] = yp[0] + y[1];
    r[1] = y[1] - 2 * y[0];
    return 0;
}

static int refuse(void *arg, double t, const double *y, double *f)
{
    (void)arg, (void)y, (void)f;
    return t > 0.5 ? -1 : (f[0] = 1, 0);
}

static void check_decay(AcausalSession *session, const char *solver)
{
    double k = 2, y0 = 1, y, times[] = { 0.1, 0.2, 1 };
    long terminal = 1;
    AcausalProblem p = { .size = sizeof p, .n = 1, .t_end = 1, .y0 = &y0, .arg = &k, .f = decay };
    p.parameters = &k;
    p.parameter_count = 1;
    p.indicators = 1;
    p.indicate = half;
    p.terminal = &terminal;
    p.solver = solver;
    p.rtol = p.atol = 1e-9;
    AcausalIntegrator *it = acausal_integrator_new(session, &p);
    AcausalAdvance go = { .size = sizeof go, .until = 1, .times = times, .time_count = 3, .pieces = true };
    AcausalPath path = { .size = sizeof path };
    if (!CHECK(it)) return;
    CHECK(acausal_integrator_run(it, &go, &path) == ACAUSAL_DONE);
    CHECK(path.end == ACAUSAL_AT_EVENT && path.events == 1 && path.event_of[0] == 0);
    CHECK_NEAR(path.t, log(2) / 2, 1e-7);
    CHECK(path.rows == 2 && path.width == 2 && path.pieces > 0);
    CHECK_NEAR(path.values[2], exp(-0.4), 1e-7);
    CHECK_NEAR(path.values[3], -0.2 * exp(-0.4), 1e-6);
    CHECK_NEAR(path.piece_times[path.pieces], path.t, 0);
    CHECK(acausal_integrator_run(it, &go, &path) == ACAUSAL_DONE);
    CHECK(path.end == ACAUSAL_AT_LIMIT && path.rows == 1);
    CHECK_NEAR(path.values[0], exp(-2), 1e-7);
    CHECK_NEAR(path.values[1], -exp(-2), 1e-6);
    double at[2];
    acausal_integrator_interpolate(it, 1, at);
    CHECK_NEAR(at[0], exp(-2), 1e-7);
    AcausalWork work = { .size = sizeof work };
    acausal_integrator_work(it, &work);
    CHECK(work.steps > 3 && work.events == 1);
    CHECK_NEAR(k, 2, 0);
    y = 3;
    double again[] = { 3, 0 };
    CHECK(acausal_integrator_restart(it, 1, again, NULL, true) == ACAUSAL_DONE);
    go.until = 1.25;
    go.times = NULL;
    CHECK(acausal_integrator_run(it, &go, &path) == ACAUSAL_DONE && path.times[0] == 1 &&
          path.values[0] == y);
    CHECK_NEAR(path.y[0], 3 * exp(-0.5), 1e-7);
    acausal_integrator_free(it);
}

static void check_residual(AcausalSession *session)
{
    double y0[] = { 1, 2 }, yp0[] = { -2, 0 };
    AcausalProblem p = { .size = sizeof p, .n = 2, .t_end = 1, .y0 = y0, .yp0 = yp0, .residual = implicit };
    p.solver = "dassl";
    p.rtol = p.atol = 1e-9;
    AcausalIntegrator *it = acausal_integrator_new(session, &p);
    AcausalAdvance go = { .size = sizeof go, .until = 1 };
    AcausalPath path = { .size = sizeof path };
    if (!CHECK(it)) return;
    CHECK(acausal_integrator_run(it, &go, &path) == ACAUSAL_DONE);
    CHECK_NEAR(path.y[0], exp(-2), 1e-7);
    acausal_integrator_free(it);
}

static void check_mistakes(AcausalSession *session)
{
    double y0 = 0;
    AcausalProblem p = { .size = sizeof p, .n = 1, .t_end = 1, .y0 = &y0 };
    CHECK(!acausal_integrator_new(session, &p) && acausal_error_count(session) == 1);
    p.f = refuse;
    p.solver = "radau4";
    CHECK(!acausal_integrator_new(session, &p) && acausal_error_count(session) == 2);
    p.solver = "dopri5";
    AcausalIntegrator *it = acausal_integrator_new(session, &p);
    AcausalAdvance go = { .size = sizeof go, .until = 1 };
    AcausalPath path = { .size = sizeof path };
    if (!CHECK(it)) return;
    CHECK(acausal_integrator_run(it, &go, &path) == ACAUSAL_FAILED);
    CHECK(path.end == ACAUSAL_BROKEN_OFF && path.message[0] && path.rows > 1 && path.t <= 0.5);
    acausal_integrator_free(it);
    acausal_integrator_free(NULL);
}

int main(void)
{
    static const char *const solvers[] = { "auto", "dopri5", "dop853", "radau5", "bdf", "adams", "esdirk4" };
    AcausalSession *session = acausal_session_new();
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) check_decay(session, solvers[i]);
    check_residual(session);
    check_mistakes(session);
    acausal_session_free(session);
    return test_end();
}
