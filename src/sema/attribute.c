/* attribute.c: the attributes of variables of simple type (specification 4.9): which a type has,
 * what they may be, and their values in the flat model. Tests: tests/modelica/modification.mo. */
#include "sema/inside.h"

enum { OF_REAL = 1, OF_INTEGER = 2, OF_BOOLEAN = 4, OF_STRING = 8, OF_ENUM = 16, OF_ALL = 31 };

static const struct {
    const char *name;
    uint8_t types;
} attributes[] = {
    { "quantity", OF_ALL },
    { "unit", OF_REAL },
    { "displayUnit", OF_REAL },
    { "min", OF_REAL | OF_INTEGER | OF_ENUM },
    { "max", OF_REAL | OF_INTEGER | OF_ENUM },
    { "start", OF_ALL },
    { "fixed", OF_ALL },
    { "nominal", OF_REAL },
    { "stateSelect", OF_REAL },
    { "unbounded", OF_REAL },
};

static bool has_attribute(const Entry *e, Name name)
{
    for (size_t i = 0; i < COUNT_OF(attributes); i++)
        if (str_is(name_str(name), attributes[i].name)) return attributes[i].types & 1 << e->type.base;
    return false;
}

static bool is_attribute(Name name)
{
    for (size_t i = 0; i < COUNT_OF(attributes); i++)
        if (str_is(name_str(name), attributes[i].name)) return true;
    return false;
}

/* An attribute of other types, such as the unit of an Integer, is without effect. */
static void no_such_attribute(Sema *s, const Entry *e, const Mod *m, const Argument *a, Name name)
{
    const char *names[COUNT_OF(attributes)];
    for (size_t i = 0; i < COUNT_OF(attributes); i++) names[i] = attributes[i].name;
    Note *note = (is_attribute(name) ? sema_lenient : sema_error)(
        s, m->scope, E_NO_SUCH_ELEMENT, a->span, "%s has no attribute '%s'",
        type_text(s, &(Type){ .base = e->type.base, .def = e->type.def }), name_text(name));
    const char *near = text_nearest(name_str(name), names, COUNT_OF(names));
    if (near && !str_is(name_str(name), near)) diag_hint(s->diag, note, "did you mean '%s'?", near);
}

static void check_argument(Sema *s, const Entry *e, const Mod *m, const Argument *a)
{
    Name name = argument_name(a);
    if (!name) return;
    if (!has_attribute(e, name)) {
        no_such_attribute(s, e, m, a, name);
    } else if (a->flags & IS_EACH && !e->type.rank && !m->subs && !inst_is_in_array(e->owner)) {
        sema_lenient(s, m->scope, E_EACH, a->span, "'each' is for arrays, and '%s' is none",
                     name_text(e->name));
    }
}

static void check_final_attribute(Sema *s, const Scope *root, const char *name)
{
    Mods mods = mods_select(s, root->mods, name_of(s->names, str_of(name)));
    for (uint32_t i = 1; i < mods.n; i++) {
        if (!mods.at[i].is_final || mods.at[0].is_final || !mods.at[i].argument ||
            !(mods.at[i].argument->flags & IS_FINAL))
            continue;
        Note *note = sema_error(s, mods.at[0].scope, E_FINAL, mod_span(&mods.at[0]), "'%s' is final", name);
        diag_label(s->diag, note, mod_span(&mods.at[i]), "made final here");
        return;
    }
}

static void check_attributes(Sema *s, Entry *e)
{
    const Scope *root = e->elements[0]->root;
    if (!root || !root->mods.n || e->owner->index) return;
    for (uint32_t i = 0; i < root->mods.n; i++) {
        const Mod *m = &root->mods.at[i];
        for (uint32_t k = 0; mod_is_whole(m) && m->m && k < m->m->n; k++) {
            check_argument(s, e, m, m->m->arguments[k]);
            mod_check_double(s, m, k);
        }
    }
    for (size_t i = 0; i < COUNT_OF(attributes); i++) check_final_attribute(s, root, attributes[i].name);
}

/* A value for all elements of an array needs `each`, where it is said of the array and not of its
 * type. */
static bool is_missing_each(Sema *s, const Entry *e, const char *name, const TExpr *x)
{
    if (!e->type.rank || x->type.rank) return false;
    const Mod *m = mods_value(mods_select(s, e->mods, name_of(s->names, str_of(name))));
    if (!m || !m->argument || m->argument->flags & IS_EACH || m->subs) return false;
    if (m->argument->name_count > 1) return false;
    for (uint32_t i = 0; i < e->mods.n; i++) {
        const Argument *around = e->mods.at[i].argument;
        if (around && around->flags & IS_EACH) return false;
    }
    Note *note = sema_lenient(s, m->scope, E_EACH, m->argument->span,
                              "'%s' is an array, but this is one value only", name_text(e->name));
    diag_hint(s->diag, note, "write 'each' in front for the same value everywhere");
    return s->diag->strict_language;
}

