/* inside.h: what the passes of ir/ share and nobody else sees. */
#ifndef ACAUSAL_IR_INSIDE_H
#define ACAUSAL_IR_INSIDE_H

#include "ir/ir.h"

/* Which fields of an operation are registers that it reads (bits FIELD_...), and whether dst is one
 * it writes. */
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

/* ir_each_reg, to be inlined together with `see`. */
static inline void visit_regs(const IrModule *module, const IrFunction *f, const IrInsn *insn, IrSee see,
                              void *arg)
{
    IrReg reads[4];
    uint32_t n = plain_reads(insn, reads);
    for (uint32_t i = 0; i < n; i++) see(arg, reads[i], false);
    if (is_call(insn)) {
        for (int outputs = 0; outputs < 2; outputs++)
            for (uint32_t k = 0; k < insn->count; k++) {
                IrOperand operand = ir_operand(module, insn, k);
                if (!operand.is_array && operand.is_output == (outputs == 1))
                    see(arg, f->operands.at[insn->b + k], outputs == 1);
            }
    }
    if (ir_defines[insn->op]) see(arg, insn->dst, true);
}

static inline bool is_constant_op(uint8_t op) { return op == IR_KREAL || op == IR_KINT || op == IR_KSTR; }

/* Adds an instruction as it is, or one with a result, which becomes a new temporary. */
void ir_append(IrBuilder *b, IrInsn insn);
IrReg ir_append_value(IrBuilder *b, IrType type, IrInsn insn);

/* The parameter of an external that operand k stands for (operands: inputs first). */
const IrExtParam *ir_ext_param(const IrExternal *external, uint32_t k);
uint32_t ir_ext_cells(const IrExternal *external);
/* the cell of parameter p, in the order of C */
uint32_t ir_ext_cell(const IrExternal *external, uint32_t p);
void ir_print_adapter(const IrExternal *external, bool is_shared, Text *out);
bool ir_is_builtin(const char *name);

/* Whether a function may give back, on return, all that it allocated; and whether it does, since it
 * allocates. */
bool ir_may_rewind(const IrModule *module, const IrFunction *f);
bool ir_rewinds(const IrModule *module, const IrFunction *f);
/* Whether a function calls others, so that it pays for depth and a step. */
bool ir_calls_functions(const IrFunction *f);

/* For each instruction of control flow the one it belongs to: IF its ELSE or END, ELSE its END, END
 * its opener, LOOP and FOR their END, BREAK and BREAK_UNLESS the END of their loop. */
uint32_t *ir_match(const IrFunction *f, Arena *arena);

/* For each register the last instruction at which its value is still needed; a value from outside
 * of a loop is needed until the loop's end, a variable until the function's. */
uint32_t *ir_last_use(const IrModule *module, const IrFunction *f, const uint32_t *match, Arena *arena);

/* Cells of a function's frame: params, then two for each array, then variables, elements of FRAME
 * arrays, and last temporaries, which share cells where they do not live at the same time. */
typedef struct {
    uint32_t *reg;     /* cell of each register */
    uint32_t *array;   /* cell of each array's address; its length follows */
    uint32_t *element; /* first element of each FRAME array */
    /* two cells for a mark of the memory, where the function rewinds */
    uint32_t mark;
    /* the cells of variables that are no parameters: cleared on entry */
    uint32_t variables, variable_count;
    uint32_t elements, element_count; /* all FRAME arrays: cleared on entry */
    uint32_t size;
    uint32_t outgoing; /* cells of the largest call; they lie after the frame */
} IrFrame;
IrFrame ir_frame(const IrModule *module, const IrFunction *f, const uint32_t *last_use, Arena *arena);

/* Whether instruction i may write the variable of the move that follows it, which then vanishes. */
bool ir_merges_with_move(const IrFunction *f, const uint32_t *last_use, uint32_t i);

/* Operations on arrays that are functions in every way of running. An array is two cells: address
 * and length. */
typedef struct {
    uint32_t function, source;
    int64_t offset, n;
    int64_t is_whole;
} ViewCall;
enum { VIEW_CELLS = sizeof(ViewCall) / 8 };
RtStatus ir_make_view(Rt *rt, const ViewCall *call, RtCell *to, const RtCell *of);
RtStatus ir_copy_array(Rt *rt, RtCell *to, const RtCell *from, uint32_t function, uint32_t source);
RtStatus ir_make_array(Rt *rt, RtCell *cells, int64_t n, uint32_t function, uint32_t source);
void ir_fill_array(RtCell *array, RtCell value);

/* ---- code.c: ways of running ----------------------------------------------------------------- */

/* What a way of running offers to code.c; `externals` has one entry for each external function. */
typedef struct Interpreter Interpreter;
Interpreter *interpreter_new(const IrModule *module, const RtEntry *externals, bool explains);
/* Prepares the functions that were added to the module since. */
bool interpreter_extend(Interpreter *interpreter, const RtEntry *externals);
void interpreter_free(Interpreter *interpreter);
RtStatus interpreter_run(const Interpreter *interpreter, IrFun f, Rt *rt, RtCell *frame);
size_t interpreter_size(const Interpreter *interpreter);
uint32_t interpreter_frame(const Interpreter *interpreter, IrFun f); /* cells */

typedef struct Native Native;
Native *native_new(const IrModule *module, const RtEntry *externals);
void native_free(Native *native);
RtEntry native_entry(const Native *native, IrFun f);
size_t native_size(const Native *native);
uint32_t native_frame(const Native *native); /* cells of the largest one */

/* Machine code that takes the arguments of C functions from cells, for externals that have no
 * adapter. NULL where that cannot be, `older` then stays; entries that are there already are left
 * alone. Frees `older` when freed. */
typedef struct Thunks Thunks;
Thunks *thunks_new(const IrModule *module, RtEntry *externals, Thunks *older);
void thunks_free(Thunks *thunks);

#endif
