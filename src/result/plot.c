/* plot.c: lays out line plots and draws them on a canvas.
 *
 * In: curves, each over its own horizontal signal. Out: a picture with panels one below the other
 * (one for each unit, unless the curves say otherwise) over a common axis at the bottom. Legends
 * stand above their panels, so that they cover no curve. Ticks are at round numbers. Colours are
 * those of Okabe and Ito, which people who are colour-blind can tell apart; beyond eight curves
 * dashes tell them apart. Always: a plot without a finite point is an empty frame; what is drawn
 * depends on the canvas in nothing. Cost: linear in points. Tests: tests/result/plot_test.c; the
 * pictures were looked at. */
#include "result/inside.h"

typedef struct {
    const char *paper, *ink, *soft, *grid, *frame, *alarm;
    const char *colours[8];
} Theme;

static const Theme themes[2] = {
    { "#ffffff",
      "#1f2328",
      "#59626c",
      "#e6e8eb",
      "#8b939c",
      "#D55E00",
      { "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8a6d3b" } },
    { "#14171c",
      "#e6e9ee",
      "#9aa3af",
      "#2a2f37",
      "#5b636f",
      "#ff8a4c",
      { "#56B4E9", "#E69F00", "#2ec4a0", "#CC79A7", "#F0E442", "#5f9ee8", "#ffffff", "#ff8a4c" } },
};

enum {
    COLOURS = 8,
    USUAL_WIDTH = 800,
    USUAL_PANEL = 360,
    MANY_PANEL = 210,
    LEAST_PANEL = 60,
    FONT = 12,
    LEGEND_LINE = 19,
    MOST_LEGEND = 24, /* names above a panel */
    BOTTOM = 50,
    RIGHT = 22,
    GAP = 8,
    MANY_EVENTS = 60 /* beyond these, lines through the panels would hide it */
};
static const double CURVE_WIDTH = 1.7, TUBE_OPACITY = 0.22, ALARM_OPACITY = 0.13;

typedef struct {
    size_t first, count; /* curves */
    bool one_unit;
    Ticks y;
    double legend; /* height */
} Panel;

typedef struct {
    const Plot *plot;
    const Theme *theme;
    Canvas *canvas;
    Arena *arena;
    size_t *panel_of, *number; /* for each curve; number: which colour it has, if it does not say */
    Panel *panels;
    size_t panel_count;
    double width;
} Drawing;

/* ---- text ------------------------------------------------------------------------------------ */

double text_width(const char *text, double size)
{
    static const char narrow[] = "ijl'|.,:;!It[]()/\\ f", wide[] = "mwMW@%";
    double sum = 0;
    for (const char *c = text; *c; c++) {
        if (((unsigned char)*c & 0xC0) == 0x80) continue; /* inside of a character */
        sum += strchr(narrow, *c) ? 0.30 : strchr(wide, *c) ? 0.88 : *c >= 'A' && *c <= 'Z' ? 0.70 : 0.56;
    }
    return 1.06 * size * sum;
}

static void label(const Drawing *d, double x, double y, Anchor anchor, const char *colour, const char *text)
{
    CanvasLabel l = { .x = x, .y = y, .size = FONT, .anchor = anchor, .colour = colour, .text = text };
    d->canvas->type->label(d->canvas, &l);
}

static void line(const Drawing *d, double x0, double y0, double x1, double y1, const Ink *ink)
{
    Vertex ends[2] = { { (float)x0, (float)y0 }, { (float)x1, (float)y1 } };
    Path path = { ends, 2, 2 };
    d->canvas->type->path(d->canvas, &path, ink);
}

static void box(const Drawing *d, double x0, double y0, double x1, double y1, const Ink *ink)
{
    Vertex corners[5] = { { (float)x0, (float)y0 },
                          { (float)x1, (float)y0 },
                          { (float)x1, (float)y1 },
                          { (float)x0, (float)y1 },
                          { (float)x0, (float)y0 } };
    Path path = { corners, 5, 5 };
    d->canvas->type->path(d->canvas, &path, ink);
}

