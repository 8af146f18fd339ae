/* variables.c: what a description lists: variables with causality, variability and start values,
 * aliases, states and derivatives.
 *
 * In: a compiled model and an instance of it at its start values. Out: the list, each variable with
 * its elements. How: a parameter that is computed from others is a calculated one; aliases share a
 * value reference with the first of their set that can be set or is a state; in FMI 3.0 arrays stay
 * arrays, if none or all of their elements are states in one row. Always: each state and each
 * derivative is listed, those that were made while the model was translated under names of their
 * own. Cost: linear. Tests: tests/cli/export.sh. */
#include "export/inside.h"

#include <math.h>

typedef struct {
    Exporting *x;
    /* by variable of the system, twice: plain and negated; the variable + 1 that represents it */
    uint32_t *first_of;
    uint8_t *is_done; /* by variable of the running model */
} Lister;

static const FlatVar *flat_of(const Exporting *x, uint32_t k)
{
    return k < x->s->flat->vars.n ? &x->s->flat->vars.at[k] : NULL;
}

static bool is_exported(const ModelVariable *v, const DaeVar *u)
{
    return v->name[0] && u->type != BASE_OBJECT;
}

static bool depends_on_parameters(Exporting *x, const DaeVar *u)
{
    const SymNode *n = u->binding == NONE ? NULL : sym_node(x->s->pool, u->binding);
    if (!n || n->op == SYM_REAL) return false;
    if (n->has_call) return true;
    Gradient g = dae_gradient(x->s, u->binding);
    for (uint32_t k = 0; k < g.n; k++)
        if (x->s->vars.at[g.at[k].var].role >= ROLE_PARAMETER) return true;
    return false;
}

static void classify_parameter(Exporting *x, ExportVariable *v, const ModelVariable *m, const DaeVar *u)
{
    v->causality = CAUSALITY_CALCULATED, v->variability = IS_FIXED, v->initial = INITIAL_CALCULATED;
    if (u->role == ROLE_CONSTANT) {
        v->causality = CAUSALITY_LOCAL, v->variability = IS_CONSTANT, v->initial = INITIAL_EXACT;
        return;
    }
    if (!m->is_settable || m->negated || u->is_unknown_parameter || depends_on_parameters(x, u)) return;
    v->causality = CAUSALITY_PARAMETER;
    v->variability = x->has_objects ? IS_FIXED : IS_TUNABLE;
    v->initial = INITIAL_EXACT;
}

static void classify(Exporting *x, ExportVariable *v, const ModelVariable *m, const DaeVar *u)
{
    bool is_real = u->type == BASE_REAL, is_negated = m->negated;
    v->causality = CAUSALITY_LOCAL;
    v->variability = u->role == ROLE_DISCRETE || !is_real ? IS_DISCRETE : IS_CONTINUOUS;
    v->initial = INITIAL_CALCULATED;
    if (u->role <= ROLE_PARAMETER) {
        classify_parameter(x, v, m, u);
        if (m->is_output)
            v->causality = CAUSALITY_OUTPUT, v->variability = IS_CONTINUOUS, v->initial = INITIAL_CALCULATED;
        if (m->is_output && !is_real) v->variability = IS_DISCRETE;
        return;
    }
    if (m->is_output) v->causality = CAUSALITY_OUTPUT;
    if (u->role == ROLE_INPUT && m->is_input && !is_negated) {
        v->causality = CAUSALITY_INPUT, v->initial = INITIAL_NONE;
    } else if (m->is_settable && !is_negated && u->type != BASE_STRING && u->role != ROLE_INPUT) {
        bool is_start = u->role == ROLE_STATE || u->role == ROLE_DISCRETE;
        if (is_start && u->is_fixed)
            v->initial = INITIAL_EXACT;
        else if (is_start || u->has_start)
            v->initial = INITIAL_APPROX;
    }
}

static double bound(const Exporting *x, const DaeVar *u, bool is_there, Sym s, Memory memory, uint32_t var)
{
    if (!is_there) return NAN;
    const SymNode *n = sym_node(x->s->pool, s);
    double value = n->op == SYM_REAL          ? n->real
                   : u->role > ROLE_PARAMETER ? run_memory(x->trial, memory)[var]
                                              : NAN;
    return isfinite(value) ? value : NAN;
}

static void add_element(Exporting *x, uint32_t k)
{
    const RunVariable *r = &x->extended.at[k];
    double value = run_values_now(x->trial)[r->var];
    RtCell cells[2] = { { .r = value }, { .s = "" } };
    if (x->s->vars.at[r->var].type == BASE_STRING) rt_string_at(run_rt(x->trial), cells);
    const char *text = arena_copy(x->arena, str_of(cells[1].s));
    vec_push(x->arena, &x->elements, k);
    vec_push(x->arena, &x->starts, r->flags & RUN_NEGATED ? -value : value);
    vec_push(x->arena, &x->texts, text);
}

