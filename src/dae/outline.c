/* outline.c: what of a model's text only a function can do, as functions: loops whose condition or
 * range only the run knows, and arrays whose sizes only the run knows.
 *
 * In: a flat model. Out: itself if it has no such thing, else a copy with more functions. An
 * expression of known size with such arrays inside becomes a call. For a loop, or an assignment to
 * elements that only the run knows, there is a call that does what it does: `(what it assigns) :=
 * loop(what it reads)`; exec.c writes a loop out as far as it is known and makes the call for the
 * rest. Cost: linear in the statements, times elements for subscripts that only the run knows.
 * Tests: tests/api/language_test.c, tests/api/values. */
#include "dae/inside.h"

#include <stdio.h>

/* The body is copied with local variables in place of those of the model. time, pre(), der() and
 * their like do not change while a loop runs and become arguments; noEvent holds everywhere, as the
 * language has it (11.2.3). An assignment to elements becomes one under a condition for each
 * element. Invariant: the functions can be differentiated and compiled as any other. */

/* While the number of inputs is open, a local is named by what it is. */
enum { LOCAL_IS_OUTPUT = 1 << 29, LOCAL_IS_OTHER = 1 << 30, LOCAL_MARKS = LOCAL_IS_OUTPUT | LOCAL_IS_OTHER };

typedef VEC(StmtId) Stmts;

typedef struct {
    Flat *flat;
    Arena *scratch;
    Span span; /* of the statement that is copied */
    VEC(FlatLocal) inputs, outputs, others;
    VEC(ExprId) args;    /* by input */
    VEC(VarId) reads;    /* by input; NONE for those that are no variable */
    VEC(VarId) writes;   /* by output */
    uint32_t *place;     /* by VarId: its local; NONE */
    VEC(uint32_t) loops; /* of loops: the variable's number in the model, then here */
    VEC(StmtId) fors;    /* loops that were made */
    VarId stops;         /* what terminate() sets; NONE */
    ExprId stop_text;    /* what the first of them says */
    bool is_impure;
    const char *why; /* it cannot be done; NULL */
} Outline;

void dae_each_target(const Flat *f, ExprId left, void (*visit)(void *arg, VarId v), void *arg)
{
    const FlatExpr *e = &f->exprs.at[left];
    if (e->kind == X_VAR) visit(arg, e->index);
    uint32_t deep =
        e->kind == X_TUPLE || e->kind == X_ARRAY || e->kind == X_RECORD ? e->n : e->kind == X_SUBSCRIPT;
    for (uint32_t k = 0; k < deep; k++) dae_each_target(f, f->ids.at[e->first + k], visit, arg);
}

/* ---- locals ---------------------------------------------------------------------------------- */

static ExprId local_expr(Outline *o, TypeId type, uint32_t local)
{
    return flat_expr(o->flat, (FlatExpr){ .kind = X_LOCAL, .type = type, .index = local }, NULL, 0);
}

static FlatLocal local_of(Outline *o, const char *name, TypeId type, LocalRole role)
{
    static const ExprId open[] = { NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE };
    uint32_t rank = o->flat->types.at[type].rank;
    FlatLocal local = { .name = name, .type = type, .role = (uint8_t)role, .binding = NONE };
    if (rank > COUNT_OF(open)) o->why = "an array of that many dimensions in a while loop";
    local.sizes_first = flat_list(o->flat, open, rank < COUNT_OF(open) ? rank : COUNT_OF(open));
    return local;
}

/* An argument of the loop: an expression that stays what it is while the loop runs. */
static ExprId input(Outline *o, ExprId arg, const char *name)
{
    TypeId type = o->flat->exprs.at[arg].type;
    FlatLocal local = local_of(o, name, type, LOCAL_INPUT);
    vec_push(o->scratch, &o->inputs, local);
    vec_push(o->scratch, &o->args, arg);
    return local_expr(o, type, o->inputs.n - 1);
}

static ExprId variable(Outline *o, ExprId id)
{
    const FlatExpr *e = &o->flat->exprs.at[id];
    VarId v = e->index;
    if (o->place[v] != NONE) return local_expr(o, e->type, o->place[v]);
    ExprId made = input(o, id, o->flat->vars.at[v].name);
    o->place[v] = o->inputs.n - 1;
    vec_push(o->scratch, &o->reads, v);
    return made;
}

static uint32_t loop_variable(Outline *o, const char *name)
{
    FlatLocal local = local_of(o, name, flat_type(o->flat, BASE_INTEGER, NONE, 0, NULL), LOCAL_LOOP);
    vec_push(o->scratch, &o->others, local);
    return LOCAL_IS_OTHER | (o->others.n - 1);
}

/* The variable of a loop: one of those that are copied, or one around them, which stays as it
 * is. */
static ExprId loop_value(Outline *o, ExprId id)
{
    const FlatExpr *e = &o->flat->exprs.at[id];
    for (uint32_t k = o->loops.n; k > 0; k -= 2)
        if (o->loops.at[k - 2] == e->index) return local_expr(o, e->type, o->loops.at[k - 1]);
    return input(o, id, o->flat->loops.at[e->index]);
}

