/* verify.c: whether a System holds what dae.h promises. For asserts and tests.
 *
 * In: a finished System. Out: NULL, or what is wrong with it, which is a bug of a pass: links
 * between variables, equations and their derivatives go both ways; expressions refer to what is
 * there; every unknown is computed once, by an assignment or as a tearing variable with its
 * residual; nothing is read before it is known. Cost: linear in the expressions that are read.
 * Tests: every model of tests/gen passes through it; tests/dae/system_test.c breaks one. */
#include "dae/inside.h"

static const char *verify_pool(const System *s)
{
    for (Sym id = 0; id < s->pool->nodes.n; id++) {
        const SymNode *n = &s->pool->nodes.at[id];
        if (n->op >= SYM_OP_COUNT) return "an expression of no kind";
        for (uint32_t k = 0; k < sym_arity((SymOp)n->op); k++)
            if (n->arg[k] >= id) return "an argument that comes after its expression";
        if ((n->op == SYM_VAR || n->op == SYM_PRE) && n->index >= s->vars.n) return "no such variable";
        if (n->op == SYM_RELATION && n->index >= s->relations.n) return "no such relation";
        if (n->op == SYM_CALL && n->index >= s->pool->funs.n) return "a call of no function";
    }
    return NULL;
}

static const char *verify_links(const System *s)
{
    for (uint32_t v = 0; v < s->vars.n; v++) {
        const DaeVar *u = &s->vars.at[v];
        if (u->der != NONE && (u->der >= s->vars.n || s->vars.at[u->der].der_of != v))
            return "a derivative that does not know whose it is";
        if (u->role == ROLE_STATE && (u->state >= s->states.n || s->states.at[u->state] != v))
            return "a state that is not in the list of states";
        if (u->role == ROLE_STATE && u->der == NONE) return "a state without derivative";
    }
    for (uint32_t i = 0; i < s->states.n; i++)
        if (s->vars.at[s->states.at[i]].role != ROLE_STATE) return "a state by the list only";
    for (uint32_t e = 0; e < s->eqs.n; e++) {
        const DaeEq *eq = &s->eqs.at[e];
        if (eq->der != NONE && (eq->der >= s->eqs.n || s->eqs.at[eq->der].der_of != e))
            return "a differentiated equation that does not know of which";
        if (eq->left >= s->pool->nodes.n || eq->right >= s->pool->nodes.n)
            return "an equation without a side";
    }
    return NULL;
}

/* Whether all variables in it that are unknown in this system have a value by now. */
static bool is_known(System *s, Sym e, const uint8_t *is_unknown, const uint8_t *has_value)
{
    sym_walk_variables(s->pool, e);
    for (uint32_t i = 0; i < s->pool->seen.n; i++) {
        uint32_t v = sym_node(s->pool, s->pool->seen.at[i])->index;
        if (is_unknown[v] && !has_value[v]) return false;
    }
    return true;
}

static const char *compute(System *s, const DaeAssign *a, const uint8_t *is_unknown, uint8_t *has_value)
{
    if (!is_known(s, a->value, is_unknown, has_value)) return "an assignment reads what is computed later";
    if (has_value[a->var]) return "an unknown is computed twice";
    has_value[a->var] = 1;
    return NULL;
}

static const char *verify_sequence(System *s, const Sequence *q, const uint8_t *is_unknown, Arena *scratch)
{
    uint8_t *has_value = NEW_ARRAY(scratch, uint8_t, s->vars.n + 1);
    uint8_t *is_used = NEW_ARRAY(scratch, uint8_t, s->eqs.n + 1);
    const char *wrong = NULL;
    for (uint32_t k = 0; k < q->blocks.n && !wrong; k++) {
        const DaeBlock *b = &q->blocks.at[k];
        if (b->kind == BLOCK_ASSIGN && (b->n != 1 || b->tear_n)) return "an assignment that is a block";
        for (uint32_t j = b->tear_first; j < b->tear_first + b->tear_n; j++) {
            if (has_value[q->tears.at[j]]++) return "a tearing variable is computed before";
            if (is_used[q->residuals.at[j]]++) return "an equation is used twice";
        }
        for (uint32_t i = b->first; i < b->first + b->n && !wrong; i++) {
            if (q->assigns.at[i].eq != NONE && is_used[q->assigns.at[i].eq]++)
                return "an equation is used twice";
            wrong = compute(s, &q->assigns.at[i], is_unknown, has_value);
        }
        for (uint32_t j = b->tear_first; j < b->tear_first + b->tear_n; j++) {
            const DaeEq *eq = &s->eqs.at[q->residuals.at[j]];
            if (!is_known(s, eq->left, is_unknown, has_value) ||
                !is_known(s, eq->right, is_unknown, has_value))
                return "a residual reads what is computed later";
        }
    }
    for (uint32_t v = 0; v < s->vars.n && !wrong; v++)
        if (is_unknown[v] && !has_value[v]) wrong = "nothing computes an unknown";
    return wrong;
}

/* Parameters, or discrete variables: those that have an assignment come before those that read
 * them. One that reads itself, as connections of a signal to itself make it, means the value it
 * has. */
static const char *verify_assigns(System *s, const DaeAssign *a, uint32_t n, Arena *scratch)
{
    uint8_t *is_unknown = NEW_ARRAY(scratch, uint8_t, s->vars.n + 1);
    uint8_t *has_value = NEW_ARRAY(scratch, uint8_t, s->vars.n + 1);
    const char *wrong = NULL;
    for (uint32_t i = 0; i < n; i++) is_unknown[a[i].var] = 1;
    for (uint32_t i = 0; i < n && !wrong; i++) {
        is_unknown[a[i].var] = 0;
        wrong = compute(s, &a[i], is_unknown, has_value);
        is_unknown[a[i].var] = 1;
    }
    return wrong;
}

const char *dae_verify(System *s)
{
    Arena *scratch = arena_new();
    if (!scratch) return NULL;
    const char *wrong = verify_pool(s);
    uint8_t *is_unknown = NEW_ARRAY(scratch, uint8_t, s->vars.n + 1);
    if (!wrong) wrong = verify_links(s);
    if (!wrong) wrong = verify_assigns(s, s->parameters.assigns.at, s->parameters.assigns.n, scratch);
    if (!wrong) wrong = verify_assigns(s, s->discrete.at, s->discrete.n, scratch);
    for (uint32_t v = 0; v < s->vars.n; v++)
        is_unknown[v] = s->vars.at[v].role == ROLE_DERIVATIVE || s->vars.at[v].role == ROLE_ALGEBRAIC;
    if (!wrong) wrong = verify_sequence(s, &s->continuous, is_unknown, scratch);
    for (uint32_t v = 0; v < s->vars.n; v++)
        is_unknown[v] = s->vars.at[v].role >= ROLE_STATE ||
                        (s->vars.at[v].is_unknown_parameter && s->vars.at[v].type != BASE_STRING);
    if (!wrong) wrong = verify_sequence(s, &s->initial, is_unknown, scratch);
    arena_free(scratch);
    return wrong;
}
