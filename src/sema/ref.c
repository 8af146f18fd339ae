/* ref.c: references and subscripts to typed expressions.
 *
 * In models every reference ends at components of simple type, with constant subscripts wherever
 * these are known; constants are replaced by their values, records written out as their members,
 * arrays of components as arrays of what is meant in each element. In functions a reference is a
 * variable with fields and subscripts. Tests: tests/modelica. */
#include "sema/inside.h"

/* ---- subscripts ------------------------------------------------------------------------------ */

static bool is_scalar_sub(const TExpr *sub) { return sub->kind != X_COLON && sub->type.rank == 0; }

/* In models: subscripts that are known become literals. */
static TExpr *evaluate_sub(const Env *env, TExpr *sub)
{
    if (sub->kind == X_COLON || sub->kind == X_INTEGER || env->function || sub->varies > VARIES_PARAMETER)
        return sub;
    if (uses_free(env->s, sub)) return sub;
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
    /* what a function does with an array that is empty here, it may never come to do */
    bool passes = env->function && !sub->type.rank && literal;
    (passes ? sema_lenient : sema_error)(env->s, env->scope, E_SUBSCRIPT, sub->span,
                                         "the subscript %lld is not in 1 to %d", (long long)at, (int)size);
    return passes;
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

/* Of the elements for false and true, where only the run knows which. */
static TExpr *place_of_boolean(Sema *s, TExpr *sub)
{
    TExpr *args[] = { sub, tx_integer(s, 2, sub->span), tx_integer(s, 1, sub->span) };
    return tx_new(s, X_IF, type_scalar(BASE_INTEGER), sub->varies, sub->span, args, 3);
}

/* A dimension that is written as an enumeration or Boolean takes its values, any other one Integers
 * (10.1.1, 10.5.2). */
static bool sub_has_type(const Env *env, const TExpr *of, uint32_t dim, const TExpr *sub)
{
    Sema *s = env->s;
    Entry *e = NULL;
    if (of->kind == X_VAR) e = of->leaf;
    if (of->kind == X_LOCAL && env->function && of->index < env->function->locals.n)
        e = env->function->locals.at[of->index];
    if (!e || sub->kind == X_COLON) return true;
    Inst *const *types = comp_index_types(s, e);
    Inst *want = types ? types[dim] : NULL;
    bool fits = !want ? sub->type.base == BASE_INTEGER
                      : sub->type.base == want->base &&
                            (want->base != BASE_ENUM || same_literals(sub->type.def, want));
    if (fits) return true;
    Type type = { .base = want ? want->base : BASE_INTEGER, .def = want };
    Note *note = sema_error(s, env->scope, E_SUBSCRIPT, sub->span, "this dimension of '%s' takes %s, not %s",
                            name_text(e->name), type_text(s, &type), type_text(s, &sub->type));
    diag_label(s->diag, note, e->decl->declaration->span, "declared here");
    return false;
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
    TExpr **args = NEW_ARRAY(s->arena, TExpr *, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        TExpr *sub = args[i + 1] = evaluate_sub(env, subs[i]);
        if (tx_is_poison(sub) || !sub_in_range(env, sub, of->type.sizes[i])) return tx_poison(s, span);
        if (sub->kind != X_COLON && sub->type.base != BASE_INTEGER && sub->type.base != BASE_ENUM &&
            sub->type.base != BASE_BOOLEAN) {
            sema_error(s, env->scope, E_SUBSCRIPT, sub->span, "a subscript is an Integer, not %s",
                       type_text(s, &sub->type));
            return tx_poison(s, span);
        }
        if (sub->kind != X_COLON && sub->type.rank > 1) {
            sema_error(s, env->scope, E_SUBSCRIPT, sub->span, "a subscript is a scalar or a vector, not %s",
                       type_text(s, &sub->type));
            return tx_poison(s, span);
        }
        if (!sub_has_type(env, of, i, sub)) return tx_poison(s, span);
        if (sub->kind != X_COLON && sub->type.base == BASE_BOOLEAN && !is_literal_sub(sub) && !sub->type.rank)
            sub = args[i + 1] = place_of_boolean(s, sub);
        if (sub->varies > varies) varies = sub->varies;
        known = known && sub_is_known(sub);
        if (!is_scalar_sub(sub))
            sizes[rank++] = sub->kind == X_COLON ? of->type.sizes[i] : sub->type.sizes[0];
    }
    if (known && !env->function) return pick(s, of, args + 1, n, span);
    for (uint32_t i = n; i < of->type.rank; i++) sizes[rank++] = of->type.sizes[i];
    args[0] = of;
    return tx_new(s, X_SUBSCRIPT, type_of_rank(s, of->type, rank, sizes), varies, span, args, n + 1);
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

TExpr *type_subscripts(const Env *env, TExpr *of, Expr *const *subs, uint32_t n, Span span)
{
    if (n == 0 || tx_is_poison(of)) return of;
    TExpr **typed = NEW_ARRAY(env->s->arena, TExpr *, n);
    for (uint32_t i = 0; i < n; i++) typed[i] = type_sub(env, of, i, subs[i]);
    return type_subscript(env, of, typed, n, span);
}

/* ---- references ------------------------------------------------------------------------------ */

static TExpr *ref_through(const Env *env, Entry *e, const Expr *ref, uint32_t at);

static TExpr *unknown_name(const Env *env, Scope *in, Name name, Span span)
{
    Note *note =
        sema_error(env->s, env->scope, E_UNKNOWN_NAME, span, "there is no '%s' here", name_text(name));
    diag_label(env->s->diag, note, in->cls->name_span, "looked up in this class");
    hint_nearest(env->s, note, in, name);
    return tx_poison(env->s, span);
}

TExpr *type_field_ref(const Env *env, TExpr *of, const Expr *ref, uint32_t at)
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
        of = tx_field(s, of, index, type);
        of = type_subscripts(env, of, ref->parts[at].subscripts.at, ref->parts[at].subscripts.n, ref->span);
    }
    return of;
}

