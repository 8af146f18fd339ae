/* eval.c: the values of typed expressions while the model is built.
 *
 * In: an expression, and the values of a function's variables where it stands in one. Out: a value,
 * or NULL after one report. Arrays are row by row in cells. Constants and parameters are taken by
 * their bindings (component.c); user functions go through run_function, the one seam to whatever
 * runs them. Tests: tests/modelica. */
#include "sema/inside.h"

#include <math.h>
#include <stdio.h>

typedef struct {
    Sema *s;
    Value *const *locals;
    const Scope *scope;
} Eval;

static Value *ev(const Eval *c, const TExpr *e);

/* ---- values ---------------------------------------------------------------------------------- */

Value *value_new(Sema *s, uint8_t base, uint32_t rank, const int32_t *sizes)
{
    Value *v = NEW(s->arena, Value);
    uint64_t n = 1;
    for (uint32_t i = 0; i < rank; i++)
        n = n * (uint64_t)(uint32_t)sizes[i] <= MOST_ELEMENTS ? n * (uint64_t)(uint32_t)sizes[i]
                                                              : MOST_ELEMENTS + 1;
    if (n > MOST_ELEMENTS) arena_alloc(s->arena, SIZE_MAX); /* counts as memory that is out */
    v->base = base;
    v->rank = (uint8_t)rank;
    v->n = (uint32_t)n;
    if (rank) v->sizes = memcpy(NEW_ARRAY(s->arena, int32_t, rank), sizes, rank * sizeof *sizes);
    v->at = NEW_ARRAY(s->arena, Cell, v->n + 1);
    return v;
}

Value *value_slice(Sema *s, const Value *v, int32_t at)
{
    Value *part = NEW(s->arena, Value);
    *part = *v;
    part->rank = (uint8_t)(v->rank - 1);
    part->sizes = v->sizes + 1;
    part->n = v->sizes[0] ? v->n / (uint32_t)v->sizes[0] : 0;
    part->at = v->at + (uint32_t)at * part->n;
    return part;
}

Value *value_convert(Sema *s, Value *v, const Type *to)
{
    if (v->base != BASE_INTEGER || to->base != BASE_REAL) return v;
    Value *real = value_new(s, BASE_REAL, v->rank, v->sizes);
    for (uint32_t i = 0; i < v->n; i++) real->at[i].real = (double)v->at[i].integer;
    return real;
}

static Value *value_scalar(Sema *s, uint8_t base) { return value_new(s, base, 0, NULL); }

static Value *value_real(Sema *s, double x)
{
    Value *v = value_scalar(s, BASE_REAL);
    v->at[0].real = x;
    return v;
}

static Value *value_integer(Sema *s, uint8_t base, int64_t x)
{
    Value *v = value_scalar(s, base);
    v->at[0].integer = x;
    return v;
}

static double cell_real(const Value *v, uint32_t i)
{
    return v->base == BASE_REAL ? v->at[i].real : (double)v->at[i].integer;
}

