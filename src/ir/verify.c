/* verify.c: whether a function keeps the rules of ir.h, so that running it can do no harm.
 *
 * In: a function built by anyone. Out: NULL, or the first broken rule with its instruction. How:
 * one pass over the code with a stack of open blocks; a temporary is visible from its definition to
 * the end of the block it was defined in. Always: every id is checked before it is used. What the
 * interpreter and the machine code do not check at run time is checked here: types, constant
 * indices of arrays of known length, writes to constant arrays, sizes of frames. Cost: linear.
 * Tests: tests/ir/verify_test.c. */
#include "ir/inside.h"

#include <inttypes.h>

enum { LARGEST_FRAME = 1 << 27, DEEPEST_BLOCK = 1000 };

typedef struct {
    uint8_t op;
    uint32_t defined; /* length of the list of definitions when the block was opened */
} Block;

typedef struct {
    const IrModule *module;
    const IrFunction *f;
    Arena *arena; /* scratch */
    bool *visible;
    VEC(IrReg) defined;
    VEC(Block) blocks;
    uint32_t at;
    const char *wrong;
} Verifier;

static void wrong(Verifier *v, const char *what)
{
    if (!v->wrong)
        v->wrong =
            arena_printf(v->module->arena, "function %s, instruction %" PRIu32 " (%s): %s", v->f->name, v->at,
                         v->at < v->f->code.n && v->f->code.at[v->at].op < IR_OP_COUNT
                             ? ir_ops[v->f->code.at[v->at].op].name
                             : "-",
                         what);
}

static bool check_read(Verifier *v, IrReg r)
{
    if (r >= v->f->regs.n) return wrong(v, "no such register"), false;
    if (!v->f->regs.at[r].is_variable && !v->visible[r])
        return wrong(v, "a temporary is read where it is not defined"), false;
    return true;
}

static bool check_def(Verifier *v, IrReg r, bool may_be_variable)
{
    if (r >= v->f->regs.n) return wrong(v, "no such register"), false;
    if (v->f->regs.at[r].is_variable)
        return may_be_variable || (wrong(v, "only MOVE and calls assign to variables"), false);
    if (v->visible[r] || v->f->regs.at[r].def != v->at)
        return wrong(v, "a temporary is defined twice or elsewhere"), false;
    v->visible[r] = true;
    vec_push(v->arena, &v->defined, r);
    return true;
}

static int type_of_field(char kind)
{
    switch (kind) {
    case 'r': return IR_REAL;
    case 'i':
    case 'o':
    case 'O': return IR_INT;
    case 's':
    case 't': return IR_STR;
    case 'p': return IR_PTR;
    default: return -1;
    }
}

static bool check_array(Verifier *v, IrArr a)
{
    return a < v->f->arrays.n || (wrong(v, "no such array"), false);
}

/* Reads and arrays of one field. */
static bool check_field(Verifier *v, char kind, uint32_t id)
{
    if (kind == '-' || kind == 'K') return true;
    if (kind == 'A') return check_array(v, id);
    if (id == IR_NONE && (kind == 'o' || kind == 't' || kind == 'O')) return true;
    if (!check_read(v, id)) return false;
    int type = type_of_field(kind);
    return type < 0 || v->f->regs.at[id].type == type ||
           (wrong(v, "a register of another type is needed"), false);
}

static bool is_loop(uint8_t op) { return op == IR_LOOP || op == IR_FOR; }

static void check_flow(Verifier *v, const IrInsn *insn)
{
    Block *top = v->blocks.n ? &v->blocks.at[v->blocks.n - 1] : NULL;
    bool in_loop = false;
    switch (insn->op) {
    case IR_FOR:
        if (insn->imm == 0) wrong(v, "a step of zero");
        if (v->f->regs.at[insn->b].is_variable) wrong(v, "the bound of a loop is a variable");
        break;
    case IR_ELSE:
    case IR_END:
        if (!top || (insn->op == IR_ELSE && top->op != IR_IF)) {
            wrong(v, "no block to close");
            return;
        }
        while (v->defined.n > top->defined) v->visible[v->defined.at[--v->defined.n]] = false;
        if (insn->op == IR_END)
            v->blocks.n--;
        else
            top->op = IR_ELSE;
        break;
    case IR_BREAK:
    case IR_BREAK_UNLESS:
        for (uint32_t i = 0; i < v->blocks.n; i++) in_loop |= is_loop(v->blocks.at[i].op);
        if (!in_loop) wrong(v, "not in a loop");
        break;
    default: break;
    }
    if (insn->op == IR_IF || is_loop(insn->op)) {
        vec_push(v->arena, &v->blocks, ((Block){ insn->op, v->defined.n }));
        if (v->blocks.n > DEEPEST_BLOCK) wrong(v, "blocks are nested too deeply");
    }
}

