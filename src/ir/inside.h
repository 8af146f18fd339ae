/* inside.h: what the passes of ir/ share and nobody else sees. */
#ifndef ACAUSAL_IR_INSIDE_H
#define ACAUSAL_IR_INSIDE_H

#include "ir/ir.h"

/* Which fields of an operation are registers that it reads (bits FIELD_...), and whether dst is one it writes. */
enum { FIELD_A = 1, FIELD_B = 2, FIELD_C = 4, FIELD_DST = 8 };
extern const uint8_t ir_reads[IR_OP_COUNT];
extern const bool ir_defines[IR_OP_COUNT];

static inline bool is_call(const IrInsn *insn) { return (ir_ops[insn->op].flags & IR_CALLS) != 0; }

/* The registers that an instruction without operand list reads; returns how many. */
static inline uint32_t plain_reads(const IrInsn *insn, IrReg *out)
{
    uint32_t n = 0;
    unsigned fields = ir_reads[insn->op];
    if ((fields & FIELD_A) && insn->a != IR_NONE) out[n++] = insn->a;
    if ((fields & FIELD_B) && insn->b != IR_NONE) out[n++] = insn->b;
    if ((fields & FIELD_C) && insn->c != IR_NONE) out[n++] = insn->c;
    if ((fields & FIELD_DST) && insn->dst != IR_NONE) out[n++] = insn->dst;
    return n;
}

static inline bool is_constant_op(uint8_t op) { return op == IR_KREAL || op == IR_KINT || op == IR_KSTR; }

/* The parameter of an external that operand k stands for (operands: inputs first). */
const IrExtParam *ir_ext_param(const IrExternal *external, uint32_t k);
uint32_t ir_ext_cells(const IrExternal *external);

/* Whether a function may give back, on return, all that it allocated. */
bool ir_rewinds(const IrModule *module, const IrFunction *f);
/* Whether a function calls others, so that it pays for depth and a step. */
bool ir_calls_functions(const IrFunction *f);

/* For each instruction of control flow the one it belongs to: IF its ELSE or END, ELSE its END, END its opener, LOOP
 * and FOR their END, BREAK and BREAK_UNLESS the END of their loop. */
uint32_t *ir_match(const IrFunction *f, Arena *arena);

/* For each register the last instruction at which its value is still needed; a value from outside of a loop is needed
 * until the loop's end, a variable until the function's. */
uint32_t *ir_last_use(const IrModule *module, const IrFunction *f, Arena *arena);

/* Cells of a function's frame: params, then two for each array, then variables, elements of FRAME arrays, and last
 * temporaries, which share cells where they do not live at the same time. */
typedef struct {
    uint32_t *reg;     /* cell of each register */
    uint32_t *array;   /* cell of each array's address; its length follows */
    uint32_t *element; /* first element of each FRAME array */
    uint32_t mark;     /* two cells for a mark of the memory, where the function rewinds */
    uint32_t variables, variable_count; /* the cells of variables that are no parameters: cleared on entry */
    uint32_t elements, element_count;   /* all FRAME arrays: cleared on entry */
    uint32_t size;
} IrFrame;
IrFrame ir_frame(const IrModule *module, const IrFunction *f, const uint32_t *last_use, Arena *arena);

/* What a way of running offers to code.c. */
typedef struct Interpreter Interpreter;
Interpreter *interpreter_new(const IrModule *module, bool explains);
void interpreter_free(Interpreter *interpreter);
RtStatus interpreter_run(const Interpreter *interpreter, IrFun f, Rt *rt, RtCell *frame);
size_t interpreter_size(const Interpreter *interpreter);

typedef struct Native Native;
Native *native_new(const IrModule *module);
void native_free(Native *native);
RtEntry native_entry(const Native *native, IrFun f);
size_t native_size(const Native *native);
/* Machine code that calls a C function with arguments from cells. */
RtEntry native_thunk(const Native *native, IrExt e);

#endif
