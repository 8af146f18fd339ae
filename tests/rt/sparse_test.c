/* Sparse LU gives what dense LU gives, with pivots that are zero on the diagonal too, tells
 * singular columns, and may be used again with other values. */
#include "rt/rt.h"
#include "test.h"

#include <stdlib.h>

enum { N = 60 };

static double noise(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return (double)(*seed >> 16 & 0x7fff) / 16384.0 - 1.0;
}

/* A cyclic shift plus random entries: no diagonal, regular. */
static int fill(double *dense, unsigned *seed)
{
    int count = 0;
    for (int i = 0; i < N * N; i++) dense[i] = 0;
    for (int i = 0; i < N; i++) dense[i * N + (i + 1) % N] = 3 + noise(seed);
    for (int k = 0; k < 2 * N; k++) {
        int i = (int)((noise(seed) + 1) / 2 * N) % N, j = (int)((noise(seed) + 1) / 2 * N) % N;
        dense[i * N + j] += noise(seed);
    }
    for (int i = 0; i < N * N; i++) count += dense[i] != 0;
    return count;
}

static void test_random(unsigned seed, bool has_diagonal)
{
    static double dense[N * N], copy[N * N], values[N * N];
    static int row[N * N], start[N + 1], order[N], pivot[N], diagonal[N];
    double b[N], want[N];
    int count = 0;
    fill(dense, &seed);
    for (int j = 0; j < N; j++) {
        start[j] = count;
        order[j] = (j * 7 + 3) % N;
        for (int i = 0; i < N; i++)
            if (dense[i * N + j] != 0) row[count] = i, values[count++] = dense[i * N + j];
    }
    start[N] = count;
    for (int j = 0; j < N; j++)
        diagonal[j] = (j + N - 1) % N; /* the shift; entries elsewhere may be larger */
    RtPattern pattern = { N, start, row, order, has_diagonal ? diagonal : NULL };
    RtSparse *s = rt_sparse_new(&pattern);
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < N; i++) b[i] = want[i] = noise(&seed);
        for (int i = 0; i < N * N; i++) copy[i] = dense[i] * (again + 1);
        for (int k = 0; k < count; k++) values[k] *= again + 1;
        CHECK(rt_lu_factor(copy, N, pivot) == 0 && rt_sparse_factor(s, values) == 0);
        rt_lu_solve(copy, N, pivot, want);
        rt_sparse_solve(s, b);
        for (int i = 0; i < N; i++) CHECK_NEAR(b[i], want[i], 1e-10 * (1 + fabs(want[i])));
    }
    for (int k = start[5]; k < start[6]; k++) values[k] = 0;
    CHECK(rt_sparse_factor(s, values) == 6);
    rt_sparse_free(s);
}

int main(void)
{
    for (unsigned seed = 1; seed <= 20; seed++) test_random(seed, false), test_random(seed, true);
    return test_end();
}
