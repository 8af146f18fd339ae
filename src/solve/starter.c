/* starter.c: Runge-Kutta methods that give a multistep method a history of high order at once.
 *
 * With state values (the default): In: f at (t, y). Out: y at t + H, and the Nordsieck array there. How: six
 * stages of which the last three and the result lie at H/4, H/2, 3H/4 and H, the stage values of order 3 (the
 * first of them by Ralston's optimal method), the result of order 4. With f at the result there are five
 * derivatives on an equidistant grid, and a polynomial through them. It shows the errors d_i = O(H^4) of the
 * stage values; one more evaluation beside the result shows what they do to the derivatives, and those are
 * corrected. The integral of the corrected polynomial is y(t + H) to O(H^6), its array that of order 5. The
 * error estimate, O(H^5), is the size of both corrections of the fourth-order result. Where it says that the step could have
 * been many times longer another starter follows. Always: the history of the method is not touched by an
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

static const double SAFETY = 0.9, LEAST = 0.1, MOST = 10.0;
static const double AGAIN = 7.0; /* growth of the step that is worth the evaluations of another one */
static const double STABLE =
    1.0; /* H times the norm of the Jacobian up to which an explicit step makes sense */
static const double NORDSIECK_SHARE =
    0.25; /* of the step with state values: Euler's method has larger errors */
enum { MOST_FAILURES = 2, EXPONENT = 5 };

void starter_setup(Nordsieck *m)
{
    for (int i = 0; i < STARTER_STAGES; i++) m->k[i] = solver_vector(&m->multi.base);
    m->slope = solver_vector(&m->multi.base);
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

TryResult starter_attempt(Nordsieck *m, double H, double *error)
{
    Solver *s = &m->multi.base;
    double *y = m->multi.y_new, *e = m->multi.error;
    EvalStatus status = EVAL_OK;
    for (int i = 0; i < s->n; i++) m->slope[i] = m->z[1][i] / m->state.h;
    for (int i = 1; i < STARTER_STAGES && status == EVAL_OK; i++) {
        combine(m, H, starter_a[i], i, y);
        status = solver_f(s, s->core.t + starter_c[i] * H, y, m->k[i]);
    }
    if (status == EVAL_OK) {
        combine(m, H, starter_b, STARTER_STAGES, y);
        status = solver_f(s, s->core.t + H, y, m->k[0]);
    }
    if (status != EVAL_OK) return try_of_status(status);
    /* the grid backwards from the result, where the array shall be */
    double *const f[] = { m->k[0], m->k[5], m->k[4], m->k[3], m->slope };
    nordsieck_of_derivatives(s->n, STARTER_ORDER + 1, y, -0.25 * H, f, m->w);
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
    nordsieck_of_derivatives(s->n, STARTER_ORDER + 1, y, -0.25 * H, f, m->w);
    m->multi.iterations = 0;
    if (!(s->options.fixed_step > 0.0)) *error = norm_rms(s->n, e, m->multi.weight);
    return TRY_OK;
}

static double factor_of(double error)
{
    return fmax(LEAST, fmin(MOST, SAFETY * pow(fmax(error, 1e-10), -1.0 / EXPONENT)));
}

void starter_accept(Nordsieck *m, double H, double error)
{
    Solver *s = &m->multi.base;
    const NordsieckFamily *family = &m->family[m->state.family_next];
    for (int j = 0; j <= STARTER_ORDER + 1; j++) memcpy(m->z[j], m->w[j], (size_t)s->n * sizeof(double));
    memset(m->e_old, 0, (size_t)s->n * sizeof(double));
    m->state.h = -0.25 * H;
    m->state.order = STARTER_ORDER + 1;
    /* a step cut by a limit tells only that a longer one may do */
    double next = fabs(H) * factor_of(error), asked = fabs(m->multi.state.h);
    m->state.starter_next = asked > fabs(H) ? fmax(next, asked) : next;
    m->state.starting = next >= AGAIN * fabs(H);
    if (m->state.starting) {
        m->multi.state.h = copysign(m->state.starter_next, H);
        return;
    }
    double size = 120.0 * family->error_constant[STARTER_ORDER] * norm_rms(s->n, m->z[5], m->multi.weight);
    double factor = 1.0 / (1.2 * pow(fmax(size, 1e-10), 1.0 / (STARTER_ORDER + 1)));
    m->multi.state.h = 0.25 * H * fmax(0.25, fmin(4.0, factor));
    m->multi.state.order = m->state.family_next == FAMILY_ADAMS ? STARTER_ORDER + 1 : STARTER_ORDER;
}

bool starter_reject(Nordsieck *m, TryResult result, double H, double error)
{
    double factor = result == TRY_OK ? fmin(0.8, factor_of(error)) : 0.25;
    if (++m->state.starter_failures > MOST_FAILURES) {
        m->state.starting = false;
        m->state.starter_next = 0.0;
        return false;
    }
    m->multi.state.h = H * factor;
    return true;
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

/* The array of the order asked for; the first step is the test of it. */
static bool begin_nordsieck(Nordsieck *m, double H)
{
    Solver *s = &m->multi.base;
    int most = m->family[m->state.family_next].most, p = s->options.starter_order;
    if (p <= 0) p = STARTER_ORDER;
    p = p < 2 ? 2 : p > most ? most : p;
    H *= s->core.direction;
    if (starter_fill(m, p, H) != EVAL_OK) {
        /* z_1 is still f */
        m->state.h = 1.0;
        m->state.order = m->multi.state.order = 1;
        return false;
    }
    m->state.wait = p + 1;
    m->multi.state.h = 0.5 * H;
    return true;
}

/* The step to try. After an event the last starter knows best, then the last step. */
static double first_guess(Nordsieck *m)
{
    Solver *s = &m->multi.base;
    if (m->state.starter_next > 0.0) return m->state.starter_next;
    if (s->stats.steps > 0) return 2.0 * s->stats.h_last;
    return start_step(s, STARTER_ORDER, m->z[1], m->multi.weight, m->multi.y_new, m->f);
}

bool starter_begin(Nordsieck *m)
{
    Solver *s = &m->multi.base;
    const SolverOptions *o = &s->options;
    bool newton = m->state.family_next == FAMILY_BDF || m->choice->newton;
    m->state.starter_failures = 0;
    if (m->mass || o->starter == STARTER_CLASSIC || (o->max_order > 0 && o->max_order < STARTER_ORDER))
        return false;
    /* where Newton iterates, only if the last Jacobian says that an explicit step is stable */
    if (newton && !(m->state.jacobian_norm > 0.0)) return false;
    double H = first_guess(m);
    if (H * (newton ? m->state.jacobian_norm : s->start_rate) > STABLE) return false;
    if (o->starter == STARTER_RK_NORDSIECK) return begin_nordsieck(m, NORDSIECK_SHARE * H);
    m->state.starting = true;
    m->multi.state.h = H * s->core.direction;
    m->multi.state.order = STARTER_ORDER;
    return true;
}
