/* Methods on Nordsieck arrays: the coefficients are the published ones, every order is exact for
 * polynomials of its degree, and the next degree shows its error constant; prediction, shift and
 * value of an array agree with the polynomial; the array from derivatives at several points is the
 * polynomial through them. */
#include "solve/history/nordsieck.h"
#include "test.h"

static double storage[3][NORDSIECK_COLUMNS][4]; /* kernels work on groups */
static void columns(int which, double **z)
{
    for (int j = 0; j < NORDSIECK_COLUMNS; j++) z[j] = storage[which][j];
}

/* h^j/j! times the j-th derivative of t^degree */
static double scaled_derivative(int degree, int j, double t, double h)
{
    double value = 1.0;
    for (int k = 0; k < j; k++) value *= (double)(degree - k) / (k + 1);
    return j > degree ? 0.0 : value * pow(h, j) * pow(t, degree - j);
}

static void check_published(void)
{
    static const double adams_l0[] = { 1.0,
                                       1.0 / 2,
                                       5.0 / 12,
                                       3.0 / 8,
                                       251.0 / 720,
                                       95.0 / 288,
                                       19087.0 / 60480,
                                       5257.0 / 17280,
                                       1070017.0 / 3628800,
                                       25713.0 / 89600,
                                       26842253.0 / 95800320,
                                       4777223.0 / 17418240 };
    static const double adams_error[] = { 1.0 / 2,   1.0 / 12,      1.0 / 24,      19.0 / 720,
                                          3.0 / 160, 863.0 / 60480, 275.0 / 24192, 33953.0 / 3628800 };
    static const double bdf_l0[] = { 1.0, 2.0 / 3, 6.0 / 11, 12.0 / 25, 60.0 / 137 };
    static const double bashforth_error[] = { 1.0 / 2, 5.0 / 12, 3.0 / 8, 251.0 / 720, 95.0 / 288 };
    NordsieckFamily adams, bdf, bashforth;
    nordsieck_adams(&adams);
    nordsieck_bdf(&bdf);
    nordsieck_bashforth(&bashforth);
    CHECK(bashforth.most == 5 && bashforth.explicit);
    for (int q = 1; q <= 5; q++) CHECK_NEAR(bashforth.error_constant[q], bashforth_error[q - 1], 1e-16);
    CHECK(adams.most == 12 && bdf.most == 5);
    for (int q = 1; q <= 12; q++) CHECK_NEAR(adams.l[q][0], adams_l0[q - 1], 1e-16);
    for (int q = 1; q <= 8; q++) CHECK_NEAR(adams.error_constant[q], adams_error[q - 1], 1e-16);
    for (int q = 1; q <= 5; q++) CHECK_NEAR(bdf.l[q][0], bdf_l0[q - 1], 1e-16);
    for (int q = 1; q <= 12; q++) CHECK(adams.l[q][1] == 1.0 && (q > 5 || bdf.l[q][1] == 1.0));
}

/* One step for y' = d t^(d-1), d <= q, from the exact array, rescaled on the way, has no error. */
static void check_order_conditions(const NordsieckFamily *family)
{
    double *z[NORDSIECK_COLUMNS], *w[NORDSIECK_COLUMNS], t = 0.7, h = 0.5;
    columns(0, z);
    columns(1, w);
    for (int q = 1; q <= family->most; q++) {
        for (int d = 0; d <= q; d++) {
            for (int j = 0; j <= q; j++) *z[j] = scaled_derivative(d, j, t, 2.0 * h);
            nordsieck_predict(1, z, q, 0.5, w);
            double e = scaled_derivative(d, 1, t + h, h) - *w[1];
            double error = *w[0] + family->l[q][0] * e - pow(t + h, d);
            CHECK_NEAR(error, 0.0, 1e-14 * q * fmax(1.0, pow(t + 2.0 * h, d)));
        }
    }
}

/* For y = t^(q+1)/(q+1)! and h = 1, once the array has become the method's own, each step adds the
 * error constant to the error, and the error tests of all three orders see their constants. */
static void check_error_constants(const NordsieckFamily *family)
{
    double *z[NORDSIECK_COLUMNS], *w[NORDSIECK_COLUMNS], factorial = 1.0;
    columns(0, z);
    columns(1, w);
    for (int q = 1; q <= family->most; q++) {
        double error = 0.0, added = 0.0, e = 0.0;
        int steps = family->most > 5 ? q + 3 : 60, d = q + 1;
        factorial *= d;
        for (int j = 0; j <= q; j++) *z[j] = scaled_derivative(d, j, -steps, 1.0) / factorial;
        for (int k = 1 - steps; k <= 0; k++) {
            nordsieck_predict(1, z, q, 1.0, w);
            e = scaled_derivative(d, 1, k, 1.0) / factorial - *w[1];
            for (int j = 0; j <= q; j++) *z[j] = *w[j] + family->l[q][j] * e;
            double now = *z[0] - scaled_derivative(d, 0, k, 1.0) / factorial;
            added = now - error;
            error = now;
        }
        double tolerance = family->most > 5 ? 1e-10 * pow(q, 4) : 1e-5;
        CHECK_NEAR(fabs(added), family->error_constant[q], tolerance);
        CHECK_NEAR(fabs(family->test[q] * e), family->error_constant[q], tolerance);
        CHECK_NEAR(family->test_up[q] / family->test[q],
                   family->error_constant[q + 1] / family->error_constant[q], 1e-12);
    }
}

static void check_arrays(void)
{
    double *z[NORDSIECK_COLUMNS], *w[NORDSIECK_COLUMNS], *f[NORDSIECK_COLUMNS], y;
    columns(0, z);
    columns(1, w);
    columns(2, f);
    for (int q = 1; q <= 12; q++) {
        for (int j = 0; j <= q; j++) *z[j] = scaled_derivative(q, j, 1.0, 0.25);
        nordsieck_at(1, z, q, -1.5, &y);
        CHECK_NEAR(y, pow(1.0 - 0.375, q), 1e-13);
        nordsieck_shift(1, z, q, -0.5);
        for (int j = 0; j <= q; j++) CHECK_NEAR(*z[j], scaled_derivative(q, j, 0.875, 0.25), 1e-13);
        for (int j = 0; j < q; j++) *f[j] = q * pow(1.0 + 0.25 * j, q - 1);
        double one = 1.0, node;
        nordsieck_of_derivatives(1, q, &one, 0.25, f, w);
        for (int j = 0; j <= q; j++) CHECK_NEAR(*w[j], scaled_derivative(q, j, 1.0, 0.25), 1e-9);
        nordsieck_integral(1, q, &one, 0.25, f, q - 1, &node);
        CHECK_NEAR(node / pow(1.0 + 0.25 * (q - 1), q), 1.0, 1e-12);
    }
}

int main(void)
{
    NordsieckFamily adams, bdf, bashforth;
    nordsieck_adams(&adams);
    nordsieck_bdf(&bdf);
    nordsieck_bashforth(&bashforth);
    check_published();
    check_order_conditions(&adams);
    check_order_conditions(&bdf);
    check_order_conditions(&bashforth);
    check_error_constants(&adams);
    check_error_constants(&bdf);
    check_error_constants(&bashforth);
    check_arrays();
    return test_end();
}
