/* walk.c: goes through the connect equations of all instances, and through the calls of
 * Connections.branch and the like, ahead of the other equations, which may depend on what they say.
 *
 * Loops are written out; an equation inside of an if-equation counts if its condition can be told.
 * Nothing is reported here: the same texts are elaborated again later. Cost: O(instances +
 * connections). Tests: tests/modelica/connections.mo. */
#include "sema/inside.h"

typedef struct {
    VisitConnection visit;
    void *arg;
} Walk;

static void walk_stmts(const Walk *w, const Env *env, const Stmts *body);

static void walk_for(const Walk *w, const Env *env, const Stmt *st, uint32_t at)
{
    if (at == st->index_count) {
        walk_stmts(w, env, &st->branches[0].body);
        return;
    }
    TExpr *range = type_index_range(env, &st->indices[at], &st->branches[0].body, NULL);
    Value *v = !tx_is_poison(range) ? try_eval(env->s, range, env->scope) : NULL;
    for (uint32_t i = 0; v && i < v->n; i++) {
        Iter iter = { st->indices[at].name, tx_value(env->s, value_slice(env->s, v, (int32_t)i), range->span),
                      env->iters };
        Env inner = *env;
        inner.iters = &iter;
        walk_for(w, &inner, st, at + 1);
    }
}

static void walk_if(const Walk *w, const Env *env, const Stmt *st)
{
    for (uint32_t i = 0; i < st->n; i++) {
        TExpr *c = st->branches[i].condition ? type_expr(env, st->branches[i].condition) : NULL;
        bool known = c && !tx_is_poison(c) && c->varies <= VARIES_PARAMETER;
        Value *v = known ? try_eval(env->s, c, env->scope) : NULL;
        if (c && !v) return;
        if (v && !v->at[0].integer) continue;
        walk_stmts(w, env, &st->branches[i].body);
        return;
    }
}

bool stmt_is_of_connections(const Stmt *st)
{
    return st->kind == STMT_CALL && st->left->kind == EXPR_CALL && st->left->callee->n == 2 &&
           str_is(name_str(st->left->callee->parts[0].name), "Connections");
}

static bool is_wanted(const Stmt *st)
{
    if (st->kind == STMT_CONNECT || stmt_is_of_connections(st)) return true;
    if (st->kind != STMT_IF && st->kind != STMT_FOR) return false;
    for (uint32_t i = 0; i < st->n; i++)
        for (uint32_t k = 0; k < st->branches[i].body.n; k++)
            if (is_wanted(st->branches[i].body.at[k])) return true;
    return false;
}

static void walk_stmts(const Walk *w, const Env *env, const Stmts *body)
{
    for (uint32_t i = 0; i < body->n; i++) {
        const Stmt *st = body->at[i];
        if (!is_wanted(st)) continue;
        if (st->kind == STMT_FOR)
            walk_for(w, env, st, 0);
        else if (st->kind == STMT_IF)
            walk_if(w, env, st);
        else if (!is_broken_connect(env->scope, st))
            w->visit(w->arg, env, st);
    }
}

static void walk_scope(const Walk *w, Sema *s, Scope *scope)
{
    Env env = { .s = s, .scope = scope };
    for (uint32_t i = 0; i < scope->n; i++)
        if (scope->bases[i]) walk_scope(w, s, scope->bases[i]);
    for (uint32_t i = 0; i < scope->cls->section_count; i++) {
        const Section *section = scope->cls->sections[i];
        if (!section->is_algorithm && !section->is_initial) walk_stmts(w, &env, &section->body);
    }
}

static void walk_instance(const Walk *w, Sema *s, Inst *inst)
{
    inst_list(s, inst);
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        Entry *e = inst->comps.at[i];
        bool outer = e->flags & IS_OUTER && !(e->flags & IS_INNER);
        if (outer || !comp_sizes(s, e) || e->disabled || e->cls->base != BASE_CLASS) continue;
        for (uint32_t k = 0; k < e->count; k++) walk_instance(w, s, e->elements[k]);
    }
    walk_scope(w, s, inst->own);
}

void walk_connections(Sema *s, VisitConnection visit, void *arg)
{
    Walk w = { visit, arg };
    walk_instance(&w, s, s->model);
}
