/* plot.c: line plots as SVG.
 *
 * In: curves over one horizontal axis. Out: a picture with a panel for each unit, one below the other, above each panel
 * its legend, so that it covers no curve; ticks at round numbers; a common axis at the bottom. How: of the points
 * that fall into half a pixel only the first, least, largest and last are drawn, in that order, so that no peak is
 * lost. Discrete signals are steps. Colours are those of Okabe and Ito, which people who are colour-blind can tell apart.
 * Always: NaN interrupts a line; a plot without a finite point is an empty frame. Cost: linear in points.
 * Tests: tests/result/plot_test.c, which render nothing: the pictures were looked at. */
#include "result/inside.h"

#include <math.h>

typedef struct {
    const char *paper, *ink, *soft, *grid;
    const char *colours[8];
} Theme;

static const Theme themes[2] = {
    { "#ffffff",
      "#222222",
      "#666666",
      "#e4e4e4",
      { "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8a6d3b" } },
    { "#16181d",
      "#e8e8e8",
      "#a0a4ab",
      "#30343c",
      { "#56B4E9", "#E69F00", "#2ec4a0", "#CC79A7", "#F0E442", "#4f8fd6", "#ffffff", "#D55E00" } },
};

enum {
    USUAL_WIDTH = 800,
    USUAL_PANEL = 360,
    MANY_PANEL = 210,
    FONT = 12,
    LEGEND_LINE = 19,
    BOTTOM = 50,
    RIGHT = 22
};
static const double LETTER = 6.6; /* mean width of a character, pixels */

typedef struct {
    double left, right, top, bottom; /* of the panel, pixels */
    Ticks x, y;
} Frame;

typedef struct {
    const Plot *plot;
    const Theme *theme;
    Text *out;
    size_t *panel_of; /* for each curve */
    size_t panels;
    int width;
} Drawing;

static void add_label(Text *out, double x, double y, const char *anchor, const char *colour, const char *text)
{
    text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">", x, y, anchor, colour);
    text_add_xml(out, text);
    text_add_literal(out, "</text>\n");
}

/* ---- curves -------------------------------------------------------------------------------------------- */

typedef struct {
    Text *out;
    bool pen_down;
    long column; /* of half pixels, of the points collected */
    double x, first, low, high, last;
    bool some;
} Pen;

static void pen_point(Pen *pen, double x, double y)
{
    text_printf(pen->out, "%c%.1f %.1f", pen->pen_down ? 'L' : 'M', x, y);
    pen->pen_down = true;
}

static void pen_flush(Pen *pen)
{
    if (!pen->some) return;
    pen_point(pen, pen->x, pen->first);
    if (pen->low < fmin(pen->first, pen->last)) pen_point(pen, pen->x, pen->low);
    if (pen->high > fmax(pen->first, pen->last)) pen_point(pen, pen->x, pen->high);
    if (pen->last != pen->first) pen_point(pen, pen->x, pen->last);
    pen->some = false;
}

static void pen_to(Pen *pen, double x, double y)
{
    long column = lround(2.0 * x);
    if (pen->some && column == pen->column) {
        pen->low = fmin(pen->low, y);
        pen->high = fmax(pen->high, y);
        pen->last = y;
        return;
    }
    pen_flush(pen);
    *pen = (Pen){ pen->out, pen->pen_down, column, x, y, y, y, y, true };
}

static void draw_curve(const Drawing *d, const Frame *f, const Signal *curve, const char *colour)
{
    Pen pen = { .out = d->out };
    double before = NAN;
    bool steps = curve->kind == COLUMN_DISCRETE;
    double x_scale = (f->right - f->left) / (f->x.high - f->x.low);
    double y_scale = (f->bottom - f->top) / (f->y.high - f->y.low);
    text_printf(d->out,
                "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.7\" stroke-linejoin=\"round\" d=\"",
                colour);
    for (size_t i = 0; i < d->plot->rows; i++) {
        double x = signal_at(d->plot->x, i), y = signal_at(curve, i);
        if (!isfinite(x) || !isfinite(y)) {
            pen_flush(&pen);
            pen.pen_down = false;
            before = NAN;
            continue;
        }
        x = f->left + (x - f->x.low) * x_scale;
        y = f->bottom - (y - f->y.low) * y_scale;
        if (steps && !isnan(before)) pen_to(&pen, x, before);
        pen_to(&pen, x, y);
        before = y;
    }
    pen_flush(&pen);
    text_add_literal(d->out, "\"/>\n");
}

