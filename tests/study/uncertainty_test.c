/* Intervals that hold as often as they say, indices of Ishigami's function against their closed
 * form, by designs and by polynomial chaos, effects of a linear function, surrogates that are exact
 * for polynomials and honest about what they are not. */
#include "test.h"

#include "study/study.h"

static const double A = 7, B = 0.1;

static double ishigami(const double *x)
{
    return sin(x[0]) + A * sin(x[1]) * sin(x[1]) + B * pow(x[2], 4) * sin(x[0]);
}

/* Variances of the parts (Ishigami and Homma 1990). */
static void closed_form(double *first, double *total)
{
    double p4 = pow(M_PI, 4), p8 = p4 * p4;
    double v1 = 0.5 * pow(1 + B * p4 / 5, 2), v2 = A * A / 8, v13 = B * B * p8 * (1.0 / 18 - 1.0 / 50);
    double v = v1 + v2 + v13;
    first[0] = v1 / v, first[1] = v2 / v, first[2] = 0;
    total[0] = (v1 + v13) / v, total[1] = v2 / v, total[2] = v13 / v;
}

static bool open_design(Arena *arena, Design *d, const char *text, int m)
{
    char why[200];
    Distribution *each = NEW_ARRAY(arena, Distribution, (size_t)m);
    for (int j = 0; j < m; j++) CHECK(distribution_read(arena, text, &each[j], why, sizeof why));
    d->m = m;
    d->each = each;
    return CHECK(design_open(arena, d, why, sizeof why));
}

static void test_indices(Arena *arena)
{
    Design d = { .kind = DESIGN_SALTELLI, .samples = 1024, .seed = 1 };
    double want[3], whole[3], p[3];
    Estimate first[3], total[3];
    closed_form(want, whole);
    if (!open_design(arena, &d, "uniform(-3.141592653589793,3.141592653589793)", 3)) return;
    double *y = NEW_ARRAY(arena, double, d.count);
    for (uint64_t i = 0; i < d.count; i++) {
        design_point(&d, i, p);
        y[i] = ishigami(p);
    }
    y[3] = NAN; /* a run that failed takes its row with it */
    CHECK(sobol_indices(y, 1024, 3, 0.95, 200, arena, first, total) == 1023);
    for (int j = 0; j < 3; j++) {
        CHECK_NEAR(first[j].value, want[j], 0.02);
        CHECK_NEAR(total[j].value, whole[j], 0.02);
        CHECK(first[j].low <= want[j] && want[j] <= first[j].high);
        CHECK(total[j].low <= whole[j] && whole[j] <= total[j].high);
    }
}

static void test_effects(Arena *arena)
{
    Design d = { .kind = DESIGN_MORRIS, .samples = 20, .seed = 1 };
    double p[3];
    Effect effects[3];
    if (!open_design(arena, &d, "uniform(-1,3)", 3)) return;
    double *y = NEW_ARRAY(arena, double, d.count);
    for (uint64_t i = 0; i < d.count; i++) {
        design_point(&d, i, p);
        y[i] = 2 * p[0] - p[1] + 0 * p[2] + p[0] * p[0];
    }
    CHECK(morris_effects(&d, y, 20, 0.95, arena, effects) == 20);
    CHECK_NEAR(effects[1].mean.value, -4, 1e-12); /* over the range */
    CHECK_NEAR(effects[1].size.value, 4, 1e-12);
    CHECK_NEAR(effects[1].deviation, 0, 1e-12);
    CHECK_NEAR(effects[2].size.value, 0, 1e-12);
    CHECK(effects[0].deviation > 1 && effects[0].size.low < effects[0].size.value);
}

