/* sym.h: symbolic expressions: nodes of one pool; functions that are called at run time. */
#ifndef ACAUSAL_DAE_SYM_H
#define ACAUSAL_DAE_SYM_H

#include "flat/flat.h"

/* ---- expressions ----------------------------------------------------------------------------- */

typedef uint32_t Sym;

/* SYM(id, text, arity). RELATION is a relation that makes events: its value is a memory, changed at
 * events only. LT to NE are computed whenever they are asked for: inside of noEvent, and between
 * discrete values. CALL is a call of a function at run time, PICK one scalar of its results; its
 * arguments are a list of ARGS (first, rest), which ends with 0. Strings are expressions too: TEXT,
 * variables, results; ADD joins them, LT to NE compare them, STRING makes one of a value of the
 * Base `index` and a list of options. LAMBDA is the share of `actual` in homotopy(), less than 1 at
 * the start only. IS_SET tells whether a variable was set from outside. WITHIN is its argument, a
 * subscript: one that leaves 1..index fails, so that it counts as a call. HISTORY reads what a
 * history remembers at a key (its argument), HISTORY_SLOPE the slope there; their index is 2 *
 * history + side. FRONT is where the key of such a side is when its next jump leaves; it changes at
 * events only. */
#define SYM_OPS(SYM)                  \
    SYM(REAL, "real", 0)              \
    SYM(VAR, "var", 0)                \
    SYM(TIME, "time", 0)              \
    SYM(PRE, "pre", 0)                \
    SYM(RELATION, "relation", 0)      \
    SYM(SAMPLE, "sample", 0)          \
    SYM(FRONT, "front", 0)            \
    SYM(INITIAL, "initial", 0)        \
    SYM(LAMBDA, "lambda", 0)          \
    SYM(IS_SET, "is_set", 0)          \
    SYM(TERMINAL, "terminal", 0)      \
    SYM(TEXT, "text", 0)              \
    SYM(NEG, "-", 1)                  \
    SYM(ABS, "abs", 1)                \
    SYM(SIGN, "sign", 1)              \
    SYM(SQRT, "sqrt", 1)              \
    SYM(SIN, "sin", 1)                \
    SYM(COS, "cos", 1)                \
    SYM(TAN, "tan", 1)                \
    SYM(ASIN, "asin", 1)              \
    SYM(ACOS, "acos", 1)              \
    SYM(ATAN, "atan", 1)              \
    SYM(SINH, "sinh", 1)              \
    SYM(COSH, "cosh", 1)              \
    SYM(TANH, "tanh", 1)              \
    SYM(EXP, "exp", 1)                \
    SYM(LOG, "log", 1)                \
    SYM(LOG10, "log10", 1)            \
    SYM(FLOOR, "floor", 1)            \
    SYM(CEIL, "ceil", 1)              \
    SYM(TRUNC, "trunc", 1)            \
    SYM(NOT, "not", 1)                \
    SYM(CALL, "call", 1)              \
    SYM(PICK, "pick", 1)              \
    SYM(HISTORY, "history", 1)        \
    SYM(HISTORY_SLOPE, "history'", 1) \
    SYM(WITHIN, "within", 1)          \
    SYM(ADD, "+", 2)                  \
    SYM(SUB, "-", 2)                  \
    SYM(MUL, "*", 2)                  \
    SYM(DIV, "/", 2)                  \
    SYM(POW, "^", 2)                  \
    SYM(ATAN2, "atan2", 2)            \
    SYM(MIN, "min", 2)                \
    SYM(MAX, "max", 2)                \
    SYM(LT, "<", 2)                   \
    SYM(LE, "<=", 2)                  \
    SYM(EQ, "==", 2)                  \
    SYM(NE, "<>", 2)                  \
    SYM(AND, "and", 2)                \
    SYM(OR, "or", 2)                  \
    SYM(ARGS, "args", 2)              \
    SYM(STRING, "String", 2)          \
    SYM(IF, "if", 3)

typedef enum {
#define SYM(id, text, arity) SYM_##id,
    SYM_OPS(SYM)
#undef SYM
        SYM_OP_COUNT
} SymOp;

typedef struct {
    uint8_t op;    /* SymOp */
    bool is_total; /* has a finite value wherever its variables have */
    bool has_call; /* computing it calls a function */
    /* VAR, PRE, IS_SET: a variable; RELATION, SAMPLE, TEXT: its number; CALL: a DaeFun; PICK: which
     * scalar */
    uint32_t index;
    union {
        double real;
        Sym arg[3];
    };
} SymNode;

enum { SYM_ZERO = 0, SYM_ONE = 1 }; /* always the first nodes */

typedef struct SymPool SymPool;
const SymNode *sym_node(const SymPool *pool, Sym s);
uint32_t sym_count(const SymPool *pool);
uint32_t sym_arity(SymOp op);
const char *sym_text(SymOp op);

/* One partial derivative. Zero for a variable that only conditions read. */
typedef struct {
    uint32_t var;
    Sym value;
} Partial;

typedef struct {
    Partial *at;
    uint32_t n;
} Gradient;

/* ---- functions that are called at run time --------------------------------------------------- */

/* What an argument or a result is made of. Its scalars come row by row, records field by field. */
typedef struct DaeShape DaeShape;
struct DaeShape {
    uint8_t base;   /* Base */
    bool is_open;   /* an argument that a function value leaves open: no scalars */
    bool is_unused; /* a result that nobody reads: of any size */
    uint32_t func;  /* of BASE_FUNCTION: a FuncId; its fields are the bound arguments */
    uint32_t rank, *sizes;
    uint32_t n; /* fields */
    DaeShape *fields;
    uint32_t scalars;
};

/* A function of the flat model for certain shapes. Differentiated, it takes the arguments of what
 * it was made from, then a direction for each Real scalar among them, and gives the derivatives of
 * the results. */
typedef struct {
    FuncId of;
    uint32_t order;       /* how often it was differentiated */
    uint32_t base, der;   /* what it was made from; its own derivative; NONE */
    uint32_t inputs;      /* of the flat function */
    uint32_t outputs;     /* likewise */
    bool is_once;         /* impure: called once in an event, or for a parameter */
    DaeShape *shapes;     /* of inputs, then outputs */
    uint32_t in_n, out_n; /* scalars */
    uint8_t *in_is_real;  /* by scalar */
    uint8_t *out_is_real;
    Span span; /* of the first call */
} DaeFun;

const DaeFun *sym_fun(const SymPool *pool, uint32_t fun);
uint32_t sym_fun_count(const SymPool *pool);
Str sym_text_of(const SymPool *pool, uint32_t text);             /* of a TEXT */
uint8_t sym_pick_base(const SymPool *pool, const SymNode *pick); /* Base of a PICK */
uint8_t sym_result_base(const DaeFun *fun, uint32_t scalar);

#endif
