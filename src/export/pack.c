/* pack.c: files become one archive, which is at its place whole or not at all.
 *
 * It is written beside the target and renamed when it is complete. Tests: tests/cli/export.sh. */
#include "export/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

/* 1 January 1980, the first day that archives know: the same files make the same archive. */
enum { FIRST_DAY = 1 << 5 | 1 };

static bool add_all(zip_t *zip, const Package *package)
{
    for (uint32_t k = 0; k < package->n; k++) {
        const PackedFile *f = &package->at[k];
        zip_source_t *source = zip_source_buffer(zip, f->at, f->n, 0);
        zip_int64_t at =
            source ? zip_file_add(zip, f->name, source, ZIP_FL_ENC_UTF_8 | ZIP_FL_OVERWRITE) : -1;
        if (at < 0) {
            zip_source_free(source);
            return false;
        }
        /* The lowest level takes a quarter of the time of the usual one and a tenth more room. */
        zip_set_file_compression(zip, (zip_uint64_t)at, ZIP_CM_DEFLATE, 1);
        zip_file_set_dostime(zip, (zip_uint64_t)at, 0, FIRST_DAY, 0);
    }
    return true;
}

static bool fail(Diag *diag, const char *path, const char *why)
{
    diag_add_file(diag, E_EXPORT_FILE, path, "the FMU could not be written: %s", why);
    return false;
}

/* An empty file beside the target that nobody else has, with the permissions that a new file
 * gets. */
static int open_beside(const char *path, char *name, size_t room)
{
    for (unsigned k = 0; k < 1000; k++) {
        int n = snprintf(name, room, "%s.%ld-%u", path, (long)getpid(), k);
        if (n < 0 || (size_t)n >= room) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

bool export_pack(const Package *package, const char *path, Diag *diag, size_t *bytes)
{
    char name[4096];
    int error = 0, file = open_beside(path, name, sizeof name);
    struct stat info, made;
    if (file < 0) return fail(diag, path, strerror(errno));
    bool ok = fstat(file, &made) == 0;
    close(file);
    zip_t *zip = zip_open(name, ZIP_CREATE | ZIP_TRUNCATE, &error);
    ok = ok && zip && add_all(zip, package);
    if (ok && zip_close(zip) != 0) ok = false;
    if (!ok && zip) zip_discard(zip);
    /* The library of archives writes a file of its own, with other permissions. */
    ok = ok && stat(name, &info) == 0 && chmod(name, made.st_mode & 0777) == 0 && rename(name, path) == 0;
    if (ok) *bytes = (size_t)info.st_size;
    int why = errno;
    if (!ok) unlink(name);
    return ok || fail(diag, path, strerror(why));
}
