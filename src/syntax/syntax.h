/* syntax.h: the door of the syntax room: Modelica text in, syntax trees out; and libraries, whose
 * files are read when a name in them is first needed.
 *
 * A tree belongs to its file's arena and is never changed after parsing. It keeps the order of the
 * text, byte spans, descriptions and annotations; it drops comments and needless parentheses.
 * Nesting is limited (NESTING_LIMIT), long sums are one node, so walking a tree recursively is
 * safe. */
#ifndef ACAUSAL_SYNTAX_H
#define ACAUSAL_SYNTAX_H

#include "base/base.h"

/* expressions in expressions, classes in classes, statements in statements */
enum { NESTING_LIMIT = 1000 };

typedef struct Expr Expr;
typedef struct Stmt Stmt;
typedef struct Class Class;
typedef struct Argument Argument;
typedef struct Unit Unit;

/* A list of pointers to expressions. */
typedef struct {
    Expr **at;
    uint32_t n;
} Exprs;

/* A dotted name: a type specifier, the name of an import. */
typedef struct {
    Name *at;
    uint32_t n;
    bool global; /* began with a dot */
    Span span;
} Path;

/* ---- expressions ----------------------------------------------------------------------------- */

typedef enum {
    EXPR_REAL,
    EXPR_INTEGER,
    EXPR_BOOLEAN,
    EXPR_STRING,
    EXPR_REF,           /* a.b[1].c; also `der`, `initial` and `pure` as names of what is called */
    EXPR_CALL,          /* callee(items) */
    EXPR_PARTIAL,       /* function callee(items): partial application, all items named */
    EXPR_NAMED,         /* name = left, among the items of a call */
    EXPR_COMPREHENSION, /* left for indices, the only item of a call or an array */
    EXPR_UNARY,         /* op left */
    EXPR_BINARY,        /* left op right: relations and powers, which do not chain */
    /* items joined from the left by operators of one precedence: see expr_chain_op */
    EXPR_CHAIN,
    EXPR_IF,        /* items: condition, value, condition, value, ..., value */
    EXPR_RANGE,     /* items: start, stop; or start, step, stop */
    EXPR_ARRAY,     /* {items} */
    EXPR_MATRIX,    /* [items], each an EXPR_ROW */
    EXPR_ROW,       /* items */
    EXPR_TUPLE,     /* (items), two or more or one left out */
    EXPR_OMITTED,   /* a place left empty in a tuple */
    EXPR_SUBSCRIPT, /* (left)[items] */
    EXPR_FIELD,     /* (left).name */
    EXPR_END,       /* `end` in a subscript */
    EXPR_COLON,     /* `:` as a whole subscript */
    EXPR_BREAK      /* the modifier `= break` */
} ExprKind;

typedef enum {
    OP_OR,
    OP_AND,
    OP_NOT,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_ADD,
    OP_SUBTRACT,
    OP_ADD_EACH,
    OP_SUBTRACT_EACH,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_MULTIPLY_EACH,
    OP_DIVIDE_EACH,
    OP_POWER,
    OP_POWER_EACH,
    OP_COUNT
} Op;

/* One part of a reference: a name with its subscripts. */
typedef struct {
    Name name;
    Exprs subscripts; /* n == 0: none */
    Span span;        /* of the name */
} RefPart;

typedef struct {
    Name name;
    Expr *range; /* NULL: to be found from the use of the index */
    Span span;
} ForIndex;

/* An expression. Only as much memory as its kind needs is there, so never copy one by value. */
struct Expr {
    uint8_t kind; /* ExprKind */
    uint8_t op;   /* Op */
    bool flag;    /* EXPR_REF: began with a dot; EXPR_BOOLEAN: the value */
    uint32_t n;   /* of parts, items, indices, bytes of a string */
    Span span;
    union {
        double real;
        int64_t integer;
        const char *text; /* EXPR_STRING: n bytes, escapes resolved */
        RefPart *parts;
        Expr **items;
        Expr *left;
    };
    union { /* only for the kinds that need it */
        Expr *right;
        Expr *callee;      /* an EXPR_REF */
        Expr **subscripts; /* n of them */
        ForIndex *indices; /* n of them */
        Name name;
    };
};

/* The operator of a chain between items i and i + 1. */
static inline Op expr_chain_op(const Expr *chain, uint32_t i)
{
    return (Op)((const uint8_t *)(chain->items + chain->n))[i];
}
const char *op_text(Op op);
/* How strongly an operator binds: a larger number binds more. */
int op_precedence(Op op);

/* ---- modifications, descriptions, annotations ------------------------------------------------ */

/* (arguments) = value; any of both may be missing. */
typedef struct {
    Argument **arguments;
    uint32_t n;
    bool has_arguments; /* "()" is there even when n == 0 */
    Expr *value;        /* NULL if there is none */
    Span span;
} Modification;

/* What stands behind a declaration, an equation, a statement. */
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

/* ---- files ----------------------------------------------------------------------------------- */

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

Names *syntax_names_new(void); /* a table of names that knows the keywords: parsers need this one */

/* What a thread needs to parse files one after the other: a cache and room to work. */
typedef struct Reader Reader;
Reader *reader_new(Names *names);
void reader_free(Reader *reader);

