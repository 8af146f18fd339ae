/* initial.c: the system that gives the initial values.
 *
 * Unknowns: states, derivatives, algebraic variables, parameters that are not fixed. Equations:
 * those of the model, initial equations, fixed start values. Where that leaves unknowns open, start
 * values of states that are not fixed are used, then those of free parameters and other variables,
 * with a note; where it is too much, start values first and then initial equations become checks of
 * what the others give. Cost: that of matching. Tests: tests/dae/system_test.c,
 * tests/gen/initial_test.c. */
#include "dae/inside.h"

#include <math.h>

enum { MOST_EXPLAINED = 20, MOST_LABELS = 8 };

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
    /* which holds it then, even if it is set from outside */
    Sym start = sym_leaf(s->pool, SYM_PRE, var);
    if (dae_reads_unknown_parameter(s, s->vars.at[var].start))
        start = dae_unless_set(s, var, s->vars.at[var].start);
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

/* Start values that are not fixed may be used, in this order: states that no initial equation says
 * the derivative of go before those that are to stand still, whose start value is a guess. */
enum { STAGES = 5, MOST_USED = 8 };
static bool is_candidate(const DaeVar *v, bool is_settled, int stage)
{
    /* it follows from the candidates of its set */
    bool is_made = v->in_set && v->role == ROLE_STATE;
    if (v->is_unknown_parameter) return stage == 3 && v->has_start;
    if (v->is_fixed) return false;
    if (stage <= 1) return v->is_kept && !is_made && v->has_start && is_settled == (stage == 1);
    if (stage == 2) return v->is_kept && !is_made;
    return stage == 4 && v->role == ROLE_ALGEBRAIC && v->has_start;
}

/* By variable: an initial equation reads its derivative. */
static uint8_t *find_settled(const Start *i)
{
    const System *s = i->s;
    uint8_t *is_settled = NEW_ARRAY(i->b->scratch, uint8_t, s->vars.n + 1);
    for (uint32_t k = 0; k < i->b->initial_equations.n; k++) {
        const Gradient *g = &s->eqs.at[i->b->initial_equations.at[k]].gradient;
        for (uint32_t j = 0; j < g->n; j++) {
            uint32_t of = s->vars.at[g->at[j].var].der_of;
            if (of != NONE) is_settled[of] = 1;
        }
    }
    return is_settled;
}

/* The conditions that imply the one in an unmatched row: those among the equations that alternating
 * paths reach from it. */
static void note_others(Start *i, const Graph *g, uint32_t root)
{
    System *s = i->s;
    uint32_t model = i->b->equations.n, head = 0, tail = 0;
    DaeOthers others = { s->conditions.n, 0 };
    uint8_t *seen = NEW_ARRAY(i->b->scratch, uint8_t, g->rows);
    uint32_t *queue = NEW_ARRAY(i->b->scratch, uint32_t, g->rows);
    queue[tail++] = root;
    seen[root] = 1;
    while (head < tail && s->redundant_with.n < MOST_EXPLAINED) {
        uint32_t r = queue[head++];
        if (r != root && r >= model) vec_push(s->arena, &s->conditions, i->eqs.at[r]);
        for (uint32_t k = g->start[r]; k < g->start[r + 1]; k++) {
            uint32_t other = i->row_of[g->column[k]];
            if (other == NONE || seen[other]) continue;
            seen[other] = 1;
            queue[tail++] = other;
        }
    }
    others.n = s->conditions.n - others.first;
    vec_push(s->arena, &s->redundant_with, others);
}

/* Leaves out equations from `from` on that found no unknown; those of a graph are noted. */
static void drop_unmatched(Start *i, uint32_t from, const Graph *g)
{
    uint32_t left = from;
    for (uint32_t r = from; r < i->eqs.n && g; r++) {
        if (i->column_of[r] != NONE) continue;
        vec_push(i->s->arena, &i->s->redundant, i->eqs.at[r]);
        note_others(i, g, r);
    }
    for (uint32_t r = from; r < i->eqs.n; r++) {
        if (i->column_of[r] == NONE) continue;
        i->row_of[i->column_of[r]] = left;
        i->column_of[left] = i->column_of[r];
        i->eqs.at[left++] = i->eqs.at[r];
    }
    i->eqs.n = left;
}

