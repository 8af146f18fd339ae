/* acausal.h: the whole public interface of the Acausal library.
 *
 * Everything the command line can do is here; examples/api.c has an example of use for each
 * function. To begin with: acausal_session_new, acausal_compile, acausal_run with `keep`,
 * acausal_result_values; examples/embed.c does that. No function prints. A session belongs to
 * one thread at a time; several sessions may exist at once.
 *
 * Failures. What can fail returns an AcausalStatus, or a new object, which is NULL then. Why is
 * among the diagnostics of its session: acausal_first_error has it in a line. What looks
 * something up by name or number says NULL, false or 0 where there is none; that is no failure.
 * After a failure every object can still be used and freed.
 *
 * Structures begin with their size, which the program sets: `AcausalCheckReport report = {
 * sizeof report };`, the rest zero. Zero means the default; a structure for which that cannot be
 * has a function that fills it, such as acausal_simulation. Later versions add fields at the end
 * and take nothing away: what an older program does not have stays at its default, or is not
 * written. A program that sets what an older library does not know gets ACAUSAL_USAGE.
 * Structures that the library gives to a program are met through pointers only, in lists too.
 * Values of enumerations keep their numbers.
 *
 * Memory. What a function gives belongs to the library; what the caller frees has a function for
 * that, which also takes NULL. Strings given to a function may be freed after the call. All of
 * this is there since version 0.1 unless a function says otherwise. */
#ifndef ACAUSAL_H
#define ACAUSAL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a call ended; also the exit codes of the program. */
typedef enum {
    ACAUSAL_DONE = 0,   /* all is well */
    ACAUSAL_WRONG = 1,  /* the model or the data is wrong: see the diagnostics */
    ACAUSAL_USAGE = 2,  /* the call itself is wrong */
    ACAUSAL_FAILED = 3, /* translated, but the run failed; what was computed is there */
    ACAUSAL_BUG = 4     /* a bug in Acausal, or the system gave out */
} AcausalStatus;

const char *acausal_version(void);

/* The word of `candidates` that is nearest to `word`, or NULL when none is near. */
const char *acausal_nearest(const char *word, const char *const *candidates, size_t n);

/* What a diagnostic code such as "E0201" means; NULL if there is no such code. */
const char *acausal_explain(const char *code);

/* Takes a piece of output. */
typedef void (*AcausalWrite)(void *arg, const char *text, size_t n);

/* ---- sessions: libraries, sources and diagnostics -------------------------------------------- */

typedef struct AcausalSession AcausalSession;

AcausalSession *acausal_session_new(void); /* NULL when memory is out */
void acausal_session_free(AcausalSession *session);

/* A directory in which libraries are looked for, or a library itself; earlier ones come first. */
AcausalStatus acausal_add_library_path(AcausalSession *session, const char *directory);
/* A colon-separated list of such directories. */
AcausalStatus acausal_add_library_path_list(AcausalSession *session, const char *list);

typedef enum { ACAUSAL_TEXT, ACAUSAL_COLOUR, ACAUSAL_JSON, ACAUSAL_HTML } AcausalFormat;

size_t acausal_error_count(const AcausalSession *session);
size_t acausal_warning_count(const AcausalSession *session);
/* Writes all diagnostics so far: for people, or one JSON object a line. */
void acausal_write_diagnostics(const AcausalSession *session, AcausalFormat format, AcausalWrite write,
                               void *arg);
/* The first error in one line, "M.mo:3:7: expected ..."; NULL if there is none. */
const char *acausal_first_error(AcausalSession *session);
void acausal_clear_diagnostics(AcausalSession *session);

/* What a session does or leaves, from now on. */
typedef enum {
    /* acausal_check compares units; on unless turned off */
    ACAUSAL_CHECK_UNITS,
    /* acausal_check says of each structural parameter why it is one */
    ACAUSAL_SHOW_STRUCTURAL,
    /* archives may unpack to more than 4 GiB, 100,000 files or 400 times their size, which are
     * refused as attacks otherwise */
    ACAUSAL_TRUST_ARCHIVES,
    /* runs may use the code of their source without trust; on unless turned off, which is to be
     * done before libraries are added */
    ACAUSAL_TRUST_SOURCE,
    /* rules of the language that libraries break and other tools let pass are errors, not warnings:
     * those of the table in docs/language.md */
    ACAUSAL_STRICT_LANGUAGE,
    /* acausal_flatten writes Base Modelica (MCP-0031), which other tools read */
    ACAUSAL_BASE_MODELICA
} AcausalSwitch;
void acausal_switch(AcausalSession *session, AcausalSwitch what, bool on);

typedef struct {
    size_t size; /* of the structure */
    size_t files, classes, lines, bytes;
    double seconds, cpu_seconds;
    size_t peak_bytes; /* the largest memory of the process so far */
} AcausalParseReport;

/* Parses files and whole libraries, on `threads` threads (0: one a processor). */
AcausalStatus acausal_parse(AcausalSession *session, const char *const *paths, size_t n, unsigned threads,
                            AcausalParseReport *report);
/* Parses one file and writes it back as Modelica text in a regular form. */
AcausalStatus acausal_print(AcausalSession *session, const char *path, AcausalWrite write, void *arg);
/* The file that a modelica:// URI names, as a string that the session keeps; NULL if its class is
 * not found. */
const char *acausal_resolve_uri(AcausalSession *session, const char *uri);

/* ---- trust: whose foreign code may run ------------------------------------------------------- */

/* C text, shared libraries and functions that change the system are code of whoever wrote the
 * model. acausal_check, acausal_flatten, acausal_analyze and acausal_dump run none of it. Runs may
 * use that of their source and of the libraries given to acausal_add_library_path; everything else
 * is refused unless it is trusted. */

/* Code of this file, or below this directory, may run in this session. */
AcausalStatus acausal_trust(AcausalSession *session, const char *path);
/* Who is asked once an origin, a library or file; returning true trusts it in this session. */
void acausal_ask_trust(AcausalSession *session, bool (*ask)(void *arg, const char *origin), void *arg);
/* Trusts a library or file for good, as it is now, or no longer. */
AcausalStatus acausal_trust_store(AcausalSession *session, const char *path, bool trusted);
/* What is trusted for good; `changed` since: it is not trusted any more. */
AcausalStatus acausal_trust_list(AcausalSession *session,
                                 void (*row)(void *arg, const char *path, const char *digest, bool changed),
                                 void *arg);

/* ---- models ---------------------------------------------------------------------------------- */

/* `source` is a .mo file, a library's directory, a class name found in the libraries, or, for runs,
 * an .fmu file; `class_name`, if not NULL, names a class in it. Without one, it is the file's first
 * class. */

/* "NAME=VALUE": a value for the models that this session elaborates from now on. Parameters of all
 * kinds, structural ones too, whole arrays ("a.k={1,2}"), and start values of variables; VALUE is
 * any Modelica expression. */
AcausalStatus acausal_set(AcausalSession *session, const char *name_and_value);

/* Gives what a .toml, .json or .csv file sets to `each`, as "NAME=VALUE" for acausal_set: tables
 * of names are joined by dots, lists are {1,2}, texts come as they are written. CSV: rows
 * "name,value", or a row of names and one of values. */
AcausalStatus acausal_read_values(AcausalSession *session, const char *path,
                                  void (*each)(void *arg, const char *name_and_value), void *arg);

/* A class that a source holds; the texts last as long as the session. */
typedef struct {
    size_t size;             /* of the structure */
    const char *name;        /* "Circuit.RLC" */
    const char *kind;        /* "model", "package", "function", ... */
    const char *description; /* "" if there is none */
    bool is_partial;
    bool has_experiment; /* says from when to when it is to be simulated */
    bool is_example;     /* is there to be run, as its icon says */
    bool has_classes;    /* holds others */
    const char *library; /* of a library: its directory or file; else NULL */
} AcausalClass;

/* Gives all classes of a .mo file or a library's directory to `each`, in the order they are
 * written. */
AcausalStatus acausal_classes(AcausalSession *session, const char *path,
                              void (*each)(void *arg, const AcausalClass *c), void *arg);

/* The same for what is directly in a class of the libraries; class_name NULL: all libraries that
 * are open or in the path. */
AcausalStatus acausal_inner_classes(AcausalSession *session, const char *class_name,
                                    void (*each)(void *arg, const AcausalClass *c), void *arg);

/* ---- libraries ------------------------------------------------------------------------------- */

