/* ground.c: finds circuits whose potentials nothing fixes, though the model has as many equations
 * as unknowns.
 *
 * In: a flat model. Out: a warning for each such circuit. How: potentials that stand in one
 * equation belong together. All potentials rise by one: where no equation of a group changes, only
 * their differences matter, and so any solution can be moved. How much an expression rises is known
 * for sums and differences, multiples by literals, and what does not rise at all; everything else
 * is taken to fix its potentials. Always: what is reported has no unique solution; not all that has
 * none is reported (dae/rank.c knows more, of linear equations). Cost: O(size). Tests:
 * tests/modelica/balance.mo. */
#include "flat/flat.h"

#include <math.h>

enum { MOST_CIRCUITS = 3, MOST_SHOWN = 6 };

typedef struct {
    const Flat *flat;
    double *rise;     /* by expression; NAN: not known */
    VarId *of;        /* by expression: a potential in it; NONE if there is none */
    VarId *parent;    /* by variable: of the union-find of groups */
    uint8_t *is_held; /* by variable, at the root of its group: some equation fixes it */
} Circuits;

static bool is_potential(const Flat *flat, const FlatVar *v)
{
    return v->varies == VARIES_CONTINUOUS && v->flags & VAR_CONNECTOR &&
           !(v->flags & (VAR_FLOW | VAR_INPUT)) && v->causes == CAUSES_LOCAL &&
           flat->types.at[v->type].base == BASE_REAL;
}

static VarId root_of(Circuits *c, VarId v)
{
    while (c->parent[v] != v) v = c->parent[v] = c->parent[c->parent[v]];
    return v;
}

/* One group of two potentials, each of which may be missing; one of them. */
static VarId unite(Circuits *c, VarId a, VarId b)
{
    if (a == NONE || b == NONE) return a == NONE ? b : a;
    c->parent[root_of(c, a)] = root_of(c, b);
    return b;
}

static bool is_nothing(double rise) { return rise > -1e-12 && rise < 1e-12; }

static bool literal_of(const FlatExpr *e, double *value)
{
    *value = e->kind == X_REAL ? e->real : e->kind == X_INTEGER ? (double)e->integer : NAN;
    return isfinite(*value);
}

static double rise_of_binary(const Circuits *c, const FlatExpr *e)
{
    const uint32_t *args = c->flat->ids.at + e->first;
    double a = c->rise[args[0]], b = c->rise[args[1]], factor;
    switch ((Oper)e->op) {
    case O_ADD: return a + b;
    case O_SUBTRACT: return a - b;
    case O_MULTIPLY:
        if (literal_of(&c->flat->exprs.at[args[0]], &factor)) return factor * b;
        if (literal_of(&c->flat->exprs.at[args[1]], &factor)) return factor * a;
        return NAN;
    case O_DIVIDE: return literal_of(&c->flat->exprs.at[args[1]], &factor) ? a / factor : NAN;
    default: return NAN;
    }
}

static double rise_of_choice(const Circuits *c, const FlatExpr *e)
{
    const uint32_t *args = c->flat->ids.at + e->first;
    double rise = c->rise[args[e->n - 1]];
    for (uint32_t i = 0; i + 1 < e->n; i += 2)
        if (!is_nothing(c->rise[args[i]]) || !is_nothing(c->rise[args[i + 1]] - rise)) return NAN;
    return rise;
}

static double rise_of(const Circuits *c, const FlatExpr *e)
{
    bool all = true;
    if (e->kind == X_VAR) return is_potential(c->flat, &c->flat->vars.at[e->index]) ? 1 : 0;
    for (uint32_t i = 0; i < e->n; i++) all = all && is_nothing(c->rise[c->flat->ids.at[e->first + i]]);
    if (all) return 0;
    if (e->kind == X_UNARY && e->op == O_NEGATE) return -c->rise[c->flat->ids.at[e->first]];
    if (e->kind == X_BINARY && e->n == 2) return rise_of_binary(c, e);
    return e->kind == X_IF ? rise_of_choice(c, e) : NAN;
}

