/* clock.h: what clock.c and discretize.c share: the graph of clocked partitions. */
#ifndef ACAUSAL_SEMA_CLOCK_H
#define ACAUSAL_SEMA_CLOCK_H

#include "sema/inside.h"

typedef struct {
    int64_t n, d; /* d > 0, no common factor */
} Ratio;

/* A base clock: periodic, or an event. All periodic clocks whose interval is a ratio of seconds are
 * one. */
typedef struct {
    double period; /* 0: an event, or an interval that varies */
    ExprId condition;
    ExprId interval; /* that varies: in resolution's parts of a second; NONE */
    double resolution;
    VarId next; /* when it ticks next; NONE */
    double start_interval;
    Ratio step;  /* all its clocks tick at multiples of this */
    VarId count; /* of steps; NONE where each step ticks */
    VEC(StmtId) updates;
    Span span;
} BaseClock;

typedef struct {
    uint32_t base; /* NONE: not known */
    Ratio factor;  /* of the base's interval */
    Ratio shift;   /* in intervals of the base */
} Ticks;

typedef struct {
    Ticks ticks;
    VarId ticked, first, interval; /* NONE before they are needed */
} ClockOf;

typedef struct {
    ExprId id;
    uint32_t result, argument; /* nodes */
    Span span;
} ClockOp;

typedef VEC(uint32_t) Nodes;

typedef struct {
    Sema *s;
    Flattening *f;
    Flat *flat;
    uint32_t vars;        /* that the model came with: the first nodes */
    VEC(uint32_t) parent; /* union-find: variables, then contexts */
    VEC(Span) spans;      /* of contexts and variables */
    VEC(ClockOp) ops;
    VEC(BaseClock) bases;
    VEC(StmtId) added;   /* equations */
    VEC(ClockOf) clocks; /* different ones in use */
    Nodes marks;         /* nodes that are clocked */
    Nodes unmarked;      /* nodes that are not */
    VEC(ClockOp) ders;   /* derivatives; result: the node */
    const char **method; /* by root: of integration; NULL */
    Ticks *ticks;        /* by root */
    uint8_t *state;      /* by root: CLOCKED, UNCLOCKED */
    Map held;            /* argument of a conversion to the variable that holds it */
    Map names;
    TypeId real, integer, truth;
} Clocks;

enum { CLOCKED = 1, UNCLOCKED = 2 };

/* clock.c */
uint32_t clock_root_of(Clocks *c, uint32_t node);
uint32_t clock_of(Clocks *c, uint32_t node);
ExprId clock_literal(const Clocks *c, uint8_t kind, TypeId type, int64_t value);
ExprId clock_real(const Clocks *c, double value);
ExprId clock_variable(const Clocks *c, VarId v);
ExprId clock_binary(const Clocks *c, Oper op, TypeId type, ExprId a, ExprId b);
ExprId clock_choose(const Clocks *c, TypeId type, ExprId condition, ExprId yes, ExprId no);
/* The start value of what an expression names. */
ExprId clock_start_of(const Clocks *c, ExprId id);
VarId clock_add_variable(Clocks *c, const char *what, const char *of, TypeId type, ExprId start, Span span);
VarId clock_previous(Clocks *c, ExprId id, uint32_t clock, Span span);
VarId clock_first_tick(Clocks *c, uint32_t clock, Span span);
/* The time since the last tick. */
FlatExpr clock_interval(Clocks *c, uint32_t clock, Span span);

/* constrained.c: by state of a partition: its equations determine it; `rates`: the derivatives */
void find_constrained(Clocks *c, uint32_t root, const VarId *states, const VarId *rates, uint32_t n,
                      bool *bound);

/* discretize.c */
bool discretize_methods(Clocks *c); /* false after a report */
void discretize(Clocks *c);

#endif
