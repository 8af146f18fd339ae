/* draw.c: the structure of a system as SVG: which equation contains which unknown, before and after
 * sorting, and its blocks.
 *
 * In: a sorted system. Out: a picture. Rows are equations, columns unknowns. Before sorting both
 * come in the order of the source; after it in the order of computing: entries lie below the
 * diagonal, but for blocks, which have a frame. Inside of a block tearing variables come last, so
 * that it is a triangle with a border. Matrices of more than MOST_CELLS rows are drawn as shades of
 * how full a patch is. Cost: linear in the entries. Tests: tests/cli/analyze.sh; the pictures were
 * looked at. */
#include "api/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_CELLS = 600, PICTURE = 720, MOST_NAMED = 48, FONT = 11, MOST_PANELS = 12, PANEL = 260, GAP = 24 };
static const double LETTER = 6.2; /* mean width of a character, pixels */
static const char INK[] = "#222222", SOFT[] = "#666666", SOLVED[] = "#0072B2", GIVEN[] = "#7a7f87",
                  TORN[] = "#D55E00", TORN_PAPER[] = "#fdebdd", FRAME[] = "#009E73";

/* Equations and unknowns in the order in which they are drawn. */
typedef struct {
    const System *s;
    Arena *arena;
    uint32_t n;
    uint32_t *eqs, *vars,
        /* solved: by row, the column that the equation gives; NONE for residuals */
        *solved;
    uint32_t *column_of;   /* by variable; NONE */
    uint8_t *is_torn;      /* by column */
    uint32_t *first, *end; /* by column: its block */
    double x, y, cell;
    Text *out;
} Picture;

static void begin_picture(Text *out, double width, double height)
{
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f "
                "%.0f\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"%d\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
                width, height, width, height, FONT);
}

static void add_label(Text *out, double x, double y, const char *anchor, const char *colour, const char *text)
{
    text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">", x, y, anchor, colour);
    text_add_xml(out, text);
    text_add_literal(out, "</text>\n");
}

static void add_box(Text *out, double x, double y, double w, double h, const char *fill, const char *stroke)
{
    text_printf(out,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" stroke=\"%s\"/>\n", x,
                y, w, h, fill, stroke);
}

/* Takes the equations and unknowns of some blocks, in the order of computing. */
static void take_blocks(Picture *p, const Sequence *q, uint32_t from, uint32_t to)
{
    for (uint32_t k = from; k < to; k++) {
        const DaeBlock *b = &q->blocks.at[k];
        uint32_t first = p->n, end = first + b->n + b->tear_n;
        for (uint32_t i = first; i < end; i++) p->first[i] = first, p->end[i] = end;
        for (uint32_t i = 0; i < b->n; i++, p->n++) {
            p->eqs[p->n] = q->assigns.at[b->first + i].eq;
            p->vars[p->n] = q->assigns.at[b->first + i].var;
            p->solved[p->n] = p->n;
        }
        for (uint32_t i = 0; i < b->tear_n; i++, p->n++) {
            p->eqs[p->n] = q->residuals.at[b->tear_first + i];
            p->vars[p->n] = q->tears.at[b->tear_first + i];
            p->solved[p->n] = b->n + b->tear_n == 1 ? first : NONE;
            p->is_torn[p->n] = 1;
        }
    }
}

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The order of the source instead: ids are given in that order. */
static void unsort(Picture *p)
{
    uint32_t *by_eq = NEW_ARRAY(p->arena, uint32_t, p->s->eqs.n + 1);
    for (uint32_t i = 0; i < p->n; i++) by_eq[p->eqs[i]] = p->vars[i];
    qsort(p->eqs, p->n, sizeof *p->eqs, compare_u32);
    qsort(p->vars, p->n, sizeof *p->vars, compare_u32);
    for (uint32_t j = 0; j < p->n; j++) p->column_of[p->vars[j]] = j;
    for (uint32_t i = 0; i < p->n; i++) p->solved[i] = p->column_of[by_eq[p->eqs[i]]];
    memset(p->is_torn, 0, p->n);
}

