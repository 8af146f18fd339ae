/* discretize.c: differential equations with a clock (specification 16.8): integrated from tick to
 * tick by the method that the clock names.
 *
 * In: clocked partitions whose operators have become variables. Out: der(x) is a variable, and x
 * has an equation by the formula of the method; the explicit methods of higher order have copies of
 * the partition's equations for their stages, with inputs between the last tick and this one. Cost:
 * linear in the equations, times stages. Tests: tests/api/values/clocks.mo. */
#include "sema/clock.h"

/* With x', the derivative found at a tick: x = x(last) + h * sum of b[k] * x' of stage k, where
 * stage 0 is the last tick itself, and `own` the weight of the x' of this tick. A stage is at the
 * part `at` of the step, and reached by `by` * h * x' of the stage before. At the first tick x has
 * its start value. */
enum { MOST_STAGES = 3 };

typedef struct {
    const char *name;
    uint32_t stages; /* besides stage 0 */
    double b[MOST_STAGES + 1], own;
    double by[MOST_STAGES], at[MOST_STAGES];
} Method;

/* "External" leaves the method to the tool: one of order 2 that is stable for whatever decays. */
static const Method methods[] = {
    { .name = "ExplicitEuler", .b = { 1 } },
    { .name = "ImplicitEuler", .own = 1 },
    { .name = "ImplicitTrapezoid", .b = { 0.5 }, .own = 0.5 },
    { .name = "External", .b = { 0.5 }, .own = 0.5 },
    { .name = "ExplicitMidPoint2", .stages = 1, .b = { 0, 1 }, .by = { 0.5 }, .at = { 0.5 } },
    { .name = "ExplicitRungeKutta4",
      .stages = 3,
      .b = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 },
      .by = { 0.5, 0.5, 1 },
      .at = { 0.5, 0.5, 1 } },
};

static const Method *method_of(const char *name)
{
    for (size_t i = 0; name && i < COUNT_OF(methods); i++)
        if (!strcmp(methods[i].name, name)) return &methods[i];
    return NULL;
}

/* ---- which method ---------------------------------------------------------------------------- */

static bool is_resampling(const FlatExpr *e)
{
    return e->op == BUILTIN_NO_CLOCK || e->op >= BUILTIN_SUB_SAMPLE;
}

static bool set_method(Clocks *c, uint32_t root, const char *name, Span span)
{
    const char **have = &c->method[root];
    bool differ = *have && strcmp(*have, name);
    if (!*have) *have = name;
    if (differ)
        sema_error(c->s, NULL, E_CLOCK, span, "two solver methods meet here: '%s' and '%s'", *have, name);
    return !differ;
}

static bool constructed_methods(Clocks *c)
{
    bool ok = true;
    for (uint32_t i = 0; i < c->ops.n; i++) {
        const ClockOp *op = &c->ops.at[i];
        const FlatExpr e = c->flat->exprs.at[op->id];
        const FlatExpr *name =
            e.op == BUILTIN_CLOCK && e.n > 1 ? &c->flat->exprs.at[c->flat->ids.at[e.first + 1]] : NULL;
        if (!name || name->kind != X_STRING || !name->text.n) continue;
        const char *text = arena_copy(c->s->arena, name->text);
        if (method_of(text)) {
            ok = set_method(c, clock_root_of(c, op->result), text, op->span) && ok;
            continue;
        }
        Note *note = sema_error(c->s, NULL, E_CLOCK, op->span, "there is no solver method '%s'", text);
        const char *names[COUNT_OF(methods)];
        for (size_t k = 0; k < COUNT_OF(methods); k++) names[k] = methods[k].name;
        const char *near = text_nearest(name->text, names, COUNT_OF(names));
        if (near) diag_hint(c->s->diag, note, "did you mean '%s'?", near);
        ok = false;
    }
    return ok;
}

