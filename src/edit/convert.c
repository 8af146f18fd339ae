/* convert.c: conversion rules of a library (specification 18.8.2) applied to a text.
 *
 * In: the conversion script as the statements of an algorithm; a text and its tree. Out: the pieces
 * of the text that the rules are about, and a message for what they cannot do. How: names are
 * resolved by imports and by what the text declares, and compared with the old names of the
 * library, of which nothing else is known; the longest rule counts. All other text stays, to the
 * byte. Inheritance is followed within one text. Cost: O(text). Tests: tests/cli/convert.sh. */
#include "edit/inside.h"

#include <ctype.h>

typedef struct {
    const char *new_name;        /* convertClass; NULL: none */
    VEC(const char *) if_rules;  /* element, value, new name, ... of convertClassIf */
    const char *message;         /* convertMessage; NULL: none */
    VEC(const char *) modifiers; /* what a ModifierRule says: see rule_of_modifiers */
} ClassRule;

typedef struct {
    const Exprs *old_list, *new_list;
} ModifierRule;

struct ConvertRules {
    Arena *arena;
    Names *names;
    Map classes;   /* old name to ClassRule */
    Map elements;  /* "Old.Class.element" to its new name */
    Map messages;  /* likewise to the message */
    Map modifiers; /* old name to ModifierRules */
};

typedef VEC(ModifierRule *) ModifierRules;

static const void *key(const ConvertRules *r, const char *text) { return name_of(r->names, str_of(text)); }

/* ---- the script ------------------------------------------------------------------------------ */

/* The strings of an argument: one, or those of an array; fill("", 0) is none. */
static Exprs strings_of(Expr *const *item)
{
    const Expr *e = *item;
    if (e->kind == EXPR_STRING) return (Exprs){ (Expr **)(uintptr_t)item, 1 };
    if (e->kind == EXPR_ARRAY) return (Exprs){ e->items, e->n };
    return (Exprs){ NULL, 0 };
}

static const char *string_at(const ConvertRules *r, const Exprs *list, uint32_t i)
{
    const Expr *e = list->n == 1 ? list->at[0] : i < list->n ? list->at[i] : NULL;
    if (!e || e->kind != EXPR_STRING) return NULL;
    return arena_copy(r->arena, (Str){ e->text, e->n });
}

static ClassRule *class_rule(ConvertRules *r, const char *name)
{
    ClassRule *rule = map_pointer(&r->classes, key(r, name));
    if (!rule) map_set_pointer(&r->classes, key(r, name), rule = NEW(r->arena, ClassRule));
    return rule;
}

static void add_modifier_rule(ConvertRules *r, const char *cls, const Exprs *old_list, const Exprs *new_list)
{
    ModifierRules *rules = map_pointer(&r->modifiers, key(r, cls));
    if (!rules) map_set_pointer(&r->modifiers, key(r, cls), rules = NEW(r->arena, ModifierRules));
    ModifierRule *rule = NEW(r->arena, ModifierRule);
    Exprs *lists = NEW_ARRAY(r->arena, Exprs, 2);
    lists[0] = *old_list;
    lists[1] = *new_list;
    *rule = (ModifierRule){ &lists[0], &lists[1] };
    vec_push(r->arena, rules, rule);
}

static const char *joined(const ConvertRules *r, const char *cls, const char *element)
{
    return arena_printf(r->arena, "%s.%s", cls, element);
}

static void add_rule(ConvertRules *r, Str name, const Exprs *args, uint32_t n, uint32_t i)
{
    const char *cls = string_at(r, &args[0], i), *a = n > 1 ? string_at(r, &args[1], i) : NULL;
    const char *b = n > 2 ? string_at(r, &args[2], i) : NULL, *c = n > 3 ? string_at(r, &args[3], i) : NULL;
    if (!cls) return;
    if (str_is(name, "convertClass") && a)
        class_rule(r, cls)->new_name = a;
    else if (str_is(name, "convertClassIf") && a && b && c) {
        ClassRule *rule = class_rule(r, cls);
        vec_push(r->arena, &rule->if_rules, a);
        vec_push(r->arena, &rule->if_rules, b);
        vec_push(r->arena, &rule->if_rules, c);
    } else if (str_is(name, "convertElement") && a && b && *b)
        map_set_pointer(&r->elements, key(r, joined(r, cls, a)), (void *)(uintptr_t)b);
    else if (str_is(name, "convertElement") && a)
        add_modifier_rule(r, cls, &args[1], &(Exprs){ NULL, 0 });
    else if (str_is(name, "convertMessage") && a && b)
        map_set_pointer(&r->messages, key(r, joined(r, cls, b)), (void *)(uintptr_t)a);
    else if (str_is(name, "convertMessage") && a)
        class_rule(r, cls)->message = a;
    else if (str_is(name, "convertModifiers") && n >= 3)
        add_modifier_rule(r, cls, &args[1], &args[2]);
}

