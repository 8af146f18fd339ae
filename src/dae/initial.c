/* initial.c: the system that gives the initial values.
 *
 * Unknowns: states, derivatives, algebraic variables, parameters that are not fixed. Equations: those of the model, initial
 * equations, fixed start values. Where that leaves unknowns open, start values of states that are not fixed are
 * used, then those of other variables, with a note; where it is too much, the explanation names the conditions.
 * Cost: that of matching. Tests: tests/dae/system_test.c, tests/gen/initial_test.c. */
#include "dae/inside.h"

typedef struct {
    Build *b;
    System *s;
    VEC(uint32_t) eqs;
    uint32_t *column;
    uint32_t *unknowns;
    uint32_t columns;
    uint32_t *column_of, *row_of;
} Start;

static Graph graph_of(Start *i)
{
    Arena *a = i->b->scratch;
    Graph g = { i->eqs.n, i->columns, NEW_ARRAY(a, uint32_t, i->eqs.n + 1), NULL };
    VEC(uint32_t) columns = { 0 };
    for (uint32_t r = 0; r < i->eqs.n; r++) {
        const Gradient *d = &i->s->eqs.at[i->eqs.at[r]].gradient;
        g.start[r] = columns.n;
        for (uint32_t k = 0; k < d->n; k++)
            if (i->column[d->at[k].var] != NONE && d->at[k].value != SYM_ZERO)
                vec_push(a, &columns, i->column[d->at[k].var]);
    }
    g.start[i->eqs.n] = columns.n;
    g.column = columns.at;
    return g;
}

static void add_start(Start *i, uint32_t var)
{
    System *s = i->s;
    Sym start = sym_leaf(s->pool, SYM_PRE, var); /* which holds it then, even if it is set from outside */
    uint32_t eq = dae_add_eq(s, sym_leaf(s->pool, SYM_VAR, var), start, s->vars.at[var].span);
    s->eqs.at[eq].is_start = true;
    vec_push(i->b->scratch, &i->eqs, eq);
}

/* Matches all equations so far; the arrays grow with them. */
static uint32_t match(Start *i, uint32_t old_rows, Graph *g)
{
    Arena *a = i->b->scratch;
    uint32_t *grown = NEW_ARRAY(a, uint32_t, i->eqs.n + 1);
    memset(grown, 0xff, i->eqs.n * sizeof *grown);
    if (old_rows) memcpy(grown, i->column_of, old_rows * sizeof *grown);
    i->column_of = grown;
    *g = graph_of(i);
    return graph_match(g, i->column_of, i->row_of, a);
}

/* Start values that are not fixed may be used, in this order. */
static bool is_candidate(const DaeVar *v, int stage)
{
    if (v->is_fixed) return false;
    bool is_made = v->in_set && v->role == ROLE_STATE; /* it follows from the candidates of its set */
    if (stage == 0) return v->is_kept && !is_made && v->has_start;
    if (stage == 1) return v->is_kept && !is_made;
    return v->role == ROLE_ALGEBRAIC && v->has_start;
}

static void drop_unmatched(Start *i, uint32_t from)
{
    uint32_t left = from;
    for (uint32_t r = from; r < i->eqs.n; r++) {
        if (i->column_of[r] == NONE) continue;
        i->row_of[i->column_of[r]] = left;
        i->column_of[left] = i->column_of[r];
        i->eqs.at[left++] = i->eqs.at[r];
    }
    i->eqs.n = left;
}

static void fill_up(Start *i)
{
    System *s = i->s;
    Graph g;
    Text names = { .arena = s->arena };
    uint32_t used = 0, vars = s->vars.n;
    for (int stage = 0; stage < 3 && i->eqs.n < i->columns; stage++) {
        uint32_t from = i->eqs.n;
        for (uint32_t v = 0; v < vars; v++)
            if (i->column[v] != NONE && is_candidate(&s->vars.at[v], stage)) add_start(i, v);
        match(i, from, &g);
        drop_unmatched(i, from);
        for (uint32_t r = from; r < i->eqs.n; r++) {
            const SymNode *left = sym_node(s->pool, s->eqs.at[i->eqs.at[r]].left);
            if (used++ < 8) text_printf(&names, "%s%s", used > 1 ? ", " : "", s->vars.at[left->index].name);
        }
    }
    if (used)
        diag_add(i->b->diag, E_START_USED, (Span){ 0 },
                 "start values are used for %u unknowns that nothing else fixes: %s%s", (unsigned)used,
                 names.at, used > 8 ? ", ..." : "");
}

bool dae_initial(Build *b)
{
    System *s = b->s;
    Start i = { .b = b, .s = s };
    uint32_t vars = s->vars.n;
    i.column = NEW_ARRAY(b->scratch, uint32_t, vars + 1);
    i.unknowns = NEW_ARRAY(b->scratch, uint32_t, vars + 1);
    uint8_t *is_unknown = NEW_ARRAY(b->scratch, uint8_t, vars + 1);
    for (uint32_t v = 0; v < vars; v++) {
        is_unknown[v] = s->vars.at[v].role >= ROLE_STATE || s->vars.at[v].is_unknown_parameter;
        i.column[v] = is_unknown[v] ? i.columns : NONE;
        if (is_unknown[v]) i.unknowns[i.columns++] = v;
    }
    i.row_of = NEW_ARRAY(b->scratch, uint32_t, i.columns + 1);
    memset(i.row_of, 0xff, i.columns * sizeof *i.row_of);
    for (uint32_t k = 0; k < b->equations.n; k++) vec_push(b->scratch, &i.eqs, b->equations.at[k]);
    for (uint32_t k = 0; k < b->initial_equations.n; k++)
        vec_push(b->scratch, &i.eqs, b->initial_equations.at[k]);
    for (uint32_t v = 0; v < vars; v++)
        if (is_unknown[v] && s->vars.at[v].is_fixed && !s->vars.at[v].is_unknown_parameter) add_start(&i, v);
    Graph g;
    if (match(&i, 0, &g) < i.eqs.n) {
        dae_explain_singular(b, i.eqs.at, &g, i.unknowns, i.column_of, i.row_of, " at the start");
        return false;
    }
    fill_up(&i);
    return dae_sort(b, i.eqs.at, i.eqs.n, is_unknown, &s->initial, " at the start");
}
