/* chart.c: lays out panels side by side and draws them on a canvas.
 *
 * In: panels with lines, points, cells of matrices and areas, all with their own axes. Out: a
 * picture. Legends stand above their panels. Colours are those of plots. Always: what cannot be
 * placed (NaN, not above zero on a logarithmic axis) is left out, and ends a line there; an axis
 * that is given is kept, and what is outside of it is clipped. Cost: linear in points. Tests:
 * tests/result/chart_test.c; the pictures were looked at. */
#include "result/chart.h"
#include "result/inside.h"

enum {
    COLOURS = 7,
    WIDTH = 380,
    HEIGHT = 300,
    FONT = 12,
    LEGEND_LINE = 18,
    RIGHT = 18,
    BELOW = 50,
    GAP = 14
};
static const char *const colours[COLOURS] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                              "#E69F00", "#56B4E9", "#000000" };
static const char PAPER[] = "#ffffff", INK[] = "#1f2328", SOFT[] = "#59626c", GRID[] = "#e6e8eb",
                  FRAME[] = "#8b939c", GREY[] = "#8b939c", LIGHT[] = "#d5dbe1";
static const double LINE_WIDTH = 1.6, AREA_OPACITY = 0.3, CROSS = 3.2, DOT = 2.6;

typedef struct {
    Canvas *canvas;
    const ChartPanel *panel;
    Frame frame;
    double width, legend; /* of the panel with its titles; height of its legend */
} Spot;

static void draw_path(Canvas *c, const Path *path, const Ink *ink) { c->type->path(c, path, ink); }

static void line(Canvas *c, double x0, double y0, double x1, double y1, const Ink *ink)
{
    Vertex ends[2] = { { (float)x0, (float)y0 }, { (float)x1, (float)y1 } };
    draw_path(c, &(Path){ ends, 2, 2 }, ink);
}

static void label(Canvas *c, double x, double y, Anchor anchor, const char *colour, const char *text)
{
    c->type->label(
        c, &(CanvasLabel){ .x = x, .y = y, .size = FONT, .anchor = anchor, .colour = colour, .text = text });
}

static Ink ink_of(const ChartPanel *p, size_t i)
{
    const ChartSeries *s = &p->series[i];
    int number = s->colour > 0 ? s->colour - 1 : (int)i;
    const char *colour = s->colour == CHART_GREY    ? GREY
                         : s->colour == CHART_LIGHT ? LIGHT
                                                    : colours[number % COLOURS];
    return (Ink){ colour, LINE_WIDTH, 0, s->dashed ? 6 : 0, s->dashed ? 4 : 0 };
}

static double x_of(const Frame *f, double v) { return f->left + tick_place(&f->x, v) * (f->right - f->left); }
static double y_of(const Frame *f, double v)
{
    return f->bottom - tick_place(&f->y, v) * (f->bottom - f->top);
}

/* ---- series ---------------------------------------------------------------------------------- */

static void put(const Spot *p, Path *path, double x, double y)
{
    vec_push(p->canvas->arena, path, ((Vertex){ (float)x, (float)y }));
}

/* The points that can be placed; others, and NAN, begin a new piece. */
static void place_points(const Spot *p, const ChartSeries *s, Path *path)
{
    for (size_t i = 0; i < s->n; i++) {
        double x = x_of(&p->frame, s->x[i]), y = y_of(&p->frame, s->y[i]);
        bool is = isfinite(x) && isfinite(y);
        /* far outside of the frame a bitmap's coordinates would overflow */
        y = fmax(-1e5, fmin(y, 1e5));
        x = fmax(-1e5, fmin(x, 1e5));
        if (is || !path->n || !isnan(path->at[path->n - 1].x)) put(p, path, is ? x : (double)NAN, is ? y : 0);
    }
}

static void draw_marks(const Spot *p, const Path *points, ChartKind kind, Ink ink)
{
    Path path = { 0 };
    double r = kind == CHART_POINTS ? CROSS : DOT;
    for (uint32_t i = 0; i < points->n; i++) {
        double x = (double)points->at[i].x, y = (double)points->at[i].y;
        if (isnan(x)) continue;
        put(p, &path, NAN, 0);
        put(p, &path, x - r, kind == CHART_POINTS ? y - r : y);
        if (kind == CHART_POINTS) {
            put(p, &path, x + r, y + r);
            put(p, &path, NAN, 0);
            put(p, &path, x - r, y + r);
            put(p, &path, x + r, y - r);
        } else { /* a small diamond, filled */
            put(p, &path, x, y - r);
            put(p, &path, x + r, y);
            put(p, &path, x, y + r);
        }
    }
    ink.dash = 0;
    if (kind != CHART_POINTS) ink.width = 0;
    draw_path(p->canvas, &path, &ink);
}

