/* lower.c: expressions of the pool as instructions of the IR.
 *
 * All values are Reals in registers; a condition is made an Integer where an instruction wants one.
 * Each expression is computed once in a function. Both branches of an if-expression are computed,
 * since no operation on Reals can fail, unless they call functions; what needs no call is computed
 * in front of such branches too. Cost: linear; a stack instead of recursion, but for branches with
 * calls. Tests: tests/gen. */
#include "gen/function.h"
#include "gen/inside.h"

enum { UNKNOWN, FAILS, HOLDS }; /* of conditions */

void lower_begin(Lower *l, const char *name)
{
    l->b =
        ir_begin(l->c->module, arena_printf(l->c->arena, "%s%u", name, (unsigned)l->c->module->functions.n));
    l->now++;
    l->shared.n = 0;
    for (int m = 0; m < MEM_COUNT; m++) l->array[m] = IR_NONE;
}

void lower_forget(Lower *l)
{
    l->now++;
    l->shared.n = 0;
}

IrFun lower_end(Lower *l)
{
    ir_optimize(l->c->module, l->b.id);
    ir_roll(l->c->module, l->b.id);
    l->c->stats.instructions += l->b.f->code.n;
    return l->b.id;
}

IrReg lower_plus(IrBuilder *b, IrReg x, IrReg y)
{
    if (x == IR_NONE || y == IR_NONE) return x == IR_NONE ? y : x;
    return ir_two(b, IR_ADD, x, y);
}

IrReg lower_product(IrBuilder *b, IrReg x, IrReg y)
{
    double value;
    if (x == IR_NONE || y == IR_NONE) return IR_NONE;
    for (int k = 0; k < 2; k++) {
        if (ir_is_real(b, k ? x : y, &value) && value == 1) return k ? y : x;
        if (ir_is_real(b, k ? x : y, &value) && value == 0) return IR_NONE;
        if (ir_is_real(b, k ? x : y, &value) && value == -1) return ir_one(b, IR_NEG, k ? y : x);
    }
    return ir_two(b, IR_MUL, x, y);
}

static IrArr array_of(Lower *l, Memory m)
{
    if (l->array[m] == IR_NONE) l->array[m] = ir_array_memory(&l->b, l->c->memory[m]);
    return l->array[m];
}

IrReg lower_load(Lower *l, Memory m, uint32_t i)
{
    return ir_load(&l->b, array_of(l, m), IR_NONE, (int32_t)i);
}

void lower_store(Lower *l, Memory m, uint32_t i, IrReg value)
{
    ir_store(&l->b, array_of(l, m), IR_NONE, (int32_t)i, value);
}

static void make_room(Lower *l, Sym s)
{
    if (s < l->room) return;
    uint32_t room = s * 2 + 1024;
    l->round = arena_grow(l->scratch, l->round, l->room * sizeof *l->round, room * sizeof *l->round);
    l->reg = arena_grow(l->scratch, l->reg, l->room * sizeof *l->reg, room * sizeof *l->reg);
    l->results = arena_grow(l->scratch, l->results, l->room * sizeof *l->results, room * sizeof *l->results);
    l->lent = arena_grow(l->scratch, l->lent, l->room * sizeof *l->lent, room * sizeof *l->lent);
    l->prepared =
        arena_grow(l->scratch, l->prepared, l->room * sizeof *l->prepared, room * sizeof *l->prepared);
    l->truth = arena_grow(l->scratch, l->truth, l->room, room);
    memset(l->prepared + l->room, 0, (room - l->room) * sizeof *l->prepared);
    memset(l->truth + l->room, UNKNOWN, room - l->room);
    memset(l->lent + l->room, 0, (room - l->room) * sizeof *l->lent);
    memset(l->round + l->room, 0, (room - l->room) * sizeof *l->round);
    l->room = room;
}

static void keep(Lower *l, Sym s, IrReg r)
{
    make_room(l, s);
    l->round[s] = l->now;
    l->reg[s] = r;
    if (l->depth) vec_push(l->scratch, &l->kept, s);
}

static const struct {
    uint8_t op, math; /* of libm */
} maths[] = {
    { SYM_SIN, IR_MATH_SIN },     { SYM_COS, IR_MATH_COS },   { SYM_TAN, IR_MATH_TAN },
    { SYM_ASIN, IR_MATH_ASIN },   { SYM_ACOS, IR_MATH_ACOS }, { SYM_ATAN, IR_MATH_ATAN },
    { SYM_SINH, IR_MATH_SINH },   { SYM_COSH, IR_MATH_COSH }, { SYM_TANH, IR_MATH_TANH },
    { SYM_EXP, IR_MATH_EXP },     { SYM_LOG, IR_MATH_LOG },   { SYM_LOG10, IR_MATH_LOG10 },
    { SYM_ATAN2, IR_MATH_ATAN2 },
};

