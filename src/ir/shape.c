/* shape.c: questions about functions that several passes ask: operands of calls, matching control
 * flow, frames.
 *
 * Cost: each is linear in what it looks at. Tests: through every test of tests/ir. */
#include "ir/inside.h"

const IrExtParam *ir_ext_param(const IrExternal *external, uint32_t k)
{
    for (int outputs = 0; outputs < 2; outputs++)
        for (uint32_t p = 0; p < external->param_count; p++) {
            if (external->params[p].is_output != (outputs == 1)) continue;
            if (k-- == 0) return &external->params[p];
        }
    return NULL;
}

uint32_t ir_ext_cells(const IrExternal *external)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < external->param_count; p++) n += external->params[p].is_array ? 2 : 1;
    return n;
}

uint32_t ir_ext_cell(const IrExternal *external, uint32_t p)
{
    uint32_t cell = 0;
    for (uint32_t k = 0; ir_ext_param(external, k) != &external->params[p]; k++)
        cell += ir_ext_param(external, k)->is_array ? 2 : 1;
    return cell;
}

IrOperand ir_operand(const IrModule *module, const IrInsn *call, uint32_t k)
{
    if (call->op == IR_EXTERN) {
        const IrExtParam *p = ir_ext_param(&module->externals.at[call->a], k);
        return p ? (IrOperand){ p->type, p->is_array, p->is_output }
                 : (IrOperand){ IR_TYPE_COUNT, false, false };
    }
    const IrFunction *f = module->functions.at[call->a];
    if (k >= f->params.n) return (IrOperand){ IR_TYPE_COUNT, false, false };
    const IrParam *p = &f->params.at[k];
    uint8_t type = p->is_array ? f->arrays.at[p->id].type : f->regs.at[p->id].type;
    return (IrOperand){ type, p->is_array, k >= f->input_count };
}

void ir_each_reg(const IrModule *module, const IrFunction *f, const IrInsn *insn, IrSee see, void *arg)
{
    visit_regs(module, f, insn, see, arg);
}

static bool is_own(const IrArrayInfo *info) { return info->place == IR_FRAME || info->place == IR_DYNAMIC; }

/* Strings and arrays that outlive the function must not be given back: those of its outputs, and
 * those stored in arrays that are not its own. */
bool ir_may_rewind(const IrModule *module, const IrFunction *f)
{
    for (uint32_t p = f->input_count; p < f->params.n; p++) {
        const IrParam *param = &f->params.at[p];
        if (param->is_array
                ? f->arrays.at[param->id].place == IR_DYNAMIC || f->arrays.at[param->id].type > IR_INT
                : f->regs.at[param->id].type > IR_INT)
            return false;
    }
    for (uint32_t i = 0; i < f->code.n; i++) {
        const IrInsn *insn = &f->code.at[i];
        if ((insn->op == IR_STORE || insn->op == IR_FILL || insn->op == IR_COPY) &&
            f->arrays.at[insn->a].type > IR_INT && !is_own(&f->arrays.at[insn->a]))
            return false;
        for (uint32_t k = 0; is_call(insn) && k < insn->count; k++) {
            IrOperand operand = ir_operand(module, insn, k);
            if (operand.is_output && operand.is_array && operand.type > IR_INT &&
                !is_own(&f->arrays.at[f->operands.at[insn->b + k]]))
                return false;
        }
    }
    return true;
}

bool ir_rewinds(const IrModule *module, const IrFunction *f)
{
    for (uint32_t i = 0; i < f->code.n; i++)
        if (f->code.at[i].op == IR_NEW || is_call(&f->code.at[i])) return ir_may_rewind(module, f);
    return false;
}

bool ir_calls_functions(const IrFunction *f)
{
    for (uint32_t i = 0; i < f->code.n; i++)
        if (f->code.at[i].op == IR_CALL) return true;
    return false;
}

uint32_t *ir_match(const IrFunction *f, Arena *arena)
{
    uint32_t *match = NEW_ARRAY(arena, uint32_t, f->code.n + 1),
             *open = NEW_ARRAY(arena, uint32_t, f->code.n + 1);
    uint32_t depth = 0;
    for (uint32_t i = 0; i < f->code.n; i++) {
        uint8_t op = f->code.at[i].op;
        if (op == IR_IF || op == IR_LOOP || op == IR_FOR) open[depth++] = i;
        if (op == IR_ELSE) {
            match[open[depth - 1]] = i;
            open[depth - 1] = i;
        }
        if (op == IR_END) {
            match[open[--depth]] = i;
            match[i] = open[depth];
        }
        if (op == IR_BREAK || op == IR_BREAK_UNLESS) {
            uint32_t k = depth;
            do k--;
            while (f->code.at[open[k]].op != IR_LOOP && f->code.at[open[k]].op != IR_FOR);
            match[i] = open[k];
        }
    }
    for (uint32_t i = 0; i < f->code.n; i++)
        if (f->code.at[i].op == IR_BREAK || f->code.at[i].op == IR_BREAK_UNLESS) match[i] = match[match[i]];
    return match;
}

typedef struct {
    const IrFunction *f;
    uint32_t *last, *def_depth;
    uint32_t *loops; /* the END of each open loop */
    uint32_t depth, at;
} LastUse;

