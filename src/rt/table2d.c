/* table2d.c: interpolation in tables of two variables.
 *
 * In: a matrix whose first column holds the points of u1, its first row those of u2. Out: values
 * and two derivatives. How: constant cells, bilinear cells, or bicubic Hermite cells with slopes
 * after Akima (Comm. ACM 17, 1974): the derivative in a direction by the weights of the curve
 * through the point in that direction, the mixed one by the product of both weights on the mixed
 * differences of the four cells around. With a single row or column it is a table of one variable.
 * Outside, each variable is treated by itself: held, continued along the tangent, wrapped. Cost:
 * O(log n). Tests: tests/rt/table_test.c. */
#include "rt/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int64_t n[2]; /* points of u1, of u2 */
    double *x[2], *z;
    double *d1, *d2, *d12; /* like z; NULL for segments */
    int smoothness, extrapolation;
} Table2D;

/* Where u lies: a cell, the place in it, and how far outside of the table along the tangent. */
typedef struct {
    int64_t i;
    double s, h, beyond;
    double rate; /* d s / d u: 0 where the value is held */
} Cell1D;

static RtStatus locate(Rt *rt, const Table2D *t, int k, double u, Cell1D *cell)
{
    const double *x = t->x[k];
    int64_t n = t->n[k];
    *cell = (Cell1D){ .rate = 1, .h = 1 };
    if (n == 1) {
        cell->rate = 0;
        return RT_OK;
    }
    double first = x[0], last = x[n - 1], inside = u;
    if (u < first || u > last) {
        char text[160];
        switch (t->extrapolation) {
        case RT_PERIODIC: inside = u - floor((u - first) / (last - first)) * (last - first); break;
        case RT_NO_EXTRAPOLATION:
            snprintf(text, sizeof text,
                     "u%d = %.10g is outside of the table, which goes from %.10g to %.10g, and may not be "
                     "extrapolated",
                     k + 1, u, first, last);
            return rt_fail_external(rt, text);
        case RT_HOLD: cell->rate = 0; /* fall through */
        default:
            inside = u < first ? first : last;
            cell->beyond = t->extrapolation == RT_HOLD ? 0 : u - inside;
        }
    }
    int64_t i = rt_table_find(x, n, inside, 0);
    cell->i = i > n - 2 ? n - 2 : i < 0 ? 0 : i;
    cell->s = inside - x[cell->i];
    cell->h = x[cell->i + 1] - x[cell->i];
    return RT_OK;
}

/* Basis of a cell in one direction: values, first and second derivatives of the four functions for
 * y0, y1, d0, d1. */
static void basis(const Table2D *t, const Cell1D *cell, double b[4][3])
{
    static const double unit[4][4] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } };
    for (int k = 0; k < 4; k++) {
        const double *e = unit[k];
        b[k][0] = b[k][1] = b[k][2] = 0;
        if (t->d1) {
            rt_hermite(cell->h, e[0], e[1], e[2], e[3], cell->s, b[k]);
        } else if (k < 2) {
            double r = cell->s / cell->h;
            b[k][0] = k ? r : 1 - r;
            b[k][1] = k ? 1 / cell->h : -1 / cell->h;
        }
        if (cell->beyond != 0) {
            b[k][0] += b[k][1] * cell->beyond;
            b[k][2] = 0;
        }
        b[k][1] *= cell->rate;
        b[k][2] *= cell->rate;
    }
}

static void constant_basis(const Cell1D *cell, double b[4][3])
{
    for (int k = 0; k < 4; k++) b[k][0] = b[k][1] = b[k][2] = 0;
    b[cell->s >= cell->h][0] = 1;
}

/* out: z, dz/du1, dz/du2, d2z/du1^2, d2z/du1du2, d2z/du2^2 */
static RtStatus evaluate(Rt *rt, const Table2D *t, double u1, double u2, double out[6])
{
    Cell1D cell[2];
    double b[2][4][3], u[2] = { u1, u2 };
    if (!t) return rt_fail_external(rt, "a table that was never made");
    for (int k = 0; k < 2; k++) {
        RtStatus status = locate(rt, t, k, u[k], &cell[k]);
        if (status) return status;
    }
    /* constant cells are continued as bilinear ones, whichever variable is outside */
    int is_constant = t->smoothness == RT_CONSTANT && cell[0].beyond == 0 && cell[1].beyond == 0;
    for (int k = 0; k < 2; k++)
        if (is_constant)
            constant_basis(&cell[k], b[k]);
        else
            basis(t, &cell[k], b[k]);
    static const int order[6][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 2, 0 }, { 1, 1 }, { 0, 2 } };
    const double *parts[4] = { t->z, t->d2, t->d1, t->d12 };
    for (int o = 0; o < 6; o++) out[o] = 0;
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++) {
            const double *part = parts[(p >> 1) * 2 + (q >> 1)];
            int64_t i = cell[0].i + (p & 1), j = cell[1].i + (q & 1);
            if (!part || i >= t->n[0] || j >= t->n[1]) continue;
            for (int o = 0; o < 6; o++)
                out[o] += part[i * t->n[1] + j] * b[0][p][order[o][0]] * b[1][q][order[o][1]];
        }
    return RT_OK;
}

