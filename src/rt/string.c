/* string.c: strings of the model: joined, compared, cut, and made from numbers as String() does it.
 *
 * Strings are terminated UTF-8; results live in the memory of the instance until it is rewound. A
 * format given by the model is checked before it reaches printf: exactly one conversion, of the
 * right kind, without `*`, and of bounded width. Tests: tests/rt/string_test.c. */
#include "rt/inside.h"
#include "rt/rt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NUMBER = 1200, LONGEST_WIDTH = 400 };

/* A string that was never assigned is empty. */
static const char *text_of(RtCell cell) { return cell.s ? cell.s : ""; }

RtStatus rt_string_result(Rt *rt, RtCell *cell, const char *text, size_t n)
{
    char *at = rt_alloc(rt, n + 1);
    if (!at) return RT_MEMORY;
    memcpy(at, text, n);
    at[n] = '\0';
    cell->s = at;
    return RT_OK;
}

RtStatus rt_string_concat(Rt *rt, RtCell *cells)
{
    size_t n0 = strlen(text_of(cells[0])), n1 = strlen(text_of(cells[1]));
    char *at = rt_alloc(rt, n0 + n1 + 1);
    if (!at) return RT_MEMORY;
    memcpy(at, text_of(cells[0]), n0);
    memcpy(at + n0, text_of(cells[1]), n1 + 1);
    cells[2].s = at;
    return RT_OK;
}

RtStatus rt_string_compare(Rt *rt, RtCell *cells)
{
    (void)rt;
    int order = strcmp(text_of(cells[0]), text_of(cells[1]));
    cells[2].i = (order > 0) - (order < 0);
    return RT_OK;
}

RtStatus rt_string_length(Rt *rt, RtCell *cells)
{
    (void)rt;
    cells[1].i = (int64_t)strlen(text_of(cells[0]));
    return RT_OK;
}

RtStatus rt_string_part(Rt *rt, RtCell *cells)
{
    int64_t n = (int64_t)strlen(text_of(cells[0])), first = cells[1].i, last = cells[2].i;
    if (first < 1 || last > n) return rt_fail(rt, RT_INDEX, RT_NOWHERE, 0, first < 1 ? first : last, n);
    return rt_string_result(rt, &cells[3], text_of(cells[0]) + (first - 1),
                            last < first ? 0 : (size_t)(last - first + 1));
}

RtStatus rt_string_keep(Rt *rt, RtCell *cells)
{
    cells[1].s = rt_keep(rt, text_of(cells[0]), strlen(text_of(cells[0])));
    return cells[1].s ? RT_OK : RT_MEMORY;
}

/* The text at least `width` wide, at the left or right of its field. */
static RtStatus justified(Rt *rt, RtCell *cell, const char *text, int64_t width, int64_t left)
{
    size_t n = strlen(text), pad = 0;
    if (width > INT32_MAX) return rt_fail(rt, RT_SIZE, RT_NOWHERE, 0, width, INT32_MAX);
    if (width > (int64_t)n) pad = (size_t)width - n;
    char *at = rt_alloc(rt, n + pad + 1);
    if (!at) return RT_MEMORY;
    memset(at, ' ', n + pad);
    memcpy(left ? at : at + pad, text, n);
    at[n + pad] = '\0';
    cell->s = at;
    return RT_OK;
}

RtStatus rt_string_of_real(Rt *rt, RtCell *cells)
{
    char text[LONGEST_NUMBER];
    int64_t digits = cells[1].i;
    if (digits < 1 || digits > LONGEST_WIDTH)
        return rt_fail(rt, RT_SIZE, RT_NOWHERE, 0, digits, LONGEST_WIDTH);
    snprintf(text, sizeof text, "%.*g", (int)digits, cells[0].r);
    return justified(rt, &cells[4], text, cells[2].i, cells[3].i);
}

RtStatus rt_string_of_int(Rt *rt, RtCell *cells)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, cells[0].i);
    return justified(rt, &cells[3], text, cells[1].i, cells[2].i);
}

RtStatus rt_string_of_bool(Rt *rt, RtCell *cells)
{
    return justified(rt, &cells[3], cells[0].i ? "true" : "false", cells[1].i, cells[2].i);
}

/* Copies `format` to `clean` with `length` before its conversion; false unless it is one conversion
 * out of `conversions` with flags, width and precision that are spelled out and small. */
static int clean_format(const char *format, const char *conversions, const char *length, char *clean,
                        size_t room)
{
    const char *at = format;
    size_t n = 0;
    long number = 0;
    clean[n++] = '%';
    if (*at == '%') at++;
    while (n + 8 < room && *at && strchr("-+ #0123456789.", *at)) {
        number = *at >= '0' && *at <= '9' ? number * 10 + (*at - '0') : 0;
        if (number > LONGEST_WIDTH) return 0;
        clean[n++] = *at++;
    }
    if (!*at || !strchr(conversions, *at) || at[1]) return 0;
    while (*length) clean[n++] = *length++;
    clean[n++] = *at;
    clean[n] = '\0';
    return 1;
}

/* The format has passed clean_format; compilers cannot see that. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

RtStatus rt_string_format_real(Rt *rt, RtCell *cells)
{
    char clean[64], text[LONGEST_NUMBER];
    if (!clean_format(text_of(cells[1]), "eEfFgG", "", clean, sizeof clean))
        return rt_fail_external(rt, "the format of String() is not one of e, E, f, F, g, G for a Real");
    int n = snprintf(text, sizeof text, clean, cells[0].r);
    return rt_string_result(rt, &cells[2], text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

RtStatus rt_string_format_int(Rt *rt, RtCell *cells)
{
    char clean[64], text[LONGEST_NUMBER];
    if (clean_format(text_of(cells[1]), "eEfFgG", "", clean, sizeof clean)) {
        int n = snprintf(text, sizeof text, clean, (double)cells[0].i);
        return rt_string_result(rt, &cells[2], text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
    }
    if (!clean_format(text_of(cells[1]), "dioxXu", PRId64[0] == 'l' && PRId64[1] == 'l' ? "ll" : "l", clean,
                      sizeof clean))
        return rt_fail_external(rt, "the format of String() is not one of d, i, o, x, X, u for an Integer");
    int n = snprintf(text, sizeof text, clean, cells[0].i);
    return rt_string_result(rt, &cells[2], text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

#pragma GCC diagnostic pop

RtStatus rt_warning(Rt *rt, RtCell *cells)
{
    if (rt->warn) rt->warn(rt->user, text_of(cells[0]), (uint32_t)cells[1].i);
    return RT_OK;
}
