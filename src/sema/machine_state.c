/* machine_state.c: states of state machines: their variables and what their text says.
 *
 * In: machines whose variables are declared. Out: equations of states under the condition that the
 * state is active, else their variables keep their values; previous(x) of a variable of a state is
 * its start value where the state is reset. What a state assigns to an outer variable becomes a
 * variable of its own, and the outer one takes that of the active state (17.3.5). Cost: linear in
 * equations and outer variables. Tests: tests/api/values/machines.mo. */
#include "sema/machine.h"

/* ---- variables of states --------------------------------------------------------------------- */

static void own_variables(Machines *m, Inst *inst, uint32_t state)
{
    uint64_t own;
    if (map_get(&m->of_inst, map_key(inst), &own)) state = (uint32_t)own;
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        Entry *e = inst->comps.at[i];
        if (e->size_state != STATE_DONE || e->disabled || (e->flags & IS_OUTER && !(e->flags & IS_INNER)))
            continue;
        for (uint32_t k = 0; e->var != NONE && k < type_count(&e->type); k++) m->owner[e->var + k] = state;
        for (uint32_t k = 0; e->var == NONE && k < e->count && !e->cls->root; k++)
            own_variables(m, e->elements[k], state);
    }
}

static Entry *inner_of(Sema *s, const Entry *outer)
{
    for (Inst *inst = outer->owner->container; inst; inst = inst->container) {
        Entry *e = inst_entry(s, inst, outer->name);
        if (e && e->kind == ENTRY_COMPONENT && e->flags & IS_INNER) return e;
    }
    return NULL;
}

/* inner outer output x: the variable is the outer one. */
static void join_outer(Machines *m, Inst *inst)
{
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        Entry *e = inst->comps.at[i];
        if (e->size_state != STATE_DONE || e->disabled) continue;
        bool is_both = e->flags & IS_INNER && e->flags & IS_OUTER && e->causes == CAUSALITY_OUTPUT;
        Entry *to = is_both && e->var != NONE ? inner_of(m->s, e) : NULL;
        for (uint32_t k = 0; to && to->var != NONE && k < type_count(&e->type); k++)
            if (m->owner[e->var + k] != NONE) m->same[e->var + k] = to->var + k;
        for (uint32_t k = 0; e->var == NONE && k < e->count && !e->cls->root && !(e->flags & IS_OUTER); k++)
            join_outer(m, e->elements[k]);
    }
}

static void use_outer(Machines *m)
{
    bool any = false;
    for (VarId v = 0; v < m->vars; v++) {
        while (m->same[v] != NONE && m->same[m->same[v]] != NONE) m->same[v] = m->same[m->same[v]];
        any |= m->same[v] != NONE;
    }
    for (ExprId id = 0; any && id < m->flat->exprs.n; id++) {
        FlatExpr *e = &m->flat->exprs.at[id];
        if (e->kind == X_VAR && m->same[e->index] != NONE) e->index = m->same[e->index];
    }
    for (VarId v = 0; any && v < m->vars; v++) {
        if (m->same[v] == NONE) continue;
        m->owner[v] = NONE;
        machine_give(m, v, machine_variable(m, m->same[v]));
    }
}

void machine_own_variables(Machines *m)
{
    own_variables(m, m->s->model, NONE);
    join_outer(m, m->s->model);
    use_outer(m);
}

static VarId merged_value(Machines *m, VarId v, uint32_t state)
{
    bool is_new;
    uint64_t *at = map_put(&m->merged_of, v, &is_new);
    if (is_new) {
        *at = m->merged.n;
        vec_push(m->s->arena, &m->merged, ((Merged){ .var = v }));
    }
    Merged *merged = &m->merged.at[*at];
    for (uint32_t i = 0; i < merged->states.n; i++)
        if (merged->states.at[i] == state) return merged->values.at[i];
    const char *name = arena_printf(m->s->arena, "%s in %s", m->flat->vars.at[v].name,
                                    inst_path(m->s, m->states.at[state].inst));
    TypeId type = m->flat->vars.at[v].type;
    VarId made = machine_add(m, "value", name, type, 0, m->flat->vars.at[v].span);
    m->flat->vars.at[made].attributes[ATTRIBUTE_START] = m->flat->vars.at[v].attributes[ATTRIBUTE_START];
    m->flat->vars.at[made].varies = m->flat->vars.at[v].varies;
    merged = &m->merged.at[*at];
    vec_push(m->s->arena, &merged->values, made);
    vec_push(m->s->arena, &merged->states, state);
    return made;
}

