/* norm.c: weights from tolerances, the weighted root-mean-square norm, and the search for bad
 * values.
 *
 * Cost: one pass over n each. Tests: tests/solve/doors_test.c. */
#include "solve/core/vectors.h"

static const double TINY_STEP = 1024.0; /* spacings of time */
enum { BEGINNING = 100 };               /* steps of a run */
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

double norm_square(int n, const double *v, const double *w)
{
    double share = n ? 1.0 / n : 0.0, sum = 0.0;
    for (int i = 0; i < n; i++) sum += (v[i] * w[i]) * (v[i] * w[i]);
    return share * sum;
}

double norm_square_of_difference(int n, const double *a, const double *b, const double *w, double *out)
{
    double share = n ? 1.0 / n : 0.0, sum = 0.0;
    for (int i = 0; i < n; i++) {
        double x = a[i] - b[i], size = x * w[i];
        out[i] = x;
        sum += size * size;
    }
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
