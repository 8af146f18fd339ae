/* machine_text.c: what a text says of state machines (specification 17.1): transition,
 * initialState, activeState, ticksInState, timeInState.
 *
 * In: equations and expressions. Out: a list of transitions, whose conditions are flat, and
 * built-in operators that say by their index which instance they are about; machine.c gives them
 * their meaning once the whole model is flat. Tests: tests/modelica/machines.mo. */
#include "sema/inside.h"

bool stmt_is_of_machine(const Env *env, const Stmt *st)
{
    if (st->kind != STMT_CALL || st->left->kind != EXPR_CALL || st->left->callee->n != 1) return false;
    Name name = st->left->callee->parts[0].name;
    bool is_one = str_is(name_str(name), "transition") || str_is(name_str(name), "initialState");
    return is_one && !lookup_name(env->s, env->scope, name);
}

static Inst *state_argument(const Env *env, const Expr *e)
{
    Sema *s = env->s;
    TExpr *x = type_expr(env, e);
    if (tx_is_poison(x)) return NULL;
    Inst *inst = x->type.base == BASE_CLASS && !x->type.rank && x->kind == X_OMITTED ? x->type.def : NULL;
    if (inst && !inst->is_connector && inst->container) return inst;
    sema_error(s, env->scope, E_STATE_MACHINE, e->span, "a state is a component that is a block");
    return NULL;
}

static bool flag_argument(const Env *env, const Expr *e, uint8_t base, int64_t *value)
{
    TExpr *x = type_expr(env, e);
    if (tx_is_poison(x)) return false;
    if (x->type.base != base || x->type.rank || x->varies > VARIES_PARAMETER) {
        sema_error(env->s, env->scope, E_STATE_MACHINE, e->span,
                   "this is %s that is known beforehand, not %s",
                   base == BASE_BOOLEAN ? "a Boolean" : "an Integer", type_text(env->s, &x->type));
        return false;
    }
    Value *v = eval(env->s, x, NULL, env->scope);
    if (v) *value = v->at[0].integer;
    return v != NULL;
}

/* ticksInState() in a condition is about the state that the transition leaves. */
static void mean_state(Sema *s, TExpr *e, Inst *from)
{
    bool is_one = e->kind == X_BUILTIN && (e->op == BUILTIN_TICKS_IN_STATE || e->op == BUILTIN_TIME_IN_STATE);
    if (is_one) {
        vec_push(s->arena, &s->state_refs, from);
        e->index = s->state_refs.n - 1;
    }
    for (uint32_t i = 0; i < e->n; i++) mean_state(s, e->args[i], from);
}

static const char *const places[] = { "from",  "to",          "condition", "immediate",
                                      "reset", "synchronize", "priority" };

static bool place_arguments(const Env *env, const Expr *call, const Expr **args)
{
    for (uint32_t i = 0; i < call->n; i++) {
        const Expr *item = call->items[i];
        uint32_t at = i;
        if (item->kind == EXPR_NAMED)
            for (at = 0; at < COUNT_OF(places) && !str_is(name_str(item->name), places[at]);) at++;
        if (at >= COUNT_OF(places) || args[at]) {
            sema_error(env->s, env->scope, E_ARGUMENTS, item->span, "'transition' has no such argument");
            return false;
        }
        args[at] = item->kind == EXPR_NAMED ? item->left : item;
    }
    if (args[0] && args[1] && args[2]) return true;
    sema_error(env->s, env->scope, E_ARGUMENTS, call->span,
               "'transition' takes the state that it leaves, the one that it leads to, and a condition");
    return false;
}

