/* study.h: a study between its settings and its runs, for the files study*.c of the api room. */
#ifndef ACAUSAL_API_STUDY_H
#define ACAUSAL_API_STUDY_H

#include "api/inside.h"

#include "data/data.h"
#include "store/store.h"

typedef VEC(const char *) Strings;

/* What a study is, as it stands in its store: JSON with the keys of a study file. */
typedef struct {
    const char *source, *class_name, *design, *table, *store;
    const char *table_text; /* content of the table */
    const char *solver, *inputs;
    Strings libraries, set, options; /* "NAME=VALUE" */
    Strings vary, correlate;         /* "NAME=VALUES", "A,B=NUMBER" */
    Strings of;
    double samples, seed, rows, start, stop, tolerance, interval, points, time_limit; /* NAN: not given */
} StudySpec;

/* study_spec.c. False after an error. */
bool spec_from_study(AcausalSession *s, const char *source, const char *class_name, const AcausalStudy *study,
                     StudySpec *spec);
bool spec_from_node(AcausalSession *s, const DataNode *node, StudySpec *spec);
bool spec_from_file(AcausalSession *s, const char *path, StudySpec *spec);
void spec_print(const StudySpec *spec, Text *out); /* as JSON */
/* Reads the table that is named, unless its content is there. */
bool spec_read_table(AcausalSession *s, StudySpec *spec);

typedef enum { OUTPUT_END, OUTPUT_MIN, OUTPUT_MAX, OUTPUT_MEAN, OUTPUT_SINCE, OUTPUT_CURVE } OutputKind;

/* One of `of`: what is done with a variable over a run. */
typedef struct {
    OutputKind kind;
    const char *variable; /* of the model that is run */
    const char *seen;     /* SINCE: whether the event was there; NULL else */
    const char *text;     /* as the user wrote it */
} StudyOutput;

/* The model with one choice of structural values. */
typedef struct StudyVariant {
    struct StudyVariant *next;
    const char *key; /* its structural values; "" if there are none */
    AcausalModel *m;
    Vary vary;
    AcausalSimulation run;
    int *parameters;   /* by parameter of the study; -1: structural */
    int *of, *seen;    /* by output */
    unsigned users;    /* chunks under way */
    unsigned long age; /* when it was used last */
    char why[300];     /* it cannot be translated: why; "" else */
} StudyVariant;

/* A study that can run. */
typedef struct {
    AcausalSession *session;
    Arena *arena;
    StudySpec spec;
    Class *cls; /* with what the outputs need */
    const Class *suggests;
    StudyOutput *outputs;
    size_t output_count, curve_count;
    const char **names; /* of parameters */
    Distribution *each;
    bool *is_structural;
    size_t count;
    bool has_structural;
    Design design;
    double *times; /* of curves */
    size_t time_count;
    ResultTable *inputs; /* that all runs follow; NULL: none */
    StudyVariant *variants;
    unsigned long clock;
} StudyPlan;

/* study_plan.c. False after an error. The plan lives in `arena` and is closed in any case. */
bool plan_open(StudyPlan *plan, AcausalSession *s, Arena *arena, const StudySpec *spec);
/* Its names, distributions and design alone. */
bool plan_open_design(StudyPlan *plan, AcausalSession *s, Arena *arena, const StudySpec *spec);
void plan_close(StudyPlan *plan);
/* The variant for a point; NULL: memory is out. One that cannot be translated says why. */
StudyVariant *plan_variant(StudyPlan *plan, const double *p);
StoreColumn *plan_columns(StudyPlan *plan, size_t *n);
const char *plan_model_text(StudyPlan *plan); /* the flat model of the first run */
/* A digest of names, times and values that the runs follow; NULL: they follow none. */
const char *plan_inputs_digest(StudyPlan *plan);

/* study.c: the settings that a store has. */
bool study_read_spec(AcausalSession *s, Store *store, const char *path, StudySpec *spec);

/* study_run.c: the runs of a shard that are not in the store. */
AcausalStatus study_run_pending(StudyPlan *plan, Store *store, const AcausalStudyWork *work);
/* How many runs shard `shard` of `shards` has. */
uint64_t study_shard_total(uint64_t runs, uint64_t shard, uint64_t shards);

#endif
