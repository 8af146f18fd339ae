/* csv.c: results as comma-separated text.
 *
 * Out: a line of names, `time` first, quoted where they hold a comma, a quote or a line break; then
 * a line a row, numbers in the shortest form that reads back exactly. Constant columns have their
 * value in the first row and are empty in later ones. In: the same, and what others write: quotes
 * or none, line ends of any system, spaces around, semicolons or tabs as separators and then commas
 * in numbers, a separator after the last column, a line 'sep=;', a byte order mark, units after
 * the names ("time [s]") or in a line below them, time in any column; an empty cell repeats the one
 * above; words true and false are 1 and 0; a column that begins with something else holds texts.
 * Cost: about 50 ns a number written, 100 ns read. Tests: tests/result/files_test.c. */
#include "result/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* Invariant: rows are written whole; a last line that is cut short is left out and remarked. */

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

static bool csv_end(ResultSink *sink) { return out_end(&((Csv *)sink)->out, sink); }

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

/* ---- reading --------------------------------------------------------------------------------- */

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

static void skip_empty_lines(Reader *r)
{
    while (r->at < r->end && at_line_end(r)) skip_line_end(r);
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
    const char *from = r->at, *to = from, *end = r->end;
    while (to < end && *to != '\n' && *to != '\r' && *to != r->separator) to++;
    r->at = to;
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

/* Where commas do not separate cells, one in a number is its point. */
static bool cell_number(Str cell, char separator, double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = { { "true", 1.0 }, { "false", 0.0 }, { "TRUE", 1.0 }, { "FALSE", 0.0 } };
    char room[1200], *end; /* some write all digits of the smallest numbers */
    if (real_read(cell.at, cell.at + cell.n, value)) return true;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(cell, words[i].word)) {
            *value = words[i].value;
            return true;
        }
    if (cell.n >= sizeof room) return false;
    memcpy(room, cell.at, cell.n);
    room[cell.n] = 0;
    char *comma = separator == ',' ? NULL : memchr(room, ',', cell.n);
    if (comma) *comma = '.';
    *value = strtod(room, &end);
    return cell.n && end == room + cell.n;
}

static char separator_of(Str bytes)
{
    size_t n = 0, counts[3] = { 0 };
    static const char separators[3] = { ',', ';', '\t' };
    bool quoted = false;
    for (; n < bytes.n && (quoted || (bytes.at[n] != '\n' && bytes.at[n] != '\r')); n++) {
        if (bytes.at[n] == '"') quoted = !quoted;
        for (int i = 0; i < 3 && !quoted; i++) counts[i] += bytes.at[n] == separators[i];
    }
    return counts[1] > counts[0] ? ';' : counts[2] > counts[0] ? '\t' : ',';
}

typedef VEC(Signal) Heads;

/* What the file looks like: a column a head, one of them time; `loose` if lines may end with a
 * separator. */
typedef struct {
    Heads heads;
    size_t time;
    bool loose;
    bool *has_numbers; /* a head: cells that are numbers were seen */
    ResultTable *table;
} Layout;

/* "time [s]" or "time (s)" is a name with a unit; "x[1]" is a name. The name is cut, the unit
 * returned. */
static const char *split_unit(Arena *arena, char *name)
{
    size_t n = strlen(name);
    char close = n ? name[n - 1] : 0, *open = strrchr(name, close == ')' ? '(' : '[');
    if ((close != ']' && close != ')') || !open || open == name || open[-1] != ' ') return "";
    const char *unit = arena_copy(arena, (Str){ open + 1, (size_t)(name + n - 1 - open - 1) });
    while (open > name && open[-1] == ' ') open--;
    *open = 0;
    return unit;
}

