/* wrap.c: the model as integrators see it, with inputs that follow a table, and with a state if
 * it has none.
 *
 * In: a model and a table of signals over time. Out: a model whose every function first sets the
 * inputs for its time. Real inputs are drawn with straight lines; others, and parameters that
 * can be tuned, hold their value until the next row. Where a row repeats the time of the one
 * before, or an input that is held changes, the inputs jump: that is an event, and the table is
 * a chain of smooth pieces between jumps. Cost: a search in the table that starts where the last
 * one ended. Tests: tests/sim/inputs_test.c. */
#include "sim/inside.h"

#include <math.h>
#include <stdio.h>

/* Invariant: within a piece inputs are a function of time alone, also a little beyond its ends, so
 * f stays pure; the piece changes only by wrap_enter, in event mode. Before the first and after the
 * last row the values there hold. Integrators need at least one unknown: a model without states
 * gets one that is constant. */

static double row_time(const Wrap *w, size_t i) { return signal_at(&w->table->time, i); }

/* Whether inputs jump between rows i - 1 and i. */
static bool jumps_at(const Wrap *w, size_t i)
{
    bool repeated = row_time(w, i) == row_time(w, i - 1);
    for (size_t k = 0; k < w->count; k++)
        if ((repeated || w->sources[k].held) &&
            signal_at(w->sources[k].signal, i) != signal_at(w->sources[k].signal, i - 1))
            return true;
    return false;
}

double wrap_next_jump(const Wrap *w)
{
    return w->table && w->last + 1 < w->table->rows ? row_time(w, w->last + 1) : INFINITY;
}

void wrap_enter(Wrap *w, double t)
{
    if (!w->table) return;
    while (w->last + 1 < w->table->rows && row_time(w, w->last + 1) <= t) {
        w->first = w->last + 1;
        for (w->last = w->first; w->last + 1 < w->table->rows && !jumps_at(w, w->last + 1);) w->last++;
    }
    w->hint = w->first;
    w->is_set = false;
}

/* The row at or before t in the piece that holds. */
static size_t row_before(Wrap *w, double t)
{
    size_t low = w->first, high = w->last;
    if (w->hint < w->last && row_time(w, w->hint) <= t && t < row_time(w, w->hint + 1)) return w->hint;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (row_time(w, middle) <= t)
            low = middle;
        else
            high = middle - 1;
    }
    return w->hint = low;
}

/* An input at t, in the piece that holds. */
static double value_at(Wrap *w, const InputSource *source, double t)
{
    size_t i = row_before(w, t);
    double t0 = row_time(w, i), t1 = i + 1 < w->table->rows ? row_time(w, i + 1) : t0;
    double share = t1 > t0 && t > t0 ? fmin((t - t0) / (t1 - t0), 1.0) : 0.0;
    double value = signal_at(source->signal, i);
    return share > 0.0 && !source->held ? value + share * (signal_at(source->signal, i + 1) - value) : value;
}

static void set_inputs(Wrap *w, double t)
{
    const char *why;
    if (!w->table || (w->is_set && t == w->t_set)) return;
    for (size_t k = 0; k < w->count; k++) {
        const InputSource *source = &w->sources[k];
        double value = value_at(w, source, t);
        if (source->signal->kind == COLUMN_TEXT)
            w->inner->type->set_text(w->inner, source->variable,
                                     w->table->texts->names.at[(size_t)value].name, &why);
        else
            w->inner->type->set(w->inner, source->variable, value, &why);
    }
    w->t_set = t;
    w->is_set = true;
}

/* ---- the functions of the model -------------------------------------------------------------- */

static Wrap *wrap_at(Model *model, double t)
{
    Wrap *w = model->data;
    set_inputs(w, t);
    return w;
}

static EvalStatus wrap_derivatives(Model *model, double t, const double *y, double *f)
{
    Wrap *w = wrap_at(model, t);
    if (w->inner->shape.n == 0) {
        f[0] = 0.0; /* but assertions count */
        return w->inner->type->derivatives ? w->inner->type->derivatives(w->inner, t, y, f + 1) : EVAL_OK;
    }
    return w->inner->type->derivatives(w->inner, t, y, f);
}

