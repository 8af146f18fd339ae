/* emit.c: typed expressions, statements and functions into the flat model.
 *
 * In models arrays are written out to scalars, constants are folded, references become variables'
 * numbers. In functions (s->raw) arrays stay whole. A function is emitted when it is first called.
 * Tests: tests/modelica. */
#include "sema/inside.h"

/* ---- types ----------------------------------------------------------------------------------- */

static const Class *long_class(const Inst *inst)
{
    const Scope *scope = inst->own;
    while (scope->cls->form == FORM_SHORT && scope->n && scope->bases[0]) scope = scope->bases[0];
    return inst->base == BASE_ENUM ? inst->root->cls : scope->cls;
}

/* The name of a class in the flat model: the full one; the plain one for the model's own classes;
 * with a number where the same class comes out differently at several places, as in redeclared
 * packages. */
static const char *flat_name(Sema *s, Flat *flat, const Inst *inst)
{
    const Class *cls = long_class(inst);
    Text text = { .arena = flat->arena };
    bool of_object = str_is(name_str(cls->name), "constructor") || str_is(name_str(cls->name), "destructor");
    if (cls->outer == s->model->own->cls)
        text_add(&text, name_str(cls->name));
    else if (of_object && cls->outer && cls->outer->outer == s->model->own->cls)
        text_printf(&text, "%s.%s", name_text(cls->outer->name), name_text(cls->name));
    else
        class_full_name(cls, &text);
    Name name = name_of(s->names, (Str){ text.at, text.n });
    uint64_t *uses = map_put(&s->flat_names, map_key(name), NULL);
    if (++*uses > 1) text_printf(&text, "#%u", (unsigned)*uses);
    return text.at;
}

static bool same_fields(const FlatDef *a, const FlatDef *b)
{
    if (a->fields.n != b->fields.n) return false;
    for (uint32_t i = 0; i < a->fields.n; i++)
        if (a->fields.at[i].type != b->fields.at[i].type ||
            strcmp(a->fields.at[i].name, b->fields.at[i].name))
            return false;
    return true;
}

/* A record: one definition for all instances of its class whose members have the same types and
 * sizes. */
static DefId emit_record(Sema *s, Flat *flat, Inst *def)
{
    const Class *cls = long_class(def);
    FlatDef made = { .base = BASE_RECORD, .destructor = NONE };
    inst_list(s, def);
    for (uint32_t i = 0; i < def->comps.n; i++) {
        Entry *e = def->comps.at[i];
        if (!comp_sizes(s, e)) continue;
        FlatField field = { name_text(e->name), emit_type(s, flat, &e->type) };
        vec_push(flat->arena, &made.fields, field);
    }
    for (DefId id = 0; id < flat->defs.n; id++)
        if (s->def_classes.at[id] == cls && same_fields(&flat->defs.at[id], &made)) return id;
    made.name = flat_name(s, flat, def);
    vec_push(flat->arena, &flat->defs, made);
    vec_push(s->arena, &s->def_classes, cls);
    return flat->defs.n - 1;
}

DefId emit_def(Sema *s, Flat *flat, Inst *def)
{
    const Class *cls = def->base == BASE_ENUM ? def->root->cls : def->own->cls;
    const void *key = def->base == BASE_RECORD ? (const void *)def : cls;
    uint64_t known;
    if (map_get(&s->defs, map_key(key), &known)) return (DefId)(known - 1);
    if (def->base == BASE_RECORD) {
        DefId record = emit_record(s, flat, def);
        *map_put(&s->defs, map_key(key), NULL) = record + 1;
        return record;
    }
    DefId id = flat->defs.n;
    *map_put(&s->defs, map_key(key), NULL) = id + 1;
    FlatDef made = { .name = flat_name(s, flat, def), .base = (Base)def->base, .destructor = NONE };
    if (def->root && def->root->outer == s->builtins) {
        made.name = name_text(cls->name);
        made.predefined = true;
    }
    for (uint32_t i = 0; def->base == BASE_ENUM && i < cls->literal_count; i++)
        vec_push(flat->arena, &made.fields, ((FlatField){ name_text(cls->literals[i].name), NONE }));
    vec_push(flat->arena, &flat->defs, made);
    vec_push(s->arena, &s->def_classes, cls);
    if (def->base == BASE_OBJECT) {
        FuncId destructor = emit_destructor(s, flat, def);
        flat->defs.at[id].destructor = destructor;
    }
    return id;
}

