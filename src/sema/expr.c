/* expr.c: expressions of the text to typed expressions: references, operators, arrays, ranges, conditions.
 *
 * In: an expression and where it stands. Out: a typed expression; constants in place of references to constants;
 * a poisoned one after a report. In models every reference ends at components of simple type with constant
 * subscripts wherever these are known; records are written out as their members. Calls are in call.c.
 * Tests: tests/modelica. */
#include "sema/inside.h"

/* ---- fitting ---- */

static bool same_def(const Type *a, const Type *b)
{
    if (a->base == BASE_ENUM) return a->def->root->cls == b->def->root->cls;
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
    if (e->kind != X_ARRAY) return e;
    TExpr *copy = tx_new(s, X_ARRAY, e->type, e->varies, e->span, e->args, e->n);
    copy->type.base = BASE_REAL;
    for (uint32_t i = 0; i < e->n; i++) copy->args[i] = coerce(s, e->args[i], to);
    return copy;
}

/* ---- subscripts ---- */

static bool is_scalar_sub(const TExpr *sub) { return sub->kind != X_COLON && sub->type.rank == 0; }

/* In models: subscripts that are known become literals. */
static TExpr *settle_sub(const Env *env, TExpr *sub)
{
    if (sub->kind == X_COLON || sub->kind == X_INTEGER || env->function || sub->varies > VARIES_PARAMETER)
        return sub;
    Value *v = eval(env->s, sub, NULL, env->scope);
    return v ? tx_value(env->s, v, sub->span) : tx_poison(env->s, sub->span);
}

static bool sub_in_range(const Env *env, const TExpr *sub, int32_t size)
{
    if (size == SIZE_UNKNOWN || sub->kind == X_COLON || sub->varies != VARIES_CONSTANT) return true;
    bool literal = sub->kind == X_INTEGER || sub->kind == X_ENUM;
    int64_t at = literal ? sub->integer : sub->kind == X_BOOLEAN ? sub->integer + 1 : 1;
    if (!sub->type.rank && (!(literal || sub->kind == X_BOOLEAN) || (at >= 1 && at <= size))) return true;
    if (sub->type.rank && sub->kind == X_ARRAY) {
        for (uint32_t i = 0; i < sub->n; i++)
            if (!sub_in_range(env, sub->args[i], size)) return false;
        return true;
    }
    if (sub->type.rank) return true;
    sema_error(env->s, env->scope, E_SUBSCRIPT, sub->span, "the subscript %lld is not in 1 to %d",
               (long long)at, (int)size);
    return false;
}

static int32_t sub_index(const TExpr *sub)
{
    return (int32_t)(sub->kind == X_BOOLEAN ? sub->integer : sub->integer - 1);
}

static bool is_literal_sub(const TExpr *sub)
{
    return sub->kind == X_INTEGER || sub->kind == X_ENUM || sub->kind == X_BOOLEAN;
}

/* Applies subscripts that are known, dimension by dimension. */
static TExpr *pick(Sema *s, TExpr *of, TExpr **subs, uint32_t n, Span span)
{
    if (n == 0) return of;
    if (is_literal_sub(subs[0])) return pick(s, tx_element(s, of, sub_index(subs[0])), subs + 1, n - 1, span);
    uint32_t count =
        subs[0]->kind == X_COLON ? (uint32_t)of->type.sizes[0] : (uint32_t)subs[0]->type.sizes[0];
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        int32_t at = subs[0]->kind == X_COLON ? (int32_t)i : sub_index(tx_element(s, subs[0], (int32_t)i));
        items[i] = pick(s, tx_element(s, of, at), subs + 1, n - 1, span);
    }
    if (count) return tx_array(s, items, count, &items[0]->type, span);
    Type element = type_of_rank(s, of->type, 0, NULL);
    int32_t sizes[8] = { 0 };
    uint32_t rank = 0;
    for (uint32_t i = 1; i < of->type.rank && rank < 8; i++)
        if (i >= n || !is_literal_sub(subs[i]))
            sizes[rank++] = i < n && subs[i]->kind != X_COLON ? subs[i]->type.sizes[0] : of->type.sizes[i];
    element = type_of_rank(s, element, rank, sizes);
    return tx_array(s, NULL, 0, &element, span);
}

