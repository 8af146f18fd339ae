/* mechanics.c: a bouncing ball, a clutch, stick and slip on a belt, a valve with stops. */
#include "bench/hybrid/problems.h"

#include <math.h>

static double *discrete(const Model *model) { return model->data; }

static const signed char all_falling[] = { -1, -1, -1 };

/* ---- the bouncing ball: y'' = g - d y, y downwards, events at the floor and at the turning
 * point */

static const double GRAVITY = 9.81, DRAG = 0.1, RESTITUTION = 0.88, DROP = -0.63, BALL_END = 5.1358;

static EvalStatus ball_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = y[1];
    f[1] = GRAVITY - DRAG * y[0];
    return EVAL_OK;
}

static EvalStatus ball_g(Model *model, double t, const double *y, double *g)
{
    (void)model, (void)t;
    g[0] = y[0];
    g[1] = y[1];
    return EVAL_OK;
}

static EvalStatus ball_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t, (void)info;
    y[0] = DROP;
    y[1] = 0.0;
    return EVAL_OK;
}

/* Falling on the floor it turns; at the turning point it is still above. */
static EvalStatus ball_event(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t;
    info->y_changed = y[0] >= 0.0 && y[1] > 0.0;
    if (info->y_changed) y[1] *= -RESTITUTION;
    return EVAL_OK;
}

/* Arcs of a harmonic oscillation around g/d. */
static void ball_exact(double *y)
{
    double w = sqrt(DRAG), centre = GRAVITY / DRAG, t = acos(centre / (centre - DROP)) / w;
    double v = (centre - DROP) * w * sin(w * t);
    for (;;) {
        v *= RESTITUTION;
        double flight = 2.0 / w * atan(v / (w * centre));
        if (t + flight > BALL_END) break;
        t += flight;
    }
    double s = w * (BALL_END - t);
    y[0] = centre * (1.0 - cos(s)) - v / w * sin(s);
    y[1] = centre * w * sin(s) - v * cos(s);
}

static const signed char both_rising[] = { 1, 1 };

const HybridProblem hybrid_ball = {
    .name = "ball",
    .about = "a ball that bounces 19 times",
    .n = 2,
    .indicators = 2,
    .directions = both_rising,
    .t_end = 5.1358,
    .solver = "adams",
    .foreign = "cvode-adams",
    .loosest = 1e-4,
    .tightest = 1e-10,
    .type = { .derivatives = ball_f, .indicators = ball_g, .initialise = ball_start, .event = ball_event },
    .exact = ball_exact,
};

/* ---- a clutch: an engine drives a load through plates that are pressed and released ---------- */

enum { ENGINE_SPEED, LOAD_SPEED, TWIST, OUTPUT_SPEED };
enum { SLIPS_FORWARD, SLIPS_BACK, LOCKED };
enum { CLUTCH_MODE, CLUTCH_PRESSED };
static const double J_ENGINE = 0.3, J_LOAD = 0.2, J_OUTPUT = 1.5, SHAFT = 60.0, SHAFT_DAMPING = 0.8,
                    PRESS_TIME = 0.2, GRIP = 130.0, SLIDING = 0.8;

static double engine_torque(double t, double w)
{
    return 60.0 + 25.0 * sin(5.0 * t) - 0.25 * w - 0.001 * w * w;
}
static double shaft_torque(const double *y)
{
    return SHAFT * y[TWIST] + SHAFT_DAMPING * (y[LOAD_SPEED] - y[OUTPUT_SPEED]);
}

/* What the plates can carry: with a smooth press in each period. */
static double grip(const double *d, double t)
{
    double x = fmod(t, PRESS_TIME) / PRESS_TIME;
    return d[CLUTCH_PRESSED] != 0.0 ? GRIP * (0.2 + 0.8 * sin(M_PI * x) * sin(M_PI * x)) : 0.0;
}

