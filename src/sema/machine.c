/* machine.c: state machines (specification, chapter 17): transitions to clocked equations.
 *
 * In: a flat model with its transitions, before clocks are resolved. Out: equations of the
 * variables of each machine (17.3), and what machine_state.c makes of states. Cost: linear in
 * states, transitions and equations, but for final states: their product. Tests:
 * tests/api/values/machines.mo, tests/modelica/machines.mo. */
#include "sema/machine.h"

/* Transitions of one component of the model that share states are one machine; the state that
 * the machine lies in, if there is one, activates and resets it. The operators activeState,
 * ticksInState and timeInState become variables here. */

/* ---- expressions ----------------------------------------------------------------------------- */

ExprId machine_whole(const Machines *m, int64_t value)
{
    return flat_expr(m->flat, (FlatExpr){ .kind = X_INTEGER, .type = m->integer, .integer = value }, NULL, 0);
}

ExprId machine_boolean(const Machines *m, bool value)
{
    return flat_expr(m->flat, (FlatExpr){ .kind = X_BOOLEAN, .type = m->truth, .integer = value }, NULL, 0);
}

ExprId machine_variable(const Machines *m, VarId v)
{
    FlatExpr e = { .kind = X_VAR, .type = m->flat->vars.at[v].type, .index = v };
    return flat_expr(m->flat, e, NULL, 0);
}

ExprId machine_previous(const Machines *m, VarId v)
{
    ExprId x = machine_variable(m, v);
    FlatExpr e = { .kind = X_BUILTIN, .op = BUILTIN_PREVIOUS, .type = m->flat->vars.at[v].type };
    return flat_expr(m->flat, e, &x, 1);
}

ExprId machine_binary(const Machines *m, Oper op, TypeId type, ExprId a, ExprId b)
{
    FlatExpr e = { .kind = X_BINARY, .op = (uint8_t)op, .type = type };
    return flat_expr(m->flat, e, (ExprId[]){ a, b }, 2);
}

ExprId machine_both(const Machines *m, ExprId a, ExprId b)
{
    return a == NONE ? b : b == NONE ? a : machine_binary(m, O_AND, m->truth, a, b);
}

ExprId machine_either(const Machines *m, ExprId a, ExprId b)
{
    return machine_binary(m, O_OR, m->truth, a, b);
}

ExprId machine_not(const Machines *m, ExprId a)
{
    return flat_expr(m->flat, (FlatExpr){ .kind = X_UNARY, .op = O_NOT, .type = m->truth }, &a, 1);
}

ExprId machine_is(const Machines *m, VarId v, uint32_t number)
{
    return machine_binary(m, O_EQUAL, m->truth, machine_variable(m, v), machine_whole(m, number));
}

ExprId machine_choose(const Machines *m, TypeId type, ExprId condition, ExprId yes, ExprId no)
{
    FlatExpr e = { .kind = X_IF, .type = type };
    return flat_expr(m->flat, e, (ExprId[]){ condition, yes, no }, 3);
}

VarId machine_add(Machines *m, const char *what, const char *of, TypeId type, int64_t start, Span span)
{
    FlatVar v = { .type = type,
                  .varies = VARIES_DISCRETE,
                  .flags = VAR_PROTECTED,
                  .array = NONE,
                  .binding = NONE,
                  .span = span,
                  .top = span };
    for (int i = 0; i < ATTRIBUTE_COUNT; i++) v.attributes[i] = NONE;
    v.name = arena_printf(m->flat->arena, "%s(%s)", what, *of ? of : "model");
    FlatExpr value = { .kind = X_REAL, .type = type, .real = (double)start };
    if (type == m->integer) value = (FlatExpr){ .kind = X_INTEGER, .type = type, .integer = start };
    if (type == m->truth) value = (FlatExpr){ .kind = X_BOOLEAN, .type = type, .integer = start };
    v.attributes[ATTRIBUTE_START] = flat_expr(m->flat, value, NULL, 0);
    vec_push(m->flat->arena, &m->flat->vars, v);
    return m->flat->vars.n - 1;
}