bool discretize_methods(Clocks *c)
{
    c->method = NEW_ARRAY(c->s->arena, const char *, c->parent.n + 1);
    bool ok = constructed_methods(c);
    for (bool again = ok; again;) { /* those without one take that of what they are connected with */
        again = false;
        for (uint32_t i = 0; i < c->ops.n; i++) {
            const ClockOp *op = &c->ops.at[i];
            if (!is_resampling(&c->flat->exprs.at[op->id])) continue;
            uint32_t a = clock_root_of(c, op->argument), b = clock_root_of(c, op->result);
            if (!c->method[a] == !c->method[b]) continue;
            c->method[c->method[a] ? b : a] = c->method[c->method[a] ? a : b];
            again = true;
        }
    }
    for (uint32_t i = 0; i < c->ders.n && ok; i++) {
        uint32_t root = clock_root_of(c, c->ders.at[i].result);
        if (!(c->state[root] & CLOCKED) || c->method[root]) continue;
        Note *note = sema_error(c->s, NULL, E_CLOCK, c->ders.at[i].span,
                                "a derivative with a clock, which has no solver method");
        diag_hint(c->s->diag, note, "write Clock(c, solverMethod = \"ExplicitEuler\") for the clock c");
        ok = false;
    }
    return ok;
}

/* ---- the formulas ---------------------------------------------------------------------------- */

typedef struct {
    VarId x, rate;
    uint32_t root;
    bool is_bound; /* by equations: see constrained.c */
    Span span;
} State;

typedef struct {
    Clocks *c;
    uint32_t vars; /* before discretisation */
    VEC(State) states;
    /* of the partition and stage at hand: */
    uint32_t root, clock;
    double at;
    VarId *copy; /* by VarId: in this stage; NONE */
} Discretizer;

static ExprId real(const Discretizer *d, double value) { return clock_real(d->c, value); }

static ExprId times(const Discretizer *d, ExprId a, ExprId b)
{
    return clock_binary(d->c, O_MULTIPLY, d->c->real, a, b);
}

static ExprId plus(const Discretizer *d, ExprId a, ExprId b)
{
    return a == NONE ? b : b == NONE ? a : clock_binary(d->c, O_ADD, d->c->real, a, b);
}

static ExprId step(Discretizer *d, Span span)
{
    return flat_expr(d->c->flat, clock_interval(d->c, d->clock, span), NULL, 0);
}

static VarId add(Discretizer *d, const char *what, VarId of, Span span)
{
    FlatVar v = d->c->flat->vars.at[of];
    VarId made = clock_add_variable(d->c, what, v.name, v.type, NONE, span);
    FlatVar *var = &d->c->flat->vars.at[made];
    var->attributes[ATTRIBUTE_FIXED] = NONE;
    var->varies = v.varies;
    var->partition = d->clock + 1;
    return made;
}

static void give(Discretizer *d, VarId v, ExprId value, Span span)
{
    FlatStmt s = { .kind = S_EQUAL, .right = value, .level = NONE, .span = span };
    s.left = clock_variable(d->c, v);
    StmtId id = flat_stmt(d->c->flat, s, NULL, 0);
    vec_push(d->c->flat->arena, &d->c->added, id);
}

static ExprId last(Discretizer *d, VarId v, Span span)
{
    return clock_variable(d->c, clock_previous(d->c, clock_variable(d->c, v), d->clock, span));
}

/* ---- copies of the equations, for stages ----------------------------------------------------- */

static ExprId copy_expr(Discretizer *d, ExprId id, Span span);

/* What comes into the partition is between what it was and what it is; what is no Real was what it
 * was until now. */
static ExprId input_between(Discretizer *d, ExprId id, Span span)
{
    VarId v = d->c->flat->exprs.at[id].index;
    bool is_real = d->c->flat->types.at[d->c->flat->vars.at[v].type].base == BASE_REAL;
    if (d->at >= 1) return id;
    if (!is_real) return last(d, v, span);
    return plus(d, times(d, real(d, 1 - d->at), last(d, v, span)), times(d, real(d, d->at), id));
}

