/* The past of a signal: polynomials up to the third degree come back exactly, jumps stay where they
 * are and come out when they are passed, memory stays as large as the span is long. Where the key
 * is a distance, both ends take in and give out. */
#include "rt/rt.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static double look(Rt *rt, uint32_t k, RtHistorySide side, double t, bool slope)
{
    RtCell cells[3] = { { .i = 2 * k + side }, { .r = t }, { .r = 0 } };
    CHECK((slope ? rt_history_slope : rt_history_value)(rt, cells) == RT_OK);
    return cells[2].r;
}

static double past(Rt *rt, uint32_t k, double t, bool slope) { return look(rt, k, RT_HISTORY_LOW, t, slope); }

static int start(Rt *rt, uint32_t k, double t, double v, uint8_t flags)
{
    return rt_history_start(rt, k, t, (double[RT_HISTORY_PARTS]){ t, v, 1 }, NULL, 0, flags);
}

static int note(Rt *rt, uint32_t k, double t, double v, double span, RtNote what)
{
    return rt_history_note(rt, k, t, (double[RT_HISTORY_PARTS]){ t, v, span }, what);
}

static int passes(Rt *rt, uint32_t k, double t, double span)
{
    return rt_history_pass(rt, k, (double[RT_HISTORY_PARTS]){ t, 0, span });
}

static double next_time(Rt *rt, uint32_t k, double span)
{
    return rt_history_next_time(rt, k, (double[RT_HISTORY_PARTS]){ 0, 0, span });
}

static void cubics_come_back(Rt *rt)
{
    CHECK(start(rt, 0, 0, 1, 0) && passes(rt, 0, 0, 0));
    for (int i = 1; i <= 10; i++) {
        double t = 0.1 * i * (1 + 0.05 * i);
        CHECK(note(rt, 0, t, 1 - 2 * t + t * t * t, 10, RT_NOTE_POINT));
    }
    for (double t = 0.15; t < 1.2; t += 0.07) { /* two points on either side */
        CHECK_NEAR(past(rt, 0, t, false), 1 - 2 * t + t * t * t, 1e-13);
        CHECK_NEAR(past(rt, 0, t, true), -2 + 3 * t * t, 1e-11);
    }
    CHECK(past(rt, 0, -3, false) == 1 && past(rt, 0, -3, true) == 0); /* before the start */
}

static void jumps_come_out_once(Rt *rt)
{
    CHECK(start(rt, 1, 0, 5, 0));
    CHECK(note(rt, 1, 1, 5, 10, RT_NOTE_POINT) && note(rt, 1, 1, 7, 10, RT_NOTE_JUMP) &&
          note(rt, 1, 1, 8, 10, RT_NOTE_JUMP));
    /* no jump */
    CHECK(note(rt, 1, 2, 9, 10, RT_NOTE_POINT) && note(rt, 1, 2, 9, 10, RT_NOTE_JUMP));
    /* where it begins */
    CHECK(next_time(rt, 1, 0.5) == 0.5 && passes(rt, 1, 0.5, 0.5));
    CHECK(next_time(rt, 1, 0.5) == 1.5);
    CHECK(past(rt, 1, 1.5, false) == 5); /* not passed yet: continued from the left */
    CHECK(!passes(rt, 1, 1.4, 0.5) && passes(rt, 1, 1.5, 0.5) && !passes(rt, 1, 1.5, 0.5));
    CHECK(past(rt, 1, 0.9, false) == 8 && past(rt, 1, 1.5, false) == 8.5);
    CHECK(next_time(rt, 1, 0.5) == INFINITY);
    CHECK(start(rt, 1, 0, 5, RT_HISTORY_FREE)); /* where spans vary, jumps are simply there */
    CHECK(note(rt, 1, 1, 5, 10, RT_NOTE_POINT) && note(rt, 1, 1, 7, 10, RT_NOTE_JUMP) &&
          note(rt, 1, 2, 9, 10, RT_NOTE_POINT));
    CHECK(past(rt, 1, 0.999, false) == 5 && past(rt, 1, 1, false) == 7 && past(rt, 1, 1.5, false) == 8);
    CHECK(past(rt, 1, 2.25, false) == 9.5 && next_time(rt, 1, 0.5) == INFINITY);
}

static void the_old_is_forgotten(Rt *rt)
{
    CHECK(start(rt, 2, 0, 0, 0) && passes(rt, 2, 0, 0));
    for (int i = 1; i <= 100000; i++) {
        double t = 0.001 * i;
        CHECK(note(rt, 2, t, sin(t), 0.1, RT_NOTE_POINT));
    }
    CHECK_NEAR(past(rt, 2, 99.9501, false), sin(99.9501), 1e-12);
    CHECK(rt_save_size(rt) < 10000);
}

/* ---- both ends ------------------------------------------------------------------------------- */

static double pipe[RT_HISTORY_PARTS];
static double at_out0(Rt *rt) { return look(rt, 3, RT_HISTORY_HIGH, pipe[0], false); }
static double at_out1(Rt *rt) { return look(rt, 3, RT_HISTORY_LOW, pipe[0] - 1, false); }

static void move(Rt *rt, double x, double in0, double in1, RtNote what)
{
    static double time;
    double forward = x > pipe[RT_HISTORY_KEY] || (x == pipe[RT_HISTORY_KEY] && pipe[RT_HISTORY_FORWARD] != 0);
    memcpy(pipe, (double[]){ x, in0, 1, in1, forward }, 5 * sizeof *pipe);
    time += 0.1;
    CHECK(rt_history_note(rt, 3, time, pipe, what));
    rt_history_fronts(rt, 3, pipe);
}

