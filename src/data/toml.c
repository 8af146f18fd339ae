/* toml.c: TOML 1.0 as a tree, without dates.
 *
 * In: a text. Out: its tree, or the line of the first mistake. How: one function a production.
 * Always: a key twice, or a table that is given twice, is a mistake. Tests:
 * tests/data/data_test.c. */
#include "data/data.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_DEPTH = 100 };

typedef struct {
    Arena *arena;
    const char *at, *end;
    int line, depth;
    char *why;
    size_t room;
} Reader;

static DataNode *value(Reader *r);

static void *fail(Reader *r, const char *what) { return data_wrong(r->why, r->room, r->line, "%s", what); }
static char peek(const Reader *r) { return r->at < r->end ? *r->at : 0; }

static void blanks(Reader *r)
{
    while (peek(r) == ' ' || peek(r) == '\t') r->at++;
}

/* Blanks, comments and line ends. */
static void space(Reader *r)
{
    for (;;) {
        blanks(r);
        if (peek(r) == '#')
            while (r->at < r->end && *r->at != '\n') r->at++;
        if (peek(r) == '\r' && r->at + 1 < r->end && r->at[1] == '\n') r->at++;
        if (peek(r) != '\n') return;
        r->at++;
        r->line++;
    }
}

static bool begins(const Reader *r, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(r->end - r->at) >= n && !memcmp(r->at, word, n);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static bool escape(Reader *r, Text *out)
{
    static const char from[] = "\"\\bfnrte", to[] = "\"\\\b\f\n\r\t\033";
    char c = peek(r), bytes[4];
    const char *found = c ? strchr(from, c) : NULL;
    r->at++;
    if (found) {
        text_add_char(out, to[found - from]);
        return true;
    }
    if (c != 'u' && c != 'U') return false;
    uint32_t code = 0;
    for (int k = 0; k < (c == 'u' ? 4 : 8); k++, r->at++) {
        const char *digits = "0123456789abcdef", *digit = peek(r) ? strchr(digits, peek(r) | 0x20) : NULL;
        if (!digit) return false;
        code = code * 16 + (uint32_t)(digit - digits);
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    text_add(out, (Str){ bytes, (size_t)(data_utf8(bytes, code) - bytes) });
    return true;
}

/* What follows the opening quote, to the closing one. */
static const char *string(Reader *r, char quote)
{
    char thrice[4] = { quote, quote, quote, 0 };
    bool is_long = false;
    Text out = { .arena = r->arena };
    text_printf(&out, "%s", "");
    if (r->end - r->at >= 2 && r->at[0] == quote && r->at[1] == quote) {
        is_long = true;
        r->at += 2;
        if (peek(r) == '\r') r->at++;
        if (peek(r) == '\n') r->at++, r->line++;
    }
    while (r->at < r->end && !(is_long ? begins(r, thrice) : *r->at == quote)) {
        if (*r->at == '\n') {
            if (!is_long) return fail(r, "a text ends on its line");
            r->line++;
        }
        if (quote == '"' && *r->at == '\\') {
            r->at++;
            if (is_long && (peek(r) == '\n' || peek(r) == '\r' || peek(r) == ' ')) {
                while (peek(r) && strchr(" \t\r\n", peek(r))) r->line += *r->at++ == '\n';
                continue;
            }
            if (!escape(r, &out)) return fail(r, "an escape that TOML does not know");
        } else
            text_add_char(&out, *r->at++);
    }
    if (r->at >= r->end) return fail(r, "a text that nothing ends");
    r->at += is_long ? 3 : 1;
    while (is_long && peek(r) == quote) text_add_char(&out, quote), r->at++;
    return out.at;
}

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static const char *key(Reader *r)
{
    char c = peek(r);
    if (c == '"' || c == '\'') {
        r->at++;
        return string(r, c);
    }
    const char *from = r->at;
    while (is_bare(peek(r))) r->at++;
    if (r->at == from) return fail(r, "expected a key");
    return arena_copy(r->arena, (Str){ from, (size_t)(r->at - from) });
}

/* ---- values ---------------------------------------------------------------------------------- */

static DataNode *whole(DataNode *node, const char *digits, int base)
{
    char *end;
    node->number = (double)strtoll(digits, &end, base);
    return *digits && !*end ? node : NULL;
}

static DataNode *number(Reader *r)
{
    char plain[64];
    size_t n = 0;
    const char *from = r->at;
    DataNode *node = data_node(r->arena, DATA_NUMBER, r->line);
    for (; is_bare(peek(r)) || peek(r) == '+' || peek(r) == '.' || peek(r) == ':'; r->at++)
        if (*r->at != '_' && n < sizeof plain - 1) plain[n++] = *r->at;
    plain[n] = 0;
    node->text = arena_copy(r->arena, str_of(plain));
    const char *digits = plain + (*plain == '+' || *plain == '-');
    if (!strcmp(digits, "inf") || !strcmp(digits, "nan")) {
        node->number = *digits == 'n' ? NAN : *plain == '-' ? -INFINITY : INFINITY;
        return node;
    }
    if (!strncmp(digits, "0x", 2))
        node = whole(node, digits + 2, 16);
    else if (!strncmp(digits, "0o", 2))
        node = whole(node, digits + 2, 8);
    else if (!strncmp(digits, "0b", 2))
        node = whole(node, digits + 2, 2);
    else if (!real_read(plain + (*plain == '+'), plain + n, &node->number))
        node = NULL;
    if (node && digits[0] == '0' && strchr("xob", digits[1]) && digits[1])
        node->text = arena_printf(r->arena, "%.17g", node->number);
    if (node) return node;
    bool is_date = n > 4 && plain[4] == '-';
    return fail(r, is_date         ? "dates are not supported"
                   : r->at == from ? "expected a value"
                                   : "no value is written so");
}

static DataNode *list(Reader *r)
{
    DataNode *node = data_node(r->arena, DATA_LIST, r->line);
    for (;;) {
        space(r);
        if (peek(r) == ']') break;
        DataNode *item = value(r);
        if (!item) return NULL;
        vec_push(r->arena, &node->items, item);
        space(r);
        if (peek(r) == ',')
            r->at++;
        else if (peek(r) != ']')
            return fail(r, "expected ',' or ']'");
    }
    r->at++;
    return node;
}

/* key = value, in a table; keys with dots open tables. */
static bool pair(Reader *r, DataNode *table)
{
    const char *name = key(r);
    if (!name) return false;
    for (blanks(r); peek(r) == '.'; blanks(r)) {
        r->at++;
        blanks(r);
        DataNode *inner = (DataNode *)data_find(table, name);
        if (!inner) {
            inner = data_node(r->arena, DATA_TABLE, r->line);
            inner->key = name;
            vec_push(r->arena, &table->items, inner);
        }
        if (inner->kind != DATA_TABLE || inner->is_closed) return fail(r, "this key is no open table"), false;
        table = inner;
        if (!(name = key(r))) return false;
        blanks(r);
    }
    if (data_find(table, name)) return fail(r, "a key twice in one table"), false;
    if (peek(r) != '=') return fail(r, "expected '='"), false;
    r->at++;
    blanks(r);
    DataNode *item = value(r);
    if (!item) return false;
    item->key = name;
    vec_push(r->arena, &table->items, item);
    return true;
}

static DataNode *inline_table(Reader *r)
{
    DataNode *node = data_node(r->arena, DATA_TABLE, r->line);
    blanks(r);
    while (peek(r) != '}') {
        if (!pair(r, node)) return NULL;
        blanks(r);
        if (peek(r) == ',') {
            r->at++;
            blanks(r);
        } else if (peek(r) != '}')
            return fail(r, "expected ',' or '}'");
    }
    r->at++;
    node->is_closed = true;
    return node;
}

static DataNode *value(Reader *r)
{
    char c = peek(r);
    DataNode *node;
    if (++r->depth > MOST_DEPTH) return fail(r, "too deep");
    if (c == '"' || c == '\'') {
        r->at++;
        node = data_node(r->arena, DATA_TEXT, r->line);
        if (!(node->text = string(r, c))) return NULL;
    } else if (c == '[') {
        r->at++;
        node = list(r);
    } else if (c == '{') {
        r->at++;
        node = inline_table(r);
    } else if (begins(r, "true") || begins(r, "false")) {
        node = data_node(r->arena, DATA_BOOLEAN, r->line);
        node->boolean = c == 't';
        r->at += node->boolean ? 4 : 5;
    } else
        node = number(r);
    r->depth--;
    return node;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* [a.b] and [[a.b]], after the brackets. */
static DataNode *header(Reader *r, DataNode *root, bool is_list)
{
    DataNode *table = root;
    for (;;) {
        blanks(r);
        const char *name = key(r);
        if (!name) return NULL;
        blanks(r);
        bool last = peek(r) != '.';
        DataNode *inner = (DataNode *)data_find(table, name);
        if (!inner) {
            inner = data_node(r->arena, last && is_list ? DATA_LIST : DATA_TABLE, r->line);
            inner->key = name;
            vec_push(r->arena, &table->items, inner);
        } else if (last && !is_list && (inner->kind != DATA_TABLE || inner->boolean))
            return fail(r, "a table that is given twice");
        if (last && is_list) {
            if (inner->kind != DATA_LIST) return fail(r, "this key is no list of tables");
            DataNode *item = data_node(r->arena, DATA_TABLE, r->line);
            vec_push(r->arena, &inner->items, item);
            return item;
        }
        if (inner->kind == DATA_LIST && inner->items.n && !last) inner = inner->items.at[inner->items.n - 1];
        if (inner->kind != DATA_TABLE || inner->is_closed) return fail(r, "this key is no open table");
        table = inner;
        if (last) break;
        r->at++;
    }
    table->boolean = true; /* its header was there */
    return table;
}

DataNode *data_read_toml(Arena *arena, Str text, char *why, size_t room)
{
    Reader reader = { arena, text.at, text.at + text.n, 1, 0, why, room }, *r = &reader;
    DataNode *root = data_node(arena, DATA_TABLE, 1), *table = root;
    for (space(r); r->at < r->end; space(r)) {
        if (peek(r) == '[') {
            bool is_list = begins(r, "[[");
            r->at += is_list ? 2 : 1;
            if (!(table = header(r, root, is_list))) return NULL;
            if (!begins(r, is_list ? "]]" : "]")) return fail(r, "expected ']'");
            r->at += is_list ? 2 : 1;
        } else if (!pair(r, table))
            return NULL;
        blanks(r);
        if (r->at < r->end && peek(r) != '#' && peek(r) != '\n' && !begins(r, "\r\n"))
            return fail(r, "expected the end of the line");
    }
    return root;
}
