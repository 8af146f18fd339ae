/* parse_stmt.c: the productions of equations and statements. They differ in their simple forms
 * only; if, for and when are the same for both, with a body of the same sort. Tests:
 * tests/syntax/parse_test.c, recover_test.c. */
#include "syntax/inside.h"

/* [ initial ] ( equation | algorithm ), public, protected, external, annotation: what ends a list
 * of equations. */
bool starts_section(Parser *p)
{
    switch ((TokenKind)p->token.kind) {
    case T_EQUATION:
    case T_ALGORITHM:
    case T_PUBLIC:
    case T_PROTECTED:
    case T_EXTERNAL:
    case T_ANNOTATION: return true;
    case T_INITIAL: return parser_peek(p)->kind == T_EQUATION || parser_peek(p)->kind == T_ALGORITHM;
    default: return false;
    }
}

static bool ends_block(Parser *p)
{
    switch ((TokenKind)p->token.kind) {
    case T_END:
    case T_ELSE:
    case T_ELSEIF:
    case T_ELSEWHEN:
    case T_END_OF_FILE: return true;
    default: return starts_section(p);
    }
}

static Stmt *stmt_new(Parser *p, StmtKind kind, uint32_t start)
{
    Stmt *s = NEW(p->arena, Stmt);
    s->kind = (uint8_t)kind;
    s->span.at = start;
    return s;
}

/* An 'end' that should be here is not: says so, and leaves what is here to the constructs
 * around. */
void report_missing_end(Parser *p, const char *what, Span opened)
{
    if (parser_is(p, T_BAD)) return;
    const Token *next = parser_peek(p);
    const char *found = token_text((TokenKind)p->token.kind);
    if (parser_is(p, T_END) && (next->kind <= T_IDENT))
        found = arena_printf(p->reader->scratch, "'end %s'", name_text(next->name));
    p->closed_early = true;
    if (parser_is(p, T_END_OF_FILE) && p->ended) return;
    p->ended = parser_is(p, T_END_OF_FILE);
    Note *note = diag_add(p->diag, E_END_MISSING, p->token.span, "expected %s, found %s", what, found);
    diag_label(p->diag, note, opened, "this is still open");
}

/* end ( if | for | when | while ) */
static void parse_end(Parser *p, TokenKind opener, Span opened)
{
    static const TokenKind closable[] = { T_IF, T_FOR, T_WHEN, T_WHILE };
    p->open[opener]--;
    TokenKind next = parser_is(p, T_END) ? (TokenKind)parser_peek(p)->kind : T_BAD;
    bool is_slip = false; /* another construct's end, where none such is open */
    if (next != opener) {
        const char *word = token_text(opener); /* in quotes */
        const char *what = arena_printf(p->reader->scratch, "'end %.*s'", (int)strlen(word) - 2, word + 1);
        for (size_t i = 0; i < COUNT_OF(closable); i++) is_slip |= next == closable[i] && !p->open[next];
        report_missing_end(p, what, opened);
        if (!is_slip) return;
    }
    p->closed_early = false;
    parser_advance(p);
    parser_advance(p);
}

/* if/when expression then body { elseif/elsewhen expression then body } [ else body ] end
 * if/when */
static Stmt *parse_branches(Parser *p, StmtKind kind, bool in_algorithm)
{
    TokenKind opener = (TokenKind)p->token.kind, again = kind == STMT_IF ? T_ELSEIF : T_ELSEWHEN;
    Span opened = p->token.span;
    Stmt *s = stmt_new(p, kind, opened.at);
    uint32_t begin = parser_begin(p);
    p->open[opener]++;
    do {
        Branch branch;
        parser_advance(p);
        branch.condition = parse_expression(p);
        parser_expect(p, T_THEN, "'then' after the condition");
        branch.body = parse_block(p, in_algorithm);
        parser_push(p, &branch, sizeof branch);
    } while (parser_is(p, again));
    if (kind == STMT_IF && parser_accept(p, T_ELSE)) {
        Branch branch = { .body = parse_block(p, in_algorithm) };
        parser_push(p, &branch, sizeof branch);
    }
    s->branches = parser_take(p, begin, sizeof(Branch), &s->n);
    parse_end(p, opener, opened);
    return s;
}

