/* dae.h: the door of the dae room: a flat model in, a System out: its equations as symbolic
 * expressions, sorted into blocks that can be computed one after the other, for the initial values
 * and for the time after them.
 *
 * Every value is a Real here: Integers and enumerations are whole numbers, Booleans 0 and 1. An
 * expression is a Sym, an index into one pool in which equal expressions are one node and children
 * have smaller ids than parents. A System lives in one arena and is never changed after
 * dae_build.
 *
 * Relations that make events are memories, changed in event mode only. Discrete Reals
 * that depend on themselves by way of continuous unknowns become unknowns of the continuous system
 * (dae/simultaneous.c). What waits for parameters that initial equations give is computed after
 * them: parameters as further unknowns, nominal values and bounds by a function of its own (late).
 * Variables with StateSelect.prefer or always that have no derivative get one where states of less
 * preference determine them by a few equations without jumps (dae/index.c, dae/smooth.c): pressure
 * and temperature of a volume become its states instead of mass and energy, so that tolerances are
 * about them, their start values count, and no evaluation has to invert the medium. States are
 * chosen by dummy derivatives: once where the pivots are numbers or parameters (variables that the
 * text says der() of are kept before others, even those to be avoided: a quaternion rather than
 * the matrix made of it; a preferred state gives way where it would need a pivot that may vanish),
 * else as a dynamic state set (dae/states.c, run/sets.c): states s = A v of the candidates v, with
 * a matrix of zeros and ones that is changed in event mode when accepted asks for it. The number
 * of states stays, no value of the model jumps, and the result has no row of it.
 *
 * Where passes have to tell large from small before there is code, dae/estimate.c has numbers:
 * parameters with the calls in their bindings run, and unrelated numbers for what nobody knows.
 * dae/rank.c finds linear blocks that are singular whatever is set, which no matching can see.
 * dae/combinations.c finds before that constraints which only sums of equations say, in whole
 * numbers and by equal factors, and writes the sum in place of one of them, so that structure sees
 * what is constrained. dae/verify.c checks a finished system (links, order, every unknown computed
 * once), by an assertion and in tests. */
#ifndef ACAUSAL_DAE_H
#define ACAUSAL_DAE_H

#include "dae/sym.h"

/* ---- variables, equations -------------------------------------------------------------------- */

typedef enum {
    ROLE_CONSTANT,  /* a literal or evaluated parameter, a constant */
    ROLE_PARAMETER, /* computed or set before the start */
    ROLE_INPUT,
    ROLE_DISCRETE,
    ROLE_STATE,
    ROLE_DERIVATIVE, /* of a state */
    ROLE_ALGEBRAIC   /* dummy derivatives too */
} Role;

typedef enum { SELECT_NEVER, SELECT_AVOID, SELECT_DEFAULT, SELECT_PREFER, SELECT_ALWAYS } StateSelect;

typedef struct {
    const char *name;
    VarId flat;         /* NONE: made here */
    uint8_t role, type; /* Role, Base */
    uint8_t select;     /* StateSelect */
    bool is_fixed, has_start, is_unknown_parameter;
    bool is_given; /* of a discrete variable: it has its equation */
    /* it is in a dynamic state set, as a candidate or as a state made for it */
    bool in_set;
    bool is_kept;         /* a state, or one of a set that would be one near the start values */
    uint32_t der, der_of; /* variables; NONE if there is none */
    uint32_t state;       /* its number among the states; NONE */
    Sym start, nominal;   /* never NONE: 0 and 1 by default */
    bool has_min, has_max;
    Sym min, max; /* where it has them */
    Sym binding;  /* of a parameter; NONE */
    Span span;
} DaeVar;

typedef struct {
    Sym left, right;
    uint32_t der, der_of; /* the equation differentiated, and the one this was made from */
    Gradient gradient;    /* of left - right */
    bool is_start;        /* made of a start value */
    /* the equation that stands for it at the start, where homotopy() is a blend; NONE */
    uint32_t blend;
    Span span;
} DaeEq;

/* ---- how it is computed ---------------------------------------------------------------------- */

typedef struct {
    uint32_t var, eq;
    Sym value;
} DaeAssign;

typedef enum { BLOCK_ASSIGN, BLOCK_LINEAR, BLOCK_NONLINEAR } BlockKind;
enum {
    BLOCK_FOR_DERIVATIVES = 1, /* what derivatives need */
    BLOCK_CONSTANT = 2         /* needs parameters only */
};

