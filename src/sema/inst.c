/* inst.c: instances, their scopes and their entries.
 *
 * In: classes, the scopes they were found in, modifiers. Out: instances whose bases and entries are
 * made when first asked for. How: a scope keeps the modifiers that reach its class, from outside
 * and from the extends clauses on the way, so an entry's modifiers are one selection from the scope
 * that declares it. Always: an entry is made once for each instance and name. Cyclic inheritance is
 * reported once and cut. Cost: O(1) a lookup, expected, but for the number of bases. Tests:
 * tests/modelica. */
#include "sema/inside.h"

static Scope *scope_new(Sema *s, Inst *inst, const Class *cls, Scope *outer, Mods mods)
{
    Scope *scope = NEW(s->arena, Scope);
    scope->inst = inst;
    scope->cls = cls;
    scope->index = class_index(s, cls);
    scope->outer = outer;
    scope->typed.arena = s->arena;
    scope->mods = mods;
    inst->scopes++;
    return scope;
}

Inst *inst_new(Sema *s, const Class *cls, Scope *outer, Mods mods, Entry *entry)
{
    Inst *inst = NEW(s->arena, Inst);
    inst->entry = entry;
    inst->kind = cls->kind;
    inst->flags = cls->flags;
    inst->names.arena = s->arena;
    inst->own = scope_new(s, inst, cls, outer, mods);
    return inst;
}

/* ---- bases ----------------------------------------------------------------------------------- */

enum { MOST_SCOPES = 20000 };

static bool is_cyclic(Sema *s, Scope *scope, const Class *cls, const Scope *outer, Span span)
{
    for (Scope *p = scope; p; p = p->derived) {
        if (p->cls != cls || p->outer != outer) continue;
        Note *note = sema_error(s, scope, E_CYCLIC_EXTENDS, span, "the class '%s' extends itself",
                                name_text(cls->name));
        if (scope != p) diag_label(s->diag, note, p->cls->name_span, "by way of this class");
        return true;
    }
    return false;
}

/* A few extends clauses in each of some classes multiply; far too many of them are a mistake or
 * malice. */
static bool has_too_many(Sema *s, Scope *scope, Span span)
{
    if (scope->inst->scopes < MOST_SCOPES) return false;
    if (scope->inst->base != BASE_POISON)
        sema_error(s, scope, E_TOO_LARGE, span, "the class '%s' inherits from far too many classes",
                   name_text(scope->inst->own->cls->name));
    return true;
}

static Scope *base_scope(Sema *s, Scope *class_scope, const Inst *base, const Modification *m, Scope *scope,
                         Span span)
{
    if (!base || is_cyclic(s, class_scope, base->own->cls, base->own->outer, span) ||
        has_too_many(s, class_scope, span) || !base_fits(s, class_scope, base, span)) {
        class_scope->inst->base = BASE_POISON;
        return NULL;
    }
    Mods mods = mods_join(s, mods_add(s, class_scope->mods, m, scope), base->own->mods);
    Scope *made = scope_new(s, class_scope->inst, base->own->cls, base->own->outer, mods);
    made->derived = class_scope;
    made->modification = m;
    return made;
}

/* ---- what an extends clause leaves out ------------------------------------------------------- */

static bool is_broken(const Scope *scope, Name name)
{
    const Modification *m = scope->modification;
    for (uint32_t i = 0; m && i < m->n; i++)
        if (m->arguments[i]->kind == ARGUMENT_BREAK_NAME && m->arguments[i]->names[0] == name) return true;
    return false;
}

static bool same_ref(const Expr *a, const Expr *b)
{
    if (a->kind != EXPR_REF || b->kind != EXPR_REF || a->n != b->n) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->parts[i].name != b->parts[i].name || a->parts[i].subscripts.n != b->parts[i].subscripts.n)
            return false;
    return true;
}

static bool starts_with(const Expr *ref, Name name)
{
    return ref->kind == EXPR_REF && ref->parts[0].name == name;
}

/* Whether a scope that extends this one leaves a connection out: itself, where the order of the two
 * sides matters, or with a component that it is about. */
bool is_broken_connect(const Scope *scope, const Stmt *st)
{
    if (st->kind != STMT_CONNECT) return false;
    for (; scope->derived; scope = scope->derived) {
        const Modification *m = scope->modification;
        for (uint32_t i = 0; m && i < m->n; i++) {
            const Argument *a = m->arguments[i];
            if (a->kind == ARGUMENT_BREAK_NAME &&
                (starts_with(st->left, a->names[0]) || starts_with(st->right, a->names[0])))
                return true;
            if (a->kind == ARGUMENT_BREAK_CONNECT && same_ref(a->connect->left, st->left) &&
                same_ref(a->connect->right, st->right))
                return true;
        }
    }
    return false;
}