static bool sub_is_known(const TExpr *sub)
{
    if (sub->kind == X_COLON || is_literal_sub(sub)) return true;
    if (sub->kind == X_RANGE) return sub->varies == VARIES_CONSTANT && type_is_known(&sub->type);
    if (sub->kind != X_ARRAY) return false;
    for (uint32_t i = 0; i < sub->n; i++)
        if (!is_literal_sub(sub->args[i])) return false;
    return true;
}

TExpr *type_subscript(const Env *env, TExpr *of, TExpr **subs, uint32_t n, Span span)
{
    Sema *s = env->s;
    bool known = type_is_known(&of->type);
    uint8_t varies = of->varies;
    int32_t sizes[16];
    uint32_t rank = 0;
    if (n > of->type.rank || of->type.rank > 16) {
        sema_error(s, env->scope, E_SUBSCRIPT, span, "%u subscripts for an array of %u dimensions",
                   (unsigned)n, (unsigned)of->type.rank);
        return tx_poison(s, span);
    }
    TExpr **settled = NEW_ARRAY(s->arena, TExpr *, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        TExpr *sub = settled[i + 1] = settle_sub(env, subs[i]);
        if (tx_is_poison(sub) || !sub_in_range(env, sub, of->type.sizes[i])) return tx_poison(s, span);
        if (sub->kind != X_COLON && sub->type.base != BASE_INTEGER && sub->type.base != BASE_ENUM &&
            sub->type.base != BASE_BOOLEAN) {
            sema_error(s, env->scope, E_SUBSCRIPT, sub->span, "a subscript is an Integer, not %s",
                       type_text(s, &sub->type));
            return tx_poison(s, span);
        }
        if (sub->varies > varies) varies = sub->varies;
        known = known && sub_is_known(sub);
        if (!is_scalar_sub(sub))
            sizes[rank++] = sub->kind == X_COLON ? of->type.sizes[i] : sub->type.sizes[0];
    }
    if (known && !env->function) return pick(s, of, settled + 1, n, span);
    for (uint32_t i = n; i < of->type.rank; i++) sizes[rank++] = of->type.sizes[i];
    settled[0] = of;
    return tx_new(s, X_SUBSCRIPT, type_of_rank(s, of->type, rank, sizes), varies, span, settled, n + 1);
}

static TExpr *type_sub(const Env *env, const TExpr *of, uint32_t dim, const Expr *e)
{
    if (e->kind == EXPR_COLON)
        return tx_new(env->s, X_COLON, type_scalar(BASE_INTEGER), VARIES_CONSTANT, e->span, NULL, 0);
    Env inner = *env;
    inner.end_of = of;
    inner.end_dim = dim;
    return type_expr(&inner, e);
}

static TExpr *apply_subscripts(const Env *env, TExpr *of, Expr *const *subs, uint32_t n, Span span)
{
    if (n == 0 || tx_is_poison(of)) return of;
    TExpr **typed = NEW_ARRAY(env->s->arena, TExpr *, n);
    for (uint32_t i = 0; i < n; i++) typed[i] = type_sub(env, of, i, subs[i]);
    return type_subscript(env, of, typed, n, span);
}

/* ---- references ---- */

static TExpr *ref_entry(const Env *env, Entry *e, const Expr *ref, uint32_t at);

static TExpr *unknown_name(const Env *env, Part *in, Name name, Span span)
{
    Note *note =
        sema_error(env->s, env->scope, E_UNKNOWN_NAME, span, "there is no '%s' here", name_text(name));
    diag_label(env->s->diag, note, in->cls->name_span, "looked up in this class");
    hint_nearest(env->s, note, in, name);
    return tx_poison(env->s, span);
}

