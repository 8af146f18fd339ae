/* paper.c: makes the figures of a document and writes what they are made of.
 *
 * In: a document, a directory. Out: of each table a CSV file; of each picture SVG, PNG and its
 * numbers as CSV; a page, index.html, with all of them, their parameters and what is said about
 * them; the tables and the text also as plain text. Always: a figure that cannot be made does not
 * keep others from being made. A figure has an arena of its own. Tests: tests/cli/paper.sh. */
#include "bench/paper/inside.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>

enum { MOST_CELLS = 24, WIDEST = 44 };

typedef struct {
    const char *name;
    uint32_t columns;
    VEC(const char *) cells; /* the first row is the header */
} Table;

struct Paper {
    Arena *arena;
    const PaperRequest *request;
    const PaperFigure *figure;
    Text page;       /* HTML of this figure */
    Text parameters; /* likewise */
    Table *table;    /* the one that rows go to */
    char why[400];   /* the first thing that went wrong; "": nothing */
    bool is_wrong;   /* files: nothing else can be written either */
    bool no_png;     /* and that was told */
};

Arena *paper_arena(Paper *p) { return p->arena; }
const PaperRequest *paper_request(const Paper *p) { return p->request; }

bool paper_fail(Paper *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!p->why[0]) vsnprintf(p->why, sizeof p->why, format, args);
    va_end(args);
    return false;
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *file_name(Paper *p, const char *suffix, const char *kind)
{
    return arena_printf(p->arena, "%s%s%s.%s", p->figure->name, *suffix ? "-" : "", suffix, kind);
}

static void write_file(Paper *p, const char *name, const char *bytes, size_t n)
{
    if (!p->request->directory) return;
    const char *path = path_join(p->arena, p->request->directory, name);
    FILE *file = fopen(path, "w");
    bool ok = file && fwrite(bytes, 1, n, file) == n;
    if (file && fclose(file)) ok = false;
    if (ok) return;
    p->is_wrong = true;
    paper_fail(p, "%s: %s", path, strerror(errno));
}

static void say(const Paper *p, const char *text, size_t n) { p->request->write(p->request->arg, text, n); }

/* ---- tables ---------------------------------------------------------------------------------- */

static void end_table(Paper *p);

/* Adds the cells of a line, which bars separate; how many. */
static uint32_t split(Paper *p, Table *t, const char *line)
{
    uint32_t n = 0;
    for (;; n++) {
        size_t length = strcspn(line, "|");
        vec_push(p->arena, &t->cells, arena_copy(p->arena, (Str){ line, length }));
        if (!line[length]) return n + 1;
        line += length + 1;
    }
}

void paper_table(Paper *p, const char *name, const char *columns)
{
    end_table(p);
    p->table = NEW(p->arena, Table);
    p->table->name = name;
    p->table->columns = split(p, p->table, columns);
}

void paper_row(Paper *p, const char *format, ...)
{
    va_list args;
    Text text = { .arena = p->arena };
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    for (uint32_t n = split(p, p->table, text.at); n < p->table->columns; n++)
        vec_push(p->arena, &p->table->cells, "");
}

static void add_csv_cell(Text *out, const char *cell)
{
    if (!strpbrk(cell, ",\"\n")) {
        text_add(out, str_of(cell));
        return;
    }
    text_add_char(out, '"');
    for (const char *c = cell; *c; c++) {
        if (*c == '"') text_add_char(out, '"');
        text_add_char(out, *c);
    }
    text_add_char(out, '"');
}

static bool is_number(const char *cell)
{
    double value;
    return real_read(cell, cell + strlen(cell), &value);
}

