/* inside.h: what the files of the gen room share. */
#ifndef ACAUSAL_GEN_INSIDE_H
#define ACAUSAL_GEN_INSIDE_H

#include "gen/gen.h"

enum { FUN_MOST_RANK = 6, FUN_MOST_RESULTS = 64 };

/* What an instruction came from: an equation, the declaration of a variable, or a statement of a function. */
enum { SOURCE_STATEMENT = 0x40000000, SOURCE_VARIABLE = 0x20000000 };

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
    MEM_FIRE,      /* reinits: condition, value; then checks */
    MEM_ONCE,      /* results of impure functions, each behind the number of the event they are from */
    MEM_SETS,      /* matrices of dynamic state sets */
    MEM_REDUNDANT, /* both sides of conditions at the start that others imply */
    MEM_DELAY,     /* see delay.c */
    MEM_PARTIAL,   /* of tape.c: partial derivatives */
    MEM_COUNT
} Memory;
enum { MODE_TIME, MODE_INITIAL, MODE_TERMINAL, MODE_EVENT, MODE_COUNT };

/* The torn Jacobian of a large block: torn.c. */
typedef struct {
    RtPattern pattern;
    int *touched_start,
        *touched; /* by guessed unknown: the assignments inside that depend on it, in their order */
} GenTorn;

/* A block that is solved by iteration: functions over the memories. */
typedef struct {
    bool is_linear;
    int n;
    const uint32_t *vars;              /* n */
    const uint32_t *eqs;               /* n: for messages */
    IrFun residual, jacobian, tangent; /* tangent: IR_NONE where no derivatives are needed */
    uint32_t guess;                    /* where its guesses begin in the instance */
    uint32_t lu;                       /* where its factors begin */
    const GenTorn *torn;               /* NULL: its factors are dense */
    uint32_t sparse;                   /* else the number of its factors */
} GenBlock;

/* One step of a program: a function, or a block if that is not IR_NONE. */
typedef struct {
    IrFun run, tangent;
    uint32_t block;
} GenStep;
typedef VEC(GenStep) GenProgram;

/* ---- tape.c: partial derivatives of all maps, sparse ----
 *
 * A column is a variable, time, a value before an event or at the start (`pre`), or a result that is no variable. Rows say
 * how the change of one column follows from those of others. */
typedef struct {
    uint32_t column, place; /* place: in MEM_PARTIAL */
} TapeEntry;

typedef struct {
    uint32_t target, first, n; /* a column; entries */
} TapeRow;

/* Rows one after the other; or, with tear_n > 0, a block: rows of its assignments, then tear_n of its residuals. */
typedef struct {
    uint32_t first, n, tear_n;
    const uint32_t *tears;
    uint32_t lu, pivot; /* where its factors begin */
} TapeStep;

typedef enum {
    PART_PARAMETERS,
    PART_START,
    PART_INITIAL,
    PART_CONSTANTS,
    PART_DERIVATIVES,
    PART_REST,
    PART_INDICATORS,
    PART_RESETS,
    PART_COUNT
} Part;

typedef struct {
    VEC(TapeStep) steps;
    VEC(IrFun) partials; /* functions that compute its partial derivatives */
} TapePart;

typedef struct {
    IrModule *module;
    IrCode *code;
    VEC(TapeEntry) entries;
    VEC(TapeRow) rows;
    TapePart parts[PART_COUNT];
    uint32_t columns, time, pre, indicators, resets; /* where the kinds of columns begin */
    VEC(double) constants;                           /* by place: numbers; others are written by code */
    uint32_t lus, pivots, largest;
    bool has_unknown_parameters; /* which the initial equations give */
    bool resets_read_pre;        /* of variables that are no states */
} Tape;

/* form.c: the residual form. */
typedef struct {
    uint32_t n;
    const uint32_t *unknowns; /* variables: states, then guessed unknowns */
    Pattern *pattern;
    Colouring *colouring;
    ModelShape shape;
} GenForm;

