/* simulate.c: from a source to a trajectory: flat model, system, code, instance, run. Tests:
 * tests/cli/simulate.sh, tests/api/simulate_test.c. */
#include "api/resume.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void acausal_simulation_init(AcausalSimulation *simulation, size_t size)
{
    AcausalSimulation own = { .start = NAN, .stop = NAN, .tolerance = NAN, .interval = NAN, .points = -1 };
    init_structure(simulation, size, &own, sizeof own);
}

/* "a.b,*.T" as a regular expression: commas in brackets belong to names. */
static const char *regex_of(Arena *arena, const char *patterns)
{
    Text text = { .arena = arena };
    int open = 0;
    text_add_literal(&text, "");
    for (const char *p = patterns; *p; p++) {
        open += (*p == '[') - (*p == ']');
        if (*p == ',' && open <= 0)
            text_add_literal(&text, "|");
        else if (*p == '*')
            text_add_literal(&text, ".*");
        else if (*p == '?')
            text_add_literal(&text, ".");
        else {
            if (strchr(".[](){}^$+|\\", *p)) text_add_char(&text, '\\');
            text_add_char(&text, *p);
        }
    }
    return text.at;
}

bool take_simulation(AcausalSession *s, AcausalSimulation *own, const AcausalSimulation *given)
{
    *own = acausal_simulation();
    if (!TAKE(s, *own, given)) return false;
    if (own->patterns && own->variables)
        return wrong(s, E_OPTION, "of 'variables' and 'patterns' only one can be given");
    if (own->patterns) own->variables = regex_of(s->arena, own->patterns);
    own->patterns = NULL;
    return true;
}

/* ---- options --------------------------------------------------------------------------------- */

static double first_known(double a, double b, double c) { return !isnan(a) ? a : !isnan(b) ? b : c; }

/* KEY=VALUE */
static bool set_solver_option(AcausalModel *m, const char *text, SimOptions *options)
{
    AcausalSession *s = m->session;
    char why[400];
    const char *equal = strchr(text, '=');
    if (!equal) return wrong(s, E_OPTION, "the option '%s' should be KEY=VALUE", text);
    const char *key = arena_copy(m->texts, (Str){ text, (size_t)(equal - text) });
    if (m->couple && is_master_option(text)) return true;
    if (!strcmp(key, "form"))
        return !strcmp(equal + 1, "ode") || !strcmp(equal + 1, "dae") ||
               wrong(s, E_OPTION, "'form=%s' should be ode or dae", equal + 1);
    return sim_set_option(options, key, equal + 1, why, sizeof why) || wrong(s, E_OPTION, "%s", why);
}

const ModelVariable *model_find_variable(const Model *model, Str name)
{
    for (int i = 0; i < model->shape.variable_count; i++)
        if (str_is(name, model->shape.variables[i].name)) return &model->shape.variables[i];
    return NULL;
}

const char *model_nearest_variable(AcausalSession *s, const Model *model, Str name)
{
    VEC(const char *) names = { 0 };
    for (int i = 0; i < model->shape.variable_count; i++)
        vec_push(s->arena, &names, model->shape.variables[i].name);
    return text_nearest(name, names.at, names.n);
}

/* NAME=VALUE */
static bool set_variable(AcausalModel *m, const char *text)
{
    AcausalSession *s = m->session;
    Model *model = m->model;
    bool takes_text = model->type->set_text != NULL;
    const char *equal = takes_text ? strchr(text, '=') : strrchr(text, '='), *why = NULL;
    Str name = { text, equal ? (size_t)(equal - text) : strlen(text) };
    double value;
    if (!equal || (!takes_text && !read_value(equal + 1, &value)))
        return wrong(s, E_OPTION, "'%s' should be NAME=VALUE", text);
    const ModelVariable *v = model_find_variable(model, name);
    const char *shown = arena_copy(m->texts, name);
    if (!v) return unknown(s, "variable", shown, model_nearest_variable(s, model, name));
    int at = (int)(v - model->shape.variables);
    if (takes_text ? model->type->set_text(model, at, equal + 1, &why)
                   : model->type->set && model->type->set(model, at, value, &why))
        return true;
    return wrong(s, E_OPTION, "'%s' cannot be set: %s", shown, why ? why : "the model gives it no choice");
}

