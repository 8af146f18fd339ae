/* expression.c: expressions inside of functions as instructions: operators, arrays, built-in
 * functions, comprehensions.
 *
 * Arrays are computed element by element into new arrays; sizes that are known are folded, small
 * arrays of known size are written out instead of looped over. Nothing here makes events. Recursion
 * is as deep as expressions are nested. Tests: tests/api/language_test.c. */
#include "gen/function.h"
#include "gen/inside.h"

enum { UNROLLED = 6 };

static IrReg integer(Fun *x, int64_t i) { return ir_int(&x->b, i); }

IrReg fun_scalar(Fun *x, FunValue v, IrType type)
{
    if (v.rank || v.base == BASE_RECORD || v.base == BASE_FUNCTION) {
        fun_fail(x, "an array or a record where a scalar is needed");
        return type == IR_REAL ? ir_real(&x->b, 0) : type == IR_STR ? ir_str(&x->b, "") : integer(x, 0);
    }
    IrType own = (IrType)x->b.f->regs.at[v.reg].type;
    if (own == type) return v.reg;
    if (own == IR_INT && type == IR_REAL) return ir_one(&x->b, IR_TO_REAL, v.reg);
    if (own == IR_REAL && type == IR_INT) return ir_one(&x->b, IR_TO_INT, v.reg);
    fun_fail(x, "a value of another type");
    return type == IR_STR ? ir_str(&x->b, "") : type == IR_REAL ? ir_real(&x->b, 0) : integer(x, 0);
}

IrReg fun_index(Fun *x, ExprId e) { return fun_scalar(x, fun_eval(x, e), IR_INT); }

static uint8_t base_of(const Fun *x, const FlatExpr *e) { return (uint8_t)x->flat->types.at[e->type].base; }

/* ---- loops over the elements of an array ----------------------------------------------------- */

typedef struct {
    Fun *x;
    IrReg i;      /* the element: i + k */
    int32_t k, n; /* written out: k of n */
    bool is_loop;
} Each;

static Each each_begin(Fun *x, IrReg count)
{
    int64_t n;
    Each e = { .x = x, .i = IR_NONE };
    if (ir_is_int(&x->b, count, &n) && n <= UNROLLED) {
        e.n = (int32_t)n;
        return e;
    }
    e.is_loop = true;
    e.n = 1;
    e.i = ir_for(&x->b, integer(x, 0), fun_plus(x, count, -1), 1);
    return e;
}

static bool each_more(const Each *e) { return e->k < e->n; }

static void each_next(Each *e)
{
    e->k++;
    if (e->is_loop) ir_end(&e->x->b);
}

static IrReg each_load(const Each *e, const FunValue *v)
{
    return fun_load(e->x, v, e->i, e->is_loop ? 0 : e->k);
}

static void each_store(const Each *e, const FunValue *v, IrReg value)
{
    fun_store(e->x, v, e->i, e->is_loop ? 0 : e->k, value);
}

/* ---- operators on scalars -------------------------------------------------------------------- */

static IrReg compare(Fun *x, Oper op, IrReg a, IrReg c, IrType type)
{
    IrBuilder *b = &x->b;
    if (type == IR_STR) {
        IrReg texts[] = { a, c };
        a = ir_builtin_call(b, "string_compare", texts, 2);
        c = integer(x, 0);
        type = IR_INT;
    }
    bool real = type == IR_REAL;
    switch (op) {
    case O_LESS: return ir_two(b, real ? IR_LT : IR_ILT, a, c);
    case O_LESS_EQUAL: return ir_two(b, real ? IR_LE : IR_ILE, a, c);
    case O_GREATER: return ir_two(b, real ? IR_LT : IR_ILT, c, a);
    case O_GREATER_EQUAL: return ir_two(b, real ? IR_LE : IR_ILE, c, a);
    case O_EQUAL: return ir_two(b, real ? IR_EQ : IR_IEQ, a, c);
    default: return ir_two(b, real ? IR_NE : IR_INE, a, c);
    }
}

static IrReg arithmetic(Fun *x, Oper op, IrReg a, IrReg c, IrType type)
{
    static const uint8_t real[] = { [O_ADD] = IR_ADD,
                                    [O_SUBTRACT] = IR_SUB,
                                    [O_MULTIPLY] = IR_MUL,
                                    [O_DIVIDE] = IR_DIV,
                                    [O_PRODUCT] = IR_MUL };
    static const uint8_t whole[] = {
        [O_ADD] = IR_IADD, [O_SUBTRACT] = IR_ISUB, [O_MULTIPLY] = IR_IMUL, [O_PRODUCT] = IR_IMUL
    };
    if (op == O_POWER) return ir_pow(&x->b, a, c);
    if (type == IR_REAL) return ir_two(&x->b, (IrOp)real[op], a, c);
    if (type == IR_INT && op != O_DIVIDE) return ir_two(&x->b, (IrOp)whole[op], a, c);
    IrReg texts[] = { a, c };
    return ir_builtin_call(&x->b, "string_concat", texts, 2);
}

static IrReg two_scalars(Fun *x, Oper op, FunValue a, FunValue c, uint8_t base)
{
    if (op == O_AND || op == O_OR)
        return ir_two(&x->b, op == O_AND ? IR_AND : IR_OR, fun_scalar(x, a, IR_INT),
                      fun_scalar(x, c, IR_INT));
    IrType left = (IrType)x->b.f->regs.at[a.reg].type, right = (IrType)x->b.f->regs.at[c.reg].type;
    if (op >= O_LESS) {
        IrType type = left == IR_REAL || right == IR_REAL ? IR_REAL : left;
        return compare(x, op, fun_scalar(x, a, type), fun_scalar(x, c, type), type);
    }
    IrType type = op == O_POWER || op == O_DIVIDE ? IR_REAL : fun_type(base);
    return arithmetic(x, op, fun_scalar(x, a, type), fun_scalar(x, c, type), type);
}

