/* operator.c: operators, constructors and conversions of operator records (specification, chapter
 * 14).
 *
 * In: operands of which one at least is an operator record, or an array of such. Out: a call of the
 * function that the record has for the operator. How: first a function that takes the operands as
 * they are; then one that takes them after one operand was converted by a constructor of the
 * other's record; then, for arrays, element by element, products as sums of products. Functions are
 * looked up in the record's class as its library has it, whatever modifies the record at hand, so
 * that all components share them. A call of a function that is one expression is replaced by it,
 * unless that grows. Tests: tests/modelica/operators.mo. */
#include "sema/inside.h"

enum { LARGEST_INLINE = 400 }; /* nodes of an argument that may be written several times */

typedef VEC(Function *) Functions;

/* ---- records and their functions ------------------------------------------------------------- */

Inst *operator_record(Sema *s, const Type *t)
{
    if (t->base != BASE_RECORD || !t->def) return NULL;
    scope_expand(s, t->def->own);
    const Scope *scope = t->def->own;
    while (scope && scope->cls->form == FORM_SHORT) {
        scope = scope->n ? scope->bases[0] : NULL;
        if (scope) scope_expand(s, (Scope *)(uintptr_t)scope);
    }
    if (!scope || !(scope->cls->flags & CLASS_IS_OPERATOR)) return NULL;
    Inst *inst = class_instance(s, scope->cls);
    return inst ? inst_resolved(s, inst) : NULL;
}

static void add_functions(Sema *s, Inst *record, const char *name, Functions *out)
{
    Entry *e = record ? inst_entry(s, record, name_of(s->names, str_of(name))) : NULL;
    if (!e || e->kind != ENTRY_CLASS) return;
    Inst *inst = inst_resolved(s, entry_class(s, e));
    if (inst->base == BASE_FUNCTION) {
        vec_push(s->arena, out, function_of(s, inst));
        return;
    }
    const Class *cls = inst->own->cls;
    for (uint32_t i = 0; i < cls->element_count; i++) {
        if (cls->elements[i]->kind != ELEMENT_CLASS) continue;
        Entry *inner = inst_entry(s, inst, cls->elements[i]->cls->name);
        Inst *f = inner && inner->kind == ENTRY_CLASS ? inst_resolved(s, entry_class(s, inner)) : NULL;
        if (f && f->base == BASE_FUNCTION) vec_push(s->arena, out, function_of(s, f));
    }
}

/* Whether an argument fits an input without a conversion by a constructor. */
static bool is_taken(Sema *s, const Type *given, const Type *want)
{
    if (!type_fits(given, want)) return false;
    return given->base != BASE_RECORD || operator_record(s, given) == operator_record(s, want);
}

static bool takes(Sema *s, const Function *f, TExpr *const *args, uint32_t n)
{
    if (f->inputs.n < n || !f->outputs.n) return false;
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        if (!comp_sizes(s, f->inputs.at[i])) return false;
        if (i < n ? !is_taken(s, &args[i]->type, &f->inputs.at[i]->type) : !comp_binding(s, f->inputs.at[i]))
            return false;
    }
    return true;
}

/* The function among several that takes these arguments; without Integers as Reals before with
 * them. */
static Function *choose(Sema *s, const Functions *among, TExpr *const *args, uint32_t n)
{
    Function *found = NULL;
    for (uint32_t i = 0; i < among->n; i++) {
        if (!takes(s, among->at[i], args, n)) continue;
        bool exact = true;
        for (uint32_t k = 0; k < n; k++)
            exact = exact && args[k]->type.base == among->at[i]->inputs.at[k]->type.base;
        if (exact) return among->at[i];
        if (!found) found = among->at[i];
    }
    return found;
}

/* The operand as this record, by a constructor with one argument; NULL if there is none. */
static TExpr *converted(const Env *env, TExpr *e, Inst *record)
{
    Sema *s = env->s;
    Functions constructors = { 0 };
    if (e->type.rank || operator_record(s, &e->type) == record) return NULL;
    add_functions(s, record, "'constructor'", &constructors);
    Function *f = choose(s, &constructors, &e, 1);
    return f ? call_function(env, f, &e, 1, e->span) : NULL;
}

/* ---- one expression in place of a call ------------------------------------------------------- */

