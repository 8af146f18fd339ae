/* newton.c: when a simplified Newton iteration is good enough, and when it is hopeless. Fed with the norms
 * of updates; the formulas are in inside.h and in Hairer and Wanner, Solving ODEs II, IV.8. Tests:
 * tests/solve/doors_test.c. */
#include "solve/inside.h"

static const double LEAST_ONE_MINUS_THETA = 1e-6;
static const double NO_GAIN = 0.9; /* a slow rate is no standstill */

/* The rate of the last solve counts less in this one. */
static double faded(double eta) { return pow(larger(eta, UROUND), 0.8); }

void newton_start(Newton *newton)
{
    newton->iterations = 0;
    newton->theta = newton->theta_old = newton->norm_old = 0.0;
}

/* The first update is judged by the rate of the last solve, faded: eta^0.8 norm <= kappa, to the tenth power, which needs neither a root nor a
 * power to wait for. */
static NewtonVerdict watch_first(Newton *newton, double square)
{
    double eta = larger(newton->eta, UROUND), eta2 = eta * eta, eta4 = eta2 * eta2;
    double kappa2 = newton->kappa * newton->kappa, kappa4 = kappa2 * kappa2, fourth = square * square;
    bool done = fourth * fourth * (square * (eta4 * eta4)) <= kappa4 * kappa4 * kappa2;
    newton->norm_old = sqrt(square);
    if (!done && square > newton->enough * newton->enough)
        return newton->most > 1 ? NEWTON_GO_ON : NEWTON_SLOW;
    newton->eta = faded(newton->eta);
    return NEWTON_DONE;
}

/* Whether eta norm <= kappa after the second update, d^2 <= kappa (d_old - d), without a root or a quotient to wait for: a wrong
 * guess of the processor, which are many here, costs as much as the iteration. */
static bool is_done_at_two(const Newton *newton, double square)
{
    double spare = newton->kappa * newton->norm_old - square;
    return spare >= 0.0 && spare * spare >= newton->kappa * newton->kappa * square;
}

/* The same later: theta norm <= kappa (1 - theta), of which theta^2 is norm times the pace. */
static bool is_done_later(const Newton *newton, double norm)
{
    double sum = norm + newton->kappa;
    return norm * newton->pace * (sum * sum) <= newton->kappa * newton->kappa;
}

NewtonVerdict newton_watch_square(Newton *newton, double square)
{
    int m = ++newton->iterations;
    if (!isfinite(square)) {
        newton->suggestion = 0.25;
        return NEWTON_DIVERGES;
    }
    if (m == 1) return watch_first(newton, square);
    double norm = sqrt(square), ratio = norm / larger(newton->norm_old, DBL_MIN);
    bool done = m == 2 ? is_done_at_two(newton, square) : is_done_later(newton, norm);
    double theta = m == 2 ? ratio : sqrt(ratio * newton->theta_old),
           rest = larger(1.0 - theta, LEAST_ONE_MINUS_THETA);
    newton->theta = theta;
    newton->theta_old = ratio;
    newton->norm_old = norm;
    newton->suggestion = 0.5;
    if (square <= newton->enough * newton->enough) {
        if (m == 2) newton->eta = faded(newton->eta);
        return NEWTON_DONE;
    }
    newton->eta = theta / rest;
    if (done) return NEWTON_DONE;
    newton->pace = ratio / larger(norm, DBL_MIN);
    bool gains = ratio < NO_GAIN && m < newton->most, is_early = m <= newton->patience;
    if (norm <= newton->stalled && ratio > 0.5 && !gains) return NEWTON_DONE;
    if (theta >= 0.99 && theta * norm <= newton->kappa * LEAST_ONE_MINUS_THETA) return NEWTON_DONE;
    if (theta >= 0.99 && !is_early) return NEWTON_DIVERGES;
    if (m == newton->most) return NEWTON_SLOW;
    double left = times_power(norm / (1.0 - theta), theta, newton->most - m);
    /* with a fixed step there is nothing else to try, and the first rates are those of a start from far away */
    is_early |= newton->stalled > 0.0 && m < newton->most / 4;
    if (left <= newton->kappa || norm <= newton->stalled || is_early) return NEWTON_GO_ON;
    double excess = fmax(1e-4, fmin(20.0, left / newton->kappa));
    newton->suggestion = 0.8 * pow(excess, -1.0 / (4.0 + newton->most - m));
    return NEWTON_SLOW;
}

NewtonVerdict newton_watch(Newton *newton, double norm) { return newton_watch_square(newton, norm * norm); }
