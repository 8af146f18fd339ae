/* jump.c: which relation a state event is due to, and how fast it crossed zero.
 *
 * In: the indicators that the integrator found a root of, the point where it stopped, its slope.
 * Out: the indicator that the event's time follows from and its rate dg/dt = g_t + g_y f. Of
 * several the one that changed most since the last point counts: others may be zero all the time
 * but for rounding, as the slip of a clutch that is locked. Always: a rate that nearly vanishes
 * against the mean one since the last point is told: the event grazes, and its time is no smooth
 * function of anything. Cost: two evaluations of all values, one product. Tests:
 * tests/sens/derivatives_test.c. */
#include "sens/inside.h"

#include <math.h>
#include <stdio.h>

static const double ROUNDING = 1e-10; /* rate against the terms it is the sum of */
static const double GRAZING = 1e-3;   /* rate against the mean one */

void jump_init(Jump *jump, Arena *arena, Model *model, const int *variables, int count)
{
    int m = model->shape.indicators;
    *jump = (Jump){
        .model = model, .n = model->shape.n, .indicators = m, .variables = variables, .count = count
    };
    jump->g = NEW_ARRAY(arena, double, (size_t)m + 1);
    jump->g_before = NEW_ARRAY(arena, double, (size_t)m + 1);
    jump->rate = NEW_ARRAY(arena, double, (size_t)m + 1);
    jump->zeros = NEW_ARRAY(arena, double, (size_t)count + 1);
    jump->weights = NEW_ARRAY(arena, double, (size_t)m + 1);
    jump->g_y = NEW_ARRAY(arena, double, (size_t)jump->n + 1);
    jump->g_p = NEW_ARRAY(arena, double, (size_t)count + 1);
    jump->y_before = NEW_ARRAY(arena, double, (size_t)jump->n + 1);
    jump->y_last = NEW_ARRAY(arena, double, (size_t)jump->n + 1);
}

void jump_note(Jump *jump, double t, const double *y)
{
    double *spare = jump->y_before;
    if (!jump->indicators || t == jump->t_last) return;
    jump->t_before = jump->t_last;
    jump->y_before = jump->y_last;
    jump->t_last = t;
    jump->y_last = spare;
    memcpy(jump->y_last, y, (size_t)jump->n * sizeof *y);
}

void jump_begin(Jump *jump, double t, const double *y)
{
    jump->t_before = jump->t_last = t;
    memcpy(jump->y_before, y, (size_t)jump->n * sizeof *y);
    memcpy(jump->y_last, y, (size_t)jump->n * sizeof *y);
}

static void warn_of_grazing(Jump *jump, int k, double t)
{
    double way = t - jump->t_before, mean = (jump->g[k] - jump->g_before[k]) / way;
    const char *const *names = jump->model->shape.indicator_names;
    if (!(way > 0.0) || fabs(jump->rate[k]) > GRAZING * fabs(mean) || jump->warning[0]) return;
    snprintf(jump->warning, sizeof jump->warning,
             "the event at t = %.9g only grazes its condition%s%s: derivatives after it may not exist", t,
             names ? " " : "", names ? names[k] : "");
}

/* Whether the rate is what rounding leaves of larger terms: then the indicator is zero all the
 * time. */
static bool is_rounding(Jump *jump, int k, const double *f)
{
    Model *model = jump->model;
    ModelChange g = { .y = jump->g_y, .count = jump->count, .variables = jump->variables, .p = jump->g_p };
    memset(jump->weights, 0, (size_t)jump->indicators * sizeof(double));
    jump->weights[k] = 1.0;
    if (model->type->vjp(model, jump->weights, &g) != EVAL_OK) return true;
    double size = fabs(g.t);
    for (int i = 0; i < jump->n; i++) size += fabs(jump->g_y[i] * f[i]);
    return fabs(jump->rate[k]) <= ROUNDING * size;
}

static double change(const Jump *jump, int k) { return fabs(jump->g[k] - jump->g_before[k]); }

int jump_find(Jump *jump, const signed char *roots, double t, const double *y, double *f, double *rate)
{
    Model *model = jump->model;
    const ModelType *type = model->type;
    ModelChange step = {
        .t = 1.0, .y = f, .count = jump->count, .variables = jump->variables, .p = jump->zeros
    };
    int best = -1, flat = -1;
    jump->second = -1;
    if (!jump->indicators || !roots) return -1;
    if (jump->t_last < t) jump_note(jump, t, y);
    if (type->indicators(model, jump->t_before, jump->y_before, jump->g_before) != EVAL_OK ||
        type->indicators(model, t, y, jump->g) != EVAL_OK ||
        type->linearise(model, MAP_INDICATORS, t, y) != EVAL_OK ||
        type->jvp(model, 1, &step, &jump->rate) != EVAL_OK)
        return -1;
    for (int k = 0; k < jump->indicators; k++) {
        if (roots[k] && jump->rate[k] == 0.0 && change(jump, k) > 0.0) flat = k;
        if (!roots[k] || jump->rate[k] == 0.0) continue;
        if (best >= 0 && change(jump, k) <= change(jump, best)) {
            jump->second = k;
            continue;
        }
        jump->second = best;
        best = k;
    }
    if (best < 0 && flat >= 0) warn_of_grazing(jump, flat, t);
    if (best < 0 || is_rounding(jump, best, f)) return -1;
    int second = jump->second;
    if (second >= 0 && (change(jump, second) < 1e-9 * change(jump, best) || is_rounding(jump, second, f)))
        jump->second = -1;
    warn_of_grazing(jump, best, t);
    *rate = jump->rate[best];
    return best;
}