/* Parses a text into `arena`. Never NULL: what could not be understood is reported and left out. */
Tree *syntax_parse(Reader *reader, const Source *source, Arena *arena, Diag *diag);

/* Writes a tree as well-formed Modelica that parses to an equal tree. */
void syntax_print(const Tree *tree, Text *out);
void syntax_print_class(const Class *cls, Text *out);
void syntax_print_expr(const Expr *e, Text *out);
const char *class_kind_text(unsigned kind); /* "model" of a ClassKind */
/* Whether two trees say the same; spans do not count. */
bool syntax_equal(const Tree *a, const Tree *b);

/* ---- annotations ----------------------------------------------------------------------------- */

/* The modifier of this name among the arguments; NULL if there is none, or no modification at
 * all. */
const Argument *modification_find(const Modification *m, const char *name);
/* The string that the modifier of this name is set to; at == NULL if it is none. */
Str modification_string(const Modification *m, const char *name);
const Modification *class_annotation(const Class *cls); /* NULL if there is none */

/* ---- libraries: library.c, search.c, survey.c ------------------------------------------------ */

typedef enum { UNIT_DIRECTORY, UNIT_FILE } UnitKind;

/* A class that has a file or a directory of its own. */
struct Unit {
    Name name;
    UnitKind kind;
    Unit *parent;     /* the package whose directory it is in; NULL for a root */
    const char *path; /* of the directory or of the file */
    Str version;      /* of a root, by its folder's name; n == 0 if that has none */
    /* inside: */
    bool listed, loaded;
    uint64_t device, inode;   /* of a directory: two units may not be one */
    VEC(const char *) beside; /* directories in its directory that are no packages */
    VEC(Unit *) children;     /* in the order of package.order, then by name */
    Map by_name;
    Class *cls;
    Tree *tree;
};

typedef struct Libraries Libraries; /* for one thread */

Libraries *libraries_new(Names *names, Sources *sources);
void libraries_free(Libraries *libraries);
Names *libraries_names(const Libraries *libraries);

/* A directory in which libraries are looked for, or a library itself. Earlier ones come first. */
void libraries_add_path(Libraries *libraries, const char *directory);
/* The directories of a colon-separated list, such as the value of MODELICAPATH. */
void libraries_add_path_list(Libraries *libraries, const char *list);

/* Parses one file, as a text on its own; NULL if it could not be read. */
Tree *libraries_parse_file(Libraries *libraries, const char *path, Diag *diag);

/* Opens a library or a user's file: a directory with package.mo, or a .mo file. All classes of a
 * file become roots; of a file that is part of a library, the library is opened. Returns the first
 * class; NULL after an error. */
Class *libraries_open(Libraries *libraries, const char *path, Diag *diag);

/* The same for a text that is in no file; messages call it `label`. */
Class *libraries_open_text(Libraries *libraries, const char *label, Str text, Diag *diag);

/* The same without reading a file: the root of a library's directory; NULL after an error. */
Unit *libraries_open_directory(Libraries *libraries, const char *path, Diag *diag);

/* The root of this name: an open one, or one that is found in the path, in the version that the
 * library around `from` says it uses. Silent and NULL if there is none; other errors are
 * reported. */
Unit *libraries_root(Libraries *libraries, Name name, const Unit *from, Diag *diag);

/* Lists all directories of a library, without reading any file. Returns the number of units. */
size_t libraries_index(Libraries *libraries, Unit *root, Diag *diag);

/* The class of a unit; its file is parsed now if it was not yet. NULL if it could not be read. */
Class *unit_class(Libraries *libraries, Unit *unit, Diag *diag);
/* The unit of this name in a package's directory; NULL if there is none. */
Unit *unit_child(Libraries *libraries, Unit *unit, Name name, Diag *diag);
const Unit *unit_root(const Unit *unit);

/* The class around a class, in its file or by its directory; NULL for a root. */
Class *class_parent(Libraries *libraries, const Class *cls, Diag *diag);
/* The class of this name declared in a class itself: in its text or, for a package, in its
 * directory. */
Class *class_child(Libraries *libraries, const Class *cls, Name name, Diag *diag);
/* The same, but only of those in files of their own. */
Class *class_stored_child(Libraries *libraries, const Class *cls, Name name, Diag *diag);
/* The unit that a class is stored in. */
Unit *class_unit(const Class *cls);
/* "Modelica.Blocks.Sources" */
void class_full_name(const Class *cls, Text *out);

/* The class of a dotted name, from the roots. Reports what is missing, with the nearest name. */
Class *libraries_find(Libraries *libraries, const char *dotted, Diag *diag);

/* The path of a file that a modelica:// URI names, in `arena`; NULL, with a report, if there is no
 * such class. Whether the file exists is not asked. */
char *libraries_resolve_uri(Libraries *libraries, const char *uri, Arena *arena, Diag *diag);

typedef struct {
    size_t files, classes, lines, bytes;
} SurveyReport;

/* Parses all Modelica files at and below the paths, on several threads, and checks names, `within`
 * and package.order. Diagnostics come in the order of the files. */
void libraries_survey(Libraries *libraries, const char *const *paths, size_t n, unsigned threads, Diag *diag,
                      SurveyReport *report);

#endif