/* Characters, not bytes. */
static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static void say_table(Paper *p, const Table *t)
{
    size_t wide[MOST_CELLS] = { 0 };
    Text out = { .arena = p->arena };
    for (uint32_t i = 0; i < t->cells.n; i++) {
        size_t *w = &wide[i % t->columns % MOST_CELLS];
        *w = size_max(*w, width_of(t->cells.at[i]));
    }
    for (uint32_t i = 0; i < t->cells.n; i++) {
        uint32_t column = i % t->columns;
        const char *cell = t->cells.at[i];
        size_t pad = wide[column % MOST_CELLS] - width_of(cell);
        bool right = i >= t->columns && is_number(cell);
        text_add_literal(&out, "  ");
        if (right) text_add_repeat(&out, ' ', pad);
        text_add(&out, str_of(cell));
        if (column + 1 == t->columns)
            text_add_char(&out, '\n');
        else if (!right)
            text_add_repeat(&out, ' ', pad);
    }
    say(p, out.at, out.n);
}

static void end_table(Paper *p)
{
    Table *t = p->table;
    Text csv = { .arena = p->arena };
    if (!t) return;
    p->table = NULL;
    text_add_literal(&p->page, "<table>\n");
    for (uint32_t i = 0; i < t->cells.n; i++) {
        const char *cell = t->cells.at[i], *tag = i < t->columns ? "th" : "td";
        bool last = (i + 1) % t->columns == 0;
        text_printf(&p->page, "%s<%s%s>", i % t->columns ? "" : "<tr>", tag,
                    i >= t->columns && is_number(cell) ? " class=\"n\"" : "");
        text_add_xml(&p->page, cell);
        text_printf(&p->page, "</%s>%s", tag, last ? "</tr>\n" : "");
        add_csv_cell(&csv, cell);
        text_add_char(&csv, last ? '\n' : ',');
    }
    const char *name = file_name(p, t->name, "csv");
    text_printf(&p->page, "</table>\n<p class=\"files\"><a href=\"%s\">%s</a></p>\n", name, name);
    say_table(p, t);
    write_file(p, name, csv.at, csv.n);
}

/* ---- text ------------------------------------------------------------------------------------ */

void paper_parameter(Paper *p, const char *name, const char *format, ...)
{
    va_list args;
    Text text = { .arena = p->arena };
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    text_printf(&p->parameters, "%s<i>", p->parameters.n ? "; " : "");
    text_add_xml(&p->parameters, name);
    text_add_literal(&p->parameters, "</i> ");
    text_add_xml(&p->parameters, text.at);
    const char *line = arena_printf(p->arena, "  with %s %s\n", name, text.at);
    say(p, line, strlen(line));
}

/* Lines of at most 100 characters. */
static void say_wrapped(Paper *p, const char *text)
{
    Text out = { .arena = p->arena };
    size_t at = 0;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (at + n > 100) text_add_char(&out, '\n'), at = 0;
        text_add(&out, at ? STR(" ") : STR("  "));
        text_add(&out, (Str){ text, n });
        at += n + 1;
        text += n + (text[n] == ' ');
    }
    text_add_char(&out, '\n');
    say(p, out.at, out.n);
}

void paper_text(Paper *p, const char *format, ...)
{
    va_list args;
    Text text = { .arena = p->arena };
    end_table(p);
    va_start(args, format);
    text_vprintf(&text, format, args);
    va_end(args);
    text_add_literal(&p->page, "<p>");
    text_add_xml(&p->page, text.at);
    text_add_literal(&p->page, "</p>\n");
    say_wrapped(p, text.at);
}

/* ---- pictures -------------------------------------------------------------------------------- */

static void add_number(Text *out, double value)
{
    if (isfinite(value)) text_add_real(out, value);
}

/* panel,series,x,y: a row a point; gaps are empty rows. */
static void write_numbers(Paper *p, const char *name, const Chart *chart)
{
    Text csv = { .arena = p->arena };
    text_add_literal(&csv, "panel,series,x,y\n");
    for (size_t k = 0; k < chart->count; k++)
        for (size_t i = 0; i < chart->panels[k].count; i++) {
            const ChartSeries *s = &chart->panels[k].series[i];
            const char *label = s->label ? s->label : "";
            for (size_t j = 0; j < s->n; j++) {
                add_csv_cell(&csv, chart->panels[k].title ? chart->panels[k].title
                                                          : arena_printf(p->arena, "%zu", k + 1));
                text_add_char(&csv, ',');
                add_csv_cell(&csv, *label ? label : arena_printf(p->arena, "%zu", i + 1));
                text_add_char(&csv, ',');
                add_number(&csv, s->x[j]);
                text_add_char(&csv, ',');
                add_number(&csv, s->y[j]);
                text_add_char(&csv, '\n');
            }
        }
    write_file(p, name, csv.at, csv.n);
}

