/* unit_check.c: whether the units on both sides of equations, and of sums and comparisons inside of
 * them, fit.
 *
 * In: a flat model. Out: warnings, one a place in the text, with both units. How: each expression
 * gets a unit from its arguments; arguments have smaller ids, so one loop does it. Literals,
 * variables without unit and results of functions fit everything, and so does what is multiplied
 * with them; but small whole numbers and halves in the text, and multiples of pi, are taken for
 * what they are: numbers. Constants have lost their unit with their name, and fit everything. Cost:
 * O(size). Tests: tests/modelica/units.mo, tests/flat/unit_test.c. */
#include "flat/inside.h"

#include <math.h>

typedef struct {
    const Flat *flat;
    Units units;
    Diag *diag;
    Arena *arena;
    UnitId *of; /* by expression */
    /* by expression: the units that do not fit in it; UNIT_UNKNOWN: they do */
    UnitId *left, *right;
    UnitId *of_var; /* by variable */
    bool any_bad;
} Check;

/* ---- the units of expressions ---------------------------------------------------------------- */

static UnitId arg_unit(const Check *c, const FlatExpr *e, uint32_t i)
{
    return i < e->n ? c->of[c->flat->ids.at[e->first + i]] : UNIT_UNKNOWN;
}

static const FlatExpr *arg(const Check *c, const FlatExpr *e, uint32_t i)
{
    return &c->flat->exprs.at[c->flat->ids.at[e->first + i]];
}

/* Two units that must be the same, where both are known: the one to go on with. */
static UnitId join(Check *c, ExprId id, UnitId a, UnitId b)
{
    if (a == UNIT_UNKNOWN) return b;
    if (b == UNIT_UNKNOWN || a == b) return a;
    const UnitValue *x = &c->units.all.at[a], *y = &c->units.all.at[b];
    /* A difference of temperatures may be added to a temperature. */
    if (x->offset != y->offset && x->e[4] == 1 && y->e[4] == 1) return UNIT_UNKNOWN;
    c->left[id] = a;
    c->right[id] = b;
    c->any_bad = true;
    return UNIT_UNKNOWN;
}

/* A number that is taken for one: small and whole in the text, a half of that, or a simple multiple
 * of pi. */
static UnitId literal_unit(const FlatExpr *e)
{
    double x = e->kind == X_REAL ? e->real : (double)e->integer, of_pi = x / 3.14159265358979323846;
    bool simple = x != 0 && fabs(x) <= 16 && 4 * x == floor(4 * x) && !e->op;
    bool circle = fabs(of_pi) <= 16 && round(12 * of_pi) != 0 && fabs(12 * of_pi - round(12 * of_pi)) < 1e-12;
    return simple || circle ? UNIT_ONE : UNIT_UNKNOWN;
}

static bool is_literal(const FlatExpr *e) { return e->kind == X_REAL || e->kind == X_INTEGER; }
static double literal(const FlatExpr *e) { return e->kind == X_REAL ? e->real : (double)e->integer; }

/* In a product a number counts as a number; in a sum it has the unit of the others. */
static UnitId factor_unit(const Check *c, const FlatExpr *e, uint32_t i)
{
    const FlatExpr *of = arg(c, e, i);
    if (of->kind == X_UNARY && of->op == O_NEGATE) of = arg(c, of, 0);
    return is_literal(of) ? literal_unit(of) : arg_unit(c, e, i);
}

static UnitId power_unit(Check *c, const FlatExpr *e)
{
    const FlatExpr *exponent = arg(c, e, 1);
    UnitId base = arg_unit(c, e, 0);
    double sign = 1;
    if (exponent->kind == X_UNARY && exponent->op == O_NEGATE) {
        exponent = arg(c, exponent, 0);
        sign = -1;
    }
    if (is_literal(exponent)) return unit_power(&c->units, base, sign * literal(exponent));
    return base == UNIT_ONE ? UNIT_ONE : UNIT_UNKNOWN;
}

