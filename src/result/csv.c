/* csv.c: results as comma-separated text.
 *
 * Out: a line of names, `time` first, quoted where they hold a comma, a quote or a line break; then a line a row, numbers in
 * the shortest form that reads back exactly. Constant columns have their value in the first row and are empty in
 * later ones. In: the same, and what others write: quotes or none, CRLF, spaces around, semicolons as separators, a
 * byte order mark; an empty cell repeats the one above; words true and false are 1 and 0; a
 * column that begins with something else holds texts. Always: rows are written
 * whole; a last line that is cut short is left out and remarked. Cost: about 50 ns a number written, 100 ns read.
 * Tests: tests/result/files_test.c. */
#include "result/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int slot;
    bool negated, constant, is_text;
} Cell;

typedef struct {
    ResultSink sink;
    Out out;
    Cell *cells;
    size_t count;
    bool has_rows, has_texts;
} Csv;

static size_t add_name(char *to, const char *name)
{
    char *at = to;
    if (*name && !name[strcspn(name, ",;\"\r\n\t ")]) {
        size_t n = strlen(name);
        memcpy(at, name, n);
        return n;
    }
    *at++ = '"';
    for (; *name; name++) {
        if (*name == '"') *at++ = '"';
        *at++ = *name;
    }
    *at++ = '"';
    return (size_t)(at - to);
}

static bool csv_begin(ResultSink *sink, const Column *columns, size_t n, const double *values)
{
    Csv *csv = (Csv *)sink;
    (void)values;
    csv->cells = calloc(n + 1, sizeof *csv->cells);
    if (!csv->cells) return sink_fail(sink, "no memory for %zu columns", n);
    csv->count = n;
    char *at = out_reserve(&csv->out, sink, 8);
    if (!at) return false;
    memcpy(at, "time", 4);
    csv->out.n += 4;
    for (size_t i = 0; i < n; i++) {
        csv->cells[i] = (Cell){ columns[i].slot, columns[i].negated, columns[i].kind == COLUMN_CONSTANT,
                                columns[i].kind == COLUMN_TEXT };
        csv->has_texts |= columns[i].kind == COLUMN_TEXT;
        if (!(at = out_reserve(&csv->out, sink, 2 * strlen(columns[i].name) + 8))) return false;
        *at = ',';
        csv->out.n += 1 + add_name(at + 1, columns[i].name);
    }
    csv->out.buffer[csv->out.n++] = '\n';
    return out_flush(&csv->out, sink);
}

static const char *cell_text(const Csv *csv, const Cell *cell, const double *values)
{
    const NameIndex *texts = csv->sink.texts;
    size_t place = (size_t)values[cell->slot];
    return texts && place < texts->names.n ? texts->names.at[place].name : "";
}

/* The room that a row takes at most. */
static size_t row_room(const Csv *csv, const double *values)
{
    size_t room = (csv->count + 2) * REAL_ROOM;
    for (size_t i = 0; csv->has_texts && i < csv->count; i++)
        if (csv->cells[i].is_text) room += 2 * strlen(cell_text(csv, &csv->cells[i], values)) + 2;
    return room;
}

static bool csv_row(ResultSink *sink, double t, const double *values)
{
    Csv *csv = (Csv *)sink;
    char *start = out_reserve(&csv->out, sink, row_room(csv, values)), *at = start;
    if (!at) return false;
    at += real_write(t, at);
    for (size_t i = 0; i < csv->count; i++) {
        const Cell *cell = &csv->cells[i];
        *at++ = ',';
        if (cell->constant && csv->has_rows) continue;
        if (cell->is_text) {
            at += add_name(at, cell_text(csv, cell, values));
            continue;
        }
        double value = values[cell->slot];
        at += real_write(cell->negated ? -value : value, at);
    }
    *at++ = '\n';
    csv->out.n += (size_t)(at - start);
    csv->has_rows = true;
    return sink->eager || out_is_due(&csv->out) ? out_flush(&csv->out, sink) : true;
}

