/* overconstrained.c: overconstrained connections (specification 9.4): the virtual connection graph,
 * its spanning trees, and where loops are broken.
 *
 * In: Connections.branch, root and potentialRoot of all instances, and the connect equations. Out:
 * for each connection with an equalityConstraint whether it is broken; for each of these ends
 * whether it is a root, and how far from one. Cost: near-linear. Tests:
 * tests/modelica/overconstrained.mo. */
#include "sema/inside.h"

/* Union-find: branches first, then what hangs on definite roots counts as one, then connections in
 * the order of the text: one that closes a loop, or joins two roots, is broken; one between ends
 * that connections make equal anyway says nothing new. A tree without root takes its potential
 * root of least priority. Depths by breadth first search. The graph is made when it is first asked
 * for. */

typedef struct {
    uint32_t a, b;
    bool is_branch, is_broken;
    Span span;
} Edge;

typedef struct {
    const TExpr *x;    /* a record, or a variable of such a type */
    uint32_t parent;   /* union-find */
    uint32_t same;     /* union-find: what connections make equal, branches apart */
    uint32_t depth;    /* below its root; NONE before it is known */
    uint32_t partner;  /* the other end of its first branch */
    uint32_t priority; /* of a potential root; NONE: it is none */
    bool is_definite, is_root;
    Span span;
} Node;

struct RootGraph {
    Sema *s;
    VEC(Node) nodes; /* the first stands for all definite roots */
    VEC(Edge) edges;
    Map of_key; /* see key_of */
    Map broken; /* connections that are broken: see edge_key */
};

/* What a node is known by. */
static const void *key_of(const TExpr *x)
{
    return x->kind == X_VAR ? (const void *)x->leaf : (const void *)x->type.def;
}

static const char *node_path(Sema *s, const Node *node)
{
    return node->x->kind == X_VAR ? entry_path(s, node->x->leaf) : inst_path(s, node->x->type.def);
}

static uint32_t node_of(RootGraph *g, const TExpr *x, Span span)
{
    bool is_new;
    uint64_t *at = map_put(&g->of_key, x ? map_key(key_of(x)) : 0, &is_new);
    if (!is_new) return (uint32_t)*at;
    Node node = { .x = x,
                  .parent = g->nodes.n,
                  .same = g->nodes.n,
                  .depth = NONE,
                  .partner = NONE,
                  .priority = NONE,
                  .span = span };
    *at = g->nodes.n;
    vec_push(g->s->arena, &g->nodes, node);
    return g->nodes.n - 1;
}

static uint32_t tree_of(RootGraph *g, uint32_t node)
{
    Node *at = g->nodes.at;
    while (at[node].parent != node) node = at[node].parent = at[at[node].parent].parent;
    return node;
}

/* False if they are in one tree already. */
static bool join_trees(RootGraph *g, uint32_t a, uint32_t b)
{
    a = tree_of(g, a);
    b = tree_of(g, b);
    if (a == b) return false;
    g->nodes.at[a < b ? b : a].parent = a < b ? a : b;
    return true;
}

/* False if other connections make them equal already. */
static bool join_same(RootGraph *g, uint32_t a, uint32_t b)
{
    Node *at = g->nodes.at;
    while (at[a].same != a) a = at[a].same = at[at[a].same].same;
    while (at[b].same != b) b = at[b].same = at[at[b].same].same;
    if (a == b) return false;
    at[a].same = b;
    return true;
}

/* Of a record, or of a type, which may be an array's. */
Function *equality_constraint(Sema *s, const Type *t)
{
    bool record_or_type = t->base == BASE_RECORD ? !t->rank : t->base == BASE_REAL;
    if (!record_or_type || !t->def) return NULL;
    scope_expand(s, t->def->own);
    const Scope *scope = t->def->own;
    while (scope->cls->form == FORM_SHORT && scope->n && scope->bases[0]) scope = scope->bases[0];
    if (scope->outer == s->builtins) return NULL;
    Inst *record = class_instance(s, scope->cls);
    Entry *e = record ? inst_entry(s, record, name_of(s->names, STR("equalityConstraint"))) : NULL;
    Inst *f = e && e->kind == ENTRY_CLASS ? inst_resolved(s, entry_class(s, e)) : NULL;
    return f && f->base == BASE_FUNCTION ? function_of(s, f) : NULL;
}

