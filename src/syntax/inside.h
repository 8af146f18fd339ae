/* inside.h: what the lexer and the files of the parser share; and, at the end, the files on
 * libraries. */
#ifndef ACAUSAL_SYNTAX_INSIDE_H
#define ACAUSAL_SYNTAX_INSIDE_H

#include "syntax/syntax.h"

/* Keywords are interned first and in this order, so that a name's id is its keyword's number. */
#define KEYWORDS(X)                   \
    X(ALGORITHM, "algorithm")         \
    X(AND, "and")                     \
    X(ANNOTATION, "annotation")       \
    X(BLOCK, "block")                 \
    X(BREAK, "break")                 \
    X(CLASS, "class")                 \
    X(CONNECT, "connect")             \
    X(CONNECTOR, "connector")         \
    X(CONSTANT, "constant")           \
    X(CONSTRAINEDBY, "constrainedby") \
    X(DER, "der")                     \
    X(DISCRETE, "discrete")           \
    X(EACH, "each")                   \
    X(ELSE, "else")                   \
    X(ELSEIF, "elseif")               \
    X(ELSEWHEN, "elsewhen")           \
    X(ENCAPSULATED, "encapsulated")   \
    X(END, "end")                     \
    X(ENUMERATION, "enumeration")     \
    X(EQUATION, "equation")           \
    X(EXPANDABLE, "expandable")       \
    X(EXTENDS, "extends")             \
    X(EXTERNAL, "external")           \
    X(FALSE, "false")                 \
    X(FINAL, "final")                 \
    X(FLOW, "flow")                   \
    X(FOR, "for")                     \
    X(FUNCTION, "function")           \
    X(IF, "if")                       \
    X(IMPORT, "import")               \
    X(IMPURE, "impure")               \
    X(IN, "in")                       \
    X(INITIAL, "initial")             \
    X(INNER, "inner")                 \
    X(INPUT, "input")                 \
    X(LOOP, "loop")                   \
    X(MODEL, "model")                 \
    X(NOT, "not")                     \
    X(OPERATOR, "operator")           \
    X(OR, "or")                       \
    X(OUTER, "outer")                 \
    X(OUTPUT, "output")               \
    X(PACKAGE, "package")             \
    X(PARAMETER, "parameter")         \
    X(PARTIAL, "partial")             \
    X(PROTECTED, "protected")         \
    X(PUBLIC, "public")               \
    X(PURE, "pure")                   \
    X(RECORD, "record")               \
    X(REDECLARE, "redeclare")         \
    X(REPLACEABLE, "replaceable")     \
    X(RETURN, "return")               \
    X(STREAM, "stream")               \
    X(THEN, "then")                   \
    X(TRUE, "true")                   \
    X(TYPE, "type")                   \
    X(WHEN, "when")                   \
    X(WHILE, "while")                 \
    X(WITHIN, "within")

typedef enum {
#define X(id, text) T_##id,
    KEYWORDS(X)
#undef X
        KEYWORD_COUNT,
    T_IDENT = KEYWORD_COUNT,
    T_STRING,
    T_INTEGER,
    T_REAL,
    T_SEMICOLON,
    T_COMMA,
    T_COLON,
    T_ASSIGN,
    T_EQUALS,
    T_OPEN,
    T_CLOSE,
    T_OPEN_BRACKET,
    T_CLOSE_BRACKET,
    T_OPEN_BRACE,
    T_CLOSE_BRACE,
    T_DOT,
    T_PLUS,
    T_MINUS,
    T_STAR,
    T_SLASH,
    T_HAT,
    T_DOT_PLUS,
    T_DOT_MINUS,
    T_DOT_STAR,
    T_DOT_SLASH,
    T_DOT_HAT,
    T_LESS,
    T_LESS_EQUAL,
    T_GREATER,
    T_GREATER_EQUAL,
    T_EQUAL_EQUAL,
    T_NOT_EQUAL,
    T_END_OF_FILE,
    T_BAD, /* reported already; or, in the parser, an error from which it has not recovered */
    TOKEN_COUNT
} TokenKind;

typedef struct {
    uint8_t kind;     /* TokenKind */
    bool has_escapes; /* T_STRING */
    Span span;
    union {
        Name name; /* T_IDENT and keywords */
        double real;
        int64_t integer;
    };
} Token;

enum { NAME_CACHE = 4096 };

struct Reader {
    Names *names;
    Arena *scratch; /* lists under construction */
    Name cache[NAME_CACHE];
};

typedef struct {
    Reader *reader;
    const char *start, *at, *end; /* *end == 0 */
    uint32_t base;
    Diag *diag;
    bool is_latin; /* some string is no UTF-8 */
    bool is_base;  /* Base Modelica: quotes are no part of names */
} Lexer;

bool is_escape(char c);
void lexer_start(Lexer *lexer, Reader *reader, const Source *source, Diag *diag);
Token lexer_next(Lexer *lexer);
const char *token_text(TokenKind kind); /* "'while'", "a name", "end of file" */

/* The parser. While `token` is T_BAD no production matches, so that loops end and nothing more is
 * reported; the lists of equations and of elements recover and go on with the token in `held`. */
