/* distribution.c: distributions of parameters, and lists and ranges of values.
 *
 * In: a text. Out: quantiles, so that any sample of [0, 1] becomes one of the distribution. The
 * normal quantile starts from Abramowitz and Stegun 26.2.23 and is made exact by Newton's method on
 * erfc. Tests: tests/study/design_test.c. */
#include "study/design.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_VALUES = 10000000 };

static const struct {
    const char *name, *form;
    DistributionKind kind;
    int count;
} forms[] = {
    { "uniform", "uniform(FROM, TO)", DISTRIBUTION_UNIFORM, 2 },
    { "normal", "normal(MEAN, DEVIATION)", DISTRIBUTION_NORMAL, 2 },
    { "lognormal", "lognormal(MEAN, DEVIATION) of the logarithm", DISTRIBUTION_LOGNORMAL, 2 },
    { "loguniform", "loguniform(FROM, TO)", DISTRIBUTION_LOGUNIFORM, 2 },
    { "triangular", "triangular(FROM, MODE, TO)", DISTRIBUTION_TRIANGULAR, 3 },
    { "truncnormal", "truncnormal(MEAN, DEVIATION, FROM, TO)", DISTRIBUTION_TRUNCATED, 4 },
    { "exponential", "exponential(MEAN)", DISTRIBUTION_EXPONENTIAL, 1 },
    { "weibull", "weibull(SCALE, SHAPE)", DISTRIBUTION_WEIBULL, 2 },
};

const char *distribution_form(size_t i) { return i < COUNT_OF(forms) ? forms[i].form : NULL; }

/* ---- reading --------------------------------------------------------------------------------- */

static const char *check_numbers(const Distribution *d)
{
    const double *a = d->a;
    switch (d->kind) {
    case DISTRIBUTION_VALUES: return NULL;
    case DISTRIBUTION_UNIFORM: return a[0] < a[1] ? NULL : "FROM should be less than TO";
    case DISTRIBUTION_NORMAL:
    case DISTRIBUTION_LOGNORMAL: return a[1] > 0.0 ? NULL : "DEVIATION should be positive";
    case DISTRIBUTION_LOGUNIFORM: return 0.0 < a[0] && a[0] < a[1] ? NULL : "0 < FROM < TO should hold";
    case DISTRIBUTION_TRIANGULAR:
        return a[0] <= a[1] && a[1] <= a[2] && a[0] < a[2] ? NULL : "FROM <= MODE <= TO should hold";
    case DISTRIBUTION_TRUNCATED:
        return a[1] > 0.0 && a[2] < a[3] ? NULL : "DEVIATION > 0 and FROM < TO should hold";
    case DISTRIBUTION_EXPONENTIAL: return a[0] > 0.0 ? NULL : "MEAN should be positive";
    case DISTRIBUTION_WEIBULL: return a[0] > 0.0 && a[1] > 0.0 ? NULL : "both should be positive";
    }
    return NULL;
}

static bool read_form(const char *text, size_t n, Distribution *d, char *why, size_t room)
{
    for (size_t k = 0; k < COUNT_OF(forms); k++) {
        if (strlen(forms[k].name) != n || strncmp(text, forms[k].name, n) != 0) continue;
        const char *at = text + n + 1;
        char *end = NULL;
        d->kind = forms[k].kind;
        for (int j = 0; j < forms[k].count; j++, at = end + 1) {
            d->a[j] = strtod(at, &end);
            while (*end == ' ') end++;
            if (end == at || !isfinite(d->a[j]) || *end != (j + 1 < forms[k].count ? ',' : ')'))
                return snprintf(why, room, "'%s' should be %s", text, forms[k].form), false;
        }
        const char *broken = end[1] ? "nothing should follow" : check_numbers(d);
        if (broken) snprintf(why, room, "in '%s': %s", text, broken);
        return !broken;
    }
    snprintf(why, room, "there is no distribution '%.*s'", (int)n, text);
    return false;
}

static bool read_range(Arena *arena, const char *text, Distribution *d, char *why, size_t room)
{
    char *end;
    double from = strtod(text, &end), to = NAN, count = 2.0;
    if (*end == ':') to = strtod(end + 1, &end);
    if (*end == ':') count = strtod(end + 1, &end);
    if (*end || !isfinite(from) || !isfinite(to) || !(count >= 1.0) || count > MOST_VALUES ||
        count != floor(count))
        return snprintf(why, room, "'%s' should be FROM:TO:COUNT", text), false;
    d->kind = from < to ? DISTRIBUTION_UNIFORM : DISTRIBUTION_VALUES;
    d->a[0] = from;
    d->a[1] = to;
    d->count = (size_t)count;
    d->values = NEW_ARRAY(arena, double, d->count + 1);
    for (size_t k = 0; k < d->count; k++)
        d->values[k] = d->count > 1 ? from + (to - from) * (double)k / (double)(d->count - 1) : from;
    return true;
}

