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
    uint32_t outgoing; /* cells of the largest call; they lie behind the frame */
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

/* ---- x64.c: machine code of x86-64, one instruction a call ----------------------------------- */

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15, NOWHERE = 255 };
enum {
    CC_O = 0,
    CC_B = 2,
    CC_AE,
    CC_E,
    CC_NE,
    CC_BE,
    CC_A,
    CC_S,
    CC_NS,
    CC_P,
    CC_NP,
    CC_L,
    CC_GE,
    CC_LE,
    CC_G
};

/* What an instruction works on: a register, memory at base + 8*index + disp, or memory of the code
 * at `disp`. */
typedef struct {
    enum { IN_REG, IN_MEM, IN_CODE } kind;
    uint8_t reg, base, index;
    int32_t disp;
} Place64;
static inline Place64 in_reg(uint8_t reg) { return (Place64){ IN_REG, reg, NOWHERE, NOWHERE, 0 }; }
static inline Place64 in_mem(uint8_t base, int32_t disp)
{
    return (Place64){ IN_MEM, 0, base, NOWHERE, disp };
}
static inline Place64 in_code(uint32_t at) { return (Place64){ IN_CODE, 0, NOWHERE, NOWHERE, (int32_t)at }; }

typedef struct {
    Arena *arena;
    uint8_t *at;
    uint32_t n, room;
} Asm;

void x64_bytes(Asm *as, const void *bytes, uint32_t n);
void x64_patch(Asm *as, uint32_t at); /* the jump whose distance is at `at` comes here */
void x64_patch_to(Asm *as, uint32_t at, uint32_t target);
uint32_t x64_jump(Asm *as); /* returns the place of the distance */
uint32_t x64_jump_if(Asm *as, int cc);
void x64_jump_back(Asm *as, int cc, uint32_t target); /* cc < 0: always */
uint32_t x64_call(Asm *as);
void x64_call_at(Asm *as, Place64 place);
void x64_push(Asm *as, uint8_t reg);
void x64_pop(Asm *as, uint8_t reg);
void x64_ret(Asm *as);
/* `op` of SSE2 with a prefix 0xF2, 0x66 or 0 (none): x op= place */
void x64_sse(Asm *as, uint8_t prefix, uint8_t op, uint8_t x, Place64 place);
/* with a 64-bit GPR */
void x64_sse_wide(Asm *as, uint8_t prefix, uint8_t op, uint8_t reg, Place64 place);
void x64_round(Asm *as, uint8_t x, Place64 place, uint8_t mode); /* SSE 4.1 */
void x64_op(Asm *as, uint8_t op, uint8_t reg, Place64 place);    /* 64-bit, one byte of opcode */
void x64_op2(Asm *as, uint8_t op, uint8_t reg, Place64 place);   /* 0F op */
void x64_group(Asm *as, uint8_t op, uint8_t extension, Place64 place);
void x64_alu_imm(Asm *as, uint8_t extension, Place64 place,
                 int32_t imm); /* ADD 0, OR 1, AND 4, SUB 5, XOR 6, CMP 7 */
void x64_store_imm(Asm *as, Place64 place, int32_t imm);
void x64_set(Asm *as, int cc, uint8_t reg);      /* 0 or 1 in the whole register; flags stay */
void x64_imm(Asm *as, uint8_t reg, int64_t imm); /* flags stay */
void x64_lea(Asm *as, uint8_t reg, Place64 place);
void x64_mul_imm(Asm *as, uint8_t reg, Place64 place, int32_t imm); /* reg := place * imm */
/* by instructions that do nothing */
void x64_align(Asm *as, uint32_t to);

/* ---- plan.c: what native code keeps in registers --------------------------------------------- */

typedef struct {
    const IrModule *module;
    const IrFunction *f;
    uint32_t *match, *last_use;
    IrFrame frame;
    uint32_t *use_first,
        /* positions of the reads of register r: uses[use_first[r] .. use_first[r+1]) */
        *uses;
    bool *crosses; /* read in another straight piece of code than written */
    /* a constant or an element that can be loaded at any time while it is needed */
    bool *is_late;
    bool *is_kept;        /* a STORE whose element holds its value as long as that is read */
    bool *needs_clear;    /* a variable that may be read before it is written */
    bool *array_in_cells; /* the array's address and length are needed in the frame */
    /* the machine register that a register keeps for the whole function, or NOWHERE */
    uint8_t *pin;
    uint8_t *array_pin; /* and that an array's address keeps */
    bool has_calls, has_loops;
    uint32_t real_pins, word_pins; /* masks of machine registers */
    IrReg pinned_reals[8];         /* who has them */
    uint32_t pinned_real_count;
} Plan;
Plan *ir_plan(const IrModule *module, const IrFunction *f, Arena *arena);

/* ---- emit.c: one function as machine code ---------------------------------------------------- */

