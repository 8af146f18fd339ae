/* The criterion is the first derivative of eigenvalue sums: against true shifts of random pairs,
 * ODE and DAE, its error falls with the square of the perturbation; the signed sum over clusters is
 * the trace of B^-1 E (I - B^-1 A) to rounding; eliminating algebraic unknowns gives the same
 * numbers as dense QZ; what cannot be analysed is said. */
#include "test.h"

#include "realtime/realtime.h"

#include <stdlib.h>

enum { N = 9, ENTRIES = N * N };

static uint64_t state;
static double uniform(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53 - 0.5;
}

typedef struct {
    Arena *arena;
    RtSystem s;
    double mass[N], df[ENTRIES];
    int count;
} Case;

/* Stable: decay rates of many sizes, one rotation, weak coupling; the last `algebraic` rows are
 * algebraic. */
static void make(Case *c, uint64_t seed, int algebraic)
{
    static const double rates[] = { -1, -5, -40, -200, -2000, -9000, -1.5, -1.5, -300 };
    state = seed * 2654435761u + 88172645463325252u;
    *c = (Case){ .arena = arena_new() };
    Entry entries[ENTRIES];
    for (int j = 0; j < N; j++) {
        c->mass[j] = j < N - algebraic;
        for (int i = 0; i < N; i++) {
            bool is_there = i == j || (i == 6 && j == 7) || (i == 7 && j == 6) || uniform() > 0.1;
            if (is_there) entries[c->count++] = (Entry){ i, j };
        }
    }
    Pattern *p = pattern_of_entries(c->arena, N, N, entries, (size_t)c->count);
    for (int j = 0; j < N; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int i = p->row[e];
            c->df[e] = i == j ? (c->mass[i] > 0 ? rates[i] : -1 + uniform() / 5) : uniform() * 0.4;
            if (i + j == 13 && i != j) c->df[e] = i < j ? 90 : -90;
        }
    c->s = (RtSystem){ N, 1e-3, c->mass, p };
}

/* The sum of the eigenvalues that are nearest to the cluster's. */
static void add_near(const double *lambda, const Cluster *c, double radius, double *re, double *im)
{
    *re = *im = 0;
    int found = 0;
    for (int i = 0; i < N; i++)
        if (hypot(lambda[2 * i] - c->re, lambda[2 * i + 1] - c->im) <= radius) {
            *re += lambda[2 * i];
            *im += lambda[2 * i + 1];
            found++;
        }
    CHECK(found == c->m);
}

/* How far the true sum of a cluster is from the estimate where all entries are scaled out by
 * eps. */
static double remainder_of(const Case *c, const Criterion *k, int which, double eps, const double *weights)
{
    double lambda[2 * N], re, im, shift_re = 0, shift_im = 0, changed[ENTRIES];
    const Cluster *cluster = &k->clusters[which];
    Arena *scratch = arena_new();
    for (int e = 0; e < c->count; e++) {
        changed[e] = eps * weights[e] * c->df[e];
        shift_re += c->s.tau * changed[e] * cluster->g[2 * e];
        shift_im += c->s.tau * changed[e] * cluster->g[2 * e + 1];
    }
    CHECK(perturbed_eigenvalues(&c->s, c->df, changed, lambda, scratch));
    double apart = 1e9;
    for (int j = 0; j < k->count; j++)
        if (j != which)
            apart = fmin(apart, hypot(k->clusters[j].re - cluster->re, k->clusters[j].im - cluster->im));
    add_near(lambda, cluster, apart / 2, &re, &im);
    arena_free(scratch);
    return hypot(re - cluster->m * cluster->re - shift_re, im - cluster->m * cluster->im - shift_im);
}

static void test_first_order(uint64_t seed, int algebraic, bool eliminate)
{
    Case c;
    Criterion k;
    double weights[ENTRIES];
    make(&c, seed, algebraic);
    if (!CHECK(criterion_new(c.arena, &c.s, c.df, eliminate, &k) == CRITERION_OK)) return;
    for (int e = 0; e < c.count; e++) weights[e] = uniform();
    for (int which = 0; which < k.count; which++) {
        double coarse = remainder_of(&c, &k, which, 4e-3, weights),
               fine = remainder_of(&c, &k, which, 1e-3, weights);
        if (coarse < 1e-11) continue; /* rounding */
        double slope = log(coarse / fine) / log(4);
        if (!CHECK(slope > 1.7))
            printf("  seed %d cluster %d (%s): slope %g, %g\n", (int)seed, which,
                   cluster_kinds[k.clusters[which].kind], slope, coarse);
    }
    arena_free(c.arena);
}

