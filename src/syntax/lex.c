/* lex.c: bytes to tokens.
 *
 * In: a source whose text is followed by a NUL. Out: one token a call, T_END_OF_FILE for ever at
 * the end. What is malformed is reported once and becomes T_BAD. Names go through a direct-mapped
 * cache in front of the shared table; keywords are the names with the smallest ids. Always: a
 * token's span lies in the text. Cost: O(bytes). Tests: tests/syntax/parse_test.c. */
#include "syntax/inside.h"

#include <math.h>
#include <stdlib.h>

enum { SPACE = 1, LETTER = 2, DIGIT = 4, STRING_END = 8, NAME_CHAR = LETTER | DIGIT };

#define L LETTER
#define D DIGIT
#define Q STRING_END
static const uint8_t char_class[256] = {
    Q,     0, 0, 0, 0, 0, 0, 0, 0, SPACE, SPACE, SPACE, SPACE, SPACE, 0, 0, /* 0x00 */
    0,     0, 0, 0, 0, 0, 0, 0, 0, 0,     0,     0,     0,     0,     0, 0, /* 0x10 */
    SPACE, 0, Q, 0, 0, 0, 0, 0, 0, 0,     0,     0,     0,     0,     0, 0, /* 0x20 */
    D,     D, D, D, D, D, D, D, D, D,     0,     0,     0,     0,     0, 0, /* 0x30 */
    0,     L, L, L, L, L, L, L, L, L,     L,     L,     L,     L,     L, L, /* 0x40 */
    L,     L, L, L, L, L, L, L, L, L,     L,     0,     Q,     0,     0, L, /* 0x50 */
    0,     L, L, L, L, L, L, L, L, L,     L,     L,     L,     L,     L, L, /* 0x60 */
    L,     L, L, L, L, L, L, L, L, L,     L,     0,     0,     0,     0, 0, /* 0x70 */
    Q,     Q, Q, Q, Q, Q, Q, Q, Q, Q,     Q,     Q,     Q,     Q,     Q, Q, /* 0x80: not ASCII */
    Q,     Q, Q, Q, Q, Q, Q, Q, Q, Q,     Q,     Q,     Q,     Q,     Q, Q, /* 0x90 */
    Q,     Q, Q, Q, Q, Q, Q, Q, Q, Q,     Q,     Q,     Q,     Q,     Q, Q, /* 0xA0 */
    Q,     Q, Q, Q, Q, Q, Q, Q, Q, Q,     Q,     Q,     Q,     Q,     Q, Q, /* 0xB0 */
    Q,     Q, Q, Q, Q, Q, Q, Q, Q, Q,     Q,     Q,     Q,     Q,     Q, Q, /* 0xC0 */
    Q,     Q, Q, Q, Q, Q, Q, Q, Q, Q,     Q,     Q,     Q,     Q,     Q, Q, /* 0xD0 */
    Q,     Q, Q, Q, Q, Q, Q, Q, Q, Q,     Q,     Q,     Q,     Q,     Q, Q, /* 0xE0 */
    Q,     Q, Q, Q, Q, Q, Q, Q, Q, Q,     Q,     Q,     Q,     Q,     Q, Q, /* 0xF0 */
};
#undef L
#undef D
#undef Q

static inline uint8_t class_of(char c) { return char_class[(unsigned char)c]; }

static const char *const token_texts[] = {
#define X(id, text) "'" text "'",
    KEYWORDS(X)
#undef X
        "a name",
    "a string",
    "a number",
    "a number",
    "';'",
    "','",
    "':'",
    "':='",
    "'='",
    "'('",
    "')'",
    "'['",
    "']'",
    "'{'",
    "'}'",
    "'.'",
    "'+'",
    "'-'",
    "'*'",
    "'/'",
    "'^'",
    "'.+'",
    "'.-'",
    "'.*'",
    "'./'",
    "'.^'",
    "'<'",
    "'<='",
    "'>'",
    "'>='",
    "'=='",
    "'<>'",
    "the end of the file",
    "a malformed text",
};
_Static_assert(COUNT_OF(token_texts) == TOKEN_COUNT, "every token has a text");

const char *token_text(TokenKind kind) { return token_texts[kind]; }

Names *syntax_names_new(void)
{
    static const char *const keywords[] = {
#define X(id, text) text,
        KEYWORDS(X)
#undef X
    };
    Names *names = names_new();
    for (size_t i = 0; names && i < COUNT_OF(keywords); i++) name_of(names, str_of(keywords[i]));
    return names;
}

void lexer_start(Lexer *lexer, Reader *reader, const Source *source, Diag *diag)
{
    Str text = source->text;
    *lexer = (Lexer){ .reader = reader, .start = text.at, .at = text.at, .base = source->base, .diag = diag };
    lexer->end = text.at + text.n;
    if (text.n >= 3 && !memcmp(text.at, "\xEF\xBB\xBF", 3)) lexer->at += 3;
    lexer->is_base = !strncmp(lexer->at, "//! base ", 9);
}

