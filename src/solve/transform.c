/* transform.c: the loops of Newton's iteration of collocation methods, from stages to the eigenvectors of A^-1 and back.
 *
 * In: stages z and right-hand sides there; out: the right-hand sides of one real system, if the number of stages is odd, and of
 * complex ones; from their solutions, new stages. How: component by component, all stages at once, so that each number is
 * read and written once an iteration; numbers of stages that are in use get loops without counters. Cost: O(s^2 n).
 * Tests: tests/solve/collocation_test.c, methods_test.c. */
#include "solve/inside.h"

static inline double row_times(int s, const double *row, const double *v)
{
    double sum = row[0] * v[0];
    for (int j = 1; j < s; j++) sum += row[j] * v[j];
    return sum;
}

void transform_slopes(const TransformWork *w, double *const *v)
{
    Collocation *m = w->method;
    double z[COLLOCATION_STAGES] = { 0 };
    for (int k = 0; k < w->n; k++) {
        for (int j = 0; j < m->s; j++) z[j] = w->z[j][k];
        for (int i = 0; i < m->s; i++) v[i][k] = row_times(m->s, m->inverse[i], z);
    }
}

static inline void predict(int s, int s_old, const TransformWork *w, const Collocation *old,
                           double *const *z_old, double ratio, const double *y)
{
    double x[COLLOCATION_STAGES] = { 0 }, in[COLLOCATION_STAGES] = { 0 }, d[COLLOCATION_STAGES] = { 0 };
    for (int i = 0; i < s; i++) x[i] = w->method->c[i] * ratio;
    for (int k = 0; k < w->n; k++) {
        for (int j = 0; j < s_old; j++) in[j] = z_old[j][k];
        for (int p = 0; p < s_old; p++) d[p] = row_times(s_old, old->ahead[p], in);
        for (int i = 0; i < s; i++) {
            double z = d[s_old - 1];
            for (int p = s_old - 2; p >= 0; p--) z = d[p] + x[i] * z;
            w->z[i][k] = z *= x[i];
            w->stage[i][k] = y[k] + z;
        }
    }
}

void transform_predict(const TransformWork *w, const Collocation *old, double *const *z_old, double ratio,
                       const double *y)
{
    if (w->method->s == 3 && old->s == 3)
        predict(3, 3, w, old, z_old, ratio, y);
    else
        predict(w->method->s, old->s, w, old, z_old, ratio, y);
}

static inline void sum_stages(int s, const TransformWork *w, const double *weight, const double *from,
                              double *out)
{
    double z[COLLOCATION_STAGES] = { 0 };
    for (int k = 0; k < w->n; k++) {
        for (int i = 0; i < s; i++) z[i] = w->z[i][k];
        double sum = row_times(s, weight, z);
        out[k] = from ? from[k] + sum : sum;
    }
}

void transform_sum(const TransformWork *w, const double *weight, double scale, const double *from,
                   double *out)
{
    double scaled[COLLOCATION_STAGES] = { 0 };
    for (int i = 0; i < w->method->s; i++) scaled[i] = scale * weight[i];
    if (w->method->s == 3)
        sum_stages(3, w, scaled, from, out);
    else
        sum_stages(w->method->s, w, scaled, from, out);
}

/* Imaginary parts have the other sign in the complex systems. */
static inline void store(int s, int k, double (*ti)[COLLOCATION_STAGES], const double *d,
                         const TransformWork *work)
{
    if (s % 2) work->real[k] = row_times(s, ti[0], d);
    for (int p = 0, at = s % 2; p < s / 2; p++, at += 2) {
        work->pairs[p][2 * k] = row_times(s, ti[at], d);
        work->pairs[p][2 * k + 1] = -row_times(s, ti[at + 1], d);
    }
}

static inline void project(int s, const TransformWork *w, double inverse_h)
{
    Collocation *m = w->method;
    double z[COLLOCATION_STAGES] = { 0 }, d[COLLOCATION_STAGES] = { 0 };
    for (int k = 0; k < w->n; k++) {
        for (int i = 0; i < s; i++) z[i] = w->z[i][k];
        for (int i = 0; i < s; i++) d[i] = w->r[i][k] - inverse_h * row_times(s, m->inverse[i], z);
        store(s, k, m->ti, d, w);
    }
}

static inline void project_defects(int s, const TransformWork *w)
{
    double d[COLLOCATION_STAGES] = { 0 };
    for (int k = 0; k < w->n; k++) {
        for (int i = 0; i < s; i++) d[i] = w->r[i][k];
        store(s, k, w->method->ti, d, w);
    }
}

void transform_project(const TransformWork *w, double inverse_h)
{
    switch (inverse_h == 0.0 ? 0 : w->method->s) {
    case 0: project_defects(w->method->s, w); return;
    case 1: project(1, w, inverse_h); return;
    case 2: project(2, w, inverse_h); return;
    case 3: project(3, w, inverse_h); return;
    case 5: project(5, w, inverse_h); return;
    case 7: project(7, w, inverse_h); return;
    default: project(w->method->s, w, inverse_h);
    }
}

static inline double apply(int s, const TransformWork *w, const double *y, const double *weight)
{
    Collocation *m = w->method;
    double u[COLLOCATION_STAGES] = { 0 }, sum = 0.0;
    for (int k = 0; k < w->n; k++) {
        double squares = 0.0;
        if (s % 2) u[0] = w->real[k];
        for (int p = 0, at = s % 2; p < s / 2; p++, at += 2) {
            u[at] = w->pairs[p][2 * k];
            u[at + 1] = -w->pairs[p][2 * k + 1];
        }
        for (int i = 0; i < s; i++) {
            double change = row_times(s, m->t[i], u),
                   weighted = change * weight[k]; /* squares of either may overflow */
            w->stage[i][k] = y[k] + (w->z[i][k] += change);
            squares += weighted * weighted;
            if (i == s - 1) w->r[i][k] = change;
        }
        sum += squares;
    }
    return w->n ? sum / (w->n * s) : 0.0;
}

double transform_apply(const TransformWork *w, const double *y, const double *weight)
{
    switch (w->method->s) {
    case 1: return apply(1, w, y, weight);
    case 2: return apply(2, w, y, weight);
    case 3: return apply(3, w, y, weight);
    case 5: return apply(5, w, y, weight);
    case 7: return apply(7, w, y, weight);
    default: return apply(w->method->s, w, y, weight);
    }
}
