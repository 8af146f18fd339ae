/* run.c: runs a function while the model is built, statement by statement on its typed tree.
 *
 * The seam is run_function: everything that needs the value of a user's function calls it and
 * nothing else here. Steps and depth are limited, so that a function without end is reported.
 * Always: values are never changed once another one shares their cells; a variable's cells are its
 * own. Tests: tests/modelica. */
#include "sema/inside.h"

enum { MOST_STEPS = 1000000, DEEPEST = 400 };

typedef struct {
    Sema *s;
    Function *f;
    Value **locals;
    uint8_t *is_made; /* by local */
    const Scope *scope;
    Span call;
} Run;

typedef enum { RUN_ON, RUN_BREAK, RUN_RETURN, RUN_FAILED } RunStatus;

static Value *copy_value(Sema *s, Value *v)
{
    if (v->base == BASE_FUNCTION) return v;
    Value *copy = value_new(s, v->base, v->rank, v->sizes);
    copy->def = v->def;
    memcpy(copy->at, v->at, v->n * sizeof(Cell));
    if (v->base != BASE_RECORD || !v->def) return copy;
    inst_list(s, v->def);
    uint32_t fields = v->def->comps.n;
    for (uint32_t i = 0; i < v->n; i++) {
        copy->at[i].record = NEW_ARRAY(s->arena, Value, fields + 1);
        for (uint32_t k = 0; k < fields; k++) copy->at[i].record[k] = *copy_value(s, &v->at[i].record[k]);
    }
    return copy;
}

/* ---- variables ------------------------------------------------------------------------------- */

/* A record that is being made: its members, each with what is said of it. */
typedef struct {
    Run *r;
    Inst *def;
    Value *members;
    uint8_t *state; /* STATE_... by member */
} Making;

static Value *blank(Run *r, const Type *type, const int32_t *sizes);
static bool make_needed(Run *r, const TExpr *e);
static bool make_member(Making *m, uint32_t k);

static TExpr *made_member(void *arg, TExpr *e)
{
    Making *m = arg;
    uint32_t k = 0;
    while (k < m->def->comps.n && m->def->comps.at[k] != e->leaf) k++;
    if (k == m->def->comps.n || !make_member(m, k)) return e;
    return tx_value(m->r->s, &m->members[k], e->span);
}

/* What a member's value or size is, by other members and the function's variables; NULL, silently,
 * if nothing tells. */
static Value *said_of_member(Making *m, TExpr *e)
{
    Sema *s = m->r->s;
    if (!e || tx_is_poison(e)) return NULL;
    DiagMark mark = sema_mark(s);
    e = tx_replace(s, e, made_member, m);
    Value *v = make_needed(m->r, e) ? eval(s, e, m->r->locals, m->r->scope) : NULL;
    if (!v) sema_rewind(s, &mark);
    return v;
}

static bool make_member(Making *m, uint32_t k)
{
    Sema *s = m->r->s;
    Entry *e = m->def->comps.at[k];
    int32_t sizes[16] = { 0 };
    if (m->state[k] != STATE_NEW) return m->state[k] == STATE_DONE;
    m->state[k] = STATE_BUSY;
    if (!comp_sizes(s, e) || e->type.rank > 16) return false;
    Value *v = said_of_member(m, comp_binding(s, e));
    for (uint32_t d = 0; !v && d < e->type.rank; d++) {
        Value *size =
            e->type.sizes[d] == SIZE_UNKNOWN && e->size_exprs ? said_of_member(m, e->size_exprs[d]) : NULL;
        sizes[d] = e->type.sizes[d] != SIZE_UNKNOWN  ? e->type.sizes[d]
                   : size && size->at[0].integer > 0 ? (int32_t)size->at[0].integer
                                                     : 0;
    }
    v = v ? copy_value(s, value_convert(s, v, &e->type)) : blank(m->r, &e->type, sizes);
    if (!v) return false;
    m->members[k] = *v;
    m->state[k] = STATE_DONE;
    return true;
}

static Value *blank(Run *r, const Type *type, const int32_t *sizes)
{
    Sema *s = r->s;
    Value *v = value_new(s, type->base, type->rank, sizes);
    v->def = type->def;
    if (type->base != BASE_RECORD) return v;
    inst_list(s, type->def);
    uint32_t n = type->def->comps.n;
    for (uint32_t i = 0; i < v->n; i++) {
        Making m = { r, type->def, NEW_ARRAY(s->arena, Value, n + 1), NEW_ARRAY(s->arena, uint8_t, n + 1) };
        for (uint32_t k = 0; k < n; k++)
            if (!make_member(&m, k)) return NULL;
        v->at[i].record = m.members;
    }
    return v;
}