/* ASSIGN: one assignment. Others: `tear_n` unknowns are tearing variables, from which the
 * assignments follow, and as many residual equations must become zero. */
typedef struct {
    uint8_t kind, flags;
    uint32_t first, n;           /* assigns */
    uint32_t tear_first, tear_n; /* tears and residuals */
} DaeBlock;

typedef struct {
    VEC(DaeBlock) blocks;
    VEC(DaeAssign) assigns;
    VEC(uint32_t) tears;     /* variables */
    VEC(uint32_t) residuals; /* equations */
} Sequence;

/* Candidates of which as many as are left over by the constraints are states, which ones being
 * chosen while the model runs: states = select * vars, with a discrete matrix of zeros and ones.
 * The constraints are regular in those that are not selected: matrix holds their partial
 * derivatives in der(vars). */
typedef struct {
    uint32_t rows, columns;    /* constraints, candidates */
    const uint32_t *vars;      /* columns */
    const uint32_t *states;    /* columns - rows: variables made for this */
    const uint32_t *selectors; /* (columns - rows) x columns: discrete variables */
    const Sym *matrix;         /* rows x columns */
} DaeStateSet;

/* ---- events ---------------------------------------------------------------------------------- */

typedef struct {
    uint8_t op; /* SYM_LT or SYM_LE */
    Sym left, right;
    bool is_time; /* only time and discrete values: switches at `at` */
    Sym at;
    Span span;
} DaeRelation;

typedef struct {
    Sym start, interval;
} DaeSample;

typedef struct {
    uint32_t var;
    Sym when, value;
    Span span;
} DaeReinit;

/* An operator with a history: what it notes, as rt/history.c takes it in. The value enters at
 * `key`, and is read down to `span` below; with a key other than time, the low end may be the way
 * in, for `low_value`. What is read does not depend on what goes in. At the start reads are
 * `at_start`, by side: low, high. */
typedef struct {
    Sym key, value, span, low_value, forward, at_start[2];
    /* positions, then values of `points` points between the ends at the start */
    const Sym *profile;
    uint32_t points;
    bool is_timed;    /* the key is time */
    bool is_free;     /* the span may vary */
    bool is_discrete; /* values change at events only */
    Span at;
} DaeHistory;

/* A call for what it does, made at events where `when` holds. */
typedef struct {
    Sym when, call;
    Span span;
} DaeEffect;

/* ASSERT fails when `when` is 0, TERMINATE ends when it is not. An assertion of a when-clause or
 * of what holds at the start only is asked while an event is solved. A pure function that is
 * called for the assertions in it is a check, too: `call`, made where `when` holds, else
 * SYM_ZERO. */
typedef struct {
    bool is_assert, is_warning, at_events;
    Sym when, call;
    const char *message; /* if it is known, else "" */
    Sym text;            /* if it has to be computed, else NONE */
    Span span;
} DaeCheck;

typedef struct {
    uint32_t var;
    bool is_negated;
} DaeAlias;

typedef struct {
    uint32_t equations, unknowns; /* continuous, as they came */
    uint32_t aliases, index, differentiated, dummies;
    /* continuous; blocks of more than one equation */
    uint32_t blocks, largest, torn, linear, nonlinear;
} DaeStats;

typedef struct {
    uint32_t first, n;
} DaeOthers;

typedef struct {
    Arena *arena;
    const Flat *flat;
    SymPool *pool;
    VEC(DaeVar) vars;
    VEC(DaeEq) eqs;
    DaeAlias *alias;      /* by VarId of the flat model */
    VEC(uint32_t) states; /* variables, in the order of y */
    VEC(DaeStateSet) sets;
    Sequence parameters; /* from values that are set */
    double *known;       /* by variable: estimates of parameters; `known_n` of them */
    uint8_t *is_sure;    /* likewise: the estimate is the value */
    uint32_t known_n;
    Sequence initial; /* everything at the start, discrete values given */
    /* equations: conditions at the start that others imply, to be checked there; and of each the
     * other conditions that imply it, in `conditions` */
    VEC(uint32_t) redundant;
    VEC(DaeOthers) redundant_with;
    VEC(uint32_t) conditions;
    Sequence continuous;             /* everything from states, discrete values given */
    VEC(DaeAssign) discrete;         /* in order; eq is NONE */
    VEC(DaeAssign) discrete_initial; /* at the start: instead of, or of pre values */
    VEC(DaeRelation) relations;
    VEC(DaeSample) samples;
    VEC(DaeReinit) reinits;
    VEC(DaeCheck) checks;
    VEC(DaeEffect) effects;
    VEC(DaeHistory) histories;
    bool has_terminal; /* terminal() is used */
    bool has_unknown_parameters;
    DaeStats stats;
} System;