static void draw_cells(const Spot *p, const ChartSeries *s, Ink ink)
{
    const Frame *f = &p->frame;
    Path path = { 0 };
    double wide = (f->right - f->left) / p->panel->column_count,
           high = (f->bottom - f->top) / p->panel->row_count;
    double inset = wide > 8 ? 0.08 * wide : 0;
    for (size_t i = 0; i < s->n; i++) {
        double x = f->left + wide * s->x[i] + inset, y = f->top + high * s->y[i] + inset,
               w = wide - 2 * inset, h = high - 2 * inset;
        put(p, &path, NAN, 0);
        put(p, &path, x, y);
        put(p, &path, x + w, y);
        put(p, &path, x + w, y + h);
        put(p, &path, x, y + h);
    }
    ink.width = 0;
    draw_path(p->canvas, &path, &ink);
}

static void draw_stems(const Spot *p, const Path *points, const Ink *ink)
{
    Path path = { 0 };
    for (uint32_t i = 0; i < points->n; i++) {
        if (isnan(points->at[i].x)) continue;
        put(p, &path, NAN, 0);
        put(p, &path, (double)points->at[i].x, p->frame.bottom);
        put(p, &path, (double)points->at[i].x, (double)points->at[i].y);
    }
    draw_path(p->canvas, &path, ink);
}

static void draw_series(const Spot *p, size_t i)
{
    const ChartSeries *s = &p->panel->series[i];
    Ink ink = ink_of(p->panel, i);
    Path path = { 0 };
    if (s->kind == CHART_CELLS) {
        draw_cells(p, s, ink);
        return;
    }
    place_points(p, s, &path);
    if (s->kind == CHART_LINE || s->kind == CHART_DOTS) draw_path(p->canvas, &path, &ink);
    if (s->kind == CHART_POINTS || s->kind == CHART_DOTS) draw_marks(p, &path, s->kind, ink);
    if (s->kind == CHART_STEMS) draw_stems(p, &path, &ink);
    if (s->kind == CHART_AREA)
        draw_path(p->canvas, &path, &(Ink){ .colour = ink.colour, .opacity = AREA_OPACITY });
}

/* ---- axes ------------------------------------------------------------------------------------ */

static bool range_of(const ChartPanel *p, bool of_x, bool log, double *low, double *high)
{
    const double *given = of_x ? p->x : p->y;
    bool any = false;
    if (given[0] < given[1]) {
        *low = given[0], *high = given[1];
        return true;
    }
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->series[i].n; k++) {
            double v = of_x ? p->series[i].x[k] : p->series[i].y[k];
            if (!isfinite(v) || (log && !(v > 0.0))) continue;
            *low = any ? fmin(*low, v) : v;
            *high = any ? fmax(*high, v) : v;
            any = true;
        }
    if (!any) *low = log ? 1.0 : 0.0, *high = log ? 10.0 : 1.0;
    return false;
}

/* Where no power of ten nor 2 and 5 times one is on the axis, ticks at round numbers. */
static void log_axis(double low, double high, int most, Ticks *ticks)
{
    ticks_log(low, high, most, ticks);
    if (ticks->n > 1) return;
    Ticks plain;
    ticks_of(ticks->low, ticks->high, most, false, &plain);
    memcpy(ticks->at, plain.at, sizeof ticks->at);
    memcpy(ticks->text, plain.text, sizeof ticks->text);
    ticks->n = plain.n;
    ticks->exponent = plain.exponent;
}

static void make_axis(const ChartPanel *p, bool of_x, int most, Ticks *ticks)
{
    double low, high;
    bool log = of_x ? p->log_x : p->log_y, given = range_of(p, of_x, log, &low, &high);
    if (log)
        log_axis(low, high, most, ticks);
    else
        ticks_of(low, high, most, !of_x && !given, ticks);
    if (!given) ticks_pad(ticks, 0.03, 0.03);
}

