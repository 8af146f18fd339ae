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
 * while stepping, but for the log of a recorded run.
 *
 * Methods are rows of a table (registry.c); nobody switches on names. solver_step finds roots
 * for all methods alike and stops at the right end of the bracket; the side of an indicator is
 * remembered, never taken from a rounding error. Jacobians, mass matrices and iteration matrices
 * share one storage order. What the default rule of increments learns is kept with the Jacobian,
 * not in the rule. State that is saved may be named by where its vector is at the time
 * (solver_keep_place), so that vectors change places instead of being copied. The files with
 * their details are described by their opening comments. All that knows SUNDIALS is sundials.c;
 * what its API does not give, the state of an integrator, is made again by repeating steps. A
 * model may be split into a slow and a fast part (ModelType.split), which only IMEX methods look
 * at. Nominal values and bounds are part of a model's shape, valid from initialise on. sim/
 * drives any hybrid Model; it knows nothing of Modelica. */
#ifndef ACAUSAL_SOLVE_H
#define ACAUSAL_SOLVE_H

#include "solve/options.h"

typedef struct Solver Solver;
typedef struct SolverType SolverType;
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
 * ones, complex_solves those among `solves`. */
typedef struct {
    long steps, rejected_error, rejected_newton, rejected_model;
    long f, f_jacobian, jacobians, factors, solves, newton, indicators, roots, restarts;
    long complex_factors, complex_solves;
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
/* Of its steps with error control, of one with several orders the first. False: it is no Runge-
 * Kutta method. */
bool solver_tableau(const SolverType *type, RkTableau *tableau);
/* Of its fixed steps, which some methods take without what their estimate is for. */
bool solver_fixed_tableau(const SolverType *type, RkTableau *tableau);

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

/* The whole state of the integrator as bytes, for any process of this build: a restored solver made
 * for the same problem and options takes the same steps. The model's own state is not
 * part of it. */
/* 0: a method of another library with too many limits since its restart */
size_t solver_save_size(const Solver *s);
void solver_save(const Solver *s, void *to);
bool solver_restore(Solver *s, const void *from, size_t size);

#endif