static Value *fail(const Eval *c, const TExpr *e, Code code, const char *why)
{
    sema_error(c->s, c->scope, code, e->span, "%s", why);
    return NULL;
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool real_op(const Eval *c, const TExpr *e, Oper op, double a, double b, double *x)
{
    switch (op) {
    case O_ADD: *x = a + b; return true;
    case O_SUBTRACT: *x = a - b; return true;
    case O_MULTIPLY: *x = a * b; return true;
    case O_DIVIDE:
        if (b == 0) return fail(c, e, E_EVALUATION, "a division by zero");
        *x = a / b;
        return true;
    default: *x = pow(a, b); return true;
    }
}

static int64_t integer_op(Oper op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    return (int64_t)(op == O_ADD ? x + y : op == O_SUBTRACT ? x - y : x * y);
}

static bool overflows(Oper op, int64_t a, int64_t b)
{
    int64_t x;
    return op == O_ADD        ? __builtin_add_overflow(a, b, &x)
           : op == O_SUBTRACT ? __builtin_sub_overflow(a, b, &x)
                              : __builtin_mul_overflow(a, b, &x);
}

static Value *join_texts(Sema *s, const Value *a, const Value *b)
{
    Text text = { .arena = s->arena };
    text_add(&text, a->at[0].text);
    text_add(&text, b->at[0].text);
    Value *v = value_scalar(s, BASE_STRING);
    v->at[0].text = (Str){ text.at, text.n };
    return v;
}

static Value *arithmetic(const Eval *c, const TExpr *e, const Value *a, const Value *b)
{
    if (a->base == BASE_STRING) return join_texts(c->s, a, b);
    bool real = e->op == O_DIVIDE || e->op == O_POWER || a->base == BASE_REAL || b->base == BASE_REAL;
    const Value *shape = a->rank ? a : b;
    if (a->rank && b->rank && a->n != b->n) return fail(c, e, E_EVALUATION, "the sizes of two arrays differ");
    Value *v = value_new(c->s, real ? BASE_REAL : BASE_INTEGER, shape->rank, shape->sizes);
    for (uint32_t i = 0; i < v->n; i++) {
        uint32_t ia = a->rank ? i : 0, ib = b->rank ? i : 0;
        if (!real && overflows((Oper)e->op, a->at[ia].integer, b->at[ib].integer))
            return fail(c, e, E_EVALUATION, "an Integer that is too large");
        if (!real)
            v->at[i].integer = integer_op((Oper)e->op, a->at[ia].integer, b->at[ib].integer);
        else if (!real_op(c, e, (Oper)e->op, cell_real(a, ia), cell_real(b, ib), &v->at[i].real))
            return NULL;
    }
    return v;
}

static Value *product(const Eval *c, const TExpr *e, const Value *a, const Value *b)
{
    int32_t rows = a->rank == 2 ? a->sizes[0] : 1, inner = a->sizes[a->rank - 1];
    int32_t columns = b->rank == 2 ? b->sizes[1] : 1, sizes[2];
    uint32_t rank = 0;
    if (b->sizes[0] != inner) return fail(c, e, E_EVALUATION, "the sizes of two factors do not fit");
    if (a->rank == 2) sizes[rank++] = rows;
    if (b->rank == 2) sizes[rank++] = columns;
    bool real = a->base == BASE_REAL || b->base == BASE_REAL;
    Value *v = value_new(c->s, real ? BASE_REAL : BASE_INTEGER, rank, sizes);
    for (int32_t i = 0; i < rows; i++)
        for (int32_t k = 0; k < columns; k++) {
            double sum = 0;
            int64_t whole = 0;
            for (int32_t l = 0; l < inner; l++) {
                uint32_t ia = (uint32_t)(i * inner + l), ib = (uint32_t)(l * columns + k);
                if (real)
                    sum += cell_real(a, ia) * cell_real(b, ib);
                else
                    whole = integer_op(O_ADD, whole,
                                       integer_op(O_MULTIPLY, a->at[ia].integer, b->at[ib].integer));
            }
            Cell *cell = &v->at[i * columns + k];
            if (real)
                cell->real = sum;
            else
                cell->integer = whole;
        }
    return v;
}

static int compare(const Value *a, const Value *b)
{
    if (a->base == BASE_STRING) {
        size_t n = size_min(a->at[0].text.n, b->at[0].text.n);
        int order = n ? memcmp(a->at[0].text.at, b->at[0].text.at, n) : 0;
        return order ? order : (a->at[0].text.n > b->at[0].text.n) - (a->at[0].text.n < b->at[0].text.n);
    }
    if (a->base == BASE_REAL || b->base == BASE_REAL) {
        double x = cell_real(a, 0), y = cell_real(b, 0);
        return (x > y) - (x < y);
    }
    return (a->at[0].integer > b->at[0].integer) - (a->at[0].integer < b->at[0].integer);
}

static Value *relation(Sema *s, Oper op, const Value *a, const Value *b)
{
    int order = compare(a, b);
    bool truth = op == O_LESS            ? order < 0
                 : op == O_LESS_EQUAL    ? order <= 0
                 : op == O_GREATER       ? order > 0
                 : op == O_GREATER_EQUAL ? order >= 0
                 : op == O_EQUAL         ? order == 0
                                         : order != 0;
    return value_integer(s, BASE_BOOLEAN, truth);
}

/* Long sums lean to the left: they are walked in a loop, not by recursion. */
static Value *ev_arithmetic(const Eval *c, const TExpr *e)
{
    VEC(const TExpr *) spine = { 0 };
    do {
        vec_push(c->s->arena, &spine, e);
        e = e->args[0];
    } while (e->kind == X_BINARY && e->op <= O_PRODUCT);
    Value *a = ev(c, e);
    while (a && spine.n) {
        e = spine.at[--spine.n];
        Value *b = ev(c, e->args[1]);
        a = !b ? NULL : e->op == O_PRODUCT ? product(c, e, a, b) : arithmetic(c, e, a, b);
    }
    return a;
}

static Value *ev_binary(const Eval *c, const TExpr *e)
{
    if (e->op <= O_PRODUCT) return ev_arithmetic(c, e);
    Value *a = ev(c, e->args[0]);
    if (!a) return NULL;
    if (e->op == O_AND && !a->rank && !a->at[0].integer) return a;
    if (e->op == O_OR && !a->rank && a->at[0].integer) return a;
    Value *b = ev(c, e->args[1]);
    if (!b) return NULL;
    if (e->op != O_AND && e->op != O_OR) return relation(c->s, (Oper)e->op, a, b);
    if (!a->rank) return b;
    if (a->n != b->n) return fail(c, e, E_EVALUATION, "the sizes of two arrays differ");
    Value *v = value_new(c->s, BASE_BOOLEAN, a->rank, a->sizes);
    for (uint32_t i = 0; i < a->n; i++)
        v->at[i].integer =
            e->op == O_AND ? a->at[i].integer && b->at[i].integer : a->at[i].integer || b->at[i].integer;
    return v;
}

static Value *ev_unary(const Eval *c, const TExpr *e)
{
    Value *a = ev(c, e->args[0]);
    if (!a) return NULL;
    Value *v = value_new(c->s, a->base, a->rank, a->sizes);
    for (uint32_t i = 0; i < a->n; i++)
        if (e->op == O_NOT)
            v->at[i].integer = !a->at[i].integer;
        else if (a->base == BASE_REAL)
            v->at[i].real = -a->at[i].real;
        else
            v->at[i].integer = integer_op(O_SUBTRACT, 0, a->at[i].integer);
    return v;
}

static Value *ev_if(const Eval *c, const TExpr *e)
{
    for (uint32_t i = 0; i + 1 < e->n; i += 2) {
        Value *condition = ev(c, e->args[i]);
        if (!condition) return NULL;
        if (condition->at[0].integer) return ev(c, e->args[i + 1]);
    }
    return ev(c, e->args[e->n - 1]);
}

/* ---- arrays and records ---------------------------------------------------------------------- */

static Value *ev_array(const Eval *c, const TExpr *e)
{
    int32_t sizes[16] = { (int32_t)e->n };
    uint32_t rank = e->type.rank;
    uint8_t base = e->type.base;
    if (type_is_huge(&e->type) || rank > 16) return fail(c, e, E_TOO_LARGE, "an array that is far too large");
    Value **items = NEW_ARRAY(c->s->arena, Value *, e->n + 1);
    for (uint32_t i = 0; i < e->n; i++) {
        if (!(items[i] = ev(c, e->args[i]))) return NULL;
        if (items[i]->base == BASE_REAL && base == BASE_INTEGER) base = BASE_REAL;
    }
    for (uint32_t i = 1; i < rank && i < 16; i++) sizes[i] = e->n ? items[0]->sizes[i - 1] : e->type.sizes[i];
    for (uint32_t i = 1; i < rank; i++)
        if (sizes[i] < 0) sizes[i] = 0;
    Value *v = value_new(c->s, base, rank, sizes);
    v->def = e->type.def;
    uint32_t at = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        Value *item = value_convert(c->s, items[i], &(Type){ .base = base });
        if (at + item->n > v->n)
            return fail(c, e, E_EVALUATION, "the parts of an array have different sizes");
        memcpy(v->at + at, item->at, item->n * sizeof(Cell));
        at += item->n;
    }
    return v;
}