static Span span_between(const Lexer *lexer, const char *from, const char *to)
{
    return (Span){ lexer->base + (uint32_t)(from - lexer->start), (uint32_t)(to - from) };
}

/* Skips white space and comments; false if a comment is not closed. */
static bool skip_space(Lexer *lexer)
{
    const char *p = lexer->at;
    for (;;) {
        while (class_of(*p) & SPACE) p++;
        if (p[0] != '/') break;
        if (p[1] == '/') {
            const char *line_end = memchr(p, '\n', (size_t)(lexer->end - p));
            p = line_end ? line_end + 1 : lexer->end;
        } else if (p[1] == '*') {
            const char *open = p;
            p += 2;
            while (p < lexer->end && !(p[0] == '*' && p[1] == '/')) p++;
            if (p >= lexer->end) {
                lexer->at = lexer->end;
                diag_add(lexer->diag, E_UNCLOSED_COMMENT, span_between(lexer, open, open + 2),
                         "this comment is not closed by '*/'");
                return false;
            }
            p += 2;
        } else {
            break;
        }
    }
    lexer->at = p;
    return true;
}

static Token finish(Lexer *lexer, TokenKind kind, const char *from, const char *to)
{
    lexer->at = to;
    return (Token){ .kind = (uint8_t)kind, .span = span_between(lexer, from, to) };
}

static Token take_name(Lexer *lexer, const char *from)
{
    const char *p = from;
    uint32_t h = 2166136261u; /* name_hash, in the same loop */
    do h = (h ^ (unsigned char)*p++) * 16777619u;
    while (class_of(*p) & NAME_CHAR);
    Str text = { from, (size_t)(p - from) };
    Name *slot = &lexer->reader->cache[(h ^ h >> 15) % NAME_CACHE];
    if (!*slot || (*slot)->hash != h || !str_equal(name_str(*slot), text))
        *slot = name_of_hashed(lexer->reader->names, text, h);
    Token token = finish(lexer, (*slot)->id < KEYWORD_COUNT ? (TokenKind)(*slot)->id : T_IDENT, from, p);
    token.name = *slot;
    /* an annotation of Base Modelica, which has no sections of this name */
    if (lexer->is_base && token.kind == T_PROTECTED) token.kind = T_IDENT;
    return token;
}

/* The character after a backslash that may stand there. */
bool is_escape(char c) { return c && strchr("'\"?\\abfnrtv", c); }

/* In strings old libraries have Latin-1, which is told once a file. */
static void report_utf8(Lexer *lexer, const char *at, bool is_latin)
{
    Note *note = diag_add(lexer->diag, E_BAD_UTF8, span_between(lexer, at, at + 1), "this is not UTF-8%s",
                          is_latin ? ": it is read as Latin-1" : "");
    if (is_latin) diag_lower(lexer->diag, note);
    diag_hint(lexer->diag, note, "save the file with the encoding UTF-8");
}

/* In a string, such as a path of Windows in a documentation, the backslash stays. */
static void report_escape(Lexer *lexer, const char *p, size_t n, bool in_string)
{
    bool shown = n > 1 && p[1] > ' ' && p[1] < 0x7F;
    Note *note = diag_add(lexer->diag, E_BAD_ESCAPE, span_between(lexer, p, p + n),
                          "'\\%.*s' is no escape sequence", shown ? 1 : 0, p + 1);
    if (in_string) diag_lower(lexer->diag, note);
    diag_hint(lexer->diag, note, "a backslash itself is written \\\\");
}

/* Steps over one character that is special in strings and quoted names: an escape, a byte that is
 * not ASCII, a NUL. Returns the place after it. */
static const char *step_special(Lexer *lexer, const char *p, bool in_string, bool *ok)
{
    uint32_t code;
    size_t n = 1;
    if (*p == '\\') {
        n = p + 1 < lexer->end ? 2 : 1;
        if (!is_escape(p[1])) {
            if (*ok) report_escape(lexer, p, n, in_string);
            *ok &= in_string;
            n = 1;
        }
    } else if (*p == 0 || !(n = utf8_next((Str){ p, (size_t)(lexer->end - p) }, 0, &code))) {
        bool is_latin = *p && in_string;
        if (*ok && !(is_latin && lexer->is_latin)) report_utf8(lexer, p, is_latin);
        lexer->is_latin |= is_latin;
        *ok &= is_latin;
        n = 1;
    }
    return p + n;
}