/* ---- curves ---------------------------------------------------------------------------------- */

static Ink ink_of(const Drawing *d, size_t i)
{
    static const double dashes[][2] = { { 0, 0 }, { 8, 3 }, { 2, 3 } };
    const PlotCurve *c = &d->plot->curves[i];
    size_t number = c->colour >= 0 ? (size_t)c->colour : d->number[i], style = number / COLOURS % 3;
    Ink ink = { d->theme->colours[number % COLOURS], CURVE_WIDTH, 0, dashes[style][0], dashes[style][1] };
    if (c->dashed) ink.dash = 6, ink.gap = 4;
    return ink;
}

static const char *curve_name(const PlotCurve *c) { return c->label ? c->label : c->y->name; }

static void draw_tube(const Drawing *d, const Frame *f, size_t i)
{
    const ResultTube *tube = d->plot->curves[i].tube;
    Path path = { 0 };
    Ink alarm = { .colour = d->theme->alarm, .opacity = ALARM_OPACITY }, ink = ink_of(d, i);
    double wide = f->right - f->left;
    for (size_t k = 0; k < tube->outside_count; k++) {
        double from = f->left + tick_place(&f->x, tube->outside[k][0]) * wide,
               to = f->left + tick_place(&f->x, tube->outside[k][1]) * wide;
        if (isfinite(from) && isfinite(to)) box(d, from - 1, f->top, to + 1, f->bottom, &alarm);
    }
    tube_path(tube, f, d->arena, &path);
    d->canvas->type->path(d->canvas, &path, &(Ink){ .colour = ink.colour, .opacity = TUBE_OPACITY });
}

static void draw_events(const Drawing *d, const Frame *f)
{
    const Plot *p = d->plot;
    Ink hair = { .colour = d->theme->soft, .width = 0.7, .dash = 2, .gap = 3 };
    Ink mark = { .colour = d->theme->soft, .width = 1.2 };
    double last = -1;
    for (size_t i = 0; i < p->event_count; i++) {
        double x = f->left + tick_place(&f->x, p->events[i]) * (f->right - f->left);
        if (!isfinite(x) || x - last < 1.0) continue; /* one a pixel */
        last = x;
        if (p->event_count <= MANY_EVENTS) line(d, x, f->top, x, f->bottom, &hair);
        line(d, x, f->top, x, f->top + 6, &mark);
    }
}

