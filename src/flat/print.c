/* print.c: a flat model as flat Modelica: one class, scalar variables with quoted names such as
 * 'a.b[3].c', enumerations, records and functions inside it. The text parses again and flattens to
 * itself. Or as Base Modelica (MCP-0031), nearly the same text: all names of the model are quoted,
 * functions and types stand before the model, records are made by functions, nothing is final or
 * protected; base.c says what it has no words for. Cost: O(nodes); an expression that several
 * equations share is written several times. Tests: tests/modelica, tests/cli/base.sh. */
#include "flat/inside.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    const Flat *flat;
    const FlatFunction *function; /* whose locals X_LOCAL means; NULL in the model itself */
    Text *out;
    size_t indent;
    bool base; /* Base Modelica */
    /* by FuncId: the external object class that a constructor or destructor belongs to; else
     * NONE */
    uint32_t *class_of;
} Printer;

static void add(Printer *p, const char *text) { text_add(p->out, str_of(text)); }

static void new_line(Printer *p)
{
    text_add_char(p->out, '\n');
    text_add_repeat(p->out, ' ', p->indent);
}

/* A name that is an identifier as it stands, quoted ones among them. */
static bool is_plain(const char *name)
{
    const char *c = name;
    if (*c == '\'') {
        for (c++; *c && *c != '\''; c++) c += *c == '\\' && c[1];
        return *c && !c[1];
    }
    for (; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        if (!letter && !(c > name && *c >= '0' && *c <= '9')) return false;
    }
    return true;
}

static void print_name(Printer *p, const char *name)
{
    if (is_plain(name) && !p->base) {
        add(p, name);
        return;
    }
    text_add_char(p->out, '\'');
    for (const char *c = name; *c; c++) {
        if (*c == '\'' || *c == '\\') text_add_char(p->out, '\\');
        text_add_char(p->out, *c);
    }
    text_add_char(p->out, '\'');
}

static void print_string(Printer *p, Str text)
{
    text_add_char(p->out, '"');
    for (size_t i = 0; i < text.n; i++) {
        if (text.at[i] == '"' || text.at[i] == '\\') text_add_char(p->out, '\\');
        text_add_char(p->out, text.at[i]);
    }
    text_add_char(p->out, '"');
}

/* ---- expressions ----------------------------------------------------------------------------- */

static const struct {
    const char *text;
    int binds;
} opers[O_COUNT] = {
    [O_ADD] = { " + ", 5 },      [O_SUBTRACT] = { " - ", 5 },
    [O_MULTIPLY] = { " * ", 6 }, [O_DIVIDE] = { " / ", 6 },
    [O_POWER] = { "^", 7 },      [O_PRODUCT] = { " * ", 6 },
    [O_NEGATE] = { "-", 5 },     [O_NOT] = { "not ", 3 },
    [O_AND] = { " and ", 2 },    [O_OR] = { " or ", 1 },
    [O_LESS] = { " < ", 4 },     [O_LESS_EQUAL] = { " <= ", 4 },
    [O_GREATER] = { " > ", 4 },  [O_GREATER_EQUAL] = { " >= ", 4 },
    [O_EQUAL] = { " == ", 4 },   [O_NOT_EQUAL] = { " <> ", 4 },
};
enum { BINDS_LEAST = -1, BINDS_IF = 0, BINDS_PRIMARY = 100 };

static void print_expr(Printer *p, ExprId id, int least);

static const char *local_name(const Printer *p, uint32_t local)
{
    return p->function ? p->function->locals.at[local].name : p->flat->loops.at[local];
}

static void print_list(Printer *p, const FlatExpr *e, uint32_t from)
{
    for (uint32_t i = from; i < e->n; i++) {
        if (i > from) add(p, ", ");
        print_expr(p, p->flat->ids.at[e->first + i], BINDS_LEAST);
    }
}

static void print_real(Printer *p, double value)
{
    size_t before = p->out->n;
    text_add_real(p->out, value);
    if (!strpbrk(p->out->at + before, ".en")) add(p, ".0");
}

/* "a .* b" where an operator on arrays works element by element. */
static const char *oper_text(const Printer *p, const FlatExpr *e)
{
    const FlatType *t = &p->flat->types.at[e->type];
    if (e->kind == X_BINARY && t->rank && e->op == O_MULTIPLY) return " .* ";
    if (e->kind == X_BINARY && t->rank && e->op == O_DIVIDE) return " ./ ";
    if (e->kind == X_BINARY && t->rank && e->op == O_POWER) return ".^";
    if (e->kind == X_BINARY && t->rank && (e->op == O_ADD || e->op == O_SUBTRACT)) {
        const FlatExpr *a = &p->flat->exprs.at[p->flat->ids.at[e->first]],
                       *b = &p->flat->exprs.at[p->flat->ids.at[e->first + 1]];
        if (p->flat->types.at[a->type].rank != p->flat->types.at[b->type].rank)
            return e->op == O_ADD ? " .+ " : " .- ";
    }
    return opers[e->op].text;
}

