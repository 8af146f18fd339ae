/* zero.c: takes derivatives out of equations where their factor is zero by the values of
 * parameters.
 *
 * A capacitor with C = 0 or a transistor without charges has no state, but its equations say C *
 * der(v). Taken by structure alone they would make states of what is algebraic, and the equations
 * for their derivatives singular. A resistor with R = 0 at a capacitor is a constraint, which v = R
 * * i does not say by structure. In: equations. Out: the same, without products that vanish because
 * a parameter is 0, in equations that contain derivatives, and in those that nothing but an unknown
 * with such a factor keeps from being constraints. Cost: linear, for each round in which a variable
 * turns out to be zero, and that of the matching. Tests: tests/dae/system_test.c. */
#include "dae/inside.h"

/* Parameters of value 0 and variables that equations give as a product with them are zero; what
 * such a decision used becomes a constant, so that changing it means translating anew. Derivatives
 * that no equation has any more are given up. Constraints are the equations that a largest matching
 * without zero factors leaves over, and those that could be left over in their place, if one with
 * them is larger. */

typedef struct {
    Build *b;
    System *s;
    Arena *a;
    double *values;   /* estimates, by variable */
    uint8_t *is_zero; /* by variable: a parameter of value 0, or made of such */
    uint8_t *is_used; /* by variable: a parameter that made something zero */
    /* by place in a walk: */
    uint8_t *zero, *is_fixed; /* fixed: made of parameters alone; then `number` is its value */
    double *number;
} Zeros;

/* Whether its condition, which parameters decide, makes a difference. */
static bool is_decided(const Zeros *z, const SymNode *n, const uint32_t *place)
{
    return n->op == SYM_IF && z->is_fixed[place[n->arg[0]]] &&
           z->zero[place[n->arg[1]]] != z->zero[place[n->arg[2]]];
}

/* Whether a node is zero because others are. */
static bool follows(const Zeros *z, const SymNode *n, const uint32_t *place)
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
    case SYM_IF:
        if (is_decided(z, n, place)) return z->zero[place[a[z->number[place[a[0]]] != 0 ? 1 : 2]]];
        return z->zero[place[a[1]]] && z->zero[place[a[2]]];
    default: return false;
    }
}

static void compute(Zeros *z, uint32_t i, const SymNode *n, const uint32_t *place)
{
    double a[3] = { 0 };
    bool is_fixed = n->op != SYM_PICK && n->op != SYM_CALL && n->op != SYM_TIME && n->op != SYM_PRE;
    for (uint32_t k = 0; k < sym_arity((SymOp)n->op); k++) {
        a[k] = z->number[place[n->arg[k]]];
        is_fixed &= z->is_fixed[place[n->arg[k]]];
    }
    if (n->op == SYM_VAR) is_fixed = z->s->is_sure[n->index] && n->index < z->s->known_n;
    z->is_fixed[i] = is_fixed;
    if (!is_fixed) return;
    z->number[i] = n->op == SYM_VAR    ? z->values[n->index]
                   : n->op == SYM_REAL ? n->real
                                       : sym_compute((SymOp)n->op, a[0], a[1], a[2]);
}

/* Which nodes of an expression are zero; true if the whole is. */
static bool walk(Zeros *z, Sym e)
{
    SymPool *pool = z->s->pool;
    sym_walk(pool, e);
    z->zero = NEW_ARRAY(z->a, uint8_t, pool->seen.n);
    z->is_fixed = NEW_ARRAY(z->a, uint8_t, pool->seen.n);
    z->number = NEW_ARRAY(z->a, double, pool->seen.n);
    for (uint32_t i = 0; i < pool->seen.n; i++) {
        const SymNode *n = sym_node(pool, pool->seen.at[i]);
        compute(z, i, n, pool->place);
        z->zero[i] = follows(z, n, pool->place) || (z->is_fixed[i] && z->number[i] == 0);
    }
    return z->zero[pool->seen.n - 1];
}

/* Whether an expression is zero; nothing of the walk is kept. */
static bool vanishes(Zeros *z, Sym e)
{
    if (sym_node(z->s->pool, e)->op == SYM_REAL) return sym_node(z->s->pool, e)->real == 0;
    ArenaMark mark = arena_mark(z->a);
    bool is_zero = walk(z, e);
    arena_rewind(z->a, mark);
    return is_zero;
}