static Value *ev_range(const Eval *c, const TExpr *e)
{
    Value *start = ev(c, e->args[0]), *step = start ? ev(c, e->args[1]) : NULL,
          *stop = step ? ev(c, e->args[2]) : NULL;
    if (!stop) return NULL;
    bool real = start->base == BASE_REAL || step->base == BASE_REAL || stop->base == BASE_REAL;
    double from = cell_real(start, 0), by = cell_real(step, 0), to = cell_real(stop, 0);
    if (by == 0) return fail(c, e, E_EVALUATION, "a range with step zero");
    double count = floor((to - from) / by * (1 + 1e-15) + (real ? 1e-10 : 0)) + 1;
    if (!(count < MOST_ELEMENTS)) return fail(c, e, E_TOO_LARGE, "a range with too many elements");
    int32_t n = count > 0 ? (int32_t)count : 0;
    Value *v = value_new(c->s, real ? BASE_REAL : start->base, 1, &n);
    v->def = e->type.def;
    for (int32_t i = 0; i < n; i++)
        if (real)
            v->at[i].real = from + i * by;
        else
            v->at[i].integer = start->at[0].integer + i * step->at[0].integer;
    return v;
}

/* Copies the cells that the subscripts choose. */
static bool copy_chosen(const Eval *c, const TExpr *e, const Value *of, Value *const *subs, uint32_t dim,
                        uint32_t offset, Value *out, uint32_t *to)
{
    if (dim == of->rank) {
        out->at[(*to)++] = of->at[offset];
        return true;
    }
    const Value *sub = dim + 1 < e->n ? subs[dim] : NULL;
    uint32_t size = (uint32_t)of->sizes[dim], n = sub ? sub->n : size;
    for (uint32_t i = 0; i < n; i++) {
        int64_t at = sub ? sub->at[i].integer - (sub->base == BASE_BOOLEAN ? 0 : 1) : (int64_t)i;
        if (at < 0 || at >= (int64_t)size) {
            sema_error(c->s, c->scope, E_EVALUATION, e->span, "the subscript %lld is not in 1 to %u",
                       (long long)at + 1, size);
            return false;
        }
        if (!copy_chosen(c, e, of, subs, dim + 1, offset * size + (uint32_t)at, out, to)) return false;
    }
    return true;
}

