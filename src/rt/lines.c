/* lines.c: text files, line by line, as Modelica.Utilities.Streams reads them.
 *
 * Each function is an adapter; cells are in ext/functions.def. Lines come without their ends; a
 * file that ends without one has that last line too. A file is looked for by Rt.find_file, if there
 * is one: an FMU reads only files that it brings along. A file that cannot be read is a failure of
 * the calling instance that names it. Nothing stays open. Tests: tests/ext/files_test.c. */
#include "rt/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(RtCell cell) { return cell.s ? cell.s : ""; }

static FILE *open_file(Rt *rt, const char *name)
{
    char path[4096], text[1000];
    const char *place = rt->find_file ? rt->find_file(rt, name, path, sizeof path) : name;
    FILE *f = place ? fopen(place, "r") : NULL;
    if (f) return f;
    snprintf(text, sizeof text, "cannot read '%.800s': %s", name,
             place ? strerror(errno) : "this FMU does not hold it");
    rt_fail_external(rt, text);
    return NULL;
}

typedef struct {
    char *at;
    size_t room;
} Line;

/* The next line; 0: there is none, or no memory, which *status says. */
static int next_line(Rt *rt, FILE *f, Line *line, RtStatus *status)
{
    size_t n = 0;
    int c = fgetc(f);
    if (c == EOF) return 0;
    for (; c != EOF && c != '\n'; c = fgetc(f)) {
        if (n + 2 > line->room) {
            size_t room = line->room ? 2 * line->room : 256;
            char *at = realloc(line->at, room);
            if (!at) {
                *status = rt_fail(rt, RT_MEMORY, RT_NOWHERE, 0, 0, 0);
                return 0;
            }
            line->at = at, line->room = room;
        }
        line->at[n++] = (char)c;
    }
    if (n && line->at[n - 1] == '\r') n--;
    if (line->at) line->at[n] = 0;
    return 1;
}

/* Reads up to the line `last` and keeps those from `first` on in `to`. *count: how many lines were
 * there. */
static RtStatus read_lines(Rt *rt, const char *name, int64_t first, int64_t last, const char **to,
                           int64_t *count)
{
    FILE *f = open_file(rt, name);
    Line line = { NULL, 0 };
    RtStatus status = RT_OK;
    *count = 0;
    if (!f) return rt->error.status;
    while (*count < last && status == RT_OK && next_line(rt, f, &line, &status)) {
        RtCell cell = { 0 };
        const char *text = line.at ? line.at : "";
        if (++*count < first || !to) continue;
        status = rt_string_result(rt, &cell, text, strlen(text));
        to[*count - first] = cell.s;
    }
    free(line.at);
    fclose(f);
    return status;
}

RtStatus rt_count_lines(Rt *rt, RtCell *cells)
{
    return read_lines(rt, text_of(cells[0]), 1, INT64_MAX, NULL, &cells[1].i);
}

RtStatus rt_read_file(Rt *rt, RtCell *cells)
{
    int64_t count;
    return read_lines(rt, text_of(cells[0]), 1, cells[3].i, cells[2].p, &count);
}

RtStatus rt_read_line(Rt *rt, RtCell *cells)
{
    const char *found = "";
    int64_t want = cells[1].i, count;
    RtStatus status = read_lines(rt, text_of(cells[0]), want, want, &found, &count);
    cells[2].i = count < want || want < 1; /* end of file */
    cells[3].s = found;
    return status;
}
