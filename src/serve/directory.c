/* directory.c: the directory that a studio shows: which sources it has, where a class is written,
 * saving.
 *
 * Always: no path leads outside of the directory, whatever links and dots it has: what counts is
 * where it ends. Cost: a walk of at most MOST_SOURCES entries. Tests: tests/serve/serve.py. */
#include "serve/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SOURCES = 2000, MOST_DEPTH = 6 };

static bool has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n > m && !strcmp(text + n - m, suffix);
}

bool directory_is_fmu(const char *source) { return has_suffix(source, ".fmu"); }

/* Where a path really leads; NULL: nowhere, or out of the directory. */
static const char *resolve(const Directory *d, Arena *arena, const char *path)
{
    size_t n = strlen(d->path);
    const char *real = path_real(arena, path);
    if (!real || strncmp(real, d->path, n) != 0 || (real[n] != '/' && real[n] != 0 && n > 1)) return NULL;
    return real;
}

const char *directory_find(const Directory *d, Arena *arena, const char *relative)
{
    if (!relative || *relative == '/' || strlen(relative) > 2000) return NULL;
    return resolve(d, arena, *relative ? path_join(arena, d->path, relative) : d->path);
}

static bool is_library(Arena *arena, const char *path)
{
    return file_kind(path_join(arena, path, "package.mo")) == FILE_REGULAR;
}

Directory directory_of(Arena *arena, const char *path, bool read_only)
{
    const char *slash = strrchr(path, '/');
    bool is_inside = is_library(arena, path) && slash > path;
    return (Directory){ .path = path,
                        .libraries =
                            is_inside ? arena_copy(arena, (Str){ path, (size_t)(slash - path) }) : path,
                        .read_only = read_only };
}

typedef struct {
    Arena *arena;
    VEC(const char *) at; /* relative */
} SourceList;

/* Files with models, and directories that are libraries; others are looked into. */
static void walk(SourceList *found, const char *path, const char *relative, int depth)
{
    Dir dir;
    int why;
    if (depth > MOST_DEPTH || !dir_read(found->arena, path, &dir, &why)) return;
    for (uint32_t i = 0; i < dir.n && found->at.n < MOST_SOURCES; i++) {
        const char *name = dir.at[i].name, *full = path_join(found->arena, path, name);
        const char *shown = *relative ? path_join(found->arena, relative, name) : name;
        if (dir.at[i].kind == FILE_REGULAR && (has_suffix(name, ".mo") || has_suffix(name, ".fmu")))
            vec_push(found->arena, &found->at, shown);
        else if (dir.at[i].kind == FILE_DIRECTORY && is_library(found->arena, full))
            vec_push(found->arena, &found->at, shown);
        else if (dir.at[i].kind == FILE_DIRECTORY)
            walk(found, full, shown, depth + 1);
    }
}

static SourceList sources_of(const Directory *d, Arena *arena)
{
    SourceList found = { .arena = arena };
    if (is_library(arena, d->path))
        vec_push(arena, &found.at, "");
    else
        walk(&found, d->path, "", 0);
    return found;
}

void directory_list(const Directory *d, Arena *arena, Text *out)
{
    SourceList found = sources_of(d, arena);
    text_add_literal(out, "{\"directory\":");
    text_add_json(out, str_of(d->path));
    text_printf(out, ",\"read_only\":%s,\"sources\":[", d->read_only ? "true" : "false");
    for (uint32_t i = 0; i < found.at.n; i++) {
        if (i) text_add_char(out, ',');
        text_add_json(out, str_of(found.at.at[i]));
    }
    text_add_literal(out, "]}");
}

const char *directory_file_of(const Directory *d, Arena *arena, const char *source, const char *class_name)
{
    const char *at = directory_find(d, arena, source);
    if (!at || file_kind(at) != FILE_DIRECTORY) return at;
    const char *rest = class_name ? strchr(class_name, '.') : NULL;
    while (rest) {
        const char *dot = strchr(rest + 1, '.');
        Str name = { rest + 1, dot ? (size_t)(dot - rest - 1) : strlen(rest + 1) };
        const char *inner = path_join(arena, at, arena_copy(arena, name));
        const char *file = arena_printf(arena, "%s.mo", inner);
        if (!name.n || memchr(name.at, '/', name.n)) return NULL;
        if (file_kind(file) == FILE_REGULAR) return resolve(d, arena, file);
        if (!is_library(arena, inner)) break;
        at = inner;
        rest = dot;
    }
    return resolve(d, arena, path_join(arena, at, "package.mo"));
}

