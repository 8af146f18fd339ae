/* sundials.c: derivatives by CVODES, and by IDAS for systems with a mass matrix: an alternative to
 * our own, and a check of them.
 *
 * In: a model without events, what to differentiate in. Out: derivatives of all unknowns at the
 * end, or the gradient of a value there. How: their BDF with the model's exact Jacobian, dense or
 * banded; forward their staggered corrector with the model's products as right-hand sides, errors
 * of derivatives counted; back their adjoint module, with its checkpoints and its polynomials
 * between them, integrals as its quadratures. The equations are those of forward.c and adjoint.c.
 * Always: what they say goes nowhere but into the reason of a failure. Cost: theirs. Source:
 * Serban, Hindmarsh, CVODES, 2005. Tests: tests/sens/derivatives_test.c. */
#include "sens/inside.h"

#include <cvodes/cvodes.h>
#include <idas/idas.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

enum { MANY = 100, BETWEEN_CHECKPOINTS = 250, MOST_STEPS = 1000000 };
/* Their error test is of one step, as ours: see sim/run.c and adjoint.c. */
static const double STEP_SHARE = 0.1, ABSOLUTE_SHARE = 1e-2;

typedef struct {
    const SensForeign *job;
    Model *model;
    Arena *arena;
    int n, m;
    const double *mass;      /* NULL: all are 1 */
    ModelChange *changes;    /* m: unit vectors */
    double **out;            /* m */
    double *p, *held, *atol; /* m; n; n */
    MatrixShape *order;
    double *values;
    SUNContext context;
    void *memory; /* of CVODES or IDAS */
    SUNMatrix J, JB;
    SUNLinearSolver solver, solverB;
    N_Vector y, yp, *s, *sp, l, lp, q, id, tolerances;
} Foreign;

static double *at(N_Vector v) { return N_VGetArrayPointer(v); }

static int answer(EvalStatus status) { return status == EVAL_OK ? 0 : status == EVAL_RETRY ? 1 : -1; }

static void silent(int code, const char *module, const char *function, char *message, void *data)
{
    (void)code, (void)module, (void)function, (void)message, (void)data;
}

/* ---- what both packages need ----------------------------------------------------------------- */

static EvalStatus slopes(Foreign *w, double t, const double *y, double *f)
{
    return w->model->type->derivatives(w->model, t, y, f);
}

/* f_y s_j + f_pj */
static EvalStatus variations(Foreign *w, double t, const double *y, N_Vector *s, N_Vector *to)
{
    const ModelType *type = w->model->type;
    for (int j = 0; j < w->m; j++) {
        w->changes[j].y = at(s[j]);
        w->out[j] = at(to[j]);
    }
    EvalStatus status = type->linearise(w->model, MAP_DERIVATIVES, t, y);
    return status == EVAL_OK ? type->jvp(w->model, w->m, w->changes, w->out) : status;
}

/* f_y^T l in y, f_p^T l in p */
static EvalStatus product_back(Foreign *w, double t, const double *y, const double *l, double *to_y)
{
    const ModelType *type = w->model->type;
    ModelChange g = { .y = to_y, .count = w->m, .variables = w->job->wrt, .p = w->p };
    EvalStatus status = type->linearise(w->model, MAP_DERIVATIVES, t, y);
    return status == EVAL_OK ? type->vjp(w->model, l, &g) : status;
}

static void put(SUNMatrix J, int n, int i, int j, double value)
{
    if (n <= MANY)
        SM_ELEMENT_D(J, i, j) += value;
    else
        SM_ELEMENT_B(J, i, j) += value;
}

/* J = factor f_y + c L, or with f_y^T */
static EvalStatus matrix(Foreign *w, double t, const double *y, double factor, double c, bool is_back,
                         SUNMatrix J)
{
    const Pattern *p = w->order->pattern;
    memset(w->values, 0, w->order->size * sizeof(double));
    EvalStatus status = w->model->type->jacobian(w->model, t, y, w->order, w->values);
    SUNMatZero(J);
    for (int j = 0; j < w->n; j++) {
        for (int k = p ? p->start[j] : 0; k < (p ? p->start[j + 1] : w->n); k++) {
            int i = p ? p->row[k] : k;
            put(J, w->n, is_back ? j : i, is_back ? i : j, factor * w->values[matrix_place(w->order, i, j)]);
        }
        if (c != 0.0) put(J, w->n, j, j, c * (w->mass ? w->mass[j] : 1.0));
    }
    return status;
}

