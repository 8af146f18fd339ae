/* connect.c: connections to equations.
 *
 * In: connect equations with the references typed. Out: for each set of connected variables
 * equalities, or for flows one sum that is zero. How: union-find over nodes, two for each variable:
 * the face seen from the component around (inside) and the face seen from within the component that
 * owns the connector (outside); the outer face counts negative in sums. A flow that no connection
 * reaches from inside is zero. Cost: near-linear. Tests: tests/modelica. */
#include "sema/inside.h"

/* ---- collecting ------------------------------------------------------------------------------ */

bool ref_is_disabled(const Env *env, const Expr *ref)
{
    Sema *s = env->s;
    if (ref->kind != EXPR_REF) return false;
    Entry *e = lookup_name(s, env->scope, ref->parts[0].name);
    for (uint32_t i = 0; e && e->kind == ENTRY_COMPONENT;
         e = inst_entry(s, e->elements[0], ref->parts[i].name)) {
        e = entry_target(s, e, env->scope, ref->span);
        if (!e || !comp_sizes(s, e)) return false;
        if (e->disabled) return true;
        if (++i >= ref->n) return false;
    }
    return false;
}

static bool is_outside(const Env *env, const Expr *ref)
{
    Entry *e = lookup_name(env->s, env->scope, ref->parts[0].name);
    return e && e->kind == ENTRY_COMPONENT && e->cls && e->cls->is_connector && !(e->flags & IS_OUTER);
}

static bool is_outer(const Env *env, const Expr *ref)
{
    Entry *e = ref->kind == EXPR_REF ? lookup_name(env->s, env->scope, ref->parts[0].name) : NULL;
    return e && e->kind == ENTRY_COMPONENT && e->flags & IS_OUTER && !(e->flags & IS_INNER);
}

static bool is_connector(const TExpr *e)
{
    while (e->kind == X_ARRAY && e->n) e = e->args[0];
    if (e->kind == X_SUBSCRIPT) e = e->args[0];
    if (e->kind == X_ARRAY) return true;
    if (e->kind == X_VAR) return e->leaf->in_connector;
    return e->type.def &&
           (e->type.def->is_connector || (e->type.def->entry && e->type.def->entry->in_connector));
}

/* An input or output of simple type that is no connector by its declaration: libraries connect
 * it. */
static bool is_signal(const Entry *e)
{
    return e->kind == ENTRY_COMPONENT && e->causes && e->cls && e->cls->root;
}

/* Connected are connectors of the class itself and of its components, and connectors inside of
 * these: not what lies deeper, and not their variables. */
static bool is_near(const Env *env, const Expr *ref)
{
    Sema *s = env->s;
    Entry *e = ref->kind == EXPR_REF ? lookup_name(s, env->scope, ref->parts[0].name) : NULL;
    for (uint32_t i = 1; e && e->kind == ENTRY_COMPONENT && i < ref->n; i++) {
        e = entry_target(s, e, env->scope, ref->span);
        if (!e || !comp_sizes(s, e) || e->disabled || e->elements[0]->flags & CLASS_EXPANDABLE) return true;
        e = inst_entry(s, e->elements[0], ref->parts[i].name);
        if (!e || e->kind != ENTRY_COMPONENT || !comp_make(s, e) || e->cls->is_connector) continue;
        Text text = { .arena = s->arena };
        syntax_print_expr(ref, &text);
        bool passes = i + 1 == ref->n && is_signal(e);
        (passes ? sema_lenient : sema_error)(s, env->scope, E_NOT_A_CONNECTOR, ref->span,
                                             "'%s' cannot be connected: '%s' is not a connector", text.at,
                                             name_text(e->name));
        return passes;
    }
    return true;
}

/* Which connectors are connected must be known when the model is built. */
static bool has_open_subscript(const TExpr *e)
{
    for (uint32_t i = 1; e->kind == X_SUBSCRIPT && i < e->n; i++)
        if (e->args[i]->varies > VARIES_PARAMETER) return true;
    for (uint32_t i = 0; (e->kind == X_ARRAY || e->kind == X_SUBSCRIPT) && i < e->n; i++)
        if (has_open_subscript(e->args[i])) return true;
    return false;
}

