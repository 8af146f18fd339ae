/* inside.h: what forward and backward differentiation share. */
#ifndef ACAUSAL_SENS_INSIDE_H
#define ACAUSAL_SENS_INSIDE_H

#include "sens/sens.h"

/* ---- jump.c: what a state event is due to ---- */

typedef struct {
    Model *model;
    int n, indicators;
    const int *variables; /* that changes are in: parameters, then discrete Reals */
    int count;
    double *g, *g_before, *rate, *zeros; /* indicators; count zeros */
    double *weights, *g_y, *g_p;         /* of one indicator */
    double *y_before, *y_last;           /* the last two accepted points */
    double t_before, t_last;
    int second;        /* another one that became zero at once; -1: none */
    char warning[240]; /* "": none */
    bool is_told;
} Jump;

void jump_init(Jump *jump, Arena *arena, Model *model, const int *variables, int count);
/* Notes an accepted point of the solution; the first one behind an event, or at the start. */
void jump_note(Jump *jump, double t, const double *y);
void jump_begin(Jump *jump, double t, const double *y);
/* Of the indicators that became zero at (t, y), where y' = f, the one that the event is due to, with its rate of change; the
 * model stays linearised in MAP_INDICATORS. -1: none. */
int jump_find(Jump *jump, const signed char *roots, double t, const double *y, double *f, double *rate);

/* ---- path.c: a run that is remembered ---- */

enum { PATH_NODES = 8, PATH_LEAST_NODES = 4 };

typedef struct {
    double t0, t1;
    int nodes;
    double *y; /* nodes vectors of n */
} PathStep;

/* Steps first to end - 1, perhaps none, without an event between. */
typedef struct {
    uint32_t first, end;
    double t; /* its end */
    const double *y;
    const void *saved;        /* the state of the model there, before the event */
    bool is_timed;            /* that is a time event */
    const signed char *roots; /* of a state event; else NULL */
} PathPiece;

typedef struct {
    Model model; /* that records while it is run */
    Model *inner;
    ModelType type;
    Arena *arena;
    int n;
    size_t save_size;
    double nodes[PATH_NODES + 1][PATH_NODES]; /* by their number: on [0, 1] */
    VEC(PathStep) steps;
    VEC(PathPiece) pieces;
    uint32_t first; /* of the piece that is being recorded */
    double next_time;
    double *spare, *y_end; /* y_end: behind the last event */
    /* walking: */
    bool is_walking;
    const PathPiece *piece;
    uint32_t at; /* the step looked at last */
} Path;

/* False: *why says why the model cannot be walked back. */
bool path_init(Path *path, Arena *arena, Model *inner, const char **why);
void path_stepped(void *path, const Solver *solver, double from, double to); /* for SimOptions */
void path_end(Path *path, double t);                                         /* after the run */
void path_enter(Path *path, uint32_t piece);   /* puts the model into the state of a piece */
void path_at(Path *path, double t, double *y); /* the solution in that piece */
uint32_t path_step_at(Path *path, double t);   /* which step t is in; the piece has some */

#endif
