/* norm.c: weights from tolerances, the weighted root-mean-square norm, and the search for bad values.
 *
 * Cost: one pass over n each. Tests: tests/solve/doors_test.c. */
#include "solve/inside.h"

static const double TINY_STEP = 1024.0; /* spacings of time */
enum { BEGINNING = 100 };               /* steps of a run */

static bool weight_fault(Solver *s, int i, double y)
{
    solver_fail(s, FAIL_TOLERANCE, 0.0, i,
                y == 0.0 ? "the absolute tolerance is 0 where the solution is 0"
                         : "the tolerance asks for more digits than a double has");
    return false;
}

bool solver_weights(Solver *s, const double *y, double *w) { return solver_weights_of_two(s, y, y, w); }

bool solver_weights_of_two(Solver *s, const double *a, const double *b, double *w)
{
    double rtol = s->options.rtol;
    bool ok = true;
    for (int i = 0; i < s->n; i++) {
        double one = fabs(a[i]), other = fabs(b[i]),
               size = one > other ? one : other; /* fmax would be a call */
        double tolerance = rtol * size + s->atol[i];
        ok &= tolerance > UROUND * size;
        w[i] = 1.0 / tolerance;
    }
    if (ok) return true;
    for (int i = 0; i < s->n; i++) {
        double size = fmax(fabs(a[i]), fabs(b[i]));
        if (!(rtol * size + s->atol[i] > UROUND * size)) return weight_fault(s, i, size);
    }
    return true;
}

bool is_tiny_step(double t, double h) { return fabs(h) < TINY_STEP * UROUND * fabs(t); }

bool solver_weights_of_tiny_step(Solver *s, double h, const double *change, double *w)
{
    bool begins = s->stats.steps < BEGINNING; /* steps are tiny then for another reason */
    if (begins || !is_tiny_step(s->core.t, h) || s->options.fixed_step > 0.0) return true;
    for (int i = 0; i < s->n; i++) w[i] = fabs(s->y[i]) + fabs(change[i]);
    return solver_weights_of_two(s, w, w, w);
}

void fixed_weights(const Solver *s, double *w)
{
    double rtol = s->options.rtol;
    for (int i = 0; i < s->n; i++) {
        double small = rtol > 0.0 && s->atol[i] > 0.0 ? fmin(1.0, s->atol[i] / rtol) : 1.0;
        w[i] = 1.0 / (FIXED_RTOL * (fabs(s->y[i]) + small));
    }
}

/* Four sums side by side: one alone would wait for each addition. */
double norm_square(int n, const double *v, const double *w)
{
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        a += (v[i] * w[i]) * (v[i] * w[i]);
        b += (v[i + 1] * w[i + 1]) * (v[i + 1] * w[i + 1]);
        c += (v[i + 2] * w[i + 2]) * (v[i + 2] * w[i + 2]);
        d += (v[i + 3] * w[i + 3]) * (v[i + 3] * w[i + 3]);
    }
    for (; i < n; i++) a += (v[i] * w[i]) * (v[i] * w[i]);
    return n ? (a + b + c + d) / n : 0.0;
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

bool many_are_finite(int n, const double *v)
{
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        a += v[i] * 0.0;
        b += v[i + 1] * 0.0;
        c += v[i + 2] * 0.0;
        d += v[i + 3] * 0.0;
    }
    for (; i < n; i++) a += v[i] * 0.0;
    return a + b + c + d == 0.0;
}
