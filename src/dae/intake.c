/* intake.c: a flat model's variables and equations become those of a System.
 *
 * If-equations become equations of if-expressions; equations of discrete variables become
 * assignments; bindings of variables become equations. Always after this: continuous equations are
 * in b->equations, with no alias among them. Cost: linear, but for when-clauses, which cost the
 * number of variables each. Tests: tests/dae/system_test.c. */
#include "dae/inside.h"

/* ---- attributes ------------------------------------------------------------------------------ */

/* Several names of one variable are fixed: all of them are conditions. */
static void fix_alias(Build *b, const DaeVar *v, const FlatVar *u, Sym value)
{
    System *s = b->s;
    if (v->role <= ROLE_DISCRETE || value == v->start) return;
    uint32_t eq = dae_add_eq(s, sym_leaf(s->pool, SYM_VAR, (uint32_t)(v - s->vars.at)), value, u->span);
    s->eqs.at[eq].is_start = true;
    vec_push(b->scratch, &b->initial_equations, eq);
}

static void take_start(Build *b, DaeVar *v, const FlatVar *u, bool minus)
{
    ExprId fixed = u->attributes[ATTRIBUTE_FIXED], start = u->attributes[ATTRIBUTE_START];
    bool is_fixed = fixed != NONE && dae_estimate(b->s, dae_translate(b, fixed, true), b->scratch) != 0;
    if (start == NONE && !is_fixed) return;
    if (v->has_start && !is_fixed) return;
    Sym value = start == NONE ? SYM_ZERO : dae_translate(b, start, true);
    if (minus) value = sym_one(b->s->pool, SYM_NEG, value);
    if (v->is_fixed) {
        fix_alias(b, v, u, value);
        return;
    }
    v->start = value;
    v->has_start = true;
    v->is_fixed |= is_fixed;
}

static void take_select(Build *b, DaeVar *v, const FlatVar *u)
{
    ExprId e = u->attributes[ATTRIBUTE_STATE_SELECT];
    if (e == NONE) return;
    double ordinal = dae_estimate(b->s, dae_translate(b, e, true), b->scratch);
    if (!(ordinal >= 1 && ordinal <= 5) || ordinal == 3) return;
    uint8_t select = (uint8_t)(ordinal - 1);
    if (v->select == SELECT_DEFAULT || select > v->select) v->select = select;
}

/* Of several aliases the first that says one counts. */
static void take_bounds(Build *b, DaeVar *v, const FlatVar *u, bool minus)
{
    ExprId low = u->attributes[minus ? ATTRIBUTE_MAX : ATTRIBUTE_MIN],
           high = u->attributes[minus ? ATTRIBUTE_MIN : ATTRIBUTE_MAX];
    if (low != NONE && !v->has_min) {
        Sym value = dae_translate(b, low, true);
        v->min = minus ? sym_one(b->s->pool, SYM_NEG, value) : value;
        v->has_min = true;
    }
    if (high != NONE && !v->has_max) {
        Sym value = dae_translate(b, high, true);
        v->max = minus ? sym_one(b->s->pool, SYM_NEG, value) : value;
        v->has_max = true;
    }
}

static bool is_number(uint8_t base) { return base <= BASE_BOOLEAN || base == BASE_ENUM; }
static bool is_value(uint8_t base) { return is_number(base) || base == BASE_STRING || base == BASE_OBJECT; }

/* Representatives come first, so that what they say counts before what their aliases say. */
static void take_attributes(Build *b, bool of_aliases)
{
    System *s = b->s;
    for (VarId i = 0; i < s->flat->vars.n; i++) {
        const FlatVar *u = &s->flat->vars.at[i];
        DaeVar *v = &s->vars.at[s->alias[i].var];
        if ((v->flat != i) != of_aliases || !(is_number(v->type) || v->type == BASE_STRING)) continue;
        b->span = u->span;
        take_start(b, v, u, s->alias[i].is_negated);
        if (!is_number(v->type)) continue;
        take_select(b, v, u);
        ExprId nominal = u->attributes[ATTRIBUTE_NOMINAL];
        if (nominal != NONE && v->nominal == SYM_ONE) v->nominal = dae_translate(b, nominal, true);
        take_bounds(b, v, u, s->alias[i].is_negated);
    }
}

