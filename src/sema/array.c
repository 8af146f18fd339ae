/* array.c: arrays written out: the elements of array expressions, and the built-in functions on
 * arrays.
 *
 * In: a typed expression of known sizes. Out: its elements as scalar expressions, so that an
 * equation between arrays becomes equations between scalars. The same code serves compile-time
 * evaluation, on literals. Cost: proportional to what is written out. Tests: tests/modelica. */
#include "sema/inside.h"

TExpr *tx_array(Sema *s, TExpr *const *items, uint32_t n, const Type *element, Span span)
{
    uint8_t varies = VARIES_CONSTANT;
    for (uint32_t i = 0; i < n; i++)
        if (items[i]->varies > varies) varies = items[i]->varies;
    return tx_new(s, X_ARRAY, type_array_of(s, element, (int32_t)n), varies, span, items, n);
}

/* ---- elements -------------------------------------------------------------------------------- */

/* x[i, :] at k is x[i, k]; x[i] at k is x[i, k]. */
static TExpr *subscript_element(Sema *s, TExpr *e, int32_t at)
{
    Type type = type_element(&e->type, 1);
    TExpr *sub = tx_integer(s, at + 1, e->span);
    if (e->kind != X_SUBSCRIPT)
        return tx_new(s, X_SUBSCRIPT, type, e->varies, e->span, (TExpr *[]){ e, sub }, 2);
    uint32_t open = 1;
    while (open < e->n && e->args[open]->kind != X_COLON && e->args[open]->type.rank == 0) open++;
    TExpr *x = tx_new(s, X_SUBSCRIPT, type, e->varies, e->span, NULL, 0);
    x->args = NEW_ARRAY(s->arena, TExpr *, e->n + 1);
    x->n = open < e->n ? e->n : e->n + 1;
    memcpy(x->args, e->args, e->n * sizeof(TExpr *));
    bool colon = open == e->n || e->args[open]->kind == X_COLON;
    x->args[open] = colon ? sub : tx_element(s, e->args[open], at);
    return x;
}

/* The same operation on the elements of those arguments that are arrays of the result's rank. */
static TExpr *map_element(Sema *s, TExpr *e, int32_t at, uint32_t from)
{
    TExpr *copy =
        tx_new(s, (ExprKindFlat)e->kind, type_element(&e->type, 1), e->varies, e->span, e->args, e->n);
    copy->op = e->op;
    copy->function = e->function;
    copy->index = e->index;
    for (uint32_t i = from; i < e->n; i++)
        if (e->args[i]->type.rank == e->type.rank) copy->args[i] = tx_element(s, e->args[i], at);
    uint8_t varies = VARIES_CONSTANT;
    for (uint32_t i = 0; i < e->n; i++)
        if (copy->args[i]->varies > varies) varies = copy->args[i]->varies;
    if (varies < copy->varies) copy->varies = varies;
    return copy;
}

static TExpr *if_element(Sema *s, TExpr *e, int32_t at)
{
    TExpr *copy = tx_new(s, X_IF, type_element(&e->type, 1), e->varies, e->span, e->args, e->n);
    for (uint32_t i = 0; i < e->n; i++)
        if (i % 2 == 1 || i + 1 == e->n) copy->args[i] = tx_element(s, e->args[i], at);
    return copy;
}

static TExpr *column(Sema *s, TExpr *matrix, int32_t at)
{
    uint32_t n = (uint32_t)matrix->type.sizes[0];
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, n + 1);
    Type element = type_element(&matrix->type, 2);
    for (uint32_t i = 0; i < n; i++) items[i] = tx_element(s, tx_element(s, matrix, (int32_t)i), at);
    return tx_array(s, items, n, &element, matrix->span);
}

static TExpr *product_element(Sema *s, TExpr *e, int32_t at)
{
    TExpr *a = e->args[0], *b = e->args[1];
    Type type = type_element(&e->type, 1);
    if (a->type.rank == 2) return tx_binary(s, O_PRODUCT, tx_element(s, a, at), b, type);
    return tx_binary(s, O_PRODUCT, a, column(s, b, at), type);
}

