/* options.h: what is to be solved, and how: problems, increments of difference quotients, records
 * of steps, options. Part of solve.h. */
#ifndef ACAUSAL_SOLVE_OPTIONS_H
#define ACAUSAL_SOLVE_OPTIONS_H

#include "model/model.h"

typedef struct Solver Solver;
typedef struct SolverType SolverType;

/* ---- what is to be solved, and how ----------------------------------------------------------- */

typedef struct {
    Model *model;
    double t0, t_end; /* t_end gives direction and scale; steps may go to another limit */
    const double *y0; /* n */
    /* n, derivatives at t0 for residual forms; NULL: zeros, to be made consistent */
    const double *yp0;
} Problem;

/* ---- increments of difference quotients: increment.c ----------------------------------------- */

/* What a rule may look at. */
typedef struct {
    int n;
    const double *y, *f;      /* f: right-hand side or residual at y */
    const double *weight;     /* 1 / (rtol |y| + atol) */
    const double *nominal;    /* NULL: all 1; what is not positive and finite counts as 1 */
    const double *low, *high; /* bounds of y; NULL: none */
    const double *typical;    /* the largest |y| so far; NULL: not known */
    const double *curvature;  /* sqrt(|F|/|F''|) as learnt, 0 where it is not; NULL: nowhere */
    double h;                 /* step size, signed */
    /* 1/(weight rtol) = |y| + atol/rtol is the size below which a component is small */
    double rtol;
    double c0;      /* the constant of rules that have one; 0: their own */
    bool multistep; /* the method's kind, for a rule that falls back to "the solver's own" */
} IncrementInput;

/* A pure function; fills n increments. */
typedef void (*IncrementRule)(const IncrementInput *input, double *delta);

typedef struct {
    const char *name;    /* "power-of-two" */
    const char *formula; /* for people */
    double c0;           /* its own; 0: it has none */
    IncrementRule rule;
} IncrementType;

/* What is done to increments so that y + delta is exact: the three algorithms of the literature. */
typedef enum { POST_NONE, POST_1, POST_2, POST_3 } IncrementPost;

/* Whether the default rule remembers sizes and curvature. AUTO: unless the run is recorded or
 * replayed, since a replay makes fewer trials to learn from. */
typedef enum { MEMORY_AUTO, MEMORY_ON, MEMORY_OFF } IncrementMemory;

extern const IncrementType increment_types[]; /* the first one is the default */
extern const size_t increment_type_count;
const IncrementType *increment_find(const char *name); /* NULL if there is none */
/* Rule, post-processing, and a guard: none is 0 or NaN, y + delta differs from y and is finite
 * where y is. */
void increment_choose(const IncrementType *type, IncrementPost post, const IncrementInput *input,
                      double *delta);
void increment_post(IncrementPost post, int n, const double *y, double *delta);

/* One accepted step of a recorded run. Replaying it does the same arithmetic for the same y: same
 * size, order, number of Newton iterations, same decisions about Jacobian and factors; no error
 * test. */
enum { RECORD_STAGES = 8 };

typedef struct {
    double t, h;              /* t: at the end of the step */
    short order;              /* or the number of extrapolation rows */
    unsigned char iterations; /* of Newton, in the last solve */
    unsigned char flags;      /* RECORD_... */
    /* iterations of each stage, for methods that solve them one by one */
    unsigned char stages[RECORD_STAGES];
} StepRecord;

enum {
    RECORD_JACOBIAN = 1,
    RECORD_FACTORS = 2,
    RECORD_RESTART = 4,
    RECORD_STIFF = 8,      /* by the implicit half of auto, by BDF in switching */
    RECORD_STARTER = 32,   /* by the Runge-Kutta starter of a multistep method */
    RECORD_KEPT = 64,      /* from the history before an event that changed little */
    RECORD_RESPONSE = 128, /* from that history with the linear response to the event */
    RECORD_DROP = 16       /* a multistep method gave up its history before this step */
};

typedef struct {
    Arena *arena;
    VEC(StepRecord) steps;
} StepLog;

/* The order of the step for people: starters are recorded by numbers of their own. */
int record_order(const StepRecord *record);

/* Where Jacobians come from. AUTO: from the model, else by DIFFERENCES. These use a pattern if
 * there is one; the ones below say how. */
