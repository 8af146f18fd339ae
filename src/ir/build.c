/* build.c: makes modules and functions, one instruction at a time.
 *
 * In: calls of a lowering. Out: dense lists of instructions that verify. How: constants are pooled
 * by their bits and folded when all operands of an exact operation are constant; what Modelica's
 * functions mean beyond one instruction is spelled out here, so that every way of running computes
 * the same. Always: folding computes what the instruction would compute at run time, bit for bit;
 * functions of libm are not folded, since an exported model may meet another libm. Cost: O(1) an
 * instruction. Tests: tests/ir/run_test.c. */
#include "ir/inside.h"

#include <assert.h>
#include <math.h>

#define IS_REG(ch) \
    ((ch) == 'r' || (ch) == 'i' || (ch) == 's' || (ch) == 'p' || (ch) == '*' || (ch) == 'o' || (ch) == 't')

const IrOpInfo ir_ops[IR_OP_COUNT] = {
#define OP(id, text, dst, a, b, c, flags) { text, { dst, a, b, c }, flags },
#include "ir/ops.def"
#undef OP
};

const uint8_t ir_reads[IR_OP_COUNT] = {
#define OP(id, text, dst, a, b, c, flags)                                                         \
    (uint8_t)((IS_REG(a) ? FIELD_A : 0) | (IS_REG(b) ? FIELD_B : 0) | (IS_REG(c) ? FIELD_C : 0) | \
              ((dst) == 'O' ? FIELD_DST : 0)),
#include "ir/ops.def"
#undef OP
};

const bool ir_defines[IR_OP_COUNT] = {
#define OP(id, text, dst, a, b, c, flags) IS_REG(dst),
#include "ir/ops.def"
#undef OP
};

const IrMathInfo ir_maths[IR_MATH_COUNT] = {
#define ONE_1(symbol) symbol, NULL
#define ONE_2(symbol) NULL, symbol
#define MATH(id, symbol, arguments) { #symbol, arguments, ONE_##arguments(symbol) },
#include "ir/math.def"
#undef MATH
};

IrModule *ir_module_new(Arena *arena)
{
    IrModule *module = NEW(arena, IrModule);
    module->arena = arena;
    module->real_ids.arena = module->int_ids.arena = arena;
    module->string_ids.arena = module->external_ids.arena = arena;
    return module;
}

IrMem ir_add_memory(IrModule *module, const char *name, IrType type, uint32_t n)
{
    assert(n <= IR_LARGEST_ARRAY);
    vec_push(module->arena, &module->memories,
             ((IrMemory){ arena_copy(module->arena, str_of(name)), (uint8_t)type, n }));
    return module->memories.n - 1;
}

uint32_t ir_add_table(IrModule *module, const char *name, const double *values, uint32_t n)
{
    assert(n <= IR_LARGEST_ARRAY);
    double *copy = NEW_ARRAY(module->arena, double, n);
    if (n) memcpy(copy, values, n * sizeof *copy);
    vec_push(module->arena, &module->tables, ((IrTable){ arena_copy(module->arena, str_of(name)), copy, n }));
    return module->tables.n - 1;
}

/* The index under which a text is known; a new one is made as `next`. Texts whose hash collides are
 * told apart by probing with the next key. */
static uint64_t *text_slot(Map *map, const char *const *texts, size_t stride, const char *text, bool *is_new)
{
    for (uint64_t key = name_hash(str_of(text));; key += UINT64_C(1) << 32) {
        uint64_t *slot = map_put(map, key, is_new);
        const char *known = *is_new ? NULL : *(const char *const *)((const char *)texts + *slot * stride);
        if (*is_new || !strcmp(known, text)) return slot;
    }
}

