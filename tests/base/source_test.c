/* Sources share one space of positions; files that cannot be read say why. */
#include "base/base.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *path, Str text)
{
    FILE *f = fopen(path, "wb");
    if (f) {
        fwrite(text.at, 1, text.n, f);
        fclose(f);
    }
}

/* A text that fills its last page exactly is followed by a NUL all the same. */
static void check_page_sized_file(Sources *sources, const char *dir, Arena *arena)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const char *path = path_join(arena, dir, "page.mo");
    Text text = { .arena = arena };
    const Source *source;
    int why;
    text_add_repeat(&text, 'x', page);
    write_file(path, (Str){ text.at, text.n });
    CHECK(source_open(sources, path, &source, &why) == SOURCE_OK);
    CHECK(source->text.n == page && source->text.at[page - 1] == 'x' && source->text.at[page] == 0);
}

static void check_failures(Sources *sources, const char *dir, Arena *arena)
{
    const Source *source;
    int why;
    CHECK(source_open(sources, path_join(arena, dir, "none.mo"), &source, &why) == SOURCE_UNREADABLE &&
          why == ENOENT);
    CHECK(source_open(sources, dir, &source, &why) == SOURCE_NOT_A_FILE);
    const char *pipe = path_join(arena, dir, "pipe.mo");
    if (!mkfifo(pipe, 0600)) CHECK(source_open(sources, pipe, &source, &why) == SOURCE_NOT_A_FILE);
    const char *large = path_join(arena, dir, "large.mo");
    write_file(large, STR("x"));
    if (!truncate(large, 200 << 20)) CHECK(source_open(sources, large, &source, &why) == SOURCE_TOO_LARGE);
}

static void check_places(Sources *sources)
{
    const Source *a = source_add_text(sources, "a", STR("one\ntwo")),
                 *b = source_add_text(sources, "b", STR(""));
    const Source *c = source_add_text(sources, "c", STR("x\n\nz"));
    Place place;
    CHECK(source_of(sources, (Span){ a->base, 1 }) == a);
    CHECK(source_of(sources, (Span){ a->base + 7, 0 }) == a);
    CHECK(source_of(sources, (Span){ b->base, 0 }) == b);
    CHECK(source_of(sources, (Span){ c->base + 4, 0 }) == c);
    CHECK(source_of(sources, (Span){ 0 }) == NULL);
    CHECK(source_of(sources, (Span){ c->base + 100, 0 }) == NULL);
    CHECK(source_place(sources, (Span){ c->base + 3, 1 }, &place) && place.line == 3 && place.column == 1);
    CHECK(source_place(sources, (Span){ c->base + 2, 0 }, &place) && place.line == 2 && place.text.n == 0);
    CHECK(source_place(sources, (Span){ a->base + 2, 4 }, &place) && place.line == 1 && place.end_line == 2 &&
          place.end_column == 3);
}

static void check_directories(const char *dir, Arena *arena)
{
    Dir listed;
    int why;
    CHECK(dir_read(arena, dir, &listed, &why) && listed.n == 3);
    CHECK_TEXT(listed.at[0].name, "large.mo");
    CHECK(listed.at[0].kind == FILE_REGULAR && listed.at[2].kind == FILE_OTHER);
    CHECK(!dir_read(arena, "no/such/directory", &listed, &why) && why == ENOENT);
    CHECK(str_is(path_base("a/b/c/"), "c") && str_is(path_base("c"), "c") && str_is(path_base("/"), ""));
    CHECK_TEXT(path_join(arena, "a/", "b"), "a/b");
    CHECK_TEXT(path_join(arena, "a", "b"), "a/b");
    CHECK(file_kind(dir) == FILE_DIRECTORY && file_kind("no/such") == FILE_NONE);
}

int main(void)
{
    char dir[] = "/tmp/acausal-source-XXXXXX";
    Arena *arena = arena_new();
    Sources *sources = sources_new();
    if (!mkdtemp(dir)) return test_skip("no temporary directory");
    check_page_sized_file(sources, dir, arena);
    check_failures(sources, dir, arena);
    check_places(sources);
    check_directories(dir, arena);
    static const char *const made[] = { "page.mo", "pipe.mo", "large.mo" };
    for (size_t i = 0; i < COUNT_OF(made); i++) unlink(path_join(arena, dir, made[i]));
    rmdir(dir);
    sources_free(sources);
    arena_free(arena);
    return test_end();
}