static void find_rises(Circuits *c)
{
    const Flat *flat = c->flat;
    for (ExprId id = 0; id < flat->exprs.n; id++) {
        const FlatExpr *e = &flat->exprs.at[id];
        c->rise[id] = rise_of(c, e);
        c->of[id] = e->kind == X_VAR && is_potential(flat, &flat->vars.at[e->index]) ? e->index : NONE;
        for (uint32_t i = 0; i < e->n; i++)
            c->of[id] = unite(c, c->of[id], c->of[flat->ids.at[e->first + i]]);
    }
}

/* The two sides of an equation: first what belongs together, then, in a second round, what is
 * fixed. */
static void meet(Circuits *c, VarId a, double rise_a, VarId b, double rise_b, bool hold)
{
    VarId v = unite(c, a, b);
    if (hold && v != NONE && !is_nothing(rise_a - rise_b)) c->is_held[root_of(c, v)] = 1;
}

static void meet_statement(Circuits *c, const FlatStmt *st, bool hold)
{
    if (st->kind == S_ASSERT || st->kind == S_TERMINATE) return;
    bool is_equation = st->kind == S_EQUAL && st->left != NONE && st->right != NONE;
    if (is_equation) meet(c, c->of[st->left], c->rise[st->left], c->of[st->right], c->rise[st->right], hold);
    const ExprId sides[] = { st->left, st->right };
    for (size_t i = 0; i < COUNT_OF(sides) && !is_equation; i++)
        if (sides[i] != NONE) meet(c, c->of[sides[i]], c->rise[sides[i]], NONE, 0, hold);
    for (uint32_t i = 0; i < st->n; i++) {
        ExprId condition = c->flat->branches.at[st->first + i].condition;
        if (condition != NONE) meet(c, c->of[condition], c->rise[condition], NONE, 0, hold);
    }
}

static void meet_all(Circuits *c, bool hold)
{
    const Flat *flat = c->flat;
    for (StmtId i = 0; i < flat->stmts.n; i++) meet_statement(c, &flat->stmts.at[i], hold);
    for (VarId v = 0; v < flat->vars.n; v++) {
        ExprId binding = flat->vars.at[v].binding;
        bool is_own = is_potential(flat, &flat->vars.at[v]);
        if (binding == NONE) continue;
        meet(c, is_own ? v : NONE, is_own, c->of[binding], c->rise[binding], hold);
    }
}

static void report(const Circuits *c, VarId root, VarId *const members, uint32_t n, Diag *diag, Arena *arena)
{
    Text names = { .arena = arena };
    for (uint32_t i = 0; i < n && i < MOST_SHOWN; i++)
        text_printf(&names, "%s'%s'", i ? ", " : "", c->flat->vars.at[members[i]].name);
    Note *note = diag_add(diag, E_NO_GROUND, c->flat->vars.at[root].top, "nothing fixes the potentials %s%s",
                          names.at, n > MOST_SHOWN ? ", ..." : "");
    diag_hint(diag, note, "no ground: only differences of these potentials are in the equations");
}

void flat_check_ground(const Flat *flat, Diag *diag, Arena *arena)
{
    Circuits c = { .flat = flat,
                   .rise = NEW_ARRAY(arena, double, flat->exprs.n + 1),
                   .of = NEW_ARRAY(arena, VarId, flat->exprs.n + 1),
                   .parent = NEW_ARRAY(arena, VarId, flat->vars.n + 1),
                   .is_held = NEW_ARRAY(arena, uint8_t, flat->vars.n + 1) };
    VarId *members = NEW_ARRAY(arena, VarId, flat->vars.n + 1);
    uint32_t *sizes = NEW_ARRAY(arena, uint32_t, flat->vars.n + 1);
    uint32_t reported = 0;
    if (flat->is_open) return; /* whoever connects it will fix them */
    for (VarId v = 0; v < flat->vars.n; v++) c.parent[v] = v;
    find_rises(&c);
    meet_all(&c, false);
    meet_all(&c, true);
    for (VarId v = 0; v < flat->vars.n; v++) sizes[root_of(&c, v)]++;
    for (VarId root = 0; root < flat->vars.n && reported < MOST_CIRCUITS; root++) {
        uint32_t n = 0;
        if (c.is_held[root] || sizes[root] < 2) continue;
        for (VarId v = 0; v < flat->vars.n; v++)
            if (root_of(&c, v) == root) members[n++] = v;
        report(&c, root, members, n, diag, arena);
        reported++;
    }
}
