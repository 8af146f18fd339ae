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

/* A place is said once. */
static void label_once(Build *b, Note *note, Span span, const char *text)
{
    bool is_known = span.at == note->span.at || !span.n;
    for (uint32_t i = 0; i < note->labels.n; i++) is_known |= note->labels.at[i].span.at == span.at;
    if (!is_known) diag_label(b->diag, note, span, "%s", text);
}

/* A parameter that an equation reads, as it was written, and that is zero; NONE. */
static uint32_t zero_parameter(const Build *b, Span span)
{
    const System *s = b->s;
    const Flat *f = s->flat;
    uint8_t *is_in = NEW_ARRAY(b->scratch, uint8_t, f->exprs.n + 1);
    for (uint32_t i = 0; i < f->equations.n; i++) {
        const FlatStmt *st = &f->stmts.at[f->equations.at[i]];
        if (st->span.at != span.at || st->left == NONE || st->right == NONE) continue;
        is_in[st->left] = is_in[st->right] = 1;
    }
    for (ExprId id = f->exprs.n; id-- > 0;) {
        const FlatExpr *e = &f->exprs.at[id];
        if (!is_in[id]) continue;
        for (uint32_t k = 0; k < e->n; k++) is_in[f->ids.at[e->first + k]] = 1;
        uint32_t v = e->kind == X_VAR ? s->alias[e->index].var : NONE;
        if (v == NONE || v >= s->known_n || f->vars.at[e->index].varies > VARIES_PARAMETER) continue;
        if (s->known[v] == 0 && s->vars.at[v].type == BASE_REAL) return v;
    }
    return NONE;
}

/* An equation without unknowns: is there one that cannot be found by it, or really none? */
static void hint_unknown(Build *b, Note *note, const DaeEq *eq)
{
    uint32_t v = first_unknown(b, eq->left);
    if (v == NONE) v = first_unknown(b, eq->right);
    uint32_t zero = zero_parameter(b, eq->span);
    if (zero != NONE) {
        const DaeVar *p = &b->s->vars.at[zero];
        note->text = arena_printf(b->diag->arena, "%s, since '%s' is zero", note->text, p->name);
        label_once(b, note, dae_place(b->s, zero), "it is given here");
        diag_hint(b->diag, note, "what '%s' multiplies drops out of the equation: give it another value",
                  p->name);
    } else if (v == NONE)
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
        diag_add(b->diag, code_of(phase), dae_equation_place(b->s, eqs[root]), "%u %s for %u %s%s: %s",
                 (unsigned)tail, tail == 1 ? "equation" : "equations", (unsigned)count,
                 count == 1 ? "unknown" : "unknowns", phase, count ? names.at : "nothing in it is unknown");
    for (uint32_t i = 0; i < tail && i < SHOWN; i++)
        label_once(b, note, dae_equation_place(b->s, eqs[queue[i]]), "together with this equation");
    for (uint32_t i = 0; i < tail && i < SHOWN; i++)
        label_once(b, note, b->s->eqs.at[eqs[queue[i]]].span, "which is made of this one");
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
    uint32_t first = root;
    for (uint32_t i = 0; i < tail; i++) { /* what the user asked for rather than what follows from it */
        const DaeVar *v = &b->s->vars.at[unknowns[queue[i]]], *now = &b->s->vars.at[unknowns[first]];
        bool is_plain = v->der == NONE && v->der_of == NONE && !v->has_start;
        bool was_plain = now->der == NONE && now->der_of == NONE && !now->has_start;
        if (v->is_unknown_parameter || (is_plain && !was_plain && !now->is_unknown_parameter))
            first = queue[i];
    }
    Span span = dae_place(b->s, unknowns[first]);
    bool is_start = phase[0] != 0, has_potential = false;
    for (uint32_t i = 0; i < tail; i++) has_potential |= dae_is_potential(b->s, unknowns[queue[i]]);
    const char *why = has_potential && !is_start ? " (no ground?)" : "";
    Note *note =
        tail == 1
            ? diag_add(b->diag, code_of(phase), span, "nothing determines %s%s", names.at, phase)
            : diag_add(b->diag, code_of(phase), span, "%u unknowns, but %u equation%s for them%s%s: %s%s",
                       (unsigned)tail, (unsigned)tail - 1, tail == 2 ? "" : "s", phase, why, names.at,
                       tail > SHOWN ? ", ..." : "");
    for (uint32_t i = 0; i < tail && i < SHOWN; i++)
        label_once(b, note, dae_place(b->s, unknowns[queue[i]]), tail == 1 ? "" : "or this one");
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