static const uint8_t plain[SYM_OP_COUNT] = {
    [SYM_NEG] = IR_NEG,   [SYM_ABS] = IR_ABS,     [SYM_SQRT] = IR_SQRT, [SYM_FLOOR] = IR_FLOOR,
    [SYM_CEIL] = IR_CEIL, [SYM_TRUNC] = IR_TRUNC, [SYM_ADD] = IR_ADD,   [SYM_SUB] = IR_SUB,
    [SYM_MUL] = IR_MUL,   [SYM_DIV] = IR_DIV,     [SYM_MIN] = IR_MIN,   [SYM_MAX] = IR_MAX,
    [SYM_LT] = IR_LT,     [SYM_LE] = IR_LE,       [SYM_EQ] = IR_EQ,     [SYM_NE] = IR_NE,
};

static IrReg condition(Lower *l, IrReg r) { return ir_two(&l->b, IR_NE, r, ir_real(&l->b, 0)); }
static IrReg number(Lower *l, IrReg i) { return ir_one(&l->b, IR_TO_REAL, i); }

/* ---- strings and external objects: numbers in memory, see rt/names.c ------------------------- */

IrReg lower_number(Lower *l, IrReg r)
{
    uint8_t type = l->b.f->regs.at[r].type;
    if (type == IR_STR) return ir_builtin_call(&l->b, "string_id", &r, 1);
    return type == IR_PTR ? ir_builtin_call(&l->b, "object_id", &r, 1) : r;
}

static IrReg variable(Lower *l, Memory m, uint32_t v)
{
    uint8_t type = l->c->s->vars.at[v].type;
    if (m == MEM_VALUE && l->known && l->known[v] != IR_NONE) return l->known[v];
    IrReg r = lower_load(l, m, v);
    if (type == BASE_STRING) return ir_builtin_call(&l->b, "string_at", &r, 1);
    return type == BASE_OBJECT ? ir_builtin_call(&l->b, "object_at", &r, 1) : r;
}

/* The type of the register that an expression is lowered to. */
static IrType type_of(Lower *l, Sym s)
{
    const SymPool *pool = l->c->s->pool;
    const SymNode *n = sym_node(pool, s);
    while (n->op == SYM_IF) n = sym_node(pool, n->arg[1]);
    switch ((SymOp)n->op) {
    case SYM_TEXT:
    case SYM_STRING: return IR_STR;
    case SYM_VAR:
    case SYM_PRE: {
        uint8_t type = l->c->s->vars.at[n->index].type;
        return type == BASE_STRING ? IR_STR : type == BASE_OBJECT ? IR_PTR : IR_REAL;
    }
    case SYM_ADD: return type_of(l, n->arg[0]) == IR_STR ? IR_STR : IR_REAL;
    case SYM_PICK:
        return fun_type(sym_pick_base(pool, n)) == IR_INT ? IR_REAL : fun_type(sym_pick_base(pool, n));
    default: return IR_REAL;
    }
}

/* String(x, ...): the options are a list. */
static IrReg string_of(Lower *l, const SymNode *n)
{
    static const struct {
        const char *name;
        uint8_t ints;
    } functions[] = { { "string_of_real", 3 }, { "string_of_int", 2 }, { "string_of_bool", 2 } };
    const SymPool *pool = l->c->s->pool;
    IrReg in[4] = { l->reg[n->arg[0]] };
    bool has_format =
        sym_node(pool, n->arg[1])->op == SYM_ARGS && type_of(l, sym_node(pool, n->arg[1])->arg[0]) == IR_STR;
    uint32_t k = 1;
    if (n->index != BASE_REAL) in[0] = ir_one(&l->b, IR_TO_INT, in[0]);
    for (Sym at = n->arg[1]; sym_node(pool, at)->op == SYM_ARGS && k < 4; at = sym_node(pool, at)->arg[1])
        in[k++] = l->reg[sym_node(pool, at)->arg[0]];
    if (has_format)
        return ir_builtin_call(&l->b, n->index == BASE_REAL ? "string_format_real" : "string_format_int", in,
                               2);
    int which = n->index == BASE_REAL ? 0 : n->index == BASE_BOOLEAN ? 2 : 1;
    for (uint32_t i = 1; i < k; i++) in[i] = ir_one(&l->b, IR_TO_INT, in[i]);
    return ir_builtin_call(&l->b, functions[which].name, in, 1u + functions[which].ints);
}