static Picture picture_of(const System *s, Arena *arena, Text *out, uint32_t from, uint32_t to)
{
    const Sequence *q = &s->continuous;
    uint32_t most = 0;
    for (uint32_t k = from; k < to; k++) most += q->blocks.at[k].n + q->blocks.at[k].tear_n;
    Picture p = { .s = s,
                  .arena = arena,
                  .eqs = NEW_ARRAY(arena, uint32_t, most + 1),
                  .vars = NEW_ARRAY(arena, uint32_t, most + 1),
                  .solved = NEW_ARRAY(arena, uint32_t, most + 1),
                  .column_of = NEW_ARRAY(arena, uint32_t, s->vars.n + 1),
                  .is_torn = NEW_ARRAY(arena, uint8_t, most + 1),
                  .first = NEW_ARRAY(arena, uint32_t, most + 1),
                  .end = NEW_ARRAY(arena, uint32_t, most + 1),
                  .out = out };
    memset(p.column_of, 0xff, s->vars.n * sizeof *p.column_of);
    take_blocks(&p, q, from, to);
    for (uint32_t j = 0; j < p.n; j++) p.column_of[p.vars[j]] = j;
    return p;
}

/* One rectangle an entry, or a shade for each patch. */
static void draw_entries(const Picture *p)
{
    uint32_t cells = p->n < MOST_CELLS ? p->n : MOST_CELLS;
    double patch = p->cell * (double)p->n / (double)cells, share = (double)cells / (double)p->n;
    uint32_t *count = NEW_ARRAY(p->arena, uint32_t, (size_t)cells * cells);
    uint8_t *is_solved = NEW_ARRAY(p->arena, uint8_t, (size_t)cells * cells);
    for (uint32_t i = 0; i < p->n; i++) {
        const Gradient *g = &p->s->eqs.at[p->eqs[i]].gradient;
        uint32_t row = (uint32_t)((double)i * share);
        for (uint32_t k = 0; k < g->n; k++) {
            uint32_t j = p->column_of[g->at[k].var];
            if (j == NONE) continue;
            size_t at = (size_t)row * cells + (uint32_t)((double)j * share);
            count[at]++;
            if (j == p->solved[i]) is_solved[at] = 1;
        }
    }
    double full = fmax(1.0, 0.25 / share);
    for (uint32_t i = 0; i < cells; i++)
        for (uint32_t j = 0; j < cells; j++) {
            size_t at = (size_t)i * cells + j;
            if (!count[at]) continue;
            text_printf(p->out,
                        "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" "
                        "fill-opacity=\"%.2f\"/>\n",
                        p->x + patch * (double)j, p->y + patch * (double)i, patch * 0.92, patch * 0.92,
                        is_solved[at] ? SOLVED : GIVEN, fmin(1.0, 0.4 + 0.6 * (double)count[at] / full));
        }
}

static void draw_torn(const Picture *p)
{
    for (uint32_t j = 0; j < p->n; j++)
        if (p->is_torn[j])
            add_box(p->out, p->x + p->cell * (double)j, p->y + p->cell * (double)p->first[j], p->cell,
                    p->cell * (double)(p->end[j] - p->first[j]), TORN_PAPER, "none");
}

/* Unknowns above, equations by their number on the left. */
static void draw_names(const Picture *p)
{
    if (p->n > MOST_NAMED || p->cell < FONT) return;
    for (uint32_t i = 0; i < p->n; i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", (unsigned)p->eqs[i] + 1);
        add_label(p->out, p->x - 5, p->y + p->cell * ((double)i + 0.5) + FONT * 0.35, "end", SOFT, number);
        text_printf(p->out, "<text transform=\"translate(%.1f %.1f) rotate(-60)\" fill=\"%s\">",
                    p->x + p->cell * ((double)i + 0.6), p->y - 5, p->is_torn[i] ? TORN : INK);
        text_add_xml(p->out, p->s->vars.at[p->vars[i]].name);
        text_add_literal(p->out, "</text>\n");
    }
}

static double longest_name(const Picture *p)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < p->n && p->n <= MOST_NAMED; i++)
        longest = size_max(longest, strlen(p->s->vars.at[p->vars[i]].name));
    return LETTER * (double)longest;
}

static void draw_frames(const Picture *p)
{
    const Sequence *q = &p->s->continuous;
    double at = 0;
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        double size = p->cell * (double)(q->blocks.at[k].n + q->blocks.at[k].tear_n);
        if (size > p->cell || q->blocks.at[k].tear_n)
            add_box(p->out, p->x + at, p->y + at, size, size, "none", FRAME);
        at += size;
    }
}

