/* parse.c: reads the text form of a module, as dump.c writes it, so that tests can be written as
 * text.
 *
 * In: text. Out: memories, tables and functions added to a module, or the first mistake with its
 * line. How: two passes over the lines; the first declares functions with their parameters, so that
 * calls may go forward, the second fills them. Types of temporaries follow from what defines them.
 * Always: nothing is trusted; whoever runs the result verifies it first. Marks of proved checks are
 * read over, proofs are not taken from text. Externals are the builtins and those the module has
 * already. Cost: linear. Tests: tests/ir/random_test.c (what is printed reads back as itself). */
#include "ir/inside.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

typedef struct {
    IrModule *module;
    IrBuilder b;
    const char *at; /* in a line, which is terminated */
    uint32_t line;
    const char *wrong;
} Parser;

static const char *const type_names[] = { "real", "int", "str", "ptr" };
static const char *const place_names[] = { "frame", "memory", "table", "param", "dynamic", "view" };
enum { LARGEST_ID = 1 << 24 };

static bool fail(Parser *p, const char *what)
{
    if (!p->wrong) p->wrong = arena_printf(p->module->arena, "line %u: %s at '%.20s'", p->line, what, p->at);
    return false;
}

static void skip(Parser *p)
{
    while (*p->at == ' ') p->at++;
}

static bool accept(Parser *p, const char *token)
{
    size_t n = strlen(token);
    skip(p);
    if (strncmp(p->at, token, n) != 0) return false;
    p->at += n;
    return true;
}

static bool expect(Parser *p, const char *token) { return accept(p, token) || fail(p, token); }

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '[' || c == ']';
}

/* A text in quotes, as text_add_json writes it. */
static const char *read_quoted(Parser *p)
{
    Text text = { .arena = p->module->arena };
    text_add_literal(&text, "");
    for (p->at++; *p->at && *p->at != '"'; p->at++) {
        char c = *p->at;
        if (c == '\\') {
            c = *++p->at;
            if (c == 'n') c = '\n';
            if (c == 'u') {
                char digits[5] = { 0 };
                for (int k = 0; k < 4 && p->at[1]; k++) digits[k] = *++p->at;
                c = (char)strtol(digits, NULL, 16);
            }
        }
        if (!*p->at) break;
        text_add_char(&text, c);
    }
    if (*p->at == '"')
        p->at++;
    else
        fail(p, "a closing quote is missing");
    return text.at ? text.at : "";
}

static const char *read_word(Parser *p)
{
    skip(p);
    if (*p->at == '"') return read_quoted(p);
    const char *start = p->at;
    while (is_word_char(*p->at)) p->at++;
    if (p->at == start) fail(p, "a name is missing");
    return arena_copy(p->module->arena, (Str){ start, (size_t)(p->at - start) });
}

static int64_t read_int(Parser *p)
{
    char *end;
    skip(p);
    errno = 0;
    int64_t value = strtoll(p->at, &end, 10);
    if (end == p->at || errno) fail(p, "a whole number is missing");
    p->at = end;
    return value;
}

static double read_real(Parser *p)
{
    char *end;
    skip(p);
    double value = strtod(p->at, &end);
    if (end == p->at) fail(p, "a number is missing");
    p->at = end;
    return value;
}

static uint32_t read_choice(Parser *p, const char *const *names, uint32_t n)
{
    const char *start = (skip(p), p->at);
    while (islower((unsigned char)*p->at)) p->at++;
    for (uint32_t k = 0; k < n; k++)
        if (str_is((Str){ start, (size_t)(p->at - start) }, names[k])) return k;
    p->at = start;
    fail(p, "an unknown type or place");
    return 0;
}

