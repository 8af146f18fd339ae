/* describe.c: a class as the instance tree has it: what it consists of, its components, its
 * connections.
 *
 * In: a class, or a component of one that was described. Out: lists. How: the instance tree of an
 * elaboration, of which only what is asked for is made. Always: what is wrong inside of a component
 * is taken back, since it is not what was asked for; a type that is not found is reported. Cost:
 * linear in what the class consists of, without its components' insides. Tests:
 * tests/cli/describe.sh. */
#include "sema/draft.h"

#include <math.h>
#include <stdlib.h>

Describer *describer_new(Libraries *libraries, Sources *sources, Permit *permit, Diag *diag)
{
    Describer *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    if (!sema_open(&d->sema, libraries, sources, permit, diag)) {
        free(d);
        return NULL;
    }
    d->arena = d->sema.arena;
    d->described.arena = d->arena;
    return d;
}

void describer_free(Describer *d)
{
    if (!d) return;
    arena_free(d->arena);
    free(d);
}

void describe_hush(Describer *d)
{
    if (d->hushes++) return;
    d->loud = d->sema.diag;
    diag_init(&d->hushed, d->arena);
    d->sema.diag = &d->hushed;
}

void describe_unhush(Describer *d)
{
    if (!--d->hushes) d->sema.diag = d->loud;
}

Arena *describer_arena(const Describer *d) { return d->arena; }

/* ---- layers ---------------------------------------------------------------------------------- */

typedef VEC(DescribedLayer) Layers;
typedef VEC(DescribedComponent) Components;
typedef VEC(DescribedConnection) ConnectionList;

enum { MOST_BASES = 200 };

static const Modification *clause_annotation(const Scope *scope, uint32_t i)
{
    bool has_clauses = scope->cls->form == FORM_LONG || scope->cls->form == FORM_EXTENDS;
    if (!has_clauses || i >= scope->index->bases.n) return NULL;
    return scope->index->bases.at[i]->extends->annotation;
}

static uint32_t add_layers(Describer *d, Layers *layers, Scope *scope, uint32_t depth,
                           const Modification *annotation)
{
    uint32_t below[MOST_BASES], n = 0;
    scope_expand(&d->sema, scope);
    for (uint32_t i = 0; i < scope->n && n < MOST_BASES; i++) {
        Scope *base = scope->bases[i];
        if (!base || base->outer == d->sema.builtins) continue;
        below[n++] = add_layers(d, layers, base, depth + 1, clause_annotation(scope, i));
    }
    DescribedLayer layer = { .cls = scope->cls,
                             .scope = scope,
                             .depth = depth,
                             .is_protected = scope->is_protected,
                             .below = layers->n,
                             .clause_annotation = annotation };
    for (uint32_t i = 0; i < n; i++) layers->at[below[i]].below = layers->n;
    vec_push(d->arena, layers, layer);
    return layers->n - 1;
}

static uint32_t layer_of(const Described *of, const Scope *scope)
{
    for (uint32_t i = 0; i < of->layer_count; i++)
        if (of->layers[i].scope == scope) return i;
    return of->layer_count ? of->layer_count - 1 : 0;
}

/* ---- components ------------------------------------------------------------------------------ */

static const char *basis_of(const Inst *type)
{
    static const char *const names[] = { "Real", "Integer", "Boolean", "String", "enumeration", "record" };
    return type->base <= BASE_RECORD ? names[type->base] : "class";
}

static Str path_text(const Path *path, Arena *arena)
{
    Text text = { .arena = arena };
    if (path->global) text_add_char(&text, '.');
    for (uint32_t i = 0; i < path->n; i++) {
        if (i) text_add_char(&text, '.');
        text_add(&text, name_str(path->at[i]));
    }
    return (Str){ text.at, text.n };
}

/* Sizes, condition and instances; what is wrong with them is the affair of a check. */
static void find_shape(Describer *d, DescribedComponent *c)
{
    Sema *s = &d->sema;
    Entry *e = c->entry;
    describe_hush(d);
    bool ok = comp_sizes(s, e);
    describe_unhush(d);
    c->is_enabled = !e->disabled;
    c->rank =
        ok && !e->disabled ? e->type.rank : c->declaration->subscripts.n + c->element->clause->subscripts.n;
    c->sizes = NEW_ARRAY(d->arena, int32_t, c->rank + 1);
    for (uint32_t i = 0; i < c->rank; i++)
        c->sizes[i] = ok && !e->disabled && e->type.sizes[i] != SIZE_UNKNOWN ? e->type.sizes[i] : -1;
}

