/* call.c: calls: built-in functions and operators by a table, user functions by function.c. Tests:
 * tests/modelica. */
#include "sema/inside.h"

typedef enum {
    CALL_SAME,
    CALL_REAL,
    CALL_REAL2,
    CALL_NUMBER2,
    CALL_TO_INTEGER,
    CALL_TO_BOOLEAN,
    CALL_REDUCE,
    CALL_ARRAY,
    CALL_SIZE,
    CALL_STRING,
    CALL_CONVERT,
    CALL_NO_ARGUMENTS,
    CALL_SAMPLE,
    CALL_SECOND,
    CALL_DELAY,
    CALL_HOMOTOPY,
    CALL_SEMI_LINEAR,
    CALL_STATEMENT,
    CALL_CARDINALITY,
    CALL_STREAM,
    CALL_CLOCK,
    CALL_CLOCKED,
    CALL_TICK,
    CALL_RESAMPLE,
    CALL_STATE,
    CALL_SPATIAL,
    CALL_OTHER
} CallKind;

static const struct {
    uint8_t kind;
} rules[] = {
#define X(id, text, kind) { CALL_##kind },
    BUILTINS(X)
#undef X
};

/* How many arguments each kind takes. */
static const struct {
    uint8_t least, most;
} arities[] = {
    [CALL_SAME] = { 1, 1 },        [CALL_REAL] = { 1, 1 },        [CALL_REAL2] = { 2, 2 },
    [CALL_NUMBER2] = { 2, 2 },     [CALL_TO_INTEGER] = { 1, 1 },  [CALL_TO_BOOLEAN] = { 1, 1 },
    [CALL_REDUCE] = { 1, 2 },      [CALL_ARRAY] = { 1, 255 },     [CALL_SIZE] = { 1, 2 },
    [CALL_STRING] = { 1, 5 },      [CALL_CONVERT] = { 1, 1 },     [CALL_NO_ARGUMENTS] = { 0, 0 },
    [CALL_SAMPLE] = { 1, 2 },      [CALL_SECOND] = { 2, 2 },      [CALL_DELAY] = { 2, 3 },
    [CALL_HOMOTOPY] = { 2, 2 },    [CALL_SEMI_LINEAR] = { 3, 3 }, [CALL_STATEMENT] = { 1, 3 },
    [CALL_CARDINALITY] = { 1, 1 }, [CALL_STREAM] = { 1, 1 },      [CALL_OTHER] = { 0, 255 },
    [CALL_CLOCK] = { 0, 2 },       [CALL_CLOCKED] = { 1, 1 },     [CALL_TICK] = { 0, 1 },
    [CALL_RESAMPLE] = { 1, 3 },    [CALL_STATE] = { 0, 1 },       [CALL_SPATIAL] = { 4, 6 },
};

typedef struct {
    const Env *env;
    Builtin builtin;
    TExpr **args;
    uint32_t n;
    Span span;
    uint8_t varies; /* the largest of the arguments */
} BuiltinCall;

static TExpr *wrong_type(const BuiltinCall *c, uint32_t at, const char *want)
{
    sema_error(c->env->s, c->env->scope, E_TYPE_MISMATCH, c->args[at]->span, "'%s' takes %s here, not %s",
               builtin_text(c->builtin), want, type_text(c->env->s, &c->args[at]->type));
    return tx_poison(c->env->s, c->span);
}

static TExpr *finish(const BuiltinCall *c, Type type, uint8_t varies)
{
    return tx_builtin(c->env->s, c->builtin, type, varies, c->span, c->args, c->n);
}

static bool is_number(const TExpr *e) { return e->type.base == BASE_REAL || e->type.base == BASE_INTEGER; }

static bool are_numbers(const BuiltinCall *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (!is_number(c->args[i])) return !tx_is_poison(wrong_type(c, i, "a number"));
    return true;
}

/* What pre, edge and change are about: a variable, not what is calculated from some. */
static bool is_variable(const TExpr *e)
{
    if (e->kind == X_SUBSCRIPT || e->kind == X_FIELD) return is_variable(e->args[0]);
    for (uint32_t i = 0; (e->kind == X_ARRAY || e->kind == X_RECORD) && i < e->n; i++)
        if (!is_variable(e->args[i])) return false;
    return e->kind == X_VAR || e->kind == X_ARRAY || e->kind == X_RECORD || e->varies == VARIES_CONSTANT;
}

static bool is_memory(const BuiltinCall *c)
{
    if (is_variable(c->args[0])) return true;
    sema_error(c->env->s, c->env->scope, E_OPERATOR_PLACE, c->span,
               "'%s' is for a variable, not for an expression", builtin_text(c->builtin));
    return false;
}

/* Whether an expression changes between events, if its relations make none. */
static bool changes(const TExpr *e)
{
    if (e->kind == X_TIME || (e->kind == X_VAR && e->leaf->varies == VARIES_CONTINUOUS)) return true;
    for (uint32_t i = 0; i < e->n; i++)
        if (changes(e->args[i])) return true;
    return false;
}