void machine_give(Machines *m, VarId v, ExprId value)
{
    FlatStmt s = { .kind = S_EQUAL, .right = value, .level = NONE, .span = m->flat->vars.at[v].span };
    s.left = machine_variable(m, v);
    StmtId id = flat_stmt(m->flat, s, NULL, 0);
    vec_push(m->flat->arena, &m->flat->equations, id);
}

/* ---- states and machines --------------------------------------------------------------------- */

static uint32_t state_of(Machines *m, Inst *inst, Inst *owner, Span span)
{
    uint64_t at;
    if (map_get(&m->of_inst, map_key(inst), &at)) return (uint32_t)at;
    uint32_t machine = m->machines.n;
    Machine made = { .owner = owner, .initial = NONE, .around = NONE, .span = span };
    State state = { .inst = inst, .machine = machine, .around = NONE };
    state.ticks = state.time = state.ticks_before = state.time_before = state.entered = NONE;
    *map_put(&m->of_inst, map_key(inst), NULL) = m->states.n;
    vec_push(m->s->arena, &made.states, m->states.n);
    vec_push(m->s->arena, &m->machines, made);
    vec_push(m->s->arena, &m->states, state);
    return m->states.n - 1;
}

static void join_machines(Machines *m, uint32_t a, uint32_t b)
{
    uint32_t x = m->states.at[a].machine, y = m->states.at[b].machine;
    if (x == y) return;
    Machine *into = &m->machines.at[x < y ? x : y], *from = &m->machines.at[x < y ? y : x];
    for (uint32_t i = 0; i < from->states.n; i++) {
        m->states.at[from->states.at[i]].machine = x < y ? x : y;
        vec_push(m->s->arena, &into->states, from->states.at[i]);
    }
    from->states.n = 0;
}

/* The innermost state that an instance is, or lies in. */
uint32_t machine_state_around(const Machines *m, const Inst *inst)
{
    uint64_t at;
    for (; inst; inst = inst->container)
        if (map_get(&m->of_inst, map_key(inst), &at)) return (uint32_t)at;
    return NONE;
}

/* The strongest transition, of least priority, comes last. */
static void add_sorted(Machines *m, Machine *into, uint32_t transition)
{
    const Transition *t = m->f->transitions.at;
    vec_push(m->s->arena, &into->transitions, transition);
    uint32_t at = into->transitions.n - 1;
    for (; at && t[into->transitions.at[at - 1]].priority < t[transition].priority; at--)
        into->transitions.at[at] = into->transitions.at[at - 1];
    into->transitions.at[at] = transition;
    for (uint32_t i = 0; i < into->transitions.n; i++) {
        const Transition *other = &t[into->transitions.at[i]];
        if (into->transitions.at[i] == transition || other->from != t[transition].from ||
            other->priority != t[transition].priority)
            continue;
        Note *note = sema_error(m->s, NULL, E_STATE_MACHINE, t[transition].span,
                                "two transitions that leave one state have the priority %u",
                                (unsigned)other->priority);
        diag_label(m->s->diag, note, other->span, "the other one");
    }
}

