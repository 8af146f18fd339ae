/* parse_expr.c: the productions of expressions.
 *
 * Operators are parsed by precedence rather than by one function for each level of the grammar: the
 * same language, a fifth of the calls. Operators that chain to the left make one EXPR_CHAIN however
 * long it is. Tests: tests/syntax/parse_test.c. */
#include "syntax/inside.h"

enum { BINDS_OR = 1, BINDS_AND, BINDS_NOT, BINDS_RELATION, BINDS_ADD, BINDS_MULTIPLY, BINDS_POWER };

static const struct {
    const char *text;
    int binds;
} operators[OP_COUNT] = {
    [OP_OR] = { "or", BINDS_OR },
    [OP_AND] = { "and", BINDS_AND },
    [OP_NOT] = { "not", BINDS_NOT },
    [OP_LESS] = { "<", BINDS_RELATION },
    [OP_LESS_EQUAL] = { "<=", BINDS_RELATION },
    [OP_GREATER] = { ">", BINDS_RELATION },
    [OP_GREATER_EQUAL] = { ">=", BINDS_RELATION },
    [OP_EQUAL] = { "==", BINDS_RELATION },
    [OP_NOT_EQUAL] = { "<>", BINDS_RELATION },
    [OP_ADD] = { "+", BINDS_ADD },
    [OP_SUBTRACT] = { "-", BINDS_ADD },
    [OP_ADD_EACH] = { ".+", BINDS_ADD },
    [OP_SUBTRACT_EACH] = { ".-", BINDS_ADD },
    [OP_MULTIPLY] = { "*", BINDS_MULTIPLY },
    [OP_DIVIDE] = { "/", BINDS_MULTIPLY },
    [OP_MULTIPLY_EACH] = { ".*", BINDS_MULTIPLY },
    [OP_DIVIDE_EACH] = { "./", BINDS_MULTIPLY },
    [OP_POWER] = { "^", BINDS_POWER },
    [OP_POWER_EACH] = { ".^", BINDS_POWER },
};

const char *op_text(Op op) { return operators[op].text; }
int op_precedence(Op op) { return operators[op].binds; }

/* The binary operator that a token is, plus one; 0 if it is none. */
static const uint8_t token_op[TOKEN_COUNT] = {
    [T_OR] = OP_OR + 1,
    [T_AND] = OP_AND + 1,
    [T_LESS] = OP_LESS + 1,
    [T_LESS_EQUAL] = OP_LESS_EQUAL + 1,
    [T_GREATER] = OP_GREATER + 1,
    [T_GREATER_EQUAL] = OP_GREATER_EQUAL + 1,
    [T_EQUAL_EQUAL] = OP_EQUAL + 1,
    [T_NOT_EQUAL] = OP_NOT_EQUAL + 1,
    [T_PLUS] = OP_ADD + 1,
    [T_MINUS] = OP_SUBTRACT + 1,
    [T_DOT_PLUS] = OP_ADD_EACH + 1,
    [T_DOT_MINUS] = OP_SUBTRACT_EACH + 1,
    [T_STAR] = OP_MULTIPLY + 1,
    [T_SLASH] = OP_DIVIDE + 1,
    [T_DOT_STAR] = OP_MULTIPLY_EACH + 1,
    [T_DOT_SLASH] = OP_DIVIDE_EACH + 1,
    [T_HAT] = OP_POWER + 1,
    [T_DOT_HAT] = OP_POWER_EACH + 1,
};

/* Bytes an expression takes: the second word only where the kind uses it. */
static size_t expr_size(ExprKind kind)
{
    switch (kind) {
    case EXPR_CALL:
    case EXPR_PARTIAL:
    case EXPR_NAMED:
    case EXPR_COMPREHENSION:
    case EXPR_BINARY:
    case EXPR_SUBSCRIPT:
    case EXPR_FIELD: return sizeof(Expr);
    case EXPR_BOOLEAN:
    case EXPR_OMITTED:
    case EXPR_END:
    case EXPR_COLON:
    case EXPR_BREAK: return offsetof(Expr, real);
    default: return offsetof(Expr, right);
    }
}

