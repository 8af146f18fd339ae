/* chemistry.c: reaction kinetics: Robertson (also as a DAE), OREGO, HIRES, Pollution, E5, the
 * Brusselator with diffusion in one and two dimensions, Medical Akzo Nobel, Chemical Akzo Nobel.
 * Equations as in Hairer and Wanner, Solving ODEs II, and in the IVP test set. */
#include "bench/ivp/problems.h"

/* Robertson: three species, rates from 0.04 to 3e7, to t = 4e10. */

static EvalStatus robertson_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[2] = 3e7 * y[1] * y[1];
    f[1] = -f[0] - f[2];
    return EVAL_OK;
}

static EvalStatus robertson_jacobian(Model *m, double t, const double *y, const MatrixShape *order, double *v)
{
    (void)t;
    double slow = 1e4 * y[2], cross = 1e4 * y[1], fast = 6e7 * y[1];
    bool dae = m->shape.mass != NULL;
    model_put(order, v, 0, 0, -0.04);
    model_put(order, v, 0, 1, slow);
    model_put(order, v, 0, 2, cross);
    model_put(order, v, 1, 0, 0.04);
    model_put(order, v, 1, 1, -slow - fast);
    model_put(order, v, 1, 2, -cross);
    for (int j = 0; j < 3; j++) model_put(order, v, 2, j, dae ? 1.0 : j == 1 ? fast : 0.0);
    return EVAL_OK;
}

static EvalStatus robertson_dae_f(Model *m, double t, const double *y, double *f)
{
    robertson_f(m, t, y, f);
    f[2] = y[0] + y[1] + y[2] - 1.0;
    return EVAL_OK;
}

static void robertson_start(double *y) { y[0] = 1.0; }
static const double robertson_shares[] = { 1e-8, 1e-14, 1e-2 };
static const double robertson_mass[] = { 1.0, 1.0, 0.0 };
static const double robertson_reference[] = { 5.2083451767989334e-08, 2.0833381779253669e-13,
                                              0.99999994791633984 };
const IvpProblem ivp_robertson = { .name = "robertson",
                                   .n = 3,
                                   .t_end = 4e10,
                                   .stiff = true,
                                   .atol_shares = robertson_shares,
                                   .reference = robertson_reference,
                                   .type = { .derivatives = robertson_f, .jacobian = robertson_jacobian },
                                   .start = robertson_start };
const IvpProblem ivp_robertson_dae = { .name = "robertson_dae",
                                       .n = 3,
                                       .t_end = 4e10,
                                       .stiff = true,
                                       .atol_shares = robertson_shares,
                                       .reference = robertson_reference,
                                       .mass = robertson_mass,
                                       .type = { .derivatives = robertson_dae_f,
                                                 .jacobian = robertson_jacobian },
                                       .start = robertson_start };

/* OREGO: the Belousov-Zhabotinskii reaction. */

static EvalStatus orego_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    f[0] = 77.27 * (y[1] + y[0] * (1.0 - 8.375e-6 * y[0] - y[1]));
    f[1] = (y[2] - (1.0 + y[0]) * y[1]) / 77.27;
    f[2] = 0.161 * (y[0] - y[2]);
    return EVAL_OK;
}

static EvalStatus orego_jacobian(Model *m, double t, const double *y, const MatrixShape *order, double *v)
{
    (void)m, (void)t;
    model_put(order, v, 0, 0, 77.27 * (1.0 - 2.0 * 8.375e-6 * y[0] - y[1]));
    model_put(order, v, 0, 1, 77.27 * (1.0 - y[0]));
    model_put(order, v, 1, 0, -y[1] / 77.27);
    model_put(order, v, 1, 1, -(1.0 + y[0]) / 77.27);
    model_put(order, v, 1, 2, 1.0 / 77.27);
    model_put(order, v, 2, 0, 0.161);
    model_put(order, v, 2, 2, -0.161);
    return EVAL_OK;
}

