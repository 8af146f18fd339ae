/* dae.c: a flat model becomes a System, pass by pass.
 *
 * Tests: tests/dae, and tests/gen for what comes out when it runs. */
#include "dae/inside.h"

#include <assert.h>

uint32_t dae_add_var(System *s, DaeVar v)
{
    vec_push(s->arena, &s->vars, v);
    return s->vars.n - 1;
}

uint32_t dae_add_eq(System *s, Sym left, Sym right, Span span)
{
    DaeEq eq = { .left = left, .right = right, .der = NONE, .der_of = NONE, .blend = NONE, .span = span };
    eq.gradient = sym_gradient(s->pool, sym_two(s->pool, SYM_SUB, left, right), false);
    vec_push(s->arena, &s->eqs, eq);
    return s->eqs.n - 1;
}

uint32_t dae_der(System *s, uint32_t var)
{
    if (s->vars.at[var].der != NONE) return s->vars.at[var].der;
    const DaeVar *of = &s->vars.at[var];
    DaeVar v = { .name = arena_printf(s->arena, "der(%s)", of->name),
                 .flat = NONE,
                 .role = ROLE_ALGEBRAIC,
                 .type = BASE_REAL,
                 .select = of->select,
                 .der = NONE,
                 .der_of = var,
                 .state = NONE,
                 .start = SYM_ZERO,
                 .nominal = of->nominal,
                 .binding = NONE,
                 .span = of->span };
    uint32_t made = dae_add_var(s, v);
    s->vars.at[var].der = made;
    return made;
}

Span dae_user_place(const System *s, uint32_t var)
{
    uint32_t own = s->vars.at[var].der_of == NONE ? var : s->vars.at[var].der_of;
    if (s->vars.at[own].flat == NONE) return (Span){ 0 };
    const FlatVar *v = &s->flat->vars.at[s->vars.at[own].flat];
    return v->top.at == v->span.at ? (Span){ 0 } : v->top;
}

Span dae_place(const System *s, uint32_t var)
{
    Span user = dae_user_place(s, var);
    return user.n ? user : s->vars.at[var].span;
}

static bool is_at_home(const System *s, Span span)
{
    Span home = s->flat->home;
    return span.n && span.at >= home.at && span.at < home.at + home.n;
}

Span dae_equation_place(const System *s, uint32_t eq)
{
    const DaeEq *e = &s->eqs.at[eq];
    bool is_own = is_at_home(s, e->span) || !s->flat->home.n;
    for (uint32_t k = 0; k < e->gradient.n; k++) {
        uint32_t var = e->gradient.at[k].var & ~PARTIAL_PRE;
        Span user = var < s->vars.n ? dae_user_place(s, var) : (Span){ 0 };
        /* made of connections: its place is a declaration in a connector */
        bool is_connection = user.n && s->vars.at[var].span.at == e->span.at;
        if (is_at_home(s, user) && (!is_own || is_connection)) return user;
    }
    return e->span;
}

Span dae_definition(const System *s, uint32_t var)
{
    const Flat *f = s->flat;
    for (uint32_t k = 0; k < f->stmts.n; k++) {
        const FlatStmt *st = &f->stmts.at[k];
        bool gives = (st->kind == S_EQUAL || st->kind == S_ASSIGN) && !st->from_connect && st->left != NONE;
        const FlatExpr *left = gives ? &f->exprs.at[st->left] : NULL;
        if (left && left->kind == X_VAR && s->alias[left->index].var == var) return st->span;
    }
    return s->vars.at[var].span;
}

bool dae_is_potential(const System *s, uint32_t var)
{
    const DaeVar *v = &s->vars.at[var];
    if (v->flat == NONE || v->type != BASE_REAL) return false;
    return (s->flat->vars.at[v->flat].flags & (VAR_CONNECTOR | VAR_FLOW)) == VAR_CONNECTOR;
}

Gradient dae_gradient(System *system, Sym s)
{
    SymPool *pool = system->pool;
    bool is_new;
    pool->gradients.arena = pool->arena;
    uint64_t *place = map_put(&pool->gradients, s, &is_new);
    if (!is_new) return pool->made.at[*place];
    *place = pool->made.n;
    Gradient g = sym_gradient(pool, s, false);
    vec_push(pool->arena, &pool->made, g);
    return g;
}

Gradient dae_gradient_wide(System *system, Sym s) { return sym_gradient(system->pool, s, true); }
Gradient dae_difference_gradient(System *system, Sym left, Sym right)
{
    return dae_gradient_wide(system, sym_two(system->pool, SYM_SUB, left, right));
}

