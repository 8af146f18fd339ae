/* print.c: a tree back to Modelica text.
 *
 * In: a tree. Out: well-formed text that parses to an equal tree (syntax_equal): elements first,
 * then sections, parentheses where precedence needs them, numbers in the shortest form that reads
 * back. Annotations are written in one line, descriptions as one string. Cost: O(nodes). Tests:
 * tests/syntax/print_test.c, and every file of the Modelica Standard Library where it is at
 * hand. */
#include "syntax/syntax.h"

typedef struct {
    Text *out;
    size_t indent;
} Printer;

static void print_class(Printer *p, const Class *cls);
static void print_modification(Printer *p, const Modification *m);
static void print_expr(Printer *p, const Expr *e, int least);
static void print_element(Printer *p, const Element *element);

static void add(Printer *p, const char *text) { text_add(p->out, str_of(text)); }

static void new_line(Printer *p)
{
    text_add_char(p->out, '\n');
    text_add_repeat(p->out, ' ', p->indent);
}

static void print_string(Printer *p, Str text)
{
    static const char special[] = "\"\\\a\b\f\v\r", letters[] = "\"\\abfvr";
    size_t from = 0;
    text_add_char(p->out, '"');
    for (size_t i = 0; i < text.n; i++) {
        const char *at = text.at[i] ? strchr(special, text.at[i]) : NULL;
        if (!at) continue;
        text_add(p->out, (Str){ text.at + from, i - from });
        text_add_char(p->out, '\\');
        text_add_char(p->out, letters[at - special]);
        from = i + 1;
    }
    text_add(p->out, (Str){ text.at + from, text.n - from });
    text_add_char(p->out, '"');
}

static void print_names(Printer *p, Name const *names, uint32_t n, const char *between)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i) add(p, between);
        text_add(p->out, name_str(names[i]));
    }
}

static void print_path(Printer *p, const Path *path)
{
    if (path->global) add(p, ".");
    print_names(p, path->at, path->n, ".");
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* How strongly an expression binds, on the scale of op_precedence: what binds less than its
 * surroundings want is put in parentheses. */
enum { BINDS_LEAST = -2, BINDS_IF = -1, BINDS_RANGE = 0, BINDS_PRIMARY = 100 };

static int binding(const Expr *e)
{
    switch ((ExprKind)e->kind) {
    case EXPR_IF: return BINDS_IF;
    case EXPR_RANGE: return BINDS_RANGE;
    case EXPR_UNARY:
    case EXPR_BINARY: return op_precedence((Op)e->op);
    case EXPR_CHAIN: return op_precedence(expr_chain_op(e, 0));
    default: return BINDS_PRIMARY;
    }
}

static void print_list(Printer *p, Expr *const *items, uint32_t n, const char *between)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i) add(p, between);
        print_expr(p, items[i], BINDS_LEAST);
    }
}

static void print_subscripts(Printer *p, Expr *const *items, uint32_t n)
{
    if (n == 0) return;
    add(p, "[");
    print_list(p, items, n, ", ");
    add(p, "]");
}

static void print_ref(Printer *p, const Expr *e)
{
    if (e->flag) add(p, ".");
    for (uint32_t i = 0; i < e->n; i++) {
        if (i) add(p, ".");
        text_add(p->out, name_str(e->parts[i].name));
        print_subscripts(p, e->parts[i].subscripts.at, e->parts[i].subscripts.n);
    }
}

static void print_indices(Printer *p, const ForIndex *indices, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i) add(p, ", ");
        text_add(p->out, name_str(indices[i].name));
        if (!indices[i].range) continue;
        add(p, " in ");
        print_expr(p, indices[i].range, BINDS_LEAST);
    }
}

static void print_real(Printer *p, double value)
{
    size_t before = p->out->n;
    text_add_real(p->out, value);
    if (!strpbrk(p->out->at + before, ".e")) add(p, ".0"); /* or it would read back as an Integer */
}

static void print_chain(Printer *p, const Expr *e)
{
    int own = binding(e);
    for (uint32_t i = 0; i < e->n; i++) {
        if (i) text_printf(p->out, " %s ", op_text(expr_chain_op(e, i - 1)));
        /* A leading sign needs no parentheses in front of a sum, but anywhere else. */
        bool sign_first = i == 0 && e->items[0]->kind == EXPR_UNARY && binding(e->items[0]) == own &&
                          own != op_precedence(OP_NOT);
        print_expr(p, e->items[i], sign_first ? own : own + 1);
    }
}

