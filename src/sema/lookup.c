/* lookup.c: names to entries: elements, inherited ones, imports, the classes around, the predefined
 * types, the roots of libraries, in this order; and inner elements for outer ones. Cost: one hash
 * probe for each class and base on the way. Tests: tests/modelica. */
#include "sema/inside.h"

static Entry *class_entry(Sema *s, Class *cls, Scope *outer, Inst *owner)
{
    Decl *decl = NEW(s->arena, Decl);
    Entry *e = NEW(s->arena, Entry);
    *decl = (Decl){ cls->name, NULL, NULL, cls };
    *e = (Entry){
        .name = cls->name, .kind = ENTRY_CLASS, .decl = decl, .scope = outer, .owner = owner, .var = NONE
    };
    map_set_pointer(&owner->names, cls->name, e);
    return e;
}

static Entry *top_entry(Sema *s, const Scope *from, Name name)
{
    Entry *e = map_pointer(&s->top->names, name);
    if (e || map_pointer(&s->absent, name)) return e;
    const Unit *unit = from ? class_unit(from->cls) : NULL;
    Unit *root = libraries_root(s->libraries, name, unit, s->diag);
    Class *cls = root ? unit_class(s->libraries, root, s->diag) : NULL;
    if (!cls) map_set_pointer(&s->absent, name, s);
    return cls ? class_entry(s, cls, s->top->own, s->top) : NULL;
}

Entry *find_in(Sema *s, Inst *inst, Name name)
{
    return inst == s->top ? top_entry(s, NULL, name) : inst_entry(s, inst, name);
}

/* Found through the instances of the packages around it. */
Inst *class_instance(Sema *s, const Class *cls)
{
    const Class *around = class_parent(s->libraries, cls, s->diag);
    Inst *in = around ? class_instance(s, around) : s->top;
    Entry *e = in ? find_in(s, in, cls->name) : NULL;
    return e && e->kind == ENTRY_CLASS ? entry_class(s, e) : NULL;
}

/* A name in a scope or the scopes below it. While the bases of a scope are being found, they are
 * not searched. */
static Entry *scope_find(Sema *s, Scope *scope, Name name)
{
    if (class_decl(s, scope->index, name)) return inst_entry(s, scope->inst, name);
    if (scope->state == STATE_BUSY) return NULL;
    scope_expand(s, scope);
    for (uint32_t i = 0; i < scope->n; i++) {
        Entry *e = scope->bases[i] ? scope_find(s, scope->bases[i], name) : NULL;
        if (e) return e;
    }
    return NULL;
}

/* A path from the roots; NULL, silently, if there is none. */
static Entry *find_global(Sema *s, const Scope *from, const Path *path, Name member)
{
    Entry *e = top_entry(s, from, path->at[0]);
    for (uint32_t i = 1; e && i < path->n; i++)
        e = e->kind == ENTRY_CLASS ? find_in(s, entry_class(s, e), path->at[i]) : NULL;
    if (e && member) e = e->kind == ENTRY_CLASS ? find_in(s, entry_class(s, e), member) : NULL;
    return e;
}

/* The element of this name of one of the packages of `import A.*`. */
static Entry *find_open_import(Sema *s, Scope *scope, Name name)
{
    Entry *found = NULL;
    const Import *by = NULL;
    for (uint32_t i = 0; i < scope->index->open_imports.n; i++) {
        const Import *import = scope->index->open_imports.at[i];
        Entry *e = find_global(s, scope, &import->path, name);
        if (!e || e->flags & IS_PROTECTED || e == found) continue;
        if (found) {
            Note *note = sema_error(s, scope, E_AMBIGUOUS, import->path.span, "'%s' is in '%s' and in '%s'",
                                    name_text(name), name_text(by->path.at[by->path.n - 1]),
                                    name_text(import->path.at[import->path.n - 1]));
            diag_label(s->diag, note, by->path.span, "imported here, too");
            return found;
        }
        found = e;
        by = import;
    }
    return found;
}