/* An equation that divides by a parameter. */
typedef struct {
    uint32_t var, eq;
} GenDivisor;

struct Compiled {
    Arena *arena;
    System *s;
    IrModule *module;
    IrCode *code;
    uint32_t memory_size[MEM_COUNT];
    IrMem memory[MEM_COUNT];
    IrFun parameters, destroy, start, relations, indicators, times, discrete, discrete_initial, fire, effects;
    IrFun constraints, redundant, delays;
    double *start_number, *nominal_number, *min_number,
        *max_number; /* by variable: what is a number needs no code */
    GenProgram initial, constants, derivatives, rest;
    VEC(GenDivisor) divisors;
    VEC(GenBlock) blocks;
    GenTorn **torn[2]; /* by block of the initial and of the continuous sequence */
    uint32_t sparse_count;
    uint32_t guesses, lus,
        largest; /* doubles of all guesses, of all factors; unknowns of the largest block */
    uint32_t indicator_count;
    uint32_t asserts, warnings;
    IrFun *check_text;           /* by check: fails with its text; IR_NONE: the text is known */
    const Sources *sources;      /* NULL: messages show no places */
    bool has_terminal;           /* terminal() is used */
    uint32_t *indicator_of;      /* by relation; NONE: a time event */
    uint32_t *relation_var;      /* by relation: a variable in it, for its nominal value; NONE */
    const char **relation_about; /* by relation: a variable in it, for messages */
    Pattern *pattern;            /* of df/dx; NULL: full */
    Colouring *colouring;        /* NULL: a colour for each state */
    ModelShape shape;
    GenStats stats;
    Tape *tape;    /* NULL: no derivatives but the Jacobian were asked for */
    GenForm *form; /* NULL: nobody asked for the residual form */
};

static inline bool gen_has_start(const DaeVar *v)
{
    return v->role > ROLE_PARAMETER || v->is_unknown_parameter;
}

void gen_add_memories(Compiled *c); /* compile.c */

/* ---- lower.c: expressions as instructions ---- */

typedef struct Functions Functions; /* of function.c */

/* A call that was made where a condition was `side`: several if-expressions with that condition take results of it. */
typedef struct {
    Sym call, condition;
    bool side;
    IrArr results;
} SharedCall;

typedef struct {
    Compiled *c;
    IrBuilder b;
    IrArr array[MEM_COUNT];
    uint32_t *round; /* by Sym: the function in which it was lowered last */
    IrReg *reg;
    uint32_t room, now;
    IrReg *tangent; /* by variable, while a Jacobian is made; IR_NONE is zero */
    IrReg *known;   /* by variable: its value, instead of what memory holds; IR_NONE. NULL: none is */
    VEC(Sym) stack;
    VEC(Sym) kept;   /* what was lowered inside of a branch, to be forgotten behind it */
    int depth;       /* of branches */
    IrReg **results; /* by Sym: of calls */
    uint32_t *lent;  /* by Sym: of calls; where in `shared` it may be */
    VEC(SharedCall) shared;
    uint32_t *prepared; /* by Sym: as round; what it needs was computed in front of branches */
    uint8_t *truth;     /* by Sym: whether it is known to hold in the present branch */
    VEC(Sym) assumed;   /* those of which that is known */
    Functions *functions;
    Arena *scratch;
} Lower;

void lower_begin(Lower *l, const char *name);
void lower_forget(Lower *l); /* expressions are lowered anew: variables have other values from here on */
IrFun lower_end(Lower *l);
IrReg lower_real(Lower *l, Sym s);
IrReg lower_number(Lower *l, IrReg r); /* what memory holds for a value: strings and objects have numbers */
IrReg lower_load(Lower *l, Memory m, uint32_t i);
void lower_store(Lower *l, Memory m, uint32_t i, IrReg value);
uint32_t gen_once_size(const Compiled *c, uint32_t fun); /* of MEM_ONCE for the functions before this one */
IrReg *lower_call(Lower *l, Sym call); /* call.c: the scalars of its results; its arguments are lowered */
void lower_effect(Lower *l, Sym when, Sym call); /* makes a call where a condition holds */
/* Computes and stores a variable; later reads in this function use the register. */
void lower_assign(Lower *l, const DaeAssign *a);

