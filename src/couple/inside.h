/* inside.h: what the files of the couple room share. */
#ifndef ACAUSAL_COUPLE_INSIDE_H
#define ACAUSAL_COUPLE_INSIDE_H

#include "couple/couple.h"

#include <math.h>

/* An FMU of the system. */
typedef struct {
    const char *name;
    Fmu *fmu;
    Model *model;
    bool is_cs, has_events; /* discrete inputs wait for event mode */
    int variable_first, slot_first;
    int y_first, g_first; /* model exchange: its place among all states and indicators */
    double next_time;     /* its next time event */
    FmuState *state;      /* before the step; NULL: cannot be saved */
} Component;

/* From a variable to an input. from -1: from a port of the system, source is its place. */
typedef struct {
    int from, source, to, target;
    double factor, offset;
    /* real and continuous at both ends: passed in every evaluation; the others only at events */
    bool is_continuous;
    bool has_memory; /* `before` is the value at the last communication point */
    double now, before, slope;
    Span span;
} Link;

/* Links in the order in which values are to be passed: blocks of one, or of several that form an
 * algebraic loop. */
typedef struct {
    int *links, *start; /* start: count + 1 places in links */
    bool *is_loop;
    int count;
} Order;

/* Room to solve the largest loop. */
typedef struct {
    int most;
    double *z, *r, *r_moved, *jacobian, *step; /* most of each, jacobian most * most */
    Arena *arena;
} LoopRoom;

struct Couple {
    Arena *arena;
    Diag *diag;
    SystemDescription *d;
    Component *components;
    Link *links;
    int component_count, link_count;
    Order inner, all; /* between components for model exchange; all */
    LoopRoom room;
    CoupleOptions options;
    Arena *run; /* of the present instance; NULL: none */
    Model model;
    ModelType type;
    ModelVariable *variables;
    NameIndex texts;
    /* own: of the components; after them are those of ports */
    int variable_count, slot_count, own_slots;
    int *text_variables, text_count;
    double *ports; /* values of the system's inputs */
    int port_count;
    int n, g; /* states and indicators of all components for model exchange */
    double t; /* of the last communication point */
    CoupleStats stats;
    char failure[900];
    struct Master *master; /* NULL: all is for model exchange */
};

/* order.c */
bool order_make(Couple *c, bool inner, Order *order);
/* Passes values along; *changed: a value that waits for event mode is another one. With `all` also
 * those that do. */
EvalStatus order_pass(Couple *c, const Order *order, double t, bool all, bool *changed);
EvalStatus couple_fail(Couple *c, int component, const char *what);

/* coupled.c: components for model exchange as one model. */
extern const ModelType coupled_type;
EvalStatus coupled_initialise_all(Couple *c, double t, double *y, EventInfo *info);
/* Who takes part in an event: components for model exchange alone; those and who has a time event
 * now; who has been passed other values; everyone. */
typedef enum { EVENT_GROUP, EVENT_DUE, EVENT_PASSED, EVENT_EVERY } EventScope;
EvalStatus coupled_event_all(Couple *c, double t, double *y, EventScope scope, EventInfo *info);
EvalStatus coupled_values(Model *model, double t, const double *y, double *values);
bool coupled_set(Model *model, int variable, double value, const char **why);
bool coupled_set_text(Model *model, int variable, const char *text, const char **why);
const char *coupled_failure(const Model *model);
ModelShape coupled_shape(const Couple *c);

/* master.c: co-simulation. */
bool master_make(Couple *c, Diag *diag);
void master_free(Couple *c);

#endif
