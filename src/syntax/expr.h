/* expr.h: expressions of syntax trees. */
#ifndef ACAUSAL_SYNTAX_EXPR_H
#define ACAUSAL_SYNTAX_EXPR_H

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

#endif
