/* function.c: functions: their variables, their bodies as typed statements, and calls of them.
 *
 * A function's variables are numbered: inputs, outputs, the others; loop variables after them.
 * Record constructors are functions whose inputs are the members. A call gets one argument for each
 * input, defaults filled in; where arguments have more dimensions than inputs, the call is made for
 * each element. Tests: tests/modelica. */
#include "sema/inside.h"

/* ---- functions ------------------------------------------------------------------------------- */

static void number_locals(Sema *s, Function *f, bool (*wanted)(const Entry *), bool is_output)
{
    for (uint32_t i = 0; i < f->inst->comps.n; i++) {
        Entry *e = f->inst->comps.at[i];
        if (e->state != STATE_DONE || !wanted(e) || e->varies == VARIES_CONSTANT) continue;
        e->local = f->locals.n;
        vec_push(s->arena, &f->locals, e);
        if (e->causes == CAUSALITY_INPUT) vec_push(s->arena, &f->inputs, e);
        if (is_output) vec_push(s->arena, &f->outputs, e);
    }
}

static bool is_input(const Entry *e) { return e->causes == CAUSALITY_INPUT; }
static bool is_output(const Entry *e) { return e->causes == CAUSALITY_OUTPUT; }
static bool is_other(const Entry *e) { return e->causes == CAUSALITY_NONE; }

static bool is_impure(const Scope *scope)
{
    if (scope->cls->flags & CLASS_IMPURE) return true;
    for (uint32_t i = 0; i < scope->n; i++)
        if (scope->bases[i] && is_impure(scope->bases[i])) return true;
    return false;
}

/* The scope that says der(f, x), or NULL. */
static Scope *der_scope(Scope *scope)
{
    Scope *found = scope->cls->form == FORM_DER ? scope : NULL;
    for (uint32_t i = 0; !found && i < scope->n; i++)
        if (scope->bases[i]) found = der_scope(scope->bases[i]);
    return found;
}

static void differentiate(Sema *s, Function *f, Scope *scope)
{
    if (!scope) return;
    Inst *base = lookup_class(s, scope->outer, &scope->cls->base);
    if (!base || inst_resolved(s, base)->base != BASE_FUNCTION) return; /* which has been told */
    const Path *names = &scope->cls->variables;
    for (uint32_t k = 0; k < names->n; k++) {
        uint32_t by = 0;
        while (by < f->inputs.n && f->inputs.at[by]->name != names->at[k]) by++;
        bool is_there = by < f->inputs.n;
        if (is_there) comp_sizes(s, f->inputs.at[by]);
        if (is_there && f->inputs.at[by]->type.base == BASE_REAL && !f->inputs.at[by]->type.rank) {
            vec_push(s->arena, &f->by, by);
            continue;
        }
        Note *note =
            sema_error(s, scope, E_DER_FUNCTION, names->span, "'%s' is %s of '%s'", name_text(names->at[k]),
                       is_there ? "not a scalar Real input" : "no input", name_text(base->own->cls->name));
        diag_label(s->diag, note, base->own->cls->name_span, "the function");
        f->is_broken = true;
    }
    for (uint32_t k = 0; k < f->outputs.n; k++)
        if (f->outputs.at[k]->type.base != BASE_REAL) {
            sema_error(s, scope, E_DER_FUNCTION, scope->cls->base.span,
                       "the output '%s' of '%s' is no Real, so it has no derivative",
                       name_text(f->outputs.at[k]->name), name_text(base->own->cls->name));
            f->is_broken = true;
        }
    f->of = function_of(s, base);
}

Function *function_of(Sema *s, Inst *inst)
{
    if (inst->function) return inst->function;
    Function *f = inst->function = NEW(s->arena, Function);
    inst_resolved(s, inst);
    f->inst = inst;
    f->id = NONE;
    f->is_record = inst->base == BASE_RECORD;
    inst_list(s, inst);
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        comp_make(s, inst->comps.at[i]);
        if (f->is_record) vec_push(s->arena, &f->inputs, inst->comps.at[i]);
    }
    f->impure = is_impure(inst->own);
    if (f->is_record) return f;
    number_locals(s, f, is_input, false);
    number_locals(s, f, is_output, true);
    number_locals(s, f, is_other, false);
    differentiate(s, f, der_scope(inst->own));
    return f;
}

static void body_of_scope(Sema *s, Function *f, Scope *scope)
{
    for (uint32_t i = 0; i < scope->n; i++)
        if (scope->bases[i]) body_of_scope(s, f, scope->bases[i]);
    for (uint32_t i = 0; i < scope->cls->section_count; i++) {
        const Section *section = scope->cls->sections[i];
        Env env = { .s = s, .scope = scope, .function = f, .place = PLACE_ALGORITHM };
        if (!section->is_algorithm) {
            sema_error(s, scope, E_EQUATION, section->span,
                       "a function has algorithm sections, no equations");
            continue;
        }
        TStmts body = type_statements(&env, &section->body);
        for (uint32_t k = 0; k < body.n; k++) vec_push(s->arena, &f->body, body.at[k]);
    }
}

