/* derive.c: exact derivatives of expressions, replacing variables, solving for one.
 *
 * A gradient comes from one sweep from the root down (adjoints as expressions), a rate of change
 * from one sweep up; both visit each node below the root once. What is below a branch that is not
 * taken may be no number there: an adjoint carries the condition under which it counts, and the
 * choice is made last, at the variable. Relations and what cuts to whole numbers are constant
 * between events. Cost: O(k log k) for k nodes below the root. Tests: tests/dae/sym_test.c. */
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
    case SYM_HISTORY: return sym_indexed(p, SYM_HISTORY_SLOPE, n.index, a);
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

/* What reaches argument k of node s when `adjoint` reaches s. */
static Sym pass_down(SymPool *p, Sym s, uint32_t k, Sym adjoint)
{
    SymNode n = p->nodes.at[s];
    switch ((SymOp)n.op) {
    case SYM_ADD: return adjoint;
    case SYM_SUB: return k == 0 ? adjoint : neg(p, adjoint);
    case SYM_NEG: return neg(p, adjoint);
    case SYM_DIV: return k == 0 ? over(p, adjoint, n.arg[1]) : neg(p, mul(p, adjoint, over(p, s, n.arg[1])));
    case SYM_IF: return k == 0 ? SYM_ZERO : adjoint;
    default: break;
    }
    Sym partial = sym_arity((SymOp)n.op) == 1 ? slope(p, s) : slope_in(p, s, k);
    return partial == SYM_ZERO ? SYM_ZERO : mul(p, adjoint, partial);
}

/* The scalars of a call's list of arguments. */
static uint32_t list_of(SymPool *p, Sym call, Syms *out)
{
    out->n = 0;
    for (Sym at = p->nodes.at[call].arg[0]; p->nodes.at[at].op == SYM_ARGS; at = p->nodes.at[at].arg[1])
        vec_push(p->arena, out, p->nodes.at[at].arg[0]);
    return out->n;
}

/* Scalar k of the derivative of a call, in the directions after its arguments in `args`. */
static Sym call_rate(SymPool *p, Sym call, uint32_t k, const Syms *args)
{
    uint32_t der = sym_fun_der(p, p->nodes.at[call].index);
    return sym_pick(p, sym_call(p, der, sym_args(p, args->at, args->n)), k);
}

/* From where on the arguments of a function are directions, in which it is linear: it is a
 * derivative itself. */
static uint32_t first_direction(const SymPool *p, const DaeFun *f)
{
    return f->order ? p->funs.at[f->base].in_n : f->in_n;
}

/* Whether a call is a derivative whose directions are all zero, and so is what it gives. */
static bool is_at_rest(SymPool *p, Sym call)
{
    const DaeFun *f = &p->funs.at[p->nodes.at[call].index];
    Syms args = { 0 };
    uint32_t count = f->order ? list_of(p, call, &args) : 0;
    for (uint32_t i = first_direction(p, f); i < count; i++)
        if (args.at[i] != SYM_ZERO) return false;
    return count > 0;
}

/* What direction j of a call makes of its scalar k: the same call in that unit direction. */
static Sym direction_rate(SymPool *p, Sym call, uint32_t k, uint32_t j)
{
    Syms args = { 0 };
    uint32_t fun = p->nodes.at[call].index, count = list_of(p, call, &args);
    for (uint32_t i = first_direction(p, &p->funs.at[fun]); i < count; i++)
        args.at[i] = i == j ? SYM_ONE : SYM_ZERO;
    return sym_pick(p, sym_call(p, fun, sym_args(p, args.at, args.n)), k);
}

/* Whether a leaf is what derivatives are taken in. */
static bool is_variable(const SymNode *n, bool is_wide)
{
    return n->op == SYM_VAR || (is_wide && (n->op == SYM_PRE || n->op == SYM_TIME));
}

static uint32_t column_of(const SymNode *n)
{
    return n->op == SYM_TIME ? PARTIAL_TIME : n->op == SYM_PRE ? n->index | PARTIAL_PRE : n->index;
}