/* A file with a Butcher tableau. */
static const SolverType *read_tableau(AcausalSession *s, Arena *arena, const char *path)
{
    enum { MOST_BYTES = 65536 };
    const char *why = NULL;
    char *text = arena_alloc(arena, MOST_BYTES);
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(text, 1, MOST_BYTES, file) : 0;
    bool failed = !file || ferror(file) || n == MOST_BYTES;
    if (file) fclose(file);
    const SolverType *type = failed ? NULL : solver_of_tableau(arena, path, (Str){ text, n }, &why);
    if (failed) wrong(s, E_OPTION, "the tableau '%s' cannot be read", path);
    if (why) wrong(s, E_OPTION, "the tableau in '%s' is wrong: %s", path, why);
    return type;
}

const SolverType *session_solver(AcausalSession *s, Arena *arena, const char *name)
{
    if (strchr(name, '/') || strchr(name, '.')) return read_tableau(s, arena, name);
    const SolverType *type = solver_find(name);
    if (!type) unknown(s, "solver", name, solver_nearest(name));
    return type;
}

static bool set_solver(AcausalModel *m, const char *name, SimOptions *options)
{
    if (!name || !strcmp(name, "auto")) return true;
    options->solver = session_solver(m->session, m->texts, name);
    return options->solver;
}

