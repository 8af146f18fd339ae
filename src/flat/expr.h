/* expr.h: types and expressions of the flat model, operators and built-in functions. */
#ifndef ACAUSAL_FLAT_EXPR_H
#define ACAUSAL_FLAT_EXPR_H

#include "base/base.h"

typedef uint32_t VarId, ExprId, StmtId, FuncId, TypeId, DefId;
#define NONE UINT32_MAX

/* ---- types ----------------------------------------------------------------------------------- */

typedef enum {
    BASE_REAL,
    BASE_INTEGER,
    BASE_BOOLEAN,
    BASE_STRING,
    BASE_ENUM,
    BASE_RECORD,
    BASE_OBJECT,
    BASE_FUNCTION,
    BASE_CLOCK /* only while a flat model is being made */
} Base;

enum { SIZE_UNKNOWN = -1 };

typedef struct {
    Base base;
    /* a DefId of BASE_ENUM, BASE_RECORD, BASE_OBJECT; a FuncId of BASE_FUNCTION; else NONE */
    uint32_t def;
    uint32_t rank; /* 0: a scalar */
    int32_t *sizes;
} FlatType;

typedef struct {
    const char *name;
    TypeId type; /* NONE for a literal of an enumeration */
} FlatField;

/* An enumeration, a record or an external object class. */
typedef struct {
    const char *name;
    Base base;
    bool predefined;       /* known to every Modelica text, as StateSelect is */
    FuncId destructor;     /* of an external object class; NONE if it has none */
    VEC(FlatField) fields; /* literals in order, or members */
} FlatDef;

/* ---- expressions ----------------------------------------------------------------------------- */

typedef enum {
    X_REAL, /* op: 1 if it is calculated, or was a constant, 0 if the text has it */
    X_INTEGER,
    X_BOOLEAN,
    X_STRING,
    X_ENUM,  /* integer: the ordinal, from 1 */
    X_VAR,   /* index: a VarId */
    X_LOCAL, /* index: of a function's variable */
    X_TIME,
    X_UNARY,   /* op; one argument */
    X_BINARY,  /* op; two */
    X_IF,      /* condition, value, condition, value, ..., value */
    X_CALL,    /* index: a FuncId; arguments in the order of the inputs; op: 1 inside of pure() */
    X_BUILTIN, /* op: a Builtin */
    X_ARRAY,   /* arguments: the slices along the first dimension */
    X_RANGE,   /* start, step, stop */
    /* an array, then one subscript for each dimension; X_COLON is the whole dimension */
    X_SUBSCRIPT,
    X_COLON,
    X_FIELD,  /* index: of the field, in a record */
    X_RECORD, /* all fields in order */
    /* op: a Builtin that reduces, or BUILTIN_ARRAY_OF; body, then ranges, the outermost first;
     * index: the first of the locals that run */
    X_COMPREHENSION,
    X_TUPLE,   /* the results of a call; index k of it is X_RESULT */
    X_RESULT,  /* index: which output of the call in the argument */
    X_PARTIAL, /* index: a FuncId; arguments bound by position, an X_OMITTED for each open one */
    X_OMITTED,
    X_APPLY, /* a value that is a function, then the arguments it is called with */
    X_KIND_COUNT
} ExprKindFlat;

typedef enum {
    O_ADD,
    O_SUBTRACT,
    O_MULTIPLY, /* scalars and elementwise */
    O_DIVIDE,
    O_POWER,
    O_PRODUCT, /* of matrices and vectors */
    O_NEGATE,
    O_NOT,
    O_AND,
    O_OR,
    O_LESS,
    O_LESS_EQUAL,
    O_GREATER,
    O_GREATER_EQUAL,
    O_EQUAL,
    O_NOT_EQUAL,
    O_COUNT
} Oper;

/* Built-in functions and operators. The second column is the name in Modelica; the third what
 * typing does. */
