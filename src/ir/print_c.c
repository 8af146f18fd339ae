/* print_c.c: a module as readable C99 that computes the same bits.
 *
 * In: a verified module. Out: C text that includes "rt/rt.h", to be compiled with -ffp-contract=off
 * -fno-builtin. How: control flow becomes C's own; a temporary that is read once, by a pure
 * operation of the same straight piece of code, becomes part of the expression that reads it,
 * unless a variable or an element it depends on may have changed in between; constants print as
 * decimal where that is exact, in hexadecimal otherwise. A failing check returns what rt_fail gives
 * it. Always: an operation that can fail is a statement of its own, in its place. Cost: linear.
 * Tests: tests/ir/random_test.c compiles the text by GCC and Clang and compares it with the other
 * ways of running. */
#include "ir/inside.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEEPEST_EXPRESSION = 12, LARGEST_LOCAL_ARRAY = 128 };

typedef struct {
    const IrModule *module;
    const IrCStyle *style;
    Text *out;
    const IrFunction *f;
    IrFun id;
    const char **function_names;
    bool *is_inline; /* a temporary that is printed where it is read */
    uint32_t *reads; /* how often each register is read */
    uint32_t at, indent;
    uint32_t last_source;
    bool has_returns;
} Printer;

static const char *const c_types[] = { "double ", "int64_t ", "const char *", "void *" };
static const char *const c_elements[] = { "RT_REALS", "RT_INTS", "RT_STRS", "RT_PTRS" };
static const char c_members[] = "risp";

static void add_identifier(Text *out, const char *name)
{
    for (; name && *name; name++) text_add_char(out, isalnum((unsigned char)*name) ? *name : '_');
}

static void add_reg(Printer *p, IrReg r)
{
    const char *name = p->f->regs.at[r].name;
    if (name) {
        if (!isalpha((unsigned char)*name)) text_add_char(p->out, 'v');
        add_identifier(p->out, name);
        text_printf(p->out, "_%" PRIu32, r);
    } else
        text_printf(p->out, "t%" PRIu32, r);
}

static void add_array(Printer *p, IrArr a)
{
    text_add_literal(p->out, "a_");
    add_identifier(p->out, p->f->arrays.at[a].name);
    text_printf(p->out, "_%" PRIu32, a);
}

static void begin_line(Printer *p) { text_add_repeat(p->out, ' ', 4 * (size_t)p->indent); }

static uint32_t statement_source(const Printer *p) { return p->f->sources.at[p->at]; }

/* ---- expressions ----------------------------------------------------------------------------- */

static void add_real(Text *out, double x)
{
    if (x != x)
        text_add_literal(out, "NAN");
    else if (fabs(x) == HUGE_VAL)
        text_printf(out, "%sHUGE_VAL%s", x < 0 ? "(-" : "", x < 0 ? ")" : "");
    else if (x == floor(x) && fabs(x) < 1e15)
        text_printf(out, signbit(x) ? "(%.1f)" : "%.1f", x);
    else
        text_printf(out, x < 0 ? "(%a /* %.17g */)" : "%a /* %.17g */", x, x);
}

static void add_int(Text *out, int64_t x)
{
    if (x == INT64_MIN)
        text_add_literal(out, "INT64_MIN");
    else if (x > INT32_MAX || x < -INT32_MAX)
        text_printf(out, "%sINT64_C(%" PRId64 ")%s", x < 0 ? "(-" : "", x < 0 ? -x : x, x < 0 ? ")" : "");
    else
        text_printf(out, x < 0 ? "(%" PRId64 ")" : "%" PRId64, x);
}

static void add_string(Text *out, const char *text)
{
    text_add_char(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            text_printf(out, "\\%c", *text);
        else if (isprint((unsigned char)*text) && *text != '?')
            text_add_char(out, *text);
        else
            text_printf(out, "\\%03o", (unsigned char)*text);
    }
    text_add_char(out, '"');
}

/* How pure operations look; 1 and 2 stand for the operands. */
static const char *const patterns[IR_OP_COUNT] = {
    [IR_ADD] = "(1 + 2)",    [IR_SUB] = "(1 - 2)",        [IR_MUL] = "(1 * 2)",
    [IR_DIV] = "(1 / 2)",    [IR_MIN] = "rt_min(1, 2)",   [IR_MAX] = "rt_max(1, 2)",
    [IR_NEG] = "(-1)",       [IR_ABS] = "fabs(1)",        [IR_SQRT] = "sqrt(1)",
    [IR_FLOOR] = "floor(1)", [IR_CEIL] = "ceil(1)",       [IR_TRUNC] = "trunc(1)",
    [IR_LT] = "(1 < 2)",     [IR_LE] = "(1 <= 2)",        [IR_EQ] = "(1 == 2)",
    [IR_NE] = "(1 != 2)",    [IR_IADD] = "(1 + 2)",       [IR_ISUB] = "(1 - 2)",
    [IR_IMUL] = "(1 * 2)",   [IR_IMIN] = "rt_imin(1, 2)", [IR_IMAX] = "rt_imax(1, 2)",
    [IR_ILT] = "(1 < 2)",    [IR_ILE] = "(1 <= 2)",       [IR_IEQ] = "(1 == 2)",
    [IR_INE] = "(1 != 2)",   [IR_AND] = "(1 & 2)",        [IR_OR] = "(1 | 2)",
    [IR_NOT] = "(1 == 0)",   [IR_TO_REAL] = "(double)1",  [IR_SELECT] = "(1 ? 2 : 3)",
    [IR_MATH1] = "$(1)",     [IR_MATH2] = "$(1, 2)",      [IR_MOVE] = "1",
    [IR_INEG] = "(-1)",
};