static bool has_connect(const Stmts *body, const Stmt *wanted)
{
    for (uint32_t i = 0; i < body->n; i++) {
        const Stmt *st = body->at[i];
        if (st->kind == STMT_CONNECT && same_ref(st->left, wanted->left) &&
            same_ref(st->right, wanted->right))
            return true;
        for (uint32_t k = 0; (st->kind == STMT_IF || st->kind == STMT_FOR) && k < st->n; k++)
            if (has_connect(&st->branches[k].body, wanted)) return true;
    }
    return false;
}

static bool scope_has_connect(Sema *s, Scope *scope, const Stmt *wanted)
{
    scope_expand(s, scope);
    for (uint32_t i = 0; i < scope->cls->section_count; i++)
        if (!scope->cls->sections[i]->is_algorithm && has_connect(&scope->cls->sections[i]->body, wanted))
            return true;
    for (uint32_t i = 0; i < scope->n; i++)
        if (scope->bases[i] && scope_has_connect(s, scope->bases[i], wanted)) return true;
    return false;
}

static Decl *find_decl(Sema *s, Scope *scope, Name name, Scope **where);

/* What is left out must be there. */
static void check_breaks(Sema *s, Scope *scope)
{
    const Modification *m = scope->modification;
    for (uint32_t i = 0; m && i < m->n; i++) {
        const Argument *a = m->arguments[i];
        Scope *where;
        bool found = a->kind == ARGUMENT_BREAK_NAME      ? find_decl(s, scope, a->names[0], &where) != NULL
                     : a->kind == ARGUMENT_BREAK_CONNECT ? scope_has_connect(s, scope, a->connect)
                                                         : true;
        if (found) continue;
        Note *note = sema_error(
            s, scope->derived, E_NO_SUCH_ELEMENT, a->span, "there is no such %s in '%s' to leave out",
            a->kind == ARGUMENT_BREAK_NAME ? "element" : "connection", name_text(scope->cls->name));
        diag_label(s->diag, note, scope->cls->name_span, "it would have to be in this class");
    }
}

static void expand_long(Sema *s, Scope *scope)
{
    scope->bases = NEW_ARRAY(s->arena, Scope *, scope->index->bases.n + 1);
    for (uint32_t i = 0; i < scope->index->bases.n; i++) {
        const Element *e = scope->index->bases.at[i];
        const Inst *base = lookup_class(s, scope, &e->extends->type);
        Scope *made = base_scope(s, scope, base, e->extends->modification, scope, e->extends->type.span);
        if (made) made->is_protected = e->flags & IS_PROTECTED;
        scope->bases[scope->n++] = made;
    }
}

static void expand_short(Sema *s, Scope *scope)
{
    const Inst *base = lookup_class(s, scope->outer, &scope->cls->base);
    scope->bases = NEW_ARRAY(s->arena, Scope *, 1);
    scope->bases[0] =
        base_scope(s, scope, base, scope->cls->modification, scope->outer, scope->cls->base.span);
    scope->n = 1;
}

/* The declaration of a name in a scope or below it, and the scope it is in. */
static Decl *find_decl(Sema *s, Scope *scope, Name name, Scope **where)
{
    Decl *decl = class_decl(s, scope->index, name);
    if (decl) {
        *where = scope;
        return decl;
    }
    scope_expand(s, scope);
    for (uint32_t i = 0; i < scope->n; i++) {
        if (!scope->bases[i] || is_broken(scope->bases[i], name)) continue;
        if ((decl = find_decl(s, scope->bases[i], name, where))) return decl;
    }
    return NULL;
}

/* `class extends A`: its first base is the A that the class around it inherits. */
static void expand_class_extends(Sema *s, Scope *scope)
{
    Scope *around = scope->outer, *where = NULL;
    Decl *decl = NULL;
    scope_expand(s, around);
    for (uint32_t i = 0; !decl && i < around->n; i++)
        if (around->bases[i]) decl = find_decl(s, around->bases[i], scope->cls->name, &where);
    Scope *base = NULL;
    if (decl && decl->cls) {
        Mods mods = mods_add(s, scope->mods, scope->cls->modification, scope);
        base = scope_new(s, scope->inst, decl->cls, where, mods);
        base->derived = scope;
    } else {
        sema_error(s, scope, E_UNKNOWN_CLASS, scope->cls->name_span,
                   "there is no inherited class '%s' to extend", name_text(scope->cls->name));
    }
    uint32_t n = scope->n;
    Scope **bases = NEW_ARRAY(s->arena, Scope *, n + 1);
    if (n) memcpy(bases, scope->bases, n * sizeof *bases);
    bases[n] = base;
    scope->bases = bases;
    scope->n = n + 1;
}

void scope_expand(Sema *s, Scope *scope)
{
    if (scope->state != STATE_NEW) return;
    scope->state = STATE_BUSY;
    switch ((ClassForm)scope->cls->form) {
    case FORM_EXTENDS:
        expand_long(s, scope);
        expand_class_extends(s, scope);
        break;
    case FORM_LONG: expand_long(s, scope); break;
    case FORM_SHORT:
    case FORM_DER: expand_short(s, scope); break;
    case FORM_ENUMERATION: break;
    }
    scope->state = STATE_DONE;
    class_rules(s, scope);
    for (uint32_t i = 0; i < scope->n; i++)
        if (scope->bases[i]) check_breaks(s, scope->bases[i]);
}

