/* function.c: functions of the flat model as functions of the IR: their variables, statements and
 * calls.
 *
 * A function is lowered when it is first called, once for each set of functions it is given as
 * arguments. Inputs are passed leaf by leaf: a scalar as a register, an array followed by its
 * sizes, a record field by field, a function value as the arguments it has bound. Arrays of results
 * are made by the callee. Always: a function is declared before its body is lowered, so that
 * recursion works; variables get their first values before the first statement, those that others
 * need first. Cost: linear in the statements. Tests: tests/api/language_test.c. */
#include "gen/function.h"
#include "gen/inside.h"

typedef VEC(uint32_t) Key;

typedef struct {
    FuncId f;
    Key key; /* which functions it is given */
    IrFun made;
} Made;

struct Functions {
    Compiled *c;
    Arena *scratch;
    Diag *diag;
    VEC(Made) entries;
    IrDerivatives known;
    VEC(IrFun) rough; /* derivatives that are difference quotients */
    bool failed;
};

Functions *gen_functions(Compiled *c, Arena *scratch, Diag *diag)
{
    Functions *all = NEW(scratch, Functions);
    all->c = c;
    all->scratch = scratch;
    all->diag = diag;
    return all;
}

bool gen_functions_failed(const Functions *all) { return all->failed; }

FunValue fun_fail(Fun *x, const char *what)
{
    diag_add(x->all->diag, E_NOT_YET, x->span, "%s cannot be translated yet (in function %s)", what,
             x->f->name);
    x->all->failed = true;
    return fun_of_reg(BASE_REAL, ir_real(&x->b, 0));
}

void fun_no_function(Fun *x, const char *why)
{
    diag_add(x->all->diag, E_EXTERNAL, x->f->span, "%s", why);
    x->all->failed = true;
}

bool fun_failed(const Fun *x) { return x->all->failed; }
IrModule *fun_module(const Fun *x) { return x->all->c->module; }
ExtUnit *fun_unit(const Fun *x) { return x->all->c->unit; }

/* ---- parameters ------------------------------------------------------------------------------ */

/* An input or output of this type; `outer` dimensions come before its own. `given` says what a
 * function value is. */
static FunValue declare(Fun *x, const char *name, TypeId type, uint32_t outer, bool is_output,
                        const FunValue *given)
{
    const FlatType *t = &x->flat->types.at[type];
    FunValue v = {
        .base = (uint8_t)t->base, .rank = outer + t->rank, .def = t->def, .reg = IR_NONE, .array = IR_NONE
    };
    if (v.rank > FUN_MOST_RANK) return fun_fail(x, "an array of that many dimensions");
    if (t->base == BASE_RECORD) {
        const FlatDef *def = &x->flat->defs.at[t->def];
        v.n = def->fields.n;
        v.fields = NEW_ARRAY(x->scratch, FunValue, v.n + 1);
        for (uint32_t k = 0; k < v.n; k++)
            v.fields[k] = declare(x, def->fields.at[k].name, def->fields.at[k].type, v.rank, is_output, NULL);
        if (v.n && v.rank) memcpy(v.size, v.fields[0].size, sizeof v.size);
        return v;
    }
    if (t->base == BASE_FUNCTION) {
        if (!given || given->base != BASE_FUNCTION) return fun_fail(x, "a function as a result");
        v = *given;
        v.fields = NEW_ARRAY(x->scratch, FunValue, v.n + 1);
        for (uint32_t k = 0; k < v.n; k++) {
            const FlatLocal *local = &x->flat->functions.at[v.func].locals.at[k];
            v.fields[k].is_open = given->fields[k].is_open;
            if (!v.fields[k].is_open)
                v.fields[k] = declare(x, local->name, local->type, 0, false, &given->fields[k]);
        }
        return v;
    }
    IrType element = fun_type(v.base);
    if (!v.rank) {
        v.reg = is_output ? ir_out(&x->b, element, name) : ir_in(&x->b, element, name);
        return v;
    }
    v.array = is_output ? ir_out_array_dynamic(&x->b, element, name) : ir_in_array(&x->b, element, name);
    v.is_resizable = is_output;
    for (uint32_t k = 0; k < v.rank; k++)
        v.size[k] = is_output ? ir_out(&x->b, IR_INT, NULL) : ir_in(&x->b, IR_INT, NULL);
    return v;
}

