/* Tables of one and two variables and of time: values at the points, rules of extrapolation,
 * derivatives that agree with differences, the sides of events, and mistakes that are named. */
#include "rt/rt.h"
#include "test.h"

#include <float.h>

static Rt *rt;

static void *table1d(double *matrix, int64_t rows, int64_t width, int smoothness, int extrapolation)
{
    int64_t columns[] = { 2, width };
    RtCell cells[15] = {
        { .s = "NoName" }, { .s = "NoName" },   { .p = matrix },        { .i = rows * width },
        { .i = rows },     { .i = width },      { .p = columns },       { .i = 2 },
        { .i = 2 },        { .i = smoothness }, { .i = extrapolation }, { .i = 0 },
        { .s = "," },      { .i = 0 },          { .p = NULL }
    };
    return rt_table1d_new(rt, cells) == RT_OK ? cells[14].p : NULL;
}

static double at(void *table, int64_t column, double u)
{
    RtCell cells[4] = { { .p = table }, { .i = column }, { .r = u } };
    return rt_table1d_value(rt, cells) == RT_OK ? cells[3].r : NAN;
}

static double slope(void *table, int64_t column, double u)
{
    RtCell cells[5] = { { .p = table }, { .i = column }, { .r = u }, { .r = 1 } };
    return rt_table1d_derivative(rt, cells) == RT_OK ? cells[4].r : NAN;
}

static double bend(void *table, int64_t column, double u)
{
    RtCell cells[6] = { { .p = table }, { .i = column }, { .r = u }, { .r = 1 }, { .r = 0 } };
    return rt_table1d_second(rt, cells) == RT_OK ? cells[5].r : NAN;
}

static void forget(void *table) { rt_table1d_free(rt, &(RtCell){ .p = table }); }

static double squares[] = { 0, 0, 5, 1, 1, 4, 2, 4, 3, 4, 16, 2, 5, 25, 7 };

/* Every smoothness meets the points; linear and constant ones are what they say between and
 * outside. */
static void values(void)
{
    for (int smoothness = RT_LINEAR; smoothness <= RT_MAKIMA; smoothness++) {
        void *t = table1d(squares, 5, 3, smoothness, RT_LAST_TWO);
        if (!CHECK(t != NULL)) continue;
        for (int i = 0; i < 5; i++) {
            CHECK_NEAR(at(t, 1, squares[3 * i]), squares[3 * i + 1], 1e-14);
            CHECK_NEAR(at(t, 2, squares[3 * i]), squares[3 * i + 2], 1e-14);
        }
        forget(t);
    }
    void *t = table1d(squares, 5, 3, RT_LINEAR, RT_LAST_TWO);
    CHECK_NEAR(at(t, 1, 1.5), 2.5, 1e-15);
    CHECK_NEAR(at(t, 1, -1), -1, 1e-15);
    CHECK_NEAR(at(t, 1, 6), 34, 1e-13);
    CHECK_NEAR(slope(t, 1, 3), 6, 1e-14);
    forget(t);
    t = table1d(squares, 5, 3, RT_CONSTANT, RT_HOLD);
    CHECK(at(t, 1, 1.9) == 1 && at(t, 1, 2) == 4 && at(t, 1, 3.9) == 4 && at(t, 1, 5) == 25 &&
          at(t, 1, 9) == 25);
    CHECK(slope(t, 1, 1.5) == 0);
    forget(t);
}

/* A parabola on equal steps is met exactly by Akima and Steffen inside; a straight line by all. */
/* Monotone curves end with the last secants, which they also go on along. */
static void monotone_ends(void)
{
    static double rows[] = { 0, 1, 0, 1, 3, 0, 3, 4, 0, 4, 10, 0 };
    static const int kinds[] = { RT_FRITSCH_BUTLAND, RT_STEFFEN };
    for (int k = 0; k < 2; k++) {
        void *t = table1d(rows, 4, 3, kinds[k], RT_LAST_TWO);
        CHECK_NEAR(slope(t, 1, 0), 2, 1e-13);
        CHECK_NEAR(slope(t, 1, 4), 6, 1e-13);
        CHECK_NEAR(at(t, 1, -2), -3, 1e-13);
        CHECK_NEAR(at(t, 1, 5), 16, 1e-13);
        forget(t);
    }
}