/* ---- entries --------------------------------------------------------------------------------- */

static Decl *decl_of_argument(Sema *s, const Argument *a)
{
    Decl *decl = NEW(s->arena, Decl);
    decl->element = a->element;
    decl->name = argument_name(a);
    if (a->element->kind == ELEMENT_CLASS)
        decl->cls = a->element->cls;
    else
        decl->declaration = &a->element->clause->declarations[0];
    return decl;
}

static Span decl_span(const Decl *decl)
{
    return decl->declaration ? decl->declaration->span : decl->cls->name_span;
}

static bool modifies(const Modification *m, Name name)
{
    for (uint32_t i = 0; m && i < m->n; i++)
        if (argument_name(m->arguments[i]) == name) return true;
    return false;
}

static Mods mark_constraint(Mods mods, uint32_t from)
{
    for (; from < mods.n; from++) mods.at[from].is_constraint = true;
    return mods;
}

/* The modifiers of constrainedby hold for what is declared there and for whatever takes its place
 * (7.3.2), but for what that says itself. A short class says it further in than this is put. */
static Mods add_constraint(Sema *s, Mods strong, const Decl *decl, Scope *scope, const Decl *chosen)
{
    const Modification *m = decl->element->constraint->modification;
    const Class *own = chosen->cls && chosen->cls->form == FORM_SHORT ? chosen->cls : NULL;
    if (!m || !own || !own->modification) return mark_constraint(mods_add(s, strong, m, scope), strong.n);
    Modification *left = NEW(s->arena, Modification);
    *left = *m;
    left->arguments = NEW_ARRAY(s->arena, Argument *, m->n + 1);
    left->n = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (!modifies(own->modification, argument_name(m->arguments[i])))
            left->arguments[left->n++] = m->arguments[i];
    return mark_constraint(mods_add(s, strong, left, scope), strong.n);
}

/* What the original says of `chosen`, which takes its place. */
static Mods constraint_mods(Sema *s, const Decl *decl, Scope *scope, const Decl *chosen, Mods strong)
{
    if (decl->element && decl->element->constraint) return add_constraint(s, strong, decl, scope, chosen);
    if (!decl->declaration) return strong;
    return mark_constraint(mods_add(s, strong, decl->declaration->modification, scope), strong.n);
}

/* A component of the same type: what changes is its size, its variability or its value, which
 * libraries write without 'replaceable'. */
static bool keeps_type(const Decl *a, const Decl *b)
{
    const Clause *x = a->declaration && a->element ? a->element->clause : NULL;
    const Clause *y = b->declaration && b->element ? b->element->clause : NULL;
    return x && y && x->type.at[x->type.n - 1] == y->type.at[y->type.n - 1];
}

static void not_replaceable(Sema *s, Scope *scope, Span span, const Decl *old, const Decl *decl)
{
    Note *note = (keeps_type(old, decl) ? sema_lenient : sema_error)(
        s, scope, E_NOT_REPLACEABLE, span, "'%s' is not replaceable", name_text(decl->name));
    diag_label(s->diag, note, decl_span(old), "it is declared here");
    diag_hint(s->diag, note, "write 'replaceable' in front of that declaration to allow this");
}

static bool is_replaceable(const Decl *decl)
{
    return decl->element && decl->element->flags & IS_REPLACEABLE;
}

static bool is_constant(const Decl *decl)
{
    return decl->declaration && decl->element->clause->variability == VARIABILITY_CONSTANT;
}

static void constant_redeclared(Sema *s, Scope *scope, Span span, Name name, Span declared)
{
    Note *note = sema_error(s, scope, E_NOT_REPLACEABLE, span, "'%s' is a constant, and cannot be redeclared",
                            name_text(name));
    diag_label(s->diag, note, declared, "it is declared here");
    diag_hint(s->diag, note, "a modifier gives it another value: '%s = ...'", name_text(name));
}

/* What a redeclaration made can only be redeclared again if it says 'replaceable' itself, which
 * libraries forget. What a constraining clause says is for all that may stand there. */