/* The direction of a value, or its derivative: no sizes of its own. */
static FunValue declare_shadow(Fun *x, const FunValue *of, bool is_output)
{
    FunValue v = *of;
    if (!v.rank) {
        v.reg = is_output ? ir_out(&x->b, IR_REAL, NULL) : ir_in(&x->b, IR_REAL, NULL);
        return v;
    }
    v.array = is_output ? ir_out_array_dynamic(&x->b, IR_REAL, NULL) : ir_in_array(&x->b, IR_REAL, NULL);
    return v;
}

/* Sizes of a derivative, which are variables of their own while it is computed. */
static void size_shadow(Fun *x, FunValue *v)
{
    for (uint32_t k = 0; v->base == BASE_REAL && k < v->rank; k++)
        v->size[k] = ir_variable(&x->b, IR_INT, NULL);
}

/* ---- variables ------------------------------------------------------------------------------- */

static void make_room(Fun *x, FunValue *v, const IrReg *sizes)
{
    if (v->is_resizable) {
        FunValue shape = *v;
        memcpy(shape.size, sizes, v->rank * sizeof *sizes);
        ir_new(&x->b, v->array, fun_count(x, &shape));
        for (uint32_t k = 0; k < v->rank; k++) ir_set(&x->b, v->size[k], sizes[k]);
    } else {
        *v = fun_new_array(x, v->base, v->rank, sizes);
    }
}

/* Room for a variable of this type, after `outer` dimensions. A size that is left open makes it
 * resizable. */
static FunValue variable_of(Fun *x, TypeId type, const IrReg *sizes, uint32_t outer, const bool *is_open)
{
    const FlatType *t = &x->flat->types.at[type];
    FunValue v = {
        .base = (uint8_t)t->base, .rank = outer + t->rank, .def = t->def, .reg = IR_NONE, .array = IR_NONE
    };
    if (v.rank > FUN_MOST_RANK) return fun_fail(x, "an array of that many dimensions");
    if (v.rank) memcpy(v.size, sizes, v.rank * sizeof *sizes);
    if (t->base == BASE_RECORD) {
        const FlatDef *def = &x->flat->defs.at[t->def];
        v.n = def->fields.n;
        v.fields = NEW_ARRAY(x->scratch, FunValue, v.n + 1);
        for (uint32_t k = 0; k < v.n; k++) {
            const FlatType *field = &x->flat->types.at[def->fields.at[k].type];
            IrReg inner[FUN_MOST_RANK];
            bool open = *is_open;
            if (v.rank) memcpy(inner, v.size, v.rank * sizeof *inner);
            for (uint32_t d = 0; d < field->rank && v.rank + d < FUN_MOST_RANK; d++) {
                open |= field->sizes[d] == SIZE_UNKNOWN;
                inner[v.rank + d] = ir_int(&x->b, field->sizes[d] > 0 ? field->sizes[d] : 0);
            }
            v.fields[k] = variable_of(x, def->fields.at[k].type, inner, v.rank, &open);
        }
        return v;
    }
    if (!v.rank) {
        v.reg = ir_variable(&x->b, fun_type(v.base), NULL);
        return v;
    }
    if (*is_open) {
        v.is_resizable = true;
        v.array = ir_array_dynamic(&x->b, fun_type(v.base), NULL);
        for (uint32_t k = 0; k < v.rank; k++) v.size[k] = ir_variable(&x->b, IR_INT, NULL);
    }
    make_room(x, &v, sizes);
    return v;
}

/* The sizes that a declaration gives; zero where it leaves them open. */
static bool sizes_of(Fun *x, const FlatLocal *local, IrReg *sizes)
{
    const FlatType *t = &x->flat->types.at[local->type];
    bool is_open = false;
    for (uint32_t k = 0; k < t->rank && k < FUN_MOST_RANK; k++) {
        ExprId e = t->sizes[k] == SIZE_UNKNOWN ? x->flat->ids.at[local->sizes_first + k] : NONE;
        bool open = t->sizes[k] == SIZE_UNKNOWN && e == NONE;
        sizes[k] = e != NONE ? fun_index(x, e) : ir_int(&x->b, open ? 0 : t->sizes[k]);
        is_open |= open;
    }
    return is_open;
}

