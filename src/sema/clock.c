/* clock.c: clocked partitions (specification, chapter 16): which clock each equation and variable
 * has, and the flat model without clocks.
 *
 * In: a flat model with calls of Clock, sample, hold, previous and the like. Out: a model without
 * them; variables and equations carry the number of their clock as partition. Cost: near-linear.
 * Tests: tests/modelica/clocks.mo. */
#include "sema/clock.h"

#include <math.h>

/* Equations and variables that meet outside of the arguments of clock operators have one clock
 * (union-find); clocks spread from constructors over subSample, superSample, shiftSample and
 * backSample as base clock, factor and shift, exact as ratios. Each base clock becomes one
 * when-equation, on a sample or an event, which counts its ticks and brings what clocked equations
 * read up to date: sampled and held values, previous values. The clocked equations themselves
 * become plain ones: between ticks nothing in them changes, and they may be solved in any order.
 * Invariant: all ticks of one base clock are one event, so clocks that tick together do so exactly.
 */

/* ---- ratios ---------------------------------------------------------------------------------- */

static int64_t common(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

static Ratio ratio(int64_t n, int64_t d)
{
    int64_t g = common(n, d);
    if (!g) return (Ratio){ 0, 1 };
    if (d < 0) g = -g;
    return (Ratio){ n / g, d / g };
}

static Ratio times(Ratio a, Ratio b)
{
    Ratio x = ratio(a.n, b.d), y = ratio(b.n, a.d);
    return ratio(x.n * y.n, x.d * y.d);
}

static Ratio plus(Ratio a, Ratio b) { return ratio(a.n * b.d + b.n * a.d, a.d * b.d); }
static bool same_ratio(Ratio a, Ratio b) { return a.n == b.n && a.d == b.d; }

/* The largest ratio that divides both. */
static Ratio common_ratio(Ratio a, Ratio b) { return ratio(common(a.n * b.d, b.n * a.d), a.d * b.d); }

/* ---- the graph ------------------------------------------------------------------------------- */

static const double NEVER = 1e60; /* no tick is as late */

uint32_t clock_root_of(Clocks *c, uint32_t node)
{
    uint32_t *p = c->parent.at;
    while (p[node] != node) node = p[node] = p[p[node]];
    return node;
}

static void unite(Clocks *c, uint32_t a, uint32_t b)
{
    a = clock_root_of(c, a);
    b = clock_root_of(c, b);
    c->parent.at[a < b ? b : a] = a < b ? a : b;
}

static uint32_t new_context(Clocks *c, Span span)
{
    uint32_t own = c->parent.n;
    vec_push(c->s->arena, &c->parent, own);
    vec_push(c->s->arena, &c->spans, span);
    return own;
}

static ExprId arg_of(const Clocks *c, const FlatExpr *e, uint32_t i) { return c->flat->ids.at[e->first + i]; }

static bool is_clock(const Clocks *c, ExprId id)
{
    return c->flat->types.at[c->flat->exprs.at[id].type].base == BASE_CLOCK;
}

static bool is_truth(const Clocks *c, ExprId id)
{
    return c->flat->types.at[c->flat->exprs.at[id].type].base == BASE_BOOLEAN;
}

static void visit(Clocks *c, ExprId id, uint32_t context, Span span);

/* An operator whose argument has another clock than the equation around it. */
static void visit_conversion(Clocks *c, ExprId id, uint32_t context, Span span)
{
    FlatExpr e = c->flat->exprs.at[id];
    uint32_t inner = new_context(c, span);
    visit(c, arg_of(c, &e, 0), inner, span);
    vec_push(c->s->arena, &c->ops, ((ClockOp){ id, context, inner, span }));
    bool holds = e.op == BUILTIN_HOLD, samples = e.op == BUILTIN_CLOCK_SAMPLE;
    Nodes *outside = holds ? &c->unmarked : &c->marks, *inside = samples ? &c->unmarked : &c->marks;
    vec_push(c->s->arena, outside, context);
    vec_push(c->s->arena, inside, inner);
    if (samples && e.n == 2) visit(c, arg_of(c, &e, 1), context, span);
}

static void visit(Clocks *c, ExprId id, uint32_t context, Span span)
{
    FlatExpr e = c->flat->exprs.at[id];
    if (e.kind == X_VAR) {
        if (c->flat->vars.at[e.index].varies > VARIES_PARAMETER) unite(c, context, e.index);
        return;
    }
    bool is_clock_op = e.kind == X_BUILTIN && e.op >= BUILTIN_CLOCK;
    if (is_clock_op && e.op >= BUILTIN_CLOCK_SAMPLE) {
        visit_conversion(c, id, context, span);
        return;
    }
    if (is_clock_op) { /* Clock, previous, interval, firstTick */
        vec_push(c->s->arena, &c->marks, context);
        vec_push(c->s->arena, &c->ops, ((ClockOp){ id, context, context, span }));
        bool of_clock = e.op == BUILTIN_CLOCK && e.n && is_clock(c, arg_of(c, &e, 0));
        /* an interval that varies has the clock that it makes; a condition has none */
        bool of_event = e.op == BUILTIN_CLOCK && e.n && is_truth(c, arg_of(c, &e, 0));
        bool apart = of_event || (of_clock && e.n > 1);
        uint32_t inner = apart ? new_context(c, span) : context;
        if (of_clock && apart) vec_push(c->s->arena, &c->marks, inner);
        c->ops.at[c->ops.n - 1].argument = inner;
        if (e.n) visit(c, arg_of(c, &e, 0), inner, span);
        return;
    }
    if (e.kind == X_BUILTIN && e.op == BUILTIN_DER)
        vec_push(c->s->arena, &c->ders, ((ClockOp){ id, context, context, span }));
    for (uint32_t i = 0; i < e.n; i++) visit(c, arg_of(c, &e, i), context, span);
}

static void visit_stmt(Clocks *c, StmtId id, uint32_t context)
{
    const FlatStmt s = c->flat->stmts.at[id];
    ExprId parts[] = { s.left, s.right, s.level };
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (parts[i] != NONE) visit(c, parts[i], context, s.span);
    for (uint32_t i = 0; i < s.n; i++) {
        const FlatBranch b = c->flat->branches.at[s.first + i];
        if (b.condition != NONE) visit(c, b.condition, context, s.span);
        for (uint32_t k = 0; k < b.n; k++) visit_stmt(c, c->flat->ids.at[b.first + k], context);
    }
}

static void visit_all(Clocks *c)
{
    Flat *flat = c->flat;
    for (VarId v = 0; v < flat->vars.n; v++) new_context(c, flat->vars.at[v].span);
    for (VarId v = 0; v < flat->vars.n; v++)
        if (flat->vars.at[v].binding != NONE) visit(c, flat->vars.at[v].binding, v, flat->vars.at[v].span);
    for (uint32_t i = 0; i < flat->equations.n; i++) {
        StmtId id = flat->equations.at[i];
        flat->stmts.at[id].partition = new_context(c, flat->stmts.at[id].span);
        visit_stmt(c, id, flat->stmts.at[id].partition);
    }
    for (uint32_t i = 0; i < flat->algorithms.n; i++) {
        const FlatAlgorithm *a = &flat->algorithms.at[i];
        uint32_t context = new_context(c, a->span);
        for (uint32_t k = 0; !a->initial && k < a->n; k++) {
            StmtId id = flat->ids.at[a->first + k];
            flat->stmts.at[id].partition = context;
            visit_stmt(c, id, context);
        }
    }
}

static void mark_states(Clocks *c)
{
    c->state = NEW_ARRAY(c->s->arena, uint8_t, c->parent.n + 1);
    c->ticks = NEW_ARRAY(c->s->arena, Ticks, c->parent.n + 1);
    for (uint32_t i = 0; i < c->parent.n; i++) c->ticks[i].base = NONE;
    for (uint32_t i = 0; i < c->marks.n; i++) c->state[clock_root_of(c, c->marks.at[i])] |= CLOCKED;
    for (uint32_t i = 0; i < c->unmarked.n; i++) {
        uint32_t root = clock_root_of(c, c->unmarked.at[i]);
        if (c->state[root] == CLOCKED)
            sema_error(c->s, NULL, E_CLOCK, c->spans.at[c->unmarked.at[i]],
                       "clocked and unclocked variables meet here without 'sample' or 'hold' between them");
        c->state[root] |= UNCLOCKED;
    }
}

/* ---- clocks spread --------------------------------------------------------------------------- */

static bool number_of(const Clocks *c, ExprId id, double *value)
{
    const FlatExpr *e = &c->flat->exprs.at[id];
    if (e->kind != X_REAL && e->kind != X_INTEGER) return false;
    *value = e->kind == X_REAL ? e->real : (double)e->integer;
    return true;
}

static int64_t integer_of(const Clocks *c, const FlatExpr *e, uint32_t i, int64_t otherwise)
{
    if (i >= e->n) return otherwise;
    const FlatExpr *x = &c->flat->exprs.at[arg_of(c, e, i)];
    return x->kind == X_INTEGER ? x->integer : otherwise;
}

static BaseClock base_clock(double period, Span span)
{
    return (BaseClock){ .period = period,
                        .condition = NONE,
                        .interval = NONE,
                        .next = NONE,
                        .step = { 0, 1 },
                        .count = NONE,
                        .span = span };
}

static uint32_t base_of_period(Clocks *c, double period, Span span)
{
    for (uint32_t i = 0; i < c->bases.n; i++)
        if (c->bases.at[i].period > 0 && fabs(c->bases.at[i].period - period) <= 1e-14 * period) return i;
    BaseClock base = base_clock(period, span);
    vec_push(c->s->arena, &c->bases, base);
    return c->bases.n - 1;
}

/* The ticks of a constructor; base NONE for Clock() and for one that takes another clock. */
static Ticks constructed(Clocks *c, const FlatExpr *e, Span span)
{
    Ticks t = { NONE, { 1, 1 }, { 0, 1 } };
    double period = 0;
    if (!e->n || is_clock(c, arg_of(c, e, 0))) return t;
    const FlatExpr *first = &c->flat->exprs.at[arg_of(c, e, 0)];
    if (c->flat->types.at[first->type].base == BASE_BOOLEAN) {
        BaseClock base = base_clock(0, span);
        base.condition = arg_of(c, e, 0);
        if (e->n > 1) number_of(c, arg_of(c, e, 1), &base.start_interval);
        vec_push(c->s->arena, &c->bases, base);
        t.base = c->bases.n - 1;
    } else if (first->kind == X_INTEGER && first->integer == 0) {
        return t; /* the clock follows from elsewhere */
    } else if (first->kind != X_INTEGER && first->kind != X_REAL) {
        BaseClock base = base_clock(0, span);
        base.interval = arg_of(c, e, 0);
        base.resolution = (double)integer_of(c, e, 1, 1);
        double start = 0;
        number_of(c, clock_start_of(c, base.interval), &start);
        base.start_interval = start / base.resolution;
        vec_push(c->s->arena, &c->bases, base);
        t.base = c->bases.n - 1;
        return t;
    } else if (first->kind == X_INTEGER && (e->n == 1 || integer_of(c, e, 1, 0) > 0)) {
        t.factor = ratio(first->integer, integer_of(c, e, 1, 1));
        t.base = base_of_period(c, 1, span);
        period = (double)first->integer;
    } else if (number_of(c, arg_of(c, e, 0), &period) && period > 0) {
        t.base = base_of_period(c, period, span);
    }
    if (t.base == NONE || (c->bases.at[t.base].period > 0 && !(period > 0)))
        sema_error(c->s, NULL, E_CLOCK, span,
                   "the interval of a clock is a number above zero that is known beforehand");
    return t;
}

static bool same_ticks(Ticks a, Ticks b)
{
    return a.base == b.base && same_ratio(a.factor, b.factor) && same_ratio(a.shift, b.shift);
}

static void set_ticks(Clocks *c, uint32_t node, Ticks t, Span span)
{
    Ticks *have = &c->ticks[clock_root_of(c, node)];
    if (t.base == NONE) return;
    if (have->base == NONE) {
        *have = t;
    } else if (!same_ticks(*have, t)) {
        Note *note = sema_error(c->s, NULL, E_CLOCK, span, "two different clocks meet here");
        diag_label(c->s->diag, note, c->bases.at[have->base].span, "one clock");
        if (t.base != have->base) diag_label(c->s->diag, note, c->bases.at[t.base].span, "the other clock");
        *have = t; /* reported once */
    }
}

/* What an operator makes of the clock of its argument, or, backwards, of its result. False if its
 * factor is left open. */
static bool converted(const Clocks *c, const FlatExpr *e, bool backwards, Ticks *t)
{
    int64_t k = integer_of(c, e, 1, 0), r = integer_of(c, e, 2, 1);
    Ratio factor = { 1, 1 }, shift = { 0, 1 };
    if (e->op == BUILTIN_SUB_SAMPLE || e->op == BUILTIN_SUPER_SAMPLE) {
        if (k <= 0) return false;
        factor = e->op == BUILTIN_SUB_SAMPLE ? ratio(k, 1) : ratio(1, k);
    } else if (e->op == BUILTIN_CLOCK) {
        return true; /* with a solver method */
    } else if (e->op == BUILTIN_SHIFT_SAMPLE || e->op == BUILTIN_BACK_SAMPLE) {
        shift = ratio(e->op == BUILTIN_SHIFT_SAMPLE ? k : -k, r > 0 ? r : 1);
    } else {
        return false;
    }
    if (backwards) {
        factor = ratio(factor.d, factor.n);
        shift.n = -shift.n;
    }
    t->shift = plus(t->shift, times(shift, t->factor));
    t->factor = times(t->factor, factor);
    return true;
}

static void spread(Clocks *c)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < c->ops.n; i++) {
            const ClockOp *op = &c->ops.at[i];
            const FlatExpr *e = &c->flat->exprs.at[op->id];
            bool has_method = e->op == BUILTIN_CLOCK && e->n > 1 && is_clock(c, arg_of(c, e, 0));
            if (e->op < BUILTIN_SUB_SAMPLE && !has_method) continue;
            uint32_t from = clock_root_of(c, op->argument), to = clock_root_of(c, op->result);
            Ticks forth = c->ticks[from], back = c->ticks[to];
            if (c->ticks[from].base != NONE && converted(c, e, false, &forth)) {
                again = again || c->ticks[to].base == NONE;
                set_ticks(c, to, forth, op->span);
            } else if (back.base != NONE && c->ticks[from].base == NONE && converted(c, e, true, &back)) {
                again = true;
                set_ticks(c, from, back, op->span);
            }
        }
    }
}

