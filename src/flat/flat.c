/* flat.c: building a flat model, and counting what is in it. Tests: tests/modelica. */
#include "flat/flat.h"

static const char *const builtins[] = {
#define X(id, text, kind) text,
    BUILTINS(X)
#undef X
};

const char *builtin_text(Builtin b) { return builtins[b]; }

const char *attribute_text(Attribute a)
{
    static const char *const texts[] = { "start", "fixed", "min", "max", "nominal", "stateSelect" };
    return texts[a];
}

bool flat_has_foreign_code(const Flat *flat)
{
    for (uint32_t i = 0; i < flat->functions.n; i++)
        if (flat->functions.at[i].libraries.n || flat->functions.at[i].include) return true;
    return false;
}

Flat *flat_new(Arena *arena, const char *name)
{
    Flat *flat = NEW(arena, Flat);
    flat->arena = arena;
    flat->name = name;
    flat->type_map.arena = arena;
    return flat;
}

static uint64_t type_hash(Base base, DefId def, uint32_t rank, const int32_t *sizes)
{
    uint64_t h = (uint64_t)base * 31 + def;
    for (uint32_t i = 0; i < rank; i++) h = (h ^ (uint64_t)(uint32_t)sizes[i]) * 1099511628211u + i + 1;
    return h;
}

static bool type_is(const FlatType *t, Base base, DefId def, uint32_t rank, const int32_t *sizes)
{
    return t->base == base && t->def == def && t->rank == rank &&
           (rank == 0 || !memcmp(t->sizes, sizes, rank * sizeof *sizes));
}

TypeId flat_type(Flat *flat, Base base, DefId def, uint32_t rank, const int32_t *sizes)
{
    bool is_new = true;
    uint64_t key = type_hash(base, def, rank, sizes), *at;
    for (; at = map_put(&flat->type_map, key, &is_new), !is_new; key++)
        if (type_is(&flat->types.at[*at], base, def, rank, sizes)) return (TypeId)*at;
    FlatType t = { base, def, rank, NULL };
    if (rank) t.sizes = memcpy(NEW_ARRAY(flat->arena, int32_t, rank), sizes, rank * sizeof *sizes);
    *at = flat->types.n;
    vec_push(flat->arena, &flat->types, t);
    return flat->types.n - 1;
}

uint32_t flat_list(Flat *flat, const uint32_t *items, uint32_t n)
{
    uint32_t first = flat->ids.n;
    for (uint32_t i = 0; i < n; i++) vec_push(flat->arena, &flat->ids, items[i]);
    return first;
}

ExprId flat_expr(Flat *flat, FlatExpr e, const ExprId *args, uint32_t n)
{
    e.n = n;
    e.first = flat_list(flat, args, n);
    vec_push(flat->arena, &flat->exprs, e);
    return flat->exprs.n - 1;
}

StmtId flat_stmt(Flat *flat, FlatStmt s, const FlatBranch *branches, uint32_t n)
{
    s.first = flat->branches.n;
    s.n = n;
    for (uint32_t i = 0; i < n; i++) vec_push(flat->arena, &flat->branches, branches[i]);
    vec_push(flat->arena, &flat->stmts, s);
    return flat->stmts.n - 1;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Counts the variables that a body determines; `seen` marks them by body, so that it need not be
 * cleared. */
typedef struct {
    const Flat *flat;
    uint32_t *seen; /* by VarId: the last body it was met in */
    uint32_t body, n;
} Targets;

static void count_targets(Targets *t, ExprId id)
{
    const FlatExpr *e = &t->flat->exprs.at[id];
    if (e->kind == X_VAR && t->seen[e->index] != t->body) {
        t->seen[e->index] = t->body;
        t->n++;
    }
    uint32_t deep = e->kind == X_SUBSCRIPT || e->kind == X_FIELD ? 1 : e->kind == X_VAR ? 0 : e->n;
    for (uint32_t i = 0; i < deep; i++) count_targets(t, t->flat->ids.at[e->first + i]);
}

static void count_body_targets(Targets *t, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const FlatStmt *s = &t->flat->stmts.at[t->flat->ids.at[first + i]];
        if (s->kind == S_ASSIGN || s->kind == S_EQUAL) count_targets(t, s->left);
        for (uint32_t k = 0; k < s->n; k++)
            count_body_targets(t, t->flat->branches.at[s->first + k].first,
                               t->flat->branches.at[s->first + k].n);
    }
}

static uint32_t targets_of(Targets *t, uint32_t first, uint32_t n)
{
    t->body++;
    t->n = 0;
    count_body_targets(t, first, n);
    return t->n;
}

/* How many scalar equations `left = ...` stands for. Tuples and arrays are as deep as types are. */
static uint32_t count_scalars(const Flat *flat, ExprId left)
{
    const FlatExpr *e = &flat->exprs.at[left];
    if (flat->types.at[e->type].base == BASE_OBJECT) return 0; /* it says which object is meant */
    if (e->kind != X_TUPLE && e->kind != X_ARRAY && e->kind != X_RECORD) return e->kind != X_OMITTED;
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n; i++) n += count_scalars(flat, flat->ids.at[e->first + i]);
    return n;
}

static uint32_t count_equation(Targets *t, StmtId id);

