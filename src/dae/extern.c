/* extern.c: calls of external functions become CALL nodes.
 *
 * In: a frame with the inputs of the function. Out: its outputs, as results of one call. How: the arguments of the C function
 * are run on the frame and written out to scalars (column by column for FORTRAN 77); an argument that names an output or a
 * protected variable may be written, and is read too if it has a value before. Partial derivatives are those of the
 * `derivative` annotation, asked for once for each scalar input that changes; where there is none, a difference quotient is
 * made later (derive.c). Calls of pure functions whose inputs are known are made here and now. Tests:
 * tests/gen/extern_test.c. */
#include "dae/inside.h"

enum { MOST_DIRECTIONS = 64 }; /* scalar inputs of one call that have derivatives by annotation */

typedef struct {
    Value value;    /* before the call */
    uint32_t local; /* the variable that it is; NONE */
    bool is_out;
    uint32_t first; /* of its scalars among the inputs of the call */
} Argument;

static bool is_fortran(const FlatFunction *f) { return ext_is_fortran(f->language); }

/* Place k of a value's scalars, row by row, where the C function has number i. */
static uint32_t place(const FlatFunction *f, Value v, uint32_t i)
{
    if (!is_fortran(f) || !v.is_list || !v.n || !v.items[0].is_list) return i;
    return i % v.n * v.items[0].n + i / v.n;
}

static void add_scalars(Frame *x, const FlatFunction *f, Value v, Syms *out)
{
    Syms rows = { 0 };
    inline_flatten(x->b, v, &rows);
    for (uint32_t i = 0; i < rows.n; i++) vec_push(x->b->scratch, out, rows.at[place(f, v, i)]);
}

/* The value with its scalars taken from a list, row by row. */
static Value shaped(const Frame *x, Value like, const Sym *from, uint32_t *at)
{
    if (!like.is_list) return (Value){ .scalar = from[(*at)++] };
    Value made = inline_list(x, like.n);
    for (uint32_t i = 0; i < like.n; i++) made.items[i] = shaped(x, like.items[i], from, at);
    return made;
}

static uint32_t count_scalars(Frame *x, Value v)
{
    Syms all = { 0 };
    inline_flatten(x->b, v, &all);
    return all.n;
}

/* ---- the call ---- */

static bool same_call(const DaeCall *a, const DaeCall *b)
{
    if (a->function != b->function || a->n != b->n || a->has_result != b->has_result) return false;
    if (a->function == NONE && strcmp(a->builtin, b->builtin) != 0) return false;
    for (uint32_t i = 0; i < a->n; i++) {
        const DaeArg *p = &a->args[i], *q = &b->args[i];
        if (p->base != q->base || p->is_array != q->is_array || p->is_input != q->is_input ||
            p->is_output != q->is_output || p->n != q->n)
            return false;
    }
    return true;
}

static uint32_t call_id(Build *b, DaeCall call)
{
    System *s = b->s;
    bool impure = call.function != NONE && s->flat->functions.at[call.function].impure;
    for (uint32_t i = s->calls.n; !impure && i-- > 0;)
        if (same_call(&s->calls.at[i], &call)) return i;
    DaeArg *args = NEW_ARRAY(s->arena, DaeArg, call.n + 1);
    if (call.n) memcpy(args, call.args, call.n * sizeof *args);
    call.args = args;
    vec_push(s->arena, &s->calls, call);
    return s->calls.n - 1;
}

/* ---- calls that can be made now ---- */

static uint8_t ir_type(uint8_t base)
{
    return base == BASE_REAL ? IR_REAL : base == BASE_STRING ? IR_STR : base == BASE_OBJECT ? IR_PTR : IR_INT;
}

void dae_request(const System *s, const DaeCall *call, ExtParam *params, ExtRequest *out)
{
    const FlatFunction *f = &s->flat->functions.at[call->function];
    for (uint32_t i = 0; i < call->n; i++) {
        const DaeArg *a = &call->args[i];
        params[i] = (ExtParam){ .type = ir_type(a->base), .is_array = a->is_array, .is_output = a->is_output,
                                .is_result = call->has_result && i + 1 == call->n, .is_size = a->is_size };
    }
    *out = (ExtRequest){ .symbol = f->symbol, .language = f->language, .params = params, .n = call->n,
                         .libraries = f->libraries.at, .library_count = f->libraries.n,
                         .directory = f->library_directory };
}