/* Clocks by constructors, then along the operators; what is left open ticks once a second. */
static void find_ticks(Clocks *c)
{
    for (uint32_t i = 0; i < c->ops.n; i++) {
        const ClockOp op = c->ops.at[i];
        const FlatExpr e = c->flat->exprs.at[op.id];
        if (e.op == BUILTIN_CLOCK) set_ticks(c, op.result, constructed(c, &e, op.span), op.span);
    }
    spread(c);
    for (uint32_t i = 0; i < c->parent.n; i++) {
        if (clock_root_of(c, i) != i || !(c->state[i] & CLOCKED) || c->ticks[i].base != NONE) continue;
        c->ticks[i] = (Ticks){ base_of_period(c, 1, c->spans.at[i]), { 1, 1 }, { 0, 1 } };
        spread(c);
    }
    for (uint32_t i = 0; i < c->parent.n; i++) {
        const Ticks *t = &c->ticks[i];
        if (clock_root_of(c, i) != i || t->base == NONE) continue;
        BaseClock *base = &c->bases.at[t->base];
        base->step = common_ratio(common_ratio(base->step, t->factor), t->shift);
        if (base->period > 0 || (t->factor.d == 1 && t->shift.d == 1 && t->shift.n >= 0)) continue;
        sema_error(c->s, NULL, E_CLOCK, base->span, "the clock of an event can tick at its events only");
    }
}