/* for for-indices loop body end for; while expression loop body end while */
static Stmt *parse_loop(Parser *p, StmtKind kind, bool in_algorithm)
{
    TokenKind opener = (TokenKind)p->token.kind;
    Span opened = p->token.span;
    Stmt *s = stmt_new(p, kind, opened.at);
    s->n = 1;
    s->branches = NEW(p->arena, Branch);
    p->open[opener]++;
    parser_advance(p);
    if (kind == STMT_FOR)
        s->indices = parse_for_indices(p, &s->index_count);
    else
        s->branches->condition = parse_expression(p);
    parser_expect(p, T_LOOP, kind == STMT_FOR ? "'loop' after the indices" : "'loop' after the condition");
    s->branches->body = parse_block(p, in_algorithm);
    parse_end(p, opener, opened);
    return s;
}

/* connect-equation: connect "(" component-reference "," component-reference ")" */
Stmt *parse_connect_equation(Parser *p)
{
    Stmt *s = stmt_new(p, STMT_CONNECT, p->token.span.at);
    parser_advance(p);
    parser_expect(p, T_OPEN, "'(' after 'connect'");
    s->left = parse_component_reference(p);
    parser_expect(p, T_COMMA, "',' between the two connectors");
    s->right = parse_component_reference(p);
    parser_expect(p, T_CLOSE, "')' after the second connector");
    return s;
}

/* After a name where '=' or ':=' was expected: if another name follows, a declaration was meant. */
static void report_no_equation(Parser *p, const Expr *left, const char *what, bool in_algorithm)
{
    if (left->kind == EXPR_REF && parser_is(p, T_IDENT)) {
        Note *note =
            parser_fail(p, E_MISPLACED, span_to(left->span, p->token.span),
                        "a declaration may not stand among %s", in_algorithm ? "statements" : "equations");
        diag_hint(p->diag, note, "move it up, or begin a new list of elements with 'public' or 'protected'");
    } else {
        parser_expected(p, what);
    }
}

/* simple-expression [ "=" expression ]; without "=" it has to be a call */
static Stmt *parse_simple_equation(Parser *p)
{
    Stmt *s = stmt_new(p, STMT_EQUAL, p->token.span.at);
    s->left = parse_simple_expression(p);
    if (parser_accept(p, T_EQUALS)) {
        s->right = parse_expression(p);
    } else if (parser_is(p, T_ASSIGN)) {
        Note *note = parser_fail(p, E_MISPLACED, p->token.span, "':=' is for algorithms");
        diag_hint(p->diag, note, "an equation is written with '='");
    } else if (s->left->kind == EXPR_CALL) {
        s->kind = STMT_CALL;
    } else {
        report_no_equation(p, s->left, "'=' in the equation", false);
    }
    return s;
}

/* 'a[1]', a name of flat Modelica for an element. */
static bool is_element(const Expr *e)
{
    if (e->kind != EXPR_REF || e->n != 1) return false;
    Str name = name_str(e->parts[0].name);
    return name.n && memchr(name.at, '[', name.n) != NULL; /* only quotes allow that */
}

/* Arrays of flat Modelica are lists of the names of their elements, which are assigned to by these,
 * as {'a[1]', 'a[2]'} := f(x) and ({'a[1]', 'a[2]'})[i] := x. Nobody but `flatten` writes that. */
static bool is_flat_array(const Expr *e)
{
    if (e->kind == EXPR_SUBSCRIPT) return is_flat_array(e->left);
    if (e->kind == EXPR_TUPLE && e->n == 1) return is_flat_array(e->items[0]);
    for (uint32_t i = 0; e->kind == EXPR_ARRAY && i < e->n; i++)
        if (!is_element(e->items[i]) && !is_flat_array(e->items[i])) return false;
    return e->kind == EXPR_ARRAY;
}

static bool is_assignable(const Expr *e)
{
    if (e->kind == EXPR_REF || is_flat_array(e)) return true;
    for (uint32_t i = 0; e->kind == EXPR_TUPLE && i < e->n; i++) {
        const Expr *item = e->items[i];
        if (item->kind != EXPR_REF && item->kind != EXPR_OMITTED && !is_flat_array(item)) return false;
    }
    return e->kind == EXPR_TUPLE;
}

