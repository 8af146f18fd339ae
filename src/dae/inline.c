/* inline.c: calls of Modelica functions, arrays and records become scalar expressions, by running
 * them on expressions.
 *
 * A function's statements are run with expressions in place of numbers; assignments under a
 * condition become if-expressions, a return or a break makes what follows conditional. Loops need
 * ranges, or conditions, that are numbers by then. So derivatives, events and sorting see nothing
 * but expressions. Where this comes to no end, takes too long, or meets an assertion that may fail,
 * the call stays a call (call.c). Nothing in a function makes events. Cost: that of running the
 * function once for each call. Recursion is as deep as calls and types are. Tests:
 * tests/gen/function_test.c. */
#include "dae/inside.h"

enum {
    DEEPEST_CALL = 60,
    MOST_STATEMENTS = 2000000,
    MOST_TRIED = 3000,    /* statements of one call that is tried */
    MOST_NODES = 20000,   /* expressions it may make */
    OF_NUMBERS = 100,     /* times as many if its arguments are numbers */
    LESS_OF_NUMBERS = 20, /* likewise, once trials were in vain */
    MOST_TRIALS = 4       /* in vain, of one function */
};

typedef struct {
    Build *b;
    const FlatFunction *f; /* NULL outside of functions */
    Value *locals;
    uint8_t *is_ready;  /* by local: has its first value */
    const TypeId *want; /* of what several results are assigned to; NULL */
    Sym alive;          /* no return or break was reached yet */
    Sym returned;       /* a return was */
    Sym effect;         /* the last call that stayed one */
    int depth;
    bool no_event;
} Frame;

static Value scalar_value(Sym s) { return (Value){ .scalar = s }; }

static Value list_value(const Frame *x, uint32_t n)
{
    return (Value){ .is_list = true, .n = n, .items = NEW_ARRAY(x->b->scratch, Value, n) };
}

static Value fail(const Frame *x, const char *what)
{
    dae_not_yet(x->b, what);
    return scalar_value(SYM_ZERO);
}

static bool stopped(const Frame *x) { return x->b->failed || x->b->gave_up; }

static Value copy(const Frame *x, Value v)
{
    if (!v.is_list) return v;
    Value made = list_value(x, v.n);
    for (uint32_t i = 0; i < v.n; i++) made.items[i] = copy(x, v.items[i]);
    return made;
}

static Value filled(const Frame *x, const uint32_t *sizes, uint32_t rank, Value with)
{
    if (!rank) return copy(x, with);
    Value made = list_value(x, sizes[0]);
    for (uint32_t i = 0; i < sizes[0]; i++) made.items[i] = filled(x, sizes + 1, rank - 1, with);
    return made;
}

static bool is_constant(SymPool *p, Sym s)
{
    sym_walk(p, s);
    for (uint32_t i = 0; i < p->seen.n; i++) {
        const SymNode *n = sym_node(p, p->seen.at[i]);
        if (n->has_call || (n->op != SYM_REAL && sym_arity((SymOp)n->op) == 0)) return false;
    }
    return true;
}

/* The whole number that an expression is by now. */
static bool whole_number(const Frame *x, Sym s, int64_t *value)
{
    double number;
    SymPool *p = x->b->s->pool;
    if (!sym_is_real(p, s, &number)) {
        if (!is_constant(p, s)) return false;
        number = dae_evaluate(p, s, NULL); /* powers are not computed before they must be */
    }
    if (!(number >= -1e15 && number <= 1e15)) return false;
    *value = (int64_t)number;
    return (double)*value == number;
}

static Value choose(const Frame *x, Sym condition, Value yes, Value no)
{
    if (condition == SYM_ONE || condition == SYM_ZERO) return condition == SYM_ONE ? yes : no;
    if (!yes.is_list && !no.is_list)
        return scalar_value(sym_if(x->b->s->pool, condition, yes.scalar, no.scalar));
    if (!yes.is_list || !no.is_list || yes.n != no.n)
        return fail(x, "arrays of different sizes under a condition");
    Value made = list_value(x, yes.n);
    for (uint32_t i = 0; i < yes.n; i++) made.items[i] = choose(x, condition, yes.items[i], no.items[i]);
    return made;
}

/* ---- operators on lists ---------------------------------------------------------------------- */

static Value eval(Frame *x, ExprId id);

static Value each(Frame *x, const FlatExpr *e, Value *a, uint32_t n)
{
    const Value *list = NULL;
    for (uint32_t k = 0; k < n; k++)
        if (a[k].is_list) list = &a[k];
    if (!list) {
        Sym args[8];
        if (n > COUNT_OF(args)) return fail(x, "a function with that many arguments");
        for (uint32_t k = 0; k < n; k++) args[k] = a[k].scalar;
        return scalar_value(dae_translate_node(x->b, e, args, x->no_event));
    }
    Value made = list_value(x, list->n);
    for (uint32_t i = 0; i < list->n; i++) {
        Value part[8];
        for (uint32_t k = 0; k < n && k < COUNT_OF(part); k++) {
            if (a[k].is_list && a[k].n != list->n)
                return fail(x, "an operation on arrays of different sizes");
            part[k] = a[k].is_list ? a[k].items[i] : a[k];
        }
        made.items[i] = each(x, e, part, n);
    }
    return made;
}

static Sym dot(Frame *x, const Value *a, const Value *c, uint32_t column, bool is_matrix)
{
    SymPool *p = x->b->s->pool;
    Sym sum = SYM_ZERO;
    for (uint32_t i = 0; i < a->n && i < c->n; i++)
        sum = sym_two(p, SYM_ADD, sum,
                      sym_two(p, SYM_MUL, a->items[i].scalar,
                              is_matrix ? c->items[i].items[column].scalar : c->items[i].scalar));
    return sum;
}

