/* emit.c: one function as machine code of x86-64.
 *
 * In: a verified function, its plan, the places of constants. Out: code at the end of the buffer, with the System V
 * calling convention of RtEntry: the instance in RDI, the frame in RSI, a status back.
 * How: one pass. RBX is the instance, RBP the frame; RAX, RCX, RDX and XMM15 are scratch; what the plan pinned keeps its
 * register; all else is cached in the other registers, the value that is read furthest in the future goes first when
 * one is needed. Constants and elements that nobody overwrites are operands in memory until they are read twice. A
 * comparison and the branch behind it share the flags.
 * Always: a variable, and a temporary that is read beyond its straight piece of code, is in its cell or in its pinned
 * register, so that all registers may be forgotten where paths meet; what the two ways into the end of an IF agree on is
 * kept. Every check jumps to a stub behind the code that reports the source and the figures. Cost: linear.
 * Tests: tests/ir/run_test.c, tests/ir/random_test.c. */
#include "ir/inside.h"

#include <assert.h>

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
} Block;

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
    VEC(Block) blocks;
    VEC(uint32_t) returns, failures;
} Emit;

static int bank_of(const Emit *e, IrReg r) { return e->f->regs.at[r].type == IR_REAL ? REALS : WORDS; }
static bool is_pinned(const Emit *e, IrReg r) { return e->plan->pin[r] != NOWHERE; }
static Place64 cell(uint32_t index) { return in_mem(RBP, (int32_t)index * 8); }
static Place64 home(const Emit *e, IrReg r) { return cell(e->plan->frame.reg[r]); }
static Place64 outgoing(const Emit *e, uint32_t index) { return cell(e->plan->frame.size + index); }
static bool dies(const Emit *e, IrReg r)
{
    return !e->f->regs.at[r].is_variable && !is_pinned(e, r) && e->plan->last_use[r] <= e->at;
}

static uint32_t next_use(Emit *e, IrReg r)
{
    uint32_t end = e->plan->use_first[r + 1];
    while (e->cursor[r] < end && e->plan->uses[e->cursor[r]] <= e->at) e->cursor[r]++;
    return e->cursor[r] < end ? e->plan->uses[e->cursor[r]] : UINT32_MAX;
}

/* ---- moving values ---- */

static void load(Emit *e, int bank, uint8_t to, Place64 from)
{
    if (bank == WORDS) {
        if (from.kind != IN_REG || from.reg != to) x64_op(e->as, 0x8B, to, from);
    } else if (from.kind != IN_REG)
        x64_sse(e->as, 0xF2, 0x10, to, from);
    else if (from.reg != to)
        x64_sse(e->as, 0x66, 0x28, to, from);
}

static void store(Emit *e, int bank, Place64 to, uint8_t from)
{
    if (bank == WORDS)
        x64_op(e->as, 0x89, from, to);
    else
        x64_sse(e->as, 0xF2, 0x11, from, to);
}

/* The register that holds an array's address; may be RCX. */
static uint8_t base_of(Emit *e, IrArr a)
{
    if (e->plan->array_pin[a] != NOWHERE) return e->plan->array_pin[a];
    x64_op(e->as, 0x8B, RCX, cell(e->plan->frame.array[a]));
    return RCX;
}

static Place64 element_at(Emit *e, IrArr a, int32_t index)
{
    if (e->f->arrays.at[a].place == IR_FRAME) return cell(e->plan->frame.element[a] + (uint32_t)index);
    return in_mem(base_of(e, a), index * 8);
}

static const IrInsn *definition(const Emit *e, IrReg r) { return &e->f->code.at[e->f->regs.at[r].def]; }

/* Whether a value that is in no register can be an operand in memory, and where. */
static bool memory_of(Emit *e, IrReg r, Place64 *place)
{
    if (!e->plan->is_late[r]) {
        const IrInsn *store = e->stored[r] == IR_NONE ? NULL : &e->f->code.at[e->stored[r]];
        *place = store ? element_at(e, store->a, store->imm) : home(e, r);
        return true;
    }
    const IrInsn *def = definition(e, r);
    if (def->op == IR_KREAL) *place = in_code(e->pools->reals + 8 * def->a);
    if (def->op == IR_LOAD) *place = element_at(e, def->a, def->imm);
    return def->op == IR_KREAL || def->op == IR_LOAD;
}

/* Brings a value that is in no register into one, without saying so. Flags stay. */
static void fetch(Emit *e, IrReg r, uint8_t to)
{
    Place64 place;
    if (memory_of(e, r, &place)) {
        const IrInsn *def = e->plan->is_late[r] ? definition(e, r) : NULL;
        uint64_t bits = 1;
        if (def && def->op == IR_KREAL) memcpy(&bits, &e->module->reals.at[def->a], 8);
        if (bits == 0)
            x64_sse(e->as, 0x66, 0x57, to, in_reg(to));
        else
            load(e, bank_of(e, r), to, place);
        return;
    }
    const IrInsn *def = definition(e, r);
    x64_imm(e->as, to,
            def->op == IR_KINT ? e->module->ints.at[def->a]
                               : (int64_t)(intptr_t)e->module->strings.at[def->a]);
}

static void forget(Emit *e, int bank, uint8_t reg)
{
    IrReg r = e->held.at[bank][reg];
    if (r != IR_NONE) e->reg[r] = NOWHERE;
    e->held.at[bank][reg] = IR_NONE;
}

static void keep(Emit *e, IrReg r)
{
    if (e->homed[r] || e->plan->is_late[r] || e->f->regs.at[r].is_variable) return;
    store(e, bank_of(e, r), home(e, r), e->reg[r]);
    e->homed[r] = true;
}

/* A free register of a bank, locked; the value read furthest in the future makes room. */
static uint8_t take(Emit *e, int bank)
{
    uint32_t furthest = 0;
    uint8_t best = NOWHERE;
    for (uint8_t reg = 0; reg < 16; reg++) {
        if (!(e->pool[bank] & ~e->locked[bank] & (1u << reg))) continue;
        IrReg r = e->held.at[bank][reg];
        if (r == IR_NONE) {
            best = reg;
            break;
        }
        uint32_t next = next_use(e, r);
        if (best == NOWHERE || next > furthest) {
            furthest = next;
            best = reg;
        }
    }
    assert(best != NOWHERE);
    if (e->held.at[bank][best] != IR_NONE) {
        keep(e, e->held.at[bank][best]);
        forget(e, bank, best);
    }
    e->locked[bank] |= 1u << best;
    return best;
}

static void hold(Emit *e, IrReg r, uint8_t reg)
{
    e->held.at[bank_of(e, r)][reg] = r;
    e->reg[r] = reg;
}

/* The value in a register, locked until the instruction is done. */
static uint8_t in_register(Emit *e, IrReg r)
{
    int bank = bank_of(e, r);
    if (is_pinned(e, r)) return e->plan->pin[r];
    if (e->reg[r] == NOWHERE) {
        uint8_t to = take(e, bank);
        fetch(e, r, to);
        hold(e, r, to);
    }
    e->locked[bank] |= 1u << e->reg[r];
    return e->reg[r];
}

/* The value where it is, or in a register if it will be read again and that saves anything. */
static Place64 anywhere(Emit *e, IrReg r)
{
    Place64 place;
    if (!is_pinned(e, r) && e->reg[r] == NOWHERE && (e->plan->is_late[r] || next_use(e, r) == UINT32_MAX) &&
        memory_of(e, r, &place))
        return place;
    return in_reg(in_register(e, r));
}