/* Which column is time: the first of that name; a first column may be called t. */
static bool find_time(Arena *arena, Layout *l, char *why, size_t room)
{
    size_t found = l->heads.n;
    const char *unit = "";
    for (size_t i = l->heads.n; i-- > 0;) {
        char *name = arena_copy(arena, str_of(l->heads.at[i].name));
        const char *its_unit = split_unit(arena, name);
        bool is_short = i == 0 && found == l->heads.n && !strcmp(name, "t");
        if (is_short || !strcasecmp(name, "time")) found = i, unit = its_unit;
    }
    if (found == l->heads.n) {
        double number;
        bool bare = cell_number(str_of(l->heads.at[0].name), ',', &number);
        snprintf(why, room,
                 bare ? "the first line should hold the names of the columns, and begins with '%.60s'"
                      : "no column is named 'time'; the first one is '%.60s'",
                 l->heads.at[0].name);
        return false;
    }
    if (*unit && strcmp(unit, "s") != 0) {
        snprintf(why, room, "time is in '%.30s'; it should be in s", unit);
        return false;
    }
    l->time = found;
    for (size_t i = 0; *unit && i < l->heads.n; i++) { /* then all have their units there */
        char *name = arena_copy(arena, str_of(l->heads.at[i].name));
        l->heads.at[i].unit = split_unit(arena, name);
        l->heads.at[i].name = name;
    }
    return true;
}

/* A column whose first cell is no number holds texts. */
static bool cell_value(const Layout *l, size_t column, Str cell, char separator, double *value)
{
    ResultTable *table = l->table;
    Signal *signal = &l->heads.at[column];
    bool is_text = signal->kind == COLUMN_TEXT;
    uint32_t place;
    if (!is_text && cell_number(cell, separator, value)) return l->has_numbers[column] = true;
    if (!is_text && (column == l->time || l->has_numbers[column])) return false;
    signal->kind = COLUMN_TEXT;
    if (!table->texts) table->texts = NEW(table->arena, NameIndex);
    NameIndex *texts = (NameIndex *)table->texts;
    const char *text = arena_copy(table->arena, cell);
    if (!index_find(texts, text, &place)) index_add(texts, table->arena, text, place = texts->names.n);
    *value = place;
    return true;
}

static bool read_names(Arena *arena, Reader *r, Layout *l, char *why, size_t room)
{
    Text text = { .arena = arena };
    do {
        Str cell = next_cell(r, &text);
        Signal signal = { .name = arena_copy(arena, cell), .unit = "", .description = "", .sign = 1.0 };
        vec_push(arena, &l->heads, signal);
    } while (next_separator(r));
    if (!at_line_end(r)) {
        snprintf(why, room, "line %zu: a quoted name is followed by something other than a separator",
                 r->line);
        return false;
    }
    skip_line_end(r);
    l->loose = l->heads.n > 1 && !*l->heads.at[l->heads.n - 1].name;
    if (l->loose) l->heads.n--;
    return find_time(arena, l, why, room);
}

/* A line below the names whose cell for time is 's', '[s]' or '(s)' holds units. */
static void read_units(Arena *arena, Reader *r, Layout *l)
{
    Reader ahead = *r;
    Text text = { .arena = arena };
    const char **units = NEW_ARRAY(arena, const char *, l->heads.n);
    for (size_t j = 0; j < l->heads.n; j++) {
        Str cell = next_cell(&ahead, &text);
        bool framed = cell.n >= 2 && (cell.at[0] == '[' || cell.at[0] == '(');
        units[j] = arena_copy(arena, framed ? (Str){ cell.at + 1, cell.n - 2 } : cell);
        if (j + 1 < l->heads.n && !next_separator(&ahead)) return;
    }
    if (strcmp(units[l->time], "s") != 0 && strcmp(units[l->time], "sec") != 0) return;
    if (l->loose) next_separator(&ahead);
    if (!at_line_end(&ahead)) return;
    for (size_t j = 0; j < l->heads.n; j++) l->heads.at[j].unit = units[j];
    *r = ahead;
    skip_line_end(r);
}

