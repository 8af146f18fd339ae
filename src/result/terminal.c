/* terminal.c: curves drawn with braille characters, two by four dots a character.
 *
 * In: the same Plot as for SVG. Out: lines of UTF-8 text: an axis with ticks on the left, the
 * curves, an axis below. Curves with the same unit share a drawing where colours tell them apart;
 * without colours each has its own. A character that two curves cross takes the colour of the later
 * one. Cost: linear in points and in dots. Tests: tests/result/plot_test.c. */
#include "result/inside.h"

#include <math.h>
#include <stdlib.h>

enum { USUAL_WIDTH = 78, USUAL_HEIGHT = 16, LABEL = 10, COLOURS = 6 };
static const char *const colours[COLOURS] = { "\033[34m", "\033[31m", "\033[32m",
                                              "\033[35m", "\033[33m", "\033[36m" };

typedef struct {
    int columns, rows;     /* characters */
    unsigned char *dots;   /* 8 a character */
    unsigned char *colour; /* 1 + curve of the character; 0: empty */
    Ticks x, y;
} Dots;

static void put_dot(Dots *c, int x, int y, unsigned char colour)
{
    static const unsigned char bits[4][2] = {
        { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
    };
    if (x < 0 || y < 0 || x >= 2 * c->columns || y >= 4 * c->rows) return;
    size_t cell = (size_t)(y / 4) * (size_t)c->columns + (size_t)(x / 2);
    c->dots[cell] |= bits[y % 4][x % 2];
    c->colour[cell] = colour;
}

static void put_line(Dots *c, int x0, int y0, int x1, int y1, unsigned char colour)
{
    int dx = abs(x1 - x0), dy = -abs(y1 - y0), sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1, error = dx + dy;
    for (;;) {
        put_dot(c, x0, y0, colour);
        if (x0 == x1 && y0 == y1) return;
        int twice = 2 * error;
        if (twice >= dy) error += dy, x0 += sx;
        if (twice <= dx) error += dx, y0 += sy;
    }
}

static void put_curve(Dots *c, const PlotCurve *curve, unsigned char colour)
{
    int x_old = -1, y_old = 0;
    for (size_t i = 0; i < curve->rows; i++) {
        double h = tick_place(&c->x, signal_at(curve->x, i)), v = tick_place(&c->y, signal_at(curve->y, i));
        if (!isfinite(h) || !isfinite(v)) {
            x_old = -1;
            continue;
        }
        int x = (int)lround(h * (2 * c->columns - 1)), y = (int)lround((1.0 - v) * (4 * c->rows - 1));
        if (x == x_old && y == y_old) continue;
        if (x_old >= 0 && curve->steps) {
            put_line(c, x_old, y_old, x, y_old, colour);
            put_line(c, x, y_old, x, y, colour);
        } else {
            put_line(c, x_old < 0 ? x : x_old, x_old < 0 ? y : y_old, x, y, colour);
        }
        x_old = x, y_old = y;
    }
}

static void write_cells(const Dots *c, int row, bool colour, Text *out)
{
    int now = 0;
    for (int j = 0; j < c->columns; j++) {
        size_t cell = (size_t)row * (size_t)c->columns + (size_t)j;
        unsigned char dots = c->dots[cell];
        if (colour && dots && c->colour[cell] != now) {
            now = c->colour[cell];
            text_add(out, str_of(colours[(now - 1) % COLOURS]));
        }
        char braille[4] = { (char)0xE2, (char)(0xA0 | dots >> 6), (char)(0x80 | (dots & 0x3F)), 0 };
        text_add(out, dots ? (Str){ braille, 3 } : STR(" "));
    }
    if (now) text_add_literal(out, "\033[0m");
    while (!colour && out->n && out->at[out->n - 1] == ' ') out->at[--out->n] = 0;
    text_add_char(out, '\n');
}

static int characters(const char *text)
{
    int n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static void write_rows(const Dots *c, bool colour, Text *out)
{
    for (int row = 0; row < c->rows; row++) {
        const char *label = "";
        for (int i = 0; i < c->y.n; i++) {
            double place = (1.0 - tick_place(&c->y, c->y.at[i])) * (4 * c->rows - 1);
            if ((int)lround(place) / 4 == row) label = c->y.text[i];
        }
        text_add_repeat(out, ' ',
                        (size_t)(LABEL - 2 > characters(label) ? LABEL - 2 - characters(label) : 0));
        text_printf(out, "%s %s", label, *label ? "┤" : "│");
        write_cells(c, row, colour, out);
    }
}

static void write_x_axis(const Dots *c, const Signal *x, Text *out)
{
    text_printf(out, "%*s└", LABEL - 1, "");
    for (int j = 0; j < c->columns; j++) text_add_literal(out, "─");
    text_printf(out, "\n%*s", LABEL, "");
    int at = 0;
    for (int i = 0; i < c->x.n; i++) {
        int n = characters(c->x.text[i]);
        int place = (int)lround(tick_place(&c->x, c->x.at[i]) * (c->columns - 1)) - n / 2;
        if (i == 0 && place < 0) place = 0;
        if (place + n > c->columns) place = c->columns - n;
        if (place < at + (i > 0)) continue; /* no room */
        text_printf(out, "%*s%s", place - at, "", c->x.text[i]);
        at = place + n;
    }
    text_printf(out, "  %s", x->name);
    if (*x->unit) text_printf(out, " [%s]", x->unit);
    if (c->x.exponent) text_printf(out, " ×1e%d", c->x.exponent);
    text_add_char(out, '\n');
}

static void write_legend(const Plot *plot, const bool *here, const Dots *c, bool colour, Text *out)
{
    text_printf(out, "%*s", LABEL, "");
    const char *unit = "";
    for (size_t i = 0, shown = 0; i < plot->count; i++) {
        const PlotCurve *curve = &plot->curves[i];
        if (!here[i]) continue;
        const char *name = curve->label ? curve->label : curve->y->name;
        if (colour)
            text_printf(out, "%s%s━━ %s\033[0m", shown++ ? "   " : "", colours[i % COLOURS], name);
        else
            text_printf(out, "%s", name);
        unit = curve->y->unit;
    }
    if (*unit) {
        text_add_literal(out, "  [");
        unit_pretty(unit, out);
        text_add_literal(out, "]");
    }
    if (c->y.exponent) text_printf(out, "  ×1e%d", c->y.exponent);
    text_add_char(out, '\n');
}

static void axis_of(const Plot *plot, const bool *here, bool is_x, int most, Ticks *ticks)
{
    double low = 0.0, high = 1.0, a, b;
    bool any = false, log = is_x ? plot->log_x : plot->log_y;
    for (size_t i = 0; i < plot->count; i++) {
        const PlotCurve *c = &plot->curves[i];
        if ((here && !here[i]) || !signal_range(is_x ? c->x : c->y, c->rows, log, &a, &b)) continue;
        low = any ? fmin(low, a) : a;
        high = any ? fmax(high, b) : b;
        any = true;
    }
    if (log)
        ticks_log(any ? low : 1.0, any ? high : 10.0, most, ticks);
    else
        ticks_of(low, high, most, !is_x, ticks);
}

static void draw_group(const Plot *plot, const bool *here, Dots *c, bool colour, Text *out)
{
    axis_of(plot, here, false, c->rows > 10 ? 5 : 3, &c->y);
    memset(c->dots, 0, (size_t)c->columns * (size_t)c->rows);
    for (size_t i = 0; i < plot->count; i++)
        if (here[i]) put_curve(c, &plot->curves[i], (unsigned char)(1 + i % COLOURS));
    write_legend(plot, here, c, colour, out);
    write_rows(c, colour, out);
}

/* Whether two curves belong into one drawing. */
static bool are_together(const PlotCurve *a, const PlotCurve *b)
{
    return a->panel >= 0 ? a->panel == b->panel : !strcmp(a->y->unit, b->y->unit);
}

void plot_terminal(const Plot *plot, const PlotStyle *style, Text *out)
{
    int width = style->width > LABEL + 10 ? style->width : USUAL_WIDTH;
    Dots c = { .columns = width - LABEL, .rows = style->height > 2 ? style->height : USUAL_HEIGHT };
    size_t cells = (size_t)c.columns * (size_t)c.rows;
    c.dots = arena_zero(out->arena, cells);
    c.colour = arena_zero(out->arena, cells);
    bool *here = NEW_ARRAY(out->arena, bool, plot->count + 1),
         *done = NEW_ARRAY(out->arena, bool, plot->count + 1);
    axis_of(plot, NULL, true, 6, &c.x);
    for (size_t i = 0; i < plot->count; i++) {
        if (done[i]) continue;
        memset(here, 0, plot->count * sizeof *here);
        for (size_t j = i; j < plot->count; j++) {
            here[j] =
                j == i || (!done[j] && style->colour && are_together(&plot->curves[i], &plot->curves[j]));
            done[j] |= here[j];
        }
        draw_group(plot, here, &c, style->colour, out);
    }
    static const Signal time = { .name = "time", .unit = "s" };
    write_x_axis(&c, plot->count ? plot->curves[0].x : &time, out);
}