static bool is_known(const SymPool *p, Sym s) { return sym_is(p, s, SYM_REAL) || sym_is(p, s, SYM_TEXT); }

static bool may_fold(Build *b, const DaeCall *call, const Sym *inputs, uint32_t n)
{
    if (call->function == NONE || b->s->flat->functions.at[call->function].impure) return false;
    for (uint32_t i = 0; i < call->n; i++)
        if (call->args[i].base == BASE_OBJECT) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!is_known(b->s->pool, inputs[i])) return false;
    return true;
}

static Sym sym_of_cell(Build *b, RtCell cell, uint8_t base)
{
    SymPool *p = b->s->pool;
    if (base == BASE_STRING) return sym_string_of(p, str_of(cell.s));
    return sym_real(p, base == BASE_REAL ? cell.r : base == BASE_BOOLEAN ? cell.i != 0 : (double)cell.i);
}

static bool fold(Build *b, const DaeCall *call, const Sym *inputs, Syms *results)
{
    SymPool *p = b->s->pool;
    ExtParam *params = NEW_ARRAY(b->scratch, ExtParam, call->n + 1);
    ExtValue *values = NEW_ARRAY(b->scratch, ExtValue, call->n + 1);
    ExtRequest request;
    dae_request(b->s, call, params, &request);
    for (uint32_t i = 0; i < call->n; i++) {
        values[i] = (ExtValue){ NEW_ARRAY(b->scratch, RtCell, call->args[i].n + 1), call->args[i].n };
        for (uint32_t k = 0; call->args[i].is_input && k < values[i].n; k++) {
            Sym s = *inputs++;
            if (params[i].type == IR_STR)
                values[i].at[k].s = sym_is(p, s, SYM_TEXT) ? sym_string(p, s) : "";
            else if (params[i].type == IR_REAL)
                values[i].at[k].r = sym_node(p, s)->real;
            else
                values[i].at[k].i = (int64_t)sym_node(p, s)->real;
        }
    }
    IrExternal function;
    const char *why;
    if (!ext_find(&request, b->scratch, &function, &why) || !ext_call(&request, &function, values, b->scratch, &why))
        return false; /* it may never be needed; if it is, the run reports it */
    for (uint32_t i = 0; i < call->n; i++)
        for (uint32_t k = 0; call->args[i].is_output && k < values[i].n; k++)
            vec_push(b->scratch, results, sym_of_cell(b, values[i].at[k], call->args[i].base));
    return true;
}

void dae_call(Build *b, DaeCall call, const Sym *inputs, uint32_t n, Syms *results)
{
    if (may_fold(b, &call, inputs, n) && fold(b, &call, inputs, results)) return;
    Sym node = sym_call(b->s->pool, call_id(b, call), inputs, n);
    uint32_t k = 0;
    for (uint32_t i = 0; i < call.n; i++)
        for (uint32_t m = 0; call.args[i].is_output && m < call.args[i].n; m++) {
            Sym result = sym_result(b->s->pool, node, k++);
            vec_push(b->scratch, results, result);
        }
    /* Nothing depends on an Integer or a string gradually, and no Integer on anything. */
    uint32_t at = 0, first = results->n - k;
    for (uint32_t i = 0; i < call.n; i++) {
        if (!call.args[i].is_input) continue;
        for (uint32_t m = 0; m < call.args[i].n; m++, at++)
            for (uint32_t r = 0; r < k && call.args[i].base != BASE_REAL; r++)
                sym_set_partial(b->s->pool, results->at[first + r], at, SYM_ZERO);
    }
}

/* ---- derivatives by annotation ---- */

static Value unit(const Frame *x, Value like, uint32_t *k)
{
    if (!like.is_list) return (Value){ .scalar = (*k)-- == 0 ? SYM_ONE : SYM_ZERO };
    Value made = inline_list(x, like.n);
    for (uint32_t i = 0; i < like.n; i++) made.items[i] = unit(x, like.items[i], k);
    return made;
}

static Value zero(const Frame *x, Value like)
{
    uint32_t none = UINT32_MAX;
    return unit(x, like, &none);
}