static bool make_local(Run *r, uint32_t i);

/* Variables that an expression needs, in whatever order they are declared. */
static bool make_needed(Run *r, const TExpr *e)
{
    bool ok = true;
    if (!e) return true;
    if (e->kind == X_LOCAL && e->index < r->f->locals.n) return make_local(r, e->index);
    for (uint32_t k = 0; ok && k < e->n; k++) ok = make_needed(r, e->args[k]);
    return ok;
}

static bool make_local(Run *r, uint32_t i)
{
    int32_t sizes[16] = { 0 };
    if (i < r->f->inputs.n || r->is_made[i]) return true;
    Entry *e = r->f->locals.at[i];
    TExpr *binding = comp_binding(r->s, e);
    r->is_made[i] = 1;
    if (e->size_state != STATE_DONE || e->type.rank > 16) return false;
    if (binding) {
        if (!make_needed(r, binding)) return false;
        Value *v = eval(r->s, binding, r->locals, r->scope);
        if (v) r->locals[e->local] = copy_value(r->s, value_convert(r->s, v, &e->type));
        return v;
    }
    for (uint32_t d = 0; d < e->type.rank; d++) {
        sizes[d] = e->type.sizes[d];
        if (sizes[d] != SIZE_UNKNOWN) continue;
        if (!make_needed(r, e->size_exprs[d])) return false;
        Value *size = e->size_exprs[d] ? eval(r->s, e->size_exprs[d], r->locals, r->scope) : NULL;
        if (e->size_exprs[d] && !size) return false;
        sizes[d] = size && size->at[0].integer > 0 ? (int32_t)size->at[0].integer : 0;
    }
    if (!e->type.rank && e->type.base <= BASE_ENUM && !function_is_external(r->f))
        return true; /* without a value until it is assigned to */
    return (r->locals[e->local] = blank(r, &e->type, sizes)) != NULL;
}

/* ---- assignment ------------------------------------------------------------------------------ */

static RunStatus failed(Run *r, const TExpr *e, const char *why)
{
    sema_error(r->s, r->scope, E_EVALUATION, e->span, "%s", why);
    return RUN_FAILED;
}

/* The place of a record or array that is assigned into. */
static Value *place_of(Run *r, const TExpr *e)
{
    if (e->kind == X_LOCAL) return r->locals[e->index];
    Value *of = e->n ? place_of(r, e->args[0]) : NULL;
    if (!of) return NULL;
    if (e->kind == X_FIELD) return of->n ? &of->at[0].record[e->index] : NULL;
    uint32_t at = 0;
    for (uint32_t i = 1; i < e->n; i++) {
        Value *sub = eval(r->s, e->args[i], r->locals, r->scope);
        if (!sub || sub->rank || sub->at[0].integer < 1 || sub->at[0].integer > of->sizes[i - 1]) return NULL;
        at = at * (uint32_t)of->sizes[i - 1] + (uint32_t)sub->at[0].integer - 1;
    }
    Value *view = NEW(r->s->arena, Value);
    *view = *of;
    view->rank = 0;
    view->n = 1;
    view->at = of->at + at;
    return view;
}

static bool store_chosen(Run *r, const TExpr *e, Value *to, Value *const *subs, uint32_t dim, uint32_t offset,
                         const Value *from, uint32_t *at)
{
    if (dim == to->rank) {
        if (*at >= from->n) return false;
        to->at[offset] = from->at[from->n == 1 ? 0 : *at];
        (*at)++;
        return true;
    }
    const Value *sub = dim + 1 < e->n ? subs[dim] : NULL;
    uint32_t size = (uint32_t)to->sizes[dim], n = sub ? sub->n : size;
    for (uint32_t i = 0; i < n; i++) {
        int64_t k = sub ? sub->at[i].integer - (sub->base == BASE_BOOLEAN ? 0 : 1) : (int64_t)i;
        if (k < 0 || k >= (int64_t)size) return false;
        if (!store_chosen(r, e, to, subs, dim + 1, offset * size + (uint32_t)k, from, at)) return false;
    }
    return true;
}

