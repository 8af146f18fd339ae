/* inside.h: what the files of the api room share. */
#ifndef ACAUSAL_API_INSIDE_H
#define ACAUSAL_API_INSIDE_H

#include "acausal.h"

#include "couple/couple.h"
#include "explain/explain.h"
#include "export/export.h"
#include "fmi/fmi.h"
#include "gen/gen.h"
#include "realtime/realtime.h"
#include "sema/describe.h"
#include "sens/sens.h"
#include "sim/sim.h"
#include "solve/audit.h"
#include "study/study.h"
#include "syntax/syntax.h"
#include "trust/trust.h"

#include <stdio.h>

struct AcausalSession {
    Arena *arena;
    Names *names;
    Sources *sources;
    Libraries *libraries;
    Diag diag;
    VEC(const char *) set;     /* NAME=VALUE, for all models */
    VEC(const char *) named;   /* library paths that the user named: their code may run */
    unsigned set_classes;      /* how many classes were made for values */
    VEC(const Class *) driven; /* classes that were made so that inputs follow tables */
    bool switches[ACAUSAL_BASE_MODELICA + 1];
    Permit permit;   /* whose foreign code may run */
    bool only_looks; /* what is translated is not run */
};

AcausalStatus session_status(const AcausalSession *session);
/* trust.c: whose foreign code may run for a class of the source, from here on: where it is only
 * looked at, none that is not trusted. */
void session_permit(AcausalSession *session, const Class *cls);
/* The class that a user means by a source and, perhaps, a name. NULL after an error. */
Class *session_find_class(AcausalSession *session, const char *source, const char *class_name);
/* The same, whatever else is wrong in its file. */
Class *session_open_class(AcausalSession *session, const char *source, const char *class_name);
/* With the session's values and these. NULL after an error. */
Flat *session_flatten(AcausalSession *session, Arena *arena, Class *cls, const char *const *set, size_t n);

/* describe.c: `look` at a class, or at a component of it if that is not NULL, with all that was
 * understood of it. ACAUSAL_WRONG: it is not there, something is wrong in it, or `look` says so. */
AcausalStatus session_look(AcausalSession *session, const char *source, const char *class_name,
                           const char *component, bool (*look)(void *arg, Describer *d, Described *of),
                           void *arg);

/* set.c */
/* The class with values given by name, as a class of its own; `flat` is the model without them.
 * NULL after an error. */
Class *class_with_values(AcausalSession *session, const Class *cls, const Flat *flat, const char *const *set,
                         size_t n);
/* Of n values, those that can only be given when the model is built, to the front of `set`; returns
 * how many. */
size_t take_structural(const Flat *flat, const char **set, size_t n);
/* Reports what is wrong with what a user asked for. Always false. */
bool wrong(AcausalSession *session, Code code, const char *format, ...) PRINTF_LIKE(3, 4);
/* Where something ended and no error says why: memory was out. */
void tell_memory(AcausalSession *session);
/* A file in a directory, which is made where there is none. False after an error. */
bool write_into(AcausalSession *session, const char *directory, const char *name, const Text *text);
/* The same for a name that is not there, with the nearest one that is, or NULL. */
bool unknown(AcausalSession *session, const char *what, const char *name, const char *near);
bool read_value(const char *text, double *value); /* a number, true or false */

/* translate.c: a model on its way; each stage lives as long as the one made from it. */
typedef struct {
    Arena *arena;
    Class *cls;
    Flat *flat;
    System *system;
    Compiled *compiled;
    Model *model;
    double load, flatten, structure, code; /* seconds */
} Translation;

/* False after an error; all stages up to it are there. Free it in any case. */
bool translate_class(AcausalSession *session, Class *cls, const char *const *set, size_t n, Translation *t);
bool translate(AcausalSession *session, const char *source, const char *class_name, const char *const *set,
               size_t n, Translation *t);
void translation_free(Translation *t);

/* model.c: what is translated or opened once and run many times. What its last run reports lives in
 * `texts` until the next run. */
