/* radau.c: the method Radau IIA of order 5, for stiff models in co-simulation.
 *
 * Three stages, simplified Newton iteration in the coordinates in which the matrix of the method is
 * one real and one complex number (Hairer, Wanner, Solving ODEs II, IV.8). The complex system is
 * solved as a real one of twice its size. The Jacobian is exact and kept while the iteration
 * converges quickly, the factors while the step stays. Always: the error estimate is filtered by
 * the real factor. Cost: of the factors, 3 n^3 operations. Tests: tests/unit/integrate_test.c. */
#include "unit/unit.h"

#include <math.h>
#include <string.h>

enum { T_OLD, H_OLD, HAS_F, H_FACTORED, HAS_J, THETA, HEAD };
enum { MOST_ITERATIONS = 8, PATIENCE = 2 }; /* PATIENCE: trials of a step with its Jacobian */

/* Nodes; weights of the error; eigenvalues and eigenvectors of the inverse of the method's
 * matrix. */
static const double C1 = 0.15505102572168219018, C2 = 0.64494897427831780982;
static const double E1 = -10.048809399827415620, E2 = 1.3821427331607489533, E3 = -1.0 / 3;
static const double GAMMA = 3.6378342527444957322, ALPHA = 2.6810828736277521339,
                    BETA = 3.0504301992474105694;
static const double T[3][3] = { { 9.1232394870892942792e-02, -0.14125529502095420843,
                                  -3.0029194105147424492e-02 },
                                { 0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779 },
                                { 0.96604818261509293619, 1, 0 } };
static const double TI[3][3] = { { 4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119 },
                                 { -4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196 },
                                 { -0.50287263494578687595, 2.5719269498556054292,
                                   -0.59603920482822492497 } };

/* The parts of the room; pivots are kept as ints in doubles' places. */
typedef struct {
    double *f, *z, *w, *v, *dense, *error, *at, *jacobian, *real, *complex;
    int *real_pivot, *complex_pivot;
} Parts;

static size_t room_of(int n)
{
    size_t m = (size_t)n;
    return HEAD + 16 * m + 6 * m * m + 3 * m + 2;
}

static Parts parts_of(double *room, int n)
{
    size_t m = (size_t)n;
    Parts p;
    p.f = room + HEAD;
    p.z = p.f + m;
    p.w = p.z + 3 * m;
    p.v = p.w + 3 * m;
    p.dense = p.v + 3 * m;
    p.error = p.dense + 4 * m;
    p.at = p.error + m;
    p.jacobian = p.at + m;
    p.real = p.jacobian + m * m;
    p.complex = p.real + m * m;
    p.real_pivot = (int *)(void *)(p.complex + 4 * m * m);
    p.complex_pivot = (int *)(void *)(p.complex + 4 * m * m + m);
    return p;
}

static double norm(const UnitProblem *p, const double *v, const double *y, int blocks)
{
    double sum = 0;
    for (int b = 0; b < blocks; b++)
        for (int i = 0; i < p->n; i++) {
            double q = v[b * p->n + i] / (p->scale[i] + p->rtol * fabs(y[i]));
            sum += q * q;
        }
    return p->n ? sqrt(sum / (blocks * p->n)) : 0;
}

typedef struct {
    double *at;
    int n;
} Dense;

static void put(void *arg, int row, int column, double value)
{
    const Dense *m = arg;
    m->at[row * m->n + column] = value;
}

/* Where a branch of solutions ends, slopes grow beyond all bounds or there are none, and those of
 * one branch say nothing of the other: a step that does not converge for long is tried without
 * them, every second time. */
static RunStatus evaluate_jacobian(const UnitProblem *p, Parts *q, double *room, double t, const double *y,
                                   int trials)
{
    Dense m = { q->jacobian, p->n };
    size_t bytes = (size_t)p->n * (size_t)p->n * sizeof(double);
    int is_plain = trials > PATIENCE && trials % 2;
    memset(q->jacobian, 0, bytes);
    RunStatus status = is_plain ? RUN_OK : run_jacobian(p->run, t, y, put, &m);
    if (status == RUN_RETRY) memset(q->jacobian, 0, bytes);
    room[HAS_J] = status != RUN_FATAL;
    room[H_FACTORED] = 0;
    return status == RUN_FATAL ? status : RUN_OK;
}

static int factor(const UnitProblem *p, Parts *q, double *room, double h)
{
    int n = p->n, m = 2 * n;
    if (room[H_FACTORED] == h) return 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double own = -q->jacobian[i * n + j], is_diagonal = i == j;
            q->real[i * n + j] = own + is_diagonal * GAMMA / h;
            q->complex[i * m + j] = q->complex[(i + n) * m + j + n] = own + is_diagonal * ALPHA / h;
            q->complex[i * m + j + n] = -is_diagonal * BETA / h;
            q->complex[(i + n) * m + j] = is_diagonal * BETA / h;
        }
    room[H_FACTORED] = 0;
    if (rt_lu_factor(q->real, n, q->real_pivot) || rt_lu_factor(q->complex, m, q->complex_pivot)) return 0;
    room[H_FACTORED] = h;
    return 1;
}