/* Operators between strings. */
static IrReg string_operator(Lower *l, SymOp op, IrReg a, IrReg y)
{
    const IrReg both[] = { a, y };
    if (op == SYM_ADD) return ir_builtin_call(&l->b, "string_concat", both, 2);
    IrReg order = ir_builtin_call(&l->b, "string_compare", both, 2), zero = ir_int(&l->b, 0);
    static const uint8_t ops[] = {
        [SYM_LT] = IR_ILT, [SYM_LE] = IR_ILE, [SYM_EQ] = IR_IEQ, [SYM_NE] = IR_INE
    };
    return number(l, ir_two(&l->b, (IrOp)ops[op], order, zero));
}

static IrReg leaf(Lower *l, const SymNode *n)
{
    switch ((SymOp)n->op) {
    case SYM_REAL: return ir_real(&l->b, n->real);
    case SYM_VAR: return variable(l, MEM_VALUE, n->index);
    case SYM_TIME: return lower_load(l, MEM_MODE, MODE_TIME);
    case SYM_PRE: return variable(l, MEM_PRE, n->index);
    case SYM_RELATION: return lower_load(l, MEM_RELATION, n->index);
    case SYM_SAMPLE: return lower_load(l, MEM_SAMPLE, n->index);
    case SYM_FRONT:
        return lower_load(l, MEM_HISTORY,
                          RT_HISTORY_PARTS * (n->index / RT_HISTORY_SIDES) + RT_HISTORY_FRONT_LOW +
                              n->index % RT_HISTORY_SIDES);
    case SYM_INITIAL: return lower_load(l, MEM_MODE, MODE_INITIAL);
    case SYM_LAMBDA: return lower_load(l, MEM_MODE, MODE_LAMBDA);
    case SYM_IS_SET: return lower_load(l, MEM_SET, n->index);
    case SYM_TEXT: return ir_str(&l->b, arena_copy(l->c->arena, sym_text_of(l->c->s->pool, n->index)));
    default: return lower_load(l, MEM_MODE, MODE_TERMINAL);
    }
}

static IrReg inner(Lower *l, const SymNode *n)
{
    IrBuilder *b = &l->b;
    if (n->op == SYM_CALL || n->op == SYM_ARGS) return IR_NONE;
    if (n->op == SYM_PICK) return l->results[n->arg[0]][n->index];
    if (n->op == SYM_STRING) return string_of(l, n);
    IrReg a = l->reg[n->arg[0]], y = sym_arity((SymOp)n->op) > 1 ? l->reg[n->arg[1]] : IR_NONE;
    if (y != IR_NONE && n->op != SYM_IF && b->f->regs.at[a].type == IR_STR)
        return string_operator(l, (SymOp)n->op, a, y);
    for (size_t i = 0; i < COUNT_OF(maths); i++)
        if (maths[i].op == n->op) return ir_math(b, (IrMath)maths[i].math, a, y);
    if (n->op == SYM_HISTORY || n->op == SYM_HISTORY_SLOPE) {
        IrReg in[] = { ir_int(b, n->index), a };
        return ir_builtin_call(b, n->op == SYM_HISTORY ? "history_value" : "history_slope", in, 2);
    }
    switch ((SymOp)n->op) {
    case SYM_WITHIN: ir_check_index(b, ir_one(b, IR_TO_INT, a), ir_int(b, n->index)); return a;
    case SYM_SIGN: return number(l, ir_sign(b, a));
    case SYM_NOT: return number(l, ir_two(b, IR_EQ, a, ir_real(b, 0)));
    case SYM_POW: return ir_pow(b, a, y);
    case SYM_LT:
    case SYM_LE:
    case SYM_EQ:
    case SYM_NE: return number(l, ir_two(b, (IrOp)plain[n->op], a, y));
    case SYM_AND: return number(l, ir_two(b, IR_AND, condition(l, a), condition(l, y)));
    case SYM_OR: return number(l, ir_two(b, IR_OR, condition(l, a), condition(l, y)));
    case SYM_IF: return ir_select(b, condition(l, a), y, l->reg[n->arg[2]]);
    default: break;
    }
    IrOp op = (IrOp)plain[n->op];
    return y == IR_NONE ? ir_one(b, op, a) : ir_two(b, op, a, y);
}

/* What a branch computes is known inside of it only. */
typedef struct {
    uint32_t kept, shared, assumed;
} Outside;

