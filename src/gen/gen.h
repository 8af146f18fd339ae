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
void gen_free(Compiled *compiled);
GenStats gen_stats(const Compiled *compiled);
const IrModule *gen_module(const Compiled *compiled); /* to be dumped or printed as C */

Model *gen_instance(const Compiled *compiled); /* NULL when memory is out */
void gen_instance_free(Model *model);
/* What the model prints and warns of, line by line, from now on. */
void gen_listen(Model *model, void (*say)(void *arg, const char *text), void *arg);

#endif
