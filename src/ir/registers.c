/* registers.c: which machine register holds which register of the IR, while a function becomes
 * machine code.
 *
 * In: requests of the emitter for a value in a register, for a place to compute into, for all that
 * calls destroy. Out: moves between registers and cells, and the bookkeeping in Emit. How:
 * registers are a cache; the value that is read furthest in the future goes first when one is
 * needed; what the plan pinned keeps its register. Always: a value is in its register, in its cell
 * (`homed`), in the element it was stored to (`stored`), or can be loaded again. Cost: constant for
 * each request, the registers apart. Tests: tests/ir/random_test.c. */
#include "ir/emit.h"

#include <assert.h>

static uint32_t next_use(Emit *e, IrReg r)
{
    uint32_t end = e->plan->use_first[r + 1];
    while (e->cursor[r] < end && e->plan->uses[e->cursor[r]] <= e->at) e->cursor[r]++;
    return e->cursor[r] < end ? e->plan->uses[e->cursor[r]] : UINT32_MAX;
}

void reg_load(Emit *e, int bank, uint8_t to, Place64 from)
{
    if (bank == WORDS) {
        if (from.kind != IN_REG || from.reg != to) x64_op(e->as, 0x8B, to, from);
    } else if (from.kind != IN_REG)
        x64_sse(e->as, 0xF2, 0x10, to, from);
    else if (from.reg != to)
        x64_sse(e->as, 0x66, 0x28, to, from);
}

void reg_store(Emit *e, int bank, Place64 to, uint8_t from)
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
    x64_op(e->as, 0x8B, RCX, frame_cell(e->plan->frame.array[a]));
    return RCX;
}

Place64 reg_element(Emit *e, IrArr a, int32_t index)
{
    if (e->f->arrays.at[a].place == IR_FRAME) return frame_cell(e->plan->frame.element[a] + (uint32_t)index);
    return in_mem(base_of(e, a), index * 8);
}

/* Whether a value that is in no register can be an operand in memory, and where. */
static bool memory_of(Emit *e, IrReg r, Place64 *place)
{
    if (!e->plan->is_late[r]) {
        const IrInsn *store = e->stored[r] == IR_NONE ? NULL : &e->f->code.at[e->stored[r]];
        *place = store ? reg_element(e, store->a, store->imm) : reg_home(e, r);
        return true;
    }
    const IrInsn *def = reg_definition(e, r);
    if (def->op == IR_KREAL) *place = in_code(e->pools->reals + 8 * def->a);
    if (def->op == IR_LOAD) *place = reg_element(e, def->a, def->imm);
    return def->op == IR_KREAL || def->op == IR_LOAD;
}

/* Brings a value that is in no register into one, without saying so. Flags stay. */
void reg_fetch(Emit *e, IrReg r, uint8_t to)
{
    Place64 place;
    if (memory_of(e, r, &place)) {
        const IrInsn *def = e->plan->is_late[r] ? reg_definition(e, r) : NULL;
        uint64_t bits = 1;
        if (def && def->op == IR_KREAL) memcpy(&bits, &e->module->reals.at[def->a], 8);
        if (bits == 0)
            x64_sse(e->as, 0x66, 0x57, to, in_reg(to));
        else
            reg_load(e, reg_bank(e, r), to, place);
        return;
    }
    const IrInsn *def = reg_definition(e, r);
    x64_imm(e->as, to,
            def->op == IR_KINT ? e->module->ints.at[def->a]
                               : (int64_t)(intptr_t)e->module->strings.at[def->a]);
}

void reg_forget(Emit *e, int bank, uint8_t reg)
{
    IrReg r = e->held.at[bank][reg];
    if (r != IR_NONE) e->reg[r] = NOWHERE;
    e->held.at[bank][reg] = IR_NONE;
}

void reg_keep(Emit *e, IrReg r)
{
    if (e->homed[r] || e->plan->is_late[r] || e->f->regs.at[r].is_variable) return;
    reg_store(e, reg_bank(e, r), reg_home(e, r), e->reg[r]);
    e->homed[r] = true;
}

/* A free register of a bank, locked; the value read furthest in the future makes room. */
uint8_t reg_take(Emit *e, int bank)
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
        reg_keep(e, e->held.at[bank][best]);
        reg_forget(e, bank, best);
    }
    e->locked[bank] |= 1u << best;
    return best;
}

void reg_hold(Emit *e, IrReg r, uint8_t reg)
{
    e->held.at[reg_bank(e, r)][reg] = r;
    e->reg[r] = reg;
}

/* The value in a register, locked until the instruction is done. */
uint8_t reg_for(Emit *e, IrReg r)
{
    int bank = reg_bank(e, r);
    if (reg_is_pinned(e, r)) return e->plan->pin[r];
    if (e->reg[r] == NOWHERE) {
        uint8_t to = reg_take(e, bank);
        reg_fetch(e, r, to);
        reg_hold(e, r, to);
    }
    e->locked[bank] |= 1u << e->reg[r];
    return e->reg[r];
}

/* The value where it is, or in a register if it will be read again and that saves anything. */
Place64 reg_anywhere(Emit *e, IrReg r)
{
    Place64 place;
    if (!reg_is_pinned(e, r) && e->reg[r] == NOWHERE &&
        (e->plan->is_late[r] || next_use(e, r) == UINT32_MAX) && memory_of(e, r, &place))
        return place;
    return in_reg(reg_for(e, r));
}

