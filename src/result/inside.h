/* inside.h: what the formats of results share: files that are written in whole rows, and pieces of
 * plots. */
#ifndef ACAUSAL_RESULT_INSIDE_H
#define ACAUSAL_RESULT_INSIDE_H

#include "result/result.h"

#include <math.h>

/* ---- out.c: buffered output ------------------------------------------------------------------ */

typedef struct Deflater Deflater;

typedef struct {
    int file;              /* -1: not open */
    Deflater *deflater;    /* of a file whose name ends in .gz; else NULL */
    bool seekable, is_new; /* is_new: there was no such file before */
    char *buffer;
    size_t n, room;
    uint64_t written; /* bytes that are in the file */
    double flushed;   /* when */
    const char *path;
} Out;

/* What was in the file stays there until something is written. */
bool out_open(Out *out, const char *path, char *why, size_t room);
/* Room for `more` bytes after those in the buffer; NULL when memory is out or the file is full. */
char *out_reserve(Out *out, ResultSink *sink, size_t more);
bool out_flush(Out *out, ResultSink *sink);
/* Overwrites bytes that are already in the file. */
bool out_patch(Out *out, ResultSink *sink, uint64_t at, const void *bytes, size_t n);
/* Whether rows should go to the file now: the buffer is full, or they have waited long enough. */
bool out_is_due(const Out *out);
/* The same for the end of the file, which some kinds of it have to be told. */
bool out_end(Out *out, ResultSink *sink);
void out_close(Out *out);
bool sink_fail(ResultSink *sink, const char *format, ...) PRINTF_LIKE(2, 3);

/* ---- deflate.c ------------------------------------------------------------------------------- */

Deflater *deflater_new(void);           /* NULL: no memory */
void deflater_free(Deflater *deflater); /* NULL is fine */
typedef bool (*DeflatedBytes)(void *arg, const char *bytes, size_t n);
bool deflater_write(Deflater *deflater, const char *bytes, size_t n, bool last, DeflatedBytes write,
                    void *arg);
bool is_deflated(Str bytes);
/* *text is for free(); false: `why`. */
bool inflate_all(Str bytes, Str *text, bool *is_cut, char *why, size_t room);

/* Without those of texts, for formats that have none. */
const Column *columns_of_numbers(Arena *arena, const Column *columns, size_t *n);
ResultSink *csv_sink(const char *path, char *why, size_t room);
ResultSink *mat_sink(const char *path, char *why, size_t room);

/* ---- readers: both get the whole file and fill the table; false: `why` ----------------------- */

bool csv_read(ResultTable *table, Str bytes, char *why, size_t room);
bool mat_is(Str bytes);
bool mat_read(ResultTable *table, Str bytes, char *why, size_t room);

/* ---- ticks.c: axes --------------------------------------------------------------------------- */

enum { TICKS_MOST = 16 };
typedef struct {
    double low, high; /* the axis, which holds all ticks */
    double at[TICKS_MOST];
    char text[TICKS_MOST][24];
    int n;
    int exponent; /* texts are to be multiplied by 10^exponent; 0 as a rule */
    bool log;
    /* a value v lies at (v - from) * per of the axis' length; of log10 v, if `log` */
    double from, per;
} Ticks;

/* Ticks at 1, 2, 2.5, 5 times powers of ten, at most `most` of them. With `widen` the axis is
 * widened to ticks. */
void ticks_of(double low, double high, int most, bool widen, Ticks *ticks);
/* Ticks at powers of ten, or, where the axis is short, at 1, 2 and 5 times those. 0 < low. */
void ticks_log(double low, double high, int most, Ticks *ticks);
/* Makes the axis longer, by a share of it, at its ends. */
void ticks_pad(Ticks *ticks, double below, double above);
/* Where a value is on the axis, from 0 to 1; NAN for what a logarithm has no place for. */
static inline double tick_place(const Ticks *ticks, double v)
{
    return ((ticks->log ? log10(v) : v) - ticks->from) * ticks->per;
}
/* Least and largest finite value, of those above zero if `positive`; false if there is none. */
bool signal_range(const Signal *s, size_t rows, bool positive, double *low, double *high);
/* "m/s2" as m/s², "Ohm" as Ω. */
void unit_pretty(const char *unit, Text *out);
void add_power_of_ten(Text *out, int exponent); /* 10⁻⁶ */

/* ---- canvas: what plots are drawn with ------------------------------------------------------- */

typedef struct {
    float x, y; /* x is NAN: the next point begins a new piece */
} Vertex;
typedef VEC(Vertex) Path;

typedef struct {
    const char *colour; /* "#rrggbb" */
    double width;       /* of the line; 0: the area is filled */
    double opacity;     /* 0 counts as 1 */
    double dash, gap;   /* 0: solid */
} Ink;

typedef enum { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END } Anchor;

typedef struct {
    double x, y, size;
    Anchor anchor;
    bool bold, upright; /* upright: reads from below */
    const char *colour, *text;
} CanvasLabel;

typedef struct Canvas Canvas;
typedef struct {
    void (*begin)(Canvas *canvas, double width, double height, const char *paper);
    void (*path)(Canvas *canvas, const Path *path, const Ink *ink);
    void (*label)(Canvas *canvas, const CanvasLabel *label);
    /* one at a time */
    void (*clip)(Canvas *canvas, double x, double y, double width, double height);
    void (*unclip)(Canvas *canvas);
    void (*end)(Canvas *canvas);
} CanvasType;
struct Canvas {
    const CanvasType *type;
    Arena *arena;
};

/* What lays a picture out and draws it: of plot.c, of chart.c. */
typedef void (*Draw)(const void *what, Canvas *canvas);

void svg_of_draw(Draw draw, const void *what, Text *out);
/* A bitmap, or with is_page a PDF. False: `why` says why not. */
bool draw_cairo(Draw draw, const void *what, double scale, bool is_page, Text *out, char *why, size_t room);
/* The width of a text in a face like Helvetica, pixels; a little more than it is, since the face at
 * hand may be wider. */
double text_width(const char *text, double size);

/* ---- curve.c: from rows to the points that are drawn ----------------------------------------- */

typedef struct {
    double left, right, top, bottom; /* pixels */
    Ticks x, y;
} Frame;

void curve_path(const PlotCurve *curve, const Frame *frame, Arena *arena, Path *path);
void tube_path(const ResultTube *tube, const Frame *frame, Arena *arena, Path *path);

#endif
