/* texpr.c: types and typed expressions, made and taken apart. Tests: tests/modelica. */
#include "sema/inside.h"

Type type_scalar(uint8_t base) { return (Type){ .base = base }; }

Type type_of_rank(Sema *s, Type element, uint32_t rank, const int32_t *sizes)
{
    element.rank = (uint8_t)rank;
    element.sizes = NEW_ARRAY(s->arena, int32_t, rank + 1);
    if (rank && sizes) memcpy(element.sizes, sizes, rank * sizeof *sizes);
    return element;
}

Type type_element(const Type *t, uint32_t dims)
{
    Type element = *t;
    element.rank = (uint8_t)(t->rank - dims);
    if (dims) element.sizes = t->sizes + dims;
    return element;
}

Type type_array_of(Sema *s, const Type *element, int32_t size)
{
    Type t = type_of_rank(s, *element, element->rank + 1u, NULL);
    t.sizes[0] = size;
    for (uint32_t i = 0; i < element->rank; i++) t.sizes[i + 1] = element->sizes[i];
    return t;
}

bool type_is_known(const Type *t)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->sizes[i] == SIZE_UNKNOWN) return false;
    return true;
}

bool type_is_huge(const Type *t)
{
    double n = 1;
    for (uint32_t i = 0; i < t->rank; i++) n *= t->sizes[i] == SIZE_UNKNOWN ? 1 : t->sizes[i];
    return n > MOST_ELEMENTS;
}

uint32_t type_count(const Type *t)
{
    uint32_t n = 1;
    for (uint32_t i = 0; i < t->rank; i++) n *= t->sizes[i] > 0 ? (uint32_t)t->sizes[i] : 0;
    return n;
}

TExpr *tx_new(Sema *s, ExprKindFlat kind, Type type, uint8_t varies, Span span, TExpr *const *args,
              uint32_t n)
{
    TExpr *e = NEW(s->arena, TExpr);
    e->kind = (uint8_t)kind;
    e->type = type;
    e->varies = varies;
    e->span = span;
    e->n = n;
    if (n) e->args = memcpy(NEW_ARRAY(s->arena, TExpr *, n), args, n * sizeof *args);
    return e;
}

TExpr *tx_real(Sema *s, double value, Span span)
{
    TExpr *e = tx_new(s, X_REAL, type_scalar(BASE_REAL), VARIES_CONSTANT, span, NULL, 0);
    e->real = value;
    return e;
}

TExpr *tx_integer(Sema *s, int64_t value, Span span)
{
    TExpr *e = tx_new(s, X_INTEGER, type_scalar(BASE_INTEGER), VARIES_CONSTANT, span, NULL, 0);
    e->integer = value;
    return e;
}

TExpr *tx_boolean(Sema *s, bool value, Span span)
{
    TExpr *e = tx_new(s, X_BOOLEAN, type_scalar(BASE_BOOLEAN), VARIES_CONSTANT, span, NULL, 0);
    e->integer = value;
    return e;
}

TExpr *tx_string(Sema *s, Str text, Span span)
{
    TExpr *e = tx_new(s, X_STRING, type_scalar(BASE_STRING), VARIES_CONSTANT, span, NULL, 0);
    e->text = text;
    return e;
}

TExpr *tx_poison(Sema *s, Span span)
{
    s->poisons++;
    return tx_new(s, X_OMITTED, type_scalar(BASE_POISON), VARIES_CONSTANT, span, NULL, 0);
}

TExpr *tx_local(Sema *s, uint32_t index, Type type, Span span)
{
    TExpr *e = tx_new(s, X_LOCAL, type, VARIES_CONTINUOUS, span, NULL, 0);
    e->index = index;
    return e;
}

TExpr *tx_binary(Sema *s, Oper op, TExpr *a, TExpr *b, Type type)
{
    uint8_t varies = a->varies > b->varies ? a->varies : b->varies;
    TExpr *e = tx_new(s, X_BINARY, type, varies, span_to(a->span, b->span), (TExpr *[]){ a, b }, 2);
    e->op = (uint8_t)op;
    return e;
}

TExpr *tx_builtin(Sema *s, Builtin b, Type type, uint8_t varies, Span span, TExpr *const *args, uint32_t n)
{
    TExpr *e = tx_new(s, X_BUILTIN, type, varies, span, args, n);
    e->op = (uint8_t)b;
    return e;
}

/* A number that no text has as it is. */
static TExpr *tx_calculated(Sema *s, double value, Span span)
{
    TExpr *e = tx_real(s, value, span);
    e->op = 1;
    return e;
}

