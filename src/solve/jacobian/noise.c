/* noise.c: how exact f is: what rounding does to its values, by row.
 *
 * In: a point with its right-hand side. Out: for each row the size of its rounding errors. How: f
 * is taken at POINTS points along a short line on which all unknowns move. So short a piece of f is
 * a parabola to the last digit, and what its third differences hold is rounding (Hamming; More and
 * Wild, SIAM J. Sci. Comput. 33, 2011). The terms of f that are known show the last operations
 * only: linear equations that are solved inside of f, or a difference of large numbers, lose digits
 * that no term tells of. Always: of the differences the lower median counts, since a jump of f
 * spoils three of the six; an unknown moves to the side of its increment, and 0 stays. Cost: POINTS
 * - 1 evaluations. Tests: tests/solve/jacobian_test.c. */
#include "solve/jacobian/inside.h"

enum { POINTS = 9, ORDER = 3, DIFFERENCES = POINTS - ORDER };
static const double APART = 0x1p-36; /* of an unknown, rounded down to a power of two */
/* of the sizes of third differences, over the deviation of f */
static const double MEDIAN = 2.5;

struct Noise {
    double *last[ORDER];             /* f and its differences at the point before */
    double *difference[DIFFERENCES]; /* sizes of third ones */
};

Noise *noise_new(Solver *s)
{
    Noise *x = NEW(s->arena, Noise);
    for (int k = 0; k < ORDER; k++) x->last[k] = solver_vector(s);
    for (int k = 0; k < DIFFERENCES; k++) x->difference[k] = solver_vector(s);
    return x;
}

/* To point k. Spacings are powers of two, so that points are as far apart as each other but for the
 * last bit. */
static void move_all(const Solver *s, Jacobian *jac, const DifferencePoint *p, int k)
{
    for (int j = 0; j < s->n; j++) {
        double size = fabs(p->y[j]), apart = isnormal(size) ? ldexp(APART, ilogb(size)) : 0.0;
        jac->y[j] = p->y[j] + copysign(k * apart, jac->delta[j]);
    }
}

static void take_point(Noise *x, int n, const double *f, int k)
{
    for (int i = 0; i < n; i++) {
        double change = f[i];
        for (int o = 0; o < ORDER && o <= k; o++) {
            double before = x->last[o][i];
            x->last[o][i] = change;
            change -= before;
        }
        if (k >= ORDER) x->difference[k - ORDER][i] = fabs(change);
    }
}

static double median_of(const Noise *x, int i)
{
    double sorted[DIFFERENCES];
    for (int k = 0; k < DIFFERENCES; k++) {
        int at = k;
        for (; at > 0 && sorted[at - 1] > x->difference[k][i]; at--) sorted[at] = sorted[at - 1];
        sorted[at] = x->difference[k][i];
    }
    return sorted[(DIFFERENCES - 1) / 2];
}

bool noise_measure(Solver *s, Jacobian *jac, const DifferencePoint *p, const double *f0, double *noise)
{
    Noise *x = jac->noise;
    EvalStatus status = EVAL_OK;
    take_point(x, s->n, f0, 0);
    for (int k = 1; k < POINTS && status == EVAL_OK; k++) {
        move_all(s, jac, p, k);
        status = difference_f(s, jac, p, jac->f);
        if (status == EVAL_OK) take_point(x, s->n, jac->f, k);
    }
    memcpy(jac->y, p->y, (size_t)s->n * sizeof(double));
    for (int i = 0; i < s->n && status == EVAL_OK; i++) noise[i] = median_of(x, i) / MEDIAN;
    return status == EVAL_OK;
}
