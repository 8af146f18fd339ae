/* found.c: which libraries there are in the directories of the path.
 *
 * In: the path. Out: each library with its name, its directory or file, and the version that its
 * folder's name says. How: directories are listed, no file is read. Cost: a listing of each
 * directory. Tests: tests/syntax/library_test.c, tests/cli/library.sh. */
#include "syntax/inside.h"

static bool is_library(Arena *arena, const char *path)
{
    return file_kind(path_join(arena, path, "package.mo")) == FILE_REGULAR;
}

static void found_in(Libraries *libs, const char *directory, FoundLibrary each, void *arg)
{
    Arena *arena = libs->arena;
    Found found = { .kind = UNIT_DIRECTORY };
    Dir dir;
    int why;
    const char *real = path_real(arena, directory);
    if (real && is_library(arena, real)) {
        found.path = real;
        split_version(path_base(real), &found.name, &found.version);
        each(arg, &found);
        return;
    }
    if (!real || !dir_read(arena, real, &dir, &why)) return;
    for (uint32_t i = 0; i < dir.n; i++) {
        Str base = str_of(dir.at[i].name);
        bool is_file = dir.at[i].kind == FILE_REGULAR && file_is_modelica(base);
        found.path = path_join(arena, real, dir.at[i].name);
        found.kind = is_file ? UNIT_FILE : UNIT_DIRECTORY;
        if (is_file) base.n -= 3;
        if (!is_file && (dir.at[i].kind != FILE_DIRECTORY || !is_library(arena, found.path))) continue;
        split_version(base, &found.name, &found.version);
        each(arg, &found);
    }
}

void libraries_each_found(Libraries *libs, FoundLibrary each, void *arg)
{
    for (uint32_t i = 0; i < libs->path.n; i++) found_in(libs, libs->path.at[i], each, arg);
}

/* ---- each name once -------------------------------------------------------------------------- */

typedef struct {
    Libraries *libs;
    Map seen;
    void (*each)(void *arg, Name name);
    void *arg;
} NameWalk;

static void give_name(NameWalk *w, Name name)
{
    bool is_new;
    map_put(&w->seen, map_key(name), &is_new);
    if (is_new) w->each(w->arg, name);
}

static void take_found(void *arg, const Found *found)
{
    NameWalk *w = arg;
    give_name(w, name_of(w->libs->names, found->name));
}

void libraries_each_name(Libraries *libs, void (*each)(void *arg, Name name), void *arg)
{
    NameWalk w = { .libs = libs, .each = each, .arg = arg };
    Arena *arena = arena_new();
    if (!arena) return;
    w.seen.arena = arena;
    for (uint32_t i = 0; i < libs->roots.n; i++) give_name(&w, libs->roots.at[i]->name);
    libraries_each_found(libs, take_found, &w);
    arena_free(arena);
}