static int binding_of(const FlatExpr *e)
{
    if (e->kind == X_IF) return BINDS_IF;
    if (e->kind == X_RANGE) return BINDS_IF;
    if (e->kind == X_UNARY || e->kind == X_BINARY) return opers[e->op].binds;
    if ((e->kind == X_REAL && signbit(e->real)) || (e->kind == X_INTEGER && e->integer < 0))
        return opers[O_NEGATE].binds;
    return BINDS_PRIMARY;
}

/* Long sums lean to the left: they are walked in a loop, not by recursion. */
static void print_binary(Printer *p, const FlatExpr *e)
{
    VEC(const FlatExpr *) spine = { 0 };
    ExprId left;
    int own;
    for (;;) {
        vec_push(p->out->arena, &spine, e);
        left = p->flat->ids.at[e->first];
        own = opers[e->op].binds;
        bool chains = e->op <= O_DIVIDE || e->op == O_PRODUCT || e->op == O_AND || e->op == O_OR;
        if (!chains) own++;
        e = &p->flat->exprs.at[left];
        if (e->kind != X_BINARY || opers[e->op].binds < own) break;
    }
    print_expr(p, left, own);
    while (spine.n) {
        e = spine.at[--spine.n];
        add(p, oper_text(p, e));
        print_expr(p, p->flat->ids.at[e->first + 1], opers[e->op].binds + 1);
    }
}

static void print_if(Printer *p, const FlatExpr *e)
{
    for (uint32_t i = 0; i + 1 < e->n; i += 2) {
        add(p, i ? " elseif " : "if ");
        print_expr(p, p->flat->ids.at[e->first + i], BINDS_LEAST);
        add(p, " then ");
        print_expr(p, p->flat->ids.at[e->first + i + 1], BINDS_LEAST);
    }
    add(p, " else ");
    print_expr(p, p->flat->ids.at[e->first + e->n - 1], BINDS_LEAST);
}

/* One index in each pair of parentheses: the outermost around all others. */
static void print_nested_comprehension(Printer *p, const FlatExpr *e)
{
    bool is_array = e->op == BUILTIN_ARRAY_OF;
    for (uint32_t i = 1; i < e->n; i++) {
        add(p, is_array ? "" : builtin_text((Builtin)e->op));
        add(p, is_array ? "{" : "(");
    }
    print_expr(p, p->flat->ids.at[e->first], BINDS_LEAST);
    for (uint32_t i = e->n - 1; i > 0; i--) {
        add(p, " for ");
        print_name(p, local_name(p, e->index + i - 1));
        add(p, " in ");
        print_expr(p, p->flat->ids.at[e->first + i], BINDS_LEAST);
        add(p, is_array ? "}" : ")");
    }
}

static void print_comprehension(Printer *p, const FlatExpr *e)
{
    if (p->base) {
        print_nested_comprehension(p, e);
        return;
    }
    add(p, e->op == BUILTIN_ARRAY_OF ? "{" : builtin_text((Builtin)e->op));
    if (e->op != BUILTIN_ARRAY_OF) add(p, "(");
    print_expr(p, p->flat->ids.at[e->first], BINDS_LEAST);
    add(p, " for ");
    for (uint32_t i = e->n - 1; i > 0; i--) {
        if (i + 1 < e->n) add(p, ", ");
        text_printf(p->out, "%s in ", local_name(p, e->index + i - 1));
        print_expr(p, p->flat->ids.at[e->first + i], BINDS_LEAST);
    }
    add(p, e->op == BUILTIN_ARRAY_OF ? "}" : ")");
}

/* (arguments) */
static void print_arguments(Printer *p, const FlatExpr *e, const char *close)
{
    add(p, "(");
    print_list(p, e, 0);
    add(p, close);
}

/* The function that makes a record of its fields: the record itself, or one beside it. */
static void print_maker(Printer *p, const char *record)
{
    print_name(p, p->base ? arena_printf(p->out->arena, "-%s", record) : record);
}

/* The function that takes a field of a record that is no variable: Base Modelica has no dot for
 * it. */
static void print_taker(Printer *p, const FlatDef *def, uint32_t field)
{
    print_name(p, arena_printf(p->out->arena, "-%s.%s", def->name, def->fields.at[field].name));
}

static void print_def_name(Printer *p, const FlatDef *def)
{
    if (def->predefined)
        add(p, def->name);
    else
        print_name(p, def->name);
}