/* Copies a value to a given register. */
static void bring(Emit *e, IrReg r, uint8_t to)
{
    if (is_pinned(e, r))
        load(e, bank_of(e, r), to, in_reg(e->plan->pin[r]));
    else if (e->reg[r] != NOWHERE)
        load(e, bank_of(e, r), to, in_reg(e->reg[r]));
    else if (e->plan->is_late[r])
        fetch(e, r, to);
    else if (next_use(e, r) != UINT32_MAX && (e->plan->last_use[r] > e->at || e->f->regs.at[r].is_variable))
        load(e, bank_of(e, r), to, in_reg(in_register(e, r)));
    else
        fetch(e, r, to);
}

/* Frees what was read for the last time. */
static void release(Emit *e, const IrInsn *insn)
{
    IrReg reads[4];
    uint32_t n = plain_reads(insn, reads);
    for (uint32_t k = 0; k < n; k++)
        if (dies(e, reads[k]) && e->reg[reads[k]] != NOWHERE)
            forget(e, bank_of(e, reads[k]), e->reg[reads[k]]);
    e->locked[WORDS] = e->locked[REALS] = 0;
}

/* The pinned register that a result must go to, or NOWHERE. */
static uint8_t target(Emit *e, const IrInsn *insn)
{
    if (is_pinned(e, insn->dst)) return e->plan->pin[insn->dst];
    if (!ir_merges_with_move(e->f, e->plan->last_use, e->at)) return NOWHERE;
    IrReg variable = e->f->code.at[e->at + 1].dst;
    if (!is_pinned(e, variable)) return NOWHERE;
    e->skip_move = true;
    return e->plan->pin[variable];
}

/* The instruction has left its result in `reg`, which is no operand's any more. */
static void result(Emit *e, const IrInsn *insn, uint8_t reg)
{
    release(e, insn);
    if (is_pinned(e, insn->dst) || e->skip_move || e->plan->last_use[insn->dst] <= e->at) return;
    hold(e, insn->dst, reg);
    e->homed[insn->dst] = false;
    if (e->plan->crosses[insn->dst]) keep(e, insn->dst);
}

/* A register for a result that may be computed before operands are done with. */
static uint8_t fresh(Emit *e, const IrInsn *insn, int bank)
{
    uint8_t to = target(e, insn);
    return to == NOWHERE ? take(e, bank) : to;
}

/* ---- failures ---- */

static Figure figure_imm(int32_t imm) { return (Figure){ true, in_reg(0), imm }; }
static Figure figure_at(Place64 place, int32_t add) { return (Figure){ false, place, add }; }

static void fail_if(Emit *e, int cc, RtStatus status, Figure value, Figure bound)
{
    uint32_t jump = cc < 0 ? x64_jump(e->as) : x64_jump_if(e->as, cc);
    vec_push(e->scratch, &e->sites, ((Site){ jump, e->at, SITE_FIGURES, status, value, bound, IR_NONE }));
}

static void fail_plain_if(Emit *e, int cc, RtStatus status)
{
    fail_if(e, cc, status, figure_imm(0), figure_imm(0));
}

static void load_figure(Emit *e, uint8_t to, Figure figure)
{
    if (figure.is_imm) {
        x64_imm(e->as, to, figure.imm);
        return;
    }
    load(e, WORDS, to, figure.place);
    if (figure.imm) x64_alu_imm(e->as, 0, in_reg(to), figure.imm);
}

static void call_helper(Emit *e, int helper)
{
    x64_call_at(e->as, in_code(e->pools->helpers + 8 * (uint32_t)helper));
}

static void emit_sites(Emit *e)
{
    for (uint32_t k = 0; k < e->sites.n; k++) {
        const Site *site = &e->sites.at[k];
        uint32_t source =
            e->f->sources.n ? e->f->sources.at[site->insn < e->f->sources.n ? site->insn : 0] : 0;
        x64_patch(e->as, site->jump);
        if (site->kind == SITE_FIGURES) {
            load_figure(e, RAX, site->value);
            load_figure(e, R9, site->bound);
            load(e, WORDS, R8, in_reg(RAX));
        }
        if (site->kind == SITE_TEXT && site->message == IR_NONE) x64_imm(e->as, R8, 0);
        if (site->kind == SITE_TEXT && site->message != IR_NONE) {
            if (is_pinned(e, site->message) || site->value.place.kind == IN_REG)
                load(e, WORDS, R8, site->value.place);
            else
                fetch(e, site->message, R8);
        }
        if (site->kind == SITE_EXTERN)
            load(e, WORDS, RSI, in_reg(RAX));
        else
            x64_imm(e->as, RSI, site->status);
        x64_imm(e->as, RCX, source);
        load(e, WORDS, RDI, in_reg(RBX));
        x64_imm(e->as, RDX, e->id);
        call_helper(e, site->kind == SITE_FIGURES ? HELPER_FAIL
                       : site->kind == SITE_TEXT  ? HELPER_FAIL_TEXT
                                                  : HELPER_FAILED_AT);
        vec_push(e->scratch, &e->failures, x64_jump(e->as));
    }
}

/* ---- Reals ---- */

static bool commutes(const IrInsn *insn) { return (ir_ops[insn->op].flags & IR_COMMUTES) != 0; }
static bool dies_in_register(const Emit *e, IrReg r) { return dies(e, r) && e->reg[r] != NOWHERE; }

/* to := a, in a register that the result may be built in: a's own if nobody else reads it. */
static uint8_t begin_result(Emit *e, IrReg a, int bank)
{
    if (dies_in_register(e, a)) {
        e->locked[bank] |= 1u << e->reg[a];
        return e->reg[a];
    }
    if (!is_pinned(e, a) && e->reg[a] != NOWHERE) e->locked[bank] |= 1u << e->reg[a];
    uint8_t to = take(e, bank);
    bring(e, a, to);
    return to;
}

static void emit_real_two(Emit *e, const IrInsn *insn, uint8_t op)
{
    uint8_t to = target(e, insn);
    IrReg a = insn->a, b = insn->b;
    bool b_is_better =
        dies_in_register(e, b) || (e->plan->is_late[a] && e->reg[a] == NOWHERE && !e->plan->is_late[b]);
    if (commutes(insn) && (to == NOWHERE ? b_is_better && !dies_in_register(e, a)
                                         : e->plan->pin[b] == to && e->plan->pin[a] != to)) {
        a = insn->b;
        b = insn->a;
    }
    if (to == NOWHERE) {
        to = begin_result(e, a, REALS);
        x64_sse(e->as, 0xF2, op, to, anywhere(e, b));
    } else if (e->plan->pin[b] == to && e->plan->pin[a] != to) {
        bring(e, a, XMM_SCRATCH);
        x64_sse(e->as, 0xF2, op, XMM_SCRATCH, in_reg(to));
        load(e, REALS, to, in_reg(XMM_SCRATCH));
    } else {
        bring(e, a, to);
        x64_sse(e->as, 0xF2, op, to, anywhere(e, b));
    }
    result(e, insn, to);
}

/* NEG and ABS by a mask of bits. */
static void emit_mask(Emit *e, const IrInsn *insn, uint8_t op, uint32_t mask)
{
    uint8_t to = target(e, insn);
    if (to == NOWHERE)
        to = begin_result(e, insn->a, REALS);
    else
        bring(e, insn->a, to);
    x64_sse(e->as, 0x66, op, to, in_code(mask));
    result(e, insn, to);
}