void collect_connection(Flattening *f, const Env *env, const Stmt *st)
{
    Sema *s = f->s;
    if (is_broken_connect(env->scope, st)) return;
    if (ref_is_disabled(env, st->left) || ref_is_disabled(env, st->right)) return;
    TExpr *a = type_expr(env, st->left), *b = type_expr(env, st->right);
    if (tx_is_poison(a) || tx_is_poison(b) || !is_near(env, st->left) || !is_near(env, st->right)) return;
    if (has_open_subscript(a) || has_open_subscript(b)) {
        sema_error(s, env->scope, E_NOT_EVALUABLE, st->span,
                   "which connectors are connected must be known when the model is built");
        return;
    }
    if (is_outer(env, st->left) && is_outer(env, st->right)) {
        sema_error(s, env->scope, E_CONNECT_MISMATCH, st->span, "two outer connectors cannot be connected");
        return;
    }
    for (int i = 0; i < 2; i++) {
        const TExpr *side = i ? b : a, *other = i ? a : b;
        if (is_connector(side)) continue;
        bool is_simple = side->kind == X_VAR && side->leaf->varies > VARIES_PARAMETER;
        bool passes = is_simple && (is_signal(side->leaf) || is_connector(other));
        (passes ? sema_lenient : sema_error)(s, env->scope, E_NOT_A_CONNECTOR, side->span,
                                             "only connectors can be connected, and this is none");
        if (!passes) return;
    }
    Connection c = {
        env->scope->inst, a, b, is_outside(env, st->left), is_outside(env, st->right), st->span
    };
    vec_push(s->arena, &f->connections, c);
}

/* ---- sets ------------------------------------------------------------------------------------ */

typedef struct {
    Flattening *f;
    uint32_t *parent;   /* by node: 2 * variable + face */
    uint8_t *joined;    /* by node: part of some connection */
    uint8_t *is_stream; /* by variable */
    uint8_t *causes;    /* by variable that is connected: Causality */
    uint8_t *in_bus;    /* by variable that is connected: a member of an expandable connector */
    Entry **entries;    /* likewise: its component */
    const Connection *c;
} Sets;

static uint32_t find(Sets *sets, uint32_t node)
{
    while (sets->parent[node] != node) node = sets->parent[node] = sets->parent[sets->parent[node]];
    return node;
}

static void join(Sets *sets, uint32_t a, uint32_t b)
{
    sets->joined[a] = sets->joined[b] = 1;
    a = find(sets, a);
    b = find(sets, b);
    if (a < b)
        sets->parent[b] = a;
    else
        sets->parent[a] = b;
}

/* A side as it was written. */
static Str side_text(Sets *sets, const TExpr *side)
{
    const Source *source = source_of(sets->f->s->sources, side->span);
    return source ? (Str){ source->text.at + (side->span.at - source->base), side->span.n } : STR("");
}

/* The class of a connector, and what it is in the end where it has no members. */
static const char *connector_text(Sets *sets, const TExpr *side)
{
    Text text = { .arena = sets->f->s->arena };
    const TExpr *of = side->kind == X_SUBSCRIPT ? side->args[0] : side;
    bool is_leaf = of->kind == X_VAR && of->leaf && of->leaf->cls;
    const Inst *inst = side->type.def ? side->type.def : is_leaf ? of->leaf->cls : NULL;
    if (inst && (!inst->root || inst->own != inst->root)) class_full_name(inst->own->cls, &text);
    if (!side->type.def)
        text_printf(&text, "%s%s", text.n ? ", " : "", type_text(sets->f->s, &side->type));
    else if (side->type.rank)
        text_printf(&text, ", %s", type_text(sets->f->s, &side->type));
    return text.at;
}

static void mismatch(Sets *sets, const char *what, const char *name)
{
    const Connection *c = sets->c;
    Scope scope = { .inst = c->inst };
    Note *note = sema_error(sets->f->s, &scope, E_CONNECT_MISMATCH, c->span, what, name);
    const TExpr *sides[] = { c->left, c->right };
    for (int i = 0; i < 2 && note->text; i++) {
        Str side = side_text(sets, sides[i]);
        diag_hint(sets->f->s->diag, note, "'%.*s' is of type %s", (int)side.n, side.at,
                  connector_text(sets, sides[i]));
    }
}

