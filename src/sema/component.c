/* component.c: components: type, prefixes, condition, sizes, instances, binding, value.
 *
 * Each of these is found when first asked for and kept. A step that needs its own result is
 * reported as a cycle. An array of a simple type is one entry; an array of models, connectors or
 * records has an instance for each element, since each may be modified differently. Tests:
 * tests/modelica. */
#include "sema/inside.h"

enum { DEEPEST_SAME_CLASS = 16 };

bool entry_is_local(const Entry *e)
{
    return e->owner->kind == CLASS_FUNCTION && !e->owner->container && e->varies != VARIES_CONSTANT;
}

Env env_of(Sema *s, Scope *scope)
{
    Env env = { .s = s, .scope = scope, .place = PLACE_BINDING };
    if (scope && scope->inst->kind == CLASS_FUNCTION && !scope->inst->container)
        env.function = function_of(s, scope->inst);
    return env;
}

static bool has_open_size(Sema *s, const Entry *e);

/* What of the declaration of an inner component does not fit the outer one; NULL: nothing. */
static const char *inner_differs(Sema *s, Entry *outer, Entry *inner)
{
    bool is_simple = outer->cls->root != NULL;
    if (is_simple && inner->varies > outer->varies)
        return "the inner '%s' changes more often than where it is outer%s";
    if (comp_rank(s, outer) != comp_rank(s, inner))
        return "the inner '%s' has other dimensions than where it is outer%s";
    bool sized = is_simple && comp_rank(s, outer) && !has_open_size(s, outer);
    if (!sized || !comp_sizes(s, outer) || !comp_sizes(s, inner)) return NULL;
    for (uint32_t i = 0; i < outer->type.rank && outer->type.rank == inner->type.rank; i++)
        if (outer->type.sizes[i] != inner->type.sizes[i])
            return "the inner '%s' has another size than where it is outer%s";
    return NULL;
}

/* An inner component has all that the outer one, which stands for it, promises. */
static bool inner_fits(Sema *s, Entry *outer, Entry *inner)
{
    if (!comp_make(s, outer) || !comp_make(s, inner)) return true;
    Name missing = NULL;
    bool same_kind = (outer->cls->base <= BASE_ENUM) == (inner->cls->base <= BASE_ENUM);
    if (same_kind && outer->cls->base > BASE_ENUM) {
        inst_list(s, outer->cls);
        for (uint32_t i = 0; !missing && i < outer->cls->comps.n; i++)
            if (!(outer->cls->comps.at[i]->flags & IS_PROTECTED) &&
                !inst_entry(s, inner->cls, outer->cls->comps.at[i]->name))
                missing = outer->cls->comps.at[i]->name;
    } else if (same_kind) {
        same_kind = outer->cls->base == inner->cls->base;
    }
    const char *why = missing     ? "the inner '%s' has no '%s', which is expected where it is outer"
                      : same_kind ? inner_differs(s, outer, inner)
                                  : "the inner '%s' is of another type than where it is outer%s";
    if (!why) return true;
    Note *note = sema_error(s, inner->scope, E_TYPE_MISMATCH, inner->decl->declaration->span, why,
                            name_text(inner->name), missing ? name_text(missing) : "");
    diag_label(s->diag, note, outer->decl->declaration->span, "declared as 'outer' here");
    return false;
}

Entry *entry_target(Sema *s, Entry *e, Scope *scope, Span span)
{
    if (e->kind != ENTRY_COMPONENT || !(e->flags & IS_OUTER) || e->flags & IS_INNER) return e;
    if (e->state == STATE_POISONED) return NULL;
    bool is_new = !e->inner;
    Entry *inner = lookup_inner(s, e);
    if (inner && (!is_new || inner_fits(s, e, inner))) return inner;
    if (inner) {
        e->state = STATE_POISONED;
        return NULL;
    }
    inner = make_inner(s, e);
    if (!inner) e->state = STATE_POISONED;
    const Path *type = &e->decl->element->clause->type;
    Note *note = (inner ? sema_lenient : sema_error)(
        s, inner ? NULL : scope, E_NO_INNER, inner ? e->decl->declaration->span : span,
        "there is no 'inner %s' in any component around this one%s", name_text(e->name),
        inner ? ": one is made, with the values of its class" : "");
    if (!inner) diag_label(s->diag, note, e->decl->declaration->span, "declared as 'outer' here");
    Str message =
        e->cls ? modification_string(class_annotation(e->cls->own->cls), "missingInnerMessage") : (Str){ 0 };
    if (message.n) diag_hint(s->diag, note, "%.*s", (int)message.n, message.at);
    diag_hint(s->diag, note, "declare 'inner %s %s' in the model that is simulated",
              name_text(type->at[type->n - 1]), name_text(e->name));
    return inner;
}

