/* emit_value.c: machine code of operations on numbers: Reals, Integers, comparisons, choices and
 * moves.
 *
 * A comparison leaves its result in the flags where the next instruction is the branch or the
 * choice that reads it. Integers are checked for overflow. Cost: constant for each instruction.
 * Tests: tests/ir/run_test.c, tests/ir/random_test.c. */
#include "ir/emit.h"

static bool commutes(const IrInsn *insn) { return (ir_ops[insn->op].flags & IR_COMMUTES) != 0; }

void emit_real_two(Emit *e, const IrInsn *insn, uint8_t op)
{
    uint8_t to = reg_target(e, insn);
    IrReg a = insn->a, b = insn->b;
    bool b_is_better =
        reg_dies_here(e, b) || (e->plan->is_late[a] && e->reg[a] == NOWHERE && !e->plan->is_late[b]);
    if (commutes(insn) && (to == NOWHERE ? b_is_better && !reg_dies_here(e, a)
                                         : e->plan->pin[b] == to && e->plan->pin[a] != to)) {
        a = insn->b;
        b = insn->a;
    }
    if (to == NOWHERE) {
        to = reg_begin_result(e, a, REALS);
        x64_sse(e->as, 0xF2, op, to, reg_anywhere(e, b));
    } else if (e->plan->pin[b] == to && e->plan->pin[a] != to) {
        reg_bring(e, a, XMM_SCRATCH);
        x64_sse(e->as, 0xF2, op, XMM_SCRATCH, in_reg(to));
        reg_load(e, REALS, to, in_reg(XMM_SCRATCH));
    } else {
        reg_bring(e, a, to);
        x64_sse(e->as, 0xF2, op, to, reg_anywhere(e, b));
    }
    reg_result(e, insn, to);
}

/* NEG and ABS by a mask of bits. */
void emit_mask(Emit *e, const IrInsn *insn, uint8_t op, uint32_t mask)
{
    uint8_t to = reg_target(e, insn);
    if (to == NOWHERE)
        to = reg_begin_result(e, insn->a, REALS);
    else
        reg_bring(e, insn->a, to);
    x64_sse(e->as, 0x66, op, to, in_code(mask));
    reg_result(e, insn, to);
}

void emit_real_one(Emit *e, const IrInsn *insn)
{
    Place64 from = reg_anywhere(e, insn->a);
    uint8_t to = reg_fresh(e, insn, REALS);
    if (insn->op == IR_SQRT)
        x64_sse(e->as, 0xF2, SSE_SQRT, to, from);
    else
        x64_round(e->as, to, from, insn->op == IR_FLOOR ? 9 : insn->op == IR_CEIL ? 10 : 11);
    reg_result(e, insn, to);
}

bool emit_small_constant(const Emit *e, IrReg r, int32_t *imm)
{
    if (!e->plan->is_late[r] || reg_definition(e, r)->op != IR_KINT) return false;
    int64_t x = e->module->ints.at[reg_definition(e, r)->a];
    *imm = (int32_t)x;
    return x == (int32_t)x;
}

/* reg op= r, by the opcode for a register or memory and its number for a constant. */
static void alu(Emit *e, uint8_t op, uint8_t extension, uint8_t reg, IrReg r)
{
    int32_t imm;
    if (emit_small_constant(e, r, &imm))
        x64_alu_imm(e->as, extension, in_reg(reg), imm);
    else
        x64_op(e->as, op, reg, reg_anywhere(e, r));
}

void emit_int_two(Emit *e, const IrInsn *insn)
{
    static const struct {
        uint8_t op, extension;
    } codes[IR_OP_COUNT] = {
        [IR_IADD] = { 0x03, 0 }, [IR_ISUB] = { 0x2B, 5 }, [IR_AND] = { 0x23, 4 }, [IR_OR] = { 0x0B, 1 }
    };
    IrReg a = insn->a, b = insn->b;
    int32_t imm;
    bool is_checked = (ir_ops[insn->op].flags & IR_FAILS) != 0 && !(insn->flags & IR_SAFE);
    if (commutes(insn) && emit_small_constant(e, a, &imm)) {
        a = insn->b;
        b = insn->a;
    }
    uint8_t to = reg_target(e, insn);
    bool is_small = emit_small_constant(e, b, &imm);
    if (!is_checked && is_small && imm != INT32_MIN && (insn->op == IR_IADD || insn->op == IR_ISUB)) {
        uint8_t from = reg_for(e, a);
        if (to == NOWHERE) to = reg_take(e, WORDS);
        x64_lea(e->as, to, in_mem(from, insn->op == IR_IADD ? imm : -imm));
        reg_result(e, insn, to);
        return;
    }
    uint8_t built = to != NOWHERE && e->plan->pin[b] == to ? RAX : to;
    if (built == NOWHERE)
        to = built = reg_begin_result(e, a, WORDS);
    else
        reg_bring(e, a, built);
    if (insn->op == IR_IMUL && is_small)
        x64_mul_imm(e->as, built, in_reg(built), imm);
    else if (insn->op == IR_IMUL)
        x64_op2(e->as, 0xAF, built, reg_anywhere(e, b));
    else
        alu(e, codes[insn->op].op, codes[insn->op].extension, built, b);
    if (is_checked) emit_fail_plain_if(e, CC_O, RT_OVERFLOW);
    reg_load(e, WORDS, to, in_reg(built));
    reg_result(e, insn, to);
}

