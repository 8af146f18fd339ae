/* sundials.c: CVODE, IDA and ARKODE as further integrators behind the same door, KINSOL for systems
 * of equations. All that knows their API (6.4) is here.
 *
 * In: a model. Out: steps of theirs, with our right-hand sides (NaN means: try a smaller step), our
 * Jacobians and increments, our linear algebra (a SUNMatrix and a SUNLinearSolver around
 * MatrixShape and Lu), our roots on their dense output, and our statistics. Tests:
 * tests/solve/sundials_test.c, methods_test.c. */
#include "solve/methods/sundials/sundials.h"
#include "solve/nonlinear/algebra.h"
#include "solve/nonlinear/newton.h"

#include <arkode/arkode_arkstep.h>
#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <kinsol/kinsol.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

/* One call in their one-step mode per solver_step, with the limit as stop time; a restart is their
 * reinitialisation. IDA starts from our consistent initial values. Their memory cannot be saved, so
 * a restored solver begins where they last began and repeats the steps since then. ARKODE takes
 * tableaux, and of split models only the fast part implicitly. Invariant: their memory is freed by
 * destroy; their messages are not printed. A replay is the same run once more, with a check that it
 * is: steps of other runs cannot be forced on them. */

static const double RETRY_FACTOR = 0.25;
/* change of the step for which factors of a fast part serve */
static const double SPLIT_GAMMA = 1e-3;
enum {
    /* in a step: before a leap it has to shrink by many powers of ten, and 7 or 10 end a run by
     * chance */
    MOST_FAILURES = 40
};
enum { MOST_PIECES = 256 }; /* limits since the last beginning that a saved state holds */

typedef struct Foreign Foreign;

/* One package. Return values are theirs: negative on failure. */
typedef struct {
    bool (*make)(Foreign *x);
    int (*reinit)(Foreign *x);
    int (*stop_at)(void *memory, realtype t);
    int (*advance)(Foreign *x, double t_limit, double *t);
    int (*dense)(void *memory, realtype t, int derivative, N_Vector y);
    int (*local_errors)(void *memory, N_Vector e);
    void (*free)(void **memory);
    void (*count)(Foreign *x, double *h, int *order);
    int (*first_step)(void *memory,
                      /* where failed evaluations end a run of theirs: to begin again; or NULL */
                      realtype h);
} Package;

/* What a row of the registry chooses. */
typedef struct {
    const Package *package;
    int method;                        /* CV_ADAMS, CV_BDF */
    const char *implicit_, *explicit_; /* tables of ARKODE */
    bool newton;
    bool splits;                   /* fast parts of split models are implicit, slow ones explicit */
    const ForeignTableau *tableau; /* instead of a table of theirs */
} ForeignChoice;

/* Steps to one limit. */
typedef struct {
    double limit;
    long steps;
} Piece;

struct Foreign {
    Solver base;
    const ForeignChoice *choice;
    SUNContext context;
    void *memory;
    double *out;                      /* what y points at: s->y changes only when a step is done */
    double *errors;                   /* theirs, of the last step */
    N_Vector y, yp, tolerances, view; /* view: is pointed at what a call needs */
    double *last;                     /* CVODE: the solution a step ago */
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver functional;
    Jacobian jacobian;
    Consistent consistent;
    Lu *lu;
    double *weight;
    Model fast; /* the implicit part of a split model */
    bool is_split;
    uint32_t spans;            /* of what is kept: the common part and the Jacobian */
    char *at_begin, *aside;    /* these spans when the package last began; room for them */
    Piece pieces[MOST_PIECES]; /* since then */
    struct {
        bool started;
        bool gave_up; /* the model did; CVODE with functional iteration would go on trying */
        long rejected, iterations,
            failures;      /* their counts up to the last step; they begin anew at a restart */
        int pieces;        /* MOST_PIECES + 1: there were more */
        double first_step; /* given to the package for its beginning, signed; 0: the user's */
    } state;
};

/* ---- our matrices as theirs ------------------------------------------------------------------ */

typedef struct {
    const MatrixShape *shape;
    double *values;
    Arena *arena;
} ForeignMatrix;

static SUNMatrix matrix_new(const MatrixShape *shape, Arena *arena, SUNContext context);

static ForeignMatrix *matrix_of(SUNMatrix a) { return a->content; }
static SUNMatrix_ID matrix_id(SUNMatrix a)
{
    (void)a;
    return SUNMATRIX_CUSTOM;
}
static SUNMatrix matrix_clone(SUNMatrix a)
{
    return matrix_new(matrix_of(a)->shape, matrix_of(a)->arena, a->sunctx);
}
static void matrix_destroy(SUNMatrix a) { SUNMatFreeEmpty(a); }

static int matrix_zero(SUNMatrix a)
{
    memset(matrix_of(a)->values, 0, matrix_of(a)->shape->size * sizeof(double));
    return 0;
}

static int matrix_copy(SUNMatrix a, SUNMatrix b)
{
    memcpy(matrix_of(b)->values, matrix_of(a)->values, matrix_of(a)->shape->size * sizeof(double));
    return 0;
}

/* a = c a + I */
static int matrix_scale_add_identity(realtype c, SUNMatrix a)
{
    ForeignMatrix *m = matrix_of(a);
    for (size_t k = 0; k < m->shape->size; k++) m->values[k] *= c;
    for (int i = 0; i < m->shape->n; i++) m->values[m->shape->diagonal[i]] += 1.0;
    return 0;
}

