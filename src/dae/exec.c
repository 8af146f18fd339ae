/* exec.c: algorithms and when-clauses become one expression for each variable they assign.
 *
 * Statements are run on expressions instead of numbers: an assignment under a condition c makes v
 * into `if c then new else old`. What an algorithm assigns begins as pre(v) if it is discrete and
 * as its start value if not. A when-clause fires at the edge of its condition, which becomes a
 * discrete variable. Loops are unrolled as far as they are known; a break makes what follows in its
 * loop conditional. For the rest of a loop that only the run can end, outline.c has a function.
 * Cost: linear in statements run. Tests: tests/gen/event_test.c. */
#include "dae/inside.h"

typedef struct {
    Build *b;
    bool is_equation; /* what is read is the final value, not the one so far */
    bool is_initial;
    Sym alive;    /* no break or return was reached yet */
    Sym returned; /* a return was */
    Sym *value;   /* by VarId: so far; NONE */
    VEC(VarId) touched;
} Exec;

/* ---- which variables are discrete ------------------------------------------------------------ */

static void mark_target(void *arg, VarId v) { ((Build *)arg)->is_discrete[v] = 1; }

static void mark_body(Build *b, uint32_t first, uint32_t n, bool in_when)
{
    const Flat *f = b->s->flat;
    for (uint32_t i = 0; i < n; i++) {
        const FlatStmt *s = &f->stmts.at[f->ids.at[first + i]];
        if (in_when && (s->kind == S_EQUAL || s->kind == S_ASSIGN))
            dae_each_target(f, s->left, mark_target, b);
        for (uint32_t k = 0; k < s->n; k++) {
            const FlatBranch *branch = &f->branches.at[s->first + k];
            mark_body(b, branch->first, branch->n, in_when || s->kind == S_WHEN);
        }
    }
}

void dae_find_discrete(Build *b)
{
    const Flat *f = b->s->flat;
    for (VarId v = 0; v < f->vars.n; v++) {
        const FlatVar *u = &f->vars.at[v];
        if (u->varies < VARIES_DISCRETE) continue;
        b->is_discrete[v] = u->varies == VARIES_DISCRETE || f->types.at[u->type].base != BASE_REAL;
    }
    for (uint32_t i = 0; i < f->equations.n; i++) {
        const FlatStmt *s = &f->stmts.at[f->equations.at[i]];
        if (s->kind != S_WHEN) continue;
        for (uint32_t k = 0; k < s->n; k++)
            mark_body(b, f->branches.at[s->first + k].first, f->branches.at[s->first + k].n, true);
    }
    for (uint32_t i = 0; i < f->algorithms.n; i++)
        mark_body(b, f->algorithms.at[i].first, f->algorithms.at[i].n, false);
}

/* ---- running --------------------------------------------------------------------------------- */

static Sym read(Exec *x, ExprId e)
{
    if (!x->is_equation) x->b->round = ++x->b->rounds;
    return dae_translate(x->b, e, false);
}

static Sym both(Exec *x, Sym a, Sym c) { return sym_two(x->b->s->pool, SYM_AND, a, c); }
static Sym negation(Exec *x, Sym a) { return sym_one(x->b->s->pool, SYM_NOT, a); }

static Sym old_value(Exec *x, VarId v)
{
    System *s = x->b->s;
    DaeAlias alias = s->alias[v];
    Sym old = s->vars.at[alias.var].role == ROLE_DISCRETE && !x->is_initial
                  ? sym_leaf(s->pool, SYM_PRE, alias.var)
                  : s->vars.at[alias.var].start;
    return alias.is_negated ? sym_one(s->pool, SYM_NEG, old) : old;
}

static void touch(void *arg, VarId v)
{
    Exec *x = arg;
    if (x->value[v] != NONE) return;
    vec_push(x->b->scratch, &x->touched, v);
    x->value[v] = old_value(x, v);
}

/* What an algorithm assigns anywhere has its old value until then. */
static void touch_body(Exec *x, const StmtId *ids, uint32_t n)
{
    const Flat *f = x->b->s->flat;
    for (uint32_t i = 0; i < n; i++) {
        const FlatStmt *s = &f->stmts.at[ids[i]];
        if (s->kind == S_ASSIGN) dae_each_target(f, s->left, touch, x);
        for (uint32_t k = 0; k < s->n; k++)
            touch_body(x, f->ids.at + f->branches.at[s->first + k].first, f->branches.at[s->first + k].n);
    }
}

