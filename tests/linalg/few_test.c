/* Inverses of few unknowns: products with them are solutions, each lane gets what it gets alone, rows are exchanged where they have to be, and
 * a singular matrix is said to be one. Corrected ones keep digits of c that c - J has not. */
#include "linalg/linalg.h"
#include "test.h"

static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static Four times(int n, const FewInverse *a, Four b)
{
    return n == 2 ? few_times(2, a, b) : n == 3 ? few_times(3, a, b) : few_times(4, a, b);
}

static void times_complex(int n, const FewInverse *a, Four *x, Four *y)
{
    if (n == 2)
        few_times_complex(2, a, x, y);
    else if (n == 3)
        few_times_complex(3, a, x, y);
    else
        few_times_complex(4, a, x, y);
}

/* (c - J) (x, y), as it is written. */
static void forward(int n, const double *J, double re, double im, Four x, Four y, double *out)
{
    for (int i = 0; i < n; i++) {
        double a = re * x[i] - im * y[i], b = re * y[i] + im * x[i];
        for (int j = 0; j < n; j++) a -= J[j * n + i] * x[j], b -= J[j * n + i] * y[j];
        out[2 * i] = a;
        out[2 * i + 1] = b;
    }
}

/* Of matrices that are made at random, those of small c want their rows exchanged. */
static void test_random(int n, bool is_complex, unsigned seed)
{
    double J[16], out[8];
    FewInverse inverse[4], alone;
    FewShifts c = { .count = 4, .is_complex = is_complex };
    for (int k = 0; k < n * n; k++) J[k] = noise(&seed);
    for (int q = 0; q < 4; q++) {
        double size = q == 0 ? 0.0 : q == 1 ? 1e-3 : q == 2 ? 1.0 : 1e6;
        c.re[q] = size * (1.0 + noise(&seed));
        c.im[q] = is_complex ? size * noise(&seed) : 0.0;
    }
    CHECK(few_invert(n, J, &c, inverse) == n);
    for (int q = 0; q < 4; q++) {
        Four b = { noise(&seed), noise(&seed), noise(&seed), noise(&seed) }, d = b * 0.5 + 0.25, x = b, y = d;
        if (is_complex)
            times_complex(n, &inverse[q], &x, &y);
        else
            x = times(n, &inverse[q], b), y = times(n, &inverse[q], d);
        forward(n, J, c.re[q], c.im[q], x, y, out);
        double size = 1.0 + c.re[q] * 1e-6;
        for (int i = 0; i < n; i++) {
            double most = 1e-11 * size * (1.0 + fabs(x[i]) + fabs(y[i])); /* conditions are up to 1e4 */
            CHECK_NEAR(out[2 * i], b[i], most);
            CHECK_NEAR(out[2 * i + 1], d[i], most);
        }
        Four same = { 1.0, 1.0, 1.0, 1.0 };
        FewShifts one = { .re = c.re[q] * same, .im = c.im[q] * same, .count = 1, .is_complex = is_complex };
        CHECK(few_invert(n, J, &one, &alone) == n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < 4; i++) {
                CHECK(alone.re[j][i] == inverse[q].re[j][i]);
                CHECK(i < n || alone.re[j][i] == 0.0);
                CHECK(!is_complex || alone.im[j][i] == inverse[q].im[j][i]);
            }
    }
}

/* The matrix of a permutation, whose inverse is its transpose, exactly. */
static void test_exchanges(void)
{
    static const int to[][4] = {
        { 1, 0, 3, 2 }, { 3, 2, 1, 0 }, { 1, 2, 3, 0 }, { 2, 3, 0, 1 }, { 3, 0, 1, 2 }
    };
    for (size_t t = 0; t < COUNT_OF(to); t++) {
        double J[16] = { 0.0 };
        FewInverse inverse;
        FewShifts c = { .count = 1 };
        for (int j = 0; j < 4; j++) J[j * 4 + to[t][j]] = -1.0;
        CHECK(few_invert(4, J, &c, &inverse) == 4);
        for (int j = 0; j < 4; j++)
            for (int i = 0; i < 4; i++) CHECK(inverse.re[j][i] == (to[t][i] == j ? 1.0 : 0.0));
    }
}

static void test_singular(void)
{
    double J[9] = { 1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 0.0, 5.0 };
    FewInverse inverse[4];
    FewShifts c = { .re = { 1.0, 0.0, 1.0, 1.0 }, .count = 3 };
    CHECK(few_invert(3, J, &c, inverse) == 1);
    c.is_complex = true;
    CHECK(few_invert(3, J, &c, inverse) == 1);
    c.im[1] = 1.0;
    CHECK(few_invert(3, J, &c, inverse) == 3);
    J[0] = NAN;
    CHECK(few_invert(3, J, &c, inverse) == 0);
}

/* Of an exchange that is 1e9 times as fast as what is left: the sums of columns of the inverse are 1/c. */
static void test_refined(void)
{
    double a = 1e9 / 7.0, b = 7e9 / 3.0, J[4] = { -a, a, b, -b };
    FewInverse plain[4], refined[4];
    FewShifts c = { .re = { 1.0 / 3.0, 2.0 / 3.0, 1.0, 4.0 / 3.0 }, .count = 4 };
    CHECK(few_invert(2, J, &c, plain) == 2 && few_invert_refined(2, J, &c, refined) == 2);
    double worst = 0.0;
    for (int q = 0; q < 4; q++)
        for (int j = 0; j < 2; j++) {
            worst = fmax(worst, fabs(c.re[q] * (plain[q].re[j][0] + plain[q].re[j][1]) - 1.0));
            CHECK_NEAR(c.re[q] * (refined[q].re[j][0] + refined[q].re[j][1]), 1.0, 1e-13);
        }
    CHECK(worst > 1e-10);
}

/* Powers of 1 - c A^-1, and solutions, as factors make them. */
static void test_damping(int n)
{
    Arena *arena = arena_new();
    double J[16], A[16], u[4], out[4 * 4 + 4], want[4 * 4], c = 2.0;
    unsigned seed = 3;
    FewInverse inverse;
    FewShifts shifts = { .re = four_of(c), .count = 1 };
    for (int k = 0; k < n * n; k++) J[k] = noise(&seed), A[k] = -J[k];
    for (int i = 0; i < n; i++) u[i] = noise(&seed), A[i * n + i] += c;
    Lu *lu = lu_new(arena, matrix_shape(arena, n, NULL), false);
    CHECK(lu_factor(lu, A) == LU_OK && few_invert(n, J, &shifts, &inverse) == n);
    lu_damp(lu, c, 4, u, want);
    few_damp(n, &inverse, c, 4, u, out);
    for (int k = 0; k < 4 * n; k++) CHECK_NEAR(out[k], want[k], 1e-12);
    for (int i = 0; i < n; i++) want[i] = u[i];
    lu_solve(lu, want);
    few_solve(n, &inverse, u);
    for (int i = 0; i < n; i++) CHECK_NEAR(u[i], want[i], 1e-13);
    lu_free(lu);
    arena_free(arena);
}

int main(void)
{
    test_refined();
    for (int n = 2; n <= 4; n++) test_damping(n);
    for (int n = 2; n <= 4; n++)
        for (unsigned seed = 1; seed <= 50; seed++) {
            test_random(n, false, seed);
            test_random(n, true, seed);
        }
    test_exchanges();
    test_singular();
    return test_end();
}
