/* inside.h: what the files of the export room share. */
#ifndef ACAUSAL_EXPORT_INSIDE_H
#define ACAUSAL_EXPORT_INSIDE_H

#include "export/export.h"
#include "run/run.h"

/* ---- variables.c: what the description lists ------------------------------------------------- */

typedef enum {
    CAUSALITY_PARAMETER,
    CAUSALITY_CALCULATED,
    CAUSALITY_INPUT,
    CAUSALITY_OUTPUT,
    CAUSALITY_LOCAL,
    CAUSALITY_INDEPENDENT
} Causality;
typedef enum { IS_CONSTANT, IS_FIXED, IS_TUNABLE, IS_DISCRETE, IS_CONTINUOUS } Variability;
typedef enum { INITIAL_NONE, INITIAL_EXACT, INITIAL_APPROX, INITIAL_CALCULATED } Initial;

typedef struct {
    const char *name, *about, *unit, *display_unit, *quantity; /* "" if there is none */
    const char *type_name;                                     /* as it was declared; NULL */
    uint8_t type;                                              /* VariableType */
    uint8_t causality, variability, initial;
    DefId def;                /* of an enumeration */
    uint32_t declared;        /* among the types that are declared; NONE */
    double min, max, nominal; /* NAN: not said */
    uint32_t first, n;        /* elements */
    uint32_t rank;            /* of an array; 0: a scalar */
    const int32_t *sizes;
    uint32_t derivative_of; /* a variable; NONE */
    uint32_t state;         /* the number of its first element among the states; NONE */
    uint32_t alias_of;      /* a variable with the same value, listed under it in FMI 3.0; NONE */
    uint32_t reference;     /* value reference: that of what it is an alias of */
    bool is_indicator;      /* its element is the number of an event indicator */
} ExportVariable;

/* A name, and what all variables of the type agree on: "" and NAN where they do not. */
typedef struct {
    const char *name;
    uint8_t type; /* VariableType */
    const char *unit, *display_unit, *quantity;
    double min, max;
    DefId def; /* of an enumeration; NONE */
} ExportType;

/* A file that a model reads: a matrix of it, or all of its text. */
typedef struct {
    const char *file, *name; /* as the model says them; no name: text */
    const char *resource;
    Str content;
} ExportResource;

typedef struct {
    Arena *arena;
    Diag *diag;
    Compiled *compiled;
    System *s;
    const RunModel *run;
    const ModelShape *shape;
    const ExportOptions *options;
    RunInstance *trial; /* an instance at the start values: what numbers are taken from */
    VEC(ExportVariable) variables;
    /* variables of the running model, of all variables one after the other */
    VEC(uint32_t) elements;
    VEC(RunVariable) extended; /* the running model's variables, and some that only FMUs need */
    VEC(double) starts;        /* by element */
    VEC(const char *) texts;   /* by element: of strings */
    VEC(ExportType) types;     /* declared ones, by their first variable */
    uint32_t reference_count;  /* value references */
    uint32_t *by_reference;    /* the variable of each */
    /* by state: the variable that holds it, and its derivative */
    uint32_t *state_variable, *rate_variable;
    const char *identifier, *token, *solver;
    bool has_objects, has_products; /* external objects; derivatives of all maps */
    VEC(ExportResource) resources;
    VEC(const char *) archives; /* of users' libraries, to be linked */
    bool needs_lapack;
} Exporting;

bool export_list_variables(Exporting *x);

/* ---- structure.c: what depends on what ------------------------------------------------------- */

typedef enum { DEPENDS_CONSTANT, DEPENDS_FIXED, DEPENDS_DISCRETE, DEPENDS_DEPENDENT } DependsKind;
extern const char *const export_kinds[]; /* the standard's words */

typedef struct {
    uint32_t known; /* a state, or after those an input: their order */
    uint8_t kind;
} Dependence;

typedef struct {
    const Dependence *at;
    uint32_t n;
} Dependences;

typedef struct {
    Dependences *of;        /* by variable of the system */
    const uint32_t *inputs; /* variables of the system */
    uint32_t input_count;
    uint32_t *variable_of; /* by variable of the system: the input that it is + 1; 0 */
} Structure;

Structure export_structure(Exporting *x);

/* ---- types.c: types that variables are declared with ----------------------------------------- */

void export_list_types(Exporting *x);

/* ---- describe.c: modelDescription.xml; units.c: the element UnitDefinitions ------------------ */

void export_describe(Exporting *x, const Structure *s, Text *out);
void export_units(Exporting *x, Text *out);
void export_attribute(Text *out, const char *name, const char *value); /* left out if it is "" */
void export_number(Text *out, const char *name, double value);         /* left out if it is NAN */

/* ---- tables.c, resources.c: the C text and the resources ------------------------------------- */

/* Makes the trial instance, and another one where it must, note what files they read:
 * x->resources. */
void export_find_resources(Exporting *x, double t);
void export_write_c(Exporting *x, Text *out);

/* ---- externals.c ----------------------------------------------------------------------------- */

/* Whether the code calls only what an FMU can take along; lists the archives that it needs. */
bool export_check_externals(Exporting *x);

/* ---- build.c, pack.c ------------------------------------------------------------------------- */

/* The C text of a model, by file: code and tables; derivatives; external functions that came as
 * text, which may be empty. */
enum { FILE_MODEL, FILE_DERIVATIVES, FILE_EXTERNALS, FILE_COUNT };
typedef struct {
    Text of[FILE_COUNT];
} ExportText;
extern const char *const export_files[FILE_COUNT]; /* names, without their ends */

/* What CMake puts into the library: sources of rt/, run/ and unit/, and the archive compiled from
 * them. */
typedef struct {
    const char *name; /* "rt/newton.c" */
    const unsigned char *at;
    size_t n;
} EmbeddedFile;
extern const EmbeddedFile embedded_files[], embedded_archive;
extern const size_t embedded_count;

/* Compiles and links; the binary is in *out. */
bool export_build(Exporting *x, const ExportText *text, Str *out);
void export_add_sources(Exporting *x, const ExportText *text, Package *out);
/* Names of all C files among the sources. */
uint32_t export_source_files(Exporting *x, const char **names, uint32_t room);
/* the directory of binaries of this machine; NULL: it has no name there */
const char *export_platform(int version);

#endif