static EvalStatus wrap_residual(Model *model, double t, const double *y, const double *yp, double *r)
{
    Wrap *w = wrap_at(model, t);
    return w->inner->type->residual(w->inner, t, y, yp, r);
}

static EvalStatus wrap_jacobian(Model *model, double t, const double *y, const MatrixShape *order,
                                double *values)
{
    Wrap *w = wrap_at(model, t);
    return w->inner->type->jacobian(w->inner, t, y, order, values);
}

static EvalStatus wrap_residual_jacobian(Model *model, double t, const double *y, const double *yp, double c,
                                         const MatrixShape *order, double *values)
{
    Wrap *w = wrap_at(model, t);
    return w->inner->type->residual_jacobian(w->inner, t, y, yp, c, order, values);
}

static EvalStatus wrap_variation(Model *model, double t, const double *y, const MatrixShape *order,
                                 double *values, double *g)
{
    Wrap *w = wrap_at(model, t);
    return w->inner->type->variation(w->inner, t, y, order, values, g);
}

static EvalStatus wrap_indicators(Model *model, double t, const double *y, double *g)
{
    Wrap *w = wrap_at(model, t);
    return w->inner->type->indicators(w->inner, t, y, g);
}

static bool wrap_accepted(Model *model, double t, const double *y)
{
    Wrap *w = wrap_at(model, t);
    return w->inner->type->accepted(w->inner, t, y);
}

static double wrap_extrapolation_error(Model *model, double t, const double *y)
{
    Wrap *w = wrap_at(model, t);
    return w->inner->type->extrapolation_error(w->inner, t, y);
}

static EvalStatus wrap_initialise(Model *model, double t, double *y, EventInfo *info)
{
    Wrap *w = wrap_at(model, t);
    return w->inner->type->initialise(w->inner, t, y, info);
}

static EvalStatus wrap_event(Model *model, double t, double *y, EventInfo *info)
{
    Wrap *w = wrap_at(model, t);
    return w->inner->type->event(w->inner, t, y, info);
}

static EvalStatus wrap_values(Model *model, double t, const double *y, double *values)
{
    Wrap *w = wrap_at(model, t);
    return w->inner->type->values(w->inner, t, y, values);
}

/* How inputs that are drawn with straight lines change over a step, for a model that can use
 * that. */
static void set_slopes(Wrap *w, double t, double h)
{
    if (!w->table || !w->inner->type->set_slope || !(h > 0.0)) return;
    for (size_t k = 0; k < w->count; k++) {
        const InputSource *source = &w->sources[k];
        double now = value_at(w, source, t), then = value_at(w, source, t + h);
        if (!source->held) w->inner->type->set_slope(w->inner, source->variable, now, (then - now) / h);
    }
}

static EvalStatus wrap_step(Model *model, double t, double h, StepInfo *info)
{
    Wrap *w = wrap_at(model, t);
    set_slopes(w, t, h);
    return w->inner->type->step(w->inner, t, h, info);
}

static const char *wrap_failure(const Model *model)
{
    const Wrap *w = model->data;
    return w->inner->type->failure(w->inner);
}

static ModelType wrapped_type(const ModelType *inner, bool empty)
{
    return (ModelType){ .derivatives = inner->derivatives || empty ? wrap_derivatives : NULL,
                        .residual = inner->residual && !empty ? wrap_residual : NULL,
                        .jacobian = inner->jacobian && !empty ? wrap_jacobian : NULL,
                        .residual_jacobian =
                            inner->residual_jacobian && !empty ? wrap_residual_jacobian : NULL,
                        .variation = inner->variation && !empty ? wrap_variation : NULL,
                        .indicators = inner->indicators ? wrap_indicators : NULL,
                        .accepted = inner->accepted ? wrap_accepted : NULL,
                        .extrapolation_error = inner->extrapolation_error ? wrap_extrapolation_error : NULL,
                        .initialise = wrap_initialise,
                        .event = wrap_event,
                        .values = wrap_values,
                        .step = inner->step ? wrap_step : NULL,
                        .failure = inner->failure ? wrap_failure : NULL };
}