static void times(const double m[3][3], const double *from, double *to, int n)
{
    for (int i = 0; i < n; i++)
        for (int s = 0; s < 3; s++)
            to[s * n + i] = m[s][0] * from[i] + m[s][1] * from[n + i] + m[s][2] * from[2 * n + i];
}

/* The polynomial of the last step says where this one may begin. */
static void guess(const UnitProblem *p, Parts *q, const double *room, double t, const double *y, double h)
{
    static const double nodes[3] = { 0.15505102572168219018, 0.64494897427831780982, 1 };
    int n = p->n;
    for (int s = 0; s < 3; s++) {
        double at = room[H_OLD] != 0 ? (t + nodes[s] * h - room[T_OLD] - room[H_OLD]) / room[H_OLD] : 0;
        for (int i = 0; i < n; i++) {
            const double *d = q->dense;
            double value =
                room[H_OLD] != 0
                    ? d[i] + at * (d[n + i] + (at - C2 + 1) * (d[2 * n + i] + (at - C1 + 1) * d[3 * n + i]))
                    : y[i];
            q->z[s * n + i] = value - y[i];
        }
    }
    times(TI, q->z, q->w, n);
}

/* 1: z are the stages; 0: no convergence with this step. */
static int iterate(const UnitProblem *p, Parts *q, double *room, double t, const double *y, double h,
                   int *iterations, RunStatus *status)
{
    int n = p->n;
    static const double nodes[3] = { 0.15505102572168219018, 0.64494897427831780982, 1 };
    double last = 0, theta = 0, eta = 1, goal = fmax(2.3e-15 / p->rtol, fmin(0.03, sqrt(p->rtol)));
    for (*iterations = 1; *iterations <= MOST_ITERATIONS; ++*iterations) {
        for (int s = 0; s < 3; s++) {
            for (int i = 0; i < n; i++) q->at[i] = y[i] + q->z[s * n + i];
            *status = run_derivatives(p->run, t + nodes[s] * h, q->at, q->v + s * n);
            if (*status != RUN_OK) return 0;
        }
        times(TI, q->v, q->z, n); /* z is free until the end of the round */
        for (int i = 0; i < n; i++) {
            const double *w = q->w;
            q->v[i] = q->z[i] - GAMMA / h * w[i];
            q->v[n + i] = q->z[n + i] - (ALPHA * w[n + i] - BETA * w[2 * n + i]) / h;
            q->v[2 * n + i] = q->z[2 * n + i] - (ALPHA * w[2 * n + i] + BETA * w[n + i]) / h;
        }
        rt_lu_solve(q->real, n, q->real_pivot, q->v);
        rt_lu_solve(q->complex, 2 * n, q->complex_pivot, q->v + n);
        for (int i = 0; i < 3 * n; i++) q->w[i] += q->v[i];
        times(T, q->w, q->z, n);
        double change = norm(p, q->v, y, 3);
        if (!isfinite(change)) return 0;
        if (*iterations > 1) {
            /* even where it goes to and fro between two branches */
            if (fmax(change, last) <= goal) return 1;
            theta = last > 0 ? change / last : 0;
            if (theta >= 0.99) return 0;
            eta = theta / (1 - theta);
            room[THETA] = theta;
            double to_come = pow(theta, MOST_ITERATIONS - *iterations) / (1 - theta) * change;
            if (to_come > 10 * goal && eta * change > goal) return 0;
        } else {
            eta = fmin(1, fmax(eta, 1e-16));
        }
        last = change;
        if (change == 0 || (*iterations > 1 && eta * change <= goal)) return 1;
    }
    return 0;
}

static RunStatus estimate(const UnitProblem *p, Parts *q, double t, const double *y, double h, int is_first,
                          double *err)
{
    int n = p->n;
    for (int i = 0; i < n; i++) {
        q->at[i] = (E1 * q->z[i] + E2 * q->z[n + i] + E3 * q->z[2 * n + i]) / h;
        q->error[i] = q->at[i] + q->f[i];
    }
    rt_lu_solve(q->real, n, q->real_pivot, q->error);
    *err = fmax(norm(p, q->error, y, 1), 1e-10);
    if (*err < 1 || !is_first) return RUN_OK;
    for (int i = 0; i < n; i++) q->v[i] = y[i] + q->error[i];
    RunStatus status = run_derivatives(p->run, t, q->v, q->error);
    if (status != RUN_OK) return status == RUN_RETRY ? RUN_OK : status;
    for (int i = 0; i < n; i++) q->error[i] += q->at[i];
    rt_lu_solve(q->real, n, q->real_pivot, q->error);
    *err = fmax(norm(p, q->error, y, 1), 1e-10);
    return RUN_OK;
}

