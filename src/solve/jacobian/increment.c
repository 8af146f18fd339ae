/* increment.c: increments of difference quotients: the table of named rules, and what makes an
 * increment exact.
 *
 * In: a point with its right-hand side, weights, nominal values, step size. Out: one increment a
 * component, none of them 0. How: a rule gives sizes by its formula; a post-processing moves them
 * to what y + delta can represent, and turns their sign; a guard mends what is left of 0, NaN and
 * infinity. u is the rounding unit 2^-52. Always: rules are pure functions of what is passed; sums
 * whose rounding matters go through `rounded`, which no compiler may fold. The formulas and where
 * they come from: docs/methods.md. Cost: O(n). Tests: tests/solve/increment_test.c. */
#include "solve/jacobian/inside.h"

static const double RADAU_LEAST = 1e-5; /* of |y|, in RADAU5 */
static const double CVODE_SHARE = 1e3;  /* 1 over the error that Newton's corrections may have */
/* of what tolerances call small, and of the largest |y| so far */
static const double FLOOR_SHARE = 0x1p-9;
/* the same as CVODE's, but gentler, since it is a floor only */
static const double NOISE_SHARE = 64.0;
static const double LEAST_NORMAL = 0x1p-1000;
/* How far a learnt curvature may take the increment from what is assumed without. */
static const double CURVATURE_LEAST = 0x1p-14, CURVATURE_MOST = 0x1p13;
/* a learnt scale this near to the assumed one changes nothing */
static const double CURVATURE_SAME = 8.0;

/* y + delta as a double: stored and read back, so that neither a wider register nor a fold of (y +
 * d) - y into d can survive optimisation. */
static double rounded(double y, double delta)
{
    volatile double sum = y + delta;
    return sum;
}

static double nominal_of(const IncrementInput *in, int i)
{
    double nominal = in->nominal ? fabs(in->nominal[i]) : 1.0;
    return isfinite(nominal) && nominal > 0.0 ? nominal : 1.0;
}

static double c0_of(const IncrementInput *in, double own) { return in->c0 > 0.0 ? in->c0 : own; }

