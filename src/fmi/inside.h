/* inside.h: what the files of the fmi room share. */
#ifndef ACAUSAL_FMI_INSIDE_H
#define ACAUSAL_FMI_INSIDE_H

#include "fmi/fmi.h"

#include <math.h>

/* ---- xml.c ---- */

typedef struct {
    const char *name, *value;
} XmlAttribute;

typedef struct XmlNode XmlNode;
struct XmlNode {
    const char *name;
    XmlAttribute *attributes;
    uint32_t count;
    Span span;
    XmlNode *first, *next; /* first child, next sibling */
};

XmlNode *xml_read(const Source *source, Arena *arena, Diag *diag); /* NULL after an error */
const char *xml_attribute(const XmlNode *node, const char *name);  /* NULL if there is none */
const XmlNode *xml_child(const XmlNode *node,
                         const char *name); /* the first of this name; NULL if there is none */

/* ---- archive.c ---- */

typedef struct Archive Archive;

Archive *archive_open(const char *path, const FmuLimits *limits, Diag *diag); /* NULL after an error */
void archive_close(Archive *archive);
size_t archive_count(const Archive *archive);
const char *archive_name(const Archive *archive, size_t i);
bool archive_has(const Archive *archive, const char *name);
bool archive_read(const Archive *archive, const char *name, Arena *arena, Str *bytes);
/* Unpacks all; returns the directory, the same when called again, NULL after an error. */
const char *archive_unpack(Archive *archive, Arena *arena);

/* ---- describe.c, describe_3.c ---- */

typedef struct {
    Arena *arena;
    Diag *diag;
    FmuDescription *d;
    Map by_vr; /* versions 2 and 3: value reference to the first variable with it, plus one */
} Describing;

/* How an attribute is read into a field. */
typedef enum { FIELD_TEXT, FIELD_REAL, FIELD_BOOL, FIELD_UINT, FIELD_LONG, FIELD_CHOICE } FieldKind;
typedef struct {
    const char *name;
    FieldKind kind;
    size_t at, given; /* of the field, and of a bool that says whether it was there; given 0: none */
    const char *const *choices; /* FIELD_CHOICE: NULL at the end; the field is a uint8_t */
} Field;

void describe_fields(Describing *r, const XmlNode *node, const Field *fields, size_t n, void *object);
void describe_units(Describing *r, const XmlNode *node);
void describe_experiment(Describing *r, const XmlNode *root);
void describe_categories(Describing *r, const XmlNode *root);
void describe_3(Describing *r, const XmlNode *root);
void describe_kind(Describing *r, const XmlNode *node, const Field *fields, size_t n, FmuInterface *kind);
void describe_from_type(const FmuDescription *d,
                        FmuVariable *v); /* what the type says and the variable does not */
FmuVariable *describe_new_variable(Describing *r, const XmlNode *node);
/* The list of numbers in an attribute, separated by blanks. */
bool describe_numbers(Describing *r, const XmlNode *node, const char *name, uint64_t *out, uint32_t *n,
                      uint32_t room);
uint32_t describe_find(const Describing *r,
                       uint32_t vr); /* an index of variables, NONE_VARIABLE if there is none */

#define TEXT_FIELD(T, name, field)                    \
    {                                                 \
        name, FIELD_TEXT, offsetof(T, field), 0, NULL \
    }
#define REAL_FIELD(T, name, field)                    \
    {                                                 \
        name, FIELD_REAL, offsetof(T, field), 0, NULL \
    }
#define BOOL_FIELD(T, name, field)                    \
    {                                                 \
        name, FIELD_BOOL, offsetof(T, field), 0, NULL \
    }
#define UINT_FIELD(T, name, field)                    \
    {                                                 \
        name, FIELD_UINT, offsetof(T, field), 0, NULL \
    }

extern const char *const fmu_causalities[], *const fmu_variabilities[], *const fmu_initials[];

/* ---- the calls ---- */

/* What a call of an FMU ended with, in all versions. */
typedef enum { CALL_OK, CALL_WARNING, CALL_DISCARD, CALL_ERROR, CALL_FATAL, CALL_PENDING } CallStatus;

typedef struct {
    bool new_states_needed; /* call again */
    bool terminate, nominals_changed, states_changed;
    double next_time; /* INFINITY: none */
} CallEvent;

typedef struct {
    bool event_needed, terminate, early;
    double last_time;
} CallStep;

typedef struct Instance Instance;

/* One version's way to do things. A function that this version does not have is NULL. Values of all types but strings are
 * doubles here; `n` counts value references, `m` values. */
