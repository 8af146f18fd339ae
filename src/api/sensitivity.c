/* sensitivity.c: derivatives of runs, from names to numbers.
 *
 * In: a model, what to differentiate, in what, how. Out: a derivative for each pair; with "forward"
 * and "ad" columns of the result, too. How: a table of methods over the rooms sens and sim; an
 * objective becomes a variable of a model made for it. Always: every run begins with an instance of
 * its own; names that are wrong come back with the nearest one. Cost: that of the method,
 * docs/methods.md. Tests: tests/sens/derivatives_test.c, tests/cli/sensitivity.sh. */
#include "api/made.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    AcausalModel *m;
    const AcausalSensitivity *what;
    AcausalSensitivityReport *report;
    AcausalSimulationReport *run;
    Vary vary;
    int *of, of_count;
    double *values;      /* of the model at the end */
    double *d;           /* of_count x wrt_count */
    ResultTable *inputs; /* NULL: none */
} Work;

/* ---- runs ------------------------------------------------------------------------------------ */

/* The values at the end of a run of the present instance. */
static bool run_to_end(Work *w, SimOptions *o, double *values)
{
    LastRow last = { values, (size_t)w->m->model->shape.value_count };
    RowSink sink = row_sink(keep_row, &last);
    SimReport sim;
    o->sink = &sink.sink;
    o->points = 1;
    o->interval = 0.0;
    bool ok = sim_run(w->m->model, o, &sim);
    w->run->t = sim.t;
    w->run->message = arena_copy(w->m->texts, str_of(sim.message));
    return ok;
}

static double value_of(const Work *w, const double *values, int variable)
{
    const ModelVariable *v = &w->m->model->shape.variables[variable];
    return v->negated ? -values[v->slot] : values[v->slot];
}

/* ---- the methods ----------------------------------------------------------------------------- */

/* The result of a run of a model that carries derivatives, which go to w->d. */
static AcausalStatus run_carrying(Work *w, SimOptions *o, Model *carrying, bool takes_inputs,
                                  int (*slot)(const Model *model, int i, int j))
{
    AcausalModel *m = w->m;
    Model *inner = m->model;
    double *values = NEW_ARRAY(m->texts, double, (size_t)carrying->shape.value_count + 1);
    LastRow last = { values, (size_t)carrying->shape.value_count };
    RowSink sink = row_sink(keep_row, &last);
    AcausalSimulation run = *w->what->run;
    if (!takes_inputs) run.inputs = NULL;
    m->model = carrying;
    AcausalStatus status = simulate_model(m, &run, o, &sink.sink, w->run);
    m->model = inner;
    for (int i = 0; i < w->of_count; i++)
        for (int j = 0; j < w->vary.count; j++) w->d[i * w->vary.count + j] = values[slot(carrying, i, j)];
    memcpy(w->values, values, (size_t)inner->shape.value_count * sizeof *values);
    return status;
}

static AcausalStatus method_forward(Work *w)
{
    SimOptions o = w->vary.options;
    char why[240];
    if (!vary_take(&w->vary, NULL)) return ACAUSAL_WRONG;
    Model *forward = sens_forward_new(w->m->model, w->vary.wrt, w->vary.count, w->vary.p, w->of, w->of_count,
                                      why, sizeof why);
    if (!forward) return wrong(w->m->session, E_OPTION, "%s", why), ACAUSAL_WRONG;
    AcausalStatus status = run_carrying(w, &o, forward, true, sens_forward_slot);
    sens_forward_free(forward);
    return status;
}

/* An instance with another value of one parameter. */
static bool take_moved(Work *w, int j, double value)
{
    double *p = NEW_ARRAY(w->m->texts, double, (size_t)w->vary.count + 1);
    memcpy(p, w->vary.p, (size_t)w->vary.count * sizeof *p);
    p[j] = value;
    return vary_take(&w->vary, p);
}

/* A size for increments: values may be zero. */
static double size_of(const Work *w, int j) { return w->vary.p[j] != 0.0 ? fabs(w->vary.p[j]) : 1.0; }

/* A power of two, so that p + h is exact more often than not; the difference as it is counts. */
static double increment(const Work *w, int j, double relative)
{
    return copysign(exp2(round(log2(relative * size_of(w, j)))), w->vary.p[j] >= 0.0 ? 1.0 : -1.0);
}

