/* estimate.c: numbers for variables and expressions before there is code, so that passes can tell
 * large from small.
 *
 * In: sorted assignments of parameters, start values. Out: a number for each variable. Parameters
 * have those of their bindings; calls of functions in them are run on numbers where inline.c can.
 * Results of other calls, and variables and unknown parameters without a start value, get numbers
 * that are neither 0 nor round, so that nothing vanishes by chance; parameters that none of these
 * is in are marked. Cost: linear in the expressions, and that of the calls. Tests:
 * tests/api/language_test.c (Directions). */
#include "dae/inside.h"

double dae_any_number(uint32_t a, uint32_t b)
{
    uint64_t h = ((uint64_t)a << 32 | b) + UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ h >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    h = (h ^ h >> 27) * UINT64_C(0x94D049BB133111EB);
    return 0.1 + 1.9 * (double)((h ^ h >> 31) >> 11) * 0x1p-53;
}

double dae_evaluate_node(const SymNode *n, const double *a, const double *values, double time)
{
    switch (n->op) {
    case SYM_REAL: return n->real;
    case SYM_TIME: return time;
    case SYM_VAR:
    case SYM_PRE: return values[n->index];
    case SYM_PICK: return dae_any_number(n->index, n->arg[0]);
    default: return sym_compute((SymOp)n->op, a[0], a[1], a[2]);
    }
}

double dae_evaluate_at(SymPool *pool, Sym e, const double *values, double time)
{
    sym_walk(pool, e);
    ArenaMark mark = arena_mark(pool->arena);
    double *up = arena_alloc(pool->arena, pool->seen.n * sizeof *up);
    for (uint32_t i = 0; i < pool->seen.n; i++) {
        const SymNode *n = &pool->nodes.at[pool->seen.at[i]];
        double a[3] = { 0 };
        for (uint32_t k = 0; k < sym_arity((SymOp)n->op); k++) a[k] = up[pool->place[n->arg[k]]];
        up[i] = dae_evaluate_node(n, a, values, time);
    }
    double value = up[pool->seen.n - 1];
    arena_rewind(pool->arena, mark);
    return value;
}

double dae_evaluate(SymPool *pool, Sym e, const double *values)
{
    return dae_evaluate_at(pool, e, values, 0);
}

enum { DEEPEST_BINDING = 64 };

static double estimate(System *s, Sym e, Arena *scratch, int depth)
{
    SymPool *pool = s->pool;
    sym_walk(pool, e);
    VEC(uint32_t) vars = { 0 };
    for (uint32_t i = 0; i < pool->seen.n; i++)
        if (pool->nodes.at[pool->seen.at[i]].op == SYM_VAR)
            vec_push(scratch, &vars, pool->nodes.at[pool->seen.at[i]].index);
    double *values = NULL;
    if (vars.n) values = NEW_ARRAY(scratch, double, s->vars.n);
    for (uint32_t i = 0; i < vars.n && depth < DEEPEST_BINDING; i++) {
        const DaeVar *v = &s->vars.at[vars.at[i]];
        values[vars.at[i]] = estimate(s, v->binding != NONE ? v->binding : v->start, scratch, depth + 1);
    }
    return dae_evaluate(pool, e, values);
}

double dae_estimate(System *s, Sym e, Arena *scratch)
{
    double value;
    return sym_is_real(s->pool, e, &value) ? value : estimate(s, e, scratch, 0);
}

double *dae_estimates(System *s, Arena *scratch)
{
    double *values = NEW_ARRAY(scratch, double, s->vars.n + 1);
    if (s->known_n) memcpy(values, s->known, s->known_n * sizeof *values);
    for (uint32_t v = 0; v < s->vars.n; v++) {
        const DaeVar *u = &s->vars.at[v];
        if (u->role <= ROLE_PARAMETER) continue;
        values[v] = u->has_start ? dae_evaluate(s->pool, u->start, values) : dae_any_number(v, 0);
    }
    return values;
}

/* ---- parameters ------------------------------------------------------------------------------ */

typedef struct {
    Build *b;
    Map results; /* of calls: their place in `numbers` + 1; 0: cannot be run */
    VEC(double) numbers;
} Caller;

static double number_at(const Map *place, const double *up, Sym s)
{
    uint64_t i = 0;
    map_get(place, s, &i);
    return up[i];
}

