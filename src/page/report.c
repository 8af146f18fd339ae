/* report.c: the report of a run: facts as JSON, curves as packed columns, in a page that shows
 * them.
 *
 * In: a result, and what is known of the run. Out: one HTML page. Columns that are equal are
 * written once; those that never change are a number. Results of more than MOST_ROWS rows are
 * thinned: of each stretch of rows the least and the largest value are kept, at its first and
 * middle time, so that all columns share their times and no peak is lost. Always: text of the model
 * cannot end the script it stands in. Cost: linear in the result. Tests: tests/page/page_test.c,
 * tests/browser/report.mjs. */
#include "page/page.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

enum { MOST_ROWS = 40000, MOST_EVENTS = 20000, MOST_TOLD = 200, MOST_CHANGES = 6 };

/* ---- packed columns -------------------------------------------------------------------------- */

void page_add_column(const double *values, size_t n, Text *out)
{
    Arena *arena = arena_scratch();
    unsigned char *planes = arena_alloc(arena, 8 * n + 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (size_t k = 0; k < 8; k++) planes[k * n + i] = (unsigned char)(bits >> (8 * k));
    }
    uLongf size = compressBound((uLong)(8 * n));
    unsigned char *packed = arena_alloc(arena, size);
    if (compress2(packed, &size, planes, (uLong)(8 * n), 6) == Z_OK)
        text_add_base64(out, (Str){ (const char *)packed, size });
    arena_free(arena);
}

/* ---- rows that are shown --------------------------------------------------------------------- */

typedef struct {
    const ResultTable *table;
    size_t rows, stretch; /* stretch: rows that two become; 0: all are kept */
} Rows;

static Rows rows_of(const ResultTable *table)
{
    Rows r = { table, table->rows, 0 };
    if (table->rows <= MOST_ROWS) return r;
    r.stretch = (2 * table->rows + MOST_ROWS - 1) / MOST_ROWS;
    r.rows = 2 * ((table->rows + r.stretch - 1) / r.stretch);
    return r;
}

static void take_time(const Rows *r, double *values)
{
    if (!r->stretch) {
        for (size_t i = 0; i < r->rows; i++) values[i] = signal_at(&r->table->time, i);
        return;
    }
    for (size_t k = 0; 2 * k < r->rows; k++) {
        size_t from = k * r->stretch, to = size_min(from + r->stretch, r->table->rows);
        values[2 * k] = signal_at(&r->table->time, from);
        values[2 * k + 1] = signal_at(&r->table->time, to == r->table->rows ? to - 1 : (from + to) / 2);
    }
}

static void take_values(const Rows *r, const Signal *s, double *values)
{
    for (size_t i = 0; !r->stretch && i < r->rows; i++) values[i] = signal_at(s, i);
    for (size_t k = 0; r->stretch && 2 * k < r->rows; k++) {
        size_t from = k * r->stretch, to = size_min(from + r->stretch, r->table->rows), low = from,
               high = from;
        for (size_t i = from; i < to; i++) {
            if (signal_at(s, i) < signal_at(s, low)) low = i;
            if (signal_at(s, i) > signal_at(s, high)) high = i;
        }
        values[2 * k] = signal_at(s, low < high ? low : high);
        values[2 * k + 1] = signal_at(s, low < high ? high : low);
    }
}

/* ---- the parts of the page ------------------------------------------------------------------- */

typedef struct {
    Arena *arena;
    Text facts, columns;
    Map seen; /* hash of a column: its number, plus one */
    size_t column_count;
    double *scratch;
} Writer;

static uint64_t hash_of(const double *values, size_t n)
{
    uint64_t h = 0x9E3779B97F4A7C15u + n;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        h = (h ^ bits) * 0xFF51AFD7ED558CCDu;
        h ^= h >> 32;
    }
    return h ? h : 1;
}

