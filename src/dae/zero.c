/* zero.c: takes derivatives out of equations where their factor is zero by the values of parameters.
 *
 * A capacitor with C = 0 or a transistor without charges has no state, but its equations say C * der(v). Taken by structure alone they
 * would make states of what is algebraic, and the equations for their derivatives singular. In: equations. Out: the same, without
 * products that vanish because a parameter is 0, in equations that contain derivatives. How: parameters of value 0 and variables that
 * equations give as a product with them are zero; what such a decision used becomes a constant, so that changing it means
 * translating anew. Derivatives that no equation has any more are given up. Cost: linear, for each round in which a
 * variable turns out to be zero. Tests: tests/dae/system_test.c. */
#include "dae/inside.h"

typedef struct {
    Build *b;
    System *s;
    Arena *a;
    double *values;   /* estimates, by variable */
    uint8_t *is_zero; /* by variable: a parameter of value 0, or made of such */
    uint8_t *is_used; /* by variable: a parameter that made something zero */
    uint8_t *zero;    /* by place in a walk */
} Zeros;

static bool node_is_zero(const Zeros *z, const SymNode *n, const uint32_t *place)
{
    const Sym *a = n->arg;
    switch ((SymOp)n->op) {
    case SYM_REAL: return n->real == 0;
    case SYM_VAR: return z->is_zero[n->index];
    case SYM_NEG: return z->zero[place[a[0]]];
    case SYM_ADD:
    case SYM_SUB: return z->zero[place[a[0]]] && z->zero[place[a[1]]];
    case SYM_MUL: return z->zero[place[a[0]]] || z->zero[place[a[1]]];
    case SYM_DIV: return z->zero[place[a[0]]] && !z->zero[place[a[1]]];
    case SYM_IF: return z->zero[place[a[1]]] && z->zero[place[a[2]]];
    default: return false;
    }
}

/* Which nodes of an expression are zero; true if the whole is. */
static bool walk(Zeros *z, Sym e)
{
    SymPool *pool = z->s->pool;
    sym_walk(pool, e);
    z->zero = NEW_ARRAY(z->a, uint8_t, pool->seen.n);
    for (uint32_t i = 0; i < pool->seen.n; i++)
        z->zero[i] = node_is_zero(z, sym_node(pool, pool->seen.at[i]), pool->place);
    return z->zero[pool->seen.n - 1];
}

static void use(Zeros *z)
{
    const SymPool *pool = z->s->pool;
    for (uint32_t i = 0; i < pool->seen.n; i++) {
        const SymNode *n = sym_node(pool, pool->seen.at[i]);
        if (n->op == SYM_VAR && z->is_zero[n->index]) z->is_used[n->index] = 1;
    }
}

/* The variable that an equation gives as zero; NONE. */
static uint32_t zero_variable(Zeros *z, const DaeEq *eq)
{
    for (int side = 0; side < 2; side++) {
        const SymNode *n = sym_node(z->s->pool, side ? eq->right : eq->left);
        if (n->op != SYM_VAR || z->s->vars.at[n->index].role < ROLE_STATE || z->is_zero[n->index]) continue;
        uint32_t v = n->index;
        if (z->s->vars.at[v].der_of == NONE && walk(z, side ? eq->left : eq->right)) return v;
    }
    return NONE;
}

static void spread(Zeros *z)
{
    bool again = true;
    while (again) {
        again = false;
        for (uint32_t i = 0; i < z->b->equations.n; i++) {
            uint32_t v = zero_variable(z, &z->s->eqs.at[z->b->equations.at[i]]);
            if (v == NONE) continue;
            z->is_zero[v] = 1;
            again = true;
        }
    }
}

/* The expression with what is zero in it left out, where a derivative would vanish so. */
static Sym without_zeros(Zeros *z, Sym e)
{
    SymPool *pool = z->s->pool;
    walk(z, e);
    uint32_t count = pool->seen.n;
    Sym *up = NEW_ARRAY(z->a, Sym, count), *nodes = NEW_ARRAY(z->a, Sym, count);
    uint32_t *place = NEW_ARRAY(z->a, uint32_t, pool->nodes.n);
    use(z);
    for (uint32_t i = 0; i < count; i++) nodes[i] = pool->seen.at[i], place[nodes[i]] = i;
    for (uint32_t i = 0; i < count; i++) {
        SymNode n = *sym_node(pool, nodes[i]);
        uint32_t arity = sym_arity((SymOp)n.op);
        Sym x = arity > 0 ? up[place[n.arg[0]]] : 0, y = arity > 1 ? up[place[n.arg[1]]] : 0;
        up[i] = z->zero[i] && n.op == SYM_MUL ? SYM_ZERO
                : arity == 0                  ? nodes[i]
                : arity == 1                  ? sym_one(pool, (SymOp)n.op, x)
                : arity == 2                  ? sym_two(pool, (SymOp)n.op, x, y)
                                              : sym_if(pool, x, y, up[place[n.arg[2]]]);
    }
    return up[count - 1];
}