/* Marks in pool->work, by place, the nodes that contain a variable: the others need no adjoints. */
static void mark_varying(SymPool *pool, bool is_wide)
{
    pool->work.n = 0;
    for (uint32_t i = 0; i < pool->seen.n; i++) {
        SymNode n = pool->nodes.at[pool->seen.at[i]];
        Sym varies = is_variable(&n, is_wide);
        for (uint32_t k = 0; k < sym_arity((SymOp)n.op); k++) varies |= pool->work.at[pool->place[n.arg[k]]];
        vec_push(pool->arena, &pool->work, varies);
    }
}

/* An adjoint, and when it counts: SYM_ONE always, NONE as long as nothing has reached the node. */
typedef struct {
    Sym value, when;
} Adjoint;

static Sym counted(SymPool *p, Adjoint a)
{
    return a.when == SYM_ONE || a.when == NONE ? a.value : sym_if(p, a.when, a.value, SYM_ZERO);
}

static Adjoint join(SymPool *p, Adjoint a, Adjoint b)
{
    if (b.value == SYM_ZERO) return a;
    if (a.when == NONE) return b;
    if (a.when == b.when) return (Adjoint){ add(p, a.value, b.value), a.when };
    Sym when = a.when == SYM_ONE || b.when == SYM_ONE ? SYM_ONE : sym_two(p, SYM_OR, a.when, b.when);
    return (Adjoint){ add(p, counted(p, a), counted(p, b)), when };
}

/* When argument k of node n counts, given when the node itself does. */
static Sym when_below(SymPool *p, const SymNode *n, uint32_t k, Sym when)
{
    if (n->op != SYM_IF || k == 0) return when;
    Sym here = k == 1 ? n->arg[0] : sym_one(p, SYM_NOT, n->arg[0]);
    return when == SYM_ONE ? here : sym_two(p, SYM_AND, when, here);
}

/* What reaches the arguments of a call when `adjoint` reaches one of its results: by derivatives in
 * unit directions. */
static void pass_to_arguments(SymPool *p, Sym pick, Adjoint adjoint, const Sym *varies, Sym *value, Sym *when)
{
    SymNode n = p->nodes.at[pick];
    Sym call = n.arg[0];
    const DaeFun f = p->funs.at[p->nodes.at[call].index];
    if (!f.out_is_real[n.index]) return;
    Syms args = { 0 };
    uint32_t count = list_of(p, call, &args), first = count;
    for (uint32_t j = 0; j < count; j++)
        if (f.in_is_real[j]) vec_push(p->arena, &args, SYM_ZERO);
    for (uint32_t j = 0, d = first; j < count; j++) {
        if (!f.in_is_real[j]) continue;
        uint32_t at = p->place[args.at[j]];
        if (varies[at]) {
            args.at[d] = SYM_ONE;
            Sym rate = j < first_direction(p, &f) ? call_rate(p, call, n.index, &args)
                                                  : direction_rate(p, call, n.index, j);
            Adjoint below = { mul(p, adjoint.value, rate), adjoint.when };
            Adjoint now = join(p, (Adjoint){ value[at], when[at] }, below);
            value[at] = now.value;
            when[at] = now.when;
            args.at[d] = SYM_ZERO;
        }
        d++;
    }
}

Gradient sym_gradient(SymPool *pool, Sym root, bool is_wide)
{
    sym_walk(pool, root);
    mark_varying(pool, is_wide);
    uint32_t count = pool->seen.n, vars = 0;
    for (uint32_t i = 0; i < count; i++) {
        vec_push(pool->arena, &pool->work, SYM_ZERO);
        vars += is_variable(&pool->nodes.at[pool->seen.at[i]], is_wide);
    }
    for (uint32_t i = 0; i < count; i++) vec_push(pool->arena, &pool->work, NONE);
    const Sym *varies = pool->work.at;
    Sym *value = pool->work.at + count, *when = value + count;
    Gradient g = { NEW_ARRAY(pool->arena, Partial, vars), 0 };
    value[count - 1] = when[count - 1] = SYM_ONE;
    for (uint32_t i = count; i-- > 0;) {
        Sym s = pool->seen.at[i];
        SymNode n = pool->nodes.at[s];
        if (is_variable(&n, is_wide))
            g.at[g.n++] = (Partial){ column_of(&n), counted(pool, (Adjoint){ value[i], when[i] }) };
        if (value[i] == SYM_ZERO || !varies[i]) continue;
        if (n.op == SYM_PICK) {
            pass_to_arguments(pool, s, (Adjoint){ value[i], when[i] }, varies, value, when);
            continue;
        }
        for (uint32_t k = 0; k < sym_arity((SymOp)n.op); k++) {
            uint32_t at = pool->place[n.arg[k]];
            if (!varies[at]) continue;
            Adjoint below = { pass_down(pool, s, k, value[i]), when_below(pool, &n, k, when[i]) };
            Adjoint now = join(pool, (Adjoint){ value[at], when[at] }, below);
            value[at] = now.value;
            when[at] = now.when;
        }
    }
    return g;
}

