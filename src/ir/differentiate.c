/* differentiate.c: the directional derivative of a function, by forward mode.
 *
 * In: a verified function. Out: a function that computes the same and, beside it, derivatives:
 * every REAL variable and array gets a shadow, every REAL temporary another temporary, or none
 * where its derivative is zero by structure. How: one pass that copies each instruction and adds
 * the rule of its derivative, with the value already computed where the rule can use it. A call
 * becomes a call of the callee's derivative, which is made on the way; recursion works since a
 * derivative is declared before it is filled. Always: the copied part keeps its sources, so that
 * failures are reported as before. Cost: linear; at most about three times the operations. Tests:
 * tests/ir/differentiate_test.c. */
#include "ir/inside.h"

#include <stdio.h>

typedef struct {
    IrModule *module;
    IrDerivatives *known;
    const char **why;
    const IrFunction *f;
    IrBuilder b;
    IrReg *reg, *d;     /* of each old register: the new one, and its derivative (IR_NONE: zero) */
    IrArr *arr, *d_arr; /* the same for arrays */
} Diff;

static bool is_real_param(const IrFunction *f, const IrParam *p)
{
    return (p->is_array ? f->arrays.at[p->id].type : f->regs.at[p->id].type) == IR_REAL;
}

static IrReg two(Diff *D, IrOp op, IrReg x, IrReg y) { return ir_two(&D->b, op, x, y); }

/* Sums, differences and products with derivatives that may be zero. */
static IrReg plus(Diff *D, IrReg x, IrReg y)
{
    return x == IR_NONE ? y : y == IR_NONE ? x : two(D, IR_ADD, x, y);
}
static IrReg minus(Diff *D, IrReg x, IrReg y)
{
    if (y == IR_NONE) return x;
    return x == IR_NONE ? ir_one(&D->b, IR_NEG, y) : two(D, IR_SUB, x, y);
}
static IrReg times(Diff *D, IrReg factor, IrReg x)
{
    return x == IR_NONE ? IR_NONE : two(D, IR_MUL, factor, x);
}
static IrReg over(Diff *D, IrReg x, IrReg divisor)
{
    return x == IR_NONE ? IR_NONE : two(D, IR_DIV, x, divisor);
}
static IrReg some(Diff *D, IrReg x) { return x == IR_NONE ? ir_real(&D->b, 0.0) : x; }

static IrReg choose(Diff *D, IrReg condition, IrReg x, IrReg y)
{
    if (x == IR_NONE && y == IR_NONE) return IR_NONE;
    return ir_select(&D->b, condition, some(D, x), some(D, y));
}

static IrReg one_minus_square(Diff *D, IrReg x, IrOp op)
{
    return two(D, op, ir_real(&D->b, 1), two(D, IR_MUL, x, x));
}

/* d(f(a)) for the functions of libm with one argument; y is f(a). */
static IrReg math_one(Diff *D, IrMath function, IrReg a, IrReg da, IrReg y)
{
    IrBuilder *b = &D->b;
    switch (function) {
    case IR_MATH_SIN: return times(D, ir_math(b, IR_MATH_COS, a, IR_NONE), da);
    case IR_MATH_COS: return times(D, ir_one(b, IR_NEG, ir_math(b, IR_MATH_SIN, a, IR_NONE)), da);
    case IR_MATH_TAN: return times(D, one_minus_square(D, y, IR_ADD), da);
    case IR_MATH_ASIN: return over(D, da, ir_one(b, IR_SQRT, one_minus_square(D, a, IR_SUB)));
    case IR_MATH_ACOS:
        return over(D, ir_one(b, IR_NEG, da), ir_one(b, IR_SQRT, one_minus_square(D, a, IR_SUB)));
    case IR_MATH_ATAN: return over(D, da, one_minus_square(D, a, IR_ADD));
    case IR_MATH_SINH: return times(D, ir_math(b, IR_MATH_COSH, a, IR_NONE), da);
    case IR_MATH_COSH: return times(D, ir_math(b, IR_MATH_SINH, a, IR_NONE), da);
    case IR_MATH_TANH: return times(D, one_minus_square(D, y, IR_SUB), da);
    case IR_MATH_EXP: return times(D, y, da);
    case IR_MATH_LOG: return over(D, da, a);
    case IR_MATH_LOG10: return over(D, da, two(D, IR_MUL, a, ir_real(b, 2.302585092994045684)));
    default: return IR_NONE;
    }
}