/* ---- the graph ------------------------------------------------------------------------------- */

static void add_edge(RootGraph *g, const TExpr *a, const TExpr *b, bool is_branch, Span span)
{
    Edge edge = { .is_branch = is_branch, .span = span };
    edge.a = node_of(g, a, span);
    edge.b = node_of(g, b, span);
    vec_push(g->s->arena, &g->edges, edge);
    if (!is_branch) return;
    if (g->nodes.at[edge.a].partner == NONE) g->nodes.at[edge.a].partner = edge.b;
    if (g->nodes.at[edge.b].partner == NONE) g->nodes.at[edge.b].partner = edge.a;
}

static void add_connected(RootGraph *g, TExpr *a, TExpr *b, Span span);

static void add_members(RootGraph *g, Inst *left, Inst *right, Span span)
{
    Sema *s = g->s;
    Env env = { .s = s, .scope = left->own };
    inst_list(s, left);
    for (uint32_t i = 0; i < left->comps.n; i++) {
        Entry *x = left->comps.at[i], *y = inst_entry(s, right, x->name);
        if (!y || y->kind != ENTRY_COMPONENT || x->flags & IS_OUTER || !comp_sizes(s, x) ||
            !comp_sizes(s, y) || x->disabled || y->disabled || x->varies <= VARIES_PARAMETER ||
            (x->cls->root && !equality_constraint(s, &x->type)))
            continue;
        add_connected(g, type_ref_entry(&env, x), type_ref_entry(&env, y), span);
    }
}

static void add_connected(RootGraph *g, TExpr *a, TExpr *b, Span span)
{
    if (tx_is_poison(a) || tx_is_poison(b) || a->type.rank != b->type.rank || !a->type.def || !b->type.def)
        return;
    if (equality_constraint(g->s, &a->type) && a->kind != X_ARRAY) {
        if (b->kind == a->kind) add_edge(g, a, b, false, span);
    } else if (a->type.rank) {
        int32_t n = a->type.sizes[0] < b->type.sizes[0] ? a->type.sizes[0] : b->type.sizes[0];
        for (int32_t i = 0; i < n; i++)
            add_connected(g, tx_element(g->s, a, i), tx_element(g->s, b, i), span);
    } else if (a->type.base == BASE_CLASS && b->type.base == BASE_CLASS) {
        add_members(g, a->type.def, b->type.def, span);
    }
}

static const Expr *argument(const Expr *call, uint32_t at)
{
    if (at >= call->n) return NULL;
    return call->items[at]->kind == EXPR_NAMED ? call->items[at]->left : call->items[at];
}

static uint32_t priority_of(const Env *env, const Expr *call)
{
    const Expr *e = argument(call, 1);
    TExpr *x = e ? type_expr(env, e) : NULL;
    Value *v = x && !tx_is_poison(x) ? try_eval(env->s, x, env->scope) : NULL;
    return v && v->base == BASE_INTEGER && v->at[0].integer > 0 ? (uint32_t)v->at[0].integer : 0;
}

/* A record or a variable, of a type that has a constraint. */
static bool is_overconstrained(Sema *s, const TExpr *x)
{
    return !tx_is_poison(x) && (x->kind == X_VAR || x->kind == X_RECORD) && equality_constraint(s, &x->type);
}

static void add_statement(RootGraph *g, const Env *env, const Stmt *st)
{
    const Expr *call = st->left, *first = argument(call, 0), *second = argument(call, 1);
    Str name = name_str(call->callee->parts[1].name);
    bool is_branch = str_is(name, "branch");
    if (!first || ref_is_disabled(env, first) || (is_branch && (!second || ref_is_disabled(env, second))))
        return;
    TExpr *a = type_expr(env, first), *b = is_branch ? type_expr(env, second) : a;
    if (!is_overconstrained(g->s, a) || !is_overconstrained(g->s, b)) return;
    if (is_branch) {
        add_edge(g, a, b, true, st->span);
        return;
    }
    uint32_t node = node_of(g, a, st->span);
    if (str_is(name, "root")) g->nodes.at[node].is_definite = true;
    if (str_is(name, "potentialRoot")) {
        g->nodes.at[node].priority = priority_of(env, call);
        g->nodes.at[node].span = st->span;
    }
}

