/* equal.c: whether two trees say the same. Spans, and the units that loading adds, do not count.
 * Names have to come from one table. Cost: O(nodes). Tests: tests/syntax/print_test.c. */
#include "syntax/syntax.h"

static bool same_expr(const Expr *a, const Expr *b);
static bool same_class(const Class *a, const Class *b);
static bool same_modification(const Modification *a, const Modification *b);
static bool same_element(const Element *a, const Element *b);

/* Two pointers of which both or none are NULL; true means that there is more to compare. */
static bool both(const void *a, const void *b, bool *same)
{
    *same = !a == !b;
    return a && b;
}

static bool same_names(Name const *a, uint32_t n, Name const *b, uint32_t m)
{
    return n == m && (n == 0 || !memcmp(a, b, n * sizeof *a));
}

static bool same_path(const Path *a, const Path *b)
{
    return a->global == b->global && same_names(a->at, a->n, b->at, b->n);
}

static bool same_exprs(Expr *const *a, uint32_t n, Expr *const *b, uint32_t m)
{
    if (n != m) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!same_expr(a[i], b[i])) return false;
    return true;
}

static bool same_list(Exprs a, Exprs b) { return same_exprs(a.at, a.n, b.at, b.n); }

static bool same_indices(const ForIndex *a, const ForIndex *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i].name != b[i].name || !same_expr(a[i].range, b[i].range)) return false;
    return true;
}

static bool same_ref(const Expr *a, const Expr *b)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (a->parts[i].name != b->parts[i].name ||
            !same_list(a->parts[i].subscripts, b->parts[i].subscripts))
            return false;
    return true;
}

static bool same_expr(const Expr *a, const Expr *b)
{
    bool same;
    if (!both(a, b, &same)) return same;
    if (a->kind != b->kind || a->op != b->op || a->flag != b->flag || a->n != b->n) return false;
    switch ((ExprKind)a->kind) {
    case EXPR_REAL: return a->real == b->real;
    case EXPR_INTEGER: return a->integer == b->integer;
    case EXPR_STRING: return str_equal((Str){ a->text, a->n }, (Str){ b->text, b->n });
    case EXPR_REF: return same_ref(a, b);
    case EXPR_CALL:
    case EXPR_PARTIAL: return same_expr(a->callee, b->callee) && same_exprs(a->items, a->n, b->items, b->n);
    case EXPR_NAMED:
    case EXPR_FIELD: return a->name == b->name && same_expr(a->left, b->left);
    case EXPR_COMPREHENSION: return same_expr(a->left, b->left) && same_indices(a->indices, b->indices, a->n);
    case EXPR_UNARY: return same_expr(a->left, b->left);
    case EXPR_BINARY: return same_expr(a->left, b->left) && same_expr(a->right, b->right);
    case EXPR_CHAIN:
        for (uint32_t i = 0; i + 1 < a->n; i++)
            if (expr_chain_op(a, i) != expr_chain_op(b, i)) return false;
        return same_exprs(a->items, a->n, b->items, b->n);
    case EXPR_SUBSCRIPT:
        return same_expr(a->left, b->left) && same_exprs(a->subscripts, a->n, b->subscripts, b->n);
    case EXPR_IF:
    case EXPR_RANGE:
    case EXPR_ARRAY:
    case EXPR_MATRIX:
    case EXPR_ROW:
    case EXPR_TUPLE: return same_exprs(a->items, a->n, b->items, b->n);
    case EXPR_BOOLEAN:
    case EXPR_OMITTED:
    case EXPR_END:
    case EXPR_COLON:
    case EXPR_BREAK: return true;
    }
    return false;
}

static bool same_comment(const Comment *a, const Comment *b)
{
    bool same;
    if (!both(a, b, &same)) return same;
    return !a->text.at == !b->text.at && str_equal(a->text, b->text) &&
           same_modification(a->annotation, b->annotation);
}

static bool same_stmts(Stmts a, Stmts b);

static bool same_stmt(const Stmt *a, const Stmt *b)
{
    if (a->kind != b->kind || a->n != b->n || a->index_count != b->index_count) return false;
    if (!same_comment(a->comment, b->comment)) return false;
    switch ((StmtKind)a->kind) {
    case STMT_EQUAL:
    case STMT_ASSIGN:
    case STMT_CONNECT: return same_expr(a->left, b->left) && same_expr(a->right, b->right);
    case STMT_CALL: return same_expr(a->left, b->left);
    case STMT_BREAK:
    case STMT_RETURN: return true;
    case STMT_IF:
    case STMT_WHEN:
    case STMT_FOR:
    case STMT_WHILE: break;
    }
    for (uint32_t i = 0; i < a->n; i++)
        if (!same_expr(a->branches[i].condition, b->branches[i].condition) ||
            !same_stmts(a->branches[i].body, b->branches[i].body))
            return false;
    return same_indices(a->indices, b->indices, a->index_count);
}

static bool same_stmts(Stmts a, Stmts b)
{
    if (a.n != b.n) return false;
    for (uint32_t i = 0; i < a.n; i++)
        if (!same_stmt(a.at[i], b.at[i])) return false;
    return true;
}