/* Of what the user wrote: where the component of the model itself is declared that the variable
 * is a part of. No place for variables that were made here, or if that is its own declaration. */
Span dae_user_place(const System *system, uint32_t var);
/* That place, or else its declaration. */
Span dae_place(const System *system, uint32_t var);
/* The equation or statement with the variable alone on its left, or else its declaration. */
Span dae_definition(const System *system, uint32_t var);
/* Where an equation is, if that is in the file of the model; else the component of the model that
 * it is a part of. */
Span dae_equation_place(const System *system, uint32_t eq);

/* NULL after errors, which are in `diag`. Keeps pointing to `flat`. */
System *dae_build(const Flat *flat, Arena *arena, Diag *diag);
/* What is wrong with the structure itself: a bug of a pass. NULL if nothing is. */
const char *dae_verify(System *system);

/* Partial derivatives of an expression, in the arena of the system. For gen, which needs those of
 * assignments. */
Gradient dae_gradient(System *system, Sym s);
/* The same with those in time and in values before an event: `var` is PARTIAL_TIME, or a variable |
 * PARTIAL_PRE. */
#define PARTIAL_PRE UINT32_C(0x80000000)
#define PARTIAL_TIME (UINT32_MAX - 1)
Gradient dae_gradient_wide(System *system, Sym s);
Gradient dae_difference_gradient(System *system, Sym left, Sym right); /* of left - right, wide */
/* By variable: the continuous equations make it of parameters alone. */
uint8_t *dae_constants(const System *system, Arena *arena);
/* Whether an expression is made of parameters and of such variables alone; whether it reads what
 * equations compute besides. */
bool dae_is_constant(System *system, Sym s, const uint8_t *is_constant);
/* Whether an expression reads a parameter that the initial equations give. */
bool dae_reads_unknown_parameter(System *s, Sym e);
bool dae_reads_computed(System *system, Sym s, const uint8_t *is_constant);

/* ---- numbers --------------------------------------------------------------------------------- */

/* Numbers for all variables: parameters by their bindings, others by their start values. Those
 * without one get a number that is neither 0 nor round, so that nothing vanishes by chance. */
double *dae_estimates(System *s, Arena *scratch);
double dae_evaluate(SymPool *pool, Sym e, const double *values); /* at time 0 */
double dae_evaluate_at(SymPool *pool, Sym e, const double *values, double time);
/* one node, for the numbers of its children */
double dae_evaluate_node(const SymNode *n, const double *a, const double *values, double time);

/* A division that is computed whenever its equation, or the value of its parameter, is. */
typedef struct {
    uint32_t eq, var; /* one of them; the other is NONE */
    Sym divisor;
} DaeDivision;
typedef void (*DaeDivisionSee)(void *arg, const DaeDivision *division);
void dae_each_division(const System *s, Arena *scratch, DaeDivisionSee see, void *arg);

/* ---- graph.c: matching over CSR adjacency ---------------------------------------------------- */

typedef struct {
    uint32_t rows, columns;
    uint32_t *start; /* rows + 1 */
    uint32_t *column;
} Graph;

/* Hopcroft-Karp: row_of[column], column_of[row], NONE where unmatched. Entries already there are
 * kept as a start. Returns the number of matched rows. */
uint32_t graph_match(const Graph *g, uint32_t *column_of, uint32_t *row_of, Arena *scratch);

void dae_print_expr(const System *system, Sym s, Text *out);
void dae_print_short(const System *system, Sym s, size_t most, Text *out); /* cut after `most` bytes */
void dae_print_system(const System *system,
                      /* variables and equations, unsorted: `--dump=system` */
                      Text *out);
/* states, blocks, tearing, relations: `--dump=blt` */
void dae_print(const System *system, Text *out);

#endif