Expr *expr_new(Parser *p, ExprKind kind, uint32_t start)
{
    Expr *e = arena_alloc(p->arena, expr_size(kind));
    e->kind = (uint8_t)kind;
    e->op = 0;
    e->flag = false;
    e->n = 0;
    e->span = parser_span_from(p, start);
    return e;
}

static Expr *expr_of_items(Parser *p, ExprKind kind, uint32_t start, Exprs items)
{
    Expr *e = expr_new(p, kind, start);
    e->items = items.at;
    e->n = items.n;
    return e;
}

/* ---- strings --------------------------------------------------------------------------------- */

static char escaped_value(char c)
{
    static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
    const char *at = strchr(from, c);
    return c && at ? to[at - from] : c;
}

/* Without backslashes; a byte that is no UTF-8 is a character of Latin-1. */
static Str unescaped(Parser *p, Str raw)
{
    char *value = arena_alloc(p->arena, 2 * raw.n + 1);
    size_t n = 0, step;
    uint32_t code;
    for (size_t i = 0; i < raw.n; i += step) {
        step = raw.at[i] & 0x80 ? utf8_next(raw, i, &code) : 1;
        if (!step) {
            value[n++] = (char)(0xC0 | (raw.at[i] >> 6 & 3));
            value[n++] = (char)(0x80 | (raw.at[i] & 0x3F));
            step = 1;
        } else if (raw.at[i] == '\\' && i + 1 < raw.n && is_escape(raw.at[i + 1])) {
            value[n++] = escaped_value(raw.at[++i]);
        } else {
            memcpy(value + n, raw.at + i, step);
            n += step;
        }
    }
    return (Str){ value, n };
}

/* The value of the current T_STRING, which is taken. Without escapes it is a piece of the
 * source. */
Str parse_string_token(Parser *p)
{
    Str raw = { p->lexer.start + (p->token.span.at - p->lexer.base) + 1, p->token.span.n - 2 };
    if (p->token.has_escapes) raw = unescaped(p, raw);
    parser_advance(p);
    return raw;
}

/* ---- references and calls -------------------------------------------------------------------- */

/* subscript: ":" | expression */
static Expr *parse_subscript(Parser *p)
{
    if (!parser_is(p, T_COLON)) return parse_expression(p);
    uint32_t start = p->token.span.at;
    parser_advance(p);
    return expr_new(p, EXPR_COLON, start);
}

/* array-subscripts: "[" subscript { "," subscript } "]" */
Exprs parse_array_subscripts(Parser *p)
{
    if (!parser_accept(p, T_OPEN_BRACKET)) return (Exprs){ 0 };
    uint32_t begin = parser_begin(p);
    p->brackets++;
    p->subscripts++;
    do parser_push_expr(p, parse_subscript(p));
    while (parser_accept(p, T_COMMA));
    if (parser_expect(p, T_CLOSE_BRACKET, "',' or ']' in the subscripts")) {
        p->brackets--;
        p->subscripts--;
    }
    return parser_take_exprs(p, begin);
}

/* component-reference: [ "." ] IDENT [ array-subscripts ] { "." IDENT [ array-subscripts ] } */
Expr *parse_component_reference(Parser *p)
{
    uint32_t start = p->token.span.at, begin = parser_begin(p), n;
    bool global = parser_accept(p, T_DOT);
    const char *what = "a name";
    do {
        RefPart part = { .span = p->token.span };
        part.name = parse_ident(p, what);
        part.subscripts = parse_array_subscripts(p);
        parser_push(p, &part, sizeof part);
        what = "a name after '.'";
    } while (parser_accept(p, T_DOT));
    RefPart *parts = parser_take(p, begin, sizeof *parts, &n);
    Expr *e = expr_new(p, EXPR_REF, start);
    e->flag = global;
    e->parts = parts;
    e->n = n;
    return e;
}