typedef struct {
    Lexer lexer;
    Token token, held, next;
    bool has_next;
    bool gave_up;                 /* an error that nothing can be made of: the rest is not read */
    uint32_t previous_end;        /* of the last token taken */
    Span last_string;             /* the last string taken */
    uint32_t depth;               /* of nesting */
    uint32_t brackets;            /* open square ones */
    uint32_t subscripts;          /* of those, subscripts: `end` means something there */
    uint32_t open[KEYWORD_COUNT]; /* how many constructs that this keyword opens are open */
    bool closed_early;            /* an 'end' is missing: the item ends without a semicolon */
    bool ended;                   /* that the file ends too soon has been reported */
    uint32_t class_count;
    Class *cls; /* the innermost open one */
    Reader *reader;
    Arena *arena;
    Diag *diag;
    VEC(char) stack; /* items of open lists, on reader->scratch */
} Parser;

/* parse.c: tokens, errors, recovery, lists */
void parser_advance(Parser *p);
const Token *parser_peek(Parser *p); /* the token after the current one */
bool parser_accept(Parser *p, TokenKind kind);
/* Takes a token, or reports that `what` was expected. */
bool parser_expect(Parser *p, TokenKind kind, const char *what);
void parser_expected(Parser *p, const char *what);
void parser_expected_here(Parser *p, Span span, const char *what);
/* Reports, and understands nothing more until the next recovery. */
Note *parser_fail(Parser *p, Code code, Span span, const char *format, ...) PRINTF_LIKE(4, 5);
bool parser_enter(Parser *p); /* one level deeper; false when that is too deep */
static inline void parser_leave(Parser *p) { p->depth--; }
static inline bool parser_is(const Parser *p, TokenKind kind) { return p->token.kind == kind; }
Span parser_span_from(const Parser *p, uint32_t start); /* up to the last token taken */
/* Ends a statement or an element: a semicolon, or after a mistake the place where the next one
 * begins. */
void parser_end_item(Parser *p, const char *what);
/* Passes over at least one token, to the beginning of the next item. */
void parser_skip_item(Parser *p);
/* whether a token can only begin an element, a section or an end */
bool starts_afresh(TokenKind kind);

/* Lists of unknown length: parser_begin, parser_push for each item, then parser_take copies all to
 * the arena. */
static inline uint32_t parser_begin(const Parser *p) { return p->stack.n; }
void parser_push(Parser *p, const void *item, uint32_t size);
void *parser_take(Parser *p, uint32_t begin, uint32_t size, uint32_t *n);
static inline void parser_push_expr(Parser *p, Expr *e) { parser_push(p, &e, sizeof e); }
static inline Exprs parser_take_exprs(Parser *p, uint32_t begin)
{
    Exprs list;
    list.at = parser_take(p, begin, sizeof(Expr *), &list.n);
    return list;
}

Name parse_ident(Parser *p, const char *what);
Path parse_path(Parser *p, const char *what);

/* parse_expr.c */
Expr *parse_expression(Parser *p);
Expr *parse_simple_expression(Parser *p);
Expr *parse_output_expression_list(Parser *p);
Expr *parse_component_reference(Parser *p);
Exprs parse_array_subscripts(Parser *p);   /* empty if there are none */
Exprs parse_function_arguments(Parser *p); /* after the opening parenthesis */
ForIndex *parse_for_indices(Parser *p, uint32_t *n);
Str parse_string_token(Parser *p);
Expr *expr_new(Parser *p, ExprKind kind, uint32_t start);

/* parse_stmt.c */
Stmts parse_block(Parser *p, bool in_algorithm); /* equations or statements */
bool starts_section(Parser *p);
Stmt *parse_stmt(Parser *p, bool in_algorithm); /* without its description */
Stmt *parse_connect_equation(Parser *p);

/* parse_modify.c */
Modification *parse_modification(Parser *p);       /* NULL if there is none */
Modification *parse_class_modification(Parser *p); /* NULL if there is none */
Modification *parse_annotation(Parser *p);         /* NULL if there is none */
Comment *parse_description(Parser *p);             /* NULL if there is none */
Comment *parse_description_string(Parser *p);      /* without annotation */
Constraint *parse_constraining_clause(Parser *p);  /* NULL if there is none */

/* parse_class.c */
bool starts_class(const Parser *p);
void report_missing_end(Parser *p, const char *what, Span opened);
Class *parse_class_definition(Parser *p, bool short_only);
Clause *parse_component_clause(Parser *p, bool in_argument);

/* parse_base.c: Base Modelica (MCP-0031) */
bool base_element(Parser *p, Element *const *elements, uint32_t n);
void base_local(const Class *cls, Element *element);
Class *base_model(Parser *p, Class *package);

/* library.c, search.c, survey.c */
struct Libraries {
    Names *names;
    Sources *sources;
    Arena *arena; /* units, and the trees of files that are parsed one by one */
    Reader *reader;
    VEC(const char *) path;   /* directories in which libraries are looked for */
    VEC(Unit *) roots;        /* in the order of opening */
    VEC(Arena *) tree_arenas; /* of surveys, one a thread */
};

const Source *library_open_source(Libraries *libs, const char *path, Diag *diag);
Unit *library_new_unit(Libraries *libs, UnitKind kind, Unit *parent, Name name, const char *path);
const char *unit_file(Arena *arena, const Unit *unit); /* the file that holds the unit's class */
Str unit_order(Libraries *libs, Arena *arena, const Unit *unit, Diag *diag); /* package.order */
void unit_adopt(Unit *unit, Tree *tree, Diag *diag);
Str text_next_line(Str *rest); /* takes a line, without white space around it */
bool file_is_modelica(Str name);

#endif
