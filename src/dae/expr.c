/* expr.c: expressions of the flat model become expressions of the pool.
 *
 * Relations between values that change continuously become memories with an indicator, unless
 * noEvent is around them; so do floor, ceil, integer, div, mod and rem, by a discrete variable for
 * the whole number. Always: each flat expression is translated once with events and once without.
 * Cost: linear; a stack instead of recursion. Tests: tests/dae/system_test.c,
 * tests/gen/event_test.c. */
#include "dae/inside.h"

#include <stdio.h>

void dae_not_yet(Build *b, const char *what)
{
    if (b->trials) {
        b->gave_up = true;
        return;
    }
    diag_add(b->diag, E_NOT_YET, b->span, "%s cannot be translated yet", what);
    b->failed = true;
}

Sym dae_var(Build *b, VarId flat)
{
    DaeAlias alias = b->s->alias[flat];
    Sym v = sym_leaf(b->s->pool, SYM_VAR, alias.var);
    return alias.is_negated ? sym_one(b->s->pool, SYM_NEG, v) : v;
}

void dae_give_discrete(Build *b, uint32_t var, Sym value)
{
    DaeVar *v = &b->s->vars.at[var];
    if (v->is_given) {
        diag_add(b->diag, E_SINGULAR, b->span, "a second equation for '%s'", v->name);
        b->failed = true;
    }
    v->is_given = true;
    DaeAssign assign = { var, NONE, value };
    vec_push(b->s->arena, &b->s->discrete, assign);
}

uint32_t dae_make_discrete(Build *b, const char *kind, Sym value)
{
    System *s = b->s;
    DaeVar v = { .name = arena_printf(s->arena, "$%s%u", kind, (unsigned)++b->made),
                 .flat = NONE,
                 .role = ROLE_DISCRETE,
                 .type = BASE_REAL,
                 .select = SELECT_DEFAULT,
                 .der = NONE,
                 .der_of = NONE,
                 .state = NONE,
                 .start = SYM_ZERO,
                 .nominal = SYM_ONE,
                 .binding = NONE,
                 .span = b->span };
    uint32_t var = dae_add_var(s, v);
    dae_give_discrete(b, var, value);
    return var;
}

/* ---- what makes events ----------------------------------------------------------------------- */

static Sym relation(Build *b, SymOp op, Sym left, Sym right, bool no_event)
{
    System *s = b->s;
    Sym live = sym_two(s->pool, op, left, right);
    if (no_event || !(sym_is(s->pool, live, SYM_LT) || sym_is(s->pool, live, SYM_LE)) ||
        (sym_is_fixed(s->pool, s, left, true) && sym_is_fixed(s->pool, s, right, true)))
        return live;
    bool is_new;
    uint64_t *at = map_put(&b->relations, live, &is_new);
    if (is_new) {
        *at = s->relations.n;
        DaeRelation r = { .op = (uint8_t)op, .left = left, .right = right, .span = b->span };
        bool time_left = sym_is(s->pool, left, SYM_TIME), time_right = sym_is(s->pool, right, SYM_TIME);
        r.at = time_left ? right : left;
        r.is_time = (time_left || time_right) && sym_is_fixed(s->pool, s, r.at, true);
        vec_push(s->arena, &s->relations, r);
    }
    return sym_leaf(s->pool, SYM_RELATION, (uint32_t)*at);
}

static Sym homotopy(Build *b, Sym actual, Sym simplified)
{
    SymPool *p = b->s->pool;
    Sym share = sym_leaf(p, SYM_LAMBDA, 0);
    if (actual == simplified) return actual;
    b->has_homotopy = true;
    if (!b->blends) return actual;
    Sym blend = sym_two(p, SYM_ADD, sym_two(p, SYM_MUL, share, actual),
                        sym_two(p, SYM_MUL, sym_two(p, SYM_SUB, SYM_ONE, share), simplified));
    /* at the ends only one side counts: the other may have no value there */
    blend = sym_if(p, sym_two(p, SYM_LE, share, SYM_ZERO), simplified, blend);
    return sym_if(p, sym_two(p, SYM_LE, SYM_ONE, share), actual, blend);
}

