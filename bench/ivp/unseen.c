/* unseen.c: problems of the literature that no constant of an integrator was chosen with: they
 * judge choices, and nothing else may be tuned on them. Kepler's orbit, a forced Duffing
 * oscillator, Euler's equations of a top, a nerve's pulse (FitzHugh, Nagumo), Enright's B5,
 * Prothero and Robinson's equation, the cusp catastrophe (Hairer, Wanner), a car axis of index 3
 * (IVP test set). References: closed forms, else what two methods of different families agree
 * in. Tests: tests/bench/ivp_test.c. */
#include "bench/ivp/problems.h"

#include <math.h>

/* Kepler's orbit of eccentricity 0.9, ten times around: it ends where it began. */
enum { TURNS = 10 };

static EvalStatus kepler_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    double r = hypot(y[0], y[1]), cube = r * r * r;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] / cube;
    f[3] = -y[1] / cube;
    return EVAL_OK;
}

static void kepler_start(double *y) { y[0] = 0.1, y[1] = y[2] = 0.0, y[3] = 4.3588989435406735; }
static const double kepler_reference[] = { 0.1, 0.0, 0.0, 4.3588989435406735 };
const IvpProblem ivp_kepler = { .name = "kepler",
                                .growth = 2.8e4,
                                .n = 4,
                                .t_end = 2.0 * 3.141592653589793 * TURNS,
                                .atol_share = 1.0,
                                .reference = kepler_reference,
                                .type = { .derivatives = kepler_f },
                                .start = kepler_start };

/* Duffing: y'' + 0.2 y' + y^3 = 0.3 cos t. */
static EvalStatus duffing_f(Model *m, double t, const double *y, double *f)
{
    (void)m;
    f[0] = y[1];
    f[1] = 0.3 * cos(t) - 0.2 * y[1] - y[0] * y[0] * y[0];
    return EVAL_OK;
}

static void duffing_start(double *y) { y[0] = 1.0, y[1] = 0.0; }
static const double duffing_reference[] = { -0.93481777628627, -0.90557151202809 };
const IvpProblem ivp_duffing = { .name = "duffing",
                                 .n = 2,
                                 .t_end = 60.0,
                                 .atol_share = 1.0,
                                 .reference = duffing_reference,
                                 .type = { .derivatives = duffing_f },
                                 .start = duffing_start };

/* Euler's equations of a free top: y1' = (I2 - I3) y2 y3 and so on, Jacobi's elliptic functions. */
static EvalStatus top_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    f[0] = y[1] * y[2];
    f[1] = -y[0] * y[2];
    f[2] = -0.51 * y[0] * y[1];
    return EVAL_OK;
}

static void top_start(double *y) { y[0] = 0.0, y[1] = y[2] = 1.0; }
static const double top_reference[] = { 0.53710241109, -0.84351704191, 0.92351270159 };
const IvpProblem ivp_top = { .name = "top",
                             .n = 3,
                             .t_end = 100.0,
                             .atol_share = 1.0,
                             .reference = top_reference,
                             .type = { .derivatives = top_f },
                             .start = top_start };

/* A nerve that fires again and again. */
static EvalStatus nerve_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    f[0] = 100.0 * (y[0] - y[0] * y[0] * y[0] / 3.0 - y[1] + 0.5);
    f[1] = 0.08 * (y[0] + 0.7 - 0.8 * y[1]);
    return EVAL_OK;
}

static EvalStatus nerve_jacobian(Model *m, double t, const double *y, const MatrixShape *order, double *v)
{
    (void)m, (void)t;
    model_put(order, v, 0, 0, 100.0 * (1.0 - y[0] * y[0]));
    model_put(order, v, 0, 1, -100.0);
    model_put(order, v, 1, 0, 0.08);
    model_put(order, v, 1, 1, -0.064);
    return EVAL_OK;
}

static void nerve_start(double *y) { y[0] = -1.0, y[1] = 1.0; }
static const double nerve_reference[] = { 1.0874872779525, 1.1620968141381 };
const IvpProblem ivp_nerve = { .name = "nerve",
                               .n = 2,
                               .t_end = 200.0,
                               .stiff = true,
                               .atol_share = 1.0,
                               .reference = nerve_reference,
                               .type = { .derivatives = nerve_f, .jacobian = nerve_jacobian },
                               .start = nerve_start };

/* B5: linear, with a pair of eigenvalues -10 +- 100 i. */
static EvalStatus b5_f(Model *m, double t, const double *y, double *f)
{
    static const double rate[] = { -4.0, -1.0, -0.5, -0.1 };
    (void)m, (void)t;
    f[0] = -10.0 * y[0] + 100.0 * y[1];
    f[1] = -100.0 * y[0] - 10.0 * y[1];
    for (int i = 0; i < 4; i++) f[2 + i] = rate[i] * y[2 + i];
    return EVAL_OK;
}

static void b5_start(double *y)
{
    for (int i = 0; i < 6; i++) y[i] = 1.0;
}
static const double b5_reference[] = {
    0.0, 0.0, 4.248354255291589e-18, 4.5399929762484854e-05, 0.006737946999085467, 0.36787944117144233
};
const IvpProblem ivp_b5 = { .name = "b5",
                            .n = 6,
                            .t_end = 10.0,
                            .stiff = true,
                            .atol_share = 1.0,
                            .reference = b5_reference,
                            .type = { .derivatives = b5_f },
                            .start = b5_start };

