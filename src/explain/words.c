/* words.c: equations, places and values of a compiled model as texts.
 *
 * Cost: that of the expression. Tests: tests/explain/explain_test.c, tests/diagnose. */
#include "explain/inside.h"

#include <math.h>

enum { LONGEST_TEXT = 160, MOST_VISITED = 4000 };

const char *words_of_span(const ExplainModel *what, Span span)
{
    const Source *source = what->sources && span.n ? source_of(what->sources, span) : NULL;
    Text text = { .arena = what->arena };
    size_t at = source ? span.at - source->base : 0;
    text_add_literal(&text, "");
    for (size_t k = at; source && k < at + span.n && k < source->text.n && text.n < LONGEST_TEXT; k++) {
        char letter = source->text.at[k];
        bool is_space = letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
        if (!is_space || (text.n && text.at[text.n - 1] != ' '))
            text_add_char(&text, is_space ? ' ' : letter);
    }
    if (text.n >= LONGEST_TEXT) text_add_literal(&text, "...");
    return text.at ? text.at : "";
}

const char *words_of_place(const ExplainModel *what, Span span)
{
    Place place;
    if (!what->sources || !span.n || !source_place(what->sources, span, &place)) return "";
    return arena_printf(what->arena, "%s:%u", place.path, (unsigned)place.line);
}

const char *words_of_equation(const ExplainModel *what, uint32_t eq)
{
    const System *s = gen_system(what->compiled);
    const DaeEq *e = &s->eqs.at[eq];
    const char *written = words_of_span(what, e->span);
    if (*written && !e->is_start && e->der_of == NONE) return written;
    Text text = { .arena = what->arena };
    dae_print_short(s, e->left, LONGEST_TEXT, &text);
    text_add_literal(&text, " = ");
    dae_print_short(s, e->right, LONGEST_TEXT, &text);
    if (text.n <= LONGEST_TEXT) return text.at;
    return arena_printf(what->arena, "%.*s...", LONGEST_TEXT, text.at);
}

/* The variable that an equation is about: the first that it solves for, or reads. */
static uint32_t variable_of(const System *s, const DaeEq *eq)
{
    uint32_t found = NONE;
    for (uint32_t k = 0; k < eq->gradient.n; k++) {
        const DaeVar *v = &s->vars.at[eq->gradient.at[k].var];
        bool is_solved = v->role >= ROLE_DERIVATIVE, is_known = v->flat != NONE || v->role == ROLE_DERIVATIVE;
        if (is_known && (found == NONE || is_solved)) found = eq->gradient.at[k].var;
        if (is_known && is_solved) break;
    }
    return found;
}

Span words_of_source(const ExplainModel *what, uint32_t source, uint32_t *var)
{
    const System *s = gen_system(what->compiled);
    uint32_t id = source & 0x0fffffff;
    *var = NONE;
    if (source == NONE) return (Span){ 0 };
    if (source & SOURCE_VARIABLE) {
        if (id >= s->vars.n) return (Span){ 0 };
        *var = id;
        return dae_definition(s, id);
    }
    if (source & SOURCE_STATEMENT) return id < s->flat->stmts.n ? s->flat->stmts.at[id].span : (Span){ 0 };
    if (source & SOURCE_CHECK) return id < s->checks.n ? s->checks.at[id].span : (Span){ 0 };
    if (source >= s->eqs.n) return (Span){ 0 };
    *var = variable_of(s, &s->eqs.at[source]);
    return s->eqs.at[source].span;
}

const char *words_of_value(const ExplainModel *what, uint32_t var, const double *values)
{
    const System *s = gen_system(what->compiled);
    const DaeVar *v = &s->vars.at[var];
    Text text = { .arena = what->arena };
    if (v->type == BASE_BOOLEAN) {
        text_printf(&text, "%s = %s", v->name, values[var] != 0 ? "true" : "false");
        return text.at;
    }
    if (isnan(values[var]))
        text_printf(&text, "%s = nan", v->name);
    else
        text_printf(&text, "%s = %.6g", v->name, values[var]);
    Str unit = v->flat == NONE ? (Str){ 0 } : s->flat->vars.at[v->flat].unit;
    if (unit.n && !str_is(unit, "1")) text_printf(&text, " %.*s", (int)unit.n, unit.at);
    return text.at;
}