static void draw_curves(const Drawing *d, size_t panel, const Frame *f)
{
    d->canvas->type->clip(d->canvas, f->left - 1, f->top - 1, f->right - f->left + 2, f->bottom - f->top + 2);
    draw_events(d, f);
    for (size_t i = 0; i < d->plot->count; i++)
        if (d->panel_of[i] == panel && d->plot->curves[i].tube) draw_tube(d, f, i);
    for (size_t i = 0; i < d->plot->count; i++) {
        Path path = { 0 };
        Ink ink = ink_of(d, i);
        if (d->panel_of[i] != panel) continue;
        curve_path(&d->plot->curves[i], f, d->arena, &path);
        d->canvas->type->path(d->canvas, &path, &ink);
    }
    d->canvas->type->unclip(d->canvas);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static double x_of(const Frame *f, double v) { return f->left + tick_place(&f->x, v) * (f->right - f->left); }
static double y_of(const Frame *f, double v)
{
    return f->bottom - tick_place(&f->y, v) * (f->bottom - f->top);
}

/* Between decades, at 2 to 9 times them. */
static void draw_minor(const Drawing *d, const Frame *f, const Ticks *t, bool upright)
{
    Ink ink = { .colour = d->theme->grid, .width = 0.6 };
    if (!t->log || log10(t->high / t->low) > 8) return;
    for (double e = floor(log10(t->low)); e <= log10(t->high); e++)
        for (int k = 2; k < 10; k++) {
            double v = k * pow(10.0, e);
            if (v <= t->low || v >= t->high) continue;
            if (upright)
                line(d, x_of(f, v), f->top, x_of(f, v), f->bottom, &ink);
            else
                line(d, f->left, y_of(f, v), f->right, y_of(f, v), &ink);
        }
}

static void draw_ticks(const Drawing *d, const Frame *f, bool last)
{
    Ink grid = { .colour = d->theme->grid, .width = 1 }, frame = { .colour = d->theme->frame, .width = 1 };
    draw_minor(d, f, &f->x, true);
    draw_minor(d, f, &f->y, false);
    for (int i = 0; i < f->x.n; i++) {
        double x = x_of(f, f->x.at[i]);
        line(d, x, f->top, x, f->bottom, &grid);
        if (last) line(d, x, f->bottom, x, f->bottom + 4, &frame);
        if (last) label(d, x, f->bottom + 18, ANCHOR_MIDDLE, d->theme->soft, f->x.text[i]);
    }
    for (int i = 0; i < f->y.n; i++) {
        double y = y_of(f, f->y.at[i]);
        line(d, f->left, y, f->right, y, &grid);
        line(d, f->left - 4, y, f->left, y, &frame);
        label(d, f->left - 8, y + 4, ANCHOR_END, d->theme->soft, f->y.text[i]);
    }
    if (!f->y.exponent) return;
    Text power = { .arena = d->arena };
    text_add_literal(&power, "×");
    add_power_of_ten(&power, f->y.exponent);
    label(d, f->left - 8, f->top - 8, ANCHOR_END, d->theme->soft, power.at);
}

/* Draws the legend of a panel from `top` on and returns its height; without `draw` it only
 * measures. */
static double draw_legend(const Drawing *d, size_t panel, double left, double top, bool draw)
{
    double x = left, y = top, right = d->width - RIGHT;
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < d->plot->count; i++) {
        if (d->panel_of[i] != panel) continue;
        if (shown == MOST_LEGEND) {
            more++;
            continue;
        }
        shown++;
        const PlotCurve *c = &d->plot->curves[i];
        Text text = { .arena = d->arena };
        text_printf(&text, "%s", curve_name(c));
        if (!d->panels[panel].one_unit && *c->y->unit) {
            text_add_literal(&text, " [");
            unit_pretty(c->y->unit, &text);
            text_add_literal(&text, "]");
        }
        double width = 30.0 + text_width(text.at, FONT) + 14.0;
        if (x > left && x + width > right) x = left, y += LEGEND_LINE;
        if (draw) {
            Ink ink = ink_of(d, i);
            ink.width = 2.4;
            if (c->tube)
                box(d, x, y + 5.5, x + 22, y + 13.5, &(Ink){ .colour = ink.colour, .opacity = TUBE_OPACITY });
            line(d, x, y + 9.5, x + 22, y + 9.5, &ink);
            label(d, x + 28, y + 13.5, ANCHOR_START, d->theme->ink, text.at);
        }
        x += width;
    }
    if (more) {
        y += LEGEND_LINE;
        if (draw)
            label(d, left, y + 13.5, ANCHOR_START, d->theme->soft,
                  arena_printf(d->arena, "and %zu more", more));
    }
    return y + LEGEND_LINE - top;
}

static void draw_panel(const Drawing *d, size_t panel, Frame *f)
{
    Ink frame = { .colour = d->theme->frame, .width = 1 };
    draw_ticks(d, f, panel + 1 == d->panel_count);
    draw_curves(d, panel, f);
    box(d, f->left, f->top, f->right, f->bottom, &frame);
    if (!d->plot->count || !d->panels[panel].one_unit) return;
    Text unit = { .arena = d->arena };
    unit_pretty(d->plot->curves[d->panels[panel].first].y->unit, &unit);
    if (!unit.n) return;
    CanvasLabel l = { .x = 16,
                      .y = 0.5 * (f->top + f->bottom),
                      .size = FONT,
                      .anchor = ANCHOR_MIDDLE,
                      .upright = true,
                      .colour = d->theme->ink,
                      .text = unit.at };
    d->canvas->type->label(d->canvas, &l);
}