static TExpr *local_ref(const Env *env, Entry *e, const Expr *ref, uint32_t at)
{
    TExpr *x = tx_local(env->s, e->local, e->type, ref->span);
    x = type_subscripts(env, x, ref->parts[at].subscripts.at, ref->parts[at].subscripts.n, ref->span);
    return type_field_ref(env, x, ref, at + 1);
}

static TExpr *whole_record(const Env *env, Inst *inst, Span span)
{
    Sema *s = env->s;
    Type type = { .base = BASE_RECORD, .def = inst };
    uint8_t varies = VARIES_CONSTANT;
    inst_list(s, inst);
    TExpr **fields = NEW_ARRAY(s->arena, TExpr *, inst->comps.n + 1);
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        fields[i] = type_ref_entry(env, inst->comps.at[i]);
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
    return ref_through(env, member, ref, at + 1);
}

/* All elements of an array of components, as an array of what the rest of the reference means in
 * each. */
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

/* One element of an array of components by subscripts that are all known: no need to look at the
 * others. */
static TExpr *single_element(const Env *env, Entry *e, const Expr *ref, uint32_t at, bool *single)
{
    const Exprs *subs = &ref->parts[at].subscripts;
    uint32_t index = 0;
    *single = false;
    if (subs->n != e->own_rank) return NULL;
    for (uint32_t i = 0; i < subs->n; i++) {
        TExpr dummy = { .type = e->type };
        TExpr *sub = evaluate_sub(env, type_sub(env, &dummy, i, subs->at[i]));
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
    return subs ? type_subscripts(env, all, subs->at, subs->n, ref->span) : all;
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
    return type_subscripts(env, x, ref->parts[at].subscripts.at, ref->parts[at].subscripts.n, span);
}

static TExpr *ref_entry(const Env *env, Entry *e, const Expr *ref, uint32_t at)
{
    Sema *s = env->s;
    Span span = ref ? ref->span : e->decl->declaration->span;
    e = entry_target(s, e, env->scope, span);
    if (!e || !comp_sizes(s, e)) return tx_poison(s, span);
    if (e->disabled) {
        Note *note = sema_error(
            s, env->scope, E_NOT_A_VALUE, span, "'%s' is not there, since %s", entry_path(s, e),
            e->owner->flags & CLASS_EXPANDABLE ? "nothing is connected to it" : "its condition is false");
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
        e->owner->kind == CLASS_RECORD && e->type.rank)
        return tx_poison(s, span);
    return component_ref(env, e, ref, at);
}

TExpr *type_ref_entry(const Env *env, Entry *e) { return ref_entry(env, e, NULL, 0); }

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

static TExpr *type_time(const Env *env, Span span)
{
    if (!env->function)
        return tx_new(env->s, X_TIME, type_scalar(BASE_REAL), VARIES_CONTINUOUS, span, NULL, 0);
    sema_error(env->s, env->scope, E_OPERATOR_PLACE, span,
               "a function cannot see 'time': pass it as an argument");
    return tx_poison(env->s, span);
}

/* What the reference means from part `at` on, which is e: through classes to a component. */
static TExpr *ref_through(const Env *env, Entry *e, const Expr *ref, uint32_t at)
{
    Sema *s = env->s;
    while (e->kind == ENTRY_CLASS) {
        Inst *inst = inst_resolved(s, entry_class(s, e));
        if (++at == ref->n) return class_value(env, inst, ref);
        if (inst->base == BASE_ENUM) return enum_literal(env, inst, ref, at);
        e = find_in(s, inst, ref->parts[at].name);
        if (!e) return unknown_name(env, inst->own, ref->parts[at].name, ref->parts[at].span);
        if (!is_seen_from(e, env->scope)) return protected_name(env, e, ref->parts[at].span);
        if (!may_look_into(s, env->scope, inst, e, ref->span)) return tx_poison(s, ref->span);
    }
    return ref_entry(env, e, ref, at);
}

/* Of the components of a class around, only constants are seen. */
static bool may_see_around(const Env *env, Entry *e, Span span)
{
    Sema *s = env->s;
    if (e->kind != ENTRY_COMPONENT || !comp_make(s, e) || e->varies == VARIES_CONSTANT) return true;
    Note *note = sema_error(s, env->scope, E_ENCLOSING, span,
                            "'%s' belongs to the class around '%s', and is not constant", name_text(e->name),
                            name_text(env->scope->cls->name));
    diag_label(s->diag, note, e->decl->declaration->span, "declared here");
    return false;
}

/* sin, say, as an argument of a function. */
static Entry *predefined_value(Sema *s, Name name)
{
    const char *text = arena_printf(s->arena, "'function %s'", name_text(name));
    return inst_entry(s, s->builtins->inst, name_of(s->names, str_of(text)));
}

TExpr *type_ref(const Env *env, const Expr *ref)
{
    Sema *s = env->s;
    Name first = ref->parts[0].name;
    for (const Iter *i = env->iters; !ref->flag && i; i = i->outer)
        if (i->name == first)
            return type_field_ref(env,
                                  type_subscripts(env, i->value, ref->parts[0].subscripts.at,
                                                  ref->parts[0].subscripts.n, ref->span),
                                  ref, 1);
    Scope *where = NULL;
    Entry *e = ref->flag ? find_in(s, s->top, first) : lookup_name_in(s, env->scope, first, &where);
    if (!e && ref->n == 1 && str_is(name_str(first), "time")) return type_time(env, ref->span);
    Entry *value = !e && ref->n == 1 ? predefined_value(s, first) : NULL;
    if (value) return class_value(env, inst_resolved(s, entry_class(s, value)), ref);
    if (!e && is_bad_import(env->scope, first)) return tx_poison(s, ref->span);
    if (!e) return unknown_name(env, env->scope, first, ref->parts[0].span);
    if (where && where->inst != env->scope->inst && !may_see_around(env, e, ref->span))
        return tx_poison(s, ref->span);
    return ref_through(env, e, ref, 0);
}