static void check_call(Verifier *v, const IrInsn *insn)
{
    const IrFunction *f = v->f;
    uint32_t callees = insn->op == IR_CALL ? v->module->functions.n : v->module->externals.n;
    if (insn->a >= callees) {
        wrong(v, "no such function");
        return;
    }
    uint32_t want = insn->op == IR_CALL ? v->module->functions.at[insn->a]->params.n
                                        : v->module->externals.at[insn->a].param_count;
    if (insn->count != want || insn->b > f->operands.n || insn->count > f->operands.n - insn->b) {
        wrong(v, "wrong number of operands");
        return;
    }
    for (uint32_t k = 0; k < insn->count && !v->wrong; k++) {
        IrOperand operand = ir_operand(v->module, insn, k);
        uint32_t id = f->operands.at[insn->b + k];
        if (operand.is_array) {
            if (!check_array(v, id)) return;
            const IrArrayInfo *info = &f->arrays.at[id];
            bool callee_makes = insn->op == IR_CALL && operand.is_output &&
                                v->module->functions.at[insn->a]
                                        ->arrays.at[v->module->functions.at[insn->a]->params.at[k].id]
                                        .place == IR_DYNAMIC;
            if (info->type != operand.type) wrong(v, "an array of another type is needed");
            if (operand.is_output && info->is_constant) wrong(v, "a constant array as output");
            if (callee_makes && info->place != IR_DYNAMIC) wrong(v, "a dynamic array is needed");
        } else {
            if (operand.is_output ? !check_def(v, id, true) : !check_read(v, id)) return;
            if (f->regs.at[id].type != operand.type) wrong(v, "an operand of another type is needed");
        }
    }
}

static void check_arrays(Verifier *v, const IrInsn *insn)
{
    const IrArrayInfo *a = ir_ops[insn->op].fields[1] == 'A' ? &v->f->arrays.at[insn->a] : NULL;
    const IrArrayInfo *b = ir_ops[insn->op].fields[2] == 'A' ? &v->f->arrays.at[insn->b] : NULL;
    bool writes = insn->op == IR_STORE || insn->op == IR_FILL || insn->op == IR_COPY;
    if (!a) return;
    if (writes && a->is_constant) wrong(v, "a constant array is written");
    if (insn->op == IR_NEW && a->place != IR_DYNAMIC) wrong(v, "only a dynamic array can be made");
    if (insn->op == IR_VIEW && (a->place != IR_VIEW_OF || (insn->c == IR_NONE) != (insn->dst == IR_NONE)))
        wrong(v, "only a view can be made a view, with both offset and length or none");
    if (insn->op == IR_VIEW && b && b->is_constant && !a->is_constant)
        wrong(v, "a view would allow to write");
    if (b && a->type != b->type) wrong(v, "arrays of different types");
    if (insn->op != IR_LOAD && insn->op != IR_STORE) return;
    bool is_known = a->place == IR_FRAME || a->place == IR_MEMORY || a->place == IR_TABLE;
    if (insn->b == IR_NONE &&
        (insn->imm < 0 || insn->imm >= IR_LARGEST_ARRAY || (is_known && (uint32_t)insn->imm >= a->n)))
        wrong(v, "a constant index out of range");
}

/* Types that follow from other fields ('*'). */
static void check_types(Verifier *v, const IrInsn *insn)
{
    const IrFunction *f = v->f;
#define TYPE(r) f->regs.at[r].type
    bool ok = true;
    if (insn->op == IR_MOVE) ok = f->regs.at[insn->dst].is_variable && TYPE(insn->dst) == TYPE(insn->a);
    if (insn->op == IR_SELECT) ok = TYPE(insn->dst) == TYPE(insn->b) && TYPE(insn->b) == TYPE(insn->c);
    if (insn->op == IR_LOAD) ok = TYPE(insn->dst) == f->arrays.at[insn->a].type;
    if (insn->op == IR_STORE || insn->op == IR_FILL) ok = TYPE(insn->c) == f->arrays.at[insn->a].type;
    if (type_of_field(ir_ops[insn->op].fields[0]) >= 0 && ir_defines[insn->op])
        ok = TYPE(insn->dst) == type_of_field(ir_ops[insn->op].fields[0]);
#undef TYPE
    if (!ok) wrong(v, "types do not agree");
}