/* Prothero and Robinson: y' = -1e5 (y - sin t) + cos t, and a clock that adds up. */
static EvalStatus robinson_f(Model *m, double t, const double *y, double *f)
{
    (void)m;
    f[0] = -1e5 * (y[0] - sin(t)) + cos(t);
    f[1] = y[0] * y[1];
    return EVAL_OK;
}

static void robinson_start(double *y) { y[0] = 0.0, y[1] = 1.0; }
static const double robinson_reference[] = { -0.5440211108893698, 6.2906948214839264 }; /* exp(1 - cos 10) */
const IvpProblem ivp_robinson = { .name = "robinson",
                                  .n = 2,
                                  .t_end = 10.0,
                                  .stiff = true,
                                  .atol_share = 1.0,
                                  .reference = robinson_reference,
                                  .type = { .derivatives = robinson_f },
                                  .start = robinson_start };

/* CUSP: a nerve, a cusp and Van der Pol's oscillator on a ring of 32 cells. */
enum { CELLS = 32 };

static EvalStatus cusp_f(Model *m, double t, const double *y, double *f)
{
    const double d = CELLS * CELLS / 144.0;
    (void)m, (void)t;
    for (int i = 0; i < CELLS; i++) {
        const double *c = y + 3 * i, *l = y + 3 * ((i + CELLS - 1) % CELLS), *r = y + 3 * ((i + 1) % CELLS);
        double u = (c[0] - 0.7) * (c[0] - 1.3), v = u / (u + 0.1);
        double *g = f + 3 * i;
        g[0] = -1e4 * (c[0] * c[0] * c[0] + c[1] * c[0] + c[2]) + d * (l[0] - 2.0 * c[0] + r[0]);
        g[1] = c[2] + 0.07 * v + d * (l[1] - 2.0 * c[1] + r[1]);
        g[2] = (1.0 - c[1] * c[1]) * c[2] - c[1] - 0.4 * c[0] + 0.035 * v + d * (l[2] - 2.0 * c[2] + r[2]);
    }
    return EVAL_OK;
}

static void cusp_start(double *y)
{
    for (int i = 0; i < CELLS; i++) {
        double angle = 2.0 * 3.141592653589793 * (i + 1) / CELLS;
        y[3 * i] = 0.0;
        y[3 * i + 1] = -2.0 * cos(angle);
        y[3 * i + 2] = 2.0 * sin(angle);
    }
}
static const double cusp_reference[] = { -1.335038235173, 1.516881284522,  -0.1906047489148,
                                         1.239043542405,  -1.473056296837, -0.0199805961577 };
const IvpProblem ivp_cusp = { .name = "cusp",
                              .n = 3 * CELLS,
                              .t_end = 1.1,
                              .stiff = true,
                              .atol_share = 1.0,
                              .reference = cusp_reference,
                              .reference_stride = 16,
                              .type = { .derivatives = cusp_f },
                              .start = cusp_start };

/* Car axis: two wheels, the left one on a bumpy road, joined to a chassis by rods and springs;
 * unknowns are four places, their velocities and two forces. */
static EvalStatus axis_f(Model *m, double t, const double *y, double *f)
{
    const double l0 = 0.5, mass = 5e-4, height = 0.1, pulse = 10.0; /* mass: eps^2 M / 2 */
    double yb = height * sin(pulse * t), xb = sqrt(1.0 - yb * yb), dx = y[0] - y[2], dy = y[1] - y[3];
    double left = hypot(y[0], y[1]), right = hypot(y[2] - xb, y[3] - yb);
    (void)m;
    for (int i = 0; i < 4; i++) f[i] = y[4 + i];
    f[4] = (l0 - left) * y[0] / left + y[8] * xb + 2.0 * y[9] * dx;
    f[5] = (l0 - left) * y[1] / left + y[8] * yb + 2.0 * y[9] * dy - mass;
    f[6] = (l0 - right) * (y[2] - xb) / right - 2.0 * y[9] * dx;
    f[7] = (l0 - right) * (y[3] - yb) / right - 2.0 * y[9] * dy - mass;
    f[8] = xb * y[0] + yb * y[1];
    f[9] = dx * dx + dy * dy - 1.0;
    return EVAL_OK;
}

static void axis_start(double *y)
{
    static const double start[] = { 0.0, 0.5, 1.0, 0.5, -0.5, 0.0, -0.5, 0.0, 0.0, 0.0 };
    for (int i = 0; i < 10; i++) y[i] = start[i];
}
static const double axis_mass[] = { 1.0, 1.0, 1.0, 1.0, 5e-4, 5e-4, 5e-4, 5e-4, 0.0, 0.0 };
static const unsigned char axis_index[] = { 1, 1, 1, 1, 2, 2, 2, 2, 3, 3 };
/* velocities and forces are of lower order, and not measured */
static const double axis_reference[] = { 0.04934557842760, 0.49698946023083, 1.04174252488513,
                                         0.37391102726317 };
const IvpProblem ivp_axis = { .name = "car_axis",
                              .n = 10,
                              .t_end = 3.0,
                              .stiff = true,
                              .atol_share = 1.0,
                              .reference = axis_reference,
                              .reference_count = 4,
                              .type = { .derivatives = axis_f },
                              .mass = axis_mass,
                              .index = axis_index,
                              .start = axis_start };
