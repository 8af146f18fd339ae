/* starter.c: Runge-Kutta methods that give a multistep method a history of high order at once.
 *
 * Out: y at t + H, and the Nordsieck array there. Cost: 7 evaluations (f at the beginning is
 * known). Cost: p (p-1) / 2 evaluations. Gear, ACM TOMS 6 (1980). Sources: Mohammadi, Arevalo,
 * Fuehrer, Restarting algorithms for simulation problems with discontinuities (2014), after von
 * Schwerin and Bock (1995); coefficients from the order conditions. Tests:
 * tests/solve/starter_test.c (order conditions in rational arithmetic, observed orders, bouncing
 * ball). */
#include "solve/core/vectors.h"
#include "solve/history/history.h"

/* With state values (the default): In: f at (t, y). Six stages of which the last three and the
 * result lie at H/4, H/2, 3H/4 and H, the stage values of order 3 (the first of them by Ralston's
 * optimal method), the result of order 4. With f at the result there are five derivatives on an
 * equidistant grid, and a polynomial through them. It shows the errors d_i = O(H^4) of the stage
 * values; one more evaluation beside the result shows what they do to the derivatives, and those
 * are corrected. The integral of the corrected polynomial is y(t + H) to O(H^6), its array that of
 * order 5. The error estimate, O(H^5), is the size of both corrections of the fourth-order result.
 * For short ways there are starters of order 3 with three evaluations (Bogacki and Shampine 1989)
 * and of order 4 with four (nodes 2/5, 3/5, 1), both with the array of Hermite's cubic. restart.c
 * chooses. Invariant: the history of the method is not touched by an attempt; the array is left in
 * w.
 *
 * In Nordsieck form (an option): Euler's method with m = p, .., 2 steps over H; the k-th
 * differences at the beginning, over (H/m)^k, are y^(k) up to a series in H/m, which Richardson's
 * extrapolation over m = k, .., p removes; so the array of order p is found at the beginning to
 * O(H^(p+1)), without a step. */

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

/* Bogacki and Shampine's method of order 3. */
static const double short_a[4][4] = { { 0.0 }, { 1.0 / 2 }, { 0.0, 3.0 / 4 }, { 2.0 / 9, 1.0 / 3, 4.0 / 9 } },
                    short_c[4] = { 0.0, 1.0 / 2, 3.0 / 4, 1.0 },
                    short_d[4] = { -5.0 / 72, 1.0 / 12, 1.0 / 9, -1.0 / 8 };

const double middle_a[MIDDLE_STAGES][MIDDLE_STAGES] = {
    { 0.0 },
    { 2.0 / 5 },
    { -3.0 / 20, 3.0 / 4 },
    { 19.0 / 44, -15.0 / 44, 10.0 / 11 },
    { 11.0 / 72, 25.0 / 72, 25.0 / 72, 11.0 / 72 },
};
const double middle_c[MIDDLE_STAGES] = { 0.0, 2.0 / 5, 3.0 / 5, 1.0, 1.0 };
const double middle_d[MIDDLE_STAGES] = { -1.0 / 75, 1.0 / 15, -1.0 / 15, -11.0 / 75, 4.0 / 25 };

enum { QUARTER = 3 };                /* the stage at H/4 */
static const double HOPELESS = 1.25; /* a step so many times too long will be rejected */

void starter_setup(Restart *r)
{
    Solver *s = &r->multi->base;
    double value[STARTER_ORDER + 1], *f[STARTER_ORDER + 1], column[STARTER_ORDER + 2], *z[STARTER_ORDER + 2],
        zero = 0.0;
    for (int i = 0; i < STARTER_STAGES; i++) r->k[i] = solver_vector(s);
    r->slope = solver_kept_vector(s);
    for (int j = 0; j <= STARTER_ORDER; j++) f[j] = &value[j];
    for (int j = 0; j <= STARTER_ORDER + 1; j++) z[j] = &column[j];
    for (int j = 0; j <= STARTER_ORDER; j++) {
        memset(value, 0, sizeof value);
        value[j] = 1.0;
        nordsieck_of_derivatives(1, STARTER_ORDER + 1, &zero, 1.0, f, z);
        for (int k = 0; k <= STARTER_ORDER; k++) r->weight[k][j] = column[k + 1];
    }
}