static void orego_start(double *y)
{
    for (int i = 0; i < 3; i++) y[i] = i + 1.0;
}
static const double orego_reference[] = { 1.0008148703184656, 1228.1785215494167, 132.05549428445718 };
const IvpProblem ivp_orego = { .name = "orego",
                               .growth = 5.9,
                               .n = 3,
                               .t_end = 360.0,
                               .stiff = true,
                               .atol_share = 1.0,
                               .reference = orego_reference,
                               .type = { .derivatives = orego_f, .jacobian = orego_jacobian },
                               .start = orego_start };

/* HIRES: growth of plants under light. */

static EvalStatus hires_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    double r = 280.0 * y[5] * y[7];
    f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    f[1] = 1.71 * y[0] - 8.75 * y[1];
    f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    f[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
    f[5] = -r + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    f[6] = r - 1.81 * y[6];
    f[7] = -f[6];
    return EVAL_OK;
}

static void hires_start(double *y)
{
    y[0] = 1.0;
    y[7] = 0.0057;
}
static const double hires_reference[] = { 0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4,
                                          0.1175651343283149e-2, 0.2386356198831331e-2, 0.6238968252742796e-2,
                                          0.2849998395185769e-2, 0.2850001604814231e-2 };
const IvpProblem ivp_hires = { .name = "hires",
                               .growth = 3,
                               .n = 8,
                               .t_end = 321.8122,
                               .stiff = true,
                               .atol_share = 1e-4,
                               .reference = hires_reference,
                               .type = { .derivatives = hires_f },
                               .start = hires_start };

/* Pollution: 25 reactions of 20 species in the air. */

static const double pollution_rates[] = { 0.35,  26.6,   1.23e4, 8.6e-4, 8.2e-4,  1.5e4,  1.3e-4,
                                          2.4e4, 1.65e4, 9e3,    0.022,  1.2e4,   1.88,   1.63e4,
                                          4.8e6, 3.5e-4, 0.0175, 1e8,    4.44e11, 1240.0, 2.1,
                                          5.78,  0.0474, 1780.0, 3.12 };
/* Reactants of each reaction; -1: only one. */
static const signed char pollution_reactants[][2] = {
    { 0, -1 },  { 1, 3 },   { 4, 1 },   { 6, -1 },  { 6, -1 }, { 6, 5 },  { 8, -1 },  { 8, 5 },  { 10, 1 },
    { 10, 0 },  { 12, -1 }, { 9, 1 },   { 13, -1 }, { 0, 5 },  { 2, -1 }, { 3, -1 },  { 3, -1 }, { 15, -1 },
    { 15, -1 }, { 16, 5 },  { 18, -1 }, { 18, -1 }, { 0, 3 },  { 18, 0 }, { 19, -1 },
};

static EvalStatus pollution_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    double r[26];
    for (int k = 0; k < 25; k++) {
        const signed char *of = pollution_reactants[k];
        r[k + 1] = pollution_rates[k] * y[of[0]] * (of[1] >= 0 ? y[of[1]] : 1.0);
    }
    f[0] = -r[1] - r[10] - r[14] - r[23] - r[24] + r[2] + r[3] + r[9] + r[11] + r[12] + r[22] + r[25];
    f[1] = -r[2] - r[3] - r[9] - r[12] + r[1] + r[21];
    f[2] = -r[15] + r[1] + r[17] + r[19] + r[22];
    f[3] = -r[2] - r[16] - r[17] - r[23] + r[15];
    f[4] = -r[3] + 2.0 * r[4] + r[6] + r[7] + r[13] + r[20];
    f[5] = -r[6] - r[8] - r[14] - r[20] + r[3] + 2.0 * r[18];
    f[6] = -r[4] - r[5] - r[6] + r[13];
    f[7] = r[4] + r[5] + r[6] + r[7];
    f[8] = -r[7] - r[8];
    f[9] = -r[12] + r[7] + r[9];
    f[10] = -r[9] - r[10] + r[8] + r[11];
    f[11] = r[9];
    f[12] = -r[11] + r[10];
    f[13] = -r[13] + r[12];
    f[14] = r[14];
    f[15] = -r[18] - r[19] + r[16];
    f[16] = -r[20];
    f[17] = r[20];
    f[18] = -r[21] - r[22] - r[24] + r[23] + r[25];
    f[19] = -r[25] + r[24];
    return EVAL_OK;
}