static Value *ev_subscript(const Eval *c, const TExpr *e)
{
    Value *of = ev(c, e->args[0]), *subs[16] = { 0 };
    int32_t sizes[16];
    uint32_t rank = 0, to = 0;
    if (!of) return NULL;
    if (e->n - 1 > of->rank || of->rank > 16) return fail(c, e, E_EVALUATION, "too many subscripts");
    for (uint32_t i = 0; i < of->rank; i++) {
        bool given = i + 1 < e->n && e->args[i + 1]->kind != X_COLON;
        if (given && !(subs[i] = ev(c, e->args[i + 1]))) return NULL;
        if (!given || subs[i]->rank) sizes[rank++] = given ? subs[i]->sizes[0] : of->sizes[i];
    }
    Value *v = value_new(c->s, of->base, rank, sizes);
    v->def = of->def;
    return copy_chosen(c, e, of, subs, 0, 0, v, &to) ? v : NULL;
}

static Value *ev_field(const Eval *c, const TExpr *e)
{
    Value *of = ev(c, e->args[0]);
    if (!of) return NULL;
    if (!of->rank) return &of->at[0].record[e->index];
    int32_t sizes[16];
    const Value *first = of->n ? &of->at[0].record[e->index] : NULL;
    uint32_t rank = 0, inner = first ? first->rank : 0;
    for (uint32_t i = 0; i < of->rank; i++) sizes[rank++] = of->sizes[i];
    for (uint32_t i = 0; i < inner; i++) sizes[rank++] = first->sizes[i];
    Value *v = value_new(c->s, first ? first->base : e->type.base, rank, sizes);
    v->def = first ? first->def : e->type.def;
    for (uint32_t i = 0; i < of->n; i++)
        memcpy(v->at + i * first->n, of->at[i].record[e->index].at, first->n * sizeof(Cell));
    return v;
}

static Value *ev_record(const Eval *c, const TExpr *e)
{
    Value *v = value_scalar(c->s, BASE_RECORD);
    v->def = e->type.def;
    v->at[0].record = NEW_ARRAY(c->s->arena, Value, e->n + 1);
    for (uint32_t i = 0; i < e->n; i++) {
        Value *field = ev(c, e->args[i]);
        if (!field) return NULL;
        v->at[0].record[i] = *field;
    }
    return v;
}

