/* surfaces.c: a plate under two moving loads (Hairer and Wanner, Solving ODEs II, IV.10) and
 * charges that find their places on a sphere (Fekete's problem, as a stabilised DAE of index 2; IVP
 * test set). */
#include "bench/ivp/problems.h"

#include <stdlib.h>

/* Plate: u_tt + friction u_t + stiffness Lap Lap u = load, simply supported; values, then their
 * rates. */

enum { PLATE_X = 8, PLATE_Y = 5, PLATE_POINTS = PLATE_X * PLATE_Y };
static const double PLATE_STEP = 2.0 / 9.0, FRICTION = 1000.0, STIFFNESS = 100.0, LOAD = 200.0;

static int plate_place(int i, int j) { return i + PLATE_X * j; }

static double plate_value(const double *u, int i, int j)
{
    return i < 0 || j < 0 || i >= PLATE_X || j >= PLATE_Y ? 0.0 : u[plate_place(i, j)];
}

/* out = Laplace of u; 0 beyond the rim, where u and its curvature vanish. */
static void plate_laplace(const double *u, double *out)
{
    for (int j = 0; j < PLATE_Y; j++)
        for (int i = 0; i < PLATE_X; i++)
            out[plate_place(i, j)] =
                (plate_value(u, i - 1, j) + plate_value(u, i + 1, j) + plate_value(u, i, j - 1) +
                 plate_value(u, i, j + 1) - 4.0 * plate_value(u, i, j)) /
                (PLATE_STEP * PLATE_STEP);
}

static EvalStatus plate_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    double once[PLATE_POINTS], twice[PLATE_POINTS];
    const double *u = y, *v = y + PLATE_POINTS;
    plate_laplace(u, once);
    plate_laplace(once, twice);
    for (int i = 0; i < PLATE_X; i++) {
        double x = PLATE_STEP * (i + 1), front = t - x - 2.0, rear = t - x - 5.0;
        double load = LOAD * (exp(-5.0 * front * front) + exp(-5.0 * rear * rear));
        for (int j = 0; j < PLATE_Y; j++) {
            int k = plate_place(i, j);
            f[k] = v[k];
            f[PLATE_POINTS + k] = -FRICTION * v[k] - STIFFNESS * twice[k] + (j == 1 || j == 3 ? load : 0.0);
        }
    }
    return EVAL_OK;
}

static EvalStatus plate_jacobian(Model *model, double t, const double *y, const MatrixShape *order, double *v)
{
    (void)model, (void)t, (void)y;
    for (int k = 0; k < PLATE_POINTS; k++) {
        double unit[PLATE_POINTS] = { 0 }, once[PLATE_POINTS], twice[PLATE_POINTS];
        unit[k] = 1.0;
        plate_laplace(unit, once);
        plate_laplace(once, twice);
        model_put(order, v, k, PLATE_POINTS + k, 1.0);
        model_put(order, v, PLATE_POINTS + k, PLATE_POINTS + k, -FRICTION);
        for (int i = 0; i < PLATE_POINTS; i++)
            if (twice[i] != 0.0) model_put(order, v, PLATE_POINTS + i, k, -STIFFNESS * twice[i]);
    }
    return EVAL_OK;
}

static const Pattern *plate_pattern(Arena *arena)
{
    VEC(Entry) entries = { 0 };
    for (int j = 0; j < PLATE_Y; j++)
        for (int i = 0; i < PLATE_X; i++) {
            int row = PLATE_POINTS + plate_place(i, j);
            vec_push(arena, &entries, ((Entry){ row - PLATE_POINTS, row }));
            vec_push(arena, &entries, ((Entry){ row, row }));
            for (int b = -2; b <= 2; b++)
                for (int a = -2; a <= 2; a++)
                    if (abs(a) + abs(b) <= 2 && i + a >= 0 && i + a < PLATE_X && j + b >= 0 &&
                        j + b < PLATE_Y)
                        vec_push(arena, &entries, ((Entry){ row, plate_place(i + a, j + b) }));
        }
    return pattern_of_entries(arena, 2 * PLATE_POINTS, 2 * PLATE_POINTS, entries.at, entries.n);
}