/* One-sided differences of whole runs: errors of the runs are about tol, so the increment is
 * sqrt(tol). */
static AcausalStatus method_end(Work *w)
{
    SimOptions o = w->vary.options;
    double *values = NEW_ARRAY(w->m->texts, double, (size_t)w->m->model->shape.value_count + 1);
    if (!vary_take(&w->vary, NULL)) return ACAUSAL_WRONG;
    if (!run_to_end(w, &o, w->values)) return ACAUSAL_FAILED;
    for (int j = 0; j < w->vary.count; j++) {
        double moved = w->vary.p[j] + increment(w, j, sqrt(w->vary.options.tol));
        if (!take_moved(w, j, moved)) return ACAUSAL_WRONG;
        if (!run_to_end(w, &o, values)) return ACAUSAL_FAILED;
        for (int i = 0; i < w->of_count; i++)
            w->d[i * w->vary.count + j] =
                (value_of(w, values, w->of[i]) - value_of(w, w->values, w->of[i])) / (moved - w->vary.p[j]);
    }
    return ACAUSAL_DONE;
}

/* ---- on the steps of one run ----------------------------------------------------------------- */

/* A Runge-Kutta method: the one asked for, or one that suits what auto chose. */
static const SolverType *steps_solver(Work *w)
{
    const SolverType *asked = w->vary.options.solver;
    RkTableau tableau;
    if (asked && solver_tableau(asked, &tableau)) return asked;
    if (asked && strcmp(asked->name, "auto") != 0) {
        wrong(w->m->session, E_OPTION, "'%s' is no Runge-Kutta method: its steps cannot be differentiated",
              asked->name);
        return NULL;
    }
    StepLog log = { .arena = arena_new() };
    SimOptions o = w->vary.options;
    bool is_stiff = w->m->model->can & MODEL_MASS;
    o.solver_options.record = &log;
    if (!log.arena || !vary_take(&w->vary, NULL) || !run_to_end(w, &o, w->values)) {
        if (log.arena) arena_free(log.arena);
        return NULL;
    }
    for (uint32_t i = 0; i < log.steps.n; i++)
        is_stiff |= (log.steps.at[i].flags & (RECORD_STIFF | RECORD_FACTORS)) != 0;
    arena_free(log.arena);
    return solver_find(is_stiff ? "radau5" : "dop853");
}

static AcausalStatus fail_on_steps(Work *w, const SensSteps *steps)
{
    w->run->message = arena_copy(w->m->texts, str_of(sens_steps_why(steps)));
    return ACAUSAL_FAILED;
}

static void warn(Work *w, const char *warning)
{
    if (warning[0]) diag_add(&w->m->session->diag, E_MODEL_WARNING, (Span){ 0 }, "%s", warning);
}

static AcausalStatus ad_on(Work *w, SensSteps *steps)
{
    SimOptions o = w->vary.options;
    if (!vary_take(&w->vary, NULL)) return ACAUSAL_WRONG;
    Model *ahead = sens_steps_ahead(steps, w->m->model, w->vary.wrt, w->vary.count, w->of, w->of_count);
    if (!ahead) return fail_on_steps(w, steps);
    AcausalStatus status = run_carrying(w, &o, ahead, false, sens_steps_ahead_slot);
    sens_steps_ahead_free(ahead);
    return status;
}

static AcausalStatus ad_back_on(Work *w, SensSteps *steps)
{
    char warning[240];
    for (int i = 0; i < w->of_count; i++) {
        const ModelVariable *v = &w->m->model->shape.variables[w->of[i]];
        double value;
        if (!vary_take(&w->vary, NULL)) return ACAUSAL_WRONG;
        if (!sens_steps_back(steps, w->m->model, w->vary.wrt, w->vary.count, w->of[i], &value,
                             w->d + (ptrdiff_t)i * w->vary.count, warning, sizeof warning))
            return fail_on_steps(w, steps);
        w->values[v->slot] = v->negated ? -value : value;
        if (!i) warn(w, warning);
    }
    return ACAUSAL_DONE;
}