static TExpr *range_element(Sema *s, TExpr *e, int32_t at)
{
    TExpr *start = e->args[0], *step = e->args[1];
    Type type = type_element(&e->type, 1);
    if (start->kind == X_INTEGER && step->kind == X_INTEGER)
        return tx_integer(s, start->integer + at * step->integer, e->span);
    if (e->type.base == BASE_ENUM || e->type.base == BASE_BOOLEAN) {
        TExpr *item = tx_new(s, (ExprKindFlat)start->kind, type, VARIES_CONSTANT, e->span, NULL, 0);
        item->integer = start->integer + at;
        return item;
    }
    if (at == 0) return start;
    return tx_binary(s, O_ADD, start, tx_binary(s, O_MULTIPLY, tx_integer(s, at, e->span), step, type), type);
}

TExpr *tx_element(Sema *s, TExpr *e, int32_t at)
{
    switch ((ExprKindFlat)e->kind) {
    case X_ARRAY: return e->args[at];
    case X_UNARY: return map_element(s, e, at, 0);
    case X_BINARY: return e->op == O_PRODUCT ? product_element(s, e, at) : map_element(s, e, at, 0);
    case X_IF: return if_element(s, e, at);
    case X_RANGE: return range_element(s, e, at);
    case X_BUILTIN: return map_element(s, e, at, 0);
    default: return subscript_element(s, e, at);
    }
}

/* ---- reductions of arrays to scalars --------------------------------------------------------- */

typedef VEC(TExpr *) Items;

static void flatten_items(Sema *s, TExpr *e, Items *out)
{
    if (!e->type.rank) {
        vec_push(s->arena, out, e);
        return;
    }
    for (int32_t i = 0; i < e->type.sizes[0]; i++) flatten_items(s, tx_element(s, e, i), out);
}

static TExpr *dot(Sema *s, const TExpr *e)
{
    TExpr *sum = NULL;
    for (int32_t i = 0; i < e->args[0]->type.sizes[0]; i++) {
        TExpr *term =
            tx_binary(s, O_MULTIPLY, tx_element(s, e->args[0], i), tx_element(s, e->args[1], i), e->type);
        sum = sum ? tx_binary(s, O_ADD, sum, term, e->type) : term;
    }
    if (sum) return sum;
    return e->type.base == BASE_INTEGER ? tx_integer(s, 0, e->span) : tx_real(s, 0, e->span);
}

static TExpr *reduce(Sema *s, TExpr *e)
{
    Items items = { 0 };
    for (uint32_t i = 0; i < e->n; i++) flatten_items(s, e->args[i], &items);
    Oper op = e->op == BUILTIN_SUM ? O_ADD : O_MULTIPLY;
    bool arithmetic = e->op == BUILTIN_SUM || e->op == BUILTIN_PRODUCT;
    if (items.n == 0 && arithmetic) {
        int64_t value = e->op == BUILTIN_PRODUCT;
        return e->type.base == BASE_INTEGER ? tx_integer(s, value, e->span)
                                            : tx_real(s, (double)value, e->span);
    }
    if (items.n == 0) return e;
    TExpr *result = items.at[0];
    for (uint32_t i = 1; i < items.n; i++)
        result = arithmetic ? tx_binary(s, op, result, items.at[i], e->type)
                            : tx_builtin(s, (Builtin)e->op, e->type, e->varies, e->span,
                                         (TExpr *[]){ result, items.at[i] }, 2);
    return result;
}

TExpr *tx_simplify(Sema *s, TExpr *e)
{
    if (e->type.rank) return e;
    if (e->kind == X_BINARY && e->op == O_PRODUCT) return dot(s, e);
    bool reduces = e->kind == X_BUILTIN && e->op >= BUILTIN_MIN && e->op <= BUILTIN_PRODUCT;
    bool scalars = reduces && e->n == 2 && !e->args[0]->type.rank && !e->args[1]->type.rank;
    if (reduces && !scalars && type_is_known(&e->args[0]->type)) return reduce(s, e);
    return e;
}

/* ---- built-in functions that make arrays ----------------------------------------------------- */

static TExpr *zero_like(Sema *s, const TExpr *e)
{
    return e->type.base == BASE_INTEGER ? tx_integer(s, 0, e->span) : tx_real(s, 0, e->span);
}

