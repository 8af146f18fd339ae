/* held_out.c: models that nothing was chosen with: they were written after the last constant of
 * restarts, and run once.
 *
 * Two pendulums that collide, a mass in a gap, a servo with a relay, a boost converter whose
 * current runs dry, a reactor that is cooled on demand, tanks with a pump. */
#include "bench/hybrid/problems.h"

#include <math.h>

static double *discrete(const Model *model) { return model->data; }

static const signed char falling[] = { -1, -1 };

/* ---- two pendulums side by side: they lose a tenth of their relative speed when they meet ---- */

static EvalStatus cradle_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    for (int i = 0; i < 2; i++) {
        f[2 * i] = y[2 * i + 1];
        f[2 * i + 1] = -9.81 * sin(y[2 * i]) - 0.01 * y[2 * i + 1];
    }
    return EVAL_OK;
}

static EvalStatus cradle_g(Model *model, double t, const double *y, double *g)
{
    (void)model, (void)t;
    g[0] = y[2] - y[0];
    return EVAL_OK;
}

static EvalStatus cradle_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t, (void)info;
    y[0] = -1.2;
    y[2] = 0.3;
    y[1] = y[3] = 0.0;
    return EVAL_OK;
}

static EvalStatus cradle_event(Model *model, double t, double *y, EventInfo *info)
{
    double mean = 0.5 * (y[1] + y[3]), half = 0.5 * (y[1] - y[3]);
    (void)model, (void)t;
    info->y_changed = half > 0.0;
    if (!info->y_changed) return EVAL_OK;
    y[1] = mean - 0.9 * half;
    y[3] = mean + 0.9 * half;
    return EVAL_OK;
}

const HybridProblem hybrid_cradle = {
    .name = "cradle",
    .about = "two pendulums that collide",
    .n = 4,
    .indicators = 1,
    .directions = falling,
    .t_end = 40.3,
    .solver = "adams",
    .foreign = "cvode-adams",
    .loosest = 1e-4,
    .tightest = 1e-9,
    .type = { .derivatives = cradle_f,
              .indicators = cradle_g,
              .initialise = cradle_start,
              .event = cradle_event },
};

/* ---- a driven mass in a gap: springs with dampers on both sides ------------------------------ */

static const double GAP = 0.1;

static EvalStatus gap_f(Model *model, double t, const double *y, double *f)
{
    double side = discrete(model)[0], contact = side == 0.0 ? 0.0 : 60.0 * (y[0] - side * GAP) + 2.0 * y[1];
    f[0] = y[1];
    f[1] = 3.0 * sin(2.3 * t) - 0.3 * y[1] - contact;
    return EVAL_OK;
}

static EvalStatus gap_g(Model *model, double t, const double *y, double *g)
{
    double side = discrete(model)[0];
    (void)t;
    g[0] = side == 0.0 ? GAP - y[0] : side * y[0] - GAP;
    g[1] = side == 0.0 ? GAP + y[0] : 1.0;
    return EVAL_OK;
}

static EvalStatus gap_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)t, (void)info;
    discrete(model)[0] = 0.0;
    y[0] = y[1] = 0.0;
    return EVAL_OK;
}

static EvalStatus gap_event(Model *model, double t, double *y, EventInfo *info)
{
    double *side = discrete(model);
    (void)t;
    *side = *side != 0.0 ? 0.0 : y[0] > 0.0 ? 1.0 : -1.0;
    info->rhs_changed = true;
    return EVAL_OK;
}

const HybridProblem hybrid_gap = {
    .name = "gap",
    .about = "a mass between two springs",
    .n = 2,
    .indicators = 2,
    .directions = falling,
    .t_end = 60.7,
    .solver = "adams",
    .foreign = "cvode-adams",
    .loosest = 1e-4,
    .tightest = 1e-9,
    .type = { .derivatives = gap_f, .indicators = gap_g, .initialise = gap_start, .event = gap_event },
};

/* ---- a servo of third order behind a relay with hysteresis ----------------------------------- */

static double aside(double t, const double *y) { return y[0] - 0.5 * sin(0.3 * t); }

static EvalStatus relay_f(Model *model, double t, const double *y, double *f)
{
    (void)t;
    f[0] = y[1];
    f[1] = y[2];
    f[2] = -4.0 * y[2] - 5.0 * y[1] - y[0] + 12.0 * discrete(model)[0];
    return EVAL_OK;
}

static EvalStatus relay_g(Model *model, double t, const double *y, double *g)
{
    g[0] = 0.1 - discrete(model)[0] * aside(t, y);
    return EVAL_OK;
}

static EvalStatus relay_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)t, (void)info;
    discrete(model)[0] = 1.0;
    y[0] = y[1] = y[2] = 0.0;
    return EVAL_OK;
}

static EvalStatus relay_event(Model *model, double t, double *y, EventInfo *info)
{
    (void)t, (void)y;
    discrete(model)[0] *= -1.0;
    info->rhs_changed = true;
    return EVAL_OK;
}

const HybridProblem hybrid_relay = {
    .name = "relay",
    .about = "a servo with a relay",
    .n = 3,
    .indicators = 1,
    .directions = falling,
    .t_end = 80.0,
    .solver = "adams",
    .foreign = "cvode-adams",
    .loosest = 1e-4,
    .tightest = 1e-9,
    .type = { .derivatives = relay_f,
              .indicators = relay_g,
              .initialise = relay_start,
              .event = relay_event },
};

/* ---- a boost converter: the switch charges the coil, the diode empties it before the next
 * pulse */

enum { CHARGING, EMPTYING, DRY };
static const double PULSE = 5e-5, SUPPLY = 12.0, COIL = 2e-5, CAPACITOR = 1e-4, LOAD = 20.0;

