/* result.h: trajectories: written while a run goes on, read back, compared, drawn.
 *
 * A run has slots: numbers that change from row to row, or that hold for the whole run. A Column is
 * a name for a slot, perhaps with the opposite sign; many columns may share one. A ResultSink takes
 * rows of slots; files, tables in memory and several sinks at once are sinks alike. A ResultTable
 * is a result read back, from any format.
 *
 * A plot is laid out once (plot.c) and drawn on a canvas: SVG text (svg.c), or a bitmap by cairo
 * (png.c), which is loaded when the first one is asked for, so that the program neither needs it
 * nor waits for it. curve.c keeps of the rows of half a pixel what can be seen. */
#ifndef ACAUSAL_RESULT_H
#define ACAUSAL_RESULT_H

#include "base/base.h"

/* The values of texts are places in the `texts` of the sink or the table. */
typedef enum { COLUMN_CONTINUOUS, COLUMN_DISCRETE, COLUMN_CONSTANT, COLUMN_TEXT } ColumnKind;

typedef struct {
    const char *name, *unit, *description; /* "" if there is none */
    ColumnKind kind;
    int slot;
    bool negated;
} Column;

/* ---- sinks ----------------------------------------------------------------------------------- */

typedef struct ResultSink ResultSink;

typedef struct {
    /* `values` holds the slots at the start; those of constant columns are taken from here. Copies
     * all it keeps. */
    bool (*begin)(ResultSink *sink, const Column *columns, size_t n, const double *values);
    bool (*row)(ResultSink *sink, double t, const double *values);
    bool (*end)(ResultSink *sink); /* all is written; also after a run that failed */
    void (*free)(ResultSink *sink);
} SinkType;

/* Functions return false when they fail, with the reason in `why`; every later call then fails the
 * same way. */
struct ResultSink {
    const SinkType *type;
    bool failed;
    /* every row goes to the file at once: for models that may take the process with them */
    bool eager;
    const NameIndex *texts; /* of columns of texts; set before begin */
    char why[240];
};

bool sink_begin(ResultSink *sink, const Column *columns, size_t n, const double *values);
bool sink_row(ResultSink *sink, double t, const double *values);
bool sink_end(ResultSink *sink);
void sink_free(ResultSink *sink); /* NULL is fine; closes files */

/* A file, in the format of its suffix (sink_formats). NULL: *why says why not, in a static text or
 * `room`. What is written is flushed at least every FLUSH_SECONDS of rows, in whole rows: a killed
 * run leaves a readable file. */
ResultSink *sink_open_file(const char *path, char *why, size_t room);
const char *sink_formats(void); /* ".csv, .csv.gz, .mat" */
/* Passes all on to both; owns them. NULL when memory is out: both are freed. */
ResultSink *sink_tee(ResultSink *first, ResultSink *second);

/* ---- results in memory ----------------------------------------------------------------------- */

/* Row i of a signal is sign * at[i * stride]. A constant one has stride 0. */
typedef struct {
    const char *name, *unit, *description;
    ColumnKind kind;
    const double *at;
    size_t stride;
    double sign;
} Signal;

typedef struct {
    Arena *arena; /* holds all of it */
    size_t rows;
    Signal time;
    Signal *signals; /* in the order of the file, without time */
    size_t count;
    const NameIndex *texts; /* of signals of texts; NULL: there are none */
    bool has_gaps;          /* empty cells are no numbers, instead of those above */
    bool truncated;         /* the file ended inside a row, which was left out */
} ResultTable;

static inline double signal_at(const Signal *s, size_t row) { return s->sign * s->at[row * s->stride]; }

/* Reads a file: the format is seen from its content. NULL: `why` says why not. */
ResultTable *result_read(const char *path, char *why, size_t room);
/* The same of measured data: empty cells of a CSV file are gaps, NAN. */
ResultTable *result_read_data(const char *path, char *why, size_t room);
void result_free(ResultTable *table); /* NULL is fine */
/* "time" too; NULL if there is none */
const Signal *result_find(const ResultTable *table, const char *name);
/* for a hint; may be NULL */
const char *result_nearest(const ResultTable *table, const char *name);
/* The value at a time, after an event that is there; the first or last one outside of the span.
 * Needs a row. */