void function_body(Sema *s, Function *f)
{
    if (f->body_state != STATE_NEW) return;
    f->body_state = STATE_BUSY;
    uint32_t errors = s->diag->errors, poisons = s->poisons, notes = s->diag->notes.n;
    for (uint32_t i = 0; i < f->locals.n; i++) {
        comp_sizes(s, f->locals.at[i]);
        if (f->locals.at[i]->causes != CAUSALITY_INPUT) comp_binding(s, f->locals.at[i]);
    }
    if (f->of)
        function_body(s, f->of);
    else
        body_of_scope(s, f, f->inst->own);
    f->body_state = STATE_DONE;
    f->is_broken |= errors != s->diag->errors || poisons != s->poisons;
    if (!f->is_broken) f->is_broken = !bindings_are_ordered(s, f);
    /* a body is typed once: what is wrong in it would not be said again */
    for (uint32_t i = notes; i < s->diag->notes.n; i++) s->diag->notes.at[i]->stays = true;
    if (!f->is_broken && !f->of) function_rules(s, f);
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct {
    const Env *env;
    Function *f;
    TExpr **args; /* one for each input */
    Span span;
} Call;

static TExpr *bad_call(const Call *c, Note *note)
{
    diag_label(c->env->s->diag, note, c->f->inst->own->cls->name_span, "the function");
    return NULL;
}

static bool place_arguments(Call *c, const Expr *e)
{
    Sema *s = c->env->s;
    for (uint32_t i = 0; i < e->n; i++) {
        const Expr *item = e->items[i];
        uint32_t place = i;
        if (item->kind == EXPR_NAMED)
            for (place = 0; place < c->f->inputs.n && c->f->inputs.at[place]->name != item->name;) place++;
        if (place >= c->f->inputs.n) {
            bad_call(c,
                     item->kind == EXPR_NAMED
                         ? sema_error(s, c->env->scope, E_ARGUMENTS, item->span, "'%s' has no input '%s'",
                                      name_text(c->f->inst->own->cls->name), name_text(item->name))
                         : sema_error(s, c->env->scope, E_ARGUMENTS, item->span,
                                      "'%s' takes only %u argument%s", name_text(c->f->inst->own->cls->name),
                                      (unsigned)c->f->inputs.n, c->f->inputs.n == 1 ? "" : "s"));
            return false;
        }
        const Entry *constant = c->f->is_record ? c->f->inputs.at[place] : NULL;
        if (constant && item->kind == EXPR_NAMED && constant->varies == VARIES_CONSTANT &&
            mods_value(constant->mods)) {
            bad_call(c, sema_error(s, c->env->scope, E_ARGUMENTS, item->span,
                                   "'%s' is a constant of '%s', and no argument of its constructor",
                                   name_text(item->name), name_text(c->f->inst->own->cls->name)));
            return false;
        }
        if (c->args[place]) {
            bad_call(c, sema_error(s, c->env->scope, E_ARGUMENTS, item->span, "'%s' is given twice",
                                   name_text(c->f->inputs.at[place]->name)));
            return false;
        }
        c->args[place] = type_expr(c->env, item->kind == EXPR_NAMED ? item->left : item);
        if (tx_is_poison(c->args[place])) return false;
    }
    return true;
}

static bool fill_default(Call *c, uint32_t i, uint8_t *state);

/* The member of the record that is made which an expression means, itself or a part of it; the
 * number of inputs if none. */
static uint32_t member_of(const Call *c, const Inst *owner, const Entry *e)
{
    if (!c->f->is_record || e->own_rank) return c->f->inputs.n;
    if (owner != c->f->inst) {
        const Entry *around = owner->container ? owner->entry : NULL;
        return around && owner->base == BASE_RECORD ? member_of(c, owner->container, around) : c->f->inputs.n;
    }
    uint32_t at = 0;
    while (at < c->f->inputs.n && c->f->inputs.at[at] != e) at++;
    return at;
}

static TExpr *member_value(const Call *c, const Inst *owner, Entry *e)
{
    if (owner == c->f->inst) return c->args[member_of(c, owner, e)];
    TExpr *of = member_value(c, owner->container, owner->entry);
    uint32_t at = 0;
    while (at < owner->comps.n && owner->comps.at[at] != e) at++;
    return tx_field(c->env->s, of, at, e->type);
}

/* In a default value of a record's member: what another member is in this call. */
static TExpr *this_member(void *arg, TExpr *e)
{
    const Call *c = arg;
    bool is_member = member_of(c, e->leaf->owner, e->leaf) < c->f->inputs.n;
    return is_member ? member_value(c, e->leaf->owner, e->leaf) : e;
}

/* The inputs that a default value is calculated from come before it. */
static bool fill_inputs_of(Call *c, const TExpr *e, uint8_t *state)
{
    if (e->kind == X_LOCAL && e->index < c->f->inputs.n) return fill_default(c, e->index, state);
    uint32_t member = e->kind == X_VAR ? member_of(c, e->leaf->owner, e->leaf) : c->f->inputs.n;
    if (member < c->f->inputs.n) return fill_default(c, member, state);
    for (uint32_t i = 0; i < e->n; i++)
        if (!fill_inputs_of(c, e->args[i], state)) return false;
    return true;
}

static bool fill_default(Call *c, uint32_t i, uint8_t *state)
{
    Sema *s = c->env->s;
    Entry *input = c->f->inputs.at[i];
    const char *name = name_text(c->f->inst->own->cls->name);
    if (c->args[i]) return true;
    if (state[i] == STATE_BUSY) {
        bad_call(c, sema_error(s, c->env->scope, E_CYCLIC_VALUE, c->span,
                               "the default value of '%s' of '%s' depends on itself", name_text(input->name),
                               name));
        return false;
    }
    state[i] = STATE_BUSY;
    TExpr *value = input->state == STATE_DONE ? comp_binding(s, input) : NULL;
    if (value && tx_is_poison(value)) return false;
    if (!value) {
        bad_call(c, sema_error(s, c->env->scope, E_ARGUMENTS, c->span, "'%s' needs a value for '%s'", name,
                               name_text(input->name)));
        return false;
    }
    if (!fill_inputs_of(c, value, state)) return false;
    c->args[i] = c->f->is_record ? tx_replace(s, value, this_member, c)
                                 : tx_substitute(s, value, c->args, c->f->inputs.n);
    return true;
}

static bool fill_defaults(Call *c)
{
    uint8_t *state = NEW_ARRAY(c->env->s->arena, uint8_t, c->f->inputs.n + 1);
    bool ok = true;
    for (uint32_t i = 0; i < c->f->inputs.n; i++) ok = fill_default(c, i, state) && ok;
    return ok;
}

/* Whether a function with the inputs that are left open can take the place of one of this type. */
static bool function_fits(Sema *s, const TExpr *given, const Type *want)
{
    if (want->base != BASE_FUNCTION || given->kind != X_PARTIAL) return true;
    const Function *f = given->function, *type = function_of(s, want->def);
    uint32_t open = 0;
    if (f->outputs.n < type->outputs.n) return false;
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        Entry *input = f->inputs.at[i];
        if (given->args[i]->kind != X_OMITTED) continue;
        if (open < type->inputs.n) {
            Entry *expected = type->inputs.at[open];
            if (comp_sizes(s, input) && comp_sizes(s, expected) && !type_fits(&expected->type, &input->type))
                return false;
        } else if (!comp_binding(s, input)) {
            return false;
        }
        open++;
    }
    return open >= type->inputs.n;
}