static void emit_real_one(Emit *e, const IrInsn *insn)
{
    Place64 from = anywhere(e, insn->a);
    uint8_t to = fresh(e, insn, REALS);
    if (insn->op == IR_SQRT)
        x64_sse(e->as, 0xF2, SSE_SQRT, to, from);
    else
        x64_round(e->as, to, from, insn->op == IR_FLOOR ? 9 : insn->op == IR_CEIL ? 10 : 11);
    result(e, insn, to);
}

/* ---- calls ---- */

/* Puts what calls destroy and others still read into cells; registers are not forgotten yet. */
static void keep_for_call(Emit *e)
{
    for (int bank = 0; bank < 2; bank++)
        for (uint8_t reg = 0; reg < 16; reg++) {
            IrReg r = e->held.at[bank][reg];
            if (r != IR_NONE && !dies(e, r)) keep(e, r);
        }
}

static bool lives_across(const Emit *e, IrReg r)
{
    const IrRegInfo *info = &e->f->regs.at[r];
    return info->is_variable || ((info->def == IR_NONE || info->def < e->at) && e->plan->last_use[r] > e->at);
}

/* Pinned Reals have no register that a call preserves. */
static void pinned_reals(Emit *e, bool is_save)
{
    for (uint32_t k = 0; k < e->plan->pinned_real_count; k++) {
        IrReg r = e->plan->pinned_reals[k];
        if (!lives_across(e, r)) continue;
        if (is_save)
            store(e, REALS, home(e, r), e->plan->pin[r]);
        else
            load(e, REALS, e->plan->pin[r], home(e, r));
    }
}

static void forget_all(Emit *e)
{
    for (int bank = 0; bank < 2; bank++)
        for (uint8_t reg = 0; reg < 16; reg++) forget(e, bank, reg);
    e->locked[WORDS] = e->locked[REALS] = 0;
}

/* A function of libm, or one that SSE2 lacks. */
static void emit_math(Emit *e, const IrInsn *insn, uint32_t address)
{
    keep_for_call(e);
    pinned_reals(e, true);
    if (insn->op == IR_MATH2) {
        if (is_pinned(e, insn->b) || e->reg[insn->b] != NOWHERE)
            bring(e, insn->b, XMM_SCRATCH);
        else
            fetch(e, insn->b, XMM_SCRATCH);
    }
    if (is_pinned(e, insn->a) || e->reg[insn->a] != NOWHERE)
        bring(e, insn->a, 0);
    else
        fetch(e, insn->a, 0);
    if (insn->op == IR_MATH2) load(e, REALS, 1, in_reg(XMM_SCRATCH));
    forget_all(e);
    x64_call_at(e->as, in_code(address));
    pinned_reals(e, false);
    uint8_t to = target(e, insn);
    if (to != NOWHERE) load(e, REALS, to, in_reg(0));
    result(e, insn, 0);
}

static void give_operand(Emit *e, IrOperand operand, uint32_t id, uint32_t to)
{
    if (operand.is_array) {
        for (uint32_t k = 0; k < 2; k++) {
            load(e, WORDS, RAX, cell(e->plan->frame.array[id] + k));
            store(e, WORDS, outgoing(e, to + k), RAX);
        }
        return;
    }
    int bank = bank_of(e, id);
    uint8_t scratch = bank == REALS ? XMM_SCRATCH : RAX;
    uint8_t from = is_pinned(e, id) ? e->plan->pin[id] : e->reg[id];
    if (from == NOWHERE) fetch(e, id, from = scratch);
    store(e, bank, outgoing(e, to), from);
}

/* Assigns to a register from memory: an output of a call. */
static void take_output(Emit *e, IrReg r, Place64 from)
{
    int bank = bank_of(e, r);
    if (is_pinned(e, r)) {
        load(e, bank, e->plan->pin[r], from);
        return;
    }
    uint8_t to = take(e, bank);
    if (e->reg[r] != NOWHERE) forget(e, bank, e->reg[r]);
    load(e, bank, to, from);
    bool is_variable = e->f->regs.at[r].is_variable;
    if (!is_variable && e->plan->last_use[r] <= e->at) return;
    hold(e, r, to);
    if (is_variable)
        store(e, bank, home(e, r), to);
    else if (e->plan->crosses[r]) {
        e->homed[r] = false;
        keep(e, r);
    }
}

static void emit_call(Emit *e, const IrInsn *insn)
{
    const uint32_t *operands = e->f->operands.at + insn->b;
    uint32_t to = 0;
    keep_for_call(e);
    for (uint32_t k = 0; k < insn->count; k++) {
        IrOperand operand = ir_operand(e->module, insn, k);
        if (!operand.is_output || operand.is_array) give_operand(e, operand, operands[k], to);
        to += operand.is_array ? 2 : 1;
    }
    forget_all(e);
    pinned_reals(e, true);
    x64_lea(e->as, RSI, outgoing(e, 0));
    load(e, WORDS, RDI, in_reg(RBX));
    if (insn->op == IR_CALL) {
        uint32_t at = x64_call(e->as);
        vec_push(e->as->arena, e->calls, ((CallSite){ at, insn->a }));
    } else {
        x64_store_imm(e->as, in_mem(RBX, offsetof(Rt, error)), 0);
        x64_call_at(e->as, in_code(e->pools->externals + 8 * insn->a));
    }
    x64_bytes(e->as, "\x85\xC0", 2); /* TEST EAX, EAX */
    uint32_t jump = x64_jump_if(e->as, CC_NE);
    if (insn->op == IR_CALL)
        vec_push(e->scratch, &e->failures, jump);
    else
        vec_push(e->scratch, &e->sites, ((Site){ .jump = jump, .insn = e->at, .kind = SITE_EXTERN }));
    pinned_reals(e, false);
    to = 0;
    for (uint32_t k = 0; k < insn->count; k++) {
        IrOperand operand = ir_operand(e->module, insn, k);
        if (operand.is_output && !operand.is_array) take_output(e, operands[k], outgoing(e, to));
        if (operand.is_output && operand.is_array && e->f->arrays.at[operands[k]].place == IR_DYNAMIC)
            for (uint32_t j = 0; j < 2; j++) {
                load(e, WORDS, RAX, outgoing(e, to + j));
                store(e, WORDS, cell(e->plan->frame.array[operands[k]] + j), RAX);
            }
        to += operand.is_array ? 2 : 1;
        e->locked[WORDS] = e->locked[REALS] = 0;
    }
}