/* A profile with a jump at 0.4, shifted forward, back, and forward again: the way back brings back
 * what is still inside, and at both ends new values enter. */
static void both_ends_take_in(Rt *rt)
{
    const double profile[] = { 0, 0.4, 0.4, 1, 0, 4, 10, 16 }; /* 10 z, but less before the jump */
    memcpy(pipe, (double[]){ 5, 0, 1, 0, 1 }, sizeof(double[5]));
    CHECK(rt_history_start(rt, 3, 0, pipe, profile, 4, RT_HISTORY_BOTH));
    rt_history_fronts(rt, 3, pipe);
    CHECK_NEAR(at_out0(rt), 0, 1e-15);
    CHECK_NEAR(at_out1(rt), 16, 1e-15);
    CHECK_NEAR(pipe[RT_HISTORY_FRONT_LOW], 5.6, 1e-14); /* 0.6 further the jump leaves */
    CHECK(pipe[RT_HISTORY_FRONT_HIGH] < 5 && pipe[RT_HISTORY_FRONT_HIGH] > 4.5);
    /* -10 (x - 5) goes in */
    for (int i = 1; i <= 5; i++) move(rt, 5 + 0.1 * i, -i, 99, RT_NOTE_POINT);
    CHECK_NEAR(at_out1(rt), 11, 1e-13);
    CHECK_NEAR(at_out0(rt), -5, 1e-13);
    CHECK_NEAR(look(rt, 3, RT_HISTORY_LOW, 5.59 - 1, false), 10.1, 1e-12);
    /* not passed: continued */
    CHECK_NEAR(look(rt, 3, RT_HISTORY_LOW, 5.61 - 1, false), 9.9, 1e-12);
    move(rt, 5.6, -6, 99, RT_NOTE_JUMP);
    CHECK_NEAR(at_out1(rt), 4, 1e-13);
    /* the next: where the first points and the inflow meet */
    CHECK(pipe[RT_HISTORY_FRONT_LOW] > 5.9);
    move(rt, 5.7, -7, 99, RT_NOTE_POINT);
    CHECK_NEAR(at_out1(rt), 3, 1e-13);
    move(rt, 5.7, -7, 50, RT_NOTE_JUMP);
    pipe[RT_HISTORY_FORWARD] = 0; /* back: 50 goes in after the 3 that left last */
    move(rt, 5.7, -7, 50, RT_NOTE_JUMP);
    CHECK(at_out1(rt) == 50);
    CHECK_NEAR(at_out0(rt), -7, 1e-13);
    for (int i = 1; i <= 6; i++) {
        move(rt, 5.7 - 0.1 * i, 0, 50 + i, RT_NOTE_POINT);
        CHECK_NEAR(at_out0(rt), -7 + i, 1e-12);
        CHECK_NEAR(at_out1(rt), 50 + i, 1e-12);
    }
    move(rt, 5.0, 0, 57, RT_NOTE_JUMP); /* the first points again: a kink was passed */
    move(rt, 4.8, 0, 59, RT_NOTE_POINT);
    CHECK_NEAR(at_out0(rt), 2, 1e-12);
    CHECK_NEAR(pipe[RT_HISTORY_FRONT_HIGH], 4.7, 1e-14); /* where 3 and 50 meet */
    move(rt, 4.7, 0, 60, RT_NOTE_JUMP);
    CHECK_NEAR(at_out0(rt), 50, 1e-12);
    pipe[RT_HISTORY_FORWARD] = 1;
    move(rt, 4.7, -1, 60, RT_NOTE_JUMP);
    CHECK(at_out0(rt) == -1);
    CHECK_NEAR(at_out1(rt), 60, 1e-12);
    move(rt, 5.2, -1, 0, RT_NOTE_POINT);
    CHECK_NEAR(at_out1(rt), 55, 1e-12);
}

static void more_than_its_length_is_lost(Rt *rt)
{
    RtCell far[3] = { { .i = 6 + RT_HISTORY_LOW }, { .r = pipe[0] + 0.1 }, { .r = 0 } };
    CHECK(rt_history_value(rt, far) == RT_EXTERNAL);
    far[0].i = 6 + RT_HISTORY_HIGH, far[1].r = 3;
    CHECK(rt_history_value(rt, far) == RT_EXTERNAL);
}

static void saved_and_restored(Rt *rt)
{
    size_t size = rt_save_size(rt);
    char *bytes = malloc(size);
    if (!CHECK(bytes != NULL)) return;
    rt_save(rt, bytes);
    double x = pipe[0], before = look(rt, 3, RT_HISTORY_LOW, x - 0.9, false);
    move(rt, x + 0.3, 7, 8, RT_NOTE_POINT);
    CHECK(rt_restore(rt, bytes, size));
    CHECK(look(rt, 3, RT_HISTORY_LOW, x - 0.9, false) == before && rt_save_size(rt) == size);
    free(bytes);
}

int main(void)
{
    Rt *rt = rt_new(0);
    if (!CHECK(rt && rt_histories_new(rt, 4))) return test_end();
    cubics_come_back(rt);
    jumps_come_out_once(rt);
    the_old_is_forgotten(rt);
    both_ends_take_in(rt);
    more_than_its_length_is_lost(rt);
    saved_and_restored(rt);
    RtCell wrong[3] = { { .i = 8 }, { .r = 0 }, { .r = 0 } };
    CHECK(rt_history_value(rt, wrong) == RT_EXTERNAL);
    rt_histories_free(rt);
    rt_free(rt);
    return test_end();
}
