/* Dense LU solves with pivoting; Newton reaches rounding level from far guesses and says why it
 * does not. */
#include "rt/rt.h"
#include "test.h"

#include <stdlib.h>

static void test_lu(void)
{
    double a[9] = { 0, 2, 1, 1, 1, 1, 4, -1, 3 }, b[3] = { 7, 6, 11 };
    int pivot[3];
    CHECK(rt_lu_factor(a, 3, pivot) == 0);
    rt_lu_solve(a, 3, pivot, b);
    CHECK_NEAR(b[0], 1, 1e-14);
    CHECK_NEAR(b[1], 2, 1e-14);
    CHECK_NEAR(b[2], 3, 1e-14);
    double singular[4] = { 1, 2, 2, 4 };
    CHECK(rt_lu_factor(singular, 2, pivot) == 2);
}

typedef struct {
    RtStatus (*r)(void *, const double *, double *);
    RtStatus (*j)(void *, const double *, double *);
    int n;
    double guess[2], want[2];
    RtSolve status;
} Case;

static RtStatus atan_r(void *u, const double *z, double *r) { return (void)u, r[0] = atan(z[0]), RT_OK; }
static RtStatus atan_j(void *u, const double *z, double *j)
{
    return (void)u, j[0] = 1 / (1 + z[0] * z[0]), RT_OK;
}
static RtStatus none_r(void *u, const double *z, double *r) { return (void)u, r[0] = z[0] * z[0] + 1, RT_OK; }
static RtStatus none_j(void *u, const double *z, double *j) { return (void)u, j[0] = 2 * z[0], RT_OK; }
static RtStatus log_r(void *u, const double *z, double *r) { return (void)u, r[0] = log(z[0]) + 3, RT_OK; }
static RtStatus log_j(void *u, const double *z, double *j) { return (void)u, j[0] = 1 / z[0], RT_OK; }

/* Rosenbrock's valley as equations, rows of very different scale. */
static RtStatus valley_r(void *u, const double *z, double *r)
{
    (void)u;
    r[0] = 1e8 * (z[1] - z[0] * z[0]);
    r[1] = 1e-6 * (1 - z[0]);
    return RT_OK;
}
static RtStatus valley_j(void *u, const double *z, double *j)
{
    (void)u;
    j[0] = -2e8 * z[0], j[1] = 1e8, j[2] = -1e-6, j[3] = 0;
    return RT_OK;
}

static RtStatus flat_r(void *u, const double *z, double *r) { return (void)u, (void)z, r[0] = 1, RT_OK; }
static RtStatus flat_j(void *u, const double *z, double *j) { return (void)u, (void)z, j[0] = 0, RT_OK; }
static RtStatus bend_r(void *u, const double *z, double *r) { return (void)u, r[0] = 4 - z[0] * z[0], RT_OK; }
static RtStatus bend_j(void *u, const double *z, double *j) { return (void)u, j[0] = -2 * z[0], RT_OK; }
static RtStatus twice_r(void *u, const double *z, double *r)
{
    return (void)u, r[0] = z[0] * z[0], r[1] = 2 * z[1], RT_OK;
}
static RtStatus twice_j(void *u, const double *z, double *j)
{
    return (void)u, j[0] = 2 * z[0], j[1] = j[2] = 0, j[3] = 2, RT_OK;
}

static RtStatus part_r(void *u, const double *z, double *r) { return (void)u, r[0] = 1 / z[0] - 4e6, RT_OK; }
static RtStatus part_j(void *u, const double *z, double *j)
{
    return (void)u, j[0] = -1 / (z[0] * z[0]), RT_OK;
}
static RtStatus root_r(void *u, const double *z, double *r) { return (void)u, r[0] = 2 - sqrt(-z[0]), RT_OK; }
static RtStatus root_j(void *u, const double *z, double *j)
{
    return (void)u, j[0] = 0.5 / sqrt(-z[0]), RT_OK;
}

static const Case cases[] = {
    /* plain Newton diverges from here */
    { atan_r, atan_j, 1, { 20 }, { 0 }, RT_SOLVED },
    /* a full step leaves the domain */
    { log_r, log_j, 1, { 4 }, { 0.049787068367863944 }, RT_SOLVED },
    { valley_r, valley_j, 2, { -3, 5 }, { 1, 1 }, RT_SOLVED },
    { none_r, none_j, 1, { 3 }, { 0 }, RT_NO_CONVERGENCE },
    { none_r, none_j, 1, { 0 }, { 0 }, RT_NO_CONVERGENCE },
    { flat_r, flat_j, 1, { 0 }, { 0 }, RT_SINGULAR },
    { bend_r, bend_j, 1, { 0 }, { 2 }, RT_SOLVED },         /* singular at the guess */
    { twice_r, twice_j, 2, { 0, 3 }, { 0, 0 }, RT_SOLVED }, /* a double root, found exactly */
    { log_r, log_j, 1, { -1 }, { 0 }, RT_NOT_DEFINED },
    { part_r, part_j, 1, { 0 }, { 2.5e-7 }, RT_SOLVED }, /* not defined where nobody gave a guess */
    /* nor is the derivative; only one side will do */
    { root_r, root_j, 1, { 0 }, { -4 }, RT_SOLVED },
};

