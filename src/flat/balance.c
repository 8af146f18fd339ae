/* balance.c: why a model has more unknowns than equations, or more equations than unknowns, as far
 * as the text itself tells.
 *
 * In: an unbalanced flat model. Out: labels of a report: variables that no equation mentions,
 * inputs that nothing is connected to, potentials that no equation fixes, variables that are
 * determined twice. How: counts, for each variable, where it stands alone on the left side. Cost:
 * O(size). Tests: tests/modelica/kinds.mo, statements.mo. */
#include "flat/flat.h"

#include <stdio.h>

enum { MOST_NAMED = 5 };

typedef struct {
    const Flat *flat;
    Diag *diag;
    Note *note;
    uint32_t *given;    /* by variable: how often it stands alone on a left side, or has a value */
    uint8_t *connected; /* by variable: in an equation of a connection with another one */
    Span *first;        /* by variable: the first of these places */
    /* of an algorithm or a when-clause, numbered from 1: all of it gives a variable once */
    uint32_t body;
    uint32_t *seen; /* by variable: the last body it was met in */
    unsigned named;
} Balance;

static void give(Balance *b, VarId v, Span span)
{
    if (b->body && b->seen[v] == b->body) return;
    b->seen[v] = b->body;
    if (!b->given[v]++)
        b->first[v] = span;
    else if (b->named++ < MOST_NAMED) {
        diag_label(b->diag, b->note, span, "'%s' is determined here", b->flat->vars.at[v].name);
        diag_label(b->diag, b->note, b->first[v], "and here already");
    }
}

static void give_targets(Balance *b, ExprId id, Span span)
{
    const FlatExpr *e = &b->flat->exprs.at[id];
    if (e->kind == X_VAR) give(b, e->index, span);
    uint32_t deep = e->kind == X_SUBSCRIPT || e->kind == X_FIELD                      ? 1
                    : e->kind == X_TUPLE || e->kind == X_ARRAY || e->kind == X_RECORD ? e->n
                                                                                      : 0;
    for (uint32_t i = 0; i < deep; i++) give_targets(b, b->flat->ids.at[e->first + i], span);
}

static void give_body(Balance *b, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const FlatStmt *st = &b->flat->stmts.at[b->flat->ids.at[first + i]];
        if (st->kind == S_ASSIGN || st->kind == S_EQUAL) give_targets(b, st->left, st->span);
        for (uint32_t k = 0; k < st->n; k++)
            give_body(b, b->flat->branches.at[st->first + k].first, b->flat->branches.at[st->first + k].n);
    }
}

static void mark_connected(Balance *b, ExprId id)
{
    for (;;) {
        const FlatExpr *e = &b->flat->exprs.at[id];
        if (e->kind == X_VAR) b->connected[e->index] = 1;
        for (uint32_t i = 1; i < e->n; i++) mark_connected(b, b->flat->ids.at[e->first + i]);
        if (!e->n) return;
        id = b->flat->ids.at[e->first];
    }
}

static void give_equation(Balance *b, StmtId id)
{
    const FlatStmt *st = &b->flat->stmts.at[id];
    b->body = 0;
    if (st->from_connect) {
        bool alone = b->flat->exprs.at[st->left].kind == X_VAR && b->flat->exprs.at[st->right].kind == X_REAL;
        if (alone) return; /* a flow that nothing is connected to */
        mark_connected(b, st->left);
        mark_connected(b, st->right);
        return;
    }
    if (st->kind == S_EQUAL) give_targets(b, st->left, st->span);
    if (st->kind != S_WHEN && st->kind != S_IF) return;
    b->body = id + 1;
    for (uint32_t k = 0; k < st->n; k++)
        give_body(b, b->flat->branches.at[st->first + k].first, b->flat->branches.at[st->first + k].n);
}

static void give_all(Balance *b)
{
    const Flat *flat = b->flat;
    for (VarId v = 0; v < flat->vars.n; v++)
        if (flat->vars.at[v].varies > VARIES_PARAMETER && flat->vars.at[v].binding != NONE)
            give(b, v, flat->vars.at[v].span);
    for (uint32_t i = 0; i < flat->equations.n; i++) give_equation(b, flat->equations.at[i]);
    for (uint32_t i = 0; i < flat->algorithms.n; i++) {
        b->body = flat->stmts.n + 1 + i;
        if (!flat->algorithms.at[i].initial)
            give_body(b, flat->algorithms.at[i].first, flat->algorithms.at[i].n);
    }
}