static SUNMatrix matrix_new(const MatrixShape *shape, Arena *arena, SUNContext context)
{
    SUNMatrix a = SUNMatNewEmpty(context);
    if (!a) return NULL;
    ForeignMatrix *m = NEW(arena, ForeignMatrix);
    *m = (ForeignMatrix){ shape, NEW_ARRAY(arena, double, shape->size + 1), arena };
    a->content = m;
    a->ops->getid = matrix_id;
    a->ops->clone = matrix_clone;
    a->ops->destroy = matrix_destroy;
    a->ops->zero = matrix_zero;
    a->ops->copy = matrix_copy;
    a->ops->scaleaddi = matrix_scale_add_identity;
    return a;
}

static SUNLinearSolver_Type linear_type(SUNLinearSolver ls)
{
    (void)ls;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID linear_id(SUNLinearSolver ls)
{
    (void)ls;
    return SUNLINEARSOLVER_CUSTOM;
}

static int linear_initialize(SUNLinearSolver ls)
{
    (void)ls;
    return 0;
}

static int linear_setup(SUNLinearSolver ls, SUNMatrix a)
{
    Foreign *x = ls->content;
    x->base.stats.factors++;
    LuStatus status = lu_factor(x->lu, matrix_of(a)->values);
    if (status == LU_SINGULAR) x->base.blamed = lu_singular_column(x->lu);
    return status == LU_OK ? 0 : status == LU_SINGULAR ? 1 : -1;
}

static int linear_solve(SUNLinearSolver ls, SUNMatrix a, N_Vector to, N_Vector b, realtype tolerance)
{
    (void)a, (void)tolerance;
    Foreign *x = ls->content;
    if (to != b) memcpy(N_VGetArrayPointer(to), N_VGetArrayPointer(b), (size_t)x->base.n * sizeof(double));
    lu_solve(x->lu, N_VGetArrayPointer(to));
    x->base.stats.solves++;
    return 0;
}

static int linear_free(SUNLinearSolver ls)
{
    SUNLinSolFreeEmpty(ls);
    return 0;
}

typedef int (*LinearSetup)(SUNLinearSolver ls, SUNMatrix a);
typedef int (*LinearSolve)(SUNLinearSolver ls, SUNMatrix a, N_Vector to, N_Vector b, realtype tolerance);

static void name_linear(SUNLinearSolver ls, void *content, LinearSetup setup, LinearSolve solve)
{
    ls->content = content;
    ls->ops->gettype = linear_type;
    ls->ops->getid = linear_id;
    ls->ops->initialize = linear_initialize;
    ls->ops->setup = setup;
    ls->ops->solve = solve;
    ls->ops->free = linear_free;
}

static Model *swap_model(Foreign *x, Model *model)
{
    Model *was = x->base.model;
    x->base.model = model;
    return was;
}

static bool make_linear_algebra(Foreign *x)
{
    Solver *s = &x->base;
    Model *whole = swap_model(x, x->is_split ? &x->fast : s->model);
    bool ok = jacobian_setup(s, &x->jacobian);
    swap_model(x, whole);
    if (!ok) return false;
    x->lu = lu_new(s->arena, x->jacobian.shape, false);
    x->matrix = matrix_new(x->jacobian.shape, s->arena, x->context);
    x->linear = SUNLinSolNewEmpty(x->context);
    if (!x->matrix || !x->linear) return false;
    name_linear(x->linear, x, linear_setup, linear_solve);
    return true;
}

/* ---- our functions as theirs ----------------------------------------------------------------- */

/* 0 done, > 0 try something else, < 0 give up. */
static int answer(Foreign *x, EvalStatus status)
{
    if (status == EVAL_RETRY) x->base.stats.rejected_model++;
    x->state.gave_up |= status == EVAL_FATAL;
    return status == EVAL_OK ? 0 : status == EVAL_RETRY ? 1 : -1;
}

static int rhs(realtype t, N_Vector y, N_Vector f, void *data)
{
    Foreign *x = data;
    if (x->state.gave_up) return -1;
    return answer(x, solver_f(&x->base, t, N_VGetArrayPointer(y), N_VGetArrayPointer(f)));
}

static int rhs_fast(realtype t, N_Vector y, N_Vector f, void *data)
{
    Foreign *x = data;
    Model *whole = swap_model(x, &x->fast);
    int code = rhs(t, y, f, data);
    swap_model(x, whole);
    return code;
}

static EvalStatus fast_part(Model *fast, double t, const double *y, double *f)
{
    Model *whole = fast->data;
    return whole->type->split(whole, t, y, NULL, f);
}

static EvalStatus slow_part(Model *slow, double t, const double *y, double *f)
{
    Model *whole = slow->data;
    return whole->type->split(whole, t, y, f, NULL);
}

static const ModelType fast_type = { .derivatives = fast_part }, slow_type = { .derivatives = slow_part };

static Model part_of(Model *whole, const ModelType *type)
{
    Model part = { .type = type, .shape = whole->shape, .data = whole };
    part.can = whole->can & (MODEL_DERIVATIVES | MODEL_PATTERN | MODEL_SAVE);
    return part;
}

static int rhs_slow(realtype t, N_Vector y, N_Vector f, void *data)
{
    Foreign *x = data;
    Model slow = part_of(x->base.model, &slow_type), *whole = swap_model(x, &slow);
    int code = rhs(t, y, f, data);
    swap_model(x, whole);
    return code;
}

static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void *data)
{
    Foreign *x = data;
    if (x->state.gave_up) return -1;
    return answer(x, solver_residual(&x->base, t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp),
                                     N_VGetArrayPointer(r)));
}

