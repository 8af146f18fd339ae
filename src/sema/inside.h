/* inside.h: what the files of the sema room share.
 *
 * The instance tree. An Inst is a class seen from an enclosing instance with modifiers. It consists
 * of scopes: one for the class itself and one for each class that it extends, in a tree. Names in
 * the text of a class are looked up in its scope, in the scopes below it, and then in the enclosing
 * scope (`outer`), which belongs to the instance that the class was found in. So a function of a
 * redeclared package sees that package's types. The elements of an Inst are entries, one a name;
 * they are made when asked for. A component's entry owns the instances of its type, one for each
 * element of its array. */
#ifndef ACAUSAL_SEMA_INSIDE_H
#define ACAUSAL_SEMA_INSIDE_H

#include "ext/ext.h"
#include "sema/sema.h"

typedef struct Sema Sema;
typedef struct Inst Inst;
typedef struct Scope Scope;
typedef struct Entry Entry;
typedef struct TExpr TExpr;
typedef struct TStmt TStmt;
typedef struct Function Function;
typedef struct Value Value;
typedef struct RootGraph RootGraph;

/* ---- index.c: what the text of a class declares, by name ------------------------------------- */

typedef struct {
    Name name;
    Element *element;         /* NULL for a class with a file of its own */
    Declaration *declaration; /* of a component */
    Class *cls;               /* of a class */
} Decl;

typedef struct {
    Path path;   /* of a package */
    Name member; /* in it; NULL: the path itself is what is imported */
    Span span;
} ImportName;

typedef struct {
    const Class *cls;
    Map names;                        /* Name to Decl */
    VEC(Decl *) components;           /* in the order of the text */
    VEC(const Element *) bases;       /* extends clauses */
    Map imports;                      /* Name to ImportName */
    VEC(const Import *) open_imports; /* import A.*; */
    bool contains_itself;             /* that has been reported */
    bool is_ruled, is_balanced;       /* rules.c has been through it */
} ClassIndex;

ClassIndex *class_index(Sema *s, const Class *cls);
/* also looks into the directory of a package */
Decl *class_decl(Sema *s, ClassIndex *index, Name name);

/* ---- mods.c: modifiers ----------------------------------------------------------------------- */

/* Subscripts of the elements of component arrays that a modifier has come through, outermost
 * first. */
typedef struct Subs Subs;
struct Subs {
    const Subs *outer;
    uint32_t rank;
    const int32_t *at, *sizes; /* from 0; of the array of components */
};

/* One modification aimed at an element, with the scope that its expressions belong to. */
typedef struct {
    const Modification *m;    /* may be NULL */
    const Argument *argument; /* NULL for what a declaration says of itself */
    uint32_t depth;           /* so many names of a dotted argument are behind us */
    Scope *scope;
    const Subs *subs;
    bool is_final, is_constraint; /* said by a constraining clause */
} Mod;

/* Strongest first: what is said further outside wins. */
typedef struct {
    Mod *at;
    uint32_t n;
} Mods;

Mods mods_select(Sema *s, Mods mods, Name name);
Mods mods_join(Sema *s, Mods strong, Mods weak);
Mods mods_add(Sema *s, Mods strong, const Modification *m, Scope *scope);
Mods mods_for_element(Sema *s, Mods mods, uint32_t rank, const int32_t *at, const int32_t *sizes);
const Mod *mods_value(Mods mods);     /* the one whose value counts; NULL if there is none */
const Mod *mods_redeclare(Mods mods); /* the redeclaration that counts; NULL if there is none */
static inline bool mod_is_whole(const Mod *m) { return !m->argument || m->depth >= m->argument->name_count; }
Name argument_name(const Argument *a); /* the first name that it is about; NULL for none */
Span mod_span(const Mod *m);

/* ---- types, typed expressions ---------------------------------------------------------------- */

enum { MOST_ELEMENTS = 50000000 }; /* of one array: more is taken for a mistake */

