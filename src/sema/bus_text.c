/* bus_text.c: which members of expandable connectors the text of a class names outside of
 * connections.
 *
 * In: an instance. Out: each reference bus.member in its equations, algorithms, values and
 * modifiers, where bus is an expandable connector of the instance. How: the text is walked; what a
 * member declared in a bus is used for does not matter, only that it must be there. Cost: linear in
 * the text. Tests: tests/modelica/expandable.mo. */
#include "sema/inside.h"

typedef struct {
    Sema *s;
    Inst *inst;
    BusReference each;
    void *arg;
} Look;

static void look_at(const Look *l, const Expr *e);

static void look_at_all(const Look *l, Expr *const *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) look_at(l, at[i]);
}

static void look_at_ref(const Look *l, const Expr *ref)
{
    for (uint32_t i = 0; i < ref->n; i++)
        look_at_all(l, ref->parts[i].subscripts.at, ref->parts[i].subscripts.n);
    if (ref->n < 2) return;
    Entry *bus = inst_entry(l->s, l->inst, ref->parts[0].name);
    if (!bus || bus->kind != ENTRY_COMPONENT || bus->flags & IS_OUTER || comp_is_open(bus) ||
        !comp_sizes(l->s, bus) || bus->disabled)
        return;
    for (uint32_t k = 0; k < bus->count; k++)
        if (bus->elements[k]->flags & CLASS_EXPANDABLE)
            l->each(l->arg, bus->elements[k], ref->parts[1].name, ref->span);
}

static void look_at(const Look *l, const Expr *e)
{
    switch ((ExprKind)e->kind) {
    case EXPR_REF: look_at_ref(l, e); break;
    case EXPR_CALL:
    case EXPR_PARTIAL:
    case EXPR_CHAIN:
    case EXPR_IF:
    case EXPR_RANGE:
    case EXPR_ARRAY:
    case EXPR_MATRIX:
    case EXPR_ROW:
    case EXPR_TUPLE: look_at_all(l, e->items, e->n); break;
    case EXPR_NAMED:
    case EXPR_COMPREHENSION:
    case EXPR_UNARY:
    case EXPR_FIELD: look_at(l, e->left); break;
    case EXPR_BINARY:
        look_at(l, e->left);
        look_at(l, e->right);
        break;
    case EXPR_SUBSCRIPT:
        look_at(l, e->left);
        look_at_all(l, e->subscripts, e->n);
        break;
    default: break;
    }
}

static void look_at_body(const Look *l, const Stmts *body)
{
    for (uint32_t i = 0; i < body->n; i++) {
        const Stmt *st = body->at[i];
        if (st->kind == STMT_CONNECT || st->kind == STMT_BREAK || st->kind == STMT_RETURN) continue;
        if (st->kind == STMT_EQUAL || st->kind == STMT_ASSIGN || st->kind == STMT_CALL) look_at(l, st->left);
        if (st->kind == STMT_EQUAL || st->kind == STMT_ASSIGN) look_at(l, st->right);
        if (st->kind == STMT_EQUAL || st->kind == STMT_ASSIGN || st->kind == STMT_CALL) continue;
        for (uint32_t k = 0; k < st->n; k++) {
            if (st->branches[k].condition) look_at(l, st->branches[k].condition);
            look_at_body(l, &st->branches[k].body);
        }
    }
}

static void look_at_modification(const Look *l, const Modification *m)
{
    if (!m) return;
    if (m->value) look_at(l, m->value);
    for (uint32_t i = 0; i < m->n; i++)
        if (m->arguments[i]->kind == ARGUMENT_MODIFY) look_at_modification(l, m->arguments[i]->modification);
}

static void look_at_scope(const Look *l, Scope *scope)
{
    const Class *cls = scope->cls;
    scope_expand(l->s, scope);
    for (uint32_t i = 0; i < scope->n; i++)
        if (scope->bases[i]) look_at_scope(l, scope->bases[i]);
    for (uint32_t i = 0; i < cls->section_count; i++) look_at_body(l, &cls->sections[i]->body);
    for (uint32_t i = 0; i < cls->element_count; i++) {
        const Clause *clause = cls->elements[i]->kind == ELEMENT_COMPONENT ? cls->elements[i]->clause : NULL;
        for (uint32_t k = 0; clause && k < clause->n; k++)
            look_at_modification(l, clause->declarations[k].modification);
    }
}

void each_bus_reference(Sema *s, Inst *inst, BusReference each, void *arg)
{
    Look l = { s, inst, each, arg };
    bool any = false;
    for (uint32_t i = 0; i < inst->comps.n && !any; i++) {
        Entry *e = inst->comps.at[i];
        any = e->cls && e->size_state == STATE_DONE && e->count && e->elements &&
              e->elements[0]->flags & CLASS_EXPANDABLE;
    }
    if (any) look_at_scope(&l, inst->own);
}