/* ---- texts of states ------------------------------------------------------------------------- */

enum { IS_RATE = 1 << 30 }; /* of a target: its derivative */

/* What the text of a state gives values to, in the order of its scalar equations. */
typedef struct {
    Machines *m;
    uint32_t state;
    VEC(VarId) outers; /* outer outputs, and what stands for them here */
    VEC(VarId) values;
    Map taken; /* variables that have their equation */
    VEC(VarId) targets;
    VEC(StmtId) equations;
} StateText;

static void find_outers(StateText *t, Inst *inst)
{
    Machines *m = t->m;
    uint64_t other;
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        Entry *e = inst->comps.at[i];
        bool is_outer = e->flags & IS_OUTER && !(e->flags & IS_INNER);
        Entry *to =
            is_outer && e->state == STATE_DONE && e->causes == CAUSALITY_OUTPUT ? inner_of(m->s, e) : NULL;
        for (uint32_t k = 0; to && to->var != NONE && k < type_count(&to->type); k++) {
            VarId v = to->var + k;
            while (m->same[v] != NONE) v = m->same[v];
            vec_push(m->s->arena, &t->outers, v);
            vec_push(m->s->arena, &t->values, merged_value(m, v, t->state));
        }
        if (is_outer || e->size_state != STATE_DONE || e->disabled || e->var != NONE || e->cls->root)
            continue;
        for (uint32_t k = 0; k < e->count; k++)
            if (!map_get(&m->of_inst, map_key(e->elements[k]), &other)) find_outers(t, e->elements[k]);
    }
}

/* The outer variables that this text defines are its own; but not their previous values. */
static void use_values(StateText *t, ExprId id)
{
    FlatExpr *e = &t->m->flat->exprs.at[id];
    if (e->kind == X_BUILTIN && e->op == BUILTIN_PREVIOUS) return;
    for (uint32_t i = 0; e->kind == X_VAR && i < t->outers.n; i++)
        if (e->index == t->outers.at[i]) {
            e->index = t->values.at[i];
            return;
        }
    for (uint32_t i = 0; i < e->n; i++) use_values(t, t->m->flat->ids.at[e->first + i]);
}

static void use_values_in(StateText *t, StmtId id)
{
    const FlatStmt s = t->m->flat->stmts.at[id];
    ExprId parts[] = { s.left, s.right, s.level };
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (parts[i] != NONE) use_values(t, parts[i]);
    for (uint32_t i = 0; i < s.n; i++) {
        const FlatBranch b = t->m->flat->branches.at[s.first + i];
        if (b.condition != NONE) use_values(t, b.condition);
        for (uint32_t k = 0; k < b.n; k++) use_values_in(t, t->m->flat->ids.at[b.first + k]);
    }
}

static bool is_own(const StateText *t, VarId v)
{
    const Machines *m = t->m;
    uint64_t seen;
    if (map_get(&t->taken, v, &seen) || m->flat->vars.at[v].varies <= VARIES_PARAMETER) return false;
    for (uint32_t i = 0; i < t->values.n; i++)
        if (t->values.at[i] == v) return true;
    return v < m->vars && m->owner[v] == t->state && m->flat->vars.at[v].binding == NONE &&
           !map_get(&m->integrated, v, &seen);
}

static void take(StateText *t, VarId v)
{
    map_put(&t->taken, v, NULL);
    vec_push(t->m->s->arena, &t->targets, v);
}

static VarId own_alone(const StateText *t, ExprId id)
{
    const FlatExpr *e = &t->m->flat->exprs.at[id];
    return e->kind == X_VAR && is_own(t, e->index) ? e->index : NONE;
}

/* der(x) of an own variable, which the clock's method integrates: its derivative is what an
 * equation gives. */