/* Vectors and matrices; a vector on the left is a row. */
static Value product(Frame *x, Value a, Value c)
{
    bool left = a.n && a.items[0].is_list, right = c.n && c.items[0].is_list;
    if (left) {
        Value made = list_value(x, a.n);
        for (uint32_t i = 0; i < a.n; i++) made.items[i] = product(x, a.items[i], c);
        return made;
    }
    if (a.n != c.n) return fail(x, "a product of arrays whose sizes do not fit");
    if (!right) return scalar_value(dot(x, &a, &c, 0, false));
    Value made = list_value(x, c.items[0].n);
    for (uint32_t j = 0; j < made.n; j++) made.items[j] = scalar_value(dot(x, &a, &c, j, true));
    return made;
}

static Value transpose(Frame *x, Value a)
{
    Value made = list_value(x, a.n ? a.items[0].n : 0);
    for (uint32_t j = 0; j < made.n; j++) {
        made.items[j] = list_value(x, a.n);
        for (uint32_t i = 0; i < a.n; i++) made.items[j].items[i] = a.items[i].items[j];
    }
    return made;
}

static void reduce(Frame *x, Builtin op, Value v, Sym *sum, bool *any)
{
    for (uint32_t i = 0; v.is_list && i < v.n; i++) reduce(x, op, v.items[i], sum, any);
    if (v.is_list) return;
    SymOp by = op == BUILTIN_SUM       ? SYM_ADD
               : op == BUILTIN_PRODUCT ? SYM_MUL
               : op == BUILTIN_MIN     ? SYM_MIN
                                       : SYM_MAX;
    *sum = *any ? sym_two(x->b->s->pool, by, *sum, v.scalar) : v.scalar;
    *any = true;
}

static Value reduced(Frame *x, Builtin op, Value v)
{
    Sym sum = op == BUILTIN_PRODUCT ? SYM_ONE : SYM_ZERO;
    bool any = false;
    reduce(x, op, v, &sum, &any);
    return scalar_value(sum);
}

static Value size_of(Frame *x, Value v, const Value *dimension)
{
    SymPool *p = x->b->s->pool;
    int64_t k = 0;
    if (dimension && !whole_number(x, dimension->scalar, &k))
        return fail(x, "size() of an unknown dimension");
    Value made = list_value(x, 8);
    uint32_t rank = 0;
    for (Value at = v; at.is_list && rank < 8; at = at.n ? at.items[0] : scalar_value(0))
        made.items[rank++] = scalar_value(sym_real(p, at.n));
    made.n = rank;
    if (!dimension) return made;
    return k >= 1 && k <= rank ? made.items[k - 1] : fail(x, "size() of a dimension that is not there");
}

static Value fill(Frame *x, const Value *sizes, uint32_t n, Value with)
{
    uint32_t s[8] = { 0 };
    for (uint32_t k = 0; k < n && k < 8; k++) {
        int64_t size;
        if (!whole_number(x, sizes[k].scalar, &size) || size < 0) return fail(x, "an array of unknown size");
        s[k] = (uint32_t)size;
    }
    return filled(x, s, n < 8 ? n : 8, with);
}

static Value builtin(Frame *x, const FlatExpr *e, Value *a)
{
    switch ((Builtin)e->op) {
    case BUILTIN_SUM:
    case BUILTIN_PRODUCT: return reduced(x, (Builtin)e->op, a[0]);
    case BUILTIN_MIN:
    case BUILTIN_MAX: return e->n == 1 ? reduced(x, (Builtin)e->op, a[0]) : each(x, e, a, e->n);
    case BUILTIN_SIZE: return size_of(x, a[0], e->n > 1 ? &a[1] : NULL);
    case BUILTIN_ZEROS: return fill(x, a, e->n, scalar_value(SYM_ZERO));
    case BUILTIN_ONES: return fill(x, a, e->n, scalar_value(SYM_ONE));
    case BUILTIN_FILL: return fill(x, a + 1, e->n - 1, a[0]);
    case BUILTIN_TRANSPOSE: return transpose(x, a[0]);
    case BUILTIN_SCALAR: {
        Value v = a[0];
        while (v.is_list && v.n == 1) v = v.items[0];
        return v;
    }
    case BUILTIN_VECTOR: return a[0];
    default: return each(x, e, a, e->n);
    }
}

/* ---- arrays: subscripts, ranges -------------------------------------------------------------- */

static Value range(Frame *x, const Value *a)
{
    int64_t from, step, to;
    if (!whole_number(x, a[0].scalar, &from) || !whole_number(x, a[1].scalar, &step) ||
        !whole_number(x, a[2].scalar, &to) || !step)
        return fail(x, "a range whose bounds are not known");
    int64_t n = (to - from) / step + 1;
    if ((step > 0) != (to >= from) && to != from) n = 0;
    if (n < 0 || n > MOST_STATEMENTS) return fail(x, "a range as long as that");
    Value made = list_value(x, (uint32_t)n);
    for (int64_t i = 0; i < n; i++)
        made.items[i] = scalar_value(sym_real(x->b->s->pool, (double)(from + i * step)));
    return made;
}

static Value zero_of(const Frame *x, Value v)
{
    if (!v.is_list) return scalar_value(SYM_ZERO);
    Value made = list_value(x, v.n);
    for (uint32_t i = 0; i < v.n; i++) made.items[i] = zero_of(x, v.items[i]);
    return made;
}

