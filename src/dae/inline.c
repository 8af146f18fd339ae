/* inline.c: calls of Modelica functions, arrays and records become scalar expressions, by running them on expressions.
 *
 * A value is a scalar expression, or a list of values (an array row by row, a record field by field). A function's
 * statements are run with expressions in place of numbers; assignments under a condition become if-expressions, a return
 * or a break makes what follows conditional. Loops need ranges, or conditions, that are numbers by then. So derivatives,
 * events and sorting see nothing but expressions. Nothing in a function makes events; its assertions are not kept.
 * Cost: that of running the function once for each call. Recursion is as deep as calls and types are. Tests:
 * tests/gen/function_test.c. */
#include "dae/inside.h"

enum { DEEPEST_CALL = 60, MOST_STATEMENTS = 2000000 };

static Value scalar_value(Sym s) { return (Value){ .scalar = s }; }

Value inline_list(const Frame *x, uint32_t n)
{
    return (Value){ .is_list = true, .n = n, .items = NEW_ARRAY(x->b->scratch, Value, n) };
}

static Value fail(const Frame *x, const char *what)
{
    dae_not_yet(x->b, what);
    return scalar_value(SYM_ZERO);
}

static Value copy(const Frame *x, Value v)
{
    if (!v.is_list) return v;
    Value made = inline_list(x, v.n);
    for (uint32_t i = 0; i < v.n; i++) made.items[i] = copy(x, v.items[i]);
    return made;
}

static Value filled(const Frame *x, const uint32_t *sizes, uint32_t rank, Value with)
{
    if (!rank) return copy(x, with);
    Value made = inline_list(x, sizes[0]);
    for (uint32_t i = 0; i < sizes[0]; i++) made.items[i] = filled(x, sizes + 1, rank - 1, with);
    return made;
}

/* The whole number that an expression is by now. */
static bool whole_number(const Frame *x, Sym s, int64_t *value)
{
    double number;
    if (!sym_is_real(x->b->s->pool, s, &number)) return false;
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
    Value made = inline_list(x, yes.n);
    for (uint32_t i = 0; i < yes.n; i++) made.items[i] = choose(x, condition, yes.items[i], no.items[i]);
    return made;
}

/* ---- operators on lists ---- */


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
    Value made = inline_list(x, list->n);
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
        Value made = inline_list(x, a.n);
        for (uint32_t i = 0; i < a.n; i++) made.items[i] = product(x, a.items[i], c);
        return made;
    }
    if (a.n != c.n) return fail(x, "a product of arrays whose sizes do not fit");
    if (!right) return scalar_value(dot(x, &a, &c, 0, false));
    Value made = inline_list(x, c.items[0].n);
    for (uint32_t j = 0; j < made.n; j++) made.items[j] = scalar_value(dot(x, &a, &c, j, true));
    return made;
}

