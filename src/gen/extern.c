/* extern.c: external functions of the flat model as functions of the IR, and their derivatives.
 *
 * In: a function whose body is a call of C or FORTRAN 77. Out: a function of the IR that makes this
 * call, so that callers see no difference. An argument that names an output, or a protected array
 * or scalar without a value, is given with what it holds, and holds afterwards what the C function
 * left there; matrices are turned over for FORTRAN 77; a record of Reals is passed as the structure
 * it is in C, an array, and any other record member by member, as ext/bridge.c wants it. The
 * derivative is what the `derivative` annotation says, in the form that the IR wants
 * (ir_differentiate), or a difference quotient where there is none. Tests:
 * tests/api/extern_test.c. */
#include "ext/ext.h"
#include "gen/function.h"
#include "gen/inside.h"

/* ---- the call -------------------------------------------------------------------------------- */

typedef struct {
    FunValue own;    /* the variable, where the argument is one */
    FunValue passed; /* what C gets: an array, or a scalar */
    bool is_output;
    ExtParam param;
} Argument;

/* A copy with rows and columns exchanged; of a vector, itself. */
static FunValue turned(Fun *x, FunValue v)
{
    IrBuilder *b = &x->b;
    if (v.rank != 2) return v;
    IrReg sizes[] = { v.size[1], v.size[0] }, zero = ir_int(b, 0);
    FunValue made = fun_new_array(x, v.base, 2, sizes);
    IrReg i = ir_for(b, zero, fun_plus(x, v.size[0], -1), 1),
          j = ir_for(b, zero, fun_plus(x, v.size[1], -1), 1);
    IrReg from = ir_two(b, IR_IADD, fun_times(x, i, v.size[1]), j);
    IrReg to = ir_two(b, IR_IADD, fun_times(x, j, v.size[0]), i);
    fun_store(x, &made, to, 0, fun_load(x, &v, from, 0));
    ir_end(b);
    ir_end(b);
    return made;
}

/* A record of Reals as an array; back if `to_record`. */
static FunValue record_array(Fun *x, FunValue *record, const FunValue *array)
{
    IrReg n = ir_int(&x->b, record->n);
    FunValue made = array ? *array : fun_new_array(x, BASE_REAL, 1, &n);
    for (uint32_t k = 0; k < record->n; k++) {
        if (array) {
            FunValue field = fun_of_reg(BASE_REAL, fun_load(x, array, IR_NONE, (int32_t)k));
            fun_assign(x, &record->fields[k], &field);
        } else {
            fun_store(x, &made, IR_NONE, (int32_t)k, fun_scalar(x, record->fields[k], IR_REAL));
        }
    }
    return made;
}

typedef struct {
    Fun *x;
    VEC(Argument) args;
    VEC(ExtParam) params;
    bool by_member; /* records are passed so */
    uint16_t records;
} Call;

static void push_argument(Call *c, Argument *a, FunValue passed)
{
    a->passed = passed;
    a->param.type = (uint8_t)fun_type(passed.base);
    a->param.is_array = passed.rank > 0;
    a->param.is_output = a->is_output;
    vec_push(c->x->scratch, &c->args, *a);
    vec_push(c->x->scratch, &c->params, a->param);
}

/* The members of a record, and of those in it. */
static void push_members(Call *c, const Argument *record, const char *before)
{
    const FlatDef *def = &c->x->flat->defs.at[record->own.def];
    for (uint32_t k = 0; k < record->own.n; k++) {
        Argument member = *record;
        const char *name = def->fields.at[k].name;
        member.own = record->own.fields[k];
        member.param.field = *before ? arena_printf(c->x->scratch, "%s.%s", before, name) : name;
        const FlatType *type = &c->x->flat->types.at[def->fields.at[k].type];
        uint32_t count = type->rank != 0;
        for (uint32_t d = 0; d < type->rank; d++) count *= type->sizes[d] > 0 ? (uint32_t)type->sizes[d] : 0;
        member.param.count = count;
        if (type->rank && (!count || type->base == BASE_RECORD))
            fun_no_function(
                c->x, arena_printf(c->x->scratch,
                                   type->base == BASE_RECORD
                                       ? "'%s' is an array of records in a record: pass it as an argument "
                                         "of its own"
                                       : "'%s' is an array in a record whose size is open, which no "
                                         "structure of C stands for: pass it as an argument of its own",
                                   member.param.field));
        else if (member.own.base == BASE_RECORD)
            push_members(c, &member, member.param.field);
        else
            push_argument(c, &member, member.own);
    }
}