/* A file, or a library with all that is in it. */
static void add_stamp(Arena *arena, const char *path, int depth, uint64_t *stamp)
{
    struct stat s;
    Dir dir;
    int why;
    if (stat(path, &s)) return;
    uint64_t parts[4] = { (uint64_t)s.st_mtim.tv_sec, (uint64_t)s.st_mtim.tv_nsec, (uint64_t)s.st_size,
                          (uint64_t)s.st_ino };
    for (int k = 0; k < 4; k++) *stamp = (*stamp ^ parts[k]) * 1099511628211u;
    if (!S_ISDIR(s.st_mode) || depth > MOST_DEPTH || !dir_read(arena, path, &dir, &why)) return;
    for (uint32_t i = 0; i < dir.n; i++) {
        const char *inner = path_join(arena, path, dir.at[i].name);
        if (has_suffix(dir.at[i].name, ".mo") ||
            (dir.at[i].kind == FILE_DIRECTORY && is_library(arena, inner)))
            add_stamp(arena, inner, depth + 1, stamp);
    }
}

uint64_t directory_stamp(const Directory *d, Arena *arena)
{
    SourceList found = sources_of(d, arena);
    uint64_t stamp = 1469598103934665603u;
    for (uint32_t i = 0; i < found.at.n; i++)
        add_stamp(arena, path_join(arena, d->path, found.at.at[i]), 0, &stamp);
    return stamp;
}

/* A name that is a file's and a class's alike. */
static bool is_plain_name(const char *name)
{
    size_t n = strlen(name);
    bool letter = (name[0] >= 'A' && name[0] <= 'Z') || (name[0] >= 'a' && name[0] <= 'z') || name[0] == '_';
    return letter && n < 100 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == n;
}

static bool is_class_name(const char *name)
{
    return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == strlen(name);
}

const char *directory_new(const Directory *d, Arena *arena, const char *name, const char *base, char *why,
                          size_t room)
{
    snprintf(why, room, "a model's name begins with a letter, and has letters, digits and underscores");
    if (!name || !is_plain_name(name)) return NULL;
    const char *file = arena_printf(arena, "%s.mo", name);
    const char *text =
        arena_printf(arena,
                     "model %s\n  parameter Real k = 1;\n  Real x(start = 1, fixed = true);\nequation\n"
                     "  der(x) = -k * x;\n  annotation(experiment(StopTime = 5));\nend %s;\n",
                     name, name);
    if (base && *base && strcmp(base, "-") != 0 && !is_class_name(base)) return NULL;
    if (base && !strcmp(base, "-"))
        text = arena_printf(arena, "model %s\nend %s;\n", name, name);
    else if (base && *base)
        text = arena_printf(arena, "model %s\n  extends %s;\nend %s;\n", name, base, name);
    int out = open(path_join(arena, d->path, file), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (out < 0) {
        snprintf(why, room, "'%s' cannot be made: %s", file, strerror(errno));
        return NULL;
    }
    bool ok = write(out, text, strlen(text)) == (ssize_t)strlen(text);
    if (close(out) || !ok) snprintf(why, room, "'%s' cannot be written", file), ok = false;
    return ok ? file : NULL;
}

bool directory_save(const char *path, Str text, char *why, size_t room)
{
    char temporary[4200];
    snprintf(temporary, sizeof temporary, "%s.acausal-XXXXXX", path);
    struct stat s;
    int file = stat(path, &s) ? -1 : mkstemp(temporary);
    bool ok = file >= 0;
    for (size_t at = 0; ok && at < text.n;) {
        ssize_t n = write(file, text.at + at, text.n - at);
        if (n < 0 && errno == EINTR) continue;
        ok = n > 0;
        at += ok ? (size_t)n : 0;
    }
    ok = ok && !fchmod(file, s.st_mode & 0777) && !fsync(file);
    int error = errno;
    if (file >= 0) close(file);
    ok = ok && !rename(temporary, path);
    if (!ok && file >= 0) unlink(temporary);
    if (!ok) snprintf(why, room, "the file cannot be written: %s", strerror(error));
    return ok;
}