/* floor or ceil of something that may change continuously: a discrete variable, and two relations
 * that notice when it is not true any more. */
static Sym whole(Build *b, SymOp op, Sym x, bool no_event)
{
    SymPool *p = b->s->pool;
    Sym live = sym_one(p, op, x);
    if (no_event || !sym_is(p, live, op) || sym_is_fixed(p, b->s, x, true)) return live;
    bool is_new;
    uint64_t *at = map_put(&b->relations, live, &is_new);
    if (!is_new) return sym_leaf(p, SYM_VAR, (uint32_t)*at);
    Sym v = sym_leaf(p, SYM_VAR, dae_make_discrete(b, sym_text(op), live));
    *map_put(&b->relations, live, &is_new) = sym_node(p, v)->index;
    if (op == SYM_FLOOR) {
        relation(b, SYM_LT, x, v, false);
        relation(b, SYM_LE, sym_two(p, SYM_ADD, v, SYM_ONE), x, false);
    } else {
        relation(b, SYM_LT, v, x, false);
        relation(b, SYM_LE, x, sym_two(p, SYM_SUB, v, SYM_ONE), false);
    }
    return v;
}

static Sym quotient(Build *b, Sym x, Sym y, bool no_event)
{
    SymPool *p = b->s->pool;
    Sym q = sym_two(p, SYM_DIV, x, y);
    if (no_event || sym_is_fixed(p, b->s, q, true)) return sym_one(p, SYM_TRUNC, q);
    return sym_if(p, relation(b, SYM_LT, q, SYM_ZERO, false), whole(b, SYM_CEIL, q, false),
                  whole(b, SYM_FLOOR, q, false));
}

/* ---- operators ------------------------------------------------------------------------------- */

static Sym binary(Build *b, Oper op, Sym x, Sym y, bool no_event)
{
    static const uint8_t plain[O_COUNT] = {
        [O_ADD] = SYM_ADD,    [O_SUBTRACT] = SYM_SUB, [O_MULTIPLY] = SYM_MUL, [O_PRODUCT] = SYM_MUL,
        [O_DIVIDE] = SYM_DIV, [O_POWER] = SYM_POW,    [O_AND] = SYM_AND,      [O_OR] = SYM_OR,
        [O_EQUAL] = SYM_EQ,   [O_NOT_EQUAL] = SYM_NE
    };
    switch (op) {
    case O_LESS: return relation(b, SYM_LT, x, y, no_event);
    case O_LESS_EQUAL: return relation(b, SYM_LE, x, y, no_event);
    case O_GREATER: return relation(b, SYM_LT, y, x, no_event);
    case O_GREATER_EQUAL: return relation(b, SYM_LE, y, x, no_event);
    default: return sym_two(b->s->pool, (SymOp)plain[op], x, y);
    }
}

/* pre(x) of +x or -x. */
static Sym before(Build *b, Sym x)
{
    SymPool *p = b->s->pool;
    if (sym_is(p, x, SYM_NEG)) return sym_one(p, SYM_NEG, before(b, sym_node(p, x)->arg[0]));
    if (!sym_is(p, x, SYM_VAR)) return x;
    uint32_t var = sym_node(p, x)->index;
    return b->s->vars.at[var].role <= ROLE_PARAMETER ? x : sym_leaf(p, SYM_PRE, var);
}

/* pre() of an argument: of the variable itself, whatever the statements before have made of it. */
static Sym before_of(Build *b, const FlatExpr *e, Sym value)
{
    const FlatExpr *arg = &b->s->flat->exprs.at[b->s->flat->ids.at[e->first]];
    return before(b, arg->kind == X_VAR ? dae_var(b, arg->index) : value);
}

