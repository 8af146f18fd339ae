/* Inverses of few unknowns: products with them are solutions, each lane gets what it gets alone,
 * rows are exchanged where they have to be, and a singular matrix is said to be one. Corrected ones
 * keep digits of c that c - J has not. */
#include "linalg/linalg.h"
#include "test.h"

static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static Four times(int n, const FewInverse *a, Four b)
{
    return n == 2   ? few_times(false, 2, a, b)
           : n == 3 ? few_times(false, 3, a, b)
                    : few_times(false, 4, a, b);
}

static void times_complex(int n, const FewInverse *a, Four *x, Four *y)
{
    if (n == 2)
        few_times_complex(false, 2, a, x, y);
    else if (n == 3)
        few_times_complex(false, 3, a, x, y);
    else
        few_times_complex(false, 4, a, x, y);
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
            /* conditions are up to 1e4 */
            double most = 1e-11 * size * (1.0 + fabs(x[i]) + fabs(y[i]));
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

/* Of an exchange that is 1e9 times as fast as what is left: the sums of columns of the inverse are
 * 1/c. */
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

/* An Lu that solves with an inverse does what one with factors does: solutions, iterations, powers;
 * its own inverse, or one that it takes. */
static void test_lu(int n, unsigned seed)
{
    Arena *arena = arena_new();
    MatrixShape *shape = matrix_shape(arena, n, NULL);
    CHECK(lu_can_be_inverse(shape));
    Lu *lu[] = { lu_new(arena, shape, false), lu_new_inverse(arena, shape), lu_new_inverse(arena, shape) };
    double a[16], J[16], b[4], w[4], x[3][4], y[3][4], k[3][4], out[3][8], square[3];
    for (int i = 0; i < n * n; i++) J[i] = -(a[i] = noise(&seed) + (i % (n + 1) ? 0.0 : 0.5));
    for (int i = 0; i < n; i++) b[i] = noise(&seed), w[i] = 1.0 + noise(&seed);
    FewInverse inverse;
    CHECK(few_invert(n, J, &(FewShifts){ .count = 1 }, &inverse) == n);
    CHECK(lu_factor(lu[0], a) == LU_OK && lu_factor(lu[1], a) == LU_OK && lu_is_few(lu[1]));
    lu_take_inverse(lu[2], &inverse);
    for (int q = 0; q < 3; q++) {
        double u[4];
        for (int i = 0; i < n; i++) x[q][i] = b[i], y[q][i] = w[i], k[q][i] = 0.5 * w[i];
        lu_solve(lu[q], x[q]);
        square[q] = lu_correct(lu[q], b, w, 3.0, y[q], k[q], u);
        lu_damp(lu[q], 0.3, 2, b, out[q]);
    }
    for (int q = 1; q < 3; q++)
        for (int i = 0; i < n; i++) {
            double most = 1e-11 * (1.0 + square[0]); /* conditions are up to 1e4 */
            CHECK_NEAR(x[q][i], x[0][i], most);
            CHECK_NEAR(y[q][i], y[0][i], most);
            CHECK_NEAR(k[q][i], k[0][i], most);
            CHECK_NEAR(out[q][n + i], out[0][n + i], most * (1.0 + square[0]));
            CHECK_NEAR(square[q], square[0], most);
        }
    for (int i = 0; i < n; i++) a[i] = 0.0;
    CHECK(lu_factor(lu[1], a) == LU_SINGULAR);
    arena_free(arena);
}

int main(void)
{
    test_refined();
    for (int n = 2; n <= 4; n++)
        for (unsigned seed = 1; seed <= 50; seed++) {
            test_random(n, false, seed);
            test_random(n, true, seed);
            test_lu(n, seed);
        }
    test_exchanges();
    test_singular();
    return test_end();
}
