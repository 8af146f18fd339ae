/* run.h: the door of the run room: a compiled model while it runs, in process and inside of
 * exported FMUs alike: initial values, evaluation, events, derivatives. C99 with libc and libm
 * only, so that it can be shipped as source.
 *
 * A RunModel is all that stays: tables, and code behind one function. gen/ makes it from a System,
 * and writes it as C text for an FMU. A RunInstance is one instance: all that changes. Several may
 * run in several threads at once; nothing is allocated while one is evaluated. f is pure: between
 * two calls of run_accepted it gives the same values for the same arguments. */
#ifndef ACAUSAL_RUN_H
#define ACAUSAL_RUN_H

#include "rt/rt.h"

#include <stdbool.h>

#if defined(__GNUC__)
#define RUN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define RUN_PRINTF(text, first)
#endif

#define RUN_NONE UINT32_MAX

typedef enum {
    RUN_OK,
    RUN_RETRY, /* not defined here: try a smaller step */
    RUN_FATAL  /* give up */
} RunStatus;

/* The memories of an instance, all of Reals. */
typedef enum {
    MEM_VALUE,   /* by variable */
    MEM_PRE,     /* by variable: before the event */
    MEM_TANGENT, /* by variable: change in a direction */
    MEM_SET,     /* by variable: 1 if set from outside */
    MEM_GIVEN,   /* by variable: to what */
    MEM_NOMINAL, /* by variable */
    MEM_MIN,     /* by variable */
    MEM_MAX,
    MEM_RELATION, /* what relations are held to be */
    MEM_LIVE,     /* what they are now */
    MEM_MODE,     /* time, initial, terminal */
    MEM_SAMPLE,   /* 1 while a sample fires */
    MEM_TIMES,    /* of time events: relations, then start and interval of samples */
    MEM_RESIDUAL, /* of the block being solved */
    MEM_JACOBIAN,
    MEM_INDICATOR,
    MEM_FIRE, /* reinits: condition, value; then checks */
    /* results of impure functions, each behind the number of the event they are from */
    MEM_ONCE,
    MEM_SETS,      /* matrices of dynamic state sets */
    MEM_REDUNDANT, /* both sides of conditions at the start that others imply */
    MEM_HISTORY,   /* RT_HISTORY_PARTS a history, then what lies between their ends at the start */
    MEM_PARTIAL,   /* of a tape: partial derivatives */
    /* gradients in the states on their way from function to function, and from here on */
    MEM_GRADIENT,
    MEM_ENTRIES, /* of df/dx, in the order of its pattern: no part of an instance's state */
    MEM_COUNT
} Memory;
/* MODE_START: until the first event is over. Relations with time are as they are written then, and
 * change, where that is not what they are from there on, by an event at once. */
enum { MODE_TIME, MODE_INITIAL, MODE_TERMINAL, MODE_EVENT, MODE_LAMBDA, MODE_START, MODE_COUNT };

/* What an instruction came from: an equation, the declaration of a variable, a statement of a
 * function, an assertion. */
enum { SOURCE_STATEMENT = 0x40000000, SOURCE_VARIABLE = 0x20000000, SOURCE_CHECK = 0x10000000 };

/* ---- what stays ------------------------------------------------------------------------------ */

typedef enum {
    RUN_CONSTANT,
    RUN_PARAMETER,
    RUN_INPUT,
    RUN_DISCRETE,
    RUN_STATE,
    RUN_DERIVATIVE,
    RUN_ALGEBRAIC
} RunRole;

enum {                     /* traits of a variable */
       RUN_IS_REAL = 1,    /* and no Integer, Boolean, String... */
       RUN_IS_OBJECT = 2,  /* external */
       RUN_STARTS = 4,     /* it has a start value: no constant, no parameter that is given */
       RUN_START_SAID = 8, /* and the model says which */
       RUN_IS_INTEGER = 16
};

/* A variable as the user knows it. Aliases share a value. */
enum {
    RUN_NEGATED = 1,
    RUN_SETTABLE = 2, /* before the start: a parameter, or a start value */
    RUN_GIVEN = 4     /* an input: at any time */
};
typedef struct {
    uint32_t var;
    uint8_t flags;
} RunVariable;

