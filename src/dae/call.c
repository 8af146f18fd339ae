/* call.c: calls of functions that stay calls at run time.
 *
 * In: the values of the arguments and the shape of the results. Out: results as picks of a
 * SYM_CALL, whose function is a DaeFun: the flat function for these shapes. Calls of pure functions
 * with equal arguments are one; an impure one is a function of its own at every call. Cost: linear
 * in the scalars. Tests: tests/api/language_test.c. */
#include "dae/inside.h"

/* ---- shapes ---------------------------------------------------------------------------------- */

static void shape_fields(Build *b, DaeShape *out, const FlatType *t, const Value *v);

static DaeShape shape_of(Build *b, TypeId type, const Value *v)
{
    Arena *arena = b->s->arena;
    const FlatType *t = &b->s->flat->types.at[type];
    DaeShape s = { .base = (uint8_t)t->base, .func = NONE, .rank = t->rank, .scalars = 1 };
    s.sizes = NEW_ARRAY(arena, uint32_t, t->rank + 1);
    uint32_t count = 1;
    for (uint32_t k = 0; k < t->rank; k++) {
        s.sizes[k] = v && v->is_list ? v->n : t->sizes[k] > 0 ? (uint32_t)t->sizes[k] : 0;
        count *= s.sizes[k];
        v = v && v->is_list && v->n ? v->items : NULL;
    }
    if (t->base == BASE_RECORD || t->base == BASE_FUNCTION) shape_fields(b, &s, t, v);
    s.scalars *= count;
    return s;
}

/* The fields of a record; the arguments that a function has bound. */
static void shape_fields(Build *b, DaeShape *out, const FlatType *t, const Value *v)
{
    const Flat *flat = b->s->flat;
    bool is_function = t->base == BASE_FUNCTION;
    if (is_function && !v) {
        out->scalars = 0;
        return;
    }
    out->n = is_function ? v->n : flat->defs.at[t->def].fields.n;
    out->fields = NEW_ARRAY(b->s->arena, DaeShape, out->n + 1);
    out->scalars = 0;
    if (is_function) out->func = v->func;
    for (uint32_t k = 0; k < out->n; k++) {
        if (is_function && v->items[k].is_open) {
            out->fields[k].is_open = true;
            continue;
        }
        TypeId inner = is_function ? flat->functions.at[v->func].locals.at[k].type
                                   : flat->defs.at[t->def].fields.at[k].type;
        out->fields[k] = shape_of(b, inner, v && k < v->n ? &v->items[k] : NULL);
        out->scalars += out->fields[k].scalars;
    }
}

static bool same_shape(const DaeShape *a, const DaeShape *c)
{
    if (a->base != c->base || a->func != c->func || a->rank != c->rank || a->n != c->n ||
        a->is_open != c->is_open || a->is_unused != c->is_unused || a->scalars != c->scalars)
        return false;
    for (uint32_t k = 0; k < a->rank; k++)
        if (a->sizes[k] != c->sizes[k]) return false;
    for (uint32_t k = 0; k < a->n; k++)
        if (!same_shape(&a->fields[k], &c->fields[k])) return false;
    return true;
}

/* Writes for each scalar whether it is Real; returns where the next one goes. */
static uint8_t *mark_real(const DaeShape *s, uint8_t *out)
{
    if (s->n || s->base == BASE_FUNCTION) {
        uint32_t inner = 0;
        for (uint32_t k = 0; k < s->n; k++) inner += s->fields[k].scalars;
        for (uint32_t i = 0; inner && i < s->scalars / inner; i++)
            for (uint32_t k = 0; k < s->n; k++) out = mark_real(&s->fields[k], out);
        return out;
    }
    memset(out, s->base == BASE_REAL, s->scalars);
    return out + s->scalars;
}

/* The base of scalar k. */
static uint8_t base_at(const DaeShape *s, uint32_t k)
{
    while (s->n || s->base == BASE_FUNCTION) {
        uint32_t inner = 0, f = 0;
        for (uint32_t i = 0; i < s->n; i++) inner += s->fields[i].scalars;
        if (!inner) break;
        for (k %= inner; k >= s->fields[f].scalars; f++) k -= s->fields[f].scalars;
        s = &s->fields[f];
    }
    return s->base;
}