static void take_parameter(Build *b, uint32_t id)
{
    DaeVar *v = &b->s->vars.at[id];
    const FlatVar *u = &b->s->flat->vars.at[v->flat];
    b->span = u->span;
    if (!is_value(v->type)) return;
    ExprId fixed = u->attributes[ATTRIBUTE_FIXED];
    bool open = fixed != NONE && dae_estimate(b->s, dae_translate(b, fixed, true), b->scratch) == 0;
    if (u->binding != NONE) {
        b->at_parameters = true;
        Sym binding = dae_translate(b, u->binding, true);
        b->at_parameters = false;
        b->s->vars.at[id].binding = binding;
    } else if (open) {
        v->is_unknown_parameter = true;
    } else {
        v->binding = v->start;
        if (!v->has_start && is_number(v->type))
            diag_add(b->diag, E_PARAMETER_VALUE, u->span, "parameter '%s' has no value: 0 is used", v->name);
    }
}

/* ---- equations ------------------------------------------------------------------------------- */

static void collect(Build *b, const FlatStmt *s, Sym guard, Pairs *out);

/* Equation k of each branch becomes one equation. */
static void collect_if(Build *b, const FlatStmt *s, Sym guard, Pairs *out)
{
    const Flat *f = b->s->flat;
    SymPool *p = b->s->pool;
    Pairs sum = { 0 };
    Sym before = SYM_ZERO, *own = NEW_ARRAY(b->scratch, Sym, s->n + 1);
    for (uint32_t k = 0; k < s->n; k++) {
        ExprId c = f->branches.at[s->first + k].condition;
        own[k] = c == NONE ? SYM_ONE : dae_translate(b, c, false);
    }
    for (uint32_t k = 0; k < s->n; k++) {
        const FlatBranch *branch = &f->branches.at[s->first + k];
        Sym now = sym_two(p, SYM_AND, own[k], sym_one(p, SYM_NOT, before));
        Pairs inner = { 0 };
        for (uint32_t i = 0; i < branch->n; i++)
            collect(b, &f->stmts.at[f->ids.at[branch->first + i]], sym_two(p, SYM_AND, guard, now), &inner);
        before = sym_two(p, SYM_OR, before, own[k]);
        if (k == 0) {
            sum = inner;
            continue;
        }
        if (inner.n != sum.n) {
            dae_not_yet(b, "an if-equation with different numbers of equations in its branches");
            return;
        }
        for (uint32_t i = 0; i < sum.n; i++) {
            Pair *a = &sum.at[i], *c = &inner.at[i];
            if (a->left != c->left) {
                a->right = sym_two(p, SYM_SUB, a->right, a->left);
                c->right = sym_two(p, SYM_SUB, c->right, c->left);
                a->left = SYM_ZERO;
            }
            a->right = sym_if(p, now, c->right, a->right);
            a->is_whole &= c->is_whole;
        }
    }
    for (uint32_t i = 0; i < sum.n; i++) vec_push(b->scratch, out, sum.at[i]);
}

/* Whether an expression has no Reals; in a record each member has the type that the other side's
 * has. */
static bool is_whole(const Flat *f, ExprId e) { return f->types.at[f->exprs.at[e].type].base != BASE_REAL; }

/* Arrays, records and several results at once are as many scalar equations. */
static void collect_equal(Build *b, const FlatStmt *s, Pairs *out)
{
    const Flat *f = b->s->flat;
    const FlatExpr *left = &f->exprs.at[s->left];
    bool is_list = left->kind == X_TUPLE || left->kind == X_ARRAY || left->kind == X_RECORD ||
                   f->types.at[left->type].rank > 0;
    if (!is_list) {
        Pair pair = { dae_translate(b, s->left, false), dae_translate(b, s->right, false), s->span,
                      is_whole(f, s->left) && is_whole(f, s->right) };
        vec_push(b->scratch, out, pair);
        return;
    }
    bool is_tuple = left->kind == X_TUPLE;
    uint32_t n = is_tuple ? left->n : 1;
    Syms *right = NEW_ARRAY(b->scratch, Syms, n + 1);
    if (is_tuple)
        dae_inline_results(b, s->right, s->left, right);
    else
        dae_inline_all(b, s->right, right);
    for (uint32_t k = 0; k < n; k++) {
        ExprId part = is_tuple ? f->ids.at[left->first + k] : s->left;
        Syms scalars = { 0 };
        if (f->exprs.at[part].kind == X_OMITTED) continue;
        dae_inline_all(b, part, &scalars);
        for (uint32_t i = 0; i < scalars.n && i < right[k].n; i++) {
            Pair pair = { scalars.at[i], right[k].at[i], s->span, is_whole(f, part) };
            vec_push(b->scratch, out, pair);
        }
    }
}