static UnitId binary_unit(Check *c, ExprId id, const FlatExpr *e)
{
    UnitId a = arg_unit(c, e, 0), b = arg_unit(c, e, 1);
    switch ((Oper)e->op) {
    case O_ADD:
    case O_SUBTRACT: return join(c, id, a, b);
    case O_MULTIPLY: return unit_multiply(&c->units, factor_unit(c, e, 0), factor_unit(c, e, 1), 1);
    case O_DIVIDE: return unit_multiply(&c->units, factor_unit(c, e, 0), factor_unit(c, e, 1), -1);
    case O_POWER: return power_unit(c, e);
    case O_LESS:
    case O_LESS_EQUAL:
    case O_GREATER:
    case O_GREATER_EQUAL: join(c, id, a, b); return UNIT_UNKNOWN;
    default: return UNIT_UNKNOWN;
    }
}

/* Whether only time and literals are in it, as in sin(2 * time): there the literals, written or
 * not, are frequencies. */
static bool is_of_time(const Check *c, const FlatExpr *e)
{
    if (e->kind != X_UNARY && e->kind != X_BINARY) return e->kind == X_TIME || is_literal(e);
    return is_of_time(c, arg(c, e, 0)) && (e->n < 2 || is_of_time(c, arg(c, e, 1)));
}

/* The argument of sin, exp and their like is a number, or an angle. */
static UnitId number_unit(Check *c, ExprId id, const FlatExpr *e)
{
    UnitId a = arg_unit(c, e, 0);
    if (a != UNIT_UNKNOWN && !unit_is_number(&c->units, a) && !is_of_time(c, arg(c, e, 0)))
        join(c, id, a, UNIT_ONE);
    return UNIT_ONE;
}

static UnitId builtin_unit(Check *c, ExprId id, const FlatExpr *e)
{
    switch ((Builtin)e->op) {
    case BUILTIN_ABS:
    case BUILTIN_PRE:
    case BUILTIN_NO_EVENT:
    case BUILTIN_DELAY: return arg_unit(c, e, 0);
    case BUILTIN_SMOOTH: return arg_unit(c, e, 1);
    case BUILTIN_SQRT: return unit_power(&c->units, arg_unit(c, e, 0), 0.5);
    case BUILTIN_DER: return unit_multiply(&c->units, arg_unit(c, e, 0), unit_read(&c->units, STR("s")), -1);
    case BUILTIN_MIN:
    case BUILTIN_MAX:
    case BUILTIN_HOMOTOPY: return join(c, id, arg_unit(c, e, 0), arg_unit(c, e, 1));
    case BUILTIN_SIN:
    case BUILTIN_COS:
    case BUILTIN_TAN:
    case BUILTIN_EXP:
    case BUILTIN_LOG:
    case BUILTIN_LOG10:
    case BUILTIN_SINH:
    case BUILTIN_COSH:
    case BUILTIN_TANH: return number_unit(c, id, e);
    case BUILTIN_ATAN2: join(c, id, arg_unit(c, e, 0), arg_unit(c, e, 1)); return UNIT_ONE;
    default: return UNIT_UNKNOWN;
    }
}

static UnitId if_unit(Check *c, ExprId id, const FlatExpr *e)
{
    UnitId u = arg_unit(c, e, e->n - 1);
    for (uint32_t i = 1; i + 1 < e->n; i += 2) u = join(c, id, u, arg_unit(c, e, i));
    return u;
}

static UnitId expr_unit(Check *c, ExprId id)
{
    const FlatExpr *e = &c->flat->exprs.at[id];
    switch ((ExprKindFlat)e->kind) {
    case X_VAR: return c->of_var[e->index];
    case X_TIME: return unit_read(&c->units, STR("s"));
    case X_UNARY: return e->op == O_NEGATE ? arg_unit(c, e, 0) : UNIT_UNKNOWN;
    case X_BINARY: return binary_unit(c, id, e);
    case X_BUILTIN: return builtin_unit(c, id, e);
    case X_IF: return if_unit(c, id, e);
    default: return UNIT_UNKNOWN;
    }
}

/* ---- reports --------------------------------------------------------------------------------- */

static const char *unit_text(const Check *c, UnitId u, const char *written)
{
    Text text = { .arena = c->arena };
    Text plain = { .arena = c->arena };
    unit_write(&c->units, u, &plain);
    if (!written || !*written) return plain.at;
    text_printf(&text, "%s", written);
    if (strcmp(written, plain.at) != 0) text_printf(&text, " (%s)", plain.at);
    return text.at;
}

/* The unit as the text has it, where an expression is a variable. */
static const char *written_unit(const Check *c, ExprId id)
{
    const FlatExpr *e = id == NONE ? NULL : &c->flat->exprs.at[id];
    if (!e || e->kind != X_VAR) return NULL;
    return arena_copy(c->arena, c->flat->vars.at[e->index].unit);
}