void draw_incidence(const System *s, bool is_sorted, Text *out)
{
    Arena *arena = arena_scratch();
    Picture p = picture_of(s, arena, out, 0, s->continuous.blocks.n);
    if (!is_sorted) unsort(&p);
    double names = longest_name(&p), side = p.n ? fmin(PICTURE, 22.0 * (double)p.n) : 22;
    p.cell = p.n ? side / (double)p.n : 22;
    p.x = 44, p.y = 56 + names * 0.87;
    double width = fmax(p.x + side + 24 + names * 0.5, 480);
    begin_picture(out, width, p.y + side + 16);
    const char *title = arena_printf(arena, "%s: %u equations %s", s->flat->name, (unsigned)p.n,
                                     is_sorted ? "sorted into blocks" : "in the order of the source");
    add_label(out, 12, 20, "start", INK, title);
    add_label(out, 12, 36, "start", SOLVED,
              is_sorted ? "blue: what an equation is solved for"
                        : "blue: what an equation will be solved for");
    if (is_sorted) {
        add_label(out, 230, 36, "start", FRAME, "green: blocks");
        add_label(out, 315, 36, "start", TORN, "orange: tearing variables");
        draw_torn(&p);
    }
    if (p.n) draw_entries(&p);
    add_box(out, p.x, p.y, side, side, "none", SOFT);
    if (is_sorted) draw_frames(&p);
    draw_names(&p);
    text_add_literal(out, "</svg>\n");
    arena_free(arena);
}

/* ---- blocks, one by one ---------------------------------------------------------------------- */

/* The largest blocks that have to be solved, in the order of computing; returns their number. */
static uint32_t choose_blocks(const Sequence *q, uint32_t *chosen)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < q->blocks.n; k++) {
        if (!q->blocks.at[k].tear_n) continue;
        uint32_t size = q->blocks.at[k].n + q->blocks.at[k].tear_n, least = 0;
        if (n < MOST_PANELS) {
            chosen[n++] = k;
            continue;
        }
        for (uint32_t i = 1; i < n; i++) {
            const DaeBlock *a = &q->blocks.at[chosen[i]], *b = &q->blocks.at[chosen[least]];
            if (a->n + a->tear_n < b->n + b->tear_n) least = i;
        }
        const DaeBlock *smallest = &q->blocks.at[chosen[least]];
        if (size <= smallest->n + smallest->tear_n) continue;
        memmove(chosen + least, chosen + least + 1, (n - least - 1) * sizeof *chosen);
        chosen[n - 1] = k;
    }
    return n;
}

static void draw_panel(const System *s, uint32_t block, double x, double y, Text *out)
{
    Arena *arena = arena_scratch();
    const DaeBlock *b = &s->continuous.blocks.at[block];
    Picture p = picture_of(s, arena, out, block, block + 1);
    double side = fmin(PANEL - 40, 22.0 * (double)p.n);
    p.cell = side / (double)p.n;
    p.x = x, p.y = y + 34;
    Text names = { .arena = arena };
    for (uint32_t i = 0; i < b->tear_n && i < 3; i++)
        text_printf(&names, "%s%s", i ? ", " : "tearing variables: ",
                    s->vars.at[s->continuous.tears.at[b->tear_first + i]].name);
    if (b->tear_n > 3) text_printf(&names, ", ... (%u)", (unsigned)b->tear_n);
    add_label(out, x, y + 12, "start", INK,
              arena_printf(arena, "block %u, %s, %u equations", (unsigned)block + 1,
                           b->kind == BLOCK_LINEAR ? "linear" : "nonlinear", (unsigned)p.n));
    add_label(out, x, y + 27, "start", TORN, names.at);
    draw_torn(&p);
    draw_entries(&p);
    add_box(out, p.x, p.y, side, side, "none", FRAME);
    arena_free(arena);
}

static void json_numbers(const Picture *p, const char *key, const uint32_t *at)
{
    text_printf(p->out, ",\"%s\":[", key);
    for (uint32_t i = 0; i < p->n; i++)
        text_printf(p->out, "%s%d", i ? "," : "", at[i] == NONE ? -1 : (int)at[i]);
    text_add_char(p->out, ']');
}

