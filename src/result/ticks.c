/* ticks.c: axes of plots: ranges of signals, ticks at round numbers with short texts, units as
 * people write them.
 *
 * Always: texts of one axis have the same number of decimals and differ from each other; large or
 * small numbers share a power of ten that is shown once. Cost: linear in rows. Tests:
 * tests/result/plot_test.c. */
#include "result/inside.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

static const double NEAR_TICK = 5e-3; /* of a step */

bool signal_range(const Signal *s, size_t rows, bool positive, double *low, double *high)
{
    double least = INFINITY, most = -INFINITY, floor_ = positive ? DBL_TRUE_MIN : -DBL_MAX;
    for (size_t i = 0; i < rows; i++) {
        double v = signal_at(s, i);
        if (!(v >= floor_ && v <= DBL_MAX)) continue;
        if (v < least) least = v;
        if (v > most) most = v;
    }
    if (!(least <= most)) return false;
    *low = least;
    *high = most;
    return true;
}

bool signal_is_stepwise(const Signal *time, const Signal *signal, size_t rows)
{
    bool changes = false;
    if (signal->kind == COLUMN_DISCRETE) return true;
    for (size_t i = 1; i < rows; i++) {
        double a = signal_at(signal, i - 1), b = signal_at(signal, i);
        if (a == b || (isnan(a) && isnan(b))) continue;
        if (signal_at(time, i - 1) != signal_at(time, i)) return false;
        changes = true;
    }
    return changes;
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

static void place_axis(Ticks *ticks)
{
    double low = ticks->log ? log10(ticks->low) : ticks->low,
           high = ticks->log ? log10(ticks->high) : ticks->high;
    ticks->from = low;
    ticks->per = 1.0 / (high - low);
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
    /* data that ends a hair after a tick needs no other, and data that ends a hair before one
     * still gets it */
    double first = floor(low / step + NEAR_TICK), last = ceil(high / step - NEAR_TICK);
    if (!widen) first = ceil(low / step - NEAR_TICK), last = floor(high / step + NEAR_TICK);
    ticks->low = fmin(low, first * step);
    ticks->high = fmax(high, last * step);
    for (double k = first; k <= last && ticks->n < TICKS_MOST; k++) ticks->at[ticks->n++] = k * step;
    write_texts(ticks, step);
    place_axis(ticks);
}

void ticks_pad(Ticks *ticks, double below, double above)
{
    double length = 1.0 / ticks->per, low = ticks->from - below * length,
           high = ticks->from + (1.0 + above) * length;
    ticks->low = ticks->log ? pow(10.0, low) : low;
    ticks->high = ticks->log ? pow(10.0, high) : high;
    ticks->from = low;
    ticks->per = 1.0 / (high - low);
}

/* ---- logarithms ------------------------------------------------------------------------------ */

static const char *const superscripts[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };

void add_power_of_ten(Text *out, int exponent)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", exponent);
    text_add_literal(out, "10");
    for (const char *d = digits; *d; d++) text_add(out, str_of(*d == '-' ? "⁻" : superscripts[*d - '0']));
}

static void add_log_tick(Ticks *ticks, double v, bool plain)
{
    char *text = ticks->text[ticks->n];
    int e = (int)nearbyint(log10(v));
    if (v < ticks->low * (1 - 1e-9) || v > ticks->high * (1 + 1e-9) || ticks->n == TICKS_MOST) return;
    ticks->at[ticks->n++] = v;
    if (plain) {
        snprintf(text, sizeof ticks->text[0], "%.6g", v);
        return;
    }
    char digits[16], *at = text + snprintf(text, sizeof ticks->text[0], "10");
    snprintf(digits, sizeof digits, "%d", e);
    for (const char *d = digits; *d && at < text + sizeof ticks->text[0] - 4; d++)
        at += snprintf(at, 4, "%s", *d == '-' ? "⁻" : superscripts[*d - '0']);
}

void ticks_log(double low, double high, int most, Ticks *ticks)
{
    static const double parts[] = { 1.0, 2.0, 5.0 };
    *ticks = (Ticks){ .log = true };
    if (most > TICKS_MOST - 2) most = TICKS_MOST - 2;
    if (high <= low * 1.0001) low /= 2.0, high *= 2.0;
    double a = log10(low), b = log10(high);
    bool few = b - a < 1.5; /* decades alone would be too few ticks */
    ticks->low = few ? low : pow(10.0, floor(a + 1e-9));
    ticks->high = few ? high : pow(10.0, ceil(b - 1e-9));
    int first = (int)floor(a + 1e-9), last = (int)ceil(b - 1e-9), step = 1 + (last - first) / most;
    bool plain = first >= -4 && last <= 5;
    for (int e = (int)(floor((double)first / step) * step); e <= last; e += step)
        for (size_t k = 0; k < (few ? COUNT_OF(parts) : 1); k++)
            add_log_tick(ticks, parts[k] * pow(10.0, e), plain || few);
    place_axis(ticks);
}

/* ---- units ----------------------------------------------------------------------------------- */

void unit_pretty(const char *unit, Text *out)
{
    static const struct {
        const char *plain, *pretty;
    } words[] = { { "degC", "°C" }, { "degF", "°F" }, { "deg", "°" }, { "Ohm", "Ω" }, { "ohm", "Ω" } };
    text_add_literal(out, "");
    for (const char *at = unit; *at;) {
        size_t w = 0, n = 0;
        bool fresh = at == unit || !isalpha((unsigned char)at[-1]);
        for (; w < COUNT_OF(words); w++) {
            n = strlen(words[w].plain);
            if (fresh && !strncmp(at, words[w].plain, n) && !isalpha((unsigned char)at[n])) break;
        }
        bool power = at > unit && (isalpha((unsigned char)at[-1]) || (at[-1] == '-' && at - 1 > unit));
        if (w < COUNT_OF(words)) {
            text_add(out, str_of(words[w].pretty));
            at += n;
        } else if (isdigit((unsigned char)*at) && power) {
            while (isdigit((unsigned char)*at)) text_add(out, str_of(superscripts[*at++ - '0']));
        } else if (*at == '-' && power && isdigit((unsigned char)at[1])) {
            text_add_literal(out, "⁻");
            at++;
        } else {
            text_add(out, *at == '.' ? STR("·") : (Str){ at, 1 });
            at++;
        }
    }
}
