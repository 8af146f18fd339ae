/* discrete.c: what der, pre, change and reinit may be applied to, once it is known which variables
 * change at events only (specification 3.7.5, 3.8, 8.3.6): those declared so, and those that
 * when-clauses determine.
 *
 * In: the flat model. Out: reports. Cost: O(size). Tests: tests/modelica/statements.mo. */
#include "sema/inside.h"

typedef struct {
    Sema *s;
    const Flat *flat;
    uint8_t *in_when;    /* by variable: a when-clause determines it */
    uint8_t *is_state;   /* by variable: der() is applied to it */
    StmtId *reinit_in;   /* by variable: the when-clause that sets it anew, plus 1; 0: none */
    StmtId when;         /* the one around */
    uint32_t *reinit_at; /* by variable: in which branch, from 1 */
    uint32_t branch, branches;
} Discrete;

static void mark_targets(Discrete *d, ExprId id)
{
    const FlatExpr *e = &d->flat->exprs.at[id];
    if (e->kind == X_VAR) d->in_when[e->index] = 1;
    uint32_t deep = e->kind == X_SUBSCRIPT || e->kind == X_FIELD ? 1 : e->kind == X_VAR ? 0 : e->n;
    for (uint32_t i = 0; i < deep; i++) mark_targets(d, d->flat->ids.at[e->first + i]);
}

static void mark_when(Discrete *d, StmtId id, bool in_when)
{
    const FlatStmt *st = &d->flat->stmts.at[id];
    in_when |= st->kind == S_WHEN;
    if (in_when && (st->kind == S_ASSIGN || st->kind == S_EQUAL)) mark_targets(d, st->left);
    for (uint32_t i = 0; i < st->n; i++) {
        const FlatBranch *b = &d->flat->branches.at[st->first + i];
        for (uint32_t k = 0; k < b->n; k++) mark_when(d, d->flat->ids.at[b->first + k], in_when);
    }
}

/* Whether a variable changes between events. */
static bool is_continuous(const Discrete *d, const FlatExpr *e)
{
    return e->kind == X_VAR && d->flat->vars.at[e->index].varies == VARIES_CONTINUOUS &&
           !d->in_when[e->index];
}

static void check_operator(Discrete *d, const FlatExpr *e, bool in_when, Span span)
{
    const FlatExpr *of = e->n ? &d->flat->exprs.at[d->flat->ids.at[e->first]] : NULL;
    if (!of || of->kind != X_VAR) return;
    const FlatVar *v = &d->flat->vars.at[of->index];
    bool is_real = d->flat->types.at[v->type].base == BASE_REAL;
    const char *name = builtin_text((Builtin)e->op);
    bool wrong_der = e->op == BUILTIN_DER && (v->varies == VARIES_DISCRETE || !is_real);
    bool wrong_pre = (e->op == BUILTIN_PRE || e->op == BUILTIN_CHANGE) && is_continuous(d, of) && !in_when;
    if (!wrong_der && !wrong_pre) return;
    Note *note = sema_error(d->s, NULL, E_OPERATOR_PLACE, span,
                            wrong_der ? "'%s' is not defined for '%s', which changes at events only"
                                      : "'%s' is not defined for '%s', which changes continuously",
                            name, v->name);
    diag_label(d->s->diag, note, v->span, "declared here");
}

/* Expressions are as deep as texts are, but for sums from connections, which have none of these
 * operators. */
static void check_expr(Discrete *d, ExprId id, bool in_when, Span span)
{
    for (;;) {
        const FlatExpr *e = &d->flat->exprs.at[id];
        if (e->kind == X_BUILTIN) check_operator(d, e, in_when, span);
        for (uint32_t i = 1; i < e->n; i++) check_expr(d, d->flat->ids.at[e->first + i], in_when, span);
        if (!e->n) return;
        id = d->flat->ids.at[e->first];
    }
}

