/* print.c: a System as text: what `--dump=system` and `--dump=blt` show. Tests:
 * tests/dae/system_test.c. */
#include "dae/inside.h"

/* An expression, children first: texts of nodes are kept, so that the walk is a loop. What nodes
 * share stands in each of them, so that a text may be far larger than the expression: `most` bounds
 * each. */
void dae_print_short(const System *system, Sym s, size_t most, Text *out)
{
    SymPool *pool = system->pool;
    sym_walk(pool, s);
    const char **text = NEW_ARRAY(out->arena, const char *, pool->seen.n);
    for (uint32_t i = 0; i < pool->seen.n; i++) {
        const SymNode *n = sym_node(pool, pool->seen.at[i]);
        const char *a[3] = { 0 };
        uint32_t arity = sym_arity((SymOp)n->op);
        for (uint32_t k = 0; k < arity; k++) a[k] = text[pool->place[n->arg[k]]];
        const char *op = sym_text((SymOp)n->op);
        Text t = { .arena = out->arena };
        if (n->op == SYM_REAL)
            text_add_real(&t, n->real);
        else if (n->op == SYM_VAR)
            text_printf(&t, "%s", system->vars.at[n->index].name);
        else if (n->op == SYM_PRE)
            text_printf(&t, "pre(%s)", system->vars.at[n->index].name);
        else if (n->op == SYM_RELATION || n->op == SYM_SAMPLE)
            text_printf(&t, "%s%u", op, (unsigned)n->index + 1);
        else if (n->op == SYM_TEXT)
            text_printf(&t, "\"%.*s\"", (int)pool->texts.at[n->index].n, pool->texts.at[n->index].at);
        else if (n->op == SYM_CALL)
            text_printf(&t, "%s%s(%s)", system->flat->functions.at[pool->funs.at[n->index].of].name,
                        pool->funs.at[n->index].order ? "'" : "", a[0]);
        else if (n->op == SYM_PICK && pool->funs.at[sym_node(pool, n->arg[0])->index].out_n == 1)
            text_printf(&t, "%s", a[0]);
        else if (n->op == SYM_PICK)
            text_printf(&t, "%s.%u", a[0], (unsigned)n->index + 1);
        else if (n->op == SYM_ARGS)
            text_printf(&t, n->arg[1] == SYM_ZERO ? "%s" : "%s, %s", a[0], a[1]);
        else if (n->op == SYM_IF)
            text_printf(&t, "(if %s then %s else %s)", a[0], a[1], a[2]);
        else if (arity == 0)
            text_printf(&t, "%s", op);
        else if (n->op == SYM_NEG)
            text_printf(&t, "(-%s)", a[0]);
        else if (arity == 1)
            text_printf(&t, "%s(%s)", op, a[0]);
        else if (n->op >= SYM_ATAN2 && n->op <= SYM_MAX)
            text_printf(&t, "%s(%s, %s)", op, a[0], a[1]);
        else
            text_printf(&t, "(%s %s %s)", a[0], op, a[1]);
        text[i] = t.n > most ? arena_printf(out->arena, "%.*s...", (int)most, t.at) : t.at;
    }
    text_printf(out, "%s", text[pool->seen.n - 1]);
}

void dae_print_expr(const System *system, Sym s, Text *out) { dae_print_short(system, s, SIZE_MAX, out); }

static const char *const role_names[] = { "constant", "parameter",  "input",    "discrete",
                                          "state",    "derivative", "algebraic" };

void dae_print_system(const System *s, Text *out)
{
    for (uint32_t v = 0; v < s->vars.n; v++) {
        const DaeVar *u = &s->vars.at[v];
        text_printf(out, "%s %s", role_names[u->role], u->name);
        if (u->binding != NONE) {
            text_add_literal(out, " = ");
            dae_print_expr(s, u->binding, out);
        } else if (u->has_start) {
            text_add_literal(out, u->is_fixed ? " fixed to " : " starts at ");
            dae_print_expr(s, u->start, out);
        }
        text_add_literal(out, "\n");
    }
    text_add_literal(out, "equations:\n");
    for (uint32_t e = 0; e < s->eqs.n; e++) {
        const DaeEq *eq = &s->eqs.at[e];
        text_printf(out, "  %u: ", (unsigned)e + 1);
        dae_print_expr(s, eq->left, out);
        text_add_literal(out, " = ");
        dae_print_expr(s, eq->right, out);
        if (eq->der_of != NONE) text_printf(out, "  (derivative of %u)", (unsigned)eq->der_of + 1);
        if (eq->is_start) text_add_literal(out, "  (at the start)");
        text_add_literal(out, "\n");
    }
}