IrExt ir_add_external(IrModule *module, const IrExternal *external)
{
    bool is_new;
    uint64_t *slot =
        text_slot(&module->external_ids, module->externals.n ? &module->externals.at[0].name : NULL,
                  sizeof(IrExternal), external->name, &is_new);
    if (!is_new) return (IrExt)*slot;
    *slot = module->externals.n;
    IrExternal copy = *external;
    copy.name = arena_copy(module->arena, str_of(external->name));
    if (copy.symbol) copy.symbol = arena_copy(module->arena, str_of(external->symbol));
    copy.params = NEW_ARRAY(module->arena, IrExtParam, external->param_count);
    if (copy.param_count) memcpy(copy.params, external->params, copy.param_count * sizeof *copy.params);
    vec_push(module->arena, &module->externals, copy);
    return module->externals.n - 1;
}

const char *ir_symbol(const IrExternal *external)
{
    return external->symbol ? external->symbol : external->name;
}

/* The functions of rt/ that code may call; the last letter of `cells` is the output, '-' for
 * none. */
static const struct {
    const char *name, *cells;
    RtEntry entry;
} builtins[] = {
    { "string_concat", "sss", rt_string_concat },
    { "string_compare", "ssi", rt_string_compare },
    { "string_length", "si", rt_string_length },
    { "string_part", "siis", rt_string_part },
    { "string_keep", "ss", rt_string_keep },
    { "string_of_real", "riiis", rt_string_of_real },
    { "string_of_int", "iiis", rt_string_of_int },
    { "string_of_bool", "iiis", rt_string_of_bool },
    { "string_format_real", "rss", rt_string_format_real },
    { "string_format_int", "iss", rt_string_format_int },
    { "warning", "si-", rt_warning },
    { "history_value", "irr", rt_history_value },
    { "history_slope", "irr", rt_history_slope },
    { "string_id", "sr", rt_string_id },
    { "string_at", "rs", rt_string_at },
    { "object_id", "pr", rt_object_id },
    { "object_at", "rp", rt_object_at },
};

static uint8_t type_of_letter(char letter)
{
    return letter == 'r' ? IR_REAL : letter == 'i' ? IR_INT : letter == 's' ? IR_STR : IR_PTR;
}

bool ir_is_builtin(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(builtins); i++)
        if (!strcmp(builtins[i].name, name)) return true;
    return false;
}

IrExt ir_builtin(IrModule *module, const char *name)
{
    assert(ir_is_builtin(name));
    for (size_t i = 0; i < COUNT_OF(builtins); i++) {
        if (strcmp(builtins[i].name, name) != 0) continue;
        IrExtParam params[8];
        uint32_t n = 0;
        for (const char *at = builtins[i].cells; *at && *at != '-'; at++)
            params[n++] = (IrExtParam){ type_of_letter(*at), IR_BY_VALUE, false, at[1] == '\0' };
        char symbol[64] = "rt_";
        strncat(symbol, name, sizeof symbol - 4);
        return ir_add_external(
            module,
            &(IrExternal){ .name = symbol, .params = params, .param_count = n, .entry = builtins[i].entry });
    }
    return IR_NONE;
}

IrBuilder ir_begin(IrModule *module, const char *name)
{
    IrFunction *f = NEW(module->arena, IrFunction);
    f->name = arena_copy(module->arena, str_of(name));
    vec_push(module->arena, &module->functions, f);
    return (IrBuilder){ module, f, module->functions.n - 1, 0 };
}

static const char *copy_name(IrBuilder *b, const char *name)
{
    return name && *name ? arena_copy(b->module->arena, str_of(name)) : NULL;
}

static IrReg new_reg(IrBuilder *b, IrType type, bool is_variable, uint32_t def, const char *name)
{
    vec_push(b->module->arena, &b->f->regs,
             ((IrRegInfo){ (uint8_t)type, is_variable, def, copy_name(b, name) }));
    return b->f->regs.n - 1;
}

static IrArr new_array(IrBuilder *b, IrType type, IrPlace place, uint32_t n, uint32_t index, bool is_constant,
                       const char *name)
{
    assert(n <= IR_LARGEST_ARRAY);
    vec_push(b->module->arena, &b->f->arrays,
             ((IrArrayInfo){ (uint8_t)type, (uint8_t)place, is_constant, n, index, copy_name(b, name) }));
    return b->f->arrays.n - 1;
}

