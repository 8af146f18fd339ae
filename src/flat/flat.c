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

/* ---- counting ---- */

typedef struct {
    const Flat *flat;
    uint8_t *seen; /* by VarId: assigned in the body that is being counted */
    uint32_t n;
} Targets;

/* How many scalar variables an expression on the left of '=' or ':=' names for the first time. */
static void count_targets(Targets *t, ExprId id)
{
    const FlatExpr *e = &t->flat->exprs.at[id];
    if (e->kind == X_VAR && !t->seen[e->index]) {
        t->seen[e->index] = 1;
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

static uint32_t targets_of(const Flat *flat, uint32_t first, uint32_t n)
{
    Arena *scratch = arena_new();
    if (!scratch) return 0;
    Targets t = { flat, NEW_ARRAY(scratch, uint8_t, flat->vars.n + 1), 0 };
    count_body_targets(&t, first, n);
    arena_free(scratch);
    return t.n;
}

/* How many scalar equations `left = ...` stands for. Tuples and arrays are as deep as types are. */
static uint32_t count_scalars(const Flat *flat, ExprId left)
{
    const FlatExpr *e = &flat->exprs.at[left];
    if (e->kind != X_TUPLE && e->kind != X_ARRAY && e->kind != X_RECORD) return e->kind != X_OMITTED;
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n; i++) n += count_scalars(flat, flat->ids.at[e->first + i]);
    return n;
}

static uint32_t count_equation(const Flat *flat, StmtId id);

static uint32_t count_equations(const Flat *flat, const FlatBranch *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) n += count_equation(flat, flat->ids.at[b->first + i]);
    return n;
}

static uint32_t count_equation(const Flat *flat, StmtId id)
{
    const FlatStmt *s = &flat->stmts.at[id];
    if (s->kind == S_IF) return s->n ? count_equations(flat, &flat->branches.at[s->first]) : 0;
    if (s->kind == S_WHEN)
        return s->n ? targets_of(flat, flat->branches.at[s->first].first, flat->branches.at[s->first].n) : 0;
    if (s->kind != S_EQUAL) return 0;
    return count_scalars(flat, s->left);
}

FlatCount flat_count(const Flat *flat)
{
    FlatCount c = { 0 };
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
    for (uint32_t i = 0; i < flat->equations.n; i++)
        c.equations += count_equation(flat, flat->equations.at[i]);
    for (uint32_t i = 0; i < flat->algorithms.n; i++)
        if (!flat->algorithms.at[i].initial)
            c.equations += targets_of(flat, flat->algorithms.at[i].first, flat->algorithms.at[i].n);
    Arena *scratch = arena_new();
    if (!scratch) return c;
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
