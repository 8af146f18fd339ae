/* expr.c: expressions of the text to typed expressions: operators, arrays, ranges, conditions.
 * References are in ref.c, calls in call.c.
 *
 * In: an expression and where it stands. Out: a typed expression, or a poisoned one after a report;
 * what is poisoned stays silent. Tests: tests/modelica. */
#include "sema/inside.h"

/* ---- fitting --------------------------------------------------------------------------------- */

/* Records are of one type if their members are, as far as these are known by now. */
static bool same_members(const Inst *a, const Inst *b)
{
    if (!a || !b || a->own->cls == b->own->cls || a->listed != STATE_DONE || b->listed != STATE_DONE)
        return true;
    if (a->comps.n != b->comps.n) return false;
    for (uint32_t i = 0; i < a->comps.n; i++) {
        const Entry *x = a->comps.at[i], *y = b->comps.at[i];
        if (x->name != y->name) return false;
        if (x->state == STATE_DONE && y->state == STATE_DONE && x->type.base != y->type.base &&
            x->type.base <= BASE_STRING && y->type.base <= BASE_STRING &&
            !(x->type.base <= BASE_INTEGER && y->type.base <= BASE_INTEGER))
            return false;
    }
    return true;
}

/* The class that a type is, after the names that short classes give it. */
static const Class *last_class(const Inst *inst)
{
    const Scope *scope = inst->own;
    while (scope->cls->form == FORM_SHORT && scope->n && scope->bases[0]) scope = scope->bases[0];
    return scope->cls;
}

/* Enumerations are of one type if they have the same literals (specification 6.4). */
bool same_literals(const Inst *a, const Inst *b)
{
    const Class *x = a->root->cls, *y = b->root->cls;
    if (x == y) return true;
    if (x->any_literals || y->any_literals || x->literal_count != y->literal_count) return false;
    for (uint32_t i = 0; i < x->literal_count; i++)
        if (x->literals[i].name != y->literals[i].name) return false;
    return true;
}

static bool same_def(const Type *a, const Type *b)
{
    if (a->base == BASE_ENUM) return !a->def || !b->def || same_literals(a->def, b->def);
    if (a->base == BASE_RECORD) return same_members(a->def, b->def);
    if (a->base == BASE_OBJECT) return last_class(a->def) == last_class(b->def);
    return true;
}

bool type_fits(const Type *from, const Type *to)
{
    if (from->base == BASE_POISON || to->base == BASE_POISON) return true;
    if (from->base != to->base && !(from->base == BASE_INTEGER && to->base == BASE_REAL)) return false;
    if (from->rank != to->rank || !same_def(from, to)) return false;
    for (uint32_t i = 0; i < from->rank; i++)
        if (from->sizes[i] != to->sizes[i] && from->sizes[i] != SIZE_UNKNOWN && to->sizes[i] != SIZE_UNKNOWN)
            return false;
    return true;
}

TExpr *coerce(Sema *s, TExpr *e, const Type *to)
{
    if (e->type.base != BASE_INTEGER || to->base != BASE_REAL) return e;
    if (e->kind == X_INTEGER) return tx_real(s, (double)e->integer, e->span);
    if (e->varies == VARIES_CONSTANT && !e->type.rank && e->kind != X_OMITTED) {
        Value *v = try_eval(s, e, NULL);
        if (v) return tx_value(s, value_convert(s, v, &(Type){ .base = BASE_REAL }), e->span);
    }
    if (e->kind == X_IF) {
        TExpr *copy = tx_new(s, X_IF, e->type, e->varies, e->span, e->args, e->n);
        copy->type.base = BASE_REAL;
        for (uint32_t i = 0; i < e->n; i++)
            if (i % 2 || i + 1 == e->n) copy->args[i] = coerce(s, e->args[i], to);
        return copy;
    }
    if (e->kind != X_ARRAY) return e;
    TExpr *copy = tx_new(s, X_ARRAY, e->type, e->varies, e->span, e->args, e->n);
    copy->type.base = BASE_REAL;
    for (uint32_t i = 0; i < e->n; i++) copy->args[i] = coerce(s, e->args[i], to);
    return copy;
}

/* ---- operators ------------------------------------------------------------------------------- */

