/* datum.c: annotations as values: what their expressions say where they stand in an instance.
 *
 * In: a modification or an expression, and the scope it belongs to. Out: data. How: records of the
 * annotation language (Line, Text, transformation ...) are taken by their form, since no library
 * declares them; everything else goes through the typing and evaluation of models, whose reports
 * are taken back. What has no value stays text. Tests: tests/cli/describe.sh. */
#include "sema/draft.h"

#include <math.h>

enum { MOST_ITEMS = 20000, DEEPEST = 60 };

static Datum *datum_new(Describer *d, DatumKind kind, Span span)
{
    Datum *datum = NEW(d->arena, Datum);
    datum->kind = kind;
    datum->span = span;
    return datum;
}

static Datum *datum_of_number(Describer *d, double value, Span span)
{
    Datum *datum = datum_new(d, DATUM_NUMBER, span);
    datum->number = value;
    return datum;
}

Str described_text(const Describer *d, Span span)
{
    const Source *source = source_of(d->sema.sources, span);
    if (!source || !span.n) return (Str){ 0 };
    return (Str){ source->text.at + (span.at - source->base), span.n };
}

static Datum *datum_open(Describer *d, Span span)
{
    Datum *datum = datum_new(d, DATUM_OPEN, span);
    datum->text = described_text(d, span);
    return datum;
}

/* ---- values ---------------------------------------------------------------------------------- */

static Datum *of_cell(Describer *d, const Value *v, uint32_t i, Span span)
{
    Datum *datum = NULL;
    switch (v->base) {
    case BASE_REAL: return datum_of_number(d, v->at[i].real, span);
    case BASE_INTEGER: return datum_of_number(d, (double)v->at[i].integer, span);
    case BASE_BOOLEAN:
        datum = datum_new(d, DATUM_BOOLEAN, span);
        datum->number = v->at[i].integer != 0;
        return datum;
    case BASE_STRING:
        datum = datum_new(d, DATUM_STRING, span);
        datum->text = v->at[i].text;
        return datum;
    case BASE_ENUM: {
        const Class *cls = v->def && v->def->root ? v->def->root->cls : NULL;
        int64_t at = v->at[i].integer;
        if (!cls || at < 1 || at > cls->literal_count) return datum_open(d, span);
        datum = datum_new(d, DATUM_NAME, span);
        datum->text = name_str(cls->literals[at - 1].name);
        return datum;
    }
    default: return datum_open(d, span);
    }
}

Datum *datum_of_value(Describer *d, const Value *v, Span span)
{
    if (v->n > MOST_ITEMS) return datum_open(d, span);
    if (!v->rank) return of_cell(d, v, 0, span);
    Datum *list = datum_new(d, DATUM_LIST, span);
    list->n = (uint32_t)v->sizes[0];
    list->at = NEW_ARRAY(d->arena, Datum *, list->n + 1);
    for (uint32_t i = 0; i < list->n; i++)
        list->at[i] = datum_of_value(d, value_slice(&d->sema, v, (int32_t)i), span);
    return list;
}