/* ---- built-in functions ---------------------------------------------------------------------- */

static double math1(Builtin b, double x)
{
    switch (b) {
    case BUILTIN_SQRT: return sqrt(x);
    case BUILTIN_SIN: return sin(x);
    case BUILTIN_COS: return cos(x);
    case BUILTIN_TAN: return tan(x);
    case BUILTIN_ASIN: return asin(x);
    case BUILTIN_ACOS: return acos(x);
    case BUILTIN_ATAN: return atan(x);
    case BUILTIN_SINH: return sinh(x);
    case BUILTIN_COSH: return cosh(x);
    case BUILTIN_TANH: return tanh(x);
    case BUILTIN_EXP: return exp(x);
    case BUILTIN_LOG: return log(x);
    case BUILTIN_LOG10: return log10(x);
    case BUILTIN_CEIL: return ceil(x);
    case BUILTIN_FLOOR: return floor(x);
    default: return x;
    }
}

/* Whether a number is far from what an Integer can hold; products of such numbers are, too. */
static bool is_beyond_integers(double x) { return !(fabs(x) < 9e18); }

static Value *ev_math1(const Eval *c, const TExpr *e, const Value *a)
{
    bool to_integer = e->op == BUILTIN_INTEGER || e->op == BUILTIN_SIGN || e->op == BUILTIN_TO_INTEGER;
    bool integer_abs = e->op == BUILTIN_ABS && a->base == BASE_INTEGER;
    Value *v = value_new(c->s, to_integer || integer_abs ? BASE_INTEGER : BASE_REAL, a->rank, a->sizes);
    for (uint32_t i = 0; i < a->n; i++) {
        double x = cell_real(a, i);
        if ((to_integer || integer_abs) && e->op != BUILTIN_SIGN && is_beyond_integers(x))
            return fail(c, e, E_EVALUATION, "a number is too large for an Integer");
        if (e->op == BUILTIN_SIGN)
            v->at[i].integer = (x > 0) - (x < 0);
        else if (to_integer)
            v->at[i].integer = a->base == BASE_REAL ? (int64_t)floor(x) : a->at[i].integer;
        else if (integer_abs)
            v->at[i].integer = a->at[i].integer < 0 ? -a->at[i].integer : a->at[i].integer;
        else if (e->op == BUILTIN_ABS)
            v->at[i].real = fabs(x);
        else
            v->at[i].real = math1((Builtin)e->op, x);
        if (v->base == BASE_REAL && !isfinite(v->at[i].real))
            return fail(c, e, E_EVALUATION, "a function is called outside of its domain");
    }
    return v;
}

static Value *ev_math2(const Eval *c, const TExpr *e, const Value *a, const Value *b)
{
    double x = cell_real(a, 0), y = cell_real(b, 0);
    if (e->op == BUILTIN_ATAN2) return value_real(c->s, atan2(x, y));
    if (y == 0) return fail(c, e, E_EVALUATION, "a division by zero");
    double q = trunc(x / y), f = floor(x / y);
    double result = e->op == BUILTIN_DIV ? q : e->op == BUILTIN_MOD ? x - f * y : x - q * y;
    if (a->base == BASE_REAL || b->base == BASE_REAL) return value_real(c->s, result);
    int64_t m = a->at[0].integer, n = b->at[0].integer, r = n == -1 ? 0 : m % n;
    if (e->op == BUILTIN_MOD && r != 0 && (r < 0) != (n < 0)) r += n;
    return value_integer(c->s, BASE_INTEGER,
                         e->op == BUILTIN_DIV ? (n == -1 ? (int64_t)(0 - (uint64_t)m) : m / n) : r);
}

static Value *ev_reduce(const Eval *c, const TExpr *e, Value *const *args)
{
    bool real = false, arithmetic_op = e->op == BUILTIN_SUM || e->op == BUILTIN_PRODUCT;
    uint32_t total = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        real |= args[i]->base == BASE_REAL;
        total += args[i]->n;
    }
    if (total == 0 && !arithmetic_op) return value_real(c->s, e->op == BUILTIN_MIN ? 1e60 : -1e60);
    double best = e->op == BUILTIN_PRODUCT;
    bool first = true;
    for (uint32_t i = 0; i < e->n; i++)
        for (uint32_t k = 0; k < args[i]->n; k++) {
            double x = cell_real(args[i], k);
            if (arithmetic_op)
                best = e->op == BUILTIN_SUM ? best + x : best * x;
            else if (first || (e->op == BUILTIN_MIN ? x < best : x > best))
                best = x;
            first = false;
        }
    if (real) return value_real(c->s, best);
    if (is_beyond_integers(best)) return fail(c, e, E_EVALUATION, "a number is too large for an Integer");
    Value *v = value_integer(c->s, args[0]->base, (int64_t)best);
    v->def = args[0]->def;
    return v;
}

