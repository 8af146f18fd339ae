/* function.h: functions of the flat model as functions of the IR. */
#ifndef ACAUSAL_GEN_FUNCTION_H
#define ACAUSAL_GEN_FUNCTION_H

#include "gen/inside.h"

enum { FUN_MOST_RANK = 6, FUN_MOST_RESULTS = 64 };

/* ---- function.c, expression.c, place.c: functions of the flat model as functions of the IR --- */

/* A value inside of a function: a scalar in a register, an array, or a record of such. An array of
 * records is a record of arrays. Arrays lie row by row; their sizes are registers. */
typedef struct FunValue FunValue;
struct FunValue {
    uint8_t base; /* Base of the elements */
    uint32_t rank;
    IrReg size[FUN_MOST_RANK];
    IrReg reg;         /* of a scalar */
    IrArr array;       /* of an array */
    bool is_resizable; /* its sizes are variables: it may be assigned arrays of any size */
    uint32_t def;      /* of a record */
    uint32_t func, n;  /* of a function; fields, or bound arguments */
    FunValue *fields;
    bool is_open; /* an argument that a function value leaves open */
};

/* A function being lowered. */
typedef struct {
    Functions *all;
    const Flat *flat;
    const FlatFunction *f;
    Arena *scratch;
    IrBuilder b;
    FunValue *locals;
    uint8_t *is_ready; /* by local */
    Span span;         /* of the statement */
} Fun;

Functions *gen_functions(Compiled *c, Arena *scratch, Diag *diag);
/* The function of the IR for one of the flat model whose arguments have these shapes (which say
 * what function values are). Its inputs are the leaves of its inputs in order, each array followed
 * by its sizes; outputs likewise, their arrays dynamic. */
IrFun gen_function(Functions *all, FuncId f, const DaeShape *shapes);
bool gen_functions_failed(const Functions *all);
/* Its derivative of some order. */
IrFun gen_derivative(Functions *all, IrFun f, uint32_t order, Span span);

FunValue fun_fail(Fun *x, const char *what); /* a diagnostic; 0 */
FunValue fun_eval(Fun *x, ExprId e);
IrReg fun_scalar(Fun *x, FunValue v, IrType type); /* its register, converted */
IrReg fun_index(Fun *x, ExprId e);                 /* an Integer */
FunValue *fun_local(Fun *x, uint32_t i);
/* All results of an expression that is a call; returns how many. */
uint32_t fun_call_expr(Fun *x, const FlatExpr *e, FunValue *results, uint32_t room);
void fun_call(Fun *x, FuncId f, const FunValue *args, FunValue *results);
IrType fun_type(uint8_t base);
bool fun_failed(const Fun *x);
IrModule *fun_module(const Fun *x);
ExtUnit *fun_unit(const Fun *x);

void fun_no_function(Fun *x, const char *why); /* of an external function: a diagnostic */

/* extern.c */
void fun_external(Fun *x); /* the body of an external function */
/* Results and their rates of change in the directions of the inputs. BASE_REAL marks those that
 * have one. Whether it is exact. */
bool fun_external_derivative(Fun *x, FuncId f, const FunValue *inputs, FunValue *directions,
                             FunValue *results, FunValue *rates);
/* has directions: no records among its inputs and outputs */
bool fun_may_move(const Flat *flat, FuncId f);

/* place.c */
FunValue fun_of_reg(uint8_t base, IrReg reg);
FunValue fun_new_array(Fun *x, uint8_t base, uint32_t rank, const IrReg *sizes); /* to be filled */
/* with a first value */
FunValue fun_new_variable(Fun *x, uint8_t base, IrReg value);
/* elements of an array */
IrReg fun_count(Fun *x, const FunValue *v);
void fun_assign(Fun *x, FunValue *to, const FunValue *from);
FunValue fun_copy(Fun *x, const FunValue *v);
/* v[i + 1], which may be a record or an array. */
FunValue fun_item(Fun *x, const FunValue *v, IrReg i);
IrReg fun_load(Fun *x, const FunValue *v, IrReg at,
               int32_t offset); /* element of an array; of a scalar: itself */
void fun_store(Fun *x, const FunValue *v, IrReg at, int32_t offset, IrReg value);
FunValue fun_read_place(Fun *x, ExprId e); /* fields and subscripts */
void fun_write_place(Fun *x, ExprId e, const FunValue *v);
IrReg fun_times(Fun *x, IrReg a, IrReg c);
IrReg fun_plus(Fun *x, IrReg a, int64_t c);

void gen_lower_texts(Lower *l); /* report.c: of asserts and terminates */

#endif
