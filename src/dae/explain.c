/* explain.c: says which equations and unknowns make a system structurally singular.
 *
 * In: a matching that leaves rows or columns open. Out: one diagnostic for too many equations (all
 * equations reached by alternating paths from one unmatched equation, the smallest overdetermined
 * part of Dulmage and Mendelsohn with it), one for each set of unknowns that share one equation too
 * few. Cost: O(edges). Tests: tests/dae/system_test.c. */
#include "dae/inside.h"

enum { SHOWN = 12 };

static Code code_of(const char *phase) { return phase[0] ? E_INITIAL : E_SINGULAR; }

/* The first continuous variable that an expression reads, by way of whole numbers and relations
 * too; NONE. */
static uint32_t first_unknown(Build *b, Sym e)
{
    System *s = b->s;
    Syms stack = { 0 };
    uint32_t guard = 0, found = NONE;
    vec_push(b->scratch, &stack, e);
    while (stack.n && found == NONE && guard++ < 100) {
        sym_walk(s->pool, stack.at[--stack.n]);
        for (uint32_t i = 0; i < s->pool->seen.n && found == NONE; i++) {
            const SymNode *n = sym_node(s->pool, s->pool->seen.at[i]);
            if (n->op == SYM_VAR && s->vars.at[n->index].role > ROLE_DISCRETE) found = n->index;
            if (n->op == SYM_RELATION) vec_push(b->scratch, &stack, s->relations.at[n->index].left);
            if (n->op == SYM_RELATION) vec_push(b->scratch, &stack, s->relations.at[n->index].right);
            for (uint32_t k = 0; n->op == SYM_VAR && k < s->discrete.n; k++)
                if (s->discrete.at[k].var == n->index) vec_push(b->scratch, &stack, s->discrete.at[k].value);
        }
    }
    return found;
}

/* An equation without unknowns: is there one that cannot be found by it, or really none? */
static void hint_unknown(Build *b, Note *note, const DaeEq *eq)
{
    uint32_t v = first_unknown(b, eq->left);
    if (v == NONE) v = first_unknown(b, eq->right);
    if (v == NONE)
        diag_hint(b->diag, note, "one of these equations is too many");
    else
        diag_hint(b->diag, note,
                  "'%s' is in it, but only by way of a condition, a whole number or a text: these have no "
                  "derivative, "
                  "and so it cannot be solved for or differentiated",
                  b->s->vars.at[v].name);
}

/* Equations reached from unmatched row `root`: their unknowns are all matched among themselves. */
static void explain_rows(Build *b, const uint32_t *eqs, const Graph *g, const uint32_t *unknowns,
                         const uint32_t *row_of, uint32_t root, const char *phase)
{
    Arena *a = b->scratch;
    uint8_t *seen = NEW_ARRAY(a, uint8_t, g->rows), *named = NEW_ARRAY(a, uint8_t, g->columns);
    uint32_t *queue = NEW_ARRAY(a, uint32_t, g->rows), head = 0, tail = 0, count = 0;
    Text names = { .arena = a };
    text_add_literal(&names, "");
    queue[tail++] = root;
    seen[root] = 1;
    while (head < tail) {
        uint32_t r = queue[head++];
        for (uint32_t k = g->start[r]; k < g->start[r + 1]; k++) {
            uint32_t c = g->column[k], other = row_of[c];
            if (!named[c]++ && count++ < SHOWN)
                text_printf(&names, "%s%s", count > 1 ? ", " : "", b->s->vars.at[unknowns[c]].name);
            if (other == NONE || seen[other]) continue;
            seen[other] = 1;
            queue[tail++] = other;
        }
    }
    Note *note =
        diag_add(b->diag, code_of(phase), b->s->eqs.at[eqs[root]].span, "%u %s for %u %s%s: %s",
                 (unsigned)tail, tail == 1 ? "equation" : "equations", (unsigned)count,
                 count == 1 ? "unknown" : "unknowns", phase, count ? names.at : "nothing in it is unknown");
    for (uint32_t i = 1; i < tail && i < SHOWN; i++)
        diag_label(b->diag, note, b->s->eqs.at[eqs[queue[i]]].span, "together with this equation");
    if (count)
        diag_hint(b->diag, note, "one of these equations is too many");
    else
        hint_unknown(b, note, &b->s->eqs.at[eqs[root]]);
}

