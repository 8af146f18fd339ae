/* html.c: documentation that others wrote, made harmless.
 *
 * In: HTML as libraries have it. Out: a piece of HTML of known tags with known attributes, all of
 * them quoted. What is known is in two tables; every other tag is left out, of some with all that
 * is in it. Always: no script, style, form, or address that a browser would fetch; '<' and '&' in
 * texts are escaped where they begin nothing; all that is opened is closed. Cost: linear. Tests:
 * tests/page/html_test.c. */
#include "page/page.h"

#include <ctype.h>

enum { MOST_OPEN = 200, MOST_ATTRIBUTES = 40 };

/* Tags that pass; `is_empty`: they have no end. */
static const struct {
    const char *name;
    bool is_empty;
} tags[] = {
    { "a", false },      { "abbr", false },   { "address", false },  { "b", false },      { "big", false },
    { "blockquote", 0 }, { "br", true },      { "caption", false },  { "center", false }, { "cite", false },
    { "code", false },   { "col", true },     { "colgroup", false }, { "dd", false },     { "del", false },
    { "dfn", false },    { "div", false },    { "dl", false },       { "dt", false },     { "em", false },
    { "figcaption", 0 }, { "figure", false }, { "h1", false },       { "h2", false },     { "h3", false },
    { "h4", false },     { "h5", false },     { "h6", false },       { "hr", true },      { "i", false },
    { "img", true },     { "ins", false },    { "kbd", false },      { "li", false },     { "ol", false },
    { "p", false },      { "pre", false },    { "q", false },        { "s", false },      { "samp", false },
    { "small", false },  { "span", false },   { "strong", false },   { "sub", false },    { "sup", false },
    { "table", false },  { "tbody", false },  { "td", false },       { "tfoot", false },  { "th", false },
    { "thead", false },  { "tr", false },     { "tt", false },       { "u", false },      { "ul", false },
    { "var", false },
};

/* Tags that go with all that is between them. */
static const char *const dropped[] = { "script", "style", "iframe", "object", "embed",    "template", "svg",
                                       "math",   "form",  "title",  "head",   "textarea", "noscript", "xmp" };

/* Attributes that pass as they are, on any tag. */
static const char *const attributes[] = { "align",   "alt",    "border",  "cellpadding", "cellspacing",
                                          "colspan", "height", "rowspan", "start",       "summary",
                                          "title",   "valign", "width",   "type" };

typedef struct {
    Str name, value;
} Attribute;

typedef struct {
    Str in;
    size_t at;
    const PageLinks *links;
    Text *out;
    int open[MOST_OPEN]; /* indices of tags */
    int depth;
} Cleaner;

static bool same_word(Str a, const char *b)
{
    size_t n = strlen(b);
    if (a.n != n) return false;
    for (size_t i = 0; i < n; i++)
        if (tolower((unsigned char)a.at[i]) != b[i]) return false;
    return true;
}

static int find_tag(Str name)
{
    for (size_t i = 0; i < COUNT_OF(tags); i++)
        if (same_word(name, tags[i].name)) return (int)i;
    return -1;
}

static bool is_one_of(Str name, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (same_word(name, words[i])) return true;
    return false;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The length of an entity at the beginning of a text; 0: there is none. */
static size_t entity_length(Str text)
{
    size_t i = 1;
    if (i < text.n && text.at[i] == '#') i++;
    size_t from = i;
    while (i < text.n && i < 12 && isalnum((unsigned char)text.at[i])) i++;
    return i > from && i < text.n && text.at[i] == ';' ? i + 1 : 0;
}

static void add_text(Str text, Text *out)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.at[i];
        Str rest = { text.at + i, text.n - i };
        if (c == '<')
            text_add_literal(out, "&lt;");
        else if (c == '>')
            text_add_literal(out, "&gt;");
        else if (c == '"')
            text_add_literal(out, "&quot;");
        else if (c == '&' && !entity_length(rest))
            text_add_literal(out, "&amp;");
        else if ((unsigned char)c >= 32 || c == '\n' || c == '\t')
            text_add_char(out, c);
    }
}

