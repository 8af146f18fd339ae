/* smooth.c: whether an equation may be differentiated without need, so that a preferred variable in
 * it becomes a state.
 *
 * In: an expression. Out: no where something in it jumps, for a state cannot follow that, or where
 * a function searches for its result, for each derivative costs all of its iterations again, and
 * the Jacobian needs second ones. How: a walk over nodes; of functions only the text of those
 * called here is looked at, for searches further inside, as for water next to its critical point,
 * are mostly not made. Tests: tests/gen/prefer_test.c. */
#include "dae/inside.h"

static bool jumps(const System *s, const SymNode *n)
{
    uint8_t role = n->op == SYM_VAR ? s->vars.at[n->index].role : ROLE_STATE;
    return role == ROLE_DISCRETE || role == ROLE_INPUT;
}

static bool has_while(const Flat *f, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const FlatStmt *s = &f->stmts.at[f->ids.at[first + i]];
        if (s->kind == S_WHILE) return true;
        for (uint32_t k = 0; k < s->n; k++)
            if (has_while(f, f->branches.at[s->first + k].first, f->branches.at[s->first + k].n)) return true;
    }
    return false;
}

static bool searches(const System *s, const DaeFun *fun)
{
    const FlatFunction *f = &s->flat->functions.at[fun->of];
    for (uint32_t i = 0; i < fun->inputs; i++)
        if (fun->shapes[i].base == BASE_FUNCTION) return true;
    return has_while(s->flat, f->first, f->n);
}

/* An Integer beside continuous arguments says by which formula a function computes what both give
 * alike where it changes: the phase of a medium. */
static bool call_is_smooth(const System *s, const SymNode *call)
{
    bool picks = false, varies = false;
    if (searches(s, sym_fun(s->pool, call->index))) return false;
    for (Sym at = call->arg[0]; sym_node(s->pool, at)->op == SYM_ARGS; at = sym_node(s->pool, at)->arg[1]) {
        const SymNode *item = sym_node(s->pool, sym_node(s->pool, at)->arg[0]);
        const DaeVar *v = item->op == SYM_VAR ? &s->vars.at[item->index] : NULL;
        bool is_jumping = jumps(s, item);
        if (is_jumping && (v->role == ROLE_INPUT || v->type != BASE_INTEGER)) return false;
        picks |= is_jumping;
        varies |= v ? v->role >= ROLE_STATE : sym_arity((SymOp)item->op) > 0;
    }
    return !picks || varies;
}

bool dae_is_smooth(System *s, Sym e)
{
    if (jumps(s, sym_node(s->pool, e))) return false;
    sym_walk(s->pool, e);
    for (uint32_t i = 0; i < s->pool->seen.n; i++) {
        const SymNode *n = sym_node(s->pool, s->pool->seen.at[i]);
        if (n->op >= SYM_PRE && n->op <= SYM_TERMINAL) return false;
        if (n->op == SYM_HISTORY || n->op == SYM_HISTORY_SLOPE || (n->op >= SYM_FLOOR && n->op <= SYM_TRUNC))
            return false;
        if (n->op == SYM_CALL && !call_is_smooth(s, n)) return false;
        for (uint32_t k = 0; k < sym_arity((SymOp)n->op) && n->op != SYM_ARGS; k++)
            if (jumps(s, sym_node(s->pool, n->arg[k]))) return false;
    }
    return true;
}