static void check_replaceable(Sema *s, const Entry *e, const Decl *old, const Decl *decl, Mods outer,
                              const Mod *by)
{
    Span span = by->argument->span;
    if (!is_replaceable(old)) {
        not_replaceable(s, by->scope, span, old, decl);
        return;
    }
    if (is_constant(old)) constant_redeclared(s, by->scope, span, e->name, decl_span(old));
    for (const Mod *m = by + 1; m < outer.at + outer.n; m++) {
        const Argument *a = m->argument;
        if (a && a->kind == ARGUMENT_ELEMENT && m->depth == 1 && a->element->flags & IS_FINAL) {
            Note *note = sema_error(s, by->scope, E_FINAL, span, "'%s' is final", name_text(e->name));
            diag_label(s->diag, note, a->span, "made final here");
            return;
        }
        if (!a || a->kind != ARGUMENT_ELEMENT || m->depth != 1 || m->scope == by->scope || m->is_constraint ||
            a->element->flags & IS_REPLACEABLE)
            continue;
        Note *note = sema_lenient(s, by->scope, E_NOT_REPLACEABLE, span,
                                  "'%s' has been redeclared without 'replaceable' before, and is again here",
                                  name_text(e->name));
        diag_label(s->diag, note, a->span, "the redeclaration that this one takes the place of");
        return;
    }
}

/* What redeclares is not final or constant, and the extends clause does not modify it as well
 * (7.3). */
static void check_redeclared_element(Sema *s, Scope *scope, const Decl *decl, const Decl *old)
{
    Span span = decl_span(decl);
    if (old->element && old->element->flags & IS_FINAL) {
        Note *note = sema_error(s, scope, E_FINAL, span, "'%s' is final", name_text(decl->name));
        diag_label(s->diag, note, decl_span(old), "declared here");
    } else if (is_constant(old)) {
        constant_redeclared(s, scope, span, decl->name, decl_span(old));
    }
    for (uint32_t i = 0; i < scope->n; i++) {
        if (!scope->bases[i] || !modifies(scope->bases[i]->modification, decl->name)) continue;
        Note *note =
            sema_error(s, scope, E_DOUBLE_MODIFIER, span,
                       "'%s' is redeclared here, and modified in the extends clause", name_text(decl->name));
        diag_label(s->diag, note, scope->bases[i]->modification->span, "modified here");
    }
}

/* `redeclare` in the body of a class: of an inherited element that is replaceable. */
static const Decl *check_redeclares(Sema *s, Scope *scope, const Decl *decl, Scope **where)
{
    const Decl *old = NULL;
    if (!decl->element || !(decl->element->flags & IS_REDECLARE) || scope->state == STATE_BUSY) return NULL;
    scope_expand(s, scope);
    for (uint32_t i = 0; !old && i < scope->n; i++)
        if (scope->bases[i]) old = find_decl(s, scope->bases[i], decl->name, where);
    /* reported where it is expanded */
    if (!old && decl->cls && decl->cls->form == FORM_EXTENDS) return NULL;
    if (!old)
        sema_error(s, scope, E_NO_SUCH_ELEMENT, decl_span(decl), "there is no inherited '%s' to redeclare",
                   name_text(decl->name));
    else if (!is_replaceable(old) && !(old->element && old->element->flags & IS_REDECLARE))
        not_replaceable(s, scope, decl_span(decl), old, decl);
    else
        check_redeclared_element(s, scope, decl, old);
    return old;
}

static void redeclare_entry(Sema *s, Entry *e, Decl *old, Scope *scope, Mods outer, const Mod *by)
{
    uint32_t before = (uint32_t)(by - outer.at);
    Decl *decl = decl_of_argument(s, by->argument);
    check_replaceable(s, e, old, decl, outer, by);
    if (!decl->cls != !old->cls) {
        Note *note = sema_error(s, by->scope, E_NOT_REPLACEABLE, by->argument->span,
                                "'%s' is a %s, and cannot become a %s", name_text(e->name),
                                old->cls ? "class" : "component", decl->cls ? "class" : "component");
        diag_label(s->diag, note, decl_span(old), "it is declared here");
        decl = old;
    }
    e->replaced = old;
    e->replaced_scope = scope;
    e->redeclared_at = by->argument->span;
    if (e->owner->index == 0) vec_push(s->arena, &s->redeclared, e);
    e->decl = decl;
    e->scope = by->scope;
    e->mods = (Mods){ outer.at, before };
    if (decl->declaration) e->mods = mods_add(s, e->mods, decl->declaration->modification, by->scope);
    e->mods = mods_join(s, e->mods, (Mods){ outer.at + before + 1, outer.n - before - 1 });
    e->mods = constraint_mods(s, old, scope, decl, e->mods);
    uint8_t own = decl->element ? decl->element->flags : 0;
    e->flags =
        (uint8_t)(own | (old->element ? old->element->flags & (IS_PROTECTED | IS_INNER | IS_OUTER) : 0));
}

/* Whether it is said of just this element, not of one around it. */
static bool mod_is_final(const Mod *m)
{
    if (!m->is_final || !mod_is_whole(m) || !m->argument) return false;
    bool redeclares = m->argument->kind == ARGUMENT_ELEMENT;
    return m->argument->flags & IS_FINAL || (redeclares && m->argument->element->flags & IS_FINAL);
}

