/* sym.c: the pool of expressions. Equal expressions are one node; building simplifies, but never so
 * that an expression gets a value where it had none: 0*x is 0 only where x cannot be infinite or
 * undefined (`is_total`), x/x stays.
 *
 * Always: children have smaller ids than parents. Cost: O(1) a node, expected. Tests:
 * tests/dae/sym_test.c. */
#include "dae/inside.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    const char *text;
    uint8_t arity;
} ops[] = {
#define SYM(id, text, arity) { text, arity },
    SYM_OPS(SYM)
#undef SYM
};

const SymNode *sym_node(const SymPool *pool, Sym s) { return &pool->nodes.at[s]; }
uint32_t sym_arity(SymOp op) { return ops[op].arity; }
const char *sym_text(SymOp op) { return ops[op].text; }

SymPool *sym_pool_new(Arena *arena)
{
    SymPool *pool = NEW(arena, SymPool);
    pool->arena = arena;
    pool->map.arena = arena;
    sym_real(pool, 0.0);
    sym_real(pool, 1.0);
    return pool;
}

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ (h >> 29);
}

static bool same(const SymNode *a, const SymNode *b)
{
    if (a->op != b->op || a->index != b->index) return false;
    if (a->op == SYM_REAL) return !memcmp(&a->real, &b->real, sizeof a->real);
    return !memcmp(a->arg, b->arg, ops[a->op].arity * sizeof(Sym));
}

static Sym intern(SymPool *pool, SymNode n)
{
    uint64_t bits = 0, h = mix(n.op + 1u, n.index);
    if (n.op == SYM_REAL) {
        memcpy(&bits, &n.real, sizeof bits);
        h = mix(h, bits);
    }
    for (uint32_t i = 0; i < ops[n.op].arity; i++) h = mix(h, n.arg[i]);
    bool is_new = true;
    for (uint64_t *at; at = map_put(&pool->map, h, &is_new), true; h++) {
        if (is_new) {
            *at = pool->nodes.n;
            vec_push(pool->arena, &pool->nodes, n);
            return pool->nodes.n - 1;
        }
        if (same(&pool->nodes.at[*at], &n)) return (Sym)*at;
    }
}

Sym sym_real(SymPool *pool, double value)
{
    return intern(pool, (SymNode){ .op = SYM_REAL, .is_total = isfinite(value), .real = value });
}

Sym sym_leaf(SymPool *pool, SymOp op, uint32_t index)
{
    return intern(pool, (SymNode){ .op = (uint8_t)op, .is_total = true, .index = index });
}

Sym sym_string(SymPool *pool, Str text)
{
    for (uint32_t i = 0; i < pool->texts.n; i++)
        if (str_equal(pool->texts.at[i], text)) return sym_leaf(pool, SYM_TEXT, i);
    text.at = arena_copy(pool->arena, text);
    vec_push(pool->arena, &pool->texts, text);
    return sym_leaf(pool, SYM_TEXT, pool->texts.n - 1);
}

Str sym_text_of(const SymPool *pool, uint32_t text) { return pool->texts.at[text]; }

bool sym_is_real(const SymPool *pool, Sym s, double *value)
{
    const SymNode *n = &pool->nodes.at[s];
    if (n->op != SYM_REAL) return false;
    *value = n->real;
    return true;
}

bool sym_is(const SymPool *pool, Sym s, SymOp op) { return pool->nodes.at[s].op == op; }

static double sign(double a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }

double sym_compute(SymOp op, double a, double b, double c)
{
    switch (op) {
    case SYM_NEG: return -a;
    case SYM_ABS: return fabs(a);
    case SYM_SIGN: return sign(a);
    case SYM_SQRT: return sqrt(a);
    case SYM_SIN: return sin(a);
    case SYM_COS: return cos(a);
    case SYM_TAN: return tan(a);
    case SYM_ASIN: return asin(a);
    case SYM_ACOS: return acos(a);
    case SYM_ATAN: return atan(a);
    case SYM_SINH: return sinh(a);
    case SYM_COSH: return cosh(a);
    case SYM_TANH: return tanh(a);
    case SYM_EXP: return exp(a);
    case SYM_LOG: return log(a);
    case SYM_LOG10: return log10(a);
    case SYM_FLOOR: return floor(a);
    case SYM_CEIL: return ceil(a);
    case SYM_TRUNC: return trunc(a);
    case SYM_NOT: return a == 0;
    case SYM_ADD: return a + b;
    case SYM_SUB: return a - b;
    case SYM_MUL: return a * b;
    case SYM_DIV: return a / b;
    case SYM_POW: return pow(a, b);
    case SYM_ATAN2: return atan2(a, b);
    case SYM_MIN: return a < b ? a : b;
    case SYM_MAX: return a > b ? a : b;
    case SYM_LT: return a < b;
    case SYM_LE: return a <= b;
    case SYM_EQ: return a == b;
    case SYM_NE: return a != b;
    case SYM_AND: return a != 0 && b != 0;
    case SYM_OR: return a != 0 || b != 0;
    case SYM_IF: return a != 0 ? b : c;
    case SYM_WITHIN: return a;
    default: return 0;
    }
}

