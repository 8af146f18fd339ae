/* simultaneous.c: discrete Reals that must be solved together with other equations.
 *
 * In: assignments of discrete variables, continuous equations. Out: a Real of a when-clause that
 * depends on itself, by way of continuous unknowns or of other such Reals, is an unknown of the
 * continuous system, with the equation v = if the clause fires then ... else pre(v). So a block
 * solves it, where repeated substitution need not end. Always: between events it is pre(v). Cost:
 * one more sort of the equations, where there may be such a loop at all. Tests:
 * tests/api/language_test.c (WhenLoop...). */
#include "dae/inside.h"

typedef struct {
    System *s;
    Arena *a;
    uint32_t *row_of; /* by variable: the node that computes it; NONE */
    uint32_t blocks;  /* nodes below are blocks of the continuous system, the others assignments */
    VEC(uint32_t) start, column;
} Loops;

static bool may_join(const System *s, const DaeAssign *a)
{
    const DaeVar *v = &s->vars.at[a->var];
    return v->flat != NONE && v->type == BASE_REAL && v->role == ROLE_DISCRETE;
}

static void add_reads(Loops *l, Sym e)
{
    sym_walk_variables(l->s->pool, e);
    for (uint32_t i = 0; i < l->s->pool->seen.n; i++)
        vec_push(l->a, &l->column, sym_node(l->s->pool, l->s->pool->seen.at[i])->index);
}

static void add_block(Loops *l, const Sequence *q, const DaeBlock *block)
{
    uint32_t node = l->start.n;
    vec_push(l->a, &l->start, l->column.n);
    for (uint32_t i = block->first; i < block->first + block->n; i++) {
        l->row_of[q->assigns.at[i].var] = node;
        add_reads(l, q->assigns.at[i].value);
    }
    for (uint32_t i = block->tear_first; i < block->tear_first + block->tear_n; i++) {
        const DaeEq *eq = &l->s->eqs.at[q->residuals.at[i]];
        l->row_of[q->tears.at[i]] = node;
        add_reads(l, eq->left);
        add_reads(l, eq->right);
    }
}

static void add_assigns(Loops *l)
{
    for (uint32_t i = 0; i < l->s->discrete.n; i++) {
        const DaeAssign *a = &l->s->discrete.at[i];
        l->row_of[a->var] = l->start.n;
        vec_push(l->a, &l->start, l->column.n);
        add_reads(l, a->value);
    }
}

/* x = 2 - x; but a signal that is connected to itself just stays what it is. */
static bool reads_itself(const Loops *l, uint32_t assign)
{
    const DaeAssign *a = &l->s->discrete.at[assign];
    bool is_other = !sym_is(l->s->pool, a->value, SYM_VAR);
    return is_other && sym_contains(l->s->pool, a->value, a->var);
}

/* Marks in `joins`, by assignment, those that are in a loop. */
static void mark_loops(Loops *l, uint8_t *joins)
{
    uint32_t n = l->start.n;
    vec_push(l->a, &l->start, l->column.n);
    Graph g = { n, l->s->vars.n, l->start.at, l->column.at };
    uint32_t *order = NEW_ARRAY(l->a, uint32_t, n + 1), *first = NEW_ARRAY(l->a, uint32_t, n + 1);
    uint32_t components = graph_sort(&g, l->row_of, order, first, l->a);
    for (uint32_t k = 0; k < components; k++)
        for (uint32_t i = first[k]; i < first[k + 1] && first[k + 1] - first[k] > 1; i++)
            if (order[i] >= l->blocks) joins[order[i] - l->blocks] = 1;
    for (uint32_t i = 0; i < l->s->discrete.n; i++)
        if (reads_itself(l, i)) joins[i] = 1;
}

/* From an assignment to an equation. */
static void join(Build *b, const DaeAssign *a)
{
    System *s = b->s;
    DaeVar *v = &s->vars.at[a->var];
    v->role = ROLE_ALGEBRAIC;
    v->is_fixed = false; /* its start value is pre(v) at the start */
    uint32_t eq = dae_add_eq(s, sym_leaf(s->pool, SYM_VAR, a->var), a->value, v->span);
    vec_push(b->scratch, &b->equations, eq);
}

static void join_marked(Build *b, const uint8_t *joins)
{
    System *s = b->s;
    uint32_t left = 0;
    for (uint32_t i = 0; i < s->discrete.n; i++) {
        DaeAssign a = s->discrete.at[i];
        if (joins[i] && may_join(s, &a))
            join(b, &a);
        else
            s->discrete.at[left++] = a;
    }
    s->discrete.n = left;
}

static bool any_may_join(const System *s)
{
    for (uint32_t i = 0; i < s->discrete.n; i++)
        if (may_join(s, &s->discrete.at[i])) return true;
    return false;
}

void dae_join_discrete(Build *b, const Sequence *continuous)
{
    if (!any_may_join(b->s)) return;
    Arena *a = arena_part(b->s->arena);
    Loops l = { .s = b->s, .a = a, .row_of = NEW_ARRAY(a, uint32_t, b->s->vars.n + 1) };
    uint8_t *joins = NEW_ARRAY(a, uint8_t, b->s->discrete.n + 1);
    memset(l.row_of, 0xff, b->s->vars.n * sizeof *l.row_of);
    l.blocks = continuous ? continuous->blocks.n : 0;
    for (uint32_t k = 0; k < l.blocks; k++) add_block(&l, continuous, &continuous->blocks.at[k]);
    add_assigns(&l);
    mark_loops(&l, joins);
    join_marked(b, joins);
    arena_free(a);
}