static void make_dense(Parts *q, const double *y_new, int n)
{
    for (int i = 0; i < n; i++) {
        double z1 = q->z[i], z2 = q->z[n + i], z3 = q->z[2 * n + i];
        double slope = (z1 - z2) / (C1 - C2), inner = (slope - z1 / C1) / C2;
        q->dense[i] = y_new[i];
        q->dense[n + i] = (z2 - z3) / (C2 - 1);
        q->dense[2 * n + i] = (slope - q->dense[n + i]) / (C1 - 1);
        q->dense[3 * n + i] = q->dense[2 * n + i] - inner;
    }
}

/* The end of a step is where the next one can begin: f is known there. What was known at the
 * beginning stays if it is not. */
static RunStatus finish(const UnitProblem *p, Parts *q, double *room, double t, double t_new, const double *y,
                        double *y_new)
{
    for (int i = 0; i < p->n; i++) y_new[i] = y[i] + q->z[2 * p->n + i];
    RunStatus status = run_derivatives(p->run, t_new, y_new, q->error);
    if (status != RUN_OK) return status;
    make_dense(q, y_new, p->n);
    memcpy(q->f, q->error, (size_t)p->n * sizeof *q->f);
    room[T_OLD] = t;
    room[H_OLD] = t_new - t;
    room[HAS_J] = room[THETA] <= 1e-3 && room[HAS_J] != 0;
    return RUN_OK;
}

static RunStatus step(const UnitProblem *p, double *room, double t, const double *y, double *h, double limit,
                      double *t_new, double *y_new)
{
    Parts q = parts_of(room, p->n);
    double longest = limit - t;
    int is_first = room[H_OLD] == 0;
    RunStatus status = room[HAS_F] != 0 ? RUN_OK : run_derivatives(p->run, t, y, q.f);
    if (status != RUN_OK) return status;
    room[HAS_F] = 1;
    if (!(*h > 0)) {
        double size = norm(p, y, y, 1), slope = norm(p, q.f, y, 1);
        *h = size < 1e-5 || slope < 1e-5 ? 1e-6 * longest : 0.001 * size / slope;
    }
    double least = unit_least_step(t), own = fmin(fmax(*h, least), longest);
    for (int trials = 0;; trials++) {
        int iterations = 1;
        double err = 1e10;
        if (own < least && own < longest) return status == RUN_OK ? RUN_FATAL : status;
        if (own > 0.99 * longest) own = longest;
        status = room[HAS_J] == 0 ? evaluate_jacobian(p, &q, room, t, y, trials) : RUN_OK;
        if (status != RUN_OK) return status;
        int solved = factor(p, &q, room, own);
        if (solved) guess(p, &q, room, t, y, own);
        solved = solved && iterate(p, &q, room, t, y, own, &iterations, &status);
        if (solved) status = estimate(p, &q, t, y, own, is_first, &err);
        double end = own == longest ? limit : t + own;
        if (solved && err < 1 && status == RUN_OK) status = finish(p, &q, room, t, end, y, y_new);
        if (status == RUN_FATAL) return status;
        if (!solved || status != RUN_OK) {
            own *= 0.5, *h = own, is_first = 1, room[H_OLD] = 0;
            room[HAS_J] = 0;
            continue;
        }
        double safe = 0.9 * (2 * MOST_ITERATIONS + 1) / (2 * MOST_ITERATIONS + iterations);
        double quotient = fmax(1.0 / 8, fmin(5, pow(err, 0.25) / safe)), next = own / quotient;
        if (err < 1) {
            if (quotient >= 1 / 1.2 && quotient <= 1) next = own; /* the factors can stay */
            *h = own < *h ? fmax(*h, next) : next;
            *t_new = end;
            return RUN_OK;
        }
        own = is_first ? 0.1 * own : next;
        *h = own;
        is_first = 1;
    }
}

static void interpolate(const UnitProblem *p, const double *room, double t, double *y)
{
    int n = p->n;
    const double *d = room + HEAD + 10 * (size_t)n;
    double s = room[H_OLD] != 0 ? (t - room[T_OLD] - room[H_OLD]) / room[H_OLD] : 0;
    for (int i = 0; i < n; i++)
        y[i] = d[i] + s * (d[n + i] + (s - C2 + 1) * (d[2 * n + i] + (s - C1 + 1) * d[3 * n + i]));
}

static void restart(const UnitProblem *p, double *room)
{
    (void)p;
    room[HAS_F] = room[HAS_J] = room[H_FACTORED] = room[H_OLD] = room[THETA] = 0;
}

static double filter(const UnitProblem *p, double *room, double *v)
{
    Parts q = parts_of(room, p->n);
    if (room[H_FACTORED] == 0) return 0;
    rt_lu_solve(q.real, p->n, q.real_pivot, v);
    return GAMMA / room[H_FACTORED];
}

const UnitMethod unit_radau = { "radau5", room_of, step, interpolate, restart, filter, 0 };
