/* equations.c: equation sections to scalar equations: arrays and records taken apart, loops written
 * out, branches chosen where the condition is known. Tests: tests/modelica. */
#include "sema/inside.h"

static void flatten_equation(Flattening *f, const Env *env, const Stmt *st, bool initial, StmtIds *out);

void flatten_equations(Flattening *f, const Env *env, const Stmts *body, bool initial, StmtIds *out)
{
    for (uint32_t i = 0; i < body->n; i++) flatten_equation(f, env, body->at[i], initial, out);
}

static void add(Flattening *f, StmtIds *out, FlatStmt s)
{
    StmtId id = flat_stmt(f->flat, s, NULL, 0);
    vec_push(f->flat->arena, out, id);
}

static void equate(Flattening *f, TExpr *a, TExpr *b, Span span, uint32_t group, StmtIds *out)
{
    Sema *s = f->s;
    if (a->type.rank) {
        for (int32_t i = 0; i < a->type.sizes[0]; i++)
            equate(f, tx_element(s, a, i), tx_element(s, b, i), span, group, out);
        return;
    }
    if (a->type.base == BASE_RECORD) {
        inst_list(s, a->type.def);
        Inst *def = a->type.def;
        for (uint32_t i = 0; i < def->comps.n; i++) {
            Entry *e = def->comps.at[i];
            TExpr *sides[2] = { a, b };
            if (!comp_sizes(s, e)) return;
            for (int k = 0; k < 2; k++) sides[k] = tx_field(s, sides[k], i, e->type);
            equate(f, sides[0], sides[1], span, group, out);
        }
        return;
    }
    FlatStmt eq = { .kind = S_EQUAL, .span = span, .group = group, .level = NONE };
    eq.left = emit_scalar(s, f->flat, coerce(s, a, &b->type));
    eq.right = emit_scalar(s, f->flat, coerce(s, b, &a->type));
    add(f, out, eq);
}

void equate_to_zero(Flattening *f, TExpr *e, Span span)
{
    Sema *s = f->s;
    if (e->type.rank) {
        for (int32_t i = 0; i < e->type.sizes[0]; i++) equate_to_zero(f, tx_element(s, e, i), span);
        return;
    }
    FlatStmt eq = { .kind = S_EQUAL, .from_connect = true, .span = span, .level = NONE };
    eq.left = emit_scalar(s, f->flat, e);
    eq.right = emit_scalar(s, f->flat, tx_real(s, 0, span));
    StmtId id = flat_stmt(f->flat, eq, NULL, 0);
    vec_push(f->flat->arena, &f->flat->equations, id);
}

/* The same with the elements of those parts that have one for each signal. */
static TExpr *element_of_parts(Sema *s, TExpr *e, int32_t at)
{
    TExpr **args = NEW_ARRAY(s->arena, TExpr *, e->n + 1);
    uint32_t points = e->kind == X_BUILTIN ? 4 : e->n; /* these are vectors themselves */
    for (uint32_t i = 0; i < e->n; i++) {
        bool is_one = e->args[i]->type.rank > (i >= points) && e->args[i]->kind != X_OMITTED;
        args[i] = is_one ? tx_element(s, e->args[i], at) : e->args[i];
    }
    TExpr *x = tx_with_args(s, e, args);
    if (e->kind == X_BUILTIN) x->type = type_scalar(BASE_REAL);
    return x;
}

/* (a, b) = f(x) */
static void equate_tuple(Flattening *f, const Env *env, TExpr *left, TExpr *right, Span span, StmtIds *out)
{
    Sema *s = f->s;
    if (!check_results(env, left, right, span)) return;
    if (right->kind == X_BUILTIN && right->type.rank) { /* several signals: one after the other */
        for (int32_t i = 0; i < right->type.sizes[0]; i++)
            equate_tuple(f, env, element_of_parts(s, left, i), element_of_parts(s, right, i), span, out);
        return;
    }
    if (!is_target(left)) {
        sema_error(s, env->scope, E_EQUATION, left->span,
                   "a list of results holds variables only, or nothing");
        return;
    }
    FlatStmt eq = { .kind = S_EQUAL, .span = span, .level = NONE };
    ExprId *items = NEW_ARRAY(s->arena, ExprId, left->n + 1);
    for (uint32_t i = 0; i < left->n; i++) items[i] = emit_whole(s, f->flat, left->args[i]);
    FlatExpr tuple = { .kind = X_TUPLE, .type = flat_type(f->flat, BASE_REAL, NONE, 0, NULL) };
    eq.left = flat_expr(f->flat, tuple, items, left->n);
    eq.right = emit_results(s, f->flat, right);
    add(f, out, eq);
}