static void find_machines(Machines *m)
{
    Flattening *f = m->f;
    for (uint32_t i = 0; i < f->transitions.n; i++) {
        const Transition *t = &f->transitions.at[i];
        uint32_t to = state_of(m, t->to, t->owner, t->span);
        if (t->from) join_machines(m, state_of(m, t->from, t->owner, t->span), to);
    }
    for (uint32_t i = 0; i < f->transitions.n; i++) {
        const Transition *t = &f->transitions.at[i];
        uint64_t to = 0;
        map_get(&m->of_inst, map_key(t->to), &to);
        Machine *machine = &m->machines.at[m->states.at[to].machine];
        if (t->from) {
            add_sorted(m, machine, i);
        } else if (machine->initial == NONE) {
            machine->initial = (uint32_t)to;
        } else if (machine->initial != to) {
            Note *note = sema_error(m->s, NULL, E_STATE_MACHINE, t->span,
                                    "a state machine has one initial state, and '%s' is another one",
                                    inst_path(m->s, t->to));
            diag_label(m->s->diag, note, machine->span, "this machine");
        }
    }
    for (uint32_t i = 0; i < m->machines.n; i++) {
        Machine *machine = &m->machines.at[i];
        if (!machine->states.n) continue;
        machine->around = machine_state_around(m, machine->owner);
        if (machine->initial == NONE)
            sema_error(m->s, NULL, E_STATE_MACHINE, machine->span,
                       "this state machine has no initial state: 'initialState(...)' is missing");
    }
    for (uint32_t i = 0; i < m->states.n; i++) {
        State *state = &m->states.at[i];
        Machine *machine = &m->machines.at[state->machine];
        state->around = machine->around;
        state->number = 1;
        for (uint32_t k = 0, next = 2; k < machine->states.n && i != machine->initial; k++) {
            if (machine->states.at[k] == i) state->number = next;
            next += machine->states.at[k] != machine->initial;
        }
    }
}

/* ---- equations of a machine ------------------------------------------------------------------ */

static void declare_machine(Machines *m, Machine *x)
{
    const char *of = inst_path(m->s, m->states.at[x->initial].inst);
    x->reset = machine_add(m, "reset", of, m->truth, 0, x->span);
    x->selected = machine_add(m, "selectedState", of, m->integer, 1, x->span);
    x->fired = machine_add(m, "fired", of, m->integer, 0, x->span);
    x->immediate = machine_add(m, "immediate", of, m->integer, 0, x->span);
    x->delayed = machine_add(m, "delayed", of, m->integer, 0, x->span);
    x->active_state = machine_add(m, "activeState", of, m->integer, 1, x->span);
    x->active_reset = machine_add(m, "activeReset", of, m->truth, 0, x->span);
    x->next = machine_add(m, "nextState", of, m->integer, 1, x->span);
    for (uint32_t i = 0; i < x->states.n; i++) {
        State *state = &m->states.at[x->states.at[i]];
        const char *path = inst_path(m->s, state->inst);
        state->active = machine_add(m, "active", path, m->truth, 0, x->span);
        state->reset = machine_add(m, "resets", path, m->truth, 0, x->span);
        state->due = machine_add(m, "resetDue", path, m->truth, 0, x->span);
        state->pending = machine_add(m, "resetPending", path, m->truth, 0, x->span);
    }
}

static uint32_t number_of(const Machines *m, Inst *inst)
{
    uint64_t at = 0;
    map_get(&m->of_inst, map_key(inst), &at);
    return m->states.at[at].number;
}

static bool is_final(const Machines *m, const Machine *x, uint32_t state)
{
    for (uint32_t i = 0; i < x->transitions.n; i++)
        if (m->f->transitions.at[x->transitions.at[i]].from == m->states.at[state].inst) return false;
    return true;
}

/* All machines of the state that a transition leaves are in a final state; for an immediate one:
 * have been so at the tick before. */
static ExprId inner_are_final(const Machines *m, const Transition *t)
{
    ExprId all = NONE;
    for (uint32_t i = 0; i < m->machines.n; i++) {
        const Machine *x = &m->machines.at[i];
        if (!x->states.n || x->around == NONE || m->states.at[x->around].inst != t->from) continue;
        ExprId any = machine_boolean(m, false);
        for (uint32_t k = 0; k < x->states.n; k++) {
            if (!is_final(m, x, x->states.at[k])) continue;
            ExprId number = machine_whole(m, m->states.at[x->states.at[k]].number);
            ExprId now = t->immediate ? machine_previous(m, x->next) : machine_variable(m, x->active_state);
            any = machine_either(m, any, machine_binary(m, O_EQUAL, m->truth, now, number));
        }
        all = machine_both(m, all, any);
    }
    return all;
}