static TExpr *field_ref(const Env *env, TExpr *of, const Expr *ref, uint32_t at)
{
    Sema *s = env->s;
    for (; at < ref->n && !tx_is_poison(of); at++) {
        Inst *def = of->type.def;
        Entry *field = of->type.base == BASE_RECORD ? inst_entry(s, def, ref->parts[at].name) : NULL;
        if (!field || !comp_sizes(s, field))
            return field ? tx_poison(s, ref->span)
                         : unknown_name(env, def ? def->own : env->scope, ref->parts[at].name,
                                        ref->parts[at].span);
        inst_list(s, def);
        uint32_t index = 0;
        while (index < def->comps.n && def->comps.at[index] != field) index++;
        Type type = field->type;
        for (uint32_t i = of->type.rank; i-- > 0;) type = type_array_of(s, &type, of->type.sizes[i]);
        TExpr *x = tx_new(s, X_FIELD, type, of->varies, ref->span, &of, 1);
        x->index = index;
        of = of->kind == X_RECORD ? of->args[index] : x;
        of = apply_subscripts(env, of, ref->parts[at].subscripts.at, ref->parts[at].subscripts.n, ref->span);
    }
    return of;
}

static TExpr *local_ref(const Env *env, Entry *e, const Expr *ref, uint32_t at)
{
    TExpr *x = tx_local(env->s, e->local, e->type, ref->span);
    x = apply_subscripts(env, x, ref->parts[at].subscripts.at, ref->parts[at].subscripts.n, ref->span);
    return field_ref(env, x, ref, at + 1);
}

static TExpr *whole_record(const Env *env, Inst *inst, Span span)
{
    Sema *s = env->s;
    Type type = { .base = BASE_RECORD, .def = inst };
    uint8_t varies = VARIES_CONSTANT;
    inst_list(s, inst);
    TExpr **fields = NEW_ARRAY(s->arena, TExpr *, inst->comps.n + 1);
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        fields[i] = type_ref_entry(env, inst->comps.at[i], span);
        if (tx_is_poison(fields[i])) return fields[i];
        if (fields[i]->varies > varies) varies = fields[i]->varies;
    }
    return tx_new(s, X_RECORD, type, varies, span, fields, inst->comps.n);
}

static TExpr *protected_name(const Env *env, const Entry *e, Span span)
{
    Note *note = sema_error(env->s, env->scope, E_PROTECTED, span, "'%s' is protected", name_text(e->name));
    Span declared = e->decl->declaration ? e->decl->declaration->span : e->decl->cls->name_span;
    diag_label(env->s->diag, note, declared, "declared here");
    return tx_poison(env->s, span);
}

/* What of one instance a reference means: the rest of its path, or the whole record. */
static TExpr *instance_ref(const Env *env, Inst *inst, const Expr *ref, uint32_t at)
{
    Sema *s = env->s;
    if (!ref || at + 1 >= ref->n) {
        if (inst->base == BASE_RECORD) return whole_record(env, inst, ref ? ref->span : (Span){ 0 });
        TExpr *x = tx_new(s, X_OMITTED, (Type){ .base = BASE_CLASS, .def = inst }, VARIES_CONTINUOUS,
                          ref ? ref->span : (Span){ 0 }, NULL, 0);
        return x;
    }
    Name name = ref->parts[at + 1].name;
    Entry *member = inst_entry(s, inst, name);
    if (!member) return unknown_name(env, inst->own, name, ref->parts[at + 1].span);
    if (member->flags & IS_PROTECTED) return protected_name(env, member, ref->parts[at + 1].span);
    return ref_entry(env, member, ref, at + 1);
}

/* All elements of an array of components, as an array of what the rest of the reference means in each. */
static TExpr *elements_ref(const Env *env, Entry *e, uint32_t dim, uint32_t *index, const Expr *ref,
                           uint32_t at)
{
    Sema *s = env->s;
    if (dim == e->own_rank) return instance_ref(env, e->elements[(*index)++], ref, at);
    uint32_t n = (uint32_t)e->type.sizes[dim];
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        items[i] = elements_ref(env, e, dim + 1, index, ref, at);
        if (tx_is_poison(items[i])) return items[i];
    }
    Type element = n ? items[0]->type : instance_ref(env, e->elements[0], ref, at)->type;
    for (uint32_t i = e->own_rank; n == 0 && i-- > dim + 1;)
        element = type_array_of(s, &element, e->type.sizes[i]);
    return tx_array(s, items, n, &element, ref ? ref->span : (Span){ 0 });
}

