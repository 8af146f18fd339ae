/* fmi.h: the door of the fmi room: FMUs of versions 1.0, 2.0 and 3.0 come in.
 *
 *     Fmu *fmu = fmu_open("M.fmu", &limits, sources, diag);       the archive and what its
 *     description says
 *     Model *model = fmu_model(fmu, &options, diag);              model exchange: a Model like any
 *     other
 *     Model *model = fmu_slave(fmu, &options, diag);              co-simulation: a Model that
 *     integrates itself
 *
 * Reading is strict about what would change a result and forgiving about the rest: broken rules
 * that do not matter for running are warnings, and errors for fmu_validate.
 *
 * archive.c and xml.c read with distrust; describe.c and describe_3.c bring all versions into one
 * form by tables of fields; rules.c holds what reading forgives. calls.def is the table of
 * functions of all versions, looked up when first used; what has the same form in all is in
 * calls.c, values of all types are in values.c, and version_1.c, version_2.c and version_3.c hold
 * what is left. common.c has what both kinds share: initialisation, event mode, clocks, saved
 * states. exchange.c makes a Model of model exchange, slave.c one of co-simulation: a Model with
 * step, which sim/ drives from one output point to the next. So inputs, results, --set, limits and
 * statistics know nothing of FMUs. */
#ifndef ACAUSAL_FMI_H
#define ACAUSAL_FMI_H

#include "model/model.h"

typedef enum { FMI_1 = 1, FMI_2 = 2, FMI_3 = 3 } FmiVersion;

/* The types of all versions; Real, Integer and Boolean of versions 1 and 2 are FLOAT64, INT32 and
 * BOOLEAN. */
typedef enum {
    FMU_FLOAT32,
    FMU_FLOAT64,
    FMU_INT8,
    FMU_UINT8,
    FMU_INT16,
    FMU_UINT16,
    FMU_INT32,
    FMU_UINT32,
    FMU_INT64,
    FMU_UINT64,
    FMU_BOOLEAN,
    FMU_STRING,
    FMU_BINARY,
    FMU_ENUMERATION,
    FMU_CLOCK,
    FMU_TYPES
} FmuBase;

typedef enum {
    FMU_PARAMETER,
    FMU_CALCULATED_PARAMETER,
    FMU_STRUCTURAL_PARAMETER,
    FMU_INPUT,
    FMU_OUTPUT,
    FMU_LOCAL,
    FMU_INDEPENDENT
} FmuCausality;
typedef enum { FMU_CONSTANT, FMU_FIXED, FMU_TUNABLE, FMU_DISCRETE, FMU_CONTINUOUS } FmuVariability;
typedef enum { FMU_EXACT, FMU_APPROX, FMU_CALCULATED, FMU_NO_INITIAL } FmuInitial;
typedef enum { FMU_NO_ALIAS, FMU_ALIAS, FMU_NEGATED_ALIAS } FmuAliasKind;

typedef struct {
    const char *name;
    int exponent[8]; /* of kg, m, s, A, K, mol, cd, rad */
    double factor, offset;
    bool has_base;
    uint32_t display_first, display_count; /* in FmuDescription.display_units */
} FmuUnit;

typedef struct {
    const char *name;
    double factor, offset;
    bool inverse;
} FmuDisplayUnit;

typedef struct {
    const char *name, *description;
    int64_t value;
} FmuItem;

typedef struct {
    const char *name, *description, *quantity, *unit, *display_unit;
    FmuBase base;
    double min, max, nominal; /* NAN: not given */
    uint32_t item_first, item_count;
} FmuType;

/* A size of an array: a number, or the value of a structural parameter. */
typedef struct {
    bool is_variable;
    uint64_t value; /* the size, or the value reference */
    uint64_t size;  /* with the start values of structural parameters */
} FmuDimension;

