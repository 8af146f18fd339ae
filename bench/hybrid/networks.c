/* networks.c: rooms with thermostats, neurons that fire. */
#include "bench/hybrid/problems.h"

#include <math.h>

static double *discrete(const Model *model) { return model->data; }

/* ---- thermostats: rooms in a ring, each with fast air, a slow wall and a heater with
 * hysteresis */

enum { ROOMS = 12 };

static double set_point(int i) { return 20.0 + 0.3 * i; }

static EvalStatus thermostats_f(Model *model, double t, const double *y, double *f)
{
    const double *heats = discrete(model);
    double outside = 5.0 + 4.0 * sin(0.26 * t);
    for (int i = 0; i < ROOMS; i++) {
        double air = y[i], wall = y[ROOMS + i], left = y[(i + ROOMS - 1) % ROOMS], right = y[(i + 1) % ROOMS];
        double out = wall - outside;
        f[i] = 60.0 * (wall - air) + 3.0 * (left + right - 2.0 * air) + heats[i] * (150.0 + 5.0 * i);
        f[ROOMS + i] = 2.0 * (air - wall) - 0.1 * out - 0.001 * out * fabs(out);
    }
    return EVAL_OK;
}

static EvalStatus thermostats_g(Model *model, double t, const double *y, double *g)
{
    const double *heats = discrete(model);
    (void)t;
    for (int i = 0; i < ROOMS; i++)
        g[i] = heats[i] != 0.0 ? set_point(i) + 0.5 - y[i] : y[i] - set_point(i) + 0.5;
    return EVAL_OK;
}

static EvalStatus thermostats_start(Model *model, double t, double *y, EventInfo *info)
{
    double *heats = discrete(model);
    (void)t, (void)info;
    for (int i = 0; i < ROOMS; i++) {
        heats[i] = i % 2;
        y[i] = set_point(i) + 0.07 * (i - 5);
        y[ROOMS + i] = set_point(i) - 1.0;
    }
    return EVAL_OK;
}

static EvalStatus thermostats_event(Model *model, double t, double *y, EventInfo *info)
{
    double *heats = discrete(model), g[ROOMS];
    thermostats_g(model, t, y, g);
    for (int i = 0; i < ROOMS; i++)
        if (g[i] <= 0.0) {
            heats[i] = 1.0 - heats[i];
            info->rhs_changed = true;
        }
    return EVAL_OK;
}

static const signed char rooms_falling[ROOMS] = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 };

const HybridProblem hybrid_thermostats = {
    .name = "thermostats",
    .about = "twelve rooms with heaters that switch",
    .n = 2 * ROOMS,
    .indicators = ROOMS,
    .directions = rooms_falling,
    .t_end = 2.0,
    .solver = "bdf",
    .foreign = "cvode-bdf",
    .loosest = 1e-4,
    .tightest = 1e-8,
    .type = { .derivatives = thermostats_f,
              .indicators = thermostats_g,
              .initialise = thermostats_start,
              .event = thermostats_event },
};

/* ---- integrate and fire: voltage and adaptation of each neuron, a current from those before it */

enum { NEURONS = 8 };

static EvalStatus neurons_f(Model *model, double t, const double *y, double *f)
{
    (void)model;
    for (int i = 0; i < NEURONS; i++) {
        double v = y[i], w = y[NEURONS + i], s = y[2 * NEURONS + i];
        double drive = 1.4 + 0.1 * i + 0.3 * sin(0.2 * t + i);
        f[i] = -v + drive - w + s + 0.3 * v * v;
        f[NEURONS + i] = 0.1 * (0.2 * v - w);
        f[2 * NEURONS + i] = -0.5 * s;
    }
    return EVAL_OK;
}

static EvalStatus neurons_g(Model *model, double t, const double *y, double *g)
{
    (void)model, (void)t;
    for (int i = 0; i < NEURONS; i++) g[i] = y[i] - 1.0;
    return EVAL_OK;
}

static EvalStatus neurons_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t, (void)info;
    for (int i = 0; i < NEURONS; i++) {
        y[i] = 0.1 * i;
        y[NEURONS + i] = y[2 * NEURONS + i] = 0.0;
    }
    return EVAL_OK;
}

static EvalStatus neurons_event(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t;
    for (int i = 0; i < NEURONS; i++) {
        if (y[i] < 1.0) continue;
        y[i] -= 1.0;
        y[NEURONS + i] += 0.05;
        y[2 * NEURONS + (i + 1) % NEURONS] += 0.1;
        info->y_changed = true;
    }
    return EVAL_OK;
}

static const signed char neurons_rising[NEURONS] = { 1, 1, 1, 1, 1, 1, 1, 1 };

const HybridProblem hybrid_neurons = {
    .name = "neurons",
    .about = "eight neurons in a ring, each spike a jump",
    .n = 3 * NEURONS,
    .indicators = NEURONS,
    .directions = neurons_rising,
    .t_end = 60.0,
    .solver = "adams",
    .foreign = "cvode-adams",
    .loosest = 1e-4,
    .tightest = 1e-9,
    .type = { .derivatives = neurons_f,
              .indicators = neurons_g,
              .initialise = neurons_start,
              .event = neurons_event },
};