static VarId rate_of(const StateText *t, ExprId id)
{
    const FlatExpr *e = &t->m->flat->exprs.at[id];
    if (e->kind != X_BUILTIN || e->op != BUILTIN_DER) return NONE;
    const FlatExpr *of = &t->m->flat->exprs.at[t->m->flat->ids.at[e->first]];
    uint64_t seen;
    bool is_free = of->kind == X_VAR && of->index < t->m->vars && t->m->owner[of->index] == t->state &&
                   !map_get(&t->taken, of->index | IS_RATE, &seen);
    return is_free ? of->index | IS_RATE : NONE;
}

static VarId any_own(const StateText *t, ExprId id)
{
    const FlatExpr *e = &t->m->flat->exprs.at[id];
    if (e->kind == X_VAR) return is_own(t, e->index) ? e->index : NONE;
    if (e->kind == X_BUILTIN && e->op == BUILTIN_PREVIOUS) return NONE;
    if (e->kind == X_BUILTIN && e->op == BUILTIN_DER) return rate_of(t, id);
    for (uint32_t i = 0; i < e->n; i++) {
        VarId v = any_own(t, t->m->flat->ids.at[e->first + i]);
        if (v != NONE) return v;
    }
    return NONE;
}

static void take_parts(StateText *t, ExprId id)
{
    const FlatExpr e = t->m->flat->exprs.at[id];
    if (e.kind == X_VAR) take(t, e.index);
    bool deep = e.kind == X_TUPLE || e.kind == X_ARRAY || e.kind == X_RECORD;
    for (uint32_t i = 0; deep && i < e.n; i++) take_parts(t, t->m->flat->ids.at[e.first + i]);
}

/* Equations that give a variable alone come first; the others share what is left. False where
 * nothing is left. */
static bool take_targets(StateText *t, StmtId id, bool alone)
{
    const FlatStmt s = t->m->flat->stmts.at[id];
    if (s.kind == S_IF) {
        const FlatBranch b = t->m->flat->branches.at[s.first];
        bool ok = true;
        for (uint32_t k = 0; k < b.n; k++) ok = take_targets(t, t->m->flat->ids.at[b.first + k], alone) && ok;
        return ok;
    }
    if (s.kind != S_EQUAL) return true;
    if (t->m->flat->exprs.at[s.left].kind == X_TUPLE) {
        take_parts(t, s.left);
        return true;
    }
    VarId v = rate_of(t, s.left);
    if (v == NONE) v = rate_of(t, s.right);
    if (v == NONE) v = own_alone(t, s.left);
    if (v == NONE) v = own_alone(t, s.right);
    if (v == NONE && !alone) v = any_own(t, s.left);
    if (v == NONE && !alone) v = any_own(t, s.right);
    if (v == NONE) return false;
    take(t, v);
    return true;
}

/* v = machine_previous(v) for all targets from `from` on. */
static void hold_targets(StateText *t, uint32_t from, uint8_t kind, StmtIds *out)
{
    Machines *m = t->m;
    for (uint32_t i = from; i < t->targets.n; i++) {
        VarId v = t->targets.at[i] & ~(VarId)IS_RATE;
        FlatStmt s = { .kind = kind, .level = NONE, .span = m->flat->vars.at[v].span };
        s.left = machine_variable(m, v);
        if (t->targets.at[i] & IS_RATE) {
            FlatExpr rate = { .kind = X_BUILTIN, .op = BUILTIN_DER, .type = m->real };
            s.left = flat_expr(m->flat, rate, &s.left, 1);
            s.right = flat_expr(m->flat, (FlatExpr){ .kind = X_REAL, .type = m->real }, NULL, 0);
        } else {
            s.right = machine_previous(m, v);
        }
        StmtId id = flat_stmt(m->flat, s, NULL, 0);
        vec_push(m->s->arena, out, id);
    }
}

static StmtId guarded(StateText *t, const StmtIds *text, const StmtIds *held, Span span)
{
    Machines *m = t->m;
    FlatBranch branches[2] = { { .condition = machine_variable(m, m->states.at[t->state].active),
                                 .n = text->n },
                               { .condition = NONE, .n = held->n } };
    branches[0].first = flat_list(m->flat, text->at, text->n);
    branches[1].first = flat_list(m->flat, held->at, held->n);
    FlatStmt s = { .kind = S_IF, .left = NONE, .right = NONE, .level = NONE, .span = span };
    return flat_stmt(m->flat, s, branches, 2);
}