static bool read_row(Reader *r, Text *text, const Layout *l, double *row, const double *above, char *why,
                     size_t room)
{
    size_t width = l->heads.n;
    for (size_t j = 0; j < width; j++) {
        Str cell = next_cell(r, text);
        bool may_be_text = j != l->time && !l->has_numbers[j];
        /* "" is an empty text, nothing at all repeats */
        bool is_empty = cell.n == 0 && !(cell.at == text->at && may_be_text);
        if (is_empty && above) {
            row[j] = above[j];
        } else if (is_empty) {
            row[j] = NAN;
        } else if (!cell_value(l, j, cell, r->separator, &row[j])) {
            snprintf(why, room, "line %zu, column %zu: '%.*s' is not a number", r->line, j + 1,
                     (int)size_min(cell.n, 40), cell.at);
            return false;
        }
        if (j + 1 < width && !next_separator(r)) {
            snprintf(why, room, "line %zu: %zu cells instead of %zu", r->line, j + 1, width);
            return false;
        }
    }
    if (l->loose) next_separator(r);
    skip_blanks(r);
    if (at_line_end(r)) return true;
    snprintf(why, room, "line %zu: more than %zu cells", r->line, width);
    return false;
}

/* No fewer rows than there are: a row ends where skip_line_end would, and a return alone counts. */
static size_t count_lines(const Reader *r)
{
    size_t lines = 1;
    for (const char *at = r->at; at < r->end && (at = memchr(at, '\n', (size_t)(r->end - at))); at++) lines++;
    for (const char *at = r->at; at < r->end && (at = memchr(at, '\r', (size_t)(r->end - at))); at++)
        lines += at + 1 == r->end || at[1] != '\n';
    return lines;
}

static void make_signals(ResultTable *table, const Layout *l, const double *data)
{
    size_t width = l->heads.n;
    table->signals = NEW_ARRAY(table->arena, Signal, width);
    for (size_t j = 0; j < width; j++) {
        Signal *s = j == l->time ? &table->time : &table->signals[table->count++];
        *s = l->heads.at[j];
        s->at = data + j;
        s->stride = width;
    }
    table->time.unit = "s";
}

bool csv_read(ResultTable *table, Str bytes, char *why, size_t room)
{
    if (bytes.n >= 3 && !memcmp(bytes.at, "\xEF\xBB\xBF", 3)) bytes = (Str){ bytes.at + 3, bytes.n - 3 };
    Reader r = { bytes.at, bytes.at + bytes.n, ',', 1 };
    Layout l = { 0 };
    skip_empty_lines(&r);
    if (r.end - r.at > 5 && !strncasecmp(r.at, "sep=", 4)) { /* what Excel reads a file by */
        while (!at_line_end(&r)) r.at++;
        skip_empty_lines(&r);
    }
    if (r.at == r.end) {
        snprintf(why, room, "the file has no line with names");
        return false;
    }
    r.separator = separator_of((Str){ r.at, (size_t)(r.end - r.at) });
    if (!read_names(table->arena, &r, &l, why, room)) return false;
    if (r.at < r.end) read_units(table->arena, &r, &l);
    l.table = table;
    l.has_numbers = NEW_ARRAY(table->arena, bool, l.heads.n);
    size_t width = l.heads.n, n = 0;
    double *data = NEW_ARRAY(table->arena, double, width *count_lines(&r));
    Text text = { .arena = table->arena };
    bool whole = bytes.at[bytes.n - 1] == '\n' || bytes.at[bytes.n - 1] == '\r';
    while (r.at < r.end) {
        if (at_line_end(&r)) {
            skip_line_end(&r);
            continue;
        }
        if (!read_row(&r, &text, &l, data + n * width, n && !table->has_gaps ? data + (n - 1) * width : NULL,
                      why, room)) {
            bool last = !memchr(r.at, '\n', (size_t)(r.end - r.at));
            if (!last || whole) return false;
            table->truncated = true;
            break;
        }
        n++;
        if (r.at < r.end) skip_line_end(&r);
    }
    table->rows = n;
    make_signals(table, &l, data);
    return true;
}