static void closed_forms(void)
{
    double parabola[14], line[12];
    for (int i = 0; i < 7; i++) parabola[2 * i] = i, parabola[2 * i + 1] = i * i;
    for (int i = 0; i < 6; i++) line[2 * i] = i * 0.5, line[2 * i + 1] = 3 - 2 * i * 0.5;
    void *t = table1d(parabola, 7, 2, RT_AKIMA, RT_LAST_TWO);
    for (double u = 0; u <= 6; u += 0.3) {
        CHECK_NEAR(at(t, 1, u), u * u, 1e-12);
        CHECK_NEAR(slope(t, 1, u), 2 * u, 1e-12);
        CHECK_NEAR(bend(t, 1, u), 2, 1e-11);
    }
    CHECK_NEAR(at(t, 1, 8), 36 + 12 * 2, 1e-12);
    forget(t);
    t = table1d(parabola, 7, 2, RT_STEFFEN, RT_LAST_TWO);
    CHECK_NEAR(at(t, 1, 2.5), 6.25, 1e-12);
    forget(t);
    for (int smoothness = RT_LINEAR; smoothness <= RT_MAKIMA; smoothness++) {
        if (smoothness == RT_CONSTANT) continue;
        t = table1d(line, 6, 2, smoothness, RT_LAST_TWO);
        for (double u = -1; u < 4; u += 0.27) CHECK_NEAR(at(t, 1, u), 3 - 2 * u, 1e-13);
        forget(t);
    }
    t = table1d(line, 2, 2, RT_FRITSCH_BUTLAND, RT_LAST_TWO); /* two points are a line */
    CHECK_NEAR(at(t, 1, 0.3), 2.4, 1e-15);
    forget(t);
    t = table1d(line, 1, 2, RT_AKIMA, RT_LAST_TWO); /* one is a constant */
    CHECK(at(t, 1, 7) == 3);
    forget(t);
}

/* Derivatives agree with differences; monotone kinds do not leave the range of their points. */
static void shapes(void)
{
    double steps[] = { 0, 0, 1, 0.1, 2, 0.2, 3, 4.8, 4, 5, 5.5, 5, 6, 5.5 };
    static const int kinds[] = { RT_AKIMA, RT_FRITSCH_BUTLAND, RT_STEFFEN, RT_MAKIMA };
    for (size_t k = 0; k < 4; k++) {
        void *t = table1d(steps, 7, 2, kinds[k], RT_LAST_TWO);
        for (double u = -0.55; u < 7; u += 0.1) {
            double h = 1e-5;
            CHECK_NEAR(slope(t, 1, u), (at(t, 1, u + h) - at(t, 1, u - h)) / (2 * h), 1e-6);
            CHECK_NEAR(bend(t, 1, u), (slope(t, 1, u + h) - slope(t, 1, u - h)) / (2 * h), 1e-5);
            bool is_monotone = kinds[k] == RT_FRITSCH_BUTLAND || kinds[k] == RT_STEFFEN;
            if (is_monotone && u > 0 && u < 6) CHECK(slope(t, 1, u) >= -1e-15);
        }
        forget(t);
    }
}