static uint32_t new_param(IrBuilder *b, bool is_array, bool is_input, uint32_t id)
{
    assert(b->f->code.n == 0 && (!is_input || b->f->params.n == b->f->input_count));
    vec_push(b->module->arena, &b->f->params, ((IrParam){ is_array, id, b->f->cell_count }));
    b->f->cell_count += is_array ? 2 : 1;
    b->f->input_count += is_input;
    return id;
}

IrReg ir_in(IrBuilder *b, IrType type, const char *name)
{
    return new_param(b, false, true, new_reg(b, type, false, IR_NONE, name));
}
IrArr ir_in_array(IrBuilder *b, IrType type, const char *name)
{
    return new_param(b, true, true, new_array(b, type, IR_PARAM, 0, 0, true, name));
}
IrReg ir_out(IrBuilder *b, IrType type, const char *name)
{
    return new_param(b, false, false, new_reg(b, type, true, IR_NONE, name));
}
IrArr ir_out_array(IrBuilder *b, IrType type, const char *name)
{
    return new_param(b, true, false, new_array(b, type, IR_PARAM, 0, 0, false, name));
}
IrArr ir_out_array_dynamic(IrBuilder *b, IrType type, const char *name)
{
    return new_param(b, true, false, new_array(b, type, IR_DYNAMIC, 0, 0, false, name));
}

IrReg ir_variable(IrBuilder *b, IrType type, const char *name)
{
    return new_reg(b, type, true, IR_NONE, name);
}
IrArr ir_array(IrBuilder *b, IrType type, uint32_t n, const char *name)
{
    return new_array(b, type, IR_FRAME, n, 0, false, name);
}
IrArr ir_array_dynamic(IrBuilder *b, IrType type, const char *name)
{
    return new_array(b, type, IR_DYNAMIC, 0, 0, false, name);
}
IrArr ir_array_view(IrBuilder *b, IrType type, const char *name, bool is_constant)
{
    return new_array(b, type, IR_VIEW_OF, 0, 0, is_constant, name);
}

/* A memory or table has one array in a function, so that equal elements are seen to be equal. */
static IrArr shared_array(IrBuilder *b, IrType type, IrPlace place, uint32_t n, uint32_t index,
                          const char *name)
{
    for (IrArr a = 0; a < b->f->arrays.n; a++)
        if (b->f->arrays.at[a].place == place && b->f->arrays.at[a].index == index) return a;
    return new_array(b, type, place, n, index, place == IR_TABLE, name);
}

IrArr ir_array_memory(IrBuilder *b, IrMem memory)
{
    const IrMemory *m = &b->module->memories.at[memory];
    return shared_array(b, (IrType)m->type, IR_MEMORY, m->n, memory, m->name);
}

IrArr ir_array_table(IrBuilder *b, uint32_t table)
{
    const IrTable *t = &b->module->tables.at[table];
    return shared_array(b, IR_REAL, IR_TABLE, t->n, table, t->name);
}

static uint32_t add(IrBuilder *b, IrInsn insn)
{
    vec_push(b->module->arena, &b->f->code, insn);
    vec_push(b->module->arena, &b->f->sources, b->source);
    return b->f->code.n - 1;
}

/* Adds an instruction with a result and returns the temporary that holds it. */
static IrReg value(IrBuilder *b, IrType type, IrInsn insn)
{
    insn.dst = new_reg(b, type, false, b->f->code.n, NULL);
    add(b, insn);
    return insn.dst;
}

void ir_append(IrBuilder *b, IrInsn insn)
{
    if (insn.op == IR_IF || insn.op == IR_LOOP || insn.op == IR_FOR) b->f->open++;
    if (insn.op == IR_END) b->f->open--;
    add(b, insn);
}

IrReg ir_append_value(IrBuilder *b, IrType type, IrInsn insn)
{
    if (insn.op == IR_FOR) b->f->open++;
    return value(b, type, insn);
}