static bool csv_end(ResultSink *sink) { return out_flush(&((Csv *)sink)->out, sink); }

static void csv_free(ResultSink *sink)
{
    Csv *csv = (Csv *)sink;
    out_close(&csv->out);
    free(csv->cells);
    free(csv);
}

ResultSink *csv_sink(const char *path, char *why, size_t room)
{
    static const SinkType type = { csv_begin, csv_row, csv_end, csv_free };
    Csv *csv = calloc(1, sizeof *csv);
    if (!csv) {
        snprintf(why, room, "no memory to write '%s'", path);
        return NULL;
    }
    csv->sink.type = &type;
    if (out_open(&csv->out, path, why, room)) return &csv->sink;
    free(csv);
    return NULL;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

typedef struct {
    const char *at, *end;
    char separator;
    size_t line;
} Reader;

static bool at_line_end(const Reader *r) { return r->at == r->end || *r->at == '\n' || *r->at == '\r'; }

static void skip_line_end(Reader *r)
{
    if (r->at < r->end && *r->at == '\r') r->at++;
    if (r->at < r->end && *r->at == '\n') r->at++;
    r->line++;
}

static void skip_blanks(Reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || (*r->at == '\t' && r->separator != '\t'))) r->at++;
}

/* The next cell's text, without quotes and blanks around. */
static Str next_cell(Reader *r, Text *unquoted)
{
    skip_blanks(r);
    if (r->at < r->end && *r->at == '"') {
        unquoted->n = 0;
        text_add_literal(unquoted, "");
        for (r->at++; r->at < r->end; r->at++) {
            if (*r->at == '"' && !(r->at + 1 < r->end && r->at[1] == '"')) break;
            if (*r->at == '"') r->at++;
            text_add_char(unquoted, *r->at);
        }
        if (r->at < r->end) r->at++;
        skip_blanks(r);
        return (Str){ unquoted->at, unquoted->n };
    }
    const char *from = r->at;
    while (!at_line_end(r) && *r->at != r->separator) r->at++;
    const char *to = r->at;
    while (to > from && to[-1] == ' ') to--;
    return (Str){ from, (size_t)(to - from) };
}

static bool next_separator(Reader *r)
{
    if (r->at < r->end && *r->at == r->separator) {
        r->at++;
        return true;
    }
    return false;
}

static bool cell_number(Str cell, double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = { { "true", 1.0 }, { "false", 0.0 }, { "TRUE", 1.0 }, { "FALSE", 0.0 } };
    char room[1200], *end; /* some write all digits of the smallest numbers */
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(cell, words[i].word)) {
            *value = words[i].value;
            return true;
        }
    if (cell.n >= sizeof room) return false;
    memcpy(room, cell.at, cell.n);
    room[cell.n] = 0;
    *value = strtod(room, &end);
    return end == room + cell.n;
}

static char separator_of(Str bytes)
{
    size_t n = 0, counts[3] = { 0 };
    static const char separators[3] = { ',', ';', '\t' };
    bool quoted = false;
    for (; n < bytes.n && (quoted || bytes.at[n] != '\n'); n++) {
        if (bytes.at[n] == '"') quoted = !quoted;
        for (int i = 0; i < 3 && !quoted; i++) counts[i] += bytes.at[n] == separators[i];
    }
    return counts[1] > counts[0] ? ';' : counts[2] > counts[0] ? '\t' : ',';
}

/* The names; time must be the first. */
static bool read_names(ResultTable *table, Reader *r, char *why, size_t room)
{
    Text text = { .arena = table->arena };
    VEC(Signal) signals = { 0 };
    do {
        Str cell = next_cell(r, &text);
        Signal signal = {
            .name = arena_copy(table->arena, cell), .unit = "", .description = "", .sign = 1.0
        };
        vec_push(table->arena, &signals, signal);
    } while (next_separator(r));
    if (!at_line_end(r)) {
        snprintf(why, room, "line 1: a quoted name is followed by something other than a separator");
        return false;
    }
    skip_line_end(r);
    if (strcmp(signals.at[0].name, "time") != 0 && strcmp(signals.at[0].name, "Time") != 0) {
        snprintf(why, room, "the first column should be named 'time', not '%.60s'", signals.at[0].name);
        return false;
    }
    table->time.name = signals.at[0].name;
    table->signals = signals.at + 1;
    table->count = signals.n - 1;
    return true;
}