/* An object is made by a call of its class. */
static const char *callee_name(const Printer *p, FuncId id)
{
    return p->class_of[id] != NONE ? p->flat->defs.at[p->class_of[id]].name : p->flat->functions.at[id].name;
}

/* function f(a = 1): what is bound, by name; a function that nothing is bound of is its name. */
static void print_partial(Printer *p, const FlatExpr *e)
{
    const FlatFunction *f = &p->flat->functions.at[e->index];
    const FlatExpr *of = e->op ? &p->flat->exprs.at[p->flat->ids.at[e->first + e->n - 1]] : NULL;
    const char *name = of && of->kind == X_LOCAL ? local_name(p, of->index) : f->name;
    bool first = true;
    for (uint32_t i = 0; i < e->n - e->op; i++) {
        ExprId arg = p->flat->ids.at[e->first + i];
        if (p->flat->exprs.at[arg].kind == X_OMITTED) continue;
        if (first) {
            add(p, "function ");
            print_name(p, name);
        }
        add(p, first ? "(" : ", ");
        print_name(p, f->locals.at[i].name);
        add(p, " = ");
        print_expr(p, arg, BINDS_LEAST);
        first = false;
    }
    if (first)
        print_name(p, name);
    else
        add(p, ")");
}

static void print_enum(Printer *p, const FlatExpr *e)
{
    const FlatDef *def = &p->flat->defs.at[p->flat->types.at[e->type].def];
    print_def_name(p, def);
    add(p, ".");
    if (def->predefined)
        add(p, def->fields.at[e->integer - 1].name);
    else
        print_name(p, def->fields.at[e->integer - 1].name);
}

/* A variable with fields and subscripts; anything else takes one of these, in parentheses. */
bool flat_is_reference(const Flat *flat, const FlatExpr *e)
{
    while (e->kind == X_FIELD || e->kind == X_SUBSCRIPT) e = &flat->exprs.at[flat->ids.at[e->first]];
    return e->kind == X_LOCAL || e->kind == X_VAR;
}

static void print_access(Printer *p, const FlatExpr *e)
{
    ExprId inner = p->flat->ids.at[e->first];
    const FlatExpr *of = &p->flat->exprs.at[inner];
    if (p->base && base_takes_field(p->flat, e)) {
        print_taker(p, &p->flat->defs.at[p->flat->types.at[of->type].def], e->index);
        print_arguments(p, e, ")");
        return;
    }
    bool simple = flat_is_reference(p->flat, of) && !(of->kind == X_SUBSCRIPT && e->kind == X_SUBSCRIPT);
    if (!simple) add(p, "(");
    print_expr(p, inner, BINDS_LEAST);
    if (!simple) add(p, ")");
    if (e->kind == X_FIELD) {
        const FlatDef *def = &p->flat->defs.at[p->flat->types.at[of->type].def];
        add(p, ".");
        print_name(p, def->fields.at[e->index].name);
        return;
    }
    add(p, "[");
    print_list(p, e, 1);
    add(p, "]");
}

static void print_range(Printer *p, const FlatExpr *e)
{
    const FlatExpr *step = &p->flat->exprs.at[p->flat->ids.at[e->first + 1]];
    print_expr(p, p->flat->ids.at[e->first], BINDS_IF + 1);
    add(p, ":");
    if (step->kind != X_INTEGER || step->integer != 1) {
        print_expr(p, p->flat->ids.at[e->first + 1], BINDS_IF + 1);
        add(p, ":");
    }
    print_expr(p, p->flat->ids.at[e->first + 2], BINDS_IF + 1);
}

/* An empty array has no text of its own. */
static void print_empty(Printer *p, const FlatType *t)
{
    static const char *const values[] = { "0.0", "0", "false", "\"\"" };
    text_printf(p->out, "fill(%s", values[t->base <= BASE_STRING ? t->base : 0]);
    for (uint32_t i = 0; i < t->rank; i++)
        text_printf(p->out, ", %d", t->sizes[i] > 0 ? (int)t->sizes[i] : 0);
    add(p, ")");
}