/* w = the array at y, step -H/4, whose derivatives are f at 0, .., 4 steps. */
static void make_array(Restart *r, double H, const double *y, double *const *f)
{
    int n = r->multi->base.n;
    double h = -0.25 * H;
    memcpy(r->w[0], y, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        double f0 = h * f[0][i], f1 = h * f[1][i], f2 = h * f[2][i], f3 = h * f[3][i], f4 = h * f[4][i];
        const double *b = r->weight[0];
        for (int k = 0; k <= STARTER_ORDER; k++, b += STARTER_ORDER + 1)
            r->w[k + 1][i] = b[0] * f0 + b[1] * f1 + b[2] * f2 + b[3] * f3 + b[4] * f4;
    }
}

/* out = y + H sum w_j k_j, with k_1 in `slope` */
static void combine(const Restart *r, double H, const double *w, int count, double *out)
{
    const Solver *s = &r->multi->base;
    double *const *k = r->k;
    for (int i = 0; i < s->n; i++) {
        double sum = w[0] * r->slope[i];
        for (int j = 1; j < count; j++) sum += w[j] * k[j][i];
        out[i] = s->y[i] + H * sum;
    }
}

/* Integrals of the polynomial through the five derivatives up to H/4, H/2, 3H/4 without the values
 * of stages 4 to 6: their errors, as weights of the derivatives at stages 1 to 6 and at the
 * result. */
static const double stage_error[3][STARTER_STAGES + 1] = {
    { 251.0 / 2880 - 1.0 / 18, -1.0 / 12, -1.0 / 9, 646.0 / 2880, -264.0 / 2880, 106.0 / 2880, -19.0 / 2880 },
    { 29.0 / 360 - 5.0 / 18, 1.0 / 3, 4.0 / 9, 124.0 / 360 - 1.0, 24.0 / 360, 4.0 / 360, -1.0 / 360 },
    { 27.0 / 320 + 1.0 / 4, -3.0 / 4, -1.0, 102.0 / 320 + 3.0 / 2, 72.0 / 320 - 3.0 / 4, 42.0 / 320,
      -3.0 / 320 },
};

/* Derivatives of one component: at stages 1 to 6 and at the result. */
typedef struct {
    double f0, f1, f2, f3, f4, f5, f6;
} Slopes;

static inline double weigh(const double *b, const Slopes *f)
{
    return b[0] * f->f0 + b[1] * f->f1 + b[2] * f->f2 + b[3] * f->f3 + b[4] * f->f4 + b[5] * f->f5 +
           b[6] * f->f6;
}

/* e = what Boole's rule leaves of the step, which is a fourth difference. The derivatives at the
 * last three stages are wrong by J d_i, so the rule by H J D, D = sum b_i d_i. One evaluation
 * beside the result gives J D; stage i gets its share, the part of D that d_i is. more = H J D. */
static EvalStatus correct_stages(Restart *r, double H, const double *y, double *e, double *more)
{
    static const double outer = 32.0 / 90, inner = 12.0 / 90;
    Solver *s = &r->multi->base;
    const double *w = r->multi->weight;
    double *const *f = r->k, *D = r->scratch[1], a = 0.0, b = 0.0, c = 0.0, size = 0.0;
    for (int k = 0; k < s->n; k++) {
        Slopes x = { r->slope[k], f[1][k], f[2][k], f[3][k], f[4][k], f[5][k], f[0][k] };
        double d3 = weigh(stage_error[0], &x), d4 = weigh(stage_error[1], &x), d5 = weigh(stage_error[2], &x);
        double sum = outer * (d3 + d5) + inner * d4, weighted = w[k] * w[k] * sum;
        e[k] = 7.0 / 90 * H * (4.0 * (x.f3 + x.f5) - 6.0 * x.f4 - x.f0 - x.f6);
        a += weighted * d3;
        b += weighted * d4;
        c += weighted * d5;
        size += weighted * sum;
        D[k] = y[k] + H * sum;
    }
    double per = size > 0.0 ? 1.0 / size : 0.0;
    EvalStatus status = solver_f(s, s->core.t + H, D, r->scratch[2]);
    a *= per, b *= per, c *= per;
    for (int k = 0; k < s->n && status == EVAL_OK; k++) {
        double change = r->scratch[2][k] - f[0][k];
        f[3][k] += a * change;
        f[4][k] += b * change;
        f[5][k] += c * change;
        more[k] = H * change;
    }
    return status;
}