static FunValue product(Fun *x, FunValue a, FunValue c, uint8_t base)
{
    IrType type = fun_type(base);
    IrBuilder *b = &x->b;
    IrReg one = integer(x, 1), zero = type == IR_REAL ? ir_real(b, 0) : integer(x, 0);
    IrReg rows = a.rank == 2 ? a.size[0] : one, inner = a.size[a.rank - 1];
    IrReg columns = c.rank == 2 ? c.size[1] : one;
    ir_check_size(b, c.size[0], inner);
    IrReg sizes[2];
    uint32_t rank = 0;
    if (a.rank == 2) sizes[rank++] = rows;
    if (c.rank == 2) sizes[rank++] = columns;
    FunValue made = rank ? fun_new_array(x, base, rank, sizes) : fun_of_reg(base, IR_NONE);
    IrReg sum = ir_variable(b, type, NULL);
    IrReg i = a.rank == 2 ? ir_for(b, integer(x, 0), fun_plus(x, rows, -1), 1) : integer(x, 0);
    IrReg j = c.rank == 2 ? ir_for(b, integer(x, 0), fun_plus(x, columns, -1), 1) : integer(x, 0);
    ir_set(b, sum, zero);
    IrReg k = ir_for(b, integer(x, 0), fun_plus(x, inner, -1), 1);
    IrReg left = ir_two(b, IR_IADD, fun_times(x, i, inner), k);
    IrReg right = c.rank == 2 ? ir_two(b, IR_IADD, fun_times(x, k, columns), j) : k;
    FunValue p = fun_of_reg(a.base, fun_load(x, &a, left, 0)),
             q = fun_of_reg(c.base, fun_load(x, &c, right, 0));
    ir_set(b, sum,
           arithmetic(x, O_ADD, sum,
                      arithmetic(x, O_MULTIPLY, fun_scalar(x, p, type), fun_scalar(x, q, type), type), type));
    ir_end(b);
    if (rank)
        fun_store(
            x, &made,
            ir_two(b, IR_IADD, fun_times(x, i, rank == 2 ? columns : one), c.rank == 2 ? j : integer(x, 0)),
            0, sum);
    if (c.rank == 2) ir_end(b);
    if (a.rank == 2) ir_end(b);
    if (!rank) made.reg = sum;
    return made;
}

static void check_same(Fun *x, const FunValue *a, const FunValue *c)
{
    for (uint32_t k = 0; k < a->rank && k < c->rank; k++) ir_check_size(&x->b, c->size[k], a->size[k]);
}

static FunValue binary(Fun *x, const FlatExpr *e, FunValue a, FunValue c)
{
    uint8_t base = base_of(x, e);
    if (e->op == O_PRODUCT && a.rank && c.rank) return product(x, a, c, base);
    if (!a.rank && !c.rank) return fun_of_reg(base, two_scalars(x, (Oper)e->op, a, c, base));
    const FunValue *shape = a.rank ? &a : &c;
    if (a.rank && c.rank) check_same(x, &a, &c);
    FunValue made = fun_new_array(x, base, shape->rank, shape->size);
    for (Each i = each_begin(x, fun_count(x, shape)); each_more(&i); each_next(&i)) {
        FunValue p = fun_of_reg(a.base, each_load(&i, &a)), q = fun_of_reg(c.base, each_load(&i, &c));
        each_store(&i, &made,
                   fun_scalar(x, fun_of_reg(base, two_scalars(x, (Oper)e->op, p, q, base)), fun_type(base)));
    }
    return made;
}

static IrReg one_scalar(Fun *x, Oper op, IrReg a)
{
    if (op == O_NOT) return ir_one(&x->b, IR_NOT, a);
    return ir_one(&x->b, x->b.f->regs.at[a].type == IR_REAL ? IR_NEG : IR_INEG, a);
}

static FunValue unary(Fun *x, const FlatExpr *e, FunValue a)
{
    if (!a.rank) return fun_of_reg(a.base, one_scalar(x, (Oper)e->op, a.reg));
    FunValue made = fun_new_array(x, a.base, a.rank, a.size);
    for (Each i = each_begin(x, fun_count(x, &a)); each_more(&i); each_next(&i))
        each_store(&i, &made, one_scalar(x, (Oper)e->op, each_load(&i, &a)));
    return made;
}

/* ---- built-in functions of scalars ----------------------------------------------------------- */

static const struct {
    uint8_t builtin, math;
} maths[] = {
    { BUILTIN_SIN, IR_MATH_SIN },     { BUILTIN_COS, IR_MATH_COS },   { BUILTIN_TAN, IR_MATH_TAN },
    { BUILTIN_ASIN, IR_MATH_ASIN },   { BUILTIN_ACOS, IR_MATH_ACOS }, { BUILTIN_ATAN, IR_MATH_ATAN },
    { BUILTIN_SINH, IR_MATH_SINH },   { BUILTIN_COSH, IR_MATH_COSH }, { BUILTIN_TANH, IR_MATH_TANH },
    { BUILTIN_EXP, IR_MATH_EXP },     { BUILTIN_LOG, IR_MATH_LOG },   { BUILTIN_LOG10, IR_MATH_LOG10 },
    { BUILTIN_ATAN2, IR_MATH_ATAN2 },
};

static IrReg divided(Fun *x, Builtin op, FunValue a, FunValue c, uint8_t base)
{
    IrType type = fun_type(base);
    IrReg p = fun_scalar(x, a, type), q = fun_scalar(x, c, type);
    if (type == IR_INT)
        return ir_two(&x->b, op == BUILTIN_DIV ? IR_IDIV : op == BUILTIN_MOD ? IR_IMOD : IR_IREM, p, q);
    return op == BUILTIN_DIV   ? ir_real_div(&x->b, p, q)
           : op == BUILTIN_MOD ? ir_real_mod(&x->b, p, q)
                               : ir_real_rem(&x->b, p, q);
}

/* One that works on scalars; IR_NONE if this is not such a function. */
static IrReg scalar_function(Fun *x, const FlatExpr *e, const FunValue *a)
{
    IrBuilder *b = &x->b;
    uint8_t base = base_of(x, e);
    IrType type = fun_type(base);
    for (size_t i = 0; i < COUNT_OF(maths); i++)
        if (maths[i].builtin == e->op)
            return ir_math(b, (IrMath)maths[i].math, fun_scalar(x, a[0], IR_REAL),
                           e->op == BUILTIN_ATAN2 ? fun_scalar(x, a[1], IR_REAL) : IR_NONE);
    switch ((Builtin)e->op) {
    case BUILTIN_ABS: return ir_one(b, type == IR_REAL ? IR_ABS : IR_IABS, fun_scalar(x, a[0], type));
    case BUILTIN_SIGN: return ir_sign(b, a[0].reg);
    case BUILTIN_SQRT: return ir_one(b, IR_SQRT, fun_scalar(x, a[0], IR_REAL));
    case BUILTIN_FLOOR: return ir_one(b, IR_FLOOR, fun_scalar(x, a[0], IR_REAL));
    case BUILTIN_CEIL: return ir_one(b, IR_CEIL, fun_scalar(x, a[0], IR_REAL));
    case BUILTIN_INTEGER: return ir_integer(b, fun_scalar(x, a[0], IR_REAL));
    case BUILTIN_DIV:
    case BUILTIN_MOD:
    case BUILTIN_REM: return divided(x, (Builtin)e->op, a[0], a[1], base);
    case BUILTIN_MIN:
    case BUILTIN_MAX:
        if (e->n != 2) return IR_NONE;
        return ir_two(b,
                      type == IR_REAL ? (e->op == BUILTIN_MIN ? IR_MIN : IR_MAX)
                                      : (e->op == BUILTIN_MIN ? IR_IMIN : IR_IMAX),
                      fun_scalar(x, a[0], type), fun_scalar(x, a[1], type));
    case BUILTIN_TO_REAL: return fun_scalar(x, a[0], IR_REAL);
    case BUILTIN_TO_INTEGER: return fun_scalar(x, a[0], IR_INT);
    case BUILTIN_NO_EVENT:
    case BUILTIN_HOMOTOPY:
    case BUILTIN_PRE: return a[0].rank || a[0].base == BASE_RECORD ? IR_NONE : a[0].reg;
    case BUILTIN_SMOOTH: return a[1].rank || a[1].base == BASE_RECORD ? IR_NONE : a[1].reg;
    case BUILTIN_INITIAL:
    case BUILTIN_TERMINAL: return integer(x, 0);
    case BUILTIN_SEMI_LINEAR: {
        IrReg flow = fun_scalar(x, a[0], IR_REAL);
        IrReg k = ir_select(b, ir_two(b, IR_LE, ir_real(b, 0), flow), fun_scalar(x, a[1], IR_REAL),
                            fun_scalar(x, a[2], IR_REAL));
        return ir_two(b, IR_MUL, k, flow);
    }
    default: return IR_NONE;
    }
}