/* Start values that had to stand in for conditions, with what would say so in the model. */
static void note_used(Start *i, const uint32_t *taken, uint32_t used, const char *names)
{
    System *s = i->s;
    Diag *diag = i->b->diag;
    Text lines = { .arena = s->arena };
    Note *note = diag_add(diag, E_START_USED, dae_place(s, taken[0]),
                          "start values are used for %u unknown%s that nothing else fixes: %s%s",
                          (unsigned)used, used == 1 ? "" : "s", names, used > MOST_USED ? ", ..." : "");
    for (uint32_t k = 0; k < used && k < MOST_USED; k++) {
        const DaeVar *v = &s->vars.at[taken[k]];
        text_printf(&lines, "%s%s(start = ", k ? ", " : "", v->name);
        dae_print_expr(s, v->start, &lines);
        text_add_literal(&lines, ", fixed = true)");
    }
    diag_hint(diag, note, "to say so in the model: %s%s", lines.at, used > MOST_USED ? ", ..." : "");
}

static void fill_up(Start *i)
{
    System *s = i->s;
    Graph g;
    Text names = { .arena = s->arena };
    uint32_t used = 0, vars = s->vars.n, taken[MOST_USED];
    uint8_t *is_settled = find_settled(i);
    for (int stage = 0; stage < STAGES && i->eqs.n < i->columns; stage++) {
        uint32_t from = i->eqs.n;
        for (uint32_t v = 0; v < vars; v++)
            if (i->column[v] != NONE && is_candidate(&s->vars.at[v], is_settled[v], stage)) add_start(i, v);
        match(i, from, &g);
        drop_unmatched(i, from, NULL);
        for (uint32_t r = from; r < i->eqs.n; r++) {
            const SymNode *left = sym_node(s->pool, s->eqs.at[i->eqs.at[r]].left);
            if (used < MOST_USED) taken[used] = left->index;
            if (used++ < MOST_USED)
                text_printf(&names, "%s%s", used > 1 ? ", " : "", s->vars.at[left->index].name);
        }
    }
    if (used) note_used(i, taken, used, names.at);
}

/* At the start homotopy() may be a blend. */
static uint32_t at_start(const System *s, uint32_t eq)
{
    return s->eqs.at[eq].blend == NONE ? eq : s->eqs.at[eq].blend;
}

/* At the start a history says what it begins with. */
static uint32_t without_histories(System *s, uint32_t eq)
{
    if (!s->histories.n) return eq;
    DaeEq e = s->eqs.at[eq];
    Sym left = sym_without_histories(s->pool, s, e.left), right = sym_without_histories(s->pool, s, e.right);
    return left == e.left && right == e.right ? eq : dae_add_eq(s, left, right, e.span);
}

/* ---- steady state ---------------------------------------------------------------------------- */

/* The derivative that an equation says to be zero, in so many words; NONE. */
static uint32_t says_rest(const System *s, Sym left, Sym right)
{
    Sym side = right == SYM_ZERO ? left : left == SYM_ZERO ? right : NONE;
    if (side == NONE || !sym_is(s->pool, side, SYM_VAR)) return NONE;
    uint32_t v = sym_node(s->pool, side)->index;
    return s->vars.at[v].der_of != NONE ? v : NONE;
}

static bool reads_any(const DaeEq *eq, const uint8_t *flags)
{
    for (uint32_t k = 0; k < eq->gradient.n; k++)
        if (flags[eq->gradient.at[k].var]) return true;
    return false;
}

