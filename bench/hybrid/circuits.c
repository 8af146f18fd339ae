/* circuits.c: a rectifier with an ideal diode (as ordinary and as algebraic equations), a buck
 * converter with 10,000 switchings, plants under sampled control. */
#include "bench/hybrid/problems.h"

#include <math.h>

static double *discrete(const Model *model) { return model->data; }

/* ---- rectifier: source, diode, coil, capacitor, load; the current never goes back ------------ */

static const double PEAK = 20.0, OMEGA = 314.159265358979, COIL = 5e-3, RESISTANCE = 0.5, CAPACITOR = 1e-3,
                    LOAD = 20.0;

static double source(double t) { return PEAK * sin(OMEGA * t); }

static EvalStatus rectifier_f(Model *model, double t, const double *y, double *f)
{
    bool on = discrete(model)[0] != 0.0;
    f[0] = on ? (source(t) - RESISTANCE * y[0] - y[1]) / COIL : 0.0;
    f[1] = (y[0] - y[1] / LOAD) / CAPACITOR;
    return EVAL_OK;
}

/* Conducting: the current; blocking: the voltage against it. */
static EvalStatus rectifier_g(Model *model, double t, const double *y, double *g)
{
    g[0] = discrete(model)[0] != 0.0 ? y[0] : y[1] - source(t);
    return EVAL_OK;
}

static EvalStatus rectifier_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)t, (void)info;
    discrete(model)[0] = 0.0;
    y[0] = 0.0;
    y[1] = 1.0;
    return EVAL_OK;
}

static EvalStatus rectifier_event(Model *model, double t, double *y, EventInfo *info)
{
    double *d = discrete(model);
    (void)t;
    info->rhs_changed = true;
    info->y_changed = d[0] != 0.0;
    d[0] = 1.0 - d[0];
    y[0] = 0.0;
    return EVAL_OK;
}

static const signed char falling[] = { -1 };

const HybridProblem hybrid_rectifier = {
    .name = "rectifier",
    .about = "an ideal diode, a coil and a capacitor over 100 periods",
    .n = 2,
    .indicators = 1,
    .directions = falling,
    .t_end = 2.0,
    .solver = "adams",
    .foreign = "cvode-adams",
    .loosest = 1e-4,
    .tightest = 1e-9,
    .type = { .derivatives = rectifier_f,
              .indicators = rectifier_g,
              .initialise = rectifier_start,
              .event = rectifier_event },
};

/* The same with the diode's and the load's currents as unknowns without derivatives: y = (i, v, u,
 * j), u the voltage over coil and resistance, j what the load takes. */
static EvalStatus rectifier_dae_f(Model *model, double t, const double *y, double *f)
{
    bool on = discrete(model)[0] != 0.0;
    f[0] = on ? (y[2] - RESISTANCE * y[0]) / COIL : 0.0;
    f[1] = (y[0] - y[3]) / CAPACITOR;
    f[2] = source(t) - y[1] - y[2];
    f[3] = y[3] * (LOAD + 0.5 * y[3]) - y[1];
    return EVAL_OK;
}

static EvalStatus rectifier_dae_start(Model *model, double t, double *y, EventInfo *info)
{
    rectifier_start(model, t, y, info);
    y[2] = source(t) - y[1];
    y[3] = y[1] / LOAD;
    return EVAL_OK;
}

static const double rectifier_mass[] = { 1.0, 1.0, 0.0, 0.0 };

const HybridProblem hybrid_rectifier_dae = {
    .name = "rectifier-dae",
    .about = "the same with algebraic unknowns",
    .n = 4,
    .indicators = 1,
    .directions = falling,
    .t_end = 2.0,
    .solver = "dassl",
    .foreign = "ida",
    .loosest = 1e-4,
    .tightest = 1e-8,
    .mass = rectifier_mass,
    .type = { .derivatives = rectifier_dae_f,
              .indicators = rectifier_g,
              .initialise = rectifier_dae_start,
              .event = rectifier_event },
};

/* ---- buck converter: pulses of fixed period, their width follows a slow set value ------------ */

static const double INPUT = 24.0, PERIOD = 1e-5, BUCK_COIL = 1e-4, BUCK_CAPACITOR = 1e-4, BUCK_LOAD = 4.0,
                    COIL_RESISTANCE = 0.05;

static EvalStatus buck_f(Model *model, double t, const double *y, double *f)
{
    double input = discrete(model)[0] != 0.0 ? INPUT : 0.0;
    (void)t;
    f[0] = (input - COIL_RESISTANCE * y[0] - y[1]) / BUCK_COIL;
    f[1] = (y[0] - y[1] / BUCK_LOAD) / BUCK_CAPACITOR;
    return EVAL_OK;
}

