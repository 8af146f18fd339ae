/* files.c: files, directories, streams, the environment and the clock, as Modelica.Utilities wants
 * them.
 *
 * Each function is an adapter; its cells are in functions.def. A file that cannot be read or
 * written is a failure of the calling instance that names it. Text files are read in rt/lines.c.
 * What a model prints is in print.c. Tests: tests/ext/files_test.c. */
#include "ext/inside.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *text_of(RtCell cell) { return cell.s ? cell.s : ""; }

static RtStatus refuse(Rt *rt, const char *what, const char *name)
{
    char text[1000];
    snprintf(text, sizeof text, "%s '%s': %s", what, name, strerror(errno));
    return rt_fail_external(rt, text);
}

static RtStatus give(Rt *rt, RtCell *cell, const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = rt_alloc(rt, n);
    if (!copy) return rt_fail(rt, RT_MEMORY, RT_NOWHERE, 0, 0, 0);
    cell->s = memcpy(copy, text, n);
    return RT_OK;
}

/* ---- files and directories ------------------------------------------------------------------- */

RtStatus ext_mkdir(Rt *rt, RtCell *cells)
{
    return mkdir(text_of(cells[0]), 0777) ? refuse(rt, "cannot make directory", text_of(cells[0])) : RT_OK;
}

RtStatus ext_rmdir(Rt *rt, RtCell *cells)
{
    return rmdir(text_of(cells[0])) ? refuse(rt, "cannot remove directory", text_of(cells[0])) : RT_OK;
}

/* Modelica.Utilities.Types.FileType: nothing, a file, a directory, something else. */
RtStatus ext_stat(Rt *rt, RtCell *cells)
{
    static const uint8_t types[] = {
        [FILE_NONE] = 1, [FILE_REGULAR] = 2, [FILE_DIRECTORY] = 3, [FILE_OTHER] = 4
    };
    (void)rt;
    cells[1].i = types[file_kind(text_of(cells[0]))];
    return RT_OK;
}

RtStatus ext_rename(Rt *rt, RtCell *cells)
{
    return rename(text_of(cells[0]), text_of(cells[1])) ? refuse(rt, "cannot rename", text_of(cells[0]))
                                                        : RT_OK;
}

RtStatus ext_remove(Rt *rt, RtCell *cells)
{
    return remove(text_of(cells[0])) ? refuse(rt, "cannot remove", text_of(cells[0])) : RT_OK;
}