static uint32_t temporary(Outline *o, TypeId type)
{
    FlatLocal local = local_of(o, "part", type, LOCAL_PROTECTED);
    vec_push(o->scratch, &o->others, local);
    return LOCAL_IS_OTHER | (o->others.n - 1);
}

static void find_write(void *arg, VarId v)
{
    Outline *o = arg;
    if (o->place[v] != NONE) return;
    FlatLocal local = local_of(o, o->flat->vars.at[v].name, o->flat->vars.at[v].type, LOCAL_OUTPUT);
    o->place[v] = LOCAL_IS_OUTPUT | o->outputs.n;
    vec_push(o->scratch, &o->outputs, local);
    vec_push(o->scratch, &o->writes, v);
}

/* The variable that terminate() in a loop sets, so that the run ends after it. */
static VarId stop_variable(Outline *o)
{
    Flat *f = o->flat;
    FlatVar v = { .name = arena_printf(f->arena, "$stop%u", (unsigned)f->vars.n),
                  .type = flat_type(f, BASE_BOOLEAN, NONE, 0, NULL),
                  .varies = VARIES_DISCRETE,
                  .flags = VAR_PROTECTED,
                  .array = NONE,
                  .binding = NONE,
                  .span = o->span,
                  .top = o->span };
    for (int i = 0; i < ATTRIBUTE_COUNT; i++) v.attributes[i] = NONE;
    vec_push(f->arena, &f->vars, v);
    return f->vars.n - 1;
}

static void find_writes(Outline *o, uint32_t first, uint32_t n)
{
    const Flat *f = o->flat;
    for (uint32_t i = 0; i < n; i++) {
        const FlatStmt *s = &f->stmts.at[f->ids.at[first + i]];
        if (s->kind == S_ASSIGN) dae_each_target(f, s->left, find_write, o);
        if (s->kind == S_TERMINATE && o->stop_text == NONE) o->stop_text = s->left;
        for (uint32_t k = 0; k < s->n; k++)
            find_writes(o, f->branches.at[s->first + k].first, f->branches.at[s->first + k].n);
    }
}

/* ---- expressions ----------------------------------------------------------------------------- */

static ExprId copy_expr(Outline *o, ExprId id);

static bool reads_writes(const Outline *o, ExprId id)
{
    const FlatExpr *e = &o->flat->exprs.at[id];
    if (e->kind == X_VAR) return o->place[e->index] != NONE && o->place[e->index] & LOCAL_IS_OUTPUT;
    for (uint32_t k = 0; k < e->n; k++)
        if (reads_writes(o, o->flat->ids.at[e->first + k])) return true;
    return false;
}

static ExprId binary(Outline *o, Oper op, TypeId type, ExprId a, ExprId c)
{
    ExprId args[] = { a, c };
    return flat_expr(o->flat, (FlatExpr){ .kind = X_BINARY, .op = (uint8_t)op, .type = type }, args, 2);
}

/* The same expression with other arguments. */
static ExprId rebuilt(Outline *o, ExprId id, ExprId (*part)(Outline *o, ExprId of, uint8_t op), uint8_t op)
{
    FlatExpr e = o->flat->exprs.at[id];
    ExprId *args = NEW_ARRAY(o->scratch, ExprId, e.n + 1);
    for (uint32_t k = 0; k < e.n; k++) args[k] = part(o, o->flat->ids.at[e.first + k], op);
    return flat_expr(o->flat, e, args, e.n);
}

static ExprId copied(Outline *o, ExprId id, uint8_t op) { return (void)op, copy_expr(o, id); }

/* pre() or der() of variables, where a subscript may change in the loop: of each element. */
static ExprId held(Outline *o, ExprId id, uint8_t op)
{
    FlatExpr e = o->flat->exprs.at[id];
    if (e.kind == X_VAR) {
        FlatExpr call = { .kind = X_BUILTIN, .op = op, .type = e.type };
        return input(o, flat_expr(o->flat, call, &id, 1), builtin_text((Builtin)op));
    }
    if (e.kind == X_ARRAY || e.kind == X_RECORD) return rebuilt(o, id, held, op);
    if (e.kind != X_SUBSCRIPT) {
        o->why = "such an argument of pre() or der() in a while loop that only the run can end";
        return id;
    }
    ExprId *args = NEW_ARRAY(o->scratch, ExprId, e.n + 1);
    for (uint32_t k = 0; k < e.n; k++) {
        ExprId arg = o->flat->ids.at[e.first + k];
        args[k] = k ? copy_expr(o, arg) : held(o, arg, op);
    }
    return flat_expr(o->flat, e, args, e.n);
}