static void print_bare(Printer *p, const FlatExpr *e)
{
    switch ((ExprKindFlat)e->kind) {
    case X_REAL: print_real(p, e->real); break;
    case X_INTEGER: text_printf(p->out, "%lld", (long long)e->integer); break;
    case X_BOOLEAN: add(p, e->integer ? "true" : "false"); break;
    case X_STRING: print_string(p, e->text); break;
    case X_ENUM: print_enum(p, e); break;
    case X_VAR: print_name(p, p->flat->vars.at[e->index].name); break;
    case X_LOCAL: print_name(p, local_name(p, e->index)); break;
    case X_TIME: add(p, "time"); break;
    case X_UNARY:
        add(p, opers[e->op].text);
        print_expr(p, p->flat->ids.at[e->first], opers[e->op].binds + 1);
        break;
    case X_BINARY: print_binary(p, e); break;
    case X_IF: print_if(p, e); break;
    case X_CALL:
        if (e->op) add(p, "pure(");
        print_name(p, callee_name(p, e->index));
        print_arguments(p, e, e->op ? "))" : ")");
        break;
    case X_BUILTIN:
        add(p, builtin_text((Builtin)e->op));
        print_arguments(p, e, ")");
        break;
    case X_ARRAY:
        if (e->n == 0) {
            print_empty(p, &p->flat->types.at[e->type]);
            break;
        }
        add(p, "{");
        print_list(p, e, 0);
        add(p, "}");
        break;
    case X_RANGE: print_range(p, e); break;
    case X_COLON: add(p, ":"); break;
    case X_SUBSCRIPT:
    case X_FIELD: print_access(p, e); break;
    case X_RECORD:
        print_maker(p, p->flat->defs.at[p->flat->types.at[e->type].def].name);
        print_arguments(p, e, ")");
        break;
    case X_COMPREHENSION: print_comprehension(p, e); break;
    case X_TUPLE:
        add(p, "(");
        print_list(p, e, 0);
        add(p, ")");
        break;
    case X_RESULT: print_expr(p, p->flat->ids.at[e->first], BINDS_PRIMARY); break;
    case X_PARTIAL: print_partial(p, e); break;
    case X_APPLY:
        print_expr(p, p->flat->ids.at[e->first], BINDS_PRIMARY);
        add(p, "(");
        print_list(p, e, 1);
        add(p, ")");
        break;
    case X_OMITTED:
    case X_KIND_COUNT: break;
    }
}

static void print_expr(Printer *p, ExprId id, int least)
{
    const FlatExpr *e = &p->flat->exprs.at[id];
    bool parentheses = binding_of(e) < least;
    if (parentheses) add(p, "(");
    print_bare(p, e);
    if (parentheses) add(p, ")");
}

/* ---- statements ------------------------------------------------------------------------------ */

static void print_stmt(Printer *p, StmtId id);

static void print_body(Printer *p, uint32_t first, uint32_t n)
{
    p->indent += 2;
    for (uint32_t i = 0; i < n; i++) print_stmt(p, p->flat->ids.at[first + i]);
    p->indent -= 2;
}

static void print_branches(Printer *p, const FlatStmt *s, const char *word)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const FlatBranch *b = &p->flat->branches.at[s->first + i];
        if (i) new_line(p);
        if (b->condition == NONE) {
            add(p, "else");
        } else {
            text_printf(p->out, "%s%s ", i ? "else" : "", word);
            print_expr(p, b->condition, BINDS_LEAST);
            add(p, " then");
        }
        print_body(p, b->first, b->n);
    }
    new_line(p);
    text_printf(p->out, "end %s", word);
}

static void print_loop(Printer *p, const FlatStmt *s)
{
    const FlatBranch *b = &p->flat->branches.at[s->first];
    if (s->kind == S_FOR) {
        add(p, "for ");
        print_name(p, local_name(p, s->index));
        add(p, " in ");
        print_expr(p, s->left, BINDS_LEAST);
    } else {
        add(p, "while ");
        print_expr(p, b->condition, BINDS_LEAST);
    }
    add(p, " loop");
    print_body(p, b->first, b->n);
    new_line(p);
    add(p, s->kind == S_FOR ? "end for" : "end while");
}

static void print_pair(Printer *p, const char *before, const FlatStmt *s, const char *between,
                       const char *after)
{
    add(p, before);
    print_expr(p, s->left, BINDS_LEAST);
    add(p, between);
    if (s->right != NONE) print_expr(p, s->right, BINDS_LEAST);
    add(p, after);
}

static void print_assert(Printer *p, const FlatStmt *s)
{
    print_pair(p, "assert(", s, ", ", "");
    if (s->level != NONE) {
        add(p, ", ");
        print_expr(p, s->level, BINDS_LEAST);
    }
    add(p, ")");
}

static void print_stmt(Printer *p, StmtId id)
{
    const FlatStmt *s = &p->flat->stmts.at[id];
    new_line(p);
    switch ((FlatStmtKind)s->kind) {
    case S_EQUAL: print_pair(p, "", s, " = ", ""); break;
    case S_ASSIGN: print_pair(p, "", s, " := ", ""); break;
    case S_IF: print_branches(p, s, "if"); break;
    case S_WHEN: print_branches(p, s, "when"); break;
    case S_FOR:
    case S_WHILE: print_loop(p, s); break;
    case S_CALL: print_pair(p, "", s, "", ""); break;
    case S_ASSERT: print_assert(p, s); break;
    case S_TERMINATE: print_pair(p, "terminate(", s, "", ")"); break;
    case S_REINIT: print_pair(p, "reinit(", s, ", ", ")"); break;
    case S_BREAK: add(p, "break"); break;
    case S_RETURN: add(p, "return"); break;
    }
    add(p, ";");
}