/* Operations that give a finite value for every finite argument, overflow aside. */
static bool keeps_total(SymOp op)
{
    switch (op) {
    case SYM_SQRT:
    case SYM_TAN:
    case SYM_ASIN:
    case SYM_ACOS:
    case SYM_LOG:
    case SYM_LOG10:
    case SYM_DIV:
    case SYM_POW:
    case SYM_CALL: return false;
    default: return true;
    }
}

static Sym make(SymPool *pool, SymOp op, Sym a, Sym b, Sym c)
{
    SymNode n = { .op = (uint8_t)op, .is_total = keeps_total(op) };
    const Sym arg[3] = { a, b, c };
    for (uint32_t i = 0; i < ops[op].arity; i++) {
        n.arg[i] = arg[i];
        n.is_total &= pool->nodes.at[arg[i]].is_total;
        n.has_call |= pool->nodes.at[arg[i]].has_call;
    }
    double power;
    if (op == SYM_POW && sym_is_real(pool, b, &power) && power >= 1 && power == floor(power))
        n.is_total = pool->nodes.at[a].is_total;
    return intern(pool, n);
}

/* Libm's functions are left to the code, so that all ways of running give the same bits. */
static bool is_exact(SymOp op)
{
    return op == SYM_SQRT || !(op >= SYM_SIN && op <= SYM_LOG10) || op == SYM_NEG;
}

Sym sym_one(SymPool *pool, SymOp op, Sym a)
{
    double x;
    if (sym_is_real(pool, a, &x) && is_exact(op)) {
        double value = sym_compute(op, x, 0, 0);
        if (isfinite(value)) return sym_real(pool, value);
    }
    const SymNode *n = &pool->nodes.at[a];
    if ((op == SYM_NEG && n->op == SYM_NEG) || (op == SYM_NOT && n->op == SYM_NOT)) return n->arg[0];
    if (op == SYM_NEG && n->op == SYM_SUB) {
        Sym left = n->arg[0], right = n->arg[1];
        return make(pool, SYM_SUB, right, left, 0);
    }
    return make(pool, op, a, 0, 0);
}

static Sym simplify_sum(SymPool *pool, SymOp op, Sym a, Sym b)
{
    if (b == SYM_ZERO) return a;
    if (a == SYM_ZERO) return op == SYM_ADD ? b : sym_one(pool, SYM_NEG, b);
    if (op == SYM_SUB && a == b && pool->nodes.at[a].is_total) return SYM_ZERO;
    if (pool->nodes.at[b].op == SYM_NEG)
        return make(pool, op == SYM_ADD ? SYM_SUB : SYM_ADD, a, pool->nodes.at[b].arg[0], 0);
    if (op == SYM_ADD && pool->nodes.at[a].op == SYM_NEG)
        return make(pool, SYM_SUB, b, pool->nodes.at[a].arg[0], 0);
    return make(pool, op, a, b, 0);
}

static Sym simplify_product(SymPool *pool, Sym a, Sym b)
{
    if (a == SYM_ONE) return b;
    if (b == SYM_ONE) return a;
    if ((a == SYM_ZERO && pool->nodes.at[b].is_total) || (b == SYM_ZERO && pool->nodes.at[a].is_total))
        return SYM_ZERO;
    double x;
    if (sym_is_real(pool, a, &x) && x == -1) return sym_one(pool, SYM_NEG, b);
    if (sym_is_real(pool, b, &x) && x == -1) return sym_one(pool, SYM_NEG, a);
    bool minus = false;
    if (pool->nodes.at[a].op == SYM_NEG) a = pool->nodes.at[a].arg[0], minus = !minus;
    if (pool->nodes.at[b].op == SYM_NEG) b = pool->nodes.at[b].arg[0], minus = !minus;
    Sym product = make(pool, SYM_MUL, a < b ? a : b, a < b ? b : a, 0);
    return minus ? sym_one(pool, SYM_NEG, product) : product;
}