static ExprId copy_builtin(Outline *o, ExprId id)
{
    FlatExpr e = o->flat->exprs.at[id];
    ExprId first = e.n ? o->flat->ids.at[e.first] : NONE;
    switch ((Builtin)e.op) {
    case BUILTIN_PRE:
    case BUILTIN_DER: return held(o, first, e.op);
    case BUILTIN_EDGE: {
        FlatExpr before = { .kind = X_UNARY, .op = O_NOT, .type = e.type };
        ExprId was = held(o, first, BUILTIN_PRE);
        return binary(o, O_AND, e.type, copy_expr(o, first), flat_expr(o->flat, before, &was, 1));
    }
    case BUILTIN_CHANGE:
        return binary(o, O_NOT_EQUAL, e.type, copy_expr(o, first), held(o, first, BUILTIN_PRE));
    case BUILTIN_HOMOTOPY: return copy_expr(o, first);
    case BUILTIN_INITIAL:
    case BUILTIN_TERMINAL:
    case BUILTIN_SAMPLE:
    case BUILTIN_DELAY:
        if (reads_writes(o, id))
            o->why = "delay() of what a while loop assigns, where only the run can end the loop,";
        return input(o, id, builtin_text((Builtin)e.op));
    default: return rebuilt(o, id, copied, 0);
    }
}

/* Its indices become variables of loops, one after the other. */
static ExprId copy_comprehension(Outline *o, ExprId id)
{
    FlatExpr e = o->flat->exprs.at[id];
    ExprId *args = NEW_ARRAY(o->scratch, ExprId, e.n + 1);
    uint32_t first = o->others.n, outer = o->loops.n;
    for (uint32_t k = 1; k < e.n; k++) loop_variable(o, o->flat->loops.at[e.index + k - 1]);
    for (uint32_t k = 1; k < e.n; k++) {
        args[k] = copy_expr(o, o->flat->ids.at[e.first + k]);
        vec_push(o->scratch, &o->loops, e.index + k - 1);
        vec_push(o->scratch, &o->loops, LOCAL_IS_OTHER | (first + k - 1));
    }
    args[0] = copy_expr(o, o->flat->ids.at[e.first]);
    o->loops.n = outer;
    e.index = LOCAL_IS_OTHER | first;
    return flat_expr(o->flat, e, args, e.n);
}

static ExprId copy_expr(Outline *o, ExprId id)
{
    switch ((ExprKindFlat)o->flat->exprs.at[id].kind) {
    case X_VAR: return variable(o, id);
    case X_TIME: return input(o, id, "time");
    case X_BUILTIN: return copy_builtin(o, id);
    case X_LOCAL: return loop_value(o, id);
    case X_COMPREHENSION: return copy_comprehension(o, id);
    case X_CALL:
        o->is_impure |= o->flat->functions.at[o->flat->exprs.at[id].index].impure;
        return rebuilt(o, id, copied, 0);
    default: return rebuilt(o, id, copied, 0);
    }
}

/* ---- assignments ----------------------------------------------------------------------------- */

/* An element of a local variable: the access so far, and `n` subscripts of it. */
typedef struct {
    ExprId of;
    uint32_t n;
    ExprId subs[8];
} LocalElement;

static ExprId whole(Outline *o, int64_t value)
{
    TypeId type = flat_type(o->flat, BASE_INTEGER, NONE, 0, NULL);
    return flat_expr(o->flat, (FlatExpr){ .kind = X_INTEGER, .type = type, .integer = value }, NULL, 0);
}

static ExprId element_expr(Outline *o, const LocalElement *p, TypeId type)
{
    ExprId args[9] = { p->of };
    if (!p->n) return p->of;
    memcpy(args + 1, p->subs, p->n * sizeof *args);
    return flat_expr(o->flat, (FlatExpr){ .kind = X_SUBSCRIPT, .type = type }, args, p->n + 1);
}

static LocalElement element_at(Outline *o, const LocalElement *p, ExprId sub)
{
    LocalElement made = *p;
    if (made.n < COUNT_OF(made.subs))
        made.subs[made.n++] = sub;
    else
        o->why = "an array of that many dimensions in a while loop";
    return made;
}

static void push(Outline *o, Stmts *out, FlatStmt s, const FlatBranch *branches, uint32_t n)
{
    s.span = o->span;
    StmtId id = flat_stmt(o->flat, s, branches, n);
    vec_push(o->scratch, out, id);
}

static void assign_to(Outline *o, uint32_t local, TypeId type, ExprId value, Stmts *out)
{
    FlatStmt s = { .kind = S_ASSIGN, .left = local_expr(o, type, local), .right = value, .level = NONE };
    push(o, out, s, NULL, 0);
}

static FlatBranch branch_of(Outline *o, ExprId condition, const Stmts *body)
{
    return (FlatBranch){ condition, flat_list(o->flat, body->at, body->n), body->n };
}

static void spread(Outline *o, ExprId left, const LocalElement *value, Stmts *out);
static void spread_at(Outline *o, ExprId array, const ExprId *subs, uint32_t n, const LocalElement *value,
                      Stmts *out);