static TExpr *call_same(const BuiltinCall *c)
{
    TExpr *a = c->args[0];
    if (c->builtin == BUILTIN_ABS && !is_number(a)) return wrong_type(c, 0, "a number");
    if (c->builtin == BUILTIN_EDGE && a->type.base != BASE_BOOLEAN) return wrong_type(c, 0, "a Boolean");
    bool discrete = c->builtin == BUILTIN_PRE || c->builtin == BUILTIN_EDGE;
    if (c->builtin == BUILTIN_NO_EVENT && changes(a)) return finish(c, a->type, VARIES_CONTINUOUS);
    if (discrete && !is_memory(c)) return tx_poison(c->env->s, c->span);
    return finish(c, a->type, discrete && c->varies > VARIES_DISCRETE ? VARIES_DISCRETE : c->varies);
}

static Type type_with_base(const TExpr *e, uint8_t base)
{
    Type t = e->type;
    t.base = base;
    t.def = NULL;
    return t;
}

static TExpr *call_real(const BuiltinCall *c)
{
    TExpr *a = c->args[0];
    if (!is_number(a)) return wrong_type(c, 0, "a Real");
    if (c->builtin == BUILTIN_DER && a->varies <= VARIES_PARAMETER && !a->type.rank)
        return tx_real(c->env->s, 0, c->span);
    TExpr *e = finish(c, type_with_base(a, BASE_REAL), c->varies);
    e->args[0] = coerce(c->env->s, a, &e->type);
    if ((c->builtin == BUILTIN_CEIL || c->builtin == BUILTIN_FLOOR) && e->varies > VARIES_DISCRETE)
        e->varies = VARIES_DISCRETE;
    return e;
}

/* The argument with most dimensions: the call is made for each of its elements. */
static const TExpr *largest(const BuiltinCall *c)
{
    const TExpr *most = c->args[0];
    for (uint32_t i = 1; i < c->n; i++)
        if (c->args[i]->type.rank > most->type.rank) most = c->args[i];
    return most;
}

/* A call for each element needs as many elements in each argument that is an array. */
static bool sizes_agree(const BuiltinCall *c, const TExpr *shape)
{
    const Type *x = &shape->type;
    for (uint32_t k = 0; k < c->n; k++) {
        const Type *y = &c->args[k]->type;
        bool fits = y->rank == 0 || y->rank == x->rank;
        for (uint32_t i = 0; fits && i < y->rank; i++)
            fits = x->sizes[i] == y->sizes[i] || x->sizes[i] == SIZE_UNKNOWN || y->sizes[i] == SIZE_UNKNOWN;
        if (fits) continue;
        sema_error(c->env->s, c->env->scope, E_SIZE_MISMATCH, c->span,
                   "'%s' is called for each element of %s and of %s, whose sizes differ",
                   builtin_text(c->builtin), type_text(c->env->s, x), type_text(c->env->s, y));
        return false;
    }
    return true;
}

static TExpr *call_two(const BuiltinCall *c)
{
    for (uint32_t i = 0; i < 2; i++)
        if (!is_number(c->args[i])) return wrong_type(c, i, "a number");
    bool real = rules[c->builtin].kind == CALL_REAL2 || c->args[0]->type.base == BASE_REAL ||
                c->args[1]->type.base == BASE_REAL;
    const TExpr *shape = largest(c);
    if (!sizes_agree(c, shape)) return tx_poison(c->env->s, c->span);
    return finish(c, type_with_base(shape, real ? BASE_REAL : BASE_INTEGER), c->varies);
}

static TExpr *call_to_integer(const BuiltinCall *c)
{
    bool is_enum = c->args[0]->type.base == BASE_ENUM;
    if (c->builtin == BUILTIN_TO_INTEGER && !is_enum && c->args[0]->type.base != BASE_INTEGER)
        return wrong_type(c, 0, "an enumeration");
    if (!is_number(c->args[0]) && !is_enum) return wrong_type(c, 0, "a number");
    return finish(c, type_with_base(c->args[0], BASE_INTEGER),
                  c->varies > VARIES_DISCRETE ? VARIES_DISCRETE : c->varies);
}

static TExpr *call_reduce(const BuiltinCall *c)
{
    const TExpr *a = c->args[0];
    bool two = c->n == 2;
    if (two && (c->builtin == BUILTIN_SUM || c->builtin == BUILTIN_PRODUCT)) {
        sema_error(c->env->s, c->env->scope, E_ARGUMENTS, c->span, "'%s' takes one array",
                   builtin_text(c->builtin));
        return tx_poison(c->env->s, c->span);
    }
    if (!two && !a->type.rank) return wrong_type(c, 0, "an array");
    bool arithmetic = c->builtin == BUILTIN_SUM || c->builtin == BUILTIN_PRODUCT;
    for (uint32_t i = 0; i < c->n; i++) {
        bool ordered = c->args[i]->type.base == BASE_ENUM || c->args[i]->type.base == BASE_BOOLEAN;
        if (!is_number(c->args[i]) && (arithmetic || !ordered) && a->type.base != BASE_RECORD)
            return wrong_type(c, i, arithmetic ? "numbers" : "numbers or enumerations");
    }
    Type type = { .base = a->type.base, .def = a->type.def };
    if (c->builtin == BUILTIN_SUM && operator_record(c->env->s, &type) && type_is_known(&a->type))
        return operator_sum(c->env, c->args[0], c->span);
    if (two && c->args[1]->type.base == BASE_REAL) type = type_scalar(BASE_REAL);
    if (two && (a->type.rank || c->args[1]->type.rank))
        return wrong_type(c, a->type.rank ? 0 : 1, "a scalar");
    return finish(c, type, c->varies);
}

