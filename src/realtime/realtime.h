/* realtime.h: the door of realtime/: a compiled model becomes a stepper whose cost is known beforehand.
 *
 * The method is the linearly implicit Euler method x + tau (L - tau J)^-1 f(x, t) with an inexact J: entries of the
 * Jacobian Df that stability and accuracy do not need are left out ("sparsing", Schiela and Bornemann 2003). Before the run:
 * linearisations along a scenario, a first-order estimate of what each entry does to each cluster of eigenvalues, a choice
 * that is checked afterwards. Then straight code with one pattern and one pivot order for the whole run, and a loop that
 * keeps deadlines. */
#ifndef ACAUSAL_REALTIME_H
#define ACAUSAL_REALTIME_H

#include "gen/gen.h"
#include "linalg/linalg.h"
#include "model/model.h"

/* ---- criterion.c: what entries of the Jacobian do to the eigenvalues of the discrete evolution ---- */

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
    double
        scale; /* the deviation of their sum that counts as 1: how far they are from 1, or from the unit circle */
    const double
        *g; /* pairs by entry e of the pattern: leaving e out moves the sum by tau Df_e g_e, to first order */
} Cluster;

typedef struct {
    int count;
    Cluster *clusters;
    double *lambda; /* n pairs: eigenvalues of (L, L - tau Df) */
    double radius;  /* the largest of their sizes */
} Criterion;

typedef enum { CRITERION_OK, CRITERION_SINGULAR, CRITERION_FAILED } CriterionStatus;

/* With the values `df` in the pattern's order. `eliminate`: algebraic equations are eliminated by sparse factors first, and
 * QZ sees the states only. SINGULAR: L - tau Df is, or (eliminating) the algebraic part. */
CriterionStatus criterion_new(Arena *arena, const RtSystem *system, const double *df, bool eliminate,
                              Criterion *out);
/* The largest share of its scale that the sum of a cluster moves by, to first order, where the Jacobian changes from df to
 * `other`; in *which the cluster. */
double criterion_distance(const RtSystem *system, const Criterion *criterion, const double *df,
                          const double *other, int *which);
/* Eigenvalues of (L + tau E, L - tau (Df - E)): of the step with the Jacobian Df - E; n pairs. False: singular. */
bool perturbed_eigenvalues(const RtSystem *system, const double *df, const double *left_out, double *lambda,
                           Arena *scratch);

#endif