static void pollution_start(double *y)
{
    y[1] = 0.2, y[3] = 0.04, y[6] = 0.1, y[7] = 0.3, y[8] = 0.01, y[16] = 0.007;
}
static const double pollution_reference[] = {
    0.056462554800226251,   0.13424841304223534,    4.1397343310993265e-09, 0.0055231402074855723,
    2.0189772623040102e-07, 1.4645418634952638e-07, 0.07784249118997974,    0.32450753533960153,
    0.0074940133838804247,  1.6222931573027093e-08, 1.1358638332578814e-08, 0.002230505975721336,
    0.00020871628827986028, 1.3969210168480609e-05, 0.0089648848568982236,  4.3528463693310591e-18,
    0.0068992196962634044,  0.00010078030373659362, 1.7721465139700079e-06, 5.6829432923162875e-05
};
const IvpProblem ivp_pollution = { .name = "pollution",
                                   .n = 20,
                                   .t_end = 60.0,
                                   .stiff = true,
                                   .atol_share = 1e-6,
                                   .reference = pollution_reference,
                                   .type = { .derivatives = pollution_f },
                                   .start = pollution_start };

/* E5: pyrolysis, concentrations down to 1e-22, to t = 1e13. The solution keeps y2 = y3 + y4, and
 * all of them fall from 1e-10 to 1e-22: rounding of the large values would decide what is left of
 * the small ones. So y3' has y3 + y4 where it might have y2; the solution is the same, and what is
 * off y2 = y3 + y4 decays as y2 itself. */

static EvalStatus e5_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    double r1 = 7.89e-10 * y[0], r2 = 1.1e7 * y[0] * y[2], loss = 1.13e9 * y[2], r4 = 1.13e3 * y[3];
    f[0] = -r1 - r2;
    f[1] = r1 - loss * y[1];
    f[2] = r1 - r2 - loss * (y[2] + y[3]) + r4;
    f[3] = r2 - r4;
    return EVAL_OK;
}

static void e5_start(double *y) { y[0] = 1.76e-3; }
static const double e5_reference[] = { 0, 8.8612335212910714e-23, 8.8612335212910714e-23, 0 };
const IvpProblem ivp_e5 = { .name = "e5",
                            .n = 4,
                            .t_end = 1e13,
                            .stiff = true,
                            .atol_share = 1e-24,
                            .reference = e5_reference,
                            .type = { .derivatives = e5_f },
                            .start = e5_start };

/* Brusselator with diffusion in one dimension: 500 points, u and v in turn. */

enum { BRUSS_POINTS = 500 };

/* f = reaction c_slow + diffusion c_fast. */
static void bruss_parts(const double *y, double c_slow, double c_fast, double *f)
{
    const double diffusion = c_fast * (BRUSS_POINTS + 1.0) * (BRUSS_POINTS + 1.0) / 50.0;
    for (int i = 0; i < BRUSS_POINTS; i++) {
        double u = y[2 * i], v = y[2 * i + 1], uuv = u * u * v;
        double ul = i ? y[2 * i - 2] : 1.0, vl = i ? y[2 * i - 1] : 3.0;
        double ur = i < BRUSS_POINTS - 1 ? y[2 * i + 2] : 1.0, vr = i < BRUSS_POINTS - 1 ? y[2 * i + 3] : 3.0;
        f[2 * i] = c_slow * (1.0 + uuv - 4.0 * u) + diffusion * (ul - 2.0 * u + ur);
        f[2 * i + 1] = c_slow * (3.0 * u - uuv) + diffusion * (vl - 2.0 * v + vr);
    }
}

