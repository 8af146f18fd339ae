/* verify.c: whether a flat model holds what flat.h promises. For asserts and tests; cost O(size).
 * Tests: every case of tests/modelica passes through it. */
#include "flat/flat.h"

static bool list_fits(const Flat *flat, uint32_t first, uint32_t n)
{
    return n == 0 || (first < flat->ids.n && n <= flat->ids.n - first);
}

static const char *verify_exprs(const Flat *flat)
{
    for (ExprId id = 0; id < flat->exprs.n; id++) {
        const FlatExpr *e = &flat->exprs.at[id];
        if (e->kind >= X_KIND_COUNT) return "an expression of no kind";
        if (e->type >= flat->types.n) return "an expression without type";
        if (!list_fits(flat, e->first, e->n)) return "an expression's arguments are not in the list";
        for (uint32_t i = 0; i < e->n; i++)
            if (flat->ids.at[e->first + i] >= id) return "an argument that comes after its expression";
        if (e->kind == X_VAR && e->index >= flat->vars.n) return "a reference to no variable";
        if (e->kind == X_CALL && e->index >= flat->functions.n) return "a call of no function";
    }
    return NULL;
}

static bool is_expr(const Flat *flat, ExprId id) { return id == NONE || id < flat->exprs.n; }

static const char *verify_stmts(const Flat *flat)
{
    for (StmtId id = 0; id < flat->stmts.n; id++) {
        const FlatStmt *s = &flat->stmts.at[id];
        if (!is_expr(flat, s->left) || !is_expr(flat, s->right) || !is_expr(flat, s->level))
            return "a statement with an expression that is not there";
        if (s->n && (s->first >= flat->branches.n || s->n > flat->branches.n - s->first))
            return "a statement whose branches are not there";
        for (uint32_t i = 0; i < s->n; i++) {
            const FlatBranch *b = &flat->branches.at[s->first + i];
            if (!is_expr(flat, b->condition) || !list_fits(flat, b->first, b->n))
                return "a branch that is not whole";
            for (uint32_t k = 0; k < b->n; k++)
                if (flat->ids.at[b->first + k] >= id)
                    return "an inner statement that comes after its outer one";
        }
    }
    return NULL;
}

static const char *verify_vars(const Flat *flat)
{
    for (VarId id = 0; id < flat->vars.n; id++) {
        const FlatVar *v = &flat->vars.at[id];
        if (v->type >= flat->types.n || flat->types.at[v->type].rank) return "a variable that is no scalar";
        if (v->array != NONE &&
            (v->array >= flat->arrays.n || flat->arrays.at[v->array].first + v->index != id))
            return "a variable that is not in its array";
        if (!is_expr(flat, v->binding)) return "a variable with a binding that is not there";
    }
    return NULL;
}

static const char *verify_equations(const Flat *flat, const StmtId *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (at[i] >= flat->stmts.n) return "an equation that is not there";
        const FlatStmt *s = &flat->stmts.at[at[i]];
        if (s->kind != S_EQUAL || flat->exprs.at[s->left].kind == X_TUPLE) continue;
        if (flat->types.at[flat->exprs.at[s->left].type].rank ||
            flat->types.at[flat->exprs.at[s->right].type].rank)
            return "an equation between arrays";
    }
    return NULL;
}

static const char *verify_functions(const Flat *flat)
{
    for (FuncId id = 0; id < flat->functions.n; id++) {
        const FlatFunction *f = &flat->functions.at[id];
        for (uint32_t i = 0; i < f->by.n; i++)
            if (f->of >= flat->functions.n || f->by.at[i] >= f->inputs) return "a derivative of nothing";
        for (uint32_t i = 0; i < f->derivatives.n; i++) {
            const FlatDerivative *d = &f->derivatives.at[i];
            if (d->function >= flat->functions.n || !list_fits(flat, d->zero_first, d->zero_n) ||
                !list_fits(flat, d->none_first, d->none_n))
                return "a derivative that is not there";
        }
        for (uint32_t i = 0; i < f->inverses.n; i++)
            if (f->inverses.at[i].input >= f->inputs || f->inverses.at[i].call >= flat->exprs.n)
                return "an inverse that is not there";
    }
    return NULL;
}

const char *flat_verify(const Flat *flat)
{
    const char *wrong = verify_exprs(flat);
    if (!wrong) wrong = verify_functions(flat);
    if (!wrong) wrong = verify_stmts(flat);
    if (!wrong) wrong = verify_vars(flat);
    if (!wrong) wrong = verify_equations(flat, flat->equations.at, flat->equations.n);
    return wrong ? wrong : verify_equations(flat, flat->initial_equations.at, flat->initial_equations.n);
}