/* Makes one axis longer, so that both have the same scale. */
static void make_equal(Frame *f)
{
    double x = (f->right - f->left) * f->x.per, y = (f->bottom - f->top) * f->y.per;
    Ticks *t = x > y ? &f->x : &f->y;
    double more = 0.5 * (fmax(x, y) / fmin(x, y) - 1.0);
    double low = t->low - more / t->per, high = t->high + more / t->per;
    ticks_of(low, high, x > y ? 6 : 7, false, t);
    t->low = low, t->high = high, t->from = low, t->per = 1.0 / (high - low);
}

static void draw_axes(const Spot *p)
{
    const Frame *f = &p->frame;
    Canvas *c = p->canvas;
    Ink grid = { .colour = GRID, .width = 1 };
    for (int i = 0; i < f->x.n; i++) {
        double x = x_of(f, f->x.at[i]);
        line(c, x, f->top, x, f->bottom, &grid);
        label(c, x, f->bottom + 17, ANCHOR_MIDDLE, SOFT, f->x.text[i]);
    }
    for (int i = 0; i < f->y.n; i++) {
        double y = y_of(f, f->y.at[i]);
        line(c, f->left, y, f->right, y, &grid);
        label(c, f->left - 7, y + 4, ANCHOR_END, SOFT, f->y.text[i]);
    }
    Text power = { .arena = c->arena };
    if (f->y.exponent) {
        text_add_literal(&power, "×");
        add_power_of_ten(&power, f->y.exponent);
        label(c, f->left - 7, f->top - 7, ANCHOR_END, SOFT, power.at);
    }
}

/* Names, or every so many numbers, beside a matrix. */
static void draw_names(const Spot *p)
{
    const Frame *f = &p->frame;
    const ChartPanel *panel = p->panel;
    double wide = (f->right - f->left) / panel->column_count, high = (f->bottom - f->top) / panel->row_count;
    for (int i = 0; panel->rows && i < panel->row_count; i++)
        label(p->canvas, f->left - 7, f->top + high * (i + 0.5) + 4, ANCHOR_END, SOFT, panel->rows[i]);
    for (int j = 0; panel->columns && j < panel->column_count; j++)
        p->canvas->type->label(p->canvas, &(CanvasLabel){ .x = f->left + wide * (j + 0.5) + 4,
                                                          .y = f->bottom + 7,
                                                          .size = FONT,
                                                          .anchor = ANCHOR_END,
                                                          .upright = true,
                                                          .colour = SOFT,
                                                          .text = panel->columns[j] });
}

static double widest(const char *const *names, int n)
{
    double most = 0;
    for (int i = 0; names && i < n; i++) most = fmax(most, text_width(names[i], FONT));
    return most;
}

/* ---- panels ---------------------------------------------------------------------------------- */

static double draw_legend(const Spot *p, double left, double top, double right, bool draw)
{
    double x = left, y = top;
    bool any = false;
    for (size_t i = 0; i < p->panel->count; i++) {
        const ChartSeries *s = &p->panel->series[i];
        if (!s->label) continue;
        double width = 42.0 + text_width(s->label, FONT);
        if (x > left && x + width > right + 10) x = left, y += LEGEND_LINE;
        if (draw) {
            Ink ink = ink_of(p->panel, i);
            bool filled = s->kind == CHART_AREA || s->kind == CHART_CELLS;
            Path mark = { 0 };
            if (filled) ink.width = 9, ink.opacity = s->kind == CHART_AREA ? AREA_OPACITY : 0;
            put(p, &mark, x + 11, y + 9);
            if (s->kind != CHART_POINTS)
                line(p->canvas, x + (filled ? 7 : 0), y + 9, x + (filled ? 16 : 22), y + 9, &ink);
            if (s->kind == CHART_POINTS || s->kind == CHART_DOTS) draw_marks(p, &mark, s->kind, ink);
            label(p->canvas, x + 28, y + 13, ANCHOR_START, INK, s->label);
        }
        x += width;
        any = true;
    }
    return any ? y + LEGEND_LINE - top : 0;
}

static double panel_left(const ChartPanel *panel, const Ticks *y)
{
    double most = panel->row_count ? widest(panel->rows, panel->row_count) : text_width("0.0", FONT);
    for (int i = 0; i < y->n && !panel->row_count; i++) most = fmax(most, text_width(y->text[i], FONT));
    return most + 14 + (panel->y_title ? 20 : 0);
}

static double panel_below(const ChartPanel *panel)
{
    double names = panel->row_count ? widest(panel->columns, panel->column_count) + 10 : 20;
    return names + (panel->x_title ? 22 : 4);
}