static void collect(Build *b, const FlatStmt *s, Sym guard, Pairs *out)
{
    b->span = s->span;
    switch ((FlatStmtKind)s->kind) {
    case S_EQUAL: collect_equal(b, s, out); break;
    case S_IF: collect_if(b, s, guard, out); break;
    case S_ASSERT:
    case S_TERMINATE: dae_take_check(b, s, guard); break;
    case S_CALL: dae_take_effect(b, s, guard); break;
    default: dae_not_yet(b, "this kind of equation");
    }
}

/* Whether an expression cannot change between events: a condition, or nothing continuous in it. */
static bool holds_between_events(Build *b, Sym e)
{
    SymOp op = (SymOp)sym_node(b->s->pool, e)->op;
    if (op == SYM_RELATION || op == SYM_NOT || (op >= SYM_LT && op <= SYM_OR)) return true;
    return sym_is_fixed(b->s->pool, b->s, e, true);
}

/* Whether an equation may give an Integer (a Boolean, ...) what is computed: not a Real
 * variable. */
static bool keeps_type(const System *s, uint32_t v, Sym value)
{
    if (sym_is(s->pool, value, SYM_NEG)) value = sym_node(s->pool, value)->arg[0];
    if (s->vars.at[v].type == BASE_REAL || !sym_is(s->pool, value, SYM_VAR)) return true;
    const DaeVar *from = &s->vars.at[sym_node(s->pool, value)->index];
    return from->type != BASE_REAL || from->flat == NONE; /* NONE: what integer() and others give */
}

/* Discrete variables alone on a side of the pair, which no other equation gives yet: so many
 * ways to take it. */
static int discrete_ways(Build *b, const Pair *p, bool is_initial, DaeAssign *ways)
{
    System *s = b->s;
    int n = 0;
    for (int side = 0; side < 2; side++) {
        Sym var = side ? p->right : p->left, value = side ? p->left : p->right;
        bool minus = sym_is(s->pool, var, SYM_NEG);
        if (minus) var = sym_node(s->pool, var)->arg[0];
        if (!sym_is(s->pool, var, SYM_VAR)) continue;
        uint32_t v = sym_node(s->pool, var)->index;
        if (s->vars.at[v].role != ROLE_DISCRETE || (s->vars.at[v].is_given && !is_initial)) continue;
        /* An Integer that a function gives changes at events only, whatever it is computed from. */
        bool is_result = s->vars.at[v].type != BASE_REAL && (p->is_whole || sym_is(s->pool, value, SYM_PICK));
        if (!is_initial && !is_result && !holds_between_events(b, value)) continue;
        if (!is_initial && !keeps_type(s, v, value)) continue;
        ways[n++] = (DaeAssign){ v, NONE, minus ? sym_one(s->pool, SYM_NEG, value) : value };
    }
    return n;
}

/* Pairs of two discrete variables wait until the other equations are taken: then those that can
 * give only one of the two go first. */
static void take_waiting(Build *b)
{
    DaeAssign ways[2];
    for (bool any = true; b->waiting.n;) {
        uint32_t left = 0;
        bool forced = !any;
        any = false;
        for (uint32_t i = 0; i < b->waiting.n; i++) {
            Pair p = b->waiting.at[i];
            int n = discrete_ways(b, &p, false, ways);
            b->span = p.span;
            if (n == 2 && !forced) {
                b->waiting.at[left++] = p;
                continue;
            }
            any = true, forced = false;
            if (n)
                dae_give_discrete(b, ways[0].var, ways[0].value);
            else
                vec_push(b->scratch, &b->equations, dae_add_eq(b->s, p.left, p.right, p.span));
        }
        b->waiting.n = left;
    }
}

/* `blends`, if not NULL, are the same equations for the start. */
static void take_pairs(Build *b, const Pairs *pairs, const Pairs *blends)
{
    System *s = b->s;
    for (uint32_t i = 0; i < pairs->n; i++) {
        const Pair *p = &pairs->at[i];
        DaeAssign ways[2];
        int n = discrete_ways(b, p, false, ways);
        b->span = p->span;
        if (n == 1) dae_give_discrete(b, ways[0].var, ways[0].value);
        if (n == 2) vec_push(b->scratch, &b->waiting, *p);
        if (n) continue;
        uint32_t eq = dae_add_eq(s, p->left, p->right, p->span);
        vec_push(b->scratch, &b->equations, eq);
        if (!blends || i >= blends->n) continue;
        const Pair *blend = &blends->at[i];
        uint32_t other = dae_add_eq(s, blend->left, blend->right, p->span);
        s->eqs.at[eq].blend = other;
    }
}