/* for-indices: for-index { "," for-index } */
/* for-index: IDENT [ in expression ] */
ForIndex *parse_for_indices(Parser *p, uint32_t *n)
{
    uint32_t begin = parser_begin(p);
    do {
        ForIndex index = { .span = p->token.span };
        index.name = parse_ident(p, "the name of the loop's index");
        if (parser_accept(p, T_IN)) index.range = parse_expression(p);
        parser_push(p, &index, sizeof index);
    } while (parser_accept(p, T_COMMA));
    return parser_take(p, begin, sizeof(ForIndex), n);
}

static Expr *make_call(Parser *p, ExprKind kind, uint32_t start, Expr *callee, Exprs arguments)
{
    Expr *call = expr_of_items(p, kind, start, arguments);
    call->callee = callee;
    return call;
}

/* function-partial-application: function type-specifier "(" [ named-arguments ] ")" */
static Expr *parse_partial_application(Parser *p)
{
    uint32_t start = p->token.span.at;
    parser_advance(p);
    Expr *callee = parse_component_reference(p);
    if (!parser_expect(p, T_OPEN, "'(' after the function's name")) return callee;
    Exprs arguments = parse_function_arguments(p);
    for (uint32_t i = 0; i < arguments.n; i++)
        if (arguments.at[i]->kind != EXPR_NAMED) {
            if (!parser_is(p, T_BAD))
                parser_fail(p, E_MISPLACED, arguments.at[i]->span,
                            "a function given as an argument takes named arguments only");
            break;
        }
    return make_call(p, EXPR_PARTIAL, start, callee, arguments);
}

/* function-argument: function-partial-application | expression */
static Expr *parse_function_argument(Parser *p)
{
    return parser_is(p, T_FUNCTION) ? parse_partial_application(p) : parse_expression(p);
}

/* named-argument: IDENT "=" function-argument */
static Expr *parse_named_argument(Parser *p)
{
    uint32_t start = p->token.span.at;
    Name name = parse_ident(p, "the name of an argument");
    parser_advance(p);
    Expr *value = parse_function_argument(p);
    Expr *e = expr_new(p, EXPR_NAMED, start);
    e->name = name;
    e->left = value;
    return e;
}

/* expression for for-indices */
static Expr *parse_comprehension(Parser *p, Expr *body)
{
    uint32_t n;
    parser_advance(p);
    ForIndex *indices = parse_for_indices(p, &n);
    Expr *e = expr_new(p, EXPR_COMPREHENSION, body->span.at);
    e->left = body;
    e->indices = indices;
    e->n = n;
    return e;
}

/* function-arguments ")", after the opening parenthesis: expression [ ","
 * function-arguments-non-first | for for-indices ] | partial application ... | named-arguments */
Exprs parse_function_arguments(Parser *p)
{
    uint32_t begin = parser_begin(p);
    bool any_named = false;
    if (parser_accept(p, T_CLOSE)) return (Exprs){ 0 };
    do {
        bool named = parser_is(p, T_IDENT) && parser_peek(p)->kind == T_EQUALS;
        if (any_named && !named && !parser_is(p, T_BAD)) {
            parser_fail(p, E_MISPLACED, p->token.span, "a positional argument may not follow a named one");
            break;
        }
        any_named |= named;
        Expr *e = named ? parse_named_argument(p) : parse_function_argument(p);
        if (parser_is(p, T_FOR) && p->stack.n == begin && !named) e = parse_comprehension(p, e);
        parser_push_expr(p, e);
    } while (parser_accept(p, T_COMMA));
    parser_expect(p, T_CLOSE, "',' or ')' in the arguments");
    return parser_take_exprs(p, begin);
}