/* Places in the code that hold constants and addresses. */
typedef struct {
    uint32_t reals; /* of the module's constants */
    uint32_t sign_mask, abs_mask;
    uint32_t math;      /* addresses of functions of libm */
    uint32_t helpers;   /* addresses of helper functions */
    uint32_t externals; /* addresses of entries */
    bool has_rounding;
} Pools;
enum {
    HELPER_FAIL,
    HELPER_FAIL_TEXT,
    HELPER_FAILED_AT,
    HELPER_VIEW,
    HELPER_COPY,
    HELPER_NEW,
    HELPER_FILL,
    HELPER_MARK,
    HELPER_REWIND,
    HELPER_FLOOR,
    HELPER_CEIL,
    HELPER_TRUNC,
    HELPER_COUNT
};

typedef struct {
    uint32_t at; /* of the distance to fill in */
    IrFun to;
} CallSite;
typedef VEC(CallSite) CallSites;

void ir_emit(const IrModule *module, IrFun f, const Pools *pools, Asm *as, CallSites *calls, Arena *scratch);

/* What the files of the emitter share. */

enum {
    SSE_ADD = 0x58,
    SSE_MUL = 0x59,
    SSE_SUB = 0x5C,
    SSE_MIN = 0x5D,
    SSE_DIV = 0x5E,
    SSE_MAX = 0x5F,
    SSE_SQRT = 0x51
};
enum { XMM_SCRATCH = 15 };
enum { CC_REAL_EQ = 100, CC_REAL_NE }; /* conditions that need two flags */
enum { WORDS, REALS };                 /* the two banks of registers */

/* A number that a failure reports. */
typedef struct {
    bool is_imm;
    Place64 place;
    int32_t imm; /* or what is added to the place */
} Figure;

typedef enum { SITE_FIGURES, SITE_TEXT, SITE_EXTERN } SiteKind;
typedef struct {
    uint32_t jump, insn;
    SiteKind kind;
    RtStatus status;
    Figure value, bound;
    IrReg message;
} Site;

typedef struct {
    IrReg at[2][16];
} Held;

typedef struct {
    uint8_t op;
    uint32_t insn, top;
    uint32_t to_false[2], false_count; /* jumps to the ELSE or END */
    uint32_t to_end;                   /* jump of the first branch over the second; 0: none */
    VEC(uint32_t) breaks;
    Held held;
} EmitBlock;

typedef struct {
    const Plan *plan;
    const IrModule *module;
    const IrFunction *f;
    IrFun id;
    const Pools *pools;
    Asm *as;
    CallSites *calls;
    Arena *scratch;
    uint8_t *reg;     /* where each register is now, or NOWHERE */
    bool *homed;      /* whether its cell holds it, */
    uint32_t *stored; /* or the element of this STORE, if not IR_NONE */
    uint32_t *cursor; /* into plan->uses */
    Held held;
    uint32_t pool[2], locked[2];
    uint32_t at;
    IrReg flags_of; /* the condition that the flags hold, IR_NONE: none */
    int flags_cc;
    bool skip_move;
    VEC(Site) sites;
    VEC(EmitBlock) blocks;
    VEC(uint32_t) returns, failures;
} Emit;

static inline int reg_bank(const Emit *e, IrReg r)
{
    return e->f->regs.at[r].type == IR_REAL ? REALS : WORDS;
}
static inline bool reg_is_pinned(const Emit *e, IrReg r) { return e->plan->pin[r] != NOWHERE; }
static inline Place64 frame_cell(uint32_t index) { return in_mem(RBP, (int32_t)index * 8); }
static inline Place64 reg_home(const Emit *e, IrReg r) { return frame_cell(e->plan->frame.reg[r]); }
static inline Place64 frame_outgoing(const Emit *e, uint32_t index)
{
    return frame_cell(e->plan->frame.size + index);
}
static inline bool reg_dies(const Emit *e, IrReg r)
{
    return !e->f->regs.at[r].is_variable && !reg_is_pinned(e, r) && e->plan->last_use[r] <= e->at;
}
static inline const IrInsn *reg_definition(const Emit *e, IrReg r)
{
    return &e->f->code.at[e->f->regs.at[r].def];
}
static inline bool reg_dies_here(const Emit *e, IrReg r) { return reg_dies(e, r) && e->reg[r] != NOWHERE; }
static inline Figure emit_figure_imm(int32_t imm) { return (Figure){ true, in_reg(0), imm }; }
static inline Figure emit_figure_at(Place64 place, int32_t add) { return (Figure){ false, place, add }; }
static inline bool ir_has_known_length(const IrArrayInfo *info)
{
    return info->place == IR_FRAME || info->place == IR_MEMORY || info->place == IR_TABLE;
}

/* ---- registers.c ----------------------------------------------------------------------------- */

