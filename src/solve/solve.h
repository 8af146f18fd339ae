/* solve.h: every integrator behind one interface.
 *
 *     Problem problem = { &model, t0, t_end, y0, NULL };
 *     Solver *s = solver_create(solver_find("radau5"), &problem, &options, &failure);
 *     do status = solver_step(s, t_end); while (status == STEP_TAKEN);
 *     solver_destroy(s);
 *
 * solver_step takes one step of the method's own choice, never beyond t_limit (time events are
 * stepped to exactly), in either direction of time. On the step just taken, [solver_t_old,
 * solver_t], solver_interpolate gives the solution with the order of the method's dense output.
 * Roots of the model's indicators are found here, for all methods alike: STEP_ROOT stops at the
 * right end of the root's bracket, solver_t_root; the caller handles the event and calls
 * solver_restart, or just steps on if nothing changed; then the rest of the step comes as a step of
 * its own. Methods are rows of the table solver_types; nobody switches on names. Nothing allocates
 * while stepping, but for the log of a recorded run. */
#ifndef ACAUSAL_SOLVE_H
#define ACAUSAL_SOLVE_H

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

/* Whose errors choose the steps where unknowns come as several vectors (shape.copies): all, or
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
    /* with copies: errors of the first vector alone count, where the method can tell them apart */
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
    /* where own methods add what linear algebra takes; NULL: that is not measured */
    LuTimes *times;
};

SolverOptions solver_options(double rtol, double atol);

/* ---- what comes back ------------------------------------------------------------------------- */

typedef enum {
    STEP_TAKEN, /* on the way */
    STEP_LIMIT, /* t_limit is reached */
    STEP_ROOT,  /* an indicator changed sign at solver_t_root */
    STEP_FAILED /* see solver_failure; the last accepted solution is still there */
} StepStatus;

typedef enum {
    FAIL_NONE,
    FAIL_WRONG_INPUT,    /* options, or a model that the method cannot solve */
    FAIL_STEP_TOO_SMALL, /* the error test or Newton failed down to the smallest step */
    FAIL_TOO_MANY_STEPS,
    FAIL_MODEL,        /* the model gave up, or gave NaN down to the smallest step */
    FAIL_SINGULAR,     /* the iteration matrix stayed singular */
    FAIL_TOLERANCE,    /* asks for more digits than a double has */
    FAIL_INCONSISTENT, /* algebraic equations do not hold at the start */
    FAIL_MEMORY,
    FAIL_REPLAY /* the recorded steps do not fit this run */
} FailKind;

typedef struct {
    FailKind kind;
    double t, h;
    int component;  /* to blame, -1 if none */
    char text[240]; /* one line, for the user */
} SolverFailure;

/* Work. f_jacobian: evaluations for difference Jacobians, not in f. One real and one complex
 * factorisation of the same step count as one in `factors`; complex_factors counts the complex
 * ones, complex_solves those among `solves`. inverses: how many times one or up to four matrices at
 * once were inverted instead of factored; then all solves are products with them. */
typedef struct {
    long steps, rejected_error, rejected_newton, rejected_model;
    long f, f_jacobian, jacobians, factors, solves, newton, indicators, roots, restarts;
    long complex_factors, complex_solves, inverses;
    /* events after which the last step, or the history, went on */
    long kept;
    long starters;                           /* steps by the starters of multistep methods */
    long low_restarts;                       /* restarts of multistep methods at order 1 */
    double h_first, h_last, h_least, h_most; /* sizes */
    int order_last, order_most, colours;
    /* that took the last step: of one that chooses others, the one it chose */
    const SolverType *method;
    const char *jacobian_source; /* "exact", "dense differences", ...; "" if there is none */
    const char *increment;       /* the rule of differences, or "" */
    /* Jacobians that tried all increments, or took second differences */
    long learnt;
    char warning[200]; /* what was found wrong with the model; "" if nothing */
    char choice[120];  /* of a method that chooses others: which, and why */
} SolverStats;

