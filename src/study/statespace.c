/* statespace.c: what a linear system x' = A x + B u, y = C x + D u does: its poles and zeros, its
 * response to frequencies and to steps.
 *
 * In: matrices by rows. Out: numbers. How: eigenvalues by LAPACK; zeros as finite generalised
 * eigenvalues of the system's pencil (Emami-Naeini and Van Dooren 1982 say what else counts);
 * frequencies by a complex system each; steps by the matrix exponential of one sampling interval.
 * Cost: n^3 for each of them and for each frequency. Tests: tests/study/statespace_test.c. */
#include "study/study.h"

#include <complex.h>
#include <math.h>

typedef double complex Complex;

void dgeev_(const char *left, const char *right, const int *n, double *a, const int *lda, double *re,
            double *im, double *vl, const int *ldvl, double *vr, const int *ldvr, double *work,
            const int *lwork, int *info, size_t, size_t);
void dggev_(const char *left, const char *right, const int *n, double *a, const int *lda, double *b,
            const int *ldb, double *re, double *im, double *beta, double *vl, const int *ldvl, double *vr,
            const int *ldvr, double *work, const int *lwork, int *info, size_t, size_t);
void zgesv_(const int *n, const int *nrhs, Complex *a, const int *lda, int *ipiv, Complex *b, const int *ldb,
            int *info);
void dgelss_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
             const int *ldb, double *s, const double *rcond, int *rank, double *work, const int *lwork,
             int *info);

/* Generalised eigenvalues beyond this, relative to the system's size, are at infinity. */
static const double INFINITE = 1e10;

bool space_poles(const StateSpace *s, Arena *arena, double *re, double *im)
{
    int n = s->n, one = 1, lwork = 8 * n + 64, info = 0;
    if (!n) return true;
    double *a = NEW_ARRAY(arena, double, (size_t)n *(size_t)n),
           *work = NEW_ARRAY(arena, double, (size_t)lwork);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[j * n + i] = s->a[i * n + j];
    dgeev_("N", "N", &n, a, &n, re, im, NULL, &one, NULL, &one, work, &lwork, &info, 1, 1);
    return info == 0;
}

static double size_of(const StateSpace *s)
{
    double most = 1e-300;
    for (int i = 0; i < s->n * s->n; i++) most = fmax(most, fabs(s->a[i]));
    return most;
}

int space_zeros(const StateSpace *s, Arena *arena, double *re, double *im)
{
    int n = s->n, m = s->m, all = n + m, one = 1, lwork = 16 * all + 64, info = 0, count = 0;
    if (m != s->p || !m) return -1;
    size_t size = (size_t)all * (size_t)all;
    double *f = NEW_ARRAY(arena, double, size), *e = NEW_ARRAY(arena, double, size),
           *alpha = NEW_ARRAY(arena, double, (size_t)all), *alpha_im = NEW_ARRAY(arena, double, (size_t)all),
           *beta = NEW_ARRAY(arena, double, (size_t)all), *work = NEW_ARRAY(arena, double, (size_t)lwork);
    for (int i = 0; i < all; i++)
        for (int j = 0; j < all; j++)
            f[j * all + i] = i < n && j < n ? s->a[i * n + j]
                             : i < n        ? s->b[i * m + j - n]
                             : j < n        ? s->c[(i - n) * n + j]
                                            : s->d[(i - n) * m + j - n];
    for (int i = 0; i < n; i++) e[i * all + i] = 1.0;
    dggev_("N", "N", &all, f, &all, e, &all, alpha, alpha_im, beta, NULL, &one, NULL, &one, work, &lwork,
           &info, 1, 1);
    if (info != 0) return -1;
    double most = INFINITE * fmax(size_of(s), 1.0);
    for (int i = 0; i < all; i++) {
        if (hypot(alpha[i], alpha_im[i]) > most * fabs(beta[i])) continue;
        re[count] = alpha[i] / beta[i];
        im[count++] = alpha_im[i] / beta[i];
    }
    return count;
}

