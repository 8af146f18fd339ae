/* norm.c: weights from tolerances, the weighted root-mean-square norm, and the search for bad
 * values.
 *
 * Cost: one pass over n each. Tests: tests/solve/doors_test.c. */
#include "solve/core/vectors.h"

static const double TINY_STEP = 1024.0; /* spacings of time */
enum { BEGINNING = 100 };               /* steps of a run */
enum {
    GROUP = 4,
    GROUPS = 8
}; /* components that loops work on at once: fewer are not worth what is around such loops */

static bool weight_fault(Solver *s, int i, double y)
{
    solver_fail(s, FAIL_TOLERANCE, 0.0, i,
                y == 0.0 ? "the absolute tolerance is 0 where the solution is 0"
                         : "the tolerance asks for more digits than a double has");
    return false;
}

/* w = scale / (rtol max(|a|, |b|) + atol); whether all tolerances are above rounding. */
INLINE bool weigh_one(double rtol, double a, double b, double atol, double scale, double *w)
{
    double size = larger(fabs(a), fabs(b)), tolerance = rtol * size + atol;
    *w = 1.0 / tolerance * scale;
    return tolerance > UROUND * size;
}

INLINE bool weigh(bool is_wide, int n, double rtol, const double *a, const double *b, const double *atol,
                  double scale, double *w)
{
    Bits good = { -1, -1, -1, -1 };
    bool ok = true;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        Four size = four_size(four_at(a + i), four_at(b + i)), tolerance = rtol * size + four_at(atol + i);
        good &= tolerance > UROUND * size;
        group_to(is_wide, w + i, 1.0 / tolerance * scale);
    }
    for (; i < n; i++) ok &= weigh_one(rtol, a[i], b[i], atol[i], scale, &w[i]);
    return ok && (good[0] & good[1] & good[2] & good[3]);
}

WIDE_LOOP static bool weigh_wide(int n, double rtol, const double *a, const double *b, const double *atol,
                                 double scale, double *w)
{
    return weigh(true, n, rtol, a, b, atol, scale, w);
}

static bool weigh_many(int n, double rtol, const double *a, const double *b, const double *atol, double scale,
                       double *w)
{
    return n > FEW && PROCESSOR_IS_WIDE ? weigh_wide(n, rtol, a, b, atol, scale, w)
                                        : weigh(false, n, rtol, a, b, atol, scale, w);
}

static bool find_weight_fault(Solver *s, const double *a, const double *b)
{
    for (int i = 0; i < s->n; i++) {
        double size = fmax(fabs(a[i]), fabs(b[i]));
        if (!(s->options.rtol * size + s->atol[i] > UROUND * size)) return weight_fault(s, i, size);
    }
    return true;
}

static bool set_weights(Solver *s, const double *a, const double *b, double scale, double *w)
{
    double rtol = s->options.rtol;
    bool ok = true;
    if (s->n >= GROUP)
        ok = weigh_many(s->n, rtol, a, b, s->atol, scale, w);
    else
        for (int i = 0; i < s->n; i++) ok &= weigh_one(rtol, a[i], b[i], s->atol[i], scale, &w[i]);
    return ok || find_weight_fault(s, a, b);
}

bool solver_weights(Solver *s, const double *y, double *w) { return set_weights(s, y, y, 1.0, w); }

bool solver_weights_scaled(Solver *s, const double *y, double scale, double *w)
{
    return set_weights(s, y, y, scale, w);
}

bool solver_weights_of_two(Solver *s, const double *a, const double *b, double *w)
{
    return set_weights(s, a, b, 1.0, w);
}

bool is_tiny_step(double t, double h) { return fabs(h) < TINY_STEP * UROUND * fabs(t); }

bool solver_weights_of_tiny_step(Solver *s, double h, const double *change, double scale, double *w)
{
    bool begins = s->stats.steps < BEGINNING; /* steps are tiny then for another reason */
    if (begins || !is_tiny_step(s->core.t, h) || s->options.fixed_step > 0.0) return true;
    for (int i = 0; i < s->n; i++) w[i] = fabs(s->y[i]) + fabs(change[i]);
    return solver_weights_scaled(s, w, scale, w);
}

/* Several sums at once: one alone would wait for each addition. */
INLINE double sum_squares(bool is_wide, int n, const double *v, const double *w)
{
    Sum a = { 0 }, b = { 0 };
    double rest = 0.0;
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        Four x = four_at(v + i) * four_at(w + i), y = four_at(v + i + 4) * four_at(w + i + 4);
        sum_add(is_wide, &a, x * x);
        sum_add(is_wide, &b, y * y);
    }
    for (; i < n; i++) rest += (v[i] * w[i]) * (v[i] * w[i]);
    return four_sum(sum_so_far(is_wide, &a) + sum_so_far(is_wide, &b)) + rest;
}

WIDE_LOOP static double sum_squares_wide(int n, const double *v, const double *w)
{
    return sum_squares(true, n, v, w);
}