/* Whether the factor of some derivative in the equation vanishes. */
static bool has_zero_factor(Zeros *z, const DaeEq *eq)
{
    for (uint32_t k = 0; k < eq->gradient.n; k++) {
        const Partial *p = &eq->gradient.at[k];
        if (z->s->vars.at[p->var].der_of != NONE && p->value != SYM_ZERO && walk(z, p->value)) return true;
    }
    return false;
}

/* Derivatives that no equation reads, of variables that others give. */
static void give_up_derivatives(Zeros *z)
{
    System *s = z->s;
    uint8_t *is_read = NEW_ARRAY(z->a, uint8_t, s->vars.n + 1);
    for (uint32_t i = 0; i < z->b->equations.n; i++) {
        const Gradient *g = &s->eqs.at[z->b->equations.at[i]].gradient;
        for (uint32_t k = 0; k < g->n; k++) is_read[g->at[k].var] = 1;
    }
    for (uint32_t i = 0; i < z->b->initial_equations.n; i++) {
        const Gradient *g = &s->eqs.at[z->b->initial_equations.at[i]].gradient;
        for (uint32_t k = 0; k < g->n; k++) is_read[g->at[k].var] = 1;
    }
    for (uint32_t v = 0; v < s->vars.n; v++) {
        DaeVar *u = &s->vars.at[v];
        if (u->der_of == NONE || is_read[v] || u->role < ROLE_STATE) continue;
        s->vars.at[u->der_of].der = NONE;
        u->der_of = NONE;
        u->role = ROLE_CONSTANT;
        u->name = arena_printf(s->arena, "$%s", u->name);
    }
}

/* What decided about the structure, and what that was computed from, is not to be set afterwards. */
static void hold_parameters(Zeros *z)
{
    System *s = z->s;
    for (uint32_t i = s->parameters.assigns.n; i-- > 0;) {
        const DaeAssign *a = &s->parameters.assigns.at[i];
        if (!z->is_used[a->var]) continue;
        s->vars.at[a->var].role = ROLE_CONSTANT;
        sym_walk(s->pool, a->value);
        for (uint32_t k = 0; k < s->pool->seen.n; k++) {
            const SymNode *n = sym_node(s->pool, s->pool->seen.at[k]);
            if (n->op == SYM_VAR) z->is_used[n->index] = 1;
        }
    }
}

void dae_drop_zeros(Build *b)
{
    System *s = b->s;
    bool any = false;
    Arena *a = arena_new();
    if (!a) return;
    Zeros z = { .b = b, .s = s, .a = a, .values = dae_estimates(s, a) };
    z.is_zero = NEW_ARRAY(a, uint8_t, s->vars.n + 1);
    z.is_used = NEW_ARRAY(a, uint8_t, s->vars.n + 1);
    for (uint32_t v = 0; v < s->vars.n; v++) {
        const DaeVar *u = &s->vars.at[v];
        z.is_zero[v] =
            u->role <= ROLE_PARAMETER && !u->is_unknown_parameter && u->type == BASE_REAL && z.values[v] == 0;
        any |= z.is_zero[v];
    }
    if (any) spread(&z);
    bool changed = false;
    for (uint32_t i = 0; i < b->equations.n && any; i++) {
        DaeEq eq = s->eqs.at[b->equations.at[i]];
        if (!has_zero_factor(&z, &eq)) continue;
        Sym left = without_zeros(&z, eq.left), right = without_zeros(&z, eq.right);
        b->equations.at[i] = dae_add_eq(s, left, right, eq.span);
        changed = true;
    }
    if (changed) {
        /* what made variables zero counts as used as well */
        for (uint32_t i = 0; i < b->equations.n; i++) {
            const DaeEq *eq = &s->eqs.at[b->equations.at[i]];
            for (uint32_t k = 0; k < eq->gradient.n; k++)
                if (z.is_used[eq->gradient.at[k].var] &&
                    s->vars.at[eq->gradient.at[k].var].role >= ROLE_STATE) {
                    walk(&z, eq->left), use(&z);
                    walk(&z, eq->right), use(&z);
                    break;
                }
        }
        hold_parameters(&z);
        give_up_derivatives(&z);
    }
    arena_free(a);
}
