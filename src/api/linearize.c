/* linearize.c: a model near a point as x' = A x + B u, y = C x + D u.
 *
 * In: a model, how the point is reached, names of inputs and outputs. Out: matrices, poles, zeros,
 * responses. How: products with the derivatives of right-hand side and values, where the model has
 * them; central differences else (FMUs, models with delays). Relations and discrete variables are
 * held as they are at the point. Cost: a product an unknown and an input. Tests:
 * tests/study/statespace_test.c, tests/cli/linearize.sh. */
#include "api/inside.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_ITERATIONS = 50, FREQUENCIES = 400, STEP_ROWS = 501 };

typedef struct {
    AcausalModel *m;
    Model *model;
    Arena *arena;
    AcausalLinear *out;
    SimOptions options;
    int n, *inputs, *outputs;
    size_t input_count, output_count;
    double t, *x, *f, *values;
    bool seen; /* a point came by */
    bool is_exact;
} Work;

/* ---- the point ------------------------------------------------------------------------------- */

static void see(void *arg, const SimPoint *point)
{
    Work *w = arg;
    w->t = point->t;
    memcpy(w->x, point->y, (size_t)w->n * sizeof *w->x);
    w->seen = true;
}

static bool fail(Work *w, const char *doing)
{
    const char *words = w->model->type->failure ? w->model->type->failure(w->model) : NULL;
    Text text = { .arena = w->m->texts };
    text_printf(&text, "%s at t = %.9g%s%s", doing, w->t, words && *words ? ": " : "", words ? words : "");
    w->out->message = text.at;
    return false;
}

static bool evaluate(Work *w)
{
    return (!w->n || w->model->type->derivatives(w->model, w->t, w->x, w->f) == EVAL_OK) &&
           w->model->type->values(w->model, w->t, w->x, w->values) == EVAL_OK;
}

static void no_row(void *arg, double t, const double *values) { (void)arg, (void)t, (void)values; }

/* Inputs as a file has them at the start. */
static bool take_inputs(Work *w, const char *path)
{
    char why[400];
    if (!path) return true;
    ResultTable *table = result_read(path, why, sizeof why);
    SimInputs *inputs = table ? sim_inputs_new(w->arena, w->model, table, why, sizeof why) : NULL;
    if (inputs) sim_inputs_enter(inputs, w->t), sim_inputs_set(inputs, w->t);
    result_free(table);
    return inputs || wrong(w->m->session, E_OPTION, "%s", why);
}

/* Runs there, or only solves the initial equations. */
static AcausalStatus reach(Work *w, const AcausalLinearize *what, const AcausalSimulation *run)
{
    EventInfo info = { 0 };
    w->t = w->options.t0;
    if (isnan(what->time) || what->time == w->options.t0) {
        bool ok = take_inputs(w, run->inputs);
        if (!ok) return ACAUSAL_WRONG;
        ok = w->model->type->initialise(w->model, w->t, w->x, &info) == EVAL_OK;
        return ok ? ACAUSAL_DONE : (fail(w, "the initial equations are not solved"), ACAUSAL_FAILED);
    }
    AcausalSimulationReport report = { .message = "" };
    AcausalSimulation own = *run;
    own.keep = own.keep_steps = false;
    own.output = NULL;
    RowSink rows = row_sink(no_row, NULL); /* without rows nothing comes by */
    w->options.t_end = what->time;
    w->options.points = 1;
    w->options.interval = 0.0;
    w->m->visit = see;
    w->m->visit_arg = w;
    AcausalStatus status = simulate_model(w->m, &own, &w->options, &rows.sink, &report);
    w->m->visit = NULL;
    if (status == ACAUSAL_DONE && !w->seen && w->n) {
        w->out->message = "the run came past no point";
        return ACAUSAL_FAILED;
    }
    if (status != ACAUSAL_DONE) w->out->message = report.message;
    w->t = report.t;
    return status;
}

/* ---- matrices -------------------------------------------------------------------------------- */