/* What is translated from here on is so with homotopy() as a blend, or as it was. */
static void set_blends(Build *b, bool on)
{
    b->blends = on;
    b->round = on ? ++b->rounds : 1;
}

static void take_equation(Build *b, StmtId id)
{
    const Flat *f = b->s->flat;
    const FlatStmt *s = &f->stmts.at[id];
    if (b->is_alias_eq[id]) return;
    b->span = s->span;
    Pairs pairs = { 0 }, blends = { 0 };
    b->has_homotopy = false;
    collect(b, s, SYM_ONE, &pairs);
    if (b->has_homotopy && s->kind == S_EQUAL) {
        set_blends(b, true);
        collect(b, s, SYM_ONE, &blends);
        set_blends(b, false);
    }
    take_pairs(b, &pairs, &blends);
}

static void take_binding(Build *b, VarId v)
{
    System *s = b->s;
    const FlatVar *u = &s->flat->vars.at[v];
    if (u->varies < VARIES_DISCRETE || u->binding == NONE || b->is_alias_binding[v]) return;
    if (!is_value((uint8_t)s->flat->types.at[u->type].base) ||
        s->flat->types.at[u->type].base == BASE_OBJECT || u->causes == CAUSES_INPUT)
        return;
    b->span = u->span;
    b->has_homotopy = false;
    Pair pair = { dae_var(b, v), dae_translate(b, u->binding, false), u->span,
                  is_whole(s->flat, u->binding) };
    Pairs pairs = { 0 }, blends = { 0 };
    vec_push(b->scratch, &pairs, pair);
    if (b->has_homotopy) {
        set_blends(b, true);
        pair.right = dae_translate(b, u->binding, false);
        vec_push(b->scratch, &blends, pair);
        set_blends(b, false);
    }
    take_pairs(b, &pairs, &blends);
}

/* pre(d) = ... and d = ... for a discrete d set what d is before the first event, from whatever the
 * start gives; others belong to the initial system. */
static void take_initial(Build *b, StmtId id)
{
    System *s = b->s;
    Pairs pairs = { 0 };
    set_blends(b, true);
    b->at_start = true;
    collect(b, &s->flat->stmts.at[id], SYM_ONE, &pairs);
    b->at_start = false;
    set_blends(b, false);
    for (uint32_t i = 0; i < pairs.n; i++) {
        const Pair *p = &pairs.at[i];
        DaeAssign ways[2];
        const SymNode *left = sym_node(s->pool, p->left);
        if (left->op == SYM_PRE) {
            DaeAssign assign = { left->index, NONE, p->right };
            vec_push(s->arena, &s->discrete_initial, assign);
        } else if (discrete_ways(b, p, true, ways)) {
            vec_push(s->arena, &s->discrete_initial, ways[0]);
        } else {
            uint32_t eq = dae_add_eq(s, p->left, p->right, p->span);
            vec_push(b->scratch, &b->initial_equations, eq);
        }
    }
}

bool dae_intake(Build *b)
{
    System *s = b->s;
    const Flat *f = s->flat;
    take_attributes(b, false);
    take_attributes(b, true);
    uint32_t own = s->vars.n;
    for (uint32_t v = 0; v < own; v++)
        if (s->vars.at[v].role <= ROLE_PARAMETER) take_parameter(b, v);
    for (uint32_t i = 0; i < f->equations.n; i++)
        if (f->stmts.at[f->equations.at[i]].kind == S_WHEN)
            dae_take_statements(b, &f->equations.at[i], 1, STATEMENTS_WHEN);
    for (uint32_t i = 0; i < f->algorithms.n; i++) {
        const FlatAlgorithm *a = &f->algorithms.at[i];
        b->span = a->span;
        dae_take_statements(b, f->ids.at + a->first, a->n,
                            a->initial ? STATEMENTS_INITIAL : STATEMENTS_ALGORITHM);
    }
    for (VarId v = 0; v < f->vars.n; v++) take_binding(b, v);
    for (uint32_t i = 0; i < f->equations.n; i++)
        if (f->stmts.at[f->equations.at[i]].kind != S_WHEN) take_equation(b, f->equations.at[i]);
    take_waiting(b);
    for (uint32_t i = 0; i < f->initial_equations.n; i++) take_initial(b, f->initial_equations.at[i]);
    return !b->failed;
}