enum { BASE_POISON = 100, BASE_CLASS }; /* besides those of flat.h */

typedef struct {
    uint8_t base, rank;
    Inst *def; /* of enumerations, records, external objects, functions */
    int32_t *sizes;
} Type;

/* A typed expression. Arrays are whole. X_VAR names a component of simple type, `leaf`. */
struct TExpr {
    uint8_t kind, op, varies;
    Type type;
    Span span;
    uint32_t n;
    TExpr **args;
    union {
        double real;
        int64_t integer;
        Str text;
        Entry *leaf;
        uint32_t index; /* X_LOCAL, X_FIELD, X_RESULT, X_COMPREHENSION */
    };
    Function *function; /* X_CALL, X_PARTIAL */
};

typedef struct {
    TExpr *condition; /* NULL: else */
    TStmt **at;
    uint32_t n;
} TBranch;

/* A statement of a function or an algorithm. */
struct TStmt {
    uint8_t kind; /* FlatStmtKind */
    uint32_t n;   /* of branches */
    uint32_t index;
    TBranch *branches;
    TExpr *left, *right, *level;
    Span span;
};

typedef VEC(TStmt *) TStmts;

/* A value at compile time. */
typedef union {
    double real;
    int64_t integer; /* also Booleans and enumerations */
    Str text;
    Value *record; /* one value a field; of a function: the value of a bound input, or NULL */
} Cell;

struct Value {
    uint8_t base, rank;
    uint32_t n; /* cells */
    int32_t *sizes;
    Inst *def;
    Cell *at;
};

/* ---- the instance tree ----------------------------------------------------------------------- */

/* One class of an instance: its own, or one that it extends. */
struct Scope {
    Inst *inst;
    const Class *cls;
    ClassIndex *index;
    Scope *outer;   /* the scope around the class */
    Scope *derived; /* the scope that extends this one */
    Mods mods;
    Map typed;                        /* Modification to the typed value of it, in this scope */
    uint8_t state;                    /* STATE_... of the bases */
    bool is_protected;                /* extended in a protected section */
    const Modification *modification; /* of the extends clause: what it breaks; may be NULL */
    uint32_t n;
    Scope **bases;
};

enum { STATE_NEW, STATE_BUSY, STATE_DONE, STATE_POISONED };

struct Inst {
    Scope *own;
    Scope *root;     /* of the built-in type or enumeration that this is in the end; else NULL */
    Entry *entry;    /* what this is an instance or the class of; NULL for the tops */
    Inst *container; /* whose component this is; NULL for classes */
    uint32_t index;  /* in its component's array */
    uint32_t scopes; /* how many it has */
    uint8_t kind;    /* ClassKind */
    uint8_t base;    /* Base; BASE_CLASS for models and packages, BASE_FUNCTION, BASE_POISON */
    uint8_t listed;  /* STATE_... of comps */
    uint8_t flags;   /* CLASS_... */
    bool is_connector;
    Map names;          /* Name to Entry */
    VEC(Entry *) comps; /* components, inherited ones where the extends clause stands */
    Function *function;
    uint32_t connections; /* of a connector: see cardinality.c */
    uint32_t tally;       /* of a component, from 1; 0: none: see balance.c */
};

enum { ENTRY_CLASS, ENTRY_COMPONENT };