static ExprId copy_expr(Discretizer *d, ExprId id, Span span)
{
    Flat *flat = d->c->flat;
    FlatExpr e = flat->exprs.at[id];
    if (e.kind == X_VAR) {
        if (flat->vars.at[e.index].varies <= VARIES_PARAMETER) return id;
        if (e.index < d->vars && d->copy[e.index] != NONE) return clock_variable(d->c, d->copy[e.index]);
        for (uint32_t i = 0; i < d->states.n; i++)
            if (d->states.at[i].rate == e.index && d->states.at[i].root == d->root)
                return clock_variable(d->c, d->copy[d->vars + i]);
        return input_between(d, id, span);
    }
    if (e.kind == X_TIME) return plus(d, id, times(d, real(d, d->at - 1), step(d, span)));
    if (!e.n) return id;
    ExprId *args = NEW_ARRAY(d->c->s->arena, ExprId, e.n);
    for (uint32_t i = 0; i < e.n; i++) args[i] = copy_expr(d, flat->ids.at[e.first + i], span);
    return flat_expr(flat, e, args, e.n);
}

static bool is_clock_stmt(const Discretizer *d, const FlatStmt *s)
{
    const Flat *flat = d->c->flat;
    ExprId e = s->kind == S_WHEN    ? flat->branches.at[s->first].condition
               : s->kind == S_EQUAL ? s->left
                                    : NONE;
    return e != NONE && flat->types.at[flat->exprs.at[e].type].base == BASE_CLOCK;
}

static StmtId copy_stmt(Discretizer *d, StmtId id)
{
    Flat *flat = d->c->flat;
    FlatStmt s = flat->stmts.at[id];
    FlatBranch *branches = NEW_ARRAY(d->c->s->arena, FlatBranch, s.n + 1);
    for (uint32_t k = 0; k < s.n; k++) {
        branches[k] = flat->branches.at[s.first + k];
        if (branches[k].condition != NONE)
            branches[k].condition = copy_expr(d, branches[k].condition, s.span);
        StmtIds inner = { 0 };
        for (uint32_t i = 0; i < branches[k].n; i++) {
            StmtId copy = copy_stmt(d, flat->ids.at[flat->branches.at[s.first + k].first + i]);
            vec_push(d->c->s->arena, &inner, copy);
        }
        branches[k].first = flat_list(flat, inner.at, inner.n);
    }
    if (s.left != NONE) s.left = copy_expr(d, s.left, s.span);
    if (s.right != NONE) s.right = copy_expr(d, s.right, s.span);
    if (s.level != NONE) s.level = copy_expr(d, s.level, s.span);
    s.partition = d->clock + 1;
    return flat_stmt(flat, s, branches, s.n);
}

/* Equations; those of `when Clock()` are equations like others. */
static void copy_equation(Discretizer *d, StmtId id)
{
    Flat *flat = d->c->flat;
    const FlatStmt s = flat->stmts.at[id];
    if (s.kind == S_ASSERT || s.kind == S_TERMINATE || s.kind == S_CALL) return;
    if (!is_clock_stmt(d, &s)) {
        StmtId copy = copy_stmt(d, id);
        vec_push(flat->arena, &d->c->added, copy);
        return;
    }
    const FlatBranch b = s.kind == S_WHEN ? flat->branches.at[s.first] : (FlatBranch){ 0 };
    for (uint32_t i = 0; i < b.n; i++) copy_equation(d, flat->ids.at[b.first + i]);
}

static void copy_algorithm(Discretizer *d, uint32_t at)
{
    Flat *flat = d->c->flat;
    FlatAlgorithm a = flat->algorithms.at[at];
    StmtIds body = { 0 };
    for (uint32_t i = 0; i < a.n; i++) {
        StmtId copy = copy_stmt(d, flat->ids.at[a.first + i]);
        vec_push(d->c->s->arena, &body, copy);
    }
    a.first = flat_list(flat, body.at, body.n);
    vec_push(flat->arena, &flat->algorithms, a);
}