typedef struct {
    const char *name, *description; /* "" if there is none */
    const char *start;              /* as written; NULL if not given */
    const char *unit, *display_unit, *declared_type, *quantity;
    double min, max, nominal; /* NAN: not given, here or by the type */
    Span span;
    uint32_t vr;
    uint32_t derivative_of; /* an index of variables, or NONE_VARIABLE */
    uint32_t dimension_first, dimension_count;
    /* 1 for scalars; product of the dimensions with start values of structural parameters */
    uint32_t elements;
    uint8_t base, causality, variability, initial, alias;
    bool has_initial, has_variability, has_causality, reinit, is_fixed_start, is_alias_entry;
    /* clocks: period and first tick; NAN: not given */
    double interval, shift;
    double resolution, interval_counter, shift_counter; /* the same, counted in parts of a second */
    const char *interval_variability;
} FmuVariable;

#define NONE_VARIABLE UINT32_MAX

/* What an unknown of the model structure depends on. */
typedef struct {
    uint32_t variable; /* an index of variables */
    bool has_dependencies;
    uint32_t first, count; /* in FmuDescription.dependencies: indices of variables */
    Span span;
} FmuUnknown;

/* What one kind of interface offers. */
typedef struct {
    bool there;
    const char *identifier;
    bool needs_tool, only_once, no_memory_functions, can_save, can_serialize, directional, adjoint,
        per_element, no_completed_step;
    bool variable_step, interpolates_inputs, asynchronous, event_mode, early_return, intermediate_update;
    uint32_t max_output_derivative;
    double fixed_step; /* NAN: none */
    uint32_t source_first, source_count;
    Span span;
} FmuInterface;

/* Variables that belong together, as in a plug. */
typedef struct {
    const char *name, *kind, *rule, *description; /* one inside of another: OUTER.INNER */
    uint32_t first, count;                        /* in FmuDescription.members */
} FmuTerminal;

typedef struct {
    const char *name, *variable, *kind;
} FmuMember;

enum { FMU_ME, FMU_CS, FMU_SE, FMU_KINDS };

typedef struct {
    FmiVersion version;
    const char *fmi_version, *model_name, *token, *description, *author, *model_version, *copyright, *license,
        *tool, *date, *naming;
    FmuInterface kind[FMU_KINDS];
    double start, stop, tolerance, step; /* default experiment; NAN: not given, or of no use */
    double stated_tolerance;             /* whatever it is */
    long indicators;                     /* -1: not given */
    long states;                         /* as given by version 1, else counted */
    VEC(FmuUnit) units;
    VEC(FmuDisplayUnit) display_units;
    VEC(FmuType) types;
    VEC(FmuItem) items;
    VEC(FmuVariable) variables;
    VEC(FmuDimension) dimensions;
    VEC(FmuUnknown) outputs, derivatives, initial_unknowns, event_indicators, clocked_states;
    VEC(uint32_t) dependencies;
    VEC(const char *) log_categories, source_files;
    VEC(FmuTerminal) terminals;
    VEC(FmuMember) members;
    bool has_icon;
    bool has_structure;
} FmuDescription;

/* What an archive may hold before it counts as an attack. */
typedef struct {
    uint64_t bytes;   /* unpacked, in all */
    uint32_t entries; /* files */
    uint32_t ratio;   /* unpacked to packed, for what is larger than a megabyte */
} FmuLimits;

FmuLimits fmu_limits(void);
FmuLimits fmu_no_limits(void); /* but those of the machine */

typedef struct Fmu Fmu;

/* Reads the archive's list and the description. NULL after an error. */
Fmu *fmu_open(const char *path, const FmuLimits *limits, Sources *sources, Diag *diag);
void fmu_close(Fmu *fmu); /* removes what was unpacked */
const FmuDescription *fmu_description(const Fmu *fmu);
const char *fmu_base_name(FmuBase base, FmiVersion version);
/* Checks the standard's rules that reading forgives. Each broken one is an error. */
void fmu_validate(Fmu *fmu, Diag *diag);
/* The platforms that there are binaries for, one a line. */
void fmu_list_platforms(const Fmu *fmu, Text *out);
/* The description for people. */
void fmu_print(const Fmu *fmu, Text *out);
void fmu_print_json(const Fmu *fmu, Text *out);
/* Reads a description alone: for tests and fuzzing. NULL after an error. */
FmuDescription *fmu_describe(const Source *source, Arena *arena, Diag *diag);