/* What changed at an event. */
typedef enum {
    RESTART_JUMP, /* states and right-hand side may be new */
    RESTART_RHS,  /* only the right-hand side */
    /* nothing: history stays valid, the time is only moved back inside the last step */
    RESTART_UNCHANGED,
    /* nothing but what indicators depend on: the last step stays, its rest is searched for roots */
    RESTART_KEEP
} RestartHint;

/* ---- methods --------------------------------------------------------------------------------- */

enum {
    SOLVE_STIFF = 1u << 0,
    SOLVE_MASS = 1u << 1,       /* L y' = f with any constant L, index 1 */
    SOLVE_RESIDUAL = 1u << 2,   /* 0 = F(t, y, y') */
    SOLVE_HIGH_INDEX = 1u << 3, /* unknowns of index 2 and 3 */
    SOLVE_ADAPTIVE = 1u << 4,   /* error control */
    SOLVE_FIXED = 1u << 5,      /* takes fixed_step */
    SOLVE_VARIABLE_ORDER = 1u << 6,
    SOLVE_MULTISTEP = 1u << 7,
    SOLVE_RESTART_HIGH = 1u << 8, /* restarts above order 1 (one-step methods do by nature) */
    SOLVE_A_STABLE = 1u << 9,
    SOLVE_L_STABLE = 1u << 10,
    SOLVE_SYMPLECTIC = 1u << 11,
    SOLVE_REPLAY = 1u << 12,
    SOLVE_EXACT_JACOBIAN = 1u << 14, /* its order needs the whole Jacobian, not a part of it */
    /* of another library: restored by repeating the steps since the last restart, replays only what
     * is the same run */
    SOLVE_FOREIGN = 1u << 13,
    SOLVE_SPLIT = 1u << 15 /* treats the parts of a split model differently */
};

/* A row of the table. The functions are called through solver_... below, which count, check and
 * find roots. */
struct SolverType {
    const char *name;      /* "dopri5" */
    const char *family;    /* "explicit Runge-Kutta" */
    const char *summary;   /* one line */
    const char *reference; /* where it is published */
    unsigned can;          /* SOLVE_... */
    int order, order_most; /* most: of a variable-order method; else the same */
    int dense_order;       /* of interpolate: the error is O(h^(dense_order+1)) inside a step */
    const void *data;      /* the method's own table: a tableau */
    /* of the tolerance that steps are held to, so that errors at the end follow the one asked for;
     * 0: 1 */
    double tolerance_power;
    size_t size;              /* of its Solver struct, cleared memory */
    bool (*setup)(Solver *s); /* after the common part is filled; false: failure is set */
    StepStatus (*step)(Solver *s, double t_limit); /* TAKEN, LIMIT or FAILED */
    void (*interpolate)(const Solver *s, double t, double *y);
    double (*filter)(const Solver *s,
                     /* v = (c - J)^-1 v with the factors at hand (v NULL: nothing); c, or 0: none.
                      * May be NULL */
                     double *v);
    /* t and y are already set; false: failure is set */
    bool (*restart)(Solver *s, RestartHint hint);
    void (*destroy)(Solver *s);       /* what is not in the arena; may be NULL */
    bool (*restored)(Solver *s);      /* after a restore; may be NULL */
    bool (*savable)(const Solver *s); /* whether it can be saved now; NULL: always */
};

extern const SolverType *const solver_types[];
extern const size_t solver_type_count;
const SolverType *solver_find(const char *name); /* NULL if there is none */
const char *solver_nearest(const char *name);    /* a name for a hint, or NULL */
/* What runs when nobody says: auto, or with fixed steps a method that has them. */
const SolverType *solver_default(const Model *model, const SolverOptions *options);

/* A method from the text of a Butcher tableau (tableau.c says how that looks), explicit or
 * diagonally implicit; lives in the arena. NULL: *why says what is wrong. */
const SolverType *solver_of_tableau(Arena *arena, const char *name, Str text, const char **why);

/* A Runge-Kutta method in full: X_i = y + h sum_j a_ij f(t + c_j h, X_j), y1 = y + h sum_j b_j f(t
 * + c_j h, X_j). */