/* ---- texts ----------------------------------------------------------------------------------- */

static FunValue string_of(Fun *x, const FlatExpr *e, const FunValue *a)
{
    IrBuilder *b = &x->b;
    IrReg in[4];
    uint8_t base = a[0].base;
    bool has_format = e->n == 2 && a[1].base == BASE_STRING;
    if (base == BASE_STRING) return a[0];
    in[0] = a[0].reg;
    if (has_format) {
        in[1] = a[1].reg;
        return fun_of_reg(
            BASE_STRING,
            ir_builtin_call(b, base == BASE_REAL ? "string_format_real" : "string_format_int", in, 2));
    }
    if (base == BASE_REAL) {
        in[1] = e->n > 1 ? fun_scalar(x, a[1], IR_INT) : integer(x, 6);
        in[2] = e->n > 2 ? fun_scalar(x, a[2], IR_INT) : integer(x, 0);
        in[3] = e->n > 3 ? fun_scalar(x, a[3], IR_INT) : integer(x, 1);
        return fun_of_reg(BASE_STRING, ir_builtin_call(b, "string_of_real", in, 4));
    }
    in[1] = e->n > 1 ? fun_scalar(x, a[1], IR_INT) : integer(x, 0);
    in[2] = e->n > 2 ? fun_scalar(x, a[2], IR_INT) : integer(x, 1);
    if (base == BASE_ENUM) {
        const FlatExpr *arg = &x->flat->exprs.at[x->flat->ids.at[e->first]];
        const FlatDef *def = &x->flat->defs.at[x->flat->types.at[arg->type].def];
        FunValue text = fun_new_variable(x, BASE_STRING, ir_str(b, ""));
        for (uint32_t k = 0; k < def->fields.n; k++) {
            IrReg is = ir_two(b, IR_IEQ, a[0].reg, integer(x, (int64_t)k + 1));
            ir_set(b, text.reg, ir_select(b, is, ir_str(b, def->fields.at[k].name), text.reg));
        }
        return text;
    }
    return fun_of_reg(BASE_STRING,
                      ir_builtin_call(b, base == BASE_BOOLEAN ? "string_of_bool" : "string_of_int", in, 3));
}

/* ---- built-in functions of arrays ------------------------------------------------------------ */

static FunValue reduced(Fun *x, Builtin op, FunValue v)
{
    IrBuilder *b = &x->b;
    IrType type = fun_type(v.base);
    if (!v.rank) return v;
    static const struct {
        uint8_t op, real, whole;
    } steps[] = { { BUILTIN_SUM, IR_ADD, IR_IADD },
                  { BUILTIN_PRODUCT, IR_MUL, IR_IMUL },
                  { BUILTIN_MIN, IR_MIN, IR_IMIN },
                  { BUILTIN_MAX, IR_MAX, IR_IMAX } };
    uint32_t k = 0;
    while (steps[k].op != op) k++;
    IrReg sum = ir_variable(b, type, NULL), count = fun_count(x, &v);
    int64_t from = op == BUILTIN_MIN || op == BUILTIN_MAX;
    if (from) { /* of nothing: the largest or least number */
        double none = op == BUILTIN_MIN ? 1e60 : -1e60;
        ir_set(b, sum,
               type == IR_REAL ? ir_real(b, none) : integer(x, op == BUILTIN_MIN ? INT32_MAX : INT32_MIN));
    } else {
        int64_t start = op == BUILTIN_PRODUCT;
        ir_set(b, sum, type == IR_REAL ? ir_real(b, (double)start) : integer(x, start));
    }
    for (Each i = each_begin(x, count); each_more(&i); each_next(&i))
        ir_set(b, sum,
               ir_two(b, (IrOp)(type == IR_REAL ? steps[k].real : steps[k].whole), sum, each_load(&i, &v)));
    return fun_of_reg(v.base, sum);
}

static FunValue size_of(Fun *x, const FlatExpr *e, const FunValue *a)
{
    IrBuilder *b = &x->b;
    int64_t k;
    if (e->n < 2) {
        IrReg rank = integer(x, a[0].rank);
        FunValue made = fun_new_array(x, BASE_INTEGER, 1, &rank);
        for (uint32_t i = 0; i < a[0].rank; i++) fun_store(x, &made, IR_NONE, (int32_t)i, a[0].size[i]);
        return made;
    }
    if (ir_is_int(b, a[1].reg, &k))
        return k >= 1 && k <= a[0].rank ? fun_of_reg(BASE_INTEGER, a[0].size[k - 1])
                                        : fun_fail(x, "size() of a dimension that is not there");
    FunValue size = fun_new_variable(x, BASE_INTEGER, integer(x, 0));
    ir_check_index(b, a[1].reg, integer(x, a[0].rank));
    for (uint32_t i = 0; i < a[0].rank; i++)
        ir_set(b, size.reg,
               ir_select(b, ir_two(b, IR_IEQ, a[1].reg, integer(x, i + 1)), a[0].size[i], size.reg));
    return size;
}

static FunValue filled(Fun *x, const FunValue *sizes, uint32_t rank, FunValue with)
{
    IrReg n[FUN_MOST_RANK];
    if (rank > FUN_MOST_RANK || with.rank || with.base == BASE_RECORD)
        return fun_fail(x, "an array of such things");
    for (uint32_t k = 0; k < rank; k++) n[k] = fun_scalar(x, sizes[k], IR_INT);
    FunValue made = fun_new_array(x, with.base, rank, n);
    ir_fill(&x->b, made.array, with.reg);
    return made;
}