static IrInsn make(IrOp op, uint32_t a, uint32_t b, uint32_t c, int32_t imm)
{
    return (IrInsn){ (uint8_t)op, 0, 0, IR_NONE, a, b, c, imm };
}

IrReg ir_real(IrBuilder *b, double x)
{
    uint64_t bits;
    bool is_new;
    memcpy(&bits, &x, sizeof bits);
    uint64_t *slot = map_put(&b->module->real_ids, bits, &is_new);
    if (is_new) {
        *slot = b->module->reals.n;
        vec_push(b->module->arena, &b->module->reals, x);
    }
    return value(b, IR_REAL, make(IR_KREAL, (uint32_t)*slot, IR_NONE, IR_NONE, 0));
}

IrReg ir_int(IrBuilder *b, int64_t x)
{
    bool is_new;
    uint64_t *slot = map_put(&b->module->int_ids, (uint64_t)x, &is_new);
    if (is_new) {
        *slot = b->module->ints.n;
        vec_push(b->module->arena, &b->module->ints, x);
    }
    return value(b, IR_INT, make(IR_KINT, (uint32_t)*slot, IR_NONE, IR_NONE, 0));
}

IrReg ir_str(IrBuilder *b, const char *text)
{
    bool is_new;
    IrModule *module = b->module;
    uint64_t *slot = text_slot(&module->string_ids, module->strings.at, sizeof(char *), text, &is_new);
    if (is_new) {
        *slot = module->strings.n;
        vec_push(module->arena, &module->strings, arena_copy(module->arena, str_of(text)));
    }
    return value(b, IR_STR, make(IR_KSTR, (uint32_t)*slot, IR_NONE, IR_NONE, 0));
}

static const IrInsn *definition(const IrBuilder *b, IrReg r)
{
    const IrRegInfo *info = &b->f->regs.at[r];
    return info->is_variable || info->def == IR_NONE ? NULL : &b->f->code.at[info->def];
}

bool ir_is_real(const IrBuilder *b, IrReg r, double *x)
{
    const IrInsn *def = definition(b, r);
    if (!def || def->op != IR_KREAL) return false;
    *x = b->module->reals.at[def->a];
    return true;
}

bool ir_is_int(const IrBuilder *b, IrReg r, int64_t *x)
{
    const IrInsn *def = definition(b, r);
    if (!def || def->op != IR_KINT) return false;
    *x = b->module->ints.at[def->a];
    return true;
}

static bool fold_real_one(IrOp op, double x, double *y)
{
    switch (op) {
    case IR_NEG: *y = -x; return true;
    case IR_ABS: *y = fabs(x); return true;
    case IR_SQRT: *y = sqrt(x); return x >= 0;
    case IR_FLOOR: *y = floor(x); return true;
    case IR_CEIL: *y = ceil(x); return true;
    case IR_TRUNC: *y = trunc(x); return true;
    default: return false;
    }
}

static bool fold_real_two(IrOp op, double x, double y, double *z)
{
    switch (op) {
    case IR_ADD: *z = x + y; break;
    case IR_SUB: *z = x - y; break;
    case IR_MUL: *z = x * y; break;
    case IR_DIV: *z = x / y; break;
    case IR_MIN: *z = x < y ? x : y; break;
    case IR_MAX: *z = x > y ? x : y; break;
    default: return false;
    }
    return *z == *z; /* NaN is left to the run, which can say where it came from */
}

