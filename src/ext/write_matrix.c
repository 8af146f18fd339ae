/* write_matrix.c: a matrix into a MAT file: level 4, or level 5 plain ("6") or compressed ("7").
 *
 * Appending adds to what is there, which must be of the same level. Source: The MathWorks,
 * "MAT-File Format". Tests: tests/ext/files_test.c. */
#include "ext/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

static void add_word(Text *t, uint32_t w) { text_add(t, (Str){ (const char *)&w, sizeof w }); }

static void add_columns(Text *t, const ExtMatrix *m)
{
    for (size_t j = 0; j < m->columns; j++)
        for (size_t i = 0; i < m->rows; i++)
            text_add(t, (Str){ (const char *)&m->at[i * m->columns + j], sizeof(double) });
}

static void level4(Text *t, const char *name, const ExtMatrix *m)
{
    add_word(t, 0);
    add_word(t, (uint32_t)m->rows);
    add_word(t, (uint32_t)m->columns);
    add_word(t, 0);
    add_word(t, (uint32_t)strlen(name) + 1);
    text_add(t, (Str){ name, strlen(name) + 1 });
    add_columns(t, m);
}

static void level5(Text *t, const char *name, const ExtMatrix *m)
{
    size_t n = strlen(name), padded = (n + 7) & ~(size_t)7, data = m->rows * m->columns * sizeof(double);
    const uint32_t words[] = { 14,
                               (uint32_t)(48 + padded + data),
                               6,
                               8,
                               6,
                               0,
                               5,
                               8,
                               (uint32_t)m->rows,
                               (uint32_t)m->columns,
                               1,
                               (uint32_t)n };
    for (size_t i = 0; i < COUNT_OF(words); i++) add_word(t, words[i]);
    text_add(t, (Str){ name, n });
    text_add_repeat(t, 0, padded - n);
    add_word(t, 9);
    add_word(t, (uint32_t)data);
    add_columns(t, m);
}

static bool packed(Text *t, const Text *plain)
{
    uLongf n = compressBound(plain->n);
    uint8_t *bytes = arena_alloc(t->arena, n);
    if (compress(bytes, &n, (const Bytef *)plain->at, plain->n) != Z_OK) return false;
    add_word(t, 15);
    add_word(t, (uint32_t)n);
    text_add(t, (Str){ (const char *)bytes, n });
    return true;
}

static void head5(Text *t)
{
    static const char text[] = "MATLAB 5.0 MAT-file, written by Acausal";
    text_add_literal(t, "MATLAB 5.0 MAT-file, written by Acausal");
    text_add_repeat(t, ' ', 116 - (sizeof text - 1));
    text_add_repeat(t, 0, 8);
    text_add(t, (Str){ "\0\1IM", 4 });
}

static bool write_bytes(const char *file, const Text *t, bool append, const char **why)
{
    FILE *f = fopen(file, append ? "ab" : "wb");
    bool ok = f && fwrite(t->at, 1, t->n, f) == t->n;
    if (f) ok = !fclose(f) && ok;
    if (!ok) *why = strerror(errno);
    return ok;
}

bool ext_write_matrix(const char *file, const char *name, const ExtMatrix *m, bool append,
                      const char *version, const char **why)
{
    bool is4 = !strcmp(version, "4"), is7 = !strncmp(version, "7", 1);
    Arena *arena = arena_new();
    if (!arena) return false;
    Text all = { .arena = arena }, plain = { .arena = arena };
    append = append && file_kind(file) == FILE_REGULAR;
    bool ok = true;
    if (is4) {
        level4(&all, name, m);
    } else {
        if (!append) head5(&all);
        level5(is7 ? &plain : &all, name, m);
        if (is7) ok = packed(&all, &plain);
    }
    *why = "a matrix cannot be compressed";
    ok = ok && write_bytes(file, &all, append, why);
    arena_free(arena);
    return ok;
}