static void draw_panel(Spot *p, double left, double top, double width, double height)
{
    const ChartPanel *panel = p->panel;
    Frame *f = &p->frame;
    Canvas *c = p->canvas;
    double below = panel_below(panel), titled = panel->title ? 20 : 0;
    if (panel->title)
        c->type->label(
            c, &(CanvasLabel){
                   .x = left, .y = top + 13, .size = 13, .bold = true, .colour = INK, .text = panel->title });
    make_axis(panel, false, (int)fmax(3, height / 45), &f->y);
    f->left = left + panel_left(panel, &f->y);
    f->right = left + width - RIGHT;
    f->top = top + titled + p->legend + 6;
    f->bottom = f->top + height;
    make_axis(panel, true, (int)fmax(3, (f->right - f->left) / 62), &f->x);
    if (panel->equal && !panel->log_x && !panel->log_y) make_equal(f);
    draw_legend(p, f->left, top + titled, f->right, true);
    if (panel->row_count)
        draw_names(p);
    else
        draw_axes(p);
    c->type->clip(c, f->left - 1, f->top - 1, f->right - f->left + 2, f->bottom - f->top + 2);
    for (size_t i = 0; i < panel->count; i++) draw_series(p, i);
    c->type->unclip(c);
    Ink frame = { .colour = FRAME, .width = 1 };
    line(c, f->left, f->top, f->right, f->top, &frame);
    line(c, f->left, f->bottom, f->right, f->bottom, &frame);
    line(c, f->left, f->top, f->left, f->bottom, &frame);
    line(c, f->right, f->top, f->right, f->bottom, &frame);
    Text title = { .arena = c->arena };
    if (panel->x_title) text_printf(&title, "%s", panel->x_title);
    if (f->x.exponent && !panel->row_count) {
        text_add_literal(&title, " × ");
        add_power_of_ten(&title, f->x.exponent);
    }
    if (title.n) label(c, 0.5 * (f->left + f->right), f->bottom + below - 4, ANCHOR_MIDDLE, INK, title.at);
    if (panel->y_title)
        c->type->label(c, &(CanvasLabel){ .x = left + 12,
                                          .y = 0.5 * (f->top + f->bottom),
                                          .size = FONT,
                                          .anchor = ANCHOR_MIDDLE,
                                          .upright = true,
                                          .colour = INK,
                                          .text = panel->y_title });
}

static void draw_chart(const void *what, Canvas *canvas)
{
    const Chart *chart = what;
    size_t across = chart->across > 0 ? (size_t)chart->across : chart->count;
    if (across > chart->count) across = chart->count ? chart->count : 1;
    size_t down = (chart->count + across - 1) / across;
    double width = chart->width > 0 ? chart->width
                   : across == 1    ? 1.6 * WIDTH
                                    : WIDTH,
           height = chart->height > 0 ? chart->height : HEIGHT, top = chart->title ? 34 : 6;
    double *row = NEW_ARRAY(canvas->arena, double, down + 1), total = top;
    Spot *places = NEW_ARRAY(canvas->arena, Spot, chart->count + 1);
    for (size_t i = 0; i < chart->count; i++) {
        Spot *p = &places[i];
        Ticks y;
        *p = (Spot){ .canvas = canvas, .panel = &chart->panels[i] };
        make_axis(p->panel, false, (int)fmax(3, height / 45), &y);
        p->legend = draw_legend(p, panel_left(p->panel, &y), 0, width - RIGHT, false);
        double all = (p->panel->title ? 20 : 0) + p->legend + 6 + height + panel_below(p->panel) + GAP;
        row[i / across] = fmax(row[i / across], all);
    }
    for (size_t r = 0; r < down; r++) total += row[r];
    canvas->type->begin(canvas, GAP + width * (double)across, total, PAPER);
    if (chart->title)
        canvas->type->label(
            canvas, &(CanvasLabel){
                        .x = GAP, .y = 22, .size = 15, .bold = true, .colour = INK, .text = chart->title });
    for (size_t i = 0; i < chart->count; i++) {
        draw_panel(&places[i], GAP + width * (double)(i % across), top, width, height);
        if (i % across == across - 1) top += row[i / across];
    }
    canvas->type->end(canvas);
}

void chart_svg(const Chart *chart, Text *out) { svg_of_draw(draw_chart, chart, out); }

bool chart_png(const Chart *chart, Text *out, char *why, size_t room)
{
    return draw_cairo(draw_chart, chart, 2.0, false, out, why, room);
}
