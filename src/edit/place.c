/* place.c: where things begin and end in a text, beyond what spans of the tree say.
 * Tests: tests/edit/edit_test.c. */
#include "edit/inside.h"

static char byte_at(const Editing *e, uint32_t at) { return at < e->text.n ? e->text.at[at] : 0; }

uint32_t skip_blank(const Editing *e, uint32_t at)
{
    for (;;) {
        char c = byte_at(e, at), next = byte_at(e, at + 1);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            at++;
        } else if (c == '/' && next == '/') {
            while (at < e->text.n && byte_at(e, at) != '\n') at++;
        } else if (c == '/' && next == '*') {
            const char *end = memmem(e->text.at + at + 2, e->text.n - at - 2, "*/", 2);
            at = end ? (uint32_t)(end - e->text.at) + 2 : (uint32_t)e->text.n;
        } else {
            return at;
        }
    }
}

static uint32_t skip_quoted(const Editing *e, uint32_t at)
{
    for (at++; at < e->text.n && byte_at(e, at) != '"'; at++)
        if (byte_at(e, at) == '\\') at++;
    return at + 1;
}

uint32_t skip_string(const Editing *e, uint32_t at)
{
    uint32_t end = at, next = skip_blank(e, at);
    while (byte_at(e, next) == '"') {
        end = skip_quoted(e, next);
        next = skip_blank(e, end);
        if (byte_at(e, next) == '+') next = skip_blank(e, next + 1);
    }
    return end;
}

uint32_t behind_semicolon(const Editing *e, uint32_t at)
{
    uint32_t next = skip_blank(e, at);
    return byte_at(e, next) == ';' ? next + 1 : at;
}

static uint32_t line_start(const Editing *e, uint32_t at)
{
    while (at && byte_at(e, at - 1) != '\n') at--;
    return at;
}

const char *indent_of(const Editing *e, uint32_t at)
{
    uint32_t from = line_start(e, at), to = from;
    while (byte_at(e, to) == ' ' || byte_at(e, to) == '\t') to++;
    return arena_copy(e->arena, (Str){ e->text.at + from, to - from });
}

void remove_item(Editing *e, uint32_t from, uint32_t to)
{
    uint32_t start = from, end = to;
    while (start && (byte_at(e, start - 1) == ' ' || byte_at(e, start - 1) == '\t')) start--;
    while (byte_at(e, end) == ' ' || byte_at(e, end) == '\t' || byte_at(e, end) == '\r') end++;
    bool alone = (!start || byte_at(e, start - 1) == '\n') && byte_at(e, end) == '\n';
    if (alone)
        replace(e, start, end + 1, "");
    else
        replace(e, from, to, "");
}

uint32_t class_head_end(const Editing *e) { return skip_string(e, span_end(e, e->cls->name_span)); }

/* Where the word in front of a place begins. */
static uint32_t word_before(const Editing *e, uint32_t at)
{
    while (at && strchr(" \t\r\n", byte_at(e, at - 1))) at--;
    while (at && (byte_at(e, at - 1) == '_' || (byte_at(e, at - 1) >= 'a' && byte_at(e, at - 1) <= 'z')))
        at--;
    return at;
}

uint32_t class_tail(const Editing *e)
{
    const Modification *annotation = class_annotation(e->cls);
    if (annotation) {
        uint32_t at = span_from(e, annotation->span);
        if (!memcmp(e->text.at + at, "annotation", 10)) return at;
        return word_before(e, at);
    }
    uint32_t end = span_end(e, e->cls->span), name = end;
    while (name && byte_at(e, name - 1) == ';') name--;
    Str cls = name_str(e->cls->name);
    return word_before(e, (uint32_t)(name - cls.n));
}

uint32_t declaration_end(const Editing *e, const Declaration *d)
{
    uint32_t end = span_end(e, d->span);
    if (d->subscripts.n) {
        end = skip_blank(e, span_end(e, d->subscripts.at[d->subscripts.n - 1]->span));
        if (byte_at(e, end) == ']') end++;
    }
    if (d->modification) end = span_end(e, d->modification->span);
    if (d->condition) end = span_end(e, d->condition->span);
    return end;
}

uint32_t comment_end(const Editing *e, uint32_t at, const Comment *c)
{
    return c && c->annotation ? span_end(e, c->annotation->span) : skip_string(e, at);
}

Declaration *find_declaration(const Editing *e, const char *name, Element **element)
{
    for (uint32_t i = 0; i < e->cls->element_count; i++) {
        Element *el = e->cls->elements[i];
        for (uint32_t k = 0; el->kind == ELEMENT_COMPONENT && k < el->clause->n; k++) {
            if (!str_is(name_str(el->clause->declarations[k].name), name)) continue;
            if (element) *element = el;
            return &el->clause->declarations[k];
        }
    }
    return NULL;
}
