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
    uint32_t piece;
    int nodes;
    double *y[PATH_NODES]; /* vectors of n; the first is the last of the step before, if that ended there */
} PathStep;

/* What lies between two events. */
typedef struct {
    double t0, t;               /* its ends; the same if there is no step */
    const double *y, *y_before; /* at the end; where its last step began */
    double t_before;
    const void *saved;        /* the state of the model at the end, before the event */
    bool is_timed;            /* that is a time event */
    const signed char *roots; /* of a state event; else NULL */
} PathPiece;

/* A point that the run can be begun again from. */
typedef struct {
    double t, h; /* h: of the steps there; 0: not known */
    double *y;
    uint32_t piece;
    bool is_first; /* in its piece */
} PathMark;

typedef struct {
    Model model; /* that records while it is run */
    Model quiet; /* the same without indicators, for going again from a mark */
    Model *inner;
    ModelType type, quiet_type;
    Arena *arena, *store; /* store: of the steps that are held, emptied at marks */
    ArenaMark empty;
    int n;
    size_t save_size;
    double nodes[PATH_NODES + 1][PATH_NODES]; /* by their number: on [0, 1] */
    uint32_t most;                            /* steps to hold; 0: all */
    VEC(PathStep) steps;                      /* held: those behind the last mark */
    VEC(PathPiece) pieces;
    VEC(PathMark) marks;
    VEC(double *) spare_marks; /* vectors of marks that are gone */
    double next_time, t_begin; /* of the piece that is being recorded */
    double *spare, *y_end;     /* y_end: behind the last event */
    long recomputed;           /* steps */
    uint32_t most_marks;       /* at once, so far */
    /* walking: */
    bool is_walking;
    uint32_t at_piece, first, end; /* steps of the present segment of the piece */
    uint32_t at;                   /* the step looked at last */
} Path;

/* False: *why says why the model cannot be walked back. memory: bytes that steps may take. */
bool path_init(Path *path, Arena *arena, Model *inner, size_t memory, const char **why);
void path_free(Path *path);
void path_stepped(void *path, const Solver *solver, double from, double to); /* for SimOptions */
void path_end(Path *path, double t);                                         /* after the run */
void path_enter(Path *path, uint32_t piece); /* puts the model into the state of a piece */
/* Makes the solution until t, in that piece, be at hand, and says from when on it is. The way is gone back once. False: it cannot be
 * computed again. */
bool path_load(Path *path, const SimOptions *options, double t, double *from, SolverFailure *failure);
void path_at(Path *path, double t, double *y); /* the solution there */
uint32_t path_step_at(Path *path, double t);   /* which step t is in; there are some */

/* ---- rk.c: a step of a Runge-Kutta method, and its derivatives ---- */

typedef struct {
    Arena *arena;
    Model *model; /* without a mass matrix */
    RkTableau b;
    int n, count, size;                  /* size: of stages that are solved for together */
    const int *variables;                /* count: that derivatives are in */
    void (*stage)(void *arg, int stage); /* before a stage is evaluated; may be NULL */
    void (*collect)(void *arg, int stage,
                    const double *p); /* instead of a sum: the gradient of a stage; may be NULL */
    void *arg;
    double t, h;                       /* the present step */
    double *x, *k, *m, *base, *r;      /* by stage */
    double *theta, *gp;                /* n; count */
    MatrixShape *order, *ahead, *back; /* of f_y; of the stages' system, and transposed */
    double *values, *matrix;
    Lu *lu_ahead, *lu_back;
} Rk;

/* Derivatives of a step ahead, in several directions. */
typedef struct {
    int directions;
    double *s, *ds, *moved; /* directions vectors of n: of x, updated; by stage: of slopes; of stages */
    double *p;              /* directions vectors of count */
    double **out;
    ModelChange *changes;
    void (*p_of)(void *arg, int stage, int direction, double *p); /* dp there */
    void *arg;
} RkMove;

void rk_init(Rk *rk, Arena *arena, Model *model, const RkTableau *tableau, const int *variables, int count);
void rk_free(Rk *rk);
/* The stages of a step from x, to rounding; guess: of all stages, or NULL. Stages may as well be put into rk->x and t, h be set. */
bool rk_stages(Rk *rk, double t, double h, const double *x, const double *guess);
void rk_end(const Rk *rk, double *x); /* from the step's beginning to its end */
bool rk_move(Rk *rk, RkMove *move);
/* Weights of the end become those of the beginning; what they are in parameters is added to gradient, or collected. */
bool rk_back(Rk *rk, double *l, double *gradient);

#endif
