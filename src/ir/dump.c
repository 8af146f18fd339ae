/* dump.c: a module as text, one instruction a line, blocks indented.
 *
 * Registers print as %3 or %3.name, arrays as @1.name (names that are no plain words in quotes),
 * functions as name#id; constants by value. parse.c reads it back. `!` marks a check that was
 * proved superfluous; the source id follows a semicolon where it changes. Tests:
 * tests/ir/optimize_test.c. */
#include "ir/inside.h"

#include <ctype.h>
#include <inttypes.h>

static const char *const type_names[] = { "real", "int", "str", "ptr" };
static const char *const place_names[] = { "frame", "memory", "table", "param", "dynamic", "view" };

static void add_name(Text *out, const char *name)
{
    bool is_plain = *name != '\0';
    for (const char *at = name; *at; at++)
        is_plain &= isalnum((unsigned char)*at) || *at == '_' || *at == '.' || *at == '[' || *at == ']';
    if (is_plain)
        text_add(out, str_of(name));
    else
        text_add_json(out, str_of(name));
}

static void add_id(Text *out, char sigil, uint32_t id, const char *name)
{
    text_printf(out, "%c%" PRIu32 "%s", sigil, id, name ? "." : "");
    if (name) add_name(out, name);
}

static void add_reg(Text *out, const IrFunction *f, IrReg r)
{
    if (r == IR_NONE)
        text_add_char(out, '-');
    else
        add_id(out, '%', r, f->regs.at[r].name);
}

static void add_array(Text *out, const IrFunction *f, IrArr a) { add_id(out, '@', a, f->arrays.at[a].name); }

static void add_callee(const IrModule *module, const IrFunction *f, const IrInsn *insn, Text *out)
{
    text_add_char(out, ' ');
    if (insn->op == IR_CALL) {
        add_name(out, module->functions.at[insn->a]->name);
        text_printf(out, "#%" PRIu32 "(", insn->a);
    } else
        text_printf(out, "%s(", module->externals.at[insn->a].name);
    bool arrow = false;
    for (uint32_t k = 0; k < insn->count; k++) {
        IrOperand operand = ir_operand(module, insn, k);
        text_printf(out, "%s", operand.is_output && !arrow ? (k ? " -> " : "-> ") : k ? ", " : "");
        arrow |= operand.is_output;
        if (operand.is_array)
            add_array(out, f, f->operands.at[insn->b + k]);
        else
            add_reg(out, f, f->operands.at[insn->b + k]);
    }
    text_add_char(out, ')');
}

static void add_constant(const IrModule *module, const IrInsn *insn, Text *out)
{
    text_add_char(out, ' ');
    if (insn->op == IR_KREAL) text_add_real(out, module->reals.at[insn->a]);
    if (insn->op == IR_KINT) text_printf(out, "%" PRId64, module->ints.at[insn->a]);
    if (insn->op == IR_KSTR) text_add_json(out, str_of(module->strings.at[insn->a]));
}

static void add_fields(const IrFunction *f, const IrInsn *insn, Text *out)
{
    const uint32_t values[] = { insn->dst, insn->a, insn->b, insn->c };
    for (int k = 1; k <= 4; k++) {
        char kind = ir_ops[insn->op].fields[k & 3];
        if (kind == '-' || (k == 4 && kind != 'O')) continue;
        text_add_char(out, ' ');
        if (kind == 'A')
            add_array(out, f, values[k & 3]);
        else
            add_reg(out, f, values[k & 3]);
    }
    if (insn->op == IR_MATH1 || insn->op == IR_MATH2)
        text_printf(out, " %s", ir_maths[insn->imm].name);
    else if (insn->op == IR_LOAD || insn->op == IR_STORE || insn->op == IR_FOR)
        text_printf(out, " %+" PRId32, insn->imm);
}

