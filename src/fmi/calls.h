/* calls.h: an FMU that is loaded: its functions behind one table for all versions, values in its
 * own types, its binary. */
#ifndef ACAUSAL_FMI_CALLS_H
#define ACAUSAL_FMI_CALLS_H

#include "fmi/fmi.h"

#include <fenv.h>

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
 * own in between, locale and floating-point environment are as before after it. */
Surroundings surroundings_enter(const Instance *i);
void surroundings_leave(const Surroundings *before);
/* locale and floating-point environment alone */
void surroundings_check(const Surroundings *before);

/* ---- build.c --------------------------------------------------------------------------------- */

bool build_has_sources(const Instance *i);
bool build_binary(Instance *i, const char *directory, const char *binary, Diag *diag);

/* ---- terminals.c ----------------------------------------------------------------------------- */

void terminals_read(Fmu *fmu, Sources *sources);

#endif