/* ( component-reference | der | initial | pure ) [ function-call-args ] */
static Expr *parse_reference_or_call(Parser *p)
{
    uint32_t start = p->token.span.at;
    Expr *callee;
    if (parser_is(p, T_IDENT) || parser_is(p, T_DOT)) {
        callee = parse_component_reference(p);
        if (!parser_is(p, T_OPEN)) return callee;
    } else {
        RefPart *part = NEW(p->arena, RefPart);
        *part = (RefPart){ .name = p->token.name, .span = p->token.span };
        parser_advance(p);
        callee = expr_new(p, EXPR_REF, start);
        callee->parts = part;
        callee->n = 1;
    }
    if (!parser_expect(p, T_OPEN, "'(' with the arguments")) return callee;
    Exprs arguments = parse_function_arguments(p);
    return make_call(p, EXPR_CALL, start, callee, arguments);
}

/* ---- arrays and parentheses ------------------------------------------------------------------ */

/* "{" array-arguments "}" */
static Expr *parse_array(Parser *p)
{
    uint32_t start = p->token.span.at, begin = parser_begin(p);
    parser_advance(p);
    if (!parser_is(p, T_CLOSE_BRACE)) {
        do {
            Expr *e = parse_expression(p);
            if (parser_is(p, T_FOR) && p->stack.n == begin) e = parse_comprehension(p, e);
            parser_push_expr(p, e);
        } while (parser_accept(p, T_COMMA));
    }
    parser_expect(p, T_CLOSE_BRACE, "',' or '}' in the array");
    Exprs items = parser_take_exprs(p, begin);
    return expr_of_items(p, EXPR_ARRAY, start, items);
}

/* expression-list: expression { "," expression } */
static Expr *parse_row(Parser *p)
{
    uint32_t start = p->token.span.at, begin = parser_begin(p);
    do parser_push_expr(p, parse_expression(p));
    while (parser_accept(p, T_COMMA));
    Exprs items = parser_take_exprs(p, begin);
    return expr_of_items(p, EXPR_ROW, start, items);
}

/* "[" expression-list { ";" expression-list } "]" */
static Expr *parse_matrix(Parser *p)
{
    uint32_t start = p->token.span.at, begin = parser_begin(p);
    parser_advance(p);
    p->brackets++;
    do parser_push_expr(p, parse_row(p));
    while (parser_accept(p, T_SEMICOLON));
    if (parser_expect(p, T_CLOSE_BRACKET, "',', ';' or ']' in the matrix")) p->brackets--;
    Exprs rows = parser_take_exprs(p, begin);
    return expr_of_items(p, EXPR_MATRIX, start, rows);
}

/* "(" output-expression-list ")" */
/* output-expression-list: [ expression ] { "," [ expression ] } */
Expr *parse_output_expression_list(Parser *p)
{
    uint32_t start = p->token.span.at, begin = parser_begin(p);
    bool tuple = false;
    parser_advance(p);
    for (;;) {
        bool omitted = parser_is(p, T_COMMA) || parser_is(p, T_CLOSE);
        tuple |= omitted;
        parser_push_expr(p, omitted ? expr_new(p, EXPR_OMITTED, p->token.span.at) : parse_expression(p));
        if (!parser_accept(p, T_COMMA)) break;
        tuple = true;
    }
    parser_expect(p, T_CLOSE, "',' or ')'");
    Exprs items = parser_take_exprs(p, begin);
    if (tuple) return expr_of_items(p, EXPR_TUPLE, start, items);
    return items.at[0];
}

/* "(" output-expression-list ")" [ array-subscripts | "." IDENT ] */
static Expr *parse_parenthesis(Parser *p)
{
    uint32_t start = p->token.span.at;
    Expr *inner = parse_output_expression_list(p), *e = inner;
    if (parser_is(p, T_OPEN_BRACKET)) {
        Exprs subscripts = parse_array_subscripts(p);
        e = expr_new(p, EXPR_SUBSCRIPT, start);
        e->left = inner;
        e->subscripts = subscripts.at;
        e->n = subscripts.n;
    } else if (parser_accept(p, T_DOT)) {
        Name name = parse_ident(p, "a name after '.'");
        e = expr_new(p, EXPR_FIELD, start);
        e->left = inner;
        e->name = name;
    }
    return e;
}