ConvertRules *convert_rules(Arena *arena, Names *names, const Class *script)
{
    ConvertRules *r = NEW(arena, ConvertRules);
    *r = (ConvertRules){ .arena = arena, .names = names };
    r->classes.arena = r->elements.arena = r->messages.arena = r->modifiers.arena = arena;
    for (uint32_t k = 0; k < script->section_count; k++) {
        const Stmts *body = &script->sections[k]->body;
        for (uint32_t i = 0; i < body->n; i++) {
            const Expr *call = body->at[i]->kind == STMT_CALL ? body->at[i]->left : NULL;
            if (!call || call->callee->n != 1 || !call->n) continue;
            Str name = name_str(call->callee->parts[0].name);
            bool lists = str_is(name, "convertModifiers");
            Exprs *args = NEW_ARRAY(arena, Exprs, call->n);
            uint32_t most = 0;
            for (uint32_t a = 0; a < call->n; a++) {
                args[a] = strings_of(&call->items[a]);
                if (args[a].n > most && (a == 0 || !lists)) most = args[a].n;
            }
            for (uint32_t v = 0; v < most; v++) add_rule(r, name, args, call->n, v);
        }
    }
    return r;
}

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct Around Around;
struct Around {
    const Class *cls;
    const Around *outer;
};

typedef struct {
    Editing *e;
    const ConvertRules *r;
    Diag *diag;
    const char *library, *version;
} Convert;

static const Element *element_of(const Class *cls, Name name, const Declaration **d)
{
    for (uint32_t i = 0; i < cls->element_count; i++) {
        const Element *el = cls->elements[i];
        if (el->kind == ELEMENT_CLASS && el->cls->name == name) return el;
        for (uint32_t k = 0; el->kind == ELEMENT_COMPONENT && k < el->clause->n; k++)
            if (el->clause->declarations[k].name == name) {
                if (d) *d = &el->clause->declarations[k];
                return el;
            }
    }
    return NULL;
}

static const char *path_text(Arena *arena, const Name *at, uint32_t n)
{
    Text out = { .arena = arena };
    for (uint32_t i = 0; i < n; i++) text_printf(&out, "%s%s", i ? "." : "", name_text(at[i]));
    return n ? out.at : "";
}

/* The path that an import of a class around gives a name; NULL if there is none. */
static const char *imported(const Convert *c, const Class *cls, Name name)
{
    Arena *arena = c->e->arena;
    for (uint32_t i = 0; i < cls->element_count; i++) {
        if (cls->elements[i]->kind != ELEMENT_IMPORT) continue;
        const Import *m = cls->elements[i]->import;
        bool last = m->path.n && m->path.at[m->path.n - 1] == name;
        if ((m->kind == IMPORT_QUALIFIED && last) || (m->kind == IMPORT_RENAMED && m->alias == name))
            return path_text(arena, m->path.at, m->path.n);
        for (uint32_t k = 0; m->kind == IMPORT_LIST && k < m->n; k++)
            if (m->names[k] == name)
                return arena_printf(arena, "%s.%s", path_text(arena, m->path.at, m->path.n), name_text(name));
    }
    return NULL;
}

static const char *convert_path(const Convert *c, const char *full, bool *changed);

/* What the names of an `import A.*` become, if a rule is about them. */
static const char *openly_imported(const Convert *c, const Class *cls, const Name *at, uint32_t n,
                                   const char **by)
{
    for (uint32_t i = 0; i < cls->element_count; i++) {
        const Import *m = cls->elements[i]->kind == ELEMENT_IMPORT ? cls->elements[i]->import : NULL;
        if (!m || m->kind != IMPORT_ALL) continue;
        bool changed = false;
        *by = path_text(c->e->arena, m->path.at, m->path.n);
        const char *full = arena_printf(c->e->arena, "%s.%s", *by, path_text(c->e->arena, at, n));
        convert_path(c, full, &changed);
        if (changed || map_pointer(&c->r->modifiers, key(c->r, full))) return full;
    }
    return NULL;
}

