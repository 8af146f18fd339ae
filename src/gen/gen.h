/* gen.h: the door of the gen room: a System becomes code, and code becomes models that can be simulated.
 *
 *     Compiled *c = gen_compile(system, IR_AUTO, &diag);
 *     Model *m = gen_instance(c);
 *     ... initialise, integrate ...
 *     gen_instance_free(m);
 *     gen_free(c);
 *
 * A Compiled is never changed and may be shared by instances in several threads. It points into the System, which must
 * outlive it. An instance is all that changes; nothing is allocated while it is evaluated. */
#ifndef ACAUSAL_GEN_H
#define ACAUSAL_GEN_H

#include "dae/dae.h"
#include "ir/ir.h"
#include "model/model.h"

typedef struct Compiled Compiled;
typedef struct RunModel RunModel; /* of run/ */

typedef struct {
    IrBackend backend;
    size_t code_size;          /* bytes */
    uint32_t instructions;     /* of the IR, all functions */
    uint32_t native;           /* of those, that run as machine code */
    uint64_t jacobian_entries; /* of df/dx */
    uint64_t exact_entries;    /* of those, not by differences */
    uint32_t colours;
    uint32_t
        differences; /* derivatives of calls that are difference quotients: of external functions without one */
    double seconds; /* that compiling took */
} GenStats;

/* NULL after an error, which is in `diag`. Derivatives are added to the system's pool. */
Compiled *gen_compile(System *system, IrBackend backend, Diag *diag);
/* Adds the derivatives of all maps, for instances that are made from now on: their models have MODEL_PRODUCTS. Not while
 * other threads use the compiled model. False after an error, which is in `diag`. */
bool gen_add_products(Compiled *compiled, Diag *diag);
void gen_free(Compiled *compiled);
/* Where failures may show the text of equations from; it must outlive the instances. */
void gen_set_sources(Compiled *compiled, const Sources *sources);
GenStats gen_stats(const Compiled *compiled);
const IrModule *gen_module(const Compiled *compiled); /* to be dumped or printed as C */

/* For those that write a compiled model down: its tables, the module of its derivatives (NULL: none), its system. */
const RunModel *gen_run_model(const Compiled *compiled);
const IrModule *gen_tape_module(const Compiled *compiled);
System *gen_system(const Compiled *compiled);
const ModelShape *gen_shape(const Compiled *compiled);

/* Adds the residual form F(t, x, x', z) = 0, in which guessed unknowns z of blocks belong to the integrator; as above. */
bool gen_add_residual_form(Compiled *compiled, Diag *diag);
Model *gen_residual_instance(const Compiled *compiled); /* where that was added; NULL when memory is out */

Model *gen_instance(const Compiled *compiled); /* NULL when memory is out */
void gen_instance_free(Model *model);
/* What the model prints and warns of, line by line, from now on. */
void gen_listen(Model *model, void (*say)(void *arg, const char *text), void *arg);

#endif