/* d(a^b) = b a^(b-1) da + a^b log(a) db; the second part only counts where a > 0. */
static IrReg math_pow(Diff *D, IrReg a, IrReg e, IrReg da, IrReg de, IrReg y)
{
    IrBuilder *b = &D->b;
    IrReg first = IR_NONE, second = IR_NONE;
    if (da != IR_NONE) {
        IrReg lower = ir_math(b, IR_MATH_POW, a, two(D, IR_SUB, e, ir_real(b, 1)));
        first = times(D, two(D, IR_MUL, e, lower), da);
    }
    if (de != IR_NONE) {
        IrReg grows = times(D, two(D, IR_MUL, y, ir_math(b, IR_MATH_LOG, a, IR_NONE)), de);
        second = ir_select(b, two(D, IR_LT, ir_real(b, 0), a), grows, ir_real(b, 0));
    }
    return plus(D, first, second);
}

static IrReg math_two(Diff *D, IrMath function, IrReg a, IrReg c, IrReg da, IrReg dc, IrReg y)
{
    if (function == IR_MATH_POW) return math_pow(D, a, c, da, dc, y);
    IrReg norm = two(D, IR_ADD, two(D, IR_MUL, a, a), two(D, IR_MUL, c, c)); /* atan2(a, c) */
    return over(D, minus(D, times(D, c, da), times(D, a, dc)), norm);
}

/* The derivative of the result y of a Real operation. */
static IrReg rule(Diff *D, const IrInsn *insn, IrReg y)
{
    IrBuilder *b = &D->b;
    bool has_a = (ir_reads[insn->op] & FIELD_A) != 0,
         has_b = (ir_reads[insn->op] & FIELD_B) != 0 && insn->b != IR_NONE;
    IrReg a = has_a ? D->reg[insn->a] : IR_NONE, da = has_a ? D->d[insn->a] : IR_NONE;
    IrReg c = has_b ? D->reg[insn->b] : IR_NONE, dc = has_b ? D->d[insn->b] : IR_NONE;
    if (insn->op != IR_SELECT && insn->op != IR_LOAD && da == IR_NONE && dc == IR_NONE) return IR_NONE;
    switch (insn->op) {
    case IR_ADD: return plus(D, da, dc);
    case IR_SUB: return minus(D, da, dc);
    case IR_MUL: return plus(D, times(D, c, da), times(D, a, dc));
    case IR_DIV: return over(D, minus(D, da, times(D, y, dc)), c);
    case IR_MIN: return choose(D, two(D, IR_LT, a, c), da, dc);
    case IR_MAX: return choose(D, two(D, IR_LT, c, a), da, dc);
    case IR_NEG: return ir_one(b, IR_NEG, da);
    case IR_ABS: return ir_select(b, two(D, IR_LT, a, ir_real(b, 0)), ir_one(b, IR_NEG, da), da);
    case IR_SQRT: return over(D, da, two(D, IR_MUL, ir_real(b, 2), y));
    case IR_MATH1: return math_one(D, (IrMath)insn->imm, a, da, y);
    case IR_MATH2: return math_two(D, (IrMath)insn->imm, a, c, da, dc, y);
    case IR_SELECT: return choose(D, a, dc, D->d[insn->c]);
    case IR_LOAD:
        return D->d_arr[insn->a] == IR_NONE
                   ? IR_NONE
                   : ir_load(b, D->d_arr[insn->a], insn->b == IR_NONE ? IR_NONE : c, insn->imm);
    default: return IR_NONE; /* steps: floor and its like */
    }
}

static IrInsn renamed(const Diff *D, const IrInsn *insn)
{
    IrInsn copy = *insn;
    const char *fields = ir_ops[insn->op].fields;
    unsigned reads = ir_reads[insn->op];
    copy.flags = 0;
    if ((reads & FIELD_A) && insn->a != IR_NONE) copy.a = D->reg[insn->a];
    if ((reads & FIELD_B) && insn->b != IR_NONE) copy.b = D->reg[insn->b];
    if ((reads & FIELD_C) && insn->c != IR_NONE) copy.c = D->reg[insn->c];
    if ((reads & FIELD_DST) && insn->dst != IR_NONE) copy.dst = D->reg[insn->dst];
    if (fields[1] == 'A') copy.a = D->arr[insn->a];
    if (fields[2] == 'A') copy.b = D->arr[insn->b];
    return copy;
}