/* A block that is solved by iteration: functions over the memories. */
typedef struct {
    bool is_linear;
    int n;
    const uint32_t *vars;                 /* n */
    const uint32_t *eqs;                  /* n: for messages */
    uint32_t residual, jacobian, tangent; /* tangent: RUN_NONE where no derivatives are needed */
    uint32_t tearing;                     /* where its tearing variables begin in the instance */
    uint32_t lu;                          /* where its factors begin */
    const RtPattern *pattern;             /* of its Jacobian; NULL: its factors are dense */
    uint32_t sparse;                      /* else the number of its factors */
} RunBlock;

/* One step of a program: a function, or a block if that is not RUN_NONE. */
typedef struct {
    uint32_t run, tangent, block;
} RunStep;

typedef struct {
    const RunStep *at;
    uint32_t n;
} RunProgram;

/* One step of the pass that makes the Jacobian or a direction: a function; then, for a block that
 * is not RUN_NONE, its factors turn the gradients of its residuals, a matrix at `place` of
 * MEM_GRADIENT, column by column, into those of its unknowns. */
typedef struct {
    uint32_t run, block, place, columns;
} RunGradient;

/* A dynamic state set: states = select * vars; see sets.c. */
typedef struct {
    uint32_t rows, columns;
    const uint32_t *vars, *states, *selectors;
} RunSet;

/* AT_EVENTS: asked while an event is solved, or the start */
enum { RUN_CHECK_ASSERT = 1, RUN_CHECK_WARNING = 2, RUN_CHECK_AT_EVENTS = 4 };
typedef struct {
    uint8_t flags; /* without any: it ends the run */
    uint32_t text; /* a function that fails with its text; RUN_NONE: it is known */
    const char *message;
} RunCheck;

/* A condition at the start that others imply. */
typedef struct {
    bool is_start;     /* a start value, not an equation */
    uint32_t name;     /* a variable of it; RUN_NONE: time alone */
    uint32_t first, n; /* its variables, in redundant_vars */
} RunRedundant;

typedef struct {
    uint32_t var, eq;
} RunDivisor; /* an equation that divides by a parameter */

/* ---- tapes: partial derivatives of all maps, sparse ----
 *
 * A column is a variable, time, a value before an event or at the start (`pre`), or a result that
 * is no variable. Rows say how the change of one column follows from those of others. */
typedef struct {
    uint32_t column, place; /* place: in MEM_PARTIAL */
} TapeEntry;

typedef struct {
    uint32_t target, first, n; /* a column; entries */
} TapeRow;

/* Rows one after the other; or, with tear_n > 0, a block: rows of its assignments, then tear_n of
 * its residuals. */
typedef struct {
    uint32_t first, n, tear_n;
    const uint32_t *tears;
    uint32_t lu, pivot; /* where its factors begin */
} TapeStep;

typedef enum {
    SECTION_PARAMETERS,
    SECTION_START,
    SECTION_INITIAL,
    SECTION_CONSTANTS,
    SECTION_DERIVATIVES,
    SECTION_REST,
    SECTION_INDICATORS,
    SECTION_RESETS,
    SECTION_DISCRETE,
    SECTION_TIMES,
    SECTION_DISCRETE_INITIAL,
    SECTION_COUNT
} TapeSection;

typedef struct {
    const TapeStep *steps;
    uint32_t step_count;
    const uint32_t *partials; /* functions that compute its partial derivatives */
    uint32_t partial_count;
} RunSection;

/* Straight code for changes of some variables in one direction of states and inputs, in the tape's
 * module. No steps: there is none. */
typedef enum { RUN_OF_DERIVATIVES, RUN_OF_OUTPUTS, RUN_DIRECTIONS } RunTargets;
typedef struct {
    const RunGradient *steps;
    uint32_t step_count;
    /* variables whose changes it writes to MEM_TANGENT, unless they are states or inputs */
    const uint32_t *targets;
    uint32_t target_count;
} RunDirection;

typedef struct {
    const void *code; /* as that of the model: a module of its own */
    const TapeEntry *entries;
    const TapeRow *rows;
    RunSection sections[SECTION_COUNT];
    uint32_t columns, time, pre, indicators, resets, times; /* where the kinds of columns begin */
    const double *constants; /* by place: numbers; others are written by code */
    uint32_t constant_count;
    uint32_t lus, pivots, largest;
    bool has_unknown_parameters; /* which the initial equations give */
    /* variables: Reals among discrete ones, whose changes are carried */
    const uint32_t *discrete;
    uint32_t discrete_count;
    RunDirection directions[RUN_DIRECTIONS];
} RunTape;

