/* share.c: functions that came out equal become one.
 *
 * In: a flat model in which a function of a redeclared package was emitted for each component that
 * redeclares it. Out: one function for each different one, calls and annotations pointing to it.
 * How: partition refinement: functions of the same class start as equal, and are told apart by what
 * they say and by which kinds of functions they call, until nothing changes; so functions that name
 * each other, as a function and its inverse do, are found equal too. Always: the first of equal
 * ones stays, with its name. Cost: O(size of functions) a round, a few rounds. Tests:
 * tests/modelica/redeclare.mo. */
#include "flat/flat.h"

typedef VEC(uint64_t) Words;
typedef VEC(Words) WordsList;

typedef struct {
    Flat *flat;
    Arena *scratch;
    uint32_t *kind; /* by FuncId: functions of one kind seem equal so far */
    Words words;    /* what one function says */
} Sharing;

static void put(Sharing *x, uint64_t word) { vec_push(x->scratch, &x->words, word); }

static void put_text(Sharing *x, const char *text, size_t n)
{
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < n; i++) h = (h ^ (uint8_t)text[i]) * 1099511628211u;
    put(x, h);
    put(x, n);
}

static void put_type(Sharing *x, TypeId id)
{
    const FlatType *t = &x->flat->types.at[id];
    if (t->base != BASE_FUNCTION) {
        put(x, id);
        return;
    }
    put(x, (uint64_t)1 << 40 | x->kind[t->def]);
    put(x, t->rank);
    for (uint32_t i = 0; i < t->rank; i++) put(x, (uint32_t)t->sizes[i]);
}

static void put_expr(Sharing *x, ExprId id)
{
    if (id == NONE) {
        put(x, NONE);
        return;
    }
    const FlatExpr *e = &x->flat->exprs.at[id];
    put(x, (uint64_t)e->kind << 32 | (uint64_t)e->op << 40 | e->n);
    put_type(x, e->type);
    uint64_t bits = 0;
    if (e->kind == X_STRING)
        put_text(x, e->text.at, e->text.n);
    else if (e->kind == X_REAL)
        memcpy(&bits, &e->real, sizeof bits);
    else if (e->kind == X_INTEGER || e->kind == X_BOOLEAN || e->kind == X_ENUM)
        bits = (uint64_t)e->integer;
    else
        bits = e->kind == X_CALL || e->kind == X_PARTIAL ? x->kind[e->index] : e->index;
    put(x, bits);
    for (uint32_t i = 0; i < e->n; i++) put_expr(x, x->flat->ids.at[e->first + i]);
}

static void put_exprs(Sharing *x, uint32_t first, uint32_t n)
{
    put(x, n);
    for (uint32_t i = 0; i < n; i++) put_expr(x, x->flat->ids.at[first + i]);
}

static void put_body(Sharing *x, uint32_t first, uint32_t n)
{
    put(x, n);
    for (uint32_t i = 0; i < n; i++) {
        const FlatStmt *s = &x->flat->stmts.at[x->flat->ids.at[first + i]];
        put(x, (uint64_t)s->kind << 32 | s->index);
        put_expr(x, s->left);
        put_expr(x, s->right);
        put_expr(x, s->level);
        put(x, s->n);
        for (uint32_t k = 0; k < s->n; k++) {
            const FlatBranch *b = &x->flat->branches.at[s->first + k];
            put_expr(x, b->condition);
            put_body(x, b->first, b->n);
        }
    }
}

static void put_ids(Sharing *x, uint32_t first, uint32_t n)
{
    put(x, n);
    for (uint32_t i = 0; i < n; i++) put(x, x->flat->ids.at[first + i]);
}

static void put_notes(Sharing *x, const FlatFunction *f)
{
    put(x, (uint64_t)f->inlining | (uint64_t)f->generates_events << 8 |
               (uint64_t)(uint32_t)f->smooth_order << 32);
    put(x, f->derivatives.n);
    for (uint32_t i = 0; i < f->derivatives.n; i++) {
        const FlatDerivative *d = &f->derivatives.at[i];
        put(x, (uint64_t)x->kind[d->function] << 32 | d->order);
        put_ids(x, d->zero_first, d->zero_n);
        put_ids(x, d->none_first, d->none_n);
    }
    put(x, f->inverses.n);
    for (uint32_t i = 0; i < f->inverses.n; i++) {
        put(x, f->inverses.at[i].input);
        put_expr(x, f->inverses.at[i].call);
    }
}

static void put_function(Sharing *x, FuncId id)
{
    const FlatFunction *f = &x->flat->functions.at[id];
    x->words.n = 0;
    put(x, x->kind[id]);
    put(x, (uint64_t)f->inputs << 32 | f->outputs);
    put(x, (uint64_t)f->impure | (uint64_t)f->external << 1);
    put(x, f->locals.n);
    for (uint32_t i = 0; i < f->locals.n; i++) {
        const FlatLocal *l = &f->locals.at[i];
        put_text(x, l->name, strlen(l->name));
        put_type(x, l->type);
        put(x, l->role);
        put_expr(x, l->binding);
        uint32_t rank = x->flat->types.at[l->type].rank;
        if (l->sizes_first != NONE) put_exprs(x, l->sizes_first, rank);
    }
    put_body(x, f->first, f->n);
    put(x, f->by.n ? (uint64_t)x->kind[f->of] << 32 | f->by.n : 0);
    for (uint32_t i = 0; i < f->by.n; i++) put(x, f->by.at[i]);
    if (f->external) {
        put_text(x, f->language.at, f->language.n);
        put_text(x, f->symbol, strlen(f->symbol));
        put_expr(x, f->result);
        put_exprs(x, f->args_first, f->args_n);
        if (f->include) put_text(x, f->include, strlen(f->include));
    }
    put_notes(x, f);
}