/* In a branch its condition is known, and what follows from that. */
static void assume(Lower *l, Sym condition, bool side)
{
    const SymNode *n = sym_node(l->c->s->pool, condition);
    make_room(l, condition);
    if (l->truth[condition] != UNKNOWN) return;
    l->truth[condition] = side ? HOLDS : FAILS;
    vec_push(l->scratch, &l->assumed, condition);
    if (n->op == SYM_NOT) assume(l, n->arg[0], !side);
    if (n->op != (side ? SYM_AND : SYM_OR)) return;
    assume(l, n->arg[0], side);
    assume(l, n->arg[1], side);
}

static Outside enter(Lower *l, Sym condition, bool side)
{
    Outside outside = { l->kept.n, l->shared.n, l->assumed.n };
    assume(l, condition, side);
    l->depth++;
    return outside;
}

static void leave(Lower *l, Outside outside)
{
    for (uint32_t i = outside.kept; i < l->kept.n; i++) l->round[l->kept.at[i]] = 0;
    l->kept.n = outside.kept;
    l->shared.n = outside.shared;
    for (uint32_t i = outside.assumed; i < l->assumed.n; i++) l->truth[l->assumed.at[i]] = UNKNOWN;
    l->assumed.n = outside.assumed;
    l->depth--;
}

/* ---- if-expressions whose branches call functions: only the one that is taken ---------------- */

enum { LARGEST_SHARED = 2048 }; /* results in the frame */

/* A result of a call with several of them, all of them numbers. */
static bool may_be_shared(const Lower *l, const SymNode *pick)
{
    const SymPool *pool = l->c->s->pool;
    if (pick->op != SYM_PICK) return false;
    const DaeFun *f = sym_fun(pool, sym_node(pool, pick->arg[0])->index);
    bool is_number = f->out_n > 1;
    for (uint32_t k = 0; k < f->out_n && is_number; k++) {
        IrType type = fun_type(sym_result_base(f, k));
        is_number = type == IR_REAL || type == IR_INT;
    }
    return is_number;
}

/* Makes the call where the condition is `side`, with all results in an array that is there after
 * the branch too. */
static IrArr make_shared(Lower *l, Sym call, Sym condition, IrReg chosen, bool side)
{
    const SymPool *pool = l->c->s->pool;
    uint32_t n = sym_fun(pool, sym_node(pool, call)->index)->out_n;
    IrArr results =
        n <= LARGEST_SHARED ? ir_array(&l->b, IR_REAL, n, NULL) : ir_array_dynamic(&l->b, IR_REAL, NULL);
    if (n > LARGEST_SHARED) ir_new(&l->b, results, ir_int(&l->b, n));
    ir_if(&l->b, chosen);
    if (!side) ir_else(&l->b);
    Outside outside = enter(l, condition, side);
    lower_real(l, call);
    for (uint32_t k = 0; k < n; k++) ir_store(&l->b, results, IR_NONE, (int32_t)k, l->results[call][k]);
    leave(l, outside);
    ir_end(&l->b);
    return results;
}

/* A branch that is nothing but a result of a call shares the call with other if-expressions. */
static IrReg shared_result(Lower *l, Sym condition, IrReg chosen, const SymNode *pick, bool side)
{
    Sym call = pick->arg[0];
    make_room(l, call);
    uint32_t at = l->lent[call];
    const SharedCall *s = at < l->shared.n ? &l->shared.at[at] : NULL;
    if (!s || s->call != call || s->condition != condition || s->side != side) {
        SharedCall made = { call, condition, side, make_shared(l, call, condition, chosen, side) };
        l->lent[call] = at = l->shared.n;
        vec_push(l->scratch, &l->shared, made);
    }
    return ir_load(&l->b, l->shared.at[at].results, IR_NONE, (int32_t)pick->index);
}

/* The value of a branch where it can be had outside of it; IR_NONE. */
static IrReg branch_outside(Lower *l, Sym condition, IrReg chosen, Sym s, bool side)
{
    SymNode n = *sym_node(l->c->s->pool, s);
    if (l->round[s] == l->now) return l->reg[s];
    if (may_be_shared(l, &n)) return shared_result(l, condition, chosen, &n, side);
    return n.has_call ? IR_NONE : lower_real(l, s);
}

/* Computes what calls nothing below a branch in front of it: several branches need it, and each
 * would compute it anew. */