/* NEW, VIEW, FILL and COPY are functions of C. */
static void emit_array_helper(Emit *e, const IrInsn *insn)
{
    uint32_t source = e->f->sources.at[e->at];
    keep_for_call(e);
    if (insn->op == IR_NEW) bring(e, insn->b, RAX);
    if (insn->op == IR_FILL && bank_of(e, insn->c) == WORDS) bring(e, insn->c, RAX);
    if (insn->op == IR_FILL && bank_of(e, insn->c) == REALS) {
        bring(e, insn->c, XMM_SCRATCH);
        x64_sse_wide(e->as, 0x66, 0x7E, XMM_SCRATCH, in_reg(RAX));
    }
    if (insn->op == IR_VIEW) {
        x64_imm(e->as, RAX, (int64_t)((uint64_t)source << 32 | e->id));
        store(e, WORDS, outgoing(e, 0), RAX);
        if (insn->c != IR_NONE) {
            bring(e, insn->c, RAX);
            store(e, WORDS, outgoing(e, 1), RAX);
            bring(e, insn->dst, RAX);
            store(e, WORDS, outgoing(e, 2), RAX);
        }
        x64_store_imm(e->as, outgoing(e, 3), insn->c == IR_NONE);
    }
    forget_all(e);
    pinned_reals(e, true);
    Place64 first = cell(e->plan->frame.array[insn->a]);
    if (insn->op == IR_FILL) {
        load(e, WORDS, RSI, in_reg(RAX));
        x64_lea(e->as, RDI, first);
        call_helper(e, HELPER_FILL);
    } else {
        load(e, WORDS, RDI, in_reg(RBX));
        if (insn->op == IR_VIEW) {
            x64_lea(e->as, RSI, outgoing(e, 0));
            x64_lea(e->as, RDX, first);
            x64_lea(e->as, RCX, cell(e->plan->frame.array[insn->b]));
        } else {
            x64_lea(e->as, RSI, first);
            if (insn->op == IR_NEW) load(e, WORDS, RDX, in_reg(RAX));
            if (insn->op == IR_COPY) x64_lea(e->as, RDX, cell(e->plan->frame.array[insn->b]));
            x64_imm(e->as, RCX, e->id);
            x64_imm(e->as, R8, source);
        }
        call_helper(e, insn->op == IR_VIEW ? HELPER_VIEW : insn->op == IR_NEW ? HELPER_NEW : HELPER_COPY);
        x64_bytes(e->as, "\x85\xC0", 2); /* TEST EAX, EAX */
        vec_push(e->scratch, &e->failures, x64_jump_if(e->as, CC_NE));
    }
    pinned_reals(e, false);
}

/* ---- Integers ---- */

static bool small_constant(const Emit *e, IrReg r, int32_t *imm)
{
    if (!e->plan->is_late[r] || definition(e, r)->op != IR_KINT) return false;
    int64_t x = e->module->ints.at[definition(e, r)->a];
    *imm = (int32_t)x;
    return x == (int32_t)x;
}

/* reg op= r, by the opcode for a register or memory and its number for a constant. */
static void alu(Emit *e, uint8_t op, uint8_t extension, uint8_t reg, IrReg r)
{
    int32_t imm;
    if (small_constant(e, r, &imm))
        x64_alu_imm(e->as, extension, in_reg(reg), imm);
    else
        x64_op(e->as, op, reg, anywhere(e, r));
}

static void emit_int_two(Emit *e, const IrInsn *insn)
{
    static const struct {
        uint8_t op, extension;
    } codes[IR_OP_COUNT] = {
        [IR_IADD] = { 0x03, 0 }, [IR_ISUB] = { 0x2B, 5 }, [IR_AND] = { 0x23, 4 }, [IR_OR] = { 0x0B, 1 }
    };
    IrReg a = insn->a, b = insn->b;
    int32_t imm;
    bool is_checked = (ir_ops[insn->op].flags & IR_FAILS) != 0 && !(insn->flags & IR_SAFE);
    if (commutes(insn) && small_constant(e, a, &imm)) {
        a = insn->b;
        b = insn->a;
    }
    uint8_t to = target(e, insn);
    bool is_small = small_constant(e, b, &imm);
    if (!is_checked && is_small && imm != INT32_MIN && (insn->op == IR_IADD || insn->op == IR_ISUB)) {
        uint8_t from = in_register(e, a);
        if (to == NOWHERE) to = take(e, WORDS);
        x64_lea(e->as, to, in_mem(from, insn->op == IR_IADD ? imm : -imm));
        result(e, insn, to);
        return;
    }
    uint8_t built = to != NOWHERE && e->plan->pin[b] == to ? RAX : to;
    if (built == NOWHERE)
        to = built = begin_result(e, a, WORDS);
    else
        bring(e, a, built);
    if (insn->op == IR_IMUL && is_small)
        x64_mul_imm(e->as, built, in_reg(built), imm);
    else if (insn->op == IR_IMUL)
        x64_op2(e->as, 0xAF, built, anywhere(e, b));
    else
        alu(e, codes[insn->op].op, codes[insn->op].extension, built, b);
    if (is_checked) fail_plain_if(e, CC_O, RT_OVERFLOW);
    load(e, WORDS, to, in_reg(built));
    result(e, insn, to);
}

static void emit_division(Emit *e, const IrInsn *insn)
{
    bring(e, insn->a, RAX);
    bring(e, insn->b, RCX);
    uint8_t to = fresh(e, insn, WORDS);
    x64_op(e->as, 0x85, RCX, in_reg(RCX));
    fail_plain_if(e, CC_E, RT_DIVISION);
    x64_alu_imm(e->as, 7, in_reg(RCX), -1);
    uint32_t fine = x64_jump_if(e->as, CC_NE);
    x64_imm(e->as, RDX, INT64_MIN);
    x64_op(e->as, 0x3B, RAX, in_reg(RDX));
    fail_plain_if(e, CC_E, RT_OVERFLOW);
    x64_patch(e->as, fine);
    x64_bytes(e->as, "\x48\x99", 2); /* CQO */
    x64_group(e->as, 0xF7, 7, in_reg(RCX));
    if (insn->op == IR_IMOD) {
        x64_op(e->as, 0x85, RDX, in_reg(RDX));
        uint32_t exact = x64_jump_if(e->as, CC_E);
        load(e, WORDS, RAX, in_reg(RDX));
        x64_op(e->as, 0x33, RAX, in_reg(RCX));
        uint32_t same_sign = x64_jump_if(e->as, CC_NS);
        x64_op(e->as, 0x03, RDX, in_reg(RCX));
        x64_patch(e->as, exact);
        x64_patch(e->as, same_sign);
    }
    load(e, WORDS, to, in_reg(insn->op == IR_IDIV ? RAX : RDX));
    result(e, insn, to);
}

static void emit_int_pick(Emit *e, const IrInsn *insn)
{
    uint8_t to = fresh(e, insn, WORDS);
    bring(e, insn->a, RAX);
    bring(e, insn->b, RDX);
    x64_op(e->as, 0x3B, RDX, in_reg(RAX));
    x64_op2(e->as, (uint8_t)(0x40 | (insn->op == IR_IMIN ? CC_L : CC_G)), RAX, in_reg(RDX));
    load(e, WORDS, to, in_reg(RAX));
    result(e, insn, to);
}

static void emit_int_one(Emit *e, const IrInsn *insn)
{
    uint8_t to = fresh(e, insn, WORDS);
    bring(e, insn->a, RAX);
    if (insn->op == IR_IABS) load(e, WORDS, RDX, in_reg(RAX));
    x64_group(e->as, 0xF7, 3, in_reg(RAX));
    fail_plain_if(e, CC_O, RT_OVERFLOW);
    if (insn->op == IR_IABS) x64_op2(e->as, 0x40 | CC_S, RAX, in_reg(RDX));
    load(e, WORDS, to, in_reg(RAX));
    result(e, insn, to);
}

static void emit_to_real(Emit *e, const IrInsn *insn)
{
    uint8_t to = fresh(e, insn, REALS);
    bring(e, insn->a, RAX);
    x64_sse(e->as, 0x66, 0x57, to, in_reg(to));
    x64_sse_wide(e->as, 0xF2, 0x2A, to, in_reg(RAX));
    result(e, insn, to);
}

static void emit_to_int(Emit *e, const IrInsn *insn)
{
    uint8_t to = fresh(e, insn, WORDS);
    Place64 from = anywhere(e, insn->a);
    x64_sse_wide(e->as, 0xF2, 0x2C, RAX, from);
    x64_alu_imm(e->as, 7, in_reg(RAX), 1); /* overflows for the one value that means "none" */
    fail_plain_if(e, CC_O, RT_CONVERSION);
    load(e, WORDS, to, in_reg(RAX));
    result(e, insn, to);
}