/* ---- what takes the place of clocks ---------------------------------------------------------- */

ExprId clock_literal(const Clocks *c, uint8_t kind, TypeId type, int64_t value)
{
    FlatExpr e = { .kind = kind, .type = type, .integer = value };
    if (kind == X_REAL) e.real = (double)value;
    return flat_expr(c->flat, e, NULL, 0);
}

ExprId clock_real(const Clocks *c, double value)
{
    return flat_expr(c->flat, (FlatExpr){ .kind = X_REAL, .type = c->real, .real = value }, NULL, 0);
}

ExprId clock_variable(const Clocks *c, VarId v)
{
    return flat_expr(c->flat, (FlatExpr){ .kind = X_VAR, .type = c->flat->vars.at[v].type, .index = v }, NULL,
                     0);
}

ExprId clock_binary(const Clocks *c, Oper op, TypeId type, ExprId a, ExprId b)
{
    return flat_expr(c->flat, (FlatExpr){ .kind = X_BINARY, .op = (uint8_t)op, .type = type },
                     (ExprId[]){ a, b }, 2);
}

static ExprId builtin(const Clocks *c, Builtin b, TypeId type, const ExprId *args, uint32_t n)
{
    return flat_expr(c->flat, (FlatExpr){ .kind = X_BUILTIN, .op = (uint8_t)b, .type = type }, args, n);
}