/* Another library that one says it uses, in its annotation. */
typedef struct {
    size_t size;                /* of the structure */
    const char *name, *version; /* as wanted; "": any */
    const char *path, *found;   /* where it is, and which version that is; path NULL: nowhere */
} AcausalUse;

/* A library in the directories of the session; the texts last as long as the session. */
typedef struct {
    size_t size;                /* of the structure */
    const char *name, *version; /* "" if it has none */
    const char *path;           /* its directory or file */
    const char *description;
    bool is_chosen; /* what its name means where no version is wanted */
    const AcausalUse *const *uses;
    size_t use_count;
} AcausalLibrary;

/* Gives all libraries, or all versions of the one of this name, to `each`. */
AcausalStatus acausal_libraries(AcausalSession *session, const char *name,
                                void (*each)(void *arg, const AcausalLibrary *library), void *arg);
/* The directories that libraries are looked for in; NULL past the last. */
const char *acausal_library_directory(AcausalSession *session, size_t i);
/* The user's own folder for libraries, which the command line looks in last; NULL: none. */
const char *acausal_library_folder(AcausalSession *session);

typedef struct {
    size_t size; /* of the structure */
    /* a library, a directory of libraries, an archive (.zip, .tar, .tar.gz, .tar.xz), or a git
     * directory */
    const char *from;
    const char *revision; /* of a git directory; NULL: HEAD */
    const char *name;     /* only this library of them; NULL: all */
    const char *into;     /* NULL: the user's folder */
    bool replace;         /* what is there already */
} AcausalInstall;
/* Copies libraries to "INTO/NAME VERSION"; `each` is told where, and may be NULL. Their foreign
 * code is not trusted by that. */
AcausalStatus acausal_library_install(AcausalSession *session, const AcausalInstall *install,
                                      void (*each)(void *arg, const char *path), void *arg);

/* ---- models, looked at ----------------------------------------------------------------------- */

/* Writes the model as flat Modelica, or as Base Modelica: acausal_switch(session,
 * ACAUSAL_BASE_MODELICA, true) before. */
AcausalStatus acausal_flatten(AcausalSession *session, const char *source, const char *class_name,
                              AcausalWrite write, void *arg);

typedef struct {
    size_t size;      /* of the structure */
    size_t variables; /* scalar, changing with time */
    size_t unknowns;  /* of those, not given from outside */
    size_t equations; /* scalar */
    size_t parameters, constants;
    size_t states; /* variables that are differentiated */
    /* structural parameters: the equations of the model depend on their values */
    size_t structural;
    double seconds;
} AcausalCheckReport;

/* Takes the model through the whole front end. */
AcausalStatus acausal_check(AcausalSession *session, const char *source, const char *class_name,
                            AcausalCheckReport *report);

/* ---- looking at classes ---------------------------------------------------------------------- */

/* Writes a class as the instance tree has it: what it extends, components with types, values and
 * units, connections, and, as ACAUSAL_JSON, evaluated annotations and places in files. `component`,
 * if not NULL, is the dotted name of a component, whose instance is described instead.
 * ACAUSAL_WRONG: the class is not found, or something in it is wrong, in which case all that was
 * understood is written. */
AcausalStatus acausal_describe(AcausalSession *session, const char *source, const char *class_name,
                               const char *component, AcausalFormat format, AcausalWrite write, void *arg);

/* PDF: of plots. */
typedef enum { ACAUSAL_SVG, ACAUSAL_PNG, ACAUSAL_TERMINAL, ACAUSAL_PDF } AcausalPicture;

/* How a class is drawn. All zeros is its diagram. */
typedef struct {
    size_t size;           /* of the structure */
    bool icon;             /* its icon */
    bool live;             /* groups of the SVG say which component or connection they are */
    bool framed;           /* just its coordinate system, not what sticks out of it */
    double scale;          /* pixels of a PNG for one unit of the coordinate system; 0: 4 */
    const char *component; /* the instance of this component instead; NULL: the class */
} AcausalDrawing;

/* Draws the icon or the diagram of a class, as its annotations say. What cannot be drawn is left
 * out and told as a warning. A PNG needs the cairo library. ACAUSAL_WRONG: as acausal_describe;
 * what can be drawn is written. */
AcausalStatus acausal_draw(AcausalSession *session, const char *source, const char *class_name,
                           const AcausalDrawing *drawing, AcausalPicture as, AcausalWrite write, void *arg);

/* Writes what the Documentation annotation of a class says, as a piece of HTML without scripts,
 * styles, forms or anything that would be fetched from elsewhere: pictures of libraries are in it,
 * other classes are links with data-class="NAME". `revisions`: that part of it. */
AcausalStatus acausal_documentation(AcausalSession *session, const char *source, const char *class_name,
                                    bool revisions, AcausalWrite write, void *arg);

/* Why two connectors of a class, "a.p" and "b.n", cannot be connected, as a string that the session
 * keeps; NULL if they can, as far as their types tell. */
const char *acausal_why_not_connect(AcausalSession *session, const char *source, const char *class_name,
                                    const char *from, const char *to);

/* A change of a class in its text. What it is not about stays, to the byte. */
typedef enum {
    ACAUSAL_EDIT_ADD,        /* component `name` of class `other`; `text`: its modifiers, "(R = 1)" */
    ACAUSAL_EDIT_REMOVE,     /* component `name`, with its connections */
    ACAUSAL_EDIT_PLACE,      /* of component `name`; `text`: "transformation(...)" */
    ACAUSAL_EDIT_CONNECT,    /* `name` with `other` */
    ACAUSAL_EDIT_DISCONNECT, /* `name` from `other` */
    ACAUSAL_EDIT_ROUTE,      /* the same; `text`: the points of its line, "{{0, 0}, {10, 0}}" */
    ACAUSAL_EDIT_SET,        /* modifier `name`, "R1.R", to `text`; "" takes it away */
    ACAUSAL_EDIT_RENAME,     /* component `name` to `other` */
    ACAUSAL_EDIT_ANNOTATE    /* of the class: member `name` is `text`, "experiment(StopTime = 1)" */
} AcausalEditKind;

typedef struct {
    size_t size; /* of the structure */
    AcausalEditKind kind;
    const char *name, *other, *text;
    const char *annotation; /* of what is added, "Placement(...)"; NULL: none */
} AcausalEdit;

/* Writes `text` with the class changed. ACAUSAL_WRONG: it cannot be, and nothing is written. */
AcausalStatus acausal_edit(AcausalSession *session, const char *text, const char *class_name,
                           const AcausalEdit *edit, AcausalWrite write, void *arg);

/* Files that use an older version of a library, by the conversion script of a newer one. */
typedef struct {
    size_t size;                               /* of the structure */
    const char *library;                       /* whose version changes; NULL: Modelica */
    const char *to;                            /* its version, which is among the libraries of the session */
    const char *from;                          /* NULL: as the `uses` annotation says */
    bool look_only;                            /* nothing is written */
    void (*each)(void *arg, const char *path); /* for each file that changes; may be NULL */
    void *arg;
} AcausalConvertOptions;

typedef struct {
    size_t size;           /* of the structure */
    size_t files, changed; /* read; changed by it */
} AcausalConvertReport;

/* Changes a .mo file, or all those below a directory, in place; text that no rule is about
 * stays, to the byte. What rules cannot do is a warning. Example: { .size = sizeof o, .to =
 * "4.0.0" } */
AcausalStatus acausal_convert(AcausalSession *session, const char *path, const AcausalConvertOptions *options,
                              AcausalConvertReport *report);

/* ---- simulation ------------------------------------------------------------------------------ */

typedef struct AcausalResult AcausalResult;

/* A signal of a result. */
typedef enum { ACAUSAL_CONTINUOUS, ACAUSAL_DISCRETE, ACAUSAL_FIXED } AcausalSignalKind;
typedef struct {
    size_t size;                           /* of the structure */
    const char *name, *unit, *description; /* "" if there is none */
    AcausalSignalKind kind;
} AcausalSignal;

/* What a run shall do. acausal_simulation gives the defaults, as does NULL for a pointer to one;
 * NAN, -1 and NULL mean: as the model's
 * experiment annotation says, or else 0 to 1, tolerance 1e-6, 500 intervals. */