static bool is_unknown(const TExpr *e)
{
    bool is_one = e->kind == X_VAR || e->kind == X_SUBSCRIPT || e->kind == X_FIELD;
    return is_one && is_target(e);
}

/* Whether an expression has an unknown in it, which the equation may be solved for. */
static bool has_unknown(const TExpr *e)
{
    if (e->kind == X_VAR && e->leaf->varies > VARIES_PARAMETER) return true;
    for (uint32_t i = 0; i < e->n; i++)
        if (has_unknown(e->args[i])) return true;
    return false;
}

/* An Integer variable that such an equation would give a value that need not be whole. What changes
 * continuously, or is a variable, may be the unknown itself. */
static bool is_real_for_integer(const Env *env, const TExpr *var, const TExpr *value)
{
    bool is_given = env->place & PLACE_WHEN || (value->varies <= VARIES_DISCRETE && !is_unknown(value)) ||
                    !has_unknown(value);
    return is_given && is_unknown(var) && var->type.base == BASE_INTEGER && value->type.base == BASE_REAL;
}

/* noEvent() as the value of a variable that changes at events only (4.5.2). */
static bool is_event_free(const TExpr *var, const TExpr *value)
{
    return is_unknown(var) && var->type.base != BASE_REAL && tx_is_event_free(value);
}

static bool is_index(const Env *env, const Expr *e)
{
    for (const Iter *i = env->iters; i && e->kind == EXPR_REF && e->n == 1; i = i->outer)
        if (i->name == e->parts[0].name) return true;
    return false;
}

/* What a when-clause determines is a variable of its own class, not one inside of a component that
 * is a model (4.5.3): that one could not know of it. */
static void check_owner(const Env *env, const TExpr *e)
{
    for (uint32_t i = 0; e->kind != X_VAR && i < e->n; i++) check_owner(env, e->args[i]);
    if (e->kind != X_VAR || e->leaf->causes == CAUSALITY_INPUT) return;
    for (const Inst *i = e->leaf->owner; i && i != env->scope->inst; i = i->container) {
        if (i->base != BASE_CLASS || i->is_connector || !i->container) continue;
        Note *note = sema_error(env->s, env->scope, E_EQUATION, e->span,
                                "a when-clause determines '%s', which is inside of a component",
                                entry_path(env->s, e->leaf));
        diag_label(env->s->diag, note, e->leaf->decl->declaration->span, "declared here");
        return;
    }
}

static void flatten_equal(Flattening *f, const Env *env, const Stmt *st, StmtIds *out)
{
    Sema *s = f->s;
    TExpr *a = type_expr(env, st->left), *b = type_expr(env, st->right);
    if (tx_is_poison(a) || tx_is_poison(b)) return;
    if (env->place & PLACE_WHEN && !is_target(a)) {
        sema_error(s, env->scope, E_EQUATION, st->left->span,
                   "an equation in a when-clause has a variable alone on its left side");
        return;
    }
    if (env->place & PLACE_WHEN) check_owner(env, a);
    if (is_index(env, st->left)) {
        sema_error(s, env->scope, E_ASSIGN_TARGET, st->span, "the index of a loop cannot be assigned to");
        return;
    }
    if (a->kind == X_TUPLE) {
        equate_tuple(f, env, a, b, st->span, out);
        return;
    }
    if (a->type.base == BASE_CLASS || b->type.base == BASE_CLASS) {
        sema_error(s, env->scope, E_NOT_A_VALUE, st->span,
                   "a whole component or a call without result is no value");
        return;
    }
    if (!type_fits(&a->type, &b->type) && !type_fits(&b->type, &a->type)) {
        bool sizes = a->type.base == b->type.base && a->type.rank == b->type.rank;
        sema_error(s, env->scope, sizes ? E_SIZE_MISMATCH : E_TYPE_MISMATCH, st->span,
                   "the left side is %s, the right side %s", type_text(s, &a->type), type_text(s, &b->type));
        return;
    }
    if (is_real_for_integer(env, a, b) || (!(env->place & PLACE_WHEN) && is_real_for_integer(env, b, a))) {
        Note *note =
            sema_error(s, env->scope, E_TYPE_MISMATCH, st->span, "a Real where an Integer is needed");
        diag_hint(s->diag, note, "integer() gives the largest Integer that is not larger than a Real");
        return;
    }
    if (is_event_free(a, b) || is_event_free(b, a)) {
        Note *note =
            sema_error(s, env->scope, E_VARIABILITY, st->span,
                       "what is not Real changes at events only, and noEvent() lets this change without one");
        diag_hint(s->diag, note, "leave out noEvent()");
        return;
    }
    if (!type_is_known(&a->type) || !type_is_known(&b->type)) {
        sema_error(s, env->scope, E_BAD_SIZE, st->span,
                   "the sizes of an equation must be known when the model is built");
        return;
    }
    equate(f, a, b, st->span, a->type.rank ? ++f->flat->group_count : 0, out);
}