static int store_jacobian(Foreign *x, EvalStatus status, SUNMatrix to)
{
    memcpy(matrix_of(to)->values, x->jacobian.values, x->jacobian.shape->size * sizeof(double));
    return answer(x, status);
}

static int jacobian_of_rhs(realtype t, N_Vector y, N_Vector f, SUNMatrix to, void *data, N_Vector t1,
                           N_Vector t2, N_Vector t3)
{
    (void)t1, (void)t2, (void)t3;
    Foreign *x = data;
    double h = x->base.stats.h_last * x->base.core.direction;
    Model *whole = swap_model(x, x->is_split ? &x->fast : x->base.model);
    EvalStatus status =
        jacobian_f(&x->base, &x->jacobian, t, N_VGetArrayPointer(y), N_VGetArrayPointer(f), h);
    swap_model(x, whole);
    return store_jacobian(x, status, to);
}

static int jacobian_of_residual(realtype t, realtype c, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix to,
                                void *data, N_Vector t1, N_Vector t2, N_Vector t3)
{
    (void)t1, (void)t2, (void)t3;
    Foreign *x = data;
    double h = x->base.stats.h_last * x->base.core.direction;
    return store_jacobian(x,
                          jacobian_residual(&x->base, &x->jacobian, t, N_VGetArrayPointer(y),
                                            N_VGetArrayPointer(yp), N_VGetArrayPointer(r), c, h),
                          to);
}

static void silent(int code, const char *module, const char *function, char *message, void *data)
{
    (void)code, (void)module, (void)function, (void)message, (void)data;
}

/* Adds what their counters gained since the last step to our statistics. */
static void book(Foreign *x, long rejected, long iterations, long failures)
{
    SolverStats *stats = &x->base.stats;
    stats->rejected_error += rejected - x->state.rejected;
    stats->newton += iterations - x->state.iterations;
    stats->rejected_newton += failures - x->state.failures;
    x->state.rejected = rejected;
    x->state.iterations = iterations;
    x->state.failures = failures;
}

/* ---- CVODE ----------------------------------------------------------------------------------- */

/* The usual weights, but for tiny steps: see solver_weights_of_tiny_step. */
static int cvode_weights(N_Vector y_now, N_Vector weights, void *arg)
{
    Foreign *x = arg;
    const double *y = N_VGetArrayPointer(y_now), *atol = N_VGetArrayPointer(x->tolerances);
    double *w = N_VGetArrayPointer(weights), h = INFINITY, t = 0.0;
    CVodeGetLastStep(x->memory, &h);
    CVodeGetCurrentTime(x->memory, &t);
    bool tiny = h != 0.0 && is_tiny_step(t, h);
    for (int i = 0; i < x->base.n; i++) {
        double size = fabs(y[i]) + (tiny ? fabs(y[i] - x->last[i]) : 0.0);
        w[i] = 1.0 / (x->base.options.rtol * size + atol[i]);
        x->last[i] = y[i];
    }
    return vector_is_finite(x->base.n, w) ? 0 : -1;
}

static bool cvode_make(Foreign *x)
{
    Solver *s = &x->base;
    const SolverOptions *o = &s->options;
    void *m = x->memory = CVodeCreate(x->choice->method, x->context);
    if (!m || CVodeSetErrHandlerFn(m, silent, NULL) || CVodeInit(m, rhs, s->core.t, x->y)) return false;
    x->last = solver_vector(s);
    memcpy(x->last, N_VGetArrayPointer(x->y), (size_t)s->n * sizeof(double));
    bool ok = !CVodeWFtolerances(m, cvode_weights) && !CVodeSetUserData(m, x) &&
              !CVodeSetMaxNumSteps(m, -1) && !CVodeSetMinStep(m, o->min_step) &&
              !CVodeSetMaxStep(m, o->max_step) && !CVodeSetInitStep(m, o->initial_step * s->core.direction) &&
              !CVodeSetMaxErrTestFails(m, MOST_FAILURES) && !CVodeSetMaxConvFails(m, MOST_FAILURES);
    if (ok && o->max_order > 0 && o->max_order < s->type->order_most) ok = !CVodeSetMaxOrd(m, o->max_order);
    if (ok && x->choice->newton)
        return make_linear_algebra(x) && !CVodeSetLinearSolver(m, x->linear, x->matrix) &&
               !CVodeSetJacFn(m, jacobian_of_rhs);
    x->functional = SUNNonlinSol_FixedPoint(x->y, 0, x->context);
    return ok && x->functional && !CVodeSetNonlinearSolver(m, x->functional);
}

static int cvode_reinit(Foreign *x)
{
    memcpy(x->last, N_VGetArrayPointer(x->y), (size_t)x->base.n * sizeof(double));
    return CVodeReInit(x->memory, x->base.core.t, x->y);
}

static int cvode_advance(Foreign *x, double t_limit, double *t)
{
    return CVode(x->memory, t_limit, x->y, t, CV_ONE_STEP);
}

static void cvode_count(Foreign *x, double *h, int *order)
{
    long rejected = 0, iterations = 0, failures = 0;
    CVodeGetNumErrTestFails(x->memory, &rejected);
    CVodeGetNumNonlinSolvIters(x->memory, &iterations);
    CVodeGetNumNonlinSolvConvFails(x->memory, &failures);
    CVodeGetLastStep(x->memory, h);
    CVodeGetLastOrder(x->memory, order);
    book(x, rejected, iterations, failures);
}

static const Package cvode = { cvode_make,    cvode_reinit, CVodeSetStopTime,
                               cvode_advance, CVodeGetDky,  CVodeGetEstLocalErrors,
                               CVodeFree,     cvode_count,  NULL };