TypeId emit_type(Sema *s, Flat *flat, const Type *t)
{
    bool has_def = t->base >= BASE_ENUM && t->base <= BASE_OBJECT;
    Base base = t->base <= BASE_CLOCK ? (Base)t->base : BASE_REAL;
    if (base == BASE_FUNCTION)
        return flat_type(flat, base, emit_function(s, flat, function_of(s, t->def)), t->rank, t->sizes);
    return flat_type(flat, base, has_def ? emit_def(s, flat, t->def) : NONE, t->rank, t->sizes);
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* A function may use only what is constant outside of it: the value takes the place of the name. */
static TExpr *value_of_outer(Sema *s, const TExpr *e)
{
    Value *v = NULL;
    if (e->leaf->varies <= VARIES_PARAMETER)
        v = comp_value(s, e->leaf, e->span);
    else
        sema_error(s, e->leaf->scope, E_VARIABILITY, e->span,
                   "a function cannot use '%s', which changes outside of it", entry_path(s, e->leaf));
    return v ? tx_value(s, v, e->span) : tx_real(s, 0, e->span);
}

/* Long sums lean to the left: they are walked in a loop, not by recursion. */
static ExprId emit_binary(Sema *s, Flat *flat, TExpr *e)
{
    VEC(TExpr *) spine = { 0 };
    bool raw = s->raw;
    do {
        vec_push(s->arena, &spine, e);
        e = e->args[0];
    } while (e->kind == X_BINARY &&
             (raw || (e->op != O_PRODUCT && !e->type.rank && e->varies != VARIES_CONSTANT)));
    ExprId left = emit_whole(s, flat, e);
    while (spine.n) {
        const TExpr *x = spine.at[--spine.n];
        ExprId args[] = { left, emit_whole(s, flat, x->args[1]) };
        left = flat_expr(
            flat, (FlatExpr){ .kind = X_BINARY, .op = x->op, .type = emit_type(s, flat, &x->type) }, args, 2);
    }
    return left;
}

/* pre(x[i]), where only the run knows i, is pre(x)[i]; edge() and change() are made of that. */
static ExprId emit_before(Flat *flat, const FlatExpr *call, ExprId element)
{
    FlatExpr of = flat->exprs.at[element], array = flat->exprs.at[flat->ids.at[of.first]];
    ExprId *args = NEW_ARRAY(flat->arena, ExprId, of.n);
    memcpy(args, flat->ids.at + of.first, of.n * sizeof *args);
    FlatExpr before = { .kind = X_BUILTIN, .op = BUILTIN_PRE, .type = array.type };
    args[0] = flat_expr(flat, before, args, 1);
    of.first = 0;
    ExprId old = flat_expr(flat, of, args, of.n);
    if (call->op == BUILTIN_PRE) return old;
    bool is_edge = call->op == BUILTIN_EDGE;
    if (is_edge)
        old = flat_expr(flat, (FlatExpr){ .kind = X_UNARY, .op = O_NOT, .type = call->type }, &old, 1);
    return flat_expr(flat,
                     (FlatExpr){ .kind = X_BINARY, .op = is_edge ? O_AND : O_NOT_EQUAL, .type = call->type },
                     (ExprId[]){ element, old }, 2);
}

static ExprId emit_copy(Sema *s, Flat *flat, TExpr *e);

/* A call that gives an array, in a model: its elements are elements of one expression. */
static ExprId emit_array_call(Sema *s, Flat *flat, TExpr *e)
{
    uint64_t known;
    if (map_get(&s->flat_calls, map_key(e), &known)) return (ExprId)(known - 1);
    ExprId id = emit_copy(s, flat, e);
    *map_put(&s->flat_calls, map_key(e), NULL) = (uint64_t)id + 1;
    return id;
}

static ExprId emit_copy(Sema *s, Flat *flat, TExpr *e)
{
    if (e->kind == X_VAR) e = value_of_outer(s, e);
    if (e->kind == X_BINARY) return emit_binary(s, flat, e);
    ExprId small[16], *args = e->n <= 16 ? small : NEW_ARRAY(s->arena, ExprId, e->n);
    for (uint32_t i = 0; i < e->n; i++) args[i] = emit_whole(s, flat, e->args[i]);
    FlatExpr x = { .kind = e->kind, .op = e->op, .type = emit_type(s, flat, &e->type) };
    bool is_before =
        x.kind == X_BUILTIN && (x.op == BUILTIN_PRE || x.op == BUILTIN_EDGE || x.op == BUILTIN_CHANGE);
    if (is_before && flat->exprs.at[args[0]].kind == X_SUBSCRIPT) return emit_before(flat, &x, args[0]);
    switch ((ExprKindFlat)e->kind) {
    case X_REAL: x.real = e->real; break;
    case X_STRING: x.text = (Str){ arena_copy(flat->arena, e->text), e->text.n }; break;
    case X_INTEGER:
    case X_BOOLEAN:
    case X_ENUM: x.integer = e->integer; break;
    case X_PARTIAL:
    case X_CALL:
        x.index = emit_function(s, flat, e->function);
        s->emits_impure |= !e->op && (e->function->impure || flat->functions.at[x.index].calls_impure);
        break;
    default: x.index = e->index; break;
    }
    return flat_expr(flat, x, args, e->n);
}

static ExprId emit_variable(Sema *s, Flat *flat, const TExpr *e, Entry *leaf, uint32_t offset)
{
    if (leaf->var == NONE) {
        Value *v = comp_value(s, leaf, e->span);
        TExpr *x = v ? tx_value(s, v, e->span) : tx_real(s, 0, e->span);
        for (uint32_t rank = x->type.rank; rank > 0; rank--) {
            uint32_t rest = type_count(&x->type) / (uint32_t)(x->type.sizes[0] ? x->type.sizes[0] : 1);
            x = tx_element(s, x, (int32_t)(offset / (rest ? rest : 1)));
            offset %= rest ? rest : 1;
        }
        return emit_whole(s, flat, x);
    }
    VarId var = leaf->var + offset;
    FlatExpr x = { .kind = X_VAR, .type = flat->vars.at[var].type, .index = var };
    return flat_expr(flat, x, NULL, 0);
}

/* x[i, j] with known subscripts is a variable of its own. */
static bool element_of_variable(const TExpr *e, uint32_t *offset)
{
    const TExpr *of = e->args[0];
    if (of->kind != X_VAR || e->n != of->type.rank + 1u) return false;
    *offset = 0;
    for (uint32_t i = 1; i < e->n; i++) {
        const TExpr *sub = e->args[i];
        bool literal = sub->kind == X_INTEGER || sub->kind == X_ENUM || sub->kind == X_BOOLEAN;
        int64_t at = sub->integer - (sub->kind == X_BOOLEAN ? 0 : 1);
        if (!literal || at < 0 || at >= of->type.sizes[i - 1]) return false;
        *offset = *offset * (uint32_t)of->type.sizes[i - 1] + (uint32_t)at;
    }
    return true;
}

static bool is_literal(const TExpr *e) { return e->kind <= X_ENUM; }

/* Whether only constants and parameters that are evaluated anyway, or ask for it, decide. */
static bool is_decided(Sema *s, const TExpr *e)
{
    if (e->kind == X_VAR)
        return e->leaf->varies <= VARIES_PARAMETER &&
               (e->leaf->varies == VARIES_CONSTANT || e->leaf->structural || evaluates(s, e->leaf));
    for (uint32_t i = 0; i < e->n; i++)
        if (!is_decided(s, e->args[i])) return false;
    return e->kind != X_LOCAL;
}

/* Partly known conditions: branches that are never taken are left out. */
static TExpr *fold_if(Sema *s, TExpr *e)
{
    TExpr **kept = NEW_ARRAY(s->arena, TExpr *, e->n);
    uint32_t n = 0;
    for (uint32_t i = 0; i + 1 < e->n; i += 2) {
        bool known = e->args[i]->varies <= VARIES_PARAMETER && is_decided(s, e->args[i]);
        Value *v = known ? try_eval(s, e->args[i], NULL) : NULL;
        if (v && !v->at[0].integer) continue;
        if (v) {
            kept[n++] = e->args[i + 1];
            return n == 1 ? kept[0] : tx_new(s, X_IF, e->type, e->varies, e->span, kept, n);
        }
        kept[n++] = e->args[i];
        kept[n++] = e->args[i + 1];
    }
    kept[n++] = e->args[e->n - 1];
    return n == 1 ? kept[0] : tx_new(s, X_IF, e->type, e->varies, e->span, kept, n);
}

/* What is left of an if-expression may be one of its branches, which is another one. */
static TExpr *fold_ifs(Sema *s, TExpr *e)
{
    bool is_branch = true;
    while (is_branch && e->kind == X_IF) {
        TExpr *folded = fold_if(s, e);
        is_branch = false;
        for (uint32_t i = 0; i < e->n; i++) is_branch |= e->args[i] == folded;
        e = is_branch ? tx_simplify(s, folded) : folded;
    }
    return e;
}

/* In place of an array that nobody could mean. */
static ExprId emit_nothing(Sema *s, Flat *flat, const TExpr *e)
{
    sema_error(s, NULL, E_TOO_LARGE, e->span, "an array that is far too large");
    return emit_copy(s, flat, tx_real(s, 0, e->span));
}

ExprId emit_scalar(Sema *s, Flat *flat, TExpr *e)
{
    uint32_t offset;
    if (e->varies == VARIES_CONSTANT && !is_literal(e) && e->kind != X_OMITTED && e->type.base <= BASE_ENUM) {
        Value *v = try_eval(s, e, NULL);
        if (v) e = tx_value(s, value_convert(s, v, &e->type), e->span);
    }
    for (uint32_t i = 0; i < e->n; i++)
        if (type_is_huge(&e->args[i]->type)) return emit_nothing(s, flat, e);
    e = fold_ifs(s, tx_simplify(s, e));
    if (e->kind == X_VAR && !e->type.rank) return emit_variable(s, flat, e, e->leaf, 0);
    if (e->kind == X_SUBSCRIPT && element_of_variable(e, &offset))
        return emit_variable(s, flat, e, e->args[0]->leaf, offset);
    return emit_copy(s, flat, e);
}

/* What has elements only by subscripts. */
static bool stays_whole(const TExpr *e)
{
    return e->kind == X_CALL || e->kind == X_RESULT || e->kind == X_FIELD || e->kind == X_COMPREHENSION ||
           e->kind == X_LOCAL;
}

ExprId emit_whole(Sema *s, Flat *flat, TExpr *e)
{
    if (s->raw) return emit_copy(s, flat, e);
    if (!e->type.rank) return emit_scalar(s, flat, e);
    if (e->kind == X_CALL) return emit_array_call(s, flat, e);
    if (!type_is_known(&e->type) || stays_whole(e)) return emit_copy(s, flat, e);
    if (type_is_huge(&e->type)) return emit_nothing(s, flat, e);
    uint32_t n = (uint32_t)e->type.sizes[0];
    ExprId *items = NEW_ARRAY(s->arena, ExprId, n + 1);
    for (uint32_t i = 0; i < n; i++) items[i] = emit_whole(s, flat, tx_element(s, e, (int32_t)i));
    FlatExpr x = { .kind = X_ARRAY, .type = emit_type(s, flat, &e->type) };
    return flat_expr(flat, x, items, n);
}

ExprId emit_results(Sema *s, Flat *flat, TExpr *e)
{
    return e->kind == X_CALL ? emit_copy(s, flat, e) : emit_whole(s, flat, e);
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Whether an expression uses one of the variables that are marked in `seen`. */
static bool uses_any(const Flat *flat, ExprId id, const Map *seen)
{
    const FlatExpr *e = &flat->exprs.at[id];
    uint64_t value;
    if (e->kind == X_VAR) return map_get(seen, e->index, &value);
    for (uint32_t i = 0; i < e->n; i++)
        if (uses_any(flat, flat->ids.at[e->first + i], seen)) return true;
    return false;
}

/* x := {a, b} is x[1] := a; x[2] := b, unless b uses x[1]. */
static bool split_assignment(Sema *s, Flat *flat, const TStmt *st, StmtIds *out)
{
    if (s->raw || st->kind != S_ASSIGN || !st->left->type.rank || st->left->kind == X_TUPLE) return false;
    ExprId left = emit_whole(s, flat, st->left);
    uint32_t n = flat->exprs.at[left].n, before = out->n;
    if (flat->exprs.at[left].kind != X_ARRAY || !type_is_known(&st->right->type)) return false;
    Map seen = { .arena = s->arena };
    for (uint32_t i = 0; i < n; i++) {
        TStmt one = *st;
        one.left = tx_element(s, st->left, (int32_t)i);
        one.right = tx_element(s, st->right, (int32_t)i);
        ExprId target = flat->ids.at[flat->exprs.at[left].first + i];
        if (one.left->type.rank || flat->exprs.at[target].kind != X_VAR) break;
        StmtId id = emit_stmt(s, flat, &one);
        if (uses_any(flat, flat->stmts.at[id].right, &seen)) break;
        map_put(&seen, flat->exprs.at[target].index, NULL);
        vec_push(s->arena, out, id);
    }
    if (out->n - before == n) return true;
    out->n = before;
    return false;
}

uint32_t emit_body(Sema *s, Flat *flat, TStmt *const *at, uint32_t n, uint32_t *count)
{
    StmtIds ids = { 0 };
    for (uint32_t i = 0; i < n; i++)
        if (!split_assignment(s, flat, at[i], &ids)) {
            StmtId id = emit_stmt(s, flat, at[i]);
            vec_push(s->arena, &ids, id);
        }
    *count = ids.n;
    return flat_list(flat, ids.at, ids.n);
}

StmtId emit_stmt(Sema *s, Flat *flat, const TStmt *st)
{
    FlatStmt x = {
        .kind = st->kind, .index = st->index, .span = st->span, .left = NONE, .right = NONE, .level = NONE
    };
    FlatBranch *branches = NEW_ARRAY(s->arena, FlatBranch, st->n + 1);
    if (st->left) x.left = emit_whole(s, flat, st->left);
    bool to_several = st->left && st->left->kind == X_TUPLE;
    if (st->right) x.right = (to_several ? emit_results : emit_whole)(s, flat, st->right);
    if (st->level) x.level = emit_whole(s, flat, st->level);
    for (uint32_t i = 0; i < st->n; i++) {
        const TBranch *b = &st->branches[i];
        branches[i].condition = b->condition ? emit_whole(s, flat, b->condition) : NONE;
        branches[i].first = emit_body(s, flat, b->at, b->n, &branches[i].n);
    }
    return flat_stmt(flat, x, branches, st->n);
}

/* ---- functions ------------------------------------------------------------------------------- */

static FlatLocal emit_local(Sema *s, Flat *flat, Entry *e)
{
    static const uint8_t roles[] = { LOCAL_PROTECTED, LOCAL_INPUT, LOCAL_OUTPUT };
    FlatLocal l = { name_text(e->name), emit_type(s, flat, &e->type), roles[e->causes], NONE, NONE };
    TExpr *binding = comp_binding(s, e);
    if (binding && !tx_is_poison(binding)) l.binding = emit_whole(s, flat, binding);
    uint32_t *sizes = NEW_ARRAY(s->arena, uint32_t, e->type.rank + 1u);
    for (uint32_t i = 0; i < e->type.rank; i++)
        sizes[i] = e->size_exprs && e->size_exprs[i] ? emit_whole(s, flat, e->size_exprs[i]) : NONE;
    if (e->type.rank) l.sizes_first = flat_list(flat, sizes, e->type.rank);
    return l;
}

FuncId emit_function(Sema *s, Flat *flat, Function *f)
{
    if (f->id != NONE) return f->id;
    bool raw = s->raw, emits_impure = s->emits_impure;
    FlatFunction x = { .name = flat_name(s, flat, f->inst),
                       .span = f->inst->own->cls->name_span,
                       .impure = f->impure,
                       .partial = f->inst->flags & CLASS_PARTIAL,
                       .smooth_order = -1 };
    f->id = flat->functions.n;
    vec_push(flat->arena, &flat->functions, x);
    s->raw = true, s->emits_impure = false;
    function_body(s, f);
    x.inputs = f->inputs.n;
    x.outputs = f->outputs.n;
    x.result = NONE;
    for (uint32_t i = 0; i < f->locals.n; i++) {
        if (f->locals.at[i]->size_state != STATE_DONE) continue;
        FlatLocal l = emit_local(s, flat, f->locals.at[i]);
        vec_push(flat->arena, &x.locals, l);
    }
    if (f->of) {
        x.of = emit_function(s, flat, f->of);
        for (uint32_t i = 0; i < f->by.n; i++) vec_push(flat->arena, &x.by, f->by.at[i]);
    } else {
        x.first = emit_body(s, flat, f->body.at, f->body.n, &x.n);
        emit_external(s, flat, f, &x);
    }
    for (uint32_t i = 0; i < f->loop_names.n; i++) {
        const char *name = arena_copy(flat->arena, str_of(f->loop_names.at[i]));
        FlatLocal l = { name, flat_type(flat, BASE_INTEGER, NONE, 0, NULL), LOCAL_LOOP, NONE, NONE };
        vec_push(flat->arena, &x.locals, l);
    }
    emit_notes(s, flat, f, &x);
    x.calls_impure = !x.impure && s->emits_impure;
    s->raw = raw, s->emits_impure = emits_impure;
    flat->functions.at[f->id] = x;
    return f->id;
}