static void json_names(const Picture *p, const Sources *sources)
{
    json_numbers(p, "eq", p->eqs);
    json_numbers(p, "id", p->vars);
    json_numbers(p, "solved", p->solved);
    text_add_literal(p->out, ",\"name\":[");
    for (uint32_t i = 0; i < p->n; i++) {
        if (i) text_add_char(p->out, ',');
        text_add_json(p->out, str_of(p->s->vars.at[p->vars[i]].name));
    }
    text_add_literal(p->out, "],\"place\":[");
    for (uint32_t i = 0; i < p->n; i++) {
        Place place;
        bool known = source_place(sources, p->s->eqs.at[p->eqs[i]].span, &place);
        if (i) text_add_char(p->out, ',');
        text_add_json(p->out, str_of(known ? arena_printf(p->arena, "%.*s:%u", (int)path_base(place.path).n,
                                                          path_base(place.path).at, (unsigned)place.line)
                                           : ""));
    }
    text_add_char(p->out, ']');
}

static void json_rows(const Picture *p)
{
    text_add_literal(p->out, ",\"rows\":[");
    for (uint32_t i = 0; i < p->n; i++) {
        const Gradient *g = &p->s->eqs.at[p->eqs[i]].gradient;
        bool is_first = true;
        text_add(p->out, i ? STR(",[") : STR("["));
        for (uint32_t k = 0; k < g->n; k++) {
            uint32_t j = p->column_of[g->at[k].var];
            if (j == NONE) continue;
            text_printf(p->out, "%s%u", is_first ? "" : ",", (unsigned)j);
            is_first = false;
        }
        text_add_char(p->out, ']');
    }
    text_add_char(p->out, ']');
}

/* Rows and columns in the order of computing, for pages that draw them: their names and places, who
 * contains what, blocks with how many of their last columns are tearing variables. Of systems above
 * MOST_TOLD rows only the count. */
void draw_structure_json(const System *s, const Sources *sources, Text *out)
{
    enum { MOST_TOLD = 6000 };
    Arena *arena = arena_scratch();
    Picture p = picture_of(s, arena, out, 0, s->continuous.blocks.n);
    text_printf(out, "{\"n\":%u", (unsigned)p.n);
    if (p.n <= MOST_TOLD) {
        json_names(&p, sources);
        json_rows(&p);
        text_add_literal(out, ",\"blocks\":[");
        for (uint32_t k = 0, at = 0; k < s->continuous.blocks.n; k++) {
            const DaeBlock *b = &s->continuous.blocks.at[k];
            text_printf(out, "%s[%u,%u,%u]", k ? "," : "", (unsigned)at, (unsigned)(at + b->n + b->tear_n),
                        (unsigned)b->tear_n);
            at += b->n + b->tear_n;
        }
        text_add_char(out, ']');
    }
    text_add_char(out, '}');
    arena_free(arena);
}

void draw_blocks(const System *s, Text *out)
{
    enum { ACROSS = 3 };
    uint32_t chosen[MOST_PANELS], n = choose_blocks(&s->continuous, chosen), all = 0, assigned = 0;
    for (uint32_t k = 0; k < s->continuous.blocks.n; k++) {
        all += s->continuous.blocks.at[k].tear_n > 0;
        assigned += s->continuous.blocks.at[k].tear_n == 0;
    }
    uint32_t rows = (n + ACROSS - 1) / ACROSS;
    begin_picture(out, GAP + ACROSS * (PANEL + GAP), 60 + (double)rows * (PANEL + GAP));
    char title[200];
    snprintf(title, sizeof title, "%u assignments, %u blocks to be solved%s", (unsigned)assigned,
             (unsigned)all, n < all ? "; the largest are shown" : "");
    add_label(out, GAP, 20, "start", INK, s->flat->name);
    add_label(out, GAP, 36, "start", SOFT, title);
    for (uint32_t i = 0; i < n; i++)
        draw_panel(s, chosen[i], GAP + (double)(i % ACROSS) * (PANEL + GAP),
                   52 + (double)(i / ACROSS) * (PANEL + GAP), out);
    text_add_literal(out, "</svg>\n");
}