/* The full name of what is not declared in this text; NULL for what is. `by`: the import that gave
 * the first name; NULL: none. `open`: it brought all names. */
static const char *resolve(const Convert *c, const Around *in, const Name *at, uint32_t n, bool global,
                           const char **by, bool *open)
{
    *by = NULL;
    *open = false;
    for (const Around *p = in; p && !global; p = p->outer) {
        if (element_of(p->cls, at[0], NULL)) return NULL;
        if ((*by = imported(c, p->cls, at[0])))
            return n > 1 ? arena_printf(c->e->arena, "%s.%s", *by, path_text(c->e->arena, at + 1, n - 1))
                         : *by;
        const char *full = openly_imported(c, p->cls, at, n, by);
        if ((*open = full != NULL)) return full;
    }
    *by = NULL;
    return path_text(c->e->arena, at, n);
}

static const char *part_before(Arena *arena, const char *full, const char *dot)
{
    return arena_copy(arena, (Str){ full, (size_t)(dot - full) });
}

/* The longest rule counts. */
static const char *convert_path(const Convert *c, const char *full, bool *changed)
{
    Arena *arena = c->e->arena;
    const char *element = map_pointer(&c->r->elements, key(c->r, full)), *rest = "";
    const char *dot = strrchr(full, '.');
    if (element && dot) {
        *changed = true;
        bool inner = false;
        const char *around = convert_path(c, part_before(arena, full, dot), &inner);
        return arena_printf(arena, "%s.%s", around, element);
    }
    for (const char *at = full;;) {
        const ClassRule *rule = map_pointer(&c->r->classes, key(c->r, at));
        if (rule && rule->new_name) {
            *changed = true;
            return arena_printf(arena, "%s%s", rule->new_name, rest);
        }
        const char *end = strrchr(at, '.');
        if (!end) return full;
        rest = full + (end - at);
        at = part_before(arena, at, end);
    }
}

/* How a name is written now: by its import, if that still leads there. */
static const char *as_written(const Convert *c, Name first, const char *to, const char *by, bool open)
{
    bool changed = false;
    if (!by) return to;
    const char *now = convert_path(c, by, &changed);
    size_t n = strlen(now);
    if (strncmp(to, now, n) != 0 || (to[n] && to[n] != '.')) return to;
    if (open) return to[n] ? to + n + 1 : to;
    return arena_printf(c->e->arena, "%s%s", name_text(first), to + n);
}

static void tell(const Convert *c, Span span, const char *what, const char *why)
{
    Note *note = diag_add(c->diag, W_CONVERSION, span, "'%s' cannot be converted: %s", what, why);
    diag_hint(c->diag, note, "change this by hand");
}

static void convert_name(const Convert *c, const Around *in, const Name *at, uint32_t n, bool global,
                         Span span)
{
    const char *by;
    bool open, changed = false;
    const char *full = n ? resolve(c, in, at, n, global, &by, &open) : NULL;
    if (!full) return;
    const ClassRule *rule = map_pointer(&c->r->classes, key(c->r, full));
    if (rule && rule->message && !rule->new_name) tell(c, span, full, rule->message);
    const char *to = convert_path(c, full, &changed);
    if (!changed) return;
    to = as_written(c, at[0], to, by, open);
    uint32_t from = span_from(c->e, span), end = span_end(c->e, span);
    const char *dot = global && c->e->text.at[from] == '.' && !by ? "." : "";
    if (strcmp(path_text(c->e->arena, at, n), to) != 0)
        replace(c->e, from, end, *dot ? arena_printf(c->e->arena, ".%s", to) : to);
}

static void convert_path_of(const Convert *c, const Around *in, const Path *p)
{
    convert_name(c, in, p->at, p->n, p->global, p->span);
}

/* ---- what a type is, as rules see it --------------------------------------------------------- */

enum { DEEPEST = 16 };
typedef VEC(const char *) Types;