static bool same_shape(const Type *a, const Type *b, uint32_t rank)
{
    for (uint32_t i = 0; i < rank; i++)
        if (a->sizes[i] != b->sizes[i] && a->sizes[i] != SIZE_UNKNOWN && b->sizes[i] != SIZE_UNKNOWN)
            return false;
    return true;
}

/* The type of an input; the sizes of a record's member follow from the members that are given. */
static Type member_type(Call *c, const Entry *input)
{
    Sema *s = c->env->s;
    Type type = type_of_rank(s, input->type, input->type.rank, input->type.sizes);
    for (uint32_t i = 0; c->f->is_record && input->size_exprs && i < type.rank; i++) {
        TExpr *text = input->size_exprs[i];
        TExpr *size = text && text->varies != VARIES_CONSTANT ? tx_replace(s, text, this_member, c) : NULL;
        if (!size || size == text) continue;
        Value *v = size->varies <= VARIES_PARAMETER ? try_eval(s, size, c->env->scope) : NULL;
        type.sizes[i] = v && v->base == BASE_INTEGER ? (int32_t)v->at[0].integer : SIZE_UNKNOWN;
    }
    return type;
}

/* How many dimensions too many the arguments have: the call is made for each element then. */
static bool extra_rank(Call *c, uint32_t *extra, const Type **shape)
{
    Sema *s = c->env->s;
    *extra = 0;
    for (uint32_t i = 0; i < c->f->inputs.n; i++) {
        Entry *input = c->f->inputs.at[i];
        if (!comp_sizes(s, input)) return false;
        Type own = member_type(c, input);
        const Type *given = &c->args[i]->type, *want = &own;
        if (want->base == BASE_RECORD && given->base == BASE_RECORD && want->def && given->def) {
            inst_list(s, want->def);
            inst_list(s, given->def);
        }
        uint32_t more = given->rank > want->rank ? (uint32_t)(given->rank - want->rank) : 0;
        Type inner = type_element(given, more);
        if (!type_fits(&inner, want) || (more && *extra && more != *extra) ||
            !function_fits(s, c->args[i], want)) {
            bad_call(c, sema_error(s, c->env->scope, E_TYPE_MISMATCH, c->args[i]->span,
                                   "'%s' of '%s' is %s, not %s", name_text(input->name),
                                   name_text(c->f->inst->own->cls->name), type_text(s, want),
                                   type_text(s, given)));
            return false;
        }
        if (more && *extra && !same_shape(given, *shape, more)) {
            bad_call(c, sema_error(s, c->env->scope, E_SIZE_MISMATCH, c->args[i]->span,
                                   "'%s' is called for each element of %s and of %s, whose sizes differ",
                                   name_text(c->f->inst->own->cls->name), type_text(s, *shape),
                                   type_text(s, given)));
            return false;
        }
        if (more && !*extra) {
            *extra = more;
            *shape = given;
        }
    }
    return true;
}

static uint8_t varies_of(const Call *c, TExpr *const *args)
{
    uint8_t varies = c->f->impure ? VARIES_PARAMETER : VARIES_CONSTANT;
    for (uint32_t i = 0; i < c->f->inputs.n; i++)
        if (args[i]->varies > varies) varies = args[i]->varies;
    return varies;
}

/* Values of all variables of the function as far as they are known before its body: arguments, then
 * bindings. */
static TExpr **known_locals(const Call *c, TExpr *const *args)
{
    Sema *s = c->env->s;
    TExpr **known = NEW_ARRAY(s->arena, TExpr *, c->f->locals.n + 1);
    for (uint32_t i = 0; i < c->f->locals.n; i++) {
        TExpr *binding = i < c->f->inputs.n ? NULL : comp_binding(s, c->f->locals.at[i]);
        if (i < c->f->inputs.n)
            known[i] = args[i];
        else if (binding && !tx_is_poison(binding))
            known[i] = tx_substitute(s, binding, known, i);
    }
    return known;
}