static bool integer_arg(const TExpr *e, int32_t *value)
{
    if (e->kind != X_INTEGER || e->integer < 0 || e->integer > INT32_MAX) return false;
    *value = (int32_t)e->integer;
    return true;
}

static TExpr *fill(Sema *s, TExpr *value, TExpr **sizes, uint32_t n, Span span)
{
    int32_t size;
    if (n == 0) return value;
    if (!integer_arg(sizes[0], &size)) return NULL;
    TExpr *slice = fill(s, value, sizes + 1, n - 1, span);
    if (!slice) return NULL;
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, (size_t)size + 1);
    for (int32_t i = 0; i < size; i++) items[i] = slice;
    return tx_array(s, items, (uint32_t)size, &slice->type, span);
}

/* A matrix from a rule for its entries. */
typedef TExpr *(*EntryRule)(Sema *s, TExpr **args, int32_t row, int32_t column, Span span);

static TExpr *make_matrix(Sema *s, EntryRule rule, TExpr **args, int32_t rows, int32_t columns, Span span)
{
    Type scalar = type_scalar(args[0]->type.base);
    scalar.def = args[0]->type.def;
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, (size_t)rows + 1);
    TExpr **row = NEW_ARRAY(s->arena, TExpr *, (size_t)columns + 1);
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t k = 0; k < columns; k++) row[k] = rule(s, args, i, k, span);
        items[i] = tx_array(s, row, (uint32_t)columns, &scalar, span);
    }
    Type element = type_array_of(s, &scalar, columns);
    return tx_array(s, items, (uint32_t)rows, &element, span);
}

static TExpr *at2(Sema *s, TExpr *e, int32_t i, int32_t k) { return tx_element(s, tx_element(s, e, i), k); }

static TExpr *rule_transpose(Sema *s, TExpr **args, int32_t i, int32_t k, Span span)
{
    (void)span;
    return at2(s, args[0], k, i);
}

static TExpr *rule_identity(Sema *s, TExpr **args, int32_t i, int32_t k, Span span)
{
    (void)args;
    return tx_integer(s, i == k, span);
}

static TExpr *rule_diagonal(Sema *s, TExpr **args, int32_t i, int32_t k, Span span)
{
    (void)span;
    return i == k ? tx_element(s, args[0], i) : zero_like(s, args[0]);
}

static TExpr *rule_outer(Sema *s, TExpr **args, int32_t i, int32_t k, Span span)
{
    (void)span;
    TExpr *a = tx_element(s, args[0], i), *b = tx_element(s, args[1], k);
    return tx_binary(s, O_MULTIPLY, a, b, a->type.base == BASE_REAL ? a->type : b->type);
}

static TExpr *rule_symmetric(Sema *s, TExpr **args, int32_t i, int32_t k, Span span)
{
    (void)span;
    return i > k ? at2(s, args[0], k, i) : at2(s, args[0], i, k);
}

static TExpr *negate(Sema *s, TExpr *e)
{
    TExpr *n = tx_new(s, X_UNARY, e->type, e->varies, e->span, &e, 1);
    n->op = O_NEGATE;
    return n;
}

static TExpr *rule_skew(Sema *s, TExpr **args, int32_t i, int32_t k, Span span)
{
    (void)span;
    if (i == k) return zero_like(s, args[0]);
    TExpr *x = tx_element(s, args[0], 3 - i - k);
    return (k - i + 3) % 3 == 1 ? negate(s, x) : x;
}

static TExpr *expand_cross(Sema *s, TExpr **args, Span span)
{
    TExpr *items[3];
    Type type = type_scalar(BASE_REAL);
    for (int32_t i = 0; i < 3; i++) {
        int32_t k = (i + 1) % 3, l = (i + 2) % 3;
        TExpr *p = tx_binary(s, O_MULTIPLY, tx_element(s, args[0], k), tx_element(s, args[1], l), type);
        TExpr *q = tx_binary(s, O_MULTIPLY, tx_element(s, args[0], l), tx_element(s, args[1], k), type);
        items[i] = tx_binary(s, O_SUBTRACT, p, q, type);
    }
    return tx_array(s, items, 3, &type, span);
}