static void check_pools(Verifier *v, const IrInsn *insn)
{
    const IrModule *m = v->module;
    bool ok = true;
    if (insn->op == IR_KREAL) ok = insn->a < m->reals.n;
    if (insn->op == IR_KINT) ok = insn->a < m->ints.n;
    if (insn->op == IR_KSTR) ok = insn->a < m->strings.n;
    if (insn->op == IR_MATH1 || insn->op == IR_MATH2)
        ok = insn->imm >= 0 && insn->imm < IR_MATH_COUNT &&
             ir_maths[insn->imm].arguments == (insn->op == IR_MATH1 ? 1 : 2);
    if (!ok) wrong(v, "no such constant or function of libm");
}

static void check_insn(Verifier *v, const IrInsn *insn)
{
    if (insn->op >= IR_OP_COUNT) {
        wrong(v, "no such operation");
        return;
    }
    const char *fields = ir_ops[insn->op].fields;
    if (!check_field(v, fields[1], insn->a) || !check_field(v, fields[2], insn->b) ||
        !check_field(v, fields[3], insn->c) || (fields[0] == 'O' && !check_field(v, 'O', insn->dst)))
        return;
    check_pools(v, insn);
    if (is_call(insn)) check_call(v, insn);
    /* The counter of a FOR belongs to its body. */
    if (insn->op == IR_FOR) check_flow(v, insn);
    if (ir_defines[insn->op] && !check_def(v, insn->dst, insn->op == IR_MOVE)) return;
    if (!v->wrong) check_types(v, insn);
    if (!v->wrong) check_arrays(v, insn);
    if (insn->op != IR_FOR) check_flow(v, insn);
}

static void check_declarations(Verifier *v)
{
    const IrFunction *f = v->f;
    uint64_t cells = (uint64_t)f->regs.n + 2 * (uint64_t)f->arrays.n;
    for (uint32_t r = 0; r < f->regs.n; r++)
        if (f->regs.at[r].type >= IR_TYPE_COUNT) wrong(v, "a register without type");
    for (uint32_t a = 0; a < f->arrays.n; a++) {
        const IrArrayInfo *info = &f->arrays.at[a];
        if (info->type >= IR_TYPE_COUNT || info->place > IR_VIEW_OF)
            wrong(v, "an array without type or place");
        if (info->place == IR_FRAME) cells += info->n;
        if (info->place == IR_MEMORY &&
            (info->index >= v->module->memories.n || info->n != v->module->memories.at[info->index].n ||
             info->type != v->module->memories.at[info->index].type))
            wrong(v, "an array that is not its memory");
        if (info->place == IR_TABLE &&
            (info->index >= v->module->tables.n || info->n != v->module->tables.at[info->index].n ||
             info->type != IR_REAL || !info->is_constant))
            wrong(v, "an array that is not its table");
    }
    if (cells > LARGEST_FRAME) wrong(v, "the frame is too large");
    for (uint32_t p = 0; p < f->params.n; p++) {
        const IrParam *param = &f->params.at[p];
        if (param->id >= (param->is_array ? f->arrays.n : f->regs.n)) {
            wrong(v, "a parameter that does not exist");
            return;
        }
        if (!param->is_array && p < f->input_count) v->visible[param->id] = true;
        if (!param->is_array && f->regs.at[param->id].is_variable != (p >= f->input_count))
            wrong(v, "an input that can be assigned, or an output that cannot");
    }
}

const char *ir_verify(const IrModule *module, IrFun id)
{
    Arena *arena = arena_new();
    if (!arena) return "out of memory";
    const IrFunction *f = module->functions.at[id];
    Verifier v = { .module = module, .f = f, .arena = arena };
    v.visible = NEW_ARRAY(arena, bool, f->regs.n + 1);
    if (f->sources.n != f->code.n) wrong(&v, "sources are missing");
    check_declarations(&v);
    for (v.at = 0; v.at < f->code.n && !v.wrong; v.at++) check_insn(&v, &f->code.at[v.at]);
    if (v.blocks.n) wrong(&v, "a block is not closed");
    arena_free(arena);
    return v.wrong;
}

const char *ir_verify_module(const IrModule *module)
{
    for (IrFun f = 0; f < module->functions.n; f++) {
        const char *what = ir_verify(module, f);
        if (what) return what;
    }
    return NULL;
}