/* ---- type and prefixes ----------------------------------------------------------------------- */

static uint8_t declared_varies(uint8_t variability)
{
    static const uint8_t table[] = { VARIES_CONTINUOUS, VARIES_DISCRETE, VARIES_PARAMETER, VARIES_CONSTANT };
    return table[variability];
}

/* The next scope on the way from a type to what it is in the end: through short classes, and for
 * simple types also through extends. */
static const Scope *type_below(const Inst *type, const Scope *scope)
{
    if (scope->cls->form == FORM_SHORT) return scope->n ? scope->bases[0] : NULL;
    for (const Scope *p = type->root; p; p = p->derived)
        if (p->derived == scope) return p;
    return NULL;
}

/* A constant record that a function declares: its members are values, like those of a constant
 * elsewhere. */
static bool is_constant_of_function(const Inst *owner)
{
    const Entry *e = owner->entry;
    return e && !owner->container && e->kind == ENTRY_COMPONENT && e->declared == VARIABILITY_CONSTANT;
}

/* Prefixes come from the clause, from the short classes that the type is made of, and from
 * around. */
static void find_prefixes(Entry *e, const Clause *clause)
{
    const Entry *around = e->owner->container || is_constant_of_function(e->owner) ? e->owner->entry : NULL;
    e->declared = clause->variability;
    e->flow = clause->flow;
    e->causes = clause->causality;
    if (e->replaced && e->replaced->declaration) { /* a redeclaration keeps what it does not say (7.3) */
        const Clause *old = e->replaced->element->clause;
        if (e->declared == VARIABILITY_NONE) e->declared = old->variability;
        if (!e->flow) e->flow = old->flow;
        if (!e->causes) e->causes = old->causality;
    }
    e->varies = declared_varies(e->declared);
    for (const Scope *p = e->cls->own; !e->causes && p; p = type_below(e->cls, p))
        if (p->cls->form == FORM_SHORT) e->causes = p->cls->causality;
    e->in_connector = e->owner->is_connector || e->cls->is_connector || (around && around->in_connector);
    bool inherits = around && e->owner->base != BASE_CLASS;
    if (around && (inherits || e->owner->is_connector)) {
        if (around->varies < e->varies) e->varies = around->varies;
        if (!e->causes) e->causes = around->causes;
        if (!e->flow) e->flow = around->flow;
    }
    if (e->cls->base <= BASE_ENUM && e->cls->base != BASE_REAL && e->varies == VARIES_CONTINUOUS)
        e->varies = VARIES_DISCRETE;
}

