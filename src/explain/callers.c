/* callers.c: which equations of a model call a function, by way of other functions too.
 *
 * In: a statement of a function. Out: places of equations, bindings and statements whose values
 * need it, those in the model's own file first. Cost: O(size), times the depth of calls. Tests:
 * tests/diagnose. */
#include "explain/inside.h"

typedef struct {
    const Flat *flat;
    uint8_t *is_in;   /* by expression: it calls what is looked for */
    uint8_t *reaches; /* by function: likewise */
    Span *at;
    uint32_t n, most;
    bool at_home; /* which places are taken now */
} Callers;

static bool body_holds(const Callers *c, uint32_t first, uint32_t n, StmtId wanted)
{
    const Flat *f = c->flat;
    for (uint32_t i = 0; i < n; i++) {
        StmtId id = f->ids.at[first + i];
        const FlatStmt *st = &f->stmts.at[id];
        const ExprId sides[] = { st->left, st->right, st->level };
        if (id == wanted) return true;
        for (size_t k = 0; k < COUNT_OF(sides) && wanted == NONE; k++)
            if (sides[k] != NONE && c->is_in[sides[k]]) return true;
        for (uint32_t k = 0; k < st->n; k++) {
            const FlatBranch *branch = &f->branches.at[st->first + k];
            if (wanted == NONE && branch->condition != NONE && c->is_in[branch->condition]) return true;
            if (body_holds(c, branch->first, branch->n, wanted)) return true;
        }
    }
    return false;
}

static void mark_expressions(Callers *c)
{
    const Flat *f = c->flat;
    for (ExprId id = 0; id < f->exprs.n; id++) {
        const FlatExpr *e = &f->exprs.at[id];
        c->is_in[id] = (e->kind == X_CALL || e->kind == X_PARTIAL) && c->reaches[e->index];
        for (uint32_t k = 0; k < e->n; k++) c->is_in[id] |= c->is_in[f->ids.at[e->first + k]];
    }
}

/* False: no function reaches it that was not known to. */
static bool mark_functions(Callers *c, StmtId wanted)
{
    bool changed = false;
    for (uint32_t k = 0; k < c->flat->functions.n; k++) {
        const FlatFunction *f = &c->flat->functions.at[k];
        bool reaches = body_holds(c, f->first, f->n, wanted);
        for (uint32_t j = 0; j < f->locals.n && wanted == NONE; j++)
            reaches |= f->locals.at[j].binding != NONE && c->is_in[f->locals.at[j].binding];
        changed |= reaches && !c->reaches[k];
        c->reaches[k] |= reaches;
    }
    return changed;
}

static void add_place(Callers *c, Span span, Span top)
{
    Span home = c->flat->home;
    bool own = span.at >= home.at && span.at < home.at + home.n;
    if (!own && top.at >= home.at && top.at < home.at + home.n) span = top, own = true;
    if (own != c->at_home || !span.n || c->n >= c->most) return;
    for (uint32_t k = 0; k < c->n; k++)
        if (c->at[k].at == span.at) return;
    c->at[c->n++] = span;
}

/* The component of the user that an equation belongs to: that of a variable in it. */
static Span top_of(const Callers *c, ExprId id)
{
    for (;;) {
        const FlatExpr *e = &c->flat->exprs.at[id];
        if (e->kind == X_VAR) return c->flat->vars.at[e->index].top;
        if (!e->n) return (Span){ 0 };
        for (uint32_t k = 1; k < e->n; k++) {
            Span found = top_of(c, c->flat->ids.at[e->first + k]);
            if (found.n) return found;
        }
        id = c->flat->ids.at[e->first];
    }
}

static void add_statements(Callers *c, const StmtId *ids, uint32_t n)
{
    const Flat *f = c->flat;
    for (uint32_t i = 0; i < n; i++) {
        const FlatStmt *st = &f->stmts.at[ids[i]];
        const ExprId sides[] = { st->left, st->right };
        for (size_t k = 0; k < COUNT_OF(sides); k++)
            if (sides[k] != NONE && c->is_in[sides[k]]) add_place(c, st->span, top_of(c, st->left));
        for (uint32_t k = 0; k < st->n; k++)
            add_statements(c, f->ids.at + f->branches.at[st->first + k].first,
                           f->branches.at[st->first + k].n);
    }
}

uint32_t explain_callers(const ExplainModel *what, StmtId statement, Span *at, uint32_t most)
{
    const Flat *f = gen_system(what->compiled)->flat;
    Callers c = { .flat = f,
                  .is_in = NEW_ARRAY(what->arena, uint8_t, f->exprs.n + 1),
                  .reaches = NEW_ARRAY(what->arena, uint8_t, f->functions.n + 1),
                  .at = at,
                  .most = most };
    mark_functions(&c, statement);
    do mark_expressions(&c);
    while (mark_functions(&c, NONE));
    for (int own = 1; own >= 0; own--) {
        c.at_home = own;
        add_statements(&c, f->equations.at, f->equations.n);
        for (uint32_t k = 0; k < f->algorithms.n; k++)
            add_statements(&c, f->ids.at + f->algorithms.at[k].first, f->algorithms.at[k].n);
        add_statements(&c, f->initial_equations.at, f->initial_equations.n);
        for (VarId v = 0; v < f->vars.n; v++)
            if (f->vars.at[v].binding != NONE && c.is_in[f->vars.at[v].binding])
                add_place(&c, f->vars.at[v].span, f->vars.at[v].top);
    }
    return c.n;
}