static void find_texts(Describer *d, DescribedComponent *c)
{
    const Entry *e = c->entry;
    const Mod *value = mods_value(e->mods);
    if (c->declaration->condition) c->condition = described_text(d, c->declaration->condition->span);
    if (c->declaration->comment) c->description = c->declaration->comment->text;
    if (!value || value->m->value->kind == EXPR_BREAK) return;
    c->binding = described_text(d, value->m->value->span);
    c->is_own_binding = !value->argument;
}

/* A redeclaration that says nothing of where it is drawn stays where the original was. */
static void find_annotation(DescribedComponent *c)
{
    const Entry *e = c->entry;
    const Comment *own = e->decl->declaration->comment;
    const Declaration *old = e->replaced ? e->replaced->declaration : NULL;
    c->annotation = own ? own->annotation : NULL;
    c->scope = e->scope;
    if (!old || modification_find(c->annotation, "Placement") || !old->comment) return;
    c->annotation = old->comment->annotation;
    c->scope = e->replaced_scope;
}

static void add_component(Describer *d, const Described *of, Components *components, Entry *e)
{
    Sema *s = &d->sema;
    DescribedComponent c = { .name = name_text(e->name),
                             .entry = e,
                             .layer = layer_of(of, e->replaced ? e->replaced_scope : e->scope),
                             .element = e->decl->element,
                             .declaration = e->decl->declaration,
                             .flags = e->flags,
                             .is_redeclared = e->replaced != NULL,
                             .basis = "class",
                             .is_enabled = true };
    Str written = path_text(&c.element->clause->type, d->arena);
    c.type_name = written.at;
    c.flow = c.element->clause->flow;
    c.variability = c.element->clause->variability;
    c.causality = c.element->clause->causality;
    bool made = comp_make(s, e);
    if (made) {
        Text name = { .arena = d->arena };
        if (e->cls->own->outer == s->builtins)
            text_add(&name, name_str(e->cls->own->cls->name));
        else
            class_full_name(e->cls->own->cls, &name);
        c.type = e->cls->own->cls;
        c.type_name = name.at;
        c.basis = basis_of(e->cls);
        c.flow = e->flow;
        c.causality = e->causes;
        c.is_connector = e->cls->is_connector;
        c.is_expandable = (e->cls->flags & CLASS_EXPANDABLE) != 0;
        find_shape(d, &c);
    }
    find_texts(d, &c);
    find_annotation(&c);
    vec_push(d->arena, components, c);
}

/* ---- connections ----------------------------------------------------------------------------- */

static const char *expr_text(Describer *d, const Expr *e)
{
    Text text = { .arena = d->arena };
    text_add_literal(&text, "");
    syntax_print_expr(e, &text);
    return text.at;
}

static void add_statements(Describer *d, const Scope *scope, uint32_t layer, const Stmts *body,
                           ConnectionList *out)
{
    for (uint32_t i = 0; i < body->n; i++) {
        const Stmt *st = body->at[i];
        for (uint32_t k = 0; (st->kind == STMT_IF || st->kind == STMT_FOR) && k < st->n; k++)
            add_statements(d, scope, layer, &st->branches[k].body, out);
        const Expr *call = st->kind == STMT_CALL && st->left->kind == EXPR_CALL ? st->left : NULL;
        bool is_transition = call && call->callee->kind == EXPR_REF && call->callee->n == 1 && call->n &&
                             str_is(name_str(call->callee->parts[0].name), "transition") && call->n >= 2;
        if ((st->kind != STMT_CONNECT && !is_transition) || is_broken_connect(scope, st)) continue;
        const Expr *left = is_transition ? call->items[0] : st->left;
        const Expr *right = is_transition ? call->items[1] : st->right;
        DescribedConnection c = { .layer = layer,
                                  .from = expr_text(d, left),
                                  .to = expr_text(d, right),
                                  .annotation = st->comment ? st->comment->annotation : NULL,
                                  .span = st->span,
                                  .is_transition = is_transition };
        vec_push(d->arena, out, c);
    }
}

static void add_connections(Describer *d, const Described *of, ConnectionList *out)
{
    for (uint32_t i = 0; i < of->layer_count; i++) {
        const Class *cls = of->layers[i].cls;
        for (uint32_t k = 0; k < cls->section_count; k++)
            if (!cls->sections[k]->is_algorithm)
                add_statements(d, of->layers[i].scope, i, &cls->sections[k]->body, out);
    }
}

/* ---- instances ------------------------------------------------------------------------------- */

