/* store.c: the libraries and files that a user trusts: "digest path" lines of the file
 * acausal/trust in the user's configuration (XDG_CONFIG_HOME, or .config in HOME).
 *
 * The digest is over the names and bytes of all files below a directory, or over a file alone, so
 * that a change takes the trust away. Links are taken as the path they hold, and are not followed:
 * what lies outside was not looked at. Always: the file is replaced as a whole, so two programs
 * that write at once leave one of two good files. Cost: reads all that it digests. Tests:
 * tests/trust/trust_test.c. */
#include "trust/trust.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGEST_TEXT = 2 * SHA256_BYTES, DEEPEST = 64 };

static const char *store_directory(Arena *arena)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && *config == '/') return path_join(arena, config, "acausal");
    return home && *home ? path_join(arena, home, ".config/acausal") : NULL;
}

/* ---- digests --------------------------------------------------------------------------------- */

static void add_mark(Sha256 *hash, const char *kind, const char *name, uint64_t size)
{
    char head[64];
    int n = snprintf(head, sizeof head, "%s %zu %llu\n", kind, strlen(name), (unsigned long long)size);
    sha256_add(hash, head, (size_t)n);
    sha256_add(hash, name, strlen(name));
}

static bool add_file(Sha256 *hash, const char *path, const char *name, uint64_t size)
{
    char chunk[65536];
    FILE *file = fopen(path, "rbe");
    if (!file) return false;
    add_mark(hash, "file", name, size);
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, file)) > 0;) sha256_add(hash, chunk, n);
    bool ok = !ferror(file);
    fclose(file);
    return ok;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All names of a directory, hidden ones, too, in an order of their own. */
static bool list_names(Arena *arena, const char *path, const char ***names, uint32_t *n)
{
    VEC(const char *) found = { 0 };
    DIR *open = opendir(path);
    if (!open) return false;
    for (struct dirent *e; (e = readdir(open));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && strcmp(e->d_name, ".git") != 0)
            vec_push(arena, &found, arena_copy(arena, str_of(e->d_name)));
    closedir(open);
    if (found.n) qsort(found.at, found.n, sizeof *found.at, by_text);
    *names = found.at;
    *n = found.n;
    return true;
}

static bool add_path(Arena *arena, Sha256 *hash, const char *path, const char *name, int depth)
{
    struct stat s;
    const char **names;
    char target[4096];
    uint32_t n;
    if (lstat(path, &s)) return false;
    if (S_ISREG(s.st_mode)) return add_file(hash, path, name, (uint64_t)s.st_size);
    if (S_ISLNK(s.st_mode)) {
        ssize_t length = readlink(path, target, sizeof target);
        add_mark(hash, "link", name, 0);
        if (length > 0) sha256_add(hash, target, (size_t)length);
        return length >= 0;
    }
    if (!S_ISDIR(s.st_mode)) return true;
    if (depth > DEEPEST || !list_names(arena, path, &names, &n)) return false;
    add_mark(hash, "directory", name, n);
    for (uint32_t i = 0; i < n; i++)
        if (!add_path(arena, hash, path_join(arena, path, names[i]), names[i], depth + 1)) return false;
    return true;
}

/* NULL: something of it cannot be read. */
static const char *digest_of(Arena *arena, const char *path)
{
    unsigned char digest[SHA256_BYTES];
    char *text = arena_alloc(arena, DIGEST_TEXT + 1);
    Sha256 hash;
    sha256_begin(&hash);
    if (!add_path(arena, &hash, path, "", 0)) return NULL;
    sha256_end(&hash, digest);
    for (size_t i = 0; i < SHA256_BYTES; i++) snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return text;
}

/* ---- the file -------------------------------------------------------------------------------- */

static const char *fail(Arena *arena, const char **why, const char *path, int number)
{
    *why = arena_printf(arena, "'%s': %s", path, strerror(number));
    return NULL;
}

static void read_rows(Arena *arena, FILE *file, TrustRows *rows)
{
    char *line = NULL;
    size_t room = 0;
    for (ssize_t n; (n = getline(&line, &room, file)) > 0;) {
        while (n && (line[n - 1] == '\n' || line[n - 1] == '\r')) line[--n] = 0;
        if (n < DIGEST_TEXT + 2 || line[DIGEST_TEXT] != ' ' || line[DIGEST_TEXT + 1] != '/') continue;
        TrustRow row = { .digest = arena_copy(arena, (Str){ line, DIGEST_TEXT }),
                         .path = arena_copy(arena, str_of(line + DIGEST_TEXT + 1)) };
        vec_push(arena, rows, row);
    }
    free(line);
}