struct Entry {
    Name name;
    uint8_t kind;
    uint8_t flags;                          /* IS_... */
    uint8_t flow, varies, causes, declared; /* declared: Variability as written */
    uint8_t state, size_state, bind_state, value_state;
    bool disabled, structural, in_connector, is_listed;
    const Decl *decl;
    Scope *scope; /* that its type, sizes and condition belong to */
    Mods mods;
    Inst *owner;
    Inst *cls; /* ENTRY_CLASS: the class; component: its class as found, without modifiers */
    /* of components: */
    Inst **elements; /* one for a scalar */
    uint32_t count;
    uint32_t own_rank;  /* of the sizes, so many belong to the component, the rest to its type */
    Type type;          /* with all sizes */
    TExpr **size_exprs; /* of a function's variables, where sizes are not known; may hold NULL */
    /* of an outer component; of one that is inner as well: what its name means, see lookup.c */
    Entry *inner;
    TExpr *binding;
    Value *value;
    Span needed_at; /* of a structural parameter: where its value was first needed */
    uint32_t local; /* of a function's variable */
    VarId var;      /* its first variable in the flat model */
    uint32_t connections;
    /* of a redeclared element: */
    const Decl *replaced; /* the original; NULL if this is it */
    Scope *replaced_scope;
    Span redeclared_at;
};

struct Function {
    Inst *inst;
    uint8_t body_state;
    bool is_broken; /* something in its body is wrong */
    bool impure, is_record;
    VEC(Entry *) inputs, outputs, locals;
    VEC(const char *) loop_names; /* loop variables, numbered after the locals */
    TStmts body;
    FuncId id;
    Function *of;     /* what it is the partial derivative of, and by which inputs; else NULL */
    VEC(uint32_t) by; /* several: one after the other */
    /* of an external function with C text that ran while the model was built; else NULL */
    ExtUnit *unit;
    bool in_place_known;
    TExpr *in_place; /* what a call of it may be replaced by; NULL if nothing */
};

struct Sema {
    Libraries *libraries;
    Names *names;
    Sources *sources;
    Permit *permit; /* whose foreign code may run */
    Arena *arena;
    Diag *diag;
    Inst *top;       /* holds the roots of libraries */
    Scope *builtins; /* of the class that holds Real, StateSelect, ... */
    Inst *model;     /* what is being flattened */
    Map indexes;     /* Class to ClassIndex */
    bool connections_counted;
    VEC(Entry *) redeclared;
    RootGraph *roots; /* of overconstrained connections; NULL before it is needed */
    uint64_t steps;   /* of functions run at compile time */
    uint32_t run_depth;
    /* inside of try_eval: what fails may be asked for again, and is reported then */
    uint32_t trying;
    uint32_t poisons;               /* expressions poisoned so far: each must have been reported */
    Map builtin_names;              /* Name to Builtin + 1 */
    Map absent;                     /* names that no library has */
    Map flat_names;                 /* Name to the number of classes called so in the flat model */
    Map defs;                       /* Class, of a record Inst, to DefId + 1, in the flat model */
    VEC(const Class *) def_classes; /* by DefId */
    /* some text so far: only then is it worth to look for such calls */
    bool calls_impure;
    bool raw; /* arrays stay whole in what is being emitted: a function */
};

typedef struct Iter Iter;
struct Iter {
    Name name;
    TExpr *value;
    const Iter *outer;
};

enum {
    PLACE_WHEN = 1,
    PLACE_INITIAL = 2,
    PLACE_LOOP = 4,
    PLACE_WHILE = 8,
    PLACE_IF = 16, /* whose condition is not known when the model is built */
    PLACE_ALGORITHM = 32,
    PLACE_PURE = 64,    /* inside of pure() */
    PLACE_BINDING = 128 /* whose variable decides whether it may be impure */
};

/* Where an expression stands. */
typedef struct {
    Sema *s;
    Scope *scope;
    const Iter *iters;
    Function *function;  /* whose text this is; NULL in models */
    uint8_t place;       /* PLACE_...: what the text stands in */
    const TExpr *end_of; /* the array in whose subscripts we are */
    uint32_t end_dim;
} Env;

