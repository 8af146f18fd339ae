/* emit.c: one function as machine code of x86-64.
 *
 * In: a verified function, its plan, the places of constants. Out: code at the end of the buffer,
 * with the System V calling convention of RtEntry: the instance in RDI, the frame in RSI, a status
 * back. Cost: linear. Tests: tests/ir/run_test.c, tests/ir/random_test.c. */
#include "ir/emit.h"

/* One pass. RBX is the instance, RBP the frame; RAX, RCX, RDX and XMM15 are scratch; what the plan
 * pinned keeps its register; all else is cached in the other registers, the value that is read
 * furthest in the future goes first when one is needed. Constants and elements that nobody
 * overwrites are operands in memory until they are read twice. A comparison and the branch after
 * it share the flags. Invariant: a variable, and a temporary that is read beyond its straight piece
 * of code, is in its cell or in its pinned register, so that all registers may be forgotten where
 * paths meet; what the two ways into the end of an IF agree on is kept. Every check jumps to a stub
 * after the code that reports the source and the figures. */

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
        uint8_t to = reg_fresh(e, insn, WORDS);
        reg_load(e, WORDS, to, frame_cell(e->plan->frame.array[insn->a] + 1));
        reg_result(e, insn, to);
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
        Place64 at = frame_cell(e->plan->frame.array[a]), n = frame_cell(e->plan->frame.array[a] + 1);
        if (info->place == IR_PARAM) {
            if (pin != NOWHERE) reg_load(e, WORDS, pin, at);
            continue;
        }
        if (info->place == IR_FRAME && !e->plan->array_in_cells[a]) continue;
        if (info->place == IR_FRAME) x64_lea(e->as, to, frame_cell(e->plan->frame.element[a]));
        if (info->place == IR_MEMORY) {
            reg_load(e, WORDS, RAX, in_mem(RBX, offsetof(Rt, memory)));
            reg_load(e, WORDS, to, in_mem(RAX, (int32_t)(info->index * sizeof(RtArray))));
        }
        if (info->place == IR_TABLE)
            x64_imm(e->as, to, (int64_t)(intptr_t)e->module->tables.at[info->index].at);
        if (info->place == IR_DYNAMIC || info->place == IR_VIEW_OF) x64_imm(e->as, to, 0);
        if (pin == NOWHERE || e->plan->array_in_cells[a]) reg_store(e, WORDS, at, to);
        if (e->plan->array_in_cells[a] || !ir_has_known_length(info))
            x64_store_imm(e->as, n, (int32_t)info->n);
    }
}

static void emit_clearing(Emit *e)
{
    enum { FEW = 12 };
    const IrFrame *frame = &e->plan->frame;
    for (IrReg r = 0; r < e->f->regs.n; r++) {
        if (!e->f->regs.at[r].is_variable || !e->plan->needs_clear[r]) continue;
        if (!reg_is_pinned(e, r))
            x64_store_imm(e->as, reg_home(e, r), 0);
        else if (reg_bank(e, r) == REALS)
            x64_sse(e->as, 0x66, 0x57, e->plan->pin[r], in_reg(e->plan->pin[r]));
        else
            x64_imm(e->as, e->plan->pin[r], 0);
    }
    if (frame->element_count <= FEW) {
        for (uint32_t k = 0; k < frame->element_count; k++)
            x64_store_imm(e->as, frame_cell(frame->elements + k), 0);
        return;
    }
    x64_lea(e->as, RDI, frame_cell(frame->elements));
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
    reg_load(e, WORDS, RBX, in_reg(RDI));
    reg_load(e, WORDS, RBP, in_reg(RSI));
    x64_lea(e->as, RAX, frame_cell(e->plan->frame.size + e->plan->frame.outgoing));
    x64_op(e->as, 0x3B, RAX, in_mem(RBX, offsetof(Rt, stack_end)));
    emit_fail_plain_if(e, CC_A, RT_DEPTH);
    if (ir_calls_functions(e->f)) {
        x64_alu_imm(e->as, 7, depth, 0);
        emit_fail_plain_if(e, CC_LE, RT_DEPTH);
        x64_alu_imm(e->as, 7, steps, 0);
        emit_fail_plain_if(e, CC_LE, RT_STEPS);
        x64_alu_imm(e->as, 5, depth, 1);
        x64_alu_imm(e->as, 5, steps, 1);
    }
    emit_clearing(e);
    if (ir_rewinds(e->module, e->f)) {
        reg_load(e, WORDS, RDI, in_reg(RBX));
        x64_lea(e->as, RSI, frame_cell(e->plan->frame.mark));
        emit_call_helper(e, HELPER_MARK);
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
        if (reg_is_pinned(e, param->id))
            reg_load(e, reg_bank(e, param->id), e->plan->pin[param->id], reg_home(e, param->id));
    }
}

static void emit_exit(Emit *e)
{
    for (uint32_t k = 0; k < e->returns.n; k++) x64_patch(e->as, e->returns.at[k]);
    for (uint32_t p = e->f->input_count; p < e->f->params.n; p++) {
        const IrParam *param = &e->f->params.at[p];
        if (!param->is_array && reg_is_pinned(e, param->id))
            reg_store(e, reg_bank(e, param->id), reg_home(e, param->id), e->plan->pin[param->id]);
    }
    if (ir_calls_functions(e->f)) x64_alu_imm(e->as, 0, in_mem(RBX, offsetof(Rt, depth)), 1);
    if (ir_rewinds(e->module, e->f)) {
        reg_load(e, WORDS, RDI, in_reg(RBX));
        x64_lea(e->as, RSI, frame_cell(e->plan->frame.mark));
        emit_call_helper(e, HELPER_REWIND);
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

uint32_t ir_emit(const IrModule *module, IrFun id, const Pools *pools, Asm *as, CallSites *calls,
                 Arena *scratch)
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
    return plan->frame.size + plan->frame.outgoing;
}