/* a + c * by, scalar by scalar. */
static Value plus(const Frame *x, Value a, Value c, Sym by)
{
    SymPool *p = x->b->s->pool;
    if (!a.is_list) return (Value){ .scalar = sym_two(p, SYM_ADD, a.scalar, sym_two(p, SYM_MUL, c.scalar, by)) };
    Value made = inline_list(x, a.n);
    for (uint32_t i = 0; i < a.n; i++) made.items[i] = plus(x, a.items[i], c.items[i], by);
    return made;
}

static bool moves(const Frame *x, const FlatDerivative *d, uint32_t input)
{
    return x->b->s->flat->types.at[x->f->locals.at[input].type].base == BASE_REAL && !d->is_fixed[input];
}

/* How the outputs change with scalar k of input j, by a derivative function of order 1. */
static bool first_order(Frame *x, const Value *given, const FlatDerivative *d, uint32_t j, uint32_t k, Value *out)
{
    const FlatFunction *f = x->f;
    Value *inputs = NEW_ARRAY(x->b->scratch, Value, 2 * f->inputs + 1);
    uint32_t n = f->inputs;
    memcpy(inputs, given, n * sizeof *inputs);
    for (uint32_t i = 0; i < f->inputs; i++)
        if (moves(x, d, i)) inputs[n++] = i == j ? unit(x, given[i], &k) : zero(x, given[i]);
    if (n != x->b->s->flat->functions.at[d->function].inputs) return false;
    *out = inline_call(x, d->function, inputs, n);
    return true;
}

/* The same for f(x, v) that is itself a derivative: linear in its last inputs v, with d(x, v, w) = d/dt f(x, v) where
 * x' = v and v' = w. In v: f(x, e). In x: Q(v) = d(x, v, 0) is quadratic in v, so it is (Q(v + e) - Q(v - e)) / 4. */
static bool second_order(Frame *x, FuncId own, const Value *given, const FlatDerivative *d, uint32_t j, uint32_t k,
                         Value *out)
{
    SymPool *p = x->b->s->pool;
    const FlatFunction *f = x->f;
    uint32_t moved = 0, before = 0;
    for (uint32_t i = 0; i < f->inputs; i++) moved += moves(x, d, i);
    uint32_t half = moved / 2, first = f->inputs - half;
    if (moved % 2 || x->b->s->flat->functions.at[d->function].inputs != f->inputs + half) return false;
    Value *inputs = NEW_ARRAY(x->b->scratch, Value, f->inputs + half + 1), side[2];
    memcpy(inputs, given, f->inputs * sizeof *inputs);
    for (uint32_t i = 0; i < half; i++) inputs[f->inputs + i] = zero(x, given[first + i]);
    if (j >= first) {
        for (uint32_t i = first; i < f->inputs; i++) inputs[i] = i == j ? unit(x, given[i], &k) : zero(x, given[i]);
        *out = inline_call(x, own, inputs, f->inputs);
        return true;
    }
    for (uint32_t i = 0; i < j; i++) before += moves(x, d, i);
    Value e = unit(x, given[first + before], &k);
    for (int s = 0; s < 2; s++) {
        inputs[first + before] = plus(x, given[first + before], e, sym_real(p, s ? -1 : 1));
        side[s] = inline_call(x, d->function, inputs, f->inputs + half);
    }
    Value change = plus(x, side[0], side[1], sym_real(p, -1));
    *out = plus(x, zero(x, change), change, sym_real(p, 0.25));
    return true;
}

/* Writes down the change of all outputs with input scalar `at` of the call. */
static void note_partial(Frame *x, Value change, uint32_t at)
{
    SymPool *p = x->b->s->pool;
    uint32_t real = 0;
    for (uint32_t o = 0; o < x->f->outputs; o++) {
        Syms results = { 0 }, changes = { 0 };
        if (x->b->s->flat->types.at[x->f->locals.at[x->f->inputs + o].type].base != BASE_REAL) continue;
        if (!change.is_list || real >= change.n) return;
        inline_flatten(x->b, x->locals[x->f->inputs + o], &results);
        inline_flatten(x->b, change.items[real++], &changes);
        for (uint32_t k = 0; k < results.n && k < changes.n; k++)
            if (sym_is(p, results.at[k], SYM_RESULT)) sym_set_partial(p, results.at[k], at, changes.at[k]);
    }
}

