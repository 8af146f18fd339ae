/* archive.c: the zip archive of an FMU, with distrust.
 *
 * In: a path. Out: the bytes of an entry, or all entries as files below a private directory. Names
 * that are absolute, go up, hold backslashes or control characters, and links are refused; so are
 * archives that unpack to more than the limits say. Always: a directory that was made is removed by
 * archive_close, whatever happened in between. Cost: linear. Tests: tests/fuzz/archive_fuzz.c. */
#include "fmi/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

struct Archive {
    zip_t *zip;
    const char *path;
    char *directory; /* where it was unpacked to; NULL if it was not */
    Diag *diag;
    FmuLimits limits;
};

FmuLimits fmu_limits(void)
{
    return (FmuLimits){ .bytes = (uint64_t)4 << 30, .entries = 100000, .ratio = 400 };
}

FmuLimits fmu_no_limits(void)
{
    return (FmuLimits){ .bytes = UINT64_MAX, .entries = UINT32_MAX, .ratio = UINT32_MAX };
}

static bool refuse(const Archive *a, const char *format, ...) PRINTF_LIKE(2, 3);

static bool refuse(const Archive *a, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_add_file(a->diag, E_FMU_ARCHIVE, a->path, "%s", text);
    return false;
}

static bool is_safe_name(const char *name)
{
    if (!*name || *name == '/') return false;
    for (const char *p = name; *p; p++)
        if (*p == '\\' || (unsigned char)*p < ' ' || *p == ':') return false;
    for (const char *part = name; part;) {
        const char *end = strchr(part, '/');
        size_t n = end ? (size_t)(end - part) : strlen(part);
        if (n == 2 && part[0] == '.' && part[1] == '.') return false;
        part = end ? end + 1 : NULL;
    }
    return true;
}

static bool is_link(zip_t *zip, zip_uint64_t i)
{
    zip_uint8_t system;
    zip_uint32_t attributes;
    if (zip_file_get_external_attributes(zip, i, 0, &system, &attributes)) return false;
    return system == ZIP_OPSYS_UNIX && S_ISLNK(attributes >> 16);
}

/* A name may be there twice: the first entry counts, for reading and for unpacking. False: it was
 * not found again, since memory is out. */
static bool check_repeated(const Archive *a, zip_uint64_t i, const zip_stat_t *s)
{
    zip_stat_t first;
    zip_int64_t at = zip_name_locate(a->zip, s->name, 0);
    if (at < 0 || zip_stat_index(a->zip, (zip_uint64_t)at, 0, &first)) return false;
    if ((zip_uint64_t)at == i) return true;
    bool same = first.size == s->size && first.crc == s->crc;
    diag_add_file(a->diag, W_FMU_RULE, a->path, "it holds '%.200s' twice%s", s->name,
                  same ? "" : ", with other contents the second time; the first one counts");
    return true;
}

/* All names and sizes, before anything is unpacked. */
static bool check_entries(Archive *a)
{
    zip_int64_t n = zip_get_num_entries(a->zip, 0);
    uint64_t bytes = 0;
    if (n > (zip_int64_t)a->limits.entries)
        return refuse(a, "holds %lld files, more than %u", (long long)n, (unsigned)a->limits.entries);
    for (zip_uint64_t i = 0; i < (zip_uint64_t)n; i++) {
        zip_stat_t s;
        if (zip_stat_index(a->zip, i, 0, &s) || !(s.valid & ZIP_STAT_NAME))
            return refuse(a, "entry %llu cannot be read: %s", (unsigned long long)i, zip_strerror(a->zip));
        if (!is_safe_name(s.name)) return refuse(a, "holds the name '%.200s', which leads outside", s.name);
        if (is_link(a->zip, i)) return refuse(a, "holds a link, '%.200s'", s.name);
        if (!(s.valid & ZIP_STAT_SIZE) || s.size > a->limits.bytes || (bytes += s.size) > a->limits.bytes)
            return refuse(a, "unpacks to more than %llu bytes", (unsigned long long)a->limits.bytes);
        if ((s.valid & ZIP_STAT_COMP_SIZE) && s.size > 1000000 && s.size / a->limits.ratio > s.comp_size)
            return refuse(a, "'%.200s' unpacks to more than %u times its size", s.name,
                          (unsigned)a->limits.ratio);
        if (!check_repeated(a, i, &s)) return refuse(a, "there is no memory for '%.200s'", s.name);
    }
    return true;
}