static bool has_reals_only(const FunValue *record)
{
    for (uint32_t k = 0; k < record->n; k++)
        if (record->fields[k].base != BASE_REAL || record->fields[k].rank) return false;
    return true;
}

static const char *include_of(const FlatFunction *f)
{
    bool is_plain = !f->include && !f->libraries.n && !ext_is_fortran(f->language);
    return is_plain ? ext_of_c(f->symbol) : f->include;
}

static bool is_bridged(Fun *x)
{
    const FlatFunction *f = x->f;
    for (uint32_t i = 0; i < f->locals.n; i++)
        if (x->flat->types.at[f->locals.at[i].type].base == BASE_RECORD && !has_reals_only(fun_local(x, i)))
            return true;
    return include_of(f) != NULL;
}

static void take_argument(Call *c, ExprId id, bool is_result)
{
    Fun *x = c->x;
    const FlatExpr *e = &x->flat->exprs.at[id];
    const FlatLocal *local = e->kind == X_LOCAL ? &x->f->locals.at[e->index] : NULL;
    bool is_work = local && local->role == LOCAL_PROTECTED &&
                   !(local->binding != NONE && !x->flat->types.at[e->type].rank);
    Argument a = { .is_output = local && (local->role == LOCAL_OUTPUT || is_work) };
    a.own = e->kind == X_LOCAL ? *fun_local(x, e->index) : fun_eval(x, id);
    a.param.is_result = is_result;
    a.param.is_size = e->kind == X_BUILTIN && e->op == BUILTIN_SIZE;
    if (a.own.base == BASE_RECORD && c->by_member) {
        a.param.record = ++c->records;
        if (a.own.rank) {
            Argument count = a;
            count.is_output = false;
            count.param.is_count = true;
            count.own = fun_of_reg(BASE_INTEGER, fun_count(x, &a.own));
            push_argument(c, &count, count.own);
        }
        push_members(c, &a, "");
    } else {
        FunValue passed = a.own.base == BASE_RECORD ? record_array(x, &a.own, NULL) : a.own;
        push_argument(c, &a, ext_is_fortran(x->f->language) ? turned(x, passed) : passed);
    }
}

static void give_back(Fun *x, Argument *a, uint32_t operand)
{
    if (!a->is_output) return;
    if (!a->param.is_array) {
        FunValue v = fun_of_reg(a->own.base, operand);
        fun_assign(x, &a->own, &v);
        return;
    }
    FunValue back = ext_is_fortran(x->f->language) ? turned(x, a->passed) : a->passed;
    if (a->own.base == BASE_RECORD)
        record_array(x, &a->own, &back);
    else if (back.array != a->own.array)
        ir_copy(&x->b, a->own.array, back.array);
}

static bool is_same_external(const IrExternal *a, const IrExternal *b)
{
    bool same = a->param_count == b->param_count;
    for (uint32_t p = 0; same && p < a->param_count; p++)
        same = !memcmp(&a->params[p], &b->params[p], sizeof a->params[p]);
    return same && !strcmp(ir_symbol(a), ir_symbol(b));
}

/* The external function; IR_NONE after a report. Two declarations that pass other things to one C
 * function are two, with a name each. */
static IrExt find_external(Fun *x, const ExtRequest *request)
{
    IrExternal made;
    const char *why;
    IrModule *module = fun_module(x);
    if (!ext_find(request, x->scratch, &made, &why)) {
        fun_no_function(x, why);
        return IR_NONE;
    }
    const char *symbol = made.name;
    for (IrExt e = 0, number = 2; e < module->externals.n;) {
        if (is_same_external(&module->externals.at[e], &made)) return e;
        bool is_taken = !strcmp(module->externals.at[e].name, made.name);
        if (is_taken) {
            made.symbol = symbol;
            made.name = arena_printf(x->scratch, "%s_%u", symbol, (unsigned)number++);
        }
        e = is_taken ? 0 : e + 1;
    }
    return ir_add_external(module, &made);
}

