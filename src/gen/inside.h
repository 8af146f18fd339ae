/* inside.h: what the files of the gen room share. */
#ifndef ACAUSAL_GEN_INSIDE_H
#define ACAUSAL_GEN_INSIDE_H

#include "gen/gen.h"

enum { FUN_MOST_RANK = 6, FUN_MOST_RESULTS = 64 };

/* What an instruction came from: an equation, or a statement of a function. */
enum { SOURCE_STATEMENT = 0x40000000 };

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

struct Compiled {
    Arena *arena;
    System *s;
    IrModule *module;
    IrCode *code;
    uint32_t memory_size[MEM_COUNT];
    IrMem memory[MEM_COUNT];
    IrFun parameters, destroy, start, relations, indicators, times, discrete, discrete_initial, fire, effects;
    IrFun constraints, redundant;
    double *start_number, *nominal_number, *min_number,
        *max_number; /* by variable: what is a number needs no code */
    GenProgram initial, constants, derivatives, rest;
    VEC(GenBlock) blocks;
    GenTorn **torn[2]; /* by block of the initial and of the continuous sequence */
    uint32_t sparse_count;
    uint32_t guesses, lus,
        largest; /* doubles of all guesses, of all factors; unknowns of the largest block */
    uint32_t indicator_count;
    uint32_t asserts;
    uint32_t *indicator_of;      /* by relation; NONE: a time event */
    uint32_t *relation_var;      /* by relation: a variable in it, for its nominal value; NONE */
    const char **relation_about; /* by relation: a variable in it, for messages */
    Pattern *pattern;            /* of df/dx; NULL: full */
    Colouring *colouring;        /* NULL: a colour for each state */
    ModelShape shape;
    GenStats stats;
};

static inline bool gen_has_start(const DaeVar *v)
{
    return v->role > ROLE_PARAMETER || v->is_unknown_parameter;
}

/* ---- lower.c: expressions as instructions ---- */

typedef struct Functions Functions; /* of function.c */

typedef struct {
    Compiled *c;
    IrBuilder b;
    IrArr array[MEM_COUNT];
    uint32_t *round; /* by Sym: the function in which it was lowered last */
    IrReg *reg;
    uint32_t room, now;
    IrReg *tangent; /* by variable, while a Jacobian is made; IR_NONE is zero */
    VEC(Sym) stack;
    VEC(Sym) kept;   /* what was lowered inside of a branch, to be forgotten behind it */
    int depth;       /* of branches */
    IrReg **results; /* by Sym: of calls */
    Functions *functions;
    Arena *scratch;
} Lower;

void lower_begin(Lower *l, const char *name);
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

/* ---- program.c: sequences as programs ---- */

GenTorn *gen_torn(Compiled *c, const Sequence *q, const DaeBlock *d); /* torn.c */
/* Lowers the blocks for which (flags & mask) == want. */
void gen_program(Lower *l, const Sequence *q, unsigned mask, unsigned want, bool tangents, GenProgram *out);
Pattern *gen_pattern(Compiled *c, Arena *scratch); /* NULL: as good as full */

/* ---- run.c, event.c: one instance ---- */

enum {
    LARGEST_PATH = 60
}; /* unknowns of a block up to which paths are followed where Newton's method fails */

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
    bool ties_hold; /* in this event, relations do not follow the sign of rounding errors any more */
    long newton_iterations;
    char message[400];
    void (*say)(void *arg, const char *text); /* may be NULL */
    void *say_arg;
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

extern const ModelType gen_model_type;

EvalStatus gen_fail(Instance *i, EvalStatus status, const char *format, ...) PRINTF_LIKE(3, 4);
EvalStatus gen_call(Instance *i, IrFun f);
/* from_values: guesses are the present values instead of those of the last accepted step. */
EvalStatus gen_run(Instance *i, const GenProgram *p, bool from_values);
EvalStatus gen_everything(Instance *i, bool from_values);
EvalStatus gen_check(Instance *i, EvalStatus as);
void gen_keep_guesses(Instance *i);
void gen_set_point(Instance *i, double t, const double *y);
void gen_destroy_objects(Instance *i);

EvalStatus gen_initialise(Model *model, double t, double *y, EventInfo *info);
EvalStatus gen_event(Model *model, double t, double *y, EventInfo *info);

#endif