/* Equations of `when Clock()` are equations of the state's clock like the others. */
static void add_text(StateText *t, StmtId id, StmtIds *out)
{
    Flat *flat = t->m->flat;
    const FlatStmt s = flat->stmts.at[id];
    const FlatBranch b = s.kind == S_WHEN ? flat->branches.at[s.first] : (FlatBranch){ 0 };
    const FlatExpr *c = s.kind == S_WHEN ? &flat->exprs.at[b.condition] : NULL;
    if (c && flat->types.at[c->type].base == BASE_CLOCK && c->kind == X_BUILTIN && !c->n)
        for (uint32_t k = 0; k < b.n; k++) vec_push(t->m->s->arena, out, flat->ids.at[b.first + k]);
    else
        vec_push(t->m->s->arena, out, id);
}

static void guard_equation(StateText *t, StmtId id)
{
    Machines *m = t->m;
    StmtIds text = { 0 }, held = { 0 };
    uint32_t from = t->targets.n;
    const FlatStmt s = m->flat->stmts.at[id];
    bool keeps = s.kind == S_WHEN || (s.kind != S_IF && s.kind != S_EQUAL);
    if (keeps || !take_targets(t, id, false)) {
        vec_push(m->s->arena, &t->equations, id);
        return;
    }
    vec_push(m->s->arena, &text, id);
    hold_targets(t, from, S_EQUAL, &held);
    vec_push(m->s->arena, &t->equations, guarded(t, &text, &held, s.span));
}

static void guard_algorithm(StateText *t, FlatAlgorithm *a)
{
    Machines *m = t->m;
    StmtIds text = { 0 }, held = { 0 }, body = { 0 };
    uint32_t from = t->targets.n;
    for (uint32_t i = 0; i < a->n; i++) add_text(t, m->flat->ids.at[a->first + i], &text);
    for (uint32_t i = 0; i < text.n; i++) use_values_in(t, text.at[i]);
    StmtIds stack = { 0 };
    for (uint32_t i = 0; i < text.n; i++) vec_push(m->s->arena, &stack, text.at[i]);
    while (stack.n) {
        const FlatStmt s = m->flat->stmts.at[stack.at[--stack.n]];
        const FlatExpr *left = s.kind == S_ASSIGN ? &m->flat->exprs.at[s.left] : NULL;
        if (left && left->kind == X_VAR && is_own(t, left->index)) take(t, left->index);
        if (left && left->kind == X_TUPLE) take_parts(t, s.left);
        for (uint32_t k = 0; k < s.n; k++) {
            const FlatBranch b = m->flat->branches.at[s.first + k];
            for (uint32_t i = 0; i < b.n; i++) vec_push(m->s->arena, &stack, m->flat->ids.at[b.first + i]);
        }
    }
    hold_targets(t, from, S_ASSIGN, &held);
    vec_push(m->s->arena, &body, guarded(t, &text, &held, a->span));
    a->n = body.n;
    a->first = flat_list(m->flat, body.at, body.n);
}

static void guard_state(Machines *m, uint32_t state, StmtIds *equations)
{
    StateText t = { .m = m, .state = state, .taken = { .arena = m->s->arena } };
    StmtIds own = { 0 };
    find_outers(&t, m->states.at[state].inst);
    for (uint32_t i = 0; i < m->f->texts.n; i++) {
        const InstText *text = &m->f->texts.at[i];
        if (machine_state_around(m, text->inst) != state) continue;
        for (uint32_t k = text->range.equation; k < text->range.equation_end; k++) {
            add_text(&t, m->flat->equations.at[k], &own);
            m->flat->equations.at[k] = NONE;
        }
        for (uint32_t k = text->range.algorithm; k < text->range.algorithm_end; k++)
            if (!m->flat->algorithms.at[k].initial) guard_algorithm(&t, &m->flat->algorithms.at[k]);
    }
    for (uint32_t i = 0; i < own.n; i++) use_values_in(&t, own.at[i]);
    /* those that give a variable alone have it */
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < own.n; i++) {
            if (own.at[i] == NONE) continue;
            const FlatStmt s = m->flat->stmts.at[own.at[i]];
            bool alone =
                s.kind == S_EQUAL && (own_alone(&t, s.left) != NONE || own_alone(&t, s.right) != NONE);
            if (!pass && !alone && s.kind == S_EQUAL && m->flat->exprs.at[s.left].kind != X_TUPLE) continue;
            guard_equation(&t, own.at[i]);
            own.at[i] = NONE;
        }
    for (uint32_t i = 0; i < t.equations.n; i++) vec_push(m->s->arena, equations, t.equations.at[i]);
}

