/* stability.c: stability functions of Runge-Kutta methods, characteristic polynomials of linear
 * multistep methods, and steps on y' = lambda y for all other methods.
 *
 * In: a method, z. Out: R(z) = 1 + z b' (I - z A)^-1 e from the tableau; or the roots of rho(x)
 * - z sigma(x) by simultaneous iteration (Aberth), of which the largest counts; or what one step
 * of size 1 makes of the real form of y' = z y from y = 1. Cost: stages^3, or order^2 an
 * iteration. Hairer and Wanner, Solving ODEs II, IV.2, IV.3, V.1. Tests:
 * tests/solve/stability_test.c (known regions, tableaux against steps, order of R(z) - e^z). */
#include "solve/stability.h"
#include "solve/methods/adams_bdf/adams_bdf.h"
#include "solve/methods/dassl/dassl.h"
#include "solve/methods/sundials/sundials.h"

#include <complex.h>
#include <math.h>

typedef double complex Complex;

struct Stability {
    const SolverType *type;
    const char *source;
    int order;
    RkTableau tableau;   /* stages 0: none */
    LinearMethod linear; /* k 0: none */
};

/* ---- linear multistep methods ---------------------------------------------------------------- */

/* Of the Lagrange polynomials at 0, -1, .., 1-n (with `first` 0) or 1, 0, .., 2-n (1), the integral
 * from 0 to 1. */
static double lagrange_integral(int n, int first, int j)
{
    long double p[LINEAR_MOST + 2] = { 1.0L }, sum = 0.0L;
    int degree = 0;
    for (int i = 0; i < n; i++) {
        if (i == j) continue;
        long double root = (long double)(first - i), scale = (long double)(i - j);
        p[degree + 1] = 0.0L;
        for (int k = ++degree; k > 0; k--) p[k] = (p[k - 1] - root * p[k]) / scale;
        p[0] *= -root / scale;
    }
    for (int k = 0; k <= degree; k++) sum += p[k] / (long double)(k + 1);
    return (double)sum;
}

static void make_bdf(int q, LinearMethod *m)
{
    double lead = 0.0;
    m->k = q;
    for (int j = 1; j <= q; j++) {
        /* (1/j) of the j-th backward difference */
        double binomial = 1.0;
        lead += 1.0 / j;
        for (int i = 0; i <= j; i++) {
            m->rho[q - i] += (i % 2 ? -binomial : binomial) / j;
            binomial *= (double)(j - i) / (i + 1);
        }
    }
    for (int j = 0; j <= q; j++) m->rho[j] /= lead;
    m->sigma[q] = 1.0 / lead;
}

void linear_method(LinearFamily family, int order, LinearMethod *m)
{
    *m = (LinearMethod){ 0 };
    if (family == LINEAR_BDF) {
        make_bdf(order, m);
        return;
    }
    bool is_implicit = family == LINEAR_MOULTON;
    m->k = is_implicit && order > 1 ? order - 1 : order;
    m->rho[m->k] = 1.0;
    m->rho[m->k - 1] = -1.0;
    for (int j = 0; j < order; j++)
        m->sigma[m->k - j - (is_implicit ? 0 : 1)] = lagrange_integral(order, is_implicit, j);
}

/* The method as a linear multistep method; most: its highest order. */
static bool linear_family(const SolverType *type, LinearFamily *family, int *most)
{
    static const struct {
        const SolverType *type;
        LinearFamily family;
    } rows[] = { { &solver_adams_bashforth, LINEAR_BASHFORTH },
                 { &solver_adams, LINEAR_MOULTON },
                 { &solver_adams_newton, LINEAR_MOULTON },
                 { &solver_cvode_adams, LINEAR_MOULTON },
                 { &solver_bdf, LINEAR_BDF },
                 { &solver_dassl, LINEAR_BDF },
                 { &solver_cvode_bdf, LINEAR_BDF },
                 { &solver_ida, LINEAR_BDF } };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (rows[i].type == type) {
            *family = rows[i].family;
            *most = type->order_most;
            return true;
        }
    return false;
}

int stability_orders(const SolverType *type)
{
    LinearFamily family;
    int most = 1;
    return linear_family(type, &family, &most) ? most : 1;
}

static Complex largest_root(const LinearMethod *m, Complex z)
{
    Complex p[LINEAR_MOST + 1], x[LINEAR_MOST], best = 0;
    int k = m->k;
    double change = 1.0;
    for (int j = 0; j <= k; j++) p[j] = m->rho[j] - z * m->sigma[j];
    while (k > 0 && cabs(p[k]) < 1e-14) k--; /* a root at infinity */
    if (k < m->k) return INFINITY;
    for (int i = 0; i < k; i++) x[i] = cpow(0.4 + 0.9 * I, i + 1);
    for (int sweep = 0; sweep < 200 && change > 1e-9; sweep++) {
        change = 0.0;
        for (int i = 0; i < k; i++) {
            Complex value = p[k], slope = 0, others = 0;
            for (int j = k - 1; j >= 0; j--) {
                slope = slope * x[i] + value;
                value = value * x[i] + p[j];
            }
            if (value == 0) continue;
            Complex newton = slope == 0 ? 1.0 : value / slope;
            for (int j = 0; j < k; j++)
                if (j != i && x[i] != x[j]) others += 1.0 / (x[i] - x[j]);
            Complex step = newton / (1.0 - newton * others);
            x[i] -= step;
            change = fmax(change, cabs(step) / fmax(1.0, cabs(x[i])));
        }
    }
    for (int i = 0; i < k; i++)
        if (cabs(x[i]) > cabs(best)) best = x[i];
    return best;
}

