/* inspect.c: what a program that shows models and results has to know: the experiment, values at
 * the start, each row while it is computed, results as files.
 *
 * Always: nothing here changes a model but its present instance. Cost: linear. Tests:
 * tests/api/inspect_test.c. */
#include "api/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

AcausalStatus acausal_model_experiment(const AcausalModel *m, AcausalExperiment *experiment)
{
    Experiment e = model_experiment(m);
    AcausalExperiment own = {
        .start = e.start, .stop = e.stop, .tolerance = e.tolerance, .interval = e.interval
    };
    if (!is_sized(m->session, experiment)) return ACAUSAL_USAGE;
    GIVE(experiment, own);
    return ACAUSAL_DONE;
}

const char *acausal_model_state(const AcausalModel *m, size_t i)
{
    return m->model && i < (size_t)m->model->shape.n && m->model->shape.names ? m->model->shape.names[i]
                                                                              : NULL;
}

/* ---- values at the start --------------------------------------------------------------------- */

/* The number of an expression that is one, with its sign. */
static double literal_of(const Flat *flat, ExprId id)
{
    if (id == NONE) return NAN;
    const FlatExpr *e = &flat->exprs.at[id];
    if (e->kind == X_REAL) return e->real;
    if (e->kind == X_INTEGER) return (double)e->integer;
    if (e->kind == X_UNARY && e->n == 1 && e->op == OP_SUBTRACT)
        return -literal_of(flat, flat->ids.at[e->first]);
    return NAN;
}

static Map flat_by_name(const Flat *flat, Arena *arena)
{
    Map map = { .arena = arena };
    for (VarId v = 0; v < flat->vars.n; v++) {
        bool is_new;
        uint64_t *place = map_put(&map, name_hash(str_of(flat->vars.at[v].name)), &is_new);
        if (is_new) *place = v;
    }
    return map;
}

static void add_limits(const AcausalModel *m, Arena *arena, AcausalStartValue *values)
{
    const Flat *flat = m->t.flat;
    Map map = flat_by_name(flat, arena);
    for (int i = 0; i < m->model->shape.variable_count; i++) {
        const char *name = m->model->shape.variables[i].name;
        uint64_t v;
        if (!map_get(&map, name_hash(str_of(name)), &v) || strcmp(flat->vars.at[v].name, name) != 0) continue;
        const FlatVar *var = &flat->vars.at[v];
        values[i].low = literal_of(flat, var->attributes[ATTRIBUTE_MIN]);
        values[i].high = literal_of(flat, var->attributes[ATTRIBUTE_MAX]);
        values[i].is_structural = (var->flags & VAR_STRUCTURAL) != 0;
        values[i].is_final = (var->flags & VAR_FINAL) != 0;
    }
}

AcausalStatus acausal_model_start_values(AcausalModel *m,
                                         void (*each)(void *arg, size_t i, const AcausalStartValue *value),
                                         void *arg)
{
    AcausalSimulation simulation = acausal_simulation();
    SimOptions options = sim_options(0, 1, 1e-6);
    Arena *arena = arena_new();
    if (!arena || !model_instantiate(m, &simulation, &options)) {
        arena_free(arena);
        return ACAUSAL_WRONG;
    }
    const ModelShape *shape = &m->model->shape;
    AcausalStartValue *values = NEW_ARRAY(arena, AcausalStartValue, (size_t)shape->variable_count + 1);
    double *y = NEW_ARRAY(arena, double, (size_t)shape->n + 1);
    double *slots = NEW_ARRAY(arena, double, (size_t)shape->value_count + 1);
    double t = model_experiment(m).start;
    EventInfo info = { 0 };
    if (isnan(t)) t = 0;
    bool ok = (m->model->can & MODEL_HYBRID) &&
              m->model->type->initialise(m->model, t, y, &info) == EVAL_OK &&
              m->model->type->values(m->model, t, y, slots) == EVAL_OK;
    for (int i = 0; i < shape->variable_count; i++) {
        const ModelVariable *v = &shape->variables[i];
        double value = ok ? (v->negated ? -1.0 : 1.0) * slots[v->slot] : NAN;
        values[i] = (AcausalStartValue){ .size = sizeof *values, .value = value, .low = NAN, .high = NAN };
    }
    if (m->t.flat) add_limits(m, arena, values);
    for (int i = 0; i < shape->variable_count; i++) each(arg, (size_t)i, &values[i]);
    arena_free(arena);
    return ok ? ACAUSAL_DONE : ACAUSAL_FAILED;
}

/* ---- structure ------------------------------------------------------------------------------- */