#define BUILTINS(X)                                                                                      \
    X(ABS, "abs", SAME)                                                                                  \
    X(SIGN, "sign", TO_INTEGER)                                                                          \
    X(SQRT, "sqrt", REAL)                                                                                \
    X(SIN, "sin", REAL)                                                                                  \
    X(COS, "cos", REAL)                                                                                  \
    X(TAN, "tan", REAL)                                                                                  \
    X(ASIN, "asin", REAL)                                                                                \
    X(ACOS, "acos", REAL)                                                                                \
    X(ATAN, "atan", REAL)                                                                                \
    X(ATAN2, "atan2", REAL2)                                                                             \
    X(SINH, "sinh", REAL)                                                                                \
    X(COSH, "cosh", REAL)                                                                                \
    X(TANH, "tanh", REAL)                                                                                \
    X(EXP, "exp", REAL)                                                                                  \
    X(LOG, "log", REAL)                                                                                  \
    X(LOG10, "log10", REAL)                                                                              \
    X(CEIL, "ceil", REAL)                                                                                \
    X(FLOOR, "floor", REAL)                                                                              \
    X(INTEGER, "integer", TO_INTEGER)                                                                    \
    X(DIV, "div", NUMBER2)                                                                               \
    X(MOD, "mod", NUMBER2)                                                                               \
    X(REM, "rem", NUMBER2)                                                                               \
    X(MIN, "min", REDUCE)                                                                                \
    X(MAX, "max", REDUCE)                                                                                \
    X(SUM, "sum", REDUCE)                                                                                \
    X(PRODUCT, "product", REDUCE)                                                                        \
    X(ARRAY_OF, "array", ARRAY)                                                                          \
    X(DER, "der", REAL)                                                                                  \
    X(PRE, "pre", SAME)                                                                                  \
    X(EDGE, "edge", SAME)                                                                                \
    X(CHANGE, "change", TO_BOOLEAN)                                                                      \
    X(INITIAL, "initial", NO_ARGUMENTS)                                                                  \
    X(TERMINAL, "terminal", NO_ARGUMENTS)                                                                \
    X(SAMPLE, "sample", SAMPLE)                                                                          \
    X(NO_EVENT, "noEvent", SAME)                                                                         \
    X(SMOOTH, "smooth", SECOND)                                                                          \
    X(REINIT, "reinit", STATEMENT)                                                                       \
    X(DELAY, "delay", DELAY)                                                                             \
    X(HOMOTOPY, "homotopy", HOMOTOPY)                                                                    \
    X(SEMI_LINEAR, "semiLinear", SEMI_LINEAR)                                                            \
    X(SPATIAL, "spatialDistribution", SPATIAL)                                                           \
    X(SIZE, "size", SIZE)                                                                                \
    X(NDIMS, "ndims", SIZE)                                                                              \
    X(TRANSPOSE, "transpose", ARRAY)                                                                     \
    X(IDENTITY, "identity", ARRAY)                                                                       \
    X(ZEROS, "zeros", ARRAY)                                                                             \
    X(ONES, "ones", ARRAY)                                                                               \
    X(FILL, "fill", ARRAY)                                                                               \
    X(DIAGONAL, "diagonal", ARRAY)                                                                       \
    X(LINSPACE, "linspace", ARRAY)                                                                       \
    X(CAT, "cat", ARRAY)                                                                                 \
    X(SCALAR, "scalar", ARRAY)                                                                           \
    X(VECTOR, "vector", ARRAY)                                                                           \
    X(MATRIX, "matrix", ARRAY)                                                                           \
    X(CROSS, "cross", ARRAY)                                                                             \
    X(SKEW, "skew", ARRAY)                                                                               \
    X(OUTER_PRODUCT, "outerProduct", ARRAY)                                                              \
    X(SYMMETRIC, "symmetric", ARRAY)                                                                     \
    X(PROMOTE, "promote", ARRAY)                                                                         \
    X(STRING, "String", STRING)                                                                          \
    X(TO_REAL, "Real", CONVERT)                                                                          \
    X(TO_INTEGER, "Integer", CONVERT)                                                                    \
    X(ASSERT, "assert", STATEMENT)                                                                       \
    X(TERMINATE, "terminate", STATEMENT)                                                                 \
    X(CARDINALITY, "cardinality", CARDINALITY)                                                           \
    X(IN_STREAM, "inStream", STREAM)                                                                     \
    X(ACTUAL_STREAM, "actualStream", STREAM)                                                             \
    X(GET_INSTANCE_NAME, "getInstanceName", NO_ARGUMENTS)                                                \
    /* of state machines and clocks: only while a flat model is being made */                            \
    X(ACTIVE_STATE, "activeState", STATE)                                                                \
    X(TICKS_IN_STATE, "ticksInState", STATE)                                                             \
    X(TIME_IN_STATE, "timeInState", STATE)                                                               \
    X(CLOCK, "Clock", CLOCK)                                                                             \
    X(PREVIOUS, "previous", CLOCKED)                                                                     \
    X(INTERVAL, "interval", TICK)                                                                        \
    X(FIRST_TICK, "firstTick", TICK)                                                                     \
    X(CLOCK_SAMPLE, "sample", CLOCKED) /* sample(u), sample(u, clock); and all below change the clock */ \
    X(HOLD, "hold", CLOCKED)                                                                             \
    X(NO_CLOCK, "noClock", CLOCKED)                                                                      \
    X(SUB_SAMPLE, "subSample", RESAMPLE)                                                                 \
    X(SUPER_SAMPLE, "superSample", RESAMPLE)                                                             \
    X(SHIFT_SAMPLE, "shiftSample", RESAMPLE)                                                             \
    X(BACK_SAMPLE, "backSample", RESAMPLE)

typedef enum {
#define X(id, text, kind) BUILTIN_##id,
    BUILTINS(X)
#undef X
        BUILTIN_COUNT
} Builtin;

typedef struct {
    uint8_t kind, op; /* ExprKindFlat; Oper or Builtin */
    TypeId type;
    uint32_t first, n; /* arguments, in ids */
    union {
        double real;
        int64_t integer; /* X_INTEGER, X_BOOLEAN, X_ENUM */
        Str text;
        uint32_t index;
    };
} FlatExpr;

#endif