/* ---- function.c, expression.c, place.c: functions of the flat model as functions of the IR ---- */

/* A value inside of a function: a scalar in a register, an array, or a record of such. An array of records is a record of
 * arrays. Arrays lie row by row; their sizes are registers. */
typedef struct FunValue FunValue;
struct FunValue {
    uint8_t base; /* Base of the elements */
    uint32_t rank;
    IrReg size[FUN_MOST_RANK];
    IrReg reg;         /* of a scalar */
    IrArr array;       /* of an array */
    bool is_resizable; /* its sizes are variables: it may be assigned arrays of any size */
    uint32_t def;      /* of a record */
    uint32_t func, n;  /* of a function; fields, or bound arguments */
    FunValue *fields;
    bool is_open; /* an argument that a function value leaves open */
};

/* A function being lowered. */
typedef struct {
    Functions *all;
    const Flat *flat;
    const FlatFunction *f;
    Arena *scratch;
    IrBuilder b;
    FunValue *locals;
    uint8_t *is_ready; /* by local */
    Span span;         /* of the statement */
} Fun;

Functions *gen_functions(Compiled *c, Arena *scratch, Diag *diag);
/* The function of the IR for one of the flat model whose arguments have these shapes (which say what function values are). Its
 * inputs are the leaves of its inputs in order, each array followed by its sizes; outputs likewise, their arrays dynamic. */
IrFun gen_function(Functions *all, FuncId f, const DaeShape *shapes);
bool gen_functions_failed(const Functions *all);
/* Its derivative of some order. */
IrFun gen_derivative(Functions *all, IrFun f, uint32_t order, Span span);

FunValue fun_fail(Fun *x, const char *what); /* a diagnostic; 0 */
FunValue fun_eval(Fun *x, ExprId e);
IrReg fun_scalar(Fun *x, FunValue v, IrType type); /* its register, converted */
IrReg fun_index(Fun *x, ExprId e);                 /* an Integer */
FunValue *fun_local(Fun *x, uint32_t i);
/* All results of an expression that is a call; returns how many. */
uint32_t fun_call_expr(Fun *x, const FlatExpr *e, FunValue *results, uint32_t room);
void fun_call(Fun *x, FuncId f, const FunValue *args, FunValue *results);
IrType fun_type(uint8_t base);
bool fun_failed(const Fun *x);
IrModule *fun_module(const Fun *x);
void fun_no_function(Fun *x, const char *why); /* of an external function: a diagnostic */

/* extern.c */
void fun_external(Fun *x); /* the body of an external function */
/* Results and their rates of change in the directions of the inputs. BASE_REAL marks those that have one. Whether it is exact. */
bool fun_external_derivative(Fun *x, FuncId f, const FunValue *inputs, FunValue *directions,
                             FunValue *results, FunValue *rates);
bool fun_may_move(const Flat *flat, FuncId f); /* has directions: no records among its inputs and outputs */

/* place.c */
FunValue fun_of_reg(uint8_t base, IrReg reg);
FunValue fun_new_array(Fun *x, uint8_t base, uint32_t rank, const IrReg *sizes); /* to be filled */
FunValue fun_new_variable(Fun *x, uint8_t base, IrReg value);                    /* with a first value */
IrReg fun_count(Fun *x, const FunValue *v);                                      /* elements of an array */
void fun_assign(Fun *x, FunValue *to, const FunValue *from);
FunValue fun_copy(Fun *x, const FunValue *v);
IrReg fun_load(Fun *x, const FunValue *v, IrReg at,
               int32_t offset); /* element of an array; of a scalar: itself */