/* ---- conditions ---- */

/* Whether the next instruction, and only it, reads this condition, as one that can be had from the flags. */
static bool is_for_next(const Emit *e, const IrInsn *insn)
{
    if (e->at + 1 >= e->f->code.n || is_pinned(e, insn->dst)) return false;
    const IrInsn *next = &e->f->code.at[e->at + 1];
    bool reads =
        next->op == IR_IF || next->op == IR_BREAK_UNLESS || next->op == IR_ASSERT || next->op == IR_SELECT;
    return reads && next->a == insn->dst && e->plan->last_use[insn->dst] == e->at + 1 &&
           !(next->op == IR_SELECT && (next->b == insn->dst || next->c == insn->dst));
}

static void condition(Emit *e, const IrInsn *insn, int cc)
{
    if (is_for_next(e, insn)) {
        release(e, insn);
        e->flags_of = insn->dst;
        e->flags_cc = cc;
        return;
    }
    uint8_t to = fresh(e, insn, WORDS);
    if (cc < CC_REAL_EQ)
        x64_set(e->as, cc, to);
    else {
        x64_set(e->as, cc == CC_REAL_EQ ? CC_E : CC_NE, RAX);
        x64_set(e->as, cc == CC_REAL_EQ ? CC_NP : CC_P, RDX);
        x64_op(e->as, cc == CC_REAL_EQ ? 0x23 : 0x0B, RAX, in_reg(RDX));
        load(e, WORDS, to, in_reg(RAX));
    }
    result(e, insn, to);
}

/* UCOMISD sets the carry for "below" and for NaN alike, so the greater one comes first. */
static void emit_compare_reals(Emit *e, const IrInsn *insn)
{
    bool is_order = insn->op == IR_LT || insn->op == IR_LE;
    IrReg first = is_order ? insn->b : insn->a, second = is_order ? insn->a : insn->b;
    uint8_t x = in_register(e, first);
    x64_sse(e->as, 0x66, 0x2E, x, anywhere(e, second));
    condition(e, insn,
              insn->op == IR_LT   ? CC_A
              : insn->op == IR_LE ? CC_AE
              : insn->op == IR_EQ ? CC_REAL_EQ
                                  : CC_REAL_NE);
}

static void emit_compare_ints(Emit *e, const IrInsn *insn)
{
    uint8_t x = in_register(e, insn->a);
    int32_t imm;
    if (insn->op == IR_NOT)
        x64_op(e->as, 0x85, x, in_reg(x));
    else if (small_constant(e, insn->b, &imm))
        x64_alu_imm(e->as, 7, in_reg(x), imm);
    else
        x64_op(e->as, 0x3B, x, anywhere(e, insn->b));
    condition(e, insn,
              insn->op == IR_ILT   ? CC_L
              : insn->op == IR_ILE ? CC_LE
              : insn->op == IR_INE ? CC_NE
                                   : CC_E);
}

/* Jumps where the condition is false; returns how many. */
static uint32_t jump_unless(Emit *e, IrReg r, uint32_t jumps[2])
{
    int cc = CC_NE;
    if (e->flags_of == r)
        cc = e->flags_cc;
    else {
        uint8_t reg = in_register(e, r);
        x64_op(e->as, 0x85, reg, in_reg(reg));
    }
    e->flags_of = IR_NONE;
    if (cc == CC_REAL_NE) {
        uint32_t unordered = x64_jump_if(e->as, CC_P);
        jumps[0] = x64_jump_if(e->as, CC_E);
        x64_patch(e->as, unordered);
        return 1;
    }
    if (cc == CC_REAL_EQ) {
        jumps[0] = x64_jump_if(e->as, CC_NE);
        jumps[1] = x64_jump_if(e->as, CC_P);
        return 2;
    }
    jumps[0] = x64_jump_if(e->as, cc ^ 1);
    return 1;
}

static void emit_select(Emit *e, const IrInsn *insn)
{
    int bank = bank_of(e, insn->dst);
    uint8_t scratch = bank == REALS ? XMM_SCRATCH : RAX;
    uint8_t yes = in_register(e, insn->b), no = in_register(e, insn->c);
    uint8_t to = fresh(e, insn, bank);
    uint32_t jumps[2];
    if (e->flags_of != insn->a) in_register(e, insn->a);
    load(e, bank, scratch, in_reg(no));
    uint32_t n = jump_unless(e, insn->a, jumps);
    load(e, bank, scratch, in_reg(yes));
    for (uint32_t k = 0; k < n; k++) x64_patch(e->as, jumps[k]);
    load(e, bank, to, in_reg(scratch));
    result(e, insn, to);
}

/* ---- arrays ---- */

static bool has_known_length(const IrArrayInfo *info)
{
    return info->place == IR_FRAME || info->place == IR_MEMORY || info->place == IR_TABLE;
}

/* The element that LOAD or STORE means, after its check. Uses RAX and RCX. */
static Place64 element(Emit *e, const IrInsn *insn)
{
    const IrArrayInfo *info = &e->f->arrays.at[insn->a];
    Place64 length = cell(e->plan->frame.array[insn->a] + 1);
    bool is_known = has_known_length(info), is_safe = (insn->flags & IR_SAFE) != 0;
    Figure bound = is_known ? figure_imm((int32_t)info->n) : figure_at(length, 0);
    if (insn->b == IR_NONE) {
        if (!is_known && !is_safe) {
            x64_alu_imm(e->as, 7, length, insn->imm);
            fail_if(e, CC_LE, RT_INDEX, figure_imm(insn->imm + 1), bound);
        }
        return element_at(e, insn->a, insn->imm);
    }
    uint8_t index = in_register(e, insn->b);
    int32_t offset = insn->imm;
    if (!is_safe) {
        x64_lea(e->as, RAX, in_mem(index, offset));
        if (is_known)
            x64_alu_imm(e->as, 7, in_reg(RAX), (int32_t)info->n);
        else
            x64_op(e->as, 0x3B, RAX, length);
        fail_if(e, CC_AE, RT_INDEX, figure_at(in_reg(RAX), 1), bound);
        index = RAX;
        offset = 0;
    }
    Place64 place = element_at(e, insn->a, offset);
    place.index = index;
    return place;
}

static void emit_load(Emit *e, const IrInsn *insn)
{
    if (e->plan->is_late[insn->dst]) return;
    int bank = bank_of(e, insn->dst);
    uint8_t to = fresh(e, insn, bank);
    Place64 from = element(e, insn);
    load(e, bank, to, from);
    result(e, insn, to);
}

static void emit_store(Emit *e, const IrInsn *insn)
{
    int bank = bank_of(e, insn->c);
    int32_t imm;
    if (small_constant(e, insn->c, &imm))
        x64_store_imm(e->as, element(e, insn), imm);
    else {
        uint8_t from = in_register(e, insn->c);
        store(e, bank, element(e, insn), from);
        if (e->plan->is_kept[e->at] && !is_pinned(e, insn->c) && !e->homed[insn->c] &&
            !e->plan->is_late[insn->c]) {
            e->homed[insn->c] = true;
            e->stored[insn->c] = e->at;
        }
    }
    release(e, insn);
}

/* ---- moves and checks ---- */

