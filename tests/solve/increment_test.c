/* Rules of increments follow their formulas; what they give can be added to y without rounding
 * where they promise it; no input, however bad, makes an increment 0 or NaN. */
#include "solve/core/solver.h"
#include "test.h"

#define U 0x1p-52
#define ROOT 0x1p-26

static IncrementInput point(int n, const double *y, const double *f, const double *weight)
{
    return (IncrementInput){ .n = n, .y = y, .f = f, .weight = weight, .h = 0.5, .rtol = 1e-6 };
}

/* One component, y = -3 and y = 1e-4 with nominal 50 and c0 = 0.1, against the formulas of
 * docs/methods.md by hand. */
static void check_formulas(void)
{
    static const double f[] = { 2.0, 0.25 }, nominal[] = { 50.0, 50.0 }, y[] = { -3.0, 1e-4 };
    double weight[2], delta[2];
    for (int i = 0; i < 2; i++) weight[i] = 1.0 / (1e-6 * fabs(y[i]) + 1e-9);
    double norm = sqrt(0.5 * (pow(2.0 * weight[0], 2) + pow(0.25 * weight[1], 2)));
    double sigma = 1000.0 * 0.5 * U * 2.0 * norm;
    const struct {
        const char *name;
        double want[2];
    } rows[] = {
        { "radau5", { sqrt(U * 3.0), sqrt(U * 1e-4) } },
        { "cvode", { fmax(ROOT * 3.0, sigma / weight[0]), fmax(ROOT * 1e-4, sigma / weight[1]) } },
        { "pyfmi", { ROOT * 50.0, ROOT * 50.0 } },
        { "scaled-nominal", { ROOT * 5.0, ROOT * 5.0 } },
        { "absolute", { ROOT * 3.0, ROOT * 0.1 } },
        { "constant-curvature", { ROOT * 0.1, ROOT * 0.1 } },
        { "power-of-two", { 0x1p-25, ROOT * 0.1 } },
        { "nominal-if-set", { ROOT * 50.0, ROOT * 50.0 } },
        { "tolerance", { ROOT * 3.0, ROOT * 1.1e-4 } },
    };
    IncrementInput in = point(2, y, f, weight);
    in.nominal = nominal;
    in.c0 = 0.1;
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        const IncrementType *type = increment_find(rows[k].name);
        if (!CHECK_ROW(type != NULL, rows[k].name)) continue;
        increment_choose(type, POST_NONE, &in, delta);
        for (int i = 0; i < 2; i++) {
            bool is_same = fabs(delta[i] - rows[k].want[i]) <= 1e-12 * rows[k].want[i];
            if (!CHECK_ROW(is_same, rows[k].name))
                printf("  %d: %g, want %g\n", i, delta[i], rows[k].want[i]);
        }
    }
    in.nominal = NULL; /* nothing given: the rule of the solver's kind */
    increment_choose(increment_find("nominal-if-set"), POST_NONE, &in, delta);
    CHECK(delta[0] == sqrt(U * 3.0));
    in.multistep = true;
    increment_choose(increment_find("nominal-if-set"), POST_NONE, &in, delta);
    CHECK(delta[0] == fmax(ROOT * 3.0, sigma / weight[0]));
    CHECK(!increment_find("radau") && increment_find("adaptive") == &increment_types[0]);
}

/* A right-hand side of 0 makes CVODE's sigma 1. */
static void check_cvode_at_rest(void)
{
    static const double y[] = { 2.0 }, f[] = { 0.0 }, weight[] = { 1e6 };
    double delta[1];
    IncrementInput in = point(1, y, f, weight);
    increment_choose(increment_find("cvode"), POST_NONE, &in, delta);
    CHECK(delta[0] == 1e-6);
}

/* The three algorithms: representable; also the sign of y where delta is as large as y; always the
 * sign of y. */
static void check_post(void)
{
    static const struct {
        double y, delta;
        int sign[4]; /* by algorithm */
    } rows[] = { { -3.7, 1e-8, { 1, 1, 1, -1 } },
                 { 3.7, 1e-8, { 1, 1, 1, 1 } },
                 { -1e-9, 1e-8, { 1, 1, -1, -1 } },
                 { 0.0, 1e-8, { 1, 1, 1, 1 } },
                 { 5432.1, 1.2345e-5, { 1, 1, 1, 1 } } };
    for (size_t k = 0; k < COUNT_OF(rows); k++)
        for (int post = POST_NONE; post <= POST_3; post++) {
            double d = rows[k].delta;
            increment_post((IncrementPost)post, 1, &rows[k].y, &d);
            volatile double sum = rows[k].y + d;
            CHECK(copysign(1.0, d) == rows[k].sign[post]);
            CHECK(post == POST_NONE ? fabs(d) == rows[k].delta : sum - rows[k].y == d);
            CHECK(fabs(fabs(d) - rows[k].delta) <= U * fabs(rows[k].y));
        }
}