static TExpr *cell_expr(Sema *s, const Value *v, uint32_t at, Span span)
{
    Type type = { .base = v->base, .def = v->def };
    switch (v->base) {
    case BASE_REAL: return tx_calculated(s, v->at[at].real, span);
    case BASE_STRING: return tx_string(s, v->at[at].text, span);
    case BASE_RECORD: {
        inst_list(s, v->def);
        uint32_t n = v->def->comps.n;
        TExpr **fields = NEW_ARRAY(s->arena, TExpr *, n + 1);
        for (uint32_t i = 0; i < n; i++) fields[i] = tx_value(s, &v->at[at].record[i], span);
        return tx_new(s, X_RECORD, type, VARIES_CONSTANT, span, fields, n);
    }
    default: {
        ExprKindFlat kind = v->base == BASE_INTEGER   ? X_INTEGER
                            : v->base == BASE_BOOLEAN ? X_BOOLEAN
                                                      : X_ENUM;
        TExpr *e = tx_new(s, kind, type, VARIES_CONSTANT, span, NULL, 0);
        e->integer = v->at[at].integer;
        return e;
    }
    }
}

TExpr *tx_value(Sema *s, const Value *v, Span span)
{
    if (!v->rank) return cell_expr(s, v, 0, span);
    Type type = type_of_rank(s, (Type){ .base = v->base, .def = v->def }, v->rank, v->sizes);
    uint32_t n = (uint32_t)v->sizes[0];
    TExpr *e = tx_new(s, X_ARRAY, type, VARIES_CONSTANT, span, NULL, 0);
    e->args = NEW_ARRAY(s->arena, TExpr *, n + 1);
    e->n = n;
    for (uint32_t i = 0; i < n; i++) e->args[i] = tx_value(s, value_slice(s, v, (int32_t)i), span);
    return e;
}

/* A field of a record; of one that is written out it is what stands there. */
TExpr *tx_field(Sema *s, TExpr *of, uint32_t index, Type type)
{
    if (of->kind == X_RECORD && index < of->n) return of->args[index];
    if (of->kind == X_ARRAY && of->n) {
        TExpr *x = tx_new(s, X_ARRAY, type, of->varies, of->span, of->args, of->n);
        for (uint32_t i = 0; i < of->n; i++)
            x->args[i] = tx_field(s, of->args[i], index, type_element(&type, 1));
        return x;
    }
    if (of->kind == X_IF) {
        TExpr *x = tx_new(s, X_IF, type, of->varies, of->span, of->args, of->n);
        for (uint32_t i = 0; i < of->n; i++)
            if (i % 2 || i + 1 == of->n) x->args[i] = tx_field(s, of->args[i], index, type);
        return x;
    }
    TExpr *x = tx_new(s, X_FIELD, type, of->varies, of->span, &of, 1);
    x->index = index;
    return x;
}

/* The same expression of other arguments; `args` is kept. */
TExpr *tx_with_args(Sema *s, const TExpr *e, TExpr **args)
{
    TExpr *copy = NEW(s->arena, TExpr);
    *copy = *e;
    copy->args = args;
    uint8_t varies = VARIES_CONSTANT;
    for (uint32_t i = 0; i < e->n; i++)
        if (args[i]->varies > varies) varies = args[i]->varies;
    copy->varies = varies;
    if (e->kind == X_FIELD) return tx_field(s, copy->args[0], e->index, e->type);
    bool is_size =
        e->kind == X_BUILTIN && e->op == BUILTIN_SIZE && e->n == 2 && copy->args[1]->kind == X_INTEGER;
    int64_t dim = is_size ? copy->args[1]->integer : 0;
    const Type *of = &copy->args[0]->type;
    if (is_size && dim >= 1 && dim <= of->rank && of->sizes[dim - 1] != SIZE_UNKNOWN)
        return tx_integer(s, of->sizes[dim - 1], e->span);
    return copy;
}

TExpr *tx_replace(Sema *s, TExpr *e, ReplaceVar with, void *arg)
{
    if (e->kind == X_VAR) return with(arg, e);
    if (!e->n) return e;
    TExpr **args = NEW_ARRAY(s->arena, TExpr *, e->n);
    bool changed = false;
    for (uint32_t i = 0; i < e->n; i++) {
        args[i] = tx_replace(s, e->args[i], with, arg);
        changed = changed || args[i] != e->args[i];
    }
    return changed ? tx_with_args(s, e, args) : e;
}

TExpr *tx_substitute(Sema *s, TExpr *e, TExpr *const *locals, uint32_t n)
{
    if (e->kind == X_LOCAL) return e->index < n && locals[e->index] ? locals[e->index] : e;
    if (!e->n) return e;
    TExpr **args = NEW_ARRAY(s->arena, TExpr *, e->n);
    for (uint32_t i = 0; i < e->n; i++) args[i] = tx_substitute(s, e->args[i], locals, n);
    return tx_with_args(s, e, args);
}
