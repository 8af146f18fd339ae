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
    const Entry *by; /* the element that was redeclared, or has a constraint */
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
    else if (x->causes != y->causes)
        why = "'%s' does not fit: '%s' has another causality";
    else if (simple && x->varies > y->varies)
        why = "'%s' does not fit: '%s' changes more often in it";
    else if (comp_rank(p->s, x) != comp_rank(p->s, y))
        why = "'%s' does not fit: '%s' has other dimensions";
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
        bool same = have && have->name == want->name;
        bool typed =
            same && have->cls && want->cls && have->cls->base <= BASE_ENUM && want->cls->base <= BASE_ENUM;
        if (same && !(typed && have->cls->base != want->cls->base)) continue;
        report(p,
               same ? "'%s' does not fit: '%s' has another type"
                    : "'%s' does not fit: the function has no '%s' at this place",
               want->name, want->decl->declaration->span);
        return false;
    }
    for (uint32_t i = y->inputs.n; i < x->inputs.n; i++) {
        Entry *more = x->inputs.at[i];
        if (mods_value(more->mods) || (more->cls && more->cls->base == BASE_RECORD)) continue;
        report(p, "'%s' does not fit: '%s' is a further input, and has no value of its own", more->name,
               more->decl->declaration->span);
        return false;
    }
    return true;
}

/* What a redeclaration of a part brings along can stay unconnected (6.6): nobody further out can
 * connect it. */
static bool needs_connection(const Pair *p, Entry *x)
{
    bool is_new = !(x->flags & IS_PROTECTED) && !x->decl->declaration->condition &&
                  !inst_entry(p->s, p->constraint, x->name);
    return is_new && comp_make(p->s, x) && x->cls->is_connector && x->cls->root &&
           x->causes == CAUSALITY_INPUT && !mods_value(x->mods);
}

static void check_further(const Pair *p)
{
    bool in_part = p->by->replaced && p->by->scope->inst != p->by->owner;
    if (!in_part || p->offered->base != BASE_CLASS || p->offered->kind == CLASS_PACKAGE) return;
    inst_list(p->s, p->offered);
    for (uint32_t i = 0; i < p->offered->comps.n; i++) {
        Entry *x = p->offered->comps.at[i];
        if (!needs_connection(p, x)) continue;
        report(p, "'%s' does not fit: its input '%s' would have to be connected", x->name,
               x->decl->declaration->span);
        return;
    }
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
        if (!p->s->diag->errors) check_further(p);
    }
}

/* The prefixes and dimensions that a redeclared component says itself agree with those of the
 * original (7.3). */
static void check_prefixes(Sema *s, const Entry *e)
{
    const Clause *new = e->decl->element->clause, *old = e->replaced->element->clause;
    const char *why = NULL;
    uint32_t own = e->decl->declaration->subscripts.n + new->subscripts.n;
    uint32_t was = e->replaced->declaration->subscripts.n + old->subscripts.n;
    if (new->flow &&new->flow != old->flow)
        why = "flow and stream";
    else if (new->causality &&new->causality != old->causality)
        why = "input and output";
    else if (new->variability &&new->variability < old->variability)
        why = "the variability";
    else if (own && own != was)
        why = "the number of dimensions";
    if (!why) return;
    Note *note = sema_error(s, NULL, E_CONSTRAINT, e->redeclared_at,
                            "the redeclaration of '%s' cannot change %s", name_text(e->name), why);
    diag_label(s->diag, note, e->replaced->declaration->span, "declared here");
}

/* The constraint of a declaration that is replaceable: what stands there and, where a redeclaration
 * has one of its own, that. */
static void check_constraint(Sema *s, const Entry *by, const Constraint *constraint, Scope *scope,
                             Inst *offered)
{
    Inst *wanted = lookup_class(s, scope, &constraint->type);
    if (!wanted || !offered) return;
    if (wanted->entry && wanted->entry->kind == ENTRY_CLASS && wanted->entry->flags & IS_REPLACEABLE) {
        Note *note =
            sema_error(s, scope, E_REPLACEABLE_BASE, constraint->type.span,
                       "'%s' is replaceable, and cannot be a constraint", name_text(wanted->own->cls->name));
        diag_label(s->diag, note, wanted->own->cls->name_span, "declared here");
    }
    Pair p = { s, by, inst_resolved(s, offered), inst_resolved(s, wanted) };
    check_pair(&p);
}

static void check_constrained(Sema *s)
{
    Map seen = { .arena = s->arena };
    for (uint32_t i = 0; i < s->constrained.n && !s->diag->errors; i++) {
        Entry *e = s->constrained.at[i];
        Inst *offered = e->kind == ENTRY_CLASS ? entry_class(s, e) : e->cls;
        bool is_new;
        map_put(&seen, map_key(e->decl), &is_new);
        if (!is_new || !offered) continue;
        Entry by = *e;
        by.redeclared_at = e->decl->declaration ? e->decl->declaration->span : e->decl->cls->name_span;
        check_constraint(s, &by, e->decl->element->constraint, e->scope, offered);
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
        if (e->kind == ENTRY_COMPONENT) check_prefixes(s, e);
        if (constraint) check_pair(&p);
        const Constraint *own = e->decl->element ? e->decl->element->constraint : NULL;
        if (own && constraint) {
            Inst *narrowed = lookup_class(s, e->scope, &own->type);
            Pair q = { s, e, narrowed ? inst_resolved(s, narrowed) : NULL, p.constraint };
            if (narrowed) check_pair(&q);
        }
    }
    check_constrained(s);
}