/* The number of the column that holds these values; a new one if there is none. */
static size_t column_of(Writer *w, const double *values, size_t n)
{
    bool is_new = false;
    uint64_t *number = map_put(&w->seen, hash_of(values, n), &is_new);
    if (!is_new) return (size_t)*number;
    *number = w->column_count++;
    if (w->columns.n) text_add_char(&w->columns, '\n');
    page_add_column(values, n, &w->columns);
    return w->column_count - 1;
}

static void add_number(Text *out, double v)
{
    if (isfinite(v))
        text_add_real(out, v);
    else
        text_add_literal(out, "null");
}

static void add_signal(Writer *w, const Rows *r, const Signal *s, bool first)
{
    Text *out = &w->facts;
    bool constant = true;
    double value = r->table->rows ? signal_at(s, 0) : NAN;
    for (size_t i = 1; constant && s->stride && i < r->table->rows; i++) constant = signal_at(s, i) == value;
    if (isnan(value)) constant = s->stride == 0 || r->table->rows == 0;
    text_add(out, first ? STR("[") : STR(",\n["));
    text_add_json(out, str_of(s->name));
    text_add_char(out, ',');
    text_add_json(out, str_of(s->unit));
    text_add_char(out, ',');
    text_add_json(out, str_of(s->description));
    int kind = s->kind == COLUMN_CONSTANT                               ? 2
               : signal_is_stepwise(&r->table->time, s, r->table->rows) ? 1
                                                                        : 0;
    text_printf(out, ",%d,", kind);
    if (constant) {
        text_add_literal(out, "-1,");
        add_number(out, value);
    } else {
        take_values(r, s, w->scratch);
        text_printf(out, "%zu,0", column_of(w, w->scratch, r->rows));
    }
    text_add_char(out, ']');
}

static void add_table(Writer *w, const ResultTable *table)
{
    Rows r = rows_of(table);
    w->scratch = NEW_ARRAY(w->arena, double, r.rows + 1);
    take_time(&r, w->scratch);
    text_printf(&w->facts, "{\"rows\":%zu,\"kept\":%zu,\"time\":%zu,\"truncated\":%s,\"from\":", table->rows,
                r.rows, column_of(w, w->scratch, r.rows), table->truncated ? "true" : "false");
    add_number(&w->facts, table->rows ? signal_at(&table->time, 0) : NAN);
    text_add_literal(&w->facts, ",\"to\":");
    add_number(&w->facts, table->rows ? signal_at(&table->time, table->rows - 1) : NAN);
    text_add_literal(&w->facts, ",\"unit\":");
    text_add_json(&w->facts, str_of(table->time.unit));
    text_add_literal(&w->facts, ",\"signals\":[");
    for (size_t i = 0; i < table->count; i++) add_signal(w, &r, &table->signals[i], i == 0);
    text_add_literal(&w->facts, "]}");
}

/* ---- events ---------------------------------------------------------------------------------- */

static double range_of(const Signal *s, size_t rows)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < rows; i++) low = fmin(low, signal_at(s, i)), high = fmax(high, signal_at(s, i));
    return high > low ? high - low : 0.0;
}

/* What is different between two rows of the same time. */
static void add_changes(Writer *w, const ResultTable *table, const double *ranges, size_t before,
                        size_t after)
{
    size_t told = 0, all = 0;
    text_add_literal(&w->facts, ",[");
    for (size_t i = 0; i < table->count; i++) {
        const Signal *s = &table->signals[i];
        double a = signal_at(s, before), b = signal_at(s, after);
        bool jumps = s->kind == COLUMN_DISCRETE ? a != b : fabs(a - b) > 1e-6 * ranges[i];
        if (s->kind == COLUMN_CONSTANT || !jumps || !strncmp(s->name, "der(", 4)) continue;
        if (all++ >= MOST_CHANGES) continue;
        if (told++) text_add_char(&w->facts, ',');
        text_add_char(&w->facts, '[');
        text_add_json(&w->facts, str_of(s->name));
        text_add_char(&w->facts, ',');
        add_number(&w->facts, a);
        text_add_char(&w->facts, ',');
        add_number(&w->facts, b);
        text_add_char(&w->facts, ']');
    }
    text_printf(&w->facts, "],%zu", all);
}

