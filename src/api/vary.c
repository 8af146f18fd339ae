/* vary.c: a model whose parameters are varied: names become variables, and instances with other
 * values are made at will.
 *
 * In: a model, the user's settings, names of parameters. Out: instances, each with its own values,
 * which may run in threads of their own. Always: names that are wrong come back with the nearest
 * one; parameters that equations were built with are told apart. Tests:
 * tests/sens/derivatives_test.c, tests/cli/sensitivity.sh, fit.sh, sweep.sh. */
#include "api/inside.h"

#include <stdio.h>

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_structural(const AcausalModel *m, const char *name)
{
    const Flat *flat = m->t.flat;
    for (VarId v = 0; v < flat->vars.n; v++)
        if (!strcmp(flat->vars.at[v].name, name)) return (flat->vars.at[v].flags & VAR_STRUCTURAL) != 0;
    return false;
}

static bool check_parameter(AcausalModel *m, const ModelVariable *v)
{
    AcausalSession *s = m->session;
    bool is_open = v->is_settable && !v->is_input;
    if (is_open && v->type == VARIABLE_REAL) return true;
    if (!is_open && is_structural(m, v->name))
        return wrong(s, E_OPTION, "'%s' is structural: the equations of the model depend on its value",
                     v->name);
    if (v->type != VARIABLE_REAL)
        return wrong(s, E_OPTION, "'%s' is no Real: nothing can be differentiated in it", v->name);
    if (v->kind == VARIABLE_CONSTANT) return wrong(s, E_OPTION, "'%s' is a constant", v->name);
    return wrong(s, E_OPTION,
                 v->is_input ? "'%s' is an input" : "'%s' cannot be varied: its value is final or computed",
                 v->name);
}

bool vary_find(Vary *v, const char *const *names, size_t n, bool are_parameters, int *found)
{
    AcausalSession *s = v->m->session;
    const Model *model = v->m->model;
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        const ModelVariable *variable = model_find_variable(model, str_of(names[i]));
        if (!variable)
            ok = unknown(s, are_parameters ? "parameter or variable" : "variable", names[i],
                         model_nearest_variable(s, model, str_of(names[i])));
        else if (are_parameters)
            ok &= check_parameter(v->m, variable);
        else if (variable->type != VARIABLE_REAL)
            ok = wrong(s, E_OPTION, "'%s' is no Real: it has no derivatives", names[i]);
        if (variable) found[i] = (int)(variable - model->shape.variables);
    }
    return ok;
}

bool vary_setting(Vary *v, const char *text, VarySetting *setting)
{
    AcausalSession *s = v->m->session;
    const Model *model = v->m->model;
    const char *equal = strrchr(text, '=');
    Str name = { text, equal ? (size_t)(equal - text) : strlen(text) };
    if (!equal || !read_value(equal + 1, &setting->value))
        return wrong(s, E_OPTION, "'%s' should be NAME=VALUE", text);
    const ModelVariable *variable = model_find_variable(model, name);
    if (!variable)
        return unknown(s, "variable", arena_copy(v->m->texts, name), model_nearest_variable(s, model, name));
    setting->variable = (int)(variable - model->shape.variables);
    return true;
}

bool vary_inputs(AcausalModel *m, bool has_inputs)
{
    if (!has_inputs || !m->model->shape.indicators) return true;
    return wrong(m->session, E_OPTION,
                 "inputs that follow a file move state events; derivatives through both are not computed");
}

/* ---- instances ------------------------------------------------------------------------------- */

static bool set_one(Vary *v, Model *model, int variable, double value, char *why, size_t room)
{
    const char *reason = NULL;
    if (model->type->set(model, variable, value, &reason)) return true;
    snprintf(why, room, "'%s' cannot be set: %s", model->shape.variables[variable].name,
             reason ? reason : "the model gives it no choice");
    (void)v;
    return false;
}

Model *vary_instance(Vary *v, const double *p, const VarySetting *more, size_t n, char *why, size_t room)
{
    Model *model = v->is_residual ? gen_residual_instance(v->m->t.compiled) : gen_instance(v->m->t.compiled);
    bool ok = model;
    if (!model) snprintf(why, room, "no memory for an instance of the model");
    for (size_t i = 0; i < v->set_count && ok; i++)
        ok = set_one(v, model, v->set[i].variable, v->set[i].value, why, room);
    for (size_t i = 0; i < n && ok; i++) ok = set_one(v, model, more[i].variable, more[i].value, why, room);
    for (int j = 0; j < v->count && ok && p; j++)
        if (p[j] != v->p[j]) ok = set_one(v, model, v->wrt[j], p[j], why, room);
    if (ok) return model;
    gen_instance_free(model);
    return NULL;
}

