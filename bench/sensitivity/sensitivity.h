/* sensitivity.h: the models that derivatives of runs are measured on, as Modelica text: smooth
 * ones, stiff ones, and those of bench/hybrid with parameters that move events. */
#ifndef ACAUSAL_BENCH_SENSITIVITY_H
#define ACAUSAL_BENCH_SENSITIVITY_H

#include "base/base.h"

typedef struct {
    const char *name, *text;
    const char *of;             /* what is differentiated, at the end */
    const char *wrt;            /* names, separated by commas; "k[1:100]" stands for all of them */
    double stop, tol, max_step; /* max_step 0: as usual */
    bool is_smooth;
    void (*form)(double *derivatives); /* closed form; NULL: there is none */
} SensitivityProblem;

extern const SensitivityProblem sensitivity_problems[];
extern const size_t sensitivity_problem_count;

#endif
