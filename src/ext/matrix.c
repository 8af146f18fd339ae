/* matrix.c: matrices on files: the text format of Modelica's tables, CSV, and MAT files of level 4
 * and 5.
 *
 * In: a file and, but for CSV, the name of a matrix in it. Out: numbers row by row. The kind of a
 * file follows from its name: .csv, .mat, anything else is text. Text: "#1", then `double
 * name(rows, columns)` (or float) and the numbers in any lines;
 * # begins a comment. CSV: numbers between delimiters, header lines skipped. MAT level 5 may be
 * compressed. Always: nothing is read beyond the file's end, and a header that does not fit is
 * refused. Level 7.3 is HDF5 and is refused by name. Sources: The MathWorks, "MAT-File Format".
 * Tests: tests/ext/matrix_test.c. */
#include "ext/inside.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <zlib.h>

typedef struct {
    const char *file, *name;
    Arena *arena;
    ExtMatrix *out;
    const char **why;
} Reader;

static bool fail(Reader *r, const char *what)
{
    *r->why = r->name && *r->name
                  ? arena_printf(r->arena, "matrix '%s' of file '%s': %s", r->name, r->file, what)
                  : arena_printf(r->arena, "file '%s': %s", r->file, what);
    return false;
}

static bool slurp(Reader *r, Str *text)
{
    FILE *f = fopen(r->file, "rb");
    if (!f) return fail(r, strerror(errno));
    Text t = { .arena = r->arena };
    char block[1 << 16];
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) text_add(&t, (Str){ block, n });
    bool ok = !ferror(f);
    fclose(f);
    text_add_char(&t, 0);
    *text = (Str){ t.at, t.n - 1 };
    return ok || fail(r, "cannot be read");
}

enum { MOST_NUMBERS = 1 << 28 };