static Sym simplify_logic(SymPool *pool, SymOp op, Sym a, Sym b)
{
    double x;
    if (a == b) return a;
    const SymNode *p = &pool->nodes.at[a], *q = &pool->nodes.at[b];
    if ((p->op == SYM_NOT && p->arg[0] == b) || (q->op == SYM_NOT && q->arg[0] == a))
        return op == SYM_AND ? SYM_ZERO : SYM_ONE;
    if (sym_is_real(pool, a, &x)) return (x != 0) == (op == SYM_AND) ? b : a;
    if (sym_is_real(pool, b, &x)) return (x != 0) == (op == SYM_AND) ? a : b;
    return make(pool, op, a, b, 0);
}

/* Joins or compares two texts. */
static Sym fold_texts(SymPool *pool, SymOp op, Str a, Str b)
{
    if (op == SYM_ADD)
        return sym_string(pool,
                          str_of(arena_printf(pool->arena, "%.*s%.*s", (int)a.n, a.at, (int)b.n, b.at)));
    int order = memcmp(a.at, b.at, size_min(a.n, b.n));
    if (!order) order = (a.n > b.n) - (a.n < b.n);
    return sym_real(pool, sym_compute(op, order, 0, 0));
}

Sym sym_two(SymPool *pool, SymOp op, Sym a, Sym b)
{
    double x, y;
    if (pool->nodes.at[a].op == SYM_TEXT && pool->nodes.at[b].op == SYM_TEXT && op != SYM_ARGS)
        return fold_texts(pool, op, pool->texts.at[pool->nodes.at[a].index],
                          pool->texts.at[pool->nodes.at[b].index]);
    bool a_real = sym_is_real(pool, a, &x), b_real = sym_is_real(pool, b, &y);
    if (a_real && b_real && op != SYM_POW && op != SYM_ATAN2) {
        double value = sym_compute(op, x, y, 0);
        if (isfinite(value)) return sym_real(pool, value);
    }
    switch (op) {
    case SYM_ADD:
    case SYM_SUB: return simplify_sum(pool, op, a, b);
    case SYM_MUL: return simplify_product(pool, a, b);
    case SYM_DIV:
        if (b_real && y == 1) return a;
        if (b_real && y == -1) return sym_one(pool, SYM_NEG, a);
        if (a == SYM_ZERO && b_real && y != 0) return SYM_ZERO;
        return make(pool, op, a, b, 0);
    case SYM_POW:
        if (b_real && y == 1) return a;
        if (b_real && y == 0 && pool->nodes.at[a].is_total) return SYM_ONE;
        return make(pool, op, a, b, 0);
    case SYM_AND:
    case SYM_OR: return simplify_logic(pool, op, a, b);
    default: return make(pool, op, a, b, 0);
    }
}

Sym sym_if(SymPool *pool, Sym condition, Sym yes, Sym no)
{
    double c;
    if (sym_is_real(pool, condition, &c)) return c != 0 ? yes : no;
    const SymNode *y = &pool->nodes.at[yes], *n = &pool->nodes.at[no];
    if (y->op == SYM_IF && y->arg[0] == condition) yes = y->arg[1];
    if (n->op == SYM_IF && n->arg[0] == condition) no = n->arg[2];
    if (yes == no) return yes;
    if (yes == SYM_ONE && no == SYM_ZERO) return condition;
    return make(pool, SYM_IF, condition, yes, no);
}

uint32_t sym_count(const SymPool *pool) { return pool->nodes.n; }

/* ---- calls ----------------------------------------------------------------------------------- */

const DaeFun *sym_fun(const SymPool *pool, uint32_t fun) { return &pool->funs.at[fun]; }
uint32_t sym_fun_count(const SymPool *pool) { return pool->funs.n; }

Sym sym_list(SymPool *pool, Sym first, Sym rest) { return make(pool, SYM_ARGS, first, rest, 0); }

Sym sym_args(SymPool *pool, const Sym *args, uint32_t n)
{
    Sym list = SYM_ZERO;
    for (uint32_t i = n; i-- > 0;) list = sym_list(pool, args[i], list);
    return list;
}

