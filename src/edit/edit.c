/* edit.c: one change of a class in its text.
 *
 * In: a text, the name of a class in it, a change. Out: the text with some pieces replaced. How:
 * the text is parsed, the places are found by the spans of the tree, and only the pieces that the
 * change is about are written anew. Always: what comes out parses if what came in did, else the
 * change is refused. Cost: parsing. Tests: tests/edit/edit_test.c. */
#include "edit/inside.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEEPEST_PATH = 16 };

void replace(Editing *e, uint32_t from, uint32_t to, const char *by)
{
    Piece piece = { from, to, by };
    uint32_t i = e->pieces.n;
    vec_push(e->arena, &e->pieces, piece);
    for (; i && e->pieces.at[i - 1].from > from; i--) e->pieces.at[i] = e->pieces.at[i - 1];
    e->pieces.at[i] = piece;
}

bool fail(Editing *e, const char *format, ...)
{
    Text text = { .arena = e->arena };
    va_list args;
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    if (!e->why) e->why = text.at;
    return false;
}

/* "a.b.c" at its dots. */
static uint32_t split_path(Editing *e, const char *name, char **path)
{
    uint32_t n = 0;
    for (char *at = arena_copy(e->arena, str_of(name)); at && *at && n < DEEPEST_PATH; n++) {
        char *dot = strchr(at, '.');
        if (dot) *dot = 0;
        path[n] = at;
        at = dot ? dot + 1 : NULL;
    }
    return n;
}

/* ---- components ------------------------------------------------------------------------------ */

/* The last component that stands in a public section; else the last extends clause. */
static const Element *last_element(const Class *cls)
{
    const Element *last = NULL;
    for (uint32_t i = 0; i < cls->element_count; i++) {
        const Element *el = cls->elements[i];
        bool counts =
            el->kind == ELEMENT_COMPONENT || el->kind == ELEMENT_EXTENDS || el->kind == ELEMENT_IMPORT;
        if (counts && !(el->flags & IS_PROTECTED)) last = el;
    }
    return last;
}

static uint32_t element_end(const Editing *e, const Element *el)
{
    uint32_t end = span_end(e, el->span);
    if (el->kind == ELEMENT_COMPONENT && el->clause->n) {
        const Declaration *d = &el->clause->declarations[el->clause->n - 1];
        uint32_t own = comment_end(e, declaration_end(e, d), d->comment);
        if (own > end) end = own;
    }
    return behind_semicolon(e, end);
}

static void add_component(Editing *e, const Edit *edit)
{
    if (find_declaration(e, edit->name, NULL)) {
        fail(e, "there is a '%s' already", edit->name);
        return;
    }
    const Element *last = last_element(e->cls);
    const char *annotation = edit->annotation && *edit->annotation
                                 ? arena_printf(e->arena, " annotation(%s)", edit->annotation)
                                 : "";
    uint32_t at = last ? element_end(e, last) : class_head_end(e);
    const char *indent = last ? indent_of(e, span_from(e, last->span))
                              : arena_printf(e->arena, "%s  ", indent_of(e, span_from(e, e->cls->span)));
    insert(e, at,
           arena_printf(e->arena, "%s%s%s %s%s%s;", e->end_of_line, indent, edit->other, edit->name,
                        edit->text ? edit->text : "", annotation));
}

static bool is_about(const Expr *ref, const char *name)
{
    return ref->kind == EXPR_REF && ref->n && str_is(name_str(ref->parts[0].name), name);
}

static uint32_t statement_end(const Editing *e, const Stmt *st)
{
    uint32_t end = span_end(e, st->span), own = comment_end(e, end, st->comment);
    return behind_semicolon(e, own > end ? own : end);
}

static void drop_connections(Editing *e, const Stmts *body, const char *name)
{
    for (uint32_t i = 0; i < body->n; i++) {
        const Stmt *st = body->at[i];
        for (uint32_t k = 0; (st->kind == STMT_IF || st->kind == STMT_FOR) && k < st->n; k++)
            drop_connections(e, &st->branches[k].body, name);
        if (st->kind == STMT_CONNECT && (is_about(st->left, name) || is_about(st->right, name)))
            remove_item(e, span_from(e, st->span), statement_end(e, st));
    }
}