static TExpr *bad_operands(const Env *env, Op op, const TExpr *a, const TExpr *b, Span span)
{
    if (!tx_is_poison(a) && (!b || !tx_is_poison(b))) {
        Sema *s = env->s;
        if (b)
            sema_error(s, env->scope, E_OPERAND, span, "'%s' is not defined for %s and %s", op_text(op),
                       type_text(s, &a->type), type_text(s, &b->type));
        else
            sema_error(s, env->scope, E_OPERAND, span, "'%s' is not defined for %s", op_text(op),
                       type_text(s, &a->type));
    }
    return tx_poison(env->s, span);
}

static bool is_number(const TExpr *e) { return e->type.base == BASE_REAL || e->type.base == BASE_INTEGER; }

static bool same_sizes(const Type *a, const Type *b)
{
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->sizes[i] != b->sizes[i] && a->sizes[i] != SIZE_UNKNOWN && b->sizes[i] != SIZE_UNKNOWN)
            return false;
    return true;
}

static TExpr *size_mismatch(const Env *env, const TExpr *a, const TExpr *b, Span span)
{
    sema_error(env->s, env->scope, E_SIZE_MISMATCH, span, "the sizes of %s and %s do not fit",
               type_text(env->s, &a->type), type_text(env->s, &b->type));
    return tx_poison(env->s, span);
}

static TExpr *type_product(const Env *env, TExpr *a, TExpr *b, uint8_t base, Span span)
{
    const Type *x = &a->type, *y = &b->type;
    int32_t sizes[2];
    uint32_t rank = 0;
    if (x->rank > 2 || y->rank > 2) return bad_operands(env, OP_MULTIPLY, a, b, span);
    int32_t inner = x->sizes[x->rank - 1];
    if (inner != y->sizes[0] && inner != SIZE_UNKNOWN && y->sizes[0] != SIZE_UNKNOWN)
        return size_mismatch(env, a, b, span);
    if (x->rank == 2) sizes[rank++] = x->sizes[0];
    if (y->rank == 2) sizes[rank++] = y->sizes[1];
    return tx_binary(env->s, O_PRODUCT, a, b, type_of_rank(env->s, type_scalar(base), rank, sizes));
}

/* A^n of a square matrix: the product of n of them. */
static TExpr *type_matrix_power(const Env *env, TExpr *a, TExpr *b, Span span)
{
    enum { LARGEST_POWER = 1000 };
    Sema *s = env->s;
    int64_t n;
    bool square = a->type.rank == 2 && a->type.sizes[0] == a->type.sizes[1];
    if (!square || b->type.rank || b->type.base != BASE_INTEGER)
        return bad_operands(env, OP_POWER, a, b, span);
    if (!eval_integer(s, b, env->scope, &n)) return tx_poison(s, span);
    if (n < 0 || n > LARGEST_POWER) {
        sema_error(s, env->scope, E_EVALUATION, b->span, "a matrix has no power %lld", (long long)n);
        return tx_poison(s, span);
    }
    TExpr *size = tx_integer(s, a->type.sizes[0], span);
    TExpr *product = n ? a : tx_expand(s, BUILTIN_IDENTITY, &size, 1, span);
    for (int64_t i = 1; i < n && product; i++) product = tx_binary(s, O_PRODUCT, product, a, a->type);
    return product ? product : bad_operands(env, OP_POWER, a, b, span);
}

