/* squeezer.c: Andrews' squeezing mechanism: seven rigid bodies in the plane, driven by a constant
 * torque, as a DAE of index 3. Unknowns: seven angles q, their rates v, their accelerations w, six
 * multipliers: q' = v, v' = w, 0 = M(q) w - f(q, v) + G(q)^T lambda, 0 = g(q). With g
 * differentiated twice, 0 = G(q) w + g_qq(v, v), the index is 1; solved for w and lambda it is an
 * ordinary equation for q and v. Equations and data as in Hairer and Wanner, Solving ODEs II,
 * VII.7. */
#include "bench/ivp/problems.h"

enum { BODIES = 7, LOOPS = 6 };
enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON };

static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705, m6 = 0.00706,
                    m7 = 0.05498;
static const double i1 = 2.194e-6, i2 = 4.41e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7,
                    i7 = 1.912e-5;
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
static const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035;
static const double sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916;
static const double u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421;
static const double stiffness = 4530.0, rest_length = 0.07785, torque = 0.033;

static void mass_times(const double *q, const double *w, double *r)
{
    double ct = cos(q[THETA]), sp = sin(q[PHI]), so = sin(q[OMEGA]), a = e - ea, b = zf - fa;
    double m21 = m2 * (da * da - da * rr * ct) + i2, m54 = m4 * (a * a + zt * a * sp) + i4;
    double m76 = m6 * (b * b - u * b * so) + i6;
    r[0] = (m1 * ra * ra + m2 * (rr * rr - 2.0 * da * rr * ct + da * da) + i1 + i2) * w[0] + m21 * w[1];
    r[1] = m21 * w[0] + (m2 * da * da + i2) * w[1];
    r[2] = (m3 * (sa * sa + sb * sb) + i3) * w[2];
    r[3] = (m4 * a * a + i4) * w[3] + m54 * w[4];
    r[4] =
        m54 * w[3] + (m4 * (zt * zt + 2.0 * zt * a * sp + a * a) + m5 * (ta * ta + tb * tb) + i4 + i5) * w[4];
    r[5] = (m6 * b * b + i6) * w[5] + m76 * w[6];
    r[6] = m76 * w[5] + (m6 * (b * b - 2.0 * u * b * so + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7) * w[6];
}

static void subtract_forces(const double *q, const double *v, double *r)
{
    double sg = sin(q[GAMMA]), cg = cos(q[GAMMA]), a = e - ea, b = zf - fa;
    double xd = sd * cg + sc * sg + xb, yd = sd * sg - sc * cg + yb, length = hypot(xd - xc, yd - yc);
    double force = -stiffness * (length - rest_length) / length, fx = force * (xd - xc),
           fy = force * (yd - yc);
    r[0] -= torque - m2 * da * rr * v[THETA] * (v[THETA] + 2.0 * v[BETA]) * sin(q[THETA]);
    r[1] -= m2 * da * rr * v[BETA] * v[BETA] * sin(q[THETA]);
    r[2] -= fx * (sc * cg - sd * sg) + fy * (sd * cg + sc * sg);
    r[3] -= m4 * zt * a * v[DELTA] * v[DELTA] * cos(q[PHI]);
    r[4] += m4 * zt * a * v[PHI] * (v[PHI] + 2.0 * v[DELTA]) * cos(q[PHI]);
    r[5] += m6 * u * b * v[EPSILON] * v[EPSILON] * cos(q[OMEGA]);
    r[6] -= m6 * u * b * v[OMEGA] * (v[OMEGA] + 2.0 * v[EPSILON]) * cos(q[OMEGA]);
}

/* r += G^T l, and the loop equations themselves. Loops come in pairs (x, y) that share the crank's
 * point. */
static void close_loops(const double *q, const double *l, double *r, double *g)
{
    double bt = q[BETA] + q[THETA], pd = q[PHI] + q[DELTA], oe = q[OMEGA] + q[EPSILON];
    double px = rr * cos(q[BETA]) - d * cos(bt), py = rr * sin(q[BETA]) - d * sin(bt);
    double lx = l[0] + l[2] + l[4], ly = l[1] + l[3] + l[5];
    g[0] = px - ss * sin(q[GAMMA]) - xb;
    g[1] = py + ss * cos(q[GAMMA]) - yb;
    g[2] = px - e * sin(pd) - zt * cos(q[DELTA]) - xa;
    g[3] = py + e * cos(pd) - zt * sin(q[DELTA]) - ya;
    g[4] = px - zf * cos(oe) - u * sin(q[EPSILON]) - xa;
    g[5] = py - zf * sin(oe) + u * cos(q[EPSILON]) - ya;
    r[0] += -py * lx + px * ly;
    r[1] += d * sin(bt) * lx - d * cos(bt) * ly;
    r[2] += -ss * cos(q[GAMMA]) * l[0] - ss * sin(q[GAMMA]) * l[1];
    r[3] += -e * cos(pd) * l[2] - e * sin(pd) * l[3];
    r[4] += (-e * cos(pd) + zt * sin(q[DELTA])) * l[2] + (-e * sin(pd) - zt * cos(q[DELTA])) * l[3];
    r[5] += zf * sin(oe) * l[4] - zf * cos(oe) * l[5];
    r[6] += (zf * sin(oe) - u * cos(q[EPSILON])) * l[4] + (-zf * cos(oe) - u * sin(q[EPSILON])) * l[5];
}

static EvalStatus squeezer_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    const double *q = y, *v = y + BODIES, *w = y + 2 * BODIES, *l = y + 3 * BODIES;
    memcpy(f, v, 2 * BODIES * sizeof *f);
    mass_times(q, w, f + 2 * BODIES);
    subtract_forces(q, v, f + 2 * BODIES);
    close_loops(q, l, f + 2 * BODIES, f + 3 * BODIES);
    return EVAL_OK;
}