static double duty(double k) { return 0.45 + 0.2 * sin(0.01 * k); }

static EvalStatus buck_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)t;
    discrete(model)[0] = 1.0;
    discrete(model)[1] = 0.0; /* periods begun */
    y[0] = y[1] = 0.0;
    info->next_time = duty(0.0) * PERIOD;
    return EVAL_OK;
}

static EvalStatus buck_event(Model *model, double t, double *y, EventInfo *info)
{
    double *d = discrete(model);
    (void)t, (void)y;
    d[0] = 1.0 - d[0];
    if (d[0] != 0.0) d[1] += 1.0;
    info->next_time = (d[1] + (d[0] != 0.0 ? duty(d[1]) : 1.0)) * PERIOD;
    info->rhs_changed = true;
    return EVAL_OK;
}

const HybridProblem hybrid_buck = {
    .name = "buck",
    .about = "a buck converter, 10,000 switchings",
    .n = 2,
    .t_end = 0.05,
    .solver = "adams",
    .foreign = "cvode-adams",
    .loosest = 1e-4,
    .tightest = 1e-8,
    .type = { .derivatives = buck_f, .initialise = buck_start, .event = buck_event },
};

/* ---- sampled control: a nonlinear arm with a flexible joint, a controller every 20 ms -------- */

enum { ANGLE, SPEED, MOTOR, MOTOR_SPEED, CURRENT };
static const double SAMPLE = 0.02;

static double wish(double t) { return 1.2 * sin(0.8 * t) + 0.3 * sin(2.1 * t); }

static void arm(const double *y, double torque, double *f)
{
    double joint = 40.0 * (y[MOTOR] - y[ANGLE]) + 0.5 * (y[MOTOR_SPEED] - y[SPEED]);
    f[ANGLE] = y[SPEED];
    f[SPEED] = joint - 4.0 * sin(y[ANGLE]) - 0.2 * y[SPEED];
    f[MOTOR] = y[MOTOR_SPEED];
    f[MOTOR_SPEED] = (torque - joint - 0.5 * y[MOTOR_SPEED]) / 0.5;
}

static EvalStatus sampled_f(Model *model, double t, const double *y, double *f)
{
    (void)t;
    arm(y, discrete(model)[0], f);
    return EVAL_OK;
}

/* The same through a motor whose current is fast. */
static EvalStatus sampled_stiff_f(Model *model, double t, const double *y, double *f)
{
    (void)t;
    arm(y, y[CURRENT], f);
    f[CURRENT] = 400.0 * (discrete(model)[0] - y[CURRENT]) - 20.0 * y[MOTOR_SPEED];
    return EVAL_OK;
}

static EvalStatus sampled_event(Model *model, double t, double *y, EventInfo *info)
{
    double *d = discrete(model), error = wish(t) - y[ANGLE];
    d[2] += SAMPLE * error;
    d[0] = 25.0 * error - 4.0 * y[MOTOR_SPEED] + 8.0 * d[2];
    d[1] += 1.0;
    info->next_time = d[1] * SAMPLE;
    info->rhs_changed = true;
    return EVAL_OK;
}

static EvalStatus sampled_start(Model *model, double t, double *y, EventInfo *info)
{
    memset(discrete(model), 0, HYBRID_DISCRETE * sizeof(double));
    memset(y, 0, 4 * sizeof *y);
    return sampled_event(model, t, y, info);
}

static EvalStatus sampled_stiff_start(Model *model, double t, double *y, EventInfo *info)
{
    y[CURRENT] = 0.0;
    return sampled_start(model, t, y, info);
}

const HybridProblem hybrid_sampled = {
    .name = "sampled",
    .about = "a flexible arm, its controller sampled 1,000 times",
    .n = 4,
    .t_end = 20.0,
    .solver = "adams",
    .foreign = "cvode-adams",
    .loosest = 1e-4,
    .tightest = 1e-9,
    .type = { .derivatives = sampled_f, .initialise = sampled_start, .event = sampled_event },
};

const HybridProblem hybrid_sampled_stiff = {
    .name = "sampled-stiff",
    .about = "the same with a fast current",
    .n = 5,
    .t_end = 20.0,
    .solver = "bdf",
    .foreign = "cvode-bdf",
    .loosest = 1e-4,
    .tightest = 1e-8,
    .type = { .derivatives = sampled_stiff_f, .initialise = sampled_stiff_start, .event = sampled_event },
};