/* Values with commas between them; commas in brackets belong to a value. */
static bool read_list(Arena *arena, const char *text, Distribution *d, char *why, size_t room)
{
    VEC(const char *) items = { 0 };
    bool are_numbers = true;
    int open = 0;
    for (const char *at = text, *from = text;; at++) {
        open += (*at && strchr("([{", *at)) - (*at && strchr(")]}", *at));
        if (*at && (*at != ',' || open > 0)) continue;
        const char *item = arena_copy(arena, (Str){ from, (size_t)(at - from) });
        char *end;
        double number = strtod(item, &end);
        if (!*item) return snprintf(why, room, "'%s' should be VALUE,VALUE... or FROM:TO:COUNT", text), false;
        are_numbers &= end != item && !*end && isfinite(number);
        vec_push(arena, &items, item);
        from = at + 1;
        if (!*at) break;
    }
    d->kind = DISTRIBUTION_VALUES;
    d->count = items.n;
    d->values = NEW_ARRAY(arena, double, d->count + 1);
    d->texts = are_numbers ? NULL : items.at;
    for (size_t k = 0; k < d->count; k++) d->values[k] = are_numbers ? strtod(items.at[k], NULL) : (double)k;
    return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool distribution_read(Arena *arena, const char *text, Distribution *d, char *why, size_t room)
{
    const char *paren = strchr(text, '(');
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    const char *number = text + (*text == '-' || *text == '+');
    *d = (Distribution){ 0 };
    if (paren && n && text + n == paren) return read_form(text, n, d, why, room);
    if (strchr(text, ':') && (is_digit(*number) || *number == '.'))
        return read_range(arena, text, d, why, room);
    return read_list(arena, text, d, why, room);
}

/* ---- quantiles ------------------------------------------------------------------------------- */

double normal_distribution(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

double normal_quantile(double u)
{
    if (!(u > 0.0) || !(u < 1.0)) return u > 0.5 ? INFINITY : -INFINITY;
    double p = fmin(u, 1.0 - u), t = sqrt(-2.0 * log(p));
    double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int k = 0; k < 4; k++) { /* of the upper tail, p = erfc(x / sqrt 2) / 2 */
        double density = exp(-0.5 * x * x) / sqrt(2.0 * M_PI);
        if (density <= 0.0) break;
        double step = (0.5 * erfc(x * M_SQRT1_2) - p) / density;
        x += step / (1.0 - 0.5 * x * step); /* Halley */
    }
    return u < 0.5 ? -x : x;
}

static double triangular_quantile(const double *a, double u)
{
    double width = a[2] - a[0], left = (a[1] - a[0]) / width;
    return u < left ? a[0] + sqrt(u * width * (a[1] - a[0])) : a[2] - sqrt((1.0 - u) * width * (a[2] - a[1]));
}

double distribution_quantile(const Distribution *d, double u)
{
    const double *a = d->a;
    switch (d->kind) {
    case DISTRIBUTION_VALUES: return d->values[(size_t)fmin(u * (double)d->count, (double)d->count - 1.0)];
    case DISTRIBUTION_UNIFORM: return a[0] + u * (a[1] - a[0]);
    case DISTRIBUTION_NORMAL: return a[0] + a[1] * normal_quantile(u);
    case DISTRIBUTION_LOGNORMAL: return exp(a[0] + a[1] * normal_quantile(u));
    case DISTRIBUTION_LOGUNIFORM: return a[0] * pow(a[1] / a[0], u);
    case DISTRIBUTION_TRIANGULAR: return triangular_quantile(a, u);
    case DISTRIBUTION_TRUNCATED: {
        double from = normal_distribution((a[2] - a[0]) / a[1]),
               to = normal_distribution((a[3] - a[0]) / a[1]);
        return fmin(a[3], fmax(a[2], a[0] + a[1] * normal_quantile(from + u * (to - from))));
    }
    case DISTRIBUTION_EXPONENTIAL: return -a[0] * log1p(-u);
    case DISTRIBUTION_WEIBULL: return a[0] * pow(-log1p(-u), 1.0 / a[1]);
    }
    return NAN;
}

static double triangular_place(const double *a, double x)
{
    double width = a[2] - a[0];
    if (x <= a[0] || x >= a[2]) return x <= a[0] ? 0.0 : 1.0;
    return x < a[1] ? (x - a[0]) * (x - a[0]) / (width * (a[1] - a[0]))
                    : 1.0 - (a[2] - x) * (a[2] - x) / (width * (a[2] - a[1]));
}

double distribution_place(const Distribution *d, double x)
{
    const double *a = d->a;
    switch (d->kind) {
    case DISTRIBUTION_VALUES: return NAN;
    case DISTRIBUTION_UNIFORM: return fmin(1.0, fmax(0.0, (x - a[0]) / (a[1] - a[0])));
    case DISTRIBUTION_NORMAL: return normal_distribution((x - a[0]) / a[1]);
    case DISTRIBUTION_LOGNORMAL: return x > 0 ? normal_distribution((log(x) - a[0]) / a[1]) : 0.0;
    case DISTRIBUTION_LOGUNIFORM: return x > 0 ? fmin(1.0, fmax(0.0, log(x / a[0]) / log(a[1] / a[0]))) : 0.0;
    case DISTRIBUTION_TRIANGULAR: return triangular_place(a, x);
    case DISTRIBUTION_TRUNCATED: {
        double from = normal_distribution((a[2] - a[0]) / a[1]),
               to = normal_distribution((a[3] - a[0]) / a[1]);
        return fmin(1.0, fmax(0.0, (normal_distribution((x - a[0]) / a[1]) - from) / (to - from)));
    }
    case DISTRIBUTION_EXPONENTIAL: return x > 0 ? -expm1(-x / a[0]) : 0.0;
    case DISTRIBUTION_WEIBULL: return x > 0 ? -expm1(-pow(x / a[0], a[1])) : 0.0;
    }
    return NAN;
}

void distribution_span(const Distribution *d, double *low, double *high)
{
    *low = distribution_quantile(d, 0.0);
    *high = distribution_quantile(d, 1.0);
    for (size_t k = 0; d->kind == DISTRIBUTION_VALUES && k < d->count; k++) {
        *low = fmin(*low, d->values[k]);
        *high = fmax(*high, d->values[k]);
    }
}