static bool variable_of(const TExpr *e, Entry **leaf, VarId *var)
{
    uint32_t offset = 0;
    const TExpr *of = e->kind == X_SUBSCRIPT ? e->args[0] : e;
    if (of->kind != X_VAR || of->leaf->var == NONE) return false;
    for (uint32_t i = 1; e != of && i < e->n; i++) {
        if (e->args[i]->kind != X_INTEGER) return false;
        offset = offset * (uint32_t)of->type.sizes[i - 1] + (uint32_t)(e->args[i]->integer - 1);
    }
    *leaf = of->leaf;
    *var = of->leaf->var + offset;
    return true;
}

/* Members of a bus pass signals on, whatever their type says, and so do protected inputs. */
static uint8_t causes_of(const Entry *e)
{
    bool is_protected = e->flags & IS_PROTECTED;
    for (const Inst *i = e->owner; i && (i->is_connector || i->base == BASE_RECORD); i = i->container) {
        if (i->flags & CLASS_EXPANDABLE) return CAUSALITY_NONE;
        if (i->entry && i->entry->flags & IS_PROTECTED) is_protected = true;
    }
    return is_protected && e->causes == CAUSALITY_INPUT ? CAUSALITY_NONE : e->causes;
}

static bool is_in_bus(const Entry *e)
{
    for (const Inst *i = e->owner; i && (i->is_connector || i->base == BASE_RECORD); i = i->container)
        if (i->flags & CLASS_EXPANDABLE) return true;
    return false;
}

static bool same_cell(const Value *a, uint32_t i, const Value *b, uint32_t k)
{
    if (a->base == BASE_RECORD || a->base != b->base || i >= a->n || k >= b->n) return true;
    if (a->base == BASE_STRING) return str_equal(a->at[i].text, b->at[k].text);
    return a->base == BASE_REAL ? !(a->at[i].real < b->at[k].real || a->at[i].real > b->at[k].real)
                                : a->at[i].integer == b->at[k].integer;
}

/* Constants and parameters of connected connectors are equal: told where both are known by now. */
static void compare_values(Sets *sets, const Entry *x, uint32_t i, const Entry *y, uint32_t k)
{
    bool known = x->value_state == STATE_DONE && x->value && y->value_state == STATE_DONE && y->value;
    if (known && !same_cell(x->value, i, y->value, k))
        mismatch(sets, "the parameter '%s' has different values on the two sides", name_text(x->name));
}

static bool is_literal(const TExpr *e)
{
    return e && (e->kind == X_REAL || e->kind == X_INTEGER || e->kind == X_BOOLEAN || e->kind == X_STRING ||
                 e->kind == X_ENUM);
}

/* The same for what has not been asked for its value yet: constants, and parameters whose values
 * are written as such, so that none becomes structural by this. */
static void compare_fixed(Sets *sets, Entry *x, Entry *y)
{
    Sema *s = sets->f->s;
    bool both = (x->varies <= VARIES_PARAMETER) == (y->varies <= VARIES_PARAMETER);
    if (!both || (x->declared == VARIABILITY_CONSTANT) != (y->declared == VARIABILITY_CONSTANT)) {
        mismatch(sets, "'%s' is a constant, a parameter or a variable on one side only", name_text(x->name));
        return;
    }
    TExpr *a = comp_binding(s, x), *b = comp_binding(s, y);
    bool known = a && b && (x->varies == VARIES_CONSTANT || (is_literal(a) && is_literal(b)));
    Value *v = known ? try_eval(s, a, x->scope) : NULL, *w = v ? try_eval(s, b, y->scope) : NULL;
    for (uint32_t i = 0; w && i < v->n; i++)
        if (!same_cell(v, i, w, i)) {
            mismatch(sets, "'%s' has different values on the two sides", name_text(x->name));
            return;
        }
}