static void add_value(Printer *p, IrReg r);

static void add_index(Printer *p, const IrInsn *insn)
{
    if (insn->b == IR_NONE) {
        text_printf(p->out, "%" PRId32, insn->imm);
        return;
    }
    add_value(p, insn->b);
    if (insn->imm) text_printf(p->out, " %c %" PRId32, insn->imm < 0 ? '-' : '+', abs(insn->imm));
}

static bool is_plain_array(const IrArrayInfo *info)
{
    return info->place == IR_MEMORY || info->place == IR_TABLE || info->place == IR_FRAME;
}

static void add_element(Printer *p, const IrInsn *insn)
{
    const IrArrayInfo *info = &p->f->arrays.at[insn->a];
    if (!is_plain_array(info)) text_printf(p->out, "%s(", c_elements[info->type]);
    add_array(p, insn->a);
    text_add(p->out, is_plain_array(info) ? STR("[") : STR(")["));
    add_index(p, insn);
    text_add_char(p->out, ']');
}

static void add_operation(Printer *p, const IrInsn *insn)
{
    switch (insn->op) {
    case IR_KREAL: add_real(p->out, p->module->reals.at[insn->a]); return;
    case IR_KINT: add_int(p->out, p->module->ints.at[insn->a]); return;
    case IR_KSTR: add_string(p->out, p->module->strings.at[insn->a]); return;
    case IR_LOAD: add_element(p, insn); return;
    case IR_LENGTH:
        add_array(p, insn->a);
        text_add_literal(p->out, ".n");
        return;
    default: break;
    }
    for (const char *at = patterns[insn->op]; *at; at++) {
        if (*at == '1')
            add_value(p, insn->a);
        else if (*at == '2')
            add_value(p, insn->b);
        else if (*at == '3')
            add_value(p, insn->c);
        else if (*at == '$')
            text_add(p->out, str_of(ir_maths[insn->imm].name));
        else
            text_add_char(p->out, *at);
    }
}

static void add_value(Printer *p, IrReg r)
{
    if (p->is_inline[r])
        add_operation(p, &p->f->code.at[p->f->regs.at[r].def]);
    else
        add_reg(p, r);
}

/* An operation that needs no parentheses around it. */
static void add_bare(Printer *p, const IrInsn *insn)
{
    size_t start = p->out->n;
    const char *pattern = patterns[insn->op];
    add_operation(p, insn);
    if (!pattern || pattern[0] != '(' || pattern[strlen(pattern) - 1] != ')') return;
    memmove(p->out->at + start, p->out->at + start + 1, p->out->n - start - 2);
    p->out->n -= 2;
    p->out->at[p->out->n] = '\0';
}

static void add_bare_value(Printer *p, IrReg r)
{
    if (p->is_inline[r])
        add_bare(p, &p->f->code.at[p->f->regs.at[r].def]);
    else
        add_reg(p, r);
}

/* ---- which temporaries become part of expressions -------------------------------------------- */

typedef struct {
    Printer *p;
    uint32_t *use; /* the instruction that reads it last */
} Reads;

static void see_read(void *arg, IrReg r, bool is_def)
{
    Reads *reads = arg;
    if (is_def) return;
    reads->p->reads[r]++;
    reads->use[r] = reads->p->at;
}

static bool has_length_in_text(const Printer *p, const IrInsn *insn)
{
    return (insn->flags & IR_SAFE) || (insn->b == IR_NONE && is_plain_array(&p->f->arrays.at[insn->a]));
}

static bool is_expression(const Printer *p, const IrInsn *insn)
{
    if (insn->op == IR_LOAD) return has_length_in_text(p, insn);
    if (insn->op == IR_LENGTH) return true;
    if (insn->op == IR_IADD || insn->op == IR_ISUB || insn->op == IR_IMUL || insn->op == IR_INEG)
        return (insn->flags & IR_SAFE) != 0;
    return (ir_ops[insn->op].flags & IR_PURE) != 0;
}