static void print_unary(Printer *p, const Expr *e)
{
    add(p, op_text((Op)e->op));
    if (e->op == OP_NOT) add(p, " ");
    print_expr(p, e->left, binding(e) + 1);
}

static void print_binary(Printer *p, const Expr *e)
{
    int own = binding(e);
    print_expr(p, e->left, own + 1);
    /* 4 .^ x needs its spaces: 4.^x would be the Real 4. and another operator. */
    text_printf(p->out, e->op == OP_POWER ? "%s" : " %s ", op_text((Op)e->op));
    print_expr(p, e->right, own + 1);
}

static void print_if_expr(Printer *p, const Expr *e)
{
    for (uint32_t i = 0; i + 1 < e->n; i += 2) {
        add(p, i ? " elseif " : "if ");
        print_expr(p, e->items[i], BINDS_LEAST);
        add(p, " then ");
        print_expr(p, e->items[i + 1], BINDS_LEAST);
    }
    add(p, " else ");
    print_expr(p, e->items[e->n - 1], BINDS_LEAST);
}

static void print_call(Printer *p, const Expr *e)
{
    if (e->kind == EXPR_PARTIAL) add(p, "function ");
    print_ref(p, e->callee);
    add(p, "(");
    print_list(p, e->items, e->n, ", ");
    add(p, ")");
}

static void print_in_brackets(Printer *p, const char *open, const Expr *e, const char *between,
                              const char *close)
{
    add(p, open);
    print_list(p, e->items, e->n, between);
    add(p, close);
}

static void print_bare(Printer *p, const Expr *e)
{
    switch ((ExprKind)e->kind) {
    case EXPR_REAL: print_real(p, e->real); break;
    case EXPR_INTEGER: text_printf(p->out, "%lld", (long long)e->integer); break;
    case EXPR_BOOLEAN: add(p, e->flag ? "true" : "false"); break;
    case EXPR_STRING: print_string(p, (Str){ e->text, e->n }); break;
    case EXPR_REF: print_ref(p, e); break;
    case EXPR_CALL:
    case EXPR_PARTIAL: print_call(p, e); break;
    case EXPR_NAMED:
        text_printf(p->out, "%s = ", name_text(e->name));
        print_expr(p, e->left, BINDS_LEAST);
        break;
    case EXPR_COMPREHENSION:
        print_expr(p, e->left, BINDS_LEAST);
        add(p, " for ");
        print_indices(p, e->indices, e->n);
        break;
    case EXPR_UNARY: print_unary(p, e); break;
    case EXPR_BINARY: print_binary(p, e); break;
    case EXPR_CHAIN: print_chain(p, e); break;
    case EXPR_IF: print_if_expr(p, e); break;
    case EXPR_RANGE:
        for (uint32_t i = 0; i < e->n; i++) {
            if (i) add(p, ":");
            print_expr(p, e->items[i], BINDS_RANGE + 1);
        }
        break;
    case EXPR_ARRAY: print_in_brackets(p, "{", e, ", ", "}"); break;
    case EXPR_MATRIX: print_in_brackets(p, "[", e, "; ", "]"); break;
    case EXPR_ROW: print_in_brackets(p, "", e, ", ", ""); break;
    case EXPR_TUPLE: print_in_brackets(p, "(", e, ", ", ")"); break;
    case EXPR_OMITTED: break;
    case EXPR_SUBSCRIPT:
        if (e->left->kind == EXPR_TUPLE)
            print_expr(p, e->left, BINDS_LEAST);
        else
            print_expr(p, e->left, BINDS_PRIMARY + 1);
        print_subscripts(p, e->subscripts, e->n);
        break;
    case EXPR_FIELD:
        if (e->left->kind == EXPR_TUPLE)
            print_expr(p, e->left, BINDS_LEAST);
        else
            print_expr(p, e->left, BINDS_PRIMARY + 1);
        text_printf(p->out, ".%s", name_text(e->name));
        break;
    case EXPR_END: add(p, "end"); break;
    case EXPR_COLON: add(p, ":"); break;
    case EXPR_BREAK: add(p, "break"); break;
    }
}