static Described *describe_instance(Describer *d, Inst *inst)
{
    Described *of = map_pointer(&d->described, inst);
    if (of) return of;
    Sema *s = &d->sema;
    Layers layers = { 0 };
    Components components = { 0 };
    ConnectionList connections = { 0 };
    of = NEW(d->arena, Described);
    of->inst = inst;
    of->cls = inst->own->cls;
    add_layers(d, &layers, inst->own, 0, NULL);
    of->layers = layers.at;
    of->layer_count = layers.n;
    if (inst->container) describe_hush(d);
    if (!inst->root) inst_list(s, inst);
    for (uint32_t i = 0; i < inst->comps.n; i++) add_component(d, of, &components, inst->comps.at[i]);
    if (inst->container) describe_unhush(d);
    add_connections(d, of, &connections);
    of->components = components.at;
    of->component_count = components.n;
    of->connections = connections.at;
    of->connection_count = connections.n;
    map_set_pointer(&d->described, inst, of);
    return of;
}

Described *describe_class(Describer *d, const Class *cls)
{
    Sema *s = &d->sema;
    if (!d->is_ready && !sema_begin(s)) return NULL;
    d->is_ready = true;
    Inst *found = class_instance(s, cls);
    if (!found) return NULL;
    Inst *model = inst_new(s, found->own->cls, found->own->outer, found->own->mods, NULL);
    s->model = inst_resolved(s, model);
    return describe_instance(d, model);
}

/* A partial class cannot be a component's, but can be looked at. */
static Inst *instance_anyway(Describer *d, Entry *e)
{
    Sema *s = &d->sema;
    Mods mods = mods_join(s, e->mods, e->cls->own->mods);
    Inst *inst = inst_new(s, e->cls->own->cls, e->cls->own->outer, mods, e);
    inst->container = e->owner;
    return inst_resolved(s, inst);
}

Described *describe_component(Describer *d, DescribedComponent *c)
{
    Entry *e = c->entry;
    if (!c->type) return NULL;
    describe_hush(d);
    if (!e->elements) { /* of a component that is not there now, what it would be */
        e->elements = NEW_ARRAY(d->arena, Inst *, 1);
        e->elements[0] = instance_anyway(d, e);
        e->count = 1;
    }
    Described *of = describe_instance(d, e->elements[0]);
    describe_unhush(d);
    return of;
}

DescribedComponent *described_component(const Described *of, Str name)
{
    for (uint32_t i = 0; i < of->component_count; i++)
        if (str_is(name, of->components[i].name)) return &of->components[i];
    return NULL;
}

