/* radius.c: how large a Jacobian is: a weighted norm, and its spectral radius.
 *
 * In: a matrix, weights of tolerances. Out: max_i w_i sum_j |J_ij| / w_j, or the size of the
 * largest eigenvalue by the power method, to some percent. Cost: a product with the matrix, or 16.
 * Tests: tests/solve/multistep_test.c, starter_test.c. */
#include "solve/core/vectors.h"
#include "solve/jacobian/jacobian.h"

enum { WARM_TURNS = 4, TURNS = 12 };

double jacobian_norm(const Jacobian *jacobian, const double *weight, double *matrix, double *tolerance,
                     double *sum)
{
    const MatrixShape *shape = jacobian->shape;
    int n = shape->n * shape->systems;
    double most = 0.0;
    for (size_t k = 0; k < shape->size; k++) matrix[k] = fabs(jacobian->values[k]);
    for (int i = 0; i < n; i++) tolerance[i] = 1.0 / weight[i];
    matrix_times(shape, matrix, tolerance, sum);
    for (int i = 0; i < n; i++) most = fmax(most, sum[i] * weight[i]);
    return most;
}

/* By powers: some turns of J on an uneven vector, then the mean growth over more of them, since
 * complex eigenvalues make it go up and down. */
double matrix_radius(const MatrixShape *shape, const double *values, const double *weight, double *v,
                     double *next)
{
    int n = shape->n * shape->systems;
    double growth = 0.0;
    for (int i = 0; i < n; i++) v[i] = (1.0 + 0.5 * sin(2.3 * i + 0.7)) / weight[i];
    for (int turn = 0; turn < WARM_TURNS + TURNS; turn++) {
        matrix_times(shape, values, v, next);
        double size = norm_rms(n, next, weight), old = norm_rms(n, v, weight);
        if (!isfinite(size)) return -1.0;
        if (!(size > 0.0)) return 0.0;
        if (turn >= WARM_TURNS) growth += log(size / old);
        for (int i = 0; i < n; i++) v[i] = next[i] / size;
    }
    return exp(growth / TURNS);
}