static uint32_t count_branch(Targets *t, const FlatBranch *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) n += count_equation(t, t->flat->ids.at[b->first + i]);
    return n;
}

static uint32_t count_equation(Targets *t, StmtId id)
{
    const FlatStmt *s = &t->flat->stmts.at[id];
    const FlatBranch *first = s->n ? &t->flat->branches.at[s->first] : NULL;
    if (s->kind == S_IF) return first ? count_branch(t, first) : 0;
    if (s->kind == S_WHEN) return first ? targets_of(t, first->first, first->n) : 0;
    return s->kind == S_EQUAL ? count_scalars(t->flat, s->left) : 0;
}

uint32_t flat_count_branch(const Flat *flat, const FlatBranch *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        const FlatStmt *s = &flat->stmts.at[flat->ids.at[b->first + i]];
        if (s->kind == S_EQUAL) n += count_scalars(flat, s->left);
        if (s->kind == S_IF && s->n) n += flat_count_branch(flat, &flat->branches.at[s->first]);
    }
    return n;
}

static uint32_t count_range(Targets *t, const FlatRange *range)
{
    const Flat *flat = t->flat;
    uint32_t n = 0;
    for (uint32_t i = range->equation; i < range->equation_end; i++)
        n += count_equation(t, flat->equations.at[i]);
    for (uint32_t i = range->algorithm; i < range->algorithm_end; i++)
        if (!flat->algorithms.at[i].initial)
            n += targets_of(t, flat->algorithms.at[i].first, flat->algorithms.at[i].n);
    return n;
}

uint32_t flat_count_range(const Flat *flat, const FlatRange *range, uint32_t *seen, uint32_t *bodies)
{
    Targets t = { flat, seen, *bodies, 0 };
    uint32_t n = count_range(&t, range);
    *bodies = t.body;
    return n;
}

FlatCount flat_count(const Flat *flat)
{
    FlatCount c = { 0 };
    Arena *scratch = arena_scratch();
    Targets t = { flat, NEW_ARRAY(scratch, uint32_t, flat->vars.n + 1), 0, 0 };
    for (uint32_t i = 0; i < flat->vars.n; i++) {
        const FlatVar *v = &flat->vars.at[i];
        Base base = flat->types.at[v->type].base;
        if (v->varies == VARIES_CONSTANT) c.constants++;
        if (v->varies == VARIES_PARAMETER) c.parameters++;
        if (v->varies <= VARIES_PARAMETER || base == BASE_OBJECT) continue;
        c.variables++;
        if (v->causes == CAUSES_INPUT) continue;
        c.unknowns++;
        c.equations += v->binding != NONE;
    }
    FlatRange all = { 0, flat->equations.n, 0, flat->algorithms.n };
    c.equations += count_range(&t, &all);
    uint8_t *state = NEW_ARRAY(scratch, uint8_t, flat->vars.n + 1);
    for (uint32_t i = 0; i < flat->exprs.n; i++) {
        const FlatExpr *e = &flat->exprs.at[i];
        if (e->kind != X_BUILTIN || e->op != BUILTIN_DER) continue;
        const FlatExpr *of = &flat->exprs.at[flat->ids.at[e->first]];
        if (of->kind == X_VAR && !state[of->index]++) c.states++;
    }
    arena_free(scratch);
    return c;
}

/* ---- use ------------------------------------------------------------------------------------- */

/* Marks the roots that statements use; arguments come before their expressions, so one loop down
 * marks the rest. */
static void mark_roots(const Flat *flat, uint8_t *live, const FlatStmt *s)
{
    ExprId roots[] = { s->left, s->right, s->level };
    for (size_t i = 0; i < COUNT_OF(roots); i++)
        if (roots[i] != NONE) live[roots[i]] = 1;
    for (uint32_t i = 0; i < s->n; i++) {
        const FlatBranch *b = &flat->branches.at[s->first + i];
        if (b->condition != NONE) live[b->condition] = 1;
    }
}

uint8_t *flat_used(const Flat *flat, Arena *arena)
{
    uint8_t *used = NEW_ARRAY(arena, uint8_t, flat->vars.n + 1),
            *live = NEW_ARRAY(arena, uint8_t, flat->exprs.n + 1);
    for (StmtId i = 0; i < flat->stmts.n; i++) mark_roots(flat, live, &flat->stmts.at[i]);
    for (VarId v = 0; v < flat->vars.n; v++) {
        if (flat->vars.at[v].binding == NONE) continue;
        live[flat->vars.at[v].binding] = 1;
        used[v] = FLAT_USED;
    }
    for (ExprId id = flat->exprs.n; id-- > 0;) {
        const FlatExpr *e = &flat->exprs.at[id];
        if (!live[id]) continue;
        if (e->kind == X_VAR) used[e->index] = FLAT_USED;
        for (uint32_t i = 0; i < e->n; i++) live[flat->ids.at[e->first + i]] = 1;
    }
    for (uint32_t i = 0; i < flat->equations.n; i++) {
        const FlatStmt *s = &flat->stmts.at[flat->equations.at[i]];
        const FlatExpr *left = s->kind == S_EQUAL ? &flat->exprs.at[s->left] : NULL;
        if (left && left->kind == X_VAR && !s->from_connect) used[left->index] = FLAT_SOLVED;
    }
    return used;
}