/* One element of an array of components by subscripts that are all known: no need to look at the others. */
static TExpr *single_element(const Env *env, Entry *e, const Expr *ref, uint32_t at, bool *single)
{
    const Exprs *subs = &ref->parts[at].subscripts;
    uint32_t index = 0;
    *single = false;
    if (subs->n != e->own_rank) return NULL;
    for (uint32_t i = 0; i < subs->n; i++) {
        TExpr dummy = { .type = e->type };
        TExpr *sub = settle_sub(env, type_sub(env, &dummy, i, subs->at[i]));
        if (!is_literal_sub(sub)) return NULL;
        if (!sub_in_range(env, sub, e->type.sizes[i])) {
            *single = true;
            return tx_poison(env->s, ref->span);
        }
        index = index * (uint32_t)e->type.sizes[i] + (uint32_t)sub_index(sub);
    }
    *single = true;
    return instance_ref(env, e->elements[index], ref, at);
}

static TExpr *component_ref(const Env *env, Entry *e, const Expr *ref, uint32_t at)
{
    uint32_t index = 0;
    const Exprs *subs = ref ? &ref->parts[at].subscripts : NULL;
    if (!e->own_rank) return instance_ref(env, e->elements[0], ref, at);
    if (subs && subs->n) {
        bool single;
        TExpr *one = single_element(env, e, ref, at, &single);
        if (single) return one;
    }
    TExpr *all = elements_ref(env, e, 0, &index, ref, at);
    return subs ? apply_subscripts(env, all, subs->at, subs->n, ref->span) : all;
}

/* A component of simple type. Constants are replaced by their values. */
static TExpr *leaf_ref(const Env *env, Entry *e, const Expr *ref, uint32_t at, Span span)
{
    Sema *s = env->s;
    TExpr *x = tx_new(s, X_VAR, e->type, e->varies, span, NULL, 0);
    x->leaf = e;
    if (e->varies == VARIES_CONSTANT) {
        Value *v = comp_value(s, e, span);
        if (!v) return tx_poison(s, span);
        x = tx_value(s, v, span);
    }
    if (!ref) return x;
    if (at + 1 < ref->n)
        return unknown_name(env, e->elements[0]->own, ref->parts[at + 1].name, ref->parts[at + 1].span);
    return apply_subscripts(env, x, ref->parts[at].subscripts.at, ref->parts[at].subscripts.n, span);
}

static TExpr *ref_entry(const Env *env, Entry *e, const Expr *ref, uint32_t at)
{
    Sema *s = env->s;
    Span span = ref ? ref->span : e->decl->declaration->span;
    e = entry_target(s, e, env->scope, span);
    if (!e || !comp_sizes(s, e)) return tx_poison(s, span);
    if (e->disabled) {
        Note *note = sema_error(s, env->scope, E_NOT_A_VALUE, span,
                                "'%s' is not there, since its condition is false", entry_path(s, e));
        diag_label(s->diag, note, e->decl->declaration->span, "declared here");
        return tx_poison(s, span);
    }
    if (entry_is_local(e)) {
        if (ref) return local_ref(env, e, ref, at);
        return tx_local(s, e->local, e->type, span);
    }
    if (e->cls->root || e->cls->base == BASE_OBJECT) return leaf_ref(env, e, ref, at, span);
    if (e->cls->base == BASE_FUNCTION) return tx_poison(s, span);
    if (e->type.base == BASE_RECORD && e->owner->base != BASE_CLASS && !e->owner->container &&
        e->owner->kind == CLASS_RECORD)
        return tx_poison(s, span);
    return component_ref(env, e, ref, at);
}

TExpr *type_ref_entry(const Env *env, Entry *e, Span span)
{
    TExpr *x = ref_entry(env, e, NULL, 0);
    (void)span;
    return x;
}