/* Sizes given as arguments are known in models. */
static bool evaluate_sizes(const BuiltinCall *c)
{
    uint32_t from = c->builtin == BUILTIN_FILL ? 1 : c->builtin == BUILTIN_LINSPACE ? 2 : 0;
    bool all = c->builtin == BUILTIN_FILL || c->builtin == BUILTIN_ZEROS || c->builtin == BUILTIN_ONES;
    bool some =
        all || c->builtin == BUILTIN_LINSPACE || c->builtin == BUILTIN_IDENTITY || c->builtin == BUILTIN_CAT;
    for (uint32_t i = from; some && i < (all ? c->n : from + 1) && i < c->n; i++) {
        if (c->args[i]->kind == X_INTEGER) continue;
        if (c->env->function && c->args[i]->varies > VARIES_CONSTANT) continue;
        if (c->env->place & PLACE_ALGORITHM && range_is_open(c->env, c->args[i])) continue;
        int64_t value;
        if (!eval_integer(c->env->s, c->args[i], c->env->scope, &value)) return false;
        c->args[i] = tx_integer(c->env->s, value, c->args[i]->span);
    }
    return true;
}

/* The type of an array built-in whose sizes are not known, in a function. */
static Type open_type(const BuiltinCall *c)
{
    const Type *a = &c->args[0]->type;
    uint32_t rank = 2;
    Type scalar = { .base = a->base, .def = a->def };
    switch (c->builtin) {
    case BUILTIN_ZEROS:
    case BUILTIN_ONES: rank = c->n; break;
    case BUILTIN_FILL: rank = c->n - 1 + a->rank; break;
    case BUILTIN_LINSPACE:
    case BUILTIN_VECTOR:
    case BUILTIN_CROSS: rank = 1; break;
    case BUILTIN_SCALAR: rank = 0; break;
    case BUILTIN_CAT:
        rank = c->n > 1 ? c->args[1]->type.rank : 0;
        scalar.base = c->n > 1 ? c->args[1]->type.base : scalar.base;
        break;
    case BUILTIN_PROMOTE: rank = (uint32_t)(c->args[1]->kind == X_INTEGER ? c->args[1]->integer : 0); break;
    default: break;
    }
    if (c->builtin == BUILTIN_LINSPACE) scalar.base = BASE_REAL;
    Type type = type_of_rank(c->env->s, scalar, rank, NULL);
    for (uint32_t i = 0; i < rank; i++) type.sizes[i] = SIZE_UNKNOWN;
    return type;
}

/* Sizes that are negative; elements of several types. */
static bool check_array_arguments(const BuiltinCall *c)
{
    Sema *s = c->env->s;
    uint32_t first = c->builtin == BUILTIN_FILL ? 1 : 0;
    bool sizes = c->builtin == BUILTIN_FILL || c->builtin == BUILTIN_ZEROS || c->builtin == BUILTIN_ONES ||
                 c->builtin == BUILTIN_IDENTITY;
    for (uint32_t i = first; sizes && i < c->n; i++) {
        if (c->args[i]->kind != X_INTEGER || c->args[i]->integer >= 0) continue;
        sema_lenient(s, c->env->scope, E_BAD_SIZE, c->args[i]->span,
                     "the size %lld is not possible: zero is taken", (long long)c->args[i]->integer);
        c->args[i] = tx_integer(s, 0, c->args[i]->span);
    }
    for (uint32_t i = 2; c->builtin == BUILTIN_CAT && i < c->n; i++) {
        const Type *a = &c->args[1]->type, *b = &c->args[i]->type;
        bool fits = a->base == b->base || (is_number(c->args[1]) && is_number(c->args[i]));
        if (fits) continue;
        sema_error(s, c->env->scope, E_TYPE_MISMATCH, c->args[i]->span,
                   "the elements of an array have one type, not %s and %s", type_text(s, a), type_text(s, b));
        return false;
    }
    return true;
}

static TExpr *call_array(const BuiltinCall *c)
{
    Sema *s = c->env->s;
    if (c->builtin == BUILTIN_ARRAY_OF) return type_arrays(c->env, c->args, c->n, c->span);
    if (!evaluate_sizes(c) || !check_array_arguments(c)) return tx_poison(s, c->span);
    TExpr *e = tx_expand(s, c->builtin, c->args, c->n, c->span);
    if (e) return e;
    bool is_open = c->env->function != NULL;
    for (uint32_t i = 0; i < c->n && !is_open; i++)
        is_open = !type_is_known(&c->args[i]->type) ||
                  (c->env->place & PLACE_ALGORITHM && c->args[i]->type.base == BASE_INTEGER &&
                   range_is_open(c->env, c->args[i]));
    if (is_open) return finish(c, open_type(c), VARIES_CONTINUOUS);
    sema_error(s, c->env->scope, E_ARGUMENTS, c->span, "'%s' is not defined for these arguments",
               builtin_text(c->builtin));
    return tx_poison(s, c->span);
}

