/* mechanics.c: motion without stiffness: Arenstorf's orbit, the Pleiades, Lorenz' equations (short). Equations as in
 * Hairer, Norsett and Wanner, Solving ODEs I. */
#include "bench/ivp/problems.h"

/* ---- Arenstorf's orbit: a satellite between earth and moon, periodic ---------------------------------------------- */

static EvalStatus arenstorf_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    const double m = 0.012277471, m1 = 1.0 - m;
    double e = y[0] + m, l = y[0] - m1, de = e * e + y[1] * y[1], dl = l * l + y[1] * y[1];
    de *= sqrt(de);
    dl *= sqrt(dl);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = y[0] + 2.0 * y[3] - m1 * e / de - m * l / dl;
    f[3] = y[1] - 2.0 * y[2] - m1 * y[1] / de - m * y[1] / dl;
    return EVAL_OK;
}

static void arenstorf_start(double *y)
{
    y[0] = 0.994;
    y[3] = -2.00158510637908252240537862224;
}
static const double arenstorf_reference[] = { 0.994, 0.0, 0.0, -2.00158510637908252240537862224 };
const IvpProblem ivp_arenstorf = { .name = "arenstorf",
                                   .n = 4,
                                   .t_end = 17.0652165601579625588917206249,
                                   .atol_share = 1.0,
                                   .reference = arenstorf_reference,
                                   .type = { .derivatives = arenstorf_f },
                                   .start = arenstorf_start };

/* ---- Pleiades: seven stars in the plane; x, y, x', y' ---------------------------------------------------------------- */

enum { STARS = 7 };

static EvalStatus pleiades_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    for (int i = 0; i < 2 * STARS; i++) {
        f[i] = y[2 * STARS + i];
        f[2 * STARS + i] = 0.0;
    }
    for (int i = 0; i < STARS; i++)
        for (int j = 0; j < STARS; j++) {
            if (i == j) continue;
            double dx = y[j] - y[i], dy = y[STARS + j] - y[STARS + i], r = dx * dx + dy * dy;
            r *= sqrt(r);
            f[2 * STARS + i] += (j + 1) * dx / r;
            f[3 * STARS + i] += (j + 1) * dy / r;
        }
    return EVAL_OK;
}

static void pleiades_start(double *y)
{
    static const double start[4 * STARS] = { 3, 3, -1, -3, 2, -2,   2,    3, -3, 2, 0,     0, -4, 4,
                                             0, 0, 0,  0,  0, 1.75, -1.5, 0, 0,  0, -1.25, 1, 0,  0 };
    memcpy(y, start, sizeof start);
}
static const double pleiades_reference[] = {
    0.37061391439792934,  3.2372840920584478,   -3.2225590324236215,  0.65970914557737115,
    0.34255817072052247,  1.5621721014003542,   -0.70030929222260629, -3.9434375855180219,
    -3.2713809739724131,  5.225081843450794,    -2.5906124349776349,  1.1982136933923186,
    -0.24296823449359006, 1.0914492404315568,   3.4170038063162762,   1.3545845016265501,
    -2.5900655978117104,  2.0250537347138899,   -1.1558151001420212,  -0.80729881702221296,
    0.59523963540764957,  -3.7412449612346736,  0.37734596857499436,  0.93868588695094135,
    0.36679222271959477,  -0.34740463537886046, 2.3449154481815881,   -1.9470204342631103
};
const IvpProblem ivp_pleiades = { .name = "pleiades",
                                  .n = 4 * STARS,
                                  .t_end = 3.0,
                                  .atol_share = 1.0,
                                  .reference = pleiades_reference,
                                  .type = { .derivatives = pleiades_f },
                                  .start = pleiades_start };

/* ---- Lorenz, while errors still stay small ----------------------------------------------------------------------------- */

static EvalStatus lorenz_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = 10.0 * (y[1] - y[0]);
    f[1] = y[0] * (28.0 - y[2]) - y[1];
    f[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
    return EVAL_OK;
}

static void lorenz_start(double *y) { y[0] = -8.0, y[1] = 8.0, y[2] = 27.0; }
static const double lorenz_reference[] = { 12.533626739321239, 6.8491337923753921, 37.529874087712422 };
const IvpProblem ivp_lorenz = { .name = "lorenz",
                                .n = 3,
                                .t_end = 5.0,
                                .atol_share = 1.0,
                                .reference = lorenz_reference,
                                .type = { .derivatives = lorenz_f },
                                .start = lorenz_start };
