/* cardinality.c: how many connections each connector has, for the operator cardinality.
 *
 * When the operator is first met, the connect equations of all instances are gone through once, before the equations
 * that may depend on the numbers. A connection inside of an if-equation counts if its condition can be told without
 * cardinality. Cost: O(connections). Tests: tests/modelica/connections.mo. */
#include "sema/inside.h"

static void count_stmts(const Env *env, const Stmts *body);

static void count_side(Sema *s, TExpr *e)
{
    if (e->type.rank) {
        for (int32_t i = 0; i < e->type.sizes[0]; i++) count_side(s, tx_element(s, e, i));
        return;
    }
    if (e->kind == X_SUBSCRIPT) e = e->args[0];
    if (e->kind == X_VAR)
        e->leaf->connections++;
    else if (e->type.def)
        e->type.def->connections++;
}

static void count_connect(const Env *env, const Stmt *st)
{
    if (ref_is_disabled(env, st->left) || ref_is_disabled(env, st->right)) return;
    TExpr *a = type_expr(env, st->left), *b = type_expr(env, st->right);
    if (tx_is_poison(a) || tx_is_poison(b)) return;
    count_side(env->s, a);
    count_side(env->s, b);
}

static void count_for(const Env *env, const Stmt *st, uint32_t at)
{
    if (at == st->index_count) {
        count_stmts(env, &st->branches[0].body);
        return;
    }
    TExpr *range = type_index_range(env, &st->indices[at], &st->branches[0].body, NULL);
    Value *v = !tx_is_poison(range) ? try_eval(env->s, range, env->scope) : NULL;
    for (uint32_t i = 0; v && i < v->n; i++) {
        Iter iter = { st->indices[at].name, tx_value(env->s, value_slice(env->s, v, (int32_t)i), range->span),
                      env->iters };
        Env inner = *env;
        inner.iters = &iter;
        count_for(&inner, st, at + 1);
    }
}

static void count_if(const Env *env, const Stmt *st)
{
    for (uint32_t i = 0; i < st->n; i++) {
        TExpr *c = st->branches[i].condition ? type_expr(env, st->branches[i].condition) : NULL;
        bool known = c && !tx_is_poison(c) && c->varies <= VARIES_PARAMETER;
        Value *v = known ? try_eval(env->s, c, env->scope) : NULL;
        if (c && !v) return;
        if (v && !v->at[0].integer) continue;
        count_stmts(env, &st->branches[i].body);
        return;
    }
}

static bool has_connect(const Stmt *st)
{
    if (st->kind == STMT_CONNECT) return true;
    if (st->kind != STMT_IF && st->kind != STMT_FOR) return false;
    for (uint32_t i = 0; i < st->n; i++)
        for (uint32_t k = 0; k < st->branches[i].body.n; k++)
            if (has_connect(st->branches[i].body.at[k])) return true;
    return false;
}

static void count_stmts(const Env *env, const Stmts *body)
{
    for (uint32_t i = 0; i < body->n; i++) {
        const Stmt *st = body->at[i];
        if (!has_connect(st)) continue;
        if (st->kind == STMT_CONNECT) count_connect(env, st);
        if (st->kind == STMT_FOR) count_for(env, st, 0);
        if (st->kind == STMT_IF) count_if(env, st);
    }
}

static void count_part(Sema *s, Part *part)
{
    Env env = { .s = s, .scope = part };
    for (uint32_t i = 0; i < part->n; i++)
        if (part->bases[i]) count_part(s, part->bases[i]);
    for (uint32_t i = 0; i < part->cls->section_count; i++)
        if (!part->cls->sections[i]->is_algorithm) count_stmts(&env, &part->cls->sections[i]->body);
}

static void count_instance(Sema *s, Inst *inst)
{
    inst_list(s, inst);
    for (uint32_t i = 0; i < inst->comps.n; i++) {
        Entry *e = inst->comps.at[i];
        bool outer = e->flags & IS_OUTER && !(e->flags & IS_INNER);
        if (outer || !comp_sizes(s, e) || e->disabled || e->cls->base != BASE_CLASS) continue;
        for (uint32_t k = 0; k < e->count; k++) count_instance(s, e->elements[k]);
    }
    count_part(s, inst->own);
}

uint32_t connections_of(Sema *s, const TExpr *connector)
{
    if (!s->connections_counted) {
        s->connections_counted = true;
        count_instance(s, s->model);
    }
    if (connector->kind == X_SUBSCRIPT) connector = connector->args[0];
    if (connector->kind == X_VAR) return connector->leaf->connections;
    return connector->type.def ? connector->type.def->connections : 0;
}
