/* index.c: what the text of a class declares, by name; made once for each class and shared by all
 * of its instances. Cost: O(elements) a class. Tests: tests/modelica. */
#include "sema/inside.h"

/* Names that the language keeps for itself (specification 2.3.3). */
static void check_name(Sema *s, Name name, Span span)
{
    static const char *const reserved[] = { "Real", "Integer", "Boolean", "String", "time" };
    Str text = name_str(name);
    if (!s->builtins || text.n < 4 || text.n > 7) return;
    for (size_t i = 0; i < COUNT_OF(reserved); i++) {
        if (!str_is(text, reserved[i])) continue;
        bool is_time = i + 1 == COUNT_OF(reserved); /* a keyword since 3.7 only */
        Note *note = (is_time ? sema_lenient : sema_error)(
            s, NULL, E_RESERVED_NAME, span, "'%s' is a name of the language itself", reserved[i]);
        diag_hint(s->diag, note, "choose another name");
    }
}

/* A literal is not called like an attribute of enumerations, which is at the same place. */
static void check_literal(Sema *s, const Literal *literal)
{
    static const char *const attributes[] = { "quantity", "min", "max", "start", "fixed" };
    check_name(s, literal->name, literal->span);
    for (size_t i = 0; i < COUNT_OF(attributes); i++)
        if (str_is(name_str(literal->name), attributes[i]))
            sema_error(s, NULL, E_RESERVED_NAME, literal->span,
                       "'%s' is an attribute of every enumeration, and cannot be a literal", attributes[i]);
}

static void put_decl(Sema *s, ClassIndex *index, Decl decl)
{
    bool is_new;
    Span span = decl.declaration ? decl.declaration->span : decl.cls->name_span;
    uint64_t *at = map_put(&index->names, map_key(decl.name), &is_new);
    check_name(s, decl.name, span);
    if (!is_new) {
        const Decl *old = (const Decl *)(uintptr_t)*at;
        Span first = old->declaration ? old->declaration->span : old->cls->name_span;
        Note *note = diag_add(s->diag, E_DOUBLE_ELEMENT, span, "'%s' is declared twice in this class",
                              name_text(decl.name));
        diag_label(s->diag, note, first, "the first time here");
        return;
    }
    Decl *kept = NEW(s->arena, Decl);
    *kept = decl;
    *at = map_key(kept);
    if (decl.declaration) vec_push(s->arena, &index->components, kept);
}

static void put_import(Sema *s, ClassIndex *index, Name name, const Path *path, Name member)
{
    const ImportName *old = map_pointer(&index->imports, name);
    if (old) {
        Note *note =
            diag_add(s->diag, E_DOUBLE_ELEMENT, path->span, "'%s' is imported twice", name_text(name));
        diag_label(s->diag, note, old->span, "the first time here");
        return;
    }
    ImportName *import = NEW(s->arena, ImportName);
    *import = (ImportName){ *path, member, path->span };
    map_set_pointer(&index->imports, name, import);
}

static void index_import(Sema *s, ClassIndex *index, const Import *import)
{
    switch (import->kind) {
    case IMPORT_QUALIFIED:
        put_import(s, index, import->path.at[import->path.n - 1], &import->path, NULL);
        break;
    case IMPORT_RENAMED: put_import(s, index, import->alias, &import->path, NULL); break;
    case IMPORT_ALL: vec_push(s->arena, &index->open_imports, import); break;
    case IMPORT_LIST:
        for (uint32_t i = 0; i < import->n; i++)
            put_import(s, index, import->names[i], &import->path, import->names[i]);
        break;
    }
}

static void index_element(Sema *s, ClassIndex *index, Element *element)
{
    switch ((ElementKind)element->kind) {
    case ELEMENT_CLASS: put_decl(s, index, (Decl){ element->cls->name, element, NULL, element->cls }); break;
    case ELEMENT_COMPONENT:
        for (uint32_t i = 0; i < element->clause->n; i++) {
            Declaration *d = &element->clause->declarations[i];
            put_decl(s, index, (Decl){ d->name, element, d, NULL });
        }
        break;
    case ELEMENT_EXTENDS: vec_push(s->arena, &index->bases, element); break;
    case ELEMENT_IMPORT: index_import(s, index, element->import); break;
    }
}

static void check_literals(Sema *s, const Class *cls)
{
    for (uint32_t i = 0; i < cls->literal_count; i++) check_literal(s, &cls->literals[i]);
    for (uint32_t i = 0; i < cls->literal_count; i++)
        for (uint32_t k = 0; k < i; k++) {
            if (cls->literals[i].name != cls->literals[k].name) continue;
            Note *note =
                diag_add(s->diag, E_DOUBLE_ELEMENT, cls->literals[i].span,
                         "'%s' is a literal of this enumeration already", name_text(cls->literals[i].name));
            diag_label(s->diag, note, cls->literals[k].span, "the first time here");
        }
}

ClassIndex *class_index(Sema *s, const Class *cls)
{
    ClassIndex *index = map_pointer(&s->indexes, cls);
    if (index) return index;
    index = NEW(s->arena, ClassIndex);
    index->cls = cls;
    index->names.arena = index->imports.arena = s->arena;
    for (uint32_t i = 0; i < cls->element_count; i++) index_element(s, index, cls->elements[i]);
    check_literals(s, cls);
    map_set_pointer(&s->indexes, cls, index);
    return index;
}

Decl *class_decl(Sema *s, ClassIndex *index, Name name)
{
    Decl *decl = map_pointer(&index->names, name);
    if (decl || !index->cls->unit) return decl;
    Class *cls = class_stored_child(s->libraries, index->cls, name, s->diag);
    if (!cls) return NULL;
    decl = NEW(s->arena, Decl);
    *decl = (Decl){ name, NULL, NULL, cls };
    map_set_pointer(&index->names, name, decl);
    return decl;
}