uint8_t sym_pick_base(const SymPool *pool, const SymNode *pick)
{
    return sym_result_base(&pool->funs.at[pool->nodes.at[pick->arg[0]].index], pick->index);
}

uint8_t sym_result_base(const DaeFun *f, uint32_t k)
{
    if (f->order) return BASE_REAL;
    for (uint32_t i = f->inputs; i < f->inputs + f->outputs; i++) {
        if (k < f->shapes[i].scalars) return base_at(&f->shapes[i], k);
        k -= f->shapes[i].scalars;
    }
    return BASE_REAL;
}

/* ---- functions ------------------------------------------------------------------------------- */

static uint32_t find_fun(const SymPool *pool, const DaeFun *f)
{
    for (uint32_t i = 0; i < pool->funs.n; i++) {
        const DaeFun *g = &pool->funs.at[i];
        if (g->of != f->of || g->order || g->is_once) continue;
        bool same = true;
        for (uint32_t k = 0; k < f->inputs + f->outputs && same; k++)
            same = same_shape(&g->shapes[k], &f->shapes[k]);
        if (same) return i;
    }
    return NONE;
}

static uint32_t make_fun(Build *b, FuncId id, const Value *args, const Value *results)
{
    SymPool *pool = b->s->pool;
    const FlatFunction *of = &b->s->flat->functions.at[id];
    DaeFun f = {
        .of = id, .base = NONE, .der = NONE, .inputs = of->inputs, .outputs = of->outputs, .span = b->span
    };
    /* One that does not say what it calls is so where its value is asked for at events only. */
    f.is_once = of->impure || (of->calls_impure && (b->whens || b->at_parameters || b->at_start));
    f.shapes = NEW_ARRAY(b->s->arena, DaeShape, f.inputs + f.outputs + 1);
    for (uint32_t k = 0; k < f.inputs + f.outputs; k++) {
        const Value *v = k < f.inputs ? &args[k] : &results->items[k - f.inputs];
        f.shapes[k] = shape_of(b, of->locals.at[k].type, v->is_open ? NULL : v);
        f.shapes[k].is_unused = k >= f.inputs && v->is_open;
        *(k < f.inputs ? &f.in_n : &f.out_n) += f.shapes[k].scalars;
    }
    uint32_t found = f.is_once ? NONE : find_fun(pool, &f);
    if (found != NONE) return found;
    uint8_t *at = f.in_is_real = NEW_ARRAY(b->s->arena, uint8_t, f.in_n + 1);
    for (uint32_t k = 0; k < f.inputs; k++) at = mark_real(&f.shapes[k], at);
    at = f.out_is_real = NEW_ARRAY(b->s->arena, uint8_t, f.out_n + 1);
    for (uint32_t k = f.inputs; k < f.inputs + f.outputs; k++) at = mark_real(&f.shapes[k], at);
    vec_push(b->s->arena, &pool->funs, f);
    return pool->funs.n - 1;
}

static void flatten(Build *b, const Value *v, Syms *out)
{
    if (v->is_open) return;
    if (v->is_list || v->is_function)
        for (uint32_t i = 0; i < v->n; i++) flatten(b, &v->items[i], out);
    else
        vec_push(b->scratch, out, v->scalar);
}

static void pick(Build *b, Value *v, Sym call, uint32_t *next)
{
    if (v->is_open) return;
    if (v->is_list)
        for (uint32_t i = 0; i < v->n; i++) pick(b, &v->items[i], call, next);
    else
        v->scalar = sym_pick(b->s->pool, call, (*next)++);
}

Sym dae_call(Build *b, FuncId f, const Value *args, Value *results)
{
    Syms list = { 0 };
    uint32_t fun = make_fun(b, f, args, results), next = 0;
    for (uint32_t k = 0; k < b->s->flat->functions.at[f].inputs; k++) flatten(b, &args[k], &list);
    if (list.n != b->s->pool->funs.at[fun].in_n) {
        dae_not_yet(b, "a call with rows of different lengths");
        return SYM_ZERO;
    }
    Sym call = sym_call(b->s->pool, fun, sym_args(b->s->pool, list.at, list.n));
    pick(b, results, call, &next);
    return call;
}