static RunStatus store(Run *r, const TExpr *to, Value *v)
{
    v = copy_value(r->s, value_convert(r->s, v, &to->type));
    if (to->kind == X_LOCAL) {
        r->locals[to->index] = v;
        return RUN_ON;
    }
    if (to->kind == X_FIELD) {
        Value *place = place_of(r, to);
        if (!place) return failed(r, to, "nothing can be assigned to this part of a record");
        *place = *v;
        return RUN_ON;
    }
    Value *subs[16] = { 0 }, *of = to->kind == X_SUBSCRIPT ? place_of(r, to->args[0]) : NULL;
    uint32_t at = 0;
    if (!of || of->rank > 16) return failed(r, to, "this cannot be assigned to");
    for (uint32_t i = 1; i < to->n; i++)
        if (to->args[i]->kind != X_COLON && !(subs[i - 1] = eval(r->s, to->args[i], r->locals, r->scope)))
            return RUN_FAILED;
    if (!store_chosen(r, to, of, subs, 0, 0, v, &at) || at != v->n)
        return failed(r, to, "a subscript is outside of its array, or the sizes do not fit");
    return RUN_ON;
}

static RunStatus assign(Run *r, const TStmt *st)
{
    if (st->left->kind != X_TUPLE) {
        Value *v = eval(r->s, st->right, r->locals, r->scope);
        return v ? store(r, st->left, v) : RUN_FAILED;
    }
    for (uint32_t i = 0; i < st->left->n; i++) {
        if (st->left->args[i]->kind == X_OMITTED) continue;
        TExpr result = {
            .kind = X_RESULT, .n = 1, .args = (TExpr **)(uintptr_t)&st->right, .index = i, .span = st->span
        };
        Value *v = eval(r->s, &result, r->locals, r->scope);
        if (!v || store(r, st->left->args[i], v) != RUN_ON) return RUN_FAILED;
    }
    return RUN_ON;
}

/* ---- statements ------------------------------------------------------------------------------ */

static RunStatus run_body(Run *r, TStmt *const *at, uint32_t n);

/* Every statement is a step, and every round of a loop, which may be empty. */
static bool may_go_on(Run *r)
{
    if (++r->s->steps <= MOST_STEPS) return true;
    if (r->s->steps == MOST_STEPS + 1)
        sema_error(r->s, r->scope, E_TOO_MANY_STEPS, r->call, "'%s' does not come to an end",
                   name_text(r->f->inst->own->cls->name));
    return false;
}

static RunStatus run_if(Run *r, const TStmt *st)
{
    for (uint32_t i = 0; i < st->n; i++) {
        const TBranch *b = &st->branches[i];
        Value *v = b->condition ? eval(r->s, b->condition, r->locals, r->scope) : NULL;
        if (b->condition && !v) return RUN_FAILED;
        if (!v || v->at[0].integer) return run_body(r, b->at, b->n);
    }
    return RUN_ON;
}

static RunStatus run_for(Run *r, const TStmt *st)
{
    Value *range = eval(r->s, st->left, r->locals, r->scope);
    for (int32_t i = 0; range && i < range->sizes[0]; i++) {
        if (!may_go_on(r)) return RUN_FAILED;
        r->locals[st->index] = value_slice(r->s, range, i);
        RunStatus status = run_body(r, st->branches[0].at, st->branches[0].n);
        if (status == RUN_BREAK) break;
        if (status != RUN_ON) return status;
    }
    return range ? RUN_ON : RUN_FAILED;
}

static RunStatus run_while(Run *r, const TStmt *st)
{
    for (;;) {
        if (!may_go_on(r)) return RUN_FAILED;
        Value *v = eval(r->s, st->branches[0].condition, r->locals, r->scope);
        if (!v) return RUN_FAILED;
        if (!v->at[0].integer) return RUN_ON;
        RunStatus status = run_body(r, st->branches[0].at, st->branches[0].n);
        if (status == RUN_BREAK) return RUN_ON;
        if (status != RUN_ON) return status;
    }
}

/* What a run of the model would say is left to the run, unless the value is needed now. */
static RunStatus leave_to_run(Run *r, const TStmt *st)
{
    if (!r->s->trying) return RUN_ON;
    sema_error(r->s, r->scope, E_NOT_EVALUABLE, st->span, "this is done while the model runs");
    return RUN_FAILED;
}

enum { LEVEL_WARNING = 1 }; /* of AssertionLevel */