typedef struct {
    size_t size; /* of the structure */
    double start, stop, tolerance, interval;
    long points;            /* 0: the integrator's own steps */
    const char *solver;     /* NULL: chosen by what the model looks like */
    const char *const *set; /* "NAME=VALUE" as for acausal_set, for this run */
    size_t set_count;
    /* "KEY=VALUE": max-steps, max-step, initial-step, max-order, ... */
    const char *const *solver_options;
    size_t solver_option_count;
    const char *output; /* a file, .csv, .csv.gz or .mat; NULL: none */
    /* an extended regular expression for whole names: what the result holds; NULL: all */
    const char *variables;
    const char *inputs; /* a CSV file with inputs over time; NULL: none */
    /* RESULT or RESULT@T: start from a saved result; a file of save_state: go on from there; NULL:
     * none */
    const char *init;
    const char *save_state; /* of an FMU that can: a file for its state at the end; NULL: none */
    double time_limit;      /* seconds of wall time; 0: none */
    const char *kind;       /* of an FMU: "me" or "cs"; NULL: model exchange if it is for that */
    /* an FMU without a binary for this machine: build it from its sources */
    bool compile;
    bool log;  /* an FMU logs all it does, to `say` */
    bool keep; /* give the result in memory, too */
    /* and the integrator's steps: log10_step, order, restart, jacobian over time */
    bool keep_steps;
    const volatile sig_atomic_t *interrupt;                           /* not 0: stop; may be NULL */
    void (*progress)(void *arg, double t, double start, double stop); /* may be NULL */
    void *progress_arg;
    /* What the model prints, its warnings, and what an FMU logs ("fmu: ..."), a line at a time; may
     * be NULL. */
    void (*say)(void *arg, const char *line);
    void *say_arg;
    /* Rows as they are computed: first what they hold, then each of them, with n values. Both or
     * none. */
    void (*begin)(void *arg, const AcausalSignal *const *signals, size_t n);
    void (*row)(void *arg, double t, const double *values, size_t n);
    void *row_arg;
    /* A file for the whole state of the run, written anew every so many seconds (0: 60), and when
     * the run is interrupted or late; NULL: none. */
    const char *checkpoint;
    double checkpoint_seconds;
    /* such a file: the same run goes on from there, with the same bits; rows of `output` up to
     * there stay */
    const char *resume;
    /* what the result holds, instead of `variables`: "a.b,*.T", with * and ?; NULL: all */
    const char *patterns;
} AcausalSimulation;

typedef struct {
    size_t size;         /* of the structure */
    double t;            /* how far it came */
    const char *message; /* why it ended; "" if there is nothing to say */
    const char *stats;   /* lines for people */
    const char *stats_json;
    double translate_seconds, simulate_seconds;
    double load_seconds, flatten_seconds, structure_seconds, code_seconds; /* of the translation */
    size_t states;
    AcausalResult *result; /* if asked for: the caller frees it */
    AcausalResult *steps;  /* likewise */
    /* of a run that failed: what failed, where, with which values, and what to do next, as lines
     * for people, and as one object of JSON like those of diagnostics; "" else */
    const char *failure, *failure_json;
} AcausalSimulationReport;

void acausal_simulation_init(AcausalSimulation *simulation, size_t size);
static inline AcausalSimulation acausal_simulation(void)
{
    AcausalSimulation simulation;
    acausal_simulation_init(&simulation, sizeof simulation);
    return simulation;
}

/* A model that is translated once and run many times. It belongs to its session. NULL: what is
 * wrong is in the session's diagnostics. */
typedef struct AcausalModel AcausalModel;
AcausalModel *acausal_compile(AcausalSession *session, const char *source, const char *class_name);
void acausal_model_free(AcausalModel *model);

/* A variable of a model, as results hold it; the texts last as long as the model. */
typedef struct {
    size_t size;                           /* of the structure */
    const char *name, *unit, *description; /* "" if there is none */
    const char *kind;                      /* "constant", "parameter", "discrete" or "continuous" */
    /* "Real", "Integer", "Boolean", "enumeration" or "String" */
    const char *type;
    bool is_input, is_output, is_state, is_protected;
    bool is_settable; /* by `set` without translating anew: a parameter, or a start value */
} AcausalVariable;

/* What the model says of its experiment; NAN where it says nothing. */
typedef struct {
    size_t size; /* of the structure */
    double start, stop, tolerance, interval;
} AcausalExperiment;
AcausalStatus acausal_model_experiment(const AcausalModel *model, AcausalExperiment *experiment);

/* How many there are; 0 with an error among the diagnostics if the model (an FMU) cannot be
 * instantiated. */
size_t acausal_model_variables(AcausalModel *model);
/* The one at i, counted from 0. False: there is none. A run makes what was given before invalid. */
bool acausal_model_variable(const AcausalModel *model, size_t i, AcausalVariable *variable);

/* The name of state i; NULL past the last. After acausal_model_variables. */
const char *acausal_model_state(const AcausalModel *model, size_t i);

/* A variable at the start of an experiment without any values set. */
typedef struct {
    size_t size;             /* of the structure */
    double value, low, high; /* NAN: unknown; no limit given as a number */
    bool is_structural;      /* to set it translates the model anew */
    bool is_final;           /* cannot be set */
} AcausalStartValue;

/* Gives one for each of acausal_model_variables to `each`. ACAUSAL_FAILED: initial values cannot be
 * found; limits are there. */
AcausalStatus acausal_model_start_values(AcausalModel *model,
                                         void (*each)(void *arg, size_t i, const AcausalStartValue *value),
                                         void *arg);

/* What acausal_analyze says of the model, and which equation contains which unknown, as JSON:
 * {"analysis":..,"structure":..}. */
AcausalStatus acausal_structure(AcausalModel *model, AcausalWrite write, void *arg);

/* A run from the start with values of its own; only values of structural parameters make it
 * translate anew. The report's texts are kept until the next run. */
AcausalStatus acausal_run(AcausalModel *model, const AcausalSimulation *simulation,
                          AcausalSimulationReport *report);
/* Translates and runs. However the run ends, all rows so far are written. */
AcausalStatus acausal_simulate(AcausalSession *session, const char *source, const char *class_name,
                               const AcausalSimulation *simulation, AcausalSimulationReport *report);

/* ---- runs in parts --------------------------------------------------------------------------- */

/* A run that goes on when it is told to: its variables can be looked at and inputs be set between
 * two parts. Variables are named by their numbers among acausal_model_variables. */
typedef struct AcausalStepper AcausalStepper;
/* At the start of the run, with the initial equations solved. It belongs to the model, and ends
 * before it or with its next run. NULL: what is wrong is in the session's diagnostics, as for
 * all of these. */
AcausalStepper *acausal_stepper_new(AcausalModel *model, const AcausalSimulation *run);
void acausal_stepper_free(AcausalStepper *stepper);
/* Goes on to `until`; *t says how far it came: less where the model ended the run
 * (ACAUSAL_DONE). The integrator of each part begins anew. */
AcausalStatus acausal_stepper_advance(AcausalStepper *stepper, double until, double *t);
AcausalStatus acausal_stepper_get(AcausalStepper *stepper, const size_t *variables, size_t n, double *values);
/* Inputs, and parameters that may change during a run. An event at the next part's begin sees
 * it. */
AcausalStatus acausal_stepper_set(AcausalStepper *stepper, const size_t *variables, size_t n,
                                  const double *values);
/* Keeps the whole state, or goes back to what was kept. */
AcausalStatus acausal_stepper_keep(AcausalStepper *stepper);
AcausalStatus acausal_stepper_back(AcausalStepper *stepper);

/* ---- why: starts, speed, step by step -------------------------------------------------------- */

/* Why the initial equations of a model are not solved. */
typedef struct {
    size_t size;       /* of the structure */
    double start;      /* when; NAN: as the model's experiment annotation says, or 0 */
    double time_limit; /* seconds for the search; 0: 20 */
    const volatile sig_atomic_t *interrupt;
} AcausalExplainStart;
/* Writes the equations that fail, with values, residuals and guesses, and start values that
 * help, as lines or one object of JSON. NULL: defaults. ACAUSAL_DONE: it starts, or some were
 * found. ACAUSAL_FAILED: none were. */
AcausalStatus acausal_explain_start(AcausalModel *model, const AcausalExplainStart *options,
                                    AcausalFormat format, AcausalWrite write, void *arg);

