/* history.h: the past of signals: delay and spatialDistribution.
 *
 * Operators with a history (rt/history.c, run/history.c; what one notes is a DaeHistory), delay
 * first, remember points at accepted steps, three inside of each step, and both sides of events;
 * between them it is a polynomial of degree three that never looks across a jump. Jumps and kinks
 * come out as time events, steps are no longer than the shortest delay of a signal that changes
 * between events, and a delayed signal depends on nothing of the present, so that it cuts
 * algebraic loops. At the start it is the signal itself. */
#ifndef ACAUSAL_RT_HISTORY_H
#define ACAUSAL_RT_HISTORY_H

#include "rt/instance.h"

/* ---- history.c: the past of signals; those that return int return 0 when memory is out, unless
 * said otherwise */

/* What a history takes in at a point, and gives out. The way in is the high end, whose key ascends;
 * what is `span` below it leaves. With RT_HISTORY_BOTH the key may descend: then the way in is the
 * low end. */
enum {
    RT_HISTORY_KEY,
    RT_HISTORY_VALUE, /* at the high end */
    RT_HISTORY_SPAN,
    RT_HISTORY_LOW_VALUE,
    RT_HISTORY_FORWARD, /* not 0: the high end is the way in while the key stands still */
    /* out: where the key is when the next jump leaves at the low and at the high end */
    RT_HISTORY_FRONT_LOW,
    RT_HISTORY_FRONT_HIGH,
    RT_HISTORY_PARTS
};
enum {
    RT_HISTORY_FREE = 1,     /* the span varies: jumps come out when they do */
    RT_HISTORY_DISCRETE = 2, /* values change at events only */
    RT_HISTORY_BOTH = 4      /* the key is no time: it may stand still and descend */
};
typedef enum { RT_HISTORY_LOW, RT_HISTORY_HIGH, RT_HISTORY_SIDES } RtHistorySide;
/* A point; the right side of a jump; slopes may have changed, too. */
typedef enum { RT_NOTE_POINT, RT_NOTE_JUMP, RT_NOTE_BREAK } RtNote;

int rt_histories_new(Rt *rt, uint32_t count);
void rt_histories_free(Rt *rt);
/* It begins with n points between the ends, if n > 0: positions from 0, the high end, to 1, then
 * values. */
int rt_history_start(Rt *rt, uint32_t k, double time, const double *in, const double *profile, uint32_t n,
                     uint8_t flags);
/* A point that is not after the last one is left out. What is past the span is forgotten. */
int rt_history_note(Rt *rt, uint32_t k, double time, const double *in, RtNote what);
/* When the next jump leaves, where the key is time. */
double rt_history_next_time(const Rt *rt, uint32_t k, const double *in);
/* Jumps that leave now; nonzero: there was one. */
int rt_history_pass(Rt *rt, uint32_t k, const double *in);
void rt_history_fronts(const Rt *rt, uint32_t k, double *in);
/* |value - extrapolated value| / largest */
double rt_history_deviation(const Rt *rt, uint32_t k, const double *in);
double rt_history_rate(const Rt *rt, uint32_t k); /* of the key, in the last step */
/* i: number of the history * RT_HISTORY_SIDES + side, r key -> r */
RtStatus rt_history_value(Rt *rt, RtCell *cells);
RtStatus rt_history_slope(Rt *rt, RtCell *cells); /* likewise */

/* Notes between the ends of a step, as near as signals ask for: between.c. `step` is kept from one
 * call to the next. */
typedef struct {
    double tolerance, least; /* of signals; distance */
    /* see rt_history_deviation: the largest of all signals there */
    double (*extrapolation_error)(void *arg, double t);
    /* of all signals, where `extrapolation_error` was asked last */
    void (*note)(void *arg, double t);
    void *arg;
} RtBetween;
void rt_note_between(const RtBetween *b, double from, double to, double *step);

#endif