/* inst.c */
Inst *inst_new(Sema *s, const Class *cls, Scope *outer, Mods mods, Entry *entry);
void scope_expand(Sema *s, Scope *scope);
Entry *inst_entry(Sema *s, Inst *inst, Name name); /* NULL if there is none of this name */
Inst *entry_class(Sema *s, Entry *entry);
void inst_list(Sema *s, Inst *inst); /* makes all components' entries */
Inst *inst_resolved(Sema *s, Inst *inst);
void mod_check_double(Sema *s, const Mod *m, uint32_t at);
/* an element of an array of components, or inside of one */
bool inst_is_in_array(const Inst *inst);
const char *inst_path(Sema *s, const Inst *inst); /* "a.b[2]" */
const char *entry_path(Sema *s, const Entry *e);

/* component.c */
bool comp_make(Sema *s, Entry *e);  /* the type */
bool comp_sizes(Sema *s, Entry *e); /* the type with sizes, and the instances; false if poisoned */
TExpr *comp_binding(Sema *s, Entry *e);
TExpr *comp_attribute(Sema *s, Entry *e, const char *name);
Value *comp_value(Sema *s, Entry *e, Span span);
bool uses_free(Sema *s, const TExpr *e); /* a parameter whose value initialisation finds */
bool entry_is_local(const Entry *e);     /* a function's variable */
TExpr *mod_expr(Sema *s, const Mod *m);
Env env_of(Sema *s, Scope *scope);
Entry *entry_target(Sema *s, Entry *e, Scope *scope,
                    Span span); /* what an outer one stands for; NULL after a report */

/* lookup.c */
Inst *class_instance(Sema *s, const Class *cls); /* as its place in the library makes it */
Entry *lookup_name(Sema *s, Scope *scope, Name name);
/* The same, and the scope it was found in; NULL for predefined types and libraries. */
Entry *lookup_name_in(Sema *s, Scope *scope, Name name, Scope **where);
bool is_seen_from(const Entry *e, const Scope *scope); /* public, or of a class around the scope */
bool is_bad_import(const Scope *scope, Name name);
Inst *lookup_class(Sema *s, Scope *scope, const Path *path);
Entry *find_in(Sema *s, Inst *inst, Name name);
Entry *lookup_inner(Sema *s, Entry *outer);
Entry *make_inner(Sema *s, Entry *outer);

/* rules.c: reports only */
bool base_fits(Sema *s, const Scope *scope, const Inst *base, Span span);
void class_rules(Sema *s, Scope *scope);
void component_rules(Sema *s, Entry *e, const Clause *clause);
void connector_rules(Sema *s, Entry *e);
void function_rules(Sema *s, const Function *f);
bool stmt_may_stand(const Env *env, const Stmt *st);

/* report.c */
Note *sema_error(Sema *s, const Scope *scope, Code code, Span span, const char *format, ...)
    PRINTF_LIKE(5, 6);
Note *sema_lenient(Sema *s, const Scope *scope, Code code, Span span, const char *format, ...)
    PRINTF_LIKE(5, 6);
const char *type_text(Sema *s, const Type *t);
void hint_nearest(Sema *s, Note *note, Scope *scope, Name name);

typedef struct {
    uint32_t notes, errors, warnings, dropped, poisons;
    uint32_t counts[CODE_COUNT];
} DiagMark;

DiagMark sema_mark(const Sema *s);
void sema_rewind(Sema *s, const DiagMark *m);

/* ---- expressions ----------------------------------------------------------------------------- */

TExpr *type_expr(const Env *env, const Expr *e);
TExpr *type_call(const Env *env, const Expr *e);
TExpr *type_partial_call(const Env *env, const Expr *e);
/* ref.c */
TExpr *type_ref(const Env *env, const Expr *ref);
TExpr *type_ref_entry(const Env *env, Entry *e);
/* The fields that the parts of a reference from `at` on name, in a record. */
TExpr *type_field_ref(const Env *env, TExpr *of, const Expr *ref, uint32_t at);
TExpr *type_subscripts(const Env *env, TExpr *of, Expr *const *subs, uint32_t n, Span span);
TExpr *type_subscript(const Env *env, TExpr *of, TExpr **subs, uint32_t n, Span span);
TExpr *type_binary(const Env *env, Op op, TExpr *a, TExpr *b, Span span);
TExpr *type_arrays(const Env *env, TExpr **items, uint32_t n, Span span);
TExpr *type_comprehension(const Env *env, const Expr *e, Builtin reduce);
TExpr *coerce(Sema *s, TExpr *e, const Type *to);
bool type_fits(const Type *from, const Type *to);
bool same_literals(const Inst *a, const Inst *b);

