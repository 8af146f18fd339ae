/* inside.h: what forward and backward differentiation share. */
#ifndef ACAUSAL_SENS_INSIDE_H
#define ACAUSAL_SENS_INSIDE_H

#include "sens/sens.h"

/* ---- outputs.c: derivatives as values of a model --------------------------------------------- */

typedef struct {
    Model *inner;
    const int *of;                /* variables */
    int of_count, m, value_count; /* parameters; values of inner */
} Outputs;

/* Those that changes are in: parameters, then discrete Reals. */
int *outputs_variables(Arena *arena, const Model *inner, const int *wrt, int count);
/* Adds d(of)/d(wrt) to the variables and values of the shape. */
void outputs_init(Outputs *outputs, Arena *arena, Model *inner, const int *of, int of_count, const int *wrt,
                  int m, ModelShape *shape);
int outputs_slot(const Outputs *outputs, int i, int j);
/* All values, where unknowns and parameters change so; out: room for results of products. */
EvalStatus outputs_values(const Outputs *outputs, double t, const double *y, const ModelChange *changes,
                          double *const *out, double *values);

/* ---- jump.c: what a state event is due to ---------------------------------------------------- */

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
/* Notes an accepted point of the solution; the first one after an event, or at the start. */
void jump_note(Jump *jump, double t, const double *y);
void jump_begin(Jump *jump, double t, const double *y);
/* Of the indicators that became zero at (t, y), where y' = f, the one that the event is due to,
 * with its rate of change; the model stays linearised in MAP_INDICATORS. -1: none. */
int jump_find(Jump *jump, const signed char *roots, double t, const double *y, double *f, double *rate);

/* ---- path.c: a run that is remembered -------------------------------------------------------- */

enum { PATH_NODES = 8, PATH_LEAST_NODES = 4 };

typedef struct {
    double t0, t1;
    uint32_t piece;
    int nodes;
    /* vectors of n; the first is the last of the step before, if that ended there */
    double *y[PATH_NODES];
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
    VEC(PathStep) steps;                      /* held: those after the last mark */
    VEC(PathPiece) pieces;
    VEC(PathMark) marks;
    VEC(double *) spare_marks; /* vectors of marks that are gone */
    double next_time, t_begin; /* of the piece that is being recorded */
    double *spare, *y_end;     /* y_end: after the last event */
    long recomputed;           /* steps */
    uint32_t most_marks;       /* at once, so far */
    /* walking: */
    bool is_walking;
    uint32_t at_piece, first, end; /* steps of the present segment of the piece */
    uint32_t at;                   /* the step looked at last */
} RunPath;

/* False: *why says why the model cannot be walked back. memory: bytes that steps may take. */
bool path_init(RunPath *path, Arena *arena, Model *inner, size_t memory, const char **why);
void path_free(RunPath *path);
void path_stepped(void *path, const Solver *solver, double from, double to); /* for SimOptions */
void path_end(RunPath *path, double t);                                      /* after the run */
void path_enter(RunPath *path, uint32_t piece); /* puts the model into the state of a piece */
/* Makes the solution until t, in that piece, be at hand, and says from when on it is. The way is
 * gone back once. False: it cannot be computed again. */
bool path_load(RunPath *path, const SimOptions *options, double t, double *from, SolverFailure *failure);
void path_at(RunPath *path, double t, double *y); /* the solution there */
uint32_t path_step_at(RunPath *path, double t);   /* which step t is in; there are some */

/* ---- rk.c: a step of a Runge-Kutta method, and its derivatives ------------------------------- */

typedef struct {
    Arena *arena;
    Model *model; /* may be another instance of the same model from step to step */
    RkTableau b;
    /* size: of stages that are solved for together */
    int n, count, size;
    const int *variables;                          /* count: that derivatives are in */
    void (*stage)(void *arg, int stage, double t); /* before a stage is evaluated; may be NULL */
    void (*collect)(void *arg, int stage,
                    const double *p); /* instead of a sum: the gradient of a stage; may be NULL */
    void *arg;
    const double *mass, *nominal; /* NULL: all are 1 */
    double t, h;                  /* the present step */
    double ends[RK_STAGES], rest; /* of stages together: the step's end is of these */
    /* by stage; k: h f, of stages together X - x; q: L k over h */
    double *x, *k, *q, *m, *base, *r, *rhs;
    double *scale, *theta, *weights, *gp; /* n: sizes of unknowns so far; count */
    MatrixShape *order, *ahead, *back;    /* of f_y; of the stages' system, and transposed */
    double *values, *matrix;
    Lu *lu_ahead, *lu_back;
    double coarse; /* the last change of stages against nominal values */
    bool is_held;  /* the factors ahead are those of another step, and serve until they do not */
} Rk;