/* Initial equations that say der(x) = 0 leave much of the model without its derivatives: what else
 * stands still follows (mass, with pressure and temperature), and balances of flows are
 * equations of few unknowns that are solved one after the other. Puts that into the equations of
 * the model, in `to`; false if nothing stands still. */
static bool put_at_rest(Start *i, uint32_t *to)
{
    Build *b = i->b;
    System *s = i->s;
    uint32_t n = b->equations.n, vars = s->vars.n;
    uint8_t *is_zero = NEW_ARRAY(b->scratch, uint8_t, vars + 1),
            *is_new = NEW_ARRAY(b->scratch, uint8_t, vars + 1);
    bool any = false, more = false;
    for (uint32_t k = 0; k < b->initial_equations.n; k++) {
        const DaeEq *eq = &s->eqs.at[b->initial_equations.at[k]];
        uint32_t v = says_rest(s, eq->left, eq->right);
        if (v != NONE) is_zero[v] = is_new[v] = 1, any = more = true;
    }
    if (n) memcpy(to, i->eqs.at, n * sizeof *to);
    for (uint32_t k = 0; k < n; k++) {
        const DaeEq *eq = &s->eqs.at[to[k]]; /* sizes do not change, nor do other constants */
        uint32_t v = says_rest(s, eq->left, eq->right);
        if (v != NONE) is_zero[v] = 2, is_new[v] = 1;
    }
    while (more) {
        uint8_t *next = NEW_ARRAY(b->scratch, uint8_t, vars + 1);
        more = false;
        for (uint32_t k = 0; k < n; k++) {
            DaeEq eq = s->eqs.at[to[k]];
            uint32_t v = says_rest(s, eq.left, eq.right);
            if (v != NONE && is_zero[v] == 2) continue; /* this is the equation that says so */
            if (!reads_any(&eq, is_new)) continue;
            Sym left = sym_at_rest(s->pool, eq.left, is_zero),
                right = sym_at_rest(s->pool, eq.right, is_zero);
            to[k] = dae_add_eq(s, left, right, eq.span);
            v = says_rest(s, left, right);
            if (v != NONE && !is_zero[v]) is_zero[v] = 2, next[v] = 1, more = true;
        }
        is_new = next;
    }
    return any;
}

/* A number that follows from literals alone, with the values known so far; false if there is
 * none. */
static bool known_number(System *s, Sym e, const uint8_t *is_known, const double *values, double *value)
{
    if (sym_is(s->pool, e, SYM_PRE))
        return sym_is_real(s->pool, s->vars.at[sym_node(s->pool, e)->index].start, value);
    sym_walk(s->pool, e);
    for (uint32_t i = 0; i < s->pool->seen.n; i++) {
        const SymNode *n = sym_node(s->pool, s->pool->seen.at[i]);
        if (n->op >= SYM_TIME && n->op <= SYM_TERMINAL) return false;
        if (n->op == SYM_VAR && !is_known[n->index]) return false;
    }
    *value = dae_evaluate(s->pool, e, values);
    return isfinite(*value);
}

/* Conditions that were left out and contradict what literals give need no run to be found. */
static bool find_contradictions(Build *b)
{
    System *s = b->s;
    bool ok = true;
    double *values = NEW_ARRAY(b->scratch, double, s->vars.n + 1), left, right;
    uint8_t *is_known = NEW_ARRAY(b->scratch, uint8_t, s->vars.n + 1);
    for (uint32_t k = 0; k < s->initial.blocks.n && s->redundant.n; k++) {
        const DaeBlock *block = &s->initial.blocks.at[k];
        const DaeAssign *a = &s->initial.assigns.at[block->first];
        if (block->kind == BLOCK_ASSIGN && known_number(s, a->value, is_known, values, &values[a->var]))
            is_known[a->var] = 1;
    }
    for (uint32_t k = 0; k < s->redundant.n; k++) {
        const DaeEq *eq = &s->eqs.at[s->redundant.at[k]];
        if (!known_number(s, eq->left, is_known, values, &left) ||
            !known_number(s, eq->right, is_known, values, &right) ||
            fabs(left - right) <= 1e-6 * fmax(fabs(left), fabs(right)))
            continue;
        Note *note =
            diag_add(b->diag, E_INITIAL, eq->span,
                     "more conditions at the start than unknowns, and they contradict each other: %.9g here, "
                     "%.9g from the others",
                     right, left);
        const DaeOthers *others = &s->redundant_with.at[k];
        for (uint32_t j = 0; j < others->n && j < MOST_LABELS; j++) {
            const DaeEq *other = &s->eqs.at[s->conditions.at[others->first + j]];
            diag_label(b->diag, note, other->span, "this %s says otherwise",
                       other->is_start ? "fixed start value" : "initial equation");
        }
        diag_hint(b->diag, note,
                  "one of these conditions is too many: leave one out, or fixed = false at a start value");
        ok = false;
    }
    return ok;
}