/* To the element that `at` names: one branch for each of them, and a failure if it is none. */
static void spread_open(Outline *o, const FlatExpr *array, ExprId at, const ExprId *subs, uint32_t n,
                        const LocalElement *value, Stmts *out)
{
    TypeId boolean = flat_type(o->flat, BASE_BOOLEAN, NONE, 0, NULL);
    TypeId string = flat_type(o->flat, BASE_STRING, NONE, 0, NULL);
    FlatBranch *branches = NEW_ARRAY(o->scratch, FlatBranch, array->n + 1);
    for (uint32_t c = 0; c < array->n; c++) {
        Stmts body = { 0 };
        spread_at(o, o->flat->ids.at[array->first + c], subs, n, value, &body);
        branches[c] = branch_of(o, binary(o, O_EQUAL, boolean, at, whole(o, c + 1)), &body);
    }
    Stmts none = { 0 };
    FlatStmt fails = { .kind = S_ASSERT, .level = NONE };
    fails.left = flat_expr(o->flat, (FlatExpr){ .kind = X_BOOLEAN, .type = boolean }, NULL, 0);
    FlatExpr text = { .kind = X_STRING, .type = string, .text = STR("a subscript is out of range") };
    fails.right = flat_expr(o->flat, text, NULL, 0);
    push(o, &none, fails, NULL, 0);
    branches[array->n] = branch_of(o, NONE, &none);
    push(o, out, (FlatStmt){ .kind = S_IF, .left = NONE, .right = NONE, .level = NONE }, branches,
         array->n + 1);
}

/* To the elements that a list of subscripts names whose size only the run knows: in a loop. */
static void spread_list(Outline *o, const FlatExpr *array, uint32_t at, TypeId type, const ExprId *subs,
                        uint32_t n, const LocalElement *value, Stmts *out)
{
    TypeId integer = flat_type(o->flat, BASE_INTEGER, NONE, 0, NULL);
    uint32_t runs = loop_variable(o, "i");
    ExprId i = local_expr(o, integer, runs), list = local_expr(o, type, at);
    ExprId sized[] = { list, whole(o, 1) }, chosen[] = { list, i };
    FlatExpr size = { .kind = X_BUILTIN, .op = BUILTIN_SIZE, .type = integer };
    ExprId range[] = { sized[1], sized[1], flat_expr(o->flat, size, sized, 2) };
    TypeId vector = flat_type(o->flat, BASE_INTEGER, NONE, 1, (const int32_t[]){ SIZE_UNKNOWN });
    FlatStmt s = { .kind = S_FOR, .index = runs, .right = NONE, .level = NONE };
    s.left = flat_expr(o->flat, (FlatExpr){ .kind = X_RANGE, .type = vector }, range, 3);
    ExprId which = flat_expr(o->flat, (FlatExpr){ .kind = X_SUBSCRIPT, .type = integer }, chosen, 2);
    LocalElement part = element_at(o, value, i);
    Stmts body = { 0 };
    spread_open(o, array, which, subs + 1, n - 1, &part, &body);
    FlatBranch branch = branch_of(o, NONE, &body);
    push(o, out, s, &branch, 1);
    vec_push(o->scratch, &o->fors, out->at[out->n - 1]);
}

/* A subscript is computed once. Colons and lists of subscripts use up one of the value's own. */
static void spread_at(Outline *o, ExprId array, const ExprId *subs, uint32_t n, const LocalElement *value,
                      Stmts *out)
{
    if (!n) {
        spread(o, array, value, out);
        return;
    }
    FlatExpr e = o->flat->exprs.at[array], sub = o->flat->exprs.at[subs[0]];
    const FlatType *type = &o->flat->types.at[sub.type];
    bool is_all = sub.kind == X_COLON, is_list = !is_all && type->rank > 0;
    if (e.kind != X_ARRAY) {
        o->why = "an assignment to elements of this in a while loop that only the run can end";
        return;
    }
    bool is_open = is_list && type->sizes[0] < 0;
    uint32_t count = is_all ? e.n : is_open ? 0 : is_list ? (uint32_t)type->sizes[0] : 1;
    TypeId integer = flat_type(o->flat, BASE_INTEGER, NONE, 0, NULL);
    uint32_t at = NONE;
    if (!is_all && sub.kind != X_INTEGER) {
        at = temporary(o, sub.type);
        assign_to(o, at, sub.type, copy_expr(o, subs[0]), out);
    }
    if (is_open) spread_list(o, &e, at, sub.type, subs, n, value, out);
    for (uint32_t i = 0; i < count && !o->why; i++) {
        LocalElement chosen = is_all || is_list ? element_at(o, value, whole(o, i + 1)) : *value;
        if (at != NONE) {
            ExprId args[] = { local_expr(o, sub.type, at), whole(o, i + 1) };
            FlatExpr element = { .kind = X_SUBSCRIPT, .type = integer };
            ExprId which = is_list ? flat_expr(o->flat, element, args, 2) : args[0];
            spread_open(o, &e, which, subs + 1, n - 1, &chosen, out);
            continue;
        }
        int64_t k = is_all ? (int64_t)i + 1 : sub.integer;
        if (k >= 1 && k <= e.n) spread_at(o, o->flat->ids.at[e.first + k - 1], subs + 1, n - 1, &chosen, out);
        if (!(k >= 1 && k <= e.n)) o->why = "a subscript out of range";
    }
}

