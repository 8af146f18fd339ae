/* flatten.c: the way through: the instance tree of a class into a Flat.
 *
 * First pass: all components are made, in order, and their variables numbered. Second: bindings and
 * attributes of the variables. Third: equations and algorithms of each instance. Last: connections.
 * Tests: tests/modelica. */
#include "sema/inside.h"

#include <assert.h>

/* ---- first pass: variables ------------------------------------------------------------------- */

static void number_instance(Flattening *f, Inst *inst);

static const char *element_name(Flat *flat, const char *base, const Type *t, uint32_t index)
{
    Text text = { .arena = flat->arena };
    int32_t at[16];
    if (!t->rank || t->rank > 16) return base;
    for (uint32_t i = t->rank; i-- > 0;) {
        at[i] = (int32_t)(index % (uint32_t)t->sizes[i]);
        index /= (uint32_t)t->sizes[i];
    }
    text_add(&text, str_of(base));
    for (uint32_t i = 0; i < t->rank; i++) text_printf(&text, "%s%d", i ? "," : "[", (int)at[i] + 1);
    text_add_char(&text, ']');
    return text.at;
}

/* Inputs and outputs of the model itself; those of its components are variables like others. */
static uint8_t top_causes(const Flattening *f, const Entry *e)
{
    const Inst *owner = e->owner;
    while (owner != f->s->model && (owner->is_connector || owner->base == BASE_RECORD) && owner->container) {
        if (owner->flags & CLASS_EXPANDABLE) return CAUSES_LOCAL;
        owner = owner->container;
    }
    return owner == f->s->model && !(e->flags & IS_PROTECTED) ? e->causes : CAUSES_LOCAL;
}

static bool is_hidden(const Entry *e)
{
    for (; e; e = e->owner->container ? e->owner->entry : NULL)
        if (e->flags & IS_PROTECTED) return true;
    return false;
}

static bool is_final(const Entry *e)
{
    const Mod *value = mods_value(e->mods);
    return e->flags & IS_FINAL || (value && value->is_final);
}

/* The full name of a type that is declared somewhere, as units and connectors are. */
static const char *type_name(Flattening *f, const Entry *e)
{
    if (!e->cls || !e->cls->root || e->cls->own == e->cls->root) return NULL;
    const Class *cls = e->cls->own->cls;
    const char *known = map_pointer(&f->type_names, cls);
    if (known) return known;
    Text name = { .arena = f->flat->arena };
    class_full_name(cls, &name);
    map_set_pointer(&f->type_names, cls, name.at);
    return name.at;
}

/* The component of the model itself that this is a part of. */
static const Entry *top_entry_of(const Flattening *f, const Entry *e)
{
    while (e->owner != f->s->model && e->owner->container && e->owner->entry) e = e->owner->entry;
    return e;
}

static void add_variables(Flattening *f, Entry *e)
{
    Sema *s = f->s;
    Flat *flat = f->flat;
    const char *path = arena_copy(flat->arena, str_of(entry_path(s, e)));
    uint32_t n = type_count(&e->type);
    Type scalar = type_element(&e->type, e->type.rank);
    const Comment *comment = e->decl->declaration->comment;
    const Entry *top = top_entry_of(f, e);
    flat->is_open |= e->flow == FLOW_FLOW && top->cls && top->cls->is_connector;
    FlatVar v = { .type = emit_type(s, flat, &scalar),
                  .varies = e->varies,
                  .causes = top_causes(f, e),
                  .array = NONE,
                  .binding = NONE,
                  .type_name = type_name(f, e),
                  .span = e->decl->declaration->span,
                  .top = top->decl->declaration->span };
    v.flags = (uint8_t)((e->flow == FLOW_FLOW ? VAR_FLOW : 0) | (is_hidden(e) ? VAR_PROTECTED : 0) |
                        (is_final(e) ? VAR_FINAL : 0) | (e->in_connector ? VAR_CONNECTOR : 0) |
                        (e->varies == VARIES_PARAMETER && evaluates(s, e) ? VAR_EVALUATE : 0) |
                        (e->causes == CAUSALITY_INPUT ? VAR_INPUT : 0));
    if (comment) v.about = comment->text;
    for (int i = 0; i < ATTRIBUTE_COUNT; i++) v.attributes[i] = NONE;
    e->var = flat->vars.n;
    if (e->flow == FLOW_STREAM && e->in_connector) vec_push(s->arena, &f->streams, e);
    if (e->type.rank) {
        int32_t *sizes = NEW_ARRAY(flat->arena, int32_t, e->type.rank);
        FlatArray array = { path, flat->vars.n, n, e->type.rank,
                            memcpy(sizes, e->type.sizes, e->type.rank * sizeof *sizes) };
        v.array = flat->arrays.n;
        vec_push(flat->arena, &flat->arrays, array);
    }
    for (uint32_t i = 0; i < n; i++) {
        v.name = element_name(flat, path, &e->type, i);
        v.index = i;
        vec_push(flat->arena, &flat->vars, v);
    }
}

