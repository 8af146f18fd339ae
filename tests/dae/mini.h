/* mini.h: a flat model from a text, for tests of what comes behind sema: one class with scalar
 * variables of the four basic types, equations, algorithms; no components of other classes. Texts
 * that use more are wrong tests. */
#ifndef ACAUSAL_TEST_MINI_H
#define ACAUSAL_TEST_MINI_H

#include "flat/flat.h"
#include "syntax/syntax.h"

#include <stdlib.h>

typedef struct {
    Names *names;
    Sources *sources;
    Reader *reader;
    Arena *arena;
    Diag diag;
    Flat *flat;
    Map vars; /* from Name to VarId + 1 */
    TypeId types[4];
    Map locals;      /* of the function being read, from Name to its number + 1 */
    Map functions;   /* from Name to FuncId + 1 */
    FlatFunction *f; /* that one; NULL in the model */
} Mini;

static inline TypeId mini_type(Mini *m, Base base) { return flat_type(m->flat, base, NONE, 0, NULL); }

static inline ExprId mini_node(Mini *m, ExprKindFlat kind, int op, TypeId type, const ExprId *args,
                               uint32_t n)
{
    FlatExpr e = { .kind = (uint8_t)kind, .op = (uint8_t)op, .type = type };
    return flat_expr(m->flat, e, args, n);
}

static inline ExprId mini_expr(Mini *m, const Expr *e);

static inline Oper mini_oper(Op op)
{
    static const uint8_t table[OP_COUNT] = { [OP_OR] = O_OR,
                                             [OP_AND] = O_AND,
                                             [OP_NOT] = O_NOT,
                                             [OP_LESS] = O_LESS,
                                             [OP_LESS_EQUAL] = O_LESS_EQUAL,
                                             [OP_GREATER] = O_GREATER,
                                             [OP_GREATER_EQUAL] = O_GREATER_EQUAL,
                                             [OP_EQUAL] = O_EQUAL,
                                             [OP_NOT_EQUAL] = O_NOT_EQUAL,
                                             [OP_ADD] = O_ADD,
                                             [OP_SUBTRACT] = O_SUBTRACT,
                                             [OP_MULTIPLY] = O_MULTIPLY,
                                             [OP_DIVIDE] = O_DIVIDE,
                                             [OP_POWER] = O_POWER };
    return (Oper)table[op];
}

/* x or x[i, j] of a function. */
static inline ExprId mini_local(Mini *m, const Expr *e, uint32_t index)
{
    FlatExpr made = { .kind = X_LOCAL, .type = m->f->locals.at[index].type, .index = index };
    ExprId args[4] = { flat_expr(m->flat, made, NULL, 0) };
    const Exprs *subs = &e->parts[0].subscripts;
    for (uint32_t i = 0; i < subs->n; i++) args[i + 1] = mini_expr(m, subs->at[i]);
    return subs->n ? mini_node(m, X_SUBSCRIPT, 0, m->types[0], args, subs->n + 1) : args[0];
}

static inline ExprId mini_ref(Mini *m, const Expr *e)
{
    const char *name = name_text(e->parts[0].name);
    if (!strcmp(name, "time")) return mini_node(m, X_TIME, 0, m->types[0], NULL, 0);
    if (!strcmp(name, "StateSelect")) {
        static const char *const names[] = { "never", "avoid", "default", "prefer", "always" };
        FlatExpr made = { .kind = X_ENUM, .type = m->types[1] };
        for (int i = 0; i < 5; i++)
            if (!strcmp(names[i], name_text(e->parts[1].name))) made.integer = i + 1;
        return flat_expr(m->flat, made, NULL, 0);
    }
    void *local = m->f ? map_pointer(&m->locals, e->parts[0].name) : NULL;
    if (local) return mini_local(m, e, (uint32_t)((uintptr_t)local - 1));
    void *at = map_pointer(&m->vars, e->parts[0].name);
    if (!at) {
        fprintf(stderr, "mini: no variable %s\n", name);
        abort();
    }
    VarId v = (VarId)((uintptr_t)at - 1);
    FlatExpr made = { .kind = X_VAR, .type = m->flat->vars.at[v].type, .index = v };
    return flat_expr(m->flat, made, NULL, 0);
}

