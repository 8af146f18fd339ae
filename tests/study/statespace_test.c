/* statespace_test.c: poles, zeros and responses of linear systems whose answers are known. */
#include "study/study.h"
#include "test.h"

#include <math.h>

static bool near(double a, double b) { return fabs(a - b) < 1e-10 * (1.0 + fabs(b)); }

int main(void)
{
    Arena *arena = arena_new();
    /* (s + 1) / ((s + 2) (s + 3)) */
    double a[] = { 0, 1, -6, -5 }, b[] = { 0, 1 }, c[] = { 1, 1 }, d[] = { 0 };
    StateSpace s = { 2, 1, 1, a, b, c, d };
    double re[4], im[4], y[101];
    CHECK_ROW(space_poles(&s, arena, re, im), "poles are found");
    CHECK_ROW(near(fmax(re[0], re[1]), -2) && near(fmin(re[0], re[1]), -3), "poles are -2 and -3");
    CHECK_ROW(space_zeros(&s, arena, re, im) == 1 && near(re[0], -1) && near(im[0], 0), "the zero is -1");
    CHECK_ROW(space_response(&s, arena, 0.0, re, im) && near(re[0], 1.0 / 6), "the gain at rest is 1/6");
    /* (1 + 2i) / ((2 + 2i) (3 + 2i)) = (1 + 2i) / (2 + 10i) = (22 - 6i) / 104 */
    CHECK_ROW(space_response(&s, arena, 2.0, re, im) && near(re[0], 22.0 / 104) && near(im[0], -6.0 / 104),
              "the response at 2 rad/s");
    space_steps(&s, arena, 0.05, 101, y);
    for (int k = 0; k <= 100; k++) { /* 1/6 + exp(-2t)/2 - 2 exp(-3t)/3 */
        double t = 0.05 * k;
        CHECK(near(y[k], 1.0 / 6 + exp(-2 * t) / 2 - 2 * exp(-3 * t) / 3));
    }
    /* a double integrator: the response has a pole at 0 */
    double a2[] = { 0, 1, 0, 0 }, c2[] = { 1, 0 };
    StateSpace two = { 2, 1, 1, a2, b, c2, d };
    CHECK_ROW(!space_response(&two, arena, 0.0, re, im), "there is no response at a pole");
    CHECK_ROW(space_zeros(&two, arena, re, im) == 0, "a double integrator has no zeros");
    StateSpace wide = { 2, 1, 2, a, b, a, c };
    CHECK_ROW(space_zeros(&wide, arena, re, im) == -1, "zeros are of square systems");
    /* the shortest solution of a singular system */
    double one[] = { 1, 1, 1, 1 }, x[] = { 2, 2 };
    CHECK_ROW(space_least(2, one, x, arena) && near(x[0], 1) && near(x[1], 1), "the shortest solution");
    arena_free(arena);
    return test_end();
}
