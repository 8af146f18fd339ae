/* inside.h: what the files of the fmi room share. */
#ifndef ACAUSAL_FMI_INSIDE_H
#define ACAUSAL_FMI_INSIDE_H

#include "fmi/fmi.h"

#include <fenv.h>
#include <math.h>

/* ---- xml.c ----------------------------------------------------------------------------------- */

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

/* ---- archive.c ------------------------------------------------------------------------------- */

typedef struct Archive Archive;

/* NULL after an error */
Archive *archive_open(const char *path, const FmuLimits *limits, Diag *diag);
void archive_close(Archive *archive);
size_t archive_count(const Archive *archive);
const char *archive_name(const Archive *archive, size_t i);
bool archive_has(const Archive *archive, const char *name);
bool archive_read(const Archive *archive, const char *name, Arena *arena, Str *bytes);
/* Unpacks all; returns the directory, the same when called again, NULL after an error. */
const char *archive_unpack(Archive *archive, Arena *arena);

/* ---- describe.c, describe_3.c ---------------------------------------------------------------- */

enum { MOST_ELEMENTS = 1 << 22 }; /* of all arrays together; of states */

typedef struct {
    Arena *arena;
    Diag *diag;
    FmuDescription *d;
    Map by_vr; /* version 3: value reference to the first variable with it, plus one */
    NameIndex types;
    uint64_t elements; /* of all variables so far */
} Describing;

/* How an attribute is read into a field. */
typedef enum { FIELD_TEXT, FIELD_REAL, FIELD_BOOL, FIELD_UINT, FIELD_LONG, FIELD_CHOICE } FieldKind;
typedef struct {
    const char *name;
    FieldKind kind;
    /* of the field, and of a bool that says whether it was there; given 0: none */
    size_t at, given;
    const char *const *choices; /* FIELD_CHOICE: NULL at the end; the field is a uint8_t */
} Field;

void describe_fields(Describing *r, const XmlNode *node, const Field *fields, size_t n, void *object);
void describe_units(Describing *r, const XmlNode *node);
void describe_experiment(Describing *r, const XmlNode *root);
void describe_categories(Describing *r, const XmlNode *root);
void describe_3(Describing *r, const XmlNode *root);
void describe_kind(Describing *r, const XmlNode *node, const Field *fields, size_t n, FmuInterface *kind);
void describe_from_type(const Describing *r,
                        FmuVariable *v); /* what the type says and the variable does not */
void describe_add_type(Describing *r, FmuType type);
void describe_reserve(Describing *r, const XmlNode *list); /* room for the variables of a list */
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

/* ---- the calls ------------------------------------------------------------------------------- */

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

/* The functions of FMUs; what they are called is in calls.def. Getters and setters are FN_GET and
 * FN_SET plus the type. */
typedef enum {
#define CALL(id, me_1, cs_1, v_2, v_3) id,
#include "fmi/calls.def"
#undef CALL
    CALL_COUNT
} CallId;

/* A direction for directional derivatives: references, and a seed for each element of the known
 * variables. */
typedef struct {
    const uint32_t *unknown, *known;
    const double *seed;
    size_t unknowns, results, knowns, seeds; /* variables, and elements of all of them */
} Directions;

/* One version's way to do what is not the same in all. What this version does not have is NULL. */
typedef struct {
    bool (*instantiate)(Instance *i, const char *name);
    CallStatus (*enter_initial)(Instance *i, double start, double stop, double tolerance);
    CallStatus (*exit_initial)(Instance *i, CallEvent *event);
    CallStatus (*update_discrete)(Instance *i, CallEvent *event);
    CallStatus (*completed)(Instance *i, bool *enter_event, bool *terminate);
    CallStatus (*directional)(Instance *i, const Directions *d, double *out);
    CallStatus (*step)(Instance *i, double t, double h, bool no_set_before, CallStep *step);
} Calls;

extern const Calls fmi1_calls, fmi2_calls, fmi3_calls;

/* A real input as a straight line from the last communication point on. */
typedef struct {
    uint32_t vr;
    double t, value, slope;
} Slope;

/* What an FMU may change of its process and should not have. */
typedef struct {
    fenv_t numbers;
    char locale[128];
    int directory; /* the one that was current; -1: it could not be kept */
} Surroundings;

/* An FMU that is loaded and instantiated. */
struct Instance {
    const Calls *calls;
    Fmu *fmu;
    const FmuDescription *d;
    const FmuInterface *kind;
    void *library, *component;
    int which;                 /* FMU_ME or FMU_CS */
    void *symbols[CALL_COUNT]; /* looked up when first used */
    bool looked_up[CALL_COUNT];
    FmuOptions options;
    char message[600];     /* what the FMU logged last, or what is missing */
    const char *directory; /* where it was unpacked to */
    const char *resources; /* as a path, and as a URI */
    const char *resources_uri;
    Arena *arena;
    void *scratch;                 /* room for values in the FMU's own types */
    double start, stop, tolerance; /* version 1: kept until the end of initialisation */
    uint32_t *inputs;              /* references of continuous inputs */
    Slope *slopes;                 /* of those that have one; room for all */
    size_t input_count, slope_count;
};