bool vary_take(Vary *v, const double *p)
{
    char why[240];
    Model *model = vary_instance(v, p, NULL, 0, why, sizeof why);
    if (!model) return wrong(v->m->session, E_OPTION, "%s", why);
    gen_instance_free(v->m->t.model);
    v->m->instances++;
    v->m->model = v->m->t.model = model;
    gen_listen(model, v->run->say, v->run->say_arg);
    return true;
}

/* Values of parameters and start values, from a start that is not used for anything else. */
static bool learn_values(Vary *v)
{
    Model *model = v->m->model;
    double *y = NEW_ARRAY(v->m->texts, double, (size_t)model->shape.n + 1);
    double *values = NEW_ARRAY(v->m->texts, double, (size_t)model->shape.value_count + 1);
    EventInfo info;
    if (model->type->initialise(model, v->options.t0, y, &info) != EVAL_OK ||
        model->type->values(model, v->options.t0, y, values) == EVAL_FATAL)
        return wrong(v->m->session, E_OPTION, "the initial equations have no solution: %s",
                     model->type->failure(model) ? model->type->failure(model) : "");
    for (int j = 0; j < v->count; j++) {
        const ModelVariable *variable = &model->shape.variables[v->wrt[j]];
        v->p[j] = variable->negated ? -values[variable->slot] : values[variable->slot];
    }
    return true;
}

bool vary_open(Vary *v, AcausalModel *m, const AcausalSimulation *run, bool with_products)
{
    *v = (Vary){ .m = m, .run = run };
    const char **set = NEW_ARRAY(m->texts, const char *, run->set_count + 1);
    for (size_t i = 0; i < run->set_count; i++) set[i] = run->set[i];
    size_t structural = 0;
    if (!model_build_for(m, set, run->set_count, &structural)) return false;
    if (with_products && m->t.system->histories.n)
        return wrong(m->session, E_OPTION,
                     "the model has delays or other histories: derivatives of runs do not pass them "
                     "(differences of whole runs "
                     "do, --method end)");
    if (with_products && !gen_add_products(m->t.compiled, &m->session->diag)) return false;
    if (!simulate_options(m, run, &v->options)) return false;
    v->is_residual = wants_residual_form(run);
    if (v->is_residual && !gen_add_residual_form(m->t.compiled, &m->session->diag)) return false;
    m->model = m->t.model;
    v->set = NEW_ARRAY(m->texts, VarySetting, run->set_count + 1);
    bool ok = true;
    for (size_t i = structural; i < run->set_count; i++)
        ok &= vary_setting(v, set[i], &v->set[v->set_count++]);
    return ok;
}

bool vary_in(Vary *v, const char *const *names, size_t n)
{
    v->wrt = NEW_ARRAY(v->m->texts, int, n + 1);
    v->p = NEW_ARRAY(v->m->texts, double, n + 1);
    if (!vary_find(v, names, n, true, v->wrt)) return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (v->wrt[i] == v->wrt[j])
                return wrong(v->m->session, E_OPTION, "'%s' is named twice", names[i]);
    v->count = (int)n;
    return vary_take(v, NULL) && learn_values(v);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool rows_begin(ResultSink *sink, const Column *columns, size_t n, const double *values)
{
    (void)sink, (void)columns, (void)n, (void)values;
    return true;
}

static bool rows_row(ResultSink *sink, double t, const double *values)
{
    RowSink *rows = (RowSink *)sink;
    rows->row(rows->arg, t, values);
    return true;
}

static bool rows_end(ResultSink *sink) { return !sink->failed; }
static void rows_free(ResultSink *sink) { (void)sink; }

RowSink row_sink(void (*row)(void *arg, double t, const double *values), void *arg)
{
    static const SinkType type = { rows_begin, rows_row, rows_end, rows_free };
    return (RowSink){ { .type = &type }, row, arg };
}

void keep_row(void *arg, double t, const double *values)
{
    LastRow *last = arg;
    (void)t;
    memcpy(last->values, values, last->n * sizeof *values);
}