static Model *moved_instance(void *arg, int j, double value)
{
    Work *w = arg;
    char why[240];
    double *p = malloc(((size_t)w->vary.count + 1) * sizeof *p);
    if (!p) return NULL;
    memcpy(p, w->vary.p, (size_t)w->vary.count * sizeof *p);
    if (j >= 0) p[j] = value;
    Model *model = vary_instance(&w->vary, p, NULL, 0, why, sizeof why);
    if (!model) wrong(w->m->session, E_OPTION, "%s", why);
    free(p);
    return model;
}

static void free_instance(void *arg, Model *model)
{
    (void)arg;
    gen_instance_free(model);
}

static AcausalStatus ind_on(Work *w, SensSteps *steps)
{
    char warning[240];
    double *values = NEW_ARRAY(w->m->texts, double, (size_t)w->of_count + 1);
    if (!vary_take(&w->vary, NULL)) return ACAUSAL_WRONG;
    SensApart job = { .model = w->m->model,
                      .wrt = w->vary.wrt,
                      .of = w->of,
                      .count = w->vary.count,
                      .of_count = w->of_count,
                      .p = w->vary.p,
                      .instance = moved_instance,
                      .release = free_instance,
                      .arg = w };
    if (!sens_steps_apart(steps, &job, values, w->d, warning, sizeof warning)) return fail_on_steps(w, steps);
    for (int i = 0; i < w->of_count; i++) {
        const ModelVariable *v = &w->m->model->shape.variables[w->of[i]];
        w->values[v->slot] = v->negated ? -values[i] : values[i];
    }
    warn(w, warning);
    return ACAUSAL_DONE;
}

/* A run whose steps are held, then the method on them. */
static AcausalStatus on_steps(Work *w, AcausalStatus (*method)(Work *w, SensSteps *steps))
{
    SimOptions o = w->vary.options;
    SimReport sim;
    if (!(o.solver = steps_solver(w))) return ACAUSAL_WRONG;
    if (!vary_take(&w->vary, NULL)) return ACAUSAL_WRONG;
    SensSteps *steps = sens_steps_new(w->m->model, &o, (size_t)(w->what->memory * 1048576.0), &sim);
    w->run->t = sim.t;
    w->run->message = arena_copy(w->m->texts, str_of(sim.message));
    if (!steps && sim.end == SIM_WRONG)
        return wrong(w->m->session, E_OPTION, "%s", sim.message), ACAUSAL_WRONG;
    if (!steps) return ACAUSAL_FAILED;
    AcausalStatus status = method(w, steps);
    sens_steps_free(steps);
    return status;
}

static AcausalStatus method_ind(Work *w) { return on_steps(w, ind_on); }
static AcausalStatus method_ad(Work *w) { return on_steps(w, ad_on); }
static AcausalStatus method_ad_back(Work *w) { return on_steps(w, ad_back_on); }

/* The weights of states on the way back; rows of time and n of them, from the end on. */
typedef struct {
    Arena *arena;
    VEC(double) rows;
    int n;
} Weights;

static void note_weights(void *arg, double t, const double *lambda, int n)
{
    Weights *w = arg;
    w->n = n;
    vec_push(w->arena, &w->rows, t);
    for (int i = 0; i < n; i++) vec_push(w->arena, &w->rows, lambda[i]);
}

/* As a result, "lambda(x)" for each state. */
static AcausalResult *table_of_weights(const Weights *w, const Model *model)
{
    ResultSink *sink = sink_memory();
    Column *columns = NEW_ARRAY(w->arena, Column, (size_t)w->n + 1);
    size_t wide = (size_t)w->n + 1;
    if (!sink) return NULL;
    for (int i = 0; i < w->n; i++)
        columns[i] = (Column){ .name = arena_printf(w->arena, "lambda(%s)", model->shape.names[i]),
                               .unit = "",
                               .description = "derivative of what is wanted in this state, at this time",
                               .kind = COLUMN_CONTINUOUS,
                               .slot = i };
    sink_begin(sink, columns, (size_t)w->n, w->rows.at);
    for (size_t k = w->rows.n / wide; k-- > 0;)
        sink_row(sink, w->rows.at[k * wide], w->rows.at + k * wide + 1);
    sink_end(sink);
    ResultTable *table = sink_table(sink);
    sink_free(sink);
    return (AcausalResult *)table;
}