/* Copies a value to a given register. */
void reg_bring(Emit *e, IrReg r, uint8_t to)
{
    if (reg_is_pinned(e, r))
        reg_load(e, reg_bank(e, r), to, in_reg(e->plan->pin[r]));
    else if (e->reg[r] != NOWHERE)
        reg_load(e, reg_bank(e, r), to, in_reg(e->reg[r]));
    else if (e->plan->is_late[r])
        reg_fetch(e, r, to);
    else if (next_use(e, r) != UINT32_MAX && (e->plan->last_use[r] > e->at || e->f->regs.at[r].is_variable))
        reg_load(e, reg_bank(e, r), to, in_reg(reg_for(e, r)));
    else
        reg_fetch(e, r, to);
}

/* Frees what was read for the last time. */
void reg_release(Emit *e, const IrInsn *insn)
{
    IrReg reads[4];
    uint32_t n = plain_reads(insn, reads);
    for (uint32_t k = 0; k < n; k++)
        if (reg_dies(e, reads[k]) && e->reg[reads[k]] != NOWHERE)
            reg_forget(e, reg_bank(e, reads[k]), e->reg[reads[k]]);
    e->locked[WORDS] = e->locked[REALS] = 0;
}

/* The pinned register that a result must go to, or NOWHERE. */
uint8_t reg_target(Emit *e, const IrInsn *insn)
{
    if (reg_is_pinned(e, insn->dst)) return e->plan->pin[insn->dst];
    if (!ir_merges_with_move(e->f, e->plan->last_use, e->at)) return NOWHERE;
    IrReg variable = e->f->code.at[e->at + 1].dst;
    if (!reg_is_pinned(e, variable)) return NOWHERE;
    e->skip_move = true;
    return e->plan->pin[variable];
}

/* The instruction has left its result in `reg`, which is no operand's any more. */
void reg_result(Emit *e, const IrInsn *insn, uint8_t reg)
{
    reg_release(e, insn);
    if (reg_is_pinned(e, insn->dst) || e->skip_move || e->plan->last_use[insn->dst] <= e->at) return;
    reg_hold(e, insn->dst, reg);
    e->homed[insn->dst] = false;
    if (e->plan->crosses[insn->dst]) reg_keep(e, insn->dst);
}

/* A register for a result that may be computed before operands are done with. */
uint8_t reg_fresh(Emit *e, const IrInsn *insn, int bank)
{
    uint8_t to = reg_target(e, insn);
    return to == NOWHERE ? reg_take(e, bank) : to;
}

/* to := a, in a register that the result may be built in: a's own if nobody else reads it. */
uint8_t reg_begin_result(Emit *e, IrReg a, int bank)
{
    if (reg_dies_here(e, a)) {
        e->locked[bank] |= 1u << e->reg[a];
        return e->reg[a];
    }
    if (!reg_is_pinned(e, a) && e->reg[a] != NOWHERE) e->locked[bank] |= 1u << e->reg[a];
    uint8_t to = reg_take(e, bank);
    reg_bring(e, a, to);
    return to;
}

/* Puts what calls destroy and others still read into cells; registers are not forgotten yet. */
void reg_keep_for_call(Emit *e)
{
    for (int bank = 0; bank < 2; bank++)
        for (uint8_t reg = 0; reg < 16; reg++) {
            IrReg r = e->held.at[bank][reg];
            if (r != IR_NONE && !reg_dies(e, r)) reg_keep(e, r);
        }
}

static bool lives_across(const Emit *e, IrReg r)
{
    const IrRegInfo *info = &e->f->regs.at[r];
    return info->is_variable || ((info->def == IR_NONE || info->def < e->at) && e->plan->last_use[r] > e->at);
}

/* Pinned Reals have no register that a call preserves. */
void reg_save_pinned(Emit *e, bool is_save)
{
    for (uint32_t k = 0; k < e->plan->pinned_real_count; k++) {
        IrReg r = e->plan->pinned_reals[k];
        if (!lives_across(e, r)) continue;
        if (is_save)
            reg_store(e, REALS, reg_home(e, r), e->plan->pin[r]);
        else
            reg_load(e, REALS, e->plan->pin[r], reg_home(e, r));
    }
}

void reg_forget_all(Emit *e)
{
    for (int bank = 0; bank < 2; bank++)
        for (uint8_t reg = 0; reg < 16; reg++) reg_forget(e, bank, reg);
    e->locked[WORDS] = e->locked[REALS] = 0;
}

/* Takes over what registers hold; what died meanwhile is left out. With `agree` only what they hold
 * already. */
void reg_restore(Emit *e, const Held *held, bool agree)
{
    for (int bank = 0; bank < 2; bank++)
        for (uint8_t reg = 0; reg < 16; reg++) {
            IrReg now = e->held.at[bank][reg], then = held->at[bank][reg];
            if (agree && now == then) continue;
            reg_forget(e, bank, reg);
        }
    for (int bank = 0; bank < 2 && !agree; bank++)
        for (uint8_t reg = 0; reg < 16; reg++) {
            IrReg then = held->at[bank][reg];
            if (then != IR_NONE && !reg_dies(e, then)) reg_hold(e, then, reg);
        }
}