/* r = L v */
static void times_mass(const Foreign *w, const double *v, double *r)
{
    for (int i = 0; i < w->n; i++) r[i] = w->mass ? w->mass[i] * v[i] : v[i];
}

/* ---- CVODES ---------------------------------------------------------------------------------- */

static int cv_slopes(realtype t, N_Vector y, N_Vector f, void *user)
{
    return answer(slopes(user, t, at(y), at(f)));
}

static int cv_jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix J, void *user, N_Vector a, N_Vector b,
                       N_Vector c)
{
    (void)f, (void)a, (void)b, (void)c;
    return answer(matrix(user, t, at(y), 1.0, 0.0, false, J));
}

static int cv_variations(int count, realtype t, N_Vector y, N_Vector f, N_Vector *s, N_Vector *to, void *user,
                         N_Vector a, N_Vector b)
{
    (void)count, (void)f, (void)a, (void)b;
    return answer(variations(user, t, at(y), s, to));
}

static int cv_back(realtype t, N_Vector y, N_Vector l, N_Vector to, void *user)
{
    Foreign *w = user;
    EvalStatus status = product_back(w, t, at(y), at(l), at(to));
    for (int i = 0; i < w->n; i++) at(to)[i] = -at(to)[i];
    return answer(status);
}

static int cv_jacobian_back(realtype t, N_Vector y, N_Vector l, N_Vector f, SUNMatrix J, void *user,
                            N_Vector a, N_Vector b, N_Vector c)
{
    (void)l, (void)f, (void)a, (void)b, (void)c;
    return answer(matrix(user, t, at(y), -1.0, 0.0, true, J));
}

static int cv_integrand(realtype t, N_Vector y, N_Vector l, N_Vector to, void *user)
{
    Foreign *w = user;
    EvalStatus status = product_back(w, t, at(y), at(l), w->held);
    for (int j = 0; j < w->m; j++) at(to)[j] = -w->p[j];
    return answer(status);
}

static bool cv_make(Foreign *w)
{
    const SimOptions *o = w->job->options;
    void *cv = w->memory = CVodeCreate(CV_BDF, w->context);
    return cv && !CVodeSetErrHandlerFn(cv, silent, NULL) && !CVodeInit(cv, cv_slopes, o->t0, w->y) &&
           !CVodeSVtolerances(cv, STEP_SHARE * o->tol, w->tolerances) && !CVodeSetUserData(cv, w) &&
           !CVodeSetMaxNumSteps(cv, MOST_STEPS) && !CVodeSetStopTime(cv, o->t_end) &&
           !CVodeSetLinearSolver(cv, w->solver, w->J) && !CVodeSetJacFn(cv, cv_jacobian);
}

static bool cv_forward(Foreign *w, double *sizes)
{
    realtype t = w->job->options->t0;
    void *cv = w->memory;
    return !CVodeSensInit(cv, w->m, CV_STAGGERED, cv_variations, w->s) &&
           !CVodeSetSensParams(cv, sizes, sizes, NULL) && !CVodeSensEEtolerances(cv) &&
           !CVodeSetSensErrCon(cv, SUNTRUE) && CVode(cv, w->job->options->t_end, w->y, &t, CV_NORMAL) >= 0 &&
           CVodeGetSens(cv, &t, w->s) >= 0;
}

static bool cv_ahead(Foreign *w)
{
    realtype t = w->job->options->t0;
    int checkpoints;
    return !CVodeAdjInit(w->memory, BETWEEN_CHECKPOINTS, CV_POLYNOMIAL) &&
           CVodeF(w->memory, w->job->options->t_end, w->y, &t, CV_NORMAL, &checkpoints) >= 0;
}