/* string.c */
TExpr *type_string(const Env *env, TExpr *x, const Expr *e);
bool string_of_value(Sema *s, Value *const *args, uint32_t n,
                     Str *out); /* false: a format that makes no sense */

/* range.c: the range of an index of a loop with this body, or of a comprehension of this
 * expression */
TExpr *type_index_range(const Env *env, const ForIndex *index, const Stmts *body, const Expr *expr);

/* texpr.c: making typed expressions */
TExpr *tx_new(Sema *s, ExprKindFlat kind, Type type, uint8_t varies, Span span, TExpr *const *args,
              uint32_t n);
TExpr *tx_real(Sema *s, double value, Span span);
TExpr *tx_integer(Sema *s, int64_t value, Span span);
TExpr *tx_boolean(Sema *s, bool value, Span span);
TExpr *tx_string(Sema *s, Str text, Span span);
TExpr *tx_poison(Sema *s, Span span);
TExpr *tx_value(Sema *s, const Value *v, Span span);
TExpr *tx_local(Sema *s, uint32_t index, Type type, Span span);
TExpr *tx_binary(Sema *s, Oper op, TExpr *a, TExpr *b, Type type);
TExpr *tx_builtin(Sema *s, Builtin b, Type type, uint8_t varies, Span span, TExpr *const *args, uint32_t n);
TExpr *tx_field(Sema *s, TExpr *of, uint32_t index, Type type);
TExpr *tx_with_args(Sema *s, const TExpr *e, TExpr **args);
/* with other expressions in place of variables; `with` may return the same */
typedef TExpr *(*ReplaceVar)(void *arg, TExpr *var);
TExpr *tx_replace(Sema *s, TExpr *e, ReplaceVar with, void *arg);
TExpr *tx_substitute(Sema *s, TExpr *e, TExpr *const *locals, uint32_t n);
static inline bool tx_is_poison(const TExpr *e) { return e->type.base == BASE_POISON; }
Type type_scalar(uint8_t base);
Type type_of_rank(Sema *s, Type element, uint32_t rank, const int32_t *sizes);
Type type_element(const Type *t, uint32_t dims); /* without the first `dims` dimensions */
Type type_array_of(Sema *s, const Type *element, int32_t size);
bool type_is_known(const Type *t);
bool type_is_huge(const Type *t);   /* more than MOST_ELEMENTS */
uint32_t type_count(const Type *t); /* scalars in an array of known sizes */

/* array.c */
TExpr *tx_element(Sema *s, TExpr *e, int32_t at); /* e[at + 1], for any array expression */
TExpr *tx_simplify(Sema *s, TExpr *e);            /* a scalar built-in on arrays, written out */
TExpr *tx_expand(Sema *s, Builtin b, TExpr **args, uint32_t n,
                 Span span); /* an array built-in; NULL: not possible */
TExpr *tx_array(Sema *s, TExpr *const *items, uint32_t n, const Type *element, Span span);

/* eval.c, run.c */
/* NULL after a report */
Value *eval(Sema *s, const TExpr *e, Value *const *locals, const Scope *scope);
Value *try_eval(Sema *s, const TExpr *e, const Scope *scope); /* NULL, silently */
bool eval_integer(Sema *s, const TExpr *e, const Scope *scope, int64_t *value);
bool eval_boolean(Sema *s, const TExpr *e, const Scope *scope, bool *value);
Value *value_new(Sema *s, uint8_t base, uint32_t rank, const int32_t *sizes);
Value *value_slice(Sema *s, const Value *v, int32_t at);
Value *value_convert(Sema *s, Value *v, const Type *to);
Value *run_function(Sema *s, Function *f, Value *const *args, uint32_t result, Span span, const Scope *scope);