bool trust_rows(Arena *arena, TrustRows *rows, const char **why)
{
    const char *directory = store_directory(arena);
    *rows = (TrustRows){ 0 };
    if (!directory) return true;
    const char *path = path_join(arena, directory, "trust");
    FILE *file = fopen(path, "re");
    if (!file) return errno == ENOENT || fail(arena, why, path, errno);
    read_rows(arena, file, rows);
    bool ok = !ferror(file);
    fclose(file);
    return ok || fail(arena, why, path, EIO);
}

static bool make_directories(char *path)
{
    for (char *at = path + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        mkdir(path, 0700);
        *at = '/';
    }
    return !mkdir(path, 0700) || errno == EEXIST;
}

static bool write_rows(Arena *arena, const TrustRows *rows, const char **why)
{
    const char *directory = store_directory(arena);
    if (!directory) {
        *why = "neither XDG_CONFIG_HOME nor HOME says where your configuration is";
        return false;
    }
    const char *path = path_join(arena, directory, "trust");
    char *temporary = arena_printf(arena, "%s.XXXXXX", path);
    int number = make_directories(arena_copy(arena, str_of(directory))) ? mkstemp(temporary) : -1;
    FILE *file = number >= 0 ? fdopen(number, "w") : NULL;
    if (!file) {
        fail(arena, why, path, errno);
        if (number >= 0) close(number), unlink(temporary);
        return false;
    }
    for (uint32_t i = 0; i < rows->n; i++) fprintf(file, "%s %s\n", rows->at[i].digest, rows->at[i].path);
    bool ok = !ferror(file) && !fflush(file) && !fsync(number);
    ok = !fclose(file) && ok && !rename(temporary, path);
    if (!ok) fail(arena, why, path, errno), unlink(temporary);
    return ok;
}

/* ---- what is asked of it --------------------------------------------------------------------- */

/* Where a path stands in the rows; rows->n if nowhere. */
static uint32_t row_of(const TrustRows *rows, const char *path)
{
    uint32_t i = 0;
    while (i < rows->n && strcmp(rows->at[i].path, path) != 0) i++;
    return i;
}

TrustState trust_state(Arena *arena, const char *path)
{
    TrustRows rows;
    const char *why, *real = path_real(arena, path);
    uint32_t i = real && trust_rows(arena, &rows, &why) ? row_of(&rows, real) : UINT32_MAX;
    if (i == UINT32_MAX || i == rows.n) return TRUST_UNKNOWN;
    const char *digest = digest_of(arena, real);
    return digest && !strcmp(digest, rows.at[i].digest) ? TRUST_SAME : TRUST_CHANGED;
}

bool trust_add(Arena *arena, const char *path, const char **why)
{
    TrustRows rows;
    const char *real = path_real(arena, path);
    if (!real) return fail(arena, why, path, errno);
    if (strchr(real, '\n')) {
        *why = "a path with a line break cannot be kept";
        return false;
    }
    const char *digest = digest_of(arena, real);
    if (!digest) return fail(arena, why, real, errno);
    if (!trust_rows(arena, &rows, why)) return false;
    uint32_t i = row_of(&rows, real);
    if (i == rows.n) vec_push(arena, &rows, ((TrustRow){ 0 }));
    rows.at[i] = (TrustRow){ real, digest };
    return write_rows(arena, &rows, why);
}

bool trust_remove(Arena *arena, const char *path, const char **why)
{
    TrustRows rows;
    const char *real = path_real(arena, path);
    if (!trust_rows(arena, &rows, why)) return false;
    uint32_t i = row_of(&rows, real ? real : path);
    if (i == rows.n) {
        *why = arena_printf(arena, "'%s' is not among those that you trust", path);
        return false;
    }
    memmove(rows.at + i, rows.at + i + 1, (rows.n - i - 1) * sizeof *rows.at);
    rows.n--;
    return write_rows(arena, &rows, why);
}