/* The first four stages are a step of the short starter over H/4. Where it says that the whole will
 * be rejected, the rest is saved: the error is the one to expect. */
static bool is_hopeless(Restart *r, double H, double *error)
{
    Solver *s = &r->multi->base;
    double *e = r->multi->error;
    if (r->multi->record) return false;
    for (int i = 0; i < s->n; i++)
        e[i] =
            0.25 * H / 72.0 * (-5.0 * r->slope[i] + 6.0 * r->k[1][i] + 8.0 * r->k[2][i] - 9.0 * r->k[3][i]);
    double doubt = restart_doubt(r, 0.25 * fabs(H), norm_rms(s->n, e, r->multi->weight));
    if (!(doubt > HOPELESS)) return false;
    *error = pow(doubt, 5.0);
    return true;
}

static TryResult six_stages(Restart *r, double H, double *error)
{
    Solver *s = &r->multi->base;
    double *y = r->multi->y_new, *e = r->multi->error;
    EvalStatus status = EVAL_OK;
    for (int i = 1; i < STARTER_STAGES && status == EVAL_OK; i++) {
        combine(r, H, starter_a[i], i, y);
        status = solver_f(s, s->core.t + starter_c[i] * H, y, r->k[i]);
        if (i == QUARTER && status == EVAL_OK && is_hopeless(r, H, error)) return TRY_OK;
    }
    if (status == EVAL_OK) {
        combine(r, H, starter_b, STARTER_STAGES, y);
        status = solver_f(s, s->core.t + H, y, r->k[0]);
    }
    if (status != EVAL_OK) return of_eval(status);
    status = correct_stages(r, H, y, e, r->scratch[0]);
    if (status != EVAL_OK) return of_eval(status);
    for (int i = 0; i < s->n; i++) {
        y[i] += r->scratch[0][i] - e[i];
        e[i] = fabs(e[i]) + fabs(r->scratch[0][i]);
    }
    /* the grid backwards from the result, where the array shall be */
    double *const f[] = { r->k[0], r->k[5], r->k[4], r->k[3], r->slope };
    make_array(r, H, y, f);
    *error = norm_rms(s->n, e, r->multi->weight);
    return TRY_OK;
}

/* Stages 2, 3, .. of a tableau whose last row is the result, and the array of the cubic with the
 * values and slopes of both ends. d gives the difference to a result of one order less. */
static TryResult small_starter(Restart *r, double H, const double *a, const double *c, const double *d,
                               int stages, double *error)
{
    Solver *s = &r->multi->base;
    double *y = r->multi->y_new, *e = r->multi->error;
    for (int i = 1; i < stages; i++) {
        combine(r, H, a + i * stages, i, y);
        EvalStatus status = solver_f(s, s->core.t + c[i] * H, y, r->k[i]);
        if (status != EVAL_OK) return of_eval(status);
    }
    const double *f = r->slope, *f_new = r->k[stages - 1];
    for (int i = 0; i < s->n; i++) {
        double bend = s->y[i] - y[i] + H * f_new[i], turn = H * (f[i] - f_new[i]), sum = d[0] * f[i];
        for (int j = 1; j < stages; j++) sum += d[j] * r->k[j][i];
        e[i] = H * sum;
        r->w[0][i] = y[i];
        r->w[1][i] = H * f_new[i];
        r->w[2][i] = 3.0 * bend + turn;
        r->w[3][i] = 2.0 * bend + turn;
    }
    *error = norm_rms(s->n, e, r->multi->weight);
    return TRY_OK;
}

