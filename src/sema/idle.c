/* idle.c: inputs of components that nothing is connected to and no equation uses.
 *
 * In: a flat model with its connections as equations. Out: such inputs keep their start value, and
 * a warning names them. Libraries leave them over where a parameter chooses another source. How:
 * connected inputs are joined; where no member of a group is used or given by the text of the
 * model, one equation is missing. Always: no other variable depends on what is given here. Cost:
 * near-linear. Tests: tests/modelica/lenient.mo. */
#include "sema/inside.h"

enum { MOST_SHOWN = 5 };

typedef struct {
    Flattening *f;
    const uint8_t *used; /* by variable: by the text, connections apart */
    uint32_t *parent;    /* by variable: union-find of connected ones */
    uint8_t *is_busy;    /* at the root: some member is more than an idle input */
} Groups;

static bool is_idle(const Groups *g, VarId v)
{
    const FlatVar *var = &g->f->flat->vars.at[v];
    return var->flags & VAR_INPUT && var->causes != CAUSES_INPUT && var->binding == NONE && !g->used[v];
}

static uint32_t root_of(Groups *g, uint32_t v)
{
    while (g->parent[v] != v) v = g->parent[v] = g->parent[g->parent[v]];
    return v;
}

static void join_sets(Groups *g, uint32_t variables)
{
    const Flattening *f = g->f;
    for (uint32_t i = 0; i < 2 * variables; i++) {
        uint32_t first = f->set_first[i], end = f->set_first[i + 1];
        for (uint32_t k = first + 1; k < end; k++)
            g->parent[root_of(g, f->set_nodes[k] / 2)] = root_of(g, f->set_nodes[first] / 2);
    }
    for (uint32_t v = 0; v < variables; v++)
        if (!is_idle(g, v)) g->is_busy[root_of(g, v)] = 1;
}

/* Its start value, or zero. */
static ExprId value_of(Flat *flat, VarId v)
{
    const FlatVar *var = &flat->vars.at[v];
    if (var->attributes[ATTRIBUTE_START] != NONE) return var->attributes[ATTRIBUTE_START];
    Base base = flat->types.at[var->type].base;
    static const uint8_t kinds[] = {
        [BASE_REAL] = X_REAL, [BASE_INTEGER] = X_INTEGER, [BASE_BOOLEAN] = X_BOOLEAN
    };
    if (base > BASE_BOOLEAN) return NONE;
    return flat_expr(flat, (FlatExpr){ .kind = kinds[base], .type = var->type }, NULL, 0);
}

void settle_idle_inputs(Flattening *f, const uint8_t *used, uint32_t variables)
{
    Flat *flat = f->flat;
    Groups g = { f, used, NEW_ARRAY(f->s->arena, uint32_t, variables + 1),
                 NEW_ARRAY(f->s->arena, uint8_t, variables + 1) };
    uint32_t n = 0, first = NONE;
    Text names = { .arena = f->s->arena };
    for (uint32_t v = 0; v < variables; v++) g.parent[v] = v;
    join_sets(&g, variables);
    for (VarId v = 0; v < variables; v++) {
        if (root_of(&g, v) != v || g.is_busy[v] || flat->vars.at[v].varies <= VARIES_PARAMETER) continue;
        ExprId value = value_of(flat, v);
        if (value == NONE) continue;
        flat->vars.at[v].binding = value;
        if (first == NONE) first = v;
        if (n++ < MOST_SHOWN) text_printf(&names, "%s'%s'", n > 1 ? ", " : "", flat->vars.at[v].name);
    }
    if (!n) return;
    Note *note =
        sema_lenient(f->s, NULL, E_IDLE_INPUT, flat->vars.at[first].span,
                     "%u input%s of components %s used by no equation and connected to nothing: %s%s", n,
                     n == 1 ? "" : "s", n == 1 ? "is" : "are", names.at, n > MOST_SHOWN ? ", ..." : "");
    diag_hint(f->s->diag, note, "%s start value", n == 1 ? "it keeps its" : "each keeps its");
}
