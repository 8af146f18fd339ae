/* class.h: modifications, equations, statements, classes and whole texts as syntax trees. */
#ifndef ACAUSAL_SYNTAX_CLASS_H
#define ACAUSAL_SYNTAX_CLASS_H

#include "syntax/expr.h"

/* ---- modifications, descriptions, annotations ------------------------------------------------ */

/* (arguments) = value; any of both may be missing. */
typedef struct {
    Argument **arguments;
    uint32_t n;
    bool has_arguments; /* "()" is there even when n == 0 */
    Expr *value;        /* NULL if there is none */
    Span span;
} Modification;

/* What stands after a declaration, an equation, a statement. */
typedef struct {
    Str text; /* of the description; at == NULL if there is none */
    Modification *annotation;
} Comment;

typedef struct {
    Path type;
    Modification *modification;
    Comment *comment;
} Constraint;

/* Prefixes of elements and arguments. */
enum {
    IS_PROTECTED = 1,
    IS_REDECLARE = 2,
    IS_FINAL = 4,
    IS_INNER = 8,
    IS_OUTER = 16,
    IS_REPLACEABLE = 32,
    IS_EACH = 64
};

typedef struct Element Element;

typedef enum {
    ARGUMENT_MODIFY,       /* names modification comment */
    ARGUMENT_ELEMENT,      /* a redeclared or replaceable class or component */
    ARGUMENT_BREAK_NAME,   /* break IDENT */
    ARGUMENT_BREAK_CONNECT /* break connect(a, b) */
} ArgumentKind;

struct Argument {
    uint8_t kind;  /* ArgumentKind */
    uint8_t flags; /* IS_EACH, IS_FINAL */
    uint16_t name_count;
    Span span;
    Name *names; /* ARGUMENT_MODIFY, ARGUMENT_BREAK_NAME */
    union {
        Modification *modification; /* may be NULL */
        Element *element;
        Stmt *connect;
    };
    Comment *comment; /* may be NULL */
};

/* ---- equations and statements ---------------------------------------------------------------- */

typedef enum {
    STMT_EQUAL,   /* left = right, in equation sections */
    STMT_CONNECT, /* connect(left, right) */
    STMT_ASSIGN,  /* left := right; left may be a tuple */
    STMT_CALL,    /* left, an EXPR_CALL */
    STMT_IF,      /* branches; one without a condition is the last, the else */
    STMT_WHEN,    /* branches */
    STMT_FOR,     /* indices, the body in branches[0] */
    STMT_WHILE,   /* branches[0] */
    STMT_BREAK,
    STMT_RETURN
} StmtKind;

typedef struct {
    Stmt **at;
    uint32_t n;
} Stmts;

typedef struct {
    Expr *condition;
    Stmts body;
} Branch;

/* An equation of an equation section, or a statement of an algorithm section. */
struct Stmt {
    uint8_t kind; /* StmtKind */
    uint32_t n;   /* of branches */
    uint32_t index_count;
    Span span;
    Comment *comment; /* may be NULL */
    union {
        Expr *left;
        Branch *branches;
    };
    union {
        Expr *right;
        ForIndex *indices;
    };
};

typedef struct {
    bool is_algorithm, is_initial;
    Stmts body;
    Span span;
} Section;

/* ---- classes --------------------------------------------------------------------------------- */

typedef enum {
    CLASS_CLASS,
    CLASS_MODEL,
    CLASS_BLOCK,
    CLASS_RECORD,
    CLASS_CONNECTOR,
    CLASS_TYPE,
    CLASS_PACKAGE,
    CLASS_FUNCTION,
    CLASS_OPERATOR
} ClassKind;

/* Prefixes of classes. */
enum {
    CLASS_ENCAPSULATED = 1,
    CLASS_PARTIAL = 2,
    CLASS_EXPANDABLE = 4,
    CLASS_IS_OPERATOR = 8, /* operator record, operator function */
    CLASS_PURE = 16,
    CLASS_IMPURE = 32
};

