/* divisor.c: divisions that are computed whatever happens, and those of them by a constant that is
 * zero.
 *
 * In: equations and the values of parameters. Out: each division outside of the branches of
 * if-expressions and of the second operand of `and` and `or`, which may never be computed. One by a
 * constant that is zero is an error: no parameter and no run can mend it. Divisions by parameters
 * are looked at when these have their values (gen/report.c, run/report.c). Cost: linear in the
 * expressions that may have no value. Tests: tests/dae/system_test.c, tests/cli/failures.sh. */
#include "dae/inside.h"

typedef struct {
    const System *s;
    Arena *scratch;
    Map seen;
    Syms stack;
    DaeDivision at;
    DaeDivisionSee see;
    void *arg;
} Search;

/* What has a value wherever its variables have is not looked into. */
static void search(Search *x, Sym root)
{
    const SymPool *p = x->s->pool;
    vec_push(x->scratch, &x->stack, root);
    while (x->stack.n) {
        Sym s = x->stack.at[--x->stack.n];
        const SymNode *n = sym_node(p, s);
        bool is_new, is_lazy = n->op == SYM_IF || n->op == SYM_AND || n->op == SYM_OR;
        if (n->is_total) continue;
        map_put(&x->seen, s, &is_new);
        if (!is_new) continue;
        x->at.divisor = n->arg[1];
        if (n->op == SYM_DIV) x->see(x->arg, &x->at);
        for (uint32_t k = 0; k < (is_lazy ? 1 : sym_arity((SymOp)n->op)); k++)
            vec_push(x->scratch, &x->stack, n->arg[k]);
    }
}

void dae_each_division(const System *s, Arena *scratch, DaeDivisionSee see, void *arg)
{
    Search x = { .s = s, .scratch = scratch, .seen = { .arena = scratch }, .see = see, .arg = arg };
    for (uint32_t e = 0; e < s->eqs.n; e++) {
        x.at = (DaeDivision){ e, NONE, 0 };
        search(&x, s->eqs.at[e].left);
        search(&x, s->eqs.at[e].right);
    }
    for (uint32_t v = 0; v < s->vars.n; v++) {
        x.at = (DaeDivision){ NONE, v, 0 };
        if (s->vars.at[v].role <= ROLE_PARAMETER && s->vars.at[v].binding != NONE)
            search(&x, s->vars.at[v].binding);
    }
}

static void refuse_zero(void *arg, const DaeDivision *d)
{
    Build *b = arg;
    const System *s = b->s;
    if (d->divisor != SYM_ZERO) return;
    if (d->eq != NONE)
        diag_add(b->diag, E_ZERO_DIVISOR, s->eqs.at[d->eq].span, "division by a constant that is zero");
    else
        diag_add(b->diag, E_ZERO_DIVISOR, s->vars.at[d->var].span,
                 "in the value of '%s': division by a constant that is zero", s->vars.at[d->var].name);
    b->failed = true;
}

bool dae_check_divisors(Build *b)
{
    dae_each_division(b->s, b->scratch, refuse_zero, b);
    return !b->failed;
}
