/* The past of a signal: polynomials up to the third degree come back exactly, jumps stay where they
 * are and come out when they are passed, memory stays as large as the delay is long. */
#include "rt/rt.h"
#include "test.h"

static double look(Rt *rt, uint32_t k, double t, bool slope)
{
    RtCell cells[3] = { { .i = k }, { .r = t }, { .r = 0 } };
    CHECK((slope ? rt_delay_rate : rt_delay_value)(rt, cells) == RT_OK);
    return cells[2].r;
}

static void cubics_come_back(Rt *rt)
{
    CHECK(rt_delay_start(rt, 0, 0, 1, false) && rt_delay_pass(rt, 0, 0, 0));
    for (int i = 1; i <= 10; i++) {
        double t = 0.1 * i * (1 + 0.05 * i);
        CHECK(rt_delay_push(rt, 0, t, 1 - 2 * t + t * t * t));
    }
    for (double t = 0.15; t < 1.2; t += 0.07) { /* two points on either side */
        CHECK_NEAR(look(rt, 0, t, false), 1 - 2 * t + t * t * t, 1e-13);
        CHECK_NEAR(look(rt, 0, t, true), -2 + 3 * t * t, 1e-11);
    }
    CHECK(look(rt, 0, -3, false) == 1 && look(rt, 0, -3, true) == 0); /* before the start */
}

static void jumps_come_out_once(Rt *rt)
{
    CHECK(rt_delay_start(rt, 1, 0, 5, false));
    CHECK(rt_delay_push(rt, 1, 1, 5) && rt_delay_jump(rt, 1, 1, 7, 0) && rt_delay_jump(rt, 1, 1, 8, 0));
    CHECK(rt_delay_push(rt, 1, 2, 9) && rt_delay_jump(rt, 1, 2, 9, 0));        /* no jump */
    CHECK(rt_delay_next(rt, 1, 0.5) == 0.5 && rt_delay_pass(rt, 1, 0.5, 0.5)); /* where it begins */
    CHECK(rt_delay_next(rt, 1, 0.5) == 1.5);
    CHECK(look(rt, 1, 1.5, false) == 5); /* not passed yet: continued from the left */
    CHECK(!rt_delay_pass(rt, 1, 1.4, 0.5) && rt_delay_pass(rt, 1, 1.5, 0.5) &&
          !rt_delay_pass(rt, 1, 1.5, 0.5));
    CHECK(look(rt, 1, 0.9, false) == 8 && look(rt, 1, 1.5, false) == 8.5);
    CHECK(rt_delay_next(rt, 1, 0.5) == INFINITY);
    CHECK(rt_delay_start(rt, 1, 0, 5, true)); /* where times vary, jumps are simply there */
    CHECK(rt_delay_push(rt, 1, 1, 5) && rt_delay_jump(rt, 1, 1, 7, 0) && rt_delay_push(rt, 1, 2, 9));
    CHECK(look(rt, 1, 0.999, false) == 5 && look(rt, 1, 1, false) == 7 && look(rt, 1, 1.5, false) == 8);
    CHECK(look(rt, 1, 2.25, false) == 9.5 && rt_delay_next(rt, 1, 0.5) == INFINITY);
}

static void the_old_is_forgotten(Rt *rt)
{
    CHECK(rt_delay_start(rt, 2, 0, 0, false) && rt_delay_pass(rt, 2, 0, 0));
    for (int i = 1; i <= 100000; i++) {
        double t = 0.001 * i;
        CHECK(rt_delay_push(rt, 2, t, sin(t)));
        rt_delay_forget(rt, 2, t - 0.1);
    }
    CHECK_NEAR(look(rt, 2, 99.9501, false), sin(99.9501), 1e-12);
}

int main(void)
{
    Rt *rt = rt_new(0);
    if (!CHECK(rt && rt_delays_new(rt, 3))) return test_end();
    cubics_come_back(rt);
    jumps_come_out_once(rt);
    the_old_is_forgotten(rt);
    RtCell wrong[3] = { { .i = 3 }, { .r = 0 }, { .r = 0 } };
    CHECK(rt_delay_value(rt, wrong) == RT_EXTERNAL);
    rt_delays_free(rt);
    rt_free(rt);
    return test_end();
}