RtStatus ext_copy(Rt *rt, RtCell *cells)
{
    FILE *from = fopen(text_of(cells[0]), "rb");
    if (!from) return refuse(rt, "cannot read", text_of(cells[0]));
    FILE *to = fopen(text_of(cells[1]), "wbx");
    if (!to) {
        fclose(from);
        return refuse(rt, "cannot write", text_of(cells[1]));
    }
    char block[1 << 14];
    bool ok = true;
    for (size_t n; ok && (n = fread(block, 1, sizeof block, from)) > 0;) ok = fwrite(block, 1, n, to) == n;
    ok = !ferror(from) && ok;
    fclose(from);
    ok = !fclose(to) && ok;
    return ok ? RT_OK : refuse(rt, "cannot copy to", text_of(cells[1]));
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}
static int is_entry(const struct dirent *e)
{
    return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

/* The names in a directory, sorted; `to` may be NULL, then they are counted. */
static RtStatus list(Rt *rt, const char *directory, const char **to, int64_t room, int64_t *count)
{
    struct dirent **entries;
    int n = scandir(directory, &entries, is_entry, by_name);
    RtStatus status = RT_OK;
    if (n < 0) return refuse(rt, "cannot read directory", directory);
    for (int i = 0; i < n; i++) {
        RtCell cell = { 0 };
        if (to && i < room && !status) status = give(rt, &cell, entries[i]->d_name);
        if (to && i < room) to[i] = cell.s;
        free(entries[i]);
    }
    free(entries);
    *count = n;
    return status;
}

RtStatus ext_directory_size(Rt *rt, RtCell *cells)
{
    return list(rt, text_of(cells[0]), NULL, 0, &cells[1].i);
}

RtStatus ext_directory(Rt *rt, RtCell *cells)
{
    int64_t n = 0;
    return list(rt, text_of(cells[0]), cells[2].p, cells[3].i, &n);
}

RtStatus ext_full_path(Rt *rt, RtCell *cells)
{
    char *real = realpath(text_of(cells[0]), NULL), here[4096];
    RtStatus status;
    if (real) {
        status = give(rt, &cells[1], real);
        free(real);
        return status;
    }
    if (text_of(cells[0])[0] == '/') return give(rt, &cells[1], text_of(cells[0]));
    if (!getcwd(here, sizeof here / 2)) return refuse(rt, "cannot find", "the work directory");
    strncat(here, "/", 2);
    strncat(here, text_of(cells[0]), sizeof here / 2 - 2);
    return give(rt, &cells[1], here);
}

RtStatus ext_temporary(Rt *rt, RtCell *cells)
{
    char name[] = "/tmp/acausal_XXXXXX";
    int file = mkstemp(name);
    if (file < 0) return refuse(rt, "cannot make", name);
    close(file);
    remove(name);
    return give(rt, &cells[0], name);
}

/* ---- the process ----------------------------------------------------------------------------- */

RtStatus ext_work_directory(Rt *rt, RtCell *cells)
{
    char here[4096];
    return getcwd(here, sizeof here) ? give(rt, &cells[1], here)
                                     : refuse(rt, "cannot find", "the work directory");
}

RtStatus ext_change_directory(Rt *rt, RtCell *cells)
{
    return chdir(text_of(cells[0])) ? refuse(rt, "cannot change to", text_of(cells[0])) : RT_OK;
}

RtStatus ext_getenv(Rt *rt, RtCell *cells)
{
    const char *value = getenv(text_of(cells[0]));
    cells[3].i = value != NULL;
    return give(rt, &cells[2], value ? value : "");
}

RtStatus ext_setenv(Rt *rt, RtCell *cells)
{
    return setenv(text_of(cells[0]), text_of(cells[1]), 1) ? refuse(rt, "cannot set", text_of(cells[0]))
                                                           : RT_OK;
}

RtStatus ext_time(Rt *rt, RtCell *cells)
{
    struct timespec now;
    struct tm local;
    (void)rt;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    const int values[] = { (int)(now.tv_nsec / 1000000),
                           local.tm_sec,
                           local.tm_min,
                           local.tm_hour,
                           local.tm_mday,
                           local.tm_mon + 1,
                           local.tm_year + 1900 };
    for (int i = 0; i < 7; i++) cells[i].i = values[i];
    return RT_OK;
}

RtStatus ext_pid(Rt *rt, RtCell *cells)
{
    (void)rt;
    cells[0].i = getpid();
    return RT_OK;
}

RtStatus ext_system(Rt *rt, RtCell *cells)
{
    (void)rt;
    int status = system(text_of(cells[0]));
    cells[1].i = status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return RT_OK;
}

/* ---- matrices -------------------------------------------------------------------------------- */

static RtStatus read_matrix(Rt *rt, const RtCell *cells, Arena *arena, ExtMatrix *m)
{
    const char *why = "out of memory";
    if (arena && ext_read_matrix(text_of(cells[0]), text_of(cells[1]), ",", 0, arena, m, &why)) return RT_OK;
    return rt_fail_external(rt, why);
}

RtStatus ext_matrix_sizes(Rt *rt, RtCell *cells)
{
    Arena *arena = arena_new();
    ExtMatrix m = { 0 };
    RtStatus status = read_matrix(rt, cells, arena, &m);
    int64_t *to = cells[2].p;
    if (!status && cells[3].i >= 2) to[0] = (int64_t)m.rows, to[1] = (int64_t)m.columns;
    if (arena) arena_free(arena);
    return status;
}

RtStatus ext_matrix_values(Rt *rt, RtCell *cells)
{
    Arena *arena = arena_new();
    ExtMatrix m = { 0 };
    RtStatus status = read_matrix(rt, cells, arena, &m);
    int64_t rows = cells[2].i, columns = cells[3].i;
    char text[300];
    if (!status &&
        ((int64_t)m.rows != rows || (int64_t)m.columns != columns || cells[6].i < rows * columns)) {
        snprintf(text, sizeof text, "matrix '%.80s' of file '%.100s' is %zu x %zu, not %ld x %ld",
                 text_of(cells[1]), text_of(cells[0]), m.rows, m.columns, (long)rows, (long)columns);
        status = rt_fail_external(rt, text);
    }
    if (!status) memcpy(cells[5].p, m.at, m.rows * m.columns * sizeof(double));
    if (arena) arena_free(arena);
    return status;
}

/* s file, s name, R matrix, i rows, i columns, i append, s version -> i */
RtStatus ext_matrix_write(Rt *rt, RtCell *cells)
{
    ExtMatrix m = { cells[2].p, (size_t)cells[4].i, (size_t)cells[5].i };
    const char *why = "";
    cells[8].i =
        ext_write_matrix(text_of(cells[0]), text_of(cells[1]), &m, cells[6].i != 0, text_of(cells[7]), &why);
    return cells[8].i ? RT_OK : rt_fail_external(rt, why);
}