/* ---- declarations ---------------------------------------------------------------------------- */

static void print_type(Printer *p, const FlatType *t)
{
    static const char *const names[] = { "Real", "Integer", "Boolean", "String" };
    if (t->def == NONE)
        add(p, t->base == BASE_CLOCK ? "Clock" : names[t->base]);
    else if (t->base == BASE_FUNCTION)
        print_name(p, p->flat->functions.at[t->def].name);
    else
        print_def_name(p, &p->flat->defs.at[t->def]);
}

static void print_sizes(Printer *p, const FlatType *t, const uint32_t *exprs)
{
    if (!t->rank) return;
    add(p, "[");
    for (uint32_t i = 0; i < t->rank; i++) {
        if (i) add(p, ", ");
        if (t->sizes[i] != SIZE_UNKNOWN)
            text_printf(p->out, "%d", (int)t->sizes[i]);
        else if (exprs && exprs[i] != NONE)
            print_expr(p, exprs[i], BINDS_LEAST);
        else
            add(p, ":");
    }
    add(p, "]");
}

static void print_string_attribute(Printer *p, const char *name, Str value, bool *first)
{
    if (!value.n) return;
    text_printf(p->out, "%s%s = ", *first ? "(" : ", ", name);
    print_string(p, value);
    *first = false;
}

static void print_var(Printer *p, const FlatVar *v)
{
    static const char *const varies[] = { "constant ", "parameter ", "discrete ", "" };
    static const char *const causes[] = { "", "input ", "output " };
    const FlatType *t = &p->flat->types.at[v->type];
    bool first = true;
    new_line(p);
    bool is_final = v->flags & (VAR_FINAL | VAR_STRUCTURAL) && v->varies <= VARIES_PARAMETER;
    if (is_final && !p->base) add(p, "final ");
    bool is_constant = p->base && base_is_constant(p->flat, (VarId)(v - p->flat->vars.at));
    if (is_constant)
        add(p, varies[VARIES_CONSTANT]);
    else if (v->varies != VARIES_DISCRETE || t->base == BASE_REAL)
        add(p, varies[v->varies]);
    add(p, causes[v->causes]);
    print_type(p, t);
    add(p, " ");
    print_name(p, v->name);
    print_string_attribute(p, "quantity", v->quantity, &first);
    print_string_attribute(p, "unit", v->unit, &first);
    print_string_attribute(p, "displayUnit", v->display_unit, &first);
    for (int a = 0; a < ATTRIBUTE_COUNT; a++) {
        if (v->attributes[a] == NONE) continue;
        text_printf(p->out, "%s%s = ", first ? "(" : ", ", attribute_text((Attribute)a));
        print_expr(p, v->attributes[a], BINDS_LEAST);
        first = false;
    }
    if (!first) add(p, ")");
    if (v->binding != NONE) {
        add(p, " = ");
        print_expr(p, v->binding, BINDS_LEAST);
    }
    if (v->about.n) {
        add(p, " ");
        print_string(p, v->about);
    }
    bool is_hidden = p->base && v->flags & VAR_PROTECTED;
    if (v->flags & VAR_EVALUATE)
        add(p, is_hidden ? " annotation(Evaluate = true, protected = true)" : " annotation(Evaluate = true)");
    else if (is_hidden)
        add(p, " annotation(protected = true)");
    add(p, ";");
}

static void print_local(Printer *p, const FlatLocal *l)
{
    static const char *const roles[] = { "input ", "output ", "protected " };
    const FlatType *t = &p->flat->types.at[l->type];
    const uint32_t *sizes = l->sizes_first == NONE ? NULL : p->flat->ids.at + l->sizes_first;
    new_line(p);
    if (!p->base || l->role != LOCAL_PROTECTED) add(p, roles[l->role]);
    print_type(p, t);
    if (!p->base) print_sizes(p, t, sizes);
    add(p, " ");
    print_name(p, l->name);
    if (p->base) print_sizes(p, t, sizes);
    if (l->binding != NONE && !(p->base && l->role == LOCAL_INPUT)) {
        add(p, l->role == LOCAL_INPUT ? " = " : " := ");
        print_expr(p, l->binding, BINDS_LEAST);
    }
    add(p, ";");
}

/* A part of the annotation of an external call, where there is one; `text` may follow by itself. */
/* ", " between the parts of an annotation, whose first part opens it. */
static void begin_note(Printer *p, const char *text, bool *first)
{
    add(p, *first ? "annotation(" : ", ");
    add(p, text);
    *first = false;
}