/* Whether the value of an attribute is one that it may have; says so otherwise. */
static bool attribute_fits(Sema *s, const Entry *e, const char *name, uint8_t want, const TExpr *x)
{
    bool fits = x->type.base == want || (want == BASE_REAL && x->type.base == BASE_INTEGER);
    if (!fits || (x->type.rank && x->type.rank != e->type.rank)) {
        sema_error(s, e->scope, E_TYPE_MISMATCH, x->span, "the attribute '%s' of '%s' cannot be %s", name,
                   entry_path(s, e), type_text(s, &x->type));
        return false;
    }
    if (x->varies > VARIES_PARAMETER && !entry_is_local(e)) {
        sema_error(s, e->scope, E_VARIABILITY, x->span,
                   "the attribute '%s' of '%s' may not depend on what changes with time", name,
                   entry_path(s, e));
        return false;
    }
    for (uint32_t i = 0; i < x->type.rank; i++) {
        if (x->type.sizes[i] == e->type.sizes[i]) continue;
        sema_error(s, e->scope, E_SIZE_MISMATCH, x->span,
                   "the attribute '%s' of '%s' is %s, but the variable %s", name, entry_path(s, e),
                   type_text(s, &x->type), type_text(s, &e->type));
        return false;
    }
    return !is_missing_each(s, e, name, x);
}

static Str string_attribute(Flattening *f, Entry *e, const char *name)
{
    Sema *s = f->s;
    TExpr *x = comp_attribute(s, e, name);
    if (!x || !attribute_fits(s, e, name, BASE_STRING, x)) return (Str){ 0 };
    Value *v = try_eval(s, x, e->scope);
    if (!v || !v->n) return (Str){ 0 };
    return (Str){ arena_copy(f->flat->arena, v->at[0].text), v->at[0].text.n };
}

TExpr *value_at(Sema *s, TExpr *x, const Type *t, uint32_t index)
{
    uint32_t rest = type_count(t);
    for (uint32_t i = 0; i < t->rank && x->type.rank; i++) {
        rest /= (uint32_t)t->sizes[i];
        bool is_known = x->type.sizes[0] != SIZE_UNKNOWN; /* else the run checks it */
        if (is_known && (int32_t)(index / rest) >= x->type.sizes[0]) return NULL;
        x = tx_element(s, x, (int32_t)(index / rest));
        index %= rest;
    }
    return x->type.rank ? NULL : x;
}

static void set_attribute(Flattening *f, Entry *e, Attribute a)
{
    Sema *s = f->s;
    TExpr *x = comp_attribute(s, e, attribute_text(a));
    uint32_t n = type_count(&e->type);
    if (!x || !has_attribute(e, name_of(s->names, str_of(attribute_text(a))))) return;
    uint8_t want = a == ATTRIBUTE_FIXED          ? BASE_BOOLEAN
                   : a == ATTRIBUTE_STATE_SELECT ? BASE_ENUM
                                                 : e->type.base;
    if (!attribute_fits(s, e, attribute_text(a), want, x)) return;
    for (uint32_t i = 0; i < n; i++) {
        TExpr *at = value_at(s, x, &e->type, i);
        if (at && want == BASE_REAL) at = coerce(s, at, &(Type){ .base = BASE_REAL });
        /* which variables are fixed, and which are states, is part of the structure */
        bool is_structure = a == ATTRIBUTE_FIXED || a == ATTRIBUTE_STATE_SELECT;
        Value *value = !at || !is_structure ? NULL
                       : uses_free(s, at)   ? eval(s, at, NULL, e->scope) /* which says why not */
                                            : try_eval(s, at, e->scope);
        if (value) at = tx_value(s, value, at->span);
        if (at) f->flat->vars.at[e->var + i].attributes[a] = emit_scalar(s, f->flat, at);
    }
}

void describe_attributes(Flattening *f, Entry *e)
{
    uint32_t n = type_count(&e->type);
    check_attributes(f->s, e);
    if (!n || !e->elements[0]->root) return;
    Str quantity = string_attribute(f, e, "quantity"), unit = string_attribute(f, e, "unit");
    Str display = string_attribute(f, e, "displayUnit");
    for (uint32_t i = 0; i < n; i++) {
        FlatVar *v = &f->flat->vars.at[e->var + i];
        v->quantity = quantity;
        v->unit = unit;
        v->display_unit = display;
    }
    for (int a = 0; a < ATTRIBUTE_COUNT; a++) set_attribute(f, e, (Attribute)a);
}
