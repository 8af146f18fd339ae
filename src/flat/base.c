/* base.c: what of a flat model Base Modelica (MCP-0031) can say, and how.
 *
 * In: a flat model. Out: warnings of what it cannot, which is written as in full Modelica: external
 * objects, functions as values, and clocks, whose partitions are not written yet. Base Modelica has
 * no `final`: a final parameter whose value is known from the text is a constant, others are
 * parameters with their equation. Cost: O(nodes). Tests: tests/cli/base.sh. */
#include "flat/inside.h"

static bool is_known(const Flat *flat, ExprId id)
{
    const FlatExpr *e = &flat->exprs.at[id];
    if (e->kind == X_VAR) return base_is_constant(flat, e->index);
    if (e->kind == X_CALL || e->kind == X_TIME || e->kind == X_PARTIAL || e->kind == X_APPLY) return false;
    for (uint32_t i = 0; i < e->n; i++)
        if (!is_known(flat, flat->ids.at[e->first + i])) return false;
    return true;
}

bool base_is_constant(const Flat *flat, VarId id)
{
    const FlatVar *v = &flat->vars.at[id];
    if (v->varies == VARIES_CONSTANT) return true;
    bool is_final = v->varies == VARIES_PARAMETER && v->flags & (VAR_FINAL | VAR_STRUCTURAL);
    return is_final && v->binding != NONE && is_known(flat, v->binding);
}

bool base_takes_field(const Flat *flat, const FlatExpr *e)
{
    if (e->kind != X_FIELD) return false;
    const FlatExpr *of = &flat->exprs.at[flat->ids.at[e->first]];
    const FlatType *t = &flat->types.at[of->type];
    return t->base == BASE_RECORD && !t->rank && !flat_is_reference(flat, of);
}

static bool is_clocked(Builtin b)
{
    const char *name = builtin_text(b);
    static const char *const names[] = { "Clock",      "hold",    "subSample", "superSample", "shiftSample",
                                         "backSample", "noClock", "previous",  "interval",    "firstTick" };
    for (size_t k = 0; k < COUNT_OF(names); k++)
        if (!strcmp(name, names[k])) return true;
    return false;
}

static void warn(Diag *diag, Span span, const char *what)
{
    diag_add(diag, W_BASE_MODELICA, span,
             "%s are written as in full Modelica: other tools may not read them in Base Modelica", what);
}

static bool has_clocks(const Flat *flat)
{
    for (uint32_t i = 0; i < flat->exprs.n; i++) {
        const FlatExpr *e = &flat->exprs.at[i];
        if (flat->types.at[e->type].base == BASE_CLOCK) return true;
        if (e->kind == X_BUILTIN && is_clocked((Builtin)e->op)) return true;
    }
    return false;
}

void flat_check_base(const Flat *flat, Diag *diag)
{
    bool objects = false, values = false;
    for (uint32_t i = 0; i < flat->defs.n; i++) objects |= flat->defs.at[i].base == BASE_OBJECT;
    for (uint32_t i = 0; i < flat->functions.n; i++) values |= flat->functions.at[i].partial;
    if (objects) warn(diag, flat->span, "external objects");
    if (values) warn(diag, flat->span, "functions that are values");
    if (has_clocks(flat)) warn(diag, flat->span, "clocked equations");
}
