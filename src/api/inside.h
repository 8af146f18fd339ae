/* inside.h: what the files of the api room share. */
#ifndef ACAUSAL_API_INSIDE_H
#define ACAUSAL_API_INSIDE_H

#include "acausal.h"

#include "fmi/fmi.h"
#include "gen/gen.h"
#include "realtime/realtime.h"
#include "sim/sim.h"
#include "syntax/syntax.h"

struct AcausalSession {
    Arena *arena;
    Names *names;
    Sources *sources;
    Libraries *libraries;
    Diag diag;
    VEC(const char *) set; /* NAME=VALUE, for all models */
    unsigned set_classes;  /* how many classes were made for values */
    bool no_unit_check, show_frozen;
};

AcausalStatus session_status(const AcausalSession *session);
/* The class that a user means by a source and, perhaps, a name. NULL after an error. */
Class *session_find_class(AcausalSession *session, const char *source, const char *class_name);
/* With the session's values and these. NULL after an error. */
Flat *session_flatten(AcausalSession *session, Arena *arena, Class *cls, const char *const *set, size_t n);

/* set.c */
/* The class with values given by name, as a class of its own; `flat` is the model without them. NULL after an error. */
Class *class_with_values(AcausalSession *session, const Class *cls, const Flat *flat, const char *const *set,
                         size_t n);
/* Of n values, those that can only be given when the model is built, to the front of `set`; returns how many. */
size_t take_structural(const Flat *flat, const char **set, size_t n);
/* Reports what is wrong with what a user asked for. Always false. */
bool wrong(AcausalSession *session, Code code, const char *format, ...) PRINTF_LIKE(3, 4);
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
bool translate(AcausalSession *session, const char *source, const char *class_name, const char *const *set,
               size_t n, Translation *t);
void translation_free(Translation *t);

/* model.c: what is translated or opened once and run many times. What its last run reports lives in `texts` until the
 * next run. */
struct AcausalModel {
    AcausalSession *session;
    const char *source, *class_name; /* as the user gave them */
    Translation t;                   /* of Modelica */
    char *built_with;                /* the values that it was built with, one a line; "" for none */
    Fmu *fmu;                        /* NULL for Modelica */
    bool is_slave;
    Model *model; /* the present instance */
    Arena *texts;
    ArenaMark empty; /* of texts */
};

typedef struct {
    double start, stop, tolerance, interval; /* NAN: nothing is said */
} Experiment;

Experiment class_experiment(const Class *cls);
Experiment model_experiment(const AcausalModel *model);
/* Translates anew if the values that have to be built in are others than before. */
bool model_build_with(AcausalModel *model, const char *const *set, size_t n);
/* A new instance for a run; the one before it ends. False after an error. */
bool model_instantiate(AcausalModel *model, const AcausalSimulation *simulation, const SimOptions *options);

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

/* draw.c: pictures of a sorted system as SVG. */
void draw_incidence(const System *system, bool is_sorted, Text *out);
void draw_blocks(const System *system, Text *out);

#endif
