/* annotate.c: what annotations say of functions and parameters: derivative, inverse, smoothOrder,
 * Inline, GenerateEvents (specification 12.7, 12.8, 18.3), Evaluate.
 *
 * In: a function that is being emitted. Out: its annotation in the flat model; the functions that
 * it names are emitted as well, since they are called where this one is differentiated or solved.
 * How: the annotation is that of the class; short classes, and what extends a partial function,
 * have it from their base where they say nothing themselves. Tests:
 * tests/modelica/annotations.mo. */
#include "sema/inside.h"

/* The scope whose annotation has a modifier of this name. */
static Scope *scope_with(Scope *scope, const char *name)
{
    for (Scope *below; scope; scope = below) {
        if (modification_find(class_annotation(scope->cls), name)) return scope;
        below = NULL;
        if (scope->cls->form == FORM_SHORT && scope->n) below = scope->bases[0];
        if (scope->cls->form == FORM_EXTENDS && scope->n && scope->bases[scope->n - 1] &&
            scope->bases[scope->n - 1]->cls->flags & CLASS_PARTIAL)
            below = scope->bases[scope->n - 1];
    }
    return NULL;
}

static const Expr *note_value(const Argument *a)
{
    return a && a->modification ? a->modification->value : NULL;
}

/* A Boolean or Integer that an annotation gives; `otherwise` where it gives none, or none that is
 * known. */
static int64_t note_number(Sema *s, Scope *scope, const char *name, int64_t otherwise)
{
    Scope *where = scope_with(scope, name);
    const Expr *value = where ? note_value(modification_find(class_annotation(where->cls), name)) : NULL;
    if (!value) return otherwise;
    Env env = { .s = s, .scope = where };
    TExpr *x = type_expr(&env, value);
    Value *v = !tx_is_poison(x) && !x->type.rank ? try_eval(s, x, where) : NULL;
    bool fits = v && (v->base == BASE_BOOLEAN || v->base == BASE_INTEGER);
    return fits ? v->at[0].integer : otherwise;
}

static uint32_t input_named(Sema *s, const Function *f, Scope *scope, Name name, Span span)
{
    for (uint32_t i = 0; i < f->inputs.n; i++)
        if (f->inputs.at[i]->name == name) return i;
    Note *note = sema_error(s, scope, E_ARGUMENTS, span, "'%s' has no input '%s'",
                            name_text(f->inst->own->cls->name), name_text(name));
    diag_label(s->diag, note, f->inst->own->cls->name_span, "the function");
    return NONE;
}

/* The inputs that the arguments `word = input` name, as a list. */
static uint32_t inputs_of(Sema *s, Flat *flat, const Function *f, Scope *scope, const Modification *m,
                          const char *word, uint32_t *first)
{
    VEC(uint32_t) found = { 0 };
    for (uint32_t i = 0; m && i < m->n; i++) {
        const Argument *a = m->arguments[i];
        const Expr *value = note_value(a);
        if (a->kind != ARGUMENT_MODIFY || !str_is(name_str(a->names[0]), word)) continue;
        if (!value || value->kind != EXPR_REF || value->n != 1) {
            sema_error(s, scope, E_ARGUMENTS, a->span, "'%s' names an input of the function", word);
            continue;
        }
        uint32_t input = input_named(s, f, scope, value->parts[0].name, value->span);
        if (input != NONE) vec_push(s->arena, &found, input);
    }
    *first = flat_list(flat, found.at, found.n);
    return found.n;
}

/* The function that a reference of an annotation names; NULL after a report. */
static Function *function_named(Sema *s, Scope *scope, const Expr *ref)
{
    Name *names = NEW_ARRAY(s->arena, Name, ref->kind == EXPR_REF ? ref->n : 1);
    for (uint32_t i = 0; ref->kind == EXPR_REF && i < ref->n; i++) names[i] = ref->parts[i].name;
    Path path = { names, ref->n, ref->flag, ref->span };
    Inst *inst = ref->kind == EXPR_REF ? lookup_class(s, scope, &path) : NULL;
    if (ref->kind == EXPR_REF && !inst) return NULL;
    if (inst && inst_resolved(s, inst)->base == BASE_FUNCTION) return function_of(s, inst);
    sema_error(s, scope, E_NOT_A_FUNCTION, ref->span, "the name of a function is needed here");
    return NULL;
}