/* The times of all events, and for the first ones what changed. Rows of one time are one event. */
static void add_events(Writer *w, const ResultTable *table)
{
    double *times = NEW_ARRAY(w->arena, double, MOST_EVENTS + 1),
           *ranges = NEW_ARRAY(w->arena, double, table->count + 1);
    size_t n = result_events(table, times, MOST_EVENTS), told = 0;
    for (size_t i = 0; n && i < table->count; i++) ranges[i] = range_of(&table->signals[i], table->rows);
    text_printf(&w->facts, ",\"event_count\":%zu,\"events\":[", n);
    for (size_t i = 0; i < n && i < MOST_EVENTS; i++) {
        if (i) text_add_char(&w->facts, ',');
        add_number(&w->facts, times[i]);
    }
    text_add_literal(&w->facts, "],\"told\":[");
    for (size_t i = 0; i + 1 < table->rows && told < MOST_TOLD; i++) {
        double t = signal_at(&table->time, i);
        size_t last = i;
        while (last + 1 < table->rows && signal_at(&table->time, last + 1) == t) last++;
        if (last == i) continue;
        text_add(&w->facts, told++ ? STR(",\n[") : STR("["));
        add_number(&w->facts, t);
        add_changes(w, table, ranges, i, last);
        text_add_char(&w->facts, ']');
        i = last;
    }
    text_add_literal(&w->facts, "]");
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void add_text_fact(Writer *w, const char *key, const char *value)
{
    if (!value) return;
    text_printf(&w->facts, ",\"%s\":", key);
    text_add_json(&w->facts, str_of(value));
}

static void add_json_fact(Writer *w, const char *key, const char *value)
{
    if (value) text_printf(&w->facts, ",\"%s\":%s", key, value);
}

Str page_in_script(Arena *arena, Str json)
{
    Text out = { .arena = arena };
    const char *at = json.at, *end = json.at + json.n;
    for (const char *open; (open = memchr(at, '<', (size_t)(end - at))); at = open + 1) {
        text_add(&out, (Str){ at, (size_t)(open - at) });
        text_add_literal(&out, "\\u003c");
    }
    text_add(&out, (Str){ at, (size_t)(end - at) });
    return (Str){ out.at, out.n };
}

void page_report(const PageReport *report, Text *out)
{
    Writer w = { .arena = out->arena };
    char made[40] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts)) strftime(made, sizeof made, "%Y-%m-%d %H:%M UTC", &parts);
    w.facts.arena = w.columns.arena = w.seen.arena = out->arena;
    text_add_literal(&w.facts, "{\"title\":");
    text_add_json(&w.facts, str_of(report->title ? report->title : "Result"));
    add_text_fact(&w, "file", report->file);
    add_text_fact(&w, "version", report->version);
    add_text_fact(&w, "made", made);
    add_text_fact(&w, "stats", report->stats);
    add_text_fact(&w, "message", report->message);
    add_json_fact(&w, "analysis", report->analysis);
    add_json_fact(&w, "structure", report->structure);
    add_json_fact(&w, "diagnostics", report->diagnostics);
    text_add_literal(&w.facts, ",\"result\":");
    add_table(&w, report->result);
    add_events(&w, report->result);
    if (report->steps) {
        text_add_literal(&w.facts, ",\"steps\":");
        add_table(&w, report->steps);
    }
    text_add_char(&w.facts, '}');
    Text title = { .arena = out->arena };
    text_add_literal(&title, "");
    text_add_xml(&title, report->title ? report->title : "Result");
    const PagePart page_parts[] = { { "title", { title.at, title.n } },
                                    { "facts", page_in_script(out->arena, (Str){ w.facts.at, w.facts.n }) },
                                    { "columns", { w.columns.at, w.columns.n } } };
    page_write("report.html", page_parts, COUNT_OF(page_parts), out);
}