/* The number of the kind of function that these words stand for, among those of this round. */
static uint32_t kind_of_words(Sharing *x, Map *seen, WordsList *kept)
{
    uint64_t h = 0x9E3779B97F4A7C15u;
    for (uint32_t i = 0; i < x->words.n; i++) h = (h ^ x->words.at[i]) * 0xBF58476D1CE4E5B9u ^ h >> 31;
    for (bool is_new;; h++) {
        uint64_t *at = map_put(seen, h, &is_new);
        if (is_new) {
            Words copy = { 0 };
            for (uint32_t i = 0; i < x->words.n; i++) vec_push(x->scratch, &copy, x->words.at[i]);
            *at = kept->n;
            vec_push(x->scratch, kept, copy);
            return kept->n - 1;
        }
        const Words *other = &kept->at[*at];
        if (other->n == x->words.n && !memcmp(other->at, x->words.at, other->n * sizeof(uint64_t)))
            return (uint32_t)*at;
    }
}

/* One round; how many kinds there are. */
static uint32_t refine(Sharing *x)
{
    uint32_t n = x->flat->functions.n, *next = NEW_ARRAY(x->scratch, uint32_t, n + 1);
    Map seen = { .arena = x->scratch };
    WordsList kept = { 0 };
    for (FuncId id = 0; id < n; id++) {
        put_function(x, id);
        next[id] = kind_of_words(x, &seen, &kept);
    }
    x->kind = next;
    return kept.n;
}

static uint32_t kinds_by_name(Sharing *x)
{
    Map seen = { .arena = x->scratch };
    uint32_t kinds = 0;
    for (FuncId id = 0; id < x->flat->functions.n; id++) {
        const char *name = x->flat->functions.at[id].name;
        uint64_t h = 1469598103934665603u;
        for (; *name && *name != '#'; name++) h = (h ^ (uint8_t)*name) * 1099511628211u;
        bool is_new;
        uint64_t *at = map_put(&seen, h, &is_new);
        if (is_new) *at = kinds++;
        x->kind[id] = (uint32_t)*at;
    }
    return kinds;
}

/* Keeps the first function of each kind. */
static void merge(Sharing *x, uint32_t kinds)
{
    Flat *flat = x->flat;
    FuncId *to = NEW_ARRAY(x->scratch, FuncId, kinds + 1), kept = 0;
    for (uint32_t i = 0; i < kinds; i++) to[i] = NONE;
    for (FuncId id = 0; id < flat->functions.n; id++) {
        if (to[x->kind[id]] != NONE) continue;
        to[x->kind[id]] = kept;
        flat->functions.at[kept++] = flat->functions.at[id];
    }
    flat->functions.n = kept;
    for (ExprId id = 0; id < flat->exprs.n; id++) {
        FlatExpr *e = &flat->exprs.at[id];
        if (e->kind == X_CALL || e->kind == X_PARTIAL) e->index = to[x->kind[e->index]];
    }
    for (TypeId id = 0; id < flat->types.n; id++)
        if (flat->types.at[id].base == BASE_FUNCTION)
            flat->types.at[id].def = to[x->kind[flat->types.at[id].def]];
    for (DefId id = 0; id < flat->defs.n; id++)
        if (flat->defs.at[id].base == BASE_OBJECT && flat->defs.at[id].destructor != NONE)
            flat->defs.at[id].destructor = to[x->kind[flat->defs.at[id].destructor]];
    for (FuncId id = 0; id < kept; id++) {
        FlatFunction *f = &flat->functions.at[id];
        if (f->by.n) f->of = to[x->kind[f->of]];
        for (uint32_t i = 0; i < f->derivatives.n; i++)
            f->derivatives.at[i].function = to[x->kind[f->derivatives.at[i].function]];
    }
}

void flat_share_functions(Flat *flat)
{
    Arena *scratch = arena_new();
    if (!scratch || !flat->functions.n) {
        if (scratch) arena_free(scratch);
        return;
    }
    jmp_buf *outer = flat->arena->escape;
    scratch->escape = outer;
    Sharing x = { .flat = flat, .scratch = scratch, .kind = NEW_ARRAY(scratch, uint32_t, flat->functions.n) };
    uint32_t kinds = kinds_by_name(&x), before = 0;
    while (kinds != before && kinds < flat->functions.n) {
        before = kinds;
        kinds = refine(&x);
    }
    if (kinds < flat->functions.n) merge(&x, kinds);
    arena_free(scratch);
}