static void copy_partition(Discretizer *d, uint32_t equations, uint32_t algorithms)
{
    Clocks *c = d->c;
    for (VarId v = 0; v < d->vars; v++) {
        bool is_state = false;
        for (uint32_t i = 0; i < d->states.n; i++) is_state |= d->states.at[i].x == v;
        if (d->copy[v] == NONE || is_state || c->flat->vars.at[v].binding == NONE) continue;
        ExprId value = copy_expr(d, c->flat->vars.at[v].binding, c->flat->vars.at[v].span);
        give(d, d->copy[v], value, c->flat->vars.at[v].span);
    }
    for (uint32_t i = 0; i < equations; i++) {
        StmtId id = c->flat->equations.at[i];
        if (clock_root_of(c, c->flat->stmts.at[id].partition) == d->root) copy_equation(d, id);
    }
    for (uint32_t i = 0; i < algorithms; i++) {
        const FlatAlgorithm *a = &c->flat->algorithms.at[i];
        if (!a->initial && a->n &&
            clock_root_of(c, c->flat->stmts.at[c->flat->ids.at[a->first]].partition) == d->root)
            copy_algorithm(d, i);
    }
}

/* ---- a partition ----------------------------------------------------------------------------- */

/* The derivative of a state that equations bind: from the last tick to `at` of the step. */
static void give_difference(Discretizer *d, VarId of, VarId now, VarId rate, double at)
{
    Clocks *c = d->c;
    Span span = c->flat->vars.at[of].span;
    ExprId way = clock_binary(c, O_SUBTRACT, c->real, clock_variable(c, now), last(d, of, span));
    ExprId slope = clock_binary(c, O_DIVIDE, c->real, way, times(d, real(d, at), step(d, span)));
    ExprId first = clock_variable(c, clock_first_tick(c, d->clock, span));
    give(d, rate, clock_choose(c, c->real, first, real(d, 0), slope), span);
}

/* One stage: its states follow from the stage before; rates[i] becomes the derivative there. */
static void add_stage(Discretizer *d, const Method *m, uint32_t stage, ExprId *rates)
{
    Clocks *c = d->c;
    const char *what = arena_printf(c->s->arena, "stage%u", (unsigned)stage + 1);
    uint32_t equations = c->flat->equations.n, algorithms = c->flat->algorithms.n;
    d->at = m->at[stage];
    for (VarId v = 0; v < d->vars; v++) {
        const FlatVar *var = &c->flat->vars.at[v];
        bool is_own = var->varies > VARIES_PARAMETER && c->flat->types.at[var->type].base != BASE_CLOCK &&
                      clock_root_of(c, v) == d->root;
        d->copy[v] = is_own ? add(d, what, v, var->span) : NONE;
    }
    for (uint32_t i = 0; i < d->states.n; i++) {
        const State x = d->states.at[i];
        if (x.root != d->root) continue;
        d->copy[d->vars + i] = add(d, what, x.rate, x.span);
        if (x.is_bound) {
            give_difference(d, x.x, d->copy[x.x], d->copy[d->vars + i], d->at);
            continue;
        }
        ExprId way = times(d, real(d, m->by[stage]), times(d, step(d, x.span), rates[i]));
        give(d, d->copy[x.x], plus(d, last(d, x.x, x.span), way), x.span);
    }
    copy_partition(d, equations, algorithms);
    for (uint32_t i = 0; i < d->states.n; i++)
        if (d->states.at[i].root == d->root) rates[i] = clock_variable(c, d->copy[d->vars + i]);
}

static void find_bound(Discretizer *d)
{
    VEC(VarId) states = { 0 }, rates = { 0 };
    for (uint32_t i = 0; i < d->states.n; i++) {
        if (d->states.at[i].root != d->root) continue;
        vec_push(d->c->s->arena, &states, d->states.at[i].x);
        vec_push(d->c->s->arena, &rates, d->states.at[i].rate);
    }
    bool *bound = NEW_ARRAY(d->c->s->arena, bool, states.n + 1);
    find_constrained(d->c, d->root, states.at, rates.at, states.n, bound);
    for (uint32_t i = 0, k = 0; i < d->states.n; i++)
        if (d->states.at[i].root == d->root) d->states.at[i].is_bound = bound[k++];
}

