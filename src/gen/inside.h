/* inside.h: what the files of the gen room share. */
#ifndef ACAUSAL_GEN_INSIDE_H
#define ACAUSAL_GEN_INSIDE_H

#include "ext/ext.h"
#include "gen/gen.h"
#include "run/run.h"

/* The torn Jacobian of a large block: torn.c. */
typedef struct {
    RtPattern pattern;
    int *touched_start,
        /* by tearing variable: the assignments inside that depend on it, in their order */
        *touched;
} GenTorn;

typedef VEC(RunStep) GenProgram;
typedef VEC(RunGradient) GenGradients;

typedef struct {
    VEC(TapeStep) steps;
    VEC(IrFun) partials; /* functions that compute its partial derivatives */
} GenSection;

/* tape.c: what becomes a RunTape. */
typedef struct {
    IrModule *module;
    IrCode *code;
    VEC(TapeEntry) entries;
    VEC(TapeRow) rows;
    GenSection sections[SECTION_COUNT];
    uint32_t columns, time, pre, indicators, resets, times; /* where the kinds of columns begin */
    VEC(double) constants; /* by place: numbers; others are written by code */
    uint32_t lus, pivots, largest;
    bool has_unknown_parameters; /* which the initial equations give */
    /* variables: Reals among discrete ones, that have equations and names */
    const uint32_t *discrete;
    uint32_t discrete_count;
    GenGradients directions[RUN_DIRECTIONS]; /* empty: not asked for */
    VEC(uint32_t) targets[RUN_DIRECTIONS];   /* variables */
} Tape;

/* form.c: the residual form. */
typedef struct {
    uint32_t n;
    const uint32_t *unknowns; /* variables: states, then tearing variables */
    Pattern *pattern;
    Colouring *colouring;
    ModelShape shape;
    /* that writes all entries of the Jacobian; NULL: the tape gives them, by colours */
    IrCode *code;
    GenGradients gradients;
} GenForm;

struct Compiled {
    Arena *arena;
    System *s;
    RunModel run; /* all that its instances need; made of what follows */
    IrModule *module;
    IrCode *code;
    ExtUnit *unit; /* of external functions with C text */
    uint32_t memory_size[MEM_COUNT];
    IrMem memory[MEM_COUNT];
    IrFun parameters, destroy, start, relations, indicators, times, discrete, discrete_initial, fire, effects;
    IrFun constraints, redundant, histories, late;
    double *start_number, *nominal_number, *min_number,
        *max_number; /* by variable: what is a number needs no code */
    GenProgram initial, constants, derivatives, rest;
    GenGradients gradients; /* empty: the Jacobian is made of directions, by colours */
    GenGradients constant_gradients;
    bool gradients_need_values;
    uint32_t gradient_memory;
    VEC(RunDivisor) divisors;
    VEC(RunBlock) blocks;
    GenTorn **torn[2]; /* by block of the initial and of the continuous sequence */
    uint32_t sparse_count;
    double *estimates; /* by variable: what dae_estimates says; NULL until it is asked for */
    uint32_t tearing_count, lus,
        /* tearing variables and doubles of factors of all blocks; unknowns of the largest block */
        largest;
    uint32_t indicator_count;
    uint32_t asserts, warnings;
    IrFun *check_text;      /* by check: fails with its text; IR_NONE: the text is known */
    const Sources *sources; /* NULL: messages show no places */
    bool has_terminal;      /* terminal() is used */
    uint32_t *indicator_of; /* by relation; NONE: a time event */
    uint32_t *relation_var; /* by relation: a variable in it, for its nominal value; NONE */
    Pattern *pattern;       /* of df/dx; NULL: full */
    Colouring *colouring;   /* NULL: a colour for each state */
    ModelShape shape;
    GenStats stats;
    Tape *tape;    /* NULL: no derivatives but the Jacobian were asked for */
    GenForm *form; /* NULL: nobody asked for the residual form */
};

static inline bool gen_has_start(const DaeVar *v)
{
    return v->role > ROLE_PARAMETER || v->is_unknown_parameter;
}

/* What a direction may go along. */
static inline bool gen_is_seed(const DaeVar *v)
{
    return v->role == ROLE_STATE || (v->role == ROLE_INPUT && v->type == BASE_REAL);
}

void gen_add_memories(Compiled *c); /* compile.c */
/* For a module beside the model's, whose memories may be larger: instances made from now on have
 * room for both. */
void gen_widen_memories(Compiled *c, const Compiled *other);

/* ---- lower.c: expressions as instructions ---------------------------------------------------- */