static void set(Exec *x, VarId v, Sym value, Sym guard)
{
    touch(x, v);
    x->b->given_at[v] = x->b->span;
    x->value[v] = sym_if(x->b->s->pool, guard, value, x->value[v]);
}

static void spread(Exec *x, ExprId left, const Syms *values, uint32_t *next, Sym guard);

/* Assigns to those elements of an array that subscripts name. Where a subscript is known only at
 * run time, each element may be meant, under a condition. */
static void spread_at(Exec *x, ExprId array, const ExprId *subs, uint32_t n, const Syms *values,
                      uint32_t *next, Sym guard)
{
    const Flat *f = x->b->s->flat;
    SymPool *p = x->b->s->pool;
    const FlatExpr *e = &f->exprs.at[array];
    const ExprId *parts = f->ids.at + e->first;
    if (!n) {
        spread(x, array, values, next, guard);
        return;
    }
    if (e->kind != X_ARRAY) {
        dae_not_yet(x->b, "an assignment to elements of this");
        return;
    }
    Syms at = { 0 };
    bool is_all = f->exprs.at[subs[0]].kind == X_COLON;
    if (!is_all) dae_inline_all(x->b, subs[0], &at);
    uint32_t count = is_all ? e->n : at.n;
    for (uint32_t i = 0; i < count; i++) {
        double k = (double)i + 1;
        if (is_all || sym_is_real(p, at.at[i], &k)) {
            if (k >= 1 && k <= e->n)
                spread_at(x, parts[(uint32_t)k - 1], subs + 1, n - 1, values, next, guard);
            if (!(k >= 1 && k <= e->n) && guard != SYM_ZERO) dae_not_yet(x->b, "a subscript out of range");
            continue;
        }
        uint32_t begin = *next, end = begin;
        Sym within = sym_indexed(p, SYM_WITHIN, e->n, at.at[i]);
        for (uint32_t c = 0; c < e->n && !x->b->failed; c++) {
            *next = begin;
            spread_at(x, parts[c], subs + 1, n - 1, values, next,
                      both(x, guard, sym_two(p, SYM_EQ, within, sym_real(p, c + 1.0))));
            end = *next;
        }
        *next = end;
    }
}

/* To all scalars of what is on the left, one after the other. */
static void spread(Exec *x, ExprId left, const Syms *values, uint32_t *next, Sym guard)
{
    const Flat *f = x->b->s->flat;
    const FlatExpr *e = &f->exprs.at[left];
    const ExprId *ids = f->ids.at + e->first;
    if (x->b->failed || e->kind == X_OMITTED) return;
    if (e->kind == X_ARRAY || e->kind == X_RECORD)
        for (uint32_t k = 0; k < e->n; k++) spread(x, ids[k], values, next, guard);
    else if (e->kind == X_SUBSCRIPT)
        spread_at(x, ids[0], ids + 1, e->n - 1, values, next, guard);
    else if (e->kind == X_VAR && *next < values->n)
        set(x, e->index, values->at[(*next)++], guard);
    else
        dae_not_yet(x->b, "an assignment to this");
}

/* One variable, or as many as the right side has scalars. */
static void assign_all(Exec *x, ExprId to, ExprId value, Sym guard)
{
    const Flat *f = x->b->s->flat;
    const FlatExpr *left = &f->exprs.at[to];
    if (left->kind == X_VAR) {
        set(x, left->index, read(x, value), guard);
        return;
    }
    if (!x->is_equation) x->b->round = ++x->b->rounds;
    bool is_tuple = left->kind == X_TUPLE;
    uint32_t n = is_tuple ? left->n : 1;
    Syms *values = NEW_ARRAY(x->b->scratch, Syms, n + 1);
    if (is_tuple)
        dae_inline_results(x->b, value, to, values);
    else
        dae_inline_all(x->b, value, values);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t next = 0;
        spread(x, is_tuple ? f->ids.at[left->first + k] : to, &values[k], &next, guard);
    }
}