static bool cv_walk_back(Foreign *w, double rtol, double atol)
{
    const SimOptions *o = w->job->options;
    void *cv = w->memory;
    realtype t;
    int which;
    return !CVodeCreateB(cv, CV_BDF, &which) && !CVodeInitB(cv, which, cv_back, o->t_end, w->l) &&
           !CVodeSStolerancesB(cv, which, rtol, atol) && !CVodeSetUserDataB(cv, which, w) &&
           !CVodeSetMaxNumStepsB(cv, which, MOST_STEPS) &&
           !CVodeSetLinearSolverB(cv, which, w->solverB, w->JB) &&
           !CVodeSetJacFnB(cv, which, cv_jacobian_back) && !CVodeQuadInitB(cv, which, cv_integrand, w->q) &&
           CVodeB(cv, o->t0, CV_NORMAL) >= 0 && !CVodeGetB(cv, which, &t, w->l) &&
           !CVodeGetQuadB(cv, which, &t, w->q);
}

/* ---- IDAS: L y' - f = 0 ---------------------------------------------------------------------- */

static int ida_residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void *user)
{
    Foreign *w = user;
    EvalStatus status = slopes(w, t, at(y), w->held);
    times_mass(w, at(yp), at(r));
    for (int i = 0; i < w->n; i++) at(r)[i] -= w->held[i];
    return answer(status);
}

static int ida_jacobian(realtype t, realtype c, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix J, void *user,
                        N_Vector a, N_Vector b, N_Vector d)
{
    (void)yp, (void)r, (void)a, (void)b, (void)d;
    return answer(matrix(user, t, at(y), -1.0, c, false, J));
}

static int ida_variations(int count, realtype t, N_Vector y, N_Vector yp, N_Vector r, N_Vector *s,
                          N_Vector *sp, N_Vector *to, void *user, N_Vector a, N_Vector b, N_Vector c)
{
    Foreign *w = user;
    (void)yp, (void)r, (void)a, (void)b, (void)c;
    EvalStatus status = variations(w, t, at(y), s, to);
    for (int j = 0; j < count; j++) {
        times_mass(w, at(sp[j]), w->held);
        for (int i = 0; i < w->n; i++) at(to[j])[i] = w->held[i] - at(to[j])[i];
    }
    return answer(status);
}

static int ida_back(realtype t, N_Vector y, N_Vector yp, N_Vector l, N_Vector lp, N_Vector r, void *user)
{
    Foreign *w = user;
    (void)yp;
    EvalStatus status = product_back(w, t, at(y), at(l), w->held);
    times_mass(w, at(lp), at(r));
    for (int i = 0; i < w->n; i++) at(r)[i] += w->held[i];
    return answer(status);
}

static int ida_jacobian_back(realtype t, realtype c, N_Vector y, N_Vector yp, N_Vector l, N_Vector lp,
                             N_Vector r, SUNMatrix J, void *user, N_Vector a, N_Vector b, N_Vector d)
{
    (void)yp, (void)l, (void)lp, (void)r, (void)a, (void)b, (void)d;
    return answer(matrix(user, t, at(y), 1.0, c, true, J));
}

static int ida_integrand(realtype t, N_Vector y, N_Vector yp, N_Vector l, N_Vector lp, N_Vector to,
                         void *user)
{
    (void)yp, (void)lp;
    return cv_integrand(t, y, l, to, user);
}

/* Their own consistent values follow from rates of states and a first step. */
static double first_time(const SimOptions *o) { return o->t0 + 1e-6 * (o->t_end - o->t0); }

static bool ida_make(Foreign *w)
{
    const SimOptions *o = w->job->options;
    void *ida = w->memory = IDACreate(w->context);
    return ida && !IDASetErrHandlerFn(ida, silent, NULL) && !IDAInit(ida, ida_residual, o->t0, w->y, w->yp) &&
           !IDASVtolerances(ida, STEP_SHARE * o->tol, w->tolerances) && !IDASetUserData(ida, w) &&
           !IDASetMaxNumSteps(ida, MOST_STEPS) && !IDASetStopTime(ida, o->t_end) && !IDASetId(ida, w->id) &&
           !IDASetSuppressAlg(ida, SUNTRUE) && !IDASetLinearSolver(ida, w->solver, w->J) &&
           !IDASetJacFn(ida, ida_jacobian);
}