/* The number of the strongest transition of a kind that leaves the state that `at` is. */
static ExprId strongest(const Machines *m, const Machine *x, bool immediate, VarId at)
{
    ExprId value = machine_whole(m, 0);
    for (uint32_t i = 0; i < x->transitions.n; i++) {
        const Transition *t = &m->f->transitions.at[x->transitions.at[i]];
        if (t->immediate != immediate) continue;
        ExprId fires = machine_both(m, machine_is(m, at, number_of(m, t->from)), t->condition);
        if (t->synchronize) fires = machine_both(m, fires, inner_are_final(m, t));
        value = machine_choose(m, m->integer, fires, machine_whole(m, i + 1), value);
    }
    return value;
}

static void give_machine(Machines *m, const Machine *x)
{
    ExprId active = x->around == NONE ? NONE : machine_variable(m, m->states.at[x->around].active);
    machine_give(m, x->reset,
                 x->around == NONE ? machine_previous(m, m->first)
                                   : machine_variable(m, m->states.at[x->around].reset));
    ExprId reset = machine_variable(m, x->reset), one = machine_whole(m, 1);
    machine_give(m, x->selected, machine_choose(m, m->integer, reset, one, machine_previous(m, x->next)));
    machine_give(m, x->immediate, strongest(m, x, true, x->selected));
    machine_give(m, x->delayed, strongest(m, x, false, x->next));
    FlatExpr max = { .kind = X_BUILTIN, .op = BUILTIN_MAX, .type = m->integer };
    ExprId two[] = { machine_previous(m, x->delayed), machine_variable(m, x->immediate) };
    machine_give(m, x->fired, flat_expr(m->flat, max, two, 2));
    ExprId to = machine_variable(m, x->selected), resets = machine_boolean(m, false);
    for (uint32_t i = 0; i < x->transitions.n; i++) {
        const Transition *t = &m->f->transitions.at[x->transitions.at[i]];
        ExprId is_this = machine_is(m, x->fired, i + 1);
        to = machine_choose(m, m->integer, is_this, machine_whole(m, number_of(m, t->to)), to);
        resets = machine_choose(m, m->truth, is_this, machine_boolean(m, t->reset), resets);
    }
    machine_give(m, x->active_state, machine_choose(m, m->integer, reset, one, to));
    machine_give(m, x->active_reset, machine_either(m, reset, resets));
    ExprId now = machine_variable(m, x->active_state);
    machine_give(m, x->next,
                 active == NONE ? now
                                : machine_choose(m, m->integer, active, now, machine_previous(m, x->next)));
    for (uint32_t i = 0; i < x->states.n; i++) {
        const State *state = &m->states.at[x->states.at[i]];
        ExprId is_this = machine_is(m, x->active_state, state->number), due = machine_variable(m, state->due);
        machine_give(m, state->due, machine_either(m, reset, machine_previous(m, state->pending)));
        ExprId left = machine_both(m, machine_not(m, is_this), due);
        machine_give(m, state->pending,
                     active == NONE
                         ? left
                         : machine_choose(m, m->truth, active, left, machine_previous(m, state->pending)));
        machine_give(m, state->active, machine_both(m, active, is_this));
        machine_give(m, state->reset,
                     machine_both(m, machine_variable(m, state->active),
                                  machine_either(m, machine_variable(m, x->active_reset), due)));
    }
}

/* ---- ticksInState, timeInState --------------------------------------------------------------- */

/* Whether a state is entered at this tick, from another one, itself, or with what is around it. */
static VarId entered(Machines *m, uint32_t at)
{
    if (m->states.at[at].entered != NONE) return m->states.at[at].entered;
    State state = m->states.at[at];
    const Machine *x = &m->machines.at[state.machine];
    VarId v = machine_add(m, "entered", inst_path(m->s, state.inst), m->truth, 0, x->span);
    m->states.at[at].entered = v;
    ExprId fired = machine_binary(m, O_GREATER, m->truth, machine_variable(m, x->fired), machine_whole(m, 0));
    ExprId anew = machine_either(m, machine_either(m, fired, machine_variable(m, x->reset)),
                                 machine_not(m, machine_previous(m, state.active)));
    if (state.around != NONE) anew = machine_either(m, anew, machine_variable(m, entered(m, state.around)));
    machine_give(m, v, machine_both(m, machine_variable(m, state.active), anew));
    return v;
}