/* ---- if, for, when --------------------------------------------------------------------------- */

static FlatBranch flatten_branch(Flattening *f, const Env *env, TExpr *condition, const Stmts *body,
                                 bool initial)
{
    StmtIds inner = { 0 };
    FlatBranch b = { .condition = condition ? emit_whole(f->s, f->flat, condition) : NONE };
    flatten_equations(f, env, body, initial, &inner);
    b.n = inner.n;
    b.first = flat_list(f->flat, inner.at, inner.n);
    return b;
}

/* All branches determine equally much; a missing one determines nothing. */
static bool is_balanced(Flattening *f, const Env *env, const FlatBranch *branches, uint32_t n, Span span)
{
    uint32_t first = flat_count_branch(f->flat, &branches[0]);
    bool same = branches[n - 1].condition == NONE || first == 0;
    for (uint32_t i = 1; i < n; i++) same = same && flat_count_branch(f->flat, &branches[i]) == first;
    if (same) return true;
    Note *note =
        sema_error(f->s, env->scope, E_IF_BALANCE, span, "the branches have different numbers of equations");
    for (uint32_t i = 0; i < n; i++)
        diag_hint(f->s->diag, note, "branch %u has %u", (unsigned)i + 1,
                  (unsigned)flat_count_branch(f->flat, &branches[i]));
    if (branches[n - 1].condition != NONE) diag_hint(f->s->diag, note, "there is no else");
    return false;
}

static void mark_targets(const Flat *flat, ExprId id, Map *out)
{
    const FlatExpr *e = &flat->exprs.at[id];
    if (e->kind == X_VAR) map_put(out, e->index, NULL);
    uint32_t deep = e->kind == X_SUBSCRIPT || e->kind == X_FIELD ? 1 : e->kind == X_VAR ? 0 : e->n;
    for (uint32_t i = 0; i < deep; i++) mark_targets(flat, flat->ids.at[e->first + i], out);
}

static void branch_targets(const Flat *flat, const FlatBranch *b, Map *out)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const FlatStmt *st = &flat->stmts.at[flat->ids.at[b->first + i]];
        if (st->kind == S_EQUAL) mark_targets(flat, st->left, out);
        for (uint32_t k = 0; k < st->n; k++) branch_targets(flat, &flat->branches.at[st->first + k], out);
    }
}

/* All branches of a when-clause determine the same variables. */
static bool same_targets(Flattening *f, const Env *env, const FlatBranch *branches, uint32_t n, Span span)
{
    Map *targets = NEW_ARRAY(f->s->arena, Map, n + 1);
    uint64_t value;
    for (uint32_t i = 0; n > 1 && i < n; i++) {
        targets[i].arena = f->s->arena;
        branch_targets(f->flat, &branches[i], &targets[i]);
    }
    for (uint32_t i = 1; i < n; i++)
        for (VarId v = 0; targets[0].n + targets[i].n && v < f->flat->vars.n; v++) {
            if (map_get(&targets[0], v, &value) == map_get(&targets[i], v, &value)) continue;
            Note *note = sema_error(f->s, env->scope, E_IF_BALANCE, span,
                                    "the branches of a when-clause determine different variables");
            diag_label(f->s->diag, note, f->flat->vars.at[v].span, "'%s' is not in all of them",
                       f->flat->vars.at[v].name);
            return false;
        }
    return true;
}

/* The variable that an equation gives a value to; NONE if it is none of the form v = ... */
static VarId solved_by(const Flat *flat, StmtId id)
{
    const FlatStmt *s = &flat->stmts.at[id];
    const FlatExpr *left = s->kind == S_EQUAL ? &flat->exprs.at[s->left] : NULL;
    return left && left->kind == X_VAR ? left->index : NONE;
}

/* Where all branches give values to the same variables, they do so in the order of the first. */
static void align_branches(const Flat *flat, const FlatBranch *branches, uint32_t n)
{
    for (uint32_t k = 1; k < n && branches[0].n; k++) {
        StmtId *first = flat->ids.at + branches[0].first, *other = flat->ids.at + branches[k].first;
        for (uint32_t i = 0; branches[k].n == branches[0].n && i < branches[0].n; i++) {
            VarId v = solved_by(flat, first[i]);
            uint32_t at = i;
            while (at < branches[k].n && solved_by(flat, other[at]) != v) at++;
            if (v == NONE || at == branches[k].n) continue;
            StmtId swapped = other[i];
            other[i] = other[at];
            other[at] = swapped;
        }
    }
}

