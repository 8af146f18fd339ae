/* Sums of stages are what their weights say, for any number of unknowns and terms; a vector of
 * weight zero is not looked at; and Newton's test makes the same decisions from a norm and from its
 * square, and the same in short as at length. */
#include "solve/core/combine.h"
#include "solve/nonlinear/newton.h"
#include "test.h"

enum { ROOM = 608, VECTORS = 7 };
static double storage[VECTORS][ROOM], y[ROOM], out[ROOM], second[ROOM];

static double entry(int j, int i) { return sin(1.0 + 3.7 * j + 0.31 * i); }

static void fill(int n)
{
    memset(storage, 0, sizeof storage);
    memset(y, 0, sizeof y);
    for (int i = 0; i < n; i++) {
        y[i] = cos(0.2 * i);
        for (int j = 0; j < VECTORS; j++) storage[j][i] = entry(j, i);
    }
}

static void check_sums(int n, int m, const double *w, const double *v)
{
    double *k[VECTORS], h = 0.25, worst = 0.0;
    char row[64];
    Terms terms;
    snprintf(row, sizeof row, "%d unknowns, %d terms", n, m);
    fill(n);
    for (int j = 0; j < VECTORS; j++) k[j] = storage[j];
    for (int i = 0; i < n; i++) /* as a trial that failed would have left it */
        for (int j = 0; j < m; j++)
            if (w[j] == 0.0 && v[j] == 0.0) storage[j][i] = NAN;
    terms_make(&terms, m, w, v, k);
    terms_combine_two(n, y, h, &terms, out, second);
    for (int i = 0; i < n; i++) {
        double sum = 0.0, also = 0.0;
        for (int j = 0; j < m; j++) sum += w[j] * entry(j, i), also += v[j] * entry(j, i);
        worst = fmax(worst, fmax(fabs(y[i] + h * sum - out[i]), fabs(also - second[i])));
    }
    CHECK_ROW(worst < 1e-14, row);
    terms_combine(n, y, h, &terms, second);
    worst = 0.0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(out[i] - second[i]));
    CHECK_ROW(worst < 1e-14, row);
}

/* Norms of updates with their verdicts. */
static void check_squares(void)
{
    static const double norms[][3] = { { 1e-3, 1e-5, 1e-7 }, { 1.0, 0.3, 0.1 },  { 1e-9, 1e-9, 1e-9 },
                                       { 2.0, 3.0, 4.0 },    { 0.5, 0.4, 0.33 }, { 1e-2, 9e-3, 1e-6 } };
    for (size_t k = 0; k < sizeof norms / sizeof norms[0]; k++) {
        Newton a = { .kappa = 1e-2, .most = 7, .eta = 1.0 }, b = a;
        newton_start(&a);
        newton_start(&b);
        for (int m = 0; m < 3; m++) {
            double norm = norms[k][m];
            NewtonVerdict verdict = newton_watch(&a, norm);
            CHECK(verdict == newton_watch_square(&b, norm * norm));
            bool done =
                m == 0 ? norm <= a.kappa : a.theta / (1.0 - a.theta) * norm <= a.kappa && a.theta < 0.99;
            CHECK((verdict == NEWTON_DONE) == done);
            if (verdict != NEWTON_GO_ON) break;
        }
    }
}

/* Whatever rate and tolerance are: where an update is not enough, it goes on only if the iterations
 * left would do. */
static void check_short_cut(void)
{
    static const double rates[] = { 1e-4, 0.01, 0.1, 0.3, 0.6, 0.85, 0.92, 0.995, 1.5 };
    for (size_t k = 0; k < sizeof rates / sizeof rates[0]; k++)
        for (double kappa = 1e-8; kappa < 1.0; kappa *= 10.0) {
            Newton a = { .kappa = kappa, .most = 8, .eta = 1.0 };
            double norm = 3.0;
            newton_start(&a);
            NewtonVerdict verdict = newton_watch(&a, norm);
            while (verdict == NEWTON_GO_ON) {
                verdict = newton_watch(&a, norm *= rates[k]);
                Newton b = a;
                if (verdict != NEWTON_DONE) CHECK(verdict == newton_doubt(&b, b.theta_old));
            }
        }
}

int main(void)
{
    static const int sizes[] = { 0, 1, 2, 3, 4, 5, 8, 16, 17, 100, 513, 600 };
    static const double w[] = { 0.3, 0.0, -1.25, 0.0, 2.0, 0.7 }, v[] = { 0.0, 0.0, 0.5, 1.5, -1.0, 0.0 };
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int m = 0; m <= 6; m++) check_sums(sizes[k], m, w, v);
    check_squares();
    check_short_cut();
    return test_end();
}