static void see_use(void *arg, IrReg reg, bool is_def)
{
    LastUse *use = arg;
    if (use->f->regs.at[reg].is_variable) return;
    if (is_def) use->def_depth[reg] = use->depth;
    uint32_t outer = use->def_depth[reg];
    uint32_t at = use->depth > outer ? use->loops[outer] : use->at;
    if (use->last[reg] < at) use->last[reg] = at;
}

uint32_t *ir_last_use(const IrModule *module, const IrFunction *f, const uint32_t *match, Arena *arena)
{
    LastUse use = { f,
                    NEW_ARRAY(arena, uint32_t, f->regs.n + 1),
                    NEW_ARRAY(arena, uint32_t, f->regs.n + 1),
                    NEW_ARRAY(arena, uint32_t, f->code.n + 1),
                    0,
                    0 };
    for (uint32_t r = 0; r < f->regs.n; r++)
        if (f->regs.at[r].is_variable) use.last[r] = f->code.n;
    for (uint32_t i = 0; i < f->code.n; i++) {
        const IrInsn *insn = &f->code.at[i];
        use.at = insn->op == IR_FOR ? match[i] : i;
        visit_regs(module, f, insn, see_use, &use);
        if (insn->op == IR_FOR || insn->op == IR_LOOP) use.loops[use.depth++] = match[i];
        if (insn->op == IR_END && use.depth && use.loops[use.depth - 1] == i) use.depth--;
    }
    return use.last;
}

/* Gives temporaries their cells in the order of the code; a cell whose owner is dead is used
 * again. */
typedef struct {
    const IrFunction *f;
    IrFrame *frame;
    VEC(uint32_t) free;
} Cells;

static void see_cell(void *arg, IrReg reg, bool is_def)
{
    Cells *cells = arg;
    if (!is_def || cells->frame->reg[reg] != IR_NONE) return;
    cells->frame->reg[reg] = cells->free.n ? cells->free.at[--cells->free.n] : cells->frame->size++;
}

static void share_cells(const IrModule *module, const IrFunction *f, const uint32_t *last_use, IrFrame *frame,
                        Arena *arena)
{
    Cells cells = { f, frame, { 0 } };
    uint32_t *head = NEW_ARRAY(arena, uint32_t, f->code.n + 1),
             *next = NEW_ARRAY(arena, uint32_t, f->regs.n + 1);
    vec_reserve(arena, &cells.free, f->regs.n + 1);
    for (uint32_t r = 0; r < f->regs.n; r++)
        if (frame->reg[r] == IR_NONE) {
            next[r] = head[last_use[r]];
            head[last_use[r]] = r + 1;
        }
    for (uint32_t i = 0; i < f->code.n; i++) {
        visit_regs(module, f, &f->code.at[i], see_cell, &cells);
        for (uint32_t r = head[i]; r; r = next[r - 1])
            if (frame->reg[r - 1] != IR_NONE) vec_push(arena, &cells.free, frame->reg[r - 1]);
    }
}

IrFrame ir_frame(const IrModule *module, const IrFunction *f, const uint32_t *last_use, Arena *arena)
{
    IrFrame frame = { NEW_ARRAY(arena, uint32_t, f->regs.n + 1),
                      NEW_ARRAY(arena, uint32_t, f->arrays.n + 1),
                      NEW_ARRAY(arena, uint32_t, f->arrays.n + 1),
                      0,
                      0,
                      0,
                      0,
                      0,
                      f->cell_count,
                      0 };
    for (uint32_t a = 0; a < f->arrays.n; a++) frame.array[a] = IR_NONE;
    for (uint32_t r = 0; r < f->regs.n; r++) frame.reg[r] = IR_NONE;
    for (uint32_t p = 0; p < f->params.n; p++)
        *(f->params.at[p].is_array ? &frame.array[f->params.at[p].id] : &frame.reg[f->params.at[p].id]) =
            f->params.at[p].cell;
    for (uint32_t a = 0; a < f->arrays.n; a++)
        if (frame.array[a] == IR_NONE) {
            frame.array[a] = frame.size;
            frame.size += 2;
        }
    frame.mark = frame.size;
    frame.size += ir_rewinds(module, f) ? 2 : 0;
    frame.variables = frame.size;
    for (uint32_t r = 0; r < f->regs.n; r++)
        if (frame.reg[r] == IR_NONE && f->regs.at[r].is_variable) frame.reg[r] = frame.size++;
    frame.variable_count = frame.size - frame.variables;
    frame.elements = frame.size;
    for (uint32_t a = 0; a < f->arrays.n; a++)
        if (f->arrays.at[a].place == IR_FRAME) {
            frame.element[a] = frame.size;
            frame.size += f->arrays.at[a].n;
        }
    frame.element_count = frame.size - frame.elements;
    share_cells(module, f, last_use, &frame, arena);
    for (uint32_t i = 0; i < f->code.n; i++) {
        const IrInsn *insn = &f->code.at[i];
        if (insn->op == IR_VIEW && frame.outgoing < VIEW_CELLS) frame.outgoing = VIEW_CELLS;
        if (!is_call(insn)) continue;
        uint32_t cells = insn->op == IR_CALL ? module->functions.at[insn->a]->cell_count
                                             : ir_ext_cells(&module->externals.at[insn->a]);
        if (frame.outgoing < cells) frame.outgoing = cells;
    }
    return frame;
}
