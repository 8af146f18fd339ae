/* inside.h: what the passes of the dae room share. */
#ifndef ACAUSAL_DAE_INSIDE_H
#define ACAUSAL_DAE_INSIDE_H

#include "dae/dae.h"

/* ---- sym.c: the pool ------------------------------------------------------------------------- */

struct SymPool {
    Arena *arena;
    VEC(SymNode) nodes;
    Map map;
    /* a walk over the nodes below a root: */
    uint32_t *stamp; /* the round in which a node was seen last */
    uint32_t *place; /* its place in `seen` then */
    uint32_t stamp_room, round;
    VEC(Sym) seen, stack, work;
    /* from a Sym to a place in `made`: those that gen asked for, often more than once */
    Map gradients;
    VEC(Gradient) made;
    VEC(DaeFun) funs;
    VEC(Str) texts;
};

typedef VEC(Sym) Syms;

SymPool *sym_pool_new(Arena *arena);
Sym sym_real(SymPool *pool, double value);
Sym sym_leaf(SymPool *pool, SymOp op, uint32_t index);
Sym sym_one(SymPool *pool, SymOp op, Sym a);
Sym sym_two(SymPool *pool, SymOp op, Sym a, Sym b);
Sym sym_if(SymPool *pool, Sym condition, Sym yes, Sym no);
Sym sym_string(SymPool *pool, Str text);
Sym sym_args(SymPool *pool, const Sym *args, uint32_t n); /* a list */
Sym sym_list(SymPool *pool, Sym first, Sym rest);
/* HISTORY, HISTORY_SLOPE, WITHIN */
Sym sym_indexed(SymPool *pool, SymOp op, uint32_t index, Sym a);
Sym sym_format(SymPool *pool, uint8_t base, Sym value, Sym options); /* STRING */
Sym sym_call(SymPool *pool, uint32_t fun, Sym args);
Sym sym_pick(SymPool *pool, Sym call, uint32_t scalar);
uint32_t sym_fun_der(SymPool *pool, uint32_t fun); /* its derivative, made when first asked for */
bool sym_is_real(const SymPool *pool, Sym s, double *value);
bool sym_is(const SymPool *pool, Sym s, SymOp op);
/* What an operation on numbers gives; also used to evaluate. */
double sym_compute(SymOp op, double a, double b, double c);

/* All nodes at and below the root, children first, in pool->seen; pool->place says where. Valid
 * until the next walk. */
void sym_walk(SymPool *pool, Sym root);
/* Of those the variables only, which is faster; places are not valid. */
void sym_walk_variables(SymPool *pool, Sym root);

/* ---- derive.c -------------------------------------------------------------------------------- */

/* Every partial derivative in one sweep. The array is in the pool's arena. */
Gradient sym_gradient(SymPool *pool, Sym root, bool is_wide); /* wide: as dae_gradient_wide says */
/* d/dt, where rate[v] is the derivative of variable v (NONE: constant). */
Sym sym_rate(SymPool *pool, Sym root, const Sym *rate, Sym of_time);
/* With one variable replaced. */
Sym sym_replace_one(SymPool *pool, Sym root, uint32_t var, Sym by);
/* With 0 for variables that have a flag. */
Sym sym_without(SymPool *pool, Sym root, const uint8_t *is_gone);
/* With 0 for derivatives that have a flag, and so for what is in proportion to them: products, and
 * derivatives of functions along them. */
Sym sym_at_rest(SymPool *pool, Sym root, const uint8_t *is_zero);
/* With reads of histories replaced by what they are at the start. */
Sym sym_without_histories(SymPool *pool, const System *system, Sym root);
bool sym_contains(SymPool *pool, Sym root, uint32_t var);
/* Solves eq for var where that is safe; NONE if it is not. `coefficient` is d(left - right)/d
 * var. */
Sym sym_solve(SymPool *pool, const System *system, const DaeEq *eq, uint32_t var, Sym coefficient);
/* Whether only constants, parameters (and, if asked for, discrete variables, pre values, and
 * parameters that the initial equations give) are in it. */
bool sym_is_fixed(SymPool *pool, const System *system, Sym s, bool discrete_too);
bool sym_is_fixed_node(const System *system, const SymNode *n, bool discrete_too); /* but for its children */

/* ---- graph.c: sorting over CSR adjacency; matching is in dae.h ------------------------------- */