static void plate_start(double *y) { y[0] = 0.0; }
static const double plate_reference[2 * PLATE_POINTS] = {
    0.00049014381385134977, 0.00098008148556063537, 0.0014628938114822256,  0.0019158224644119793,
    0.0022851525337270482,  0.0024613533766885912,  0.0022545974130971599,  0.0014383125919336208,
    0.00084902514922842595, 0.0016978850056258024,  0.0025352398860689069,  0.0033239895521818483,
    0.0039779021935607431,  0.0043202317360830651,  0.0040256799550839563,  0.0026432063561238756,
    0.00098028762770269954, 0.0019601629711212729,  0.0029257876229644517,  0.0038316449288239574,
    0.0045703050674541007,  0.0049227067533771833,  0.004509194826194318,   0.0028766251838672394,
    0.00084902514922842681, 0.0016978850056258031,  0.0025352398860689082,  0.0033239895521818478,
    0.0039779021935607449,  0.0043202317360830711,  0.0040256799550839571,  0.002643206356123876,
    0.00049014381385134988, 0.0009800814855606371,  0.0014628938114822256,  0.0019158224644119791,
    0.0022851525337270503,  0.002461353376688593,   0.0022545974130971595,  0.0014383125919336208,
    -0.0011775903045461217, -0.0024090058279918557, -0.0037221408316568849, -0.0050787800560483046,
    -0.0063026618110978341, -0.0069733999429273706, -0.0063945751204167369, -0.003960464551311142,
    -0.002040148244039528,  -0.004174829877954536,  -0.0064565103375156105, -0.008832503276739935,
    -0.011029624807176891,  -0.012352389570140782,  -0.011524177328690991,  -0.0072533018860265067,
    -0.0023551806090918882, -0.0048180116559844799, -0.007444281663313069,  -0.010157560112096183,
    -0.012605323622198678,  -0.013946799885854086,  -0.012789150240831833,  -0.0079209291026213664,
    -0.0020401482440398507, -0.0041748298779543088, -0.0064565103375163243, -0.0088325032767387433,
    -0.01102962480717636,   -0.012352389570142008,  -0.011524177328691494,  -0.0072533018860262664,
    -0.0011775903045457522, -0.0024090058279922898, -0.0037221408316568359, -0.0050787800560485007,
    -0.0063026618110985071, -0.0069733999429270645, -0.0063945751204157507, -0.0039604645513112808
};
const IvpProblem ivp_plate = { .name = "plate",
                               .n = 2 * PLATE_POINTS,
                               .t_end = 7.0,
                               .stiff = true,
                               .atol_share = 1e-3,
                               .reference = plate_reference,
                               .pattern = plate_pattern,
                               .type = { .derivatives = plate_f, .jacobian = plate_jacobian },
                               .start = plate_start };

/* Fekete: places p, velocities q, a force lambda and a correction mu that keep each charge on the
 * sphere. */

enum { CHARGES = 20, FEKETE = 8 * CHARGES, AT_Q = 3 * CHARGES, AT_LAMBDA = 6 * CHARGES, AT_MU = 7 * CHARGES };
static const double DAMPING = 0.5;

/* force += the push on charge i by charge j; the square of their distance. */
static double push(const double *p, int i, int j, double *force)
{
    double d[3], square = 0.0;
    for (int k = 0; k < 3; k++) {
        d[k] = p[3 * i + k] - p[3 * j + k];
        square += d[k] * d[k];
    }
    for (int k = 0; k < 3; k++) force[k] += d[k] / square;
    return square;
}

static EvalStatus fekete_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    const double *p = y, *q = y + AT_Q;
    for (int i = 0; i < CHARGES; i++) {
        double force[3] = { 0 }, lambda = y[AT_LAMBDA + i], mu = y[AT_MU + i], radius = -1.0, rate = 0.0;
        for (int j = 0; j < CHARGES; j++)
            if (j != i) push(p, i, j, force);
        for (int k = 3 * i; k < 3 * i + 3; k++) {
            f[k] = q[k] + 2.0 * mu * p[k];
            f[AT_Q + k] = force[k - 3 * i] - DAMPING * q[k] + 2.0 * lambda * p[k];
            radius += p[k] * p[k];
            rate += 2.0 * p[k] * q[k];
        }
        f[AT_LAMBDA + i] = radius;
        f[AT_MU + i] = rate;
    }
    return EVAL_OK;
}

