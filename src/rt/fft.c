/* fft.c: the discrete Fourier transform of real samples, as amplitudes and phases.
 *
 * How: Cooley and Tukey with the prime factors of n, smallest first; a prime p costs p for each
 * number. n must be even. Out, for k = 0 .. n/2: 2/n |X_k| (1/n for k = 0 and n/2) and the argument
 * of X_k. Cost: O(n sum of factors). Tests: tests/rt/scan_test.c. */
#include "rt/inside.h"

#include <math.h>

typedef struct {
    double re, im;
} Complex;

static int64_t smallest_factor(int64_t n)
{
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0) return p;
    return n;
}

/* X := transform of n samples at x, x + stride, ...; `turn` holds exp(-2 pi i k / whole) for all k;
 * `spare` has n places. */
static void transform(const double *x, int64_t n, int64_t stride, const Complex *turn, int64_t whole,
                      Complex *X, Complex *spare)
{
    if (n == 1) {
        *X = (Complex){ *x, 0 };
        return;
    }
    int64_t p = smallest_factor(n), m = n / p;
    for (int64_t q = 0; q < p; q++)
        transform(x + q * stride, m, stride * p, turn, whole, spare + q * m, X + q * m);
    for (int64_t k = 0; k < n; k++) {
        Complex sum = { 0, 0 };
        for (int64_t q = 0; q < p; q++) {
            Complex w = turn[(q * k * stride) % whole], y = spare[q * m + k % m];
            sum.re += w.re * y.re - w.im * y.im;
            sum.im += w.re * y.im + w.im * y.re;
        }
        X[k] = sum;
    }
}

/* R samples, i n, i room of work -> R work, R amplitudes, R phases, i status: 0 done, 1 n is odd, 3
 * no memory */
RtStatus rt_fft_real(Rt *rt, RtCell *cells)
{
    const double *x = cells[0].p;
    int64_t n = cells[2].i, *status = &cells[10].i;
    double *amplitude = cells[6].p, *phase = cells[8].p;
    *status = 1;
    if (n < 2 || n % 2 || cells[1].i < n) return RT_OK;
    RtMark mark;
    rt_mark(rt, &mark);
    Complex *all = rt_alloc(rt, 3 * (size_t)n * sizeof *all);
    *status = 3;
    if (!all || cells[7].i < n / 2 + 1 || cells[9].i < n / 2 + 1) return RT_OK;
    Complex *X = all, *spare = all + n, *turn = all + 2 * n;
    for (int64_t k = 0; k < n; k++) {
        double angle = -6.283185307179586477 * (double)k / (double)n;
        turn[k] = (Complex){ cos(angle), sin(angle) };
    }
    transform(x, n, 1, turn, n, X, spare);
    for (int64_t k = 0; k <= n / 2; k++) {
        amplitude[k] = hypot(X[k].re, X[k].im) * (k == 0 || 2 * k == n ? 1.0 : 2.0) / (double)n;
        phase[k] = atan2(X[k].im, X[k].re);
    }
    rt_rewind(rt, &mark);
    *status = 0;
    return RT_OK;
}