/* A function of the FMU as a pointer of the type T in a variable of the name f; NULL if the binary
 * has none. */
#define FMU_FUNCTION(T, f, i, id)                            \
    T f;                                                     \
    do {                                                     \
        void *address_ = instance_symbol((i), (CallId)(id)); \
        memcpy(&f, &address_, sizeof f);                     \
    } while (0)

/* ---- calls.c --------------------------------------------------------------------------------- */

const char *call_name(const Instance *i, CallId id); /* "" if the version has no such function */
CallStatus call_plain(Instance *i, CallId id);
CallStatus call_time(Instance *i, CallId id, double t);
CallStatus call_put(Instance *i, CallId id, const double *x, size_t n);
CallStatus call_take(Instance *i, CallId id, double *x, size_t n);
void call_free(Instance *i);
CallStatus call_state_out(Instance *i, CallId id, void **state); /* FN_SAVE, FN_FORGET */
CallStatus call_restore(Instance *i, void *state);
CallStatus call_serialise(Instance *i, void *state, Arena *arena, Str *bytes);
CallStatus call_deserialise(Instance *i, Str bytes, void **state);
CallStatus call_slopes(Instance *i, const uint32_t *vr, size_t n, const double *values);
/* Versions 1 and 2: waits for a step that goes on by itself; how far a discarded one came, and
 * whether the FMU wants to end. */
CallStatus call_end_of_step(Instance *i, CallStatus status, double t, CallStep *out);

/* ---- values.c -------------------------------------------------------------------------------- */

typedef struct {
    const uint8_t *at;
    size_t n;
} Bytes;

/* A value in its own type. */
typedef union {
    double f64;
    int64_t i64;
    uint64_t u64;
    const char *text;
    Bytes bytes;
} Raw;

/* How a version stores a type: as which of the types of version 3. */
FmuBase storage_of(FmiVersion version, FmuBase base);
size_t storage_size(FmuBase storage);
void storage_widen(FmuBase storage, const void *raw, double *values, size_t m);
void storage_narrow(FmuBase storage, const double *values, void *raw, size_t m);
/* Binaries are hexadecimal. False: it is not a text of this type, or too large for it. */
bool storage_of_text(FmuBase storage, const char *text, Arena *arena, Raw *raw);
const char *storage_text(FmuBase storage, const Raw *raw, Arena *arena);
/* In the FMU's own types, n references with m values; and as doubles, but for strings and
 * binaries. */
CallStatus raw_get(Instance *i, FmuBase base, const uint32_t *vr, size_t n, void *raw, size_t m);
CallStatus raw_set(Instance *i, FmuBase base, const uint32_t *vr, size_t n, const void *raw, size_t m);
CallStatus values_get(Instance *i, FmuBase base, const uint32_t *vr, size_t n, double *values, size_t m);
CallStatus values_set(Instance *i, FmuBase base, const uint32_t *vr, size_t n, const double *values,
                      size_t m);

/* ---- load.c ---------------------------------------------------------------------------------- */

bool instance_load(Instance *i, Diag *diag);
void instance_unload(Instance *i);
/* The address of a function, looked up when first used; NULL, with a message in the instance, if
 * the binary has none. */
void *instance_symbol(Instance *i, CallId id);
Instance *instance_calling(void); /* the one whose function was asked for last in this thread */
void instance_log(Instance *i, const char *category, const char *text);
/* What a call that failed ended with, and what the FMU logged last. */
void instance_explain(const Instance *i, CallStatus status, const char *call, char *text, size_t room);
/* Around calls in which FMUs are known to change the process: the current directory is the FMU's
 * own in between, locale and floating-point environment are as before behind it. */
Surroundings surroundings_enter(const Instance *i);
void surroundings_leave(const Surroundings *before);
/* locale and floating-point environment alone */
void surroundings_check(const Surroundings *before);

/* ---- build.c --------------------------------------------------------------------------------- */

bool build_has_sources(const Instance *i);
bool build_binary(Instance *i, const char *directory, const char *binary, Diag *diag);

/* ---- terminals.c ----------------------------------------------------------------------------- */

void terminals_read(Fmu *fmu, Sources *sources);

/* ---- fmu.c ----------------------------------------------------------------------------------- */

struct Fmu {
    Arena *arena;
    Archive *archive;
    const Source *source;
    FmuDescription *d;
    const char *path;
    Diag *diag;
};