/* What is final may not be modified by anything stronger. */
static void check_final(Sema *s, const Entry *e, const Decl *decl, uint32_t outer)
{
    uint32_t final_at = decl->element && decl->element->flags & IS_FINAL ? outer : UINT32_MAX;
    for (uint32_t i = 0; i < e->mods.n && i < final_at; i++)
        if (mod_is_final(&e->mods.at[i])) final_at = i;
    if (final_at == 0 || final_at == UINT32_MAX) return;
    Note *note = sema_error(s, e->mods.at[0].scope, E_FINAL, mod_span(&e->mods.at[0]), "'%s' is final",
                            name_text(e->name));
    if (final_at < outer)
        diag_label(s->diag, note, mod_span(&e->mods.at[final_at]), "made final here");
    else
        diag_label(s->diag, note, decl_span(decl), "declared here");
}

static Entry *make_entry(Sema *s, Inst *inst, Name name, Scope *scope, Decl *decl)
{
    Entry *e = NEW(s->arena, Entry);
    Mods outer = mods_select(s, scope->mods, name);
    const Mod *by = mods_redeclare(outer);
    e->name = name;
    e->owner = inst;
    e->var = NONE;
    Scope *where = NULL;
    const Decl *old = check_redeclares(s, scope, decl, &where);
    if (by) {
        redeclare_entry(s, e, decl, scope, outer, by);
    } else {
        e->decl = decl;
        e->scope = scope;
        e->mods = decl->declaration ? mods_add(s, outer, decl->declaration->modification, scope) : outer;
        if (decl->element && decl->element->constraint)
            e->mods = add_constraint(s, e->mods, decl, scope, decl);
        e->flags = decl->element ? decl->element->flags : 0;
        if (old && !old->declaration == !decl->declaration) {
            e->replaced = old;
            e->replaced_scope = where;
            e->redeclared_at = decl_span(decl);
            if (inst->index == 0) vec_push(s->arena, &s->redeclared, e);
        } else if (decl->element && decl->element->constraint && inst->index == 0) {
            vec_push(s->arena, &s->constrained, e);
        }
    }
    e->kind = e->decl->cls ? ENTRY_CLASS : ENTRY_COMPONENT;
    if (inst->index == 0) check_final(s, e, decl, outer.n);
    for (const Scope *p = scope; p; p = p->derived)
        if (p->is_protected) e->flags |= IS_PROTECTED;
    return e;
}

Entry *inst_entry(Sema *s, Inst *inst, Name name)
{
    Entry *e = map_pointer(&inst->names, name);
    if (e) return e;
    Scope *scope;
    Decl *decl = find_decl(s, inst->own, name, &scope);
    if (!decl) return NULL;
    e = make_entry(s, inst, name, scope, decl);
    map_set_pointer(&inst->names, name, e);
    return e;
}

/* An inner class has all that the outer one, which stands for it, promises (5.4). */
static void check_inner_class(Sema *s, const Entry *outer, const Entry *inner)
{
    Inst *want = inst_resolved(s, inst_new(s, outer->decl->cls, outer->scope, (Mods){ 0 }, NULL));
    if (want->base == BASE_POISON || inst_resolved(s, inner->cls)->base == BASE_POISON) return;
    bool same = want->root || inner->cls->root
                    ? want->base == inner->cls->base
                    : (want->base == BASE_FUNCTION) == (inner->cls->base == BASE_FUNCTION);
    Name missing = NULL;
    inst_list(s, want);
    for (uint32_t i = 0; same && !missing && i < want->comps.n; i++)
        if (!(want->comps.at[i]->flags & IS_PROTECTED) && !inst_entry(s, inner->cls, want->comps.at[i]->name))
            missing = want->comps.at[i]->name;
    if (same && !missing) return;
    Note *note = sema_error(s, inner->scope, E_TYPE_MISMATCH, inner->decl->cls->name_span,
                            missing ? "the inner '%s' has no '%s', which is expected where it is outer"
                                    : "the inner '%s' is of another kind than where it is outer%s",
                            name_text(inner->name), missing ? name_text(missing) : "");
    diag_label(s->diag, note, outer->decl->cls->name_span, "declared as 'outer' here");
}

Inst *entry_class(Sema *s, Entry *e)
{
    bool only_outer = e->flags & IS_OUTER && !(e->flags & IS_INNER) && e->owner->container;
    Entry *inner = !e->cls && only_outer ? lookup_inner(s, e) : NULL;
    if (inner) {
        e->cls = entry_class(s, inner);
        check_inner_class(s, e, inner);
        return e->cls;
    }
    if (!e->cls) e->cls = inst_new(s, e->decl->cls, e->scope, e->mods, e);
    return e->cls;
}

/* A short class of a partial one is partial, whether it says so or not (specification 4.6.1). */
bool inst_is_partial(const Inst *inst)
{
    for (const Scope *p = inst->own; p; p = p->cls->form == FORM_SHORT && p->n ? p->bases[0] : NULL)
        if (p->cls->flags & CLASS_PARTIAL) return true;
    return false;
}