/* %3.name or @3.name, or - for none. */
static uint32_t read_id(Parser *p, char sigil, const char **name)
{
    *name = NULL;
    skip(p);
    if (*p->at == '-') {
        p->at++;
        return IR_NONE;
    }
    if (*p->at != sigil || !isdigit((unsigned char)p->at[1])) {
        fail(p, sigil == '%' ? "a register is missing" : "an array is missing");
        return IR_NONE;
    }
    p->at++;
    int64_t id = read_int(p);
    if (id >= LARGEST_ID) fail(p, "the number is too large");
    if (*p->at == '.') {
        p->at++;
        *name = read_word(p);
    }
    return p->wrong ? IR_NONE : (uint32_t)id;
}

/* Registers and arrays exist as soon as they are named; what is not declared has no type, which the
 * verifier refuses. */
static IrReg read_reg(Parser *p)
{
    const char *name;
    IrReg r = read_id(p, '%', &name);
    if (r == IR_NONE) return r;
    while (p->b.f->regs.n <= r)
        vec_push(p->module->arena, &p->b.f->regs, ((IrRegInfo){ IR_TYPE_COUNT, false, IR_NONE, NULL }));
    if (name) p->b.f->regs.at[r].name = name;
    return r;
}

static IrArr read_array(Parser *p)
{
    const char *name;
    IrArr a = read_id(p, '@', &name);
    if (a == IR_NONE) return a;
    while (p->b.f->arrays.n <= a)
        vec_push(p->module->arena, &p->b.f->arrays,
                 ((IrArrayInfo){ IR_TYPE_COUNT, IR_VIEW_OF, false, 0, 0, NULL }));
    if (name) p->b.f->arrays.at[a].name = name;
    return a;
}

/* ---- declarations ---------------------------------------------------------------------------- */

static bool read_param(Parser *p, bool is_output)
{
    IrFunction *f = p->b.f;
    skip(p);
    bool is_array = *p->at == '@';
    uint32_t id = is_array ? read_array(p) : read_reg(p);
    uint8_t type = (uint8_t)read_choice(p, type_names, COUNT_OF(type_names));
    if (p->wrong || id == IR_NONE) return fail(p, "a parameter is missing");
    if (is_array) {
        bool is_made = accept(p, "[*]");
        if (!is_made && !expect(p, "[]")) return false;
        IrArrayInfo *info = &f->arrays.at[id];
        *info = (IrArrayInfo){ type, is_made ? IR_DYNAMIC : IR_PARAM, !is_output, 0, 0, info->name };
    } else {
        f->regs.at[id].type = type;
        f->regs.at[id].is_variable = is_output;
    }
    vec_push(p->module->arena, &f->params, ((IrParam){ is_array, id, f->cell_count }));
    f->cell_count += is_array ? 2 : 1;
    f->input_count += !is_output;
    return true;
}

static bool read_head(Parser *p)
{
    p->b = ir_begin(p->module, read_word(p));
    bool is_output = false;
    if (!expect(p, "(")) return false;
    if (accept(p, ")")) return true;
    for (is_output = accept(p, "->"); !p->wrong;) {
        if (!read_param(p, is_output)) return false;
        if (accept(p, ")")) return true;
        if (!is_output && accept(p, "->"))
            is_output = true;
        else if (!expect(p, ","))
            return false;
    }
    return false;
}

static bool read_array_line(Parser *p)
{
    IrArr a = read_array(p);
    uint8_t type = (uint8_t)read_choice(p, type_names, COUNT_OF(type_names));
    uint8_t place = (uint8_t)read_choice(p, place_names, COUNT_OF(place_names));
    if (p->wrong || a == IR_NONE) return fail(p, "an array is missing");
    IrArrayInfo info = { type, place, place == IR_TABLE, 0, 0, p->b.f->arrays.at[a].name };
    if (place == IR_FRAME) info.n = (uint32_t)read_int(p);
    if (place == IR_MEMORY || place == IR_TABLE) info.index = (uint32_t)read_int(p);
    if (place == IR_MEMORY && info.index < p->module->memories.n)
        info.n = p->module->memories.at[info.index].n;
    if (place == IR_TABLE && info.index < p->module->tables.n) info.n = p->module->tables.at[info.index].n;
    if (place == IR_VIEW_OF) info.is_constant = accept(p, "const");
    p->b.f->arrays.at[a] = info;
    return !p->wrong;
}

