/* TOML, JSON and CSV settings: what is read, how it is flattened, and what is refused with its
 * line. */
#include "test.h"

#include "data/data.h"

static Text said;

static void say(void *arg, const char *name, const char *value)
{
    (void)arg;
    text_printf(&said, "%s=%s;", name, value);
}

typedef DataNode *(*Reader)(Arena *arena, Str text, char *why, size_t room);

static const struct {
    Reader read;
    const char *text, *want; /* flattened, or the reason */
} cases[] = {
    { data_read_toml, "a = 1\nb.c = \"x\" # no\n[d.e]\nf = [1, 2.5,\n 3]\n", "a=1;b.c=x;d.e.f={1,2.5,3};" },
    { data_read_toml, "\"R1.R\" = 1_000\nk = {p = true, 'q' = -2e3}\n", "R1.R=1000;k.p=true;k.q=-2e3;" },
    { data_read_toml, "a = '''\nx\ny'''\nb = \"\"\"\\\n  one \\\n two\"\"\"\nc = \"\\u00e9\\n\"",
      "a=x\ny;b=one two;c=\xc3\xa9\n;" },
    { data_read_toml, "h = 0xff\ni = inf\n", "h=255;i=inf;" },
    { data_read_toml, "a = 1\na = 2\n", "line 2: a key twice in one table" },
    { data_read_toml, "[a]\n[a]\n", "line 2: a table that is given twice" },
    { data_read_toml, "a = {b = 1}\n[a.c]\nd = 1\n", "line 2: this key is no open table" },
    { data_read_toml, "a = 1979-05-27\n", "line 1: dates are not supported" },
    { data_read_toml, "a = \"x\nb\"\n", "line 1: a text ends on its line" },
    { data_read_toml, "a = 1 b = 2\n", "line 1: expected the end of the line" },
    { data_read_toml, "a = [1, 2\n", "line 2: expected ',' or ']'" },
    { data_read_json, "{\"a\": [1, {\"b\": null}], \"c\": {\"d\": \"\\ud83d\\ude00\\\"\"}}",
      "a={1,};c.d=\xf0\x9f\x98\x80\";" },
    { data_read_json, "{\"a\": 1,\n \"a\": 2}", "line 2: a name twice in one object" },
    { data_read_json, "{\"a\": 01x}", "line 1: expected ',' or '}'" },
    { data_read_json, "{\"a\": .5}", "line 1: expected a value" },
    { data_read_json, "{} {}", "line 1: more after the end" },
    { data_read_json, "[\"\\q\"]", "line 1: an escape that JSON does not know" },
};

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    fputs(text, file);
    fclose(file);
}

static const struct {
    const char *text, *want;
} tables[] = { { "name,value\nR1.R,5\n\"a[1,2]\", 3 \n", "R1.R=5;a[1,2]=3;" },
               { "R,2\nC,3\n", "R=2;C=3;" },
               { "a,b,c\n1,2,3\n", "a=1;b=2;c=3;" },
               { "a\n7\n", "a=7;" },
               { "a,b,c\n1,2\n", "'data_test.csv', line 2: 2 cells, not 3" } };

int main(void)
{
    Arena *arena = arena_new();
    char why[300];
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        said = (Text){ .arena = arena };
        text_printf(&said, "%s", "");
        DataNode *node = cases[k].read(arena, str_of(cases[k].text), why, sizeof why);
        if (node) data_flatten(arena, node, say, NULL);
        CHECK_TEXT(node ? said.at : why, cases[k].want);
    }
    for (size_t k = 0; k < COUNT_OF(tables); k++) {
        said = (Text){ .arena = arena };
        text_printf(&said, "%s", "");
        write_file("data_test.csv", tables[k].text);
        DataNode *node = data_read_file(arena, "data_test.csv", why, sizeof why);
        if (node) data_flatten(arena, node, say, NULL);
        CHECK_TEXT(node ? said.at : why, tables[k].want);
    }
    remove("data_test.csv");
    CHECK(!data_read_file(arena, "data_test.xml", why, sizeof why) && strstr(why, ".toml"));
    arena_free(arena);
    return test_end();
}
