/* table.c: results in memory: read from a file of any format, collected from a run, searched by
 * name.
 *
 * Always: a table owns its memory; signals point into it. Reading maps the file and copies the
 * numbers; files are known by content, not by name. Cost: linear in the file; finding a name is
 * linear in the signals. Tests: tests/result/files_test.c. */
#include "result/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool map_file(const char *path, Str *bytes, char *why, size_t room)
{
    struct stat s;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = file >= 0 && !fstat(file, &s);
    if (!ok) {
        snprintf(why, room, "%s", strerror(errno));
    } else if (!S_ISREG(s.st_mode)) {
        ok = false;
        snprintf(why, room, "not a file");
    } else if (s.st_size == 0) {
        ok = false;
        snprintf(why, room, "the file is empty");
    } else {
        void *at = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        ok = at != MAP_FAILED;
        if (!ok) snprintf(why, room, "%s", strerror(errno));
        if (ok) *bytes = (Str){ at, (size_t)s.st_size };
    }
    if (file >= 0) close(file);
    return ok;
}

static ResultTable *table_new(void)
{
    Arena *arena = arena_new();
    if (!arena) return NULL;
    ResultTable *table = NEW(arena, ResultTable);
    table->arena = arena;
    table->time = (Signal){ .name = "time", .unit = "s", .description = "", .sign = 1.0 };
    return table;
}

void result_free(ResultTable *table)
{
    if (table) arena_free(table->arena);
}

/* Formats that are known and not read: how they begin, and what to do. */
static const struct {
    const char *begins;
    size_t n;
    const char *what;
} others[] = {
    { "MATLAB 5.0", 10,
      "a MAT file of version 5; trajectories are read from version 4, as Dymola and OpenModelica write "
      "them" },
    { "MATLAB 7.3", 10,
      "a MAT file of version 7.3; trajectories are read from version 4, as Dymola and OpenModelica write "
      "them" },
    { "\x89HDF", 4, "an HDF5 file; save it as CSV" },
    { "\xFF\xFE", 2, "UTF-16 text; save it as UTF-8" },
    { "\xFE\xFF", 2, "UTF-16 text; save it as UTF-8" },
    { "PK\x03\x04", 4, "a zip archive, such as a spreadsheet or an FMU; save it as CSV" },
    { "SQLite format 3", 15, "a database; save it as CSV" },
};

static bool read_bytes(ResultTable *table, Str bytes, char *why, size_t room);

static bool read_deflated(ResultTable *table, Str bytes, char *why, size_t room)
{
    Str text;
    bool is_cut;
    if (!inflate_all(bytes, &text, &is_cut, why, room)) return false;
    jmp_buf escape, *outer = table->arena->escape;
    table->arena->escape = &escape;
    bool ok = !setjmp(escape) && read_bytes(table, text, why, room);
    table->arena->escape = outer;
    free((char *)(uintptr_t)text.at);
    table->truncated |= is_cut;
    return ok;
}

/* False if the content is not of a known format, or is damaged. */
static bool read_bytes(ResultTable *table, Str bytes, char *why, size_t room)
{
    if (mat_is(bytes)) return mat_read(table, bytes, why, room);
    if (is_deflated(bytes)) return read_deflated(table, bytes, why, room);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (bytes.n >= others[i].n && !memcmp(bytes.at, others[i].begins, others[i].n)) {
            snprintf(why, room, "this is %s", others[i].what);
            return false;
        }
    size_t head = size_min(bytes.n, 4096);
    if (memchr(bytes.at, 0, head)) {
        snprintf(why, room, "neither CSV nor a MAT trajectory of version 4");
        return false;
    }
    return csv_read(table, bytes, why, room);
}

/* Time must not run backwards, or nothing can be looked up in it. */
static bool check_time(const ResultTable *table, char *why, size_t room)
{
    for (size_t i = 0; i < table->rows; i++) {
        double t = signal_at(&table->time, i);
        if (t - t != 0.0 || (i && t < signal_at(&table->time, i - 1))) {
            snprintf(why, room, "time is not increasing in row %zu", i + 1);
            return false;
        }
    }
    return true;
}

static ResultTable *read_file(const char *path, bool has_gaps, char *why, size_t room)
{
    Str bytes;
    char reason[200];
    bool ok = map_file(path, &bytes, reason, sizeof reason);
    ResultTable *table = NULL;
    if (ok) {
        jmp_buf escape;
        table = table_new();
        ok = table != NULL;
        snprintf(reason, sizeof reason, "no memory for %zu bytes", bytes.n);
        if (ok && !setjmp(escape)) {
            table->has_gaps = has_gaps;
            table->arena->escape = &escape;
            ok = read_bytes(table, bytes, reason, sizeof reason) && check_time(table, reason, sizeof reason);
            table->arena->escape = NULL;
        } else {
            ok = false;
        }
        munmap((void *)(uintptr_t)bytes.at, bytes.n);
    }
    if (ok) return table;
    snprintf(why, room, "'%s' cannot be read: %s", path, reason);
    result_free(table);
    return NULL;
}

ResultTable *result_read(const char *path, char *why, size_t room)
{
    return read_file(path, false, why, room);
}