/* ---- what an instance is --------------------------------------------------------------------- */

static uint8_t builtin_base(const Class *cls)
{
    static const struct {
        const char *name;
        uint8_t base;
    } table[] = { { "Real", BASE_REAL },     { "Integer", BASE_INTEGER },       { "Boolean", BASE_BOOLEAN },
                  { "String", BASE_STRING }, { "ExternalObject", BASE_OBJECT }, { "Clock", BASE_CLOCK } };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (str_is(name_str(cls->name), table[i].name)) return table[i].base;
    return BASE_ENUM;
}

static Scope *find_root(Sema *s, Scope *scope)
{
    bool is_predefined = scope->outer == s->builtins && scope->cls->kind != CLASS_FUNCTION;
    if (scope->cls->form == FORM_ENUMERATION || is_predefined) return scope;
    scope_expand(s, scope);
    for (uint32_t i = 0; i < scope->n; i++) {
        Scope *root = scope->bases[i] ? find_root(s, scope->bases[i]) : NULL;
        if (root) return root;
    }
    return NULL;
}

/* A record, or a connector or type that is short for one. */
static bool is_record(const Inst *inst)
{
    const Scope *scope = inst->own;
    while (scope && scope->cls->kind != CLASS_RECORD && scope->cls->form == FORM_SHORT)
        scope = scope->n ? scope->bases[0] : NULL;
    return scope && scope->cls->kind == CLASS_RECORD;
}

Inst *inst_resolved(Sema *s, Inst *inst)
{
    if (inst->root || inst->base) return inst;
    inst->root = find_root(s, inst->own);
    inst->is_connector = inst->kind == CLASS_CONNECTOR;
    if (inst->base == BASE_POISON) return inst;
    if (inst->root)
        inst->base = inst->root->cls->form == FORM_ENUMERATION ? BASE_ENUM : builtin_base(inst->root->cls);
    else if (is_record(inst))
        inst->base = BASE_RECORD;
    else if (inst->kind == CLASS_FUNCTION)
        inst->base = BASE_FUNCTION;
    else
        inst->base = BASE_CLASS;
    if (inst->base == BASE_OBJECT) inst->root = NULL;
    return inst;
}

/* ---- listing --------------------------------------------------------------------------------- */

/* Both are, say, Real, by whatever name: libraries declare a variable again with another unit. */
static bool same_simple_type(Sema *s, const Entry *e, const Clause *a, Scope *scope, const Clause *b)
{
    if (e->kind != ENTRY_COMPONENT || a->variability != b->variability || a->flow != b->flow) return false;
    Inst *x = lookup_class(s, e->scope, &a->type), *y = lookup_class(s, scope, &b->type);
    x = x ? inst_resolved(s, x) : NULL;
    y = y ? inst_resolved(s, y) : NULL;
    return x && y && x->root && y->root && x->base == y->base && x->base <= BASE_STRING;
}

/* The text without white space. */
static const char *packed_text(Sema *s, Span span)
{
    const Source *source = source_of(s->sources, span);
    Text text = { .arena = s->arena };
    for (uint32_t i = 0; source && i < span.n; i++) {
        char c = source->text.at[span.at - source->base + i];
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r') text_add_char(&text, c);
    }
    return text.n ? text.at : "";
}

static bool same_modification(Sema *s, const Modification *a, const Modification *b)
{
    if (!a || !b || a == b) return a == b;
    return !strcmp(packed_text(s, a->span), packed_text(s, b->span));
}

static bool has_value(const Declaration *d) { return d->modification && d->modification->value; }

/* What is inherited by two ways must be the same: one declaration, or the same type and
 * prefixes. The first one counts. Libraries declare again what they inherit, to give its members
 * other modifiers: that is let pass. */
static void check_same(Sema *s, Scope *scope, const Entry *e, const Element *element, const Declaration *d)
{
    const Element *other = e->decl->element;
    if (other == element || !other || e->scope == scope ||
        (other->flags | element->flags) & (IS_REDECLARE | IS_REPLACEABLE))
        return;
    const Clause *a = other->clause, *b = element->clause;
    const Declaration *first = e->decl->declaration;
    bool typed = e->kind == ENTRY_COMPONENT && a && b && a->type.n && b->type.n;
    bool same = typed && first->subscripts.n + a->subscripts.n == d->subscripts.n + b->subscripts.n &&
                a->type.at[a->type.n - 1] == b->type.at[b->type.n - 1] && a->variability == b->variability &&
                a->causality == b->causality && a->flow == b->flow;
    if (same && same_modification(s, first->modification, d->modification)) return;
    bool by_name = typed && a->type.at[a->type.n - 1] != b->type.at[b->type.n - 1] &&
                   same_simple_type(s, e, a, scope, b);
    bool by_members = same && !has_value(first) && !has_value(d);
    Note *note = (by_name || by_members ? sema_lenient : sema_error)(
        s, scope, E_INHERITED_TWICE, d->span, "'%s' is also declared differently", name_text(d->name));
    diag_label(s->diag, note, decl_span(e->decl), "the other declaration");
}