/* The moment at which a condition of a when-clause becomes true. */
static Sym edge(Exec *x, ExprId condition)
{
    Build *b = x->b;
    SymPool *p = b->s->pool;
    const FlatExpr *e = &b->s->flat->exprs.at[condition];
    if (e->kind == X_ARRAY) {
        Sym any = SYM_ZERO;
        for (uint32_t k = 0; k < e->n; k++)
            any = sym_two(p, SYM_OR, any, edge(x, b->s->flat->ids.at[e->first + k]));
        return any;
    }
    if (e->kind == X_BUILTIN && e->op == BUILTIN_INITIAL) return sym_leaf(p, SYM_INITIAL, 0);
    uint32_t w = dae_make_discrete(b, "when", read(x, condition));
    Sym rises = both(x, sym_leaf(p, SYM_VAR, w), negation(x, sym_leaf(p, SYM_PRE, w)));
    return both(x, rises, negation(x, sym_leaf(p, SYM_INITIAL, 0)));
}

enum { LEVEL_WARNING = 1, LEVEL_ERROR = 2 }; /* of AssertionLevel */

static const char *message_of(Build *b, ExprId e)
{
    const FlatExpr *text = &b->s->flat->exprs.at[e];
    return text->kind == X_STRING ? arena_copy(b->s->arena, text->text) : "";
}

/* A text that has to be computed; NONE if it cannot be: that is no reason to refuse a model. */
static Sym text_of(Build *b, ExprId e)
{
    b->trials++;
    Sym text = dae_translate(b, e, true);
    b->trials--;
    bool ok = !b->gave_up;
    if (!b->trials) b->gave_up = false;
    return ok ? text : NONE;
}

/* The level of an assertion may be a parameter: then there is one check for each level. */
static void add_assert(Build *b, const FlatStmt *s, DaeCheck *check)
{
    SymPool *p = b->s->pool;
    Sym level = s->level == NONE ? sym_real(p, LEVEL_ERROR) : dae_translate(b, s->level, true);
    Sym holds = check->when, is_warning = sym_two(p, SYM_EQ, level, sym_real(p, LEVEL_WARNING));
    for (int warns = 0; warns < 2; warns++) {
        Sym other = warns ? sym_one(p, SYM_NOT, is_warning) : is_warning;
        check->is_warning = warns;
        check->when = sym_two(p, SYM_OR, holds, other);
        if (check->when != SYM_ONE) vec_push(b->s->arena, &b->s->checks, *check);
    }
}

void dae_take_check(Build *b, const FlatStmt *s, Sym guard)
{
    SymPool *p = b->s->pool;
    DaeCheck check = { .is_assert = s->kind == S_ASSERT, .when = guard, .span = s->span };
    check.message = message_of(b, check.is_assert ? s->right : s->left);
    check.text = *check.message ? NONE : text_of(b, check.is_assert ? s->right : s->left);
    if (b->at_start) guard = check.when = sym_two(p, SYM_AND, guard, sym_leaf(p, SYM_INITIAL, 0));
    if (!check.is_assert) {
        vec_push(b->s->arena, &b->s->checks, check);
        return;
    }
    /* looked at in every evaluation, not at events only */
    Sym holds = dae_translate(b, s->left, true);
    check.when = sym_two(p, SYM_OR, sym_one(p, SYM_NOT, guard), holds);
    check.at_events = b->whens || b->at_start;
    add_assert(b, s, &check);
}

static void run_body(Exec *x, const StmtId *ids, uint32_t n, Sym guard);

static void run_branches(Exec *x, const FlatStmt *s, Sym guard)
{
    const Flat *f = x->b->s->flat;
    Sym *guards = NEW_ARRAY(x->b->scratch, Sym, s->n + 1), before = SYM_ZERO;
    for (uint32_t k = 0; k < s->n; k++) {
        ExprId c = f->branches.at[s->first + k].condition;
        Sym own = c == NONE ? SYM_ONE : s->kind == S_WHEN ? edge(x, c) : read(x, c);
        guards[k] = both(x, guard, both(x, own, negation(x, before)));
        before = sym_two(x->b->s->pool, SYM_OR, before, own);
    }
    x->b->whens += s->kind == S_WHEN;
    for (uint32_t k = s->n; k-- > 0;)
        run_body(x, f->ids.at + f->branches.at[s->first + k].first, f->branches.at[s->first + k].n,
                 guards[k]);
    x->b->whens -= s->kind == S_WHEN;
}

/* The call that does what a statement does. A loop that has called terminate() ends the run. */
static void call_outline(Exec *x, StmtId id, Sym guard)
{
    Build *b = x->b;
    const DaeOutline *made = &b->outlines.at[b->outline_of[id] - 1];
    b->span = b->s->flat->stmts.at[id].span;
    if (made->why) {
        dae_not_yet(b, made->why);
        return;
    }
    assign_all(x, made->left, made->call, guard);
    if (made->stops == NONE) return;
    FlatStmt s = { .kind = S_TERMINATE, .left = made->stop_text, .level = NONE, .span = b->span };
    dae_take_check(b, &s, both(x, guard, x->value[made->stops]));
}

