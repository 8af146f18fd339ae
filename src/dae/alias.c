/* alias.c: variables that are equal or opposite become one.
 *
 * In: a flat model. Out: system->alias, and one system variable for each class of aliases. How:
 * equations and bindings a = b, a = -b and a + b = 0 join classes (union-find with signs). The
 * variable that stands for a class is an input if there is one, else the likeliest state; start,
 * fixed, nominal and stateSelect come from the member that says most. Cost: near-linear. Tests:
 * tests/dae/system_test.c. */
#include "dae/inside.h"

typedef struct {
    Build *b;
    const Flat *f;
    VarId *parent;
    bool *minus; /* against the parent */
    uint8_t *is_differentiated;
} Classes;

static VarId find(Classes *c, VarId v, bool *minus)
{
    bool sign = false;
    VarId root = v;
    while (c->parent[root] != root) {
        sign ^= c->minus[root];
        root = c->parent[root];
    }
    *minus = sign;
    while (c->parent[v] != root) { /* shortens later paths */
        VarId next = c->parent[v];
        bool own = c->minus[v];
        c->parent[v] = root;
        c->minus[v] = sign;
        sign ^= own;
        v = next;
    }
    return root;
}

/* +v or -v: the variable; NONE if the expression is neither. */
static VarId plain(const Flat *f, ExprId id, bool *minus)
{
    const FlatExpr *e = &f->exprs.at[id];
    *minus = e->kind == X_UNARY && e->op == O_NEGATE;
    if (*minus) e = &f->exprs.at[f->ids.at[e->first]];
    return e->kind == X_VAR ? e->index : NONE;
}

static bool is_zero(const Flat *f, ExprId id)
{
    const FlatExpr *e = &f->exprs.at[id];
    return (e->kind == X_REAL && e->real == 0) || (e->kind == X_INTEGER && e->integer == 0);
}

static bool may_join(const Classes *c, VarId a, VarId b)
{
    const FlatVar *u = &c->f->vars.at[a], *v = &c->f->vars.at[b];
    return u->varies >= VARIES_DISCRETE && v->varies >= VARIES_DISCRETE &&
           c->f->types.at[u->type].base == c->f->types.at[v->type].base &&
           c->f->types.at[u->type].base <= BASE_ENUM && c->b->is_discrete[a] == c->b->is_discrete[b];
}

static bool has_given(const Classes *c, VarId v) { return c->f->vars.at[v].causes == CAUSES_INPUT; }

/* How much a variable should stand for its class. */
static int rank(const Classes *c, VarId v)
{
    const FlatVar *u = &c->f->vars.at[v];
    return (u->causes == CAUSES_INPUT) * 64 + (u->attributes[ATTRIBUTE_STATE_SELECT] != NONE) * 32 +
           c->is_differentiated[v] * 16 + (u->attributes[ATTRIBUTE_FIXED] != NONE) * 8 +
           (u->attributes[ATTRIBUTE_START] != NONE) * 4 + (u->attributes[ATTRIBUTE_NOMINAL] != NONE) * 2 +
           !(u->flags & VAR_PROTECTED);
}

static bool join(Classes *c, VarId a, VarId b, bool minus)
{
    if (a == NONE || b == NONE || !may_join(c, a, b)) return false;
    if (minus && c->f->types.at[c->f->vars.at[a].type].base > BASE_INTEGER) return false;
    bool minus_a, minus_b;
    VarId x = find(c, a, &minus_a), y = find(c, b, &minus_b);
    if (x == y || (has_given(c, x) && has_given(c, y))) return false;
    if (rank(c, x) < rank(c, y)) {
        VarId t = x;
        x = y, y = t;
    }
    c->parent[y] = x;
    c->minus[y] = minus ^ minus_a ^ minus_b;
    return true;
}