/* The library's classes that a type is, by way of the classes of this text. */
static void types_of(const Convert *c, const Around *in, const Path *type, Types *out, uint32_t depth)
{
    const char *by;
    bool open;
    const char *full = type->n ? resolve(c, in, type->at, type->n, type->global, &by, &open) : NULL;
    if (full) {
        vec_push(c->e->arena, out, full);
        return;
    }
    const Element *el = NULL;
    const Around *p = in;
    for (; p && !(el = element_of(p->cls, type->at[0], NULL)); p = p->outer) {
    }
    for (uint32_t i = 1; el && el->kind == ELEMENT_CLASS && i < type->n; i++) {
        Around *next = NEW(c->e->arena, Around);
        *next = (Around){ el->cls, p };
        p = next;
        el = element_of(el->cls, type->at[i], NULL);
    }
    if (!el || el->kind != ELEMENT_CLASS || depth > DEEPEST) return;
    const Class *cls = el->cls;
    Around inner = { cls, p };
    if (cls->form == FORM_SHORT) types_of(c, p, &cls->base, out, depth + 1);
    for (uint32_t i = 0; i < cls->element_count; i++)
        if (cls->elements[i]->kind == ELEMENT_EXTENDS)
            types_of(c, &inner, &cls->elements[i]->extends->type, out, depth + 1);
}

static const char *new_element(const Convert *c, const Types *types, const char *name)
{
    for (uint32_t i = 0; i < types->n; i++) {
        const char *to = map_pointer(&c->r->elements, key(c->r, joined(c->r, types->at[i], name)));
        if (to) return to;
    }
    return NULL;
}

static void tell_element(const Convert *c, const Types *types, const char *name, Span span)
{
    for (uint32_t i = 0; i < types->n; i++) {
        const char *message = map_pointer(&c->r->messages, key(c->r, joined(c->r, types->at[i], name)));
        if (message) tell(c, span, name, message);
    }
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void convert_expr(const Convert *c, const Around *in, const Expr *e);
static void convert_modification(const Convert *c, const Around *in, const Modification *m,
                                 const Types *types);

static Types base_types(const Convert *c, const Around *in)
{
    Types out = { 0 };
    for (uint32_t i = 0; i < in->cls->element_count; i++)
        if (in->cls->elements[i]->kind == ELEMENT_EXTENDS)
            types_of(c, in, &in->cls->elements[i]->extends->type, &out, 0);
    return out;
}

/* The parts of a reference from `at` on, of something of these types: the longest rule counts. */
static bool convert_parts(const Convert *c, const Types *types, const Expr *e, uint32_t at)
{
    Name *names = NEW_ARRAY(c->e->arena, Name, e->n + 1);
    for (uint32_t i = at; i < e->n; i++) names[i - at] = e->parts[i].name;
    for (uint32_t n = e->n - at; n; n--) {
        const char *name = path_text(c->e->arena, names, n), *to = new_element(c, types, name);
        tell_element(c, types, name, e->parts[at].span);
        if (!to) continue;
        replace(c->e, span_from(c->e, e->parts[at].span), span_end(c->e, e->parts[at + n - 1].span), to);
        return true;
    }
    return false;
}

static void convert_ref(const Convert *c, const Around *in, const Expr *e)
{
    Name *names = NEW_ARRAY(c->e->arena, Name, e->n + 1);
    const Declaration *d = NULL;
    for (uint32_t i = 0; i < e->n; i++) {
        names[i] = e->parts[i].name;
        for (uint32_t k = 0; k < e->parts[i].subscripts.n; k++)
            convert_expr(c, in, e->parts[i].subscripts.at[k]);
    }
    for (const Around *p = e->flag ? NULL : in; p; p = p->outer) {
        const Element *el = element_of(p->cls, names[0], &d);
        if (el && el->kind == ELEMENT_COMPONENT && e->n > 1) {
            Types types = { 0 };
            types_of(c, p, &el->clause->type, &types, 0);
            convert_parts(c, &types, e, 1);
        }
        if (el && el->kind == ELEMENT_COMPONENT) return;
        Types bases = el ? (Types){ 0 } : base_types(c, p);
        if (bases.n && convert_parts(c, &bases, e, 0)) return;
    }
    uint32_t n = 0;
    while (n < e->n && !(n && e->parts[n - 1].subscripts.n)) n++;
    if (n)
        convert_name(c, in, names, n, e->flag,
                     span_to(e->flag ? e->span : e->parts[0].span, e->parts[n - 1].span));
}

static void convert_items(const Convert *c, const Around *in, Expr *const *items, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) convert_expr(c, in, items[i]);
}