bool space_response(const StateSpace *s, Arena *arena, double omega, double *re, double *im)
{
    int n = s->n, m = s->m, info = 0;
    Complex *matrix = NEW_ARRAY(arena, Complex, (size_t)n * (size_t)n + 1),
            *x = NEW_ARRAY(arena, Complex, (size_t)n * (size_t)m + 1);
    int *pivots = NEW_ARRAY(arena, int, (size_t)n + 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) matrix[j * n + i] = (i == j ? I * omega : 0.0) - s->a[i * n + j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) x[j * n + i] = s->b[i * m + j];
    if (n && m) zgesv_(&n, &m, matrix, &n, pivots, x, &n, &info);
    if (info != 0) return false;
    for (int i = 0; i < s->p; i++)
        for (int j = 0; j < m; j++) {
            Complex g = s->d[i * m + j];
            for (int k = 0; k < n; k++) g += s->c[i * n + k] * x[j * n + k];
            re[i * m + j] = creal(g);
            im[i * m + j] = cimag(g);
        }
    return true;
}

static void multiply(int n, const double *a, const double *b, double *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

/* exp(a) by its series after scaling to a norm below 1/2, then squaring (Moler and Van Loan 2003,
 * method 3). Overwrites a. */
static void exponential(int n, double *a, double *out, double *next, double *term)
{
    enum { TERMS = 18 }; /* (1/2)^18 / 18! < 1e-21 */
    size_t size = (size_t)n * (size_t)n;
    double norm = 0.0;
    for (int i = 0; i < n; i++) {
        double row = 0.0;
        for (int j = 0; j < n; j++) row += fabs(a[i * n + j]);
        norm = fmax(norm, row);
    }
    int squarings = norm > 0.5 ? (int)ceil(log2(norm / 0.5)) : 0;
    for (size_t k = 0; k < size; k++) a[k] = ldexp(a[k], -squarings);
    for (size_t k = 0; k < size; k++) out[k] = term[k] = k % ((size_t)n + 1) == 0;
    for (int k = 1; k <= TERMS; k++) {
        multiply(n, term, a, next);
        for (size_t i = 0; i < size; i++) out[i] += term[i] = next[i] / k;
    }
    for (; squarings > 0; squarings--) {
        multiply(n, out, out, next);
        memcpy(out, next, size * sizeof *out);
    }
}

void space_steps(const StateSpace *s, Arena *arena, double h, int rows, double *y)
{
    int n = s->n, m = s->m, all = n + m;
    size_t size = (size_t)all * (size_t)all + 1;
    double *a = NEW_ARRAY(arena, double, size), *e = NEW_ARRAY(arena, double, size),
           *next = NEW_ARRAY(arena, double, size), *term = NEW_ARRAY(arena, double, size),
           *x = NEW_ARRAY(arena, double, (size_t)n *(size_t)m + 1),
           *moved = NEW_ARRAY(arena, double, (size_t)n *(size_t)m + 1);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) a[i * all + j] = h * s->a[i * n + j];
        for (int j = 0; j < m; j++) a[i * all + n + j] = h * s->b[i * m + j];
    }
    exponential(all, a, e, next, term);
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < s->p; i++)
            for (int j = 0; j < m; j++) {
                double sum = s->d[i * m + j];
                for (int k = 0; k < n; k++) sum += s->c[i * n + k] * x[k * m + j];
                *y++ = sum;
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                double sum = e[i * all + n + j];
                for (int k = 0; k < n; k++) sum += e[i * all + k] * x[k * m + j];
                moved[i * m + j] = sum;
            }
        memcpy(x, moved, (size_t)n * (size_t)m * sizeof *x);
    }
}

bool space_least(int n, const double *a, double *b, Arena *arena)
{
    int one = 1, rank = 0, info = 0, lwork = 10 * n + 64;
    double rcond = 1e-12;
    double *columns = NEW_ARRAY(arena, double, (size_t)n *(size_t)n + 1),
           *s = NEW_ARRAY(arena, double, (size_t)n + 1), *work = NEW_ARRAY(arena, double, (size_t)lwork);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) columns[j * n + i] = a[i * n + j];
    dgelss_(&n, &n, &one, columns, &n, b, &n, s, &rcond, &rank, work, &lwork, &info);
    return info == 0;
}