/* Strong components of the rows, where row r needs row_of[c] for each of its columns c. order:
 * rows, component by component, what is needed first; first[k]: where component k begins; returns
 * their number. */
uint32_t graph_sort(const Graph *g, const uint32_t *row_of, uint32_t *order, uint32_t *first, Arena *scratch);

/* A scalar expression, a list (an array row by row, a record field by field), or a function with
 * the arguments bound so far. */
typedef struct Value Value;
struct Value {
    bool is_list, is_function, is_open; /* open: an argument that a function leaves to its caller */
    Sym scalar;
    uint32_t n;
    FuncId func;
    Value *items;
};

/* A loop of an algorithm, or an assignment, as a call: `left := call` does what it does. */
typedef struct {
    StmtId loop;
    ExprId left, call;
    VarId stops;      /* it is true when terminate() was called in it; NONE: it never is */
    ExprId stop_text; /* what terminate() says */
    const char *why;  /* NULL, or why there is none */
} DaeOutline;

/* An equation as it came: two scalar sides. */
typedef struct {
    Sym left, right;
    Span span;
    bool is_whole; /* of no Reals: what a discrete variable is given, it is given at events */
} Pair;
typedef VEC(Pair) Pairs;

/* ---- passes, in their order ------------------------------------------------------------------ */

typedef struct {
    System *s;
    Arena *scratch; /* for the whole build */
    Diag *diag;
    VEC(uint32_t)
    equations; /* continuous ones, of system->eqs, without those that were differentiated away */
    VEC(uint32_t) initial_equations; /* of system->eqs */
    Pairs waiting;                   /* either side may be what the equation gives */
    uint8_t *is_discrete;            /* by VarId: changes at events only */
    uint8_t *is_alias_eq;            /* by StmtId: became an alias, is no equation any more */
    uint8_t *is_alias_binding;       /* by VarId: so did its binding */
    Sym *memo[2];                    /* by ExprId: translated, with events and without */
    /* in which round that was: a memo of another one does not count */
    uint32_t *memo_round[2];
    uint32_t round, rounds;
    const Sym *env;      /* by VarId, while statements run: what a variable holds; NONE: itself */
    Span span;           /* of what is being translated */
    Map relations;       /* from an expression of the relation to its number + 1 */
    uint32_t made;       /* variables made so far, for their names */
    Sym *value;          /* by VarId: what statements assign; all NONE between them */
    Span *given_at;      /* by VarId: the last statement that assigns it */
    Map calls;           /* results of calls outside of functions; inline.c */
    Syms loops;          /* values of the variables of loops in algorithms of the model */
    uint32_t statements; /* run by inline.c */
    /* calls that are tried to be run on expressions, one inside of the other */
    int trials;
    bool gave_up;                         /* the innermost of them cannot */
    uint32_t statement_limit, node_limit; /* of the outermost one */
    uint8_t *vain;                        /* by function: trials in vain */
    VEC(DaeOutline) outlines;
    uint32_t *outline_of; /* by StmtId: 0, or its place in `outlines` + 1; NULL: there are none */
    bool blends;          /* homotopy() is a blend of both, by SYM_LAMBDA; else it is `actual` */
    bool has_homotopy;    /* since it was last reset: an expression has one */
    int whens;            /* bodies of when-clauses around: relations make no events there (8.5) */
    bool at_parameters;   /* the binding of a parameter is taken */
    bool at_start;        /* in a section that holds at the start only */
    bool failed;
} Build;

/* outline.c: the flat model with more functions */
const Flat *dae_outline_loops(Build *b, const Flat *flat);
/* Every variable that an assignment to `left` may change. */
void dae_each_target(const Flat *f, ExprId left, void (*visit)(void *arg, VarId v), void *arg);
void dae_find_aliases(Build *b);  /* alias.c: fills system->alias and makes the variables */
bool dae_intake(Build *b);        /* intake.c: equations, parameters, initial equations */
void dae_find_discrete(Build *b); /* exec.c: what when-clauses assign is discrete */
typedef enum { STATEMENTS_WHEN, STATEMENTS_ALGORITHM, STATEMENTS_INITIAL } Statements;
void dae_take_statements(Build *b, const StmtId *ids, uint32_t n, Statements kind); /* exec.c */
void dae_take_check(Build *b, const FlatStmt *s, Sym guard);
void dae_take_effect(Build *b, const FlatStmt *s, Sym guard); /* a call for what it does */
/* expr.c: an expression of the flat model; 0 after an error. */
Sym dae_translate(Build *b, ExprId e, bool no_event);
/* a scalar one */
Sym dae_translate_node(Build *b, const FlatExpr *e, const Sym *args, bool no_event);
Sym dae_var(Build *b, VarId flat); /* a variable of the flat model, with the sign of its alias */
uint32_t dae_make_discrete(Build *b, const char *kind,
                           Sym value); /* a new discrete variable with its equation */