/* The loop equations differentiated twice: G w + g_qq(v, v). */
static void bend_loops(const double *q, const double *v, const double *w, double *g)
{
    double bt = q[BETA] + q[THETA], pd = q[PHI] + q[DELTA], oe = q[OMEGA] + q[EPSILON];
    double vbt = v[BETA] + v[THETA], vpd = v[PHI] + v[DELTA], voe = v[OMEGA] + v[EPSILON];
    double wbt = w[BETA] + w[THETA], wpd = w[PHI] + w[DELTA], woe = w[OMEGA] + w[EPSILON];
    double b2 = v[BETA] * v[BETA], g2 = v[GAMMA] * v[GAMMA], d2 = v[DELTA] * v[DELTA],
           e2 = v[EPSILON] * v[EPSILON];
    double px =
        -rr * (sin(q[BETA]) * w[BETA] + cos(q[BETA]) * b2) + d * (sin(bt) * wbt + cos(bt) * vbt * vbt);
    double py = rr * (cos(q[BETA]) * w[BETA] - sin(q[BETA]) * b2) - d * (cos(bt) * wbt - sin(bt) * vbt * vbt);
    g[0] = px - ss * (cos(q[GAMMA]) * w[GAMMA] - sin(q[GAMMA]) * g2);
    g[1] = py - ss * (sin(q[GAMMA]) * w[GAMMA] + cos(q[GAMMA]) * g2);
    g[2] =
        px - e * (cos(pd) * wpd - sin(pd) * vpd * vpd) + zt * (sin(q[DELTA]) * w[DELTA] + cos(q[DELTA]) * d2);
    g[3] =
        py - e * (sin(pd) * wpd + cos(pd) * vpd * vpd) - zt * (cos(q[DELTA]) * w[DELTA] - sin(q[DELTA]) * d2);
    g[4] = px + zf * (sin(oe) * woe + cos(oe) * voe * voe) -
           u * (cos(q[EPSILON]) * w[EPSILON] - sin(q[EPSILON]) * e2);
    g[5] = py - zf * (cos(oe) * woe - sin(oe) * voe * voe) -
           u * (sin(q[EPSILON]) * w[EPSILON] + cos(q[EPSILON]) * e2);
}

static EvalStatus squeezer1_f(Model *model, double t, const double *y, double *f)
{
    squeezer_f(model, t, y, f);
    bend_loops(y, y + BODIES, y + 2 * BODIES, f + 3 * BODIES);
    return EVAL_OK;
}