static AcausalStatus method_adjoint(Work *w)
{
    AcausalModel *m = w->m;
    SimOptions o = w->vary.options;
    SimReport sim;
    SensAdjointStats stats;
    double value;
    AcausalStatus status = ACAUSAL_DONE;
    for (int i = 0; i < w->of_count && status == ACAUSAL_DONE; i++) {
        SensAdjoint job = { .of = w->of[i],
                            .wrt = w->vary.wrt,
                            .count = w->vary.count,
                            .memory = (size_t)(w->what->memory * 1048576.0) };
        Weights weights = { .arena = m->texts };
        bool keep = w->what->run && w->what->run->keep && w->of_count == 1;
        if (keep) job.visit = note_weights, job.visit_arg = &weights;
        if (!vary_take(&w->vary, NULL)) return ACAUSAL_WRONG;
        sens_adjoint(m->model, &o, &job, &value, w->d + (ptrdiff_t)i * w->vary.count, &sim, &stats);
        status = simulate_status(sim.end);
        if (keep && weights.n) w->run->result = table_of_weights(&weights, m->model);
        w->run->t = sim.t;
        w->report->steps_back += stats.steps_back;
        w->report->checkpoints = stats.checkpoints;
        w->report->recomputed += stats.recomputed;
        if (status == ACAUSAL_DONE && sim.message[0])
            diag_add(&m->session->diag, E_MODEL_WARNING, (Span){ 0 }, "%s", sim.message);
        else
            w->run->message = arena_copy(m->texts, str_of(sim.message));
        const ModelVariable *v = &m->model->shape.variables[w->of[i]];
        w->values[v->slot] = v->negated ? -value : value;
    }
    return status;
}

/* ---- by CVODES or IDAS ----------------------------------------------------------------------- */

/* Derivatives of values follow from those of unknowns at the end. */
static AcausalStatus foreign_forward(Work *w)
{
    Model *model = w->m->model;
    size_t n = (size_t)model->shape.n, m = (size_t)w->vary.count;
    Arena *arena = w->m->texts;
    double *y = NEW_ARRAY(arena, double, n + 1), *s = NEW_ARRAY(arena, double, n *m + 1),
           *p = NEW_ARRAY(arena, double, m + 1),
           *d = NEW_ARRAY(arena, double, (size_t)model->shape.value_count + 1), t = w->vary.options.t_end;
    char why[240];
    SensForeign job = { model, &w->vary.options, w->vary.wrt, w->vary.count, w->vary.p };
    if (!sens_foreign_forward(&job, y, s, why, sizeof why))
        return wrong(w->m->session, E_OPTION, "%s", why), ACAUSAL_WRONG;
    if (model->type->values(model, t, y, w->values) != EVAL_OK ||
        model->type->linearise(model, MAP_VALUES, t, y) != EVAL_OK)
        return ACAUSAL_FAILED;
    for (size_t j = 0; j < m; j++) {
        ModelChange change = { .y = s + j * n, .count = (int)m, .variables = w->vary.wrt, .p = p };
        p[j] = 1.0;
        if (model->type->jvp(model, 1, &change, &d) != EVAL_OK) return ACAUSAL_FAILED;
        p[j] = 0.0;
        for (int i = 0; i < w->of_count; i++) w->d[(size_t)i * m + j] = value_of(w, d, w->of[i]);
    }
    w->run->t = t;
    return ACAUSAL_DONE;
}

static AcausalStatus foreign_adjoint(Work *w)
{
    char why[240];
    double value;
    SensForeign job = { w->m->model, &w->vary.options, w->vary.wrt, w->vary.count, w->vary.p };
    for (int i = 0; i < w->of_count; i++) {
        const ModelVariable *v = &w->m->model->shape.variables[w->of[i]];
        if (i && !vary_take(&w->vary, NULL)) return ACAUSAL_WRONG;
        job.model = w->m->model;
        if (!sens_foreign_adjoint(&job, w->of[i], &value, w->d + (ptrdiff_t)i * w->vary.count, why,
                                  sizeof why))
            return wrong(w->m->session, E_OPTION, "%s", why), ACAUSAL_WRONG;
        w->values[v->slot] = v->negated ? -value : value;
    }
    w->run->t = w->vary.options.t_end;
    return ACAUSAL_DONE;
}