static FunValue transposed(Fun *x, FunValue a)
{
    IrBuilder *b = &x->b;
    if (a.rank != 2) return fun_fail(x, "the transpose of something that is no matrix");
    IrReg sizes[] = { a.size[1], a.size[0] };
    FunValue made = fun_new_array(x, a.base, 2, sizes);
    IrReg i = ir_for(b, integer(x, 0), fun_plus(x, a.size[0], -1), 1);
    IrReg j = ir_for(b, integer(x, 0), fun_plus(x, a.size[1], -1), 1);
    IrReg from = ir_two(b, IR_IADD, fun_times(x, i, a.size[1]), j);
    IrReg to = ir_two(b, IR_IADD, fun_times(x, j, a.size[0]), i);
    fun_store(x, &made, to, 0, fun_load(x, &a, from, 0));
    ir_end(b);
    ir_end(b);
    return made;
}

/* A matrix with these on its diagonal: the elements of v, or ones. */
static FunValue diagonal(Fun *x, IrReg n, const FunValue *v)
{
    IrReg sizes[] = { n, n };
    uint8_t base = v ? v->base : BASE_INTEGER;
    FunValue made = fun_new_array(x, base, 2, sizes);
    ir_fill(&x->b, made.array, fun_type(base) == IR_REAL ? ir_real(&x->b, 0) : integer(x, 0));
    IrReg i = ir_for(&x->b, integer(x, 0), fun_plus(x, n, -1), 1);
    IrReg at = fun_times(x, i, fun_plus(x, n, 1));
    fun_store(x, &made, at, 0, v ? fun_load(x, v, i, 0) : integer(x, 1));
    ir_end(&x->b);
    return made;
}

static FunValue linspace(Fun *x, const FunValue *a)
{
    IrBuilder *b = &x->b;
    IrReg n = fun_scalar(x, a[2], IR_INT), from = fun_scalar(x, a[0], IR_REAL),
          to = fun_scalar(x, a[1], IR_REAL);
    FunValue made = fun_new_array(x, BASE_REAL, 1, &n);
    IrReg step = ir_two(b, IR_DIV, ir_two(b, IR_SUB, to, from), ir_one(b, IR_TO_REAL, fun_plus(x, n, -1)));
    IrReg i = ir_for(b, integer(x, 0), fun_plus(x, n, -1), 1);
    fun_store(x, &made, i, 0, ir_two(b, IR_ADD, from, ir_two(b, IR_MUL, step, ir_one(b, IR_TO_REAL, i))));
    ir_end(b);
    return made;
}

static FunValue vector_of(Fun *x, const FunValue *parts, const int8_t *signs, uint32_t n, uint32_t columns)
{
    IrReg sizes[] = { integer(x, n / columns), integer(x, columns) };
    if (columns == 1) sizes[0] = integer(x, n);
    FunValue made = fun_new_array(x, BASE_REAL, columns == 1 ? 1 : 2, sizes);
    for (uint32_t k = 0; k < n; k++) {
        IrReg value = signs[k] ? fun_scalar(x, parts[k], IR_REAL) : ir_real(&x->b, 0);
        fun_store(x, &made, IR_NONE, (int32_t)k, signs[k] < 0 ? ir_one(&x->b, IR_NEG, value) : value);
    }
    return made;
}

static FunValue element(Fun *x, const FunValue *v, int32_t k)
{
    return fun_of_reg(v->base, fun_load(x, v, IR_NONE, k));
}

static FunValue cross(Fun *x, const FunValue *a)
{
    FunValue parts[3];
    for (int32_t k = 0; k < 3; k++) {
        int32_t i = (k + 1) % 3, j = (k + 2) % 3;
        IrReg p = ir_two(&x->b, IR_MUL, fun_scalar(x, element(x, &a[0], i), IR_REAL),
                         fun_scalar(x, element(x, &a[1], j), IR_REAL));
        IrReg q = ir_two(&x->b, IR_MUL, fun_scalar(x, element(x, &a[0], j), IR_REAL),
                         fun_scalar(x, element(x, &a[1], i), IR_REAL));
        parts[k] = fun_of_reg(BASE_REAL, ir_two(&x->b, IR_SUB, p, q));
    }
    return vector_of(x, parts, (const int8_t[]){ 1, 1, 1 }, 3, 1);
}

static FunValue skew(Fun *x, const FunValue *a)
{
    FunValue parts[9];
    static const int8_t of[9] = { 0, 2, 1, 2, 0, 0, 1, 0, 0 }, signs[9] = { 0, -1, 1, 1, 0, -1, -1, 1, 0 };
    for (int k = 0; k < 9; k++) parts[k] = element(x, &a[0], of[k]);
    return vector_of(x, parts, signs, 9, 3);
}

/* An array of another rank with the same elements. */
static FunValue reshaped(Fun *x, FunValue v, uint32_t rank, const IrReg *sizes)
{
    FunValue made = fun_new_array(x, v.base, rank, sizes);
    if (v.rank)
        ir_copy(&x->b, made.array, v.array);
    else
        fun_store(x, &made, IR_NONE, 0, v.reg);
    return made;
}

static FunValue with_rank(Fun *x, FunValue v, uint32_t rank)
{
    IrReg sizes[FUN_MOST_RANK];
    for (uint32_t k = 0; k < rank && k < FUN_MOST_RANK; k++)
        sizes[k] = k < v.rank ? v.size[k] : integer(x, 1);
    return v.rank == rank ? v : reshaped(x, v, rank, sizes);
}

/* Arrays one after the other along dimension k (from 0). Seen as outer x own x inner, each is a
 * run of own x inner. */
