/* parse_class.c: the productions of classes, elements and components.
 *
 * A class whose 'end' names a class further out is taken as closed there, one whose 'end' names
 * nothing known as misspelt: so one mistake gives one message. Tests: tests/syntax/parse_test.c,
 * recover_test.c. */
#include "syntax/inside.h"

/* ---- components ------------------------------------------------------------------------------ */

/* declaration: IDENT [ array-subscripts ] [ modification ] */
/* component-declaration: declaration [ condition-attribute ] description */
static Declaration parse_declaration(Parser *p, bool in_argument)
{
    Declaration d = { .span = p->token.span };
    d.name = parse_ident(p, "the name of a component");
    d.subscripts = parse_array_subscripts(p);
    d.modification = parse_modification(p);
    if (!in_argument && parser_accept(p, T_IF)) d.condition = parse_expression(p);
    d.comment = parse_description(p);
    return d;
}

typedef struct {
    uint8_t token, group, value;
} Prefix;

enum { GROUP_FLOW, GROUP_VARIABILITY, GROUP_CAUSALITY, GROUP_COUNT };

static const Prefix type_prefixes[] = {
    { T_FLOW, GROUP_FLOW, FLOW_FLOW },
    { T_STREAM, GROUP_FLOW, FLOW_STREAM },
    { T_DISCRETE, GROUP_VARIABILITY, VARIABILITY_DISCRETE },
    { T_PARAMETER, GROUP_VARIABILITY, VARIABILITY_PARAMETER },
    { T_CONSTANT, GROUP_VARIABILITY, VARIABILITY_CONSTANT },
    { T_INPUT, GROUP_CAUSALITY, CAUSALITY_INPUT },
    { T_OUTPUT, GROUP_CAUSALITY, CAUSALITY_OUTPUT },
};

static const Prefix *find_prefix(const Prefix *table, size_t n, uint8_t token)
{
    for (size_t i = 0; i < n; i++)
        if (table[i].token == token) return &table[i];
    return NULL;
}

/* type-prefix: [ flow | stream ] [ discrete | parameter | constant ] [ input | output ], in any
 * order */
static void parse_type_prefix(Parser *p, uint8_t groups[GROUP_COUNT])
{
    const Prefix *prefix;
    memset(groups, 0, GROUP_COUNT);
    while (p->token.kind < KEYWORD_COUNT &&
           (prefix = find_prefix(type_prefixes, COUNT_OF(type_prefixes), p->token.kind))) {
        if (groups[prefix->group])
            parser_fail(p, E_MISPLACED, p->token.span, "%s does not go with the prefix before it",
                        token_text((TokenKind)p->token.kind));
        groups[prefix->group] = prefix->value;
        parser_advance(p);
    }
}

/* component-clause: type-prefix type-specifier [ array-subscripts ] component-list */
Clause *parse_component_clause(Parser *p, bool in_argument)
{
    Clause *clause = NEW(p->arena, Clause);
    uint8_t groups[GROUP_COUNT];
    parse_type_prefix(p, groups);
    clause->flow = groups[GROUP_FLOW];
    clause->variability = groups[GROUP_VARIABILITY];
    clause->causality = groups[GROUP_CAUSALITY];
    clause->type = parse_path(p, "a declaration");
    clause->subscripts = in_argument ? (Exprs){ 0 } : parse_array_subscripts(p);
    uint32_t begin = parser_begin(p);
    do {
        Declaration d = parse_declaration(p, in_argument);
        parser_push(p, &d, sizeof d);
    } while (!in_argument && parser_accept(p, T_COMMA));
    clause->declarations = parser_take(p, begin, sizeof(Declaration), &clause->n);
    return clause;
}

/* ---- imports and extends --------------------------------------------------------------------- */

/* import-list: IDENT { "," IDENT } */
static void parse_import_list(Parser *p, Import *import)
{
    uint32_t begin = parser_begin(p);
    import->kind = IMPORT_LIST;
    do {
        Name name = parse_ident(p, "a name to import");
        parser_push(p, &name, sizeof name);
    } while (parser_accept(p, T_COMMA));
    parser_expect(p, T_CLOSE_BRACE, "',' or '}' in the list of imports");
    import->names = parser_take(p, begin, sizeof(Name), &import->n);
}