static double of_variable(const Work *w, const double *values, int variable)
{
    const ModelVariable *v = &w->model->shape.variables[variable];
    return v->negated ? -values[v->slot] : values[v->slot];
}

/* One column of [A B; C D] by products. */
static bool column_exact(Work *w, int j, double *df, double *dv)
{
    ModelChange change = { .count = (int)w->input_count, .variables = w->inputs };
    change.y = NEW_ARRAY(w->arena, double, (size_t)w->n + 1);
    change.p = NEW_ARRAY(w->arena, double, w->input_count + 1);
    *(j < w->n ? &change.y[j] : &change.p[j - w->n]) = 1.0;
    const ModelType *type = w->model->type;
    return type->linearise(w->model, MAP_DERIVATIVES, w->t, w->x) == EVAL_OK &&
           type->jvp(w->model, 1, &change, &df) == EVAL_OK &&
           type->linearise(w->model, MAP_VALUES, w->t, w->x) == EVAL_OK &&
           type->jvp(w->model, 1, &change, &dv) == EVAL_OK;
}

static bool move(Work *w, int j, double value)
{
    const char *why;
    if (j >= w->n) return w->model->type->set(w->model, w->inputs[j - w->n], value, &why);
    w->x[j] = value;
    return true;
}

static bool column_by_differences(Work *w, int j, double *df, double *dv)
{
    const double *nominal = w->model->shape.nominal;
    double at = j < w->n ? w->x[j] : of_variable(w, w->values, w->inputs[j - w->n]);
    double size = fmax(fabs(at), j < w->n && nominal ? fabs(nominal[j]) : 1.0);
    double h = exp2(round(log2(cbrt(DBL_EPSILON) * size)));
    size_t n = (size_t)w->n, count = (size_t)w->model->shape.value_count;
    double *f = w->f, *values = w->values;
    double *f2 = NEW_ARRAY(w->arena, double, n + 1), *v2 = NEW_ARRAY(w->arena, double, count + 1);
    w->f = df, w->values = dv;
    bool ok = move(w, j, at + h) && evaluate(w);
    w->f = f2, w->values = v2;
    ok = ok && move(w, j, at - h) && evaluate(w);
    w->f = f, w->values = values;
    for (size_t i = 0; i < n; i++) df[i] = (df[i] - f2[i]) / (2.0 * h);
    for (size_t i = 0; i < count; i++) dv[i] = (dv[i] - v2[i]) / (2.0 * h);
    return move(w, j, at) && ok;
}

/* Fills A, and with `all` the others. */
static bool differentiate(Work *w, double *a, double *b, double *c, double *d, bool all)
{
    int n = w->n, m = (int)w->input_count, p = (int)w->output_count;
    double *df = NEW_ARRAY(w->arena, double, (size_t)n + 1),
           *dv = NEW_ARRAY(w->arena, double, (size_t)w->model->shape.value_count + 1);
    for (int j = 0; j < (all ? n + m : n); j++) {
        if (!(w->is_exact ? column_exact : column_by_differences)(w, j, df, dv))
            return fail(w, "the derivatives cannot be computed");
        for (int i = 0; i < n; i++) *(j < n ? &a[i * n + j] : &b[i * m + j - n]) = df[i];
        for (int i = 0; i < p && all; i++)
            *(j < n ? &c[i * n + j] : &d[i * m + j - n]) = of_variable(w, dv, w->outputs[i]);
    }
    return evaluate(w) || fail(w, "the model cannot be evaluated");
}

/* ---- the steady state ------------------------------------------------------------------------ */

static double size_of_rates(const Work *w)
{
    double most = 0.0;
    for (int i = 0; i < w->n; i++) {
        double nominal = w->model->shape.nominal ? fabs(w->model->shape.nominal[i]) : 1.0;
        most = fmax(most, fabs(w->f[i]) / (nominal > 0.0 ? nominal : 1.0));
    }
    return most;
}