static void visit(void *arg, const Env *env, const Stmt *st)
{
    RootGraph *g = arg;
    /* these texts are elaborated, and wrong ones reported, again later */
    DiagMark mark = sema_mark(g->s);
    if (st->kind != STMT_CONNECT)
        add_statement(g, env, st);
    else if (!ref_is_disabled(env, st->left) && !ref_is_disabled(env, st->right))
        add_connected(g, type_expr(env, st->left), type_expr(env, st->right), st->span);
    sema_rewind(g->s, &mark);
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* A connection is known by its two ends and its place in the text. */
static uint64_t edge_key(const void *a, const void *b, Span span)
{
    uint64_t h = map_key(a) * 0x9E3779B97F4A7C15u ^ (map_key(b) + 0x632BE59BD9B4E019u);
    return (h ^ h >> 29) * 0xBF58476D1CE4E5B9u ^ span.at;
}

static void grow_trees(RootGraph *g)
{
    Sema *s = g->s;
    for (uint32_t i = 0; i < g->edges.n; i++) {
        const Edge *e = &g->edges.at[i];
        if (!e->is_branch || join_trees(g, e->a, e->b)) continue;
        sema_error(s, NULL, E_OVERCONSTRAINED, e->span,
                   "this branch closes a loop of branches, which cannot be broken");
    }
    for (uint32_t i = 1; i < g->nodes.n; i++) {
        Node *node = &g->nodes.at[i];
        if (!node->is_definite) continue;
        node->is_root = true;
        if (!join_trees(g, 0, i))
            sema_error(s, NULL, E_OVERCONSTRAINED, node->span,
                       "branches join two roots: '%s' and another one", node_path(s, node));
    }
    for (uint32_t i = 0; i < g->edges.n; i++) {
        Edge *e = &g->edges.at[i];
        if (e->is_branch) continue;
        bool is_new = join_same(g, e->a, e->b);
        if (is_new && join_trees(g, e->a, e->b)) continue;
        e->is_broken = true;
        uint64_t key = edge_key(key_of(g->nodes.at[e->a].x), key_of(g->nodes.at[e->b].x), e->span);
        *map_put(&g->broken, key, NULL) = is_new ? LINK_BROKEN : LINK_DOUBLE;
    }
}

/* Each tree without definite root gets its potential root of least priority. */
static void choose_roots(RootGraph *g)
{
    uint32_t *best = NEW_ARRAY(g->s->arena, uint32_t, g->nodes.n);
    for (uint32_t i = 1; i < g->nodes.n; i++) {
        uint32_t tree = tree_of(g, i), *b = &best[tree];
        if (g->nodes.at[i].priority == NONE || tree == tree_of(g, 0)) continue;
        if (!*b || g->nodes.at[i].priority < g->nodes.at[*b].priority) *b = i;
    }
    for (uint32_t i = 1; i < g->nodes.n; i++) {
        if (tree_of(g, i) != i || i == tree_of(g, 0)) continue;
        if (best[i]) {
            g->nodes.at[best[i]].is_root = true;
            continue;
        }
        Note *note =
            sema_error(g->s, NULL, E_OVERCONSTRAINED, g->nodes.at[i].span,
                       "nothing that '%s' is connected with is a root", node_path(g->s, &g->nodes.at[i]));
        diag_hint(g->s->diag, note,
                  "a component with Connections.root or potentialRoot is missing: a world, a ground");
    }
}

static void measure_depths(RootGraph *g)
{
    uint32_t n = g->nodes.n, *first = NEW_ARRAY(g->s->arena, uint32_t, n + 2),
             *ends = NEW_ARRAY(g->s->arena, uint32_t, 2 * g->edges.n + 1),
             *queue = NEW_ARRAY(g->s->arena, uint32_t, n + 1);
    uint32_t head = 0, tail = 0;
    for (uint32_t i = 0; i < g->edges.n; i++) {
        if (g->edges.at[i].is_broken) continue;
        first[g->edges.at[i].a + 2]++;
        first[g->edges.at[i].b + 2]++;
    }
    for (uint32_t i = 2; i < n + 2; i++) first[i] += first[i - 1];
    for (uint32_t i = 0; i < g->edges.n; i++) {
        if (g->edges.at[i].is_broken) continue;
        ends[first[g->edges.at[i].a + 1]++] = g->edges.at[i].b;
        ends[first[g->edges.at[i].b + 1]++] = g->edges.at[i].a;
    }
    for (uint32_t i = 1; i < n; i++) {
        if (!g->nodes.at[i].is_root) continue;
        g->nodes.at[i].depth = 0;
        queue[tail++] = i;
    }
    while (head < tail) {
        uint32_t at = queue[head++];
        for (uint32_t k = first[at]; k < first[at + 1]; k++) {
            if (g->nodes.at[ends[k]].depth != NONE) continue;
            g->nodes.at[ends[k]].depth = g->nodes.at[at].depth + 1;
            queue[tail++] = ends[k];
        }
    }
}

static RootGraph *graph_of(Sema *s)
{
    if (s->roots) return s->roots;
    RootGraph *g = s->roots = NEW(s->arena, RootGraph);
    g->s = s;
    g->of_key.arena = g->broken.arena = s->arena;
    node_of(g, NULL, (Span){ 0 });
    walk_connections(s, visit, g);
    grow_trees(g);
    choose_roots(g);
    measure_depths(g);
    return g;
}

Link connection_link(Sema *s, const TExpr *a, const TExpr *b, Span span)
{
    uint64_t value;
    bool said = is_overconstrained(s, a) && is_overconstrained(s, b) &&
                map_get(&graph_of(s)->broken, edge_key(key_of(a), key_of(b), span), &value);
    return said ? (Link)value : LINK_WHOLE;
}

/* ---- the operators --------------------------------------------------------------------------- */

/* The record that a call of an operator of Connections is about; poison after a report. */
static TExpr *record_argument(const Env *env, const Expr *call, uint32_t at)
{
    Sema *s = env->s;
    const Expr *e = argument(call, at);
    if (!e) {
        sema_error(s, env->scope, E_ARGUMENTS, call->span, "an overconstrained record is missing here");
        return tx_poison(s, call->span);
    }
    TExpr *x = type_expr(env, e);
    if (tx_is_poison(x) || is_overconstrained(s, x)) return x;
    Note *note =
        sema_error(s, env->scope, E_OVERCONSTRAINED, e->span,
                   "this is about a record or type of a connector that has a function 'equalityConstraint'");
    if (x->type.def) diag_label(s->diag, note, x->type.def->own->cls->name_span, "this one has none");
    return tx_poison(s, e->span);
}

TExpr *connections_operator(const Env *env, const Expr *call)
{
    Sema *s = env->s;
    Name name = call->callee->parts[call->callee->n - 1].name;
    bool is_root = str_is(name_str(name), "isRoot"), is_rooted = str_is(name_str(name), "rooted");
    if (!is_root && !is_rooted) {
        sema_error(s, env->scope, E_UNKNOWN_NAME, call->callee->span,
                   "there is no operator 'Connections.%s' with a value", name_text(name));
        return tx_poison(s, call->span);
    }
    TExpr *x = record_argument(env, call, 0);
    if (tx_is_poison(x)) return x;
    RootGraph *g = graph_of(s);
    uint64_t at = 0;
    const Node *node = map_get(&g->of_key, map_key(key_of(x)), &at) ? &g->nodes.at[at] : NULL;
    const Node *other = node && node->partner != NONE ? &g->nodes.at[node->partner] : NULL;
    bool value = node && (is_root ? node->is_root : other && node->depth < other->depth);
    return tx_boolean(s, value, call->span);
}

void check_connections_statement(const Env *env, const Stmt *st)
{
    static const char *const names[] = { "branch", "root", "potentialRoot", "uniqueRoot" };
    const Expr *call = st->left;
    Name name = call->callee->parts[1].name;
    bool known = false;
    for (size_t i = 0; i < COUNT_OF(names); i++) known = known || str_is(name_str(name), names[i]);
    if (!known) {
        Note *note = sema_error(env->s, env->scope, E_UNKNOWN_NAME, call->callee->span,
                                "there is no operator 'Connections.%s'", name_text(name));
        const char *near = text_nearest(name_str(name), names, COUNT_OF(names));
        if (near) diag_hint(env->s->diag, note, "did you mean '%s'?", near);
        return;
    }
    for (uint32_t i = 0; i < (str_is(name_str(name), "branch") ? 2u : 1u); i++) {
        const Expr *e = argument(call, i);
        if (e && ref_is_disabled(env, e)) return;
        record_argument(env, call, i);
    }
    graph_of(env->s);
}