static inline ExprId mini_call(Mini *m, const Expr *e)
{
    const char *name = name_text(e->callee->parts[0].name);
    ExprId args[8];
    for (uint32_t i = 0; i < e->n; i++) args[i] = mini_expr(m, e->items[i]);
    for (int b = 0; b < BUILTIN_COUNT; b++)
        if (!strcmp(builtin_text((Builtin)b), name))
            return mini_node(m, X_BUILTIN, b, m->types[0], args, e->n);
    void *f = map_pointer(&m->functions, e->callee->parts[0].name);
    if (!f) {
        fprintf(stderr, "mini: no function %s\n", name);
        abort();
    }
    FlatExpr made = { .kind = X_CALL, .type = m->types[0], .index = (uint32_t)((uintptr_t)f - 1) };
    return flat_expr(m->flat, made, args, e->n);
}

static inline ExprId mini_expr(Mini *m, const Expr *e)
{
    ExprId args[16], left;
    switch ((ExprKind)e->kind) {
    case EXPR_REAL: return flat_expr(m->flat, (FlatExpr){ .kind = X_REAL, .real = e->real }, NULL, 0);
    case EXPR_INTEGER:
        return flat_expr(m->flat, (FlatExpr){ .kind = X_INTEGER, .type = m->types[1], .integer = e->integer },
                         NULL, 0);
    case EXPR_BOOLEAN:
        return flat_expr(m->flat, (FlatExpr){ .kind = X_BOOLEAN, .type = m->types[2], .integer = e->flag },
                         NULL, 0);
    case EXPR_STRING:
        return flat_expr(
            m->flat, (FlatExpr){ .kind = X_STRING, .type = m->types[3], .text = { e->text, e->n } }, NULL, 0);
    case EXPR_REF: return mini_ref(m, e);
    case EXPR_CALL: return mini_call(m, e);
    case EXPR_UNARY:
        left = mini_expr(m, e->left);
        if (e->op == OP_ADD) return left;
        return mini_node(m, X_UNARY, e->op == OP_NOT ? O_NOT : O_NEGATE, m->types[0], &left, 1);
    case EXPR_BINARY:
        args[0] = mini_expr(m, e->left);
        args[1] = mini_expr(m, e->right);
        return mini_node(m, X_BINARY, (int)mini_oper((Op)e->op), m->types[0], args, 2);
    case EXPR_CHAIN:
        args[0] = mini_expr(m, e->items[0]);
        for (uint32_t i = 1; i < e->n; i++) {
            args[1] = mini_expr(m, e->items[i]);
            args[0] = mini_node(m, X_BINARY, (int)mini_oper(expr_chain_op(e, i - 1)), m->types[0], args, 2);
        }
        return args[0];
    case EXPR_IF:
    case EXPR_ARRAY:
    case EXPR_TUPLE:
        for (uint32_t i = 0; i < e->n; i++) args[i] = mini_expr(m, e->items[i]);
        return mini_node(m,
                         e->kind == EXPR_IF      ? X_IF
                         : e->kind == EXPR_ARRAY ? X_ARRAY
                                                 : X_TUPLE,
                         0, m->types[0], args, e->n);
    case EXPR_OMITTED: return mini_node(m, X_OMITTED, 0, m->types[0], NULL, 0);
    case EXPR_RANGE:
        args[0] = mini_expr(m, e->items[0]);
        args[1] = e->n == 3 ? mini_expr(m, e->items[1])
                            : flat_expr(m->flat, (FlatExpr){ .kind = X_INTEGER, .integer = 1 }, NULL, 0);
        args[2] = mini_expr(m, e->items[e->n - 1]);
        return mini_node(m, X_RANGE, 0, m->types[0], args, 3);
    default: fprintf(stderr, "mini: expression of kind %d\n", e->kind); abort();
    }
}

static inline uint32_t mini_add_local(Mini *m, Name name, LocalRole role, TypeId type)
{
    FlatLocal local = { .name = name_text(name), .type = type, .role = (uint8_t)role, .binding = NONE };
    vec_push(m->arena, &m->f->locals, local);
    map_set_pointer(&m->locals, name, (void *)(uintptr_t)m->f->locals.n);
    return m->f->locals.n - 1;
}

static inline StmtId mini_stmt(Mini *m, const Stmt *s);

static inline void mini_body(Mini *m, const Stmts *body, FlatBranch *out)
{
    StmtId ids[64];
    for (uint32_t i = 0; i < body->n; i++) ids[i] = mini_stmt(m, body->at[i]);
    out->first = flat_list(m->flat, ids, body->n);
    out->n = body->n;
}