/* ---- the layout ------------------------------------------------------------------------------ */

static void sort_into_panels(Drawing *d)
{
    const Plot *p = d->plot;
    d->panel_of = NEW_ARRAY(d->arena, size_t, p->count + 1);
    d->number = NEW_ARRAY(d->arena, size_t, p->count + 1);
    d->panels = NEW_ARRAY(d->arena, Panel, p->count + 1);
    for (size_t i = 0; i < p->count; i++) {
        size_t same = 0;
        while (same < i &&
               (p->curves[i].panel >= 0 ? p->curves[same].panel != p->curves[i].panel
                                        : strcmp(p->curves[same].y->unit, p->curves[i].y->unit) != 0))
            same++;
        size_t panel = same < i ? d->panel_of[same] : d->panel_count++;
        if (same == i) d->panels[panel] = (Panel){ .first = i, .one_unit = true };
        d->panels[panel].one_unit &= !strcmp(p->curves[same].y->unit, p->curves[i].y->unit);
        d->panel_of[i] = panel;
        /* colours tell all curves apart while they suffice, then those of a panel */
        d->number[i] = p->count <= COLOURS ? i : d->panels[panel].count;
        d->panels[panel].count++;
    }
    if (d->panel_count == 0) d->panel_count = 1;
}

static void widen(double *low, double *high, bool *any, double a, double b)
{
    *low = *any ? fmin(*low, a) : a;
    *high = *any ? fmax(*high, b) : b;
    *any = true;
}

static void panel_range(Drawing *d, size_t panel, int most)
{
    double low = 0.0, high = 1.0, a, b;
    bool any = false, log = d->plot->log_y;
    Ticks *y = &d->panels[panel].y;
    for (size_t i = 0; i < d->plot->count; i++) {
        const PlotCurve *c = &d->plot->curves[i];
        if (d->panel_of[i] != panel) continue;
        if (signal_range(c->y, c->rows, log, &a, &b)) widen(&low, &high, &any, a, b);
    }
    if (log) {
        ticks_log(any ? low : 1.0, any ? high : 10.0, most, y);
        ticks_pad(y, 0.03, 0.03);
        return;
    }
    ticks_of(low, high, most, true, y);
    double margin = 0.04; /* so that no curve lies on the frame */
    bool pad_low = any && low - y->low < 0.5 * margin * (y->high - y->low),
         pad_high = any && y->high - high < 0.5 * margin * (y->high - y->low);
    ticks_pad(y, pad_low ? margin : 0.0, pad_high ? margin : 0.0);
}

static void x_range(const Drawing *d, Frame *f)
{
    const Plot *p = d->plot;
    double low = 0.0, high = 1.0, a, b;
    bool any = false;
    int most = (int)((f->right - f->left) / 85.0);
    for (size_t i = 0; i < p->count; i++) {
        bool same = i && p->curves[i].x == p->curves[i - 1].x && p->curves[i].rows == p->curves[i - 1].rows;
        if (!same && signal_range(p->curves[i].x, p->curves[i].rows, p->log_x, &a, &b))
            widen(&low, &high, &any, a, b);
    }
    bool is_time = !p->count || !strcmp(p->curves[0].x->name, "time");
    if (p->log_x)
        ticks_log(any ? low : 1.0, any ? high : 10.0, most, &f->x);
    else
        ticks_of(low, high, most, false, &f->x);
    if (!is_time) ticks_pad(&f->x, 0.02, 0.02); /* a closed curve should not touch the frame */
}