typedef struct Functions Functions; /* of function.c */

/* A call that was made where a condition was `side`: several if-expressions with that condition
 * take results of it. */
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
    /* by variable: its value, instead of what memory holds; IR_NONE. NULL: none is */
    IrReg *known;
    VEC(Sym) stack;
    VEC(Sym) kept;   /* what was lowered inside of a branch, to be forgotten after it */
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
/* expressions are lowered anew: variables have other values from here on */
void lower_forget(Lower *l);
IrFun lower_end(Lower *l);
IrReg lower_real(Lower *l, Sym s);
/* what memory holds for a value: strings and objects have numbers */
IrReg lower_number(Lower *l, IrReg r);
/* IR_NONE is zero. */
IrReg lower_plus(IrBuilder *b, IrReg x, IrReg y);
IrReg lower_product(IrBuilder *b, IrReg x, IrReg y);
IrReg lower_load(Lower *l, Memory m, uint32_t i);
void lower_store(Lower *l, Memory m, uint32_t i, IrReg value);
/* of MEM_ONCE for the functions before this one */
uint32_t gen_once_size(const Compiled *c, uint32_t fun);
/* call.c: the scalars of its results; its arguments are lowered */
IrReg *lower_call(Lower *l, Sym call);
void lower_effect(Lower *l, Sym when, Sym call); /* makes a call where a condition holds */
/* Computes and stores a variable; later reads in this function use the register. */
void lower_assign(Lower *l, const DaeAssign *a);

/* extern.c: the code of a module, after C text that comes with its external functions is compiled;
 * NULL after a report. */
IrCode *gen_code(Compiled *c, IrBackend backend, Diag *diag);

/* ---- program.c: sequences as programs -------------------------------------------------------- */

GenTorn *gen_torn(Compiled *c, const Sequence *q, const DaeBlock *d); /* torn.c */
/* Lowers the blocks for which (flags & mask) == want. */
void gen_program(Lower *l, const Sequence *q, unsigned mask, unsigned want, bool tangents, GenProgram *out);
Pattern *gen_pattern(Compiled *c, Arena *scratch); /* NULL: as good as full */

/* ---- direct.c: all entries of the Jacobian in one pass; changes in one direction ------------- */

typedef struct Direct Direct;
/* NULL: there is no pattern, or too much code would be needed. */
Direct *gen_direct_plan(Compiled *c, Arena *scratch, const Pattern *pattern, bool is_open);
/* Changes of the targets for changes of states and inputs, all of them in MEM_TANGENT. */
Direct *gen_direction_plan(Compiled *c, Arena *scratch, const uint32_t *targets, uint32_t n);
uint32_t gen_direct_memory(const Direct *d); /* that MEM_GRADIENT needs */
/* `constant`: what depends on parameters alone and stays while they do, for the Jacobian of the
 * states; else NULL. */
void gen_direct_lower(Direct *d, Lower *l, GenGradients *constant, GenGradients *out);
bool gen_direct_needs_values(const Direct *d); /* besides states: what equations compute */

/* ---- tables.c -------------------------------------------------------------------------------- */

void gen_tables(Compiled *c);     /* fills c->run */
void gen_tape_table(Compiled *c); /* when a tape was added */

/* ---- report.c: what instances know of the source --------------------------------------------- */

void gen_place(const RunModel *model, uint32_t source, char *out, size_t room);
bool gen_cause(RunInstance *run, uint32_t function, uint32_t *source);
void gen_find_divisors(Compiled *c, Arena *scratch);

/* ---- run.c: instances as Models -------------------------------------------------------------- */

/* Entries of a Jacobian that are neighbours in a matrix, too. */
typedef struct {
    int entry, place, n;
} Stretch;

typedef struct {
    Model model; /* its data is the instance */
    const Compiled *c;
    RunInstance *run;
    /* Where the entries of the Jacobian are in the storage that was used last, which is like
     * `placed_in`: one by one as colours give them, or as stretches of MEM_ENTRIES. */
    int *places;
    Stretch *stretches;
    int stretch_count;
    MatrixShape placed_in;
    /* nominal values, lower and upper bounds of the integrator's unknowns; room of the residual
     * form */
    double *known;
    RunPlan *plan; /* of derivatives in parameters alone, made when they are first asked for */
    bool has_no_plan;
} Instance;

/* Puts what MEM_ENTRIES holds, in the order of the pattern, into a matrix. */
void gen_put_entries(Instance *i, const Pattern *pattern, const MatrixShape *order, double *values);

extern const ModelType gen_model_type, gen_products_type;

#endif