/* The value of an expression of a scope; NULL, silently, if there is none at this time. */
static Value *value_of(Describer *d, Scope *scope, const Expr *e)
{
    Sema *s = &d->sema;
    describe_hush(d);
    Env env = env_of(s, scope);
    TExpr *typed = type_expr(&env, e);
    Value *v = tx_is_poison(typed) || typed->varies > VARIES_PARAMETER ? NULL : try_eval(s, typed, scope);
    describe_unhush(d);
    return v;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static Datum *of_expr(Describer *d, Scope *scope, const Expr *e, int depth);

static Datum *of_items(Describer *d, Scope *scope, DatumKind kind, const Expr *e, int depth)
{
    Datum *datum = datum_new(d, kind, e->span);
    datum->at = NEW_ARRAY(d->arena, Datum *, e->n + 1);
    for (uint32_t i = 0; i < e->n; i++) {
        const Expr *item = e->items[i];
        bool named = item->kind == EXPR_NAMED;
        Datum *value = of_expr(d, scope, named ? item->left : item, depth + 1);
        if (named) value->key = name_text(item->name);
        datum->at[datum->n++] = value;
    }
    return datum;
}

/* The names of records that annotations are made of: what is called so is no function. */
static bool is_graphical(Str name)
{
    static const char *const names[] = { "Line",  "Polygon", "Rectangle", "Ellipse",
                                         "Text",  "Bitmap",  "Figure",    "Plot",
                                         "Curve", "Axis",    "Placement", "transformation" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_is(name, names[i])) return true;
    return false;
}

/* LinePattern.Dash and its like, which no library declares either. */
static bool is_drawing_word(Str name)
{
    static const char *const names[] = { "LinePattern", "FillPattern", "BorderPattern",  "Smooth",
                                         "Arrow",       "TextStyle",   "EllipseClosure", "TextAlignment" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_is(name, names[i])) return true;
    return false;
}

static Datum *of_call(Describer *d, Scope *scope, const Expr *e, int depth)
{
    Str name =
        e->callee->kind == EXPR_REF && e->callee->n == 1 ? name_str(e->callee->parts[0].name) : (Str){ 0 };
    if (str_is(name, "DynamicSelect") && e->n == 2) {
        Datum *datum = datum_new(d, DATUM_DYNAMIC, e->span);
        Text text = { .arena = d->arena };
        datum->n = 1;
        datum->at = NEW_ARRAY(d->arena, Datum *, 1);
        datum->at[0] = of_expr(d, scope, e->items[0], depth + 1);
        syntax_print_expr(e->items[1], &text);
        datum->text = (Str){ text.at, text.n };
        return datum;
    }
    if (!is_graphical(name)) return NULL;
    Datum *datum = of_items(d, scope, DATUM_RECORD, e, depth);
    datum->text = name;
    return datum;
}

static Datum *of_text(Describer *d, Str text, Span span)
{
    Datum *datum = datum_new(d, DATUM_STRING, span);
    datum->text = text;
    return datum;
}

/* What needs no evaluation; NULL for everything else. */
static Datum *of_literal(Describer *d, const Expr *e)
{
    Datum *datum;
    switch (e->kind) {
    case EXPR_REAL: return datum_of_number(d, e->real, e->span);
    case EXPR_INTEGER: return datum_of_number(d, (double)e->integer, e->span);
    case EXPR_STRING: return of_text(d, (Str){ e->text, e->n }, e->span);
    case EXPR_BOOLEAN:
        datum = datum_new(d, DATUM_BOOLEAN, e->span);
        datum->number = e->flag;
        return datum;
    case EXPR_UNARY:
        if (e->op != OP_SUBTRACT || (e->left->kind != EXPR_REAL && e->left->kind != EXPR_INTEGER))
            return NULL;
        return datum_of_number(d, e->left->kind == EXPR_REAL ? -e->left->real : -(double)e->left->integer,
                               e->span);
    case EXPR_REF:
        if (e->n != 2 || !is_drawing_word(name_str(e->parts[0].name))) return NULL;
        datum = datum_new(d, DATUM_NAME, e->span);
        datum->text = name_str(e->parts[1].name);
        return datum;
    default: return NULL;
    }
}

static Datum *of_if(Describer *d, Scope *scope, const Expr *e, int depth)
{
    for (uint32_t i = 0; i + 1 < e->n; i += 2) {
        Value *v = value_of(d, scope, e->items[i]);
        if (!v || v->base != BASE_BOOLEAN || v->rank) return NULL;
        if (v->at[0].integer) return of_expr(d, scope, e->items[i + 1], depth + 1);
    }
    return of_expr(d, scope, e->items[e->n - 1], depth + 1);
}

static Datum *of_expr(Describer *d, Scope *scope, const Expr *e, int depth)
{
    Datum *datum = of_literal(d, e);
    if (datum) return datum;
    if (depth > DEEPEST) return datum_open(d, e->span);
    if (e->kind == EXPR_ARRAY && !(e->n == 1 && e->items[0]->kind == EXPR_COMPREHENSION))
        return of_items(d, scope, DATUM_LIST, e, depth);
    if (e->kind == EXPR_CALL) datum = of_call(d, scope, e, depth);
    if (e->kind == EXPR_IF) datum = of_if(d, scope, e, depth);
    if (datum) return datum;
    Value *v = value_of(d, scope, e);
    return v ? datum_of_value(d, v, e->span) : datum_open(d, e->span);
}

/* ---- modifiers ------------------------------------------------------------------------------- */

static Datum *of_modification(Describer *d, Scope *scope, const Modification *m, int depth);

static Datum *of_argument(Describer *d, Scope *scope, const Argument *a, int depth)
{
    Datum *datum;
    if (a->kind != ARGUMENT_MODIFY || !a->modification) {
        datum = datum_open(d, a->span);
        datum->key = a->kind == ARGUMENT_ELEMENT ? "redeclare" : NULL;
        if (a->kind == ARGUMENT_MODIFY) datum->key = name_text(a->names[0]);
        return datum;
    }
    datum = of_modification(d, scope, a->modification, depth + 1);
    datum->key = name_text(a->names[0]);
    return datum;
}

static Datum *of_modification(Describer *d, Scope *scope, const Modification *m, int depth)
{
    if (!m->has_arguments && m->value) return of_expr(d, scope, m->value, depth);
    if (depth > DEEPEST) return datum_open(d, m->span);
    Datum *datum = datum_new(d, DATUM_RECORD, m->span);
    datum->text = STR("");
    datum->at = NEW_ARRAY(d->arena, Datum *, m->n + 2);
    for (uint32_t i = 0; i < m->n; i++) datum->at[datum->n++] = of_argument(d, scope, m->arguments[i], depth);
    if (m->value) {
        datum->at[datum->n] = of_expr(d, scope, m->value, depth);
        datum->at[datum->n++]->key = "=";
    }
    return datum;
}

const Datum *describe_annotation(Describer *d, Scope *scope, const Modification *annotation, const char *name)
{
    if (!annotation) return NULL;
    if (!name) return of_modification(d, scope, annotation, 0);
    const Argument *a = modification_find(annotation, name);
    return a ? of_argument(d, scope, a, 0) : NULL;
}

/* ---- looking at data ------------------------------------------------------------------------- */

const Datum *datum_static(const Datum *of)
{
    while (of && of->kind == DATUM_DYNAMIC) of = of->at[0];
    return of;
}

const Datum *datum_member(const Datum *of, const char *key)
{
    of = datum_static(of);
    for (uint32_t i = 0; of && of->kind == DATUM_RECORD && i < of->n; i++)
        if (of->at[i]->key && !strcmp(of->at[i]->key, key)) return datum_static(of->at[i]);
    return NULL;
}

double datum_number(const Datum *of, const char *key, double otherwise)
{
    const Datum *m = datum_member(of, key);
    return m && m->kind == DATUM_NUMBER && isfinite(m->number) ? m->number : otherwise;
}

bool datum_boolean(const Datum *of, const char *key, bool otherwise)
{
    const Datum *m = datum_member(of, key);
    return m && m->kind == DATUM_BOOLEAN ? m->number != 0.0 : otherwise;
}

Str datum_text(const Datum *of, const char *key)
{
    const Datum *m = datum_member(of, key);
    return m && (m->kind == DATUM_STRING || m->kind == DATUM_NAME) ? m->text : (Str){ 0 };
}

static void json_members(const Datum *datum, Text *out)
{
    text_add_char(out, '{');
    if (datum->text.n) {
        text_add_literal(out, "\"record\":");
        text_add_json(out, datum->text);
    }
    for (uint32_t i = 0; i < datum->n; i++) {
        if (i || datum->text.n) text_add_char(out, ',');
        if (datum->at[i]->key)
            text_add_json(out, str_of(datum->at[i]->key));
        else
            text_printf(out, "\"%u\"", (unsigned)i);
        text_add_char(out, ':');
        datum_json(datum->at[i], out);
    }
    text_add_char(out, '}');
}

void datum_json(const Datum *datum, Text *out)
{
    switch (datum->kind) {
    case DATUM_NUMBER:
        if (isfinite(datum->number))
            text_add_real(out, datum->number);
        else
            text_add_literal(out, "null");
        break;
    case DATUM_BOOLEAN: text_add(out, datum->number != 0.0 ? STR("true") : STR("false")); break;
    case DATUM_STRING: text_add_json(out, datum->text); break;
    case DATUM_RECORD: json_members(datum, out); break;
    case DATUM_LIST:
        for (uint32_t i = 0; i < datum->n; i++) {
            text_add_char(out, i ? ',' : '[');
            datum_json(datum->at[i], out);
        }
        text_add(out, datum->n ? STR("]") : STR("[]"));
        break;
    case DATUM_NAME:
    case DATUM_OPEN:
        text_add(out, datum->kind == DATUM_NAME ? STR("{\"name\":") : STR("{\"expression\":"));
        text_add_json(out, datum->text);
        text_add_char(out, '}');
        break;
    case DATUM_DYNAMIC:
        text_add_literal(out, "{\"static\":");
        datum_json(datum->at[0], out);
        text_add_literal(out, ",\"dynamic\":");
        text_add_json(out, datum->text);
        text_add_char(out, '}');
        break;
    }
}