AcausalStatus acausal_structure(AcausalModel *m, AcausalWrite write, void *arg)
{
    Arena *arena = arena_new();
    if (!arena) return ACAUSAL_BUG;
    Text out = { .arena = arena };
    bool known = m->t.system && m->t.compiled;
    if (known) {
        if (!m->t.model) m->t.model = gen_instance(m->t.compiled);
        text_add_literal(&out, "{\"analysis\":");
        analysis_json(m->session, &m->t, &out);
        text_add_literal(&out, ",\"structure\":");
        draw_structure_json(m->t.system, m->session->sources, &out);
        text_add_literal(&out, "}");
        write(arg, out.at, out.n);
    }
    arena_free(arena);
    return known ? ACAUSAL_DONE : ACAUSAL_WRONG;
}

/* ---- rows while they are computed ------------------------------------------------------------ */

typedef struct {
    ResultSink sink;
    const AcausalSimulation *simulation;
    int *slots;
    double *signs, *row;
    size_t n;
} Stream;

static bool stream_begin(ResultSink *sink, const Column *columns, size_t n, const double *values)
{
    Stream *s = (Stream *)sink;
    AcausalSignal *signals = calloc(n + 1, sizeof *signals);
    const AcausalSignal **list = calloc(n + 1, sizeof *list);
    (void)values;
    s->slots = calloc(n + 1, sizeof *s->slots);
    s->signs = calloc(n + 1, sizeof *s->signs);
    s->row = calloc(n + 1, sizeof *s->row);
    s->n = n;
    bool ok = signals && list && s->slots && s->signs && s->row;
    for (size_t i = 0; ok && i < n; i++) {
        s->slots[i] = columns[i].slot;
        s->signs[i] = columns[i].negated ? -1.0 : 1.0;
        signals[i] = (AcausalSignal){ .size = sizeof *signals,
                                      .name = columns[i].name,
                                      .unit = columns[i].unit,
                                      .description = columns[i].description,
                                      .kind = (AcausalSignalKind)columns[i].kind };
        list[i] = &signals[i];
    }
    if (ok) s->simulation->begin(s->simulation->row_arg, list, n);
    free(signals);
    free(list);
    sink->failed = !ok;
    return ok;
}

static bool stream_row(ResultSink *sink, double t, const double *values)
{
    Stream *s = (Stream *)sink;
    for (size_t i = 0; i < s->n; i++) s->row[i] = s->signs[i] * values[s->slots[i]];
    s->simulation->row(s->simulation->row_arg, t, s->row, s->n);
    return true;
}

static bool stream_end(ResultSink *sink)
{
    (void)sink;
    return true;
}

static void stream_free(ResultSink *sink)
{
    Stream *s = (Stream *)sink;
    free(s->slots);
    free(s->signs);
    free(s->row);
    free(s);
}

ResultSink *stream_sink(const AcausalSimulation *simulation)
{
    static const SinkType type = { stream_begin, stream_row, stream_end, stream_free };
    Stream *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->sink.type = &type;
    s->simulation = simulation;
    return &s->sink;
}

/* ---- results as files ------------------------------------------------------------------------ */

bool acausal_result_signal(const AcausalResult *result, size_t i, AcausalSignal *signal)
{
    const ResultTable *table = (const ResultTable *)result;
    if (i >= table->count || !is_sized(NULL, signal)) return false;
    const Signal *s = &table->signals[i];
    AcausalSignal own = {
        .name = s->name, .unit = s->unit, .description = s->description, .kind = (AcausalSignalKind)s->kind
    };
    GIVE(signal, own);
    return true;
}

AcausalStatus acausal_result_write(AcausalSession *session, const AcausalResult *result, const char *path)
{
    const ResultTable *table = (const ResultTable *)result;
    char why[400];
    Arena *arena = arena_new();
    ResultSink *sink = arena ? sink_open_file(path, why, sizeof why) : NULL;
    if (!sink) {
        if (!arena) snprintf(why, sizeof why, "no memory to write '%s'", path);
        wrong(session, E_OUTPUT, "%s", why);
        arena_free(arena);
        return ACAUSAL_WRONG;
    }
    Column *columns = NEW_ARRAY(arena, Column, table->count + 1);
    double *values = NEW_ARRAY(arena, double, table->count + 1);
    for (size_t i = 0; i < table->count; i++) {
        const Signal *s = &table->signals[i];
        columns[i] = (Column){ s->name, s->unit, s->description, s->kind, (int)i, false };
        values[i] = table->rows || !s->stride ? signal_at(s, 0) : 0.0;
    }
    bool ok = sink_begin(sink, columns, table->count, values);
    for (size_t r = 0; ok && r < table->rows; r++) {
        for (size_t i = 0; i < table->count; i++) values[i] = signal_at(&table->signals[i], r);
        ok = sink_row(sink, signal_at(&table->time, r), values);
    }
    ok = sink_end(sink) && ok;
    if (!ok) wrong(session, E_OUTPUT, "%s", sink->why);
    sink_free(sink);
    arena_free(arena);
    return ok ? ACAUSAL_DONE : ACAUSAL_WRONG;
}