/* The torque that keeps both speeds equal. */
static double locked_torque(double t, const double *y)
{
    double engine = engine_torque(t, y[ENGINE_SPEED]), shaft = shaft_torque(y);
    return (engine * J_LOAD + shaft * J_ENGINE) / (J_ENGINE + J_LOAD);
}

static EvalStatus clutch_f(Model *model, double t, const double *y, double *f)
{
    const double *d = discrete(model);
    int mode = (int)d[CLUTCH_MODE];
    double limit = grip(d, t);
    double carried = mode == LOCKED          ? locked_torque(t, y)
                     : mode == SLIPS_FORWARD ? SLIDING * limit
                                             : -SLIDING * limit;
    double shaft = shaft_torque(y);
    f[ENGINE_SPEED] = (engine_torque(t, y[ENGINE_SPEED]) - carried) / J_ENGINE;
    f[LOAD_SPEED] = (carried - shaft) / J_LOAD;
    f[TWIST] = y[LOAD_SPEED] - y[OUTPUT_SPEED];
    f[OUTPUT_SPEED] = (shaft - 0.02 * y[OUTPUT_SPEED] * fabs(y[OUTPUT_SPEED])) / J_OUTPUT;
    return EVAL_OK;
}

static EvalStatus clutch_g(Model *model, double t, const double *y, double *g)
{
    const double *d = discrete(model);
    int mode = (int)d[CLUTCH_MODE];
    double slip = y[ENGINE_SPEED] - y[LOAD_SPEED];
    g[0] = mode == LOCKED ? grip(d, t) - fabs(locked_torque(t, y)) : mode == SLIPS_FORWARD ? slip : -slip;
    return EVAL_OK;
}

static EvalStatus clutch_start(Model *model, double t, double *y, EventInfo *info)
{
    double *d = discrete(model);
    (void)t;
    d[CLUTCH_MODE] = SLIPS_FORWARD;
    d[CLUTCH_PRESSED] = 1.0;
    y[ENGINE_SPEED] = 60.0;
    y[LOAD_SPEED] = y[OUTPUT_SPEED] = y[TWIST] = 0.0;
    info->next_time = PRESS_TIME;
    return EVAL_OK;
}

static EvalStatus clutch_event(Model *model, double t, double *y, EventInfo *info)
{
    double *d = discrete(model), periods = floor(t / PRESS_TIME + 1e-9);
    info->next_time = (periods + 1.0) * PRESS_TIME;
    info->rhs_changed = true;
    bool due = fabs(t - periods * PRESS_TIME) < 1e-9;
    if (due) d[CLUTCH_PRESSED] = fmod(periods, 4.0) == 3.0 ? 0.0 : 1.0;
    double need = locked_torque(t, y);
    if (d[CLUTCH_MODE] == LOCKED) {
        if (fabs(need) >= grip(d, t)) d[CLUTCH_MODE] = need > 0.0 ? SLIPS_FORWARD : SLIPS_BACK;
    } else if (!due) {
        bool holds = fabs(need) < grip(d, t);
        d[CLUTCH_MODE] = holds ? LOCKED : need > 0.0 ? SLIPS_FORWARD : SLIPS_BACK;
        if (holds) {
            double mean = (J_ENGINE * y[ENGINE_SPEED] + J_LOAD * y[LOAD_SPEED]) / (J_ENGINE + J_LOAD);
            y[ENGINE_SPEED] = y[LOAD_SPEED] = mean;
            info->y_changed = true;
        }
    }
    return EVAL_OK;
}

const HybridProblem hybrid_clutch = {
    .name = "clutch",
    .about = "an engine and a load, pressed together and released",
    .n = 4,
    .indicators = 1,
    .directions = all_falling,
    .t_end = 12.07,
    .solver = "adams",
    .foreign = "cvode-adams",
    .loosest = 1e-4,
    .tightest = 1e-9,
    .type = { .derivatives = clutch_f,
              .indicators = clutch_g,
              .initialise = clutch_start,
              .event = clutch_event },
};