static TExpr *type_arithmetic(const Env *env, Op op, TExpr *a, TExpr *b, Span span)
{
    static const uint8_t opers[OP_COUNT] = {
        [OP_ADD] = O_ADD,
        [OP_SUBTRACT] = O_SUBTRACT,
        [OP_ADD_EACH] = O_ADD,
        [OP_SUBTRACT_EACH] = O_SUBTRACT,
        [OP_MULTIPLY] = O_MULTIPLY,
        [OP_DIVIDE] = O_DIVIDE,
        [OP_MULTIPLY_EACH] = O_MULTIPLY,
        [OP_DIVIDE_EACH] = O_DIVIDE,
        [OP_POWER] = O_POWER,
        [OP_POWER_EACH] = O_POWER,
    };
    Sema *s = env->s;
    Oper oper = (Oper)opers[op];
    bool text = a->type.base == BASE_STRING && b->type.base == BASE_STRING && oper == O_ADD;
    if (!text && (!is_number(a) || !is_number(b))) return bad_operands(env, op, a, b, span);
    uint8_t base =
        text ? BASE_STRING
        : oper == O_DIVIDE || oper == O_POWER || a->type.base == BASE_REAL || b->type.base == BASE_REAL
            ? BASE_REAL
            : BASE_INTEGER;
    uint32_t ra = a->type.rank, rb = b->type.rank;
    if (op == OP_MULTIPLY && ra && rb) return type_product(env, a, b, base, span);
    bool each = op == OP_ADD_EACH || op == OP_SUBTRACT_EACH || op == OP_MULTIPLY_EACH ||
                op == OP_DIVIDE_EACH || op == OP_POWER_EACH;
    bool mixed_ok = each || op == OP_MULTIPLY || (op == OP_DIVIDE && !rb);
    if (op == OP_POWER && (ra || rb)) return type_matrix_power(env, a, b, span);
    if (ra != rb && !(mixed_ok && (!ra || !rb))) return bad_operands(env, op, a, b, span);
    if (ra && rb && op == OP_DIVIDE) return bad_operands(env, op, a, b, span);
    if (ra && rb && !same_sizes(&a->type, &b->type)) return size_mismatch(env, a, b, span);
    const Type *shape = ra ? &a->type : &b->type;
    Type type = type_of_rank(s, type_scalar(base), shape->rank, shape->sizes);
    return tx_binary(s, oper, a, b, type);
}

static TExpr *type_relation(const Env *env, Op op, TExpr *a, TExpr *b, Span span)
{
    static const uint8_t opers[OP_COUNT] = { [OP_LESS] = O_LESS,       [OP_LESS_EQUAL] = O_LESS_EQUAL,
                                             [OP_GREATER] = O_GREATER, [OP_GREATER_EQUAL] = O_GREATER_EQUAL,
                                             [OP_EQUAL] = O_EQUAL,     [OP_NOT_EQUAL] = O_NOT_EQUAL };
    bool fits = (is_number(a) && is_number(b)) || (a->type.base == b->type.base && a->type.base <= BASE_ENUM);
    if (!fits || a->type.rank || b->type.rank || !(is_number(a) || same_def(&a->type, &b->type)))
        return bad_operands(env, op, a, b, span);
    bool equality = op == OP_EQUAL || op == OP_NOT_EQUAL;
    bool real = a->type.base == BASE_REAL || b->type.base == BASE_REAL;
    bool changes = a->varies > VARIES_PARAMETER || b->varies > VARIES_PARAMETER;
    if (equality && real && changes && !env->function) {
        Note *note =
            sema_error(env->s, env->scope, E_OPERAND, span,
                       "'%s' of Real is for functions only: here it would depend on rounding", op_text(op));
        diag_hint(env->s->diag, note, "compare with '<' or '>', or the difference with a tolerance");
        return tx_poison(env->s, span);
    }
    TExpr *e = tx_binary(env->s, (Oper)opers[op], a, b, type_scalar(BASE_BOOLEAN));
    if (e->varies == VARIES_CONTINUOUS) e->varies = VARIES_DISCRETE;
    return e;
}

static TExpr *type_logic(const Env *env, Op op, TExpr *a, TExpr *b, Span span)
{
    if (a->type.base != BASE_BOOLEAN || b->type.base != BASE_BOOLEAN || a->type.rank != b->type.rank)
        return bad_operands(env, op, a, b, span);
    if (!same_sizes(&a->type, &b->type)) return size_mismatch(env, a, b, span);
    return tx_binary(env->s, op == OP_AND ? O_AND : O_OR, a, b, a->type);
}

TExpr *type_binary(const Env *env, Op op, TExpr *a, TExpr *b, Span span)
{
    if (tx_is_poison(a) || tx_is_poison(b)) return tx_poison(env->s, span);
    if (operator_record(env->s, &a->type) || operator_record(env->s, &b->type))
        return operator_binary(env, op, a, b, span);
    TExpr *e = op >= OP_ADD                  ? type_arithmetic(env, op, a, b, span)
               : op == OP_AND || op == OP_OR ? type_logic(env, op, a, b, span)
                                             : type_relation(env, op, a, b, span);
    e->span = span;
    return e;
}