/* What a walk used; it is over then. */
static void use(Zeros *z)
{
    SymPool *pool = z->s->pool;
    VEC(Sym) values = { 0 }; /* that made a difference */
    for (uint32_t i = 0; i < pool->seen.n; i++) {
        const SymNode *n = sym_node(pool, pool->seen.at[i]);
        if (n->op == SYM_VAR && z->is_zero[n->index]) z->is_used[n->index] = 1;
        if (is_decided(z, n, pool->place)) vec_push(z->a, &values, n->arg[0]);
        if (z->zero[i] && !follows(z, n, pool->place)) vec_push(z->a, &values, pool->seen.at[i]);
    }
    for (uint32_t k = 0; k < values.n; k++) {
        sym_walk(pool, values.at[k]);
        for (uint32_t i = 0; i < pool->seen.n; i++) {
            const SymNode *n = sym_node(pool, pool->seen.at[i]);
            if (n->op == SYM_VAR) z->is_used[n->index] = 1;
        }
    }
}

/* The variable that an equation gives as zero; NONE. */
static uint32_t zero_variable(Zeros *z, const DaeEq *eq)
{
    for (int side = 0; side < 2; side++) {
        const SymNode *n = sym_node(z->s->pool, side ? eq->right : eq->left);
        if (n->op != SYM_VAR || z->s->vars.at[n->index].role < ROLE_STATE || z->is_zero[n->index]) continue;
        uint32_t v = n->index;
        if (z->s->vars.at[v].der_of == NONE && vanishes(z, side ? eq->left : eq->right)) return v;
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
    for (uint32_t i = 0; i < count; i++) nodes[i] = pool->seen.at[i], place[nodes[i]] = i;
    use(z);
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
        if (z->s->vars.at[p->var].der_of != NONE && p->value != SYM_ZERO && vanishes(z, p->value))
            return true;
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

/* What decided about the structure, and what that was computed from, is not to be set
 * afterwards. */
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

/* ---- constraints ----------------------------------------------------------------------------- */

typedef struct {
    Graph all, sound;                 /* with and without factors that are zero */
    uint32_t *column_of, *row_of;     /* of the matching */
    uint8_t *has_zero, *is_reachable; /* by row */
} Factors;

/* What equations are to be solved for: highest derivatives. False: no factor is zero. */
static bool find_factors(Zeros *z, Factors *f)
{
    const System *s = z->s;
    uint32_t n = z->b->equations.n, edges = 0, sound = 0, vars = s->vars.n;
    for (uint32_t i = 0; i < n; i++) edges += s->eqs.at[z->b->equations.at[i]].gradient.n;
    *f = (Factors){ .has_zero = NEW_ARRAY(z->a, uint8_t, n + 1),
                    .is_reachable = NEW_ARRAY(z->a, uint8_t, n + 1) };
    f->all = (Graph){ n, vars, NEW_ARRAY(z->a, uint32_t, n + 1), NEW_ARRAY(z->a, uint32_t, edges + 1) };
    f->sound = (Graph){ n, vars, NEW_ARRAY(z->a, uint32_t, n + 1), NEW_ARRAY(z->a, uint32_t, edges + 1) };
    f->column_of = NEW_ARRAY(z->a, uint32_t, n + 1);
    f->row_of = NEW_ARRAY(z->a, uint32_t, vars + 1);
    memset(f->column_of, 0xff, n * sizeof *f->column_of);
    memset(f->row_of, 0xff, vars * sizeof *f->row_of);
    edges = 0;
    for (uint32_t i = 0; i < n; i++) {
        const Gradient *g = &s->eqs.at[z->b->equations.at[i]].gradient;
        f->all.start[i] = edges, f->sound.start[i] = sound;
        for (uint32_t k = 0; k < g->n; k++) {
            const Partial *p = &g->at[k];
            const DaeVar *u = &s->vars.at[p->var];
            if (p->value == SYM_ZERO || u->role < ROLE_STATE || u->der != NONE) continue;
            f->all.column[edges++] = p->var;
            if (vanishes(z, p->value))
                f->has_zero[i] = 1;
            else
                f->sound.column[sound++] = p->var;
        }
    }
    f->all.start[n] = edges, f->sound.start[n] = sound;
    return sound < edges;
}

/* Rows that some largest matching without zero factors leaves over. */
static void reach(Zeros *z, Factors *f)
{
    uint32_t n = f->sound.rows, count = 0, *queue = NEW_ARRAY(z->a, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        if (f->column_of[i] == NONE) f->is_reachable[i] = 1, queue[count++] = i;
    for (uint32_t at = 0; at < count; at++)
        for (uint32_t k = f->sound.start[queue[at]]; k < f->sound.start[queue[at] + 1]; k++) {
            uint32_t row = f->row_of[f->sound.column[k]];
            if (row == NONE || f->is_reachable[row]) continue;
            f->is_reachable[row] = 1;
            queue[count++] = row;
        }
}

static void drop_from(Zeros *z, uint32_t i)
{
    DaeEq eq = z->s->eqs.at[z->b->equations.at[i]];
    Sym left = without_zeros(z, eq.left), right = without_zeros(z, eq.right);
    z->b->equations.at[i] = dae_add_eq(z->s, left, right, eq.span);
}

/* True if there were any. */
static bool drop_from_constraints(Zeros *z)
{
    Factors f;
    uint32_t n = z->b->equations.n, *before = NEW_ARRAY(z->a, uint32_t, n + 1);
    if (!find_factors(z, &f)) return false;
    uint32_t matched = graph_match(&f.sound, f.column_of, f.row_of, z->a);
    reach(z, &f);
    if (matched == n || graph_match(&f.all, f.column_of, f.row_of, z->a) == matched) return false;
    uint8_t *used = NEW_ARRAY(z->a, uint8_t, z->s->vars.n + 1);
    memcpy(used, z->is_used, z->s->vars.n);
    memcpy(before, z->b->equations.at, n * sizeof *before);
    for (uint32_t i = 0; i < n; i++)
        if (f.is_reachable[i] && f.has_zero[i]) drop_from(z, i);
    if (dae_is_regular(z->b, z->a)) return true;
    memcpy(z->b->equations.at, before, n * sizeof *before);
    memcpy(z->is_used, used, z->s->vars.n);
    return false;
}

/* What made variables zero counts as used as well. */
static void use_of_variables(Zeros *z)
{
    System *s = z->s;
    for (uint32_t i = 0; i < z->b->equations.n; i++) {
        const DaeEq *eq = &s->eqs.at[z->b->equations.at[i]];
        for (uint32_t k = 0; k < eq->gradient.n; k++) {
            uint32_t v = eq->gradient.at[k].var;
            if (!z->is_used[v] || s->vars.at[v].role < ROLE_STATE) continue;
            walk(z, eq->left), use(z);
            walk(z, eq->right), use(z);
            break;
        }
    }
}

void dae_drop_zeros(Build *b)
{
    System *s = b->s;
    bool any = false;
    Arena *a = arena_part(s->arena);
    Zeros z = { .b = b, .s = s, .a = a, .values = dae_estimates(s, a) };
    z.is_zero = NEW_ARRAY(a, uint8_t, s->vars.n + 1);
    z.is_used = NEW_ARRAY(a, uint8_t, s->vars.n + 1);
    for (uint32_t v = 0; v < s->vars.n; v++) {
        const DaeVar *u = &s->vars.at[v];
        z.is_zero[v] = u->role <= ROLE_PARAMETER && u->type == BASE_REAL && v < s->known_n && s->is_sure[v] &&
                       z.values[v] == 0;
        any |= z.is_zero[v];
    }
    if (any) spread(&z);
    bool changed = false;
    for (uint32_t i = 0; i < b->equations.n && any; i++) {
        if (!has_zero_factor(&z, &s->eqs.at[b->equations.at[i]])) continue;
        drop_from(&z, i);
        changed = true;
    }
    if (changed) give_up_derivatives(&z);
    changed |= any && drop_from_constraints(&z);
    if (changed) {
        use_of_variables(&z);
        hold_parameters(&z);
    }
    arena_free(a);
}
