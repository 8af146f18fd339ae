/* transform.c: the loops of Newton's iteration of collocation methods, from stages to the
 * eigenvectors of A^-1 and back.
 *
 * In: stages z and right-hand sides there; out: the right-hand sides of one real system, if the
 * number of stages is odd, and of complex ones; from their solutions, new stages. How: one
 * component at a time, all stages of it, so that each number is read and written once an
 * iteration. Complex systems are those of the conjugate eigenvalues, so imaginary parts change
 * their sign on the way. Cost: O(s^2 n). Tests: tests/solve/collocation_test.c, methods_test.c. */
#include "solve/methods/irk/inside.h"

enum { STAGES = COLLOCATION_STAGES };

/* row . v */
INLINE double row_times(int s, const double *row, const double *v)
{
    double sum = row[0] * v[0];
    for (int j = 1; j < s; j++) sum += row[j] * v[j];
    return sum;
}

INLINE void load_stages(int s, double *const *v, int k, double *to)
{
    for (int i = 0; i < s; i++) to[i] = v[i][k];
}

void transform_slopes(const TransformWork *w, double *const *v)
{
    int s = w->method->s;
    double z[STAGES];
    for (int k = 0; k < w->n; k++) {
        load_stages(s, w->z, k, z);
        for (int i = 0; i < s; i++) v[i][k] = row_times(s, w->method->inverse[i], z);
    }
}

void transform_predict(const TransformWork *w, const Collocation *old, double *const *z_old, double ratio,
                       const double *y)
{
    int s = w->method->s;
    double x[STAGES], z[STAGES], d[STAGES];
    for (int i = 0; i < s; i++) x[i] = w->method->c[i] * ratio;
    for (int k = 0; k < w->n; k++) {
        load_stages(old->s, z_old, k, z);
        for (int p = 0; p < old->s; p++) d[p] = row_times(old->s, old->ahead[p], z);
        for (int i = 0; i < s; i++) {
            double change = d[old->s - 1];
            for (int p = old->s - 2; p >= 0; p--) change = d[p] + x[i] * change;
            change *= x[i];
            w->z[i][k] = change;
            w->stage[i][k] = y[k] + change;
        }
    }
}

void transform_sum(const TransformWork *w, const double *weight, double scale, const double *from,
                   double *out)
{
    int s = w->method->s;
    double x[STAGES], z[STAGES];
    for (int i = 0; i < s; i++) x[i] = scale * weight[i];
    for (int k = 0; k < w->n; k++) {
        load_stages(s, w->z, k, z);
        out[k] = row_times(s, x, z) + (from ? from[k] : 0.0);
    }
}

bool transform_project(const TransformWork *w, double inverse_h)
{
    const Collocation *m = w->method;
    int s = m->s;
    double z[STAGES], r[STAGES], d[STAGES], noughts = 0.0;
    for (int k = 0; k < w->n; k++) {
        load_stages(s, w->r, k, r);
        for (int i = 0; i < s; i++) noughts += r[i] * 0.0;
        load_stages(s, w->z, k, z);
        for (int i = 0; i < s; i++)
            d[i] = inverse_h == 0.0 ? r[i] : r[i] - inverse_h * row_times(s, m->inverse[i], z);
        if (s % 2) w->real[k] = row_times(s, m->ti[0], d);
        for (int p = 0, at = s % 2; p < s / 2; p++, at += 2) {
            w->pairs[p][2 * k] = row_times(s, m->ti[at], d);
            w->pairs[p][2 * k + 1] = -row_times(s, m->ti[at + 1], d);
        }
    }
    return noughts == 0.0;
}

INLINE void load_solutions(int s, const TransformWork *w, int k, double *u)
{
    if (s % 2) u[0] = w->real[k];
    for (int p = 0, at = s % 2; p < s / 2; p++, at += 2) {
        u[at] = w->pairs[p][2 * k];
        u[at + 1] = -w->pairs[p][2 * k + 1];
    }
}

double transform_apply(const TransformWork *w, const double *y, const double *weight)
{
    int s = w->method->s;
    double u[STAGES], sum = 0.0, share = w->n ? 1.0 / (w->n * s) : 0.0;
    for (int k = 0; k < w->n; k++) {
        load_solutions(s, w, k, u);
        for (int i = 0; i < s; i++) {
            double change = row_times(s, w->method->t[i], u);
            double weighted = change * weight[k]; /* squares of either may overflow */
            w->z[i][k] += change;
            w->stage[i][k] = y[k] + w->z[i][k];
            sum += weighted * weighted;
        }
    }
    return sum * share;
}

void transform_change_of_end(const TransformWork *w, double *out)
{
    int s = w->method->s;
    double u[STAGES];
    for (int k = 0; k < w->n; k++) {
        load_solutions(s, w, k, u);
        out[k] = row_times(s, w->method->t[s - 1], u);
    }
}
