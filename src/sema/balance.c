/* balance.c: whether each component is balanced by itself (specification, 4.8): a mistake is then
 * told where it is made.
 *
 * In: the instance tree with numbered variables, equations and sets of connected variables. Out:
 * `flat->imbalances`, one for each class of unbalanced components. Cost: O(size). Tests:
 * tests/modelica/balance.mo. */
#include "sema/inside.h"

/* A component's own unknowns are its variables, those of its records and connectors, and for each
 * component in it what that one is given from outside: flows and inputs of public connectors,
 * public inputs without a value or with a connection that gives them one. Its equations are those
 * of its text, values of declarations, what connections in it make, and again what it is given
 * itself. So what is given counts as an equation within and as an unknown outside. Not judged are
 * components that expandable or overdetermined connectors belong to, or connections that reach
 * through inner and outer. */

typedef struct {
    const Inst *inst;
    uint32_t around; /* the tally of the component that it is in; NONE for the model */
    uint32_t unknowns, equations;
    bool is_open; /* cannot be judged */
} Tally;

typedef struct {
    Flattening *f;
    VEC(Tally) tallies;
    /* by variable: the tally it belongs to; NONE for those that are added by connections */
    uint32_t *holder;
    uint8_t *is_public;    /* by variable: of the holder's interface */
    uint8_t *is_connected; /* by variable: with others, around its holder */
} Tallies;

static void leave_open(Tallies *t, uint32_t at)
{
    if (at != NONE) t->tallies.at[at].is_open = true;
}

/* ---- variables ------------------------------------------------------------------------------- */

static void mark_connected(Tallies *t, uint32_t variables)
{
    const Flattening *f = t->f;
    for (uint32_t i = 0; i < 2 * variables; i++)
        for (uint32_t k = f->set_first[i];
             k < f->set_first[i + 1] && f->set_first[i + 1] - f->set_first[i] > 1; k++)
            if (!(f->set_nodes[k] & 1)) t->is_connected[f->set_nodes[k] / 2] = 1;
}

static void tally_variables(Tallies *t, const Entry *e, uint32_t at, bool is_public)
{
    const Flat *flat = t->f->flat;
    for (uint32_t v = e->var; v < e->var + type_count(&e->type); v++) {
        Tally *own = &t->tallies.at[at];
        bool is_given = flat->vars.at[v].binding != NONE;
        bool from_outside = (e->causes == CAUSALITY_INPUT && (!is_given || t->is_connected[v])) ||
                            (e->flow == FLOW_FLOW && e->in_connector);
        t->holder[v] = at;
        t->is_public[v] = is_public;
        if (e->varies <= VARIES_PARAMETER || e->type.base == BASE_OBJECT) continue;
        own->unknowns++;
        own->equations += is_given;
        if (!is_public || !from_outside) continue;
        own->equations++;
        if (own->around != NONE) t->tallies.at[own->around].unknowns++;
    }
}

static void tally_members(Tallies *t, Inst *inst, uint32_t at, bool is_public);

static void tally_component(Tallies *t, Inst *inst, uint32_t around)
{
    uint32_t at = t->tallies.n;
    Tally own = { .inst = inst, .around = around };
    vec_push(t->f->s->arena, &t->tallies, own);
    inst->tally = at + 1;
    tally_members(t, inst, at, true);
}

static bool is_overdetermined(Sema *s, const Entry *e)
{
    Type element = e->cls->root ? e->type : type_element(&e->type, e->type.rank);
    return e->in_connector && equality_constraint(s, &element);
}

/* Equations about an outer component are equations of the component that has the inner one. */
static void leave_outer_open(Tallies *t, const Entry *e, uint32_t at)
{
    if (e->varies <= VARIES_PARAMETER) return;
    leave_open(t, at);
    if (e->inner && e->inner->owner->tally) leave_open(t, e->inner->owner->tally - 1);
}

static void tally_members(Tallies *t, Inst *inst, uint32_t at, bool is_public)
{
    Sema *s = t->f->s;
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        Entry *e = inst->comps.at[i];
        bool seen = is_public && !(e->flags & IS_PROTECTED);
        if (e->flags & IS_OUTER) leave_outer_open(t, e, at);
        if (e->size_state != STATE_DONE || e->disabled || (e->flags & IS_OUTER && !(e->flags & IS_INNER)))
            continue;
        if (e->in_connector && e->cls->root && is_overdetermined(s, e)) {
            leave_open(t, at);
            leave_open(t, t->tallies.at[at].around);
        }
        if (e->var != NONE) {
            tally_variables(t, e, at, seen);
            continue;
        }
        bool is_own = e->cls->is_connector || e->cls->base != BASE_CLASS;
        if ((e->cls->is_connector && e->cls->flags & CLASS_EXPANDABLE) ||
            (e->cls->base == BASE_RECORD && is_overdetermined(s, e))) {
            leave_open(t, at);
            leave_open(t, t->tallies.at[at].around);
        }
        for (uint32_t k = 0; k < e->count && !e->cls->root; k++)
            if (is_own)
                tally_members(t, e->elements[k], at, seen);
            else
                tally_component(t, e->elements[k], at);
    }
}