static EvalStatus boost_f(Model *model, double t, const double *y, double *f)
{
    int mode = (int)discrete(model)[0];
    (void)t;
    f[0] = mode == CHARGING ? SUPPLY / COIL : mode == EMPTYING ? (SUPPLY - y[1]) / COIL : 0.0;
    f[1] = ((mode == EMPTYING ? y[0] : 0.0) - y[1] / LOAD) / CAPACITOR;
    return EVAL_OK;
}

static EvalStatus boost_g(Model *model, double t, const double *y, double *g)
{
    (void)t;
    g[0] = discrete(model)[0] == EMPTYING ? y[0] : 1.0;
    return EVAL_OK;
}

static EvalStatus boost_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)t;
    discrete(model)[0] = CHARGING;
    discrete(model)[1] = 0.0; /* pulses begun */
    y[0] = 0.0;
    y[1] = SUPPLY;
    info->next_time = 0.3 * PULSE;
    return EVAL_OK;
}

static EvalStatus boost_event(Model *model, double t, double *y, EventInfo *info)
{
    double *d = discrete(model), duty = 0.3 + 0.1 * sin(0.05 * d[1]);
    bool due = t >= (d[1] + (d[0] == CHARGING ? duty : 1.0)) * PULSE * (1.0 - 1e-12);
    info->rhs_changed = true;
    if (!due) {
        d[0] = DRY;
        y[0] = 0.0;
        info->y_changed = true;
    } else if (d[0] == CHARGING) {
        d[0] = EMPTYING;
    } else {
        d[0] = CHARGING;
        d[1] += 1.0;
        duty = 0.3 + 0.1 * sin(0.05 * d[1]);
    }
    info->next_time = (d[1] + (d[0] == CHARGING ? duty : 1.0)) * PULSE;
    return EVAL_OK;
}

const HybridProblem hybrid_boost = {
    .name = "boost",
    .about = "a boost converter, 400 pulses",
    .n = 2,
    .indicators = 1,
    .directions = falling,
    .t_end = 0.02,
    .solver = "adams",
    .foreign = "cvode-adams",
    .loosest = 1e-4,
    .tightest = 1e-8,
    .type = { .derivatives = boost_f,
              .indicators = boost_g,
              .initialise = boost_start,
              .event = boost_event },
};

/* ---- a stirred reactor that would run away: cooled from 380 K until it is below 360 K -------- */

static EvalStatus reactor_f(Model *model, double t, const double *y, double *f)
{
    double rate = 7.2e10 * exp(-8750.0 / y[1]) * y[0];
    (void)t;
    f[0] = 1.0 - y[0] - rate;
    f[1] = 350.0 - y[1] + 209.2 * rate - (discrete(model)[0] != 0.0 ? 12.0 : 1.0) * (y[1] - 300.0);
    return EVAL_OK;
}

static EvalStatus reactor_g(Model *model, double t, const double *y, double *g)
{
    (void)t;
    g[0] = discrete(model)[0] != 0.0 ? y[1] - 335.0 : 380.0 - y[1];
    return EVAL_OK;
}

static EvalStatus reactor_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)t, (void)info;
    discrete(model)[0] = 0.0;
    y[0] = 0.9;
    y[1] = 350.0;
    return EVAL_OK;
}

static EvalStatus reactor_event(Model *model, double t, double *y, EventInfo *info)
{
    (void)t, (void)y;
    discrete(model)[0] = 1.0 - discrete(model)[0];
    info->rhs_changed = true;
    return EVAL_OK;
}

const HybridProblem hybrid_reactor = {
    .name = "reactor",
    .about = "a reactor cooled on demand",
    .n = 2,
    .indicators = 1,
    .directions = falling,
    .t_end = 60.0,
    .solver = "bdf",
    .foreign = "cvode-bdf",
    .loosest = 1e-4,
    .tightest = 1e-8,
    .type = { .derivatives = reactor_f,
              .indicators = reactor_g,
              .initialise = reactor_start,
              .event = reactor_event },
};

/* ---- two tanks and the flow between them, which no derivative determines; a pump keeps the first
 * one filled */

static EvalStatus tanks_f(Model *model, double t, const double *y, double *f)
{
    double pump = discrete(model)[0] != 0.0 ? 0.5 + 0.05 * sin(0.7 * t) : 0.0;
    f[0] = pump - y[2];
    f[1] = 2.0 * (y[2] - 0.3 * sqrt(fabs(y[1]) + 0.01));
    f[2] = y[0] - y[1] - y[2] * (0.5 + 0.8 * fabs(y[2]));
    return EVAL_OK;
}

static EvalStatus tanks_g(Model *model, double t, const double *y, double *g)
{
    (void)t;
    g[0] = discrete(model)[0] != 0.0 ? 1.2 - y[0] : y[0] - 1.0;
    return EVAL_OK;
}

static EvalStatus tanks_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)t, (void)info;
    discrete(model)[0] = 1.0;
    y[0] = 0.6;
    y[1] = 0.6;
    y[2] = 0.0;
    return EVAL_OK;
}

static const double tanks_mass[] = { 1.0, 1.0, 0.0 };

const HybridProblem hybrid_tanks = {
    .name = "tanks",
    .about = "tanks with a pump, algebraic flows",
    .n = 3,
    .indicators = 1,
    .directions = falling,
    .t_end = 100.0,
    .solver = "dassl",
    .foreign = "ida",
    .loosest = 1e-4,
    .tightest = 1e-8,
    .mass = tanks_mass,
    .type = { .derivatives = tanks_f,
              .indicators = tanks_g,
              .initialise = tanks_start,
              .event = reactor_event },
};