/* ---- IDA ------------------------------------------------------------------------------------- */

/* Algebraic unknowns do not count in the error test: they jump where the equations do, whatever the
 * step, and a test on them would shrink it without end. What they are follows from the others to
 * the accuracy of Newton's iteration. */
static bool ida_spare_algebraic(Foreign *x)
{
    int n = x->base.n, algebraic = 0;
    double *differential = N_VGetArrayPointer(x->view);
    for (int i = 0; i < n; i++) {
        differential[i] = x->consistent.algebraic[i] ? 0.0 : 1.0;
        algebraic += x->consistent.algebraic[i] != 0;
    }
    if (algebraic == 0 || algebraic == n) return true;
    return !IDASetId(x->memory, x->view) && !IDASetSuppressAlg(x->memory, SUNTRUE);
}

static bool ida_make(Foreign *x)
{
    Solver *s = &x->base;
    const SolverOptions *o = &s->options;
    void *m = x->memory = IDACreate(x->context);
    x->yp = N_VMake_Serial(s->n, s->yp, x->context);
    if (!m || !x->yp || IDASetErrHandlerFn(m, silent, NULL) || IDAInit(m, residual, s->core.t, x->y, x->yp))
        return false;
    bool ok = !IDASVtolerances(m, o->rtol, x->tolerances) && !IDASetUserData(m, x) &&
              !IDASetMaxNumSteps(m, -1) && !IDASetMaxStep(m, o->max_step) &&
              !IDASetInitStep(m, o->initial_step * s->core.direction) &&
              !IDASetMaxErrTestFails(m, MOST_FAILURES) && !IDASetMaxConvFails(m, MOST_FAILURES);
    if (ok && o->max_order > 0 && o->max_order < s->type->order_most) ok = !IDASetMaxOrd(m, o->max_order);
    ok = ok && make_linear_algebra(x) && !IDASetLinearSolver(m, x->linear, x->matrix) &&
         !IDASetJacFn(m, jacobian_of_residual);
    if (!ok) return false;
    consistent_setup(s, &x->jacobian, x->lu, true, &x->consistent);
    return ida_spare_algebraic(x);
}

/* Our consistent values, then theirs. A positive result: s->failure is set. */
static int ida_reinit(Foreign *x)
{
    Solver *s = &x->base;
    if (!solver_weights(s, s->y, x->weight) || !consistent_solve(&x->consistent, x->weight)) return 1;
    memcpy(x->out, s->y, (size_t)s->n * sizeof(double));
    return IDAReInit(x->memory, s->core.t, x->y, x->yp);
}

static int ida_advance(Foreign *x, double t_limit, double *t)
{
    return IDASolve(x->memory, t_limit, t, x->y, x->yp, IDA_ONE_STEP);
}

static void ida_count(Foreign *x, double *h, int *order)
{
    long rejected = 0, iterations = 0, failures = 0;
    IDAGetNumErrTestFails(x->memory, &rejected);
    IDAGetNumNonlinSolvIters(x->memory, &iterations);
    IDAGetNumNonlinSolvConvFails(x->memory, &failures);
    IDAGetLastStep(x->memory, h);
    IDAGetLastOrder(x->memory, order);
    book(x, rejected, iterations, failures);
}

static const Package ida = { ida_make,    ida_reinit, IDASetStopTime,
                             ida_advance, IDAGetDky,  IDAGetEstLocalErrors,
                             IDAFree,     ida_count,  NULL };

/* ---- ARKODE ---------------------------------------------------------------------------------- */

/* What they solve explicitly, and implicitly; NULL: nothing. */
static ARKRhsFn explicit_rhs(const Foreign *x)
{
    return x->is_split ? rhs_slow : x->choice->newton ? NULL : rhs;
}
static ARKRhsFn implicit_rhs(const Foreign *x)
{
    return x->is_split ? rhs_fast : x->choice->newton ? rhs : NULL;
}

static bool arkode_set_table(const Foreign *x, void *m)
{
    const ForeignTableau *own = x->choice->tableau;
    if (!own)
        return !ARKStepSetTableName(m, x->choice->implicit_,
                                    x->choice->splits && !x->is_split ? "ARKODE_ERK_NONE"
                                                                      : x->choice->explicit_);
    ARKodeButcherTable table =
        ARKodeButcherTable_Create(own->stages, own->order, own->embedded, own->c, own->a, own->b, own->b_hat);
    bool ok = table && !ARKStepSetTables(m, own->order, own->embedded, own->implicit ? table : NULL,
                                         own->implicit ? NULL : table);
    ARKodeButcherTable_Free(table);
    return ok;
}

/* With fixed steps there are no tolerances but those of iterations. */
static bool arkode_set_steps(const Foreign *x, void *m)
{
    const SolverOptions *o = &x->base.options;
    double direction = x->base.core.direction;
    if (o->fixed_step > 0.0)
        return !ARKStepSStolerances(m, FIXED_RTOL, FIXED_RTOL) &&
               !ARKStepSetFixedStep(m, o->fixed_step * direction) &&
               (!x->choice->newton || !ARKStepSetMaxNonlinIters(m, FIXED_NEWTON));
    return !ARKStepSVtolerances(m, o->rtol, x->tolerances) && !ARKStepSetMinStep(m, o->min_step) &&
           !ARKStepSetMaxStep(m, o->max_step) && !ARKStepSetInitStep(m, o->initial_step * direction);
}