/* All scalars of an expression; false where only the run knows how many. */
static bool try_inline_all(Build *b, ExprId e, Syms *out)
{
    b->trials++;
    dae_inline_all(b, e, out);
    b->trials--;
    bool ok = !b->gave_up;
    if (!b->trials) b->gave_up = false;
    return ok;
}

/* After a loop its breaks do not count any more. */
static void leave_loop(Exec *x, Sym outside)
{
    x->alive = x->returned == SYM_ZERO ? outside : both(x, outside, negation(x, x->returned));
}

/* A loop is unrolled. What it depends on from outside counts as being alive, so that a break leaves
 * nothing. */
static void run_for(Exec *x, StmtId id, Sym guard)
{
    Build *b = x->b;
    const FlatStmt *s = &b->s->flat->stmts.at[id];
    const FlatBranch *body = &b->s->flat->branches.at[s->first];
    Syms over = { 0 };
    Sym outside = x->alive;
    if (!x->is_equation) b->round = ++b->rounds;
    if (!try_inline_all(b, s->left, &over)) {
        call_outline(x, id, guard);
        return;
    }
    x->alive = guard;
    while (b->loops.n <= s->index) vec_push(b->scratch, &b->loops, SYM_ZERO);
    for (uint32_t i = 0; i < over.n && x->alive != SYM_ZERO && !b->failed; i++) {
        b->loops.at[s->index] = over.at[i];
        b->round = ++b->rounds;
        run_body(x, b->s->flat->ids.at + body->first, body->n, SYM_ONE);
    }
    leave_loop(x, outside);
}

enum { MOST_ROUNDS = 100000 };

/* Rounds are written out as long as it is known that there is another one. What is left then is a
 * call of the loop. */
static void run_while(Exec *x, StmtId id, Sym guard)
{
    Build *b = x->b;
    const FlatStmt *s = &b->s->flat->stmts.at[id];
    const FlatBranch *body = &b->s->flat->branches.at[s->first];
    Sym outside = x->alive;
    x->alive = guard;
    for (uint32_t rounds = 0; !b->failed && x->alive != SYM_ZERO; rounds++) {
        Sym goes_on = read(x, body->condition);
        if (goes_on == SYM_ZERO) break;
        if (goes_on != SYM_ONE || x->alive != guard || rounds > MOST_ROUNDS) {
            call_outline(x, id, x->alive);
            break;
        }
        run_body(x, b->s->flat->ids.at + body->first, body->n, SYM_ONE);
    }
    leave_loop(x, outside);
}

static void leave(Exec *x, Sym guard, bool returns)
{
    x->alive = both(x, x->alive, negation(x, guard));
    if (returns) x->returned = sym_two(x->b->s->pool, SYM_OR, x->returned, guard);
}

void dae_take_effect(Build *b, const FlatStmt *s, Sym guard)
{
    const Flat *f = b->s->flat;
    Sym call = dae_inline_effect(b, s->left);
    if (call == SYM_ZERO) return;
    const FlatFunction *called = &f->functions.at[f->exprs.at[s->left].index];
    if (!called->impure && !called->external && !b->whens && !b->at_start) {
        DaeCheck check = {
            .is_assert = true, .when = guard, .call = call, .message = "", .text = NONE, .span = s->span
        };
        vec_push(b->s->arena, &b->s->checks, check);
        return;
    }
    if (b->at_start) guard = sym_two(b->s->pool, SYM_AND, guard, sym_leaf(b->s->pool, SYM_INITIAL, 0));
    DaeEffect effect = { guard, call, s->span };
    vec_push(b->s->arena, &b->s->effects, effect);
}

/* A call for what it does: made at events where `guard` holds; one that can only fail is a
 * check. */
static void run_call(Exec *x, const FlatStmt *s, Sym guard)
{
    if (!x->is_equation) x->b->round = ++x->b->rounds;
    dae_take_effect(x->b, s, guard);
}