static void convert_indices(const Convert *c, const Around *in, const ForIndex *indices, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (indices[i].range) convert_expr(c, in, indices[i].range);
}

static void convert_expr(const Convert *c, const Around *in, const Expr *e)
{
    switch ((ExprKind)e->kind) {
    case EXPR_REF: convert_ref(c, in, e); break;
    case EXPR_CALL:
    case EXPR_PARTIAL:
        convert_ref(c, in, e->callee);
        convert_items(c, in, e->items, e->n);
        break;
    case EXPR_NAMED:
    case EXPR_UNARY:
    case EXPR_FIELD: convert_expr(c, in, e->left); break;
    case EXPR_BINARY:
        convert_expr(c, in, e->left);
        convert_expr(c, in, e->right);
        break;
    case EXPR_COMPREHENSION:
        convert_expr(c, in, e->left);
        convert_indices(c, in, e->indices, e->n);
        break;
    case EXPR_SUBSCRIPT:
        convert_expr(c, in, e->left);
        convert_items(c, in, e->subscripts, e->n);
        break;
    case EXPR_CHAIN:
    case EXPR_IF:
    case EXPR_RANGE:
    case EXPR_ARRAY:
    case EXPR_MATRIX:
    case EXPR_ROW:
    case EXPR_TUPLE: convert_items(c, in, e->items, e->n); break;
    default: break;
    }
}

static void convert_stmts(const Convert *c, const Around *in, const Stmts *body)
{
    for (uint32_t i = 0; i < body->n; i++) {
        const Stmt *st = body->at[i];
        if (st->kind == STMT_IF || st->kind == STMT_WHEN || st->kind == STMT_FOR || st->kind == STMT_WHILE) {
            if (st->kind == STMT_FOR) convert_indices(c, in, st->indices, st->index_count);
            for (uint32_t k = 0; k < st->n; k++) {
                if (st->branches[k].condition) convert_expr(c, in, st->branches[k].condition);
                convert_stmts(c, in, &st->branches[k].body);
            }
        } else if (st->kind != STMT_BREAK && st->kind != STMT_RETURN) {
            convert_expr(c, in, st->left);
            if (st->kind != STMT_CALL) convert_expr(c, in, st->right);
        }
    }
}

/* ---- modifiers ------------------------------------------------------------------------------- */

static Str source_text(const Convert *c, Span span)
{
    return (Str){ c->e->text.at + span_from(c->e, span), span.n };
}

/* A part of the text as it will be. */
static const char *converted_expr(const Convert *c, const Around *in, const Expr *value)
{
    Editing part = *c->e;
    part.pieces.at = NULL;
    part.pieces.n = part.pieces.room = 0;
    Convert inner = *c;
    inner.e = &part;
    convert_expr(&inner, in, value);
    Text out = { .arena = c->e->arena };
    uint32_t at = span_from(c->e, value->span), end = span_end(c->e, value->span);
    text_add_literal(&out, "");
    for (uint32_t i = 0; i < part.pieces.n; i++) {
        if (part.pieces.at[i].from < at) continue;
        text_add(&out, (Str){ part.text.at + at, part.pieces.at[i].from - at });
        text_add(&out, str_of(part.pieces.at[i].by));
        at = part.pieces.at[i].to;
    }
    text_add(&out, (Str){ part.text.at + at, end - at });
    return out.at;
}

static bool needs_parentheses(const Expr *e)
{
    return e->kind == EXPR_UNARY || e->kind == EXPR_BINARY || e->kind == EXPR_CHAIN || e->kind == EXPR_IF ||
           e->kind == EXPR_RANGE;
}

static const char *argument_path(const Convert *c, const Argument *a)
{
    return a->kind == ARGUMENT_MODIFY ? path_text(c->e->arena, a->names, a->name_count) : "";
}

static const Argument *argument_of(const Convert *c, const Modification *m, const char *name)
{
    for (uint32_t i = 0; m && i < m->n; i++)
        if (!strcmp(argument_path(c, m->arguments[i]), name)) return m->arguments[i];
    return NULL;
}

/* "name=default" of a rule. */
static const char *rule_name(const Convert *c, const Expr *e, const char **value)
{
    const char *text = arena_copy(c->e->arena, (Str){ e->text, e->n }), *equal = strchr(text, '=');
    *value = equal ? equal + 1 : NULL;
    size_t n = equal ? (size_t)(equal - text) : strlen(text);
    while (n && text[n - 1] == ' ') n--;
    return arena_copy(c->e->arena, (Str){ text, n });
}