bool comp_make(Sema *s, Entry *e)
{
    if (e->state == STATE_DONE) return true;
    if (e->state == STATE_POISONED) return false;
    const Clause *clause = e->decl->element->clause;
    if (e->state == STATE_BUSY) {
        sema_error(s, e->scope, E_SELF_CONTAINING, e->decl->declaration->span,
                   "the type of '%s' depends on itself", name_text(e->name));
        e->state = STATE_POISONED;
        return false;
    }
    e->state = STATE_BUSY;
    e->cls = lookup_class(s, e->scope, &clause->type);
    if (!e->cls || inst_resolved(s, e->cls)->base == BASE_POISON) {
        e->state = STATE_POISONED;
        return false;
    }
    if (e->cls->kind == CLASS_PACKAGE || e->cls->kind == CLASS_OPERATOR) {
        Note *note = sema_error(s, e->scope, E_NOT_A_TYPE, clause->type.span,
                                "a package cannot be the type of '%s'", name_text(e->name));
        diag_label(s->diag, note, e->cls->own->cls->name_span, "the package");
        e->state = STATE_POISONED;
        return false;
    }
    find_prefixes(e, clause);
    e->type = (Type){ .base = e->cls->base, .def = e->cls };
    e->state = STATE_DONE;
    component_rules(s, e, clause);
    return true;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

typedef struct {
    const Expr *expr;
    Scope *scope;
} SizeText;

typedef VEC(SizeText) SizeTexts;

static void add_sizes(Sema *s, SizeTexts *out, const Exprs *subscripts, Scope *scope)
{
    for (uint32_t i = 0; i < subscripts->n; i++)
        vec_push(s->arena, out, ((SizeText){ subscripts->at[i], scope }));
}

static SizeTexts size_texts(Sema *s, const Entry *e)
{
    SizeTexts out = { 0 };
    const Decl *decl = e->decl;
    Scope *scope = e->scope;
    bool open = !decl->declaration->subscripts.n && !decl->element->clause->subscripts.n;
    if (open && e->replaced &&
        e->replaced->declaration) { /* a redeclaration without sizes keeps the original's */
        decl = e->replaced;
        scope = e->replaced_scope;
    }
    add_sizes(s, &out, &decl->declaration->subscripts, scope);
    add_sizes(s, &out, &decl->element->clause->subscripts, scope);
    for (const Scope *p = e->cls->own; p; p = type_below(e->cls, p))
        if (p->cls->form == FORM_SHORT) add_sizes(s, &out, &p->cls->subscripts, p->outer);
    return out;
}

uint32_t comp_rank(Sema *s, const Entry *e) { return size_texts(s, e).n; }

static bool has_open_size(Sema *s, const Entry *e)
{
    SizeTexts texts = size_texts(s, e);
    for (uint32_t i = 0; i < texts.n; i++)
        if (texts.at[i].expr->kind == EXPR_COLON) return true;
    return false;
}

/* The enumeration, or Boolean, where a size names it. */
static Inst *type_of_size(Sema *s, const SizeText *t)
{
    if (t->expr->kind != EXPR_REF) return NULL;
    Entry *e = lookup_name(s, t->scope, t->expr->parts[0].name);
    for (uint32_t i = 1; e && e->kind == ENTRY_CLASS && i < t->expr->n; i++)
        e = find_in(s, entry_class(s, e), t->expr->parts[i].name);
    Inst *inst = e && e->kind == ENTRY_CLASS ? inst_resolved(s, entry_class(s, e)) : NULL;
    return inst && (inst->base == BASE_ENUM || inst->base == BASE_BOOLEAN) ? inst : NULL;
}

Inst *const *comp_index_types(Sema *s, Entry *e)
{
    if (e->index_state == STATE_DONE || !comp_make(s, e)) return e->index_types;
    e->index_state = STATE_DONE;
    SizeTexts texts = size_texts(s, e);
    for (uint32_t i = 0; i < texts.n; i++) {
        Inst *type = type_of_size(s, &texts.at[i]);
        if (type && !e->index_types) e->index_types = NEW_ARRAY(s->arena, Inst *, texts.n + 1);
        if (type) e->index_types[i] = type;
    }
    return e->index_types;
}

Inst *comp_dimension(Sema *s, Entry *e, uint32_t dim)
{
    if (!comp_make(s, e)) return NULL;
    SizeTexts texts = size_texts(s, e);
    return dim < texts.n ? type_of_size(s, &texts.at[dim]) : NULL;
}

/* Whether sizes may stay open: in functions, and in records as functions see them. */
static bool sizes_may_be_open(const Entry *e)
{
    return entry_is_local(e) || (!e->owner->container && e->owner->kind == CLASS_RECORD);
}

static bool find_size(Sema *s, Entry *e, const SizeText *t, uint32_t i)
{
    int64_t value;
    const Inst *over = type_of_size(s, t);
    if (over) {
        e->type.sizes[i] = over->base == BASE_BOOLEAN ? 2 : (int32_t)over->root->cls->literal_count;
        return true;
    }
    Env env = env_of(s, t->scope);
    TExpr *size = type_expr(&env, t->expr);
    if (tx_is_poison(size)) return false;
    e->size_exprs[i] = size;
    if (sizes_may_be_open(e) && size->varies > VARIES_PARAMETER) return true;
    if (sizes_may_be_open(e) && e->owner->kind == CLASS_RECORD) {
        Value *v = try_eval(s, size, t->scope);
        if (v && v->base == BASE_INTEGER) e->type.sizes[i] = (int32_t)v->at[0].integer;
        return true;
    }
    if (!eval_integer(s, size, t->scope, &value)) return false;
    if (value < 0 || value > INT32_MAX) {
        sema_error(s, e->scope, E_BAD_SIZE, t->expr->span, "the size %lld of '%s' is not possible",
                   (long long)value, name_text(e->name));
        return false;
    }
    e->type.sizes[i] = (int32_t)value;
    return true;
}

static TExpr *raw_binding(Sema *s, Entry *e);

/* The type of what a parameter is bound to, with the sizes of its value where the text leaves them
 * open, as in a record that a function returns. */
static Type bound_type(Sema *s, const Entry *e, TExpr *binding)
{
    Type type = binding->type;
    bool open = !type_is_known(&type) && e->varies <= VARIES_PARAMETER && binding->varies <= VARIES_PARAMETER;
    Value *v = open ? try_eval(s, binding, e->scope) : NULL;
    return v ? type_of_rank(s, type, v->rank, v->sizes) : type;
}

/* Sizes written as ':' are those of the binding. */
static bool sizes_from_binding(Sema *s, Entry *e, const SizeTexts *texts)
{
    bool open = false;
    for (uint32_t i = 0; i < texts->n; i++) open |= texts->at[i].expr->kind == EXPR_COLON;
    if (!open) return true;
    TExpr *binding = sizes_may_be_open(e) ? NULL : raw_binding(s, e);
    if (!binding && sizes_may_be_open(e)) return true;
    if (binding && tx_is_poison(binding)) return false;
    Type bound = binding ? bound_type(s, e, binding) : (Type){ 0 };
    if (!binding || bound.rank != e->type.rank || !type_is_known(&bound)) {
        if (!binding && e->varies <= VARIES_PARAMETER) {
            sema_error(s, e->scope, E_NO_VALUE, e->decl->declaration->span,
                       "the sizes of '%s' are left open, and it has no value to take them from",
                       entry_path(s, e));
            return false;
        }
        sema_error(s, e->scope, E_BAD_SIZE, e->decl->declaration->span, "the sizes of '%s' cannot be found",
                   entry_path(s, e));
        return false;
    }
    for (uint32_t i = 0; i < texts->n; i++)
        if (texts->at[i].expr->kind == EXPR_COLON) e->type.sizes[i] = bound.sizes[i];
    return true;
}

static bool find_sizes(Sema *s, Entry *e)
{
    SizeTexts texts = size_texts(s, e);
    e->type = type_of_rank(s, e->type, texts.n, NULL);
    e->size_exprs = NEW_ARRAY(s->arena, TExpr *, texts.n + 1);
    for (uint32_t i = 0; i < texts.n; i++) e->type.sizes[i] = SIZE_UNKNOWN;
    if (!sizes_from_binding(s, e, &texts)) return false;
    for (uint32_t i = 0; i < texts.n; i++)
        if (texts.at[i].expr->kind != EXPR_COLON && !find_size(s, e, &texts.at[i], i)) return false;
    if (!type_is_huge(&e->type)) return true;
    sema_error(s, e->scope, E_BAD_SIZE, e->decl->declaration->span, "'%s' is far too large: %s",
               entry_path(s, e), type_text(s, &e->type));
    return false;
}

/* ---- instances ------------------------------------------------------------------------------- */

static bool contains_itself(Sema *s, const Entry *e)
{
    uint32_t same = 0;
    for (const Inst *i = e->owner; i; i = i->container) same += i->own->cls == e->cls->own->cls;
    if (same && e->cls->own->index->contains_itself) return true;
    if (same < DEEPEST_SAME_CLASS) return false;
    e->cls->own->index->contains_itself = true;
    Note *note = sema_error(s, NULL, E_SELF_CONTAINING, e->decl->declaration->span,
                            "'%s' contains a component of its own class without end",
                            name_text(e->cls->own->cls->name));
    diag_label(s->diag, note, e->cls->own->cls->name_span, "this class");
    return true;
}

static Inst *make_instance(Sema *s, Entry *e, uint32_t index, uint32_t rank, const int32_t *at)
{
    Mods mods = mods_join(s, mods_for_element(s, e->mods, rank, at, e->type.sizes), e->cls->own->mods);
    Inst *inst = inst_new(s, e->cls->own->cls, e->cls->own->outer, mods, e);
    inst->container = e->owner->kind == CLASS_FUNCTION && !e->owner->container ? NULL : e->owner;
    inst->index = index;
    return inst_resolved(s, inst);
}

static void next_index(const Type *t, int32_t *at)
{
    for (uint32_t i = t->rank; i-- > 0;) {
        if (++at[i] < t->sizes[i]) return;
        at[i] = 0;
    }
}

static bool make_instances(Sema *s, Entry *e)
{
    bool whole =
        e->cls->root || e->cls->base == BASE_OBJECT || e->cls->base == BASE_FUNCTION || sizes_may_be_open(e);
    if (whole || !e->type.rank) {
        e->count = 1;
        e->elements = NEW_ARRAY(s->arena, Inst *, 1);
        bool shared = (e->cls->root && !e->mods.n) ||
                      e->cls->base == BASE_FUNCTION; /* nothing is said of this one alone */
        e->elements[0] = shared ? e->cls : make_instance(s, e, 0, 0, NULL);
    } else {
        int32_t *at = NEW_ARRAY(s->arena, int32_t, e->type.rank);
        e->own_rank = e->type.rank;
        e->count = type_count(&e->type);
        e->elements = NEW_ARRAY(s->arena, Inst *, e->count + 1u);
        for (uint32_t i = 0; i < e->count || i == 0; i++, next_index(&e->type, at))
            e->elements[i] = make_instance(s, e, i, e->type.rank, at);
    }
    if (e->type.def) e->type.def = e->elements[0];
    return e->elements[0]->base != BASE_POISON;
}

/* A redeclaration has no condition of its own to say: that of the original stays. */
static bool is_enabled(Sema *s, Entry *e)
{
    bool value = true,
         is_original = e->decl->declaration->condition || !e->replaced || !e->replaced->declaration;
    const Expr *condition = (is_original ? e->decl : e->replaced)->declaration->condition;
    Scope *scope = is_original ? e->scope : e->replaced_scope;
    if (!condition) return true;
    Env env = env_of(s, scope);
    TExpr *c = type_expr(&env, condition);
    return tx_is_poison(c) || !eval_boolean(s, c, scope, &value) || value;
}

static bool may_be_component(Sema *s, const Entry *e)
{
    if (!inst_is_partial(e->cls) || e->cls->base != BASE_CLASS) return true;
    Note *note = sema_error(s, e->scope, E_PARTIAL_CLASS, e->decl->element->clause->type.span,
                            "'%s' is partial, so '%s' cannot be made from it",
                            name_text(e->cls->own->cls->name), entry_path(s, e));
    diag_label(s->diag, note, e->cls->own->cls->name_span, "the partial class");
    return false;
}

bool comp_is_open(const Entry *e)
{
    if (e->kind != ENTRY_COMPONENT || !(e->owner->flags & CLASS_EXPANDABLE) || e->size_state != STATE_NEW ||
        mods_value(e->mods))
        return false;
    const Exprs *subs = &e->decl->declaration->subscripts;
    for (uint32_t i = 0; i < subs->n; i++)
        if (subs->at[i]->kind == EXPR_COLON) return true;
    return false;
}

bool comp_sizes(Sema *s, Entry *e)
{
    if (comp_is_open(e)) return false;
    if (e->size_state == STATE_DONE) return true;
    if (e->size_state == STATE_POISONED || !comp_make(s, e)) return false;
    if (e->size_state == STATE_BUSY) {
        if (e->type.rank && (e->type.sizes[0] != SIZE_UNKNOWN || sizes_may_be_open(e))) return true;
        e->size_state = STATE_POISONED;
        sema_error(s, e->scope, E_CYCLIC_VALUE, e->decl->declaration->span,
                   "the sizes of '%s' depend on themselves", entry_path(s, e));
        return false;
    }
    e->size_state = STATE_BUSY;
    e->disabled = !is_enabled(s, e);
    bool ok = e->disabled || (!contains_itself(s, e) && may_be_component(s, e) && find_sizes(s, e) &&
                              e->size_state != STATE_POISONED && make_instances(s, e));
    e->size_state = ok ? STATE_DONE : STATE_POISONED;
    return ok;
}

/* ---- bindings and attributes ----------------------------------------------------------------- */

static TExpr *apply_subs(Sema *s, TExpr *e, const Subs *subs, const Mod *m)
{
    if (!subs || tx_is_poison(e)) return e;
    e = apply_subs(s, e, subs->outer, m);
    for (uint32_t i = 0; i < subs->rank && !tx_is_poison(e); i++) {
        bool fits = e->type.rank && (e->type.sizes[0] == subs->sizes[i] || e->type.sizes[0] == SIZE_UNKNOWN ||
                                     !subs->sizes[i]);
        if (fits) {
            e = tx_element(s, e, subs->at[i]);
            continue;
        }
        if (!e->type.rank) {
            Note *note = sema_lenient(s, m->scope, E_EACH, mod_span(m),
                                      "this modifies an array of components, but is one value only");
            diag_hint(s->diag, note, "write 'each' in front for the same value everywhere");
            return s->diag->strict_language ? tx_poison(s, e->span) : e;
        }
        sema_error(s, m->scope, E_SIZE_MISMATCH, mod_span(m),
                   "this has %d elements, but the array of components %d", (int)e->type.sizes[0],
                   (int)subs->sizes[i]);
        return tx_poison(s, e->span);
    }
    return e;
}

TExpr *mod_expr(Sema *s, const Mod *m)
{
    TExpr *e = map_pointer(&m->scope->typed, m->m);
    if (!e) {
        Env env = env_of(s, m->scope);
        e = type_expr(&env, m->m->value);
        map_set_pointer(&m->scope->typed, m->m, e);
    }
    return apply_subs(s, e, m->subs, m);
}

static TExpr *field_of(Sema *s, TExpr *record, const Entry *field)
{
    Inst *def = record->type.def;
    if (record->type.rank || record->type.base != BASE_RECORD || !def) return NULL;
    inst_list(s, def);
    for (uint32_t i = 0; i < def->comps.n; i++) {
        Entry *e = def->comps.at[i];
        if (e->name != field->name) continue;
        return comp_sizes(s, e) ? tx_field(s, record, i, e->type) : NULL;
    }
    return NULL;
}

/* Whether a value of one of the records around a member is said after, or together with, what is
 * said of the member itself: the outermost record decides, and in its list the strongest. */
static bool own_value_counts(Sema *s, const Entry *of, const Entry *const *path, uint32_t n)
{
    bool is_own = false;
    const Inst *owner = of->owner;
    enum { DEEPEST = 32 };
    if (n >= DEEPEST) return true;
    if (owner->base == BASE_RECORD && owner->entry && owner->container) {
        const Entry *longer[DEEPEST + 1] = { of };
        memcpy(longer + 1, path, n * sizeof *path);
        if (!own_value_counts(s, owner->entry, longer, n + 1)) return false;
    }
    for (uint32_t i = 0; i < of->mods.n; i++) {
        Mods one = { &of->mods.at[i], 1 };
        bool is_whole = mods_value(one) != NULL;
        for (uint32_t k = 0; k < n && !is_own && one.n; k++) {
            one = mods_select(s, one, path[k]->name);
            is_own = mods_value(one) != NULL;
        }
        if (is_own || is_whole) return is_own;
    }
    return true;
}

/* A member of a record that is given as a whole. */
static TExpr *binding_from_record(Sema *s, Entry *e)
{
    Inst *owner = e->owner;
    bool stands = owner->container || is_constant_of_function(owner);
    if (!stands || owner->base != BASE_RECORD || !owner->entry) return NULL;
    const Entry *path[] = { e };
    bool is_said = mods_value(mods_select(s, owner->entry->mods, e->name)) != NULL;
    if (is_said && own_value_counts(s, owner->entry, path, 1)) return NULL;
    TExpr *whole = raw_binding(s, owner->entry);
    if (!whole || tx_is_poison(whole)) return whole;
    uint32_t at = owner->index;
    for (uint32_t i = 0; i < owner->entry->own_rank; i++) {
        uint32_t rest = 1;
        for (uint32_t k = i + 1; k < owner->entry->own_rank; k++)
            rest *= (uint32_t)owner->entry->type.sizes[k];
        if (!whole->type.rank || whole->type.sizes[0] <= (int32_t)(at / rest)) return NULL;
        whole = tx_element(s, whole, (int32_t)(at / rest));
        at %= rest;
    }
    return field_of(s, whole, e);
}

static TExpr *raw_binding(Sema *s, Entry *e)
{
    TExpr *from_record = binding_from_record(s, e);
    if (from_record) return from_record;
    const Mod *m = mods_value(e->mods);
    if (!m || m->m->value->kind == EXPR_BREAK) return NULL;
    return mod_expr(s, m);
}

/* A parameter's value may be found by an impure function, once. */
static bool is_impure_call(const TExpr *e)
{
    if (e->kind == X_CALL && e->function->impure && !e->op) return true;
    for (uint32_t i = 0; i < e->n; i++)
        if (is_impure_call(e->args[i])) return true;
    return false;
}

static bool may_vary(const Entry *e, const TExpr *binding)
{
    if (e->varies == VARIES_PARAMETER && binding->varies == VARIES_DISCRETE) return is_impure_call(binding);
    /* Members of records that are declared constant are given by parameters in libraries as they
     * are. */
    if (e->varies == VARIES_CONSTANT && binding->varies == VARIES_PARAMETER)
        return e->declared != VARIABILITY_CONSTANT || e->owner->base == BASE_RECORD;
    return e->varies == VARIES_DISCRETE && e->type.base != BASE_REAL && !tx_is_event_free(binding);
}

/* A member of a record that is a function's variable, which changes from call to call. */
static bool is_in_local(const Entry *e)
{
    const Entry *around = e->owner->container ? NULL : e->owner->entry;
    return around && around->kind == ENTRY_COMPONENT && e->owner->base == BASE_RECORD &&
           (entry_is_local(around) || is_in_local(around));
}

/* A comprehension or slice whose size only the run knows: it may be part of an expression, but is
 * no value of a component. */
static bool is_open_array(const TExpr *e)
{
    bool is_one = e->kind == X_COMPREHENSION || e->kind == X_RANGE || e->kind == X_SUBSCRIPT;
    return is_one && e->varies > VARIES_PARAMETER && !type_is_known(&e->type);
}

static TExpr *check_binding(Sema *s, Entry *e, TExpr *binding)
{
    if (tx_is_poison(binding)) return binding;
    const Mod *m = mods_value(e->mods);
    if (!entry_is_local(e) && !is_in_local(e) && is_open_array(binding)) {
        sema_error(s, m ? m->scope : e->scope, E_BAD_SIZE, binding->span,
                   "the size of this must be known when the model is built");
        return tx_poison(s, binding->span);
    }
    if (!type_fits(&binding->type, &e->type)) {
        Note *note =
            sema_error(s, e->scope, E_TYPE_MISMATCH, binding->span, "'%s' is %s, but its value is %s",
                       name_text(e->name), type_text(s, &e->type), type_text(s, &binding->type));
        diag_label(s->diag, note, e->decl->declaration->span, "declared here");
        return tx_poison(s, binding->span);
    }
    if (e->varies < VARIES_CONTINUOUS && binding->varies > e->varies && !entry_is_local(e) &&
        !is_in_local(e) && !may_vary(e, binding)) {
        static const char *const kinds[] = { "constant", "parameter", "discrete variable" };
        Note *note = sema_error(s, m ? m->scope : e->scope, E_VARIABILITY, binding->span,
                                "'%s' is a %s, but this changes %s", name_text(e->name), kinds[e->varies],
                                binding->varies == VARIES_PARAMETER    ? "from run to run"
                                : binding->varies == VARIES_CONTINUOUS ? "continuously"
                                                                       : "with time");
        diag_label(s->diag, note, e->decl->declaration->span, "declared here");
        return tx_poison(s, binding->span);
    }
    bool made_once = e->varies <= VARIES_PARAMETER || e->type.base == BASE_OBJECT;
    if (!made_once && s->calls_impure && !entry_is_local(e) && is_impure_call(binding)) {
        sema_error(s, m ? m->scope : e->scope, E_IMPURE, binding->span,
                   "an impure function cannot give the value of '%s' at all times", name_text(e->name));
        return tx_poison(s, binding->span);
    }
    return coerce(s, binding, &e->type);
}

static bool uses_member(const TExpr *e, const Inst *inst)
{
    if (e->kind == X_VAR && e->leaf->owner == inst) return true;
    for (uint32_t i = 0; i < e->n; i++)
        if (uses_member(e->args[i], inst)) return true;
    return false;
}

/* A record of a function whose members have values, by modifiers or in their declarations: the
 * others are zero. */
static TExpr *members_binding(Sema *s, Entry *e)
{
    if (!entry_is_local(e) || e->causes == CAUSALITY_INPUT || e->type.base != BASE_RECORD || e->type.rank)
        return NULL;
    Inst *inst = e->elements[0];
    bool any = false;
    inst_list(s, inst);
    TExpr **fields = NEW_ARRAY(s->arena, TExpr *, inst->comps.n + 1);
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        Entry *member = inst->comps.at[i];
        fields[i] = comp_sizes(s, member) ? comp_binding(s, member) : NULL;
        any = any || fields[i];
        Span span = e->decl->declaration->span;
        if (!fields[i] && !member->type.rank && member->type.base == BASE_REAL)
            fields[i] = tx_real(s, 0, span);
        if (!fields[i] && !member->type.rank && member->type.base == BASE_INTEGER)
            fields[i] = tx_integer(s, 0, span);
        if (!fields[i] || tx_is_poison(fields[i]) || uses_member(fields[i], inst)) return NULL;
    }
    return any ? tx_new(s, X_RECORD, e->type, VARIES_CONTINUOUS, e->decl->declaration->span, fields,
                        inst->comps.n)
               : NULL;
}