static void extrapolation(void)
{
    double wave[] = { 0, 0, 1, 1, 2, 0, 3, -1, 4, 0 };
    for (int smoothness = RT_LINEAR; smoothness <= RT_MAKIMA; smoothness++) {
        void *t = table1d(wave, 5, 2, smoothness, RT_PERIODIC);
        for (double u = 0.05; u < 4; u += 0.37)
            for (int k = -2; k < 3; k++) CHECK_NEAR(at(t, 1, u + 4 * k), at(t, 1, u), 1e-12);
        if (smoothness != RT_LINEAR && smoothness != RT_CONSTANT)
            CHECK_NEAR(slope(t, 1, 4 - 1e-9), slope(t, 1, 1e-9), 1e-6); /* closed: no kink */
        forget(t);
    }
    void *t = table1d(squares, 5, 3, RT_AKIMA, RT_HOLD);
    CHECK(at(t, 1, -3) == 0 && at(t, 1, 7) == 25 && slope(t, 1, 7) == 0);
    forget(t);
    t = table1d(squares, 5, 3, RT_LINEAR, RT_NO_EXTRAPOLATION);
    CHECK(at(t, 1, 5) == 25 && isnan(at(t, 1, 5.1)) && strstr(rt->error.message, "may not be extrapolated"));
    CHECK(isnan(at(t, 3, 1)));
    forget(t);
    double falls[] = { 0, 0, 2, 1, 1, 4 };
    CHECK(!table1d(falls, 3, 2, RT_LINEAR, RT_HOLD) && strstr(rt->error.message, "row 2 has 2, row 3 1"));
    CHECK(!table1d(squares, 5, 3, 9, RT_HOLD) && !table1d(squares, 5, 3, RT_LINEAR, 0));
    CHECK(!table1d(squares, 0, 3, RT_LINEAR, RT_HOLD));
    RtCell none[4] = { { .p = NULL }, { .i = 1 }, { .r = 0 } };
    CHECK(rt_table1d_value(rt, none) == RT_EXTERNAL);
}

/* ---- of time --------------------------------------------------------------------------------- */

static double jumps[] = { 0, 0, 1, 0, 1, 1, 2, 4, 3, 9, 4, 16 };

static void *timetable_of(double *matrix, int64_t rows, int smoothness, int extrap, double start,
                          double shift, int events)
{
    int64_t columns[] = { 2 };
    RtCell cells[18] = { { .s = "NoName" }, { .s = " " },    { .p = matrix },     { .i = 2 * rows },
                         { .i = rows },     { .i = 2 },      { .r = start },      { .p = columns },
                         { .i = 1 },        { .i = 1 },      { .i = smoothness }, { .i = extrap },
                         { .r = shift },    { .i = events }, { .i = 0 },          { .s = "," },
                         { .i = 0 },        { .p = NULL } };
    return rt_timetable_new(rt, cells) == RT_OK ? cells[17].p : NULL;
}

static void *timetable(int smoothness, int extrap, double start, double shift, int events)
{
    return timetable_of(jumps, 6, smoothness, extrap, start, shift, events);
}

static double next(void *table, double t)
{
    RtCell cells[3] = { { .p = table }, { .r = t } };
    return rt_timetable_next(rt, cells) == RT_OK ? cells[2].r : NAN;
}

static double value(void *table, double t, double next_event, double before)
{
    RtCell cells[6] = { { .p = table }, { .i = 1 }, { .r = t }, { .r = next_event }, { .r = before } };
    return rt_timetable_value(rt, cells) == RT_OK ? cells[5].r : NAN;
}