/* ---- tags ------------------------------------------------------------------------------------ */

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }

static void skip_spaces(Cleaner *c)
{
    while (c->at < c->in.n && is_space(c->in.at[c->at])) c->at++;
}

static Str take_word(Cleaner *c)
{
    size_t from = c->at;
    while (c->at < c->in.n && !is_space(c->in.at[c->at]) && !strchr("=>/\"'<", c->in.at[c->at])) c->at++;
    return (Str){ c->in.at + from, c->at - from };
}

static Str take_value(Cleaner *c)
{
    skip_spaces(c);
    char quote = c->at < c->in.n ? c->in.at[c->at] : 0;
    if (quote != '"' && quote != '\'') {
        size_t from = c->at;
        while (c->at < c->in.n && !is_space(c->in.at[c->at]) && c->in.at[c->at] != '>') c->at++;
        return (Str){ c->in.at + from, c->at - from };
    }
    size_t from = ++c->at;
    while (c->at < c->in.n && c->in.at[c->at] != quote) c->at++;
    Str value = { c->in.at + from, c->at - from };
    if (c->at < c->in.n) c->at++;
    return value;
}

/* Up to the end of the tag. */
static int take_attributes(Cleaner *c, Attribute *found)
{
    int n = 0;
    for (;;) {
        skip_spaces(c);
        if (c->at >= c->in.n) return n;
        if (c->in.at[c->at] == '>') {
            c->at++;
            return n;
        }
        Attribute a = { take_word(c), { "", 0 } };
        if (!a.name.n) {
            c->at++;
            continue;
        }
        skip_spaces(c);
        if (c->at < c->in.n && c->in.at[c->at] == '=') {
            c->at++;
            a.value = take_value(c);
        }
        if (n < MOST_ATTRIBUTES) found[n++] = a;
    }
}

static void add_attribute(Cleaner *c, const char *name, Str value)
{
    text_add_char(c->out, ' ');
    text_add(c->out, str_of(name));
    text_add_literal(c->out, "=\"");
    add_text(value, c->out);
    text_add_char(c->out, '"');
}

static bool begins_with(Str text, const char *word)
{
    size_t n = strlen(word);
    return text.n >= n && same_word((Str){ text.at, n }, word);
}

/* Spaces and control characters in front of an address count for nothing, as in browsers. */
static Str trim_address(Str a)
{
    while (a.n && (unsigned char)a.at[0] <= 32) a.at++, a.n--;
    while (a.n && (unsigned char)a.at[a.n - 1] <= 32) a.n--;
    return a;
}

static void add_link(Cleaner *c, Str address)
{
    address = trim_address(address);
    if (begins_with(address, "modelica://")) {
        Str name = { address.at + 11, address.n - 11 };
        const char *slash = memchr(name.at, '/', name.n);
        const char *hash = memchr(name.at, '#', name.n);
        if (hash) name.n = (size_t)(hash - name.at);
        /* a file of a library can only be said, not opened */
        if (slash && slash < name.at + name.n)
            add_attribute(c, "title", address);
        else
            add_attribute(c, "data-class", name);
    } else if (begins_with(address, "https://") || begins_with(address, "http://")) {
        add_attribute(c, "href", address);
        text_add_literal(c->out, " target=\"_blank\" rel=\"noopener noreferrer\"");
    } else if (begins_with(address, "#")) {
        add_attribute(c, "data-anchor", (Str){ address.at + 1, address.n - 1 });
    }
}

static void add_picture(Cleaner *c, Str address)
{
    address = trim_address(address);
    Text picture = { .arena = c->out->arena };
    const char *type =
        c->links && c->links->picture ? c->links->picture(c->links->arg, address, &picture) : NULL;
    if (!type) {
        add_attribute(c, "data-missing", address);
        return;
    }
    text_printf(c->out, " src=\"data:%s;base64,", type);
    text_add_base64(c->out, (Str){ picture.at, picture.n });
    text_add_char(c->out, '"');
}

