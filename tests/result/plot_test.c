/* Axes have round ticks that hold the data; an SVG is well formed, escapes names, keeps peaks of
 * many points and stays small; a terminal drawing has the asked size. */
#include "result/inside.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    double low, high;
    const char *text; /* of the first tick */
    int exponent;
} axes[] = {
    { 0, 1, "0.0", 0 },   { -0.93, 0.97, "-1.0", 0 }, { 0, 0, "-1.0", 0 },          { 5, 5, NULL, 0 },
    { 0, 3e-7, "0", -9 }, { 99999, 101325, NULL, 3 }, { -1e300, 1e300, NULL, 300 }, { -1e-5, 100, "0", 0 },
};

static void check_axes(void)
{
    for (size_t i = 0; i < COUNT_OF(axes); i++) {
        Ticks t;
        ticks_of(axes[i].low, axes[i].high, 6, true, &t);
        CHECK(t.n >= 3 && t.n <= 8 && t.low <= axes[i].low && t.high >= axes[i].high);
        CHECK_NEAR(tick_place(&t, t.at[0]), 0, 1e-3); /* from tick to tick, or a hair more */
        CHECK_NEAR(tick_place(&t, t.at[t.n - 1]), 1, 1e-3);
        for (int k = 1; k < t.n; k++) CHECK(strcmp(t.text[k], t.text[k - 1]) != 0);
        if (axes[i].text) CHECK_TEXT(t.text[0], axes[i].text);
        CHECK(t.exponent == axes[i].exponent);
    }
}

static size_t count_of(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) n++;
    return n;
}

static void check_log_axes(void)
{
    static const struct {
        double low, high;
        const char *first, *last;
        int n; /* ticks */
    } rows[] = {
        { 1e-13, 1, "10⁻¹²", "10⁰", 7 },     { 1, 1000, "1", "1000", 4 },   { 3, 8, "5", "5", 1 },
        { 1e-9, 1e-9, "5e-10", "2e-09", 3 }, { 2e5, 3e7, "10⁵", "10⁸", 4 },
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Ticks t;
        ticks_log(rows[i].low, rows[i].high, 8, &t);
        CHECK(t.n == rows[i].n && t.low <= rows[i].low && t.high >= rows[i].high);
        if (t.n) CHECK_TEXT(t.text[0], rows[i].first);
        if (t.n) CHECK_TEXT(t.text[t.n - 1], rows[i].last);
        CHECK_NEAR(tick_place(&t, t.low), 0, 1e-9);
        CHECK_NEAR(tick_place(&t, t.high), 1, 1e-9);
    }
}

static void check_units(Arena *arena)
{
    static const char *const rows[][2] = { { "m/s2", "m/s²" },    { "kg.m2", "kg·m²" }, { "Ohm", "Ω" },
                                           { "degC", "°C" },      { "1/s", "1/s" },     { "m.s-2", "m·s⁻²" },
                                           { "degree", "degree" } };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Text text = { .arena = arena };
        unit_pretty(rows[i][0], &text);
        CHECK_TEXT(text.at, rows[i][1]);
    }
}

/* A curve that goes round and round is drawn about once. */
static void check_phase(Arena *arena)
{
    enum { N = 100000 };
    double *x = NEW_ARRAY(arena, double, N), *y = NEW_ARRAY(arena, double, N);
    for (int i = 0; i < N; i++) x[i] = cos(i * 0.01), y[i] = sin(i * 0.01);
    Signal sx = { "x", "", "", COLUMN_CONTINUOUS, x, 1, 1.0 },
           sy = { "y", "", "", COLUMN_CONTINUOUS, y, 1, 1.0 };
    PlotCurve curve = { .x = &sx, .y = &sy, .rows = N, .panel = -1, .colour = -1 };
    Text out = { .arena = arena };
    plot_svg(&(Plot){ .curves = &curve, .count = 1 }, &(PlotStyle){ 0 }, &out);
    CHECK(out.n > 5000 && out.n < 400000);
}

/* What changes at events only is drawn in steps, whatever a file says of it. */
static void check_steps(void)
{
    static const double t[] = { 0, 1, 1, 2, 2, 3 }, held[] = { 0, 0, 5, 5, 7, 7 },
                        free_[] = { 0, 1, 1, 1, 1, 1 };
    Signal time = { "time", "s", "", COLUMN_CONTINUOUS, t, 1, 1.0 };
    Signal a = { "a", "", "", COLUMN_CONTINUOUS, held, 1, 1.0 },
           b = { "b", "", "", COLUMN_CONTINUOUS, free_, 1, 1.0 };
    CHECK(signal_is_stepwise(&time, &a, 6) && !signal_is_stepwise(&time, &b, 6));
    ResultTable table = { .rows = 6, .time = time };
    double events[4];
    CHECK(result_events(&table, events, 4) == 2 && events[0] == 1 && events[1] == 2);
}

