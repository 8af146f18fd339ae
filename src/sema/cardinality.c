/* cardinality.c: how many connections each connector has, for the operator cardinality.
 *
 * When the operator is first met, the connect equations of all instances are gone through once,
 * before the equations that may depend on the numbers. Cost: O(connections). Tests:
 * tests/modelica/connections.mo. */
#include "sema/inside.h"

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

static void count_connect(void *arg, const Env *env, const Stmt *st)
{
    (void)arg;
    if (st->kind != STMT_CONNECT) return;
    if (ref_is_disabled(env, st->left) || ref_is_disabled(env, st->right)) return;
    DiagMark mark = sema_mark(env->s);
    TExpr *a = type_expr(env, st->left), *b = type_expr(env, st->right);
    sema_rewind(env->s, &mark);
    if (tx_is_poison(a) || tx_is_poison(b)) return;
    count_side(env->s, a);
    count_side(env->s, b);
}

uint32_t connections_of(Sema *s, const TExpr *connector)
{
    if (!s->connections_counted) {
        s->connections_counted = true;
        walk_connections(s, count_connect, NULL);
    }
    if (connector->kind == X_SUBSCRIPT) connector = connector->args[0];
    if (connector->kind == X_VAR) return connector->leaf->connections;
    return connector->type.def ? connector->type.def->connections : 0;
}