/* ---- equations ------------------------------------------------------------------------------- */

static void tally_texts(Tallies *t)
{
    const Flattening *f = t->f;
    uint32_t *seen = NEW_ARRAY(f->s->arena, uint32_t, f->flat->vars.n + 1), bodies = 0;
    for (uint32_t i = 0; i < f->texts.n; i++) {
        const FlatRange *range = &f->texts.at[i].range;
        uint32_t tally = f->texts.at[i].inst->tally;
        if (tally) t->tallies.at[tally - 1].equations += flat_count_range(f->flat, range, seen, &bodies);
    }
}

/* The component whose connection a face of a variable is part of; NONE around the model. */
static uint32_t connected_in(const Tallies *t, uint32_t node)
{
    uint32_t holder = t->holder[node / 2];
    bool is_within = node & 1 || holder == NONE || !t->is_public[node / 2];
    return is_within ? holder : t->tallies.at[holder].around;
}

static void tally_set(Tallies *t, const uint32_t *nodes, uint32_t n)
{
    const Flat *flat = t->f->flat;
    uint32_t in = connected_in(t, nodes[0]), equations = 0;
    bool agree = true;
    for (uint32_t i = 1; i < n; i++) {
        agree = agree && connected_in(t, nodes[i]) == in;
        equations += nodes[i] / 2 != nodes[0] / 2;
    }
    for (uint32_t i = 0; i < n && !agree; i++) leave_open(t, connected_in(t, nodes[i]));
    if (flat->vars.at[nodes[0] / 2].flags & VAR_FLOW) equations = 1;
    if (in != NONE) t->tallies.at[in].equations += equations;
}

static void tally_connections(Tallies *t, uint32_t variables)
{
    const Flattening *f = t->f;
    uint8_t *is_stream = NEW_ARRAY(f->s->arena, uint8_t, variables + 1);
    for (uint32_t i = 0; i < f->streams.n; i++)
        memset(is_stream + f->streams.at[i]->var, 1, type_count(&f->streams.at[i]->type));
    for (uint32_t i = 0; i < 2 * variables; i++) {
        uint32_t first = f->set_first[i], n = f->set_first[i + 1] - first;
        if (!n || is_stream[f->set_nodes[first] / 2]) continue;
        tally_set(t, f->set_nodes + first, n);
    }
    /* A stream variable on the left is one of a component whose connector is connected within. */
    for (uint32_t i = f->text_equations; i < f->flat->equations.n; i++) {
        const FlatExpr *left = &f->flat->exprs.at[f->flat->stmts.at[f->flat->equations.at[i]].left];
        if (left->kind != X_VAR || left->index >= variables || !is_stream[left->index]) continue;
        t->tallies.at[t->holder[left->index]].equations++;
    }
}

/* ---- what is wrong --------------------------------------------------------------------------- */

static bool is_judged(const Tally *own)
{
    bool must = own->inst->kind == CLASS_MODEL || own->inst->kind == CLASS_BLOCK;
    return own->around != NONE && must && !own->is_open && own->unknowns != own->equations;
}

static void add_imbalance(Tallies *t, const Tally *own, Map *known)
{
    Flat *flat = t->f->flat;
    const Class *cls = own->inst->own->cls;
    bool is_new;
    uint64_t *at = map_put(known, map_key(cls), &is_new);
    if (!is_new) {
        flat->imbalances.at[*at].others++;
        return;
    }
    *at = flat->imbalances.n;
    FlatImbalance x = { .component = arena_copy(flat->arena, str_of(inst_path(t->f->s, own->inst))),
                        .class_name = arena_copy(flat->arena, str_of(name_text(cls->name))),
                        .span = own->inst->entry->decl->declaration->span,
                        .class_span = cls->name_span,
                        .unknowns = own->unknowns,
                        .equations = own->equations };
    vec_push(flat->arena, &flat->imbalances, x);
}

void tally_balance(Flattening *f, Inst *model, uint32_t variables)
{
    Sema *s = f->s;
    Tallies t = { .f = f,
                  .holder = NEW_ARRAY(s->arena, uint32_t, f->flat->vars.n + 1),
                  .is_public = NEW_ARRAY(s->arena, uint8_t, f->flat->vars.n + 1),
                  .is_connected = NEW_ARRAY(s->arena, uint8_t, f->flat->vars.n + 1) };
    Map known = { .arena = s->arena };
    for (uint32_t i = 0; i < f->flat->vars.n; i++) t.holder[i] = NONE;
    mark_connected(&t, variables);
    tally_component(&t, model, NONE);
    tally_texts(&t);
    tally_connections(&t, variables);
    for (uint32_t i = 0; i < t.tallies.n; i++)
        if (is_judged(&t.tallies.at[i])) add_imbalance(&t, &t.tallies.at[i], &known);
}