static void connect_leaves(Sets *sets, TExpr *a, TExpr *b)
{
    Entry *x, *y;
    VarId v, w;
    if (!variable_of(a, &x, &v) || !variable_of(b, &y, &w)) return;
    if (x->varies <= VARIES_PARAMETER || y->varies <= VARIES_PARAMETER) {
        if (x->value_state != STATE_DONE || y->value_state != STATE_DONE || y->varies > VARIES_PARAMETER)
            compare_fixed(sets, x, y);
        else
            compare_values(sets, x, v - x->var, y, w - y->var);
        return;
    }
    sets->causes[v] = causes_of(x);
    sets->causes[w] = causes_of(y);
    sets->in_bus[v] = is_in_bus(x);
    sets->in_bus[w] = is_in_bus(y);
    sets->entries[v] = x;
    sets->entries[w] = y;
    if (x->flow != y->flow) {
        mismatch(sets,
                 x->flow == FLOW_STREAM || y->flow == FLOW_STREAM ? "'%s' is a stream on one side only"
                                                                  : "'%s' is a flow on one side only",
                 name_text(x->name));
        return;
    }
    bool other = x->type.base != y->type.base ||
                 (x->type.base == BASE_ENUM && !same_literals(x->elements[0], y->elements[0]));
    if (other) {
        mismatch(sets, "'%s' has different types on the two sides", name_text(x->name));
        return;
    }
    join(sets, 2 * v + sets->c->left_outside, 2 * w + sets->c->right_outside);
}

static void connect_trees(Sets *sets, TExpr *a, TExpr *b);

static void connect_members(Sets *sets, TExpr *a, TExpr *b)
{
    Sema *s = sets->f->s;
    Inst *left = a->type.def, *right = b->type.def;
    Env env = { .s = s, .scope = left->own };
    inst_list(s, left);
    inst_list(s, right);
    for (uint32_t i = 0; i < left->comps.n; i++) {
        Entry *x = left->comps.at[i], *y = inst_entry(s, right, x->name);
        if (x->disabled) continue;
        if (!y || y->kind != ENTRY_COMPONENT) {
            mismatch(sets, "only one of the connectors has '%s'", name_text(x->name));
            return;
        }
        if (!comp_sizes(s, x) || !comp_sizes(s, y) || x->disabled || y->disabled || x->flags & IS_OUTER)
            continue;
        if (x->varies == VARIES_CONSTANT || y->varies == VARIES_CONSTANT) {
            if (x->cls->root && y->cls->root) compare_fixed(sets, x, y);
            continue;
        }
        connect_trees(sets, type_ref_entry(&env, x), type_ref_entry(&env, y));
    }
    for (uint32_t i = 0; i < right->comps.n; i++)
        if (!right->comps.at[i]->disabled && !inst_entry(s, left, right->comps.at[i]->name)) {
            mismatch(sets, "only one of the connectors has '%s'", name_text(right->comps.at[i]->name));
            return;
        }
}

/* A function without results may hold assertions. */
static void call_for_effect(Flattening *f, TExpr *call, Span span)
{
    TStmt st = { .kind = S_CALL, .left = call, .span = span };
    vec_push(f->flat->arena, &f->flat->equations, emit_stmt(f->s, f->flat, &st));
}

/* In place of the equations of a connection that closes a loop. */
static void constrain_equality(Sets *sets, TExpr *a, TExpr *b)
{
    Sema *s = sets->f->s;
    Env env = { .s = s, .scope = sets->c->inst->own };
    TExpr *call =
        call_function(&env, equality_constraint(s, &a->type), (TExpr *[]){ a, b }, 2, sets->c->span);
    if (tx_is_poison(call)) return;
    if (call->type.base != BASE_REAL || call->type.rank != 1 || !type_is_known(&call->type))
        mismatch(sets,
                 "the function 'equalityConstraint' of '%s' must return a vector of Reals of known size",
                 name_text(a->type.def->own->cls->name));
    else if (!call->type.sizes[0])
        call_for_effect(sets->f, call, sets->c->span);
    else
        equate_to_zero(sets->f, call, sets->c->span);
}

static void connect_trees(Sets *sets, TExpr *a, TExpr *b)
{
    Sema *s = sets->f->s;
    if (tx_is_poison(a) || tx_is_poison(b)) return;
    if (a->type.rank != b->type.rank || (a->type.rank && a->type.sizes[0] != b->type.sizes[0])) {
        mismatch(sets, "the two sides are arrays of different sizes%s", "");
        return;
    }
    Link link = connection_link(s, a, b, sets->c->span);
    if (link == LINK_BROKEN) constrain_equality(sets, a, b);
    if (link != LINK_WHOLE) return;
    if (a->type.rank) {
        for (int32_t i = 0; i < a->type.sizes[0]; i++)
            connect_trees(sets, tx_element(s, a, i), tx_element(s, b, i));
        return;
    }
    bool members = a->type.base == BASE_CLASS || a->type.base == BASE_RECORD;
    if (members != (b->type.base == BASE_CLASS || b->type.base == BASE_RECORD))
        mismatch(sets, "one side has members, the other is a simple variable%s", "");
    else if (members)
        connect_members(sets, a, b);
    else
        connect_leaves(sets, a, b);
}