static Entry *find_import(Sema *s, Scope *scope, Name name)
{
    const ImportName *import = map_pointer(&scope->index->imports, name);
    if (import) {
        Entry *e = find_global(s, scope, &import->path, import->member);
        if (!e)
            sema_error(s, scope, E_UNKNOWN_IMPORT, import->span,
                       "there is no class or constant '%s' to import",
                       name_text(import->member ? import->member : import->path.at[import->path.n - 1]));
        else if (e->owner != s->top && e->owner->kind != CLASS_PACKAGE)
            sema_error(s, scope, E_UNKNOWN_IMPORT, import->span, "'%s' is not a package to import from",
                       name_text(e->owner->own->cls->name));
        return e;
    }
    return find_open_import(s, scope, name);
}

Entry *lookup_name(Sema *s, Scope *scope, Name name)
{
    Scope *where;
    return lookup_name_in(s, scope, name, &where);
}

/* A component that is inner and outer is two of one name (specification 5.4): the inner one is for
 * what is inside of the components around, and its name in the class itself means the other one. */
static Entry *outer_half(Sema *s, Entry *e)
{
    if (e->kind != ENTRY_COMPONENT || !(e->flags & IS_INNER) || !(e->flags & IS_OUTER)) return e;
    if (e->inner) return e->inner;
    Entry *half = NEW(s->arena, Entry);
    *half = (Entry){ .name = e->name,
                     .kind = e->kind,
                     .flags = (uint8_t)(e->flags & ~IS_INNER),
                     .decl = e->decl,
                     .scope = e->scope,
                     .owner = e->owner,
                     .var = NONE };
    return e->inner = lookup_inner(s, half) ? half : e;
}

Entry *lookup_name_in(Sema *s, Scope *scope, Name name, Scope **where)
{
    *where = NULL;
    for (Scope *p = scope; p && p != s->top->own; p = p->outer) {
        Entry *e = scope_find(s, p, name);
        if (!e) e = find_import(s, p, name);
        *where = p;
        if (e) return outer_half(s, e);
        if (p->cls->flags & CLASS_ENCAPSULATED) break;
    }
    Entry *e = inst_entry(s, s->builtins->inst, name);
    *where = NULL;
    return e ? e : top_entry(s, scope, name);
}

bool is_seen_from(const Entry *e, const Scope *scope)
{
    if (!(e->flags & IS_PROTECTED)) return true;
    for (; scope; scope = scope->outer)
        for (const Scope *p = scope; p; p = p->derived)
            if (p->inst == e->owner || p->cls == e->owner->own->cls) return true;
    return false;
}

/* Whether an import of this name has been reported. */
bool is_bad_import(const Scope *scope, Name name)
{
    for (; scope; scope = scope->outer)
        if (map_pointer(&scope->index->imports, name)) return true;
    return false;
}

/* Whether a class holds classes and constants only, as a package does. */
static bool is_like_package(const Scope *scope)
{
    if (scope->cls->section_count) return false;
    for (uint32_t i = 0; i < scope->index->components.n; i++)
        if (scope->index->components.at[i]->element->clause->variability != VARIABILITY_CONSTANT)
            return false;
    for (uint32_t i = 0; i < scope->n; i++)
        if (scope->bases[i] && !is_like_package(scope->bases[i])) return false;
    return true;
}

static bool is_inside_of(const Scope *scope, const Inst *inst)
{
    for (; scope; scope = scope->outer)
        for (const Scope *p = scope; p; p = p->derived)
            if (p->cls == inst->own->cls) return true;
    return false;
}

bool may_look_into(Sema *s, const Scope *from, Inst *in, Entry *e, Span span)
{
    if (in == s->top || in == s->builtins->inst || is_inside_of(from, in)) return true;
    scope_expand(s, in->own);
    const char *name = name_text(in->own->cls->name);
    Note *note = NULL;
    bool passes = true;
    if (in->kind == CLASS_PACKAGE || in->kind == CLASS_OPERATOR) {
        bool is_value = e->kind == ENTRY_COMPONENT || e->decl->cls->kind == CLASS_FUNCTION;
        if (is_value && inst_is_partial(in))
            note = sema_lenient(s, from, E_LOOKUP, span, "'%s' is partial: nothing is looked up in it", name);
    } else if (!(e->kind == ENTRY_CLASS && e->decl->cls->flags & CLASS_ENCAPSULATED) &&
               inst_resolved(s, in)->base != BASE_ENUM && !is_like_package(in->own)) {
        passes = e->kind == ENTRY_CLASS || e->decl->element->clause->variability == VARIABILITY_CONSTANT;
        note = (passes ? sema_lenient : sema_error)(s, from, E_LOOKUP, span,
                                                    "'%s' is a %s, not a package to look for '%s' in", name,
                                                    class_kind_text(in->kind), name_text(e->name));
    }
    if (note) diag_label(s->diag, note, in->own->cls->name_span, "declared here");
    return passes;
}