static Value *ev_string(const Eval *c, const TExpr *e, Value *const *args)
{
    Value *v = value_scalar(c->s, BASE_STRING);
    if (string_of_value(c->s, args, e->n, &v->at[0].text)) return v;
    return fail(c, e, E_EVALUATION, "the format is not one of C for this type");
}

static Value *ev_size(const Eval *c, const TExpr *e)
{
    const Type *t = &e->args[0]->type;
    Value *dim = ev(c, e->args[1]), *of = NULL;
    if (!dim) return NULL;
    int64_t at = dim->at[0].integer;
    if (at < 1 || at > t->rank) return fail(c, e, E_EVALUATION, "there is no such dimension");
    if (t->sizes[at - 1] != SIZE_UNKNOWN) return value_integer(c->s, BASE_INTEGER, t->sizes[at - 1]);
    if (!(of = ev(c, e->args[0]))) return NULL;
    return value_integer(c->s, BASE_INTEGER, of->sizes[at - 1]);
}

/* Built-ins on arrays are written out with the values as literals. */
static Value *ev_array_builtin(const Eval *c, const TExpr *e, Value *const *args)
{
    TExpr **literals = NEW_ARRAY(c->s->arena, TExpr *, e->n + 1);
    for (uint32_t i = 0; i < e->n; i++) literals[i] = tx_value(c->s, args[i], e->span);
    TExpr *x = tx_expand(c->s, (Builtin)e->op, literals, e->n, e->span);
    if (!x) return fail(c, e, E_EVALUATION, "a built-in function cannot be applied to these arguments");
    return ev(c, x);
}

static Value *ev_builtin(const Eval *c, const TExpr *e)
{
    Value *args[64];
    if (e->op == BUILTIN_SIZE) return ev_size(c, e);
    if (e->n > 64) return fail(c, e, E_EVALUATION, "too many arguments");
    for (uint32_t i = 0; i < e->n; i++)
        if (!(args[i] = ev(c, e->args[i]))) return NULL;
    switch ((Builtin)e->op) {
    case BUILTIN_ATAN2:
    case BUILTIN_DIV:
    case BUILTIN_MOD:
    case BUILTIN_REM: return ev_math2(c, e, args[0], args[1]);
    case BUILTIN_MIN:
    case BUILTIN_MAX:
    case BUILTIN_SUM:
    case BUILTIN_PRODUCT: return ev_reduce(c, e, args);
    case BUILTIN_STRING: return ev_string(c, e, args);
    case BUILTIN_NO_EVENT:
    case BUILTIN_PRE:
    case BUILTIN_HOMOTOPY: return args[0];
    case BUILTIN_SMOOTH: return args[1];
    case BUILTIN_NDIMS: return value_integer(c->s, BASE_INTEGER, args[0]->rank);
    case BUILTIN_DER:
    case BUILTIN_EDGE:
    case BUILTIN_CHANGE:
    case BUILTIN_INITIAL:
    case BUILTIN_TERMINAL:
    case BUILTIN_SAMPLE:
    case BUILTIN_DELAY:
    case BUILTIN_SPATIAL:
    case BUILTIN_IN_STREAM:
    case BUILTIN_SEMI_LINEAR: return fail(c, e, E_NOT_EVALUABLE, "this is known only while the model runs");
    default: break;
    }
    if (e->op >= BUILTIN_ACTIVE_STATE)
        return fail(c, e, E_NOT_EVALUABLE, "this is known only while the model runs");
    if (e->op >= BUILTIN_TRANSPOSE && e->op <= BUILTIN_PROMOTE) return ev_array_builtin(c, e, args);
    return ev_math1(c, e, args[0]);
}

