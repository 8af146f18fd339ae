/* inside.h: what the files of the gen room share. */
#ifndef ACAUSAL_GEN_INSIDE_H
#define ACAUSAL_GEN_INSIDE_H

#include "gen/gen.h"

/* The memories of an instance, all of Reals. */
typedef enum {
    MEM_VALUE,    /* by variable */
    MEM_PRE,      /* by variable: before the event */
    MEM_TANGENT,  /* by variable: change in a direction */
    MEM_SET,      /* by variable: 1 if set from outside */
    MEM_GIVEN,    /* by variable: to what */
    MEM_NOMINAL,  /* by variable */
    MEM_RELATION, /* what relations are held to be */
    MEM_LIVE,     /* what they are now */
    MEM_MODE,     /* time, initial, terminal */
    MEM_SAMPLE,   /* 1 while a sample fires */
    MEM_TIMES,    /* of time events: relations, then start and interval of samples */
    MEM_RESIDUAL, /* of the block being solved */
    MEM_JACOBIAN,
    MEM_INDICATOR,
    MEM_FIRE, /* reinits: condition, value; then checks */
    MEM_SETS, /* matrices of dynamic state sets */
    MEM_COUNT
} Memory;
enum { MODE_TIME, MODE_INITIAL, MODE_TERMINAL, MODE_COUNT };

/* A block that is solved by iteration: functions over the memories. */
typedef struct {
    bool is_linear;
    int n;
    const uint32_t *vars;              /* n */
    const uint32_t *eqs;               /* n: for messages */
    IrFun residual, jacobian, tangent; /* tangent: IR_NONE where no derivatives are needed */
    uint32_t guess;                    /* where its guesses begin in the instance */
    uint32_t lu;                       /* where its factors begin */
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
    IrFun parameters, start, relations, indicators, times, discrete, discrete_initial, fire, constraints;
    double *start_number, *nominal_number; /* by variable: what is a number needs no code */
    GenProgram initial, constants, derivatives, rest;
    VEC(GenBlock) blocks;
    uint32_t guesses, lus,
        largest; /* doubles of all guesses, of all factors; unknowns of the largest block */
    uint32_t indicator_count;
    uint32_t asserts;
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

typedef struct {
    Compiled *c;
    IrBuilder b;
    IrArr array[MEM_COUNT];
    uint32_t *round; /* by Sym: the function in which it was lowered last */
    IrReg *reg;
    uint32_t room, now;
    IrReg *tangent; /* by variable, while a Jacobian is made; IR_NONE is zero */
    VEC(Sym) stack;
    Arena *scratch;
} Lower;

void lower_begin(Lower *l, const char *name);
IrFun lower_end(Lower *l);
IrReg lower_real(Lower *l, Sym s);
IrReg lower_load(Lower *l, Memory m, uint32_t i);
void lower_store(Lower *l, Memory m, uint32_t i, IrReg value);
/* Computes and stores a variable; later reads in this function use the register. */
void lower_assign(Lower *l, const DaeAssign *a);

/* ---- program.c: sequences as programs ---- */

/* Lowers the blocks for which (flags & mask) == want. */
void gen_program(Lower *l, const Sequence *q, unsigned mask, unsigned want, bool tangents, GenProgram *out);
Pattern *gen_pattern(Compiled *c, Arena *scratch); /* NULL: as good as full */

/* ---- run.c, event.c: one instance ---- */

typedef struct {
    Model model; /* its data is the instance */
    Arena *arena;
    const Compiled *c;
    Rt *rt;
    double *memory[MEM_COUNT];
    RtArray arrays[MEM_COUNT];
    double *guess; /* of torn unknowns: at the last accepted step */
    double *lu;    /* factors of all blocks */
    int *pivot;
    double *unknowns, *nominal, *work; /* of the block being solved */
    double *sample_count;              /* how often each sample has fired */
    double *set_work;                  /* the matrix of one dynamic state set */
    uint8_t *set_dropped;
    bool is_started;
    uint32_t flipped; /* the relation that changed last */
    long newton_iterations;
    char message[400];
} Instance;

/* ---- sets.c: dynamic state selection. Both need all values at the present point. ---- */

IrFun gen_lower_sets(Lower *l);
bool gen_states_are_poor(Instance *i);
/* Selects other states where the present ones are poor; true if there was such a set. */
bool gen_select_states(Instance *i);

extern const ModelType gen_model_type;

EvalStatus gen_fail(Instance *i, EvalStatus status, const char *format, ...) PRINTF_LIKE(3, 4);
EvalStatus gen_call(Instance *i, IrFun f);
/* from_values: guesses are the present values instead of those of the last accepted step. */
EvalStatus gen_run(Instance *i, const GenProgram *p, bool from_values);
EvalStatus gen_everything(Instance *i, bool from_values);
EvalStatus gen_check(Instance *i, EvalStatus as);
void gen_keep_guesses(Instance *i);
void gen_set_point(Instance *i, double t, const double *y);

EvalStatus gen_initialise(Model *model, double t, double *y, EventInfo *info);
EvalStatus gen_event(Model *model, double t, double *y, EventInfo *info);

#endif