static Token take_string(Lexer *lexer, const char *from)
{
    const char *p = from + 1;
    bool ok = true, escapes = false;
    for (;;) {
        while (!(class_of(*p) & STRING_END)) p++;
        if (*p == '"') break;
        if (p >= lexer->end) {
            diag_add(lexer->diag, E_UNCLOSED_STRING, span_between(lexer, from, from + 1),
                     "this string is not closed");
            return finish(lexer, T_BAD, from, p);
        }
        escapes |= *p == '\\';
        p = step_special(lexer, p, true, &ok);
        escapes |= lexer->is_latin;
    }
    Token token = finish(lexer, ok ? T_STRING : T_BAD, from, p + 1);
    token.has_escapes = escapes;
    return token;
}

/* What a quoted name of Base Modelica means: a name as the model has it. Words of the language, and
 * what begins with no letter, stay in quotes. */
static Name decode_name(Lexer *lexer, const char *from, const char *to)
{
    ArenaMark mark = arena_mark(lexer->reader->scratch);
    Text text = { .arena = lexer->reader->scratch };
    for (const char *p = from + 1; p < to - 1; p++) {
        if (*p == '\\') p++;
        text_add_char(&text, *p);
    }
    Name name = name_of(lexer->reader->names, (Str){ text.at, text.n });
    bool is_word = name->id < KEYWORD_COUNT || !(class_of(*text.at) & LETTER || *text.at == '\'');
    if (is_word) name = name_of(lexer->reader->names, (Str){ from, (size_t)(to - from) });
    arena_rewind(lexer->reader->scratch, mark);
    return name;
}

static Token take_quoted_name(Lexer *lexer, const char *from)
{
    const char *p = from + 1;
    bool ok = true;
    while (*p != '\'') {
        if (p >= lexer->end || *p == '\n') {
            diag_add(lexer->diag, E_UNCLOSED_IDENT, span_between(lexer, from, from + 1),
                     "this quoted name is not closed on its line");
            return finish(lexer, T_BAD, from, p);
        }
        if (class_of(*p) & STRING_END && *p != '"')
            p = step_special(lexer, p, false, &ok);
        else
            p++;
    }
    if (p == from + 1) {
        diag_add(lexer->diag, E_UNCLOSED_IDENT, span_between(lexer, from, p + 1),
                 "a quoted name may not be empty");
        ok = false;
    }
    p++;
    Token token = finish(lexer, ok ? T_IDENT : T_BAD, from, p);
    if (ok && lexer->is_base)
        token.name = decode_name(lexer, from, p);
    else if (ok)
        token.name = name_of(lexer->reader->names, (Str){ from, (size_t)(p - from) });
    return token;
}

static const char *skip_digits(const char *p)
{
    while (class_of(*p) & DIGIT) p++;
    return p;
}

static Token bad_number(Lexer *lexer, const char *from, const char *to, Code code, const char *what)
{
    while (class_of(*to) & NAME_CHAR) to++;
    diag_add(lexer->diag, code, span_between(lexer, from, to), "%s", what);
    return finish(lexer, T_BAD, from, to);
}

/* Digits and a keyword, as in `1else`, are two tokens, if not well set ones. */
static bool keyword_follows(Lexer *lexer, const char *from, const char *p)
{
    const char *end = p;
    while (class_of(*end) & NAME_CHAR) end++;
    if (name_of(lexer->reader->names, (Str){ p, (size_t)(end - p) })->id >= KEYWORD_COUNT) return false;
    Note *note = diag_add(lexer->diag, E_BAD_NUMBER, span_between(lexer, from, end),
                          "there is no space between a number and a keyword");
    diag_lower(lexer->diag, note);
    return !lexer->diag->strict_language;
}

static Token take_number(Lexer *lexer, const char *from)
{
    const char *p = skip_digits(from);
    bool real = false;
    if (*p == '.') {
        real = true;
        p = skip_digits(p + 1);
    }
    if (*p == 'e' || *p == 'E') {
        const char *digits = p + 1 + (p[1] == '+' || p[1] == '-');
        if (!(class_of(*digits) & DIGIT))
            return bad_number(lexer, from, digits, E_BAD_NUMBER, "the exponent has no digits");
        real = true;
        p = skip_digits(digits);
    }
    if (class_of(*p) & LETTER && !keyword_follows(lexer, from, p))
        return bad_number(lexer, from, p, E_BAD_NUMBER, "a name may not follow a number directly");
    if (*p == '.' && class_of(p[1]) & DIGIT)
        return bad_number(lexer, from, p + 1, E_BAD_NUMBER, "a number has one point at most");
    Token token = finish(lexer, real ? T_REAL : T_INTEGER, from, p);
    if (real) {
        if (real_read(from, p, &token.real) && isfinite(token.real)) return token;
        return bad_number(lexer, from, p, E_NUMBER_RANGE, "this number is too large for a double");
    }
    token.integer = 0;
    for (const char *d = from; d < p; d++) {
        bool overflow = __builtin_mul_overflow(token.integer, (int64_t)10, &token.integer);
        if (overflow || __builtin_add_overflow(token.integer, (int64_t)(*d - '0'), &token.integer))
            return bad_number(lexer, from, p, E_NUMBER_RANGE,
                              "this number is too large for an Integer; written with a point it is a Real");
    }
    return token;
}