static void room_for_output(Fun *x, FunValue *v, const IrReg *sizes, uint32_t rank)
{
    IrReg all[FUN_MOST_RANK];
    for (uint32_t k = 0; k < FUN_MOST_RANK; k++) all[k] = k < rank ? sizes[k] : ir_int(&x->b, 0);
    if (v->base != BASE_RECORD) {
        if (v->rank) make_room(x, v, all);
        return;
    }
    const FlatDef *def = &x->flat->defs.at[v->def];
    for (uint32_t k = 0; k < v->n; k++) {
        const FlatType *field = &x->flat->types.at[def->fields.at[k].type];
        for (uint32_t d = 0; d < field->rank && rank + d < FUN_MOST_RANK; d++)
            all[rank + d] = ir_int(&x->b, field->sizes[d] > 0 ? field->sizes[d] : 0);
        room_for_output(x, &v->fields[k], all, rank + field->rank);
    }
}

FunValue *fun_local(Fun *x, uint32_t i)
{
    if (x->is_ready[i]) return &x->locals[i];
    x->is_ready[i] = 1;
    const FlatLocal *local = &x->f->locals.at[i];
    if (local->role == LOCAL_LOOP) return &x->locals[i];
    const FlatType *t = &x->flat->types.at[local->type];
    IrReg sizes[FUN_MOST_RANK] = { 0 };
    bool is_open = sizes_of(x, local, sizes);
    if (local->role == LOCAL_OUTPUT)
        room_for_output(x, &x->locals[i], sizes, t->rank);
    else
        x->locals[i] = variable_of(x, local->type, sizes, 0, &is_open);
    if (local->binding == NONE) return &x->locals[i];
    FunValue v = fun_eval(x, local->binding);
    fun_assign(x, &x->locals[i], &v);
    return &x->locals[i];
}

/* ---- statements ------------------------------------------------------------------------------ */

static void run(Fun *x, uint32_t first, uint32_t n);

static void run_if(Fun *x, const FlatStmt *s)
{
    uint32_t open = 0;
    for (uint32_t k = 0; k < s->n; k++) {
        const FlatBranch *branch = &x->flat->branches.at[s->first + k];
        if (branch->condition != NONE) {
            if (k) ir_else(&x->b);
            ir_if(&x->b, fun_index(x, branch->condition));
            open++;
        } else if (k) {
            ir_else(&x->b);
        }
        run(x, branch->first, branch->n);
    }
    while (open--) ir_end(&x->b);
}

static void run_for(Fun *x, const FlatStmt *s)
{
    const FlatExpr *e = &x->flat->exprs.at[s->left];
    const FlatBranch *body = &x->flat->branches.at[s->first];
    const ExprId *ids = x->flat->ids.at + e->first;
    FunValue *runs = &x->locals[s->index];
    const FlatExpr *step = e->kind == X_RANGE ? &x->flat->exprs.at[ids[1]] : NULL;
    bool is_plain = step && step->kind == X_INTEGER && step->integer && step->integer < 1000000 &&
                    step->integer > -1000000 && x->flat->types.at[e->type].base != BASE_REAL;
    x->is_ready[s->index] = 1;
    if (is_plain) {
        IrReg from = fun_index(x, ids[0]), to = fun_index(x, ids[2]);
        *runs = fun_of_reg((uint8_t)x->flat->types.at[e->type].base,
                           ir_for(&x->b, from, to, (int32_t)step->integer));
    } else {
        FunValue over = fun_eval(x, s->left);
        over = fun_copy(x, &over);
        IrReg i = ir_for(&x->b, ir_int(&x->b, 0), fun_plus(x, over.size[0], -1), 1);
        *runs = fun_item(x, &over, i);
    }
    run(x, body->first, body->n);
    ir_end(&x->b);
}