static uint32_t order_of(Sema *s, Scope *scope, const Modification *m)
{
    const Expr *value = note_value(modification_find(m, "order"));
    if (!value) return 1;
    if (value->kind == EXPR_INTEGER && value->integer >= 1 && value->integer < 100)
        return (uint32_t)value->integer;
    sema_error(s, scope, E_ARGUMENTS, value->span, "the order of a derivative is a number from 1 on");
    return 1;
}

static void add_derivative(Sema *s, Flat *flat, Function *f, Scope *scope, const Argument *a, FlatFunction *x)
{
    const Modification *m = a->modification;
    if (!m || !m->value) {
        sema_error(s, scope, E_ARGUMENTS, a->span, "'derivative' needs the name of a function");
        return;
    }
    Function *by = function_named(s, scope, m->value);
    if (!by) return;
    FlatDerivative d = { .order = order_of(s, scope, m) };
    d.zero_n = inputs_of(s, flat, f, scope, m, "zeroDerivative", &d.zero_first);
    d.none_n = inputs_of(s, flat, f, scope, m, "noDerivative", &d.none_first);
    d.function = emit_function(s, flat, by);
    vec_push(flat->arena, &x->derivatives, d);
}

static void add_inverses(Sema *s, Flat *flat, Function *f, Scope *scope, const Argument *a, FlatFunction *x)
{
    Env env = { .s = s, .scope = scope, .function = f };
    for (uint32_t i = 0; a->modification && i < a->modification->n; i++) {
        const Argument *one = a->modification->arguments[i];
        const Expr *value = note_value(one);
        if (one->kind != ARGUMENT_MODIFY) continue;
        uint32_t input = input_named(s, f, scope, one->names[0], one->span);
        if (input == NONE) continue;
        if (!value || value->kind != EXPR_CALL) {
            sema_error(s, scope, E_NOT_A_FUNCTION, one->span, "an inverse is the call of a function");
            continue;
        }
        TExpr *call = type_expr(&env, value);
        if (tx_is_poison(call)) continue;
        FlatInverse inverse = { input, emit_whole(s, flat, call) };
        vec_push(flat->arena, &x->inverses, inverse);
    }
}

void emit_notes(Sema *s, Flat *flat, Function *f, FlatFunction *x)
{
    static const char *const late[] = { "LateInline", "InlineAfterIndexReduction" };
    Scope *own = f->inst->own, *where;
    int64_t early = note_number(s, own, "Inline", -1);
    x->inlining = early < 0 ? INLINE_OPEN : early ? INLINE_EARLY : INLINE_NEVER;
    for (size_t i = 0; i < COUNT_OF(late); i++)
        if (note_number(s, own, late[i], 0) && x->inlining != INLINE_EARLY) x->inlining = INLINE_LATE;
    x->generates_events = note_number(s, own, "GenerateEvents", 0) != 0;
    x->smooth_order = (int32_t)note_number(s, own, "smoothOrder", -1);
    if ((where = scope_with(own, "derivative"))) {
        const Modification *m = class_annotation(where->cls);
        for (uint32_t i = 0; i < m->n; i++)
            if (m->arguments[i]->kind == ARGUMENT_MODIFY &&
                str_is(name_str(m->arguments[i]->names[0]), "derivative"))
                add_derivative(s, flat, f, where, m->arguments[i], x);
    }
    if ((where = scope_with(own, "inverse")))
        add_inverses(s, flat, f, where, modification_find(class_annotation(where->cls), "inverse"), x);
}

bool asks_inline(Sema *s, const Function *f) { return note_number(s, f->inst->own, "Inline", 0) != 0; }

bool evaluates(Sema *s, const Entry *e)
{
    const Comment *comment = e->decl->declaration->comment;
    const Expr *value = comment ? note_value(modification_find(comment->annotation, "Evaluate")) : NULL;
    if (!value) return false;
    Env env = { .s = s, .scope = e->scope };
    DiagMark mark = sema_mark(s);
    TExpr *x = type_expr(&env, value);
    if (tx_is_poison(x)) {
        sema_rewind(s, &mark);
        sema_lenient(s, e->scope, E_BAD_ANNOTATION, value->span,
                     "this is no value for the annotation 'Evaluate', which is taken as not given");
        return false;
    }
    Value *v = try_eval(s, x, e->scope);
    return v && v->base == BASE_BOOLEAN && !v->rank && v->at[0].integer;
}