Sym sym_indexed(SymPool *pool, SymOp op, uint32_t index, Sym a)
{
    const SymNode *n = &pool->nodes.at[a];
    bool fails = op == SYM_WITHIN;
    SymNode made = {
        .op = (uint8_t)op, .is_total = n->is_total && !fails, .has_call = n->has_call || fails, .index = index
    };
    made.arg[0] = a;
    return intern(pool, made);
}

Sym sym_format(SymPool *pool, uint8_t base, Sym value, Sym options)
{
    SymNode n = { .op = SYM_STRING, .is_total = true, .index = base, .arg = { value, options, 0 } };
    n.has_call = pool->nodes.at[value].has_call;
    return intern(pool, n);
}

Sym sym_call(SymPool *pool, uint32_t fun, Sym args)
{
    return intern(pool, (SymNode){ .op = SYM_CALL, .has_call = true, .index = fun, .arg = { args, 0, 0 } });
}

Sym sym_pick(SymPool *pool, Sym call, uint32_t scalar)
{
    return intern(pool,
                  (SymNode){ .op = SYM_PICK, .has_call = true, .index = scalar, .arg = { call, 0, 0 } });
}

uint32_t sym_fun_der(SymPool *pool, uint32_t fun)
{
    if (pool->funs.at[fun].der != NONE) return pool->funs.at[fun].der;
    DaeFun f = pool->funs.at[fun];
    uint32_t n = f.in_n;
    for (uint32_t i = 0; i < f.in_n; i++) n += f.in_is_real[i];
    uint8_t *is_real = NEW_ARRAY(pool->arena, uint8_t, n + 1);
    memset(is_real, 1, n);
    memcpy(is_real, f.in_is_real, f.in_n);
    f.order++;
    f.base = fun;
    f.der = NONE;
    f.in_n = n;
    f.in_is_real = is_real;
    vec_push(pool->arena, &pool->funs, f);
    pool->funs.at[fun].der = pool->funs.n - 1;
    return pool->funs.n - 1;
}

static int by_id(const void *a, const void *b)
{
    Sym x = *(const Sym *)a, y = *(const Sym *)b;
    return (x > y) - (x < y);
}

static void visit(SymPool *pool, Sym s)
{
    if (pool->stamp[s] == pool->round) return;
    pool->stamp[s] = pool->round;
    vec_push(pool->arena, &pool->stack, s);
}

/* Most expressions are small, and a call for each comparison costs more than moving some
 * numbers. */
static void sort_seen(Sym *at, uint32_t n)
{
    enum { SMALL = 24 };
    if (n > SMALL) {
        qsort(at, n, sizeof *at, by_id);
        return;
    }
    for (uint32_t i = 1; i < n; i++) {
        Sym s = at[i];
        uint32_t k = i;
        for (; k > 0 && at[k - 1] > s; k--) at[k] = at[k - 1];
        at[k] = s;
    }
}

static void collect(SymPool *pool, Sym root)
{
    if (pool->stamp_room < pool->nodes.n) {
        uint32_t room = pool->nodes.n * 2 + 64;
        pool->stamp = NEW_ARRAY(pool->arena, uint32_t, room);
        pool->place = NEW_ARRAY(pool->arena, uint32_t, room);
        pool->stamp_room = room;
        pool->round = 0;
    }
    pool->round++;
    pool->seen.n = pool->stack.n = 0;
    visit(pool, root);
    while (pool->stack.n) {
        Sym s = pool->stack.at[--pool->stack.n];
        vec_push(pool->arena, &pool->seen, s);
        const SymNode *n = &pool->nodes.at[s];
        for (uint32_t i = 0; i < ops[n->op].arity; i++) visit(pool, n->arg[i]);
    }
}

void sym_walk(SymPool *pool, Sym root)
{
    collect(pool, root);
    sort_seen(pool->seen.at, pool->seen.n);
    for (uint32_t i = 0; i < pool->seen.n; i++) pool->place[pool->seen.at[i]] = i;
}

void sym_walk_variables(SymPool *pool, Sym root)
{
    uint32_t n = 0;
    collect(pool, root);
    for (uint32_t i = 0; i < pool->seen.n; i++)
        if (pool->nodes.at[pool->seen.at[i]].op == SYM_VAR) pool->seen.at[n++] = pool->seen.at[i];
    pool->seen.n = n;
    sort_seen(pool->seen.at, n);
}
