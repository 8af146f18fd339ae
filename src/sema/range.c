/* range.c: the range of a loop index that is given none: `for i loop x[i] = ...` runs over the
 * dimension of x that i is the subscript of (specification 11.2.2.1). The first such use in the
 * text decides. Tests: tests/modelica/equations.mo. */
#include "sema/inside.h"

typedef struct {
    Name index;
    const Expr *ref; /* the reference found, */
    uint32_t part;   /* the part of it that is subscripted, */
    uint32_t dim;    /* and where */
} Use;

static bool find_in_expr(Use *use, const Expr *e);

static bool find_in_list(Use *use, Expr *const *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (find_in_expr(use, items[i])) return true;
    return false;
}

static bool find_in_ref(Use *use, const Expr *ref)
{
    for (uint32_t i = 0; i < ref->n; i++) {
        const Exprs *subs = &ref->parts[i].subscripts;
        for (uint32_t k = 0; k < subs->n; k++) {
            const Expr *sub = subs->at[k];
            if (sub->kind == EXPR_REF && sub->n == 1 && sub->parts[0].name == use->index) {
                use->ref = ref;
                use->part = i;
                use->dim = k;
                return true;
            }
        }
        if (find_in_list(use, subs->at, subs->n)) return true;
    }
    return false;
}

static bool find_in_expr(Use *use, const Expr *e)
{
    switch ((ExprKind)e->kind) {
    case EXPR_REF: return find_in_ref(use, e);
    case EXPR_CALL:
    case EXPR_PARTIAL:
    case EXPR_CHAIN:
    case EXPR_IF:
    case EXPR_RANGE:
    case EXPR_ARRAY:
    case EXPR_MATRIX:
    case EXPR_ROW:
    case EXPR_TUPLE: return find_in_list(use, e->items, e->n);
    case EXPR_NAMED:
    case EXPR_COMPREHENSION:
    case EXPR_UNARY:
    case EXPR_FIELD: return find_in_expr(use, e->left);
    case EXPR_BINARY: return find_in_expr(use, e->left) || find_in_expr(use, e->right);
    case EXPR_SUBSCRIPT: return find_in_expr(use, e->left) || find_in_list(use, e->subscripts, e->n);
    default: return false;
    }
}

static bool find_in_stmts(Use *use, const Stmts *body);

static bool find_in_stmt(Use *use, const Stmt *st)
{
    if (st->kind == STMT_EQUAL || st->kind == STMT_CONNECT || st->kind == STMT_ASSIGN)
        return find_in_expr(use, st->left) || find_in_expr(use, st->right);
    if (st->kind == STMT_CALL) return find_in_expr(use, st->left);
    if (st->kind == STMT_BREAK || st->kind == STMT_RETURN) return false;
    for (uint32_t i = 0; i < st->n; i++) {
        if (st->branches[i].condition && find_in_expr(use, st->branches[i].condition)) return true;
        if (find_in_stmts(use, &st->branches[i].body)) return true;
    }
    return false;
}

static bool find_in_stmts(Use *use, const Stmts *body)
{
    for (uint32_t i = 0; i < body->n; i++)
        if (find_in_stmt(use, body->at[i])) return true;
    return false;
}

/* 1:size(a, dim), for the array that the reference names up to its subscripts. */
static TExpr *range_of(const Env *env, const Use *use, Span span)
{
    Sema *s = env->s;
    RefPart *parts = NEW_ARRAY(s->arena, RefPart, use->part + 1);
    memcpy(parts, use->ref->parts, (use->part + 1) * sizeof *parts);
    parts[use->part].subscripts = (Exprs){ 0 };
    Expr array = {
        .kind = EXPR_REF, .flag = use->ref->flag, .n = use->part + 1, .span = use->ref->span, .parts = parts
    };
    Expr one = { .kind = EXPR_INTEGER, .integer = 1, .span = span };
    Expr dim = { .kind = EXPR_INTEGER, .integer = (int64_t)use->dim + 1, .span = span };
    RefPart size_name = { .name = name_of(s->names, STR("size")), .span = span };
    Expr callee = { .kind = EXPR_REF, .n = 1, .span = span, .parts = &size_name };
    Expr size = {
        .kind = EXPR_CALL, .n = 2, .span = span, .items = (Expr *[]){ &array, &dim }, .callee = &callee
    };
    Expr range = { .kind = EXPR_RANGE, .n = 2, .span = span, .items = (Expr *[]){ &one, &size } };
    return type_expr(env, &range);
}