/* A value to what is on the left, scalar by scalar. */
static void spread(Outline *o, ExprId left, const LocalElement *value, Stmts *out)
{
    FlatExpr e = o->flat->exprs.at[left];
    if (e.kind == X_VAR) {
        assign_to(o, o->place[e.index], e.type, element_expr(o, value, e.type), out);
    } else if (e.kind == X_SUBSCRIPT) {
        ExprId *ids = NEW_ARRAY(o->scratch, ExprId, e.n + 1);
        for (uint32_t k = 0; k < e.n; k++) ids[k] = o->flat->ids.at[e.first + k];
        spread_at(o, ids[0], ids + 1, e.n - 1, value, out);
    } else if (e.kind == X_ARRAY) {
        for (uint32_t k = 0; k < e.n && !o->why; k++) {
            LocalElement chosen = element_at(o, value, whole(o, k + 1));
            spread(o, o->flat->ids.at[e.first + k], &chosen, out);
        }
    } else if (e.kind == X_RECORD) {
        ExprId record = element_expr(o, value, e.type);
        for (uint32_t k = 0; k < e.n && !o->why; k++) {
            ExprId field = o->flat->ids.at[e.first + k];
            FlatExpr access = { .kind = X_FIELD, .type = o->flat->exprs.at[field].type, .index = k };
            LocalElement chosen = { .of = flat_expr(o->flat, access, &record, 1) };
            spread(o, field, &chosen, out);
        }
    } else {
        o->why = "an assignment to this in a while loop that only the run can end";
    }
}