static FunValue concatenated(Fun *x, uint32_t k, const FunValue *parts, uint32_t n, uint8_t base)
{
    IrBuilder *b = &x->b;
    IrReg sizes[FUN_MOST_RANK], sum = integer(x, 0), outer = integer(x, 1), inner = outer;
    uint32_t rank = parts[0].rank;
    if (k >= rank) return fun_fail(x, "cat() along a dimension that is not there");
    for (uint32_t i = 0; i < n; i++) {
        int64_t p, q;
        bool known = ir_is_int(b, sum, &p) && ir_is_int(b, parts[i].size[k], &q);
        sum = known ? integer(x, p + q) : ir_two(b, IR_IADD, sum, parts[i].size[k]);
    }
    for (uint32_t d = 0; d < rank; d++) {
        sizes[d] = d == k ? sum : parts[0].size[d];
        if (d < k) outer = fun_times(x, outer, sizes[d]);
        if (d > k) inner = fun_times(x, inner, sizes[d]);
    }
    FunValue made = fun_new_array(x, base, rank, sizes);
    IrReg stride = fun_times(x, sum, inner), begin = integer(x, 0);
    for (uint32_t p = 0; p < n; p++) {
        IrReg run = fun_times(x, parts[p].size[k], inner);
        IrReg i = ir_for(b, integer(x, 0), fun_plus(x, outer, -1), 1);
        IrReg to = ir_two(b, IR_IADD, fun_times(x, i, stride), begin), from = fun_times(x, i, run);
        IrReg j = ir_for(b, integer(x, 0), fun_plus(x, run, -1), 1);
        FunValue value = fun_of_reg(parts[p].base, fun_load(x, &parts[p], ir_two(b, IR_IADD, from, j), 0));
        fun_store(x, &made, ir_two(b, IR_IADD, to, j), 0, fun_scalar(x, value, fun_type(base)));
        ir_end(b);
        ir_end(b);
        begin = ir_two(b, IR_IADD, begin, run);
    }
    return made;
}

static FunValue cat(Fun *x, const FlatExpr *e, const FunValue *a)
{
    int64_t k;
    if (e->n < 2 || !ir_is_int(&x->b, a[0].reg, &k))
        return fun_fail(x, "cat() along a dimension that is not known");
    return concatenated(x, (uint32_t)(k - 1), a + 1, e->n - 1, base_of(x, e));
}

static FunValue outer_product(Fun *x, const FunValue *a)
{
    IrReg sizes[] = { a[0].size[0], a[1].size[0], integer(x, 1) };
    FunValue column = reshaped(x, a[0], 2, (const IrReg[]){ sizes[0], sizes[2] });
    FunValue row = reshaped(x, a[1], 2, (const IrReg[]){ sizes[2], sizes[1] });
    return product(x, column, row, a[0].base);
}

static FunValue symmetric(Fun *x, FunValue a)
{
    IrBuilder *b = &x->b;
    FunValue made = fun_new_array(x, a.base, 2, a.size);
    IrReg i = ir_for(b, integer(x, 0), fun_plus(x, a.size[0], -1), 1);
    IrReg j = ir_for(b, integer(x, 0), fun_plus(x, a.size[1], -1), 1);
    IrReg low = ir_two(b, IR_IMIN, i, j), high = ir_two(b, IR_IMAX, i, j);
    fun_store(x, &made, ir_two(b, IR_IADD, fun_times(x, i, a.size[1]), j), 0,
              fun_load(x, &a, ir_two(b, IR_IADD, fun_times(x, low, a.size[1]), high), 0));
    ir_end(b);
    ir_end(b);
    return made;
}

/* A function of scalars, for each element of arrays. */
static FunValue each_element(Fun *x, const FlatExpr *e, const FunValue *a)
{
    const FunValue *shape = NULL;
    for (uint32_t k = 0; k < e->n; k++)
        if (a[k].rank) shape = &a[k];
    if (e->n > 4) return fun_fail(x, builtin_text((Builtin)e->op));
    uint8_t base = base_of(x, e);
    if (!shape) {
        IrReg value = scalar_function(x, e, a);
        return value == IR_NONE ? fun_fail(x, builtin_text((Builtin)e->op)) : fun_of_reg(base, value);
    }
    FunValue made = fun_new_array(x, base, shape->rank, shape->size);
    for (Each i = each_begin(x, fun_count(x, shape)); each_more(&i); each_next(&i)) {
        FunValue part[4];
        for (uint32_t k = 0; k < e->n; k++) part[k] = fun_of_reg(a[k].base, each_load(&i, &a[k]));
        IrReg value = scalar_function(x, e, part);
        if (value == IR_NONE) fun_fail(x, builtin_text((Builtin)e->op));
        each_store(&i, &made, value == IR_NONE ? each_load(&i, &a[0]) : value);
    }
    return made;
}

static FunValue builtin(Fun *x, const FlatExpr *e, const FunValue *a)
{
    switch ((Builtin)e->op) {
    case BUILTIN_SUM:
    case BUILTIN_PRODUCT: return reduced(x, (Builtin)e->op, a[0]);
    case BUILTIN_MIN:
    case BUILTIN_MAX: return e->n == 1 ? reduced(x, (Builtin)e->op, a[0]) : each_element(x, e, a);
    case BUILTIN_SIZE: return size_of(x, e, a);
    case BUILTIN_NDIMS: return fun_of_reg(BASE_INTEGER, integer(x, a[0].rank));
    case BUILTIN_ZEROS: return filled(x, a, e->n, fun_of_reg(BASE_REAL, ir_real(&x->b, 0)));
    case BUILTIN_ONES: return filled(x, a, e->n, fun_of_reg(BASE_REAL, ir_real(&x->b, 1)));
    case BUILTIN_FILL: return filled(x, a + 1, e->n - 1, a[0]);
    case BUILTIN_IDENTITY: return diagonal(x, fun_scalar(x, a[0], IR_INT), NULL);
    case BUILTIN_DIAGONAL: return diagonal(x, a[0].size[0], &a[0]);
    case BUILTIN_LINSPACE: return linspace(x, a);
    case BUILTIN_TRANSPOSE: return transposed(x, a[0]);
    case BUILTIN_CROSS: return cross(x, a);
    case BUILTIN_SKEW: return skew(x, a);
    case BUILTIN_CAT: return cat(x, e, a);
    case BUILTIN_OUTER_PRODUCT: return outer_product(x, a);
    case BUILTIN_SYMMETRIC: return symmetric(x, a[0]);
    case BUILTIN_PROMOTE: return with_rank(x, a[0], x->flat->types.at[e->type].rank);
    case BUILTIN_MATRIX: return with_rank(x, a[0], 2);
    case BUILTIN_VECTOR: {
        IrReg n = fun_count(x, &a[0]);
        return a[0].rank == 1 ? a[0] : reshaped(x, a[0], 1, &n);
    }
    case BUILTIN_SCALAR: return a[0].rank ? element(x, &a[0], 0) : a[0];
    case BUILTIN_STRING: return string_of(x, e, a);
    case BUILTIN_NO_EVENT:
    case BUILTIN_HOMOTOPY: return a[0];
    case BUILTIN_SMOOTH: return a[1];
    default: return each_element(x, e, a);
    }
}

/* ---- arrays, ranges, comprehensions, conditions ---------------------------------------------- */

/* Values of one shape as the elements of an array of one more dimension; records become a record of
 * arrays. */