static VarId ticks(Machines *m, uint32_t at)
{
    if (m->states.at[at].ticks != NONE) return m->states.at[at].ticks;
    State state = m->states.at[at];
    VarId v = machine_add(m, "ticksInState", inst_path(m->s, state.inst), m->integer, 0,
                          m->machines.at[state.machine].span);
    m->states.at[at].ticks = v;
    ExprId more = machine_binary(m, O_ADD, m->integer, machine_previous(m, v), machine_whole(m, 1));
    ExprId count =
        machine_choose(m, m->integer, machine_variable(m, entered(m, at)), machine_whole(m, 1), more);
    machine_give(
        m, v, machine_choose(m, m->integer, machine_variable(m, state.active), count, machine_whole(m, 0)));
    return v;
}

static ExprId since_tick(const Machines *m)
{
    FlatExpr e = { .kind = X_BUILTIN, .op = BUILTIN_INTERVAL, .type = m->real };
    return flat_expr(m->flat, e, NULL, 0);
}

static VarId time_in(Machines *m, uint32_t at)
{
    if (m->states.at[at].time != NONE) return m->states.at[at].time;
    State state = m->states.at[at];
    VarId v = machine_add(m, "timeInState", inst_path(m->s, state.inst), m->real, 0,
                          m->machines.at[state.machine].span);
    m->states.at[at].time = v;
    ExprId zero = flat_expr(m->flat, (FlatExpr){ .kind = X_REAL, .type = m->real }, NULL, 0);
    ExprId more = machine_binary(m, O_ADD, m->real, machine_previous(m, v), since_tick(m));
    ExprId stays = machine_both(m, machine_variable(m, state.active),
                                machine_not(m, machine_variable(m, entered(m, at))));
    machine_give(m, v, machine_choose(m, m->real, stays, more, zero));
    return v;
}

/* In the condition of an immediate transition: what it would be if the state stayed active. */
static VarId if_it_stays(Machines *m, uint32_t at, bool is_time)
{
    VarId *known = is_time ? &m->states.at[at].time_before : &m->states.at[at].ticks_before;
    if (*known != NONE) return *known;
    VarId of = is_time ? time_in(m, at) : ticks(m, at);
    TypeId type = is_time ? m->real : m->integer;
    VarId v = machine_add(m, is_time ? "timeInStateSoFar" : "ticksInStateSoFar",
                          inst_path(m->s, m->states.at[at].inst), type, 0,
                          m->machines.at[m->states.at[at].machine].span);
    known = is_time ? &m->states.at[at].time_before : &m->states.at[at].ticks_before;
    *known = v;
    machine_give(m, v,
                 machine_binary(m, O_ADD, type, machine_previous(m, of),
                                is_time ? since_tick(m) : machine_whole(m, 1)));
    return v;
}