TExpr *comp_binding(Sema *s, Entry *e)
{
    if (e->bind_state == STATE_DONE) return e->binding;
    if (e->bind_state == STATE_BUSY) {
        sema_error(s, e->scope, E_CYCLIC_VALUE, e->decl->declaration->span,
                   "the value of '%s' depends on itself", entry_path(s, e));
        return tx_poison(s, e->decl->declaration->span);
    }
    e->bind_state = STATE_BUSY;
    bool ok = comp_sizes(s, e);
    TExpr *binding = ok ? raw_binding(s, e) : NULL;
    if (ok && !binding) binding = members_binding(s, e);
    e->binding = binding ? check_binding(s, e, binding) : NULL;
    e->bind_state = STATE_DONE;
    return e->binding;
}

TExpr *comp_attribute(Sema *s, Entry *e, const char *name)
{
    const Scope *root = e->elements[0]->root;
    if (!root || !root->mods.n) return NULL;
    const Mod *m = mods_value(mods_select(s, root->mods, name_of(s->names, str_of(name))));
    if (!m || m->m->value->kind == EXPR_BREAK) return NULL;
    TExpr *value = mod_expr(s, m);
    return tx_is_poison(value) ? NULL : value;
}

/* A parameter with fixed = false: initialisation finds its value. */
static bool is_free(Sema *s, Entry *e)
{
    const TExpr *fixed = comp_attribute(s, e, "fixed");
    return fixed && fixed->kind == X_BOOLEAN && !fixed->integer;
}