/* import-clause: import ( IDENT "=" name | name [ ".*" | "." ( "*" | "{" import-list "}" ) ] )
 * description */
static Import *parse_import(Parser *p)
{
    Import *import = NEW(p->arena, Import);
    parser_advance(p);
    if (parser_is(p, T_IDENT) && parser_peek(p)->kind == T_EQUALS) {
        import->kind = IMPORT_RENAMED;
        import->alias = parse_ident(p, "a name");
        parser_advance(p);
    }
    import->path = parse_path(p, "the name of what is imported");
    if (import->kind != IMPORT_RENAMED && parser_accept(p, T_DOT_STAR)) {
        import->kind = IMPORT_ALL;
    } else if (import->kind != IMPORT_RENAMED && parser_accept(p, T_DOT)) {
        if (parser_accept(p, T_STAR))
            import->kind = IMPORT_ALL;
        else if (parser_expect(p, T_OPEN_BRACE, "a name, '*' or '{' after '.'"))
            parse_import_list(p, import);
    }
    import->comment = parse_description(p);
    return import;
}

/* extends-clause: extends type-specifier [ class-or-inheritance-modification ] [ annotation-clause
 * ] */
static Extends *parse_extends(Parser *p)
{
    Extends *extends = NEW(p->arena, Extends);
    parser_advance(p);
    extends->type = parse_path(p, "the name of the base class");
    extends->modification = parse_class_modification(p);
    extends->annotation = parse_annotation(p);
    return extends;
}

/* ---- elements -------------------------------------------------------------------------------- */

static const Prefix element_prefixes[] = {
    { T_REDECLARE, 0, IS_REDECLARE },
    { T_FINAL, 0, IS_FINAL },
    { T_INNER, 0, IS_INNER },
    { T_OUTER, 0, IS_OUTER },
    { T_REPLACEABLE, 0, IS_REPLACEABLE },
};

/* [ redeclare ] [ final ] [ inner ] [ outer ] [ replaceable ] */
static uint8_t parse_element_prefixes(Parser *p)
{
    uint8_t flags = 0;
    const Prefix *prefix;
    while (p->token.kind < KEYWORD_COUNT &&
           (prefix = find_prefix(element_prefixes, COUNT_OF(element_prefixes), p->token.kind))) {
        if (flags & prefix->value)
            parser_fail(p, E_MISPLACED, p->token.span, "%s stands here twice",
                        token_text((TokenKind)p->token.kind));
        flags |= prefix->value;
        parser_advance(p);
    }
    return flags;
}

/* A token that should have begun an element, and does not. An equation is passed over as a
 * whole. */
static void report_no_element(Parser *p)
{
    TokenKind kind = (TokenKind)p->token.kind;
    if (kind == T_IF || kind == T_FOR || kind == T_WHEN || kind == T_CONNECT || kind == T_WHILE) {
        Note *note = diag_add(p->diag, E_MISPLACED, p->token.span, "%s may not stand among declarations",
                              token_text(kind));
        diag_hint(p->diag, note, "begin a section with 'equation' or 'algorithm' before it");
        parse_stmt(p, kind == T_WHILE);
    } else {
        parser_expected_here(p, p->token.span, "a declaration");
    }
}

/* element: import-clause | extends-clause | prefixes ( class-definition | component-clause )
 *   [ constraining-clause description ]. NULL if there is none. */
