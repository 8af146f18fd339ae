/* models.h: small hybrid models written by hand, with closed forms where there are some. */
#ifndef ACAUSAL_TEST_SIM_MODELS_H
#define ACAUSAL_TEST_SIM_MODELS_H

#include "sim/sim.h"
#include "test.h"

/* What the models remember: discrete variables, relations, a parameter, an input. */
typedef struct {
    double p, u, d, next;
    int count;
    const char *words;
    long accepted;
} Memory;

typedef struct {
    Model model;
    Memory memory;
} Instance;

static inline Memory *memory_of(const Model *model) { return model->data; }
static inline const char *words_of(const Model *model) { return memory_of(model)->words; }

static inline bool count_accepted(Model *model, double t, const double *y)
{
    (void)t, (void)y;
    memory_of(model)->accepted++;
    return false;
}

/* Inputs, and p. */
static inline bool set_variable(Model *model, int variable, double value, const char **why)
{
    const ModelVariable *v = &model->shape.variables[variable];
    *why = "only inputs and p can be set";
    if (!v->is_input && strcmp(v->name, "p") != 0) return false;
    *(v->is_input ? &memory_of(model)->u : &memory_of(model)->p) = value;
    return true;
}

/* All models: slot 0 and 1 are the states, 2 is d, 3 is p, 4 is u, 5 is der of the first state. */
static inline EvalStatus common_values(Model *model, double t, const double *y, double *values)
{
    double f[2] = { 0.0, 0.0 };
    const Memory *m = memory_of(model);
    values[0] = model->shape.n > 0 ? y[0] : 0.0;
    values[1] = model->shape.n > 1 ? y[1] : 0.0;
    values[2] = m->d;
    values[3] = m->p;
    values[4] = m->u;
    if (model->shape.n > 0) model->type->derivatives(model, t, y, f);
    values[5] = f[0];
    return EVAL_OK;
}

static const ModelVariable common_variables[] = {
    { "x", "m", "", "first state", VARIABLE_REAL, VARIABLE_CONTINUOUS, 0, false, .is_state = true },
    { "v", "m/s", "", "second state", VARIABLE_REAL, VARIABLE_CONTINUOUS, 1, false, .is_state = true,
      .is_settable = true },
    { "d", "", "", "", VARIABLE_REAL, VARIABLE_DISCRETE, 2, .negated = false },
    { "p", "", "", "", VARIABLE_REAL, VARIABLE_PARAMETER, 3, .is_settable = true },
    { "u", "", "", "", VARIABLE_REAL, VARIABLE_CONTINUOUS, 4, false, .is_input = true },
    { "minus_x", "m", "", "", VARIABLE_REAL, VARIABLE_CONTINUOUS, 0, .negated = true },
    { "text", "", "", "", VARIABLE_STRING, VARIABLE_DISCRETE, 2, .negated = false },
    { "switch", "", "", "", VARIABLE_BOOLEAN, VARIABLE_DISCRETE, 4, false, .is_input = true },
};

static inline void make_model(Instance *i, const ModelType *type, int n, int indicators, double p)
{
    static const char *const names[] = { "x", "v" }, *const relations[] = { "x > 0" };
    const char *why;
    ModelShape shape = { .name = "test",
                         .n = n,
                         .names = names,
                         .indicators = indicators,
                         .indicator_names = relations,
                         .variables = common_variables,
                         .variable_count = (int)COUNT_OF(common_variables),
                         .value_count = 6 };
    *i = (Instance){ .memory = { .p = p } };
    CHECK(model_init(&i->model, type, &shape, &i->memory, &why));
}

/* A run with the result in memory. */
static inline ResultTable *run_model(Instance *i, SimOptions *o, SimReport *report)
{
    ResultSink *sink = sink_memory();
    o->sink = sink;
    sim_run(&i->model, o, report);
    ResultTable *table = sink_table(sink);
    sink_free(sink);
    o->sink = NULL;
    return table;
}

/* ---- a ball that bounces: x'' = -g, v := -p v when x falls below 0 --------------------------- */

static const double GRAVITY = 9.81;

static inline EvalStatus ball_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = y[1];
    f[1] = -GRAVITY;
    return EVAL_OK;
}

static inline EvalStatus height_indicator(Model *model, double t, const double *y, double *g)
{
    (void)model, (void)t;
    g[0] = y[0];
    return EVAL_OK;
}

static inline EvalStatus ball_start(Model *model, double t, double *y, EventInfo *info)
{
    (void)model, (void)t;
    y[0] = 1.0;
    y[1] = 0.0;
    info->next_time = INFINITY;
    return EVAL_OK;
}

static inline EvalStatus ball_event(Model *model, double t, double *y, EventInfo *info)
{
    Memory *m = memory_of(model);
    (void)t;
    *info = (EventInfo){ .next_time = INFINITY, .iterations = 1 };
    if (y[0] <= 0.0 && y[1] < 0.0) {
        y[1] *= -m->p;
        m->d++;
        info->y_changed = info->rhs_changed = true;
        info->iterations = 2;
    }
    return EVAL_OK;
}

static const ModelType ball = { .derivatives = ball_f,
                                .indicators = height_indicator,
                                .initialise = ball_start,
                                .event = ball_event,
                                .values = common_values,
                                .accepted = count_accepted };

#endif