static bool arkode_make(Foreign *x)
{
    Solver *s = &x->base;
    x->is_split = x->choice->splits && (s->model->can & MODEL_SPLIT);
    x->fast = part_of(s->model, &fast_type);
    void *m = x->memory = ARKStepCreate(explicit_rhs(x), implicit_rhs(x), s->core.t, x->y, x->context);
    if (!m || ARKStepSetErrHandlerFn(m, silent, NULL)) return false;
    bool ok = !ARKStepSetUserData(m, x) && !ARKStepSetMaxNumSteps(m, -1) && arkode_set_table(x, m) &&
              arkode_set_steps(x, m);
    if (!ok || !x->choice->newton) return ok;
    /* their estimate of the rate falls without end where f is linear, and then takes anything for
     * convergence */
    if (x->is_split && ARKStepSetDeltaGammaMax(m, SPLIT_GAMMA)) return false;
    return make_linear_algebra(x) && !ARKStepSetLinearSolver(m, x->linear, x->matrix) &&
           !ARKStepSetJacFn(m, jacobian_of_rhs);
}

static int arkode_reinit(Foreign *x)
{
    return ARKStepReInit(x->memory, explicit_rhs(x), implicit_rhs(x), x->base.core.t, x->y);
}

static int arkode_advance(Foreign *x, double t_limit, double *t)
{
    return ARKStepEvolve(x->memory, t_limit, x->y, t, ARK_ONE_STEP);
}

static void arkode_count(Foreign *x, double *h, int *order)
{
    long rejected = 0, iterations = 0, failures = 0;
    ARKStepGetNumErrTestFails(x->memory, &rejected);
    ARKStepGetNumNonlinSolvIters(x->memory, &iterations);
    ARKStepGetNumNonlinSolvConvFails(x->memory, &failures);
    ARKStepGetLastStep(x->memory, h);
    *order = x->base.type->order;
    book(x, rejected, iterations, failures);
}

static const Package arkode = { arkode_make,    arkode_reinit, ARKStepSetStopTime,
                                arkode_advance, ARKStepGetDky, ARKStepGetEstLocalErrors,
                                ARKStepFree,    arkode_count,  ARKStepSetInitStep };

/* ---- KINSOL: Newton with a line search ------------------------------------------------------- */

static const double KIN_ENOUGH = 1e-3;   /* of scaled residuals, and of steps, in tolerances */
static const double KIN_LONGEST = 1e100; /* step: a guess of 0 says nothing about how far to go */
enum { KIN_ITERATIONS = 100, KIN_ROUNDS = 4 };

typedef struct {
    AlgebraicSystem *system;
    SUNContext context;
    void *memory;
    N_Vector x, x_scale, f_scale;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    Arena *arena;
    bool gave_up;
} Kinsol;

static int kin_answer(Kinsol *k, EvalStatus status)
{
    k->gave_up |= status == EVAL_FATAL;
    return status == EVAL_OK ? 0 : status == EVAL_RETRY ? 1 : -1;
}

static int kin_residual(N_Vector x, N_Vector f, void *data)
{
    Kinsol *k = data;
    return kin_answer(k, k->system->residual(k->system->data, N_VGetArrayPointer(x), N_VGetArrayPointer(f)));
}

/* The system factors its matrix where it makes it. */
static int kin_jacobian(N_Vector x, N_Vector f, SUNMatrix to, void *data, N_Vector t1, N_Vector t2)
{
    (void)f, (void)t1, (void)t2;
    Kinsol *k = data;
    EvalStatus status = k->system->matrix(k->system->data, N_VGetArrayPointer(x));
    if (status == EVAL_OK)
        memcpy(matrix_of(to)->values, k->system->values, k->system->shape->size * sizeof(double));
    return kin_answer(k, status);
}

static int kin_setup(SUNLinearSolver ls, SUNMatrix a)
{
    (void)ls, (void)a;
    return 0;
}

static int kin_solve(SUNLinearSolver ls, SUNMatrix a, N_Vector to, N_Vector b, realtype tolerance)
{
    (void)a, (void)tolerance;
    AlgebraicSystem *system = ((Kinsol *)ls->content)->system;
    if (to != b) memcpy(N_VGetArrayPointer(to), N_VGetArrayPointer(b), (size_t)system->n * sizeof(double));
    lu_solve(system->lu, N_VGetArrayPointer(to));
    system->stats->solves++;
    return 0;
}

/* A residual counts by what it takes to change it: rows of the matrix, each column times what
 * counts in its unknown. */
static void scale_rows(const AlgebraicSystem *system, double *scale)
{
    memset(scale, 0, (size_t)system->n * sizeof(double));
    for (int j = 0; j < system->n; j++)
        for (int k = 0, row; k < column_length(system->shape, j); k++) {
            size_t place = column_entry(system->shape, j, k, &row);
            scale[row] = fmax(scale[row], fabs(system->values[place]) / system->weight[j]);
        }
    for (int i = 0; i < system->n; i++) scale[i] = scale[i] > 0.0 ? 1.0 / scale[i] : 1.0;
}