static Value subscript(Frame *x, Value v, const ExprId *subs, uint32_t n)
{
    if (!n) return v;
    if (!v.is_list) return fail(x, "a subscript of a scalar");
    const FlatExpr *e = &x->b->s->flat->exprs.at[subs[0]];
    Value at = e->kind == X_COLON ? scalar_value(SYM_ZERO) : eval(x, subs[0]);
    if (e->kind == X_COLON || at.is_list) {
        Value made = list_value(x, at.is_list ? at.n : v.n);
        for (uint32_t i = 0; i < made.n; i++) {
            int64_t k = (int64_t)i + 1;
            if (at.is_list && (!whole_number(x, at.items[i].scalar, &k) || k < 1 || k > v.n))
                return fail(x, "a subscript that is not known");
            made.items[i] = subscript(x, v.items[k - 1], subs + 1, n - 1);
        }
        return made;
    }
    int64_t k;
    if (whole_number(x, at.scalar, &k))
        return k >= 1 && k <= v.n ? subscript(x, v.items[k - 1], subs + 1, n - 1)
                                  : fail(x, "a subscript out of range");
    if (!v.n) return fail(x, "a subscript of an empty array");
    /* a call checks it */
    if (x->f && x->b->trials) return fail(x, "a subscript that only the run knows");
    SymPool *p = x->b->s->pool;
    at.scalar = sym_indexed(p, SYM_WITHIN, v.n, at.scalar);
    Value found = subscript(x, v.items[v.n - 1], subs + 1, n - 1);
    if (v.n == 1) /* there is no choice, but the subscript counts */
        return choose(x, sym_two(p, SYM_EQ, at.scalar, SYM_ONE), found, zero_of(x, found));
    for (uint32_t i = v.n - 1; i-- > 0;)
        found = choose(x, sym_two(p, SYM_EQ, at.scalar, sym_real(p, i + 1.0)),
                       subscript(x, v.items[i], subs + 1, n - 1), found);
    return found;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void run(Frame *x, uint32_t first, uint32_t n, Sym guard);

static Value default_of(Frame *x, TypeId type, const uint32_t *sizes)
{
    const Flat *f = x->b->s->flat;
    const FlatType *t = &f->types.at[type];
    Value base = scalar_value(t->base == BASE_STRING ? sym_string(x->b->s->pool, STR("")) : SYM_ZERO);
    if (t->base == BASE_RECORD) {
        const FlatDef *def = &f->defs.at[t->def];
        base = list_value(x, def->fields.n);
        for (uint32_t i = 0; i < def->fields.n; i++) {
            const FlatType *field = &f->types.at[def->fields.at[i].type];
            uint32_t known[8] = { 0 };
            for (uint32_t k = 0; k < field->rank && k < 8; k++)
                known[k] = field->sizes[k] > 0 ? (uint32_t)field->sizes[k] : 0;
            base.items[i] = default_of(x, def->fields.at[i].type, known);
        }
    }
    return filled(x, sizes, t->rank < 8 ? t->rank : 8, base);
}

static Value local_start(Frame *x, const FlatLocal *local)
{
    const Flat *f = x->b->s->flat;
    if (local->binding != NONE) return copy(x, eval(x, local->binding));
    const FlatType *t = &f->types.at[local->type];
    uint32_t sizes[8] = { 0 };
    for (uint32_t k = 0; k < t->rank && k < 8; k++) {
        int64_t size = t->sizes[k] > 0 ? t->sizes[k] : 0;
        ExprId e = t->sizes[k] == SIZE_UNKNOWN ? f->ids.at[local->sizes_first + k] : NONE;
        if (e != NONE && (!whole_number(x, eval(x, e).scalar, &size) || size < 0))
            return fail(x, "a local array of unknown size");
        sizes[k] = (uint32_t)size;
    }
    return default_of(x, local->type, sizes);
}

/* A local variable, given its first value when it is first asked for: sizes and bindings may use
 * later ones. */
static Value *local(Frame *x, uint32_t i)
{
    if (!x->is_ready[i]) {
        x->is_ready[i] = 1;
        if (x->f->locals.at[i].role != LOCAL_LOOP) x->locals[i] = local_start(x, &x->f->locals.at[i]);
    }
    return &x->locals[i];
}

static Frame frame_of(Frame *x, FuncId id, const Value *args)
{
    const FlatFunction *f = &x->b->s->flat->functions.at[id];
    Frame inner = { .b = x->b, .f = f, .alive = SYM_ONE, .depth = x->depth + 1, .no_event = true };
    inner.locals = NEW_ARRAY(x->b->scratch, Value, f->locals.n + 1);
    inner.is_ready = NEW_ARRAY(x->b->scratch, uint8_t, f->locals.n + 1);
    for (uint32_t i = 0; i < f->inputs; i++) {
        if (args[i].is_open) continue;
        inner.locals[i] = copy(x, args[i]);
        inner.is_ready[i] = 1;
    }
    return inner;
}

static bool all_numbers(const Frame *x, const Value *v)
{
    double number;
    if (!v->is_list) return !v->is_function && sym_is_real(x->b->s->pool, v->scalar, &number);
    for (uint32_t i = 0; i < v->n; i++)
        if (!all_numbers(x, &v->items[i])) return false;
    return true;
}

/* Runs the function on expressions; false if that comes to no end. */
static bool try_call(Frame *x, FuncId id, const Value *args, Value *outputs)
{
    Build *b = x->b;
    const FlatFunction *f = &b->s->flat->functions.at[id];
    bool is_constant = true;
    for (uint32_t i = 0; i < f->inputs; i++) is_constant &= all_numbers(x, &args[i]);
    if (!b->vain) b->vain = NEW_ARRAY(b->scratch, uint8_t, b->s->flat->functions.n + 1);
    if (f->external || f->by.n || f->impure || x->depth >= DEEPEST_CALL ||
        (!is_constant && b->vain[id] >= MOST_TRIALS))
        return false;
    uint32_t statements = b->statements, nodes = b->s->pool->nodes.n, limit = b->statement_limit;
    uint32_t node_limit = b->node_limit, times = 1;
    if (is_constant) times = b->vain[id] < MOST_TRIALS ? OF_NUMBERS : LESS_OF_NUMBERS;
    if (!b->trials++) {
        b->statement_limit = statements + times * MOST_TRIED;
        b->node_limit = nodes + times * MOST_NODES;
    }
    Frame inner = frame_of(x, id, args);
    for (uint32_t i = f->inputs; i < f->locals.n && !stopped(x); i++) local(&inner, i);
    run(&inner, f->first, f->n, SYM_ONE);
    b->trials--;
    b->statement_limit = limit;
    b->node_limit = node_limit;
    if (is_constant && !b->trials) b->statements = statements; /* they made nothing but numbers */
    bool ok = !b->gave_up;
    b->gave_up = false;
    if (!ok && b->vain[id] < MOST_TRIALS) b->vain[id]++;
    for (uint32_t i = 0; ok && i < f->outputs; i++) outputs->items[i] = inner.locals[f->inputs + i];
    return ok;
}

static Value zeros_of(Frame *x, TypeId type)
{
    const FlatType *t = &x->b->s->flat->types.at[type];
    uint32_t sizes[8] = { 0 };
    for (uint32_t k = 0; k < t->rank && k < 8; k++) sizes[k] = t->sizes[k] > 0 ? (uint32_t)t->sizes[k] : 0;
    return default_of(x, type, sizes);
}

static bool has_sizes(const Flat *f, TypeId type)
{
    const FlatType *t = &f->types.at[type];
    for (uint32_t k = 0; k < t->rank; k++)
        if (t->sizes[k] == SIZE_UNKNOWN) return false;
    return true;
}

/* Zeros of the shape that output k has: as its declaration says, or as what the call is used
 * for. */
static Value output_shape(Frame *x, Frame *inner, uint32_t k, TypeId want, bool is_unused)
{
    const Flat *flat = x->b->s->flat;
    const FlatLocal *output = &inner->f->locals.at[inner->f->inputs + k];
    bool is_same_rank = want != NONE && flat->types.at[want].rank == flat->types.at[output->type].rank;
    if (is_same_rank && has_sizes(flat, want) && flat->types.at[want].rank) return zeros_of(x, want);
    x->b->trials++;
    FlatLocal unbound = *output;
    unbound.binding = NONE;
    Value v = local_start(inner, &unbound);
    x->b->trials--;
    if (x->b->gave_up) {
        x->b->gave_up = false;
        if (is_unused) return (Value){ .is_list = true, .is_open = true };
        if (!x->b->trials) return fail(x, "a function whose result has a size that is not known");
        x->b->gave_up = true;
    }
    return v;
}

/* All outputs of a call, as a list. `want`: the types of what its results are assigned to, or
 * NONE. */
static Value call(Frame *x, FuncId id, const Value *args, const TypeId *want)
{
    Build *b = x->b;
    const FlatFunction *f = &b->s->flat->functions.at[id];
    Value outputs = list_value(x, f->outputs);
    if (stopped(x) || try_call(x, id, args, &outputs)) return outputs;
    Frame inner = frame_of(x, id, args);
    for (uint32_t k = 0; k < f->outputs && !stopped(x); k++)
        outputs.items[k] = output_shape(x, &inner, k, want ? want[k] : NONE, want && want[k] == NONE);
    if (!stopped(x)) x->effect = dae_call(b, id, args, &outputs);
    return outputs;
}

/* A call written in the flat model. */
static Value call_expr(Frame *x, const FlatExpr *e, const TypeId *want)
{
    const Flat *flat = x->b->s->flat;
    const FlatFunction *f = &flat->functions.at[e->index];
    Value *args = NEW_ARRAY(x->b->scratch, Value, f->inputs + 1);
    for (uint32_t i = 0; i < f->inputs; i++) {
        bool given = i < e->n && flat->exprs.at[flat->ids.at[e->first + i]].kind != X_OMITTED;
        if (given)
            args[i] = eval(x, flat->ids.at[e->first + i]);
        else
            args[i].is_open = true;
    }
    for (uint32_t i = 0; i < f->inputs && !stopped(x); i++) {
        if (!args[i].is_open) continue;
        Frame inner = frame_of(x, e->index, args);
        args[i] = *local(&inner, i);
    }
    TypeId own[1] = { e->type };
    if (!want && f->outputs == 1) want = own;
    return call(x, e->index, args, want);
}

/* A function with some of its arguments. */
static Value partial(Frame *x, const FlatExpr *e)
{
    const Flat *flat = x->b->s->flat;
    uint32_t n = flat->functions.at[e->index].inputs;
    if (e->op) { /* of a value: its open arguments, in order */
        Value of = eval(x, flat->ids.at[e->first + e->n - 1]), made = of;
        if (!of.is_function) return fail(x, "a call of something that is no known function");
        made.items = NEW_ARRAY(x->b->scratch, Value, of.n + 1);
        if (of.n) memcpy(made.items, of.items, of.n * sizeof *made.items);
        for (uint32_t i = 0, k = 0; i < of.n && k < n; i++) {
            if (!of.items[i].is_open) continue;
            ExprId arg = flat->ids.at[e->first + k++];
            if (flat->exprs.at[arg].kind != X_OMITTED) made.items[i] = eval(x, arg);
        }
        return made;
    }
    Value v = {
        .is_function = true, .func = e->index, .n = n, .items = NEW_ARRAY(x->b->scratch, Value, n + 1)
    };
    for (uint32_t i = 0; i < n; i++) {
        bool given = i < e->n && flat->exprs.at[flat->ids.at[e->first + i]].kind != X_OMITTED;
        if (given)
            v.items[i] = eval(x, flat->ids.at[e->first + i]);
        else
            v.items[i].is_open = true;
    }
    return v;
}

/* A call of a value that is a function: its open arguments are given in their order. */
static Value apply(Frame *x, const FlatExpr *e)
{
    const Flat *flat = x->b->s->flat;
    Value f = eval(x, flat->ids.at[e->first]);
    if (!f.is_function) return fail(x, "a call of something that is no known function");
    Value *args = NEW_ARRAY(x->b->scratch, Value, f.n + 1);
    uint32_t next = 1;
    for (uint32_t i = 0; i < f.n; i++) {
        args[i] = f.items[i];
        if (args[i].is_open && next < e->n) args[i] = eval(x, flat->ids.at[e->first + next++]);
    }
    for (uint32_t i = 0; i < f.n && !stopped(x); i++) {
        if (!args[i].is_open) continue;
        Frame inner = frame_of(x, f.func, args);
        args[i] = *local(&inner, i);
    }
    return call(x, f.func, args, NULL);
}

static const TypeId *first_only(Frame *x, const FlatExpr *e)
{
    uint32_t n = x->b->s->flat->functions.at[e->index].outputs;
    TypeId *want = NEW_ARRAY(x->b->scratch, TypeId, n);
    memset(want, 0xff, n * sizeof *want);
    want[0] = e->type;
    return want;
}

/* Outside of functions a call is run once, whichever of its results are asked for. */
static Value results(Frame *x, ExprId id, bool only_first)
{
    const FlatExpr *e = &x->b->s->flat->exprs.at[id];
    if (e->kind == X_APPLY) return apply(x, e);
    const TypeId *want = x->want;
    bool is_first = !want && only_first && x->b->s->flat->functions.at[e->index].outputs > 1;
    if (is_first) want = first_only(x, e);
    if (x->f || x->b->env) return call_expr(x, e, want);
    if (!x->b->calls.arena) x->b->calls.arena = x->b->scratch;
    uint64_t key = (uint64_t)id * 4 + x->no_event + 2u * is_first;
    Value *kept = (Value *)map_pointer(&x->b->calls, (const void *)(uintptr_t)(key + 1));
    if (kept) return *kept;
    kept = NEW(x->b->scratch, Value);
    *kept = call_expr(x, e, want);
    map_set_pointer(&x->b->calls, (const void *)(uintptr_t)(key + 1), kept);
    return *kept;
}

/* The variable of a loop: of the function, or of the model. */
static void set_loop(Frame *x, uint32_t local, Value v)
{
    if (x->f) {
        x->locals[local] = v;
        x->is_ready[local] = 1;
        return;
    }
    while (x->b->loops.n <= local) vec_push(x->b->scratch, &x->b->loops, SYM_ZERO);
    x->b->loops.at[local] = v.is_list ? SYM_ZERO : v.scalar;
}

/* A sum of arrays is one for each of their elements. */
static Value sum_of(Frame *x, const Value *items, uint32_t n)
{
    if (!items[0].is_list) {
        Sym sum = items[0].scalar;
        for (uint32_t i = 1; i < n; i++) sum = sym_two(x->b->s->pool, SYM_ADD, sum, items[i].scalar);
        return scalar_value(sum);
    }
    Value made = list_value(x, items[0].n), *parts = NEW_ARRAY(x->b->scratch, Value, n);
    for (uint32_t k = 0; k < made.n; k++) {
        for (uint32_t i = 0; i < n; i++) {
            if (!items[i].is_list || items[i].n != made.n)
                return fail(x, "a sum of arrays of different sizes");
            parts[i] = items[i].items[k];
        }
        made.items[k] = sum_of(x, parts, n);
    }
    return made;
}

/* The index k of a comprehension runs; an array has a dimension for each. */
static Value comprehend(Frame *x, const FlatExpr *e, uint32_t k, Value *all, uint32_t *n)
{
    const Flat *f = x->b->s->flat;
    if (k == e->n) {
        Value v = copy(x, eval(x, f->ids.at[e->first]));
        if (*n < all->n) all->items[(*n)++] = v;
        return v;
    }
    Value over = eval(x, f->ids.at[e->first + k]), made = list_value(x, over.is_list ? over.n : 0);
    for (uint32_t i = 0; i < made.n && !stopped(x); i++) {
        set_loop(x, e->index + k - 1, over.items[i]);
        made.items[i] = comprehend(x, e, k + 1, all, n);
    }
    return made;
}

static Value comprehension(Frame *x, const FlatExpr *e)
{
    const Flat *f = x->b->s->flat;
    uint64_t count = 1;
    for (uint32_t k = 1; k < e->n; k++) {
        set_loop(x, e->index + k - 1, scalar_value(SYM_ONE));
        count *= eval(x, f->ids.at[e->first + k]).n;
    }
    if (count > MOST_STATEMENTS) return fail(x, "a comprehension as long as that");
    Value all = list_value(x, (uint32_t)count);
    uint32_t n = 0;
    Value nested = comprehend(x, e, 1, &all, &n);
    all.n = n;
    if (e->op == BUILTIN_ARRAY_OF) return nested;
    if (!n || !all.items[0].is_list) return reduced(x, (Builtin)e->op, all);
    return e->op == BUILTIN_SUM ? sum_of(x, all.items, n) : fail(x, "a reduction of arrays that is no sum");
}

/* ---- expressions ----------------------------------------------------------------------------- */

static Value eval_if(Frame *x, const FlatExpr *e)
{
    const Flat *f = x->b->s->flat;
    VEC(Sym) conditions = { 0 };
    VEC(Value) values = { 0 };
    uint32_t k = 0;
    for (; k + 1 < e->n; k += 2) {
        Sym c = eval(x, f->ids.at[e->first + k]).scalar;
        if (c == SYM_ZERO) continue;
        vec_push(x->b->scratch, &conditions, c);
        vec_push(x->b->scratch, &values, eval(x, f->ids.at[e->first + k + 1]));
        if (c == SYM_ONE) break;
    }
    Value chosen = k + 1 < e->n ? values.at[values.n - 1] : eval(x, f->ids.at[e->first + e->n - 1]);
    for (uint32_t i = conditions.n; i-- > 0;) chosen = choose(x, conditions.at[i], values.at[i], chosen);
    return chosen;
}

/* Both ends of a distribution. */
static Value spatial(Frame *x, const Value *a)
{
    Syms points = { 0 }, values = { 0 };
    Sym ends[2];
    for (uint32_t i = 0; i < a[4].n; i++) vec_push(x->b->scratch, &points, a[4].items[i].scalar);
    for (uint32_t i = 0; i < a[5].n; i++) vec_push(x->b->scratch, &values, a[5].items[i].scalar);
    const Sym in[] = { a[0].scalar, a[1].scalar, a[2].scalar, a[3].scalar };
    dae_spatial(x->b, in, points.at, values.at, points.n < values.n ? points.n : values.n, ends);
    Value made = list_value(x, 2);
    for (uint32_t i = 0; i < 2; i++) made.items[i] = scalar_value(ends[i]);
    return made;
}

static Value eval_product(Frame *x, const FlatExpr *e, Value *a)
{
    return e->kind == X_BINARY && e->op == O_PRODUCT && a[0].is_list && a[1].is_list ? product(x, a[0], a[1])
                                                                                     : each(x, e, a, e->n);
}

static Value eval(Frame *x, ExprId id)
{
    const Flat *f = x->b->s->flat;
    const FlatExpr *e = &f->exprs.at[id];
    const ExprId *ids = e->n ? f->ids.at + e->first : NULL;
    if (stopped(x)) return scalar_value(SYM_ZERO);
    switch ((ExprKindFlat)e->kind) {
    case X_LOCAL:
        if (x->locals) return *local(x, e->index);
        if (e->index < x->b->loops.n) return scalar_value(x->b->loops.at[e->index]);
        return fail(x, "a local variable outside of a function or loop");
    case X_IF: return eval_if(x, e);
    case X_COMPREHENSION: return comprehension(x, e);
    case X_CALL: {
        Value all = results(x, id, true);
        return all.is_list && all.n ? all.items[0] : all;
    }
    case X_APPLY: {
        Value all = apply(x, e);
        return all.is_list && all.n ? all.items[0] : all;
    }
    case X_PARTIAL: return partial(x, e);
    case X_RESULT: {
        Value all = results(x, ids[0], false);
        return all.is_list && e->index < all.n ? all.items[e->index] : scalar_value(SYM_ZERO);
    }
    case X_SUBSCRIPT: return subscript(x, eval(x, ids[0]), ids + 1, e->n - 1);
    case X_FIELD: {
        Value v = eval(x, ids[0]);
        return v.is_list && e->index < v.n ? v.items[e->index]
                                           : fail(x, "a field of something that is no record");
    }
    default: break;
    }
    Value a[8], *args = e->n <= 8 ? a : NEW_ARRAY(x->b->scratch, Value, e->n);
    const Sym *env = x->b->env; /* pre() is of variables, whatever statements have made of them */
    if (e->kind == X_BUILTIN && e->op == BUILTIN_PRE) x->b->env = NULL;
    for (uint32_t k = 0; k < e->n; k++) args[k] = eval(x, ids[k]);
    x->b->env = env;
    switch ((ExprKindFlat)e->kind) {
    case X_ARRAY:
    case X_RECORD:
    case X_TUPLE: {
        Value made = list_value(x, e->n);
        if (e->n) memcpy(made.items, args, e->n * sizeof *args);
        return made;
    }
    case X_RANGE: return range(x, args);
    case X_BUILTIN:
        if (e->op == BUILTIN_SPATIAL) return spatial(x, args).items[0];
        return builtin(x, e, args);
    case X_UNARY:
    case X_BINARY: return eval_product(x, e, args);
    default: return scalar_value(dae_translate_node(x->b, e, NULL, x->no_event));
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static void put(Frame *x, Value *to, Value v, Sym guard)
{
    if (guard == SYM_ONE)
        *to = copy(x, v);
    else
        *to = choose(x, guard, copy(x, v), *to);
}

static void put_at(Frame *x, Value *to, const ExprId *subs, uint32_t n, Value v, Sym guard)
{
    SymPool *p = x->b->s->pool;
    if (!n) {
        put(x, to, v, guard);
        return;
    }
    if (!to->is_list) {
        fail(x, "a subscript of a scalar");
        return;
    }
    const FlatExpr *e = &x->b->s->flat->exprs.at[subs[0]];
    Value at = e->kind == X_COLON ? scalar_value(SYM_ZERO) : eval(x, subs[0]);
    if (e->kind == X_COLON || at.is_list) {
        for (uint32_t i = 0; i < (at.is_list ? at.n : to->n); i++) {
            int64_t k = (int64_t)i + 1;
            bool known = !at.is_list || whole_number(x, at.items[i].scalar, &k);
            if (!known || k < 1 || k > to->n || !v.is_list || i >= v.n) {
                fail(x, "an assignment to these elements");
                return;
            }
            put_at(x, &to->items[k - 1], subs + 1, n - 1, v.items[i], guard);
        }
        return;
    }
    int64_t k;
    if (whole_number(x, at.scalar, &k)) {
        if (k < 1 || k > to->n)
            fail(x, "a subscript out of range");
        else
            put_at(x, &to->items[k - 1], subs + 1, n - 1, v, guard);
        return;
    }
    if (x->b->trials) {
        fail(x, "a subscript that only the run knows");
        return;
    }
    Sym within = sym_indexed(p, SYM_WITHIN, to->n, at.scalar);
    for (uint32_t i = 0; i < to->n; i++)
        put_at(x, &to->items[i], subs + 1, n - 1, v,
               sym_two(p, SYM_AND, guard, sym_two(p, SYM_EQ, within, sym_real(p, i + 1.0))));
}

/* The storage that an expression on the left names, and the subscripts that choose in it. NULL if
 * it is none. */
static Value *target(Frame *x, ExprId left, const ExprId **subs, uint32_t *n)
{
    const Flat *f = x->b->s->flat;
    const FlatExpr *e = &f->exprs.at[left];
    const ExprId *ids = f->ids.at + e->first;
    *n = 0;
    if (e->kind == X_LOCAL) return local(x, e->index);
    if (e->kind == X_SUBSCRIPT) {
        Value *of = target(x, ids[0], subs, n);
        if (!of || *n) return NULL;
        *subs = ids + 1;
        *n = e->n - 1;
        return of;
    }
    if (e->kind != X_FIELD) return NULL;
    Value *of = target(x, ids[0], subs, n);
    for (uint32_t k = 0; of && k < *n; k++) { /* a field of an element: the place must be known */
        int64_t at;
        Value i = f->exprs.at[(*subs)[k]].kind == X_COLON ? (Value){ .is_list = true } : eval(x, (*subs)[k]);
        bool ok = of->is_list && !i.is_list && whole_number(x, i.scalar, &at) && at >= 1 && at <= of->n;
        of = ok ? &of->items[at - 1] : NULL;
    }
    *n = 0;
    return of && of->is_list && e->index < of->n ? &of->items[e->index] : NULL;
}

/* Assigns to a local variable, a part of one, or several at once. */
static void assign(Frame *x, ExprId left, Value v, Sym guard)
{
    const Flat *f = x->b->s->flat;
    const FlatExpr *e = &f->exprs.at[left];
    const ExprId *ids = f->ids.at + e->first, *subs = NULL;
    uint32_t n = 0;
    if (e->kind == X_TUPLE || e->kind == X_ARRAY) {
        for (uint32_t i = 0; i < e->n && v.is_list && i < v.n; i++)
            if (f->exprs.at[ids[i]].kind != X_OMITTED) assign(x, ids[i], v.items[i], guard);
        return;
    }
    Value *to = target(x, left, &subs, &n);
    if (to)
        put_at(x, to, subs, n, v, guard);
    else
        fail(x, "an assignment to this");
}

/* The types that the results of a call are wanted as; NONE where nothing is. */
static const TypeId *types_of_tuple(Build *b, const FlatExpr *left, const FlatExpr *call_of)
{
    const Flat *f = b->s->flat;
    uint32_t n = left->n + (call_of->kind == X_CALL ? f->functions.at[call_of->index].outputs : 0);
    TypeId *types = NEW_ARRAY(b->scratch, TypeId, n + 1);
    memset(types, 0xff, (n + 1) * sizeof *types);
    for (uint32_t k = 0; k < left->n; k++) {
        const FlatExpr *e = &f->exprs.at[f->ids.at[left->first + k]];
        if (e->kind != X_OMITTED) types[k] = e->type;
    }
    return types;
}

static Value right_side(Frame *x, const FlatStmt *s)
{
    const Flat *f = x->b->s->flat;
    const FlatExpr *left = &f->exprs.at[s->left], *right = &f->exprs.at[s->right];
    if (left->kind != X_TUPLE || (right->kind != X_CALL && right->kind != X_APPLY)) return eval(x, s->right);
    x->want = types_of_tuple(x->b, left, right);
    Value all = results(x, s->right, false);
    x->want = NULL;
    return all;
}

static void run_loop(Frame *x, const FlatStmt *s, Sym guard)
{
    const FlatBranch *body = &x->b->s->flat->branches.at[s->first];
    Sym outside = x->alive;
    if (s->kind == S_FOR) {
        Value over = eval(x, s->left);
        for (uint32_t i = 0; over.is_list && i < over.n && x->alive != SYM_ZERO && !stopped(x); i++) {
            x->locals[s->index] = over.items[i];
            x->is_ready[s->index] = 1;
            run(x, body->first, body->n, guard);
        }
    } else {
        while (!stopped(x) && x->alive != SYM_ZERO) {
            Sym c = eval(x, body->condition).scalar;
            if (c == SYM_ZERO) break;
            if (c != SYM_ONE) fail(x, "a while loop whose condition is not known before the run");
            run(x, body->first, body->n, guard);
        }
    }
    x->alive = x->returned == SYM_ZERO
                   ? outside
                   : sym_two(x->b->s->pool, SYM_AND, outside, sym_one(x->b->s->pool, SYM_NOT, x->returned));
}

static void leave(Frame *x, Sym guard, bool returns)
{
    SymPool *p = x->b->s->pool;
    x->alive = sym_two(p, SYM_AND, x->alive, sym_one(p, SYM_NOT, guard));
    if (returns) x->returned = sym_two(p, SYM_OR, x->returned, guard);
}

static void run_if(Frame *x, const FlatStmt *s, Sym guard)
{
    const Flat *f = x->b->s->flat;
    SymPool *p = x->b->s->pool;
    Sym before = SYM_ZERO;
    for (uint32_t k = 0; k < s->n && before != SYM_ONE; k++) {
        const FlatBranch *branch = &f->branches.at[s->first + k];
        Sym own = branch->condition == NONE ? SYM_ONE : eval(x, branch->condition).scalar;
        Sym now = sym_two(p, SYM_AND, own, sym_one(p, SYM_NOT, before));
        run(x, branch->first, branch->n, sym_two(p, SYM_AND, guard, now));
        before = sym_two(p, SYM_OR, before, own);
    }
}

/* An assertion that may fail is one of a function that is called. */
static void run_assert(Frame *x, const FlatStmt *s, Sym guard)
{
    SymPool *p = x->b->s->pool;
    Sym holds = eval(x, s->left).scalar;
    if (sym_two(p, SYM_OR, holds, sym_one(p, SYM_NOT, guard)) != SYM_ONE)
        fail(x, "an assertion in a function that is not known to hold");
}

static void run(Frame *x, uint32_t first, uint32_t n, Sym outer)
{
    const Flat *f = x->b->s->flat;
    for (uint32_t i = 0; i < n && !stopped(x); i++) {
        const FlatStmt *s = &f->stmts.at[f->ids.at[first + i]];
        Sym guard = sym_two(x->b->s->pool, SYM_AND, outer, x->alive);
        if (guard == SYM_ZERO) return;
        bool is_long = x->b->trials && (x->b->statements > x->b->statement_limit ||
                                        x->b->s->pool->nodes.n > x->b->node_limit);
        if (x->b->statements++ > MOST_STATEMENTS || is_long) fail(x, "a function that runs as long as that");
        switch ((FlatStmtKind)s->kind) {
        case S_ASSIGN:
        case S_EQUAL: assign(x, s->left, right_side(x, s), guard); break;
        case S_IF: run_if(x, s, guard); break;
        case S_FOR:
        case S_WHILE: run_loop(x, s, guard); break;
        case S_RETURN:
        case S_BREAK: leave(x, guard, s->kind == S_RETURN); break;
        case S_ASSERT: run_assert(x, s, guard); break;
        default: fail(x, "this statement in a function");
        }
    }
}

/* ---- the doors ------------------------------------------------------------------------------- */

Sym dae_inline(Build *b, ExprId e, bool no_event)
{
    Frame x = { .b = b, .alive = SYM_ONE, .no_event = no_event };
    Value v = eval(&x, e);
    if (v.is_list) fail(&x, "an array where a scalar is needed");
    return v.scalar;
}

static void flatten(Build *b, Value v, Syms *out)
{
    if (!v.is_list) {
        vec_push(b->scratch, out, v.scalar);
        return;
    }
    for (uint32_t i = 0; i < v.n; i++) flatten(b, v.items[i], out);
}

void dae_inline_all(Build *b, ExprId e, Syms *out)
{
    Frame x = { .b = b, .alive = SYM_ONE, .no_event = b->whens > 0 };
    flatten(b, eval(&x, e), out);
}

/* An argument of that shape, of the next numbers. */
static Value numbers_as(Frame *x, const DaeShape *s, uint32_t dimension, const double **next)
{
    if (s->is_open || s->base == BASE_FUNCTION) return (Value){ .is_open = true };
    bool is_row = dimension < s->rank;
    if (!is_row && !s->n) return scalar_value(sym_real(x->b->s->pool, *(*next)++));
    Value v = list_value(x, is_row ? s->sizes[dimension] : s->n);
    for (uint32_t i = 0; i < v.n; i++)
        v.items[i] = numbers_as(x, is_row ? s : &s->fields[i], is_row ? dimension + 1 : 0, next);
    return v;
}

bool dae_run_call(Build *b, const DaeFun *f, const double *args, double *results)
{
    Frame x = { .b = b, .alive = SYM_ONE };
    Value *values = NEW_ARRAY(b->scratch, Value, f->inputs + 1), outputs = list_value(&x, f->outputs);
    DaeFun fun = *f;
    for (uint32_t i = 0; i < fun.inputs; i++) values[i] = numbers_as(&x, &fun.shapes[i], 0, &args);
    for (uint32_t i = 0; i < fun.inputs; i++)
        if (values[i].is_open) return false;
    Syms all = { 0 };
    if (fun.order || !try_call(&x, fun.of, values, &outputs)) return false;
    flatten(b, outputs, &all);
    bool ok = all.n == fun.out_n;
    for (uint32_t i = 0; ok && i < all.n; i++) ok = sym_is_real(b->s->pool, all.at[i], &results[i]);
    return ok;
}

static bool is_spatial(const Flat *f, ExprId e)
{
    return f->exprs.at[e].kind == X_BUILTIN && f->exprs.at[e].op == BUILTIN_SPATIAL;
}

static Value spatial_of(Frame *x, ExprId id)
{
    const FlatExpr *e = &x->b->s->flat->exprs.at[id];
    Value args[6];
    for (uint32_t k = 0; k < COUNT_OF(args); k++) args[k] = eval(x, x->b->s->flat->ids.at[e->first + k]);
    return spatial(x, args);
}

void dae_inline_results(Build *b, ExprId e, ExprId left, Syms *out)
{
    const Flat *f = b->s->flat;
    Frame x = { .b = b, .alive = SYM_ONE, .no_event = b->whens > 0 };
    bool is_call = f->exprs.at[e].kind == X_CALL;
    if (is_call) x.want = types_of_tuple(b, &f->exprs.at[left], &f->exprs.at[e]);
    Value all = is_call ? results(&x, e, false) : is_spatial(f, e) ? spatial_of(&x, e) : eval(&x, e);
    for (uint32_t k = 0; all.is_list && k < all.n && k < f->exprs.at[left].n; k++)
        if (f->exprs.at[f->ids.at[f->exprs.at[left].first + k]].kind != X_OMITTED)
            flatten(b, all.items[k], &out[k]);
}

Sym dae_inline_effect(Build *b, ExprId e)
{
    Frame x = { .b = b, .alive = SYM_ONE, .no_event = b->whens > 0 };
    const FlatExpr *call_of = &b->s->flat->exprs.at[e];
    if (call_of->kind != X_CALL) {
        dae_not_yet(b, "a statement of this kind");
        return SYM_ZERO;
    }
    x.effect = SYM_ZERO;
    Value all = call_expr(&x, call_of, NULL);
    (void)all;
    return x.effect;
}