static void replace_operators(Machines *m, ExprId id, bool immediate, Span span)
{
    FlatExpr e = m->flat->exprs.at[id];
    for (uint32_t i = 0; i < e.n; i++) replace_operators(m, m->flat->ids.at[e.first + i], immediate, span);
    bool is_one = e.kind == X_BUILTIN && e.op >= BUILTIN_ACTIVE_STATE && e.op <= BUILTIN_TIME_IN_STATE;
    if (!is_one) return;
    Inst *inst = m->s->state_refs.at[e.index];
    uint64_t exact = NONE;
    bool is_state = map_get(&m->of_inst, map_key(inst), &exact);
    uint32_t at =
        e.op == BUILTIN_ACTIVE_STATE ? (is_state ? (uint32_t)exact : NONE) : machine_state_around(m, inst);
    if (at == NONE) {
        sema_error(m->s, NULL, E_STATE_MACHINE, span,
                   e.op == BUILTIN_ACTIVE_STATE ? "'%s' is about '%s', which is no state of a state machine"
                                                : "'%s' is for states and transitions: '%s' is in no state",
                   builtin_text((Builtin)e.op), *inst_path(m->s, inst) ? inst_path(m->s, inst) : "the model");
        return;
    }
    bool is_time = e.op == BUILTIN_TIME_IN_STATE;
    VarId v = e.op == BUILTIN_ACTIVE_STATE ? m->states.at[at].active
              : immediate                  ? if_it_stays(m, at, is_time)
              : is_time                    ? time_in(m, at)
                                           : ticks(m, at);
    m->flat->exprs.at[id] =
        (FlatExpr){ .kind = X_VAR, .type = m->flat->vars.at[v].type, .first = e.first, .index = v };
}

/* ---- all of it ------------------------------------------------------------------------------- */

void resolve_machines(Flattening *f)
{
    Sema *s = f->s;
    Flat *flat = f->flat;
    if (!f->transitions.n && !s->state_refs.n) return;
    Machines m = { .f = f, .flat = flat, .s = s, .first = NONE, .vars = flat->vars.n };
    m.integrated.arena = m.of_inst.arena = m.previous_of.arena = m.merged_of.arena = s->arena;
    m.real = flat_type(flat, BASE_REAL, NONE, 0, NULL);
    m.integer = flat_type(flat, BASE_INTEGER, NONE, 0, NULL);
    m.truth = flat_type(flat, BASE_BOOLEAN, NONE, 0, NULL);
    m.owner = NEW_ARRAY(s->arena, uint32_t, flat->vars.n + 1);
    m.same = NEW_ARRAY(s->arena, VarId, flat->vars.n + 1);
    memset(m.owner, 0xff, flat->vars.n * sizeof *m.owner);
    memset(m.same, 0xff, flat->vars.n * sizeof *m.same);
    find_machines(&m);
    for (ExprId id = 0; id < flat->exprs.n; id++) {
        const FlatExpr *e = &flat->exprs.at[id];
        const FlatExpr *of =
            e->kind == X_BUILTIN && e->op == BUILTIN_DER ? &flat->exprs.at[flat->ids.at[e->first]] : NULL;
        if (of && of->kind == X_VAR) map_put(&m.integrated, of->index, NULL);
    }
    if (s->diag->errors) return;
    machine_own_variables(&m);
    Span span = m.machines.n ? m.machines.at[0].span : s->model->own->cls->name_span;
    if (m.machines.n) m.first = machine_add(&m, "first", "machines", m.truth, 1, span);
    if (m.machines.n) machine_give(&m, m.first, machine_boolean(&m, false));
    for (uint32_t i = 0; i < m.machines.n; i++)
        if (m.machines.at[i].states.n) declare_machine(&m, &m.machines.at[i]);
    for (VarId v = 0; v < m.vars; v++) {
        uint64_t seen;
        if (m.owner[v] == NONE || !map_get(&m.integrated, v, &seen)) continue;
        const State *state = &m.states.at[m.owner[v]];
        *map_put(&f->activity, v, NULL) = (uint64_t)state->active << 32 | state->reset;
    }
    uint32_t exprs = flat->exprs.n;
    for (uint32_t i = 0; i < f->transitions.n; i++)
        if (f->transitions.at[i].from)
            replace_operators(&m, f->transitions.at[i].condition, f->transitions.at[i].immediate,
                              f->transitions.at[i].span);
    for (ExprId id = 0; id < exprs; id++) replace_operators(&m, id, false, span);
    machine_guard_states(&m);
    machine_replace_previous(&m, exprs);
    machine_give_merged(&m);
    for (uint32_t i = 0; i < m.machines.n; i++)
        if (m.machines.at[i].states.n) give_machine(&m, &m.machines.at[i]);
}