static bool refuse(Diff *D, const char *text)
{
    *D->why = arena_printf(D->module->arena, "%s: %s", D->f->name, text);
    return false;
}

/* Writes to arrays, beside those of the values: the shadow gets the derivative. */
static bool diff_array(Diff *D, const IrInsn *insn, const IrInsn *copy)
{
    IrBuilder *b = &D->b;
    IrArr shadow = D->d_arr[insn->a];
    if (D->f->arrays.at[insn->a].type != IR_REAL) return true;
    if (shadow == IR_NONE) return refuse(D, "a memory without direction is written");
    switch (insn->op) {
    case IR_STORE: ir_store(b, shadow, copy->b, insn->imm, some(D, D->d[insn->c])); break;
    case IR_FILL: ir_fill(b, shadow, some(D, D->d[insn->c])); break;
    case IR_NEW: ir_new(b, shadow, copy->b); break;
    case IR_COPY:
    case IR_VIEW: {
        IrArr from = D->d_arr[insn->b];
        if (insn->op == IR_COPY && from == IR_NONE)
            ir_fill(b, shadow, ir_real(b, 0));
        else if (insn->op == IR_COPY)
            ir_copy(b, shadow, from);
        else {
            /* A view of constants looks at zeros. */
            if (from == IR_NONE)
                from = D->d_arr[insn->b] = ir_array(b, IR_REAL, D->f->arrays.at[insn->b].n, "zeros");
            ir_view(b, shadow, from, copy->c, copy->dst);
        }
        break;
    }
    default: break;
    }
    return true;
}

static IrFun derivative_of(Diff *D, IrFun f) { return ir_differentiate(D->module, f, D->known, D->why); }

/* Operands of the derivative's call: inputs, directions, outputs, derivatives of outputs. */
static bool diff_call(Diff *D, const IrInsn *insn)
{
    const IrFunction *callee = D->module->functions.at[insn->a];
    IrFun derivative = derivative_of(D, insn->a);
    if (derivative == IR_NONE) return false;
    uint32_t n = 0, *operands = NEW_ARRAY(D->module->arena, uint32_t, 2 * (size_t)insn->count + 1);
    const uint32_t *old = D->f->operands.at + insn->b;
    for (int outputs = 0; outputs < 2; outputs++)
        for (int shadows = 0; shadows < 2; shadows++)
            for (uint32_t k = 0; k < insn->count; k++) {
                const IrParam *p = &callee->params.at[k];
                if ((k >= callee->input_count) != (outputs == 1) || (shadows && !is_real_param(callee, p)))
                    continue;
                uint32_t id = old[k], operand;
                bool is_temporary = !p->is_array && outputs && !D->f->regs.at[id].is_variable;
                if (is_temporary)
                    operand = IR_NONE;
                else if (!p->is_array)
                    operand = shadows ? (outputs ? D->d[id] : some(D, D->d[id])) : D->reg[id];
                else {
                    if (shadows && D->d_arr[id] == IR_NONE && outputs)
                        return refuse(D, "a memory without direction is written by a call");
                    if (shadows && D->d_arr[id] == IR_NONE)
                        D->d_arr[id] = ir_array(&D->b, IR_REAL, D->f->arrays.at[id].n, "zeros");
                    operand = shadows ? D->d_arr[id] : D->arr[id];
                }
                operands[n++] = operand;
                if (is_temporary) *(shadows ? &D->d[id] : &D->reg[id]) = n - 1;
            }
    ir_call(&D->b, derivative, operands, n);
    for (uint32_t k = callee->input_count; k < insn->count; k++) {
        const IrParam *p = &callee->params.at[k];
        if (p->is_array || D->f->regs.at[old[k]].is_variable) continue;
        D->reg[old[k]] = operands[D->reg[old[k]]];
        if (is_real_param(callee, p)) D->d[old[k]] = operands[D->d[old[k]]];
    }
    return true;
}