/* A start value that contradicts its bounds would break a rule: then the bounds are left out. */
static void check_bounds(const Exporting *x, ExportVariable *v)
{
    for (uint32_t k = v->first; k < v->first + v->n; k++) {
        double start = x->starts.at[k];
        if (start < v->min) v->min = NAN;
        if (start > v->max) v->max = NAN;
        if ((v->initial == INITIAL_EXACT || v->initial == INITIAL_APPROX) && !isfinite(start))
            x->starts.at[k] = 0;
    }
    if (v->max < v->min) v->min = v->max = NAN;
}

static uint32_t add(Lister *l, uint32_t k, const char *name, const ModelVariable *m)
{
    Exporting *x = l->x;
    uint32_t var = x->extended.at[k].var;
    const DaeVar *u = &x->s->vars.at[var];
    const FlatVar *f = flat_of(x, k);
    ExportVariable v = { .name = name,
                         .about = m->description,
                         .unit = m->unit,
                         .display_unit = m->display_unit,
                         .quantity = f && f->quantity.n ? arena_copy(x->arena, f->quantity) : "",
                         .type = (uint8_t)m->type,
                         .type_name = f ? f->type_name : NULL,
                         .def = NONE,
                         .declared = NONE,
                         .first = x->elements.n,
                         .n = 1,
                         .derivative_of = NONE,
                         .state = u->role == ROLE_STATE && !m->negated ? u->state : NONE,
                         .alias_of = NONE };
    if (m->type == VARIABLE_ENUMERATION && f) v.def = x->s->flat->types.at[f->type].def;
    classify(x, &v, m, u);
    bool is_number = m->type == VARIABLE_REAL || m->type == VARIABLE_INTEGER;
    v.min = is_number && !m->negated ? bound(x, u, u->has_min, u->min, MEM_MIN, var) : NAN;
    v.max = is_number && !m->negated ? bound(x, u, u->has_max, u->max, MEM_MAX, var) : NAN;
    double nominal = run_nominal(x->trial, var);
    v.nominal = m->type == VARIABLE_REAL && nominal != 1 && nominal > 0 && isfinite(nominal) ? nominal : NAN;
    add_element(x, k);
    check_bounds(x, &v);
    vec_push(x->arena, &x->variables, v);
    l->is_done[k] = 1;
    return x->variables.n - 1;
}

/* ---- aliases --------------------------------------------------------------------------------- */

static bool is_alike(const ExportVariable *a, const ExportVariable *b)
{
    return a->type == b->type && a->variability == b->variability && !a->rank && !b->rank;
}

/* Scalars that hold the same value become aliases of one of them; inputs and outputs stay
 * themselves. */