/* Left out by a scope that extends this one. */
static bool is_left_out(const Scope *scope, Name name)
{
    for (; scope->derived; scope = scope->derived)
        if (is_broken(scope, name)) return true;
    return false;
}

static void list_scope(Sema *s, Inst *inst, Scope *scope)
{
    uint32_t base = 0;
    scope_expand(s, scope);
    const Class *cls = scope->cls;
    if ((cls->form == FORM_SHORT || cls->form == FORM_DER) && scope->bases[0])
        list_scope(s, inst, scope->bases[0]);
    if (cls->form == FORM_EXTENDS && scope->bases[scope->n - 1])
        list_scope(s, inst, scope->bases[scope->n - 1]);
    for (uint32_t i = 0; i < cls->element_count; i++) {
        const Element *element = cls->elements[i];
        if (element->kind == ELEMENT_EXTENDS) {
            Scope *below = scope->bases[base++];
            if (below) list_scope(s, inst, below);
        }
        for (uint32_t k = 0; element->kind == ELEMENT_COMPONENT && k < element->clause->n; k++) {
            Name name = element->clause->declarations[k].name;
            Entry *e = is_left_out(scope, name) ? NULL : inst_entry(s, inst, name);
            if (e) check_same(s, scope, e, element, &element->clause->declarations[k]);
            if (!e || e->is_listed || e->kind != ENTRY_COMPONENT) continue;
            e->is_listed = true;
            vec_push(s->arena, &inst->comps, e);
        }
    }
}

/* ---- modifiers that make no sense ------------------------------------------------------------ */

enum { DEEPEST_PATH = 16 };

/* The argument, this or one inside of it, that gives the element of this path a value. */
static const Argument *value_for(const Argument *a, const Name *path, uint32_t n)
{
    if (a->kind != ARGUMENT_MODIFY || a->name_count > n || !a->modification) return NULL;
    for (uint32_t i = 0; i < a->name_count; i++)
        if (a->names[i] != path[i]) return NULL;
    if (a->name_count == n) return a->modification->value ? a : NULL;
    for (uint32_t i = 0; i < a->modification->n; i++) {
        const Argument *found =
            value_for(a->modification->arguments[i], path + a->name_count, n - a->name_count);
        if (found) return found;
    }
    return NULL;
}

static void modified_twice(Sema *s, const Mod *m, const Argument *a, Name name, const Argument *first)
{
    Note *note =
        sema_error(s, m->scope, E_DOUBLE_MODIFIER, a->span, "'%s' is modified twice", name_text(name));
    diag_label(s->diag, note, first->span, "the first time here");
}

/* Whether `first` gives a value to something that `a`, at the end of a path of n names, gives one,
 * too. */
static void check_pair(Sema *s, const Mod *m, const Argument *first, const Argument *a, Name *path,
                       uint32_t n)
{
    if (a->kind != ARGUMENT_MODIFY || !a->modification || n + a->name_count > DEEPEST_PATH) return;
    for (uint32_t i = 0; i < a->name_count; i++) path[n++] = a->names[i];
    const Argument *same = a->modification->value ? value_for(first, path, n) : NULL;
    if (same) modified_twice(s, m, a, path[n - 1], same);
    for (uint32_t i = 0; i < a->modification->n; i++)
        check_pair(s, m, first, a->modification->arguments[i], path, n);
}

/* Two arguments of one modification that give the same element a value, or redeclare it. */
void mod_check_double(Sema *s, const Mod *m, uint32_t at)
{
    const Argument *a = m->m->arguments[at];
    Name path[DEEPEST_PATH];
    for (uint32_t i = 0; i < at; i++) {
        const Argument *b = m->m->arguments[i];
        if (b->kind != a->kind || argument_name(b) != argument_name(a)) continue;
        if (a->kind == ARGUMENT_ELEMENT)
            modified_twice(s, m, a, argument_name(a), b);
        else
            check_pair(s, m, b, a, path, 0);
    }
}

bool inst_is_in_array(const Inst *inst)
{
    for (; inst && inst->container; inst = inst->container)
        if (inst->entry->own_rank) return true;
    return false;
}

/* 'each' is for the elements of arrays. */
static void check_each(Sema *s, const Inst *inst, const Mod *m, const Argument *a, Entry *e)
{
    bool simple = a->kind == ARGUMENT_MODIFY && a->name_count == 1 && a->flags & IS_EACH;
    if (!simple || e->kind != ENTRY_COMPONENT || m->subs || inst_is_in_array(inst)) return;
    if (!comp_sizes(s, e) || e->disabled || e->type.rank || e->own_rank) return;
    Note *note = sema_lenient(s, m->scope, E_EACH, a->span, "'each' is for arrays, and '%s' is none",
                              name_text(e->name));
    diag_label(s->diag, note, decl_span(e->decl), "declared here");
}

