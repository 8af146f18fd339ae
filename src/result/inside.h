/* inside.h: what the formats of results share: files that are written in whole rows, and pieces of plots. */
#ifndef ACAUSAL_RESULT_INSIDE_H
#define ACAUSAL_RESULT_INSIDE_H

#include "result/result.h"

/* ---- out.c: buffered output --------------------------------------------------------------------------- */

typedef struct {
    int file; /* -1: not open */
    bool seekable;
    char *buffer;
    size_t n, room;
    uint64_t written; /* bytes that are in the file */
    double flushed;   /* when */
    const char *path;
} Out;

bool out_open(Out *out, const char *path, char *why, size_t room);
/* Room for `more` bytes behind those in the buffer; NULL when memory is out or the file is full. */
char *out_reserve(Out *out, ResultSink *sink, size_t more);
bool out_flush(Out *out, ResultSink *sink);
/* Overwrites bytes that are already in the file. */
bool out_patch(Out *out, ResultSink *sink, uint64_t at, const void *bytes, size_t n);
/* Whether rows should go to the file now: the buffer is full, or they have waited long enough. */
bool out_is_due(const Out *out);
void out_close(Out *out);
bool sink_fail(ResultSink *sink, const char *format, ...) PRINTF_LIKE(2, 3);

/* Without those of texts, for formats that have none. */
const Column *columns_of_numbers(Arena *arena, const Column *columns, size_t *n);
ResultSink *csv_sink(const char *path, char *why, size_t room);
ResultSink *mat_sink(const char *path, char *why, size_t room);

/* ---- readers: both get the whole file and fill the table; false: `why` ---------------------------------- */

bool csv_read(ResultTable *table, Str bytes, char *why, size_t room);
bool mat_is(Str bytes);
bool mat_read(ResultTable *table, Str bytes, char *why, size_t room);

/* ---- ticks.c: axes -------------------------------------------------------------------------------------- */

enum { TICKS_MOST = 16 };
typedef struct {
    double low, high; /* the axis, which holds all ticks */
    double at[TICKS_MOST];
    char text[TICKS_MOST][24];
    int n;
    int exponent; /* texts are to be multiplied by 10^exponent; 0 as a rule */
} Ticks;

/* Ticks at 1, 2, 2.5, 5 times powers of ten, at most `most` of them. With `widen` the axis is widened to ticks. */
void ticks_of(double low, double high, int most, bool widen, Ticks *ticks);
/* Least and largest finite value; false if there is none. */
bool signal_range(const Signal *s, size_t rows, double *low, double *high);

#endif
