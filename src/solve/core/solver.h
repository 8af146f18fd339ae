/* solver.h: the common part of every integrator: its struct, what is saved of it, evaluations,
 * failures, accepted steps, the ends of steps, and roots of indicators.
 *
 * To write a method: a folder of methods/ with a struct that begins with `Solver base` (or `OneStep
 * one`, `MultiStep multi`), a row in registry.c, and the five functions of SolverType. In setup
 * allocate from s->arena and name everything that must survive save and restore with solver_keep /
 * solver_keep_lu: all that changes from step to step, scalars included (put them in one
 * sub-struct). Evaluate through solver_f and solver_residual, which count and turn NaN into
 * EVAL_RETRY. Report failures with solver_fail. When a step is accepted call solver_accept. */
#ifndef ACAUSAL_SOLVE_SOLVER_H
#define ACAUSAL_SOLVE_SOLVER_H

#include "solve/solve.h"
#include <float.h>
#include <math.h>

#define UROUND DBL_EPSILON
#define ROOT_U 0x1p-26 /* its root */

typedef struct {
    void *at;
    double **vector; /* or where the vector is; then: */
    size_t size;
    Lu *lu;               /* or factors; then: */
    const bool *factored; /* false: nothing to save yet */
    bool is_stats;        /* whose words stay those of this solver */
} KeptSpan;

static inline void *kept_at(const KeptSpan *span) { return span->vector ? *span->vector : span->at; }

/* ---- roots.c --------------------------------------------------------------------------------- */

enum { ROOT_POINTS = 8, ROOT_DEPTH = 32 };

typedef struct {
    int m;
    double *low, *high, *middle; /* indicator values at the ends of the bracket and between */
    double *past[ROOT_POINTS];   /* the last values, newest first, that interpolation may use */
    double *near[ROOT_POINTS];   /* the same of the search for one root */
    double t_near[ROOT_POINTS];
    int near_points;
    double *later[ROOT_DEPTH]; /* at the ends of parts of a step that are still to be searched */
    double *y;
    signed char *side; /* the sign an indicator has for us; 0 before it was seen to differ from 0 */
    signed char *found;
    struct {
        double t_low; /* up to here all roots are known */
        double t_root;
        double t_past[ROOT_POINTS];
        int points;
        bool started, pending; /* pending: [t_low, t] of the last step is still to be searched */
        bool kept;             /* the rest of a step goes on after an event that changed nothing */
    } at;
} Roots;

/* For SolverType.tolerance_power: an estimate O(h^(q+1)) makes errors follow the tolerance where
 * the solution has order q + 1, and its power q/(q+1) where it has order q only: half way
 * between. */
#define BETWEEN_ORDERS(q) (2.0 * ((q) + 1) / (2.0 * (q) + 1))
/* Where it has order q and no more. */
#define AT_ORDER(q) (((q) + 1.0) / (q))

/* ---- the common part of every integrator ----------------------------------------------------- */

struct Solver {
    const SolverType *type;
    Arena *arena;
    Model *model;
    int n;
    SolverOptions options;
    double *atol;       /* n */
    double calibration; /* what rtol and atol were multiplied with, by the type's tolerance_power */
    double *y;          /* n, the solution at core.t */
    double *yp;         /* n, derivatives for residual forms; else may be unused */
    struct {
        double t, t_old; /* the last step; equal before the first */
        double t_end;
        double direction; /* +1 or -1 */
        long attempts;
        uint32_t replayed; /* records used */
        int restarted;     /* set until the next accepted step */
    } core;
    SolverStats stats;
    SolverFailure failure;
    Roots roots;
    /* for the log, where a method solves stages one by one */
    unsigned char stage_iterations[RECORD_STAGES];
    double start_rate; /* ||f(y + h f) - f(y)|| / (h ||f||) as start_step saw it */
    int blamed;        /* the component that made the last trial fail, -1 if unknown */
    VEC(KeptSpan) kept;
    double *sharp[5]; /* scratch of solver_sharp */
};

