/* derive.c: exact derivatives of expressions, replacing variables, solving for one.
 *
 * A gradient comes from one sweep from the root down (adjoints as expressions), a rate of change from one sweep up;
 * both visit each node below the root once. Relations and what cuts to whole numbers are constant between events.
 * Cost: O(k log k) for k nodes below the root. Tests: tests/dae/sym_test.c. */
#include "dae/inside.h"

static Sym neg(SymPool *p, Sym a) { return sym_one(p, SYM_NEG, a); }
static Sym add(SymPool *p, Sym a, Sym b) { return sym_two(p, SYM_ADD, a, b); }
static Sym sub(SymPool *p, Sym a, Sym b) { return sym_two(p, SYM_SUB, a, b); }
static Sym mul(SymPool *p, Sym a, Sym b) { return sym_two(p, SYM_MUL, a, b); }
static Sym over(SymPool *p, Sym a, Sym b) { return sym_two(p, SYM_DIV, a, b); }
static Sym square(SymPool *p, Sym a) { return mul(p, a, a); }

/* d f(a) / d a for functions of one argument; s is the node itself. */
static Sym slope(SymPool *p, Sym s)
{
    SymNode n = p->nodes.at[s];
    Sym a = n.arg[0];
    switch ((SymOp)n.op) {
    case SYM_NEG: return sym_real(p, -1);
    case SYM_ABS: return sym_one(p, SYM_SIGN, a);
    case SYM_SQRT: return over(p, sym_real(p, 0.5), s);
    case SYM_SIN: return sym_one(p, SYM_COS, a);
    case SYM_COS: return neg(p, sym_one(p, SYM_SIN, a));
    case SYM_TAN: return add(p, SYM_ONE, square(p, s));
    case SYM_ASIN: return over(p, SYM_ONE, sym_one(p, SYM_SQRT, sub(p, SYM_ONE, square(p, a))));
    case SYM_ACOS: return over(p, sym_real(p, -1), sym_one(p, SYM_SQRT, sub(p, SYM_ONE, square(p, a))));
    case SYM_ATAN: return over(p, SYM_ONE, add(p, SYM_ONE, square(p, a)));
    case SYM_SINH: return sym_one(p, SYM_COSH, a);
    case SYM_COSH: return sym_one(p, SYM_SINH, a);
    case SYM_TANH: return sub(p, SYM_ONE, square(p, s));
    case SYM_EXP: return s;
    case SYM_LOG: return over(p, SYM_ONE, a);
    case SYM_LOG10: return over(p, sym_real(p, 0.43429448190325182765), a);
    default: return SYM_ZERO;
    }
}

/* d op(a, b, c) / d argument k, for operations of two and three arguments. */
static Sym slope_in(SymPool *p, Sym s, uint32_t k)
{
    SymNode n = p->nodes.at[s];
    Sym a = n.arg[0], b = n.arg[1];
    switch ((SymOp)n.op) {
    case SYM_ADD: return SYM_ONE;
    case SYM_SUB: return k == 0 ? SYM_ONE : sym_real(p, -1);
    case SYM_MUL: return k == 0 ? b : a;
    case SYM_DIV: return k == 0 ? over(p, SYM_ONE, b) : neg(p, over(p, s, b));
    case SYM_POW:
        return k == 0 ? mul(p, b, sym_two(p, SYM_POW, a, sub(p, b, SYM_ONE)))
                      : mul(p, s, sym_one(p, SYM_LOG, a));
    case SYM_ATAN2: {
        Sym r2 = add(p, square(p, a), square(p, b));
        return k == 0 ? over(p, b, r2) : neg(p, over(p, a, r2));
    }
    case SYM_MIN:
        return sym_if(p, sym_two(p, SYM_LT, a, b), k == 0 ? SYM_ONE : SYM_ZERO, k == 0 ? SYM_ZERO : SYM_ONE);
    case SYM_MAX:
        return sym_if(p, sym_two(p, SYM_LT, b, a), k == 0 ? SYM_ONE : SYM_ZERO, k == 0 ? SYM_ZERO : SYM_ONE);
    default: return SYM_ZERO;
    }
}