/* ---- stick and slip: three masses in a row on a moving belt, friction that falls with speed -- */

enum { MASSES = 3, STICKS = 0, FORWARD = 1, BACKWARD = -1 };
static const double BELT = 0.5, SPRING = 4.0, WALL_SPRING = 10.0, HOLD = 4.0;

/* Kinetic friction on a mass that moves with this speed over the belt. */
static double kinetic(double speed) { return HOLD * (0.5 + 0.3 / (1.0 + 2.0 * fabs(speed))); }

static double springs(const double *y, int i)
{
    double x = y[2 * i], force = -WALL_SPRING * (1.0 + 0.1 * i) * x;
    if (i > 0) force += SPRING * (y[2 * (i - 1)] - x);
    if (i + 1 < MASSES) force += SPRING * (y[2 * (i + 1)] - x);
    return force;
}

static EvalStatus friction_f(Model *model, double t, const double *y, double *f)
{
    const double *d = discrete(model);
    (void)t;
    for (int i = 0; i < MASSES; i++) {
        double over = y[2 * i + 1] - BELT;
        f[2 * i] = y[2 * i + 1];
        f[2 * i + 1] = d[i] == STICKS ? 0.0 : springs(y, i) - d[i] * kinetic(over) - 0.05 * y[2 * i + 1];
    }
    return EVAL_OK;
}

static EvalStatus friction_g(Model *model, double t, const double *y, double *g)
{
    const double *d = discrete(model);
    (void)t;
    for (int i = 0; i < MASSES; i++)
        g[i] = d[i] == STICKS ? HOLD - fabs(springs(y, i) - 0.05 * BELT) : d[i] * (y[2 * i + 1] - BELT);
    return EVAL_OK;
}

static EvalStatus friction_start(Model *model, double t, double *y, EventInfo *info)
{
    double *d = discrete(model);
    (void)t, (void)info;
    for (int i = 0; i < MASSES; i++) {
        d[i] = STICKS;
        y[2 * i] = 0.05 * i;
        y[2 * i + 1] = BELT;
    }
    return EVAL_OK;
}

static EvalStatus friction_event(Model *model, double t, double *y, EventInfo *info)
{
    double *d = discrete(model), g[MASSES];
    friction_g(model, t, y, g);
    for (int i = 0; i < MASSES; i++) {
        if (g[i] > 0.0) continue;
        double pull = springs(y, i) - 0.05 * BELT;
        info->rhs_changed = true;
        bool holds = d[i] != STICKS && fabs(pull) < HOLD;
        d[i] = holds ? STICKS : pull > 0.0 ? FORWARD : BACKWARD;
        if (!holds) continue;
        y[2 * i + 1] = BELT;
        info->y_changed = true;
    }
    return EVAL_OK;
}

const HybridProblem hybrid_friction = {
    .name = "friction",
    .about = "three masses that stick and slip on a belt",
    .n = 2 * MASSES,
    .indicators = MASSES,
    .directions = all_falling,
    .t_end = 20.0,
    .solver = "adams",
    .foreign = "cvode-adams",
    .loosest = 1e-4,
    .tightest = 1e-9,
    .type = { .derivatives = friction_f,
              .indicators = friction_g,
              .initialise = friction_start,
              .event = friction_event },
};

/* ---- a relief valve: a poppet between two stops, oil that is nearly incompressible ----------- */

enum { PRESSURE, POPPET, POPPET_SPEED, TANK };
static const double LIFT = 0.15, MASS = 0.02, STIFFNESS = 8.0, POPPET_DAMPING = 0.15, PRELOAD = 10.0,
                    AREA = 1.0, BULK = 900.0, OUTFLOW = 1.2, PULSE = 0.5;

static double pump(const double *d) { return d[0] != 0.0 ? 3.0 : 0.6; }