static void of_time(void)
{
    void *t = timetable(RT_LINEAR, RT_LAST_TWO, 0, 0, RT_EVENTS_ALWAYS);
    CHECK(next(t, -1) == 0 && next(t, 0) == 1 && next(t, 1) == 2 && next(t, 3.5) == 4 &&
          next(t, 4) == DBL_MAX);
    CHECK(value(t, 1, 1, 1) == 0 && value(t, 1, 2, 1) == 1); /* before and after the jump */
    CHECK_NEAR(value(t, 1.5, 2, 2), 2.5, 1e-15);
    CHECK_NEAR(value(t, 2.1, 2, 2), 4.3,
               1e-14); /* a step tried beyond the event sees the segment before it */
    CHECK_NEAR(value(t, 5, DBL_MAX, DBL_MAX), 23, 1e-14);
    /* by rounding only before an event that is over */
    CHECK_NEAR(value(t, 1 - 1e-16, 2, 2), 1, 1e-12);
    forget(t);
    t = timetable(RT_LINEAR, RT_LAST_TWO, 0, 0, RT_EVENTS_AT_JUMPS);
    CHECK(next(t, 0) == 1 && next(t, 1) == DBL_MAX);
    forget(t);
    t = timetable(RT_LINEAR, RT_PERIODIC, 0.5, 10, RT_EVENTS_ALWAYS);
    CHECK(next(t, 0) == 0.5 && next(t, 10) == 11 && next(t, 14) == 15 && next(t, 18.5) == 19);
    CHECK(value(t, 0.2, 0.5, 0.5) == 0);
    CHECK_NEAR(value(t, 11.5, 12, 12), 2.5, 1e-14);
    CHECK_NEAR(value(t, 14, 14, 14), 16, 1e-13); /* end of a period, before its event */
    CHECK_NEAR(value(t, 14, 15, 14), 0, 1e-13);  /* and after it */
    CHECK_NEAR(value(t, 19.5, 20, 20), 2.5, 1e-13);
    forget(t);
    CHECK(!timetable(RT_AKIMA, RT_HOLD, 0, 0, RT_EVENTS_NEVER)); /* a jump cannot be smooth */
    CHECK(!timetable(RT_LINEAR, RT_HOLD, 0, 0, 7));
}

/* Points that are there twice at an end are a jump there, which is not continued. */
static void repeated_ends(void)
{
    static double rows[] = { 1, 10, 1, 11, 2, 12, 3, 14, 3, 7 };
    static const int kinds[] = { RT_LINEAR, RT_CONSTANT };
    for (int k = 0; k < 2; k++)
        for (double start = 0; start < 1; start += 0.5) {
            void *t = timetable_of(rows, 5, kinds[k], RT_LAST_TWO, start, start, RT_EVENTS_ALWAYS);
            CHECK(next(t, start) == 1 + start && next(t, 1 + start) == 2 + start &&
                  next(t, 3 + start) == DBL_MAX);
            CHECK(value(t, start + 0.5, 1 + start, 0) == 10);
            CHECK(value(t, start + 1, 1 + start, 0) == 10 && value(t, start + 1, 2 + start, 0) == 11);
            CHECK(value(t, start + 3, 3 + start, 0) == (k ? 12 : 14));
            CHECK(value(t, start + 3, DBL_MAX, 0) == 7 && value(t, start + 8, DBL_MAX, 0) == 7);
            forget(t);
        }
}

/* A period begins and ends with a jump; time in it is only known but for rounding, and the sides of
 * its jumps are all the same right. */
static void periods(void)
{
    static double rows[] = { 0.6, -2, 0.6, -20, 0.6, -3, 0.7, -2, 0.7, 5, 1, -5, 1, -6, 1, -4 };
    void *t = timetable_of(rows, 8, RT_LINEAR, RT_PERIODIC, 0, 0, RT_EVENTS_ALWAYS);
    double time = 0;
    for (int k = 0; k < 200; k++) {
        double event = next(t, time), turn = (event - 0.6) / 0.4, behind = next(t, event);
        bool is_end = fabs(turn - floor(turn + 0.5)) < 1e-9;
        CHECK_NEAR(value(t, event, event, 0), is_end ? -5 : -2, 1e-9);
        CHECK_NEAR(value(t, event, behind, 0), is_end ? -3 : 5, 1e-9);
        CHECK(event > time);
        time = event;
    }
    forget(t);
}

/* ---- of two variables ------------------------------------------------------------------------ */