/* ---- making ---------------------------------------------------------------------------------- */

static void table_free(Table2D *t)
{
    if (!t) return;
    free(t->x[0]);
    free(t->x[1]);
    free(t->z);
    free(t->d1);
    free(t->d2);
    free(t->d12);
    free(t);
}

/* Four secants in a row around point i of n - 1, extended linearly; `at` gives secant k. */
static void around(double (*at)(const Table2D *, int64_t, int64_t), const Table2D *t, int64_t i, int64_t n,
                   int64_t j, double d[4])
{
    for (int k = 0; k < 4; k++) {
        int64_t s = i - 2 + k, last = n - 2;
        double slope_first = n > 2 ? at(t, 0, j) - at(t, 1, j) : 0;
        double slope_last = n > 2 ? at(t, last, j) - at(t, last - 1, j) : 0;
        d[k] = s < 0      ? at(t, 0, j) + (double)-s * slope_first
               : s > last ? at(t, last, j) + (double)(s - last) * slope_last
                          : at(t, s, j);
    }
}

static double secant1(const Table2D *t, int64_t i, int64_t j)
{
    return (t->z[(i + 1) * t->n[1] + j] - t->z[i * t->n[1] + j]) / (t->x[0][i + 1] - t->x[0][i]);
}

static double secant2(const Table2D *t, int64_t j, int64_t i)
{
    return (t->z[i * t->n[1] + j + 1] - t->z[i * t->n[1] + j]) / (t->x[1][j + 1] - t->x[1][j]);
}

/* Mixed difference of cell (i, j), extended linearly beyond the border in both directions. */
static double mixed(const Table2D *t, int64_t i, int64_t j)
{
    int64_t last1 = t->n[0] - 2, last2 = t->n[1] - 2;
    if (i < 0) return last1 > 0 ? 2 * mixed(t, 0, j) - mixed(t, 1, j) : mixed(t, 0, j);
    if (i > last1) return last1 > 0 ? 2 * mixed(t, last1, j) - mixed(t, last1 - 1, j) : mixed(t, last1, j);
    if (j < 0) return last2 > 0 ? 2 * mixed(t, i, 0) - mixed(t, i, 1) : mixed(t, i, 0);
    if (j > last2) return last2 > 0 ? 2 * mixed(t, i, last2) - mixed(t, i, last2 - 1) : mixed(t, i, last2);
    return (secant1(t, i, j + 1) - secant1(t, i, j)) / (t->x[1][j + 1] - t->x[1][j]);
}

static void make_slopes(Table2D *t)
{
    int64_t n1 = t->n[0], n2 = t->n[1];
    for (int64_t i = 0; i < n1; i++)
        for (int64_t j = 0; j < n2; j++) {
            double d[4], w1[2] = { 0.5, 0.5 }, w2[2] = { 0.5, 0.5 };
            int64_t at = i * n2 + j;
            if (n1 > 1) {
                around(secant1, t, i, n1, j, d);
                rt_akima_weights(d, &w1[0], &w1[1]);
                t->d1[at] = w1[0] * d[1] + w1[1] * d[2];
            }
            if (n2 > 1) {
                around(secant2, t, j, n2, i, d);
                rt_akima_weights(d, &w2[0], &w2[1]);
                t->d2[at] = w2[0] * d[1] + w2[1] * d[2];
            }
            for (int p = 0; p < 2 && n1 > 1 && n2 > 1; p++)
                for (int q = 0; q < 2; q++) t->d12[at] += w1[p] * w2[q] * mixed(t, i - 1 + p, j - 1 + q);
        }
}

