/* erk.c: the explicit Runge-Kutta method of Dormand and Prince, order 5 with error estimate of
 * order 4, for co-simulation.
 *
 * Coefficients: Dormand, Prince, J. Comp. Appl. Math. 6 (1980) 19-26; the continuous extension of
 * order 4: Hairer, Norsett, Wanner, Solving ODEs I, II.6. The last stage is the first of the next
 * step. Tests: tests/unit/integrate_test.c. */
#include "unit/unit.h"

#include <math.h>
#include <string.h>

enum { STAGES = 7, T_OLD = 0, H_OLD, HAS_F, HEAD };

static const double c[STAGES] = { 0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1 };
static const double a[STAGES][6] = {
    { 0 },
    { 1.0 / 5 },
    { 3.0 / 40, 9.0 / 40 },
    { 44.0 / 45, -56.0 / 15, 32.0 / 9 },
    { 19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729 },
    { 9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656 },
    { 35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84 },
};
static const double e[STAGES] = { 71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                  -17253.0 / 339200, 22.0 / 525, -1.0 / 40 };
static const double d[STAGES] = { -12715105075.0 / 11282082432,  0,
                                  87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                  701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                  69997945.0 / 29380423 };

static size_t room_of(int n) { return HEAD + 13 * (size_t)n; }

static double norm(const UnitProblem *p, const double *v, const double *y, const double *z)
{
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
        double size = fmax(fabs(y[i]), fabs(z[i])), q = v[i] / (p->scale[i] + p->rtol * size);
        sum += q * q;
    }
    return p->n ? sqrt(sum / p->n) : 0;
}

static RunStatus stages(const UnitProblem *p, double *k, double t, const double *y, double h, double *y_new)
{
    int n = p->n;
    for (int s = 1; s < STAGES; s++) {
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < s; j++) sum += a[s][j] * k[j * n + i];
            y_new[i] = y[i] + h * sum;
        }
        RunStatus status = run_derivatives(p->run, t + c[s] * h, y_new, k + s * n);
        if (status != RUN_OK) return status;
    }
    return RUN_OK;
}

/* The step with which Euler's method would be as accurate as asked for, a little less. */
static double first_step(const UnitProblem *p, const double *k, const double *y, double longest)
{
    double size = norm(p, y, y, y), slope = norm(p, k, y, y);
    double h = size < 1e-5 || slope < 1e-5 ? 1e-6 * longest : 0.01 * size / slope;
    return fmin(h, longest);
}

static void make_dense(double *room, const double *k, const double *y, const double *y_new, double h, int n)
{
    double *dense = room + HEAD + STAGES * n;
    for (int i = 0; i < n; i++) {
        double change = y_new[i] - y[i], bend = h * k[i] - change, sum = 0;
        for (int j = 0; j < STAGES; j++) sum += d[j] * k[j * n + i];
        dense[i] = y[i];
        dense[n + i] = change;
        dense[2 * n + i] = bend;
        dense[3 * n + i] = change - h * k[6 * n + i] - bend;
        dense[4 * n + i] = h * sum;
    }
}

static RunStatus step(const UnitProblem *p, double *room, double t, const double *y, double *h, double limit,
                      double *t_new, double *y_new)
{
    int n = p->n;
    double *k = room + HEAD, *error = room + HEAD + 12 * (size_t)n, growth = 5, longest = limit - t;
    RunStatus status = room[HAS_F] != 0 ? RUN_OK : run_derivatives(p->run, t, y, k);
    if (status != RUN_OK) return status;
    room[HAS_F] = 1;
    if (!(*h > 0)) *h = first_step(p, k, y, longest);
    double least = unit_least_step(t), own = fmin(fmax(*h, least), longest);
    for (;;) {
        if (own < least && own < longest) return status == RUN_OK ? RUN_FATAL : status;
        if (own > 0.99 * longest) own = longest;
        status = stages(p, k, t, y, own, y_new);
        double err = 1e10;
        for (int i = 0; status == RUN_OK && i < n; i++) {
            double sum = 0;
            for (int j = 0; j < STAGES; j++) sum += e[j] * k[j * n + i];
            error[i] = own * sum;
        }
        if (status == RUN_FATAL) return status;
        if (status == RUN_OK) err = norm(p, error, y, y_new);
        double factor = isfinite(err) ? fmin(growth, fmax(0.2, 0.9 * pow(fmax(err, 1e-10), -0.2))) : 0.1;
        if (status == RUN_OK && err <= 1) {
            /* A step that was cut by its limit says nothing against the one that was wanted. */
            *h = own < *h ? fmax(*h, own * factor) : own * factor;
            *t_new = own == longest ? limit : t + own;
            make_dense(room, k, y, y_new, own, n);
            memcpy(k, k + 6 * n, (size_t)n * sizeof *k);
            room[T_OLD] = t;
            room[H_OLD] = *t_new - t;
            return RUN_OK;
        }
        growth = 1;
        own *= status == RUN_OK ? factor : 0.25;
        *h = own;
    }
}

static void interpolate(const UnitProblem *p, const double *room, double t, double *y)
{
    int n = p->n;
    const double *dense = room + HEAD + STAGES * (size_t)n;
    double s = room[H_OLD] != 0 ? (t - room[T_OLD]) / room[H_OLD] : 1, r = 1 - s;
    for (int i = 0; i < n; i++)
        y[i] = dense[i] +
               s * (dense[n + i] + r * (dense[2 * n + i] + s * (dense[3 * n + i] + r * dense[4 * n + i])));
}

static void restart(const UnitProblem *p, double *room)
{
    (void)p;
    room[HAS_F] = 0;
}

const UnitMethod unit_erk = { "dopri5", room_of, step, interpolate, restart, NULL, 0 };
