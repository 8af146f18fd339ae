/* data.c: trees of settings: reading files, finding, flattening.
 *
 * In: a path, or a tree. Out: a tree, or names with values. Tests: tests/data/data_test.c. */
#include "data/data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 1 << 28 };

DataNode *data_node(Arena *arena, DataKind kind, int line)
{
    DataNode *node = NEW(arena, DataNode);
    node->kind = kind;
    node->line = line;
    return node;
}

void *data_wrong(char *why, size_t room, int line, const char *format, ...)
{
    va_list args;
    int n = snprintf(why, room, "line %d: ", line);
    va_start(args, format);
    if (n > 0 && (size_t)n < room) vsnprintf(why + n, room - (size_t)n, format, args);
    va_end(args);
    return NULL;
}

char *data_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        if (code < 0x10000) {
            *to++ = (char)(0xe0 | code >> 12);
        } else {
            *to++ = (char)(0xf0 | code >> 18);
            *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        }
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

const DataNode *data_find(const DataNode *table, const char *key)
{
    for (uint32_t i = 0; table && table->kind == DATA_TABLE && i < table->items.n; i++)
        if (!strcmp(table->items.at[i]->key, key)) return table->items.at[i];
    return NULL;
}

/* ---- as text --------------------------------------------------------------------------------- */

static void add_text(Text *out, const DataNode *node)
{
    if (node->kind == DATA_LIST) {
        text_add_char(out, '{');
        for (uint32_t i = 0; i < node->items.n; i++) {
            if (i) text_add_char(out, ',');
            add_text(out, node->items.at[i]);
        }
        text_add_char(out, '}');
    } else if (node->kind == DATA_BOOLEAN)
        text_add(out, str_of(node->boolean ? "true" : "false"));
    else
        text_add(out, str_of(node->text ? node->text : ""));
}

const char *data_text(Arena *arena, const DataNode *node)
{
    Text text = { .arena = arena };
    text_printf(&text, "%s", "");
    add_text(&text, node);
    return text.at;
}

static void flatten(Arena *arena, const char *prefix, const DataNode *table,
                    void (*each)(void *arg, const char *name, const char *value), void *arg)
{
    for (uint32_t i = 0; i < table->items.n; i++) {
        const DataNode *item = table->items.at[i];
        const char *name = *prefix ? arena_printf(arena, "%s.%s", prefix, item->key) : item->key;
        if (item->kind == DATA_TABLE)
            flatten(arena, name, item, each, arg);
        else
            each(arg, name, data_text(arena, item));
    }
}

void data_flatten(Arena *arena, const DataNode *table,
                  void (*each)(void *arg, const char *name, const char *value), void *arg)
{
    if (table->kind == DATA_TABLE) flatten(arena, "", table, each, arg);
}

/* ---- tables of names and values -------------------------------------------------------------- */

typedef VEC(const char *) Cells;

/* The cells of a line; quoted ones may hold commas, doubled quotes stand for one. */
static const char *take_line(Arena *arena, const char *at, const char *end, Cells *cells)
{
    cells->n = 0;
    for (;;) {
        Text cell = { .arena = arena };
        text_printf(&cell, "%s", "");
        while (at < end && (*at == ' ' || *at == '\t')) at++;
        if (at < end && *at == '"') {
            for (at++; at < end && (*at != '"' || (at + 1 < end && at[1] == '"')); at++) {
                if (*at == '"') at++;
                text_add_char(&cell, *at);
            }
            if (at < end) at++;
            while (at < end && *at != ',' && *at != '\n') at++;
        } else
            while (at < end && *at != ',' && *at != '\n') text_add_char(&cell, *at++);
        while (cell.n && strchr(" \t\r", cell.at[cell.n - 1])) cell.at[--cell.n] = 0;
        vec_push(arena, cells, cell.at);
        if (at >= end || *at != ',') return at < end ? at + 1 : at;
        at++;
    }
}

static void add_cell(Arena *arena, DataNode *table, const char *name, const char *value, int line)
{
    DataNode *node = data_node(arena, DATA_TEXT, line);
    node->key = name;
    node->text = value;
    vec_push(arena, &table->items, node);
}

/* Rows "name,value"; a first row of words such as "name,value" or "parameter,value" is a head. Any
 * other number of columns: a row of names, and one of values. */
static DataNode *read_csv(Arena *arena, Str text, char *why, size_t room)
{
    const char *at = text.at, *end = text.at + text.n;
    DataNode *table = data_node(arena, DATA_TABLE, 1);
    Cells head = { 0 }, cells = { 0 };
    for (int line = 1; at < end; line++) {
        at = take_line(arena, at, end, line == 1 ? &head : &cells);
        const Cells *row = line == 1 ? &head : &cells;
        bool is_head = line == 1 && (row->n != 2 || !strcmp(row->at[1], "value"));
        if ((row->n == 1 && !*row->at[0]) || is_head) continue;
        if (row->n != head.n) return data_wrong(why, room, line, "%u cells, not %u", row->n, head.n);
        if (row->n == 2) {
            add_cell(arena, table, row->at[0], row->at[1], line);
            continue;
        }
        if (table->items.n)
            return data_wrong(why, room, line, "a second row of values: a table of runs is for 'study'");
        for (uint32_t i = 0; i < row->n; i++) add_cell(arena, table, head.at[i], row->at[i], line);
    }
    return table;
}

/* ---- files ----------------------------------------------------------------------------------- */

static const struct {
    const char *suffix;
    DataNode *(*read)(Arena *arena, Str text, char *why, size_t room);
} formats[] = { { ".toml", data_read_toml }, { ".json", data_read_json }, { ".csv", read_csv } };

DataNode *data_read_file(Arena *arena, const char *path, char *why, size_t room)
{
    const char *suffix = strrchr(path, '.');
    char inner[300];
    for (size_t k = 0; suffix && k < COUNT_OF(formats); k++) {
        if (strcmp(suffix, formats[k].suffix) != 0) continue;
        FILE *file = fopen(path, "rb");
        Text text = { .arena = arena };
        char block[4096];
        if (!file) return snprintf(why, room, "'%s' cannot be read: %s", path, strerror(errno)), NULL;
        text_printf(&text, "%s", "");
        for (size_t n; (n = fread(block, 1, sizeof block, file)) && text.n < MOST_BYTES;)
            text_add(&text, (Str){ block, n });
        bool failed = ferror(file) || !feof(file);
        fclose(file);
        if (failed) return snprintf(why, room, "'%s' cannot be read to its end", path), NULL;
        DataNode *node = formats[k].read(arena, (Str){ text.at, text.n }, inner, sizeof inner);
        if (!node) snprintf(why, room, "'%s', %s", path, inner);
        return node;
    }
    return snprintf(why, room, "'%s' should end in .toml, .json or .csv", path), NULL;
}