static void remove_component(Editing *e, const char *name)
{
    Element *el = NULL;
    Declaration *d = find_declaration(e, name, &el);
    if (!d) {
        fail(e, "there is no component '%s' in this class itself", name);
        return;
    }
    uint32_t i = (uint32_t)(d - el->clause->declarations);
    if (el->clause->n == 1) {
        remove_item(e, span_from(e, el->span), element_end(e, el));
    } else {
        uint32_t from = span_from(e, d->span), to = comment_end(e, declaration_end(e, d), d->comment);
        if (i) {
            const Declaration *before = d - 1;
            from = comment_end(e, declaration_end(e, before), before->comment);
        } else {
            to = span_from(e, d[1].span);
        }
        replace(e, from, to, "");
    }
    for (uint32_t k = 0; k < e->cls->section_count; k++)
        drop_connections(e, &e->cls->sections[k]->body, name);
}

static void place_component(Editing *e, const Edit *edit)
{
    char *path[] = { (char *)(uintptr_t) "Placement", (char *)(uintptr_t) "transformation" };
    Declaration *d = find_declaration(e, edit->name, NULL);
    if (d)
        set_annotation(e, d->comment, declaration_end(e, d), path, 2, edit->text);
    else
        fail(e, "'%s' is inherited, and is placed where it is declared", edit->name);
}

/* ---- connections ----------------------------------------------------------------------------- */

static bool same_end(const Editing *e, const Expr *ref, const char *text)
{
    Text own = { .arena = e->arena };
    syntax_print_expr(ref, &own);
    return own.n == strlen(text) && !memcmp(own.at, text, own.n);
}

static const Stmt *find_connection(const Editing *e, const Stmts *body, const char *a, const char *b)
{
    for (uint32_t i = 0; i < body->n; i++) {
        const Stmt *st = body->at[i], *inner = NULL;
        for (uint32_t k = 0; !inner && (st->kind == STMT_IF || st->kind == STMT_FOR) && k < st->n; k++)
            inner = find_connection(e, &st->branches[k].body, a, b);
        if (inner) return inner;
        if (st->kind == STMT_CONNECT && same_end(e, st->left, a) && same_end(e, st->right, b)) return st;
    }
    return NULL;
}

static const Stmt *connection(Editing *e, const Edit *edit)
{
    for (uint32_t i = 0; i < e->cls->section_count; i++) {
        const Stmts *body = &e->cls->sections[i]->body;
        const Stmt *st = find_connection(e, body, edit->name, edit->other);
        if (!st) st = find_connection(e, body, edit->other, edit->name);
        if (st) return st;
    }
    fail(e, "there is no connect(%s, %s) in this class itself", edit->name, edit->other);
    return NULL;
}

/* The last section of equations that are no initial ones; NULL: there is none. */
static const Section *last_equations(const Class *cls)
{
    for (uint32_t i = cls->section_count; i-- > 0;)
        if (!cls->sections[i]->is_algorithm && !cls->sections[i]->is_initial) return cls->sections[i];
    return NULL;
}

static void add_connection(Editing *e, const Edit *edit)
{
    const char *annotation = edit->annotation && *edit->annotation
                                 ? arena_printf(e->arena, " annotation(%s)", edit->annotation)
                                 : "";
    const char *outer = indent_of(e, span_from(e, e->cls->span));
    const Section *section = last_equations(e->cls);
    if (section && section->body.n) {
        const Stmt *last = section->body.at[section->body.n - 1];
        insert(e, statement_end(e, last),
               arena_printf(e->arena, "%s%sconnect(%s, %s)%s;", e->end_of_line,
                            indent_of(e, span_from(e, last->span)), edit->name, edit->other, annotation));
        return;
    }
    const char *line =
        arena_printf(e->arena, "%s  connect(%s, %s)%s;", outer, edit->name, edit->other, annotation);
    if (section) { /* `equation` without equations */
        insert(e, span_from(e, section->span) + (uint32_t)strlen("equation"),
               arena_printf(e->arena, "%s%s", e->end_of_line, line));
        return;
    }
    uint32_t at = class_tail(e);
    const char *indent = indent_of(e, at);
    insert(e, at - (uint32_t)strlen(indent),
           arena_printf(e->arena, "%sequation%s%s%s", outer, e->end_of_line, line, e->end_of_line));
}