static void collect_transition(Flattening *f, const Env *env, const Stmt *st)
{
    Sema *s = f->s;
    const Expr *args[COUNT_OF(places)] = { 0 };
    int64_t immediate = 1, reset = 1, synchronize = 0, priority = 1;
    if (!place_arguments(env, st->left, args)) return;
    Transition t = { .owner = env->scope->inst, .span = st->span };
    t.from = state_argument(env, args[0]);
    t.to = state_argument(env, args[1]);
    TExpr *condition = type_expr(env, args[2]);
    bool ok = t.from && t.to && !tx_is_poison(condition) && check_condition(env, condition, false);
    if (args[3]) ok = flag_argument(env, args[3], BASE_BOOLEAN, &immediate) && ok;
    if (args[4]) ok = flag_argument(env, args[4], BASE_BOOLEAN, &reset) && ok;
    if (args[5]) ok = flag_argument(env, args[5], BASE_BOOLEAN, &synchronize) && ok;
    if (args[6]) ok = flag_argument(env, args[6], BASE_INTEGER, &priority) && ok;
    if (!ok) return;
    if (priority < 1 || priority > INT32_MAX) {
        sema_error(s, env->scope, E_STATE_MACHINE, args[6]->span, "a priority is 1 or more, not %lld",
                   (long long)priority);
        return;
    }
    mean_state(s, condition, t.from);
    t.condition = emit_scalar(s, f->flat, condition);
    t.immediate = immediate, t.reset = reset, t.synchronize = synchronize;
    t.priority = (uint32_t)priority;
    vec_push(s->arena, &f->transitions, t);
}

void collect_machine(Flattening *f, const Env *env, const Stmt *st)
{
    Sema *s = f->s;
    const Expr *call = st->left;
    if (env->place & (PLACE_WHEN | PLACE_IF | PLACE_INITIAL)) {
        sema_error(
            s, env->scope, E_STATE_MACHINE, st->span,
            "'%s' is an equation that is always there: not of a when-equation, or of an if-equation whose "
            "condition only the run knows",
            name_text(call->callee->parts[0].name));
        return;
    }
    if (str_is(name_str(call->callee->parts[0].name), "transition")) {
        collect_transition(f, env, st);
        return;
    }
    if (call->n != 1) {
        sema_error(s, env->scope, E_ARGUMENTS, st->span, "'initialState' takes one state");
        return;
    }
    Transition t = { .owner = env->scope->inst, .condition = NONE, .span = st->span };
    t.to = state_argument(env, call->items[0]->kind == EXPR_NAMED ? call->items[0]->left : call->items[0]);
    if (t.to) vec_push(s->arena, &f->transitions, t);
}

/* activeState(x), ticksInState(), timeInState() */
TExpr *state_operator(const Env *env, Builtin b, TExpr **args, uint32_t n, Span span)
{
    Sema *s = env->s;
    bool is_active = b == BUILTIN_ACTIVE_STATE;
    bool fits = is_active ? n == 1 && args[0]->type.base == BASE_CLASS && args[0]->type.def : n == 0;
    if (!fits) {
        sema_error(s, env->scope, E_STATE_MACHINE, span,
                   is_active ? "'activeState' is about one state" : "'%s' takes no argument",
                   builtin_text(b));
        return tx_poison(s, span);
    }
    uint8_t base = is_active ? BASE_BOOLEAN : b == BUILTIN_TICKS_IN_STATE ? BASE_INTEGER : BASE_REAL;
    uint8_t varies = base == BASE_REAL ? VARIES_CONTINUOUS : VARIES_DISCRETE;
    TExpr *x = tx_builtin(s, b, type_scalar(base), varies, span, NULL, 0);
    vec_push(s->arena, &s->state_refs, is_active ? args[0]->type.def : env->scope->inst);
    x->index = s->state_refs.n - 1;
    return x;
}

Inst *state_with(const Flattening *f, const Entry *e)
{
    for (Inst *inst = e->owner; inst; inst = inst->container)
        for (uint32_t i = 0; i < f->transitions.n; i++)
            if (f->transitions.at[i].from == inst || f->transitions.at[i].to == inst) return inst;
    return NULL;
}
