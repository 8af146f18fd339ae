/* algebra.c: systems of equations F(x) = 0, and the table of methods that solve them.
 *
 * In: a system that evaluates F, makes and factors a matrix near its Jacobian, and solves with it;
 * a guess. Out: x where a Newton step is small against tolerances. How (`newton`): with a fresh
 * matrix each time, d = M^-1 F; the step is halved until the next correction with the same matrix
 * is smaller, which needs no scales of F. KINSOL is the other row (sundials.c). Always: x changes
 * only to points where F is defined. Cost: a matrix and its factors an iteration. Source:
 * Deuflhard, Newton Methods for Nonlinear Problems, 2.1 and 3.3. Tests:
 * tests/solve/algebra_test.c. */
#include "solve/nonlinear/algebra.h"
#include "solve/core/vectors.h"

static const double ENOUGH = 0.01; /* size of the last correction, in tolerances */
static const double LEAST_DAMPING = 1e-3;
enum { MOST_ITERATIONS = 25 };

void algebraic_setup(Solver *s, AlgebraicSystem *system)
{
    double **vectors[] = { &system->x, &system->r, &system->d, &system->first, &system->trial };
    for (size_t i = 0; i < COUNT_OF(vectors); i++) *vectors[i] = solver_vector(s);
    system->n = s->n;
    system->stats = &s->stats;
    system->blamed = -1;
    system->enough = 1.0;
}

EvalStatus algebraic_correct(AlgebraicSystem *system, const double *x, double *size)
{
    EvalStatus status = system->residual(system->data, x, system->r);
    if (status != EVAL_OK) return status;
    memcpy(system->d, system->r, (size_t)system->n * sizeof(double));
    lu_solve(system->lu, system->d);
    system->stats->solves++;
    *size = norm_rms(system->n, system->d, system->weight);
    return isfinite(*size) ? EVAL_OK : EVAL_RETRY;
}

/* One Newton step with a fresh matrix. */
static EvalStatus improve(AlgebraicSystem *system, bool *done)
{
    size_t bytes = (size_t)system->n * sizeof(double);
    double size = INFINITY, next = INFINITY;
    EvalStatus status = system->matrix(system->data, system->x);
    if (status == EVAL_OK) status = algebraic_correct(system, system->x, &size);
    if (status != EVAL_OK) return status;
    system->stats->newton++;
    system->blamed = norm_worst(system->n, system->d, system->weight);
    *done = size <= ENOUGH;
    memcpy(system->first, system->d, bytes);
    for (double damping = 1.0; damping >= LEAST_DAMPING; damping *= 0.5) {
        for (int i = 0; i < system->n; i++) system->trial[i] = system->x[i] - damping * system->first[i];
        status = algebraic_correct(system, system->trial, &next);
        if (status == EVAL_FATAL) return status;
        if (*done || (status == EVAL_OK && next <= (1.0 - 1e-4 * damping) * size)) {
            memcpy(system->x, system->trial, bytes);
            *done |= next <= ENOUGH;
            if (system->rescale) system->rescale(system->data, system->x);
            return EVAL_OK;
        }
    }
    *done = size <= system->enough; /* rounding: nothing makes it smaller */
    return *done ? EVAL_OK : EVAL_RETRY;
}

static EvalStatus newton_solve(AlgebraicSystem *system)
{
    bool done = false;
    EvalStatus status = EVAL_OK;
    for (int k = 0; k < MOST_ITERATIONS && !done && status == EVAL_OK; k++) status = improve(system, &done);
    return done ? EVAL_OK : status == EVAL_OK ? EVAL_RETRY : status;
}

const AlgebraicType algebraic_newton = { "newton",
                                         "damped Newton iteration with the natural monotonicity test",
                                         newton_solve };
