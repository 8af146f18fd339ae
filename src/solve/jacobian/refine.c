/* refine.c: solutions of (c L - J) d = b that are right where c is small beside J.
 *
 * In: factors of c L - J, b, d as solved with them. Out: d corrected once. Why: where h J is 1e8,
 * the sum c L - J keeps half of the digits of c at best, and elimination loses as much. So slow
 * directions of a stiff system, in which d = b/c, come out wrong in half of their digits,
 * differently for each c; methods that iterate do not mind, extrapolation makes much of it. How: b
 * + J d - c L d is taken with products and sums in twice the precision (Dekker 1971), c and J
 * apart, and solved for again. Cost: 16 operations an entry, one solve. Tests:
 * tests/solve/jacobian_test.c, delivered_test.c. */
#include "solve/jacobian/inside.h"

static const double SPLITTER = 0x1p27 + 1.0;

/* high + low += a b, where b = b_high + b_low is split into halves: the product of the upper halves
 * is exact, and so is its sum; the rest is small. */
static inline void add_product(double a, double b, double b_high, double b_low, double *high, double *low)
{
    double wide = SPLITTER * a, a_high = wide - (wide - a), p = a_high * b_high;
    double sum = *high + p, part = sum - *high;
    *low += ((*high - (sum - part)) + (p - part)) + (a_high * b_low + (a - a_high) * b);
    *high = sum;
}

bool refine_solution(const Jacobian *jac, double c, Lu *lu, const double *b, double *d, double *high,
                     double *low)
{
    const MatrixShape *m = jac->shape;
    for (int i = 0; i < m->n; i++) {
        high[i] = b[i];
        low[i] = jac->mass ? 0.0 : -c * d[i];
    }
    for (int j = 0; j < m->n; j++) {
        double wide = SPLITTER * d[j], d_high = wide - (wide - d[j]), d_low = d[j] - d_high, slope = c * d[j];
        const double *dense =
            m->kind == MATRIX_DENSE && !jac->mass ? jac->values + (size_t)j * (size_t)m->n : NULL;
        for (int i = 0; i < m->n && dense; i++) add_product(dense[i], d[j], d_high, d_low, &high[i], &low[i]);
        for (int k = 0, n = dense ? 0 : column_length(m, j), i; k < n; k++) {
            size_t at = column_entry(m, j, k, &i);
            if (jac->mass) low[i] -= jac->mass[at] * slope;
            add_product(jac->values[at], d[j], d_high, d_low, &high[i], &low[i]);
        }
    }
    for (int i = 0; i < m->n; i++) high[i] += low[i];
    if (!vector_is_finite(m->n, high)) return false;
    lu_solve(lu, high);
    return vector_add(m->n, 1.0, high, d);
}
