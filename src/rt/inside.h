/* inside.h: what the files of rt/ share and nobody else sees. */
#ifndef ACAUSAL_RT_INSIDE_H
#define ACAUSAL_RT_INSIDE_H

#include "rt/rt.h"

/* Numbers of strings: `at` by number, `slots` by hash (number + 1; 0 is empty); objects by number -
 * 1. */
typedef struct {
    char **at;
    uint32_t n, room;
    uint32_t *slots, slot_count;
    void **objects;
    uint32_t object_count, object_room;
} RtNames;

/* history.c */
struct RtHistory {
    double *t, *v;        /* keys and values */
    unsigned char *jumps; /* 1: the right side of a jump */
    int64_t n, room;
    int64_t from, to;       /* points of the pieces that are read at the low and at the high end */
    int flags, is_down;     /* is_down: the low end is the way in */
    double largest;         /* of abs(v) */
    double key, time, rate; /* of the last point */
};
int rt_history_grow(RtHistory *d); /* 0 when memory is out */

struct RtInstance {
    Rt rt; /* first, so that an Rt is its instance */
    RtChunk *first;
    RtChunk *kept; /* one for each string that lives as long as the instance */
    RtNames names;
    uint64_t random[16]; /* of the impure generator */
    int random_place;
};

void rt_forget_names(Rt *rt); /* all strings */
char *rt_keep(Rt *rt, const char *text, size_t n);
RtStatus rt_string_result(Rt *rt, RtCell *cell, const char *text,
                          size_t n); /* a copy in the instance's memory */

/* ---- table.c --------------------------------------------------------------------------------- */

/* Where the matrix of a table comes from: the arguments of its constructor. */
typedef struct {
    const char *file, *name, *delimiter;
    int64_t header_lines;
    const double *given;
    int64_t rows, columns;
} RtTableSource;

/* Calls a constructor whose last two arguments are delimiter and header lines for one that has only
 * the `n` cells before these: libraries before 4.1. */
RtStatus rt_table_as_before(Rt *rt, RtCell *cells, int n, RtStatus (*make)(Rt *rt, RtCell *cells));
/* The matrix, in memory of malloc, row by row. */
RtStatus rt_table_matrix(Rt *rt, const RtTableSource *from, double **at, int64_t *rows, int64_t *columns);
/* Derivatives at the n points (x, y), y with a stride, for one of the cubic kinds. `work` has n + 4
 * places. */
void rt_table_slopes(int smoothness, int is_closed, int64_t n, const double *x, const double *y,
                     int64_t stride, double *slope, int64_t slope_stride, double *work);
/* Akima's weights of the secants before and after a point, from four secants around it; they sum
 * to 1. */
void rt_akima_weights(const double *secant, double *before, double *after);
/* Value, first and second derivative of the cubic with values y0, y1 and slopes d0, d1 at the ends
 * of [0, h]. */
void rt_hermite(double h, double y0, double y1, double d0, double d1, double s, double out[3]);
/* The last i with x[i] <= u (or x[i] < u), at least -1. */
int64_t rt_table_find(const double *x, int64_t n, double u, int is_strict);

#endif
