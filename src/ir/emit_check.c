/* emit_check.c: checks in machine code, and what happens where they fail.
 *
 * A check jumps to a stub after the code, which reports the source and the figures to a helper and
 * leaves. Tests: tests/ir/run_test.c. */
#include "ir/emit.h"

void emit_fail_if(Emit *e, int cc, RtStatus status, Figure value, Figure bound)
{
    uint32_t jump = cc < 0 ? x64_jump(e->as) : x64_jump_if(e->as, cc);
    vec_push(e->scratch, &e->sites, ((Site){ jump, e->at, SITE_FIGURES, status, value, bound, IR_NONE }));
}

void emit_fail_plain_if(Emit *e, int cc, RtStatus status)
{
    emit_fail_if(e, cc, status, emit_figure_imm(0), emit_figure_imm(0));
}

static void load_figure(Emit *e, uint8_t to, Figure figure)
{
    if (figure.is_imm) {
        x64_imm(e->as, to, figure.imm);
        return;
    }
    reg_load(e, WORDS, to, figure.place);
    if (figure.imm) x64_alu_imm(e->as, 0, in_reg(to), figure.imm);
}

void emit_call_helper(Emit *e, int helper)
{
    x64_call_at(e->as, in_code(e->pools->helpers + 8 * (uint32_t)helper));
}

void emit_sites(Emit *e)
{
    for (uint32_t k = 0; k < e->sites.n; k++) {
        const Site *site = &e->sites.at[k];
        uint32_t source =
            e->f->sources.n ? e->f->sources.at[site->insn < e->f->sources.n ? site->insn : 0] : 0;
        x64_patch(e->as, site->jump);
        if (site->kind == SITE_FIGURES) {
            load_figure(e, RAX, site->value);
            load_figure(e, R9, site->bound);
            reg_load(e, WORDS, R8, in_reg(RAX));
        }
        if (site->kind == SITE_TEXT && site->message == IR_NONE) x64_imm(e->as, R8, 0);
        if (site->kind == SITE_TEXT && site->message != IR_NONE) {
            if (reg_is_pinned(e, site->message) || site->value.place.kind == IN_REG)
                reg_load(e, WORDS, R8, site->value.place);
            else
                reg_fetch(e, site->message, R8);
        }
        if (site->kind == SITE_EXTERN)
            reg_load(e, WORDS, RSI, in_reg(RAX));
        else
            x64_imm(e->as, RSI, site->status);
        x64_imm(e->as, RCX, source);
        reg_load(e, WORDS, RDI, in_reg(RBX));
        x64_imm(e->as, RDX, e->id);
        emit_call_helper(e, site->kind == SITE_FIGURES ? HELPER_FAIL
                            : site->kind == SITE_TEXT  ? HELPER_FAIL_TEXT
                                                       : HELPER_FAILED_AT);
        vec_push(e->scratch, &e->failures, x64_jump(e->as));
    }
}

void emit_assert(Emit *e, const IrInsn *insn)
{
    uint32_t jumps[2], n = emit_jump_unless(e, insn->a, jumps);
    Place64 place = reg_home(e, insn->b == IR_NONE ? 0 : insn->b);
    /* Where the message is when the jump is made: testing the condition may have moved it. */
    if (insn->b != IR_NONE && reg_is_pinned(e, insn->b)) place = in_reg(e->plan->pin[insn->b]);
    if (insn->b != IR_NONE && !reg_is_pinned(e, insn->b) && e->reg[insn->b] != NOWHERE)
        place = in_reg(e->reg[insn->b]);
    for (uint32_t k = 0; k < n; k++)
        vec_push(e->scratch, &e->sites,
                 ((Site){ jumps[k], e->at, SITE_TEXT, RT_ASSERT, emit_figure_at(place, 0), emit_figure_imm(0),
                          insn->b }));
    reg_release(e, insn);
}

void emit_check(Emit *e, const IrInsn *insn)
{
    if (insn->op == IR_CHECK_FINITE) {
        reg_bring(e, insn->a, XMM_SCRATCH);
        x64_sse(e->as, 0xF2, SSE_SUB, XMM_SCRATCH, in_reg(XMM_SCRATCH));
        x64_sse(e->as, 0x66, 0x2E, XMM_SCRATCH, in_reg(XMM_SCRATCH));
        emit_fail_plain_if(e, CC_P, RT_NOT_FINITE);
    } else if (!(insn->flags & IR_SAFE)) {
        uint8_t a = reg_for(e, insn->a), b = reg_for(e, insn->b);
        Figure value = emit_figure_at(in_reg(a), 0), bound = emit_figure_at(in_reg(b), 0);
        if (insn->op == IR_CHECK_INDEX) {
            x64_alu_imm(e->as, 7, in_reg(a), 1);
            emit_fail_if(e, CC_L, RT_INDEX, value, bound);
        }
        x64_op(e->as, 0x3B, a, in_reg(b));
        emit_fail_if(e, insn->op == IR_CHECK_INDEX ? CC_G : CC_NE,
                     insn->op == IR_CHECK_INDEX ? RT_INDEX : RT_SIZE, value, bound);
    }
    reg_release(e, insn);
}
