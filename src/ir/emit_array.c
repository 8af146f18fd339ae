/* emit_array.c: machine code of elements of arrays: their places, checked subscripts, loads and
 * stores.
 *
 * A subscript that the optimizer could not show to be in its bounds is compared with the length,
 * once for both of them. Tests: tests/ir/run_test.c. */
#include "ir/emit.h"

/* The element that LOAD or STORE means, after its check. Uses RAX and RCX. */
static Place64 element(Emit *e, const IrInsn *insn)
{
    const IrArrayInfo *info = &e->f->arrays.at[insn->a];
    Place64 length = frame_cell(e->plan->frame.array[insn->a] + 1);
    bool is_known = ir_has_known_length(info), is_safe = (insn->flags & IR_SAFE) != 0;
    Figure bound = is_known ? emit_figure_imm((int32_t)info->n) : emit_figure_at(length, 0);
    if (insn->b == IR_NONE) {
        if (!is_known && !is_safe) {
            x64_alu_imm(e->as, 7, length, insn->imm);
            emit_fail_if(e, CC_LE, RT_INDEX, emit_figure_imm(insn->imm + 1), bound);
        }
        return reg_element(e, insn->a, insn->imm);
    }
    uint8_t index = reg_for(e, insn->b);
    int32_t offset = insn->imm;
    if (!is_safe) {
        x64_lea(e->as, RAX, in_mem(index, offset));
        if (is_known)
            x64_alu_imm(e->as, 7, in_reg(RAX), (int32_t)info->n);
        else
            x64_op(e->as, 0x3B, RAX, length);
        emit_fail_if(e, CC_AE, RT_INDEX, emit_figure_at(in_reg(RAX), 1), bound);
        index = RAX;
        offset = 0;
    }
    Place64 place = reg_element(e, insn->a, offset);
    place.index = index;
    return place;
}

void emit_load(Emit *e, const IrInsn *insn)
{
    if (e->plan->is_late[insn->dst]) return;
    int bank = reg_bank(e, insn->dst);
    uint8_t to = reg_fresh(e, insn, bank);
    Place64 from = element(e, insn);
    reg_load(e, bank, to, from);
    reg_result(e, insn, to);
}

void emit_store(Emit *e, const IrInsn *insn)
{
    int bank = reg_bank(e, insn->c);
    int32_t imm;
    if (emit_small_constant(e, insn->c, &imm))
        x64_store_imm(e->as, element(e, insn), imm);
    else {
        uint8_t from = reg_for(e, insn->c);
        reg_store(e, bank, element(e, insn), from);
        if (e->plan->is_kept[e->at] && !reg_is_pinned(e, insn->c) && !e->homed[insn->c] &&
            !e->plan->is_late[insn->c]) {
            e->homed[insn->c] = true;
            e->stored[insn->c] = e->at;
        }
    }
    reg_release(e, insn);
}