ResultTable *result_read_data(const char *path, char *why, size_t room)
{
    return read_file(path, true, why, room);
}

const Signal *result_find(const ResultTable *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (!strcmp(table->signals[i].name, name)) return &table->signals[i];
    return !strcmp(name, table->time.name) || !strcmp(name, "time") ? &table->time : NULL;
}

const char *result_nearest(const ResultTable *table, const char *name)
{
    const char *best = NULL;
    size_t least = strlen(name) <= 5 ? 3 : 4;
    for (size_t i = 0; i < table->count; i++) {
        size_t d = text_distance(str_of(name), str_of(table->signals[i].name), least);
        if (d < least) least = d, best = table->signals[i].name;
    }
    return best;
}

double result_value_at(const ResultTable *table, const Signal *signal, double t)
{
    size_t low = 0,
           /* rows below `low` are at or before t, those from `high` on are after */
        high = table->rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (signal_at(&table->time, middle) <= t)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || low == table->rows) return signal_at(signal, low ? low - 1 : 0);
    double t0 = signal_at(&table->time, low - 1), t1 = signal_at(&table->time, low),
           v = signal_at(signal, low - 1);
    return signal->kind == COLUMN_CONTINUOUS ? v + (signal_at(signal, low) - v) * ((t - t0) / (t1 - t0)) : v;
}

size_t result_events(const ResultTable *table, double *times, size_t most)
{
    size_t n = 0;
    double last = NAN;
    for (size_t i = 1; i < table->rows; i++) {
        double t = signal_at(&table->time, i);
        if (t != signal_at(&table->time, i - 1) || t == last) continue;
        if (n < most) times[n] = t;
        n++;
        last = t;
    }
    return n;
}

bool result_name_fits(const char *pattern, const char *name)
{
    const char *star = NULL, *resume = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            resume = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++, name++;
        } else if (star) {
            pattern = star + 1;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

/* ---- the sink -------------------------------------------------------------------------------- */

typedef struct {
    ResultSink sink;
    ResultTable *table;
    int *slots; /* of all columns */
    size_t width, room;
    double *data; /* rows of time and one number a column */
} Memory;

const Column *columns_of_numbers(Arena *arena, const Column *columns, size_t *n)
{
    Column *numbers = NEW_ARRAY(arena, Column, *n + 1);
    size_t count = 0;
    for (size_t i = 0; i < *n; i++)
        if (columns[i].kind != COLUMN_TEXT) numbers[count++] = columns[i];
    *n = count;
    return numbers;
}

static bool memory_begin(ResultSink *sink, const Column *columns, size_t n, const double *values)
{
    Memory *m = (Memory *)sink;
    Arena *arena = m->table->arena;
    columns = columns_of_numbers(arena, columns, &n);
    m->width = n + 1;
    m->slots = NEW_ARRAY(arena, int, n + 1);
    m->table->signals = NEW_ARRAY(arena, Signal, n + 1);
    m->table->count = n;
    (void)values;
    for (size_t i = 0; i < n; i++) {
        m->slots[i] = columns[i].slot;
        m->table->signals[i] = (Signal){ .name = arena_copy(arena, str_of(columns[i].name)),
                                         .unit = arena_copy(arena, str_of(columns[i].unit)),
                                         .description = arena_copy(arena, str_of(columns[i].description)),
                                         .kind = columns[i].kind,
                                         .sign = columns[i].negated ? -1.0 : 1.0 };
    }
    return true;
}

static bool memory_row(ResultSink *sink, double t, const double *values)
{
    Memory *m = (Memory *)sink;
    if (m->table->rows == m->room) {
        size_t room = 2 * m->room + 64, row = m->width * sizeof(double);
        double *grown = room > SIZE_MAX / row ? NULL : realloc(m->data, room * row);
        if (!grown) return sink_fail(sink, "no memory for more than %zu rows", m->table->rows);
        m->data = grown;
        m->room = room;
    }
    double *row = m->data + m->table->rows++ * m->width;
    row[0] = t;
    for (size_t i = 1; i < m->width; i++) row[i] = values[m->slots[i - 1]];
    return true;
}

static bool memory_end(ResultSink *sink)
{
    (void)sink;
    return true;
}

static void memory_free(ResultSink *sink)
{
    Memory *m = (Memory *)sink;
    result_free(m->table);
    free(m->data);
    free(m);
}

ResultSink *sink_memory(void)
{
    static const SinkType type = { memory_begin, memory_row, memory_end, memory_free };
    Memory *m = calloc(1, sizeof *m);
    if (m) m->table = table_new();
    if (!m || !m->table) {
        free(m);
        return NULL;
    }
    m->sink.type = &type;
    return &m->sink;
}

ResultTable *sink_table(ResultSink *memory)
{
    Memory *m = (Memory *)memory;
    ResultTable *table = m->table;
    size_t numbers = table->rows * m->width;
    double *data = NEW_ARRAY(table->arena, double, numbers + 1);
    if (numbers) memcpy(data, m->data, numbers * sizeof(double));
    table->time.at = data;
    table->time.stride = m->width;
    for (size_t i = 0; i < table->count; i++) {
        table->signals[i].at = data + i + 1;
        table->signals[i].stride = m->width;
    }
    m->table = NULL;
    return table;
}