static TExpr *type_unary(const Env *env, const Expr *e)
{
    Sema *s = env->s;
    TExpr *a = type_expr(env, e->left);
    if (tx_is_poison(a)) return a;
    if (operator_record(s, &a->type)) return operator_unary(env, (Op)e->op, a, e->span);
    bool ok = e->op == OP_NOT ? a->type.base == BASE_BOOLEAN : is_number(a);
    if (!ok) return bad_operands(env, (Op)e->op, a, NULL, e->span);
    if (e->op == OP_ADD || e->op == OP_ADD_EACH) return a;
    if (a->kind == X_INTEGER) return tx_integer(s, -a->integer, e->span);
    if (a->kind == X_REAL) return tx_real(s, -a->real, e->span);
    TExpr *x = tx_new(s, X_UNARY, a->type, a->varies, e->span, &a, 1);
    x->op = e->op == OP_NOT ? O_NOT : O_NEGATE;
    return x;
}

static TExpr *type_chain(const Env *env, const Expr *e)
{
    TExpr *sum = type_expr(env, e->items[0]);
    for (uint32_t i = 1; i < e->n; i++)
        sum = type_binary(env, expr_chain_op(e, i - 1), sum, type_expr(env, e->items[i]),
                          span_to(e->items[0]->span, e->items[i]->span));
    return sum;
}

/* ---- if -------------------------------------------------------------------------------------- */

/* The branch that a condition known now decides for. */
static TExpr *decided_branch(const Env *env, const Expr *e)
{
    for (uint32_t i = 0; i + 1 < e->n; i += 2) {
        bool value;
        TExpr *c = type_expr(env, e->items[i]);
        if (tx_is_poison(c) || c->varies > VARIES_PARAMETER || !eval_boolean(env->s, c, env->scope, &value))
            return NULL;
        if (value) return type_expr(env, e->items[i + 1]);
    }
    return type_expr(env, e->items[e->n - 1]);
}

static bool unify_branches(TExpr **items, uint32_t n, Type *type, uint8_t *varies)
{
    *type = items[n - 1]->type;
    *varies = items[n - 1]->varies;
    for (uint32_t i = 0; i < n; i++) {
        if (tx_is_poison(items[i])) return false;
        if (items[i]->varies > *varies) *varies = items[i]->varies;
        if (i + 1 < n && i % 2 == 0) continue;
        if (type_fits(type, &items[i]->type))
            *type = items[i]->type;
        else if (!type_fits(&items[i]->type, type))
            return false;
    }
    return true;
}

/* A branch that makes no sense, with a subscript out of its array, say, may be one that is never
 * taken: then the condition decides now. */
static TExpr *type_if(const Env *env, const Expr *e)
{
    Sema *s = env->s;
    Type type;
    uint8_t varies;
    DiagMark mark = sema_mark(s);
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, e->n);
    for (uint32_t i = 0; i < e->n; i++) items[i] = type_expr(env, e->items[i]);
    for (uint32_t i = 0; i + 1 < e->n; i += 2)
        if (!tx_is_poison(items[i]) && !check_condition(env, items[i], false)) return tx_poison(s, e->span);
    bool ok = unify_branches(items, e->n, &type, &varies);
    if (ok && s->diag->errors == mark.errors) {
        TExpr *x = tx_new(s, X_IF, type, varies, e->span, items, e->n);
        for (uint32_t i = 0; i < e->n; i++)
            if (i % 2 || i + 1 == e->n) x->args[i] = coerce(s, items[i], &type);
        return x;
    }
    bool poisoned = s->diag->errors != mark.errors;
    DiagMark after = sema_mark(s);
    sema_rewind(s, &mark);
    TExpr *decided = items[0]->varies <= VARIES_PARAMETER ? decided_branch(env, e) : NULL;
    if (decided && !tx_is_poison(decided)) return decided;
    sema_rewind(s, &after);
    bool any_poison = false;
    for (uint32_t i = 0; i < e->n; i++) any_poison |= tx_is_poison(items[i]);
    if (!poisoned && !any_poison)
        sema_error(s, env->scope, E_TYPE_MISMATCH, e->span, "the branches have different types: %s and %s",
                   type_text(s, &items[1]->type), type_text(s, &items[e->n - 1]->type));
    return tx_poison(s, e->span);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