/* Parts are assigned once the whole right side is computed. */
static void copy_assign(Outline *o, const FlatStmt *s, Stmts *out)
{
    FlatExpr left = o->flat->exprs.at[s->left];
    ExprId right = copy_expr(o, s->right);
    if (left.kind == X_VAR) {
        assign_to(o, o->place[left.index], left.type, right, out);
        return;
    }
    uint32_t n = left.kind == X_TUPLE ? left.n : 1;
    ExprId *to = NEW_ARRAY(o->scratch, ExprId, n + 1), *parts = NEW_ARRAY(o->scratch, ExprId, n + 1);
    for (uint32_t k = 0; k < n; k++) {
        parts[k] = left.kind == X_TUPLE ? o->flat->ids.at[left.first + k] : s->left;
        FlatExpr part = o->flat->exprs.at[parts[k]];
        to[k] = part.kind == X_OMITTED ? parts[k] : local_expr(o, part.type, temporary(o, part.type));
    }
    FlatStmt whole_one = { .kind = S_ASSIGN, .left = to[0], .right = right, .level = NONE };
    if (left.kind == X_TUPLE) whole_one.left = flat_expr(o->flat, left, to, n);
    push(o, out, whole_one, NULL, 0);
    for (uint32_t k = 0; k < n && !o->why; k++) {
        LocalElement chosen = { .of = to[k] };
        if (o->flat->exprs.at[parts[k]].kind != X_OMITTED) spread(o, parts[k], &chosen, out);
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static Stmts copy_body(Outline *o, uint32_t first, uint32_t n);

static void copy_stmt(Outline *o, StmtId id, Stmts *out)
{
    FlatStmt s = o->flat->stmts.at[id];
    o->span = s.span;
    switch ((FlatStmtKind)s.kind) {
    case S_ASSIGN: copy_assign(o, &s, out); break;
    case S_IF:
    case S_WHILE: {
        FlatBranch *branches = NEW_ARRAY(o->scratch, FlatBranch, s.n + 1);
        for (uint32_t k = 0; k < s.n; k++) {
            FlatBranch branch = o->flat->branches.at[s.first + k];
            ExprId condition = branch.condition == NONE ? NONE : copy_expr(o, branch.condition);
            Stmts body = copy_body(o, branch.first, branch.n);
            branches[k] = branch_of(o, condition, &body);
        }
        o->span = s.span;
        push(o, out, s, branches, s.n);
        break;
    }
    case S_ASSERT:
        s.left = copy_expr(o, s.left);
        s.right = copy_expr(o, s.right);
        push(o, out, s, NULL, 0);
        break;
    case S_CALL:
        s.left = copy_expr(o, s.left);
        o->is_impure = true;
        push(o, out, s, NULL, 0);
        break;
    case S_FOR: {
        FlatBranch branch = o->flat->branches.at[s.first];
        uint32_t was = s.index;
        s.left = copy_expr(o, s.left);
        s.index = loop_variable(o, o->flat->loops.at[was]);
        vec_push(o->scratch, &o->loops, was);
        vec_push(o->scratch, &o->loops, s.index);
        Stmts body = copy_body(o, branch.first, branch.n);
        o->loops.n -= 2;
        branch = branch_of(o, NONE, &body);
        o->span = s.span;
        push(o, out, s, &branch, 1);
        vec_push(o->scratch, &o->fors, out->at[out->n - 1]);
        break;
    }
    case S_BREAK: push(o, out, s, NULL, 0); break;
    case S_TERMINATE: {
        TypeId boolean = flat_type(o->flat, BASE_BOOLEAN, NONE, 0, NULL);
        FlatExpr yes = { .kind = X_BOOLEAN, .type = boolean, .integer = 1 };
        assign_to(o, o->place[o->stops], boolean, flat_expr(o->flat, yes, NULL, 0), out);
        break;
    }
    default: o->why = "this statement in a loop that only the run can end"; break;
    }
}

static Stmts copy_body(Outline *o, uint32_t first, uint32_t n)
{
    Stmts out = { 0 };
    for (uint32_t i = 0; i < n && !o->why; i++) copy_stmt(o, o->flat->ids.at[first + i], &out);
    return out;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static uint32_t numbered(uint32_t local, uint32_t inputs, uint32_t outputs)
{
    uint32_t k = local & ~(uint32_t)LOCAL_MARKS;
    return !(local & LOCAL_MARKS) ? local : local & LOCAL_IS_OUTPUT ? inputs + k : inputs + outputs + k;
}

/* Locals get their places: inputs, outputs, others. */
static void number_locals(Outline *o, FlatFunction *f, uint32_t first_expr)
{
    uint32_t inputs = o->inputs.n, outputs = o->outputs.n;
    for (uint32_t k = 0; k < inputs; k++) vec_push(o->flat->arena, &f->locals, o->inputs.at[k]);
    for (uint32_t k = 0; k < outputs; k++) vec_push(o->flat->arena, &f->locals, o->outputs.at[k]);
    for (uint32_t k = 0; k < o->others.n; k++) vec_push(o->flat->arena, &f->locals, o->others.at[k]);
    for (uint32_t i = first_expr; i < o->flat->exprs.n; i++) {
        FlatExpr *e = &o->flat->exprs.at[i];
        if (e->kind == X_LOCAL || e->kind == X_COMPREHENSION) e->index = numbered(e->index, inputs, outputs);
    }
    for (uint32_t i = 0; i < o->fors.n; i++) {
        FlatStmt *s = &o->flat->stmts.at[o->fors.at[i]];
        s->index = numbered(s->index, inputs, outputs);
    }
    f->inputs = inputs;
    f->outputs = outputs;
}

/* What the statement assigns begins as what it was; nothing has stopped the run. */
static void copy_whole(Outline *o, StmtId id, Stmts *out)
{
    FlatStmt s = o->flat->stmts.at[id];
    TypeId boolean = flat_type(o->flat, BASE_BOOLEAN, NONE, 0, NULL);
    o->span = s.span;
    uint32_t own = flat_list(o->flat, &id, 1);
    find_writes(o, own, 1);
    bool stops = o->stop_text != NONE || !o->writes.n; /* a function has results */
    for (uint32_t k = 0; k < o->writes.n; k++) {
        const FlatVar *v = &o->flat->vars.at[o->writes.at[k]];
        ExprId var = flat_expr(
            o->flat, (FlatExpr){ .kind = X_VAR, .type = v->type, .index = o->writes.at[k] }, NULL, 0);
        assign_to(o, LOCAL_IS_OUTPUT | k, v->type, input(o, var, v->name), out);
    }
    if (stops) {
        o->stops = stop_variable(o);
        find_write(o, o->stops);
        FlatExpr no = { .kind = X_BOOLEAN, .type = boolean };
        assign_to(o, o->place[o->stops], boolean, flat_expr(o->flat, no, NULL, 0), out);
    }
    copy_stmt(o, id, out);
}

static FuncId add_function(Outline *o, const char *name, const Stmts *body, uint32_t first_expr)
{
    FlatFunction f = { .name = arena_printf(o->flat->arena, "%s%u", name, (unsigned)o->flat->functions.n),
                       .result = NONE,
                       .smooth_order = -1,
                       .impure = o->is_impure,
                       .inlining = INLINE_NEVER,
                       .span = o->span };
    number_locals(o, &f, first_expr);
    f.first = flat_list(o->flat, body->at, body->n);
    f.n = body->n;
    vec_push(o->flat->arena, &o->flat->functions, f);
    return o->flat->functions.n - 1;
}

static void forget_places(Outline *o)
{
    for (uint32_t k = 0; k < o->reads.n; k++) o->place[o->reads.at[k]] = NONE;
    for (uint32_t k = 0; k < o->writes.n; k++)
        if (o->writes.at[k] != o->stops) o->place[o->writes.at[k]] = NONE;
}

static DaeOutline outline_statement(Flat *flat, StmtId id, uint32_t *place, Arena *scratch)
{
    Outline o = { .flat = flat, .scratch = scratch, .place = place, .stops = NONE, .stop_text = NONE };
    uint32_t first_expr = flat->exprs.n;
    Stmts all = { 0 };
    DaeOutline made = { .loop = id, .left = NONE, .call = NONE, .stops = NONE, .stop_text = NONE };
    copy_whole(&o, id, &all);
    forget_places(&o);
    made.why = o.why;
    if (o.why) return made;
    o.span = flat->stmts.at[id].span;
    FlatExpr call = { .kind = X_CALL, .index = add_function(&o, "loop", &all, first_expr) };
    ExprId *left = NEW_ARRAY(scratch, ExprId, o.writes.n + 1);
    for (uint32_t k = 0; k < o.writes.n; k++) {
        VarId v = o.writes.at[k];
        FlatExpr var = { .kind = X_VAR, .type = flat->vars.at[v].type, .index = v };
        left[k] = flat_expr(flat, var, NULL, 0);
    }
    call.type = flat->exprs.at[left[0]].type;
    made.left = flat_expr(flat, (FlatExpr){ .kind = X_TUPLE, .type = call.type }, left, o.writes.n);
    made.call = flat_expr(flat, call, o.args.at, o.args.n);
    made.stops = o.stop_text == NONE ? NONE : o.stops;
    made.stop_text = o.stop_text;
    return made;
}

/* ---- expressions that need a function -------------------------------------------------------- */

typedef struct {
    Flat *flat;
    Arena *scratch;
    uint32_t *place;
    const char *why;
    Span span;
    uint32_t end;   /* expressions that the flat model came with */
    uint8_t *state; /* by ExprId: seen, and whether it is open */
} Rewrite;

enum { SEEN = 1, OPEN = 2 };

static bool has_open_size(const Flat *f, TypeId type)
{
    for (uint32_t k = 0; k < f->types.at[type].rank; k++)
        if (f->types.at[type].sizes[k] == SIZE_UNKNOWN) return true;
    return false;
}

/* An expression of known size becomes the call of a function with one result. */
static void outline_expression(Rewrite *r, ExprId id)
{
    Outline o = { .flat = r->flat,
                  .scratch = r->scratch,
                  .place = r->place,
                  .stops = NONE,
                  .stop_text = NONE,
                  .span = r->span };
    uint32_t first_expr = r->flat->exprs.n;
    TypeId type = r->flat->exprs.at[id].type;
    FlatLocal result = local_of(&o, "result", type, LOCAL_OUTPUT);
    vec_push(o.scratch, &o.outputs, result);
    Stmts all = { 0 };
    assign_to(&o, LOCAL_IS_OUTPUT, type, copy_expr(&o, id), &all);
    forget_places(&o);
    if (o.why) return; /* told when it is translated */
    FlatExpr call = { .kind = X_CALL, .type = type, .index = add_function(&o, "arrays", &all, first_expr) };
    ExprId made = flat_expr(r->flat, call, o.args.at, o.args.n);
    r->flat->exprs.at[id] = r->flat->exprs.at[made];
}

/* Whether only the run knows its size; what is not so, but has such parts, becomes a call. */
static bool rewrite(Rewrite *r, ExprId id)
{
    if (id >= r->end) return false;
    if (r->state[id]) return r->state[id] & OPEN;
    const FlatExpr e = r->flat->exprs.at[id];
    bool open = has_open_size(r->flat, e.type), parts = e.kind == X_COMPREHENSION;
    r->state[id] = SEEN;
    if (e.kind == X_PARTIAL) return false;
    for (uint32_t k = 0; k < e.n; k++) parts |= rewrite(r, r->flat->ids.at[e.first + k]);
    if (open) r->state[id] |= OPEN;
    bool is_target = e.kind == X_TUPLE || e.kind == X_OMITTED;
    if (parts && !open && !is_target) outline_expression(r, id);
    return open;
}

static void rewrite_target(Rewrite *r, ExprId id)
{
    const FlatExpr e = r->flat->exprs.at[id];
    if (e.kind == X_SUBSCRIPT)
        for (uint32_t k = 1; k < e.n; k++) rewrite(r, r->flat->ids.at[e.first + k]);
    for (uint32_t k = 0; (e.kind == X_TUPLE || e.kind == X_ARRAY) && k < e.n; k++)
        rewrite_target(r, r->flat->ids.at[e.first + k]);
}

static void rewrite_stmt(Rewrite *r, StmtId id)
{
    const FlatStmt s = r->flat->stmts.at[id];
    r->span = s.span;
    if (s.kind == S_ASSIGN)
        rewrite_target(r, s.left);
    else if (s.left != NONE)
        rewrite(r, s.left);
    if (s.right != NONE) rewrite(r, s.right);
    if (s.level != NONE) rewrite(r, s.level);
    for (uint32_t k = 0; k < s.n; k++) {
        const FlatBranch b = r->flat->branches.at[s.first + k];
        r->span = s.span;
        if (b.condition != NONE) rewrite(r, b.condition);
        for (uint32_t i = 0; i < b.n; i++) rewrite_stmt(r, r->flat->ids.at[b.first + i]);
    }
}

static void rewrite_all(Flat *f, uint32_t *place, Arena *scratch)
{
    Rewrite r = { .flat = f, .scratch = scratch, .place = place, .end = f->exprs.n };
    r.state = NEW_ARRAY(scratch, uint8_t, f->exprs.n + 1);
    for (uint32_t i = 0; i < f->equations.n; i++) rewrite_stmt(&r, f->equations.at[i]);
    for (uint32_t i = 0; i < f->initial_equations.n; i++) rewrite_stmt(&r, f->initial_equations.at[i]);
    for (uint32_t i = 0; i < f->algorithms.n; i++)
        for (uint32_t k = 0; k < f->algorithms.at[i].n; k++)
            rewrite_stmt(&r, f->ids.at[f->algorithms.at[i].first + k]);
    for (VarId v = 0; v < f->vars.n; v++) {
        r.span = f->vars.at[v].span;
        if (f->vars.at[v].binding != NONE) rewrite(&r, f->vars.at[v].binding);
    }
}

/* ---- the door -------------------------------------------------------------------------------- */

static bool is_open_target(const Flat *f, ExprId left)
{
    const FlatExpr *e = &f->exprs.at[left];
    if (has_open_size(f, e->type)) return true;
    for (uint32_t k = 0; e->kind == X_TUPLE && k < e->n; k++)
        if (is_open_target(f, f->ids.at[e->first + k])) return true;
    return false;
}

/* The size of what a function gives may still come out. */
static bool is_open_value(const Flat *f, ExprId right)
{
    const FlatExpr *e = &f->exprs.at[right];
    return e->kind != X_CALL && e->kind != X_RESULT && has_open_size(f, e->type);
}

static void find_loops(const Flat *f, uint32_t first, uint32_t n, Arena *scratch, Stmts *out)
{
    for (uint32_t i = 0; i < n; i++) {
        StmtId id = f->ids.at[first + i];
        const FlatStmt *s = &f->stmts.at[id];
        bool is_open = s->kind == S_ASSIGN && (is_open_target(f, s->left) || is_open_value(f, s->right));
        if (s->kind == S_WHILE || s->kind == S_FOR || is_open) vec_push(scratch, out, id);
        for (uint32_t k = 0; k < s->n; k++)
            find_loops(f, f->branches.at[s->first + k].first, f->branches.at[s->first + k].n, scratch, out);
    }
}

/* Whether an expression of the model itself has a size that only the run knows: those of functions
 * are among the others, but a model without such types has none. */
static bool may_have_open(const Flat *f)
{
    if (f->loops.n) return true;
    for (TypeId t = 0; t < f->types.n; t++)
        if (has_open_size(f, t)) return true;
    return false;
}

/* A list that may grow without writing into what it was copied from. */
#define OWN(arena, v)                                     \
    do {                                                  \
        const void *was = (v)->at;                        \
        uint32_t n = (v)->n;                              \
        (v)->at = NULL, (v)->room = 0;                    \
        vec_reserve(arena, v, n + 1);                     \
        if (n) memcpy((v)->at, was, n * sizeof *(v)->at); \
    } while (0)

const Flat *dae_outline_loops(Build *b, const Flat *flat)
{
    Stmts loops = { 0 };
    for (uint32_t i = 0; i < flat->algorithms.n; i++)
        find_loops(flat, flat->algorithms.at[i].first, flat->algorithms.at[i].n, b->scratch, &loops);
    if (!loops.n && !may_have_open(flat)) return flat;
    Flat *own = NEW(b->s->arena, Flat);
    *own = *flat;
    own->arena = b->s->arena;
    own->type_map = (Map){ .arena = own->arena };
    OWN(own->arena, &own->types);
    OWN(own->arena, &own->exprs);
    OWN(own->arena, &own->ids);
    OWN(own->arena, &own->vars);
    OWN(own->arena, &own->stmts);
    OWN(own->arena, &own->branches);
    OWN(own->arena, &own->functions);
    uint32_t *place = NEW_ARRAY(b->scratch, uint32_t, flat->vars.n + loops.n + 1);
    memset(place, 0xff, (flat->vars.n + loops.n) * sizeof *place);
    rewrite_all(own, place, b->scratch);
    b->outline_of = NEW_ARRAY(b->scratch, uint32_t, flat->stmts.n + 1);
    for (uint32_t k = 0; k < loops.n; k++) {
        DaeOutline made = outline_statement(own, loops.at[k], place, b->scratch);
        vec_push(b->scratch, &b->outlines, made);
        b->outline_of[loops.at[k]] = k + 1;
    }
    return own;
}
