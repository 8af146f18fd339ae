/* interval.c: the map of one interval of a control or estimation problem, and its derivatives,
 * forward and backward.
 *
 * In: x at t0, inputs that are constant or change linearly until t1, parameters held in the model.
 * Out: x at t1 by a number of equal steps of a Runge-Kutta method, and d x(t1) / d (x, u0, u1, p),
 * or the transposed product. How: the steps themselves are differentiated (rk.c). Always:
 * derivatives are those of the computed map, to rounding. Events are not looked for: an interval
 * lies between two. Cost: stages times steps of an evaluation and products. Source: Bock 1987.
 * Tests: tests/sens/interval_test.c. */
#include "sens/inside.h"

#include <stdio.h>

#define G 0.43586652150845899942 /* of L-stability, order 3: Alexander, SIAM J. Numer. Anal. 14 (1977) */

static const RkTableau sdirk3 = {
    3,
    { { G }, { 0.5 * (1 - G), G }, { -0.25 * (6 * G * G - 16 * G + 1), 0.25 * (6 * G * G - 20 * G + 5), G } },
    { -0.25 * (6 * G * G - 16 * G + 1), 0.25 * (6 * G * G - 20 * G + 5), G },
    { G, 0.5 * (1 + G), 1 },
};

struct SensMap {
    Arena *arena;
    SensInterval job;
    Rk rk;
    RkMove move;
    int n, count;   /* states; inputs and parameters */
    int *variables; /* count */
    int step;       /* the present one */
    double t0, t1;
    double *u0, *u1; /* of the last call, copied */
    double *stages;  /* by step: x and its stages, vectors of n */
    double *g;       /* the gradient, while it is collected */
};

static double *vector(SensMap *w, size_t n) { return NEW_ARRAY(w->arena, double, n + 1); }

/* Where a stage is in the interval. */
static double share_of(const SensMap *w, int stage) { return (w->step + w->rk.b.c[stage]) / w->job.steps; }

static void set_inputs(void *arg, int stage, double t)
{
    SensMap *w = arg;
    const char *why;
    (void)t;
    for (int k = 0; k < w->job.input_count; k++) {
        double value = w->u0[k] + (w->job.is_linear ? share_of(w, stage) * (w->u1[k] - w->u0[k]) : 0.0);
        w->job.model->type->set(w->job.model, w->job.inputs[k], value, &why);
    }
}

/* What direction d changes at a stage: after x come u0, u1 and parameters. */
static void changes_of(void *arg, int stage, int d, double *p)
{
    SensMap *w = arg;
    int inputs = w->job.input_count, which = d - w->n;
    double share = share_of(w, stage);
    memset(p, 0, (size_t)w->count * sizeof *p);
    if (which < 0) return;
    if (which < inputs)
        p[which] = w->job.is_linear ? 1.0 - share : 1.0;
    else if (which < 2 * inputs)
        p[which - inputs] = w->job.is_linear ? share : 0.0;
    else
        p[which - inputs] = 1.0;
}

static void collect(void *arg, int stage, const double *gp)
{
    SensMap *w = arg;
    int n = w->n, inputs = w->job.input_count;
    double share = share_of(w, stage);
    for (int k = 0; k < inputs; k++) {
        w->g[n + k] += (w->job.is_linear ? 1.0 - share : 1.0) * gp[k];
        w->g[n + inputs + k] += (w->job.is_linear ? share : 0.0) * gp[k];
    }
    for (int k = 0; k < w->job.parameter_count; k++) w->g[n + 2 * inputs + k] += gp[inputs + k];
}

static bool find_tableau(const char *name, RkTableau *tableau)
{
    const SolverType *type = name ? solver_find(name) : solver_find("rk4");
    *tableau = sdirk3;
    return (name && !strcmp(name, "sdirk3")) || (type && solver_tableau(type, tableau));
}

