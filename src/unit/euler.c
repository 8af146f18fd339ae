/* euler.c: the linearly implicit Euler method with a fixed step: (I - h J) (y' - y) = h f. One
 * evaluation, one Jacobian, one factorisation a step, whatever happens: its cost is known before
 * the run. Tests: tests/unit/integrate_test.c. */
#include "unit/unit.h"

#include <math.h>
#include <string.h>

enum { T_OLD, H_OLD, HEAD };

static size_t room_of(int n)
{
    size_t m = (size_t)n;
    return HEAD + 3 * m + m * m + m + 1;
}

typedef struct {
    double *at, h;
    int n;
} Matrix;

static void put(void *arg, int row, int column, double value)
{
    const Matrix *m = arg;
    m->at[row * m->n + column] -= m->h * value;
}

static RunStatus step(const UnitProblem *p, double *room, double t, const double *y, double *h, double limit,
                      double *t_new, double *y_new)
{
    int n = p->n;
    double longest = limit - t, own = *h > 0.999999 * longest ? longest : *h;
    double *old = room + HEAD, *change = old + n, *f = change + n, *matrix = f + n;
    int *pivot = (int *)(void *)(matrix + (size_t)n * (size_t)n);
    Matrix m = { matrix, own, n };
    RunStatus status = run_derivatives(p->run, t + own, y, f);
    memset(matrix, 0, (size_t)n * (size_t)n * sizeof *matrix);
    for (int i = 0; i < n; i++) matrix[i * n + i] = 1;
    if (status == RUN_OK) status = run_jacobian(p->run, t + own, y, put, &m);
    if (status != RUN_OK) return status;
    if (rt_lu_factor(matrix, n, pivot)) return RUN_RETRY;
    for (int i = 0; i < n; i++) change[i] = own * f[i];
    rt_lu_solve(matrix, n, pivot, change);
    for (int i = 0; i < n; i++) {
        old[i] = y[i];
        y_new[i] = y[i] + change[i];
        if (!isfinite(y_new[i])) return RUN_RETRY;
    }
    *t_new = own == longest ? limit : t + own;
    room[T_OLD] = t;
    room[H_OLD] = *t_new - t;
    return RUN_OK;
}

static void interpolate(const UnitProblem *p, const double *room, double t, double *y)
{
    const double *old = room + HEAD, *change = old + p->n;
    double s = room[H_OLD] != 0 ? (t - room[T_OLD]) / room[H_OLD] : 1;
    for (int i = 0; i < p->n; i++) y[i] = old[i] + s * change[i];
}

static void restart(const UnitProblem *p, double *room) { (void)p, (void)room; }

const UnitMethod unit_euler = { "euler-li", room_of, step, interpolate, restart, NULL, 1 };