static void number_component(Flattening *f, Entry *e)
{
    Sema *s = f->s;
    if (e->flags & IS_OUTER && !(e->flags & IS_INNER)) {
        comp_make(s, e);
        entry_target(s, e, e->scope, e->decl->declaration->span);
        return;
    }
    if (!comp_sizes(s, e) || e->disabled) return;
    if (e->cls->root || e->cls->base == BASE_OBJECT) {
        add_variables(f, e);
        return;
    }
    if (e->cls->base == BASE_FUNCTION) { /* as an argument of a function it is never numbered */
        if (!f->function) f->function = e;
        e->size_state = STATE_POISONED;
        return;
    }
    connector_rules(s, e);
    const Mod *value = e->cls->base == BASE_CLASS && !e->cls->is_connector ? mods_value(e->mods) : NULL;
    if (value)
        sema_error(s, value->scope, E_TYPE_MISMATCH, mod_span(value),
                   "'%s' is a whole component, and has no value", name_text(e->name));
    for (uint32_t i = 0; i < e->count; i++) number_instance(f, e->elements[i]);
}

static void report_function(Sema *s, const Entry *e)
{
    Note *note = sema_error(s, e->scope, E_NOT_A_TYPE, e->decl->element->clause->type.span,
                            "a function cannot be the type of '%s'", name_text(e->name));
    diag_label(s->diag, note, e->cls->own->cls->name_span, "the function");
}

static void number_instance(Flattening *f, Inst *inst)
{
    inst_list(f->s, inst);
    for (uint32_t i = 0; i < inst->comps.n; i++) number_component(f, inst->comps.at[i]);
}

/* ---- second pass: what is said about variables ----------------------------------------------- */

static void describe_variables(Flattening *f, Entry *e)
{
    Sema *s = f->s;
    uint32_t n = type_count(&e->type);
    describe_attributes(f, e);
    TExpr *binding = comp_binding(s, e);
    if (!n) return;
    if (!binding && e->declared == VARIABILITY_CONSTANT && e->value_state == STATE_NEW &&
        e->cls->base <= BASE_ENUM) {
        sema_error(s, e->scope, E_NO_VALUE, e->decl->declaration->span, "the constant '%s' has no value",
                   entry_path(s, e));
        e->value_state = STATE_DONE; /* which needs not be said again where it is used */
    }
    for (uint32_t i = 0; binding && !tx_is_poison(binding) && i < n; i++) {
        TExpr *at = value_at(s, binding, &e->type, i);
        if (at) f->flat->vars.at[e->var + i].binding = emit_scalar(s, f->flat, coerce(s, at, &e->type));
    }
}

static void describe_instance(Flattening *f, Inst *inst)
{
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        Entry *e = inst->comps.at[i];
        if (e->size_state != STATE_DONE || e->disabled || (e->flags & IS_OUTER && !(e->flags & IS_INNER)))
            continue;
        if (e->cls->base == BASE_RECORD && mods_value(e->mods)) comp_binding(f->s, e);
        if (e->var != NONE)
            describe_variables(f, e);
        else
            for (uint32_t k = 0; k < e->count && !(e->cls->root); k++) describe_instance(f, e->elements[k]);
    }
}