static void make_room(SensMap *w)
{
    RkMove *v = &w->move;
    size_t n = (size_t)w->n, stages = (size_t)w->rk.b.stages;
    rk_move_init(v, w->arena, &w->rk, w->n + 2 * w->job.input_count + w->job.parameter_count);
    w->stages = vector(w, n * (stages + 1) * (size_t)w->job.steps);
    w->u0 = vector(w, (size_t)w->job.input_count);
    w->u1 = vector(w, (size_t)w->job.input_count);
    v->p_of = changes_of;
    v->arg = w;
}

SensMap *sens_map_new(const SensInterval *job, char *why, size_t room)
{
    RkTableau tableau;
    const Model *model = job->model;
    const char *fault = !find_tableau(job->method, &tableau)
                            ? "there is no such method: rk4, dopri5, sdirk3 or another Runge-Kutta one"
                        : job->steps < 1 ? "an interval needs a step"
                        : !(model->can & MODEL_PRODUCTS) || !(model->can & MODEL_JACOBIAN)
                            ? "the model gives no exact derivatives"
                            : rk_refuses(&tableau, model);
    Arena *arena = fault ? NULL : arena_new();
    if (!arena) {
        snprintf(why, room, "%s", fault ? fault : "no memory");
        return NULL;
    }
    SensMap *w = NEW(arena, SensMap);
    *w = (SensMap){ .arena = arena, .job = *job, .n = model->shape.n };
    w->count = job->input_count + job->parameter_count;
    w->variables = NEW_ARRAY(arena, int, (size_t)w->count + 1);
    if (job->input_count) memcpy(w->variables, job->inputs, (size_t)job->input_count * sizeof(int));
    if (job->parameter_count)
        memcpy(w->variables + job->input_count, job->parameters, (size_t)job->parameter_count * sizeof(int));
    rk_init(&w->rk, arena, job->model, &tableau, w->variables, w->count);
    w->rk.stage = set_inputs;
    w->rk.collect = collect;
    w->rk.arg = w;
    make_room(w);
    return w;
}

void sens_map_free(SensMap *w)
{
    if (!w) return;
    rk_free(&w->rk);
    arena_free(w->arena);
}

/* Of the present step. */
static double *stages_of(SensMap *w) { return w->stages + (ptrdiff_t)w->step * (w->rk.b.stages + 1) * w->n; }

bool sens_map_forward(SensMap *w, double t0, double t1, const double *x, const double *u0, const double *u1,
                      double *end, double *derivatives)
{
    size_t n = (size_t)w->n, inputs = (size_t)w->job.input_count, all = n * (size_t)w->move.directions;
    double h = (t1 - t0) / w->job.steps;
    w->t0 = t0;
    w->t1 = t1;
    if (inputs) memcpy(w->u0, u0, inputs * sizeof *u0);
    if (inputs) memcpy(w->u1, u1 ? u1 : u0, inputs * sizeof *u0);
    memset(w->move.s, 0, all * sizeof(double));
    for (size_t i = 0; i < n; i++) w->move.s[i * n + i] = 1.0;
    memmove(end, x, n * sizeof *x);
    for (w->step = 0; w->step < w->job.steps; w->step++) {
        if (!rk_stages(&w->rk, t0 + w->step * h, h, end, NULL)) return false;
        memcpy(stages_of(w), end, n * sizeof(double));
        memcpy(stages_of(w) + n, w->rk.x, n * (size_t)w->rk.b.stages * sizeof(double));
        if (derivatives && !rk_move(&w->rk, &w->move)) return false;
        rk_end(&w->rk, end);
    }
    if (derivatives) memcpy(derivatives, w->move.s, all * sizeof(double));
    return true;
}

bool sens_map_back(SensMap *w, const double *weights, double *g)
{
    size_t n = (size_t)w->n;
    memset(g, 0, (size_t)w->move.directions * sizeof *g);
    memcpy(g, weights, n * sizeof *g);
    w->g = g;
    double h = (w->t1 - w->t0) / w->job.steps;
    RkBack back = { .l = g };
    for (w->step = w->job.steps; w->step-- > 0;)
        if (!rk_load(&w->rk, w->t0 + w->step * h, h, stages_of(w), stages_of(w) + n) ||
            !rk_back(&w->rk, &back))
            return false;
    return true;
}