static TExpr *call_size(const BuiltinCall *c)
{
    Sema *s = c->env->s;
    const Type *t = &c->args[0]->type;
    if (c->builtin == BUILTIN_NDIMS) return tx_integer(s, t->rank, c->span);
    if (c->n == 1) {
        TExpr **sizes = NEW_ARRAY(s->arena, TExpr *, t->rank + 1u);
        for (uint32_t i = 0; i < t->rank; i++) {
            TExpr *args[] = { c->args[0], tx_integer(s, i + 1, c->span) };
            BuiltinCall one = { c->env, BUILTIN_SIZE, args, 2, c->span, c->varies };
            sizes[i] = call_size(&one);
        }
        Type element = type_scalar(BASE_INTEGER);
        return tx_array(s, sizes, t->rank, &element, c->span);
    }
    int64_t dim;
    if (c->args[1]->varies > VARIES_PARAMETER) return finish(c, type_scalar(BASE_INTEGER), VARIES_CONTINUOUS);
    if (!eval_integer(s, c->args[1], c->env->scope, &dim)) return tx_poison(s, c->span);
    if (dim < 1 || dim > t->rank) {
        sema_error(s, c->env->scope, E_SUBSCRIPT, c->span, "there is no dimension %lld in %s", (long long)dim,
                   type_text(s, t));
        return tx_poison(s, c->span);
    }
    if (t->sizes[dim - 1] != SIZE_UNKNOWN) return tx_integer(s, t->sizes[dim - 1], c->span);
    c->args[1] = tx_integer(s, dim, c->span);
    /* of a record's member, whose size nobody knows before the record is made */
    bool settled = c->args[0]->varies <= VARIES_PARAMETER;
    return finish(c, type_scalar(BASE_INTEGER), settled ? VARIES_PARAMETER : VARIES_CONTINUOUS);
}

static TExpr *call_no_arguments(const BuiltinCall *c)
{
    Sema *s = c->env->s;
    if (c->builtin == BUILTIN_GET_INSTANCE_NAME) {
        const char *path = inst_path(s, c->env->scope->inst);
        const char *model = s->model ? name_text(s->model->own->cls->name) : "";
        return tx_string(s, str_of(arena_printf(s->arena, "%s%s%s", model, *path ? "." : "", path)), c->span);
    }
    return finish(c, type_scalar(BASE_BOOLEAN), VARIES_DISCRETE);
}

/* What must not change during a run. */
static bool is_settled(const BuiltinCall *c, uint32_t at)
{
    if (c->args[at]->varies <= VARIES_PARAMETER) return true;
    sema_error(c->env->s, c->env->scope, E_VARIABILITY, c->args[at]->span,
               "this argument of '%s' may not change with time", builtin_text(c->builtin));
    return false;
}

static bool is_negative(const Value *v)
{
    return v && (v->base == BASE_INTEGER ? v->at[0].integer < 0 : v->base == BASE_REAL && v->at[0].real < 0);
}

/* delay(x, T): T is a parameter; of delay(x, T, Tmax) it may change, but not Tmax (3.7.4.1). */
static bool delay_is_right(const BuiltinCall *c)
{
    if (c->builtin != BUILTIN_DELAY) return true;
    const TExpr *last = c->args[c->n - 1], *time = c->args[1];
    Sema *s = c->env->s;
    if (last->varies > VARIES_PARAMETER) {
        Note *note = sema_error(s, c->env->scope, E_DELAY_TIME, last->span, "this changes with time: %s",
                                c->n == 2 ? "delay needs a largest delay then" : "the largest delay may not");
        if (c->n == 2) diag_hint(s->diag, note, "write delay(x, T, Tmax), where T never exceeds Tmax");
        return false;
    }
    bool known = time->varies == VARIES_CONSTANT && !time->type.rank;
    if (!known || !is_negative(try_eval(s, time, c->env->scope))) return true;
    sema_error(s, c->env->scope, E_DELAY_TIME, time->span, "a delay cannot be negative");
    return false;
}

static bool is_connector(const TExpr *e)
{
    while (e->kind == X_SUBSCRIPT || (e->kind == X_ARRAY && e->n)) e = e->args[0];
    if (e->kind == X_VAR) return e->leaf->in_connector;
    return e->type.def && (e->type.def->is_connector || e->kind == X_ARRAY);
}

/* The distribution at the start: positions and values, or of several signals as many rows of
 * them. */
static bool check_profile(const BuiltinCall *c, uint32_t at)
{
    const TExpr *e = c->args[at];
    bool is_vector = is_number(e) && e->type.rank == 1 + c->args[0]->type.rank;
    bool fits = (is_vector || (is_number(e) && e->type.rank == 1)) && type_is_known(&e->type);
    if (!fits) return !tx_is_poison(wrong_type(c, at, "a vector of numbers"));
    if (e->varies <= VARIES_PARAMETER) return true;
    sema_error(c->env->s, c->env->scope, E_VARIABILITY, e->span,
               "what a distribution is at the start is a parameter, but this changes with time");
    return false;
}

/* (out0, out1) = spatialDistribution(in0, in1, x, positiveVelocity, points, values): of in0 and in1
 * there may be several. */
