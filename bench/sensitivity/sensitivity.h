/* sensitivity.h: the models that derivatives of runs are measured on, as Modelica text: smooth ones, stiff ones, and those of
 * bench/hybrid with parameters that move events. */
#ifndef ACAUSAL_BENCH_SENSITIVITY_H
#define ACAUSAL_BENCH_SENSITIVITY_H

#include "model/model.h"

typedef struct {
    const char *name, *text;
    const char *of;             /* what is differentiated, at the end */
    const char *wrt;            /* names, separated by commas; "k[1:100]" stands for all of them */
    double stop, tol, max_step; /* max_step 0: as usual */
    bool is_smooth, is_stiff;
} SensitivityProblem;

extern const SensitivityProblem sensitivity_problems[];
extern const size_t sensitivity_problem_count;

/* cvodes.c: the same by CVODES: staggered corrector, BDF, exact Jacobian, products of the model for the right-hand sides. The model is
 * initialised and has no events. start, end: m vectors of n. False: it failed. */
typedef struct {
    Model *model;
    double t0, t_end, rtol;
    const double *atol; /* n */
    const double *y0;
    const int *wrt;
    int count;
    const double *size;  /* of parameters */
    const double *start; /* derivatives at the start: count vectors of n */
} CvodesJob;

bool sensitivity_by_cvodes(const CvodesJob *job, double *y, double *derivatives);

#endif