static ExprId pre(const Clocks *c, VarId v)
{
    ExprId x = clock_variable(c, v);
    return builtin(c, BUILTIN_PRE, c->flat->vars.at[v].type, &x, 1);
}

ExprId clock_choose(const Clocks *c, TypeId type, ExprId condition, ExprId yes, ExprId no)
{
    return flat_expr(c->flat, (FlatExpr){ .kind = X_IF, .type = type }, (ExprId[]){ condition, yes, no }, 3);
}

static ExprId default_start(const Clocks *c, TypeId type)
{
    switch (c->flat->types.at[type].base) {
    case BASE_REAL: return clock_literal(c, X_REAL, type, 0);
    case BASE_BOOLEAN: return clock_literal(c, X_BOOLEAN, type, 0);
    case BASE_ENUM: return clock_literal(c, X_ENUM, type, 1);
    case BASE_STRING: return flat_expr(c->flat, (FlatExpr){ .kind = X_STRING, .type = type }, NULL, 0);
    default: return clock_literal(c, X_INTEGER, type, 0);
    }
}

/* The start value of what an expression names. */
ExprId clock_start_of(const Clocks *c, ExprId id)
{
    const FlatExpr *e = &c->flat->exprs.at[id];
    ExprId start = e->kind == X_VAR ? c->flat->vars.at[e->index].attributes[ATTRIBUTE_START] : NONE;
    return start != NONE ? start : default_start(c, c->flat->exprs.at[id].type);
}