/* The result's type, with sizes as far as the arguments tell them. */
static Type result_type(const Call *c, TExpr *const *args, const Entry *output)
{
    Sema *s = c->env->s;
    TExpr **known = NULL;
    Type type = type_of_rank(s, output->type, output->type.rank, output->type.sizes);
    for (uint32_t i = 0; i < type.rank; i++) {
        if (type.sizes[i] != SIZE_UNKNOWN || !output->size_exprs || !output->size_exprs[i]) continue;
        if (!known) known = known_locals(c, args);
        TExpr *size = tx_substitute(s, output->size_exprs[i], known, c->f->locals.n);
        Value *v = size->varies <= VARIES_PARAMETER ? try_eval(s, size, c->env->scope) : NULL;
        if (v && v->base == BASE_INTEGER && v->at[0].integer >= 0) type.sizes[i] = (int32_t)v->at[0].integer;
    }
    return type;
}

static TExpr *make_call(const Call *c, TExpr *const *args)
{
    Sema *s = c->env->s;
    uint8_t varies = varies_of(c, args);
    if (c->f->is_record)
        return tx_new(s, X_RECORD, (Type){ .base = BASE_RECORD, .def = c->f->inst }, varies, c->span, args,
                      c->f->inputs.n);
    Type type = type_scalar(BASE_CLASS);
    if (c->f->outputs.n) {
        if (!comp_sizes(s, c->f->outputs.at[0])) return tx_poison(s, c->span);
        type = result_type(c, args, c->f->outputs.at[0]);
    }
    TExpr *in_place = call_in_place(s, c->f, args, c->span);
    if (in_place) return in_place;
    TExpr *x = tx_new(s, X_CALL, type, varies, c->span, args, c->f->inputs.n);
    x->function = c->f;
    x->op = c->env->place & PLACE_PURE ? 1 : 0;
    if (!type_is_known(&type) && !c->env->function && varies <= VARIES_PARAMETER) {
        Value *v = eval(s, x, NULL, c->env->scope);
        return v ? tx_value(s, v, c->span) : tx_poison(s, c->span);
    }
    return x;
}

static TExpr *call_elements(const Call *c, TExpr *const *args, uint32_t extra, const Type *shape)
{
    Sema *s = c->env->s;
    if (!extra) return make_call(c, args);
    uint32_t n = (uint32_t)shape->sizes[0];
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, n + 1),
          **inner = NEW_ARRAY(s->arena, TExpr *, c->f->inputs.n + 1);
    Type rest = type_element(shape, 1), element = type_scalar(BASE_REAL);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < c->f->inputs.n; k++)
            inner[k] = args[k]->type.rank >= extra + c->f->inputs.at[k]->type.rank
                           ? tx_element(s, args[k], (int32_t)i)
                           : args[k];
        items[i] = call_elements(c, inner, extra - 1, &rest);
        if (tx_is_poison(items[i])) return items[i];
        element = items[i]->type;
    }
    return tx_array(s, items, n, &element, c->span);
}

/* In a function, where sizes are open: {f(u[i]) for i in 1:size(u, 1)}. */
static TExpr *call_in_loop(const Call *c, uint32_t extra, const Type *shape)
{
    Sema *s = c->env->s;
    Function *around = c->env->function;
    if (!extra) return make_call(c, c->args);
    if (!around) {
        sema_error(s, c->env->scope, E_BAD_SIZE, c->span, "a call for each element needs known sizes");
        return tx_poison(s, c->span);
    }
    uint32_t local = around->locals.n + around->loop_names.n;
    vec_push(s->arena, &around->loop_names, arena_printf(s->arena, "i_%u", (unsigned)local));
    TExpr *index = tx_local(s, local, type_scalar(BASE_INTEGER), c->span), *over = NULL;
    Call inner = *c;
    inner.args = NEW_ARRAY(s->arena, TExpr *, c->f->inputs.n + 1);
    for (uint32_t i = 0; i < c->f->inputs.n; i++) {
        TExpr *a = inner.args[i] = c->args[i];
        if (a->type.rank < extra + c->f->inputs.at[i]->type.rank) continue;
        over = a;
        inner.args[i] =
            tx_new(s, X_SUBSCRIPT, type_element(&a->type, 1), a->varies, a->span, (TExpr *[]){ a, index }, 2);
    }
    Type rest = type_element(shape, 1);
    TExpr *body = call_in_loop(&inner, extra - 1, &rest), *one = tx_integer(s, 1, c->span);
    if (tx_is_poison(body) || !over) return tx_poison(s, c->span);
    TExpr *size = tx_builtin(s, BUILTIN_SIZE, type_scalar(BASE_INTEGER), VARIES_CONTINUOUS, c->span,
                             (TExpr *[]){ over, one }, 2);
    Type range_type = type_of_rank(s, type_scalar(BASE_INTEGER), 1, (int32_t[]){ SIZE_UNKNOWN });
    TExpr *range =
        tx_new(s, X_RANGE, range_type, VARIES_CONTINUOUS, c->span, (TExpr *[]){ one, one, size }, 3);
    TExpr *x = tx_new(s, X_COMPREHENSION, type_array_of(s, &body->type, shape->sizes[0]), VARIES_CONTINUOUS,
                      c->span, (TExpr *[]){ body, range }, 2);
    x->op = BUILTIN_ARRAY_OF;
    x->index = local;
    return x;
}

