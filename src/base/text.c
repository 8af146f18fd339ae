/* text.c: text that grows in an arena, and small services on text: UTF-8, JSON, numbers, nearest
 * words. Tests: tests/base/text_test.c. */
#include "base/base.h"

#include <stdio.h>

static char *make_room(Text *text, size_t more)
{
    if (text->n + more + 1 > text->room) {
        size_t room = size_max(size_max(64, 2 * text->room), text->n + more + 1);
        text->at = arena_grow(text->arena, text->at, text->room, room);
        text->room = room;
    }
    return text->at + text->n;
}

void text_add(Text *text, Str piece)
{
    char *at = make_room(text, piece.n);
    if (piece.n) memcpy(at, piece.at, piece.n);
    text->n += piece.n;
    text->at[text->n] = 0;
}

void text_add_char(Text *text, char c) { text_add(text, (Str){ &c, 1 }); }

void text_add_repeat(Text *text, char c, size_t times)
{
    memset(make_room(text, times), c, times);
    text->n += times;
    text->at[text->n] = 0;
}

void text_vprintf(Text *text, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n < 0) n = 0;
    vsnprintf(make_room(text, (size_t)n), (size_t)n + 1, format, again);
    text->n += (size_t)n;
    va_end(again);
}

void text_printf(Text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_vprintf(text, format, args);
    va_end(args);
}

size_t utf8_next(Str text, size_t at, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *p = (const unsigned char *)text.at + at;
    size_t n = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;
    if (n == 0 || n > text.n - at) return 0;
    uint32_t c = n == 1 ? p[0] : p[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (p[i] >> 6 != 2) return 0;
        c = c << 6 | (p[i] & 0x3Fu);
    }
    if (c < least[n] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) return 0;
    *code = c;
    return n;
}

void text_add_xml(Text *text, const char *piece)
{
    static const struct {
        char c;
        const char *as;
    } entities[] = { { '<', "&lt;" }, { '>', "&gt;" }, { '&', "&amp;" }, { '"', "&quot;" } };
    for (; *piece; piece++) {
        const char *as = NULL;
        for (size_t i = 0; i < COUNT_OF(entities); i++)
            if (*piece == entities[i].c) as = entities[i].as;
        if (as)
            text_add(text, str_of(as));
        else if ((unsigned char)*piece >= 0x20)
            text_add_char(text, *piece);
    }
}

void text_add_json(Text *text, Str piece)
{
    text_add_char(text, '"');
    for (size_t i = 0, n; i < piece.n; i += n) {
        uint32_t code;
        n = utf8_next(piece, i, &code);
        if (n == 0) {
            text_add_literal(text, "\\ufffd");
            n = 1;
        } else if (code == '"' || code == '\\') {
            text_printf(text, "\\%c", (int)code);
        } else if (code == '\n') {
            text_add_literal(text, "\\n");
        } else if (code < 0x20 || code == 0x7F) {
            text_printf(text, "\\u%04x", (unsigned)code);
        } else {
            text_add(text, (Str){ piece.at + i, n });
        }
    }
    text_add_char(text, '"');
}

void text_add_base64(Text *text, Str bytes)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = (const unsigned char *)bytes.at;
    for (size_t i = 0; i < bytes.n; i += 3) {
        unsigned bits = (unsigned)b[i] << 16 | (i + 1 < bytes.n ? (unsigned)b[i + 1] << 8 : 0u) |
                        (i + 2 < bytes.n ? b[i + 2] : 0u);
        char quad[4] = { letters[bits >> 18], letters[bits >> 12 & 63],
                         i + 1 < bytes.n ? letters[bits >> 6 & 63] : '=',
                         i + 2 < bytes.n ? letters[bits & 63] : '=' };
        text_add(text, (Str){ quad, 4 });
    }
}

void text_add_real(Text *text, double value)
{
    char digits[REAL_ROOM];
    text_add(text, (Str){ digits, real_write(value, digits) });
}

enum { LONGEST_WORD = 63 };

size_t text_distance(Str a, Str b, size_t limit)
{
    size_t row[LONGEST_WORD + 1];
    if (a.n > LONGEST_WORD || b.n > LONGEST_WORD) return limit;
    for (size_t j = 0; j <= b.n; j++) row[j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            size_t change = diagonal + (a.at[i - 1] != b.at[j - 1]);
            diagonal = row[j];
            row[j] = size_min(change, size_min(row[j], row[j - 1]) + 1);
        }
    }
    return size_min(row[b.n], limit);
}

const char *text_nearest(Str word, const char *const *candidates, size_t n)
{
    const char *best = NULL;
    /* one edit less than this is near enough */
    size_t least = word.n <= 2 ? 2 : word.n <= 5 ? 3 : 4;
    for (size_t i = 0; i < n; i++) {
        size_t d = text_distance(word, str_of(candidates[i]), least);
        if (d < least) {
            least = d;
            best = candidates[i];
        }
    }
    for (size_t i = 0; !best && word.n >= 3 && i < n;
         i++) /* the first part of a name: "cvode" of "cvode-bdf" */
        if (strlen(candidates[i]) > word.n && !strncmp(candidates[i], word.at, word.n)) best = candidates[i];
    return best;
}
