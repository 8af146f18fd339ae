/* parse.c: the parser's ground: tokens, errors, recovery, lists, and the whole file.
 *
 * In: a source. Out: its tree. The productions are in parse_expr.c, parse_stmt.c, parse_modify.c
 * and parse_class.c, one function each, with the production above it; they read as if nothing could
 * go wrong. When something does, parser_fail reports it and replaces the current token by T_BAD:
 * nothing matches that, so every loop ends and nothing more is reported until parser_end_item, at
 * the end of an element, an equation or a statement, takes the real token back and looks for a
 * place to go on. What was built meanwhile is dropped. Cost: O(tokens). Tests:
 * tests/syntax/parse_test.c, recover_test.c; fuzz: tests/fuzz/parse_fuzz.c. */
#include "syntax/inside.h"

#include <stdlib.h>

/* A tree takes about 5 bytes a byte of text, and 40 at the worst. What needs more than this is not
 * a model. */
static const size_t LARGEST_TREE = (size_t)1 << 30;

Reader *reader_new(Names *names)
{
    Reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->names = names;
    reader->scratch = arena_new();
    if (reader->scratch) return reader;
    free(reader);
    return NULL;
}

void reader_free(Reader *reader)
{
    if (!reader) return;
    arena_free(reader->scratch);
    free(reader);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

void parser_advance(Parser *p)
{
    if (parser_is(p, T_BAD)) return;
    p->previous_end = p->token.span.at + p->token.span.n;
    if (parser_is(p, T_STRING)) p->last_string = p->token.span;
    p->token = p->has_next ? p->next : lexer_next(&p->lexer);
    p->has_next = false;
    if (!parser_is(p, T_BAD)) return;
    p->held = p->token; /* the lexer has reported it */
    if (p->lexer.at >= p->lexer.end) p->ended = true;
}

const Token *parser_peek(Parser *p)
{
    if (!p->has_next && !parser_is(p, T_BAD)) {
        p->next = lexer_next(&p->lexer);
        p->has_next = true;
    }
    return parser_is(p, T_BAD) ? &p->token : &p->next;
}

bool parser_accept(Parser *p, TokenKind kind)
{
    if (!parser_is(p, kind)) return false;
    parser_advance(p);
    return true;
}

Span parser_span_from(const Parser *p, uint32_t start)
{
    return (Span){ start, p->previous_end > start ? p->previous_end - start : 0 };
}

/* ---- errors ---------------------------------------------------------------------------------- */

Note *parser_fail(Parser *p, Code code, Span span, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    Text text = { .arena = p->reader->scratch };
    text_vprintf(&text, format, args);
    va_end(args);
    Note *note = diag_add(p->diag, code, span, "%s", text.at);
    if (!parser_is(p, T_BAD)) p->held = p->token;
    p->token.kind = T_BAD;
    return note;
}

static bool line_between(const Parser *p, uint32_t from, uint32_t to)
{
    return to > from && memchr(p->lexer.start + (from - p->lexer.base), '\n', to - from);
}

static const char *describe_token(Parser *p, const Token *token)
{
    if (token->kind == T_IDENT || token->kind == T_INTEGER || token->kind == T_REAL) {
        const char *at = p->lexer.start + (token->span.at - p->lexer.base);
        return arena_printf(p->reader->scratch, "'%.*s'", (int)size_min(token->span.n, 60), at);
    }
    return token_text(token->kind);
}

/* A word that makes no sense right after a string of several lines: most likely the string's own
 * closing quote is missing, and what looks like its end opens the next one. Goes on at the end of
 * the line it began on. */
static bool recover_string(Parser *p)
{
    Span string = p->last_string;
    bool adjacent = string.n && p->previous_end == string.at + string.n && p->token.kind < T_SEMICOLON;
    if (!adjacent || !line_between(p, string.at, p->previous_end)) return false;
    const char *start = p->lexer.start + (string.at - p->lexer.base);
    parser_fail(p, E_UNCLOSED_STRING, (Span){ string.at, 1 },
                "this string is not closed on its line, and what follows its next quote makes no sense");
    p->lexer.at = memchr(start, '\n', string.n);
    p->has_next = false;
    p->held.kind = T_BAD;
    p->last_string = (Span){ 0 };
    return true;
}

void parser_expected_here(Parser *p, Span span, const char *what)
{
    if (parser_is(p, T_BAD) || recover_string(p)) return;
    Token found = p->token;
    if (found.kind == T_END_OF_FILE) p->ended = true;
    parser_fail(p, E_EXPECTED, span, "expected %s, found %s", what, describe_token(p, &found));
}

/* What is missing at the end of a line is missed there, not at the beginning of the next. */
void parser_expected(Parser *p, const char *what)
{
    bool gap = parser_is(p, T_END_OF_FILE) || line_between(p, p->previous_end, p->token.span.at);
    parser_expected_here(p, gap ? (Span){ p->previous_end, 0 } : p->token.span, what);
}

bool parser_expect(Parser *p, TokenKind kind, const char *what)
{
    if (parser_accept(p, kind)) return true;
    parser_expected(p, what);
    return false;
}

bool parser_enter(Parser *p)
{
    if (++p->depth <= NESTING_LIMIT) return true;
    if (!p->gave_up && !parser_is(p, T_BAD)) {
        Note *note =
            parser_fail(p, E_TOO_DEEP, p->token.span,
                        "nested more than %d levels deep; the rest of this file is not read", NESTING_LIMIT);
        diag_hint(p->diag, note, "is a parenthesis or an 'end' missing further up?");
    }
    p->gave_up = true;
    return false;
}

/* ---- recovery -------------------------------------------------------------------------------- */

/* Such a token is never inside an expression. */
bool starts_afresh(TokenKind kind)
{
    switch (kind) {
    case T_EQUATION:
    case T_ALGORITHM:
    case T_PUBLIC:
    case T_PROTECTED:
    case T_END:
    case T_MODEL:
    case T_PACKAGE:
    case T_BLOCK:
    case T_RECORD:
    case T_CONNECTOR:
    case T_TYPE:
    case T_EXTENDS:
    case T_IMPORT:
    case T_PARAMETER:
    case T_CONSTANT:
    case T_END_OF_FILE: return true;
    default: return false;
    }
}

/* Whether the current token begins an item, and is not part of the one in which an error was found:
 * 'model' in a redeclaration, 'end' in a subscript. */
static bool begins_item(Parser *p)
{
    switch ((TokenKind)p->token.kind) {
    case T_EQUATION:
    case T_ALGORITHM:
    case T_PUBLIC:
    case T_PROTECTED:
    case T_END_OF_FILE: return true;
    case T_END:
        switch ((TokenKind)parser_peek(p)->kind) {
        case T_IDENT:
        case T_IF:
        case T_FOR:
        case T_WHEN:
        case T_WHILE: return true;
        default: return false;
        }
    default:
        return starts_afresh((TokenKind)p->token.kind) && line_between(p, p->previous_end, p->token.span.at);
    }
}

/* From an error inside square brackets: whether they are closed before anything starts afresh, so
 * that the semicolons on the way separate rows of a matrix. */
static bool brackets_close(const Parser *p)
{
    Lexer ahead = p->lexer;
    Diag silent;
    diag_init(&silent, p->reader->scratch);
    silent.limit_per_code = 1;
    ahead.diag = &silent;
    uint32_t open = p->brackets;
    for (Token t = p->held;; t = lexer_next(&ahead)) {
        if (starts_afresh((TokenKind)t.kind)) return false;
        if (t.kind == T_OPEN_BRACKET) open++;
        if (t.kind == T_CLOSE_BRACKET && --open == 0) return true;
    }
}

/* Goes on after the next semicolon, or at a token that starts afresh. */
static void recover(Parser *p)
{
    bool in_matrix = p->brackets > 0 && brackets_close(p);
    uint32_t open = p->brackets;
    p->token = p->held;
    p->brackets = p->subscripts = 0;
    if (p->token.kind == T_BAD) p->token.kind = T_COMMA; /* any token that is passed over */
    while (!parser_is(p, T_END_OF_FILE)) {
        if (in_matrix && parser_is(p, T_OPEN_BRACKET)) open++;
        if (in_matrix && parser_is(p, T_CLOSE_BRACKET) && --open == 0) in_matrix = false;
        if (!in_matrix && parser_is(p, T_SEMICOLON)) {
            parser_advance(p);
            break;
        }
        if (!in_matrix && begins_item(p)) return;
        parser_advance(p);
        if (parser_is(p, T_BAD)) p->token.kind = T_COMMA;
    }
}

void parser_skip_item(Parser *p)
{
    if (!parser_is(p, T_BAD)) p->held = p->token;
    p->token.kind = T_COMMA;
    parser_advance(p);
    if (!parser_is(p, T_BAD)) p->held = p->token;
    recover(p);
}

void parser_end_item(Parser *p, const char *what)
{
    bool closed_early = p->closed_early;
    p->closed_early = false;
    if (closed_early || parser_accept(p, T_SEMICOLON)) return;
    if (!parser_is(p, T_BAD)) {
        bool on_next_line = line_between(p, p->previous_end, p->token.span.at);
        parser_expected(p, what);
        if (on_next_line && p->held.kind != T_BAD) {
            /* the semicolon was forgotten, the next item is whole */
            p->token = p->held;
            return;
        }
    }
    if (!p->gave_up) recover(p);
}

/* ---- lists ----------------------------------------------------------------------------------- */

void parser_push(Parser *p, const void *item, uint32_t size)
{
    vec_reserve(p->reader->scratch, &p->stack, p->stack.n + size);
    memcpy(p->stack.at + p->stack.n, item, size);
    p->stack.n += size;
}

void *parser_take(Parser *p, uint32_t begin, uint32_t size, uint32_t *n)
{
    uint32_t bytes = p->stack.n - begin;
    *n = bytes / size;
    p->stack.n = begin;
    return bytes ? memcpy(arena_alloc(p->arena, bytes), p->stack.at + begin, bytes) : NULL;
}

/* ---- names ----------------------------------------------------------------------------------- */

Name parse_ident(Parser *p, const char *what)
{
    Name name = p->token.name;
    if (parser_accept(p, T_IDENT)) return name;
    if (p->token.kind < KEYWORD_COUNT && !starts_afresh((TokenKind)p->token.kind)) {
        Note *note = parser_fail(p, E_RESERVED_WORD, p->token.span, "expected %s, but '%s' is a keyword",
                                 what, name_text(name));
        diag_hint(p->diag, note, "in single quotes it is a name: '%s'", name_text(name));
    }
    parser_expected(p, what);
    return name_of(p->reader->names, STR("?"));
}

/* type-specifier: [ "." ] name */
/* name: IDENT { "." IDENT } */
Path parse_path(Parser *p, const char *what)
{
    Path path = { .global = parser_accept(p, T_DOT) };
    uint32_t begin = parser_begin(p), start = p->token.span.at;
    do {
        Name name = parse_ident(p, what);
        parser_push(p, &name, sizeof name);
        what = "a name after '.'";
    } while (parser_is(p, T_DOT) && parser_peek(p)->kind != T_STAR && parser_peek(p)->kind != T_OPEN_BRACE &&
             parser_accept(p, T_DOT));
    path.at = parser_take(p, begin, sizeof(Name), &path.n);
    path.span = parser_span_from(p, start);
    return path;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* within-clause: within [ name ] ";" */
static void parse_within(Parser *p, Tree *tree)
{
    if (!parser_accept(p, T_WITHIN)) return;
    tree->has_within = true;
    if (!parser_is(p, T_SEMICOLON)) tree->within = parse_path(p, "the name of a package");
    parser_end_item(p, "';' after 'within'");
}

/* stored-definition: [ within-clause ] { [ final ] class-definition ";" } */
static void parse_stored_definition(Parser *p, Tree *tree)
{
    VEC(Class *) classes = { 0 };
    parse_within(p, tree);
    while (!p->gave_up && !parser_is(p, T_END_OF_FILE)) {
        bool is_final = parser_accept(p, T_FINAL);
        if (starts_class(p)) {
            Class *cls = parse_class_definition(p, false);
            if (p->lexer.is_base && !parser_is(p, T_BAD)) cls = base_model(p, cls);
            cls->is_final = is_final;
            if (!parser_is(p, T_BAD)) vec_push(p->arena, &classes, cls);
            parser_end_item(p, "';' after the class");
        } else {
            parser_expected_here(p, p->token.span, "a class definition");
            parser_skip_item(p);
        }
    }
    tree->classes = classes.at;
    tree->n = classes.n;
}

static uint32_t count_lines(Str text)
{
    uint32_t n = 0;
    const char *p = text.at, *end = p + text.n;
    for (; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++) n++;
    return n + (text.n > 0 && text.at[text.n - 1] != '\n');
}

static bool is_utf16(Str text)
{
    return text.n >= 2 && (!memcmp(text.at, "\xFF\xFE", 2) || !memcmp(text.at, "\xFE\xFF", 2));
}

static void report_utf16(const Source *source, Diag *diag)
{
    Note *note = diag_add(diag, E_BAD_UTF8, (Span){ source->base, 2 }, "this text is UTF-16, not UTF-8");
    diag_hint(diag, note, "save the file with the encoding UTF-8");
}

Tree *syntax_parse(Reader *reader, const Source *source, Arena *arena, Diag *diag)
{
    Tree *tree = NEW(arena, Tree);
    ArenaMark scratch = arena_mark(reader->scratch);
    jmp_buf out_of_memory, *outer_escape = arena->escape, *scratch_escape = reader->scratch->escape;
    size_t outer_limit = arena->limit;
    tree->source = source;
    tree->line_count = count_lines(source->text);
    if (is_utf16(source->text)) {
        report_utf16(source, diag);
        return tree;
    }
    size_t limit = arena->total + LARGEST_TREE;
    arena->limit = outer_limit && outer_limit < limit ? outer_limit : limit;
    reader->scratch->limit = LARGEST_TREE;
    arena->escape = reader->scratch->escape = &out_of_memory;
    bool whole = !setjmp(out_of_memory);
    if (whole) {
        Parser p = { .reader = reader, .arena = arena, .diag = diag };
        lexer_start(&p.lexer, reader, source, diag);
        p.token.kind = T_SEMICOLON;
        p.token.span.at = source->base;
        parser_advance(&p);
        parse_stored_definition(&p, tree);
        tree->class_count = p.class_count;
    }
    arena->escape = outer_escape;
    arena->limit = outer_limit;
    reader->scratch->escape = scratch_escape;
    reader->scratch->limit = 0;
    arena_rewind(reader->scratch, scratch);
    if (!whole) diag_add_file(diag, E_OUT_OF_MEMORY, source->path, "no more memory: this file is not read");
    return tree;
}