static EvalStatus fekete_jacobian(Model *model, double t, const double *y, const MatrixShape *order,
                                  double *v)
{
    (void)model, (void)t;
    const double *p = y, *q = y + AT_Q;
    for (int i = 0; i < CHARGES; i++) {
        for (int k = 3 * i; k < 3 * i + 3; k++) {
            model_put(order, v, k, AT_Q + k, 1.0);
            model_put(order, v, k, k, 2.0 * y[AT_MU + i]);
            model_put(order, v, k, AT_MU + i, 2.0 * p[k]);
            model_put(order, v, AT_Q + k, AT_Q + k, -DAMPING);
            model_put(order, v, AT_Q + k, k, 2.0 * y[AT_LAMBDA + i]);
            model_put(order, v, AT_Q + k, AT_LAMBDA + i, 2.0 * p[k]);
            model_put(order, v, AT_LAMBDA + i, k, 2.0 * p[k]);
            model_put(order, v, AT_MU + i, k, 2.0 * q[k]);
            model_put(order, v, AT_MU + i, AT_Q + k, 2.0 * p[k]);
        }
        for (int j = 0; j < CHARGES; j++) {
            double force[3] = { 0 };
            if (j == i) continue;
            double square = push(p, i, j, force);
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) {
                    double slope = (a == b ? 1.0 / square : 0.0) - 2.0 * force[a] * force[b];
                    model_put(order, v, AT_Q + 3 * i + a, 3 * i + b, slope);
                    model_put(order, v, AT_Q + 3 * i + a, 3 * j + b, -slope);
                }
        }
    }
    return EVAL_OK;
}

static void fekete_start(double *y)
{
    static const struct {
        int last;
        /* angles: 2 pi k / turns + pi / offset, at latitude height pi */
        double turns, offset, height;
        int first;
    } rings[] = { { 3, 3, 13, 3.0 / 8, 0 },
                  { 10, 7, 29, 1.0 / 8, 3 },
                  { 16, 6, 7, -2.0 / 15, 10 },
                  { 20, 4, 17, -3.0 / 10, 17 } };
    const double pi = acos(-1.0);
    int i = 0;
    for (size_t r = 0; r < COUNT_OF(rings); r++)
        for (; i < rings[r].last; i++) {
            double turn = 2.0 * pi * (i + 1 - rings[r].first) / rings[r].turns + pi / rings[r].offset;
            y[3 * i] = cos(turn) * cos(rings[r].height * pi);
            y[3 * i + 1] = sin(turn) * cos(rings[r].height * pi);
            y[3 * i + 2] = sin(rings[r].height * pi);
        }
    for (i = 0; i < CHARGES; i++) {
        double force[3] = { 0 };
        for (int j = 0; j < CHARGES; j++)
            if (j != i) push(y, i, j, force);
        for (int k = 0; k < 3; k++) y[AT_LAMBDA + i] -= 0.5 * force[k] * y[3 * i + k];
    }
}

#define TWENTY(k) k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k
static const double fekete_mass[FEKETE] = {
    TWENTY(1), TWENTY(1), TWENTY(1), TWENTY(1), TWENTY(1), TWENTY(1)
};
static const unsigned char fekete_index[FEKETE] = { TWENTY(1), TWENTY(1), TWENTY(1), TWENTY(1),
                                                    TWENTY(1), TWENTY(1), TWENTY(2), TWENTY(2) };
static const double fekete_reference[AT_Q] = {
    -0.40702633803330157, 0.34637587728168523,   0.84519424500202522,  0.077529347524596295,
    -0.26286627199490809, 0.96171228718359913,   0.71005778333421676,  0.12129480555964013,
    0.69361770051718508,  0.23482677445626055,   0.74492779769365303,  0.62445092859387485,
    -0.43411147387749854, 0.87854304422721075,   0.19927204442141674,  -0.95150596003112486,
    0.22035087628016875,  0.21466694982649084,   -0.63851916436164835, -0.43108332593685478,
    0.6375425027730478,   -0.14641750879247373,  -0.93808716352196175, 0.31393372987674661,
    0.56669740650615064,  -0.67392218850703223,  0.47400731354810843,  0.98432595384388044,
    -0.16969953578308788, -0.048005042905297363, 0.14641750879247409,  0.93808716352196175,
    -0.31393372987674639, -0.70927575499720485,  0.52640626371349553,  -0.4688542938870699,
    -0.86657318192887056, -0.48138780597508091,  -0.13159293529734195, -0.23478977787072722,
    -0.85943404080221153, -0.4541441287937093,   0.55309769400678055,  -0.76743702656286239,
    -0.32422731400166499, 0.77110509699030372,   0.63570418165703479,  0.035736855196476687,
    0.71039512093844537,  0.24035704312570516,   -0.66148867259139033, -0.030382087386577154,
    0.45019232936185233,  -0.89241458714533783,  -0.57729961581058786, -0.17667634149859623,
    -0.79718920209672883, 0.24144817669690716,   -0.34164568183981187, -0.90828465034368444
};
const IvpProblem ivp_fekete = { .name = "fekete",
                                .n = FEKETE,
                                .t_end = 1000.0,
                                .stiff = true,
                                .atol_share = 1.0,
                                .reference = fekete_reference,
                                .reference_count = AT_Q,
                                .mass = fekete_mass,
                                .index = fekete_index,
                                .type = { .derivatives = fekete_f, .jacobian = fekete_jacobian },
                                .start = fekete_start };