/* Where the time of a run goes. */
typedef struct {
    size_t size;                  /* of the structure */
    const AcausalSimulation *run; /* NULL: defaults */
    bool page;                    /* write a page of HTML instead of text */
} AcausalProfile;
/* Runs the model, several times if it is quick, and writes what takes the time: phases, blocks,
 * equations, components, events, states that limit steps; first what is most worth changing. As
 * text, as ACAUSAL_JSON one object. NULL: defaults. ACAUSAL_FAILED: the run failed; what was
 * seen up to there is written. Example: acausal_profile(model, NULL, ACAUSAL_TEXT, write,
 * stdout) */
AcausalStatus acausal_profile(AcausalModel *model, const AcausalProfile *options, AcausalFormat format,
                              AcausalWrite write, void *arg);

/* A run that is stopped, looked at, and goes on. */
typedef struct {
    size_t size;                  /* of the structure */
    const AcausalSimulation *run; /* NULL: defaults */
    /* gives at most n bytes of commands, lines as "break time 0.5"; 0: there are no more */
    size_t (*read)(void *arg, char *to, size_t n);
    void *read_arg;
    bool echoes;   /* commands are shown in the output */
    bool protocol; /* the Debug Adapter Protocol of editors instead of lines */
} AcausalDebug;
/* Runs the model as commands say; "help" among them lists them. The run stops first at its
 * start, and at its end. ACAUSAL_FAILED: it ended with a failure. Example: acausal_debug(model,
 * &(AcausalDebug){ sizeof(AcausalDebug), .read = read }, write, stdout) */
AcausalStatus acausal_debug(AcausalModel *model, const AcausalDebug *options, AcausalWrite write, void *arg);

/* ---- derivatives of runs --------------------------------------------------------------------- */

/* What is differentiated: values of variables at the end (and, forward, at all rows of the result)
 * or an objective, in parameters and start values. */
typedef struct {
    size_t size; /* of the structure */
    /* how the model is run; its result holds columns d(y)/d(p) with "forward" and "ad"; with
     * "adjoint", one `of` and `keep` it is lambda(x) over time: the derivative in each state
     * then */
    const AcausalSimulation *run;
    /* parameters; variables stand for their start values; inputs that run->inputs drives for their
     * value in each row */
    const char *const *wrt;
    size_t wrt_count;
    const char *const *of; /* variables */
    size_t of_count;
    /* instead of `of`: a Modelica expression at the end; integral(...) in it is over the whole
     * run */
    const char *objective;
    /* "forward": equations of the derivatives, solved together with the model's, with error
     * control. "adjoint": one run back in time, whatever the number of parameters; one `of`, or an
     * objective. "ad": derivative of the computed steps themselves; "ad-adjoint": the same by going
     * back over them. "ind": differences of runs on the same steps. "end": differences of whole
     * runs, for comparison. NULL: forward. */
    const char *method;
    /* Of "forward" and "adjoint": "own" (NULL), or "sundials": CVODES, IDAS with form=dae; without
     * events and rows. */
    const char *backend;
    /* megabytes for steps of the run, 0: 256; "adjoint": what is dropped is computed again from
     * checkpoints; "ad", "ind": more is refused */
    double memory;
} AcausalSensitivity;

typedef struct {
    size_t size; /* of the structure */
    const char *of, *wrt;
    double value, parameter; /* at the end; of the parameter */
    double derivative;
    double time; /* of derivatives in an input: of the row that is moved; else NAN */
} AcausalDerivative;

typedef struct {
    size_t size;                                 /* of the structure */
    const AcausalDerivative *const *derivatives; /* count: for each `of` all of `wrt` */
    size_t count;
    double cpu_seconds; /* of all runs, without translation */
    long steps_back, checkpoints,
        /* "adjoint": steps, checkpoints at once, steps that were taken again */
        recomputed;
    /* of the run with derivatives, or the run back: of the one before it; kept as the texts are */
    const AcausalSimulationReport *run;
} AcausalSensitivityReport;

/* The texts of the report live until the next call with the same model, or for
 * acausal_differentiate as long as the session. */
AcausalStatus acausal_differentiate(AcausalSession *session, const char *source, const char *class_name,
                                    const AcausalSensitivity *what, AcausalSensitivityReport *report);

/* The same of a model that is translated already: what is made of it for this purpose is kept for
 * the next call. The texts live until then. */
AcausalStatus acausal_gradient(AcausalModel *model, const AcausalSensitivity *what,
                               AcausalSensitivityReport *report);

/* The map x(t1) = Phi(x(t0), u0, u1, p) of one interval, for optimal control and estimation: equal
 * steps of a Runge-Kutta method, whose derivatives are those of the computed numbers, to rounding.
 * An interval lies between two events. */
typedef struct {
    size_t size;        /* of the structure */
    const char *method; /* "rk4" (NULL), "dopri5", or "sdirk3" for stiff models */
    int steps;
    const char *const *inputs; /* constant over an interval, or changing linearly from u0 to u1 */
    size_t input_count;
    bool is_linear;
    const char *const *parameters; /* that derivatives are wanted in */
    size_t parameter_count;
    const char *const *set; /* "NAME=VALUE" */
    size_t set_count;
    /* where initial equations are solved; their states are what acausal_map_start gives */
    double start;
} AcausalInterval;

typedef struct AcausalMap AcausalMap;
/* Belongs to the model, and ends before it. NULL: what is wrong is in the session's diagnostics. */
AcausalMap *acausal_map_new(AcausalModel *model, const AcausalInterval *interval);
void acausal_map_free(AcausalMap *map);
size_t acausal_map_states(const AcausalMap *map);
const char *acausal_map_state(const AcausalMap *map, size_t i); /* its name */
/* states after the initial equations */
const double *acausal_map_start(const AcausalMap *map);
/* end: states. derivatives: a vector of states for each of x, u0, u1 and p in this order, or NULL.
 * u1 may be NULL. ACAUSAL_FAILED: the model cannot be evaluated on the way. */
AcausalStatus acausal_map_forward(AcausalMap *map, double t0, double t1, const double *x, const double *u0,
                                  const double *u1, double *end, double *derivatives);
/* Of the interval of the last call: weights^T dPhi/d(x, u0, u1, p). */
AcausalStatus acausal_map_back(AcausalMap *map, const double *weights, double *gradient);

/* ---- linear systems -------------------------------------------------------------------------- */

/* A model near a point: x' = A x + B u, y = C x + D u in differences from x, u and y there. */
typedef struct {
    size_t size;                  /* of the structure */
    const AcausalSimulation *run; /* values, inputs, and how the point is reached; NULL: defaults */
    double time;                  /* where a run comes to then; NAN: after the initial equations */
    bool steady; /* from there to where x' = 0 by Newton's method, with time and inputs held */
    /* names; NULL: those of the model that are Real */
    const char *const *inputs;
    size_t input_count;
    const char *const *outputs;
    size_t output_count;
    bool respond; /* the responses to frequencies and to steps, too */
} AcausalLinearize;

/* Matrices by rows. All but the results lives as the texts of a run do. */
typedef struct {
    size_t size; /* of the structure */
    double t;
    size_t states, inputs, outputs;
    const char *const *state_names, *const *input_names, *const *output_names;
    const double *a, *b, *c, *d;
    const double *x, *rates, *u, *y; /* the point; rates: x' there */
    const double *pole_re, *pole_im; /* one a state */
    /* of systems with as many outputs as inputs; is_square: whether this is one */
    size_t zeros;
    const double *zero_re, *zero_im;
    bool is_square;
    bool is_exact; /* by rules of differentiation, not by differences */
    int iterations;
    /* decibels and degrees over "frequency" in radians per second, which stands for time; outputs
     * over time after a step of each input; the caller frees them */
    AcausalResult *bode, *step;
    const char *message; /* why it failed; "" if it did not */
} AcausalLinear;

/* ACAUSAL_FAILED: the run, or the way to the steady state, came to no end. */
AcausalStatus acausal_linearize(AcausalModel *model, const AcausalLinearize *what, AcausalLinear *linear);

/* ---- fits ------------------------------------------------------------------------------------ */