/* spatialDistribution(in0, in1, x, positive, points, values): what leaves at 0 and at 1 */
void dae_spatial(Build *b, const Sym *in, const Sym *points, const Sym *values, uint32_t n, Sym *ends);
/* inline.c: calls, arrays, records; a scalar, or all scalars of it. */
Sym dae_inline(Build *b, ExprId e, bool no_event);
void dae_inline_all(Build *b, ExprId e, Syms *out);
Sym dae_inline_effect(Build *b, ExprId e); /* a call made for its effect; 0 if it has none */
void dae_inline_results(Build *b, ExprId e, ExprId left,
                        Syms *out); /* one for each part of the tuple `left` */
/* What a call gives for numbers; false where it cannot be run here. */
bool dae_run_call(Build *b, const DaeFun *f, const double *args, double *results);
void dae_estimate_parameters(Build *b); /* estimate.c: fills system->known */
/* Between 0.1 and 2, another one for other arguments, so that what stands for unknown numbers is
 * not related. */
double dae_any_number(uint32_t a, uint32_t b);
/* call.c: a call that stays a call; `results` has the shape of its results and gets their
 * values. */
Sym dae_call(Build *b, FuncId f, const Value *args, Value *results);
void dae_give_discrete(Build *b, uint32_t var, Sym value); /* the equation of a discrete variable */
void dae_not_yet(Build *b, const char *what);
bool dae_check_divisors(Build *b); /* divisor.c: none is a zero for ever */
/* simultaneous.c: discrete Reals in loops become continuous unknowns; continuous: sorted, or NULL
 * for loops of discrete variables alone. */
void dae_join_discrete(Build *b, const Sequence *continuous);
void dae_join_semilinear(Build *b);   /* semilinear.c */
void dae_drop_zeros(Build *b);        /* zero.c: derivatives whose factor is zero */
void dae_show_combinations(Build *b); /* combinations.c */
/* index.c: whether each variable, with its derivative, can have an equation of its own. */
bool dae_is_regular(const Build *b, Arena *scratch);
bool dae_reduce_index(Build *b); /* index.c: differentiates, has states chosen */
/* smooth.c: may be differentiated for the sake of a better state */
bool dae_is_smooth(System *s, Sym e);
/* states.c; order: by equation, how often differentiated; derivatives from `made` on were made by
 * that */
bool dae_choose_states(Build *b, const uint32_t *order, uint32_t made);
/* blocks.c: sorts and tears `eqs` for the unknowns (by flag). Explains if that is impossible.
 * `phase` is for messages. */
bool dae_sort(Build *b, const uint32_t *eqs, uint32_t n, const uint8_t *is_unknown, Sequence *out,
              const char *phase);
/* discrete ones and parameters; blocks.c */
bool dae_sort_assigns(Build *b, DaeAssign *assigns, uint32_t n);
bool dae_initial(Build *b);    /* initial.c */
bool dae_check_rank(Build *b); /* rank.c: false where equations contradict each other */
void dae_explain_singular(Build *b, const uint32_t *eqs, const Graph *g, const uint32_t *unknowns,
                          const uint32_t *column_of, const uint32_t *row_of,
                          const char *phase); /* explain.c */

/* dae.c */
Sym dae_unless_set(System *s, uint32_t var, Sym value);
/* Whether a variable belongs to a connector and is no flow. */
bool dae_is_potential(const System *s, uint32_t var);
uint32_t dae_add_var(System *s, DaeVar v);
uint32_t dae_add_eq(System *s, Sym left, Sym right, Span span);
uint32_t dae_der(System *s, uint32_t var); /* the derivative of a variable, made if it is new */
/* A number for an expression of constants and parameters, by bindings and start values. */
double dae_estimate(System *s, Sym e, Arena *scratch);

#endif