enum { DYNAMIC = 2 * BODIES, INNER = BODIES + LOOPS };

/* Solves the INNER equations a x = b in place, with row exchanges. False: a is singular. */
static bool solve_inner(double a[INNER][INNER], double *b)
{
    for (int k = 0; k < INNER; k++) {
        int best = k;
        for (int i = k + 1; i < INNER; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        if (a[best][k] == 0.0) return false;
        for (int j = 0; j < INNER; j++) {
            double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (int i = k + 1; i < INNER; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < INNER; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = INNER - 1; k >= 0; k--) {
        for (int j = k + 1; j < INNER; j++) b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    return true;
}

/* The equations are linear in w and lambda: their columns are differences from those at 0. */
static EvalStatus squeezer0_f(Model *model, double t, const double *y, double *f)
{
    double full[DYNAMIC + INNER] = { 0 }, r0[DYNAMIC + INNER], r[DYNAMIC + INNER], a[INNER][INNER], x[INNER];
    memcpy(full, y, DYNAMIC * sizeof *full);
    squeezer1_f(model, t, full, r0);
    for (int j = 0; j < INNER; j++) {
        full[DYNAMIC + j] = 1.0;
        squeezer1_f(model, t, full, r);
        full[DYNAMIC + j] = 0.0;
        for (int i = 0; i < INNER; i++) a[i][j] = r[DYNAMIC + i] - r0[DYNAMIC + i];
    }
    for (int i = 0; i < INNER; i++) x[i] = -r0[DYNAMIC + i];
    if (!solve_inner(a, x)) return EVAL_RETRY;
    memcpy(f, y + BODIES, BODIES * sizeof *f);
    memcpy(f + BODIES, x, BODIES * sizeof *f);
    return EVAL_OK;
}

static void squeezer0_start(double *y)
{
    static const double q[BODIES] = { -0.0617138900142764496358948458001, 0.0,
                                      0.455279819163070380255912382449,   0.222668390165885884674473185609,
                                      0.487364979543842550225598953530,   -0.222668390165885884674473185609,
                                      1.23054744454982119249735015568 };
    memcpy(y, q, sizeof q);
}

static void squeezer_start(double *y)
{
    squeezer0_start(y);
    y[2 * BODIES] = 14222.4439199541138705911625887;
    y[2 * BODIES + 1] = -10666.8329399655854029433719415;
    y[3 * BODIES] = 98.5668703962410896057654982170;
    y[3 * BODIES + 1] = -6.12268834425566265503114393122;
}

static const double squeezer_mass[3 * BODIES + LOOPS] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
static const unsigned char squeezer_index[3 * BODIES + LOOPS] = { 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2,
                                                                  3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3 };
static const double squeezer_reference[] = { 15.81077119515374, -15.75637105841185, 0.04082224011964,
                                             -0.53473011634208, 0.52440996587995,   0.53473011634208,
                                             1.04808074104194 };
const IvpProblem ivp_squeezer = { .name = "squeezer",
                                  .n = 3 * BODIES + LOOPS,
                                  .t_end = 0.03,
                                  .stiff = true,
                                  .atol_share = 1.0,
                                  .reference = squeezer_reference,
                                  .reference_count = BODIES,
                                  .mass = squeezer_mass,
                                  .index = squeezer_index,
                                  .type = { .derivatives = squeezer_f },
                                  .start = squeezer_start };
const IvpProblem ivp_squeezer1 = { .name = "squeezer_index1",
                                   .n = 3 * BODIES + LOOPS,
                                   .t_end = 0.03,
                                   .stiff = true,
                                   .atol_share = 1.0,
                                   .reference = squeezer_reference,
                                   .reference_count = BODIES,
                                   .mass = squeezer_mass,
                                   .type = { .derivatives = squeezer1_f },
                                   .start = squeezer_start };
const IvpProblem ivp_squeezer0 = { .name = "squeezer_ode",
                                   .growth = 1.3,
                                   .n = DYNAMIC,
                                   .t_end = 0.03,
                                   .atol_share = 1.0,
                                   .reference = squeezer_reference,
                                   .reference_count = BODIES,
                                   .type = { .derivatives = squeezer0_f },
                                   .start = squeezer0_start };