static void *table2d(double *matrix, int64_t rows, int64_t width, int smoothness, int extrap)
{
    RtCell cells[12] = { { .s = "NoName" }, { .s = "NoName" }, { .p = matrix },     { .i = rows * width },
                         { .i = rows },     { .i = width },    { .i = smoothness }, { .i = extrap },
                         { .i = 0 },        { .s = "," },      { .i = 0 },          { .p = NULL } };
    return rt_table2d_new(rt, cells) == RT_OK ? cells[11].p : NULL;
}

static double at2(void *table, double u1, double u2)
{
    RtCell cells[4] = { { .p = table }, { .r = u1 }, { .r = u2 } };
    return rt_table2d_value(rt, cells) == RT_OK ? cells[3].r : NAN;
}

static double slope2(void *table, double u1, double u2, double d1, double d2)
{
    RtCell cells[6] = { { .p = table }, { .r = u1 }, { .r = u2 }, { .r = d1 }, { .r = d2 } };
    return rt_table2d_derivative(rt, cells) == RT_OK ? cells[5].r : NAN;
}

static double bend2(void *table, double u1, double u2, double d1, double d2)
{
    RtCell cells[8] = { { .p = table }, { .r = u1 }, { .r = u2 }, { .r = d1 }, { .r = d2 } };
    return rt_table2d_second(rt, cells) == RT_OK ? cells[7].r : NAN;
}

static void of_two(void)
{
    double small[] = { 0, 1, 2, 3, 1, 1, 3, 5, 2, 2, 4, 6 };
    void *t = table2d(small, 3, 4, RT_LINEAR, RT_LAST_TWO);
    CHECK_NEAR(at2(t, 1, 1), 1, 1e-15);
    CHECK_NEAR(at2(t, 2, 1.5), 3, 1e-15);
    CHECK_NEAR(at2(t, 3, 4), 9, 1e-13); /* a plane goes on as a plane */
    double ends[2];
    RtCell cells[3] = { { .p = t }, { .p = ends }, { .i = 2 } };
    CHECK(rt_table2d_greatest(rt, cells) == RT_OK && ends[0] == 2 && ends[1] == 3);
    CHECK(rt_table2d_least(rt, cells) == RT_OK && ends[0] == 1 && ends[1] == 1);
    rt_table2d_free(rt, cells);
    double grid[6 * 7] = { 0 }; /* u1^2 + u1 u2 */
    for (int i = 0; i < 5; i++) grid[(i + 1) * 7] = i;
    for (int j = 0; j < 6; j++) grid[j + 1] = 2 * j;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++) grid[(i + 1) * 7 + j + 1] = i * i + i * 2 * j;
    t = table2d(grid, 6, 7, RT_AKIMA, RT_LAST_TWO);
    for (double u = 0.1; u < 4; u += 0.45)
        for (double v = 0.3; v < 10; v += 1.3) {
            CHECK_NEAR(at2(t, u, v), u * u + u * v, 1e-12);
            CHECK_NEAR(slope2(t, u, v, 1, 2), 2 * u + v + 2 * u, 1e-11);
            CHECK_NEAR(bend2(t, u, v, 1, 2), 2 + 2 * 2, 1e-10);
        }
    CHECK_NEAR(at2(t, 5, 4), 16 + 16 + (8 + 4), 1e-11); /* along the tangent */
    rt_table2d_free(rt, &(RtCell){ .p = t });
    t = table2d(grid, 6, 7, RT_CONSTANT, RT_HOLD);
    CHECK(at2(t, 1.5, 3) == 1 + 2 && at2(t, 9, 99) == 16 + 40);
    rt_table2d_free(rt, &(RtCell){ .p = t });
    /* u1^2 + u1 u2 by cells: constant inside, bilinear as soon as one variable is outside */
    t = table2d(grid, 6, 7, RT_CONSTANT, RT_LAST_TWO);
    CHECK(at2(t, 1.5, 3) == 1 + 2);
    CHECK_NEAR(at2(t, 1.5, 12), 2.5 + 1.5 * 12, 1e-12);
    CHECK_NEAR(at2(t, 6, 3), 16 + 2 * 7 + 6 * 3, 1e-12);
    CHECK_NEAR(at2(t, 6, -1), 16 + 2 * 7 - 6, 1e-12);
    CHECK_NEAR(slope2(t, 1.5, 12, 0, 1), 1.5, 1e-12);
    CHECK_NEAR(slope2(t, 1.5, 12, 1, 0), 3 + 12, 1e-12);
    rt_table2d_free(rt, &(RtCell){ .p = t });
    t = table2d(grid, 6, 7, RT_LINEAR, RT_PERIODIC);
    CHECK_NEAR(at2(t, 1.5 + 4, 3 - 10), at2(t, 1.5, 3), 1e-12);
    rt_table2d_free(rt, &(RtCell){ .p = t });
    t = table2d(grid, 2, 7, RT_AKIMA, RT_LAST_TWO); /* one row: of u2 alone */
    CHECK_NEAR(at2(t, 77, 3), 0, 1e-15);
    rt_table2d_free(rt, &(RtCell){ .p = t });
    t = table2d(grid, 6, 7, RT_LINEAR, RT_NO_EXTRAPOLATION);
    CHECK(isnan(at2(t, 5, 1)) && strstr(rt->error.message, "u1 = 5"));
    rt_table2d_free(rt, &(RtCell){ .p = t });
    CHECK(!table2d(grid, 6, 7, RT_STEFFEN, RT_HOLD) && !table2d(grid, 1, 7, RT_LINEAR, RT_HOLD));
}