static void print_sequence(const System *s, const Sequence *q, Text *out)
{
    static const char *const kinds[] = { "", "linear", "nonlinear" };
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *b = &q->blocks.at[k];
        if (b->kind != BLOCK_ASSIGN) {
            text_printf(out, "  %s block of %u, tearing variables:", kinds[b->kind],
                        (unsigned)(b->n + b->tear_n));
            for (uint32_t i = 0; i < b->tear_n; i++)
                text_printf(out, " %s", s->vars.at[q->tears.at[b->tear_first + i]].name);
            text_add_literal(out, "\n");
        }
        const char *indent = b->kind == BLOCK_ASSIGN ? "  " : "    ";
        for (uint32_t i = 0; i < b->n; i++) {
            const DaeAssign *a = &q->assigns.at[b->first + i];
            text_printf(out, "%s%s := ", indent, s->vars.at[a->var].name);
            dae_print_expr(s, a->value, out);
            text_add_literal(out, "\n");
        }
        for (uint32_t i = 0; i < b->tear_n; i++) {
            const DaeEq *eq = &s->eqs.at[q->residuals.at[b->tear_first + i]];
            text_printf(out, "%s", indent);
            dae_print_expr(s, eq->left, out);
            text_add_literal(out, " = ");
            dae_print_expr(s, eq->right, out);
            text_add_literal(out, "\n");
        }
    }
}

void dae_print(const System *s, Text *out)
{
    const DaeStats *t = &s->stats;
    text_printf(out, "equations %u, unknowns %u, aliases removed %u\n", (unsigned)t->equations,
                (unsigned)t->unknowns, (unsigned)t->aliases);
    text_printf(out, "index %u, differentiated %u, dummy derivatives %u\n", (unsigned)t->index,
                (unsigned)t->differentiated, (unsigned)t->dummies);
    text_printf(out, "blocks %u (linear %u, nonlinear %u), largest %u, torn %u\n", (unsigned)t->blocks,
                (unsigned)t->linear, (unsigned)t->nonlinear, (unsigned)t->largest, (unsigned)t->torn);
    text_printf(out, "states:");
    for (uint32_t i = 0; i < s->states.n; i++) text_printf(out, " %s", s->vars.at[s->states.at[i]].name);
    for (uint32_t i = 0; i < s->sets.n; i++) {
        const DaeStateSet *set = &s->sets.at[i];
        text_printf(out, "\n  chosen while running, %u of:", (unsigned)(set->columns - set->rows));
        for (uint32_t k = 0; k < set->columns; k++) text_printf(out, " %s", s->vars.at[set->vars[k]].name);
    }
    text_printf(out, "\ninitial:\n");
    print_sequence(s, &s->initial, out);
    text_printf(out, "continuous:\n");
    print_sequence(s, &s->continuous, out);
    if (s->discrete.n) text_printf(out, "discrete:\n");
    for (uint32_t i = 0; i < s->discrete.n; i++) {
        text_printf(out, "  %s := ", s->vars.at[s->discrete.at[i].var].name);
        dae_print_expr(s, s->discrete.at[i].value, out);
        text_add_literal(out, "\n");
    }
    if (s->relations.n) text_printf(out, "relations:\n");
    for (uint32_t i = 0; i < s->relations.n; i++) {
        const DaeRelation *r = &s->relations.at[i];
        text_printf(out, "  %u: ", (unsigned)i + 1);
        dae_print_expr(s, r->left, out);
        text_printf(out, " %s ", sym_text((SymOp)r->op));
        dae_print_expr(s, r->right, out);
        text_printf(out, "%s\n", r->is_time ? " (time event)" : "");
    }
}