static TExpr *expand_linspace(Sema *s, TExpr **args, Span span)
{
    int32_t n;
    Type type = type_scalar(BASE_REAL);
    if (!integer_arg(args[2], &n) || n < 2) return NULL;
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, (size_t)n);
    TExpr *length = tx_binary(s, O_SUBTRACT, args[1], args[0], type);
    for (int32_t i = 0; i < n; i++) {
        TExpr *part = tx_binary(s, O_DIVIDE, tx_binary(s, O_MULTIPLY, length, tx_integer(s, i, span), type),
                                tx_integer(s, n - 1, span), type);
        items[i] = tx_binary(s, O_ADD, args[0], part, type);
    }
    return tx_array(s, items, (uint32_t)n, &type, span);
}

/* Joins arrays along dimension `along`, from 1. */
static TExpr *expand_cat(Sema *s, int32_t along, TExpr **args, uint32_t n, Span span)
{
    Items items = { 0 };
    Type element = type_element(&args[0]->type, 1);
    for (uint32_t i = 0; i < n; i++) {
        if (args[i]->type.rank != args[0]->type.rank) return NULL;
        for (uint32_t k = 0; k < args[0]->type.rank; k++)
            if (k + 1 != (uint32_t)along && args[i]->type.sizes[k] != args[0]->type.sizes[k]) return NULL;
        if (args[i]->type.base == BASE_REAL) element.base = BASE_REAL;
    }
    if (along == 1) {
        for (uint32_t i = 0; i < n; i++)
            for (int32_t k = 0; k < args[i]->type.sizes[0]; k++)
                vec_push(s->arena, &items, tx_element(s, args[i], k));
        return tx_array(s, items.at, items.n, &element, span);
    }
    TExpr **slices = NEW_ARRAY(s->arena, TExpr *, n);
    for (int32_t k = 0; k < args[0]->type.sizes[0]; k++) {
        for (uint32_t i = 0; i < n; i++) {
            if (args[i]->type.sizes[0] <= k) return NULL;
            slices[i] = tx_element(s, args[i], k);
        }
        TExpr *joined = expand_cat(s, along - 1, slices, n, span);
        if (!joined) return NULL;
        element = joined->type;
        vec_push(s->arena, &items, joined);
    }
    return tx_array(s, items.at, items.n, &element, span);
}

static TExpr *wrap(Sema *s, TExpr *e, uint32_t rank)
{
    while (e->type.rank < rank) e = tx_array(s, &e, 1, &e->type, e->span);
    return e;
}

/* promote(A, n): dimensions of size 1 added on the right. */
static TExpr *promote(Sema *s, TExpr *e, uint32_t rank)
{
    if (e->type.rank == 0) return wrap(s, e, rank);
    if (e->type.rank >= rank) return e;
    uint32_t n = (uint32_t)e->type.sizes[0];
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, n + 1);
    for (uint32_t i = 0; i < n; i++) items[i] = promote(s, tx_element(s, e, (int32_t)i), rank - 1);
    Type element = n ? items[0]->type : type_of_rank(s, type_scalar(e->type.base), rank - 1, NULL);
    return tx_array(s, items, n, &element, e->span);
}

/* transpose(A) of more than two dimensions: the first two are exchanged. */
static TExpr *transpose_slices(Sema *s, TExpr *e, Span span)
{
    uint32_t rows = (uint32_t)e->type.sizes[1], columns = (uint32_t)e->type.sizes[0];
    Type slice = type_element(&e->type, 2), row = type_array_of(s, &slice, (int32_t)columns);
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, rows + 1),
          **cells = NEW_ARRAY(s->arena, TExpr *, columns + 1);
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t k = 0; k < columns; k++) cells[k] = at2(s, e, (int32_t)k, (int32_t)i);
        items[i] = tx_array(s, cells, columns, &slice, span);
    }
    return tx_array(s, items, rows, &row, span);
}