static EvalStatus bruss_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    bruss_parts(y, 1.0, 1.0, f);
    return EVAL_OK;
}

static EvalStatus bruss_split(Model *m, double t, const double *y, double *slow, double *fast)
{
    (void)m, (void)t;
    if (slow) bruss_parts(y, 1.0, 0.0, slow);
    if (fast) bruss_parts(y, 0.0, 1.0, fast);
    return EVAL_OK;
}

static const Pattern *bruss_pattern(Arena *arena)
{
    VEC(Entry) entries = { 0 };
    for (int i = 0; i < 2 * BRUSS_POINTS; i++) {
        for (int d = -2; d <= 2; d += 2)
            if (i + d >= 0 && i + d < 2 * BRUSS_POINTS) vec_push(arena, &entries, ((Entry){ i, i + d }));
        vec_push(arena, &entries, ((Entry){ i, i ^ 1 }));
    }
    return pattern_of_entries(arena, 2 * BRUSS_POINTS, 2 * BRUSS_POINTS, entries.at, entries.n);
}

static void bruss_start(double *y)
{
    for (int i = 0; i < BRUSS_POINTS; i++) {
        y[2 * i] = 1.0 + sin(2.0 * acos(-1.0) * (i + 1) / (BRUSS_POINTS + 1.0));
        y[2 * i + 1] = 3.0;
    }
}
static const double bruss_reference[] = {
    0.99482519789713431, 0.86787422594412789, 0.75291970456625246, 0.65690040924685522, 0.58176942099689999,
    0.52596652899871399, 0.48629418804165525, 0.45932707354072372, 0.4421719551471972,  0.43275331207551077,
    0.42985746249666679, 0.43310182005517894, 0.44291638226053376, 0.46056199045436264, 0.48815597702200336,
    0.52861309069663409, 0.58533189742326663, 0.66139921239963995, 0.7581622587289476,  0.87339989459699774
};
const IvpProblem ivp_bruss1d = { .name = "bruss1d_500",
                                 .n = 2 * BRUSS_POINTS,
                                 .t_end = 10.0,
                                 .stiff = true,
                                 .atol_share = 1.0,
                                 .reference = bruss_reference,
                                 .reference_stride = 50,
                                 .type = { .derivatives = bruss_f, .split = bruss_split },
                                 .pattern = bruss_pattern,
                                 .start = bruss_start };

/* Brusselator with diffusion in the plane: 32 x 32 points, periodic, a push at t = 1.1. */

enum { BRUSS2 = 32 };

static int bruss2_place(int i, int j, int part)
{
    return 2 * (((i + BRUSS2) % BRUSS2) + BRUSS2 * ((j + BRUSS2) % BRUSS2)) + part;
}

static EvalStatus bruss2_f(Model *m, double t, const double *y, double *f)
{
    (void)t;
    bool pushed = *(const int *)m->data > 0;
    const double diffusion = 0.1 * BRUSS2 * BRUSS2;
    for (int j = 0; j < BRUSS2; j++)
        for (int i = 0; i < BRUSS2; i++) {
            double x = (double)i / BRUSS2 - 0.3, z = (double)j / BRUSS2 - 0.6;
            double push = pushed && x * x + z * z <= 0.01 ? 5.0 : 0.0;
            double spread[2];
            for (int part = 0; part < 2; part++)
                spread[part] =
                    diffusion * (y[bruss2_place(i - 1, j, part)] + y[bruss2_place(i + 1, j, part)] +
                                 y[bruss2_place(i, j - 1, part)] + y[bruss2_place(i, j + 1, part)] -
                                 4.0 * y[bruss2_place(i, j, part)]);
            double u = y[bruss2_place(i, j, 0)], v = y[bruss2_place(i, j, 1)];
            f[bruss2_place(i, j, 0)] = 1.0 + u * u * v - 4.4 * u + spread[0] + push;
            f[bruss2_place(i, j, 1)] = 3.4 * u - u * u * v + spread[1];
        }
    return EVAL_OK;
}