static void emit_move(Emit *e, const IrInsn *insn)
{
    int bank = bank_of(e, insn->dst);
    if (insn->dst == insn->a) return;
    if (is_pinned(e, insn->dst)) {
        bring(e, insn->a, e->plan->pin[insn->dst]);
        release(e, insn);
        return;
    }
    uint8_t from = in_register(e, insn->a);
    bool moves = dies(e, insn->a);
    store(e, bank, home(e, insn->dst), from);
    release(e, insn);
    if (e->reg[insn->dst] != NOWHERE) forget(e, bank, e->reg[insn->dst]);
    if (moves) hold(e, insn->dst, from);
}

static void emit_assert(Emit *e, const IrInsn *insn)
{
    uint32_t jumps[2], n = jump_unless(e, insn->a, jumps);
    Place64 place = home(e, insn->b == IR_NONE ? 0 : insn->b);
    /* Where the message is when the jump is made: testing the condition may have moved it. */
    if (insn->b != IR_NONE && is_pinned(e, insn->b)) place = in_reg(e->plan->pin[insn->b]);
    if (insn->b != IR_NONE && !is_pinned(e, insn->b) && e->reg[insn->b] != NOWHERE)
        place = in_reg(e->reg[insn->b]);
    for (uint32_t k = 0; k < n; k++)
        vec_push(
            e->scratch, &e->sites,
            ((Site){ jumps[k], e->at, SITE_TEXT, RT_ASSERT, figure_at(place, 0), figure_imm(0), insn->b }));
    release(e, insn);
}

static void emit_check(Emit *e, const IrInsn *insn)
{
    if (insn->op == IR_CHECK_FINITE) {
        bring(e, insn->a, XMM_SCRATCH);
        x64_sse(e->as, 0xF2, SSE_SUB, XMM_SCRATCH, in_reg(XMM_SCRATCH));
        x64_sse(e->as, 0x66, 0x2E, XMM_SCRATCH, in_reg(XMM_SCRATCH));
        fail_plain_if(e, CC_P, RT_NOT_FINITE);
    } else if (!(insn->flags & IR_SAFE)) {
        uint8_t a = in_register(e, insn->a), b = in_register(e, insn->b);
        Figure value = figure_at(in_reg(a), 0), bound = figure_at(in_reg(b), 0);
        if (insn->op == IR_CHECK_INDEX) {
            x64_alu_imm(e->as, 7, in_reg(a), 1);
            fail_if(e, CC_L, RT_INDEX, value, bound);
        }
        x64_op(e->as, 0x3B, a, in_reg(b));
        fail_if(e, insn->op == IR_CHECK_INDEX ? CC_G : CC_NE, insn->op == IR_CHECK_INDEX ? RT_INDEX : RT_SIZE,
                value, bound);
    }
    release(e, insn);
}

/* ---- control flow ---- */

static Block *open_block(Emit *e, uint8_t op)
{
    vec_push(e->scratch, &e->blocks, ((Block){ .op = op, .insn = e->at, .held = e->held }));
    return &e->blocks.at[e->blocks.n - 1];
}

static Block *loop_around(Emit *e)
{
    uint32_t k = e->blocks.n;
    do k--;
    while (e->blocks.at[k].op != IR_LOOP && e->blocks.at[k].op != IR_FOR);
    return &e->blocks.at[k];
}

/* Takes over what registers hold; what died meanwhile is left out. With `agree` only what they hold already. */
static void restore(Emit *e, const Held *held, bool agree)
{
    for (int bank = 0; bank < 2; bank++)
        for (uint8_t reg = 0; reg < 16; reg++) {
            IrReg now = e->held.at[bank][reg], then = held->at[bank][reg];
            if (agree && now == then) continue;
            forget(e, bank, reg);
        }
    for (int bank = 0; bank < 2 && !agree; bank++)
        for (uint8_t reg = 0; reg < 16; reg++) {
            IrReg then = held->at[bank][reg];
            if (then != IR_NONE && !dies(e, then)) hold(e, then, reg);
        }
}

static void emit_if(Emit *e, const IrInsn *insn)
{
    uint32_t jumps[2], n = jump_unless(e, insn->a, jumps);
    release(e, insn);
    Block *block = open_block(e, IR_IF);
    block->false_count = n;
    for (uint32_t k = 0; k < n; k++) block->to_false[k] = jumps[k];
}

static void emit_else(Emit *e)
{
    Block *block = &e->blocks.at[e->blocks.n - 1];
    Held before = block->held;
    block->to_end = x64_jump(e->as);
    for (uint32_t k = 0; k < block->false_count; k++) x64_patch(e->as, block->to_false[k]);
    block->false_count = 0;
    block->held = e->held;
    restore(e, &before, false);
}

/* Rounds of a FOR, charged to the instance; leaves where nothing is to be done. From RAX, to RCX. */
static uint32_t emit_rounds(Emit *e, const IrInsn *insn)
{
    Place64 steps = in_mem(RBX, offsetof(Rt, steps));
    int32_t step = insn->imm;
    if (!(insn->flags & IR_SAFE))
        for (int k = 0; k < 2; k++) {
            x64_imm(e->as, RDX, INT64_C(1) << 61);
            x64_op(e->as, 0x03, RDX, in_reg(k ? RCX : RAX));
            x64_push(e->as, RAX);
            x64_imm(e->as, RAX, INT64_C(1) << 62); /* |x| <= 2^61 is x + 2^61 <= 2^62 without signs */
            x64_op(e->as, 0x3B, RDX, in_reg(RAX));
            x64_pop(e->as, RAX);
            fail_plain_if(e, CC_A, RT_OVERFLOW);
        }
    /* The distance in the direction of the step: RCX - RAX or RAX - RCX. */
    load(e, WORDS, RDX, in_reg(step > 0 ? RCX : RAX));
    x64_op(e->as, 0x2B, RDX, in_reg(step > 0 ? RAX : RCX));
    uint32_t empty = x64_jump_if(e->as, CC_L);
    if (step != 1 && step != -1) {
        x64_push(e->as, RAX);
        load(e, WORDS, RAX, in_reg(RDX));
        x64_imm(e->as, RCX, step < 0 ? -(int64_t)step : step);
        x64_bytes(e->as, "\x48\x99", 2);
        x64_group(e->as, 0xF7, 7, in_reg(RCX));
        load(e, WORDS, RDX, in_reg(RAX));
        x64_pop(e->as, RAX);
    }
    x64_alu_imm(e->as, 0, in_reg(RDX), 1);
    x64_op(e->as, 0x3B, RDX, steps);
    fail_plain_if(e, CC_G, RT_STEPS);
    x64_op(e->as, 0x29, RDX, steps);
    return empty;
}

/* Rounds that are known and not zero are paid by constants. */
static bool emit_known_rounds(Emit *e, const IrInsn *insn)
{
    Place64 steps = in_mem(RBX, offsetof(Rt, steps));
    int32_t from, to;
    if (!small_constant(e, insn->a, &from) || !small_constant(e, insn->b, &to)) return false;
    int64_t rounds = rt_rounds(from, to, insn->imm);
    if (rounds <= 0 || rounds > INT32_MAX) return false;
    x64_alu_imm(e->as, 7, steps, (int32_t)rounds);
    fail_plain_if(e, CC_L, RT_STEPS);
    x64_alu_imm(e->as, 5, steps, (int32_t)rounds);
    x64_imm(e->as, RAX, from);
    return true;
}