/* What does not depend on an argument still does not when other arguments change. */
static Sym copy_result(SymPool *p, Sym from, Sym call)
{
    Sym to = sym_result(p, call, p->nodes.at[from].index);
    uint32_t n = 0;
    for (Sym at = p->nodes.at[call].arg[0]; p->nodes.at[at].op == SYM_LIST; at = p->nodes.at[at].arg[1], n++)
        if (sym_partial(p, from, n) == SYM_ZERO) sym_set_partial(p, to, n, SYM_ZERO);
    return to;
}

/* d result / d argument n, where nothing else is known: a central difference. The increment is a power of two near the
 * cube root of the rounding unit times the size of the argument, so that the two points differ by exactly 2 h. */
static Sym difference(SymPool *p, Sym result, uint32_t n, Sym x)
{
    Sym call = p->nodes.at[result].arg[0], h, points[2];
    uint32_t id = p->nodes.at[call].index, count = 0;
    Sym small = sym_real(p, 0x1p-17), size = sym_two(p, SYM_MAX, sym_one(p, SYM_ABS, x), SYM_ONE);
    h = mul(p, small, size);
    Sym above = add(p, x, h), below = sub(p, x, h);
    for (Sym at = p->nodes.at[call].arg[0]; p->nodes.at[at].op == SYM_LIST; at = p->nodes.at[at].arg[1]) count++;
    Sym *args = NEW_ARRAY(p->arena, Sym, count + 1);
    for (int side = 0; side < 2; side++) {
        uint32_t k = 0;
        for (Sym at = p->nodes.at[call].arg[0]; k < count; at = p->nodes.at[at].arg[1], k++)
            args[k] = k == n ? (side ? below : above) : p->nodes.at[at].arg[0];
        points[side] = copy_result(p, result, sym_call(p, id, args, count));
    }
    return over(p, sub(p, points[0], points[1]), sub(p, above, below));
}

/* What reaches argument n of a call, which is x, when `adjoint` reaches one of its results. */
static Sym pass_to_argument(SymPool *p, Sym result, uint32_t n, Sym x, Sym adjoint)
{
    Sym partial = sym_partial(p, result, n);
    if (partial == NONE) partial = difference(p, result, n, x);
    return partial == SYM_ZERO ? SYM_ZERO : mul(p, adjoint, partial);
}

/* What reaches argument k of node s when `adjoint` reaches s. */
static Sym pass_down(SymPool *p, Sym s, uint32_t k, Sym adjoint)
{
    SymNode n = p->nodes.at[s];
    switch ((SymOp)n.op) {
    case SYM_ADD: return adjoint;
    case SYM_SUB: return k == 0 ? adjoint : neg(p, adjoint);
    case SYM_NEG: return neg(p, adjoint);
    case SYM_DIV: return k == 0 ? over(p, adjoint, n.arg[1]) : neg(p, mul(p, adjoint, over(p, s, n.arg[1])));
    case SYM_IF:
        if (k == 0) return SYM_ZERO;
        return k == 1 ? sym_if(p, n.arg[0], adjoint, SYM_ZERO) : sym_if(p, n.arg[0], SYM_ZERO, adjoint);
    default: break;
    }
    Sym partial = sym_arity((SymOp)n.op) == 1 ? slope(p, s) : slope_in(p, s, k);
    return partial == SYM_ZERO ? SYM_ZERO : mul(p, adjoint, partial);
}

/* Marks in pool->work, by place, the nodes that contain a variable: the others need no adjoints. */
static void mark_varying(SymPool *pool)
{
    pool->work.n = 0;
    for (uint32_t i = 0; i < pool->seen.n; i++) {
        SymNode n = pool->nodes.at[pool->seen.at[i]];
        Sym varies = n.op == SYM_VAR;
        for (uint32_t k = 0; k < sym_arity((SymOp)n.op); k++) varies |= pool->work.at[pool->place[n.arg[k]]];
        vec_push(pool->arena, &pool->work, varies);
    }
}