static bool kin_make(Kinsol *k)
{
    AlgebraicSystem *system = k->system;
    if (SUNContext_Create(NULL, &k->context) != 0) return false;
    k->x = N_VMake_Serial(system->n, system->x, k->context);
    k->x_scale = N_VNew_Serial(system->n, k->context);
    k->f_scale = N_VNew_Serial(system->n, k->context);
    k->matrix = matrix_new(system->shape, k->arena, k->context);
    k->linear = SUNLinSolNewEmpty(k->context);
    void *m = k->memory = KINCreate(k->context);
    if (!k->x || !k->x_scale || !k->f_scale || !k->matrix || !k->linear || !m) return false;
    name_linear(k->linear, k, kin_setup, kin_solve);
    memcpy(N_VGetArrayPointer(k->x_scale), system->weight, (size_t)system->n * sizeof(double));
    return !KINSetErrHandlerFn(m, silent, NULL) && !KINSetUserData(m, k) && !KINInit(m, kin_residual, k->x) &&
           !KINSetLinearSolver(m, k->linear, k->matrix) && !KINSetJacFn(m, kin_jacobian) &&
           !KINSetMaxSetupCalls(m, 1) && !KINSetNumMaxIters(m, KIN_ITERATIONS) &&
           !KINSetMaxNewtonStep(m, KIN_LONGEST) && !KINSetFuncNormTol(m, KIN_ENOUGH) &&
           !KINSetScaledStepTol(m, KIN_ENOUGH);
}

/* They stop by residuals, in the scales of where they began; what counts is how far the solution
 * may still be. */
static EvalStatus kin_run(Kinsol *k)
{
    AlgebraicSystem *system = k->system;
    EvalStatus status = system->matrix(system->data, system->x);
    double size = INFINITY;
    for (int round = 0; round < KIN_ROUNDS && status == EVAL_OK && !(size <= 1.0); round++) {
        scale_rows(system, N_VGetArrayPointer(k->f_scale));
        int code = KINSol(k->memory, k->x, KIN_LINESEARCH, k->x_scale, k->f_scale);
        long iterations = 0;
        KINGetNumNonlinSolvIters(k->memory, &iterations);
        system->stats->newton += iterations;
        if (k->gave_up) return EVAL_FATAL;
        status = system->matrix(system->data, system->x);
        if (status == EVAL_OK) status = algebraic_correct(system, system->x, &size);
        if (status == EVAL_OK) system->blamed = norm_worst(system->n, system->d, system->weight);
        if (code < 0) return EVAL_RETRY;
    }
    if (status != EVAL_OK || !(size <= 1.0)) return status == EVAL_OK ? EVAL_RETRY : status;
    for (int i = 0; i < system->n; i++) system->x[i] -= system->d[i];
    return EVAL_OK;
}

static EvalStatus kinsol_solve(AlgebraicSystem *system)
{
    Kinsol k = { .system = system, .arena = arena_new() };
    if (!k.arena) return EVAL_FATAL;
    EvalStatus status = system->n == 0 ? EVAL_OK : kin_make(&k) ? kin_run(&k) : EVAL_FATAL;
    if (k.memory) KINFree(&k.memory);
    if (k.linear) SUNLinSolFree(k.linear);
    if (k.matrix) SUNMatDestroy(k.matrix);
    N_Vector vectors[] = { k.x, k.x_scale, k.f_scale };
    for (size_t i = 0; i < COUNT_OF(vectors); i++)
        if (vectors[i]) N_VDestroy(vectors[i]);
    if (k.context) SUNContext_Free(&k.context);
    arena_free(k.arena);
    return status;
}

const AlgebraicType algebraic_kinsol = { "kinsol", "KINSOL: Newton's method with a line search",
                                         kinsol_solve };

/* ---- the five functions of the door ---------------------------------------------------------- */

/* Their codes, which agree where it matters, in our words. */
static StepStatus explain(Foreign *x, int code)
{
    Solver *s = &x->base;
    double h = s->stats.h_last;
    if (s->failure.kind != FAIL_NONE) return STEP_FAILED;
    if (x->state.gave_up) return solver_collapse(s, TRY_FATAL, h, NULL, NULL);
    switch (code) {
    case CV_TOO_MUCH_ACC:
        return solver_fail(s, FAIL_TOLERANCE, h, s->blamed,
                           "the tolerance asks for more digits than a double has");
    case CV_ERR_FAILURE:
        N_VSetArrayPointer(x->errors, x->view);
        if (x->choice->package->local_errors(x->memory, x->view) == 0 && solver_weights(s, s->y, x->weight))
            s->blamed = norm_worst(s->n, N_VGetArrayPointer(x->view), x->weight);
        return solver_collapse(s, TRY_OK, h, N_VGetArrayPointer(x->view), x->weight);
    case CV_LSETUP_FAIL: return solver_collapse(s, TRY_SINGULAR, h, NULL, NULL);
    case CV_CONV_FAILURE: return solver_collapse(s, s->blamed >= 0 ? TRY_MODEL : TRY_NEWTON, h, NULL, NULL);
    default: break;
    }
    if (s->stats.rejected_model > 0 && s->blamed >= 0) return solver_collapse(s, TRY_MODEL, h, NULL, NULL);
    return solver_fail(s, FAIL_MODEL, h, s->blamed, "%s gave up with code %d", s->type->name, code);
}

/* What is kept in common to `to`, or from there. */
static void copy_spans(Foreign *x, char *to, const char *from)
{
    for (uint32_t i = 0; i < x->spans; i++) {
        const KeptSpan *span = &x->base.kept.at[i];
        memcpy(to ? to : kept_at(span), to ? kept_at(span) : from, span->size);
        to = to ? to + span->size : NULL;
        from = from ? from + span->size : NULL;
    }
}

/* Their memory begins anew at (t, y). */
static int begin(Foreign *x)
{
    Solver *s = &x->base;
    size_t bytes = (size_t)s->n * sizeof(double);
    copy_spans(x, x->at_begin, NULL);
    x->state.rejected = x->state.iterations = x->state.failures = 0;
    x->state.pieces = 0;
    memcpy(x->out, s->y, bytes);
    int code = x->choice->package->reinit(x);
    memcpy(s->y, x->out, bytes);
    x->state.started = code == 0;
    return code;
}

