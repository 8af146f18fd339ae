/* flatten.h: typed expressions and connections to the flat model. */
#ifndef ACAUSAL_SEMA_FLATTEN_H
#define ACAUSAL_SEMA_FLATTEN_H

#include "sema/inst.h"

typedef VEC(StmtId) StmtIds;

/* emit.c */
ExprId emit_scalar(Sema *s, Flat *flat, TExpr *e);
ExprId emit_whole(Sema *s, Flat *flat, TExpr *e);   /* arrays as X_ARRAY of scalars */
ExprId emit_results(Sema *s, Flat *flat, TExpr *e); /* of a call: all of them, never one as a literal */
StmtId emit_stmt(Sema *s, Flat *flat, const TStmt *st);
/* Its statements' first place in ids, and how many they are: an array's assignment may become
 * several. */
uint32_t emit_body(Sema *s, Flat *flat, TStmt *const *at, uint32_t n, uint32_t *count);
FuncId emit_function(Sema *s, Flat *flat, Function *f);
void emit_notes(Sema *s, Flat *flat, Function *f, FlatFunction *x); /* annotate.c */
bool asks_inline(Sema *s, const Function *f);                       /* annotation(Inline = true) */
/* annotation(Evaluate = true) */
bool evaluates(Sema *s, const Entry *e);
DefId emit_def(Sema *s, Flat *flat, Inst *def);
TypeId emit_type(Sema *s, Flat *flat, const Type *t);

/* external.c */
bool function_is_external(const Function *f);
void emit_external(Sema *s, Flat *flat, Function *f, FlatFunction *x);
FuncId emit_destructor(Sema *s, Flat *flat, Inst *def); /* NONE if there is none */
/* Calls it now: reads and writes its variables. False after a report. */
bool run_external(Sema *s, Function *f, Value **locals, const Scope *scope, Span span);

/* equations.c, connect.c */
typedef struct {
    Inst *inst;
    TExpr *left, *right; /* connectors, as trees of references */
    bool left_outside, right_outside;
    Span span;
} Connection;

/* transition(from, to, ...); without `from`: initialState(to). */
typedef struct {
    Inst *from, *to, *owner;
    ExprId condition;
    bool immediate, reset, synchronize;
    uint32_t priority;
    Span span;
} Transition;

/* Outputs of several states, connected with another variable. */
typedef struct {
    VEC(Inst *) states;
    VEC(VarId) values;
    VarId to; /* NONE: nothing reads them */
} Joint;

/* What the text of an instance became. */
typedef struct {
    const Inst *inst;
    FlatRange range;
} InstText;

typedef struct {
    Sema *s;
    Flat *flat;
    VEC(InstText) texts;
    uint32_t text_equations; /* those after come from connections */
    Entry *function;         /* the first component that a function cannot make; NULL */
    VEC(Connection) connections;
    VEC(Transition) transitions;
    VEC(Joint) joints;
    /* by variable that a clock's method integrates in a state: whether the state is active, and
     * reset: two VarId */
    Map activity;
    VEC(Entry *) streams; /* stream variables */
    /* sets of connected variables, by node: twice a variable, and one more for its face within its
     * component */
    uint32_t *set_of;    /* NONE: in no set */
    uint32_t *set_first; /* of a set, in set_nodes; the next one's is its end */
    uint32_t *set_nodes;
    Map type_names; /* Class to its full name */
} Flattening;

void flatten_equations(Flattening *f, const Env *env, const Stmts *body, bool initial, StmtIds *out);
void flatten_connections(Flattening *f);
/* array by array, as equations of a connection */
void equate_to_zero(Flattening *f, TExpr *e, Span span);
void collect_connection(Flattening *f, const Env *env, const Stmt *st);
bool ref_is_disabled(const Env *env,
                     const Expr *ref); /* leads through a component whose condition is false */

/* subtype.c */
void check_redeclarations(Sema *s);

/* walk.c */
typedef void (*VisitConnection)(void *arg, const Env *env, const Stmt *st);
void walk_connections(Sema *s, VisitConnection visit, void *arg);
/* Connections.branch(...) and the like */
bool stmt_is_of_connections(const Stmt *st);
bool is_broken_connect(const Scope *scope, const Stmt *st); /* break connect(...): inst.c */

/* bus_text.c: references bus.member outside of connections */
typedef void (*BusReference)(void *arg, Inst *bus, Name member, Span span);
void each_bus_reference(Sema *s, Inst *inst, BusReference each, void *arg);

/* expandable.c */
void expand_connectors(Sema *s);

/* attribute.c */
void describe_attributes(Flattening *f, Entry *e);
/* The part of a value that belongs to element `index` of an array; a scalar belongs to all. */
TExpr *value_at(Sema *s, TExpr *x, const Type *t, uint32_t index);

/* balance.c; `variables`: how many there were before connections added some */
void tally_balance(Flattening *f, Inst *model, uint32_t variables);

/* idle.c; `used`: by variable, whether the text of the model uses it, connections apart */
void settle_idle_inputs(Flattening *f, const uint8_t *used, uint32_t variables);

/* objects.c */
void settle_objects(Flattening *f);

/* discrete.c: reports only */
void check_discrete(Sema *s, const Flat *flat);
void check_cycles(Sema *s, const Flat *flat);

/* stream.c */
TExpr *stream_operator(const Env *env, Builtin b, TExpr *e, Span span);
void resolve_streams(Flattening *f);

/* machine.c */
Inst *state_with(const Flattening *f, const Entry *e); /* the state that it lies in; NULL */
bool stmt_is_of_machine(const Env *env, const Stmt *st);
void collect_machine(Flattening *f, const Env *env, const Stmt *st);
TExpr *state_operator(const Env *env, Builtin b, TExpr **args, uint32_t n, Span span);
void resolve_machines(Flattening *f);

/* clock_call.c, clock.c */
TExpr *clock_operator(const Env *env, Builtin b, TExpr **args, uint32_t n, Span span);
void resolve_clocks(Flattening *f);

/* overconstrained.c */
Function *equality_constraint(Sema *s,
                              /* of an overconstrained record; NULL if this is none */
                              const Type *t);
typedef enum {
    LINK_WHOLE,
    LINK_BROKEN, /* the constraint stands for it */
    LINK_DOUBLE  /* other connections say it already */
} Link;
Link connection_link(Sema *s, const TExpr *a, const TExpr *b, Span span);
TExpr *connections_operator(const Env *env, const Expr *call); /* Connections.isRoot, rooted */
void check_connections_statement(const Env *env, const Stmt *st);

/* cardinality.c */
uint32_t connections_of(Sema *s, const TExpr *connector);

#endif