static void prepare(Lower *l, Sym root)
{
    const SymPool *pool = l->c->s->pool;
    uint32_t bottom = l->stack.n;
    vec_push(l->scratch, &l->stack, root);
    while (l->stack.n > bottom) {
        Sym s = l->stack.at[--l->stack.n];
        const SymNode *n = sym_node(pool, s);
        if (l->round[s] == l->now || l->prepared[s] == l->now) continue;
        l->prepared[s] = l->now;
        bool is_inner = n->has_call || n->op == SYM_ARGS;
        if (!is_inner && type_of(l, s) == IR_REAL) lower_real(l, s);
        for (uint32_t k = 0; is_inner && k < sym_arity((SymOp)n->op); k++)
            vec_push(l->scratch, &l->stack, n->arg[k]);
    }
}

static void lower_branch(Lower *l, Sym condition, bool side, Sym s, IrReg known, IrReg to)
{
    Outside outside = enter(l, condition, side);
    ir_set(&l->b, to, known == IR_NONE ? lower_real(l, s) : known);
    leave(l, outside);
}

/* Only the side that counts is computed, where one of them calls functions. */
static IrReg lower_choice(Lower *l, Sym c, Sym side_yes, Sym side_no)
{
    if (l->truth[c] != UNKNOWN) return lower_real(l, l->truth[c] == HOLDS ? side_yes : side_no);
    IrReg chosen = condition(l, lower_real(l, c));
    if (!l->depth) prepare(l, side_yes);
    if (!l->depth) prepare(l, side_no);
    IrType type = type_of(l, side_yes);
    bool is_number = type == IR_REAL;
    IrReg yes = is_number ? branch_outside(l, c, chosen, side_yes, true) : IR_NONE;
    IrReg no = is_number ? branch_outside(l, c, chosen, side_no, false) : IR_NONE;
    if (yes != IR_NONE && no != IR_NONE) return ir_select(&l->b, chosen, yes, no);
    IrReg value = ir_variable(&l->b, type, NULL);
    ir_if(&l->b, chosen);
    lower_branch(l, c, true, side_yes, yes, value);
    ir_else(&l->b);
    lower_branch(l, c, false, side_no, no, value);
    ir_end(&l->b);
    return value;
}

/* if, and, or with a call on a side that need not count; false: it is none of these. */
static bool lower_lazily(Lower *l, Sym s, IrReg *out)
{
    const SymPool *pool = l->c->s->pool;
    SymNode n = *sym_node(pool, s);
    if (n.op != SYM_IF && n.op != SYM_AND && n.op != SYM_OR) return false;
    if (!sym_node(pool, n.arg[1])->has_call && (n.op != SYM_IF || !sym_node(pool, n.arg[2])->has_call))
        return false;
    make_room(l, n.arg[0]);
    if (n.op == SYM_IF)
        *out = lower_choice(l, n.arg[0], n.arg[1], n.arg[2]);
    else if (n.op == SYM_AND)
        *out = lower_choice(l, n.arg[0], n.arg[1], SYM_ZERO);
    else
        *out = lower_choice(l, n.arg[0], SYM_ONE, n.arg[1]);
    return true;
}

IrReg lower_real(Lower *l, Sym root)
{
    const SymPool *pool = l->c->s->pool;
    make_room(l, root);
    uint32_t bottom = l->stack.n;
    vec_push(l->scratch, &l->stack, root);
    while (l->stack.n > bottom) {
        Sym s = l->stack.at[l->stack.n - 1];
        make_room(l, s);
        if (l->round[s] == l->now) {
            l->stack.n--;
            continue;
        }
        const SymNode *n = sym_node(pool, s);
        IrReg chosen;
        if (n->has_call && lower_lazily(l, s, &chosen)) {
            keep(l, s, chosen);
            l->stack.n--;
            continue;
        }
        uint32_t arity = sym_arity((SymOp)n->op), before = l->stack.n;
        for (uint32_t k = 0; k < arity; k++)
            if (l->round[n->arg[k]] != l->now) vec_push(l->scratch, &l->stack, n->arg[k]);
        if (l->stack.n > before) continue;
        if (n->op == SYM_CALL) l->results[s] = lower_call(l, s);
        keep(l, s, arity ? inner(l, n) : leaf(l, n));
        l->stack.n--;
    }
    return l->reg[root];
}

void lower_assign(Lower *l, const DaeAssign *a)
{
    l->b.source = a->eq != NONE ? a->eq : SOURCE_VARIABLE | a->var;
    IrReg value = lower_number(l, lower_real(l, a->value));
    lower_store(l, MEM_VALUE, a->var, value);
}

void lower_effect(Lower *l, Sym when, Sym call)
{
    ir_if(&l->b, condition(l, lower_real(l, when)));
    Outside outside = enter(l, when, true);
    lower_real(l, call);
    leave(l, outside);
    ir_end(&l->b);
}