static void note_partials(Frame *x, FuncId id, const Value *given, const Argument *args, uint32_t n, const Syms *inputs)
{
    const FlatFunction *f = x->f;
    const FlatDerivative *d = f->derivatives.n ? &f->derivatives.at[0] : NULL;
    uint32_t directions = 0;
    for (uint32_t a = 0; d && a < n; a++) {
        uint32_t j = args[a].local, count = j < f->inputs ? count_scalars(x, args[a].value) : 0;
        if (count && x->b->s->flat->types.at[f->locals.at[j].type].base != BASE_REAL) continue;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t at = args[a].first + i;
            if (sym_is_fixed(x->b->s->pool, x->b->s, inputs->at[at], false)) continue;
            Value change = { .is_list = true };
            if (!moves(x, d, j)) {
                change = inline_list(x, f->outputs);
                for (uint32_t o = 0; o < f->outputs; o++) change.items[o] = zero(x, x->locals[f->inputs + o]);
                note_partial(x, change, at);
                continue;
            }
            if (directions++ >= MOST_DIRECTIONS) return;
            uint32_t k = place(f, args[a].value, i);
            bool known = d->order == 1 ? first_order(x, given, d, j, k, &change)
                                       : d->order == 2 && second_order(x, id, given, d, j, k, &change);
            if (known) note_partial(x, change, at);
        }
    }
}

/* ---- from the frame to the call and back ---- */

static bool take_argument(Frame *x, ExprId expr, Argument *a, DaeArg *about, Syms *inputs)
{
    const Flat *flat = x->b->s->flat;
    const FlatExpr *e = &flat->exprs.at[expr];
    const FlatType *t = &flat->types.at[e->type];
    a->local = e->kind == X_LOCAL ? e->index : NONE;
    a->is_out = a->local != NONE && x->f->locals.at[a->local].role != LOCAL_INPUT;
    a->value = inline_eval(x, expr);
    a->first = inputs->n;
    if (x->b->failed) return false;
    if (t->base == BASE_RECORD || t->base == BASE_FUNCTION) {
        dae_not_yet(x->b, "a record as argument of an external function");
        return false;
    }
    *about = (DaeArg){ .base = (uint8_t)t->base, .is_array = a->value.is_list, .is_output = a->is_out,
                       .is_input = !a->is_out || x->f->locals.at[a->local].binding != NONE,
                       .is_size = e->kind == X_BUILTIN && e->op == BUILTIN_SIZE,
                       .n = count_scalars(x, a->value) };
    if (about->is_input) add_scalars(x, x->f, a->value, inputs);
    return true;
}

static void give_results(Frame *x, const Argument *args, uint32_t n, const Syms *results)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!args[i].is_out) continue;
        uint32_t count = count_scalars(x, args[i].value), k = 0;
        Sym *rows = NEW_ARRAY(x->b->scratch, Sym, count + 1);
        for (uint32_t m = 0; m < count; m++) rows[place(x->f, args[i].value, m)] = results->at[at++];
        x->locals[args[i].local] = shaped(x, args[i].value, rows, &k);
    }
}

void dae_call_external(Frame *x, FuncId id)
{
    const Flat *flat = x->b->s->flat;
    const FlatFunction *f = x->f;
    uint32_t n = f->args_n + (f->result != NONE);
    Argument *args = NEW_ARRAY(x->b->scratch, Argument, n + 1);
    DaeCall call = { .function = id, .n = n, .has_result = f->result != NONE };
    call.args = NEW_ARRAY(x->b->scratch, DaeArg, n + 1);
    Syms inputs = { 0 }, results = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        ExprId expr = i < f->args_n ? flat->ids.at[f->args_first + i] : f->result;
        if (!take_argument(x, expr, &args[i], &call.args[i], &inputs)) return;
    }
    Value *given = NEW_ARRAY(x->b->scratch, Value, f->inputs + 1);
    memcpy(given, x->locals, f->inputs * sizeof *given);
    dae_call(x->b, call, inputs.at, inputs.n, &results);
    give_results(x, args, n, &results);
    note_partials(x, id, given, args, n, &inputs);
}