static void report_class(Sema *s, Scope *scope, const Path *path, uint32_t at, Inst *in)
{
    if (at == 0 && is_bad_import(scope, path->at[0])) return;
    Note *note =
        sema_error(s, scope, E_UNKNOWN_CLASS, path->span, "there is no class '%s'%s%s",
                   name_text(path->at[at]), in ? " in " : "", in ? name_text(in->own->cls->name) : "");
    hint_nearest(s, note, in ? in->own : scope, path->at[at]);
}

/* .Real and the like are seen where a class hides their names. */
static Entry *global_entry(Sema *s, Scope *scope, Name name)
{
    Entry *e = inst_entry(s, s->builtins->inst, name);
    return e ? e : top_entry(s, scope, name);
}

Inst *lookup_class(Sema *s, Scope *scope, const Path *path)
{
    Entry *e = path->global ? global_entry(s, scope, path->at[0]) : lookup_name(s, scope, path->at[0]);
    Inst *inst = NULL;
    for (uint32_t i = 0; i < path->n; i++) {
        if (i) e = find_in(s, inst, path->at[i]);
        if (!e) {
            report_class(s, scope, path, i, inst);
            return NULL;
        }
        if (e->kind != ENTRY_CLASS) {
            Note *note = sema_error(s, scope, E_NOT_A_CLASS, path->span, "'%s' is a component, not a class",
                                    name_text(e->name));
            diag_label(s->diag, note, e->decl->declaration->span, "declared here");
            return NULL;
        }
        if (i && !is_seen_from(e, scope)) {
            Note *note =
                sema_error(s, scope, E_PROTECTED, path->span, "'%s' is protected", name_text(e->name));
            diag_label(s->diag, note, e->decl->cls->name_span, "declared here");
            return NULL;
        }
        if (i && !may_look_into(s, scope, inst, e, path->span)) return NULL;
        inst = entry_class(s, e);
    }
    return inst;
}

Entry *lookup_inner(Sema *s, Entry *outer)
{
    if (outer->inner) return outer->inner;
    for (Inst *inst = outer->owner->container; inst; inst = inst->container) {
        Entry *e = inst_entry(s, inst, outer->name);
        if (e && e->flags & IS_INNER && e->kind == outer->kind) return outer->inner = e;
    }
    return NULL;
}

/* An inner component that nobody declared, at the top of the model, with the values that its class
 * gives it (specification 5.4): of the class that the outer one has; NULL where that is partial or
 * the name is taken. */
Entry *make_inner(Sema *s, Entry *outer)
{
    Inst *model = s->model;
    bool partial = !comp_make(s, outer) || outer->cls->own->cls->flags & CLASS_PARTIAL;
    if (partial || !model || outer->cls->base != BASE_CLASS || inst_entry(s, model, outer->name)) return NULL;
    Decl *decl = NEW(s->arena, Decl);
    Element *element = NEW(s->arena, Element);
    Entry *e = NEW(s->arena, Entry);
    *decl = *outer->decl;
    *element = *decl->element;
    element->flags = (uint8_t)((element->flags & ~(IS_OUTER | IS_PROTECTED)) | IS_INNER);
    decl->element = element;
    *e = (Entry){ .name = outer->name,
                  .kind = ENTRY_COMPONENT,
                  .flags = element->flags,
                  .decl = decl,
                  .scope = outer->scope,
                  .owner = model,
                  .is_listed = true,
                  .var = NONE };
    inst_list(s, model);
    map_set_pointer(&model->names, e->name, e);
    vec_push(s->arena, &model->comps, e);
    return outer->inner = e;
}
