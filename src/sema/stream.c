/* stream.c: stream variables of connectors (specification, chapter 15): inStream and actualStream.
 *
 * In: the flat model with calls of inStream on stream variables, and the sets that connections make
 * of these. Out: no such call any more, and for stream variables of connectors seen from within
 * their component the equations that connections give them. How: where only one other connector of
 * a set can send something, its value is what arrives; where several can, a variable is added that
 * is the mean of theirs, weighted by the flows out of them, with the regularisation of the
 * specification around zero flow. Which can, is told by the limits of their flow variables. Always:
 * a rewritten call becomes a variable, so that arguments stay before what uses them. Cost: O(size
 * of the sets) for each different call. Tests: tests/modelica/streams.mo. */
#include "sema/inside.h"

static const double SMALL_FLOW = 1e-6; /* of the nominal flow: below it the mean is regularised */

/* ---- operators in the text ------------------------------------------------------------------- */

/* The flow variable that belongs to a stream variable: the only one of its connector. NULL after a
 * report. */
static Entry *flow_of(Sema *s, const Scope *scope, const Entry *stream, Span span)
{
    Inst *connector = stream->owner;
    while (connector->base == BASE_RECORD && connector->container) connector = connector->container;
    Entry *flow = NULL;
    uint32_t n = 0;
    inst_list(s, connector);
    for (uint32_t i = 0; i < connector->comps.n; i++) {
        Entry *e = connector->comps.at[i];
        if (!comp_sizes(s, e) || e->disabled || e->flow != FLOW_FLOW) continue;
        flow = e;
        n++;
    }
    if (n == 1 && !flow->type.rank && flow->type.base == BASE_REAL) return flow;
    Note *note = sema_error(s, scope, E_STREAM, span,
                            "a connector with a stream variable has one flow variable, a scalar");
    diag_label(s->diag, note, connector->own->cls->name_span, "this connector has %u", (unsigned)n);
    return NULL;
}

static const Entry *stream_of(const TExpr *e)
{
    while (e->kind == X_ARRAY && e->n) e = e->args[0];
    if (e->kind == X_SUBSCRIPT) e = e->args[0];
    return e->kind == X_VAR && e->leaf->flow == FLOW_STREAM ? e->leaf : NULL;
}

TExpr *stream_operator(const Env *env, Builtin b, TExpr *e, Span span)
{
    Sema *s = env->s;
    const Entry *stream = stream_of(e);
    if (e->kind == X_ARRAY && !e->n) return e;
    if (!stream || env->function) {
        sema_error(s, env->scope, E_STREAM, span, "'%s' is about a stream variable of a connector",
                   builtin_text(b));
        return tx_poison(s, span);
    }
    Entry *flow = flow_of(s, env->scope, stream, span);
    if (!flow) return tx_poison(s, span);
    TExpr *in = tx_builtin(s, BUILTIN_IN_STREAM, e->type, e->varies, span, &e, 1);
    if (b == BUILTIN_IN_STREAM) return in;
    TExpr *rate = type_ref_entry(env, flow);
    if (tx_is_poison(rate)) return rate;
    TExpr *inflow = tx_binary(s, O_GREATER, rate, tx_real(s, 0, span), type_scalar(BASE_BOOLEAN));
    inflow->varies = VARIES_DISCRETE;
    return tx_new(s, X_IF, e->type, VARIES_CONTINUOUS, span, (TExpr *[]){ inflow, in, e }, 3);
}

/* ---- sets ------------------------------------------------------------------------------------ */

typedef struct {
    Flattening *f;
    Flat *flat;
    Map flows; /* VarId of a stream variable to the Entry of its flow */
    Map means; /* VarId of a stream variable to the variable that arrives there */
    TypeId real, truth;
} Streams;

static ExprId number(const Streams *x, double value)
{
    return flat_expr(x->flat, (FlatExpr){ .kind = X_REAL, .type = x->real, .real = value }, NULL, 0);
}

static ExprId variable(const Streams *x, VarId v)
{
    FlatExpr e = { .kind = X_VAR, .type = x->flat->vars.at[v].type, .index = v };
    return flat_expr(x->flat, e, NULL, 0);
}

static ExprId binary(const Streams *x, Oper op, ExprId a, ExprId b)
{
    FlatExpr e = { .kind = X_BINARY, .op = (uint8_t)op, .type = op >= O_LESS ? x->truth : x->real };
    return flat_expr(x->flat, e, (ExprId[]){ a, b }, 2);
}

static ExprId builtin(const Streams *x, Builtin b, const ExprId *args, uint32_t n)
{
    return flat_expr(x->flat, (FlatExpr){ .kind = X_BUILTIN, .op = (uint8_t)b, .type = x->real }, args, n);
}