static void print_expr(Printer *p, const Expr *e, int least)
{
    bool parentheses = binding(e) < least;
    if (parentheses) add(p, "(");
    print_bare(p, e);
    if (parentheses) add(p, ")");
}

/* ---- modifications --------------------------------------------------------------------------- */

static void print_annotation(Printer *p, const Modification *annotation)
{
    if (!annotation) return;
    add(p, " annotation");
    print_modification(p, annotation);
}

static void print_comment_text(Printer *p, const Comment *comment)
{
    if (!comment || !comment->text.at) return;
    add(p, " ");
    print_string(p, comment->text);
}

static void print_comment(Printer *p, const Comment *comment)
{
    print_comment_text(p, comment);
    if (comment) print_annotation(p, comment->annotation);
}

static void print_connect(Printer *p, const Stmt *s)
{
    add(p, "connect(");
    print_ref(p, s->left);
    add(p, ", ");
    print_ref(p, s->right);
    add(p, ")");
}

static void print_argument(Printer *p, const Argument *a)
{
    uint8_t flags = a->flags;
    if (a->kind == ARGUMENT_ELEMENT && a->element->flags & IS_REDECLARE) add(p, "redeclare ");
    if (flags & IS_EACH) add(p, "each ");
    if (flags & IS_FINAL) add(p, "final ");
    switch ((ArgumentKind)a->kind) {
    case ARGUMENT_MODIFY:
        print_names(p, a->names, a->name_count, ".");
        if (a->modification) print_modification(p, a->modification);
        break;
    case ARGUMENT_ELEMENT: print_element(p, a->element); break;
    case ARGUMENT_BREAK_NAME:
        add(p, "break ");
        print_names(p, a->names, 1, ".");
        break;
    case ARGUMENT_BREAK_CONNECT:
        add(p, "break ");
        print_connect(p, a->connect);
        break;
    }
    print_comment_text(p, a->comment);
}

static void print_modification(Printer *p, const Modification *m)
{
    if (m->has_arguments) {
        add(p, "(");
        for (uint32_t i = 0; i < m->n; i++) {
            if (i) add(p, ", ");
            print_argument(p, m->arguments[i]);
        }
        add(p, ")");
    }
    if (!m->value) return;
    add(p, " = ");
    print_expr(p, m->value, BINDS_LEAST);
}

/* ---- equations and statements ---------------------------------------------------------------- */

static void print_stmt(Printer *p, const Stmt *s);

static void print_block(Printer *p, Stmts body)
{
    p->indent += 2;
    for (uint32_t i = 0; i < body.n; i++) {
        new_line(p);
        print_stmt(p, body.at[i]);
        add(p, ";");
    }
    p->indent -= 2;
}

static void print_branches(Printer *p, const Stmt *s, const char *first, const char *next)
{
    for (uint32_t i = 0; i < s->n; i++) {
        if (i) new_line(p);
        if (s->branches[i].condition) {
            text_printf(p->out, "%s ", i ? next : first);
            print_expr(p, s->branches[i].condition, BINDS_LEAST);
            add(p, " then");
        } else {
            add(p, "else");
        }
        print_block(p, s->branches[i].body);
    }
    new_line(p);
    text_printf(p->out, "end %s", first);
}

static void print_loop(Printer *p, const Stmt *s, const char *word)
{
    text_printf(p->out, "%s ", word);
    if (s->kind == STMT_FOR)
        print_indices(p, s->indices, s->index_count);
    else
        print_expr(p, s->branches[0].condition, BINDS_LEAST);
    add(p, " loop");
    print_block(p, s->branches[0].body);
    new_line(p);
    text_printf(p->out, "end %s", word);
}