static bool join_equation(Classes *c, const FlatStmt *s)
{
    bool minus_a, minus_b;
    VarId a = plain(c->f, s->left, &minus_a), b = plain(c->f, s->right, &minus_b);
    if (a != NONE && b != NONE) return join(c, a, b, minus_a ^ minus_b);
    ExprId sum = is_zero(c->f, s->right) ? s->left : is_zero(c->f, s->left) ? s->right : NONE;
    if (sum == NONE) return false;
    const FlatExpr *e = &c->f->exprs.at[sum];
    if (e->kind != X_BINARY || (e->op != O_ADD && e->op != O_SUBTRACT)) return false;
    a = plain(c->f, c->f->ids.at[e->first], &minus_a);
    b = plain(c->f, c->f->ids.at[e->first + 1], &minus_b);
    return join(c, a, b, minus_a ^ minus_b ^ (e->op == O_ADD));
}

static void mark_differentiated(Classes *c)
{
    for (uint32_t i = 0; i < c->f->exprs.n; i++) {
        const FlatExpr *e = &c->f->exprs.at[i];
        if (e->kind != X_BUILTIN || e->op != BUILTIN_DER) continue;
        const FlatExpr *of = &c->f->exprs.at[c->f->ids.at[e->first]];
        if (of->kind == X_VAR) c->is_differentiated[of->index] = 1;
    }
}

static Role role_of(const Build *b, VarId v)
{
    const FlatVar *u = &b->s->flat->vars.at[v];
    if (u->varies == VARIES_CONSTANT) return ROLE_CONSTANT;
    /* made once, whatever its prefix */
    bool is_object = b->s->flat->types.at[u->type].base == BASE_OBJECT;
    if (u->varies == VARIES_PARAMETER || is_object) return ROLE_PARAMETER;
    if (u->causes == CAUSES_INPUT) return ROLE_INPUT;
    return b->is_discrete[v] ? ROLE_DISCRETE : ROLE_ALGEBRAIC;
}

void dae_find_aliases(Build *b)
{
    System *s = b->s;
    const Flat *f = s->flat;
    uint32_t n = f->vars.n;
    Classes c = { b, f, NEW_ARRAY(b->scratch, VarId, n), NEW_ARRAY(b->scratch, bool, n),
                  NEW_ARRAY(b->scratch, uint8_t, n) };
    for (VarId v = 0; v < n; v++) c.parent[v] = v;
    mark_differentiated(&c);
    for (uint32_t i = 0; i < f->equations.n; i++) {
        const FlatStmt *e = &f->stmts.at[f->equations.at[i]];
        if (e->kind == S_EQUAL) b->is_alias_eq[f->equations.at[i]] = join_equation(&c, e);
    }
    for (VarId v = 0; v < n; v++) {
        const FlatVar *u = &f->vars.at[v];
        if (u->varies < VARIES_DISCRETE || u->binding == NONE) continue;
        bool minus;
        VarId other = plain(f, u->binding, &minus);
        b->is_alias_binding[v] = join(&c, v, other, minus);
    }
    s->alias = NEW_ARRAY(s->arena, DaeAlias, n);
    for (VarId v = 0; v < n; v++) {
        if (c.parent[v] != v) continue;
        const FlatVar *u = &f->vars.at[v];
        DaeVar made = { .name = u->name,
                        .flat = v,
                        .role = (uint8_t)role_of(b, v),
                        .type = (uint8_t)f->types.at[u->type].base,
                        .select = SELECT_DEFAULT,
                        .der = NONE,
                        .der_of = NONE,
                        .state = NONE,
                        .start = SYM_ZERO,
                        .nominal = SYM_ONE,
                        .binding = NONE,
                        .span = u->span };
        s->alias[v].var = dae_add_var(s, made);
    }
    for (VarId v = 0; v < n; v++) {
        bool minus;
        VarId root = find(&c, v, &minus);
        if (root == v) continue;
        s->alias[v] = (DaeAlias){ s->alias[root].var, minus };
        s->stats.aliases++;
    }
}