static TExpr *finish_call(Call *c)
{
    Sema *s = c->env->s;
    uint32_t extra;
    const Type *shape = NULL;
    if (!fill_defaults(c) || !extra_rank(c, &extra, &shape)) return tx_poison(s, c->span);
    for (uint32_t i = 0; i < c->f->inputs.n; i++)
        c->args[i] = coerce(s, c->args[i], &c->f->inputs.at[i]->type);
    return extra && !type_is_known(shape) ? call_in_loop(c, extra, shape)
                                          : call_elements(c, c->args, extra, shape);
}

/* Partial functions are not called, impure ones not everywhere. */
bool function_may_be_called(const Env *env, const Function *f, Span span)
{
    const Function *around = env->function;
    Note *note = NULL;
    const char *name = name_text(f->inst->own->cls->name);
    bool event = env->place & (PLACE_WHEN | PLACE_INITIAL | PLACE_PURE);
    bool in_binding = env->place & PLACE_BINDING && !around;
    env->s->calls_impure |= f->impure;
    bool in_function = around && !(around->inst->own->cls->flags & CLASS_PURE);
    if (f->impure && !event && !in_binding && !in_function)
        note = (f->outputs.n ? sema_error : sema_lenient)(
            env->s, env->scope, E_IMPURE, span, "the impure function '%s' cannot be called here", name);
    else if (inst_is_partial(f->inst))
        note = sema_error(env->s, env->scope, E_PARTIAL_CLASS, span, "'%s' is partial, and cannot be called",
                          name);
    if (note) diag_label(env->s->diag, note, f->inst->own->cls->name_span, "the function");
    return !note || note->severity != SEVERITY_ERROR;
}

TExpr *type_function_call(const Env *env, Function *f, const Expr *e)
{
    Call c = { env, f, NEW_ARRAY(env->s->arena, TExpr *, f->inputs.n + 1), e->span };
    return place_arguments(&c, e) ? finish_call(&c) : tx_poison(env->s, e->span);
}

TExpr *call_function(const Env *env, Function *f, TExpr *const *args, uint32_t n, Span span)
{
    Call c = { env, f, NEW_ARRAY(env->s->arena, TExpr *, f->inputs.n + 1), span };
    for (uint32_t i = 0; i < n; i++) c.args[i] = args[i];
    return finish_call(&c);
}

/* A function as a value: some inputs bound, the others open. */
TExpr *type_partial(const Env *env, Function *f, Expr *const *items, uint32_t n, Span span)
{
    Sema *s = env->s;
    Call c = { env, f, NEW_ARRAY(s->arena, TExpr *, f->inputs.n + 1), span };
    Expr call = { .kind = EXPR_CALL, .n = n, .span = span, .items = (Expr **)(uintptr_t)items };
    uint8_t varies = VARIES_CONSTANT;
    if (!place_arguments(&c, &call)) return tx_poison(s, span);
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        if (c.args[i] && c.args[i]->varies > varies) varies = c.args[i]->varies;
        if (c.args[i] && comp_sizes(s, f->inputs.at[i]) &&
            !type_fits(&c.args[i]->type, &f->inputs.at[i]->type)) {
            bad_call(&c, sema_error(s, env->scope, E_TYPE_MISMATCH, c.args[i]->span, "'%s' is %s, not %s",
                                    name_text(f->inputs.at[i]->name), type_text(s, &f->inputs.at[i]->type),
                                    type_text(s, &c.args[i]->type)));
            return tx_poison(s, span);
        }
        if (!c.args[i])
            c.args[i] = tx_new(s, X_OMITTED, type_scalar(BASE_REAL), VARIES_CONSTANT, span, NULL, 0);
    }
    TExpr *x = tx_new(s, X_PARTIAL, (Type){ .base = BASE_FUNCTION, .def = f->inst }, varies, span, c.args,
                      f->inputs.n);
    x->function = f;
    return x;
}

TExpr *type_partial_of(const Env *env, TExpr *of, Expr *const *items, uint32_t n, Span span)
{
    Sema *s = env->s;
    TExpr *x = type_partial(env, function_of(s, of->type.def), items, n, span);
    if (tx_is_poison(x)) return x;
    TExpr **args = NEW_ARRAY(s->arena, TExpr *, x->n + 1);
    memcpy(args, x->args, x->n * sizeof *args);
    args[x->n] = of;
    TExpr *made = tx_new(s, X_PARTIAL, x->type, VARIES_CONTINUOUS, span, args, x->n + 1);
    made->function = x->function;
    made->op = 1;
    return made;
}

/* ---- statements ------------------------------------------------------------------------------ */

static TStmt *new_stmt(Sema *s, FlatStmtKind kind, Span span)
{
    TStmt *st = NEW(s->arena, TStmt);
    st->kind = (uint8_t)kind;
    st->span = span;
    return st;
}

static void type_statement(const Env *env, const Stmt *st, TStmts *out);

TStmts type_statements(const Env *env, const Stmts *body)
{
    TStmts out = { 0 };
    for (uint32_t i = 0; i < body->n; i++) type_statement(env, body->at[i], &out);
    return out;
}