typedef struct RunInstance RunInstance;
typedef struct RunModel RunModel;
struct RunModel {
    void *owner; /* for the functions below */
    const void *code;
    /* runs a function without arguments */
    RtStatus (*call)(const void *code, uint32_t function, Rt *rt);
    /* For messages; NULL where there is nothing to tell: writes where something came from; finds
     * what in a function made the first value that is no number. */
    void (*place)(const RunModel *model, uint32_t source, char *out, size_t room);
    bool (*cause)(RunInstance *run, uint32_t function, uint32_t *source);

    uint32_t var_count;
    const uint8_t *role, *traits; /* by variable */
    const char *const *name;
    const double *start, *nominal, *min, *max; /* those that are numbers */
    uint32_t variable_count;
    const RunVariable *variables;

    uint32_t state_count;
    const uint32_t *states, *rates; /* variables: in the order of y, and their derivatives */
    uint32_t memory_size[MEM_COUNT], memory[MEM_COUNT];
    uint32_t parameters, destroy, first, relations, indicators, times, discrete, discrete_initial, fire,
        effects;
    /* functions; late: nominal values and bounds that wait for what initial equations give */
    uint32_t constraints, redundant, histories, late;
    RunProgram initial, constants, derivatives, rest;
    const RunBlock *blocks;
    uint32_t block_count, sparse_count;
    uint32_t tearing_count, lus,
        /* tearing variables and doubles of factors of all blocks; unknowns of the largest block */
        largest;
    const uint32_t *parameter_vars; /* that `parameters` computes */
    uint32_t parameter_count;

    uint32_t relation_count, indicator_count, sample_count, reinit_count, check_count, effect_count;
    const uint8_t *relation_is_time;
    const uint32_t *indicator_of; /* by relation; RUN_NONE: a time event */
    /* by relation: a variable in it, for its nominal value; RUN_NONE */
    const uint32_t *relation_var;
    const uint32_t *reinit_vars;
    const RunCheck *checks;
    uint32_t asserts, warnings; /* of those not at events */
    const uint32_t *discrete_vars, *discrete_initial_vars;
    uint32_t discrete_count, discrete_initial_count;
    const uint8_t *history_flags;   /* RT_HISTORY_FREE and others */
    const uint32_t *history_points; /* between the ends at the start */
    uint32_t history_count;
    const RunSet *sets;
    uint32_t set_count;
    const RunRedundant *redundants;
    const uint32_t *redundant_vars;
    uint32_t redundant_count;
    const RunDivisor *divisors;
    uint32_t divisor_count;
    bool has_terminal;

    const int *jacobian_start, *jacobian_row; /* of df/dx, by column; NULL: full */
    const int *colour_start, *colour_column;  /* NULL: a colour for each state */
    int colours;
    const RunGradient *gradients; /* NULL: directions of colours make the Jacobian */
    uint32_t gradient_count;
    const RunGradient *constant_gradients; /* of what depends on parameters alone */
    uint32_t constant_gradient_count;
    bool gradients_need_values; /* besides states: what equations compute */
    const RunTape *tape;        /* NULL: no derivatives but the Jacobian */
};

/* ---- an instance ----------------------------------------------------------------------------- */

RunInstance *run_new(const RunModel *model); /* NULL when memory is out */
void run_free(RunInstance *run);
Rt *run_rt(RunInstance *run);
const RunModel *run_model(const RunInstance *run);
/* What the model prints, line by line. */
void run_listen(RunInstance *run, void (*say)(void *arg, const char *text), void *arg);
const double *run_values_now(const RunInstance *run); /* by variable: as they were computed last */
double *run_memory(RunInstance *run, Memory memory);
double *run_tearing(RunInstance *run);
/* The usual size of a variable as the model says it: 1 where it does not. */
double run_nominal(const RunInstance *run, uint32_t var);
const char *run_message(const RunInstance *run); /* of the last failure; "" */

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
/* Parameters again, after one was set behind the start; for models without external objects. */
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
    RUN_MAP_RESET,      /* y and discrete Reals behind the last event, from those before it */
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
