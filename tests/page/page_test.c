/* A report is one page that stands alone: no address of another place, no text of the model that
 * ends its script, all parts filled in. Columns are packed once, and thinned ones keep their
 * extremes. */
#include "page/page.h"
#include "test.h"

#include <stdlib.h>
#include <zlib.h>

static size_t count_of(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) n++;
    return n;
}

static size_t from_base64(const char *text, size_t n, unsigned char *out)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t bytes = 0;
    unsigned bits = 0, have = 0;
    for (size_t i = 0; i < n && text[i] != '='; i++) {
        bits = bits << 6 | (unsigned)(strchr(letters, text[i]) - letters);
        have += 6;
        if (have >= 8) out[bytes++] = (unsigned char)(bits >> (have -= 8));
    }
    return bytes;
}

/* What page_add_column packed. */
static void unpack(const char *text, size_t length, double *values, size_t n)
{
    unsigned char *packed = malloc(length), *planes = malloc(8 * n);
    uLongf size = (uLongf)(8 * n);
    if (packed && planes &&
        CHECK(uncompress(planes, &size, packed, from_base64(text, length, packed)) == Z_OK))
        for (size_t i = 0; i < n; i++) {
            uint64_t bits = 0;
            for (size_t k = 0; k < 8; k++) bits |= (uint64_t)planes[k * n + i] << (8 * k);
            memcpy(&values[i], &bits, sizeof bits);
        }
    free(packed);
    free(planes);
}

static void check_columns(Arena *arena)
{
    const double values[] = { 0.0, -0.0, 1.0 / 3, INFINITY, -1e-308, 1e300, 7 };
    double back[COUNT_OF(values)];
    Text text = { .arena = arena };
    page_add_column(values, COUNT_OF(values), &text);
    unpack(text.at, text.n, back, COUNT_OF(values));
    CHECK(!memcmp(values, back, sizeof values));
}

static void check_report(Arena *arena)
{
    enum { ROWS = 100000, PEAK = 54321 };
    double *t = NEW_ARRAY(arena, double, ROWS), *y = NEW_ARRAY(arena, double, ROWS);
    static const double three = 3;
    for (int i = 0; i < ROWS; i++) t[i] = i / 2, y[i] = i == PEAK ? 99 : i % 17;
    Signal signals[] = { { "</script><script>alert(1)", "V", "<!-- a \"b\"", COLUMN_CONTINUOUS, y, 1, 1.0 },
                         { "same", "V", "", COLUMN_CONTINUOUS, y, 1, 1.0 },
                         { "k", "", "", COLUMN_CONSTANT, &three, 0, 1.0 } };
    ResultTable table = { .arena = arena,
                          .rows = ROWS,
                          .time = { "time", "s", "", COLUMN_CONTINUOUS, t, 1, 1.0 },
                          .signals = signals,
                          .count = 3 };
    PageReport report = { .title = "A & B", .version = "0", .result = &table };
    Text out = { .arena = arena };
    page_report(&report, &out);
    CHECK(!strncmp(out.at, "<!DOCTYPE html>", 15) && strstr(out.at, "<title>A &amp; B</title>"));
    CHECK(count_of(out.at, "<script") == count_of(out.at, "</script>") && count_of(out.at, "<script") == 5);
    CHECK(!strstr(out.at, "<!--") && !strstr(out.at, "http:") && !strstr(out.at, "https:"));
    CHECK(strstr(out.at, "[\"k\",\"\",\"\",2,-1,3.0]") || strstr(out.at, "[\"k\",\"\",\"\",2,-1,3]"));
    const char *columns = strstr(out.at, "id=\"columns\">"),
               *end = columns ? strstr(columns, "</script>") : NULL;
    if (!CHECK(columns && end)) return;
    columns += strlen("id=\"columns\">");
    CHECK(strstr(out.at, "\"kept\":40000") != NULL);
    const char *second = memchr(columns, '\n', (size_t)(end - columns));
    if (!CHECK(second && !memchr(second + 1, '\n', (size_t)(end - second - 1))))
        return; /* time and one column */
    double *kept = NEW_ARRAY(arena, double, 40000), most = 0;
    unpack(second + 1, (size_t)(end - second - 1), kept, 40000);
    for (int i = 0; i < 40000; i++) most = fmax(most, kept[i]);
    CHECK(most == 99);
}

int main(void)
{
    Arena *arena = arena_new();
    check_columns(arena);
    check_report(arena);
    ResultTable empty = { .arena = arena, .time = { "time", "s", "", COLUMN_CONTINUOUS, NULL, 0, 1.0 } };
    Text out = { .arena = arena };
    page_report(&(PageReport){ .result = &empty, .version = "0" }, &out);
    CHECK(strstr(out.at, "\"rows\":0") && strstr(out.at, "</html>"));
    arena_free(arena);
    return test_end();
}
