/* objects.c: external objects that connections and equations pass on.
 *
 * In: a flat model; libraries have objects in connectors, made in one component and used in
 * others. Out: an object without a declaration of its own value is bound to the one that it is
 * equal to; the equations that said so are gone. How: such equations and connections are edges, and
 * each object that is made gives itself to all that it reaches. Always: what is left without an
 * object, or has two, is reported. Cost: near-linear. Tests: tests/modelica/objects.mo. */
#include "sema/inside.h"

typedef struct {
    Flattening *f;
    VarId *parent; /* by variable: union-find */
    VarId *owner;  /* at the root: the object that is made; NONE */
} Objects;

static bool is_object(const Flat *flat, VarId v)
{
    return flat->types.at[flat->vars.at[v].type].base == BASE_OBJECT;
}

static VarId root_of(Objects *o, VarId v)
{
    while (o->parent[v] != v) v = o->parent[v] = o->parent[o->parent[v]];
    return v;
}

/* Whether an equation is between objects, one by one or array by array; joins them. */
static bool join_sides(Objects *o, ExprId left, ExprId right)
{
    const Flat *flat = o->f->flat;
    const FlatExpr *a = &flat->exprs.at[left], *b = &flat->exprs.at[right];
    if (a->kind == X_VAR && b->kind == X_VAR) {
        if (!is_object(flat, a->index) || !is_object(flat, b->index)) return false;
        o->parent[root_of(o, a->index)] = root_of(o, b->index);
        return true;
    }
    bool arrays = a->kind == X_ARRAY && b->kind == X_ARRAY && a->n == b->n && a->n;
    for (uint32_t i = 0; arrays && i < a->n; i++)
        if (!join_sides(o, flat->ids.at[a->first + i], flat->ids.at[b->first + i])) return false;
    return arrays;
}

static void two_objects(Objects *o, VarId a, VarId b)
{
    const Flat *flat = o->f->flat;
    Note *note = sema_error(o->f->s, NULL, E_EXTERNAL_OBJECT, flat->vars.at[b].span,
                            "'%s' and '%s' are connected, and each is an object of its own",
                            flat->vars.at[a].name, flat->vars.at[b].name);
    diag_label(o->f->s->diag, note, flat->vars.at[a].span, "the other object");
}

static void bind(Objects *o, VarId v)
{
    Flat *flat = o->f->flat;
    FlatVar *var = &flat->vars.at[v];
    VarId owner = o->owner[root_of(o, v)];
    if (var->binding != NONE) return;
    if (owner == NONE) {
        sema_error(o->f->s, NULL, E_EXTERNAL_OBJECT, var->span,
                   "'%s' is an external object, and must be made in its declaration", var->name);
        return;
    }
    FlatExpr e = { .kind = X_VAR, .type = flat->vars.at[owner].type, .index = owner };
    ExprId same = flat_expr(flat, e, NULL, 0);
    flat->vars.at[v].binding = same;
}

void settle_objects(Flattening *f)
{
    Flat *flat = f->flat;
    Objects o = { f, NEW_ARRAY(f->s->arena, VarId, flat->vars.n + 1),
                  NEW_ARRAY(f->s->arena, VarId, flat->vars.n + 1) };
    bool any = false;
    uint32_t n = 0;
    for (VarId v = 0; v < flat->vars.n; v++) {
        o.parent[v] = v;
        o.owner[v] = NONE;
        any = any || is_object(flat, v);
    }
    for (uint32_t i = 0; any && i < flat->equations.n; i++) {
        const FlatStmt *st = &flat->stmts.at[flat->equations.at[i]];
        if (st->kind == S_EQUAL && join_sides(&o, st->left, st->right)) continue;
        flat->equations.at[n++] = flat->equations.at[i];
    }
    if (!any) return;
    flat->equations.n = n;
    for (VarId v = 0; v < flat->vars.n; v++) {
        if (!is_object(flat, v) || flat->vars.at[v].binding == NONE) continue;
        VarId *owner = &o.owner[root_of(&o, v)];
        if (*owner != NONE) two_objects(&o, *owner, v);
        *owner = v;
    }
    for (VarId v = 0; v < flat->vars.n; v++)
        if (is_object(flat, v)) bind(&o, v);
}
