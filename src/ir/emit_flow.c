/* emit_flow.c: machine code of control flow: branches, loops, and what is known where paths meet.
 *
 * Registers are forgotten where paths meet, but for those that the two ways into the end of an IF
 * agree on. A loop over Integers whose rounds are known beforehand counts them. Cost: linear.
 * Tests: tests/ir/run_test.c, tests/ir/random_test.c. */
#include "ir/emit.h"

/* Jumps where the condition is false; returns how many. */
uint32_t emit_jump_unless(Emit *e, IrReg r, uint32_t jumps[2])
{
    int cc = CC_NE;
    if (e->flags_of == r)
        cc = e->flags_cc;
    else {
        uint8_t reg = reg_for(e, r);
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

static EmitBlock *open_block(Emit *e, uint8_t op)
{
    vec_push(e->scratch, &e->blocks, ((EmitBlock){ .op = op, .insn = e->at, .held = e->held }));
    return &e->blocks.at[e->blocks.n - 1];
}

static EmitBlock *loop_around(Emit *e)
{
    uint32_t k = e->blocks.n;
    do k--;
    while (e->blocks.at[k].op != IR_LOOP && e->blocks.at[k].op != IR_FOR);
    return &e->blocks.at[k];
}

static void emit_if(Emit *e, const IrInsn *insn)
{
    uint32_t jumps[2], n = emit_jump_unless(e, insn->a, jumps);
    reg_release(e, insn);
    EmitBlock *block = open_block(e, IR_IF);
    block->false_count = n;
    for (uint32_t k = 0; k < n; k++) block->to_false[k] = jumps[k];
}

static void emit_else(Emit *e)
{
    EmitBlock *block = &e->blocks.at[e->blocks.n - 1];
    Held before = block->held;
    block->to_end = x64_jump(e->as);
    for (uint32_t k = 0; k < block->false_count; k++) x64_patch(e->as, block->to_false[k]);
    block->false_count = 0;
    block->held = e->held;
    reg_restore(e, &before, false);
}

/* Rounds of a FOR, charged to the instance; leaves where nothing is to be done. From RAX, to
 * RCX. */
static uint32_t emit_rounds(Emit *e, const IrInsn *insn)
{
    Place64 steps = in_mem(RBX, offsetof(Rt, steps));
    int32_t step = insn->imm;
    if (!(insn->flags & IR_SAFE))
        for (int k = 0; k < 2; k++) {
            x64_imm(e->as, RDX, INT64_C(1) << 61);
            x64_op(e->as, 0x03, RDX, in_reg(k ? RCX : RAX));
            x64_push(e->as, RAX);
            /* |x| <= 2^61 is x + 2^61 <= 2^62 without signs */
            x64_imm(e->as, RAX, INT64_C(1) << 62);
            x64_op(e->as, 0x3B, RDX, in_reg(RAX));
            x64_pop(e->as, RAX);
            emit_fail_plain_if(e, CC_A, RT_OVERFLOW);
        }
    /* The distance in the direction of the step: RCX - RAX or RAX - RCX. */
    reg_load(e, WORDS, RDX, in_reg(step > 0 ? RCX : RAX));
    x64_op(e->as, 0x2B, RDX, in_reg(step > 0 ? RAX : RCX));
    uint32_t empty = x64_jump_if(e->as, CC_L);
    if (step != 1 && step != -1) {
        x64_push(e->as, RAX);
        reg_load(e, WORDS, RAX, in_reg(RDX));
        x64_imm(e->as, RCX, step < 0 ? -(int64_t)step : step);
        x64_bytes(e->as, "\x48\x99", 2);
        x64_group(e->as, 0xF7, 7, in_reg(RCX));
        reg_load(e, WORDS, RDX, in_reg(RAX));
        x64_pop(e->as, RAX);
    }
    x64_alu_imm(e->as, 0, in_reg(RDX), 1);
    x64_op(e->as, 0x3B, RDX, steps);
    emit_fail_plain_if(e, CC_G, RT_STEPS);
    x64_op(e->as, 0x29, RDX, steps);
    return empty;
}

/* Rounds that are known and not zero are paid by constants. */
static bool emit_known_rounds(Emit *e, const IrInsn *insn)
{
    Place64 steps = in_mem(RBX, offsetof(Rt, steps));
    int32_t from, to;
    if (!emit_small_constant(e, insn->a, &from) || !emit_small_constant(e, insn->b, &to)) return false;
    int64_t rounds = rt_rounds(from, to, insn->imm);
    if (rounds <= 0 || rounds > INT32_MAX) return false;
    x64_alu_imm(e->as, 7, steps, (int32_t)rounds);
    emit_fail_plain_if(e, CC_L, RT_STEPS);
    x64_alu_imm(e->as, 5, steps, (int32_t)rounds);
    x64_imm(e->as, RAX, from);
    return true;
}

static void emit_for(Emit *e, const IrInsn *insn)
{
    uint32_t empty = 0;
    bool is_known = emit_known_rounds(e, insn);
    if (!is_known) {
        reg_bring(e, insn->a, RAX);
        reg_bring(e, insn->b, RCX);
        empty = emit_rounds(e, insn);
    }
    if (reg_is_pinned(e, insn->dst))
        reg_load(e, WORDS, e->plan->pin[insn->dst], in_reg(RAX));
    else
        reg_store(e, WORDS, reg_home(e, insn->dst), RAX);
    reg_forget_all(e);
    EmitBlock *block = open_block(e, IR_FOR);
    if (!is_known) vec_push(e->scratch, &block->breaks, empty);
    x64_align(e->as, 16);
    block->top = e->as->n;
}

static void emit_next(Emit *e, const IrInsn *loop, uint32_t top)
{
    uint8_t counter = reg_is_pinned(e, loop->dst) ? e->plan->pin[loop->dst] : RAX;
    int32_t imm;
    if (counter == RAX) reg_load(e, WORDS, RAX, reg_home(e, loop->dst));
    x64_alu_imm(e->as, 0, in_reg(counter), loop->imm);
    if (counter == RAX) reg_store(e, WORDS, reg_home(e, loop->dst), RAX);
    if (emit_small_constant(e, loop->b, &imm))
        x64_alu_imm(e->as, 7, in_reg(counter), imm);
    else if (reg_is_pinned(e, loop->b))
        x64_op(e->as, 0x3B, counter, in_reg(e->plan->pin[loop->b]));
    else {
        reg_fetch(e, loop->b, RDX);
        x64_op(e->as, 0x3B, counter, in_reg(RDX));
    }
    x64_jump_back(e->as, loop->imm > 0 ? CC_LE : CC_GE, top);
}

static void emit_loop(Emit *e)
{
    Place64 steps = in_mem(RBX, offsetof(Rt, steps));
    reg_forget_all(e);
    EmitBlock *block = open_block(e, IR_LOOP);
    block->top = e->as->n;
    x64_alu_imm(e->as, 7, steps, 0);
    emit_fail_plain_if(e, CC_LE, RT_STEPS);
    x64_alu_imm(e->as, 5, steps, 1);
}

static void emit_end(Emit *e)
{
    EmitBlock *block = &e->blocks.at[--e->blocks.n];
    if (block->op == IR_IF) {
        reg_restore(e, &block->held, true);
        for (uint32_t k = 0; k < block->false_count; k++) x64_patch(e->as, block->to_false[k]);
        if (block->to_end) x64_patch(e->as, block->to_end);
        return;
    }
    reg_forget_all(e);
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
        n = emit_jump_unless(e, insn->a, jumps);
    EmitBlock *loop = loop_around(e);
    for (uint32_t k = 0; k < n; k++) vec_push(e->scratch, &loop->breaks, jumps[k]);
    reg_release(e, insn);
}

void emit_flow(Emit *e, const IrInsn *insn)
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