static bool ida_forward(Foreign *w, double *sizes)
{
    realtype t;
    void *ida = w->memory;
    const SimOptions *o = w->job->options;
    return !IDASensInit(ida, w->m, IDA_STAGGERED, ida_variations, w->s, w->sp) &&
           !IDASetSensParams(ida, sizes, sizes, NULL) && !IDASensEEtolerances(ida) &&
           !IDASetSensErrCon(ida, SUNTRUE) && !IDACalcIC(ida, IDA_YA_YDP_INIT, first_time(o)) &&
           IDASolve(ida, o->t_end, &t, w->y, w->yp, IDA_NORMAL) >= 0 && IDAGetSens(ida, &t, w->s) >= 0;
}

static bool ida_ahead(Foreign *w)
{
    realtype t;
    int checkpoints;
    const SimOptions *o = w->job->options;
    return !IDACalcIC(w->memory, IDA_YA_YDP_INIT, first_time(o)) &&
           !IDAAdjInit(w->memory, BETWEEN_CHECKPOINTS, IDA_POLYNOMIAL) &&
           IDASolveF(w->memory, o->t_end, &t, w->y, w->yp, IDA_NORMAL, &checkpoints) >= 0;
}

static bool ida_walk_back(Foreign *w, double rtol, double atol)
{
    const SimOptions *o = w->job->options;
    void *ida = w->memory;
    realtype t;
    int which;
    return !IDACreateB(ida, &which) && !IDAInitB(ida, which, ida_back, o->t_end, w->l, w->lp) &&
           !IDASStolerancesB(ida, which, rtol, atol) && !IDASetUserDataB(ida, which, w) &&
           !IDASetMaxNumStepsB(ida, which, MOST_STEPS) && !IDASetIdB(ida, which, w->id) &&
           !IDASetSuppressAlgB(ida, which, SUNTRUE) && !IDASetLinearSolverB(ida, which, w->solverB, w->JB) &&
           !IDASetJacFnB(ida, which, ida_jacobian_back) &&
           !IDACalcICB(ida, which, o->t_end - 1e-6 * (o->t_end - o->t0), w->y, w->yp) &&
           !IDAQuadInitB(ida, which, ida_integrand, w->q) && IDASolveB(ida, o->t0, IDA_NORMAL) >= 0 &&
           !IDAGetB(ida, which, &t, w->l, w->lp) && !IDAGetQuadB(ida, which, &t, w->q);
}

/* A package of theirs. */
static const struct Package {
    const char *name;
    bool (*make)(Foreign *w), (*forward)(Foreign *w, double *sizes), (*ahead)(Foreign *w);
    bool (*walk_back)(Foreign *w, double rtol, double atol);
    void (*free)(void **memory);
} packages[] = {
    { "CVODES", cv_make, cv_forward, cv_ahead, cv_walk_back, CVodeFree },
    { "IDAS", ida_make, ida_forward, ida_ahead, ida_walk_back, IDAFree },
};

static const struct Package *package_of(const Foreign *w) { return &packages[w->mass != NULL]; }

/* ---- making ---------------------------------------------------------------------------------- */

static void free_all(Foreign *w)
{
    N_Vector *const vectors[] = { &w->y, &w->yp, &w->l, &w->lp, &w->q, &w->id, &w->tolerances };
    if (w->memory) package_of(w)->free(&w->memory);
    if (w->solver) SUNLinSolFree(w->solver);
    if (w->solverB) SUNLinSolFree(w->solverB);
    if (w->J) SUNMatDestroy(w->J);
    if (w->JB) SUNMatDestroy(w->JB);
    if (w->s) N_VDestroyVectorArray(w->s, w->m);
    if (w->sp) N_VDestroyVectorArray(w->sp, w->m);
    for (size_t k = 0; k < COUNT_OF(vectors); k++)
        if (*vectors[k]) N_VDestroy(*vectors[k]);
    if (w->context) SUNContext_Free(&w->context);
    arena_free(w->arena);
}

static SUNMatrix make_matrix(Foreign *w, bool is_back)
{
    int lower = 0, upper = 0;
    if (w->n <= MANY) return SUNDenseMatrix(w->n, w->n, w->context);
    if (w->order->pattern)
        pattern_bandwidth(w->order->pattern, &lower, &upper);
    else
        lower = upper = w->n - 1;
    return SUNBandMatrix(w->n, is_back ? lower : upper, is_back ? upper : lower, w->context);
}

