/* ticks.c: axes of plots: ranges of signals, and ticks at round numbers with short texts.
 *
 * Always: texts of one axis have the same number of decimals and differ from each other; large or small
 * numbers share a power of ten that is shown once. Cost: linear in rows. Tests: tests/result/plot_test.c. */
#include "result/inside.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static const double NEAR_TICK = 5e-3; /* of a step */

bool signal_range(const Signal *s, size_t rows, double *low, double *high)
{
    bool any = false;
    for (size_t i = 0; i < rows; i++) {
        double v = signal_at(s, i);
        if (!isfinite(v)) continue;
        if (!any || v < *low) *low = v;
        if (!any || v > *high) *high = v;
        any = true;
    }
    return any;
}

/* The smallest of 1, 2, 2.5, 5, 10 times a power of ten that is not below x. */
static double round_up(double x)
{
    static const double steps[] = { 1.0, 2.0, 2.5, 5.0 };
    double power = pow(10.0, floor(log10(x)));
    for (size_t i = 0; i < COUNT_OF(steps); i++)
        if (steps[i] * power >= x * (1.0 - 1e-9)) return steps[i] * power;
    return 10.0 * power;
}

/* How many decimals a multiple of step needs. */
static int decimals_of(double step)
{
    for (int n = 0; n < 15; n++) {
        double scaled = step * pow(10.0, n);
        if (fabs(scaled - nearbyint(scaled)) < 1e-6 * scaled) return n;
    }
    return 15;
}

static void write_texts(Ticks *ticks, double step)
{
    double largest = fmax(fabs(ticks->low), fabs(ticks->high));
    int magnitude = largest > 0.0 ? (int)floor(log10(largest)) : 0;
    if (magnitude >= 5 || magnitude <= -4) ticks->exponent = 3 * (int)floor(magnitude / 3.0);
    double unit = pow(10.0, ticks->exponent);
    int decimals = decimals_of(step / unit);
    for (int i = 0; i < ticks->n; i++) {
        double v = ticks->at[i] / unit;
        if (fabs(v) < 1e-6 * step / unit) v = 0.0;
        snprintf(ticks->text[i], sizeof ticks->text[i], "%.*f", decimals, v);
    }
}

void ticks_of(double low, double high, int most, bool widen, Ticks *ticks)
{
    *ticks = (Ticks){ 0 };
    double size = fmax(fabs(low), fabs(high));
    if (high - low <= 1e-12 * size || high - low < 1e3 * DBL_MIN) {
        double pad = size > 0.0 ? 0.1 * size : 1.0;
        low -= pad;
        high += pad;
    }
    if (most > TICKS_MOST - 2) most = TICKS_MOST - 2;
    double step = round_up(high / most - low / most);
    double first = floor(low / step + 1e-9), last = ceil(high / step - 1e-9);
    /* data that ends a hair before a tick still gets it */
    if (!widen) first = ceil(low / step - NEAR_TICK), last = floor(high / step + NEAR_TICK);
    ticks->low = widen ? first * step : fmin(low, first * step);
    ticks->high = widen ? last * step : fmax(high, last * step);
    for (double k = first; k <= last && ticks->n < TICKS_MOST; k++) ticks->at[ticks->n++] = k * step;
    write_texts(ticks, step);
}
