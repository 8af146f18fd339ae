/* circuits.c: electrical circuits: Van der Pol's oscillator (1e6), the ring modulator, the
 * transistor amplifier (a DAE of index 1 with a singular mass matrix). Equations as in the IVP test
 * set. */
#include "bench/ivp/problems.h"

/* Van der Pol, scaled: y2' = ((1 - y1^2) y2 - y1) 1e6. */

static EvalStatus vdpol_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    f[0] = y[1];
    f[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) * 1e6;
    return EVAL_OK;
}

static EvalStatus vdpol_jacobian(Model *m, double t, const double *y, const MatrixShape *order, double *v)
{
    (void)m, (void)t;
    model_put(order, v, 0, 1, 1.0);
    model_put(order, v, 1, 0, (-2.0 * y[0] * y[1] - 1.0) * 1e6);
    model_put(order, v, 1, 1, (1.0 - y[0] * y[0]) * 1e6);
    return EVAL_OK;
}

static void vdpol_start(double *y) { y[0] = 2.0; }
static const double vdpol_reference[] = { 1.7061677321703468, -0.8928097010252416 };
const IvpProblem ivp_vdpol = { .name = "vdpol",
                               .n = 2,
                               .t_end = 2.0,
                               .stiff = true,
                               .atol_share = 1e-4,
                               .reference = vdpol_reference,
                               .type = { .derivatives = vdpol_f, .jacobian = vdpol_jacobian },
                               .start = vdpol_start };

/* Ring modulator: 15 equations, oscillations of very different frequency. */

static EvalStatus ringmod_f(Model *m, double t, const double *y, double *f)
{
    (void)m;
    const double pi = acos(-1.0), c = 1.6e-8, cs = 2e-12, cp = 1e-8, r = 25000.0, lh = 4.45, ls1 = 0.002,
                 ls23 = 5e-4;
    const double rg1 = 36.3, rg23 = 17.3, ri = 50.0, rc = 600.0, rp = 50.0;
    double in1 = 0.5 * sin(2e3 * pi * t), in2 = 2.0 * sin(2e4 * pi * t), q[4];
    double u[4] = { y[2] - y[4] - y[6] - in2, -y[3] + y[5] - y[6] - in2, y[3] + y[4] + y[6] + in2,
                    -y[2] - y[5] + y[6] + in2 };
    for (int k = 0; k < 4; k++) {
        if (17.7493332 * u[k] > 300.0) return EVAL_RETRY;
        q[k] = 40.67286402e-9 * expm1(17.7493332 * u[k]);
    }
    f[0] = (y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / r) / c;
    f[1] = (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / r) / c;
    f[2] = (y[9] - q[0] + q[3]) / cs;
    f[3] = (-y[10] + q[1] - q[2]) / cs;
    f[4] = (y[11] + q[0] - q[2]) / cs;
    f[5] = (-y[12] - q[1] + q[3]) / cs;
    f[6] = (-y[6] / rp + q[0] + q[1] - q[2] - q[3]) / cp;
    f[7] = -y[0] / lh;
    f[8] = -y[1] / lh;
    f[9] = (0.5 * y[0] - y[2] - rg23 * y[9]) / ls23;
    f[10] = (-0.5 * y[0] + y[3] - rg23 * y[10]) / ls23;
    f[11] = (0.5 * y[1] - y[4] - rg23 * y[11]) / ls23;
    f[12] = (-0.5 * y[1] + y[5] - rg23 * y[12]) / ls23;
    f[13] = (-y[0] + in1 - (ri + rg1) * y[13]) / ls1;
    f[14] = (-y[1] - (rc + rg1) * y[14]) / ls1;
    return EVAL_OK;
}

static void zero_start(double *y) { y[0] = 0.0; }
static const double ringmod_reference[] = {
    -0.023390573574595251,   -0.0073674854942008062, 0.25829567112939117,    -0.40644657192352973,
    -0.40394556630419054,    0.26079667674900392,    0.11067618612623741,    2.9399043425233677e-07,
    -2.8400299293388687e-08, 0.0007267198266708389,  0.00079294871975158128, -0.00072552834949445196,
    -0.00079414019692797364, 7.0884954160378049e-05, 2.3900590756173636e-05
};
const IvpProblem ivp_ringmod = { .name = "ringmod",
                                 .n = 15,
                                 .t_end = 1e-3,
                                 .stiff = true,
                                 .atol_share = 1e-2,
                                 .reference = ringmod_reference,
                                 .type = { .derivatives = ringmod_f },
                                 .start = zero_start };

/* Transistor amplifier. */

static double diode(double u) { return 1e-6 * expm1(u / 0.026); }

static EvalStatus transamp_f(Model *m, double t, const double *y, double *f)
{
    (void)m;
    const double supply = 6.0, r0 = 1000.0, r = 9000.0, alpha = 0.99;
    double input = 0.1 * sin(200.0 * acos(-1.0) * t);
    if ((y[1] - y[2]) / 0.026 > 300.0 || (y[4] - y[5]) / 0.026 > 300.0) return EVAL_RETRY;
    double d1 = diode(y[1] - y[2]), d2 = diode(y[4] - y[5]);
    f[0] = (y[0] - input) / r0;
    f[1] = (2.0 * y[1] - supply) / r - (alpha - 1.0) * d1;
    f[2] = y[2] / r - d1;
    f[3] = (y[3] - supply) / r + alpha * d1;
    f[4] = (2.0 * y[4] - supply) / r - (alpha - 1.0) * d2;
    f[5] = y[5] / r - d2;
    f[6] = (y[6] - supply) / r + alpha * d2;
    f[7] = y[7] / r;
    return EVAL_OK;
}

static void transamp_start(double *y)
{
    y[1] = y[2] = y[4] = y[5] = 3.0;
    y[3] = y[6] = 6.0;
}
static const Entry transamp_entries[] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 }, { 2, 2 },
                                          { 3, 3 }, { 4, 3 }, { 3, 4 }, { 4, 4 }, { 5, 5 },
                                          { 6, 6 }, { 7, 6 }, { 6, 7 }, { 7, 7 } };
static const double transamp_mass[] = { -1e-6, 1e-6,  1e-6,  -1e-6, -2e-6, -3e-6, 3e-6,
                                        3e-6,  -3e-6, -4e-6, -5e-6, 5e-6,  5e-6,  -5e-6 };
static const double transamp_reference[] = { -0.5562145012262709e-2, 3.006522471903042, 2.849958788608128,
                                             2.926422536206241,      2.704617865010554, 2.761837778393145,
                                             4.770927631616772,      1.236995868091548 };
const IvpProblem ivp_transamp = { .name = "transamp",
                                  .n = 8,
                                  .t_end = 0.2,
                                  .stiff = true,
                                  .atol_share = 1e-2,
                                  .reference = transamp_reference,
                                  .mass = transamp_mass,
                                  .mass_entries = transamp_entries,
                                  .mass_count = 14,
                                  .type = { .derivatives = transamp_f },
                                  .start = transamp_start };