static TExpr *call_spatial(BuiltinCall *c)
{
    Sema *s = c->env->s;
    for (uint32_t i = 4; i < 6; i++) {
        if (c->args[i]) continue;
        TExpr *ends[] = { tx_real(s, 0, c->span), tx_real(s, i == 4 ? 1 : 0, c->span) };
        Type real = type_scalar(BASE_REAL);
        c->args[i] = tx_array(s, ends, 2, &real, c->span);
    }
    c->n = 6;
    for (uint32_t i = 0; i < 4; i++) {
        bool may_be_vector = i < 2 && c->args[i]->type.rank == 1 && c->args[0]->type.rank == 1;
        bool fits = i == 3 ? c->args[i]->type.base == BASE_BOOLEAN : is_number(c->args[i]);
        if (!fits || (c->args[i]->type.rank && !may_be_vector))
            return wrong_type(c, i, i == 3 ? "a Boolean" : "a Real");
    }
    if (!check_profile(c, 4) || !check_profile(c, 5)) return tx_poison(s, c->span);
    for (uint32_t i = 0; i < 6; i++)
        if (i != 3) c->args[i] = coerce(s, c->args[i], &(Type){ .base = BASE_REAL });
    const Type *points = &c->args[4]->type, *values = &c->args[5]->type;
    const Type *a = &c->args[0]->type, *b = &c->args[1]->type;
    bool same = a->rank == b->rank && (!a->rank || a->sizes[0] == b->sizes[0]);
    if (!same || points->sizes[points->rank - 1] != values->sizes[values->rank - 1]) {
        sema_error(s, c->env->scope, E_SIZE_MISMATCH, c->span,
                   "the sizes of in0 and in1, and of the points and values at the start, must be equal");
        return tx_poison(s, c->span);
    }
    return finish(c, type_with_base(c->args[0], BASE_REAL), VARIES_CONTINUOUS);
}

static TExpr *call_by_kind(BuiltinCall *c)
{
    Sema *s = c->env->s;
    switch ((CallKind)rules[c->builtin].kind) {
    case CALL_SAME: return call_same(c);
    case CALL_REAL: return call_real(c);
    case CALL_REAL2:
    case CALL_NUMBER2: return call_two(c);
    case CALL_TO_INTEGER: return call_to_integer(c);
    case CALL_TO_BOOLEAN:
        if (!is_memory(c)) return tx_poison(s, c->span);
        return finish(c, type_with_base(c->args[0], BASE_BOOLEAN), VARIES_DISCRETE);
    case CALL_REDUCE: return call_reduce(c);
    case CALL_ARRAY: return call_array(c);
    case CALL_SIZE: return call_size(c);
    case CALL_STRING: break; /* string.c */
    case CALL_CONVERT:
        return c->builtin == BUILTIN_TO_INTEGER ? call_to_integer(c)
                                                : finish(c, type_with_base(c->args[0], BASE_REAL), c->varies);
    case CALL_NO_ARGUMENTS: return call_no_arguments(c);
    case CALL_CLOCK:
    case CALL_CLOCKED:
    case CALL_TICK:
    case CALL_RESAMPLE: return clock_operator(c->env, c->builtin, c->args, c->n, c->span);
    case CALL_SAMPLE:
        if (c->n == 1 || c->args[1]->type.base == BASE_CLOCK)
            return clock_operator(c->env, BUILTIN_CLOCK_SAMPLE, c->args, c->n, c->span);
        if (!are_numbers(c) || !is_settled(c, 0) || !is_settled(c, 1)) return tx_poison(s, c->span);
        return finish(c, type_scalar(BASE_BOOLEAN), VARIES_DISCRETE);
    case CALL_SECOND:
        if (c->args[0]->type.base != BASE_INTEGER) return wrong_type(c, 0, "an Integer");
        if (!c->env->function && !is_settled(c, 0)) return tx_poison(s, c->span);
        return finish(c, c->args[1]->type, c->varies);
    case CALL_DELAY:
    case CALL_HOMOTOPY:
    case CALL_SEMI_LINEAR:
        if (!are_numbers(c) || !sizes_agree(c, largest(c)) || !delay_is_right(c))
            return tx_poison(s, c->span);
        return finish(c, type_with_base(largest(c), BASE_REAL), c->varies);
    case CALL_CARDINALITY:
        if (!is_connector(c->args[0])) return wrong_type(c, 0, "a connector");
        return tx_integer(s, connections_of(s, c->args[0]), c->span);
    case CALL_STREAM: return stream_operator(c->env, c->builtin, c->args[0], c->span);
    case CALL_SPATIAL: return call_spatial(c);
    case CALL_STATE: return state_operator(c->env, c->builtin, c->args, c->n, c->span);
    case CALL_STATEMENT:
    case CALL_OTHER: break;
    }
    sema_error(s, c->env->scope, E_NOT_A_VALUE, c->span, "'%s' has no value", builtin_text(c->builtin));
    return tx_poison(s, c->span);
}

enum { MOST_DEFAULTS = 6 }; /* arguments of an operator some of which have defaults */