/* External functions pass where no derivative goes through them. */
static bool diff_extern(Diff *D, const IrInsn *insn)
{
    uint32_t *operands = NEW_ARRAY(D->module->arena, uint32_t, (size_t)insn->count + 1);
    const uint32_t *old = D->f->operands.at + insn->b;
    bool is_active = false, gives_real = false;
    for (uint32_t k = 0; k < insn->count; k++) {
        IrOperand operand = ir_operand(D->module, insn, k);
        bool is_real = operand.type == IR_REAL;
        is_active |=
            is_real && !operand.is_output && (operand.is_array ? D->d_arr[old[k]] : D->d[old[k]]) != IR_NONE;
        gives_real |= is_real && operand.is_output;
        bool is_new = operand.is_output && !operand.is_array && !D->f->regs.at[old[k]].is_variable;
        operands[k] = is_new ? IR_NONE : operand.is_array ? D->arr[old[k]] : D->reg[old[k]];
    }
    if (is_active && gives_real)
        return refuse(D, arena_printf(D->module->arena, "external function %s has no derivative",
                                      D->module->externals.at[insn->a].name));
    ir_extern(&D->b, insn->a, operands, insn->count);
    for (uint32_t k = 0; k < insn->count; k++) {
        IrOperand operand = ir_operand(D->module, insn, k);
        if (!operand.is_output || operand.is_array) continue;
        D->reg[old[k]] = operands[k];
        if (D->f->regs.at[old[k]].is_variable && operand.type == IR_REAL)
            ir_set(&D->b, D->d[old[k]], ir_real(&D->b, 0));
    }
    return true;
}

static bool diff_insn(Diff *D, const IrInsn *insn)
{
    if (insn->op == IR_CALL) return diff_call(D, insn);
    if (insn->op == IR_EXTERN) return diff_extern(D, insn);
    IrInsn copy = renamed(D, insn);
    if (insn->op == IR_MOVE) {
        /* First the shadow: the value may be the old one of the variable itself. */
        if (D->f->regs.at[insn->dst].type == IR_REAL) ir_set(&D->b, D->d[insn->dst], some(D, D->d[insn->a]));
        ir_set(&D->b, D->reg[insn->dst], copy.a);
        return true;
    }
    if (ir_defines[insn->op]) {
        IrType type = (IrType)D->f->regs.at[insn->dst].type;
        D->reg[insn->dst] = ir_append_value(&D->b, type, copy);
        if (type == IR_REAL) D->d[insn->dst] = rule(D, insn, D->reg[insn->dst]);
        return true;
    }
    /* A derivative is written before its value, which it may depend on. */
    if ((ir_ops[insn->op].flags & IR_WRITES) && !diff_array(D, insn, &copy)) return false;
    ir_append(&D->b, copy);
    return true;
}

/* A variable's shadow is read as zero only if nothing was assigned, so it always exists. */
static void declare_locals(Diff *D)
{
    const IrFunction *f = D->f;
    for (IrReg r = 0; r < f->regs.n; r++) {
        if (!f->regs.at[r].is_variable || D->reg[r] != IR_NONE) continue;
        D->reg[r] = ir_variable(&D->b, (IrType)f->regs.at[r].type, f->regs.at[r].name);
        if (f->regs.at[r].type == IR_REAL) D->d[r] = ir_variable(&D->b, IR_REAL, "d");
    }
    for (IrArr a = 0; a < f->arrays.n; a++) {
        const IrArrayInfo *info = &f->arrays.at[a];
        bool is_real = info->type == IR_REAL;
        IrType type = (IrType)info->type;
        if (D->arr[a] != IR_NONE) continue;
        switch ((IrPlace)info->place) {
        case IR_FRAME:
            D->arr[a] = ir_array(&D->b, type, info->n, info->name);
            if (is_real) D->d_arr[a] = ir_array(&D->b, type, info->n, "d");
            break;
        case IR_MEMORY:
            D->arr[a] = ir_array_memory(&D->b, info->index);
            if (is_real && D->known->memories && D->known->memories[info->index] != IR_NONE)
                D->d_arr[a] = ir_array_memory(&D->b, D->known->memories[info->index]);
            break;
        case IR_TABLE: D->arr[a] = ir_array_table(&D->b, info->index); break;
        case IR_DYNAMIC:
            D->arr[a] = ir_array_dynamic(&D->b, type, info->name);
            if (is_real) D->d_arr[a] = ir_array_dynamic(&D->b, type, "d");
            break;
        case IR_VIEW_OF:
            D->arr[a] = ir_array_view(&D->b, type, info->name, info->is_constant);
            if (is_real) D->d_arr[a] = ir_array_view(&D->b, type, "d", info->is_constant);
            break;
        case IR_PARAM: break;
        }
    }
}