static void check_reinit(Discrete *d, const FlatStmt *st)
{
    const FlatExpr *to = &d->flat->exprs.at[st->left];
    if (to->kind != X_VAR) {
        sema_error(d->s, NULL, E_ASSIGN_TARGET, st->span, "'reinit' is for a variable");
        return;
    }
    const FlatVar *v = &d->flat->vars.at[to->index];
    StmtId *first = &d->reinit_in[to->index];
    bool same_when = *first == d->when + 1;
    if (*first && same_when && d->reinit_at[to->index] == d->branch)
        sema_error(d->s, NULL, E_REINIT_TWICE, st->span, "'%s' is set anew by reinit a second time", v->name);
    d->reinit_at[to->index] = d->branch;
    if (*first && !same_when) {
        Note *note = sema_error(d->s, NULL, E_REINIT_TWICE, st->span,
                                "'%s' is set anew by reinit in two when-clauses", v->name);
        diag_label(d->s->diag, note, d->flat->stmts.at[*first - 1].span, "the other one");
        diag_hint(d->s->diag, note, "make them one, with 'elsewhen'");
    }
    *first = d->when + 1;
    if (d->is_state[to->index]) return;
    Note *note = sema_error(d->s, NULL, E_ASSIGN_TARGET, st->span,
                            "'reinit' is for states, and '%s' is not differentiated", v->name);
    diag_label(d->s->diag, note, v->span, "declared here");
}

static void check_stmt(Discrete *d, StmtId id, bool in_when)
{
    const FlatStmt *st = &d->flat->stmts.at[id];
    ExprId exprs[] = { st->left, st->right, st->level };
    in_when |= st->kind == S_WHEN;
    if (st->kind == S_WHEN) d->when = id;
    for (size_t i = 0; i < COUNT_OF(exprs) && !st->from_connect; i++)
        if (exprs[i] != NONE) check_expr(d, exprs[i], in_when, st->span);
    if (st->kind == S_REINIT) check_reinit(d, st);
    for (uint32_t i = 0; i < st->n; i++) {
        const FlatBranch *b = &d->flat->branches.at[st->first + i];
        if (b->condition != NONE) check_expr(d, b->condition, in_when, st->span);
        uint32_t around = d->branch;
        d->branch = ++d->branches;
        for (uint32_t k = 0; k < b->n; k++) check_stmt(d, d->flat->ids.at[b->first + k], in_when);
        d->branch = around;
    }
}

/* Whether an expression changes between events. */
static bool changes(const Discrete *d, ExprId id)
{
    const FlatExpr *e = &d->flat->exprs.at[id];
    static const uint8_t steps[] = { BUILTIN_PRE,   BUILTIN_EDGE, BUILTIN_CHANGE, BUILTIN_INTEGER,
                                     BUILTIN_FLOOR, BUILTIN_CEIL, BUILTIN_DIV };
    if (e->kind == X_TIME || is_continuous(d, e)) return true;
    if (e->kind == X_VAR || (e->kind == X_BINARY && e->op >= O_LESS && e->op <= O_NOT_EQUAL)) return false;
    for (size_t i = 0; e->kind == X_BUILTIN && i < COUNT_OF(steps); i++)
        if (e->op == steps[i]) return false;
    for (uint32_t i = 0; i < e->n; i++)
        if (changes(d, d->flat->ids.at[e->first + i])) return true;
    return false;
}

/* A discrete Real is determined by a when-clause (4.5.2), not by an equation that always holds.
 * What changes at events only may give it a value as well, as other tools let it. */
static void check_always(Discrete *d, StmtId id)
{
    const FlatStmt *st = &d->flat->stmts.at[id];
    if (st->kind != S_EQUAL || st->from_connect) return;
    for (int side = 0; side < 2; side++) {
        const FlatExpr *e = &d->flat->exprs.at[side ? st->right : st->left];
        const FlatVar *v = e->kind == X_VAR ? &d->flat->vars.at[e->index] : NULL;
        if (!v || v->varies != VARIES_DISCRETE || v->partition || st->partition || d->in_when[e->index] ||
            v->flags & VAR_INPUT || d->flat->types.at[v->type].base != BASE_REAL ||
            !changes(d, side ? st->left : st->right))
            continue;
        Note *note =
            sema_error(d->s, NULL, E_VARIABILITY, st->span,
                       "'%s' is declared discrete, and so it is for a when-clause to determine it", v->name);
        diag_label(d->s->diag, note, v->span, "declared here");
        return;
    }
}