/* The connector that a variable belongs to: its name without the last part. */
static int connector_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (int)(dot - name) : 0;
}

static void name_missing(Balance *b, const uint8_t *used)
{
    for (VarId v = 0; v < b->flat->vars.n && b->named < MOST_NAMED; v++) {
        const FlatVar *var = &b->flat->vars.at[v];
        if (var->varies <= VARIES_PARAMETER || var->causes == CAUSES_INPUT || b->given[v] || b->connected[v])
            continue;
        if (!used[v])
            diag_label(b->diag, b->note, var->span, "'%s' is in no equation", var->name);
        else if (var->flags & VAR_INPUT)
            diag_label(b->diag, b->note, var->span, "'%s' is an input that nothing is connected to",
                       var->name);
        else if (var->flags & VAR_CONNECTOR && !(var->flags & VAR_FLOW) && connector_length(var->name))
            diag_label(b->diag, b->note, var->span, "nothing is connected to '%.*s'",
                       connector_length(var->name), var->name);
        else
            continue;
        b->named++;
    }
}

/* Components that are unbalanced by themselves: as labels of `note`, or as warnings if there is
 * none. */
static void name_components(const Flat *flat, Diag *diag, Note *note)
{
    for (uint32_t i = 0; i < flat->imbalances.n && i < MOST_NAMED; i++) {
        const FlatImbalance *x = &flat->imbalances.at[i];
        char others[48] = "";
        if (x->others)
            snprintf(others, sizeof others, "; %u more of this class are like it", (unsigned)x->others);
        const char *format = "'%s' of class '%s' has %u unknowns and %u equations by itself%s";
        Note *at = note ? note
                        : diag_add(diag, E_LOCAL_BALANCE, x->span, format, x->component, x->class_name,
                                   (unsigned)x->unknowns, (unsigned)x->equations, others);
        if (note)
            diag_label(diag, note, x->span, format, x->component, x->class_name, (unsigned)x->unknowns,
                       (unsigned)x->equations, others);
        diag_label(diag, at, x->class_span, "the class '%s'", x->class_name);
    }
}

void flat_explain_balance(const Flat *flat, const FlatCount *c, Diag *diag, Arena *arena)
{
    if (c->unknowns == c->equations) {
        name_components(flat, diag, NULL);
        return;
    }
    bool few = c->equations < c->unknowns;
    /* two sources of a signal pass only where the counts match */
    if (!few && diag_raise(diag, E_CONNECT_SOURCES)) return;
    unsigned by = few ? c->unknowns - c->equations : c->equations - c->unknowns;
    Diag silent = { .arena = arena };
    Note *note = diag_add(diag, E_UNBALANCED, flat->span, "'%s' has %u unknown%s and %u equation%s",
                          flat->name, (unsigned)c->unknowns, c->unknowns == 1 ? "" : "s",
                          (unsigned)c->equations, c->equations == 1 ? "" : "s");
    diag_hint(diag, note, "%u equation%s too %s", by, by == 1 ? "" : "s", few ? "few" : "many");
    name_components(flat, diag, note);
    Balance b = { .flat = flat,
                  .diag = few ? &silent : diag,
                  .note = few ? NEW(arena, Note) : note,
                  .given = NEW_ARRAY(arena, uint32_t, flat->vars.n + 1),
                  .connected = NEW_ARRAY(arena, uint8_t, flat->vars.n + 1),
                  .first = NEW_ARRAY(arena, Span, flat->vars.n + 1),
                  .seen = NEW_ARRAY(arena, uint32_t, flat->vars.n + 1) };
    give_all(&b);
    if (!few) return;
    b.diag = diag;
    b.note = note;
    b.named = 0;
    name_missing(&b, flat_used(flat, arena));
    if (!note->labels.n) diag_hint(diag, note, "'acausal analyze' shows which unknowns are left open");
}
