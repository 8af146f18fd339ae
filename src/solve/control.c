/* control.c: how large the next step is. Pure functions of the error history; the formulas are in inside.h.
 * Sources: Gustafsson 1991 and 1994; Hairer and Wanner, Solving ODEs II, IV.8; Soederlind 2003.
 * Tests: tests/solve/doors_test.c. */
#include "solve/inside.h"

static const double LEAST_ERROR = 1e-10; /* an error of 0 says nothing about how far one could go */

/* x^(1/k); roots are faster than powers. */
static double root(double x, double k)
{
    double half = sqrt(x);
    return k == 2.0 ? half : k == 4.0 ? sqrt(half) : k == 8.0 ? sqrt(sqrt(half)) : pow(x, 1.0 / k);
}

static double integral(const Control *c, double error, double safety)
{
    return safety * root(1.0 / error, c->k);
}

/* Both factors under one root: of 1/e, and of (h/h_old)^k e_old/e^2. */
static double predictive(const Control *c, double ratio, double error, double safety)
{
    int whole = (int)c->k;
    double power = times_power(c->error_old, ratio, whole), inverse = 1.0 / error;
    if (c->k > whole && ratio != 1.0) power *= pow(ratio, c->k - whole);
    return safety * root(inverse * smaller(1.0, power * inverse), c->k);
}

static double factor_accepted(const Control *c, double h, double error, double safety)
{
    if (!c->has_history) return integral(c, error, safety);
    switch (c->kind) {
    case CONTROL_PI: /* one exponential instead of two powers */
        return safety * exp(c->beta * log(c->error_old) - (1.0 / c->k - 0.75 * c->beta) * log(error));
    case CONTROL_PREDICTIVE: return predictive(c, h / c->h_old, error, safety);
    case CONTROL_FILTER:
        return pow(safety, 0.5) * pow(error, -0.25 / c->k) * pow(c->error_old, -0.25 / c->k) *
               pow(h / c->h_old, -0.25);
    default: return integral(c, error, safety);
    }
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
    double factor = integral(c, error, safety > 0.0 ? safety : c->safety);
    c->after_reject = true;
    return h * fmax(c->least, fmin(0.9, factor));
}

void control_restart(Control *c) { c->has_history = c->after_reject = false; }