void fun_store(Fun *x, const FunValue *v, IrReg at, int32_t offset, IrReg value);
FunValue fun_read_place(Fun *x, ExprId e); /* fields and subscripts */
void fun_write_place(Fun *x, ExprId e, const FunValue *v);
IrReg fun_times(Fun *x, IrReg a, IrReg c);
IrReg fun_plus(Fun *x, IrReg a, int64_t c);

/* ---- delay.c ---- */

void gen_lower_delays(Lower *l);
void gen_lower_texts(Lower *l); /* report.c: of asserts and terminates */

/* ---- program.c: sequences as programs ---- */

GenTorn *gen_torn(Compiled *c, const Sequence *q, const DaeBlock *d); /* torn.c */
/* Lowers the blocks for which (flags & mask) == want. */
void gen_program(Lower *l, const Sequence *q, unsigned mask, unsigned want, bool tangents, GenProgram *out);
Pattern *gen_pattern(Compiled *c, Arena *scratch); /* NULL: as good as full */

/* ---- run.c, event.c: one instance ---- */

enum {
    LARGEST_PATH = 60
}; /* unknowns of a block up to which paths are followed where Newton's method fails */

/* What a point of the tape needs besides the tape. */
typedef struct {
    double *partial, *lu;
    int *pivot;
} TapePoint;

/* All that equations read, as it was at some moment of an event. */
typedef struct {
    double *memory[MEM_COUNT]; /* NULL: not kept */
} Snapshot;

/* Of an instance whose model has a tape. */
typedef struct {
    TapePoint at, before; /* where the map is linearised; before the event */
    double *d;            /* by column */
    double *torn, *work;  /* of a block */
    double *residuals;    /* of all blocks that derivatives need */
    ModelMap map;
    Snapshot before_event, at_reset, now;
    int resets;     /* rounds of the last event in which something was reset */
    bool has_event; /* since the start */
    bool reselected;
    uint8_t *fired; /* by reinit */
} Products;

typedef struct {
    Model model; /* its data is the instance */
    Arena *arena;
    const Compiled *c;
    Rt *rt;
    double *memory[MEM_COUNT];
    RtArray arrays[MEM_COUNT];
    double *guess;     /* of torn unknowns: at the last accepted step */
    double *lu;        /* factors of all blocks */
    RtSparse **sparse; /* and of those that are sparse */
    int *pivot;
    double *unknowns, *nominal, *low, *high, *work; /* of the block being solved */
    double *sample_count;                           /* how often each sample has fired */
    /* Where a branch of solutions ends, another one is taken; but the integrator first has to come near to that end, or it
     * would mix both: only at accepted points, and within LEAST_LEAP of its longest step from the last of them. */
    bool must_stay;
    double t_kept, longest_step;
    double *path_room; /* for a block of LARGEST_PATH unknowns at most */
    int *path_pivot;
    double *set_work; /* the matrix of one dynamic state set */
    uint8_t *set_dropped;
    bool is_started;
    double *reach;  /* by relation: the largest difference of its sides so far */
    double *bias;   /* by indicator: what a tie adds to it until the next event */
    uint8_t *moved; /* by relation: it changed while the present event was settled */
    double *kept;   /* by variable: before that */
    double *sided;  /* by relation: what the values at the event said first */
    bool is_open;   /* the last settling did not agree, and another round must follow */
    bool ties_hold; /* in this event, relations do not follow the sign of rounding errors any more */
    double t_event; /* of the last one; NAN: none yet */
    bool repeats;   /* the present event is within rounding of it */
    double *before; /* by relation: its value when the present event began */
    long newton_iterations;
    uint8_t *warned;  /* by check: a warning that holds now */
    char notice[200]; /* a warning from inside of a function; "" */
    char message[900];
    void (*say)(void *arg, const char *text); /* may be NULL */
    void *say_arg;
    Products *products; /* NULL: no tape */
} Instance;

/* ---- sets.c: dynamic state selection. Both need all values at the present point. ---- */