bool is_target(const TExpr *e)
{
    if (e->kind == X_SUBSCRIPT || e->kind == X_FIELD) return is_target(e->args[0]);
    if (e->kind == X_ARRAY || e->kind == X_RECORD || e->kind == X_TUPLE) {
        for (uint32_t i = 0; i < e->n; i++)
            if (!is_target(e->args[i])) return false;
        return true;
    }
    return e->kind == X_VAR || e->kind == X_LOCAL || e->kind == X_OMITTED;
}

/* Inputs of functions and, but for their initialisation, parameters are not assigned to. */
static bool check_targets(const Env *env, const TExpr *e)
{
    Sema *s = env->s;
    bool ok = true;
    if (e->kind == X_ARRAY || e->kind == X_RECORD || e->kind == X_TUPLE) {
        for (uint32_t i = 0; i < e->n && ok; i++) ok = check_targets(env, e->args[i]);
        return ok;
    }
    const TExpr *whole = e;
    while (whole->kind == X_SUBSCRIPT || whole->kind == X_FIELD) whole = whole->args[0];
    if (whole->kind == X_LOCAL && env->function && whole->index < env->function->inputs.n) {
        sema_error(s, env->scope, E_ASSIGN_TARGET, e->span, "an input of a function cannot be assigned to");
        return false;
    }
    if (whole->kind == X_LOCAL && env->function && whole->index >= env->function->locals.n) {
        sema_error(s, env->scope, E_ASSIGN_TARGET, e->span, "the index of a loop cannot be assigned to");
        return false;
    }
    if (whole->kind == X_LOCAL && env->function &&
        env->function->locals.at[whole->index]->varies <= VARIES_PARAMETER) {
        sema_error(s, env->scope, E_ASSIGN_TARGET, e->span,
                   "a parameter of a function cannot be assigned to");
        return false;
    }
    if (whole->kind == X_VAR && whole->leaf->causes == CAUSALITY_INPUT &&
        whole->leaf->owner == env->scope->inst) {
        Note *note =
            sema_error(s, env->scope, E_ASSIGN_TARGET, e->span,
                       "'%s' is an input, and gets its value from outside", name_text(whole->leaf->name));
        diag_label(s->diag, note, whole->leaf->decl->declaration->span, "declared here");
        return false;
    }
    if (whole->kind == X_VAR && whole->leaf->varies <= VARIES_PARAMETER && !(env->place & PLACE_INITIAL)) {
        Note *note =
            sema_error(s, env->scope, E_ASSIGN_TARGET, e->span,
                       "'%s' is a parameter, and cannot be assigned to", name_text(whole->leaf->name));
        diag_label(s->diag, note, whole->leaf->decl->declaration->span, "declared here");
        return false;
    }
    return true;
}

/* (a, b) := f(x): as many results, of the types. */
bool check_results(const Env *env, const TExpr *left, const TExpr *right, Span span)
{
    Sema *s = env->s;
    if (left->kind != X_TUPLE) return true;
    if (right->kind == X_APPLY) return true;
    if (right->kind == X_BUILTIN && right->op == BUILTIN_SPATIAL && left->n <= 2) {
        for (uint32_t i = 0; i < left->n; i++)
            if (left->args[i]->kind != X_OMITTED && !type_fits(&right->type, &left->args[i]->type)) {
                sema_error(s, env->scope, E_TYPE_MISMATCH, left->args[i]->span,
                           "the result is %s, but this is %s", type_text(s, &right->type),
                           type_text(s, &left->args[i]->type));
                return false;
            }
        return true;
    }
    if (right->kind != X_CALL || left->n > right->function->outputs.n) {
        sema_error(s, env->scope, E_TYPE_MISMATCH, span,
                   "only a call with as many results can stand opposite a list");
        return false;
    }
    for (uint32_t i = 0; i < left->n; i++) {
        Entry *output = right->function->outputs.at[i];
        if (left->args[i]->kind == X_OMITTED || !comp_sizes(s, output)) continue;
        if (type_fits(&output->type, &left->args[i]->type)) continue;
        sema_error(s, env->scope, E_TYPE_MISMATCH, left->args[i]->span, "'%s' is %s, but this is %s",
                   name_text(output->name), type_text(s, &output->type), type_text(s, &left->args[i]->type));
        return false;
    }
    return true;
}

bool check_condition(const Env *env, const TExpr *c, bool may_be_vector)
{
    if (tx_is_poison(c)) return false;
    if (c->type.base == BASE_BOOLEAN && c->type.rank <= may_be_vector) return true;
    if (c->type.base == BASE_CLOCK && may_be_vector) return true;
    sema_error(env->s, env->scope, E_TYPE_MISMATCH, c->span, "a condition is a Boolean, not %s",
               type_text(env->s, &c->type));
    return false;
}

static void type_assign(const Env *env, const Stmt *st, TStmts *out)
{
    Sema *s = env->s;
    TExpr *left = type_expr(env, st->left), *right = type_expr(env, st->right);
    if (tx_is_poison(left) || tx_is_poison(right)) return;
    if (!is_target(left) || left->kind == X_OMITTED) {
        sema_error(s, env->scope, E_ASSIGN_TARGET, st->left->span, "this cannot be assigned to");
        return;
    }
    if (!check_targets(env, left) || !check_results(env, left, right, st->span)) return;
    if (left->kind != X_TUPLE && !type_fits(&right->type, &left->type)) {
        sema_error(s, env->scope, E_TYPE_MISMATCH, st->span, "%s is assigned to %s",
                   type_text(s, &right->type), type_text(s, &left->type));
        return;
    }
    TStmt *a = new_stmt(s, S_ASSIGN, st->span);
    a->left = left;
    a->right = left->kind == X_TUPLE ? right : coerce(s, right, &left->type);
    vec_push(s->arena, out, a);
}