static void report(Check *c, Span span, const char *where, const char *a, const char *b)
{
    for (uint32_t i = 0; i < c->diag->notes.n; i++) {
        const Note *note = c->diag->notes.at[i];
        if (note->code == E_UNIT && note->span.at == span.at && note->span.n == span.n) return;
    }
    diag_add(c->diag, E_UNIT, span, "%s: the units %s and %s do not fit", where, a, b);
}

/* What does not fit inside of an expression. */
static void report_inside(Check *c, ExprId id, Span span)
{
    for (;;) {
        const FlatExpr *e = &c->flat->exprs.at[id];
        if (c->left[id] != UNIT_UNKNOWN) {
            bool two = e->kind == X_BINARY;
            const char *where = two                        ? "in a sum or comparison"
                                : e->kind == X_IF          ? "in the branches of a choice"
                                : c->right[id] == UNIT_ONE ? "in the argument of a function"
                                                           : "in the arguments of a function";
            report(c, span, where,
                   unit_text(c, c->left[id], two ? written_unit(c, c->flat->ids.at[e->first]) : NULL),
                   unit_text(c, c->right[id], two ? written_unit(c, c->flat->ids.at[e->first + 1]) : NULL));
        }
        for (uint32_t i = 1; i < e->n; i++) report_inside(c, c->flat->ids.at[e->first + i], span);
        if (!e->n) return;
        id = c->flat->ids.at[e->first];
    }
}

static void check_sides(Check *c, ExprId left, ExprId right, Span span, bool connects)
{
    UnitId a = c->of[left], b = c->of[right];
    if (a == UNIT_UNKNOWN || b == UNIT_UNKNOWN || a == b) return;
    report(c, span, connects ? "in a connection" : "in an equation", unit_text(c, a, written_unit(c, left)),
           unit_text(c, b, written_unit(c, right)));
}

static void check_statements(Check *c)
{
    for (StmtId id = 0; id < c->flat->stmts.n; id++) {
        const FlatStmt *st = &c->flat->stmts.at[id];
        if (st->kind == S_EQUAL || st->kind == S_ASSIGN)
            check_sides(c, st->left, st->right, st->span, st->from_connect);
        ExprId inside[] = { st->left, st->right };
        for (size_t i = 0; c->any_bad && i < COUNT_OF(inside); i++)
            if (inside[i] != NONE) report_inside(c, inside[i], st->span);
        for (uint32_t i = 0; c->any_bad && i < st->n; i++)
            if (c->flat->branches.at[st->first + i].condition != NONE)
                report_inside(c, c->flat->branches.at[st->first + i].condition, st->span);
    }
}

static void check_bindings(Check *c)
{
    for (VarId v = 0; v < c->flat->vars.n; v++) {
        const FlatVar *var = &c->flat->vars.at[v];
        if (var->binding == NONE) continue;
        UnitId a = c->of_var[v], b = c->of[var->binding];
        if (a != UNIT_UNKNOWN && b != UNIT_UNKNOWN && a != b)
            report(c, var->span, arena_printf(c->arena, "in the value of '%s'", var->name),
                   unit_text(c, a, arena_copy(c->arena, var->unit)),
                   unit_text(c, b, written_unit(c, var->binding)));
        if (c->any_bad) report_inside(c, var->binding, var->span);
    }
}

void flat_check_units(const Flat *flat, Diag *diag, Arena *arena)
{
    Check c = { .flat = flat, .diag = diag, .arena = arena };
    units_init(&c.units, arena);
    c.of = NEW_ARRAY(arena, UnitId, flat->exprs.n + 1);
    c.left = NEW_ARRAY(arena, UnitId, flat->exprs.n + 1);
    c.right = NEW_ARRAY(arena, UnitId, flat->exprs.n + 1);
    c.of_var = NEW_ARRAY(arena, UnitId, flat->vars.n + 1);
    for (VarId v = 0; v < flat->vars.n; v++) c.of_var[v] = unit_read(&c.units, flat->vars.at[v].unit);
    for (ExprId id = 0; id < flat->exprs.n; id++) c.of[id] = expr_unit(&c, id);
    check_statements(&c);
    check_bindings(&c);
}