static void route_connection(Editing *e, const Edit *edit)
{
    char *path[] = { (char *)(uintptr_t) "Line", (char *)(uintptr_t) "points" };
    const Stmt *st = connection(e, edit);
    if (!st) return;
    uint32_t end = span_end(e, st->span);
    set_annotation(e, st->comment, end, path, 2, arena_printf(e->arena, "points = %s", edit->text));
}

/* ---- the rest -------------------------------------------------------------------------------- */

/* A modifier of something inherited is one of the extends clause. */
static const Element *base_of(const Editing *e)
{
    for (uint32_t i = 0; i < e->cls->element_count; i++)
        if (e->cls->elements[i]->kind == ELEMENT_EXTENDS) return e->cls->elements[i];
    return NULL;
}

static void set_modifier(Editing *e, const Edit *edit)
{
    char *path[DEEPEST_PATH];
    uint32_t n = split_path(e, edit->name, path);
    Declaration *d = n ? find_declaration(e, path[0], NULL) : NULL;
    const Element *base = d ? NULL : base_of(e);
    if (!d && !base) {
        fail(e, "there is no '%s' in this class", edit->name);
        return;
    }
    const Modification *m = d ? d->modification : base->extends->modification;
    uint32_t at = d ? span_end(e, d->span) : span_end(e, base->extends->type.span);
    if (d && d->subscripts.n)
        at = skip_blank(e, span_end(e, d->subscripts.at[d->subscripts.n - 1]->span)) + 1;
    if (d) {
        memmove(path, path + 1, (n - 1) * sizeof *path);
        n--;
    }
    if (*edit->text)
        set_value(e, m, at, path, n, edit->text);
    else if (!remove_value(e, m, at, path, n))
        fail(e, "'%s' has no value here", edit->name);
}

static void annotate_class(Editing *e, const Edit *edit)
{
    char *path[] = { (char *)(uintptr_t)edit->name };
    if (class_annotation(e->cls)) {
        set_member(e, class_annotation(e->cls), path, 1, edit->text);
        return;
    }
    uint32_t at = class_tail(e);
    const char *indent = indent_of(e, at);
    insert(e, at - (uint32_t)strlen(indent),
           arena_printf(e->arena, "%s  annotation(%s);%s", indent, edit->text, e->end_of_line));
}

static void make_change(Editing *e, const Edit *edit)
{
    const Stmt *st;
    switch (edit->kind) {
    case EDIT_ADD: add_component(e, edit); break;
    case EDIT_REMOVE: remove_component(e, edit->name); break;
    case EDIT_PLACE: place_component(e, edit); break;
    case EDIT_CONNECT: add_connection(e, edit); break;
    case EDIT_DISCONNECT:
        if ((st = connection(e, edit))) remove_item(e, span_from(e, st->span), statement_end(e, st));
        break;
    case EDIT_ROUTE: route_connection(e, edit); break;
    case EDIT_SET: set_modifier(e, edit); break;
    case EDIT_RENAME: rename_component(e, edit->name, edit->other); break;
    case EDIT_ANNOTATE: annotate_class(e, edit); break;
    case EDIT_COUNT: break;
    }
}

void write_pieces(const Editing *e, Text *out)
{
    uint32_t at = 0;
    text_add_literal(out, "");
    for (uint32_t i = 0; i < e->pieces.n; i++) {
        const Piece *p = &e->pieces.at[i];
        if (p->from < at) continue; /* inside of one that is gone already */
        text_add(out, (Str){ e->text.at + at, p->from - at });
        text_add(out, str_of(p->by));
        at = p->to;
    }
    text_add(out, (Str){ e->text.at + at, e->text.n - at });
}

