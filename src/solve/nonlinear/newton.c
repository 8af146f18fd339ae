/* newton.c: when a simplified Newton iteration is good enough, and when it is hopeless: what
 * newton_watch, which is in newton.h as it has to be quick, does not decide by itself. The formulas
 * are there and in Hairer and Wanner, Solving ODEs II, IV.8. Tests: tests/solve/doors_test.c,
 * combine_test.c. */
#include "solve/nonlinear/newton.h"

/* x^(4/5) as x times x^(-1/5), x > 0, to 2e-15. An exponent of -1/5 is a fifth of its bits taken
 * from 6/5 of those of 1, which is 3 % off at most; two rounds with (1 - r)^(-1/5) up to r^3 do the
 * rest. Methods that are done after one update come here every time, and pow costs twice as
 * much. */
static double to_four_fifths(double x)
{
    static const uint64_t SIX_FIFTHS = 0x4cb8a8c154c98400u;
    uint64_t bits;
    double y;
    memcpy(&bits, &x, sizeof bits);
    bits = SIX_FIFTHS - bits / 5;
    memcpy(&y, &bits, sizeof y);
    for (int round = 0; round < 2; round++) {
        double square = y * y, r = 1.0 - (x * y) * (square * square);
        y += y * r * (0.2 + r * (0.12 + 0.088 * r));
    }
    return x * y;
}

NewtonVerdict newton_fade(Newton *newton)
{
    newton->eta = to_four_fifths(larger(newton->eta, UROUND));
    return NEWTON_DONE;
}

NewtonVerdict newton_lost(Newton *newton)
{
    newton->suggestion = 0.25;
    return NEWTON_DIVERGES;
}

NewtonVerdict newton_doubt(Newton *newton, double ratio)
{
    int m = newton->iterations;
    double norm = newton->norm_old, theta = newton->theta;
    bool gains = ratio < NEWTON_NO_GAIN && m < newton->most, is_early = m <= newton->patience;
    if (norm <= newton->stalled && ratio > 0.5 && !gains) return NEWTON_DONE;
    if (theta >= 0.99 && theta * norm <= newton->kappa * NEWTON_LEAST_REST) return NEWTON_DONE;
    if (theta >= 0.99 && !is_early) return NEWTON_DIVERGES;
    if (m == newton->most) return NEWTON_SLOW;
    double left = times_power(norm / (1.0 - theta), theta, newton->most - m);
    /* with a fixed step there is nothing else to try, and the first rates are those of a start from
     * far away */
    is_early |= newton->stalled > 0.0 && m < newton->most / 4;
    if (left <= newton->kappa || norm <= newton->stalled || is_early) return NEWTON_GO_ON;
    double excess = fmax(1e-4, fmin(20.0, left / newton->kappa));
    newton->suggestion = 0.8 * pow(excess, -1.0 / (4.0 + newton->most - m));
    return NEWTON_SLOW;
}

void fixed_weights(const Solver *s, double *w)
{
    double rtol = s->options.rtol;
    for (int i = 0; i < s->n; i++) {
        double small = rtol > 0.0 && s->atol[i] > 0.0 ? fmin(1.0, s->atol[i] / rtol) : 1.0;
        w[i] = 1.0 / (FIXED_RTOL * (fabs(s->y[i]) + small));
    }
}