static void print_note(Printer *p, const char *text, const char *value, bool *first)
{
    begin_note(p, text, first);
    print_string(p, str_of(value));
}

static void print_external(Printer *p, const FlatFunction *f)
{
    new_line(p);
    text_printf(p->out, "external \"%.*s\" ", (int)f->language.n, f->language.at);
    if (f->result != NONE) {
        print_expr(p, f->result, BINDS_LEAST);
        add(p, " = ");
    }
    text_printf(p->out, "%s(", f->symbol);
    for (uint32_t i = 0; i < f->args_n; i++) {
        if (i) add(p, ", ");
        print_expr(p, p->flat->ids.at[f->args_first + i], BINDS_LEAST);
    }
    add(p, ")");
    bool first = true;
    if (f->libraries.n || f->include) add(p, " ");
    if (f->libraries.n) begin_note(p, "Library = ", &first);
    for (uint32_t i = 0; i < f->libraries.n; i++) {
        add(p, i ? ", " : "{");
        print_string(p, str_of(f->libraries.at[i]));
    }
    if (f->libraries.n) add(p, "}");
    if (f->libraries.n && f->library_directory)
        print_note(p, "LibraryDirectory = ", f->library_directory, &first);
    if (f->include) print_note(p, "Include = ", f->include, &first);
    if (f->include && f->include_directory)
        print_note(p, "IncludeDirectory = ", f->include_directory, &first);
    add(p, first ? ";" : ");");
}

static void print_inputs(Printer *p, const FlatFunction *f, const char *word, uint32_t from, uint32_t n,
                         bool *first)
{
    for (uint32_t i = 0; i < n; i++) {
        text_printf(p->out, "%s%s = ", *first ? "(" : ", ", word);
        print_name(p, f->locals.at[p->flat->ids.at[from + i]].name);
        *first = false;
    }
}

static void print_derivative(Printer *p, const FlatFunction *f, const FlatDerivative *d)
{
    bool first = true;
    if (d->order != 1) {
        text_printf(p->out, "(order = %u", (unsigned)d->order);
        first = false;
    }
    print_inputs(p, f, "zeroDerivative", d->zero_first, d->zero_n, &first);
    print_inputs(p, f, "noDerivative", d->none_first, d->none_n, &first);
    if (!first) add(p, ")");
    add(p, " = ");
    print_name(p, p->flat->functions.at[d->function].name);
}

static void print_notes(Printer *p, const FlatFunction *f)
{
    static const char *const inlinings[] = { NULL, "Inline = false", "Inline = true", "LateInline = true" };
    bool first = true;
    if (f->inlining || f->generates_events || f->smooth_order >= 0 || f->derivatives.n || f->inverses.n)
        new_line(p);
    if (f->inlining) begin_note(p, inlinings[f->inlining], &first);
    if (f->generates_events) begin_note(p, "GenerateEvents = true", &first);
    if (f->smooth_order >= 0) {
        begin_note(p, "smoothOrder = ", &first);
        text_printf(p->out, "%d", (int)f->smooth_order);
    }
    for (uint32_t i = 0; i < f->derivatives.n; i++) {
        begin_note(p, "derivative", &first);
        print_derivative(p, f, &f->derivatives.at[i]);
    }
    for (uint32_t i = 0; i < f->inverses.n; i++) {
        begin_note(p, "inverse(", &first);
        print_name(p, f->locals.at[f->inverses.at[i].input].name);
        add(p, " = ");
        print_expr(p, f->inverses.at[i].call, BINDS_LEAST);
        add(p, ")");
    }
    if (!first) add(p, ");");
}

/* = der(f, x, y); */
static void print_der(Printer *p, const FlatFunction *f)
{
    add(p, " = der(");
    print_name(p, p->flat->functions.at[f->of].name);
    for (uint32_t i = 0; i < f->by.n; i++) {
        add(p, ", ");
        print_name(p, f->locals.at[f->by.at[i]].name);
    }
    add(p, ");");
}

static void print_function(Printer *p, const FlatFunction *f, const char *name)
{
    new_line(p);
    if (f->partial) add(p, "partial ");
    if (f->impure) add(p, "impure ");
    add(p, "function ");
    print_name(p, name);
    if (f->by.n) {
        print_der(p, f);
        return;
    }
    p->function = f;
    p->indent += 2;
    for (uint32_t i = 0; i < f->locals.n; i++)
        if (f->locals.at[i].role != LOCAL_LOOP) print_local(p, &f->locals.at[i]);
    p->indent -= 2;
    if (f->n) {
        new_line(p);
        add(p, "algorithm");
        print_body(p, f->first, f->n);
    }
    if (f->external) print_external(p, f);
    p->indent += 2;
    print_notes(p, f);
    p->indent -= 2;
    p->function = NULL;
    new_line(p);
    add(p, "end ");
    print_name(p, name);
    add(p, ";");
}

