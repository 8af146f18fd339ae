/* cvodes.c: forward sensitivities by CVODES, as a yardstick: BDF, staggered corrector, its own dense or banded linear solver with
 * the model's exact Jacobian, exact right-hand sides of the sensitivities, error control with them. */
#include "bench/sensitivity/sensitivity.h"

#include <cvodes/cvodes.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

enum { MANY = 100 };

typedef struct {
    const CvodesJob *job;
    Model *model;
    ModelChange *changes;
    double **out;
    MatrixShape *order;
} User;

static int slopes(realtype t, N_Vector y, N_Vector f, void *user)
{
    User *u = user;
    return u->model->type->derivatives(u->model, t, N_VGetArrayPointer(y), N_VGetArrayPointer(f)) == EVAL_OK
               ? 0
               : 1;
}

static int jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix J, void *user, N_Vector a, N_Vector b,
                    N_Vector c)
{
    User *u = user;
    (void)f, (void)a, (void)b, (void)c;
    double *values = calloc(u->order->size + 1, sizeof *values);
    if (!values) return -1;
    EvalStatus status = u->model->type->jacobian(u->model, t, N_VGetArrayPointer(y), u->order, values);
    const Pattern *p = u->order->pattern;
    int n = u->order->n;
    SUNMatZero(J);
    for (int j = 0; j < n; j++)
        for (int k = p ? p->start[j] : 0; k < (p ? p->start[j + 1] : n); k++) {
            int i = p ? p->row[k] : k;
            double value = values[matrix_place(u->order, i, j)];
            if (n <= MANY)
                SM_ELEMENT_D(J, i, j) = value;
            else
                SM_ELEMENT_B(J, i, j) = value;
        }
    free(values);
    return status == EVAL_OK ? 0 : 1;
}

static int sensitivities(int count, realtype t, N_Vector y, N_Vector f, N_Vector *s, N_Vector *sdot,
                         void *user, N_Vector a, N_Vector b)
{
    User *u = user;
    (void)f, (void)a, (void)b;
    if (u->model->type->linearise(u->model, MAP_DERIVATIVES, t, N_VGetArrayPointer(y)) != EVAL_OK) return 1;
    for (int j = 0; j < count; j++) {
        u->changes[j].y = N_VGetArrayPointer(s[j]);
        u->out[j] = N_VGetArrayPointer(sdot[j]);
    }
    return u->model->type->jvp(u->model, count, u->changes, u->out) == EVAL_OK ? 0 : 1;
}

static bool integrate(void *cvodes, const CvodesJob *job, N_Vector y, N_Vector *s)
{
    realtype t = job->t0;
    CVodeSetStopTime(cvodes, job->t_end);
    CVodeSetMaxNumSteps(cvodes, 1000000);
    return CVode(cvodes, job->t_end, y, &t, CV_NORMAL) >= 0 && CVodeGetSens(cvodes, &t, s) >= 0;
}

bool sensitivity_by_cvodes(const CvodesJob *job, double *y_end, double *derivatives)
{
    int n = job->model->shape.n, m = job->count, lower = 0, upper = 0;
    Arena *arena = arena_new();
    SUNContext context = NULL;
    if (!arena || SUNContext_Create(NULL, &context)) return false;
    double *p = NEW_ARRAY(arena, double, (size_t)(m * m) + 1),
           *sizes = NEW_ARRAY(arena, double, (size_t)m + 1);
    User user = { job, job->model, NEW_ARRAY(arena, ModelChange, (size_t)m + 1),
                  NEW_ARRAY(arena, double *, (size_t)m + 1),
                  matrix_shape(arena, n, job->model->shape.pattern) };
    for (int j = 0; j < m; j++) {
        p[j * m + j] = 1.0;
        sizes[j] = job->size[j] != 0.0 ? fabs(job->size[j]) : 1.0;
        user.changes[j] = (ModelChange){ .count = m, .variables = job->wrt, .p = p + (ptrdiff_t)j * m };
    }
    if (job->model->shape.pattern) pattern_bandwidth(user.order->pattern, &lower, &upper);
    N_Vector y = N_VNew_Serial(n, context), atol = N_VNew_Serial(n, context), *s = N_VCloneVectorArray(m, y);
    memcpy(N_VGetArrayPointer(y), job->y0, (size_t)n * sizeof(double));
    memcpy(N_VGetArrayPointer(atol), job->atol, (size_t)n * sizeof(double));
    for (int j = 0; j < m; j++)
        memcpy(N_VGetArrayPointer(s[j]), job->start + (ptrdiff_t)j * n, (size_t)n * sizeof(double));
    SUNMatrix J = n <= MANY ? SUNDenseMatrix(n, n, context) : SUNBandMatrix(n, upper, lower, context);
    SUNLinearSolver solver = n <= MANY ? SUNLinSol_Dense(y, J, context) : SUNLinSol_Band(y, J, context);
    void *cvodes = CVodeCreate(CV_BDF, context);
    bool ok = cvodes && !CVodeInit(cvodes, slopes, job->t0, y) &&
              !CVodeSVtolerances(cvodes, job->rtol, atol) && !CVodeSetUserData(cvodes, &user) &&
              !CVodeSetLinearSolver(cvodes, solver, J) && !CVodeSetJacFn(cvodes, jacobian) &&
              !CVodeSensInit(cvodes, m, CV_STAGGERED, sensitivities, s) &&
              !CVodeSetSensParams(cvodes, sizes, sizes, NULL) && !CVodeSensEEtolerances(cvodes) &&
              !CVodeSetSensErrCon(cvodes, SUNTRUE) && integrate(cvodes, job, y, s);
    memcpy(y_end, N_VGetArrayPointer(y), (size_t)n * sizeof(double));
    for (int j = 0; j < m; j++)
        memcpy(derivatives + (ptrdiff_t)j * n, N_VGetArrayPointer(s[j]), (size_t)n * sizeof(double));
    CVodeFree(&cvodes);
    SUNLinSolFree(solver);
    SUNMatDestroy(J);
    N_VDestroyVectorArray(s, m);
    N_VDestroy(y);
    N_VDestroy(atol);
    SUNContext_Free(&context);
    arena_free(arena);
    return ok;
}