void emit_division(Emit *e, const IrInsn *insn)
{
    reg_bring(e, insn->a, RAX);
    reg_bring(e, insn->b, RCX);
    uint8_t to = reg_fresh(e, insn, WORDS);
    x64_op(e->as, 0x85, RCX, in_reg(RCX));
    emit_fail_plain_if(e, CC_E, RT_DIVISION);
    x64_alu_imm(e->as, 7, in_reg(RCX), -1);
    uint32_t fine = x64_jump_if(e->as, CC_NE);
    x64_imm(e->as, RDX, INT64_MIN);
    x64_op(e->as, 0x3B, RAX, in_reg(RDX));
    emit_fail_plain_if(e, CC_E, RT_OVERFLOW);
    x64_patch(e->as, fine);
    x64_bytes(e->as, "\x48\x99", 2); /* CQO */
    x64_group(e->as, 0xF7, 7, in_reg(RCX));
    if (insn->op == IR_IMOD) {
        x64_op(e->as, 0x85, RDX, in_reg(RDX));
        uint32_t exact = x64_jump_if(e->as, CC_E);
        reg_load(e, WORDS, RAX, in_reg(RDX));
        x64_op(e->as, 0x33, RAX, in_reg(RCX));
        uint32_t same_sign = x64_jump_if(e->as, CC_NS);
        x64_op(e->as, 0x03, RDX, in_reg(RCX));
        x64_patch(e->as, exact);
        x64_patch(e->as, same_sign);
    }
    reg_load(e, WORDS, to, in_reg(insn->op == IR_IDIV ? RAX : RDX));
    reg_result(e, insn, to);
}

void emit_int_pick(Emit *e, const IrInsn *insn)
{
    uint8_t to = reg_fresh(e, insn, WORDS);
    reg_bring(e, insn->a, RAX);
    reg_bring(e, insn->b, RDX);
    x64_op(e->as, 0x3B, RDX, in_reg(RAX));
    x64_op2(e->as, (uint8_t)(0x40 | (insn->op == IR_IMIN ? CC_L : CC_G)), RAX, in_reg(RDX));
    reg_load(e, WORDS, to, in_reg(RAX));
    reg_result(e, insn, to);
}

void emit_int_one(Emit *e, const IrInsn *insn)
{
    uint8_t to = reg_fresh(e, insn, WORDS);
    reg_bring(e, insn->a, RAX);
    if (insn->op == IR_IABS) reg_load(e, WORDS, RDX, in_reg(RAX));
    x64_group(e->as, 0xF7, 3, in_reg(RAX));
    emit_fail_plain_if(e, CC_O, RT_OVERFLOW);
    if (insn->op == IR_IABS) x64_op2(e->as, 0x40 | CC_S, RAX, in_reg(RDX));
    reg_load(e, WORDS, to, in_reg(RAX));
    reg_result(e, insn, to);
}

void emit_to_real(Emit *e, const IrInsn *insn)
{
    uint8_t to = reg_fresh(e, insn, REALS);
    reg_bring(e, insn->a, RAX);
    x64_sse(e->as, 0x66, 0x57, to, in_reg(to));
    x64_sse_wide(e->as, 0xF2, 0x2A, to, in_reg(RAX));
    reg_result(e, insn, to);
}

void emit_to_int(Emit *e, const IrInsn *insn)
{
    uint8_t to = reg_fresh(e, insn, WORDS);
    Place64 from = reg_anywhere(e, insn->a);
    x64_sse_wide(e->as, 0xF2, 0x2C, RAX, from);
    x64_alu_imm(e->as, 7, in_reg(RAX), 1); /* overflows for the one value that means "none" */
    emit_fail_plain_if(e, CC_O, RT_CONVERSION);
    reg_load(e, WORDS, to, in_reg(RAX));
    reg_result(e, insn, to);
}

