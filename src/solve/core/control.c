/* control.c: how large the next step is. Pure functions of the error history; the formulas are in
 * control.h. Sources: Gustafsson 1991 and 1994; Hairer and Wanner, Solving ODEs II, IV.8;
 * Soederlind 2003. Tests: tests/solve/doors_test.c. */
#include "solve/core/control.h"
#include "solve/core/vectors.h"

static const double LEAST_ERROR = 1e-10; /* an error of 0 says nothing about how far one could go */

/* x^(1/k); roots are faster than powers. */
static double root(double x, double k)
{
    double half = sqrt(x);
    return k == 2.0 ? half : k == 4.0 ? sqrt(half) : k == 8.0 ? sqrt(sqrt(half)) : pow(x, 1.0 / k);
}

/* What the factor is safety times the k-th root of. Both factors of the predictive controller are
 * under one root: of 1/e, and of (h/h_old)^k e_old/e^2. */
static double under_root(const Control *c, double h, double error)
{
    double inverse = 1.0 / error;
    if (c->kind != CONTROL_PREDICTIVE || !c->has_history) return inverse;
    int whole = (int)c->k;
    double ratio = h / c->h_old, power = times_power(c->error_old, ratio, whole);
    if (c->k > whole && ratio != 1.0) power *= pow(ratio, c->k - whole);
    return inverse * smaller(1.0, power * inverse);
}

/* Whether that factor is one that becomes 1, by its k-th power: the next step need not wait for a
 * root then. */
static bool is_held(const Control *c, double x, double safety)
{
    int whole = (int)c->k;
    if (c->k > whole || c->hold_low >= c->hold_high) return false;
    double power = x * times_power(1.0, safety, whole);
    return power >= times_power(1.0, c->hold_low, whole) &&
           (c->after_reject || power <= times_power(1.0, c->hold_high, whole));
}

static double factor_accepted(const Control *c, double h, double error, double safety)
{
    if (c->has_history && c->kind == CONTROL_PI) /* one exponential instead of two powers */
        return safety * exp(c->beta * log(c->error_old) - (1.0 / c->k - 0.75 * c->beta) * log(error));
    if (c->has_history && c->kind == CONTROL_FILTER)
        return pow(safety, 0.5) * pow(error, -0.25 / c->k) * pow(c->error_old, -0.25 / c->k) *
               pow(h / c->h_old, -0.25);
    double x = under_root(c, h, error);
    return is_held(c, x, safety) ? 1.0 : safety * root(x, c->k);
}

double control_accepted(Control *c, double h, double error, double safety)
{
    double e = larger(error, LEAST_ERROR);
    double factor = factor_accepted(c, h, e, safety > 0.0 ? safety : c->safety);
    factor = larger(c->least, smaller(c->after_reject ? 1.0 : c->most, factor));
    c->error_old = larger(error, c->kind == CONTROL_PREDICTIVE ? 1e-2 : 1e-4);
    c->h_old = h;
    c->has_history = true;
    c->after_reject = false;
    if (factor >= c->hold_low && factor <= c->hold_high) factor = 1.0;
    return h * factor;
}

double control_rejected(Control *c, double h, double error, double safety)
{
    double factor = (safety > 0.0 ? safety : c->safety) * root(1.0 / error, c->k);
    c->after_reject = true;
    return h * fmax(c->least, fmin(0.9, factor));
}

void control_restart(Control *c) { c->has_history = c->after_reject = false; }