/* A column whose first cell is no number holds texts. */
static bool cell_value(ResultTable *table, size_t column, Str cell, bool is_first, double *value)
{
    Signal *signal = column ? &table->signals[column - 1] : NULL;
    bool is_text = signal && signal->kind == COLUMN_TEXT;
    uint32_t place;
    if (!is_text && cell.n && cell_number(cell, value)) return true;
    if (!is_text && (!signal || !is_first)) return false;
    signal->kind = COLUMN_TEXT;
    if (!table->texts) table->texts = NEW(table->arena, NameIndex);
    NameIndex *texts = (NameIndex *)table->texts;
    const char *text = arena_copy(table->arena, cell);
    if (!index_find(texts, text, &place)) index_add(texts, table->arena, text, place = texts->names.n);
    *value = place;
    return true;
}

static bool read_row(ResultTable *table, Reader *r, Text *text, double *row, const double *above, char *why,
                     size_t room)
{
    size_t width = table->count + 1;
    for (size_t j = 0; j < width; j++) {
        Str cell = next_cell(r, text);
        bool is_first = !above || isnan(above[j]), is_text = j && table->signals[j - 1].kind == COLUMN_TEXT;
        /* "" is an empty text, nothing at all repeats */
        bool is_empty = cell.n == 0 && !(cell.at == text->at && (is_text || (j && is_first)));
        if (is_empty && above) {
            row[j] = above[j];
        } else if (is_empty) {
            row[j] = NAN;
        } else if (!cell_value(table, j, cell, is_first, &row[j])) {
            snprintf(why, room, "line %zu, column %zu: '%.*s' is not a number", r->line, j + 1,
                     (int)size_min(cell.n, 40), cell.at);
            return false;
        }
        if (j + 1 < width && !next_separator(r)) {
            snprintf(why, room, "line %zu: %zu cells instead of %zu", r->line, j + 1, width);
            return false;
        }
    }
    if (at_line_end(r)) return true;
    snprintf(why, room, "line %zu: more than %zu cells", r->line, width);
    return false;
}

static size_t count_lines(const Reader *r)
{
    size_t lines = 1;
    for (const char *at = r->at; at < r->end && (at = memchr(at, '\n', (size_t)(r->end - at))); at++) lines++;
    return lines;
}

bool csv_read(ResultTable *table, Str bytes, char *why, size_t room)
{
    if (bytes.n >= 3 && !memcmp(bytes.at, "\xEF\xBB\xBF", 3)) bytes = (Str){ bytes.at + 3, bytes.n - 3 };
    Reader r = { bytes.at, bytes.at + bytes.n, separator_of(bytes), 1 };
    if (!read_names(table, &r, why, room)) return false;
    size_t width = table->count + 1, n = 0;
    double *data = NEW_ARRAY(table->arena, double, width *count_lines(&r));
    Text text = { .arena = table->arena };
    bool whole = bytes.at[bytes.n - 1] == '\n';
    while (r.at < r.end) {
        if (at_line_end(&r)) {
            skip_line_end(&r);
            continue;
        }
        if (!read_row(table, &r, &text, data + n * width, n ? data + (n - 1) * width : NULL, why, room)) {
            bool last = !memchr(r.at, '\n', (size_t)(r.end - r.at));
            if (!last || whole) return false;
            table->truncated = true;
            break;
        }
        n++;
        if (r.at < r.end) skip_line_end(&r);
    }
    table->rows = n;
    table->time.at = data;
    table->time.stride = width;
    for (size_t j = 0; j < table->count; j++) {
        table->signals[j].at = data + j + 1;
        table->signals[j].stride = width;
    }
    return true;
}