/* ---- frames -------------------------------------------------------------------------------------------- */

static void draw_ticks(const Drawing *d, const Frame *f, bool last)
{
    Text *out = d->out;
    const Theme *theme = d->theme;
    text_printf(out, "<g stroke=\"%s\" stroke-width=\"1\">\n", theme->grid);
    for (int i = 0; i < f->x.n; i++) {
        double x = f->left + (f->x.at[i] - f->x.low) / (f->x.high - f->x.low) * (f->right - f->left);
        text_printf(out, "<path d=\"M%.1f %.1fV%.1f\"/>\n", x, f->top, f->bottom);
    }
    for (int i = 0; i < f->y.n; i++) {
        double y = f->bottom - (f->y.at[i] - f->y.low) / (f->y.high - f->y.low) * (f->bottom - f->top);
        text_printf(out, "<path d=\"M%.1f %.1fH%.1f\"/>\n", f->left, y, f->right);
    }
    text_add_literal(out, "</g>\n");
    for (int i = 0; last && i < f->x.n; i++) {
        double x = f->left + (f->x.at[i] - f->x.low) / (f->x.high - f->x.low) * (f->right - f->left);
        add_label(out, x, f->bottom + 18, "middle", theme->soft, f->x.text[i]);
    }
    for (int i = 0; i < f->y.n; i++) {
        double y = f->bottom - (f->y.at[i] - f->y.low) / (f->y.high - f->y.low) * (f->bottom - f->top);
        add_label(out, f->left - 8, y + 4, "end", theme->soft, f->y.text[i]);
    }
    if (f->y.exponent)
        text_printf(out,
                    "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" fill=\"%s\">×10<tspan dy=\"-4\" "
                    "font-size=\"9\">%d</tspan></text>\n",
                    f->left - 8, f->top - 10, theme->soft, f->y.exponent);
    text_printf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"%s\"/>\n",
                f->left, f->top, f->right - f->left, f->bottom - f->top, theme->soft);
}

static const char *curve_colour(const Drawing *d, size_t curve) { return d->theme->colours[curve % 8]; }

/* Draws the legend of a panel from `top` on and returns its height; with `out` NULL only measures. */
static double draw_legend(const Drawing *d, size_t panel, double left, double top, bool draw)
{
    double x = left, y = top, right = d->width - RIGHT;
    for (size_t i = 0; i < d->plot->count; i++) {
        if (d->panel_of[i] != panel) continue;
        const char *name = d->plot->curves[i]->name;
        double width = 30.0 + LETTER * (double)strlen(name) + 16.0;
        if (x > left && x + width > right) x = left, y += LEGEND_LINE;
        if (draw) {
            text_printf(d->out, "<path stroke=\"%s\" stroke-width=\"2.5\" d=\"M%.1f %.1fh20\"/>\n",
                        curve_colour(d, i), x, y + 9.5);
            add_label(d->out, x + 26, y + 13.5, "start", d->theme->ink, name);
        }
        x += width;
    }
    return y + LEGEND_LINE - top;
}

static void panel_range(const Drawing *d, size_t panel, Ticks *y, int most)
{
    double low = 0.0, high = 0.0;
    bool any = false;
    for (size_t i = 0; i < d->plot->count; i++) {
        double a, b;
        if (d->panel_of[i] != panel || !signal_range(d->plot->curves[i], d->plot->rows, &a, &b)) continue;
        low = any ? fmin(low, a) : a;
        high = any ? fmax(high, b) : b;
        any = true;
    }
    ticks_of(low, any ? high : 1.0, most, true, y);
    double margin = 0.04 * (y->high - y->low); /* so that no curve lies on the frame */
    if (any && low - y->low < 0.5 * margin) y->low -= margin;
    if (any && y->high - high < 0.5 * margin) y->high += margin;
}

static const char *panel_unit(const Drawing *d, size_t panel)
{
    for (size_t i = 0; i < d->plot->count; i++)
        if (d->panel_of[i] == panel) return d->plot->curves[i]->unit;
    return "";
}