static void print_typed(Printer *p, const char *role, const FlatType *t, const char *name)
{
    new_line(p);
    add(p, role);
    print_type(p, t);
    text_printf(p->out, " %s", name);
    print_sizes(p, t, NULL);
    add(p, ";");
}

/* Base Modelica has no constructors of records but those that are written. */
static void print_maker_of(Printer *p, const FlatDef *def)
{
    new_line(p);
    add(p, "function ");
    print_maker(p, def->name);
    p->indent += 2;
    for (uint32_t i = 0; i < def->fields.n; i++) {
        const FlatType *t = &p->flat->types.at[def->fields.at[i].type];
        print_typed(p, "input ", t, arena_printf(p->out->arena, "_%u", (unsigned)i + 1));
    }
    new_line(p);
    add(p, "output ");
    print_name(p, def->name);
    add(p, " _result;");
    p->indent -= 2;
    new_line(p);
    add(p, "algorithm");
    p->indent += 2;
    for (uint32_t i = 0; i < def->fields.n; i++) {
        new_line(p);
        add(p, "_result.");
        print_name(p, def->fields.at[i].name);
        text_printf(p->out, " := _%u;", (unsigned)i + 1);
    }
    p->indent -= 2;
    new_line(p);
    add(p, "end ");
    print_maker(p, def->name);
    add(p, ";");
}

static void print_taker_of(Printer *p, const FlatDef *def, uint32_t field)
{
    new_line(p);
    add(p, "function ");
    print_taker(p, def, field);
    p->indent += 2;
    new_line(p);
    add(p, "input ");
    print_name(p, def->name);
    add(p, " _1;");
    print_typed(p, "output ", &p->flat->types.at[def->fields.at[field].type], "_result");
    p->indent -= 2;
    new_line(p);
    add(p, "algorithm");
    p->indent += 2;
    new_line(p);
    add(p, "_result := _1.");
    print_name(p, def->fields.at[field].name);
    add(p, ";");
    p->indent -= 2;
    new_line(p);
    add(p, "end ");
    print_taker(p, def, field);
    add(p, ";");
}

/* The functions that stand for what full Modelica does with records by itself, where they are
 * used. */
static void print_helpers(Printer *p, const FlatDef *def)
{
    const Flat *flat = p->flat;
    bool makes = false, *takes = NEW_ARRAY(p->out->arena, bool, def->fields.n);
    for (uint32_t i = 0; i < flat->exprs.n; i++) {
        const FlatExpr *e = &flat->exprs.at[i];
        makes |= e->kind == X_RECORD && &flat->defs.at[flat->types.at[e->type].def] == def;
        if (!base_takes_field(flat, e)) continue;
        const FlatExpr *of = &flat->exprs.at[flat->ids.at[e->first]];
        if (&flat->defs.at[flat->types.at[of->type].def] == def) takes[e->index] = true;
    }
    if (makes) print_maker_of(p, def);
    for (uint32_t i = 0; i < def->fields.n; i++)
        if (takes[i]) print_taker_of(p, def, i);
}

static void print_def(Printer *p, const FlatDef *def)
{
    if (def->predefined) return;
    DefId own = (DefId)(def - p->flat->defs.at);
    new_line(p);
    if (def->base == BASE_ENUM) {
        add(p, "type ");
        print_name(p, def->name);
        add(p, " = enumeration(");
        for (uint32_t i = 0; i < def->fields.n; i++) {
            add(p, i ? ", " : "");
            print_name(p, def->fields.at[i].name);
        }
        add(p, ");");
        return;
    }
    add(p, def->base == BASE_OBJECT ? "class " : "record ");
    print_name(p, def->name);
    p->indent += 2;
    if (def->base == BASE_OBJECT) {
        new_line(p);
        add(p, "extends ExternalObject;");
    }
    for (FuncId id = 0; id < p->flat->functions.n; id++)
        if (p->class_of[id] == own)
            print_function(p, &p->flat->functions.at[id], strrchr(p->flat->functions.at[id].name, '.') + 1);
    for (uint32_t i = 0; i < def->fields.n; i++) {
        const FlatType *t = &p->flat->types.at[def->fields.at[i].type];
        new_line(p);
        print_type(p, t);
        if (!p->base) print_sizes(p, t, NULL);
        add(p, " ");
        print_name(p, def->fields.at[i].name);
        if (p->base) print_sizes(p, t, NULL);
        add(p, ";");
    }
    p->indent -= 2;
    new_line(p);
    add(p, "end ");
    print_name(p, def->name);
    add(p, ";");
    if (p->base && def->base == BASE_RECORD) print_helpers(p, def);
}