/* Names memory that save and restore must carry. */
void solver_keep(Solver *s, void *at, size_t size);
void solver_keep_lu(Solver *s, Lu *lu, const bool *factored);
/* n doubles that are kept, and n that are not; both begin as zeros. */
double *solver_kept_vector(Solver *s);
double *solver_vector(Solver *s);
/* Makes *vector, and keeps whatever vector that is when state is saved or restored: it may change
 * places with another one, which saves copies. */
void solver_keep_place(Solver *s, double **vector);
static inline void vector_swap(double **a, double **b)
{
    double *other = *a;
    *a = *b;
    *b = other;
}

/* F(t, y, y'), counted; NaN and infinities become EVAL_RETRY with the component blamed. */
EvalStatus solver_residual(Solver *s, double t, const double *y, const double *yp, double *r);

/* Fills s->failure and returns STEP_FAILED. The text gets t, h and, if component >= 0, its name
 * added. */
StepStatus solver_fail(Solver *s, FailKind kind, double h, int component, const char *what, ...)
    PRINTF_LIKE(5, 6);
/* Books an accepted step: s->core.t_old, t, statistics, the log. `done` holds what Newton did. */
void solver_accept(Solver *s, double t_new, double h, int order, int iterations, unsigned flags);
/* The step to repeat, or NULL when none is recorded (any more). */
static inline const StepRecord *solver_replay(const Solver *s)
{
    const StepLog *log = s->options.replay;
    return log && s->core.replayed < log->steps.n ? &log->steps.at[s->core.replayed] : NULL;
}
/* The part of the tolerance asked for that (tolerance / 1e-6)^power 1e-6 is; at most 1. */
double solver_calibration(const Solver *s, double power);
/* that steps are held to beyond what is asked for: rounding errors of steps are as large */
#define FINEST_RTOL 5e-14
/* The smallest step that still moves t. */
double solver_least_step(const Solver *s);
/* Counts an attempt; false (failure set) when there were too many. */
bool solver_count_attempt(Solver *s, double h);

/* ---- trials and the ends of steps ------------------------------------------------------------ */

typedef enum {
    TRY_OK,
    TRY_NEWTON,   /* no convergence: again with one->retry_factor * h */
    TRY_MODEL,    /* f failed or gave NaN */
    TRY_SINGULAR, /* iteration matrix */
    TRY_FATAL     /* the model gave up */
} TryResult;

static inline TryResult of_eval(EvalStatus status)
{
    return status == EVAL_OK ? TRY_OK : status == EVAL_FATAL ? TRY_FATAL : TRY_MODEL;
}

/* Size and end of the next attempt. */
typedef struct {
    double h, t_new;
    bool last;    /* ends at the limit */
    bool clipped; /* smaller than proposed because of the limit */
} StepPlan;

/* Cuts or stretches the proposal h to the limit, for all drivers. */
StepPlan solver_plan(const Solver *s, double h, double t_limit);
/* The failure in words when trials end like `result` down to the smallest step; error and weight
 * find the blame. */
StepStatus solver_collapse(Solver *s, TryResult result, double h, const double *error, const double *weight);
/* Counts a trial that was not accepted. */
void solver_reject(Solver *s, TryResult result);

/* ---- roots.c --------------------------------------------------------------------------------- */

void roots_setup(Solver *s);
/* Looks at the part of the last step that is not yet searched. TAKEN: no root; ROOT; FAILED. */
StepStatus roots_search(Solver *s);
/* After a trial of size h that failed: the step to shortly after the first root that the solution
 * so far foretells inside of it; 0: none is. f may change its law there, so that no step over it
 * can succeed. */
double roots_aim(Solver *s, double h);
/* The search begins anew at t, where indicators may have other values. */
void roots_restart(Solver *s, double t);

#endif