/* The rows of each column. */
static Graph transpose(const Graph *g, Arena *a)
{
    uint32_t edges = g->start[g->rows];
    Graph t = { g->columns, g->rows, NEW_ARRAY(a, uint32_t, g->columns + 2), NEW_ARRAY(a, uint32_t, edges) };
    for (uint32_t k = 0; k < edges; k++) t.start[g->column[k] + 1]++;
    for (uint32_t c = 0; c < g->columns; c++) t.start[c + 1] += t.start[c];
    uint32_t *fill = NEW_ARRAY(a, uint32_t, g->columns + 1);
    for (uint32_t r = 0; r < g->rows; r++)
        for (uint32_t k = g->start[r]; k < g->start[r + 1]; k++) {
            uint32_t c = g->column[k];
            t.column[t.start[c] + fill[c]++] = r;
        }
    return t;
}

/* Unknowns reached from an unmatched one: any of them could be the one that lacks an equation. */
static void explain_column(Build *b, const Graph *t, const uint32_t *unknowns, const uint32_t *column_of,
                           uint32_t root, uint8_t *seen, const char *phase)
{
    uint32_t *queue = NEW_ARRAY(b->scratch, uint32_t, t->rows), head = 0, tail = 0;
    Text names = { .arena = b->scratch };
    queue[tail++] = root;
    seen[root] = 1;
    while (head < tail) {
        uint32_t c = queue[head++];
        if (head <= SHOWN)
            text_printf(&names, "%s'%s'", head > 1 ? ", " : "", b->s->vars.at[unknowns[c]].name);
        for (uint32_t k = t->start[c]; k < t->start[c + 1]; k++) {
            uint32_t other = column_of[t->column[k]];
            if (other == NONE || seen[other]) continue;
            seen[other] = 1;
            queue[tail++] = other;
        }
    }
    Span span = b->s->vars.at[unknowns[root]].span;
    Note *note =
        tail == 1 ? diag_add(b->diag, code_of(phase), span, "nothing determines %s%s", names.at, phase)
                  : diag_add(b->diag, code_of(phase), span, "%u unknowns, but %u equation%s for them%s: %s%s",
                             (unsigned)tail, (unsigned)tail - 1, tail == 2 ? "" : "s", phase, names.at,
                             tail > SHOWN ? ", ..." : "");
    for (uint32_t i = 1; i < tail && i < SHOWN; i++)
        diag_label(b->diag, note, b->s->vars.at[unknowns[queue[i]]].span, "or this one");
    bool is_start = phase[0] != 0, has_potential = false;
    for (uint32_t i = 0; i < tail; i++) has_potential |= dae_is_potential(b->s, unknowns[queue[i]]);
    diag_hint(b->diag, note, "%s",
              is_start
                  ? "start value missing: give one of them a start value with fixed = true, or an initial "
                    "equation"
              : has_potential
                  ? "no ground? Something has to fix one of these potentials; or a connector was left open"
                  : "an equation is missing here (a connector left open, an input without a value?)");
}

/* 0 = 0 for any numbers, once aliases are gone: not one too many, but one that others lack. */
static bool says_nothing(Build *b, uint32_t e, const double *numbers)
{
    const DaeEq *eq = &b->s->eqs.at[e];
    for (uint32_t k = 0; k < eq->gradient.n; k++)
        if (eq->gradient.at[k].value != SYM_ZERO) return false;
    return dae_evaluate_at(b->s->pool, eq->left, numbers, 0.7) ==
           dae_evaluate_at(b->s->pool, eq->right, numbers, 0.7);
}

void dae_explain_singular(Build *b, const uint32_t *eqs, const Graph *g, const uint32_t *unknowns,
                          const uint32_t *column_of, const uint32_t *row_of, const char *phase)
{
    uint32_t shown = 0;
    bool is_open = false;
    const double *numbers = dae_estimates(b->s, b->scratch);
    for (uint32_t c = 0; c < g->columns; c++) is_open |= row_of[c] == NONE;
    for (uint32_t r = 0; r < g->rows && shown < SHOWN; r++) {
        if (column_of[r] != NONE || (is_open && says_nothing(b, eqs[r], numbers))) continue;
        explain_rows(b, eqs, g, unknowns, row_of, r, phase);
        shown++;
    }
    Graph t = transpose(g, b->scratch);
    uint8_t *seen = NEW_ARRAY(b->scratch, uint8_t, g->columns + 1);
    shown = 0;
    for (uint32_t c = 0; c < g->columns && shown < SHOWN; c++) {
        if (row_of[c] != NONE || seen[c]) continue;
        explain_column(b, &t, unknowns, column_of, c, seen, phase);
        shown++;
    }
}