/* The place of a named argument of a built-in operator; NONE if it has no such argument. */
static uint32_t named_place(Builtin b, Name name)
{
    static const struct {
        uint8_t builtin, place;
        const char *name;
    } table[] = { { BUILTIN_SUB_SAMPLE, 1, "factor" },
                  { BUILTIN_SUPER_SAMPLE, 1, "factor" },
                  { BUILTIN_SHIFT_SAMPLE, 1, "shiftCounter" },
                  { BUILTIN_SHIFT_SAMPLE, 2, "resolution" },
                  { BUILTIN_BACK_SAMPLE, 1, "backCounter" },
                  { BUILTIN_BACK_SAMPLE, 2, "resolution" },
                  { BUILTIN_SPATIAL, 0, "in0" },
                  { BUILTIN_SPATIAL, 1, "in1" },
                  { BUILTIN_SPATIAL, 2, "x" },
                  { BUILTIN_SPATIAL, 3, "positiveVelocity" },
                  { BUILTIN_SPATIAL, 4, "initialPoints" },
                  { BUILTIN_SPATIAL, 5, "initialValues" },
                  { BUILTIN_SUB_SAMPLE, 0, "u" },
                  { BUILTIN_SUPER_SAMPLE, 0, "u" },
                  { BUILTIN_SHIFT_SAMPLE, 0, "u" },
                  { BUILTIN_BACK_SAMPLE, 0, "u" },
                  { BUILTIN_CLOCK, 0, "intervalCounter" },
                  { BUILTIN_CLOCK, 0, "interval" },
                  { BUILTIN_CLOCK, 0, "condition" },
                  { BUILTIN_CLOCK, 0, "c" },
                  { BUILTIN_CLOCK, 1, "resolution" },
                  { BUILTIN_CLOCK, 1, "startInterval" },
                  { BUILTIN_CLOCK, 1, "solverMethod" },
                  { BUILTIN_HOMOTOPY, 0, "actual" },
                  { BUILTIN_HOMOTOPY, 1, "simplified" },
                  { BUILTIN_ASSERT, 0, "condition" },
                  { BUILTIN_ASSERT, 1, "message" },
                  { BUILTIN_ASSERT, 2, "level" },
                  { BUILTIN_DELAY, 0, "expr" },
                  { BUILTIN_DELAY, 1, "delayTime" },
                  { BUILTIN_DELAY, 2, "delayMax" },
                  { BUILTIN_SAMPLE, 0, "start" },
                  { BUILTIN_SAMPLE, 1, "interval" },
                  { BUILTIN_SEMI_LINEAR, 0, "x" },
                  { BUILTIN_SEMI_LINEAR, 1, "positiveSlope" },
                  { BUILTIN_SEMI_LINEAR, 2, "negativeSlope" } };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (table[i].builtin == b && str_is(name_str(name), table[i].name)) return table[i].place;
    return NONE;
}

/* The arguments, typed and in their places; false after a report. */
static bool type_arguments(BuiltinCall *c, const Expr *e)
{
    Sema *s = c->env->s;
    for (uint32_t i = 0; i < e->n; i++) {
        const Expr *item = e->items[i];
        bool named = item->kind == EXPR_NAMED;
        uint32_t place = named ? named_place(c->builtin, item->name) : i;
        bool is_there = place < e->n || (c->builtin == BUILTIN_SPATIAL && place < MOST_DEFAULTS);
        if (!is_there || c->args[place]) {
            sema_error(s, c->env->scope, E_ARGUMENTS, item->span, "'%s' has no%s argument '%s'",
                       builtin_text(c->builtin), place < e->n ? " second" : "",
                       named ? name_text(item->name) : "");
            return false;
        }
        TExpr *a = c->args[place] = type_expr(c->env, named ? item->left : item);
        if (tx_is_poison(a)) return false;
        if (a->varies > c->varies) c->varies = a->varies;
    }
    return true;
}

/* Operators of events, derivatives and time are not for functions. */
static bool is_for_functions(const Env *env, Builtin b, Span span)
{
    static const uint8_t not_for[] = {
        BUILTIN_DER,         BUILTIN_PRE,          BUILTIN_EDGE,           BUILTIN_CHANGE,
        BUILTIN_INITIAL,     BUILTIN_SAMPLE,       BUILTIN_DELAY,          BUILTIN_TERMINAL,
        BUILTIN_CARDINALITY, BUILTIN_ACTIVE_STATE, BUILTIN_TICKS_IN_STATE, BUILTIN_TIME_IN_STATE,
        BUILTIN_SPATIAL
    };
    for (size_t i = 0; env->function && i < COUNT_OF(not_for); i++) {
        if (b != not_for[i]) continue;
        sema_error(env->s, env->scope, E_OPERATOR_PLACE, span, "'%s' cannot be used in a function",
                   builtin_text(b));
        return false;
    }
    return true;
}

static TExpr *type_string_call(BuiltinCall *c, const Expr *e)
{
    TExpr *x = type_expr(c->env, e->items[0]->kind == EXPR_NAMED ? e->items[0]->left : e->items[0]);
    if (tx_is_poison(x)) return x;
    if (!operator_record(c->env->s, &x->type)) return type_string(c->env, x, e);
    TExpr *text = operator_string(c->env, x, e);
    c->args[0] = x;
    return text ? text : wrong_type(c, 0, "a value that has a text");
}