void fun_external(Fun *x)
{
    const FlatFunction *f = x->f;
    Call c = { .x = x, .by_member = is_bridged(x) };
    for (uint32_t i = f->inputs; i < f->locals.n; i++) fun_local(x, i);
    for (uint32_t i = 0; i < f->args_n; i++) take_argument(&c, x->flat->ids.at[f->args_first + i], false);
    if (f->result != NONE) take_argument(&c, f->result, true);
    if (fun_failed(x)) return;
    uint32_t n = c.args.n, at = 0;
    uint32_t *operands = NEW_ARRAY(x->scratch, uint32_t, n + 1);
    ExtRequest request = { .symbol = f->symbol,
                           .language = f->language,
                           .params = c.params.at,
                           .n = n,
                           .libraries = f->libraries.at,
                           .library_count = f->libraries.n,
                           .directory = f->library_directory,
                           .include = include_of(f),
                           .include_directory = f->include_directory,
                           .unit = fun_unit(x),
                           .origin = f->origin,
                           .permit = x->flat->permit };
    IrExt external = find_external(x, &request);
    if (external == IR_NONE) return;
    for (int out = 0; out < 2; out++)
        for (uint32_t i = 0; i < n; i++) {
            const Argument *a = &c.args.at[i];
            if (a->is_output != (bool)out) continue;
            operands[at++] = a->param.is_array ? a->passed.array
                             : out             ? IR_NONE
                                               : fun_scalar(x, a->passed, (IrType)a->param.type);
        }
    ir_extern(&x->b, external, operands, n);
    at = 0;
    for (uint32_t i = 0; i < n; i++) at += !c.args.at[i].is_output;
    for (uint32_t i = 0; i < n; i++)
        if (c.args.at[i].is_output) give_back(x, &c.args.at[i], operands[at++]);
}

/* ---- code ------------------------------------------------------------------------------------ */

/* The first function with C text. */
static Span include_span(const Compiled *c)
{
    const Flat *flat = c->s->flat;
    for (uint32_t k = 0; k < flat->functions.n; k++)
        if (flat->functions.at[k].external && flat->functions.at[k].include)
            return flat->functions.at[k].span;
    return (Span){ 0 };
}

IrCode *gen_code(Compiled *c, IrBackend backend, Diag *diag)
{
    const char *why;
    bool is_found = ext_unit_build(c->unit, &why);
    for (IrExt e = 0; is_found && e < c->module->externals.n; e++) {
        IrExternal *external = &c->module->externals.at[e];
        if (!external->entry && !external->address) is_found = ext_unit_resolve(c->unit, external);
        if (!is_found) why = arena_printf(c->arena, "there is no '%s' in its C code", external->name);
    }
    IrCode *code = is_found ? ir_code_new(c->module, backend) : NULL;
    if (!is_found)
        diag_add(diag, E_EXTERNAL, include_span(c), "%s", why);
    else if (!code)
        diag_add(diag, E_CODE, (Span){ 0 }, "no code could be made for this machine");
    return code;
}

/* ---- derivatives ----------------------------------------------------------------------------- */

typedef struct {
    Fun *x;
    FuncId f;
    const FlatFunction *function;
    FunValue *inputs, *directions; /* by input; base BASE_REAL where it has one */
    FunValue *results, *rates;     /* by output, likewise */
} Derivative;

static bool is_in(const Flat *flat, uint32_t first, uint32_t n, uint32_t input)
{
    for (uint32_t i = 0; i < n; i++)
        if (flat->ids.at[first + i] == input) return true;
    return false;
}

/* Whether the derivative function takes the direction of an input. */
static bool moves(const Derivative *k, const FlatDerivative *d, uint32_t input)
{
    const Flat *flat = k->x->flat;
    return flat->types.at[k->function->locals.at[input].type].base == BASE_REAL &&
           !is_in(flat, d->none_first, d->none_n, input) && !is_in(flat, d->zero_first, d->zero_n, input);
}

static void give_rates(const Derivative *k, const FunValue *rates)
{
    for (uint32_t o = 0, next = 0; o < k->function->outputs; o++)
        if (k->rates[o].base == BASE_REAL) fun_assign(k->x, &k->rates[o], &rates[next++]);
}

/* a + by * c, element by element. */
static FunValue plus(Fun *x, const FunValue *a, const FunValue *c, IrReg by)
{
    IrBuilder *b = &x->b;
    if (!a->rank) return fun_of_reg(BASE_REAL, ir_two(b, IR_ADD, a->reg, ir_two(b, IR_MUL, by, c->reg)));
    FunValue made = fun_new_array(x, BASE_REAL, a->rank, a->size);
    IrReg i = ir_for(b, ir_int(b, 0), fun_plus(x, fun_count(x, a), -1), 1);
    IrReg term = ir_two(b, IR_MUL, by, fun_load(x, c, i, 0));
    fun_store(x, &made, i, 0, ir_two(b, IR_ADD, fun_load(x, a, i, 0), term));
    ir_end(b);
    return made;
}

