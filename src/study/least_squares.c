/* least_squares.c: the parameters that make a sum of squares least, and how well the data tell
 * them.
 *
 * In: residuals with their derivatives. Out: a minimum within bounds, standard deviations,
 * intervals, what cannot be told. Cost: one evaluation an iteration and O(n m^2). Source: More,
 * Lecture Notes in Math. 630 (1978); Nielsen, IMM-REP-1999-05; Seber, Wild, Nonlinear Regression,
 * ch. 5. Tests: tests/study/fit_test.c. */
#include "study/study.h"

#include <float.h>
#include <math.h>

/* Levenberg and Marquardt with the damping of Nielsen; a step solves min |J d + r|^2 + mu |d|^2 in
 * scaled parameters by the singular values of J; parameters that a bound holds and that the step
 * would push beyond leave the step. At the minimum the covariance is s^2 (J^T J)^-1 with s^2 = sum
 * / (n - m), intervals are Student's. Invariant: the sum never rises; bounds hold exactly. */

static const double FIRST_DAMPING = 1e-3, LEAST_DAMPING = 1e-15;
/* singular values below this share of the largest tell nothing */
static const double UNKNOWN = 1e-10;
enum { MOST_ITERATIONS = 60, MOST_REFUSALS = 25 };

typedef struct {
    const FitProblem *problem;
    int n, m;
    double *p, *r, *J; /* the best so far; J in scaled parameters */
    double *p_new, *r_new, *J_new;
    double *a, *s, *v, *w; /* of the singular values */
    double *step;
    bool *held;
    double sum;
    FitResult *result;
} Search;

static double square_sum(int n, const double *r)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += r[i] * r[i];
    return sum;
}

/* Residuals, and their derivatives in p / size. */
static bool evaluate(Search *q, const double *p, double *r, double *J)
{
    q->result->evaluations++;
    if (!q->problem->residuals(q->problem->arg, p, r, J) || !isfinite(square_sum(q->n, r))) return false;
    for (int j = 0; j < q->m; j++)
        for (int i = 0; i < q->n; i++) J[(ptrdiff_t)j * q->n + i] *= q->problem->size[j];
    return isfinite(square_sum(q->n * q->m, J));
}

static double slope(const Search *q, int j)
{
    double sum = 0.0;
    for (int i = 0; i < q->n; i++) sum += q->J[(ptrdiff_t)j * q->n + i] * q->r[i];
    return sum;
}

/* Which parameters are at a bound that the minimum lies behind. */
static void find_held(Search *q)
{
    const FitProblem *f = q->problem;
    for (int j = 0; j < q->m; j++)
        q->held[j] =
            (q->p[j] <= f->low[j] && slope(q, j) > 0.0) || (q->p[j] >= f->high[j] && slope(q, j) < 0.0);
}

/* J of the free parameters, decomposed. */
static void decompose(Search *q)
{
    memcpy(q->a, q->J, (size_t)q->n * (size_t)q->m * sizeof *q->a);
    for (int j = 0; j < q->m; j++)
        if (q->held[j]) memset(q->a + (ptrdiff_t)j * q->n, 0, (size_t)q->n * sizeof *q->a);
    svd_columns(q->n, q->m, q->a, q->s, q->v);
    for (int k = 0; k < q->m; k++) {
        q->w[k] = 0.0; /* u_k s_k . r */
        for (int i = 0; i < q->n; i++) q->w[k] += q->a[(ptrdiff_t)k * q->n + i] * q->r[i];
    }
}