static void run_while(Fun *x, const FlatStmt *s)
{
    const FlatBranch *body = &x->flat->branches.at[s->first];
    ir_loop(&x->b);
    ir_break_unless(&x->b, fun_index(x, body->condition));
    run(x, body->first, body->n);
    ir_end(&x->b);
}

/* The text is made only when the assertion fails. */
static void run_assert(Fun *x, const FlatStmt *s)
{
    const FlatExpr *level = s->level == NONE ? NULL : &x->flat->exprs.at[s->level];
    IrReg holds = fun_index(x, s->left);
    ir_if(&x->b, ir_one(&x->b, IR_NOT, holds));
    IrReg message = fun_scalar(x, fun_eval(x, s->right), IR_STR);
    if (level && level->kind == X_ENUM && level->integer == 1) {
        uint32_t operands[] = { message, ir_int(&x->b, x->b.source) };
        ir_extern(&x->b, ir_builtin(x->all->c->module, "warning"), operands, 2);
    } else {
        ir_assert(&x->b, holds, message);
    }
    ir_end(&x->b);
}

static void run_assign(Fun *x, const FlatStmt *s)
{
    const FlatExpr *left = &x->flat->exprs.at[s->left], *right = &x->flat->exprs.at[s->right];
    if (left->kind != X_TUPLE) {
        FunValue v = fun_eval(x, s->right);
        fun_write_place(x, s->left, &v);
        return;
    }
    FunValue results[FUN_MOST_RESULTS];
    uint32_t n = fun_call_expr(x, right, results, COUNT_OF(results));
    for (uint32_t k = 0; k < left->n && k < n; k++) {
        ExprId part = x->flat->ids.at[left->first + k];
        if (x->flat->exprs.at[part].kind != X_OMITTED) fun_write_place(x, part, &results[k]);
    }
}

static void run(Fun *x, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n && !x->all->failed; i++) {
        StmtId id = x->flat->ids.at[first + i];
        const FlatStmt *s = &x->flat->stmts.at[id];
        x->b.source = SOURCE_STATEMENT | id;
        x->span = s->span;
        switch ((FlatStmtKind)s->kind) {
        case S_ASSIGN:
        case S_EQUAL: run_assign(x, s); break;
        case S_IF: run_if(x, s); break;
        case S_FOR: run_for(x, s); break;
        case S_WHILE: run_while(x, s); break;
        case S_ASSERT: run_assert(x, s); break;
        case S_CALL: fun_eval(x, s->left); break;
        case S_RETURN: ir_return(&x->b); break;
        case S_BREAK: ir_break(&x->b); break;
        default: fun_fail(x, "this statement in a function");
        }
    }
}

/* ---- functions ------------------------------------------------------------------------------- */

static void add_key(Arena *arena, Key *key, const FunValue *v)
{
    if (v->base != BASE_FUNCTION) return;
    vec_push(arena, key, v->func);
    for (uint32_t k = 0; k < v->n; k++) {
        vec_push(arena, key, v->fields[k].is_open);
        if (!v->fields[k].is_open) add_key(arena, key, &v->fields[k]);
    }
}

static void lower_body(Fun *x)
{
    if (x->f->external) {
        fun_external(x);
        return;
    }
    for (uint32_t i = x->f->inputs; i < x->f->locals.n; i++) fun_local(x, i);
    run(x, x->f->first, x->f->n);
}

/* The derivative of an external function, in the form that ir_differentiate looks for: inputs, a
 * direction for each Real one, outputs, the derivative of each Real one. */
