/* Collocation methods have the coefficients their names promise: quadrature of the right order,
 * stage order s, the known numbers of small cases, a transformation that makes A^-1 block diagonal,
 * an embedded formula of order s; their polynomials go on, and one iteration solves a linear
 * problem; Radau IIA is L-stable and Gauss keeps |R| = 1 on the imaginary axis. */
#include "solve/methods/irk/inside.h"
#include "test.h"

#include <complex.h>

static void check_conditions(const Collocation *m, const char *row)
{
    int s = m->s, order = m->family == COLLOCATION_GAUSS ? 2 * s : 2 * s - 1;
    for (int k = 1; k <= order + 1; k++) {
        double sum = -1.0 / k;
        for (int i = 0; i < s; i++) sum += m->b[i] * pow(m->c[i], k - 1);
        CHECK_ROW(k <= order ? fabs(sum) < 1e-15 : fabs(sum) > 1e-11, row);
    }
    for (int i = 0; i < s; i++)
        for (int k = 1; k <= s; k++) {
            double sum = -pow(m->c[i], k) / k;
            for (int j = 0; j < s; j++) sum += m->a[i][j] * pow(m->c[j], k - 1);
            CHECK_ROW(fabs(sum) < 1e-15, row);
        }
}

static void check_transformation(const Collocation *m, const char *row)
{
    int s = m->s;
    double block[COLLOCATION_STAGES][COLLOCATION_STAGES] = { { 0 } }, worst = 0.0;
    int at = 0;
    if (m->has_real) block[at][at] = m->gamma, at++;
    for (int p = 0; p < m->pairs; p++, at += 2) {
        block[at][at] = block[at + 1][at + 1] = m->alpha[p];
        block[at][at + 1] = m->beta[p];
        block[at + 1][at] = -m->beta[p];
    }
    CHECK_ROW(at == s, row);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            double left = 0.0, right = 0.0, unit = i == j ? -1.0 : 0.0;
            for (int k = 0; k < s; k++) {
                left += m->inverse[i][k] * m->t[k][j];
                right += m->t[i][k] * block[k][j];
                unit += m->t[i][k] * m->ti[k][j];
            }
            worst = fmax(worst, fmax(fabs(left - right), fabs(unit)));
        }
    CHECK_ROW(worst < 1e-12, row);
}

/* For y = t^k the embedded formula equals the main one up to k = s: h/gamma f(t0) + sum e_i z_i =
 * 0. */
static void check_embedded(const Collocation *m, const char *row)
{
    for (int k = 1; k <= m->s; k++) {
        double sum = k == 1 ? 1.0 / m->gamma : 0.0, size = 1.0;
        for (int i = 0; i < m->s; i++) {
            sum += m->e[i] * pow(m->c[i], k);
            size += fabs(m->e[i]);
        }
        CHECK_ROW(fabs(sum) < 1e-14 * size, row);
    }
}

/* R(z) = 1 + z b^T (I - z A)^-1 1 for s <= 3 by Cramer's rule on (A^-1 - z): here by Gauss
 * elimination. */
static double complex stability(const Collocation *m, double complex z)
{
    int s = m->s;
    double complex a[COLLOCATION_STAGES][COLLOCATION_STAGES + 1];
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) a[i][j] = (i == j) - z * m->a[i][j];
        a[i][s] = 1.0;
    }
    for (int k = 0; k < s; k++)
        for (int i = 0; i < s; i++) {
            if (i == k) continue;
            double complex factor = a[i][k] / a[k][k];
            for (int j = k; j <= s; j++) a[i][j] -= factor * a[k][j];
        }
    double complex r = 1.0;
    for (int i = 0; i < s; i++) r += z * m->b[i] * a[i][s] / a[i][i];
    return r;
}

static void check_stability(const Collocation *m, const char *row)
{
    double most = 0.0, least = 2.0;
    for (int k = -400; k <= 400; k++) {
        double size = cabs(stability(m, I * (double)k * 0.1));
        most = fmax(most, size);
        least = fmin(least, size);
    }
    CHECK_ROW(most < 1.0 + 1e-9, row);
    if (m->family == COLLOCATION_GAUSS)
        CHECK_ROW(least > 1.0 - 1e-9, row);
    else
        CHECK_ROW(cabs(stability(m, -1e8)) < 1e-5, row);
}

/* Vectors for transform.c: a whole group of four components, and half of one. */
enum { N = 6, ROOM = 8 };
typedef struct {
    double z[COLLOCATION_STAGES][ROOM], r[COLLOCATION_STAGES][ROOM], stage[COLLOCATION_STAGES][ROOM],
        old[COLLOCATION_STAGES][ROOM], pair[COLLOCATION_PAIRS][2 * ROOM], y[ROOM], weight[ROOM];
    double *at_z[COLLOCATION_STAGES], *at_r[COLLOCATION_STAGES], *at_stage[COLLOCATION_STAGES],
        *at_old[COLLOCATION_STAGES], *at_pair[COLLOCATION_PAIRS];
} Vectors;

static TransformWork work_on(Vectors *v, Collocation *m)
{
    *v = (Vectors){ .y = { 0.0 } };
    for (int i = 0; i < COLLOCATION_STAGES; i++)
        v->at_z[i] = v->z[i], v->at_r[i] = v->r[i], v->at_stage[i] = v->stage[i], v->at_old[i] = v->old[i];
    for (int p = 0; p < COLLOCATION_PAIRS; p++) v->at_pair[p] = v->pair[p];
    for (int k = 0; k < N; k++) v->y[k] = 1.0 + 0.5 * k, v->weight[k] = 1.0;
    return (TransformWork){ m, N, v->at_z, v->at_r, v->at_stage, v->r[0], v->at_pair };
}