void paper_chart(Paper *p, const char *name, const Chart *chart)
{
    const char *svg = file_name(p, name, "svg"), *png = file_name(p, name, "png"),
               *csv = file_name(p,
                                *name      ? name
                                : p->table ? "points"
                                           : "",
                                "csv");
    char why[200] = "";
    Text picture = { .arena = p->arena }, bitmap = { .arena = p->arena };
    end_table(p);
    chart_svg(chart, &picture);
    write_file(p, svg, picture.at, picture.n);
    write_numbers(p, csv, chart);
    bool has_png = p->request->directory && chart_png(chart, &bitmap, why, sizeof why);
    if (has_png) write_file(p, png, bitmap.at, bitmap.n);
    if (why[0] && !p->no_png) {
        const char *line = arena_printf(p->arena, "  no bitmaps: %s\n", why);
        say(p, line, strlen(line));
        p->no_png = true;
    }
    text_printf(&p->page, "<p><img src=\"%s\" alt=\"%s\"></p>\n<p class=\"files\"><a href=\"%s\">%s</a>", svg,
                p->figure->name, svg, svg);
    if (has_png) text_printf(&p->page, " <a href=\"%s\">%s</a>", png, png);
    text_printf(&p->page, " <a href=\"%s\">%s</a></p>\n", csv, csv);
}

ChartSeries paper_series(ChartKind kind, const char *label, const Numbers *x, const Numbers *y)
{
    return (
        ChartSeries){ .kind = kind, .label = label, .x = x->at, .y = y->at, .n = x->n < y->n ? x->n : y->n };
}

/* ---- the page -------------------------------------------------------------------------------- */

static const char page_head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>\n<style>\n"
    "body{font:16px/1.5 system-ui,Helvetica,Arial,sans-serif;max-width:62em;margin:2em auto;padding:0 1em;"
    "color:#1f2328}\n"
    "h1{font-size:1.6em;margin-bottom:.2em}h2{font-size:1.2em;border-top:1px solid #d5dbe1;"
    "padding-top:1em;margin-top:2em}\n"
    "table{border-collapse:collapse;font-size:.9em;margin:.8em 0}th,td{padding:.2em .7em;text-align:left;"
    "border-bottom:1px solid #e6e8eb}th{border-bottom:2px solid #8b939c}td.n{text-align:right;"
    "font-variant-numeric:tabular-nums}\n"
    ".soft,.files,.with{color:#59626c;font-size:.85em}.files a{margin-right:.8em}img{max-width:100%%}\n"
    ".wrong{color:#D55E00}nav a{margin-right:1em}\n</style></head><body>\n";

static void begin_page(Arena *arena, const PaperRequest *r, Text *page)
{
    const PaperDocument *d = r->document;
    Text title = { .arena = arena };
    text_add_xml(&title, d->title);
    text_printf(page, page_head, title.at);
    text_printf(page, "<h1>%s</h1>\n<p class=\"soft\">", title.at);
    text_add_xml(page, d->source);
    text_add_literal(page, "</p>\n<p>");
    text_add_xml(page, d->about);
    text_printf(page, "</p>\n<p class=\"soft\">Made by <code>");
    text_add_xml(page, r->command ? r->command : "acausal paper");
    text_printf(page,
                "</code>, Acausal %s. Published numbers are quoted for comparison; pictures and text are "
                "Acausal's own.</p>\n<nav>",
                acausal_version());
    for (size_t i = 0; i < d->count && !r->figure; i++)
        text_printf(page, "<a href=\"#%s\">%s</a>", d->figures[i].name, d->figures[i].name);
    text_add_literal(page, "</nav>\n");
}