/* ---- sweeps up ------------------------------------------------------------------------------- */

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
    if (n.op == SYM_CALL) return sym_call(pool, n.index, a[0]);
    if (n.op == SYM_PICK) return sym_pick(pool, a[0], n.index);
    if (n.op == SYM_HISTORY || n.op == SYM_HISTORY_SLOPE || n.op == SYM_WITHIN)
        return sym_indexed(pool, (SymOp)n.op, n.index, a[0]);
    if (n.op == SYM_ARGS) return sym_list(pool, a[0], a[1]);
    if (n.op == SYM_STRING) return sym_format(pool, (uint8_t)n.index, a[0], a[1]);
    if (arity == 1) return sym_one(pool, (SymOp)n.op, a[0]);
    if (arity == 2) return sym_two(pool, (SymOp)n.op, a[0], a[1]);
    return sym_if(pool, a[0], a[1], a[2]);
}

static Sym replace(SymPool *pool, Sym root, const uint8_t *is_chosen, uint32_t var, Sym by)
{
    sym_walk(pool, root);
    uint32_t count = pool->seen.n;
    pool->work.n = 0;
    for (uint32_t i = 0; i < count; i++) {
        Sym s = pool->seen.at[i], now = s;
        SymNode n = pool->nodes.at[s];
        if (n.op == SYM_VAR && (is_chosen ? is_chosen[n.index] : n.index == var))
            now = by;
        else if (sym_arity((SymOp)n.op))
            now = rebuild(pool, s, pool->work.at);
        vec_push(pool->arena, &pool->work, now);
    }
    return pool->work.at[count - 1];
}

Sym sym_replace_one(SymPool *pool, Sym root, uint32_t var, Sym by)
{
    return replace(pool, root, NULL, var, by);
}

Sym sym_without(SymPool *pool, Sym root, const uint8_t *is_gone)
{
    return replace(pool, root, is_gone, NONE, SYM_ZERO);
}

Sym sym_at_rest(SymPool *pool, Sym root, const uint8_t *is_zero)
{
    sym_walk(pool, root);
    uint32_t count = pool->seen.n;
    pool->work.n = 0;
    for (uint32_t i = 0; i < count; i++) {
        Sym s = pool->seen.at[i], now = s;
        SymNode n = pool->nodes.at[s];
        const Sym *up = pool->work.at;
        bool is_product = n.op == SYM_MUL || n.op == SYM_DIV;
        if (n.op == SYM_VAR && is_zero[n.index])
            now = SYM_ZERO;
        else if (is_product && up[pool->place[n.arg[0]]] == SYM_ZERO && n.arg[0] != SYM_ZERO)
            now = SYM_ZERO;
        else if (n.op == SYM_MUL && up[pool->place[n.arg[1]]] == SYM_ZERO && n.arg[1] != SYM_ZERO)
            now = SYM_ZERO;
        else if (n.op == SYM_PICK && up[pool->place[n.arg[0]]] != n.arg[0] &&
                 is_at_rest(pool, up[pool->place[n.arg[0]]]))
            now = SYM_ZERO;
        else if (sym_arity((SymOp)n.op))
            now = rebuild(pool, s, pool->work.at);
        vec_push(pool->arena, &pool->work, now);
    }
    return pool->work.at[count - 1];
}

Sym sym_without_histories(SymPool *pool, const System *system, Sym root)
{
    bool found = true;
    while (found) { /* what went in may hold another read */
        found = false;
        sym_walk(pool, root);
        uint32_t count = pool->seen.n;
        pool->work.n = 0;
        for (uint32_t i = 0; i < count; i++) {
            Sym s = pool->seen.at[i], now = s;
            SymNode n = pool->nodes.at[s];
            if (n.op == SYM_HISTORY)
                now = system->histories.at[n.index / 2].at_start[n.index % 2], found = true;
            else if (n.op == SYM_HISTORY_SLOPE)
                now = SYM_ZERO;
            else if (sym_arity((SymOp)n.op))
                now = rebuild(pool, s, pool->work.at);
            vec_push(pool->arena, &pool->work, now);
        }
        root = pool->work.at[count - 1];
    }
    return root;
}