static void test_chaos(Arena *arena)
{
    enum { N = 2000 };
    Design d = { .kind = DESIGN_SOBOL, .samples = N, .seed = 1 };
    Chaos c;
    char why[200];
    static double p[3 * N], y[N];
    double want[3], whole[3];
    if (!open_design(arena, &d, "normal(1,0.5)", 3)) return;
    for (uint64_t i = 0; i < N; i++) {
        design_point(&d, i, p + 3 * i);
        y[i] = 1 + p[3 * i] * p[3 * i + 1] + p[3 * i + 2] * p[3 * i + 2]; /* of degree 2 */
    }
    CHECK(chaos_fit(arena, d.each, 3, p, y, N, 0, &c, why, sizeof why) && c.degree >= 2 && c.error < 1e-9);
    CHECK_NEAR(c.mean, 1 + 1 + 1.25, 1e-9);
    /* variances: x y: s^2 (m^2 + m^2) + s^4, z^2: 4 m^2 s^2 + 2 s^4 */
    CHECK_NEAR(c.deviation * c.deviation, 0.5 + 0.0625 + 1 + 0.125, 1e-8);
    CHECK_NEAR(c.total[2], 1.125 / 1.6875, 1e-9);
    CHECK_NEAR(c.first[0], 0.25 / 1.6875, 1e-9);
    CHECK_NEAR(chaos_at(&c, d.each, (double[]){ 2, 3, 4 }), 23, 1e-7);

    if (!open_design(arena, &d, "uniform(-3.141592653589793,3.141592653589793)", 3)) return;
    for (uint64_t i = 0; i < N; i++) {
        design_point(&d, i, p + 3 * i);
        y[i] = ishigami(p + 3 * i);
    }
    closed_form(want, whole);
    CHECK(chaos_fit(arena, d.each, 3, p, y, N, 0, &c, why, sizeof why) && c.degree == 5);
    CHECK(c.held_out > 300 && c.error > 0.05 && c.error < 0.5); /* of degree 5 it is not, and says so */
    for (int j = 0; j < 3; j++) CHECK_NEAR(c.total[j], whole[j], 0.1);
    CHECK(!chaos_fit(arena, d.each, 3, p, y, 6, 0, &c, why, sizeof why) && strstr(why, "more runs"));
}

/* 500 samples: 95 % intervals hold in 95 % of them, but for chance. */
static void test_coverage(void)
{
    enum { TRIALS = 500, N = 80 };
    int mean = 0, median = 0, high = 0, deviation = 0;
    double values[N];
    Summary s;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        for (uint64_t i = 0; i < N; i++) values[i] = normal_quantile(hash_uniform(11, trial, i));
        summarise(values, N, 0.95, &s);
        mean += s.mean.low <= 0 && 0 <= s.mean.high;
        deviation += s.deviation.low <= 1 && 1 <= s.deviation.high;
        for (int i = 0; i < N; i++) values[i] = exp(values[i]);
        summarise(values, N, 0.95, &s);
        median += s.quantiles[3].low <= 1 && 1 <= s.quantiles[3].high;
        high +=
            s.quantiles[4].low <= exp(0.6744897501960817) && exp(0.6744897501960817) <= s.quantiles[4].high;
    }
    printf("coverage in %d trials: mean %.3f, deviation %.3f, median %.3f, upper quartile %.3f\n", TRIALS,
           mean / 500.0, deviation / 500.0, median / 500.0, high / 500.0);
    CHECK(mean >= 462 && mean <= 488);   /* 475 +- 2.7 standard deviations */
    CHECK(median >= 465 && high >= 465); /* never less than they say */
    CHECK(deviation >= 450);
    summarise(values, 1, 0.95, &s);
    CHECK(s.n == 1 && isinf(s.mean.high));
    summarise(values, 0, 0.95, &s);
    CHECK(s.n == 0 && isnan(s.mean.value));
    CHECK_NEAR(binomial_at_most(2, 5, 0.5), 0.5, 1e-14);
    CHECK_NEAR(binomial_at_most(0, 3, 0.1), 0.729, 1e-14);
}

int main(void)
{
    Arena *arena = arena_new();
    test_indices(arena);
    test_effects(arena);
    test_chaos(arena);
    test_coverage();
    arena_free(arena);
    return test_end();
}