static void type_branches(const Env *env, const Stmt *st, FlatStmtKind kind, TStmts *out)
{
    Sema *s = env->s;
    TStmt *t = new_stmt(s, kind, st->span);
    t->branches = NEW_ARRAY(s->arena, TBranch, st->n + 1);
    for (uint32_t i = 0; i < st->n; i++) {
        TBranch *b = &t->branches[t->n];
        *b = (TBranch){ 0 }; /* one that is never taken may have been there */
        if (st->branches[i].condition) {
            b->condition = type_expr(env, st->branches[i].condition);
            if (!check_condition(env, b->condition, kind == S_WHEN)) return;
            if (kind == S_WHEN && !check_when_condition(env, b->condition)) return;
            bool known = kind == S_IF && !env->function && b->condition->varies <= VARIES_PARAMETER;
            Value *v = known ? try_eval(s, b->condition, env->scope) : NULL;
            if (v && !v->at[0].integer) continue;
            if (v) b->condition = NULL;
        }
        Env inner = *env;
        inner.place |= (uint8_t)(kind == S_WHEN    ? PLACE_WHEN
                                 : kind == S_WHILE ? PLACE_LOOP | PLACE_WHILE
                                                   : PLACE_IF);
        TStmts body = type_statements(&inner, &st->branches[i].body);
        b->at = body.at;
        b->n = body.n;
        t->n++;
        if (!b->condition && kind != S_WHILE) break;
    }
    if (t->n == 1 && !t->branches[0].condition && kind == S_IF) {
        for (uint32_t i = 0; i < t->branches[0].n; i++) vec_push(s->arena, out, t->branches[0].at[i]);
    } else if (t->n) {
        vec_push(s->arena, out, t);
    }
}

/* Whether statements leave the loop they are in. */
static bool has_break(const Stmts *body)
{
    for (uint32_t i = 0; i < body->n; i++) {
        const Stmt *st = body->at[i];
        if (st->kind == STMT_BREAK) return true;
        if (st->kind != STMT_IF && st->kind != STMT_WHEN) continue;
        for (uint32_t k = 0; k < st->n; k++)
            if (has_break(&st->branches[k].body)) return true;
    }
    return false;
}

/* What was a loop with a break is one that runs once, so that the break has something to leave. */
static void run_once(Sema *s, TStmts *body, Span span, TStmts *out)
{
    TStmt *t = new_stmt(s, S_WHILE, span);
    vec_push(s->arena, body, new_stmt(s, S_BREAK, span));
    t->n = 1;
    t->branches = NEW(s->arena, TBranch);
    *t->branches = (TBranch){ tx_boolean(s, true, span), body->at, body->n };
    vec_push(s->arena, out, t);
}

/* In models loops are written out, as far as ranges are known. */
static void type_loop(const Env *env, const Stmt *st, uint32_t at, TStmts *out);

static void unroll(const Env *env, const Stmt *st, uint32_t at, TStmts *out)
{
    Sema *s = env->s;
    if (at == st->index_count) {
        TStmts body = type_statements(env, &st->branches[0].body);
        for (uint32_t i = 0; i < body.n; i++) vec_push(s->arena, out, body.at[i]);
        return;
    }
    TExpr *range = type_index_range(env, &st->indices[at], &st->branches[0].body, NULL);
    if (!tx_is_poison(range) && range_is_open(env, range)) {
        type_loop(env, st, at, out);
        return;
    }
    Value *v = !tx_is_poison(range) ? eval(s, range, NULL, env->scope) : NULL;
    bool breaks = at + 1 == st->index_count && has_break(&st->branches[0].body);
    TStmts inside = { 0 };
    for (uint32_t i = 0; v && i < v->n; i++) {
        Iter iter = { st->indices[at].name, tx_value(s, value_slice(s, v, (int32_t)i), range->span),
                      env->iters };
        Env inner = *env;
        inner.iters = &iter;
        inner.place |= PLACE_LOOP;
        unroll(&inner, st, at + 1, breaks ? &inside : out);
    }
    if (inside.n) run_once(s, &inside, st->span, out);
}

static void type_loop(const Env *env, const Stmt *st, uint32_t at, TStmts *out)
{
    Sema *s = env->s;
    TExpr *range = type_index_range(env, &st->indices[at], &st->branches[0].body, NULL);
    if (tx_is_poison(range)) return;
    if (range->type.rank != 1) {
        sema_error(s, env->scope, E_TYPE_MISMATCH, range->span, "the range of a loop is a vector, not %s",
                   type_text(s, &range->type));
        return;
    }
    TStmt *t = new_stmt(s, S_FOR, st->span);
    t->index = new_loop_variable(env, st->indices[at].name);
    Iter iter = { st->indices[at].name,
                  tx_local(s, t->index, type_element(&range->type, 1), st->indices[at].span), env->iters };
    Env inner = *env;
    inner.iters = &iter;
    inner.place |= PLACE_LOOP;
    TStmts body = { 0 };
    if (at + 1 < st->index_count)
        (env->function ? type_loop : unroll)(&inner, st, at + 1, &body);
    else
        body = type_statements(&inner, &st->branches[0].body);
    t->left = range;
    t->n = 1;
    t->branches = NEW(s->arena, TBranch);
    *t->branches = (TBranch){ NULL, body.at, body.n };
    vec_push(s->arena, out, t);
}