/* ---- texts ----------------------------------------------------------------------------------- */

static Class *inner_class(Class *cls, const char *rest)
{
    while (cls && *rest) {
        size_t n = strcspn(rest, ".");
        Class *found = NULL;
        for (uint32_t i = 0; i < cls->element_count; i++)
            if (cls->elements[i]->kind == ELEMENT_CLASS &&
                str_equal(name_str(cls->elements[i]->cls->name), (Str){ rest, n }))
                found = cls->elements[i]->cls;
        cls = found;
        rest += n + (rest[n] == '.');
    }
    return cls;
}

/* "A.B.C", of a file that may be `within A`. */
static Class *class_of_text(const Tree *tree, const char *name)
{
    for (uint32_t i = 0; tree->has_within && i < tree->within.n; i++) {
        Str part = name_str(tree->within.at[i]);
        if (strncmp(name, part.at, part.n) != 0 || name[part.n] != '.') return NULL;
        name += part.n + 1;
    }
    size_t n = strcspn(name, ".");
    for (uint32_t i = 0; i < tree->n; i++)
        if (str_equal(name_str(tree->classes[i]->name), (Str){ name, n }))
            return inner_class(tree->classes[i], name + n + (name[n] == '.'));
    return NULL;
}

typedef struct {
    Names *names;
    Sources *sources;
    Reader *reader;
    Arena *arena;
} Parsing;

static Tree *parse(Parsing *p, Str text, uint32_t *base, uint32_t *errors)
{
    Diag diag;
    diag_init(&diag, p->arena);
    const Source *source = source_add_text(p->sources, "text", text);
    if (!source) return NULL;
    *base = source->base;
    Tree *tree = syntax_parse(p->reader, source, p->arena, &diag);
    *errors = diag.errors;
    return tree;
}

static bool apply(Parsing *p, Str text, const char *class_name, const Edit *edit, Text *result, char *why,
                  size_t room)
{
    Text changed = { .arena = p->arena }, *out = &changed;
    Editing e = { .arena = p->arena, .names = p->names, .text = text };
    uint32_t errors = 0, after = 0, base;
    const Tree *tree = parse(p, text, &e.base, &errors);
    e.cls = tree ? class_of_text(tree, class_name) : NULL;
    e.end_of_line = memmem(text.at, text.n, "\r\n", 2) ? "\r\n" : "\n";
    if (!e.cls)
        fail(&e, "there is no class '%s' in this text", class_name);
    else if (e.cls->form != FORM_LONG && e.cls->form != FORM_EXTENDS)
        fail(&e, "'%s' is a short class, which has nothing in it", class_name);
    else
        make_change(&e, edit);
    if (!e.why) {
        write_pieces(&e, out);
        if (!parse(p, (Str){ out->at, out->n }, &base, &after) || after > errors)
            fail(&e, "this would make the text wrong: is '%s' well formed?",
                 edit->text && *edit->text ? edit->text : edit->name);
    }
    if (e.why)
        snprintf(why, room, "%s", e.why);
    else
        text_add(result, (Str){ out->at, out->n });
    return !e.why;
}

bool edit_apply(Str text, const char *class_name, const Edit *edit, Text *out, char *why, size_t room)
{
    jmp_buf escape;
    volatile bool ok = false;
    Parsing p = { syntax_names_new(), sources_new(), NULL, arena_new() };
    if (p.names) p.reader = reader_new(p.names);
    snprintf(why, room, "no memory for this change");
    if (p.reader && p.sources && p.arena && !setjmp(escape)) {
        p.arena->escape = &escape;
        ok = apply(&p, text, class_name, edit, out, why, room);
    }
    reader_free(p.reader);
    sources_free(p.sources);
    names_free(p.names);
    arena_free(p.arena);
    return ok;
}