/* ---- making ---------------------------------------------------------------------------------- */

static int find_input(const Model *model, const char *name)
{
    const ModelVariable *v = model->shape.variables;
    for (int i = 0; i < model->shape.variable_count; i++)
        if ((v[i].is_input || v[i].is_tunable) && !strcmp(model->shape.variables[i].name, name)) return i;
    return -1;
}

/* A name for a hint: the input nearest to one that the model does not have. */
static void explain_unknown(const Model *model, Arena *arena, const char *name, char *why, size_t room)
{
    VEC(const char *) names = { 0 };
    for (int i = 0; i < model->shape.variable_count; i++)
        if (model->shape.variables[i].is_input) vec_push(arena, &names, model->shape.variables[i].name);
    const char *near = names.n ? text_nearest(str_of(name), names.at, names.n) : NULL;
    if (near)
        snprintf(why, room, "the model has no input '%s'; did you mean '%s'?", name, near);
    else
        snprintf(why, room, "the model has no input '%s'", name);
}

static bool find_sources(Wrap *w, Arena *arena, char *why, size_t room)
{
    const ResultTable *table = w->table;
    w->sources = NEW_ARRAY(arena, InputSource, table->count + 1);
    if (table->rows == 0 || !w->inner->type->set) {
        snprintf(why, room, table->rows ? "the model takes no inputs" : "the table of inputs has no rows");
        return false;
    }
    for (size_t i = 0; i < table->count; i++) {
        const Signal *signal = &table->signals[i];
        int variable = find_input(w->inner, signal->name);
        if (variable < 0) {
            explain_unknown(w->inner, arena, signal->name, why, room);
            return false;
        }
        if (signal->kind == COLUMN_TEXT && !w->inner->type->set_text) {
            snprintf(why, room, "input '%s' takes numbers, not texts", signal->name);
            return false;
        }
        for (size_t row = 0; row < table->rows; row++)
            if (!isfinite(signal_at(signal, row))) {
                snprintf(why, room, "input '%s' is not a finite number in row %zu", signal->name, row + 1);
                return false;
            }
        const ModelVariable *v = &w->inner->shape.variables[variable];
        bool held = v->type != VARIABLE_REAL || v->is_tunable;
        w->sources[w->count++] = (InputSource){ variable, signal, held };
    }
    return true;
}

bool wrap_init(Wrap *w, Arena *arena, Model *inner, const ResultTable *inputs, char *why, size_t room)
{
    *w = (Wrap){ .use = inner, .inner = inner, .table = inputs };
    bool empty = inner->shape.n == 0 && !inner->type->step;
    if (!inputs && !empty) return true;
    if (inputs && !find_sources(w, arena, why, room)) return false;
    ModelShape shape = inner->shape;
    if (inputs) shape.first = NULL; /* it would not follow them */
    if (empty) {
        shape.n = 1;
        shape.systems = 0;
        shape.first = NULL;
        shape.names = NULL;
        shape.nominal = shape.low = shape.high = shape.mass = NULL;
        shape.algebraic = shape.index = shape.rates = NULL;
        shape.pattern = shape.mass_pattern = NULL;
    }
    const char *fault;
    w->type = wrapped_type(inner->type, empty);
    if (!model_init(&w->model, &w->type, &shape, w, &fault)) {
        snprintf(why, room, "%s", fault);
        return false;
    }
    w->use = &w->model;
    if (inputs)
        for (w->last = 0; w->last + 1 < inputs->rows && !jumps_at(w, w->last + 1);) w->last++;
    return true;
}

/* ---- inputs alone ---------------------------------------------------------------------------- */

struct SimInputs {
    Wrap wrap;
};

SimInputs *sim_inputs_new(Arena *arena, Model *model, const ResultTable *table, char *why, size_t room)
{
    SimInputs *inputs = NEW(arena, SimInputs);
    return wrap_init(&inputs->wrap, arena, model, table, why, room) ? inputs : NULL;
}

void sim_inputs_enter(SimInputs *inputs, double t) { wrap_enter(&inputs->wrap, t); }
void sim_inputs_set(SimInputs *inputs, double t) { set_inputs(&inputs->wrap, t); }