/* A step of Radau IIA; the array is that of its polynomial. */
static TryResult implicit_step(Restart *r, double H, double *error)
{
    Solver *s = &r->multi->base;
    if (!r->state.begun) {
        EvalStatus status = implicit_begin(s, &r->implicit, H);
        if (status != EVAL_OK) return of_eval(status);
        r->state.begun = true;
    }
    return implicit_attempt(s, &r->implicit, H, r->multi->weight, r->multi, error);
}

TryResult starter_attempt(Restart *r, double H, int starter, double *error)
{
    r->multi->iterations = 0;
    switch (starter) {
    case IMPLICIT_STARTER: return implicit_step(r, H, error);
    case SHORT_STARTER: return small_starter(r, H, short_a[0], short_c, short_d, 4, error);
    case MIDDLE_STARTER: return small_starter(r, H, middle_a[0], middle_c, middle_d, MIDDLE_STAGES, error);
    default: return six_stages(r, H, error);
    }
}

void starter_accept(Restart *r, double H, int starter)
{
    Solver *s = &r->multi->base;
    r->state.columns = starter == STARTER_ORDER      ? STARTER_ORDER + 1
                       : starter == IMPLICIT_STARTER ? IMPLICIT_ORDER
                                                     : 3;
    r->state.h = starter == STARTER_ORDER ? -0.25 * H : starter == IMPLICIT_STARTER ? -H / IMPLICIT_ORDER : H;
    if (starter == IMPLICIT_STARTER) {
        r->multi->flags |= implicit_accept(&r->implicit, H);
        r->state.begun = false;
        for (int j = 0; j <= IMPLICIT_ORDER; j++)
            implicit_sample(&r->implicit, r->multi->t_new + j * r->state.h, r->k[j]);
        memcpy(r->k[0], s->y, (size_t)s->n * sizeof(double));
        nordsieck_of_values(s->n, IMPLICIT_ORDER, r->k, r->w);
    }
    for (int i = 0; i < s->n; i++) r->slope[i] = r->w[1][i] / r->state.h;
}

/* The weight of m = `own` in the extrapolation from 1/k, .., 1/p to 0. */
static double richardson(int k, int p, int own)
{
    double weight = 1.0;
    for (int m = k; m <= p; m++)
        if (m != own) weight *= (double)own / (own - m);
    return weight;
}

EvalStatus starter_fill(Restart *r, int p, double H, double *const *z, double *const *w)
{
    Solver *s = &r->multi->base;
    size_t bytes = (size_t)s->n * sizeof(double);
    for (int k = 2; k <= p; k++) memset(z[k], 0, bytes);
    for (int parts = p; parts >= 2; parts--) {
        double h = H / parts;
        const double *f = z[1];
        memcpy(w[0], s->y, bytes);
        for (int j = 0; j < parts; j++) {
            for (int i = 0; i < s->n; i++) w[j + 1][i] = w[j][i] + h * f[i];
            if (j + 1 == parts) break;
            EvalStatus status = solver_f(s, s->core.t + (j + 1) * h, w[j + 1], r->scratch[2]);
            if (status != EVAL_OK) return status;
            f = r->scratch[2];
        }
        double scale = 1.0; /* parts^k / k! */
        for (int level = 1; level <= parts; level++)
            for (int j = parts; j >= level; j--)
                for (int i = 0; i < s->n; i++) w[j][i] -= w[j - 1][i];
        for (int k = 1; k <= parts; k++) {
            scale *= (double)parts / k;
            double weight = k > 1 ? scale * richardson(k, p, parts) : 0.0;
            for (int i = 0; i < s->n && k > 1; i++) z[k][i] += weight * w[k][i];
        }
    }
    for (int i = 0; i < s->n; i++) z[1][i] *= H;
    return EVAL_OK;
}
