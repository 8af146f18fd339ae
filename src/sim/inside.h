/* inside.h: the parts of a run: the model as integrators see it, the choice of an integrator,
 * events that never end. */
#ifndef ACAUSAL_SIM_INSIDE_H
#define ACAUSAL_SIM_INSIDE_H

#include "sim/sim.h"

/* ---- wrap.c ---------------------------------------------------------------------------------- */

typedef struct {
    int variable;         /* of the model */
    const Signal *signal; /* of the table */
    bool held;            /* constant between rows: inputs that are not Real, parameters */
} InputSource;

/* A model with its inputs driven by a table, and with one constant state if it has none of its
 * own. */
typedef struct {
    /* what integrators get: `inner`, or `model` if something has to be added. A Wrap stays in
     * place */
    Model *use;
    Model *inner, model;
    ModelType type;
    const ResultTable *table; /* NULL: no inputs */
    InputSource *sources;
    size_t count;
    size_t first, last; /* rows of the smooth piece of the table that holds now */
    size_t hint;
    double t_set; /* inputs have been set for this time, in this piece */
    bool is_set;
} Wrap;

/* False: `why` says which input is missing or wrong. */
bool wrap_init(Wrap *w, Arena *arena, Model *inner, const ResultTable *inputs, char *why, size_t room);
/* The next time at which an input jumps; INFINITY if none does. */
double wrap_next_jump(const Wrap *w);
/* Goes over to the piece that begins at t or contains it. */
void wrap_enter(Wrap *w, double t);

/* ---- chatter.c ------------------------------------------------------------------------------- */

enum { CHATTER_EVENTS = 1000 };

typedef struct {
    double t[CHATTER_EVENTS];
    int indicator[CHATTER_EVENTS];
    long n;
} Chatter;

/* Notes a state event; true when events repeat so densely that the run would never end. */
bool chatter_note(Chatter *c, double t, int indicator, double span);
/* Returns the indicator to blame. */
int chatter_explain(const Chatter *c, const Model *model, char *text, size_t room);

#endif
