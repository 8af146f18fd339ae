/* describe.h: the second door of the sema room: a class as the instance tree has it, for those who
 * show or edit it. Nothing has to be right: what cannot be found out is left open, and reported.
 *
 * Everything lives in the describer's arena, and is found when it is first asked for. Annotations
 * are evaluated where they stand in the instance: `visible = useHeatPort` of a component sees that
 * component's modifiers. */
#ifndef ACAUSAL_DESCRIBE_H
#define ACAUSAL_DESCRIBE_H

#include "syntax/syntax.h"
#include "trust/trust.h"

typedef struct Describer Describer;
typedef struct Inst Inst;
typedef struct Scope Scope;

Describer *describer_new(Libraries *libraries, Sources *sources, Permit *permit, Diag *diag);
void describer_free(Describer *d);
Arena *describer_arena(const Describer *d);

/* ---- datum.c: values of annotations ---------------------------------------------------------- */

typedef enum {
    DATUM_NUMBER,
    DATUM_BOOLEAN,
    DATUM_STRING,
    DATUM_NAME,    /* a literal of an enumeration: the last part of its name */
    DATUM_LIST,    /* {...} */
    DATUM_RECORD,  /* Name(key = value, ...), or modifiers; `text` is the name, "" for modifiers */
    DATUM_DYNAMIC, /* DynamicSelect(at[0], expression): the text of the second is `text` */
    DATUM_OPEN     /* no value at this time; `text` is the expression as it is written */
} DatumKind;

typedef struct Datum Datum;
struct Datum {
    DatumKind kind;
    const char *key; /* of a member; NULL: it has none */
    Str text;
    double number; /* also 0 or 1 */
    uint32_t n;
    Datum **at;
    Span span; /* of what is written */
};

/* A member; NULL if there is none, or if `of` is NULL. DynamicSelect gives its static part. */
const Datum *datum_member(const Datum *of, const char *key);
const Datum *datum_static(const Datum *of);
double datum_number(const Datum *of, const char *key, double otherwise);
bool datum_boolean(const Datum *of, const char *key, bool otherwise);
Str datum_text(const Datum *of, const char *key); /* of a string or a name; n == 0 otherwise */
void datum_json(const Datum *datum, Text *out);

/* ---- describe.c: classes, components, connections -------------------------------------------- */

/* One class that an instance consists of: an inherited one, or, last, its own. */
typedef struct {
    const Class *cls;
    Scope *scope;
    uint32_t depth; /* 0: its own class */
    bool is_protected;
    uint32_t below; /* the layer that extends this one; its own number for the last */
    /* of the extends clause that brings it in, in the scope of that; may be NULL */
    const Modification *clause_annotation;
    const Datum *layers[2]; /* kept by who draws: the Icon, the Diagram */
    bool is_known[2];
} DescribedLayer;

typedef struct {
    Inst *inst;
    const Class *cls;
    uint32_t layer_count, component_count, connection_count;
    DescribedLayer *layers; /* bases in front of who extends them */
    struct DescribedComponent *components;
    struct DescribedConnection *connections;
} Described;

typedef struct DescribedComponent {
    const char *name;
    struct Entry *entry;
    uint32_t layer; /* that declares it */
    const Element *element;
    const Declaration *declaration;
    const Class *type;     /* NULL: not found */
    const char *type_name; /* as it is written, if not found */
    const char *basis;     /* "Real", "Integer", "Boolean", "String", "enumeration", "record", "class" */
    uint8_t flags;         /* IS_... of elements */
    uint8_t flow, variability, causality;
    bool is_connector, is_expandable, is_enabled, is_redeclared;
    uint32_t rank;
    int32_t *sizes;                 /* -1: not known */
    const Modification *annotation; /* may be NULL */
    Scope *scope;                   /* that its annotation belongs to */
    Str condition;                  /* as written */
    Str binding;                    /* what is said of its value, as written */
    bool is_own_binding;            /* by its declaration rather than by a modifier around */
    Str description;
} DescribedComponent;

typedef struct DescribedConnection {
    uint32_t layer;
    const char *from, *to;
    const Modification *annotation; /* may be NULL */
    Span span;
    bool is_transition;
} DescribedConnection;

/* A class of the libraries as its place in them makes it. NULL after a report. */
Described *describe_class(Describer *d, const Class *cls);
/* The instance that is a component's, the first of an array; NULL: not found, or disabled. */
Described *describe_component(Describer *d, DescribedComponent *component);
/* The component that a dotted name leads to from an instance; NULL: there is none. */
DescribedComponent *describe_inner(Describer *d, Described *of, const char *path);
/* The component of this name; NULL: there is none. */
DescribedComponent *described_component(const Described *of, Str name);

/* A member of an annotation, such as "Placement", evaluated; NULL if it is not there. NULL as name:
 * all of it. */
const Datum *describe_annotation(Describer *d, Scope *scope, const Modification *annotation,
                                 const char *name);
/* A component's value, as far as it is known; NULL if it has none. */
const Datum *describe_value(Describer *d, DescribedComponent *component);
/* An attribute of a component of simple type: "unit", "min"; NULL if it has none. */
const Datum *describe_attribute(Describer *d, DescribedComponent *component, const char *name);
/* The value of a parameter ("R"), or of one of a component ("a.R"), for people, in its displayUnit.
 * False: there is none. */
bool describe_display(Describer *d, Described *of, Str path, Str *value, Str *unit);
/* Literals of an enumeration, NULL for other components. */
const Class *describe_enumeration(Describer *d, DescribedComponent *component);
/* Whether a connector may be connected with another, as far as types tell; else why not, in few
 * words. */
const char *describe_why_not_connect(Describer *d, DescribedComponent *a, DescribedComponent *b);

/* The file that a class means by a name: a modelica:// URI, or relative to where the class is.
 * NULL: there is none, or it is outside of the library. */
const char *describe_resource(Describer *d, const Class *cls, Str name);

/* describe_json.c */
void describe_json(Describer *d, Described *of, Text *out);

#endif
