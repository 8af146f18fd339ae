/* scenario.h: the eigenvalue criterion, and a run offline with what it shows. */
#ifndef ACAUSAL_REALTIME_SCENARIO_H
#define ACAUSAL_REALTIME_SCENARIO_H

#include "gen/gen.h"
#include "linalg/linalg.h"
#include "model/model.h"
#include "result/result.h"

/* ---- criterion.c: what entries of the Jacobian do to the eigenvalues of the discrete evolution */

/* L y' = f: all that does not change along a run. */
typedef struct {
    int n;
    double tau;
    const double *mass;     /* n: the diagonal of L */
    const Pattern *pattern; /* of Df */
} RtSystem;

typedef enum {
    CLUSTER_STIFF,
    CLUSTER_INTERMEDIATE,
    CLUSTER_SLOW,
    CLUSTER_OSCILLATORY,
    CLUSTER_KINDS
} ClusterKind;
extern const char *const cluster_kinds[CLUSTER_KINDS];

typedef struct {
    ClusterKind kind;
    int m;         /* eigenvalues */
    double re, im; /* their mean */
    /* the deviation of their sum that counts as 1: how far they are from 1, or from the unit
     * circle */
    double scale;
    /* pairs by entry e of the pattern: leaving e out moves the sum by tau Df_e g_e, to first
     * order */
    const double *g;
} Cluster;

typedef struct {
    int count;
    Cluster *clusters;
    double *lambda; /* n pairs: eigenvalues of (L, L - tau Df) */
    double radius;  /* the largest of their sizes */
} Criterion;

typedef enum { CRITERION_OK, CRITERION_SINGULAR, CRITERION_FAILED } CriterionStatus;

/* With the values `df` in the pattern's order. `eliminate`: algebraic equations are eliminated by
 * sparse factors first, and QZ sees the states only. SINGULAR: L - tau Df is, or (eliminating) the
 * algebraic part. */
CriterionStatus criterion_new(Arena *arena, const RtSystem *system, const double *df, bool eliminate,
                              Criterion *out);
/* The largest share of its scale that the sum of a cluster moves by, to first order, where the
 * Jacobian changes from df to `other`; in *which the cluster. */
double criterion_distance(const RtSystem *system, const Criterion *criterion, const double *df,
                          const double *other, int *which);
/* Eigenvalues of (L + tau E, L - tau (Df - E)): of the step with the Jacobian Df - E; n pairs.
 * False: singular. */
bool perturbed_eigenvalues(const RtSystem *system, const double *df, const double *left_out, double *lambda,
                           Arena *scratch);

/* ---- scenario.c: a run offline, and what it shows -------------------------------------------- */

typedef struct {
    double t;
    const double *y, *df; /* n; by entry of the pattern */
    Criterion criterion;
} Linearisation;

typedef struct {
    double step, start, stop;
    bool residual_form;
    int most; /* linearisations that are kept */
    /* share of its scale that a cluster has to move by for another linearisation to be kept */
    double different;
    double margin; /* how far inside of the unit circle eigenvalues shall stay */
    /* the largest error that is accepted, as a share of each watched state's range */
    double error;
    int tries;         /* choices that are tried one by one after the curve; 0: none */
    const char *watch; /* pattern with * and ?: which states; NULL: all */
} RtOptions;

RtOptions rt_options(double step, double start, double stop);

/* States at equal distances of time. */
typedef struct {
    int rows, n;
    long stride; /* steps from row to row */
    double *at;  /* by row */
} RtTrace;

typedef struct {
    Arena *arena;
    Compiled *compiled;
    RtOptions options;
    RtSystem system;
    const ModelShape *shape;
    const char *const *names;
    long steps, events;
    Linearisation *at;
    int count;
    double **seen; /* Jacobians at points all over the run */
    int seen_count;
    double different; /* what it took in the end for another linearisation to be kept */
    double *range;    /* n: of the reference run */
    RtTrace reference;
    double largest_radius;  /* of all linearisations, with the exact Jacobian */
    double largest_time;    /* when that was */
    unsigned char *watched; /* n */
    char message[720];      /* why something failed */
    VEC(const char *) warnings;
} RtScenario;

/* Runs the model: by an integrator of high accuracy for reference, and by the method itself with
 * the exact Jacobian. NULL when memory is out; else message[0] says whether it failed. Free it in
 * any case. */
RtScenario *scenario_new(Compiled *compiled, const RtOptions *options);
void scenario_free(RtScenario *scenario);
/* a new instance of the form that is stepped */
Model *scenario_instance(const RtScenario *scenario);

/* How a run uses the Jacobian: entries that are kept (NULL: all), and of those only with |tau Df|
 * >= least (0: all). */
typedef struct {
    const unsigned char *kept;
    double least;
    int extrapolate; /* 1: the method itself; 2, 3: order by extrapolation */
} RtUse;

typedef struct {
    bool finished;
    double error;      /* largest, over watched states, as a share of their ranges */
    int worst;         /* the state */
    double error_all;  /* over all states */
    double mean_count; /* entries used, in the mean over steps */
} RtOutcome;

/* A run of the method along the scenario, compared with the reference. */
RtOutcome scenario_run(RtScenario *scenario, const RtUse *use);

/* The same Jacobian given to the extrapolated method of variable order and step, seulex: what a
 * choice is worth offline. */
typedef struct {
    bool finished;
    long steps, f, factors;
    double seconds;
} RtOffline;
RtOffline scenario_offline(RtScenario *scenario, const unsigned char *kept); /* NULL: all entries */

#endif
