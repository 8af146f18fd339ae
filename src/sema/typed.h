/* typed.h: types, typed expressions and statements, values at compile time. */
#ifndef ACAUSAL_SEMA_TYPED_H
#define ACAUSAL_SEMA_TYPED_H

#include "sema/mods.h"

/* ---- types, typed expressions ---------------------------------------------------------------- */

enum { MOST_ELEMENTS = 50000000 }; /* of one array: more is taken for a mistake */

enum { BASE_POISON = 100, BASE_CLASS }; /* besides those of flat.h */

typedef struct {
    uint8_t base, rank;
    Inst *def; /* of enumerations, records, external objects, functions */
    int32_t *sizes;
} Type;

/* A typed expression. Arrays are whole. X_VAR names a component of simple type, `leaf`. */
struct TExpr {
    uint8_t kind, op, varies;
    Type type;
    Span span;
    uint32_t n;
    TExpr **args;
    union {
        double real;
        int64_t integer;
        Str text;
        Entry *leaf;
        uint32_t index; /* X_LOCAL, X_FIELD, X_RESULT, X_COMPREHENSION */
    };
    Function *function; /* X_CALL, X_PARTIAL */
};

typedef struct {
    TExpr *condition; /* NULL: else */
    TStmt **at;
    uint32_t n;
} TBranch;

/* A statement of a function or an algorithm. */
struct TStmt {
    uint8_t kind; /* FlatStmtKind */
    uint32_t n;   /* of branches */
    uint32_t index;
    TBranch *branches;
    TExpr *left, *right, *level;
    Span span;
};

typedef VEC(TStmt *) TStmts;

/* A value at compile time. */
typedef union {
    double real;
    int64_t integer; /* also Booleans and enumerations */
    Str text;
    Value *record; /* one value a field; of a function: the value of a bound input, or NULL */
} Cell;

struct Value {
    uint8_t base, rank;
    uint32_t n; /* cells */
    int32_t *sizes;
    Inst *def;
    Cell *at;
};

/* texpr.c: making typed expressions */
TExpr *tx_new(Sema *s, ExprKindFlat kind, Type type, uint8_t varies, Span span, TExpr *const *args,
              uint32_t n);
TExpr *tx_real(Sema *s, double value, Span span);
TExpr *tx_integer(Sema *s, int64_t value, Span span);
TExpr *tx_boolean(Sema *s, bool value, Span span);
TExpr *tx_string(Sema *s, Str text, Span span);
TExpr *tx_poison(Sema *s, Span span);
TExpr *tx_value(Sema *s, const Value *v, Span span);
TExpr *tx_local(Sema *s, uint32_t index, Type type, Span span);
TExpr *tx_binary(Sema *s, Oper op, TExpr *a, TExpr *b, Type type);
TExpr *tx_builtin(Sema *s, Builtin b, Type type, uint8_t varies, Span span, TExpr *const *args, uint32_t n);
TExpr *tx_field(Sema *s, TExpr *of, uint32_t index, Type type);
TExpr *tx_with_args(Sema *s, const TExpr *e, TExpr **args);
/* with other expressions in place of variables; `with` may return the same */
typedef TExpr *(*ReplaceVar)(void *arg, TExpr *var);
TExpr *tx_replace(Sema *s, TExpr *e, ReplaceVar with, void *arg);
TExpr *tx_substitute(Sema *s, TExpr *e, TExpr *const *locals, uint32_t n);
/* noEvent(x > 1): what changes without an event */
static inline bool tx_is_event_free(const TExpr *e)
{
    return e->kind == X_BUILTIN && e->op == BUILTIN_NO_EVENT && e->varies == VARIES_CONTINUOUS;
}
static inline bool tx_is_poison(const TExpr *e) { return e->type.base == BASE_POISON; }
Type type_scalar(uint8_t base);
Type type_of_rank(Sema *s, Type element, uint32_t rank, const int32_t *sizes);
Type type_element(const Type *t, uint32_t dims); /* without the first `dims` dimensions */
Type type_array_of(Sema *s, const Type *element, int32_t size);
bool type_is_known(const Type *t);
bool type_is_huge(const Type *t);   /* more than MOST_ELEMENTS */
uint32_t type_count(const Type *t); /* scalars in an array of known sizes */

/* array.c */
TExpr *tx_element(Sema *s, TExpr *e, int32_t at); /* e[at + 1], for any array expression */
TExpr *tx_simplify(Sema *s, TExpr *e);            /* a scalar built-in on arrays, written out */
TExpr *tx_expand(Sema *s, Builtin b, TExpr **args, uint32_t n,
                 Span span); /* an array built-in; NULL: not possible */
TExpr *tx_array(Sema *s, TExpr *const *items, uint32_t n, const Type *element, Span span);

/* eval.c, run.c */
/* NULL after a report */
Value *eval(Sema *s, const TExpr *e, Value *const *locals, const Scope *scope);
Value *try_eval(Sema *s, const TExpr *e, const Scope *scope); /* NULL, silently */
bool eval_integer(Sema *s, const TExpr *e, const Scope *scope, int64_t *value);
bool eval_boolean(Sema *s, const TExpr *e, const Scope *scope, bool *value);
Value *value_new(Sema *s, uint8_t base, uint32_t rank, const int32_t *sizes);
Value *value_slice(Sema *s, const Value *v, int32_t at);
Value *value_convert(Sema *s, Value *v, const Type *to);
Value *run_function(Sema *s, Function *f, Value *const *args, uint32_t result, Span span, const Scope *scope);

#endif