TExpr *type_arrays(const Env *env, TExpr **items, uint32_t n, Span span)
{
    Sema *s = env->s;
    Type element = n ? items[0]->type : type_scalar(BASE_REAL);
    for (uint32_t i = 0; i < n; i++) {
        if (tx_is_poison(items[i])) return items[i];
        if (type_fits(&element, &items[i]->type)) {
            if (items[i]->type.base == BASE_REAL) element.base = BASE_REAL;
        } else if (!type_fits(&items[i]->type, &element)) {
            sema_error(s, env->scope, E_TYPE_MISMATCH, items[i]->span,
                       "the elements of an array have one type, not %s and %s", type_text(s, &element),
                       type_text(s, &items[i]->type));
            return tx_poison(s, span);
        }
    }
    for (uint32_t i = 0; i < n; i++) items[i] = coerce(s, items[i], &element);
    return tx_array(s, items, n, &element, span);
}

static TExpr *type_array(const Env *env, const Expr *e)
{
    if (e->n == 1 && e->items[0]->kind == EXPR_COMPREHENSION)
        return type_comprehension(env, e->items[0], BUILTIN_ARRAY_OF);
    if (!e->n) {
        Note *note = sema_error(env->s, env->scope, E_ARGUMENTS, e->span, "an array of nothing has no type");
        diag_hint(env->s->diag, note, "write fill(0, 0), or zeros(0)");
        return tx_poison(env->s, e->span);
    }
    TExpr **items = NEW_ARRAY(env->s->arena, TExpr *, e->n + 1);
    for (uint32_t i = 0; i < e->n; i++) items[i] = type_expr(env, e->items[i]);
    return type_arrays(env, items, e->n, e->span);
}

static TExpr *concatenate(const Env *env, int64_t along, TExpr **items, uint32_t n, Span span)
{
    Sema *s = env->s;
    TExpr **args = NEW_ARRAY(s->arena, TExpr *, n + 1);
    args[0] = tx_integer(s, along, span);
    bool known = true;
    Type type = items[0]->type;
    for (uint32_t i = 0; i < n; i++) {
        known = known && type_is_known(&items[i]->type);
        if (items[i]->type.base == BASE_REAL) type.base = BASE_REAL;
    }
    if (n == 1) return items[0];
    for (uint32_t i = 0; i < n; i++) args[i + 1] = coerce(s, items[i], &type);
    TExpr *x = known ? tx_expand(s, BUILTIN_CAT, args, n + 1, span) : NULL;
    if (x) return x;
    if (known) {
        sema_error(s, env->scope, E_SIZE_MISMATCH, span, "the sizes of these arrays do not fit together");
        return tx_poison(s, span);
    }
    type = type_of_rank(s, type, items[0]->type.rank, NULL);
    for (uint32_t i = 0; i < type.rank; i++)
        type.sizes[i] = i + 1 == (uint32_t)along ? SIZE_UNKNOWN : items[0]->type.sizes[i];
    return tx_builtin(s, BUILTIN_CAT, type, VARIES_CONTINUOUS, span, args, n + 1);
}

static TExpr *promoted(Sema *s, TExpr *e, uint32_t rank)
{
    if (e->type.rank >= rank) return e;
    TExpr *args[] = { e, tx_integer(s, rank, e->span) };
    TExpr *x = tx_expand(s, BUILTIN_PROMOTE, args, 2, e->span);
    if (x) return x;
    Type type = type_of_rank(s, e->type, rank, NULL);
    for (uint32_t i = 0; i < rank; i++) type.sizes[i] = i < e->type.rank ? e->type.sizes[i] : 1;
    return tx_builtin(s, BUILTIN_PROMOTE, type, e->varies, e->span, args, 2);
}

static TExpr *type_matrix(const Env *env, const Expr *e)
{
    Sema *s = env->s;
    TExpr **rows = NEW_ARRAY(s->arena, TExpr *, e->n + 1);
    for (uint32_t i = 0; i < e->n; i++) {
        const Expr *row = e->items[i];
        TExpr **items = NEW_ARRAY(s->arena, TExpr *, row->n + 1);
        for (uint32_t k = 0; k < row->n; k++) {
            items[k] = type_expr(env, row->items[k]);
            if (tx_is_poison(items[k])) return items[k];
            items[k] = promoted(s, items[k], 2);
        }
        rows[i] = concatenate(env, 2, items, row->n, row->span);
        if (tx_is_poison(rows[i])) return rows[i];
    }
    return concatenate(env, 1, rows, e->n, e->span);
}