/* The method by the backend that was asked for; NULL: there is none. */
static AcausalStatus (*by_backend(AcausalSession *s, const AcausalSensitivity *what,
                                  AcausalStatus (*own)(Work *w)))(Work *w)
{
    static const char *const names[] = { "own", "sundials" };
    if (!what->backend || !strcmp(what->backend, "own")) return own;
    if (strcmp(what->backend, "sundials") != 0) {
        unknown(s, "backend", what->backend, text_nearest(str_of(what->backend), names, COUNT_OF(names)));
        return NULL;
    }
    if (own == method_forward) return foreign_forward;
    if (own == method_adjoint) return foreign_adjoint;
    wrong(s, E_OPTION, "SUNDIALS serves forward and adjoint only");
    return NULL;
}

static const struct {
    const char *name;
    AcausalStatus (*run)(Work *w);
} methods[] = {
    { "forward", method_forward },    { "adjoint", method_adjoint }, { "ad", method_ad },
    { "ad-adjoint", method_ad_back }, { "ind", method_ind },         { "end", method_end },
};

static AcausalStatus (*find_method(AcausalSession *s, const char *name))(Work *w)
{
    const char *names[COUNT_OF(methods)];
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        if (!name || !strcmp(name, methods[i].name)) return methods[i].run;
        names[i] = methods[i].name;
    }
    unknown(s, "method", name, text_nearest(str_of(name), names, COUNT_OF(methods)));
    return NULL;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void note_independence(Work *w)
{
    for (int i = 0; i < w->of_count; i++) {
        bool all_zero = true;
        for (int j = 0; j < w->vary.count; j++) all_zero &= w->d[i * w->vary.count + j] == 0.0;
        const char *name = w->m->model->shape.variables[w->of[i]].name;
        if (all_zero)
            diag_add(&w->m->session->diag, E_MODEL_WARNING, (Span){ 0 },
                     "'%s' does not depend on what it is differentiated in: all derivatives are zero", name);
    }
}

static void fill_report(Work *w)
{
    int n = w->of_count * w->vary.count;
    AcausalDerivative *rows = NEW_ARRAY(w->m->texts, AcausalDerivative, (size_t)n + 1);
    const AcausalDerivative **list = NEW_ARRAY(w->m->texts, const AcausalDerivative *, (size_t)n + 1);
    const ModelVariable *variables = w->m->model->shape.variables;
    for (int k = 0; k < n; k++) {
        int i = k / w->vary.count, j = k % w->vary.count;
        rows[k] = (AcausalDerivative){ .size = sizeof *rows,
                                       .of = arena_copy(w->m->texts, str_of(variables[w->of[i]].name)),
                                       .wrt = arena_copy(w->m->texts, str_of(variables[w->vary.wrt[j]].name)),
                                       .value = value_of(w, w->values, w->of[i]),
                                       .parameter = w->vary.p[j],
                                       .derivative = w->d[k] };
        list[k] = &rows[k];
    }
    w->report->derivatives = list;
    w->report->count = (size_t)n;
}

static bool prepare(Work *w, AcausalStatus (*method)(Work *w))
{
    AcausalModel *m = w->m;
    const AcausalSensitivity *what = w->what;
    static const char *const objective[] = { OBJECTIVE_NAME };
    const char *const *of = what->objective ? objective : what->of;
    size_t of_count = what->objective ? 1 : what->of_count;
    char why[400];
    if (!vary_open(&w->vary, m, what->run, method != method_end)) return false;
    w->inputs = what->run->inputs ? result_read(what->run->inputs, why, sizeof why) : NULL;
    if (what->run->inputs && !w->inputs) return wrong(m->session, E_OUTPUT, "%s", why);
    w->vary.options.inputs = w->inputs;
    w->of_count = (int)of_count;
    w->of = NEW_ARRAY(m->texts, int, of_count + 1);
    w->d = NEW_ARRAY(m->texts, double, what->wrt_count *of_count + 1);
    w->values = NEW_ARRAY(m->texts, double, (size_t)m->model->shape.value_count + 1);
    bool ok = vary_find(&w->vary, of, of_count, false, w->of) && vary_inputs(m, what->run->inputs != NULL);
    return vary_in(&w->vary, what->wrt, what->wrt_count) && ok;
}