static Sym pick_rate(SymPool *pool, SymNode pick, const Sym *up)
{
    Sym call = pick.arg[0];
    const DaeFun f = pool->funs.at[pool->nodes.at[call].index];
    Syms args = { 0 };
    uint32_t count = list_of(pool, call, &args);
    bool moves = false;
    for (uint32_t j = 0; j < count; j++) {
        if (!f.in_is_real[j]) continue;
        Sym r = up[pool->place[args.at[j]]];
        moves |= r != SYM_ZERO;
        vec_push(pool->arena, &args, r);
    }
    return moves && f.out_is_real[pick.index] ? call_rate(pool, call, pick.index, &args) : SYM_ZERO;
}

static Sym rate_of(SymPool *pool, Sym s, const Sym *up)
{
    SymNode n = pool->nodes.at[s];
    if (n.op == SYM_PICK) return pick_rate(pool, n, up);
    if (n.op == SYM_CALL || n.op == SYM_ARGS) return SYM_ZERO;
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

bool sym_is_fixed_node(const System *system, const SymNode *n, bool discrete_too)
{
    if (n->op == SYM_TIME || n->op == SYM_HISTORY || n->op == SYM_HISTORY_SLOPE) return false;
    if (!discrete_too && n->op >= SYM_PRE && n->op <= SYM_TERMINAL) return false;
    if (n->op != SYM_VAR) return true;
    uint8_t role = system->vars.at[n->index].role;
    if (!discrete_too && system->vars.at[n->index].is_unknown_parameter) return false;
    return role <= (discrete_too ? ROLE_DISCRETE : ROLE_PARAMETER) && role != ROLE_INPUT;
}

bool sym_is_fixed(SymPool *pool, const System *system, Sym s, bool discrete_too)
{
    const SymNode *n = &pool->nodes.at[s];
    if (!sym_arity((SymOp)n->op)) return sym_is_fixed_node(system, n, discrete_too);
    sym_walk(pool, s);
    for (uint32_t i = 0; i < pool->seen.n; i++)
        if (!sym_is_fixed_node(system, &pool->nodes.at[pool->seen.at[i]], discrete_too)) return false;
    return true;
}

/* v of c/v = other, for a number c: as it has no solution where `other` is 0, nothing is lost by
 * dividing by that. */
static Sym solve_divisor(SymPool *pool, Sym quotient, Sym other, Sym v, uint32_t var)
{
    SymNode n = pool->nodes.at[quotient];
    double c;
    if (n.op != SYM_DIV || n.arg[1] != v || !sym_is_real(pool, n.arg[0], &c) || c == 0) return NONE;
    return sym_contains(pool, other, var) ? NONE : sym_two(pool, SYM_DIV, n.arg[0], other);
}

Sym sym_solve(SymPool *pool, const System *system, const DaeEq *eq, uint32_t var, Sym coefficient)
{
    Sym v = sym_leaf(pool, SYM_VAR, var);
    if (eq->left == v && !sym_contains(pool, eq->right, var)) return eq->right;
    if (eq->right == v && !sym_contains(pool, eq->left, var)) return eq->left;
    Sym inverse = solve_divisor(pool, eq->left, eq->right, v, var);
    if (inverse == NONE) inverse = solve_divisor(pool, eq->right, eq->left, v, var);
    if (inverse != NONE) return inverse;
    double c;
    bool is_number = sym_is_real(pool, coefficient, &c);
    if (is_number && c == 0) return NONE;
    if (!is_number && !sym_is_fixed(pool, system, coefficient, false)) return NONE;
    Sym right = sym_replace_one(pool, eq->right, var, SYM_ZERO);
    Sym left = sym_replace_one(pool, eq->left, var, SYM_ZERO);
    if (is_number && c < 0) return over(pool, sub(pool, left, right), sym_real(pool, -c));
    return over(pool, sub(pool, right, left), coefficient);
}