static RtStatus fold_r(void *u, const double *z, double *r)
{
    return (void)u, r[0] = z[0] * z[0] * z[0] - 3 * z[0] + 3, r[1] = z[1] - z[0], RT_OK;
}
static RtStatus fold_j(void *u, const double *z, double *j)
{
    return (void)u, j[0] = 3 * z[0] * z[0] - 3, j[1] = 0, j[2] = -1, j[3] = 1, RT_OK;
}
/* A switch with positive feedback: z = 10 clip(z - 12); of its branches only the lower one is
 * left. */
static RtStatus corner_r(void *u, const double *z, double *r)
{
    return (void)u, r[0] = z[0] - 10 * fmax(-1, fmin(1, z[0] - 12)), RT_OK;
}
static RtStatus corner_j(void *u, const double *z, double *j)
{
    return (void)u, j[0] = fabs(z[0] - 12) < 1 ? -9 : 1, RT_OK;
}

/* Where Newton's method is caught in a minimum of the residual, a path leads out of it. */
static void check_paths(void)
{
    static const Case paths[] = {
        { fold_r, fold_j, 2, { 1.1, 1 }, { -2.1038034027355366, -2.1038034027355366 }, RT_SOLVED },
        { corner_r, corner_j, 1, { 12.5 }, { -10 }, RT_SOLVED },
        { none_r,
          none_j,
          1,
          { 3 },
          { 3 },
          RT_NO_CONVERGENCE }, /* and where there is none, the guess is left */
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        double z[2] = { paths[i].guess[0], paths[i].guess[1] }, work[8], lu[4], nominal[2] = { 1, 1 };
        double *room = calloc(rt_continue_room(2), sizeof *room);
        int pivot[3];
        RtNewton w = { .n = paths[i].n,
                       .residual = paths[i].r,
                       .jacobian = paths[i].j,
                       .nominal = nominal,
                       .work = work,
                       .lu = lu,
                       .pivot = pivot };
        RtSolve status = rt_continue(&w, z, room, pivot);
        if (!CHECK(status == paths[i].status)) printf("  path %zu: %d, z %g\n", i, (int)status, z[0]);
        for (int k = 0; k < paths[i].n; k++) CHECK_NEAR(z[k], paths[i].want[k], 1e-13);
        free(room);
    }
}

/* The rank, and which rows and columns are over. */
static void check_rank(void)
{
    static const struct {
        int n, rank;
        double a[9];
    } ranks[] = {
        { 1, 0, { 0 } },
        { 1, 1, { 1e-20 } },
        { 2, 1, { 1, 2, 2, 4 } },
        { 3, 3, { 0, 1, 0, 1, 0, 0, 0, 0, 1e-9 } },
        { 3, 2, { 1, 2, 3, 4, 5, 6, 7, 8, 9 } },
        { 3, 1, { 0, 0, 0, 0, 0, 7, 0, 0, 0 } },
    };
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        double a[9];
        int rows[3], cols[3];
        memcpy(a, ranks[i].a, sizeof a);
        CHECK(rt_lu_rank(a, ranks[i].n, rows, cols) == ranks[i].rank);
    }
}

int main(void)
{
    test_lu();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double z[2] = { cases[i].guess[0], cases[i].guess[1] }, work[8], lu[4], nominal[2] = { 1, 1 };
        int pivot[2];
        RtNewton w = { .n = cases[i].n,
                       .residual = cases[i].r,
                       .jacobian = cases[i].j,
                       .nominal = nominal,
                       .work = work,
                       .lu = lu,
                       .pivot = pivot };
        RtSolve status = rt_newton(&w, z);
        if (!CHECK(status == cases[i].status)) printf("  case %zu: %d, z %g\n", i, (int)status, z[0]);
        for (int k = 0; k < cases[i].n && status == RT_SOLVED; k++) CHECK_NEAR(z[k], cases[i].want[k], 1e-13);
    }
    check_rank();
    check_paths();
    return test_end();
}