/* A step of Newton's method, shortened until |f| falls. */
static bool newton_step(Work *w, double *a, double before)
{
    size_t n = (size_t)w->n;
    double *dx = NEW_ARRAY(w->arena, double, n + 1), *from = NEW_ARRAY(w->arena, double, n + 1);
    EventInfo info = { 0 };
    if (!differentiate(w, a, NULL, NULL, NULL, false)) return false;
    for (size_t i = 0; i < n; i++) dx[i] = -w->f[i], from[i] = w->x[i];
    if (!space_least(w->n, a, dx, w->arena)) return fail(w, "the Jacobian cannot be factored");
    for (double share = 1.0; share > 1e-6; share *= 0.5) {
        for (size_t i = 0; i < n; i++) w->x[i] = from[i] + share * dx[i];
        bool ok = w->model->type->event(w->model, w->t, w->x, &info) == EVAL_OK && evaluate(w);
        if (ok && size_of_rates(w) < before) return true;
    }
    memcpy(w->x, from, n * sizeof *from);
    evaluate(w);
    return fail(w, "Newton's method finds no steady state: no step makes x' smaller");
}

static bool find_steady_state(Work *w, double *a)
{
    if (!evaluate(w)) return fail(w, "the model cannot be evaluated");
    double size = size_of_rates(w), last = INFINITY;
    for (w->out->iterations = 0; size > 1e-10; w->out->iterations++) {
        if (w->out->iterations == MOST_ITERATIONS) return fail(w, "no steady state is found in 50 steps");
        if (!newton_step(w, a, size)) return size <= 1e-7; /* rounding leaves no way on */
        last = size, size = size_of_rates(w);
        if (size > 0.999 * last && size < 1e-7) break;
    }
    return true;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool choose(Work *w, const char *const *names, size_t n, bool inputs)
{
    const ModelShape *shape = &w->model->shape;
    int *found = NEW_ARRAY(w->arena, int, (size_t)shape->variable_count + n + 1);
    size_t count = 0;
    bool ok = true;
    for (int i = 0; i < shape->variable_count && !names; i++) {
        const ModelVariable *v = &shape->variables[i];
        if ((inputs ? v->is_input : v->is_output) && v->type == VARIABLE_REAL) found[count++] = i;
    }
    for (size_t k = 0; k < n && names; k++) {
        const ModelVariable *v = model_find_variable(w->model, str_of(names[k]));
        if (!v)
            ok = unknown(w->m->session, inputs ? "input" : "variable", names[k],
                         model_nearest_variable(w->m->session, w->model, str_of(names[k])));
        else if (inputs && !v->is_input)
            ok = wrong(w->m->session, E_OPTION, "'%s' is no input", names[k]);
        else if (v->type != VARIABLE_REAL)
            ok = wrong(w->m->session, E_OPTION, "'%s' is no Real: it has no derivatives", names[k]);
        else
            found[count++] = (int)(v - shape->variables);
    }
    *(inputs ? &w->inputs : &w->outputs) = found;
    *(inputs ? &w->input_count : &w->output_count) = count;
    return ok;
}

static const char *const *names_of(Work *w, const int *variables, size_t n)
{
    const char **names = NEW_ARRAY(w->m->texts, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        names[i] = arena_copy(w->m->texts, str_of(w->model->shape.variables[variables[i]].name));
    return names;
}

/* ---- responses ------------------------------------------------------------------------------- */

static AcausalResult *table_of(Work *w, bool is_bode, const StateSpace *s, const double *times, int rows,
                               const double *values, size_t width)
{
    ResultSink *sink = sink_memory();
    if (!sink) return NULL;
    Column *columns = NEW_ARRAY(w->arena, Column, width + 1);
    const ModelVariable *variables = w->model->shape.variables;
    for (int i = 0, at = 0; i < s->p; i++)
        for (int j = 0; j < s->m; j++)
            for (int part = 0; part < (is_bode ? 2 : 1); part++, at++) {
                Text name = { .arena = w->arena };
                text_printf(&name, is_bode ? "%s(%s/%s)" : "%s%s for a step of %s",
                            !is_bode ? ""
                            : part   ? "phase"
                                     : "gain",
                            variables[w->outputs[i]].name, variables[w->inputs[j]].name);
                columns[at] = (Column){ name.at, !is_bode ? "" : part ? "deg" : "dB",
                                        "",      COLUMN_CONTINUOUS,
                                        at,      false };
            }
    if (is_bode)
        columns[width - 1] = (Column){ "frequency", "rad/s", "", COLUMN_CONTINUOUS, (int)width - 1, false };
    sink_begin(sink, columns, width, values);
    for (int k = 0; k < rows; k++) sink_row(sink, times[k], values + (size_t)k * width);
    sink_end(sink);
    ResultTable *table = sink_table(sink);
    sink_free(sink);
    return (AcausalResult *)table;
}

/* Sizes of poles and zeros that are not at 0: the slowest and the fastest. */
static void range_of(const AcausalLinear *l, double *slow, double *fast)
{
    *slow = INFINITY, *fast = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        size_t n = pass ? l->zeros : l->states;
        for (size_t i = 0; i < n; i++) {
            double size = pass ? hypot(l->zero_re[i], l->zero_im[i]) : hypot(l->pole_re[i], l->pole_im[i]);
            if (size > *fast) *fast = size;
        }
    }
    for (size_t i = 0; i < l->states; i++) {
        double size = hypot(l->pole_re[i], l->pole_im[i]);
        if (size > 1e-9 * *fast && size < *slow) *slow = size;
    }
    if (!(*fast > 0.0)) *fast = 1.0;
    if (!isfinite(*slow)) *slow = *fast;
}

static void respond(Work *w, const StateSpace *s)
{
    AcausalLinear *l = w->out;
    size_t pairs = (size_t)s->m * (size_t)s->p, width = 2 * pairs + 1;
    double slow, fast, *values = NEW_ARRAY(w->arena, double, width *FREQUENCIES),
                       *times = NEW_ARRAY(w->arena, double, STEP_ROWS),
                       *re = NEW_ARRAY(w->arena, double, pairs), *im = NEW_ARRAY(w->arena, double, pairs);
    int rows = 0;
    range_of(l, &slow, &fast);
    for (int k = 0; k < FREQUENCIES; k++) {
        double omega = 0.01 * slow * pow(1e4 * fast / slow, k / (FREQUENCIES - 1.0));
        double *row = values + (size_t)rows * width;
        const double *before = rows ? row - width : row;
        ArenaMark mark = arena_mark(w->arena);
        bool ok = space_response(s, w->arena, omega, re, im);
        arena_rewind(w->arena, mark);
        if (!ok) continue; /* at a pole */
        for (size_t i = 0; i < pairs; i++) {
            double phase = atan2(im[i], re[i]) * 180.0 / 3.14159265358979323846;
            if (rows) phase += 360.0 * round((before[2 * i + 1] - phase) / 360.0);
            row[2 * i] = 20.0 * log10(fmax(hypot(re[i], im[i]), 1e-300));
            row[2 * i + 1] = phase;
        }
        row[width - 1] = times[rows++] = omega;
    }
    l->bode = table_of(w, true, s, times, rows, values, width);
    double h = 10.0 / slow / (STEP_ROWS - 1), *steps = NEW_ARRAY(w->arena, double, pairs *STEP_ROWS);
    for (int k = 0; k < STEP_ROWS; k++) times[k] = k * h;
    space_steps(s, w->arena, h, STEP_ROWS, steps);
    l->step = table_of(w, false, s, times, STEP_ROWS, steps, pairs);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool fill(Work *w, bool responds)
{
    AcausalLinear *l = w->out;
    Arena *texts = w->m->texts;
    size_t n = (size_t)w->n, m = w->input_count, p = w->output_count;
    double *a = NEW_ARRAY(texts, double, n *n + 1), *b = NEW_ARRAY(texts, double, n *m + 1),
           *c = NEW_ARRAY(texts, double, p *n + 1), *d = NEW_ARRAY(texts, double, p *m + 1),
           *u = NEW_ARRAY(texts, double, m + 1), *y = NEW_ARRAY(texts, double, p + 1),
           *re = NEW_ARRAY(texts, double, 2 * (n + m) + 1), *im = NEW_ARRAY(texts, double, 2 * (n + m) + 1);
    if (!differentiate(w, a, b, c, d, true)) return false;
    for (size_t k = 0; k < m; k++) u[k] = of_variable(w, w->values, w->inputs[k]);
    for (size_t k = 0; k < p; k++) y[k] = of_variable(w, w->values, w->outputs[k]);
    const char **states = NEW_ARRAY(texts, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        char room[32];
        states[i] = arena_copy(texts, str_of(model_name(w->model, (int)i, room, sizeof room)));
    }
    StateSpace space = { w->n, (int)m, (int)p, a, b, c, d };
    if (!space_poles(&space, w->arena, re, im)) return fail(w, "LAPACK does not find the poles");
    int zeros = space_zeros(&space, w->arena, re + n, im + n);
    l->t = w->t;
    l->states = n, l->inputs = m, l->outputs = p;
    l->state_names = states;
    l->input_names = names_of(w, w->inputs, m);
    l->output_names = names_of(w, w->outputs, p);
    l->a = a, l->b = b, l->c = c, l->d = d, l->u = u, l->y = y;
    l->x = w->x, l->rates = w->f;
    l->pole_re = re, l->pole_im = im, l->zero_re = re + n, l->zero_im = im + n;
    l->zeros = zeros > 0 ? (size_t)zeros : 0;
    l->is_square = zeros >= 0;
    l->is_exact = w->is_exact;
    if (responds && m && p) respond(w, &space);
    return true;
}

static AcausalStatus work(Work *w, const AcausalLinearize *what, const AcausalSimulation *run)
{
    AcausalModel *m = w->m;
    if (wants_residual_form(run))
        return wrong(m->session, E_OPTION, "a model is linearised with form=ode"), ACAUSAL_WRONG;
    if (!model_begin(m, run, true, &w->options)) return ACAUSAL_WRONG;
    w->model = m->model;
    if (w->model->can & MODEL_STEPS)
        return wrong(m->session, E_OPTION,
                     "co-simulation hides its states: only model exchange can be linearised"),
               ACAUSAL_WRONG;
    w->n = w->model->shape.n;
    w->is_exact = (w->model->can & MODEL_PRODUCTS) != 0;
    w->x = NEW_ARRAY(m->texts, double, (size_t)w->n + 2);
    w->f = NEW_ARRAY(m->texts, double, (size_t)w->n + 2);
    w->values = NEW_ARRAY(m->texts, double, (size_t)w->model->shape.value_count + 1);
    bool ok = choose(w, what->inputs, what->input_count, true);
    if (!choose(w, what->outputs, what->output_count, false) || !ok) return ACAUSAL_WRONG;
    AcausalStatus status = reach(w, what, run);
    if (status != ACAUSAL_DONE) return status;
    double *a = NEW_ARRAY(w->arena, double, (size_t)w->n *(size_t)w->n + 1);
    if (what->steady && w->n && !find_steady_state(w, a)) return ACAUSAL_FAILED;
    w->out->message = "";
    return fill(w, what->respond) ? ACAUSAL_DONE : ACAUSAL_FAILED;
}

AcausalStatus acausal_linearize(AcausalModel *m, const AcausalLinearize *given, AcausalLinear *linear)
{
    AcausalLinearize own = { .time = NAN };
    AcausalSimulation run;
    AcausalLinear out = { .message = "" };
    if (!is_sized(m->session, linear) || !TAKE(m->session, own, given) ||
        !take_simulation(m->session, &run, own.run))
        return ACAUSAL_USAGE;
    Work w = { .m = m, .arena = arena_new(), .out = &out };
    if (!w.arena) return tell_memory(m->session), ACAUSAL_BUG;
    AcausalStatus status = work(&w, &own, &run);
    model_detach_handlers(m);
    arena_free(w.arena);
    if (status != ACAUSAL_DONE && !out.message[0]) tell_memory(m->session);
    GIVE(linear, out);
    return status;
}