static bool wants(const Env *env, const TExpr *e, uint8_t base, const char *what)
{
    bool fits = e->type.base == base || (base == BASE_REAL && e->type.base == BASE_INTEGER);
    if (fits) return true;
    sema_error(env->s, env->scope, E_TYPE_MISMATCH, e->span, "%s, not %s", what, type_text(env->s, &e->type));
    return false;
}

/* The types of what assert, terminate and reinit are called with. */
static bool check_call_types(const Env *env, const TStmt *t)
{
    if (t->kind == S_ASSERT)
        return check_condition(env, t->left, false) &&
               wants(env, t->right, BASE_STRING, "the message of an assertion is a String") &&
               (!t->level ||
                wants(env, t->level, BASE_ENUM, "the level of an assertion is an AssertionLevel"));
    if (t->kind == S_TERMINATE) return wants(env, t->left, BASE_STRING, "the message is a String");
    if (t->left->type.base == BASE_INTEGER) return wants(env, t->left, BASE_STRING, "'reinit' is for a Real");
    return t->left->type.base == BASE_REAL
               ? wants(env, t->right, BASE_REAL, "the new value of a state is a Real")
               : wants(env, t->left, BASE_REAL, "'reinit' is for a Real");
}

/* reinit of an array is one for each element. */
static void reinit_elements(const Env *env, const TStmt *t, TStmts *out)
{
    Sema *s = env->s;
    const Type *left = &t->left->type, *right = &t->right->type;
    bool fits = left->rank == right->rank && type_is_known(left) && type_is_known(right);
    for (uint32_t i = 0; fits && i < left->rank; i++) fits = left->sizes[i] == right->sizes[i];
    if (!fits) {
        sema_error(s, env->scope, E_SIZE_MISMATCH, t->span, "'reinit' of %s with %s", type_text(s, left),
                   type_text(s, right));
        return;
    }
    TStmt *one = new_stmt(s, S_REINIT, t->span);
    if (!left->rank) {
        *one = *t;
        vec_push(s->arena, out, one);
        return;
    }
    for (int32_t i = 0; i < left->sizes[0]; i++) {
        one->left = tx_element(s, t->left, i);
        one->right = tx_element(s, t->right, i);
        reinit_elements(env, one, out);
    }
}

static void type_call_statement(const Env *env, const Stmt *st, TStmts *out)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } table[] = { { "assert", S_ASSERT }, { "terminate", S_TERMINATE }, { "reinit", S_REINIT } };
    Sema *s = env->s;
    const Expr *call = st->left;
    Str name = call->callee->n == 1 ? name_str(call->callee->parts[0].name) : STR("");
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (!str_is(name, table[i].name)) continue;
        TStmt *t = new_stmt(s, (FlatStmtKind)table[i].kind, st->span);
        TExpr **to[] = { &t->left, &t->right, &t->level };
        for (uint32_t k = 0; k < call->n && k < 3; k++) {
            const Expr *item = call->items[k];
            uint32_t place = item->kind != EXPR_NAMED                    ? k
                             : str_is(name_str(item->name), "condition") ? 0
                             : str_is(name_str(item->name), "message")   ? 1
                                                                         : 2;
            *to[place] = type_expr(env, item->kind == EXPR_NAMED ? item->left : item);
            if (tx_is_poison(*to[place])) return;
        }
        uint32_t want = table[i].kind == S_TERMINATE ? 1 : 2, most = table[i].kind == S_ASSERT ? 3 : want;
        if (call->n < want || call->n > most || (want == 2 && !t->right)) {
            sema_error(s, env->scope, E_ARGUMENTS, st->span, "'%s' takes %u argument%s", table[i].name,
                       (unsigned)want, want == 1 ? "" : "s");
            return;
        }
        if (!check_call_types(env, t)) return;
        if (t->kind == S_TERMINATE && env->function) {
            sema_error(s, env->scope, E_STATEMENT, st->span, "'terminate' cannot stand in a function");
            return;
        }
        if (t->kind == S_REINIT)
            reinit_elements(env, t, out);
        else
            vec_push(s->arena, out, t);
        return;
    }
    TStmt *t = new_stmt(s, S_CALL, st->span);
    t->left = type_expr(env, call);
    if (!tx_is_poison(t->left)) vec_push(s->arena, out, t);
}

static void type_statement(const Env *env, const Stmt *st, TStmts *out)
{
    if (!stmt_may_stand(env, st)) return;
    switch ((StmtKind)st->kind) {
    case STMT_ASSIGN: type_assign(env, st, out); break;
    case STMT_IF: type_branches(env, st, S_IF, out); break;
    case STMT_WHEN: type_branches(env, st, S_WHEN, out); break;
    case STMT_WHILE: type_branches(env, st, S_WHILE, out); break;
    case STMT_FOR:
        if (env->function)
            type_loop(env, st, 0, out);
        else
            unroll(env, st, 0, out);
        break;
    case STMT_CALL: type_call_statement(env, st, out); break;
    case STMT_BREAK: vec_push(env->s->arena, out, new_stmt(env->s, S_BREAK, st->span)); break;
    case STMT_RETURN: vec_push(env->s->arena, out, new_stmt(env->s, S_RETURN, st->span)); break;
    case STMT_EQUAL:
    case STMT_CONNECT:
        sema_error(env->s, env->scope, E_EQUATION, st->span, "an equation cannot stand in an algorithm");
        break;
    }
}