/* The trace by plain Gauss elimination. */
static double trace(const Case *c, const double *perturbation)
{
    double b[N][N] = { { 0 } }, inverse[N][N] = { { 0 } }, sum = 0;
    for (int i = 0; i < N; i++) b[i][i] = c->mass[i], inverse[i][i] = 1;
    for (int j = 0; j < N; j++)
        for (int e = c->s.pattern->start[j]; e < c->s.pattern->start[j + 1]; e++)
            b[c->s.pattern->row[e]][j] -= c->s.tau * c->df[e];
    for (int k = 0; k < N; k++) {
        double pivot = b[k][k];
        for (int j = 0; j < N; j++) b[k][j] /= pivot, inverse[k][j] /= pivot;
        for (int i = 0; i < N; i++) {
            double factor = b[i][k];
            for (int j = 0; j < N && i != k; j++)
                b[i][j] -= factor * b[k][j], inverse[i][j] -= factor * inverse[k][j];
        }
    }
    for (int j = 0; j < N; j++)
        for (int e = c->s.pattern->start[j]; e < c->s.pattern->start[j + 1]; e++) {
            int i = c->s.pattern->row[e];
            double rest = inverse[j][i]; /* ((I - B^-1 L) B^-1)_ji */
            for (int k = 0; k < N; k++) rest -= inverse[j][k] * c->mass[k] * inverse[k][i];
            sum += c->s.tau * perturbation[e] * rest;
        }
    return sum;
}

static void test_trace(uint64_t seed, int algebraic, bool eliminate)
{
    Case c;
    Criterion k;
    double e_values[ENTRIES], re = 0, im = 0, size = 0;
    make(&c, seed, algebraic);
    if (!CHECK(criterion_new(c.arena, &c.s, c.df, eliminate, &k) == CRITERION_OK)) return;
    for (int e = 0; e < c.count; e++) e_values[e] = uniform() * c.df[e];
    for (int which = 0; which < k.count; which++)
        for (int e = 0; e < c.count; e++) {
            re += c.s.tau * e_values[e] * k.clusters[which].g[2 * e];
            im += c.s.tau * e_values[e] * k.clusters[which].g[2 * e + 1];
            size += fabs(c.s.tau * e_values[e]) *
                    hypot(k.clusters[which].g[2 * e], k.clusters[which].g[2 * e + 1]);
        }
    CHECK_NEAR(re, trace(&c, e_values), 1e-12 * (1 + size));
    CHECK_NEAR(im, 0, 1e-12 * (1 + size));
    arena_free(c.arena);
}

/* Both ways see the same clusters but for the eigenvalue 0, which eliminating keeps apart from
 * others near it. */
static void test_same_both_ways(uint64_t seed)
{
    Case c;
    Criterion dense, reduced;
    make(&c, seed, 3);
    CHECK(criterion_new(c.arena, &c.s, c.df, false, &dense) == CRITERION_OK);
    CHECK(criterion_new(c.arena, &c.s, c.df, true, &reduced) == CRITERION_OK);
    for (int i = 0; i < reduced.count; i++) {
        const Cluster *a = &reduced.clusters[i];
        for (int j = 0; j < dense.count; j++) {
            const Cluster *b = &dense.clusters[j];
            if (b->m != a->m || hypot(a->re - b->re, a->im - b->im) > 1e-9) continue;
            for (int e = 0; e < 2 * c.count; e++) CHECK_NEAR(a->g[e], b->g[e], 1e-8 * (1 + fabs(b->g[e])));
        }
    }
    arena_free(c.arena);
}

static void test_bad(void)
{
    Arena *arena = arena_new();
    const Entry entries[] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 } };
    const double mass[] = { 1, 0 }, singular[] = { -1, 0, 1, 0 }, step[] = { 1000, 0, 0, -1 };
    RtSystem s = { 2, 1e-3, mass, pattern_of_entries(arena, 2, 2, entries, 4) };
    Criterion k;
    CHECK(criterion_new(arena, &s, singular, false, &k) == CRITERION_SINGULAR); /* index above 1 */
    CHECK(criterion_new(arena, &s, singular, true, &k) == CRITERION_SINGULAR);
    CHECK(criterion_new(arena, &s, step, false, &k) == CRITERION_SINGULAR); /* 1 - tau mu = 0 */
    arena_free(arena);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        test_first_order(seed, 0, false);
        test_first_order(seed, 3, false);
        test_first_order(seed, 3, true);
        test_trace(seed, 0, false);
        test_trace(seed, 3, false);
        test_trace(seed, 3, true);
        test_same_both_ways(seed);
    }
    test_bad();
    return test_end();
}