/* ---- parameters, discrete variables ---------------------------------------------------------- */

bool dae_reads_unknown_parameter(System *s, Sym e)
{
    if (!s->has_unknown_parameters) return false;
    sym_walk(s->pool, e);
    for (uint32_t i = 0; i < s->pool->seen.n; i++) {
        const SymNode *n = sym_node(s->pool, s->pool->seen.at[i]);
        if (n->op == SYM_VAR && s->vars.at[n->index].is_unknown_parameter) return true;
    }
    return false;
}

/* The value that an expression gives, unless another one was set from outside. */
Sym dae_unless_set(System *s, uint32_t var, Sym value)
{
    return sym_if(s->pool, sym_leaf(s->pool, SYM_IS_SET, var), sym_leaf(s->pool, SYM_PRE, var), value);
}

/* A parameter that is computed from unknown ones is unknown, too; what it is is an initial
 * equation. Texts are no unknowns of equations: they are computed like discrete variables. */
static bool make_unknown(Build *b, uint32_t v)
{
    System *s = b->s;
    DaeVar *u = &s->vars.at[v];
    if (u->type == BASE_OBJECT) {
        diag_add(b->diag, E_NOT_YET, u->span,
                 "an external object made from a parameter that initial equations determine cannot be "
                 "translated yet");
        b->failed = true;
        return false;
    }
    Sym binding = dae_unless_set(s, v, u->binding);
    u->binding = NONE;
    u->has_start = false; /* those that it is computed from have */
    u->is_unknown_parameter = true;
    if (u->type == BASE_STRING) {
        vec_push(s->arena, &s->discrete_initial, ((DaeAssign){ v, NONE, binding }));
        return true;
    }
    uint32_t eq = dae_add_eq(s, sym_leaf(s->pool, SYM_VAR, v), binding, u->span);
    vec_push(b->scratch, &b->initial_equations, eq);
    return true;
}

static void spread_unknown_parameters(Build *b)
{
    System *s = b->s;
    bool again = false;
    for (uint32_t v = 0; v < s->vars.n && !again; v++) again = s->vars.at[v].is_unknown_parameter;
    s->has_unknown_parameters = again;
    while (again) {
        again = false;
        for (uint32_t v = 0; v < s->vars.n && !b->failed; v++) {
            const DaeVar *u = &s->vars.at[v];
            if (u->role != ROLE_PARAMETER || u->binding == NONE || u->is_unknown_parameter) continue;
            if (dae_reads_unknown_parameter(s, u->binding)) again |= make_unknown(b, v);
        }
    }
}

/* Discrete variables whose start values wait for unknown parameters. */
static void start_discrete_late(Build *b)
{
    System *s = b->s;
    if (!s->has_unknown_parameters) return;
    uint8_t *is_given = NEW_ARRAY(b->scratch, uint8_t, s->vars.n + 1);
    for (uint32_t k = 0; k < s->discrete_initial.n; k++) is_given[s->discrete_initial.at[k].var] = 1;
    for (uint32_t v = 0; v < s->vars.n; v++) {
        const DaeVar *u = &s->vars.at[v];
        if (u->role != ROLE_DISCRETE || is_given[v] || !dae_reads_unknown_parameter(s, u->start)) continue;
        vec_push(s->arena, &s->discrete_initial, ((DaeAssign){ v, NONE, dae_unless_set(s, v, u->start) }));
    }
}

static bool sort_parameters(Build *b)
{
    System *s = b->s;
    spread_unknown_parameters(b);
    if (b->failed) return false;
    start_discrete_late(b);
    for (uint32_t v = 0; v < s->vars.n; v++) {
        const DaeVar *u = &s->vars.at[v];
        if (u->role > ROLE_PARAMETER || u->binding == NONE) continue;
        DaeAssign assign = { v, NONE, u->binding };
        vec_push(s->arena, &s->parameters.assigns, assign);
    }
    return dae_sort_assigns(b, s->parameters.assigns.at, s->parameters.assigns.n);
}

static bool sort_discrete(Build *b)
{
    System *s = b->s;
    bool ok = true;
    dae_join_discrete(b, NULL);
    for (uint32_t v = 0; v < s->vars.n; v++) {
        if (s->vars.at[v].role != ROLE_DISCRETE || s->vars.at[v].is_given ||
            s->vars.at[v].type == BASE_STRING)
            continue;
        diag_add(b->diag, E_SINGULAR, s->vars.at[v].span, "nothing determines '%s'", s->vars.at[v].name);
        ok = false;
    }
    return ok && dae_sort_assigns(b, s->discrete.at, s->discrete.n);
}

