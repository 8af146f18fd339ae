/* study_plan.c: from the settings of a study to what its runs need.
 *
 * In: a StudySpec. Out: the model with what its outputs need, distributions and design, a
 * translated variant for each choice of structural values, made when it is met. How: outputs that
 * are more than a variable become declarations of a class that extends the model's: an integral is
 * a state, so that it has the run's accuracy; an event is a when-equation, so that its time is that
 * of the root. Always: at most MOST_VARIANTS variants are kept that no run uses. Tests:
 * tests/cli/study.sh. */
#include "api/study.h"

#include "trust/trust.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_VARIANTS = 16, CURVE_ROWS = 100, MOST_NAMES = 100000 };

/* ---- outputs --------------------------------------------------------------------------------- */

typedef struct {
    AcausalSession *s;
    Text declared, equations;
    int made;
} Additions;

static const struct {
    const char *name;
    OutputKind kind;
} measures[] = { { "min", OUTPUT_MIN },    { "max", OUTPUT_MAX },     { "mean", OUTPUT_MEAN },
                 { "when", OUTPUT_SINCE }, { "curve", OUTPUT_CURVE }, { "integral", OUTPUT_END },
                 { "count", OUTPUT_END } };

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A name of a variable: identifiers with dots and numbers as subscripts, or quoted. */
static bool is_name(const char *text)
{
    bool quoted = false;
    int open = 0;
    if ((*text >= '0' && *text <= '9') || !strcmp(text, "time")) return false;
    for (const char *c = text; *c; c++) {
        if (*c == '\'') quoted = !quoted;
        if (quoted) continue;
        open += (*c == '[') - (*c == ']');
        if (!is_word(*c) && !strchr(".[],'", *c)) return false;
        if (open && is_word(*c) && !(*c >= '0' && *c <= '9')) return false; /* x[n] */
    }
    return *text != 0;
}

/* What NAME(...) holds if that is all of the text; NULL if it is not. */
static const char *inner_of(Arena *arena, const char *text, const char *name)
{
    size_t n = strlen(name), length = strlen(text);
    int open = 0;
    if (strncmp(text, name, n) != 0 || text[n] != '(' || text[length - 1] != ')') return NULL;
    for (const char *c = text + n; *c; c++) {
        open += (*c == '(') - (*c == ')');
        if (open == 0 && c[1]) return NULL;
        if (open == 1 && *c == ',') return NULL; /* min(a, b) of the language */
    }
    return arena_copy(arena, (Str){ text + n + 1, length - n - 2 });
}

/* A variable for an expression. */
static const char *add_expression(Additions *a, const char *text)
{
    if (is_name(text)) return text;
    const char *name = arena_printf(a->s->arena, "study_y%d", ++a->made);
    text_printf(&a->declared, " Real %s = %s;", name, text);
    return name;
}

static const char *add_integral(Additions *a, const char *text)
{
    const char *name = arena_printf(a->s->arena, "study_y%d", ++a->made);
    text_printf(&a->declared, " Real %s(start = 0, fixed = true);", name);
    text_printf(&a->equations, " der(%s) = %s;", name, text);
    return name;
}

/* The time at which a condition is met first; and whether it was. */
static const char *add_event(Additions *a, const char *condition, const char **seen)
{
    int k = ++a->made;
    const char *name = arena_printf(a->s->arena, "study_y%d", k);
    *seen = arena_printf(a->s->arena, "study_seen%d", k);
    text_printf(&a->declared,
                " Boolean study_c%d = %s; discrete Real %s(start = 0, fixed = true);"
                " discrete Real %s(start = 0, fixed = true);",
                k, condition, name, *seen);
    text_printf(
        &a->equations,
        " when {initial(), study_c%d} then %s = if pre(%s) > 0.5 or not study_c%d then pre(%s) else time;"
        " %s = if study_c%d then 1 else pre(%s); end when;",
        k, name, *seen, k, name, *seen, k, *seen);
    return name;
}

/* How often a condition becomes true. */
static const char *add_count(Additions *a, const char *condition)
{
    int k = ++a->made;
    const char *name = arena_printf(a->s->arena, "study_y%d", k);
    text_printf(&a->declared, " Boolean study_c%d = %s; discrete Real %s(start = 0, fixed = true);", k,
                condition, name);
    text_printf(&a->equations, " when study_c%d then %s = pre(%s) + 1; end when;", k, name, name);
    return name;
}