static bool uses_inputs_only(const Function *f, const TExpr *e)
{
    if (e->kind == X_LOCAL) return e->index < f->inputs.n;
    if (e->kind == X_COMPREHENSION || e->kind == X_IF || e->kind == X_VAR || e->kind == X_SUBSCRIPT)
        return false;
    if (e->kind == X_BINARY && e->op >= O_AND) return false;
    if (e->kind == X_BUILTIN && e->op >= BUILTIN_CEIL) return false;
    for (uint32_t i = 0; i < e->n; i++)
        if (!uses_inputs_only(f, e->args[i])) return false;
    return true;
}

static TExpr *only_expression(Sema *s, Function *f)
{
    if (f->body_state == STATE_BUSY || external_of(f->inst->own) || f->outputs.n != 1 ||
        f->locals.n != f->inputs.n + 1)
        return NULL;
    function_body(s, f);
    Entry *output = f->outputs.at[0];
    if (output->size_state != STATE_DONE || output->type.rank || f->body.n > 1) return NULL;
    const TStmt *st = f->body.n ? f->body.at[0] : NULL;
    if (st && (st->kind != S_ASSIGN || st->left->kind != X_LOCAL || st->left->index != output->local))
        return NULL;
    TExpr *e = st ? st->right : comp_binding(s, output);
    return e && !tx_is_poison(e) && uses_inputs_only(f, e) ? e : NULL;
}

static uint32_t weight(const TExpr *e, uint32_t most)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < e->n && n < most; i++) n += weight(e->args[i], most - n);
    return n;
}

static bool has_record(const Function *f)
{
    bool any = f->outputs.at[0]->type.base == BASE_RECORD;
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        if (f->inputs.at[i]->type.rank) return false;
        any = any || f->inputs.at[i]->type.base == BASE_RECORD;
    }
    return any;
}

/* Functions of operators, and those on records that ask for it, as what they compute. */
TExpr *call_in_place(Sema *s, Function *f, TExpr *const *args, Span span)
{
    if (f->impure || f->is_record || f->outputs.n != 1 || !has_record(f)) return NULL;
    if (!f->in_place_known) {
        f->in_place_known = true;
        const Class *around = f->inst->own->cls->outer;
        bool is_operator = f->inst->flags & CLASS_IS_OPERATOR || (around && around->kind == CLASS_OPERATOR);
        if (!f->of && (is_operator || asks_inline(s, f))) f->in_place = only_expression(s, f);
    }
    if (!f->in_place) return NULL;
    for (uint32_t i = 0; i < f->inputs.n; i++)
        if (weight(args[i], LARGEST_INLINE) >= LARGEST_INLINE) return NULL;
    TExpr *e = tx_substitute(s, f->in_place, args, f->inputs.n);
    e->span = span;
    return e;
}

/* ---- operators ------------------------------------------------------------------------------- */

static const char *operator_name(Op op)
{
    static const char *const names[OP_COUNT] = {
        [OP_ADD] = "'+'",           [OP_SUBTRACT] = "'-'",       [OP_ADD_EACH] = "'+'",
        [OP_SUBTRACT_EACH] = "'-'", [OP_MULTIPLY] = "'*'",       [OP_DIVIDE] = "'/'",
        [OP_MULTIPLY_EACH] = "'*'", [OP_DIVIDE_EACH] = "'/'",    [OP_POWER] = "'^'",
        [OP_POWER_EACH] = "'^'",    [OP_LESS] = "'<'",           [OP_LESS_EQUAL] = "'<='",
        [OP_GREATER] = "'>'",       [OP_GREATER_EQUAL] = "'>='", [OP_EQUAL] = "'=='",
        [OP_NOT_EQUAL] = "'<>'",    [OP_AND] = "'and'",          [OP_OR] = "'or'",
        [OP_NOT] = "'not'",
    };
    return names[op];
}

/* A function of either record that takes both operands, as they are or after one was converted.
 * NULL, silently, if there is none. */
static TExpr *apply(const Env *env, Op op, TExpr *a, TExpr *b, Span span)
{
    Sema *s = env->s;
    Inst *records[2] = { operator_record(s, &a->type), operator_record(s, &b->type) };
    Functions all = { 0 };
    add_functions(s, records[0], operator_name(op), &all);
    if (records[1] != records[0]) add_functions(s, records[1], operator_name(op), &all);
    TExpr *pair[] = { a, b };
    Function *f = choose(s, &all, pair, 2);
    for (int i = 0; !f && i < 2; i++) {
        TExpr *other = records[i] ? converted(env, pair[1 - i], records[i]) : NULL;
        if (!other || tx_is_poison(other)) continue;
        TExpr *changed[] = { i ? other : a, i ? b : other };
        f = choose(s, &all, changed, 2);
        if (f) return call_function(env, f, changed, 2, span);
    }
    return f ? call_function(env, f, pair, 2, span) : NULL;
}