static void run_reinit(Exec *x, const FlatStmt *s, Sym guard)
{
    System *sys = x->b->s;
    const FlatExpr *e = &sys->flat->exprs.at[s->left];
    if (e->kind != X_VAR) {
        dae_not_yet(x->b, "reinit of anything but a scalar variable");
        return;
    }
    DaeAlias alias = sys->alias[e->index];
    Sym value = read(x, s->right);
    if (alias.is_negated) value = sym_one(sys->pool, SYM_NEG, value);
    dae_der(sys, alias.var);
    if (sys->vars.at[alias.var].select < SELECT_ALWAYS) sys->vars.at[alias.var].select = SELECT_ALWAYS;
    DaeReinit r = { alias.var, guard, value, s->span };
    vec_push(sys->arena, &sys->reinits, r);
}

static void run_statement(Exec *x, StmtId id, Sym guard)
{
    const FlatStmt *s = &x->b->s->flat->stmts.at[id];
    switch ((FlatStmtKind)s->kind) {
    case S_EQUAL: assign_all(x, s->left, s->right, guard); break;
    case S_ASSIGN:
        if (x->b->outline_of && x->b->outline_of[id])
            call_outline(x, id, guard);
        else
            assign_all(x, s->left, s->right, guard);
        break;
    case S_IF:
    case S_WHEN: run_branches(x, s, guard); break;
    case S_REINIT: run_reinit(x, s, guard); break;
    case S_FOR: run_for(x, id, guard); break;
    case S_WHILE: run_while(x, id, guard); break;
    case S_BREAK:
    case S_RETURN: leave(x, guard, s->kind == S_RETURN); break;
    case S_CALL: run_call(x, s, guard); break;
    case S_ASSERT:
    case S_TERMINATE:
        if (!x->is_equation) x->b->round = ++x->b->rounds;
        dae_take_check(x->b, s, guard);
        break;
    }
}

static void run_body(Exec *x, const StmtId *ids, uint32_t n, Sym outer)
{
    const Flat *f = x->b->s->flat;
    for (uint32_t i = 0; i < n; i++) {
        const FlatStmt *s = &f->stmts.at[ids[i]];
        Sym guard = both(x, outer, x->alive);
        if (guard == SYM_ZERO) return;
        x->b->span = s->span;
        run_statement(x, ids[i], guard);
    }
}

/* What statements have made of a variable becomes its equation. */
static void give(Exec *x, VarId v)
{
    Build *b = x->b;
    System *s = b->s;
    DaeAlias alias = s->alias[v];
    Sym value = alias.is_negated ? sym_one(s->pool, SYM_NEG, x->value[v]) : x->value[v];
    bool is_discrete = s->vars.at[alias.var].role == ROLE_DISCRETE;
    b->span = s->flat->vars.at[v].span;
    x->value[v] = NONE;
    if (is_discrete && x->is_initial) {
        DaeAssign assign = { alias.var, NONE, value };
        vec_push(s->arena, &s->discrete_initial, assign);
    } else if (is_discrete) {
        dae_give_discrete(b, alias.var, value);
    } else {
        Span span = b->given_at[v].n ? b->given_at[v] : b->span;
        uint32_t eq = dae_add_eq(s, sym_leaf(s->pool, SYM_VAR, alias.var), value, span);
        if (x->is_initial)
            vec_push(b->scratch, &b->initial_equations, eq);
        else
            vec_push(b->scratch, &b->equations, eq);
    }
}

static bool all_discrete(const Exec *x)
{
    const System *s = x->b->s;
    for (uint32_t i = 0; i < x->touched.n; i++)
        if (s->vars.at[s->alias[x->touched.at[i]].var].role != ROLE_DISCRETE) return false;
    return true;
}

void dae_take_statements(Build *b, const StmtId *ids, uint32_t n, Statements kind)
{
    bool is_equation = kind == STATEMENTS_WHEN;
    Exec x = { .b = b,
               .is_equation = is_equation,
               .is_initial = kind == STATEMENTS_INITIAL,
               .alive = SYM_ONE,
               .value = b->value };
    b->env = is_equation ? NULL : x.value;
    b->at_start = x.is_initial;
    if (!is_equation) touch_body(&x, ids, n);
    /* what only gives discrete variables at the start runs until both agree: relations there
     * need no memory, and what they compare may be known only once the statements before them
     * were run */
    bool is_literal = x.is_initial && all_discrete(&x);
    b->whens += is_literal;
    run_body(&x, ids, n, SYM_ONE);
    b->whens -= is_literal;
    b->env = NULL;
    b->at_start = false;
    b->round = 1;
    for (uint32_t i = 0; i < x.touched.n; i++) give(&x, x.touched.at[i]);
}