static void find_aliases(Lister *l)
{
    Exporting *x = l->x;
    for (int round = 0; round < 2; round++)
        for (uint32_t k = 0; k < x->variables.n; k++) {
            ExportVariable *v = &x->variables.at[k];
            if (v->causality == CAUSALITY_INDEPENDENT) continue; /* none of the running model's */
            const RunVariable *r = &x->extended.at[x->elements.at[v->first]];
            uint32_t *first = &l->first_of[2 * r->var + ((r->flags & RUN_NEGATED) != 0)];
            bool leads = v->state != NONE || v->derivative_of != NONE || v->causality != CAUSALITY_LOCAL;
            if (v->rank || v->variability == IS_CONSTANT) continue;
            if ((round == 0) != leads) continue;
            if (!*first) *first = k + 1;
            if (*first == k + 1 || v->causality != CAUSALITY_LOCAL || leads) continue;
            if (!is_alike(v, &x->variables.at[*first - 1])) continue;
            v->alias_of = *first - 1;
            v->initial = INITIAL_CALCULATED;
        }
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static bool may_be_array(Lister *l, const FlatArray *a)
{
    Exporting *x = l->x;
    const ModelVariable *first = &x->shape->variables[a->first];
    const DaeVar *u = &x->s->vars.at[first->slot];
    ExportVariable want = { 0 }, own = { 0 };
    classify(x, &want, first, u);
    if (u->type == BASE_ENUM) return false; /* the first schema of FMI 3.0 has no arrays of them */
    for (uint32_t k = 0; k < a->n; k++) {
        const ModelVariable *m = &x->shape->variables[a->first + k];
        const DaeVar *e = &x->s->vars.at[m->slot];
        classify(x, &own, m, e);
        bool is_state = e->role == ROLE_STATE && !m->negated;
        if (!is_exported(m, e) || l->is_done[a->first + k]) return false;
        if (m->type != first->type || own.causality != want.causality || own.variability != want.variability)
            return false;
        if (own.initial != want.initial || strcmp(m->unit, first->unit) != 0) return false;
        if (is_state != (u->role == ROLE_STATE && !first->negated)) return false;
        if (is_state && e->state != u->state + k) return false;
        if (e->role == ROLE_DERIVATIVE) return false;
    }
    return a->n > 0;
}

static uint32_t add_array(Lister *l, const FlatArray *a)
{
    Exporting *x = l->x;
    uint32_t made = add(l, a->first, a->name, &x->shape->variables[a->first]);
    for (uint32_t k = 1; k < a->n; k++) {
        add_element(x, a->first + k);
        l->is_done[a->first + k] = 1;
    }
    ExportVariable *v = &x->variables.at[made];
    v->n = a->n, v->rank = a->rank, v->sizes = a->sizes;
    check_bounds(x, v);
    return made;
}

/* ---- states and derivatives ------------------------------------------------------------------ */

static const ModelVariable *made_variable(Exporting *x, const char *name)
{
    ModelVariable *m = NEW(x->arena, ModelVariable);
    *m = (ModelVariable){ .name = name,
                          .unit = "",
                          .display_unit = "",
                          .description = "",
                          .type = VARIABLE_REAL,
                          .kind = VARIABLE_CONTINUOUS };
    return m;
}

static uint32_t add_made(Lister *l, uint32_t var, const char *name)
{
    Exporting *x = l->x;
    RunVariable r = { var, 0 };
    vec_push(x->arena, &x->extended, r);
    return add(l, x->extended.n - 1, name, made_variable(x, name));
}

/* The variables that hold each state; those without a name get one. */
static void cover_states(Lister *l)
{
    Exporting *x = l->x;
    uint32_t n = x->s->states.n;
    memset(x->state_variable, 0xff, n * sizeof *x->state_variable);
    for (uint32_t k = 0; k < x->variables.n; k++) {
        const ExportVariable *v = &x->variables.at[k];
        for (uint32_t e = 0; v->state != NONE && e < v->n; e++)
            if (x->state_variable[v->state + e] == NONE)
                x->state_variable[v->state + e] = k;
            else
                x->variables.at[k].state = NONE;
    }
    for (uint32_t k = 0; k < n; k++)
        if (x->state_variable[k] == NONE)
            x->state_variable[k] =
                add_made(l, x->s->states.at[k], arena_printf(x->arena, "_state[%u]", (unsigned)k + 1));
}

static uint32_t add_rates(Lister *l, uint32_t state)
{
    Exporting *x = l->x;
    const uint32_t of = x->state_variable[state];
    const ExportVariable *s = &x->variables.at[of];
    const char *name = arena_printf(x->arena, "der(%s)", s->name);
    uint32_t made = add_made(l, x->run->rates[state], name);
    for (uint32_t k = 1; k < x->variables.at[of].n; k++) {
        RunVariable r = { x->run->rates[state + k], 0 };
        vec_push(x->arena, &x->extended, r);
        add_element(x, x->extended.n - 1);
    }
    ExportVariable *v = &x->variables.at[made];
    s = &x->variables.at[of];
    v->n = s->n, v->rank = s->rank, v->sizes = s->sizes;
    v->derivative_of = of;
    if (*s->unit) v->unit = strcmp(s->unit, "1") ? arena_printf(x->arena, "%s/s", s->unit) : "1/s";
    return made;
}

/* Each state's derivative: a variable called so, if there is one. */
static void cover_rates(Lister *l)
{
    Exporting *x = l->x;
    uint32_t n = x->s->states.n, listed = x->variables.n;
    memset(x->rate_variable, 0xff, n * sizeof *x->rate_variable);
    uint32_t *state_of = NEW_ARRAY(x->arena, uint32_t, x->run->var_count + 1);
    for (uint32_t k = 0; k < n; k++) state_of[x->run->rates[k]] = k + 1;
    for (uint32_t k = 0; k < listed; k++) {
        ExportVariable *v = &x->variables.at[k];
        if (v->causality == CAUSALITY_INDEPENDENT) continue;
        const RunVariable *r = &x->extended.at[x->elements.at[v->first]];
        uint32_t state = state_of[r->var];
        if (!state || v->rank || r->flags & RUN_NEGATED || v->type != VARIABLE_REAL) continue;
        if (v->variability != IS_CONTINUOUS) continue;
        if (x->rate_variable[state - 1] != NONE || x->variables.at[x->state_variable[state - 1]].rank)
            continue;
        if (x->s->vars.at[r->var].flat != NONE && v->causality == CAUSALITY_OUTPUT) continue;
        x->rate_variable[state - 1] = k;
        v->derivative_of = x->state_variable[state - 1];
    }
    for (uint32_t k = 0; k < n; k++) {
        if (x->rate_variable[k] != NONE) continue;
        uint32_t made = add_rates(l, k);
        for (uint32_t e = 0; e < x->variables.at[made].n; e++) x->rate_variable[k + e] = made;
    }
}

static void number(Exporting *x)
{
    x->by_reference = NEW_ARRAY(x->arena, uint32_t, x->variables.n + 1);
    for (uint32_t k = 0; k < x->variables.n; k++)
        if (x->variables.at[k].alias_of == NONE) {
            x->by_reference[x->reference_count] = k;
            x->variables.at[k].reference = x->reference_count++;
        }
    for (uint32_t k = 0; k < x->variables.n; k++)
        if (x->variables.at[k].alias_of != NONE)
            x->variables.at[k].reference = x->variables.at[x->variables.at[k].alias_of].reference;
}

/* A variable that is none of the model's. */
static ExportVariable blank(const char *name, uint32_t first)
{
    return (ExportVariable){ .name = name,
                             .about = "",
                             .unit = "",
                             .display_unit = "",
                             .quantity = "",
                             .def = NONE,
                             .declared = NONE,
                             .min = NAN,
                             .max = NAN,
                             .nominal = NAN,
                             .first = first,
                             .n = 1,
                             .derivative_of = NONE,
                             .state = NONE,
                             .alias_of = NONE };
}

static void add_blank(Exporting *x, ExportVariable v, uint32_t element)
{
    double zero = 0;
    const char *text = "";
    vec_push(x->arena, &x->elements, element);
    vec_push(x->arena, &x->starts, zero);
    vec_push(x->arena, &x->texts, text);
    vec_push(x->arena, &x->variables, v);
}

static void add_time(Exporting *x)
{
    ExportVariable v = blank("time", x->elements.n);
    v.unit = "s", v.causality = CAUSALITY_INDEPENDENT, v.variability = IS_CONTINUOUS;
    add_blank(x, v, 0);
}

/* FMI 3.0 wants a variable for each event indicator. */
static void add_indicators(Exporting *x)
{
    for (uint32_t k = 0; k < x->run->indicator_count; k++) {
        ExportVariable v = blank(arena_printf(x->arena, "_indicator[%u]", (unsigned)k + 1), x->elements.n);
        v.causality = CAUSALITY_LOCAL, v.variability = IS_CONTINUOUS, v.initial = INITIAL_CALCULATED;
        v.is_indicator = true;
        add_blank(x, v, k);
    }
}

bool export_list_variables(Exporting *x)
{
    uint32_t count = (uint32_t)x->shape->variable_count, n = x->s->states.n;
    for (uint32_t k = 0; k < count; k++) vec_push(x->arena, &x->extended, x->run->variables[k]);
    Lister l = { .x = x,
                 .first_of = NEW_ARRAY(x->arena, uint32_t, 2 * (size_t)x->run->var_count + 2),
                 .is_done = NEW_ARRAY(x->arena, uint8_t, (size_t)count + 4 * (size_t)n + 1) };
    x->state_variable = NEW_ARRAY(x->arena, uint32_t, n + 1);
    x->rate_variable = NEW_ARRAY(x->arena, uint32_t, n + 1);
    for (uint32_t v = 0; v < x->run->var_count; v++)
        x->has_objects |= (x->run->traits[v] & RUN_IS_OBJECT) != 0;
    if (x->options->version == 3) add_time(x);
    for (uint32_t k = 0; k < count; k++) {
        const ModelVariable *m = &x->shape->variables[k];
        const FlatVar *f = flat_of(x, k);
        if (l.is_done[k] || !is_exported(m, &x->s->vars.at[m->slot])) continue;
        const FlatArray *a = f && f->array != NONE ? &x->s->flat->arrays.at[f->array] : NULL;
        if (x->options->version == 3 && a && a->first == k && a->n > 1 && may_be_array(&l, a))
            add_array(&l, a);
        else
            add(&l, k, m->name, m);
    }
    cover_states(&l);
    cover_rates(&l);
    find_aliases(&l);
    if (x->options->version == 3) add_indicators(x);
    if (!x->variables.n) add_time(x); /* FMI 2.0 has no empty list */
    number(x);
    return true;
}
