/* tables.h: what stays of a compiled model: tables, and code behind one function. */
#ifndef ACAUSAL_RUN_TABLES_H
#define ACAUSAL_RUN_TABLES_H

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
    /* results of impure functions, each after the number of the event they are from */
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
       RUN_IS_INTEGER = 16,
       RUN_IS_BOOLEAN = 32
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
    uint32_t eq;       /* for messages */
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
    void *owner;  /* for the functions below */
    size_t stack; /* cells that its functions need; 0: the usual ones */
    const void *code;
    /* runs a function without arguments */
    RtStatus (*call)(const void *code, uint32_t function, Rt *rt);
    /* For messages; NULL where there is nothing to tell: writes where something came from; finds
     * what in a function made the first value that is not finite. */
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

#endif
