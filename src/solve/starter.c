/* starter.c: Runge-Kutta methods that give a multistep method a history of high order at once.
 *
 * With state values (the default): In: f at (t, y). Out: y at t + H, and the Nordsieck array there. How: six
 * stages of which the last three and the result lie at H/4, H/2, 3H/4 and H, the stage values of order 3 (the
 * first of them by Ralston's optimal method), the result of order 4. With f at the result there are five
 * derivatives on an equidistant grid, and a polynomial through them. It shows the errors d_i = O(H^4) of the
 * stage values; one more evaluation beside the result shows what they do to the derivatives, and those are
 * corrected. The integral of the corrected polynomial is y(t + H) to O(H^6), its array that of order 5. The
 * error estimate, O(H^5), is the size of both corrections of the fourth-order result. For short ways there is a starter of
 * order 3 with three stages (Bogacki and Shampine 1989) and the array of its cubic. restart.c chooses. Always: the history of the method is not touched by an
 * attempt; the array is left in w. Cost: 7 evaluations (f at the beginning is known).
 *
 * In Nordsieck form (an option): Euler's method with m = p, .., 2 steps over H; the k-th differences at the
 * beginning, over (H/m)^k, are y^(k) up to a series in H/m, which Richardson's extrapolation over m = k, ..,
 * p removes; so the array of order p is found at the beginning to O(H^(p+1)), without a step. Cost: p (p-1) /
 * 2 evaluations. Gear, ACM TOMS 6 (1980). Sources: Mohammadi, Arevalo, Fuehrer, Restarting algorithms for
 * simulation problems with discontinuities (2014), after von Schwerin and Bock (1995); coefficients from the
 * order conditions. Tests: tests/solve/starter_test.c (order conditions in rational arithmetic, observed
 * orders, bouncing ball). */
#include "solve/inside.h"

const double starter_a[STARTER_STAGES][STARTER_STAGES] = {
    { 0.0 },
    { 1.0 / 8 },
    { 0.0, 3.0 / 16 },
    { 1.0 / 18, 1.0 / 12, 1.0 / 9 },
    { 5.0 / 18, -1.0 / 3, -4.0 / 9, 1.0 },
    { -1.0 / 4, 3.0 / 4, 1.0, -3.0 / 2, 3.0 / 4 },
};
const double starter_b[STARTER_STAGES] = { 0.0, 0.0, 0.0, 2.0 / 3, -1.0 / 3, 2.0 / 3 };
const double starter_c[STARTER_STAGES] = { 0.0, 1.0 / 8, 3.0 / 16, 1.0 / 4, 1.0 / 2, 3.0 / 4 };

enum { QUARTER = 3 };                /* the stage at H/4 */
static const double HOPELESS = 1.25; /* a step so many times too long will be rejected */

void starter_setup(Nordsieck *m)
{
    Solver *s = &m->multi.base;
    double value[STARTER_ORDER + 1], *f[STARTER_ORDER + 1], column[STARTER_ORDER + 2], *z[STARTER_ORDER + 2],
        zero = 0.0;
    for (int i = 0; i < STARTER_STAGES; i++) m->k[i] = solver_vector(s);
    m->slope = solver_vector(s);
    for (int j = 0; j <= STARTER_ORDER; j++) f[j] = &value[j];
    for (int j = 0; j <= STARTER_ORDER + 1; j++) z[j] = &column[j];
    for (int j = 0; j <= STARTER_ORDER; j++) {
        memset(value, 0, sizeof value);
        value[j] = 1.0;
        nordsieck_of_derivatives(1, STARTER_ORDER + 1, &zero, 1.0, f, z);
        for (int k = 0; k <= STARTER_ORDER; k++) m->starter_weight[k][j] = column[k + 1];
    }
}

/* w = the array at y, step -H/4, whose derivatives are f at 0, .., 4 steps. */
static void make_array(Nordsieck *m, double H, const double *y, double *const *f)
{
    int n = m->multi.base.n;
    memcpy(m->w[0], y, (size_t)n * sizeof(double));
    for (int k = 0; k <= STARTER_ORDER; k++) {
        const double *b = m->starter_weight[k];
        double *column = m->w[k + 1], h = -0.25 * H;
        for (int i = 0; i < n; i++)
            column[i] =
                h * (b[0] * f[0][i] + b[1] * f[1][i] + b[2] * f[2][i] + b[3] * f[3][i] + b[4] * f[4][i]);
    }
}

/* out = y + H sum w_j k_j, with k_1 in `slope` */
static void combine(const Nordsieck *m, double H, const double *w, int count, double *out)
{
    const Solver *s = &m->multi.base;
    for (int i = 0; i < s->n; i++) out[i] = w[0] * m->slope[i];
    for (int j = 1; j < count; j++)
        for (int i = 0; i < s->n; i++) out[i] += w[j] * m->k[j][i];
    for (int i = 0; i < s->n; i++) out[i] = s->y[i] + H * out[i];
}