struct AcausalModel {
    AcausalSession *session;
    const char *source, *class_name; /* as the user gave them */
    Class *cls;                      /* or made for a purpose; else NULL */
    const Class *suggests;           /* whose experiment counts; NULL: its own */
    Translation t;                   /* of Modelica */
    /* the values that it was built with, one a line; "" for none */
    char *built_with;
    Fmu *fmu;                                        /* NULL for Modelica */
    Couple *couple;                                  /* several FMUs; NULL for everything else */
    Model *model;                                    /* the present instance */
    void (*visit)(void *arg, const SimPoint *point); /* for the next runs; NULL: none */
    void *visit_arg;
    bool picks_form; /* while a run of its own begins: the form is chosen by structure */
    /* is shown the next instances before they run, and what comes of it; NULL: nobody */
    void (*watch)(void *arg, Model *model, SimOptions *options);
    void (*watched)(void *arg, const SimReport *report);
    void *watch_arg;
    /* is told of each Jacobian by differences of the next runs; NULL: nobody */
    void (*made)(void *arg, Model *model, const SolverOptions *options, const JacobianMade *made);
    void *made_arg;
    SimStats last; /* what the last run did */
    SimEnd last_end;
    void (*say)(void *arg, const char *line); /* of the run under way; may be NULL */
    void *say_arg;
    Arena *texts;
    ArenaMark empty; /* of texts */
    /* what was made of it for acausal_gradient, and for what; NULL: nothing yet */
    struct AcausalModel *derived;
    char *derived_for;
    unsigned long instances; /* how many there were */
};

typedef struct {
    double start, stop, tolerance, interval; /* NAN: nothing is said */
} Experiment;

Experiment class_experiment(const Class *cls); /* what its annotation says */
Experiment model_experiment(const AcausalModel *model);
AcausalStatus model_run(AcausalModel *model, const AcausalSimulation *simulation,
                        AcausalSimulationReport *report);
/* Translates anew if those of n values that are structural are others than before; they come
 * to the front of `set`. False after an error. */
bool model_build_for(AcausalModel *model, const char **set, size_t n, size_t *structural);
/* Whether the last option form=... asks for the residual form. */
bool wants_residual_form(const AcausalSimulation *a);
/* After a run: detaches the handlers of messages, since the instance outlives them. */
void model_detach_handlers(AcausalModel *model);
/* A new instance for a run; the one before it ends. False after an error. */
bool is_master_option(const char *text); /* KEY=VALUE for several FMUs, not for an integrator */
bool model_instantiate(AcausalModel *model, const AcausalSimulation *simulation, const SimOptions *options);

/* `run` with the defaults, or what the program gave. */
bool take_simulation(AcausalSession *session, AcausalSimulation *own, const AcausalSimulation *given);
/* structures.c: see "Structures" in acausal.h. All of these leave a diagnostic where they return
 * false; a NULL for `given` leaves the defaults. */
bool is_sized(AcausalSession *session, const void *structure); /* session NULL: none */
bool take_structure(AcausalSession *session, void *own, size_t size, const void *given);
void give_structure(void *to, const void *own, size_t size);
void init_structure(void *to, size_t theirs, const void *own, size_t size);
/* `own`, a variable that holds the defaults, takes what the program gave. */
#define TAKE(session, own, given) take_structure((session), &(own), sizeof(own), (given))
#define GIVE(to, own) give_structure((to), &(own), sizeof(own))

/* checkpoint.c: the state of an FMU in a file. False after an error. */
bool checkpoint_is(const char *path);
bool checkpoint_save(AcausalModel *model, const char *path, double t);
bool checkpoint_load(AcausalModel *model, const char *path, double *t);

/* jacobian.c and jacobian_draw.c: an audit of difference Jacobians on its way. */
typedef struct {
    AcausalSession *session;
    const AcausalJacobian *options;
    AcausalModel *model;
    Arena *arena;
    Audit *audit; /* from the first point on */
    bool failed, has_own;
    int n;
    long points;
    AuditCell *cells;          /* n times the rules: at the last point */
    VEC(double) times, ratios; /* |y|/nominal: n a time */
    FILE *csv;
    double cost; /* of the model's own Jacobian, in right-hand sides; 0: not measured */
    const char *message;
    AcausalStatus status;
} JacobianWork;

typedef struct {
    SolverStats work;
    bool finished;
} JacobianRun;

/* Judges every so manieth Jacobian of runs by differences; for the next runs of a model, or as
 * SolverOptions.made. */
typedef struct {
    Audit *audit; /* from the first one on */
    long every, seen, looked;
} JacobianLook;
void jacobian_look(void *arg, Model *model, const SolverOptions *options, const JacobianMade *made);

/* One run to the end; rule NULL: with the reference. c0: 0 for the rule's own. */
JacobianRun jacobian_run(JacobianWork *work, const char *solver, const IncrementType *rule, double c0);
/* Pictures in options->svg_directory. False after an error. */
bool jacobian_draw(JacobianWork *work);

/* A class that was made for a purpose as a model; NULL after an error. */
AcausalModel *model_of_class(AcausalSession *session, Class *cls);

