/* gen.h: the door of the gen room: a System becomes code, and code becomes models that can be
 * simulated.
 *
 *     Compiled *c = gen_compile(system, IR_AUTO, &diag);
 *     Model *m = gen_instance(c);
 *     ... initialise, integrate ...
 *     gen_instance_free(m);
 *     gen_free(c);
 *
 * A Compiled is never changed and may be shared by instances in several threads. It points into the
 * System, which must outlive it. An instance is all that changes; nothing is allocated while it is
 * evaluated.
 *
 * gen/ lowers the sorted blocks to the IR; blocks with several unknowns are solved by Newton of
 * rt/, to rounding level, from the last accepted step, so that the right-hand side is a pure
 * function between steps. Jacobians are exact, through blocks by the implicit function theorem,
 * and made in one pass (gen/direct.c, run_gradients): the sparse gradient of every assignment in
 * the states, in registers; what depends on parameters alone in functions of its own, which run
 * again only after run_forget; in the residual form in tearing variables, too. Straight code
 * becomes loops last (ir/roll.c), so no pass before needs to know of arrays. Where that code would
 * grow too much, tangents run once a colour. Products with the Jacobians of all maps (initial
 * values, right-hand side, values, indicators, resets), forward and backward, run over a tape of
 * sparse partial derivatives (gen/tape.c, run/products.c), which is made when asked for
 * (gen_add_products) as a module of its own, so that a plain run does not pay for it. gen/form.c
 * offers the residual form: states and tearing variables as one system with a diagonal mass
 * matrix, whose f solves no block; its Jacobian comes by one pass, too, or from the tape.
 *
 * Functions are first run on expressions (dae/inline.c), so that sorting and derivatives see
 * through them. Where that does not end, takes more than some thousand statements, or meets an
 * assertion that may fail, the call stays one: SYM_CALL with a list of scalars, SYM_PICK for each
 * scalar of the results. gen/function.c, expression.c and place.c lower the function with whole
 * arrays of run-time sizes; records are passed leaf by leaf, functions as arguments make a copy of
 * their own for each function given. Derivatives are calls of the differentiated IR: in unit
 * directions for gradients, in the direction of all rates for index reduction. A while loop of an
 * algorithm that only the run can end is such a function too, made by dae/outline.c: rounds known
 * to be made are written out, the rest is a call. An if-expression with calls computes only the
 * branch taken. */
#ifndef ACAUSAL_GEN_H
#define ACAUSAL_GEN_H

#include "dae/dae.h"
#include "ir/ir.h"
#include "model/model.h"

typedef struct Compiled Compiled;
typedef struct RunModel RunModel; /* of run/ */
typedef struct RunInstance RunInstance;
typedef struct ExtUnit ExtUnit; /* of ext/ */

typedef struct {
    IrBackend backend;
    size_t code_size;          /* bytes */
    uint32_t instructions;     /* of the IR, all functions */
    uint32_t native;           /* of those, that run as machine code */
    uint64_t jacobian_entries; /* of df/dx */
    uint64_t exact_entries;    /* of those, not by differences */
    uint32_t colours;
    bool one_pass; /* all its entries come at once; else a sweep a colour */
    /* derivatives of calls that are difference quotients: of external functions without one */
    uint32_t differences;
    double seconds; /* that compiling took */
} GenStats;

/* NULL after an error, which is in `diag`. Derivatives are added to the system's pool. */
Compiled *gen_compile(System *system, IrBackend backend, Diag *diag);
/* Adds the derivatives of all maps, for instances that are made from now on: their models have
 * MODEL_PRODUCTS. Not while other threads use the compiled model. False after an error, which is in
 * `diag`. */
bool gen_add_products(Compiled *compiled, Diag *diag);
/* The same, and straight code for changes of derivatives and outputs in one direction of states and
 * inputs: for FMUs. */
bool gen_add_directions(Compiled *compiled, Diag *diag);
void gen_free(Compiled *compiled);
/* Where failures may show the text of equations from; it must outlive the instances. */
void gen_set_sources(Compiled *compiled, const Sources *sources);
GenStats gen_stats(const Compiled *compiled);
const IrModule *gen_module(const Compiled *compiled); /* to be dumped or printed as C */

/* For those that write a compiled model down: its tables, the module of its derivatives (NULL:
 * none), its system. */
