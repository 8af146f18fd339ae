/* subtype.c: whether what takes the place of a replaceable element may do so (specification,
 * chapter 6 and 7.3): it must have the interface of the constraining class, or of the original
 * declaration where there is none.
 *
 * In: the redeclarations met while the model was built without errors. Out: reports. How: each
 * public element of the constraining class must be in the new one, public, of the same kind, with
 * the same prefixes and simple type; a function needs the same inputs and outputs, in order. Each
 * redeclaration of the text is looked at once for each class it comes out as. Cost: O(elements).
 * Tests: tests/modelica/redeclare.mo. */
#include "sema/inside.h"

typedef struct {
    Sema *s;
    const Entry *by; /* the element that was redeclared */
    Inst *offered, *constraint;
} Pair;

static void report(const Pair *p, const char *why, Name name, Span there)
{
    Sema *s = p->s;
    Note *note =
        sema_error(s, NULL, E_CONSTRAINT, p->by->redeclared_at, why, name_text(p->by->name), name_text(name));
    diag_label(s->diag, note, there, "this element of '%s' is meant",
               name_text(p->constraint->own->cls->name));
    diag_label(s->diag, note, p->offered->own->cls->name_span, "the class that is to take the place");
}

/* An enumeration(:) takes any. */
static bool enumeration_fits(const Inst *x, const Inst *y)
{
    return y->root->cls->any_literals || same_literals(x, y);
}

static bool component_fits(const Pair *p, Entry *x, Entry *y)
{
    Span there = y->decl->declaration->span;
    if (!comp_make(p->s, x) || !comp_make(p->s, y)) return true;
    bool simple = y->cls->root || x->cls->root;
    const char *why = NULL;
    if (simple && x->cls->base != y->cls->base)
        why = "'%s' does not fit: '%s' has another type";
    else if (x->cls->base == BASE_ENUM && y->cls->base == BASE_ENUM && !enumeration_fits(x->cls, y->cls))
        why = "'%s' does not fit: '%s' has another type";
    else if (x->flow != y->flow)
        why = "'%s' does not fit: '%s' is a flow or stream in one of them only";
    else if (x->causes != y->causes && y->causes)
        why = "'%s' does not fit: '%s' has another causality";
    if (why) report(p, why, y->name, there);
    return !why;
}

static bool function_fits(const Pair *p)
{
    const Function *x = function_of(p->s, p->offered), *y = function_of(p->s, p->constraint);
    for (uint32_t i = 0; i < y->inputs.n + y->outputs.n; i++) {
        bool input = i < y->inputs.n;
        uint32_t at = input ? i : i - y->inputs.n;
        const Entry *want = input ? y->inputs.at[at] : y->outputs.at[at];
        const Entry *have =
            at < (input ? x->inputs.n : x->outputs.n) ? (input ? x->inputs.at[at] : x->outputs.at[at]) : NULL;
        if (have && have->name == want->name) continue;
        report(p, "'%s' does not fit: the function has no '%s' at this place", want->name,
               want->decl->declaration->span);
        return false;
    }
    return true;
}

static void check_elements(const Pair *p)
{
    Sema *s = p->s;
    inst_list(s, p->constraint);
    for (uint32_t i = 0; i < p->constraint->comps.n; i++) {
        Entry *y = p->constraint->comps.at[i], *x = inst_entry(s, p->offered, y->name);
        if (y->flags & IS_PROTECTED || y->decl->declaration->condition) continue;
        if (!x || x->kind != ENTRY_COMPONENT || x->flags & IS_PROTECTED) {
            report(p, "'%s' does not fit: there is no public '%s' in it", y->name,
                   y->decl->declaration->span);
            return;
        }
        if (!component_fits(p, x, y)) return;
    }
}

static void check_pair(const Pair *p)
{
    Inst *x = p->offered, *y = p->constraint;
    if (x->base == BASE_POISON || y->base == BASE_POISON || x->own->cls == y->own->cls) return;
    bool simple = x->root || y->root;
    bool kinds = simple ? x->base == y->base && (x->base != BASE_ENUM || enumeration_fits(x, y))
                        : (x->base == BASE_FUNCTION) == (y->base == BASE_FUNCTION) &&
                              (x->kind == CLASS_PACKAGE) == (y->kind == CLASS_PACKAGE);
    if (!kinds) {
        Note *note = sema_error(p->s, NULL, E_CONSTRAINT, p->by->redeclared_at, "'%s' cannot become '%s'",
                                name_text(p->by->name), name_text(x->own->cls->name));
        diag_label(p->s->diag, note, y->own->cls->name_span, "it must have the interface of this class");
    } else if (x->base == BASE_FUNCTION) {
        function_fits(p);
    } else if (!simple) {
        check_elements(p);
    }
}

static Inst *constraint_of(Sema *s, const Entry *e)
{
    const Decl *old = e->replaced;
    if (old->element->constraint) return lookup_class(s, e->replaced_scope, &old->element->constraint->type);
    if (old->declaration) return lookup_class(s, e->replaced_scope, &old->element->clause->type);
    return inst_new(s, old->cls, e->replaced_scope, (Mods){ 0 }, NULL);
}

void check_redeclarations(Sema *s)
{
    Map seen = { .arena = s->arena };
    for (uint32_t i = 0; i < s->redeclared.n && !s->diag->errors; i++) {
        Entry *e = s->redeclared.at[i];
        Inst *offered = e->kind == ENTRY_CLASS ? entry_class(s, e) : e->cls;
        bool is_new;
        if (!offered || !e->replaced->element ||
            (e->kind == ENTRY_COMPONENT) != (e->replaced->declaration != NULL))
            continue;
        map_put(&seen,
                map_key(e->replaced) * 31 ^ map_key(offered->own->cls) ^ (uint64_t)e->redeclared_at.at << 20,
                &is_new);
        if (!is_new) continue;
        Inst *constraint = constraint_of(s, e);
        Pair p = { s, e, inst_resolved(s, offered), constraint ? inst_resolved(s, constraint) : NULL };
        if (constraint) check_pair(&p);
    }
}