static TExpr *type_builtin(const Env *env, Builtin b, const Expr *e)
{
    Sema *s = env->s;
    BuiltinCall c = { env,  b,       NEW_ARRAY(s->arena, TExpr *, e->n + MOST_DEFAULTS),
                      e->n, e->span, VARIES_CONSTANT };
    const CallKind kind = (CallKind)rules[b].kind;
    if (e->n == 1 && e->items[0]->kind == EXPR_COMPREHENSION &&
        (kind == CALL_REDUCE || b == BUILTIN_ARRAY_OF))
        return type_comprehension(env, e->items[0], b);
    if (e->n < arities[kind].least || e->n > arities[kind].most) {
        sema_error(s, env->scope, E_ARGUMENTS, e->span, "'%s' takes %u argument%s, not %u", builtin_text(b),
                   (unsigned)arities[kind].least, arities[kind].least == 1 ? "" : "s", (unsigned)e->n);
        return tx_poison(s, e->span);
    }
    if (!is_for_functions(env, b, e->span)) return tx_poison(s, e->span);
    if (b == BUILTIN_STRING) return type_string_call(&c, e);
    if (!type_arguments(&c, e)) return tx_poison(s, e->span);
    bool takes_class = kind == CALL_CARDINALITY || kind == CALL_SIZE || kind == CALL_STATE;
    if (c.args[0] && c.args[0]->type.base == BASE_CLASS && !takes_class && e->n)
        return wrong_type(&c, 0, "a value");
    return call_by_kind(&c);
}

/* ---- what is called -------------------------------------------------------------------------- */

static TExpr *enum_literal(Sema *s, Type type, int64_t value, Span span)
{
    TExpr *x = tx_new(s, X_ENUM, type, VARIES_CONSTANT, span, NULL, 0);
    x->integer = value;
    return x;
}

/* E(i) for an enumeration E; {E.a, E.b, E.c}[i] where only the run knows i. */
static TExpr *enum_from_integer(const Env *env, Inst *def, const Expr *e)
{
    int64_t value;
    Sema *s = env->s;
    Type type = { .base = BASE_ENUM, .def = def };
    uint32_t literals = def->root->cls->literal_count;
    TExpr *a = e->n == 1 ? type_expr(env, e->items[0]) : tx_poison(s, e->span);
    if (tx_is_poison(a)) return a;
    if (a->type.base == BASE_INTEGER && !a->type.rank &&
        (env->function || a->varies > VARIES_PARAMETER || uses_free(s, a))) {
        TExpr **all = NEW_ARRAY(s->arena, TExpr *, literals + 1);
        for (uint32_t k = 0; k < literals; k++) all[k] = enum_literal(s, type, k + 1, e->span);
        Type list = type_array_of(s, &type, (int32_t)literals);
        TExpr *of[] = { tx_new(s, X_ARRAY, list, VARIES_CONSTANT, e->span, all, literals), a };
        return tx_new(s, X_SUBSCRIPT, type, a->varies, e->span, of, 2);
    }
    if (!eval_integer(s, a, env->scope, &value)) return tx_poison(s, e->span);
    if (value < 1 || value > literals) {
        sema_error(env->s, env->scope, E_EVALUATION, e->span,
                   "'%s' has %u literals, there is none of number %lld", name_text(def->root->cls->name),
                   (unsigned)literals, (long long)value);
        return tx_poison(env->s, e->span);
    }
    return enum_literal(s, type, value, e->span);
}

const External *external_of(const Scope *scope)
{
    if (scope->cls->external) return scope->cls->external;
    for (uint32_t i = 0; i < scope->n; i++) {
        const External *x = scope->bases[i] ? external_of(scope->bases[i]) : NULL;
        if (x) return x;
    }
    return NULL;
}

static bool builtin_named(Sema *s, Name name, Builtin *b)
{
    uint64_t value;
    if (!map_get(&s->builtin_names, map_key(name), &value)) return false;
    *b = (Builtin)value;
    return true;
}

static bool is_object_function(Sema *s, const Inst *f)
{
    Inst *owner = f->entry->owner;
    return owner && owner != s->top && owner->base != BASE_CLASS &&
           inst_resolved(s, owner)->base == BASE_OBJECT;
}

static TExpr *call_class(const Env *env, Inst *inst, const Expr *e)
{
    Sema *s = env->s;
    Builtin b;
    inst_resolved(s, inst);
    if (inst->base == BASE_ENUM) return enum_from_integer(env, inst, e);
    if (inst->base == BASE_RECORD) {
        TExpr *made = operator_constructor(env, inst, e);
        if (made) return made;
    }
    if (inst->base == BASE_FUNCTION && inst->entry && is_object_function(s, inst)) {
        sema_error(s, env->scope, E_EXTERNAL_OBJECT, e->span,
                   "the constructor and destructor of an external object are not called by name");
        return tx_poison(s, e->span);
    }
    if (inst->base == BASE_OBJECT) {
        Entry *constructor = find_in(s, inst, name_of(s->names, STR("constructor")));
        if (constructor && constructor->kind == ENTRY_CLASS)
            inst = inst_resolved(s, entry_class(s, constructor));
    }
    if (inst->base == BASE_POISON) return tx_poison(s, e->span);
    if (inst->base != BASE_FUNCTION && inst->base != BASE_RECORD) {
        Note *note = sema_error(s, env->scope, E_NOT_A_FUNCTION, e->callee->span, "'%s' is not a function",
                                name_text(inst->own->cls->name));
        diag_label(s->diag, note, inst->own->cls->name_span, "declared here");
        return tx_poison(s, e->span);
    }
    scope_expand(s, inst->own);
    const External *external = external_of(inst->own);
    if (external && external->language.n && str_is(external->language, "builtin")) {
        Name name = external->function ? external->function : inst->own->cls->name;
        if (builtin_named(s, name, &b)) return type_builtin(env, b, e);
    }
    Function *f = function_of(s, inst);
    return function_may_be_called(env, f, e->span) ? type_function_call(env, f, e) : tx_poison(s, e->span);
}