static bool make_room(Reader *r, uint64_t rows, uint64_t columns)
{
    if (rows > MOST_NUMBERS || columns > MOST_NUMBERS || rows * columns > MOST_NUMBERS)
        return fail(r, "too large");
    *r->out = (ExtMatrix){ NEW_ARRAY(r->arena, double, (size_t)(rows * columns) + 1), (size_t)rows,
                           (size_t)columns };
    return true;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Past separators and comments. */
static const char *next_token(const char *at)
{
    for (;;) {
        while (*at && (isspace((unsigned char)*at) || *at == ',' || *at == ';')) at++;
        if (*at != '#') return at;
        while (*at && *at != '\n') at++;
    }
}

/* `double name(2, 3)`; the place after it, or NULL if there is no header. */
static const char *read_header(const char *at, Str *name, uint64_t *rows, uint64_t *columns)
{
    size_t n = strcspn(at, " \t\r\n(");
    if (!str_is((Str){ at, n }, "double") && !str_is((Str){ at, n }, "float")) return NULL;
    at += n;
    at += strspn(at, " \t");
    name->at = at;
    name->n = strcspn(at, " \t\r\n(,");
    at += name->n;
    at += strspn(at, " \t");
    char *end;
    if (*at != '(') return NULL;
    *rows = strtoull(at + 1, &end, 10);
    at = end + strspn(end, " \t");
    if (*at != ',') return NULL;
    *columns = strtoull(at + 1, &end, 10);
    at = end + strspn(end, " \t");
    return *at == ')' ? at + 1 : NULL;
}

static bool read_numbers(Reader *r, const char *at)
{
    for (size_t i = 0; i < r->out->rows * r->out->columns; i++) {
        char *end;
        at = next_token(at);
        r->out->at[i] = strtod(at, &end);
        if (end == at)
            return fail(r, arena_printf(r->arena, "number %zu of %zu is missing", i + 1,
                                        r->out->rows * r->out->columns));
        at = end;
    }
    return true;
}

static bool read_text(Reader *r, Str text)
{
    const char *at = text.at;
    if (!strncmp(at, "\xEF\xBB\xBF", 3)) at += 3;
    if (strncmp(at, "#1", 2) != 0) return fail(r, "a text file with tables begins with #1");
    while (*(at = next_token(at))) {
        Str name;
        uint64_t rows, columns;
        if (isdigit((unsigned char)*at) || strchr("+-.", *at)) { /* numbers of another matrix */
            at += strcspn(at, " \t\r\n,;#");
            continue;
        }
        const char *behind = read_header(at, &name, &rows, &columns);
        if (!behind) return fail(r, "'double name(rows, columns)' is expected");
        if (str_is(name, r->name)) return make_room(r, rows, columns) && read_numbers(r, behind);
        at = behind;
    }
    return fail(r, "there is no such matrix");
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static bool read_csv(Reader *r, Str text, const char *delimiter, int64_t header_lines)
{
    const char *at = text.at;
    VEC(double) numbers = { 0 };
    size_t rows = 0, columns = 0;
    char cut = delimiter && *delimiter ? *delimiter : ',';
    if (!strncmp(at, "\xEF\xBB\xBF", 3)) at += 3;
    for (int64_t i = 0; i < header_lines && *at; i++) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    while (*at) {
        size_t n = 0;
        if (at[strspn(at, " \t\r")] == '\n') {
            at += strspn(at, " \t\r") + 1;
            continue;
        }
        for (;; n++) {
            char *end;
            double x = strtod(at, &end);
            if (end == at)
                return fail(r, arena_printf(r->arena, "row %zu has something that is no number", rows + 1));
            vec_push(r->arena, &numbers, x);
            at = end;
            while (*at != cut && (*at == ' ' || *at == '\t' || *at == '\r')) at++;
            if (*at != cut) break;
            at++;
        }
        n++;
        if (*at && *at != '\n')
            return fail(r, arena_printf(r->arena, "row %zu has something that is no number", rows + 1));
        if (rows && n != columns)
            return fail(r, arena_printf(r->arena, "row %zu has %zu numbers, not %zu", rows + 1, n, columns));
        columns = n;
        rows++;
        at += *at == '\n';
    }
    if (!rows) return fail(r, "there are no numbers");
    *r->out = (ExtMatrix){ numbers.at, rows, columns };
    return true;
}

/* ---- MAT ------------------------------------------------------------------------------------- */

static uint32_t word(const uint8_t *at, bool swap)
{
    uint32_t w;
    memcpy(&w, at, sizeof w);
    return swap ? __builtin_bswap32(w) : w;
}

static unsigned size_of(int type)
{
    static const uint8_t sizes[] = { 0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8 };
    return type >= 0 && type < (int)COUNT_OF(sizes) ? sizes[type] : 0;
}

/* One number of a MAT type: of level 5 by its number. */
static double number(const uint8_t *at, int type, bool swap)
{
    uint64_t bits = 0;
    unsigned size = size_of(type);
    for (unsigned k = 0; k < size; k++) bits |= (uint64_t)at[swap ? size - 1u - k : k] << 8 * k;
    double real;
    float single;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case 1: return (int8_t)bits;
    case 2: return (double)bits;
    case 3: return (int16_t)bits;
    case 4: return (double)bits;
    case 5: return (int32_t)low;
    case 6: return low;
    case 7: memcpy(&single, &low, sizeof single); return single;
    case 9: memcpy(&real, &bits, sizeof real); return real;
    case 12: return (double)(int64_t)bits;
    default: return (double)bits;
    }
}

/* Columns one after the other become rows. */
static bool take(Reader *r, const uint8_t *at, size_t n, int type, bool swap, uint64_t rows, uint64_t columns)
{
    unsigned size = size_of(type);
    if (!size || rows > MOST_NUMBERS || columns > MOST_NUMBERS || rows * columns * size > n)
        return fail(r, "its data is cut short");
    if (!make_room(r, rows, columns)) return false;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            r->out->at[i * columns + j] = number(at + (j * rows + i) * size, type, swap);
    return true;
}

static bool read_level4(Reader *r, Str text)
{
    static const int types[] = { 9, 7, 5, 3, 4, 2 }; /* of level 5 */
    const uint8_t *at = (const uint8_t *)text.at, *end = at + text.n;
    while (end - at >= 20) {
        bool swap = word(at, false) > 9999;
        uint32_t kind = word(at, swap), rows = word(at + 4, swap), columns = word(at + 8, swap),
                 complex = word(at + 12, swap), name = word(at + 16, swap);
        uint32_t precision = kind / 10 % 10;
        if (kind > 9999 || precision > 5 || name > (size_t)(end - at) - 20)
            return fail(r, "no MAT file of level 4");
        int type = types[precision];
        const uint8_t *data = at + 20 + name;
        uint64_t bytes = (uint64_t)rows * columns * size_of(type) * (complex ? 2 : 1);
        if (strnlen((const char *)at + 20, name) == strlen(r->name) &&
            !memcmp(at + 20, r->name, strlen(r->name)))
            return take(r, data, (size_t)(end - data), type, swap, rows, columns);
        if (bytes > (uint64_t)(end - data)) break;
        at = data + bytes;
    }
    return fail(r, "there is no such matrix");
}

/* A tag of level 5: type, bytes, where they are, where the next tag is. */
typedef struct {
    uint32_t type, n;
    const uint8_t *at, *next;
} Tag;

static bool read_tag(const uint8_t *at, const uint8_t *end, bool swap, Tag *tag)
{
    if (end - at < 8) return false;
    uint32_t first = word(at, swap);
    if (first >> 16) {
        *tag = (Tag){ first & 0xFFFF, first >> 16, at + 4, at + 8 };
        return tag->n <= 4;
    }
    tag->type = first;
    tag->n = word(at + 4, swap);
    tag->at = at + 8;
    if (tag->n > (size_t)(end - tag->at)) return false;
    size_t padded = tag->type == 15 ? tag->n : (tag->n + 7u) & ~(size_t)7;
    tag->next = padded > (size_t)(end - tag->at) ? end : tag->at + padded;
    return true;
}

static int read_element(Reader *r, const uint8_t *at, const uint8_t *end, bool swap, Str wanted);

/* The field of a structure: after its name come the length of field names, the names, and one
 * matrix for each. */
static int read_field(Reader *r, const uint8_t *at, const uint8_t *end, bool swap, Str field)
{
    Tag length, names, value;
    if (!read_tag(at, end, swap, &length) || length.n < 4 || !read_tag(length.next, end, swap, &names))
        return fail(r, "a structure of the file is damaged") - 1;
    size_t room = word(length.at, swap), n = room ? names.n / room : 0;
    const char *dot = memchr(field.at, '.', field.n);
    Str rest = dot ? (Str){ dot, (size_t)(field.at + field.n - dot) }
                   : STR(""); /* ".x": a field of what has no name */
    field.n -= rest.n;
    at = names.next;
    for (size_t k = 0; k < n && read_tag(at, end, swap, &value); k++, at = value.next) {
        const char *own = (const char *)names.at + k * room;
        if (strnlen(own, room) == field.n && !memcmp(own, field.at, field.n))
            return read_element(r, value.at, value.at + value.n, swap, rest);
    }
    return fail(r, "the structure has no such field") - 1;
}

/* A matrix element: flags, dimensions, name, data. 1 if it is the one, 0 if not, -1 after a
 * failure. "s.x" is a field. */
static int read_element(Reader *r, const uint8_t *at, const uint8_t *end, bool swap, Str wanted)
{
    Tag flags, sizes, name, data;
    const char *dot = wanted.n ? memchr(wanted.at, '.', wanted.n) : NULL;
    Str first = { wanted.at, dot ? (size_t)(dot - wanted.at) : wanted.n };
    if (!read_tag(at, end, swap, &flags) || !read_tag(flags.next, end, swap, &sizes) || flags.n < 4 ||
        sizes.n < 8 || !read_tag(sizes.next, end, swap, &name))
        return fail(r, "a matrix of the file is damaged") - 1;
    Str own = { (const char *)name.at, name.n };
    uint32_t class = word(flags.at, swap) & 0xFF;
    if (class == 2 && dot && str_equal(own, first))
        return read_field(r, name.next, end, swap, (Str){ dot + 1, wanted.n - first.n - 1 });
    if (!str_equal(own, wanted)) return 0;
    if (class < 6 || class > 15 || sizes.n != 8) return fail(r, "it is no matrix of numbers") - 1;
    if (!read_tag(name.next, end, swap, &data)) return fail(r, "its data is cut short") - 1;
    bool ok = take(r, data.at, data.n, (int)data.type, swap, word(sizes.at, swap), word(sizes.at + 4, swap));
    return ok ? 1 : -1;
}

static bool inflate_all(Reader *r, const Tag *tag, Str *out)
{
    z_stream z = { .next_in = (Bytef *)(uintptr_t)tag->at, .avail_in = tag->n };
    Text t = { .arena = r->arena };
    unsigned char block[1 << 15];
    int status = inflateInit(&z);
    while (status == Z_OK && t.n < (size_t)MOST_NUMBERS * 8) {
        z.next_out = block;
        z.avail_out = sizeof block;
        status = inflate(&z, Z_NO_FLUSH);
        text_add(&t, (Str){ (const char *)block, sizeof block - z.avail_out });
        if (status == Z_BUF_ERROR) break;
    }
    inflateEnd(&z);
    *out = (Str){ t.at, t.n };
    return status == Z_STREAM_END || fail(r, "its data cannot be uncompressed");
}

static bool read_level5(Reader *r, Str text)
{
    const uint8_t *at = (const uint8_t *)text.at + 128, *end = (const uint8_t *)text.at + text.n;
    bool swap = text.at[126] == 'M';
    Tag tag;
    for (; read_tag(at, end, swap, &tag); at = tag.next) {
        Tag inner = tag;
        if (tag.type == 15) {
            Str all;
            if (!inflate_all(r, &tag, &all)) return false;
            const uint8_t *from = (const uint8_t *)all.at;
            if (!read_tag(from, from + all.n, swap, &inner))
                return fail(r, "a matrix of the file is damaged");
        }
        int found =
            inner.type == 14 ? read_element(r, inner.at, inner.at + inner.n, swap, str_of(r->name)) : 0;
        if (found) return found > 0;
    }
    return fail(r, "there is no such matrix");
}

static bool read_mat(Reader *r, Str text)
{
    if (text.n > 8 && !memcmp(text.at, "\x89HDF", 4))
        return fail(r, "MAT files of version 7.3 (HDF5) cannot be read");
    if (text.n > 128 && !memcmp(text.at, "MATLAB 7.3", 10))
        return fail(r, "MAT files of version 7.3 (HDF5) cannot be read");
    bool is5 = text.n > 128 && (!memcmp(text.at + 126, "IM", 2) || !memcmp(text.at + 126, "MI", 2));
    return is5 ? read_level5(r, text) : read_level4(r, text);
}

/* ---- the door -------------------------------------------------------------------------------- */

static bool ends_with(const char *file, const char *end)
{
    size_t n = strlen(file), m = strlen(end);
    return n >= m && !strcasecmp(file + n - m, end);
}

bool ext_read_matrix(const char *file, const char *name, const char *delimiter, int64_t header_lines,
                     Arena *arena, ExtMatrix *out, const char **why)
{
    bool is_csv = ends_with(file, ".csv");
    Reader r = { file, is_csv ? "" : name, arena, out, why };
    Str text;
    if (!slurp(&r, &text)) return false;
    if (is_csv) return read_csv(&r, text, delimiter, header_lines);
    return ends_with(file, ".mat") ? read_mat(&r, text) : read_text(&r, text);
}

/* What a table asks for. */
static RtStatus read_for_table(Rt *rt, const char *file, const char *name, const char *delimiter,
                               int64_t header_lines, double **at, int64_t *rows, int64_t *columns)
{
    Arena *arena = arena_new();
    ExtMatrix m;
    const char *why = "out of memory";
    bool ok = arena && ext_read_matrix(file, name, delimiter, header_lines, arena, &m, &why);
    *at = ok ? malloc((m.rows * m.columns + 1) * sizeof **at) : NULL;
    if (*at) {
        memcpy(*at, m.at, m.rows * m.columns * sizeof **at);
        *rows = (int64_t)m.rows;
        *columns = (int64_t)m.columns;
    }
    RtStatus status = *at ? RT_OK : rt_fail_external(rt, why);
    if (arena) arena_free(arena);
    return status;
}

void ext_attach(Rt *rt) { rt->read_matrix = read_for_table; }
