/* machine.h: what the files of state machines share: machine.c, machine_text.c, machine_state.c. */
#ifndef ACAUSAL_SEMA_MACHINE_H
#define ACAUSAL_SEMA_MACHINE_H

#include "sema/inside.h"

typedef struct {
    Inst *inst;
    uint32_t machine, number;          /* in the machine, from 1: the initial one */
    VarId active, reset, pending, due; /* due: the state's reset, from outside, is still to be done */
    VarId ticks, time, ticks_before, time_before; /* NONE before they are needed */
    VarId entered;
    uint32_t around; /* the state that it lies in; NONE */
} State;

typedef VEC(uint32_t) Numbers;

typedef struct {
    Inst *owner;
    Numbers states, transitions; /* transitions: the strongest last */
    uint32_t initial;            /* a state; NONE */
    uint32_t around;             /* the state that it lies in; NONE */
    VarId reset, selected, fired, immediate, delayed, active_state, active_reset, next;
    Span span;
} Machine;

typedef struct {
    VarId var; /* outer */
    VEC(VarId) values;
    Numbers states;
} Merged;

typedef struct {
    Flattening *f;
    Flat *flat;
    Sema *s;
    VEC(State) states;
    VEC(Machine) machines;
    VEC(Merged) merged;
    Map of_inst;     /* Inst to its state */
    Map previous_of; /* VarId to the variable that its previous value became */
    Map integrated;  /* VarId of those that der() is applied to */
    Map merged_of;   /* VarId to its place in `merged` */
    uint32_t *owner; /* by VarId: its state; NONE */
    VarId *same;     /* by VarId: the outer variable that an inner outer one is; NONE */
    VarId first;     /* true before the first tick; NONE */
    uint32_t vars;   /* how many there were */
    TypeId real, integer, truth;
} Machines;

/* machine.c: expressions, variables and equations for machines */
ExprId machine_whole(const Machines *m, int64_t value);
ExprId machine_boolean(const Machines *m, bool value);
ExprId machine_variable(const Machines *m, VarId v);
ExprId machine_previous(const Machines *m, VarId v);
ExprId machine_binary(const Machines *m, Oper op, TypeId type, ExprId a, ExprId b);
ExprId machine_both(const Machines *m, ExprId a, ExprId b);
ExprId machine_not(const Machines *m, ExprId a);
ExprId machine_is(const Machines *m, VarId v, uint32_t number);
ExprId machine_choose(const Machines *m, TypeId type, ExprId condition, ExprId yes, ExprId no);
VarId machine_add(Machines *m, const char *what, const char *of, TypeId type, int64_t start, Span span);
void machine_give(Machines *m, VarId v, ExprId value);
ExprId machine_either(const Machines *m, ExprId a, ExprId b);
/* The innermost state that an instance is, or lies in. */
uint32_t machine_state_around(const Machines *m, const Inst *inst);

/* machine_state.c */
void machine_own_variables(Machines *m);
void machine_guard_states(Machines *m);
void machine_replace_previous(Machines *m, uint32_t exprs);
void machine_give_merged(Machines *m);

#endif