/* All literals of an enumeration, or both Booleans. */
static TExpr *literals(Sema *s, Inst *inst, Span span)
{
    bool is_enum = inst->base == BASE_ENUM;
    Type type = { .base = inst->base, .def = is_enum ? inst : NULL };
    uint32_t n = is_enum ? inst->root->cls->literal_count : 2;
    TExpr **items = NEW_ARRAY(s->arena, TExpr *, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        items[i] = tx_new(s, is_enum ? X_ENUM : X_BOOLEAN, type, VARIES_CONSTANT, span, NULL, 0);
        items[i]->integer = is_enum ? i + 1 : i;
    }
    return tx_array(s, items, n, &type, span);
}

/* Those of a type that the range names. */
static TExpr *literals_of(const Env *env, const Expr *e)
{
    Sema *s = env->s;
    Entry *entry = e->kind == EXPR_REF ? lookup_name(s, env->scope, e->parts[0].name) : NULL;
    for (uint32_t i = 1; entry && entry->kind == ENTRY_CLASS && i < e->n; i++)
        entry = find_in(s, entry_class(s, entry), e->parts[i].name);
    if (!entry || entry->kind != ENTRY_CLASS) return NULL;
    Inst *inst = inst_resolved(s, entry_class(s, entry));
    return inst->base == BASE_ENUM || inst->base == BASE_BOOLEAN ? literals(s, inst, e->span) : NULL;
}

/* Those that the dimension is over; NULL if it is over numbers. */
static TExpr *literals_of_dimension(const Env *env, const Use *use, Span span)
{
    Sema *s = env->s;
    const Expr *ref = use->ref;
    Entry *e = ref->flag ? NULL : lookup_name(s, env->scope, ref->parts[0].name);
    for (const Iter *i = env->iters; i; i = i->outer)
        if (i->name == ref->parts[0].name) return NULL;
    for (uint32_t i = 0; e && i <= use->part; i++) {
        if (i && e->kind == ENTRY_CLASS)
            e = find_in(s, entry_class(s, e), ref->parts[i].name);
        else if (i)
            e = comp_sizes(s, e) && !e->disabled ? inst_entry(s, e->elements[0], ref->parts[i].name) : NULL;
        if (e && e->kind == ENTRY_COMPONENT) e = entry_target(s, e, env->scope, ref->span);
    }
    Inst *over = e && e->kind == ENTRY_COMPONENT ? comp_dimension(s, e, use->dim) : NULL;
    return over ? literals(s, over, span) : NULL;
}

bool range_is_open(const Env *env, const TExpr *range)
{
    return range->varies > VARIES_PARAMETER || uses_free(env->s, range);
}

uint32_t new_loop_variable(const Env *env, Name name)
{
    if (!env->function) {
        vec_push(env->s->arena, &env->s->loops, name_text(name));
        return env->s->loops.n - 1;
    }
    vec_push(env->s->arena, &env->function->loop_names, name_text(name));
    return env->function->locals.n + env->function->loop_names.n - 1;
}

TExpr *type_index_range(const Env *env, const ForIndex *index, const Stmts *body, const Expr *expr)
{
    Use use = { .index = index->name };
    TExpr *literals = index->range ? literals_of(env, index->range) : NULL;
    if (index->range) return literals ? literals : type_expr(env, index->range);
    if (body ? find_in_stmts(&use, body) : find_in_expr(&use, expr)) {
        literals = literals_of_dimension(env, &use, index->span);
        return literals ? literals : range_of(env, &use, index->span);
    }
    Note *note = sema_error(env->s, env->scope, E_NO_RANGE, index->span, "the range of '%s' cannot be found",
                            name_text(index->name));
    diag_hint(env->s->diag, note, "write '%s in 1:n', or use '%s' alone as a subscript",
              name_text(index->name), name_text(index->name));
    return tx_poison(env->s, index->span);
}