/* explain.c: its texts live as those of a run. */
ExplainModel explain_model(AcausalModel *model);

/* simulate.c: the parts of a run. */
const ModelVariable *model_find_variable(const Model *model, Str name);
const char *model_nearest_variable(AcausalSession *session, const Model *model, Str name);
bool simulate_options(AcausalModel *model, const AcausalSimulation *simulation, SimOptions *options);
/* An instance of the model with the values of a run, before its initial equations; texts of the
 * last run end. with_products: derivatives, where the model has them. False after an error. */
bool model_begin(AcausalModel *model, const AcausalSimulation *run, bool with_products, SimOptions *options);
AcausalStatus simulate_status(SimEnd end);
/* Also to `extra`, which may be NULL and is freed with the others. */
AcausalStatus simulate_model(AcausalModel *model, const AcausalSimulation *simulation, SimOptions *options,
                             ResultSink *extra, AcausalSimulationReport *report);

/* result.c: gives each signal's report to `row`, which may be NULL, and returns the sums. */
AcausalCompareReport compare_pass(const CompareReport *report,
                                  void (*row)(void *arg, const AcausalSignalReport *report), void *arg);

/* vary.c: a model whose parameters are varied. */
typedef struct {
    int variable;
    double value;
} VarySetting;

typedef struct {
    AcausalModel *m;
    const AcausalSimulation *run;
    SimOptions options;
    VarySetting *set; /* the user's, that need no translation */
    size_t set_count;
    int *wrt; /* what is varied: variables of the model */
    int count;
    double *p;        /* their values by themselves */
    bool is_residual; /* instances are in the residual form */
} Vary;

/* Translates anew where settings ask for it. All of these return false after an error. */
bool vary_open(Vary *vary, AcausalModel *model, const AcausalSimulation *run, bool with_products);
bool vary_in(Vary *vary, const char *const *names, size_t n);
bool vary_find(Vary *vary, const char *const *names, size_t n, bool are_parameters, int *found);
/* Whether inputs from a file can be differentiated past. */
bool vary_inputs(AcausalModel *model, bool has_inputs);
bool vary_setting(Vary *vary, const char *name_and_value, VarySetting *setting);
/* An instance with values p of what is varied (NULL: as it is) and more settings; to be freed with
 * gen_instance_free. May be called by several threads. NULL: `why` says why not. */
Model *vary_instance(Vary *vary, const double *p, const VarySetting *more, size_t n, char *why, size_t room);
bool vary_take(Vary *vary, const double *p); /* the same as the instance of the model */

/* sensitivity.c: of a model that is there; texts live until its next use. */
AcausalStatus differentiate_model(AcausalModel *model, const AcausalSensitivity *what,
                                  AcausalSensitivityReport *report, AcausalSimulationReport *run);

/* A sink that is a function; and one that keeps the last row. */
typedef struct {
    ResultSink sink; /* first */
    void (*row)(void *arg, double t, const double *values);
    void *arg;
} RowSink;

typedef struct {
    double *values;
    size_t n;
} LastRow;

RowSink row_sink(void (*row)(void *arg, double t, const double *values), void *arg);
void keep_row(void *last_row, double t, const double *values);

/* realtime.c: what was found out about a model, as lines or JSON. */
typedef struct {
    AcausalSession *session;
    const Translation *t;
    const AcausalRealtime *options;
    RtScenario *scenario;
    RtSparsing *sparsing;
    const RtPoint *choice;
    RtStepper *stepper;
    RtMeasurement rows[RT_VARIANTS];
    bool has_rows;
    const RtRunReport *run; /* NULL: none */
    double analysis_seconds;
} RealtimeReport;
void realtime_text(const RealtimeReport *report, Text *out);
void realtime_json(const RealtimeReport *report, Text *out);
/* realtime_fmu.c: the stepper, just started, as an FMU file. False after an error. */
bool realtime_fmu(AcausalSession *session, RtStepper *stepper, const char *name, double stop, const char *to);

/* draw.c: pictures of a sorted system as SVG. */
void draw_incidence(const System *system, bool is_sorted, Text *out);
void draw_blocks(const System *system, Text *out);
/* The same for pages that draw by themselves. */
void draw_structure_json(const System *system, const Sources *sources, Text *out);

/* inspect.c: a sink that gives each row to the caller's functions. NULL when memory is out. */
ResultSink *stream_sink(const AcausalSimulation *simulation);

/* analyze.c: what acausal_analyze says of a model that is translated already. */
void analysis_json(AcausalSession *session, const Translation *t, Text *out);

#endif