VarId clock_add_variable(Clocks *c, const char *what, const char *of, TypeId type, ExprId start, Span span)
{
    FlatVar v = { .type = type, .varies = VARIES_DISCRETE, .array = NONE, .binding = NONE, .span = span };
    for (int i = 0; i < ATTRIBUTE_COUNT; i++) v.attributes[i] = NONE;
    Name name = name_of(c->s->names, str_of(arena_printf(c->s->arena, "%s(%s)", what, of)));
    uint64_t *uses = map_put(&c->names, map_key(name), NULL);
    v.name = ++*uses > 1 ? arena_printf(c->flat->arena, "%s#%u", name_text(name), (unsigned)*uses)
                         : arena_copy(c->flat->arena, name_str(name));
    v.attributes[ATTRIBUTE_START] = start;
    v.attributes[ATTRIBUTE_FIXED] = clock_literal(c, X_BOOLEAN, c->truth, 1);
    vec_push(c->flat->arena, &c->flat->vars, v);
    return c->flat->vars.n - 1;
}

static void add_update(Clocks *c, BaseClock *base, VarId v, ExprId value)
{
    FlatStmt s = { .kind = S_EQUAL, .right = value, .level = NONE, .span = base->span };
    s.left = clock_variable(c, v);
    StmtId id = flat_stmt(c->flat, s, NULL, 0);
    vec_push(c->s->arena, &base->updates, id);
}

uint32_t clock_of(Clocks *c, uint32_t node)
{
    Ticks t = c->ticks[clock_root_of(c, node)];
    for (uint32_t i = 0; i < c->clocks.n; i++)
        if (same_ticks(c->clocks.at[i].ticks, t)) return i;
    vec_push(c->s->arena, &c->clocks, ((ClockOf){ t, NONE, NONE, NONE }));
    return c->clocks.n - 1;
}

/* Whether a clock ticks at a step of its base; NONE: at each. */
static ExprId ticks_now(Clocks *c, uint32_t clock)
{
    Ticks t = c->clocks.at[clock].ticks;
    BaseClock *base = &c->bases.at[t.base];
    Ratio inverse = ratio(base->step.d, base->step.n), every = times(t.factor, inverse),
          first = times(t.shift, inverse);
    if (every.n == 1 && first.n == 0) return NONE;
    if (base->count == NONE) {
        base->count = clock_add_variable(c, "ticks", base->period > 0 ? "clock" : "event", c->integer,
                                         clock_literal(c, X_INTEGER, c->integer, -1), base->span);
        base = &c->bases.at[t.base];
        ExprId one = clock_literal(c, X_INTEGER, c->integer, 1);
        add_update(c, base, base->count, clock_binary(c, O_ADD, c->integer, pre(c, base->count), one));
    }
    ExprId zero = clock_literal(c, X_INTEGER, c->integer, 0),
           from = clock_literal(c, X_INTEGER, c->integer, first.n);
    ExprId args[] = { clock_binary(c, O_SUBTRACT, c->integer, clock_variable(c, base->count), from),
                      clock_literal(c, X_INTEGER, c->integer, every.n) };
    ExprId due = clock_binary(c, O_EQUAL, c->truth, builtin(c, BUILTIN_MOD, c->integer, args, 2), zero);
    if (first.n <= 0) return due;
    return clock_binary(c, O_AND, c->truth,
                        clock_binary(c, O_GREATER_EQUAL, c->truth, clock_variable(c, base->count), from),
                        due);
}

/* v = value at each tick of a clock. */
static void update_at(Clocks *c, uint32_t clock, VarId v, ExprId value)
{
    ExprId now = ticks_now(c, clock);
    if (now != NONE) value = clock_choose(c, c->flat->vars.at[v].type, now, value, pre(c, v));
    add_update(c, &c->bases.at[c->clocks.at[clock].ticks.base], v, value);
    c->flat->vars.at[v].partition = clock + 1;
}

static const char *text_of(const Clocks *c, ExprId id)
{
    const FlatExpr *e = &c->flat->exprs.at[id];
    return e->kind == X_VAR ? c->flat->vars.at[e->index].name : e->kind == X_TIME ? "time" : "...";
}

/* The left limit of an expression: what 'sample' takes. A variable stands for one that is none. */
static ExprId left_limit(Clocks *c, ExprId id, Span span)
{
    const FlatExpr e = c->flat->exprs.at[id];
    if (e.kind == X_VAR) return c->flat->vars.at[e.index].varies <= VARIES_PARAMETER ? id : pre(c, e.index);
    if (e.kind == X_TIME || e.kind <= X_ENUM) return id;
    VarId v = clock_add_variable(c, "sampled", "...", e.type, NONE, span);
    FlatVar *var = &c->flat->vars.at[v];
    var->attributes[ATTRIBUTE_FIXED] = NONE;
    if (c->flat->types.at[e.type].base == BASE_REAL) var->varies = VARIES_CONTINUOUS;
    FlatStmt s = { .kind = S_EQUAL, .right = id, .level = NONE, .span = span };
    s.left = clock_variable(c, v);
    StmtId equation = flat_stmt(c->flat, s, NULL, 0);
    vec_push(c->flat->arena, &c->added, equation);
    return pre(c, v);
}

