/* flat.h: the door of the flat room: a model without classes: scalar variables, scalar equations,
 * algorithms, and the functions they call.
 *
 * Everything is a 32-bit index into a dense array. Lists (arguments, bodies) are ranges of `ids`.
 * Always: an expression's arguments have smaller ids than it, a statement's inner statements
 * smaller ones than it, so that passes are loops. Equations are scalar; arrays are whole in
 * functions, in what is passed to them, and as origin: each variable knows its array and its place
 * in it. A Flat and all it points to live in one arena. */
#ifndef ACAUSAL_FLAT_H
#define ACAUSAL_FLAT_H

#include "flat/expr.h"
#include "trust/trust.h"

/* ---- variables ------------------------------------------------------------------------------- */

typedef enum { VARIES_CONSTANT, VARIES_PARAMETER, VARIES_DISCRETE, VARIES_CONTINUOUS } Varies;
typedef enum { CAUSES_LOCAL, CAUSES_INPUT, CAUSES_OUTPUT } Causes; /* at the top of the model */
enum {
    VAR_FLOW = 1,
    VAR_PROTECTED = 2,
    VAR_FINAL = 4,      /* may not be set from outside */
    VAR_STRUCTURAL = 8, /* its value was used to build the model: may not change any more */
    VAR_CONNECTOR = 16, /* inside of a connector */
    VAR_EVALUATE = 32,  /* annotation(Evaluate = true): its value may be evaluated at translation */
    VAR_INPUT = 64      /* an input of a component */
};

typedef enum {
    ATTRIBUTE_START,
    ATTRIBUTE_FIXED,
    ATTRIBUTE_MIN,
    ATTRIBUTE_MAX,
    ATTRIBUTE_NOMINAL,
    ATTRIBUTE_STATE_SELECT,
    ATTRIBUTE_COUNT
} Attribute;
const char *attribute_text(Attribute a);

typedef struct {
    const char *name; /* "a.b[3].c" */
    TypeId type;      /* a scalar */
    uint8_t varies, causes, flags;
    uint32_t array;     /* in `arrays`; NONE for a scalar */
    uint32_t index;     /* in its array, row by row, from 0 */
    uint32_t partition; /* 0: continuous */
    ExprId binding;     /* NONE if it has none */
    ExprId attributes[ATTRIBUTE_COUNT];
    Str quantity, unit, display_unit, about;
    /* "Modelica.Units.SI.Voltage"; NULL: one of the built-in types themselves */
    const char *type_name;
    Span span;      /* of the declaration */
    Span top;       /* of the component of the model itself that it is a part of, or is */
    Span needed_at; /* with VAR_STRUCTURAL: what the structure needed its value for */
} FlatVar;

typedef struct {
    const char *name;
    VarId first;
    uint32_t n, rank;
    int32_t *sizes;
} FlatArray;

/* ---- equations, statements, functions -------------------------------------------------------- */

typedef enum {
    S_EQUAL,     /* left = right; left may be an X_TUPLE, of variables, when right is a call */
    S_ASSIGN,    /* left := right */
    S_IF,        /* branches */
    S_WHEN,      /* branches */
    S_FOR,       /* index: the local that runs; left: the range; one branch */
    S_WHILE,     /* one branch */
    S_CALL,      /* left, for its effect */
    S_ASSERT,    /* left: the condition, right: the message, level: an expression or NONE */
    S_TERMINATE, /* left: the message */
    S_REINIT,    /* left: the state, right: its new value */
    S_BREAK,
    S_RETURN
} FlatStmtKind;

typedef struct {
    ExprId condition;  /* NONE: else */
    uint32_t first, n; /* statements, in ids */
} FlatBranch;

typedef struct {
    uint8_t kind;
    bool from_connect; /* made by a connection */
    uint32_t partition;
    uint32_t group; /* equations of one array equation or one loop share this number; 0: none */
    ExprId left, right, level;
    uint32_t index;
    uint32_t first, n; /* branches */
    Span span;
} FlatStmt;

typedef struct {
    bool initial;
    uint32_t first, n; /* statements, in ids */
    Span span;
} FlatAlgorithm;

typedef enum { LOCAL_INPUT, LOCAL_OUTPUT, LOCAL_PROTECTED, LOCAL_LOOP } LocalRole;

typedef struct {
    const char *name;
    TypeId type;
    uint8_t role;
    ExprId binding;       /* NONE if it has none */
    uint32_t sizes_first; /* expressions of its sizes, in ids; NONE where left open */
} FlatLocal;

/* annotation(derivative(order = ..., zeroDerivative = ..., noDerivative = ...) = function): by the
 * specification (12.7.1) `function` takes the inputs, then the derivatives of those Real inputs
 * that are not left out, order by order. */
typedef struct {
    FuncId function;
    uint32_t order;              /* of the derivative, from 1 */
    uint32_t zero_first, zero_n; /* inputs that must be constant for it to hold, in ids */
    uint32_t none_first, none_n; /* inputs that have no derivative in its arguments, in ids */
} FlatDerivative;

/* annotation(inverse(u = g(y, p))): input u from the output y and other inputs. */
typedef struct {
    uint32_t input;
    ExprId call; /* of locals of the function itself */
} FlatInverse;

typedef enum {
    INLINE_OPEN,  /* nothing is said */
    INLINE_NEVER, /* Inline = false */
    INLINE_EARLY, /* Inline = true */
    INLINE_LATE,  /* LateInline, InlineAfterIndexReduction */
} Inlining;