/* ---- what is computed when ------------------------------------------------------------------- */

bool dae_is_constant(System *s, Sym e, const uint8_t *is_constant)
{
    sym_walk(s->pool, e);
    for (uint32_t i = 0; i < s->pool->seen.n; i++) {
        const SymNode *n = sym_node(s->pool, s->pool->seen.at[i]);
        if (n->op >= SYM_TIME && n->op <= SYM_TERMINAL) return false;
        if (n->op == SYM_HISTORY || n->op == SYM_HISTORY_SLOPE) return false;
        if (n->op == SYM_VAR && s->vars.at[n->index].role > ROLE_PARAMETER && !is_constant[n->index])
            return false;
    }
    return true;
}

static void mark_constant(System *s, Sequence *q, Arena *scratch)
{
    uint8_t *is_constant = NEW_ARRAY(scratch, uint8_t, s->vars.n + 1);
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        DaeBlock *block = &q->blocks.at[k];
        if (block->kind != BLOCK_ASSIGN) continue;
        const DaeAssign *a = &q->assigns.at[block->first];
        if (s->vars.at[a->var].role == ROLE_DERIVATIVE || !dae_is_constant(s, a->value, is_constant))
            continue;
        is_constant[a->var] = 1;
        block->flags |= BLOCK_CONSTANT;
    }
}

uint8_t *dae_constants(const System *s, Arena *arena)
{
    const Sequence *q = &s->continuous;
    uint8_t *is_constant = NEW_ARRAY(arena, uint8_t, s->vars.n + 1);
    for (uint32_t k = 0; k < q->blocks.n; k++)
        if (q->blocks.at[k].flags & BLOCK_CONSTANT) is_constant[q->assigns.at[q->blocks.at[k].first].var] = 1;
    return is_constant;
}

bool dae_reads_computed(System *s, Sym e, const uint8_t *is_constant)
{
    sym_walk_variables(s->pool, e);
    for (uint32_t i = 0; i < s->pool->seen.n; i++) {
        uint32_t v = sym_node(s->pool, s->pool->seen.at[i])->index;
        if (s->vars.at[v].role > ROLE_STATE && !is_constant[v]) return true;
    }
    return false;
}

static void want(System *s, Sym e, uint8_t *is_wanted)
{
    sym_walk_variables(s->pool, e);
    for (uint32_t i = 0; i < s->pool->seen.n; i++)
        is_wanted[sym_node(s->pool, s->pool->seen.at[i])->index] = 1;
}

static void mark_for_derivatives(System *s, Sequence *q, Arena *scratch)
{
    uint8_t *is_wanted = NEW_ARRAY(scratch, uint8_t, s->vars.n + 1);
    for (uint32_t i = 0; i < s->states.n; i++) is_wanted[s->vars.at[s->states.at[i]].der] = 1;
    for (uint32_t k = q->blocks.n; k-- > 0;) {
        DaeBlock *block = &q->blocks.at[k];
        bool wanted = false;
        for (uint32_t i = 0; i < block->n; i++) wanted |= is_wanted[q->assigns.at[block->first + i].var];
        for (uint32_t i = 0; i < block->tear_n; i++) wanted |= is_wanted[q->tears.at[block->tear_first + i]];
        if (!wanted) continue;
        block->flags |= BLOCK_FOR_DERIVATIVES;
        for (uint32_t i = 0; i < block->n; i++) want(s, q->assigns.at[block->first + i].value, is_wanted);
        for (uint32_t i = 0; i < block->tear_n; i++) {
            const DaeEq *eq = &s->eqs.at[q->residuals.at[block->tear_first + i]];
            want(s, eq->left, is_wanted);
            want(s, eq->right, is_wanted);
        }
    }
}

/* Whether an expression changes at events only, given which continuous variables do. */
static bool holds_between_events(System *s, Sym e, const uint8_t *holds)
{
    sym_walk(s->pool, e);
    for (uint32_t i = 0; i < s->pool->seen.n; i++) {
        const SymNode *n = sym_node(s->pool, s->pool->seen.at[i]);
        if (n->op == SYM_TIME || n->op == SYM_HISTORY || n->op == SYM_HISTORY_SLOPE) return false;
        if (n->op != SYM_VAR) continue;
        uint8_t role = s->vars.at[n->index].role;
        if (role == ROLE_INPUT || (role > ROLE_DISCRETE && !holds[n->index])) return false;
    }
    return true;
}

