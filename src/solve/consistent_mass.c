/* consistent_mass.c: consistent initial values for L y' = f(t, y) with singular L, index 1.
 *
 * In: y at the start. Out: y whose algebraic equations hold, its dynamic part unchanged to rounding. How:
 * Newton steps d = (L/h - J)^-1 f(t, y) of an implicit Euler step with a tiny h that does not move the
 * time: where L acts the update is h y', far below the tolerance, elsewhere it is Newton's for the
 * algebraic equations, whatever the form of L. Always: values that are consistent within the tolerance
 * stay as they are, bit for bit. Cost: one Jacobian, one factorisation, few evaluations. Tests:
 * tests/solve/dae_test.c. */
#include "solve/inside.h"

enum { MOST_ROUNDS = 20 };
static const double SWALLOW = 1e-12, FIXED_ROUNDING = 1e4;
static const double CLOSE_ENOUGH = 1e-3; /* of the tolerance */

/* So small that dynamic unknowns, whose rate is at most |f| over the least entry of L, do not move by what
 * counts; but not so small that L/h would swallow J where the rows of L depend on each other. */
static double tiny_step(const Solver *s, const Jacobian *jac, const double *f, const double *w)
{
    double least = INFINITY, most = matrix_norm(jac->shape, jac->mass),
           rate = matrix_norm(jac->shape, jac->values);
    for (size_t k = 0; k < jac->shape->size; k++)
        if (jac->mass[k] != 0.0) least = fmin(least, fabs(jac->mass[k]));
    if (isinf(least)) least = most = 1.0;
    double h = 1e-6 * least / fmax(norm_rms(s->n, f, w), 1e-300),
           floor_ = SWALLOW * most / fmax(rate, 1e-300);
    double way = isinf(s->core.t_end) ? 1.0 : fabs(s->core.t_end - s->core.t);
    return fmin(fmax(h, floor_), 1e-10 * way) * s->core.direction;
}

/* Unknowns whose column of L is not zero stay as they are, where there are others. */
static void keep_dynamic(const Jacobian *jac, double *update)
{
    const MatrixShape *shape = jac->shape;
    int moving = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < shape->n && (pass == 0 || moving); j++) {
            double size = matrix_column_norm(shape, jac->mass, j);
            moving += pass == 0 && size == 0.0;
            for (int c = 0; c < shape->copies && pass && size > 0.0; c++) update[c * shape->n + j] = 0.0;
        }
}

static bool is_regular(const ModelShape *shape, int n)
{
    for (int j = 0; j < n; j++)
        if (shape->mass_pattern || shape->mass[j] == 0.0) return false;
    return true;
}

bool consistent_mass_start(Solver *s, Jacobian *jac, Lu *lu, double *matrix, const double *w, double *f,
                           double *y)
{
    const unsigned char *index = s->model->shape.index;
    size_t bytes = (size_t)s->n * sizeof(double);
    for (int i = 0; index && i < s->n; i++)
        if (index[i] > 1) return true;
    if (!(s->model->can & MODEL_MASS) || is_regular(&s->model->shape, jac->shape->n)) return true;
    /* with fixed steps weights are near rounding, which derivatives amplify */
    double enough = s->options.fixed_step > 0.0 ? FIXED_ROUNDING : 1.0;
    double norm = INFINITY, h = 0.0;
    memcpy(y, s->y, bytes);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        EvalStatus status = solver_f(s, s->core.t, y, f);
        if (status == EVAL_OK) status = jacobian_f(s, jac, s->core.t, y, f, h);
        if (status != EVAL_OK) break;
        if (round == 0) h = tiny_step(s, jac, f, w);
        jacobian_shift(jac, 1.0 / h, matrix);
        s->stats.factors++;
        if (lu_factor(lu, matrix) != LU_OK) {
            solver_fail(s, FAIL_SINGULAR, 0.0, lu_singular_column(lu),
                        "the algebraic equations are singular at the start");
            return false;
        }
        lu_solve(lu, f);
        s->stats.solves++;
        keep_dynamic(jac, f);
        double last = norm;
        norm = norm_rms(s->n, f, w);
        bool stuck = round > 3 && norm > 0.9 * last;
        if (!isfinite(norm) || (stuck && norm > enough)) break;
        if (round == 0 && norm < 1.0) return true;
        for (int i = 0; i < s->n; i++) y[i] += f[i];
        if (norm < CLOSE_ENOUGH || stuck) {
            memcpy(s->y, y, bytes);
            return true;
        }
    }
    solver_fail(s, FAIL_INCONSISTENT, 0.0, norm_worst(s->n, f, w), "no consistent initial values are found");
    return false;
}