/* The Integer result of an operation on constants; false where it fails at run time. */
static bool fold_int_two(IrOp op, int64_t x, int64_t y, int64_t *z)
{
    switch (op) {
    case IR_IADD: return !rt_add(x, y, z);
    case IR_ISUB: return !rt_sub(x, y, z);
    case IR_IMUL: return !rt_mul(x, y, z);
    case IR_IDIV: return rt_divisible(x, y) == RT_OK && (*z = x / y, true);
    case IR_IREM: return rt_divisible(x, y) == RT_OK && (*z = x % y, true);
    case IR_IMOD: return rt_divisible(x, y) == RT_OK && (*z = rt_mod(x, y), true);
    case IR_IMIN: *z = x < y ? x : y; return true;
    case IR_IMAX: *z = x > y ? x : y; return true;
    case IR_ILT: *z = x < y; return true;
    case IR_ILE: *z = x <= y; return true;
    case IR_IEQ: *z = x == y; return true;
    case IR_INE: *z = x != y; return true;
    case IR_AND: *z = x & y; return true;
    case IR_OR: *z = x | y; return true;
    default: return false;
    }
}

static IrType result_type(IrOp op) { return ir_ops[op].fields[0] == 'r' ? IR_REAL : IR_INT; }

IrReg ir_one(IrBuilder *b, IrOp op, IrReg x)
{
    double real, folded;
    int64_t word;
    if (ir_is_real(b, x, &real)) {
        if (fold_real_one(op, real, &folded)) return ir_real(b, folded);
        if (op == IR_TO_INT && rt_has_integer(real)) return ir_int(b, (int64_t)real);
    } else if (ir_is_int(b, x, &word)) {
        if (op == IR_TO_REAL) return ir_real(b, (double)word);
        if (op == IR_NOT) return ir_int(b, word == 0);
        if (op == IR_INEG && word != INT64_MIN) return ir_int(b, -word);
        if (op == IR_IABS && word != INT64_MIN) return ir_int(b, word < 0 ? -word : word);
    }
    return value(b, result_type(op), make(op, x, IR_NONE, IR_NONE, 0));
}

/* Operations with a neutral second operand, whatever the first one is: x*1, x/1, x-0 are x, bit for
 * bit. */
static bool is_neutral(IrOp op, double y)
{
    return ((op == IR_MUL || op == IR_DIV) && y == 1.0) || (op == IR_SUB && y == 0.0 && !signbit(y));
}

IrReg ir_two(IrBuilder *b, IrOp op, IrReg x, IrReg y)
{
    double xr, yr, zr;
    int64_t xi, yi, zi;
    bool x_is_real = ir_is_real(b, x, &xr), y_is_real = ir_is_real(b, y, &yr);
    if (x_is_real && y_is_real && fold_real_two(op, xr, yr, &zr)) return ir_real(b, zr);
    if (y_is_real && is_neutral(op, yr) && !b->f->regs.at[x].is_variable) return x;
    if (x_is_real && op == IR_MUL && xr == 1.0 && !b->f->regs.at[y].is_variable) return y;
    if (ir_is_int(b, x, &xi) && ir_is_int(b, y, &yi) && fold_int_two(op, xi, yi, &zi)) return ir_int(b, zi);
    return value(b, result_type(op), make(op, x, y, IR_NONE, 0));
}

IrReg ir_select(IrBuilder *b, IrReg condition, IrReg yes, IrReg no)
{
    int64_t known;
    if (ir_is_int(b, condition, &known) && !b->f->regs.at[known ? yes : no].is_variable)
        return known ? yes : no;
    return value(b, (IrType)b->f->regs.at[yes].type, make(IR_SELECT, condition, yes, no, 0));
}

IrReg ir_math(IrBuilder *b, IrMath function, IrReg x, IrReg y)
{
    return value(b, IR_REAL, make(y == IR_NONE ? IR_MATH1 : IR_MATH2, x, y, IR_NONE, (int32_t)function));
}

IrReg ir_power(IrBuilder *b, IrReg x, int32_t n)
{
    if (n == 0) return ir_real(b, 1.0);
    uint32_t left = n < 0 ? 0u - (uint32_t)n : (uint32_t)n;
    IrReg square = x, product = IR_NONE;
    for (;;) {
        if (left & 1) product = product == IR_NONE ? square : ir_two(b, IR_MUL, product, square);
        left >>= 1;
        if (!left) break;
        square = ir_two(b, IR_MUL, square, square);
    }
    return n < 0 ? ir_two(b, IR_DIV, ir_real(b, 1.0), product) : product;
}