static Element *parse_element(Parser *p, uint8_t visibility)
{
    Element *element = NEW(p->arena, Element);
    uint32_t start = p->token.span.at;
    element->flags = visibility;
    if (parser_is(p, T_IMPORT)) {
        element->kind = ELEMENT_IMPORT;
        element->import = parse_import(p);
    } else if (parser_is(p, T_EXTENDS)) {
        element->kind = ELEMENT_EXTENDS;
        element->extends = parse_extends(p);
    } else {
        uint8_t prefixes = parse_element_prefixes(p);
        element->flags |= prefixes;
        if (starts_class(p)) {
            element->kind = ELEMENT_CLASS;
            element->cls = parse_class_definition(p, false);
        } else if (parser_is(p, T_IDENT) || parser_is(p, T_DOT) ||
                   find_prefix(type_prefixes, COUNT_OF(type_prefixes), p->token.kind)) {
            element->kind = ELEMENT_COMPONENT;
            element->clause = parse_component_clause(p, false);
        } else {
            report_no_element(p);
            return NULL;
        }
        if (prefixes & IS_REPLACEABLE) element->constraint = parse_constraining_clause(p);
    }
    element->span = parser_span_from(p, start);
    return element;
}

/* ---- classes --------------------------------------------------------------------------------- */

bool starts_class(const Parser *p)
{
    switch ((TokenKind)p->token.kind) {
    case T_ENCAPSULATED:
    case T_PARTIAL:
    case T_CLASS:
    case T_MODEL:
    case T_RECORD:
    case T_BLOCK:
    case T_EXPANDABLE:
    case T_CONNECTOR:
    case T_TYPE:
    case T_PACKAGE:
    case T_PURE:
    case T_IMPURE:
    case T_OPERATOR:
    case T_FUNCTION: return true;
    default: return false;
    }
}

/* [ encapsulated ] [ partial ] ( class | model | [ operator ] record | block | [ expandable ]
 * connector | type
 * | package | [ pure | impure ] [ operator ] function | operator ) */
static void parse_class_prefixes(Parser *p, Class *cls)
{
    static const struct {
        uint8_t token, kind;
    } kinds[] = {
        { T_CLASS, CLASS_CLASS },     { T_MODEL, CLASS_MODEL },         { T_RECORD, CLASS_RECORD },
        { T_BLOCK, CLASS_BLOCK },     { T_CONNECTOR, CLASS_CONNECTOR }, { T_TYPE, CLASS_TYPE },
        { T_PACKAGE, CLASS_PACKAGE }, { T_FUNCTION, CLASS_FUNCTION },
    };
    if (parser_accept(p, T_ENCAPSULATED)) cls->flags |= CLASS_ENCAPSULATED;
    if (parser_accept(p, T_PARTIAL)) cls->flags |= CLASS_PARTIAL;
    if (parser_accept(p, T_EXPANDABLE)) cls->flags |= CLASS_EXPANDABLE;
    if (parser_accept(p, T_PURE))
        cls->flags |= CLASS_PURE;
    else if (parser_accept(p, T_IMPURE))
        cls->flags |= CLASS_IMPURE;
    if (parser_accept(p, T_OPERATOR)) {
        if (!parser_is(p, T_RECORD) && !parser_is(p, T_FUNCTION)) {
            cls->kind = CLASS_OPERATOR;
            return;
        }
        cls->flags |= CLASS_IS_OPERATOR;
    }
    Span span = p->token.span;
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (parser_accept(p, (TokenKind)kinds[i].token)) {
            cls->kind = kinds[i].kind;
            bool wrong = (cls->flags & CLASS_EXPANDABLE && cls->kind != CLASS_CONNECTOR) ||
                         (cls->flags & (CLASS_PURE | CLASS_IMPURE) && cls->kind != CLASS_FUNCTION);
            if (wrong)
                diag_add(p->diag, E_MISPLACED, span, "the prefix before it does not go with %s",
                         token_text((TokenKind)kinds[i].token));
            return;
        }
    parser_expected(p, "a kind of class: 'model', 'function', ...");
}

/* external-function-call: [ component-reference "=" ] IDENT "(" [ expression-list ] ")" */
static void parse_external_call(Parser *p, External *external)
{
    if (!parser_is(p, T_IDENT) && !parser_is(p, T_DOT)) return;
    if (parser_peek(p)->kind != T_OPEN) {
        external->result = parse_component_reference(p);
        parser_expect(p, T_EQUALS, "'=' or '(' in the external call");
    }
    external->function = parse_ident(p, "the name of the external function");
    if (!parser_expect(p, T_OPEN, "'(' with the arguments") || parser_accept(p, T_CLOSE)) return;
    uint32_t begin = parser_begin(p);
    do parser_push_expr(p, parse_expression(p));
    while (parser_accept(p, T_COMMA));
    parser_expect(p, T_CLOSE, "',' or ')' in the arguments");
    external->arguments = parser_take_exprs(p, begin);
}