static Value transpose(Frame *x, Value a)
{
    Value made = inline_list(x, a.n ? a.items[0].n : 0);
    for (uint32_t j = 0; j < made.n; j++) {
        made.items[j] = inline_list(x, a.n);
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
    Value made = inline_list(x, 8);
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

/* ---- arrays: subscripts, ranges ---- */

static Value range(Frame *x, const Value *a)
{
    int64_t from, step, to;
    if (!whole_number(x, a[0].scalar, &from) || !whole_number(x, a[1].scalar, &step) ||
        !whole_number(x, a[2].scalar, &to) || !step)
        return fail(x, "a range whose bounds are not known");
    int64_t n = (to - from) / step + 1;
    if ((step > 0) != (to >= from) && to != from) n = 0;
    if (n < 0 || n > MOST_STATEMENTS) return fail(x, "a range as long as that");
    Value made = inline_list(x, (uint32_t)n);
    for (int64_t i = 0; i < n; i++)
        made.items[i] = scalar_value(sym_real(x->b->s->pool, (double)(from + i * step)));
    return made;
}

static Value subscript(Frame *x, Value v, const ExprId *subs, uint32_t n)
{
    if (!n) return v;
    if (!v.is_list) return fail(x, "a subscript of a scalar");
    const FlatExpr *e = &x->b->s->flat->exprs.at[subs[0]];
    Value at = e->kind == X_COLON ? scalar_value(SYM_ZERO) : inline_eval(x, subs[0]);
    if (e->kind == X_COLON || at.is_list) {
        Value made = inline_list(x, at.is_list ? at.n : v.n);
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
    SymPool *p = x->b->s->pool;
    Value found = subscript(x, v.items[v.n - 1], subs + 1, n - 1);
    for (uint32_t i = v.n - 1; i-- > 0;)
        found = choose(x, sym_two(p, SYM_EQ, at.scalar, sym_real(p, i + 1.0)),
                       subscript(x, v.items[i], subs + 1, n - 1), found);
    return found;
}

/* ---- calls ---- */

static void run(Frame *x, uint32_t first, uint32_t n, Sym guard);

static Value default_of(Frame *x, TypeId type, const uint32_t *sizes)
{
    const Flat *f = x->b->s->flat;
    const FlatType *t = &f->types.at[type];
    Value base = scalar_value(SYM_ZERO);
    if (t->base == BASE_RECORD) {
        const FlatDef *def = &f->defs.at[t->def];
        base = inline_list(x, def->fields.n);
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
    if (local->binding != NONE) return copy(x, inline_eval(x, local->binding));
    const FlatType *t = &f->types.at[local->type];
    uint32_t sizes[8] = { 0 };
    for (uint32_t k = 0; k < t->rank && k < 8; k++) {
        int64_t size = t->sizes[k] > 0 ? t->sizes[k] : 0;
        ExprId e = t->sizes[k] == SIZE_UNKNOWN ? f->ids.at[local->sizes_first + k] : NONE;
        if (e != NONE && (!whole_number(x, inline_eval(x, e).scalar, &size) || size < 0))
            return fail(x, "a local array of unknown size");
        sizes[k] = (uint32_t)size;
    }
    return default_of(x, local->type, sizes);
}

/* All outputs of a call, as a list. Of the inputs, those that are not given have their default. */
static Value call_given(Frame *x, FuncId id, const Value *inputs, const bool *is_given)
{
    const FlatFunction *f = &x->b->s->flat->functions.at[id];
    if (x->depth >= DEEPEST_CALL) return fail(x, "a recursive function whose depth is not known");
    Frame inner = { .b = x->b, .f = f, .alive = SYM_ONE, .depth = x->depth + 1, .no_event = true };
    inner.locals = NEW_ARRAY(x->b->scratch, Value, f->locals.n + 1);
    for (uint32_t i = 0; i < f->locals.n; i++) {
        if (i < f->inputs && is_given[i])
            inner.locals[i] = copy(x, inputs[i]);
        else if (f->locals.at[i].role != LOCAL_LOOP)
            inner.locals[i] = local_start(&inner, &f->locals.at[i]);
        if (x->b->failed) return scalar_value(SYM_ZERO);
    }
    if (f->external)
        dae_call_external(&inner, id);
    else
        run(&inner, f->first, f->n, SYM_ONE);
    Value outputs = inline_list(x, f->outputs);
    for (uint32_t i = 0; i < f->outputs; i++) outputs.items[i] = inner.locals[f->inputs + i];
    return outputs;
}

static Value call(Frame *x, const FlatExpr *e)
{
    const Flat *flat = x->b->s->flat;
    const FlatFunction *f = &flat->functions.at[e->index];
    Value *inputs = NEW_ARRAY(x->b->scratch, Value, f->inputs + 1);
    bool *is_given = NEW_ARRAY(x->b->scratch, bool, f->inputs + 1);
    for (uint32_t i = 0; i < f->inputs && i < e->n; i++) {
        is_given[i] = flat->exprs.at[flat->ids.at[e->first + i]].kind != X_OMITTED;
        if (is_given[i]) inputs[i] = inline_eval(x, flat->ids.at[e->first + i]);
    }
    return call_given(x, e->index, inputs, is_given);
}

Value inline_call(Frame *x, FuncId id, const Value *inputs, uint32_t n)
{
    bool *is_given = NEW_ARRAY(x->b->scratch, bool, n + 1);
    memset(is_given, 1, n);
    return call_given(x, id, inputs, is_given);
}

/* Outside of functions a call is run once, whichever of its results are asked for. */
static Value results(Frame *x, ExprId id)
{
    const FlatExpr *e = &x->b->s->flat->exprs.at[id];
    if (x->f || x->b->env) return call(x, e);
    if (!x->b->calls.arena) x->b->calls.arena = x->b->scratch;
    uint64_t key = (uint64_t)id * 2 + x->no_event;
    Value *kept = (Value *)map_pointer(&x->b->calls, (const void *)(uintptr_t)(key + 1));
    if (kept) return *kept;
    kept = NEW(x->b->scratch, Value);
    *kept = call(x, e);
    map_set_pointer(&x->b->calls, (const void *)(uintptr_t)(key + 1), kept);
    return *kept;
}

static void comprehend(Frame *x, const FlatExpr *e, uint32_t k, Value *out, uint32_t *n)
{
    const Flat *f = x->b->s->flat;
    if (k == e->n) {
        out->items[(*n)++] = copy(x, inline_eval(x, f->ids.at[e->first]));
        return;
    }
    Value over = inline_eval(x, f->ids.at[e->first + k]);
    for (uint32_t i = 0; over.is_list && i < over.n && *n < out->n; i++) {
        x->locals[e->index + k - 1] = over.items[i];
        comprehend(x, e, k + 1, out, n);
    }
}

static Value comprehension(Frame *x, const FlatExpr *e)
{
    const Flat *f = x->b->s->flat;
    uint64_t count = 1;
    if (!x->f || (e->op == BUILTIN_ARRAY_OF && e->n > 2)) return fail(x, "this comprehension");
    for (uint32_t k = 1; k < e->n; k++) {
        x->locals[e->index + k - 1] = scalar_value(SYM_ONE);
        count *= inline_eval(x, f->ids.at[e->first + k]).n;
    }
    if (count > MOST_STATEMENTS) return fail(x, "a comprehension as long as that");
    Value all = inline_list(x, (uint32_t)count);
    uint32_t n = 0;
    comprehend(x, e, 1, &all, &n);
    all.n = n;
    return e->op == BUILTIN_ARRAY_OF ? all : reduced(x, (Builtin)e->op, all);
}

/* ---- expressions ---- */

static Value eval_if(Frame *x, const FlatExpr *e)
{
    const Flat *f = x->b->s->flat;
    VEC(Sym) conditions = { 0 };
    VEC(Value) values = { 0 };
    uint32_t k = 0;
    for (; k + 1 < e->n; k += 2) {
        Sym c = inline_eval(x, f->ids.at[e->first + k]).scalar;
        if (c == SYM_ZERO) continue;
        vec_push(x->b->scratch, &conditions, c);
        vec_push(x->b->scratch, &values, inline_eval(x, f->ids.at[e->first + k + 1]));
        if (c == SYM_ONE) break;
    }
    Value chosen = k + 1 < e->n ? values.at[values.n - 1] : inline_eval(x, f->ids.at[e->first + e->n - 1]);
    for (uint32_t i = conditions.n; i-- > 0;) chosen = choose(x, conditions.at[i], values.at[i], chosen);
    return chosen;
}

static Value eval_product(Frame *x, const FlatExpr *e, Value *a)
{
    return e->kind == X_BINARY && e->op == O_PRODUCT && a[0].is_list && a[1].is_list ? product(x, a[0], a[1])
                                                                                     : each(x, e, a, e->n);
}

Value inline_eval(Frame *x, ExprId id)
{
    const Flat *f = x->b->s->flat;
    const FlatExpr *e = &f->exprs.at[id];
    const ExprId *ids = f->ids.at + e->first;
    if (x->b->failed) return scalar_value(SYM_ZERO);
    switch ((ExprKindFlat)e->kind) {
    case X_LOCAL:
        if (x->locals) return x->locals[e->index];
        if (e->index < x->b->loops.n) return scalar_value(x->b->loops.at[e->index]);
        return fail(x, "a local variable outside of a function or loop");
    case X_IF: return eval_if(x, e);
    case X_COMPREHENSION: return comprehension(x, e);
    case X_CALL: {
        Value all = results(x, id);
        return all.is_list && all.n ? all.items[0] : all;
    }
    case X_RESULT: {
        Value all = results(x, ids[0]);
        return all.is_list && e->index < all.n ? all.items[e->index] : scalar_value(SYM_ZERO);
    }
    case X_SUBSCRIPT: return subscript(x, inline_eval(x, ids[0]), ids + 1, e->n - 1);
    case X_FIELD: {
        Value v = inline_eval(x, ids[0]);
        return v.is_list && e->index < v.n ? v.items[e->index]
                                           : fail(x, "a field of something that is no record");
    }
    default: break;
    }
    Value a[8], *args = e->n <= 8 ? a : NEW_ARRAY(x->b->scratch, Value, e->n);
    for (uint32_t k = 0; k < e->n; k++) args[k] = inline_eval(x, ids[k]);
    switch ((ExprKindFlat)e->kind) {
    case X_ARRAY:
    case X_RECORD:
    case X_TUPLE: {
        Value made = inline_list(x, e->n);
        if (e->n) memcpy(made.items, args, e->n * sizeof *args);
        return made;
    }
    case X_RANGE: return range(x, args);
    case X_BUILTIN: return builtin(x, e, args);
    case X_UNARY:
    case X_BINARY: return eval_product(x, e, args);
    default: return scalar_value(dae_translate_node(x->b, e, NULL, x->no_event));
    }
}

/* ---- statements ---- */

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
    Value at = e->kind == X_COLON ? scalar_value(SYM_ZERO) : inline_eval(x, subs[0]);
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
    for (uint32_t i = 0; i < to->n; i++)
        put_at(x, &to->items[i], subs + 1, n - 1, v,
               sym_two(p, SYM_AND, guard, sym_two(p, SYM_EQ, at.scalar, sym_real(p, i + 1.0))));
}

/* Assigns to a local variable, a part of one, or several at once. */
static void assign(Frame *x, ExprId left, Value v, Sym guard)
{
    const Flat *f = x->b->s->flat;
    const FlatExpr *e = &f->exprs.at[left];
    const ExprId *ids = f->ids.at + e->first;
    if (e->kind == X_LOCAL)
        put(x, &x->locals[e->index], v, guard);
    else if (e->kind == X_TUPLE || e->kind == X_ARRAY)
        for (uint32_t i = 0; i < e->n && v.is_list && i < v.n; i++) {
            if (f->exprs.at[ids[i]].kind != X_OMITTED) assign(x, ids[i], v.items[i], guard);
        }
    else if (e->kind == X_SUBSCRIPT && f->exprs.at[ids[0]].kind == X_LOCAL)
        put_at(x, &x->locals[f->exprs.at[ids[0]].index], ids + 1, e->n - 1, v, guard);
    else if (e->kind == X_FIELD && f->exprs.at[ids[0]].kind == X_LOCAL &&
             e->index < x->locals[f->exprs.at[ids[0]].index].n)
        put(x, &x->locals[f->exprs.at[ids[0]].index].items[e->index], v, guard);
    else
        fail(x, "an assignment to this");
}

static Value right_side(Frame *x, const FlatStmt *s)
{
    const Flat *f = x->b->s->flat;
    bool many = f->exprs.at[s->left].kind == X_TUPLE && f->exprs.at[s->right].kind == X_CALL;
    return many ? results(x, s->right) : inline_eval(x, s->right);
}

static void run_loop(Frame *x, const FlatStmt *s, Sym guard)
{
    const FlatBranch *body = &x->b->s->flat->branches.at[s->first];
    Sym outside = x->alive;
    if (s->kind == S_FOR) {
        Value over = inline_eval(x, s->left);
        for (uint32_t i = 0; over.is_list && i < over.n && x->alive != SYM_ZERO && !x->b->failed; i++) {
            x->locals[s->index] = over.items[i];
            run(x, body->first, body->n, guard);
        }
    } else {
        while (!x->b->failed && x->alive != SYM_ZERO) {
            Sym c = inline_eval(x, body->condition).scalar;
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
        Sym own = branch->condition == NONE ? SYM_ONE : inline_eval(x, branch->condition).scalar;
        Sym now = sym_two(p, SYM_AND, own, sym_one(p, SYM_NOT, before));
        run(x, branch->first, branch->n, sym_two(p, SYM_AND, guard, now));
        before = sym_two(p, SYM_OR, before, own);
    }
}

static void run(Frame *x, uint32_t first, uint32_t n, Sym outer)
{
    const Flat *f = x->b->s->flat;
    for (uint32_t i = 0; i < n && !x->b->failed; i++) {
        const FlatStmt *s = &f->stmts.at[f->ids.at[first + i]];
        Sym guard = sym_two(x->b->s->pool, SYM_AND, outer, x->alive);
        if (guard == SYM_ZERO) return;
        if (x->b->statements++ > MOST_STATEMENTS) fail(x, "a function that runs as long as that");
        switch ((FlatStmtKind)s->kind) {
        case S_ASSIGN:
        case S_EQUAL: assign(x, s->left, right_side(x, s), guard); break;
        case S_IF: run_if(x, s, guard); break;
        case S_FOR:
        case S_WHILE: run_loop(x, s, guard); break;
        case S_RETURN:
        case S_BREAK: leave(x, guard, s->kind == S_RETURN); break;
        case S_ASSERT: break;
        default: fail(x, "this statement in a function");
        }
    }
}

/* ---- the doors ---- */

Sym dae_inline(Build *b, ExprId e, bool no_event)
{
    Frame x = { .b = b, .alive = SYM_ONE, .no_event = no_event };
    Value v = inline_eval(&x, e);
    if (v.is_list) fail(&x, "an array where a scalar is needed");
    return v.scalar;
}

void inline_flatten(Build *b, Value v, Syms *out)
{
    if (!v.is_list) {
        vec_push(b->scratch, out, v.scalar);
        return;
    }
    for (uint32_t i = 0; i < v.n; i++) inline_flatten(b, v.items[i], out);
}

void dae_inline_all(Build *b, ExprId e, bool is_tuple, Syms *out)
{
    Frame x = { .b = b, .alive = SYM_ONE };
    bool many = is_tuple && b->s->flat->exprs.at[e].kind == X_CALL;
    inline_flatten(b, many ? results(&x, e) : inline_eval(&x, e), out);
}