/* matrix(A): dimensions beyond the second are of size 1, and fall away. */
static TExpr *expand_matrix(Sema *s, TExpr *e)
{
    if (e->type.rank <= 2) return promote(s, e, 2);
    for (uint32_t i = 2; i < e->type.rank; i++)
        if (e->type.sizes[i] != 1) return NULL;
    uint32_t rows = (uint32_t)e->type.sizes[0], columns = (uint32_t)e->type.sizes[1];
    Type scalar = type_element(&e->type, e->type.rank), row = type_array_of(s, &scalar, (int32_t)columns);
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, rows + 1),
          **cells = NEW_ARRAY(s->arena, TExpr *, columns + 1);
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t k = 0; k < columns; k++) {
            cells[k] = at2(s, e, (int32_t)i, (int32_t)k);
            while (cells[k]->type.rank) cells[k] = tx_element(s, cells[k], 0);
        }
        items[i] = tx_array(s, cells, columns, &scalar, e->span);
    }
    return tx_array(s, items, rows, &row, e->span);
}

static TExpr *expand_vector(Sema *s, TExpr *e, Span span)
{
    uint32_t long_ones = 0;
    for (uint32_t i = 0; i < e->type.rank; i++) long_ones += e->type.sizes[i] != 1;
    if (long_ones > 1) return NULL;
    Items items = { 0 };
    flatten_items(s, e, &items);
    Type element = type_scalar(e->type.base);
    element.def = e->type.def;
    return tx_array(s, items.at, items.n, &element, span);
}

static TExpr *expand_scalar(Sema *s, TExpr *e)
{
    if (type_count(&e->type) != 1) return NULL;
    while (e->type.rank) e = tx_element(s, e, 0);
    return e;
}

TExpr *tx_expand(Sema *s, Builtin b, TExpr **args, uint32_t n, Span span)
{
    int32_t size;
    if (n == 0) return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!type_is_known(&args[i]->type)) return NULL;
    const Type *t = &args[0]->type;
    switch (b) {
    case BUILTIN_TRANSPOSE:
        if (t->rank > 2) return transpose_slices(s, args[0], span);
        return t->rank == 2 ? make_matrix(s, rule_transpose, args, t->sizes[1], t->sizes[0], span) : NULL;
    case BUILTIN_IDENTITY:
        return integer_arg(args[0], &size) ? make_matrix(s, rule_identity, args, size, size, span) : NULL;
    case BUILTIN_DIAGONAL:
        return t->rank == 1 ? make_matrix(s, rule_diagonal, args, t->sizes[0], t->sizes[0], span) : NULL;
    case BUILTIN_OUTER_PRODUCT:
        return n == 2 && t->rank == 1 && args[1]->type.rank == 1
                   ? make_matrix(s, rule_outer, args, t->sizes[0], args[1]->type.sizes[0], span)
                   : NULL;
    case BUILTIN_SYMMETRIC:
        return t->rank == 2 && t->sizes[0] == t->sizes[1]
                   ? make_matrix(s, rule_symmetric, args, t->sizes[0], t->sizes[1], span)
                   : NULL;
    case BUILTIN_SKEW:
        return t->rank == 1 && t->sizes[0] == 3 ? make_matrix(s, rule_skew, args, 3, 3, span) : NULL;
    case BUILTIN_CROSS:
        return n == 2 && t->rank == 1 && t->sizes[0] == 3 && args[1]->type.rank == 1 &&
                       args[1]->type.sizes[0] == 3
                   ? expand_cross(s, args, span)
                   : NULL;
    case BUILTIN_FILL: return n > 1 ? fill(s, args[0], args + 1, n - 1, span) : NULL;
    case BUILTIN_ZEROS: return fill(s, tx_integer(s, 0, span), args, n, span);
    case BUILTIN_ONES: return fill(s, tx_integer(s, 1, span), args, n, span);
    case BUILTIN_LINSPACE: return n == 3 ? expand_linspace(s, args, span) : NULL;
    case BUILTIN_CAT:
        return n > 1 && integer_arg(args[0], &size) && size >= 1 && size <= args[1]->type.rank
                   ? expand_cat(s, size, args + 1, n - 1, span)
                   : NULL;
    case BUILTIN_VECTOR: return expand_vector(s, args[0], span);
    case BUILTIN_SCALAR: return expand_scalar(s, args[0]);
    case BUILTIN_MATRIX: return expand_matrix(s, args[0]);
    case BUILTIN_PROMOTE:
        return n == 2 && integer_arg(args[1], &size) ? promote(s, args[0], (uint32_t)size) : NULL;
    default: return NULL;
    }
}