/* Signals with a history that change at events only, by way of other variables too: they need no
 * short steps. */
static void mark_histories(System *s, const Sequence *q, Arena *scratch)
{
    if (!s->histories.n) return;
    uint8_t *holds = NEW_ARRAY(scratch, uint8_t, s->vars.n + 1);
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeAssign *a = &q->assigns.at[q->blocks.at[k].first];
        if (q->blocks.at[k].kind != BLOCK_ASSIGN || s->vars.at[a->var].role == ROLE_DERIVATIVE) continue;
        holds[a->var] = holds_between_events(s, a->value, holds);
    }
    for (uint32_t k = 0; k < s->histories.n; k++) {
        DaeHistory *h = &s->histories.at[k];
        h->is_discrete =
            holds_between_events(s, h->value, holds) && holds_between_events(s, h->low_value, holds);
    }
}

static void count_blocks(System *s)
{
    const Sequence *q = &s->continuous;
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        const DaeBlock *block = &q->blocks.at[k];
        uint32_t size = block->n + block->tear_n;
        s->stats.blocks += size > 1;
        if (size > s->stats.largest) s->stats.largest = size;
        s->stats.torn += block->tear_n;
        s->stats.linear += block->kind == BLOCK_LINEAR;
        s->stats.nonlinear += block->kind == BLOCK_NONLINEAR;
    }
}

static bool sort_continuous(Build *b)
{
    System *s = b->s;
    uint8_t *is_unknown = NEW_ARRAY(b->scratch, uint8_t, s->vars.n + 1);
    for (uint32_t v = 0; v < s->vars.n; v++)
        is_unknown[v] = s->vars.at[v].role == ROLE_DERIVATIVE || s->vars.at[v].role == ROLE_ALGEBRAIC;
    if (!dae_sort(b, b->equations.at, b->equations.n, is_unknown, &s->continuous, "")) return false;
    uint32_t before = s->discrete.n;
    dae_join_discrete(b, &s->continuous);
    if (s->discrete.n != before) {
        s->continuous = (Sequence){ 0 };
        return sort_continuous(b);
    }
    mark_constant(s, &s->continuous, b->scratch);
    mark_for_derivatives(s, &s->continuous, b->scratch);
    mark_histories(s, &s->continuous, b->scratch);
    count_blocks(s);
    return true;
}

static bool build(Build *b)
{
    dae_find_discrete(b);
    dae_find_aliases(b);
    if (!dae_intake(b) || !dae_check_divisors(b) || !sort_parameters(b) || !sort_discrete(b)) return false;
    dae_estimate_parameters(b);
    dae_join_semilinear(b);
    dae_drop_zeros(b);
    dae_show_combinations(b);
    return dae_reduce_index(b) && sort_continuous(b) && dae_check_rank(b) && dae_initial(b);
}

System *dae_build(const Flat *flat, Arena *arena, Diag *diag)
{
    Arena *scratch = arena_part(arena);
    System *s = NEW(arena, System);
    s->arena = arena;
    s->pool = sym_pool_new(arena);
    Build b = { .s = s, .scratch = scratch, .diag = diag, .round = 1, .rounds = 1 };
    s->flat = flat = dae_outline_loops(&b, flat);
    b.relations.arena = scratch;
    b.is_discrete = NEW_ARRAY(scratch, uint8_t, flat->vars.n + 1);
    b.is_alias_binding = NEW_ARRAY(scratch, uint8_t, flat->vars.n + 1);
    b.is_alias_eq = NEW_ARRAY(scratch, uint8_t, flat->stmts.n + 1);
    b.given_at = NEW_ARRAY(scratch, Span, flat->vars.n + 1);
    b.value = NEW_ARRAY(scratch, Sym, flat->vars.n + 1);
    memset(b.value, 0xff, flat->vars.n * sizeof *b.value);
    for (int k = 0; k < 2; k++) {
        b.memo[k] = NEW_ARRAY(scratch, Sym, flat->exprs.n + 1);
        b.memo_round[k] = NEW_ARRAY(scratch, uint32_t, flat->exprs.n + 1);
    }
    bool ok = build(&b);
    assert(!ok || !dae_verify(s));
    arena_free(scratch);
    return ok ? s : NULL;
}