static void give_derivative(Functions *all, FuncId id, IrFun of)
{
    const Flat *flat = all->c->s->flat;
    const FlatFunction *f = &flat->functions.at[id];
    uint32_t n = f->inputs + f->outputs;
    if (!fun_may_move(flat, id)) return;
    Fun x = { .all = all, .flat = flat, .f = f, .scratch = all->scratch, .span = f->span };
    x.b = ir_begin(all->c->module, arena_printf(all->c->arena, "der_%s_%u", f->name, (unsigned)of));
    x.b.source = NONE;
    while (all->known.of.n <= of) vec_push(all->c->module->arena, &all->known.of, IR_NONE);
    all->known.of.at[of] = x.b.id;
    FunValue *values = NEW_ARRAY(all->scratch, FunValue, n + 1),
             *moves = NEW_ARRAY(all->scratch, FunValue, n + 1);
    for (uint32_t k = 0; k < n; k++) moves[k].base = BASE_FUNCTION; /* none */
    for (int is_output = 0; is_output < 2; is_output++) {
        uint32_t first = is_output ? f->inputs : 0, end = is_output ? n : f->inputs;
        for (uint32_t k = first; k < end; k++)
            values[k] = declare(&x, f->locals.at[k].name, f->locals.at[k].type, 0, is_output, NULL);
        for (uint32_t k = first; k < end; k++)
            if (values[k].base == BASE_REAL) moves[k] = declare_shadow(&x, &values[k], is_output);
    }
    for (uint32_t k = f->inputs; k < n; k++) size_shadow(&x, &moves[k]);
    bool is_exact = fun_external_derivative(&x, id, values, moves, values + f->inputs, moves + f->inputs);
    if (!is_exact) vec_push(all->scratch, &all->rough, x.b.id);
    if (!all->failed) ir_optimize(all->c->module, x.b.id);
}

static IrFun partial_of(Functions *all, FuncId id, const FunValue *args);

static IrFun function_for(Functions *all, FuncId f, const FunValue *args)
{
    Made made = { .f = f };
    const Flat *flat = all->c->s->flat;
    const FlatFunction *function = &flat->functions.at[f];
    for (uint32_t k = 0; k < function->inputs; k++) add_key(all->scratch, &made.key, &args[k]);
    for (uint32_t i = 0; i < all->entries.n; i++) {
        const Made *e = &all->entries.at[i];
        bool same = e->f == f && e->key.n == made.key.n;
        for (uint32_t k = 0; same && k < e->key.n; k++) same = e->key.at[k] == made.key.at[k];
        if (same) return e->made;
    }
    if (function->by.n) {
        made.made = partial_of(all, f, args);
        vec_push(all->scratch, &all->entries, made);
        return made.made;
    }
    Fun x = { .all = all, .flat = flat, .f = function, .scratch = all->scratch, .span = function->span };
    x.b = ir_begin(all->c->module,
                   arena_printf(all->c->arena, "%s_%u", function->name, (unsigned)all->entries.n));
    x.b.source = NONE;
    made.made = x.b.id;
    vec_push(all->scratch, &all->entries, made);
    x.locals = NEW_ARRAY(all->scratch, FunValue, function->locals.n + 1);
    x.is_ready = NEW_ARRAY(all->scratch, uint8_t, function->locals.n + 1);
    for (uint32_t k = 0; k < function->inputs + function->outputs; k++) {
        const FlatLocal *local = &function->locals.at[k];
        bool is_output = k >= function->inputs;
        x.locals[k] = declare(&x, local->name, local->type, 0, is_output, is_output ? NULL : &args[k]);
        x.is_ready[k] = !is_output;
    }
    if (!all->failed) lower_body(&x);
    if (!all->failed) ir_optimize(all->c->module, x.b.id);
    if (!all->failed && function->external) give_derivative(all, f, made.made);
    return made.made;
}

static FunValue skeleton(Functions *all, const DaeShape *s)
{
    FunValue v = { .base = s->base, .is_open = s->is_open, .func = s->func, .n = s->n };
    v.fields = NEW_ARRAY(all->scratch, FunValue, s->n + 1);
    for (uint32_t k = 0; k < s->n; k++) v.fields[k] = skeleton(all, &s->fields[k]);
    return v;
}

IrFun gen_function(Functions *all, FuncId f, const DaeShape *shapes)
{
    uint32_t n = all->c->s->flat->functions.at[f].inputs;
    FunValue *args = NEW_ARRAY(all->scratch, FunValue, n + 1);
    for (uint32_t k = 0; k < n; k++) args[k] = skeleton(all, &shapes[k]);
    return function_for(all, f, args);
}

