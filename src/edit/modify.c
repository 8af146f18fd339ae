/* modify.c: values of modifiers and members of annotations, set and taken away in the text.
 * Tests: tests/edit/edit_test.c. */
#include "edit/inside.h"

/* The argument that is about the beginning of a path; NULL: none. */
static const Argument *find_argument(const Modification *m, char **path, uint32_t n, uint32_t *index)
{
    for (uint32_t i = 0; m && i < m->n; i++) {
        const Argument *a = m->arguments[i];
        if (a->kind != ARGUMENT_MODIFY || a->name_count > n) continue;
        uint32_t k = 0;
        while (k < a->name_count && str_is(name_str(a->names[k]), path[k])) k++;
        if (k < a->name_count) continue;
        if (index) *index = i;
        return a;
    }
    return NULL;
}

/* Where the names of an argument end. */
static uint32_t names_end(const Editing *e, const Argument *a)
{
    uint32_t at = a->modification ? span_from(e, a->modification->span) : span_end(e, a->span);
    while (at && strchr(" \t\r\n", e->text.at[at - 1])) at--;
    return at;
}

/* Behind the last argument, or behind the opening parenthesis. */
static void add_argument(Editing *e, const Modification *m, uint32_t at, const char *text)
{
    if (m && m->n)
        insert(e, span_end(e, m->arguments[m->n - 1]->span), arena_printf(e->arena, ", %s", text));
    else if (m && m->has_arguments)
        insert(e, skip_blank(e, span_from(e, m->span)) + 1, text);
    else
        insert(e, at, arena_printf(e->arena, "(%s)", text));
}

/* "a(b(c = value))" */
static const char *nested(Editing *e, char **path, uint32_t n, const char *value)
{
    Text text = { .arena = e->arena };
    for (uint32_t i = 0; i < n; i++) text_printf(&text, "%s%s", i ? "(" : "", path[i]);
    text_printf(&text, " = %s", value);
    text_add_repeat(&text, ')', n - 1);
    return text.at;
}

void set_value(Editing *e, const Modification *m, uint32_t at, char **path, uint32_t n, const char *value)
{
    if (!n) {
        if (m && m->value)
            replace(e, span_from(e, m->value->span), span_end(e, m->value->span), value);
        else
            insert(e, m ? span_end(e, m->span) : at, arena_printf(e->arena, " = %s", value));
        return;
    }
    const Argument *a = find_argument(m, path, n, NULL);
    if (a)
        set_value(e, a->modification, names_end(e, a), path + a->name_count, n - a->name_count, value);
    else
        add_argument(e, m, at, nested(e, path, n, value));
}

static void drop_argument(Editing *e, const Modification *m, uint32_t i)
{
    uint32_t from = span_from(e, m->arguments[i]->span), to = span_end(e, m->arguments[i]->span);
    if (i)
        from = span_end(e, m->arguments[i - 1]->span);
    else if (m->n > 1)
        to = span_from(e, m->arguments[1]->span);
    replace(e, from, to, "");
}

/* Whether nothing is left of a modification without the value at this path. */
static bool leaves_nothing(const Modification *m, char **path, uint32_t n)
{
    if (!n) return !m->n;
    const Argument *a = find_argument(m, path, n, NULL);
    if (!a || m->value || m->n > 1) return false;
    return !a->modification || leaves_nothing(a->modification, path + a->name_count, n - a->name_count);
}

bool remove_value(Editing *e, const Modification *m, uint32_t at, char **path, uint32_t n)
{
    uint32_t i;
    if (!m) return false;
    if (!n) {
        if (!m->value) return false;
        uint32_t from = m->n ? span_end(e, m->arguments[m->n - 1]->span) : at;
        if (m->n) from = skip_blank(e, from) + 1; /* behind the closing parenthesis */
        replace(e, from, span_end(e, m->value->span), "");
        return true;
    }
    const Argument *a = find_argument(m, path, n, &i);
    if (!a || !a->modification) return false;
    if (!leaves_nothing(a->modification, path + a->name_count, n - a->name_count))
        return remove_value(e, a->modification, names_end(e, a), path + a->name_count, n - a->name_count);
    if (m->n == 1 && !m->value && n)
        replace(e, at, span_end(e, m->span), "");
    else if (m->n == 1)
        replace(e, span_from(e, m->span), skip_blank(e, span_end(e, a->span)) + 1, "");
    else
        drop_argument(e, m, i);
    return true;
}

/* "a(b(text))", without the last name of the path, which the text begins with. */
static const char *wrapped(Editing *e, char **path, uint32_t n, const char *text)
{
    Text out = { .arena = e->arena };
    for (uint32_t i = 0; i + 1 < n; i++) text_printf(&out, "%s(", path[i]);
    text_add(&out, str_of(text));
    text_add_repeat(&out, ')', n - 1);
    return out.at;
}

void set_member(Editing *e, const Modification *m, char **path, uint32_t n, const char *text)
{
    const Argument *a = find_argument(m, path, 1, NULL);
    if (!a)
        add_argument(e, m, 0, wrapped(e, path, n, text));
    else if (n == 1)
        replace(e, span_from(e, a->span), span_end(e, a->span), text);
    else if (a->modification && a->modification->has_arguments)
        set_member(e, a->modification, path + 1, n - 1, text);
    else
        replace(e, span_from(e, a->span), span_end(e, a->span), wrapped(e, path, n, text));
}

void set_annotation(Editing *e, const Comment *c, uint32_t at, char **path, uint32_t n, const char *text)
{
    if (c && c->annotation)
        set_member(e, c->annotation, path, n, text);
    else
        insert(e, skip_string(e, at), arena_printf(e->arena, " annotation(%s)", wrapped(e, path, n, text)));
}