IrFun gen_lower_sets(Lower *l);
bool gen_states_are_poor(Instance *i);
/* Selects other states where the present ones are poor; true if there was such a set. */
bool gen_select_states(Instance *i);

/* ---- settle.c: relations and discrete variables ---- */

/* Continuous variables, relations and discrete ones until they agree; pre values stay. */
EvalStatus gen_settle(Instance *i, bool is_initial, bool *changed);
EvalStatus gen_not_settled(Instance *i);
/* Relations as the present values say. */
EvalStatus gen_guess_relations(Instance *i);
/* Whether a discrete variable differs from `kept`; takes the values over. */
bool gen_take_discrete(Instance *i, double *kept);
/* At the end of an event: indicators of relations that are held within a tie start on the side that is held. */
EvalStatus gen_set_bias(Instance *i);
void gen_note_reach(Instance *i); /* needs the indicators at an accepted point */

/* ---- products.c ---- */

Products *gen_products(Instance *i); /* for a new instance */
/* What the instance has to remember as it goes. */
EvalStatus gen_note_initial(Instance *i);
void gen_note_event(Instance *i);
void gen_note_reset(Instance *i);
EvalStatus gen_partials(Instance *i, Part part); /* their values at the present point */
/* Changes of derivatives and residuals for those of states and guessed unknowns in products->d. */
void gen_forward_given(Instance *i, double *residuals);
EvalStatus gen_linearise(Model *model, ModelMap map, double t, const double *y);
EvalStatus gen_jvp(Model *model, const ModelChange *change, double *result);
EvalStatus gen_vjp(Model *model, const double *weights, ModelChange *gradient);

extern const ModelType gen_model_type, gen_products_type;

EvalStatus gen_fail(Instance *i, EvalStatus status, const char *format, ...) PRINTF_LIKE(3, 4);
EvalStatus gen_call(Instance *i, IrFun f);
/* from_values: guesses are the present values instead of those of the last accepted step. */
EvalStatus gen_run(Instance *i, const GenProgram *p, bool from_values);
EvalStatus gen_everything(Instance *i, bool from_values);
/* report.c: what goes wrong, in the user's words. gen_add_* append to the message where it did. */
EvalStatus gen_check(Instance *i, EvalStatus as); /* asserts that do not hold; needs all values */
EvalStatus gen_check_parameters(Instance *i);     /* computed ones that are no numbers */
void gen_find_divisors(Compiled *c, Arena *scratch);
EvalStatus gen_check_divisors(Instance *i); /* whether an equation divides by a parameter that is zero */
EvalStatus gen_check_values(Instance *i, EvalStatus as); /* values that are no numbers */
const char *gen_check_text(Instance *i, uint32_t check); /* of an assert or terminate */
const char *gen_notice(Model *model);
void gen_warn(void *instance, const char *message, uint32_t source);
void gen_add_source(Instance *i, uint32_t source);
void gen_add_cause(Instance *i, IrFun f); /* of what is no number; in that function, or IR_NONE: in any */
void gen_keep_guesses(Instance *i);
void gen_set_point(Instance *i, double t, const double *y);
void gen_destroy_objects(Instance *i);

/* delay.c: the past of signals begins, goes on, and what follows for the time to come. */
EvalStatus gen_delays_start(Instance *i);
typedef enum { DELAY_POINT, DELAY_JUMP, DELAY_BREAK } DelayNote; /* BREAK: slopes may have changed too */
EvalStatus gen_delays_note(Instance *i, DelayNote what);
bool gen_delays_pass(Instance *i); /* jumps that come out now; whether there were any */
void gen_delays_plan(const Instance *i, EventInfo *info);

EvalStatus gen_initialise(Model *model, double t, double *y, EventInfo *info);
EvalStatus gen_event(Model *model, double t, double *y, EventInfo *info);
EvalStatus gen_terminal(Model *model, double t, double *y,
                        EventInfo *info); /* the last one: terminal() holds */

#endif