static Sym derivative(Build *b, Sym x)
{
    System *s = b->s;
    SymPool *p = s->pool;
    sym_walk(p, x);
    VEC(uint32_t) vars = { 0 };
    for (uint32_t i = 0; i < p->seen.n; i++) {
        const SymNode *n = sym_node(p, p->seen.at[i]);
        if (n->op == SYM_VAR && s->vars.at[n->index].role >= ROLE_STATE)
            vec_push(b->scratch, &vars, n->index);
    }
    for (uint32_t i = 0; i < vars.n; i++) dae_der(s, vars.at[i]);
    if (sym_is(p, x, SYM_VAR) && vars.n) return sym_leaf(p, SYM_VAR, s->vars.at[vars.at[0]].der);
    Sym *rate = NEW_ARRAY(b->scratch, Sym, s->vars.n);
    memset(rate, 0xff, s->vars.n * sizeof *rate);
    for (uint32_t i = 0; i < vars.n; i++) rate[vars.at[i]] = sym_leaf(p, SYM_VAR, s->vars.at[vars.at[i]].der);
    return sym_rate(p, x, rate, SYM_ONE);
}

static Sym sample(Build *b, Sym start, Sym interval)
{
    DaeSample made = { start, interval };
    vec_push(b->s->arena, &b->s->samples, made);
    return sym_leaf(b->s->pool, SYM_SAMPLE, b->s->samples.n - 1);
}

/* ---- operators with a history ---------------------------------------------------------------- */

/* The number of a history; equal ones are one. */
static uint32_t history(Build *b, DaeHistory h)
{
    System *s = b->s;
    h.at = b->span;
    for (uint32_t k = 0; k < s->histories.n; k++) {
        const DaeHistory *o = &s->histories.at[k];
        bool same = o->key == h.key && o->value == h.value && o->span == h.span &&
                    o->low_value == h.low_value && o->forward == h.forward && o->is_free == h.is_free &&
                    o->points == h.points;
        for (uint32_t j = 0; same && j < 2 * h.points; j++) same = o->profile[j] == h.profile[j];
        if (same) return k;
    }
    vec_push(s->arena, &s->histories, h);
    return s->histories.n - 1;
}

/* The time of a delay() stays within 0 and its limit, whenever it is asked for. */
static void check_delay_time(Build *b, Sym time, Sym longest)
{
    SymPool *p = b->s->pool;
    Sym most = sym_two(p, SYM_MUL, sym_real(p, 1 + 1e-9), longest);
    DaeCheck check = { .is_assert = true,
                       .at_events = b->whens > 0,
                       .when = sym_two(p, SYM_AND, sym_two(p, SYM_LE, SYM_ZERO, time),
                                       sym_two(p, SYM_LE, time, most)),
                       .message = "the time of delay() is negative, or longer than its third argument",
                       .text = NONE,
                       .span = b->span };
    vec_push(b->s->arena, &b->s->checks, check);
}

/* A delay of no time is the signal itself; what a delay time of a parameter is counts when the
 * model is translated. */
static Sym delayed(Build *b, Sym value, Sym time, Sym longest)
{
    System *s = b->s;
    bool is_free = !sym_is_fixed(s->pool, s, time, false);
    if (sym_is_fixed(s->pool, s, value, false)) return value;
    if (!is_free && dae_estimate(s, time, b->scratch) == 0) return value;
    if (is_free && longest == NONE) {
        diag_add(b->diag, E_DELAY_TIME, b->span,
                 "the time of a delay() changes: it needs a third argument, its limit");
        b->failed = true;
        return value;
    }
    if (is_free) check_delay_time(b, time, longest);
    Sym now = sym_leaf(s->pool, SYM_TIME, 0);
    uint32_t k = history(b, (DaeHistory){ .key = now,
                                          .value = value,
                                          .span = is_free ? longest : time,
                                          .forward = SYM_ONE,
                                          .at_start = { value, value },
                                          .is_timed = true,
                                          .is_free = is_free });
    return sym_indexed(s->pool, SYM_HISTORY, 2 * k, sym_two(s->pool, SYM_SUB, now, time));
}