AcausalStatus differentiate_model(AcausalModel *m, const AcausalSensitivity *what,
                                  AcausalSensitivityReport *report, AcausalSimulationReport *run)
{
    Work w = { .m = m, .what = what, .report = report, .run = run };
    AcausalStatus (*method)(Work *) = find_method(m->session, what->method);
    if (method) method = by_backend(m->session, what, method);
    bool ok = method && prepare(&w, method);
    double start = clock_cpu();
    AcausalStatus status = ok ? method(&w) : ACAUSAL_WRONG;
    result_free(w.inputs);
    report->cpu_seconds = clock_cpu() - start;
    if (status == ACAUSAL_DONE) note_independence(&w);
    if (status == ACAUSAL_DONE) fill_report(&w);
    return status;
}

/* ---- models made for derivatives ------------------------------------------------------------- */

/* What is asked for, in terms of the model that is made for it. */
typedef struct {
    AcausalSession *s;
    AcausalModel *m; /* the user's */
    Class *cls;      /* its class */
    AcausalSensitivity what;
    AcausalSimulation run;
    ResultTable *table;           /* inputs that become parameters; NULL: none do */
    const ModelVariable **inputs; /* of the model */
    size_t input_count, *rows;    /* rows: of each of wrt; 0: no row of an input */
    const char **names;           /* of each of wrt, as the user knows it */
} Derived;

static bool is_driven_input(const Derived *d, const char *name)
{
    const ModelVariable *v = model_find_variable(d->m->model, str_of(name));
    return v && v->is_input && result_find(d->table, name);
}

/* Whether inputs have to be parameters: derivatives in them, runs back in time, moved events. */
static bool needs_driven(const Derived *d)
{
    const char *method = d->what.method ? d->what.method : "forward";
    bool needs = strstr(method, "adjoint") || d->m->model->shape.indicators;
    for (size_t i = 0; i < d->what.wrt_count; i++) needs |= is_driven_input(d, d->what.wrt[i]);
    return needs && (!d->what.backend || !strcmp(d->what.backend, "own"));
}

/* Inputs among wrt become the parameters for their rows. */
static void expand_inputs(Derived *d)
{
    size_t room = d->what.wrt_count * (d->table->rows + 1), n = 0;
    Arena *arena = d->m->texts;
    const char **wrt = NEW_ARRAY(arena, const char *, room + 1);
    d->names = NEW_ARRAY(arena, const char *, room + 1);
    d->rows = NEW_ARRAY(arena, size_t, room + 1);
    for (size_t i = 0; i < d->what.wrt_count; i++) {
        size_t k = 0;
        while (k < d->input_count && strcmp(d->inputs[k]->name, d->what.wrt[i]) != 0) k++;
        if (k == d->input_count) d->names[n] = wrt[n] = d->what.wrt[i], n++;
        for (size_t row = 1; k < d->input_count && row <= d->table->rows; row++, n++) {
            Text name = { .arena = arena };
            text_printf(&name, "inputs_%zu[%zu]", k + 1, row);
            wrt[n] = name.at;
            d->names[n] = d->what.wrt[i];
            d->rows[n] = row;
        }
    }
    d->what.wrt = wrt;
    d->what.wrt_count = n;
}

/* Values of rows as settings, so that one translation serves other values at the same times. */
static void set_rows(Derived *d)
{
    Arena *arena = d->m->texts;
    size_t n = d->run.set_count, room = n + d->input_count * d->table->rows;
    const char **set = NEW_ARRAY(arena, const char *, room + 1);
    for (size_t i = 0; i < n; i++) set[i] = d->run.set[i];
    for (size_t k = 0; k < d->input_count; k++) {
        const Signal *signal = result_find(d->table, d->inputs[k]->name);
        for (size_t row = 0; row < d->table->rows && d->inputs[k]->type == VARIABLE_REAL; row++) {
            Text text = { .arena = arena };
            text_printf(&text, "inputs_%zu[%zu]=%.17g", k + 1, row + 1, signal_at(signal, row));
            set[n++] = text.at;
        }
    }
    d->run.set = set;
    d->run.set_count = n;
}