static void print_section(Printer *p, const char *title, const StmtId *stmts, uint32_t n)
{
    if (!n) return;
    text_add_char(p->out, '\n');
    if (p->base) add(p, "  ");
    add(p, title);
    for (uint32_t i = 0; i < n; i++) print_stmt(p, stmts[i]);
}

/* Quotes around a name do not count. */
static int compare_names(const char *a, const char *b)
{
    for (a += *a == '\'', b += *b == '\''; *a == *b && *a; a++, b++) continue;
    return (*a == '\'' ? 0 : *a) - (*b == '\'' ? 0 : *b);
}

static int compare_functions(const void *a, const void *b)
{
    return compare_names((*(const FlatFunction *const *)a)->name, (*(const FlatFunction *const *)b)->name);
}

static int compare_defs(const void *a, const void *b)
{
    return compare_names((*(const FlatDef *const *)a)->name, (*(const FlatDef *const *)b)->name);
}

/* By name, so that the text does not depend on what was needed first. */
static void print_classes(Printer *p)
{
    const Flat *flat = p->flat;
    const FlatDef **defs = NEW_ARRAY(p->out->arena, const FlatDef *, flat->defs.n + 1);
    const FlatFunction **functions = NEW_ARRAY(p->out->arena, const FlatFunction *, flat->functions.n + 1);
    for (uint32_t i = 0; i < flat->defs.n; i++) defs[i] = &flat->defs.at[i];
    uint32_t n = 0;
    for (uint32_t i = 0; i < flat->functions.n; i++)
        if (p->class_of[i] == NONE) functions[n++] = &flat->functions.at[i];
    qsort(defs, flat->defs.n, sizeof *defs, compare_defs);
    qsort(functions, n, sizeof *functions, compare_functions);
    for (uint32_t i = 0; i < flat->defs.n; i++) print_def(p, defs[i]);
    for (uint32_t i = 0; i < n; i++) print_function(p, functions[i], functions[i]->name);
}

static void find_object_functions(Printer *p)
{
    const Flat *flat = p->flat;
    p->class_of = NEW_ARRAY(p->out->arena, uint32_t, flat->functions.n + 1);
    for (FuncId id = 0; id < flat->functions.n; id++) {
        const char *name = flat->functions.at[id].name;
        p->class_of[id] = NONE;
        for (DefId d = 0; d < flat->defs.n; d++) {
            size_t n = strlen(flat->defs.at[d].name);
            bool within = flat->defs.at[d].base == BASE_OBJECT && !strncmp(name, flat->defs.at[d].name, n) &&
                          name[n] == '.';
            if (within && (!strcmp(name + n, ".constructor") || !strcmp(name + n, ".destructor")))
                p->class_of[id] = d;
        }
    }
}

static void print_variables(Printer *p)
{
    const Flat *flat = p->flat;
    for (uint32_t i = 0; i < flat->vars.n; i++) {
        bool hidden = flat->vars.at[i].flags & VAR_PROTECTED,
             before = i && flat->vars.at[i - 1].flags & VAR_PROTECTED;
        if (hidden != before && !p->base) add(p, hidden ? "\nprotected" : "\npublic");
        print_var(p, &flat->vars.at[i]);
    }
}

static void print_equations(Printer *p)
{
    const Flat *flat = p->flat;
    print_section(p, "initial equation", flat->initial_equations.at, flat->initial_equations.n);
    print_section(p, "equation", flat->equations.at, flat->equations.n);
    for (uint32_t i = 0; i < flat->algorithms.n; i++) {
        const FlatAlgorithm *a = &flat->algorithms.at[i];
        print_section(p, a->initial ? "initial algorithm" : "algorithm", flat->ids.at + a->first, a->n);
    }
}

void flat_print(const Flat *flat, Text *out)
{
    Printer p = { .flat = flat, .out = out };
    find_object_functions(&p);
    add(&p, "model ");
    print_name(&p, flat->name);
    p.indent = 2;
    print_classes(&p);
    print_variables(&p);
    print_equations(&p);
    add(&p, "\nend ");
    print_name(&p, flat->name);
    add(&p, ";\n");
}

void flat_print_base(const Flat *flat, const char *annotation, Text *out)
{
    Printer p = { .flat = flat, .out = out, .base = true, .indent = 2 };
    find_object_functions(&p);
    add(&p, "//! base 3.7.0\npackage ");
    print_name(&p, flat->name);
    print_classes(&p);
    add(&p, "\n  model ");
    print_name(&p, flat->name);
    p.indent = 4;
    print_variables(&p);
    print_equations(&p);
    if (*annotation) text_printf(out, "\n    annotation(%s);", annotation);
    add(&p, "\n  end ");
    print_name(&p, flat->name);
    add(&p, ";\nend ");
    print_name(&p, flat->name);
    add(&p, ";\n");
}