/* ---- calls and comprehensions ---------------------------------------------------------------- */

static Value *ev_call(const Eval *c, const TExpr *e, uint32_t result)
{
    Value **args = NEW_ARRAY(c->s->arena, Value *, e->n + 1);
    for (uint32_t i = 0; i < e->n; i++)
        if (!(args[i] = ev(c, e->args[i]))) return NULL;
    return run_function(c->s, e->function, args, result, e->span, c->scope);
}

/* More arguments of a value that is a function: the open ones, in order. */
static Value *ev_partial_of(const Eval *c, const TExpr *e)
{
    const Value *of = ev(c, e->args[e->n - 1]);
    if (!of) return NULL;
    Value *v = NEW(c->s->arena, Value);
    *v = *of;
    v->at = NEW_ARRAY(c->s->arena, Cell, v->n + 1);
    memcpy(v->at, of->at, v->n * sizeof *v->at);
    for (uint32_t i = 0, k = 0; i < v->n; i++) {
        if (of->at[i].record) continue;
        const TExpr *arg = k + 1 < e->n ? e->args[k++] : NULL;
        if (arg && arg->kind != X_OMITTED && !(v->at[i].record = ev(c, arg))) return NULL;
    }
    return v;
}

static Value *ev_partial(const Eval *c, const TExpr *e)
{
    Value *v = NEW(c->s->arena, Value);
    if (e->op) return ev_partial_of(c, e);
    *v = (Value){
        .base = BASE_FUNCTION, .n = e->n, .def = e->type.def, .at = NEW_ARRAY(c->s->arena, Cell, e->n + 1)
    };
    for (uint32_t i = 0; i < e->n; i++)
        if (e->args[i]->kind != X_OMITTED && !(v->at[i].record = ev(c, e->args[i]))) return NULL;
    return v;
}

/* Calls a function that is a value: the arguments go to its open inputs, in order. */
static Value *ev_apply(const Eval *c, const TExpr *e)
{
    Value *f = ev(c, e->args[0]);
    if (!f) return NULL;
    Value **args = NEW_ARRAY(c->s->arena, Value *, f->n + 1);
    uint32_t next = 1;
    for (uint32_t i = 0; i < f->n; i++) {
        if (f->at[i].record)
            args[i] = f->at[i].record;
        else if (next >= e->n)
            return fail(c, e, E_EVALUATION, "a function that is passed as an argument takes more arguments");
        else if (!(args[i] = ev(c, e->args[next++])))
            return NULL;
    }
    return run_function(c->s, function_of(c->s, f->def), args, 0, e->span, c->scope);
}

typedef struct {
    VEC(Value *) items;
    int32_t sizes[8];
} Gathered;

static bool gather(const Eval *c, const TExpr *e, uint32_t at, Gathered *out)
{
    if (at == e->n) {
        Value *v = ev(c, e->args[0]);
        if (v) vec_push(c->s->arena, &out->items, v);
        return v;
    }
    Value *range = ev(c, e->args[at]);
    if (!range) return false;
    out->sizes[at - 1] = range->sizes[0];
    Value **locals = (Value **)(uintptr_t)c->locals;
    for (int32_t i = 0; i < range->sizes[0]; i++) {
        locals[e->index + at - 1] = value_slice(c->s, range, i);
        if (!gather(c, e, at + 1, out)) return false;
    }
    return true;
}

static Value *ev_comprehension(const Eval *c, const TExpr *e)
{
    Gathered g = { 0 };
    int32_t sizes[16];
    if (!c->locals || !gather(c, e, 1, &g)) return NULL;
    if (e->op != BUILTIN_ARRAY_OF) {
        TExpr reduce = { .op = e->op, .n = g.items.n, .span = e->span };
        if (!g.items.n) return value_integer(c->s, BASE_INTEGER, e->op == BUILTIN_PRODUCT);
        return ev_reduce(c, &reduce, g.items.at);
    }
    uint32_t rank = e->n - 1, inner = g.items.n ? g.items.at[0]->rank : 0, to = 0;
    for (uint32_t i = 0; i < rank; i++) sizes[i] = g.sizes[i];
    for (uint32_t i = 0; i < inner; i++) sizes[rank + i] = g.items.at[0]->sizes[i];
    Value *v = value_new(c->s, g.items.n ? g.items.at[0]->base : e->type.base, rank + inner, sizes);
    v->def = g.items.n ? g.items.at[0]->def : e->type.def;
    for (uint32_t i = 0; i < g.items.n; i++) {
        memcpy(v->at + to, g.items.at[i]->at, g.items.at[i]->n * sizeof(Cell));
        to += g.items.at[i]->n;
    }
    return v;
}