IrReg ir_pow(IrBuilder *b, IrReg x, IrReg y)
{
    enum { LARGEST_PRODUCT = 64 };
    double exponent;
    if (ir_is_real(b, y, &exponent)) {
        if (exponent == 0.5) return ir_one(b, IR_SQRT, x);
        if (fabs(exponent) <= LARGEST_PRODUCT && exponent == floor(exponent))
            return ir_power(b, x, (int32_t)exponent);
    }
    return ir_math(b, IR_MATH_POW, x, y);
}

IrReg ir_real_div(IrBuilder *b, IrReg x, IrReg y) { return ir_one(b, IR_TRUNC, ir_two(b, IR_DIV, x, y)); }

IrReg ir_real_mod(IrBuilder *b, IrReg x, IrReg y)
{
    IrReg whole = ir_one(b, IR_FLOOR, ir_two(b, IR_DIV, x, y));
    return ir_two(b, IR_SUB, x, ir_two(b, IR_MUL, whole, y));
}

IrReg ir_real_rem(IrBuilder *b, IrReg x, IrReg y)
{
    return ir_two(b, IR_SUB, x, ir_two(b, IR_MUL, ir_real_div(b, x, y), y));
}

IrReg ir_integer(IrBuilder *b, IrReg x) { return ir_one(b, IR_TO_INT, ir_one(b, IR_FLOOR, x)); }

IrReg ir_sign(IrBuilder *b, IrReg x)
{
    bool is_real = b->f->regs.at[x].type == IR_REAL;
    IrOp less = is_real ? IR_LT : IR_ILT;
    IrReg zero = is_real ? ir_real(b, 0.0) : ir_int(b, 0);
    return ir_two(b, IR_ISUB, ir_two(b, less, zero, x), ir_two(b, less, x, zero));
}

void ir_set(IrBuilder *b, IrReg variable, IrReg x)
{
    IrInsn move = make(IR_MOVE, x, IR_NONE, IR_NONE, 0);
    move.dst = variable;
    add(b, move);
}

/* A constant index becomes part of the offset, but for one that is out of range: that is for the
 * run to report. */
static void fold_index(const IrBuilder *b, IrArr array, IrReg *index, int32_t *offset)
{
    const IrArrayInfo *info = &b->f->arrays.at[array];
    bool is_known = info->place == IR_FRAME || info->place == IR_MEMORY || info->place == IR_TABLE;
    int64_t limit = is_known ? info->n : IR_LARGEST_ARRAY, known;
    if (*index == IR_NONE || !ir_is_int(b, *index, &known)) return;
    if (known > IR_LARGEST_ARRAY || known < -IR_LARGEST_ARRAY) return;
    if (known + *offset < 0 || known + *offset >= limit) return;
    *offset += (int32_t)known;
    *index = IR_NONE;
}

IrReg ir_load(IrBuilder *b, IrArr array, IrReg index, int32_t offset)
{
    fold_index(b, array, &index, &offset);
    return value(b, (IrType)b->f->arrays.at[array].type, make(IR_LOAD, array, index, IR_NONE, offset));
}

void ir_store(IrBuilder *b, IrArr array, IrReg index, int32_t offset, IrReg x)
{
    fold_index(b, array, &index, &offset);
    add(b, make(IR_STORE, array, index, x, offset));
}

IrReg ir_length(IrBuilder *b, IrArr array)
{
    const IrArrayInfo *info = &b->f->arrays.at[array];
    if (info->place == IR_FRAME || info->place == IR_MEMORY || info->place == IR_TABLE)
        return ir_int(b, info->n);
    return value(b, IR_INT, make(IR_LENGTH, array, IR_NONE, IR_NONE, 0));
}

void ir_new(IrBuilder *b, IrArr array, IrReg n) { add(b, make(IR_NEW, array, n, IR_NONE, 0)); }

