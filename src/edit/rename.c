/* rename.c: a component gets another name: where it is declared, and wherever its class names it.
 * Tests: tests/edit/edit_test.c. */
#include "edit/inside.h"

typedef struct {
    Editing *e;
    Name from;
    const char *to;
} Renaming;

static void in_expr(const Renaming *r, const Expr *x);

static void in_exprs(const Renaming *r, Expr *const *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) in_expr(r, at[i]);
}

static void in_ref(const Renaming *r, const Expr *x)
{
    if (!x->flag && x->n && x->parts[0].name == r->from)
        replace(r->e, span_from(r->e, x->parts[0].span), span_end(r->e, x->parts[0].span), r->to);
    for (uint32_t i = 0; i < x->n; i++) in_exprs(r, x->parts[i].subscripts.at, x->parts[i].subscripts.n);
}

static void in_expr(const Renaming *r, const Expr *x)
{
    if (!x) return;
    switch ((ExprKind)x->kind) {
    case EXPR_REF: in_ref(r, x); break;
    case EXPR_CALL:
    case EXPR_PARTIAL:
    case EXPR_CHAIN:
    case EXPR_IF:
    case EXPR_RANGE:
    case EXPR_ARRAY:
    case EXPR_MATRIX:
    case EXPR_ROW:
    case EXPR_TUPLE: in_exprs(r, x->items, x->n); break;
    case EXPR_NAMED:
    case EXPR_UNARY:
    case EXPR_FIELD: in_expr(r, x->left); break;
    case EXPR_BINARY:
        in_expr(r, x->left);
        in_expr(r, x->right);
        break;
    case EXPR_SUBSCRIPT:
        in_expr(r, x->left);
        in_exprs(r, x->subscripts, x->n);
        break;
    case EXPR_COMPREHENSION:
        in_expr(r, x->left);
        for (uint32_t i = 0; i < x->n; i++) in_expr(r, x->indices[i].range);
        break;
    default: break;
    }
}

static void in_modification(const Renaming *r, const Modification *m)
{
    for (uint32_t i = 0; m && i < m->n; i++)
        if (m->arguments[i]->kind == ARGUMENT_MODIFY) in_modification(r, m->arguments[i]->modification);
    if (m) in_expr(r, m->value);
}

static void in_comment(const Renaming *r, const Comment *c)
{
    if (c) in_modification(r, c->annotation);
}

static void in_statements(const Renaming *r, const Stmts *body)
{
    for (uint32_t i = 0; i < body->n; i++) {
        const Stmt *st = body->at[i];
        bool has_branches =
            st->kind == STMT_IF || st->kind == STMT_WHEN || st->kind == STMT_FOR || st->kind == STMT_WHILE;
        for (uint32_t k = 0; has_branches && k < st->n; k++) {
            in_expr(r, st->branches[k].condition);
            in_statements(r, &st->branches[k].body);
        }
        for (uint32_t k = 0; st->kind == STMT_FOR && k < st->index_count; k++)
            in_expr(r, st->indices[k].range);
        if (!has_branches && st->kind != STMT_BREAK && st->kind != STMT_RETURN) {
            in_expr(r, st->left);
            if (st->kind != STMT_CALL) in_expr(r, st->right);
        }
        in_comment(r, st->comment);
    }
}

static void in_elements(const Renaming *r, const Class *cls)
{
    for (uint32_t i = 0; i < cls->element_count; i++) {
        const Element *el = cls->elements[i];
        if (el->kind == ELEMENT_EXTENDS) in_modification(r, el->extends->modification);
        for (uint32_t k = 0; el->kind == ELEMENT_COMPONENT && k < el->clause->n; k++) {
            const Declaration *d = &el->clause->declarations[k];
            in_exprs(r, d->subscripts.at, d->subscripts.n);
            in_modification(r, d->modification);
            in_expr(r, d->condition);
            in_comment(r, d->comment);
        }
        if (el->kind == ELEMENT_COMPONENT) in_exprs(r, el->clause->subscripts.at, el->clause->subscripts.n);
    }
}

void rename_component(Editing *e, const char *name, const char *other)
{
    Declaration *d = find_declaration(e, name, NULL);
    if (!d) {
        fail(e, "there is no component '%s' in this class itself", name);
        return;
    }
    if (find_declaration(e, other, NULL)) {
        fail(e, "there is a '%s' already", other);
        return;
    }
    Renaming r = { e, d->name, other };
    replace(e, span_from(e, d->span), span_end(e, d->span), other);
    in_elements(&r, e->cls);
    for (uint32_t i = 0; i < e->cls->section_count; i++) in_statements(&r, &e->cls->sections[i]->body);
    in_comment(&r, e->cls->comment);
}