/* What stands for %name% in a rule: the old modifier's value, or the default. */
static const char *old_value(const Convert *c, const Around *in, const Modification *m,
                             const ModifierRule *rule, const char *name)
{
    const Argument *a = argument_of(c, m, name);
    const Expr *value = a && a->modification ? a->modification->value : NULL;
    if (value)
        return arena_printf(c->e->arena, needs_parentheses(value) ? "(%s)" : "%s",
                            converted_expr(c, in, value));
    for (uint32_t i = 0; i < rule->old_list->n; i++) {
        const char *given, *old = rule_name(c, rule->old_list->at[i], &given);
        if (!strcmp(old, name)) return given;
    }
    return NULL;
}

/* The new modifiers of a rule, joined; NULL: a value is missing. What is there already stays. */
static const char *new_modifiers(const Convert *c, const Around *in, const Modification *m,
                                 const ModifierRule *rule)
{
    Text out = { .arena = c->e->arena };
    text_add_literal(&out, "");
    for (uint32_t i = 0; i < rule->new_list->n; i++) {
        const char *value, *name = rule_name(c, rule->new_list->at[i], &value), *other;
        bool is_old = false;
        for (uint32_t k = 0; k < rule->old_list->n; k++)
            is_old |= !strcmp(rule_name(c, rule->old_list->at[k], &other), name);
        if (!value || (!is_old && argument_of(c, m, name))) continue;
        text_printf(&out, "%s%s=", out.n ? ", " : "", name);
        for (const char *p = value; *p;) {
            const char *end = *p == '%' ? strchr(p + 1, '%') : NULL;
            if (!end) {
                text_add_char(&out, *p++);
                continue;
            }
            const char *with = old_value(c, in, m, rule, part_before(c->e->arena, p + 1, end));
            if (!with) return NULL;
            text_add(&out, str_of(with));
            p = end + 1;
        }
    }
    return out.at;
}

typedef struct {
    const Modification *m; /* may be NULL */
    uint32_t end;          /* where "(...)" begins if there is none */
    bool *removed;         /* by argument */
    Span span;
} Modified;

static bool marks_old(const Convert *c, Modified *to, const ModifierRule *rule, bool *any)
{
    for (uint32_t k = 0; k < rule->old_list->n; k++) {
        const char *value, *name = rule_name(c, rule->old_list->at[k], &value);
        if (!strncmp(name, "cardinality", 11)) return false;
        for (uint32_t i = 0; to->m && i < to->m->n; i++)
            if (!strcmp(argument_path(c, to->m->arguments[i]), name)) *any = to->removed[i] = true;
    }
    return true;
}

/* Takes away the arguments that are marked, and puts `by` in: where the first was, or behind. */
static void exchange_arguments(const Convert *c, const Modified *to, const char *by)
{
    const Modification *m = to->m;
    uint32_t n = m ? m->n : 0, first = 0, last = n;
    Editing *e = c->e;
    if (!n) {
        if (!*by) return;
        if (m && m->has_arguments)
            insert(e, span_from(e, m->span) + 1, by);
        else
            insert(e, to->end, arena_printf(e->arena, "(%s)", by));
        return;
    }
    while (first < n && !to->removed[first]) first++;
    if (first == n) {
        if (*by) insert(e, span_end(e, m->arguments[n - 1]->span), arena_printf(e->arena, ", %s", by));
        return;
    }
    while (last > 0 && to->removed[last - 1]) last--; /* those from here on are gone */
    if (*by) {
        replace(e, span_from(e, m->arguments[first]->span), span_end(e, m->arguments[first]->span), by);
        if (last <= first) last = first + 1;
    }
    for (uint32_t i = first + (*by ? 1 : 0); i < last; i++)
        if (to->removed[i])
            replace(e, span_from(e, m->arguments[i]->span), span_from(e, m->arguments[i + 1]->span), "");
    if (last == n) return;
    uint32_t end = span_end(e, m->arguments[n - 1]->span);
    if (last)
        replace(e, span_end(e, m->arguments[last - 1]->span), end, "");
    else
        replace(e, span_from(e, m->span), skip_blank(e, end) + 1, "");
}