/* 0, denormal, huge, NaN and infinite states; nominal values of 0, below 0, infinite and NaN; a
 * right-hand side that is none. */
static void check_bad_input(void)
{
    static const double bad[] = { 0.0,   -0.0,   5e-324,  -5e-324,  1e-310, 1.0,      -3.7,
                                  1e300, -1e300, DBL_MAX, -DBL_MAX, NAN,    INFINITY, -INFINITY };
    enum { N = COUNT_OF(bad) };
    double weight[N], delta[N], nominal[N], f[N];
    for (size_t rule = 0; rule < increment_type_count; rule++)
        for (int post = POST_NONE; post <= POST_3; post++)
            for (int shift = 0; shift < N; shift++) {
                for (int i = 0; i < N; i++) {
                    nominal[i] = bad[(i + shift) % N];
                    f[i] = bad[(i + 3 * shift) % N];
                    weight[i] = 1.0 / (1e-6 * fabs(bad[i]) + (shift % 2 ? 1e-9 : 0.0));
                }
                IncrementInput in = point(N, bad, f, weight);
                in.nominal = in.typical = nominal;
                increment_choose(&increment_types[rule], (IncrementPost)post, &in, delta);
                for (int i = 0; i < N; i++) {
                    volatile double moved = bad[i] + delta[i];
                    bool good = isfinite(delta[i]) && delta[i] != 0.0;
                    if (isfinite(bad[i])) good &= isfinite(moved) && moved != bad[i];
                    if (!CHECK_ROW(good, increment_types[rule].name))
                        printf("  y %g post %d: %g\n", bad[i], post, delta[i]);
                }
            }
}

/* The default: powers of two, exact sums, the sign of y; at 0 towards the solution; inside of
 * bounds. */
static void check_default(void)
{
    static const double y[] = { 0.0, 1.0, -3.7, 1e300, 1e-300, 5e-324, -1e-12, 1.9999999999999998, 1e6 };
    enum { N = COUNT_OF(y) };
    double delta[N], weight[N], f[N];
    for (int i = 0; i < N; i++) {
        weight[i] = 1.0 / (1e-6 * fabs(y[i]) + 1e-9);
        f[i] = -1.0;
    }
    IncrementInput in = point(N, y, f, weight);
    increment_choose(NULL, POST_NONE, &in, delta);
    for (int i = 0; i < N; i++) {
        int exponent;
        volatile double moved = y[i] + delta[i];
        CHECK(frexp(fabs(delta[i]), &exponent) == 0.5);
        CHECK(moved - y[i] == delta[i] || fabs(y[i]) < 1e-290);
        CHECK(fabs(delta[i]) <= 1e-7 * fmax(fabs(y[i]), 1.0));
        CHECK(y[i] == 0.0 ? delta[i] < 0.0 : (y[i] > 0.0) == (moved > 0.0));
    }
    double low[N], high[N];
    for (int i = 0; i < N; i++) low[i] = fmin(y[i], 0.0), high[i] = fmax(y[i], 0.0);
    in.low = low;
    in.high = high;
    increment_choose(NULL, POST_NONE, &in, delta);
    for (int i = 1; i < N; i++)
        if (fabs(y[i]) > 1e-200) CHECK(y[i] + delta[i] >= low[i] && y[i] + delta[i] <= high[i]);
}

/* A nominal value that is far off does not take the default with it, and a learnt curvature
 * does. */
static void check_scales(void)
{
    static const double y[] = { 2.0 }, f[] = { 1e-6 }, curvature[] = { 0x1p-10 };
    for (double nominal = 1e-6; nominal < 2e9; nominal *= 10.0) {
        double weight[] = { 1.0 / (1e-9 * 2.0 + 1e-9 * nominal) }, delta[1];
        IncrementInput in = point(1, y, f, weight);
        in.rtol = 1e-9;
        in.nominal = &nominal;
        increment_choose(NULL, POST_NONE, &in, delta);
        CHECK(delta[0] == 0x1p-25);
        in.curvature = curvature;
        increment_choose(NULL, POST_NONE, &in, delta);
        CHECK(delta[0] == 0x1p-36);
    }
}

int main(void)
{
    check_formulas();
    check_cvode_at_rest();
    check_post();
    check_bad_input();
    check_default();
    check_scales();
    return test_end();
}