Gradient sym_gradient(SymPool *pool, Sym root)
{
    sym_walk(pool, root);
    mark_varying(pool);
    uint32_t count = pool->seen.n;
    for (uint32_t i = 0; i < count; i++) vec_push(pool->arena, &pool->work, SYM_ZERO);
    Sym *adjoint = pool->work.at + count;
    const Sym *varies = pool->work.at;
    uint32_t vars = 0;
    for (uint32_t i = 0; i < count; i++) vars += pool->nodes.at[pool->seen.at[i]].op == SYM_VAR;
    Gradient g = { NEW_ARRAY(pool->arena, Partial, vars), 0 };
    adjoint[count - 1] = SYM_ONE;
    for (uint32_t i = count; i-- > 0;) {
        Sym s = pool->seen.at[i];
        SymNode n = pool->nodes.at[s];
        if (n.op == SYM_VAR) g.at[g.n++] = (Partial){ n.index, adjoint[i] };
        if (adjoint[i] == SYM_ZERO || !varies[i] || n.op == SYM_CALL || n.op == SYM_LIST) continue;
        Sym list = n.op == SYM_RESULT ? pool->nodes.at[n.arg[0]].arg[0] : NONE;
        for (uint32_t k = 0; list != NONE && pool->nodes.at[list].op == SYM_LIST; k++) {
            Sym x = pool->nodes.at[list].arg[0];
            uint32_t at = pool->place[x];
            if (varies[at]) adjoint[at] = add(pool, adjoint[at], pass_to_argument(pool, s, k, x, adjoint[i]));
            list = pool->nodes.at[list].arg[1];
        }
        if (n.op == SYM_RESULT) continue;
        for (uint32_t k = 0; k < sym_arity((SymOp)n.op); k++) {
            uint32_t at = pool->place[n.arg[k]];
            if (varies[at]) adjoint[at] = add(pool, adjoint[at], pass_down(pool, s, k, adjoint[i]));
        }
    }
    return g;
}

/* ---- sweeps up ---- */

static Sym rebuild(SymPool *pool, Sym s, const Sym *up)
{
    SymNode n = pool->nodes.at[s];
    Sym a[3] = { 0 };
    bool is_new = false;
    uint32_t arity = sym_arity((SymOp)n.op);
    for (uint32_t k = 0; k < arity; k++) {
        a[k] = up[pool->place[n.arg[k]]];
        is_new |= a[k] != n.arg[k];
    }
    if (!is_new) return s;
    if (n.op == SYM_RESULT) return copy_result(pool, s, a[0]);
    if (n.op == SYM_CALL) return sym_call_list(pool, n.index, a[0]);
    if (arity == 1) return sym_one(pool, (SymOp)n.op, a[0]);
    if (arity == 2) return sym_two(pool, (SymOp)n.op, a[0], a[1]);
    return sym_if(pool, a[0], a[1], a[2]);
}

Sym sym_replace_one(SymPool *pool, Sym root, uint32_t var, Sym by)
{
    sym_walk(pool, root);
    uint32_t count = pool->seen.n;
    pool->work.n = 0;
    for (uint32_t i = 0; i < count; i++) {
        Sym s = pool->seen.at[i], now = s;
        SymNode n = pool->nodes.at[s];
        if (n.op == SYM_VAR && n.index == var)
            now = by;
        else if (sym_arity((SymOp)n.op))
            now = rebuild(pool, s, pool->work.at);
        vec_push(pool->arena, &pool->work, now);
    }
    return pool->work.at[count - 1];
}