static void find_inline(Printer *p, Arena *scratch)
{
    const IrFunction *f = p->f;
    uint32_t n = f->regs.n + 1, segment = 0, effect = 0;
    Reads reads = { p, NEW_ARRAY(scratch, uint32_t, n) };
    uint32_t *segments = NEW_ARRAY(scratch, uint32_t, f->code.n + 1);
    uint32_t *effects =
        NEW_ARRAY(scratch, uint32_t, f->code.n + 1); /* the last one before each instruction */
    uint8_t *depth = NEW_ARRAY(scratch, uint8_t, n);
    bool *changes = NEW_ARRAY(scratch, bool, n); /* depends on what may be assigned */
    p->is_inline = NEW_ARRAY(scratch, bool, n);
    p->reads = NEW_ARRAY(scratch, uint32_t, n);
    for (p->at = 0; p->at < f->code.n; p->at++) {
        const IrInsn *insn = &f->code.at[p->at];
        segments[p->at] = segment;
        effects[p->at] = effect;
        bool is_idle = insn->op == IR_MOVE && insn->dst == insn->a; /* not printed */
        if (!is_idle) ir_each_reg(p->module, f, insn, see_read, &reads);
        unsigned flags = ir_ops[insn->op].flags;
        if (flags & IR_FLOW) segment++;
        if ((flags & (IR_FLOW | IR_WRITES)) || insn->op == IR_MOVE) effect = p->at + 1;
        p->has_returns |= insn->op == IR_RETURN;
    }
    for (uint32_t i = 0; i < f->code.n; i++) {
        const IrInsn *insn = &f->code.at[i];
        IrReg operands[4], r = insn->dst;
        if (!ir_defines[insn->op] || f->regs.at[r].is_variable || !is_expression(p, insn)) continue;
        changes[r] = insn->op == IR_LOAD || insn->op == IR_LENGTH;
        uint32_t count = plain_reads(insn, operands);
        for (uint32_t k = 0; k < count; k++) {
            changes[r] |=
                f->regs.at[operands[k]].is_variable || (p->is_inline[operands[k]] && changes[operands[k]]);
            if (p->is_inline[operands[k]] && depth[operands[k]] >= depth[r])
                depth[r] = (uint8_t)(depth[operands[k]] + 1);
        }
        uint32_t use = reads.use[r];
        bool same_piece = p->reads[r] == 1 && segments[use] == segments[i] && f->code.at[use].op != IR_FOR;
        p->is_inline[r] = is_constant_op(insn->op) ||
                          (same_piece && depth[r] < DEEPEST_EXPRESSION && !(changes[r] && effects[use] > i));
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static void add_fail(Printer *p, RtStatus status)
{
    static const char *const names[] = { [RT_OVERFLOW] = "RT_OVERFLOW",
                                         [RT_CONVERSION] = "RT_CONVERSION",
                                         [RT_STEPS] = "RT_STEPS",
                                         [RT_DEPTH] = "RT_DEPTH",
                                         [RT_NOT_FINITE] = "RT_NOT_FINITE" };
    text_printf(p->out, "return rt_fail(rt, %s, %" PRIu32 ", %" PRIu32 ", 0, 0);\n", names[status], p->id,
                p->f->sources.n ? p->f->sources.at[p->at < p->f->sources.n ? p->at : 0] : 0);
}

static void add_place(Printer *p)
{
    text_printf(p->out, "%" PRIu32 ", %" PRIu32, p->id, statement_source(p));
}

/* A temporary that is one expression is declared where it is computed. */
static bool is_declared_there(const Printer *p, IrReg r)
{
    const IrRegInfo *info = &p->f->regs.at[r];
    if (info->is_variable || info->def == IR_NONE) return false;
    const IrInsn *def = &p->f->code.at[info->def];
    return is_expression(p, def) || def->op == IR_LOAD;
}

static void add_type(Printer *p, IrReg r)
{
    if (!is_declared_there(p, r)) return;
    if (p->f->regs.at[r].type <= IR_INT) text_add_literal(p->out, "const ");
    text_add(p->out, str_of(c_types[p->f->regs.at[r].type]));
}

/* Prints a pattern: %a %b %c %d the values of fields, %D the register dst by name and %T its type,
 * %A %B arrays, %S function and source, %E the element, %I the index, %N the length of array a, %v
 * %w the values of a and c and %O the operation itself without parentheses. */
static void add_pattern(Printer *p, const IrInsn *insn, const char *pattern)
{
    begin_line(p);
    for (const char *at = pattern; *at; at++) {
        if (*at != '%') {
            text_add_char(p->out, *at);
            continue;
        }
        switch (*++at) {
        case 'a': add_value(p, insn->a); break;
        case 'b': add_value(p, insn->b); break;
        case 'c': add_value(p, insn->c); break;
        case 'd': add_value(p, insn->dst); break;
        case 'D': add_reg(p, insn->dst); break;
        case 'T': add_type(p, insn->dst); break;
        case 'A': add_array(p, insn->a); break;
        case 'B': add_array(p, insn->b); break;
        case 'S': add_place(p); break;
        case 'E': add_element(p, insn); break;
        case 'I': add_index(p, insn); break;
        case 'N':
            if (is_plain_array(&p->f->arrays.at[insn->a]))
                text_printf(p->out, "%" PRIu32, p->f->arrays.at[insn->a].n);
            else {
                add_array(p, insn->a);
                text_add_literal(p->out, ".n");
            }
            break;
        case 'O': add_bare(p, insn); break;
        case 'v': add_bare_value(p, insn->a); break;
        case 'w': add_bare_value(p, insn->c); break;
        default: break;
        }
    }
    text_add_char(p->out, '\n');
}

/* An array as an RtArray value. */
static void add_array_value(Printer *p, IrArr a)
{
    if (!is_plain_array(&p->f->arrays.at[a])) {
        add_array(p, a);
        return;
    }
    text_add_literal(p->out, "(RtArray){ (void *)");
    add_array(p, a);
    text_printf(p->out, ", %" PRIu32 " }", p->f->arrays.at[a].n);
}

static void print_access(Printer *p, const IrInsn *insn)
{
    bool is_safe = has_length_in_text(p, insn);
    if (!is_safe) {
        add_pattern(p, insn, "if ((uint64_t)%I >= (uint64_t)%N)");
        p->indent++;
        add_pattern(p, insn, "return rt_fail(rt, RT_INDEX, %S, (int64_t)((uint64_t)%I + 1), %N);");
        p->indent--;
    }
    if (insn->op == IR_LOAD && p->reads[insn->dst] == 0) return;
    add_pattern(p, insn, insn->op == IR_LOAD ? "%T%D = %E;" : "%E = %w;");
}

static void print_call(Printer *p, const IrInsn *insn)
{
    const IrFunction *callee = p->module->functions.at[insn->a];
    begin_line(p);
    text_printf(p->out, "if ((status = %s(rt", p->function_names[insn->a]);
    for (uint32_t k = 0; k < insn->count; k++) {
        IrOperand operand = ir_operand(p->module, insn, k);
        uint32_t id = p->f->operands.at[insn->b + k];
        bool is_made = operand.is_output && operand.is_array &&
                       callee->arrays.at[callee->params.at[k].id].place == IR_DYNAMIC;
        text_add_literal(p->out, ", ");
        if ((operand.is_output && !operand.is_array) || is_made) text_add_char(p->out, '&');
        if (is_made)
            add_array(p, id);
        else if (operand.is_array)
            add_array_value(p, id);
        else if (operand.is_output)
            add_reg(p, id);
        else
            add_value(p, id);
    }
    text_add_literal(p->out, "))) return status;\n");
}

static void print_extern(Printer *p, const IrInsn *insn)
{
    const IrExternal *external = &p->module->externals.at[insn->a];
    uint32_t cell = 0;
    begin_line(p);
    text_add_literal(p->out, "{\n");
    p->indent++;
    begin_line(p);
    text_printf(p->out, "RtCell cells[%" PRIu32 "];\n", ir_ext_cells(external) + 1);
    for (int outputs = 0; outputs < 2; outputs++) {
        cell = 0;
        for (uint32_t k = 0; k < insn->count; k++) {
            IrOperand operand = ir_operand(p->module, insn, k);
            uint32_t id = p->f->operands.at[insn->b + k];
            if (operand.is_array && !outputs) {
                begin_line(p);
                text_printf(p->out, "cells[%" PRIu32 "].p = ", cell);
                add_array_value(p, id);
                text_printf(p->out, ".at;\n");
                begin_line(p);
                text_printf(p->out, "cells[%" PRIu32 "].i = ", cell + 1);
                add_array_value(p, id);
                text_printf(p->out, ".n;\n");
            } else if (!operand.is_array && operand.is_output == (outputs == 1)) {
                begin_line(p);
                if (outputs) {
                    add_reg(p, id);
                    text_printf(p->out, " = cells[%" PRIu32 "].%c;\n", cell, c_members[operand.type]);
                } else {
                    text_printf(p->out, "cells[%" PRIu32 "].%c = ", cell, c_members[operand.type]);
                    add_value(p, id);
                    text_add_literal(p->out, ";\n");
                }
            }
            cell += operand.is_array ? 2 : 1;
        }
        if (outputs) break;
        begin_line(p);
        text_add_literal(p->out, "rt->error.status = RT_OK;\n");
        begin_line(p);
        text_printf(p->out, "if ((status = %s%s(rt, cells))) return rt_failed_at(rt, status, ",
                    external->entry ? "" : "adapter_",
                    external->entry ? ir_symbol(external) : external->name);
        add_place(p);
        text_add_literal(p->out, ");\n");
    }
    p->indent--;
    begin_line(p);
    text_add_literal(p->out, "}\n");
}

static void print_flow(Printer *p, const IrInsn *insn)
{
    switch (insn->op) {
    case IR_IF: add_pattern(p, insn, "if (%v) {"); break;
    case IR_ELSE:
        p->indent--;
        add_pattern(p, insn, "} else {");
        break;
    case IR_END:
        p->indent--;
        add_pattern(p, insn, "}");
        return;
    case IR_LOOP:
        add_pattern(p, insn, "for (;;) {");
        p->indent++;
        begin_line(p);
        text_add_literal(p->out, "if (rt->steps-- <= 0) ");
        add_fail(p, RT_STEPS);
        return;
    case IR_FOR: {
        char pattern[128];
        snprintf(pattern, sizeof pattern,
                 "if ((status = rt_pay(rt, %%a, %%b, %" PRId32 "))) return rt_fail(rt, status, %%S, 0, 0);",
                 insn->imm);
        add_pattern(p, insn, pattern);
        snprintf(pattern, sizeof pattern, "for (%%D = %%a; %%D %s %%b; %%D += %" PRId32 ") {",
                 insn->imm > 0 ? "<=" : ">=", insn->imm);
        add_pattern(p, insn, pattern);
        break;
    }
    case IR_BREAK: add_pattern(p, insn, "break;"); return;
    case IR_BREAK_UNLESS: add_pattern(p, insn, "if (!%a) break;"); return;
    default: add_pattern(p, insn, "goto done;"); return;
    }
    p->indent++;
}

static void print_division(Printer *p, const IrInsn *insn)
{
    add_pattern(p, insn, "if ((status = rt_divisible(%a, %b))) return rt_fail(rt, status, %S, 0, 0);");
    add_pattern(p, insn,
                insn->op == IR_IDIV   ? "%D = rt_div(%a, %b);"
                : insn->op == IR_IREM ? "%D = rt_rem(%a, %b);"
                                      : "%D = rt_mod(%a, %b);");
}

static const char *const statements[IR_OP_COUNT] = {
    [IR_MOVE] = "%D = %v;",
    [IR_IADD] = "if (rt_add(%a, %b, &%D)) return rt_fail(rt, RT_OVERFLOW, %S, 0, 0);",
    [IR_ISUB] = "if (rt_sub(%a, %b, &%D)) return rt_fail(rt, RT_OVERFLOW, %S, 0, 0);",
    [IR_IMUL] = "if (rt_mul(%a, %b, &%D)) return rt_fail(rt, RT_OVERFLOW, %S, 0, 0);",
    [IR_INEG] = "if (rt_sub(0, %a, &%D)) return rt_fail(rt, RT_OVERFLOW, %S, 0, 0);",
    [IR_NEW] = "if ((status = rt_array_new(rt, &%A, %b))) return rt_fail(rt, status, %S, %b, 0);",
    [IR_CHECK_INDEX] = "if (%a < 1 || %a > %b) return rt_fail(rt, RT_INDEX, %S, %a, %b);",
    [IR_CHECK_SIZE] = "if (%a != %b) return rt_fail(rt, RT_SIZE, %S, %a, %b);",
    [IR_CHECK_FINITE] = "if (!rt_is_finite(%a)) return rt_fail(rt, RT_NOT_FINITE, %S, 0, 0);",
};

static void print_copy(Printer *p, const IrInsn *insn)
{
    begin_line(p);
    text_add_literal(p->out, "if (");
    add_array_value(p, insn->a);
    text_add_literal(p->out, ".n != ");
    add_array_value(p, insn->b);
    text_add_literal(p->out, ".n) return rt_fail(rt, RT_SIZE, ");
    add_place(p);
    text_add_literal(p->out, ", ");
    add_array_value(p, insn->a);
    text_add_literal(p->out, ".n, ");
    add_array_value(p, insn->b);
    text_add_literal(p->out, ".n);\n");
    begin_line(p);
    text_add_literal(p->out, "rt_array_copy(");
    add_array_value(p, insn->a);
    text_add_literal(p->out, ", ");
    add_array_value(p, insn->b);
    text_add_literal(p->out, ");\n");
}

static void print_view(Printer *p, const IrInsn *insn)
{
    begin_line(p);
    if (insn->c == IR_NONE) {
        add_array(p, insn->a);
        text_add_literal(p->out, " = ");
        add_array_value(p, insn->b);
        text_add_literal(p->out, ";\n");
        return;
    }
    text_add_literal(p->out, "if ((status = rt_array_view(&");
    add_array(p, insn->a);
    text_add_literal(p->out, ", ");
    add_array_value(p, insn->b);
    text_add_char(p->out, '\n');
    p->indent++;
    add_pattern(p, insn, ", %c, %d))) return rt_fail(rt, status, %S, %c, %d);");
    p->indent--;
}

static void print_fill(Printer *p, const IrInsn *insn)
{
    add_pattern(p, insn, "for (int64_t k = 0; k < %N; k++)");
    p->indent++;
    begin_line(p);
    if (!is_plain_array(&p->f->arrays.at[insn->a]))
        text_printf(p->out, "%s(", c_elements[p->f->arrays.at[insn->a].type]);
    add_array(p, insn->a);
    text_add(p->out, is_plain_array(&p->f->arrays.at[insn->a]) ? STR("[k] = ") : STR(")[k] = "));
    add_value(p, insn->c);
    text_add_literal(p->out, ";\n");
    p->indent--;
}

static void print_insn(Printer *p, const IrInsn *insn)
{
    if (ir_defines[insn->op] && p->is_inline[insn->dst]) return;
    if (insn->op == IR_MOVE && insn->dst == insn->a) return;
    switch (insn->op) {
    case IR_LOAD:
    case IR_STORE: print_access(p, insn); return;
    case IR_CALL: print_call(p, insn); return;
    case IR_EXTERN: print_extern(p, insn); return;
    case IR_IDIV:
    case IR_IREM:
    case IR_IMOD: print_division(p, insn); return;
    case IR_IABS:
        add_pattern(p, insn, "if (%a == INT64_MIN) return rt_fail(rt, RT_OVERFLOW, %S, 0, 0);");
        add_pattern(p, insn, "%D = %a < 0 ? -%a : %a;");
        return;
    case IR_TO_INT:
        add_pattern(p, insn, "if (!rt_has_integer(%a)) return rt_fail(rt, RT_CONVERSION, %S, 0, 0);");
        add_pattern(p, insn, "%D = (int64_t)%a;");
        return;
    case IR_ASSERT:
        add_pattern(p, insn,
                    insn->b == IR_NONE ? "if (!%a) return rt_fail_text(rt, RT_ASSERT, %S, NULL);"
                                       : "if (!%a) return rt_fail_text(rt, RT_ASSERT, %S, %b);");
        return;
    case IR_COPY: print_copy(p, insn); return;
    case IR_VIEW: print_view(p, insn); return;
    case IR_FILL: print_fill(p, insn); return;
    default: break;
    }
    if (ir_ops[insn->op].flags & IR_FLOW)
        print_flow(p, insn);
    else if (is_expression(p, insn)) {
        add_pattern(p, insn, "%T%D = %O;");
        if (p->reads[insn->dst] == 0) add_pattern(p, insn, "(void)%D;");
    } else
        add_pattern(p, insn, statements[insn->op]);
}

/* ---- functions ------------------------------------------------------------------------------- */

static void print_signature(Printer *p)
{
    text_printf(p->out, "static RtStatus %s(Rt *rt", p->function_names[p->id]);
    for (uint32_t k = 0; k < p->f->params.n; k++) {
        const IrParam *param = &p->f->params.at[k];
        bool is_output = k >= p->f->input_count;
        text_add_literal(p->out, ", ");
        if (param->is_array) {
            bool is_made = p->f->arrays.at[param->id].place == IR_DYNAMIC;
            text_printf(p->out, "RtArray %s", is_made ? "*out_" : "");
            add_array(p, param->id);
        } else {
            text_printf(p->out, "%s%s", c_types[p->f->regs.at[param->id].type], is_output ? "*out_" : "");
            add_reg(p, param->id);
        }
    }
    text_add_char(p->out, ')');
}

static bool is_param(const IrFunction *f, bool is_array, uint32_t id, bool *is_output)
{
    for (uint32_t k = 0; k < f->params.n; k++)
        if (f->params.at[k].is_array == is_array && f->params.at[k].id == id) {
            *is_output = k >= f->input_count;
            return true;
        }
    return false;
}

static void declare_array(Printer *p, IrArr a)
{
    const IrArrayInfo *info = &p->f->arrays.at[a];
    begin_line(p);
    switch ((IrPlace)info->place) {
    case IR_MEMORY:
        text_printf(p->out, "%s*const ", c_types[info->type]);
        add_array(p, a);
        text_printf(p->out, " = rt->memory[%" PRIu32 "].at;\n", info->index);
        break;
    case IR_TABLE:
        text_add_literal(p->out, "const double *const ");
        add_array(p, a);
        text_printf(p->out, " = %stable_%" PRIu32 ";\n", p->style->prefix, info->index);
        break;
    case IR_FRAME:
        if (info->n > LARGEST_LOCAL_ARRAY) {
            text_printf(p->out, "%s*", c_types[info->type]);
            add_array(p, a);
            text_add_literal(p->out, " = NULL;\n");
        } else {
            text_add(p->out, str_of(c_types[info->type]));
            add_array(p, a);
            text_printf(p->out, "[%" PRIu32 "] = { 0 };\n", info->n ? info->n : 1);
        }
        break;
    default:
        text_add_literal(p->out, "RtArray ");
        add_array(p, a);
        text_add_literal(p->out, " = { NULL, 0 };\n");
        break;
    }
    begin_line(p);
    text_add_literal(p->out, "(void)");
    add_array(p, a);
    text_add_literal(p->out, ";\n");
}

static void print_declarations(Printer *p)
{
    bool is_output;
    for (IrArr a = 0; a < p->f->arrays.n; a++)
        if (!is_param(p->f, true, a, &is_output) || p->f->arrays.at[a].place == IR_DYNAMIC)
            declare_array(p, a);
    for (IrReg r = 0; r < p->f->regs.n; r++) {
        bool is_given = is_param(p->f, false, r, &is_output);
        const IrRegInfo *info = &p->f->regs.at[r];
        if (is_declared_there(p, r) || (!info->is_variable && info->def == IR_NONE && !is_given)) continue;
        if (!p->is_inline[r] && !(is_given && !is_output)) {
            begin_line(p);
            text_add(p->out, str_of(c_types[p->f->regs.at[r].type]));
            add_reg(p, r);
            text_printf(p->out, " = %s;\n",
                        p->f->regs.at[r].type >= IR_STR ? "NULL"
                        : p->f->regs.at[r].type         ? "0"
                                                        : "0.0");
        }
        if (!p->is_inline[r] && p->reads[r] == 0) {
            begin_line(p);
            text_add_literal(p->out, "(void)");
            add_reg(p, r);
            text_add_literal(p->out, ";\n");
        }
    }
    for (uint32_t k = 0; k < p->f->params.n; k++)
        if (p->f->params.at[k].is_array && p->f->arrays.at[p->f->params.at[k].id].place == IR_PARAM) {
            begin_line(p);
            text_add_literal(p->out, "(void)");
            add_array(p, p->f->params.at[k].id);
            text_add_literal(p->out, ";\n");
        }
}

static bool has_large_array(const IrFunction *f)
{
    for (IrArr a = 0; a < f->arrays.n; a++)
        if (f->arrays.at[a].place == IR_FRAME && f->arrays.at[a].n > LARGEST_LOCAL_ARRAY) return true;
    return false;
}

static void print_entry(Printer *p, bool rewinds)
{
    p->at = 0;
    if (ir_calls_functions(p->f)) {
        text_add_literal(p->out, "    if (rt->depth <= 0) ");
        add_fail(p, RT_DEPTH);
        text_add_literal(p->out, "    if (rt->steps <= 0) ");
        add_fail(p, RT_STEPS);
        text_add_literal(p->out, "    rt->depth--;\n    rt->steps--;\n");
    }
    if (rewinds) text_add_literal(p->out, "    RtMark mark;\n    rt_mark(rt, &mark);\n");
    for (IrArr a = 0; a < p->f->arrays.n; a++) {
        if (p->f->arrays.at[a].place != IR_FRAME || p->f->arrays.at[a].n <= LARGEST_LOCAL_ARRAY) continue;
        text_printf(p->out,
                    "    {\n        RtArray large;\n        if (rt_array_new(rt, &large, %" PRIu32 ")) ",
                    p->f->arrays.at[a].n);
        add_fail(p, RT_DEPTH);
        text_add_literal(p->out, "        ");
        add_array(p, a);
        text_add_literal(p->out, " = large.at;\n    }\n");
    }
}

static void print_exit(Printer *p, bool rewinds)
{
    if (p->has_returns) text_add_literal(p->out, "done:\n");
    if (ir_calls_functions(p->f)) text_add_literal(p->out, "    rt->depth++;\n");
    if (rewinds) text_add_literal(p->out, "    rt_rewind(rt, &mark);\n");
    for (uint32_t k = p->f->input_count; k < p->f->params.n; k++) {
        const IrParam *param = &p->f->params.at[k];
        if (param->is_array && p->f->arrays.at[param->id].place != IR_DYNAMIC) continue;
        for (int side = 0; side < 2; side++) {
            text_add(p->out, side ? STR(" = ") : STR("    *out_"));
            if (param->is_array)
                add_array(p, param->id);
            else
                add_reg(p, param->id);
        }
        text_add_literal(p->out, ";\n");
    }
    text_add_literal(p->out, "    return RT_OK;\n}\n\n");
}

static void print_function(Printer *p, Arena *scratch)
{
    p->has_returns = false;
    find_inline(p, scratch);
    bool rewinds = ir_rewinds(p->module, p->f) || (has_large_array(p->f) && ir_may_rewind(p->module, p->f));
    print_signature(p);
    text_add_literal(p->out, "\n{\n    RtStatus status = RT_OK;\n    (void)status;\n    (void)rt;\n");
    p->indent = 1;
    print_declarations(p);
    print_entry(p, rewinds);
    p->last_source = IR_NONE;
    for (p->at = 0; p->at < p->f->code.n; p->at++) {
        const IrInsn *insn = &p->f->code.at[p->at];
        bool is_silent =
            insn->op == IR_END || insn->op == IR_ELSE || (ir_defines[insn->op] && p->is_inline[insn->dst]);
        if (!is_silent && statement_source(p) != p->last_source && p->style->source_text) {
            const char *text = p->style->source_text(p->style->user, statement_source(p));
            p->last_source = statement_source(p);
            if (text && !strstr(text, "*/")) {
                begin_line(p);
                text_printf(p->out, "/* %s */\n", text);
            }
        }
        print_insn(p, insn);
    }
    print_exit(p, rewinds);
}

static void print_wrapper(Printer *p)
{
    const IrFunction *f = p->f;
    text_printf(p->out,
                "RtStatus %s_entry(Rt *rt, RtCell *cells);\nRtStatus %s_entry(Rt *rt, RtCell *cells)\n{\n    "
                "(void)cells;\n",
                p->function_names[p->id], p->function_names[p->id]);
    for (uint32_t k = f->input_count; k < f->params.n; k++)
        if (f->params.at[k].is_array && f->arrays.at[f->params.at[k].id].place == IR_DYNAMIC)
            text_printf(p->out, "    RtArray made_%" PRIu32 " = { NULL, 0 };\n", k);
    text_printf(p->out, "    RtStatus status = %s(rt", p->function_names[p->id]);
    for (uint32_t k = 0; k < f->params.n; k++) {
        const IrParam *param = &f->params.at[k];
        bool is_output = k >= f->input_count;
        if (!param->is_array)
            text_printf(p->out, ", %scells[%" PRIu32 "].%c", is_output ? "&" : "", param->cell,
                        c_members[f->regs.at[param->id].type]);
        else if (f->arrays.at[param->id].place == IR_DYNAMIC)
            text_printf(p->out, ", &made_%" PRIu32, k);
        else
            text_printf(p->out, ", (RtArray){ cells[%" PRIu32 "].p, cells[%" PRIu32 "].i }", param->cell,
                        param->cell + 1);
    }
    text_add_literal(p->out, ");\n");
    for (uint32_t k = f->input_count; k < f->params.n; k++)
        if (f->params.at[k].is_array && f->arrays.at[f->params.at[k].id].place == IR_DYNAMIC)
            text_printf(p->out,
                        "    cells[%" PRIu32 "].p = made_%" PRIu32 ".at;\n    cells[%" PRIu32
                        "].i = made_%" PRIu32 ".n;\n",
                        f->params.at[k].cell, k, f->params.at[k].cell + 1, k);
    text_add_literal(p->out, "    return status;\n}\n\n");
}

static const char **name_functions(const IrModule *module, const IrCStyle *style, Arena *scratch)
{
    const char **names = NEW_ARRAY(scratch, const char *, module->functions.n + 1);
    Map used = { .arena = scratch };
    for (IrFun f = 0; f < module->functions.n; f++) {
        Text name = { .arena = scratch };
        bool is_new;
        text_add(&name, str_of(style->prefix));
        add_identifier(&name, module->functions.at[f]->name);
        map_put(&used, name_hash(str_of(name.at)), &is_new);
        if (!is_new) text_printf(&name, "_%" PRIu32, f);
        names[f] = name.at;
    }
    return names;
}

static void print_tables(const IrModule *module, const IrCStyle *style, Text *out)
{
    for (uint32_t t = 0; t < module->tables.n; t++) {
        text_printf(out, "static const double %stable_%" PRIu32 "[] = { /* %s */", style->prefix, t,
                    module->tables.at[t].name);
        for (uint32_t k = 0; k < module->tables.at[t].n; k++) {
            text_add(out, k % 4 ? STR(" ") : STR("\n    "));
            add_real(out, module->tables.at[t].at[k]);
            text_add_char(out, ',');
        }
        text_add(out, module->tables.at[t].n ? STR("\n};\n") : STR(" 0.0 };\n"));
    }
}

/* What rt_call needs: the table of entries, in the order of function ids. */
static void print_entries(const Printer *p)
{
    text_printf(p->out, "extern const RtEntry %sentries[];\nconst RtEntry %sentries[] = {\n",
                p->style->prefix, p->style->prefix);
    for (IrFun f = 0; f < p->module->functions.n; f++)
        text_printf(p->out, "    %s_entry,\n", p->function_names[f]);
    text_printf(p->out, "%s};\n", p->module->functions.n ? "" : "    NULL,\n");
}

/* Whether another declaration is of the same C function. */
static bool is_shared(const IrModule *module, IrExt e)
{
    for (IrExt k = 0; k < module->externals.n; k++)
        if (k != e && !strcmp(ir_symbol(&module->externals.at[k]), ir_symbol(&module->externals.at[e])))
            return true;
    return false;
}

void ir_print_c(const IrModule *module, const IrCStyle *style, Text *out)
{
    Arena *scratch = arena_scratch();
    Printer p = { .module = module, .style = style, .out = out };
    p.function_names = name_functions(module, style, scratch);
    text_add_literal(out, "#include \"rt/rt.h\"\n\n#include <math.h>\n#include <stddef.h>\n\n");
    text_add_literal(out, "/* A model may compare a variable with itself, or a Boolean with a number. */\n"
                          "#if defined(__GNUC__)\n#pragma GCC diagnostic ignored \"-Wtautological-compare\"\n"
                          "#endif\n#if defined(__GNUC__) && !defined(__clang__)\n"
                          "#pragma GCC diagnostic ignored \"-Wbool-compare\"\n"
                          "#pragma GCC diagnostic ignored \"-Wint-in-bool-context\"\n#endif\n\n");
    for (IrExt e = 0; e < module->externals.n; e++) {
        const IrExternal *external = &module->externals.at[e];
        if (!external->entry)
            ir_print_adapter(external, is_shared(module, e), out);
        else if (strncmp(external->name, "rt_", 3) != 0)
            text_printf(out, "RtStatus %s(Rt *rt, RtCell *cells);\n", ir_symbol(external));
    }
    print_tables(module, style, out);
    for (p.id = 0; p.id < module->functions.n; p.id++) {
        p.f = module->functions.at[p.id];
        print_signature(&p);
        text_add_literal(out, ";\n");
    }
    text_add_char(out, '\n');
    for (p.id = 0; p.id < module->functions.n; p.id++) {
        p.f = module->functions.at[p.id];
        print_function(&p, scratch);
        print_wrapper(&p);
    }
    print_entries(&p);
    arena_free(scratch);
}