/* Position 0 is the high end of the record, where the key is x. Jumps that reach an end are events;
 * so is, by its condition, a turn. */
void dae_spatial(Build *b, const Sym *in, const Sym *points, const Sym *values, uint32_t n, Sym *ends)
{
    SymPool *p = b->s->pool;
    Sym *profile = NEW_ARRAY(b->s->arena, Sym, 2 * n + 1);
    memcpy(profile, points, n * sizeof *profile);
    memcpy(profile + n, values, n * sizeof *profile);
    Sym x = in[2];
    uint32_t k =
        history(b, (DaeHistory){ .key = x,
                                 .value = in[0],
                                 .span = SYM_ONE,
                                 .low_value = in[1],
                                 .forward = in[3],
                                 .at_start = { n ? values[n - 1] : SYM_ZERO, n ? values[0] : SYM_ZERO },
                                 .profile = profile,
                                 .points = n });
    relation(b, SYM_LE, sym_leaf(p, SYM_FRONT, 2 * k), x, false);
    relation(b, SYM_LE, x, sym_leaf(p, SYM_FRONT, 2 * k + 1), false);
    ends[0] = sym_indexed(p, SYM_HISTORY, 2 * k + 1, x);
    ends[1] = sym_indexed(p, SYM_HISTORY, 2 * k, sym_two(p, SYM_SUB, x, SYM_ONE));
}

static const struct {
    uint8_t builtin, op;
} functions[] = {
    { BUILTIN_ABS, SYM_ABS },   { BUILTIN_SIGN, SYM_SIGN }, { BUILTIN_SQRT, SYM_SQRT },
    { BUILTIN_SIN, SYM_SIN },   { BUILTIN_COS, SYM_COS },   { BUILTIN_TAN, SYM_TAN },
    { BUILTIN_ASIN, SYM_ASIN }, { BUILTIN_ACOS, SYM_ACOS }, { BUILTIN_ATAN, SYM_ATAN },
    { BUILTIN_SINH, SYM_SINH }, { BUILTIN_COSH, SYM_COSH }, { BUILTIN_TANH, SYM_TANH },
    { BUILTIN_EXP, SYM_EXP },   { BUILTIN_LOG, SYM_LOG },   { BUILTIN_LOG10, SYM_LOG10 },
};

/* The name of the literal that a number stands for. */
static Sym literal_name(Build *b, const FlatDef *def, Sym value)
{
    SymPool *p = b->s->pool;
    Sym text = sym_string(p, STR(""));
    for (uint32_t i = def->fields.n; i-- > 0;) {
        Sym name = sym_string(p, str_of(def->fields.at[i].name));
        text = sym_if(p, sym_two(p, SYM_EQ, value, sym_real(p, i + 1.0)), name, text);
    }
    return text;
}

/* String(value, options): sema has put the options of each type into a fixed order. */
static Sym string_of(Build *b, const FlatExpr *e, const Sym *a)
{
    const Flat *f = b->s->flat;
    SymPool *p = b->s->pool;
    const FlatType *t = &f->types.at[f->exprs.at[f->ids.at[e->first]].type];
    bool has_format = e->n == 2 && f->types.at[f->exprs.at[f->ids.at[e->first + 1]].type].base == BASE_STRING;
    bool is_real = t->base == BASE_REAL;
    if (t->base == BASE_STRING) return a[0];
    if (t->base == BASE_ENUM) return literal_name(b, &f->defs.at[t->def], a[0]);
    Sym options[3] = { is_real ? sym_real(p, 6) : SYM_ZERO, is_real ? SYM_ZERO : SYM_ONE, SYM_ONE };
    uint32_t n = has_format ? 1 : is_real ? 3 : 2;
    for (uint32_t k = 1; k < e->n && k <= n; k++) options[k - 1] = a[k];
    return sym_format(p, (uint8_t)t->base, a[0], sym_args(p, options, n));
}