static void apply_modifier_rules(const Convert *c, const Around *in, Modified *to, const Types *types)
{
    Text by = { .arena = c->e->arena };
    text_add_literal(&by, "");
    for (uint32_t t = 0; t < types->n; t++) {
        const ModifierRules *rules = map_pointer(&c->r->modifiers, key(c->r, types->at[t]));
        for (uint32_t i = 0; rules && i < rules->n; i++) {
            bool any = false;
            if (!marks_old(c, to, rules->at[i], &any)) {
                tell(c, to->span, types->at[t],
                     "whether a connector is connected decides about its modifiers");
                continue;
            }
            if (!any && rules->at[i]->old_list->n) continue;
            const char *more = new_modifiers(c, in, to->m, rules->at[i]);
            if (!more)
                tell(c, to->span, types->at[t], "a modifier has no value, and the rule no default");
            else if (*more)
                text_printf(&by, "%s%s", by.n ? ", " : "", more);
        }
    }
    exchange_arguments(c, to, by.at);
}

/* Where the name of an argument is: behind `each` and `final`. */
static uint32_t argument_name_at(const Convert *c, const Argument *a)
{
    static const char *const words[] = { "each", "final" };
    uint32_t at = span_from(c->e, a->span);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        size_t n = strlen(words[i]);
        if (!strncmp(c->e->text.at + at, words[i], n) && isspace((unsigned char)c->e->text.at[at + n]))
            at = skip_blank(c->e, at + (uint32_t)n);
    }
    return at;
}

static void convert_class(const Convert *c, const Around *outer, const Class *cls);
static void convert_element(const Convert *c, const Around *in, const Element *el);

static void convert_argument(const Convert *c, const Around *in, const Argument *a, const Types *types)
{
    if (a->kind == ARGUMENT_ELEMENT) convert_element(c, in, a->element);
    if (a->kind != ARGUMENT_MODIFY) return;
    const char *name = argument_path(c, a), *to = new_element(c, types, name);
    uint32_t at = argument_name_at(c, a);
    tell_element(c, types, name, a->span);
    if (to && !strncmp(c->e->text.at + at, name, strlen(name)))
        replace(c->e, at, at + (uint32_t)strlen(name), to);
    Types none = { 0 };
    if (a->modification) convert_modification(c, in, a->modification, &none);
}

static void convert_modification(const Convert *c, const Around *in, const Modification *m,
                                 const Types *types)
{
    for (uint32_t i = 0; i < m->n; i++) convert_argument(c, in, m->arguments[i], types);
    if (m->value && m->value->kind != EXPR_BREAK) convert_expr(c, in, m->value);
}

static bool same_value(const Convert *c, const Argument *a, const char *want)
{
    const Expr *value = a && a->modification ? a->modification->value : NULL;
    if (!value) return false;
    if (value->kind == EXPR_REF && value->n) return str_is(name_str(value->parts[value->n - 1].name), want);
    return str_is(source_text(c, value->span), want);
}

/* convertClassIf: the new name, and the argument that decided is taken away. */
static const char *class_if(const Convert *c, const Types *types, Modified *to)
{
    const ClassRule *rule = types->n == 1 ? map_pointer(&c->r->classes, key(c->r, types->at[0])) : NULL;
    for (uint32_t i = 0; rule && i + 2 < rule->if_rules.n; i += 3)
        for (uint32_t k = 0; to->m && k < to->m->n; k++) {
            bool is_it = !strcmp(argument_path(c, to->m->arguments[k]), rule->if_rules.at[i]);
            if (!is_it || !same_value(c, to->m->arguments[k], rule->if_rules.at[i + 1])) continue;
            to->removed[k] = true;
            return rule->if_rules.at[i + 2];
        }
    return NULL;
}

/* A type with modifiers: of a component, an extends clause, a short class. `at`: where modifiers
 * begin if there are none. `shared`: with other components. True: convertClassIf has converted the
 * name. */
static bool convert_typed(const Convert *c, const Around *in, const Path *type, const Modification *m,
                          uint32_t at, bool shared)
{
    Types types = { 0 };
    types_of(c, in, type, &types, 0);
    Modified to = { m, at, NEW_ARRAY(c->e->arena, bool, (m ? m->n : 0) + 1), type->span };
    const char *chosen = class_if(c, &types, &to);
    if (chosen && shared) {
        tell(c, type->span, types.at[0],
             "it depends on a modifier, and several components are declared at once");
        memset(to.removed, 0, (m ? m->n : 0) * sizeof *to.removed);
        chosen = NULL;
    }
    if (chosen) replace(c->e, span_from(c->e, type->span), span_end(c->e, type->span), chosen);
    apply_modifier_rules(c, in, &to, &types);
    for (uint32_t i = 0; m && i < m->n; i++)
        if (!to.removed[i]) convert_argument(c, in, m->arguments[i], &types);
    if (m && m->value && m->value->kind != EXPR_BREAK) convert_expr(c, in, m->value);
    return chosen != NULL;
}

