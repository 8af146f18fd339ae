/* simulate.c: from a source to a trajectory: flat model, system, code, instance, run. Tests: tests/cli/simulate.sh,
 * tests/api/simulate_test.c. */
#include "api/inside.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>

AcausalSimulation acausal_simulation(void)
{
    return (AcausalSimulation){ .start = NAN, .stop = NAN, .tolerance = NAN, .interval = NAN, .points = -1 };
}

/* ---- options ---- */

/* The value of a literal, with its sign; NAN if it is not one. */
static double literal_value(const Expr *e)
{
    if (!e) return NAN;
    if (e->kind == EXPR_REAL) return e->real;
    if (e->kind == EXPR_INTEGER) return (double)e->integer;
    if (e->kind == EXPR_UNARY && e->op == OP_SUBTRACT) return -literal_value(e->left);
    return NAN;
}

static double experiment(const Class *cls, const char *name)
{
    const Argument *a = modification_find(class_annotation(cls), "experiment");
    const Argument *value = a ? modification_find(a->modification, name) : NULL;
    return value && value->modification ? literal_value(value->modification->value) : NAN;
}

static double first_known(double a, double b, double c) { return !isnan(a) ? a : !isnan(b) ? b : c; }

/* Reports what is wrong with the options of a run. Always false. */
static bool wrong(AcausalSession *s, Code code, const char *format, ...) PRINTF_LIKE(3, 4);

static bool wrong(AcausalSession *s, Code code, const char *format, ...)
{
    Text text = { .arena = s->arena };
    va_list args;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    diag_add_file(&s->diag, code, NULL, "%s", text.at);
    return false;
}

/* The same for a name that is not there, with the nearest one that is, or NULL. */
static bool unknown(AcausalSession *s, const char *what, const char *name, const char *near)
{
    Note *note = diag_add_file(&s->diag, E_OPTION, NULL, "there is no %s '%s'", what, name);
    if (near) diag_hint(&s->diag, note, "did you mean '%s'?", near);
    return false;
}

/* KEY=VALUE */
static bool set_solver_option(AcausalSession *s, const char *text, SimOptions *options)
{
    char why[400];
    const char *equal = strchr(text, '=');
    if (!equal) return wrong(s, E_OPTION, "the option '%s' should be KEY=VALUE", text);
    const char *key = arena_copy(s->arena, (Str){ text, (size_t)(equal - text) });
    return sim_set_option(options, key, equal + 1, why, sizeof why) || wrong(s, E_OPTION, "%s", why);
}

static const ModelVariable *find_variable(const Model *model, Str name)
{
    for (int i = 0; i < model->shape.variable_count; i++)
        if (str_is(name, model->shape.variables[i].name)) return &model->shape.variables[i];
    return NULL;
}

static const char *nearest_variable(AcausalSession *s, const Model *model, Str name)
{
    VEC(const char *) names = { 0 };
    for (int i = 0; i < model->shape.variable_count; i++)
        vec_push(s->arena, &names, model->shape.variables[i].name);
    return text_nearest(name, names.at, names.n);
}

static bool read_value(const char *text, double *value)
{
    char *end;
    if (!strcmp(text, "true") || !strcmp(text, "false")) {
        *value = text[0] == 't';
        return true;
    }
    *value = strtod(text, &end);
    return *text && !*end;
}

/* NAME=VALUE */
static bool set_variable(AcausalSession *s, Model *model, const char *text)
{
    const char *equal = strrchr(text, '='), *why = NULL;
    Str name = { text, equal ? (size_t)(equal - text) : strlen(text) };
    double value;
    if (!equal || !read_value(equal + 1, &value))
        return wrong(s, E_OPTION, "'%s' should be NAME=VALUE with a number, true or false", text);
    const ModelVariable *v = find_variable(model, name);
    const char *shown = arena_copy(s->arena, name);
    if (!v) return unknown(s, "variable", shown, nearest_variable(s, model, name));
    if (model->type->set && model->type->set(model, (int)(v - model->shape.variables), value, &why))
        return true;
    return wrong(s, E_OPTION, "'%s' cannot be set: %s", shown, why ? why : "the model gives it no choice");
}

static bool set_solver(AcausalSession *s, const char *name, SimOptions *options)
{
    if (!name || !strcmp(name, "auto")) return true;
    options->solver = solver_find(name);
    return options->solver || unknown(s, "solver", name, solver_nearest(name));
}

static bool fill_options(AcausalSession *s, const AcausalSimulation *a, const Class *cls, SimOptions *o)
{
    double start = first_known(a->start, experiment(cls, "StartTime"), 0);
    double stop = first_known(a->stop, experiment(cls, "StopTime"), start + 1);
    *o = sim_options(start, stop, first_known(a->tolerance, experiment(cls, "Tolerance"), 1e-6));
    double interval = first_known(a->interval, a->points < 0 ? experiment(cls, "Interval") : NAN, 0);
    o->points = a->points >= 0 ? a->points : 500;
    o->interval = interval;
    o->time_limit = a->time_limit;
    o->interrupt = a->interrupt;
    bool ok = set_solver(s, a->solver, o);
    for (size_t i = 0; i < a->solver_option_count; i++) ok &= set_solver_option(s, a->solver_options[i], o);
    return ok;
}

/* ---- the run ---- */