/* ---- third pass: equations ------------------------------------------------------------------- */

static void flatten_algorithm(Flattening *f, const Env *env, const Section *section)
{
    TStmts body = type_statements(env, &section->body);
    FlatAlgorithm a = { .initial = section->is_initial, .span = section->span };
    a.first = emit_body(f->s, f->flat, body.at, body.n, &a.n);
    if (body.n) vec_push(f->flat->arena, &f->flat->algorithms, a);
}

static void flatten_scope(Flattening *f, Scope *scope)
{
    for (uint32_t i = 0; i < scope->n; i++)
        if (scope->bases[i]) flatten_scope(f, scope->bases[i]);
    for (uint32_t i = 0; i < scope->cls->section_count; i++) {
        const Section *section = scope->cls->sections[i];
        StmtIds out = { 0 };
        Env env = { .s = f->s, .scope = scope };
        env.place = (uint8_t)((section->is_initial ? PLACE_INITIAL : 0) |
                              (section->is_algorithm ? PLACE_ALGORITHM : 0));
        if (section->is_algorithm) {
            flatten_algorithm(f, &env, section);
            continue;
        }
        flatten_equations(f, &env, &section->body, section->is_initial, &out);
        for (uint32_t k = 0; k < out.n; k++) {
            if (section->is_initial)
                vec_push(f->flat->arena, &f->flat->initial_equations, out.at[k]);
            else
                vec_push(f->flat->arena, &f->flat->equations, out.at[k]);
        }
    }
}

static void flatten_instance(Flattening *f, Inst *inst)
{
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        Entry *e = inst->comps.at[i];
        if (e->size_state != STATE_DONE || e->disabled || e->cls->root ||
            (e->flags & IS_OUTER && !(e->flags & IS_INNER)))
            continue;
        for (uint32_t k = 0; k < e->count && e->cls->base != BASE_OBJECT; k++)
            flatten_instance(f, e->elements[k]);
    }
    InstText text = { .inst = inst };
    text.range.equation = f->flat->equations.n;
    text.range.algorithm = f->flat->algorithms.n;
    flatten_scope(f, inst->own);
    text.range.equation_end = f->flat->equations.n;
    text.range.algorithm_end = f->flat->algorithms.n;
    if (text.range.equation_end > text.range.equation || text.range.algorithm_end > text.range.algorithm)
        vec_push(f->s->arena, &f->texts, text);
}

static void freeze(Flattening *f, VarId v, Span needed_at)
{
    f->flat->vars.at[v].flags |= VAR_STRUCTURAL;
    f->flat->vars.at[v].needed_at = needed_at;
}

static void mark_structural(Flattening *f, Inst *inst)
{
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        Entry *e = inst->comps.at[i];
        for (uint32_t k = 0; e->var == NONE && k < e->count && e->elements && !e->disabled; k++)
            mark_structural(f, e->elements[k]);
        for (uint32_t k = 0; e->structural && e->var != NONE && k < type_count(&e->type); k++)
            freeze(f, e->var + k, e->needed_at);
    }
}

/* ---- the model ------------------------------------------------------------------------------- */

/* A class of a package that could be meant where the package was named: one that says how it is
 * simulated, or else any. */
static const Class *suggested_model(const Class *package)
{
    const Class *found = NULL;
    for (uint32_t i = 0; i < package->element_count; i++) {
        const Element *e = package->elements[i];
        bool fits = e->kind == ELEMENT_CLASS &&
                    (e->cls->kind == CLASS_MODEL || e->cls->kind == CLASS_BLOCK) &&
                    !(e->cls->flags & CLASS_PARTIAL);
        if (!fits) continue;
        if (modification_find(class_annotation(e->cls), "experiment")) return e->cls;
        if (!found) found = e->cls;
    }
    return found;
}