static RunStatus run_assert(Run *r, const TStmt *st)
{
    Value *v = eval(r->s, st->left, r->locals, r->scope);
    if (!v) return RUN_FAILED;
    if (v->at[0].integer) return RUN_ON;
    Value *level = st->level ? eval(r->s, st->level, r->locals, r->scope) : NULL;
    if (level && level->at[0].integer == LEVEL_WARNING) return leave_to_run(r, st);
    Value *text = eval(r->s, st->right, r->locals, r->scope);
    Note *note = sema_error(r->s, r->scope, E_EVALUATION, r->call, "an assertion of the function fails: %.*s",
                            text ? (int)text->at[0].text.n : 0, text ? text->at[0].text.at : "");
    diag_label(r->s->diag, note, st->span, "the assertion");
    return RUN_FAILED;
}

static Value **run_locals(Sema *s, Function *f, Value *const *args, Span span, const Scope *scope);

/* For what it does: impure functions run with the model, others may fail. */
static RunStatus run_call(Run *r, const TStmt *st)
{
    const TExpr *e = st->left;
    if (e->kind != X_CALL || e->function->impure) return leave_to_run(r, st);
    Value **args = NEW_ARRAY(r->s->arena, Value *, e->n + 1);
    for (uint32_t i = 0; i < e->n; i++)
        if (!(args[i] = eval(r->s, e->args[i], r->locals, r->scope))) return RUN_FAILED;
    return run_locals(r->s, e->function, args, e->span, r->scope) ? RUN_ON : RUN_FAILED;
}

static RunStatus run_stmt(Run *r, const TStmt *st)
{
    if (!may_go_on(r)) return RUN_FAILED;
    switch ((FlatStmtKind)st->kind) {
    case S_ASSIGN: return assign(r, st);
    case S_IF: return run_if(r, st);
    case S_FOR: return run_for(r, st);
    case S_WHILE: return run_while(r, st);
    case S_ASSERT: return run_assert(r, st);
    case S_BREAK: return RUN_BREAK;
    case S_RETURN: return RUN_RETURN;
    case S_CALL: return run_call(r, st);
    default: break;
    }
    sema_error(r->s, r->scope, E_EVALUATION, st->span,
               "this statement cannot be run while the model is built");
    return RUN_FAILED;
}

static RunStatus run_body(Run *r, TStmt *const *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        RunStatus status = run_stmt(r, at[i]);
        if (status != RUN_ON) return status;
    }
    return RUN_ON;
}

/* Runs a function; NULL if that fails, else its variables. */
static Value **run_locals(Sema *s, Function *f, Value *const *args, Span span, const Scope *scope)
{
    function_body(s, f);
    if (f->is_broken) return NULL; /* which has been told */
    const char *name = name_text(f->inst->own->cls->name);
    if (f->inst->flags & CLASS_PARTIAL) {
        Note *note = sema_error(s, scope, E_NOT_EVALUABLE, span,
                                "'%s' cannot be called while the model is built", name);
        diag_label(s->diag, note, f->inst->own->cls->name_span, "a partial function");
        return NULL;
    }
    if (f->of) {
        sema_error(s, scope, E_NOT_EVALUABLE, span,
                   "'%s' is a derivative, which is made when the model is compiled: its value is not known "
                   "while the model is built",
                   name);
        return NULL;
    }
    if (s->run_depth >= DEEPEST) {
        sema_error(s, scope, E_TOO_MANY_STEPS, span, "'%s' calls itself without end", name);
        return NULL;
    }
    Run r = { s,
              f,
              NEW_ARRAY(s->arena, Value *, f->locals.n + f->loop_names.n + 1),
              NEW_ARRAY(s->arena, uint8_t, f->locals.n + 1),
              scope,
              span };
    bool ok = true;
    s->run_depth++;
    for (uint32_t i = 0; i < f->inputs.n; i++)
        r.locals[i] = value_convert(s, (Value *)(uintptr_t)args[i], &f->inputs.at[i]->type);
    for (uint32_t i = f->inputs.n; ok && i < f->locals.n; i++) ok = make_local(&r, i);
    if (function_is_external(f))
        ok = ok && run_external(s, f, r.locals, scope, span);
    else
        ok = ok && run_body(&r, f->body.at, f->body.n) != RUN_FAILED;
    s->run_depth--;
    return ok ? r.locals : NULL;
}

Value *run_function(Sema *s, Function *f, Value *const *args, uint32_t result, Span span, const Scope *scope)
{
    Value **locals = run_locals(s, f, args, span, scope);
    if (!locals || result >= f->outputs.n) return NULL;
    Value *value = locals[f->inputs.n + result];
    if (!value)
        sema_error(s, scope, E_EVALUATION, span,
                   "the output '%s' of '%s' has no value when the function ends",
                   name_text(f->outputs.at[result]->name), name_text(f->inst->own->cls->name));
    return value;
}
