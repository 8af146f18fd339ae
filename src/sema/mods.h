/* mods.h: what the text of a class declares, by name, and modifiers. */
#ifndef ACAUSAL_SEMA_MODS_H
#define ACAUSAL_SEMA_MODS_H

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

#endif
