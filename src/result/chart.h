/* chart.h: pictures of anything in panels side by side: lines, points, matrices, areas (chart.c).
 *
 * Plots (result.h) show signals of results over a common axis; charts show what a document does:
 * orders of convergence, patterns of matrices, regions of the complex plane. */
#ifndef ACAUSAL_RESULT_CHART_H
#define ACAUSAL_RESULT_CHART_H

#include "base/base.h"

typedef enum {
    CHART_LINE,
    CHART_POINTS, /* crosses */
    CHART_DOTS,   /* on a line */
    CHART_STEMS,  /* lines from the bottom */
    CHART_AREA,   /* filled polygons, with NAN in x between them */
    CHART_CELLS   /* of a matrix: x is the column, y the row, both from 0 */
} ChartKind;

enum { CHART_NEXT = 0, CHART_GREY = -1, CHART_LIGHT = -2 }; /* colours; from 1 on: those of curves */

typedef struct {
    ChartKind kind;
    int colour;
    bool dashed;
    const char *label;   /* in the legend; NULL: none */
    const double *x, *y; /* NAN in x: the next point begins a new piece */
    size_t n;
} ChartSeries;

typedef struct {
    const char *title, *x_title, *y_title; /* NULL: none */
    const ChartSeries *series;
    size_t count;
    bool log_x, log_y;
    bool equal;              /* a circle is round */
    double x[2], y[2];       /* from, to; equal: from the data */
    const char *const *rows; /* names beside a matrix, rows and columns; NULL: none */
    const char *const *columns;
    int row_count, column_count; /* of a matrix; 0: no matrix */
} ChartPanel;

typedef struct {
    const char *title; /* may be NULL */
    const ChartPanel *panels;
    size_t count;
    int across;        /* panels beside each other; 0: all */
    int width, height; /* of a panel, pixels; 0: usual */
} Chart;

void chart_svg(const Chart *chart, Text *out);
/* The same picture by the cairo library of the system. False: `why` says why not. */
bool chart_png(const Chart *chart, Text *out, char *why, size_t room);

/* contour.c: where f < 0 in a rectangle, from values on a grid of n x n cells, as filled polygons;
 * and the line f = 0. Values that are no numbers count as above. */
typedef struct {
    double x[2], y[2];
    int n;
    double (*f)(void *arg, double x, double y);
    void *arg;
} ContourOf;
typedef struct {
    double *x, *y;
    size_t n;
} ChartPoints;
void contour_make(Arena *arena, const ContourOf *of, ChartPoints *area, ChartPoints *line);

#endif
