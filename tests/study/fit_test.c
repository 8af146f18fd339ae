/* Least squares, minima and what they stand on: singular values against products, quantiles against
 * tables, minima that are known, bounds that hold, parameters that cannot be told apart. */
#include "test.h"

#include "study/study.h"

#include <math.h>

static void test_svd(void)
{
    double a[] = { 1, 2, 3, 4, -1, 0, 2, 1, 5, 0, 0, 1 }, u[12], s[3], v[9];
    memcpy(u, a, sizeof u);
    svd_columns(4, 3, u, s, v);
    CHECK(s[0] >= s[1] && s[1] >= s[2] && s[2] > 0);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0; /* U diag(s) V^T; u holds the first two */
            for (int k = 0; k < 3; k++) sum += u[k * 4 + i] * v[k * 3 + j];
            CHECK_NEAR(sum, a[j * 4 + i], 1e-14 * 10);
        }
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int i = 0; i < 3; i++) sum += v[j * 3 + i] * v[k * 3 + i];
            CHECK_NEAR(sum, j == k, 1e-14 * 4);
        }
}

static const struct {
    double probability, freedom, want;
} quantiles[] = { { 0.975, 1, 12.706204736174698 },
                  { 0.975, 10, 2.2281388519649385 },
                  { 0.975, 1000, 1.9623390808264078 },
                  { 0.05, 5, -2.0150483726691575 },
                  { 0.9, 3, 1.6377443536962102 } };

static void test_quantiles(void)
{
    for (size_t k = 0; k < COUNT_OF(quantiles); k++)
        CHECK_NEAR(student_quantile(quantiles[k].probability, quantiles[k].freedom), quantiles[k].want, 1e-9);
}

static void test_random(void)
{
    Random random = { 7 };
    double sum = 0, squares = 0, points[3 * 20];
    for (int k = 0; k < 20000; k++) {
        double x = random_normal(&random);
        sum += x, squares += x * x;
    }
    CHECK_NEAR(sum / 20000, 0, 0.03);
    CHECK_NEAR(squares / 20000, 1, 0.04);
    sample_latin(&random, 3, 20, points);
    for (int j = 0; j < 3; j++) { /* one in each of twenty parts */
        int seen = 0;
        for (int i = 0; i < 20; i++) seen |= 1 << (int)(20 * points[i * 3 + j]);
        CHECK(seen == (1 << 20) - 1);
    }
}

/* y = a exp(-b t), exact data */
static bool decay(void *arg, const double *p, double *r, double *J)
{
    (void)arg;
    for (int i = 0; i < 10; i++) {
        double t = 0.3 * i, e = exp(-p[1] * t);
        r[i] = p[0] * e - 2.5 * exp(-0.7 * t);
        J[i] = e;
        J[10 + i] = -t * p[0] * e;
    }
    return p[1] > -5;
}

/* Rosenbrock's valley as residuals */
static bool valley(void *arg, const double *p, double *r, double *J)
{
    (void)arg;
    r[0] = 10 * (p[1] - p[0] * p[0]);
    r[1] = 1 - p[0];
    J[0] = -20 * p[0], J[1] = -1, J[2] = 10, J[3] = 0;
    return true;
}

/* only the sum of both is seen */
static bool sum_only(void *arg, const double *p, double *r, double *J)
{
    (void)arg;
    for (int i = 0; i < 5; i++) {
        r[i] = (p[0] + p[1]) * i - 3.0 * i + (i % 2 ? 0.1 : -0.1);
        J[i] = J[5 + i] = i;
    }
    return true;
}

static void test_least_squares(void)
{
    Arena *arena = arena_new();
    double wide_low[] = { -INFINITY, -INFINITY }, wide_high[] = { INFINITY, INFINITY }, size[] = { 1, 1 };
    double high[] = { INFINITY, 0.5 }, start[] = { 1, 0.1 }, far[] = { -1.2, 1 };
    FitResult f;
    FitProblem p = { .n = 10, .m = 2, .residuals = decay, .low = wide_low, .high = wide_high, .size = size };
    fit_least_squares(&p, start, arena, &f);
    CHECK(f.end == FIT_DONE);
    CHECK_NEAR(f.p[0], 2.5, 1e-8);
    CHECK_NEAR(f.p[1], 0.7, 1e-8);
    p.high = high;
    fit_least_squares(&p, start, arena, &f);
    CHECK(f.end == FIT_DONE && f.p[1] == 0.5 && f.at_bound[1] && !f.at_bound[0] && f.deviation[1] == 0);
    p = (FitProblem){ .n = 2, .m = 2, .residuals = valley, .low = wide_low, .high = wide_high, .size = size };
    fit_least_squares(&p, far, arena, &f);
    CHECK(f.end == FIT_DONE);
    CHECK_NEAR(f.p[0], 1, 1e-8);
    CHECK_NEAR(f.p[1], 1, 1e-8);
    p = (FitProblem){
        .n = 5, .m = 2, .residuals = sum_only, .low = wide_low, .high = wide_high, .size = size
    };
    fit_least_squares(&p, start, arena, &f);
    CHECK(isinf(f.deviation[0]) && isinf(f.deviation[1]));
    CHECK(f.singular[1] < 1e-10 * f.singular[0]);
    CHECK_NEAR(fabs(f.direction[0]), sqrt(0.5), 1e-6);
    arena_free(arena);
}

static bool bowl(void *arg, const double *p, double *value, double *gradient)
{
    (void)arg;
    *value = (p[0] - 3) * (p[0] - 3) + 2 * (p[1] + 1) * (p[1] + 1);
    gradient[0] = 2 * (p[0] - 3);
    gradient[1] = 4 * (p[1] + 1);
    return true;
}

static void test_minimise(void)
{
    double low[] = { -10, 0 }, high[] = { 2, 10 }, size[] = { 1, 2 }, value;
    for (size_t k = 0; k < minimise_algorithm_count; k++) {
        double p[] = { 0, 5 };
        int evaluations;
        char why[100];
        MinimiseProblem f = {
            .m = 2, .value = bowl, .low = low, .high = high, .size = size, .algorithm = minimise_algorithms[k]
        };
        CHECK_ROW(minimise(&f, p, &value, &evaluations, why, sizeof why), minimise_algorithms[k]);
        CHECK_NEAR(p[0], 2, 1e-5);
        CHECK_NEAR(p[1], 0, 1e-5);
        CHECK_NEAR(value, 3, 1e-5);
    }
}

int main(void)
{
    test_svd();
    test_quantiles();
    test_random();
    test_least_squares();
    test_minimise();
    return test_end();
}