/* ---- equations ------------------------------------------------------------------------------- */

static ExprId var_expr(Flat *flat, VarId v)
{
    return flat_expr(flat, (FlatExpr){ .kind = X_VAR, .type = flat->vars.at[v].type, .index = v }, NULL, 0);
}

static void add_equation(Flattening *f, ExprId left, ExprId right, Span span)
{
    FlatStmt eq = {
        .kind = S_EQUAL, .from_connect = true, .left = left, .right = right, .level = NONE, .span = span
    };
    StmtId id = flat_stmt(f->flat, eq, NULL, 0);
    vec_push(f->flat->arena, &f->flat->equations, id);
}

static ExprId flow_sum(Flat *flat, const uint32_t *nodes, uint32_t n)
{
    ExprId sum = NONE;
    for (uint32_t i = 0; i < n; i++) {
        ExprId term = var_expr(flat, nodes[i] / 2);
        bool minus = nodes[i] & 1;
        TypeId type = flat->exprs.at[term].type;
        if (sum != NONE)
            sum = flat_expr(flat,
                            (FlatExpr){ .kind = X_BINARY, .op = minus ? O_SUBTRACT : O_ADD, .type = type },
                            (ExprId[]){ sum, term }, 2);
        else
            sum = minus
                      ? flat_expr(flat, (FlatExpr){ .kind = X_UNARY, .op = O_NEGATE, .type = type }, &term, 1)
                      : term;
    }
    return sum;
}

static bool is_source(const Sets *sets, uint32_t node)
{
    return sets->causes[node / 2] == (node & 1 ? CAUSALITY_INPUT : CAUSALITY_OUTPUT);
}

/* Outputs of several states that are connected are one source: that of the active state
 * (specification 17.3.6). */
static bool merge_states(Sets *sets, const uint32_t *nodes, uint32_t n)
{
    Flattening *f = sets->f;
    Joint joint = { .to = NONE };
    for (uint32_t i = 0; f->transitions.n && i < n; i++) {
        VarId v = nodes[i] / 2;
        Inst *state = is_source(sets, nodes[i]) && sets->entries[v] ? state_with(f, sets->entries[v]) : NULL;
        if (state) {
            vec_push(f->s->arena, &joint.states, state);
            vec_push(f->s->arena, &joint.values, v);
        } else if (joint.to == NONE) {
            joint.to = v;
        }
    }
    if (joint.values.n < 2) return false;
    for (uint32_t i = 0; i < n; i++) {
        VarId v = nodes[i] / 2;
        bool is_value = false;
        for (uint32_t k = 0; k < joint.values.n; k++) is_value |= joint.values.at[k] == v;
        if (!is_value && v != joint.to)
            add_equation(f, var_expr(f->flat, joint.to), var_expr(f->flat, v), f->flat->vars.at[v].span);
    }
    if (joint.to != NONE) vec_push(f->s->arena, &f->joints, joint);
    return true;
}

/* Two sources pass where the model has as many equations as unknowns for all that:
 * flat/balance.c. */
static void check_sources(Sets *sets, const uint32_t *nodes, uint32_t n)
{
    const Flat *flat = sets->f->flat;
    uint32_t first = NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_source(sets, nodes[i])) continue;
        if (first == NONE || nodes[i] / 2 == first) {
            first = nodes[i] / 2;
            continue;
        }
        const FlatVar *a = &flat->vars.at[first], *b = &flat->vars.at[nodes[i] / 2];
        Note *note =
            sema_lenient(sets->f->s, NULL, E_CONNECT_SOURCES, b->span,
                         "'%s' and '%s' are connected, and both give the signal a value", a->name, b->name);
        diag_label(sets->f->s->diag, note, a->span, "the other source");
        return;
    }
}

/* What is connected is of one quantity, if it says of which (9.3). */
static void check_quantities(Sets *sets, const uint32_t *nodes, uint32_t n)
{
    const FlatVar *first = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const FlatVar *v = &sets->f->flat->vars.at[nodes[i] / 2];
        if (!v->quantity.n) continue;
        if (!first) first = v;
        if (str_equal(v->quantity, first->quantity)) continue;
        Note *note =
            sema_error(sets->f->s, NULL, E_CONNECT_MISMATCH, v->span,
                       "'%s' is a quantity \"%.*s\", and connected with \"%.*s\"", v->name,
                       (int)v->quantity.n, v->quantity.at, (int)first->quantity.n, first->quantity.at);
        diag_label(sets->f->s->diag, note, first->span, "'%s' is declared here", first->name);
        return;
    }
}