static FunValue stack(Fun *x, uint8_t base, const FunValue *parts, uint32_t n)
{
    IrReg sizes[FUN_MOST_RANK + 1] = { integer(x, n) };
    uint32_t rank = parts[0].rank;
    if (rank + 1 > FUN_MOST_RANK) return fun_fail(x, "an array of that many dimensions");
    for (uint32_t k = 0; k < rank; k++) sizes[k + 1] = parts[0].size[k];
    if (parts[0].base == BASE_RECORD) {
        FunValue made = parts[0], *column = NEW_ARRAY(x->scratch, FunValue, n);
        made.rank = rank + 1;
        memcpy(made.size, sizes, made.rank * sizeof *sizes);
        made.fields = NEW_ARRAY(x->scratch, FunValue, made.n + 1);
        for (uint32_t f = 0; f < made.n; f++) {
            for (uint32_t k = 0; k < n; k++) column[k] = parts[k].fields[f];
            made.fields[f] = stack(x, column[0].base, column, n);
        }
        return made;
    }
    FunValue made = fun_new_array(x, base, rank + 1, sizes);
    IrReg inner = fun_count(x, &parts[0]);
    for (uint32_t k = 0; k < n; k++) {
        if (!rank) {
            fun_store(x, &made, IR_NONE, (int32_t)k, fun_scalar(x, parts[k], fun_type(base)));
            continue;
        }
        check_same(x, &parts[0], &parts[k]);
        IrReg begin = fun_times(x, inner, integer(x, k));
        IrReg i = ir_for(&x->b, integer(x, 0), fun_plus(x, inner, -1), 1);
        FunValue value = fun_of_reg(parts[k].base, fun_load(x, &parts[k], i, 0));
        fun_store(x, &made, ir_two(&x->b, IR_IADD, begin, i), 0, fun_scalar(x, value, fun_type(base)));
        ir_end(&x->b);
    }
    return made;
}

static FunValue stacked(Fun *x, const FlatExpr *e, const FunValue *parts)
{
    uint8_t base = base_of(x, e);
    if (e->n) return stack(x, base, parts, e->n);
    IrReg sizes[FUN_MOST_RANK];
    uint32_t rank = x->flat->types.at[e->type].rank;
    if (base == BASE_RECORD || rank > FUN_MOST_RANK) return fun_fail(x, "an empty array of records");
    for (uint32_t k = 0; k < rank; k++) sizes[k] = integer(x, 0);
    return fun_new_array(x, base, rank, sizes);
}

static FunValue range(Fun *x, const FlatExpr *e, const FunValue *a)
{
    IrBuilder *b = &x->b;
    if (base_of(x, e) == BASE_REAL) {
        IrReg from = fun_scalar(x, a[0], IR_REAL), step = fun_scalar(x, a[1], IR_REAL),
              to = fun_scalar(x, a[2], IR_REAL);
        IrReg count = ir_two(b, IR_DIV, ir_two(b, IR_SUB, to, from), step);
        count = ir_one(b, IR_FLOOR, ir_two(b, IR_ADD, count, ir_real(b, 1.0 + 1e-10)));
        IrReg n = ir_two(b, IR_IMAX, ir_one(b, IR_TO_INT, count), integer(x, 0));
        FunValue made = fun_new_array(x, BASE_REAL, 1, &n);
        IrReg i = ir_for(b, integer(x, 0), fun_plus(x, n, -1), 1);
        fun_store(x, &made, i, 0, ir_two(b, IR_ADD, from, ir_two(b, IR_MUL, step, ir_one(b, IR_TO_REAL, i))));
        ir_end(b);
        return made;
    }
    int64_t from, step, to;
    IrReg n;
    if (ir_is_int(b, a[0].reg, &from) && ir_is_int(b, a[1].reg, &step) && ir_is_int(b, a[2].reg, &to) &&
        step) {
        int64_t count = (to - from) / step + 1;
        n = integer(x, (step > 0) == (to >= from) || to == from ? count : 0);
    } else {
        IrReg rounds = ir_two(b, IR_IDIV,
                              ir_two(b, IR_ISUB, ir_two(b, IR_IADD, a[2].reg, a[1].reg), a[0].reg), a[1].reg);
        n = ir_two(b, IR_IMAX, rounds, integer(x, 0));
    }
    FunValue made = fun_new_array(x, base_of(x, e), 1, &n);
    IrReg i = ir_for(b, integer(x, 0), fun_plus(x, n, -1), 1);
    fun_store(x, &made, i, 0, ir_two(b, IR_IADD, a[0].reg, ir_two(b, IR_IMUL, i, a[1].reg)));
    ir_end(b);
    return made;
}

FunValue fun_item(Fun *x, const FunValue *v, IrReg i)
{
    IrBuilder *b = &x->b;
    if (v->base != BASE_RECORD && v->rank == 1) return fun_of_reg(v->base, fun_load(x, v, i, 0));
    FunValue made = *v;
    made.rank = v->rank - 1;
    memmove(made.size, v->size + 1, made.rank * sizeof *made.size);
    if (v->base == BASE_RECORD) {
        made.fields = NEW_ARRAY(x->scratch, FunValue, v->n + 1);
        for (uint32_t k = 0; k < v->n; k++) made.fields[k] = fun_item(x, &v->fields[k], i);
        return made;
    }
    made = fun_new_array(x, v->base, made.rank, v->size + 1);
    IrReg inner = fun_count(x, &made), begin = fun_times(x, inner, i);
    IrReg k = ir_for(b, integer(x, 0), fun_plus(x, inner, -1), 1);
    fun_store(x, &made, k, 0, fun_load(x, v, ir_two(b, IR_IADD, begin, k), 0));
    ir_end(b);
    return made;
}

/* ---- what a comprehension collects ----------------------------------------------------------- */

typedef struct {
    Fun *x;
    Builtin op;
    uint32_t outer;     /* dimensions that the indices make; 0 for a reduction */
    IrReg at, count;    /* the element at hand, of so many */
    const IrReg *sizes; /* of the outer dimensions */
} Collect;

/* Room for what the elements give; sizes of elements that are arrays are told by the first. */
static FunValue collector(const Collect *c, TypeId type, uint32_t around)
{
    Fun *x = c->x;
    const FlatType *t = &x->flat->types.at[type];
    FunValue v = {
        .base = (uint8_t)t->base, .rank = around + t->rank, .def = t->def, .reg = IR_NONE, .array = IR_NONE
    };
    if (v.rank > FUN_MOST_RANK) return fun_fail(x, "an array of that many dimensions");
    if (t->base == BASE_RECORD) {
        const FlatDef *def = &x->flat->defs.at[t->def];
        v.n = def->fields.n;
        v.fields = NEW_ARRAY(x->scratch, FunValue, v.n + 1);
        for (uint32_t k = 0; k < v.n; k++) v.fields[k] = collector(c, def->fields.at[k].type, v.rank);
        if (v.n && v.rank) memcpy(v.size, v.fields[0].size, sizeof v.size);
        return v;
    }
    v.is_resizable = true;
    v.array = ir_array_dynamic(&x->b, fun_type(v.base), NULL);
    for (uint32_t k = 0; k < v.rank; k++) {
        v.size[k] = k < c->outer ? c->sizes[k] : ir_variable(&x->b, IR_INT, NULL);
        if (k >= c->outer) ir_set(&x->b, v.size[k], integer(x, 0));
    }
    ir_new(&x->b, v.array, v.rank ? integer(x, 0) : integer(x, 1));
    return v;
}

