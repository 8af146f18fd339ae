/* model.c: a model that is translated or opened once, and instances of it.
 *
 * In: a source, which is Modelica or an FMU. Out: a Model for each run. Always: an instance lives
 * until the next one is made. Tests: tests/api/simulate_test.c, tests/cli/fmu.sh. */
#include "api/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the experiment that a model suggests ---------------------------------------------------- */

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

Experiment class_experiment(const Class *cls)
{
    return (Experiment){ experiment(cls, "StartTime"), experiment(cls, "StopTime"),
                         experiment(cls, "Tolerance"), experiment(cls, "Interval") };
}

Experiment model_experiment(const AcausalModel *m)
{
    if (m->couple) {
        const SystemDescription *d = couple_description(m->couple);
        return (Experiment){ d->start, d->stop, NAN, NAN };
    }
    if (m->fmu) {
        const FmuDescription *d = fmu_description(m->fmu);
        return (Experiment){ d->start, d->stop, d->tolerance, d->step };
    }
    return class_experiment(m->suggests ? m->suggests : m->t.cls);
}

/* ---- translating and opening ----------------------------------------------------------------- */

/* Translates anew if the structural values are others than before. */
static bool build_with(AcausalModel *m, const char *const *set, size_t n)
{
    Text text = { .arena = m->texts };
    text_printf(&text, "%s", "");
    for (size_t i = 0; i < n; i++) text_printf(&text, "%s\n", set[i]);
    if (!strcmp(text.at, m->built_with)) return true;
    m->model = NULL;
    translation_free(&m->t);
    free(m->built_with);
    m->built_with = strdup(text.at);
    bool ok = m->cls ? translate_class(m->session, m->cls, set, n, &m->t)
                     : translate(m->session, m->source, m->class_name, set, n, &m->t);
    return ok && m->built_with;
}

bool model_build_for(AcausalModel *m, const char **set, size_t n, size_t *structural)
{
    *structural = 0;
    if (!m->t.flat && !build_with(m, NULL, 0)) return false; /* the last values were wrong */
    size_t more = take_structural(m->t.flat, set, n);
    do {
        *structural += more;
        if (!build_with(m, set, *structural)) return false;
        more = take_structural(m->t.flat, set + *structural, n - *structural);
    } while (more);
    return true;
}

static bool is_fmu(const char *source)
{
    size_t n = strlen(source);
    return n > 4 && !strcmp(source + n - 4, ".fmu");
}

static FmuLimits limits_of(const AcausalSession *s)
{
    return s->switches[ACAUSAL_TRUST_ARCHIVES] ? fmu_no_limits() : fmu_limits();
}

static bool open_or_translate(AcausalModel *m)
{
    if (m->cls) return translate_class(m->session, m->cls, NULL, 0, &m->t);
    FmuLimits limits = limits_of(m->session);
    if (system_is(m->source)) {
        m->couple = couple_open(m->source, &limits, m->session->sources, &m->session->diag);
        return m->couple != NULL;
    }
    if (!is_fmu(m->source)) return translate(m->session, m->source, m->class_name, NULL, 0, &m->t);
    m->fmu = fmu_open(m->source, &limits, m->session->sources, &m->session->diag);
    return m->fmu != NULL;
}

static AcausalModel *compile(AcausalSession *s, const char *source, const char *class_name, Class *cls)
{
    AcausalModel *m = calloc(1, sizeof *m);
    if (!m) return tell_memory(s), NULL;
    *m = (AcausalModel){ .session = s, .texts = arena_new(), .built_with = strdup(""), .cls = cls };
    m->source = arena_copy(s->arena, str_of(source));
    m->class_name = class_name ? arena_copy(s->arena, str_of(class_name)) : NULL;
    if (m->texts && m->built_with && open_or_translate(m)) {
        m->empty = arena_mark(m->texts);
        return m;
    }
    tell_memory(s);
    acausal_model_free(m);
    return NULL;
}

AcausalModel *acausal_compile(AcausalSession *s, const char *source, const char *class_name)
{
    return compile(s, source, class_name, NULL);
}

AcausalModel *model_of_class(AcausalSession *s, Class *cls) { return compile(s, "", NULL, cls); }

static void free_instance(AcausalModel *m)
{
    if (m->fmu) fmu_model_free(m->model);
    m->model = NULL;
}

void acausal_model_free(AcausalModel *m)
{
    if (!m) return;
    acausal_model_free(m->derived);
    free(m->derived_for);
    free_instance(m);
    couple_close(m->couple);
    fmu_close(m->fmu);
    translation_free(&m->t);
    arena_free(m->texts);
    free(m->built_with);
    free(m);
}

/* ---- instances ------------------------------------------------------------------------------- */

/* What an FMU logs goes where models print, with a mark in front. */
static void say_log(void *arg, const char *text)
{
    const AcausalModel *m = arg;
    char line[800];
    snprintf(line, sizeof line, "fmu: %s", text);
    if (m->say) m->say(m->say_arg, line);
}

static FmuOptions fmu_options(AcausalModel *m, const AcausalSimulation *a, const SimOptions *o)
{
    return (FmuOptions){ .start = o->t0,
                         .stop = o->t_end,
                         .tolerance = o->tol,
                         .logging = a->log && a->say,
                         .compile = a->compile,
                         .log = a->say ? say_log : NULL,
                         .log_arg = m };
}

static bool check_kind(AcausalSession *s, const char *kind)
{
    return !kind || !strcmp(kind, "cs") || !strcmp(kind, "me") ||
           wrong(s, E_OPTION, "'%s' should be me or cs", kind);
}