static const Pattern *bruss2_pattern(Arena *arena)
{
    static const int near[][2] = { { 0, 0 }, { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
    VEC(Entry) entries = { 0 };
    int n = 2 * BRUSS2 * BRUSS2;
    for (int j = 0; j < BRUSS2; j++)
        for (int i = 0; i < BRUSS2; i++)
            for (int part = 0; part < 2; part++) {
                int row = bruss2_place(i, j, part);
                for (size_t k = 0; k < COUNT_OF(near); k++)
                    vec_push(arena, &entries,
                             ((Entry){ row, bruss2_place(i + near[k][0], j + near[k][1], part) }));
                vec_push(arena, &entries, ((Entry){ row, row ^ 1 }));
            }
    return pattern_of_entries(arena, n, n, entries.at, entries.n);
}

static void bruss2_start(double *y)
{
    for (int j = 0; j < BRUSS2; j++)
        for (int i = 0; i < BRUSS2; i++) {
            double x = (double)i / BRUSS2, z = (double)j / BRUSS2;
            y[bruss2_place(i, j, 0)] = 22.0 * z * pow(1.0 - z, 1.5);
            y[bruss2_place(i, j, 1)] = 27.0 * x * pow(1.0 - x, 1.5);
        }
}
static const double bruss2_reference[] = {
    0.38181926761149804, 4.2105042749832133,  0.39353338418306671, 4.2109806731296286,  0.39505545892824823,
    4.2096690139971926,  0.38250213625323431, 4.2015671833583417,  0.38593503808670071, 4.1990681152690357,
    0.48301836493007916, 4.208434408371855,   0.78927831964864392, 4.2082963320003204,  0.47113593991826891,
    4.1974262787433485,  0.38902789196637155, 4.1991013425712627,  0.39343806638826012, 4.2092220628484247
};
static const double bruss2_stops[] = { 1.1 };
const IvpProblem ivp_bruss2d = { .name = "bruss2d_32",
                                 .stops = bruss2_stops,
                                 .stop_count = 1,
                                 .n = 2 * BRUSS2 * BRUSS2,
                                 .t_end = 4.0,
                                 .stiff = true,
                                 .atol_share = 1.0,
                                 .reference = bruss2_reference,
                                 .reference_stride = 103,
                                 .type = { .derivatives = bruss2_f },
                                 .pattern = bruss2_pattern,
                                 .start = bruss2_start };

/* Medical Akzo Nobel: an antibody moves into tissue; the inflow stops at t = 5. */

enum { MEDAKZO_POINTS = 200 };

static EvalStatus medakzo_f(Model *m, double t, const double *y, double *f)
{
    (void)t;
    const double dz = 1.0 / MEDAKZO_POINTS, c2 = 16.0, inflow = *(const int *)m->data == 0 ? 2.0 : 0.0;
    for (int j = 0; j < MEDAKZO_POINTS; j++) {
        double z = (j + 1) * dz - 1.0, alpha = 2.0 * z * z * z / c2, beta = z * z * z * z / c2;
        double u = y[2 * j], left = j ? y[2 * j - 2] : inflow;
        double right = j < MEDAKZO_POINTS - 1 ? y[2 * j + 2] : u, reaction = 100.0 * u * y[2 * j + 1];
        f[2 * j] =
            alpha * (right - left) / (2.0 * dz) + beta * (left - 2.0 * u + right) / (dz * dz) - reaction;
        f[2 * j + 1] = -reaction;
    }
    return EVAL_OK;
}

static const Pattern *medakzo_pattern(Arena *arena)
{
    VEC(Entry) entries = { 0 };
    int n = 2 * MEDAKZO_POINTS;
    for (int i = 0; i < n; i++) {
        for (int d = -2; d <= 2 && i % 2 == 0; d += 2)
            if (i + d >= 0 && i + d < n) vec_push(arena, &entries, ((Entry){ i, i + d }));
        vec_push(arena, &entries, ((Entry){ i, i ^ 1 }));
        vec_push(arena, &entries, ((Entry){ i, i }));
    }
    return pattern_of_entries(arena, n, n, entries.at, entries.n);
}

static void medakzo_start(double *y)
{
    for (int j = 0; j < MEDAKZO_POINTS; j++) y[2 * j + 1] = 1.0;
}
static const double medakzo_reference[] = {
    5.1139838580500903e-06, 5.8968404275874613e-05, 0.0001172444756456275,  0.00017851769198398134,
    0.00024004133235941188, 0.00029702103187404677, 0.00034163363007440426, 0.00036189715942207138,
    0.00034092852589279405, 0.00025828073898371976, 9.7747012017336126e-05, 1.0575544141493012e-07,
    2.0773242070819859e-12, 2.5543503748483964e-18, 7.126950462627186e-26,  1.1018180166203827e-35,
    1.3831767270336732e-48, 9.8385316892667458e-66, 6.344584164073916e-89,  7.6557001257580545e-122
};
static const double medakzo_stops[] = { 5.0 };
const IvpProblem ivp_medakzo = { .name = "medakzo",
                                 .n = 2 * MEDAKZO_POINTS,
                                 .t_end = 20.0,
                                 .stops = medakzo_stops,
                                 .stop_count = 1,
                                 .stiff = true,
                                 .atol_share = 1.0,
                                 .reference = medakzo_reference,
                                 .reference_stride = 20,
                                 .type = { .derivatives = medakzo_f },
                                 .pattern = medakzo_pattern,
                                 .start = medakzo_start };

/* Chemical Akzo Nobel: a DAE of index 1. */

static EvalStatus chemakzo_f(Model *m, double t, const double *y, double *f)
{
    (void)m, (void)t;
    if (y[1] < 0.0) return EVAL_RETRY;
    double root = sqrt(y[1]), a2 = y[0] * y[0];
    double r1 = 18.7 * a2 * a2 * root, r2 = 0.58 * y[2] * y[3], r3 = 0.58 / 34.4 * y[0] * y[4];
    double r4 = 0.09 * y[0] * y[3] * y[3], r5 = 0.42 * y[5] * y[5] * root,
           inflow = 3.3 * (0.9 / 737.0 - y[1]);
    f[0] = -2.0 * r1 + r2 - r3 - r4;
    f[1] = -0.5 * r1 - r4 - 0.5 * r5 + inflow;
    f[2] = r1 - r2 + r3;
    f[3] = -r2 + r3 - 2.0 * r4;
    f[4] = r2 - r3 + r5;
    f[5] = 115.83 * y[0] * y[3] - y[5];
    return EVAL_OK;
}

static void chemakzo_start(double *y)
{
    y[0] = 0.444, y[1] = 0.00123, y[3] = 0.007, y[5] = 115.83 * 0.444 * 0.007;
}
static const double chemakzo_mass[] = { 1, 1, 1, 1, 1, 0 };
static const double chemakzo_reference[] = { 0.11507949206616971,  0.0012038314715676923,
                                             0.1611562887407976,   0.00036561564212492643,
                                             0.017080108852643997, 0.0048735313103074043 };
const IvpProblem ivp_chemakzo = { .name = "chemakzo",
                                  .n = 6,
                                  .t_end = 180.0,
                                  .stiff = true,
                                  .atol_share = 1e-3,
                                  .reference = chemakzo_reference,
                                  .mass = chemakzo_mass,
                                  .type = { .derivatives = chemakzo_f },
                                  .start = chemakzo_start };