/* component-reference ":=" expression | component-reference function-call-args
 * | "(" output-expression-list ")" ":=" component-reference function-call-args */
static Stmt *parse_simple_statement(Parser *p)
{
    Stmt *s = stmt_new(p, STMT_ASSIGN, p->token.span.at);
    s->left = parse_simple_expression(p);
    if (parser_is(p, T_ASSIGN)) {
        if (!is_assignable(s->left)) {
            parser_fail(p, E_MISPLACED, s->left->span, "only variables can be assigned to");
            return s;
        }
        parser_advance(p);
        s->right = parse_expression(p);
        if (s->left->kind == EXPR_TUPLE && s->right->kind != EXPR_CALL && !parser_is(p, T_BAD))
            parser_fail(p, E_MISPLACED, s->right->span,
                        "several variables can only be assigned from a function call");
    } else if (parser_is(p, T_EQUALS)) {
        Note *note = parser_fail(p, E_MISPLACED, p->token.span, "'=' is for equations");
        diag_hint(p->diag, note, "an assignment is written with ':='");
    } else if (s->left->kind == EXPR_CALL) {
        s->kind = STMT_CALL;
    } else {
        report_no_equation(p, s->left, "':=' in the assignment", true);
    }
    return s;
}

static Stmt *parse_word(Parser *p, StmtKind kind)
{
    Stmt *s = stmt_new(p, kind, p->token.span.at);
    parser_advance(p);
    return s;
}

/* Says that this kind of statement is not for this kind of section; it is parsed all the same. */
static void check_place(Parser *p, bool in_algorithm)
{
    TokenKind kind = (TokenKind)p->token.kind;
    bool for_algorithms = kind == T_WHILE || kind == T_BREAK || kind == T_RETURN;
    if (for_algorithms != in_algorithm)
        diag_add(p->diag, E_MISPLACED, p->token.span, "%s is for %s", token_text(kind),
                 for_algorithms ? "algorithms" : "equations");
}

/* some-equation, statement: without the description */
Stmt *parse_stmt(Parser *p, bool in_algorithm)
{
    switch ((TokenKind)p->token.kind) {
    case T_IF: return parse_branches(p, STMT_IF, in_algorithm);
    case T_WHEN: return parse_branches(p, STMT_WHEN, in_algorithm);
    case T_FOR: return parse_loop(p, STMT_FOR, in_algorithm);
    case T_WHILE: check_place(p, in_algorithm); return parse_loop(p, STMT_WHILE, in_algorithm);
    case T_BREAK: check_place(p, in_algorithm); return parse_word(p, STMT_BREAK);
    case T_RETURN: check_place(p, in_algorithm); return parse_word(p, STMT_RETURN);
    case T_CONNECT: check_place(p, in_algorithm); return parse_connect_equation(p);
    default: return in_algorithm ? parse_simple_statement(p) : parse_simple_equation(p);
    }
}

/* { some-equation ";" } or { statement ";" } */
Stmts parse_block(Parser *p, bool in_algorithm)
{
    uint32_t begin = parser_begin(p);
    Stmts list = { 0 };
    if (parser_enter(p)) {
        while (!parser_is(p, T_BAD) && !ends_block(p)) {
            if (starts_afresh((TokenKind)p->token.kind)) {
                parser_fail(p, E_MISPLACED, p->token.span, "%s may not stand among %s",
                            token_text((TokenKind)p->token.kind), in_algorithm ? "statements" : "equations");
                parser_skip_item(p);
                continue;
            }
            Stmt *s = parse_stmt(p, in_algorithm);
            s->comment = parse_description(p);
            s->span = parser_span_from(p, s->span.at);
            if (!parser_is(p, T_BAD)) parser_push(p, &s, sizeof s);
            parser_end_item(p, in_algorithm ? "';' after the statement" : "';' after the equation");
        }
    }
    parser_leave(p);
    list.at = parser_take(p, begin, sizeof(Stmt *), &list.n);
    return list;
}