/* The limit of a flow, if it is known. */
static bool limit_of(Sema *s, Entry *flow, const char *name, double *value)
{
    TExpr *e = comp_attribute(s, flow, name);
    Value *v = e && !e->type.rank && e->varies <= VARIES_PARAMETER ? try_eval(s, e, flow->scope) : NULL;
    if (!v || (v->base != BASE_REAL && v->base != BASE_INTEGER)) return false;
    *value = v->base == BASE_REAL ? v->at[0].real : (double)v->at[0].integer;
    return true;
}

/* Whether something can come out of a node into its set: an inside face by a negative flow, an
 * outside one by a positive. */
static bool can_send(Streams *x, uint32_t node)
{
    double limit;
    Entry *flow = map_pointer(&x->flows, (void *)(uintptr_t)(node / 2 + 1));
    if (!flow || flow->var == NONE) return false;
    if (node & 1) return !limit_of(x->f->s, flow, "max", &limit) || limit > 0;
    return !limit_of(x->f->s, flow, "min", &limit) || limit < 0;
}

/* The flow out of a node into its set, at least zero. */
static ExprId outflow(const Streams *x, uint32_t node)
{
    Entry *flow = map_pointer(&x->flows, (void *)(uintptr_t)(node / 2 + 1));
    ExprId rate = variable(x, flow->var);
    if (!(node & 1))
        rate = flat_expr(x->flat, (FlatExpr){ .kind = X_UNARY, .op = O_NEGATE, .type = x->real }, &rate, 1);
    return builtin(x, BUILTIN_MAX, (ExprId[]){ rate, number(x, 0) }, 2);
}

static double nominal_of(Streams *x, uint32_t node)
{
    double value = 1;
    Entry *flow = map_pointer(&x->flows, (void *)(uintptr_t)(node / 2 + 1));
    return limit_of(x->f->s, flow, "nominal", &value) && value > 0 ? value : 1;
}

static VarId arriving(Streams *x, VarId v);

/* What a node sends into its set. */
static VarId sent(Streams *x, uint32_t node) { return node & 1 ? arriving(x, node / 2) : node / 2; }

static VarId add_variable(const Streams *x, VarId like, const char *format)
{
    FlatVar v = { .type = x->real,
                  .varies = VARIES_CONTINUOUS,
                  .flags = x->flat->vars.at[like].flags & VAR_PROTECTED,
                  .array = NONE,
                  .binding = NONE,
                  .span = x->flat->vars.at[like].span };
    for (int i = 0; i < ATTRIBUTE_COUNT; i++) v.attributes[i] = NONE;
    v.name = arena_printf(x->flat->arena, "%s(%s)", format, x->flat->vars.at[like].name);
    vec_push(x->flat->arena, &x->flat->vars, v);
    return x->flat->vars.n - 1;
}

static void add_equation(const Streams *x, ExprId left, ExprId right, Span span)
{
    FlatStmt eq = {
        .kind = S_EQUAL, .from_connect = true, .left = left, .right = right, .level = NONE, .span = span
    };
    StmtId id = flat_stmt(x->flat, eq, NULL, 0);
    vec_push(x->flat->arena, &x->flat->equations, id);
}

/* A variable that is 1 for a flow above eps, 0 for none, and smooth between. */
static ExprId blend(const Streams *x, VarId of, const char *name, ExprId flow, double eps)
{
    FlatExpr two = { .kind = X_INTEGER,
                     .type = flat_type(x->flat, BASE_INTEGER, NONE, 0, NULL),
                     .integer = 2 };
    ExprId ratio = binary(x, O_DIVIDE, flow, number(x, eps));
    ExprId cubic = binary(x, O_MULTIPLY, binary(x, O_POWER, ratio, flat_expr(x->flat, two, NULL, 0)),
                          binary(x, O_SUBTRACT, number(x, 3), binary(x, O_MULTIPLY, number(x, 2), ratio)));
    ExprId args[] = { binary(x, O_GREATER, flow, number(x, eps)), number(x, 1),
                      binary(x, O_GREATER, flow, number(x, 0)), cubic, number(x, 0) };
    ExprId alpha = flat_expr(x->flat, (FlatExpr){ .kind = X_IF, .type = x->real }, args, 5);
    VarId v = add_variable(x, of, name);
    add_equation(x, variable(x, v), builtin(x, BUILTIN_NO_EVENT, &alpha, 1), x->flat->vars.at[v].span);
    return variable(x, v);
}

static ExprId add_term(const Streams *x, ExprId sum, ExprId term)
{
    return sum == NONE ? term : binary(x, O_ADD, sum, term);
}

/* The mean of what some nodes send, weighted by their outflow f (specification 15.2), which is with
 * the weights a*f + (1 - a)*eps the same as (a*sum(f*h) + (1 - a)*eps*sum(h)) / (a*sum(f) + (1 -
 * a)*eps*n). */