/* The results of a call for the numbers of its arguments; NONE where it cannot be run. */
static uint32_t run_call(Caller *c, Sym call, const Map *place, const double *up)
{
    SymPool *pool = c->b->s->pool;
    const DaeFun *f = &pool->funs.at[pool->nodes.at[call].index];
    uint32_t n = 0, out_n = f->out_n, first = c->numbers.n;
    bool is_new, ok = true;
    uint64_t known = *map_put(&c->results, call, &is_new);
    if (!is_new) return known ? (uint32_t)known - 1 : NONE;
    double *args = NEW_ARRAY(c->b->scratch, double, f->in_n + 1);
    double *out = NEW_ARRAY(c->b->scratch, double, f->out_n + 1);
    for (Sym s = pool->nodes.at[call].arg[0]; pool->nodes.at[s].op == SYM_ARGS && n < f->in_n; n++) {
        Sym arg = pool->nodes.at[s].arg[0];
        ok &= pool->nodes.at[arg].op != SYM_TEXT;
        args[n] = number_at(place, up, arg);
        s = pool->nodes.at[s].arg[1];
    }
    if (!ok || n != f->in_n || !dae_run_call(c->b, f, args, out)) return NONE;
    for (uint32_t i = 0; i < out_n; i++) vec_push(c->b->scratch, &c->numbers, out[i]);
    *map_put(&c->results, call, &is_new) = first + 1;
    return first;
}

/* As dae_evaluate, but for calls. What was seen is kept apart, since running a call looks at other
 * expressions. */
static double evaluate_with_calls(Caller *c, Sym e, const double *values)
{
    Build *b = c->b;
    SymPool *pool = b->s->pool;
    sym_walk(pool, e);
    uint32_t n = pool->seen.n;
    Sym *seen = NEW_ARRAY(b->scratch, Sym, n);
    double *up = NEW_ARRAY(b->scratch, double, n);
    Map place = { .arena = b->scratch };
    memcpy(seen, pool->seen.at, n * sizeof *seen);
    for (uint32_t i = 0; i < n; i++) {
        bool is_new;
        SymNode node = pool->nodes.at[seen[i]];
        double a[3] = { 0 };
        *map_put(&place, seen[i], &is_new) = i;
        for (uint32_t k = 0; k < sym_arity((SymOp)node.op); k++) a[k] = number_at(&place, up, node.arg[k]);
        uint32_t first = node.op == SYM_PICK ? run_call(c, node.arg[0], &place, up) : NONE;
        up[i] = first != NONE ? c->numbers.at[first + node.index] : dae_evaluate_node(&node, a, values, 0);
    }
    return up[n - 1];
}

/* Whether nothing in it was made up. */
static bool is_sure(const Caller *c, Sym e)
{
    const System *s = c->b->s;
    SymPool *pool = s->pool;
    sym_walk(pool, e);
    for (uint32_t i = 0; i < pool->seen.n; i++) {
        const SymNode *n = sym_node(pool, pool->seen.at[i]);
        uint64_t result = 0;
        if (n->op == SYM_TIME || n->op == SYM_PRE || (n->op == SYM_VAR && !s->is_sure[n->index]))
            return false;
        if (n->op == SYM_PICK && !(map_get(&c->results, n->arg[0], &result) && result)) return false;
    }
    return true;
}

void dae_estimate_parameters(Build *b)
{
    System *s = b->s;
    Caller c = { .b = b, .results = { .arena = b->scratch } };
    s->known_n = s->vars.n;
    s->known = NEW_ARRAY(s->arena, double, s->vars.n + 1);
    s->is_sure = NEW_ARRAY(s->arena, uint8_t, s->vars.n + 1);
    for (uint32_t v = 0; v < s->vars.n; v++) {
        const DaeVar *u = &s->vars.at[v];
        double start = u->is_unknown_parameter && u->has_start ? dae_estimate(s, u->start, b->scratch) : 0;
        if (u->is_unknown_parameter) s->known[v] = start != 0 ? start : dae_any_number(v, 0);
    }
    for (uint32_t i = 0; i < s->parameters.assigns.n; i++) {
        const DaeAssign *p = &s->parameters.assigns.at[i];
        s->known[p->var] = sym_node(s->pool, p->value)->has_call ? evaluate_with_calls(&c, p->value, s->known)
                                                                 : dae_evaluate(s->pool, p->value, s->known);
        s->is_sure[p->var] = !s->vars.at[p->var].is_unknown_parameter && is_sure(&c, p->value);
    }
}
