/* file.c: what the library needs to know of files and directories. Tests:
 * tests/syntax/library_test.c. */
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static FileKind kind_of_mode(mode_t mode)
{
    return S_ISREG(mode) ? FILE_REGULAR : S_ISDIR(mode) ? FILE_DIRECTORY : FILE_OTHER;
}

FileKind file_kind(const char *path)
{
    struct stat s;
    return stat(path, &s) ? FILE_NONE : kind_of_mode(s.st_mode);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const DirEntry *)a)->name, ((const DirEntry *)b)->name);
}

bool dir_read(Arena *arena, const char *path, Dir *dir, int *why)
{
    VEC(DirEntry) entries = { 0 };
    DIR *open = opendir(path);
    *dir = (Dir){ 0 };
    if (!open) {
        *why = errno;
        return false;
    }
    for (struct dirent *e; (e = readdir(open));) {
        if (e->d_name[0] == '.') continue;
        FileKind kind = e->d_type == DT_REG   ? FILE_REGULAR
                        : e->d_type == DT_DIR ? FILE_DIRECTORY
                                              : FILE_OTHER;
        DirEntry entry = { arena_copy(arena, str_of(e->d_name)), kind };
        if (e->d_type == DT_LNK || e->d_type == DT_UNKNOWN)
            entry.kind = file_kind(path_join(arena, path, entry.name));
        vec_push(arena, &entries, entry);
    }
    closedir(open);
    if (entries.n) qsort(entries.at, entries.n, sizeof *entries.at, by_name);
    *dir = (Dir){ entries.at, entries.n };
    return true;
}

char *path_join(Arena *arena, const char *dir, const char *name)
{
    size_t n = strlen(dir), m = strlen(name);
    bool slash = n && dir[n - 1] != '/';
    char *path = arena_alloc(arena, n + slash + m + 1);
    memcpy(path, dir, n);
    if (slash) path[n] = '/';
    memcpy(path + n + slash, name, m + 1);
    return path;
}

Str path_base(const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/') start--;
    return (Str){ path + start, end - start };
}

char *path_real(Arena *arena, const char *path)
{
    char *real = realpath(path, NULL);
    if (!real) return NULL;
    char *copy = arena_copy(arena, str_of(real));
    free(real);
    return copy;
}