static StudyOutput read_output(Additions *a, const char *text)
{
    Arena *arena = a->s->arena;
    for (size_t k = 0; k < COUNT_OF(measures); k++) {
        const char *inner = inner_of(arena, text, measures[k].name);
        if (!inner) continue;
        StudyOutput o = { .kind = measures[k].kind, .text = text };
        if (!strcmp(measures[k].name, "count"))
            o.variable = add_count(a, inner);
        else if (!strcmp(measures[k].name, "integral") || o.kind == OUTPUT_MEAN)
            o.variable = add_integral(a, inner);
        else if (o.kind == OUTPUT_SINCE)
            o.variable = add_event(a, inner, &o.seen);
        else
            o.variable = add_expression(a, inner);
        return o;
    }
    return (StudyOutput){ .kind = OUTPUT_END, .text = text, .variable = add_expression(a, text) };
}

static bool find_class(StudyPlan *plan)
{
    AcausalSession *s = plan->session;
    Additions a = { .s = s, .declared = { .arena = s->arena }, .equations = { .arena = s->arena } };
    Text base = { .arena = s->arena }, text = { .arena = s->arena };
    text_printf(&a.declared, "%s", "");
    text_printf(&a.equations, "%s", "");
    if (!plan->spec.of.n) return wrong(s, E_OPTION, "nothing is wanted: 'of' names variables or expressions");
    plan->outputs = NEW_ARRAY(plan->arena, StudyOutput, plan->spec.of.n + 1);
    plan->output_count = plan->spec.of.n;
    for (size_t k = 0; k < plan->output_count; k++) {
        plan->outputs[k] = read_output(&a, plan->spec.of.at[k]);
        plan->curve_count += plan->outputs[k].kind == OUTPUT_CURVE;
    }
    plan->suggests = plan->cls = session_find_class(s, plan->spec.source, plan->spec.class_name);
    if (!plan->cls || !a.made) return plan->cls != NULL;
    class_full_name(plan->cls, &base);
    text_printf(&text, "model StudyOutputs%u extends .%s;%s equation%s end StudyOutputs%u;", s->set_classes,
                base.at, a.declared.at, a.equations.at, s->set_classes);
    s->set_classes++;
    plan->cls = libraries_open_text(s->libraries, "--of", (Str){ text.at, text.n }, &s->diag);
    return plan->cls != NULL;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* The rows of a CSV table: names, then numbers. */
static bool read_table(StudyPlan *plan)
{
    AcausalSession *s = plan->session;
    const char *at = plan->spec.table_text;
    VEC(double) values = { 0 };
    size_t line = 1, m = 0;
    const char *end = at + strcspn(at, "\n");
    for (const char *from = at; from <= end && *from; from += strcspn(from, ",\n") + 1, m++) {
        size_t n = strcspn(from, ",\n");
        while (n && strchr("\r \"", from[n - 1])) n--;
        size_t skip = strspn(from, "\" ");
        plan->names[m] = arena_copy(plan->arena, (Str){ from + skip, n > skip ? n - skip : 0 });
        if (m + 1 >= MOST_NAMES) return wrong(s, E_OPTION, "the table has too many columns");
        if (from[strcspn(from, ",\n")] != ',') {
            m++;
            break;
        }
    }
    for (at = *end ? end + 1 : end; *at; at += *at == '\n') {
        size_t blank = strspn(at, " \r\n");
        if (line++, blank) {
            at += blank;
            line += blank - 1;
            if (!*at) break;
        }
        for (size_t j = 0; j < m; j++) {
            char *rest;
            double value = strtod(at, &rest);
            rest += strspn(rest, " \r");
            if (rest == at || !isfinite(value) || (*rest && *rest != (j + 1 < m ? ',' : '\n')))
                return wrong(s, E_OPTION, "table, line %zu: expected %zu numbers with commas between them",
                             line, m);
            vec_push(plan->arena, &values, value);
            at = rest + (*rest == ',');
        }
    }
    plan->count = m;
    plan->design.table = values.at;
    plan->design.samples = m ? values.n / m : 0;
    return true;
}

static bool read_vary(StudyPlan *plan)
{
    AcausalSession *s = plan->session;
    char why[300];
    for (size_t j = 0; j < plan->spec.vary.n; j++) {
        const char *text = plan->spec.vary.at[j], *equal = strchr(text, '=');
        if (!equal) return wrong(s, E_OPTION, "'%s' should be NAME=VALUES", text);
        plan->names[j] = arena_copy(plan->arena, (Str){ text, (size_t)(equal - text) });
        if (!distribution_read(plan->arena, equal + 1, &plan->each[j], why, sizeof why))
            return wrong(s, E_OPTION, "%s: %s", plan->names[j], why);
    }
    plan->count = plan->spec.vary.n;
    return true;
}

static bool read_correlation(StudyPlan *plan)
{
    size_t m = plan->count;
    if (!plan->spec.correlate.n) return true;
    double *r = NEW_ARRAY(plan->arena, double, m *m + 1);
    for (size_t j = 0; j < m; j++) r[j * m + j] = 1.0;
    for (uint32_t i = 0; i < plan->spec.correlate.n; i++) {
        const char *text = plan->spec.correlate.at[i], *equal = strrchr(text, '=');
        size_t a = m, b = m;
        double value;
        for (size_t j = 0; j < m && equal; j++) {
            size_t n = strlen(plan->names[j]),
                   rest = (size_t)(equal - text) - size_min(n, (size_t)(equal - text));
            if (!strncmp(text, plan->names[j], n) && text[n] == ',') a = j;
            if (rest && !strncmp(text + rest, plan->names[j], n) && text[rest - 1] == ',') b = j;
        }
        if (!equal || a == m || b == m || a == b || !read_value(equal + 1, &value) || fabs(value) >= 1.0)
            return wrong(plan->session, E_OPTION,
                         "'%s' should be A,B=NUMBER with two of the parameters, between -1 and 1", text);
        r[a * m + b] = r[b * m + a] = value;
    }
    plan->design.correlation = r;
    return true;
}

static bool check_names(StudyPlan *plan)
{
    for (size_t j = 0; j < plan->count; j++)
        for (size_t k = 0; k < j; k++)
            if (!strcmp(plan->names[j], plan->names[k]))
                return wrong(plan->session, E_OPTION, "'%s' is named twice", plan->names[j]);
    return plan->count || wrong(plan->session, E_OPTION, "nothing is varied");
}

static bool open_design(StudyPlan *plan)
{
    AcausalSession *s = plan->session;
    Design *d = &plan->design;
    const StudySpec *spec = &plan->spec;
    char why[300];
    size_t room = spec->table_text ? MOST_NAMES : spec->vary.n + 1;
    plan->names = NEW_ARRAY(plan->arena, const char *, room);
    plan->each = NEW_ARRAY(plan->arena, Distribution, room);
    const char *name = spec->design           ? spec->design
                       : spec->table_text     ? "table"
                       : isnan(spec->samples) ? "grid"
                                              : "lhs";
    d->kind = design_find(name);
    if (d->kind == DESIGN_KINDS) {
        const char *known[DESIGN_KINDS];
        for (int k = 0; k < DESIGN_KINDS; k++) known[k] = design_name((DesignKind)k);
        return unknown(s, "design", name, text_nearest(str_of(name), known, DESIGN_KINDS));
    }
    if ((d->kind == DESIGN_TABLE) != (spec->table_text != NULL))
        return wrong(s, E_OPTION, "a design 'table' needs a table, and a table no other design");
    if (spec->table_text && spec->vary.n)
        return wrong(s, E_OPTION, "the columns of the table say what is varied: nothing else can be");
    bool bad_number = spec->samples < 0 || spec->samples != floor(spec->samples) || spec->seed < 0 ||
                      spec->seed != floor(spec->seed) || spec->rows < 1 || spec->rows != floor(spec->rows);
    if (bad_number && !(isnan(spec->samples) && isnan(spec->seed) && isnan(spec->rows))) {
        const double n[] = { spec->samples, spec->seed, spec->rows };
        for (size_t k = 0; k < COUNT_OF(n); k++)
            if (!isnan(n[k]) && (n[k] < (k == 2) || n[k] != floor(n[k]) || n[k] > 9e15))
                return wrong(s, E_OPTION, "samples, seed and rows should be whole numbers");
    }
    d->samples = isnan(spec->samples) ? 0 : (uint64_t)spec->samples;
    d->seed = isnan(spec->seed) ? 1 : (uint64_t)spec->seed;
    if (!(spec->table_text ? read_table(plan) : read_vary(plan)) || !check_names(plan) ||
        !read_correlation(plan))
        return false;
    d->m = (int)plan->count;
    d->each = plan->each;
    return design_open(plan->arena, d, why, sizeof why) || wrong(s, E_OPTION, "%s", why);
}

/* ---- variants -------------------------------------------------------------------------------- */

static const char *value_text(StudyPlan *plan, Arena *arena, size_t j, double value)
{
    const Distribution *d = &plan->each[j];
    return d->texts ? d->texts[(size_t)value] : arena_printf(arena, "%.17g", value);
}

static bool find_parameter(StudyPlan *plan, StudyVariant *v, size_t j)
{
    AcausalSession *s = plan->session;
    const Model *model = v->m->model;
    const char *name = plan->names[j];
    const ModelVariable *found = model_find_variable(model, str_of(name));
    v->parameters[j] = -1;
    if (plan->is_structural[j]) return true;
    if (!found)
        return unknown(s, "parameter or variable", name, model_nearest_variable(s, model, str_of(name)));
    if (!found->is_settable || found->is_input || found->type == VARIABLE_STRING)
        return wrong(s, E_OPTION, "'%s' cannot be varied: %s", name,
                     found->is_input                    ? "it is an input"
                     : found->kind == VARIABLE_CONSTANT ? "it is a constant"
                     : found->type == VARIABLE_STRING   ? "it is a text"
                                                        : "its value is final or computed");
    v->parameters[j] = (int)(found - model->shape.variables);
    return true;
}

static bool find_outputs(StudyPlan *plan, StudyVariant *v)
{
    AcausalSession *s = plan->session;
    const Model *model = v->m->model;
    bool ok = true;
    for (size_t k = 0; k < plan->output_count; k++) {
        const StudyOutput *o = &plan->outputs[k];
        const ModelVariable *found = model_find_variable(model, str_of(o->variable));
        const ModelVariable *seen = o->seen ? model_find_variable(model, str_of(o->seen)) : found;
        if (found && found->type == VARIABLE_STRING)
            ok = wrong(s, E_OPTION, "'%s' is a text, which no output can be", o->text);
        else if (!found || !seen)
            ok = unknown(s, "variable", o->variable, model_nearest_variable(s, model, str_of(o->variable)));
        else {
            v->of[k] = (int)(found - model->shape.variables);
            v->seen[k] = (int)(seen - model->shape.variables);
        }
    }
    return ok;
}

static void read_run(StudyPlan *plan, AcausalSimulation *run)
{
    const StudySpec *spec = &plan->spec;
    *run = acausal_simulation();
    run->start = spec->start;
    run->stop = spec->stop;
    run->tolerance = spec->tolerance;
    run->interval = spec->interval;
    if (!isnan(spec->points)) run->points = (long)spec->points;
    if (!isnan(spec->time_limit)) run->time_limit = spec->time_limit;
    run->solver = spec->solver;
    run->solver_options = spec->options.at;
    run->solver_option_count = spec->options.n;
}

static bool build(StudyPlan *plan, StudyVariant *v, const double *p)
{
    Strings set = { 0 };
    read_run(plan, &v->run);
    if (!(v->m = model_of_class(plan->session, plan->cls))) return false;
    v->m->suggests = plan->suggests;
    Arena *arena = v->m->texts;
    for (uint32_t i = 0; i < plan->spec.set.n; i++) vec_push(arena, &set, plan->spec.set.at[i]);
    for (size_t j = 0; j < plan->count; j++) {
        const char *text = arena_printf(arena, "%s=%s", plan->names[j], value_text(plan, arena, j, p[j]));
        const char *one[] = { text };
        if (!plan->is_structural[j]) plan->is_structural[j] = take_structural(v->m->t.flat, one, 1) > 0;
        plan->has_structural |= plan->is_structural[j];
        if (plan->is_structural[j] && plan->design.kind != DESIGN_TABLE && !plan->each[j].values)
            return wrong(plan->session, E_OPTION,
                         "'%s' is structural: it takes values of a list, not of a distribution",
                         plan->names[j]);
        if (plan->is_structural[j]) vec_push(arena, &set, text);
    }
    v->run.set = set.at;
    v->run.set_count = set.n;
    v->parameters = NEW_ARRAY(arena, int, plan->count + 1);
    v->of = NEW_ARRAY(arena, int, plan->output_count + 1);
    v->seen = NEW_ARRAY(arena, int, plan->output_count + 1);
    bool ok = vary_open(&v->vary, v->m, &v->run, false);
    for (size_t j = 0; j < plan->count && ok; j++) ok = find_parameter(plan, v, j);
    return ok && find_outputs(plan, v);
}

static void variant_free(StudyVariant *v)
{
    acausal_model_free(v->m);
    free((char *)v->key);
    free(v);
}

/* Where too many are kept, the one that was used longest ago goes. */
static void make_room(StudyPlan *plan)
{
    StudyVariant **oldest = NULL;
    size_t n = 0;
    for (StudyVariant **at = &plan->variants; *at; at = &(*at)->next, n++)
        if (!(*at)->users && (!oldest || (*at)->age < (*oldest)->age)) oldest = at;
    if (n < MOST_VARIANTS || !oldest) return;
    StudyVariant *old = *oldest;
    *oldest = old->next;
    variant_free(old);
}

static char *variant_key(StudyPlan *plan, const double *p)
{
    size_t size = 0;
    char *key = NULL;
    FILE *out = open_memstream(&key, &size);
    if (!out) return NULL;
    for (size_t j = 0; j < plan->count; j++) {
        if (!plan->is_structural[j]) continue;
        if (plan->each[j].texts)
            fprintf(out, "%s\n", plan->each[j].texts[(size_t)p[j]]);
        else
            fprintf(out, "%.17g\n", p[j]);
    }
    fclose(out);
    return key;
}

StudyVariant *plan_variant(StudyPlan *plan, const double *p)
{
    AcausalSession *s = plan->session;
    if (!plan->has_structural && plan->variants) return plan->variants;
    char *key = variant_key(plan, p);
    for (StudyVariant *v = plan->variants; v && key; v = v->next) {
        if (strcmp(v->key, key) != 0) continue;
        free(key);
        v->age = ++plan->clock;
        return v;
    }
    make_room(plan);
    StudyVariant *v = key ? calloc(1, sizeof *v) : NULL;
    if (!v) return free(key), NULL;
    v->key = key;
    v->age = ++plan->clock;
    bool first = !plan->variants;
    uint32_t errors = s->diag.errors;
    if (!build(plan, v, p)) {
        const char *why = errors == s->diag.errors ? "out of memory" : acausal_first_error(s);
        snprintf(v->why, sizeof v->why, "%s", why ? why : "it cannot be translated");
        if (!first) acausal_clear_diagnostics(s); /* they are in the rows of its runs */
    }
    if (first) { /* now it is known which parameters are structural */
        free((char *)v->key);
        if (!(v->key = variant_key(plan, p))) return acausal_model_free(v->m), free(v), NULL;
    }
    v->next = plan->variants;
    plan->variants = v;
    return v;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* What follows the file cannot be varied or set as well: the file would win, in silence. */
static bool check_driven(StudyPlan *plan, const StudyVariant *v)
{
    AcausalSession *s = plan->session;
    for (size_t i = 0; i < plan->inputs->count; i++) {
        const char *name = plan->inputs->signals[i].name;
        for (size_t j = 0; j < plan->count; j++)
            if (!strcmp(plan->names[j], name))
                return wrong(s, E_OPTION, "'%s' follows '%s' and cannot be varied as well", name,
                             plan->spec.inputs);
        for (size_t k = 0; k < v->vary.set_count; k++)
            if (!strcmp(v->m->model->shape.variables[v->vary.set[k].variable].name, name))
                return wrong(s, E_OPTION, "'%s' follows '%s' and cannot be set as well", name,
                             plan->spec.inputs);
    }
    return true;
}

/* A file that the model cannot follow is told before any run. */
static bool plan_inputs(StudyPlan *plan, const StudyVariant *v)
{
    char why[400];
    if (!plan->spec.inputs) return true;
    plan->inputs = result_read(plan->spec.inputs, why, sizeof why);
    if (!plan->inputs) return wrong(plan->session, E_OUTPUT, "%s", why);
    if (!sim_inputs_new(plan->arena, v->m->model, plan->inputs, why, sizeof why))
        return wrong(plan->session, E_OPTION, "'%s': %s", plan->spec.inputs, why);
    return check_driven(plan, v);
}

static void add_signal(Sha256 *hash, const Signal *signal, size_t rows)
{
    sha256_add(hash, signal->name, strlen(signal->name) + 1);
    for (size_t i = 0; i < rows; i++) {
        double value = signal_at(signal, i);
        sha256_add(hash, &value, sizeof value);
    }
}

const char *plan_inputs_digest(StudyPlan *plan)
{
    Sha256 hash;
    unsigned char digest[SHA256_BYTES];
    Text text = { .arena = plan->arena };
    const ResultTable *t = plan->inputs;
    if (!t) return NULL;
    sha256_begin(&hash);
    add_signal(&hash, &t->time, t->rows);
    for (size_t i = 0; i < t->count; i++) add_signal(&hash, &t->signals[i], t->rows);
    sha256_end(&hash, digest);
    for (int k = 0; k < SHA256_BYTES; k++) text_printf(&text, "%02x", digest[k]);
    return text.at;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static bool plan_curves(StudyPlan *plan, SimOptions *o)
{
    long rows = isnan(plan->spec.rows) ? CURVE_ROWS : (long)plan->spec.rows;
    if (!plan->curve_count) return true;
    plan->time_count = (size_t)rows + 1;
    plan->times = NEW_ARRAY(plan->arena, double, plan->time_count);
    for (long k = 0; k <= rows; k++)
        plan->times[k] = k == rows ? o->t_end : o->t0 + (o->t_end - o->t0) * ((double)k / (double)rows);
    return true;
}

bool plan_open_design(StudyPlan *plan, AcausalSession *s, Arena *arena, const StudySpec *spec)
{
    *plan = (StudyPlan){ .session = s, .arena = arena, .spec = *spec };
    return spec_read_table(s, &plan->spec) && open_design(plan);
}

bool plan_open(StudyPlan *plan, AcausalSession *s, Arena *arena, const StudySpec *spec)
{
    for (uint32_t i = 0; i < spec->libraries.n; i++) libraries_add_path(s->libraries, spec->libraries.at[i]);
    if (!plan_open_design(plan, s, arena, spec) || !find_class(plan)) return false;
    plan->is_structural = NEW_ARRAY(arena, bool, plan->count + 1);
    double *p = NEW_ARRAY(arena, double, plan->count + 1);
    design_point(&plan->design, 0, p);
    StudyVariant *v = plan_variant(plan, p);
    if (!v) return tell_memory(s), false;
    if (v->why[0]) {
        if (!s->diag.errors) wrong(s, E_OPTION, "%s", v->why);
        return false;
    }
    for (size_t j = 0; j < plan->count; j++)
        if (!plan->is_structural[j] && plan->each[j].texts)
            return wrong(s, E_OPTION, "'%s' takes numbers", plan->names[j]);
    return plan_inputs(plan, v) && plan_curves(plan, &v->vary.options);
}

void plan_close(StudyPlan *plan)
{
    for (StudyVariant *v = plan->variants, *next; v; v = next) {
        next = v->next;
        variant_free(v);
    }
    plan->variants = NULL;
    result_free(plan->inputs);
    plan->inputs = NULL;
}

StoreColumn *plan_columns(StudyPlan *plan, size_t *n)
{
    StoreColumn *columns = NEW_ARRAY(plan->arena, StoreColumn, plan->count + plan->output_count + 1);
    const StudyVariant *v = plan->variants;
    *n = 0;
    for (size_t j = 0; j < plan->count; j++) {
        int at = v->parameters[j];
        columns[(*n)++] = (StoreColumn){ .name = plan->names[j],
                                         .kind = STORE_PARAMETER,
                                         .expression = plan->names[j],
                                         .unit = at >= 0 ? v->m->model->shape.variables[at].unit : "",
                                         .is_text = plan->each[j].texts != NULL };
    }
    for (size_t k = 0; k < plan->output_count; k++) {
        const StudyOutput *o = &plan->outputs[k];
        const char *unit = v->m->model->shape.variables[v->of[k]].unit;
        columns[(*n)++] = (StoreColumn){ .name = o->text,
                                         .kind = o->kind == OUTPUT_CURVE ? STORE_CURVE : STORE_OUTPUT,
                                         .expression = o->text,
                                         .unit = o->kind == OUTPUT_SINCE ? "s" : unit };
    }
    store_name_columns(plan->arena, columns, *n);
    return columns;
}

const char *plan_model_text(StudyPlan *plan)
{
    Text text = { .arena = plan->arena };
    flat_print(plan->variants->m->t.flat, &text);
    return text.at;
}