static void collect(const Collect *c, const FunValue *into, const FunValue *v)
{
    Fun *x = c->x;
    IrBuilder *b = &x->b;
    if (v->base == BASE_RECORD) {
        for (uint32_t k = 0; k < v->n && k < into->n; k++) collect(c, &into->fields[k], &v->fields[k]);
        return;
    }
    IrType type = fun_type(into->base);
    IrReg n = fun_count(x, v), first = ir_two(b, IR_IEQ, c->at, integer(x, 0));
    ir_if(b, first);
    ir_new(b, into->array, c->outer ? fun_times(x, c->count, n) : n);
    for (uint32_t k = 0; k < v->rank; k++) ir_set(b, into->size[c->outer + k], v->size[k]);
    ir_end(b);
    for (uint32_t k = 0; k < v->rank; k++) ir_check_size(b, v->size[k], into->size[c->outer + k]);
    IrReg begin = c->outer ? fun_times(x, c->at, n) : integer(x, 0);
    IrReg i = ir_for(b, integer(x, 0), fun_plus(x, n, -1), 1), to = ir_two(b, IR_IADD, begin, i);
    FunValue part = fun_of_reg(v->base, v->rank ? fun_load(x, v, i, 0) : v->reg);
    IrReg value = fun_scalar(x, part, type);
    if (!c->outer) { /* a sum */
        IrReg sum = ir_variable(b, type, NULL);
        ir_set(b, sum, value);
        ir_if(b, ir_one(b, IR_NOT, first));
        ir_set(b, sum, arithmetic(x, O_ADD, fun_load(x, into, to, 0), value, type));
        ir_end(b);
        value = sum;
    }
    fun_store(x, into, to, 0, value);
    ir_end(b);
}

static FunValue comprehension(Fun *x, const FlatExpr *e)
{
    IrBuilder *b = &x->b;
    const ExprId *ids = x->flat->ids.at + e->first;
    IrReg sizes[FUN_MOST_RANK];
    FunValue over[FUN_MOST_RANK], made = { 0 };
    uint8_t base = base_of(x, e);
    TypeId element = x->flat->exprs.at[ids[0]].type;
    bool is_array = e->op == BUILTIN_ARRAY_OF;
    bool is_compound = x->flat->types.at[element].rank || x->flat->types.at[element].base == BASE_RECORD;
    if (e->n - 1 > FUN_MOST_RANK) return fun_fail(x, "a comprehension with that many indices");
    if (is_compound && !is_array && e->op != BUILTIN_SUM)
        return fun_fail(x, "a reduction of arrays that is no sum");
    for (uint32_t k = 1; k < e->n; k++) {
        over[k - 1] = fun_eval(x, ids[k]);
        sizes[k - 1] = over[k - 1].size[0];
    }
    IrReg at = ir_variable(b, IR_INT, NULL), count = integer(x, 1);
    for (uint32_t k = 1; k < e->n; k++) count = fun_times(x, count, sizes[k - 1]);
    Collect c = { x, (Builtin)e->op, is_array ? e->n - 1 : 0, at, count, sizes };
    if (is_compound)
        made = collector(&c, element, c.outer);
    else
        made = is_array ? fun_new_array(x, base, e->n - 1, sizes) : fun_new_array(x, base, 1, &count);
    ir_set(b, at, integer(x, 0));
    for (uint32_t k = 1; k < e->n; k++) {
        IrReg i = ir_for(b, integer(x, 0), fun_plus(x, sizes[k - 1], -1), 1);
        x->locals[e->index + k - 1] = fun_item(x, &over[k - 1], i);
        x->is_ready[e->index + k - 1] = 1;
    }
    FunValue value = fun_eval(x, ids[0]);
    if (is_compound)
        collect(&c, &made, &value);
    else
        fun_store(x, &made, at, 0, fun_scalar(x, value, fun_type(base)));
    ir_set(b, at, ir_two(b, IR_IADD, at, integer(x, 1)));
    for (uint32_t k = 1; k < e->n; k++) ir_end(b);
    return is_array || is_compound ? made : reduced(x, (Builtin)e->op, made);
}

/* Makes room for a value that branches give: of the shape that the first of them has. */
static FunValue room_for(Fun *x, const FunValue *v, uint8_t base)
{
    FunValue made = *v;
    if (v->base == BASE_RECORD) {
        made.fields = NEW_ARRAY(x->scratch, FunValue, v->n + 1);
        for (uint32_t k = 0; k < v->n; k++) made.fields[k] = room_for(x, &v->fields[k], v->fields[k].base);
    } else if (v->rank) {
        made = (FunValue){ .base = base, .rank = v->rank, .reg = IR_NONE, .is_resizable = true };
        made.array = ir_array_dynamic(&x->b, fun_type(base), NULL);
        for (uint32_t k = 0; k < v->rank; k++) made.size[k] = ir_variable(&x->b, IR_INT, NULL);
    } else {
        made = fun_of_reg(base, ir_variable(&x->b, fun_type(base), NULL));
    }
    return made;
}

static FunValue chosen(Fun *x, const FlatExpr *e)
{
    const ExprId *ids = x->flat->ids.at + e->first;
    uint32_t open = 0;
    FunValue made = { .reg = IR_NONE };
    for (uint32_t k = 0; k + 1 < e->n; k += 2) {
        IrReg condition = fun_index(x, ids[k]);
        ir_if(&x->b, condition);
        open++;
        FunValue v = fun_eval(x, ids[k + 1]);
        if (!k) made = room_for(x, &v, v.base == BASE_RECORD ? v.base : base_of(x, e));
        fun_assign(x, &made, &v);
        ir_else(&x->b);
    }
    FunValue last = fun_eval(x, ids[e->n - 1]);
    fun_assign(x, &made, &last);
    while (open--) ir_end(&x->b);
    return made;
}

/* Whether computing it may fail, or takes long. */
static bool may_fail(const Fun *x, ExprId id)
{
    const FlatExpr *e = &x->flat->exprs.at[id];
    if (e->kind == X_CALL || e->kind >= X_SUBSCRIPT) return true;
    for (uint32_t k = 0; k < e->n; k++)
        if (may_fail(x, x->flat->ids.at[e->first + k])) return true;
    return false;
}