static void no_such_element(Sema *s, const Inst *inst, const Mod *m, const Argument *a, Scope *in)
{
    Name name = argument_name(a);
    Note *note =
        sema_error(s, m->scope, E_NO_SUCH_ELEMENT, a->span, "there is no '%s' in '%s' to %s", name_text(name),
                   name_text(in->cls->name), a->kind == ARGUMENT_BREAK_NAME ? "leave out" : "modify");
    diag_label(s->diag, note, in->cls->name_span, "it would have to be an element of this class");
    hint_nearest(s, note, inst->own, name);
}

/* A modifier must be about something that is there, once. */
static void check_arguments(Sema *s, Inst *inst, const Mod *m)
{
    for (uint32_t i = 0; mod_is_whole(m) && m->m && i < m->m->n; i++) {
        const Argument *a = m->m->arguments[i];
        Name name = argument_name(a);
        if (!name || a->kind == ARGUMENT_BREAK_NAME) continue;
        mod_check_double(s, m, i);
        Entry *e = inst_entry(s, inst, name);
        if (!e) {
            no_such_element(s, inst, m, a, inst->own);
            continue;
        }
        check_each(s, inst, m, a, e);
        bool has_value =
            a->kind == ARGUMENT_MODIFY && a->name_count == 1 && a->modification && a->modification->value;
        if (e->kind == ENTRY_CLASS && has_value) {
            Note *note = sema_error(s, m->scope, E_NOT_A_VALUE, a->span, "'%s' is a class, and has no value",
                                    name_text(name));
            diag_label(s->diag, note, decl_span(e->decl), "declared here");
        }
        if (e->flags & IS_PROTECTED && inst->container) {
            Note *note = sema_error(s, m->scope, E_PROTECTED, a->span, "'%s' is protected", name_text(name));
            diag_label(s->diag, note, decl_span(e->decl), "declared here");
        }
    }
}

/* The same for what an extends clause or a short class says of its base. */
static void check_base_arguments(Sema *s, Inst *inst, Scope *base)
{
    Mod m = { .m = base->modification, .scope = base->derived };
    for (uint32_t i = 0; m.m && i < m.m->n; i++) {
        const Argument *a = m.m->arguments[i];
        Name name = argument_name(a);
        Scope *where;
        if (!name || a->kind == ARGUMENT_BREAK_NAME) continue;
        mod_check_double(s, &m, i);
        if (!find_decl(s, base, name, &where) || is_broken(base, name)) {
            no_such_element(s, inst, &m, a, base);
            continue;
        }
        Entry *e = inst_entry(s, inst, name);
        if (e) check_each(s, inst, &m, a, e);
    }
}

static void check_bases(Sema *s, Inst *inst, Scope *scope)
{
    for (uint32_t i = 0; i < scope->n; i++) {
        Scope *base = scope->bases[i];
        if (!base || base->outer == s->builtins || base->cls->form == FORM_ENUMERATION) continue;
        check_base_arguments(s, inst, base);
        check_bases(s, inst, base);
    }
}

void inst_list(Sema *s, Inst *inst)
{
    if (inst->listed != STATE_NEW) return;
    inst->listed = STATE_BUSY;
    list_scope(s, inst, inst->own);
    const Modification *seen = NULL;
    for (uint32_t i = 0; i < inst->own->mods.n; i++) {
        if (inst->own->mods.at[i].m == seen) continue;
        seen = inst->own->mods.at[i].m;
        if (inst->index == 0) check_arguments(s, inst, &inst->own->mods.at[i]);
    }
    if (inst->index == 0) check_bases(s, inst, inst->own);
    inst->listed = STATE_DONE;
}

/* ---- names for people ------------------------------------------------------------------------ */

static void add_path(Sema *s, const Inst *inst, Text *out)
{
    if (!inst || !inst->container) return;
    add_path(s, inst->container, out);
    if (out->n) text_add_char(out, '.');
    const Entry *e = inst->entry;
    text_add(out, name_str(e->name));
    if (!e->own_rank) return;
    uint32_t at = inst->index, size[16], n = e->own_rank < 16 ? e->own_rank : 16;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t extent = (uint32_t)(e->type.sizes[i] > 0 ? e->type.sizes[i] : 1);
        size[i] = at % extent;
        at /= extent;
    }
    for (uint32_t i = 0; i < n; i++) text_printf(out, "%s%u", i ? "," : "[", size[i] + 1);
    text_add_char(out, ']');
}

const char *inst_path(Sema *s, const Inst *inst)
{
    Text out = { .arena = s->arena };
    text_add_literal(&out, "");
    add_path(s, inst, &out);
    return out.at;
}

const char *entry_path(Sema *s, const Entry *e)
{
    Text out = { .arena = s->arena };
    add_path(s, e->owner, &out);
    if (out.n) text_add_char(&out, '.');
    text_add(&out, name_str(e->name));
    return out.at;
}