static RtStatus fill(Rt *rt, Table2D *t, const double *matrix, int64_t width)
{
    size_t size = (size_t)(t->n[0] * t->n[1]);
    for (int k = 0; k < 2; k++) t->x[k] = calloc((size_t)t->n[k], sizeof(double));
    t->z = calloc(size, sizeof(double));
    int ok = t->x[0] && t->x[1] && t->z;
    if (t->smoothness == RT_AKIMA) {
        t->d1 = calloc(size, sizeof(double));
        t->d2 = calloc(size, sizeof(double));
        t->d12 = calloc(size, sizeof(double));
        ok = ok && t->d1 && t->d2 && t->d12;
    }
    if (!ok) return rt_fail(rt, RT_MEMORY, RT_NOWHERE, 0, 0, 0);
    for (int64_t i = 0; i < t->n[0]; i++) {
        t->x[0][i] = matrix[(i + 1) * width];
        for (int64_t j = 0; j < t->n[1]; j++) t->z[i * t->n[1] + j] = matrix[(i + 1) * width + j + 1];
    }
    for (int64_t j = 0; j < t->n[1]; j++) t->x[1][j] = matrix[j + 1];
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i + 1 < t->n[k]; i++)
            if (!(t->x[k][i] < t->x[k][i + 1]))
                return rt_fail_external(rt, k ? "the first row of a table of two variables must rise"
                                              : "the first column of a table of two variables must rise");
    if (t->d1) make_slopes(t);
    return RT_OK;
}

RtStatus rt_table2d_new(Rt *rt, RtCell *cells)
{
    RtTableSource from = { .file = cells[0].s,
                           .name = cells[1].s,
                           .delimiter = cells[9].s,
                           .header_lines = cells[10].i,
                           .given = cells[2].p,
                           .rows = cells[4].i,
                           .columns = cells[5].i };
    double *matrix = NULL;
    int64_t rows = 0, width = 0, smoothness = cells[6].i, extrapolation = cells[7].i;
    cells[11].p = NULL;
    if (smoothness < RT_LINEAR || smoothness > RT_CONSTANT)
        return rt_fail_external(rt, "tables of two variables are linear, constant, or after Akima");
    if (extrapolation < RT_HOLD || extrapolation > RT_NO_EXTRAPOLATION)
        return rt_fail_external(rt, "a table with an unknown extrapolation");
    RtStatus status = rt_table_matrix(rt, &from, &matrix, &rows, &width);
    if (status) return status;
    Table2D *t = rows > 1 && width > 1 ? calloc(1, sizeof *t) : NULL;
    if (!t) {
        free(matrix);
        return rows > 1 && width > 1
                   ? rt_fail(rt, RT_MEMORY, RT_NOWHERE, 0, 0, 0)
                   : rt_fail_external(rt, "a table of two variables needs two rows and two columns");
    }
    *t = (Table2D){ .n = { rows - 1, width - 1 },
                    .smoothness = (int)smoothness,
                    .extrapolation = (int)extrapolation };
    status = fill(rt, t, matrix, width);
    free(matrix);
    if (status)
        table_free(t);
    else
        cells[11].p = t;
    return status;
}

RtStatus rt_table2d_new_2(Rt *rt, RtCell *cells) { return rt_table_as_before(rt, cells, 9, rt_table2d_new); }

RtStatus rt_table2d_free(Rt *rt, RtCell *cells)
{
    (void)rt;
    table_free(cells[0].p);
    return RT_OK;
}

RtStatus rt_table2d_value(Rt *rt, RtCell *cells)
{
    double z[6] = { 0 };
    RtStatus status = evaluate(rt, cells[0].p, cells[1].r, cells[2].r, z);
    cells[3].r = z[0];
    return status;
}

RtStatus rt_table2d_derivative(Rt *rt, RtCell *cells)
{
    double z[6] = { 0 };
    RtStatus status = evaluate(rt, cells[0].p, cells[1].r, cells[2].r, z);
    cells[5].r = z[1] * cells[3].r + z[2] * cells[4].r;
    return status;
}

RtStatus rt_table2d_second(Rt *rt, RtCell *cells)
{
    double z[6] = { 0 }, v1 = cells[3].r, v2 = cells[4].r;
    RtStatus status = evaluate(rt, cells[0].p, cells[1].r, cells[2].r, z);
    cells[7].r = z[3] * v1 * v1 + 2 * z[4] * v1 * v2 + z[5] * v2 * v2 + z[1] * cells[5].r + z[2] * cells[6].r;
    return status;
}

static RtStatus ends(Rt *rt, RtCell *cells, int is_last)
{
    const Table2D *t = cells[0].p;
    double *to = cells[1].p;
    if (!t || cells[2].i < 2) return rt_fail_external(rt, "a table that was never made");
    for (int k = 0; k < 2; k++) to[k] = t->x[k][is_last ? t->n[k] - 1 : 0];
    return RT_OK;
}

RtStatus rt_table2d_least(Rt *rt, RtCell *cells) { return ends(rt, cells, 0); }
RtStatus rt_table2d_greatest(Rt *rt, RtCell *cells) { return ends(rt, cells, 1); }
