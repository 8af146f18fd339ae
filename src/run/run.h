/* run.h: the door of the run room: a compiled model while it runs, in process and inside of
 * exported FMUs alike: initial values, evaluation, events, derivatives. C99 with libc and libm
 * only, so that it can be shipped as source.
 *
 * A RunModel is all that stays: tables, and code behind one function. gen/ makes it from a
 * System, and writes it as C text for an FMU. A RunInstance is one instance: all that changes.
 * Several may run in several threads at once; nothing is allocated while one is evaluated. f is
 * pure: between two calls of run_accepted it gives the same values for the same arguments.
 *
 * gen/tables.c brings all that an instance needs of a compiled model into plain tables, a
 * RunModel; run/ works on these and on code behind one function. In process that is machine
 * code; export/tables.c writes the same tables as C text, and the code as the C of ir/print_c.c.
 * So an FMU runs the files of rt/ and run/ that the program runs, and gives the same bits. All
 * arrays of an instance lie in one store, those of its state first, so saving is copying. unit/
 * keeps the modes of FMI over it: values are computed when they are read, inputs only mark them
 * as outdated. */
#ifndef ACAUSAL_RUN_H
#define ACAUSAL_RUN_H

#include "run/tables.h"

/* ---- an instance ----------------------------------------------------------------------------- */

RunInstance *run_new(const RunModel *model); /* NULL when memory is out */
void run_free(RunInstance *run);
Rt *run_rt(RunInstance *run);
const RunModel *run_model(const RunInstance *run);
/* From now on functions are called through `model`, whose tables are those of the instance's own:
 * for those who watch a run. */
void run_watch(RunInstance *run, const RunModel *model);
/* What the model prints, line by line. */
void run_listen(RunInstance *run, void (*say)(void *arg, const char *text), void *arg);
const double *run_values_now(const RunInstance *run); /* by variable: as they were computed last */
double *run_memory(RunInstance *run, Memory memory);
double *run_tearing(RunInstance *run);
/* The usual size of a variable as the model says it: 1 where it does not. */
double run_nominal(const RunInstance *run, uint32_t var);
const char *run_message(const RunInstance *run); /* of the last failure; "" */

/* What the last failure that has a place was about. */
typedef struct {
    uint32_t source;      /* as SOURCE_... says, or an equation; RUN_NONE: nothing failed yet */
    uint32_t block;       /* that was not solved; RUN_NONE: it was no block */
    int why;              /* of a block: RtSolve; RT_SINGULAR also of linear ones */
    int iterations;       /* of Newton's method */
    bool at_start;        /* while the initial equations were solved */
    double t;             /* when */
    const double *values; /* by variable, as they were when it failed */
    const double *guess;  /* of the block's tearing variables: where it began */
} RunFailure;
const RunFailure *run_failure(const RunInstance *run);

/* What an event did. */
typedef struct {
    bool y_changed; /* reinit, or another choice of states */
    /* y_changed is for another choice of states: no value of the model jumped */
    bool states_selected;
    bool rhs_changed; /* a discrete variable or a relation has another value */
    bool terminate;   /* the model wants to end; `message` says why */
    double next_time; /* the next time event; INFINITY if there is none */
    double max_step;  /* no step until the next event may be longer; 0: no limit */
    int iterations;
    const char *message; /* valid until the next call; NULL if there is none */
} RunEvent;

/* From now on `interrupt` is called before equations are solved together; if it returns true, that
 * fails for good. NULL: no more. */
typedef bool (*RunInterrupt)(void *arg);
void run_set_interrupt(RunInstance *run, RunInterrupt interrupt, void *arg);
/* From another thread: code that runs fails at its next round of a loop or call. */
void run_cut_short(RunInstance *run);
/* A parameter or start value before the start, an input at any time. False: *why says why not. */
bool run_set(RunInstance *run, uint32_t variable, double value, const char **why);
/* Values can be set again, to be followed by another beginning. */
void run_reopen(RunInstance *run);
/* Parameters, start values, nominals and bounds: what the initial equations are solved from. */
RunStatus run_prepare(RunInstance *run, double t);
/* The initial equations at t, without the event that follows: run_event at the same point. */
RunStatus run_begin(RunInstance *run, double t, double *y);
RunStatus run_initialise(RunInstance *run, double t, double *y, RunEvent *info); /* both */
RunStatus run_event(RunInstance *run, double t, double *y, RunEvent *info);
RunStatus run_terminal(RunInstance *run, double t, double *y,
                       RunEvent *info); /* the last one: terminal() holds */
/* Parameters again, after one was set after the start; for models without external objects. */
RunStatus run_tune(RunInstance *run, uint32_t variable, double value, const char **why);