static TExpr *type_range(const Env *env, const Expr *e)
{
    Sema *s = env->s;
    TExpr *start = type_expr(env, e->items[0]), *stop = type_expr(env, e->items[e->n - 1]);
    TExpr *step = e->n == 3 ? type_expr(env, e->items[1]) : tx_integer(s, 1, e->span);
    if (tx_is_poison(start) || tx_is_poison(stop) || tx_is_poison(step)) return tx_poison(s, e->span);
    TExpr *ends[] = { start, stop, step };
    for (int i = 0; i < 3; i++) {
        bool number = is_number(start) && is_number(ends[i]) && !ends[i]->type.rank;
        bool ordinal = (start->type.base == BASE_ENUM || start->type.base == BASE_BOOLEAN) &&
                       (i == 2 ? e->n == 2 : type_fits(&ends[i]->type, &start->type));
        if (number || (ordinal && !ends[i]->type.rank)) continue;
        sema_error(
            s, env->scope, E_TYPE_MISMATCH, ends[i]->span,
            "a range goes from number to number, or between literals of one enumeration, not from %s to %s",
            type_text(s, &start->type), type_text(s, &ends[i]->type));
        return tx_poison(s, e->span);
    }
    if (start->type.base == BASE_INTEGER && (stop->type.base == BASE_REAL || step->type.base == BASE_REAL))
        start = coerce(s, start, &(Type){ .base = BASE_REAL });
    Type type = type_of_rank(s, start->type, 1, NULL);
    type.sizes[0] = SIZE_UNKNOWN;
    uint8_t varies = start->varies > stop->varies ? start->varies : stop->varies;
    if (step->varies > varies) varies = step->varies;
    TExpr *x = tx_new(s, X_RANGE, type, varies, e->span, (TExpr *[]){ start, step, stop }, 3);
    if (varies > VARIES_PARAMETER || (env->function && varies > VARIES_CONSTANT)) return x;
    if (env->place & PLACE_ALGORITHM && uses_free(s, x)) return x;
    Value *v = eval(s, x, NULL, env->scope);
    return v ? tx_value(s, v, e->span) : tx_poison(s, e->span);
}

/* ---- comprehensions -------------------------------------------------------------------------- */

static TExpr *expand_indices(const Env *env, const Expr *e, uint32_t left);

/* A comprehension over an empty range: its other sizes are those of the element that would be
 * first. Where that cannot be had, say in a table without rows, no Integers fit Reals, too. */
static TExpr *nothing_of(const Env *env, const Expr *e, uint32_t at, const TExpr *range)
{
    Sema *s = env->s;
    DiagMark mark = sema_mark(s);
    TExpr *one = tx_integer(s, 1, range->span);
    if (range->type.base == BASE_REAL) one = tx_real(s, 1, range->span);
    if (range->type.base == BASE_ENUM || range->type.base == BASE_BOOLEAN) {
        Type type = type_element(&range->type, 1);
        one = tx_new(s, range->type.base == BASE_ENUM ? X_ENUM : X_BOOLEAN, type, VARIES_CONSTANT,
                     range->span, NULL, 0);
        one->integer = range->type.base == BASE_ENUM;
    }
    Iter iter = { e->indices[at].name, one, env->iters };
    Env inner = *env;
    inner.iters = &iter;
    TExpr *first = expand_indices(&inner, e, at);
    Type type = tx_is_poison(first) ? type_scalar(BASE_INTEGER) : first->type;
    sema_rewind(s, &mark);
    return tx_array(s, NULL, 0, &type, e->span);
}

/* Where only the run knows the range: a comprehension with one index. */
static TExpr *open_index(const Env *env, const Expr *e, uint32_t at, TExpr *range)
{
    Sema *s = env->s;
    uint32_t local = new_loop_variable(env, e->indices[at].name);
    Iter iter = { e->indices[at].name, tx_local(s, local, type_element(&range->type, 1), range->span),
                  env->iters };
    Env inner = *env;
    inner.iters = &iter;
    TExpr *body = expand_indices(&inner, e, at);
    if (tx_is_poison(body)) return body;
    TExpr *args[] = { body, range };
    Type type = type_array_of(s, &body->type, range->type.sizes[0]);
    TExpr *x = tx_new(s, X_COMPREHENSION, type, VARIES_CONTINUOUS, e->span, args, 2);
    x->op = BUILTIN_ARRAY_OF;
    x->index = local;
    return x;
}

