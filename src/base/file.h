/* file.h: files and directories. */
#ifndef ACAUSAL_BASE_FILE_H
#define ACAUSAL_BASE_FILE_H

#include "base/arena.h"

/* ---- file.c: files and directories ----------------------------------------------------------- */

typedef enum { FILE_NONE, FILE_REGULAR, FILE_DIRECTORY, FILE_OTHER } FileKind;

typedef struct {
    const char *name;
    FileKind kind;
} DirEntry;

typedef struct {
    DirEntry *at; /* sorted by name; entries that begin with a dot are left out */
    uint32_t n;
} Dir;

FileKind file_kind(const char *path);
bool dir_read(Arena *arena, const char *path, Dir *dir, int *why);
char *path_join(Arena *arena, const char *dir, const char *name);
Str path_base(const char *path); /* the last part, without slashes at its end */
/* absolute, links resolved; NULL if it does not exist */
char *path_real(Arena *arena, const char *path);

#endif