void ir_view(IrBuilder *b, IrArr view, IrArr of, IrReg offset, IrReg n)
{
    IrInsn insn = make(IR_VIEW, view, of, offset, 0);
    insn.dst = n;
    add(b, insn);
}

void ir_fill(IrBuilder *b, IrArr array, IrReg x) { add(b, make(IR_FILL, array, IR_NONE, x, 0)); }
void ir_copy(IrBuilder *b, IrArr to, IrArr from) { add(b, make(IR_COPY, to, from, IR_NONE, 0)); }

static void flow(IrBuilder *b, IrOp op, IrReg condition) { add(b, make(op, condition, IR_NONE, IR_NONE, 0)); }

void ir_if(IrBuilder *b, IrReg condition)
{
    flow(b, IR_IF, condition);
    b->f->open++;
}
void ir_else(IrBuilder *b) { flow(b, IR_ELSE, IR_NONE); }
void ir_loop(IrBuilder *b)
{
    flow(b, IR_LOOP, IR_NONE);
    b->f->open++;
}
IrReg ir_for(IrBuilder *b, IrReg from, IrReg to, int32_t step)
{
    assert(step != 0);
    /* The bound of a loop is what it was on entry, whatever the body assigns. */
    if (b->f->regs.at[to].is_variable) to = value(b, IR_INT, make(IR_IMAX, to, to, IR_NONE, 0));
    b->f->open++;
    return value(b, IR_INT, make(IR_FOR, from, to, IR_NONE, step));
}
void ir_end(IrBuilder *b)
{
    flow(b, IR_END, IR_NONE);
    b->f->open--;
}
void ir_break(IrBuilder *b) { flow(b, IR_BREAK, IR_NONE); }
void ir_break_unless(IrBuilder *b, IrReg condition) { flow(b, IR_BREAK_UNLESS, condition); }
void ir_return(IrBuilder *b) { flow(b, IR_RETURN, IR_NONE); }

static void call(IrBuilder *b, IrOp op, uint32_t callee, uint32_t *operands, uint32_t n)
{
    IrInsn insn = make(op, callee, b->f->operands.n, IR_NONE, 0);
    assert(n <= UINT16_MAX);
    insn.count = (uint16_t)n;
    for (uint32_t k = 0; k < n; k++) {
        IrOperand want = ir_operand(b->module, &insn, k);
        if (operands[k] == IR_NONE && want.is_output && !want.is_array)
            operands[k] = new_reg(b, (IrType)want.type, false, b->f->code.n, NULL);
        vec_push(b->module->arena, &b->f->operands, operands[k]);
    }
    add(b, insn);
}

void ir_call(IrBuilder *b, IrFun f, uint32_t *operands, uint32_t n) { call(b, IR_CALL, f, operands, n); }
void ir_extern(IrBuilder *b, IrExt e, uint32_t *operands, uint32_t n) { call(b, IR_EXTERN, e, operands, n); }

IrReg ir_builtin_call(IrBuilder *b, const char *name, const IrReg *inputs, uint32_t n)
{
    uint32_t operands[8];
    assert(n < COUNT_OF(operands));
    for (uint32_t k = 0; k < n; k++) operands[k] = inputs[k];
    operands[n] = IR_NONE;
    IrExt e = ir_builtin(b->module, name);
    ir_extern(b, e, operands, b->module->externals.at[e].param_count);
    return operands[n];
}

void ir_assert(IrBuilder *b, IrReg condition, IrReg message)
{
    add(b, make(IR_ASSERT, condition, message, IR_NONE, 0));
}
void ir_check_index(IrBuilder *b, IrReg index, IrReg bound)
{
    add(b, make(IR_CHECK_INDEX, index, bound, IR_NONE, 0));
}
void ir_check_size(IrBuilder *b, IrReg n, IrReg want) { add(b, make(IR_CHECK_SIZE, n, want, IR_NONE, 0)); }
void ir_check_finite(IrBuilder *b, IrReg x) { add(b, make(IR_CHECK_FINITE, x, IR_NONE, IR_NONE, 0)); }