/* `i <= n and a[i] > 0`: what is on the right counts only where the left side leaves it open. */
static FunValue logic(Fun *x, const FlatExpr *e)
{
    const ExprId *ids = x->flat->ids.at + e->first;
    IrReg left = fun_index(x, ids[0]);
    FunValue made = fun_new_variable(x, BASE_BOOLEAN, left);
    ir_if(&x->b, e->op == O_AND ? left : ir_one(&x->b, IR_NOT, left));
    ir_set(&x->b, made.reg, fun_index(x, ids[1]));
    ir_end(&x->b);
    return made;
}

/* ---- all expressions ------------------------------------------------------------------------- */

static FunValue record_of(Fun *x, const FlatExpr *e, const FunValue *args)
{
    FunValue made = { .base = BASE_RECORD, .def = x->flat->types.at[e->type].def, .reg = IR_NONE, .n = e->n };
    made.fields = NEW_ARRAY(x->scratch, FunValue, e->n + 1);
    for (uint32_t k = 0; k < e->n; k++) made.fields[k] = fun_copy(x, &args[k]);
    return made;
}

static FunValue function_value(Fun *x, const FlatExpr *e)
{
    uint32_t n = x->flat->functions.at[e->index].inputs;
    if (e->op) { /* of a value: its open arguments, in order */
        FunValue of = fun_eval(x, x->flat->ids.at[e->first + e->n - 1]), made = of;
        made.fields = NEW_ARRAY(x->scratch, FunValue, of.n + 1);
        if (of.n) memcpy(made.fields, of.fields, of.n * sizeof *made.fields);
        for (uint32_t i = 0, k = 0; i < of.n && k < n; i++) {
            if (!of.fields[i].is_open) continue;
            ExprId arg = x->flat->ids.at[e->first + k++];
            if (x->flat->exprs.at[arg].kind != X_OMITTED) made.fields[i] = fun_eval(x, arg);
        }
        return made;
    }
    FunValue v = { .base = BASE_FUNCTION, .func = e->index, .n = n, .reg = IR_NONE };
    v.fields = NEW_ARRAY(x->scratch, FunValue, n + 1);
    for (uint32_t k = 0; k < n; k++) {
        ExprId arg = k < e->n ? x->flat->ids.at[e->first + k] : NONE;
        if (arg == NONE || x->flat->exprs.at[arg].kind == X_OMITTED)
            v.fields[k].is_open = true;
        else
            v.fields[k] = fun_eval(x, arg);
    }
    return v;
}

uint32_t fun_call_expr(Fun *x, const FlatExpr *e, FunValue *results, uint32_t room)
{
    const ExprId *ids = x->flat->ids.at + e->first;
    FunValue f = { .base = BASE_FUNCTION, .func = e->index };
    uint32_t next = 0;
    if (e->kind == X_APPLY) {
        f = fun_eval(x, ids[next++]);
    } else if (e->kind != X_CALL) {
        f.base = BASE_RECORD;
    }
    if (f.base != BASE_FUNCTION) {
        fun_fail(x, "a call of something that is no known function");
        return 0;
    }
    const FlatFunction *callee = &x->flat->functions.at[f.func];
    FunValue *args = NEW_ARRAY(x->scratch, FunValue, callee->inputs + 1);
    for (uint32_t k = 0; k < callee->inputs; k++) {
        args[k].is_open = true;
        if (e->kind == X_APPLY && k < f.n && !f.fields[k].is_open)
            args[k] = f.fields[k];
        else if (next < e->n && x->flat->exprs.at[ids[next]].kind != X_OMITTED)
            args[k] = fun_eval(x, ids[next++]);
        else
            next++;
    }
    if (callee->outputs > room) fun_fail(x, "a function with that many results");
    if (callee->outputs <= room) fun_call(x, f.func, args, results);
    return callee->outputs <= room ? callee->outputs : 0;
}

static FunValue call(Fun *x, const FlatExpr *e, uint32_t which)
{
    FunValue results[FUN_MOST_RESULTS];
    uint32_t n = fun_call_expr(x, e, results, FUN_MOST_RESULTS);
    return which < n ? results[which] : fun_of_reg(BASE_REAL, ir_real(&x->b, 0));
}

static FunValue literal(Fun *x, const FlatExpr *e)
{
    switch ((ExprKindFlat)e->kind) {
    case X_REAL: return fun_of_reg(BASE_REAL, ir_real(&x->b, e->real));
    case X_STRING: return fun_of_reg(BASE_STRING, ir_str(&x->b, arena_copy(x->scratch, e->text)));
    default: return fun_of_reg(base_of(x, e), integer(x, e->integer));
    }
}

static FunValue operation(Fun *x, const FlatExpr *e)
{
    const ExprId *ids = x->flat->ids.at + e->first;
    FunValue small[8], *args = e->n <= 8 ? small : NEW_ARRAY(x->scratch, FunValue, e->n);
    for (uint32_t k = 0; k < e->n; k++)
        if (x->flat->exprs.at[ids[k]].kind != X_OMITTED) args[k] = fun_eval(x, ids[k]);
    switch ((ExprKindFlat)e->kind) {
    case X_UNARY: return unary(x, e, args[0]);
    case X_BINARY: return binary(x, e, args[0], args[1]);
    case X_BUILTIN: return builtin(x, e, args);
    case X_ARRAY: return stacked(x, e, args);
    case X_RANGE: return range(x, e, args);
    case X_RECORD: return record_of(x, e, args);
    default: return fun_fail(x, "this expression in a function");
    }
}

FunValue fun_eval(Fun *x, ExprId id)
{
    const FlatExpr *e = &x->flat->exprs.at[id];
    switch ((ExprKindFlat)e->kind) {
    case X_REAL:
    case X_INTEGER:
    case X_BOOLEAN:
    case X_STRING:
    case X_ENUM: return literal(x, e);
    case X_LOCAL: return *fun_local(x, e->index);
    case X_SUBSCRIPT:
    case X_FIELD: return fun_read_place(x, id);
    case X_BINARY: {
        bool is_logic = (e->op == O_AND || e->op == O_OR) && !x->flat->types.at[e->type].rank;
        return is_logic && may_fail(x, x->flat->ids.at[e->first + 1]) ? logic(x, e) : operation(x, e);
    }
    case X_IF: return chosen(x, e);
    case X_COMPREHENSION: return comprehension(x, e);
    case X_PARTIAL: return function_value(x, e);
    case X_CALL:
    case X_APPLY: return call(x, e, 0);
    case X_RESULT: return call(x, &x->flat->exprs.at[x->flat->ids.at[e->first]], e->index);
    default: return operation(x, e);
    }
}