static void integrate(Discretizer *d)
{
    Clocks *c = d->c;
    find_bound(d);
    const Method *m = method_of(c->method[d->root]);
    ExprId *rates = NEW_ARRAY(c->s->arena, ExprId, d->states.n + 1);
    ExprId *sum = NEW_ARRAY(c->s->arena, ExprId, d->states.n + 1);
    for (uint32_t i = 0; i < d->states.n; i++) {
        const State x = d->states.at[i];
        sum[i] = NONE;
        if (x.root != d->root || x.is_bound) continue;
        if (m->b[0] > 0 || m->stages) rates[i] = last(d, x.rate, x.span);
        if (m->b[0] > 0) sum[i] = times(d, real(d, m->b[0]), rates[i]);
        if (m->own > 0) sum[i] = plus(d, sum[i], times(d, real(d, m->own), clock_variable(c, x.rate)));
    }
    for (uint32_t k = 0; k < m->stages; k++) {
        add_stage(d, m, k, rates);
        for (uint32_t i = 0; i < d->states.n; i++)
            if (d->states.at[i].root == d->root && !d->states.at[i].is_bound && m->b[k + 1] > 0)
                sum[i] = plus(d, sum[i], times(d, real(d, m->b[k + 1]), rates[i]));
    }
    for (uint32_t i = 0; i < d->states.n; i++) {
        const State x = d->states.at[i];
        if (x.root != d->root) continue;
        if (x.is_bound) {
            give_difference(d, x.x, x.x, x.rate, 1);
            continue;
        }
        ExprId first = clock_variable(c, clock_first_tick(c, d->clock, x.span));
        ExprId start = clock_start_of(c, clock_variable(c, x.x));
        ExprId next = plus(d, last(d, x.x, x.span), times(d, step(d, x.span), sum[i]));
        ExprId value = clock_choose(c, c->real, first, start, next);
        uint64_t state;
        if (map_get(&c->f->activity, x.x, &state)) { /* a state that is not active keeps it */
            ExprId reset = clock_variable(c, (VarId)state), active = clock_variable(c, (VarId)(state >> 32));
            value = clock_choose(c, c->real, reset, start, value);
            value = clock_choose(c, c->real, active, value, last(d, x.x, x.span));
        }
        give(d, x.x, value, x.span);
    }
}

/* der(x) becomes a variable; of an expression: of a variable that is equal to it. */
static void add_state(Discretizer *d, const ClockOp *op)
{
    Clocks *c = d->c;
    FlatExpr e = c->flat->exprs.at[op->id];
    ExprId of = c->flat->ids.at[e.first];
    d->root = clock_root_of(c, op->result);
    d->clock = clock_of(c, d->root);
    if (c->flat->exprs.at[of].kind != X_VAR) {
        sema_error(c->s, NULL, E_CLOCK, op->span,
                   "with a clock the derivative is that of a variable: give this expression a name");
        return;
    }
    VarId v = c->flat->exprs.at[of].index, rate = NONE;
    for (uint32_t i = 0; i < d->states.n; i++)
        if (d->states.at[i].x == v) rate = d->states.at[i].rate;
    if (rate == NONE) {
        rate = add(d, "der", v, op->span);
        vec_push(c->s->arena, &d->states, ((State){ v, rate, d->root, false, op->span }));
    }
    c->flat->exprs.at[op->id] = (FlatExpr){ .kind = X_VAR, .type = c->real, .first = e.first, .index = rate };
}

void discretize(Clocks *c)
{
    Discretizer d = { .c = c, .vars = c->vars };
    for (uint32_t i = 0; i < c->ders.n; i++)
        if (c->state[clock_root_of(c, c->ders.at[i].result)] & CLOCKED) add_state(&d, &c->ders.at[i]);
    if (!d.states.n || c->s->diag->errors) return;
    d.copy = NEW_ARRAY(c->s->arena, VarId, d.vars + d.states.n + 1);
    for (uint32_t i = 0; i < d.states.n; i++) {
        bool is_new = true;
        for (uint32_t k = 0; k < i; k++) is_new &= d.states.at[k].root != d.states.at[i].root;
        d.root = d.states.at[i].root;
        d.clock = clock_of(c, d.root);
        if (is_new) integrate(&d);
    }
}