static void flatten_branches(Flattening *f, const Env *env, const Stmt *st, FlatStmtKind kind, bool initial,
                             StmtIds *out)
{
    Sema *s = f->s;
    FlatBranch *branches = NEW_ARRAY(s->arena, FlatBranch, st->n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < st->n; i++) {
        TExpr *c = st->branches[i].condition ? type_expr(env, st->branches[i].condition) : NULL;
        if (c && !check_condition(env, c, kind == S_WHEN)) return;
        if (c && kind == S_WHEN && !check_when_condition(env, c)) return;
        /* A parameter that gets its value at initialisation leaves the choice to the run. */
        Value *known = c && kind == S_IF && c->varies <= VARIES_PARAMETER ? try_eval(s, c, env->scope) : NULL;
        if (known && !known->at[0].integer) continue;
        if (known) c = NULL;
        if (!c && n == 0) {
            flatten_equations(f, env, &st->branches[i].body, initial, out);
            return;
        }
        Env inner = *env;
        bool ticks = c && c->type.base == BASE_CLOCK;
        if (!ticks) inner.place |= kind == S_WHEN ? PLACE_WHEN : PLACE_IF;
        branches[n++] = flatten_branch(f, &inner, c, &st->branches[i].body, initial);
        if (!c) break;
    }
    bool clocked = st->n && n && kind == S_WHEN && branches[0].condition != NONE &&
                   f->flat->types.at[f->flat->exprs.at[branches[0].condition].type].base == BASE_CLOCK;
    if (kind == S_WHEN && !clocked && !same_targets(f, env, branches, n, st->span)) return;
    if (!n || (kind == S_IF && !initial && !is_balanced(f, env, branches, n, st->span))) return;
    if (kind == S_IF) align_branches(f->flat, branches, n);
    FlatStmt x = { .kind = (uint8_t)kind, .span = st->span, .left = NONE, .right = NONE, .level = NONE };
    StmtId id = flat_stmt(f->flat, x, branches, n);
    vec_push(f->flat->arena, out, id);
}

static void flatten_for(Flattening *f, const Env *env, const Stmt *st, uint32_t at, bool initial,
                        StmtIds *out)
{
    Sema *s = f->s;
    if (at == st->index_count) {
        flatten_equations(f, env, &st->branches[0].body, initial, out);
        return;
    }
    TExpr *range = type_index_range(env, &st->indices[at], &st->branches[0].body, NULL);
    Value *v = tx_is_poison(range) ? NULL : eval(s, range, NULL, env->scope);
    if (v && v->rank != 1) {
        sema_error(s, env->scope, E_TYPE_MISMATCH, range->span, "the range of a loop is a vector, not %s",
                   type_text(s, &range->type));
        return;
    }
    for (uint32_t i = 0; v && i < v->n; i++) {
        Iter iter = { st->indices[at].name, tx_value(s, value_slice(s, v, (int32_t)i), range->span),
                      env->iters };
        Env inner = *env;
        inner.iters = &iter;
        flatten_for(f, &inner, st, at + 1, initial, out);
    }
}

/* Calls as equations: assert, terminate, reinit, and functions for their effect. */
static void flatten_call(Flattening *f, const Env *env, const Stmt *st, StmtIds *out)
{
    const Stmts one = { (Stmt **)(uintptr_t)&st, 1 };
    if (stmt_is_of_connections(st)) {
        check_connections_statement(env, st);
        return;
    }
    if (stmt_is_of_machine(env, st)) {
        collect_machine(f, env, st);
        return;
    }
    TStmts typed = type_statements(env, &one);
    for (uint32_t i = 0; i < typed.n; i++) {
        StmtId id = emit_stmt(f->s, f->flat, typed.at[i]);
        vec_push(f->flat->arena, out, id);
    }
}

static void flatten_equation(Flattening *f, const Env *env, const Stmt *st, bool initial, StmtIds *out)
{
    if (!stmt_may_stand(env, st)) return;
    switch ((StmtKind)st->kind) {
    case STMT_EQUAL: flatten_equal(f, env, st, out); break;
    case STMT_CONNECT: collect_connection(f, env, st); break;
    case STMT_CALL: flatten_call(f, env, st, out); break;
    case STMT_IF: flatten_branches(f, env, st, S_IF, initial, out); break;
    case STMT_WHEN: flatten_branches(f, env, st, S_WHEN, initial, out); break;
    case STMT_FOR: flatten_for(f, env, st, 0, initial, out); break;
    default:
        sema_error(f->s, env->scope, E_EQUATION, st->span, "this is a statement, not an equation");
        break;
    }
}
