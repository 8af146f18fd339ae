/* Designs: quantiles against closed forms, Latin hypercubes with one point in each part, Sobol's
 * sequence with its balance and a better integral than random points, Morris trajectories that
 * change one parameter a step, correlation that is met, permutations that are permutations. */
#include "test.h"

#include "study/design.h"

static const struct {
    const char *text;
    double u, want;
} quantiles[] = { { "normal(0,1)", 0.975, 1.959963984540054 },
                  { "normal(0,1)", 1e-12, -7.034483825301131 },
                  { "normal(2, 0.5)", 0.5, 2.0 },
                  { "lognormal(0,1)", 0.975, 7.099071384231204 },
                  { "uniform(-1,3)", 0.25, 0.0 },
                  { "-1:3", 0.25, 0.0 },
                  { "loguniform(1,100)", 0.5, 10.0 },
                  { "triangular(0,1,2)", 0.5, 1.0 },
                  { "triangular(0,0,1)", 0.75, 0.5 },
                  { "exponential(2)", 0.5, 1.3862943611198906 },
                  { "weibull(3,2)", 0.6321205588285577, 3.0 },
                  { "truncnormal(0,1,-1,1)", 0.5, 0.0 },
                  { "truncnormal(0,1,0,9)", 0.5, 0.6744897501960817 },
                  { "4,5,7", 0.99, 7.0 } };

static void test_quantiles(Arena *arena)
{
    Distribution d;
    char why[200];
    for (size_t k = 0; k < COUNT_OF(quantiles); k++) {
        if (!CHECK_ROW(distribution_read(arena, quantiles[k].text, &d, why, sizeof why), quantiles[k].text))
            continue;
        double got = distribution_quantile(&d, quantiles[k].u), want = quantiles[k].want;
        CHECK_ROW(fabs(got - want) <= 1e-13 * fmax(1.0, fabs(want)), quantiles[k].text);
    }
    for (double u = 1e-300; u < 1.0; u = u < 0.01 ? u * 10 : u + 0.01)
        CHECK(fabs(normal_distribution(normal_quantile(u)) / u - 1.0) < 1e-11);
}

static const char *const wrong[] = { "normal(0)",   "normal(0,-1)",      "norml(0,1)",
                                     "1:2:x",       "uniform(2,1)",      "1,,2",
                                     "1:2:1.5",     "triangular(0,3,2)", "",
                                     "normal(0,1)x" };

/* Open, with `m` parameters uniform on [0, 1]. */
static bool open_unit(Arena *arena, Design *d, int m)
{
    char why[200];
    Distribution *each = NEW_ARRAY(arena, Distribution, (size_t)m);
    for (int j = 0; j < m; j++) distribution_read(arena, "0:1", &each[j], why, sizeof why);
    d->m = m;
    d->each = each;
    return CHECK(design_open(arena, d, why, sizeof why));
}

static void test_latin(Arena *arena)
{
    enum { N = 1000, M = 5 };
    Design d = { .kind = DESIGN_LATIN, .samples = N, .seed = 3 };
    static int seen[M][N];
    double p[M];
    if (!open_unit(arena, &d, M)) return;
    for (uint64_t i = 0; i < N; i++) {
        design_point(&d, i, p);
        for (int j = 0; j < M; j++) seen[j][(int)(p[j] * N)]++;
    }
    for (int j = 0; j < M; j++)
        for (int i = 0; i < N; i++) CHECK(seen[j][i] == 1);
}

/* Each of 2^k points in an interval of its own, in each coordinate, scrambled as it is. */
static void test_sobol(Arena *arena)
{
    enum { N = 256, M = 100 };
    Design d = { .kind = DESIGN_SOBOL, .samples = 1024, .seed = 5 };
    static unsigned char seen[M][N];
    double p[M], sum = 0, random = 0;
    if (!open_unit(arena, &d, M)) return;
    for (uint64_t i = 0; i < N; i++) {
        design_point(&d, i, p);
        for (int j = 0; j < M; j++) seen[j][(int)(p[j] * N)]++;
    }
    for (int j = 0; j < M; j++)
        for (int i = 0; i < N; i++) CHECK(seen[j][i] == 1);
    /* the mean of a product over the first coordinates is 1 */
    for (uint64_t i = 0; i < 1024; i++) {
        double f = 1, g = 1;
        design_point(&d, i, p);
        for (int j = 0; j < 6; j++) {
            f *= (4 * p[j] + 1) / 3;
            g *= (4 * hash_uniform(9, i, (uint64_t)j) + 1) / 3;
        }
        sum += f / 1024, random += g / 1024;
    }
    CHECK_NEAR(sum, 1.0, 0.01);
    CHECK(fabs(sum - 1) < fabs(random - 1));
}

