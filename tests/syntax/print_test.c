/* What is printed parses to an equal tree: on our own files with every construct, and on every file
 * of the Modelica Standard Library where ACAUSAL_MSL names it. And equality tells differences. */
#include "syntax/texts.h"
#include "test.h"

#include <stdlib.h>

static size_t check_file(World *w, const char *path)
{
    const Source *source;
    Diag diag;
    int why;
    ArenaMark mark = arena_mark(w->arena);
    if (!CHECK_ROW(source_open(w->sources, path, &source, &why) == SOURCE_OK, path)) return 0;
    diag_init(&diag, w->arena);
    const Tree *tree = syntax_parse(w->reader, source, w->arena, &diag);
    CHECK_ROW(diag.errors == 0, path);
    Str printed = str_of(world_print(w, tree));
    const Tree *again = world_parse(w, printed, &diag);
    CHECK_ROW(diag.errors == 0, path);
    CHECK_ROW(syntax_equal(tree, again), path);
    arena_rewind(w->arena, mark);
    return 1;
}

static size_t check_below(World *w, const char *path)
{
    Arena *arena = arena_new();
    Dir dir;
    int why;
    size_t n = 0;
    if (!CHECK_ROW(dir_read(arena, path, &dir, &why), path)) return 0;
    for (uint32_t i = 0; i < dir.n; i++) {
        Str name = str_of(dir.at[i].name);
        const char *entry = path_join(arena, path, dir.at[i].name);
        if (dir.at[i].kind == FILE_DIRECTORY)
            n += check_below(w, entry);
        else if (name.n > 3 && !strcmp(name.at + name.n - 3, ".mo"))
            n += check_file(w, entry);
    }
    arena_free(arena);
    return n;
}

/* Pairs that look alike and are not the same. */
static const char *const different[][2] = {
    { "model M Real x; end M;", "model M Real y; end M;" },
    { "model M Real x; end M;", "model M protected Real x; end M;" },
    { "model M Real x = 1; end M;", "model M Real x = 1.0; end M;" },
    { "model M Real x = a + b; end M;", "model M Real x = a - b; end M;" },
    { "model M Real x = a + b + c; end M;", "model M Real x = a + (b + c); end M;" },
    { "model M Real x(a = 1); end M;", "model M Real x(final a = 1); end M;" },
    { "model M Real x \"a\"; end M;", "model M Real x \"b\"; end M;" },
    { "model M equation x = 1; end M;", "model M initial equation x = 1; end M;" },
    { "model M end M;", "block M end M;" },
    { "model M end M;", "partial model M end M;" },
    { "model M end M;", "within; model M end M;" },
    { "model M Real x, y; end M;", "model M Real x; Real y; end M;" },
    { "type E = enumeration(a, b);", "type E = enumeration(a);" },
    { "model M import A.*; end M;", "model M import A; end M;" },
    { "model M Real x = f(a = 1); end M;", "model M Real x = f(b = 1); end M;" },
    { "model M Real x = {1, 2}; end M;", "model M Real x = [1, 2]; end M;" },
    { "model M Real x(); end M;", "model M Real x; end M;" },
};

int main(void)
{
    World w = world_new();
    const char *msl = getenv("ACAUSAL_MSL");
    for (size_t i = 0; i < COUNT_OF(different); i++) {
        Diag a, b;
        const Tree *first = world_parse(&w, str_of(different[i][0]), &a),
                   *second = world_parse(&w, str_of(different[i][1]), &b);
        CHECK_ROW(!a.errors && !b.errors && !syntax_equal(first, second), different[i][1]);
        CHECK_ROW(syntax_equal(first, first), different[i][0]);
    }
    CHECK(check_below(&w, TEST_SOURCE_DIR "/syntax/grammar") >= 6);
    if (msl)
        printf("%zu files of the Modelica Standard Library\n", check_below(&w, msl));
    else
        printf("skipped: the Modelica Standard Library (set ACAUSAL_MSL to its directory)\n");
    world_free(&w);
    return test_end();
}
