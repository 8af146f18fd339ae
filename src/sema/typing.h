/* typing.h: text to typed expressions and functions. */
#ifndef ACAUSAL_SEMA_TYPING_H
#define ACAUSAL_SEMA_TYPING_H

#include "sema/inst.h"

/* ---- expressions ----------------------------------------------------------------------------- */

TExpr *type_expr(const Env *env, const Expr *e);
TExpr *type_call(const Env *env, const Expr *e);
TExpr *type_partial_call(const Env *env, const Expr *e);
/* ref.c */
TExpr *type_ref(const Env *env, const Expr *ref);
TExpr *type_ref_entry(const Env *env, Entry *e);
/* The fields that the parts of a reference from `at` on name, in a record. */
TExpr *type_field_ref(const Env *env, TExpr *of, const Expr *ref, uint32_t at);
TExpr *type_subscripts(const Env *env, TExpr *of, Expr *const *subs, uint32_t n, Span span);
TExpr *type_subscript(const Env *env, TExpr *of, TExpr **subs, uint32_t n, Span span);
TExpr *type_binary(const Env *env, Op op, TExpr *a, TExpr *b, Span span);
TExpr *type_arrays(const Env *env, TExpr **items, uint32_t n, Span span);
TExpr *type_comprehension(const Env *env, const Expr *e, Builtin reduce);
TExpr *coerce(Sema *s, TExpr *e, const Type *to);
bool type_fits(const Type *from, const Type *to);
bool same_literals(const Inst *a, const Inst *b);

/* string.c */
TExpr *type_string(const Env *env, TExpr *x, const Expr *e);
bool string_of_value(Sema *s, Value *const *args, uint32_t n,
                     Str *out); /* false: a format that makes no sense */

/* range.c: whether only the run knows a range; a variable of a loop or a comprehension */
bool range_is_open(const Env *env, const TExpr *range);
uint32_t new_loop_variable(const Env *env, Name name);
/* the range of an index of a loop with this body, or of a comprehension of this
 * expression */
TExpr *type_index_range(const Env *env, const ForIndex *index, const Stmts *body, const Expr *expr);

/* function.c */
Function *function_of(Sema *s, Inst *inst);
void function_body(Sema *s, Function *f);
TStmts type_statements(const Env *env, const Stmts *body);
TExpr *type_function_call(const Env *env, Function *f, const Expr *call);
/* false after a report */
bool function_may_be_called(const Env *env, const Function *f, Span span);
bool check_when_condition(const Env *env, const TExpr *c); /* likewise; rules.c */
bool check_results(const Env *env, const TExpr *left, const TExpr *right, Span span);
bool is_target(const TExpr *e); /* may be assigned to */
bool check_condition(const Env *env, const TExpr *c,
                     bool may_be_vector); /* a Boolean; false after a report */
TExpr *type_partial(const Env *env, Function *f, Expr *const *items, uint32_t n, Span span);

/* The same of a value that is a function: it becomes the last argument. */
TExpr *type_partial_of(const Env *env, TExpr *of, Expr *const *items, uint32_t n, Span span);

/* A call with arguments for the first n inputs. */
TExpr *call_function(const Env *env, Function *f, TExpr *const *args, uint32_t n, Span span);
const External *external_of(const Scope *scope);

/* operator.c */
/* its class; NULL if this is none, or no array of one */
Inst *operator_record(Sema *s, const Type *t);
TExpr *operator_binary(const Env *env, Op op, TExpr *a, TExpr *b, Span span);
TExpr *operator_unary(const Env *env, Op op, TExpr *a, Span span);
TExpr *operator_sum(const Env *env, TExpr *items, Span span);
TExpr *operator_zero(const Env *env, const Type *t, Span span);
/* NULL: it has none of its own */
TExpr *operator_constructor(const Env *env, Inst *inst, const Expr *e);
TExpr *operator_string(const Env *env, const TExpr *of, const Expr *e);
/* NULL: it stays a call */
TExpr *call_in_place(Sema *s, Function *f, TExpr *const *args, Span span);

#endif