typedef struct {
    const char *const *names; /* of the functions; version 1 puts the model's identifier in front */
    bool (*instantiate)(Instance *i, const char *name);
    void (*free)(Instance *i);
    CallStatus (*enter_initial)(Instance *i, double start, double stop, double tolerance);
    CallStatus (*exit_initial)(Instance *i, CallEvent *event);
    CallStatus (*terminate)(Instance *i);
    CallStatus (*reset)(Instance *i);
    CallStatus (*get)(Instance *i, FmuBase base, const uint32_t *vr, size_t n, double *values, size_t m);
    CallStatus (*set)(Instance *i, FmuBase base, const uint32_t *vr, size_t n, const double *values,
                      size_t m);
    /* model exchange */
    CallStatus (*set_time)(Instance *i, double t);
    CallStatus (*set_states)(Instance *i, const double *x, size_t n);
    CallStatus (*get_states)(Instance *i, double *x, size_t n);
    CallStatus (*derivatives)(Instance *i, double *f, size_t n);
    CallStatus (*indicators)(Instance *i, double *g, size_t n);
    CallStatus (*nominals)(Instance *i, double *x, size_t n);
    CallStatus (*enter_event)(Instance *i);
    CallStatus (*update_discrete)(Instance *i, CallEvent *event);
    CallStatus (*enter_continuous)(Instance *i);
    CallStatus (*completed)(Instance *i, bool *enter_event, bool *terminate);
    CallStatus (*directional)(Instance *i, const uint32_t *unknown, size_t n, const uint32_t *known, size_t m,
                              const double *seed, double *out);
    /* co-simulation */
    CallStatus (*step)(Instance *i, double t, double h, bool no_set_before, CallStep *step);
    CallStatus (*set_input_derivatives)(Instance *i, const uint32_t *vr, size_t n, const double *values);
    CallStatus (*save)(Instance *i, void **state);
    CallStatus (*restore)(Instance *i, void *state);
    CallStatus (*forget)(Instance *i, void **state);
} Calls;

extern const Calls fmi1_calls, fmi2_calls, fmi3_calls;

enum { MOST_FUNCTIONS = 96 };

/* An FMU that is loaded and instantiated. */
struct Instance {
    const Calls *calls;
    Fmu *fmu;
    const FmuDescription *d;
    const FmuInterface *kind;
    void *library, *component;
    int which;                     /* FMU_ME or FMU_CS */
    void *symbols[MOST_FUNCTIONS]; /* looked up when first used; in the order of each version's table */
    bool looked_up[MOST_FUNCTIONS];
    FmuOptions options;
    char message[600];     /* what the FMU logged last, or what is missing */
    const char *resources; /* as a path, and as a URI */
    const char *resources_uri;
    Arena *arena;
    void *scratch;                 /* room for values in the FMU's own types */
    double start, stop, tolerance; /* version 1: kept until the end of initialisation */
};

/* A function of the FMU as a pointer of the type T in a variable of the name f; NULL if the binary has none. */
#define FMU_FUNCTION(T, f, i, index)                    \
    T f;                                                \
    do {                                                \
        void *address_ = instance_symbol((i), (index)); \
        memcpy(&f, &address_, sizeof f);                \
    } while (0)

/* calls.c: functions that look the same in all versions; `which` is their place in the version's table of names. */
CallStatus call_plain(Instance *i, int which);
CallStatus call_time(Instance *i, int which, double t);
CallStatus call_put(Instance *i, int which, const double *x, size_t n);
CallStatus call_take(Instance *i, int which, double *x, size_t n);
CallStatus call_state_out(Instance *i, int which, void **state);
CallStatus call_state_in(Instance *i, int which, void *state);

/* load.c */
bool instance_load(Instance *i, Diag *diag);
void instance_unload(Instance *i);
/* The address of a function by its place in the version's table of names, looked up when first used; NULL, with a
 * message in the instance, if the binary has none. */
void *instance_symbol(Instance *i, int index);
void instance_log(Instance *i, const char *category, const char *text);
/* What a call that failed ended with, and what the FMU logged last. */
void instance_explain(const Instance *i, CallStatus status, const char *call, char *text, size_t room);

/* fmu.c */
struct Fmu {
    Arena *arena;
    Archive *archive;
    const Source *source;
    FmuDescription *d;
    const char *path;
    Diag *diag;
};

/* variables.c: the variables of an FMU as those of a Model: names, slots, groups by type. */
typedef struct {
    uint32_t n, m;  /* references, values */
    uint32_t *vr;   /* n */
    uint32_t first; /* slot of the first value; the others follow */
} ValueGroup;

typedef struct {
    ModelVariable *variables;       /* as shown: elements of arrays are variables of their own */
    uint32_t *from, *element;       /* the description's variable, and which element of it */
    double *given;                  /* values that the user gave; NAN: none */
    uint32_t count, slots, largest; /* largest: elements of the largest array */
    ValueGroup groups[FMU_TYPES];
    double *row; /* slots: the values that were got last */
} VariableTable;

void variables_make(VariableTable *v, const FmuDescription *d, Arena *arena);
/* All values, by slot. */
CallStatus variables_get(VariableTable *v, Instance *i, double *values);
/* Sets one value now. */
CallStatus variables_set(VariableTable *v, Instance *i, uint32_t shown, double value);
/* Remembers a value for the start. False: *why says why not. */
bool variables_give(VariableTable *v, const FmuDescription *d, uint32_t shown, double value,
                    const char **why);
/* Sets what was given: parameters and start values before initialisation, inputs in it. */
CallStatus variables_apply(VariableTable *v, Instance *i, bool inputs);

#endif