/* d = the way from stage i to the polynomial in w. */
static void stage_error(Nordsieck *m, double H, int i, double *d)
{
    Solver *s = &m->multi.base;
    combine(m, H, starter_a[i], i, m->update);
    nordsieck_at(s->n, m->w, STARTER_ORDER + 1, 4.0 * (1.0 - starter_c[i]), d);
    for (int k = 0; k < s->n; k++) d[k] -= m->update[k];
}

static double weighted_product(int n, const double *a, const double *b, const double *w)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += (a[k] * w[k]) * (b[k] * w[k]);
    return sum;
}

/* The derivatives at the last three stages are wrong by J d_i, so Boole's rule by H J D, D = sum b_i d_i. One
 * evaluation beside the result gives J D; stage i gets its share, the part of D that d_i is. more = H J D. */
static EvalStatus correct_stages(Nordsieck *m, double H, const double *y, double *more)
{
    static const double boole[] = { 32.0 / 90, 12.0 / 90, 32.0 / 90 };
    Solver *s = &m->multi.base;
    double *D = m->f_predicted, *d = m->f, share[3];
    memset(D, 0, (size_t)s->n * sizeof *D);
    for (int i = 0; i < 3; i++) {
        stage_error(m, H, i + 3, d);
        for (int k = 0; k < s->n; k++) D[k] += boole[i] * d[k];
    }
    double size = weighted_product(s->n, D, D, m->multi.weight);
    for (int i = 0; i < 3; i++) {
        stage_error(m, H, i + 3, d);
        share[i] = size > 0.0 ? weighted_product(s->n, d, D, m->multi.weight) / size : 0.0;
    }
    for (int k = 0; k < s->n; k++) D[k] += y[k];
    EvalStatus status = solver_f(s, s->core.t + H, D, m->f);
    for (int k = 0; k < s->n && status == EVAL_OK; k++) {
        double change = m->f[k] - m->k[0][k];
        for (int i = 0; i < 3; i++) m->k[i + 3][k] += share[i] * change;
        more[k] = H * change;
    }
    return status;
}

/* The first four stages are a step of the short starter over H/4. Where it says that the whole will be rejected, the rest
 * is saved: the error is the one to expect. */
static bool is_hopeless(Nordsieck *m, double H, double *error)
{
    Solver *s = &m->multi.base;
    double *e = m->multi.error;
    if (m->multi.record) return false;
    for (int i = 0; i < s->n; i++)
        e[i] =
            0.25 * H / 72.0 * (-5.0 * m->slope[i] + 6.0 * m->k[1][i] + 8.0 * m->k[2][i] - 9.0 * m->k[3][i]);
    double doubt = restart_doubt(m, 0.25 * fabs(H), norm_rms(s->n, e, m->multi.weight));
    if (!(doubt > HOPELESS)) return false;
    *error = pow(doubt, 5.0);
    return true;
}

static TryResult six_stages(Nordsieck *m, double H, double *error)
{
    Solver *s = &m->multi.base;
    double *y = m->multi.y_new, *e = m->multi.error;
    EvalStatus status = EVAL_OK;
    for (int i = 1; i < STARTER_STAGES && status == EVAL_OK; i++) {
        combine(m, H, starter_a[i], i, y);
        status = solver_f(s, s->core.t + starter_c[i] * H, y, m->k[i]);
        if (i == QUARTER && status == EVAL_OK && is_hopeless(m, H, error)) return TRY_OK;
    }
    if (status == EVAL_OK) {
        combine(m, H, starter_b, STARTER_STAGES, y);
        status = solver_f(s, s->core.t + H, y, m->k[0]);
    }
    if (status != EVAL_OK) return try_of_status(status);
    /* the grid backwards from the result, where the array shall be */
    double *const f[] = { m->k[0], m->k[5], m->k[4], m->k[3], m->slope };
    make_array(m, H, y, f);
    nordsieck_at(s->n, m->w, STARTER_ORDER + 1, 4.0, e);
    for (int i = 0; i < s->n; i++) {
        e[i] -= s->y[i];
        m->w[0][i] -= e[i]; /* now the polynomial begins at y */
    }
    status = correct_stages(m, H, y, m->update);
    if (status != EVAL_OK) return try_of_status(status);
    for (int i = 0; i < s->n; i++) {
        y[i] += m->update[i] - e[i];
        e[i] = fabs(e[i]) + fabs(m->update[i]);
    }
    make_array(m, H, y, f);
    *error = norm_rms(s->n, e, m->multi.weight);
    return TRY_OK;
}

