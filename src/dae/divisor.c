/* divisor.c: divisions by a constant that is zero, which no parameter and no run can mend.
 *
 * In: equations and parameters. Out: an error at each of them that divides by zero whatever happens: a branch of an
 * if-expression may never be computed, and is left alone. Divisions by parameters are looked at when these have their values
 * (gen/report.c, run/report.c). Cost: linear in the expressions that may have no value. Tests: tests/dae/system_test.c. */
#include "dae/inside.h"

typedef struct {
    Build *b;
    Map seen;
    Syms stack;
} Search;

static bool divides_by_zero(Search *x, Sym root)
{
    const SymPool *p = x->b->s->pool;
    bool found = false;
    x->stack.n = 0;
    vec_push(x->b->scratch, &x->stack, root);
    while (x->stack.n) {
        Sym s = x->stack.at[--x->stack.n];
        const SymNode *n = sym_node(p, s);
        bool is_new, is_lazy = n->op == SYM_IF || n->op == SYM_AND || n->op == SYM_OR;
        if (n->is_total) continue;
        map_put(&x->seen, s, &is_new);
        if (!is_new) continue;
        found |= n->op == SYM_DIV && n->arg[1] == SYM_ZERO;
        for (uint32_t k = 0; k < (is_lazy ? 1 : sym_arity((SymOp)n->op)); k++)
            vec_push(x->b->scratch, &x->stack, n->arg[k]);
    }
    return found;
}

bool dae_check_divisors(Build *b)
{
    System *s = b->s;
    Search x = { .b = b, .seen = { .arena = b->scratch } };
    bool ok = true;
    for (uint32_t e = 0; e < s->eqs.n; e++) {
        const DaeEq *eq = &s->eqs.at[e];
        if (!divides_by_zero(&x, eq->left) && !divides_by_zero(&x, eq->right)) continue;
        diag_add(b->diag, E_ZERO_DIVISOR, eq->span, "division by a constant that is zero");
        ok = false;
    }
    for (uint32_t v = 0; v < s->vars.n; v++) {
        const DaeVar *u = &s->vars.at[v];
        if (u->role > ROLE_PARAMETER || u->binding == NONE || !divides_by_zero(&x, u->binding)) continue;
        diag_add(b->diag, E_ZERO_DIVISOR, u->span,
                 "in the value of '%s': division by a constant that is zero", u->name);
        ok = false;
    }
    return ok;
}