const RunModel *gen_run_model(const Compiled *compiled);
const IrModule *gen_tape_module(const Compiled *compiled);
System *gen_system(const Compiled *compiled);
const ExtUnit *gen_externals(const Compiled *compiled); /* C text that came with the model */
const ModelShape *gen_shape(const Compiled *compiled);

/* Adds the residual form F(t, x, x', z) = 0, in which tearing variables z of blocks belong to the
 * integrator; as above. */
bool gen_add_residual_form(Compiled *compiled, Diag *diag);
/* Whether a run is cheaper that way. */
bool gen_prefers_residual_form(const Compiled *compiled);
/* where that was added; NULL when memory is out */
Model *gen_residual_instance(const Compiled *compiled);

/* ---- straight.c: f and chosen entries of its Jacobian as straight code, for steppers of a fixed
 * cost */

typedef struct GenStraight GenStraight;

typedef struct {
    double t;
    const double *y;
} GenPoint;

/* What a function has at hand where its end is made. */
typedef struct {
    IrBuilder *b;
    const IrReg *x, *f;   /* n: unknowns and right-hand sides */
    const IrReg *entries; /* of df/dx, as asked for; IR_NONE: zero */
    /* an Integer: a relation is not what it is held to be; IR_NONE: there are none */
    IrReg switched;
    const IrReg *live;   /* by relation: what it is now, an Integer */
    const IrReg *values; /* by slot: what was computed; IR_NONE: nothing */
} GenParts;

typedef struct {
    bool residual_form;
    int rounds;             /* of Newton's method, for nonlinear blocks */
    Model *probe;           /* an instance that runs */
    const GenPoint *points; /* of it, whose pivots shall be good */
    size_t point_count;
    const int *slots; /* values that functions shall have at hand, too */
    size_t slot_count;
} GenWish;

/* Starts a module for straight code. Blocks are solved inside by rounds of Newton's method from
 * where the last step left them; linear ones by one, exactly. In the residual form they are not
 * solved, and their residuals are rows after those of states. NULL: `why` says what the model has
 * that cannot be straight. */
GenStraight *gen_straight_new(Compiled *compiled, const GenWish *wish, char *why, size_t room);
void gen_straight_free(GenStraight *straight);
/* More memory for its functions, beside the unknowns in memory gen_straight_x. */
IrMem gen_straight_memory(GenStraight *straight, const char *name, uint32_t n);
IrMem gen_straight_x(const GenStraight *straight);
/* A function that computes f and entries from memory; `finish` says what to do with them. */
IrFun gen_straight_function(GenStraight *straight, const char *name, const Entry *entries, size_t n,
                            void (*finish)(void *arg, const GenParts *parts), void *arg);
/* What exports have to know: memories and places in them; whether events change nothing but
 * relations. */
typedef struct {
    IrMem memory;
    uint32_t index;
} GenStraightPlace;
GenStraightPlace gen_straight_time(const GenStraight *straight);
IrMem gen_straight_values(const GenStraight *straight); /* by slot */
uint32_t gen_straight_relations(const GenStraight *straight);
IrMem gen_straight_relation_memory(const GenStraight *straight);
bool gen_straight_is_plain(const GenStraight *straight);
/* for functions without a model */
IrModule *gen_straight_module(const GenStraight *straight);
/* of block i; NULL past the last */
const LuPlan *gen_straight_block(const GenStraight *straight, size_t i);
/* after the last function */
bool gen_straight_compile(GenStraight *straight, IrBackend backend);
IrBackend gen_straight_backend(const GenStraight *straight);
size_t gen_straight_size(const GenStraight *straight);
/* Runs a function on an instance. `memory` holds all memories of the module; gen_straight_bind
 * fills in those of the model, the others are the caller's. */
enum { GEN_STRAIGHT_MEMORIES = 40 };
void gen_straight_bind(Model *model, RtArray memory[GEN_STRAIGHT_MEMORIES]);
RtStatus gen_straight_run(const GenStraight *straight, Model *model, RtArray *memory, double t, IrFun f);

Model *gen_instance(const Compiled *compiled); /* NULL when memory is out */
void gen_instance_free(Model *model);
RunInstance *gen_running(const Model *model); /* what of run/ it is made of */
/* What the model prints and warns of, line by line, from now on. */
void gen_listen(Model *model, void (*say)(void *arg, const char *text), void *arg);

#endif