/* Bogacki and Shampine's method of order 3; the array is that of the cubic with the values and slopes of both ends. */
static TryResult three_stages(Nordsieck *m, double H, double *error)
{
    Solver *s = &m->multi.base;
    double *y = m->multi.y_new, *e = m->multi.error, *const *k = m->k;
    const double *f = m->slope;
    for (int i = 0; i < s->n; i++) y[i] = s->y[i] + 0.5 * H * f[i];
    EvalStatus status = solver_f(s, s->core.t + 0.5 * H, y, k[0]);
    if (status != EVAL_OK) return try_of_status(status);
    for (int i = 0; i < s->n; i++) y[i] = s->y[i] + 0.75 * H * k[0][i];
    status = solver_f(s, s->core.t + 0.75 * H, y, k[1]);
    if (status != EVAL_OK) return try_of_status(status);
    for (int i = 0; i < s->n; i++) y[i] = s->y[i] + H / 9.0 * (2.0 * f[i] + 3.0 * k[0][i] + 4.0 * k[1][i]);
    status = solver_f(s, s->core.t + H, y, k[2]);
    if (status != EVAL_OK) return try_of_status(status);
    for (int i = 0; i < s->n; i++) {
        e[i] = H / 72.0 * (-5.0 * f[i] + 6.0 * k[0][i] + 8.0 * k[1][i] - 9.0 * k[2][i]);
        double bend = s->y[i] - y[i] + H * k[2][i], turn = H * (f[i] - k[2][i]);
        m->w[0][i] = y[i];
        m->w[1][i] = H * k[2][i];
        m->w[2][i] = 3.0 * bend + turn;
        m->w[3][i] = 2.0 * bend + turn;
    }
    *error = norm_rms(s->n, e, m->multi.weight);
    return TRY_OK;
}

/* A step of Radau IIA; the array is that of its polynomial. */
static TryResult implicit_step(Nordsieck *m, double H, double *error)
{
    Solver *s = &m->multi.base;
    if (!m->state.begun) {
        EvalStatus status = implicit_begin(s, &m->implicit, H);
        if (status != EVAL_OK) return try_of_status(status);
        m->state.begun = true;
    }
    return implicit_attempt(s, &m->implicit, H, m->multi.weight, &m->multi, error);
}

TryResult starter_attempt(Nordsieck *m, double H, int order, double *error)
{
    Solver *s = &m->multi.base;
    m->multi.iterations = 0;
    if (order == IMPLICIT_STARTER) return implicit_step(m, H, error);
    for (int i = 0; i < s->n; i++) m->slope[i] = m->z[1][i] / m->state.h;
    return (order == SHORT_STARTER ? three_stages : six_stages)(m, H, error);
}

int starter_accept(Nordsieck *m, double H, int order)
{
    Solver *s = &m->multi.base;
    int columns = order == STARTER_ORDER ? STARTER_ORDER + 1 : IMPLICIT_ORDER;
    m->state.h = order == STARTER_ORDER ? -0.25 * H : order == SHORT_STARTER ? H : -H / IMPLICIT_ORDER;
    if (order == IMPLICIT_STARTER) {
        m->multi.flags |= implicit_accept(&m->implicit, H);
        implicit_lend_jacobian(&m->implicit, &m->jacobian);
        m->state.carried = m->jacobian.have;
        m->state.factored = m->state.strange = false;
        m->state.jacobian_age = 0;
        m->state.begun = false;
        for (int j = 0; j <= IMPLICIT_ORDER; j++)
            implicit_sample(&m->implicit, m->multi.t_new + j * m->state.h, m->k[j]);
        memcpy(m->k[0], s->y, (size_t)s->n * sizeof(double));
        nordsieck_of_values(s->n, IMPLICIT_ORDER, m->k, m->z);
    } else {
        for (int j = 0; j <= columns; j++) memcpy(m->z[j], m->w[j], (size_t)s->n * sizeof(double));
    }
    return m->state.order = columns;
}

/* The weight of m = `own` in the extrapolation from 1/k, .., 1/p to 0. */
static double richardson(int k, int p, int own)
{
    double weight = 1.0;
    for (int m = k; m <= p; m++)
        if (m != own) weight *= (double)own / (own - m);
    return weight;
}

EvalStatus starter_fill(Nordsieck *m, int p, double H)
{
    Solver *s = &m->multi.base;
    size_t bytes = (size_t)s->n * sizeof(double);
    for (int k = 2; k <= p; k++) memset(m->z[k], 0, bytes);
    for (int parts = p; parts >= 2; parts--) {
        double h = H / parts;
        const double *f = m->z[1];
        memcpy(m->w[0], s->y, bytes);
        for (int j = 0; j < parts; j++) {
            for (int i = 0; i < s->n; i++) m->w[j + 1][i] = m->w[j][i] + h * f[i];
            if (j + 1 == parts) break;
            EvalStatus status = solver_f(s, s->core.t + (j + 1) * h, m->w[j + 1], m->f);
            if (status != EVAL_OK) return status;
            f = m->f;
        }
        double scale = 1.0; /* parts^k / k! */
        for (int level = 1; level <= parts; level++)
            for (int j = parts; j >= level; j--)
                for (int i = 0; i < s->n; i++) m->w[j][i] -= m->w[j - 1][i];
        for (int k = 1; k <= parts; k++) {
            scale *= (double)parts / k;
            double weight = k > 1 ? scale * richardson(k, p, parts) : 0.0;
            for (int i = 0; i < s->n && k > 1; i++) m->z[k][i] += weight * m->w[k][i];
        }
    }
    for (int i = 0; i < s->n; i++) m->z[1][i] *= H;
    m->state.h = H;
    m->state.order = m->multi.state.order = p;
    return EVAL_OK;
}