static inline StmtId mini_call_stmt(Mini *m, const Stmt *s)
{
    const char *name = name_text(s->left->callee->parts[0].name);
    FlatStmt made = { .level = NONE, .right = NONE, .span = s->span };
    made.kind = !strcmp(name, "reinit") ? S_REINIT : !strcmp(name, "assert") ? S_ASSERT : S_TERMINATE;
    made.left = mini_expr(m, s->left->items[0]);
    if (s->left->n > 1) made.right = mini_expr(m, s->left->items[1]);
    return flat_stmt(m->flat, made, NULL, 0);
}

static inline StmtId mini_stmt(Mini *m, const Stmt *s)
{
    FlatStmt made = { .left = NONE, .right = NONE, .level = NONE, .span = s->span };
    FlatBranch branches[8];
    switch ((StmtKind)s->kind) {
    case STMT_EQUAL:
    case STMT_ASSIGN:
        made.kind = s->kind == STMT_EQUAL ? S_EQUAL : S_ASSIGN;
        made.left = mini_expr(m, s->left);
        made.right = mini_expr(m, s->right);
        return flat_stmt(m->flat, made, NULL, 0);
    case STMT_CALL: return mini_call_stmt(m, s);
    case STMT_IF:
    case STMT_WHEN:
        made.kind = s->kind == STMT_IF ? S_IF : S_WHEN;
        for (uint32_t i = 0; i < s->n; i++) {
            branches[i].condition = s->branches[i].condition ? mini_expr(m, s->branches[i].condition) : NONE;
            mini_body(m, &s->branches[i].body, &branches[i]);
        }
        return flat_stmt(m->flat, made, branches, s->n);
    case STMT_FOR:
    case STMT_WHILE:
        made.kind = s->kind == STMT_FOR ? S_FOR : S_WHILE;
        if (s->kind == STMT_FOR) {
            made.left = mini_expr(m, s->indices[0].range);
            made.index = mini_add_local(m, s->indices[0].name, LOCAL_LOOP, m->types[1]);
        }
        branches[0].condition = s->kind == STMT_WHILE ? mini_expr(m, s->branches[0].condition) : NONE;
        mini_body(m, &s->branches[0].body, &branches[0]);
        return flat_stmt(m->flat, made, branches, 1);
    case STMT_BREAK:
    case STMT_RETURN:
        made.kind = s->kind == STMT_BREAK ? S_BREAK : S_RETURN;
        return flat_stmt(m->flat, made, NULL, 0);
    default: fprintf(stderr, "mini: statement of kind %d\n", s->kind); abort();
    }
}

static inline void mini_declare(Mini *m, const Clause *c, const Declaration *d)
{
    static const char *const types[] = { "Real", "Integer", "Boolean", "String" };
    int base = 0;
    while (strcmp(types[base], name_text(c->type.at[0]))) base++;
    FlatVar v = {
        .name = name_text(d->name), .type = m->types[base], .array = NONE, .binding = NONE, .span = d->span
    };
    v.varies = c->variability == VARIABILITY_CONSTANT           ? VARIES_CONSTANT
               : c->variability == VARIABILITY_PARAMETER        ? VARIES_PARAMETER
               : c->variability == VARIABILITY_DISCRETE || base ? VARIES_DISCRETE
                                                                : VARIES_CONTINUOUS;
    v.causes = c->causality == CAUSALITY_INPUT    ? CAUSES_INPUT
               : c->causality == CAUSALITY_OUTPUT ? CAUSES_OUTPUT
                                                  : 0;
    for (int a = 0; a < ATTRIBUTE_COUNT; a++) v.attributes[a] = NONE;
    vec_push(m->flat->arena, &m->flat->vars, v);
    map_set_pointer(&m->vars, d->name, (void *)(uintptr_t)m->flat->vars.n);
}

static inline void mini_modify(Mini *m, const Declaration *d)
{
    if (!d->modification) return;
    VarId v = (VarId)((uintptr_t)map_pointer(&m->vars, d->name) - 1);
    if (d->modification->value) {
        ExprId e = mini_expr(m, d->modification->value);
        m->flat->vars.at[v].binding = e;
    }
    for (int a = 0; a < ATTRIBUTE_COUNT; a++) {
        const Argument *arg = modification_find(d->modification, attribute_text((Attribute)a));
        if (!arg) continue;
        ExprId e = mini_expr(m, arg->modification->value);
        m->flat->vars.at[v].attributes[a] = e;
    }
}