/* Derivatives of a step ahead, in several directions. */
typedef struct {
    int directions;
    /* directions vectors of n: of x, updated; by stage: of k; of stages */
    double *s, *ds, *moved, *before;
    double *p; /* directions vectors of count */
    /* directions: changes of the step's begin and length; NULL: none */
    const double *t, *h;
    double **out;
    ModelChange *changes;
    void (*p_of)(void *arg, int stage, int direction, double *p); /* dp there */
    void *arg;
} RkMove;

/* Weights of a step's end become those of its beginning. */
typedef struct {
    double *l, *gradient; /* n, changed; count, added to unless it is collected */
    bool is_timed;        /* its begin or end moves: t and h are wanted */
    double t, h;          /* out: of the step's begin and length */
} RkBack;

bool rk_is_implicit(const RkTableau *tableau);
/* Why this method cannot solve such a model; NULL: it can. */
const char *rk_refuses(const RkTableau *tableau, const Model *model);
void rk_init(Rk *rk, Arena *arena, Model *model, const RkTableau *tableau, const int *variables, int count);
void rk_free(Rk *rk);
/* The stages of a step from x, to rounding; guess: of all stages, or NULL. */
bool rk_stages(Rk *rk, double t, double h, const double *x, const double *guess);
/* As they were found before. */
bool rk_load(Rk *rk, double t, double h, const double *x, const double *stages);
/* Factors of this step, for others near to it. */
bool rk_hold(Rk *rk);
void rk_end(const Rk *rk, double *x); /* from the step's beginning to its end */
void rk_move_init(RkMove *move, Arena *arena, const Rk *rk, int directions);
bool rk_move(Rk *rk, RkMove *move);
bool rk_back(Rk *rk, RkBack *back);

/* ---- steps.c: the steps of a run that are held, and one run on them -------------------------- */

typedef struct {
    double t;      /* its end in the run that is held */
    double h;      /* its length there; then as the first run on the steps found it */
    bool is_short; /* in the run that is held: as long as rounding of event times */
    /* so short that it stays with what it begins at: its length is held, not its end */
    bool rides;
    double *x; /* where it began there */
    /* of implicit methods: guesses, and as they were found by the first run on the steps */
    double *stages;
} HeldStep;

typedef struct {
    EventKind kind;
    uint32_t step; /* so many steps are before it */
    bool is_new;   /* it changed something */
    bool selects;  /* states */
    signed char *roots;
    int fired;          /* the indicator that its time follows from; -1: none */
    double level, rate; /* of that there */
} HeldEvent;

typedef struct SensSteps {
    Arena *arena;
    SimOptions options;
    RkTableau tableau;
    int n, indicators;
    bool is_implicit, is_settled; /* stages are as the first run found them */
    VEC(HeldStep) steps;
    VEC(HeldEvent) events;
    size_t room, used; /* bytes of steps */
    double t_end;      /* of the run that settled */
    char why[400];     /* of what went wrong last */
} Held;

/* A run on held steps: of the model itself, which settles them, or of one with other parameters. */
typedef struct {
    Held *held;
    Arena *arena;
    Model *model;
    Rk *rk;
    Jump *jump;        /* of the run that settles; NULL: another one */
    SimInputs *inputs; /* NULL: none */
    double t, next_time;
    double *x, *trial, *g, *f;
    uint32_t step, event; /* the next ones */
} Track;

bool track_init(Track *track, Arena *arena, Held *held, Model *model, Rk *rk, Jump *jump);
bool track_begin(Track *track, EventInfo *info); /* initial values */
/* The event that is next, if it is before the next step; or that the next step ends at; NULL:
 * none. */
HeldEvent *track_due(const Track *track);
HeldEvent *track_ahead(const Track *track);
/* Solves for the stages of the next step, which are then in rk; or takes them from the run that
 * settled; then goes to its end. */
bool track_step(Track *track);
bool track_repeat(Track *track);
void track_advance(Track *track);
bool track_event(Track *track, EventInfo *info);

#endif