static TExpr *undefined(const Env *env, Op op, const TExpr *a, const TExpr *b, Span span)
{
    Sema *s = env->s;
    Note *note = b ? sema_error(s, env->scope, E_OPERAND, span, "'%s' is not defined for %s and %s",
                                op_text(op), type_text(s, &a->type), type_text(s, &b->type))
                   : sema_error(s, env->scope, E_OPERAND, span, "'%s' is not defined for %s", op_text(op),
                                type_text(s, &a->type));
    const Inst *record = operator_record(s, &a->type);
    if (!record && b) record = operator_record(s, &b->type);
    if (record) diag_label(s->diag, note, record->own->cls->name_span, "the operator record");
    return tx_poison(s, span);
}

static TExpr *each_element(const Env *env, Op op, TExpr *a, TExpr *b, Span span)
{
    Sema *s = env->s;
    const Type *shape = a->type.rank ? &a->type : &b->type;
    if (!type_is_known(shape)) return undefined(env, op, a, b, span);
    uint32_t n = (uint32_t)shape->sizes[0];
    if (a->type.rank && b->type.rank && a->type.sizes[0] != b->type.sizes[0]) {
        sema_error(s, env->scope, E_SIZE_MISMATCH, span, "the sizes of %s and %s do not fit",
                   type_text(s, &a->type), type_text(s, &b->type));
        return tx_poison(s, span);
    }
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        items[i] = operator_binary(env, op, a->type.rank ? tx_element(s, a, (int32_t)i) : a,
                                   b->type.rank ? tx_element(s, b, (int32_t)i) : b, span);
    Type none = operator_record(s, &a->type) ? type_element(&a->type, 1) : type_element(&b->type, 1);
    return n ? type_arrays(env, items, n, span) : tx_array(s, NULL, 0, &none, span);
}

TExpr *operator_zero(const Env *env, const Type *t, Span span)
{
    Functions zeros = { 0 };
    add_functions(env->s, operator_record(env->s, t), "'0'", &zeros);
    if (zeros.n) return call_function(env, zeros.at[0], NULL, 0, span);
    sema_error(env->s, env->scope, E_OPERAND, span, "%s has no operator '0' for a sum of nothing",
               type_text(env->s, t));
    return tx_poison(env->s, span);
}

TExpr *operator_sum(const Env *env, TExpr *items, Span span)
{
    Sema *s = env->s;
    TExpr *sum = NULL;
    if (!items->type.rank) return items;
    for (int32_t i = 0; i < items->type.sizes[0]; i++) {
        TExpr *one = operator_sum(env, tx_element(s, items, i), span);
        sum = sum ? type_binary(env, OP_ADD, sum, one, span) : one;
        if (tx_is_poison(sum)) return sum;
    }
    return sum ? sum : operator_zero(env, &items->type, span);
}

/* Products of vectors and matrices. */
static TExpr *product(const Env *env, TExpr *a, TExpr *b, Span span)
{
    Sema *s = env->s;
    if (a->type.rank > 2 || b->type.rank > 2 || !type_is_known(&a->type) || !type_is_known(&b->type))
        return undefined(env, OP_MULTIPLY, a, b, span);
    if (a->type.rank == 2) {
        uint32_t n = (uint32_t)a->type.sizes[0];
        TExpr **rows = NEW_ARRAY(s->arena, TExpr *, n + 1);
        for (uint32_t i = 0; i < n; i++) rows[i] = product(env, tx_element(s, a, (int32_t)i), b, span);
        return type_arrays(env, rows, n, span);
    }
    if (b->type.rank == 2) {
        TExpr *transposed = tx_expand(s, BUILTIN_TRANSPOSE, &b, 1, span);
        uint32_t n = (uint32_t)b->type.sizes[1];
        TExpr **columns = NEW_ARRAY(s->arena, TExpr *, n + 1);
        for (uint32_t i = 0; transposed && i < n; i++)
            columns[i] = product(env, a, tx_element(s, transposed, (int32_t)i), span);
        return type_arrays(env, columns, n, span);
    }
    TExpr *terms = each_element(env, OP_MULTIPLY_EACH, a, b, span);
    return tx_is_poison(terms) ? terms : operator_sum(env, terms, span);
}