/* What a model has been made for: objective, and of inputs all but the values of Reals. */
static const char *purpose_of(const Derived *d)
{
    Text text = { .arena = d->m->texts };
    text_printf(&text, "%s\n", d->what.objective ? d->what.objective : "");
    if (d->table) text_printf(&text, "%.17g", d->run.start);
    for (size_t i = 0; d->table && i < d->table->rows; i++)
        text_printf(&text, ",%.17g", signal_at(&d->table->time, i));
    for (size_t k = 0; d->table && k < d->table->count; k++) {
        const Signal *signal = &d->table->signals[k];
        const ModelVariable *v = model_find_variable(d->m->model, str_of(signal->name));
        text_printf(&text, "\n%s", signal->name);
        for (size_t i = 0; v && v->type != VARIABLE_REAL && i < d->table->rows; i++)
            text_printf(&text, ",%.17g", signal_at(signal, i));
    }
    return text.at;
}

static AcausalModel *derive(Derived *d)
{
    Class *cls = d->cls;
    d->inputs = NEW_ARRAY(d->s->arena, const ModelVariable *, (d->table ? d->table->count : 0) + 1);
    if (d->table) {
        double start = isnan(d->run.start) ? model_experiment(d->m).start : d->run.start;
        cls = class_with_inputs(d->s, cls, d->m->model, d->table, isnan(start) ? 0.0 : start, d->inputs,
                                &d->input_count);
    }
    if (cls && d->what.objective) cls = class_with_objective(d->s, cls, d->what.objective);
    AcausalModel *made = cls ? model_of_class(d->s, cls) : NULL;
    if (made) made->suggests = d->cls;
    return made;
}

/* The model that serves, made or kept; the model itself where it does. */
static AcausalModel *derived_model(Derived *d)
{
    AcausalModel *m = d->m;
    if (!d->table && !d->what.objective) return m;
    const char *purpose = purpose_of(d);
    bool is_kept = m->derived && m->derived_for && !strcmp(purpose, m->derived_for);
    if (is_kept && d->table) { /* which inputs there are, in the same order */
        d->inputs = NEW_ARRAY(d->s->arena, const ModelVariable *, d->table->count + 1);
        for (size_t k = 0; k < d->table->count; k++) {
            const ModelVariable *v = model_find_variable(m->model, str_of(d->table->signals[k].name));
            if (v && v->is_input && v->type != VARIABLE_STRING) d->inputs[d->input_count++] = v;
        }
    }
    if (!is_kept) {
        acausal_model_free(m->derived);
        free(m->derived_for);
        m->derived = derive(d);
        m->derived_for = m->derived ? strdup(purpose) : NULL;
    }
    return m->derived;
}

static bool read_inputs(Derived *d)
{
    char why[400];
    if (!d->run.inputs) return true;
    d->table = result_read(d->run.inputs, why, sizeof why);
    if (!d->table) return wrong(d->s, E_OUTPUT, "%s", why);
    Arena *arena = arena_new();
    bool ok = arena && sim_inputs_new(arena, d->m->model, d->table, why, sizeof why);
    arena_free(arena);
    if (!ok) return wrong(d->s, E_OPTION, "%s", why);
    if (needs_driven(d)) return true;
    result_free(d->table);
    d->table = NULL;
    return true;
}

static void name_derivatives(const Derived *d, AcausalSensitivityReport *report)
{
    for (size_t i = 0; i < report->count; i++) {
        AcausalDerivative *row = (AcausalDerivative *)(uintptr_t)report->derivatives[i];
        size_t j = i % d->what.wrt_count;
        row->time = NAN;
        if (!d->table) continue;
        row->wrt = d->names[j];
        if (d->rows[j]) row->time = signal_at(&d->table->time, d->rows[j] - 1);
    }
}

static bool can_differentiate(AcausalSession *s, const AcausalModel *m, const AcausalSensitivity *what)
{
    if (!(what->memory >= 0.0 && what->memory < 1e9))
        return wrong(s, E_OPTION, "%g megabytes are no amount of memory", what->memory);
    if (!what->wrt_count || (!what->of_count && !what->objective))
        return wrong(s, E_OPTION, "nothing to differentiate, or nothing to differentiate in");
    if (m->fmu || m->couple)
        return wrong(s, E_OPTION, "derivatives need the equations of a model; an FMU gives none");
    return true;
}

