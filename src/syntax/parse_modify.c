/* parse_modify.c: the productions of modifications, redeclarations, descriptions and annotations.
 * Tests: tests/syntax/parse_test.c. */
#include "syntax/inside.h"

/* "break" or an expression */
static Expr *parse_modification_expression(Parser *p)
{
    uint32_t start = p->token.span.at;
    if (!parser_accept(p, T_BREAK)) return parse_expression(p);
    return expr_new(p, EXPR_BREAK, start);
}

/* element-redeclaration without its prefixes: ( short-class-definition | component-clause1 ) [
 * constraining-clause ] */
static Element *parse_argument_element(Parser *p, uint8_t flags)
{
    Element *element = NEW(p->arena, Element);
    uint32_t start = p->token.span.at;
    if (parser_accept(p, T_REPLACEABLE)) flags |= IS_REPLACEABLE;
    element->flags = flags;
    if (starts_class(p)) {
        element->kind = ELEMENT_CLASS;
        element->cls = parse_class_definition(p, true);
    } else {
        element->kind = ELEMENT_COMPONENT;
        element->clause = parse_component_clause(p, true);
    }
    if (flags & IS_REPLACEABLE) element->constraint = parse_constraining_clause(p);
    element->span = parser_span_from(p, start);
    return element;
}

/* inheritance-modification: break ( connect-equation | IDENT ) */
static void parse_break(Parser *p, Argument *a)
{
    parser_advance(p);
    if (parser_is(p, T_CONNECT)) {
        a->kind = ARGUMENT_BREAK_CONNECT;
        a->connect = parse_connect_equation(p);
        a->connect->span = parser_span_from(p, a->connect->span.at);
    } else {
        a->kind = ARGUMENT_BREAK_NAME;
        a->name_count = 1;
        a->names = NEW(p->arena, Name);
        a->names[0] = parse_ident(p, "a name or a connect equation after 'break'");
    }
}

/* element-modification: name [ modification ] description-string */
static void parse_element_modification(Parser *p, Argument *a)
{
    uint32_t begin = parser_begin(p), n;
    do {
        Name name = parse_ident(p, "the name of what is modified");
        parser_push(p, &name, sizeof name);
    } while (parser_accept(p, T_DOT));
    a->names = parser_take(p, begin, sizeof(Name), &n);
    a->name_count = (uint16_t)n;
    if (n > UINT16_MAX)
        parser_fail(p, E_TOO_DEEP, parser_span_from(p, a->span.at), "a name of more than %d parts",
                    UINT16_MAX);
    a->modification = parse_modification(p);
    if (parser_is(p, T_STRING)) a->comment = parse_description_string(p);
}

/* argument: [ each ] [ final ] ( element-modification | element-replaceable )
 *   | redeclare [ each ] [ final ] ( short-class-definition | component-clause1 |
 *   element-replaceable )
 *   | inheritance-modification */
static Argument *parse_argument(Parser *p)
{
    Argument *a = NEW(p->arena, Argument);
    uint8_t flags = 0;
    a->span.at = p->token.span.at;
    if (parser_accept(p, T_REDECLARE)) flags |= IS_REDECLARE;
    if (parser_accept(p, T_EACH)) flags |= IS_EACH;
    if (parser_accept(p, T_FINAL)) flags |= IS_FINAL;
    a->flags = flags & (IS_EACH | IS_FINAL);
    if (flags & IS_REDECLARE || parser_is(p, T_REPLACEABLE)) {
        a->kind = ARGUMENT_ELEMENT;
        a->element = parse_argument_element(p, flags);
    } else if (parser_is(p, T_BREAK) && !flags) {
        parse_break(p, a);
    } else {
        a->kind = ARGUMENT_MODIFY;
        parse_element_modification(p, a);
    }
    a->span = parser_span_from(p, a->span.at);
    return a;
}

/* "(" [ argument { "," argument } ] ")" */
static void parse_arguments_into(Parser *p, Modification *m)
{
    uint32_t begin = parser_begin(p);
    m->has_arguments = true;
    parser_advance(p);
    if (!parser_is(p, T_CLOSE)) {
        do {
            Argument *a = parse_argument(p);
            parser_push(p, &a, sizeof a);
        } while (parser_accept(p, T_COMMA));
    }
    parser_expect(p, T_CLOSE, "',' or ')' in the modification");
    m->arguments = parser_take(p, begin, sizeof(Argument *), &m->n);
}

static Modification *parse_parts(Parser *p, bool with_value)
{
    uint32_t start = p->token.span.at;
    bool has_value = with_value && (parser_is(p, T_EQUALS) || parser_is(p, T_ASSIGN));
    if (!parser_is(p, T_OPEN) && !has_value) return NULL;
    if (!parser_enter(p)) {
        parser_leave(p);
        return NULL;
    }
    Modification *m = NEW(p->arena, Modification);
    if (parser_is(p, T_OPEN)) parse_arguments_into(p, m);
    if (with_value && (parser_accept(p, T_EQUALS) || parser_accept(p, T_ASSIGN)))
        m->value = parse_modification_expression(p);
    m->span = parser_span_from(p, start);
    parser_leave(p);
    return m;
}

/* modification: class-modification [ "=" modification-expression ] | "=" modification-expression
 * (":=", of old, means the same) */
Modification *parse_modification(Parser *p) { return parse_parts(p, true); }

/* class-modification: "(" [ argument-list ] ")" */
Modification *parse_class_modification(Parser *p) { return parse_parts(p, false); }

/* annotation-clause: annotation class-modification */
Modification *parse_annotation(Parser *p)
{
    if (!parser_accept(p, T_ANNOTATION)) return NULL;
    if (!parser_is(p, T_OPEN)) parser_expected(p, "'(' after 'annotation'");
    return parse_class_modification(p);
}

/* description-string: [ STRING { "+" STRING } ] */
Comment *parse_description_string(Parser *p)
{
    if (!parser_is(p, T_STRING)) return NULL;
    Comment *comment = NEW(p->arena, Comment);
    comment->text = parse_string_token(p);
    if (!parser_is(p, T_PLUS)) return comment;
    Text joined = { .arena = p->arena };
    text_add(&joined, comment->text);
    while (parser_accept(p, T_PLUS)) {
        if (parser_is(p, T_STRING))
            text_add(&joined, parse_string_token(p));
        else
            parser_expected(p, "a string after '+'");
    }
    comment->text = (Str){ joined.at, joined.n };
    return comment;
}

/* description: description-string [ annotation-clause ] */
Comment *parse_description(Parser *p)
{
    Comment *comment = parse_description_string(p);
    if (!parser_is(p, T_ANNOTATION)) return comment;
    if (!comment) comment = NEW(p->arena, Comment);
    comment->annotation = parse_annotation(p);
    return comment;
}

/* constraining-clause: constrainedby type-specifier [ class-modification ], and its description */
Constraint *parse_constraining_clause(Parser *p)
{
    if (!parser_accept(p, T_CONSTRAINEDBY)) return NULL;
    Constraint *c = NEW(p->arena, Constraint);
    c->type = parse_path(p, "the constraining type");
    c->modification = parse_class_modification(p);
    c->comment = parse_description(p);
    return c;
}
