/* inst.h: the instance tree, and how its nodes are made and found. */
#ifndef ACAUSAL_SEMA_INST_H
#define ACAUSAL_SEMA_INST_H

#include "sema/typed.h"

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
    uint8_t index_state;                    /* of index_types */
    uint8_t state, size_state, bind_state, value_state, waits_state;
    bool disabled, structural, in_connector, is_listed, waits;
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
    Inst **index_types; /* by dimension: what the text gives as a size: an enumeration; NULL if none is */
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
    VEC(Entry *) redeclared;  /* whose class or type has to fit into a constraint */
    VEC(Entry *) constrained; /* those whose own declaration has a constraining clause */
    RootGraph *roots;         /* of overconstrained connections; NULL before it is needed */
    uint64_t steps;           /* of functions run at compile time */
    uint32_t run_depth;
    /* inside of try_eval: what fails may be asked for again, and is reported then */
    uint32_t trying;
    uint32_t poisons;               /* expressions poisoned so far: each must have been reported */
    Map builtin_names;              /* Name to Builtin + 1 */
    Map absent;                     /* names that no library has */
    Map flat_calls;                 /* calls that give arrays, by TExpr, to the expression + 1 */
    Map flat_names;                 /* Name to the number of classes called so in the flat model */
    Map defs;                       /* Class, of a record Inst, to DefId + 1, in the flat model */
    VEC(const Class *) def_classes; /* by DefId */
    /* some text so far: only then is it worth to look for such calls */
    bool calls_impure;
    VEC(Inst *) state_refs;  /* what activeState and its like are about: see machine.c */
    VEC(const char *) loops; /* variables of loops and comprehensions of models: see flat.h */
    bool raw;                /* arrays stay whole in what is being emitted: a function */
    bool emits_impure;       /* the function that is being emitted calls an impure one */
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

/* open.c: what each elaboration begins with. False: memory is out. The arena's owner frees it. */
bool sema_open(Sema *s, Libraries *libraries, Sources *sources, Permit *permit, Diag *diag);
bool sema_begin(Sema *s); /* the predefined classes; may jump to the arena's escape */

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
bool inst_is_partial(const Inst *inst);
const char *inst_path(Sema *s, const Inst *inst); /* "a.b[2]" */
const char *entry_path(Sema *s, const Entry *e);

/* component.c */
/* by dimension; NULL if none is an enumeration or Boolean */
Inst *const *comp_index_types(Sema *s, Entry *e);
uint32_t comp_rank(Sema *s, const Entry *e); /* how many dimensions its text says; of one that is made */
bool comp_make(Sema *s, Entry *e);           /* the type */
bool comp_sizes(Sema *s, Entry *e);          /* the type with sizes, and the instances; false if poisoned */
/* A declared member of an expandable connector whose sizes are left open: until connections have
 * told them it has none. */
bool comp_is_open(const Entry *e);
/* Of a dimension that an enumeration or Boolean names; else NULL. */
Inst *comp_dimension(Sema *s, Entry *e, uint32_t dim);
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
/* Whether a name with a dot may find `e` in the class `in`; false after a report. */
bool may_look_into(Sema *s, const Scope *from, Inst *in, Entry *e, Span span);
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
bool bindings_are_ordered(Sema *s, const Function *f); /* false after a report */
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

#endif