/* Two coordinates of the first 16 points: one in each of the 4 x 4 boxes, for the first pair. */
static void test_net(Arena *arena)
{
    Sobol s;
    int seen[16] = { 0 };
    CHECK(sobol_open(arena, &s, SOBOL_MOST) && !sobol_open(arena, &s, SOBOL_MOST + 1));
    for (uint64_t i = 0; i < 16; i++)
        seen[4 * (int)(4 * sobol_at(&s, i, 0, 8)) + (int)(4 * sobol_at(&s, i, 1, 8))]++;
    for (int k = 0; k < 16; k++) CHECK(seen[k] == 1);
}

static void test_morris(Arena *arena)
{
    Design d = { .kind = DESIGN_MORRIS, .samples = 10, .seed = 2 };
    double before[4], p[4];
    if (!open_unit(arena, &d, 4)) return;
    CHECK(d.count == 50);
    for (uint64_t i = 0; i < d.count; i++) {
        int changed = 0;
        design_point(&d, i, p);
        for (int j = 0; j < 4 && i % 5; j++)
            if (p[j] != before[j]) {
                changed++;
                CHECK_NEAR(fabs(p[j] - before[j]), 2.0 / 3.0, 1e-15);
            }
        CHECK(changed == (i % 5 != 0));
        memcpy(before, p, sizeof p);
    }
}

static void test_saltelli(Arena *arena)
{
    Design d = { .kind = DESIGN_SALTELLI, .samples = 8, .seed = 2 };
    double a[3], b[3], mixed[3];
    if (!open_unit(arena, &d, 3)) return;
    CHECK(d.count == 40);
    for (uint64_t row = 0; row < 8; row++) {
        design_point(&d, row * 5, a);
        design_point(&d, row * 5 + 4, b);
        for (uint64_t j = 0; j < 3; j++) {
            design_point(&d, row * 5 + 1 + j, mixed);
            for (uint64_t k = 0; k < 3; k++) CHECK(mixed[k] == (k == j ? b[k] : a[k]));
        }
    }
}

static void test_correlation(Arena *arena)
{
    enum { N = 20000 };
    char why[200];
    Distribution each[2];
    double r[] = { 1, -0.7, -0.7, 1 }, p[2], x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (int j = 0; j < 2; j++) distribution_read(arena, "normal(0,1)", &each[j], why, sizeof why);
    Design d = { .kind = DESIGN_LATIN, .m = 2, .each = each, .samples = N, .seed = 4, .correlation = r };
    CHECK(design_open(arena, &d, why, sizeof why));
    for (uint64_t i = 0; i < N; i++) {
        design_point(&d, i, p);
        x += p[0] / N, y += p[1] / N, xx += p[0] * p[0] / N, yy += p[1] * p[1] / N, xy += p[0] * p[1] / N;
    }
    CHECK_NEAR((xy - x * y) / sqrt((xx - x * x) * (yy - y * y)), -0.7, 0.01);
    CHECK_NEAR(yy, 1.0, 0.02);
    r[1] = r[2] = 1.0;
    CHECK(!design_open(arena, &d, why, sizeof why) && strstr(why, "contradict"));
}

static void test_permutation(void)
{
    for (uint64_t n = 1; n < 300; n = n * 3 / 2 + 1) {
        unsigned char seen[512] = { 0 };
        for (uint64_t i = 0; i < n; i++) seen[hash_permute(i, n, n)]++;
        for (uint64_t i = 0; i < n; i++) CHECK(seen[i] == 1);
    }
}

int main(void)
{
    Arena *arena = arena_new();
    Distribution d;
    char why[200];
    test_quantiles(arena);
    for (size_t k = 0; k < COUNT_OF(wrong); k++)
        CHECK_ROW(!distribution_read(arena, wrong[k], &d, why, sizeof why) && *why, wrong[k]);
    CHECK(distribution_read(arena, "true,f(1,2)", &d, why, sizeof why) && d.count == 2 && d.texts &&
          !strcmp(d.texts[1], "f(1,2)"));
    test_latin(arena);
    test_sobol(arena);
    test_net(arena);
    test_morris(arena);
    test_saltelli(arena);
    test_correlation(arena);
    test_permutation();
    arena_free(arena);
    return test_end();
}
