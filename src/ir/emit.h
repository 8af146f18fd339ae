/* emit.h: machine code: what is kept in registers, and what the files of the emitter share. */
#ifndef ACAUSAL_IR_EMIT_H
#define ACAUSAL_IR_EMIT_H

#include "ir/inside.h"
#include "ir/x64.h"

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

/* Returns how many cells of the stack it needs for itself and for what it calls with. */
uint32_t ir_emit(const IrModule *module, IrFun f, const Pools *pools, Asm *as, CallSites *calls,
                 Arena *scratch);

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

#endif