static void print_stmt(Printer *p, const Stmt *s)
{
    switch ((StmtKind)s->kind) {
    case STMT_EQUAL:
    case STMT_ASSIGN:
        print_expr(p, s->left, BINDS_RANGE); /* an if-expression may not begin an equation */
        add(p, s->kind == STMT_EQUAL ? " = " : " := ");
        print_expr(p, s->right, BINDS_LEAST);
        break;
    case STMT_CONNECT: print_connect(p, s); break;
    case STMT_CALL: print_expr(p, s->left, BINDS_LEAST); break;
    case STMT_IF: print_branches(p, s, "if", "elseif"); break;
    case STMT_WHEN: print_branches(p, s, "when", "elsewhen"); break;
    case STMT_FOR: print_loop(p, s, "for"); break;
    case STMT_WHILE: print_loop(p, s, "while"); break;
    case STMT_BREAK: add(p, "break"); break;
    case STMT_RETURN: add(p, "return"); break;
    }
    print_comment(p, s->comment);
}

/* ---- elements -------------------------------------------------------------------------------- */

static void print_clause(Printer *p, const Clause *c)
{
    static const char *const flows[] = { "", "flow ", "stream " };
    static const char *const variabilities[] = { "", "discrete ", "parameter ", "constant " };
    static const char *const causalities[] = { "", "input ", "output " };
    text_printf(p->out, "%s%s%s", flows[c->flow], variabilities[c->variability], causalities[c->causality]);
    print_path(p, &c->type);
    print_subscripts(p, c->subscripts.at, c->subscripts.n);
    for (uint32_t i = 0; i < c->n; i++) {
        const Declaration *d = &c->declarations[i];
        text_printf(p->out, "%s%s", i ? ", " : " ", name_text(d->name));
        print_subscripts(p, d->subscripts.at, d->subscripts.n);
        if (d->modification) print_modification(p, d->modification);
        if (d->condition) {
            add(p, " if ");
            print_expr(p, d->condition, BINDS_LEAST);
        }
        print_comment(p, d->comment);
    }
}

static void print_import(Printer *p, const Import *import)
{
    add(p, "import ");
    if (import->kind == IMPORT_RENAMED) text_printf(p->out, "%s = ", name_text(import->alias));
    print_path(p, &import->path);
    if (import->kind == IMPORT_ALL) add(p, ".*");
    if (import->kind == IMPORT_LIST) {
        add(p, ".{");
        print_names(p, import->names, import->n, ", ");
        add(p, "}");
    }
    print_comment(p, import->comment);
}

static void print_extends(Printer *p, const Extends *extends)
{
    add(p, "extends ");
    print_path(p, &extends->type);
    if (extends->modification) print_modification(p, extends->modification);
    print_annotation(p, extends->annotation);
}

static void print_constraint(Printer *p, const Constraint *c)
{
    if (!c) return;
    add(p, " constrainedby ");
    print_path(p, &c->type);
    if (c->modification) print_modification(p, c->modification);
    print_comment(p, c->comment);
}

/* An element after its prefixes redeclare and final, which an argument writes in another order. */
static void print_element(Printer *p, const Element *element)
{
    if (element->flags & IS_INNER) add(p, "inner ");
    if (element->flags & IS_OUTER) add(p, "outer ");
    if (element->flags & IS_REPLACEABLE) add(p, "replaceable ");
    switch ((ElementKind)element->kind) {
    case ELEMENT_CLASS: print_class(p, element->cls); break;
    case ELEMENT_COMPONENT: print_clause(p, element->clause); break;
    case ELEMENT_EXTENDS: print_extends(p, element->extends); break;
    case ELEMENT_IMPORT: print_import(p, element->import); break;
    }
    print_constraint(p, element->constraint);
}

static void print_elements(Printer *p, const Class *cls)
{
    bool is_protected = false;
    for (uint32_t i = 0; i < cls->element_count; i++) {
        const Element *element = cls->elements[i];
        if (is_protected != (bool)(element->flags & IS_PROTECTED)) {
            is_protected = !is_protected;
            p->indent -= 2;
            new_line(p);
            add(p, is_protected ? "protected" : "public");
            p->indent += 2;
        }
        new_line(p);
        if (element->flags & IS_REDECLARE) add(p, "redeclare ");
        if (element->flags & IS_FINAL) add(p, "final ");
        print_element(p, element);
        add(p, ";");
    }
}

/* ---- classes --------------------------------------------------------------------------------- */

static void print_external(Printer *p, const External *external)
{
    new_line(p);
    add(p, "external");
    if (external->written) {
        add(p, " ");
        print_string(p, external->language);
    }
    if (external->result) {
        add(p, " ");
        print_ref(p, external->result);
        add(p, " =");
    }
    if (external->function) {
        text_printf(p->out, " %s(", name_text(external->function));
        print_list(p, external->arguments.at, external->arguments.n, ", ");
        add(p, ")");
    }
    print_annotation(p, external->annotation);
    add(p, ";");
}