/* external [ language-specification ] [ external-function-call ] [ annotation-clause ] ";" */
static void parse_external(Parser *p, Class *cls)
{
    External *external = NEW(p->arena, External);
    uint32_t start = p->token.span.at;
    if (cls->external) parser_fail(p, E_MISPLACED, p->token.span, "a second 'external' in one function");
    parser_advance(p);
    external->language = STR("C");
    if (parser_is(p, T_STRING)) {
        external->written = true;
        external->language = parse_string_token(p);
    }
    parse_external_call(p, external);
    external->annotation = parse_annotation(p);
    external->span = parser_span_from(p, start);
    if (!parser_is(p, T_BAD)) cls->external = external;
    parser_end_item(p, "';' after the external clause");
}

/* Both, as one. */
static Modification *join_annotations(Parser *p, const Modification *first, const Modification *second)
{
    Modification *both = NEW(p->arena, Modification);
    *both = *first;
    both->n = first->n + second->n;
    both->arguments = NEW_ARRAY(p->arena, Argument *, both->n + 1);
    if (first->n) memcpy(both->arguments, first->arguments, first->n * sizeof(Argument *));
    if (second->n) memcpy(both->arguments + first->n, second->arguments, second->n * sizeof(Argument *));
    return both;
}

/* annotation-clause ";" of the class itself */
static void parse_class_annotation(Parser *p, Class *cls)
{
    Span span = p->token.span;
    Modification *annotation = parse_annotation(p);
    if (!cls->comment) cls->comment = NEW(p->arena, Comment);
    if (cls->comment->annotation && !parser_is(p, T_BAD)) {
        Note *note = diag_add(p->diag, E_MISPLACED, span, "a second annotation of the same class");
        diag_label(p->diag, note, cls->comment->annotation->span, "the first one");
        diag_hint(p->diag, note, "join them into one");
        diag_lower(p->diag, note);
        if (annotation) annotation = join_annotations(p, cls->comment->annotation, annotation);
    }
    cls->comment->annotation = annotation;
    parser_end_item(p, "';' after the annotation");
}

/* equation-section: [ initial ] equation { some-equation ";" }; algorithm-section likewise */
static Section *parse_section(Parser *p)
{
    Section *section = NEW(p->arena, Section);
    uint32_t start = p->token.span.at;
    section->is_initial = parser_accept(p, T_INITIAL);
    section->is_algorithm = parser_is(p, T_ALGORITHM);
    parser_advance(p);
    section->body = parse_block(p, section->is_algorithm);
    section->span = parser_span_from(p, start);
    return section;
}

/* Reports what ends a list of elements or equations and belongs to nothing: a stray 'end if', an
 * 'else'. */
static void report_stray(Parser *p)
{
    const char *what = token_text((TokenKind)p->token.kind);
    if (parser_is(p, T_END))
        what = arena_printf(p->reader->scratch, "'end %s'", name_text(parser_peek(p)->name));
    parser_fail(p, E_MISPLACED, p->token.span, "there is nothing open here that %s belongs to", what);
}

static bool ends_class(Parser *p)
{
    if (parser_is(p, T_END_OF_FILE)) return true;
    if (!parser_is(p, T_END)) return false;
    TokenKind next = (TokenKind)parser_peek(p)->kind;
    return next != T_IF && next != T_FOR && next != T_WHEN && next != T_WHILE;
}

static bool is_stray(const Parser *p)
{
    return parser_is(p, T_END) || parser_is(p, T_ELSE) || parser_is(p, T_ELSEIF) || parser_is(p, T_ELSEWHEN);
}