/* One step; where f fails and the package cannot try again by itself, it begins again with a
 * smaller step. */
static int advance(Foreign *x, double t_limit, double *t)
{
    Solver *s = &x->base;
    const Package *package = x->choice->package;
    double h = fmin(fabs(t_limit - s->core.t), s->stats.h_last > 0.0 ? s->stats.h_last : INFINITY);
    for (;;) {
        long failed = s->stats.rejected_model;
        int code = package->stop_at(x->memory, t_limit);
        if (code >= 0) code = package->advance(x, t_limit, t);
        h *= RETRY_FACTOR;
        bool again = code < 0 && package->first_step && s->stats.rejected_model > failed &&
                     !(s->options.fixed_step > 0.0);
        if (!again || h < solver_least_step(s)) return code;
        x->state.first_step = h * s->core.direction;
        code = package->first_step(x->memory, x->state.first_step);
        if (code == 0) code = begin(x);
        if (code != 0) return code;
    }
}

/* A step to this limit is one that a restored solver has to repeat. */
static void note_step(Foreign *x, double limit)
{
    int *count = &x->state.pieces;
    if (*count > 0 && *count <= MOST_PIECES && x->pieces[*count - 1].limit == limit) {
        x->pieces[*count - 1].steps++;
        return;
    }
    if (*count < MOST_PIECES) x->pieces[*count] = (Piece){ limit, 1 };
    if (*count <= MOST_PIECES) ++*count;
}

static StepStatus foreign_step(Solver *s, double t_limit)
{
    Foreign *x = (Foreign *)s;
    const StepRecord *record = solver_replay(s);
    double t = s->core.t, h = 0.0;
    int order = 0;
    if (!solver_count_attempt(s, 0.0)) return STEP_FAILED;
    if (s->n == 0) {
        solver_accept(s, t_limit, t_limit - t, s->type->order, 0, 0);
        return STEP_LIMIT;
    }
    int code = x->state.started ? 0 : begin(x);
    if (code == 0) code = advance(x, t_limit, &t);
    if (code < 0 || x->state.gave_up || s->failure.kind != FAIL_NONE) return explain(x, code);
    x->choice->package->count(x, &h, &order);
    /* they creep on with steps that no longer move t */
    bool creeps = t != t_limit && fabs(h) < solver_least_step(s);
    if (creeps) return explain(x, s->blamed >= 0 ? CV_CONV_FAILURE : CV_ERR_FAILURE);
    if (record && (t != record->t || order != record->order))
        return solver_fail(s, FAIL_REPLAY, h, -1, "%s takes another step than the recorded one",
                           s->type->name);
    note_step(x, t_limit);
    memcpy(s->y, x->out, (size_t)s->n * sizeof(double));
    solver_accept(s, t, h, order, 0, 0);
    return t == t_limit ? STEP_LIMIT : STEP_TAKEN;
}

/* Begins where the package last began and goes the same way again. */
static bool foreign_restored(Solver *s)
{
    Foreign *x = (Foreign *)s;
    const Package *package = x->choice->package;
    if (!x->state.started || s->n == 0) return true;
    int pieces = x->state.pieces, code = 0;
    double t = 0.0, h = 0.0;
    copy_spans(x, x->aside, NULL);
    copy_spans(x, NULL, x->at_begin);
    if (package->first_step && x->state.first_step != 0.0)
        code = package->first_step(x->memory, x->state.first_step);
    if (code == 0) code = begin(x);
    for (int k = 0, order; k < pieces && code >= 0; k++)
        for (long i = 0; i < x->pieces[k].steps && code >= 0; i++) {
            code = advance(x, x->pieces[k].limit, &t);
            if (code >= 0) package->count(x, &h, &order);
            s->core.t = t;
            s->stats.h_last = fabs(h);
        }
    x->state.pieces = pieces;
    copy_spans(x, NULL, x->aside);
    return code >= 0 && !memcmp(s->y, x->out, (size_t)s->n * sizeof(double));
}

static bool foreign_savable(const Solver *s) { return ((const Foreign *)s)->state.pieces <= MOST_PIECES; }

static void foreign_interpolate(const Solver *s, double t, double *y)
{
    const Foreign *x = (const Foreign *)s;
    if (s->n == 0) return;
    N_VSetArrayPointer(y, x->view);
    if (!x->state.started || x->choice->package->dense(x->memory, t, 0, x->view) != 0)
        memcpy(y, s->y, (size_t)s->n * sizeof(double));
}

static bool foreign_restart(Solver *s, RestartHint hint)
{
    (void)hint;
    ((Foreign *)s)->state.started = ((Foreign *)s)->state.gave_up = false;
    return true;
}

static void foreign_destroy(Solver *s)
{
    Foreign *x = (Foreign *)s;
    if (x->memory) x->choice->package->free(&x->memory);
    if (x->functional) SUNNonlinSolFree(x->functional);
    if (x->linear) SUNLinSolFree(x->linear);
    if (x->matrix) SUNMatDestroy(x->matrix);
    N_Vector *const vectors[] = { &x->y, &x->yp, &x->tolerances, &x->view };
    for (size_t k = 0; k < COUNT_OF(vectors); k++)
        if (*vectors[k]) N_VDestroy(*vectors[k]);
    if (x->context) SUNContext_Free(&x->context);
    lu_free(x->lu);
}