static void equations_of_set(Sets *sets, const uint32_t *nodes, uint32_t n, Span span)
{
    Flattening *f = sets->f;
    Flat *flat = f->flat;
    TypeId real = flat_type(flat, BASE_REAL, NONE, 0, NULL);
    if (sets->is_stream[nodes[0] / 2]) return;
    if (flat->vars.at[nodes[0] / 2].flags & VAR_FLOW) {
        ExprId sum = flow_sum(flat, nodes, n);
        add_equation(f, sum, flat_expr(flat, (FlatExpr){ .kind = X_REAL, .type = real }, NULL, 0), span);
        return;
    }
    if (merge_states(sets, nodes, n)) return;
    check_sources(sets, nodes, n);
    check_quantities(sets, nodes, n);
    for (uint32_t i = 1; i < n; i++)
        if (nodes[i] / 2 != nodes[0] / 2)
            add_equation(f, var_expr(flat, nodes[0] / 2), var_expr(flat, nodes[i] / 2), span);
}

/* Nodes sorted by set: counting sort on the roots, which are the smallest of their sets. */
static void emit_sets(Sets *sets, uint32_t count)
{
    Flattening *f = sets->f;
    Sema *s = f->s;
    uint32_t *start = NEW_ARRAY(s->arena, uint32_t, count + 2),
             *nodes = NEW_ARRAY(s->arena, uint32_t, count + 1);
    bool around = false;
    for (uint32_t i = 0; i < count; i++) {
        const FlatVar *v = &f->flat->vars.at[i / 2];
        bool is_flow = v->flags & VAR_FLOW && v->flags & VAR_CONNECTOR;
        if (!(i & 1)) around = sets->joined[i];
        /* what connections around a component add to a bus of it has no equation within */
        if (is_flow && (i & 1 ? around && sets->in_bus[i / 2] : true)) sets->joined[i] = 1;
        if (sets->joined[i]) start[find(sets, i) + 2]++;
    }
    for (uint32_t i = 2; i < count + 2; i++) start[i] += start[i - 1];
    for (uint32_t i = 0; i < count; i++)
        if (sets->joined[i]) nodes[start[find(sets, i) + 1]++] = i;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = start[i + 1] - start[i];
        if (n) equations_of_set(sets, nodes + start[i], n, f->flat->vars.at[i / 2].span);
    }
    f->set_first = start;
    f->set_nodes = nodes;
    f->set_of = sets->parent;
    for (uint32_t i = 0; f->streams.n && i < count; i++) sets->parent[i] = find(sets, i);
    for (uint32_t i = 0; f->streams.n && i < count; i++)
        if (!sets->joined[i]) sets->parent[i] = NONE;
}

void flatten_connections(Flattening *f)
{
    Sema *s = f->s;
    uint32_t count = 2 * f->flat->vars.n;
    Sets sets = { .f = f };
    sets.parent = NEW_ARRAY(s->arena, uint32_t, count + 1);
    sets.joined = NEW_ARRAY(s->arena, uint8_t, count + 1);
    sets.causes = NEW_ARRAY(s->arena, uint8_t, f->flat->vars.n + 1);
    sets.in_bus = NEW_ARRAY(s->arena, uint8_t, f->flat->vars.n + 1);
    sets.entries = NEW_ARRAY(s->arena, Entry *, f->flat->vars.n + 1);
    sets.is_stream = NEW_ARRAY(s->arena, uint8_t, f->flat->vars.n + 1);
    for (uint32_t i = 0; i < f->streams.n; i++)
        memset(sets.is_stream + f->streams.at[i]->var, 1, type_count(&f->streams.at[i]->type));
    for (uint32_t i = 0; i < count; i++) sets.parent[i] = i;
    for (uint32_t i = 0; i < f->connections.n; i++) {
        sets.c = &f->connections.at[i];
        connect_trees(&sets, sets.c->left, sets.c->right);
    }
    emit_sets(&sets, count);
    resolve_streams(f);
}