static ExprId mean(Streams *x, VarId of, const char *name, const uint32_t *nodes, uint32_t n)
{
    double eps = nominal_of(x, nodes[0]);
    ExprId total = NONE, carried = NONE, plain = NONE;
    for (uint32_t i = 0; i < n; i++) {
        ExprId value = variable(x, sent(x, nodes[i])), flow = outflow(x, nodes[i]);
        total = add_term(x, total, flow);
        carried = add_term(x, carried, binary(x, O_MULTIPLY, flow, value));
        plain = add_term(x, plain, value);
        double nominal = nominal_of(x, nodes[i]);
        if (nominal < eps) eps = nominal;
    }
    eps *= SMALL_FLOW;
    ExprId a = blend(x, of, name, total, eps);
    ExprId rest = binary(x, O_MULTIPLY, binary(x, O_SUBTRACT, number(x, 1), a), number(x, eps));
    ExprId top = binary(x, O_ADD, binary(x, O_MULTIPLY, a, carried), binary(x, O_MULTIPLY, rest, plain));
    ExprId bottom =
        binary(x, O_ADD, binary(x, O_MULTIPLY, a, total), binary(x, O_MULTIPLY, rest, number(x, n)));
    return binary(x, O_DIVIDE, top, bottom);
}

/* The nodes of a set that can send, but for one of them. */
static uint32_t senders(Streams *x, uint32_t node, uint32_t **out)
{
    const Flattening *f = x->f;
    uint32_t root = f->set_of[node], count = 0;
    *out = NULL;
    if (root == NONE) return 0;
    uint32_t first = f->set_first[root], n = f->set_first[root + 1] - first;
    *out = NEW_ARRAY(f->s->arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t other = f->set_nodes[first + i];
        if (other != node && can_send(x, other)) (*out)[count++] = other;
    }
    return count;
}

/* inStream of a stream variable, as a variable. */
static VarId arriving(Streams *x, VarId v)
{
    uint64_t known;
    uint32_t *nodes, n;
    if (map_get(&x->means, v, &known)) return (VarId)known;
    n = senders(x, 2 * v, &nodes);
    VarId result = n == 0 ? v : n == 1 ? sent(x, nodes[0]) : NONE;
    if (n > 1) {
        ExprId value = mean(x, v, "mixing", nodes, n);
        result = add_variable(x, v, "inStream");
        const FlatVar *like = &x->flat->vars.at[v];
        FlatVar *mixed = &x->flat->vars.at[result];
        mixed->unit = like->unit;
        mixed->quantity = like->quantity;
        mixed->display_unit = like->display_unit;
        memcpy(mixed->attributes, like->attributes, sizeof mixed->attributes);
        add_equation(x, variable(x, result), value, mixed->span);
    }
    *map_put(&x->means, v, NULL) = result;
    return result;
}

/* What connections inside of a component say of its own connector. */
static void equation_of_outside(Streams *x, uint32_t node)
{
    uint32_t *nodes, n = senders(x, node, &nodes);
    Span span = x->flat->vars.at[node / 2].span;
    if (n == 0) {
        const Flattening *f = x->f;
        uint32_t root = f->set_of[node], first = f->set_first[root], all = f->set_first[root + 1] - first;
        for (uint32_t i = 0; i < all && n == 0; i++)
            if (f->set_nodes[first + i] != node) nodes[n++] = f->set_nodes[first + i];
    }
    if (n == 0) return;
    ExprId value = n == 1 ? variable(x, sent(x, nodes[0])) : mean(x, node / 2, "mixing inside", nodes, n);
    add_equation(x, variable(x, node / 2), value, span);
}

void resolve_streams(Flattening *f)
{
    Streams x = { .f = f, .flat = f->flat, .flows.arena = f->s->arena, .means.arena = f->s->arena };
    if (!f->streams.n) return;
    x.real = flat_type(f->flat, BASE_REAL, NONE, 0, NULL);
    x.truth = flat_type(f->flat, BASE_BOOLEAN, NONE, 0, NULL);
    for (uint32_t i = 0; i < f->streams.n; i++) {
        Entry *e = f->streams.at[i], *flow = flow_of(f->s, e->scope, e, e->decl->declaration->span);
        for (uint32_t k = 0; flow && k < type_count(&e->type); k++)
            map_set_pointer(&x.flows, (void *)(uintptr_t)(e->var + k + 1), flow);
    }
    uint32_t before = f->flat->exprs.n;
    for (uint32_t i = 0; i < f->streams.n; i++) {
        const Entry *e = f->streams.at[i];
        for (uint32_t k = 0; k < type_count(&e->type); k++) {
            uint32_t outside = 2 * (e->var + k) + 1;
            if (f->set_of[outside] != NONE) equation_of_outside(&x, outside);
        }
    }
    for (ExprId id = 0; id < before; id++) {
        FlatExpr *e = &f->flat->exprs.at[id];
        if (e->kind != X_BUILTIN || e->op != BUILTIN_IN_STREAM) continue;
        const FlatExpr *of = &f->flat->exprs.at[f->flat->ids.at[e->first]];
        VarId v = of->kind == X_VAR ? arriving(&x, of->index) : 0;
        e = &f->flat->exprs.at[id];
        *e = (FlatExpr){ .kind = X_VAR, .type = e->type, .first = e->first, .index = v };
    }
}