static bool same_argument(const Argument *a, const Argument *b)
{
    if (a->kind != b->kind || a->flags != b->flags || !same_comment(a->comment, b->comment)) return false;
    if (!same_names(a->names, a->name_count, b->names, b->name_count)) return false;
    switch ((ArgumentKind)a->kind) {
    case ARGUMENT_MODIFY: return same_modification(a->modification, b->modification);
    case ARGUMENT_ELEMENT: return same_element(a->element, b->element);
    case ARGUMENT_BREAK_NAME: return true;
    case ARGUMENT_BREAK_CONNECT: return same_stmt(a->connect, b->connect);
    }
    return false;
}

static bool same_modification(const Modification *a, const Modification *b)
{
    bool same;
    if (!both(a, b, &same)) return same;
    if (a->n != b->n || a->has_arguments != b->has_arguments || !same_expr(a->value, b->value)) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!same_argument(a->arguments[i], b->arguments[i])) return false;
    return true;
}

static bool same_declaration(const Declaration *a, const Declaration *b)
{
    return a->name == b->name && same_list(a->subscripts, b->subscripts) &&
           same_modification(a->modification, b->modification) && same_expr(a->condition, b->condition) &&
           same_comment(a->comment, b->comment);
}

static bool same_clause(const Clause *a, const Clause *b)
{
    if (a->flow != b->flow || a->variability != b->variability || a->causality != b->causality ||
        a->n != b->n)
        return false;
    if (!same_path(&a->type, &b->type) || !same_list(a->subscripts, b->subscripts)) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!same_declaration(&a->declarations[i], &b->declarations[i])) return false;
    return true;
}

static bool same_constraint(const Constraint *a, const Constraint *b)
{
    bool same;
    if (!both(a, b, &same)) return same;
    return same_path(&a->type, &b->type) && same_modification(a->modification, b->modification) &&
           same_comment(a->comment, b->comment);
}

static bool same_import(const Import *a, const Import *b)
{
    return a->kind == b->kind && a->alias == b->alias && same_path(&a->path, &b->path) &&
           same_names(a->names, a->n, b->names, b->n) && same_comment(a->comment, b->comment);
}

static bool same_extends(const Extends *a, const Extends *b)
{
    return same_path(&a->type, &b->type) && same_modification(a->modification, b->modification) &&
           same_modification(a->annotation, b->annotation);
}

static bool same_element(const Element *a, const Element *b)
{
    if (a->kind != b->kind || a->flags != b->flags || !same_constraint(a->constraint, b->constraint))
        return false;
    switch ((ElementKind)a->kind) {
    case ELEMENT_CLASS: return same_class(a->cls, b->cls);
    case ELEMENT_COMPONENT: return same_clause(a->clause, b->clause);
    case ELEMENT_EXTENDS: return same_extends(a->extends, b->extends);
    case ELEMENT_IMPORT: return same_import(a->import, b->import);
    }
    return false;
}

static bool same_external(const External *a, const External *b)
{
    bool same;
    if (!both(a, b, &same)) return same;
    return str_equal(a->language, b->language) && a->written == b->written &&
           same_expr(a->result, b->result) && a->function == b->function &&
           same_list(a->arguments, b->arguments) && same_modification(a->annotation, b->annotation);
}

static bool same_literals(const Class *a, const Class *b)
{
    if (a->any_literals != b->any_literals || a->literal_count != b->literal_count) return false;
    for (uint32_t i = 0; i < a->literal_count; i++)
        if (a->literals[i].name != b->literals[i].name ||
            !same_comment(a->literals[i].comment, b->literals[i].comment))
            return false;
    return true;
}

static bool same_composition(const Class *a, const Class *b)
{
    if (a->element_count != b->element_count || a->section_count != b->section_count) return false;
    for (uint32_t i = 0; i < a->element_count; i++)
        if (!same_element(a->elements[i], b->elements[i])) return false;
    for (uint32_t i = 0; i < a->section_count; i++) {
        const Section *s = a->sections[i], *t = b->sections[i];
        if (s->is_algorithm != t->is_algorithm || s->is_initial != t->is_initial ||
            !same_stmts(s->body, t->body))
            return false;
    }
    return same_external(a->external, b->external);
}

static bool same_class(const Class *a, const Class *b)
{
    return a->name == b->name && a->kind == b->kind && a->form == b->form && a->flags == b->flags &&
           a->is_final == b->is_final && a->causality == b->causality &&
           same_comment(a->comment, b->comment) && same_path(&a->base, &b->base) &&
           same_path(&a->variables, &b->variables) && same_list(a->subscripts, b->subscripts) &&
           same_modification(a->modification, b->modification) && same_literals(a, b) &&
           same_composition(a, b);
}

bool syntax_equal(const Tree *a, const Tree *b)
{
    if (a->has_within != b->has_within || !same_path(&a->within, &b->within) || a->n != b->n) return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (!same_class(a->classes[i], b->classes[i])) return false;
    return true;
}
