/* dirk_tables.c: coefficients of diagonally implicit methods, as data. Each is verified against its
 * order conditions by tests/solve/dirk_test.c. The meaning of the fields is in tables.h. */
#include "solve/tables/tables.h"

/* TR-BDF2: the trapezoidal rule over g = 2 - sqrt(2) of the step, then BDF2; embedded formula of
 * order 3. */
#define SQRT2 1.41421356237309504880168872421
#define W (SQRT2 / 4)
#define D (1 - SQRT2 / 2)
static const double trbdf2_a[] = { 0, D, D, W, W, D };
static const double trbdf2_c[] = { 0, 2 - SQRT2, 1 };
static const double trbdf2_b_hat[] = { (1 - W) / 3, (3 * W + 1) / 3, D / 3 };
const DirkTableau dirk_trbdf2 = { "trbdf2", 3, D, 3, trbdf2_a, trbdf2_c, trbdf2_b_hat, true, 1, NULL };

/* SDIRK 4(3) of Hairer and Wanner, L-stable. */
static const double sdirk4_a[] = {
    0.25,       0.5,  0.25,      17.0 / 50,  -1.0 / 25,  0.25,       371.0 / 1360, -137.0 / 2720,
    15.0 / 544, 0.25, 25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, 0.25,
};
static const double sdirk4_c[] = { 0.25, 0.75, 11.0 / 20, 0.5, 1 };
static const double sdirk4_b_hat[] = { 59.0 / 48, -17.0 / 96, 225.0 / 32, -85.0 / 12, 0 };
const DirkTableau dirk_sdirk4 = { "sdirk4", 5, 0.25, 4, sdirk4_a, sdirk4_c, sdirk4_b_hat, true, 1, NULL };

/* The implicit parts of Kennedy and Carpenter's ARK3(2)4L[2]SA, ARK4(3)6L[2]SA, ARK5(4)8L[2]SA. */
#define G3 (1767732205903.0 / 4055673282236.0)
static const double esdirk3_a[] = {
    0,
    G3,
    G3,
    2746238789719.0 / 10658868560708.0,
    -640167445237.0 / 6845629431997.0,
    G3,
    1471266399579.0 / 7840856788654.0,
    -4482444167858.0 / 7529755066697.0,
    11266239266428.0 / 11593286722821.0,
    G3,
};
static const double esdirk3_c[] = { 0, 2 * G3, 3.0 / 5, 1 };
static const double esdirk3_b_hat[] = { 2756255671327.0 / 12835298489170.0,
                                        -10771552573575.0 / 22201958757719.0,
                                        9247589265047.0 / 10645013368117.0,
                                        2193209047091.0 / 5459859503100.0 };
const DirkTableau dirk_esdirk3 = { "esdirk3", 4, G3, 3, esdirk3_a, esdirk3_c, esdirk3_b_hat, false, 7, NULL };

static const double esdirk4_a[] = {
    0,
    0.25,
    0.25,
    8611.0 / 62500,
    -1743.0 / 31250,
    0.25,
    5012029.0 / 34652500,
    -654441.0 / 2922500,
    174375.0 / 388108,
    0.25,
    15267082809.0 / 155376265600.0,
    -71443401.0 / 120774400,
    730878875.0 / 902184768,
    2285395.0 / 8070912,
    0.25,
    82889.0 / 524892,
    0,
    15625.0 / 83664,
    69875.0 / 102672,
    -2260.0 / 8211,
    0.25,
};
static const double esdirk4_c[] = { 0, 0.5, 83.0 / 250, 31.0 / 50, 17.0 / 20, 1 };
static const double esdirk4_b_hat[] = { 4586570599.0 / 29645900160.0, 0,
                                        178811875.0 / 945068544,      814220225.0 / 1159782912,
                                        -3700637.0 / 11593932,        61727.0 / 225920 };
const DirkTableau dirk_esdirk4 = {
    "esdirk4", 6, 0.25, 4, esdirk4_a, esdirk4_c, esdirk4_b_hat, false, 4, NULL
};

#define G5 (41.0 / 200)
static const double esdirk5_a[] = {
    0,
    G5,
    G5,
    41.0 / 400,
    -567603406766.0 / 11931857230679.0,
    G5,
    683785636431.0 / 9252920307686.0,
    0,
    -110385047103.0 / 1367015193373.0,
    G5,
    3016520224154.0 / 10081342136671.0,
    0,
    30586259806659.0 / 12414158314087.0,
    -22760509404356.0 / 11113319521817.0,
    G5,
    218866479029.0 / 1489978393911.0,
    0,
    638256894668.0 / 5436446318841.0,
    -1179710474555.0 / 5321154724896.0,
    -60928119172.0 / 8023461067671.0,
    G5,
    1020004230633.0 / 5715676835656.0,
    0,
    25762820946817.0 / 25263940353407.0,
    -2161375909145.0 / 9755907335909.0,
    -211217309593.0 / 5846859502534.0,
    -4269925059573.0 / 7827059040749.0,
    G5,
    -872700587467.0 / 9133579230613.0,
    0,
    0,
    22348218063261.0 / 9555858737531.0,
    -1143369518992.0 / 8141816002931.0,
    -39379526789629.0 / 19018526304540.0,
    32727382324388.0 / 42900044865799.0,
    G5,
};
static const double esdirk5_c[] = { 0,
                                    41.0 / 100,
                                    2935347310677.0 / 11292855782101.0,
                                    1426016391358.0 / 7196633302097.0,
                                    92.0 / 100,
                                    24.0 / 100,
                                    3.0 / 5,
                                    1 };
static const double esdirk5_b_hat[] = { -975461918565.0 / 9796059967033.0,
                                        0,
                                        0,
                                        78070527104295.0 / 32432590147079.0,
                                        -548382580838.0 / 3424219808633.0,
                                        -33438840321285.0 / 15594753105479.0,
                                        3629800801594.0 / 4656183773603.0,
                                        4035322873751.0 / 18575991585200.0 };
const DirkTableau dirk_esdirk5 = {
    "esdirk5", 8, G5, 5, esdirk5_a, esdirk5_c, esdirk5_b_hat, false, 30, NULL
};