/* Parameters from measured data by least squares, or from an objective that is made least. */
typedef struct {
    size_t size;                  /* of the structure */
    const AcausalSimulation *run; /* without a stop time: to the last row of the data */
    /* CSV files, one an experiment: time and columns with names of variables, empty where nothing
     * was measured. Columns with names of inputs drive the model. "FILE:NAME=VALUE,NAME=VALUE"
     * gives an experiment values of its own. */
    const char *const *data;
    size_t data_count;
    /* "p", "p[min,max]", "p=start", "p=start[min,max]"; start values of variables alike */
    const char *const *parameters;
    size_t parameter_count;
    /* "NAME=DEVIATION" of what is measured: residuals are divided by it */
    const char *const *sigmas;
    size_t sigma_count;
    /* instead of data: a Modelica expression that is made least, with integral(...) as above */
    const char *objective;
    /* "lm" for data (NULL), or one of NLopt: "slsqp" (NULL for objectives), "lbfgs", "mma",
     * "tnewton" */
    const char *algorithm;
    int starts;    /* further starting points, spread over the bounds; 0: none */
    unsigned seed; /* for them; 0: 1 */
    /* residuals beyond this many of their deviations count linearly (Huber), so that outliers do
     * not decide; 0: squares */
    double huber;
    /* "P=MEAN,DEVIATION": what is known of a parameter before; deviations of residuals should be
     * given then */
    const char *const *priors;
    size_t prior_count;
    /* intervals by profile likelihood, too: where the best fit with one parameter held is as much
     * worse as the interval's probability asks */
    bool profile;
} AcausalFit;

typedef struct {
    size_t size; /* of the structure */
    const char *name;
    /* standard deviation, 95 % interval; NAN with an objective */
    double start, value, deviation, low, high;
    /* its share in the direction that the data tell least about, of scaled parameters */
    double weakest;
    /* the singular values of the scaled sensitivity matrix, falling: one a row, no matter which */
    double singular;
    bool at_bound;
    /* with `profile`; infinite where no value is excluded, NAN without */
    double profile_low, profile_high;
} AcausalFitParameter;

typedef struct {
    size_t size; /* of the structure */
    const AcausalFitParameter *const *parameters;
    const double *correlation; /* count x count */
    size_t count, measured;    /* of parameters; of values that were measured */
    /* of squares; standard deviation of a residual. The objective is in `sum` */
    double sum, noise;
    bool converged;
    int iterations, evaluations;
    double cpu_seconds;
    /* measured, fitted and residual at the times of the data, first experiment; the caller frees
     * it */
    AcausalResult *result;
    const char *message;
} AcausalFitReport;

AcausalStatus acausal_fit(AcausalSession *session, const char *source, const char *class_name,
                          const AcausalFit *fit, AcausalFitReport *report);

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* Many runs with other values of parameters, on several threads. */
typedef struct {
    size_t size; /* of the structure */
    const AcausalSimulation *run;
    /* "p=1,2,5", "p=from:to:count" or, with samples, "p=from:to". Without samples all combinations
     * are run. */
    const char *const *vary;
    size_t vary_count;
    size_t samples; /* > 0: that many points of a Latin hypercube over the ranges */
    unsigned seed;  /* 0: 1 */
    /* variables whose values at the end, least and largest values are wanted */
    const char *const *of;
    size_t of_count;
    unsigned threads; /* 0: one a processor */
} AcausalSweep;

typedef struct {
    size_t size;                          /* of the structure */
    size_t run, runs;                     /* number of this one, of all */
    const double *parameters;             /* vary_count */
    const double *last, *least, *largest; /* of_count; NAN where the run failed */
    double t;                             /* how far it came */
    double cpu_seconds;
    const char *message; /* why it failed; "" if it did not */
} AcausalSweepRow;

/* Rows come in the order of the runs, when all are done. ACAUSAL_FAILED: some runs failed; all
 * others are there. */
AcausalStatus acausal_sweep(AcausalSession *session, const char *source, const char *class_name,
                            const AcausalSweep *sweep, void (*row)(void *arg, const AcausalSweepRow *row),
                            void *arg);

/* ---- studies: many runs into one file -------------------------------------------------------- */

/* Which runs a study is made of. Its file is an SQLite database with a row a run. */
typedef struct {
    size_t size; /* of the structure */
    const AcausalSimulation *run;
    /* "p=1,2,5", "p=FROM:TO:COUNT", "p=FROM:TO", "p=normal(0, 1)"; structural parameters too, which
     * take values of a list */
    const char *const *vary;
    size_t vary_count;
    /* "grid", "lhs", "sobol", "random", "morris", "saltelli", "table"; NULL: grid, or lhs with
     * samples */
    const char *design;
    size_t samples;               /* points; trajectories of morris; rows of saltelli */
    unsigned seed;                /* 0: 1 */
    const char *table;            /* a CSV file: names, then a row of values a run; instead of vary */
    const char *const *correlate; /* "A,B=0.5": of two that are varied, of their normal scores */
    size_t correlate_count;
    /* variables or expressions at the end; min(x), max(x), mean(x), integral(x), when(x > 1) (its
     * first time), count(x > 1), curve(x) */
    const char *const *of;
    size_t of_count;
    size_t rows; /* of curves, less one; 0: 100 */
} AcausalStudy;

/* How far a study is. */
typedef struct {
    size_t size;                        /* of the structure */
    size_t done, failed, total;         /* runs of this file */
    size_t shard, shards;               /* 1 of 1: all */
    double runs_a_second, seconds_left; /* while it runs; NAN: unknown */
    const char *message;                /* the first run that failed and why; "": none */
    const char *settings;               /* JSON; lives as long as the session */
} AcausalStudyStatus;

typedef struct {
    size_t size;          /* of the structure */
    unsigned threads;     /* 0: one a processor */
    size_t shard, shards; /* every so manieth run, the first is 1; 0, 0: as the file says, or all */
    bool retry;           /* runs that failed are run again */
    const volatile sig_atomic_t *interrupt;
    void (*progress)(void *arg, const AcausalStudyStatus *status); /* some times a second; may be NULL */
    void *progress_arg;
} AcausalStudyWork;

/* Translates the model, checks all settings, and makes the file at `path`, without runs. */
AcausalStatus acausal_study_new(AcausalSession *session, const char *source, const char *class_name,
                                const AcausalStudy *study, const char *path);
/* The same from a .toml or .json file; path NULL: as it says. *made is where; it lives as long as
 * the session. */
AcausalStatus acausal_study_from_file(AcausalSession *session, const char *file, const char *path,
                                      const char **made);
/* Runs what is not there yet. Runs that fail are rows. ACAUSAL_WRONG: the model changed, which is
 * told, or the file cannot be written. ACAUSAL_FAILED: interrupted; all finished runs are there. */
AcausalStatus acausal_study_run(AcausalSession *session, const char *path, const AcausalStudyWork *work);
AcausalStatus acausal_study_status(AcausalSession *session, const char *path, AcausalStudyStatus *status);
/* Puts runs of the same study together, in a new file or one that is there. */
AcausalStatus acausal_study_merge(AcausalSession *session, const char *path, const char *const *parts,
                                  size_t n);
/* What the runs of a study say: all zeros are the defaults. */
typedef struct {
    size_t size;       /* of the structure */
    double confidence; /* of intervals; 0: 0.95 */
    size_t resamples;  /* of the bootstrap; 0: 400 */
    int degree;        /* of polynomials; 0: what fits best, up to 5 */
    const char *page;  /* a file for a page of HTML; NULL: none */
} AcausalStudyAnalysis;

/* Writes means, deviations and quantiles with intervals; by the design, indices of Sobol
 * (saltelli) or elementary effects (morris); and of samples a polynomial chaos surrogate with its
 * error on runs that it was not made from, and its indices. As ACAUSAL_TEXT or ACAUSAL_JSON. Runs
 * that failed are left out, and counted. */
AcausalStatus acausal_study_analyze(AcausalSession *session, const char *path,
                                    const AcausalStudyAnalysis *options, AcausalFormat format,
                                    AcausalWrite write, void *arg);
/* Writes a .csv file: a row a run, curves in columns NAME@TIME. */
AcausalStatus acausal_study_export(AcausalSession *session, const char *path, const char *to);

/* What an FMU holds, as ACAUSAL_TEXT or ACAUSAL_JSON. */
AcausalStatus acausal_fmu_info(AcausalSession *session, const char *path, AcausalFormat format,
                               AcausalWrite write, void *arg);
/* Whether an FMU follows the standard; each broken rule is a diagnostic. */
AcausalStatus acausal_fmu_validate(AcausalSession *session, const char *path);

/* How a model becomes an FMU. acausal_export_options gives the defaults: FMI 2.0, both kinds, a
 * binary for this machine. */