static void draw_panel(const Drawing *d, size_t panel, Frame *f)
{
    bool last = panel + 1 == d->panels;
    draw_ticks(d, f, last);
    text_printf(
        d->out,
        "<clipPath id=\"p%zu\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></clipPath>\n",
        panel, f->left - 1, f->top - 1, f->right - f->left + 2, f->bottom - f->top + 2);
    text_printf(d->out, "<g clip-path=\"url(#p%zu)\">\n", panel);
    for (size_t i = 0; i < d->plot->count; i++)
        if (d->panel_of[i] == panel) draw_curve(d, f, d->plot->curves[i], curve_colour(d, i));
    text_add_literal(d->out, "</g>\n");
    const char *unit = panel_unit(d, panel);
    if (*unit) {
        double middle = 0.5 * (f->top + f->bottom);
        text_printf(d->out,
                    "<text transform=\"translate(16 %.1f) rotate(-90)\" text-anchor=\"middle\" fill=\"%s\">",
                    middle, d->theme->ink);
        text_add_xml(d->out, unit);
        text_add_literal(d->out, "</text>\n");
    }
}

static void sort_into_panels(Drawing *d)
{
    d->panel_of = NEW_ARRAY(d->out->arena, size_t, d->plot->count + 1);
    for (size_t i = 0; i < d->plot->count; i++) {
        size_t same = 0;
        while (same < i && strcmp(d->plot->curves[same]->unit, d->plot->curves[i]->unit) != 0) same++;
        d->panel_of[i] = same < i ? d->panel_of[same] : d->panels++;
    }
    if (d->panels == 0) d->panels = 1;
}

/* Room for the longest tick text and the unit, the same for all panels. */
static double left_margin(const Drawing *d, int most)
{
    size_t longest = 3;
    for (size_t p = 0; p < d->panels; p++) {
        Ticks y;
        panel_range(d, p, &y, most);
        for (int i = 0; i < y.n; i++) longest = size_max(longest, strlen(y.text[i]));
    }
    return 34.0 + LETTER * (double)longest;
}

static void draw_x_title(const Drawing *d, const Frame *f)
{
    const Signal *x = d->plot->x;
    Text title = { .arena = d->out->arena };
    text_printf(&title, "%s", x->name);
    if (*x->unit) text_printf(&title, " [%s]", x->unit);
    if (f->x.exponent) text_printf(&title, " ×1e%d", f->x.exponent);
    add_label(d->out, 0.5 * (f->left + f->right), f->bottom + 38, "middle", d->theme->ink, title.at);
}

void plot_svg(const Plot *plot, const PlotStyle *style, Text *out)
{
    Drawing d = { plot, &themes[style->dark], out, NULL, 0, style->width > 0 ? style->width : USUAL_WIDTH };
    sort_into_panels(&d);
    double title = plot->title && *plot->title ? 30.0 : 6.0, y = title;
    double panel = d.panels == 1 ? USUAL_PANEL : MANY_PANEL;
    if (style->height > 0)
        panel = fmax(60.0, (style->height - title - BOTTOM) / (double)d.panels - LEGEND_LINE - 12);
    int most = (int)fmax(3.0, panel / 45.0);
    Frame f = { .left = left_margin(&d, most), .right = d.width - RIGHT };
    double legends = 0.0, low = 0.0, high = 1.0;
    for (size_t p = 0; p < d.panels; p++) legends += draw_legend(&d, p, f.left, 0.0, false) + 8.0;
    double height = title + legends + (double)d.panels * panel + (double)(d.panels - 1) * 8.0 + BOTTOM;
    text_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"%d\">\n",
        d.width, height, d.width, height, FONT);
    text_printf(out, "<rect width=\"%d\" height=\"%.0f\" fill=\"%s\"/>\n", d.width, height, d.theme->paper);
    if (title > 10.0) {
        text_printf(out, "<g font-size=\"15\" font-weight=\"bold\">");
        add_label(out, f.left, 22, "start", d.theme->ink, plot->title);
        text_add_literal(out, "</g>\n");
    }
    signal_range(plot->x, plot->rows, &low, &high);
    ticks_of(low, high, (int)((f.right - f.left) / 85.0), false, &f.x);
    for (size_t p = 0; p < d.panels; p++) {
        f.top = y + draw_legend(&d, p, f.left, y, true) + 8.0;
        f.bottom = f.top + panel;
        panel_range(&d, p, &f.y, most);
        draw_panel(&d, p, &f);
        y = f.bottom + 8.0;
    }
    draw_x_title(&d, &f);
    text_add_literal(out, "</svg>\n");
}