static void end_figure(Paper *p, bool ok, double seconds, Text *page)
{
    end_table(p);
    text_printf(page, "<h2 id=\"%s\">%s: ", p->figure->name, p->figure->name);
    text_add_xml(page, p->figure->title);
    text_add_literal(page, "</h2>\n<p class=\"soft\">");
    text_add_xml(page, p->figure->section);
    text_printf(page, "; %.1f s of processor time</p>\n", seconds);
    if (p->parameters.n) text_printf(page, "<p class=\"with\">With %s.</p>\n", p->parameters.at);
    if (p->page.n) text_add(page, (Str){ p->page.at, p->page.n });
    if (ok) return;
    text_add_literal(page, "<p class=\"wrong\">Not made: ");
    text_add_xml(page, p->why);
    text_add_literal(page, "</p>\n");
}

/* ---- figures --------------------------------------------------------------------------------- */

static const PaperDocument *const documents[] = { &paper_increments, &paper_sparsing, &paper_restarts,
                                                  &paper_dae, &paper_methods };

const PaperDocument *paper_document(size_t i) { return i < COUNT_OF(documents) ? documents[i] : NULL; }

bool paper_figure(const PaperDocument *d, size_t i, const char **name, const char **title,
                  const char **section)
{
    if (i >= d->count) return false;
    *name = d->figures[i].name;
    *title = d->figures[i].title;
    *section = d->figures[i].section;
    return true;
}

/* "2" is figure-2. */
static bool is_wanted(const PaperFigure *f, const char *wanted)
{
    return !wanted || !strcmp(f->name, wanted) ||
           (!strncmp(f->name, "figure-", 7) && !strcmp(f->name + 7, wanted)) ||
           (!strncmp(f->name, "slide-", 6) && !strcmp(f->name + 6, wanted));
}

static bool make_figure(const PaperRequest *r, const PaperFigure *f, Text *page, bool *is_wrong, char *why,
                        size_t room)
{
    Arena *arena = arena_new();
    jmp_buf escape;
    Paper paper = { .arena = arena, .request = r, .figure = f }, *p = &paper;
    volatile bool ok = false;
    double start = clock_cpu();
    if (!arena) return false;
    if (!setjmp(escape)) {
        arena->escape = &escape;
        p->page.arena = p->parameters.arena = arena;
        const char *head = arena_printf(arena, "%s: %s (%s)\n", f->name, f->title, f->section);
        say(p, head, strlen(head));
        ok = f->make(p);
        end_figure(p, ok && !p->why[0], clock_cpu() - start, page);
        ok = ok && !p->why[0];
        say(p, "\n", 1);
    } else {
        paper_fail(p, "memory is out");
    }
    *is_wrong |= p->is_wrong;
    if (!ok && !why[0]) snprintf(why, room, "%s: %s", f->name, p->why);
    arena_free(arena);
    return ok;
}

AcausalStatus paper_make(const PaperRequest *r, char *why, size_t room)
{
    Arena *arena = arena_new();
    Text page = { .arena = arena };
    bool is_wrong = false;
    size_t made = 0, failed = 0;
    why[0] = '\0';
    if (!arena) return ACAUSAL_BUG;
    if (r->directory && mkdir(r->directory, 0777) && errno != EEXIST) {
        snprintf(why, room, "%s: %s", r->directory, strerror(errno));
        arena_free(arena);
        return ACAUSAL_WRONG;
    }
    begin_page(arena, r, &page);
    for (size_t i = 0; i < r->document->count && !is_wrong; i++) {
        const PaperFigure *f = &r->document->figures[i];
        if (!is_wanted(f, r->figure)) continue;
        made++;
        if (!make_figure(r, f, &page, &is_wrong, why, room)) failed++;
    }
    text_add_literal(&page, "</body></html>\n");
    if (made && r->directory && !is_wrong) {
        Paper paper = { .arena = arena, .request = r };
        write_file(&paper, "index.html", page.at, page.n);
        if (paper.is_wrong) snprintf(why, room, "%s", paper.why);
        is_wrong = paper.is_wrong;
    }
    arena_free(arena);
    return !made ? ACAUSAL_USAGE : is_wrong ? ACAUSAL_WRONG : failed ? ACAUSAL_FAILED : ACAUSAL_DONE;
}