static void emit_for(Emit *e, const IrInsn *insn)
{
    uint32_t empty = 0;
    bool is_known = emit_known_rounds(e, insn);
    if (!is_known) {
        bring(e, insn->a, RAX);
        bring(e, insn->b, RCX);
        empty = emit_rounds(e, insn);
    }
    if (is_pinned(e, insn->dst))
        load(e, WORDS, e->plan->pin[insn->dst], in_reg(RAX));
    else
        store(e, WORDS, home(e, insn->dst), RAX);
    forget_all(e);
    Block *block = open_block(e, IR_FOR);
    if (!is_known) vec_push(e->scratch, &block->breaks, empty);
    x64_align(e->as, 16);
    block->top = e->as->n;
}

static void emit_next(Emit *e, const IrInsn *loop, uint32_t top)
{
    uint8_t counter = is_pinned(e, loop->dst) ? e->plan->pin[loop->dst] : RAX;
    int32_t imm;
    if (counter == RAX) load(e, WORDS, RAX, home(e, loop->dst));
    x64_alu_imm(e->as, 0, in_reg(counter), loop->imm);
    if (counter == RAX) store(e, WORDS, home(e, loop->dst), RAX);
    if (small_constant(e, loop->b, &imm))
        x64_alu_imm(e->as, 7, in_reg(counter), imm);
    else if (is_pinned(e, loop->b))
        x64_op(e->as, 0x3B, counter, in_reg(e->plan->pin[loop->b]));
    else {
        fetch(e, loop->b, RDX);
        x64_op(e->as, 0x3B, counter, in_reg(RDX));
    }
    x64_jump_back(e->as, loop->imm > 0 ? CC_LE : CC_GE, top);
}

static void emit_loop(Emit *e)
{
    Place64 steps = in_mem(RBX, offsetof(Rt, steps));
    forget_all(e);
    Block *block = open_block(e, IR_LOOP);
    block->top = e->as->n;
    x64_alu_imm(e->as, 7, steps, 0);
    fail_plain_if(e, CC_LE, RT_STEPS);
    x64_alu_imm(e->as, 5, steps, 1);
}

static void emit_end(Emit *e)
{
    Block *block = &e->blocks.at[--e->blocks.n];
    if (block->op == IR_IF) {
        restore(e, &block->held, true);
        for (uint32_t k = 0; k < block->false_count; k++) x64_patch(e->as, block->to_false[k]);
        if (block->to_end) x64_patch(e->as, block->to_end);
        return;
    }
    forget_all(e);
    if (block->op == IR_FOR)
        emit_next(e, &e->f->code.at[block->insn], block->top);
    else
        x64_jump_back(e->as, -1, block->top);
    for (uint32_t k = 0; k < block->breaks.n; k++) x64_patch(e->as, block->breaks.at[k]);
}

static void emit_break(Emit *e, const IrInsn *insn)
{
    uint32_t jumps[2], n = 1;
    if (insn->op == IR_BREAK)
        jumps[0] = x64_jump(e->as);
    else
        n = jump_unless(e, insn->a, jumps);
    Block *loop = loop_around(e);
    for (uint32_t k = 0; k < n; k++) vec_push(e->scratch, &loop->breaks, jumps[k]);
    release(e, insn);
}

static void emit_flow(Emit *e, const IrInsn *insn)
{
    switch (insn->op) {
    case IR_IF: emit_if(e, insn); break;
    case IR_ELSE: emit_else(e); break;
    case IR_END: emit_end(e); break;
    case IR_LOOP: emit_loop(e); break;
    case IR_FOR: emit_for(e, insn); break;
    case IR_RETURN: vec_push(e->scratch, &e->returns, x64_jump(e->as)); break;
    default: emit_break(e, insn); break;
    }
}

/* ---- the function ---- */

static void emit_insn(Emit *e, const IrInsn *insn)
{
    switch ((IrOp)insn->op) {
    case IR_KREAL:
    case IR_KINT:
    case IR_KSTR: break; /* late */
    case IR_MOVE: emit_move(e, insn); break;
    case IR_ADD: emit_real_two(e, insn, SSE_ADD); break;
    case IR_SUB: emit_real_two(e, insn, SSE_SUB); break;
    case IR_MUL: emit_real_two(e, insn, SSE_MUL); break;
    case IR_DIV: emit_real_two(e, insn, SSE_DIV); break;
    case IR_MIN: emit_real_two(e, insn, SSE_MIN); break;
    case IR_MAX: emit_real_two(e, insn, SSE_MAX); break;
    case IR_NEG: emit_mask(e, insn, 0x57, e->pools->sign_mask); break;
    case IR_ABS: emit_mask(e, insn, 0x54, e->pools->abs_mask); break;
    case IR_SQRT: emit_real_one(e, insn); break;
    case IR_FLOOR:
    case IR_CEIL:
    case IR_TRUNC:
        if (e->pools->has_rounding)
            emit_real_one(e, insn);
        else
            emit_math(e, insn, e->pools->helpers + 8 * (uint32_t)(HELPER_FLOOR + (insn->op - IR_FLOOR)));
        break;
    case IR_MATH1:
    case IR_MATH2: emit_math(e, insn, e->pools->math + 8 * (uint32_t)insn->imm); break;
    case IR_LT:
    case IR_LE:
    case IR_EQ:
    case IR_NE: emit_compare_reals(e, insn); break;
    case IR_IADD:
    case IR_ISUB:
    case IR_IMUL:
    case IR_AND:
    case IR_OR: emit_int_two(e, insn); break;
    case IR_IDIV:
    case IR_IREM:
    case IR_IMOD: emit_division(e, insn); break;
    case IR_IMIN:
    case IR_IMAX: emit_int_pick(e, insn); break;
    case IR_INEG:
    case IR_IABS: emit_int_one(e, insn); break;
    case IR_ILT:
    case IR_ILE:
    case IR_IEQ:
    case IR_INE:
    case IR_NOT: emit_compare_ints(e, insn); break;
    case IR_TO_REAL: emit_to_real(e, insn); break;
    case IR_TO_INT: emit_to_int(e, insn); break;
    case IR_SELECT: emit_select(e, insn); break;
    case IR_LOAD: emit_load(e, insn); break;
    case IR_STORE: emit_store(e, insn); break;
    case IR_LENGTH: {
        uint8_t to = fresh(e, insn, WORDS);
        load(e, WORDS, to, cell(e->plan->frame.array[insn->a] + 1));
        result(e, insn, to);
        break;
    }
    case IR_NEW:
    case IR_VIEW:
    case IR_FILL:
    case IR_COPY: emit_array_helper(e, insn); break;
    case IR_CALL:
    case IR_EXTERN: emit_call(e, insn); break;
    case IR_ASSERT: emit_assert(e, insn); break;
    case IR_CHECK_INDEX:
    case IR_CHECK_SIZE:
    case IR_CHECK_FINITE: emit_check(e, insn); break;
    default: emit_flow(e, insn); break;
    }
}

static const uint8_t preserved[] = { RBP, RBX, R12, R13, R14, R15 };

static bool is_saved(const Emit *e, uint8_t reg)
{
    return reg == RBP || reg == RBX || (e->plan->word_pins & (1u << reg));
}

static bool needs_padding(const Emit *e)
{
    unsigned n = 0;
    for (size_t k = 0; k < COUNT_OF(preserved); k++) n += is_saved(e, preserved[k]);
    return n % 2 == 0;
}

