/* json.c: JSON (RFC 8259) as a tree.
 *
 * In: a text. Out: its tree, or the line of the first mistake. Always: a name twice in an object is
 * a mistake; nothing is guessed. Tests: tests/data/data_test.c. */
#include "data/data.h"

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

static void skip(Reader *r)
{
    for (; r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at; r->at++) r->line += *r->at == '\n';
}

static bool take(Reader *r, char c)
{
    skip(r);
    if (r->at >= r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static void *fail(Reader *r, const char *what) { return data_wrong(r->why, r->room, r->line, "%s", what); }

static bool hex4(Reader *r, uint32_t *code)
{
    *code = 0;
    if (r->end - r->at < 4) return false;
    for (int k = 0; k < 4; k++) {
        const char *digits = "0123456789abcdef", *found = strchr(digits, *r->at | 0x20);
        if (!*r->at || !found) return false;
        *code = *code * 16 + (uint32_t)(found - digits);
        r->at++;
    }
    return true;
}

static bool escape(Reader *r, Text *out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = *r->at++, bytes[4];
    const char *found = c ? strchr(from, c) : NULL;
    uint32_t code, low;
    if (found) {
        text_add_char(out, to[found - from]);
        return true;
    }
    if (c != 'u' || !hex4(r, &code)) return false;
    if (code >= 0xd800 && code < 0xdc00) {
        if (r->end - r->at < 6 || *r->at != '\\' || r->at[1] != 'u') return false;
        r->at += 2;
        if (!hex4(r, &low) || low < 0xdc00 || low > 0xdfff) return false;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    text_add(out, (Str){ bytes, (size_t)(data_utf8(bytes, code) - bytes) });
    return true;
}

static const char *string(Reader *r)
{
    Text out = { .arena = r->arena };
    text_printf(&out, "%s", "");
    while (r->at < r->end && *r->at != '"') {
        if ((unsigned char)*r->at < 0x20) return fail(r, "a text ends on its line");
        if (*r->at != '\\')
            text_add_char(&out, *r->at++);
        else if (++r->at >= r->end || !escape(r, &out))
            return fail(r, "an escape that JSON does not know");
    }
    if (r->at++ >= r->end) return fail(r, "a text that nothing ends");
    return out.at;
}

static DataNode *items(Reader *r, bool is_table)
{
    DataNode *node = data_node(r->arena, is_table ? DATA_TABLE : DATA_LIST, r->line);
    char close = is_table ? '}' : ']';
    if (++r->depth > MOST_DEPTH) return fail(r, "too deep");
    if (!take(r, close)) {
        do {
            const char *key = NULL;
            if (is_table) {
                if (!take(r, '"')) return fail(r, "expected a name in quotes");
                if (!(key = string(r))) return NULL;
                if (data_find(node, key)) return fail(r, "a name twice in one object");
                if (!take(r, ':')) return fail(r, "expected ':'");
            }
            DataNode *item = value(r);
            if (!item) return NULL;
            item->key = key;
            vec_push(r->arena, &node->items, item);
        } while (take(r, ','));
        if (!take(r, close)) return fail(r, is_table ? "expected ',' or '}'" : "expected ',' or ']'");
    }
    r->depth--;
    return node;
}

static DataNode *number(Reader *r)
{
    const char *from = r->at;
    while (r->at < r->end && *r->at && strchr("+-0123456789.eE", *r->at)) r->at++;
    DataNode *node = data_node(r->arena, DATA_NUMBER, r->line);
    node->text = arena_copy(r->arena, (Str){ from, (size_t)(r->at - from) });
    bool is_one = *from != '+' && *from != '.' && real_read(from, r->at, &node->number);
    return is_one ? node : fail(r, "expected a value");
}

static DataNode *value(Reader *r)
{
    static const struct {
        const char *word;
        DataKind kind;
    } words[] = { { "true", DATA_BOOLEAN }, { "false", DATA_BOOLEAN }, { "null", DATA_NULL } };
    skip(r);
    if (take(r, '{')) return items(r, true);
    if (take(r, '[')) return items(r, false);
    if (take(r, '"')) {
        DataNode *node = data_node(r->arena, DATA_TEXT, r->line);
        return (node->text = string(r)) ? node : NULL;
    }
    for (size_t k = 0; k < COUNT_OF(words); k++) {
        size_t n = strlen(words[k].word);
        if ((size_t)(r->end - r->at) < n || memcmp(r->at, words[k].word, n) != 0) continue;
        r->at += n;
        DataNode *node = data_node(r->arena, words[k].kind, r->line);
        node->boolean = k == 0;
        return node;
    }
    return number(r);
}

DataNode *data_read_json(Arena *arena, Str text, char *why, size_t room)
{
    Reader r = { arena, text.at, text.at + text.n, 1, 0, why, room };
    DataNode *node = value(&r);
    if (!node) return NULL;
    skip(&r);
    return r.at == r.end ? node : fail(&r, "more after the end");
}
