/* build.h: making modules and functions. */
#ifndef ACAUSAL_IR_BUILD_H
#define ACAUSAL_IR_BUILD_H

#include "ir/module.h"

/* ---- build.c: making modules and functions --------------------------------------------------- */

IrModule *ir_module_new(Arena *arena);
/* A memory with room for n elements; instances bring at least that many (Rt.memory). */
IrMem ir_add_memory(IrModule *module, const char *name, IrType type, uint32_t n);
/* copies */
uint32_t ir_add_table(IrModule *module, const char *name, const double *values, uint32_t n);
/* Both return the same id when asked for the same name again. */
IrExt ir_add_external(IrModule *module, const IrExternal *external);
const char *ir_symbol(const IrExternal *external); /* the C function or adapter */
/* A function of rt/ by its name without "rt_": "string_concat", "string_of_real", "warning", ... */
IrExt ir_builtin(IrModule *module, const char *name);

enum { IR_LARGEST_ARRAY = 1 << 27 }; /* elements of a FRAME, MEMORY or TABLE */

typedef struct {
    IrModule *module;
    IrFunction *f;
    IrFun id;
    uint32_t source; /* given to every instruction that follows; set it as you go */
} IrBuilder;

/* Starts a function. Declare its inputs, then its outputs, before others call it or code is
 * added. */
IrBuilder ir_begin(IrModule *module, const char *name);
IrReg ir_in(IrBuilder *b, IrType type, const char *name);
IrArr ir_in_array(IrBuilder *b, IrType type, const char *name);
IrReg ir_out(IrBuilder *b, IrType type, const char *name);
IrArr ir_out_array(IrBuilder *b, IrType type, const char *name); /* the caller brings it */
/* the callee makes it by NEW */
IrArr ir_out_array_dynamic(IrBuilder *b, IrType type, const char *name);

IrReg ir_variable(IrBuilder *b, IrType type, const char *name);
IrArr ir_array(IrBuilder *b, IrType type, uint32_t n, const char *name);
IrArr ir_array_dynamic(IrBuilder *b, IrType type, const char *name);
IrArr ir_array_view(IrBuilder *b, IrType type, const char *name, bool is_constant);
IrArr ir_array_memory(IrBuilder *b, IrMem memory);
IrArr ir_array_table(IrBuilder *b, uint32_t table);

/* Values. Constants are folded where all operands are constant and the operation is exact IEEE. */
IrReg ir_real(IrBuilder *b, double value);
IrReg ir_int(IrBuilder *b, int64_t value);
IrReg ir_str(IrBuilder *b, const char *text);
IrReg ir_one(IrBuilder *b, IrOp op, IrReg x);          /* NEG, ABS, ..., TO_INT */
IrReg ir_two(IrBuilder *b, IrOp op, IrReg x, IrReg y); /* ADD, ..., IMOD, LT, AND, ... */
IrReg ir_select(IrBuilder *b, IrReg condition, IrReg yes, IrReg no);
IrReg ir_math(IrBuilder *b, IrMath function, IrReg x, IrReg y); /* y is IR_NONE for one argument */
/* whether a register is a constant */
bool ir_is_real(const IrBuilder *b, IrReg r, double *value);
bool ir_is_int(const IrBuilder *b, IrReg r, int64_t *value);

/* What Modelica's functions mean, spelled out in instructions. */
IrReg ir_power(IrBuilder *b, IrReg x, int32_t n); /* products by squaring; 1/x^-n for n < 0 */
/* ir_power for small whole constants, else pow */
IrReg ir_pow(IrBuilder *b, IrReg x, IrReg y);
IrReg ir_real_div(IrBuilder *b, IrReg x, IrReg y); /* div(x, y) of Reals: cut towards zero */
IrReg ir_real_mod(IrBuilder *b, IrReg x, IrReg y); /* x - floor(x/y)*y */
IrReg ir_real_rem(IrBuilder *b, IrReg x, IrReg y); /* x - div(x, y)*y */
IrReg ir_integer(IrBuilder *b, IrReg x);           /* integer(x): the largest Integer not above x */
IrReg ir_sign(IrBuilder *b, IrReg x);              /* of a Real or an Integer; an Integer */

void ir_set(IrBuilder *b, IrReg variable, IrReg value);
IrReg ir_load(IrBuilder *b, IrArr array, IrReg index, int32_t offset);
void ir_store(IrBuilder *b, IrArr array, IrReg index, int32_t offset, IrReg value);
IrReg ir_length(IrBuilder *b, IrArr array);
void ir_new(IrBuilder *b, IrArr array, IrReg n);
/* IR_NONE, IR_NONE: all of it */
void ir_view(IrBuilder *b, IrArr view, IrArr of, IrReg offset, IrReg n);
void ir_fill(IrBuilder *b, IrArr array, IrReg value);
void ir_copy(IrBuilder *b, IrArr to, IrArr from);

void ir_if(IrBuilder *b, IrReg condition);
void ir_else(IrBuilder *b);
void ir_loop(IrBuilder *b);
IrReg ir_for(IrBuilder *b, IrReg from, IrReg to, int32_t step);
void ir_end(IrBuilder *b);
void ir_break(IrBuilder *b);
void ir_break_unless(IrBuilder *b, IrReg condition);
void ir_return(IrBuilder *b);

/* Operands are registers and arrays, inputs then outputs. A scalar output given as IR_NONE becomes
 * a new temporary, which is written back to `operands`. */
void ir_call(IrBuilder *b, IrFun f, uint32_t *operands, uint32_t n);
void ir_extern(IrBuilder *b, IrExt e, uint32_t *operands, uint32_t n);
/* A builtin with n inputs and one output, which is returned. */
IrReg ir_builtin_call(IrBuilder *b, const char *name, const IrReg *inputs, uint32_t n);

void ir_assert(IrBuilder *b, IrReg condition, IrReg message);
void ir_check_index(IrBuilder *b, IrReg index, IrReg bound);
void ir_check_size(IrBuilder *b, IrReg n, IrReg want);
void ir_check_finite(IrBuilder *b, IrReg x);

#endif