static void mark_states(Discrete *d)
{
    for (ExprId id = 0; id < d->flat->exprs.n; id++) {
        const FlatExpr *e = &d->flat->exprs.at[id];
        if (e->kind != X_BUILTIN || e->op != BUILTIN_DER || !e->n) continue;
        const FlatExpr *of = &d->flat->exprs.at[d->flat->ids.at[e->first]];
        if (of->kind == X_VAR) d->is_state[of->index] = 1;
    }
    for (VarId v = 0; v < d->flat->vars.n;
         v++) /* the one that shall be a state may be so by other equations */
        if (d->flat->vars.at[v].attributes[ATTRIBUTE_STATE_SELECT] != NONE) d->is_state[v] = 1;
}

void check_discrete(Sema *s, const Flat *flat)
{
    Discrete d = { .s = s,
                   .flat = flat,
                   .in_when = NEW_ARRAY(s->arena, uint8_t, flat->vars.n + 1),
                   .is_state = NEW_ARRAY(s->arena, uint8_t, flat->vars.n + 1),
                   .reinit_in = NEW_ARRAY(s->arena, StmtId, flat->vars.n + 1),
                   .reinit_at = NEW_ARRAY(s->arena, uint32_t, flat->vars.n + 1) };
    mark_states(&d);
    for (uint32_t i = 0; i < flat->equations.n; i++) mark_when(&d, flat->equations.at[i], false);
    for (uint32_t i = 0; i < flat->algorithms.n; i++)
        for (uint32_t k = 0; k < flat->algorithms.at[i].n; k++)
            mark_when(&d, flat->ids.at[flat->algorithms.at[i].first + k], false);
    for (uint32_t i = 0; i < flat->equations.n; i++) check_stmt(&d, flat->equations.at[i], false);
    for (uint32_t i = 0; i < flat->equations.n; i++) check_always(&d, flat->equations.at[i]);
    for (uint32_t i = 0; i < flat->algorithms.n; i++)
        for (uint32_t k = 0; k < flat->algorithms.at[i].n && !flat->algorithms.at[i].initial; k++)
            check_stmt(&d, flat->ids.at[flat->algorithms.at[i].first + k], false);
    for (VarId v = 0; v < flat->vars.n; v++)
        if (flat->vars.at[v].binding != NONE)
            check_expr(&d, flat->vars.at[v].binding, false, flat->vars.at[v].span);
}

/* ---- parameters that depend on themselves ---------------------------------------------------- */

typedef struct {
    Sema *s;
    const Flat *flat;
    uint8_t *state; /* by variable: STATE_... */
    VEC(VarId) path;
} Cycles;

static void report_cycle(Cycles *c, VarId v)
{
    const FlatVar *var = &c->flat->vars.at[v];
    Note *note =
        sema_error(c->s, NULL, E_CYCLIC_VALUE, var->span, "the value of '%s' depends on itself", var->name);
    uint32_t from = c->path.n;
    while (from > 0 && c->path.at[from - 1] != v) from--;
    for (uint32_t i = from; i < c->path.n; i++)
        diag_label(c->s->diag, note, c->flat->vars.at[c->path.at[i]].span, "by way of '%s'",
                   c->flat->vars.at[c->path.at[i]].name);
}

static void visit(Cycles *c, VarId v);

static void visit_expr(Cycles *c, ExprId id)
{
    for (;;) {
        const FlatExpr *e = &c->flat->exprs.at[id];
        if (e->kind == X_VAR) visit(c, e->index);
        for (uint32_t i = 1; i < e->n; i++) visit_expr(c, c->flat->ids.at[e->first + i]);
        if (!e->n) return;
        id = c->flat->ids.at[e->first];
    }
}

static void visit(Cycles *c, VarId v)
{
    enum { DEEPEST = 5000 };
    const FlatVar *var = &c->flat->vars.at[v];
    if (var->varies != VARIES_PARAMETER || var->binding == NONE || c->state[v] == STATE_DONE ||
        c->path.n > DEEPEST)
        return;
    if (c->state[v] == STATE_BUSY) {
        report_cycle(c, v);
        return;
    }
    c->state[v] = STATE_BUSY;
    vec_push(c->s->arena, &c->path, v);
    visit_expr(c, var->binding);
    c->path.n--;
    c->state[v] = STATE_DONE;
}

void check_cycles(Sema *s, const Flat *flat)
{
    Cycles c = { s, flat, NEW_ARRAY(s->arena, uint8_t, flat->vars.n + 1), { 0 } };
    for (VarId v = 0; v < flat->vars.n; v++) visit(&c, v);
}