/* By a function that takes inputs and directions. */
static bool first_order(const Derivative *k, const FlatDerivative *d)
{
    const FlatFunction *g = &k->x->flat->functions.at[d->function];
    FunValue *args = NEW_ARRAY(k->x->scratch, FunValue, 2 * k->function->inputs + 1), rates[FUN_MOST_RESULTS];
    uint32_t n = k->function->inputs, reals = 0;
    if (n) memcpy(args, k->inputs, n * sizeof *args);
    for (uint32_t i = 0; i < k->function->inputs; i++)
        if (moves(k, d, i)) args[n++] = k->directions[i];
    for (uint32_t o = 0; o < k->function->outputs; o++) reals += k->rates[o].base == BASE_REAL;
    if (n != g->inputs || reals != g->outputs || reals > FUN_MOST_RESULTS) return false;
    fun_call(k->x, d->function, args, rates);
    give_rates(k, rates);
    return true;
}

/* f(x, v) is itself a derivative: linear in its last inputs v, with d(x, v, w) = d/dt f(x, v) where
 * x' = v and v' = w. In the direction (dx, dv) it is f(x, dv) + (Q(v + dx) - Q(v - dx)) / 4, since
 * Q(v) = d(x, v, 0) is quadratic in v. */
static bool second_order(const Derivative *k, const FlatDerivative *d)
{
    Fun *x = k->x;
    const FlatFunction *f = k->function, *g = &x->flat->functions.at[d->function];
    uint32_t moved = 0, next = 0;
    for (uint32_t i = 0; i < f->inputs; i++) moved += moves(k, d, i);
    uint32_t half = moved / 2, first = f->inputs - half;
    if (moved % 2 || g->inputs != f->inputs + half || f->outputs != 1 || g->outputs != 1) return false;
    FunValue *args = NEW_ARRAY(x->scratch, FunValue, g->inputs + 1), side[2], own;
    memcpy(args, k->inputs, f->inputs * sizeof *args);
    for (uint32_t i = first; i < f->inputs; i++) args[i] = k->directions[i];
    fun_call(x, k->f, args, &own);
    for (uint32_t i = 0; i < half; i++)
        args[f->inputs + i] = plus(x, &k->inputs[first + i], &k->inputs[first + i], ir_real(&x->b, -1));
    for (int s = 0; s < 2; s++) {
        next = first;
        for (uint32_t i = 0; i < first; i++)
            if (moves(k, d, i)) {
                args[next] = plus(x, &k->inputs[next], &k->directions[i], ir_real(&x->b, s ? -1 : 1));
                next++;
            }
        fun_call(x, d->function, args, &side[s]);
    }
    own = plus(x, &own, &side[0], ir_real(&x->b, 0.25));
    own = plus(x, &own, &side[1], ir_real(&x->b, -0.25));
    give_rates(k, &own);
    return true;
}

/* The derivative that is known of a standard function, whatever its declaration says. */
static bool known_derivative(const Derivative *k)
{
    Fun *x = k->x;
    const FlatFunction *f = k->function;
    const ExtDerivative *known = f->symbol ? ext_derivative(f->symbol) : NULL;
    if (!known || f->args_n != strlen(known->moves) || f->outputs != 1 || f->result == NONE) return false;
    ExtParam params[12] = { 0 };
    uint32_t operands[12], n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < f->args_n; i++) {
            const FlatExpr *e = &x->flat->exprs.at[x->flat->ids.at[f->args_first + i]];
            bool is_plain = e->kind == X_LOCAL && e->index < f->inputs && !x->flat->types.at[e->type].rank;
            if (!is_plain || n + 1 >= COUNT_OF(params)) return false;
            if (pass && known->moves[i] != 'd') continue;
            const FunValue *v = pass ? &k->directions[e->index] : &k->inputs[e->index];
            IrType type = fun_type(v->base);
            params[n].type = (uint8_t)type;
            operands[n++] = fun_scalar(x, *v, type);
        }
    params[n] = (ExtParam){ .type = IR_REAL, .is_output = true, .is_result = true };
    operands[n++] = IR_NONE;
    ExtRequest request = { .symbol = known->symbol, .language = f->language, .params = params, .n = n };
    IrExt external = find_external(x, &request);
    if (external == IR_NONE) return false;
    ir_extern(&x->b, external, operands, n);
    FunValue rate = fun_of_reg(BASE_REAL, operands[n - 1]);
    give_rates(k, &rate);
    return true;
}

