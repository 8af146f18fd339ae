/* schur.c: generalised eigenvalue problems of dense pairs: the Schur form, bases of subspaces,
 * eigenvalues alone.
 *
 * In: A and B by columns. Out: see inside.h. How: QZ (LAPACK zgges) in complex arithmetic, so that
 * each eigenvalue of a conjugate pair can be in a cluster of its own; a cluster's right basis are
 * the first columns of Z after it was moved to the top of the diagonal, the left one the last
 * columns of Q after it was moved to the bottom (ztgsen). Always: both bases are orthonormal; the
 * two reorderings leave different blocks, so Y^H B X is full, not triangular. Cost: O(n^3). Tests:
 * tests/realtime/criterion_test.c. */
#include "realtime/inside.h"

#include <math.h>

void zgges_(const char *left, const char *right, const char *sort, void *select, const int *n, Complex *a,
            const int *lda, Complex *b, const int *ldb, int *sdim, Complex *alpha, Complex *beta,
            Complex *vsl, const int *ldvsl, Complex *vsr, const int *ldvsr, Complex *work, const int *lwork,
            double *rwork, int *bwork, int *info, size_t, size_t, size_t);
void ztgsen_(const int *job, const int *wantq, const int *wantz, const int *select, const int *n, Complex *a,
             const int *lda, Complex *b, const int *ldb, Complex *alpha, Complex *beta, Complex *q,
             const int *ldq, Complex *z, const int *ldz, int *m, double *pl, double *pr, double *dif,
             Complex *work, const int *lwork, int *iwork, const int *liwork, int *info);
void zgesv_(const int *n, const int *nrhs, Complex *a, const int *lda, int *ipiv, Complex *b, const int *ldb,
            int *info);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb,
            int *info);
void dgeev_(const char *left, const char *right, const int *n, double *a, const int *lda, double *re,
            double *im, double *vl, const int *ldvl, double *vr, const int *ldvr, double *work,
            const int *lwork, int *info, size_t, size_t);

static Complex *matrix_new(Arena *arena, int rows, int columns)
{
    return NEW_ARRAY(arena, Complex, (size_t)rows * (size_t)columns + 1);
}

Schur *schur_of(Arena *arena, int n, const double *a, const double *b)
{
    Schur *schur = NEW(arena, Schur);
    size_t size = (size_t)n * (size_t)n;
    *schur = (Schur){ n,
                      matrix_new(arena, n, n),
                      matrix_new(arena, n, n),
                      matrix_new(arena, n, n),
                      matrix_new(arena, n, n),
                      matrix_new(arena, n, 1) };
    for (size_t k = 0; k < size; k++) schur->s[k] = a[k], schur->t[k] = b[k];
    Complex *alpha = matrix_new(arena, n, 1), *beta = matrix_new(arena, n, 1);
    int lwork = 8 * n + 64, sdim = 0, info = 0;
    Complex *work = matrix_new(arena, lwork, 1);
    double *rwork = NEW_ARRAY(arena, double, 8 * (size_t)n + 1);
    zgges_("V", "V", "N", NULL, &n, schur->s, &n, schur->t, &n, &sdim, alpha, beta, schur->q, &n, schur->z,
           &n, work, &lwork, rwork, NULL, &info, 1, 1, 1);
    for (int i = 0; i < n && info == 0; i++) {
        if (cabs(beta[i]) <= 1e-300) return NULL;
        schur->lambda[i] = alpha[i] / beta[i];
    }
    return info == 0 ? schur : NULL;
}

typedef struct {
    Complex *q, *z;
} Reordered;

static bool reorder(const Schur *schur, const unsigned char *chosen, bool wanted, Arena *scratch,
                    Reordered *out)
{
    int n = schur->n, job = 0, yes = 1, m = 0, info = 0, lwork = 4 * n + 64, liwork = n + 8;
    size_t size = (size_t)n * (size_t)n;
    Complex *s = matrix_new(scratch, n, n), *t = matrix_new(scratch, n, n),
            *work = matrix_new(scratch, lwork, 1);
    Complex *alpha = matrix_new(scratch, n, 1), *beta = matrix_new(scratch, n, 1);
    int *select = NEW_ARRAY(scratch, int, (size_t)n + 1), *iwork = NEW_ARRAY(scratch, int, (size_t)liwork);
    double pl, pr, dif[2];
    *out = (Reordered){ matrix_new(scratch, n, n), matrix_new(scratch, n, n) };
    memcpy(s, schur->s, size * sizeof *s);
    memcpy(t, schur->t, size * sizeof *t);
    memcpy(out->q, schur->q, size * sizeof *s);
    memcpy(out->z, schur->z, size * sizeof *s);
    for (int i = 0; i < n; i++) select[i] = (chosen[i] != 0) == wanted;
    ztgsen_(&job, &yes, &yes, select, &n, s, &n, t, &n, alpha, beta, out->q, &n, out->z, &n, &m, &pl, &pr,
            dif, work, &lwork, iwork, &liwork, &info);
    return info == 0;
}

bool schur_bases(const Schur *schur, const unsigned char *chosen, int m, Complex *x, Complex *y,
                 Arena *scratch)
{
    size_t n = (size_t)schur->n, size = n * (size_t)m;
    ArenaMark mark = arena_mark(scratch);
    Reordered top, bottom;
    bool ok = reorder(schur, chosen, true, scratch, &top) && reorder(schur, chosen, false, scratch, &bottom);
    if (ok) memcpy(x, top.z, size * sizeof *x);
    if (ok) memcpy(y, bottom.q + n * n - size, size * sizeof *y);
    arena_rewind(scratch, mark);
    return ok;
}

bool complex_solve(int m, int k, Complex *c, Complex *r, Arena *scratch)
{
    int info = 0, *pivots = NEW_ARRAY(scratch, int, (size_t)m + 1);
    zgesv_(&m, &k, c, &m, pivots, r, &m, &info);
    return info == 0;
}

bool pair_eigenvalues(int n, double *a, double *b, Complex *lambda, Arena *scratch)
{
    ArenaMark mark = arena_mark(scratch);
    int info = 0, one = 1, lwork = 34 * n + 64, *pivots = NEW_ARRAY(scratch, int, (size_t)n + 1);
    double *re = NEW_ARRAY(scratch, double, (size_t)n + 1), *im = NEW_ARRAY(scratch, double, (size_t)n + 1);
    double *work = NEW_ARRAY(scratch, double, (size_t)lwork);
    dgesv_(&n, &n, b, &n, pivots, a, &n, &info);
    for (size_t k = 0; k < (size_t)n * (size_t)n && info == 0; k++)
        if (!isfinite(a[k])) info = 1;
    if (info == 0) dgeev_("N", "N", &n, a, &n, re, im, NULL, &one, NULL, &one, work, &lwork, &info, 1, 1);
    for (int i = 0; i < n && info == 0; i++) lambda[i] = re[i] + I * im[i];
    arena_rewind(scratch, mark);
    return info == 0;
}
