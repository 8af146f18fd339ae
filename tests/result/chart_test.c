/* Charts: what is drawn is well-formed and where it should be; contours cover the area they are
 * of. */
#include "result/chart.h"
#include "test.h"

#include <math.h>

static double disc(void *arg, double x, double y) { return hypot(x, y) - *(const double *)arg; }

/* The area of polygons that NAN separates. */
static double area_of(const ChartPoints *p)
{
    double sum = 0;
    for (size_t i = 0, first = 0; i < p->n; i++) {
        if (isnan(p->x[i])) {
            first = i + 1;
            continue;
        }
        size_t next = i + 1 < p->n && !isnan(p->x[i + 1]) ? i + 1 : first;
        sum += 0.5 * (p->x[i] * p->y[next] - p->x[next] * p->y[i]);
    }
    return fabs(sum);
}

static void check_contour(Arena *arena)
{
    double radius = 1.3;
    ContourOf of = { { -2, 2 }, { -2, 2 }, 80, disc, &radius };
    ChartPoints area, line;
    contour_make(arena, &of, &area, &line);
    CHECK_NEAR(area_of(&area), M_PI * radius * radius, 5e-3);
    for (size_t i = 0; i < line.n; i++)
        if (!isnan(line.x[i])) CHECK_NEAR(hypot(line.x[i], line.y[i]), radius, 2e-3);
    CHECK(line.n > 100);
}

static size_t count(const char *text, const char *piece)
{
    size_t n = 0;
    while ((text = strstr(text, piece))) n++, text++;
    return n;
}

static void check_chart(Arena *arena)
{
    double x[] = { 1, 10, NAN, 100, 1000 }, y[] = { 1, 0.1, 0, -1, 1e-3 }, cells[] = { 0, 1, 2 };
    ChartSeries series[] = { { .kind = CHART_DOTS, .label = "a <b>", .x = x, .y = y, .n = 5 },
                             { .kind = CHART_CELLS, .x = cells, .y = cells, .n = 3 } };
    ChartPanel panels[] = {
        { .series = series, .count = 1, .log_x = true, .log_y = true, .title = "logarithms" },
        { .series = series + 1, .count = 1, .row_count = 3, .column_count = 3 },
        { .title = "nothing" }
    };
    Text out = { .arena = arena };
    chart_svg(&(Chart){ .title = "T & U", .panels = panels, .count = 3 }, &out);
    CHECK(strstr(out.at, "<svg ") == out.at && strstr(out.at, "</svg>\n"));
    CHECK(strstr(out.at, "a &lt;b&gt;") && strstr(out.at, "T &amp; U"));
    CHECK(!strstr(out.at, "nan") && !strstr(out.at, "inf"));
    CHECK(count(out.at, "<g clip-path") == 3 && count(out.at, "</g>") == 3);
}

int main(void)
{
    Arena *arena = arena_new();
    check_contour(arena);
    check_chart(arena);
    arena_free(arena);
    return test_end();
}
