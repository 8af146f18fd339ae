/* Sparse LU gives what dense LU gives, with pivots that are zero on the diagonal too, tells
 * singular columns, and may be used again with other values: then it gives, to the bit, what it
 * gives when they come first, and searches columns only after a pivot that changes. */
#include "rt/rt.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

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

/* What changes between two factorisations: all a little; one entry to zero and back, or to be the
 * largest; a column to be singular. */
static void change(double *values, const double *first, int count, unsigned *seed, int round)
{
    int e = (int)((noise(seed) + 1) / 2 * count) % count;
    for (int k = 0; k < count; k++) values[k] = first[k] * (1 + 1e-3 * noise(seed));
    if (round % 4 == 1) values[e] = 0;
    if (round % 4 == 2) values[e] *= 50;
    if (round % 16 == 3)
        for (int k = 0; k < count; k++) values[k] = k == e ? values[k] : 0;
}

static void test_again(unsigned seed, bool has_diagonal)
{
    static double dense[N * N], first[N * N], values[N * N];
    static int row[N * N], start[N + 1], order[N], diagonal[N];
    int count = 0;
    fill(dense, &seed);
    for (int j = 0; j < N; j++) {
        start[j] = count;
        order[j] = (j * 7 + 3) % N;
        diagonal[j] = (j + N - 1) % N;
        for (int i = 0; i < N; i++)
            if (dense[i * N + j] != 0) row[count] = i, first[count++] = dense[i * N + j];
    }
    start[N] = count;
    RtPattern pattern = { N, start, row, order, has_diagonal ? diagonal : NULL };
    RtSparse *used = rt_sparse_new(&pattern);
    for (int round = 0; round < 40; round++) {
        double a[N], b[N];
        RtSparse *fresh = rt_sparse_new(&pattern);
        change(values, first, count, &seed, round);
        for (int i = 0; i < N; i++) a[i] = b[i] = noise(&seed);
        int failed = rt_sparse_factor(used, values);
        CHECK(rt_sparse_factor(fresh, values) == failed);
        if (!failed) {
            rt_sparse_solve(used, a);
            rt_sparse_solve(fresh, b);
        }
        CHECK(!memcmp(a, b, sizeof a));
        rt_sparse_free(fresh);
    }
    long searched = rt_sparse_searched(used);
    memcpy(values, first, (size_t)count * sizeof *values);
    CHECK(rt_sparse_factor(used, values) == 0);
    CHECK(rt_sparse_searched(used) <= searched + N);
    searched = rt_sparse_searched(used);
    for (int k = 0; k < count; k++) values[k] *= 1 + 1e-6;
    CHECK(rt_sparse_factor(used, values) == 0 && rt_sparse_searched(used) == searched);
    rt_sparse_free(used);
}

int main(void)
{
    for (unsigned seed = 1; seed <= 20; seed++) test_again(seed, false), test_again(seed, true);
    for (unsigned seed = 1; seed <= 20; seed++) test_random(seed, false), test_random(seed, true);
    return test_end();
}