/* Whether a parameter waits for initialisation: itself, or what its binding is made of. */
static bool waits(Sema *s, Entry *e)
{
    if (e->waits_state == STATE_NEW) {
        e->waits_state = STATE_BUSY; /* a binding that depends on itself waits for nothing */
        TExpr *binding = comp_sizes(s, e) && !is_free(s, e) ? comp_binding(s, e) : NULL;
        e->waits = is_free(s, e) || (binding && !tx_is_poison(binding) && uses_free(s, binding));
        e->waits_state = STATE_DONE;
    }
    return e->waits;
}

bool uses_free(Sema *s, const TExpr *e)
{
    if (e->kind == X_VAR && e->leaf->varies == VARIES_PARAMETER && waits(s, e->leaf)) return true;
    for (uint32_t i = 0; i < e->n; i++)
        if (uses_free(s, e->args[i])) return true;
    return false;
}

Value *comp_value(Sema *s, Entry *e, Span span)
{
    if (e->value_state == STATE_DONE) return e->value;
    if (e->value_state == STATE_BUSY) {
        Note *note = sema_error(s, e->scope, E_CYCLIC_VALUE, e->decl->declaration->span,
                                "the value of '%s' depends on itself", entry_path(s, e));
        diag_label(s->diag, note, span, "needed here");
        return NULL;
    }
    e->value_state = STATE_BUSY;
    TExpr *binding = comp_binding(s, e);
    if (!binding && e->varies == VARIES_PARAMETER && e->elements && !is_free(s, e))
        binding = comp_attribute(s, e, "start");
    if (!binding && e->size_state == STATE_DONE) {
        bool later = e->varies == VARIES_PARAMETER && e->elements && is_free(s, e);
        Note *note =
            sema_error(s, e->scope, later ? E_NOT_EVALUABLE : E_NO_VALUE, span,
                       later ? "'%s' gets its value at initialisation, but the structure depends on it"
                             : "'%s' has no value, and the structure depends on it",
                       entry_path(s, e));
        diag_label(s->diag, note, e->decl->declaration->span, "declared here");
    }
    Value *v = binding && !tx_is_poison(binding) ? eval(s, binding, NULL, e->scope) : NULL;
    if (v) v = value_convert(s, v, &e->type);
    if (v && e->varies == VARIES_PARAMETER && !e->structural) {
        e->structural = true;
        e->needed_at = span;
    }
    e->value = v;
    e->value_state = v || !s->trying ? STATE_DONE : STATE_NEW;
    return v;
}