/* One part of a composition; lists of sections and elements grow in the two vectors. */
typedef struct {
    VEC(Element *) elements;
    VEC(Section *) sections;
    uint8_t visibility;
} Composition;

static void parse_part(Parser *p, Class *cls, Composition *c)
{
    if (parser_accept(p, T_PUBLIC)) {
        c->visibility = 0;
    } else if (parser_accept(p, T_PROTECTED)) {
        c->visibility = IS_PROTECTED;
    } else if (parser_is(p, T_EXTERNAL)) {
        parse_external(p, cls);
    } else if (parser_is(p, T_ANNOTATION)) {
        parse_class_annotation(p, cls);
    } else if (starts_section(p)) {
        vec_push(p->reader->scratch, &c->sections, parse_section(p));
    } else if (is_stray(p)) { /* what follows is most likely still of the section before */
        report_stray(p);
        parser_skip_item(p);
        if (c->sections.n == 0) return;
        Section *last = c->sections.at[c->sections.n - 1];
        Stmts more = parse_block(p, last->is_algorithm);
        if (more.n) vec_push(p->reader->scratch, &c->sections, NEW(p->arena, Section));
        if (more.n)
            *c->sections.at[c->sections.n - 1] =
                (Section){ last->is_algorithm, last->is_initial, more, last->span };
    } else if (p->lexer.is_base && base_element(p, c->elements.at, c->elements.n)) {
        parser_end_item(p, "';' after the equation");
    } else {
        Element *element = parse_element(p, c->visibility);
        if (element && !parser_is(p, T_BAD)) vec_push(p->reader->scratch, &c->elements, element);
        if (element && p->lexer.is_base) base_local(cls, element);
        parser_end_item(p, "';' after the declaration");
    }
}

/* composition: element-list { public element-list | protected element-list | equation-section
 *   | algorithm-section } [ external ... ";" ] [ annotation-clause ";" ] */
static void parse_composition(Parser *p, Class *cls)
{
    Composition c = { 0 };
    if (parser_is(p, T_BAD) && !p->gave_up) parser_end_item(p, "");
    while (!p->gave_up && !ends_class(p)) {
        uint32_t before = p->token.span.at;
        parse_part(p, cls, &c);
        if (p->token.span.at == before && !ends_class(p)) parser_skip_item(p);
    }
    cls->element_count = c.elements.n;
    cls->section_count = c.sections.n;
    cls->elements = NEW_ARRAY(p->arena, Element *, c.elements.n);
    cls->sections = NEW_ARRAY(p->arena, Section *, c.sections.n);
    if (c.elements.n) memcpy(cls->elements, c.elements.at, c.elements.n * sizeof *cls->elements);
    if (c.sections.n) memcpy(cls->sections, c.sections.at, c.sections.n * sizeof *cls->sections);
}

/* end IDENT */
static void parse_class_end(Parser *p, const Class *cls)
{
    Token next = parser_is(p, T_END) ? *parser_peek(p) : p->token;
    if (next.kind == T_IDENT && next.name == cls->name) {
        parser_advance(p);
        parser_advance(p);
        return;
    }
    const char *what = arena_printf(p->reader->scratch, "'end %s'", name_text(cls->name));
    bool of_outer = false;
    for (const Class *c = cls->outer; c && next.kind == T_IDENT; c = c->outer)
        of_outer |= c->name == next.name;
    if (!parser_is(p, T_END) || of_outer) {
        report_missing_end(p, what, cls->name_span);
        return;
    }
    parser_advance(p);
    if (next.kind == T_IDENT) {
        Note *note = diag_add(p->diag, E_END_NAME, next.span, "expected %s, found 'end %s'", what,
                              name_text(next.name));
        diag_label(p->diag, note, cls->name_span, "the class is named here");
    }
    parse_ident(p, arena_printf(p->reader->scratch, "the name '%s' after 'end'", name_text(cls->name)));
}

/* composition end IDENT */
static void parse_body(Parser *p, Class *cls)
{
    p->cls = cls;
    if (parser_enter(p)) {
        parse_composition(p, cls);
        if (!p->gave_up) parse_class_end(p, cls);
    }
    parser_leave(p);
    p->cls = cls->outer;
}