/* Constructors of libraries before 4.1, which say neither delimiter nor header lines, make the same
 * tables. */
static void as_before(void)
{
    int64_t columns[] = { 2 };
    RtCell one[13] = { { .s = "NoName" }, { .s = "NoName" },  { .p = squares },     { .i = 15 },
                       { .i = 5 },        { .i = 3 },         { .p = columns },     { .i = 1 },
                       { .i = 1 },        { .i = RT_LINEAR }, { .i = RT_LAST_TWO }, { .i = 0 } };
    if (CHECK(rt_table1d_new_2(rt, one) == RT_OK && one[12].p)) {
        CHECK_NEAR(at(one[12].p, 1, 1.5), 2.5, 1e-15);
        forget(one[12].p);
    }
    RtCell timed[16] = { { .s = "NoName" },  { .s = "NoName" },
                         { .p = jumps },     { .i = 12 },
                         { .i = 6 },         { .i = 2 },
                         { .r = 0 },         { .p = columns },
                         { .i = 1 },         { .i = 1 },
                         { .i = RT_LINEAR }, { .i = RT_LAST_TWO },
                         { .r = 0 },         { .i = RT_EVENTS_ALWAYS },
                         { .i = 0 } };
    if (CHECK(rt_timetable_new_2(rt, timed) == RT_OK && timed[15].p)) {
        CHECK_NEAR(value(timed[15].p, 2.5, next(timed[15].p, 2.5), 0), 6.5, 1e-15);
        forget(timed[15].p);
    }
    double product[] = { 0, 1, 2, 1, 1, 2, 3, 3, 6 }; /* u1 u2 */
    RtCell two[10] = { { .s = "NoName" }, { .s = "NoName" },  { .p = product },     { .i = 9 }, { .i = 3 },
                       { .i = 3 },        { .i = RT_LINEAR }, { .i = RT_LAST_TWO }, { .i = 0 } };
    if (CHECK(rt_table2d_new_2(rt, two) == RT_OK && two[9].p)) {
        CHECK_NEAR(at2(two[9].p, 2, 1.5), 3, 1e-15);
        rt_table2d_free(rt, &(RtCell){ .p = two[9].p });
    }
}

int main(void)
{
    rt = rt_new(0);
    as_before();
    values();
    monotone_ends();
    closed_forms();
    shapes();
    extrapolation();
    repeated_ends();
    periods();
    of_time();
    of_two();
    rt_free(rt);
    return test_end();
}