/* What an expression is after the last tick of its clock, its start value before the first. */
static VarId held(Clocks *c, ExprId id, uint32_t clock, const char *what, Span span)
{
    const FlatExpr *e = &c->flat->exprs.at[id];
    uint64_t key = (e->kind == X_VAR ? (uint64_t)e->index << 1 : (uint64_t)id << 1 | 1) << 20 | clock, known;
    if (*what == 'h' && map_get(&c->held, key, &known)) return (VarId)known;
    bool samples = str_is(str_of(what), "sample");
    VarId v = clock_add_variable(c, what, text_of(c, id), e->type, clock_start_of(c, id), span);
    update_at(c, clock, v, samples ? left_limit(c, id, span) : id);
    if (*what == 'h') *map_put(&c->held, key, NULL) = v;
    return v;
}

static VarId ticked(Clocks *c, uint32_t clock, Span span)
{
    if (c->clocks.at[clock].ticked == NONE) {
        VarId v = clock_add_variable(c, "ticked", "clock", c->truth, clock_literal(c, X_BOOLEAN, c->truth, 0),
                                     span);
        c->clocks.at[clock].ticked = v;
        update_at(c, clock, v, clock_literal(c, X_BOOLEAN, c->truth, 1));
    }
    return c->clocks.at[clock].ticked;
}

VarId clock_previous(Clocks *c, ExprId id, uint32_t clock, Span span)
{
    const FlatExpr e = c->flat->exprs.at[id];
    uint64_t key = ((uint64_t)e.index << 1) << 20 | (1u << 19), known;
    if (map_get(&c->held, key, &known)) return (VarId)known;
    ExprId start = clock_start_of(c, id);
    VarId v = clock_add_variable(c, "previous", text_of(c, id), e.type, start, span),
          has = ticked(c, clock, span);
    update_at(c, clock, v, clock_choose(c, e.type, pre(c, has), pre(c, e.index), start));
    *map_put(&c->held, key, NULL) = v;
    return v;
}

VarId clock_first_tick(Clocks *c, uint32_t clock, Span span)
{
    if (c->clocks.at[clock].first == NONE) {
        VarId has = ticked(c, clock, span);
        VarId v = clock_add_variable(c, "firstTick", "clock", c->truth,
                                     clock_literal(c, X_BOOLEAN, c->truth, 0), span);
        ExprId before = pre(c, has);
        ExprId not_yet =
            flat_expr(c->flat, (FlatExpr){ .kind = X_UNARY, .op = O_NOT, .type = c->truth }, &before, 1);
        c->clocks.at[clock].first = v;
        update_at(c, clock, v, not_yet);
    }
    return c->clocks.at[clock].first;
}

/* The time since the last tick: of a clock of events a variable. */
static VarId event_interval(Clocks *c, uint32_t clock, Span span)
{
    if (c->clocks.at[clock].interval == NONE) {
        double start = c->bases.at[c->clocks.at[clock].ticks.base].start_interval;
        VarId has = ticked(c, clock, span);
        VarId last = clock_add_variable(c, "last", "clock", c->real, clock_real(c, 0), span);
        VarId v = clock_add_variable(c, "interval", "clock", c->real, clock_real(c, start), span);
        ExprId now = flat_expr(c->flat, (FlatExpr){ .kind = X_TIME, .type = c->real }, NULL, 0);
        ExprId since = clock_binary(c, O_SUBTRACT, c->real, now, pre(c, last));
        c->clocks.at[clock].interval = v;
        update_at(c, clock, v, clock_choose(c, c->real, pre(c, has), since, clock_real(c, start)));
        update_at(c, clock, last, now);
    }
    return c->clocks.at[clock].interval;
}

FlatExpr clock_interval(Clocks *c, uint32_t clock, Span span)
{
    Ticks t = c->clocks.at[clock].ticks;
    double period = c->bases.at[t.base].period;
    if (period > 0)
        return (FlatExpr){ .kind = X_REAL,
                           .type = c->real,
                           .real = period * (double)t.factor.n / (double)t.factor.d };
    return (FlatExpr){ .kind = X_VAR, .type = c->real, .index = event_interval(c, clock, span) };
}