static bool is_class_builtin(const Sema *s, const Entry *e) { return e->owner == s->builtins->inst; }

/* The class or component that a call names; NULL after a report. */
static Entry *find_callee(const Env *env, const Expr *ref)
{
    Sema *s = env->s;
    Entry *entry =
        ref->flag ? find_in(s, s->top, ref->parts[0].name) : lookup_name(s, env->scope, ref->parts[0].name);
    for (uint32_t i = 1; entry && i < ref->n; i++) {
        if (entry->kind == ENTRY_CLASS) {
            Inst *in = entry_class(s, entry);
            entry = find_in(s, in, ref->parts[i].name);
            if (entry && !is_seen_from(entry, env->scope)) {
                Note *note = sema_error(s, env->scope, E_PROTECTED, ref->span, "'%s' is protected",
                                        name_text(entry->name));
                diag_label(s->diag, note, in->own->cls->name_span, "in this class");
                return NULL;
            }
            if (entry && !may_look_into(s, env->scope, in, entry, ref->span)) return NULL;
        } else {
            entry = entry_target(s, entry, env->scope, ref->span);
            if (!entry || !comp_sizes(s, entry) || entry->disabled) return NULL;
            entry = inst_entry(s, entry->elements[0], ref->parts[i].name);
        }
    }
    if (entry) return entry;
    Name last = ref->parts[ref->n - 1].name;
    Note *note = sema_error(s, env->scope, E_UNKNOWN_NAME, ref->span, "there is no function '%s' here",
                            name_text(last));
    hint_nearest(s, note, env->scope, last);
    return NULL;
}

/* A call of an input that is a function. */
static TExpr *call_value(const Env *env, Entry *entry, const Expr *e)
{
    Sema *s = env->s;
    if (!comp_sizes(s, entry)) return tx_poison(s, e->span);
    if (entry->type.base != BASE_FUNCTION || !entry_is_local(entry)) {
        Note *note = sema_error(s, env->scope, E_NOT_A_FUNCTION, e->callee->span,
                                "'%s' is a component, not a function", name_text(entry->name));
        diag_label(s->diag, note, entry->decl->declaration->span, "declared here");
        return tx_poison(s, e->span);
    }
    TExpr *call = type_function_call(env, function_of(s, entry->type.def), e);
    if (call->kind != X_CALL) return call;
    TExpr **args = NEW_ARRAY(s->arena, TExpr *, call->n + 1);
    args[0] = tx_local(s, entry->local, entry->type, e->span);
    if (call->n) memcpy(args + 1, call->args, call->n * sizeof *args);
    return tx_new(s, X_APPLY, call->type, VARIES_CONTINUOUS, e->span, args, call->n + 1);
}

TExpr *type_call(const Env *env, const Expr *e)
{
    Sema *s = env->s;
    const Expr *ref = e->callee;
    Builtin b;
    Name first = ref->parts[0].name;
    bool predefined = ref->n == 1 && builtin_named(s, first, &b);
    if (ref->n == 1 && str_is(name_str(first), "pure") && e->n == 1) {
        Env inner = *env;
        inner.place |= PLACE_PURE;
        if (e->items[0]->kind != EXPR_CALL) {
            sema_error(s, env->scope, E_ARGUMENTS, e->span, "'pure' takes the call of a function");
            return tx_poison(s, e->span);
        }
        return type_expr(&inner, e->items[0]);
    }
    bool of_connections = ref->n == 2 ? str_is(name_str(first), "Connections")
                                      : ref->n == 1 && str_is(name_str(first), "rooted");
    if (of_connections && !lookup_name(s, env->scope, first)) return connections_operator(env, e);
    bool word = predefined && (b == BUILTIN_DER || b == BUILTIN_INITIAL || ref->flag);
    Entry *own = predefined && !word ? lookup_name(s, env->scope, first) : NULL;
    if (predefined && (!own || own->kind != ENTRY_CLASS || is_class_builtin(s, own)))
        return type_builtin(env, b, e);
    Entry *entry = find_callee(env, ref);
    if (!entry) return tx_poison(s, e->span);
    return entry->kind == ENTRY_CLASS ? call_class(env, entry_class(s, entry), e) : call_value(env, entry, e);
}

TExpr *type_partial_call(const Env *env, const Expr *e)
{
    Entry *entry = find_callee(env, e->callee);
    Inst *inst =
        entry && entry->kind == ENTRY_CLASS ? inst_resolved(env->s, entry_class(env->s, entry)) : NULL;
    if (inst && inst->base == BASE_FUNCTION)
        return type_partial(env, function_of(env->s, inst), e->items, e->n, e->span);
    bool is_input = entry && entry->kind == ENTRY_COMPONENT && e->callee->n == 1 &&
                    comp_sizes(env->s, entry) && entry->type.base == BASE_FUNCTION && entry_is_local(entry);
    if (is_input) {
        TExpr *of = tx_local(env->s, entry->local, entry->type, e->span);
        return type_partial_of(env, of, e->items, e->n, e->span);
    }
    if (entry) sema_error(env->s, env->scope, E_NOT_A_FUNCTION, e->callee->span, "this is not a function");
    return tx_poison(env->s, e->span);
}
