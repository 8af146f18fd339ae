/* scan.c: strings as Modelica.Utilities.Strings reads them: parts, comparison, hash, numbers,
 * names, quoted strings.
 *
 * Places are counted in bytes from 1. A scanner skips white space, then takes the longest token of
 * its kind; where there is none, the next place is the start and the value is zero or empty. Tests:
 * tests/rt/scan_test.c. */
#include "rt/inside.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(RtCell cell) { return cell.s ? cell.s : ""; }

RtStatus rt_strings_error(Rt *rt, RtCell *cells)
{
    return rt_fail_external(rt, cells[0].s ? cells[0].s : "");
}

RtStatus rt_strings_length(Rt *rt, RtCell *cells) { return rt_string_length(rt, cells); }

static void warn(Rt *rt, const char *text)
{
    if (rt->warn) rt->warn(rt->user, text, 0);
}

RtStatus rt_strings_substring(Rt *rt, RtCell *cells)
{
    const char *text = text_of(cells[0]);
    int64_t n = (int64_t)strlen(text), first = cells[1].i, last = cells[2].i;
    if (first < 1) warn(rt, "substring: the start index is not positive; 1 is taken");
    if (first < 1) first = 1;
    if (last < 0) warn(rt, "substring: the end index is negative; the start index is taken");
    if (last < 0) last = first;
    if (last > n) last = n;
    return last < first ? rt_string_result(rt, &cells[3], "", 0)
                        : rt_string_result(rt, &cells[3], text + first - 1, (size_t)(last - first + 1));
}

static int compare_letters(const char *a, const char *b)
{
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
    return tolower((unsigned char)*a) - tolower((unsigned char)*b);
}

RtStatus rt_strings_compare(Rt *rt, RtCell *cells)
{
    (void)rt;
    const char *a = text_of(cells[0]), *b = text_of(cells[1]);
    int order = cells[2].i ? strcmp(a, b) : compare_letters(a, b);
    cells[3].i = order < 0 ? 1 : order > 0 ? 3 : 2;
    return RT_OK;
}

/* The place after white space, from 0; at most the length. */
static size_t skip(const char *text, int64_t start)
{
    size_t n = strlen(text), at = start < 1 ? 0 : (size_t)start - 1;
    while (at < n && isspace((unsigned char)text[at])) at++;
    return at < n ? at : n;
}

RtStatus rt_strings_skip(Rt *rt, RtCell *cells)
{
    (void)rt;
    cells[2].i = (int64_t)skip(text_of(cells[0]), cells[1].i) + 1;
    return RT_OK;
}

/* A. Partow's hash: odd and even characters by different rules. */
RtStatus rt_strings_hash(Rt *rt, RtCell *cells)
{
    (void)rt;
    const char *text = text_of(cells[0]);
    uint32_t h = 0xAAAAAAAAu;
    for (size_t i = 0; text[i]; i++) {
        uint32_t c = (unsigned char)text[i];
        h ^= i & 1 ? ~((h << 11) + (c ^ (h >> 5))) : (h << 7) ^ c * (h >> 3);
    }
    cells[1].i = h < 0x80000000u ? (int64_t)h : (int64_t)h - (INT64_C(1) << 32);
    return RT_OK;
}

/* The digits of an integer from `at` on, with a sign if that is allowed; their end, or `at` if
 * there are none. */
static size_t integer_end(const char *text, size_t at, int is_unsigned)
{
    size_t k = at + (!is_unsigned && (text[at] == '+' || text[at] == '-')), first = k;
    while (isdigit((unsigned char)text[k])) k++;
    return k == first ? at : k;
}

RtStatus rt_strings_integer(Rt *rt, RtCell *cells)
{
    (void)rt;
    const char *text = text_of(cells[0]);
    size_t at = skip(text, cells[1].i), end = integer_end(text, at, cells[2].i != 0);
    /* 1.5 and 1e3 are Reals, and a name that begins with digits is no number. */
    int ends = text[end] != '.' && text[end] != 'e' && text[end] != 'E' && !isalpha((unsigned char)text[end]);
    errno = 0;
    long long value = end > at && ends ? strtoll(text + at, NULL, 10) : 0;
    int ok = end > at && ends && !errno && value <= INT_MAX && value >= INT_MIN;
    cells[4].i = ok ? value : 0;
    cells[3].i = ok ? (int64_t)end + 1 : cells[1].i;
    return RT_OK;
}

/* Modelica's Real: digits, a point, digits, an exponent; no hexadecimal, no inf. */
static size_t real_end(const char *text, size_t at, int is_unsigned)
{
    size_t k = at + (!is_unsigned && (text[at] == '+' || text[at] == '-')), digits = 0;
    for (; isdigit((unsigned char)text[k]); k++) digits++;
    if (text[k] == '.')
        for (k++; isdigit((unsigned char)text[k]); k++) digits++;
    if (!digits) return at;
    if (text[k] != 'e' && text[k] != 'E') return k;
    size_t end = integer_end(text, k + 1, 0);
    return end > k + 1 ? end : k;
}

RtStatus rt_strings_real(Rt *rt, RtCell *cells)
{
    (void)rt;
    const char *text = text_of(cells[0]);
    size_t at = skip(text, cells[1].i), end = real_end(text, at, cells[2].i != 0);
    cells[4].r = 0;
    cells[3].i = cells[1].i;
    if (end == at || end - at > 200) return RT_OK;
    char copy[201];
    memcpy(copy, text + at, end - at);
    copy[end - at] = 0;
    cells[4].r = strtod(copy, NULL);
    cells[3].i = (int64_t)end + 1;
    return RT_OK;
}

RtStatus rt_strings_identifier(Rt *rt, RtCell *cells)
{
    const char *text = text_of(cells[0]);
    size_t at = skip(text, cells[1].i), end = at;
    if (isalpha((unsigned char)text[at]) || text[at] == '_')
        while (isalnum((unsigned char)text[end]) || text[end] == '_') end++;
    cells[2].i = end > at ? (int64_t)end + 1 : cells[1].i;
    return rt_string_result(rt, &cells[3], text + at, end - at);
}

/* "..." with escapes left as they are. */
RtStatus rt_strings_string(Rt *rt, RtCell *cells)
{
    const char *text = text_of(cells[0]);
    size_t at = skip(text, cells[1].i), end = at + 1;
    cells[2].i = cells[1].i;
    if (text[at] != '"') return rt_string_result(rt, &cells[3], "", 0);
    while (text[end] && text[end] != '"') end += text[end] == '\\' && text[end + 1] ? 2 : 1;
    if (!text[end]) return rt_string_result(rt, &cells[3], "", 0);
    cells[2].i = (int64_t)end + 2;
    return rt_string_result(rt, &cells[3], text + at + 1, end - at - 1);
}