double result_value_at(const ResultTable *table, const Signal *signal, double t);
/* Whether a name fits a pattern with * for any characters and ? for one. */
bool result_name_fits(const char *pattern, const char *name);

/* A sink that keeps everything in memory; sink_table hands the table out, which then belongs to the
 * caller. */
ResultSink *sink_memory(void);
ResultTable *sink_table(ResultSink *memory);

/* ---- compare.c ------------------------------------------------------------------------------- */

typedef struct {
    double value;    /* half height of the tube, as a share of a signal's range */
    double time;     /* half width of the tube, as a share of the span */
    double absolute; /* differences up to this are none */
} CompareOptions;

/* NOISE: outside of the tube, but judged to say nothing; by those who have a reason. */
typedef enum { SIGNAL_SAME, SIGNAL_DIFFERENT, SIGNAL_NOISE, SIGNAL_ONLY_A, SIGNAL_ONLY_B } SignalVerdict;

typedef struct {
    const char *name;
    SignalVerdict verdict;
    /* how far outside of the tube at worst, as a share of the tube's half height; 0 inside */
    double excess;
    /* largest difference at equal times, as a share of the range; events count, too */
    double deviation;
    double t;                /* where the excess is largest */
    double a, b;             /* values there */
    size_t outside;          /* points of either outside of the other's tube */
    double range_a, range_b; /* largest less least value */
} SignalReport;

typedef struct {
    SignalReport *signals; /* those of A in its order, then those of B alone */
    size_t count, same, different, only_a, only_b;
    bool spans_differ;
    double a_from, a_to, b_from, b_to;
} CompareReport;

CompareOptions compare_options(void);
/* Each signal of both must stay in the tube around the other: at every point of one, the value lies
 * between the least and the largest value that the other takes within the tube's width in time,
 * give or take its height. A signal that is in one result only does not make results different. */
void result_compare(Arena *arena, const ResultTable *a, const ResultTable *b, const CompareOptions *options,
                    CompareReport *report);
bool compare_is_same(const CompareReport *report);

/* Where one signal leaves the other's tube, and the tube around A, for drawing. */
typedef struct {
    Signal t, low, high; /* the tube, a row for each of A's */
    size_t rows;
    double (*outside)[2]; /* spans of time in which one lies outside of the tube around the other */
    size_t outside_count;
} ResultTube;

void result_tube(Arena *arena, const ResultTable *a, const Signal *of_a, const ResultTable *b,
                 const Signal *of_b, const CompareOptions *options, ResultTube *tube);

/* ---- plot.c, terminal.c ---------------------------------------------------------------------- */

typedef struct {
    const Signal *x, *y;
    size_t rows;
    const char *label;      /* NULL: the name of y */
    int panel;              /* -1: with those of the same unit */
    int colour;             /* -1: the next one */
    bool dashed;            /* drawn so, as the second of a pair */
    bool steps;             /* holds its value until the next row */
    const ResultTube *tube; /* drawn behind it; may be NULL */
} PlotCurve;

typedef struct {
    const PlotCurve *curves;
    size_t count;
    const char *title; /* may be NULL */
    bool log_x, log_y; /* values that are not above zero are left out */
    const double *events;
    size_t event_count;
} Plot;

typedef struct {
    int width, height; /* pixels; characters in a terminal. 0: usual */
    bool dark;
    bool colour;  /* in a terminal */
    double scale; /* pixels of a bitmap for one of the drawing; 0: 2 */
} PlotStyle;

void plot_svg(const Plot *plot, const PlotStyle *style, Text *out);
void plot_terminal(const Plot *plot, const PlotStyle *style, Text *out);
/* The same picture as SVG has, by the cairo library of the system. False: it is not here, or too
 * large; see `why`. */
bool plot_png(const Plot *plot, const PlotStyle *style, Text *out, char *why, size_t room);
bool plot_pdf(const Plot *plot, const PlotStyle *style, Text *out, char *why, size_t room);

/* Whether a signal changes only where two rows have the same time, so that it is constant between
 * events. */
bool signal_is_stepwise(const Signal *time, const Signal *signal, size_t rows);
/* The times that have two rows: events, of which at most `most` are given. Returns how many there
 * are. */
size_t result_events(const ResultTable *table, double *times, size_t most);

#endif