/* enumeration "(" ( [ enum-list ] | ":" ) ")" description */
static void parse_enumeration(Parser *p, Class *cls)
{
    cls->form = FORM_ENUMERATION;
    parser_advance(p);
    parser_expect(p, T_OPEN, "'(' after 'enumeration'");
    uint32_t begin = parser_begin(p);
    if (parser_accept(p, T_COLON)) {
        cls->any_literals = true;
    } else if (!parser_is(p, T_CLOSE)) {
        do {
            Literal literal = { .span = p->token.span };
            literal.name = parse_ident(p, "the name of a literal");
            literal.comment = parse_description(p);
            parser_push(p, &literal, sizeof literal);
        } while (parser_accept(p, T_COMMA));
    }
    cls->literals = parser_take(p, begin, sizeof(Literal), &cls->literal_count);
    parser_expect(p, T_CLOSE, "',' or ')' in the enumeration");
}

/* der "(" type-specifier "," IDENT { "," IDENT } ")" */
static void parse_der_class(Parser *p, Class *cls)
{
    cls->form = FORM_DER;
    parser_advance(p);
    parser_expect(p, T_OPEN, "'(' after 'der'");
    cls->base = parse_path(p, "the name of a function");
    uint32_t begin = parser_begin(p), start = p->token.span.at;
    parser_expect(p, T_COMMA, "',' and the variables to differentiate by");
    do {
        Name name = parse_ident(p, "the name of a variable");
        parser_push(p, &name, sizeof name);
    } while (parser_accept(p, T_COMMA));
    cls->variables.at = parser_take(p, begin, sizeof(Name), &cls->variables.n);
    cls->variables.span = parser_span_from(p, start);
    parser_expect(p, T_CLOSE, "',' or ')'");
}

/* short-class-specifier: IDENT "=" base-prefix type-specifier [ array-subscripts ] [
 * class-modification ]
 *   description | IDENT "=" enumeration ... ; der-class-specifier: IDENT "=" der ... */
static void parse_short_specifier(Parser *p, Class *cls)
{
    parser_advance(p);
    if (parser_is(p, T_ENUMERATION)) {
        parse_enumeration(p, cls);
    } else if (parser_is(p, T_DER)) {
        parse_der_class(p, cls);
    } else {
        cls->form = FORM_SHORT;
        if (parser_accept(p, T_INPUT))
            cls->causality = CAUSALITY_INPUT;
        else if (parser_accept(p, T_OUTPUT))
            cls->causality = CAUSALITY_OUTPUT;
        cls->base = parse_path(p, "the name of a class");
        cls->subscripts = parse_array_subscripts(p);
        cls->modification = parse_class_modification(p);
    }
    cls->comment = parse_description(p);
}

/* class-specifier: long-class-specifier | short-class-specifier | der-class-specifier */
static void parse_class_specifier(Parser *p, Class *cls, bool short_only)
{
    bool extends = !short_only && parser_accept(p, T_EXTENDS);
    cls->name_span = p->token.span;
    cls->name = parse_ident(p, "the name of the class");
    if (extends) {
        cls->form = FORM_EXTENDS;
        cls->modification = parse_class_modification(p);
        cls->comment = parse_description_string(p);
        parse_body(p, cls);
    } else if (parser_is(p, T_EQUALS)) {
        parse_short_specifier(p, cls);
    } else if (short_only) {
        parser_expected(p, "'=' after the class's name");
    } else {
        cls->comment = parse_description_string(p);
        parse_body(p, cls);
    }
}

/* class-definition: class-prefixes class-specifier */
Class *parse_class_definition(Parser *p, bool short_only)
{
    Class *cls = NEW(p->arena, Class);
    uint32_t start = p->token.span.at;
    p->class_count++;
    cls->outer = p->cls;
    parse_class_prefixes(p, cls);
    parse_class_specifier(p, cls, short_only);
    cls->span = parser_span_from(p, start);
    return cls;
}