/* function.c */
Function *function_of(Sema *s, Inst *inst);
void function_body(Sema *s, Function *f);
TStmts type_statements(const Env *env, const Stmts *body);
TExpr *type_function_call(const Env *env, Function *f, const Expr *call);
/* false after a report */
bool function_may_be_called(const Env *env, const Function *f, Span span);
bool check_results(const Env *env, const TExpr *left, const TExpr *right, Span span);
bool is_target(const TExpr *e); /* may be assigned to */
bool check_condition(const Env *env, const TExpr *c,
                     bool may_be_vector); /* a Boolean; false after a report */
TExpr *type_partial(const Env *env, Function *f, Expr *const *items, uint32_t n, Span span);

/* A call with arguments for the first n inputs. */
TExpr *call_function(const Env *env, Function *f, TExpr *const *args, uint32_t n, Span span);
const External *external_of(const Scope *scope);

/* operator.c */
/* its class; NULL if this is none, or no array of one */
Inst *operator_record(Sema *s, const Type *t);
TExpr *operator_binary(const Env *env, Op op, TExpr *a, TExpr *b, Span span);
TExpr *operator_unary(const Env *env, Op op, TExpr *a, Span span);
TExpr *operator_sum(const Env *env, TExpr *items, Span span);
TExpr *operator_zero(const Env *env, const Type *t, Span span);
/* NULL: it has none of its own */
TExpr *operator_constructor(const Env *env, Inst *inst, const Expr *e);
TExpr *operator_string(const Env *env, const TExpr *of, const Expr *e);
/* NULL: it stays a call */
TExpr *call_in_place(Sema *s, Function *f, TExpr *const *args, Span span);

typedef VEC(StmtId) StmtIds;

/* emit.c */
ExprId emit_scalar(Sema *s, Flat *flat, TExpr *e);
ExprId emit_whole(Sema *s, Flat *flat, TExpr *e); /* arrays as X_ARRAY of scalars */
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

/* What the text of an instance became. */
typedef struct {
    const Inst *inst;
    FlatRange range;
} InstText;

typedef struct {
    Sema *s;
    Flat *flat;
    VEC(InstText) texts;
    uint32_t text_equations; /* those behind come from connections */
    Entry *function;         /* the first component that a function cannot make; NULL */
    VEC(Connection) connections;
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

/* expandable.c */
void expand_connectors(Sema *s);

/* attribute.c */
void describe_attributes(Flattening *f, Entry *e);
/* The part of a value that belongs to element `index` of an array; a scalar belongs to all. */
TExpr *value_at(Sema *s, TExpr *x, const Type *t, uint32_t index);

/* balance.c; `variables`: how many there were before connections added some */
void tally_balance(Flattening *f, Inst *model, uint32_t variables);

/* discrete.c: reports only */
void check_discrete(Sema *s, const Flat *flat);
void check_cycles(Sema *s, const Flat *flat);

/* stream.c */
TExpr *stream_operator(const Env *env, Builtin b, TExpr *e, Span span);
void resolve_streams(Flattening *f);

/* clock_call.c, clock.c */
TExpr *clock_operator(const Env *env, Builtin b, TExpr **args, uint32_t n, Span span);
void resolve_clocks(Flattening *f);

/* overconstrained.c */
Function *equality_constraint(Sema *s,
                              /* of an overconstrained record; NULL if this is none */
                              const Type *t);
bool connection_is_broken(Sema *s, const TExpr *a, const TExpr *b, Span span);
TExpr *connections_operator(const Env *env, const Expr *call); /* Connections.isRoot, rooted */
void check_connections_statement(const Env *env, const Stmt *st);

/* cardinality.c */
uint32_t connections_of(Sema *s, const TExpr *connector);

#endif