/* ---- variables.c: the variables of an FMU as those of a Model: names, slots, groups by type -- */

typedef struct {
    uint32_t n, m;  /* references, values */
    uint32_t *vr;   /* n */
    uint32_t first; /* slot of the first value; the others follow */
} ValueGroup;

typedef struct {
    ModelVariable *variables; /* as shown: elements of arrays are variables of their own */
    uint32_t *from, *element; /* the description's variable, and which element of it */
    Raw *given;               /* values that the user gave, in the FMU's own types */
    bool *is_given;
    uint32_t count, slots, largest; /* largest: values of the largest array or group */
    ValueGroup groups[FMU_TYPES];
    void *row;            /* values of a group or an array */
    VEC(uint32_t) inputs; /* those that are */
    NameIndex texts;      /* values of strings and binaries are places in it */
    Arena *arena;
} VariableTable;

/* What an input was given, in a saved state. */
typedef struct {
    Raw value;
    bool is_given;
} GivenInput;

void variables_make(VariableTable *v, const FmuDescription *d, Arena *arena);
/* All values, by slot. */
CallStatus variables_get(VariableTable *v, Instance *i, double *values);
/* Sets one value now. */
CallStatus variables_put(VariableTable *v, Instance *i, uint32_t shown, const Raw *value);
CallStatus variables_take(VariableTable *v, Instance *i, uint32_t shown, Raw *value);
/* Remembers a value for the start. False: *why says why not. */
bool variables_give(VariableTable *v, const FmuDescription *d, uint32_t shown, const Raw *value,
                    const char **why);
/* Sets what was given: parameters and start values before initialisation, inputs in it. */
CallStatus variables_apply(VariableTable *v, Instance *i, bool inputs);
void variables_of_real(const VariableTable *v, const FmuDescription *d, uint32_t shown, double value,
                       Raw *raw);
bool variables_of_text(const VariableTable *v, const FmuDescription *d, uint32_t shown, const char *text,
                       Arena *arena, Raw *raw);

/* ---- clocks.c: the input clocks of version 3 that time ticks --------------------------------- */

typedef struct {
    uint32_t vr;
    uint8_t varies; /* ClockVaries */
    double interval, from, next;
    uint64_t ticks; /* since `from` */
} FmuClock;

typedef struct {
    FmuClock *at;
    size_t n;
} ClockTable;

void clocks_make(ClockTable *clocks, const FmuDescription *d, Arena *arena);
CallStatus clocks_start(ClockTable *clocks, Instance *i, double t); /* in the first event mode */
/* those that are due, in event mode */
CallStatus clocks_tick(ClockTable *clocks, Instance *i, double t);
CallStatus clocks_renew(ClockTable *clocks, Instance *i, double t); /* at the end of event mode */
double clocks_next(const ClockTable *clocks);

/* ---- common.c: what model exchange and co-simulation share ----------------------------------- */

typedef struct {
    Model model;
    Instance i;
    VariableTable table;
    ClockTable clocks;
    Surroundings surroundings;
    char failure[800];
    bool is_placed; /* model exchange: time and states that were set last hold still */
    bool is_begun;  /* in initialisation mode */
    bool is_initialised, wants_end;
    VEC(FmuState *) states; /* that were asked for */
    Str resume;             /* a serialised state to go on from; empty: none */
} FmuModel;

#define TRY(m, call, what)                                                    \
    do {                                                                      \
        CallStatus status_ = (call);                                          \
        if (status_ > CALL_WARNING) return common_fail((m), status_, (what)); \
    } while (0)

/* An instance of `size` bytes, which begins with an FmuModel; NULL after an error. */
FmuModel *common_new(Fmu *fmu, int which, size_t size, const FmuOptions *options, Diag *diag);
/* Loads the binary and makes it a Model; frees it and returns NULL after an error. */
Model *common_finish(FmuModel *m, const ModelType *type, const ModelShape *shape, Diag *diag);
EvalStatus common_fail(FmuModel *m, CallStatus status, const char *call);
/* From instantiated to the end of initialisation. */
EvalStatus common_initialise(FmuModel *m, double t, CallEvent *event, EventInfo *info);
/* Event iteration in event mode until nothing changes, then back to continuous time or to steps. */
EvalStatus common_iterate_event(FmuModel *m, double t, bool again, EventInfo *info, bool *nominals_changed);
/* A value before initialisation, or of an input. */
bool common_give(FmuModel *m, int variable, const Raw *raw, const char **why);
/* At the end of initialisation: the state to go on from, if there is one. */
EvalStatus common_resume(FmuModel *m, double t, EventInfo *info, bool *nominals_changed);
bool common_set(Model *model, int variable, double value, const char **why);
bool common_set_text(Model *model, int variable, const char *text, const char **why);
const char *common_failure(const Model *model);

#endif
