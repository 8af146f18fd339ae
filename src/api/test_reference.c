/* test_reference.c: reference results of models: where they are, and what they ask for.
 *
 * In: a directory and a class. Out: a file that acausal_verify reads, which signals it is about and
 * how many rows a run needs. How: three ways in which people keep them are known: A/B/C/C.csv with
 * comparisonSignals.txt beside it (the Modelica Association's), A_B_C.txt with lines
 * `name=[v0, v1, ...]` at equidistant times (BuildingsPy's), and A.B.C.csv or .mat (our own). The
 * second becomes a CSV file. Cost: reading. Tests: tests/cli/test.sh. */
#include "api/libraries.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_file(const char *path) { return file_kind(path) == FILE_REGULAR; }

static char *with_dots_as(Arena *arena, const char *class_name, char c)
{
    char *text = arena_copy(arena, str_of(class_name));
    for (char *p = text; *p; p++)
        if (*p == '.') *p = c;
    return text;
}

/* ---- names as a regular expression ----------------------------------------------------------- */

static void add_name(Text *pattern, Str name)
{
    text_add(pattern, pattern->n ? STR("|") : STR(""));
    for (size_t i = 0; i < name.n; i++) {
        if (strchr(".[](){}^$*+?|\\", name.at[i])) text_add_char(pattern, '\\');
        text_add_char(pattern, name.at[i]);
    }
}

static Str trimmed(Str s)
{
    while (s.n && (unsigned char)s.at[0] <= ' ') s.at++, s.n--;
    while (s.n && (unsigned char)s.at[s.n - 1] <= ' ') s.n--;
    return s;
}

static char *read_all(Arena *arena, const char *path, size_t *n)
{
    FILE *file = fopen(path, "rbe");
    Text text = { .arena = arena };
    char chunk[65536];
    if (!file) return NULL;
    text_add(&text, STR(""));
    for (size_t k; (k = fread(chunk, 1, sizeof chunk, file)) > 0;) text_add(&text, (Str){ chunk, k });
    fclose(file);
    *n = text.n;
    return text.at;
}

static const char *signals_in(Arena *arena, const char *path)
{
    Text pattern = { .arena = arena };
    size_t n;
    char *text = is_file(path) ? read_all(arena, path, &n) : NULL;
    for (char *line = text; line && *line;) {
        size_t length = strcspn(line, "\n");
        Str name = trimmed((Str){ line, length });
        if (name.n && !str_is(name, "time")) add_name(&pattern, name);
        line += length + (line[length] == '\n');
    }
    return pattern.n ? pattern.at : NULL;
}

/* ---- name=[v0, v1, ...] ---------------------------------------------------------------------- */

typedef VEC(double) Values;
typedef struct {
    Str name;
    Values values;
} Row;

static bool read_line(Arena *arena, char *line, Row *row)
{
    char *equals = strstr(line, "=[");
    if (!equals) return false;
    *row = (Row){ .name = trimmed((Str){ line, (size_t)(equals - line) }) };
    for (char *p = equals + 2;;) {
        char *end;
        double x = strtod(p, &end);
        if (end == p) break;
        vec_push(arena, &row->values, x);
        p = end + strspn(end, ", ");
    }
    return row->values.n > 0;
}

static double value_at(const Row *row, uint32_t i, uint32_t n)
{
    if (row->values.n == n) return row->values.at[i];
    double share = n > 1 ? (double)i / (n - 1) : 0, last = row->values.at[row->values.n - 1];
    return row->values.n == 2 ? row->values.at[0] + share * (last - row->values.at[0]) : last;
}

static bool convert(Arena *arena, const char *path, Reference *out)
{
    VEC(Row) rows = { 0 };
    size_t length;
    uint32_t n = 2, time = NONE;
    Text pattern = { .arena = arena };
    char *text = read_all(arena, path, &length);
    for (char *line = text; line && *line;) {
        size_t end = strcspn(line, "\n");
        bool more = line[end];
        line[end] = 0;
        Row row;
        if (read_line(arena, line, &row)) {
            if (str_is(row.name, "time")) time = rows.n;
            if (row.values.n > n) n = row.values.n;
            vec_push(arena, &rows, row);
        }
        line += end + more;
    }
    if (time == NONE || rows.n < 2) return false;
    char *file = arena_printf(arena, "%s/acausal-reference.XXXXXX.csv", out->scratch);
    int fd = mkstemps(file, 4);
    FILE *csv = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!csv) return false;
    fputs("time", csv);
    for (uint32_t k = 0; k < rows.n; k++) {
        if (k == time) continue;
        fprintf(csv, ",\"%.*s\"", (int)rows.at[k].name.n, rows.at[k].name.at);
        add_name(&pattern, rows.at[k].name);
    }
    for (uint32_t i = 0; i < n; i++) {
        fprintf(csv, "\n%.17g", value_at(&rows.at[time], i, n));
        for (uint32_t k = 0; k < rows.n; k++)
            if (k != time) fprintf(csv, ",%.17g", value_at(&rows.at[k], i, n));
    }
    fputc('\n', csv);
    out->start = value_at(&rows.at[time], 0, n);
    out->stop = value_at(&rows.at[time], n - 1, n);
    out->points = n - 1;
    out->signals = pattern.at;
    out->file = out->made = file;
    out->origin = path;
    return !fclose(csv);
}

/* ---- all three ------------------------------------------------------------------------------- */

bool reference_find(Arena *arena, const char *directory, const char *class_name, Reference *out)
{
    static const char *const ends[] = { ".csv", ".mat" };
    const char *scratch = getenv("TMPDIR"), *dot = strrchr(class_name, '.');
    const char *last = dot ? dot + 1 : class_name;
    *out = (Reference){
        .start = NAN, .stop = NAN, .points = -1, .scratch = scratch && *scratch ? scratch : "/tmp"
    };
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        out->file = arena_printf(arena, "%s/%s%s", directory, class_name, ends[i]);
        if (is_file(out->file)) return true;
    }
    const char *folder = path_join(arena, directory, with_dots_as(arena, class_name, '/'));
    out->file = arena_printf(arena, "%s/%s.csv", folder, last);
    if (is_file(out->file)) {
        out->signals = signals_in(arena, path_join(arena, folder, "comparisonSignals.txt"));
        return true;
    }
    const char *text = arena_printf(arena, "%s/%s.txt", directory, with_dots_as(arena, class_name, '_'));
    return is_file(text) && convert(arena, text, out);
}

void reference_remove(const Reference *reference)
{
    if (reference->made) unlink(reference->made);
}