static void print_body(Printer *p, const Class *cls)
{
    print_comment_text(p, cls->comment);
    p->indent += 2;
    print_elements(p, cls);
    p->indent -= 2;
    for (uint32_t i = 0; i < cls->section_count; i++) {
        const Section *section = cls->sections[i];
        new_line(p);
        text_printf(p->out, "%s%s", section->is_initial ? "initial " : "",
                    section->is_algorithm ? "algorithm" : "equation");
        print_block(p, section->body);
    }
    p->indent += 2;
    if (cls->external) print_external(p, cls->external);
    if (cls->comment && cls->comment->annotation) {
        new_line(p);
        add(p, "annotation");
        print_modification(p, cls->comment->annotation);
        add(p, ";");
    }
    p->indent -= 2;
    new_line(p);
    text_printf(p->out, "end %s", name_text(cls->name));
}

static void print_enumeration(Printer *p, const Class *cls)
{
    add(p, "enumeration(");
    if (cls->any_literals) add(p, ":");
    for (uint32_t i = 0; i < cls->literal_count; i++) {
        text_printf(p->out, "%s%s", i ? ", " : "", name_text(cls->literals[i].name));
        print_comment(p, cls->literals[i].comment);
    }
    add(p, ")");
}

static void print_short(Printer *p, const Class *cls)
{
    text_printf(p->out, "%s = ", name_text(cls->name));
    if (cls->form == FORM_ENUMERATION) {
        print_enumeration(p, cls);
    } else if (cls->form == FORM_DER) {
        add(p, "der(");
        print_path(p, &cls->base);
        add(p, ", ");
        print_names(p, cls->variables.at, cls->variables.n, ", ");
        add(p, ")");
    } else {
        if (cls->causality) add(p, cls->causality == CAUSALITY_INPUT ? "input " : "output ");
        print_path(p, &cls->base);
        print_subscripts(p, cls->subscripts.at, cls->subscripts.n);
        if (cls->modification) print_modification(p, cls->modification);
    }
    print_comment(p, cls->comment);
}

const char *class_kind_text(unsigned kind)
{
    static const char *const kinds[] = { "class", "model",   "block",    "record",  "connector",
                                         "type",  "package", "function", "operator" };
    return kinds[kind];
}

static void print_class(Printer *p, const Class *cls)
{
    static const struct {
        uint8_t flag;
        const char *text;
    } prefixes[] = {
        { CLASS_ENCAPSULATED, "encapsulated " },
        { CLASS_PARTIAL, "partial " },
        { CLASS_EXPANDABLE, "expandable " },
        { CLASS_PURE, "pure " },
        { CLASS_IMPURE, "impure " },
        { CLASS_IS_OPERATOR, "operator " },
    };
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (cls->flags & prefixes[i].flag) add(p, prefixes[i].text);
    text_printf(p->out, "%s ", class_kind_text(cls->kind));
    if (cls->form == FORM_LONG) {
        text_add(p->out, name_str(cls->name));
        print_body(p, cls);
    } else if (cls->form == FORM_EXTENDS) {
        text_printf(p->out, "extends %s", name_text(cls->name));
        if (cls->modification) print_modification(p, cls->modification);
        print_body(p, cls);
    } else {
        print_short(p, cls);
    }
}

void syntax_print_class(const Class *cls, Text *out)
{
    Printer p = { .out = out };
    print_class(&p, cls);
    add(&p, ";\n");
}

void syntax_print_expr(const Expr *e, Text *out)
{
    Printer p = { .out = out };
    print_expr(&p, e, BINDS_LEAST);
}

void syntax_print(const Tree *tree, Text *out)
{
    Printer p = { .out = out };
    if (tree->has_within) {
        add(&p, tree->within.n ? "within " : "within");
        print_path(&p, &tree->within);
        add(&p, ";\n");
    }
    for (uint32_t i = 0; i < tree->n; i++) {
        if (tree->classes[i]->is_final) add(&p, "final ");
        syntax_print_class(tree->classes[i], out);
    }
}