static Sym rate_of_result(SymPool *pool, Sym s, const Sym *up)
{
    Sym sum = SYM_ZERO, list = pool->nodes.at[pool->nodes.at[s].arg[0]].arg[0];
    for (uint32_t k = 0; pool->nodes.at[list].op == SYM_LIST; k++, list = pool->nodes.at[list].arg[1]) {
        Sym x = pool->nodes.at[list].arg[0], r = up[pool->place[x]];
        if (r != SYM_ZERO) sum = add(pool, sum, pass_to_argument(pool, s, k, x, r));
    }
    return sum;
}

static Sym rate_of(SymPool *pool, Sym s, const Sym *up)
{
    SymNode n = pool->nodes.at[s];
    if (n.op == SYM_RESULT) return rate_of_result(pool, s, up);
    if (n.op == SYM_CALL || n.op == SYM_LIST) return SYM_ZERO;
    if (n.op == SYM_IF) return sym_if(pool, n.arg[0], up[pool->place[n.arg[1]]], up[pool->place[n.arg[2]]]);
    Sym sum = SYM_ZERO;
    for (uint32_t k = 0; k < sym_arity((SymOp)n.op); k++) {
        Sym r = up[pool->place[n.arg[k]]];
        if (r == SYM_ZERO) continue;
        sum = add(pool, sum, pass_down(pool, s, k, r));
    }
    return sum;
}

Sym sym_rate(SymPool *pool, Sym root, const Sym *rate, Sym of_time)
{
    sym_walk(pool, root);
    uint32_t count = pool->seen.n;
    pool->work.n = 0;
    for (uint32_t i = 0; i < count; i++) {
        Sym s = pool->seen.at[i];
        SymNode n = pool->nodes.at[s];
        Sym r = SYM_ZERO;
        if (n.op == SYM_VAR)
            r = rate[n.index] == NONE ? SYM_ZERO : rate[n.index];
        else if (n.op == SYM_TIME)
            r = of_time;
        else
            r = rate_of(pool, s, pool->work.at);
        vec_push(pool->arena, &pool->work, r);
    }
    return pool->work.at[count - 1];
}

bool sym_contains(SymPool *pool, Sym root, uint32_t var)
{
    sym_walk(pool, root);
    for (uint32_t i = 0; i < pool->seen.n; i++) {
        const SymNode *n = &pool->nodes.at[pool->seen.at[i]];
        if (n->op == SYM_VAR && n->index == var) return true;
    }
    return false;
}

bool sym_is_fixed(SymPool *pool, const System *system, Sym s, bool discrete_too)
{
    sym_walk(pool, s);
    for (uint32_t i = 0; i < pool->seen.n; i++) {
        const SymNode *n = &pool->nodes.at[pool->seen.at[i]];
        if (n->op == SYM_TIME) return false;
        if (!discrete_too && n->op >= SYM_PRE && n->op <= SYM_TERMINAL) return false;
        if (n->op != SYM_VAR) continue;
        uint8_t role = system->vars.at[n->index].role;
        if (role > (discrete_too ? ROLE_DISCRETE : ROLE_PARAMETER) || role == ROLE_INPUT) return false;
    }
    return true;
}

Sym sym_solve(SymPool *pool, const System *system, const DaeEq *eq, uint32_t var, Sym coefficient)
{
    Sym v = sym_leaf(pool, SYM_VAR, var);
    if (eq->left == v && !sym_contains(pool, eq->right, var)) return eq->right;
    if (eq->right == v && !sym_contains(pool, eq->left, var)) return eq->left;
    double c;
    bool is_number = sym_is_real(pool, coefficient, &c);
    if (is_number && c == 0) return NONE;
    if (!is_number && !sym_is_fixed(pool, system, coefficient, false)) return NONE;
    Sym right = sym_replace_one(pool, eq->right, var, SYM_ZERO);
    Sym left = sym_replace_one(pool, eq->left, var, SYM_ZERO);
    if (is_number && c < 0) return over(pool, sub(pool, left, right), sym_real(pool, -c));
    return over(pool, sub(pool, right, left), coefficient);
}