static TExpr *enum_literal(const Env *env, Inst *inst, const Expr *ref, uint32_t at)
{
    const Class *cls = inst->root->cls;
    for (uint32_t i = 0; i < cls->literal_count; i++) {
        if (cls->literals[i].name != ref->parts[at].name) continue;
        TExpr *x = tx_new(env->s, X_ENUM, (Type){ .base = BASE_ENUM, .def = inst }, VARIES_CONSTANT,
                          ref->span, NULL, 0);
        x->integer = i + 1;
        return x;
    }
    Note *note = sema_error(env->s, env->scope, E_UNKNOWN_NAME, ref->parts[at].span,
                            "'%s' has no literal '%s'", name_text(cls->name), name_text(ref->parts[at].name));
    diag_label(env->s->diag, note, cls->name_span, "the enumeration");
    return tx_poison(env->s, ref->span);
}

static TExpr *class_value(const Env *env, Inst *inst, const Expr *ref)
{
    if (inst->base == BASE_FUNCTION) return type_partial(env, function_of(env->s, inst), NULL, 0, ref->span);
    sema_error(env->s, env->scope, E_NOT_A_VALUE, ref->span, "'%s' is a class, not a value",
               name_text(inst->own->cls->name));
    return tx_poison(env->s, ref->span);
}

static TExpr *type_ref(const Env *env, const Expr *ref)
{
    Sema *s = env->s;
    Name first = ref->parts[0].name;
    for (const Iter *i = env->iters; !ref->flag && i; i = i->outer)
        if (i->name == first)
            return field_ref(env,
                             apply_subscripts(env, i->value, ref->parts[0].subscripts.at,
                                              ref->parts[0].subscripts.n, ref->span),
                             ref, 1);
    Entry *e = ref->flag ? find_in(s, s->top, first) : lookup_name(s, env->scope, first);
    if (!e && ref->n == 1 && str_is(name_str(first), "time"))
        return tx_new(s, X_TIME, type_scalar(BASE_REAL), VARIES_CONTINUOUS, ref->span, NULL, 0);
    if (!e) return unknown_name(env, env->scope, first, ref->parts[0].span);
    uint32_t at = 0;
    while (e->kind == ENTRY_CLASS) {
        Inst *inst = inst_resolved(s, entry_class(s, e));
        if (++at == ref->n) return class_value(env, inst, ref);
        if (inst->base == BASE_ENUM) return enum_literal(env, inst, ref, at);
        e = find_in(s, inst, ref->parts[at].name);
        if (!e) return unknown_name(env, inst->own, ref->parts[at].name, ref->parts[at].span);
    }
    return ref_entry(env, e, ref, at);
}

/* ---- operators ---- */

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
    if (op == OP_POWER && (ra || rb)) return bad_operands(env, op, a, b, span);
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
    TExpr *e = tx_binary(env->s, (Oper)opers[op], a, b, type_scalar(BASE_BOOLEAN));
    if (e->varies == VARIES_CONTINUOUS) e->varies = VARIES_DISCRETE;
    return e;
}

static TExpr *type_logic(const Env *env, Op op, TExpr *a, TExpr *b, Span span)
{
    if (a->type.base != BASE_BOOLEAN || b->type.base != BASE_BOOLEAN || a->type.rank != b->type.rank)
        return bad_operands(env, op, a, b, span);
    return tx_binary(env->s, op == OP_AND ? O_AND : O_OR, a, b, a->type);
}