Archive *archive_open(const char *path, const FmuLimits *limits, Diag *diag)
{
    int code = 0;
    Archive *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    *a = (Archive){ .path = path, .diag = diag, .limits = *limits };
    a->zip = zip_open(path, ZIP_RDONLY, &code);
    if (!a->zip) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        refuse(a, "%s", file_kind(path) == FILE_NONE ? "no such file" : zip_error_strerror(&error));
        zip_error_fini(&error);
    } else if (check_entries(a))
        return a;
    archive_close(a);
    return NULL;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *where)
{
    (void)s, (void)kind, (void)where;
    return remove(path);
}

void archive_close(Archive *a)
{
    if (!a) return;
    if (a->zip) zip_discard(a->zip);
    if (a->directory) nftw(a->directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(a->directory);
    free(a);
}

size_t archive_count(const Archive *a) { return (size_t)zip_get_num_entries(a->zip, 0); }

const char *archive_name(const Archive *a, size_t i)
{
    const char *name = zip_get_name(a->zip, i, 0);
    return name ? name : "";
}

bool archive_has(const Archive *a, const char *name) { return zip_name_locate(a->zip, name, 0) >= 0; }

bool archive_read(const Archive *a, const char *name, Arena *arena, Str *bytes)
{
    zip_stat_t s;
    zip_file_t *file;
    if (zip_stat(a->zip, name, 0, &s) || !(file = zip_fopen(a->zip, name, 0)))
        return refuse(a, "there is no '%s' in it", name);
    if (s.size > (zip_uint64_t)512 << 20) {
        zip_fclose(file);
        return refuse(a, "'%s' is too large to be read", name);
    }
    char *at = arena_alloc(arena, (size_t)s.size + 1);
    zip_int64_t n = zip_fread(file, at, s.size);
    zip_fclose(file);
    if (n != (zip_int64_t)s.size) return refuse(a, "'%s' is damaged", name);
    at[n] = 0;
    *bytes = (Str){ at, (size_t)n };
    return true;
}

/* Makes the directories above a file. */
static bool make_parents(char *path, size_t from)
{
    for (char *p = path + from; (p = strchr(p, '/')); p++) {
        *p = 0;
        bool ok = mkdir(path, 0700) == 0 || errno == EEXIST;
        *p = '/';
        if (!ok) return false;
    }
    return true;
}

static bool unpack_one(const Archive *a, zip_uint64_t i, char *path, size_t from)
{
    char buffer[65536];
    zip_int64_t n = -1;
    const char *name = zip_get_name(a->zip, i, 0);
    if (!make_parents(path, from)) return refuse(a, "cannot unpack '%.200s': %s", name, strerror(errno));
    if (path[strlen(path) - 1] == '/') return true;
    zip_file_t *file = zip_fopen_index(a->zip, i, 0);
    int out = file ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0700) : -1;
    while (out >= 0 && (n = zip_fread(file, buffer, sizeof buffer)) > 0)
        if (write(out, buffer, (size_t)n) != (ssize_t)n) {
            n = -1;
            break;
        }
    int why = errno;
    if (file) zip_fclose(file);
    bool closed = out < 0 || close(out) == 0;
    if (n == 0 && closed) return true;
    return refuse(a, "cannot unpack '%.200s': %s", name, !file || why == 0 ? "it is damaged" : strerror(why));
}

const char *archive_unpack(Archive *a, Arena *arena)
{
    if (a->directory) return a->directory;
    const char *base = getenv("TMPDIR");
    Text name = { .arena = arena };
    text_printf(&name, "%s/acausal-fmu-XXXXXX", base && *base == '/' ? base : "/tmp");
    a->directory = strdup(name.at);
    if (!a->directory || !mkdtemp(a->directory)) {
        refuse(a, "no directory to unpack it in: %s", strerror(errno));
        free(a->directory);
        a->directory = NULL;
        return NULL;
    }
    zip_int64_t n = zip_get_num_entries(a->zip, 0);
    for (zip_uint64_t i = 0; i < (zip_uint64_t)n; i++) {
        const char *entry = zip_get_name(a->zip, i, 0);
        zip_int64_t first = entry ? zip_name_locate(a->zip, entry, 0) : -1;
        if (first < 0) return refuse(a, "there is no memory for entry %u", (unsigned)i), NULL;
        if (first != (zip_int64_t)i) continue; /* it is there already */
        char *path = path_join(arena, a->directory, entry);
        errno = 0;
        if (!unpack_one(a, i, path, strlen(a->directory) + 1)) return NULL;
    }
    return a->directory;
}