static SUNLinearSolver make_solver(Foreign *w, SUNMatrix J)
{
    return w->n <= MANY ? SUNLinSol_Dense(w->y, J, w->context) : SUNLinSol_Band(w->y, J, w->context);
}

static bool make_vectors(Foreign *w)
{
    if (SUNContext_Create(NULL, &w->context)) return false;
    N_Vector *const of_n[] = { &w->y, &w->yp, &w->l, &w->lp, &w->id, &w->tolerances };
    for (size_t k = 0; k < COUNT_OF(of_n); k++) {
        *of_n[k] = N_VNew_Serial(w->n, w->context);
        if (!*of_n[k]) return false;
        N_VConst(0.0, *of_n[k]);
    }
    w->q = N_VNew_Serial(w->m, w->context);
    w->s = N_VCloneVectorArray(w->m, w->y);
    w->sp = N_VCloneVectorArray(w->m, w->y);
    w->J = make_matrix(w, false);
    w->JB = make_matrix(w, true);
    w->solver = w->J ? make_solver(w, w->J) : NULL;
    w->solverB = w->JB ? make_solver(w, w->JB) : NULL;
    if (!w->q || !w->s || !w->sp || !w->solver || !w->solverB) return false;
    N_VConst(0.0, w->q);
    for (int j = 0; j < w->m; j++) N_VConst(0.0, w->sp[j]);
    return true;
}

static void make_changes(Foreign *w)
{
    size_t m = (size_t)w->m;
    double *units = NEW_ARRAY(w->arena, double, m *m + 1);
    w->changes = NEW_ARRAY(w->arena, ModelChange, m + 1);
    w->out = NEW_ARRAY(w->arena, double *, m + 1);
    w->p = NEW_ARRAY(w->arena, double, m + 1);
    w->held = NEW_ARRAY(w->arena, double, (size_t)w->n + 1);
    w->order = matrix_shape(w->arena, w->n, w->model->shape.pattern);
    w->values = NEW_ARRAY(w->arena, double, w->order->size + 1);
    for (size_t j = 0; j < m; j++) {
        units[j * m + j] = 1.0;
        w->changes[j] = (ModelChange){ .count = w->m, .variables = w->job->wrt, .p = units + j * m };
    }
}

/* Values and derivatives at the start. */
static const char *start(Foreign *w)
{
    Model *model = w->model;
    const ModelShape *shape = &model->shape;
    EventInfo info = { .next_time = INFINITY };
    double t0 = w->job->options->t0;
    if (model->type->initialise(model, t0, at(w->y), &info) != EVAL_OK)
        return "the initial equations have no solution";
    if (shape->indicators || isfinite(info.next_time) || shape->discrete_count)
        return "the model has events, which they do not pass";
    for (int j = 0; j < w->m; j++) w->out[j] = at(w->s[j]);
    if (model->type->linearise(model, MAP_INITIAL, t0, at(w->y)) != EVAL_OK ||
        model->type->jvp(model, w->m, w->changes, w->out) != EVAL_OK)
        return "the initial equations cannot be differentiated";
    SolverOptions o = sim_solver_options(model, w->job->options, w->arena);
    for (int i = 0; i < w->n; i++) {
        at(w->tolerances)[i] = o.atol_each ? o.atol_each[i] : o.atol;
        at(w->id)[i] = w->mass && w->mass[i] == 0.0 ? 0.0 : 1.0;
    }
    if (!w->mass) return NULL;
    if (slopes(w, t0, at(w->y), at(w->yp)) != EVAL_OK || variations(w, t0, at(w->y), w->s, w->sp) != EVAL_OK)
        return "the model cannot be evaluated at the start";
    for (int i = 0; i < w->n; i++) {
        at(w->yp)[i] *= at(w->id)[i];
        for (int j = 0; j < w->m; j++) at(w->sp[j])[i] *= at(w->id)[i];
    }
    return NULL;
}