static void guard_bindings(Machines *m)
{
    for (VarId v = 0; v < m->vars; v++) {
        FlatVar *var = &m->flat->vars.at[v];
        if (m->owner[v] == NONE || var->binding == NONE || var->varies <= VARIES_PARAMETER) continue;
        ExprId active = machine_variable(m, m->states.at[m->owner[v]].active), held = machine_previous(m, v);
        ExprId binding =
            machine_choose(m, m->flat->vars.at[v].type, active, m->flat->vars.at[v].binding, held);
        m->flat->vars.at[v].binding = binding;
    }
}

/* machine_previous(x), where x belongs to a state: its start value when the state is reset. */
static ExprId previous_or_start(Machines *m, VarId v)
{
    uint32_t state = v < m->vars ? m->owner[v] : NONE;
    if (state == NONE) return machine_previous(m, v);
    bool is_new;
    uint64_t *at = map_put(&m->previous_of, v, &is_new);
    if (!is_new) return machine_variable(m, (VarId)*at);
    FlatVar var = m->flat->vars.at[v];
    VarId made = machine_add(m, "before", var.name, var.type, 0, var.span);
    *map_put(&m->previous_of, v, NULL) = made;
    ExprId start = var.attributes[ATTRIBUTE_START];
    if (start == NONE) start = m->flat->vars.at[made].attributes[ATTRIBUTE_START];
    m->flat->vars.at[made].attributes[ATTRIBUTE_START] = start;
    m->flat->vars.at[made].varies = var.varies;
    machine_give(m, made,
                 machine_choose(m, var.type, machine_variable(m, m->states.at[state].reset), start,
                                machine_previous(m, v)));
    return machine_variable(m, made);
}

void machine_replace_previous(Machines *m, uint32_t exprs)
{
    for (ExprId id = 0; id < exprs; id++) {
        FlatExpr e = m->flat->exprs.at[id];
        if (e.kind != X_BUILTIN || e.op != BUILTIN_PREVIOUS) continue;
        const FlatExpr of = m->flat->exprs.at[m->flat->ids.at[e.first]];
        if (of.kind != X_VAR || of.index >= m->vars || m->owner[of.index] == NONE) continue;
        ExprId value = previous_or_start(m, of.index); /* may move the others */
        FlatExpr by = m->flat->exprs.at[value];
        by.first = e.first;
        m->flat->exprs.at[id] = by;
    }
}

void machine_give_merged(Machines *m)
{
    for (uint32_t i = 0; i < m->merged.n; i++) {
        const Merged x = m->merged.at[i];
        ExprId value = previous_or_start(m, x.var);
        for (uint32_t k = x.states.n; k-- > 0;)
            value = machine_choose(m, m->flat->vars.at[x.var].type,
                                   machine_variable(m, m->states.at[x.states.at[k]].active),
                                   machine_variable(m, x.values.at[k]), value);
        machine_give(m, x.var, value);
    }
    for (uint32_t i = 0; i < m->f->joints.n; i++) {
        const Joint *x = &m->f->joints.at[i];
        ExprId value = machine_previous(m, x->to);
        for (uint32_t k = x->values.n; k-- > 0;) {
            uint32_t state = machine_state_around(m, x->states.at[k]);
            value = machine_choose(m, m->flat->vars.at[x->to].type,
                                   machine_variable(m, m->states.at[state].active),
                                   machine_variable(m, x->values.at[k]), value);
        }
        machine_give(m, x->to, value);
    }
}

void machine_guard_states(Machines *m)
{
    StmtIds kept = { 0 };
    for (uint32_t i = 0; i < m->states.n; i++) guard_state(m, i, &kept);
    for (uint32_t i = 0; i < m->flat->equations.n; i++)
        if (m->flat->equations.at[i] != NONE) vec_push(m->s->arena, &kept, m->flat->equations.at[i]);
    m->flat->equations.n = 0;
    for (uint32_t i = 0; i < kept.n; i++) vec_push(m->flat->arena, &m->flat->equations, kept.at[i]);
    guard_bindings(m);
}