typedef enum {
    JACOBIAN_AUTO,
    JACOBIAN_EXACT,       /* the model's own, without differences in it */
    JACOBIAN_DIRECTIONAL, /* directional derivatives of an FMU */
    JACOBIAN_MIXED,       /* the model's own, with differences for what has no derivative */
    JACOBIAN_DIFFERENCES,
    JACOBIAN_DENSE,        /* differences, a column at a time */
    JACOBIAN_BANDED,       /* differences, as many as the band is wide */
    JACOBIAN_COLOURED,     /* differences, one a colour of the pattern */
    JACOBIAN_EXTRAPOLATED, /* differences of high order: costly, as a reference */
} JacobianSource;

/* How a multistep method begins after an event: at order 1, or from a Runge-Kutta step at its
 * working order. AUTO: the latter where it pays. RK_STATE: also at the start of a run.
 * RK_NORDSIECK: so too, by extrapolation to any order. */
typedef enum { STARTER_AUTO, STARTER_CLASSIC, STARTER_RK_STATE, STARTER_RK_NORDSIECK } Starter;

/* ---- methods for systems of equations: algebra.c --------------------------------------------- */

typedef struct AlgebraicSystem AlgebraicSystem;

typedef struct {
    const char *name;                             /* "newton" */
    const char *summary;                          /* one line */
    EvalStatus (*solve)(AlgebraicSystem *system); /* RETRY: no solution was found */
} AlgebraicType;

extern const AlgebraicType *const algebraic_types[]; /* the first one is the default */
extern const size_t algebraic_type_count;
const AlgebraicType *algebraic_find(const char *name); /* NULL if there is none */

/* Whose errors choose the steps where unknowns come as several vectors (shape.systems): all, or
 * those of the first alone. */
typedef enum { ERRORS_OF_ALL, ERRORS_OF_FIRST } ErrorTest;
/* And whether the first is found before the others, or all are iterated together. */
typedef enum { CORRECTOR_STAGGERED, CORRECTOR_SIMULTANEOUS } Corrector;
/* How one-step methods choose step sizes; extrapolation has a way of its own. */
typedef enum {
    CONTROLLER_OWN,
    CONTROLLER_INTEGRAL,
    CONTROLLER_PI,
    CONTROLLER_PREDICTIVE,
    CONTROLLER_FILTER
} Controller;

/* A Jacobian of f by differences, as an integrator gets it. */
typedef struct {
    double t, h;
    const double *y, *values, *delta; /* delta: of what narrow increments were taken */
    size_t size;                      /* of the values */
    bool is_careful;                  /* a ladder of increments was compared */
} JacobianMade;

typedef struct SolverOptions SolverOptions;
/* Zeros are the defaults; solver_options gives the usual tolerances. */
struct SolverOptions {
    double rtol, atol;
    const double *atol_each; /* n, instead of atol; copied */
    double initial_step;     /* 0: chosen */
    double max_step;         /* 0: none */
    double min_step;         /* 0: by rounding only */
    /* > 0: steps of this size without error control (methods with SOLVE_FIXED) */
    double fixed_step;
    long max_steps;        /* attempts in the life of the solver; 0: 100 million */
    int max_order;         /* 0: the method's own */
    ErrorTest error_test;  /* of own methods */
    Corrector corrector;   /* of implicit Runge-Kutta and BDF methods */
    Controller controller; /* of one-step methods */
    /* with several systems: errors of the first vector alone count, where the method can tell them
     * apart */
    bool first_errors;
    /* values between steps are asked for, too, and shall not be much worse than at their ends */
    bool between;
    bool in_pieces; /* f is smooth in pieces only: no method that has a history is chosen for it */
    JacobianSource jacobian;
    const AlgebraicType *algebraic; /* what finds consistent initial values; NULL: the default */
    Starter starter;
    int starter_order;              /* of RK_NORDSIECK; 0: 4 */
    const IncrementType *increment; /* NULL: the default rule */
    double increment_c0;            /* 0: the rule's own */
    /* of all evaluations, that the default rule may take beyond one a colour; 0: a quarter; 1: no
     * limit */
    double increment_share;
    IncrementPost increment_post;
    IncrementMemory increment_memory;
    StepLog *record;       /* where accepted steps are written; NULL: nowhere */
    const StepLog *replay; /* steps to repeat; after the last one control goes on by itself */
    /* is told of each Jacobian by differences; may evaluate the model; NULL: nobody */
    void (*made)(void *arg, Model *model, const SolverOptions *options, const JacobianMade *made);
    void *made_arg;
};

SolverOptions solver_options(double rtol, double atol);

#endif