/* Room for the longest tick text and the unit, the same for all panels. */
static double left_margin(const Drawing *d)
{
    double widest = text_width("0.0", FONT);
    for (size_t p = 0; p < d->panel_count; p++) {
        const Ticks *y = &d->panels[p].y;
        for (int i = 0; i < y->n; i++) widest = fmax(widest, text_width(y->text[i], FONT));
    }
    return 36.0 + widest;
}

static void draw_x_title(const Drawing *d, const Frame *f)
{
    Text title = { .arena = d->arena };
    const Signal *x = d->plot->count ? d->plot->curves[0].x : NULL;
    text_printf(&title, "%s", x ? x->name : "time");
    if (x && *x->unit) {
        text_add_literal(&title, " [");
        unit_pretty(x->unit, &title);
        text_add_literal(&title, "]");
    }
    if (f->x.exponent) {
        text_add_literal(&title, " × ");
        add_power_of_ten(&title, f->x.exponent);
    }
    label(d, 0.5 * (f->left + f->right), f->bottom + 38, ANCHOR_MIDDLE, d->theme->ink, title.at);
}

static void draw_title(const Drawing *d, double left)
{
    CanvasLabel l = {
        .x = left, .y = 22, .size = 15, .bold = true, .colour = d->theme->ink, .text = d->plot->title
    };
    d->canvas->type->label(d->canvas, &l);
}

static void plot_draw(const Plot *plot, const PlotStyle *style, Canvas *canvas)
{
    Drawing d = { .plot = plot,
                  .theme = &themes[style->dark],
                  .canvas = canvas,
                  .arena = canvas->arena,
                  .width = style->width > 0 ? style->width : USUAL_WIDTH };
    sort_into_panels(&d);
    bool has_title = plot->title && *plot->title;
    double top = has_title ? 30.0 : 6.0, n = (double)d.panel_count, legends = 0.0;
    double panel = d.panel_count == 1 ? USUAL_PANEL : MANY_PANEL;
    if (style->height > 0) panel = fmax(LEAST_PANEL, (style->height - top - BOTTOM) / n - LEGEND_LINE - 12);
    for (size_t p = 0; p < d.panel_count; p++) panel_range(&d, p, (int)fmax(3.0, panel / 45.0));
    Frame f = { .left = left_margin(&d), .right = d.width - RIGHT };
    x_range(&d, &f);
    for (size_t p = 0; p < d.panel_count; p++)
        legends += d.panels[p].legend = draw_legend(&d, p, f.left, 0.0, false) + GAP;
    canvas->type->begin(canvas, d.width, top + legends + n * panel + (n - 1) * GAP + BOTTOM, d.theme->paper);
    if (has_title) draw_title(&d, f.left);
    for (size_t p = 0; p < d.panel_count; p++) {
        draw_legend(&d, p, f.left, top, true);
        f.top = top + d.panels[p].legend;
        f.bottom = f.top + panel;
        f.y = d.panels[p].y;
        draw_panel(&d, p, &f);
        top = f.bottom + GAP;
    }
    draw_x_title(&d, &f);
    canvas->type->end(canvas);
}

/* ---- what it is drawn as --------------------------------------------------------------------- */

typedef struct {
    const Plot *plot;
    const PlotStyle *style;
} Styled;

static void draw_styled(const void *what, Canvas *canvas)
{
    const Styled *s = what;
    plot_draw(s->plot, s->style, canvas);
}

void plot_svg(const Plot *plot, const PlotStyle *style, Text *out)
{
    svg_of_draw(draw_styled, &(Styled){ plot, style }, out);
}

bool plot_png(const Plot *plot, const PlotStyle *style, Text *out, char *why, size_t room)
{
    return draw_cairo(draw_styled, &(Styled){ plot, style }, style->scale > 0.0 ? style->scale : 2.0, false,
                      out, why, room);
}

bool plot_pdf(const Plot *plot, const PlotStyle *style, Text *out, char *why, size_t room)
{
    return draw_cairo(draw_styled, &(Styled){ plot, style }, 0.75, true, out, why,
                      room); /* points of 1/72 inch for pixels of 1/96 */
}