static void dump_insn(const IrModule *module, const IrFunction *f, uint32_t i, Text *out)
{
    const IrInsn *insn = &f->code.at[i];
    if (ir_defines[insn->op]) {
        add_reg(out, f, insn->dst);
        text_add_literal(out, " = ");
    }
    text_printf(out, "%s%s", ir_ops[insn->op].name, insn->flags & IR_SAFE ? "!" : "");
    if (is_call(insn))
        add_callee(module, f, insn, out);
    else if (is_constant_op(insn->op))
        add_constant(module, insn, out);
    else
        add_fields(f, insn, out);
    if (i == 0 || f->sources.at[i] != f->sources.at[i - 1]) text_printf(out, " ; %" PRIu32, f->sources.at[i]);
    text_add_char(out, '\n');
}

static void dump_params(const IrFunction *f, Text *out)
{
    for (uint32_t p = 0; p < f->params.n; p++) {
        const IrParam *param = &f->params.at[p];
        bool first_output = p == f->input_count;
        text_printf(out, "%s", first_output ? (p ? " -> " : "-> ") : p ? ", " : "");
        if (param->is_array) {
            bool is_made = f->arrays.at[param->id].place == IR_DYNAMIC;
            add_array(out, f, param->id);
            text_printf(out, " %s%s", type_names[f->arrays.at[param->id].type], is_made ? "[*]" : "[]");
        } else {
            add_reg(out, f, param->id);
            text_printf(out, " %s", type_names[f->regs.at[param->id].type]);
        }
    }
}

static bool is_param(const IrFunction *f, bool is_array, uint32_t id)
{
    for (uint32_t p = 0; p < f->params.n; p++)
        if (f->params.at[p].is_array == is_array && f->params.at[p].id == id) return true;
    return false;
}

static void dump_head(const IrFunction *f, Text *out)
{
    text_add_literal(out, "function ");
    add_name(out, f->name);
    text_add_char(out, '(');
    dump_params(f, out);
    text_add_literal(out, ")\n");
    for (uint32_t a = 0; a < f->arrays.n; a++) {
        const IrArrayInfo *info = &f->arrays.at[a];
        if (is_param(f, true, a)) continue;
        text_add_literal(out, "  array ");
        add_array(out, f, a);
        text_printf(out, " %s %s", type_names[info->type], place_names[info->place]);
        if (info->place == IR_FRAME) text_printf(out, " %" PRIu32, info->n);
        if (info->place == IR_MEMORY || info->place == IR_TABLE) text_printf(out, " %" PRIu32, info->index);
        if (info->place == IR_VIEW_OF && info->is_constant) text_add_literal(out, " const");
        text_add_char(out, '\n');
    }
    for (IrReg r = 0; r < f->regs.n; r++) {
        if (!f->regs.at[r].is_variable || is_param(f, false, r)) continue;
        text_add_literal(out, "  var ");
        add_reg(out, f, r);
        text_printf(out, " %s\n", type_names[f->regs.at[r].type]);
    }
}

void ir_dump(const IrModule *module, IrFun id, Text *out)
{
    const IrFunction *f = module->functions.at[id];
    uint32_t depth = 1;
    dump_head(f, out);
    for (uint32_t i = 0; i < f->code.n; i++) {
        uint8_t op = f->code.at[i].op;
        if (op == IR_END && depth > 1) depth--;
        text_add_repeat(out, ' ', 2 * (size_t)(op == IR_ELSE && depth > 1 ? depth - 1 : depth));
        dump_insn(module, f, i, out);
        if (op == IR_IF || op == IR_LOOP || op == IR_FOR) depth++;
    }
}

void ir_dump_module(const IrModule *module, Text *out)
{
    for (uint32_t m = 0; m < module->memories.n; m++) {
        text_add_literal(out, "memory ");
        add_name(out, module->memories.at[m].name);
        text_printf(out, " %s %" PRIu32 "\n", type_names[module->memories.at[m].type],
                    module->memories.at[m].n);
    }
    for (uint32_t t = 0; t < module->tables.n; t++) {
        text_add_literal(out, "table ");
        add_name(out, module->tables.at[t].name);
        for (uint32_t k = 0; k < module->tables.at[t].n; k++) {
            text_add_char(out, ' ');
            text_add_real(out, module->tables.at[t].at[k]);
        }
        text_add_char(out, '\n');
    }
    for (IrFun f = 0; f < module->functions.n; f++) ir_dump(module, f, out);
}
