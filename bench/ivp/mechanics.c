/* mechanics.c: Arenstorf's orbit, the Pleiades, Lorenz' equations (short), an elastic beam.
 * Equations as in Hairer, Norsett and Wanner, Solving ODEs I and II. */
#include "bench/ivp/problems.h"

/* Arenstorf's orbit: a satellite between earth and moon, periodic. */

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
                                   .growth = 32000,
                                   .n = 4,
                                   .t_end = 17.0652165601579625588917206249,
                                   .atol_share = 1.0,
                                   .reference = arenstorf_reference,
                                   .type = { .derivatives = arenstorf_f },
                                   .start = arenstorf_start };

/* Pleiades: seven stars in the plane; x, y, x', y'. */

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
                                  .growth = 160,
                                  .n = 4 * STARS,
                                  .t_end = 3.0,
                                  .atol_share = 1.0,
                                  .reference = pleiades_reference,
                                  .type = { .derivatives = pleiades_f },
                                  .start = pleiades_start };

/* Lorenz, while errors still stay small. */

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
                                .growth = 190,
                                .n = 3,
                                .t_end = 5.0,
                                .atol_share = 1.0,
                                .reference = lorenz_reference,
                                .type = { .derivatives = lorenz_f },
                                .start = lorenz_start };

/* Beam: 40 stiff links hanging together, pulled at the free end; angles, then their rates. */

enum { LINKS = 40 };

/* Solves the symmetric tridiagonal system with the given diagonal and off-diagonal in place. */
static void solve_tridiagonal(double *diagonal, const double *off, double *r)
{
    for (int i = 1; i < LINKS; i++) {
        double factor = off[i - 1] / diagonal[i - 1];
        diagonal[i] -= factor * off[i - 1];
        r[i] -= factor * r[i - 1];
    }
    r[LINKS - 1] /= diagonal[LINKS - 1];
    for (int i = LINKS - 2; i >= 0; i--) r[i] = (r[i] - off[i] * r[i + 1]) / diagonal[i];
}

static EvalStatus beam_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    const double n2 = LINKS * LINKS, n4 = n2 * n2;
    double pull = t < acos(-1.0) ? 1.5 * sin(t) * sin(t) : 0.0;
    double v[LINKS], u[LINKS], off_cos[LINKS], off_sin[LINKS], diagonal[LINKS];
    for (int i = 0; i < LINKS; i++) {
        double below = i ? y[i - 1] : -y[0], above = i < LINKS - 1 ? y[i + 1] : y[LINKS - 1];
        v[i] = n4 * (below - 2.0 * y[i] + above) + n2 * pull * (cos(y[i]) + sin(y[i]));
        diagonal[i] = i == 0 ? 1.0 : i == LINKS - 1 ? 3.0 : 2.0;
        off_cos[i] = i < LINKS - 1 ? -cos(y[i] - y[i + 1]) : 0.0;
        off_sin[i] = i < LINKS - 1 ? -sin(y[i] - y[i + 1]) : 0.0;
    }
    for (int i = 0; i < LINKS; i++) {
        double left = i ? -off_sin[i - 1] * v[i - 1] : 0.0,
               right = i < LINKS - 1 ? off_sin[i] * v[i + 1] : 0.0;
        u[i] = left + right + y[LINKS + i] * y[LINKS + i];
        f[i] = y[LINKS + i];
        f[LINKS + i] = diagonal[i] * v[i] + (i ? off_cos[i - 1] * v[i - 1] : 0.0) +
                       (i < LINKS - 1 ? off_cos[i] * v[i + 1] : 0.0);
    }
    solve_tridiagonal(diagonal, off_cos, u);
    for (int i = 0; i < LINKS; i++)
        f[LINKS + i] +=
            (i ? -off_sin[i - 1] * u[i - 1] : 0.0) + (i < LINKS - 1 ? off_sin[i] * u[i + 1] : 0.0);
    return EVAL_OK;
}

static void beam_start(double *y) { y[0] = 0.0; }
static const double beam_reference[] = { -0.0057923665912139131, -0.047906168597399892, -0.083352197654106869,
                                         -0.11231503954094767,   -0.13508851806098474,  -0.15210194290020523,
                                         -0.16393512381927658,   -0.17132637824406585,  -0.17517781878634492,
                                         -0.17656060975647503,   0.037473626726064468,  0.31212938224455083,
                                         0.54646778510050131,    0.74065726703757739,   0.89551754991928567,
                                         1.0128165798980489,     1.095490222013179,     1.1478180250088781,
                                         1.1754674244796177,     1.1855439097554452 };
const IvpProblem ivp_beam = { .name = "beam",
                              .growth = 1.2,
                              .n = 2 * LINKS,
                              .t_end = 5.0,
                              .stiff = true,
                              .atol_share = 1.0,
                              .reference = beam_reference,
                              .reference_stride = 4,
                              .type = { .derivatives = beam_f },
                              .start = beam_start };
