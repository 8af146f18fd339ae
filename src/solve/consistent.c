/* consistent.c: initial values that satisfy F(t, y, y') = 0, for equations of index 1.
 *
 * In: y of which the differential components are right, y' (or zeros), which components are algebraic. Out:
 * y' of the differential and y of the algebraic components. How: damped Newton iteration with the matrix
 * dF/dy + c dF/dy' of a tiny step 1/c: its solution d moves y by -d where algebraic and y' by -c d elsewhere,
 * so it is Newton's method for the unknowns up to terms of that step; no other derivatives of F are needed.
 * Where the derivatives appear combined (a mass matrix whose kernel is no set of components) the given y must
 * be consistent. Always: differential components of y are not touched. Source: Brown, Hindmarsh, Petzold,
 * SIAM J. Sci. Comp. 19 (1998). Tests: tests/solve/dassl_test.c. */
#include "solve/inside.h"

static const double TINY_SHARE = 1e-10; /* of the whole way: the first tiny step */
static const double ENOUGH = 0.01;      /* size of the last correction, in tolerances */
static const double STEP_SHRINK = 0.01; /* when iteration fails, the matrix is that of a smaller step */
static const double LEAST_DAMPING = 1e-3;
enum { MOST_ITERATIONS = 25, MOST_SHRINKS = 4 };

/* d = M^-1 F at (y, yp); *size: of what it would change, y' counted over the tiny step. */
static EvalStatus correction(Consistent *w, const double *weight, const double *y, const double *yp,
                             double *size)
{
    EvalStatus status = solver_residual(w->s, w->s->core.t, y, yp, w->r);
    if (status != EVAL_OK) return status;
    memcpy(w->d, w->r, (size_t)w->s->n * sizeof(double));
    lu_solve(w->lu, w->d);
    *size = norm_rms(w->s->n, w->d, weight);
    return isfinite(*size) ? EVAL_OK : EVAL_RETRY;
}

static EvalStatus make_matrix(Consistent *w, double h)
{
    Solver *s = w->s;
    EvalStatus status = solver_residual(s, s->core.t, s->y, s->yp, w->r);
    if (status == EVAL_OK) status = jacobian_residual(s, w->jacobian, s->core.t, s->y, s->yp, w->r, w->c, h);
    if (status != EVAL_OK) return status;
    s->stats.factors++;
    return lu_factor(w->lu, w->jacobian->values) == LU_OK ? EVAL_OK : EVAL_RETRY;
}

static void move(const Consistent *w, double damping)
{
    for (int i = 0; i < w->s->n; i++) {
        w->y[i] = w->s->y[i] - (w->algebraic[i] ? damping * w->d[i] : 0.0);
        w->yp[i] = w->s->yp[i] - (w->algebraic[i] ? 0.0 : damping * w->c * w->d[i]);
    }
}

/* One Newton step with a fresh matrix; the step is halved until the next correction is smaller. */
static EvalStatus improve(Consistent *w, const double *weight, double h, bool *done)
{
    Solver *s = w->s;
    size_t bytes = (size_t)s->n * sizeof(double);
    double size, next;
    EvalStatus status = make_matrix(w, h);
    if (status == EVAL_OK) status = correction(w, weight, s->y, s->yp, &size);
    if (status != EVAL_OK) return status;
    s->stats.newton++;
    s->blamed = norm_worst(s->n, w->d, weight);
    *done = size <= ENOUGH;
    memcpy(w->first, w->d, bytes);
    for (double damping = 1.0; damping >= LEAST_DAMPING; damping *= 0.5) {
        memcpy(w->d, w->first, bytes);
        move(w, damping);
        status = correction(w, weight, w->y, w->yp, &next);
        if (status == EVAL_FATAL) return status;
        if (*done || (status == EVAL_OK && next <= (1.0 - 1e-4 * damping) * size)) {
            memcpy(s->y, w->y, bytes);
            memcpy(s->yp, w->yp, bytes);
            *done |= next <= ENOUGH;
            return EVAL_OK;
        }
    }
    *done = size <= 1.0; /* rounding: within the tolerance, and nothing makes it smaller */
    return *done ? EVAL_OK : EVAL_RETRY;
}

void consistent_setup(Solver *s, Jacobian *jacobian, Lu *lu, Consistent *w)
{
    *w = (Consistent){ .s = s, .jacobian = jacobian, .lu = lu };
    w->algebraic = NEW_ARRAY(s->arena, unsigned char, (size_t)s->n + 1);
    w->r = solver_vector(s);
    w->d = solver_vector(s);
    w->first = solver_vector(s);
    w->y = solver_vector(s);
    w->yp = solver_vector(s);
    w->weight = solver_vector(s);
    model_algebraic(s->model, w->algebraic);
}

bool consistent_solve(Consistent *w, const double *weight)
{
    Solver *s = w->s;
    /* y' = f needs no iteration */
    if (!(s->model->can & (MODEL_RESIDUAL | MODEL_MASS))) {
        if (solver_f(s, s->core.t, s->y, s->yp) == EVAL_OK) return true;
        solver_fail(s, FAIL_MODEL, 0.0, s->blamed, "the model cannot be evaluated at the start");
        return false;
    }
    double way = isinf(s->core.t_end) || s->core.t_end == s->core.t ? 1.0 : fabs(s->core.t_end - s->core.t);
    double h = TINY_SHARE * way * s->core.direction;
    memcpy(w->weight, weight, (size_t)s->n * sizeof(double));
    bool done = false;
    EvalStatus status = EVAL_RETRY;
    for (int shrinks = 0; shrinks < MOST_SHRINKS && !done && status != EVAL_FATAL; shrinks++) {
        w->c = 1.0 / h;
        h *= STEP_SHRINK;
        status = EVAL_OK;
        for (int k = 0; k < MOST_ITERATIONS && !done && status == EVAL_OK; k++) {
            status = improve(w, w->weight, h, &done);
            /* what was 0 for want of a guess has a size now */
            if (!(s->options.fixed_step > 0.0)) solver_weights(s, s->y, w->weight);
        }
    }
    w->jacobian->have = false;
    if (done) return true;
    if (status == EVAL_FATAL)
        solver_fail(s, FAIL_MODEL, 0.0, s->blamed, "the model gave up at the start");
    else
        solver_fail(s, FAIL_INCONSISTENT, 0.0, s->blamed, "no consistent initial values are found");
    return false;
}
