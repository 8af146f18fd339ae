/* audit.h: how good difference Jacobians are (jacobian/audit.c). */
#ifndef ACAUSAL_SOLVE_AUDIT_H
#define ACAUSAL_SOLVE_AUDIT_H

#include "solve/solve.h"

enum { AUDIT_WORST = 10 };

/* A rule over all entries at all points. */
typedef struct {
    const IncrementType *type;
    long entries, near;    /* compared; of these, within 10 times of the best that can be had */
    long sums, exact_sums; /* increments; of these, with y + delta exact */
    /* whose largest weighted error is within 10 times of the least that one increment gives */
    long near_columns;
    double log_error; /* sum over entries of log10 of the relative error */
    double worst;     /* the largest relative error */
} AuditRule;

/* A column under a rule at a point: the increment, bounds of the three errors, and the largest
 * error. */
typedef struct {
    double t, y, nominal, delta;
    bool is_exact;
    double truncation, cancellation, data, error;
} AuditCell;

typedef struct {
    int row, column;
    double t, want, got, delta;
    double allowed, ratio; /* the best that can be had, and the error in terms of it */
} AuditEntry;

typedef struct Audit Audit;
typedef void (*AuditVisit)(void *arg, int unknown, size_t rule, const AuditCell *cell);

/* For a model with derivatives, from the point (t, y) on; NULL: *why says why not. */
Audit *audit_new(Model *model, const SolverOptions *options, double t, const double *y, const char **why);
void audit_free(Audit *audit);
/* Compares all rules here; h: the size of the steps. `visit` may be NULL. False: f or its Jacobian
 * cannot be had here. */
bool audit_point(Audit *audit, double t, const double *y, double h, AuditVisit visit, void *arg);
const AuditRule *audit_rule(const Audit *audit, size_t rule); /* NULL beyond the last */
/* Judges a Jacobian that an integrator got. False: f or its Jacobian cannot be had there. */
bool audit_made(Audit *audit, const JacobianMade *made);
/* All those together: where a ladder of increments was compared, and where not. */
const AuditRule *audit_of_made(const Audit *audit, bool is_careful);
const char *audit_reference(const Audit *audit);
int audit_colours(const Audit *audit); /* evaluations of a difference Jacobian */
/* The entries that the default rule does worst on; returns how many. */
int audit_worst(const Audit *audit, const AuditEntry **entries);

#endif