/* An operator becomes the variable that it stands for. */
static void replace_op(Clocks *c, const ClockOp *op)
{
    FlatExpr e = c->flat->exprs.at[op->id];
    if (e.kind != X_BUILTIN || c->flat->types.at[e.type].base == BASE_CLOCK) return;
    uint32_t clock = e.op == BUILTIN_HOLD ? NONE : clock_of(c, op->result);
    ExprId arg = e.n ? arg_of(c, &e, 0) : NONE;
    FlatExpr by = { .kind = X_VAR, .type = e.type };
    switch ((Builtin)e.op) {
    case BUILTIN_PREVIOUS:
        if (c->flat->exprs.at[arg].kind != X_VAR) {
            sema_error(c->s, NULL, E_CLOCK, op->span, "'previous' is about a variable");
            return;
        }
        by.index = clock_previous(c, arg, clock, op->span);
        break;
    case BUILTIN_FIRST_TICK: by.index = clock_first_tick(c, clock, op->span); break;
    case BUILTIN_INTERVAL: by = clock_interval(c, clock, op->span); break;
    case BUILTIN_CLOCK_SAMPLE: by.index = held(c, arg, clock, "sample", op->span); break;
    case BUILTIN_HOLD: by.index = held(c, arg, clock_of(c, op->argument), "hold", op->span); break;
    default: {
        VarId last = held(c, arg, clock_of(c, op->argument), "hold", op->span);
        by.index = held(c, clock_variable(c, last), clock, builtin_text((Builtin)e.op), op->span);
        c->flat->vars.at[by.index].attributes[ATTRIBUTE_START] = clock_start_of(c, arg);
        break;
    }
    }
    by.first = e.first;
    c->flat->exprs.at[op->id] = by;
}

/* The event of a clock, one event iteration late: what the clocked equations change may be part of
 * the condition. */
static ExprId event_of(Clocks *c, const BaseClock *base)
{
    VarId v = clock_add_variable(c, "event", "clock", c->truth, NONE, base->span);
    c->flat->vars.at[v].attributes[ATTRIBUTE_FIXED] = NONE;
    FlatStmt s = { .kind = S_EQUAL, .right = base->condition, .level = NONE, .span = base->span };
    s.left = clock_variable(c, v);
    StmtId id = flat_stmt(c->flat, s, NULL, 0);
    vec_push(c->flat->arena, &c->flat->equations, id);
    return pre(c, v);
}

/* An interval that varies: the first tick at the start, each other one where the last one has put
 * it. */
static ExprId due_of(Clocks *c, BaseClock *base)
{
    ExprId first[] = { clock_real(c, 0), clock_real(c, NEVER) };
    VarId next = clock_add_variable(c, "next", "clock", c->real, first[1], base->span);
    ExprId now = flat_expr(c->flat, (FlatExpr){ .kind = X_TIME, .type = c->real }, NULL, 0);
    ExprId way = base->interval;
    if (base->resolution > 1) way = clock_binary(c, O_DIVIDE, c->real, way, clock_real(c, base->resolution));
    add_update(c, base, next, clock_binary(c, O_ADD, c->real, now, way));
    ExprId either[] = { builtin(c, BUILTIN_SAMPLE, c->truth, first, 2),
                        clock_binary(c, O_GREATER_EQUAL, c->truth, now, pre(c, next)) };
    TypeId two = flat_type(c->flat, BASE_BOOLEAN, NONE, 1, (const int32_t[]){ 2 });
    return flat_expr(c->flat, (FlatExpr){ .kind = X_ARRAY, .type = two }, either, 2);
}

/* One when-equation for each base clock. */
static void add_whens(Clocks *c)
{
    for (uint32_t i = 0; i < c->bases.n; i++) {
        BaseClock *base = &c->bases.at[i];
        if (!base->updates.n && base->interval == NONE) continue;
        double step = base->period * (double)base->step.n / (double)base->step.d;
        ExprId args[] = { clock_real(c, 0), clock_real(c, step) };
        FlatBranch b = { .condition = base->interval != NONE ? due_of(c, base)
                                      : base->period > 0     ? builtin(c, BUILTIN_SAMPLE, c->truth, args, 2)
                                                             : event_of(c, base) };
        b.n = base->updates.n;
        b.first = flat_list(c->flat, base->updates.at, base->updates.n);
        FlatStmt s = { .kind = S_WHEN, .left = NONE, .right = NONE, .level = NONE, .span = base->span };
        StmtId id = flat_stmt(c->flat, s, &b, 1);
        vec_push(c->flat->arena, &c->flat->equations, id);
    }
}

/* Equations between clocks go, what stands in a clocked when-equation is an equation like
 * others. */