/* ---- Runge-Kutta methods --------------------------------------------------------------------- */

static Complex of_tableau(const RkTableau *t, Complex z)
{
    int s = t->stages;
    Complex a[RK_STAGES][RK_STAGES + 1], sum = 1.0;
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) a[i][j] = (i == j) - z * t->a[i][j];
        a[i][s] = 1.0;
    }
    for (int k = 0; k < s; k++) {
        int pivot = k;
        for (int i = k + 1; i < s; i++)
            if (cabs(a[i][k]) > cabs(a[pivot][k])) pivot = i;
        if (a[pivot][k] == 0) return INFINITY; /* a pole */
        for (int j = k; j <= s && pivot != k; j++) {
            Complex swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        for (int i = k + 1; i < s; i++) {
            Complex factor = a[i][k] / a[k][k];
            for (int j = k; j <= s && factor != 0; j++) a[i][j] -= factor * a[k][j];
        }
    }
    for (int k = s - 1; k >= 0; k--) {
        for (int j = k + 1; j < s; j++) a[k][s] -= a[k][j] * a[j][s];
        a[k][s] /= a[k][k];
        sum += z * t->b[k] * a[k][s];
    }
    return sum;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static EvalStatus test_equation(Model *model, double t, const double *y, double *f)
{
    const double *z = model->data;
    (void)t;
    f[0] = z[0] * y[0] - z[1] * y[1];
    f[1] = z[1] * y[0] + z[0] * y[1];
    return EVAL_OK;
}

static EvalStatus test_jacobian(Model *model, double t, const double *y, const MatrixShape *order, double *v)
{
    const double *z = model->data;
    (void)t, (void)y;
    model_put(order, v, 0, 0, z[0]);
    model_put(order, v, 0, 1, -z[1]);
    model_put(order, v, 1, 0, z[1]);
    model_put(order, v, 1, 1, z[0]);
    return EVAL_OK;
}

static Complex of_step(const SolverType *type, Complex z)
{
    static const ModelType equation = { .derivatives = test_equation, .jacobian = test_jacobian };
    double data[2] = { creal(z), cimag(z) }, y[2] = { 1.0, 0.0 };
    ModelShape shape = { .name = "test equation", .n = 2 };
    const char *why;
    Model model;
    if (!model_init(&model, &equation, &shape, data, &why)) return NAN;
    Problem problem = { &model, 0.0, 1.0, y, NULL };
    SolverOptions options = solver_options(1e-6, 1e-6);
    SolverFailure failure;
    options.fixed_step = 1.0;
    Solver *s = solver_create(type, &problem, &options, &failure);
    Complex value = NAN;
    if (s && solver_step(s, 1.0) == STEP_LIMIT) value = solver_y(s)[0] + I * solver_y(s)[1];
    solver_destroy(s);
    return value;
}

/* ---- the door -------------------------------------------------------------------------------- */

Stability *stability_new(Arena *arena, const SolverType *type, int order, const char **why)
{
    Stability *s = NEW(arena, Stability);
    LinearFamily family;
    int most;
    *s = (Stability){ .type = type, .source = "steps", .order = type->order };
    if (linear_family(type, &family, &most)) {
        if (order < 0 || order > most) {
            *why = arena_printf(arena, "%s has orders 1 to %d", type->name, most);
            return NULL;
        }
        s->order = order > 0 ? order : 1;
        s->source = "polynomial";
        linear_method(family, s->order, &s->linear);
        return s;
    }
    if (order > 0 && order != type->order) {
        *why = arena_printf(arena, "%s has no method of order %d with fixed steps", type->name, order);
        return NULL;
    }
    if (solver_fixed_tableau(type, &s->tableau)) {
        s->source = "tableau";
        return s;
    }
    if (!(type->can & SOLVE_FIXED) || type->can & SOLVE_MULTISTEP) {
        *why = arena_printf(arena, "%s is no single method: it changes between others", type->name);
        return NULL;
    }
    return s;
}

static Complex factor(const Stability *s, Complex z)
{
    if (s->linear.k) return largest_root(&s->linear, z);
    return s->tableau.stages ? of_tableau(&s->tableau, z) : of_step(s->type, z);
}

double stability_at(const Stability *s, double re, double im, double value[2])
{
    Complex r = factor(s, re + I * im);
    if (value) {
        value[0] = creal(r);
        value[1] = cimag(r);
    }
    return cabs(r);
}

const char *stability_source(const Stability *s) { return s->source; }
bool stability_is_one_step(const Stability *s) { return s->linear.k == 0; }
int stability_order(const Stability *s) { return s->order; }