/* ---- operators ------------------------------------------------------------------------------- */

static Expr *parse_literal(Parser *p)
{
    Token token = p->token;
    uint32_t start = token.span.at;
    if (token.kind == T_STRING) {
        Str text = parse_string_token(p);
        Expr *e = expr_new(p, EXPR_STRING, start);
        e->text = text.at;
        e->n = (uint32_t)text.n;
        return e;
    }
    parser_advance(p);
    Expr *e = expr_new(p,
                       token.kind == T_INTEGER ? EXPR_INTEGER
                       : token.kind == T_REAL  ? EXPR_REAL
                                               : EXPR_BOOLEAN,
                       start);
    if (token.kind == T_INTEGER)
        e->integer = token.integer;
    else if (token.kind == T_REAL)
        e->real = token.real;
    else
        e->flag = token.kind == T_TRUE;
    return e;
}

/* primary: UNSIGNED-NUMBER | STRING | false | true | call | component-reference | parenthesis |
 * matrix | array | end */
static Expr *parse_primary(Parser *p)
{
    uint32_t start = p->token.span.at;
    switch ((TokenKind)p->token.kind) {
    case T_INTEGER:
    case T_REAL:
    case T_STRING:
    case T_TRUE:
    case T_FALSE: return parse_literal(p);
    case T_IDENT:
    case T_DOT:
    case T_DER:
    case T_INITIAL:
    case T_PURE: return parse_reference_or_call(p);
    case T_OPEN: return parse_parenthesis(p);
    case T_OPEN_BRACE: return parse_array(p);
    case T_OPEN_BRACKET: return parse_matrix(p);
    case T_END:
        if (!p->subscripts) break;
        parser_advance(p);
        return expr_new(p, EXPR_END, start);
    default: break;
    }
    parser_expected(p, "an expression");
    return expr_new(p, EXPR_OMITTED, start);
}

static Expr *make_unary(Parser *p, Op op, uint32_t start, Expr *operand)
{
    Expr *e = expr_new(p, EXPR_UNARY, start);
    e->op = (uint8_t)op;
    e->left = operand;
    return e;
}

static Expr *parse_operation(Parser *p, int least);

/* The first operand: [ not ] relation, [ add-operator ] term, or a primary, as far as `least`
 * allows. */
static Expr *parse_operand(Parser *p, int least)
{
    uint32_t start = p->token.span.at;
    bool is_sign = parser_is(p, T_PLUS) || parser_is(p, T_MINUS) || parser_is(p, T_DOT_PLUS) ||
                   parser_is(p, T_DOT_MINUS);
    if (parser_is(p, T_NOT) && least <= BINDS_NOT) {
        parser_advance(p);
        return make_unary(p, OP_NOT, start, parse_operation(p, BINDS_RELATION));
    }
    if (is_sign && least <= BINDS_ADD) {
        Op op = (Op)(token_op[p->token.kind] - 1);
        parser_advance(p);
        return make_unary(p, op, start, parse_operation(p, BINDS_MULTIPLY));
    }
    if (is_sign) {
        Note *note = parser_fail(p, E_EXPECTED, p->token.span, "expected an expression, found %s",
                                 token_text((TokenKind)p->token.kind));
        diag_hint(p->diag, note, "put a signed factor in parentheses, as in a*(-b)");
    }
    return parse_primary(p);
}

/* first op operand { op operand }, where all operators bind equally */
static Expr *parse_chain(Parser *p, uint32_t start, Expr *first, int binds)
{
    uint32_t begin = parser_begin(p), n = 1;
    VEC(uint8_t) ops = { 0 };
    uint8_t op;
    parser_push_expr(p, first);
    while ((op = token_op[p->token.kind]) && operators[op - 1].binds == binds) {
        parser_advance(p);
        vec_push(p->reader->scratch, &ops, (uint8_t)(op - 1));
        parser_push_expr(p, parse_operation(p, binds + 1));
        n++;
    }
    Expr *e = expr_new(p, EXPR_CHAIN, start);
    e->n = n;
    e->items = arena_alloc(p->arena, n * sizeof(Expr *) + ops.n);
    memcpy(e->items, p->stack.at + begin, n * sizeof(Expr *));
    memcpy(e->items + n, ops.at, ops.n);
    p->stack.n = begin;
    return e;
}