DescribedComponent *describe_inner(Describer *d, Described *of, const char *path)
{
    DescribedComponent *c = NULL;
    for (const char *at = path; of && *at;) {
        size_t n = strcspn(at, ".[");
        c = described_component(of, (Str){ at, n });
        at += n;
        while (*at == '[') at += strcspn(at, "]") + (strchr(at, ']') != NULL);
        if (!c || !*at) return c;
        if (*at != '.') return NULL;
        at++;
        of = describe_component(d, c);
    }
    return NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

const Datum *describe_value(Describer *d, DescribedComponent *c)
{
    Sema *s = &d->sema;
    Entry *e = c->entry;
    if (!c->type || e->disabled || !e->elements || e->size_state != STATE_DONE || !c->binding.n) return NULL;
    describe_hush(d);
    TExpr *binding = comp_binding(s, e);
    bool fits = binding && !tx_is_poison(binding) && binding->varies <= VARIES_PARAMETER;
    Value *v = fits ? try_eval(s, binding, e->scope) : NULL;
    describe_unhush(d);
    return v ? datum_of_value(d, v, e->decl->declaration->span) : NULL;
}

const Datum *describe_attribute(Describer *d, DescribedComponent *c, const char *name)
{
    Sema *s = &d->sema;
    Entry *e = c->entry;
    if (!c->type || e->disabled || !e->elements || e->cls->base > BASE_ENUM) return NULL;
    describe_hush(d);
    TExpr *said = comp_attribute(s, e, name);
    Value *v = said && said->varies <= VARIES_PARAMETER ? try_eval(s, said, e->scope) : NULL;
    describe_unhush(d);
    return v ? datum_of_value(d, v, e->decl->declaration->span) : NULL;
}

const Class *describe_enumeration(Describer *d, DescribedComponent *c)
{
    (void)d;
    const Inst *type = c->entry->cls;
    return c->type && type->root && type->base == BASE_ENUM ? type->root->cls : NULL;
}

static Str text_attribute(Describer *d, DescribedComponent *c, const char *name)
{
    const Datum *datum = describe_attribute(d, c, name);
    return datum && datum->kind == DATUM_STRING ? datum->text : (Str){ 0 };
}

/* From a unit to the one that is shown; the first where that makes no sense. */
static double shown_value(Describer *d, double value, Str *unit, Str shown)
{
    FlatUnit from, to;
    if (!shown.n || !flat_unit(d->arena, *unit, &from) || !flat_unit(d->arena, shown, &to)) return value;
    for (int i = 0; i < 7; i++)
        if (fabs(from.exponent[i] - to.exponent[i]) > 1e-9) return value;
    if (!(to.factor != 0.0)) return value;
    *unit = shown;
    return (from.factor * value + from.offset - to.offset) / to.factor;
}

bool describe_display(Describer *d, Described *of, Str path, Str *value, Str *unit)
{
    DescribedComponent *c = describe_inner(d, of, arena_copy(d->arena, path));
    *unit = (Str){ 0 };
    if (!c || !c->binding.n) return false;
    const Datum *datum = describe_value(d, c);
    *value = c->binding;
    if (datum && (datum->kind == DATUM_NAME || datum->kind == DATUM_STRING)) *value = datum->text;
    if (datum && datum->kind == DATUM_BOOLEAN) *value = datum->number != 0.0 ? STR("true") : STR("false");
    if (datum && datum->kind == DATUM_NUMBER) {
        *unit = text_attribute(d, c, "unit");
        double shown = shown_value(d, datum->number, unit, text_attribute(d, c, "displayUnit"));
        *value = str_of(arena_printf(d->arena, "%.6g", shown));
        if (str_is(*unit, "1")) *unit = (Str){ 0 };
    }
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *directory_of_root(Arena *arena, const Unit *root)
{
    Str base = path_base(root->path);
    size_t n = (size_t)(base.at - root->path);
    if (root->kind == UNIT_DIRECTORY) return root->path;
    return n ? arena_copy(arena, (Str){ root->path, n }) : ".";
}

const char *describe_resource(Describer *d, const Class *cls, Str name)
{
    static const char scheme[] = "modelica://";
    Sema *s = &d->sema;
    Text uri = { .arena = d->arena };
    bool is_uri = name.n > sizeof scheme && !memcmp(name.at, scheme, sizeof scheme - 1);
    if (!is_uri) {
        text_add_literal(&uri, "modelica://");
        class_full_name(cls, &uri);
        text_add_char(&uri, '/');
    }
    text_add(&uri, name);
    const char *dotted = uri.at + sizeof scheme - 1;
    Str first = { dotted, strcspn(dotted, "./#?") };
    describe_hush(d);
    Unit *root = libraries_root(s->libraries, name_of(s->names, first), class_unit(cls), s->diag);
    char *path = root ? libraries_resolve_uri(s->libraries, uri.at, d->arena, s->diag) : NULL;
    describe_unhush(d);
    const char *real = path ? path_real(d->arena, path) : NULL;
    const char *top = root ? path_real(d->arena, directory_of_root(d->arena, root)) : NULL;
    size_t n = top ? strlen(top) : 0;
    return real && top && !strncmp(real, top, n) && real[n] == '/' ? real : NULL;
}

/* ---- who may be connected with whom ---------------------------------------------------------- */

enum { DEEPEST_CONNECTOR = 8 };

static const char *why_not(Describer *d, DescribedComponent *a, DescribedComponent *b, int depth)
{
    if (!a->type || !b->type) return "a type is not known";
    if (a->is_expandable || b->is_expandable || depth > DEEPEST_CONNECTOR) return NULL;
    if (strcmp(a->basis, b->basis) != 0 && a->entry->cls->base <= BASE_ENUM &&
        b->entry->cls->base <= BASE_ENUM)
        return arena_printf(d->arena, "%s is %s, %s is %s", a->name, a->basis, b->name, b->basis);
    if ((a->entry->cls->base <= BASE_ENUM) != (b->entry->cls->base <= BASE_ENUM))
        return arena_printf(d->arena, "%s and %s are connectors of different kinds", a->name, b->name);
    if (a->flow != b->flow)
        return arena_printf(d->arena, "'%s' is a flow variable in one of them only", a->name);
    if (a->entry->cls->base <= BASE_ENUM) return NULL;
    Described *da = describe_component(d, a), *db = describe_component(d, b);
    if (!da || !db) return NULL;
    for (int turn = 0; turn < 2; turn++) {
        const Described *one = turn ? db : da, *other = turn ? da : db;
        for (uint32_t i = 0; i < one->component_count; i++) {
            DescribedComponent *m = &one->components[i];
            if (!m->is_enabled || m->variability >= VARIABILITY_PARAMETER || m->flags & IS_PROTECTED)
                continue;
            DescribedComponent *n = described_component(other, str_of(m->name));
            if (!n || !n->is_enabled) return arena_printf(d->arena, "only one of them has a '%s'", m->name);
            const char *why = turn ? NULL : why_not(d, m, n, depth + 1);
            if (why) return why;
        }
    }
    return NULL;
}

const char *describe_why_not_connect(Describer *d, DescribedComponent *a, DescribedComponent *b)
{
    if (!a->is_connector || !b->is_connector)
        return arena_printf(d->arena, "'%s' is no connector", a->is_connector ? b->name : a->name);
    return why_not(d, a, b, 0);
}