/* The polynomial of a step goes on exactly where it is the solution: y = t^k. */
static void check_prediction(Collocation *m, const char *row)
{
    Vectors v;
    TransformWork work = work_on(&v, m);
    double worst = 0.0;
    for (int power = 1; power <= m->s; power++) {
        for (int i = 0; i < m->s; i++)
            for (int k = 0; k < N; k++) v.old[i][k] = (k + 1) * pow(m->c[i], power);
        transform_predict(&work, m, v.at_old, 0.75, v.y);
        for (int i = 0; i < m->s; i++)
            for (int k = 0; k < N; k++) {
                double want = (k + 1) * (pow(1.0 + 0.75 * m->c[i], power) - 1.0), z = v.z[i][k];
                worst = fmax(worst, fmax(fabs(z - want), fabs(v.stage[i][k] - v.y[k] - want)) / (1.0 + want));
            }
    }
    CHECK_ROW(worst < 1e-11, row);
}

/* The solutions of all systems for y' = lambda y. */
static void solve_systems(const Collocation *m, double h, const double *lambda, Vectors *v)
{
    for (int k = 0; k < N; k++) {
        if (m->has_real) v->r[0][k] /= m->gamma / h - lambda[k];
        for (int p = 0; p < m->pairs; p++) {
            double complex x = v->pair[p][2 * k] + I * v->pair[p][2 * k + 1];
            x /= (m->alpha[p] + I * m->beta[p]) / h - lambda[k];
            v->pair[p][2 * k] = creal(x), v->pair[p][2 * k + 1] = cimag(x);
        }
    }
}

/* One iteration solves y' = lambda y: stages have no defect then. What lies after the last
 * component is no part of it. */
static void check_iteration(Collocation *m, const char *row)
{
    static const double lambda[N] = { -3.0, -1.0, 0.5, -8.0, -100.0, 0.1 };
    Vectors v;
    TransformWork work = work_on(&v, m);
    double h = 0.5, worst = 0.0, before = 0.1 * (m->s - 1) - 0.2;
    for (int i = 0; i < m->s; i++) {
        for (int k = 0; k < N; k++) v.z[i][k] = 0.1 * i - 0.2, v.r[i][k] = lambda[k] * (v.y[k] + v.z[i][k]);
        v.z[i][N] = 7.0, v.r[i][N] = NAN;
    }
    CHECK_ROW(transform_project(&work, 1.0 / h), row);
    solve_systems(m, h, lambda, &v);
    CHECK_ROW(transform_apply(&work, v.y, v.weight) > 0.0, row);
    transform_change_of_end(&work, v.r[m->s - 1]);
    for (int i = 0; i < m->s; i++)
        for (int k = 0; k < N; k++) {
            double slope = 0.0, size = 0.0;
            for (int j = 0; j < m->s; j++) {
                slope += m->inverse[i][j] * v.z[j][k] / h;
                size += fabs(m->inverse[i][j] * v.z[j][k] / h);
            }
            worst = fmax(worst, fabs(lambda[k] * v.stage[i][k] - slope) / size);
            CHECK_ROW(i < m->s - 1 || fabs(v.r[i][k] + before - v.z[i][k]) < 1e-15, row);
            CHECK_ROW(v.z[i][N] == 7.0, row);
        }
    CHECK_ROW(worst < 1e-12, row);
}

/* A value that is not finite is seen wherever it is, and is in the first right-hand side then. */
static void check_numbers(Collocation *m, const char *row)
{
    static const double none[] = { NAN, INFINITY, -INFINITY };
    for (int k = 0; k < N; k++)
        for (int i = 0; i < m->s; i++) {
            Vectors v;
            TransformWork work = work_on(&v, m);
            v.r[i][k] = none[(i + k) % 3];
            CHECK_ROW(!transform_project(&work, k % 2 ? 0.0 : 2.0), row);
            CHECK_ROW(!m->has_real || vector_first_bad(N, v.r[0]) == k, row);
        }
}

int main(void)
{
    static const struct {
        CollocationFamily family;
        int s;
        const char *name;
    } methods[] = {
        { COLLOCATION_RADAU, 1, "radau 1" }, { COLLOCATION_RADAU, 2, "radau 2" },
        { COLLOCATION_RADAU, 3, "radau 3" }, { COLLOCATION_RADAU, 5, "radau 5" },
        { COLLOCATION_RADAU, 7, "radau 7" }, { COLLOCATION_GAUSS, 1, "gauss 1" },
        { COLLOCATION_GAUSS, 2, "gauss 2" }, { COLLOCATION_GAUSS, 3, "gauss 3" },
    };
    Collocation m;
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        collocation_make(methods[i].family, methods[i].s, &m);
        check_conditions(&m, methods[i].name);
        check_transformation(&m, methods[i].name);
        check_embedded(&m, methods[i].name);
        check_stability(&m, methods[i].name);
        check_prediction(&m, methods[i].name);
        check_iteration(&m, methods[i].name);
        check_numbers(&m, methods[i].name);
    }
    collocation_make(COLLOCATION_RADAU, 3, &m);
    CHECK_NEAR(m.c[0], (4.0 - sqrt(6.0)) / 10.0, 1e-16);
    CHECK_NEAR(m.gamma, 3.0 - cbrt(3.0) + cbrt(9.0), 1e-14);
    collocation_make(COLLOCATION_GAUSS, 2, &m);
    CHECK_NEAR(m.a[0][1], 0.25 - sqrt(3.0) / 6.0, 1e-16);
    return test_end();
}