TExpr *type_binary(const Env *env, Op op, TExpr *a, TExpr *b, Span span)
{
    if (tx_is_poison(a) || tx_is_poison(b)) return tx_poison(env->s, span);
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

/* ---- if ---- */

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

/* A branch that makes no sense, with a subscript out of its array, say, may be one that is never taken: then the
 * condition decides now. */
static TExpr *type_if(const Env *env, const Expr *e)
{
    Sema *s = env->s;
    Type type;
    uint8_t varies;
    DiagMark mark = diag_mark(s->diag);
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, e->n);
    for (uint32_t i = 0; i < e->n; i++) items[i] = type_expr(env, e->items[i]);
    bool ok = unify_branches(items, e->n, &type, &varies);
    if (ok && s->diag->errors == mark.errors) {
        TExpr *x = tx_new(s, X_IF, type, varies, e->span, items, e->n);
        for (uint32_t i = 0; i < e->n; i++)
            if (i % 2 || i + 1 == e->n) x->args[i] = coerce(s, items[i], &type);
        return x;
    }
    bool poisoned = s->diag->errors != mark.errors;
    DiagMark after = diag_mark(s->diag);
    diag_rewind(s->diag, &mark);
    TExpr *decided = items[0]->varies <= VARIES_PARAMETER && !env->function ? decided_branch(env, e) : NULL;
    if (decided && !tx_is_poison(decided)) return decided;
    diag_rewind(s->diag, &after);
    bool any_poison = false;
    for (uint32_t i = 0; i < e->n; i++) any_poison |= tx_is_poison(items[i]);
    if (!poisoned && !any_poison)
        sema_error(s, env->scope, E_TYPE_MISMATCH, e->span, "the branches have different types: %s and %s",
                   type_text(s, &items[1]->type), type_text(s, &items[e->n - 1]->type));
    return tx_poison(s, e->span);
}

/* ---- arrays ---- */

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
        args[i + 1] = items[i];
        known = known && type_is_known(&items[i]->type);
        if (items[i]->type.base == BASE_REAL) type.base = BASE_REAL;
    }
    if (n == 1) return items[0];
    TExpr *x = known ? tx_expand(s, BUILTIN_CAT, args, n + 1, span) : NULL;
    if (x) return coerce(s, x, &type);
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
    if (start->type.base == BASE_INTEGER && (stop->type.base == BASE_REAL || step->type.base == BASE_REAL))
        start = coerce(s, start, &(Type){ .base = BASE_REAL });
    Type type = type_of_rank(s, start->type, 1, NULL);
    type.sizes[0] = SIZE_UNKNOWN;
    uint8_t varies = start->varies > stop->varies ? start->varies : stop->varies;
    if (step->varies > varies) varies = step->varies;
    TExpr *x = tx_new(s, X_RANGE, type, varies, e->span, (TExpr *[]){ start, step, stop }, 3);
    if (varies > VARIES_PARAMETER || (env->function && varies > VARIES_CONSTANT)) return x;
    Value *v = eval(s, x, NULL, env->scope);
    return v ? tx_value(s, v, e->span) : tx_poison(s, e->span);
}

/* ---- comprehensions ---- */

/* The last index makes the first dimension: {f(i, j) for i in a, j in b} is {{f(i, j) for i in a} for j in b}. */
static TExpr *expand_indices(const Env *env, const Expr *e, uint32_t left)
{
    Sema *s = env->s;
    if (left == 0) return type_expr(env, e->left);
    uint32_t at = left - 1;
    TExpr *range = type_index_range(env, &e->indices[at], NULL, e->left);
    if (tx_is_poison(range)) return range;
    if (range->varies > VARIES_PARAMETER || !range->type.rank) {
        sema_error(s, env->scope, E_NOT_EVALUABLE, range->span,
                   "the range of an index must be known when the model is built");
        return tx_poison(s, e->span);
    }
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
    Type type = args[0]->type;
    for (uint32_t i = e->n; reduce == BUILTIN_ARRAY_OF && i-- > 0;) type = type_array_of(s, &type, sizes[i]);
    TExpr *x = tx_new(s, X_COMPREHENSION, type, VARIES_CONTINUOUS, e->span, args, e->n + 1);
    x->op = (uint8_t)reduce;
    x->index = first;
    return x;
}

TExpr *type_comprehension(const Env *env, const Expr *e, Builtin reduce)
{
    if (env->function) return comprehension_in_function(env, e, reduce);
    TExpr *items = expand_indices(env, e, e->n);
    if (tx_is_poison(items) || reduce == BUILTIN_ARRAY_OF) return items;
    Type type = type_scalar(items->type.base);
    return tx_builtin(env->s, reduce, type, items->varies, e->span, &items, 1);
}

/* ---- all kinds ---- */

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
    return tx_is_poison(of) ? of : field_ref(env, of, ref, 0);
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
    case EXPR_SUBSCRIPT: return apply_subscripts(env, type_expr(env, e->left), e->subscripts, e->n, e->span);
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