typedef struct {
    size_t size; /* of the structure */
    int fmi;     /* 2 or 3 */
    bool model_exchange, co_simulation;
    bool sources;           /* put the C sources into it, too */
    bool binary;            /* made by the system's C compiler: $CC, or cc */
    const char *solver;     /* of co-simulation: dopri5, radau5 or euler-li; NULL: chosen */
    const char *const *set; /* "NAME=VALUE": fixed in the FMU */
    size_t set_count;
} AcausalExport;

typedef struct {
    size_t size; /* of the structure */
    size_t variables, states, inputs, outputs, tables;
    size_t bytes, binary_bytes, c_bytes; /* of the FMU, of its binary, of the C text of the model */
    double translate_seconds, describe_seconds, compile_seconds, pack_seconds;
    const char *identifier, *solver; /* kept by the session */
} AcausalExportReport;

void acausal_export_init(AcausalExport *options, size_t size);
static inline AcausalExport acausal_export_options(void)
{
    AcausalExport options;
    acausal_export_init(&options, sizeof options);
    return options;
}
/* Writes the FMU to `path`: all of it, or nothing. */
AcausalStatus acausal_export(AcausalSession *session, const char *source, const char *class_name,
                             const char *path, const AcausalExport *options, AcausalExportReport *report);

/* What a pass made of a model: "ast", "flat", "system" (variables and equations), "blt" (states,
 * blocks, tearing, relations), "ir" or "c". ACAUSAL_USAGE: there is no such pass. */
AcausalStatus acausal_dump(AcausalSession *session, const char *source, const char *class_name,
                           const char *pass, AcausalWrite write, void *arg);

/* The structure of a model: index, states and why they were chosen, blocks, tearing, sparsity,
 * relations, code; as ACAUSAL_TEXT, ACAUSAL_JSON, or, which nothing else takes, ACAUSAL_HTML: a
 * page with blocks, index reduction, partitions by events and clocks, incidence. If `svg_directory`
 * is not NULL, pictures of it are written there: incidence.svg, sorted.svg, blocks.svg. */
AcausalStatus acausal_analyze(AcausalSession *session, const char *source, const char *class_name,
                              AcausalFormat format, const char *svg_directory, AcausalWrite write, void *arg);

/* Difference Jacobians against the model's own, or an extrapolated one: increments and errors of
 * every rule at points of a run, and what they do to runs. */
typedef struct {
    size_t size; /* of the structure */
    /* its points are looked at, 20 unless it says so; its time limit holds for each run, 10 seconds
     * unless it says so */
    const AcausalSimulation *simulation;
    const char *const *solvers; /* for the comparison of runs; NULL: some stiff ones */
    size_t solver_count;        /* with solvers, 0: none */
    long max_steps;             /* of a run; 0: 200,000 */
    const char *csv;            /* a file: one row a point, state and rule; NULL: none */
    const char *svg_directory;  /* for ratio.svg and steps-SOLVER.svg; NULL: none */
} AcausalJacobian;

AcausalStatus acausal_jacobian(AcausalSession *session, const char *source, const char *class_name,
                               const AcausalJacobian *options, AcausalFormat format, AcausalWrite write,
                               void *arg);

/* ---- real time ------------------------------------------------------------------------------- */

/* Steps of a known cost: the linearly implicit Euler method with a Jacobian of which only what
 * stability and accuracy need is kept. acausal_realtime_options gives the defaults. */
typedef struct {
    size_t size; /* of the structure */
    double step; /* seconds; has to be given */
    /* the scenario of the analysis; NAN: as the model's experiment annotation says */
    double start, stop;
    /* blocks are not solved inside of f: L x' = f(x, t) with algebraic unknowns */
    bool dae;
    int order;     /* 1; 2 and 3 by extrapolation */
    double margin; /* how far inside of the unit circle the eigenvalues of a step shall stay */
    double error;  /* the largest error accepted, as a share of each watched state's range */
    /* a pattern with * and ?: the states that `error` is for; NULL: outputs, or all */
    const char *watch;
    int tries;        /* choices of entries that are tried one by one after the curve; 0: none */
    bool full;        /* keep all entries */
    bool measure;     /* how long steps take, this way and by LAPACK and KLU */
    const char *svg;  /* a directory for pictures; NULL: none */
    const char *code; /* a directory for the stepper as C; NULL: none */
    const char *fmu;  /* a file for it as a co-simulation FMU with a fixed step; NULL: none */
    /* the run against the clock */
    double run;          /* seconds; 0: none */
    double deadline;     /* seconds for a step; NAN: the step itself */
    bool priority;       /* SCHED_FIFO and locked memory, where permitted */
    int cpu;             /* -1: any */
    const char *overrun; /* "catch-up", "skip" or "stop" */
    /* "udp:HOST:PORT[:LOCAL]" or "shm:/NAME" for inputs and outputs; NULL: none */
    const char *channel;
    /* a pattern: what is sent; NULL: the model's outputs, or else its states */
    const char *outputs;
    const char *log;                          /* a CSV file with a line a step; NULL: none */
    const volatile sig_atomic_t *interrupt;   /* not 0: stop; may be NULL */
    void (*say)(void *arg, const char *line); /* progress; may be NULL */
    void *say_arg;
} AcausalRealtime;

void acausal_realtime_init(AcausalRealtime *options, size_t size);
static inline AcausalRealtime acausal_realtime_options(void)
{
    AcausalRealtime options;
    acausal_realtime_init(&options, sizeof options);
    return options;
}
/* Analyses the model and, if asked for, runs it; writes a report as ACAUSAL_TEXT or
 * ACAUSAL_JSON. */
AcausalStatus acausal_realtime(AcausalSession *session, const char *source, const char *class_name,
                               const AcausalRealtime *options, AcausalFormat format, AcausalWrite write,
                               void *arg);
/* The other end of a channel, for tests: answers each record of outputs with its first values as
 * inputs, for some seconds; *records says how many came. */
AcausalStatus acausal_realtime_peer(AcausalSession *session, const char *channel, double seconds,
                                    long *records);

/* ---- results: read, draw, compare ------------------------------------------------------------ */

/* An AcausalResult is in memory, from a run, from a CSV file or a MAT file of the kind that Dymola
 * and OpenModelica write. */
AcausalResult *acausal_result_read(AcausalSession *session, const char *path);
void acausal_result_free(AcausalResult *result);
/* What a result or the store of a study is and how it came to be, as ACAUSAL_TEXT or ACAUSAL_JSON.
 * A run with `output` leaves that beside its result, in OUTPUT.info.json. */
AcausalStatus acausal_result_info(AcausalSession *session, const char *path, AcausalFormat format,
                                  AcausalWrite write, void *arg);
size_t acausal_result_rows(const AcausalResult *result);
size_t acausal_result_count(const AcausalResult *result); /* of signals, time not among them */
/* the file ended inside a row, which was left out */
bool acausal_result_is_cut(const AcausalResult *result);
/* False: there are fewer. */
bool acausal_result_signal(const AcausalResult *result, size_t i, AcausalSignal *signal);
/* Writes a .csv, .csv.gz or .mat file. */
AcausalStatus acausal_result_write(AcausalSession *session, const AcausalResult *result, const char *path);
/* Copies all rows of a signal, or of "time". False if there is no such signal. */
bool acausal_result_values(const AcausalResult *result, const char *name, double *values);
/* Where the values are: row i is *sign * view[i * *stride]; a stride of 0: constant. As long as the
 * result. NULL if there is no such signal. */
const double *acausal_result_view(const AcausalResult *result, const char *name, size_t *stride,
                                  double *sign);

typedef struct {
    size_t size;     /* of the structure */
    double value;    /* half height of the tube, as a share of a signal's range */
    double time;     /* half width of the tube, as a share of the span */
    double absolute; /* differences up to this are none */
} AcausalCompareOptions;

typedef enum { ACAUSAL_PANEL_UNIT, ACAUSAL_PANEL_ONE, ACAUSAL_PANEL_EACH } AcausalPanels;

/* What is drawn, and how. All zeros but for names is a plot over time. */
typedef struct {
    size_t size;              /* of the structure */
    const char *const *names; /* with * and ? as wildcards; "/" begins a new panel */
    size_t count;
    const char *x;     /* the horizontal axis; NULL: time */
    const char *title; /* may be NULL */
    int width, height; /* pixels; characters for a terminal; 0: usual */
    bool dark, colour; /* a dark background; colours in a terminal */
    double scale;      /* pixels of a PNG for one of the width; 0: 2 */
    /* without "/": a panel for each unit, for all, or for each signal */
    AcausalPanels panels;
    bool log_x, log_y, events; /* events: marks where they are */
    /* drawn with dashes, with the tube around the first; NULL: none */
    const AcausalResult *other;
    const AcausalCompareOptions *tube; /* NULL: as acausal_compare_options */
} AcausalPlot;