static bool instantiate_fmu(AcausalModel *m, const AcausalSimulation *a, const SimOptions *o)
{
    const FmuDescription *d = fmu_description(m->fmu);
    FmuOptions options = fmu_options(m, a, o);
    if (!check_kind(m->session, a->kind)) return false;
    free_instance(m);
    m->say = a->say;
    m->say_arg = a->say_arg;
    bool is_slave = a->kind ? !strcmp(a->kind, "cs") : !d->kind[FMU_ME].there;
    m->model = (is_slave ? fmu_slave : fmu_model)(m->fmu, &options, &m->session->diag);
    return m->model != NULL;
}

/* The options of a run that are about several FMUs: of the master of co-simulation. */
static const struct {
    const char *key, *values;
} master_options[] = { { "master=", "gauss-seidel or jacobi" },
                       { "extrapolation=", "hold or linear" },
                       { "communication-step=", "a positive number" } };

bool is_master_option(const char *text)
{
    for (size_t k = 0; k < COUNT_OF(master_options); k++)
        if (!strncmp(text, master_options[k].key, strlen(master_options[k].key))) return true;
    return false;
}

static bool set_master_option(const char *text, CoupleOptions *o)
{
    const char *value = strchr(text, '=') + 1;
    if (!strncmp(text, "master=", 7)) {
        o->is_jacobi = !strcmp(value, "jacobi");
        return o->is_jacobi || !strcmp(value, "gauss-seidel");
    }
    if (!strncmp(text, "extrapolation=", 14)) {
        o->holds = !strcmp(value, "hold");
        return o->holds || !strcmp(value, "linear");
    }
    return read_value(value, &o->fixed_step) && o->fixed_step > 0;
}

static bool instantiate_couple(AcausalModel *m, const AcausalSimulation *a, const SimOptions *o)
{
    CoupleOptions options = { .fmu = fmu_options(m, a, o),
                              .solver = o->solver,
                              .solver_options = o->solver_options,
                              .prefer = a->kind };
    if (!check_kind(m->session, a->kind)) return false;
    if (!(options.solver_options.rtol > 0)) options.solver_options.rtol = o->tol;
    if (!(options.solver_options.atol > 0)) options.solver_options.atol = o->tol;
    for (size_t i = 0; i < a->solver_option_count; i++)
        for (size_t k = 0; k < COUNT_OF(master_options); k++) {
            const char *text = a->solver_options[i], *key = master_options[k].key;
            if (!strncmp(text, key, strlen(key)) && !set_master_option(text, &options))
                return wrong(m->session, E_OPTION, "'%s' should be %s%s", text, key,
                             master_options[k].values);
        }
    m->say = a->say;
    m->say_arg = a->say_arg;
    m->model = couple_model(m->couple, &options, &m->session->diag);
    return m->model != NULL;
}

/* What the last option form=... says; NULL: nothing. */
static const char *form_of(const AcausalSimulation *a)
{
    const char *form = NULL;
    for (size_t i = 0; i < a->solver_option_count; i++)
        if (!strncmp(a->solver_options[i], "form=", 5)) form = a->solver_options[i] + 5;
    return form;
}

bool wants_residual_form(const AcausalSimulation *a)
{
    const char *form = form_of(a);
    return form && !strcmp(form, "dae");
}

/* Of runs by `auto`, unless the form was asked for. */
static bool picks_residual_form(const AcausalModel *m, const AcausalSimulation *a)
{
    bool is_auto = !a->solver || !strcmp(a->solver, "auto");
    return m->picks_form && is_auto && !form_of(a) && gen_prefers_residual_form(m->t.compiled);
}

void model_detach_handlers(AcausalModel *m)
{
    m->say = NULL;
    if (m->model && !m->fmu && !m->couple) gen_listen(m->model, NULL, NULL);
}

bool model_instantiate(AcausalModel *m, const AcausalSimulation *a, const SimOptions *o)
{
    m->instances++;
    if (m->fmu) return instantiate_fmu(m, a, o);
    if (m->couple) return instantiate_couple(m, a, o);
    bool is_residual = wants_residual_form(a) || picks_residual_form(m, a);
    gen_instance_free(m->t.model);
    m->model = m->t.model = NULL;
    if (is_residual && !gen_add_residual_form(m->t.compiled, &m->session->diag)) return false;
    m->model = m->t.model = is_residual ? gen_residual_instance(m->t.compiled) : gen_instance(m->t.compiled);
    if (m->model) gen_listen(m->model, a->say, a->say_arg);
    return m->model || wrong(m->session, E_OPTION, "no memory for an instance of the model");
}

/* ---- FMUs alone ------------------------------------------------------------------------------ */

AcausalStatus acausal_fmu_info(AcausalSession *s, const char *path, AcausalFormat format, AcausalWrite write,
                               void *arg)
{
    FmuLimits limits = limits_of(s);
    Fmu *fmu = fmu_open(path, &limits, s->sources, &s->diag);
    if (fmu) {
        Text text = { .arena = s->arena };
        (format == ACAUSAL_JSON ? fmu_print_json : fmu_print)(fmu, &text);
        write(arg, text.at, text.n);
    }
    fmu_close(fmu);
    return session_status(s);
}

AcausalStatus acausal_fmu_validate(AcausalSession *s, const char *path)
{
    FmuLimits limits = limits_of(s);
    Fmu *fmu = fmu_open(path, &limits, s->sources, &s->diag);
    if (fmu) fmu_validate(fmu, &s->diag);
    fmu_close(fmu);
    return s->diag.errors + s->diag.warnings ? ACAUSAL_WRONG : ACAUSAL_DONE;
}
