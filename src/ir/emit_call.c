/* emit_call.c: machine code of calls: functions of libm, of the module, of C; helpers that work on
 * whole arrays.
 *
 * Arguments and results of the module's functions and of C are cells after the frame. What calls
 * destroy and others still read is put into cells before. Cost: linear in the operands. Tests:
 * tests/ir/run_test.c, tests/ir/external_test.c. */
#include "ir/emit.h"

/* A function of libm, or one that SSE2 lacks. */
void emit_math(Emit *e, const IrInsn *insn, uint32_t address)
{
    reg_keep_for_call(e);
    reg_save_pinned(e, true);
    if (insn->op == IR_MATH2) {
        if (reg_is_pinned(e, insn->b) || e->reg[insn->b] != NOWHERE)
            reg_bring(e, insn->b, XMM_SCRATCH);
        else
            reg_fetch(e, insn->b, XMM_SCRATCH);
    }
    if (reg_is_pinned(e, insn->a) || e->reg[insn->a] != NOWHERE)
        reg_bring(e, insn->a, 0);
    else
        reg_fetch(e, insn->a, 0);
    if (insn->op == IR_MATH2) reg_load(e, REALS, 1, in_reg(XMM_SCRATCH));
    reg_forget_all(e);
    x64_call_at(e->as, in_code(address));
    reg_save_pinned(e, false);
    uint8_t to = reg_target(e, insn);
    if (to != NOWHERE) reg_load(e, REALS, to, in_reg(0));
    reg_result(e, insn, 0);
}

static void give_operand(Emit *e, IrOperand operand, uint32_t id, uint32_t to)
{
    if (operand.is_array) {
        for (uint32_t k = 0; k < 2; k++) {
            reg_load(e, WORDS, RAX, frame_cell(e->plan->frame.array[id] + k));
            reg_store(e, WORDS, frame_outgoing(e, to + k), RAX);
        }
        return;
    }
    int bank = reg_bank(e, id);
    uint8_t scratch = bank == REALS ? XMM_SCRATCH : RAX;
    uint8_t from = reg_is_pinned(e, id) ? e->plan->pin[id] : e->reg[id];
    if (from == NOWHERE) reg_fetch(e, id, from = scratch);
    reg_store(e, bank, frame_outgoing(e, to), from);
}

/* Assigns to a register from memory: an output of a call. */
static void take_output(Emit *e, IrReg r, Place64 from)
{
    int bank = reg_bank(e, r);
    if (reg_is_pinned(e, r)) {
        reg_load(e, bank, e->plan->pin[r], from);
        return;
    }
    uint8_t to = reg_take(e, bank);
    if (e->reg[r] != NOWHERE) reg_forget(e, bank, e->reg[r]);
    reg_load(e, bank, to, from);
    bool is_variable = e->f->regs.at[r].is_variable;
    if (!is_variable && e->plan->last_use[r] <= e->at) return;
    reg_hold(e, r, to);
    if (is_variable)
        reg_store(e, bank, reg_home(e, r), to);
    else if (e->plan->crosses[r]) {
        e->homed[r] = false;
        reg_keep(e, r);
    }
}

void emit_call(Emit *e, const IrInsn *insn)
{
    const uint32_t *operands = e->f->operands.at + insn->b;
    uint32_t to = 0;
    reg_keep_for_call(e);
    for (uint32_t k = 0; k < insn->count; k++) {
        IrOperand operand = ir_operand(e->module, insn, k);
        if (!operand.is_output || operand.is_array) give_operand(e, operand, operands[k], to);
        to += operand.is_array ? 2 : 1;
    }
    reg_forget_all(e);
    reg_save_pinned(e, true);
    x64_lea(e->as, RSI, frame_outgoing(e, 0));
    reg_load(e, WORDS, RDI, in_reg(RBX));
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
    reg_save_pinned(e, false);
    to = 0;
    for (uint32_t k = 0; k < insn->count; k++) {
        IrOperand operand = ir_operand(e->module, insn, k);
        if (operand.is_output && !operand.is_array) take_output(e, operands[k], frame_outgoing(e, to));
        if (operand.is_output && operand.is_array && e->f->arrays.at[operands[k]].place == IR_DYNAMIC)
            for (uint32_t j = 0; j < 2; j++) {
                reg_load(e, WORDS, RAX, frame_outgoing(e, to + j));
                reg_store(e, WORDS, frame_cell(e->plan->frame.array[operands[k]] + j), RAX);
            }
        to += operand.is_array ? 2 : 1;
        e->locked[WORDS] = e->locked[REALS] = 0;
    }
}

/* NEW, VIEW, FILL and COPY are functions of C. */
void emit_array_helper(Emit *e, const IrInsn *insn)
{
    uint32_t source = e->f->sources.at[e->at];
    reg_keep_for_call(e);
    if (insn->op == IR_NEW) reg_bring(e, insn->b, RAX);
    if (insn->op == IR_FILL && reg_bank(e, insn->c) == WORDS) reg_bring(e, insn->c, RAX);
    if (insn->op == IR_FILL && reg_bank(e, insn->c) == REALS) {
        reg_bring(e, insn->c, XMM_SCRATCH);
        x64_sse_wide(e->as, 0x66, 0x7E, XMM_SCRATCH, in_reg(RAX));
    }
    if (insn->op == IR_VIEW) {
        x64_imm(e->as, RAX, (int64_t)((uint64_t)source << 32 | e->id));
        reg_store(e, WORDS, frame_outgoing(e, 0), RAX);
        if (insn->c != IR_NONE) {
            reg_bring(e, insn->c, RAX);
            reg_store(e, WORDS, frame_outgoing(e, 1), RAX);
            reg_bring(e, insn->dst, RAX);
            reg_store(e, WORDS, frame_outgoing(e, 2), RAX);
        }
        x64_store_imm(e->as, frame_outgoing(e, 3), insn->c == IR_NONE);
    }
    reg_forget_all(e);
    reg_save_pinned(e, true);
    Place64 first = frame_cell(e->plan->frame.array[insn->a]);
    if (insn->op == IR_FILL) {
        reg_load(e, WORDS, RSI, in_reg(RAX));
        x64_lea(e->as, RDI, first);
        emit_call_helper(e, HELPER_FILL);
    } else {
        reg_load(e, WORDS, RDI, in_reg(RBX));
        if (insn->op == IR_VIEW) {
            x64_lea(e->as, RSI, frame_outgoing(e, 0));
            x64_lea(e->as, RDX, first);
            x64_lea(e->as, RCX, frame_cell(e->plan->frame.array[insn->b]));
        } else {
            x64_lea(e->as, RSI, first);
            if (insn->op == IR_NEW) reg_load(e, WORDS, RDX, in_reg(RAX));
            if (insn->op == IR_COPY) x64_lea(e->as, RDX, frame_cell(e->plan->frame.array[insn->b]));
            x64_imm(e->as, RCX, e->id);
            x64_imm(e->as, R8, source);
        }
        emit_call_helper(e, insn->op == IR_VIEW  ? HELPER_VIEW
                            : insn->op == IR_NEW ? HELPER_NEW
                                                 : HELPER_COPY);
        x64_bytes(e->as, "\x85\xC0", 2); /* TEST EAX, EAX */
        vec_push(e->scratch, &e->failures, x64_jump_if(e->as, CC_NE));
    }
    reg_save_pinned(e, false);
}