static void emit_arrays(Emit *e)
{
    for (IrArr a = 0; a < e->f->arrays.n; a++) {
        const IrArrayInfo *info = &e->f->arrays.at[a];
        uint8_t pin = e->plan->array_pin[a], to = pin == NOWHERE ? RAX : pin;
        Place64 at = cell(e->plan->frame.array[a]), n = cell(e->plan->frame.array[a] + 1);
        if (info->place == IR_PARAM) {
            if (pin != NOWHERE) load(e, WORDS, pin, at);
            continue;
        }
        if (info->place == IR_FRAME && !e->plan->array_in_cells[a]) continue;
        if (info->place == IR_FRAME) x64_lea(e->as, to, cell(e->plan->frame.element[a]));
        if (info->place == IR_MEMORY) {
            load(e, WORDS, RAX, in_mem(RBX, offsetof(Rt, memory)));
            load(e, WORDS, to, in_mem(RAX, (int32_t)(info->index * sizeof(RtArray))));
        }
        if (info->place == IR_TABLE)
            x64_imm(e->as, to, (int64_t)(intptr_t)e->module->tables.at[info->index].at);
        if (info->place == IR_DYNAMIC || info->place == IR_VIEW_OF) x64_imm(e->as, to, 0);
        if (pin == NOWHERE || e->plan->array_in_cells[a]) store(e, WORDS, at, to);
        if (e->plan->array_in_cells[a] || !has_known_length(info)) x64_store_imm(e->as, n, (int32_t)info->n);
    }
}

static void emit_clearing(Emit *e)
{
    enum { FEW = 12 };
    const IrFrame *frame = &e->plan->frame;
    for (IrReg r = 0; r < e->f->regs.n; r++) {
        if (!e->f->regs.at[r].is_variable || !e->plan->needs_clear[r]) continue;
        if (!is_pinned(e, r))
            x64_store_imm(e->as, home(e, r), 0);
        else if (bank_of(e, r) == REALS)
            x64_sse(e->as, 0x66, 0x57, e->plan->pin[r], in_reg(e->plan->pin[r]));
        else
            x64_imm(e->as, e->plan->pin[r], 0);
    }
    if (frame->element_count <= FEW) {
        for (uint32_t k = 0; k < frame->element_count; k++)
            x64_store_imm(e->as, cell(frame->elements + k), 0);
        return;
    }
    x64_lea(e->as, RDI, cell(frame->elements));
    x64_imm(e->as, RAX, 0);
    x64_imm(e->as, RCX, frame->element_count);
    x64_bytes(e->as, "\xF3\x48\xAB", 3); /* REP STOSQ */
}

static void emit_entry(Emit *e)
{
    Place64 depth = in_mem(RBX, offsetof(Rt, depth)), steps = in_mem(RBX, offsetof(Rt, steps));
    for (size_t k = 0; k < COUNT_OF(preserved); k++)
        if (is_saved(e, preserved[k])) x64_push(e->as, preserved[k]);
    if (needs_padding(e)) x64_alu_imm(e->as, 5, in_reg(RSP), 8);
    load(e, WORDS, RBX, in_reg(RDI));
    load(e, WORDS, RBP, in_reg(RSI));
    x64_lea(e->as, RAX, cell(e->plan->frame.size + e->plan->frame.outgoing));
    x64_op(e->as, 0x3B, RAX, in_mem(RBX, offsetof(Rt, stack_end)));
    fail_plain_if(e, CC_A, RT_DEPTH);
    if (ir_calls_functions(e->f)) {
        x64_alu_imm(e->as, 7, depth, 0);
        fail_plain_if(e, CC_LE, RT_DEPTH);
        x64_alu_imm(e->as, 7, steps, 0);
        fail_plain_if(e, CC_LE, RT_STEPS);
        x64_alu_imm(e->as, 5, depth, 1);
        x64_alu_imm(e->as, 5, steps, 1);
    }
    emit_clearing(e);
    if (ir_rewinds(e->module, e->f)) {
        load(e, WORDS, RDI, in_reg(RBX));
        x64_lea(e->as, RSI, cell(e->plan->frame.mark));
        call_helper(e, HELPER_MARK);
    }
    /* Cleared pins of Reals do not survive the call above. */
    if (ir_rewinds(e->module, e->f))
        for (uint32_t k = 0; k < e->plan->pinned_real_count; k++) {
            uint8_t reg = e->plan->pin[e->plan->pinned_reals[k]];
            x64_sse(e->as, 0x66, 0x57, reg, in_reg(reg));
        }
    emit_arrays(e);
    for (uint32_t p = 0; p < e->f->input_count; p++) {
        const IrParam *param = &e->f->params.at[p];
        if (param->is_array) continue;
        e->homed[param->id] = true;
        if (is_pinned(e, param->id))
            load(e, bank_of(e, param->id), e->plan->pin[param->id], home(e, param->id));
    }
}

static void emit_exit(Emit *e)
{
    for (uint32_t k = 0; k < e->returns.n; k++) x64_patch(e->as, e->returns.at[k]);
    for (uint32_t p = e->f->input_count; p < e->f->params.n; p++) {
        const IrParam *param = &e->f->params.at[p];
        if (!param->is_array && is_pinned(e, param->id))
            store(e, bank_of(e, param->id), home(e, param->id), e->plan->pin[param->id]);
    }
    if (ir_calls_functions(e->f)) x64_alu_imm(e->as, 0, in_mem(RBX, offsetof(Rt, depth)), 1);
    if (ir_rewinds(e->module, e->f)) {
        load(e, WORDS, RDI, in_reg(RBX));
        x64_lea(e->as, RSI, cell(e->plan->frame.mark));
        call_helper(e, HELPER_REWIND);
    }
    x64_imm(e->as, RAX, 0);
    uint32_t out = e->as->n;
    if (needs_padding(e)) x64_alu_imm(e->as, 0, in_reg(RSP), 8);
    for (size_t k = COUNT_OF(preserved); k-- > 0;)
        if (is_saved(e, preserved[k])) x64_pop(e->as, preserved[k]);
    x64_ret(e->as);
    emit_sites(e);
    for (uint32_t k = 0; k < e->failures.n; k++) x64_patch_to(e->as, e->failures.at[k], out);
}

void ir_emit(const IrModule *module, IrFun id, const Pools *pools, Asm *as, CallSites *calls, Arena *scratch)
{
    const IrFunction *f = module->functions.at[id];
    Plan *plan = ir_plan(module, f, scratch);
    Emit e = { .plan = plan,
               .module = module,
               .f = f,
               .id = id,
               .pools = pools,
               .as = as,
               .calls = calls,
               .scratch = scratch,
               .flags_of = IR_NONE };
    e.reg = memset(arena_alloc(scratch, f->regs.n + 1), NOWHERE, f->regs.n + 1);
    e.homed = NEW_ARRAY(scratch, bool, f->regs.n + 1);
    e.stored = memset(arena_alloc(scratch, (f->regs.n + 1) * sizeof(uint32_t)), 0xFF,
                      (f->regs.n + 1) * sizeof(uint32_t));
    e.cursor =
        memcpy(NEW_ARRAY(scratch, uint32_t, f->regs.n + 1), plan->use_first, f->regs.n * sizeof(uint32_t));
    memset(&e.held, 0xFF, sizeof e.held);
    e.pool[REALS] = 0x7FFFu & ~plan->real_pins;
    e.pool[WORDS] = (1u << RSI | 1u << RDI | 1u << R8 | 1u << R9 | 1u << R10 | 1u << R11) & ~plan->word_pins;
    emit_entry(&e);
    for (e.at = 0; e.at < f->code.n; e.at++) {
        e.skip_move = false;
        emit_insn(&e, &f->code.at[e.at]);
        if (e.skip_move) e.at++;
    }
    emit_exit(&e);
}