bool simulate_options(AcausalModel *m, const AcausalSimulation *a, SimOptions *o)
{
    Experiment e = model_experiment(m);
    double start = first_known(a->start, e.start, 0);
    *o = sim_options(start, first_known(a->stop, e.stop, start + 1),
                     first_known(a->tolerance, e.tolerance, 1e-6));
    double interval = first_known(a->interval, a->points < 0 ? e.interval : NAN, 0);
    o->points = a->points >= 0 ? a->points : 500;
    o->interval = interval;
    o->time_limit = a->time_limit;
    o->interrupt = a->interrupt;
    bool ok = set_solver(m, a->solver, o);
    for (size_t i = 0; i < a->solver_option_count; i++) ok &= set_solver_option(m, a->solver_options[i], o);
    return ok;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* The sinks that are asked for, joined; *memory is the one that is kept. False after an error. */
static bool open_sinks(AcausalModel *m, const AcausalSimulation *a, ResultSink **sink, ResultSink **memory)
{
    AcausalSession *s = m->session;
    char why[400];
    ResultSink *file = NULL;
    *sink = *memory = NULL;
    if (a->output && !(file = sink_open_file(a->output, why, sizeof why)))
        return wrong(s, E_OUTPUT, "%s", why);
    if (file)
        file->eager = m->fmu || m->couple || (m->t.flat && flat_has_foreign_code(m->t.flat)) || a->checkpoint;
    if (a->keep && !(*memory = sink_memory())) {
        sink_free(file);
        return wrong(s, E_OUTPUT, "no memory to keep the result in");
    }
    *sink = file && *memory ? sink_tee(file, *memory) : file ? file : *memory;
    if (a->begin && a->row) {
        ResultSink *stream = stream_sink(a);
        if (!stream) {
            sink_free(*sink);
            return wrong(s, E_OUTPUT, "no memory to pass rows on");
        }
        *sink = *sink ? sink_tee(*sink, stream) : stream;
    }
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

AcausalStatus simulate_status(SimEnd end)
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

static void add_couple_stats(const Couple *couple, bool json, Text *out)
{
    CoupleStats c = couple_stats(couple);
    const struct {
        const char *about, *key;
        long count;
    } lines[] = { { "communication steps", "communication_steps", c.steps },
                  { "  rejected for coupling", "rejected_coupling", c.rejected },
                  { "events between FMUs", "couple_events", c.events },
                  { "algebraic loops solved", "loops", c.loops },
                  { "  Newton iterations", "loop_iterations", c.loop_iterations } };
    while (json && out->n && out->at[out->n - 1] != '}') out->n--; /* go on inside of the object */
    if (json && out->n) out->n--;
    for (size_t k = 0; k < COUNT_OF(lines); k++)
        text_printf(out, json ? ",\"%s\":%ld" : "%-28s %ld\n", json ? lines[k].key : lines[k].about,
                    lines[k].count);
    if (json) text_add_char(out, '}');
    if (!json)
        text_printf(out, "%-28s %s\n", "communication step size", c.is_controlled ? "controlled" : "fixed");
}

/* What the run cost, with what its code is: a fallback to the interpreter must not go unnoticed. */
static const char *stats_text(AcausalModel *m, const SimReport *report, bool json)
{
    const Translation *t = &m->t;
    if (m->fmu || m->couple) {
        Text own = { .arena = m->texts };
        sim_write_stats(report, json, &own);
        if (m->couple) add_couple_stats(m->couple, json, &own);
        return own.at;
    }
    GenStats code = gen_stats(t->compiled);
    const struct {
        const char *key, *about;
        double seconds;
    } phases[] = { { "load_s", "seconds to read the source", t->load },
                   { "flatten_s", "seconds to flatten", t->flatten },
                   { "structure_s", "seconds to sort equations", t->structure },
                   { "code_s", "seconds to make code", t->code } };
    Text run = { .arena = m->texts }, text = { .arena = m->texts };
    const char *backend = code.backend == IR_NATIVE ? "native" : "interpreter";
    sim_write_stats(report, json, &run);
    text_printf(
        &text,
        json
            ? "{\"code\":\"%s\",\"code_bytes\":%zu,\"jacobian_entries\":%u,\"colours\":%u"
            : "code                         %s, %zu bytes\nJacobian entries             %u, %u colours%s%s\n",
        backend, code.code_size, (unsigned)code.jacobian_entries, (unsigned)code.colours,
        code.one_pass ? ", made in one pass" : "",
        code.differences ? ", with differences in external functions" : ", exact");
    for (size_t i = 0; i < COUNT_OF(phases); i++)
        text_printf(&text, json ? ",\"%s\":%.9g" : "%-28s %.3g\n", json ? phases[i].key : phases[i].about,
                    phases[i].seconds);
    text_printf(&text, json ? ",%s" : "%s", run.at + json);
    return text.at;
}

/* The accepted steps of a run as a result: where they end, how long they are, what they did. */
static ResultTable *table_of_steps(const StepLog *log)
{
    static const Column columns[] = {
        { "log10_step", "lg(s)", "size of the step", COLUMN_CONTINUOUS, 0, false },
        { "order", "order", "order of the step, of a starter that of its method", COLUMN_CONTINUOUS, 1,
          false },
        { "restart", "0 or 1", "first step after an event", COLUMN_CONTINUOUS, 2, false },
        { "jacobian", "0 or 1", "made a new Jacobian", COLUMN_CONTINUOUS, 3, false },
    };
    ResultSink *sink = sink_memory();
    double values[COUNT_OF(columns)] = { 0 };
    if (!sink) return NULL;
    sink_begin(sink, columns, COUNT_OF(columns), values);
    for (uint32_t i = 0; i < log->steps.n; i++) {
        const StepRecord *step = &log->steps.at[i];
        values[0] = log10(fmax(fabs(step->h), 1e-300));
        values[1] = record_order(step);
        values[2] = (step->flags & RECORD_RESTART) != 0;
        values[3] = (step->flags & RECORD_JACOBIAN) != 0;
        /* an event inside of a step ends it, as the next one knows */
        const StepRecord *next = i + 1 < log->steps.n ? &log->steps.at[i + 1] : step;
        sink_row(sink, step->t - step->h, values);
        sink_row(sink, next == step ? step->t : fmin(step->t, next->t - next->h), values);
    }
    sink_end(sink);
    ResultTable *table = sink_table(sink);
    sink_free(sink);
    return table;
}

static void pass_notice(void *session, const char *text)
{
    diag_add(&((AcausalSession *)session)->diag, E_MODEL_WARNING, (Span){ 0 }, "%s", text);
}

typedef struct {
    AcausalModel *m;
    AcausalSimulationReport *report;
} Failed;

/* What failed, for people and machines. */
static void describe_failure(void *arg, const SimReport *sim)
{
    const Failed *failed = arg;
    AcausalModel *m = failed->m;
    Diag diag;
    diag_init(&diag, m->texts);
    ExplainModel what = explain_model(m);
    bool is_ours = !m->fmu && !m->couple;
    Note *note = is_ours ? explain_failure(&what, m->model, sim, &diag)
                         : diag_add(&diag, E_RUN_FAILED, (Span){ 0 }, "%s", sim->message);
    Text text = { .arena = m->texts }, json = { .arena = m->texts };
    diag_render(note, m->session->sources, (RenderStyle){ 0 }, &text);
    diag_render_json(note, m->session->sources, &json);
    failed->report->failure = text.at;
    failed->report->failure_json = json.at;
}

AcausalStatus simulate_model(AcausalModel *m, const AcausalSimulation *a, SimOptions *o, ResultSink *extra,
                             AcausalSimulationReport *report)
{
    AcausalSession *s = m->session;
    char why[400];
    ResultSink *memory;
    SimReport sim;
    ResultTable *inputs = a->inputs ? result_read(a->inputs, why, sizeof why) : NULL;
    if (a->inputs && !inputs) return wrong(s, E_OUTPUT, "%s", why), ACAUSAL_WRONG;
    Resume resume;
    if (!resume_open(&resume, m, a, o) || !open_sinks(m, a, &o->sink, &memory)) {
        resume_close(&resume);
        result_free(inputs);
        return ACAUSAL_WRONG;
    }
    if (extra) o->sink = o->sink ? sink_tee(o->sink, extra) : extra;
    Progress progress = { a, o->t0, o->t_end };
    o->inputs = inputs;
    if (a->progress) o->progress = pass_progress;
    o->progress_arg = &progress;
    StepLog log = { .arena = a->keep_steps ? arena_new() : NULL };
    if (log.arena) o->solver_options.record = &log;
    o->notice = pass_notice;
    o->notice_arg = s;
    o->visit = m->visit;
    o->visit_arg = m->visit_arg;
    o->solver_options.made = m->made;
    o->solver_options.made_arg = m->made_arg;
    Failed failed = { m, report };
    o->on_failure = describe_failure;
    o->on_failure_arg = &failed;
    if (m->watch) m->watch(m->watch_arg, m->model, o);
    bool told = provenance_write(m, a, o, NULL);
    sim_run(m->model, o, &sim);
    if (told) told = provenance_write(m, a, o, &sim);
    if (m->watched) m->watched(m->watch_arg, &sim);
    m->last = sim.stats;
    m->last_end = sim.end;
    if (log.arena) {
        report->steps = (AcausalResult *)table_of_steps(&log);
        arena_free(log.arena);
    }
    report->t = sim.t;
    report->message = arena_copy(m->texts, str_of(sim.message));
    report->stats = stats_text(m, &sim, false);
    report->stats_json = stats_text(m, &sim, true);
    if (memory) report->result = (AcausalResult *)sink_table(memory);
    sink_free(o->sink);
    result_free(inputs);
    AcausalStatus status = simulate_status(sim.end);
    if ((!resume_close(&resume) || !told) && status == ACAUSAL_DONE) status = ACAUSAL_WRONG;
    if (status == ACAUSAL_DONE && a->save_state && !checkpoint_save(m, a->save_state, sim.t))
        status = ACAUSAL_WRONG;
    return status;
}

/* RESULT or RESULT@T: starts from there, at the end of the result if no time is given. */
static bool start_from(AcausalModel *m, const char *text)
{
    AcausalSession *s = m->session;
    char why[400], *end = NULL;
    const char *at = strrchr(text, '@');
    double t = at ? strtod(at + 1, &end) : INFINITY;
    if (at && (end == at + 1 || *end)) at = NULL;
    const char *path = arena_copy(m->texts, (Str){ text, at ? (size_t)(at - text) : strlen(text) });
    ResultTable *table = result_read(path, why, sizeof why);
    if (!table) return wrong(s, E_OUTPUT, "%s", why);
    if (!at && table->rows) t = signal_at(&table->time, table->rows - 1);
    bool ok = sim_start_from(m->model, table, t, why, sizeof why) > 0 || wrong(s, E_OPTION, "%s", why);
    result_free(table);
    return ok;
}

static bool wants_something(const Model *model, const SimOptions *o)
{
    for (int i = 0; i < model->shape.variable_count; i++)
        if (o->wants(o->wants_arg, &model->shape.variables[i])) return true;
    return false;
}

/* An instance with all values of a run. */
static bool begin_with(AcausalModel *m, const AcausalSimulation *a, const char *const *set, size_t n,
                       SimOptions *options)
{
    bool ok = simulate_options(m, a, options);
    if (!model_instantiate(m, a, options)) return false;
    if (a->init && checkpoint_is(a->init)) {
        ok &= checkpoint_load(m, a->init, &options->t0);
        if (ok && !isnan(a->start) && a->start != options->t0)
            ok = wrong(m->session, E_OPTION, "'%s' is of t = %.9g: --start is another", a->init, options->t0);
    } else if (a->init)
        ok &= start_from(m, a->init);
    for (size_t i = 0; i < n; i++) ok &= set_variable(m, set[i]);
    return ok;
}

bool model_begin(AcausalModel *m, const AcausalSimulation *a, bool with_products, SimOptions *options)
{
    size_t n = a->set_count, structural = 0;
    arena_rewind(m->texts, m->empty);
    const char **set = NEW_ARRAY(m->texts, const char *, n + 1);
    for (size_t i = 0; i < n; i++) set[i] = a->set[i];
    if (!m->fmu && !m->couple) {
        if (!model_build_for(m, set, n, &structural)) return tell_memory(m->session), false;
        if (with_products && !m->t.system->histories.n && !gen_add_products(m->t.compiled, &m->session->diag))
            return false;
    }
    return begin_with(m, a, set + structural, n - structural, options);
}

static AcausalStatus run_with(AcausalModel *m, const AcausalSimulation *a, const char *const *set, size_t n,
                              AcausalSimulationReport *report)
{
    SimOptions options;
    SimFilter filter = { 0 };
    char why[400];
    m->picks_form = !m->watch;
    bool ok = begin_with(m, a, set, n, &options);
    m->picks_form = false;
    if (!m->model) return ACAUSAL_WRONG;
    bool is_own = !m->fmu && !m->couple;
    report->states = is_own ? m->t.system->states.n : (size_t)m->model->shape.n;
    if (a->variables && !sim_filter(&options, &filter, a->variables, why, sizeof why))
        ok = wrong(m->session, E_OPTION, "%s", why);
    else if (a->variables && !wants_something(m->model, &options))
        ok = wrong(m->session, E_OPTION, "no variable fits '%s'", a->variables);
    AcausalStatus status = ok ? simulate_model(m, a, &options, NULL, report) : ACAUSAL_WRONG;
    sim_filter_free(&filter);
    return status;
}

AcausalStatus model_run(AcausalModel *m, const AcausalSimulation *simulation, AcausalSimulationReport *report)
{
    size_t n = simulation->set_count;
    double start = clock_wall();
    *report = (AcausalSimulationReport){
        .message = "", .stats = "", .stats_json = "{}", .failure = "", .failure_json = ""
    };
    arena_rewind(m->texts, m->empty);
    const char **set = NEW_ARRAY(m->texts, const char *, n + 1);
    for (size_t i = 0; i < n; i++) set[i] = simulation->set[i];
    size_t structural = 0;
    if (!m->fmu && !m->couple && !model_build_for(m, set, n, &structural))
        return tell_memory(m->session), ACAUSAL_WRONG;
    report->load_seconds = m->t.load;
    report->flatten_seconds = m->t.flatten;
    report->structure_seconds = m->t.structure;
    report->code_seconds = m->t.code;
    report->translate_seconds = clock_wall() - start;
    AcausalStatus status = run_with(m, simulation, set + structural, n - structural, report);
    model_detach_handlers(m);
    if (status != ACAUSAL_DONE && !report->message[0]) tell_memory(m->session);
    report->simulate_seconds = clock_wall() - start - report->translate_seconds;
    return status;
}

AcausalStatus acausal_run(AcausalModel *m, const AcausalSimulation *simulation,
                          AcausalSimulationReport *report)
{
    AcausalSimulation own;
    AcausalSimulationReport r;
    if (!is_sized(m->session, report) || !take_simulation(m->session, &own, simulation)) return ACAUSAL_USAGE;
    AcausalStatus status = model_run(m, &own, &r);
    GIVE(report, r);
    return status;
}

AcausalStatus acausal_simulate(AcausalSession *s, const char *source, const char *class_name,
                               const AcausalSimulation *simulation, AcausalSimulationReport *report)
{
    AcausalSimulation own;
    AcausalSimulationReport r = {
        .message = "", .stats = "", .stats_json = "{}", .failure = "", .failure_json = ""
    };
    double start = clock_wall();
    if (!is_sized(s, report) || !take_simulation(s, &own, simulation)) return ACAUSAL_USAGE;
    GIVE(report, r);
    AcausalModel *m = acausal_compile(s, source, class_name);
    double seconds = clock_wall() - start;
    if (!m) return ACAUSAL_WRONG;
    AcausalStatus status = model_run(m, &own, &r);
    r.translate_seconds += seconds;
    r.message = arena_copy(s->arena, str_of(r.message));
    r.failure = arena_copy(s->arena, str_of(r.failure));
    r.failure_json = arena_copy(s->arena, str_of(r.failure_json));
    r.stats = arena_copy(s->arena, str_of(r.stats));
    r.stats_json = arena_copy(s->arena, str_of(r.stats_json));
    acausal_model_free(m);
    GIVE(report, r);
    return status;
}