typedef struct {
    const char *name;
    VEC(FlatLocal) locals; /* inputs first, then outputs, then the rest */
    uint32_t inputs, outputs;
    uint32_t first, n; /* statements, in ids */
    bool impure, external;
    bool calls_impure; /* and does not say so */
    bool partial;      /* only the type of inputs that are functions */
    /* inputs: it is the partial derivative by these, one after the other, of the function */
    VEC(uint32_t)
    by;
    FuncId of;          /* which has the same inputs and outputs */
    Str language;       /* of an external function */
    const char *symbol; /* the function it calls */
    ExprId result;      /* where the returned value goes; NONE if nowhere */
    uint32_t args_first, args_n;
    VEC(const char *) libraries;   /* Library annotation of an external function */
    const char *library_directory; /* where they are; NULL: not said */
    const char *include;           /* Include annotation: C text; NULL: none */
    const char *include_directory; /* where files are that it includes; NULL: not said */
    const char *origin;            /* the library or file that declares it; NULL: not known */
    /* what its annotation says: */
    uint8_t inlining;      /* Inlining */
    bool generates_events; /* GenerateEvents = true */
    int32_t smooth_order;  /* smoothOrder; -1: nothing is said */
    VEC(FlatDerivative) derivatives;
    VEC(FlatInverse) inverses;
    Span span;
} FlatFunction;

/* A component that by itself has more or fewer equations than unknowns; one for each class. */
typedef struct {
    const char *component, *class_name;
    Span span, class_span; /* of the declaration; of the class */
    uint32_t unknowns, equations;
    uint32_t others; /* so many more of this class */
} FlatImbalance;

typedef struct {
    Arena *arena;
    const char *name;
    Span span;    /* of the class's name */
    Span home;    /* the whole text that the class is in: the user's, libraries are others */
    bool is_open; /* it has connectors with flows itself: a part, not a whole model */
    VEC(FlatType) types;
    VEC(FlatDef) defs;
    VEC(FlatExpr) exprs;
    VEC(uint32_t) ids;
    VEC(FlatVar) vars;
    VEC(FlatArray) arrays;
    VEC(FlatStmt) stmts;
    VEC(FlatBranch) branches;
    VEC(StmtId) equations, initial_equations;
    VEC(FlatAlgorithm) algorithms;
    Permit *permit; /* whose foreign code may run */
    VEC(FlatFunction) functions;
    VEC(const char *) loops; /* names of what X_LOCAL means outside of functions */
    uint32_t group_count;
    VEC(FlatImbalance) imbalances;
    Map type_map;
} Flat;

Flat *flat_new(Arena *arena, const char *name);
bool flat_has_foreign_code(const Flat *flat); /* C text or shared libraries */
TypeId flat_type(Flat *flat, Base base, DefId def, uint32_t rank, const int32_t *sizes);
uint32_t flat_list(Flat *flat, const uint32_t *items, uint32_t n); /* its first place in ids */
ExprId flat_expr(Flat *flat, FlatExpr e, const ExprId *args, uint32_t n);
StmtId flat_stmt(Flat *flat, FlatStmt s, const FlatBranch *branches, uint32_t n);
const char *builtin_text(Builtin b);
void flat_share_functions(Flat *flat); /* equal functions become one: share.c */

/* What must match in a model that can be simulated. */
typedef struct {
    uint32_t variables; /* that change with time, scalar ones */
    uint32_t unknowns;  /* of those, not given from outside */
    uint32_t equations; /* scalar: bindings, equations, connections, algorithms' results */
    uint32_t parameters, constants;
    uint32_t states; /* variables that der() is applied to */
} FlatCount;
FlatCount flat_count(const Flat *flat);
uint32_t flat_count_branch(const Flat *flat, const FlatBranch *branch); /* scalar equations in it */

/* Some of the equations and algorithms of a model, one after the other. */
typedef struct {
    uint32_t equation, equation_end, algorithm, algorithm_end;
} FlatRange;
/* Scalar equations in it. `seen` is zero by VarId and `bodies` zero at first; both are for the next
 * call, too. */
uint32_t flat_count_range(const Flat *flat, const FlatRange *range, uint32_t *seen, uint32_t *bodies);

/* Reports a model whose counts differ, with the likely culprits; warns where only components are
 * unbalanced. */
void flat_explain_balance(const Flat *flat, const FlatCount *c, Diag *diag, Arena *arena);

/* Warns of circuits whose potentials nothing fixes, in a model whose counts match. */
void flat_check_ground(const Flat *flat, Diag *diag, Arena *arena);

/* By VarId: 0 where no equation, binding or algorithm uses the variable; FLAT_SOLVED where it
 * stands alone on the left of an equation; FLAT_USED otherwise. */
enum { FLAT_USED = 1, FLAT_SOLVED = 2 };
uint8_t *flat_used(const Flat *flat, Arena *arena);

/* Warns where the units of two sides, or of what is added or compared, do not fit. */
void flat_check_units(const Flat *flat, Diag *diag, Arena *arena);

/* A unit as a value in SI units: factor * value + offset; exponents of m, kg, s, A, K, mol, cd.
 * False: nothing known. */
typedef struct {
    double exponent[7], factor, offset;
} FlatUnit;
bool flat_unit(Arena *arena, Str text, FlatUnit *out);

void flat_print(const Flat *flat, Text *out);
/* The same as Base Modelica; `annotation`: of the model, "" for none. */
void flat_print_base(const Flat *flat, const char *annotation, Text *out);
/* Warns of what Base Modelica has no words for, or none that are written here. */
void flat_check_base(const Flat *flat, Diag *diag);
/* What is wrong with the structure itself: a bug of whoever built it. NULL if nothing is. */
const char *flat_verify(const Flat *flat);

#endif
