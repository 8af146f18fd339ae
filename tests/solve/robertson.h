/* robertson.h: Robertson's stiff reaction with its exact Jacobian, for the tests that measure
 * methods by it. */
#ifndef ACAUSAL_TEST_ROBERTSON_H
#define ACAUSAL_TEST_ROBERTSON_H

#include "solve/solve.h"

static inline EvalStatus robertson_f(Model *model, double t, const double *y, double *f)
{
    (void)model, (void)t;
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[2] = 3e7 * y[1] * y[1];
    f[1] = -f[0] - f[2];
    return EVAL_OK;
}

static inline EvalStatus robertson_jacobian(Model *model, double t, const double *y, const MatrixShape *order,
                                            double *v)
{
    (void)model, (void)t;
    const double j[3][3] = { { -0.04, 1e4 * y[2], 1e4 * y[1] },
                             { 0.04, -1e4 * y[2] - 6e7 * y[1], -1e4 * y[1] },
                             { 0.0, 6e7 * y[1], 0.0 } };
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) model_put(order, v, i, k, j[i][k]);
    return EVAL_OK;
}

#endif