static double many_squares(int n, const double *v, const double *w)
{
    return n > FEW && PROCESSOR_IS_WIDE ? sum_squares_wide(n, v, w) : sum_squares(false, n, v, w);
}

double norm_square(int n, const double *v, const double *w)
{
    double share = n ? 1.0 / n : 0.0, sum = 0.0;
    if (n >= GROUPS) return share * many_squares(n, v, w);
    for (int i = 0; i < n; i++) sum += (v[i] * w[i]) * (v[i] * w[i]);
    return share * sum;
}

INLINE double subtract_one(double a, double b, double w, double *out)
{
    double x = a - b, size = x * w;
    *out = x;
    return size * size;
}

/* Sums as above, so that the norm is that of what is left. */
INLINE double subtract(bool is_wide, int n, const double *a, const double *b, const double *w, double *out)
{
    Sum sum = { 0 }, other = { 0 };
    double rest = 0.0;
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        Four x = four_at(a + i) - four_at(b + i), y = four_at(a + i + 4) - four_at(b + i + 4);
        Four size_x = x * four_at(w + i), size_y = y * four_at(w + i + 4);
        group_to(is_wide, out + i, x);
        group_to(is_wide, out + i + 4, y);
        sum_add(is_wide, &sum, size_x * size_x);
        sum_add(is_wide, &other, size_y * size_y);
    }
    for (; i < n; i++) rest += subtract_one(a[i], b[i], w[i], &out[i]);
    return four_sum(sum_so_far(is_wide, &sum) + sum_so_far(is_wide, &other)) + rest;
}

WIDE_LOOP static double subtract_wide(int n, const double *a, const double *b, const double *w, double *out)
{
    return subtract(true, n, a, b, w, out);
}

static double subtract_many(int n, const double *a, const double *b, const double *w, double *out)
{
    return n > FEW && PROCESSOR_IS_WIDE ? subtract_wide(n, a, b, w, out) : subtract(false, n, a, b, w, out);
}

double norm_square_of_difference(int n, const double *a, const double *b, const double *w, double *out)
{
    double share = n ? 1.0 / n : 0.0, sum = 0.0;
    if (n >= GROUPS) return share * subtract_many(n, a, b, w, out);
    for (int i = 0; i < n; i++) sum += subtract_one(a[i], b[i], w[i], &out[i]);
    return share * sum;
}

double norm_rms(int n, const double *v, const double *w) { return sqrt(norm_square(n, v, w)); }

int norm_worst(int n, const double *v, const double *w)
{
    int worst = -1;
    double most = -1.0;
    for (int i = 0; i < n; i++) {
        double size = fabs(v[i] * w[i]);
        if (size > most || isnan(size)) most = isnan(size) ? INFINITY : size, worst = i;
    }
    return worst;
}

int vector_first_bad(int n, const double *v)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(v[i])) return i;
    return -1;
}

/* 0 times each, added up. */
INLINE double noughts(bool is_wide, int n, const double *v)
{
    Sum a = { 0 }, b = { 0 };
    double rest = 0.0;
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        sum_add(is_wide, &a, four_at(v + i) * 0.0);
        sum_add(is_wide, &b, four_at(v + i + 4) * 0.0);
    }
    for (; i < n; i++) rest += v[i] * 0.0;
    return four_sum(sum_so_far(is_wide, &a) + sum_so_far(is_wide, &b)) + rest;
}

WIDE_LOOP static double noughts_wide(int n, const double *v) { return noughts(true, n, v); }

bool many_are_finite(int n, const double *v)
{
    return (PROCESSOR_IS_WIDE ? noughts_wide(n, v) : noughts(false, n, v)) == 0.0;
}

INLINE double add(bool is_wide, int n, const double *from, double c, const double *u, double *v)
{
    Sum sum = { 0 };
    double rest = 0.0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        Four x = four_at(from + i) + c * four_at(u + i);
        sum_add(is_wide, &sum, x * 0.0);
        group_to(is_wide, v + i, x);
    }
    for (; i < n; i++) rest += (v[i] = from[i] + c * u[i]) * 0.0;
    return four_sum(sum_so_far(is_wide, &sum)) + rest;
}

WIDE_LOOP static double add_wide(int n, const double *from, double c, const double *u, double *v)
{
    return add(true, n, from, c, u, v);
}

bool many_add(int n, const double *from, double c, const double *u, double *v)
{
    return (PROCESSOR_IS_WIDE ? add_wide(n, from, c, u, v) : add(false, n, from, c, u, v)) == 0.0;
}

INLINE void scale(bool is_wide, int n, double c, const double *u, double *v)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) group_to(is_wide, v + i, c * four_at(u + i));
    for (; i < n; i++) v[i] = c * u[i];
}

WIDE_LOOP static void scale_wide(int n, double c, const double *u, double *v) { scale(true, n, c, u, v); }

void many_scale(int n, double c, const double *u, double *v)
{
    if (PROCESSOR_IS_WIDE)
        scale_wide(n, c, u, v);
    else
        scale(false, n, c, u, v);
}
