/* jump.c: which relation a state event is due to, and how fast it crossed zero.
 *
 * In: the point where the integrator stopped, the right end of a root's bracket, and its slope. Out: the indicator that is zero there
 * and its rate dg/dt = g_t + g_y f. How: |g / (dg/dt)| is the time by which the point misses the zero; the root's misses it
 * by the width of the bracket only. Always: a rate that nearly vanishes against the mean one since the last point is
 * told: the event grazes, and its time is no smooth function of anything. Cost: two evaluations of all values, one
 * product. Tests: tests/sens/forward_test.c. */
#include "sens/inside.h"

#include <math.h>
#include <stdio.h>

static const double NEAR = 1e-7;    /* of the time since the last accepted point, or of time itself */
static const double GRAZING = 1e-3; /* rate against the mean one */

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

static double miss(const Jump *jump, int k) { return fabs(jump->g[k] / jump->rate[k]); }

static double tolerance(const Jump *jump, double t)
{
    return fmax(NEAR * fabs(t - jump->t_before), 1e-11 * fabs(t));
}

static void warn_of_grazing(Jump *jump, int k, double t)
{
    double way = t - jump->t_before, mean = (jump->g[k] - jump->g_before[k]) / way;
    const char *const *names = jump->model->shape.indicator_names;
    if (!(way > 0.0) || fabs(jump->rate[k]) > GRAZING * fabs(mean) || jump->warning[0]) return;
    snprintf(jump->warning, sizeof jump->warning,
             "the event at t = %.9g only grazes its condition%s%s: derivatives behind it may not exist", t,
             names ? " " : "", names ? names[k] : "");
}

int jump_find(Jump *jump, double t, const double *y, double *f, double *rate)
{
    Model *model = jump->model;
    const ModelType *type = model->type;
    ModelChange change = {
        .t = 1.0, .y = f, .count = jump->count, .variables = jump->variables, .p = jump->zeros
    };
    int best = -1;
    if (!jump->indicators) return -1;
    if (jump->t_last < t) jump_note(jump, t, y);
    if (type->indicators(model, jump->t_before, jump->y_before, jump->g_before) != EVAL_OK ||
        type->indicators(model, t, y, jump->g) != EVAL_OK ||
        type->linearise(model, MAP_INDICATORS, t, y) != EVAL_OK ||
        type->jvp(model, 1, &change, &jump->rate) != EVAL_OK)
        return -1;
    for (int k = 0; k < jump->indicators; k++)
        if (jump->rate[k] != 0.0 && (best < 0 || miss(jump, k) < miss(jump, best))) best = k;
    if (best >= 0 && miss(jump, best) > tolerance(jump, t)) {
        best = -1;
        /* a root was found, but nothing crosses: something only touches zero */
        for (int k = 0; k < jump->indicators; k++)
            if (jump->g[k] * jump->g_before[k] < 0.0) warn_of_grazing(jump, k, t);
    }
    if (best < 0) return -1;
    warn_of_grazing(jump, best, t);
    *rate = jump->rate[best];
    return best;
}

int jump_second(const Jump *jump, int first, double t)
{
    for (int k = 0; k < jump->indicators; k++)
        if (k != first && jump->rate[k] != 0.0 && miss(jump, k) <= tolerance(jump, t) &&
            jump->g[k] * jump->g_before[k] < 0.0)
            return k;
    return -1;
}