/* The last index makes the first dimension: {f(i, j) for i in a, j in b} is {{f(i, j) for i in a}
 * for j in b}. */
static TExpr *expand_indices(const Env *env, const Expr *e, uint32_t left)
{
    Sema *s = env->s;
    if (left == 0) return type_expr(env, e->left);
    uint32_t at = left - 1;
    TExpr *range = type_index_range(env, &e->indices[at], NULL, e->left);
    if (tx_is_poison(range)) return range;
    if (range->type.rank != 1) {
        sema_error(s, env->scope, E_TYPE_MISMATCH, range->span, "an index runs over a vector, not over %s",
                   type_text(s, &range->type));
        return tx_poison(s, e->span);
    }
    if (range_is_open(env, range)) return open_index(env, e, at, range);
    Value *v = eval(s, range, NULL, env->scope);
    if (!v) return tx_poison(s, e->span);
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, v->n + 1);
    for (uint32_t i = 0; i < v->n; i++) {
        Iter iter = { e->indices[at].name, tx_value(s, value_slice(s, v, (int32_t)i), range->span),
                      env->iters };
        Env inner = *env;
        inner.iters = &iter;
        items[i] = expand_indices(&inner, e, at);
    }
    if (!v->n) return nothing_of(env, e, at, range);
    return type_arrays(env, items, v->n, e->span);
}

/* In a function the indices become variables of it. */
static TExpr *comprehension_in_function(const Env *env, const Expr *e, Builtin reduce)
{
    Sema *s = env->s;
    Env inner = *env;
    int32_t sizes[8];
    TExpr *args[9];
    uint32_t first = env->function->locals.n + env->function->loop_names.n;
    if (e->n > 8) return tx_poison(s, e->span);
    for (uint32_t i = 0; i < e->n; i++) {
        const ForIndex *index = &e->indices[e->n - 1 - i];
        TExpr *range = type_index_range(&inner, index, NULL, e->left);
        if (tx_is_poison(range) || !range->type.rank) return tx_poison(s, e->span);
        args[i + 1] = range;
        sizes[i] = range->type.sizes[0];
        vec_push(s->arena, &env->function->loop_names, name_text(index->name));
        Iter *iter = NEW(s->arena, Iter);
        *iter = (Iter){ index->name, tx_local(s, first + i, type_element(&range->type, 1), index->span),
                        inner.iters };
        inner.iters = iter;
    }
    args[0] = type_expr(&inner, e->left);
    if (tx_is_poison(args[0])) return args[0];
    if (reduce != BUILTIN_ARRAY_OF && operator_record(s, &args[0]->type)) {
        /* its own '+' would have to be called for each */
        sema_error(s, env->scope, E_OPERAND, e->span,
                   "'%s' of operator records is not defined where the number of elements is open",
                   builtin_text(reduce));
        return tx_poison(s, e->span);
    }
    Type type = args[0]->type;
    for (uint32_t i = e->n; reduce == BUILTIN_ARRAY_OF && i-- > 0;) type = type_array_of(s, &type, sizes[i]);
    TExpr *x = tx_new(s, X_COMPREHENSION, type, VARIES_CONTINUOUS, e->span, args, e->n + 1);
    x->op = (uint8_t)reduce;
    x->index = first;
    return x;
}

static TExpr *zeros_of(Sema *s, const Type *t, Span span)
{
    if (!t->rank) return t->base == BASE_INTEGER ? tx_integer(s, 0, span) : tx_real(s, 0, span);
    Type rest = type_element(t, 1);
    uint32_t n = t->sizes[0] > 0 ? (uint32_t)t->sizes[0] : 0;
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, n + 1);
    for (uint32_t i = 0; i < n; i++) items[i] = zeros_of(s, &rest, span);
    return tx_array(s, items, n, &rest, span);
}

/* sum(a[:, i] for i in r): the elements of the first n dimensions, which may be arrays
 * themselves. */
static TExpr *sum_of_arrays(const Env *env, TExpr *items, uint32_t n, Span span)
{
    Sema *s = env->s;
    TExpr *sum = NULL;
    if (!n) return items;
    for (int32_t i = 0; i < items->type.sizes[0]; i++) {
        TExpr *one = sum_of_arrays(env, tx_element(s, items, i), n - 1, span);
        sum = sum ? type_binary(env, OP_ADD, sum, one, span) : one;
        if (tx_is_poison(sum)) return sum;
    }
    Type type = type_element(&items->type, n);
    return sum ? sum : zeros_of(s, &type, span);
}