static void report_no_model(Sema *s, const Class *cls)
{
    const Class *other = suggested_model(cls);
    Note *note = diag_add(s->diag, E_NOT_A_MODEL, cls->name_span, "'%s' is a %s, not a model",
                          name_text(cls->name), class_kind_text(cls->kind));
    if (other)
        diag_hint(s->diag, note, "say which class in it: '%s.%s', for instance", name_text(cls->name),
                  name_text(other->name));
}

static bool is_a_model(Sema *s, const Inst *inst)
{
    if (inst->base == BASE_CLASS && inst->kind != CLASS_PACKAGE && inst->kind != CLASS_CONNECTOR) {
        if (!inst_is_partial(inst)) return true;
        diag_add(s->diag, E_PARTIAL_CLASS, inst->own->cls->name_span,
                 "'%s' is partial: it is there to be extended", name_text(inst->own->cls->name));
        return false;
    }
    if (inst->base != BASE_POISON) report_no_model(s, inst->own->cls);
    return false;
}

static Flat *flatten_model(Sema *s, const Class *cls, Arena *arena)
{
    Inst *found = class_instance(s, cls);
    if (!found) return NULL;
    Inst *model = inst_new(s, found->own->cls, found->own->outer, found->own->mods, NULL);
    s->model = inst_resolved(s, model);
    if (!is_a_model(s, model)) return NULL;
    Text name = { .arena = arena };
    class_full_name(cls, &name);
    Flattening f = { .s = s, .flat = flat_new(arena, name.at), .type_names = { .arena = s->arena } };
    f.activity.arena = s->arena;
    const Source *home = source_of(s->sources, cls->name_span);
    f.flat->permit = s->permit;
    f.flat->span = cls->name_span;
    if (home) f.flat->home = (Span){ home->base, (uint32_t)home->text.n };
    expand_connectors(s);
    number_instance(&f, model);
    describe_instance(&f, model);
    flatten_instance(&f, model);
    f.text_equations = f.flat->equations.n;
    uint32_t variables = f.flat->vars.n;
    const uint8_t *used = flat_used(f.flat, s->arena);
    flatten_connections(&f);
    if (!s->diag->errors) tally_balance(&f, model, variables);
    if (!s->diag->errors) settle_idle_inputs(&f, used, variables);
    if (!s->diag->errors) settle_objects(&f);
    check_redeclarations(s);
    if (f.function && !s->diag->errors) report_function(s, f.function);
    mark_structural(&f, model);
    for (uint32_t i = 0; i < s->loops.n; i++)
        vec_push(arena, &f.flat->loops, arena_copy(arena, str_of(s->loops.at[i])));
    resolve_machines(&f);
    resolve_clocks(&f);
    if (!s->diag->errors) {
        check_discrete(s, f.flat);
        check_cycles(s, f.flat);
    }
    flat_share_functions(f.flat);
    assert(!flat_verify(f.flat));
    return f.flat;
}

Flat *sema_flatten(Libraries *libraries, Class *cls, Arena *arena, Sources *sources, Permit *permit,
                   Diag *diag)
{
    Sema s;
    if (!sema_open(&s, libraries, sources, permit, diag)) return NULL;
    jmp_buf out_of_memory, *outer = arena->escape;
    Flat *volatile flat = NULL;
    s.arena->escape = arena->escape = &out_of_memory;
    if (!setjmp(out_of_memory)) {
        flat = sema_begin(&s) ? flatten_model(&s, cls, arena) : NULL;
        if (s.poisons && !diag->errors)
            diag_add(diag, E_UNEXPLAINED, cls->name_span, "a part of '%s' could not be elaborated",
                     name_text(cls->name));
    } else {
        diag_add(diag, E_TOO_LARGE, cls->name_span,
                 "'%s' is too large to elaborate: its instances need more than %.3g GB, and that is what is "
                 "free",
                 name_text(cls->name), 1e-9 * (double)(s.arena->total + arena->total));
        flat = NULL;
    }
    arena->escape = outer;
    arena_free(s.arena);
    return flat;
}