static void keep_equations(Clocks *c)
{
    Flat *flat = c->flat;
    VEC(StmtId) kept = { 0 };
    for (uint32_t i = 0; i < flat->equations.n; i++) {
        StmtId id = flat->equations.at[i];
        FlatStmt *s = &flat->stmts.at[id];
        uint32_t root = clock_root_of(c, s->partition);
        s->partition = c->state[root] & CLOCKED ? clock_of(c, root) + 1 : 0;
        if (s->kind == S_EQUAL && is_clock(c, s->left)) continue;
        const FlatBranch *b = s->kind == S_WHEN ? &flat->branches.at[s->first] : NULL;
        if (!b || !is_clock(c, b->condition)) {
            vec_push(flat->arena, &kept, id);
            continue;
        }
        for (uint32_t k = 0; k < b->n; k++) {
            StmtId inner = flat->ids.at[b->first + k];
            flat->stmts.at[inner].partition = s->partition;
            vec_push(flat->arena, &kept, inner);
        }
    }
    flat->equations.n = 0;
    for (uint32_t i = 0; i < kept.n; i++) vec_push(flat->arena, &flat->equations, kept.at[i]);
}

static void keep_algorithms(Clocks *c)
{
    Flat *flat = c->flat;
    for (uint32_t i = 0; i < flat->algorithms.n; i++) {
        FlatAlgorithm *a = &flat->algorithms.at[i];
        StmtIds kept = { 0 };
        bool changed = false;
        for (uint32_t k = 0; k < a->n; k++) {
            StmtId id = flat->ids.at[a->first + k];
            FlatStmt *s = &flat->stmts.at[id];
            uint32_t root = a->initial ? 0 : clock_root_of(c, s->partition);
            s->partition = !a->initial && c->state[root] & CLOCKED ? clock_of(c, root) + 1 : 0;
            const FlatBranch *b = s->kind == S_WHEN ? &flat->branches.at[s->first] : NULL;
            if (!b || !is_clock(c, b->condition)) {
                vec_push(c->s->arena, &kept, id);
                continue;
            }
            changed = true;
            for (uint32_t m = 0; m < b->n; m++) vec_push(c->s->arena, &kept, flat->ids.at[b->first + m]);
        }
        if (!changed) continue;
        a->n = kept.n;
        a->first = flat_list(flat, kept.at, kept.n);
    }
}

/* Variables of type Clock have done their work. */
static void drop_clock_variables(Clocks *c)
{
    Flat *flat = c->flat;
    VarId *to = NEW_ARRAY(c->s->arena, VarId, flat->vars.n + 1), n = 0;
    for (VarId v = 0; v < flat->vars.n; v++) {
        to[v] = n;
        if (flat->types.at[flat->vars.at[v].type].base != BASE_CLOCK) flat->vars.at[n++] = flat->vars.at[v];
    }
    to[flat->vars.n] = n;
    for (uint32_t i = 0; i < flat->arrays.n; i++) {
        FlatArray *a = &flat->arrays.at[i];
        uint32_t end = to[a->first + a->n];
        a->first = to[a->first];
        if (end == a->first) a->n = 0;
    }
    flat->vars.n = n;
    for (ExprId id = 0; id < flat->exprs.n; id++) {
        FlatExpr *e = &flat->exprs.at[id];
        if (e->kind != X_VAR) continue;
        bool gone = flat->types.at[e->type].base == BASE_CLOCK;
        if (gone) *e = (FlatExpr){ .kind = X_BOOLEAN, .type = c->truth, .first = e->first };
        if (!gone) e->index = to[e->index];
    }
}

void resolve_clocks(Flattening *f)
{
    Flat *flat = f->flat;
    bool any = false;
    for (ExprId id = 0; id < flat->exprs.n && !any; id++)
        any = flat->exprs.at[id].kind == X_BUILTIN && flat->exprs.at[id].op >= BUILTIN_CLOCK;
    if (!any) return;
    Clocks c = { .s = f->s, .f = f, .flat = flat, .held.arena = f->s->arena, .names.arena = f->s->arena };
    c.real = flat_type(flat, BASE_REAL, NONE, 0, NULL);
    c.integer = flat_type(flat, BASE_INTEGER, NONE, 0, NULL);
    c.truth = flat_type(flat, BASE_BOOLEAN, NONE, 0, NULL);
    c.vars = flat->vars.n;
    visit_all(&c);
    mark_states(&c);
    find_ticks(&c);
    if (f->s->diag->errors || !discretize_methods(&c)) return;
    for (VarId v = 0; v < flat->vars.n; v++) {
        uint32_t root = clock_root_of(&c, v);
        if (!(c.state[root] & CLOCKED)) continue;
        flat->vars.at[v].partition = clock_of(&c, root) + 1;
        flat->vars.at[v].attributes[ATTRIBUTE_FIXED] =
            NONE; /* it is what its equations say; 'previous' starts there */
    }
    for (uint32_t i = 0; i < c.ops.n; i++) replace_op(&c, &c.ops.at[i]);
    discretize(&c);
    keep_equations(&c);
    keep_algorithms(&c);
    for (uint32_t i = 0; i < c.added.n; i++) vec_push(flat->arena, &flat->equations, c.added.at[i]);
    add_whens(&c);
    drop_clock_variables(&c);
}