static AcausalStatus gradient(AcausalModel *m, const AcausalSensitivity *what,
                              AcausalSensitivityReport *report, AcausalSimulationReport *run)
{
    Derived d = { .s = m->session, .m = m, .what = *what, .run = *what->run };
    if (!can_differentiate(d.s, m, what)) return ACAUSAL_WRONG;
    d.cls = m->cls ? m->cls : session_find_class(d.s, m->source, m->class_name);
    d.what.run = &d.run;
    AcausalStatus status = ACAUSAL_WRONG;
    arena_rewind(m->texts, m->empty);
    if (!m->model) m->model = m->t.model;
    AcausalModel *made = d.cls && m->model && read_inputs(&d) ? derived_model(&d) : NULL;
    if (made && d.table) {
        expand_inputs(&d);
        set_rows(&d);
        d.run.inputs = NULL;
    }
    if (made && made != m) arena_rewind(made->texts, made->empty);
    if (made) status = differentiate_model(made, &d.what, report, run);
    if (status == ACAUSAL_DONE) name_derivatives(&d, report);
    if (!made) tell_memory(d.s);
    result_free(d.table);
    return status;
}

/* Keeps what a report points to in the session. */
static void keep_report(AcausalSession *s, AcausalSensitivityReport *r, const AcausalSimulationReport *run)
{
    AcausalDerivative *rows = NEW_ARRAY(s->arena, AcausalDerivative, r->count + 1);
    const AcausalDerivative **list = NEW_ARRAY(s->arena, const AcausalDerivative *, r->count + 1);
    AcausalSimulationReport *kept = NEW(s->arena, AcausalSimulationReport);
    for (size_t i = 0; i < r->count; i++) {
        rows[i] = *r->derivatives[i];
        rows[i].of = arena_copy(s->arena, str_of(rows[i].of));
        rows[i].wrt = arena_copy(s->arena, str_of(rows[i].wrt));
        list[i] = &rows[i];
    }
    *kept = *run;
    kept->size = sizeof *kept;
    kept->message = arena_copy(s->arena, str_of(run->message));
    kept->stats = arena_copy(s->arena, str_of(run->stats));
    kept->stats_json = arena_copy(s->arena, str_of(run->stats_json));
    r->derivatives = list;
    r->run = kept;
}

static AcausalStatus differentiate(AcausalSession *s, const char *source, const char *class_name,
                                   const AcausalSensitivity *what, AcausalSensitivityReport *report,
                                   AcausalSimulationReport *run)
{
    AcausalModel *m = acausal_compile(s, source, class_name);
    if (!m) return ACAUSAL_WRONG;
    AcausalStatus status = gradient(m, what, report, run);
    keep_report(s, report, run);
    acausal_model_free(m);
    return status;
}

static const AcausalSimulationReport no_run = {
    .size = sizeof no_run, .message = "", .stats = "", .stats_json = "{}", .failure = "", .failure_json = ""
};

AcausalStatus acausal_gradient(AcausalModel *m, const AcausalSensitivity *what,
                               AcausalSensitivityReport *report)
{
    AcausalSession *s = m->session;
    AcausalSensitivity own = { 0 };
    AcausalSimulation run;
    AcausalSensitivityReport r = { .run = &no_run };
    AcausalSimulationReport last = no_run;
    if (!is_sized(s, report) || !TAKE(s, own, what) || !take_simulation(s, &run, own.run))
        return ACAUSAL_USAGE;
    own.run = &run;
    AcausalStatus status = gradient(m, &own, &r, &last);
    AcausalSimulationReport *kept = NEW(m->texts, AcausalSimulationReport);
    *kept = last;
    kept->size = sizeof *kept;
    r.run = kept;
    GIVE(report, r);
    return status;
}

AcausalStatus acausal_differentiate(AcausalSession *s, const char *source, const char *class_name,
                                    const AcausalSensitivity *what, AcausalSensitivityReport *report)
{
    AcausalSensitivity own = { 0 };
    AcausalSimulation run;
    AcausalSensitivityReport r = { .run = &no_run };
    AcausalSimulationReport last = no_run;
    if (!is_sized(s, report) || !TAKE(s, own, what) || !take_simulation(s, &run, own.run))
        return ACAUSAL_USAGE;
    own.run = &run;
    AcausalStatus status = differentiate(s, source, class_name, &own, &r, &last);
    GIVE(report, r);
    return status;
}