/* The same picture as a bitmap. */
static void check_png(const Plot *plot, Arena *arena)
{
    char why[200] = "";
    Text png = { .arena = arena };
    if (!plot_png(plot, &(PlotStyle){ .scale = 1 }, &png, why, sizeof why)) {
        CHECK(strstr(why, "libcairo") != NULL);
        return;
    }
    CHECK(png.n > 1000 && !memcmp(png.at, "\x89PNG\r\n", 6));
    /* width */
    CHECK((unsigned char)png.at[18] == 800 >> 8 && (unsigned char)png.at[19] == (800 & 255));
    CHECK(!plot_png(plot, &(PlotStyle){ .scale = 20, .width = 9000 }, &png, why, sizeof why) &&
          strstr(why, "pixels"));
}

int main(void)
{
    enum { MANY = 200000, PEAK = 123456 };
    double *t = malloc(MANY * sizeof *t), *y = malloc(MANY * sizeof *y);
    if (!t || !y) return test_skip("no memory");
    for (int i = 0; i < MANY; i++) t[i] = i * 1e-3, y[i] = i == PEAK ? 5.0 : i == PEAK + 1 ? NAN : sin(t[i]);
    Signal time = { "time", "s", "", COLUMN_CONTINUOUS, t, 1, 1.0 };
    Signal curve = { "a<b>&\"c\"", "V", "", COLUMN_CONTINUOUS, y, 1, 1.0 };
    Signal mirror = { "mirror", "A", "", COLUMN_DISCRETE, y, 1, -1.0 };
    PlotCurve both[] = {
        { .x = &time, .y = &curve, .rows = MANY, .panel = -1, .colour = -1 },
        { .x = &time, .y = &mirror, .rows = MANY, .panel = -1, .colour = -1, .steps = true },
    };
    Plot plot = { .curves = both, .count = 2, .title = "Title" };
    Arena *arena = arena_new();
    check_axes();
    check_log_axes();
    check_units(arena);
    check_phase(arena);
    check_steps();
    check_png(&plot, arena);
    Text svg = { .arena = arena };
    plot_svg(&plot, &(PlotStyle){ 0 }, &svg);
    CHECK(!strncmp(svg.at, "<svg ", 5) && !strcmp(svg.at + svg.n - 7, "</svg>\n"));
    CHECK(strstr(svg.at, "a&lt;b&gt;&amp;&quot;c&quot;") && !strstr(svg.at, "nan") && !strstr(svg.at, "inf"));
    CHECK(count_of(svg.at, "<g") == count_of(svg.at, "</g>") &&
          count_of(svg.at, "<text") == count_of(svg.at, "</text>"));
    CHECK(count_of(svg.at, "<clipPath id") == 2); /* two units, two panels */
    CHECK(svg.n < 200000);
    CHECK(strstr(svg.at, ">6<") != NULL); /* the peak widens the axis */
    Text logarithmic = { .arena = arena };
    plot_svg(&(Plot){ .curves = both, .count = 2, .log_x = true, .log_y = true }, &(PlotStyle){ 0 },
             &logarithmic);
    CHECK(strstr(logarithmic.at, "</svg>") && !strstr(logarithmic.at, "nan") &&
          !strstr(logarithmic.at, "inf"));
    Text empty = { .arena = arena };
    both[0].rows = both[1].rows = 0;
    plot_svg(&(Plot){ .curves = both, .count = 2 }, &(PlotStyle){ .dark = true, .width = 300, .height = 200 },
             &empty);
    CHECK(strstr(empty.at, "width=\"300\"") && strstr(empty.at, "</svg>") && !strstr(empty.at, "nan"));
    both[0].rows = both[1].rows = MANY;
    Text lines = { .arena = arena };
    plot_terminal(&plot, &(PlotStyle){ .width = 60, .height = 10 }, &lines);
    CHECK(count_of(lines.at, "\n") == 2 * 11 + 2 && !strchr(lines.at, '\033'));
    plot_terminal(&plot, &(PlotStyle){ .colour = true }, &lines);
    CHECK(strchr(lines.at, '\033') != NULL);
    arena_free(arena);
    free(t);
    free(y);
    return test_end();
}