static const char *open_job(Foreign *w, const SensForeign *job)
{
    const Model *model = job->model;
    *w = (Foreign){
        .job = job, .model = job->model, .arena = arena_new(), .n = model->shape.n, .m = job->count
    };
    w->mass = model->shape.mass;
    if (!w->arena) return "no memory";
    if (!(model->can & MODEL_PRODUCTS) || !(model->can & MODEL_HYBRID) || !(model->can & MODEL_JACOBIAN))
        return "the model gives no exact derivatives";
    if (model->shape.mass_pattern) return "the mass matrix is not diagonal";
    if (w->n == 0) return "the model has no states";
    if (job->options->inputs) return "inputs over time are not passed on to them";
    make_changes(w);
    if (!make_vectors(w)) return "no memory";
    const char *fault = start(w);
    return fault ? fault : package_of(w)->make(w) ? NULL : "they refuse this problem";
}

static bool close_job(Foreign *w, const char *fault, char *why, size_t room)
{
    if (fault) snprintf(why, room, "%s: %s", package_of(w)->name, fault);
    if (w->arena) free_all(w);
    return !fault;
}

bool sens_foreign_forward(const SensForeign *job, double *y, double *derivatives, char *why, size_t room)
{
    Foreign w;
    const char *fault = open_job(&w, job);
    if (!fault) {
        double *sizes = NEW_ARRAY(w.arena, double, (size_t)w.m + 1);
        for (int j = 0; j < w.m; j++) sizes[j] = job->size[j] != 0.0 ? fabs(job->size[j]) : 1.0;
        if (!package_of(&w)->forward(&w, sizes)) fault = "the run failed";
    }
    if (!fault) {
        memcpy(y, at(w.y), (size_t)w.n * sizeof *y);
        for (int j = 0; j < w.m; j++)
            memcpy(derivatives + (ptrdiff_t)j * w.n, at(w.s[j]), (size_t)w.n * sizeof *y);
    }
    return close_job(&w, fault, why, room);
}

/* l at the end, and the value. */
static const char *begin_back(Foreign *w, int of, double *value, double *gradient)
{
    Model *model = w->model;
    const ModelVariable *v = &model->shape.variables[of];
    double t = w->job->options->t_end,
           *weights = NEW_ARRAY(w->arena, double, (size_t)model->shape.value_count + 1);
    if (model->type->values(model, t, at(w->y), weights) != EVAL_OK)
        return "the model cannot be evaluated at the end";
    *value = v->negated ? -weights[v->slot] : weights[v->slot];
    memset(weights, 0, (size_t)model->shape.value_count * sizeof *weights);
    weights[v->slot] = v->negated ? -1.0 : 1.0;
    ModelChange g = { .y = at(w->l), .count = w->m, .variables = w->job->wrt, .p = gradient };
    if (model->type->linearise(model, MAP_VALUES, t, at(w->y)) != EVAL_OK ||
        model->type->vjp(model, weights, &g) != EVAL_OK)
        return "the model cannot be differentiated at the end";
    return NULL;
}

static const char *end_back(Foreign *w, double *gradient)
{
    Model *model = w->model;
    ModelChange g = { .count = w->m, .variables = w->job->wrt, .p = w->p };
    EventInfo info;
    if (model->type->initialise(model, w->job->options->t0, at(w->y), &info) != EVAL_OK ||
        model->type->linearise(model, MAP_INITIAL, w->job->options->t0, at(w->y)) != EVAL_OK ||
        model->type->vjp(model, at(w->l), &g) != EVAL_OK)
        return "the initial equations cannot be differentiated";
    for (int j = 0; j < w->m; j++) gradient[j] += at(w->q)[j] + w->p[j];
    return NULL;
}

bool sens_foreign_adjoint(const SensForeign *job, int of, double *value, double *gradient, char *why,
                          size_t room)
{
    Foreign w;
    const char *fault = open_job(&w, job);
    if (!fault && !package_of(&w)->ahead(&w)) fault = "the run failed";
    if (!fault) fault = begin_back(&w, of, value, gradient);
    if (!fault) {
        double scale = N_VMaxNorm(w.l), tol = job->options->tol;
        bool ok = package_of(&w)->walk_back(&w, STEP_SHARE * tol,
                                            ABSOLUTE_SHARE * tol * (scale > 0.0 ? scale : 1.0));
        if (!ok) fault = "the run back failed";
    }
    if (!fault) fault = end_back(&w, gradient);
    return close_job(&w, fault, why, room);
}