/* Whether the next instruction, and only it, reads this condition, as one that can be had from the
 * flags. */
static bool is_for_next(const Emit *e, const IrInsn *insn)
{
    if (e->at + 1 >= e->f->code.n || reg_is_pinned(e, insn->dst)) return false;
    const IrInsn *next = &e->f->code.at[e->at + 1];
    bool reads =
        next->op == IR_IF || next->op == IR_BREAK_UNLESS || next->op == IR_ASSERT || next->op == IR_SELECT;
    return reads && next->a == insn->dst && e->plan->last_use[insn->dst] == e->at + 1 &&
           !(next->op == IR_SELECT && (next->b == insn->dst || next->c == insn->dst));
}

static void condition(Emit *e, const IrInsn *insn, int cc)
{
    if (is_for_next(e, insn)) {
        reg_release(e, insn);
        e->flags_of = insn->dst;
        e->flags_cc = cc;
        return;
    }
    uint8_t to = reg_fresh(e, insn, WORDS);
    if (cc < CC_REAL_EQ)
        x64_set(e->as, cc, to);
    else {
        x64_set(e->as, cc == CC_REAL_EQ ? CC_E : CC_NE, RAX);
        x64_set(e->as, cc == CC_REAL_EQ ? CC_NP : CC_P, RDX);
        x64_op(e->as, cc == CC_REAL_EQ ? 0x23 : 0x0B, RAX, in_reg(RDX));
        reg_load(e, WORDS, to, in_reg(RAX));
    }
    reg_result(e, insn, to);
}

/* UCOMISD sets the carry for "below" and for NaN alike, so the greater one comes first. */
void emit_compare_reals(Emit *e, const IrInsn *insn)
{
    bool is_order = insn->op == IR_LT || insn->op == IR_LE;
    IrReg first = is_order ? insn->b : insn->a, second = is_order ? insn->a : insn->b;
    uint8_t x = reg_for(e, first);
    x64_sse(e->as, 0x66, 0x2E, x, reg_anywhere(e, second));
    condition(e, insn,
              insn->op == IR_LT   ? CC_A
              : insn->op == IR_LE ? CC_AE
              : insn->op == IR_EQ ? CC_REAL_EQ
                                  : CC_REAL_NE);
}

void emit_compare_ints(Emit *e, const IrInsn *insn)
{
    uint8_t x = reg_for(e, insn->a);
    int32_t imm;
    if (insn->op == IR_NOT)
        x64_op(e->as, 0x85, x, in_reg(x));
    else if (emit_small_constant(e, insn->b, &imm))
        x64_alu_imm(e->as, 7, in_reg(x), imm);
    else
        x64_op(e->as, 0x3B, x, reg_anywhere(e, insn->b));
    condition(e, insn,
              insn->op == IR_ILT   ? CC_L
              : insn->op == IR_ILE ? CC_LE
              : insn->op == IR_INE ? CC_NE
                                   : CC_E);
}

void emit_select(Emit *e, const IrInsn *insn)
{
    int bank = reg_bank(e, insn->dst);
    uint8_t scratch = bank == REALS ? XMM_SCRATCH : RAX;
    uint8_t yes = reg_for(e, insn->b), no = reg_for(e, insn->c);
    uint8_t to = reg_fresh(e, insn, bank);
    uint32_t jumps[2];
    if (e->flags_of != insn->a) reg_for(e, insn->a);
    reg_load(e, bank, scratch, in_reg(no));
    uint32_t n = emit_jump_unless(e, insn->a, jumps);
    reg_load(e, bank, scratch, in_reg(yes));
    for (uint32_t k = 0; k < n; k++) x64_patch(e->as, jumps[k]);
    reg_load(e, bank, to, in_reg(scratch));
    reg_result(e, insn, to);
}

void emit_move(Emit *e, const IrInsn *insn)
{
    int bank = reg_bank(e, insn->dst);
    if (insn->dst == insn->a) return;
    if (reg_is_pinned(e, insn->dst)) {
        reg_bring(e, insn->a, e->plan->pin[insn->dst]);
        reg_release(e, insn);
        return;
    }
    uint8_t from = reg_for(e, insn->a);
    bool moves = reg_dies(e, insn->a);
    reg_store(e, bank, reg_home(e, insn->dst), from);
    reg_release(e, insn);
    if (e->reg[insn->dst] != NOWHERE) reg_forget(e, bank, e->reg[insn->dst]);
    if (moves) reg_hold(e, insn->dst, from);
}