enum { RK_STAGES = 16 };
typedef struct {
    int stages;
    double a[RK_STAGES][RK_STAGES], b[RK_STAGES], c[RK_STAGES];
} RkTableau;
/* Of its fixed steps. False: it is no Runge-Kutta method. */
bool solver_tableau(const SolverType *type, RkTableau *tableau);

/* ---- a run ----------------------------------------------------------------------------------- */

/* NULL on failure, with *failure filled. Copies all but the model. */
Solver *solver_create(const SolverType *type, const Problem *problem, const SolverOptions *options,
                      SolverFailure *failure);
void solver_destroy(Solver *s); /* NULL is fine */
StepStatus solver_step(Solver *s, double t_limit);
/* At t in [t_old, t] (extrapolates a little beyond without complaint). */
void solver_interpolate(const Solver *s, double t, double *y);
/* The same for what people look at: stiff components are corrected until their derivatives are
 * right, too. */
void solver_sharp(Solver *s, double t, double *y);
/* Goes on from (t, y); yp as in Problem. False: see solver_failure. */
bool solver_restart(Solver *s, double t, const double *y, const double *yp, RestartHint hint);

double solver_t(const Solver *s);
double solver_t_old(const Solver *s);
const double *solver_y(const Solver *s); /* at solver_t */
double solver_t_root(const Solver *s);
/* After STEP_ROOT, for each indicator: +1 rose through 0, -1 fell, 0 no root. */
const signed char *solver_roots(const Solver *s);
SolverStats solver_stats(const Solver *s);
const SolverFailure *solver_failure(const Solver *s);

/* The whole state of the integrator as bytes, in memory of this process and build: a restored
 * solver made for the same problem and options takes the same steps. The model's own state is not
 * part of it. */
/* 0: a method of another library with too many limits since its restart */
size_t solver_save_size(const Solver *s);
void solver_save(const Solver *s, void *to);
bool solver_restore(Solver *s, const void *from, size_t size);

/* ---- audit.c: how good difference Jacobians are ---------------------------------------------- */

enum { AUDIT_WORST = 10 };

/* A rule over all entries at all points. */
typedef struct {
    const IncrementType *type;
    long entries, near;    /* compared; of these, within 10 times of the best that can be had */
    long sums, exact_sums; /* increments; of these, with y + delta exact */
    /* whose largest weighted error is within 10 times of the least that one increment gives */
    long near_columns;
    double log_error; /* sum over entries of log10 of the relative error */
    double worst;     /* the largest relative error */
} AuditRule;

/* A column under a rule at a point: the increment, bounds of the three errors, and the largest
 * error. */
typedef struct {
    double t, y, nominal, delta;
    bool is_exact;
    double truncation, cancellation, data, error;
} AuditCell;

typedef struct {
    int row, column;
    double t, want, got, delta;
    double allowed, ratio; /* the best that can be had, and the error in terms of it */
} AuditEntry;

typedef struct Audit Audit;
typedef void (*AuditVisit)(void *arg, int unknown, size_t rule, const AuditCell *cell);

/* For a model with derivatives, from the point (t, y) on; NULL: *why says why not. */
Audit *audit_new(Model *model, const SolverOptions *options, double t, const double *y, const char **why);
void audit_free(Audit *audit);
/* Compares all rules here; h: the size of the steps. `visit` may be NULL. False: f or its Jacobian
 * cannot be had here. */
bool audit_point(Audit *audit, double t, const double *y, double h, AuditVisit visit, void *arg);
const AuditRule *audit_rule(const Audit *audit, size_t rule); /* NULL beyond the last */
/* Judges a Jacobian that an integrator got. False: f or its Jacobian cannot be had there. */
bool audit_made(Audit *audit, const JacobianMade *made);
/* All those together: where a ladder of increments was compared, and where not. */
const AuditRule *audit_of_made(const Audit *audit, bool is_careful);
const char *audit_reference(const Audit *audit);
int audit_colours(const Audit *audit); /* evaluations of a difference Jacobian */
/* The entries that the default rule does worst on; returns how many. */
int audit_worst(const Audit *audit, const AuditEntry **entries);

#endif