typedef struct {
    double start, stop, tolerance; /* told to the FMU */
    bool logging;
    bool compile; /* build the binary from sources if there is none for this platform */
    void (*log)(void *arg, const char *text);
    void *log_arg;
} FmuOptions;

/* An instance for model exchange or for co-simulation; NULL after an error. Free it before the FMU
 * is closed. */
Model *fmu_model(Fmu *fmu, const FmuOptions *options, Diag *diag);
Model *fmu_slave(Fmu *fmu, const FmuOptions *options, Diag *diag);
void fmu_model_free(Model *model); /* of both kinds */

/* ---- several FMUs in a system ---------------------------------------------------------------- */

typedef struct {
    const char *name, *path;
    int kind; /* FMU_ME, FMU_CS; -1: whichever */
    Span span;
} SystemComponent;

/* From a component's variable, or from a port of the system (NONE_VARIABLE), to another; the value
 * is factor * it + offset. */
typedef struct {
    uint32_t from, to;
    const char *from_name, *to_name;
    double factor, offset;
    Span span;
} SystemLink;

typedef struct {
    const char *name, *value; /* of a component's variable, with the component's name in front */
    Span span;
} SystemValue;

typedef struct {
    const char *name;
    bool is_input;
} SystemPort;

typedef struct {
    const char *name;
    double start, stop; /* NAN: not given */
    VEC(SystemComponent) components;
    VEC(SystemLink) links;
    VEC(SystemValue) values;
    VEC(SystemPort) ports;
    struct Archive *archive; /* that it came in; NULL: none */
} SystemDescription;

bool system_is(const char *path); /* by its suffix: .ssd, .ssp, .system */
/* NULL after an error. In the arena, but for what was unpacked, which system_close removes. */
SystemDescription *system_read(const char *path, const FmuLimits *limits, Sources *sources, Arena *arena,
                               Diag *diag);
void system_close(SystemDescription *system);

/* From here on outputs of versions 2 and 3 can be read, and inputs set: initialisation mode.
 * `initialise` goes on from it. */
EvalStatus fmu_begin(Model *model, double t);
/* Time and states of model exchange; what follows sees them. */
EvalStatus fmu_place(Model *model, double t, const double *y);
/* The value of a variable as it is now. False: the call failed, or it is a text. */
bool fmu_real(Model *model, int variable, double *value);
/* The value of one variable to another, in their own types; converted if these differ. *changed: it
 * was another one. False: the call failed, or the types do not fit. */
bool fmu_pass(Model *from, int source, Model *to, int target, double factor, double offset, bool *changed);
bool fmu_fits(const Model *from, int source, const Model *to, int target);
const FmuDescription *fmu_model_description(const Model *model);
uint32_t fmu_described(const Model *model, int variable); /* its index in the description */

/* The state of an instance, to come back to; lives as long as the instance. */
typedef struct {
    void *fmu;             /* the FMU's own */
    void *clocks, *inputs; /* what is kept here for it */
} FmuState;

bool fmu_can_save(const Model *model); /* as the description says; saving may fail all the same */
FmuState *fmu_state_new(Model *model);
bool fmu_save(Model *model, FmuState *state);
bool fmu_restore(Model *model, const FmuState *state);
/* The same as bytes, for another process or another day. False: the FMU cannot. */
bool fmu_serialise(Model *model, Arena *arena, Str *bytes);
bool fmu_deserialise(Model *model, Str bytes);
/* The next initialise ends in this state, which was serialised before. The bytes are copied. */
void fmu_resume(Model *model, Str bytes);

#endif