static Value *ev_literal(const Eval *c, const TExpr *e)
{
    if (e->kind == X_REAL) return value_real(c->s, e->real);
    Value *v = value_integer(c->s, e->type.base, e->integer);
    v->def = e->type.def;
    if (e->kind == X_STRING) v->at[0].text = e->text;
    return v;
}

static Value *ev_var(const Eval *c, const TExpr *e)
{
    if (e->leaf->varies > VARIES_PARAMETER) {
        Note *note = sema_error(c->s, c->scope, E_NOT_EVALUABLE, e->span,
                                "'%s' changes with time, but its value is needed while the model is built",
                                entry_path(c->s, e->leaf));
        diag_label(c->s->diag, note, e->leaf->decl->declaration->span, "declared here");
        return NULL;
    }
    return comp_value(c->s, e->leaf, e->span);
}

static Value *ev(const Eval *c, const TExpr *e)
{
    switch ((ExprKindFlat)e->kind) {
    case X_REAL:
    case X_INTEGER:
    case X_BOOLEAN:
    case X_ENUM:
    case X_STRING: return ev_literal(c, e);
    case X_VAR: return ev_var(c, e);
    case X_LOCAL:
        if (c->locals && c->locals[e->index]) return c->locals[e->index];
        return fail(c, e, E_EVALUATION, "a variable is used before it has a value");
    case X_UNARY: return ev_unary(c, e);
    case X_BINARY: return ev_binary(c, e);
    case X_IF: return ev_if(c, e);
    case X_CALL: return ev_call(c, e, 0);
    case X_RESULT: return ev_call(c, e->args[0], e->index);
    case X_BUILTIN: return ev_builtin(c, e);
    case X_ARRAY: return ev_array(c, e);
    case X_RANGE: return ev_range(c, e);
    case X_SUBSCRIPT: return ev_subscript(c, e);
    case X_FIELD: return ev_field(c, e);
    case X_RECORD: return ev_record(c, e);
    case X_COMPREHENSION: return ev_comprehension(c, e);
    case X_PARTIAL: return ev_partial(c, e);
    case X_APPLY: return ev_apply(c, e);
    default: break;
    }
    return tx_is_poison(e) ? NULL : fail(c, e, E_NOT_EVALUABLE, "this is known only while the model runs");
}

Value *eval(Sema *s, const TExpr *e, Value *const *locals, const Scope *scope)
{
    return ev(&(Eval){ s, locals, scope }, e);
}

Value *try_eval(Sema *s, const TExpr *e, const Scope *scope)
{
    DiagMark mark = sema_mark(s);
    s->trying++;
    Value *v = eval(s, e, NULL, scope);
    s->trying--;
    uint32_t poisons = s->poisons;
    if (!v) sema_rewind(s, &mark);
    s->poisons = poisons; /* what was poisoned stays so */
    return v;
}

bool eval_integer(Sema *s, const TExpr *e, const Scope *scope, int64_t *value)
{
    Value *v = tx_is_poison(e) ? NULL : eval(s, e, NULL, scope);
    if (!v) return false;
    if (v->rank || (v->base != BASE_INTEGER && v->base != BASE_ENUM)) {
        sema_error(s, scope, E_TYPE_MISMATCH, e->span, "an Integer is needed here, not %s",
                   type_text(s, &e->type));
        return false;
    }
    *value = v->at[0].integer;
    return true;
}

bool eval_boolean(Sema *s, const TExpr *e, const Scope *scope, bool *value)
{
    Value *v = tx_is_poison(e) ? NULL : eval(s, e, NULL, scope);
    if (!v) return false;
    if (v->rank || v->base != BASE_BOOLEAN) {
        sema_error(s, scope, E_TYPE_MISMATCH, e->span, "a Boolean is needed here, not %s",
                   type_text(s, &e->type));
        return false;
    }
    *value = v->at[0].integer;
    return true;
}