typedef enum {
    FORM_LONG,        /* class A ... end A */
    FORM_EXTENDS,     /* class extends A(...) ... end A */
    FORM_SHORT,       /* class A = B[...](...) */
    FORM_ENUMERATION, /* type A = enumeration(...) */
    FORM_DER          /* function A = der(B, x, y) */
} ClassForm;

typedef enum { FLOW_NONE, FLOW_FLOW, FLOW_STREAM } Flow;
typedef enum {
    VARIABILITY_NONE,
    VARIABILITY_DISCRETE,
    VARIABILITY_PARAMETER,
    VARIABILITY_CONSTANT
} Variability;
typedef enum { CAUSALITY_NONE, CAUSALITY_INPUT, CAUSALITY_OUTPUT } Causality;

typedef struct {
    Name name;
    Span span; /* of the name */
    Exprs subscripts;
    Modification *modification; /* may be NULL */
    Expr *condition;            /* may be NULL */
    Comment *comment;           /* may be NULL */
} Declaration;

/* prefixes type[subscripts] declarations */
typedef struct {
    uint8_t flow, variability, causality; /* Flow, Variability, Causality */
    Path type;
    Exprs subscripts;
    Declaration *declarations;
    uint32_t n;
} Clause;

typedef struct {
    Path type;
    Modification *modification; /* may hold ARGUMENT_BREAK_*; may be NULL */
    Modification *annotation;   /* may be NULL */
} Extends;

typedef enum { IMPORT_QUALIFIED, IMPORT_RENAMED, IMPORT_ALL, IMPORT_LIST } ImportKind;

typedef struct {
    ImportKind kind;
    Path path;
    Name alias;  /* IMPORT_RENAMED */
    Name *names; /* IMPORT_LIST */
    uint32_t n;
    Comment *comment; /* may be NULL */
} Import;

typedef enum { ELEMENT_CLASS, ELEMENT_COMPONENT, ELEMENT_EXTENDS, ELEMENT_IMPORT } ElementKind;

struct Element {
    uint8_t kind;  /* ElementKind */
    uint8_t flags; /* IS_... */
    Span span;
    union {
        Class *cls;
        Clause *clause;
        Extends *extends;
        Import *import;
    };
    Constraint *constraint; /* constrainedby; may be NULL */
};

typedef struct {
    Str language; /* "C" if none is written; written == false then */
    bool written;
    Expr *result;  /* NULL if there is none */
    Name function; /* NULL if the call is left out */
    Exprs arguments;
    Modification *annotation;
    Span span;
} External;

typedef struct {
    Name name;
    Comment *comment; /* may be NULL */
    Span span;
} Literal;

struct Class {
    Name name;
    uint8_t kind, form, flags; /* ClassKind, ClassForm, CLASS_... */
    bool is_final;             /* of a stored class; otherwise the element says it */
    Span span, name_span;
    Class *outer;       /* the class around it in its file; NULL for the file's own classes */
    Unit *unit;         /* where a file's own class stands in its library; NULL for others */
    Comment *comment;   /* description and annotation; may be NULL */
    Element **elements; /* long forms */
    uint32_t element_count;
    uint32_t section_count;
    Section **sections;
    External *external;         /* may be NULL */
    Path base;                  /* FORM_SHORT, FORM_DER */
    Exprs subscripts;           /* FORM_SHORT */
    Modification *modification; /* FORM_SHORT, FORM_EXTENDS; may be NULL */
    uint8_t causality;          /* FORM_SHORT: base prefix */
    bool any_literals;          /* FORM_ENUMERATION: (:) */
    uint32_t literal_count;
    Literal *literals; /* FORM_ENUMERATION */
    Path variables;    /* FORM_DER: the names after the comma */
};

/* A parsed text. */
typedef struct {
    const Source *source;
    bool has_within;
    Path within; /* n == 0 for `within;` */
    Class **classes;
    uint32_t n;
    uint32_t class_count; /* inner ones included */
    uint32_t line_count;
} Tree;

#endif