/* The largest of |d| / max(|x|, 1) over the elements of an input. */
static void add_scale(Fun *x, const FunValue *v, const FunValue *d, IrReg most)
{
    IrBuilder *b = &x->b;
    if (v->rank) {
        IrReg i = ir_for(b, ir_int(b, 0), fun_plus(x, fun_count(x, v), -1), 1);
        FunValue one = fun_of_reg(BASE_REAL, fun_load(x, v, i, 0)),
                 way = fun_of_reg(BASE_REAL, fun_load(x, d, i, 0));
        add_scale(x, &one, &way, most);
        ir_end(b);
        return;
    }
    IrReg size = ir_two(b, IR_MAX, ir_one(b, IR_ABS, v->reg), ir_real(b, 1));
    ir_set(b, most, ir_two(b, IR_MAX, ir_two(b, IR_DIV, ir_one(b, IR_ABS, d->reg), size), most));
}

/* Central differences along the direction; the increment moves the input that moves most by the
 * cube root of the rounding unit of its size. */
static void by_difference(const Derivative *k)
{
    Fun *x = k->x;
    IrBuilder *b = &x->b;
    const FlatFunction *f = k->function;
    FunValue most = fun_new_variable(x, BASE_REAL, ir_real(b, 0));
    FunValue *args = NEW_ARRAY(x->scratch, FunValue, f->inputs + 1), *side[2], *rates;
    for (uint32_t i = 0; i < f->inputs; i++)
        if (k->directions[i].base == BASE_REAL) add_scale(x, &k->inputs[i], &k->directions[i], most.reg);
    for (uint32_t o = 0; o < f->outputs; o++) /* zero where nothing moves */
        if (k->rates[o].base == BASE_REAL) {
            FunValue none = plus(x, &k->results[o], &k->results[o], ir_real(b, -1));
            fun_assign(x, &k->rates[o], &none);
        }
    ir_if(b, ir_two(b, IR_LT, ir_real(b, 0), most.reg));
    IrReg h = ir_two(b, IR_DIV, ir_real(b, 0x1p-17), most.reg);
    for (int s = 0; s < 2; s++) {
        IrReg by = s ? ir_one(b, IR_NEG, h) : h;
        side[s] = NEW_ARRAY(x->scratch, FunValue, f->outputs + 1);
        for (uint32_t i = 0; i < f->inputs; i++)
            args[i] = k->directions[i].base == BASE_REAL ? plus(x, &k->inputs[i], &k->directions[i], by)
                                                         : k->inputs[i];
        fun_call(x, k->f, args, side[s]);
    }
    rates = NEW_ARRAY(x->scratch, FunValue, f->outputs + 1);
    IrReg half = ir_two(b, IR_DIV, ir_real(b, 0.5), h);
    uint32_t next = 0;
    for (uint32_t o = 0; o < f->outputs; o++) {
        if (k->rates[o].base != BASE_REAL) continue;
        FunValue none = plus(x, &side[0][o], &side[0][o], ir_real(b, -1));
        FunValue change = plus(x, &side[0][o], &side[1][o], ir_real(b, -1));
        rates[next++] = plus(x, &none, &change, half);
    }
    give_rates(k, rates);
    ir_end(b);
}

/* Whether all Real inputs and outputs are scalars or arrays, so that a direction is one more of
 * each. */
static bool is_plain(const Flat *flat, const FlatFunction *f)
{
    for (uint32_t i = 0; i < f->inputs + f->outputs; i++) {
        Base base = flat->types.at[f->locals.at[i].type].base;
        if (base == BASE_RECORD || base == BASE_FUNCTION) return false;
    }
    return true;
}

bool fun_external_derivative(Fun *x, FuncId f, const FunValue *inputs, FunValue *directions,
                             FunValue *results, FunValue *rates)
{
    Derivative k = { x, f, &x->flat->functions.at[f], NULL, directions, results, rates };
    FunValue made[FUN_MOST_RESULTS];
    bool is_exact = false;
    if (k.function->outputs > FUN_MOST_RESULTS) return false;
    k.inputs = NEW_ARRAY(x->scratch, FunValue, k.function->inputs + 1);
    if (k.function->inputs) memcpy(k.inputs, inputs, k.function->inputs * sizeof *inputs);
    fun_call(x, f, k.inputs, made);
    for (uint32_t o = 0; o < k.function->outputs; o++) fun_assign(x, &results[o], &made[o]);
    k.results = made;
    for (uint32_t i = 0; i < k.function->derivatives.n && !is_exact; i++) {
        const FlatDerivative *d = &k.function->derivatives.at[i];
        is_exact = d->order == 1 ? first_order(&k, d) : d->order == 2 && second_order(&k, d);
    }
    if (!is_exact) is_exact = known_derivative(&k);
    if (!is_exact) by_difference(&k);
    return is_exact;
}

bool fun_may_move(const Flat *flat, FuncId f) { return is_plain(flat, &flat->functions.at[f]); }
