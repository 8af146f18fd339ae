/* newton.c: when a simplified Newton iteration is good enough, and when it is hopeless. Fed with the norms
 * of updates; the formulas are in inside.h and in Hairer and Wanner, Solving ODEs II, IV.8. Tests:
 * tests/solve/doors_test.c. */
#include "solve/inside.h"

static const double LEAST_ONE_MINUS_THETA = 1e-6;
static const double NO_GAIN = 0.9; /* a slow rate is no standstill */

void newton_start(Newton *newton)
{
    newton->iterations = 0;
    newton->theta = newton->theta_old = newton->norm_old = 0.0;
    newton->eta = exp(0.8 * log(fmax(newton->eta, UROUND)));
}

NewtonVerdict newton_watch(Newton *newton, double norm)
{
    int m = ++newton->iterations;
    if (!isfinite(norm)) {
        newton->suggestion = 0.25;
        return NEWTON_DIVERGES;
    }
    if (norm <= newton->enough) return NEWTON_DONE;
    if (m > 1) {
        double ratio = norm / fmax(newton->norm_old, DBL_MIN);
        newton->theta = m == 2 ? ratio : sqrt(ratio * newton->theta_old);
        newton->theta_old = ratio;
        newton->suggestion = 0.5;
        bool gains = ratio < NO_GAIN && m < newton->most;
        if (ratio > 0.5 && norm <= newton->stalled && !gains) return NEWTON_DONE;
        bool is_early = m <= newton->patience;
        if (newton->theta >= 0.99 && !is_early) return NEWTON_DIVERGES;
        newton->eta = newton->theta / fmax(1.0 - newton->theta, LEAST_ONE_MINUS_THETA);
        double left = norm / (1.0 - newton->theta);
        for (int k = m; k < newton->most; k++) left *= newton->theta;
        /* with a fixed step there is nothing else to try, and the first rates are those of a start from far away */
        is_early |= newton->stalled > 0.0 && m < newton->most / 4;
        if (m < newton->most && left > newton->kappa && norm > newton->stalled && !is_early) {
            double excess = fmax(1e-4, fmin(20.0, left / newton->kappa));
            newton->suggestion = 0.8 * pow(excess, -1.0 / (4.0 + newton->most - m));
            return NEWTON_SLOW;
        }
    }
    newton->norm_old = norm;
    if (newton->eta * norm <= newton->kappa) return NEWTON_DONE;
    return m < newton->most ? NEWTON_GO_ON : NEWTON_SLOW;
}
