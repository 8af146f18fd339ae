/* Axes have round ticks that hold the data; an SVG is well formed, escapes names, keeps peaks of many points and
 * stays small; a terminal drawing has the asked size. */
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
    { 0, 3e-7, "0", -9 }, { 99999, 101325, NULL, 3 }, { -1e300, 1e300, NULL, 300 },
};

static void check_axes(void)
{
    for (size_t i = 0; i < COUNT_OF(axes); i++) {
        Ticks t;
        ticks_of(axes[i].low, axes[i].high, 6, true, &t);
        CHECK(t.n >= 3 && t.n <= 8 && t.low <= axes[i].low && t.high >= axes[i].high);
        CHECK(t.low == t.at[0] && t.high == t.at[t.n - 1]);
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

int main(void)
{
    enum { MANY = 200000, PEAK = 123456 };
    double *t = malloc(MANY * sizeof *t), *y = malloc(MANY * sizeof *y);
    if (!t || !y) return test_skip("no memory");
    for (int i = 0; i < MANY; i++) t[i] = i * 1e-3, y[i] = i == PEAK ? 5.0 : i == PEAK + 1 ? NAN : sin(t[i]);
    Signal time = { "time", "s", "", COLUMN_CONTINUOUS, t, 1, 1.0 };
    Signal curve = { "a<b>&\"c\"", "V", "", COLUMN_CONTINUOUS, y, 1, 1.0 };
    Signal mirror = { "mirror", "A", "", COLUMN_DISCRETE, y, 1, -1.0 };
    const Signal *both[] = { &curve, &mirror };
    Plot plot = { &time, both, 2, MANY, "Title" };
    Arena *arena = arena_new();
    check_axes();
    Text svg = { .arena = arena };
    plot_svg(&plot, &(PlotStyle){ 0 }, &svg);
    CHECK(!strncmp(svg.at, "<svg ", 5) && !strcmp(svg.at + svg.n - 7, "</svg>\n"));
    CHECK(strstr(svg.at, "a&lt;b&gt;&amp;&quot;c&quot;") && !strstr(svg.at, "nan") && !strstr(svg.at, "inf"));
    CHECK(count_of(svg.at, "<g") == count_of(svg.at, "</g>") &&
          count_of(svg.at, "<text") == count_of(svg.at, "</text>"));
    CHECK(count_of(svg.at, "<clipPath id") == 2); /* two units, two panels */
    CHECK(svg.n < 200000);
    CHECK(strstr(svg.at, ">6<") != NULL); /* the peak widens the axis */
    Text empty = { .arena = arena };
    plot_svg(&(Plot){ &time, both, 2, 0, NULL }, &(PlotStyle){ .dark = true, .width = 300, .height = 200 },
             &empty);
    CHECK(strstr(empty.at, "width=\"300\"") && strstr(empty.at, "</svg>") && !strstr(empty.at, "nan"));
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