static void add_attributes(Cleaner *c, int tag, const Attribute *found, int n)
{
    for (int i = 0; i < n; i++) {
        const Attribute *a = &found[i];
        if (is_one_of(a->name, attributes, COUNT_OF(attributes)))
            for (size_t k = 0; k < COUNT_OF(attributes); k++) {
                if (same_word(a->name, attributes[k])) add_attribute(c, attributes[k], a->value);
            }
        else if (same_word(a->name, "href") && !strcmp(tags[tag].name, "a"))
            add_link(c, a->value);
        else if (same_word(a->name, "src") && !strcmp(tags[tag].name, "img"))
            add_picture(c, a->value);
        else if (same_word(a->name, "name") || same_word(a->name, "id"))
            add_attribute(c, "data-name", a->value);
    }
}

static void open_tag(Cleaner *c, Str name)
{
    Attribute found[MOST_ATTRIBUTES];
    int n = take_attributes(c, found), tag = find_tag(name);
    if (tag < 0 || c->depth == MOST_OPEN) return;
    text_add_char(c->out, '<');
    text_add(c->out, str_of(tags[tag].name));
    add_attributes(c, tag, found, n);
    text_add_char(c->out, '>');
    if (!tags[tag].is_empty) c->open[c->depth++] = tag;
}

static void close_last(Cleaner *c)
{
    text_add_literal(c->out, "</");
    text_add(c->out, str_of(tags[c->open[--c->depth]].name));
    text_add_char(c->out, '>');
}

/* Closes it with all that is still open inside; an end without a beginning is left out. */
static void close_tag(Cleaner *c, Str name)
{
    Attribute none[MOST_ATTRIBUTES];
    take_attributes(c, none);
    int tag = find_tag(name), at = c->depth - 1;
    while (at >= 0 && c->open[at] != tag) at--;
    while (at >= 0 && c->depth > at) close_last(c);
}

/* Behind the end tag of this name. */
static void skip_to_end(Cleaner *c, Str name)
{
    for (; c->at + 2 + name.n <= c->in.n; c->at++) {
        if (c->in.at[c->at] != '<' || c->in.at[c->at + 1] != '/') continue;
        Str word = { c->in.at + c->at + 2, name.n };
        if (strncasecmp(word.at, name.at, name.n) != 0) continue;
        const char *end = memchr(word.at, '>', c->in.n - c->at - 2);
        c->at = end ? (size_t)(end - c->in.at) + 1 : c->in.n;
        return;
    }
    c->at = c->in.n;
}

/* A comment, a declaration, or an instruction. */
static void skip_declaration(Cleaner *c)
{
    Str rest = { c->in.at + c->at, c->in.n - c->at };
    bool comment = begins_with(rest, "<!--");
    const char *end = memmem(rest.at, rest.n, comment ? "-->" : ">", comment ? 3 : 1);
    c->at = end ? (size_t)(end - c->in.at) + (comment ? 3 : 1) : c->in.n;
}

static void take_tag(Cleaner *c)
{
    char next = c->at + 1 < c->in.n ? c->in.at[c->at + 1] : 0;
    if (next == '!' || next == '?') {
        skip_declaration(c);
        return;
    }
    bool is_end = next == '/';
    char first = c->at + 1 + is_end < c->in.n ? c->in.at[c->at + 1 + is_end] : 0;
    if (!isalpha((unsigned char)first)) {
        text_add_literal(c->out, "&lt;");
        c->at++;
        return;
    }
    c->at += 1 + (size_t)is_end;
    Str name = take_word(c);
    if (is_end) {
        close_tag(c, name);
    } else if (is_one_of(name, dropped, COUNT_OF(dropped))) {
        Attribute none[MOST_ATTRIBUTES];
        take_attributes(c, none);
        skip_to_end(c, name);
    } else {
        open_tag(c, name);
    }
}

void page_clean_html(Str html, const PageLinks *links, Text *out)
{
    Cleaner c = { .in = html, .links = links, .out = out };
    text_add_literal(out, "");
    while (c.at < html.n) {
        size_t from = c.at;
        while (c.at < html.n && html.at[c.at] != '<') c.at++;
        add_text((Str){ html.at + from, c.at - from }, out);
        if (c.at < html.n) take_tag(&c);
    }
    while (c.depth) close_last(&c);
}
