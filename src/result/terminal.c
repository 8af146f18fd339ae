/* terminal.c: curves drawn with braille characters, two by four dots a character.
 *
 * In: the same Plot as for SVG. Out: lines of UTF-8 text: an axis with ticks on the left, the curves, an axis below.
 * Curves with the same unit share a drawing where colours tell them apart; without colours each has its own. A
 * character that two curves cross takes the colour of the later one. Cost: linear in points and in dots.
 * Tests: tests/result/plot_test.c. */
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
} Canvas;

static void put_dot(Canvas *c, int x, int y, unsigned char colour)
{
    static const unsigned char bits[4][2] = {
        { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
    };
    if (x < 0 || y < 0 || x >= 2 * c->columns || y >= 4 * c->rows) return;
    size_t cell = (size_t)(y / 4) * (size_t)c->columns + (size_t)(x / 2);
    c->dots[cell] |= bits[y % 4][x % 2];
    c->colour[cell] = colour;
}

static void put_line(Canvas *c, int x0, int y0, int x1, int y1, unsigned char colour)
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

static void put_curve(Canvas *c, const Plot *plot, const Signal *curve, unsigned char colour)
{
    int x_old = -1, y_old = 0;
    for (size_t i = 0; i < plot->rows; i++) {
        double t = signal_at(plot->x, i), v = signal_at(curve, i);
        if (!isfinite(t) || !isfinite(v)) {
            x_old = -1;
            continue;
        }
        int x = (int)lround((t - c->x.low) / (c->x.high - c->x.low) * (2 * c->columns - 1));
        int y = (int)lround((c->y.high - v) / (c->y.high - c->y.low) * (4 * c->rows - 1));
        if (x_old >= 0 && curve->kind == COLUMN_DISCRETE) {
            put_line(c, x_old, y_old, x, y_old, colour);
            put_line(c, x, y_old, x, y, colour);
        } else {
            put_line(c, x_old < 0 ? x : x_old, x_old < 0 ? y : y_old, x, y, colour);
        }
        x_old = x, y_old = y;
    }
}

static void write_cells(const Canvas *c, int row, bool colour, Text *out)
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

static void write_rows(const Canvas *c, bool colour, Text *out)
{
    for (int row = 0; row < c->rows; row++) {
        const char *label = "";
        for (int i = 0; i < c->y.n; i++) {
            double place = (c->y.high - c->y.at[i]) / (c->y.high - c->y.low) * (4 * c->rows - 1);
            if ((int)lround(place) / 4 == row) label = c->y.text[i];
        }
        text_printf(out, "%*s %s", LABEL - 2, label, *label ? "┤" : "│");
        write_cells(c, row, colour, out);
    }
}

static void write_x_axis(const Canvas *c, const Signal *x, Text *out)
{
    text_printf(out, "%*s└", LABEL - 1, "");
    for (int j = 0; j < c->columns; j++) text_add_literal(out, "─");
    text_printf(out, "\n%*s", LABEL, "");
    int at = 0;
    for (int i = 0; i < c->x.n; i++) {
        int n = (int)strlen(c->x.text[i]);
        int place = (int)lround((c->x.at[i] - c->x.low) / (c->x.high - c->x.low) * (c->columns - 1)) - n / 2;
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

static void write_legend(const Plot *plot, const bool *here, const Canvas *c, bool colour, Text *out)
{
    text_printf(out, "%*s", LABEL, "");
    const char *unit = "";
    for (size_t i = 0, shown = 0; i < plot->count; i++) {
        if (!here[i]) continue;
        if (colour)
            text_printf(out, "%s%s━━ %s\033[0m", shown++ ? "   " : "", colours[i % COLOURS],
                        plot->curves[i]->name);
        else
            text_printf(out, "%s", plot->curves[i]->name);
        unit = plot->curves[i]->unit;
    }
    if (*unit) text_printf(out, "  [%s]", unit);
    if (c->y.exponent) text_printf(out, "  ×1e%d", c->y.exponent);
    text_add_char(out, '\n');
}

static void draw_group(const Plot *plot, const bool *here, Canvas *c, bool colour, Text *out)
{
    double low = 0.0, high = 1.0, a, b;
    bool any = false;
    for (size_t i = 0; i < plot->count; i++) {
        if (!here[i] || !signal_range(plot->curves[i], plot->rows, &a, &b)) continue;
        low = any ? fmin(low, a) : a;
        high = any ? fmax(high, b) : b;
        any = true;
    }
    ticks_of(low, high, c->rows > 10 ? 5 : 3, true, &c->y);
    memset(c->dots, 0, (size_t)c->columns * (size_t)c->rows);
    for (size_t i = 0; i < plot->count; i++)
        if (here[i]) put_curve(c, plot, plot->curves[i], (unsigned char)(1 + i % COLOURS));
    write_legend(plot, here, c, colour, out);
    write_rows(c, colour, out);
}

void plot_terminal(const Plot *plot, const PlotStyle *style, Text *out)
{
    int width = style->width > LABEL + 10 ? style->width : USUAL_WIDTH;
    Canvas c = { .columns = width - LABEL, .rows = style->height > 2 ? style->height : USUAL_HEIGHT };
    size_t cells = (size_t)c.columns * (size_t)c.rows;
    c.dots = arena_zero(out->arena, cells);
    c.colour = arena_zero(out->arena, cells);
    bool *here = NEW_ARRAY(out->arena, bool, plot->count + 1),
         *done = NEW_ARRAY(out->arena, bool, plot->count + 1);
    double low = 0.0, high = 1.0;
    signal_range(plot->x, plot->rows, &low, &high);
    ticks_of(low, high, 6, false, &c.x);
    for (size_t i = 0; i < plot->count; i++) {
        if (done[i]) continue;
        memset(here, 0, plot->count * sizeof *here);
        for (size_t j = i; j < plot->count; j++) {
            here[j] = j == i || (style->colour && !strcmp(plot->curves[i]->unit, plot->curves[j]->unit));
            done[j] |= here[j];
        }
        draw_group(plot, here, &c, style->colour, out);
    }
    write_x_axis(&c, plot->x, out);
}