TExpr *operator_binary(const Env *env, Op op, TExpr *a, TExpr *b, Span span)
{
    if (tx_is_poison(a) || tx_is_poison(b)) return tx_poison(env->s, span);
    if (!a->type.rank && !b->type.rank && !operator_record(env->s, &a->type) &&
        !operator_record(env->s, &b->type))
        return type_binary(env, op, a, b, span);
    uint32_t ra = a->type.rank, rb = b->type.rank;
    bool each = op == OP_ADD_EACH || op == OP_SUBTRACT_EACH || op == OP_MULTIPLY_EACH ||
                op == OP_DIVIDE_EACH || op == OP_POWER_EACH;
    TExpr *e = each && (ra || rb) ? NULL : apply(env, op, a, b, span);
    if (e) return e;
    if (ra && rb && op == OP_MULTIPLY) return product(env, a, b, span);
    bool allowed = each || (ra && rb && ra == rb && (op == OP_ADD || op == OP_SUBTRACT)) ||
                   (op == OP_MULTIPLY && (!ra || !rb)) || (op == OP_DIVIDE && !rb);
    return (ra || rb) && allowed ? each_element(env, op, a, b, span) : undefined(env, op, a, b, span);
}

TExpr *operator_unary(const Env *env, Op op, TExpr *a, Span span)
{
    Sema *s = env->s;
    Functions all = { 0 };
    if (op == OP_ADD || op == OP_ADD_EACH) return a;
    add_functions(s, operator_record(s, &a->type), operator_name(op), &all);
    Function *f = choose(s, &all, &a, 1);
    if (f) return call_function(env, f, &a, 1, span);
    if (!a->type.rank || !type_is_known(&a->type)) return undefined(env, op, a, NULL, span);
    uint32_t n = (uint32_t)a->type.sizes[0];
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, n + 1);
    for (uint32_t i = 0; i < n; i++) items[i] = operator_unary(env, op, tx_element(s, a, (int32_t)i), span);
    Type element = type_element(&a->type, 1);
    return n ? type_arrays(env, items, n, span) : tx_array(s, NULL, 0, &element, span);
}

/* ---- constructors, String -------------------------------------------------------------------- */

/* Whether the arguments of a call can be given to a function: as many, named as its inputs. */
static bool may_take(const Function *f, const Expr *e)
{
    if (e->n > f->inputs.n) return false;
    for (uint32_t i = 0; i < e->n; i++) {
        bool found = e->items[i]->kind != EXPR_NAMED;
        for (uint32_t k = 0; !found && k < f->inputs.n; k++)
            found = f->inputs.at[k]->name == e->items[i]->name;
        if (!found) return false;
    }
    return true;
}

/* A call that one of several functions takes; the last one reports where none does. */
static TExpr *call_overloaded(const Env *env, const Functions *all, const Expr *e)
{
    Sema *s = env->s;
    Functions fits = { 0 };
    for (uint32_t i = 0; i < all->n; i++)
        if (may_take(all->at[i], e)) vec_push(s->arena, &fits, all->at[i]);
    if (!fits.n) return all->n ? type_function_call(env, all->at[0], e) : NULL;
    for (uint32_t i = 0; i + 1 < fits.n; i++) {
        DiagMark mark = sema_mark(s);
        TExpr *call = type_function_call(env, fits.at[i], e);
        if (!tx_is_poison(call) && s->diag->errors == mark.errors) return call;
        sema_rewind(s, &mark);
    }
    return type_function_call(env, fits.at[fits.n - 1], e);
}

TExpr *operator_constructor(const Env *env, Inst *inst, const Expr *e)
{
    Functions all = { 0 };
    Type type = { .base = inst->base, .def = inst };
    Inst *record = operator_record(env->s, &type);
    if (!record) return NULL;
    add_functions(env->s, record, "'constructor'", &all);
    return call_overloaded(env, &all, e);
}

TExpr *operator_string(const Env *env, const TExpr *of, const Expr *e)
{
    Functions all = { 0 };
    add_functions(env->s, operator_record(env->s, &of->type), "'String'", &all);
    return call_overloaded(env, &all, e);
}