/* Where some equations say the same once nothing moves, they stay as they were. */
static void take_if_regular(Start *i, const uint32_t *eqs)
{
    uint32_t *old = i->eqs.at;
    Graph g;
    i->eqs.at = NEW_ARRAY(i->b->scratch, uint32_t, i->eqs.n + 1);
    memcpy(i->eqs.at, eqs, i->eqs.n * sizeof *eqs);
    bool is_regular = match(i, 0, &g) == i->eqs.n;
    memset(i->row_of, 0xff, i->columns * sizeof *i->row_of);
    if (!is_regular) memcpy(i->eqs.at, old, i->eqs.n * sizeof *old);
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
        is_unknown[v] = s->vars.at[v].role >= ROLE_STATE ||
                        (s->vars.at[v].is_unknown_parameter && s->vars.at[v].type != BASE_STRING);
        i.column[v] = is_unknown[v] ? i.columns : NONE;
        if (is_unknown[v]) i.unknowns[i.columns++] = v;
    }
    i.row_of = NEW_ARRAY(b->scratch, uint32_t, i.columns + 1);
    memset(i.row_of, 0xff, i.columns * sizeof *i.row_of);
    for (uint32_t k = 0; k < b->equations.n; k++)
        vec_push(b->scratch, &i.eqs, without_histories(s, at_start(s, b->equations.at[k])));
    Graph g;
    uint32_t *at_rest = NEW_ARRAY(b->scratch, uint32_t, i.eqs.n + 1);
    if (put_at_rest(&i, at_rest)) take_if_regular(&i, at_rest);
    if (match(&i, 0, &g) < i.eqs.n) {
        dae_explain_singular(b, i.eqs.at, &g, i.unknowns, i.column_of, i.row_of, " at the start");
        return false;
    }
    /* what is matched stays so: equations of the model go before initial equations, these before
     * start values */
    uint32_t rows = i.eqs.n;
    for (uint32_t k = 0; k < b->initial_equations.n; k++)
        vec_push(b->scratch, &i.eqs, b->initial_equations.at[k]);
    match(&i, rows, &g);
    drop_unmatched(&i, rows, &g);
    rows = i.eqs.n;
    for (uint32_t v = 0; v < vars; v++)
        if (is_unknown[v] && s->vars.at[v].is_fixed && !s->vars.at[v].is_unknown_parameter) add_start(&i, v);
    match(&i, rows, &g);
    drop_unmatched(&i, rows, &g);
    fill_up(&i);
    if (!dae_sort(b, i.eqs.at, i.eqs.n, is_unknown, &s->initial, " at the start") || !find_contradictions(b))
        return false;
    if (s->redundant.n)
        diag_add(b->diag, E_REDUNDANT, s->eqs.at[s->redundant.at[0]].span,
                 "the others imply this condition at the start%s; it is checked",
                 s->redundant.n > 1 ? arena_printf(b->scratch, " and %u more", (unsigned)s->redundant.n - 1)
                                    : "");
    return true;
}