static void declare_params(Diff *D)
{
    const IrFunction *f = D->f;
    IrBuilder *b = &D->b;
    for (int outputs = 0; outputs < 2; outputs++)
        for (int shadows = 0; shadows < 2; shadows++)
            for (uint32_t k = 0; k < f->params.n; k++) {
                const IrParam *p = &f->params.at[k];
                if ((k >= f->input_count) != (outputs == 1) || (shadows && !is_real_param(f, p))) continue;
                uint32_t *to = p->is_array ? (shadows ? &D->d_arr[p->id] : &D->arr[p->id])
                                           : (shadows ? &D->d[p->id] : &D->reg[p->id]);
                IrType type = (IrType)(p->is_array ? f->arrays.at[p->id].type : f->regs.at[p->id].type);
                const char *name = p->is_array ? f->arrays.at[p->id].name : f->regs.at[p->id].name;
                char shadow_name[80];
                snprintf(shadow_name, sizeof shadow_name, "d_%.70s", name ? name : "");
                if (shadows) name = shadow_name;
                if (!p->is_array)
                    *to = outputs ? ir_out(b, type, name) : ir_in(b, type, name);
                else if (!outputs)
                    *to = ir_in_array(b, type, name);
                else
                    *to = f->arrays.at[p->id].place == IR_DYNAMIC ? ir_out_array_dynamic(b, type, name)
                                                                  : ir_out_array(b, type, name);
            }
}

/* The derivative that is known, or IR_NONE; makes room to note one. */
static IrFun *known_slot(IrModule *module, IrDerivatives *known, IrFun f)
{
    while (known->of.n <= f) vec_push(module->arena, &known->of, IR_NONE);
    return &known->of.at[f];
}

/* What was begun, or made meanwhile and may call it, stays as functions that do nothing and nobody
 * knows. */
static void forget_since(IrModule *module, IrDerivatives *known, IrFun first)
{
    for (IrFun k = 0; k < known->of.n; k++) {
        if (known->of.at[k] == IR_NONE || known->of.at[k] < first) continue;
        IrFunction *f = module->functions.at[known->of.at[k]];
        f->code.n = f->sources.n = f->operands.n = f->open = 0;
        known->of.at[k] = IR_NONE;
    }
}

static uint32_t *all_none(Arena *arena, uint32_t n)
{
    size_t size = ((size_t)n + 1) * sizeof(uint32_t);
    return memset(arena_alloc(arena, size), 0xFF, size);
}

IrFun ir_differentiate(IrModule *module, IrFun id, IrDerivatives *known, const char **why)
{
    if (*known_slot(module, known, id) != IR_NONE) return *known_slot(module, known, id);
    const IrFunction *f = module->functions.at[id];
    Diff D = { .module = module, .known = known, .why = why, .f = f };
    char *name = arena_printf(module->arena, "%s.der", f->name);
    D.b = ir_begin(module, name);
    *known_slot(module, known, id) = D.b.id;
    D.reg = all_none(module->arena, f->regs.n);
    D.d = all_none(module->arena, f->regs.n);
    D.arr = all_none(module->arena, f->arrays.n);
    D.d_arr = all_none(module->arena, f->arrays.n);
    declare_params(&D);
    declare_locals(&D);
    bool ok = true;
    for (uint32_t i = 0; i < f->code.n && ok; i++) {
        D.b.source = f->sources.at[i];
        ok = diff_insn(&D, &f->code.at[i]);
    }
    if (ok) return D.b.id;
    forget_since(module, known, D.b.id);
    return IR_NONE;
}