/* ---- walking expressions --------------------------------------------------------------------- */

/* Every node of an expression once, and what its relations compare. */
typedef struct {
    const System *s;
    Arena *arena;
    Map seen;
    VEC(Sym) stack;
} Walk;

static void visit(Walk *w, Sym e)
{
    bool is_new;
    map_put(&w->seen, e, &is_new);
    if (is_new && w->stack.n < MOST_VISITED) vec_push(w->arena, &w->stack, e);
}

/* The next node; NULL at the end. */
static const SymNode *next_node(Walk *w, Sym *at)
{
    if (!w->stack.n) return NULL;
    *at = w->stack.at[--w->stack.n];
    const SymNode *n = sym_node(w->s->pool, *at);
    for (uint32_t k = sym_arity((SymOp)n->op); k-- > 0;) visit(w, n->arg[k]);
    if (n->op == SYM_RELATION) {
        visit(w, w->s->relations.at[n->index].right);
        visit(w, w->s->relations.at[n->index].left);
    }
    return n;
}

static Walk walk_begin(const ExplainModel *what, Sym e)
{
    Walk w = { .s = gen_system(what->compiled), .arena = what->arena, .seen = { .arena = what->arena } };
    visit(&w, e);
    return w;
}

void words_reads(const ExplainModel *what, Sym e, Reads *reads, uint32_t most)
{
    Walk w = walk_begin(what, e);
    Sym at;
    if (!reads->at) reads->at = NEW_ARRAY(what->arena, uint32_t, most + 1);
    for (const SymNode *n; (n = next_node(&w, &at)) && reads->n < most;) {
        bool is_known = n->op != SYM_VAR || w.s->vars.at[n->index].role == ROLE_CONSTANT;
        for (uint32_t k = 0; k < reads->n && !is_known; k++) is_known = reads->at[k] == n->index;
        if (!is_known) reads->at[reads->n++] = n->index;
    }
}

/* What an operation cannot be applied to. */
static bool is_outside(const SymNode *n, const double *a)
{
    switch (n->op) {
    case SYM_SQRT: return a[0] < 0;
    case SYM_LOG:
    case SYM_LOG10: return a[0] <= 0;
    case SYM_ASIN:
    case SYM_ACOS: return fabs(a[0]) > 1;
    case SYM_DIV: return a[1] == 0;
    case SYM_POW: return (a[0] < 0 && a[1] != floor(a[1])) || (a[0] == 0 && a[1] < 0);
    case SYM_EXP:
    case SYM_SINH:
    case SYM_COSH: return fabs(a[0]) > 709;
    default: return false;
    }
}

const char *words_of_domain(const ExplainModel *what, Sym e, const double *values, double t)
{
    System *s = gen_system(what->compiled);
    Walk w = walk_begin(what, e);
    Sym at;
    for (const SymNode *n; (n = next_node(&w, &at));) {
        double a[3] = { 0 };
        uint32_t arity = sym_arity((SymOp)n->op);
        if (n->has_call || arity == 0 || arity > 2) continue;
        for (uint32_t k = 0; k < arity; k++) a[k] = dae_evaluate_at(s->pool, n->arg[k], values, t);
        if (!is_outside(n, a)) continue;
        Text part = { .arena = what->arena };
        dae_print_expr(s, n->arg[n->op == SYM_DIV], &part);
        if (n->op == SYM_DIV) return arena_printf(what->arena, "division by %.60s, which is 0", part.at);
        if (n->op == SYM_POW)
            return arena_printf(what->arena, "(%.60s)^%g, where %.60s is %.6g", part.at, a[1], part.at, a[0]);
        return arena_printf(what->arena, "%s(%.60s), where %.60s is %.6g", sym_text((SymOp)n->op), part.at,
                            part.at, a[0]);
    }
    return NULL;
}