/* ACAUSAL_WRONG: a name fits no signal, or a PNG, which needs the cairo library when it is asked
 * for, cannot be made here. */
AcausalStatus acausal_plot(AcausalSession *session, const AcausalResult *result, const AcausalPlot *plot,
                           AcausalPicture as, AcausalWrite write, void *arg);

typedef struct {
    size_t size; /* of the structure */
    const char *name;
    const char *verdict; /* "same", "different", "noise" (verify), "only in A", "only in B" */
    /* the largest distance from the other's values within the tube's width, over the range */
    double deviation;
    double excess;  /* the same over the tube's half height, if above 1; else 0 */
    double t, a, b; /* where that is, and the values there */
    size_t outside; /* points outside of the tube */
    /* largest less least value; of both but for those in one result only */
    double range_a, range_b;
} AcausalSignalReport;

typedef struct {
    size_t size; /* of the structure */
    bool same;
    size_t signals_same, signals_different, only_a, only_b;
    bool spans_differ;
    double a_from, a_to, b_from, b_to;
} AcausalCompareReport;

void acausal_compare_init(AcausalCompareOptions *options, size_t size);
static inline AcausalCompareOptions acausal_compare_options(void)
{
    AcausalCompareOptions options;
    acausal_compare_init(&options, sizeof options);
    return options;
}
/* Whether each signal stays in the tube around its namesake. `row` gets one report a signal and may
 * be NULL. */
AcausalStatus acausal_compare(AcausalSession *session, const AcausalResult *a, const AcausalResult *b,
                              const AcausalCompareOptions *options,
                              void (*row)(void *arg, const AcausalSignalReport *report), void *arg,
                              AcausalCompareReport *report);

/* ---- verification ---------------------------------------------------------------------------- */

/* Is a run right? It is held against a second one by another family of integrators at a finer
 * tolerance, or against a file. Both runs share equations and code: what is judged is how they
 * were integrated. */
typedef struct {
    size_t size;                  /* of the structure */
    const AcausalSimulation *run; /* what is judged */
    /* a result to hold it against instead of a second run; NULL: none */
    const char *reference;
    /* of the second run; NULL: of another family than the first one's */
    const char *solver;
    double tolerance; /* of the second run; 0: a hundredth of the first one's */
    /* NULL, or NAN in it: 10 times the tolerance, at least 1e-3; 1e-4; tolerance / 100 */
    const AcausalCompareOptions *tube;
} AcausalVerify;

typedef struct {
    size_t size; /* of the structure */
    /* "verified"; "verified but for noise": signals that fine runs do not agree on either, at most
     * a tenth; "undetermined": more than that; "different"; "first run failed"; "no second run";
     * "no reference" */
    const char *verdict;
    /* a line for people; these texts live as long as the session */
    const char *message;
    const char *first_solver, *second_solver; /* the latter "" with a reference */
    double first_tolerance, second_tolerance, seconds[2];
    long events;                         /* of the first run */
    const AcausalCompareOptions *tube;   /* as used */
    const AcausalCompareReport *compare; /* A: the first run; signals_different without noise */
    size_t noise;                        /* signals that only noise tells apart */
    const char *worst;                   /* the signal that differs most; "" if there is none */
    double deviation;                    /* its, as in AcausalSignalReport */
    /* the run, and what it was held against; the caller frees both */
    AcausalResult *result, *other;
} AcausalVerifyReport;

/* ACAUSAL_DONE: verified, perhaps but for noise. ACAUSAL_WRONG: not, or the reference cannot be
 * read. ACAUSAL_FAILED: a run failed. `row` gets one report a signal, with "noise" as a further
 * verdict, and may be NULL. */
AcausalStatus acausal_verify(AcausalModel *model, const AcausalVerify *verify,
                             void (*row)(void *arg, const AcausalSignalReport *report), void *arg,
                             AcausalVerifyReport *report);

/* ---- all models of a library ----------------------------------------------------------------- */

typedef struct {
    size_t size;         /* of the structure */
    const char *library; /* its name, or its directory */
    const char *filter;  /* a regular expression for names of models; NULL: all with an experiment */
    /* a directory of reference results: for a model A.B.C A/B/C/C.csv, A_B_C.txt or A.B.C.csv;
     * NULL: those that the library brings along */
    const char *reference;
    bool verify;             /* where there is no reference: a second run, as acausal_verify makes it */
    bool only_check;         /* run nothing */
    unsigned jobs;           /* models at a time */
    double time_limit;       /* seconds of wall time for each; 0: none */
    double tube;             /* as AcausalCompareOptions.value; 0: 0.01 with references */
    const char *const *done; /* models to leave out: an earlier call had them */
    size_t done_count;
    const volatile sig_atomic_t *interrupt;  /* not 0: stop; may be NULL */
    void (*begin)(void *arg, size_t models); /* how many there will be; may be NULL */
    void *begin_arg;
} AcausalTest;

typedef struct {
    size_t size; /* of the structure */
    const char *class_name;
    /* "passes", "runs" (nothing to hold it against), "checks" (only_check), "differs", "fails",
     * "not translated", "too slow", "crashes", "no reference" (it cannot be read) */
    const char *verdict;
    const char *message; /* why; "" where all is well */
    const char *worst;   /* the signal that differs most; "" */
    double deviation;    /* its, as in AcausalSignalReport; NAN */
    double translate_seconds, run_seconds, cpu_seconds;
} AcausalTestRow;

typedef struct {
    size_t size; /* of the structure */
    size_t models, checked, run, passed, different, failed;
} AcausalTestReport;

/* Translates and runs each model in a process of its own, and gives a row when it is done.
 * ACAUSAL_WRONG: some model differs or fails, or there is no such library. The caller should have
 * no other threads. */
AcausalStatus acausal_test(AcausalSession *session, const AcausalTest *test,
                           void (*row)(void *arg, const AcausalTestRow *row), void *arg,
                           AcausalTestReport *report);

/* ---- pages for browsers ---------------------------------------------------------------------- */

/* What a report shows. All but `result` may be NULL. */
typedef struct {
    size_t size; /* of the structure */
    const AcausalResult *result;
    const AcausalResult *steps;  /* of AcausalSimulationReport */
    const char *title, *file;    /* file: where the result is from */
    const char *stats, *message; /* of AcausalSimulationReport */
    AcausalModel *model;         /* for its structure, and the diagnostics of its session */
} AcausalReport;

/* One page of HTML that works without anything else: curves to zoom into, the run, structure,
 * events, warnings. */
AcausalStatus acausal_report(AcausalSession *session, const AcausalReport *report, AcausalWrite write,
                             void *arg);

/* ---- isolation: foreign code in a process of its own ----------------------------------------- */

/* What a child may do. Beside this it reads what programs of the system are made of, and has a
 * temporary directory; it has no network, sees no other process, and dies with its parent. */
typedef struct {
    size_t size;                 /* of the structure */
    const char *const *readable; /* files, and directories with all below them; NULLs are skipped */
    size_t readable_count;
    const char *const *writable; /* files, which are made if need be */
    size_t writable_count;
    double silence;                         /* ended when it says nothing for so long; 0: never */
    double cpu_seconds;                     /* 0: no limit */
    size_t memory_bytes;                    /* 0: three quarters of the machine's */
    bool strict;                            /* rather nothing than without a layer of isolation */
    const volatile sig_atomic_t *interrupt; /* not 0: end; may be NULL */
} AcausalIsolation;

typedef struct {
    size_t size;       /* of the structure */
    AcausalStatus end; /* what the work returned, or ACAUSAL_FAILED */
    double t;          /* the last time that it told */
    char why[300];     /* what went wrong with the process; "": nothing */
    char missing[300]; /* layers that the kernel did not give; "": all are there */
} AcausalIsolationReport;

typedef struct AcausalPulse AcausalPulse;

/* Runs `work` in a child and waits for it. The caller should have no other threads: a child has
 * only the one that made it. */
AcausalStatus acausal_isolate(AcausalSession *session, const AcausalIsolation *isolation,
                              AcausalStatus (*work)(void *arg, const AcausalPulse *pulse), void *arg,
                              AcausalIsolationReport *report);