/* |y| + atol/rtol: below this tolerances call a component small. */
static double tolerance_size(const IncrementInput *in, int i)
{
    double size = in->rtol > 0.0 ? 1.0 / (in->weight[i] * in->rtol) : NAN;
    return size > 0.0 && isfinite(size) ? size : nominal_of(in, i);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* sqrt(u max(1e-5, |y|)) */
static void rule_radau5(const IncrementInput *in, double *delta)
{
    for (int i = 0; i < in->n; i++) delta[i] = sqrt(UROUND * fmax(RADAU_LEAST, fabs(in->y[i])));
}

/* max(sqrt(u) |y|, sigma / ewt), ewt = 1/(rtol |y| + atol), sigma = 1000 |h| u n ||f|| in the norm
 * weighted by ewt, or 1 where that is 0 */
static void rule_cvode(const IncrementInput *in, double *delta)
{
    double sigma = CVODE_SHARE * fabs(in->h) * UROUND * in->n * norm_rms(in->n, in->f, in->weight);
    if (sigma == 0.0) sigma = 1.0;
    for (int i = 0; i < in->n; i++) delta[i] = fmax(ROOT_U * fabs(in->y[i]), sigma / in->weight[i]);
}

/* sqrt(u) max(|y|, c0 nominal) */
static void rule_scaled_nominal(const IncrementInput *in, double *delta)
{
    double c0 = c0_of(in, 1.0);
    for (int i = 0; i < in->n; i++) delta[i] = ROOT_U * fmax(fabs(in->y[i]), c0 * nominal_of(in, i));
}

/* sqrt(u) max(|y|, nominal) */
static void rule_pyfmi(const IncrementInput *in, double *delta)
{
    for (int i = 0; i < in->n; i++) delta[i] = ROOT_U * fmax(fabs(in->y[i]), nominal_of(in, i));
}

/* sqrt(u) max(|y|, c0) */
static void rule_absolute(const IncrementInput *in, double *delta)
{
    double c0 = c0_of(in, sqrt(RADAU_LEAST));
    for (int i = 0; i < in->n; i++) delta[i] = ROOT_U * fmax(fabs(in->y[i]), c0);
}

/* max(u |y|, sqrt(u) c0) */
static void rule_constant_curvature(const IncrementInput *in, double *delta)
{
    double c0 = c0_of(in, 1e-3);
    for (int i = 0; i < in->n; i++) delta[i] = fmax(UROUND * fabs(in->y[i]), ROOT_U * c0);
}

/* max((next double after |y|) - |y|) / sqrt(u), sqrt(u) c0), with the sign of y where y + delta
 * would change it */
static void rule_power_of_two(const IncrementInput *in, double *delta)
{
    double c0 = c0_of(in, FLOOR_SHARE);
    for (int i = 0; i < in->n; i++) {
        double y = in->y[i], size = fabs(y);
        delta[i] = fmax((nextafter(size, INFINITY) - size) / ROOT_U, ROOT_U * c0);
        if (y < 0.0 && rounded(y, delta[i]) >= 0.0) delta[i] = -delta[i];
    }
}

/* sqrt(u) max(|y|, c0 (|y| + atol/rtol)) */
static void rule_tolerance(const IncrementInput *in, double *delta)
{
    double c0 = c0_of(in, FLOOR_SHARE);
    for (int i = 0; i < in->n; i++) delta[i] = ROOT_U * fmax(fabs(in->y[i]), c0 * tolerance_size(in, i));
}

/* pyfmi where a nominal value was given, else the rule of the solver's kind. */
static void rule_nominal_if_set(const IncrementInput *in, double *delta)
{
    (in->multistep ? rule_cvode : rule_radau5)(in, delta);
    for (int i = 0; i < in->n; i++)
        if (nominal_of(in, i) != 1.0) delta[i] = ROOT_U * fmax(fabs(in->y[i]), nominal_of(in, i));
}

/* ---- the default ----------------------------------------------------------------------------- */

double increment_size(const IncrementInput *in, int i, double f_norm)
{
    double size = fabs(in->y[i]), small = FLOOR_SHARE * tolerance_size(in, i);
    double typical = in->typical ? fmax(in->typical[i], size) : size;
    double noise = fmin(NOISE_SHARE * ROOT_U * f_norm, 1.0) / in->weight[i];
    if (typical > 0.0) small = fmin(small, fmax(FLOOR_SHARE * typical, noise));
    /* nothing is known but what the user says: a tiny atol alone would drown in other terms of f */
    else
        small = fmax(small, FLOOR_SHARE * nominal_of(in, i));
    double wide = fmin(tolerance_size(in, i), typical);
    size = fmax(fmax(size, sqrt(size) * sqrt(wide)), small);
    return isfinite(size) && size > 0.0 ? size : 1.0;
}

double increment_reach(const IncrementInput *in, int i)
{
    double typical = in->typical ? in->typical[i] : 0.0;
    double reach = fmax(fmax(fabs(in->y[i]), typical), tolerance_size(in, i));
    return isfinite(reach) && reach > 0.0 ? reach : 1.0;
}

/* The power of two at or below a positive number. */
static double power_below(double x)
{
    int exponent;
    frexp(fmin(fmax(x, LEAST_NORMAL), DBL_MAX), &exponent);
    return ldexp(1.0, exponent - 1);
}

/* Turns or shortens an increment that would leave [low, high], while y is inside. */
static double stay_inside(double y, double delta, double low, double high)
{
    if (!(y >= low) || !(y <= high) || low == high) return delta;
    for (int half = 0; half < 8; half++, delta *= 0.5) {
        double there = rounded(y, delta), back = rounded(y, -delta);
        if (there >= low && there <= high) return delta;
        if (back >= low && back <= high) return -delta;
    }
    return rounded(y, delta) != y && high - y >= y - low ? fabs(delta) : -fabs(delta);
}

/* Curvature-adaptive: sqrt(u) times the learnt curvature scale, else times the size, as a power of
 * two. Its sign is that of y, so that y + delta and y differ by less than what Sterbenz' lemma
 * allows; at 0 it goes where the solution goes. */
static void rule_adaptive(const IncrementInput *in, double *delta)
{
    double f_norm = fabs(in->h) * norm_rms(in->n, in->f, in->weight);
    if (!isfinite(f_norm)) f_norm = 0.0;
    for (int i = 0; i < in->n; i++) {
        double y = in->y[i], size = increment_size(in, i, f_norm), scale = size;
        double learnt = in->curvature ? in->curvature[i] : 0.0;
        if (learnt > 0.0 && (learnt < size / CURVATURE_SAME || learnt > CURVATURE_SAME * size))
            scale = fmin(fmax(learnt, CURVATURE_LEAST * size), CURVATURE_MOST * size);
        double d = power_below(ROOT_U * scale);
        double least = nextafter(fabs(y), INFINITY) - fabs(y);
        if (d < 4.0 * least) d = 4.0 * least;
        double side = y != 0.0 ? y : in->h * in->f[i];
        d = copysign(d, side != 0.0 && !isnan(side) ? side : 1.0);
        /* beyond the next power of two doubles lie twice as far apart; towards 0 they do not */
        if (fabs(d) < 0.5 * fabs(y) && rounded(y, d) - y != d) d = -d;
        if (in->low && in->high) d = stay_inside(y, d, in->low[i], in->high[i]);
        delta[i] = d;
    }
}

/* ---- post-processing ------------------------------------------------------------------------- */

/* 1: what y + delta can represent. 2: also with the sign of y where delta is as large as y. 3:
 * always with the sign of y. At y = 0 all are exact. */
void increment_post(IncrementPost post, int n, const double *y, double *delta)
{
    for (int i = 0; i < n && post > POST_NONE; i++) {
        bool turn = post == POST_3 || (post == POST_2 && delta[i] >= fabs(y[i]));
        if (y[i] == 0.0 && post != POST_1) continue;
        double d = turn ? copysign(delta[i], y[i]) : delta[i];
        delta[i] = rounded(y[i], d) - y[i];
    }
}

/* What a formula leaves of 0, NaN or infinity, or what y + delta cannot hold, becomes the next best
 * thing. */
static void guard(const IncrementInput *in, double *delta)
{
    for (int i = 0; i < in->n; i++) {
        double y = in->y[i], d = delta[i];
        if (!isfinite(d) || d == 0.0 || rounded(y, d) == y)
            d = copysign(power_below(ROOT_U * fmax(isfinite(y) ? fabs(y) : 1.0, LEAST_NORMAL / ROOT_U)), y);
        if (isfinite(y) && !isfinite(rounded(y, d))) d = -copysign(power_below(ROOT_U * fabs(y)), y);
        delta[i] = d;
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

const IncrementType increment_types[] = {
    { "adaptive",
      "sqrt(u) times the learnt curvature scale or max(|y|, floor), a power of two with the sign of y", 0,
      rule_adaptive },
    { "radau5", "sqrt(u max(1e-5, |y|))", 0, rule_radau5 },
    { "cvode", "max(sqrt(u) |y|, 1000 |h| u n ||f|| (rtol |y| + atol))", 0, rule_cvode },
    { "pyfmi", "sqrt(u) max(|y|, nominal)", 0, rule_pyfmi },
    { "scaled-nominal", "sqrt(u) max(|y|, c0 nominal)", 1.0, rule_scaled_nominal },
    { "absolute", "sqrt(u) max(|y|, c0)", 3.1622776601683794e-3, rule_absolute },
    { "constant-curvature", "max(u |y|, sqrt(u) c0)", 1e-3, rule_constant_curvature },
    { "power-of-two", "max(spacing of y / sqrt(u), sqrt(u) c0)", 0x1p-9, rule_power_of_two },
    { "nominal-if-set", "pyfmi where a nominal value is given, else radau5 or, for multistep methods, cvode",
      0, rule_nominal_if_set },
    { "tolerance", "sqrt(u) max(|y|, c0 (|y| + atol/rtol))", 0x1p-9, rule_tolerance },
};
const size_t increment_type_count = COUNT_OF(increment_types);

const IncrementType *increment_find(const char *name)
{
    for (size_t i = 0; i < increment_type_count; i++)
        if (!strcmp(increment_types[i].name, name)) return &increment_types[i];
    return NULL;
}

void increment_choose(const IncrementType *type, IncrementPost post, const IncrementInput *in, double *delta)
{
    (type ? type : &increment_types[0])->rule(in, delta);
    increment_post(post, in->n, in->y, delta);
    guard(in, delta);
}
