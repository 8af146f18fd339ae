/* resources.c: files that an FMU brings along: matrices of its tables, MAT files of version 4 with
 * one matrix each, and text.
 *
 * Always: what a file says about sizes is checked against its length before memory is taken. Tests:
 * tests/cli/export.sh. */
#include "unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static RtStatus fail(Rt *rt, const char *what, const char *resource)
{
    char text[400];
    snprintf(text, sizeof text, "%s the resource '%.200s' of the FMU", what, resource);
    return rt_fail_external(rt, text);
}

/* Reads one matrix of doubles, column by column in the file, row by row in memory. */
static double *read_file(FILE *file, int64_t *rows, int64_t *columns)
{
    int32_t head[5];
    if (fread(head, sizeof *head, 5, file) != 5 || head[0] != 0 || head[1] < 0 || head[2] < 0 ||
        head[3] != 0 || head[4] < 1 || head[4] > 4096)
        return NULL;
    int64_t n = head[1], m = head[2];
    if (fseek(file, 20 + head[4], SEEK_SET) != 0 || (m && n > (INT64_C(1) << 27) / m)) return NULL;
    double *raw = malloc((size_t)(n * m + 1) * sizeof *raw), *at = malloc((size_t)(n * m + 1) * sizeof *at);
    if (!raw || !at || fread(raw, sizeof *raw, (size_t)(n * m), file) != (size_t)(n * m)) {
        free(raw);
        free(at);
        return NULL;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) at[i * m + j] = raw[j * n + i];
    free(raw);
    *rows = n;
    *columns = m;
    return at;
}

static const char *place(const Rt *rt, const UnitResource *r, char *path, size_t room)
{
    int n = snprintf(path, room, "%s/%s", rt->resources ? rt->resources : ".", r->resource);
    return n > 0 && (size_t)n < room ? path : NULL;
}

const char *unit_find_file(Rt *rt, const char *name, char *path, size_t room)
{
    for (uint32_t k = 0; k < unit_model.resource_count; k++) {
        const UnitResource *r = &unit_model.resources[k];
        if (!r->name && !strcmp(r->file, name)) return place(rt, r, path, room);
    }
    return NULL;
}

RtStatus unit_read_matrix(Rt *rt, const char *file, const char *name, const char *delimiter,
                          int64_t header_lines, double **at, int64_t *rows, int64_t *columns)
{
    (void)delimiter, (void)header_lines;
    for (uint32_t k = 0; k < unit_model.resource_count; k++) {
        const UnitResource *r = &unit_model.resources[k];
        char path[4096];
        if (!r->name || strcmp(r->file, file) != 0 || strcmp(r->name, name) != 0) continue;
        FILE *opened = place(rt, r, path, sizeof path) ? fopen(path, "rb") : NULL;
        if (!opened) return fail(rt, "there is no file for", r->resource);
        *at = read_file(opened, rows, columns);
        fclose(opened);
        return *at ? RT_OK : fail(rt, "there is no matrix in", r->resource);
    }
    return rt_fail_external(rt, "this FMU holds no such matrix, and reads no files but its own");
}