IrFun gen_derivative(Functions *all, IrFun f, uint32_t order, Span span)
{
    const char *why = "";
    for (uint32_t k = 0; k < order && !all->failed; k++) {
        IrFun der = ir_differentiate(all->c->module, f, &all->known, &why);
        if (der == IR_NONE) {
            diag_add(all->diag, E_NOT_YET, span, "the derivative of a function cannot be found: %s", why);
            all->failed = true;
            return f;
        }
        for (uint32_t i = 0; i < all->rough.n; i++) all->c->stats.differences += all->rough.at[i] == der;
        f = der;
    }
    return f;
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef VEC(uint32_t) Operands;

static void push_argument(Fun *x, Operands *out, TypeId type, uint32_t outer, const FunValue *v)
{
    const FlatType *t = &x->flat->types.at[type];
    uint32_t rank = outer + t->rank;
    if (v->is_open) {
        fun_fail(x, "a call without all of its arguments");
    } else if (t->base == BASE_RECORD || t->base == BASE_FUNCTION) {
        for (uint32_t k = 0; k < v->n; k++) {
            if (t->base == BASE_FUNCTION && v->fields[k].is_open) continue;
            TypeId inner = t->base == BASE_RECORD ? x->flat->defs.at[t->def].fields.at[k].type
                                                  : x->flat->functions.at[v->func].locals.at[k].type;
            push_argument(x, out, inner, t->base == BASE_RECORD ? rank : 0, &v->fields[k]);
        }
    } else if (!rank) {
        vec_push(x->scratch, out, fun_scalar(x, *v, fun_type((uint8_t)t->base)));
    } else if (v->rank != rank) {
        fun_fail(x, "an argument of another rank");
    } else {
        FunValue own = *v;
        if (fun_type(v->base) != fun_type((uint8_t)t->base)) {
            own = fun_new_array(x, (uint8_t)t->base, rank, v->size);
            fun_assign(x, &own, v);
        }
        vec_push(x->scratch, out, own.array);
        for (uint32_t k = 0; k < rank; k++) vec_push(x->scratch, out, own.size[k]);
    }
}

static void push_results(Fun *x, Operands *out, TypeId type, uint32_t outer)
{
    const FlatType *t = &x->flat->types.at[type];
    uint32_t rank = outer + t->rank;
    if (t->base == BASE_RECORD) {
        const FlatDef *def = &x->flat->defs.at[t->def];
        for (uint32_t k = 0; k < def->fields.n; k++) push_results(x, out, def->fields.at[k].type, rank);
        return;
    }
    vec_push(x->scratch, out, rank ? ir_array_dynamic(&x->b, fun_type((uint8_t)t->base), NULL) : IR_NONE);
    for (uint32_t k = 0; k < rank; k++) vec_push(x->scratch, out, IR_NONE);
}

static FunValue take_results(Fun *x, const uint32_t **at, TypeId type, uint32_t outer)
{
    const FlatType *t = &x->flat->types.at[type];
    FunValue v = {
        .base = (uint8_t)t->base, .rank = outer + t->rank, .def = t->def, .reg = IR_NONE, .array = IR_NONE
    };
    if (t->base == BASE_RECORD) {
        const FlatDef *def = &x->flat->defs.at[t->def];
        v.n = def->fields.n;
        v.fields = NEW_ARRAY(x->scratch, FunValue, v.n + 1);
        for (uint32_t k = 0; k < v.n; k++) v.fields[k] = take_results(x, at, def->fields.at[k].type, v.rank);
        if (v.n && v.rank) memcpy(v.size, v.fields[0].size, sizeof v.size);
        return v;
    }
    *(v.rank ? &v.array : &v.reg) = *(*at)++;
    for (uint32_t k = 0; k < v.rank; k++) v.size[k] = *(*at)++;
    return v;
}

void fun_call(Fun *x, FuncId f, const FunValue *args, FunValue *results)
{
    const FlatFunction *callee = &x->flat->functions.at[f];
    Operands operands = { 0 };
    for (uint32_t k = 0; k < callee->inputs; k++)
        push_argument(x, &operands, callee->locals.at[k].type, 0, &args[k]);
    uint32_t inputs = operands.n;
    for (uint32_t k = 0; k < callee->outputs; k++)
        push_results(x, &operands, callee->locals.at[callee->inputs + k].type, 0);
    for (uint32_t k = 0; k < callee->outputs; k++) results[k] = fun_of_reg(BASE_REAL, ir_real(&x->b, 0));
    if (x->all->failed) return;
    IrFun made = function_for(x->all, f, args);
    if (x->all->failed) return;
    ir_call(&x->b, made, operands.at, operands.n);
    const uint32_t *at = operands.at + inputs;
    for (uint32_t k = 0; k < callee->outputs; k++)
        results[k] = take_results(x, &at, callee->locals.at[callee->inputs + k].type, 0);
}

/* ---- partial derivatives --------------------------------------------------------------------- */

/* A direction: zero but for the input that the derivative is by. */
static void push_direction(Fun *x, Operands *out, const FunValue *v, bool is_by)
{
    IrBuilder *b = &x->b;
    if (v->base != BASE_REAL) return;
    if (!v->rank) {
        vec_push(x->scratch, out, ir_real(b, is_by));
        return;
    }
    FunValue zero = fun_new_array(x, BASE_REAL, v->rank, v->size);
    IrReg i = ir_for(b, ir_int(b, 0), fun_plus(x, fun_count(x, &zero), -1), 1);
    fun_store(x, &zero, i, 0, ir_real(b, 0));
    ir_end(b);
    vec_push(x->scratch, out, zero.array);
}

/* A function with the inputs and outputs of `of`, which gives derivatives of its outputs by one
 * input. */
static IrFun partial_by(Functions *all, FuncId id, IrFun of, uint32_t by)
{
    const Flat *flat = all->c->s->flat;
    const FlatFunction *f = &flat->functions.at[id];
    IrFun der = gen_derivative(all, of, 1, f->span);
    Fun x = { .all = all, .flat = flat, .f = f, .scratch = all->scratch, .span = f->span };
    if (all->failed) return of;
    x.b = ir_begin(all->c->module,
                   arena_printf(all->c->arena, "%s_by_%s_%u", f->name, f->locals.at[by].name, (unsigned)of));
    x.b.source = NONE;
    uint32_t n = f->inputs + f->outputs;
    FunValue *values = NEW_ARRAY(all->scratch, FunValue, n + 1);
    Operands operands = { 0 };
    for (uint32_t k = 0; k < n; k++)
        values[k] = declare(&x, f->locals.at[k].name, f->locals.at[k].type, 0, k >= f->inputs, NULL);
    for (uint32_t k = 0; k < f->inputs; k++)
        push_argument(&x, &operands, f->locals.at[k].type, 0, &values[k]);
    for (uint32_t k = 0; k < f->inputs; k++) push_direction(&x, &operands, &values[k], k == by);
    uint32_t inputs = operands.n;
    for (uint32_t k = f->inputs; k < n; k++) push_results(&x, &operands, f->locals.at[k].type, 0);
    uint32_t rates = operands.n;
    for (uint32_t k = f->inputs; k < n; k++)
        vec_push(x.scratch, &operands, values[k].rank ? ir_array_dynamic(&x.b, IR_REAL, NULL) : IR_NONE);
    if (all->failed) return of;
    ir_call(&x.b, der, operands.at, operands.n);
    const uint32_t *at = operands.at + inputs;
    for (uint32_t k = f->inputs; k < n; k++) {
        FunValue rate = take_results(&x, &at, f->locals.at[k].type, 0);
        *(rate.rank ? &rate.array : &rate.reg) = operands.at[rates++];
        fun_assign(&x, &values[k], &rate);
    }
    if (!all->failed) ir_optimize(all->c->module, x.b.id);
    return x.b.id;
}

static IrFun partial_of(Functions *all, FuncId id, const FunValue *args)
{
    const Flat *flat = all->c->s->flat;
    const FlatFunction *f = &flat->functions.at[id];
    IrFun made = function_for(all, f->of, args);
    if (!all->failed && !fun_may_move(flat, id)) {
        diag_add(all->diag, E_DER_FUNCTION, f->span,
                 "an input of '%s' is a record or a function: its derivative cannot be taken", f->name);
        all->failed = true;
    }
    for (uint32_t k = 0; k < f->by.n && !all->failed; k++) made = partial_by(all, id, made, f->by.at[k]);
    return made;
}