static Sym builtin(Build *b, const FlatExpr *e, const Sym *a, bool no_event)
{
    SymPool *p = b->s->pool;
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        if (functions[i].builtin == e->op) return sym_one(p, (SymOp)functions[i].op, a[0]);
    switch ((Builtin)e->op) {
    case BUILTIN_ATAN2: return sym_two(p, SYM_ATAN2, a[0], a[1]);
    case BUILTIN_MIN:
    case BUILTIN_MAX:
        if (e->n == 2) return sym_two(p, e->op == BUILTIN_MIN ? SYM_MIN : SYM_MAX, a[0], a[1]);
        break;
    case BUILTIN_FLOOR:
    case BUILTIN_INTEGER: return whole(b, SYM_FLOOR, a[0], no_event);
    case BUILTIN_CEIL: return whole(b, SYM_CEIL, a[0], no_event);
    case BUILTIN_DIV: return quotient(b, a[0], a[1], no_event);
    case BUILTIN_REM:
        return sym_two(p, SYM_SUB, a[0], sym_two(p, SYM_MUL, quotient(b, a[0], a[1], no_event), a[1]));
    case BUILTIN_MOD: {
        Sym q = whole(b, SYM_FLOOR, sym_two(p, SYM_DIV, a[0], a[1]), no_event);
        return sym_two(p, SYM_SUB, a[0], sym_two(p, SYM_MUL, q, a[1]));
    }
    case BUILTIN_DER: return derivative(b, a[0]);
    case BUILTIN_PRE: return before_of(b, e, a[0]);
    case BUILTIN_EDGE: return sym_two(p, SYM_AND, a[0], sym_one(p, SYM_NOT, before_of(b, e, a[0])));
    case BUILTIN_CHANGE: return sym_two(p, SYM_NE, a[0], before_of(b, e, a[0]));
    case BUILTIN_INITIAL: return sym_leaf(p, SYM_INITIAL, 0);
    case BUILTIN_TERMINAL: b->s->has_terminal = true; return sym_leaf(p, SYM_TERMINAL, 0);
    case BUILTIN_SAMPLE: return sample(b, a[0], a[1]);
    case BUILTIN_DELAY: return delayed(b, a[0], a[1], e->n > 2 ? a[2] : NONE);
    case BUILTIN_SMOOTH: return a[1];
    case BUILTIN_STRING: return string_of(b, e, a);
    case BUILTIN_NO_EVENT:
    case BUILTIN_TO_REAL:
    case BUILTIN_TO_INTEGER:
    case BUILTIN_SCALAR: return a[0];
    case BUILTIN_HOMOTOPY: return homotopy(b, a[0], a[1]);
    case BUILTIN_SEMI_LINEAR:
        return sym_two(p, SYM_MUL, sym_if(p, relation(b, SYM_LE, SYM_ZERO, a[0], no_event), a[1], a[2]),
                       a[0]);
    default: break;
    }
    dae_not_yet(b, builtin_text((Builtin)e->op));
    return SYM_ZERO;
}

/* Values are doubles, which hold whole numbers up to 2^53. */
static Sym integer(Build *b, int64_t value)
{
    const int64_t most = INT64_C(1) << 53;
    if (value > most || value < -most) {
        diag_add(b->diag, E_BIG_INTEGER, b->span,
                 "the Integer %lld is beyond 2^53, and would not be kept exactly", (long long)value);
        b->failed = true;
    }
    return sym_real(b->s->pool, (double)value);
}

