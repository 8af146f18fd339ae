/* newton.h: the rate of simplified Newton iterations, and what is asked of them with fixed
 * steps. */
#ifndef ACAUSAL_SOLVE_NEWTON_H
#define ACAUSAL_SOLVE_NEWTON_H

#include "solve/core/vectors.h"

/* Watches the norms of successive Newton updates d_1, d_2, ...: theta = d_m / d_(m-1); converged
 * when eta d_m <= kappa with eta = theta / (1 - theta); given up when theta >= 1 or when d_m
 * theta^(left)/(1 - theta) > kappa says that the iterations left will not do. */
typedef enum { NEWTON_GO_ON, NEWTON_DONE, NEWTON_SLOW, NEWTON_DIVERGES } NewtonVerdict;

typedef struct {
    double kappa;  /* share of the tolerance that iteration errors may take */
    int most;      /* iterations */
    double enough; /* updates of this norm are rounding errors: done, whatever their rate */
    /* iterations before it is given up: derivatives follow the solution one behind */
    int patience;
    double stalled; /* so are those up to this norm that shrink no more */
    /* since newton_start: */
    int iterations;
    double theta, eta, norm_old, theta_old;
    /* theta_old / norm_old: the next ratio times theta_old is the next norm times this */
    double pace;
    double suggestion; /* after SLOW: the factor on h that would have converged in time */
} Newton;

#define NEWTON_NO_GAIN 0.9     /* a slow rate is no standstill */
#define NEWTON_LEAST_REST 1e-6 /* of 1 - theta */

/* eta starts from the last step's to the power 0.8 (as in RADAU5), since the first update alone has
 * no rate. */
static inline void newton_start(Newton *newton)
{
    newton->iterations = 0;
    newton->theta = newton->theta_old = newton->norm_old = 0.0;
}
/* Ends of newton_watch that are rarer: an update that is not finite; one that is enough by the rate
 * of the last solve, which fades, or is made of rounding errors; one after which it is not clear
 * that the iterations left will do. */
NewtonVerdict newton_lost(Newton *newton);
NewtonVerdict newton_fade(Newton *newton);
NewtonVerdict newton_doubt(Newton *newton, double ratio);

/* The first update is judged by the rate of the last solve, faded: eta^0.8 norm <= kappa, to the
 * tenth power, which needs neither a root nor a power to wait for. */
static inline NewtonVerdict newton_watch_first(Newton *newton, double square)
{
    double eta = larger(newton->eta, UROUND), eta2 = eta * eta, eta4 = eta2 * eta2;
    double kappa2 = newton->kappa * newton->kappa, kappa4 = kappa2 * kappa2, fourth = square * square;
    bool done = fourth * fourth * (square * (eta4 * eta4)) <= kappa4 * kappa4 * kappa2;
    newton->norm_old = sqrt(square);
    if (done | (square <= newton->enough * newton->enough)) return newton_fade(newton);
    return newton->most > 1 ? NEWTON_GO_ON : NEWTON_SLOW;
}

/* Whether eta norm <= kappa after the second update, d^2 <= kappa (d_old - d), without a root or a
 * quotient to wait for. */
static inline bool newton_is_done_at_two(const Newton *newton, double square)
{
    double spare = newton->kappa * newton->norm_old - square;
    return (spare >= 0.0) & (spare * spare >= newton->kappa * newton->kappa * square);
}

/* The same later: theta norm <= kappa (1 - theta), of which theta^2 is norm times the pace. */
static inline bool newton_is_done_later(const Newton *newton, double norm)
{
    double sum = norm + newton->kappa;
    return norm * newton->pace * (sum * sum) <= newton->kappa * newton->kappa;
}

/* With the square of the norm. All that is made of it is made before it is asked whether it is
 * enough: that cannot be foreseen, and what is done between a wrong guess and the next evaluation
 * is waited for. */
static inline NewtonVerdict newton_watch_square(Newton *newton, double square)
{
    int m = ++newton->iterations;
    if (!(square <= DBL_MAX)) return newton_lost(newton);
    if (m == 1) return newton_watch_first(newton, square);
    double norm = sqrt(square), ratio = norm / larger(newton->norm_old, DBL_MIN);
    bool done = m == 2 ? newton_is_done_at_two(newton, square) : newton_is_done_later(newton, norm);
    double theta = m == 2 ? ratio : sqrt(ratio * newton->theta_old), rest = 1.0 - theta;
    double eta = theta / larger(rest, NEWTON_LEAST_REST), square_of_theta = theta * theta;
    bool is_rounding = square <= newton->enough * newton->enough;
    /* four more would do, and there are as many */
    bool is_clear = (norm * (square_of_theta * square_of_theta) <= newton->kappa * rest) &
                    (larger(theta, ratio) < NEWTON_NO_GAIN) & (m + 4 <= newton->most);
    newton->theta = theta;
    newton->theta_old = ratio;
    newton->norm_old = norm;
    newton->pace = ratio / larger(norm, DBL_MIN);
    newton->suggestion = 0.5;
    if (is_rounding) return m == 2 ? newton_fade(newton) : NEWTON_DONE;
    newton->eta = eta;
    return done ? NEWTON_DONE : is_clear ? NEWTON_GO_ON : newton_doubt(newton, ratio);
}
static inline NewtonVerdict newton_watch(Newton *newton, double norm)
{
    return newton_watch_square(newton, norm * norm);
}

/* With fixed steps there are no tolerances: Newton goes nearly to rounding, in weights
 * 1/(FIXED_RTOL (|y|
 * + 1)). */
#define FIXED_RTOL 1e-13
#define FIXED_KAPPA 0.05
#define FIXED_ENOUGH (20.0 * UROUND / FIXED_RTOL)
enum { FIXED_NEWTON = 50 };
void fixed_weights(const Solver *s, double *w);
/* Derivatives of the solution carry its rounding errors amplified. */
static inline int newton_patience(const Solver *s)
{
    return s->model->shape.systems <= 1 ? 0 : s->options.fixed_step > 0.0 ? 15 : 4;
}
static inline double fixed_stalled(const Solver *s)
{
    return (s->model->shape.systems > 1 ? 1e-4 : 1e-8) / FIXED_RTOL;
}

#endif