void reg_load(Emit *e, int bank, uint8_t to, Place64 from);
void reg_store(Emit *e, int bank, Place64 to, uint8_t from);
Place64 reg_element(Emit *e, IrArr a, int32_t index);
void reg_fetch(Emit *e, IrReg r, uint8_t to);
void reg_forget(Emit *e, int bank, uint8_t reg);
void reg_keep(Emit *e, IrReg r);
uint8_t reg_take(Emit *e, int bank);
void reg_hold(Emit *e, IrReg r, uint8_t reg);
uint8_t reg_for(Emit *e, IrReg r);
Place64 reg_anywhere(Emit *e, IrReg r);
void reg_bring(Emit *e, IrReg r, uint8_t to);
void reg_release(Emit *e, const IrInsn *insn);
uint8_t reg_target(Emit *e, const IrInsn *insn);
void reg_result(Emit *e, const IrInsn *insn, uint8_t reg);
uint8_t reg_fresh(Emit *e, const IrInsn *insn, int bank);
uint8_t reg_begin_result(Emit *e, IrReg a, int bank);
void reg_keep_for_call(Emit *e);
void reg_save_pinned(Emit *e, bool is_save);
void reg_forget_all(Emit *e);
void reg_restore(Emit *e, const Held *held, bool agree);

/* ---- emit_check.c ---------------------------------------------------------------------------- */

void emit_fail_if(Emit *e, int cc, RtStatus status, Figure value, Figure bound);
void emit_fail_plain_if(Emit *e, int cc, RtStatus status);
void emit_call_helper(Emit *e, int helper);
void emit_sites(Emit *e);
void emit_assert(Emit *e, const IrInsn *insn);
void emit_check(Emit *e, const IrInsn *insn);

/* ---- emit_value.c ---------------------------------------------------------------------------- */

void emit_real_two(Emit *e, const IrInsn *insn, uint8_t op);
void emit_mask(Emit *e, const IrInsn *insn, uint8_t op, uint32_t mask);
void emit_real_one(Emit *e, const IrInsn *insn);
bool emit_small_constant(const Emit *e, IrReg r, int32_t *imm);
void emit_int_two(Emit *e, const IrInsn *insn);
void emit_division(Emit *e, const IrInsn *insn);
void emit_int_pick(Emit *e, const IrInsn *insn);
void emit_int_one(Emit *e, const IrInsn *insn);
void emit_to_real(Emit *e, const IrInsn *insn);
void emit_to_int(Emit *e, const IrInsn *insn);
void emit_compare_reals(Emit *e, const IrInsn *insn);
void emit_compare_ints(Emit *e, const IrInsn *insn);
void emit_select(Emit *e, const IrInsn *insn);
void emit_move(Emit *e, const IrInsn *insn);

/* ---- emit_call.c ----------------------------------------------------------------------------- */

void emit_math(Emit *e, const IrInsn *insn, uint32_t address);
void emit_call(Emit *e, const IrInsn *insn);
void emit_array_helper(Emit *e, const IrInsn *insn);

/* ---- emit_array.c ---------------------------------------------------------------------------- */

void emit_load(Emit *e, const IrInsn *insn);
void emit_store(Emit *e, const IrInsn *insn);

/* ---- emit_flow.c ----------------------------------------------------------------------------- */

uint32_t emit_jump_unless(Emit *e, IrReg r, uint32_t jumps[2]);
void emit_flow(Emit *e, const IrInsn *insn);

/* What a way of running offers to code.c; `externals` has one entry for each external function. */
typedef struct Interpreter Interpreter;
Interpreter *interpreter_new(const IrModule *module, const RtEntry *externals, bool explains);
/* Prepares the functions that were added to the module since. */
bool interpreter_extend(Interpreter *interpreter, const RtEntry *externals);
void interpreter_free(Interpreter *interpreter);
RtStatus interpreter_run(const Interpreter *interpreter, IrFun f, Rt *rt, RtCell *frame);
size_t interpreter_size(const Interpreter *interpreter);
uint32_t interpreter_frame(const Interpreter *interpreter, IrFun f); /* cells */

/* Copies code to where it can run and no longer be written; NULL where the system denies that. */
void *ir_map_code(const Asm *as, size_t *size);
void ir_unmap_code(void *at, size_t size);

typedef struct Native Native;
Native *native_new(const IrModule *module, const RtEntry *externals);
void native_free(Native *native);
RtEntry native_entry(const Native *native, IrFun f);
size_t native_size(const Native *native);

/* Machine code that takes the arguments of C functions from cells, for externals that have no
 * adapter. NULL where that cannot be, `older` then stays; entries that are there already are left
 * alone. Frees `older` when freed. */
typedef struct Thunks Thunks;
Thunks *thunks_new(const IrModule *module, RtEntry *externals, Thunks *older);
void thunks_free(Thunks *thunks);

#endif