/* From within: the work is alive, and has come to time t. */
void acausal_pulse(const AcausalPulse *pulse, double t);
/* Whether a source is text of Modelica: a .mo file. */
bool acausal_is_model_text(const char *source);

/* The studio: serves pages to browsers of this machine until `interrupt` is not 0. */
typedef struct {
    size_t size; /* of the structure */
    /* or a source in it, which is opened first; NULL: the present one */
    const char *directory;
    const char *class_name; /* of that source; may be NULL */
    /* lists of directories with colons between them, as MODELICAPATH */
    const char *const *libraries;
    size_t library_count;
    /* libraries and files whose foreign code may run, beside those trusted for good */
    const char *const *trusted;
    size_t trusted_count;
    unsigned port;  /* 0: a free one */
    bool read_only; /* no source is changed */
    const volatile sig_atomic_t *interrupt;
    void (*ready)(void *arg, const char *address); /* the address to open, with its token */
    void *ready_arg;
} AcausalServe;

AcausalStatus acausal_serve(AcausalSession *session, const AcausalServe *serve);

/* ---- problems of the caller ------------------------------------------------------------------ */

/* Equations that the caller computes: L y' = f(t, y) or 0 = F(t, y, y'), for all integrators. A
 * function returns 0: computed; 1: not defined here, try a smaller step; anything else: give up.
 * Values of Jacobians come column by column: all n x n, or those of the pattern. */
typedef struct {
    size_t size;      /* of the structure */
    size_t n;         /* unknowns */
    double t0, t_end; /* t_end gives direction and scale; t0 or infinite: open */
    /* yp0, of residuals: y' at t0; NULL: zeros. Both are made consistent. Copied */
    const double *y0, *yp0;
    void *arg; /* of all functions */
    int (*f)(void *arg, double t, const double *y, double *f);
    int (*residual)(void *arg, double t, const double *y, const double *yp, double *r); /* instead of f */
    int (*jacobian)(void *arg, double t, const double *y, double *values); /* df/dy; NULL: differences */
    /* dF/dy + c dF/dy'; NULL: differences */
    int (*residual_jacobian)(void *arg, double t, const double *y, const double *yp, double c,
                             double *values);
    /* of Jacobians, compressed columns: n + 1 starts, rows ascending in each; NULL: full */
    const int *pattern_start, *pattern_row;
    /* L by columns of its pattern, or its diagonal; NULL: the identity */
    const double *mass;
    const int *mass_start, *mass_row;
    /* n: index of each unknown, 1, 2 or 3; NULL: 1 */
    const unsigned char *index;
    size_t indicators; /* events are where one of these changes its sign */
    int (*indicate)(void *arg, double t, const double *y, double *g);
    const signed char *directions; /* +1: only rising, -1: only falling, 0: both; NULL: both */
    const long *terminal;          /* a run ends at so manieth event of each; 0: at none; NULL: none */
    /* Derivatives of y in these are integrated along: n more values for each of them in all rows.
     * The functions read them here; the library moves them and puts them back. */
    double *parameters;
    size_t parameter_count;
    /* n x parameter_count, by columns; NULL: differences */
    int (*parameter_jacobian)(void *arg, double t, const double *y, double *values);
    const double *slopes0; /* dy0/dp, n for each; NULL: zeros */
    /* NULL, or places for y, y', the result, values of Jacobians, and indicators: functions read
     * and write there and not what they are given, for languages in which arrays cost. They are
     * read anew at each call. */
    double *const *places;
    const char *solver;         /* NULL: auto */
    const char *tableau;        /* text of a Butcher tableau instead; NULL: none */
    double rtol, atol;          /* 0: 1e-6; rtol */
    const double *atol_each;    /* n, instead of atol; NULL: none */
    const char *const *options; /* "KEY=VALUE": max-step, initial-step, max-order, ... */
    size_t option_count;
    bool between; /* values between steps shall be as good as at their ends */
} AcausalProblem;

typedef struct AcausalIntegrator AcausalIntegrator;

/* Copies all but the parameters and what functions use. NULL: what is wrong is in the session's
 * diagnostics. It ends before its session. */
AcausalIntegrator *acausal_integrator_new(AcausalSession *session, const AcausalProblem *problem);
void acausal_integrator_free(AcausalIntegrator *integrator);

typedef struct {
    size_t size;         /* of the structure */
    double until;        /* in either direction of time */
    const double *times; /* in that direction: rows are wanted at these, instead of at steps */
    size_t time_count;   /* 0 with times: no rows */
    bool pieces;         /* keep the solution between rows, too */
    long steps;          /* come back after so many; 0: no limit */
    const volatile sig_atomic_t *interrupt;            /* not 0: come back; may be NULL */
    int (*step)(void *arg, double t, const double *y); /* a step; not 0: come back; may be NULL */
    void (*progress)(void *arg, double t);             /* ten times a second; may be NULL */
    void *arg;                                         /* of step and progress */
} AcausalAdvance;

typedef enum {
    ACAUSAL_AT_LIMIT,    /* `until` is reached */
    ACAUSAL_AT_EVENT,    /* a terminal one, the last of `events` */
    ACAUSAL_AT_STEP,     /* after the steps asked for */
    ACAUSAL_INTERRUPTED, /* by interrupt or step */
    ACAUSAL_BROKEN_OFF   /* `message` says why */
} AcausalEnd;

/* What a call computed; it belongs to the integrator until the next one. Between times
 * piece_times[k] and [k + 1] the solution is the polynomial through piece_nodes[k] rows at
 * Chebyshev points of the second kind, (1 - cos(pi i / (nodes - 1))) / 2 of the way. */
typedef struct {
    size_t size; /* of the structure */
    AcausalEnd end;
    double t;
    const double *y; /* n, or with parameters n (parameter_count + 1), as all rows here */
    size_t width, rows;
    const double *times, *values;
    size_t events;
    const double *event_times, *event_values;
    const int *event_of; /* which indicator */
    size_t pieces;
    const double *piece_times, *piece_values;
    const int *piece_nodes;
    const char *message;
} AcausalPath;

AcausalStatus acausal_integrator_run(AcausalIntegrator *integrator, const AcausalAdvance *advance,
                                     AcausalPath *path);
/* All values of a row at t, inside of the last step. */
void acausal_integrator_interpolate(const AcausalIntegrator *integrator, double t, double *y);
/* Goes on from (t, y); yp of residuals, or NULL. jump: y or f may be others; else only f. */
AcausalStatus acausal_integrator_restart(AcausalIntegrator *integrator, double t, const double *y,
                                         const double *yp, bool jump);

typedef struct {
    size_t size; /* of the structure */
    long steps, rejected, f, f_jacobian, jacobians, factors, solves, newton, indicators, events, restarts;
    double first_step, last_step, least_step, most_step;
    int order_last, order_most;
    const char *solver, *choice, *warning; /* "" if there is nothing to say */
} AcausalWork;

void acausal_integrator_work(AcausalIntegrator *integrator, AcausalWork *work);

/* ---- integrators ----------------------------------------------------------------------------- */

typedef struct {
    size_t size; /* of the structure */
    const char *name, *family, *summary, *reference;
    int order, order_most; /* most: of methods that vary it */
    int dense_order;
    char properties[240]; /* "stiff, A-stable, ..." */
    const char *lacks;    /* "" or, of a method of another library, what it cannot do here */
} AcausalSolverInfo;

size_t acausal_solver_count(void);
/* False: there are fewer. */
bool acausal_solver_info(size_t i, AcausalSolverInfo *info);

/* Where a method is stable: what it makes of y' = lambda y with steps h, over z = h lambda. */
typedef struct {
    size_t size;        /* of the structure */
    const char *solver; /* its name, or a file with a Butcher tableau */
    int order;          /* of linear multistep methods; 0: all that it has */
} AcausalStability;

/* Draws that, and the order star of one-step methods, as ACAUSAL_SVG or ACAUSAL_PNG:
 *     AcausalStability what = { .size = sizeof what, .solver = "radau5" };
 *     acausal_draw_stability(session, &what, ACAUSAL_SVG, write, file);
 * ACAUSAL_WRONG: there is no such method, or it is one that changes between others. */
AcausalStatus acausal_draw_stability(AcausalSession *session, const AcausalStability *what, AcausalPicture as,
                                     AcausalWrite write, void *arg);

#ifdef __cplusplus
}
#endif

#endif