static inline void mini_section(Mini *m, const Section *section)
{
    Flat *f = m->flat;
    if (section->is_algorithm) {
        FlatBranch body;
        FlatFunction loops = { 0 }; /* for the variables of loops */
        m->f = &loops;
        m->locals = (Map){ .arena = m->arena };
        mini_body(m, &section->body, &body);
        for (uint32_t i = 0; i < loops.locals.n; i++) vec_push(f->arena, &f->loops, loops.locals.at[i].name);
        m->f = NULL;
        FlatAlgorithm a = { section->is_initial, body.first, body.n, section->span };
        vec_push(f->arena, &f->algorithms, a);
        return;
    }
    for (uint32_t i = 0; i < section->body.n; i++) {
        StmtId id = mini_stmt(m, section->body.at[i]);
        if (section->is_initial)
            vec_push(f->arena, &f->initial_equations, id);
        else
            vec_push(f->arena, &f->equations, id);
    }
}

/* Functions of scalars and of vectors of fixed length. */
static inline void mini_function(Mini *m, const Class *cls)
{
    FlatFunction f = { .name = name_text(cls->name), .result = NONE };
    m->f = &f;
    m->locals = (Map){ .arena = m->arena };
    for (int role = LOCAL_INPUT; role <= LOCAL_PROTECTED; role++)
        for (uint32_t i = 0; i < cls->element_count; i++) {
            const Clause *c = cls->elements[i]->clause;
            int own = c->causality == CAUSALITY_INPUT    ? LOCAL_INPUT
                      : c->causality == CAUSALITY_OUTPUT ? LOCAL_OUTPUT
                                                         : LOCAL_PROTECTED;
            for (uint32_t k = 0; own == role && k < c->n; k++) {
                const Exprs *subs = &c->declarations[k].subscripts;
                int32_t size = subs->n ? (int32_t)subs->at[0]->integer : 0;
                TypeId type = flat_type(m->flat, BASE_REAL, NONE, subs->n, &size);
                mini_add_local(m, c->declarations[k].name, (LocalRole)role, type);
                f.inputs += role == LOCAL_INPUT;
                f.outputs += role == LOCAL_OUTPUT;
            }
        }
    map_set_pointer(&m->functions, cls->name, (void *)(uintptr_t)(m->flat->functions.n + 1));
    FlatBranch body;
    mini_body(m, &cls->sections[0]->body, &body);
    f.first = body.first;
    f.n = body.n;
    m->f = NULL;
    vec_push(m->arena, &m->flat->functions, f);
}

/* The text is what stands between `model M` and `end M;`. */
static inline Mini *mini_new(const char *text)
{
    Arena *arena = arena_new();
    Mini *m = NEW(arena, Mini);
    m->arena = arena;
    m->names = syntax_names_new();
    m->sources = sources_new();
    m->reader = reader_new(m->names);
    m->vars.arena = arena;
    m->functions.arena = arena;
    diag_init(&m->diag, arena);
    m->flat = flat_new(arena, "M");
    for (int i = 0; i < 4; i++) m->types[i] = mini_type(m, (Base)i);
    const char *whole = arena_printf(arena, "model M\n%s\nend M;\n", text);
    Tree *tree = syntax_parse(m->reader, source_add_text(m->sources, "M.mo", str_of(whole)), arena, &m->diag);
    if (m->diag.errors || !tree->n) {
        fprintf(stderr, "mini: does not parse: %s\n", text);
        abort();
    }
    const Class *cls = tree->classes[0];
    for (uint32_t i = 0; i < cls->element_count; i++)
        if (cls->elements[i]->kind == ELEMENT_CLASS) mini_function(m, cls->elements[i]->cls);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < cls->element_count; i++) {
            if (cls->elements[i]->kind == ELEMENT_CLASS) continue;
            const Clause *c = cls->elements[i]->clause;
            for (uint32_t k = 0; k < c->n; k++)
                if (pass)
                    mini_modify(m, &c->declarations[k]);
                else
                    mini_declare(m, c, &c->declarations[k]);
        }
    for (uint32_t i = 0; i < cls->section_count; i++) mini_section(m, cls->sections[i]);
    return m;
}

static inline void mini_free(Mini *m)
{
    reader_free(m->reader);
    sources_free(m->sources);
    names_free(m->names);
    arena_free(m->arena);
}

/* All diagnostics as text, for failing tests. */
static inline const char *mini_errors(Mini *m)
{
    Text out = { .arena = m->arena };
    text_add_literal(&out, "");
    for (uint32_t i = 0; i < m->diag.notes.n; i++)
        diag_render(m->diag.notes.at[i], m->sources, (RenderStyle){ false }, &out);
    return out.at;
}

#endif
