/* text.h: text that grows; numbers as text and back; distances of words. */
#ifndef ACAUSAL_BASE_TEXT_H
#define ACAUSAL_BASE_TEXT_H

#include "base/arena.h"

#include <stdarg.h>

/* ---- text.c: text that grows ----------------------------------------------------------------- */

typedef struct {
    Arena *arena;
    char *at; /* always terminated once something was added */
    size_t n, room;
} Text;

void text_add(Text *text, Str piece);
void text_add_char(Text *text, char c);
void text_add_repeat(Text *text, char c, size_t times);
void text_printf(Text *text, const char *format, ...) PRINTF_LIKE(2, 3);
void text_vprintf(Text *text, const char *format, va_list args);
/* quoted and escaped; bytes that are not UTF-8 become U+FFFD */
void text_add_json(Text *text, Str piece);
/* with entities; control characters are left out */
void text_add_xml(Text *text, const char *piece);
void text_add_base64(Text *text, Str bytes);
/* shortest form that reads back as the same double */
void text_add_real(Text *text, double value);
#define text_add_literal(text, literal) text_add((text), STR(literal))

/* real.c: the same into `out`, which has REAL_ROOM bytes, all of which may be written; terminated.
 * Returns the length. */
enum { REAL_ROOM = 48 };
size_t real_write(double value, char *out);
/* The nearest double to a decimal number that is all of the text; false if the text is none (nor
 * are inf, nan, hexadecimals). */
bool real_read(const char *from, const char *to, double *value);

/* length of the character at `at`; 0 if malformed */
size_t utf8_next(Str text, size_t at, uint32_t *code);
/* edits between two words, at most `limit` */
size_t text_distance(Str a, Str b, size_t limit);

/* The candidate nearest to `word`, or NULL when none is near enough to be worth a hint. */
const char *text_nearest(Str word, const char *const *candidates, size_t n);

#endif