/* The step for a damping, in scaled parameters; what the linear model promises for it. */
static double find_step(Search *q, double mu)
{
    const FitProblem *f = q->problem;
    double promised = 0.0;
    memset(q->step, 0, (size_t)q->m * sizeof *q->step);
    for (int k = 0; k < q->m; k++) {
        double share = q->s[k] > 0.0 ? -q->w[k] / (q->s[k] * q->s[k] + mu) : 0.0;
        for (int j = 0; j < q->m; j++) q->step[j] += share * q->v[k * q->m + j];
    }
    for (int j = 0; j < q->m; j++) {
        q->p_new[j] = fmin(fmax(q->p[j] + q->step[j] * f->size[j], f->low[j]), f->high[j]);
        if (q->held[j]) q->p_new[j] = q->p[j];
        q->step[j] = (q->p_new[j] - q->p[j]) / f->size[j];
    }
    for (int i = 0; i < q->n; i++) {
        double sum = q->r[i];
        for (int j = 0; j < q->m; j++) sum += q->J[(ptrdiff_t)j * q->n + i] * q->step[j];
        promised += q->r[i] * q->r[i] - sum * sum;
    }
    return promised;
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

static bool is_small_step(const Search *q, double tolerance)
{
    for (int j = 0; j < q->m; j++) {
        double size = fmax(fabs(q->p[j]), 1e-3 * fabs(q->problem->size[j]));
        if (fabs(q->p_new[j] - q->p[j]) > tolerance * size) return false;
    }
    return true;
}

/* One iteration: whether it found a better point. */
static bool improve(Search *q, double *mu, double *nu)
{
    double promised = find_step(q, *mu);
    bool is_there = evaluate(q, q->p_new, q->r_new, q->J_new);
    double sum = is_there ? square_sum(q->n, q->r_new) : INFINITY,
           gain = (q->sum - sum) / fmax(promised, DBL_MIN);
    if (!(sum < q->sum)) {
        *mu *= *nu;
        *nu *= 2.0;
        return false;
    }
    swap(&q->p, &q->p_new);
    swap(&q->r, &q->r_new);
    swap(&q->J, &q->J_new);
    q->sum = sum;
    *mu = fmax(LEAST_DAMPING, *mu * fmax(1.0 / 3.0, 1.0 - pow(2.0 * gain - 1.0, 3.0)));
    *nu = 2.0;
    return true;
}

static FitEnd search(Search *q)
{
    const FitProblem *f = q->problem;
    double tolerance = f->tolerance > 0.0 ? f->tolerance : 1e-8, mu = -1.0, nu = 2.0;
    int most = f->most_iterations > 0 ? f->most_iterations : MOST_ITERATIONS, refusals = 0;
    if (!evaluate(q, q->p, q->r, q->J)) return FIT_NO_START;
    q->sum = square_sum(q->n, q->r);
    for (q->result->iterations = 0; q->result->iterations < most; q->result->iterations++) {
        if (f->interrupt && *f->interrupt) return FIT_STOPPED;
        find_held(q);
        decompose(q);
        if (mu < 0.0) mu = FIRST_DAMPING * fmax(q->s[0] * q->s[0], DBL_MIN);
        double before = q->sum;
        bool better = improve(q, &mu, &nu), is_small = is_small_step(q, tolerance);
        if (q->sum == 0.0 || (is_small && (better || nu > 4.0))) return FIT_DONE;
        if (better && before - q->sum <= 1e-14 * before) return FIT_DONE;
        refusals = better ? 0 : refusals + 1;
        if (refusals > MOST_REFUSALS) return is_small ? FIT_DONE : FIT_STOPPED;
    }
    return FIT_STOPPED;
}

/* ---- what the data tell ---------------------------------------------------------------------- */

/* Covariances in scaled parameters, of those that no bound holds. */
static double covariance(const Search *q, int i, int j)
{
    double sum = 0.0, s2 = q->result->noise * q->result->noise;
    for (int k = 0; k < q->m; k++) {
        if (q->s[k] <= UNKNOWN * q->s[0]) {
            /* a direction that the data do not see, unless it belongs to what is held */
            if (fabs(q->v[k * q->m + i]) > 1e-3 && !q->held[i] && i == j) return INFINITY;
            continue;
        }
        sum += q->v[k * q->m + i] * q->v[k * q->m + j] / (q->s[k] * q->s[k]);
    }
    return s2 * sum;
}

static void describe(Search *q, FitResult *out)
{
    int m = q->m;
    double quantile = student_quantile(0.975, q->n - m);
    out->noise = q->n > m ? sqrt(q->sum / (q->n - m)) : INFINITY;
    memset(q->held, 0, (size_t)m * sizeof *q->held);
    decompose(q); /* with nothing held: what the data see at all */
    memcpy(out->singular, q->s, (size_t)m * sizeof *q->s);
    memcpy(out->direction, q->v + (m ? m - 1 : 0) * m, (size_t)m * sizeof *q->v);
    find_held(q);
    decompose(q);
    for (int j = 0; j < m; j++) {
        double d = sqrt(covariance(q, j, j)) * fabs(q->problem->size[j]);
        out->at_bound[j] = q->p[j] <= q->problem->low[j] || q->p[j] >= q->problem->high[j];
        out->deviation[j] = q->held[j] ? 0.0 : d;
        out->low[j] = q->p[j] - quantile * out->deviation[j];
        out->high[j] = q->p[j] + quantile * out->deviation[j];
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double scale = sqrt(covariance(q, i, i) * covariance(q, j, j));
            out->correlation[i * m + j] = i == j                           ? 1.0
                                          : scale > 0.0 && isfinite(scale) ? covariance(q, i, j) / scale
                                                                           : 0.0;
        }
}

static double *vector(Arena *arena, size_t n) { return NEW_ARRAY(arena, double, n + 1); }

void fit_least_squares(const FitProblem *problem, const double *p, Arena *arena, FitResult *out)
{
    size_t n = (size_t)problem->n, m = (size_t)problem->m;
    Search q = { .problem = problem, .n = problem->n, .m = problem->m, .result = out };
    *out = (FitResult){ 0 };
    double **of_m[] = { &q.p,      &q.p_new,   &q.s,           &q.w,           &q.step, &out->deviation,
                        &out->low, &out->high, &out->singular, &out->direction };
    double **of_n[] = { &q.r, &q.r_new };
    double **of_nm[] = { &q.J, &q.J_new, &q.a };
    for (size_t k = 0; k < COUNT_OF(of_m); k++) *of_m[k] = vector(arena, m);
    for (size_t k = 0; k < COUNT_OF(of_n); k++) *of_n[k] = vector(arena, n);
    for (size_t k = 0; k < COUNT_OF(of_nm); k++) *of_nm[k] = vector(arena, n * m);
    q.v = vector(arena, m * m);
    out->correlation = vector(arena, m * m);
    q.held = NEW_ARRAY(arena, bool, m + 1);
    out->at_bound = NEW_ARRAY(arena, bool, m + 1);
    for (size_t j = 0; j < m; j++) q.p[j] = fmin(fmax(p[j], problem->low[j]), problem->high[j]);
    out->end = search(&q);
    out->p = q.p;
    out->r = q.r;
    out->sum = q.sum;
    if (out->end != FIT_NO_START) describe(&q, out);
}
