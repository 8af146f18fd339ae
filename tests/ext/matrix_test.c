/* Matrices on files: text, CSV, MAT level 4 and 5 (plain and compressed) give the same numbers;
 * damaged files are refused. */
#include "ext/ext.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

static char directory[] = "/tmp/acausal_matrix_XXXXXX";
static Arena *arena;

static const char *path(const char *name) { return arena_printf(arena, "%s/%s", directory, name); }

static const char *write_file(const char *name, const void *bytes, size_t n)
{
    FILE *f = fopen(path(name), "wb");
    CHECK(f && fwrite(bytes, 1, n, f) == n);
    if (f) fclose(f);
    return path(name);
}

static bool is_ours(const char *file, const char *name, const char *delimiter, int64_t lines)
{
    static const double want[] = { 1, 2.5, -3, 4e2, 5, 6 };
    ExtMatrix m;
    const char *why = "";
    if (!ext_read_matrix(file, name, delimiter, lines, arena, &m, &why)) {
        printf("  %s\n", why);
        return false;
    }
    return m.rows == 2 && m.columns == 3 && !memcmp(m.at, want, sizeof want);
}

static bool fails(const char *file, const char *name, const char *because)
{
    ExtMatrix m;
    const char *why = "";
    bool ok = !ext_read_matrix(file, name, ",", 0, arena, &m, &why) && strstr(why, because);
    if (!ok) printf("  '%s' has no '%s'\n", why, because);
    return ok;
}

static void text(void)
{
    static const char all[] =
        "#1\n# tables\ndouble other(1,2) # one\n 7 8\nfloat tab( 2 , 3 )\n1, 2.5;-3\n 4e2 # half\n5 6\n";
    const char *file = write_file("a.txt", all, sizeof all - 1);
    CHECK(is_ours(file, "tab", ",", 0));
    CHECK(fails(file, "none", "no such matrix"));
    static const char cut[] = "#1\ndouble tab(2,3)\n1 2 3 4";
    CHECK(fails(write_file("b.txt", cut, sizeof cut - 1), "tab", "number 5 of 6 is missing"));
    CHECK(fails(write_file("c.txt", "1 2", 3), "tab", "begins with #1"));
    CHECK(fails(path("no.txt"), "tab", "No such file"));
    static const char huge[] = "#1\ndouble tab(99999999999,99999999999)\n1";
    CHECK(fails(write_file("d.txt", huge, sizeof huge - 1), "tab", "too large"));
}

static void csv(void)
{
    static const char all[] = "u;v;w\n1; 2.5 ;-3\r\n\n4e2;5;6";
    CHECK(is_ours(write_file("a.csv", all, sizeof all - 1), "Values", ";", 1));
    static const char bad[] = "1,2\n3\n";
    CHECK(fails(write_file("b.csv", bad, sizeof bad - 1), "", "row 2 has 1 numbers, not 2"));
    CHECK(fails(write_file("c.csv", "1,x\n", 4), "", "no number"));
}

static const double by_columns[] = { 1, 4e2, 2.5, 5, -3, 6 };

static void level4(void)
{
    char bytes[200];
    int32_t head[5] = { 0, 2, 3, 0, 4 }, other[5] = { 20, 1, 1, 0, 2 }, seven = 7;
    size_t n = 0;
    memcpy(bytes, other, 20), memcpy(bytes + 20, "o", 2), memcpy(bytes + 22, &seven, 4), n = 26;
    memcpy(bytes + n, head, 20), memcpy(bytes + n + 20, "tab", 4), memcpy(bytes + n + 24, by_columns, 48),
        n += 72;
    const char *file = write_file("a.mat", bytes, n);
    CHECK(is_ours(file, "tab", ",", 0));
    CHECK(fails(file, "tob", "no such matrix"));
    CHECK(fails(write_file("b.mat", bytes, n - 8), "tab", "cut short"));
}

/* One matrix of level 5: flags, sizes, a short name, doubles. */
static size_t element(uint8_t *to)
{
    uint32_t words[] = { 14, 0, 6, 8, 6, 0, 5, 8, 2, 3, 3u << 16 | 1, 0, 9, 48 };
    memcpy(&words[11], "tab", 3);
    words[1] = sizeof words - 8 + 48;
    memcpy(to, words, sizeof words);
    memcpy(to + sizeof words, by_columns, 48);
    return sizeof words + 48;
}

static void level5(void)
{
    uint8_t bytes[600] = "MATLAB 5.0 MAT-file", inner[200];
    memcpy(bytes + 124, "\0\1IM", 4);
    size_t n = 128 + element(bytes + 128);
    const char *file = write_file("c.mat", bytes, n);
    CHECK(is_ours(file, "tab", ",", 0));
    CHECK(fails(file, "tub", "no such matrix"));
    CHECK(fails(write_file("d.mat", bytes, n - 20), "tab", ""));
    uLongf packed = sizeof bytes - 136;
    CHECK(compress(bytes + 136, &packed, inner, element(inner)) == Z_OK);
    uint32_t tag[2] = { 15, (uint32_t)packed };
    memcpy(bytes + 128, tag, 8);
    CHECK(is_ours(write_file("e.mat", bytes, 136 + packed), "tab", ",", 0));
    bytes[140] ^= 0x55;
    CHECK(fails(write_file("f.mat", bytes, 136 + packed), "tab", ""));
    CHECK(fails(write_file("g.mat", "\x89HDF\r\n\x1a\n..", 10), "tab", "7.3"));
}

int main(void)
{
    arena = arena_new();
    if (!CHECK(mkdtemp(directory) != NULL)) return test_end();
    text();
    csv();
    level4();
    level5();
    CHECK(system(arena_printf(arena, "rm -rf '%s'", directory)) == 0);
    arena_free(arena);
    return test_end();
}