/* A run of bytes that begin no token: one report for all of them. */
static Token take_bad(Lexer *lexer, const char *from)
{
    uint32_t code = 0;
    const char *p = from;
    bool is_text = utf8_next((Str){ p, (size_t)(lexer->end - p) }, 0, &code) != 0;
    while (p < lexer->end && !(class_of(*p) & (SPACE | NAME_CHAR)) &&
           (!*p || (*p & 0x80) || !strchr("\"'()[]{}+-*/^.,;:<>=", *p)))
        p++;
    if (p == from) p++;
    Span span = span_between(lexer, from, p);
    if (!is_text)
        report_utf8(lexer, from, false);
    else if (code == '!' || code == '&' || code == '|') {
        Note *note =
            diag_add(lexer->diag, E_BAD_CHARACTER, span, "there is no operator '%c' in Modelica", (char)code);
        diag_hint(lexer->diag, note, "logical operators are 'not', 'and', 'or'; unequal is '<>'");
    } else if (code > 0x20 && code < 0x7F)
        diag_add(lexer->diag, E_BAD_CHARACTER, span, "no token begins with '%c'", (char)code);
    else
        diag_add(lexer->diag, E_BAD_CHARACTER, span, "no token begins with the character U+%04X",
                 (unsigned)code);
    return finish(lexer, T_BAD, from, p);
}

static Token take_dot(Lexer *lexer, const char *p)
{
    static const struct {
        char second;
        TokenKind kind;
    } dotted[] = { { '*', T_DOT_STAR },
                   { '/', T_DOT_SLASH },
                   { '^', T_DOT_HAT },
                   { '+', T_DOT_PLUS },
                   { '-', T_DOT_MINUS } };
    for (size_t i = 0; i < COUNT_OF(dotted); i++)
        if (p[1] == dotted[i].second) return finish(lexer, dotted[i].kind, p, p + 2);
    if (class_of(p[1]) & DIGIT) return take_number(lexer, p);
    return finish(lexer, T_DOT, p, p + 1);
}

Token lexer_next(Lexer *lexer)
{
    if (!skip_space(lexer)) return finish(lexer, T_BAD, lexer->end, lexer->end);
    const char *p = lexer->at;
    if (class_of(*p) & LETTER) return take_name(lexer, p);
    if (class_of(*p) & DIGIT) return take_number(lexer, p);
    switch (*p) {
    case ';': return finish(lexer, T_SEMICOLON, p, p + 1);
    case ',': return finish(lexer, T_COMMA, p, p + 1);
    case '(': return finish(lexer, T_OPEN, p, p + 1);
    case ')': return finish(lexer, T_CLOSE, p, p + 1);
    case '[': return finish(lexer, T_OPEN_BRACKET, p, p + 1);
    case ']': return finish(lexer, T_CLOSE_BRACKET, p, p + 1);
    case '{': return finish(lexer, T_OPEN_BRACE, p, p + 1);
    case '}': return finish(lexer, T_CLOSE_BRACE, p, p + 1);
    case '+': return finish(lexer, T_PLUS, p, p + 1);
    case '-': return finish(lexer, T_MINUS, p, p + 1);
    case '*': return finish(lexer, T_STAR, p, p + 1);
    case '/': return finish(lexer, T_SLASH, p, p + 1);
    case '^': return finish(lexer, T_HAT, p, p + 1);
    case '.': return take_dot(lexer, p);
    case ':': return p[1] == '=' ? finish(lexer, T_ASSIGN, p, p + 2) : finish(lexer, T_COLON, p, p + 1);
    case '=': return p[1] == '=' ? finish(lexer, T_EQUAL_EQUAL, p, p + 2) : finish(lexer, T_EQUALS, p, p + 1);
    case '<':
        if (p[1] == '=') return finish(lexer, T_LESS_EQUAL, p, p + 2);
        return p[1] == '>' ? finish(lexer, T_NOT_EQUAL, p, p + 2) : finish(lexer, T_LESS, p, p + 1);
    case '>':
        return p[1] == '=' ? finish(lexer, T_GREATER_EQUAL, p, p + 2) : finish(lexer, T_GREATER, p, p + 1);
    case '"': return take_string(lexer, p);
    case '\'': return take_quoted_name(lexer, p);
    default: return p >= lexer->end ? finish(lexer, T_END_OF_FILE, p, p) : take_bad(lexer, p);
    }
}