static bool read_var_line(Parser *p)
{
    IrReg r = read_reg(p);
    uint8_t type = (uint8_t)read_choice(p, type_names, COUNT_OF(type_names));
    if (p->wrong || r == IR_NONE) return fail(p, "a register is missing");
    p->b.f->regs.at[r].type = type;
    p->b.f->regs.at[r].is_variable = true;
    return true;
}

static bool read_memory(Parser *p)
{
    const char *name = read_word(p);
    IrType type = (IrType)read_choice(p, type_names, COUNT_OF(type_names));
    int64_t n = read_int(p);
    if (p->wrong || n < 0 || n > IR_LARGEST_ARRAY) return fail(p, "a memory of another size");
    ir_add_memory(p->module, name, type, (uint32_t)n);
    return true;
}

static bool read_table(Parser *p)
{
    const char *name = read_word(p);
    VEC(double) values = { 0 };
    for (skip(p); *p->at && !p->wrong; skip(p)) vec_push(p->module->arena, &values, read_real(p));
    if (!p->wrong) ir_add_table(p->module, name, values.at, values.n);
    return !p->wrong;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static bool read_operands(Parser *p, IrInsn *insn)
{
    IrFunction *f = p->b.f;
    insn->b = f->operands.n;
    if (!expect(p, "(")) return false;
    while (!accept(p, ")")) {
        if (insn->count && !accept(p, ",") && !expect(p, "->")) return false;
        if (!insn->count) accept(p, "->");
        IrOperand operand = ir_operand(p->module, insn, insn->count);
        skip(p);
        uint32_t id = *p->at == '@' ? read_array(p) : read_reg(p);
        if (p->wrong || insn->count == UINT16_MAX) return fail(p, "too many operands");
        if (operand.is_output && !operand.is_array && id != IR_NONE && id < f->regs.n &&
            !f->regs.at[id].is_variable) {
            f->regs.at[id].type = operand.type;
            f->regs.at[id].def = f->code.n;
        }
        vec_push(p->module->arena, &f->operands, id);
        insn->count++;
    }
    return true;
}

static bool read_call(Parser *p, IrInsn *insn)
{
    const char *name = read_word(p);
    if (p->wrong) return false;
    if (insn->op == IR_CALL) {
        if (!expect(p, "#")) return false;
        int64_t id = read_int(p);
        if (id < 0 || id >= p->module->functions.n) return fail(p, "no such function");
        insn->a = (uint32_t)id;
        return read_operands(p, insn);
    }
    for (insn->a = 0; insn->a < p->module->externals.n; insn->a++)
        if (!strcmp(p->module->externals.at[insn->a].name, name)) break;
    if (insn->a == p->module->externals.n && !strncmp(name, "rt_", 3) && ir_is_builtin(name + 3))
        insn->a = ir_builtin(p->module, name + 3);
    if (insn->a == p->module->externals.n) return fail(p, "no such external function");
    return read_operands(p, insn);
}

/* Constants are pooled by the builder; the instruction it makes gives the index and goes. */
static bool read_constant(Parser *p, IrInsn *insn)
{
    IrFunction *f = p->b.f;
    skip(p);
    if (insn->op == IR_KSTR && *p->at != '"') return fail(p, "a text in quotes is missing");
    if (insn->op == IR_KREAL) ir_real(&p->b, read_real(p));
    if (insn->op == IR_KINT) ir_int(&p->b, read_int(p));
    if (insn->op == IR_KSTR) ir_str(&p->b, read_quoted(p));
    insn->a = f->code.at[f->code.n - 1].a;
    f->code.n--;
    f->sources.n--;
    f->regs.n--;
    return !p->wrong;
}

static bool read_fields(Parser *p, IrInsn *insn)
{
    const char *fields = ir_ops[insn->op].fields;
    uint32_t *const to[] = { &insn->dst, &insn->a, &insn->b, &insn->c };
    for (int k = 1; k <= 4; k++) {
        char kind = fields[k & 3];
        if (kind == '-' || (k == 4 && kind != 'O')) continue;
        *to[k & 3] = kind == 'A' ? read_array(p) : read_reg(p);
        if (p->wrong) return false;
    }
    if (insn->op == IR_LOAD || insn->op == IR_STORE || insn->op == IR_FOR) insn->imm = (int32_t)read_int(p);
    if (insn->op != IR_MATH1 && insn->op != IR_MATH2) return !p->wrong;
    const char *name = read_word(p);
    for (insn->imm = 0; insn->imm < IR_MATH_COUNT; insn->imm++)
        if (!strcmp(ir_maths[insn->imm].name, name)) return !p->wrong;
    return fail(p, "no such function of libm");
}

/* The type of what is defined, where it follows from the operands. */
static uint8_t type_of(const IrFunction *f, const IrInsn *insn)
{
    char kind = ir_ops[insn->op].fields[0];
    if (kind != '*') return kind == 'r' ? IR_REAL : kind == 's' ? IR_STR : IR_INT;
    if (insn->op == IR_LOAD && insn->a < f->arrays.n) return f->arrays.at[insn->a].type;
    if (insn->op == IR_SELECT && insn->b < f->regs.n) return f->regs.at[insn->b].type;
    return IR_TYPE_COUNT;
}

static bool read_insn(Parser *p)
{
    IrFunction *f = p->b.f;
    IrInsn insn = { 0, 0, 0, IR_NONE, IR_NONE, IR_NONE, IR_NONE, 0 };
    skip(p);
    bool defines = *p->at == '%';
    if (defines && ((insn.dst = read_reg(p)) == IR_NONE || !expect(p, "="))) return false;
    const char *name = read_word(p);
    while (insn.op < IR_OP_COUNT && strcmp(ir_ops[insn.op].name, name) != 0) insn.op++;
    if (insn.op == IR_OP_COUNT || ir_defines[insn.op] != defines) return fail(p, "no such instruction");
    accept(p, "!");
    bool ok = is_call(&insn)            ? read_call(p, &insn)
              : is_constant_op(insn.op) ? read_constant(p, &insn)
                                        : read_fields(p, &insn);
    if (!ok) return false;
    if (accept(p, ";")) p->b.source = (uint32_t)read_int(p);
    if (defines && !f->regs.at[insn.dst].is_variable) {
        f->regs.at[insn.dst].type = type_of(f, &insn);
        f->regs.at[insn.dst].def = f->code.n;
    }
    ir_append(&p->b, insn);
    skip(p);
    return !p->wrong && (!*p->at || fail(p, "something is left over"));
}

static bool read_line(Parser *p, bool heads)
{
    skip(p);
    if (!*p->at) return true;
    if (accept(p, "function ")) {
        if (heads) return read_head(p);
        p->b.f = p->module->functions.at[++p->b.id];
        p->b.source = 0;
        return true;
    }
    if (accept(p, "memory ")) return !heads || read_memory(p);
    if (accept(p, "table ")) return !heads || read_table(p);
    if (heads) return true;
    if (!p->b.f) return fail(p, "an instruction outside of a function");
    if (accept(p, "array ")) return read_array_line(p);
    if (accept(p, "var ")) return read_var_line(p);
    return read_insn(p);
}

const char *ir_parse(IrModule *module, Str text)
{
    Parser p = { .module = module };
    uint32_t before = module->functions.n;
    for (int pass = 0; pass < 2 && !p.wrong; pass++) {
        p.line = 1;
        p.b = (IrBuilder){ module, NULL, before - 1, 0 };
        for (size_t at = 0, n = 0; at < text.n && !p.wrong; at += n + 1, p.line++) {
            for (n = 0; at + n < text.n && text.at[at + n] != '\n';) n++;
            p.at = arena_copy(module->arena, (Str){ text.at + at, n });
            if (!read_line(&p, pass == 0)) fail(&p, "a mistake");
        }
    }
    return p.wrong;
}