/* The sinks that are asked for, joined; *memory is the one that is kept. False after an error. */
static bool open_sinks(AcausalSession *s, const AcausalSimulation *a, ResultSink **sink, ResultSink **memory)
{
    char why[400];
    ResultSink *file = NULL;
    *sink = *memory = NULL;
    if (a->output && !(file = sink_open_file(a->output, why, sizeof why)))
        return wrong(s, E_OUTPUT, "%s", why);
    if (a->keep && !(*memory = sink_memory())) {
        sink_free(file);
        return wrong(s, E_OUTPUT, "no memory to keep the result in");
    }
    *sink = file && *memory ? sink_tee(file, *memory) : file ? file : *memory;
    return true;
}

typedef struct {
    const AcausalSimulation *simulation;
    double start, stop;
} Progress;

static void pass_progress(void *arg, double t)
{
    const Progress *p = arg;
    p->simulation->progress(p->simulation->progress_arg, t, p->start, p->stop);
}

static AcausalStatus status_of_end(SimEnd end)
{
    switch (end) {
    case SIM_DONE:
    case SIM_TERMINATED: return ACAUSAL_DONE;
    case SIM_WRONG: return ACAUSAL_WRONG;
    case SIM_INTERRUPTED:
    case SIM_TIME_LIMIT:
    case SIM_FAILED: break;
    }
    return ACAUSAL_FAILED;
}

/* What the run cost, with what its code is: a fallback to the interpreter must not go unnoticed. */
static const char *stats_text(AcausalSession *s, const SimReport *report, const GenStats *code, bool json)
{
    Text run = { .arena = s->arena }, text = { .arena = s->arena };
    const char *backend = code->backend == IR_NATIVE ? "native" : "interpreter";
    sim_write_stats(report, json, &run);
    if (json)
        text_printf(&text, "{\"code\":\"%s\",\"code_bytes\":%zu,\"jacobian_entries\":%u,\"colours\":%u,%s",
                    backend, code->code_size, (unsigned)code->jacobian_entries, (unsigned)code->colours,
                    run.at + 1);
    else
        text_printf(&text, "%-28s %s, %zu bytes\n%-28s %u, exact, in %u colours\n%s", "code", backend,
                    code->code_size, "Jacobian entries", (unsigned)code->jacobian_entries,
                    (unsigned)code->colours, run.at);
    return text.at;
}

static AcausalStatus run_model(AcausalSession *s, const Translation *tr, const AcausalSimulation *a,
                               SimOptions *o, AcausalSimulationReport *report)
{
    char why[400];
    ResultSink *memory;
    SimReport sim;
    ResultTable *inputs = a->inputs ? result_read(a->inputs, why, sizeof why) : NULL;
    if (a->inputs && !inputs) return wrong(s, E_OUTPUT, "%s", why), ACAUSAL_WRONG;
    if (!open_sinks(s, a, &o->sink, &memory)) {
        result_free(inputs);
        return ACAUSAL_WRONG;
    }
    Progress progress = { a, o->t0, o->t_end };
    o->inputs = inputs;
    if (a->progress) o->progress = pass_progress;
    o->progress_arg = &progress;
    GenStats code = gen_stats(tr->compiled);
    sim_run(tr->model, o, &sim);
    report->t = sim.t;
    report->message = arena_copy(s->arena, str_of(sim.message));
    report->stats = stats_text(s, &sim, &code, false);
    report->stats_json = stats_text(s, &sim, &code, true);
    if (memory) report->result = (AcausalResult *)sink_table(memory);
    sink_free(o->sink);
    result_free(inputs);
    return status_of_end(sim.end);
}

/* RESULT or RESULT@T: starts from there, at the end of the result if no time is given. */
static bool start_from(AcausalSession *s, Model *model, const char *text)
{
    char why[400], *end = NULL;
    const char *at = strrchr(text, '@');
    double t = at ? strtod(at + 1, &end) : INFINITY;
    if (at && (end == at + 1 || *end)) at = NULL;
    const char *path = arena_copy(s->arena, (Str){ text, at ? (size_t)(at - text) : strlen(text) });
    ResultTable *table = result_read(path, why, sizeof why);
    if (!table) return wrong(s, E_OUTPUT, "%s", why);
    if (!at && table->rows) t = signal_at(&table->time, table->rows - 1);
    bool ok = sim_start_from(model, table, t, why, sizeof why) > 0 || wrong(s, E_OPTION, "%s", why);
    result_free(table);
    return ok;
}

static AcausalStatus simulate_translated(AcausalSession *s, const Translation *t, const AcausalSimulation *a,
                                         AcausalSimulationReport *report)
{
    SimOptions options;
    SimFilter filter = { 0 };
    char why[400];
    bool ok = fill_options(s, a, t->cls, &options);
    if (a->init) ok &= start_from(s, t->model, a->init);
    for (size_t i = 0; i < a->set_count; i++) ok &= set_variable(s, t->model, a->set[i]);
    if (a->variables && !sim_filter(&options, &filter, a->variables, why, sizeof why))
        ok = wrong(s, E_OPTION, "%s", why);
    AcausalStatus status = ok ? run_model(s, t, a, &options, report) : ACAUSAL_WRONG;
    sim_filter_free(&filter);
    return status;
}

AcausalStatus acausal_simulate(AcausalSession *s, const char *source, const char *class_name,
                               const AcausalSimulation *simulation, AcausalSimulationReport *report)
{
    Translation t;
    double start = clock_wall();
    AcausalStatus status = ACAUSAL_WRONG;
    *report = (AcausalSimulationReport){ .message = "", .stats = "", .stats_json = "{}" };
    bool translated = translate(s, source, class_name, &t);
    report->translate_seconds = clock_wall() - start;
    if (translated) {
        report->states = (size_t)t.model->shape.n;
        status = simulate_translated(s, &t, simulation, report);
        report->simulate_seconds = clock_wall() - start - report->translate_seconds;
    }
    translation_free(&t);
    return status;
}