static void keep_beginning(Foreign *x)
{
    Solver *s = &x->base;
    size_t size = 0;
    x->spans = s->kept.n;
    for (uint32_t i = 0; i < x->spans; i++) size += s->kept.at[i].size;
    x->at_begin = arena_zero(s->arena, size + 1);
    x->aside = arena_zero(s->arena, size + 1);
    solver_keep(s, x->at_begin, size);
    solver_keep(s, x->pieces, sizeof x->pieces);
    solver_keep(s, &x->state, sizeof x->state);
}

static bool foreign_setup(Solver *s)
{
    Foreign *x = (Foreign *)s;
    x->choice = s->type->data;
    x->weight = solver_vector(s);
    if (s->n == 0) return true; /* their vectors are never empty */
    if (SUNContext_Create(NULL, &x->context) != 0) return false;
    x->out = solver_vector(s);
    memcpy(x->out, s->y, (size_t)s->n * sizeof(double));
    x->y = N_VMake_Serial(s->n, x->out, x->context);
    x->tolerances = N_VMake_Serial(s->n, s->atol, x->context);
    x->errors = solver_vector(s);
    x->view = N_VMake_Serial(s->n, x->errors, x->context);
    bool ok = x->y && x->tolerances && x->view && x->choice->package->make(x);
    keep_beginning(x);
    if (!ok && s->failure.kind == FAIL_NONE)
        solver_fail(s, FAIL_WRONG_INPUT, 0.0, -1, "%s refuses this problem or these options", s->type->name);
    return ok;
}

static const ForeignChoice cvode_adams = { .package = &cvode, .method = CV_ADAMS },
                           cvode_bdf = { .package = &cvode, .method = CV_BDF, .newton = true },
                           ida_bdf = { .package = &ida, .newton = true },
                           arkode_erk = { .package = &arkode,
                                          .implicit_ = "ARKODE_DIRK_NONE",
                                          .explicit_ = "ARKODE_DORMAND_PRINCE_7_4_5" },
                           arkode_esdirk = { .package = &arkode,
                                             .implicit_ = "ARKODE_ESDIRK436L2SA_6_3_4",
                                             .explicit_ = "ARKODE_ERK_NONE",
                                             .newton = true },
                           arkode_imex = { .package = &arkode,
                                           .implicit_ = "ARKODE_ARK436L2SA_DIRK_6_3_4",
                                           .explicit_ = "ARKODE_ARK436L2SA_ERK_6_3_4",
                                           .newton = true,
                                           .splits = true };

#define FOREIGN_TYPE(name_, order_, most, choice_, more, summary_)                                          \
    {                                                                                                       \
        .name = name_, .family = "SUNDIALS", .summary = summary_,                                           \
        .reference = "Hindmarsh et al., SUNDIALS, ACM TOMS 31 (2005)", .order = order_, .order_most = most, \
        .dense_order = 3, .data = (choice_), .size = sizeof(Foreign),                                       \
        .can = SOLVE_ADAPTIVE | SOLVE_FOREIGN | (more), .setup = foreign_setup, .step = foreign_step,       \
        .interpolate = foreign_interpolate, .restart = foreign_restart, .destroy = foreign_destroy,         \
        .restored = foreign_restored, .savable = foreign_savable                                            \
    }
#define ARKODE_CAN (SOLVE_RESTART_HIGH | SOLVE_FIXED)

const SolverType solver_cvode_adams =
    FOREIGN_TYPE("cvode-adams", 4, 12, &cvode_adams, SOLVE_MULTISTEP | SOLVE_VARIABLE_ORDER,
                 "CVODE: Adams, orders 1 to 12, functional iteration");
const SolverType solver_cvode_bdf =
    FOREIGN_TYPE("cvode-bdf", 4, 5, &cvode_bdf, SOLVE_MULTISTEP | SOLVE_VARIABLE_ORDER | SOLVE_STIFF,
                 "CVODE: BDF, orders 1 to 5, Newton iteration");
const SolverType solver_ida = FOREIGN_TYPE(
    "ida", 4, 5, &ida_bdf, SOLVE_MULTISTEP | SOLVE_VARIABLE_ORDER | SOLVE_STIFF | SOLVE_MASS | SOLVE_RESIDUAL,
    "IDA: BDF on F(t, y, y') = 0, orders 1 to 5");
const SolverType solver_arkode_erk =
    FOREIGN_TYPE("arkode-erk", 5, 5, &arkode_erk, ARKODE_CAN, "ARKODE: Dormand and Prince 5(4)");
const SolverType solver_arkode_esdirk =
    FOREIGN_TYPE("arkode-esdirk", 4, 4, &arkode_esdirk, ARKODE_CAN | SOLVE_STIFF,
                 "ARKODE: ESDIRK 4(3) with six stages, L-stable");
const SolverType solver_arkode_imex =
    FOREIGN_TYPE("arkode-imex", 4, 4, &arkode_imex, ARKODE_CAN | SOLVE_STIFF | SOLVE_SPLIT,
                 "ARKODE: ARK 4(3), of split models the slow part explicitly, else all implicitly");

void arkode_of_tableau(Arena *arena, const ForeignTableau *tableau, SolverType *type)
{
    ForeignChoice *choice = NEW(arena, ForeignChoice);
    *choice = (ForeignChoice){ .package = &arkode, .newton = tableau->implicit, .tableau = tableau };
    *type = (SolverType)FOREIGN_TYPE(tableau->name, tableau->order, tableau->order, choice,
                                     ARKODE_CAN | (tableau->implicit ? SOLVE_STIFF : 0u),
                                     "ARKODE: a tableau given as data");
}
