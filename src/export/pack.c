/* pack.c: files become one archive, which is at its place whole or not at all.
 *
 * It is written beside the target and renamed when it is complete. Tests: tests/cli/export.sh. */
#include "export/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

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
    }
    return true;
}

static bool fail(Diag *diag, const char *path, const char *why)
{
    diag_add_file(diag, E_EXPORT_FILE, path, "the FMU could not be written: %s", why);
    return false;
}

bool export_pack(const Package *package, const char *path, Diag *diag, size_t *bytes)
{
    char name[4096];
    int n = snprintf(name, sizeof name, "%s.XXXXXX", path), error = 0;
    if (n < 0 || (size_t)n >= sizeof name) return fail(diag, path, "its name is too long");
    int file = mkstemp(name);
    if (file < 0) return fail(diag, path, strerror(errno));
    mode_t mask = umask(0);
    umask(mask);
    fchmod(file, 0666 & ~mask);
    close(file);
    zip_t *zip = zip_open(name, ZIP_CREATE | ZIP_TRUNCATE, &error);
    bool ok = zip && add_all(zip, package);
    if (ok && zip_close(zip) != 0) ok = false;
    if (!ok && zip) zip_discard(zip);
    struct stat info;
    if (ok) ok = stat(name, &info) == 0 && chmod(name, 0666 & ~mask) == 0 && rename(name, path) == 0;
    if (ok) *bytes = (size_t)info.st_size;
    int why = errno;
    if (!ok) unlink(name);
    return ok || fail(diag, path, strerror(why));
}