TExpr *type_comprehension(const Env *env, const Expr *e, Builtin reduce)
{
    if (env->function) return comprehension_in_function(env, e, reduce);
    TExpr *items = expand_indices(env, e, e->n);
    if (tx_is_poison(items) || reduce == BUILTIN_ARRAY_OF) return items;
    if (reduce == BUILTIN_SUM && operator_record(env->s, &items->type))
        return operator_sum(env, items, e->span);
    if (reduce == BUILTIN_SUM && items->type.rank > e->n) return sum_of_arrays(env, items, e->n, e->span);
    Type type = { .base = items->type.base, .def = items->type.def };
    return tx_builtin(env->s, reduce, type, items->varies, e->span, &items, 1);
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static TExpr *type_end(const Env *env, const Expr *e)
{
    Sema *s = env->s;
    if (!env->end_of || env->end_dim >= env->end_of->type.rank) {
        sema_error(s, env->scope, E_SUBSCRIPT, e->span, "'end' means nothing here");
        return tx_poison(s, e->span);
    }
    int32_t size = env->end_of->type.sizes[env->end_dim];
    if (size != SIZE_UNKNOWN) return tx_integer(s, size, e->span);
    TExpr *args[] = { (TExpr *)(uintptr_t)env->end_of, tx_integer(s, env->end_dim + 1, e->span) };
    return tx_builtin(s, BUILTIN_SIZE, type_scalar(BASE_INTEGER), VARIES_CONTINUOUS, e->span, args, 2);
}

static TExpr *type_tuple(const Env *env, const Expr *e)
{
    TExpr **items = NEW_ARRAY(env->s->arena, TExpr *, e->n + 1);
    for (uint32_t i = 0; i < e->n; i++) items[i] = type_expr(env, e->items[i]);
    return tx_new(env->s, X_TUPLE, type_scalar(BASE_CLASS), VARIES_CONTINUOUS, e->span, items, e->n);
}

static TExpr *type_field(const Env *env, const Expr *e)
{
    RefPart part = { .name = e->name, .span = e->span };
    Expr *ref = NEW(env->s->arena, Expr);
    *ref = (Expr){ .kind = EXPR_REF, .n = 1, .span = e->span, .parts = &part };
    TExpr *of = type_expr(env, e->left);
    return tx_is_poison(of) ? of : type_field_ref(env, of, ref, 0);
}

TExpr *type_expr(const Env *env, const Expr *e)
{
    Sema *s = env->s;
    switch ((ExprKind)e->kind) {
    case EXPR_REAL: return tx_real(s, e->real, e->span);
    case EXPR_INTEGER: return tx_integer(s, e->integer, e->span);
    case EXPR_BOOLEAN: return tx_boolean(s, e->flag, e->span);
    case EXPR_STRING: return tx_string(s, (Str){ e->text, e->n }, e->span);
    case EXPR_REF: return type_ref(env, e);
    case EXPR_CALL: return type_call(env, e);
    case EXPR_UNARY: return type_unary(env, e);
    case EXPR_BINARY:
        return type_binary(env, (Op)e->op, type_expr(env, e->left), type_expr(env, e->right), e->span);
    case EXPR_CHAIN: return type_chain(env, e);
    case EXPR_IF: return type_if(env, e);
    case EXPR_RANGE: return type_range(env, e);
    case EXPR_ARRAY: return type_array(env, e);
    case EXPR_MATRIX: return type_matrix(env, e);
    case EXPR_TUPLE: return type_tuple(env, e);
    case EXPR_SUBSCRIPT: return type_subscripts(env, type_expr(env, e->left), e->subscripts, e->n, e->span);
    case EXPR_FIELD: return type_field(env, e);
    case EXPR_END: return type_end(env, e);
    case EXPR_OMITTED:
        return tx_new(s, X_OMITTED, type_scalar(BASE_CLASS), VARIES_CONSTANT, e->span, NULL, 0);
    case EXPR_PARTIAL: return type_partial_call(env, e);
    default: break;
    }
    sema_error(s, env->scope, E_NOT_A_VALUE, e->span, "this is not a value");
    return tx_poison(s, e->span);
}