static double poppet_force(const double *y)
{
    return AREA * y[PRESSURE] - PRELOAD - STIFFNESS * y[POPPET] - POPPET_DAMPING * y[POPPET_SPEED];
}

static EvalStatus valve_f(Model *model, double t, const double *y, double *f)
{
    const double *d = discrete(model);
    double open = fmax(y[POPPET], 0.0), head = y[PRESSURE] - y[TANK];
    double through = OUTFLOW * open * head / sqrt(fabs(head) + 0.1);
    (void)t;
    f[PRESSURE] = BULK * (pump(d) - through - 0.02 * head);
    f[TANK] = 5.0 * (through - 0.6 * y[TANK]);
    f[POPPET] = d[1] != 0.0 ? 0.0 : y[POPPET_SPEED];
    f[POPPET_SPEED] = d[1] != 0.0 ? 0.0 : poppet_force(y) / MASS;
    return EVAL_OK;
}

/* d[1]: at the lower stop (-1), at the upper (1), free (0). */
static EvalStatus valve_g(Model *model, double t, const double *y, double *g)
{
    const double *d = discrete(model);
    (void)t;
    g[0] = d[1] == 0.0 ? y[POPPET] : poppet_force(y) * d[1];
    g[1] = d[1] == 0.0 ? LIFT - y[POPPET] : 1.0;
    return EVAL_OK;
}

static EvalStatus valve_start(Model *model, double t, double *y, EventInfo *info)
{
    double *d = discrete(model);
    (void)t;
    d[0] = 1.0;
    d[1] = -1.0;
    y[PRESSURE] = 5.0;
    y[POPPET] = y[POPPET_SPEED] = 0.0;
    y[TANK] = 0.5;
    info->next_time = PULSE;
    return EVAL_OK;
}

/* Stops reflect three tenths of the speed; slow arrivals rest. */
static void hit_stop(double *y, double *d, double way, EventInfo *info)
{
    info->y_changed = true;
    y[POPPET] = way > 0.0 ? LIFT : 0.0;
    y[POPPET_SPEED] *= -0.3;
    if (fabs(y[POPPET_SPEED]) > 0.05 && poppet_force(y) * way < 0.0) return;
    y[POPPET_SPEED] = 0.0;
    d[1] = poppet_force(y) * way > 0.0 ? way : 0.0;
}

static EvalStatus valve_event(Model *model, double t, double *y, EventInfo *info)
{
    double *d = discrete(model), pulses = floor(t / PULSE + 1e-9);
    info->next_time = (pulses + 1.0) * PULSE;
    if (fabs(t - pulses * PULSE) < 1e-9) {
        d[0] = fmod(pulses, 2.0) == 0.0 ? 1.0 : 0.0;
        info->rhs_changed = true;
        return EVAL_OK;
    }
    if (d[1] != 0.0) {
        if (poppet_force(y) * d[1] > 0.0) return EVAL_OK;
        d[1] = 0.0;
        info->rhs_changed = true;
    } else if (y[POPPET] <= 0.0 && y[POPPET_SPEED] < 0.0) {
        hit_stop(y, d, -1.0, info);
    } else if (y[POPPET] >= LIFT && y[POPPET_SPEED] > 0.0) {
        hit_stop(y, d, 1.0, info);
    }
    return EVAL_OK;
}

static const signed char two_falling[] = { -1, -1 };

const HybridProblem hybrid_valve = {
    .name = "valve",
    .about = "a relief valve between its stops, stiff oil",
    .n = 4,
    .indicators = 2,
    .directions = two_falling,
    .t_end = 20.2,
    .solver = "bdf",
    .foreign = "cvode-bdf",
    .loosest = 1e-4,
    .tightest = 1e-8,
    .type = { .derivatives = valve_f,
              .indicators = valve_g,
              .initialise = valve_start,
              .event = valve_event },
};