/* ---- classes --------------------------------------------------------------------------------- */

static void convert_clause(const Convert *c, const Around *in, const Clause *clause)
{
    bool chosen = false;
    convert_items(c, in, clause->subscripts.at, clause->subscripts.n);
    for (uint32_t i = 0; i < clause->n; i++) {
        const Declaration *d = &clause->declarations[i];
        const Exprs *subs = &d->subscripts;
        uint32_t at = span_end(c->e, d->span);
        if (subs->n) at = skip_blank(c->e, span_end(c->e, subs->at[subs->n - 1]->span)) + 1;
        convert_items(c, in, subs->at, subs->n);
        chosen |= convert_typed(c, in, &clause->type, d->modification, at, clause->n > 1);
        if (d->condition) convert_expr(c, in, d->condition);
        if (d->comment && d->comment->annotation)
            convert_modification(c, in, d->comment->annotation, &(Types){ 0 });
    }
    if (!chosen) convert_path_of(c, in, &clause->type);
}

static void convert_element(const Convert *c, const Around *in, const Element *el)
{
    switch ((ElementKind)el->kind) {
    case ELEMENT_CLASS: convert_class(c, in, el->cls); break;
    case ELEMENT_COMPONENT: convert_clause(c, in, el->clause); break;
    case ELEMENT_EXTENDS:
        if (!convert_typed(c, in, &el->extends->type, el->extends->modification,
                           span_end(c->e, el->extends->type.span), false))
            convert_path_of(c, in, &el->extends->type);
        break;
    case ELEMENT_IMPORT:
        if (el->import->kind != IMPORT_LIST) convert_path_of(c, NULL, &el->import->path);
        break;
    }
    if (!el->constraint) return;
    convert_path_of(c, in, &el->constraint->type);
    if (el->constraint->modification) {
        Types types = { 0 };
        types_of(c, in, &el->constraint->type, &types, 0);
        convert_modification(c, in, el->constraint->modification, &types);
    }
}

static void convert_uses(const Convert *c, const Class *cls)
{
    const Argument *uses = modification_find(class_annotation(cls), "uses");
    const Argument *use = uses ? modification_find(uses->modification, c->library) : NULL;
    const Argument *version = use ? modification_find(use->modification, "version") : NULL;
    const Expr *value = version && version->modification ? version->modification->value : NULL;
    if (value && value->kind == EXPR_STRING)
        replace(c->e, span_from(c->e, value->span), span_end(c->e, value->span),
                arena_printf(c->e->arena, "\"%s\"", c->version));
}

static void convert_class(const Convert *c, const Around *outer, const Class *cls)
{
    Around in = { cls, outer };
    if (cls->form == FORM_SHORT) {
        uint32_t at = span_end(c->e, cls->base.span);
        if (cls->subscripts.n)
            at = skip_blank(c->e, span_end(c->e, cls->subscripts.at[cls->subscripts.n - 1]->span)) + 1;
        if (!convert_typed(c, outer, &cls->base, cls->modification, at, false))
            convert_path_of(c, outer, &cls->base);
    }
    for (uint32_t i = 0; i < cls->element_count; i++) convert_element(c, &in, cls->elements[i]);
    for (uint32_t i = 0; i < cls->section_count; i++) convert_stmts(c, &in, &cls->sections[i]->body);
    convert_uses(c, cls);
}

bool convert_text(const ConvertRules *rules, const Tree *tree, const char *library, const char *version,
                  Arena *arena, Text *out, Diag *diag)
{
    Editing e = {
        .arena = arena, .names = rules->names, .text = tree->source->text, .base = tree->source->base
    };
    Convert c = { &e, rules, diag, library, version };
    for (uint32_t i = 0; i < tree->n; i++) convert_class(&c, NULL, tree->classes[i]);
    write_pieces(&e, out);
    return out->n != e.text.n || memcmp(out->at, e.text.at, out->n) != 0;
}