static Sym variable(Build *b, VarId flat)
{
    if (b->env && b->env[flat] != NONE) return b->env[flat];
    const FlatVar *v = &b->s->flat->vars.at[flat];
    bool stays =
        v->varies == VARIES_CONSTANT || (v->varies == VARIES_PARAMETER && (v->flags & VAR_STRUCTURAL));
    if (stays && v->binding != NONE) {
        const FlatExpr *e = &b->s->flat->exprs.at[v->binding];
        if (e->kind == X_REAL) return sym_real(b->s->pool, e->real);
        if (e->kind == X_INTEGER) return integer(b, e->integer);
        if (e->kind == X_BOOLEAN || e->kind == X_ENUM) return sym_real(b->s->pool, (double)e->integer);
        if (e->kind == X_STRING) return sym_string(b->s->pool, e->text);
    }
    return dae_var(b, flat);
}

/* One node whose arguments are translated. */
Sym dae_translate_node(Build *b, const FlatExpr *e, const Sym *a, bool no_event)
{
    SymPool *p = b->s->pool;
    switch ((ExprKindFlat)e->kind) {
    case X_REAL: return sym_real(p, e->real);
    case X_INTEGER: return integer(b, e->integer);
    case X_BOOLEAN:
    case X_ENUM: return sym_real(p, (double)e->integer);
    case X_VAR: return variable(b, e->index);
    case X_TIME: return sym_leaf(p, SYM_TIME, 0);
    case X_UNARY: return sym_one(p, e->op == O_NOT ? SYM_NOT : SYM_NEG, a[0]);
    case X_BINARY: return binary(b, (Oper)e->op, a[0], a[1], no_event);
    case X_BUILTIN: return builtin(b, e, a, no_event);
    case X_IF: {
        Sym value = a[e->n - 1];
        for (uint32_t k = e->n - 1; k >= 2; k -= 2) value = sym_if(p, a[k - 2], a[k - 1], value);
        return value;
    }
    case X_STRING: return sym_string(p, e->text);
    default: dae_not_yet(b, "an array or a record in an equation"); return SYM_ZERO;
    }
}

/* Whether an expression is not scalar arithmetic: calls, and whatever has arrays or records
 * inside. */
static bool is_compound(const Flat *f, const FlatExpr *e)
{
    if (e->kind == X_CALL || e->kind == X_LOCAL || e->kind >= X_ARRAY) return true;
    for (uint32_t k = 0; k < e->n; k++) {
        const FlatExpr *arg = &f->exprs.at[f->ids.at[e->first + k]];
        if (f->types.at[arg->type].rank > 0 || arg->kind == X_ARRAY || arg->kind == X_RECORD) return true;
    }
    return false;
}

typedef struct {
    ExprId e;
    bool no_event;
} Task;

Sym dae_translate(Build *b, ExprId root, bool no_event)
{
    const Flat *f = b->s->flat;
    VEC(Task) stack = { 0 };
    VEC(Sym) args = { 0 };
    no_event = no_event || b->whens;
    vec_push(b->scratch, &stack, ((Task){ root, no_event }));
    while (stack.n) {
        Task t = stack.at[stack.n - 1];
        const FlatExpr *e = &f->exprs.at[t.e];
        if (b->memo_round[t.no_event][t.e] == b->round) {
            stack.n--;
            continue;
        }
        if (is_compound(f, e)) {
            b->memo[t.no_event][t.e] = dae_inline(b, t.e, t.no_event);
            b->memo_round[t.no_event][t.e] = b->round;
            continue;
        }
        bool inner = t.no_event || (e->kind == X_BUILTIN && e->op == BUILTIN_NO_EVENT), ready = true;
        args.n = 0;
        for (uint32_t k = 0; k < e->n; k++) {
            ExprId arg = f->ids.at[e->first + k];
            bool done = b->memo_round[inner][arg] == b->round;
            if (!done) vec_push(b->scratch, &stack, ((Task){ arg, inner }));
            ready &= done;
            vec_push(b->scratch, &args, b->memo[inner][arg]);
        }
        if (!ready) continue;
        b->memo[t.no_event][t.e] = dae_translate_node(b, e, args.at, t.no_event);
        b->memo_round[t.no_event][t.e] = b->round;
        stack.n--;
    }
    return b->memo[no_event][root];
}