RunStatus run_derivatives(RunInstance *run, double t, const double *y, double *f);
RunStatus run_indicators(RunInstance *run, double t, const double *y, double *g);
/* all, to be read by run_values_now */
RunStatus run_values(RunInstance *run, double t, const double *y);
/* A step ended here. True asks for an event, though no indicator crossed zero. */
bool run_accepted(RunInstance *run, double t, const double *y);
/* How far what histories are to note is from what their last points predict, as a share of its
 * size. */
double run_extrapolation_error(RunInstance *run, double t, const double *y);
/* Entries of df/dx, those of the pattern, column by column within a colour. */
typedef void (*RunPut)(void *arg, int row, int column, double value);
RunStatus run_jacobian(RunInstance *run, double t, const double *y, RunPut put, void *arg);
/* The same by one pass, where the model has gradients: as they stand in MEM_ENTRIES. */
RunStatus run_entries(RunInstance *run, double t, const double *y);
/* A product with these entries. */
void run_entries_times(const RunInstance *run, const double *dy, double *df);
/* Changes of some variables at a point, one direction after the other: those of states and inputs
 * are in MEM_TANGENT, all of them, and those of the targets will be. */
RunStatus run_prepare_direction(RunInstance *run, RunTargets of, double t, const double *y);
RunStatus run_direction(RunInstance *run, RunTargets of);
/* A warning that was not told yet; valid until the next call; NULL: none. */
const char *run_notice(RunInstance *run);

/* For the residual form of gen/: parts of the above. */
void run_set_point(RunInstance *run, double t, const double *y);
/* after memories were changed from outside: what was computed does not count */
void run_forget(RunInstance *run);
RunStatus run_call(RunInstance *run, uint32_t function);
RunStatus run_fail(RunInstance *run, RunStatus status, const char *format, ...) RUN_PRINTF(3, 4);

/* For straight code of gen/, which runs on the memories of an instance and on some of its own. */
const RtArray *run_memories(const RunInstance *run); /* MEM_COUNT */

/* ---- products with the Jacobians of maps, where there is a tape ------------------------------ */

typedef enum {
    RUN_MAP_INITIAL,     /* y at the start, then the discrete Reals of the tape */
    RUN_MAP_DERIVATIVES, /* f */
    RUN_MAP_VALUES,      /* by variable */
    RUN_MAP_INDICATORS,
    RUN_MAP_RESET,      /* y and discrete Reals after the last event, from those before it */
    RUN_MAP_EVENT_TIME, /* the time of the last event, if it was a time event */
    RUN_MAP_COUNT,
    /* f and residuals of blocks, whose tearing variables follow the states in y */
    RUN_MAP_GIVEN = RUN_MAP_COUNT
} RunMap;

/* A change of all that a map depends on; or the gradient in it. */
typedef struct {
    double t;
    double *y; /* NULL: none */
    int count;
    const int *variables; /* count: which of the model's variables */
    double *p;            /* count */
} RunChange;

/* The derivatives at the point where f was linearised last; false: the model has assertions, which
 * that does not check. */
bool run_slopes(const RunInstance *run, double *f);
RunStatus run_linearise(RunInstance *run, RunMap map, double t, const double *y);
/* RUN_MAP_GIVEN, where derivatives were computed last. */
RunStatus run_linearise_given(RunInstance *run);
RunMap run_map(const RunInstance *run); /* that was linearised last */
/* Several directions at once, all of the same variables. */
RunStatus run_jvp(RunInstance *run, int count, const RunChange *changes, double *const *results);
RunStatus run_vjp(RunInstance *run, const double *weights, RunChange *gradient);
/* parameters.c: the same of RUN_MAP_DERIVATIVES for changes of these variables alone, y and t held.
 * NULL: not for this model, or memory is out. */
typedef struct RunPlan RunPlan;
RunPlan *run_plan_new(const RunModel *model, int count, const int *variables, int directions);
void run_plan_free(RunPlan *plan);
/* NULL: no */
bool run_plan_serves(const RunPlan *plan, int count, const int *variables, int directions);
void run_plan_jvp(const RunInstance *run, RunPlan *plan, int count, const RunChange *changes,
                  double *const *results);
/* For the residual form: partial derivatives of a part at the present point; changes of derivatives
 * and residuals for those of states and tearing variables in the changes by column. */
RunStatus run_partials(RunInstance *run, TapeSection section);
void run_forward_given(RunInstance *run, double *residuals);
double *run_changes(RunInstance *run);   /* by column */
double *run_residuals(RunInstance *run); /* room for those of all blocks that derivatives need */

/* ---- the whole state of an instance ---------------------------------------------------------- */

size_t run_save_size(const RunInstance *run); /* bytes, as it is now */
void run_save(const RunInstance *run, void *to);
/* False: it is none of this model, or memory is out; the instance is as it was. */
bool run_restore(RunInstance *run, const void *from, size_t size);

/* Code that is a table of entries, as the C text of a module has it. */
typedef struct {
    const RtEntry *entries;
    uint32_t count;
} RunEntries;
RtStatus run_call_entries(const void *entries, uint32_t function, Rt *rt);

#endif