/* left op right, where the operator does not chain */
static Expr *parse_pair(Parser *p, uint32_t start, Expr *left, Op op)
{
    parser_advance(p);
    Expr *right = op_precedence(op) == BINDS_POWER ? parse_primary(p) : parse_operation(p, BINDS_ADD);
    Expr *e = expr_new(p, EXPR_BINARY, start);
    e->op = (uint8_t)op;
    e->left = left;
    e->right = right;
    uint8_t again = token_op[p->token.kind];
    if (again && operators[again - 1].binds == op_precedence(op)) {
        Note *note = parser_fail(p, E_EXPECTED, p->token.span, "'%s' may not follow '%s' without parentheses",
                                 operators[again - 1].text, op_text(op));
        diag_label(p->diag, note, e->span, "put this in parentheses, or what follows");
    }
    return e;
}

/* logical-expression and all below it: operators that bind at least as strongly as `least`. */
static Expr *parse_operation(Parser *p, int least)
{
    /* of a parenthesis, perhaps, that the operand itself does not show */
    uint32_t start = p->token.span.at;
    Expr *e = parse_operand(p, least);
    for (uint8_t op; (op = token_op[p->token.kind]) && operators[op - 1].binds >= least;) {
        int binds = operators[op - 1].binds;
        if (binds == BINDS_RELATION || binds == BINDS_POWER)
            e = parse_pair(p, start, e, (Op)(op - 1));
        else
            e = parse_chain(p, start, e, binds);
    }
    return e;
}

/* simple-expression: logical-expression [ ":" logical-expression [ ":" logical-expression ] ] */
Expr *parse_simple_expression(Parser *p)
{
    if (!parser_enter(p)) {
        parser_leave(p);
        return expr_new(p, EXPR_OMITTED, p->token.span.at);
    }
    Expr *e = parse_operation(p, BINDS_OR);
    if (parser_is(p, T_COLON)) {
        uint32_t begin = parser_begin(p);
        parser_push_expr(p, e);
        while (parser_is(p, T_COLON) && p->stack.n - begin < 3 * sizeof(Expr *)) {
            parser_advance(p);
            parser_push_expr(p, parse_operation(p, BINDS_OR));
        }
        Exprs items = parser_take_exprs(p, begin);
        e = expr_of_items(p, EXPR_RANGE, e->span.at, items);
    }
    parser_leave(p);
    return e;
}

/* if expression then expression { elseif expression then expression } else expression */
static Expr *parse_if_expression(Parser *p)
{
    uint32_t start = p->token.span.at, begin = parser_begin(p);
    do {
        parser_advance(p);
        parser_push_expr(p, parse_expression(p));
        parser_expect(p, T_THEN, "'then' after the condition");
        parser_push_expr(p, parse_expression(p));
    } while (parser_is(p, T_ELSEIF));
    parser_expect(p, T_ELSE, "'else': an if-expression needs a value in every case");
    parser_push_expr(p, parse_expression(p));
    Exprs items = parser_take_exprs(p, begin);
    return expr_of_items(p, EXPR_IF, start, items);
}

/* expression: simple-expression | if-expression */
Expr *parse_expression(Parser *p)
{
    if (!parser_is(p, T_IF)) return parse_simple_expression(p);
    if (!parser_enter(p)) {
        parser_leave(p);
        return expr_new(p, EXPR_OMITTED, p->token.span.at);
    }
    Expr *e = parse_if_expression(p);
    parser_leave(p);
    return e;
}
